#!/usr/bin/env bash
# The public conformance suite against Respite, as a gate.
#
#   SUITE=path/to/cache-tests Benchmarks/conformance/respite.sh BINARY
#   MODES=gateway …                  reverse proxy with defaults (gateway), forward proxy (forward); default: both
#   OUT=DIR …                        keep the results there (default: a new temporary directory)
#   REQUIRED=159 OPTIMAL=99 …        the tests that must pass at least
#   ORIGIN_PORT=18000 PORT=18080 …   ports of 127.0.0.1 to use; the one after PORT is the admin port
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case ${1:-} in '' | -h | --help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;; esac
bin=$(realpath "$1")
[ -x "$bin" ] || { echo "conformance: no such program: $1" >&2; exit 2; }
out=${OUT:-$(mktemp -d "${TMPDIR:-/tmp}/conformance.XXXXXX")}
mkdir -p "$out"
export ORIGIN_PORT=${ORIGIN_PORT:-18000} EXPECT_REQUIRED=${REQUIRED:-159} EXPECT_OPTIMAL=${OPTIMAL:-99}
port=${PORT:-18080}

# Before a daemon is started: the suite and node are there.
"$here/run.sh" list >/dev/null

daemon=
stop() {
  [ -z "$daemon" ] || { kill "$daemon" 2>/dev/null || true; wait "$daemon" 2>/dev/null || true; }
  daemon=
}
trap stop EXIT
trap 'exit 130' INT TERM

failed=0
for mode in ${MODES:-gateway forward}; do
  case $mode in
    gateway) words=(--gateway "http://127.0.0.1:$ORIGIN_PORT") target=(BASE="http://127.0.0.1:$port") ;;
    forward) words=(--set cache.targeted-control=all) target=(PROXY="http://127.0.0.1:$port") ;;
    *) echo "conformance: unknown mode $mode" >&2; exit 2 ;;
  esac
  store=$out/$mode.store
  rm -rf "$store"
  "$bin" serve --config /dev/null --listen "127.0.0.1:$port" --admin "127.0.0.1:$((port + 1))" --store "$store" "${words[@]}" \
    >"$out/$mode.log" 2>&1 &
  daemon=$!
  echo "== $mode"
  env "${target[@]}" OUT="$out/$mode.json" "$here/run.sh" || failed=1
  stop
  rm -rf "$store"
done
echo "results: $out"
exit $failed
