/* First-order states in every formulation: rates A^-1 f for coupled, diagonal, unit and singular A, refusals by name, states that survive
 * the way to y and back, projections and other choices of coordinates, and evaluations in any order. */
#include "equations/function_private.h"
#include "integrate/integrate.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NQ = 4, NP = 2, NZ = 3, MOST = 32 };

/* two points on circles around the origin; states push them and follow them; user: time from which the second rate is not finite */
static int force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    const double *end = user;
    for (int i = 0; i < NQ; i++)
        Q[i] = -0.3 * v[i] + (i % 2 ? -9.81 + z[1] * z[1] : z[0] - z[2]);
    f[0] = sin(t) - z[0] + q[2];
    f[1] = end && t > *end ? sqrt(-1.0 - z[1] * z[1]) : v[0] - 2 * z[1] * z[2];
    f[2] = q[1] * v[3] - z[2];
    return 0;
}

static int constraint(void *user, double t, const double *q, double *phi) {
    (void)user;
    (void)t;
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
    phi[1] = q[2] * q[2] + q[3] * q[3] - 4;
    return 0;
}

static const double coupled[NZ * NZ] = {2, 0.5, 0, -0.3, 1, 0.2, 0, 0.1, 4}; /* column by column */
static const double diagonal[NZ * NZ] = {2, 0, 0, 0, 1, 0, 0, 0, 4};
static const double singular[NZ * NZ] = {1, 1, 0, 2, 2, 0, 0, 0, 1};
static const double q0[NQ] = {0.6, -0.8, 1.6, -1.2}, v0[NQ] = {0.8, 0.6, -0.6, -0.8}, z0[NZ] = {0.5, -0.25, 1.5};

typedef struct subject {
    bl_context *ctx;
    bl_system *sys;
    bl_state state;
    bl_formulation *form;
} subject;

/* its setup has its status, and the error is left in the context */
static bl_status begin(subject *s, const double *A, double *not_finite, const char *formulation) {
    bl_function fn = {.user = not_finite, .nq = NQ, .nz = NZ, .np = NP, .force = force, .constraint = constraint, .A = A};
    memset(s, 0, sizeof *s);
    s->ctx = test_context(NULL);
    assert_int_equal(bl_function_build(s->ctx, &fn, &s->sys), BL_OK);
    assert_int_equal(bl_state_create(s->sys, 0, &s->state), BL_OK);
    memcpy(s->state.q, q0, sizeof q0);
    memcpy(s->state.v, v0, sizeof v0);
    memcpy(s->state.z, z0, sizeof z0);
    *s->state.work = 1.25;
    assert_int_equal(bl_formulation_create(s->sys, formulation, NULL, NULL, &s->form), BL_OK);
    return s->form->kind->setup(s->form, &s->state);
}

static void end(subject *s) {
    bl_formulation_destroy(s->form);
    bl_state_destroy(s->sys, &s->state);
    bl_system_destroy(s->sys);
    test_context_end(s->ctx);
}

static const char *const formulations[] = {"lagrange",
                                           "partition",
                                           "partition:index=2",
                                           "partition:state=independent",
                                           "index3",
                                           "ggl",
                                           "index2",
                                           "baumgarte",
                                           "projection",
                                           "projection:at=stage",
                                           "correction",
                                           "penalty",
                                           "auglag",
                                           "auglag:project=stage",
                                           "ali3p",
                                           "matrix_r",
                                           "range_space",
                                           "null_space",
                                           "partition:dense=0"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

/* where z begins in y: before the work */
static bl_index states_of(const bl_formulation *form) { return form->ny - 1 - NZ; }

/* ---- rates */

static void rates__solve_A(void **unused) {
    (void)unused;
    const double *const matrices[] = {NULL, diagonal, coupled};
    for (int f = 0; f < FORMULATIONS; f++)
        for (int m = 0; m < 3; m++) {
            subject s;
            double y[MOST], rate[MOST], Q[NQ], right[NZ];
            assert_int_equal(begin(&s, matrices[m], NULL, formulations[f]), BL_OK);
            assert_true(s.form->ny <= MOST);
            assert_int_equal(s.form->algebraic, 0);
            assert_int_equal(s.form->kind->to_y(s.form, &s.state, y), BL_OK);
            assert_int_equal(s.form->kind->rate(s.form, 0, y, rate), BL_OK);
            force(NULL, 0, q0, v0, z0, Q, right);
            const double *zd = rate + states_of(s.form);
            for (int i = 0; i < NZ; i++) {
                double left = matrices[m] ? 0 : zd[i];
                for (int j = 0; j < NZ && matrices[m]; j++)
                    left += matrices[m][NZ * j + i] * zd[j];
                if (fabs(left - right[i]) > 1e-12) /* projections move the place by rounding */
                    fail_msg("%s, matrix %d: row %d is %.17g, should be %.17g", formulations[f], m, i, left, right[i]);
                assert_true(s.form->weight[states_of(s.form) + i] == 1);
            }
            end(&s);
        }
}

static void singular_A__is_refused_in_words(void **unused) {
    (void)unused;
    for (int f = 0; f < FORMULATIONS; f++) {
        subject s;
        double y[MOST], rate[MOST];
        assert_int_equal(begin(&s, singular, NULL, formulations[f]), BL_OK);
        assert_int_equal(s.form->kind->to_y(s.form, &s.state, y), BL_OK);
        assert_int_equal(s.form->kind->rate(s.form, 0, y, rate), BL_E_NUMERIC);
        assert_non_null(strstr(bl_context_error(s.ctx)->what, "A is singular"));
        assert_non_null(strstr(bl_context_error(s.ctx)->advice, "zero row"));
        end(&s);
    }
}

static void not_finite_rates__are_blamed_on_their_state(void **unused) {
    (void)unused;
    for (int f = 0; f < FORMULATIONS; f++)
        for (int m = 0; m < 2; m++) {
            subject s;
            double y[MOST], rate[MOST], from = 0.5;
            assert_int_equal(begin(&s, m ? coupled : NULL, &from, formulations[f]), BL_OK);
            assert_int_equal(s.form->kind->to_y(s.form, &s.state, y), BL_OK);
            bl_status status = s.form->kind->rate(s.form, 1, y, rate);
            assert_int_equal(status, BL_NOT_FINITE);
            assert_non_null(strstr(bl_context_error(s.ctx)->what, "z2")); /* by the function itself, or the formulation */
            end(&s);
        }
}

/* ---- y */

static void states__survive_the_way_to_y_and_back(void **unused) {
    (void)unused;
    for (int f = 0; f < FORMULATIONS; f++) {
        subject s;
        bl_state back;
        double y[MOST], rate[MOST], other[MOST], again[MOST];
        assert_int_equal(begin(&s, coupled, NULL, formulations[f]), BL_OK);
        assert_int_equal(bl_state_create(s.sys, 0, &back), BL_OK);
        size_t bytes = (size_t)s.form->ny * sizeof *y;
        assert_int_equal(s.form->kind->to_y(s.form, &s.state, y), BL_OK);
        assert_memory_equal(y + states_of(s.form), z0, sizeof z0);
        assert_int_equal(s.form->kind->from_y(s.form, 0, y, &back), BL_OK);
        assert_memory_equal(back.z, z0, sizeof z0);
        assert_true(*back.work == 1.25);
        /* the same place gives the same rate, whatever was evaluated in between: other states, other positions, samples */
        assert_int_equal(s.form->kind->rate(s.form, 0, y, rate), BL_OK);
        memcpy(other, y, bytes);
        other[states_of(s.form) + 1] += 0.3;
        assert_int_equal(s.form->kind->rate(s.form, 0, other, again), BL_OK);
        assert_true(memcmp(rate, again, bytes) != 0);
        assert_int_equal(s.form->kind->rate(s.form, 0, y, again), BL_OK);
        assert_memory_equal(rate, again, bytes);
        double a[NQ], lambda[NP];
        back.z[0] += 0.7;
        assert_int_equal(s.form->kind->accelerations(s.form, &back, a, lambda), BL_OK);
        assert_int_equal(s.form->kind->rate(s.form, 0, y, again), BL_OK);
        assert_memory_equal(rate, again, bytes);
        /* a fresh formulation finds the same where only states differ: nothing of the old ones is left */
        subject fresh;
        assert_int_equal(begin(&fresh, coupled, NULL, formulations[f]), BL_OK);
        assert_int_equal(fresh.form->kind->rate(fresh.form, 0, other, again), BL_OK);
        assert_int_equal(s.form->kind->rate(s.form, 0, other, rate), BL_OK);
        for (bl_index i = 0; i < s.form->ny; i++)
            assert_true(fabs(rate[i] - again[i]) <= 1e-13 * fmax(1, fabs(again[i])));
        end(&fresh);
        bl_state_destroy(s.sys, &back);
        end(&s);
    }
}

static void projection__leaves_states_alone(void **unused) {
    (void)unused;
    for (int f = 0; f < FORMULATIONS; f++) {
        subject s;
        assert_int_equal(begin(&s, coupled, NULL, formulations[f]), BL_OK);
        s.state.q[0] += 1e-4;
        s.state.v[1] += 1e-4;
        assert_int_equal(s.form->kind->project(s.form, &s.state, 1e-12), BL_OK);
        double phi[NP];
        constraint(NULL, 0, s.state.q, phi);
        assert_true(fabs(phi[0]) < 1e-12 && s.state.q[0] != q0[0] + 1e-4);
        assert_memory_equal(s.state.z, z0, sizeof z0);
        end(&s);
    }
}

/* ---- steps */

/* points that turn: independent coordinates are exchanged, and y means something else; states stay what they are */
static void exchanges__keep_states(void **unused) {
    (void)unused;
    subject s;
    assert_int_equal(begin(&s, coupled, NULL, "partition:state=independent"), BL_OK);
    double y[MOST];
    int restarts = 0;
    for (int k = 0; k <= 60; k++) {
        double angle = 0.1 * k;
        const double q[NQ] = {cos(angle), sin(angle), 2 * sin(angle), -2 * cos(angle)};
        const double v[NQ] = {-sin(angle), cos(angle), 2 * cos(angle), 2 * sin(angle)};
        memcpy(s.state.q, q, sizeof q);
        memcpy(s.state.v, v, sizeof v);
        s.state.z[1] = angle;
        bl_status status = k ? s.form->kind->review(s.form, &s.state) : s.form->kind->setup(s.form, &s.state);
        assert_true(status == BL_OK || status == BL_RESTART);
        restarts += status == BL_RESTART;
        assert_int_equal(s.form->ny, NQ + (NQ - NP) + NZ + 1);
        bl_state back;
        assert_int_equal(bl_state_create(s.sys, 0, &back), BL_OK);
        assert_int_equal(s.form->kind->to_y(s.form, &s.state, y), BL_OK);
        assert_int_equal(s.form->kind->from_y(s.form, 0, y, &back), BL_OK);
        assert_memory_equal(back.z, s.state.z, sizeof z0);
        for (int i = 0; i < NQ; i++)
            assert_true(fabs(back.v[i] - v[i]) < 1e-12 && fabs(back.q[i] - q[i]) < 1e-12);
        for (int i = 0; i < NZ; i++)
            assert_true(s.form->weight[states_of(s.form) + i] == 1);
        bl_state_destroy(s.sys, &back);
    }
    assert_true(restarts >= 3); /* once in a quarter of a turn */
    end(&s);
}

static void steps__do_not_allocate(void **unused) {
    (void)unused;
    for (int f = 0; f < FORMULATIONS; f++) {
        subject s;
        bl_integrator *integ;
        double y[MOST];
        assert_int_equal(begin(&s, coupled, NULL, formulations[f]), BL_OK);
        uint32_t gives = s.form->kind->kind.gives;
        if (!(gives & (BL_CAN_RATE | BL_CAN_STAGE))) { /* functions have no power series */
            end(&s);
            continue;
        }
        assert_int_equal(s.form->kind->to_y(s.form, &s.state, y), BL_OK);
        bl_step_control control = {.t_end = 0.2, .tolerance = 1e-6, .step = 1e-3};
        assert_int_equal(bl_integrator_create(s.ctx, gives & BL_CAN_RATE ? "rk4" : "newmark", s.form, &control, &integ), BL_OK);
        assert_int_equal(bl_integrator_start(integ, 0, y), BL_OK);
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        size_t calls = bl_context_memory(s.ctx).calls;
        while (integ->t < 0.2)
            assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        assert_int_equal(bl_context_memory(s.ctx).calls, calls);
        bl_integrator_destroy(integ);
        end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates__solve_A),
        cmocka_unit_test(singular_A__is_refused_in_words),
        cmocka_unit_test(not_finite_rates__are_blamed_on_their_state),
        cmocka_unit_test(states__survive_the_way_to_y_and_back),
        cmocka_unit_test(projection__leaves_states_alone),
        cmocka_unit_test(exchanges__keep_states),
        cmocka_unit_test(steps__do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
