"""pools.py - the thread pools of a library: OpenMP's, those of BLAS, and the library's own. All are set to one number, which a record
states. Their variables are set before a process starts, for pools that are made as a library is loaded (driver.py); pools that are
there already are set here."""

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def environment(threads):
    return dict.fromkeys(VARIABLES, str(threads))


def set_to(threads):
    """The pools of this process, [{"pool", "threads"}], after they were set. None: nothing here can tell."""
    try:
        import threadpoolctl
    except ImportError:
        return None
    threadpoolctl.threadpool_limits(threads)
    return sorted(({"pool": f"{found['internal_api']} ({found['prefix']})", "threads": found["num_threads"]} for found in threadpoolctl.threadpool_info()),
                  key=lambda pool: pool["pool"])
