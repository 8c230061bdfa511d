"""What the operating system offers for watching and ending processes, with a portable fallback for each Linux-only
call.

exits        pidfd (Linux): a descriptor that becomes readable; elsewhere None, and the caller asks each tick
orphans      child subreaper (Linux): daemons of a bot become children of ours; elsewhere they are not found
CPU time     the process's own clock (Linux), exact; elsewhere, and for what has ended, psutil's, in ticks of the system
cores        the processor affinity (Linux); elsewhere all that the machine has
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
    "Session",
    "become_subreaper",
    "collect",
    "cpu_seconds",
    "describe_status",
    "kill_descendants",
    "kill_group",
    "open_exit_watch",
    "raise_file_limit",
    "usable_cores",
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


def _cpu_with_children(pid: int) -> float:
    """The same, and that of its children which it has waited for; 0 when it has just ended."""
    with contextlib.suppress(psutil.Error):
        times = psutil.Process(pid).cpu_times()
        return cpu_seconds(pid) + times.children_user + times.children_system
    return 0.0


def usable_cores() -> int:
    """Cores that this process may use, which in a container or under taskset is less than what the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Session:
    """A child that leads a session of its own, and all that it starts: an `arena.contracts.Confined`."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self._popen = popen
        self.pid = popen.pid
        self.exit_watch = open_exit_watch(popen.pid)
        self._cpu_s = 0.0

    def has_ended(self) -> bool:
        """Whether the leader has ended; it is not waited for, so that its number stays its own."""
        return self._popen.returncode is not None or has_ended(self._popen)

    def collect(self) -> bool:
        """Wait for a leader that has ended, and kill its process group; False while it runs."""
        return self._popen.returncode is not None or collect(self._popen)

    def owns(self, pid: int) -> bool:
        """Whether a process is of this session, or of the leader's family while it can be asked."""
        with contextlib.suppress(OSError):
            return os.getsid(pid) == self.pid
        return False

    def members(self) -> list[int]:
        """The living processes of the session, the leader first."""
        return sorted(filter(self._has, psutil.pids()), key=lambda pid: (pid != self.pid, pid))

    def _has(self, pid: int) -> bool:
        return self.owns(pid) and _is_alive_number(pid)

    def kill(self) -> None:
        """SIGKILL the process group."""
        if self._popen.returncode is None:
            kill_group(self.pid)

    def freeze(self) -> None:
        """Stop every member."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let every member go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self.members():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def cpu_seconds(self) -> float | None:
        """CPU time of all members so far, and of those that have ended and been waited for by another member; None
        when there is none. Looks through all processes of the machine: that takes a millisecond or more."""
        members = [pid for pid in psutil.pids() if self.owns(pid)]
        if not members:
            return None
        found = sum(map(_cpu_with_children, members))
        self._cpu_s = max(self._cpu_s, found)  # who ends and is waited for by nobody takes its time along
        return self._cpu_s

    def explain_exit(self) -> str:
        """The leader's status or signal, in words."""
        assert self._popen.returncode is not None, "only after `collect`"
        return describe_status(self._popen.returncode)

    def close(self) -> None:
        """Close the descriptor that watches the leader."""
        if self.exit_watch is not None:
            os.close(self.exit_watch)
            self.exit_watch = None


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


def has_ended(popen: subprocess.Popen[bytes]) -> bool:
    """Whether a child has ended. It is not waited for, where the system lets us look without that."""
    if not hasattr(os, "waitid"):  # some BSDs: its number may be another's by the time its group is killed, if barely
        return popen.poll() is not None
    return os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def collect(popen: subprocess.Popen[bytes]) -> bool:
    """Collect a group leader that has ended, and kill what is left of its group; False while it still runs."""
    if not has_ended(popen):
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


def _is_alive_number(pid: int) -> bool:
    with contextlib.suppress(psutil.Error):
        return _is_alive(psutil.Process(pid))
    return False


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
