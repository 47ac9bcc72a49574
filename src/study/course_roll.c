/* Known motions of mechanisms that roll: where such a mechanism is depends on its path, so its positions are integrated,
 *
 *     q' = T(q) v,     G(q) v = b(q, t),
 *
 * by a simulation whose drivers leave nothing free. Velocities and accelerations then follow from the rows at the configuration. */
#include "study/course.h"

#include "sparse/sparse.h"
#include "study/inverse_limits.h"
#include "study/plan.h"
#include "study/simulation.h"

#include <math.h>
#include <string.h>

static bl_status start_again(bl_course *c, double t) {
    const bl_system *sys = c->sys;
    bl_simulation_destroy(c->sim);
    c->sim = NULL;
    const char *integrator = bl_plan_integrator(sys, NULL, NULL, study_course_rolls);
    bl_simulation_setup setup = {.integrator = integrator,
                                 .formulation = bl_plan_formulation(sys, NULL, integrator, study_course_rolls),
                                 .t_end = t,
                                 .h_max = INFINITY,
                                 .tolerance = study_course_rolls,
                                 .unsampled = ~(uint32_t)0};
    return bl_simulation_create(sys, &c->start, &setup, &c->sim);
}

bl_status bl_course_roll(bl_course *c, double t) {
    const bl_system *sys = c->sys;
    bl_state *s = &c->trial;
    if (!c->sim || t < *c->sim->state.t)
        BL_TRY(start_again(c, t));
    bl_simulation_set_end(c->sim, t);
    while (*c->sim->state.t < t) {
        BL_TRY(bl_go_on(c->ctx));
        bl_status status = bl_simulation_advance(c->sim);
        if (status == BL_EVENT)
            return bl_fail(c->ctx, BL_E_NUMERIC, NULL, "a stop condition ends the motion at t = %.9g s, before t = %.9g s",
                           *c->sim->state.t, t);
        BL_TRY(status);
    }
    const bl_state *at = &c->sim->state;
    *s->t = t;
    memcpy(s->q, at->q, (size_t)sys->nq * sizeof *s->q);
    memcpy(s->v, at->v, (size_t)sys->nv * sizeof *s->v);
    memcpy(s->z, at->z, (size_t)sys->nz * sizeof *s->z);
    memcpy(s->history, at->history, sys->history_bytes);
    return BL_OK;
}

/* Solutions of G v = b satisfy the kept rows only: where drivers ask for velocities that others exclude, the others are violated. */
bl_status bl_course_contradiction(bl_course *c, const double *right, const double *x) {
    const bl_system *sys = c->sys;
    double size = 0, most = 0;
    bl_index worst = -1;
    char part[96] = "", equation[128] = "";
    memset(c->row, 0, (size_t)sys->np * sizeof *c->row);
    bl_csc_multiply(&sys->pat_G, c->eval.G, x, c->row);
    for (bl_index i = 0; i < sys->np; i++) {
        double scale = sys->row[i].scale > 0 ? sys->row[i].scale : 1, off = fabs(c->row[i] - right[i]) / scale;
        size = fmax(size, fmax(fabs(c->row[i]), fabs(right[i])) / scale);
        if (off > most) {
            most = off;
            worst = i;
        }
    }
    for (bl_index j = 0; j < sys->nv; j++)
        size = fmax(size, fabs(x[j]) / c->kkt->scale[j]);
    if (!(most > study_course_contradicts * size))
        return BL_OK;
    bl_system_row_name(sys, worst, part, sizeof part, equation, sizeof equation);
    bl_fail(c->ctx, BL_E_ABILITY, NULL, "the drivers contradict the constraints: they violate %s (%s) at %.3g of the largest velocity",
            part, equation, most / size);
    bl_advise(c->ctx, "the mechanism can follow fewer drivers than given, or other laws: what rolls has fewer velocities than positions");
    bl_blame(c->ctx, part, equation, *c->trial.t);
    return BL_E_ABILITY;
}
