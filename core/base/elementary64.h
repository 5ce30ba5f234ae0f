/* elementary64.h - exp and log in float64, with the same bits on every CPU.
 *
 * glibc picks variants of its float64 functions by CPU, which differ in the last bit on some inputs. So
 * these are hbscore's own: fixed sequences of additions and multiplications, no fused ones. They are
 * within 0.52 (exp), 1.0 (log) and 1.4 (log1p) units in the last place of the true value, measured on
 * 20 million arguments each against 64-bit mantissas. */
#ifndef HB_BASE_ELEMENTARY64_H
#define HB_BASE_ELEMENTARY64_H

double hb_exp64(double x);
double hb_exp2_64(double x);  /* 2^x, by the same steps */
double hb_log64(double x);    /* x > 0: finite; 0: -infinity; below: NaN */
double hb_log1p64(double x);  /* x > -1: finite; -1: -infinity; below: NaN */
double hb_expm1_64(double x); /* exp(x) - 1, within 2 units in the last place */
/* The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x: within 3 units in the last place. */
double hb_erf64(double x);

#endif
