/* explicit: shared by explicit methods with step control: sums of rates, the error norm, the first step, the control of one-step pairs. */
#ifndef BL_EXPLICIT_H
#define BL_EXPLICIT_H

#include "integrate/integrate.h"
#include "integrate/method_coefficients.h"

/* One row of a tableau without its zeros. */
typedef struct bl_terms {
    int count, which[BL_FORMULA_STAGES];
    double factor[BL_FORMULA_STAGES];
} bl_terms;

/* row[n]; n at most BL_FORMULA_STAGES. */
void bl_terms_of(const long double *row, int n, bl_terms *terms);
/* to[n] = y + h sum_j factor_j k[which_j], summed in this order. y NULL: the sum alone. to may be y, not one of k. */
void bl_terms_sum(const bl_terms *terms, bl_index n, double *const *k, const double *y, double h, double *to);

/* The rate at an intermediate stage: it may violate the constraints by a small share of the tolerance. */
bl_status bl_stage_rate(const bl_integrator *integ, double t, const double *y, double *rate);
bool bl_all_finite(bl_index n, const double *x);
/* max_i |e_i| / max(|y_i|, |y_new_i|, weight_i) over the components of weight above 0; NaN when one of them is. e[ny], y_new[ny]. */
double bl_error_norm(const bl_integrator *integ, const double *e, const double *y_new);
/* Called by start: sets h_next where it is 0, as given or by bl_step_first. */
void bl_step_begin(bl_integrator *integ, const double *rate, double exponent);
/* 0.8 tolerance^exponent over the largest relative rate at (t, y), not beyond h_max and the end. rate[ny]. */
double bl_step_first(const bl_integrator *integ, const double *rate, double exponent);
/* next_step of a one-step method with error O(h^(1 / exponent)). *error_failed: state of the method, false at its start. */
bl_status bl_step_control_pair(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double exponent,
                               bool *error_failed, double *h);

#endif
