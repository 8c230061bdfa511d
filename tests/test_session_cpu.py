"""The CPU time of a session: of its leader, of what runs beside it, and of what has ended."""

import os
import signal
import subprocess
import sys
import textwrap

from arena.processes import Session, collect, usable_cores
from tests.e2e.place import wait_until

BURN = "import time\nwhile time.process_time() < {}: pass\n"


def spent(started: list[subprocess.Popen[bytes]], command: list[str]) -> float:
    """CPU seconds of a command that says a line when it has spent what it will."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    started.append(process)
    session = Session(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"done\n"
    seconds = session.cpu_seconds()
    session.close()
    assert seconds is not None
    return seconds


def python(script: str) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(script)]


def test_a_process_by_itself(started):
    assert 0.3 <= spent(started, python(BURN.format(0.3) + "print('done', flush=True)\ntime.sleep(600)")) < 0.6


def test_what_a_shell_runs_without_leaving(started):
    """`sh` neither computes nor says a word; the bot is its child."""
    script = BURN.format(0.3) + "print('done', flush=True)\ntime.sleep(600)"
    assert spent(started, ["sh", "-c", f'"{sys.executable}" -c "{script}"; true']) >= 0.3


def test_children_that_have_ended(started):
    script = f"""
        import subprocess, sys, time
        for _ in range(3):
            subprocess.run([sys.executable, "-c", {BURN.format(0.15)!r}])
        print("done", flush=True)
        time.sleep(600)
    """
    assert spent(started, python(script)) >= 0.43  # of children that have ended, ticks of 10 ms are counted


def test_threads(started):
    script = """
        import threading, time
        def burn():
            while time.thread_time() < 0.15: pass
        threads = [threading.Thread(target=burn) for _ in range(3)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print("done", flush=True)
        time.sleep(600)
    """
    assert spent(started, python(script)) >= 0.45


def test_it_never_falls(started):
    """A child whose parent is gone takes its time along when it ends."""
    script = f"""
        import os, signal, subprocess, sys, time
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", {BURN.format(0.3) + "print('done', flush=True); input()"!r}],
                                 stdin=subprocess.PIPE)
        time.sleep(600)
    """
    process = subprocess.Popen(python(script), stdout=subprocess.PIPE, start_new_session=True)
    started.append(process)
    session = Session(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"done\n"
    before = session.cpu_seconds()
    assert before is not None
    assert before >= 0.3
    child = next(pid for pid in session.members() if pid != process.pid)
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: child not in session.members(), "the child is gone")
    after = session.cpu_seconds()
    assert after is not None
    assert after >= before
    os.killpg(process.pid, signal.SIGKILL)
    wait_until(lambda: collect(process), "the leader is collected")
    assert session.cpu_seconds() is None
    session.close()


def test_there_is_a_core():
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)
