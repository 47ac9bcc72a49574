/* Tangents of a stage by the system, by colored and by dense differences, in a configuration with a history: see combinations.h. */
#include "formulation/motion.h"
#include "support/combinations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tangent_test {
    combination_problem *p;
    bl_system *sys;
    bl_state state;
    bl_formulation *form;
    bl_stage stage;
    double *zero;
    bl_index n, nk;
    double *K[COMBINATION_JACOBIANS];
} tangent_test;

/* Moves the state along its velocity for this time, with small random displacements, so that no two points are alike. */
static void move(tangent_test *s, double time) {
    test_random random = {5};
    double size = 0;
    for (bl_index i = 0; i < s->sys->nv; i++)
        size = fmax(size, fabs(s->state.v[i]) * time);
    for (bl_index i = 0; i < s->sys->nv; i++)
        s->state.q[i] += time * s->state.v[i] + 0.02 * size * test_random_symmetric(&random);
    for (bl_index i = 0; i < s->sys->nz; i++)
        s->state.z[i] += 0.1 + 0.05 * test_random_symmetric(&random);
}

/* Laws with a history: a first configuration is accepted; from there to the last one they flow further or unload a little. */
static bl_status reach_configuration(tangent_test *s) {
    bl_eval e = {0};
    if (s->sys->history_bytes == 0) {
        move(s, 3e-3);
        return BL_OK;
    }
    move(s, 2e-3);
    bl_status status = bl_eval_create(s->sys, BL_Q, &e);
    if (status == BL_OK) {
        bl_eval_at(&e, &s->state);
        status = s->sys->kind->accept(s->sys, &e, &s->state);
    }
    bl_eval_destroy(s->sys, &e);
    move(s, 1e-3);
    return status;
}

static bl_status set_up(tangent_test *s) {
    BL_TRY(bl_fem_build(s->p->ctx, s->p->model, &s->sys));
    BL_TRY(bl_state_create(s->sys, 0, &s->state));
    BL_TRY(bl_fem_initial(s->sys, &s->state));
    BL_TRY(reach_configuration(s));
    BL_TRY(bl_formulation_create(s->sys, "plain", NULL, NULL, &s->form));
    BL_TRY(bl_formulation_setup(s->form, &s->state));
    s->n = s->sys->nv + s->sys->nz;
    s->zero = calloc((size_t)s->n + 1, sizeof *s->zero);
    const bl_state *at = &s->state;
    s->stage = (bl_stage){.te = 1e-3, .tc = 1e-3, .ce = 1, .cv = 1, .ca = 1, .cc = 1, .cvc = 1, .cz = 1, .czd = 1};
    s->stage.qe = s->stage.qc = at->q;
    s->stage.ve = s->stage.vc = at->v;
    s->stage.ae = s->stage.zde = s->zero;
    s->stage.ze = at->z;
    return BL_OK;
}

static bl_status tangent(tangent_test *s, int jacobian) {
    s->form->jacobian = (bl_jacobian)jacobian;
    s->form->matrices = 1;
    BL_TRY(s->form->kind->stage_setup(s->form));
    BL_TRY(s->form->kind->tangent(s->form, &s->stage, s->zero));
    s->nk = s->sys->pat_K.ptr[s->n];
    s->K[jacobian] = malloc(((size_t)s->nk + 1) * sizeof(double));
    memcpy(s->K[jacobian], ((bl_motion *)s->form->own)->K, (size_t)s->nk * sizeof(double));
    return BL_OK;
}

static double relative_difference(const tangent_test *s, int a, int b) {
    double most = 0, off = 0;
    for (bl_index k = 0; k < s->nk; k++) {
        most = fmax(most, fabs(s->K[a][k]));
        double d = fabs(s->K[a][k] - s->K[b][k]);
        off = isfinite(d) ? fmax(off, d) : INFINITY;
    }
    return off / most;
}

bool combination_tangents(combination_problem *p, bool own, char *why, size_t room) {
    tangent_test s = {.p = p};
    double off[2] = {0};
    why[0] = 0;
    bl_status status = set_up(&s);
    for (int j = 0; j < COMBINATION_JACOBIANS && status == BL_OK; j++)
        status = tangent(&s, j);
    if (status != BL_OK)
        snprintf(why, room, "status %d: %s", (int)status, bl_context_error(p->ctx)->what);
    else {
        off[0] = own ? relative_difference(&s, 0, 1) : 0;
        off[1] = relative_difference(&s, 1, 2);
        /* laws that iterate stop at 1e-14 of the strains, which differences divide by steps of 1e-8 of the displacements */
        double most = p->kinked ? 3e-6 : 1e-6;
        if (!(off[0] <= most && off[1] <= most))
            snprintf(why, room, "tangents: %s and %s differ by %.3g, %s and %s by %.3g", combination_jacobian_name(0),
                     combination_jacobian_name(1), off[0], combination_jacobian_name(1), combination_jacobian_name(2), off[1]);
    }
    for (int j = 0; j < COMBINATION_JACOBIANS; j++)
        free(s.K[j]);
    free(s.zero);
    bl_formulation_destroy(s.form);
    if (s.sys)
        bl_state_destroy(s.sys, &s.state);
    bl_system_destroy(s.sys);
    return why[0] == 0;
}
