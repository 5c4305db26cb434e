"""What the soak programs use of Tests/harness, which is found from here."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402, F401
from harness.client import Client  # noqa: E402, F401
from harness.daemon import ROOT, Daemon, RunningDaemon, binary, environment  # noqa: E402, F401
from harness.disk import GIB, KIB, MIB, Directory, PeakUsage, disk_usage  # noqa: E402, F401
from harness.network import connected, free_port  # noqa: E402, F401
from harness.origin import Origin  # noqa: E402, F401
from harness.processes import processor_seconds, raise_descriptor_limit  # noqa: E402, F401
