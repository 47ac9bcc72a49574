/* Diagonal matrices: what auto makes of lumped masses, missing rank by every policy. */
#include "linsol/linsol.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

enum { N = 200 };

typedef struct matrix {
    bl_index ptr[N + 1], idx[N];
    double values[N];
    bl_pattern pattern;
} matrix;

static void fill(matrix *m) {
    for (bl_index i = 0; i < N; i++) {
        m->ptr[i] = m->idx[i] = i;
        m->values[i] = (i % 3 ? 1 : -1) * (1 + i);
    }
    m->ptr[N] = N;
    m->pattern = (bl_pattern){N, N, m->ptr, m->idx};
}

static void auto__divides_where_nothing_else_stands(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_linsol *solver;
    matrix m;
    double x[2 * N];
    fill(&m);
    assert_int_equal(bl_linsol_create(ctx, "auto", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &m.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, m.values), BL_OK);
    assert_string_equal(solver->uses, "diagonal");
    assert_int_equal(solver->kind->negative(solver), (N + 2) / 3);
    assert_int_equal(solver->kind->sign(solver), (N + 2) / 3 % 2 ? -1 : 1);
    for (bl_index i = 0; i < 2 * N; i++)
        x[i] = (i + 1) * m.values[i % N];
    assert_int_equal(bl_linsol_solve(solver, true, 2, x), BL_OK);
    for (bl_index i = 0; i < 2 * N; i++)
        assert_true(fabs(x[i] - (i + 1)) <= 1e-15 * (i + 1) * 2);
    for (bl_index i = 0; i < N; i++)
        m.values[i] *= 2;
    assert_int_equal(bl_linsol_update(solver, m.values), BL_OK);
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    for (bl_index i = 0; i < N; i++)
        assert_true(fabs(x[i] - (i + 1) / m.values[i]) <= 4e-16 * (i + 1));
    bl_linsol_destroy(solver);
    test_context_end(ctx);
}

/* larger powers of ten than any tolerance apart, and zeros: only these lack rank */
static void zeros__are_refused_or_dropped(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    matrix m;
    double x[N];
    for (int policy = BL_REFUSE; policy <= BL_MIN_NORM; policy++) {
        bl_linsol *solver;
        fill(&m);
        m.values[7] = 1e-200;
        assert_int_equal(bl_linsol_of_kind(ctx, &bl_linsol_diagonal, NULL, &solver), BL_OK);
        assert_int_equal(bl_linsol_analyze(solver, &m.pattern, NULL, (bl_deficient)policy, 1e-9), BL_OK);
        assert_int_equal(bl_linsol_factor(solver, m.values), BL_OK);
        m.values[5] = 0;
        assert_int_equal(bl_linsol_refactor(solver, m.values), BL_SINGULAR);
        assert_int_equal(bl_linsol_update(solver, m.values), policy == BL_REFUSE ? BL_SINGULAR : BL_OK);
        assert_int_equal(solver->stats.rank, N - 1);
        assert_int_equal(solver->stats.ndependent, 1);
        assert_int_equal(solver->stats.dependent[0], 5);
        for (bl_index i = 0; i < N; i++)
            x[i] = m.values[i] + (i == 5);
        if (policy != BL_REFUSE) {
            assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
            for (bl_index i = 0; i < N; i++)
                assert_true(fabs(x[i] - (i != 5)) <= 4e-16);
        } else {
            assert_non_null(strstr(bl_context_error(ctx)->what, "row 5"));
            assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_E_ARG);
        }
        m.values[9] = NAN;
        assert_int_equal(bl_linsol_factor(solver, m.values), BL_NOT_FINITE);
        bl_linsol_destroy(solver);
    }
    test_context_end(ctx);
}

static void other_matrices__are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_linsol *solver;
    matrix m;
    fill(&m);
    m.idx[3] = 4;
    assert_int_equal(bl_linsol_of_kind(ctx, &bl_linsol_diagonal, NULL, &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &m.pattern, NULL, BL_REFUSE, 1e-9), BL_E_ABILITY);
    bl_linsol_destroy(solver);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto__divides_where_nothing_else_stands),
        cmocka_unit_test(zeros__are_refused_or_dropped),
        cmocka_unit_test(other_matrices__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
