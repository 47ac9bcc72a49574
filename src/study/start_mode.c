/* A mode of the mesh as the start: `initial: {plate: {mode: 3, amplitude: 0.1}}`, the shape of that number with its largest entry 1. */
#include "study/modes_private.h"
#include "study/study.h"

#include <math.h>

static void add_shape(const bl_system *sys, const double *shape, double amplitude, bl_state *state) {
    bl_index n = sys->nv + sys->nz;
    double most = 0;
    for (bl_index j = 0; j < n; j++) /* the first of equal entries becomes positive, whatever the sign of the solver */
        most = fabs(shape[j]) > fabs(most) * (1 + 1e-9) ? shape[j] : most;
    for (bl_index j = 0; j < n; j++)
        *(j < sys->nv ? &state->q[j] : &state->z[j - sys->nv]) += amplitude * shape[j] / most;
}

static bl_status add_mode(const bl_system *sys, const bl_solid *solid, bl_modes_problem *p, bl_state *state) {
    if (p->count < solid->start_mode)
        return bl_fail(sys->ctx, BL_E_MODEL, &solid->place, "%s: the initial mode does not exist: it has %d modes, mode %d is requested",
                       solid->name, (int)p->count, (int)solid->start_mode);
    add_shape(sys, p->shape + (size_t)(solid->start_mode - 1) * (size_t)p->n, solid->start_amplitude, state);
    return BL_OK;
}

bl_status bl_start_modes(const bl_system *sys, const bl_model *model, bl_state *state) {
    bl_index most = 0;
    for (bl_index s = 0; s < model->nsolid; s++)
        most = model->solid[s].start_mode > most ? model->solid[s].start_mode : most;
    if (most == 0)
        return BL_OK;
    bl_modes_problem problem = {.ctx = sys->ctx, .sys = sys};
    bl_eval eval = {0};
    double *H = NULL;
    bl_status status = bl_eval_create(sys, BL_M | BL_KC, &eval);
    if (status == BL_OK)
        status = BL_NEW(sys->ctx, H, (size_t)sys->pat_K.ptr[sys->nv + sys->nz] + 1);
    bl_eval_at(&eval, state);
    if (status == BL_OK)
        status = bl_modes_solve(&problem, &eval, state->lambda, H, most, BL_MODES_AUTO, NULL);
    for (bl_index s = 0; status == BL_OK && s < model->nsolid; s++)
        if (model->solid[s].start_mode > 0)
            status = add_mode(sys, &model->solid[s], &problem, state);
    bl_modes_free(&problem);
    bl_free(sys->ctx, H);
    bl_eval_destroy(sys, &eval);
    return status;
}
