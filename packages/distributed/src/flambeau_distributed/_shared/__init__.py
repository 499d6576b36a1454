"""Memory that the processes of a group share, and how they meet in it; ``include/shared_slots.h`` tells how."""
