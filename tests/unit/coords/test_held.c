/* Held numbers: forces of actuators and parameters of laws, built into systems of every kind of coordinates. Their effect is compared with
 * their power, f x rate, and with differences of the forces. */
#include "coords/coords.h"
#include "model/model.h"
#include "study/run.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const every_kind[] = {"natural", "mixed", "reference", "relative"};

static const char text[] =
    "model: held\ndimension: 2\ngravity: [0, -9.81]\nparameters: {P: 3, k: 40, l: 0.2}\n"
    "bodies: [{name: crank, rod: {from: [0, 0], to: [0.2, 0.1]}, mass: 0.5}, \n"
    "         {name: link, rod: {from: [0.2, 0.1], to: [0.6, 0.3]}, mass: 1},\n"
    "         {name: rocker, rod: {from: [0.5, 0], to: [0.6, 0.3]}, mass: 0.8}]\n"
    "joints: [{name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}, {name: B, type: revolute, bodies: [crank, link], at: [0.2, "
    "0.1]},\n"
    "         {name: C, type: revolute, bodies: [link, rocker], at: [0.6, 0.3]}, {name: D, type: revolute, bodies: [ground, rocker], at: "
    "[0.5, 0]}]\n"
    "forces: [{name: push, type: force, body: link, at: [0.4, 0.2], force: [3, 4]}, {name: turn, type: torque, body: crank, torque: 2},\n"
    "         {name: coil, type: spring, bodies: [crank, rocker], at: [0.1, 0.05], to: [0.55, 0.15], stiffness: =k},\n"
    "         {name: load, type: force, body: rocker, force: ['=P*P*sin(t)', '=-P']}]\n"
    "initial: {A.rate: 2}\n";

typedef struct made {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval eval;
} made;

static bl_index force_of(const bl_model *model, const char *name) {
    bl_index i = 0;
    while (strcmp(model->force[i].name, name) != 0)
        i++;
    return i;
}

static bl_index parameter_of(const bl_model *model, const char *name) {
    bl_index i = 0;
    while (strcmp(model->parameter[i].name, name) != 0)
        i++;
    return i;
}

enum { VARIABLE, PUSH, TURN, COIL, LOAD, COUNT };

static void list(const bl_model *model, bl_held held[COUNT]) {
    held[VARIABLE] = (bl_held){.what = BL_HELD_VARIABLE, .ref = bl_model_variable(model, "B.angle")};
    held[PUSH] = (bl_held){.what = BL_HELD_FORCE, .ref = force_of(model, "push"), .replaces = true, .value = 5};
    held[TURN] = (bl_held){.what = BL_HELD_FORCE, .ref = force_of(model, "turn")};
    held[COIL] = (bl_held){.what = BL_HELD_FORCE, .ref = force_of(model, "coil")};
    held[LOAD] = (bl_held){.what = BL_HELD_PARAMETER, .ref = parameter_of(model, "P"), .value = 3};
}

static bl_status build(made *m, const char *kind) {
    bl_held held[COUNT];
    *m = (made){.ctx = test_context(NULL)};
    assert_int_equal(bl_model_read_text(m->ctx, "held", text, strlen(text), NULL, 0, &m->model), BL_OK);
    list(m->model, held);
    bl_status status = bl_run_prepare_held(m->ctx, m->model, kind, 0, held, COUNT, &m->sys, &m->state);
    if (status != BL_OK)
        fail_msg("%s: %s", kind, bl_context_error(m->ctx)->what);
    *m->state.t = 0.4;
    status = bl_eval_create(m->sys, BL_Q | BL_U | BL_SEEN, &m->eval);
    bl_eval_at(&m->eval, &m->state);
    return status;
}

static void end(made *m) {
    bl_eval_destroy(m->sys, &m->eval);
    bl_state_destroy(m->sys, &m->state);
    bl_system_destroy(m->sys);
    bl_model_destroy(m->model);
    test_context_end(m->ctx);
}

static double dot(bl_index n, const double *x, const double *y) {
    double sum = 0;
    for (bl_index i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* power of a unit of each, computed by hand from the motion of the mechanism */
static void powers__are_force_times_rate(void **unused) {
    (void)unused;
    for (int c = 0; c < 4; c++) {
        made m;
        assert_int_equal(build(&m, every_kind[c]), BL_OK);
        assert_int_equal(bl_system_eval(m.sys, &m.eval, BL_U | BL_POSE | BL_VARIABLES), BL_OK);
        double power[COUNT];
        for (int k = 0; k < COUNT; k++)
            power[k] = dot(m.sys->nv, m.eval.Q_u + k * m.sys->nv, m.state.v);
        const bl_pose *crank = &m.eval.pose[1], *link = &m.eval.pose[2], *rocker = &m.eval.pose[3];
        assert_near(power[VARIABLE], m.eval.variable_rate[bl_model_variable(m.model, "B.angle")], 1e-12);
        assert_near(power[PUSH], 0.6 * link->velocity[0] + 0.8 * link->velocity[1], 1e-12); /* at the mass center */
        assert_near(power[TURN], crank->angular_velocity[2], 1e-12);
        double d[2], dv[2];
        for (int k = 0; k < 2; k++) {
            d[k] = rocker->position[k] - crank->position[k];
            dv[k] = rocker->velocity[k] - crank->velocity[k];
        }
        assert_near(power[COIL], (d[0] * dv[0] + d[1] * dv[1]) / hypot(d[0], d[1]), 1e-12); /* its length grows */
        assert_near(power[LOAD], 6 * sin(0.4) * rocker->velocity[0] - rocker->velocity[1], 1e-11);
        end(&m);
    }
}

/* Q changes with u as Q_u predicts; u of the state is used, and a replaced force has no effect of its own */
static void forces__follow_the_numbers_of_the_state(void **unused) {
    (void)unused;
    static const double value[COUNT] = {0.7, -2, 1.5, 4, 2.5};
    for (int c = 0; c < 4; c++) {
        made m;
        assert_int_equal(build(&m, every_kind[c]), BL_OK);
        bl_index n = m.sys->nv;
        double Q[2][64], h = 1e-3;
        assert_true(n <= 64);
        assert_near(m.state.u[PUSH], 5, 0);
        assert_near(m.state.u[LOAD], 3, 0);
        for (int k = 0; k < COUNT; k++) {
            double keep = m.state.u[k];
            for (int side = 0; side < 2; side++) {
                m.state.u[k] = value[k] + (side ? h : -h);
                bl_eval_at(&m.eval, &m.state);
                assert_int_equal(bl_system_eval(m.sys, &m.eval, BL_Q), BL_OK);
                memcpy(Q[side], m.eval.Q, (size_t)n * sizeof(double));
            }
            m.state.u[k] = value[k];
            bl_eval_at(&m.eval, &m.state);
            assert_int_equal(bl_system_eval(m.sys, &m.eval, BL_U), BL_OK);
            for (bl_index j = 0; j < n; j++) /* quadratic in every number: central differences are exact */
                assert_near((Q[1][j] - Q[0][j]) / (2 * h), m.eval.Q_u[k * n + j], 1e-10);
            m.state.u[k] = keep;
        }
        end(&m);
    }
}

static double twice(const void *curve, double t) { return *(const double *)curve * t; }

static void curves__are_read_at_the_time(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "held", text, strlen(text), NULL, 0, &model), BL_OK);
    double two = 2;
    bl_held held = {.what = BL_HELD_VARIABLE, .ref = bl_model_variable(model, "A.angle"), .value = 7, .at = twice, .curve = &two};
    for (int c = 0; c < 4; c++) {
        bl_system *sys;
        bl_state state;
        bl_eval eval = {0};
        assert_int_equal(bl_run_prepare_held(ctx, model, every_kind[c], 0, &held, 1, &sys, &state), BL_OK);
        assert_true(sys->facts & BL_Q_OF_T);
        assert_false(sys->can & BL_CAN_SERIES);
        assert_int_equal(bl_eval_create(sys, BL_Q | BL_U, &eval), BL_OK);
        double power[2], column = 0;
        for (int k = 0; k < 2; k++) {
            *state.t = k;
            state.u[0] = 100; /* the curve is used */
            bl_eval_at(&eval, &state);
            assert_int_equal(bl_system_eval(sys, &eval, BL_Q | BL_U), BL_OK);
            power[k] = dot(sys->nv, eval.Q, state.v);
            column = dot(sys->nv, eval.Q_u, state.v);
        }
        assert_near(column, 2, 1e-12); /* the rate of A */
        double rocker_load = 0;        /* the law of `load` depends on time, too: its contribution is subtracted */
        {
            bl_system *plain;
            bl_state at;
            bl_eval e = {0};
            assert_int_equal(bl_run_prepare(ctx, model, every_kind[c], &plain, &at), BL_OK);
            assert_int_equal(bl_eval_create(plain, BL_Q, &e), BL_OK);
            double p[2];
            for (int k = 0; k < 2; k++) {
                *at.t = k;
                bl_eval_at(&e, &at);
                assert_int_equal(bl_system_eval(plain, &e, BL_Q), BL_OK);
                p[k] = dot(plain->nv, e.Q, at.v);
            }
            rocker_load = p[1] - p[0];
            bl_eval_destroy(plain, &e);
            bl_state_destroy(plain, &at);
            bl_system_destroy(plain);
        }
        assert_near(power[1] - power[0] - rocker_load, 2 * 2, 1e-11); /* 2 N m at t = 1, times 2 rad/s */
        bl_eval_destroy(sys, &eval);
        bl_state_destroy(sys, &state);
        bl_system_destroy(sys);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void parameters__tell_where_they_went(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "held", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(model->parameter[parameter_of(model, "P")].use, BL_PARAMETER_IN_LAWS);
    assert_int_equal(model->parameter[parameter_of(model, "k")].use, BL_PARAMETER_IN_NUMBERS);
    assert_int_equal(model->parameter[parameter_of(model, "l")].use, 0);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void actuators__without_a_direction_are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "held", text, strlen(text), NULL, 0, &model), BL_OK);
    bl_held held = {.what = BL_HELD_FORCE, .ref = force_of(model, "load")};
    bl_system *sys = NULL;
    bl_state state = {0};
    assert_int_equal(bl_run_prepare_held(ctx, model, "natural", 0, &held, 1, &sys, &state), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "force load cannot be an actuator"));
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers__are_force_times_rate),
        cmocka_unit_test(forces__follow_the_numbers_of_the_state),
        cmocka_unit_test(curves__are_read_at_the_time),
        cmocka_unit_test(parameters__tell_where_they_went),
        cmocka_unit_test(actuators__without_a_direction_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
