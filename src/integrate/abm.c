/* Adams-Bashforth-Moulton in PECE form with variable step and variable order 1 to 12 and local extrapolation, so that values have
 * orders up to 13: Shampine and Gordon, Computer Solution of Ordinary Differential Equations (1975), chapters 5 to 7 and 10, with the
 * error norm of ode113 (Shampine and Reichelt 1997). With psi_i(n) = t_n - t_{n-i} the memory are modified divided differences
 *     phi_1(n) = f_n,   phi_i(n) = psi_1(n) ... psi_{i-1}(n) f[t_n, ..., t_{n-i+1}].
 * An attempt only reads them, so that nothing has to be undone when it fails. Indices begin with 1 as in the book. */
#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

enum { MOST = 12, ROOM = MOST + 3, PIECE = 64 };

/* error constants |gamma*_i| of the Adams-Moulton formulas of constant step */
static const double GAMMA[MOST + 2] = {0,
                                       1.0 / 2,
                                       1.0 / 12,
                                       1.0 / 24,
                                       19.0 / 720,
                                       3.0 / 160,
                                       863.0 / 60480,
                                       275.0 / 24192,
                                       33953.0 / 3628800,
                                       8183.0 / 1036800,
                                       3250433.0 / 479001600,
                                       4671.0 / 788480,
                                       13695779093.0 / 2615348736000,
                                       2224234463.0 / 475517952000};

typedef struct abm {
    bl_index ny;
    int highest; /* highest order allowed */
    /* after the last accepted step */
    double *phi[ROOM]; /* [ny] each; phi[1] is the rate; valid up to k_last + 1, and one more after equal steps */
    double psi[ROOM];  /* psi_i(n); valid as far as there were steps */
    double h_last;     /* 0: none yet */
    int k;             /* order of the next step */
    int k_last;        /* of the last one */
    int equal;         /* steps in a row with h_last, counted up to k_last + 1 */
    bool starting;     /* every step raises the order and doubles h */
    double t_end;      /* where it ended */
    double *y_old, *defect;
    bool defect_known;
    /* of the attempt */
    double h;
    int equal_new;
    int constant_k; /* beta, sigma, g are those of constant step for this order; 0: no */
    double psi_new[ROOM], beta[ROOM], sigma[ROOM], g[ROOM];
    double *expected;  /* [ny] phi_1 extrapolated to t_new */
    double *predicted; /* [ny] */
    double *misfit;    /* [ny] rate at predicted minus expected: phi_{k+1} of the predicted value */
    double *rate_new;  /* [ny] at y_new */
    double *inverse;   /* [ny] 1 / size of the component; 0: not in the norm */
    double erk, erkm1; /* estimates at orders k and k - 1, relative to the tolerance */
    bool lower;        /* they show that order k - 1 is as good */
} abm;

static const bl_param abm_params[] = {{.name = "order", .type = BL_P_INTEGER, .fallback = MOST, .help = "highest order, 1 to 12"},
                                      {.type = BL_P_END}};

static bl_status abm_create(bl_integrator *integ) {
    abm *own;
    if (!(integ->value[0].number >= 1 && integ->value[0].number <= MOST))
        return bl_fail(integ->ctx, BL_E_ARG, NULL, "integrator abm: order must be from 1 to %d, found %g", MOST, integ->value[0].number);
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    own->highest = (int)integ->value[0].number;
    return BL_OK;
}

/* ---- start */

static bl_status make_room(bl_integrator *integ, abm *own) {
    bl_index ny = integ->ny;
    bl_array room[7 + ROOM - 1] = {BL_ARRAY(own->y_old, ny),     BL_ARRAY(own->defect, ny), BL_ARRAY(own->expected, ny),
                                   BL_ARRAY(own->predicted, ny), BL_ARRAY(own->misfit, ny), BL_ARRAY(own->rate_new, ny),
                                   BL_ARRAY(own->inverse, ny)};
    for (int i = 1; i < ROOM; i++)
        room[6 + i] = BL_ARRAY(own->phi[i], ny);
    BL_TRY(bl_integrator_arrays(integ, room, sizeof room / sizeof *room));
    own->phi[0] = own->phi[1]; /* not used, but a valid pointer */
    if (own->ny != ny)
        own->h_last = 0;
    own->ny = ny;
    return BL_OK;
}

/* A start at the end of the last step, displaced by no more than the error of a step (a projection onto the constraints) and with nearly
 * the same rate, need not discard the past. */
static bool goes_on(const bl_integrator *integ, abm *own) {
    if (own->h_last == 0 || integ->t != own->t_end || integ->h_next == 0) /* 0: after an event */
        return false;
    double *moved = own->expected, *rate_change = own->misfit;
    for (bl_index i = 0; i < integ->ny; i++) {
        moved[i] = integ->y[i] - integ->y_new[i];
        rate_change[i] = own->h_last * (own->rate_new[i] - own->phi[1][i]);
    }
    double tolerance = integ->control.tolerance;
    return bl_error_norm(integ, moved, integ->y_new) <= tolerance && bl_error_norm(integ, rate_change, integ->y_new) <= tolerance;
}

static bl_status abm_start(bl_integrator *integ) {
    abm *own = integ->own;
    BL_TRY(make_room(integ, own));
    BL_TRY(integ->form->kind->rate(integ->form, integ->t, integ->y, own->rate_new));
    bool goes = goes_on(integ, own);
    memcpy(own->phi[1], own->rate_new, (size_t)integ->ny * sizeof(double));
    own->defect_known = false;
    if (goes)
        return BL_OK;
    bool again = integ->h_next > 0;
    bl_step_begin(integ, own->phi[1], 0.5);
    if (again) /* the step was that of a higher order */
        integ->h_next = fmin(integ->h_next, bl_step_first(integ, own->phi[1], 0.5));
    for (int i = 2; i < ROOM; i++)
        memset(own->phi[i], 0, (size_t)integ->ny * sizeof(double));
    own->h_last = 0;
    own->k = 1;
    own->k_last = own->equal = 0;
    own->starting = true;
    return BL_OK;
}

/* ---- attempt */

/* Coefficients of the step h after the steps in psi: psi, beta, sigma, g at n + 1 (chapter 5). Those with index <= equal_new are those
 * of constant step. */
static void coefficients(abm *own, double h) {
    int k = own->k, equal = h == own->h_last ? own->equal : 0;
    if (equal <= own->k_last)
        equal++;
    double *psi = own->psi_new, *beta = own->beta, *sigma = own->sigma, *g = own->g, alpha[ROOM], w[ROOM];
    own->equal_new = equal;
    for (int i = 1; i < ROOM; i++)
        psi[i] = i <= equal ? i * h : own->psi[i - 1] + h;
    if (equal >= k && own->constant_k == k)
        return;
    own->constant_k = equal >= k ? k : 0;
    sigma[1] = 1;
    for (int i = 1; i <= k; i++) {
        bool constant = i <= equal;
        alpha[i] = constant ? 1.0 / i : h / psi[i];
        beta[i] = constant ? 1 : beta[i - 1] * psi[i - 1] / own->psi[i - 1];
        sigma[i + 1] = constant ? 1 : i * alpha[i] * sigma[i];
    }
    /* g_i = g_i,1 with g_1,q = 1 / q, g_2,q = 1 / (q (q + 1)), g_i,q = g_{i-1},q - alpha_{i-1} g_{i-1},q+1 */
    for (int q = 1; q <= k; q++)
        w[q] = 1.0 / (q * (q + 1));
    g[1] = 1;
    g[2] = 0.5;
    for (int i = 3; i <= k + 1; i++) {
        for (int q = 1; q <= k + 2 - i; q++)
            w[q] -= alpha[i - 1] * w[q + 1];
        g[i] = w[1];
    }
}

/* expected = sum phi*_i and predicted = y + h sum g_i phi*_i with phi*_i = beta_i phi_i, small terms first */
static void predict(const bl_integrator *integ, abm *own) {
    bl_terms sum = {.count = own->k}, step = {.count = own->k};
    for (int i = 0; i < own->k; i++) {
        int j = own->k - i;
        sum.which[i] = step.which[i] = j;
        sum.factor[i] = own->beta[j];
        step.factor[i] = own->g[j] * own->beta[j];
    }
    bl_terms_sum(&sum, integ->ny, own->phi, NULL, 0, own->expected);
    bl_terms_sum(&step, integ->ny, own->phi, integ->y, own->h, own->predicted);
}

static double larger(double a, double b) { return a > b ? a : b; }
static double larger_or_nan(double worst, double a) { return a <= worst ? worst : a; }

/* norms[j] of misfit + phi_{k+1-j} extrapolated to t_new, j = 0, 1, 2: the differences that orders k - j omit */
static void norms_of_misfit(const bl_integrator *integ, abm *own, double *norm) {
    const double *weight = integ->form->weight, *e = own->misfit, *y = integ->y, *p = own->predicted;
    int k = own->k;
    const double *last = own->phi[k], *before = k > 1 ? own->phi[k - 1] : last;
    double beta_last = own->beta[k], beta_before = k > 1 ? own->beta[k - 1] : 0;
    norm[0] = norm[1] = norm[2] = 0;
    for (bl_index i = 0; i < integ->ny; i++) {
        own->inverse[i] = weight[i] == 0 ? 0 : 1 / larger(larger(fabs(y[i]), fabs(p[i])), weight[i]);
        if (own->inverse[i] == 0)
            continue;
        double one = e[i] + beta_last * last[i], two = one + beta_before * before[i];
        norm[0] = larger_or_nan(norm[0], fabs(e[i]) * own->inverse[i]);
        norm[1] = larger_or_nan(norm[1], fabs(one) * own->inverse[i]);
        norm[2] = larger_or_nan(norm[2], fabs(two) * own->inverse[i]);
    }
}

static bl_status abm_attempt(bl_integrator *integ, double h, double *error) {
    abm *own = integ->own;
    bl_formulation *form = integ->form;
    bl_index ny = integ->ny;
    int k = own->k;
    own->h = h;
    integ->t_new = integ->t + h;
    coefficients(own, h);
    predict(integ, own);
    BL_TRY(bl_stage_rate(integ, integ->t_new, own->predicted, own->misfit));
    for (bl_index i = 0; i < ny; i++)
        own->misfit[i] -= own->expected[i];
    double norm[3], unit = h / integ->control.tolerance;
    norms_of_misfit(integ, own, norm);
    own->erk = unit * own->sigma[k + 1] * GAMMA[k] * norm[0];
    own->erkm1 = k > 1 ? unit * own->sigma[k] * GAMMA[k - 1] * norm[1] : 0;
    double erkm2 = k > 2 ? unit * own->sigma[k - 1] * GAMMA[k - 2] * norm[2] : 0;
    own->lower = k > 2 ? larger(own->erkm1, erkm2) <= own->erk : k == 2 && own->erkm1 <= 0.5 * own->erk;
    *error = unit * (own->g[k] - own->g[k + 1]) * norm[0];
    if (!(*error <= 1))
        return BL_OK;
    /* correct with the formula of order k + 1 and evaluate */
    double c = h * own->g[k + 1];
    for (bl_index i = 0; i < ny; i++)
        integ->y_new[i] = own->predicted[i] + c * own->misfit[i];
    BL_TRY(form->kind->rate(form, integ->t_new, integ->y_new, own->rate_new));
    return bl_all_finite(ny, own->rate_new) ? BL_OK : BL_NOT_FINITE;
}

/* ---- after the decision */

/* newest = phi_{k+1}(n+1), beyond = phi_{k+2}(n+1), which is useful after equal steps only */
static void renew_last(bl_index n, const double *rate, const double *expected, double *restrict newest, double *restrict beyond) {
    for (bl_index i = 0; i < n; i++) {
        double difference = rate[i] - expected[i];
        beyond[i] = difference - newest[i];
        newest[i] = difference;
    }
}

/* phi_j(n+1) = sum_{i >= j} beta_i phi_i(n) + newest for one or two neighbors; continues the sum */
static void renew_one(bl_index n, double beta, const double *newest, double *restrict phi, double *restrict sum) {
    for (bl_index i = 0; i < n; i++) {
        sum[i] += beta * phi[i];
        phi[i] = sum[i] + newest[i];
    }
}

static void renew_two(bl_index n, double beta_a, double beta_b, const double *newest, double *restrict a, double *restrict b,
                      double *restrict sum) {
    for (bl_index i = 0; i < n; i++) {
        double first = sum[i] + beta_a * a[i], second = first + beta_b * b[i];
        a[i] = first + newest[i];
        b[i] = second + newest[i];
        sum[i] = second;
    }
}

static void abm_accept(bl_integrator *integ) {
    abm *own = integ->own;
    bl_index ny = integ->ny;
    int k = own->k;
    double sum[PIECE];
    for (bl_index from = 0; from < ny; from += PIECE) {
        bl_index m = ny - from < PIECE ? ny - from : PIECE;
        const double *newest = own->phi[k + 1] + from;
        renew_last(m, own->rate_new + from, own->expected + from, own->phi[k + 1] + from, own->phi[k + 2] + from);
        memset(sum, 0, (size_t)m * sizeof *sum);
        int j = k;
        for (; j >= 3; j -= 2)
            renew_two(m, own->beta[j], own->beta[j - 1], newest, own->phi[j] + from, own->phi[j - 1] + from, sum);
        if (j == 2)
            renew_one(m, own->beta[2], newest, own->phi[2] + from, sum);
    }
    memcpy(own->phi[1], own->rate_new, (size_t)ny * sizeof(double));
    bl_integrator_advance(integ, own->y_old);
    memcpy(own->psi, own->psi_new, sizeof own->psi);
    own->h_last = own->h;
    own->k_last = k;
    integ->order = k + 1; /* with local extrapolation */
    own->equal = own->equal_new;
    own->defect_known = false;
    own->t_end = integ->t;
}

static double norm_beyond(const abm *own) {
    const double *phi = own->phi[own->k_last + 2];
    double worst = 0;
    for (bl_index i = 0; i < own->ny; i++)
        worst = larger(worst, fabs(phi[i]) * own->inverse[i]);
    return worst;
}

/* Order and step after an accepted step (chapter 10, block 4): the order with the smallest estimate, lower ones preferred; the step is
 * doubled, kept, or shortened by 0.5 to 0.9. */
static double choose_order(const bl_integrator *integ, abm *own, double h) {
    int k = own->k;
    double erk = own->erk;
    if (own->lower || k == own->highest)
        own->starting = false;
    if (own->starting) {
        own->k = k + 1;
        return 2 * h;
    }
    if (own->lower) {
        own->k = k - 1;
        erk = own->erkm1;
    } else if (k + 1 <= own->equal) {
        double erkp1 = h / integ->control.tolerance * GAMMA[k + 1] * norm_beyond(own);
        if (k > 1 && own->erkm1 <= fmin(erk, erkp1)) {
            own->k = k - 1;
            erk = own->erkm1;
        } else if (k < own->highest && erkp1 < (k == 1 ? 0.5 * erk : erk)) {
            own->k = k + 1;
            erk = erkp1;
        }
    }
    if (erk * ldexp(1, own->k + 1) <= 0.5)
        return 2 * h;
    if (erk <= 0.5)
        return h;
    return h * fmax(0.5, fmin(0.9, pow(0.5 / erk, 1.0 / (own->k + 1))));
}

static bl_status abm_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    abm *own = integ->own;
    (void)error;
    if (accepted) {
        double chosen = choose_order(integ, own, *h);
        *h = bl_step_within(integ, integ->h_unshortened > 0 ? integ->h_unshortened : chosen);
        return BL_OK;
    }
    double tried = *h;
    BL_TRY(bl_step_shorten(integ, status, failures, h));
    if (status != BL_REJECTED)
        return BL_OK;
    /* half the step, the order the estimates prefer; after three failures order 1 with the step it needs */
    integ->h_unshortened = 0;
    own->starting = false;
    if (failures >= 3)
        own->k = 1;
    else if (own->lower)
        own->k--;
    if (failures > 3 && own->erk > 2)
        *h = fmax(bl_step_smallest(integ->t), tried * sqrt(0.5 / own->erk));
    return BL_OK;
}

/* ---- dense output */

/* y_new + integral of the polynomial through the rates at t, ..., t - psi_k; s_ahead = t - t_new (chapter 10, subroutine INTRP) */
static void interpolate(const bl_integrator *integ, const abm *own, double ahead, double *y) {
    double w[ROOM], term = 0;
    int n = own->k_last + 1;
    bl_terms g = {.count = n, .which = {1}, .factor = {1}};
    for (int i = 1; i <= n; i++)
        w[i] = 1.0 / i;
    for (int j = 2; j <= n; j++) {
        double psi = own->psi[j - 1], gamma = (ahead + term) / psi, eta = ahead / psi;
        for (int i = 1; i <= n + 1 - j; i++)
            w[i] = gamma * w[i] - eta * w[i + 1];
        g.which[j - 1] = j;
        g.factor[j - 1] = w[1];
        term = psi;
    }
    bl_terms_sum(&g, integ->ny, own->phi, integ->y_new, ahead, y);
}

/* The polynomial passes through y_new; at t_old it differs from y_old by a share of the step's error, which is removed smoothly. */
static bl_status abm_dense(const bl_integrator *integ, double t, double *y) {
    abm *own = integ->own;
    double ahead = t - own->t_end, s = 1 + ahead / own->h_last, r = 1 - s, blend = r * r * (1 + 2 * s);
    if (!own->defect_known) {
        interpolate(integ, own, -own->h_last, own->defect);
        for (bl_index i = 0; i < integ->ny; i++)
            own->defect[i] = own->y_old[i] - own->defect[i];
        own->defect_known = true;
    }
    interpolate(integ, own, ahead, y);
    for (bl_index i = 0; i < integ->ny; i++)
        y[i] += blend * own->defect[i];
    return BL_OK;
}

const bl_integrator_kind bl_integrator_abm = {
    .kind = {.name = "abm",
             .help = "Adams-Bashforth-Moulton, adaptive step and order: for small errors where evaluations are expensive",
             .params = abm_params,
             .needs = BL_CAN_RATE,
             .gives = BL_ADAPTIVE | BL_DENSE | BL_VARIABLE_ORDER},
    .order = MOST + 1,
    .dense_order = MOST,
    .create = abm_create,
    .start = abm_start,
    .attempt = abm_attempt,
    .next_step = abm_next_step,
    .accept = abm_accept,
    .dense = abm_dense,
};
