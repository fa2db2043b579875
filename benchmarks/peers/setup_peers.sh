#!/bin/bash
# Builds the environment of the peers under $PEERS (default: ~/.cache/scisim-peers); made once.
set -e
PEERS=${PEERS:-$HOME/.cache/scisim-peers}
here=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$PEERS"
[ -x "$PEERS/main/bin/python" ] || python3 -m venv "$PEERS/main"
pip="$PEERS/main/bin/python -m pip install -q"
$pip numpy scipy numba llvmlite optree opt_einsum tqdm ml_dtypes zarr autograd jax jaxlib numexpr devito intel-cmplr-lib-rt tbb
$pip torch==2.13.0
$pip -e "$here"
echo "$PEERS/main/bin/python"
