"""The rules of axe-core for people who use a screen reader or a keyboard, run in a page that Chromium shows.

The script is taken from the package axe-playwright-python, which pip downloads once into .build.
"""

import glob
import os
import subprocess
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIRECTORY = os.path.join(ROOT, ".build", "axe")
PACKAGE = "axe-playwright-python"

RUN = """axe.run(document, { resultTypes: ["violations"] }).then((found) => found.violations.flatMap((one) =>
  one.nodes.map((node) => `${one.id}: ${node.target.join(" ")}: ${node.failureSummary.split("\\n").slice(1).join("; ")}`)))"""


def script():
    """The text of axe-core; None if it cannot be had."""
    if not glob.glob(DIRECTORY + "/*.whl"):
        words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "1", "--timeout", "20", "--dest", DIRECTORY, PACKAGE]
        try:
            subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        except subprocess.TimeoutExpired:
            return None
    for wheel in glob.glob(DIRECTORY + "/*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            return archive.read("axe_playwright_python/axe.min.js").decode()
    return None


def violations(tab, text):
    """What axe-core finds in the page of a tab, a line for each element."""
    if not tab.run("typeof axe === 'object'"):
        tab.call("Runtime.evaluate", expression=text)
    return tab.run(RUN)
