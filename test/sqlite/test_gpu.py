#!/usr/bin/python3
"""Scores through SQLite by the GPU that is there: test_gpu.py EXTENSION

Forests of several connections and threads have the CPU's bits; a statement that is repeated takes no more memory of the
GPU; behind a kernel that ends the context of the process the CPU scores. The extension lies beside hbscore_cuda.so.
`make check-gpu` runs this on a machine with a GPU, and the suite `sqlite-gpu` beside the fake driver. Needs no
packages."""

from __future__ import annotations

import ctypes
import shutil
import sys
from typing import Any, List

from hbscore_test import check, error_of, finish
from test_device import FEW, ROWS, SCAN, WORK, apart, ask, connect, make_file, on_cuda, score_in_threads, status

TRAP = b".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry hbt_trap()\n{\n    trap;\n}\n\0"


def trap() -> List[int]:
    """A kernel with a fault, as another library in this process may have it: it ends their common context."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    results = [
        cuda.cuDeviceGet(ctypes.byref(device), 0),
        cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device),
        cuda.cuCtxPushCurrent_v2(context),
        cuda.cuModuleLoadData(ctypes.byref(module), TRAP),
        cuda.cuModuleGetFunction(ctypes.byref(function), module, b"hbt_trap"),
        cuda.cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, None, None, None),
    ]
    cuda.cuCtxPopCurrent_v2(ctypes.byref(context))
    return results


def open_device() -> Any:
    connection = connect()
    refused = error_of(connection, "SELECT hbscore_set('device', 'cuda')")
    return [status(connection), refused]


def scores(wanted: List[Any]) -> List[Any]:
    connection = on_cuda()
    results = [ask(connection, SCAN) == wanted, ask(connection, "SELECT prediction FROM v") == wanted]
    return results + [ask(connection, SCAN + " LIMIT 20000") == wanted[:20000], score_in_threads(wanted)]


def repeated() -> List[Any]:
    connection, used = on_cuda(), []
    for _ in range(20):
        ask(connection, FEW)
        on_cuda().close()
        used.append(status(connection)["used"])
    return [len(set(used))]


def dead(wanted: List[Any]) -> List[Any]:
    connection = on_cuda(False)
    before = ask(connection, SCAN) == wanted
    trapped = trap()
    after = [ask(connection, SCAN) == wanted for _ in range(2)]
    return [before, trapped, after, status(connection).get("reason", "")[:31]]


def main() -> int:
    wanted = make_file()
    there, refused = apart(open_device)
    print("%s, %s bytes" % (there.get("name", refused), there.get("memory")))
    check(there["device"] == "cuda", "the GPU: %s" % refused)
    got = apart(scores, wanted)
    check(got == [True, True, True, [True] * 6], "scores: %s" % got)
    got = apart(repeated)
    check(got == [1], "memory of %d rows, again and again: %s" % (ROWS, got))
    got = apart(dead, wanted)
    check(got == [True, [0] * 6, [True, True], "the GPU has failed: CUDA error "], "a dead GPU: %s" % got)
    shutil.rmtree(WORK)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
