"""Malicious files: ``load(weights_only=True)`` must not crash, hang, or use much more memory than the file's size."""

import io
import os
import pickle
import struct
import subprocess
import sys
import zipfile

import pytest

import flambeau_tensor as ft
from flambeau_tensor.serialization import get_unsafe_globals_in_checkpoint

PROTO = b"\x80\x02"
DEEP = b")" + b"\x85" * 300_000
DOUBLING = b")" + b"".join(b"q%ch%c\x86" % (i, i) for i in range(60))  # 2**60 parts, where each is used twice


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s


LONG = text(b"a" * 1_000_000) + b"q\x00" + text(b"latin1") + b"q\x01"
NUMBERS = b"](" + b"".join(b"J" + struct.pack("<i", i) for i in range(200_000)) + b"eq\x00"
TYPE_V2 = b"ctorch._tensor\n_rebuild_from_type_v2\n"
STORAGE = b"ctorch.storage\nUntypedStorage\n"
GIGABYTE = b"J\x00\x00\x00\x40\x85Nt"
HOSTILE = {
    "deep key": PROTO + b"}" + DEEP + b"K\x01s.",
    "deep member": PROTO + b"\x8f(" + DEEP + b"\x90.",
    "deep member of a set": PROTO + b"c__builtin__\nset\n](" + DEEP + b"e\x85R.",
    "deep key of an OrderedDict": PROTO + b"ccollections\nOrderedDict\n](](" + DEEP + b"K\x01ee\x85R.",
    "deep key of a Counter": PROTO + b"ccollections\nCounter\n](" + DEEP + b"e\x85R.",
    "doubled key": PROTO + b"}" + DOUBLING + b"K\x01s.",
    "encoded again and again": PROTO + LONG + b"c_codecs\nencode\nq\x020](" + b"h\x02h\x00h\x01\x86R" * 3000 + b"e.",
    "copied again and again": PROTO
    + LONG
    + b"c__builtin__\nbytearray\nq\x020]("
    + b"h\x02h\x00h\x01\x86R" * 3000
    + b"e.",
    "sets again and again": PROTO + NUMBERS + b"c__builtin__\nset\nq\x010](" + b"h\x01h\x00\x85R" * 3000 + b"e.",
    "a storage by an inner call": PROTO + TYPE_V2 + b"(" + STORAGE + STORAGE + GIGABYTE + b"R.",
    "by one inside of that": PROTO + TYPE_V2 + b"(" + TYPE_V2 + STORAGE + b"(" + STORAGE + STORAGE + GIGABYTE + b"NtR.",
    "a size": PROTO + b"c__builtin__\nbytearray\nJ\x00\x00\x00\x40\x85R.",
}
LOAD = """
import io, resource, sys
import flambeau_tensor as ft

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
try:
    ft.load(sys.argv[1])
except Exception as e:
    print(type(e).__name__)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def archive(pickled):
    """Return a file with another pickle."""
    stored, file = io.BytesIO(), io.BytesIO()
    ft.save(0, stored)
    with zipfile.ZipFile(stored) as source, zipfile.ZipFile(file, "w") as target:
        for name in source.namelist():
            target.writestr(name, pickled if name.endswith("data.pkl") else source.read(name))
    file.seek(0)
    return file


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pickles_are_refused(name, tmp_path):
    path = tmp_path / "file.pt"
    path.write_bytes(archive(HOSTILE[name]).getvalue())
    run = subprocess.run([sys.executable, "-c", LOAD, path], capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, (run.returncode, run.stderr[-1000:])
    error, megabytes = run.stdout.split()
    assert error == "UnpicklingError"
    assert int(megabytes) < 30 + 40 * os.path.getsize(path) / 1e6  # Python's objects are larger than their instructions


def test_what_files_hold_is_still_read():
    thing = {("a", (1, (2, b"x"))): bytearray(b"abc"), 3: b"xyz", ft.zeros(2, 3).shape: {1, (2, 3)}}
    for protocol in (2, 3, 4, 5):
        file = io.BytesIO()
        ft.save(thing, file, pickle_protocol=protocol)
        file.seek(0)
        assert ft.load(file) == thing
    words = [b"word" * 1000 for _ in range(100)]  # as different objects of the pickle
    file = io.BytesIO()
    ft.save([bytes(w) for w in words], file)
    file.seek(0)
    assert ft.load(file) == words


@pytest.mark.parametrize(
    ("pickled", "names"),
    [
        (
            b"\x80\x04\x8c\x05posix\x94\x8c\x06getcwd\x94\x8c\x05torch\x94\x8c\x04Size\x94h\x00h\x01\x93)R.",
            ["posix.getcwd"],
        ),
        (b"\x80\x02" + text(b"os") + b"q\x07" + text(b"torch") + b"0h\x07" + text(b"system") + b"\x93.", ["os.system"]),
        (b"Vos\np0\n0Vsystem\np1\n0g0\ng1\n\x93.", ["os.system"]),
        (b"\x80\x04" + text(b"os") + b"(" + text(b"torch") + b"1" + text(b"system") + b"\x93.", ["os.system"]),
        (b'(S"x"\nios\nsystem\n.', ["os.system"]),
        (b"\x80\x02c\xc3\xa9\nx\ncos\nsystem\n.", ["?"]),
        (b"\x80\x04)\x8c\x01x\x93.", ["?.x"]),
        (pickle.dumps(range(3), 4), ["builtins.range"]),
        (pickle.dumps([range(3)], 0), ["builtins.range"]),
        (pickle.dumps({"a": 1, "b": (1, 2)}, 4), []),
    ],
)
def test_names_that_a_file_would_look_up(pickled, names):
    assert get_unsafe_globals_in_checkpoint(archive(pickled)) == names


@pytest.mark.parametrize("answer", [-1, -1000, 10**9, None])
def test_files_that_count_wrongly(answer):
    class Counting(io.BytesIO):
        def readinto(self, memory):
            return answer

    stored = io.BytesIO()
    ft.save(ft.ones(1000), stored)
    with pytest.raises((RuntimeError, TypeError)):
        ft.load(Counting(stored.getvalue()))


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no such device")
@pytest.mark.parametrize("weights_only", [True, False])
def test_devices_without_an_end(weights_only):
    with pytest.raises((EOFError, RuntimeError, pickle.UnpicklingError)):
        ft.load("/dev/zero", weights_only=weights_only)
