/* Drivers that follow inputs and states, in every kind of coordinates: b and c against differences of phi and of G v - b along the motion,
 * where the states have their own rates; inputs led by cubics: values, rates and second rates, the same in power series; jumps of drivers
 * at events. */
#include "signal/signal.h"
#include "study/study.h"
#include "support/testing.h"
#include "system/expansion.h"

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

/* i is followed: its rate reads positions, an input, time and w, whose own rate reads velocities */
#define SIGNALS                                                                              \
    "inputs: {push: {value: 0.7, rate: 0.3}, volt: 2}\n"                                     \
    "states:\n"                                                                              \
    "  - {name: i, start: 0.1, rate: '=volt - 2*i*w + tip.x*sin(K.angle)^2 - 0.3*t*push'}\n" \
    "  - {name: w, start: -0.2, rate: '=tip.x*tip.vy - i^2 + push*J.rate'}\n"                \
    "drivers: [{variable: J.angle, value: '=0.3*push^2 + 0.2*i*cos(t) + 0.4*t'}]\n"

static const char *const texts[] = {
    "model: plane\ndimension: 2\ngravity: [0, -9.81]\npoints: {A: [0, 0], B: [0.4, 0.3], T: [0.9, 0]}\n" SIGNALS
    "bodies: [{name: one, rod: {from: A, to: B}, mass: 2}, {name: two, rod: {from: B, to: T}, mass: 1}]\n"
    "joints:\n"
    "  - {name: J, type: revolute, bodies: [ground, one], at: A}\n"
    "  - {name: K, type: revolute, bodies: [one, two], at: B}\n"
    "probes: {tip: {body: two, at: [0.7, 0.4]}}\n",
    "model: loop\ndimension: 2\ngravity: [0, -9.81]\npoints: {A: [0, 0], B: [0.4, 0.3], T: [0.9, 0]}\n" SIGNALS
    "bodies: [{name: one, rod: {from: A, to: B}, mass: 2}, {name: two, rod: {from: B, to: T}, mass: 1}]\n"
    "joints:\n"
    "  - {name: J, type: revolute, bodies: [ground, one], at: A}\n"
    "  - {name: K, type: revolute, bodies: [one, two], at: B}\n"
    "  - {name: L, type: point_on_line, bodies: [ground, two], at: T, axis: [1, 0]}\n"
    "probes: {tip: {body: two, at: [0.7, 0.4]}}\n",
    "model: space\ngravity: [0, 0, -9.81]\npoints: {A: [0, 0, 0], B: [0.4, 0.3, 0.1], T: [0.9, 0, 0.3]}\n" SIGNALS "bodies:\n"
    "  - {name: one, mass: 2, center: [0.2, 0.1, 0], inertia: [0.1, 0.2, 0.3]}\n"
    "  - {name: two, mass: 1, center: [0.6, 0.2, 0.2], inertia: [0.05, 0.04, 0.03]}\n"
    "joints:\n"
    "  - {name: J, type: revolute, bodies: [ground, one], at: A, axis: [0, 1, 0.2]}\n"
    "  - {name: K, type: revolute, bodies: [one, two], at: B, axis: [1, 0.3, 0]}\n"
    "probes: {tip: {body: two, at: [0.7, 0.4, 0.1]}}\n",
};
enum { NTEXT = sizeof texts / sizeof *texts };

typedef struct bench {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state, moved;
    bl_eval e;
    char label[96];
} bench;

static test_random generator;
static double uniform(void) { return test_random_symmetric(&generator); }

static void expect(const bench *b, bl_status status) {
    if (status != BL_OK)
        fail_msg("%s: %s (%s)", b->label, bl_context_error(b->ctx)->what, bl_context_error(b->ctx)->advice);
}

static void set_up(bench *b, const char *text, const char *kind) {
    memset(b, 0, sizeof *b);
    b->ctx = test_context(NULL);
    snprintf(b->label, sizeof b->label, "%.12s in %s", text, kind);
    expect(b, bl_model_read_text(b->ctx, "signals", text, strlen(text), NULL, 0, &b->model));
    expect(b, bl_signal_build(b->ctx, b->model, kind, NULL, 0, &b->sys));
    expect(b, bl_state_create(b->sys, 0, &b->state));
    expect(b, bl_state_create(b->sys, 0, &b->moved));
    expect(b, bl_coords_initial(b->sys, &b->state));
    expect(b, bl_assemble_positions(b->sys, b->model, &b->state));
    expect(b, bl_assemble_velocities(b->sys, b->model, &b->state));
    expect(b, bl_eval_create(b->sys, BL_ALL, &b->e));
}

static void tear_down(bench *b) {
    bl_eval_destroy(b->sys, &b->e);
    bl_state_destroy(b->sys, &b->state);
    bl_state_destroy(b->sys, &b->moved);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
}

/* phi[np] and g = G v - b, c - G a (a NULL: not wanted) at a state */
static void rows(bench *b, const bl_state *state, const double *a, double *phi, double *g, double *c) {
    const bl_system *sys = b->sys;
    bl_eval *e = &b->e;
    bl_eval_at(e, state);
    expect(b, bl_system_eval(sys, e, BL_PHI | BL_G | BL_B | (a ? BL_C : 0)));
    memcpy(phi, e->phi, (size_t)sys->np * sizeof *phi);
    for (bl_index i = 0; i < sys->np; i++) {
        g[i] = -e->b[i];
        c[i] = a ? e->c[i] : 0;
    }
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            g[sys->pat_G.idx[k]] += e->G[k] * state->v[j];
            c[sys->pat_G.idx[k]] -= a ? e->G[k] * a[j] : 0;
        }
}

/* the state after a time h of a motion with velocities v, accelerations a, rates f of states */
static void move(bench *b, double h, const double *a, const double *f) {
    const bl_system *sys = b->sys;
    double x[96];
    assert_true(sys->nv <= 96);
    bl_state_copy(sys, &b->moved, &b->state);
    for (bl_index j = 0; j < sys->nv; j++) {
        x[j] = h * b->state.v[j];
        b->moved.v[j] += h * a[j];
    }
    expect(b, bl_system_retract(sys, b->state.q, x, b->moved.q));
    for (bl_index i = 0; i < sys->nz; i++)
        b->moved.z[i] += h * f[i];
    *b->moved.t += h;
}

/* off the constraints, with random velocities, accelerations and numbers; the input is led by a cubic */
static void rates__match_differences(void **unused) {
    (void)unused;
    generator.state = test_seed(2026);
    for (int text = 0; text < NTEXT; text++)
        for (int kind = 0; kind < NKIND; kind++) {
            bench b;
            double a[96], x[96], f[2], phi[3][96], g[3][96], c[96], spare[96], h = 1e-5;
            set_up(&b, texts[text], kinds[kind]);
            const bl_system *sys = b.sys;
            assert_true(sys->facts & BL_PHI_OF_Z);
            assert_false(sys->can & BL_CAN_SERIES);
            for (bl_index j = 0; j < sys->nv; j++) {
                x[j] = 0.05 * sys->col[j].scale * uniform();
                b.state.v[j] = sys->col[j].scale * uniform();
                a[j] = sys->col[j].scale * uniform();
            }
            expect(&b, bl_system_retract(sys, b.state.q, x, b.state.q));
            *b.state.t = 0.4 + 0.1 * uniform();
            for (bl_index i = 0; i < sys->nz; i++)
                b.state.z[i] += 0.3 * uniform();
            expect(&b, bl_signal_lead_input(sys, &b.state, 0, 0.2, 1.1, 0.9 + 0.2 * uniform(), uniform()));
            bl_eval_at(&b.e, &b.state);
            expect(&b, bl_system_eval(sys, &b.e, BL_F));
            memcpy(f, b.e.f, 2 * sizeof *f);
            rows(&b, &b.state, a, phi[0], g[0], c);
            move(&b, h, a, f);
            rows(&b, &b.moved, NULL, phi[1], g[1], spare);
            move(&b, -h, a, f);
            rows(&b, &b.moved, NULL, phi[2], g[2], spare);
            for (bl_index i = 0; i < sys->np; i++) {
                double rate = (phi[1][i] - phi[2][i]) / (2 * h), second = (g[1][i] - g[2][i]) / (2 * h);
                if (!(fabs(rate - g[0][i]) < 1e-7) || !(fabs(second + c[i]) < 1e-7))
                    fail_msg("%s, row %d: rate %.9g instead of %.9g, second rate %.9g instead of %.9g", b.label, (int)i, g[0][i], rate,
                             -c[i], second);
            }
            tear_down(&b);
        }
}

/* b and c do not depend on what was asked for before, nor on the order */
static void quantities__are_independent_of_the_order_of_requests(void **unused) {
    (void)unused;
    for (int kind = 0; kind < NKIND; kind++) {
        bench b;
        double all[3][96];
        set_up(&b, texts[1], kinds[kind]);
        const bl_system *sys = b.sys;
        size_t bytes = (size_t)sys->np * sizeof(double);
        bl_eval_at(&b.e, &b.state);
        expect(&b, bl_system_eval(sys, &b.e, BL_PHI | BL_B | BL_C));
        memcpy(all[0], b.e.phi, bytes);
        memcpy(all[1], b.e.b, bytes);
        memcpy(all[2], b.e.c, bytes);
        static const uint32_t orders[][4] = {{BL_C, BL_Q | BL_F, BL_B, BL_PHI}, {BL_F, BL_PHI, BL_C, BL_B}, {BL_B, BL_KC, BL_PHI, BL_C}};
        for (int k = 0; k < 3; k++) {
            bl_eval_at(&b.e, &b.state);
            for (int i = 0; i < 4; i++)
                expect(&b, bl_system_eval(sys, &b.e, orders[k][i]));
            assert_memory_equal(all[0], b.e.phi, bytes);
            assert_memory_equal(all[1], b.e.b, bytes);
            assert_memory_equal(all[2], b.e.c, bytes);
        }
        /* other states at the same positions */
        bl_state_copy(sys, &b.moved, &b.state);
        b.moved.z[0] += 0.25;
        bl_eval_at(&b.e, &b.moved);
        expect(&b, bl_system_eval(sys, &b.e, BL_PHI));
        double most = 0;
        for (bl_index i = 0; i < sys->np; i++)
            most = fmax(most, fabs(b.e.phi[i] - all[0][i]));
        assert_true(fabs(most - 0.2 * 0.25) < 1e-12); /* t = 0: 0.2 i */
        tear_down(&b);
    }
}

/* value, rate and coefficients at the ends and inside against the cubic through them; what follows the end */
static void cubics__lead_from_value_and_rate_to_value_and_rate(void **unused) {
    (void)unused;
    bench b;
    generator.state = test_seed(77);
    set_up(&b, texts[0], "natural");
    for (int k = 0; k < 200; k++) {
        double t0 = 3 * test_random_unit(&generator), h = pow(10, 3 * uniform()), u0 = uniform(), r0 = uniform(), u1 = uniform(),
               r1 = uniform(), rate;
        expect(&b, bl_signal_set_input(b.sys, &b.state, 0, t0, u0, r0));
        expect(&b, bl_signal_lead_input(b.sys, &b.state, 0, t0, t0 + h, u1, r1));
        h = (t0 + h) - t0;
        double size = fabs(u0) + fabs(u1) + h * (fabs(r0) + fabs(r1)), small = 1e-13 * size + 1e-15 * (fabs(r0) + fabs(r1)) * t0;
        assert_true(bl_signal_input(b.sys, &b.state, 0, t0, &rate) == u0 && rate == r0);
        assert_true(fabs(bl_signal_input(b.sys, &b.state, 0, t0 + h, &rate) - u1) < small && fabs(rate - r1) < 20 * small / h);
        assert_true(bl_signal_follows(b.sys, &b.state, 0, t0 + 0.5 * h));
        double x = test_random_unit(&generator), y = 1 - x; /* by Hermite's polynomials */
        double want = u0 * y * y * (1 + 2 * x) + r0 * h * x * y * y + u1 * x * x * (3 - 2 * x) - r1 * h * x * x * y;
        assert_true(fabs(bl_signal_input(b.sys, &b.state, 0, t0 + x * h, NULL) - want) < 10 * small);
        assert_true(fabs(bl_signal_input(b.sys, &b.state, 0, t0 + 1.5 * h, &rate) - (u1 + 0.5 * h * r1)) < 10 * small && rate == r1);
        double next;
        *b.state.t = t0;
        expect(&b, b.sys->kind->next_time(b.sys, &b.state, &next));
        assert_true(next == t0 + h);
    }
    tear_down(&b);
}

/* at the end nothing jumps, and the input continues exactly from the value that was asked for */
static void cubics__end_exactly(void **unused) {
    (void)unused;
    bench b;
    double rate;
    set_up(&b, texts[0], "relative");
    expect(&b, bl_signal_lead_input(b.sys, &b.state, 0, 0, 0.7, 0.9, 0.25));
    *b.state.t = 0.7;
    bl_eval_at(&b.e, &b.state);
    expect(&b, b.sys->kind->jump(b.sys, &b.e, &b.state, -1));
    assert_false(bl_signal_follows(b.sys, &b.state, 0, 0.7));
    assert_true(bl_signal_input(b.sys, &b.state, 0, 0.7, &rate) == 0.9 && rate == 0.25);
    tear_down(&b);
}

static void bad_cubics__are_refused(void **unused) {
    (void)unused;
    bench b;
    set_up(&b, texts[0], "natural");
    assert_int_equal(bl_signal_lead_input(b.sys, &b.state, 7, 0, 1, 1, 0), BL_E_ARG);
    assert_int_equal(bl_signal_lead_input(b.sys, &b.state, 0, 1, 1, 1, 0), BL_E_ARG);
    assert_int_equal(bl_signal_lead_input(b.sys, &b.state, 0, 1, 0.5, 1, 0), BL_E_ARG);
    assert_int_equal(bl_signal_lead_input(b.sys, &b.state, 0, 1, NAN, 1, 0), BL_E_ARG);
    assert_int_equal(bl_signal_lead_input(b.sys, &b.state, 0, 1, INFINITY, 1, 0), BL_E_ARG);
    assert_int_equal(bl_signal_lead_input(b.sys, &b.state, 0, 0, 1, NAN, 0), BL_E_ARG);
    assert_int_equal(bl_signal_lead_input(b.sys, &b.state, 0, 0, 1, 1, INFINITY), BL_E_ARG);
    assert_int_equal(bl_signal_lead_input(b.sys, &b.state, 0, 0, 1e-300, 1, 0), BL_E_ARG); /* the coefficients overflow */
    tear_down(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates__match_differences),
        cmocka_unit_test(quantities__are_independent_of_the_order_of_requests),
        cmocka_unit_test(cubics__lead_from_value_and_rate_to_value_and_rate),
        cmocka_unit_test(cubics__end_exactly),
        cmocka_unit_test(bad_cubics__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
