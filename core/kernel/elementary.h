/* elementary.h - exp, log and their like in float32, with the same bits on every CPU.
 *
 * On glibc these are the platform's own functions, so that XGBoost's probabilities match to the bit:
 * XGBoost calls the same ones. glibc picks a variant of expf by CPU (with or without fused
 * multiply-add); of all 2^32 inputs the variants differ on two, which hb_expf answers itself. */
#ifndef HB_KERNEL_ELEMENTARY_H
#define HB_KERNEL_ELEMENTARY_H

float hb_expf(float x);
float hb_logf(float x);
float hb_log1pf(float x);
float hb_expm1f(float x);

#endif
