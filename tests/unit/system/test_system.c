/* The helpers of the waist on a system small enough to check by hand. */
#include "support/testing.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

/* G = [1 0 2; 0 3 0], M = diag(2, 4, 8) */
static const bl_index M_ptr[] = {0, 1, 2, 3}, M_idx[] = {0, 1, 2}, G_ptr[] = {0, 1, 2, 3}, G_idx[] = {0, 1, 0};
static const bl_row rows[] = {{.scale = 2}, {.scale = 0.5}};

typedef struct own {
    int evals;
    uint32_t asked;
    bool fail_create;
} own;

static bl_status toy_eval(const bl_system *sys, bl_eval *eval, uint32_t want) {
    own *mine = sys->own;
    mine->evals++;
    mine->asked = want;
    if (want & BL_M)
        eval->M[0] = 2, eval->M[1] = 4, eval->M[2] = 8;
    if (want & BL_G)
        eval->G[0] = 1, eval->G[1] = 3, eval->G[2] = 2;
    return BL_OK;
}

static bl_status toy_eval_create(const bl_system *sys, bl_eval *eval) {
    eval->own = bl_alloc(sys->ctx, 8, 1);
    eval->constant = BL_M;
    return eval->own ? BL_OK : BL_E_MEMORY;
}

static void toy_eval_destroy(const bl_system *sys, bl_eval *eval) { bl_free(sys->ctx, eval->own); }

static const bl_system_kind toy = {
    .kind = {.name = "toy"}, .eval = toy_eval, .eval_create = toy_eval_create, .eval_destroy = toy_eval_destroy};

static bl_system toy_system(bl_context *ctx, own *mine) {
    return (bl_system){.kind = &toy,
                       .ctx = ctx,
                       .facts = BL_FLAT,
                       .nq = 3,
                       .nv = 3,
                       .np = 2,
                       .nbody = 2,
                       .njoint = 1,
                       .nprobe = 1,
                       .history_bytes = 5,
                       .pat_M = {3, 3, M_ptr, M_idx},
                       .pat_G = {2, 3, G_ptr, G_idx},
                       .row = rows,
                       .own = mine};
}

static void eval__asks_only_for_what_is_missing(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    own mine = {0};
    bl_system sys = toy_system(ctx, &mine);
    bl_eval eval = {0};
    bl_state state;
    assert_int_equal(bl_eval_create(&sys, BL_ALL, &eval), BL_OK);
    assert_int_equal(bl_state_create(&sys, 0, &state), BL_OK);
    bl_eval_at(&eval, &state);
    assert_int_equal(eval.have, BL_M);
    assert_int_equal(bl_system_eval(&sys, &eval, BL_M | BL_G), BL_OK);
    assert_int_equal(mine.asked, BL_G);
    assert_int_equal(bl_system_eval(&sys, &eval, BL_G), BL_OK);
    assert_int_equal(mine.evals, 1);
    bl_eval_at(&eval, &state);
    assert_int_equal(eval.have, BL_M);
    bl_state_destroy(&sys, &state);
    bl_eval_destroy(&sys, &eval);
    test_context_end(ctx);
}

static void state__is_one_aligned_block_and_a_snapshot_is_a_copy(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    own mine = {0};
    bl_system sys = toy_system(ctx, &mine);
    bl_state a, b, smaller;
    assert_int_equal(bl_state_create(&sys, 100, &a), BL_OK);
    assert_int_equal(bl_state_create(&sys, 100, &b), BL_OK);
    assert_int_equal(bl_state_create(&sys, 0, &smaller), BL_OK);
    const void *views[] = {a.t, a.q, a.v, a.z, a.lambda, a.work, a.history, a.integrator, a.block};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        assert_int_equal((uintptr_t)views[i] % 64, 0);
    *a.t = 1.5, *a.work = -2;
    for (int i = 0; i < 3; i++)
        a.q[i] = i, a.v[i] = 10 + i;
    a.lambda[1] = 7;
    memset(a.history, 9, 5);
    memset(a.integrator, 3, 100);
    bl_state_copy(&sys, &b, &a);
    assert_memory_equal(a.block, b.block, a.bytes);
    assert_true(*b.t == 1.5 && *b.work == -2 && b.v[2] == 12 && b.lambda[1] == 7 && b.history[4] == 9 && b.integrator[99] == 3);
    bl_state_copy(&sys, &smaller, &a);
    assert_true(smaller.v[2] == 12 && smaller.history[4] == 9);
    bl_state_destroy(&sys, &a);
    bl_state_destroy(&sys, &b);
    bl_state_destroy(&sys, &smaller);
    bl_state_destroy(&sys, &smaller);
    test_context_end(ctx);
}

static void products__match_the_matrices_written_by_hand(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    own mine = {0};
    bl_system sys = toy_system(ctx, &mine);
    bl_eval eval = {0};
    assert_int_equal(bl_eval_create(&sys, BL_ALL, &eval), BL_OK);
    eval.have = 0;
    const double x[6] = {1, 2, 3, -1, 0, 1}, mu[2] = {5, 7};
    double y[6];
    assert_int_equal(bl_system_apply(&sys, &eval, BL_OP_M, 2, x, y), BL_OK);
    assert_true(y[0] == 2 && y[1] == 8 && y[2] == 24 && y[3] == -2 && y[4] == 0 && y[5] == 8);
    assert_int_equal(bl_system_apply(&sys, &eval, BL_OP_G, 2, x, y), BL_OK);
    assert_true(y[0] == 7 && y[1] == 6 && y[2] == 1 && y[3] == 0);
    assert_int_equal(bl_system_apply(&sys, &eval, BL_OP_GT, 1, mu, y), BL_OK);
    assert_true(y[0] == 5 && y[1] == 21 && y[2] == 10);
    assert_int_equal(bl_system_apply(&sys, &eval, BL_OP_T, 1, x, y), BL_OK);
    assert_memory_equal(x, y, 3 * sizeof *x);
    assert_int_equal(bl_system_apply(&sys, &eval, BL_OP_MINV, 1, x, y), BL_E_ABILITY);
    assert_int_equal(bl_system_apply(&sys, &eval, BL_OP_K, 1, x, y), BL_E_ABILITY);
    bl_eval_destroy(&sys, &eval);
    test_context_end(ctx);
}

static void room__is_made_for_what_is_used_and_for_the_rest_when_it_is_asked_for(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    own mine = {0};
    bl_system sys = toy_system(ctx, &mine);
    sys.zero = BL_MA_X;
    bl_eval eval = {0};
    assert_int_equal(bl_eval_create(&sys, BL_M | BL_MA_X, &eval), BL_OK);
    assert_true(eval.M && eval.Q && eval.phi && !eval.G && !eval.pose && !eval.Ma_x);
    const double *M = eval.M;
    assert_int_equal(bl_system_eval(&sys, &eval, BL_G), BL_OK);
    assert_true(eval.G && eval.G[1] == 3 && eval.M == M);
    assert_int_equal(mine.asked, BL_G);
    /* what is zero is there for those who ask all the same, and is never computed */
    mine.evals = 0;
    assert_int_equal(bl_system_eval(&sys, &eval, BL_MA_X), BL_OK);
    assert_true(eval.Ma_x && mine.evals == 0 && (eval.constant & BL_MA_X));
    assert_int_equal(bl_eval_room(&sys, BL_POSE, &eval), BL_OK);
    assert_true(eval.pose && eval.wrench && eval.event && eval.M == M);
    bl_eval_destroy(&sys, &eval);
    test_context_end(ctx);
}

static void drift__is_scaled_and_names_the_worst_row(void **unused) {
    (void)unused;
    own mine = {0};
    bl_system sys = toy_system(NULL, &mine);
    bl_index worst;
    assert_true(bl_system_drift(&sys, (const double[]){-3, 0.5}, &worst) == 1.5 && worst == 0);
    assert_true(bl_system_drift(&sys, (const double[]){-3, 1}, &worst) == 2 && worst == 1);
    assert_true(bl_system_drift(&sys, (const double[]){0, 0}, &worst) == 0 && worst == -1);
    assert_true(isnan(bl_system_drift(&sys, (const double[]){NAN, 1}, &worst)) && worst == 0);
}

static void check_finite__blames_the_first_bad_entry(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double x[] = {1, -HUGE_VAL, NAN};
    assert_int_equal(bl_check_finite(ctx, "speed", 0, 1, x), BL_OK);
    assert_int_equal(bl_check_finite(ctx, "speed", 0, 0, NULL), BL_OK);
    assert_int_equal(bl_check_finite(ctx, "speed", 2.5, 3, x), BL_NOT_FINITE);
    assert_string_equal(bl_context_error(ctx)->what, "speed: entry 1 is infinite");
    assert_true(bl_context_error(ctx)->time == 2.5);
    test_context_end(ctx);
}

static bl_status build_all(bl_context *ctx, void *user) {
    bl_system sys = toy_system(ctx, user);
    bl_eval eval = {0};
    bl_state state = {0};
    bl_status status = bl_eval_create(&sys, BL_ALL, &eval);
    if (status == BL_OK)
        status = bl_state_create(&sys, 10, &state);
    bl_state_destroy(&sys, &state);
    bl_eval_destroy(&sys, &eval);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    own mine = {0};
    assert_int_equal(test_failing_allocations(build_all, &mine), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eval__asks_only_for_what_is_missing),
        cmocka_unit_test(state__is_one_aligned_block_and_a_snapshot_is_a_copy),
        cmocka_unit_test(products__match_the_matrices_written_by_hand),
        cmocka_unit_test(room__is_made_for_what_is_used_and_for_the_rest_when_it_is_asked_for),
        cmocka_unit_test(drift__is_scaled_and_names_the_worst_row),
        cmocka_unit_test(check_finite__blames_the_first_bad_entry),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
