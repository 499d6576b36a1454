"""``torch.distributed.elastic.multiprocessing``: functions for programs that may run in several processes."""
