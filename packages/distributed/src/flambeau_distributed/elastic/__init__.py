"""``torch.distributed.elastic``: starting processes again that have ended, which is not built."""
