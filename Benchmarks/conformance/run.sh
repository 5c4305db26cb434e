#!/usr/bin/env bash
# HTTP cache conformance: runs the public suite http-tests/cache-tests against a
# cache and prints one summary line plus every required/optimal test not passed.
#
#   SUITE=path/to/cache-tests BASE=http://127.0.0.1:8080 ./run.sh            # reverse proxy
#   SUITE=... PROXY=http://127.0.0.1:3128 ./run.sh                           # forward proxy
#   SUITE=... BASE=... ./run.sh -i vary-match,vary-no-match                  # some tests only
#   SUITE=... BASE=... ./run.sh -v -i vary-match                             # with messages dumped
#   SUITE=... ./run.sh summary results.json [--category]
#   SUITE=... ./run.sh compare a=one.json b=two.json [--matrix] [--browser]
#   SUITE=... ./run.sh list
#
# Environment
#   SUITE        checkout of the suite (needs no npm install; default suites/cache-tests)
#   BASE         URL of the cache, which must forward to the origin below
#   PROXY        URL of an HTTP forward proxy; BASE then defaults to the origin itself
#   ORIGIN_PORT  port of the suite's origin server (default 8000; the URL in
#                forward mode and the upstream in reverse mode)
#   ORIGIN       "start" (default) or "external" when an origin already runs
#   OUT          raw result file (default ./conformance-result.json)
#   RETRY        how often to repeat what did not pass (default 1)
#   WAIT         seconds to wait for the cache to accept connections (default 15)
#   EXPECT_REQUIRED, EXPECT_OPTIMAL   if set, exit 1 when fewer tests pass
# A full run takes one to one and a half minutes, repeats included, and next to
# no processor time. Needs bash and node 20.6 or later; nothing from npm.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SUITE=${SUITE:-suites/cache-tests}
if [[ ! -f $SUITE/tests/index.mjs ]]; then
  cat >&2 <<MISSING
conformance: the public suite is not at $SUITE. It needs no installation; fetch it by

    git clone --depth 1 https://github.com/http-tests/cache-tests $SUITE

or name the place of a copy: make conformance SHARED=DIR looks for DIR/suites/cache-tests.
MISSING
  exit 2
fi
command -v node >/dev/null || { echo "conformance: needs node 20.6 or later (apt install nodejs)" >&2; exit 2; }
SUITE=$(cd "$SUITE" && pwd)

case "${1:-}" in
  summary|compare|list)
    mode=$1; shift
    exec node "$here/conformance.mjs" "$mode" --suite "$SUITE" "$@" ;;
esac

ids=() dump=()
while getopts "i:v" o; do
  case $o in
    i) ids=(--id "$OPTARG") ;;
    v) dump=(--dump) ;;
    *) exit 2 ;;
  esac
done

ORIGIN_PORT=${ORIGIN_PORT:-8000}
OUT=${OUT:-conformance-result.json}
RETRY=${RETRY:-1}
proxy=()
if [[ -n ${PROXY:-} ]]; then
  proxy=(--proxy "$PROXY")
  BASE=${BASE:-http://127.0.0.1:$ORIGIN_PORT}
fi
: "${BASE:?set BASE (reverse proxy) or PROXY (forward proxy)}"
[[ ${#dump[@]} -gt 0 ]] && RETRY=0

work=$(mktemp -d)
origin_pid=
cleanup () {
  if [[ -n $origin_pid ]]; then
    kill "$origin_pid" 2>/dev/null || true
    wait "$origin_pid" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

port_open () { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

if [[ ${ORIGIN:-start} == start ]]; then
  if port_open "$ORIGIN_PORT"; then
    echo "port $ORIGIN_PORT is taken; set ORIGIN_PORT, or ORIGIN=external" >&2; exit 2
  fi
  ( cd "$SUITE" && exec env npm_config_protocol=http npm_config_port="$ORIGIN_PORT" \
      npm_config_pidfile="$work/origin.pid" node test-engine/server/server.mjs ) >"$work/origin.log" 2>&1 &
  origin_pid=$!
  for _ in $(seq 100); do port_open "$ORIGIN_PORT" && break; sleep 0.1; done
  port_open "$ORIGIN_PORT" || { cat "$work/origin.log" >&2; exit 2; }
fi

hostport=${PROXY:-$BASE}; hostport=${hostport#*://}; hostport=${hostport%%/*}
up=
for _ in $(seq $(( ${WAIT:-15} * 10 ))); do
  if (exec 3<>"/dev/tcp/${hostport%:*}/${hostport##*:}") 2>/dev/null; then up=1; break; fi
  sleep 0.1
done
[[ -n $up ]] || { echo "nothing listens on $hostport" >&2; exit 2; }

node --no-warnings "$here/conformance.mjs" run --suite "$SUITE" \
  --base "$BASE" "${proxy[@]}" "${ids[@]}" "${dump[@]}" --retry "$RETRY" --out "$OUT" | tee "$work/report"
if [[ ${#dump[@]} -gt 0 ]]; then echo "--- origin"; cat "$work/origin.log" 2>/dev/null || true; fi

line=$(grep -m1 '^required ' "$work/report" || true)
if [[ -n $line ]]; then
  req=$(sed -E 's/^required ([0-9]+)\/.*/\1/' <<<"$line")
  opt=$(sed -E 's/.* optimal ([0-9]+)\/.*/\1/' <<<"$line")
  if (( req < ${EXPECT_REQUIRED:-0} || opt < ${EXPECT_OPTIMAL:-0} )); then
    echo "below the expected score" >&2; exit 1
  fi
fi
