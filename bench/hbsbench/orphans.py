"""orphans.py - a process that ends with the one that started it, also if that one was killed: the child may wait in LoadGen for
ever."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def die_with(parent):
    """To be called by the child; `parent`: the process that started it."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    if os.getppid() != parent:  # it was killed before the call
        os.kill(os.getpid(), signal.SIGKILL)
