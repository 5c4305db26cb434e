"""Sizes, a scratch directory, and what a directory takes."""

import multiprocessing
import os
import shutil
import tempfile

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30


class Directory:
    """A scratch directory; SOAK_DIRECTORY says where."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="respite-soak-", dir=os.environ.get("SOAK_DIRECTORY"))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def disk_usage(directory):
    """What du says: blocks of every file below the directory; a file with several names counts once."""
    total = 0
    counted = set()
    pending = [directory]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                        continue
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    if status.st_nlink == 1 or status.st_ino not in counted:
                        total += status.st_blocks * 512
                    counted.add(status.st_ino)
        except FileNotFoundError:
            continue
    return total


class PeakUsage:
    """The most that a directory ever takes, measured in a process of its own, every `pause` seconds.

    Make it before the program has threads: the process is forked.
    """

    def __init__(self, directory, pause=0.002):
        context = multiprocessing.get_context("fork")
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=self._run, args=(directory, pause, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def _run(self, directory, pause, pipe):
        # Then the end of the program is the end of the pipe.
        self.ours.close()
        most = samples = 0
        while not pipe.poll(pause):
            most = max(most, disk_usage(directory))
            samples += 1
        try:
            pipe.send((most, samples))
        except OSError:
            pass

    def end(self):
        """The most bytes, and of how many samples."""
        self.ours.send("end")
        return self.ours.recv()
