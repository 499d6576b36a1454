"""``torch.distributed.elastic.multiprocessing``: what programs that may run in several processes import."""
