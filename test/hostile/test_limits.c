/* test_limits.c - each limit of hbs_limits, for each format: a model at the limit loads, one above it is refused. The
 * numbers of nodes and levels were counted in the files by other programs (the library itself for UBJSON). */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>

static const struct sized {
    const char *file; /* in test/golden */
    size_t nodes, depth;
} MODELS[] = {
    {"xgboost/binary_logistic_34.json", 84, 3},
    {"xgboost/chain_34.json", 60, 14},
    {"xgboost/codes_partition_34.json", 220, 5},
    {"xgboost/binary_classifier_34.ubj", 58, 3},
    {"lightgbm/binary_47.txt", 45, 3},
    {"lightgbm/deep_47.txt", 509, 14},
    {"catboost/logloss_12.json", 75, 3},
    {"catboost/depthwise_values_12.json", 19, 2},
    {"catboost/lossguide_deep_12.json", 158, 8},
    {"sklearn/decision_tree_19.json", 41, 5},
    {"sklearn/extra_trees_19.json", 170, 5},
    {"sklearn/ens_boosting_init_19.json", 121, 4}, /* two forests */
    {"boosted/boost_xgboost_plain_19.json", 73, 3},
    {"boosted/boost_lightgbm_plain_19.json", 73, 3},
    {"boosted/boost_catboost_plain_19.json", 75, 3},
};

static void check_at(const char *model, const char *limit, mb_bytes b, hbs_limits limits, const char *words)
{
    ht_load load = {.limits = &limits};
    ht_host host;

    ht_case("T11", "%s, %s %s", model, words ? "one above" : "at", limit);
    ht_host_init(&host);
    ht_load_bytes(&host, b.data, b.size, &load);
    if (!words)
        ht_check(load.status == HBS_OK, "refused: %s", load.error.text);
    else if (ht_check(load.status == HBS_E_LIMIT, "wanted limit, got %s", hbs_status_name(load.status)))
        ht_check(ht_has_words(load.error.text, words), "wanted the words %s, got: %s", words, load.error.text);
}

static void check_model(const struct sized *m)
{
    char path[256], words[64];
    mb_bytes b;

    snprintf(path, sizeof(path), "test/golden/%s", m->file);
    b = ht_read_file(path);

    check_at(m->file, "max_nodes", b, (hbs_limits){.max_nodes = m->nodes}, NULL);
    snprintf(words, sizeof(words), "more nodes than the limit of %zu", m->nodes - 1);
    check_at(m->file, "max_nodes", b, (hbs_limits){.max_nodes = m->nodes - 1}, words);

    check_at(m->file, "max_depth", b, (hbs_limits){.max_depth = m->depth}, NULL);
    snprintf(words, sizeof(words), "deeper than the limit of %zu", m->depth - 1);
    check_at(m->file, "max_depth", b, (hbs_limits){.max_depth = m->depth - 1}, words);

    check_at(m->file, "max_model_bytes", b, (hbs_limits){.max_model_bytes = b.size}, NULL);
    snprintf(words, sizeof(words), "over the limit of %zu|max_model_size", b.size - 1);
    check_at(m->file, "max_model_bytes", b, (hbs_limits){.max_model_bytes = b.size - 1}, words);
    free(b.data);
}

int main(void)
{
    for (size_t i = 0; i < HT_COUNT(MODELS); i++)
        check_model(&MODELS[i]);
    return ht_report();
}
