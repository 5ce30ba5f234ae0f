"""binding.py - the processors that the threads and processes of a run are bound to, so that LoadGen takes no time from what it measures:
its thread has the first one, and what serves has the others. A system that LoadGen calls in its own thread shares it, and has as many
processors as threads."""

import os
import pathlib

NOT_BOUND = "not_bound"


def processors():
    """Those that this process may use."""
    return sorted(os.sched_getaffinity(0))


def planned(processors, apart, threads=1, workers=0):
    """{"generator": [..], "system": [..]}, or {"not_bound": why}. `apart`: the system is in other threads or processes than LoadGen. `threads`:
    of its library's pool. `workers`: parallel ones of a database, whose processes nobody knows before they are there."""
    if len(processors) < 2:
        return {NOT_BOUND: "there is one processor"}
    if workers:
        return {NOT_BOUND: "parallel workers are processes that the server starts"}
    if not apart:
        return {"generator": processors[-threads:], "system": processors[-threads:]}
    if threads >= len(processors):
        return {NOT_BOUND: "the library has as many threads as there are processors"}
    return {"generator": processors[:1], "system": processors[1:]}


def is_server(process):
    """True of a process of PostgreSQL's server on this machine."""
    try:
        return pathlib.Path(f"/proc/{process}/comm").read_text().strip() == "postgres"
    except OSError:
        return False


def bound(sessions, apart, threads, workers):
    """Binds this thread and the servers of the sessions; what was planned, or why nothing is bound."""
    servers = [process for process in dict.fromkeys(session.process() for session in sessions) if process != os.getpid()]
    plan = planned(processors(), apart or bool(servers), threads, workers)
    if NOT_BOUND in plan:
        return plan
    if not all(map(is_server, servers)):
        return {NOT_BOUND: "the server is on another machine"}
    try:
        for server in servers:
            os.sched_setaffinity(server, plan["system"])
        os.sched_setaffinity(0, plan["generator"])
    except PermissionError:
        return {NOT_BOUND: "the server belongs to another user"}
    return plan
