"""One rank fails, in the way named, while the others wait for it:  mpirun -n 3 python failing.py raise"""

import os
import signal
import sys
import threading
import time

import numpy as np

from scisim.distributed import world


class Custom(Exception):
    pass


def thread_fails():
    threading.Thread(target=fail, args=("raise",)).start()
    time.sleep(60)


def fail(how):
    if how == "raise":
        raise Custom("a bug on one rank")
    if how == "thread":
        thread_fails()
    if how == "exit":
        sys.exit(7)
    if how == "exit text":
        sys.exit("no such file")
    if how == "interrupt":
        signal.raise_signal(signal.SIGINT)
    if how == "terminate":
        signal.raise_signal(signal.SIGTERM)


def main(how):
    if how == "before world" and os.environ["PMI_RANK"] == "1":
        fail("raise")
    comm = world()
    for step in range(5):
        if step == 3 and comm.rank == 1:
            print("about to fail", flush=True)
            fail(how)
        comm.all_reduce(np.ones(1000))
    print(f"rank {comm.rank} ends", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
