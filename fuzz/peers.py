"""The two processes that run recipes, what happens when one dies, and the smallest recipe that still shows it."""

import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


class Peer:
    """A worker process. ``outcomes(recipes)`` has an outcome, ``"hang"`` or ``"crash: …"`` for each recipe."""

    def __init__(self, python, module, *, seconds=10, megabytes=1500):
        self.module, self.seconds = module, seconds
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [python, "-W", "ignore", str(HERE / "worker.py"), module, str(megabytes)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self.child = self._read(120)[1]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()

    def _bytes(self, n, deadline):
        fd, parts = self.process.stdout.fileno(), []
        while n:
            if not select.select([fd], [], [], max(0, deadline - time.monotonic()))[0]:
                return None
            part = os.read(fd, n)
            if not part:
                raise RuntimeError(f"the process of {self.module} has gone")
            parts.append(part)
            n -= len(part)
        return b"".join(parts)

    def _read(self, seconds):
        """The next frame, or None if none comes in time."""
        deadline = time.monotonic() + seconds
        head = self._bytes(4, deadline)
        body = None if head is None else self._bytes(struct.unpack("<I", head)[0], deadline)
        return None if body is None else pickle.loads(body)

    def start(self, recipes):
        data = pickle.dumps(recipes)
        self.process.stdin.write(struct.pack("<I", len(data)) + data)
        self.process.stdin.flush()

    def finish(self, count):
        """What came of the `count` recipes that were started, until one kills the child: its entry is the last."""
        out = []
        while len(out) < count:
            frame, hung = self._read(self.seconds), False
            if frame is None:
                hung = True
                os.kill(self.child, signal.SIGKILL)
                while frame is None or frame[0] == "outcome":
                    frame = self._read(60)
            if frame[0] == "outcome":
                out.append(frame[1])
                continue
            self.child = self._read(120)[1]
            out.append("hang" if hung else f"crash: {frame[1]}")
            break
        return out

    def outcomes(self, recipes):
        out = []
        while len(out) < len(recipes):
            self.start(recipes[len(out) :])
            out += self.finish(len(recipes) - len(out))
        return out

    def dies(self, recipes):
        """How the child dies of these recipes, one after the other; None if it does not."""
        self.start(recipes)
        last = self.finish(len(recipes))[-1]
        return last if isinstance(last, str) else None


def smaller(items, still, budget=400):
    """The fewest items that are ``still`` enough: halves, then quarters, then single ones are left out."""
    step = max(1, len(items) // 2)
    while budget > 0:
        i, changed = 0, False
        while i < len(items) and budget > 0:
            budget -= 1
            rest = items[:i] + items[i + step :]
            if rest and still(rest):
                items, changed = rest, True
            else:
                i += step
        if step == 1 and not changed:
            break
        step = max(1, step // 2)
    return items


def minimize_crash(peer, recipes):
    """The recipes, mostly one, without which the child lives, each with the fewest lines."""
    kept = [recipes[-1]] if peer.dies(recipes[-1:]) else smaller(recipes, lambda r: peer.dies(r) is not None)
    for i, recipe in enumerate(kept):

        def still(lines, i=i):
            return peer.dies([*kept[:i], "\n".join(lines), *kept[i + 1 :]]) is not None

        kept[i] = "\n".join(smaller(recipe.split("\n"), still))
    return kept


if __name__ == "__main__":  # python fuzz/peers.py MODULE < recipe
    print(Peer(sys.executable, sys.argv[1]).outcomes([sys.stdin.read().strip()])[0])
