#!/usr/bin/env python3
"""check_vocabulary.py - docs/vocabulary.md against the sources: every function of both databases stands in its table, every name there
exists, and hbscore_NAME stands beside hbscore.NAME. Prints "N passed, M failed"."""

import glob
import re
import sys

failures = []
checks = 0


def check(right, text):
    global checks
    checks += 1
    if not right:
        failures.append(text)


def table_functions():
    """The table-valued functions by their names, with their visible columns: each sq_table_function says both."""
    found = {}
    for path in sorted(glob.glob("sqlite/sq_*.c")):
        source = re.sub(r'"\s*\n\s*"', "", open(path).read())
        for name, declared in re.findall(r'\.name = "hbscore_(\w+)",\s*\.declaration = "CREATE TABLE x\((.*?)\)"', source, flags=re.S):
            found[name] = [c.split()[0] for c in declared.split(",") if "HIDDEN" not in c]
    return found


def sqlite_functions():
    """Names in the lists of sq_init.c, without those of test builds, and the table-valued ones; the parts of other functions are among
    them."""
    source = open("sqlite/sq_init.c").read()
    header = open("sqlite/sq_hbscore.h").read()
    source = re.sub(r"#ifdef SQ_COUNTERS.*?#endif", "", source, flags=re.S)
    lists = re.findall(r"^static const (?:scalar|aggregate|module) \w+\[\] = \{(.*?)^\};", source, flags=re.S | re.M)
    assert len(lists) == 3, "the lists of sq_init.c look different"
    macros = dict(re.findall(r'^#define (SQ_\w+) "(\w+)"', header, flags=re.M))
    return {macros.get(name) or name.strip('"') for text in lists for name in re.findall(r'\{("\w+"|SQ_\w+),', text)} | {
        "hbscore_" + name for name in table_functions()}


def sqlite_columns():
    """Columns of the tables that registration makes, and of the table-valued functions that PostgreSQL has too."""
    made = open("sqlite/sq_register.c").read()
    columns = table_functions()
    for table in ("models", "aliases"):
        text = re.search(rf"CREATE TABLE IF NOT EXISTS main\.hbscore_{table}\((.*?)PRIMARY KEY", made, flags=re.S).group(1)
        columns[table] = re.findall(r'"\s+(\w+) (?:TEXT|INTEGER|BLOB)', text)
    return columns


def script():
    text = re.sub(r"--[^\n]*", "", open("postgres/hbscore--0.1.0.sql").read())
    return text.replace("pg_catalog.", "").replace('"', "")


def arguments_of(text, start):
    """What stands between the bracket before `start` and the one that closes it."""
    depth = 1
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return text[start:i]
    raise AssertionError("an open bracket in the script")


def postgres_functions(text):
    """Those that everybody may call, without the parts of the type and of its operators."""
    revoked = "".join(re.findall(r"REVOKE EXECUTE ON FUNCTION (.*?) FROM PUBLIC", text, flags=re.S))
    hidden = {name for name in re.findall(r"hbscore\.(\w+)\(", revoked)}
    names = set()
    for schema, name in re.findall(r"CREATE (?:FUNCTION|AGGREGATE) (@extschema@|hbscore)\.(\w+)\(", text):
        if name not in hidden and not name.startswith("model_ref_"):
            names.add(name if schema == "@extschema@" else "hbscore." + name)
    return names


def postgres_columns(text, functions):
    columns = {}
    for table in ("models", "aliases"):
        start = text.index(f"CREATE TABLE hbscore.{table} (") + len(f"CREATE TABLE hbscore.{table} (")
        columns[table] = re.findall(r"^\s+([a-z]\w+) (?:text|int4|bytea|jsonb|timestamptz)\b", arguments_of(text, start), flags=re.M)
    for function in functions:
        shapes = set()
        for match in re.finditer(rf"CREATE FUNCTION hbscore\.{function}\(", text):
            form = text[match.end():text.index(";", match.end())]
            if "TABLE (" not in form:  # one that gives a value beside it
                continue
            start = match.end() + form.index("TABLE (") + len("TABLE (")
            shapes.add(tuple(c.split()[0] for c in arguments_of(text, start).split(",")))
        assert len(shapes) == 1, f"the forms of hbscore.{function} have other columns each"
        columns[function] = list(shapes.pop())
    return columns


def settings():
    ours = set(re.findall(r'^    \{"(\w+)", [A-Z]+, offsetof', open("sqlite/sq_settings.c").read(), flags=re.M))
    theirs = set(re.findall(r'DefineCustom\w+\("hbscore\.(\w+)"', open("postgres/pg_settings.c").read()))
    return tuple({name for name in names if not name.startswith("debug_")} for names in (ours, theirs))


def table_rows(page, heading):
    """The first table below a heading, as lists of cells."""
    section = page.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    tables = [block for block in section.split("\n\n") if block.startswith("| ")]
    return [[[c.strip() for c in line.strip("|").split(" | ")] for line in table.split("\n")[2:]] for table in tables]


def name_in(cell):
    match = re.match(r"`([\w.]+)", cell)
    return match.group(1) if match else None


def main():
    page = open("docs/vocabulary.md").read()
    text = script()
    rows = table_rows(page, "Functions")[0]
    in_sqlite, in_postgres = sqlite_functions(), postgres_functions(text)
    parts = re.search(r"Some functions are parts of others.*", page, flags=re.S).group(0).split("\n\n")[0]
    private = set(re.findall(r"`(hbscore_\w+)`", parts)) - {"hbscore_drop"}
    commands = {"SET", "SHOW"}
    first = {name_in(row[0]) for row in rows} - {None}
    second = {name_in(row[1]) for row in rows} - {None} - commands
    for name in sorted(in_sqlite - private):
        check(name in first, f"the page lacks SQLite's {name}")
    for name in sorted(in_postgres):
        check(name in second, f"the page lacks PostgreSQL's {name}")
    for name in sorted((first | private) - in_sqlite):
        check(False, f"SQLite has no {name}")
    for name in sorted(second - in_postgres):
        check(False, f"PostgreSQL has no {name}")
    check(not first & private, "a part of another function stands in the table")
    for row in rows:
        ours, theirs = name_in(row[0]), name_in(row[1])
        check(len(row) == 3 and (row[2] or None in (ours, theirs)), f"row {row}: it does not say whether both are the same")
        if ours and theirs and theirs not in commands:
            check(theirs == re.sub(r"^hbscore_", "hbscore.", ours), f"{ours} stands beside {theirs}")
            check(row[2].startswith("yes"), f"{ours} has one name and two meanings")
    functions = table_functions()
    check({"inspect", "plan", "verify"} <= set(functions), f"table-valued functions of SQLite: {sorted(functions)}")
    ours, theirs = sqlite_columns(), postgres_columns(text, functions)
    for place in functions:
        check(ours[place] == theirs[place], f"{place} gives {ours[place]} and {theirs[place]}")
    for place, table in zip(("models", "aliases"), table_rows(page, "Tables")):
        listed = [name_in(row[0]) for row in table]
        check(sorted(ours[place]) == sorted(theirs[place]), f"{place} has {ours[place]} and {theirs[place]}")
        check(sorted(ours[place]) == sorted(listed), f"the page says that {place} has {listed}")
    ours, theirs = settings()
    listed = {name for row in table_rows(page, "Options and settings")[0] for name in re.findall(r"`(\w+)`", row[0])}
    check(ours <= theirs, f"settings of SQLite alone: {ours - theirs}")
    check(listed == theirs, f"the page lists the settings {listed}, PostgreSQL has {theirs}")
    for line in failures:
        print(line)
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
