# Shared by the scripts in this folder; sourced, not run.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
venv=${HEDDLE_VENV:-$root/build/venv}
preset=${HEDDLE_PRESET:-release}
tree=$root/build/$preset

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# How many compilations fit: one per processor, but 1.5 GiB of memory each.
jobs() {
  local processors memory
  processors=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo)
  echo $((memory < 1 ? 1 : memory < processors ? memory : processors))
}
