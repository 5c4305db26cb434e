"""Processor time and memory of a process, by /proc; descriptors of this one."""

import os
import re
import resource


def raise_descriptor_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def processor_seconds(*pids):
    """Seconds of processor, of user and of system, that these processes have used so far."""
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid):
    return _status(pid, "VmRSS")


def own_bytes(pid):
    """Resident bytes that are no pages of files: those of code come and go."""
    return _status(pid, "RssAnon")


def _status(pid, name):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(name + r":\s+(\d+)", file.read()).group(1)) * 1024
