/* vocabulary.c - see vocabulary.h. */
#include "format/vocabulary.h"

#include <string.h>

#include "base/sort.h"

/* ---- words */

/* Numbers equal texts alike; gives how many are different, and their bytes. */
static hbs_status number_texts(hb_pipeline *pipeline, const hbs_text *texts, const uint32_t *order, size_t n,
                               uint32_t *codes, hb_words *words, hbs_error *error)
{
    size_t count = 0, bytes = 0;

    for (size_t i = 0; i < n; i++) {
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 4 + texts[order[i]].size / 16, error));
        if (i == 0 || hb_compare_words(texts[order[i - 1]], texts[order[i]]) != 0) {
            count++;
            bytes += texts[order[i]].size;
        }
        codes[order[i]] = (uint32_t)count - 1;
    }
    if (bytes > UINT32_MAX)
        return hb_fail(error, HBS_E_LIMIT, "the words have %zu bytes", bytes);
    words->n = count;
    words->n_bytes = bytes;
    return HBS_OK;
}

static hbs_status write_words(hb_pipeline *pipeline, const hbs_text *texts, const uint32_t *order, size_t n,
                              const uint32_t *codes, hb_words *words, hbs_error *error)
{
    uint32_t *ends = hb_arena_array(&pipeline->arena, words->n, sizeof(*ends));
    char *bytes = hb_arena_array(&pipeline->arena, words->n_bytes + 1, 1);
    uint32_t *slots;
    size_t at = 0;

    words->n_slots = hb_words_slots(words->n);
    slots = hb_arena_array(&pipeline->arena, words->n_slots, sizeof(*slots));
    if (!ends || !bytes || !slots)
        return hb_no_memory(pipeline->arena.memory, error);
    for (size_t i = 0; i < n; i++) {
        hbs_text text = texts[order[i]];

        if (i > 0 && codes[order[i - 1]] == codes[order[i]])
            continue;
        memcpy(bytes + at, text.bytes, text.size);
        at += text.size;
        ends[codes[order[i]]] = (uint32_t)at;
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 4 + text.size / 16, error));
    }
    words->ends = ends;
    words->bytes = bytes;
    words->slots = slots;
    return hb_words_fill(words, slots, &pipeline->arena.memory->work)
               ? HBS_OK
               : hb_work_status(&pipeline->arena.memory->work, error);
}

static hbs_status make_words(hb_pipeline *pipeline, const hbs_text *texts, size_t n, uint32_t *order, uint32_t *codes,
                             hb_words *words, hbs_error *error)
{
    hb_work *work = &pipeline->arena.memory->work;

    if (!hb_words_sort(texts, n, order, work))
        return hb_work_status(work, error);
    HB_TRY(number_texts(pipeline, texts, order, n, codes, words, error));
    return write_words(pipeline, texts, order, n, codes, words, error);
}

hbs_status hb_words_make(hb_pipeline *pipeline, const hbs_text *texts, size_t n, hb_words *words, uint32_t *codes,
                         hbs_error *error)
{
    hb_memory *memory = pipeline->arena.memory;
    size_t size = n * sizeof(uint32_t);
    uint32_t *order, *own;
    hbs_status status;

    *words = (hb_words){.n = 0};
    if (n >= HB_NO_WORD)
        return hb_fail(error, HBS_E_LIMIT, "it has %zu words", n);
    order = hb_allocate(memory, size);
    own = codes ? NULL : hb_allocate(memory, size);
    status = order && (codes || own) ? make_words(pipeline, texts, n, order, codes ? codes : own, words, error)
                                     : hb_no_memory(memory, error);
    hb_release(memory, own, own ? size : 0);
    hb_release(memory, order, order ? size : 0);
    return status;
}

/* ---- sequences */

/* The tree while it is made, one length after the other. */
typedef struct growing {
    hb_pipeline *pipeline;
    const hb_sequences *s;
    const uint32_t *codes; /* of all texts */
    uint32_t *node;        /* [s->n]: of the begin of each sequence */
    uint32_t *order;       /* [s->n]: sequences that are longer.. */
    size_t n_longer;       /* ..so many */
    size_t length;         /* of the begins */
    size_t n;              /* nodes */
    uint32_t *first, *words, *outputs;
} growing;

static size_t begin_of(const hb_sequences *s, size_t i)
{
    return i ? s->ends[i - 1] : 0;
}

static uint32_t next_word(const growing *g, uint32_t i)
{
    return g->codes[begin_of(g->s, i) + g->length];
}

static int compare_next(const void *context, uint32_t a, uint32_t b)
{
    const growing *g = context;
    uint32_t x = next_word(g, a), y = next_word(g, b);

    if (g->node[a] != g->node[b])
        return g->node[a] < g->node[b] ? -1 : 1;
    return (x > y) - (x < y);
}

static void find_longer(growing *g)
{
    g->n_longer = 0;
    for (size_t i = 0; i < g->s->n; i++)
        if (g->s->ends[i] - begin_of(g->s, i) > g->length)
            g->order[g->n_longer++] = (uint32_t)i;
}

/* The nodes of all sequences of one more word. first[k + 1] counts those below node k. */
static hbs_status grow(growing *g, size_t *same, hbs_error *error)
{
    uint32_t above = 0, word = HB_NO_WORD;

    for (size_t i = 0; i < g->n_longer; i++) {
        uint32_t s = g->order[i];

        if (i == 0 || g->node[s] != above || next_word(g, s) != word) {
            above = g->node[s];
            word = next_word(g, s);
            g->first[above + 1]++;
            g->words[g->n] = word;
            g->outputs[g->n++] = HB_NO_COLUMN;
        }
        g->node[s] = (uint32_t)g->n;
        if (g->s->ends[s] - begin_of(g->s, s) == g->length + 1) {
            if (g->outputs[g->n - 1] != HB_NO_COLUMN)
                *same = s;
            g->outputs[g->n - 1] = g->s->outputs[s];
        }
        HB_TRY(hb_worked(&g->pipeline->arena.memory->work, 8, error));
    }
    return HBS_OK;
}

static hbs_status grow_all(growing *g, size_t *same, hbs_error *error)
{
    hb_work *work = &g->pipeline->arena.memory->work;

    for (find_longer(g); g->n_longer > 0; find_longer(g)) {
        if (!hb_sort(g->order, g->n_longer, compare_next, g, work))
            return hb_work_status(work, error);
        HB_TRY(grow(g, same, error));
        g->length++;
        HB_TRY(hb_worked(work, g->s->n, error));
    }
    for (size_t k = 0; k <= g->n; k++)
        g->first[k + 1] += g->first[k];
    return hb_worked(work, g->n, error);
}

hbs_status hb_grams_make(hb_pipeline *pipeline, const hb_sequences *s, hb_words *words, hb_grams *grams, size_t *same,
                         hbs_error *error)
{
    hb_memory *memory = pipeline->arena.memory;
    size_t n_texts = s->n ? s->ends[s->n - 1] : 0, n = s->n;
    uint32_t *codes = hb_allocate(memory, n_texts * sizeof(*codes));
    uint32_t *node = hb_allocate(memory, n * sizeof(*node)), *order = hb_allocate(memory, n * sizeof(*order));
    growing g = {.pipeline = pipeline, .s = s, .codes = codes, .node = node, .order = order};
    hbs_status status = codes && node && order ? HBS_OK : hb_no_memory(memory, error);

    *same = n;
    if (status == HBS_OK)
        status = hb_words_make(pipeline, s->texts, n_texts, words, codes, error);
    g.first = hb_arena_array(&pipeline->arena, n_texts + 2, sizeof(*g.first));
    g.words = hb_arena_array(&pipeline->arena, n_texts, sizeof(*g.words));
    g.outputs = hb_arena_array(&pipeline->arena, n_texts, sizeof(*g.outputs));
    if (status == HBS_OK && (!g.first || !g.words || !g.outputs))
        status = hb_no_memory(memory, error);
    if (status == HBS_OK) {
        memset(node, 0, n * sizeof(*node));
        status = grow_all(&g, same, error);
    }
    *grams = (hb_grams){.n = g.n, .first = g.first, .words = g.words, .outputs = g.outputs};
    hb_release(memory, order, order ? n * sizeof(*order) : 0);
    hb_release(memory, node, node ? n * sizeof(*node) : 0);
    hb_release(memory, codes, codes ? n_texts * sizeof(*codes) : 0);
    return status;
}
