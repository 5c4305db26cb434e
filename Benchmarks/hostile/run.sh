#!/usr/bin/env bash
# All byte-level cases against Respite, in its three modes: forward proxy, prefix gateway, reverse (--gateway).
#
#   Benchmarks/hostile/run.sh BINARY            table of both profiles, the failing names; exit 1 if a rule is broken
#   ONLY='frame-*,up-cl-*' run.sh BINARY        some cases
#   OUT=DIR run.sh BINARY                       keep the JSON results and logs there (default: a new temporary directory)
#   MODES='forward gateway' SERIAL=1 run.sh …   some modes; one after the other instead of side by side
#   SETTINGS=FILE run.sh …                      this TOML instead of the one below
#
# Needs Python 3.11 and root or unprivileged user namespaces: each mode runs in its own network namespace, with the ports
# 28080 (proxy), 28081 (origin) and 28082 (admin).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# ---- What is assumed about the daemon, only here -----------------------------------------------------------------------
# The cases wait one and a half times the four timeouts. A remembered failure (retry-time), a breaker and the mode "auto" are
# right, but they are not what these cases look at.
settings() { cat <<'TOML'
mode = "online"

[limits]
header-timeout = "10s"
body-timeout = "10s"
idle-timeout = "15s"

[upstream]
connect-timeout = "5s"
first-byte-timeout = "10s"
idle-timeout = "10s"
retry-time = "1s"
retry-time-max = "1s"
breaker = false
TOML
}
RETRY_GAP=1.3                                   # above retry-time
TOKEN_FILES='{work}/store/admin-token,{work}/store/*token*,{work}/*token*,{work}/.local/*/respite/*token*,{work}/.config/respite/*token*'     # {work} is HOME too
ADMIN_PATH=/v1/resources
# ------------------------------------------------------------------------------------------------------------------------

case ${1:-} in ''|-h|--help) sed -n '2,12p' "${BASH_SOURCE[0]}" | cut -c3-; exit 2;; esac
bin=$(command -v -- "$1") && bin=$(realpath "$bin") || { echo "no such program: $1" >&2; exit 2; }
out=${OUT:-$(mktemp -d "${TMPDIR:-/tmp}/hostile.XXXXXX")}; mkdir -p "$out"; out=$(cd "$out" && pwd)
modes=${MODES:-forward prefix gateway}
root=(); [ "$(id -u)" = 0 ] || root=(unshare --user --map-root-user)

one() {                                         # one MODE
  local m=$1 w=$out/$1 extra='"forward": false' gw=''
  rm -rf "$w"; mkdir -p "$w/store"
  if [ -n "${SETTINGS:-}" ]; then cp "$SETTINGS" "$w/test.toml"; else settings >"$w/test.toml"; fi
  case $m in
    forward) extra='"forward": true' ;;
    prefix)  extra='"forward": false, "path_prefix": "/http://127.0.0.1:28081"' ;;
    gateway) gw=', "--gateway", "http://127.0.0.1:28081"' ;;
    *) echo "unknown mode $m" >&2; return 2 ;;
  esac
  cat >"$w/target.json" <<J
{"name": "$m", "work": "$w", "base": "127.0.0.1:28080", "origin": "127.0.0.1:28081", "ready": "http", $extra,
 "start": ["$bin", "serve", "--config", "$w/test.toml", "--listen", "127.0.0.1:28080", "--admin", "127.0.0.1:28082",
           "--store", "$w/store"$gw],
 "env": {"HOME": "$w"}, "health": "http://127.0.0.1:28082/healthz",
 "admin": "127.0.0.1:28082", "admin_token_files": "$TOKEN_FILES", "scan": "$w/store,$w"}
J
  exec "${root[@]}" python3 "$here/hostile.py" --target "$w/target.json" --netns -v --json "$out/$m.json" \
    --header-timeout 10 --body-timeout 10 --idle-timeout 15 --upstream-timeout 10 --retry-gap $RETRY_GAP \
    --admin-path "$ADMIN_PATH" ${ONLY:+--only "$ONLY"} >"$out/$m.log" 2>&1
}

pids=()
trap 'for p in "${pids[@]:-}"; do [ -n "$p" ] && kill "$p" 2>/dev/null; done; exit 130' INT TERM
for m in $modes; do
  rm -f "$out/$m.json"
  if [ -n "${SERIAL:-}" ]; then ( one "$m" ); else ( one "$m" ) & pids+=($!); fi
done
wait
trap - INT TERM
rc=0; files=()
for m in $modes; do
  if [ -s "$out/$m.json" ]; then files+=("$out/$m.json"); else rc=2; echo "$m: no result. $(tail -n 9 "$out/$m.log")" >&2; fi
done
[ ${#files[@]} -gt 0 ] && { python3 "$here/hostile.py" --summary "${files[@]}" || [ $rc = 2 ] || rc=1; }
echo "results: $out"
exit $rc
