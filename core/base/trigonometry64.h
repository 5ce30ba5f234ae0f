/* trigonometry64.h - sine and its kin in float64, with the same bits on every CPU: of any argument within 2 units in
 * the last place, measured against 64-bit mantissas; hyperbolic ones and their inverses within 4. */
#ifndef HB_BASE_TRIGONOMETRY64_H
#define HB_BASE_TRIGONOMETRY64_H

/* NaN of infinities. */
double hb_sin64(double x);
double hb_cos64(double x);
double hb_tan64(double x);

/* NaN outside of -1 to 1. */
double hb_arcsin64(double x);
double hb_arccos64(double x);
double hb_arctan64(double x);

double hb_sinh64(double x);
double hb_cosh64(double x);
double hb_arcsinh64(double x);
double hb_arccosh64(double x); /* below 1: NaN */
double hb_arctanh64(double x); /* -1 and 1: infinite; beyond: NaN */

#endif
