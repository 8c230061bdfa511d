"""What the operating system offers for watching and ending processes, with a portable fallback for each Linux-only
call.

exits        pidfd (Linux): a descriptor that becomes readable; elsewhere None, and the caller asks each tick
orphans      child subreaper (Linux): daemons of a bot become children of ours; elsewhere they are not found
CPU time     the process's own clock (Linux), exact; elsewhere psutil's, in ticks of the system
turns        SCHED_BATCH (Linux): a process that interrupts nobody; elsewhere nothing changes
everything   process groups and signals, on any POSIX system
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

__all__ = [
    "become_subreaper",
    "collect",
    "cpu_seconds",
    "describe_status",
    "kill_descendants",
    "kill_group",
    "open_exit_watch",
    "raise_file_limit",
    "wait_for_turns",
]

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_SWEEPS_MAX = 20


def cpu_seconds(pid: int) -> float:
    """The CPU time that all threads of a process have taken so far; raises `psutil.Error` when there is none."""
    if psutil.LINUX:
        with contextlib.suppress(OSError):  # gone, as psutil will say
            return time.clock_gettime(~pid << 3 | 2)  # what clock_getcpuclockid(3) does
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def open_exit_watch(pid: int) -> int | None:
    """A file descriptor that becomes readable when the process ends; None where the platform has none.

    Valid for a child that has not been waited for.
    """
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):  # kernels before 5.3, and sandboxes that forbid it
            return os.pidfd_open(pid)
    return None


def become_subreaper() -> None:
    """Make orphaned descendants children of this process, so that `kill_descendants` finds them. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_group(pid: int) -> None:
    """SIGKILL a process group. The leader must not have been waited for yet: until then the number is surely its
    own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def collect(popen: subprocess.Popen[bytes]) -> bool:
    """Collect a group leader that has ended, and kill what is left of its group; False while it still runs."""
    if not hasattr(os, "waitid"):  # some BSDs: its number may be another's by the time its group is killed, if barely
        if popen.poll() is None:
            return False
        kill_group(popen.pid)
        return True
    if os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        return False
    kill_group(popen.pid)
    popen.wait()
    return True


def kill_descendants(chosen: Callable[[psutil.Process], bool] = lambda _: True) -> int:
    """SIGKILL every descendant of this process that is `chosen`, and theirs, until none is left; return how many.

    Repeated, since what is killed may have started something meanwhile; bounded, since a machine may refuse.
    """
    killed: set[int] = set()
    for _ in range(_SWEEPS_MAX):
        found = [
            process for process in psutil.Process().children(recursive=True) if _is_alive(process) and chosen(process)
        ]
        if not found:
            break
        for process in found:
            killed.add(process.pid)
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(found, timeout=0.5)
    return len(killed)


def _is_alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def wait_for_turns(pid: int, *, patiently: bool = True) -> None:
    """Whether the threads of a process, when they wake up, wait until whoever is running has had its turn. It takes
    fewer switches and keeps more in the processor's caches, for an answer that may come a moment later. What the
    process starts from now on does the same. Linux only."""
    if not hasattr(os, "SCHED_BATCH"):
        return
    policy = os.SCHED_BATCH if patiently else os.SCHED_OTHER
    with contextlib.suppress(OSError):  # it has just ended, or a sandbox forbids it
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setscheduler(int(thread.name), policy, os.sched_param(0))


def raise_file_limit() -> None:
    """Let this process open as many files as the system allows it to: a referee needs some three for each bot."""
    try:
        import resource
    except ImportError:  # not POSIX
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def describe_status(returncode: int) -> str:
    """How a process ended, in words, from `Popen.returncode`."""
    if returncode >= 0:
        return f"it exited with status {returncode}"
    try:
        return f"it was killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"it was killed by signal {-returncode}"
