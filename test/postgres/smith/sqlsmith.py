"""sqlsmith.py - SQLsmith over the tables of tables.sql, where views and functions call predict and every scan with a call has
a node: sqlsmith.py --seed S --seconds T, beside a server (tools/postgres_server.sh), in the repository's root.

SQLsmith writes statements of every kind and most of their errors are PostgreSQL's own and right. The server's log is what
is judged: a crash counts always, an internal error where it comes from hbscore, or does not come with hbscore.batch = off.
"""

import argparse
import os
import re
import subprocess
import sys

import smith
from libpq import Connection, Gone

LOG = os.path.join(os.environ['HBSCORE_SERVER'], 'data.log')
CRASH = re.compile(r'was terminated by signal (?!9)|PANIC:')
INTERNAL = re.compile(r'ERROR:  XX[0-9A-Z]{3}: (.*)')
FILES = '|'.join(sorted(name[:-2] for name in os.listdir('postgres') if name.endswith('.c')))
OURS = re.compile(rf'hbscore|HbPredict|LOCATION: .*\b({FILES})\.c:')
NEXT = re.compile(r'^\d{4}-\d\d-\d\d ')


def prepare():
    smith.prepare('smith')
    connection = Connection('dbname=smith')
    connection.must("SELECT hbscore.create_predict_function('number'), hbscore.create_predict_function('titanic')")
    connection.must('''
        CREATE VIEW labels AS SELECT id, sex, predict_label('lenient', p.*), predict_probability('lenient', 'died', p.*) AS died,
            predict('number', pclass, age, sibsp, fare) AS score FROM people AS p;
        CREATE VIEW far_scores AS SELECT id, predict('number', pclass, age, sibsp, fare) AS score FROM far;
        CREATE VIEW part_scores AS SELECT id, predict('number', pclass, age, sibsp, fare) AS score, note FROM parts;
        CREATE VIEW means AS SELECT sex, avg(predict('number', pclass, age, sibsp, fare)) AS mean FROM people GROUP BY sex;
        CREATE VIEW running AS SELECT id, sum(predict('number', pclass, age, sibsp, fare)) OVER (ORDER BY id) AS total FROM people;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO smith_scorer;''')
    for name, value in (('hbscore.batch', 'on'), ('jit', 'off'), ('statement_timeout', '1000'), ('lock_timeout', '500'),
                        ('log_error_verbosity', 'verbose'), ('log_min_messages', 'error')):
        connection.must(f"ALTER DATABASE smith SET {name} = '{value}'")
    connection.close()


def entries(text):
    """Of the log: a message, and the lines that belong to it."""
    lines = []
    for line in text.split('\n'):
        if NEXT.match(line) and re.search(r'\b(ERROR|FATAL|PANIC|LOG):', line):
            yield '\n'.join(lines)
            lines = []
        lines.append(line)
    yield '\n'.join(lines)


def statement_of(entry):
    found = re.search(r'STATEMENT:  (.*)', entry, re.DOTALL)
    return re.sub(r'\n\t', '\n', found.group(1)) if found else ''


def fails_by_row(statement):
    """Whether the internal error is PostgreSQL's own; of a sample of rows it may need some runs."""
    try:
        connection = Connection('dbname=smith user=smith_scorer')
        connection.must('SET hbscore.batch = off')
        found = any(smith.is_internal(connection.run(statement)[1]) for _ in range(30))
        connection.close()
    except Gone:
        return False
    return found


def faults():
    with open(LOG, encoding='utf-8', errors='replace') as file:
        for entry in entries(file.read()):
            if CRASH.search(entry):
                yield entry
            elif INTERNAL.search(entry) and (OURS.search(entry.split('STATEMENT:')[0]) or not fails_by_row(statement_of(entry))):
                yield entry


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=300)
    options = parser.parse_args()
    prepare()
    target = f"host={os.environ['PGHOST']} port={os.environ['PGPORT']} dbname=smith user=smith_scorer"
    command = ['timeout', str(options.seconds), 'sqlsmith', f'--target={target}', f'--seed={options.seed}', '--exclude-catalog',
               '--verbose']
    said = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).stderr.decode()
    counts = re.findall(r'queries: (\d+)', said)
    found = list(faults())
    for entry in found:
        print('FAULT  ' + entry)
    print(f'SQLsmith, seed {options.seed}: {counts[-1] if counts else "few"} statements')
    print(f'{int(not found)} passed, {len(found)} failed')
    sys.exit(bool(found) or not counts)


main()
