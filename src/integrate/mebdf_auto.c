/* Modified extended backward differentiation formulas of orders 2 to 9 (and BDF1 to start), variable step and order.
 *
 * One step of order k + 1 solves three stages with one iteration matrix, I - h / gamma_k f_y:
 *     1  BDF_k from y_n, y_{n-1} .. to t_{n+1}: Y1
 *     2  BDF_k from Y1, y_n, ..     to t_{n+2}: Y2
 *     3  sum_j a_j y_j = h (f(y_{n+1}) / gamma_k + b_{k+1} f(Y2) + (b_k - 1 / gamma_k) f(Y1)), of order k + 1
 * A-stable up to order 4 and A(alpha)-stable up to order 9, where BDF ends at 2 and 6.
 *
 * Cash, Comput. Math. Appl. 9 (1983) 645-657; Cash and Considine, ACM Trans. Math. Softw. 18 (1992) 142-158. They estimate the error of
 * the predictor; here it is that of the corrector, from the difference of degree k + 2 with the constant of y' = lambda y. */
#include "integrate/mebdf_auto.h"

#include "integrate/method_coefficients.h"

#include <math.h>
#include <string.h>

enum { HIGHEST = BL_BACKWARD_ORDER, OFF = 4, VECTORS = 5 };
enum { USUAL = 8, DAMPING = 3 }; /* highest orders by default; the second for elastic bodies */

/* y_{n-back} = sum_m (-1)^m binomial(back, m) nabla^m y_n */
static long double share_of(int back, int m) {
    long double binomial = 1;
    for (int i = 0; i < m; i++)
        binomial = binomial * (back - i) / (i + 1);
    return m % 2 ? -binomial : binomial;
}

static void stages_of(int k, bl_mebdf_stages *s, double *error_constant) {
    bl_formula formula;
    bl_formula_extended(k, false, false, true, &formula);
    double gamma = (double)bl_formula_gamma(k);
    s->c = 1 / gamma;
    s->ahead = (double)formula.g_ahead;
    s->behind = (double)formula.g_first;
    /* BDF_k: sum_{m=1..k} (1/m) nabla^m y_{n+1} = gamma_k (y_{n+1} - pred) + sum_j gamma_j nabla^j y_n */
    for (int j = 1; j < k; j++) {
        s->first[j] = 1 - (double)bl_formula_gamma(j) / gamma;
        s->second += s->first[j];
        for (int i = 1; i < j; i++) /* nabla^j Y1 = Y1 - y_n - sum_{i<j} nabla^i y_n */
            s->old[i] += s->first[j];
        long double sum = 0;
        for (int back = 0; back < k; back++)
            sum -= formula.a[k - 1 - back] * share_of(back, j);
        s->third[j] = (double)sum;
    }
    /* The error of BDF_k from exact values is y^(k+1) h^(k+1) / ((k+1) gamma_k), from its own last value k / gamma_k times that in
     * addition. Its effect on the corrector adds to the corrector's own constant. */
    s->off = 1 / ((k + 1) * gamma);
    s->more = 1 + k / gamma;
    s->own = (double)bl_formula_condition(&formula, k + 2);
    s->led = -(s->ahead * s->more + s->behind);
    *error_constant = fabs(s->own + s->led * s->off);
}

static bl_status first_order(bl_backward *backward, double h) {
    bl_integrator *integ = backward->integ;
    size_t bytes = (size_t)backward->ny * sizeof(double);
    memcpy(backward->psi, integ->y, bytes);
    memcpy(integ->y_new, backward->pred, bytes);
    bl_backward_guess(backward, backward->pred + backward->ny);
    return bl_implicit_first(&backward->implicit, integ->t_new, h, backward->psi, integ->y_new, backward->rate);
}

/* from + sum_j factor_j nabla^j y_n */
static void combine(const bl_backward *backward, const double *from, const double *factor, int first, int last, double *to) {
    memcpy(to, from, (size_t)backward->ny * sizeof *to);
    for (int j = first; j <= last; j++) {
        const double *dif = backward->dif[j];
        for (bl_index i = 0; i < backward->ny; i++)
            to[i] += factor[j] * dif[i];
    }
}

/* multipliers two steps ahead */
static void guess_ahead(bl_backward *backward) {
    double *to = backward->d + backward->ny; /* not in use until the step is solved */
    for (bl_index i = backward->ny; i < backward->n; i++) {
        double sum = backward->lambda[i - backward->ny];
        for (int j = 1; j <= backward->order; j++)
            sum += (j + 1) * backward->dif[j][i];
        to[i - backward->ny] = sum;
    }
    bl_backward_guess(backward, to);
}

static bl_status mebdf_solve(bl_backward *backward, double h) {
    bl_mebdf *own = (bl_mebdf *)backward;
    bl_integrator *integ = backward->integ;
    bl_implicit *implicit = &backward->implicit;
    bl_index ny = backward->ny;
    int k = backward->order - 1;
    double *psi = backward->psi, *Y1 = backward->extra[0], *Y2 = backward->extra[1], *f1 = backward->extra[2], *f2 = backward->extra[3];
    double *off = backward->extra[OFF];
    const double *y = integ->y, *pred = backward->pred;
    bool off_known = own->off_known && backward->steady > 0;
    own->off_known = false;
    if (k == 0)
        return first_order(backward, h);
    const bl_mebdf_stages *s = &own->stages[k];
    double c = h * s->c;
    combine(backward, y, s->first, 1, k - 1, psi);
    for (bl_index i = 0; i < ny; i++) {
        if (!off_known)
            off[i] = s->off * backward->dif[k + 1][i];
        Y1[i] = pred[i] + off[i];
    }
    bl_backward_guess(backward, pred + ny);
    BL_TRY(bl_implicit_first(implicit, integ->t_new, c, psi, Y1, f1));

    double negative[BL_MEBDF_K] = {0}, ahead[BL_BACKWARD_ORDER + 1];
    for (int j = 1; j <= k + 1; j++)
        ahead[j] = j + 1;
    for (int j = 1; j < k - 1; j++)
        negative[j] = -s->old[j];
    combine(backward, Y1, negative, 1, k - 2, psi);
    combine(backward, y, ahead, 1, k + 1, Y2);
    for (bl_index i = 0; i < ny; i++) {
        psi[i] += s->second * (Y1[i] - y[i]);
        Y2[i] += s->more * (Y1[i] - pred[i]);
    }
    guess_ahead(backward);
    BL_TRY(bl_implicit_first(implicit, integ->t_new + h, c, psi, Y2, f2));

    combine(backward, y, s->third, 1, k - 1, psi);
    for (bl_index i = 0; i < ny; i++) {
        psi[i] += h * (s->ahead * f2[i] + s->behind * f1[i]);
        integ->y_new[i] = Y1[i] - off[i];
    }
    bl_backward_guess(backward, pred + ny);
    BL_TRY(bl_implicit_first(implicit, integ->t_new, c, psi, integ->y_new, backward->rate));
    for (bl_index i = 0; i < ny; i++)
        off[i] = Y1[i] - integ->y_new[i];
    own->off_known = true;
    return BL_OK;
}

static double largest_of_sum(const bl_backward *backward, const double *a, const double *b) {
    double most = 0;
    for (bl_index i = 0; i < backward->ny; i++)
        most = fmax(most, fabs(a[i] + b[i]) * backward->inverse[i]);
    return most;
}

/* y(t) - y = own nabla^{k+2} y + led (I - c f_y)^-1 h f_y (Y1 - y). On y' = lambda y both parts are proportional to nabla^{k+2} y. Where
 * stiff forces respond to the error of Y1 the second is larger, and differences do not show it: with forces k q the first step after a
 * growth would be wrong by h^3 k q''. Where constraints hold positions the difference of rates is mostly that of reactions, which does no
 * harm. */
static void mebdf_estimate(bl_backward *backward, double *e) {
    bl_mebdf *own = (bl_mebdf *)backward;
    int k = backward->order - 1;
    const double *f1 = backward->extra[2], *f = backward->rate;
    own->answer = 0;
    if (k > 0 && backward->integ->form->nlambda == 0) {
        const bl_mebdf_stages *s = &own->stages[k];
        for (bl_index i = 0; i < backward->ny; i++)
            e[i] = backward->h * (f1[i] - f[i]);
        if (bl_implicit_filter(&backward->implicit, e) == BL_OK) {
            double at = s->off * largest_of_sum(backward, backward->d, backward->dif[k + 1]);
            own->answer = at > 0 ? fmin(bl_backward_norm(backward, e) / at, 1 / s->c) : 0;
            for (bl_index i = 0; i < backward->ny; i++)
                e[i] = s->own * backward->d[i] + s->led * e[i];
            return;
        }
    }
    for (bl_index i = 0; i < backward->ny; i++)
        e[i] = own->error_constant[k + 1] * backward->d[i];
}

static double mebdf_suppose(const bl_backward *backward, int order, double error, double at) {
    const bl_mebdf *own = (const bl_mebdf *)backward;
    if (order < 2)
        return error;
    const bl_mebdf_stages *s = &own->stages[order - 1];
    return error + fabs(s->led) * s->off * own->answer * at;
}

bl_status bl_mebdf_create(bl_integrator *integ, size_t size) {
    BL_TRY(bl_backward_create(integ, size, USUAL, DAMPING));
    bl_mebdf *own = integ->own;
    own->error_constant[1] = 0.5;
    for (int k = 1; k <= BL_MEBDF_K; k++)
        stages_of(k, &own->stages[k], &own->error_constant[k + 1]);
    bl_backward *backward = &own->backward;
    backward->deepest = HIGHEST; /* differences of high degree may be only noise */
    backward->extras = VECTORS;
    backward->slack = 0.3;
    backward->error_constant = own->error_constant;
    backward->solve = mebdf_solve;
    backward->estimate = mebdf_estimate;
    backward->suppose = mebdf_suppose;
    return BL_OK;
}

static bl_status mebdf_auto_create(bl_integrator *integ) { return bl_mebdf_create(integ, sizeof(bl_mebdf)); }

static const bl_param params[] =
    BL_BACKWARD_PARAMS("1 to 9; default: 8, with elastic bodies 3, up to which the formulas damp all vibrations");

const bl_integrator_kind bl_integrator_mebdf_auto = {
    .kind = {.name = "mebdf_auto",
             .help = "modified extended backward differentiation formulas, adaptive step and order 1 to 9",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_ADAPTIVE | BL_DENSE | BL_VARIABLE_ORDER},
    .create = mebdf_auto_create,
    BL_BACKWARD_SLOTS(HIGHEST),
};
