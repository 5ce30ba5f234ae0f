/* fuzz_golden.c - the option `golden` (libFuzzer): its text as it stands, and inside options. */
#define FUZZ_NAME "fuzz_golden"
#include "small_model.h"

enum { PLANS = 2 };

static const char *const OPTIONS[PLANS] = {
    "{\"classes\":[\"no\",\"yes\"]}",
    "{\"on_unseen\":\"null\"}",
};

static hbs_plan *plan_of(int which)
{
    static hbs_plan *plans[PLANS];
    hbs_source source = {.name = "m", .bytes = MODEL, .size = sizeof(MODEL) - 1};
    hbs_model *model = NULL;
    hbs_error error = {0};

    if (plans[which])
        return plans[which];
    source.options = OPTIONS[which];
    source.options_size = strlen(OPTIONS[which]);
    if (hbs_model_load(&HOST, NULL, &source, &model, &error) != HBS_OK ||
        hbs_plan_compile(model, NULL, &plans[which], &error) != HBS_OK)
        give_up("the model does not load", &error);
    hbs_model_free(model);
    return plans[which];
}

static void try_verify(int which, const char *text, size_t size)
{
    hbs_plan *plan = plan_of(which);
    size_t before = blocks;
    hbs_verification found;
    hbs_error error = {0};
    hbs_status status = hbs_verify(plan, &HOST, "m", text, size, &found, &error);

    check_error(status, &error);
    if (found.ok != (status == HBS_OK && !found.text[0]))
        give_up("ok without reason, or a reason though ok", &error);
    if (blocks != before)
        give_up("a leak", NULL);
}

static bool is_same(hbs_text a, hbs_text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* What is cut out is the member, and what is left are the same options without it. */
static void try_cut(const char *text, size_t size)
{
    hbs_options_info info = {0}, again = {0};
    size_t before = blocks;
    hbs_error error = {0};
    hbs_status status = hbs_options_read(&HOST, text, size, &info, &error);

    check_error(status, &error);
    if (status == HBS_OK) {
        if (hbs_options_read(&HOST, info.plain.bytes, info.plain.size, &again, &error) != HBS_OK)
            give_up("options without golden are none", &error);
        if (again.golden.bytes || !is_same(again.plain, info.plain) || !is_same(again.format, info.format))
            give_up("options without golden are others", NULL);
        hbs_options_free(&HOST, &again);
    }
    hbs_options_free(&HOST, &info);
    if (blocks != before)
        give_up("a leak", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;

    try_verify(0, text, size);
    try_verify(1, text, size);
    try_cut(text, size);
    return 0;
}
