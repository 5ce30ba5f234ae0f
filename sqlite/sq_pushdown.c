/* sq_pushdown.c - what of an outer query the source of a virtual table can do itself: WHERE terms,
 * ORDER BY, and leaving out columns that nobody reads.
 *
 * SQLite asks in xBestIndex and gets a choice; xFilter finds it by its number, with the values. A
 * choice is also written as a SELECT for people, which EXPLAIN QUERY PLAN shows; equal texts are
 * equal choices, so that there are never more of them than shapes of queries.
 *
 * A term may go inside only if no row is lost by it. The outer compare knows the affinity of its
 * right side, the inner one gets a bare value. Where the column's affinity is numeric both decide
 * alike. Where it is TEXT they do for texts, but for one case: the right side is a column of numeric
 * affinity that holds a text. Then texts that look like numbers count as numbers outside, and are
 * smaller than every text: so '<' goes inside only with a literal. A column without affinity takes
 * IS NULL only. SQLite tests all but the numeric ones and IS NULL again.
 *
 * A part of (a, b) IN (SELECT ..) comes as '=' with the collation of the first column, whichever it
 * is about. Where the column's own is BINARY, no row is lost by another one.
 *
 * LIKE, GLOB and IS NOT NULL stay outside: SQLite gives them to the left table of a LEFT JOIN also
 * where they stand in ON, and there they must leave no row out. SQLite also makes a range
 * of LIKE 'x%' on a text; that range goes inside. */
#include "sq_hbscore.h"

#include <string.h>

/* ------------------------------------------------------------------ what is left to SQLite */

typedef struct comparison {
    int op;
    const char *sql;
    enum { COMPARES, BELOW, TESTS_NULL } kind;
} comparison;

static const comparison comparisons[] = {
    {SQLITE_INDEX_CONSTRAINT_EQ, "=", COMPARES},
    {SQLITE_INDEX_CONSTRAINT_GT, ">", COMPARES},
    {SQLITE_INDEX_CONSTRAINT_GE, ">=", COMPARES},
    {SQLITE_INDEX_CONSTRAINT_IS, "IS", COMPARES},
    {SQLITE_INDEX_CONSTRAINT_LT, "<", BELOW},
    {SQLITE_INDEX_CONSTRAINT_LE, "<=", BELOW},
    {SQLITE_INDEX_CONSTRAINT_ISNULL, "IS NULL", TESTS_NULL},
};

static bool is_limit(int op)
{
    return op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET;
}

static const comparison *find_comparison(int op)
{
    for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++)
        if (comparisons[i].op == op)
            return &comparisons[i];
    return NULL;
}

static bool has_newer_questions(void)
{
    return sqlite3_libversion_number() >= 3038000; /* vtab_in, rhs_value, LIMIT */
}

static bool is_literal_text(sqlite3_index_info *info, int i)
{
    sqlite3_value *value = NULL;

    return has_newer_questions() && sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK &&
           sqlite3_value_type(value) == SQLITE_TEXT;
}

static bool may_go_inside(sqlite3_index_info *info, int i, const comparison *o, sq_affinity affinity)
{
    if (o->kind == TESTS_NULL || sq_is_numeric(affinity))
        return true;
    return affinity == SQ_AFFINITY_TEXT && (o->kind == COMPARES || is_literal_text(info, i));
}

/* ------------------------------------------------------------------ a choice */

void sq_choice_free(sq_choice *choice)
{
    for (size_t i = 0; choice && i < choice->n_terms; i++)
        sqlite3_free(choice->terms[i].collation);
    if (choice) {
        sqlite3_free(choice->terms);
        sqlite3_free(choice->order);
        sqlite3_free(choice->carried);
        sqlite3_free(choice->text);
    }
    sqlite3_free(choice);
}

static void *allocate_items(int count, size_t size)
{
    return sqlite3_malloc64(((sqlite3_uint64)count + 1) * size);
}

static sq_choice *new_choice(const sq_source *source, const sqlite3_index_info *info)
{
    sq_choice *choice = sqlite3_malloc64(sizeof(*choice));

    if (!choice)
        return NULL;
    memset(choice, 0, sizeof(*choice));
    choice->terms = allocate_items(info->nConstraint, sizeof(*choice->terms));
    choice->order = allocate_items(info->nOrderBy, sizeof(*choice->order));
    choice->carried = allocate_items(source->n_columns, sizeof(*choice->carried));
    choice->limit = choice->offset = -1;
    if (choice->terms && choice->order && choice->carried)
        return choice;
    sq_choice_free(choice);
    return NULL;
}

/* Bit 63 stands for all columns from there on. */
static bool is_used(const sqlite3_index_info *info, int column)
{
    return info->colUsed >> (column < 63 ? column : 63) & 1;
}

static void choose_columns(const sq_source *source, const sqlite3_index_info *info, sq_choice *choice)
{
    for (int i = 0; i < source->n_columns; i++)
        if (is_used(info, i))
            choice->carried[choice->n_carried++] = i;
    choice->prediction = is_used(info, source->n_columns);
    choice->probability = is_used(info, source->n_columns + 1);
}

/* Constraint i, which is a usable one on a column of the source; the argument that xFilter gets for
 * it. SQLITE_NOMEM or SQLITE_OK. */
static int take_term(const sq_source *source, sqlite3_index_info *info, int i, sq_choice *choice, int *given)
{
    int column = info->aConstraint[i].iColumn;
    const comparison *o = find_comparison(info->aConstraint[i].op);
    sq_affinity affinity = source->columns[column].affinity;
    const char *declared = source->columns[column].collation;
    sq_term *term = &choice->terms[choice->n_terms];
    const char *collation;
    bool in, same;

    if (!o || !may_go_inside(info, i, o, affinity))
        return SQLITE_OK;
    collation = o->kind == TESTS_NULL ? declared : sqlite3_vtab_collation(info, i);
    same = sqlite3_stricmp(collation, declared) == 0;
    if (!same && o->op == SQLITE_INDEX_CONSTRAINT_EQ && sqlite3_stricmp(declared, "BINARY") != 0)
        return SQLITE_OK; /* it may be the first column's, see above */
    in = o->op == SQLITE_INDEX_CONSTRAINT_EQ && has_newer_questions() && sqlite3_vtab_in(info, i, -1) &&
         sqlite3_vtab_in(info, i, 1);
    *term = (sq_term){.column = column,
                      .sql = o->sql,
                      .argument = (*given)++,
                      .tests_null = o->kind == TESTS_NULL,
                      .equals = o->op == SQLITE_INDEX_CONSTRAINT_EQ,
                      .text_only = o->kind != TESTS_NULL && !sq_is_numeric(affinity),
                      .in = in};
    if (o->kind != TESTS_NULL) {
        term->collation = sqlite3_mprintf("%s", collation);
        if (!term->collation)
            return SQLITE_NOMEM;
    }
    choice->n_terms++;
    info->aConstraintUsage[i].argvIndex = *given;
    /* A view may mix affinities in one column. */
    info->aConstraintUsage[i].omit =
        o->kind == TESTS_NULL || (sq_is_numeric(affinity) && same && !in && !source->is_view);
    return SQLITE_OK;
}

static int choose_terms(const sq_source *source, sqlite3_index_info *info, sq_choice *choice, int *given)
{
    int code = SQLITE_OK;

    for (int i = 0; code == SQLITE_OK && i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (c->usable && !is_limit(c->op) && c->iColumn >= 0 && c->iColumn < source->n_columns)
            code = take_term(source, info, i, choice, given);
    }
    return code;
}

/* How many rows will be asked for is a hint only: SQLite counts itself. All, where it sorts. */
static void choose_limit(sqlite3_index_info *info, sq_choice *choice, int *given)
{
    if (info->nOrderBy > 0 && !info->orderByConsumed)
        return;
    for (int i = 0; i < info->nConstraint; i++) {
        if (!info->aConstraint[i].usable || !is_limit(info->aConstraint[i].op))
            continue;
        *(info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT ? &choice->limit : &choice->offset) = *given;
        info->aConstraintUsage[i].argvIndex = ++*given;
    }
}

/* All or nothing: SQLite sorts otherwise. */
static void choose_order(const sq_source *source, sqlite3_index_info *info, sq_choice *choice)
{
    for (int i = 0; i < info->nOrderBy; i++)
        if (info->aOrderBy[i].iColumn < 0 || info->aOrderBy[i].iColumn >= source->n_columns)
            return;
    for (int i = 0; i < info->nOrderBy; i++)
        choice->order[i] = (sq_order){info->aOrderBy[i].iColumn, info->aOrderBy[i].desc};
    choice->n_order = (size_t)info->nOrderBy;
    info->orderByConsumed = info->nOrderBy > 0;
}

/* ------------------------------------------------------------------ for people */

void sq_append_order(sqlite3_str *text, const sq_source *source, const sq_choice *choice)
{
    for (size_t i = 0; i < choice->n_order; i++) {
        const sq_source_column *column = &source->columns[choice->order[i].column];

        sqlite3_str_appendf(text, "%s s.\"%w\" COLLATE \"%w\"%s", i ? "," : " ORDER BY", column->name,
                            column->collation, choice->order[i].descending ? " DESC" : "");
    }
}

/* Quoted where it must be: equal texts are equal choices, whatever columns are called. */
static void append_name(sqlite3_str *text, const char *name)
{
    bool plain = *name && !(*name >= '0' && *name <= '9');

    for (const char *c = name; plain && *c; c++)
        plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
    sqlite3_str_appendf(text, plain ? "%s" : "\"%w\"", name);
}

static void describe_columns(sqlite3_str *text, const sq_source *source, const sq_choice *choice)
{
    size_t n = 0;

    sqlite3_str_appendall(text, "SELECT ");
    for (size_t i = 0; i < choice->n_carried; i++) {
        sqlite3_str_appendall(text, n++ ? ", " : "");
        append_name(text, source->columns[choice->carried[i]].name);
    }
    if (choice->prediction)
        sqlite3_str_appendall(text, n++ ? ", prediction" : "prediction");
    if (choice->probability)
        sqlite3_str_appendall(text, n++ ? ", probability" : "probability");
    sqlite3_str_appendall(text, n ? " FROM " : "NULL FROM ");
    append_name(text, source->name);
}

static void describe_term(sqlite3_str *text, const sq_source *source, const sq_term *term)
{
    append_name(text, source->columns[term->column].name);
    if (term->tests_null)
        sqlite3_str_appendf(text, " %s", term->sql);
    else
        sqlite3_str_appendf(text, term->in ? " IN (?..)" : " %s ?", term->sql);
    if (term->collation && sqlite3_stricmp(term->collation, "BINARY") != 0) {
        sqlite3_str_appendall(text, " COLLATE ");
        append_name(text, term->collation);
    }
}

static char *describe_choice(const sq_source *source, const sq_choice *choice)
{
    sqlite3_str *text = sqlite3_str_new(NULL);

    describe_columns(text, source, choice);
    for (size_t i = 0; i < choice->n_terms; i++) {
        sqlite3_str_appendall(text, i ? " AND " : " WHERE ");
        describe_term(text, source, &choice->terms[i]);
    }
    for (size_t i = 0; i < choice->n_order; i++) {
        sqlite3_str_appendall(text, i ? ", " : " ORDER BY ");
        append_name(text, source->columns[choice->order[i].column].name);
        sqlite3_str_appendall(text, choice->order[i].descending ? " DESC" : "");
    }
    if (choice->limit >= 0)
        sqlite3_str_appendall(text, choice->offset >= 0 ? " LIMIT ? OFFSET ?" : " LIMIT ?");
    return sqlite3_str_finish(text);
}

/* ------------------------------------------------------------------ cost */

enum { ROWS = 1000000 }; /* of a source: nobody knows */

/* Rows that the source reads for a term, and rows that it gives, become fewer; by how much is what
 * SQLite assumes where it has no statistics.
 *
 * SQLite can answer an OR by one scan for each side, and knows by their rowids the rows that
 * several of them give. Where the source's rows have none, two scans must never look cheaper than
 * one without terms: then no term makes a scan cheaper. */
static void estimate_cost(const sq_source *source, const sq_choice *choice, sqlite3_index_info *info)
{
    double read = ROWS, given = ROWS;

    for (size_t i = 0; source->rowid && i < choice->n_terms; i++) {
        const sq_term *term = &choice->terms[i];
        double part = term->equals ? 1e-5 : 0.25;

        if (source->columns[term->column].indexed && !term->tests_null)
            read *= part;
        given *= term->equals ? 0.01 : 0.25;
    }
    if (read < 1)
        read = 1;
    if (given > read)
        given = read;
    info->estimatedCost = read + given * (choice->prediction || choice->probability ? 10 : 1);
    info->estimatedRows = (sqlite3_int64)given < 1 ? 1 : (sqlite3_int64)given;
}

/* ------------------------------------------------------------------ keeping choices */

/* The number of an equal choice that was there before; takes over `choice`. -1: no memory. */
static int keep_choice(sq_choices *all, sq_choice *choice)
{
    sq_choice **grown;

    for (int i = 0; i < all->count; i++)
        if (strcmp(all->list[i]->text, choice->text) == 0) {
            sq_choice_free(choice);
            return i;
        }
    grown = sqlite3_realloc64(all->list, ((sqlite3_uint64)all->count + 1) * sizeof(*grown));
    if (!grown) {
        sq_choice_free(choice);
        return -1;
    }
    all->list = grown;
    all->list[all->count] = choice;
    return all->count++;
}

int sq_choose(const sq_source *source, sq_choices *all, sqlite3_index_info *info)
{
    sq_choice *choice = new_choice(source, info);
    int code = choice ? SQLITE_OK : SQLITE_NOMEM;
    int given = 0;

    if (code == SQLITE_OK) {
        choose_columns(source, info, choice);
        code = choose_terms(source, info, choice, &given);
    }
    if (code == SQLITE_OK) {
        choose_order(source, info, choice);
        choose_limit(info, choice, &given);
        estimate_cost(source, choice, info);
        choice->text = describe_choice(source, choice);
        info->idxStr = choice->text ? sqlite3_mprintf("%s", choice->text) : NULL;
        info->needToFreeIdxStr = info->idxStr != NULL;
        code = info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
    }
    if (code != SQLITE_OK) {
        sq_choice_free(choice);
        return code;
    }
    info->idxNum = keep_choice(all, choice);
    return info->idxNum < 0 ? SQLITE_NOMEM : SQLITE_OK;
}
