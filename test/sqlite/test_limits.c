/* test_limits.c - many models, large models, small limits, damaged files, and a process that must
 * be left as it was. */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xmmintrin.h>

/* ------------------------------------------------------------------ R6: many models */

/* A small model in as many versions of its bytes as are wanted: blanks at its end change the
 * digest. */
static t_blob padded(t_blob model, size_t blanks)
{
    unsigned char *bytes = malloc(model.size + blanks);

    memcpy(bytes, model.bytes, model.size);
    memset(bytes + model.size, ' ', blanks);
    return (t_blob){bytes, model.size + blanks};
}

#define SMALL "test/golden/xgboost/gblinear_multi_34.json"

static void fill(const char *path, int models)
{
    sqlite3 *db = t_open(path);
    t_blob small = t_file(SMALL);
    char name[32];

    t_do(db, "BEGIN");
    for (int i = 0; i < models; i++) {
        t_blob model = padded(small, (size_t)i);

        snprintf(name, sizeof(name), "m%d", i);
        if (t_register(db, name, model, NULL) != SQLITE_OK)
            t_check("R6", false, "%s: %s", name, sqlite3_errmsg(db));
        free((void *)model.bytes);
    }
    t_do(db, "COMMIT");
    t_close(db);
}

/* The answers of all models in one statement are those of the first one: only blanks differ. */
static const char all_equal[] = "SELECT count(DISTINCT predict_proba(name, 1, 2, 3, 4)) || ' of ' || count(*)"
                                " FROM hbscore_models";

static void many_models(void)
{
    const char *path = t_path("many.db");
    sqlite3_int64 held = 0;
    sqlite3 *db;

    fill(path, 1000);
    db = t_open(path);
    t_do(db, "PRAGMA cache_size = -100; SELECT hbscore_set('plan_cache_size', 100000)");
    for (int round = 0; round < 3; round++) {
        sqlite3_int64 now;

        t_is("R6", db, all_equal, "1 of 1000");
        now = sqlite3_memory_used();
        t_check("R6", round == 0 || now < held + 20000, "memory grows: %lld, %lld", held, now);
        t_check("R6", now < 2000000, "1000 models in a cache of 100 kB hold %lld bytes", now);
        held = now;
    }
    t_do(db, "SELECT hbscore_set('plan_cache_size', 0)");
    t_check("R6", sqlite3_memory_used() < held - 50000, "a smaller cache is emptied at once: %lld, %lld", held,
            sqlite3_memory_used());
    t_is("R6", db, all_equal, "1 of 1000");
    t_close(db);
}

static void many_connections(void)
{
    enum { CONNECTIONS = 50 };
    sqlite3 *all[CONNECTIONS];
    sqlite3_int64 before = sqlite3_memory_used();

    for (int i = 0; i < CONNECTIONS; i++) {
        all[i] = t_open(t_path("many.db"));
        t_do(all[i], "PRAGMA cache_size = -100; SELECT hbscore_set('plan_cache_size', 50000)");
    }
    for (int i = 0; i < CONNECTIONS; i++)
        t_is("R6", all[i], all_equal, "1 of 1000");
    t_check("R6", sqlite3_memory_used() - before < CONNECTIONS * 1000000LL, "%d connections hold %lld bytes",
            CONNECTIONS, sqlite3_memory_used() - before);
    for (int i = 0; i < CONNECTIONS; i++)
        t_close(all[i]);
    t_check("R6", sqlite3_memory_used() == before, "%lld bytes are lost", sqlite3_memory_used() - before);
}

/* ------------------------------------------------------------------ R5: the largest model */

/* The Titanic's model with blanks before its last brace, `size` bytes in all. */
static t_blob titanic_of(size_t size)
{
    t_blob model = t_titanic();
    unsigned char *bytes = malloc(size);
    size_t head = model.size;

    while (model.bytes[head - 1] != '}')
        head--;
    memcpy(bytes, model.bytes, head - 1);
    memset(bytes + head - 1, ' ', size - head);
    bytes[size - 1] = '}';
    return (t_blob){bytes, size};
}

static void largest_model(void)
{
    const size_t most = (size_t)64 << 20;
    sqlite3 *db = t_open(t_path("large.db"));
    t_blob largest = titanic_of(most);
    t_blob over = titanic_of(most + 1);

    t_check("R5", t_register(db, "titanic", largest, T_TITANIC_OPTIONS) == SQLITE_OK, "64 MiB: %s", sqlite3_errmsg(db));
    t_is("R5", db, T_SCORED("titanic"), "1");
    t_check("R5", t_register(db, "titanic", over, T_TITANIC_OPTIONS) == SQLITE_TOOBIG, "a byte more: %s",
            sqlite3_errmsg(db));
    t_do(db, "SELECT hbscore_set('max_model_size', 523239424)");
    t_check("R5", t_register(db, "titanic", over, T_TITANIC_OPTIONS) == SQLITE_OK, "raised: %s", sqlite3_errmsg(db));
    t_is("R5", db, T_SCORED("titanic@2"), "1");
    t_close(db);
    db = t_open(t_path("large.db"));
    t_is("R5", db, "SELECT hbscore_get('max_model_size')", "67108864"); /* asks no more of what is stored */
    t_is("R5", db, T_SCORED("titanic@2"), "1");
    t_check("R5", t_register(db, "titanic", over, T_TITANIC_OPTIONS) == SQLITE_TOOBIG, "again: %s", sqlite3_errmsg(db));
    t_is("R5", db, "SELECT hbscore_set('max_model_size', 1000)", "1000");
    t_is("R5", db, T_SCORED("titanic@1"), "1");
    t_close(db);
    free((void *)largest.bytes);
    free((void *)over.bytes);
}

/* What was written into the table past registration: no model may have so many bytes, and they are not read. */
static void row_above_the_hard_maximum(void)
{
    sqlite3 *db = t_open_models(t_path("above.db"), 1);
    sqlite3_int64 used;

    t_do(db, "UPDATE hbscore_models SET model = zeroblob(523239425)");
    used = sqlite3_memory_used();
    sqlite3_memory_highwater(1);
    t_fails("R5", db, T_SCORED("titanic"), SQLITE_TOOBIG,
            "model \"titanic\" has 523239425 bytes, more than any model may have (523239424)");
    t_check("R5", sqlite3_memory_highwater(0) < used + (1 << 20), "%lld bytes were taken",
            sqlite3_memory_highwater(0) - used);
    t_close(db);
}

/* ------------------------------------------------------------------ the host's own limits */

static void host_limits(void)
{
    sqlite3 *db = t_open_models(NULL, 1);
    sqlite3_int64 used;

    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 60);
    t_fails("R1", db, "SELECT predict_json('titanic', " T_PASSENGER ")", SQLITE_TOOBIG, "too big");
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000000000);
    used = sqlite3_memory_used();
    sqlite3_hard_heap_limit64(used + 100000);
    t_check("R1", t_register(db, "titanic", t_titanic(), NULL) == SQLITE_NOMEM, "a heap limit stops a registration: %s",
            sqlite3_errmsg(db));
    t_is("R1", db, T_SCORED("titanic"), "1");
    sqlite3_hard_heap_limit64(0);
    t_check("R1", t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    t_close(db);
}

/* ------------------------------------------------------------------ L6: damaged files */

static void copy_file(const char *from, const char *to, long flip, unsigned char by)
{
    t_blob bytes = t_file(from);
    long at = flip % (long)bytes.size;
    unsigned char flipped = bytes.bytes[at] ^ by;
    FILE *file = fopen(to, "wb");

    fwrite(bytes.bytes, 1, (size_t)at, file);
    fwrite(&flipped, 1, 1, file);
    fwrite(bytes.bytes + at + 1, 1, bytes.size - (size_t)at - 1, file);
    fclose(file);
}

/* A byte of the file is flipped: the right score or an error, never another score. Category names
 * are not covered by the model's digest, nor is the class's label: they can only be missed. */
static void flipped_bytes(void)
{
    const char *good = t_path("good.db");
    const char *bad = t_path("bad.db");
    sqlite3 *db = t_open_models(good, 1);
    int right = 0;

    t_close(db);
    srand(11);
    for (int i = 0; i < 1500; i++) {
        char *got;

        copy_file(good, bad, rand(), (unsigned char)(1 << rand() % 8));
        if (sqlite3_open(bad, &db) == SQLITE_OK && t_load(db, NULL) == SQLITE_OK) {
            got = t_ask(db, T_SCORED("titanic"));
            t_check("L6", strcmp(got, "1") == 0 || strstr(got, ": ") == got + strspn(got, "0123456789"), "flip %d: %s",
                    i, got);
            right += strcmp(got, "1") == 0;
            free(got);
        }
        sqlite3_close(db);
    }
    printf("%d of 1500 damaged files score all the same\n", right);
}

/* ------------------------------------------------------------------ R8: what belongs to the
 * host */

typedef struct ambience {
    struct sigaction signals[65];
    mode_t mask;
    unsigned mxcsr;
    int rounding;
    char locale[256];
    char folder[512];
    char environment[65536];
} ambience;

static void look(ambience *a)
{
    extern char **environ;
    size_t n = 0;

    memset(a, 0, sizeof(*a));
    for (int i = 1; i < 65; i++)
        sigaction(i, NULL, &a->signals[i]);
    a->mask = umask(0);
    umask(a->mask);
    a->mxcsr = _mm_getcsr() & ~0x3fu; /* the flags that any calculation raises */
    a->rounding = fegetround();
    snprintf(a->locale, sizeof(a->locale), "%s", setlocale(LC_ALL, NULL));
    if (!getcwd(a->folder, sizeof(a->folder)))
        a->folder[0] = 0;
    for (char **e = environ; *e && n < sizeof(a->environment); e++)
        n += (size_t)snprintf(a->environment + n, sizeof(a->environment) - n, "%s\n", *e);
}

static void same(const ambience *a, const ambience *b, const char *when)
{
    for (int i = 1; i < 65; i++)
        if (a->signals[i].sa_handler != b->signals[i].sa_handler)
            t_check("R8", false, "%s: signal %d has another handler", when, i);
    t_check("R8", a->mask == b->mask, "%s: umask", when);
    t_check("R8", a->mxcsr == b->mxcsr, "%s: MXCSR %x, %x", when, a->mxcsr, b->mxcsr);
    t_check("R8", a->rounding == b->rounding, "%s: rounding", when);
    t_check("R8", strcmp(a->locale, b->locale) == 0, "%s: locale %s, %s", when, a->locale, b->locale);
    t_check("R8", strcmp(a->folder, b->folder) == 0, "%s: folder", when);
    t_check("R8", strcmp(a->environment, b->environment) == 0, "%s: environment", when);
}

static void work(sqlite3 *db)
{
    t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS);
    free(t_ask(db, T_SCORED("titanic")));
    free(t_ask(db, "SELECT predict_json('titanic', " T_PASSENGER ")"));
    free(t_ask(db, "SELECT predict('titanic', 1)"));
    free(t_ask(db, "SELECT predict('unknown', 1)"));
    free(t_ask(db, "SELECT hbscore_register('x', x'7b22')"));
    free(t_ask(db, "SELECT count(*) FROM hbscore_inspect((SELECT model FROM hbscore_models))"));
}

static void host_is_left_alone(void)
{
    static ambience before, after;
    sqlite3 *db;

    look(&before);
    db = t_open(NULL);
    look(&after);
    same(&before, &after, "loading");
    work(db);
    look(&after);
    same(&before, &after, "working");
    t_close(db);
    look(&after);
    same(&before, &after, "closing");
}

/* The host's floating-point mode neither changes a score nor is changed. */
static void rounding_modes(void)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    sqlite3 *db = t_open_models(NULL, 1);

    /* A fixed double: SQLite reads literals by the host's mode, so none stands in the statement. */
    t_do(db, "CREATE TABLE want AS SELECT 0.91241276264190674 AS p, 211.3375 AS fare");
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        static ambience before, after;

        fesetround(modes[i]);
        _mm_setcsr(_mm_getcsr() | 0x8040); /* flush denormals, read them as zero */
        look(&before);
        t_is("R8", db,
             "SELECT predict_probability('titanic', 'survived', 1, 'female', 29, 0, 0, fare, 'S')"
             " = p FROM want",
             "1");
        look(&after);
        same(&before, &after, "another rounding mode");
        _mm_setcsr(_mm_getcsr() & ~0x8040u);
        fesetround(FE_TONEAREST);
    }
    t_close(db);
}

/* W10: a locale with a decimal comma: one of the machine's, or made here if it can. */
static const char *comma_name(void)
{
    static const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *folder = t_path("locale");
    char command[400];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (setlocale(LC_ALL, names[i]))
            return names[i];
    snprintf(command, sizeof(command), "mkdir -p %s && localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder, folder);
    setenv("LOCPATH", folder, 1);
    return system(command) == 0 ? setlocale(LC_ALL, "de_DE.UTF-8") : NULL;
}

static void comma_locale(void)
{
    const char *name = comma_name();
    sqlite3 *db;

    if (!name) {
        printf("no locale with a decimal comma here\n");
        return;
    }
    db = t_open(NULL);
    t_check("W10", strtod("1,5", NULL) == 1.5, "%s has a decimal comma", name);
    t_check("W10", t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS) == SQLITE_OK, "%s: %s", name,
            sqlite3_errmsg(db));
    t_is("W10", db, T_SCORED("titanic"), "1");
    t_is("W10", db, "SELECT json_valid(predict_json('titanic', " T_PASSENGER "))", "1");
    t_is("W10", db,
         "SELECT predict_proba('titanic', '[1, \"female\", 29.5, 0, 0, 211.3375, \"S\"]')"
         " = predict_proba('titanic', 1, 'female', '29.5', 0, 0, '211.3375', 'S')",
         "1");
    t_fails("W10", db, "SELECT predict('titanic', 1, 'female', '29,5', 0, 0, 1, 'S')", SQLITE_ERROR, "takes a number");
    t_close(db);
    setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
    t_start(argc, argv);
    many_models();
    many_connections();
    largest_model();
    row_above_the_hard_maximum();
    host_limits();
    flipped_bytes();
    host_is_left_alone();
    rounding_modes();
    comma_locale();
    return t_finish();
}
