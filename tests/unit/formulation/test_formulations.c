/* Formulations on hand-coded systems against an independent dense solution, with redundant rows, drivers, damping, bad models. */
#include "support/motion.h"
#include "support/testing.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const formulations[] = {"lagrange",        "range_space",  "null_space",  "matrix_r",
                                           "matrix_r:qr",     "matrix_r:svd", "partition:2", "partition:3,independent",
                                           "partition:3,full"};
enum { FIRST_INDEX_3 = 7, NFORMULATION = 9, MOST = 40 };

/* A closed loop of three bars and ground, with a hanging point mass: 2 degrees of freedom. Positions by closing, velocities along a null
 * vector. */
static test_points loop_with_tail(void) {
    test_points def = {
        .npoint = 5,
        .gravity = 9.81,
        .damping = 0.3,
        .point = {{.fixed = true}, {.x = 2.1, .fixed = true}, {.x = 0.3, .y = 1}, {.x = 1.9, .y = 1.2}, {.x = 2.4, .y = 0.6, .mass = 0.7}}};
    test_add_bar(&def, 0, 2, 1);
    test_add_bar(&def, 2, 3, 1.5);
    test_add_bar(&def, 3, 1, 0.8);
    test_add_row(&def, (test_row){.what = ROW_DISTANCE, .a = 3, .b = 4});
    return def;
}

/* [M G^T; G 0] [a; lambda] = [Q; c] by singular values: minimum norm when rows are redundant, in scaled multipliers */
static void dense_reference(const bl_system *sys, const bl_state *state, double *a, double *lambda) {
    bl_eval e = {0};
    bl_index n = sys->nv + sys->np;
    double matrix[MOST * MOST] = {0}, x[MOST] = {0}, s[MOST];
    lapack_int rank;
    assert_true(n <= MOST);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &e), BL_OK);
    bl_eval_at(&e, state);
    assert_int_equal(bl_system_eval(sys, &e, BL_M | BL_Q | BL_G | BL_C), BL_OK);
    for (bl_index j = 0; j < sys->nv; j++) {
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
            matrix[j * n + sys->pat_M.idx[k]] = e.M[k];
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            bl_index i = sys->pat_G.idx[k];
            matrix[j * n + sys->nv + i] = matrix[(sys->nv + i) * n + j] = e.G[k] / sys->row[i].scale;
        }
        x[j] = e.Q[j];
    }
    for (bl_index i = 0; i < sys->np; i++)
        x[sys->nv + i] = e.c[i] / sys->row[i].scale;
    assert_int_equal(LAPACKE_dgelss(LAPACK_COL_MAJOR, n, n, 1, matrix, n, x, n, s, 1e-10, &rank), 0);
    memcpy(a, x, (size_t)sys->nv * sizeof *a);
    for (bl_index i = 0; i < sys->np; i++)
        lambda[i] = x[sys->nv + i] / sys->row[i].scale;
    bl_eval_destroy(sys, &e);
}

/* moves the state along the constraints with a formulation that is not under test here: random velocities projected */
static void random_state(bl_formulation *form, test_random *random, bl_state *state) {
    const bl_system *sys = form->sys;
    for (bl_index i = 0; i < sys->nq; i++) {
        state->q[i] += 0.1 * sys->col[i].scale * test_random_symmetric(random);
        state->v[i] = 2 * test_random_symmetric(random);
    }
    assert_int_equal(form->kind->project(form, state, 1e-12), BL_OK);
}

static void check_accelerations(const test_points *def, uint64_t seed, double tolerance) {
    test_random random = {seed};
    for (int f = 0; f < NFORMULATION; f++)
        for (int dense = 0; dense < 2; dense++)
            for (int trial = 0; trial < 5; trial++) {
                bl_context *ctx = test_context(NULL);
                bl_system *sys;
                bl_state state;
                bl_formulation *form;
                double a[MOST], lambda[MOST], a_ref[MOST], lambda_ref[MOST];
                assert_int_equal(test_points_create(ctx, def, &sys, &state), BL_OK);
                assert_int_equal(bl_formulation_create(sys, formulations[f], dense ? "dense" : "klu", NULL, &form), BL_OK);
                assert_int_equal(form->kind->setup(form, &state), BL_OK);
                random_state(form, &random, &state);
                dense_reference(sys, &state, a_ref, lambda_ref);
                assert_int_equal(form->kind->accelerations(form, &state, a, lambda), BL_OK);
                double size = 1;
                for (bl_index i = 0; i < sys->nv; i++)
                    size = fmax(size, fabs(a_ref[i]));
                for (bl_index i = 0; i < sys->nv; i++)
                    assert_float_equal(a[i], a_ref[i], tolerance * size);
                for (bl_index i = 0; i < sys->np; i++)
                    assert_float_equal(lambda[i], lambda_ref[i], 100 * tolerance * size);
                bl_formulation_destroy(form);
                bl_state_destroy(sys, &state);
                bl_system_destroy(sys);
                test_context_end(ctx);
            }
}

/* condition numbers of these systems are below 1e3: 1e-11 leaves room */
static void accelerations__agree_with_a_dense_solution(void **state) {
    (void)state;
    test_points def = loop_with_tail();
    check_accelerations(&def, test_seed(11), 1e-11);
    def.scale = 0.01; /* other column scales, same result */
    check_accelerations(&def, 12, 1e-11);
}

static void redundant_rows__change_nothing_and_get_minimum_norm_multipliers(void **state) {
    (void)state;
    test_points def = loop_with_tail();
    test_add_row(&def, (test_row){.what = ROW_DISTANCE, .a = 0, .b = 2, .factor = 3});
    test_add_row(&def, (test_row){.what = ROW_DISTANCE, .a = 3, .b = 4, .factor = -0.5});
    test_add_row(&def, (test_row){.what = ROW_DISTANCE, .a = 0, .b = 1}); /* between fixed points: an empty row */
    check_accelerations(&def, test_seed(21), 1e-10);
}

static void redundant_rows__are_counted_and_the_motion_is_the_same(void **state) {
    (void)state;
    test_points plain = loop_with_tail(), redundant = plain;
    test_add_row(&redundant, (test_row){.what = ROW_DISTANCE, .a = 0, .b = 2, .factor = 3});
    test_add_row(&redundant, (test_row){.what = ROW_DISTANCE, .a = 2, .b = 3});
    for (int f = 0; f < NFORMULATION; f++) {
        bl_context *ctx = test_context(NULL);
        bl_simulation_setup setup = {.formulation = formulations[f], .integrator = "rk4", .step = 0.005, .t_end = 1};
        test_motion one, two;
        test_motion_begin(&one, ctx, &plain, &setup);
        test_motion_begin(&two, ctx, &redundant, &setup);
        assert_int_equal(one.sim->form->dof, 2);
        assert_int_equal(one.sim->form->redundant, 0);
        assert_int_equal(two.sim->form->dof, 2);
        assert_int_equal(two.sim->form->redundant, 2);
        test_motion_run(&one, 0, NULL, NULL);
        test_motion_run(&two, 0, NULL, NULL);
        for (bl_index i = 0; i < one.sys->nq; i++)
            assert_float_equal(one.sim->state.q[i], two.sim->state.q[i], 1e-9);
        test_motion_end(&one);
        test_motion_end(&two);
        test_context_end(ctx);
    }
}

static void formulations__reach_the_same_end(void **state) {
    (void)state;
    test_points def = loop_with_tail();
    bl_context *ctx = test_context(NULL);
    double end[NFORMULATION][MOST];
    for (int f = 0; f < NFORMULATION; f++) {
        test_motion motion;
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = formulations[f], .t_end = 2, .tolerance = 1e-10});
        test_motion_run(&motion, 0, NULL, NULL);
        memcpy(end[f], motion.sim->state.q, (size_t)motion.sys->nq * sizeof(double));
        for (bl_index i = 0; i < motion.sys->nq; i++)
            assert_float_equal(end[f][i], end[0][i], 1e-6);
        test_motion_end(&motion);
    }
    test_context_end(ctx);
}

/* ---- drivers and work */

static void note_energy(void *user, const bl_sample *sample) {
    double *worst = user;
    *worst = fmax(*worst, fabs(sample->energy_error));
}

/* The pivot of a damped pendulum is shaken: energies change, the balance with the work of damper and driver must not. The path of
 * the pivot is prescribed: start + 0.3 sin 5 t. */
static void energy_balance__holds_with_driver_and_damper(void **state) {
    (void)state;
    test_points def = {.npoint = 2, .gravity = 9.81, .damping = 0.4, .point = {{.mass = 0.5, .vx = 1.5}, {.x = 1, .mass = 1, .vx = 1.5}}};
    test_add_row(&def, (test_row){.what = ROW_DISTANCE, .a = 0, .b = 1});
    test_add_row(&def, (test_row){.what = ROW_DRIVE_X, .a = 0, .amplitude = 0.3, .frequency = 5});
    test_add_row(&def, (test_row){.what = ROW_DRIVE_Y, .a = 0});
    for (int f = 0; f < NFORMULATION; f++) {
        bl_context *ctx = test_context(NULL);
        test_motion motion;
        double worst = 0;
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = formulations[f], .t_end = 3, .tolerance = 1e-9});
        test_motion_run(&motion, 0.1, note_energy, &worst);
        assert_float_equal(motion.sim->state.q[0], 0.3 * sin(15), 1e-9);
        assert_float_equal(motion.sim->state.v[0], 1.5 * cos(15), 1e-8);
        assert_true(fabs(*motion.sim->state.work) > 0.1);
        assert_true(worst < 1e-6);
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

/* every coordinate prescribed: no degree of freedom is left, the motion is that of the drivers */
static void fully_driven_motion__is_kinematics(void **state) {
    (void)state;
    test_points def = {.npoint = 1, .gravity = 9.81, .point = {{.mass = 2, .vx = 2}}};
    test_add_row(&def, (test_row){.what = ROW_DRIVE_X, .a = 0, .amplitude = 1, .frequency = 2});
    test_add_row(&def, (test_row){.what = ROW_DRIVE_Y, .a = 0});
    for (int f = FIRST_INDEX_3; f < NFORMULATION; f++) {
        bl_context *ctx = test_context(NULL);
        test_motion motion;
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = formulations[f], .t_end = 3, .tolerance = 1e-8});
        assert_int_equal(motion.sim->form->dof, 0);
        test_motion_run(&motion, 0, NULL, NULL);
        assert_float_equal(motion.sim->state.q[0], sin(6), 1e-12);
        double a[2], lambda[2];
        assert_int_equal(motion.sim->form->kind->accelerations(motion.sim->form, &motion.sim->state, a, lambda), BL_OK);
        assert_float_equal(a[0], -4 * sin(6), 1e-10);
        assert_float_equal(lambda[0], 2 * 4 * sin(6), 1e-9); /* M a + G^T lambda = Q */
        assert_float_equal(lambda[1], -2 * 9.81, 1e-9);
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

/* no constraint at all: a thrown point */
static void free_points__fly(void **state) {
    (void)state;
    test_points def = {.npoint = 1, .gravity = 10, .point = {{.mass = 2, .vx = 3, .vy = 4}}};
    for (int f = 0; f < NFORMULATION; f++) {
        bl_context *ctx = test_context(NULL);
        test_motion motion;
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = formulations[f], .t_end = 2});
        test_motion_run(&motion, 0, NULL, NULL);
        assert_float_equal(motion.sim->state.q[0], 6, 1e-12);
        assert_float_equal(motion.sim->state.q[1], 8 - 20, 1e-11);
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

/* ---- refusals */

static bl_status try_to_begin(const test_points *def, const char *formulation, bl_error *error) {
    bl_context *ctx = test_context(NULL);
    bl_system *sys;
    bl_state state;
    bl_simulation *sim = NULL;
    assert_int_equal(test_points_create(ctx, def, &sys, &state), BL_OK);
    bl_status status = bl_simulation_create(sys, &state, &(bl_simulation_setup){.formulation = formulation, .t_end = 1}, &sim);
    *error = *bl_context_error(ctx);
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    test_context_end(ctx);
    return status;
}

static void motions_without_mass__are_refused_with_their_coordinate(void **state) {
    (void)state;
    test_points def = test_double_pendulum();
    def.point[2].mass = 0;
    bl_error error;
    for (int f = 0; f < NFORMULATION; f++) {
        assert_int_equal(try_to_begin(&def, formulations[f], &error), BL_E_MODEL);
        assert_non_null(strstr(error.what, "no mass"));
        if (f > 0)
            assert_non_null(strstr(error.part, "P2"));
    }
}

static void bad_choices__are_refused_with_a_reason(void **state) {
    (void)state;
    test_points def = test_pendulum();
    bl_error error;
    assert_int_equal(try_to_begin(&def, "partitoin", &error), BL_E_ARG);
    assert_non_null(strstr(error.advice, "partition"));
    assert_int_equal(try_to_begin(&def, "partition:index=4", &error), BL_E_ARG);
    assert_int_equal(try_to_begin(&def, "partition:exchange=1", &error), BL_E_ARG);
    assert_int_equal(try_to_begin(&def, "partition:inedx=3", &error), BL_E_ARG);
    assert_non_null(strstr(error.advice, "index"));
    def.hide_mass = true;
    assert_int_equal(try_to_begin(&def, "lagrange", &error), BL_E_ABILITY);
    assert_non_null(strstr(error.what, "needs a mass matrix"));
    assert_non_null(strstr(error.what, "the system provides energies"));
}

/* two bars of 1 m between ground points that are driven apart until they are 2 m away: the loop cannot close beyond */
static void end_of_reach__ends_with_time_and_row(void **state) {
    (void)state;
    test_points def = {.npoint = 3, .gravity = 9.81, .point = {{.fixed = true}, {.x = 0.5, .y = sqrt(0.75)}, {.x = 1, .vx = 1}}};
    test_add_bar(&def, 0, 1, 1);
    test_add_bar(&def, 1, 2, 1);
    def.point[1].vx = 0.5;
    def.point[1].vy = -0.5 * 0.5 / sqrt(0.75);
    test_add_row(&def, (test_row){.what = ROW_DRIVE_X, .a = 2, .amplitude = 2, .frequency = 0.5});
    test_add_row(&def, (test_row){.what = ROW_DRIVE_Y, .a = 2});
    double reached = asin(0.5) / 0.5; /* 1 + 2 sin(t / 2) = 2 */
    for (int f = FIRST_INDEX_3; f < NFORMULATION; f++) {
        bl_context *ctx = test_context(NULL);
        test_motion motion;
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = formulations[f], .t_end = 3});
        bl_status status = BL_OK;
        while (status == BL_OK && *motion.sim->state.t < 3)
            status = bl_simulation_advance(motion.sim);
        const bl_error *error = bl_context_error(ctx);
        assert_int_equal(status, BL_E_NUMERIC);
        assert_float_equal(*motion.sim->state.t, reached, 1e-2);
        assert_float_equal(error->time, reached, 1e-2);
        assert_non_null(strstr(error->part, "row"));
        assert_non_null(strstr(error->equation, "of points"));
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

static void values_that_are_not_finite__are_named(void **state) {
    (void)state;
    test_points def = test_pendulum();
    def.nan_after = true;
    def.nan_time = 0.3;
    for (int f = 0; f < NFORMULATION; f++) {
        bl_context *ctx = test_context(NULL);
        test_motion motion;
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = formulations[f], .t_end = 1});
        bl_status status = BL_OK;
        while (status == BL_OK && *motion.sim->state.t < 1)
            status = bl_simulation_advance(motion.sim);
        assert_int_equal(status, BL_E_NUMERIC);
        assert_float_equal(*motion.sim->state.t, 0.3, 1e-6);
        assert_non_null(strstr(bl_context_error(ctx)->what, "finite"));
        assert_false(isnan(bl_context_error(ctx)->time));
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

/* ---- singular start: the loops start flat, where the rank is lower; the rows dropped there are needed later */
static void a_start_in_a_singular_configuration__finds_its_rows_again(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_points def = test_n_four_bar(2);
    for (int i = 0; i <= 2; i++)
        def.point[2 * i + 1] = (test_point){.x = i + 1, .y = 0, .vy = -1};
    test_motion motion;
    for (int f = 0; f < NFORMULATION; f++) {
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = formulations[f], .t_end = 0.5, .tolerance = 1e-9});
        assert_int_equal(motion.sim->form->dof, 3);
        test_motion_run(&motion, 0, NULL, NULL);
        assert_int_equal(motion.sim->form->dof, 1);
        bl_sample sample;
        assert_int_equal(bl_simulation_sample(motion.sim, 0.5, &sample), BL_OK);
        assert_true(sample.drift < 1e-5);
        test_motion_end(&motion);
    }
    test_context_end(ctx);
}

/* ---- memory */

static void steps__allocate_nothing_unless_coordinates_are_exchanged(void **state) {
    (void)state;
    test_points def = test_pendulum();
    def.nangle = 1;
    def.angle[0] = -acos(0);
    test_add_row(&def, (test_row){.what = ROW_ANGLE, .a = 0, .b = 1, .angle = 0});
    for (int f = 0; f < NFORMULATION; f++) {
        bl_context *ctx = test_context(NULL);
        test_motion motion;
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = formulations[f], .t_end = 3, .tolerance = 1e-7});
        size_t calls = bl_context_memory(ctx).calls;
        double energy = 0;
        test_motion_run(&motion, 0.1, note_energy, &energy);
        assert_int_equal(motion.sim->form->stats.repartitions, 0);
        assert_int_equal(bl_context_memory(ctx).calls, calls);
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

static bl_status a_short_run(bl_context *ctx, void *user) {
    test_points def = test_double_pendulum();
    test_add_row(&def, (test_row){.what = ROW_DISTANCE, .a = 0, .b = 1, .factor = 2});
    bl_system *sys = NULL;
    bl_state start = {0};
    bl_simulation *sim = NULL;
    bl_status status = test_points_create(ctx, &def, &sys, &start);
    if (status == BL_OK)
        status = bl_simulation_create(sys, &start, &(bl_simulation_setup){.formulation = user, .t_end = 0.8, .tolerance = 1e-4}, &sim);
    while (status == BL_OK && *sim->state.t < 0.8) {
        bl_sample sample;
        status = bl_simulation_advance(sim);
        if (status == BL_OK)
            status = bl_simulation_sample(sim, *sim->state.t, &sample);
    }
    bl_simulation_destroy(sim);
    if (sys) {
        bl_state_destroy(sys, &start);
        bl_system_destroy(sys);
    }
    return status;
}

static void failing_allocations__are_survived(void **state) {
    (void)state;
    for (int f = 0; f < NFORMULATION; f++) {
        test_failing_allocations(a_short_run, (void *)(uintptr_t)formulations[f]);
        test_failing_once(a_short_run, (void *)(uintptr_t)formulations[f]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations__agree_with_a_dense_solution),
        cmocka_unit_test(redundant_rows__change_nothing_and_get_minimum_norm_multipliers),
        cmocka_unit_test(redundant_rows__are_counted_and_the_motion_is_the_same),
        cmocka_unit_test(formulations__reach_the_same_end),
        cmocka_unit_test(energy_balance__holds_with_driver_and_damper),
        cmocka_unit_test(fully_driven_motion__is_kinematics),
        cmocka_unit_test(free_points__fly),
        cmocka_unit_test(motions_without_mass__are_refused_with_their_coordinate),
        cmocka_unit_test(bad_choices__are_refused_with_a_reason),
        cmocka_unit_test(end_of_reach__ends_with_time_and_row),
        cmocka_unit_test(values_that_are_not_finite__are_named),
        cmocka_unit_test(a_start_in_a_singular_configuration__finds_its_rows_again),
        cmocka_unit_test(steps__allocate_nothing_unless_coordinates_are_exchanged),
        cmocka_unit_test(failing_allocations__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
