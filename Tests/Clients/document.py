#!/usr/bin/env python3
"""Schemathesis makes requests from `/v1/openapi.json`, and compares what a filled daemon answers with the document.

haralyzer reads the recent requests. Both are installed by pip into a directory of their own. Where that fails, for example without a network, it is skipped.
"""

import json
import os
import re

from clients import PYTHON, Client, Daemon, Directory, Origin, check, finish, free_port, has, run

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,missing_required_header,unsupported_method,allow_header_conformance,ignored_auth"
STREAMS = "^/v1/(events|requests/stream|log/stream)$"
# The origin's answer may be an error, and a stopped one is one.
CONFIGURATION = """[[operations]]
include-path = "/v1/refresh"
checks.not_a_server_error.expected-statuses = ["2xx", "4xx", 502]
"""


def schemathesis(directory):
    """How to call the program, with its environment; nothing, and why, if it cannot be had."""
    if not has(modules=["pip"]):
        return None
    into = directory + "/packages"
    words = [PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", into, "schemathesis>=4,<5"]
    done = run(words, timeout=600)
    if done.returncode:
        return print("skipped: pip does not install schemathesis: " + done.stderr.strip()[-200:])
    return [PYTHON, into + "/bin/schemathesis"], {"PATH": os.environ["PATH"], "HOME": directory, "PYTHONPATH": into}


READER = """import json, sys
from haralyzer import HarParser
pages = HarParser(json.load(sys.stdin))
entries = pages.har_data["entries"]
found = [pages.match_status_code(one, "200") and one["request"]["method"] == "GET" and one["response"]["content"]["size"] >= 0 for one in entries]
print(pages.har_data["version"], len(entries), sum(found), min(one["startedDateTime"] for one in entries)[:2])
"""


def archive(daemon, directory):
    """A reader of HTTP Archives understands ours."""
    into = directory + "/reader"
    done = run([PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", into, "haralyzer>=2,<3"], timeout=600)
    if done.returncode:
        return print("skipped: pip does not install haralyzer: " + done.stderr.strip()[-200:])
    kept = daemon.admin("/v1/requests?limit=1000")["requests"]
    done = run([PYTHON, "-c", READER], input=json.dumps(daemon.admin("/v1/requests.har")), env={"PATH": os.environ["PATH"], "PYTHONPATH": into})
    fine = sum(one["status"] == 200 for one in kept)
    check(done.stdout.split() == ["1.2", str(len(kept)), str(fine), "20"], f"haralyzer reads the archive: {done.stdout} {done.stderr[-500:]}")


def answer(exchange):
    age = "max-age=0" if exchange.target == "/old" else "max-age=600"
    if exchange.target == "/bad":
        return exchange.reply("500 Internal Server Error", content=b"no")
    exchange.reply("200 OK", f"Cache-Control: {age}", 'ETag: "1"', "Vary: Accept", "Content-Type: text/plain", "Set-Cookie: a=b", content=b"hello\n" * 50)


def fill(daemon, origin, gone):
    """Something in every list: stored responses, a failure, an outage, recent requests."""
    client = Client(daemon.port)
    for path in ["/a", "/b?c=d", "/old", "/bad"]:
        client.get(origin.url(path))
    client.get(origin.url("/a"))
    for number in range(6):
        Client(daemon.port).get(f"{gone}/{number}")
    daemon.admin("/v1/log", "PUT", {"enabled": ["none"]})
    return [each["id"] for each in daemon.admin("/v1/resources")["resources"]]


def with_examples(document, origin, gone, ids, requests):
    """The document, with values of this daemon where any other names nothing."""
    for path, methods in document["paths"].items():
        for operation in methods.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] == "id":
                    known = requests if path.startswith("/v1/requests") else ids
                    parameter["schema"]["enum"] = known + ["none"]
                elif parameter["name"] in ("uri", "url"):
                    parameter["examples"] = {str(i): {"value": origin.url(target)} for i, target in enumerate(["/a", "/old", "/new"])}
    for choice in document["components"]["schemas"]["ChangeTarget"]["oneOf"] + [document["components"]["schemas"]["RefreshTarget"]]:
        if "uri" in choice["properties"]:
            choice["properties"]["uri"]["examples"] = [origin.url("/a"), gone + "/"]
        else:
            choice["properties"]["filter"]["examples"] = ["**", origin.url("/**")]
    return document


def compare(program, directory, daemon, document, *words):
    path = directory + "/document.json"
    with open(path, "w") as file:
        json.dump(document, file)
    with open(directory + "/schemathesis.toml", "w") as file:
        file.write(CONFIGURATION)
    call, environment = program
    command = [*call, "--config-file", directory + "/schemathesis.toml", "run", path, "--url", f"http://127.0.0.1:{daemon.admin_port}"]
    command += ["-H", f"Authorization: Bearer {daemon.token}", "-H", "Sec-Fetch-Site: same-origin", "--checks", CHECKS]
    command += ["--exclude-path-regex", STREAMS, "--max-examples", "25", "--seed", "1", "--generation-database", "none"]
    command += ["--suppress-health-check", "all", "--warnings", "off", "--continue-on-failure", "--no-color", "--request-timeout", "30", *words]
    return run(command, cwd=directory, timeout=1200, env=environment)


with Directory() as scratch:
    if program := schemathesis(scratch):
        origin = Origin(answer)
        # What a load may ask is loopback alone, whatever URL is made up.
        daemon = Daemon(scratch + "/store", "--set", "admin-recent-requests=100", "--set", 'dns.servers=["127.0.0.1:9"]')
        gone = f"http://127.0.0.1:{free_port()}"
        ids = fill(daemon, origin, gone)
        requests = [each["id"] for each in daemon.admin("/v1/requests")["requests"]]
        check(len(ids) >= 3 and len(requests) >= 5, f"the daemon is filled: {len(ids)} resources, {len(requests)} requests")
        archive(daemon, scratch)
        origins = {each["origin"]: each for each in daemon.admin("/v1/origins")["origins"]}
        check(origins.get(origin.url(""), {}).get("connections") == 1, f"an origin has its connection: {list(origins)}")
        down = origins.get(gone, {})
        check(down.get("isDown") and down["outages"][0]["error"] == "connection_refused", f"one that is down has its outage: {down}")
        document = with_examples(daemon.admin("/v1/openapi.json"), origin, gone, ids, requests)
        wrong = json.loads(json.dumps(document))
        del wrong["paths"]["/v1/tunnels"]["get"]["responses"]["400"]
        wrong["components"]["schemas"]["Status"]["properties"]["uptimeSeconds"]["type"] = "string"
        done = compare(program, scratch, daemon, wrong, "--include-path-regex", "^/v1/(tunnels|status)$")
        found = done.returncode == 1 and "Undocumented status code" in done.stdout and "violates schema" in done.stdout
        check(found, "a wrong document is found" if found else done.stdout[-20_000:] + done.stderr)
        done = compare(program, scratch, daemon, document)
        count = sum(map(int, re.findall(r"(\d+) generated", done.stdout)))
        check(done.returncode == 0 and count > 500, f"schemathesis finds nothing in {count} requests" if done.returncode == 0 else done.stdout[-20_000:] + done.stderr)
        daemon.stop()
finish()
