#!/bin/sh
# Runs in the rescue shell of the medium: makes stacks on the test's disks, and records the machine before and after.
# Disks are found by serial number; everything here is thrown away with the virtual machine.
set -eu
spatium=${1:-spatium}

by_serial() { lsblk -dnpo NAME,SERIAL | awk -v s="$1" '$2 == s { print $1; exit }'; }

record() {
  udevadm settle
  printf '\n<<%s\n' "$1"
  $spatium machine capture | gzip -9 | base64 -w 76
  printf '>>\n<<%s-disks\n' "$1"
  $spatium machine disks --format json | gzip -9 | base64 -w 76
  printf '>>\n'
}

modprobe -a raid1 dm_mod
record first

a=$(by_serial MD-1)
b=$(by_serial MD-2)
mdadm --create /dev/md/data --level=1 --raid-devices=2 --metadata=1.2 --name=data --homehost=nas --run --assume-clean "$a" "$b"

lvm=$(by_serial LVM-1)
pvcreate -q -ff -y "$lvm"
vgcreate -q oldvg "$lvm"
lvcreate -q -y -n root -L 1G oldvg
mkfs.ext4 -q /dev/oldvg/root
mkdir -p /mnt/old
mount /dev/oldvg/root /mnt/old

luks=$(by_serial LUKS-1)
printf pass | cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "$luks" -
printf pass | cryptsetup open "$luks" oldcrypt -

# The medium assembles paths by itself; this only waits for it.
for i in $(seq 60); do
  [ -b /dev/mapper/mpatha ] && break
  sleep 1
done
record second

mdadm --stop /dev/md/data
umount /mnt/old
systemctl stop multipathd.socket multipathd.service
multipath -F
record third
printf '\nGUEST-DONE\n'
