/* labels.h - class labels: their text, and when two mean the same class. */
#ifndef HB_IR_LABELS_H
#define HB_IR_LABELS_H

#include "hbscore.h"

/* A label as a text: "yes", "1", "true"; points into the label or the buffer. */
hbs_text hb_label_text(const hbs_value *label, char buffer[32]);

/* The number 1 is the label 1, and so are 1.0 and the text "1"; the text "yes" is the label "yes". */
bool hb_label_equal(const hbs_value *a, const hbs_value *b);

#endif
