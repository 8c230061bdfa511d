"""Watching and ending real processes: exits are seen, groups and strays are killed, statuses are told in words."""

import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from arena.processes import (
    Session,
    collect,
    cpu_seconds,
    describe_status,
    kill_group,
    open_exit_watch,
    wait_for_turns,
)
from tests.e2e.place import ROOT, wait_until

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="pidfd and child subreapers are Linux's")


def shell(started: list[subprocess.Popen[bytes]], script: str) -> subprocess.Popen[bytes]:
    """A shell in a session of its own, which is also its process group."""
    process = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    started.append(process)
    return process


def line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@LINUX
def test_an_exit_is_seen_as_something_to_read(started):
    process = shell(started, "exec sleep 600")
    watch = open_exit_watch(process.pid)
    assert watch is not None
    try:
        assert select.select([watch], [], [], 0)[0] == []
        process.kill()
        assert select.select([watch], [], [], 20)[0] == [watch]
        assert process.returncode is None  # seen, and still there to be collected
    finally:
        os.close(watch)


def test_an_exit_watch_of_nobody_is_none():
    process = subprocess.Popen(["true"])
    process.wait()
    assert open_exit_watch(process.pid) is None


@pytest.mark.parametrize("is_linux", [psutil.LINUX, False])
def test_cpu_time_is_that_of_the_process_alone(started, monkeypatch, is_linux):
    monkeypatch.setattr(psutil, "LINUX", is_linux)
    idle = shell(started, "echo ready; sleep 60")
    assert line(idle) == "ready"
    before = time.process_time()
    found = cpu_seconds(os.getpid())
    assert before - 0.02 <= found <= time.process_time() + 0.02  # elsewhere it comes in ticks
    assert 0 <= cpu_seconds(idle.pid) < before
    kill_group(idle.pid)
    idle.wait()
    with pytest.raises(psutil.NoSuchProcess):
        cpu_seconds(idle.pid)


@LINUX
def test_a_process_waits_for_turns_until_it_need_not(started):
    process = shell(started, "exec sleep 600")
    wait_for_turns(process.pid)
    assert os.sched_getscheduler(process.pid) == os.SCHED_BATCH
    wait_for_turns(process.pid, patiently=False)
    assert os.sched_getscheduler(process.pid) == os.SCHED_OTHER


def test_nobody_is_left_to_wait_for_turns(started):
    process = shell(started, "exit 0")
    process.wait()
    wait_for_turns(process.pid)


def test_a_running_process_is_not_collected(started):
    process = shell(started, "echo up; exec sleep 600")
    line(process)
    assert not collect(process)
    assert process.returncode is None


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -SEGV $$", -signal.SIGSEGV)])
def test_an_ended_process_is_collected_with_its_status(started, script, code):
    process = shell(started, script)
    wait_until(lambda: collect(process), "the process has ended")
    assert process.returncode == code


def test_what_a_process_leaves_in_its_group_ends_with_it(started):
    process = shell(started, "sleep 600 & echo $!; exit 3")
    child = int(line(process))
    wait_until(lambda: collect(process), "the process has ended")
    assert process.returncode == 3
    wait_until(lambda: is_gone(child), "its child is gone")


def test_a_group_is_killed_whole_and_twice_does_no_harm(started):
    process = shell(started, "trap '' TERM INT HUP; sleep 600 & echo $!; wait; wait")
    child = int(line(process))
    kill_group(process.pid)
    assert process.wait(20) == -signal.SIGKILL
    wait_until(lambda: is_gone(child), "its child is gone")
    kill_group(process.pid)


def run(script: str) -> str:
    """What a Python program prints, which must end well."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@LINUX
def test_strays_of_any_depth_are_found_and_killed():
    """A daemon: its parents have ended, and it has a session of its own."""
    output = run("""
        import os, subprocess, time
        from arena.processes import become_subreaper, kill_descendants
        become_subreaper()
        daemon = "setsid sh -c 'sleep 600 & echo $! $$; wait' &"
        first = subprocess.Popen(["sh", "-c", daemon + " exit 0"], stdout=subprocess.PIPE, text=True)
        pids = first.stdout.readline().split()
        first.wait()
        child = subprocess.Popen(["sleep", "600"])
        print(*pids, child.pid)
        print(kill_descendants())
        print(kill_descendants())
    """)
    pids, killed, again = output.splitlines()
    assert (killed, again) == ("3", "0")
    for pid in pids.split():
        assert is_gone(int(pid))


@LINUX
def test_only_chosen_descendants_are_killed():
    output = run("""
        import os, subprocess
        from arena.processes import kill_descendants
        marked = subprocess.Popen(["sleep", "600"], env={**os.environ, "MARK": "1"})
        other = subprocess.Popen(["sleep", "600"])
        print(kill_descendants(lambda process: "MARK" in process.environ()))
        print(other.poll())
        other.kill()
        other.wait()
    """)
    assert output.split() == ["1", "None"]


def test_nobody_to_kill():
    assert run("from arena.processes import kill_descendants; print(kill_descendants())").strip() == "0"


def test_the_file_limit_is_raised_as_far_as_it_goes():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    output = run("""
        import resource
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
        from arena.processes import raise_file_limit
        raise_file_limit()
        soft, now = resource.getrlimit(resource.RLIMIT_NOFILE)
        print(soft == hard, now == hard)
    """)
    assert output.split() == ["True", "True"]
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


@pytest.mark.parametrize(
    ("returncode", "words"),
    [
        (0, "it exited with status 0"),
        (139, "it exited with status 139"),
        (-9, "it was killed by SIGKILL"),
        (-11, "it was killed by SIGSEGV"),
        (-77, "it was killed by signal 77"),
    ],
)
def test_a_status_in_words(returncode, words):
    assert describe_status(returncode) == words


# --- a session -----------------------------------------------------------------------------------------------------


@pytest.fixture
def sessions() -> Iterator[list[Session]]:
    """Sessions of a test; none outlives it."""
    begun: list[Session] = []
    yield begun
    for session in begun:
        session.thaw()
        session.kill()
        wait_until(session.collect, "the session's leader has ended")
        session.close()


@pytest.fixture
def begin(started: list[subprocess.Popen[bytes]], sessions: list[Session]) -> Callable[..., tuple[Session, list[int]]]:
    """Start a shell's script as a session; gives it, and the numbers in the first line that it writes."""

    def begin(script: str, words: int = 0) -> tuple[Session, list[int]]:
        process = shell(started, script)
        sessions.append(Session(process))
        return sessions[-1], [int(word) for word in line(process).split()] if words else []

    return begin


FAMILY = "sleep 600 & echo $!; wait"


def states(session: Session) -> set[str]:
    return {psutil.Process(pid).status() for pid in session.members()}


def test_the_members_of_a_session_are_the_leader_and_what_it_started(begin):
    session, (child,) = begin(FAMILY, words=1)
    assert session.members() == [session.pid, child]
    assert [session.owns(pid) for pid in (session.pid, child, os.getpid(), os.getppid())] == [True, True, False, False]


def test_a_child_in_a_process_group_of_its_own_is_a_member(begin):
    script = (
        "import subprocess as s; p = s.Popen(['sleep', '600'], process_group=0); print(p.pid, flush=True); p.wait()"
    )
    session, (child,) = begin(f'exec {sys.executable} -c "{script}"', words=1)
    assert session.members() == [session.pid, child]
    session.freeze()
    wait_until(lambda: states(session) == {psutil.STATUS_STOPPED}, "both stand still")
    os.kill(child, signal.SIGKILL)


def test_who_has_left_the_session_or_was_never_there_is_no_member(begin):
    session, (stranger,) = begin("setsid sh -c 'echo $$; exec sleep 600' & wait", words=1)
    try:
        assert not session.owns(stranger)
        assert stranger not in session.members()
    finally:
        os.kill(stranger, signal.SIGKILL)
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert not session.owns(gone.pid)


def test_a_frozen_session_stands_still_until_it_is_thawed(started, begin):
    session, (child,) = begin("sleep 600 & echo $!; wait", words=1)
    session.freeze()
    wait_until(lambda: states(session) == {psutil.STATUS_STOPPED}, "all stand still")
    assert session.members() == [session.pid, child], "it is alive"
    assert not session.collect()
    session.freeze()
    session.thaw()
    wait_until(lambda: psutil.STATUS_STOPPED not in states(session), "all go on")
    session.thaw()


def test_a_frozen_session_can_be_killed(begin):
    session, _ = begin(FAMILY, words=1)
    session.freeze()
    session.kill()
    wait_until(session.collect, "it has ended")
    assert session.explain_exit() == "it was killed by SIGKILL"


@pytest.mark.parametrize("attempt", range(10))
def test_a_kill_in_the_first_millisecond_leaves_nothing(begin, attempt):
    """Whatever the leader has started by then."""
    session, _ = begin("sleep 600 & sleep 600 & sleep 600 & wait")
    session.kill()
    wait_until(session.collect, "it has ended")
    wait_until(lambda: session.members() == [], "nothing of it is left")
    assert session.explain_exit() == "it was killed by SIGKILL"


def test_a_session_is_collected_when_its_leader_has_ended_and_its_group_ends_with_it(begin):
    session, (child,) = begin("sleep 600 & echo $!; exit 3", words=1)
    wait_until(session.collect, "the leader has ended")
    assert session.collect(), "asked again"
    wait_until(lambda: is_gone(child), "its child is gone")
    assert session.members() == []
    assert session.explain_exit() == "it exited with status 3"


def test_how_a_session_ended_is_not_told_before_it_is_collected(begin):
    session, _ = begin(FAMILY, words=1)
    assert not session.collect()
    with pytest.raises(AssertionError, match="only after"):
        session.explain_exit()


def test_who_has_been_collected_is_not_killed_again(begin, monkeypatch):
    """Its number may be somebody else's by now."""
    session, _ = begin("exit 0")
    wait_until(session.collect, "it has ended")
    killed: list[int] = []
    monkeypatch.setattr("arena.processes.kill_group", killed.append)
    session.kill()
    assert killed == []


def test_the_cpu_time_of_a_session_grows_until_nobody_knows_it(begin):
    session, _ = begin("while :; do :; done")
    begun_s = session.cpu_seconds()
    assert begun_s is not None
    wait_until(lambda: (session.cpu_seconds() or 0) > begun_s + 0.05, "it computes")
    session.kill()
    wait_until(session.collect, "it has ended")
    assert session.cpu_seconds() is None


@LINUX
def test_the_end_of_a_session_can_be_watched_until_it_is_closed(begin):
    session, _ = begin("exec sleep 600")
    watch = session.exit_watch
    assert watch is not None
    assert select.select([watch], [], [], 0)[0] == []
    session.kill()
    assert select.select([watch], [], [], 20)[0] == [watch]
    wait_until(session.collect, "it has ended")
    session.close()
    assert session.exit_watch is None
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(watch)
    session.close()
