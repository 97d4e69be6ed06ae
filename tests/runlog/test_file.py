"""The file under the log: who may write it, and what a failed write leaves."""

from __future__ import annotations

import errno
import os
import pickle
import signal
import subprocess
import sys
import threading
import types
from io import FileIO
from pathlib import Path

import pytest

from agenteval.runlog import RunLog, RunLogError, read_log

OPEN_AND_WAIT = """
import sys
from agenteval.runlog import RunLog
tasks = [{"id": "a", "input": "question", "expected": "yes"}]
log = RunLog(sys.argv[1], tasks, repeats=2, resume=True)
log.append({"id": "a", "repeat": 0, "passed": True, "reasons": []})
"""

THEN_WAIT = """
print("open", flush=True)
sys.stdin.read()
"""

THEN_FORK = """
import os
if os.fork() == 0:
    print(os.getpid(), flush=True)
    os.read(0, 1)  # lives until the test closes its end
    os._exit(0)
sys.stdin.read()
"""

THEN_POOL = """
import multiprocessing, os
from concurrent.futures import ProcessPoolExecutor
pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork"))
print(pool.submit(os.getpid).result(), flush=True)
sys.stdin.read()
"""

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
IN_USE = "another evaluation is writing it; wait for it to end, or log elsewhere"


@pytest.fixture
def writer(path):
    """Start another process that writes the log; yields it after its first line of output."""
    started = []

    def start(then):
        process = subprocess.Popen(
            [sys.executable, "-c", OPEN_AND_WAIT + then, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_second_writer_in_the_same_process_is_refused(path, make_tasks, make_run):
    with RunLog(path, make_tasks("a"), repeats=1) as log:
        for resume in (True, False):
            with pytest.raises(RunLogError, match=IN_USE):
                RunLog(path, make_tasks("a"), repeats=1, resume=resume)
        log.append(make_run("a"))
    RunLog(path, make_tasks("a"), repeats=1, resume=True).close()


def test_reading_the_log_in_the_same_process_does_not_free_it(path, make_tasks, make_run):
    with RunLog(path, make_tasks("a"), repeats=1) as log:
        log.append(make_run("a"))
        assert len(list(read_log(path))) == len(list(log.stored())) == 1
        path.read_bytes()
        with pytest.raises(RunLogError, match=IN_USE):
            RunLog(path, make_tasks("a"), repeats=1, resume=True)


def test_a_second_writer_in_another_process_is_refused(path, make_tasks, writer):
    process, _ = writer(THEN_WAIT)
    before = path.read_bytes()
    with pytest.raises(RunLogError, match=IN_USE) as caught:
        RunLog(path, make_tasks("a"), repeats=2, resume=True)
    assert caught.value.path == str(path)
    assert path.read_bytes() == before
    assert len(list(read_log(path))) == 1
    process.communicate("")  # the writer ends without closing its log
    RunLog(path, make_tasks("a"), repeats=2, resume=True).close()


def test_a_killed_writer_leaves_no_lock(path, make_tasks, writer):
    process, _ = writer(THEN_WAIT)
    process.kill()
    process.wait()
    with RunLog(path, make_tasks("a"), repeats=2, resume=True) as log:
        assert log.has("a", 0)


@needs_fork
@pytest.mark.parametrize("then", [THEN_FORK, THEN_POOL], ids=["fork", "process pool"])
def test_a_worker_that_outlives_its_killed_parent_holds_no_lock(path, make_tasks, writer, then):
    process, child = writer(then)
    process.kill()
    process.wait()
    os.kill(int(child), 0)  # the worker is still there
    try:
        RunLog(path, make_tasks("a"), repeats=2, resume=True).close()
    finally:
        os.kill(int(child), signal.SIGKILL)


@needs_fork
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")  # other tests' threads
def test_a_forked_child_finds_the_log_closed_and_leaves_the_parents_open(
    path, make_tasks, make_run
):
    with RunLog(path, make_tasks("a"), repeats=1) as log:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                log.append(make_run("a"))
            except RunLogError as error:
                code = 0 if "is closed; open it again with resume=True" in str(error) else 2
            log.close()
            os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with pytest.raises(RunLogError, match=IN_USE):
            RunLog(path, make_tasks("a"), repeats=1, resume=True)
        log.append(make_run("a"))
    assert len(list(read_log(path))) == 1


def test_no_file_is_left_beside_the_log(path, make_tasks):
    with RunLog(path, make_tasks("a"), repeats=1):
        assert list(path.parent.iterdir()) == [path]
    assert list(path.parent.iterdir()) == [path]


def test_a_closed_log_takes_no_run(path, make_tasks, make_run):
    log = RunLog(path, make_tasks("a"), repeats=1)
    log.close()
    log.close()
    with pytest.raises(RunLogError, match="is closed; open it again with resume=True"):
        log.append(make_run("a"))


def test_a_log_that_is_never_closed_is_freed_with_a_warning(path, make_tasks):
    log = RunLog(path, make_tasks("a"), repeats=1)
    with pytest.warns(ResourceWarning, match="unclosed file"):
        del log
    RunLog(path, make_tasks("a"), repeats=1, resume=True).close()


def test_a_file_system_without_locks_is_used_with_a_warning(
    path, make_tasks, make_run, monkeypatch
):
    fcntl = pytest.importorskip("fcntl")

    def flock(file, operation):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.warns(
        RuntimeWarning, match=r"cannot lock files \(Function not implemented\); take care"
    ) as caught:
        log = RunLog(path, make_tasks("a"), repeats=1)
    assert caught[0].filename == __file__
    with log:
        log.append(make_run("a"))
    assert len(list(read_log(path))) == 1


class Windows:
    """What ``msvcrt.locking`` does: a file's bytes at its position are locked or not."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self):
        self.locked = {}

    def locking(self, number, mode, count):
        place = (os.fstat(number).st_ino, os.lseek(number, 0, os.SEEK_CUR), count)
        if mode == self.LK_UNLCK:
            assert self.locked.pop(place) == number
        elif place in self.locked:
            raise PermissionError(errno.EACCES, "Permission denied")
        else:
            self.locked[place] = number


def test_the_lock_on_windows(path, make_tasks, make_run, monkeypatch):
    windows = Windows()
    module = types.ModuleType("msvcrt")
    module.locking, module.LK_NBLCK, module.LK_UNLCK = windows.locking, 2, 0
    monkeypatch.setitem(sys.modules, "msvcrt", module)
    monkeypatch.setattr(sys, "platform", "win32")
    with RunLog(path, make_tasks("a"), repeats=2) as log:
        ((_, position, count),) = windows.locked
        assert (position, count) == (2**31 - 2, 1)
        log.append(make_run("a"))
        with pytest.raises(RunLogError, match=IN_USE):
            RunLog(path, make_tasks("a"), repeats=2, resume=True)
    assert windows.locked == {}
    with RunLog(path, make_tasks("a"), repeats=2, resume=True) as log:
        log.append(make_run("a", 1))
    assert [run["repeat"] for run in read_log(path)] == [0, 1]


def test_a_folder_is_refused(tmp_path, make_tasks):
    with pytest.raises(RunLogError, match="is a folder; name a file") as caught:
        RunLog(tmp_path, make_tasks("a"), repeats=1)
    assert caught.value.path == str(tmp_path)
    with pytest.raises(RunLogError, match=r"cannot be read \(Is a directory\)"):
        read_log(tmp_path)


def test_a_folder_that_does_not_exist_is_named(tmp_path, make_tasks):
    with pytest.raises(RunLogError, match=r"nowhere.*: its folder does not exist; make it first"):
        RunLog(tmp_path / "nowhere" / "log", make_tasks("a"), repeats=1)
    with pytest.raises(RunLogError, match=r"cannot be read \(No such file or directory\)"):
        read_log(tmp_path / "log")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused(path, make_tasks):
    os.mkfifo(path)
    with pytest.raises(RunLogError, match="is no ordinary file; name one"):
        RunLog(path, make_tasks("a"), repeats=1)


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="this system has no /dev/null")
def test_a_device_is_refused(make_tasks):
    with pytest.raises(RunLogError, match="is no ordinary file; name one"):
        RunLog("/dev/null", make_tasks("a"), repeats=1)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may write everywhere"
)
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_may_not_be_written_is_refused(tmp_path, make_tasks, what):
    log = tmp_path / "log"
    if what == "file":
        log.touch(mode=0o400)
    else:
        tmp_path.chmod(0o500)
    with pytest.raises(RunLogError, match=r"cannot be opened for writing \(Permission denied\)"):
        RunLog(log, make_tasks("a"), repeats=1)


def test_a_read_only_file_system_is_refused(path, make_tasks, monkeypatch):
    def refuse(*args):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("agenteval.runlog.file.FileIO", refuse)
    with pytest.raises(
        RunLogError, match=r"opened for writing \(Read-only file system\)"
    ) as caught:
        RunLog(path, make_tasks("a"), repeats=1)
    assert isinstance(caught.value.__cause__, OSError)
    assert pickle.loads(pickle.dumps(caught.value)).path == str(path)


@pytest.mark.parametrize(
    ("options", "kind", "match"),
    [
        pytest.param(
            {"repeats": 0}, ValueError, "repeats must be 1 or more, got 0", id="repeats 0"
        ),
        pytest.param({"repeats": True}, TypeError, "repeats must be an int, got bool", id="bool"),
        pytest.param({"repeats": "3"}, TypeError, "repeats must be an int, got str '3'", id="text"),
        pytest.param(
            {"repeats": 1, "label": 2},
            TypeError,
            "label must be a str or None, got int 2",
            id="label",
        ),
    ],
)
def test_bad_options_are_refused_before_a_file_is_made(path, make_tasks, options, kind, match):
    with pytest.raises(kind, match=f"RunLog: {match}"):
        RunLog(path, make_tasks("a"), **options)
    assert not path.exists()


@pytest.mark.parametrize(
    ("ids", "kind", "match"),
    [
        pytest.param(["a", "a"], ValueError, "task id 'a' is there twice; ids must be", id="twice"),
        pytest.param([1.5], TypeError, "id must be a str or an int, got float 1.5", id="float"),
        pytest.param([True], TypeError, "id must be a str or an int, got bool True", id="bool"),
    ],
)
def test_bad_ids_are_refused_before_a_file_is_made(path, make_tasks, ids, kind, match):
    with pytest.raises(kind, match=f"RunLog: .*{match}"):
        RunLog(path, make_tasks(*ids), repeats=1)
    assert not path.exists()


def test_a_full_disk_leaves_the_log_whole(path, make_tasks, make_run):
    """The limit on a file's size makes the system write a part of the line, as a full disk does."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with RunLog(path, make_tasks("a"), repeats=3) as log:
        log.append(make_run("a", 0))
        before = path.read_bytes()
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, hard))
        try:
            with pytest.raises(
                RunLogError, match=r"cannot be written \(File too large\); the runs before are safe"
            ) as caught:
                log.append(make_run("a", 1))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert caught.value.__cause__.errno == errno.EFBIG
        assert path.read_bytes() == before
        assert not log.has("a", 1)
        log.append(make_run("a", 2))  # there is room again
        log.append(make_run("a", 1))
    assert [run["repeat"] for run in read_log(path)] == [0, 2, 1]


class Torn(FileIO):
    """A file that writes half of what it is given and then fails as it is told to."""

    failure: BaseException | None = None
    stuck = False

    def write(self, data):
        if self.failure is None:
            return super().write(data)
        super().write(data[: len(data) // 2])
        raise self.failure

    def truncate(self, size=None):
        if self.stuck:
            raise OSError(errno.EIO, "Input/output error")
        return super().truncate(size)


@pytest.fixture
def torn(monkeypatch):
    monkeypatch.setattr("agenteval.runlog.file.FileIO", Torn)
    monkeypatch.setattr(Torn, "failure", None)
    monkeypatch.setattr(Torn, "stuck", False)
    return Torn


def test_an_interrupt_inside_a_write_leaves_the_log_whole(path, make_tasks, make_run, torn):
    with RunLog(path, make_tasks("a"), repeats=2) as log:
        log.append(make_run("a", 0))
        before = path.read_bytes()
        torn.failure = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt):
            log.append(make_run("a", 1))
        assert path.read_bytes() == before
        torn.failure = None
        log.append(make_run("a", 1))
    assert [run["repeat"] for run in read_log(path)] == [0, 1]


def test_an_interrupt_at_any_moment_of_an_append(path, make_tasks, make_run):
    """Whatever the interrupt left, `has` says truly whether the run is there to be done again."""
    tasks, run = make_tasks("a"), make_run("a", metadata={1: 2})
    outcomes = set()
    for moment in range(2000):
        path.unlink(missing_ok=True)
        with RunLog(path, tasks, repeats=1) as log:
            interrupted = interrupt_at(moment, lambda log=log: log.append(run))
            stored = list(read_log(path))
            assert log.has("a", 0) == bool(stored)
            outcomes.add((interrupted, bool(stored)))
            if not stored:
                log.append(run)
            assert list(log.stored()) == [run]
        RunLog(path, tasks, repeats=1, resume=True).close()
        if not interrupted:
            break
    assert outcomes == {(True, False), (True, True), (False, True)}


def interrupt_at(moment, work):
    """Raise KeyboardInterrupt before the log's bytecode number `moment`; tell whether it came."""
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        if Path(frame.f_code.co_filename).name not in {"log.py", "file.py"}:
            return None  # what only looks, and writes nothing
        frame.f_trace_opcodes = True
        if event == "opcode":
            seen += 1
            if seen > moment:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_a_torn_line_that_cannot_be_cut_closes_the_log(path, make_tasks, make_run, torn):
    with RunLog(path, make_tasks("a"), repeats=2) as log:
        log.append(make_run("a", 0))
        torn.failure, torn.stuck = OSError(errno.EIO, "Input/output error"), True
        with pytest.raises(RunLogError, match=r"cannot be written \(Input/output error\)"):
            log.append(make_run("a", 1))
        torn.failure, torn.stuck = None, False
        with pytest.raises(RunLogError, match="is closed"):
            log.append(make_run("a", 1))
    with RunLog(path, make_tasks("a"), repeats=2, resume=True) as log:
        log.append(make_run("a", 1))
    assert [run["repeat"] for run in read_log(path)] == [0, 1]


@pytest.fixture
def small(monkeypatch):
    """Have the system write 7 bytes at a time."""

    class Small(FileIO):
        def write(self, data):
            return super().write(data[:7])

    monkeypatch.setattr("agenteval.runlog.file.FileIO", Small)


@pytest.mark.usefixtures("small")
def test_a_system_that_writes_little_at_a_time_gets_it_all_written(path, make_tasks, make_run):
    run = make_run("a", metadata="x" * 1000)
    with RunLog(path, make_tasks("a"), repeats=1) as log:
        log.append(run)
    assert list(read_log(path)) == [run]


@pytest.mark.usefixtures("small")
def test_threads_share_a_log(path, make_tasks, make_run):
    tasks = make_tasks(*range(8))
    start = threading.Barrier(8)

    def append(log, task):
        start.wait()
        for repeat in range(20):
            log.append(make_run(task, repeat))

    with RunLog(path, tasks, repeats=20) as log:
        threads = [threading.Thread(target=append, args=(log, task)) for task in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with RunLog(path, tasks, repeats=20, resume=True) as log:
        assert all(log.has(task, repeat) for task in range(8) for repeat in range(20))
    assert len(list(read_log(path))) == 160
