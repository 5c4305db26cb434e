"""Headless Chromium with a profile of its own that trusts one authority."""

import os

from clients import run

CHROMIUM = next(
    (name for name in ("chromium", "chromium-browser", "google-chrome") if run(["sh", "-c", f"command -v {name}"]).returncode == 0), None
)


class Profile:
    def __init__(self, directory, authority):
        self.directory = directory
        database = directory + "/.pki/nssdb"
        os.makedirs(database)
        for words in (["-N", "--empty-password"], ["-A", "-n", "authority", "-t", "C,,", "-i", authority]):
            run(["certutil", *words, "-d", "sql:" + database])

    def open(self, url, *words):
        """The DOM of a page once it has loaded."""
        command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        command += [f"--user-data-dir={self.directory}/profile", "--disable-background-networking", "--dump-dom", *words, url]
        return run(command, timeout=90, env=dict(os.environ, HOME=self.directory)).stdout
