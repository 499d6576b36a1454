from flambeau_distributions import *
from flambeau_distributions import constraints as constraints
from flambeau_distributions import transforms as transforms
from flambeau_distributions import utils as utils
