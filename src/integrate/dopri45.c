/* Dormand and Prince's embedded pair 5(4) (1980), first same as last, local extrapolation. Step control in the
 * manner of Shampine and Reichelt (1997): error per step in the maximum norm relative to max(|y|, weight).
 * Dense output of order 4 (Shampine 1986; Hairer, Norsett and Wanner, Solving ODEs I, II.6). */
#include "integrate/integrate.h"

#include <math.h>
#include <string.h>

enum { STAGES = 7 };

static const double C[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double A[STAGES][STAGES - 1] = {{0},
                                             {1.0 / 5},
                                             {3.0 / 40, 9.0 / 40},
                                             {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                             {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                             {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                             {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/* weights of order 5 less those of order 4 */
static const double E[STAGES] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
/* last coefficient of the dense output */
static const double D[STAGES] = {-12715105075.0 / 11282082432,  0,
                                 87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                 701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                 69997945.0 / 29380423};

typedef struct dopri45 {
    bl_index ny;
    double *block, *k[STAGES], *stage, *y_old;
    double h;          /* of the last attempt */
    bool end_is_start; /* k[6] of the accepted step is k[0] of the next */
    bool error_failed; /* this step was already rejected for its error */
} dopri45;

static bl_status dopri45_create(bl_integrator *integ) {
    dopri45 *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    return BL_OK;
}

static double component_size(const bl_integrator *integ, const double *other, bl_index i) {
    return fmax(fmax(fabs(integ->y[i]), fabs(other[i])), integ->form->weight[i]);
}

static double first_step(const bl_integrator *integ, const double *rate) {
    double left = integ->control.t_end - integ->t, h = fmin(bl_step_largest(integ), left), steepest = 0;
    for (bl_index i = 0; i < integ->ny; i++)
        if (integ->form->weight[i] > 0)
            steepest = fmax(steepest, fabs(rate[i]) / component_size(integ, integ->y, i));
    double reciprocal = steepest / (0.8 * pow(integ->control.tolerance, 0.2));
    if (h * reciprocal > 1)
        h = 1 / reciprocal;
    return fmax(h, bl_step_smallest(integ->t));
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
    if (integ->control.h_max == 0)
        integ->control.h_max = 0.1 * (integ->control.t_end - integ->t);
    if (integ->h_next == 0)
        integ->h_next = integ->control.step > 0 ? fmin(integ->control.step, bl_step_largest(integ)) : first_step(integ, own->k[0]);
    return BL_OK;
}

static bl_status dopri45_attempt(bl_integrator *integ, double h, double *error) {
    dopri45 *own = integ->own;
    bl_formulation *form = integ->form;
    bl_index ny = integ->ny;
    const double *y = integ->y;
    double *const *k = own->k;
    if (own->end_is_start)
        memcpy(k[0], k[6], (size_t)ny * sizeof(double));
    own->end_is_start = false;
    own->h = h;
    integ->t_new = integ->t + h;
    for (int s = 1; s < STAGES; s++) {
        double *to = s == STAGES - 1 ? integ->y_new : own->stage;
        for (bl_index i = 0; i < ny; i++) {
            double sum = A[s][0] * k[0][i];
            for (int j = 1; j < s; j++)
                sum += A[s][j] * k[j][i];
            to[i] = y[i] + h * sum;
        }
        BL_TRY(form->kind->rate(form, C[s] == 1 ? integ->t_new : integ->t + C[s] * h, to, k[s]));
    }
    double worst = 0;
    for (bl_index i = 0; i < ny; i++) {
        if (form->weight[i] == 0)
            continue;
        double sum = 0;
        for (int s = 0; s < STAGES; s++)
            sum += E[s] * k[s][i];
        double e = h * fabs(sum) / component_size(integ, integ->y_new, i);
        if (!(e <= worst)) /* lets NaN through */
            worst = e;
    }
    *error = worst / integ->control.tolerance;
    return BL_OK;
}

static bl_status dopri45_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    dopri45 *own = integ->own;
    double smallest = bl_step_smallest(integ->t), largest = bl_step_largest(integ);
    if (!accepted) {
        if (status != BL_REJECTED)
            return bl_step_shorten(integ, status, failures, h);
        if (*h <= smallest || own->error_failed)
            BL_TRY(bl_step_shorten(integ, status, failures, h));
        else
            *h = fmax(smallest, *h * fmax(0.1, 0.8 * pow(error, -0.2)));
        own->error_failed = true;
        integ->h_whole = 0;
        return BL_OK;
    }
    if (integ->h_whole > 0)
        *h = integ->h_whole; /* shortened for this step only */
    else if (failures == 0) {
        double shrink = 1.25 * pow(error, 0.2);
        *h = shrink > 0.2 ? *h / shrink : 5 * *h;
    }
    *h = fmin(largest, fmax(smallest, *h));
    own->error_failed = false;
    return BL_OK;
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
    double *const *k = own->k;
    double h = own->h, s = (t - integ->t_old) / h, r = 1 - s;
    for (bl_index i = 0; i < integ->ny; i++) {
        double change = integ->y_new[i] - own->y_old[i], bend = h * k[0][i] - change, last = 0;
        for (int j = 0; j < STAGES; j++)
            last += D[j] * k[j][i];
        y[i] = own->y_old[i] + s * (change + r * (bend + s * (change - h * k[6][i] - bend + r * h * last)));
    }
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
    .destroy = dopri45_destroy,
};
