"""smith.py - random statements with predict in every place, each with hbscore.batch off and on: the same rows in the same
order up to the same error, as many calls of a volatile function, the same values seen by a function among the arguments,
and never an internal error. A statement that works row by row works in blocks.

    smith.py [--seed S] [--queries N | --seconds T] [--only N] [--show]

Beside a server (tools/postgres_server.sh), in the repository's root. A fault is printed with its seed and number, made
smaller: --seed S --only N runs it again. Row by row means: rows that a statement has given before an error are compared
too, so an error must be raised for the row that it is raised for by row.
"""

import argparse
import os
import random
import re
import sys
import time

from libpq import Connection, Gone
from queries import Maker

HERE = os.path.dirname(os.path.abspath(__file__))
SWITCHES = ('enable_hashjoin', 'enable_mergejoin', 'enable_nestloop', 'enable_seqscan', 'enable_indexscan', 'enable_bitmapscan',
            'enable_indexonlyscan', 'enable_hashagg', 'enable_sort', 'enable_incremental_sort', 'enable_material',
            'enable_memoize', 'enable_async_append')
# The same rows in any order; what is read first by chance may be the error that is raised.
UNORDERED = re.compile(r'Gather|Async Foreign Scan')
# Where rows may be left that nobody asks for, conditions (and no arguments of calls) are evaluated ahead.
IN_PART = re.compile(r'Limit|Semi|Anti|Join|Nested Loop|SubPlan|InitPlan')
# PostgreSQL's own, where the statement divides: which comes first, or whether one of a model does, differs.
OF_ARGUMENTS = ('22012', '22003')
SKIPPED = ('57014', '55P03', '54001')


def register(connection, name, path, options='{}'):
    with open(path, 'rb') as file:
        connection.must(f"SELECT hbscore.register_model('{name}', '\\x{file.read().hex()}', options => '{options}')")


def prepare(database):
    admin = Connection('dbname=postgres')
    admin.must('SET client_min_messages = error')
    admin.must(f'DROP DATABASE IF EXISTS {database}')
    admin.must('DROP ROLE IF EXISTS smith_reader')
    admin.must(f'CREATE DATABASE {database}')
    admin.close()
    connection = Connection(f'dbname={database}')
    connection.must('SET client_min_messages = error; CREATE EXTENSION hbscore')
    register(connection, 'number', 'test/golden/xgboost/regressor_34.json')
    register(connection, 'titanic', 'demo/models/titanic.json', '{"classes": ["died", "survived"]}')
    register(connection, 'lenient', 'demo/models/titanic.json', '{"classes": ["died", "survived"], "on_unseen": "null"}')
    with open(os.path.join(HERE, 'tables.sql'), encoding='utf-8') as file:
        connection.must(file.read())
    connection.must('ANALYZE')     # reads the foreign tables too, over a connection that must see them
    connection.close()


# ---------------------------------------------------------------- a case: what is run twice

class Case:
    """Settings, statements that are all run until one fails, and what is looked at after them."""

    def __init__(self, seed, number):
        self.random = random.Random(f'{seed}/{number}')
        self.maker = Maker(self.random)
        self.settings = self.choose_settings()
        self.after = None
        self.statements = self.choose_statements()
        if self.maker.reads:
            self.settings['role'] = 'smith_reader'

    def choose_settings(self):
        chosen = {name: 'off' for name in SWITCHES if self.random.random() < 0.12}
        chosen['hbscore.batch_rows'] = self.random.choice((0, 0, 1, 2, 3, 7, 33, 100))
        if self.maker.trouble and self.random.random() < 0.5:
            chosen['enable_hashagg'] = 'off'
        if self.random.random() < 0.1:
            chosen.update(parallel_setup_cost=0, parallel_tuple_cost=0, min_parallel_table_scan_size=0,
                          max_parallel_workers_per_gather=2)
        if self.random.random() < 0.2:
            chosen.update(enable_partitionwise_aggregate='on', enable_partitionwise_join='on')
        if self.random.random() < 0.01:
            chosen.update(jit='on', jit_above_cost=0, jit_inline_above_cost=-1, jit_optimize_above_cost=-1)
        if self.random.random() < 0.2:
            chosen['role'] = 'smith_reader'
        return chosen

    def choose_statements(self):
        n = self.random.random()
        if n < 0.12:
            self.settings.pop('role', None)
            text, self.after = self.maker.write()
            return [text]
        if n < 0.22:
            return self.prepared()
        if n < 0.34:
            return self.cursor()
        return [self.maker.select()]

    def prepared(self):
        self.maker.parameters = []
        text = self.maker.select()
        types = ', '.join(type for type, _ in self.maker.parameters)
        values = ', '.join(value for _, value in self.maker.parameters)
        self.settings['plan_cache_mode'] = self.random.choice(('auto', 'force_generic_plan', 'force_custom_plan'))
        run = f'EXECUTE q ({values})' if values else 'EXECUTE q'
        return [f'PREPARE q {f"({types})" if types else ""} AS {text}'] + [run] * self.random.choice((1, 2, 7))

    def cursor(self):
        scroll = self.random.random() < 0.4
        hold = self.random.random() < 0.2
        self.settings['cursor_tuple_fraction'] = self.random.choice((0.1, 1))
        steps = ['FETCH 1', 'FETCH 3', 'FETCH 40', 'MOVE 2', 'FETCH ALL', 'FETCH 7']
        if scroll:
            steps += ['FETCH BACKWARD 3', 'FETCH FIRST', 'FETCH LAST', 'FETCH ABSOLUTE 34', 'FETCH BACKWARD ALL', 'FETCH RELATIVE -2']
        chosen = [self.random.choice(steps) + ' FROM c' if not step else 'CLOSE c' for step in [0] * self.random.randrange(1, 6) + [1]]
        return [f'DECLARE c {"SCROLL" if scroll else "NO SCROLL"} CURSOR {"WITH HOLD " if hold else ""}FOR {self.maker.select()}'] + chosen

    def main(self):
        return self.statements[0]


class Runner:
    def __init__(self, database):
        self.database = database
        self.connect()

    def connect(self):
        for _ in range(100):
            try:
                self.connection = Connection(f'dbname={self.database}')
                break
            except Gone:
                time.sleep(0.1)
        self.connection.must('SET client_min_messages = error; SET jit = off; SET statement_timeout = 2000; SET lock_timeout = 1000')

    def plan(self, case, statements):
        first = statements[0]
        explained = statements[1] if first.startswith('PREPARE') else re.sub(r'^DECLARE c .*? FOR ', '', first, count=1)
        self.begin(case, 'on')
        if first.startswith('PREPARE'):
            self.connection.run(first)
        rows, error = self.connection.run('EXPLAIN (COSTS OFF) ' + explained)
        self.connection.run('ROLLBACK; DEALLOCATE ALL')
        return '' if error else '\n'.join(row[0] for row in rows)

    def begin(self, case, batch):
        settings = ''.join(f"SET LOCAL {name} = '{value}';" for name, value in case.settings.items())
        self.connection.must(f"SELECT setval('numbers', 1); SET smith.seen = ''; BEGIN; SET LOCAL hbscore.batch = {batch}; {settings}")

    def run(self, case, statements, batch):
        """[rows of each statement, what they left], the error, how often nextval was called, what peek saw."""
        self.begin(case, batch)
        answers, error = [], None
        for statement in statements + ([case.after] if case.after else []):
            rows, error = self.connection.run(statement)
            answers.append(rows)
            if error:
                break
        seen = None if error else set(self.connection.must('SHOW smith.seen')[0][0].split())
        self.connection.run('ROLLBACK; DEALLOCATE ALL')
        return answers, error, self.connection.must('SELECT last_value FROM numbers')[0][0], seen


# ---------------------------------------------------------------- the judge

def unordered(answers):
    return [sorted(rows, key=repr) for rows in answers]


def is_internal(error):
    return error is not None and (error.sqlstate.startswith('XX') or 'cannot go backward' in error.message)


def is_of_model(error):
    return 'model' in error.message


def same_error(one, two):
    """Of several errors in a row, the first that is found counts, and which that is may differ."""
    if one is None or two is None:
        return one is two
    return one == two or (one.sqlstate not in OF_ARGUMENTS and is_of_model(one) and is_of_model(two))


def is_by_chance(one, two, plan):
    """Of a parallel plan a LIMIT takes the rows that come first; whether one is an error depends on who reads which page when."""
    return UNORDERED.search(plan) and 'Limit' in plan and all(error is None or is_of_model(error) for error in (one, two))


def is_read_in_part(case, plan):
    return IN_PART.search(plan) or case.main().startswith('DECLARE')


def fault(case, off, on, plan):
    """What is wrong, or None."""
    if is_internal(on[1]):
        return f'internal error: {on[1]}'
    if any(run[1] and run[1].sqlstate in SKIPPED for run in (off, on)):
        return None
    if any(run[1] and run[1].sqlstate in OF_ARGUMENTS for run in (off, on)):
        return None if off[1] or is_read_in_part(case, plan) else f'works by row; in blocks {on[1]}'
    loose = UNORDERED.search(plan)
    if not same_error(off[1], on[1]):
        return None if is_by_chance(off[1], on[1], plan) else f'errors: by row {off[1]}; in blocks {on[1]}'
    if loose and off[1]:
        return None
    rows = [unordered(run[0]) if loose else run[0] for run in (off, on)]
    if rows[0] != rows[1]:
        return f'rows: by row {[len(r) for r in off[0]]}, in blocks {[len(r) for r in on[0]]}, {first_difference(*rows)}'
    # What can go backward by itself calls a function again for a row that it comes back to.
    if off[2] != on[2] and not case.main().startswith('DECLARE c SCROLL'):
        return f'nextval called {off[2]} and {on[2]} times'
    if off[3] != on[3] and not is_read_in_part(case, plan):
        return f'values seen: by row alone {off[3] - on[3]}, in blocks alone {on[3] - off[3]}'
    return None


def first_difference(one, two):
    for a, b in zip(one, two):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return f'row {i + 1}: {x} and {y}'
    return 'the others are missing'


def judge(runner, case, statements, plan):
    """The fault, unless what is compared differs from run to run anyway: each write makes its table longer, and a hash table
    that is sized by that gives its rows in another order once it is twice as large."""
    off = runner.run(case, statements, 'off')
    on = runner.run(case, statements, 'on')
    found = fault(case, off, on, plan)
    if found and not is_internal(on[1]) and fault(case, off, runner.run(case, statements, 'off'), plan):
        return None, off, on
    if found and UNORDERED.search(plan):
        for _ in range(4):
            if fault(case, off, runner.run(case, statements, 'off'), plan) or \
                    not fault(case, off, runner.run(case, statements, 'on'), plan):
                return None, off, on
    return found, off, on


# ---------------------------------------------------------------- smaller

TOKEN = re.compile(r"'[^']*'|[\w.$]+|::|\S")


def class_of(found):
    return re.sub(r'\d+|[\'"].*', '', found)[:30]


def smaller(runner, case, found, seconds=20):
    """The first statement without what the fault does not need: spans of its tokens are left out while it stays."""
    tokens = TOKEN.findall(case.main())
    until = time.time() + seconds
    size = len(tokens) // 2

    def stays(shorter):
        try:
            statements = [' '.join(shorter)] + case.statements[1:]
            still, _, on = judge(runner, case, statements, runner.plan(case, statements))
        except Gone:
            runner.connect()
            return False
        return still is not None and class_of(still) == class_of(found)

    while size > 0 and time.time() < until:
        i, shrunk = 0, False
        while i < len(tokens) and time.time() < until:
            shorter = tokens[:i] + tokens[i + size:]
            if stays(shorter):
                tokens, shrunk = shorter, True
            else:
                i += max(size // 2, 1)
        size = size if shrunk and size == 1 else size // 2
    return ' '.join(tokens)


# ---------------------------------------------------------------- all of it

class Totals:
    def __init__(self):
        self.cases = self.batched = self.errors = self.refused = self.faults = self.skipped = self.rows = 0


def report(runner, case, seed, number, found, totals):
    totals.faults += 1
    print(f'FAULT  seed {seed}, query {number}: {found}')
    print('       settings: ' + ', '.join(f'{name}={value}' for name, value in case.settings.items()))
    if not found.startswith('the server'):
        print('       smaller: ' + smaller(runner, case, found))
    for statement in case.statements:
        print('       ' + statement)
    sys.stdout.flush()


def run_case(runner, seed, number, totals, show):
    case = Case(seed, number)
    if show:
        print(case.settings, *case.statements, sep='\n')
    try:
        plan = runner.plan(case, case.statements)
        found, off, on = judge(runner, case, case.statements, plan)
    except Gone as gone:
        report(runner, case, seed, number, f'the server went away: {gone}', totals)
        runner.connect()
        return
    if show:
        print(plan, f'by row: {off}', f'in blocks: {on}', sep='\n')
    totals.cases += 1
    totals.batched += 'HbPredict' in plan
    totals.skipped += any(run[1] is not None and run[1].sqlstate in SKIPPED for run in (off, on))
    totals.errors += off[1] is not None and is_of_model(off[1])
    totals.refused += off[1] is not None and off[1].sqlstate.startswith('42')
    totals.rows += sum(len(rows) for rows in off[0])
    if found:
        report(runner, case, seed, number, found, totals)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--queries', type=int, default=1000)
    parser.add_argument('--seconds', type=float)
    parser.add_argument('--only', type=int)
    parser.add_argument('--show', action='store_true')
    options = parser.parse_args()
    prepare('smith')
    runner, totals, begun, number = Runner('smith'), Totals(), time.time(), 0
    if options.only is not None:
        run_case(runner, options.seed, options.only, totals, True)
    else:
        while time.time() - begun < options.seconds if options.seconds else number < options.queries:
            run_case(runner, options.seed, number, totals, options.show)
            number += 1
    print(f'seed {options.seed}: {totals.cases} statements, {totals.batched} with a node, {totals.rows} rows, '
          f'{totals.errors} end with an error of a model, {totals.refused} are refused, {totals.skipped} take too long')
    print(f'{totals.cases - totals.faults} passed, {totals.faults} failed')
    sys.exit(totals.faults > 0)


if __name__ == '__main__':
    main()
