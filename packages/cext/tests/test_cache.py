"""The cache: what counts as changed, and that killed builds, rivals, full disks and damage do no harm."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

import flambeau_cext as cext
from flambeau_cext import cache as cache_module

pytestmark = pytest.mark.builder

LOAD = """
    import sys
    import flambeau_cext
    module = flambeau_cext.load("shared", sys.argv[1], functions=["value"])
    print(module.value(), module.__file__)
"""


@pytest.fixture
def project(tmp_path):
    """A source that includes a header that includes a header, all old enough to be trusted."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "inner.h").write_text("#define INNER 1\n", encoding="utf-8")
    (folder / "outer.h").write_text('#include "inner.h"\n#define OUTER (10 * INNER)\n', encoding="utf-8")
    source = folder / "value.c"
    source.write_text('#include "outer.h"\nint value(void) { return OUTER; }\n', encoding="utf-8")
    for path in folder.iterdir():
        age(path)
    return folder


def age(path, seconds=60):
    then = time.time() - seconds
    os.utime(path, (then, then))


def load(project, **options):
    return cext.load("shared", project / "value.c", functions=["value"], **options)


def libraries(folder):
    return sorted(path.name for path in Path(folder).rglob("*") if path.suffix in (".so", ".pyd"))


def manifests(folder):
    """The manifests of libraries; those of objects stand in a folder of their own."""
    return [path for path in folder.rglob("*.json") if "objects" not in path.parts]


def test_what_is_built_once_is_not_built_again(project, cache, capfd):
    first = load(project, verbose=True)
    assert "built shared" in capfd.readouterr().err
    assert load(project, verbose=True) is first
    assert "is in the cache" in capfd.readouterr().err
    assert len(libraries(cache)) == 1


def test_another_process_uses_it_too(project, run, cache):
    module = load(project)
    value, _, file = run(LOAD, project / "value.c").strip().partition(" ")
    assert (value, file) == ("10", module.__file__)
    assert len(libraries(cache)) == 1


def test_an_edited_header_is_noticed_in_one_process(project, cache):
    old = load(project)
    (project / "inner.h").write_text("#define INNER 2\n", encoding="utf-8")
    new = load(project)
    (project / "outer.h").write_text("#define OUTER 7\n", encoding="utf-8")
    newest = load(project)
    assert [m.value() for m in (old, new, newest)] == [10, 20, 7]
    (project / "value.c").write_text("int value(void) { return -1; }\n", encoding="utf-8")
    assert load(project).value() == -1
    assert old.value() == 10


def test_going_back_to_an_earlier_header_needs_no_build(project, capfd):
    first = load(project)
    header = project / "inner.h"
    text = header.read_text(encoding="utf-8")
    header.write_text("#define INNER 3\n", encoding="utf-8")
    age(header, 30)
    assert load(project).value() == 30
    header.write_text(text, encoding="utf-8")
    assert load(project, verbose=True) is first
    assert "is in the cache" in capfd.readouterr().err


def test_a_header_touched_without_a_change_needs_no_build(project, capfd):
    load(project)
    os.utime(project / "inner.h")
    load(project, verbose=True)
    assert "is in the cache" in capfd.readouterr().err


def test_a_header_that_is_found_before_another(tmp_path):
    """It was not there when the extension was built, so it is none of what it was made from."""
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second / "deep"):
        folder.mkdir(parents=True)
    (second / "deep" / "n.h").write_text("#define N 2\n", encoding="utf-8")
    source = tmp_path / "found.c"
    source.write_text('#include "deep/n.h"\nint n(void) { return N; }\n', encoding="utf-8")

    def value():
        for path in tmp_path.rglob("*.[ch]"):
            age(path)
        return cext.load("found", source, extra_cflags=[f"-I{second}"], extra_include_paths=[first], functions="n").n()

    assert value() == 2
    for n, folder in ((1, first), (0, tmp_path)):
        (folder / "deep").mkdir()
        (folder / "deep" / "n.h").write_text(f"#define N {n}\n", encoding="utf-8")
        assert value() == n
    (tmp_path / "deep" / "n.h").unlink()
    assert value() == 1


def test_where_the_environment_says_headers_are(tmp_path, monkeypatch):
    for n in (1, 2):
        (tmp_path / str(n)).mkdir()
        (tmp_path / str(n) / "n.h").write_text(f"#define N {n}\n", encoding="utf-8")
        age(tmp_path / str(n) / "n.h")
        monkeypatch.setenv("CPATH", str(tmp_path / str(n)))
        source = "#include <n.h>\nint n(void) { return N; }"
        assert cext.load_inline("path", c_sources=source, functions="n", no_implicit_headers=True).n() == n


def test_a_header_edited_while_it_is_compiled_is_compiled_again(project, compiler):
    """The compiler has read it by then, and what it made is recorded afterwards."""
    edit = f"echo '#define INNER 5' > '{project / 'inner.h'}'"
    compiler(f'cc "$@"; status=$?; case "$*" in *value.c*-o*) {edit};; esac; exit $status')
    assert load(project).value() == 10
    assert load(project).value() == 50


def test_two_modules_of_one_name_and_other_code():
    one = cext.load_inline("same", c_sources="int f(void) { return 1; }", functions="f", no_implicit_headers=True)
    two = cext.load_inline("same", c_sources="int f(void) { return 2; }", functions="f", no_implicit_headers=True)
    assert (one.f(), two.f(), one.f()) == (1, 2, 1)


def test_a_compiler_that_changes_is_another_compiler(project, compiler, cache):
    for version in (1, 2):
        compiler(f'case "$1" in --version) echo "mine {version}";; *) exec cc "$@" -DINNER_{version};; esac')
        load(project)
    assert len(manifests(cache)) == 2


def test_eight_processes_at_once(project, python, cache, compiler, tmp_path):
    """One of them compiles, the others wait for it."""
    log = tmp_path / "log"
    compiler(f'case "$*" in *" -c "*) echo compiled >> "{log}";; esac; exec cc "$@"')
    processes = [python(LOAD, project / "value.c") for _ in range(8)]
    outputs = []
    for process in processes:
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        outputs.append(output.split())
    assert len({tuple(output) for output in outputs}) == 1
    assert outputs[0][0] == "10"
    assert len(libraries(cache)) == 1
    assert log.read_text(encoding="utf-8").split() == ["compiled"] * 2  # the source and the bindings
    assert [path for path in cache.rglob(".build-*")] == []


def test_threads_at_once(project, cache):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(6) as pool:
        modules = list(pool.map(lambda _: load(project), range(6)))
    assert {m.value() for m in modules} == {10}
    assert len({id(m) for m in modules}) == 1
    assert len(libraries(cache)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_build_killed_in_the_middle_is_repeated(project, python, tmp_path, cache, compiler):
    started = tmp_path / "started"
    compiler(f'case "$*" in *" -c "*) echo $$ >> \'{started}\'; exec sleep 60;; *) exec cc "$@";; esac')
    process = python(LOAD, project / "value.c", start_new_session=True)
    deadline = time.monotonic() + 30
    while not started.exists() or not started.read_text(encoding="utf-8"):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    for compiling in started.read_text(encoding="utf-8").split():  # the compilers it started live on
        os.kill(int(compiling), signal.SIGKILL)
    assert [path for path in cache.rglob(".build-*")] != []
    # The same command and version, so the same key: what the dead build left is where the next one works.
    compiler('exec cc "$@"')
    assert load(project).value() == 10
    assert len(manifests(cache)) == 1
    assert [path for path in cache.rglob(".build-*")] == []


KILLED = """
    import os, signal, sys
    import flambeau_cext
    from flambeau_cext.cache import Folder
    from flambeau_cext.processes import Processes

    def linked(self, command, **options):
        done = run(self, command, **options)
        if "-shared" in command:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    def moved(self, name, text):
        if name.endswith(".json") and self.path.name.startswith("shared-"):
            os.kill(os.getpid(), signal.SIGKILL)
        return write(self, name, text)

    run, write = Processes.run, Folder.write
    if sys.argv[2] == "linked":
        Processes.run = linked
    else:
        Folder.write = moved
    flambeau_cext.load("shared", sys.argv[1], functions=["value"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("when", ["linked", "moved"])
def test_what_a_killed_build_leaves_is_swept_up(project, python, cache, when):
    """The library is there, not yet in its place or not yet with a manifest."""
    process = python(KILLED, project / "value.c", when)
    process.wait(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert len([path for path in cache.rglob(".build-*") if path.is_dir()]) == 1
    assert manifests(cache) == []
    assert load(project).value() == 10
    assert len(manifests(cache)) == len(libraries(cache)) == 1
    assert [path for path in cache.rglob(".build-*")] == []


def library_of(cache):
    (manifest,) = manifests(cache)
    return manifest.parent / json.loads(manifest.read_text(encoding="utf-8"))["built"]


@pytest.mark.parametrize("place", [0, 0.3, 0.5, 0.8, 1])
def test_a_changed_byte_is_noticed(project, run, cache, place):
    """Of the same size and with the same time, so that only its content tells."""
    run(LOAD, project / "value.c")
    library = library_of(cache)
    whole, status = bytearray(library.read_bytes()), library.stat()
    whole[int(place * (len(whole) - 1))] ^= 0xFF
    library.write_bytes(whole)
    os.utime(library, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run(LOAD, project / "value.c").split()[0] == "10"
    whole[int(place * (len(whole) - 1))] ^= 0xFF
    assert len(library_of(cache).read_bytes()) == len(whole)


def test_an_object_whose_byte_changed_is_compiled_again(project, cache):
    load(project)
    for compiled in cache.rglob("*.o"):
        content = bytearray(compiled.read_bytes())
        content[len(content) // 2] ^= 0xFF
        compiled.write_bytes(content)
    for manifest in manifests(cache):
        manifest.unlink()
    (project / "value.c").touch()
    assert load(project).value() == 10


def test_any_changed_byte_of_a_manifest(project, cache):
    load(project)
    (manifest,) = manifests(cache)
    record, library = json.loads(manifest.read_bytes()), library_of(cache)
    for name in ("inputs", "absent"):
        record[name] = record[name][:3]  # of hundreds alike
    whole = json.dumps(record).encode()
    manifest.write_bytes(whole)
    folder = cache_module.Folder(manifest.parent)
    assert folder.lookup().path == library
    with open(manifest, "r+b", buffering=0) as file:  # in place: file systems flush a file that is written anew
        for place in range(len(whole)):
            for change in (0x01, 0x20, 0x80, 0):
                file.seek(place)
                file.write(bytes([whole[place] ^ change]))
                entry = folder.lookup()
                assert entry is None or entry.path == library
            assert entry is not None
    manifest.write_bytes(b"[" * 100_000)
    assert folder.lookup() is None


POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no owners and modes of this kind")


@POSIX
@pytest.mark.parametrize("umask", [0, 0o002, 0o077, 0o477])
def test_the_cache_is_the_users_alone(project, run, cache, umask):
    code = f"import os\nos.umask({umask})\nimport flambeau_cext, sys\n"
    code += "print(flambeau_cext.load('shared', sys.argv[1], functions=['value']).value())"
    assert run(code, project / "value.c") == run(code, project / "value.c") == "10\n"
    for path in (cache, *cache.rglob("*")):
        if path.is_dir():
            assert path.stat().st_mode & 0o777 == 0o700, path
    for path in (library_of(cache), *manifests(cache)):
        assert path.stat().st_mode & 0o022 == 0, path


@POSIX
def test_a_cache_that_others_can_write_to(project, cache):
    load(project)
    for place in (cache, cache / "objects"):
        place.chmod(0o777)
        message = rf"cannot trust the extension cache: all users can write to it \(mode 0777\).*{place}"
        with pytest.raises(PermissionError, match=message):
            load(project)
        place.chmod(0o1777)  # as /tmp: nobody can replace what another made
        assert load(project).value() == 10
        place.chmod(0o700)


@POSIX
def test_an_entry_that_others_could_write_to_is_built_again(project, run, cache):
    run(LOAD, project / "value.c")
    library = library_of(cache)
    folder, before = library.parent, library.stat().st_ino
    folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match=r"all users can write to it \(mode 0777\); its contents are rebuilt"):
        assert load(project).value() == 10
    assert folder.stat().st_mode & 0o777 == 0o700
    assert library_of(cache).stat().st_ino != before
    library.chmod(0o722)
    before = library.stat().st_ino
    assert run(LOAD, project / "value.c").split()[0] == "10"
    assert library_of(cache).stat().st_ino != before
    assert library_of(cache).stat().st_mode & 0o022 == 0


@POSIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files to others")
def test_what_belongs_to_another_user(project, cache):
    load(project)
    library = library_of(cache)
    os.chown(library.parent, 12345, -1)
    with pytest.raises(PermissionError, match=r"it belongs to another user \(12345\)"):
        load(project)
    os.chown(library.parent, 0, -1)
    os.chown(library, 12345, -1)  # as only the owner of the folder could have put it there
    assert load(project).value() == 10
    assert library_of(cache).stat().st_uid == 0
    os.chown(cache, 12345, -1)
    with pytest.raises(PermissionError, match=r"cannot trust the extension cache: it belongs to another user"):
        load(project)


@POSIX
def test_an_entry_that_is_a_link(project, cache, tmp_path):
    load(project)
    folder = library_of(cache).parent
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError, match="it is a symbolic link"):
        load(project)


@pytest.mark.parametrize("damage", ["manifest", "library", "no library"])
def test_a_damaged_entry_is_built_again(project, run, cache, damage):
    run(LOAD, project / "value.c")
    (manifest,) = manifests(cache)
    library = manifest.parent / json.loads(manifest.read_text(encoding="utf-8"))["built"]
    if damage == "manifest":
        manifest.write_text("{", encoding="utf-8")
    elif damage == "library":
        library.write_bytes(library.read_bytes()[:100])
    else:
        library.unlink()
    assert run(LOAD, project / "value.c").split()[0] == "10"


def test_a_cache_that_cannot_be_a_folder(project, tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(OSError, match=r"cannot write to the extension cache: .*FLAMBEAU_EXTENSIONS_DIR.*file"):
        load(project, build_directory=tmp_path / "file")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="drops a capability of Linux's root")
def test_a_read_only_cache(project, python, tmp_path):
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o555)

    def without_override():
        import ctypes

        ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE: permissions bind root as well

    process = python(
        LOAD, project / "value.c", env={"FLAMBEAU_EXTENSIONS_DIR": str(folder)}, preexec_fn=without_override
    )
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    last = errors.strip().splitlines()[-1]
    assert last.startswith("PermissionError: ") and "cannot write to the extension cache: Permission denied" in last
    assert str(folder) in last


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_no_room_on_the_disk(project, python, cache):
    def no_file_over_2_kb():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    process = python(LOAD, project / "value.c", preexec_fn=no_file_over_2_kb)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    last = errors.strip().splitlines()[-1]
    assert last.startswith("OSError: ") and "cannot write to the extension cache: File too large" in last
    assert manifests(cache) == []
    assert load(project).value() == 10


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.delenv("FLAMBEAU_EXTENSIONS_DIR")
    monkeypatch.delenv("TORCH_EXTENSIONS_DIR", raising=False)
    if sys.platform.startswith("linux"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert cache_module.root() == tmp_path / "xdg" / "flambeau" / "extensions"
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "torch"))
    assert cache_module.root() == tmp_path / "torch"
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path / "ours"))
    assert cache_module.root() == tmp_path / "ours"
    assert cache_module.root(tmp_path / "given") == tmp_path / "given"


def test_digests_tell_parts_apart():
    assert cache_module.digest("ab", "c") != cache_module.digest("a", "bc")
    assert cache_module.digest("ab") == cache_module.digest(b"ab")


def test_what_did_not_change_is_not_compiled_again(tmp_path, capfd):
    for name, value in (("one", 1), ("two", 2), ("three", 3)):
        source = tmp_path / f"{name}.c"
        source.write_text(f"int {name}(void) {{ return {value}; }}\n", encoding="utf-8")
        age(source)

    def built():
        sources = [tmp_path / f"{name}.c" for name in ("one", "two", "three")]
        module = cext.load("parts", sources, functions=["one", "two", "three"], verbose=True)
        compiled = [line for line in capfd.readouterr().err.splitlines() if " -c " in line]
        return [module.one(), module.two(), module.three()], compiled

    values, compiled = built()
    assert values == [1, 2, 3] and len(compiled) == 4  # the bindings are the fourth
    (tmp_path / "two.c").write_text("int two(void) { return 22; }\n", encoding="utf-8")
    values, compiled = built()
    assert values == [1, 22, 3] and len(compiled) == 1 and "two.c" in compiled[0]


def test_sources_are_compiled_at_once(tmp_path, monkeypatch, compiler):
    log = tmp_path / "log"
    # Each waits for the others that should have begun by then, half a minute at most.
    waits = f'for i in $(seq 300); do [ $(grep -c begin "{log}") -ge $MAX_JOBS ] && break; sleep 0.1; done; sleep 0.3'
    slow = f'echo begin >> "{log}"; {waits}; cc "$@"; status=$?; echo end >> "{log}"; exit $status'
    compiler(f'case "$*" in *" -c "*) {slow};; *) exec cc "$@";; esac')
    for name in "abcd":
        (tmp_path / f"{name}.c").write_text(f"int {name}(void) {{ return 1; }}\n", encoding="utf-8")
    most = {}
    for jobs in ("1", "4"):
        monkeypatch.setenv("MAX_JOBS", jobs)
        log.write_text("", encoding="utf-8")
        cext.load("abcd", [tmp_path / f"{name}.c" for name in "abcd"], functions="a", build_directory=tmp_path / jobs)
        running = counted = 0
        for line in log.read_text(encoding="utf-8").split():
            running += 1 if line == "begin" else -1
            counted = max(counted, running)
        most[jobs] = counted
    assert most["1"] == 1 and most["4"] == 4


LONG_BUILD = """
    import signal, sys, threading, time
    from pathlib import Path
    import flambeau_cext

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may ignore it

    def interrupt():
        while not Path(sys.argv[2]).exists():
            time.sleep(0.01)
        time.sleep(0.1)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    started = time.monotonic()
    try:
        flambeau_cext.load("shared", [sys.argv[1]], functions=["value"])
    except KeyboardInterrupt:
        print("interrupted", time.monotonic() - started < 100)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the compiler of this test is a shell script")
def test_an_interrupt_stops_a_long_build(project, run, tmp_path, cache, compiler):
    started = tmp_path / "started"
    compiler(f'case "$*" in *" -c "*) sleep 600 & echo $! $$ >> "{started}"; wait;; *) exec cc "$@";; esac')
    assert run(LONG_BUILD, project / "value.c", started).split() == ["interrupted", "True"]
    deadline = time.monotonic() + 30
    for pid in map(int, started.read_text(encoding="utf-8").split()):  # what the compiler itself had started, too
        while alive(pid):
            assert time.monotonic() < deadline, "a compiler runs on"
            time.sleep(0.02)
    assert [path for path in cache.rglob(".build-*")] == []
    compiler('exec cc "$@"')
    assert load(project).value() == 10


INTERRUPTED = """
    import sys
    from pathlib import Path
    import flambeau_cext

    ours = str(Path(flambeau_cext.__file__).parent)
    source, cache, first, step = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    reached, interrupted = set(), 0

    def interrupt(frame, event, argument):
        # Raises at the next line of our own that was not reached before and is one of every `step`.
        if event == "call":
            return interrupt if frame.f_code.co_filename.startswith(ours) else None
        place = frame.f_code, frame.f_lineno
        if event == "line" and place not in reached:
            reached.add(place)
            if len(reached) % step == first:
                raise KeyboardInterrupt
        return interrupt

    while True:
        folder = cache / str(interrupted)
        sys.settrace(interrupt)
        try:
            flambeau_cext.load("shared", source, functions=["value"], build_directory=folder)
            break
        except KeyboardInterrupt:
            interrupted += 1
        finally:
            sys.settrace(None)
        place = len(reached)
        children = [path.read_text().split() for path in Path("/proc/self/task").glob("*/children")]
        assert sum(children, []) == [], (interrupted, place)
        assert flambeau_cext.load("shared", source, functions=["value"], build_directory=folder).value() == 10
        assert [path for path in folder.rglob(".build-*")] == [], (interrupted, place)
    print(interrupted)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for children")
@pytest.mark.parametrize("first", [0, 5])
def test_an_interrupt_at_any_line(project, run, cache, first):
    """What comes after works, and no compiler and no scratch folder stays."""
    interrupted = run(INTERRUPTED, project / "value.c", cache, first, 11)
    assert int(interrupted) > 20


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no sleep")
def test_an_interrupt_waits_until_threads_have_cleaned_up(run):
    said = run("""
        import signal, threading, time
        from flambeau_cext.processes import Processes

        def task():
            threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
            try:
                processes.run(["sleep", "60"])
            finally:
                time.sleep(0.3)
                ended.append(True)

        signal.signal(signal.SIGINT, signal.default_int_handler)
        processes, ended = Processes(), []
        try:
            processes.together([task])
        except KeyboardInterrupt:
            print(ended)
    """)
    assert said == "[True]\n"


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z")


def full_disk_command():
    """How a command sees a disk of 40 kB mounted on a folder that it names: in a namespace of its own."""
    import shutil
    import subprocess

    prefix = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
              'mount -t tmpfs -o size=40k none "$1" && shift && exec "$@"', "sh"]  # fmt: skip
    if sys.platform.startswith("linux") and shutil.which("unshare"):
        if subprocess.run([*prefix, "/mnt", "true"], capture_output=True, check=False).returncode == 0:
            return prefix
    return None


def test_a_full_disk(project, tmp_path):
    import subprocess
    import textwrap

    prefix = full_disk_command()
    if prefix is None:
        pytest.skip("this system lets nobody mount a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    code = LOAD.replace("module = ", "open(sys.argv[2] + '/taken', 'wb').write(bytes(20_000)); module = ")
    done = subprocess.run(
        [*prefix, str(disk), sys.executable, "-c", textwrap.dedent(code), str(project / "value.c"), str(disk)],
        capture_output=True, text=True, check=False, env={**os.environ, "FLAMBEAU_EXTENSIONS_DIR": str(disk)},
    )  # fmt: skip
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("OSError: [Errno 28] cannot write to the extension cache: No space left on device"), last
    assert str(disk) in last


def entry(cache, name, days, size=1000):
    """An entry as a build leaves it, last used so many days ago."""
    folder = cache_module.Folder(cache / f"{name}-0123")
    with folder.building() as scratch:
        built = scratch / "library"
        built.write_bytes(bytes(size))
        folder.publish(built, ".so", [], time.time_ns())
    for path in folder.path.iterdir():
        age(path, days * 24 * 3600)
    return folder


def test_what_nobody_uses_is_removed(cache):
    old, used = entry(cache, "old", 40), entry(cache, "used", 40)
    recent, new = entry(cache, "recent", 20), entry(cache, "new", 0)
    (cache / "not ours").mkdir()
    assert used.lookup() is not None  # which counts as use
    assert cache_module.prune(cache) == 1
    assert [folder.path.exists() for folder in (old, used, recent, new)] == [False, True, True, True]
    assert (cache / "not ours").exists()


def test_the_oldest_go_first_when_there_is_too_much(cache):
    folders = [entry(cache, f"entry{days}", days, size=10_000) for days in (5, 3, 4, 0)]
    assert cache_module.prune(cache, most_bytes=25_000) == 2
    assert [folder.path.exists() for folder in folders] == [False, True, False, True]
    assert cache_module.prune(cache, most_bytes=0) == 1
    assert folders[-1].path.exists()  # used a moment ago


def test_what_is_being_built_is_not_removed(cache):
    folder = entry(cache, "busy", 40)
    with folder.building():
        assert cache_module.prune(cache) == 0
    assert folder.lookup() is not None


def test_builds_prune_once_a_day(project, cache):
    entry(cache, "old", 40)
    load(project)
    assert not (cache / "old-0123").exists()
    entry(cache, "old", 40)
    (project / "value.c").write_text("int value(void) { return 3; }\n", encoding="utf-8")
    load(project)
    assert (cache / "old-0123").exists()
    age(cache / ".pruned", 2 * 24 * 3600)
    (project / "value.c").write_text("int value(void) { return 4; }\n", encoding="utf-8")
    load(project)
    assert not (cache / "old-0123").exists()


def test_removed_while_another_waits_for_it(cache):
    """Who gets the lock of a folder that was removed meanwhile makes it anew."""
    import threading

    folder = entry(cache, "contested", 40)
    held, waiting = threading.Event(), threading.Event()

    def remover():
        with open(folder.path / ".lock", "a+b") as lock:
            assert cache_module._lock(lock.fileno(), wait=True)
            held.set()
            waiting.wait(10)
            time.sleep(0.1)
            for path in folder.path.iterdir():
                path.unlink()
            folder.path.rmdir()

    thread = threading.Thread(target=remover)
    thread.start()
    held.wait(10)
    waiting.set()
    with folder.building() as scratch:
        (scratch / "file").write_text("here", encoding="utf-8")
        assert folder.path.exists()
    thread.join()
