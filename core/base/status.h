/* status.h - how errors are made.
 *
 * A function that can fail returns hbs_status and fills the caller's hbs_error by hb_fail. The
 * first error wins: callers return at once. Errors are values; nothing aborts. */
#ifndef HB_BASE_STATUS_H
#define HB_BASE_STATUS_H

#include <stdarg.h>

#include "hbscore.h"

/* Fills `error` (NULL: nothing) and returns `status`. The text is cut between characters. */
__attribute__((format(printf, 3, 4))) hbs_status hb_fail(hbs_error *error, hbs_status status, const char *format, ...);

/* The same with the offset of the model's byte that is to blame; the text says it too. */
__attribute__((format(printf, 4, 5))) hbs_status hb_fail_at(hbs_error *error, hbs_status status, size_t offset,
                                                            const char *format, ...);

/* The same for callers with arguments of their own; `offset` may be HBS_NO_OFFSET. */
__attribute__((format(printf, 4, 0))) hbs_status hb_fail_list(hbs_error *error, hbs_status status, size_t offset,
                                                              const char *format, va_list arguments);

/* Puts words before an error's text: `model "churn": `. Too long, it is cut before "(byte N)". */
__attribute__((format(printf, 2, 3))) void hb_error_prefix(hbs_error *error, const char *format, ...);

/* Returns from the function when `call` fails. */
#define HB_TRY(call)                        \
    do {                                    \
        hbs_status hb_try_status_ = (call); \
        if (hb_try_status_ != HBS_OK)       \
            return hb_try_status_;          \
    } while (0)

/* An invariant of our own, never a check of input: HBS_E_INTERNAL where it does not hold. */
#define HB_CHECK(condition, error)                                                                              \
    do {                                                                                                        \
        if (!(condition))                                                                                       \
            return hb_fail((error), HBS_E_INTERNAL, "internal error: %s (%s:%d), please report it", #condition, \
                           __FILE__, __LINE__);                                                                 \
    } while (0)

#endif
