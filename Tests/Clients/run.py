#!/usr/bin/env python3
"""Runs real clients through the daemon, some programs side by side (all, or those named), and fails if one does.

`parts` is run by name only: its origins keep clients waiting for minutes (`make clients ARGS=parts`).
`registries`, `running` and `language_models` are, too: their clients are large (`make registries` and `make
language-models` install them).
"""

import concurrent.futures
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# The longest first, so that two run at once to the end.
PROGRAMS = ["dashboard", "document", "interception", "cassettes", "trust", "archives", "mirrors", "recipes", "event_streams", "browser", "commands", "socks5", "pac", "cluster", "cookies", "packages", "libraries", "metrics", "streams", "versions", "tls", "downloads"]


def one(name):
    start = time.monotonic()
    done = subprocess.run([sys.executable, os.path.join(HERE, name + ".py")], capture_output=True, text=True)
    print(f"== {name}, {time.monotonic() - start:.0f} s\n{done.stdout}{done.stderr}", end="", flush=True)
    return done.returncode == 0


names = sys.argv[1:] or PROGRAMS
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    failed = [name for name, passed in zip(names, pool.map(one, names)) if not passed]
print("failed: " + ", ".join(failed) if failed else "all clients passed")
sys.exit(1 if failed else 0)
