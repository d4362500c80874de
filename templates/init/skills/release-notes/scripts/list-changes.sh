#!/usr/bin/env bash
# List the commits between two revisions, with breaking and reverted ones marked.
#
#   list-changes.sh [FROM [TO]]     default: the last tag before TO, and HEAD
set -euo pipefail

die() {
  printf 'list-changes: %s\n' "$1" >&2
  exit 2
}

is_commit() { git rev-parse --verify --quiet "$1^{commit}" >/dev/null; }

git rev-parse --git-dir >/dev/null 2>&1 || die "not inside a git repository"
[[ $# -le 2 ]] || die "usage: list-changes.sh [FROM [TO]]"

to=${2:-HEAD}
is_commit "$to" || die "no such commit: $to"
if [[ $# -ge 1 ]]; then
  from=$1
else
  from=$(git describe --tags --abbrev=0 "$to^" 2>/dev/null) ||
    die "no tag before $to; name the first revision"
fi
is_commit "$from" || die "no such commit: $from"

range="$from..$to"
reverted=$(git log --format=%B "$range" |
  sed -n 's/^This reverts commit \([0-9a-f]\{7,64\}\).*/\1/p')

mark_of() {
  local commit=$1 message hash
  message=$(git show -s --format=%B "$commit")
  for hash in $reverted; do
    case $commit in "$hash"*) echo r && return ;; esac
  done
  if grep -q '^This reverts commit [0-9a-f]' <<<"$message"; then
    echo r
  elif grep -Eq '^BREAKING[ -]CHANGE|^[a-z]+(\([^)]*\))?!:' <<<"$message"; then
    echo '!'
  else
    echo ' '
  fi
}

printf '%s\n' "$range"
git log --no-merges --format='%H%x09%h%x09%an%x09%s' "$range" |
  while IFS=$'\t' read -r commit short author subject; do
    printf '%s  %s  %s (%s)\n' "$(mark_of "$commit")" "$short" "$subject" "$author"
  done
