"""libpq.py - the little of PostgreSQL's client library that smith.py needs, by ctypes: statements as text, their rows one by
one as the server sends them, so that those before an error are known too."""

import ctypes

PQ = ctypes.CDLL('libpq.so.5')
for name, result, arguments in (
    ('PQconnectdb', ctypes.c_void_p, [ctypes.c_char_p]),
    ('PQstatus', ctypes.c_int, [ctypes.c_void_p]),
    ('PQerrorMessage', ctypes.c_char_p, [ctypes.c_void_p]),
    ('PQfinish', None, [ctypes.c_void_p]),
    ('PQsendQuery', ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]),
    ('PQsetSingleRowMode', ctypes.c_int, [ctypes.c_void_p]),
    ('PQsetNoticeProcessor', ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]),
    ('PQgetResult', ctypes.c_void_p, [ctypes.c_void_p]),
    ('PQresultStatus', ctypes.c_int, [ctypes.c_void_p]),
    ('PQntuples', ctypes.c_int, [ctypes.c_void_p]),
    ('PQnfields', ctypes.c_int, [ctypes.c_void_p]),
    ('PQgetvalue', ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]),
    ('PQgetisnull', ctypes.c_int, [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]),
    ('PQresultErrorField', ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_int]),
    ('PQclear', None, [ctypes.c_void_p]),
):
    getattr(PQ, name).restype = result
    getattr(PQ, name).argtypes = arguments

FATAL_ERROR = 7
SILENT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)(lambda data, message: None)


class Gone(Exception):
    """The server has closed the connection."""


class Error:
    def __init__(self, result):
        self.sqlstate, self.message, self.detail, self.hint = (
            (PQ.PQresultErrorField(result, ord(field)) or b'').decode('utf-8', 'replace') for field in 'CMDH')

    def __eq__(self, other):
        return isinstance(other, Error) and vars(self) == vars(other)

    def __str__(self):
        return f'{self.sqlstate} {self.message}'


class Connection:
    def __init__(self, options=''):
        self.handle = PQ.PQconnectdb(options.encode())
        if PQ.PQstatus(self.handle) != 0:
            raise Gone(PQ.PQerrorMessage(self.handle).decode())
        PQ.PQsetNoticeProcessor(self.handle, ctypes.cast(SILENT, ctypes.c_void_p), None)

    def close(self):
        PQ.PQfinish(self.handle)

    def run(self, text):
        """All rows of the statements in `text`, and the error that ended them, or None."""
        if not PQ.PQsendQuery(self.handle, text.encode()):
            raise Gone(PQ.PQerrorMessage(self.handle).decode())
        PQ.PQsetSingleRowMode(self.handle)
        rows, error = [], None
        while result := PQ.PQgetResult(self.handle):
            if PQ.PQresultStatus(result) == FATAL_ERROR:
                error = Error(result)
            fields = range(PQ.PQnfields(result))
            for i in range(PQ.PQntuples(result)):
                rows.append(tuple(None if PQ.PQgetisnull(result, i, f) else PQ.PQgetvalue(result, i, f).decode()
                                  for f in fields))
            PQ.PQclear(result)
        if PQ.PQstatus(self.handle) != 0:
            raise Gone(str(error or PQ.PQerrorMessage(self.handle).decode()))
        return rows, error

    def must(self, text):
        rows, error = self.run(text)
        if error:
            raise SystemExit(f"{error}: {text[:200]}")
        return rows
