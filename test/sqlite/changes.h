/* changes.h - a change of a file that something comes between: afterwards the file is the one
 * before or the one after, never anything else.
 *
 * What a file is, is one text: every row of hbscore_models and of hbscore_aliases, and the score of
 * every version with all its digits. */
#ifndef CHANGES_H
#define CHANGES_H

#include "sqlite_test.h"

typedef struct change {
    const char *name;
    const char *sql;    /* one statement; model_file() gives a model's bytes */
    const char *answer; /* without trouble */
    int versions;       /* in the file before */
    const char *still;  /* a statement that gives 1 before, after and between */
    const char *setup;  /* on the connection that makes the change; NULL: nothing */
    const char *half;   /* one more state that sq_register.c allows; NULL: none */
} change;

enum { REGISTER, REGISTER_BY_PIECES, REGISTER_FIRST, DEPLOY, DEPLOY_FIRST, DROP, DROP_ALL, SCORE, CHANGES };
extern const change changes[CHANGES];

typedef struct trial {
    const change *change;
    const char *mode;     /* of the journal */
    char pristine[128];   /* the file before the change, closed */
    char *before, *after; /* what it is */
} trial;

extern const char *const journal_modes[2];

/* Makes the file and the change, once, without trouble. */
void trial_start(trial *trial, const change *change, const char *mode);
void trial_end(trial *trial);
/* The path of a fresh copy; there is one at a time. */
const char *trial_copy(const trial *trial);
/* Opens (a path or a URI) for the change: model_file, extended codes and the setup. */
sqlite3 *trial_open(const trial *trial, const char *path);
/* The copy, read by a fresh connection, is sound and in one of the two states: in the second one
 * where the change has given its `answer`. `where` and `n` say in messages what happened. */
void trial_check(const char *class, const trial *trial, const char *answer, const char *where, long n);

/* The code of an answer of t_ask; SQLITE_OK where it is a value. */
int code_of_answer(const char *answer);

#endif
