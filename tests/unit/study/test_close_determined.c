/* Rows that leave their columns no choice: against least-norm solutions by orthogonal factors of the dense matrix, and a chain whose
 * turning as one body is known. */
#include "coords/coords.h"
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "study/assembly_private.h"
#include "study/study.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BODIES = 30, GIVEN = 4, ROWS = GIVEN * BODIES, COLS = 3 * BODIES + 20, MOST = ROWS * COLS };

typedef struct rows {
    bl_index ptr[COLS + 1], idx[MOST], group[ROWS];
    double value[MOST], dense[MOST], b[ROWS], x[COLS];
    bl_pattern pattern;
} rows;

/* a chain: rows of body k have entries in the columns of all bodies before it and in its own three; columns behind have no rows. Two
 * columns of body `loose` come in one proportion only. The last row misses by `contradiction`. */
static void make(rows *r, bl_index loose, double contradiction) {
    test_random random = {test_seed(9)};
    memset(r, 0, sizeof *r);
    for (bl_index j = 0; j < 3 * BODIES; j++)
        r->x[j] = test_random_symmetric(&random);
    for (bl_index i = 0; i < ROWS; i++) {
        bl_index body = i / GIVEN;
        r->group[i] = body * GIVEN;
        for (bl_index j = 0; j < 3 * body + 3; j++)
            if (j >= 3 * body || test_random_below(&random, 3) == 0)
                r->dense[j * ROWS + i] = (j < 3 * body ? 0.2 : 1) * test_random_symmetric(&random) + (j == 3 * body + i % GIVEN ? 3 : 0);
        if (loose >= 0 && loose <= body)
            r->dense[(3 * loose + 1) * ROWS + i] = 0.5 * r->dense[3 * loose * ROWS + i];
        for (bl_index j = 0; j < 3 * body + 3; j++)
            r->b[i] += r->dense[j * ROWS + i] * r->x[j];
    }
    r->b[ROWS - 1] += contradiction;
    bl_index n = 0;
    for (bl_index j = 0; j < COLS; j++) {
        for (bl_index i = 0; i < ROWS; i++)
            if (r->dense[j * ROWS + i] != 0) {
                r->idx[n] = r->idx[n + 1] = i; /* every entry in two parts */
                r->value[n] = 0.25 * r->dense[j * ROWS + i];
                r->value[n + 1] = r->dense[j * ROWS + i] - r->value[n];
                n += 2;
            }
        r->ptr[j + 1] = n;
    }
    r->pattern = (bl_pattern){.nrow = ROWS, .ncol = COLS, .ptr = r->ptr, .idx = r->idx};
}

static void rows_that_fix_their_columns__give_the_least_norm(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static rows r;
    double x[ROWS], *work;
    bl_index rank;
    bool solved;
    make(&r, -1, 0);
    memcpy(x, r.b, sizeof x);
    assert_int_equal(BL_NEW(ctx, work, bl_least_norm_work(ROWS, COLS)), BL_OK);
    assert_int_equal(bl_assembly_determined(ctx, &r.pattern, r.value, r.group, r.b, &solved), BL_OK);
    assert_true(solved);
    assert_int_equal(bl_least_norm(ctx, ROWS, COLS, r.dense, 1e-10, x, &rank, work), BL_OK);
    assert_int_equal(rank, 3 * BODIES);
    for (bl_index j = 0; j < COLS; j++) {
        assert_true(fabs(x[j] - r.b[j]) < 1e-11);
        assert_true(fabs(r.x[j] - r.b[j]) < 1e-11);
    }
    bl_free(ctx, work);
    test_context_end(ctx);
}

static void left_to_others(bl_index loose, double contradiction) {
    bl_context *ctx = test_context(NULL);
    static rows r, kept;
    bool solved = true;
    make(&r, loose, contradiction);
    kept = r;
    assert_int_equal(bl_assembly_determined(ctx, &r.pattern, r.value, r.group, r.b, &solved), BL_OK);
    assert_false(solved);
    assert_memory_equal(r.b, kept.b, sizeof r.b);
    test_context_end(ctx);
}

static void contradicting_rows__are_left_to_others(void **unused) {
    (void)unused;
    left_to_others(-1, 1e-6);
}

static void rows_that_leave_a_choice__are_left_to_others(void **unused) {
    (void)unused;
    left_to_others(BODIES - 1, 0);
    left_to_others(3, 0);
}

static bl_status once(bl_context *ctx, void *unused) {
    (void)unused;
    static rows r;
    bool solved;
    make(&r, -1, 0);
    return bl_assembly_determined(ctx, &r.pattern, r.value, r.group, r.b, &solved);
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(once, NULL) >= 3);
}

/* Rates of the balls of a straight chain of n rods, length 1, mass 1, whose rods from number `first` on turn at `rate` about z, all others
 * so that the kinetic energy is least: n unknown angular velocities w_i, y' of the middle of rod i is sum over k < i of w_k + w_i / 2. */
static void least_energy(int n, int first, double rate, double *ball) {
    enum { MOST_RODS = 40 };
    double A[MOST_RODS][MOST_RODS + 1] = {{0}}, w[MOST_RODS];
    for (int i = 0; i < n; i++)
        for (int a = 0; a < first; a++)
            for (int b = 0; b < n; b++) {
                double of_a = a < i ? 1 : a == i ? 0.5 : 0, of_b = b < i ? 1 : b == i ? 0.5 : 0;
                double part = of_a * of_b + (a == b && a == i ? 1.0 / 12 : 0);
                if (b < first)
                    A[a][b] += part;
                else
                    A[a][first] -= part * rate;
            }
    for (int p = 0; p < first; p++)
        for (int i = p + 1; i < first; i++) {
            double f = A[i][p] / A[p][p];
            for (int j = p; j <= first; j++)
                A[i][j] -= f * A[p][j];
        }
    for (int p = n - 1; p >= 0; p--) {
        w[p] = p < first ? A[p][first] : rate;
        for (int j = p + 1; p < first && j < first; j++)
            w[p] -= A[p][j] * w[j];
        w[p] /= p < first ? A[p][p] : 1;
    }
    for (int p = 0; p < n; p++)
        ball[p] = w[p] - (p ? w[p - 1] : 0);
}

/* the first ball turns, the others follow as one body: given for all rods; given for those of the far half, the near ones move with the
 * least kinetic energy */
static void chain_of_balls_turning_as_one__moves_so(void **unused) {
    (void)unused;
    for (int half = 0; half < 2; half++) {
        enum { RODS = 40 };
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_system *sys;
        bl_state state = {0};
        char file[256];
        double ball[RODS];
        const bl_override set = {"n", RODS};
        snprintf(file, sizeof file, "%s/w4_chain.yaml", SCENES);
        assert_int_equal(bl_model_read(ctx, file, &set, 1, &model), BL_OK);
        assert_int_equal(bl_coords_build(ctx, model, "relative", &sys), BL_OK);
        assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
        assert_int_equal(bl_coords_initial(sys, &state), BL_OK);
        bl_initial *initial = model->initial;
        if (half) {
            model->initial += RODS / 2;
            model->ninitial -= RODS / 2;
        }
        assert_int_equal(bl_assemble_velocities(sys, model, &state), BL_OK);
        least_energy(RODS, half ? RODS / 2 : 0, 0.1, ball);
        for (bl_index k = 0; k < sys->nv; k++)
            assert_true(fabs(state.v[k] - (k % 3 == 2 ? ball[k / 3] : 0)) < (half ? 1e-13 : 1e-14));
        model->ninitial += half ? RODS / 2 : 0;
        model->initial = initial;
        bl_state_destroy(sys, &state);
        bl_system_destroy(sys);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_fix_their_columns__give_the_least_norm), cmocka_unit_test(contradicting_rows__are_left_to_others),
        cmocka_unit_test(rows_that_leave_a_choice__are_left_to_others),     cmocka_unit_test(failing_allocations__leak_nothing),
        cmocka_unit_test(chain_of_balls_turning_as_one__moves_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
