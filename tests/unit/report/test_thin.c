/* Thinning: what is left out lies near straight lines between what is kept, and extremes stay. */
#include "reading.h"

#include "report/report_private.h"

enum { N = 20001 };

/* largest distance of any sample from the line between its kept neighbors, as a share of the tolerance, per component */
static double worst(const bl_thinner *h, const double *t, const double (*y)[2], long n, double e0, double e1) {
    double most = 0;
    const double e[2] = {e0, e1};
    assert_int_equal(h->kept[0], 0);
    assert_int_equal(h->kept[h->n - 1], n - 1);
    for (long k = 0; k + 1 < h->n; k++) {
        long a = h->kept[k], b = h->kept[k + 1];
        assert_true(b > a);
        for (long i = a; i <= b; i++)
            for (int c = 0; c < 2; c++) {
                double share = t[b] > t[a] ? (t[i] - t[a]) / (t[b] - t[a]) : i == b;
                most = fmax(most, fabs(y[a][c] + share * (y[b][c] - y[a][c]) - y[i][c]) / e[c]);
            }
    }
    return most;
}

static void thin(bl_thinner *h, const double *t, const double (*y)[2], long n) {
    bl_thinner_start(h, 1);
    for (long i = 0; i < n; i++)
        bl_thinner_take(h, i, t[i], y[i]);
    bl_thinner_end(h);
}

/* A chord of length s of the parabola a t^2/2 is a s^2/8 away from it: the fewest pieces are T/sqrt(8 e/a), and a sample's step shorter
 * each, since lines end at samples. */
static void thinner__needs_as_few_samples_as_a_parabola_has_chords(void **state) {
    static double t[N], y[N][2];
    const double a = 3, e = 1e-4, T = 10, h = T / (N - 1), chord = sqrt(8 * e / a);
    const double tolerance[2] = {e, e};
    bl_thinner thinner;
    for (long i = 0; i < N; i++) {
        t[i] = h * (double)i;
        y[i][0] = a * t[i] * t[i] / 2;
        y[i][1] = -t[i];
    }
    assert_int_equal(bl_thinner_create(*state, 2, tolerance, N, &thinner), BL_OK);
    thin(&thinner, t, y, N);
    assert_false(thinner.full);
    assert_true(worst(&thinner, t, y, N, e, e) <= 1 + 1e-9);
    double least = T / chord, most = T / (chord - h) + 2;
    assert_true((double)(thinner.n - 1) >= least - 1e-6 && (double)(thinner.n - 1) <= most);
    bl_thinner_destroy(&thinner);
}

/* random walks, jumps at equal times, rests; two components of different tolerance */
static void thinner__stays_within_its_tolerance(void **state) {
    static double t[N], y[N][2];
    test_random random = {test_seed(5)};
    const double tolerance[2] = {0.01, 0.3};
    for (int round = 0; round < 5; round++) {
        bl_thinner thinner;
        long n = 1 + test_random_below(&random, N - 1);
        for (long i = 1; i < n; i++) {
            int what = test_random_below(&random, 100);
            t[i] = t[i - 1] + (what == 0 ? 0 : test_random_unit(&random));
            for (int c = 0; c < 2; c++)
                y[i][c] = y[i - 1][c] + (what == 0   ? 5 * test_random_symmetric(&random)
                                         : what < 40 ? 0
                                                     : 0.002 * test_random_symmetric(&random));
        }
        assert_int_equal(bl_thinner_create(*state, 2, tolerance, N, &thinner), BL_OK);
        thin(&thinner, t, y, n);
        if (n > 1)
            assert_true(worst(&thinner, t, y, n, tolerance[0], tolerance[1]) <= 1 + 1e-9);
        assert_true(thinner.n < n / 3 + 2);
        bl_thinner_destroy(&thinner);
    }
}

static void thinner__says_when_more_are_needed(void **state) {
    static double t[N], y[N][2];
    const double tolerance[2] = {1e-3, 1e-3};
    bl_thinner thinner;
    for (long i = 0; i < N; i++) {
        t[i] = (double)i;
        y[i][0] = i % 2;
    }
    assert_int_equal(bl_thinner_create(*state, 2, tolerance, 100, &thinner), BL_OK);
    thin(&thinner, t, y, N);
    assert_true(thinner.full && thinner.n <= 100 && thinner.last_sample < 110);
    bl_thinner_start(&thinner, 2000);
    for (long i = 0; i < N; i++)
        bl_thinner_take(&thinner, i, t[i], y[i]);
    bl_thinner_end(&thinner);
    assert_true(!thinner.full && thinner.n == 2);
    bl_thinner_destroy(&thinner);
}

/* against a search in every bucket; values arrive in pieces */
static void buckets__keep_their_extremes_in_order(void **state) {
    (void)state;
    enum { SAMPLES = 5000, BUCKETS = 70 };
    static double value[SAMPLES];
    static float point[2 * BUCKETS];
    long edge[BUCKETS + 1];
    test_random random = {test_seed(6)};
    for (long i = 0; i < SAMPLES; i++)
        value[i] = test_random_below(&random, 20) == 0 ? NAN : test_random_symmetric(&random);
    for (long i = 1000; i < 1300; i++)
        value[i] = NAN;
    value[2000] = INFINITY;
    value[2001] = 1e300;
    for (int b = 0; b <= BUCKETS; b++)
        edge[b] = b == BUCKETS ? SAMPLES : (long)b * b; /* the first one has one sample */
    bl_grid grid = {.count = 2 * BUCKETS, .nbucket = BUCKETS, .edge = edge};
    bl_bucket state_of = {0};
    for (long at = 0; at < SAMPLES; at += 777)
        bl_grid_take(&grid, &state_of, at, SAMPLES - at < 777 ? SAMPLES - at : 777, value + at, 1, point);
    for (int b = 0; b < BUCKETS; b++) {
        long low = -1, high = -1;
        for (long i = edge[b]; i < edge[b + 1]; i++) {
            if (!(fabs(value[i]) < 1e30))
                continue;
            low = low < 0 || (float)value[i] < (float)value[low] ? i : low;
            high = high < 0 || (float)value[i] > (float)value[high] ? i : high;
        }
        if (low < 0) {
            assert_true(isnan(point[2 * b]) && isnan(point[2 * b + 1]));
            continue;
        }
        assert_true(point[2 * b + (high > low)] == (float)value[high] && point[2 * b + !(high > low)] == (float)value[low]);
    }
}

static void differences__come_back(void **state) {
    (void)state;
    enum { LENGTH = 1000 };
    test_random random = {test_seed(7)};
    int32_t value[LENGTH], coded[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        value[i] = (int32_t)test_random_bits(&random);
    memcpy(coded, value, sizeof value);
    bl_second_differences(coded, LENGTH);
    uint32_t before = 0, before2 = 0;
    for (int i = 0; i < LENGTH; i++) {
        uint32_t u = (uint32_t)coded[i], d = (u >> 1) ^ (0u - (u & 1));
        uint32_t now = i == 0 ? d : i == 1 ? before + d : d + 2 * before - before2;
        assert_int_equal((int32_t)now, value[i]);
        before2 = before;
        before = now;
    }
    int32_t line[5] = {10, 13, 16, 19, 22};
    bl_second_differences(line, 5);
    assert_true(line[0] == 20 && line[1] == 6 && line[2] == 0 && line[3] == 0 && line[4] == 0);
}

static bl_status create_once(bl_context *ctx, void *user) {
    bl_thinner thinner;
    bl_status status = bl_thinner_create(ctx, 2, user, 10, &thinner);
    bl_thinner_destroy(&thinner);
    return status;
}

static void thinner__survives_failing_memory(void **state) {
    (void)state;
    double tolerance[2] = {1, 1};
    assert_int_equal(test_failing_allocations(create_once, tolerance), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(thinner__needs_as_few_samples_as_a_parabola_has_chords, setup, teardown),
        cmocka_unit_test_setup_teardown(thinner__stays_within_its_tolerance, setup, teardown),
        cmocka_unit_test_setup_teardown(thinner__says_when_more_are_needed, setup, teardown),
        cmocka_unit_test(buckets__keep_their_extremes_in_order),
        cmocka_unit_test(differences__come_back),
        cmocka_unit_test(thinner__survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
