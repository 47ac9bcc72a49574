/* The fastest mode of a mesh with diagonal mass matrix: x <- M^-1 (Q(q) - Q(q + e x)) / e multiplies it by omega^2 (power iteration). */
#include "study/critical.h"

#include "study/study_limits.h"

#include <math.h>
#include <string.h>

enum { PRODUCTS = 40 }; /* omega^2 then changes by less than a percent on meshes of any size tried */

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

/* Largest angular frequency at a state, by power iteration with M^-1 and changes of the forces: a few percent too low. 0: unknown. */
static bl_status critical_frequency(const bl_system *sys, const bl_state *state, double *omega) {
    bl_index n = sys->nv;
    *omega = 0;
    if (!(sys->facts & BL_M_DIAGONAL) || n == 0)
        return BL_OK;
    bl_eval e = {0};
    double *x, *q, *rest, *force;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, block, BL_ARRAY(x, n), BL_ARRAY(q, n), BL_ARRAY(rest, n), BL_ARRAY(force, n)));
    bl_status status = bl_eval_create(sys, BL_M | BL_Q, &e);
    if (status == BL_OK)
        bl_eval_at(&e, state);
    if (status == BL_OK)
        status = bl_system_eval(sys, &e, BL_M);
    if (status == BL_OK)
        status = forces(sys, &e, state, state->q, rest);
    for (bl_index i = 0; i < n; i++) /* neighbors move against each other, as in fast modes */
        x[i] = (i * 7919 % 13 < 6 ? -1 : 1);
    double square = 0;
    for (int k = 0; status == BL_OK && k < PRODUCTS; k++) {
        double by = study_critical_offset * sys->col[0].scale / size_of(n, x);
        for (bl_index i = 0; i < n; i++)
            q[i] = state->q[i] + by * x[i];
        status = forces(sys, &e, state, q, force);
        double upper = 0, lower = 0; /* Rayleigh quotient with M */
        for (bl_index i = 0; i < n; i++) {
            double push = (rest[i] - force[i]) / by, mass = e.M[i];
            upper += x[i] * push;
            lower += x[i] * mass * x[i];
            force[i] = mass > 0 ? push / mass : 0;
        }
        square = upper / lower;
        double size = size_of(n, force);
        if (!(size > 0) || !isfinite(size))
            break;
        for (bl_index i = 0; i < n; i++)
            x[i] = force[i] / size;
    }
    if (status == BL_OK && square > 0 && isfinite(square))
        *omega = sqrt(square);
    bl_free(sys->ctx, block);
    bl_eval_destroy(sys, &e);
    return status;
}

bl_status bl_critical_step(const bl_system *sys, const bl_state *state, const char *method, double *step) {

    double omega;
    BL_TRY(critical_frequency(sys, state, &omega));
    if (!(omega > 0))
        return BL_OK;
    double longest = 2 / omega;
    if (*step == 0) {
        *step = longest / (1 + study_critical_margin); /* omega is a few percent too low */
        bl_log(sys->ctx, BL_LOG_INFO, "no step size is given: %s uses %g s, %g times the critical step", method, *step,
               1 / (1 + study_critical_margin));
    }
    if (*step <= longest)
        return BL_OK;
    bl_fail(sys->ctx, BL_E_NUMERIC, NULL, "steps of %.4g s are longer than the critical step of %s, %.4g s (fastest mode %.4g rad/s)",
            *step, method, longest, omega);
    bl_advise(sys->ctx, "give no step, so that a stable one is chosen, or take an implicit method (hht, newmark, trbdf2)");
    bl_blame(sys->ctx, NULL, NULL, *state->t);
    return BL_E_NUMERIC;
}
