"""queries.py - random statements over the tables of tables.sql, with predict and its family in every place of them.

A statement is made from a random generator alone, so a seed and a number name it for ever. Kinds of expressions are num,
text, bool, and what calls take beside: vec (an array), quad and row (rows), mood (an enum)."""

import re

PEOPLE = dict(id='num', pclass='num', sex='text', age='num', sibsp='num', parch='num', fare='num', embarked='text', w='num',
              flag='bool', big='num', mood='mood', half='num', vec='vec', pt='quad', note='text', late='num')
RESULTS = dict(id='num', score='num', label='text')
KINDS = dict(pclass='num', kind='text')
# Behind row security, security_barrier views, both, and on a server that has them.
HIDING = ('secured', 'secured_score', 'secured_role', 'guarded', 'guarded_twice', 'guarded_score', 'guarded_deep', 'guarded_both',
          'far_secured', 'far_guarded')
TABLES = {**{name: PEOPLE for name in (
    'people', 'odd', 'parts', 'parts_2', 'seen', 'far', 'far_parts', 'mixed_parts', *HIDING)},
    'results': RESULTS, 'kinds': KINDS}
# What a statement may write to, and what it may not merge into.
WRITTEN = ('results', 'results', 'people', 'parts', 'odd', 'secured', 'secured_score', 'secured_role', 'guarded', 'guarded_both',
           'far', 'far_results', 'far_parts', 'mixed_parts')
NOT_MERGED = ('parts', 'guarded', 'guarded_both', 'far', 'far_results', 'far_parts', 'mixed_parts')
# Above it are numbers of rows that a function took down.
NUMBERED = 1000000
CASTS = dict(num='float8', text='text', bool='boolean')
AGGREGATES = ('count(*)', 'count({num})', 'count(DISTINCT {num})', 'sum(round(({num})::numeric, 2))', 'min({num})', 'max({num})',
              'bool_or({bool})', "string_agg({text}, ',' ORDER BY {text}, {num})", 'max({text})',
              'array_agg({num} ORDER BY {num})::text', 'percentile_disc(0.5) WITHIN GROUP (ORDER BY {num})',
              'avg(round(({num})::numeric, 2))', "predict_agg('number', 1, {num}, {num}, 3 ORDER BY {num})::text")
FRAMES = ('', '', 'ROWS UNBOUNDED PRECEDING', 'ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING',
          'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING', 'GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW',
          'RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW', 'ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING',
          'RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING')
WINDOWS = ('row_number()', 'rank()', 'lag({num})', 'lead({num}, 3)', 'first_value({num})', 'last_value({text})', 'ntile(3)',
           'sum(round(({num})::numeric, 2))', 'count({num})', 'max({text})', 'nth_value({num}, 2)', 'sum({num}) FILTER (WHERE {bool})')

COLUMN = re.compile(r'\b[a-z]\d+\.')


class Item:
    """What stands in FROM under a name; `whole`: its row has the columns of a passenger."""

    def __init__(self, name, columns, whole):
        self.name, self.columns, self.whole = name, columns, whole


class Maker:
    def __init__(self, random):
        self.random = random
        self.names = 0
        # Mostly rows that are errors, and statements that end before they come to them.
        self.trouble = self.chance(0.4)
        self.behind = None          # where rows are hidden whose numbers a function takes down
        self.parameters = None      # of a prepared statement: (type, value)

    # ------------------------------------------------------------ small choices

    def chance(self, p):
        return self.random.random() < p

    def pick(self, *of):
        return self.random.choice(of)

    def name(self, letter):
        self.names += 1
        return f'{letter}{self.names}'

    def columns(self, scope, kind):
        return [f'{item.name}.{column}' for item in scope for column, k in item.columns.items() if k == kind]

    # ------------------------------------------------------------ values

    def literal(self, kind):
        text = {'num': lambda: str(self.pick(0, 1, 2, 3, 7.25, 10060, 10075.5, 30, -1)),
                'text': lambda: "'" + self.pick('male', 'female', 'S', 'died', 'survived', 'a', '') + "'",
                'bool': lambda: self.pick('true', 'false')}[kind]()
        if self.chance(0.05):
            text = 'NULL'
        if self.parameters is not None and self.chance(0.5):
            self.parameters.append((CASTS[kind], text))
            return f'${len(self.parameters)}'
        return text if text != 'NULL' else f'NULL::{CASTS[kind]}'

    def of(self, kind, scope, depth):
        return getattr(self, kind)(scope, depth)

    def leaf(self, kind, scope):
        columns = self.columns(scope, kind)
        return self.random.choice(columns) if columns and self.chance(0.8) else self.literal(kind)

    def either(self, kind, scope, depth):
        """What is evaluated only in part."""
        a, b = self.of(kind, scope, depth - 1), self.of(kind, scope, depth - 1)
        return self.pick(f'CASE WHEN {self.bool(scope, depth - 1)} THEN {a} ELSE {b} END',
                         f'CASE WHEN {self.bool(scope, depth - 1)} THEN {a} END', f'coalesce({a}, {b})', f'nullif({a}, {b})')

    def num(self, scope, depth):
        if depth <= 0 or self.chance(0.3):
            return self.leaf('num', scope)
        n = self.random.randrange(13)
        if self.trouble and n == 12:
            return f'CASE WHEN {self.leaf("num", scope)} IS NOT NULL THEN {self.call("num", scope, depth)} END'
        if n < 5:
            return self.call('num', scope, depth)
        if n == 5:
            if self.chance(0.1):
                return f'({self.num(scope, depth - 1)} / {self.num(scope, depth - 1)})'
            return f'({self.num(scope, depth - 1)} {self.pick("+", "-")} {self.num(scope, depth - 1)})'
        if n == 6:
            return f'peek({self.num(scope, depth - 1)})' if self.chance(0.4) else f'length({self.text(scope, depth - 1)})'
        if n == 7:
            return f'{self.pick("greatest", "least")}({self.num(scope, depth - 1)}, {self.num(scope, depth - 1)})'
        if n == 8 and depth > 1:
            return f'({self.scalar(scope, depth - 1)})'
        if n == 9:
            return f'({self.call("vec", scope, depth)})[{self.pick(1, 2, 3)}]'
        return self.either('num', scope, depth)

    def text(self, scope, depth):
        if depth <= 0 or self.chance(0.4):
            return self.leaf('text', scope)
        n = self.random.randrange(6)
        if n < 2:
            return self.call('text', scope, depth)
        if n == 2:
            return f'({self.text(scope, depth - 1)} || {self.text(scope, depth - 1)})'
        if n == 3:
            return f'(round(({self.num(scope, depth - 1)})::numeric, 1))::text'
        if n == 4:
            return f'({self.call("json", scope, depth)} ->> \'label\')'
        return self.either('text', scope, depth)

    def bool(self, scope, depth):
        if depth <= 0:
            return self.leaf('bool', scope) if self.chance(0.4) else f'{self.leaf("num", scope)} > {self.leaf("num", scope)}'
        n = self.random.randrange(14)
        if n < 4:
            return f'{self.num(scope, depth - 1)} {self.pick("<", ">", "<=", "=", "<>")} {self.num(scope, depth - 1)}'
        if n == 4:
            return f'{self.call("num", scope, depth)} > {self.pick(10060, 10050, 10080, 0, 0.5)}'
        if n == 5:
            return f'{self.text(scope, depth - 1)} {self.pick("=", "<>", "<", "IS DISTINCT FROM")} {self.text(scope, depth - 1)}'
        if n < 9:
            return f'({self.bool(scope, depth - 1)} {self.pick("AND", "AND", "OR")} {self.bool(scope, depth - 1)})'
        if n == 9:
            return f'(NOT {self.bool(scope, depth - 1)})'
        if n == 10:
            return f'({self.num(scope, depth - 1)} IS {self.pick("", "NOT")} NULL)'
        if n == 11:
            low, high = self.num(scope, depth - 1), self.num(scope, depth - 1)
            return f'({self.num(scope, depth - 1)} BETWEEN {low} AND {high})'
        if n == 12:
            return f'({self.text(scope, depth - 1)} IN ({self.literal("text")}, {self.text(scope, depth - 1)}))'
        return self.subquery_condition(scope, depth) if depth > 1 else f'({self.bool(scope, depth - 1)}) IS TRUE'

    # ------------------------------------------------------------ calls

    def argument(self, scope, depth):
        """A feature: mostly a column, sometimes what only PostgreSQL's types have."""
        if self.chance(0.5 if self.trouble else 0.75):
            return self.leaf('num', scope)
        if self.chance(0.1 if self.trouble else 0.3):
            return self.pick("'7'", 'NULL', "'seven'::text" if self.chance(0.05) else '7::smallint', f'({self.leaf("bool", scope)})::int',
                             f'CASE WHEN {self.leaf("num", scope)} = 40 THEN 1e400 ELSE 4 END')
        return self.num(scope, depth - 1)

    def number_features(self, scope, depth):
        four = [self.argument(scope, depth) for _ in range(4)]
        if self.chance(0.02):
            four.pop()
        n = self.random.randrange(8)
        vectors, quads = self.columns(scope, 'vec'), self.columns(scope, 'quad')
        if n < (3 if self.trouble else 1) and vectors:
            return self.random.choice(vectors)
        if n == 3 and quads:
            return self.random.choice(quads)
        if n == 4:
            return 'ARRAY[' + ', '.join(f'({a})::float8' for a in four) + ']'
        if n == 5:
            return f'ROW({", ".join(four)})'
        if n == 6 and self.chance(0.3):
            return f"to_jsonb(ARRAY[{', '.join(f'({a})::float8' for a in four)}])"
        return ', '.join(four)

    def people_features(self, scope, depth):
        rows = self.columns(scope, 'row')
        if rows and self.chance(0.5):
            return self.random.choice(rows)
        wholes = [item for item in scope if item.whole]
        if wholes and self.chance(0.6):
            item = self.random.choice(wholes)
            return self.pick(f'{item.name}.*', f'{item.name}.*', f'to_jsonb({item.name})')
        sex = self.pick("'male'", "'female'", self.random.choice(self.columns(scope, 'text') or ["'male'"]))
        if self.trouble and scope and 'sex' in scope[-1].columns:
            sex = f'{scope[-1].name}.{"mood" if self.chance(0.1) else "sex"}'
        return ', '.join([self.argument(scope, 0), sex] + [self.argument(scope, depth) for _ in range(4)] +
                         [self.pick("'S'", "'C'", 'NULL')])

    def call(self, kind, scope, depth):
        model = self.pick("'number'", "'number'", "'number@1'", "'some'", "'some'") if self.chance(0.9) else self.pick(
            'NULL', "(SELECT hbscore.pin('number'))", f"CASE WHEN {self.leaf('num', scope)} > 2 THEN 'number' ELSE 'number@1' END")
        functions = {'num': ('predict', 'predict', 'predict_probability', 'scored', 'predict_version'),
                     'text': ('predict_label',), 'vec': ('predict_proba', 'decision_function', 'transform'), 'json': ('predict_json', 'predict_probabilities', 'predict_top')}
        function = self.random.choice(functions[kind])
        if function == 'predict':
            return f'predict({model}, {self.number_features(scope, depth)})'
        if function == 'predict_version':
            return f"predict_version('number@1', {self.number_features(scope, depth)})"
        if function == 'scored':
            one, two, three, four = (self.num(scope, depth - 2) for _ in range(4))
            return f'scored(({one})::int, ({two})::float8, ({three})::int, ({four})::numeric)'
        if function == 'transform':
            return f"transform('pipeline', {self.people_features(scope, depth)})"
        label = f"{self.pick('survived', 'died')}"
        first = f"'{'titanic' if self.trouble else self.pick('titanic', 'lenient')}'"
        if function == 'predict_probability':
            first += f", '{label}'"
        if function == 'predict_top':
            first += f", {self.pick('1', '1', '2', '9', self.leaf('num', scope) + '::int8')}"
        return f'{function}({first}, {self.people_features(scope, depth)})'

    # ------------------------------------------------------------ FROM

    def table(self):
        name = 'odd' if self.chance(0.7 if self.trouble else 0.1) else self.random.choice(list(TABLES))
        alias = self.name('t')
        return f'{name} AS {alias}', Item(alias, TABLES[name], TABLES[name] is PEOPLE)

    def derived(self, scope, depth, lateral):
        kinds = [self.pick('num', 'num', 'text', 'bool') for _ in range(self.random.randrange(1, 4))]
        alias = self.name('s')
        query = self.query(scope if lateral else [], depth - 1, ['num'] + kinds)
        columns = {f'c{i + 1}': kind for i, kind in enumerate(['num'] + kinds)}
        fence = self.pick('', ' OFFSET 0')
        text = f'{"LATERAL " if lateral else ""}(SELECT * FROM ({query}) AS x{fence}) AS {alias} ({", ".join(columns)})'
        return text, Item(alias, columns, False)

    def source(self, scope, depth, lateral=False):
        n = self.random.randrange(12)
        if depth > 1 and n < 3 or (self.trouble and n < 5 and depth > 0):
            return self.derived(scope, depth, lateral and self.chance(0.6))
        alias = self.name('f')
        if n == 3:
            return f'rows_of({self.pick(10, 40, 70)}) AS {alias}', Item(alias, PEOPLE, True)
        if n == 4:
            return f'generate_series(1, {self.pick(3, 40, 70)}) AS {alias} (n)', Item(alias, {'n': 'num'}, False)
        if n == 5:
            return (f"(VALUES (1, 2.5, 'male'), (2, NULL, 'female'), (40, 7, NULL), (41, 9, 'S')) AS {alias} (id, v, t)",
                    Item(alias, {'id': 'num', 'v': 'num', 't': 'text'}, False))
        if n == 6:
            row = self.pick('p', 'p', 'CASE WHEN id > 4 THEN p END')
            return (f'(SELECT {row} AS r, id FROM {self.pick("people", "odd", "seen")} AS p OFFSET 0) AS {alias}',
                    Item(alias, {'id': 'num', 'r': 'row'}, False))
        return self.table()

    def joined(self, scope, depth):
        text, item = self.source(scope, depth)
        items = [item]
        while self.chance(0.15 if self.trouble else 0.35) and len(items) < 3:
            lateral = self.chance(0.4)
            more, item = self.source(scope + items, depth, lateral)
            mine, theirs = self.columns([item], 'num'), self.columns(items, 'num')
            kind = self.pick('JOIN', 'JOIN', 'LEFT JOIN', 'LEFT JOIN' if lateral else 'RIGHT JOIN', 'JOIN' if lateral else 'FULL JOIN')
            condition = f'{self.pick(mine[0], mine[0], self.random.choice(mine))} = {self.pick(theirs[0], self.random.choice(theirs))}'
            items.append(item)
            if self.chance(0.4) and kind != 'FULL JOIN':
                condition += f' AND {self.bool(scope + items, depth)}'
            text += f' {kind} {more} ON {condition}'
        return text, items

    # ------------------------------------------------------------ queries

    def scalar(self, scope, depth):
        text, items = self.joined(scope, depth - 1)
        aggregate = self.pick('max({num})', 'count({num})', 'min({num})').format(num=self.num(items, depth - 1))
        where = f' WHERE {self.correlation(scope, items, depth)}'
        return f'SELECT {aggregate} FROM {text}{where}'

    def correlation(self, scope, items, depth):
        outer = self.columns(scope, 'num')
        condition = self.bool(items, depth - 1)
        if outer and self.chance(0.7):
            condition = f'{self.columns(items, "num")[0]} = {self.random.choice(outer)} AND {condition}'
        return condition

    def subquery_condition(self, scope, depth):
        text, items = self.joined(scope, depth - 1)
        if self.chance(0.5):
            return f'{self.pick("", "NOT ")}EXISTS (SELECT FROM {text} WHERE {self.correlation(scope, items, depth)})'
        return (f'{self.num(scope, depth - 1)} {self.pick("", "NOT ")}IN (SELECT {self.num(items, depth - 1)} FROM {text} '
                f'WHERE {self.correlation(scope, items, depth)})')

    def filled(self, template, scope, depth):
        while '{' in template:
            for kind in ('num', 'text', 'bool'):
                if '{' + kind + '}' in template:
                    template = template.replace('{' + kind + '}', self.of(kind, scope, depth).replace('{', '\1').replace('}', '\2'), 1)
        return template.replace('\1', '{').replace('\2', '}')

    def aggregate(self, scope, depth):
        text = self.filled(self.random.choice(AGGREGATES), scope, depth)
        if self.chance(0.25) and 'WITHIN' not in text and not text.endswith('::text'):
            text += f' FILTER (WHERE {self.bool(scope, depth)})'
        return text

    def window(self, scope, depth):
        function = self.filled(self.random.choice(WINDOWS), scope, depth)
        partition = f'PARTITION BY {self.of(self.pick("num", "text"), scope, depth - 1)} ' if self.chance(0.5) else ''
        order = f'ORDER BY {self.num(scope, depth - 1)}, {self.leaf("num", scope)} '
        return f'{function} OVER ({partition}{order}{self.random.choice(FRAMES)})'

    def grouped(self, scope, depth, kinds):
        keys = [self.of(kind, scope, min(depth, 1)) for kind in kinds if self.chance(0.4)][:2]
        if not keys and self.chance(0.7):
            keys = [self.leaf('num', scope)]
        keys = [key for key in keys if COLUMN.search(key)]      # a constant would be a place in the list
        columns = []
        for kind in kinds:
            text = self.aggregate(scope, depth)
            if kind == 'num' and self.chance(0.2):
                text = f"predict('number', 1, {self.filled('max({num})', scope, depth)}, 2, 3)"
            columns.append(text)
        columns = keys + columns
        having = ''
        if self.chance(0.3):
            having = f' HAVING {self.filled("max({num})", scope, depth)} > {self.literal("num")}'
        group = ''
        if keys:
            group = ' GROUP BY ' + self.pick(', '.join(keys), ', '.join(keys), f'ROLLUP ({", ".join(keys)})',
                                             f'GROUPING SETS ({", ".join(f"({key})" for key in keys)}, ())')
        return columns, group + having

    def query(self, scope, depth, kinds, top=False):
        """A SELECT with columns of these kinds; of those that aggregates or windows give, text."""
        if depth > 1 and self.chance(0.12):
            one, two = self.query(scope, depth - 1, kinds), self.query(scope, depth - 1, kinds)
            return f'({one}) {self.pick("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT ALL", "EXCEPT")} ({two})'
        text, items = self.joined(scope, depth)
        inner = scope + items
        where = f' WHERE {self.bool(inner, depth)}' if self.chance(0.2 if self.trouble else 0.6) else ''
        tail = ''
        if self.chance(0.22):
            columns, tail = self.grouped(items, depth, kinds)
            columns = self.cast(columns[:len(kinds)], kinds)
        elif self.chance(0.15):
            columns = self.cast([self.window(inner, depth) if self.chance(0.5) else self.of(kind, inner, depth) for kind in kinds],
                                kinds)
        else:
            columns = [f'({self.of(kind, inner, depth)})::{CASTS[kind]}' for kind in kinds]
            if top and self.chance(0.06):
                columns.append("nextval('numbers') > 0")
            if top and self.chance(0.05):
                columns.append(self.pick('generate_series(1, 2)', f'{items[0].name}::text'))
        distinct = 'DISTINCT ' if self.chance(0.08) else ''
        order = self.order(columns)
        return f'SELECT {distinct}{", ".join(columns)} FROM {text}{where}{tail}{order}'

    def cast(self, columns, kinds):
        """What an aggregate gives has any type: a text of it stands for the others."""
        how = {'num': 'length(({})::text)::float8', 'text': '({})::text', 'bool': '({}) IS NULL'}
        return [how[kind].format(column) for column, kind in zip(columns, kinds)]

    def order(self, columns):
        """By all columns: of equal rows a sort that is bounded by a LIMIT above it keeps others than one that is not."""
        text = ''
        if self.chance(0.15 if self.trouble else 0.35):
            places = [str(i + 1) for i in range(len(columns))]
            self.random.shuffle(places)
            text = ' ORDER BY ' + ', '.join(place + self.pick('', ' DESC', ' NULLS FIRST') for place in places)
        if self.chance(0.6 if self.trouble else 0.2):
            text += f' LIMIT {self.pick(0, 1, 2, 3, 3, 4, 6, 7, 10, 15, 33, 40)}'
        if self.chance(0.1):
            text += f' OFFSET {self.pick(1, 5, 33)}'
        return text

    # ------------------------------------------------------------ statements

    def select(self):
        kinds = [self.pick('num', 'num', 'num', 'text', 'bool') for _ in range(self.random.randrange(1, 4))]
        n = self.random.randrange(23)
        if n == 0:
            return self.recursive()
        if n >= 20:
            return self.behind_conditions()
        if n < 4:
            name = self.name('w')
            inner = self.query([], 2, ['num', 'num', 'text'])
            columns = {'c1': 'num', 'c2': 'num', 'c3': 'text'}
            item = Item(name, columns, False)
            body = ', '.join(f'({self.of(kind, [item], 2)})::{CASTS[kind]}' for kind in kinds)
            join = self.pick('', '', f' JOIN {name} AS again ON again.c1 = {name}.c1')
            return (f'WITH {name} (c1, c2, c3) AS {self.pick("", "MATERIALIZED ")}({inner}) SELECT {body} FROM {name}{join} '
                    f'WHERE {self.bool([item], 2)}{self.order(kinds)}')
        return self.query([], self.pick(2, 2, 3) if self.trouble else self.pick(1, 2, 2, 3), kinds, top=True)

    def peeking(self, item):
        """A call with an argument that takes down what it sees."""
        columns = [self.leaf('num', [item]) for _ in range(3)]
        inner = self.pick(columns[0], f'{item.name}.id + {NUMBERED}', f'{item.name}.id + {NUMBERED}',
                          f"predict('number', 1, {columns[0]}, 2, 3)")
        peeked = self.pick(f'peek({inner})', f'peek({inner})', f'CASE WHEN {self.bool([item], 0)} THEN peek({inner}) END')
        return f"predict('number', {columns[1]}, {peeked}, {columns[2]}, 1)"

    def behind_conditions(self):
        """Calls whose arguments must see no row that a condition before them hides: of a policy, a view or the statement."""
        name = self.behind = self.random.choice(HIDING + ('people', 'parts'))
        item = Item('h', PEOPLE, True)
        call = self.peeking(item)
        conditions = [self.pick(f'{self.peeking(item)} > {self.pick(10050, 10060, 10070)}',
                                f"predict('number', h.pclass, h.age, h.sibsp, h.fare) > {self.pick(10060, 10075)}",
                                f"abs(predict('number', h.pclass, h.age, h.sibsp, h.fare)) > {self.pick(10060, 10075)}",
                                self.bool([item], 1)) for _ in range(self.random.randrange(3))]
        where = ' WHERE ' + ' AND '.join(conditions) if conditions else ''
        return self.pick(f'SELECT h.id, {call} FROM {name} AS h{where}', f'SELECT sum(round({call})) FROM {name} AS h{where}',
                         f'SELECT h.pclass, max({call}) FROM {name} AS h{where} GROUP BY 1 ORDER BY 1',
                         f'SELECT h.id, max({call}) OVER (ORDER BY h.id) FROM {name} AS h{where}',
                         f'SELECT generate_series(1, 2), {call} FROM {name} AS h{where} ORDER BY 1, 2',
                         f'WITH c AS MATERIALIZED (SELECT {call} AS s FROM {name} AS h{where}) SELECT count(s) FROM c',
                         f'SELECT h.id, {call} FROM {name} AS h{where} LIMIT {self.pick(1, 5)}',
                         f'SELECT k.kind FROM kinds AS k '
                         f'WHERE EXISTS (SELECT FROM {name} AS h WHERE h.pclass = k.pclass AND {call} > 10060)',
                         f'SELECT k.kind, s.x FROM kinds AS k, LATERAL (SELECT {call} AS x FROM {name} AS h{where} OFFSET 0) AS s',
                         f'SELECT h.pclass, h.sibsp, max({call}) FROM {name} AS h{where} GROUP BY GROUPING SETS (1, 2, ()) ORDER BY 1, 2')

    def at_cursor(self):
        """A query, a change of the row at which a cursor of it stands, and the query that shows what that left."""
        target, item, number, shown = self.target()
        where = f' WHERE {self.bool([item], 1)}' if self.chance(0.7) else ''
        query = f'SELECT o.id, {self.num([item], 2)} FROM {target} AS o{where}{self.pick("", "", " ORDER BY 1", " FOR UPDATE")}'
        change = self.pick(f'UPDATE {target} AS o SET {number} = {self.num([item], 2)}', f'DELETE FROM {target} AS o')
        return query, f'{change} WHERE CURRENT OF c', shown

    def recursive(self):
        item = Item('r', {'n': 'num', 's': 'num'}, False)
        return (f'WITH RECURSIVE r (n, s) AS ({self.pick("SELECT 1, 2.5::float8", "SELECT id, age FROM people WHERE id < 40")} '
                f'UNION ALL SELECT r.n + {self.pick(20, 30)}, ({self.num([item], 2)})::float8 FROM r WHERE r.n < 90 AND '
                f'{self.bool([item], 1)}) SELECT n, s FROM r{self.order([1, 2])}')

    def returning(self, alias, columns):
        return f' RETURNING id, {self.num([Item(alias, columns, False)], 2)}' if self.chance(0.3) else ''

    def target(self):
        """What is written to, as an item, a number of it, and the query that shows what is left of it."""
        name = self.random.choice(WRITTEN)
        columns = RESULTS if name.endswith('results') else PEOPLE
        number = 'score' if columns is RESULTS else 'age'
        return name, Item('o', columns, columns is PEOPLE), number, f'SELECT {name}::text FROM {name} ORDER BY id, 1'

    def write(self):
        """A statement, and the query that shows what it left."""
        target, item, number, shown = self.target()
        columns, label = item.columns, 'label' if number == 'score' else 'note'
        n = self.random.randrange(5)
        if n == 0:
            fields = 'id, score, label' if columns is RESULTS else 'id, age, note, pclass'
            extra = '' if columns is RESULTS else ', 1 + (c1::int % 3 + 3) % 3'
            kinds = 'row_number() OVER () + 1000, c1, c2' + extra
            conflict = ''
            if target in ('results', 'people') and self.chance(0.5):
                kinds = 'row_number() OVER () + 50, c1, c2' + extra
                conflict = self.pick(' ON CONFLICT DO NOTHING', f' ON CONFLICT (id) DO UPDATE SET {number} = excluded.{number}')
            source = self.query([], 2, ['num', 'text'])
            return f'INSERT INTO {target} AS o ({fields}) SELECT {kinds} FROM ({source}) AS x (c1, c2){conflict}' + \
                self.returning('o', {'id': 'num', number: 'num'}), shown
        if n == 1:
            return f'DELETE FROM {target} AS o WHERE {self.bool([item], 2)}{self.returning("o", columns)}', shown
        if n == 2 and target not in NOT_MERGED:
            source, other = self.derived([], 2, False)
            matched = self.pick(f'WHEN MATCHED THEN UPDATE SET {number} = {self.num([item, other], 2)}',
                                f'WHEN MATCHED AND {self.bool([item, other], 2)} THEN DELETE WHEN MATCHED THEN '
                                f'UPDATE SET {label} = {self.text([other], 1)}')
            return (f'MERGE INTO {target} AS o USING (SELECT DISTINCT ON (s.c1) s.* FROM {source.rsplit(" AS ", 1)[0]} AS '
                    f's ({", ".join(other.columns)}) ORDER BY s.c1, s::text) AS {other.name} '
                    f'ON o.id = {other.name}.c1 AND {self.bool([item, other], 1)} {matched}'), shown
        sets = [f'{number} = {self.num([item], 2)}']
        if self.chance(0.4):
            sets.append(f'{label} = {self.text([item], 2)}')
        if self.chance(0.4):
            source, other = self.table()
            sets = [f'{number} = {self.num([item, other], 2)}']
            key = list(other.columns)[0]
            return (f'UPDATE {target} AS o SET {", ".join(sets)} FROM {source} WHERE {other.name}.{key} = o.id AND '
                    f'{self.bool([item, other], 2)}'), shown
        return f'UPDATE {target} AS o SET {", ".join(sets)} WHERE {self.bool([item], 2)}{self.returning("o", columns)}', shown
