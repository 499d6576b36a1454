from flambeau_cext.library import *
