#!/usr/bin/env python3
"""Runs the fault scenarios, each in a process of its own, a few at a time; fails if one does.

usage: run.py [--list] [--seconds N] [PATTERN …]     PATTERN: a part of a scenario's name or of its file's
"""

import argparse
import concurrent.futures
import importlib
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
FILES = sorted(path.stem for path in HERE.glob("faults_*.py"))

import world  # noqa: E402

for file in FILES:
    importlib.import_module(file)


def one(name, seconds):
    """The outcome of one scenario and how long it took."""
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, __file__, "--one", name], capture_output=True, text=True, timeout=seconds
        )
        outcome = done.stdout.strip().rpartition("\0")[2] or f"failed: {done.stderr[-2000:]}"
    except subprocess.TimeoutExpired:
        outcome = f"failed: not over after {seconds} s"
    return name, outcome, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--one")
    parser.add_argument("--seconds", type=int, default=120, help="for one scenario")
    parser.add_argument("--at-once", type=int, default=min(4, 2 * (os.cpu_count() or 1)))
    words = parser.parse_args()
    if words.one:
        print("\0" + world.run_one(words.one), flush=True)
        os._exit(0)
    names = [
        name
        for name, (_, function) in world.SCENARIOS.items()
        if not words.patterns or any(pattern in f"{function.__module__}.{name}" for pattern in words.patterns)
    ]
    if words.list:
        for name in names:
            print(f"{name}: {world.SCENARIOS[name][0]}")
        return 0
    began = time.monotonic()
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with concurrent.futures.ThreadPoolExecutor(words.at_once) as pool:
        for name, outcome, seconds in pool.map(lambda name: one(name, words.seconds), names):
            kind, _, why = outcome.partition(": ")
            counts[kind] += 1
            print(f"{kind:8}{seconds:5.1f} s  {name}: {world.SCENARIOS[name][0]}", flush=True)
            if why:
                print("          " + why.replace("\n", "\n          "), flush=True)
    print(f"{time.monotonic() - began:.0f} s")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


sys.exit(main())
