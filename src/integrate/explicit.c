/* Shared by explicit methods. Step control of one-step pairs in the manner of Shampine and Reichelt (1997): error per step in the
 * maximum norm relative to max(|y|, weight). */
#include "integrate/explicit.h"
#include "integrate/integrate_limits.h"

#include <math.h>
#include <string.h>

enum { PIECE = 64 };

void bl_terms_of(const long double *row, int n, bl_terms *terms) {
    *terms = (bl_terms){0};
    for (int j = 0; j < n; j++)
        if (row[j] != 0) {
            terms->which[terms->count] = j;
            terms->factor[terms->count++] = (double)row[j];
        }
}

/* sum = or += a0 k0 + a1 k1 + a2 k2 + a3 k3 from left to right: one load and one store of the sum for four terms */
static void set_sum(bl_index n, int terms, const double *a, const double *k0, const double *k1, const double *k2, const double *k3,
                    double *restrict sum) {
    if (terms == 1)
        for (bl_index i = 0; i < n; i++)
            sum[i] = a[0] * k0[i];
    else if (terms == 2)
        for (bl_index i = 0; i < n; i++)
            sum[i] = a[0] * k0[i] + a[1] * k1[i];
    else if (terms == 3)
        for (bl_index i = 0; i < n; i++)
            sum[i] = a[0] * k0[i] + a[1] * k1[i] + a[2] * k2[i];
    else
        for (bl_index i = 0; i < n; i++)
            sum[i] = a[0] * k0[i] + a[1] * k1[i] + a[2] * k2[i] + a[3] * k3[i];
}

static void add_four(bl_index n, const double *a, const double *k0, const double *k1, const double *k2, const double *k3,
                     double *restrict sum) {
    for (bl_index i = 0; i < n; i++)
        sum[i] = sum[i] + a[0] * k0[i] + a[1] * k1[i] + a[2] * k2[i] + a[3] * k3[i];
}

void bl_terms_sum(const bl_terms *terms, bl_index n, double *const *k, const double *y, double h, double *to) {
    double sum[PIECE];
    for (bl_index from = 0; from < n; from += PIECE) {
        bl_index m = n - from < PIECE ? n - from : PIECE;
        const double *a = terms->factor;
        const int *w = terms->which;
        int left = terms->count, first = (left + 3) % 4 + 1; /* 1 to 4 */
        set_sum(m, first, a, k[w[0]] + from, k[w[1]] + from, k[w[2]] + from, k[w[3]] + from, sum);
        for (left -= first, a += first, w += first; left > 0; left -= 4, a += 4, w += 4)
            add_four(m, a, k[w[0]] + from, k[w[1]] + from, k[w[2]] + from, k[w[3]] + from, sum);
        if (y)
            for (bl_index i = 0; i < m; i++)
                to[from + i] = y[from + i] + h * sum[i];
        else
            memcpy(to + from, sum, (size_t)m * sizeof *sum);
    }
}

bl_status bl_stage_rate(const bl_integrator *integ, double t, const double *y, double *rate) {
    bl_formulation *form = integ->form;
    form->slack = integrate_stage * integ->control.tolerance;
    bl_status status = form->kind->rate(form, t, y, rate);
    form->slack = 0;
    return status;
}

bool bl_all_finite(bl_index n, const double *x) {
    double sum = 0;
    for (bl_index i = 0; i < n; i++)
        sum += x[i] - x[i]; /* NaN for NaN and infinity */
    return sum == 0;
}

static double larger(double a, double b) { return a > b ? a : b; }

double bl_error_norm(const bl_integrator *integ, const double *e, const double *y_new) {
    const double *weight = integ->form->weight;
    double worst = 0;
    for (bl_index i = 0; i < integ->ny; i++) {
        if (weight[i] == 0)
            continue;
        double relative = fabs(e[i]) / larger(larger(fabs(integ->y[i]), fabs(y_new[i])), weight[i]);
        if (!(relative <= worst)) /* propagates NaN */
            worst = relative;
        if (isnan(worst))
            break;
    }
    return worst;
}

double bl_step_first(const bl_integrator *integ, const double *rate, double exponent) {
    double left = integ->control.t_end - integ->t, h = fmin(bl_step_largest(integ), left);
    double reciprocal = bl_error_norm(integ, rate, integ->y) / (0.8 * pow(integ->control.tolerance, exponent));
    if (h * reciprocal > 1)
        h = 1 / reciprocal;
    return fmax(h, bl_step_smallest(integ->t));
}

void bl_step_begin(bl_integrator *integ, const double *rate, double exponent) {
    const bl_step_control *control = &integ->control;
    if (integ->h_next == 0)
        integ->h_next = control->step > 0 ? fmin(control->step, bl_step_largest(integ)) : bl_step_first(integ, rate, exponent);
}

bl_status bl_step_control_pair(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double exponent,
                               bool *error_failed, double *h) {
    double smallest = bl_step_smallest(integ->t);
    if (!accepted) {
        if (status != BL_REJECTED)
            return bl_step_shorten(integ, status, failures, h);
        if (*h <= smallest || *error_failed)
            BL_TRY(bl_step_shorten(integ, status, failures, h));
        else
            *h = fmax(smallest, *h * fmax(0.1, 0.8 * pow(error, -exponent)));
        *error_failed = true;
        integ->h_unshortened = 0;
        return BL_OK;
    }
    if (integ->h_unshortened > 0)
        *h = integ->h_unshortened; /* shortened for this step only */
    else if (failures == 0) {
        double shrink = 1.25 * pow(error, exponent);
        *h = shrink > 0.2 ? *h / shrink : 5 * *h;
    }
    *h = bl_step_within(integ, *h);
    *error_failed = false;
    return BL_OK;
}
