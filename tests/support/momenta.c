#include "support/momenta.h"

#include "base/vector3.h"
#include "coords/coords.h"
#include "study/simulation.h"
#include "study/study.h"
#include "support/testing.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 8 }; /* elastic bodies */

static void add(const double at[3], double mass, const double p[3], const double spin[3], double size, double size_spin, bool moments,
                test_momenta *to) {
    double r[3], L[3];
    if (!moments) {
        to->mass += mass;
        for (int k = 0; k < 3; k++)
            to->center[k] += mass * at[k];
        return;
    }
    for (int k = 0; k < 3; k++)
        r[k] = at[k] - to->center[k];
    cross3(r, p, L);
    for (int k = 0; k < 3; k++) {
        to->p[k] += p[k];
        to->spin[k] += L[k] + spin[k];
    }
    to->size += size;
    to->size_spin += norm3(L) + size_spin;
}

static void rotate(const double q[4], bool back, const double x[3], double y[3]) {
    double inverse[4] = {q[0], -q[1], -q[2], -q[3]};
    turn3(back ? inverse : q, x, y);
}

static test_momenta measure(const bl_system *sys, const bl_model *model, const bl_eval *e) {
    bl_elastic_momenta elastic[MOST];
    test_momenta now = {.energy = bl_eval_energy(e), .kinetic = e->kinetic, .potential = e->potential};
    assert_true(model->nelastic <= MOST);
    bl_coords_momenta(sys, e, elastic);
    for (int pass = 0; pass < 2; pass++) {
        for (bl_index i = 1; i < model->nbody; i++) {
            const bl_body *body = &model->body[i];
            const bl_pose *pose = &e->pose[i];
            if (body->what == BL_BODY_MESH)
                continue;
            double p[3], own[3], w[3], spin[3];
            rotate(pose->quaternion, true, pose->angular_velocity, w);
            for (int k = 0; k < 3; k++) {
                p[k] = body->mass * pose->velocity[k];
                own[k] = dot3(body->inertia[k], w);
            }
            rotate(pose->quaternion, false, own, spin);
            add(pose->position, body->mass, p, spin, norm3(p), norm3(spin), pass, &now);
        }
        for (bl_index b = 0; b < model->nelastic; b++)
            add(elastic[b].center, elastic[b].mass, elastic[b].p, elastic[b].spin, elastic[b].size, elastic[b].size_spin, pass, &now);
        for (int k = 0; k < 3 && pass == 0; k++)
            now.center[k] /= now.mass;
    }
    return now;
}

/* Points and vectors x_i are the coordinates: p = sum (M v)_i over the points, x_i x (M v)_i summed over all is the angular momentum about
 * the origin. */
static void by_matrix(const bl_system *sys, int dim, bl_eval *e, double *Mv, test_momenta *now) {
    double L[3] = {0}, about[3];
    assert_int_equal(bl_system_apply(sys, e, BL_OP_M, 1, e->v, Mv), BL_OK);
    memset(now->p, 0, sizeof now->p);
    for (bl_index j = 0; j < sys->nv; j += dim) {
        double x[3] = {0}, p[3] = {0}, one[3];
        assert_true(sys->col[j].part == 0 && sys->col[j + dim - 1].part == dim - 1);
        for (int k = 0; k < dim; k++) {
            x[k] = e->q[j + k];
            p[k] = Mv[j + k];
            now->p[k] += sys->col[j].what == BL_COL_POINT ? p[k] : 0;
        }
        cross3(x, p, one);
        for (int k = 0; k < 3; k++)
            L[k] += one[k];
    }
    cross3(now->center, now->p, about);
    for (int k = 0; k < 3; k++)
        now->spin[k] = L[k] - about[k];
}

static void expect(bl_context *ctx, bl_status status, const char *text) {
    if (status != BL_OK)
        fail_msg("%s (%s)\n%s", bl_context_error(ctx)->what, bl_context_error(ctx)->advice, text);
}

void test_momenta_run(const char *text, const test_course *course, test_momenta_visit visit, void *user) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state state = {0};
    bl_simulation *sim;
    bl_eval e = {0};
    expect(ctx, bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), text);
    expect(ctx, bl_coords_build(ctx, model, course->coordinates, &sys), text);
    expect(ctx, bl_state_create(sys, 0, &state), text);
    expect(ctx, bl_coords_initial(sys, &state), text);
    expect(ctx, bl_assemble_positions(sys, model, &state), text);
    expect(ctx, bl_assemble_velocities(sys, model, &state), text);
    bl_simulation_setup setup = {.formulation = course->formulation,
                                 .integrator = course->integrator,
                                 .t_end = course->until,
                                 .step = course->step,
                                 .tolerance = course->tolerance};
    expect(ctx, bl_simulation_create(sys, &state, &setup, &sim), text);
    expect(ctx, bl_eval_create(sys, BL_POSE | BL_ENERGY | BL_M, &e), text);
    double *Mv = calloc((size_t)sys->nv + 1, sizeof *Mv);
    for (bool more = true; more;) {
        bl_eval_at(&e, &sim->state);
        expect(ctx, bl_system_eval(sys, &e, BL_POSE | BL_ENERGY), text);
        test_momenta now = measure(sys, model, &e);
        if (course->by_matrix)
            by_matrix(sys, model->dim, &e, Mv, &now);
        visit(*sim->state.t, &now, user);
        more = *sim->state.t < course->until;
        if (more)
            expect(ctx, bl_simulation_advance(sim), text);
    }
    free(Mv);
    bl_eval_destroy(sys, &e);
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}
