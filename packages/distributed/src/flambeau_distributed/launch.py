"""``python -m torch.distributed.launch``: the older name of ``torch.distributed.run``."""

from flambeau_distributed.run import main as main

if __name__ == "__main__":
    main()
