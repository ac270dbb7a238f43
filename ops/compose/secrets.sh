#!/bin/sh
# Makes what compose.yaml hands to its services, once. Keep a copy of `key` apart from every backup of the database: without it
# signing keys and secrets in the database cannot be read.
#   ./secrets.sh [folder]
set -eu
umask 077
folder=${1:-secrets}
mkdir "$folder"
password() { openssl rand -hex 32; }
address() { printf 'postgres://%s:%s@%%2Fvar%%2Frun%%2Fpostgresql/firmquote\n' "$1" "$2"; }
owner=$(password)
printf '%s\n' "$owner" > "$folder/owner_password"
address firmquote_owner "$owner" > "$folder/owner_url"
address firmquote_service "$(password)" > "$folder/service_url"
openssl rand -base64 32 > "$folder/key"
# Compose hands files over with the rights that they have here: they are for the user of the image, 10001, and of PostgreSQL's, 999.
if [ "$(id -u)" = 0 ]; then
  chmod 755 "$folder"
  chown 10001:10001 "$folder/owner_url" "$folder/service_url" "$folder/key"
  chown 999:999 "$folder/owner_password"
fi
