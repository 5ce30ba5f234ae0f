/* sq_conflicts.c - does a statement that is running write what a query reads?
 *
 * INSERT INTO t SELECT .. FROM hbscore_scan('m', 'SELECT .. FROM t') would find its own rows for ever.
 * SQLite sees to that where it compiles both in one statement; a scan's query is another one, and has to
 * be stored first (sq_feed.c), which costs more than a light model. Mostly scores go into a table that
 * the query does not read: then it need not be. Which b-trees a statement opens is in its program, and
 * EXPLAIN shows that. Its form may change from version to version, so all that is not known counts as a
 * conflict: only the cost can be wrong. */
#include "sq_hbscore.h"

#include <string.h>

enum {
    MOST_TREES = 64,       /* of a statement: tables and indexes */
    ROOT_IN_REGISTER = 16, /* p5 of OpenWrite: a table that this statement makes */
    OPCODE = 1,            /* columns of EXPLAIN */
    P1,
    P2,
    P3,
    P5 = 6
};

typedef struct trees {
    struct {
        int root, database;
    } tree[MOST_TREES];
    int count;
    bool unknown;
} trees;

static void add_tree(trees *t, int root, int database)
{
    if (t->count == MOST_TREES) {
        t->unknown = true;
        return;
    }
    t->tree[t->count].root = root;
    t->tree[t->count++].database = database;
}

static bool is_one_of(const char *opcode, const char *const *names)
{
    while (*names && strcmp(opcode, *names) != 0)
        names++;
    return *names;
}

/* Looks at one instruction. An instruction that opens or writes in a way not known here makes the answer unknown. */
static void look_at_instruction(trees *t, sqlite3_stmt *row, const char *wanted)
{
    static const char *const harmless[] = {"OpenRead", "OpenWrite", "OpenEphemeral", "OpenAutoindex", "OpenPseudo",
                                           "OpenDup",  NULL};
    static const char *const strange[] = {"VUpdate", "Destroy", "DropTable", "DropIndex", "DropTrigger",
                                          "Vacuum",  "VCreate", "VDestroy",  "VRename",   NULL};
    const char *opcode = (const char *)sqlite3_column_text(row, OPCODE);
    bool reads = strcmp(wanted, "OpenRead") == 0;

    if (!opcode) {
        t->unknown = true;
    } else if (strcmp(opcode, wanted) == 0 || (reads && strcmp(opcode, "ReopenIdx") == 0)) {
        if (!(sqlite3_column_int(row, P5) & ROOT_IN_REGISTER))
            add_tree(t, sqlite3_column_int(row, P2), sqlite3_column_int(row, P3));
    } else if (strcmp(opcode, "Clear") == 0) {
        add_tree(t, sqlite3_column_int(row, P1), sqlite3_column_int(row, P2));
    } else if (reads && strcmp(opcode, "VOpen") == 0) {
        t->unknown = true; /* a virtual table may read anything */
    } else if (strncmp(opcode, "Open", 4) == 0) {
        t->unknown |= !is_one_of(opcode, harmless);
    } else {
        t->unknown |= is_one_of(opcode, strange);
    }
}

/* The trees that a statement opens by `wanted`; the programs of its triggers are in the list too. */
static void find_trees(sqlite3 *db, hbs_text text, const char *wanted, trees *t)
{
    char *explain = sqlite3_mprintf("EXPLAIN %.*s", (int)text.size, text.bytes);
    sqlite3_stmt *program = NULL;
    int code = explain ? sqlite3_prepare_v2(db, explain, -1, &program, NULL) : SQLITE_NOMEM;

    t->count = 0;
    t->unknown = false;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(program);
        if (code == SQLITE_ROW)
            look_at_instruction(t, program, wanted);
    }
    t->unknown |= code != SQLITE_DONE || t->count == 0;
    sqlite3_finalize(program);
    sqlite3_free(explain);
}

static bool meet(const trees *a, const trees *b)
{
    if (a->unknown || b->unknown)
        return true;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++)
            if (a->tree[i].root == b->tree[k].root && a->tree[i].database == b->tree[k].database)
                return true;
    return false;
}

bool sq_conflicts(sqlite3 *db, hbs_text query)
{
    trees read = {.count = -1};

    for (sqlite3_stmt *s = sqlite3_next_stmt(db, NULL); s; s = sqlite3_next_stmt(db, s)) {
        const char *sql = sqlite3_sql(s);
        trees written;

        if (!sqlite3_stmt_busy(s) || sqlite3_stmt_readonly(s))
            continue;
        if (!sql)
            return true;
        if (read.count < 0)
            find_trees(db, query, "OpenRead", &read);
        find_trees(db, (hbs_text){sql, strlen(sql)}, "OpenWrite", &written);
        if (meet(&read, &written))
            return true;
    }
    return false;
}
