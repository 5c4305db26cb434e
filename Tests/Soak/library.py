#!/usr/bin/env python3
"""The library: what a flush acknowledged survives SIGKILL, and random operations of many tasks neither hang nor crash.

Rounds of load, flush and kill: 500, or as many as ROUNDS says. Then 16 tasks for 60 seconds, or SECONDS.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile

ROUNDS = int(os.environ.get("ROUNDS", "500"))
SECONDS = os.environ.get("SECONDS", "60")
SEED = int(os.environ.get("SEED", "1"))


def built():
    """The tool, built as releases are."""
    subprocess.run(["swift", "build", "-c", "release", "--product", "LibraryTorture"], check=True, stdout=subprocess.DEVNULL)
    shown = ["swift", "build", "-c", "release", "--show-bin-path"]
    return os.path.join(subprocess.run(shown, check=True, capture_output=True, text=True).stdout.strip(), "LibraryTorture")


def killed(tool, directory, first, count):
    """The names that were acknowledged before the program was killed, in the middle of what it does."""
    names = []
    with subprocess.Popen([tool, "flush", directory, str(first)], stdout=subprocess.PIPE) as program:
        while len(names) < count:
            names.append(program.stdout.readline())
        program.send_signal(signal.SIGKILL)
        names += program.stdout.readlines()
    return [name for name in names if name.endswith(b"\n")]


def lost(tool, directory, names):
    checked = subprocess.run([tool, "check", directory], input=b"".join(names), capture_output=True, timeout=60)
    lines = checked.stdout.decode().splitlines()
    if lines[-1:] != ["checked"]:
        sys.exit(f"the check failed: {checked.stderr.decode()}")
    return lines[:-1]


def main():
    tool, chance = built(), random.Random(SEED)
    acknowledged = 0
    with tempfile.TemporaryDirectory() as directory:
        for number in range(ROUNDS):
            names = killed(tool, directory, number * 1000, chance.randrange(1, 60))
            acknowledged += len(names)
            missing = lost(tool, directory, names)
            if missing:
                sys.exit(f"round {number}: {missing} of {len(names)} acknowledged")
        print(f"{ROUNDS} rounds of load, flush and kill: all {acknowledged} acknowledged entries are there")
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([tool, "stress", directory, SECONDS, "16"], check=True, timeout=int(SECONDS) + 120)


main()
