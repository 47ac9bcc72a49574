/* Dormand and Prince's embedded pair 5(4) (1980), first same as last, local extrapolation. Step control in the
 * manner of Shampine and Reichelt (1997): error per step in the maximum norm relative to max(|y|, weight).
 * Dense output of order 4 (Shampine 1986; Hairer, Norsett and Wanner, Solving ODEs I, II.6). */
#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

enum { STAGES = 7 };

static const long double C[STAGES] = {0, 1.0L / 5, 3.0L / 10, 4.0L / 5, 8.0L / 9, 1, 1};
static const long double A[STAGES][STAGES - 1] = {{0},
                                                  {1.0L / 5},
                                                  {3.0L / 40, 9.0L / 40},
                                                  {44.0L / 45, -56.0L / 15, 32.0L / 9},
                                                  {19372.0L / 6561, -25360.0L / 2187, 64448.0L / 6561, -212.0L / 729},
                                                  {9017.0L / 3168, -355.0L / 33, 46732.0L / 5247, 49.0L / 176, -5103.0L / 18656},
                                                  {35.0L / 384, 0, 500.0L / 1113, 125.0L / 192, -2187.0L / 6784, 11.0L / 84}};
/* weights of order 5 less those of order 4 */
static const long double E[STAGES] = {71.0L / 57600, 0, -71.0L / 16695, 71.0L / 1920, -17253.0L / 339200, 22.0L / 525, -1.0L / 40};
/* last coefficient of the dense output */
static const long double D[STAGES] = {-12715105075.0L / 11282082432,  0,
                                      87487479700.0L / 32700410799,   -10690763975.0L / 1880347072,
                                      701980252875.0L / 199316789632, -1453857185.0L / 822651844,
                                      69997945.0L / 29380423};

typedef struct dopri45 {
    bl_index ny;
    double *block, *k[STAGES], *stage, *y_old;
    bl_terms row[STAGES], error, last, apart; /* apart: the last two stages, at one time */
    double h;                                 /* of the last attempt */
    bool end_is_start;                        /* k[6] of the accepted step is k[0] of the next */
    bool error_failed;                        /* this step was already rejected for its error */
} dopri45;

static bl_status dopri45_create(bl_integrator *integ) {
    dopri45 *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    for (int s = 1; s < STAGES; s++)
        bl_terms_of(A[s], s, &own->row[s]);
    bl_terms_of(E, STAGES, &own->error);
    bl_terms_of(D, STAGES, &own->last);
    long double apart[STAGES - 1];
    for (int j = 0; j < STAGES - 1; j++)
        apart[j] = A[STAGES - 1][j] - A[STAGES - 2][j];
    bl_terms_of(apart, STAGES - 1, &own->apart);
    return BL_OK;
}

static bl_status dopri45_start(bl_integrator *integ) {
    dopri45 *own = integ->own;
    bl_index ny = integ->ny;
    if (!own->block || own->ny != ny) {
        double *block = bl_resize(integ->ctx, own->block, (size_t)ny * (STAGES + 2), sizeof *block);
        if (!block)
            return BL_E_MEMORY;
        own->block = block;
        own->ny = ny;
        for (int s = 0; s < STAGES; s++)
            own->k[s] = block + s * (size_t)ny;
        own->stage = block + STAGES * (size_t)ny;
        own->y_old = block + (STAGES + 1) * (size_t)ny;
    }
    own->end_is_start = false;
    own->error_failed = false;
    BL_TRY(integ->form->kind->rate(integ->form, integ->t, integ->y, own->k[0]));
    bl_step_begin(integ, own->k[0], 0.2);
    return BL_OK;
}

static bl_status dopri45_attempt(bl_integrator *integ, double h, double *error) {
    dopri45 *own = integ->own;
    bl_formulation *form = integ->form;
    bl_index ny = integ->ny;
    double *const *k = own->k;
    if (own->end_is_start)
        memcpy(k[0], k[6], (size_t)ny * sizeof(double));
    own->end_is_start = false;
    own->h = h;
    integ->t_new = integ->t + h;
    for (int s = 1; s < STAGES; s++) {
        double *to = s == STAGES - 1 ? integ->y_new : own->stage;
        bl_terms_sum(&own->row[s], ny, k, integ->y, h, to);
        double t = C[s] == 1 ? integ->t_new : integ->t + (double)C[s] * h;
        BL_TRY(s == STAGES - 1 ? form->kind->rate(form, t, to, k[s]) : bl_stage_rate(integ, t, to, k[s]));
    }
    bl_terms_sum(&own->error, ny, k, NULL, h, own->stage);
    *error = h * bl_error_norm(integ, own->stage, integ->y_new) / integ->control.tolerance;
    return BL_OK;
}

static bl_status dopri45_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    return bl_step_control_pair(integ, accepted, error, failures, status, 0.2, &((dopri45 *)integ->own)->error_failed, h);
}

static void dopri45_accept(bl_integrator *integ) {
    dopri45 *own = integ->own;
    size_t bytes = (size_t)integ->ny * sizeof(double);
    memcpy(own->y_old, integ->y, bytes);
    memcpy(integ->y, integ->y_new, bytes);
    integ->t = integ->t_new;
    own->end_is_start = true;
}

static bl_status dopri45_dense(const bl_integrator *integ, double t, double *y) {
    const dopri45 *own = integ->own;
    const double *k0 = own->k[0], *k6 = own->k[6];
    double h = own->h, s = (t - integ->t_old) / h, r = 1 - s;
    bl_terms_sum(&own->last, integ->ny, own->k, NULL, h, y);
    for (bl_index i = 0; i < integ->ny; i++) {
        double change = integ->y_new[i] - own->y_old[i], bend = h * k0[i] - change;
        y[i] = own->y_old[i] + s * (change + r * (bend + s * (change - h * k6[i] - bend + r * h * y[i])));
    }
    return BL_OK;
}

/* Stable up to |h lambda| = 1 on the imaginary axis and 3.3 on the negative one; loose tolerances let seen modes come near that, too. */
static bool dopri45_fast(const bl_integrator *integ, double *w, double *Jw, bool *known, double limit[2]) {
    const dopri45 *own = integ->own;
    if (!own->end_is_start)
        return false;
    bl_terms_sum(&own->apart, integ->ny, own->k, NULL, 1, w);
    for (bl_index i = 0; i < integ->ny; i++) {
        w[i] *= own->h;
        Jw[i] = own->k[6][i] - own->k[5][i];
    }
    *known = true;
    limit[0] = fmax(0.9, 4 * pow(integ->control.tolerance, 0.2));
    limit[1] = fmax(2, limit[0]);
    return true;
}

/* medians of random mechanisms (bench/README.md): 4.9 at 1e-3, 12.7 at 1e-6, 74.6 at 1e-10 */
static double dopri45_effort(double tolerance) { return 1.5 + 0.745 * pow(tolerance, -0.2); }

static bl_status dopri45_formula(bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)ctx;
    (void)value;
    bl_formula_runge_kutta(5, STAGES - 1, A[0], STAGES - 1, A[STAGES - 1], formula);
    return BL_OK;
}

static void dopri45_destroy(bl_integrator *integ) {
    dopri45 *own = integ->own;
    if (!own)
        return;
    bl_free(integ->ctx, own->block);
    bl_free(integ->ctx, own);
    integ->own = NULL;
}

const bl_integrator_kind bl_integrator_dopri45 = {
    .kind = {.name = "dopri45",
             .help = "Dormand-Prince pair of orders 5 and 4, adaptive step",
             .needs = BL_CAN_RATE,
             .gives = BL_ADAPTIVE | BL_DENSE},
    .order = 5,
    .dense_order = 4,
    .create = dopri45_create,
    .start = dopri45_start,
    .attempt = dopri45_attempt,
    .next_step = dopri45_next_step,
    .accept = dopri45_accept,
    .dense = dopri45_dense,
    .formula = dopri45_formula,
    .fast = dopri45_fast,
    .effort = dopri45_effort,
    .own_ns = 4,
    .stages = STAGES - 1,
    .held = {1, 2},
    .destroy = dopri45_destroy,
};
