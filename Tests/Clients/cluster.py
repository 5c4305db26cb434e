#!/usr/bin/env python3
"""Three daemons on a Redis Cluster: one load for all that ask at once, and a purge that reaches all (`make cluster-demo`)."""

import os
import subprocess
import sys

SOAK = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Soak", "cluster.py")
# Other programs run beside this one: a look-up may take longer than it would for people.
sys.exit(subprocess.run([sys.executable, SOAK, "--clients", "100", "--timeout", "2s", "cold", "purge"]).returncode)
