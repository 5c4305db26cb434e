"""Running other programs, and whether they are installed."""

import os
import shutil
import subprocess
import sys


def run(words, **options):
    options.setdefault("timeout", 120)
    return subprocess.run(words, capture_output=True, text=True, **options)


# The system's Python has the system's libraries.
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable


def has(*programs, modules=()):
    """Whether a client is installed; says so if it is not."""
    missing = [program for program in programs if not shutil.which(program)]
    for module in modules:
        if run([PYTHON, "-c", f"import {module}"]).returncode:
            missing.append("python3-" + module)
    if missing:
        print("skipped: not installed: " + ", ".join(missing), flush=True)
    return not missing


def proxied(daemon):
    """The environment of a client that uses the proxy, for hosts of loopback too."""
    kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return dict(kept, http_proxy=f"http://127.0.0.1:{daemon.port}", no_proxy="")
