/* Linear systems by matrices: forces and tangents against a dense recomputation, energies, rates, stops, memory. */
#include "equations/matrices.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char second[] = "parameters: {a: 3}\n"
                             "matrices:\n"
                             "  M: [[2, 0.3], [0.3, 1]]\n"
                             "  C: [[0.22, -0.025], [-0.025, 0.13]]\n"
                             "  K: [[60, -20], [-20, 40]]\n"
                             "  load: [=sin(a*t), 0.5]\n"
                             "  initial: {positions: [0.1, -0.05], velocities: [0, 0.3]}\n"
                             "  scale: [1, 0.1]\n"
                             "simulate: {stop: d1_rate + a*d2 - t}\n";
static const double M[2][2] = {{2, 0.3}, {0.3, 1}}, C[2][2] = {{0.22, -0.025}, {-0.025, 0.13}}, K[2][2] = {{60, -20}, {-20, 40}};

typedef struct built {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval e;
} built;

static void build(built *b, const char *text) {
    memset(b, 0, sizeof *b);
    b->ctx = test_context(NULL);
    if (bl_model_read_text(b->ctx, "m.yaml", text, strlen(text), NULL, 0, &b->model) != BL_OK)
        fail_msg("%s", bl_context_error(b->ctx)->what);
    assert_int_equal(bl_matrices_build(b->ctx, b->model, &b->sys), BL_OK);
    assert_int_equal(bl_state_create(b->sys, 0, &b->state), BL_OK);
    assert_int_equal(bl_matrices_initial(b->sys, &b->state), BL_OK);
    assert_int_equal(bl_eval_create(b->sys, BL_ALL, &b->e), BL_OK);
    bl_eval_at(&b->e, &b->state);
}

static void forget(built *b) {
    bl_eval_destroy(b->sys, &b->e);
    bl_state_destroy(b->sys, &b->state);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
}

static double form(const double A[2][2], const double *x, const double *y) {
    return x[0] * (A[0][0] * y[0] + A[0][1] * y[1]) + x[1] * (A[1][0] * y[0] + A[1][1] * y[1]);
}

static double entry(const bl_pattern *pattern, const double *values, bl_index row, bl_index col) {
    for (bl_index k = pattern->ptr[col]; k < pattern->ptr[col + 1]; k++)
        if (pattern->idx[k] == row)
            return values[k];
    return 0;
}

static void matrices__forces_and_energies_of_second_order_by_hand(void **unused) {
    (void)unused;
    built b;
    build(&b, second);
    assert_int_equal(b.sys->facts, BL_FLAT | BL_POWER_OF_V | BL_M_CONST | BL_CK_CONST | BL_Q_OF_V | BL_Q_OF_T | BL_SMOOTH | BL_K_SYMMETRIC);
    assert_int_equal(b.sys->can, BL_CAN_MASS | BL_CAN_TANGENT | BL_CAN_ENERGY | BL_CAN_SERIES);
    assert_near(b.state.q[1], -0.05, 0);
    assert_near(b.state.v[1], 0.3, 0);
    assert_near(b.sys->col[1].scale, 0.1, 0);
    const double q[] = {0.7, -0.4}, v[] = {1.1, 0.6};
    b.e.t = 0.4;
    b.e.q = q;
    b.e.v = v;
    assert_int_equal(bl_system_eval(b.sys, &b.e, BL_Q | BL_ENERGY | BL_VARIABLES | BL_EVENTS), BL_OK);
    const double load[] = {sin(3 * 0.4), 0.5};
    for (int i = 0; i < 2; i++)
        assert_near(b.e.Q[i], load[i] - C[i][0] * v[0] - C[i][1] * v[1] - K[i][0] * q[0] - K[i][1] * q[1], 1e-14);
    assert_near(b.e.kinetic, 0.5 * form(M, v, v), 1e-15);
    assert_near(b.e.potential, 0.5 * form(K, q, q), 1e-14);
    assert_near(b.e.power, load[0] * v[0] + load[1] * v[1] - form(C, v, v), 1e-15);
    assert_near(b.e.variable[0], 0.7, 0);
    assert_near(b.e.variable_rate[1], 0.6, 0);
    assert_near(b.e.event[0], 1.1 + 3 * -0.4 - 0.4, 1e-15);
    /* tangents are there without being asked for: they never change */
    assert_true(b.e.have & BL_KC && b.e.have & BL_M);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            assert_near(entry(&b.sys->pat_M, b.e.M, i, j), M[i][j], 0);
            assert_near(entry(&b.sys->pat_C, b.e.C, i, j), C[i][j], 0);
            assert_near(entry(&b.sys->pat_K, b.e.K, i, j), K[i][j], 0);
        }
    char name[16];
    bl_system_col_name(b.sys, 1, name, sizeof name);
    assert_string_equal(name, "d2");
    forget(&b);
}

/* Diagonals, rows, and the sum over the entries as written: a band with gaps, a full matrix, a few scattered entries. */
static void matrices__products_are_the_same_however_they_are_stored(void **unused) {
    (void)unused;
    for (int shape = 0; shape < 3; shape++) {
        enum { N = 23 };
        char text[16000];
        int used = snprintf(text, sizeof text, "matrices:\n  K:\n");
        double A[N][N], x[N], zero[N] = {0};
        test_random random = {.state = 7};
        for (int i = 0; i < N; i++) {
            x[i] = test_random_symmetric(&random);
            for (int j = 0; j < N; j++) {
                bool there = shape == 0 ? (abs(i - j) < 2 || j - i == 5) && (i + j) % 7 : shape == 1 || (i * j) % 11 == 3;
                A[i][j] = there ? 0.01 * test_random_below(&random, 1000) : 0;
                used += snprintf(text + used, sizeof text - (size_t)used, "%s%.2f%s", j ? ", " : "  - [", A[i][j], j < N - 1 ? "" : "]\n");
            }
        }
        built b;
        build(&b, text);
        b.e.q = x;
        b.e.v = zero;
        assert_int_equal(bl_system_eval(b.sys, &b.e, BL_Q), BL_OK);
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += A[i][j] * x[j];
            assert_near(b.e.Q[i], -sum, 1e-13);
        }
        forget(&b);
    }
}

static void matrices__first_order_holds_M_in_C_and_minus_A_in_K(void **unused) {
    (void)unused;
    built b;
    build(
        &b,
        "matrices: {M: [[2, 1, 0], [0.5, 3, 1], [0, 1, 4]], A: [[-1, 2, 0], [0, 5, 1], [1, 0, -3]], load: [=t, 0, 2], initial: [1, 2, 3]}\n"
        "simulate: {stop: y1_rate}\n");
    static const double A[3][3] = {{-1, 2, 0}, {0, 5, 1}, {1, 0, -3}}, mass[3][3] = {{2, 1, 0}, {0.5, 3, 1}, {0, 1, 4}};
    assert_int_equal(b.sys->nq, 0);
    assert_int_equal(b.sys->nz, 3);
    assert_int_equal(b.sys->facts & (BL_IDENTITY | BL_Q_OF_V), 0);
    assert_int_equal(b.sys->can & BL_CAN_ENERGY, 0);
    b.e.t = 7;
    assert_int_equal(bl_system_eval(b.sys, &b.e, BL_F | BL_VARIABLES | BL_EVENTS), BL_OK);
    const double *y = b.state.z, load[] = {7, 0, 2};
    for (int i = 0; i < 3; i++) {
        double f = load[i] + A[i][0] * y[0] + A[i][1] * y[1] + A[i][2] * y[2], again = 0;
        assert_near(b.e.f[i], f, 1e-14);
        for (int j = 0; j < 3; j++) {
            assert_near(entry(&b.sys->pat_C, b.e.C, i, j), mass[i][j], 0);
            assert_near(entry(&b.sys->pat_K, b.e.K, i, j), -A[i][j], 0);
            again += mass[i][j] * b.e.variable_rate[j];
        }
        assert_near(again, f, 1e-13); /* M y' = f */
    }
    assert_near(b.e.event[0], b.e.variable_rate[0], 0);
    forget(&b);
}

static void matrices__rates_with_a_singular_mass_are_not_known(void **unused) {
    (void)unused;
    built b;
    build(&b, "matrices: {M: {diagonal: [1, 0]}, A: [[-1, 2], [0, 5]], initial: [1, 0]}\n");
    assert_int_equal(b.sys->col[0].order, 1);
    assert_int_equal(b.sys->col[1].order, 0);
    assert_int_equal(bl_system_eval(b.sys, &b.e, BL_VARIABLES), BL_OK);
    assert_true(isnan(b.e.variable_rate[0]));
    forget(&b);
    build(&b, "matrices: {A: [[-1, 2], [0, 5]], initial: [1, 1]}\n");
    assert_true(b.sys->facts & BL_IDENTITY);
    assert_int_equal(bl_system_eval(b.sys, &b.e, BL_VARIABLES), BL_OK);
    assert_near(b.e.variable_rate[0], 1, 0);
    forget(&b);
}

static void matrices__energies_need_symmetric_matrices(void **unused) {
    (void)unused;
    built b;
    build(&b, "matrices: {K: [[1, 2], [-2, 1]]}\n");
    assert_int_equal(b.sys->can & BL_CAN_ENERGY, 0);
    assert_true(b.sys->facts & BL_IDENTITY);
    forget(&b);
    build(&b, "matrices: {M: [[2, 1], [0, 2]], K: [[1, 2], [2, 1]]}\n");
    assert_int_equal(b.sys->can & BL_CAN_ENERGY, 0);
    forget(&b);
}

static void matrices__a_load_that_is_no_number_is_named(void **unused) {
    (void)unused;
    built b;
    build(&b, "matrices: {size: 2, names: [left, right], load: [0, =sqrt(1 - t)]}\n");
    b.e.t = 2;
    assert_int_equal(bl_system_eval(b.sys, &b.e, BL_Q), BL_NOT_FINITE);
    const bl_error *e = bl_context_error(b.ctx);
    assert_non_null(strstr(e->what, "the load of right, sqrt(1 - t), is not a number at t = 2"));
    assert_int_equal(e->line, 1);
    assert_near(e->time, 2, 0);
    forget(&b);
}

static bl_status whole_life(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_state state = {0};
    bl_eval e = {0};
    bl_status status = bl_model_read_text(ctx, "m.yaml", user, strlen(user), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_matrices_build(ctx, model, &sys);
    if (status == BL_OK)
        status = bl_state_create(sys, 0, &state);
    if (status == BL_OK)
        status = bl_matrices_initial(sys, &state);
    if (status == BL_OK)
        status = bl_eval_create(sys, BL_ALL, &e);
    if (status == BL_OK) {
        bl_eval_at(&e, &state);
        status = bl_system_eval(sys, &e, BL_Q | BL_F | BL_VARIABLES | BL_EVENTS | BL_ENERGY);
    }
    if (sys) {
        bl_eval_destroy(sys, &e);
        bl_state_destroy(sys, &state);
        bl_system_destroy(sys);
    }
    bl_model_destroy(model);
    return status;
}

static void matrices__survive_failing_allocations(void **unused) {
    (void)unused;
    char first[] = "matrices: {M: [[2, 1], [0, 2]], A: [[-1, 2], [0, 5]], load: [=t, 0]}\n", two[sizeof second];
    memcpy(two, second, sizeof second);
    assert_true(test_failing_allocations(whole_life, first) > 20);
    assert_true(test_failing_allocations(whole_life, two) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices__forces_and_energies_of_second_order_by_hand),
        cmocka_unit_test(matrices__products_are_the_same_however_they_are_stored),
        cmocka_unit_test(matrices__first_order_holds_M_in_C_and_minus_A_in_K),
        cmocka_unit_test(matrices__rates_with_a_singular_mass_are_not_known),
        cmocka_unit_test(matrices__energies_need_symmetric_matrices),
        cmocka_unit_test(matrices__a_load_that_is_no_number_is_named),
        cmocka_unit_test(matrices__survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
