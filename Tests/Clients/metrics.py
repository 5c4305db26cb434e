#!/usr/bin/env python3
"""`promtool check metrics`, of Debian's package prometheus, has no complaint about what the daemon counts.

The program is taken out of the package, which would start a server where it is installed. Without a network it is skipped.
"""

import glob
import os
import shutil
import subprocess

from clients import Client, Daemon, Directory, Origin, check, finish, run


def promtool(directory):
    """The program's path; nothing, and why, if it cannot be had."""
    if found := shutil.which("promtool"):
        return found
    if not shutil.which("apt-get"):
        return print("skipped: no promtool, and no apt-get to fetch it")
    done = run(["apt-get", "download", "prometheus"], cwd=directory, timeout=300)
    packages = glob.glob(directory + "/prometheus_*.deb")
    if not packages:
        return print("skipped: no promtool, and apt-get says: " + done.stderr.strip()[-200:])
    run(["dpkg-deb", "--extract", packages[0], directory + "/package"], timeout=300)
    path = directory + "/package/usr/bin/promtool"
    return path if os.access(path, os.X_OK) else print("skipped: the package has no promtool")


def complaints(program, text):
    done = subprocess.run([program, "check", "metrics"], input=text.encode(), capture_output=True, timeout=60)
    return (done.stdout + done.stderr).decode().strip() or (f"exit code {done.returncode}" if done.returncode else "")


def answer(exchange):
    exchange.reply("200 OK", "Cache-Control: max-age=600", content=b"hello")


with Directory() as scratch:
    if program := promtool(scratch):
        check(complaints(program, "# TYPE a_milliseconds gauge\na_milliseconds 1\n"), "promtool complains where it should")
        origin = Origin(answer)
        daemon = Daemon(scratch + "/store")
        client = Client(daemon.port)
        for _ in range(40):
            client.get(origin.url("/a"))
        client.get("http://127.0.0.1:1/")
        text = run(
            ["curl", "-sS", "-H", f"Authorization: Bearer {daemon.token}", f"http://127.0.0.1:{daemon.admin_port}/metrics"]
        ).stdout
        check(text.count("\n") > 200, f"there are metrics: {text.count(chr(10))} lines")
        said = complaints(program, text)
        check(not said, "promtool check metrics: " + (said or "no complaint"))
        daemon.stop()
finish()
