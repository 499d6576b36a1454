"""Memory that the processes of a group share, and their meetings in it; see ``include/shared_slots.h``."""
