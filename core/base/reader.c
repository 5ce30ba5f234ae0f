/* reader.c - the window over a model's bytes: every take is checked, the first failure latches. */
#include "base/reader.h"

void hb_reader_init(hb_reader *r, const void *bytes, size_t size)
{
    /* Never NULL, so that pointer differences are defined for an empty input, too. */
    const uint8_t *begin = size ? bytes : (const uint8_t *)"";

    *r = (hb_reader){.begin = begin, .p = begin, .end = begin + size, .what = ""};
}

void hb_reader_fail(hb_reader *r, hbs_status status, const char *what)
{
    if (r->status != HBS_OK)
        return;
    r->status = status;
    r->what = what;
    r->fail_at = hb_reader_offset(r);
    r->end = r->p;
}

size_t hb_reader_offset(const hb_reader *r)
{
    return (size_t)(r->p - r->begin);
}

size_t hb_reader_left(const hb_reader *r)
{
    return (size_t)(r->end - r->p);
}

const uint8_t *hb_reader_take(hb_reader *r, size_t n)
{
    const uint8_t *at = r->p;

    if (n > hb_reader_left(r)) { /* not p + n > end: that sum can wrap */
        hb_reader_fail(r, HBS_E_FORMAT, "ends too early");
        return NULL;
    }
    r->p += n;
    return at;
}
