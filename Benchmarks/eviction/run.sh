#!/bin/sh
# Prints the reference hit ratios.  Environment: TRACES (the folder of the traces), CC, SIM_OUT, EXTRA.
# EXTRA may name a folder holding further traces (see the list below); missing ones are skipped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${TRACES:?the folder of the traces; fetch-traces DIR fetches them}"
bin=${SIM_OUT:-$(mktemp)}
"${CC:-cc}" -O2 -o "$bin" "$here/sim.c" -lm
P=fifo,lru,lru-2nd,clock,2q,arc,sieve,s3fifo,s3fifo-1,s3fifo-sz,wtlfu,wtlfu-hc,gdsf,belady
run() { # format sizes file
    [ -f "$3" ] || return 0
    "$bin" -p $P -f "$1" -s "$2" -t "$(basename "$3")" "$3"
}
for t in web07 web12; do run u32be 0.01,0.05,0.1,0.25 "$TRACES/cache2k/$t.trace.xz"; done
for t in orm-busy orm-night; do run u32be 0.001,0.01,0.05,0.1 "$TRACES/cache2k/$t.trace.xz"; done
if [ -n "${EXTRA:-}" ]; then
    run tis 0.001,0.01,0.05,0.1,0.25 "$EXTRA/request.trace.xz"
    run oracle 0.01,0.05,0.1,0.25 "$EXTRA/cp.oracle"
    run u64be 0.01,0.05,0.1,0.25 "$EXTRA/scarab-recs.trace.xz"
    run lis 0.01,0.05,0.1 "$EXTRA/OLTP.lis.zst"
fi
syn() { "$bin" -p $P -s 0.001,0.01,0.1 -w 0.2 -t "$1" "synth:n=3e5,req=2e6,$2"; }
for a in 0.7 0.8 0.9 1.0 1.1; do syn "zipf $a, equal sizes" "zipf=$a"; done
for a in 0.7 0.9 1.1; do syn "zipf $a, 25 % one-hit, lognormal sizes" "zipf=$a,once=0.25,sigma=1.5,median=8192"; done
syn "zipf 0.9, 20 % scans" "zipf=0.9,scan=0.2,scanlen=2e4"
syn "zipf 0.9, drift" "zipf=0.9,drift=0.005"
syn "zipf 0.9, 25 % one-hit, 10 % scans, drift, lognormal sizes" "zipf=0.9,once=0.25,scan=0.1,scanlen=2e4,drift=0.002,sigma=1.5,median=8192"
