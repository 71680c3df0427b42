# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Messages, progress and the log file of the set-up. Sourced; needs only bash and coreutils.
# Everything goes to stderr: stdout belongs to the command that the set-up prepares
# (`npm start -- top --once --json | jq` must stay clean).

CACHE_DIR="${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/wattfeed"
LOG_FILE="$CACHE_DIR/setup.log"
FAILURE_TAIL_LINES=30

say() { printf '%s\n' "$*" >&2; }

# fail MESSAGE [EXIT_CODE]: exit codes as in the product: 1 failed, 2 cannot be done this way.
fail() {
  say "wattfeed set-up: $1"
  exit "${2:-1}"
}

open_log() {
  mkdir -p "$CACHE_DIR" 2>/dev/null ||
    fail "create $CACHE_DIR: not writable; set XDG_CACHE_HOME to a folder that is"
  # One run's log is enough, and it must not grow without bound.
  : >"$LOG_FILE" || fail "write $LOG_FILE: not writable; set XDG_CACHE_HOME to a folder that is"
}

# run_step TITLE COMMAND...: runs the command with its output in the log, and says how long it
# takes: nothing but the title below 2 s, then a running count (in place on a terminal, one line
# each 15 s in a pipe). On failure it shows the tail of this step's log and exits 1.
run_step() {
  local title=$1 started=$SECONDS log_start status=0 child elapsed shown=0
  shift
  log_start=$(wc -c <"$LOG_FILE")
  printf '  %s ...' "$title" >&2
  [ -t 2 ] || printf '\n' >&2
  printf '\n== %s: %s\n' "$title" "$*" >>"$LOG_FILE"
  # A process group of its own (set -m), because a plain background job ignores SIGINT and so would
  # everything below it: Ctrl-C has to reach apt-get or the compiler, and be waited for.
  set -m
  "$@" >>"$LOG_FILE" 2>&1 </dev/null &
  child=$!
  set +m
  trap 'kill -INT -- "-$child" 2>/dev/null; wait "$child"; say ""; fail "interrupted" 130' INT TERM
  while kill -0 "$child" 2>/dev/null; do
    sleep 0.2
    elapsed=$((SECONDS - started))
    if [ -t 2 ]; then
      [ "$elapsed" -lt 2 ] || printf '\r  %s ... %d s' "$title" "$elapsed" >&2
    elif [ $((elapsed - shown)) -ge 15 ]; then
      shown=$elapsed
      printf '  %s ... %d s\n' "$title" "$elapsed" >&2
    fi
  done
  wait "$child" || status=$?
  trap - INT TERM
  elapsed=$((SECONDS - started))
  if [ "$status" -ne 0 ]; then
    [ ! -t 2 ] || printf '\n' >&2
    tail -c "+$((log_start + 1))" "$LOG_FILE" | tail -n "$FAILURE_TAIL_LINES" | sed 's/^/    | /' >&2
    fail "$title: failed with exit code $status; the whole log is $LOG_FILE"
  fi
  if [ -t 2 ]; then printf '\r  %s: done in %d s\n' "$title" "$elapsed" >&2; else
    printf '  %s: done in %d s\n' "$title" "$elapsed" >&2
  fi
}
