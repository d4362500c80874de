#!/usr/bin/env bash
# One step for "git bisect run": patch, build, test, and a clear exit status.
#
#   BISECT_TEST    command that passes on good commits (required)
#   BISECT_BUILD   command that must succeed before the test
#   BISECT_REPEAT  how often the test must pass, default 1
#   BISECT_LIMIT   seconds before one test run counts as bad
#   BISECT_PATCH   absolute path of a patch, applied for the time of the step
#                  at commits where it applies
set -u

readonly GOOD=0 BAD=1 SKIP=125 STOP=128

say() { printf 'bisect-step: %s\n' "$*" >&2; }

finish() {
  say "$2"
  exit "$1"
}

run_test() {
  if [[ -n ${BISECT_LIMIT:-} ]]; then
    timeout "$BISECT_LIMIT" sh -c "$BISECT_TEST"
  else
    sh -c "$BISECT_TEST"
  fi
}

[[ -n ${BISECT_TEST:-} ]] || finish "$STOP" "BISECT_TEST is not set"
repeat=${BISECT_REPEAT:-1}
[[ $repeat =~ ^[1-9][0-9]*$ ]] || finish "$STOP" "BISECT_REPEAT is not a number: $repeat"

if [[ -n ${BISECT_PATCH:-} ]]; then
  [[ -r $BISECT_PATCH ]] || finish "$STOP" "cannot read $BISECT_PATCH"
  if git apply --check "$BISECT_PATCH" 2>/dev/null; then
    git apply "$BISECT_PATCH"
    trap 'git apply --reverse "$BISECT_PATCH"' EXIT
  else
    say "the patch does not apply here, going on without it"
  fi
fi

if [[ -n ${BISECT_BUILD:-} ]]; then
  sh -c "$BISECT_BUILD" || finish "$SKIP" "the build fails"
fi

for ((round = 1; round <= repeat; round++)); do
  run_test
  status=$?
  case $status in
    0) ;;
    126 | 127) finish "$STOP" "the test command does not run" ;;
    130) finish "$STOP" "interrupted" ;;
    *) finish "$BAD" "run $round of $repeat failed with status $status" ;;
  esac
done
finish "$GOOD" "passed $repeat of $repeat"
