/* The smallest eigenvalue by inverse iteration, on matrices whose eigenvalues are known: S = V diag(w) V^T with V a product of
 * reflections. */
#include "kkt/rank_margin.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

enum { MOST = 12 };

typedef struct known {
    bl_index n;
    int calls;
    double w[MOST], v[MOST]; /* eigenvalues; S = H diag(w) H, H = 1 - 2 v v^T */
} known;

static void reflect(const known *s, double *x) {
    double along = 0;
    for (bl_index i = 0; i < s->n; i++)
        along += s->v[i] * x[i];
    for (bl_index i = 0; i < s->n; i++)
        x[i] -= 2 * along * s->v[i];
}

static bl_status inverse_product(void *user, double *x) {
    known *s = user;
    s->calls++;
    reflect(s, x);
    for (bl_index i = 0; i < s->n; i++)
        x[i] /= s->w[i];
    reflect(s, x);
    return BL_OK;
}

static void make(known *s, bl_index n, double smallest, test_random *random) {
    double norm = 0;
    *s = (known){.n = n};
    for (bl_index i = 0; i < n; i++) {
        s->w[i] = i == n / 2 ? smallest : 1 + test_random_unit(random);
        s->v[i] = test_random_symmetric(random);
        norm += s->v[i] * s->v[i];
    }
    for (bl_index i = 0; i < n; i++)
        s->v[i] /= sqrt(norm);
}

/* three rounds: the error of the estimate falls with (smallest / next)^5 and more; here the gap is at least 3 */
static void smallest_eigenvalue__is_found_to_a_few_percent_from_above(void **state) {
    (void)state;
    test_random random = {test_seed(20)};
    for (bl_index n = 2; n <= MOST; n++)
        for (double smallest = 0.3; smallest > 1e-9; smallest /= 10) {
            known s;
            double x[MOST], found, direction[MOST] = {0}, cosine = 0;
            make(&s, n, smallest, &random);
            for (bl_index i = 0; i < n; i++)
                x[i] = 0.5 + test_random_unit(&random);
            assert_int_equal(bl_smallest_eigenvalue(inverse_product, &s, n, INFINITY, x, &found), BL_OK);
            direction[n / 2] = 1;
            reflect(&s, direction);
            for (bl_index i = 0; i < n; i++)
                cosine += direction[i] * x[i];
            if (!(found >= smallest * (1 - 1e-12)))
                fail_msg("n = %d: %.17g is below the smallest eigenvalue %.17g", (int)n, found, smallest);
            if (fabs(cosine) > 0.99 && !(found < 1.1 * smallest))
                fail_msg("n = %d: %.17g, exact %.17g", (int)n, found, smallest);
            if (smallest < 1e-2)
                assert_true(fabs(cosine) > 0.9 && found < 1.1 * smallest);
        }
}

static void smallest_eigenvalue__far_above_the_alarm_takes_one_round(void **state) {
    (void)state;
    test_random random = {test_seed(21)};
    known s;
    double x[MOST], found;
    make(&s, MOST, 0.5, &random);
    for (bl_index i = 0; i < MOST; i++)
        x[i] = 1;
    assert_int_equal(bl_smallest_eigenvalue(inverse_product, &s, MOST, 1e-3, x, &found), BL_OK);
    assert_int_equal(s.calls, 1);
}

static void smallest_eigenvalue__of_a_singular_matrix_is_zero(void **state) {
    (void)state;
    test_random random = {test_seed(22)};
    known s;
    double x[MOST], found;
    make(&s, MOST, 0, &random);
    for (bl_index i = 0; i < MOST; i++)
        x[i] = 1;
    assert_int_equal(bl_smallest_eigenvalue(inverse_product, &s, MOST, INFINITY, x, &found), BL_OK);
    assert_true(found == 0);
    for (bl_index i = 0; i < MOST; i++)
        assert_true(x[i] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_eigenvalue__is_found_to_a_few_percent_from_above),
        cmocka_unit_test(smallest_eigenvalue__far_above_the_alarm_takes_one_round),
        cmocka_unit_test(smallest_eigenvalue__of_a_singular_matrix_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
