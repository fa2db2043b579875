#!/bin/bash
# Runs the peers' measurements one after another; figures go to $PEER_RESULTS/NAME.jsonl (default ./peer-results).
#   run_all.sh [name-prefix ...]     runs only those
# PERF_CORE=c pins a run to one core: its cpu_ms is then a clean cost even on a busy machine.
PEERS=${PEERS:-$HOME/.cache/scisim-peers}
python=$PEERS/main/bin/python
results=${PEER_RESULTS:-$PWD/peer-results}
here=$(cd "$(dirname "$0")" && pwd)
wanted="$*"
mkdir -p "$results/logs"

selected() {
  [ -z "$wanted" ] && return 0
  for prefix in $wanted; do case $1 in "$prefix"*) return 0 ;; esac; done
  return 1
}

run() { # name limit-in-seconds script arguments...
  local name=$1 limit=$2 pin=()
  shift 2
  selected "$name" || return 0
  if [ -n "$PERF_CORE" ]; then
    name=${name}_1core pin=(taskset -c "$PERF_CORE")
    export OMP_NUM_THREADS=1
  fi
  (cd "$here" && timeout -k 5 "$limit" "${pin[@]}" "$python" "$@") \
    >"$results/$name.jsonl" 2>"$results/logs/$name.err"
  echo "$name: exit status $?"
}

for peer in scisim jaxjet jaxjvp jaxgrad torch; do run p1_$peer 150 p1_high_order.py peer=$peer limit=12; done
run p3 60 p3_overhead.py
run p4 150 p4_import.py
PEER_RESULTS=$results "$python" "$here/tables.py" p1 p3 p4
