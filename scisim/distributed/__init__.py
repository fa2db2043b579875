"""Many ranks: communicators, and the place of this process in a job. mpi4py loads only under a launcher."""

from scisim.distributed import failure, launch
from scisim.distributed.budget import local_ranks, thread_budget
from scisim.distributed.collectives import all_gather, all_reduce, barrier, broadcast, vary
from scisim.distributed.communicator import Communicator, SerialCommunicator, using, world
from scisim.distributed.launch import is_root, root_print
from scisim.distributed.mesh import Mesh
from scisim.distributed.placements import Partial, Replicate, Shard
from scisim.distributed.sharding import from_local, gather, reshard, shard
from scisim.distributed.threads import ThreadCommunicator, run_ranks

_launcher = launch.detect()
if _launcher is not None and _launcher.several:
    failure.install_early(_launcher)

__all__ = [
    "Communicator",
    "SerialCommunicator",
    "ThreadCommunicator",
    "run_ranks",
    "using",
    "world",
    "is_root",
    "local_ranks",
    "root_print",
    "thread_budget",
    "all_gather",
    "all_reduce",
    "barrier",
    "broadcast",
    "vary",
    "Mesh",
    "Partial",
    "Replicate",
    "Shard",
    "from_local",
    "gather",
    "reshard",
    "shard",
]
