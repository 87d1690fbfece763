#!/bin/sh
# Writes the secrets of compose.cluster.yaml into a folder, by default `secrets` next to this script. Keeps existing
# passwords and tokens.
set -eu
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
# Compose mounts each file with its owner and mode, and the users of the containers are not the owner. The folder keeps
# other users of this machine out.
chmod 700 "$folder"
cd "$folder"
umask 022

for name in admin_token postgres_password redis_password; do
  # An interrupted run may leave an empty file.
  [ -s "$name" ] || head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"$name"
done
postgres=$(cat postgres_password)
redis=$(cat redis_password)

echo "postgres://tapeline:$postgres@pgbouncer:6432/tapeline" >database_url
echo "postgres://tapeline:$postgres@postgres:5432/tapeline" >database_direct_url
echo "\"tapeline\" \"$postgres\"" >pgbouncer_users
echo "redis://:$redis@redis:6379" >redis_url
# Redis only counts the requests of the current minute, so it stores nothing on the disk.
printf 'requirepass %s\nsave ""\n' "$redis" >redis_conf
# docs/deployment.md creates this token on the running server.
[ -e metrics_token ] || : >metrics_token
