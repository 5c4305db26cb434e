#!/bin/sh
# Installs the programs the benchmark compares and what builds its tools, from Debian's own
# archive. Nothing is left running: packages' services are kept from starting while they are
# installed, and are disabled where systemd runs.
#   install-peers.sh [package ...]     only these instead of the whole list
set -eu
PEERS="nginx h2o haproxy varnish trafficserver squid apache2"
TOOLS="wrk gcc make libc6-dev python3 util-linux"

want=${*:-$PEERS $TOOLS}
missing=
for p in $want; do
  dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
if [ -z "$missing" ]; then
  echo "install-peers: nothing missing"
  exit 0
fi
if [ "$(id -u)" != 0 ]; then
  echo "install-peers: not root, cannot install:$missing" >&2
  exit 1
fi

# No service starts from its postinst: policy-rc.d answers 101 ("forbidden"). One that is there already stays.
policy=/usr/sbin/policy-rc.d ours=
if [ ! -e $policy ]; then
  printf '#!/bin/sh\nexit 101\n' > $policy
  chmod 755 $policy
  ours=1
fi
trap '[ -z "$ours" ] || rm -f $policy' EXIT INT TERM

export DEBIAN_FRONTEND=noninteractive
apt="apt-get -o DPkg::Lock::Timeout=300 -q -y"
ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 || $apt update
# shellcheck disable=SC2086
$apt install --no-install-recommends $missing || { $apt update && $apt install --no-install-recommends $missing; }

# Neither now nor at the next boot; only what was installed here.
if command -v systemctl >/dev/null; then
  now=
  [ -d /run/systemd/system ] && now=--now
  for p in $missing; do
    for u in $(dpkg -L "$p" | sed -n 's#.*/systemd/system/\([^/@]*\.service\)$#\1#p'); do
      systemctl disable $now "$u" >/dev/null 2>&1 || true
    done
  done
fi
echo "install-peers: installed$missing"
