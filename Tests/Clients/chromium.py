"""Drives headless Chromium by the DevTools protocol over a pipe, with nothing but Python's own library."""

import base64
import json
import os
import select
import subprocess
import time

from browser_profile import CHROMIUM

SWITCHES = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-features=LocalNetworkAccessChecks", "--remote-debugging-pipe",
]  # fmt: skip


class Browser:
    def __init__(self, directory, *words):
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def connect():
            # The browser reads descriptor 3 and writes 4; neither end may be one of these before it is moved.
            first, second = os.dup(to_browser), os.dup(from_browser)
            read, write = os.dup2(first, 103), os.dup2(second, 104)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, *SWITCHES, f"--user-data-dir={directory}/chromium", *words, "about:blank"],
            close_fds=False, preexec_fn=connect, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=directory),
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.pending = b""
        self.number = 0
        self.events = []

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message(time.monotonic() + 60)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _message(self, deadline):
        while b"\0" not in self.pending:
            if not select.select([self.input], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise EOFError("Chromium ended")
            self.pending += piece
        message, _, self.pending = self.pending.partition(b"\0")
        return json.loads(message)

    def context(self):
        """A context with cookies and storage of its own."""
        return self.call("Target.createBrowserContext")["browserContextId"]

    def tab(self, context=None):
        return Tab(self, context)

    def close(self):
        try:
            self.call("Browser.close")
        except (EOFError, OSError, TimeoutError):
            pass
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Tab:
    def __init__(self, browser, context):
        self.browser = browser
        words = {"browserContextId": context} if context else {}
        target = browser.call("Target.createTarget", url="about:blank", **words)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def open(self, url):
        self.call("Page.navigate", url=url)

    def run(self, script):
        """The value of an expression in the page; promises are awaited."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"].get("exception", {}).get("description", "the script failed"))
        return done["result"].get("value")

    def wait(self, script, seconds=20):
        """Waits until an expression is true; returns its last value, `True` for a node."""
        deadline = time.monotonic() + seconds
        value = None
        # A node would come as an empty dictionary.
        script = f"((value) => value instanceof Node || value)({script})"
        while time.monotonic() < deadline:
            try:
                value = self.run(script)
            except RuntimeError:
                # The page has just changed.
                value = None
            if value:
                return value
            time.sleep(0.05)
        return value

    def text(self):
        return self.run("document.body?.innerText ?? ''")

    def complaints(self):
        """What the browser has complained about: errors of scripts, and what the page's policy forbade."""
        self.run("1")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"]["text"])
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
        return found

    def requests(self):
        """Target and fields of every request of this tab, as the browser sends them: `(url, fields)`."""
        self.run("1")
        own = [one["params"] for one in self.browser.events if one.get("sessionId") == self.session and one["method"] == "Network.requestWillBeSent"]
        return [(one["request"]["url"], str(one["request"]["headers"])) for one in own]

    def answers(self, start):
        """The statuses that came for URLs which begin with `start`, also for what the page itself does not learn."""
        self.run("1")
        urls, statuses = {}, {}
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            words = event["params"]
            if event["method"] == "Network.requestWillBeSent":
                urls[words["requestId"]] = words["request"]["url"]
            if event["method"] == "Network.responseReceivedExtraInfo":
                statuses[words["requestId"]] = words["statusCode"]
            if event["method"] == "Network.responseReceived":
                statuses[words["requestId"]] = words["response"]["status"]
        return {(url, statuses[one]) for one, url in urls.items() if url.startswith(start) and one in statuses}

    def hold(self, pattern):
        """Holds back the requests that fit, until `release`."""
        self.call("Fetch.enable", patterns=[{"urlPattern": pattern}])

    def held(self, count, seconds=20):
        """Waits until `count` requests are held back; returns how many there have been."""
        deadline = time.monotonic() + seconds
        self.run("1")
        while len(self._paused()) < count and time.monotonic() < deadline:
            time.sleep(0.02)
            self.run("1")
        return len(self._paused())

    def release(self):
        for one in self._paused():
            self.call("Fetch.continueRequest", requestId=one)
        self.call("Fetch.disable")

    def _paused(self):
        paused = [one["params"] for one in self.browser.events if one.get("sessionId") == self.session and one["method"] == "Fetch.requestPaused"]
        return [one["requestId"] for one in paused]

    def resize(self, width, height, scheme="light"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        area = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 4000), "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=area)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
