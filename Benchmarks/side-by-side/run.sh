#!/bin/sh
# The side-by-side benchmark in one command: installs what is missing, builds the tools, measures,
# prints the tables.
#
#   run.sh [--quick] [target ...]      targets: names in peers/ or JSON files; default: every peer that
#                                      is installed, and respite where RESPITE_BIN or PATH has it
#   run.sh --quick respite nginx       nine scenarios, one round: about 40 seconds per target
#   run.sh -- --scenarios swr --rounds 5    what follows -- goes to bench.py
#
# RESPITE_BIN=path of the respite program; RESPITE_ARGS=more arguments for it; PERF_WORK=where tools are built and
# runs are kept (default: respite-perf in the user cache folder); PERF_* as in README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${PERF_WORK:-${XDG_CACHE_HOME:-$HOME/.cache}/respite-perf}
PERF_BIN=${PERF_BIN:-$work/bin}
PERF_SCRATCH=${PERF_SCRATCH:-$work/run}
export PERF_BIN PERF_SCRATCH
[ -z "${RESPITE_BIN:-}" ] || RESPITE_BIN=$(realpath "$RESPITE_BIN")

set_of=headline rounds=3 secs=2.5 targets=
while [ $# -gt 0 ]; do
  case $1 in
    --quick) set_of=quick rounds=1 secs=1.5 ;;
    -h | --help) sed -n '2,/^set -eu/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    --) shift; break ;;
    -*) echo "run.sh: $1? (-- before options for bench.py)" >&2; exit 2 ;;
    *) targets=$targets${targets:+,}$1 ;;
  esac
  shift
done

# Only what these targets need, and only where this user may install.
need="gcc make libc6-dev python3 util-linux"
case ",${targets:-all}," in
  *,all,*) need="$need nginx h2o haproxy varnish trafficserver squid apache2" ;;
esac
for t in nginx h2o haproxy varnish squid ats:trafficserver apache:apache2; do
  case ",$targets" in *",${t%%:*}"*) need="$need ${t##*:}" ;; esac
done
"$here/install-peers.sh" $need || [ "$(id -u)" != 0 ] || exit 1
mkdir -p "$PERF_BIN" "$PERF_SCRATCH"
make -s -C "$here" BIN="$PERF_BIN" all

ulimit -n "$(ulimit -Hn)" 2>/dev/null || true

out=${PERF_OUT:-$work/$set_of-$(date +%Y%m%dT%H%M%S).jsonl}
python3 "$here/bench.py" --targets "${targets:-all}" --scenarios $set_of --rounds $rounds --duration $secs --out "$out" "$@"
echo
echo "raw figures: $out (tables again: bench.py --report $out)"
