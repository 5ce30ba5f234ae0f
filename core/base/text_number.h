/* text_number.h - numbers to texts and texts to numbers, as ONNX Runtime's Cast does both. The locale has no say. */
#ifndef HB_BASE_TEXT_NUMBER_H
#define HB_BASE_TEXT_NUMBER_H

#include "base/work.h"

/* The type that a text becomes. */
typedef enum hb_number_type {
    HB_NUMBER_FLOAT32,
    HB_NUMBER_FLOAT64,
    HB_NUMBER_INT32,
    HB_NUMBER_INT64,
    HB_NUMBER_BOOL,
    HB_N_NUMBER_TYPES
} hb_number_type;

enum { HB_NUMBER_TEXT = 32 /* bytes that a number's text may have */ };

/* A float as C's %.8g writes it; "NaN", "INF", "-INF". */
hbs_text hb_text_of_float(double number, char buffer[HB_NUMBER_TEXT]);
/* A whole number up to 2^53. */
hbs_text hb_text_of_integer(double number, char buffer[HB_NUMBER_TEXT]);

/* The number that the text begins with, behind white space; what follows has no say. Floats: as C's strtod, in float64
 * first. Integers and truth values: decimal digits with a sign; one beyond int32 keeps its low 32 bits. False: the text
 * begins with no number, with one beyond its type or below the normal numbers of float64, or with an integer beyond
 * 2^53; or the host wants to stop. */
bool hb_number_of_text(hbs_text text, hb_number_type type, double *number, hb_work *work);

#endif
