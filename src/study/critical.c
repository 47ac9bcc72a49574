/* The fastest mode of a mesh with a diagonal mass: x <- M^-1 (Q(q) - Q(q + e x)) / e stretches it by omega^2 (power iteration). */
#include "study/critical.h"

#include <math.h>
#include <string.h>

enum { PRODUCTS = 40 };            /* the stretch then changes by less than a per cent on meshes of any size tried */
static const double OFFSET = 1e-6; /* of the scale of the unknowns: forces are nearly linear over it */

static double size_of(bl_index n, const double *x) {
    double most = 0;
    for (bl_index i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static bl_status forces(const bl_system *sys, bl_eval *e, const bl_state *state, const double *q, double *out) {
    bl_eval_at(e, state);
    e->q = q;
    BL_TRY(bl_system_eval(sys, e, BL_Q));
    memcpy(out, e->Q, (size_t)sys->nv * sizeof *out);
    return BL_OK;
}

bl_status bl_critical_frequency(const bl_system *sys, const bl_state *state, double *omega) {
    bl_index n = sys->nv;
    *omega = 0;
    if (!(sys->facts & BL_M_DIAGONAL) || n == 0)
        return BL_OK;
    bl_eval e = {0};
    double *x, *q, *still, *force;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, block, BL_ARRAY(x, n), BL_ARRAY(q, n), BL_ARRAY(still, n), BL_ARRAY(force, n)));
    bl_status status = bl_eval_create(sys, BL_M | BL_Q, &e);
    if (status == BL_OK)
        bl_eval_at(&e, state);
    if (status == BL_OK)
        status = bl_system_eval(sys, &e, BL_M);
    if (status == BL_OK)
        status = forces(sys, &e, state, state->q, still);
    for (bl_index i = 0; i < n; i++) /* neighbors against each other: most of it is fast */
        x[i] = (i * 7919 % 13 < 6 ? -1 : 1);
    double stretch = 0;
    for (int k = 0; status == BL_OK && k < PRODUCTS; k++) {
        double by = OFFSET * sys->col[0].scale / size_of(n, x);
        for (bl_index i = 0; i < n; i++)
            q[i] = state->q[i] + by * x[i];
        status = forces(sys, &e, state, q, force);
        double upper = 0, lower = 0; /* Rayleigh's quotient with M */
        for (bl_index i = 0; i < n; i++) {
            double push = (still[i] - force[i]) / by, mass = e.M[i];
            upper += x[i] * push;
            lower += x[i] * mass * x[i];
            force[i] = mass > 0 ? push / mass : 0;
        }
        stretch = upper / lower;
        double size = size_of(n, force);
        if (!(size > 0) || !isfinite(size))
            break;
        for (bl_index i = 0; i < n; i++)
            x[i] = force[i] / size;
    }
    if (status == BL_OK && stretch > 0 && isfinite(stretch))
        *omega = sqrt(stretch);
    bl_free(sys->ctx, block);
    bl_eval_destroy(sys, &e);
    return status;
}

bl_status bl_critical_step(const bl_system *sys, const bl_state *state, const char *method, double *step) {
    static const double SAFE = 0.8; /* the frequency is found from below, within some per cent */
    double omega;
    BL_TRY(bl_critical_frequency(sys, state, &omega));
    if (!(omega > 0))
        return BL_OK;
    double longest = 2 / omega;
    if (*step == 0) {
        *step = SAFE * longest;
        bl_log(sys->ctx, BL_LOG_INFO, "no step is given: %s takes %g s, %g of the critical one", method, *step, SAFE);
    }
    if (*step <= longest)
        return BL_OK;
    bl_fail(sys->ctx, BL_E_NUMERIC, NULL, "steps of %.4g s are longer than the critical one of %s, %.4g s (fastest mode %.4g rad/s)", *step,
            method, longest, omega);
    bl_advise(sys->ctx, "leave the step out, or take an implicit method (hht, newmark, trbdf2)");
    bl_blame(sys->ctx, NULL, NULL, *state->t);
    return BL_E_NUMERIC;
}
