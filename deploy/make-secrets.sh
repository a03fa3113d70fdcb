#!/bin/sh
# Makes deploy/secrets for compose.yaml: passwords and the admin token at random, and the node's URL as given. What is
# there stays: the password of a database that exists must not change.
set -eu
[ $# -eq 1 ] || { echo "usage: deploy/make-secrets.sh https://node.example/key[,wss://…]" >&2; exit 2; }
directory=$(dirname "$0")/secrets
mkdir -p "$directory"
# Users of containers read the files under numbers of their own, so the directory is what is closed.
chmod 700 "$directory"
umask 022
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
make() { [ -s "$directory/$1" ] || printf '%s\n' "$2" >"$directory/$1"; }
make postgres_password "$(random)"
make grafana_password "$(random)"
make admin_token "$(random)"
make db_raw_url "postgres://tidemark:$(cat "$directory/postgres_password")@postgres:5432/tidemark"
printf '%s\n' "$1" >"$directory/rpc_url"
echo "$directory: admin_token, db_raw_url, grafana_password, postgres_password, rpc_url"
