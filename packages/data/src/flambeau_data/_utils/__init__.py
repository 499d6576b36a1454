"""The parts of the DataLoader, under the names that packages import."""

HAS_NUMPY = True
MP_STATUS_CHECK_INTERVAL = 5.0  # seconds between two looks at whether a silent worker lives

from flambeau_data._utils import collate, fetch, worker  # noqa: E402, F401
