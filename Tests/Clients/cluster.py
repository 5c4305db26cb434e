#!/usr/bin/env python3
"""Three daemons on a Redis Cluster: one load for all that ask at once, and a purge that reaches all (`make cluster-demo`)."""

import os
import subprocess
import sys

SOAK = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Soak", "cluster.py")
# Other programs run beside this one: all may take longer than it would for people.
WORDS = ["--clients", "100", "--timeout", "2s", "--latest", "3000", "cold", "purge"]
sys.exit(subprocess.run([sys.executable, SOAK, *WORDS]).returncode)
