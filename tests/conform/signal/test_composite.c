/* Models with states, inputs and held numbers in every kind of coordinates: derivatives of forces and rates of states against differences,
 * the power of potentials that depend on them against differences along the motion, the mechanism's own quantities unchanged. */
#include "force/ops.h"
#include "signal/signal.h"
#include "sparse/sparse.h"
#include "study/study.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"natural",
                                    "mixed",
                                    "mixed:angle=switching",
                                    "reference",
                                    "reference:matrix",
                                    "reference:angles",
                                    "reference:view=tangent",
                                    "reference:matrix,view=tangent",
                                    "relative"};
enum { NKIND = sizeof kinds / sizeof *kinds };

#define SIGNALS                                                                         \
    "inputs: {push: {value: 0.7, rate: 0.3}, volt: 2}\n"                                \
    "held: {gain: 1.5}\n"                                                               \
    "states:\n"                                                                         \
    "  - {name: i, start: 0.4, rate: '=volt - 2*i*w - gain*J.rate*cos(J.angle)'}\n"     \
    "  - {name: w, start: -0.2, rate: '=tip.x*tip.vy - i^2 + push*sin(t) + tip.y*w'}\n" \
    "  - {name: free, start: 1, rate: '=-free'}\n"
#define FORCES                                                                                          \
    "  - {type: spring, bodies: [ground, two], at: A, to: T, length: 0.5, force: '=20 + 5*i + push'}\n" \
    "  - {type: force, body: two, at: T, force: "

static const char *const texts[] = {
    /* plane: a loop with a slider */
    "model: plane\ndimension: 2\ngravity: [0, -9.81]\npoints: {A: [0, 0], B: [0.4, 0.3], T: [0.9, 0]}\n" SIGNALS
    "bodies: [{name: one, rod: {from: A, to: B}, mass: 2}, {name: two, rod: {from: B, to: T}, mass: 1}]\n"
    "joints:\n"
    "  - {name: J, type: revolute, bodies: [ground, one], at: A}\n"
    "  - {name: K, type: revolute, bodies: [one, two], at: B}\n"
    "  - {name: L, type: point_on_line, bodies: [ground, two], at: T, axis: [1, 0]}\n"
    "probes: {tip: {body: two, at: [0.7, 0.4]}}\n"
    "forces:\n" FORCES "['=3*w*i + gain*J.rate', '=push']}\n"
    "  - {type: rotational_spring, variable: K.angle, torque: '=-w*x - 0.1*i*xd'}\n",
    /* space: an open chain with a ball joint */
    "model: space\ngravity: [0, 0, -9.81]\npoints: {A: [0, 0, 0], B: [0.4, 0.3, 0.1], T: [0.9, 0, 0.3]}\n" SIGNALS "bodies:\n"
    "  - {name: one, mass: 2, center: [0.2, 0.1, 0], inertia: [0.1, 0.2, 0.3]}\n"
    "  - {name: two, mass: 1, center: [0.6, 0.2, 0.2], inertia: [0.05, 0.04, 0.03]}\n"
    "joints:\n"
    "  - {name: J, type: revolute, bodies: [ground, one], at: A, axis: [0, 1, 0.2]}\n"
    "  - {name: K, type: spherical, bodies: [one, two], at: B}\n"
    "probes: {tip: {body: two, at: [0.7, 0.4, 0.1]}}\n"
    "forces:\n" FORCES "['=3*w*i + gain*J.rate', '=push', '=tip.vz*w']}\n"
    "  - {type: torque, body: two, against: one, torque: ['=i', '=gain*w', '=free*tip.x']}\n",
};
enum { NTEXT = sizeof texts / sizeof *texts };

/* a spring whose stiffness is the law `force`: no kind of the program has a potential that depends on signals, but one may */
static bl_status variable_spring(bl_record *r) {
    const bl_value *value = r->def->value;
    enum { BODY_A, BODY_B, AT, TO, STIFFNESS, LENGTH, DAMPING, FORCE };
    bl_index a = bl_record_mark(r, bl_model_mark_point(r->model, bl_value_body(&value[BODY_A]), value[AT].vector));
    bl_index b = bl_record_mark(r, bl_model_mark_point(r->model, bl_value_body(&value[BODY_B]), value[TO].vector));
    bl_index pa[3], pb[3], d[3], on_a[3], on_b[3];
    bl_record_position(r, a, pa);
    bl_record_position(r, b, pb);
    bl_node_sub3(r, pb, pa, d);
    bl_index x = bl_node_sqrt(r, bl_node_dot(r, d, d)), stretch = bl_node_sub(r, x, bl_node(r, value[LENGTH].number));
    bl_index k = bl_node_law(r, &value[FORCE], -1, -1), tension = bl_node_mul(r, k, stretch);
    bl_record_potential(r, bl_node_mul(r, bl_node_scale(r, 0.5, tension), stretch));
    for (int c = 0; c < 3; c++)
        on_a[c] = bl_node_mul(r, bl_node_div(r, tension, x), d[c]);
    bl_node_neg3(r, on_a, on_b);
    bl_record_push(r, a, on_a);
    bl_record_push(r, b, on_b);
    return BL_OK;
}
static const bl_force_kind variable = {.kind = {.name = "variable_spring"}, .record = variable_spring};

typedef struct bench {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval e, f;
    char label[96];
} bench;

static test_random generator;
static double uniform(void) { return test_random_symmetric(&generator); }

static void expect(const bench *b, bl_status status) {
    if (status != BL_OK)
        fail_msg("%s: %s (%s)", b->label, bl_context_error(b->ctx)->what, bl_context_error(b->ctx)->advice);
}

static void near(const bench *b, const char *what, bl_index i, bl_index j, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s: %s [%d, %d] is %.12g, expected %.12g, off by %.2g > %.2g", b->label, what, (int)i, (int)j, got, want, got - want,
                 tolerance);
}

/* a random state near the assembled one, off the constraints, with other numbers */
static void set_up(bench *b, const char *text, const char *kind) {
    memset(b, 0, sizeof *b);
    b->ctx = test_context(NULL);
    snprintf(b->label, sizeof b->label, "%.12s in %s", text, kind);
    expect(b, bl_model_read_text(b->ctx, "signals", text, strlen(text), NULL, 0, &b->model));
    b->model->force[0].kind = &variable;
    expect(b, bl_signal_build(b->ctx, b->model, kind, NULL, 0, &b->sys));
    assert_true(bl_signal_has(b->sys));
    expect(b, bl_state_create(b->sys, 0, &b->state));
    expect(b, bl_coords_initial(b->sys, &b->state));
    expect(b, bl_assemble_positions(b->sys, b->model, &b->state));
    expect(b, bl_assemble_velocities(b->sys, b->model, &b->state));
    expect(b, bl_eval_create(b->sys, BL_ALL, &b->e));
    expect(b, bl_eval_create(b->sys, BL_ALL, &b->f));
    bl_index nv = b->sys->nv;
    double *x = calloc((size_t)nv + 1, sizeof *x);
    for (bl_index j = 0; j < nv; j++) {
        x[j] = 0.1 * b->sys->col[j].scale * uniform();
        b->state.v[j] = b->sys->col[j].scale * uniform();
    }
    expect(b, bl_system_retract(b->sys, b->state.q, x, b->state.q));
    free(x);
    for (bl_index i = 0; i < b->sys->nz; i++)
        b->state.z[i] += 0.3 * uniform();
    expect(b, bl_signal_set_input(b->sys, &b->state, 0, 0.1, 0.6, -0.4));
}

static void tear_down(bench *b) {
    bl_eval_destroy(b->sys, &b->e);
    bl_eval_destroy(b->sys, &b->f);
    bl_state_destroy(b->sys, &b->state);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
}

static const double T = 0.35;

/* (Q, f) at a state moved by step along unknown j: 0 .. nv of positions, then of velocities (of_v), or a state */
static void moved(bench *b, bl_index j, bool of_v, double step, double *out) {
    bl_index nv = b->sys->nv, nz = b->sys->nz, nq = b->sys->nq;
    double *x = calloc((size_t)(nv + nq + nz) + 1, sizeof *x), *q = x + nv, *z = q + nq, keep = 0;
    memcpy(z, b->state.z, (size_t)nz * sizeof *z);
    memcpy(q, b->state.q, (size_t)nq * sizeof *q);
    if (of_v) {
        keep = b->state.v[j];
        b->state.v[j] += step;
    } else if (j < nv) {
        x[j] = step;
        expect(b, bl_system_retract(b->sys, b->state.q, x, q));
    } else {
        z[j - nv] += step;
    }
    bl_eval_at(&b->f, &b->state);
    b->f.t = T;
    b->f.q = q;
    b->f.z = z;
    expect(b, bl_system_eval(b->sys, &b->f, BL_Q | BL_F));
    memcpy(out, b->f.Q, (size_t)nv * sizeof *out);
    memcpy(out + nv, b->f.f, (size_t)nz * sizeof *out);
    if (of_v)
        b->state.v[j] = keep;
    free(x);
}

static double value_at(const bl_pattern *p, const double *values, bl_index row, bl_index col) {
    bl_index k = bl_pattern_find(p, row, col);
    return k < 0 ? 0 : values[k];
}

static void tangents__are_those_of_differences(void **unused) {
    (void)unused;
    for (int t = 0; t < NTEXT; t++)
        for (int k = 0; k < NKIND; k++) {
            bench b;
            set_up(&b, texts[t], kinds[k]);
            bl_index nv = b.sys->nv, nz = b.sys->nz, n = nv + nz;
            double *plus = calloc(2 * (size_t)n + 1, sizeof *plus), *minus = plus + n, size = 1;
            assert_int_equal(nz, 3);
            bl_eval_at(&b.e, &b.state);
            b.e.t = T;
            expect(&b, bl_system_eval(b.sys, &b.e, BL_KC | BL_Q | BL_F));
            for (bl_index i = 0; i < nv; i++)
                size = fmax(size, fabs(b.e.Q[i]));
            for (bl_index j = 0; j < n; j++)
                for (int of_v = 0; of_v < 2; of_v++) {
                    double h = 1e-5 * b.sys->col[j].scale;
                    if (of_v && j >= nv)
                        continue;
                    moved(&b, j, of_v, h, plus);
                    moved(&b, j, of_v, -h, minus);
                    for (bl_index i = 0; i < n; i++) {
                        double slope = (plus[i] - minus[i]) / (2 * h);
                        double got = of_v ? value_at(&b.sys->pat_C, b.e.C, i, j) : value_at(&b.sys->pat_K, b.e.K, i, j);
                        near(&b, of_v ? "C" : "K", i, j, got, -slope, 1e-7 * (size / b.sys->col[j].scale + fabs(slope)));
                    }
                }
            for (bl_index i = 0; i < nz; i++)
                for (bl_index j = 0; j < nz; j++)
                    near(&b, "A", i, j, value_at(&b.sys->pat_C, b.e.C, nv + i, nv + j), i == j, 0);
            free(plus);
            tear_down(&b);
        }
}

/* power of what has no potential: with z' = f, inputs that move, and any accelerations (their work is the same on both sides) */
static void power__includes_what_potentials_gain_by_states_and_inputs(void **unused) {
    (void)unused;
    for (int t = 0; t < NTEXT; t++)
        for (int k = 0; k < NKIND; k++) {
            bench b;
            set_up(&b, texts[t], kinds[k]);
            bl_index nv = b.sys->nv, nz = b.sys->nz;
            double *x = calloc((size_t)(nv + b.sys->nq + nz) + 1, sizeof *x), *q = x + nv, *z = q + b.sys->nq, Qv = 0, sum[2], h = 1e-5;
            bl_eval_at(&b.e, &b.state);
            b.e.t = T;
            expect(&b, bl_system_eval(b.sys, &b.e, BL_Q));
            double power = b.e.power;
            expect(&b, bl_system_eval(b.sys, &b.e, BL_F | BL_ENERGY));
            for (bl_index j = 0; j < nv; j++)
                Qv += b.e.Q[j] * b.state.v[j];
            for (int side = 0; side < 2; side++) {
                double step = side ? h : -h;
                for (bl_index j = 0; j < nv; j++)
                    x[j] = step * b.state.v[j];
                expect(&b, bl_system_retract(b.sys, b.state.q, x, q));
                for (bl_index j = 0; j < nz; j++)
                    z[j] = b.state.z[j] + step * b.e.f[j];
                bl_eval_at(&b.f, &b.state);
                b.f.t = T + step;
                b.f.q = q;
                b.f.z = z;
                expect(&b, bl_system_eval(b.sys, &b.f, BL_ENERGY));
                sum[side] = b.f.kinetic + b.f.potential;
            }
            near(&b, "power", 0, 0, power, Qv + (sum[1] - sum[0]) / (2 * h), 1e-6 * (1 + fabs(Qv)));
            free(x);
            tear_down(&b);
        }
}

/* the same mechanism without its signals, whose values stand in the laws as numbers */
static void mechanism__is_that_of_a_model_without_signals(void **unused) {
    (void)unused;
    static const char
        with[] = "model: with\ndimension: 2\nheld: {k: 30}\ninputs: {F: 2}\n"
                 "bodies: [{name: a, mass: 2, center: [1, 0], inertia: 0.3}]\n"
                 "joints: [{name: J, type: revolute, bodies: [ground, a], at: [0, 0]}]\n"
                 "forces: [{type: spring, bodies: [ground, a], at: [0, 1], to: [1, 0], stiffness: 30, length: 1, force: =k*x*xd},\n"
                 "  {type: torque, body: a, torque: =F*J.rate}]\n",
        without[] = "model: without\ndimension: 2\nparameters: {k: 30, F: 2}\n"
                    "bodies: [{name: a, mass: 2, center: [1, 0], inertia: 0.3}]\n"
                    "joints: [{name: J, type: revolute, bodies: [ground, a], at: [0, 0]}]\n"
                    "forces: [{type: spring, bodies: [ground, a], at: [0, 1], to: [1, 0], stiffness: 30, length: 1, force: =k*x*xd},\n"
                    "  {type: torque, body: a, torque: =F*J.rate}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model[2];
    if (bl_model_read_text(ctx, "with", with, strlen(with), NULL, 0, &model[0]) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    assert_int_equal(bl_model_read_text(ctx, "without", without, strlen(without), NULL, 0, &model[1]), BL_OK);
    for (int k = 0; k < NKIND; k++) {
        bl_system *sys[2];
        bl_state state[2];
        bl_eval e[2];
        memset(e, 0, sizeof e);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(bl_signal_build(ctx, model[i], kinds[k], NULL, 0, &sys[i]), BL_OK);
            assert_int_equal(bl_signal_has(sys[i]), i == 0);
            assert_int_equal(bl_state_create(sys[i], 0, &state[i]), BL_OK);
            assert_int_equal(bl_coords_initial(sys[i], &state[i]), BL_OK);
            for (bl_index j = 0; j < sys[i]->nv; j++)
                state[i].v[j] = 0.3 * j + 0.1;
            assert_int_equal(bl_eval_create(sys[i], BL_ALL, &e[i]), BL_OK);
            bl_eval_at(&e[i], &state[i]);
            assert_int_equal(bl_system_eval(sys[i], &e[i], BL_M | BL_G | BL_Q | BL_KC | BL_PHI | BL_C | BL_ENERGY | BL_VARIABLES | BL_POSE),
                             BL_OK);
        }
        const bl_system *s = sys[1];
        assert_int_equal(sys[0]->nv, s->nv);
        assert_memory_equal(e[0].Q, e[1].Q, (size_t)s->nv * sizeof(double));
        assert_memory_equal(e[0].M, e[1].M, (size_t)s->pat_M.ptr[s->nv] * sizeof(double));
        assert_memory_equal(e[0].K, e[1].K, (size_t)s->pat_K.ptr[s->nv] * sizeof(double));
        assert_memory_equal(e[0].C, e[1].C, (size_t)s->pat_C.ptr[s->nv] * sizeof(double));
        assert_memory_equal(e[0].phi, e[1].phi, (size_t)s->np * sizeof(double));
        assert_memory_equal(e[0].c, e[1].c, (size_t)s->np * sizeof(double));
        assert_memory_equal(e[0].pose, e[1].pose, (size_t)s->nbody * sizeof *e[0].pose);
        assert_true(e[0].potential == e[1].potential && e[0].kinetic == e[1].kinetic);
        for (int i = 0; i < 2; i++) {
            bl_eval_destroy(sys[i], &e[i]);
            bl_state_destroy(sys[i], &state[i]);
            bl_system_destroy(sys[i]);
        }
    }
    bl_model_destroy(model[0]);
    bl_model_destroy(model[1]);
    test_context_end(ctx);
}

static void inputs__are_linear_in_time_since_they_were_set(void **unused) {
    (void)unused;
    bench b;
    set_up(&b, texts[0], "natural");
    double rate, value[8];
    assert_true(fabs(bl_signal_input(b.sys, &b.state, 0, 0.6, &rate) - 0.4) < 1e-15 && rate == -0.4);
    assert_true(bl_signal_input(b.sys, &b.state, 1, 0.6, &rate) == 2 && rate == 0);
    assert_int_equal(bl_signal_set_input(b.sys, &b.state, 2, 0, 1, 0), BL_E_ARG);
    assert_int_equal(bl_signal_set_input(b.sys, &b.state, 0, 0, NAN, 0), BL_E_ARG);
    bl_eval_at(&b.e, &b.state);
    b.e.t = 0.6;
    assert_int_equal(bl_signal_values(b.sys, &b.e, value), BL_OK);
    assert_true(fabs(value[0] - 0.4) < 1e-15 && value[1] == 2 && value[2] == 1.5 && value[3] == b.state.z[0]);
    tear_down(&b);
}

static bl_status build_and_evaluate(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_state state = {0};
    bl_eval e = {0};
    const char *kind = user;
    bl_status status = bl_model_read_text(ctx, "signals", texts[1], strlen(texts[1]), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_signal_build(ctx, model, kind, NULL, 0, &sys);
    if (status == BL_OK)
        status = bl_state_create(sys, 0, &state);
    if (status == BL_OK)
        status = bl_coords_initial(sys, &state);
    if (status == BL_OK)
        status = bl_eval_create(sys, BL_Q, &e);
    if (status == BL_OK) {
        bl_eval_at(&e, &state);
        status = bl_system_eval(sys, &e, BL_Q | BL_KC | BL_F | BL_EVENTS);
    }
    if (sys) {
        bl_eval_destroy(sys, &e);
        bl_state_destroy(sys, &state);
    }
    bl_system_destroy(sys);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **unused) {
    (void)unused;
    static const char *const some[] = {"natural", "reference", "relative"};
    for (int k = 0; k < 3; k++) {
        char kind[32];
        snprintf(kind, sizeof kind, "%s", some[k]);
        test_failing_allocations(build_and_evaluate, kind);
        test_failing_once(build_and_evaluate, kind);
    }
}

int main(void) {
    generator.state = test_seed(20261);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents__are_those_of_differences),
        cmocka_unit_test(power__includes_what_potentials_gain_by_states_and_inputs),
        cmocka_unit_test(mechanism__is_that_of_a_model_without_signals),
        cmocka_unit_test(inputs__are_linear_in_time_since_they_were_set),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
