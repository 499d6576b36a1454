"""Importing this installs flambeau under the name ``torch``: ``pytest -p flambeau.as_torch`` tests a project on it."""

import flambeau

flambeau.install_as_torch()
