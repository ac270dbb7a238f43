#!/bin/sh
# Boots systemd as process 1 of a machine of its own: namespaces, and this machine's files with everything that is written kept in memory.
#   unshare --mount --pid --cgroup --ipc --uts --fork --kill-child ops/drills/machine.sh FOLDER CHECKOUT FILES
# FOLDER is where it is mounted, CHECKOUT is seen as /opt/firmquote, FILES are put over the rest.
set -eu
folder=$1 checkout=$2 files=$3
root=$folder/root
mount -t tmpfs -o mode=755 tmpfs "$folder"
mkdir "$folder/upper" "$folder/work" "$root"
mount -t overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" overlay "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for place in run tmp var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$place"; done
chmod 755 "$root/run"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
mkdir -p "$root/opt/firmquote"
mount --bind "$checkout" "$root/opt/firmquote"
cp -R "$files/." "$root/"
chroot "$root" id firmquote > /dev/null 2>&1 || chroot "$root" useradd --system --home-dir /var/lib/firmquote firmquote
# Not a chroot, in which there could be no user namespaces.
mkdir "$root/outside"
cd "$root"
pivot_root . outside
umount --lazy /outside
# As a boot leaves it: credentials are mounted by a helper in a namespace of its own.
mount --make-rshared /
exec /usr/bin/env -i container=drill PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=drill.target
