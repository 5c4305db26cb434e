#!/usr/bin/env python3
"""Runs the soak programs one after another (the usual ones, or those named, `at_rest`, `memory`, `million`, `questions`, `tags` and `watched` too) and fails if one does."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ["collapse", "kill", "kill:crash", "cap", "large", "connections", "names", "transform", "tunnels", "tls", "library", "ranges", "cuts", "downloads", "cluster"]

failed = []
for name in sys.argv[1:] or PROGRAMS:
    print(f"== {name}", flush=True)
    program, *words = name.split(":")
    if subprocess.run([sys.executable, os.path.join(HERE, program + ".py"), *words]).returncode:
        failed.append(name)
print("failed: " + ", ".join(failed) if failed else "all soak programs passed")
sys.exit(1 if failed else 0)
