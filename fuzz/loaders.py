"""Damaged files, loaded in every way: each must load or raise an error that `torch.load` is known for.

    python fuzz/loaders.py [--minutes 5] [--seed 1]

Files of both formats have bytes flipped, numbers replaced by those at the edges of their types, parts cut out, moved
or repeated, and pieces of other files put in. Of archives, half are taken apart and damaged inside, so that what is
wrong is in the pickle or in the sizes of records and not in a frame that is refused at once. Loading happens in a child
process with a limit on memory, and what it gives is read and written, so that a tensor beyond its memory shows. A
crash, a hang, memory that no file of this size can ask for, and any other error end the session with 1, with the seed
that shows it again.
"""

import argparse
import io
import mmap
import os
import random
import resource
import struct
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import OrderedDict

BATCH = 500  # files for each child
SECONDS = 20  # in which each file has to be done
MEMORY = 1 << 30  # on top of what the process has
EDGES = [0, 1, 2, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1]
KNOWN = {"UnpicklingError", "RuntimeError", "EOFError", "NotBuiltError", "AssertionError", "ValueError"}


def contents(torch):
    x = torch.arange(24.0).reshape(2, 3, 4)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return [
        [x, x[1], x.transpose(0, 2), x.to(torch.bfloat16), x > 3],
        {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "name": "café"},
        OrderedDict(a=torch.nn.Parameter(x.clone()), b=x.to(torch.complex64).conj(), c=torch.Size([2, 3])),
        (torch.float16, {1, 2}, 1j, b"bytes", bytearray(b"more"), 2**70, None, torch.device("cpu"), torch.empty(0, 3)),
        [torch.arange(6, dtype=torch.int8).untyped_storage(), torch.arange(5), torch.rand(3, dtype=torch.float64)],
    ]


def files(torch):
    """Bytes of a file for each content, format and protocol."""
    out = []
    for content in contents(torch):
        for zipped in (True, False):
            for protocol in (2, 4) if zipped else (2,):
                file = io.BytesIO()
                torch.save(content, file, pickle_protocol=protocol, _use_new_zipfile_serialization=zipped)
                out.append(file.getvalue())
    return out


def damaged(data, rng, others):
    """The bytes with one to four changes."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 2, 4])):
        at, length = rng.randrange(len(data) + 1), rng.choice([1, 1, 2, 4, 8, 16, 64])
        kind = rng.randrange(8)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 2:
            form = rng.choice(["<B", "<H", "<I", "<Q"])
            packed = struct.pack(form, rng.choice(EDGES) % (1 << 8 * struct.calcsize(form)))
            data[at : at + len(packed)] = packed
        elif kind == 3:
            del data[at : at + length]
        elif kind == 4:
            data[at:at] = data[at : at + length] * rng.choice([1, 2, 50])
        elif kind == 5:
            other, start = rng.choice(others), rng.randrange(1000)
            data[at : at + length] = other[start : start + length]
        elif kind == 6:
            to = rng.randrange(len(data) + 1)
            data[to : to + length] = data[at : at + length]
        elif rng.random() < 0.3:
            del data[at:]
        if not data:
            break
    return bytes(data)


def rebuilt(data, rng, others):
    """An archive whose frame is in order and whose records are not."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        records = [(name, archive.read(name)) for name in archive.namelist()]
    if rng.random() < 0.7:  # the pickle, which comes first
        records[0] = (records[0][0], damaged(records[0][1], rng, others))
    else:
        i = rng.randrange(len(records))
        name, record = records.pop(i)
        records.insert(
            rng.randrange(len(records) + 1), (rng.choice([name, records[0][0]]), damaged(record, rng, others))
        )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two records of one name
        for name, record in records:
            archive.writestr(name, record)
    return file.getvalue()


def file_of(seed, originals):
    rng = random.Random(seed)
    data = rng.choice(originals)
    if data[:2] == b"PK" and rng.random() < 0.5:
        return rebuilt(data, rng, originals), rng
    return damaged(data, rng, originals), rng


def use(torch, loaded, depth=0):
    """Reads and writes all memory that tensors in it say they have."""
    if isinstance(loaded, torch.Tensor):
        repr(loaded)
        plain = loaded.detach().clone()
        loaded.detach().copy_(plain)
        torch.save(loaded, io.BytesIO())
    elif isinstance(loaded, dict) and depth < 5:
        for key, value in loaded.items():
            use(torch, key, depth + 1)
            use(torch, value, depth + 1)
    elif isinstance(loaded, (list, tuple, set)) and depth < 5:
        for value in loaded:
            use(torch, value, depth + 1)
    else:
        hash(loaded) if type(loaded).__hash__ else repr(loaded)


def load(torch, data, rng, path):
    if rng.random() < 0.2:
        with open(path, "wb") as f:
            f.write(data)
        return torch.load(path, mmap=rng.random() < 0.7)
    if rng.random() < 0.1:
        return torch.load(io.BytesIO(data), map_location="meta")
    return torch.load(io.BytesIO(data))


def child(torch, seed, originals, state, path):
    """Loads the files of one batch; where it is stands in `state`. Returns what was no known error."""
    with open("/proc/self/statm") as f:
        used = int(f.read().split()[0]) * resource.getpagesize()
    if "LD_PRELOAD" not in os.environ:  # a sanitizer reserves all of it
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    warnings.simplefilter("ignore")
    wrong = 0
    for i in range(BATCH):
        struct.pack_into("<QQ", state, 0, i, int(time.time()))
        data, rng = file_of(seed + i, originals)
        try:
            loaded = load(torch, data, rng, path)
        except Exception as error:
            if type(error).__name__ not in KNOWN:
                wrong += 1
                print(f"seed {seed + i}:", flush=True)
                traceback.print_exc(limit=-4)
            continue
        struct.pack_into("<Q", state, 16, struct.unpack_from("<Q", state, 16)[0] + 1)
        try:
            use(torch, loaded)
        except (MemoryError, SystemError):
            wrong += 1
            print(f"seed {seed + i}, after loading:", flush=True)
            traceback.print_exc(limit=-4)
        except Exception:  # what may be in a file need not be sensible: a name that is no text, an expanded tensor
            continue
    return wrong


def batch(torch, seed, originals, path, state):
    """Runs a child. Returns how many files were wrong."""
    state[:16] = bytes(16)
    process = os.fork()
    if process == 0:
        code = 1
        try:
            code = min(child(torch, seed, originals, state, path), 100)
        finally:
            os._exit(code)
    while True:
        done, status = os.waitpid(process, os.WNOHANG)
        at, since = struct.unpack_from("<QQ", state, 0)
        if done:
            break
        if since and time.time() - since > SECONDS:
            os.kill(process, 9)
            os.waitpid(process, 0)
            print(f"hangs: seed {seed + at}", flush=True)
            return 1
        time.sleep(0.01)
    if os.WIFSIGNALED(status):
        print(f"crashes by signal {os.WTERMSIG(status)}: seed {seed + at}", flush=True)
        return 1
    return os.WEXITSTATUS(status)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--count", type=int, default=10**12, help="end after so many files")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--one", type=int, help="load the file of this seed alone, and show what it raises")
    args = parser.parse_args()
    import flambeau as torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    originals = files(torch)
    with tempfile.NamedTemporaryFile() as scratch:
        if args.one is not None:
            data, rng = file_of(args.one, originals)
            use(torch, load(torch, data, rng, scratch.name))
            return 0
        print(f"seed {args.seed}", flush=True)
        state = mmap.mmap(-1, 24)
        end, count, wrong, seed = time.monotonic() + 60 * args.minutes, 0, 0, args.seed * 1_000_000
        while time.monotonic() < end and count < args.count:
            wrong += batch(torch, seed, originals, scratch.name, state)
            seed, count = seed + BATCH, count + BATCH
    print(f"{count} files, {struct.unpack_from('<Q', state, 16)[0]} loaded all the same, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
