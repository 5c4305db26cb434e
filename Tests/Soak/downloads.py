#!/usr/bin/env python3
"""The download tools of Tests/Clients/downloads.py with a file of 20 MiB, and ffmpeg and yt-dlp where they are installed.

ffmpeg seeks in a video: it asks for open ranges, and leaves each as soon as it has what it wants.
"""

import hashlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.checks import check, finish  # noqa: E402
from harness.client import Client  # noqa: E402
from harness.daemon import ROOT, Daemon  # noqa: E402
from harness.disk import MIB, Directory  # noqa: E402
from harness.programs import has, proxied, run  # noqa: E402
from harness.ranged import RangeOrigin, Representation, ratio  # noqa: E402

CLIENTS = ROOT + "/Tests/Clients"
SECONDS = 120
# In an order that is not that of the file.
SEEKS = (100, 5, 60, 30, 110, 1)
VIDEO = ["-f", "lavfi", "-i", f"testsrc2=size=640x360:rate=25:duration={SECONDS}", "-c:v", "mjpeg", "-q:v", "9"]


def frame(source, second, environment=None):
    """The digest of the picture at this second."""
    words = ["ffmpeg", "-v", "error", "-ss", str(second), "-i", source, "-frames:v", "1", "-f", "rawvideo", "-"]
    done = subprocess.run(words, env=environment, capture_output=True, timeout=120)
    return hashlib.sha256(done.stdout).hexdigest() if done.stdout else done.stderr.decode()[-300:]


def seeking(directory, file, name, *options):
    """Pictures of the video by way of the proxy beside those of the file, twice."""
    path = f"{directory}/{file}"
    done = run(["ffmpeg", "-v", "error", *VIDEO, *options, path], timeout=300)
    check(done.returncode == 0, f"{name}: a video is made {done.stderr[-300:]}")
    with open(path, "rb") as source:
        video = Representation(source.read())
    server = RangeOrigin(lambda _: video)
    daemon = Daemon(f"{directory}/store-{file}")
    pictures = [frame(path, second) for second in SEEKS]
    for turn, allowed in ("first", 1.1), ("again", 0):
        server.forget()
        got = [frame(server.url("/" + file), second, proxied(daemon)) for second in SEEKS]
        check(got == pictures, f"ffmpeg, {name}, {turn}: {len(SEEKS)} pictures {[one for one in got if one not in pictures]}")
        print(f"        {len(server.requests)} requests, {ratio(server.sent, len(video))}")
        whole = Client(daemon.port).get(server.url("/" + file))
        check(whole.content == video.content, f"ffmpeg, {name}, {turn}: then the whole comes")
        check(server.sent <= allowed * len(video), f"ffmpeg, {name}, {turn}, pictures and whole: {ratio(server.sent, len(video))}; at most {allowed} ×")
    daemon.stop()


def yt_dlp(directory):
    """A direct URL in pieces of 1 MiB, twice."""
    content = os.urandom(20 * MIB)
    server = RangeOrigin(lambda _: Representation(content))
    daemon = Daemon(directory + "/store-yt-dlp")
    for turn, allowed in ("first", 1.05), ("again", 0):
        server.forget()
        path = f"{directory}/yt-dlp-{turn}.mp4"
        words = ["yt-dlp", "-q", "--no-warnings", "--no-cache-dir", "--http-chunk-size", "1M", "--proxy", f"http://127.0.0.1:{daemon.port}"]
        done = run([*words, "-o", path, server.url("/file.mp4")])
        good = False
        if os.path.exists(path):
            with open(path, "rb") as file:
                good = file.read() == content
        check(good, f"yt-dlp, {turn}: the file is {'whole' if good else 'not what the origin has: ' + done.stderr[-300:]}")
        check(server.sent <= allowed * len(content), f"yt-dlp, {turn}: {len(server.requests)} requests, {ratio(server.sent, len(content))}; at most {allowed} ×")
    daemon.stop()


done = subprocess.run([sys.executable, CLIENTS + "/downloads.py", "20"])
check(done.returncode == 0, "the download tools")
with Directory() as directory:
    if has("ffmpeg"):
        seeking(directory, "first.mp4", "an index at the begin", "-movflags", "+faststart")
        seeking(directory, "last.mp4", "an index at the end")
    if has("yt-dlp"):
        yt_dlp(directory)
finish()
