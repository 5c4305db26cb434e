"""Free ports of loopback, and waiting until somebody listens."""

import random
import socket
import time

_given = set()


def free_port():
    """A port on which nobody listens; never the same twice in one program.

    Below the ports that the system gives to clients: one of those could connect to itself.
    """
    while True:
        port = random.SystemRandom().randrange(20000, 32000)
        if port in _given:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        _given.add(port)
        return port


def connected(port, process, seconds=60, pause=0.05):
    """A connection to a port of loopback, once somebody listens there.

    ChildProcessError if `process`, which is to listen, has ended; TimeoutError when the time is over.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            pass
        if process.poll() is not None:
            raise ChildProcessError(f"what was to listen on port {port} ended with {process.returncode}")
        if time.monotonic() > end:
            raise TimeoutError(f"nobody listens on port {port} within {seconds} s")
        time.sleep(pause)
