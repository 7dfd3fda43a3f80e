#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Setuid programs ignore PAPI_USER_EVENTS_FILE: secure.sh SOURCE BUILD PROGRAM
#
# The program is linked with the static library: such programs ignore
# LD_LIBRARY_PATH and $ORIGIN as well.
set -eu
PAPI_USER_EVENTS_FILE=$1/share/metrics/figure1.txt
export PAPI_USER_EVENTS_FILE
if [ "$(id -u)" != 0 ]; then
	echo "only root can make a program of another user's"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"

# The same program, first without and then with another user's rights.
cp "$3" "$tmp/plain"
cp "$3" "$tmp/setuid"
chown nobody "$tmp/setuid"
chmod 4755 "$tmp/setuid"
"$tmp/plain" known >"$tmp/said"
grep -qx known "$tmp/said" || { echo "plain: $(cat "$tmp/said")"; exit 1; }
"$tmp/setuid" known >"$tmp/said"
if grep -q 'not secure' "$tmp/said"; then
	echo "$tmp is on a file system where setuid means nothing"
	exit 77
fi
grep -qx unknown "$tmp/said" || { echo "setuid: $(cat "$tmp/said")"; exit 1; }
echo "a setuid program does not read the file"
