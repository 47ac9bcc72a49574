/* Vectors of linear steps: the same bits on every instruction set, equal to sums as they are written. */
#include "dense/vectors_isa.h"
#include "support/testing.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 70, NVECTOR = 8 };

static void fill(test_random *random, double v[NVECTOR][MOST]) {
    for (int k = 0; k < NVECTOR; k++)
        for (int i = 0; i < MOST; i++)
            v[k][i] = test_random_symmetric(random);
}

static void kernels__give_what_is_written_on_every_instruction_set(void **unused) {
    (void)unused;
    test_random random = {test_seed(801)};
    bl_context *ctx = test_context(NULL);
    for (bl_index n = 0; n <= MOST; n++) {
        double v[NVECTOR][MOST], y[3][MOST], first = 0, h = 0.3, w = -0.7;
        fill(&random, v);
        for (int isa = 0; isa < BL_ISA_COUNT; isa++) {
            if (!bl_context_use_isa(ctx, (bl_isa)isa))
                continue;
            const bl_vector_kernels *k = BL_ISA_PICK(ctx, bl_vector_kernels);
            double dot = k->dot(n, v[0], v[1]), expected = 0, size = 0;
            for (bl_index i = 0; i < n; i++) {
                expected += v[0][i] * v[1][i];
                size += fabs(v[0][i] * v[1][i]);
            }
            assert_true(fabs(dot - expected) <= 2 * MOST * DBL_EPSILON * size);
            assert_true(isa == 0 || dot == first);
            first = dot;
            k->scale(n, h, v[0], y[0]);
            k->add(n, v[0], h, v[1], y[1]);
            for (bl_index i = 0; i < n; i++)
                assert_true(y[0][i] == h * v[0][i] && y[1][i] == v[0][i] + h * v[1][i]);
            const double *values[] = {v[1], v[2], v[3]}, *x[] = {v[4], v[5], v[6]};
            k->subtract_three(n, v[0], values, x, y[0]);
            k->interpolate(n, w, h, v[0], v[1], v[2], y[1]);
            for (bl_index i = 0; i < n; i++) {
                assert_true(y[0][i] == v[0][i] - v[1][i] * v[4][i] - v[2][i] * v[5][i] - v[3][i] * v[6][i]);
                assert_true(y[1][i] == v[0][i] + w * (v[1][i] - v[0][i]) + h * v[2][i]);
            }
            k->predict(n, h, w, 0.1, v[0], v[1], v[2], y[0], y[1]);
            for (bl_index i = 0; i < n; i++)
                assert_true(y[0][i] == v[0][i] + (h * v[1][i] + w * v[2][i]) && y[1][i] == v[1][i] + 0.1 * v[2][i]);
            memcpy(y[0], v[0], sizeof y[0]);
            memcpy(y[1], v[1], sizeof y[1]);
            k->update(n, h, w, v[2], y[0], y[1], y[2]);
            for (bl_index i = 0; i < n; i++)
                assert_true(y[0][i] == v[0][i] + v[2][i] && y[1][i] == v[1][i] + h * v[2][i] && y[2][i] == w * v[2][i]);
        }
    }
    test_context_end(ctx);
}

static void finite__finds_every_number_that_is_none(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int isa = 0; isa < BL_ISA_COUNT; isa++) {
        double x[MOST];
        if (!bl_context_use_isa(ctx, (bl_isa)isa))
            continue;
        const bl_vector_kernels *k = BL_ISA_PICK(ctx, bl_vector_kernels);
        for (int i = 0; i < MOST; i++)
            x[i] = i % 2 ? DBL_MAX : -DBL_MAX; /* sums would overflow */
        assert_true(k->finite(MOST, x) && k->finite(0, x));
        for (int i = 0; i < MOST; i++) {
            double keep = x[i];
            x[i] = bad[i % 3];
            assert_false(k->finite(MOST, x));
            assert_true(k->finite(i, x));
            x[i] = keep;
        }
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels__give_what_is_written_on_every_instruction_set),
        cmocka_unit_test(finite__finds_every_number_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
