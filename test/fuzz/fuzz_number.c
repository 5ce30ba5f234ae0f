/* fuzz_number.c - a second opinion on numbers in texts: hbscore and strtod read the same bytes.
 *
 * SQL's numbers (hb_text_number): both accept the same texts, with equal bits; where only strtod accepts one, the text
 * has what is_strtod_only names. JSON's numbers: those that begin the text are strtod's to the bit, rounded to float32
 * once. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { MOST = 2000 };

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_number: %s\n", what);
        abort();
    }
}

static bool same64(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Hexadecimal, nan with a payload, what float64 cannot hold, more digits than hbscore reads. */
static bool is_strtod_only(const char *text, size_t size, double number)
{
    return strpbrk(text, "xX(") || (isinf(number) && !strpbrk(text, "nN")) || size > HB_MAX_NUMBER_SIZE;
}

static void compare_sql(const char *text, size_t size)
{
    hbs_value value;
    char *end;
    double number = strtod(text, &end);
    bool accepted = hb_text_number((hbs_text){text, size}, &value);

    if (end > text)
        end += strspn(end, " \t\n\v\f\r");
    if (end == text || (size_t)(end - text) != size)
        must(!accepted, "hbscore accepts what strtod does not");
    else if (!accepted)
        must(is_strtod_only(text, size, number), "hbscore refuses a number");
    else if (value.type == HBS_INT64)
        must(value.as.i64 == strtoimax(text, NULL, 10) && (double)value.as.i64 == number, "another integer");
    else
        must(value.type == HBS_FLOAT64 && same64(value.as.f64, number), "another number");
}

static void compare_json(const char *text, size_t size)
{
    double number;
    float rounded;
    bool over, over32;
    char token[MOST + 1];
    size_t read = hb_read_float64(text, text + size, &number, &over);

    must(hb_number_size(text, text + size, &over) == read, "another size");
    must(hb_read_float32(text, text + size, &rounded, &over32) == read, "another size for float32");
    if (read == 0)
        return;
    memcpy(token, text, read);
    token[read] = '\0';
    must(same64(number, strtod(token, NULL)) && over == (bool)isinf(number), "another number in JSON");
    must(same64((double)rounded, (double)strtof(token, NULL)) && over32 == (bool)isinf(rounded),
         "another float32 in JSON");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[MOST + 1];

    if (size > MOST)
        size = MOST;
    memcpy(text, data, size);
    text[size] = '\0';
    compare_sql(text, size);
    compare_json(text, size);
    return 0;
}
