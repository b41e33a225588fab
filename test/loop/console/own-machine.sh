#!/bin/bash
# A machine of its own for one console, in a private mount namespace: accounts, STATE, network profile, and a network
# editor that changes the profile as a person would. own-machine.sh DIR PROGRAM [ARG...]; PROGRAM gets "--tty THE-TTY" at its end.
set -eu
dir=$1
shift
mount --make-rprivate /
cp -a /etc "$dir/etc"
mkdir -p "$dir/bin" "$dir/lib/spatium-state" "$dir/lib/spatiumddi" "$dir/etc/spatiumddi" "$dir/etc/NetworkManager/system-connections"
grep -v '^sudo:' /etc/group >"$dir/etc/group"
printf 'sudo:x:27:ops,locked\n' >>"$dir/etc/group"
printf 'ops:x:2001:2001::/:/bin/sh\nlocked:x:2002:2002::/:/bin/sh\n' >>"$dir/etc/passwd"
printf 'ops:%s:20000:0:99999:7:::\nlocked:!:20000:0:99999:7:::\n' "$(openssl passwd -6 'pass word0')" >>"$dir/etc/shadow"
[ -z "${SPATIUM_POLICY:-}" ] || printf '%s' "$SPATIUM_POLICY" >"$dir/etc/spatiumddi/console-policy.json"
printf 'APPLIANCE_VERSION=1\n' >"$dir/etc/spatiumddi/appliance-release"
cat >"$dir/lib/spatium-state/spatium-config.yaml" <<'CONFIG'
role: "control-plane"
network_mode: "static"
network_interface: "eth0"
network_ip: "192.0.2.10"
network_prefix: "24"
network_gateway: "192.0.2.1"
network_dns: "192.0.2.53"
CONFIG
profile=$dir/etc/NetworkManager/system-connections/10-spatium-static.nmconnection
cat >"$profile" <<'PROFILE'
[connection]
id=spatium
type=ethernet
interface-name=eth0
[ipv4]
method=manual
address1=192.0.2.10/24,192.0.2.1
dns=192.0.2.53;
PROFILE
cat >"$dir/bin/nmtui" <<'EDITOR'
#!/bin/bash
profile=/etc/NetworkManager/system-connections/10-spatium-static.nmconnection
printf 'THE EDITOR on %s, uid %s, ctty %s\r\n' "$(tty)" "$(id -u)" "$(ps -o tty= -p $$)"
stty raw -echo
read -r -n 1 answer
[ "$answer" = e ] && sed -i 's/192.0.2.10\/24/192.0.2.99\/24/' "$profile"
# It leaves the terminal raw and coloured, as a program that crashed would.
printf '\033[31mleft raw'
EDITOR
printf '#!/bin/sh\nexec %s "$@"\n' "$SPATIUM_PROGRAM" >"$dir/bin/spatium"
chmod 755 "$dir/bin/nmtui" "$dir/bin/spatium"
mount --bind "$dir/etc" /etc
mount --bind "$dir/bin" /usr/local/bin
mount --bind "$dir/lib" /var/lib
exec "$@" --tty "$(tty)"
