/* Power series of every scene: the polynomial satisfies the equations of motion and the constraints, evaluated by other code, up to its
 * order. */
#include "coords/coords.h"
#include "study/simulation.h"
#include "study/study.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing.h"

enum { ORDER = 13 };

typedef struct bench {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_simulation *sim;
    bl_expansion ex;
    bl_eval e;
    double *q, *v, *a, *lambda, *y, *work;
    char label[96];
} bench;

static void expect(const bench *b, bl_status status) {
    if (status != BL_OK)
        fail_msg("%s: %s (%s)", b->label, bl_context_error(b->ctx)->what, bl_context_error(b->ctx)->advice);
}

static double *room(bl_index n) { return calloc((size_t)n + 1, sizeof(double)); }

/* a driven crank with a swinging rod and a damped spring: work is done by the driver and by the damper */
static const char driven[] =
    "gravity: [0, -9.81, 0]\npoints: {A: [0, 0, 0], B: [0.4, 0, 0], C: [0.4, -0.7, 0.2]}\n"
    "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 2}\n  - {name: rod, rod: {from: B, to: C}, mass: 1}\n"
    "joints:\n  - {name: j1, type: revolute, bodies: [ground, crank], at: A, axis: [0, 0, 1]}\n"
    "  - {name: j2, type: spherical, bodies: [crank, rod], at: B}\n"
    "drivers:\n  - {variable: j1.angle, value: =0.3*sin(4*t)+t^2/5}\n"
    "forces:\n  - {type: spring, bodies: [ground, rod], at: [1, -1, 0], to: C, stiffness: 30, damping: 3, length: 0.5}\n";

/* meshes with rigid and averaging interfaces, a hinge at a node and another inside an element; damped */
#define MESHED_PLANE(body)                                                                                                           \
    "dimension: 2\ngravity: [0, -9.81]\nmaterials: {m: {type: st_venant_kirchhoff, E: 3000, nu: 0.3, density: 2}}\n"                 \
    "bodies:\n  - {name: a, mesh: {rectangle: {to: [1, 0.2], n: [2, 1]}, element: quad8}, material: m, plane: stress,"               \
    " thickness: 0.7," body " interfaces: [{name: l, set: left}, {name: r, set: right, kind: average}]}\n"                           \
    "  - {name: b, mesh: {rectangle: {from: [1, 0], to: [2, 0.2], n: [2, 1]}, element: triangle6}, material: m, plane: strain," body \
    " interfaces: [{name: l, set: left}]}\n  - {name: c, mass: 1, rod: {from: [2, 0], to: [2, -1]}}\n"                               \
    "joints:\n  - {type: revolute, bodies: [ground, a.l], at: [0, 0.1]}\n  - {type: revolute, bodies: [a.r, b.l], at: [1, 0.1]}\n"   \
    "  - {type: revolute, bodies: [b, c], at: [2, 0]}\nforces:\n"                                                                    \
    "  - {type: spring, bodies: [ground, b], at: [1.3, 1], to: [1.3, 0.06], stiffness: 40, damping: 1}\n"                            \
    "loads: [{body: a, set: top, traction: [0.3, -0.1]}]\n"
static const char meshed[] = MESHED_PLANE(""), meshed_damped[] = MESHED_PLANE(" damping: {mass: 0.3, stiffness: 0.002},");
static const char meshed_space[] =
    "gravity: [0, 0, -9.81]\nmaterials: {m: {type: st_venant_kirchhoff, E: 3000, nu: 0.3, density: 2}}\n"
    "bodies:\n  - {name: a, mesh: {box: {to: [1, 0.3, 0.2], n: [2, 1, 1]}, element: hexa8}, material: m, mass: lumped,"
    " damping: {mass: 0.3, stiffness: 0.002}, interfaces: [{name: l, set: left}, {name: r, set: right, kind: average}]}\n"
    "  - {name: c, mass: 1, center: [1.5, 0, 0], inertia: [0.1, 0.2, 0.3]}\n"
    "joints:\n  - {type: revolute, bodies: [ground, a.l], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  - {type: universal, bodies: [a.r, c], at: [1.2, 0, 0], axis: [0, 1, 0], axis_b: [0, 0, 1]}\n";
static const char beams_damped[] = "gravity: [0, 0, -9.81]\nmaterials: {m: {E: 1e5, nu: 0.3, density: 100}}\n"
                                   "bodies:\n  - {name: a, beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 2, interpolation: directors,"
                                   " section: {circle: 0.05}}, material: m, damping: {mass: 0.2, stiffness: 0.003}}\n"
                                   "  - {name: c, mass: 1, center: [1.5, 0.2, 0], inertia: [0.1, 0.2, 0.3]}\n"
                                   "joints:\n  - {type: revolute, bodies: [ground, a.from], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                                   "  - {type: spherical, bodies: [a.to, c], at: [1, 0, 0]}\n";
static const struct {
    const char *name, *text;
} by_text[] = {{"driven", driven},
               {"meshed", meshed},
               {"meshed_damped", meshed_damped},
               {"meshed_space", meshed_space},
               {"beams_damped", beams_damped}};

static const char *text_of(const char *scene) {
    for (size_t i = 0; i < sizeof by_text / sizeof *by_text; i++)
        if (strcmp(scene, by_text[i].name) == 0)
            return by_text[i].text;
    return NULL;
}

/* a configuration of the motion, and the series there */
static void set_up(bench *b, const char *scene, const char *kind, double t) {
    char file[512];
    memset(b, 0, sizeof *b);
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    snprintf(b->label, sizeof b->label, "%s in %s", scene, kind);
    assert_int_equal(bl_context_create(NULL, &b->ctx), BL_OK);
    const char *text = text_of(scene);
    if (text)
        expect(b, bl_model_read_text(b->ctx, scene, text, strlen(text), NULL, 0, &b->model));
    else
        expect(b, bl_model_read(b->ctx, file, NULL, 0, &b->model));
    expect(b, bl_coords_build(b->ctx, b->model, kind, &b->sys));
    expect(b, bl_state_create(b->sys, 0, &b->state));
    expect(b, bl_coords_initial(b->sys, &b->state));
    expect(b, bl_assemble_positions(b->sys, b->model, &b->state));
    expect(b, bl_assemble_velocities(b->sys, b->model, &b->state));
    bl_simulation_setup setup = {.formulation = "partition", .integrator = "dop853", .t_end = t, .tolerance = 1e-8};
    expect(b, bl_simulation_create(b->sys, &b->state, &setup, &b->sim));
    while (*b->sim->state.t < t)
        expect(b, bl_simulation_advance(b->sim));
    bl_index nv = b->sys->nv;
    b->q = room(nv), b->v = room(nv), b->a = room(nv), b->lambda = room(b->sys->np), b->y = room(2 * nv + 1);
    expect(b, bl_expansion_create(b->sys, ORDER, &b->ex));
    expect(b, b->sim->form->kind->to_y(b->sim->form, &b->sim->state, b->y));
    expect(b, b->sim->form->kind->expand(b->sim->form, *b->sim->state.t, b->y, &b->ex));
    expect(b, bl_eval_create(b->sys, BL_ALL, &b->e));
}

static void tear_down(bench *b) {
    double *rooms[] = {b->q, b->v, b->a, b->lambda, b->y};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        free(rooms[i]);
    bl_eval_destroy(b->sys, &b->e);
    bl_expansion_destroy(b->sys, &b->ex);
    bl_simulation_destroy(b->sim);
    bl_state_destroy(b->sys, &b->state);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    assert_int_equal(bl_context_memory(b->ctx).live_blocks, 0);
    bl_context_destroy(b->ctx);
}

/* residual of the equations for the polynomial at s after the expansion point, relative; *power: of forces without potential there, and
 * that of the series */
static double missed(bench *b, double s, double *power) {
    const bl_system *sys = b->sys;
    bl_index nv = sys->nv, np = sys->np;
    double before, after, d = 1e-4 * s;
    bl_expansion_at(sys, &b->ex, ORDER, s - d, NULL, NULL, NULL, NULL, NULL, &before);
    bl_expansion_at(sys, &b->ex, ORDER, s + d, NULL, NULL, NULL, NULL, NULL, &after);
    bl_expansion_at(sys, &b->ex, ORDER, s, b->q, b->v, b->a, NULL, NULL, NULL);
    for (bl_index i = 0; i < np; i++) {
        b->lambda[i] = 0;
        for (int k = ORDER - 2; k >= 0; k--)
            b->lambda[i] = b->ex.lambda[k * np + i] + s * b->lambda[i];
    }
    bl_eval *e = &b->e;
    bl_eval_at(e, &b->sim->state);
    e->t = b->ex.t + s;
    e->q = b->q;
    e->v = b->v;
    e->have = e->constant;
    expect(b, bl_system_eval(sys, e, BL_PHI | BL_G | BL_M | BL_Q | BL_B));
    double worst = bl_system_drift(sys, e->phi, NULL), size = 0, *speed = room(np);
    bl_csc_multiply(&sys->pat_G, e->G, b->v, speed);
    for (bl_index i = 0; i < np; i++) /* rows without a value */
        if (sys->row[i].level == BL_AT_VELOCITY)
            worst = fmax(worst, fabs(speed[i] - e->b[i]) / sys->row[i].scale);
    free(speed);
    for (bl_index j = 0; j < nv; j++)
        size = fmax(size, fabs(e->Q[j]) * sys->col[j].scale);
    power[0] = e->power;
    for (bl_index i = 0; i < np; i++)
        power[0] -= b->lambda[i] * e->b[i];
    power[1] = (after - before) / (2 * d);
    double *r = calloc((size_t)nv, sizeof *r), *largest = calloc((size_t)nv, sizeof *largest);
    for (bl_index j = 0; j < nv; j++) {
        for (bl_index p = sys->pat_M.ptr[j]; p < sys->pat_M.ptr[j + 1]; p++)
            r[sys->pat_M.idx[p]] += e->M[p] * b->a[j];
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++) {
            r[j] += e->G[p] * b->lambda[sys->pat_G.idx[p]];
            largest[j] = fmax(largest[j], fabs(e->G[p] * b->lambda[sys->pat_G.idx[p]]));
        }
        size = fmax(size, largest[j] * sys->col[j].scale);
    }
    for (bl_index j = 0; j < nv; j++)
        worst = fmax(worst, fabs(r[j] - e->Q[j]) * sys->col[j].scale / size);
    free(r);
    free(largest);
    return worst;
}

static void check(const char *scene, const char *kind, double t) {
    bench b;
    double power[2];
    set_up(&b, scene, kind, t);
    /* where the residual of the polynomial reaches 1e-6 */
    double s = 1e-3 * t, miss;
    while ((miss = missed(&b, s, power)) < 1e-6 && s < 1e3)
        s *= 1.1;
    double half = missed(&b, s / 2, power), order = log2(miss / half);
    if (half > 1e-12 && order < ORDER - 3)
        fail_msg("%s: misses %.2g at %g s, %.2g at half of it: order %.1f, expected %d", b.label, miss, s, half, order, ORDER - 2);
    double small = missed(&b, s / 8, power);
    if (!(small < 1e-9))
        fail_msg("%s: misses %.2g at %g s, rounding expected", b.label, small, s / 8);
    double most = fmax(1, fabs(power[0]));
    if (!(fabs(power[1] - power[0]) < 1e-6 * most))
        fail_msg("%s: power %.12g, by the series of the work %.12g", b.label, power[0], power[1]);
    tear_down(&b);
}

static void the_series_of_every_scene_meets_the_equations_to_its_order(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        double t;
    } all[] = {{"pendulum", 0.7},
               {"double_pendulum", 0.7},
               {"four_bar", 0.3},
               {"slider_crank", 0.3},
               {"five_bar_pendulum", 0.7},
               {"tether", 0.3},
               {"bricard", 0.7},
               {"n_four_bar", 0.3},
               {"andrews", 0.005},
               {"flyball_governor", 0.3},
               {"heavy_top", 0.3},
               {"w3_chain", 0.5},
               {"vehicle", 0.2},
               {"spatial_slider_crank", 0.2},
               {"bricard_cut", 0.7},
               {"driven", 0.5},
               {"sleigh", 0.7},
               {"turntable_ball", 0.7},
               {"rolling_disc", 0.5},
               {"rattleback", 0.1},
               {"two_wheel_cart", 0.5},
               {"slider_crank_meshed", 0.005},
               {"meshed_arm", 0.02},
               {"meshed", 0.05},
               {"meshed_damped", 0.05},
               {"meshed_space", 0.05},
               {"beams_damped", 0.05}};
    static const char *const kinds[] = {"natural", "mixed"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < 2; k++)
            check(all[i].scene, kinds[k], all[i].t);
}

static void forces_that_are_not_analytic_are_refused_by_name(void **state) {
    (void)state;
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_expansion ex = {0};
    assert_int_equal(bl_context_create(NULL, &ctx), BL_OK);
    assert_int_equal(bl_model_read(ctx, SCENES "/friction_slider_crank.yaml", NULL, 0, &model), BL_OK);
    assert_int_equal(bl_coords_build(ctx, model, "natural", &sys), BL_OK);
    assert_int_equal(bl_expansion_create(sys, ORDER, &ex), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "not analytic"));
    assert_non_null(strstr(bl_context_error(ctx)->advice, "dop853"));
    bl_expansion_destroy(sys, &ex);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

/* ---- memory */

static bl_status expand_and_free(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_expansion ex = {0};
    const char *text = user;
    bl_status status = bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_coords_build(ctx, model, "natural", &sys);
    if (status == BL_OK)
        status = bl_expansion_create(sys, 3, &ex);
    if (sys)
        bl_expansion_destroy(sys, &ex);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    return status;
}

static void every_failed_allocation_is_reported(void **state) {
    (void)state;
    static const char *const text[] = {driven, meshed_damped, beams_damped};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        assert_true(test_failing_allocations(expand_and_free, (void *)(uintptr_t)text[i]) > 10);
        assert_true(test_failing_once(expand_and_free, (void *)(uintptr_t)text[i]) > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_series_of_every_scene_meets_the_equations_to_its_order),
                                       cmocka_unit_test(forces_that_are_not_analytic_are_refused_by_name),
                                       cmocka_unit_test(every_failed_allocation_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
