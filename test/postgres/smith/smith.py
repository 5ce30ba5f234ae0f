"""smith.py - random statements with predict in every place, each with hbscore.batch off and on: the same rows in the same
order up to the same error, as many calls of a volatile function, the same values seen by a function among the arguments,
and never an internal error. A statement that works row by row works in blocks. Where rows may be hidden, it is run too with
functions in place of ours that the planner does not know (plain.sql); and what a role makes under the extension's own names
(own_names.py) changes no answer. The roles have no privileges beyond scoring and registering.

    smith.py [--seed S] [--queries N | --seconds T] [--only N] [--show]

Beside a server (tools/postgres_server.sh), in the repository's root. A fault is printed with its seed and number, made
smaller: --seed S --only N runs it again. Row by row means: rows that a statement has given before an error are compared
too, so an error must be raised for the row that it is raised for by row.
"""

import argparse
import json
import os
import random
import re
import sys
import time

from libpq import Connection, Error, Gone
from own_names import FIRST, asked, made
from queries import HIDING, NUMBERED, Maker

HERE = os.path.dirname(os.path.abspath(__file__))
SWITCHES = ('enable_hashjoin', 'enable_mergejoin', 'enable_nestloop', 'enable_seqscan', 'enable_indexscan', 'enable_bitmapscan',
            'enable_indexonlyscan', 'enable_hashagg', 'enable_sort', 'enable_incremental_sort', 'enable_material',
            'enable_memoize', 'enable_async_append')
# The same rows in any order; what is read first by chance may be the error that is raised.
UNORDERED = re.compile(r'Gather|Async Foreign Scan')
# The order of rows depends on how large a table is thought to be, and the tables of plain functions are others.
HASHED = re.compile(r'Hash|Mixed')
# Where rows may be left that nobody asks for, conditions (and no arguments of calls) are evaluated ahead.
IN_PART = re.compile(r'Limit|Semi|Anti|Join|Nested Loop|SubPlan|InitPlan')
# PostgreSQL's own, where the statement divides: which comes first, or whether one of a model does, differs.
OF_ARGUMENTS = ('22012', '22003')
SKIPPED = ('57014', '55P03', '54001')
# A model is not dropped while something uses it, of whoever it is.
USED = '2BP01'
# PostgreSQL's own, with any function: UPDATE of a foreign table with a join and its whole row, where that is no tuple of the scan's.
WRONG_TYPE = re.compile(r'attribute \d+ of type record has wrong type')
ROLES = ('smith_scorer', 'smith_scorer', 'smith_registrar')
SCRIPTS = (('tables.sql', 'public'), ('plain.sql', 'public'), ('scores.sql', 'public'), ('scores.sql', 'plain, public'),
           ('rights.sql', 'public'))
# What runs a query within itself; EXPLAIN shows the query alone.
AROUND = re.compile(r'DECLARE c .*? FOR (.*)|SELECT \* FROM (?:looped|changed) ?\( ?\$q\$(.*?)\$q\$.*', re.DOTALL)
HIDDEN = re.compile(rf'\bpeek\b|\b({"|".join(HIDING)})\b')


def register(connection, name, path, options='{}'):
    with open(path, 'rb') as file:
        connection.must(f"SELECT hbscore.register('{name}', '\\x{file.read().hex()}', options => '{options}')")


def register_some(connection):
    """As the model number, but of its four features only the first and the last matter."""
    with open('test/golden/xgboost/regressor_34.json', encoding='utf-8') as file:
        model = json.load(file)
    for tree in model['learner']['gradient_booster']['model']['trees']:
        tree['split_indices'] = [3 if feature in (1, 2) else feature for feature in tree['split_indices']]
    connection.must(f"SELECT hbscore.register('some', '\\x{json.dumps(model).encode().hex()}')")


def prepare(database):
    admin = Connection('dbname=postgres')
    admin.must('SET client_min_messages = error')
    admin.must(f'DROP DATABASE IF EXISTS {database}')
    admin.must('DROP ROLE IF EXISTS smith_scorer, smith_registrar, smith_owner, smith_member')
    admin.must(f'CREATE DATABASE {database}')
    admin.close()
    connection = Connection(f'dbname={database}')
    connection.must('SET client_min_messages = error; CREATE EXTENSION hbscore')
    register(connection, 'number', 'test/golden/xgboost/regressor_34.json')
    register_some(connection)
    register(connection, 'titanic', 'demo/models/titanic.json', '{"classes": ["died", "survived"]}')
    register(connection, 'lenient', 'demo/models/titanic.json', '{"classes": ["died", "survived"], "on_unseen": "null"}')
    register(connection, 'pipeline', 'demo/models/titanic_pipeline.json')
    for script, path in SCRIPTS:
        with open(os.path.join(HERE, script), encoding='utf-8') as file:
            connection.must(f'SET search_path = {path}; {file.read()}')
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
        self.compared = False       # with plain PostgreSQL
        self.made = None            # under the extension's own names; then a statement may fail, and the next is run
        self.statements = self.choose_statements()

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
        if self.random.random() < 0.1:
            chosen.update({'hbscore.plan_cache_size': 0, 'work_mem': 64})
        if self.random.random() < 0.01:
            chosen.update(jit='on', jit_above_cost=0, jit_inline_above_cost=-1, jit_optimize_above_cost=-1)
        chosen['role'] = self.random.choice(ROLES)
        return chosen

    def choose_statements(self):
        n = self.random.random()
        if n < 0.12:
            text, self.after = self.maker.write()
            return [text]
        if n < 0.20:
            return self.prepared()
        if n < 0.29:
            return self.cursor()
        if n < 0.32:
            return [f'SELECT * FROM looped( $q$ {self.maker.select()} $q$ , {self.random.choice((1, 3, 40, 0))})']
        if n < 0.36:
            return self.at_cursor()
        if n < 0.42:
            self.made = made(self.random)
            return asked(self.random)
        return [self.maker.select()]

    def prepared(self):
        """The role may change behind PREPARE: policies are those of who runs it."""
        self.maker.parameters = []
        text = self.maker.select()
        types = ', '.join(type for type, _ in self.maker.parameters)
        values = ', '.join(value for _, value in self.maker.parameters)
        self.settings['plan_cache_mode'] = self.random.choice(('auto', 'force_generic_plan', 'force_custom_plan'))
        runs = [f'EXECUTE q ({values})' if values else 'EXECUTE q'] * self.random.choice((1, 2, 7))
        if self.random.random() < 0.4:
            runs += [f'SET LOCAL role = {self.random.choice(ROLES)}', runs[0]]
        return [f'PREPARE q {f"({types})" if types else ""} AS {text}'] + runs

    def cursor(self):
        scroll = self.random.random() < 0.4
        hold = self.random.random() < 0.2
        self.settings['cursor_tuple_fraction'] = self.random.choice((0.1, 1))
        steps = ['FETCH 1', 'FETCH 3', 'FETCH 40', 'MOVE 2', 'FETCH ALL', 'FETCH 7']
        if scroll:
            steps += ['FETCH BACKWARD 3', 'FETCH FIRST', 'FETCH LAST', 'FETCH ABSOLUTE 34', 'FETCH BACKWARD ALL', 'FETCH RELATIVE -2']
        chosen = [self.random.choice(steps) + ' FROM c' if not step else 'CLOSE c' for step in [0] * self.random.randrange(1, 6) + [1]]
        return [f'DECLARE c {"SCROLL" if scroll else "NO SCROLL"} CURSOR {"WITH HOLD " if hold else ""}FOR {self.maker.select()}'] + chosen

    def at_cursor(self):
        """WHERE CURRENT OF, which needs a plain scan: only by auto."""
        query, change, self.after = self.maker.at_cursor()
        self.settings['hbscore.batch'] = 'auto'
        if self.random.random() < 0.5:
            return [f'SELECT * FROM changed( $q$ {query} $q$ , $q$ {change} $q$ )']
        return [f'DECLARE c NO SCROLL CURSOR FOR {query}', 'FETCH 3 FROM c', change, 'FETCH 1 FROM c', change]

    def main(self):
        return self.statements[0]

    def may_hide(self):
        return not self.made and HIDDEN.search(self.main())


class Runner:
    def __init__(self, database):
        self.database = database
        self.connect()

    def connect(self):
        for _ in range(100):
            try:
                self.connection = Connection(f'dbname={self.database} user=smith_member')
                break
            except Gone:
                time.sleep(0.1)
        self.connection.must('SET client_min_messages = error; SET jit = off; SET statement_timeout = 2000; SET lock_timeout = 1000')

    def plan(self, case, statements, batch='on', path='public'):
        first = statements[0]
        around = AROUND.fullmatch(first)
        explained = statements[1] if first.startswith('PREPARE') else (around[1] or around[2]) if around else first
        self.begin(case, batch, path)
        if first.startswith('PREPARE'):
            self.connection.run(first)
        rows, error = self.connection.run('EXPLAIN (COSTS OFF) ' + explained)
        self.connection.run('ROLLBACK; DEALLOCATE ALL')
        return '' if error else '\n'.join(row[0] for row in rows)

    def begin(self, case, batch, path):
        """With the case's own hbscore.batch in the place of on."""
        settings = {'hbscore.batch': batch, **case.settings}
        if batch == 'off':
            settings['hbscore.batch'] = batch
        settings = ''.join(f"SET LOCAL {name} = '{value}';" for name, value in settings.items())
        self.connection.must(f"SELECT setval('numbers', 1); SET smith.seen = ''; BEGIN; SET LOCAL search_path = {path}; {settings}")

    def run(self, case, statements, batch, path='public'):
        """[rows of each statement, what they left], the error, how often nextval was called, what peek saw."""
        self.begin(case, batch, path)
        answers, error = [], None
        for statement in statements + ([case.after] if case.after else []):
            rows, error = self.connection.run(statement)
            answers.append(rows)
            if error:
                break
        seen = None if error else set(self.connection.must('SHOW smith.seen')[0][0].split())
        self.connection.run('ROLLBACK; DEALLOCATE ALL')
        return answers, error, self.connection.must('SELECT last_value FROM numbers')[0][0], seen

    def run_each(self, case, statements, batch):
        """Of each statement the error, or its rows."""
        self.begin(case, batch, 'public')
        answers = []
        for statement in statements:
            self.connection.must('SAVEPOINT s')
            rows, error = self.connection.run(statement)
            self.connection.must('ROLLBACK TO s' if error else 'RELEASE s')
            answers.append(error or rows)
        self.connection.run('ROLLBACK; DEALLOCATE ALL')
        return answers


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


def fault(case, off, on, plan, in_any_order=False):
    """What is wrong, or None."""
    if is_internal(on[1]):
        return f'internal error: {on[1]}'
    if any(run[1] and run[1].sqlstate in SKIPPED for run in (off, on)) or (off[1] and WRONG_TYPE.search(off[1].message)):
        return None
    if any(run[1] and run[1].sqlstate in OF_ARGUMENTS for run in (off, on)):
        return None if off[1] or is_read_in_part(case, plan) else f'works by row; in blocks {on[1]}'
    loose = in_any_order or UNORDERED.search(plan)
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
    if found and 'Foreign Scan' in plan:
        plan += runner.plan(case, statements, 'off')        # by row it may be asynchronous
        found = fault(case, off, on, plan)
    if found and not is_internal(on[1]) and fault(case, off, runner.run(case, statements, 'off'), plan):
        return None, off, on
    if found and UNORDERED.search(plan):
        for _ in range(4):
            if fault(case, off, runner.run(case, statements, 'off'), plan) or \
                    not fault(case, off, runner.run(case, statements, 'on'), plan):
                return None, off, on
    if not found and case.may_hide():
        found = hidden_rows(runner, case, on) or differs_from_plain(runner, case, statements, on, plan)
    return found, off, on


def hidden_rows(runner, case, on):
    """Rows of which a function took down the number, and which their reader does not see."""
    seen = {int(value) - NUMBERED for value in on[3] or () if value.isdigit() and int(value) > NUMBERED}
    if not seen or 'role' in ' '.join(case.statements[1:]):
        return None
    visible = runner.run(case, [f'SELECT id FROM {case.maker.behind}'], 'off', 'plain, public')[0][0]
    hidden = seen - {int(row[0]) for row in visible}
    return f'hidden rows seen: {hidden}' if hidden else None


def differs_from_plain(runner, case, statements, on, plan):
    """The fault by which it differs from the same functions where the planner does not know them, if their plan is the same."""
    path, hashed = 'plain, public', HASHED.search(plan)
    if 'Limit' in plan and (hashed or UNORDERED.search(plan)):
        return None
    case.compared = True
    found = fault(case, runner.run(case, statements, 'off', path), on, plan, hashed)
    if not found or runner.plan(case, statements, 'off') != runner.plan(case, statements, 'off', path):
        return None
    return f'other than plain PostgreSQL: {found}'


def judge_own_names(runner, case, before):
    """Without those names, and with them, row by row and in blocks."""
    n = len(case.statements)
    expected = runner.run_each(case, [*FIRST, *case.statements], 'off')[-n:]
    for batch in ('off', 'on'):
        statements = [*FIRST, *before, *case.statements]
        answers = runner.run_each(case, statements, batch)
        for statement, answer in zip(statements, answers):
            if isinstance(answer, Error) and is_internal(answer):
                return f'internal error: {answer} ({statement})'
        for statement, should, answer in zip(case.statements, expected, answers[-n:]):
            if isinstance(answer, Error) and answer.sqlstate == USED:
                break
            if answer != should:
                return f'own names, batch {batch}: {answer} instead of {should} ({statement})'
    return None


# ---------------------------------------------------------------- smaller

TOKEN = re.compile(r"'[^']*'|[\w.$]+|::|\S")


def class_of(found):
    return re.sub(r'\d+|[\'"].*', '', found)[:30]


def fewer_made(runner, case, found):
    kept = case.made
    for statement in case.made:
        fewer = [s for s in kept if s is not statement]
        still = judge_own_names(runner, case, fewer)
        if still and class_of(still) == class_of(found):
            kept = fewer
    return kept


def smaller(runner, case, found, seconds=20):
    """The first statement without what the fault does not need: spans of its tokens are left out while it stays."""
    tokens = TOKEN.findall(case.main())
    until = time.time() + seconds
    size = len(tokens) // 2

    if case.made:
        return '; '.join(fewer_made(runner, case, found))

    def stays(shorter):
        try:
            statements = [' '.join(shorter)] + case.statements[1:]
            still = judge(runner, case, statements, runner.plan(case, statements))[0]
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
        self.compared = self.made = 0


def report(runner, case, seed, number, found, totals):
    totals.faults += 1
    print(f'FAULT  seed {seed}, query {number}: {found}')
    print('       settings: ' + ', '.join(f'{name}={value}' for name, value in case.settings.items()))
    if not found.startswith('the server'):
        print('       smaller: ' + smaller(runner, case, found))
    for statement in (case.made or []) + case.statements:
        print('       ' + statement)
    sys.stdout.flush()


def count_made(runner, case, seed, number, totals):
    found = judge_own_names(runner, case, case.made)
    totals.cases += 1
    totals.made += len(case.made)
    if found:
        report(runner, case, seed, number, found, totals)


def run_case(runner, seed, number, totals, show):
    case = Case(seed, number)
    if show:
        print(case.settings, *case.statements, sep='\n')
    try:
        if case.made:
            count_made(runner, case, seed, number, totals)
            return
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
    totals.compared += case.compared
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
          f'{totals.errors} end with an error of a model, {totals.refused} are refused, {totals.skipped} take too long, '
          f'{totals.compared} compared with plain functions, {totals.made} objects in own names')
    print(f'{totals.cases - totals.faults} passed, {totals.faults} failed')
    sys.exit(totals.faults > 0)


if __name__ == '__main__':
    main()
