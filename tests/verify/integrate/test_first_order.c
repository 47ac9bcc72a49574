/* Constant-step first-order methods compared with tables: every run of tests/reference/first_order_runs.txt, and the errors printed for the
 * extended families on three problems (ramp start). */
#include "support/ode.h"
#include "support/testing.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct problem {
    const char *name;
    int ny, n;
    double t_end, weight, y0[3];
    void (*rate)(double t, const double *y, double *rate, void *user);
    bl_status (*exact)(void *user, double t, double *y);
} problem;

/* y1' = -y1 - 15 y2 + 15 e^-t, y2' = 15 y1 - y2 - 15 e^-t: e^-t besides modes -1 +- 15 i */
static void rate_1(double t, const double *y, double *rate, void *user) {
    (void)user;
    rate[0] = -y[0] - 15 * y[1] + 15 * exp(-t);
    rate[1] = 15 * y[0] - y[1] - 15 * exp(-t);
}

static bl_status exact_1(void *user, double t, double *y) {
    (void)user;
    y[0] = y[1] = exp(-t);
    return BL_OK;
}

static void rate_2(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = -20 * y[0] - 0.25 * y[1] - 19.75 * y[2];
    rate[1] = 20 * y[0] - 20.25 * y[1] + 0.25 * y[2];
    rate[2] = 20 * y[0] - 19.75 * y[1] - 0.25 * y[2];
}

static bl_status exact_2(void *user, double t, double *y) {
    (void)user;
    double slow = exp(-t / 2), fast = exp(-20 * t), c = cos(20 * t), s = sin(20 * t);
    y[0] = (slow + fast * (c + s)) / 2;
    y[1] = (slow - fast * (c - s)) / 2;
    y[2] = -(slow + fast * (c - s)) / 2;
    return BL_OK;
}

static const double LAMBDA = 1e4; /* positive: only an implicit method that damps at infinity stays on the solution */

static void rate_3(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = LAMBDA * y[0] + y[1] * y[1];
    rate[1] = -y[1];
}

static bl_status exact_3(void *user, double t, double *y) {
    (void)user;
    y[0] = -exp(-2 * t) / (LAMBDA + 2);
    y[1] = exp(-t);
    return BL_OK;
}

static const problem problems[] = {
    {"example1", 2, 100, 20, 1e-10, {1, 1}, rate_1, exact_1},
    {"example2", 3, 50, 10, 1, {1, 0, -1}, rate_2, exact_2},
    {"example3", 2, 60, 5, 1e-10, {-1 / (1e4 + 2), 1}, rate_3, exact_3},
};

/* A run in progress. Newton must converge to 1e-9: weights of some problems are below that. */
typedef struct run {
    test_ode ode;
    bl_integrator *integ;
} run;

static void run_begin(bl_context *ctx, const problem *p, const char *spec, int n, run *r) {
    assert_int_equal(test_ode_create(ctx, p->ny, p->weight, p->rate, NULL, &r->ode), BL_OK);
    bl_step_control control = {.t_end = p->t_end, .step = p->t_end / n, .exact = p->exact};
    if (bl_integrator_create(ctx, spec, &r->ode.form, &control, &r->integ) != BL_OK)
        fail_msg("%s: %s", spec, bl_context_error(ctx)->what);
    assert_int_equal(bl_integrator_start(r->integ, 0, p->y0), BL_OK);
}

static void run_to(run *r, long steps) {
    while (r->integ->stats.steps < steps)
        if (bl_integrator_step(r->integ, NULL) != BL_OK)
            fail_msg("step %ld: %s", r->integ->stats.steps + 1, bl_context_error(r->integ->ctx)->what);
    assert_int_equal(r->integ->stats.rejections, 0);
}

static void run_end(run *r) {
    bl_integrator_destroy(r->integ);
    test_ode_destroy(&r->ode);
}

static void spec_of(const char *method, int k, const char *alpha, const char *start, char *spec, size_t size) {
    static const char *const more = "newton_tolerance=1e-13";
    const char *word = !strcmp(start, "trap") ? "trapezoidal" : start;
    char name[16] = "";
    for (size_t i = 0; method[i] && i + 1 < sizeof name; i++)
        name[i] = (char)tolower((unsigned char)method[i]);
    if (!strcmp(method, "trap"))
        snprintf(spec, size, "trapezoidal:%s", more);
    else if (!strcmp(method, "rk4"))
        snprintf(spec, size, "rk4");
    else if (!strcmp(method, "Park"))
        snprintf(spec, size, "park:start=%s,%s", word, more);
    else if (!strcmp(method, "BDFalpha"))
        snprintf(spec, size, "bdf_alpha:%s,start=%s,%s", alpha, word, more);
    else
        snprintf(spec, size, "%s:%d,start=%s,%s", name, k, word, more);
}

/* Rounding grows during a run: to about 1e-12 if it is damped, relative to the largest component. BDF with k >= 4 and NDF with k >= 3 are
 * unstable in example 1 (their exact starts contain only the growing mode), which amplifies rounding. */
static double allowed(const char *name, const char *method, int k) {
    bool grows = !strcmp(name, "example1") && ((!strcmp(method, "BDF") && k >= 4) || (!strcmp(method, "NDF") && k >= 3));
    return grows ? 2e-7 : 1e-11;
}

static void every_tabulated_run__is_reproduced(void **state) {
    (void)state;
    FILE *file = fopen(TESTS "/reference/first_order_runs.txt", "r");
    assert_non_null(file);
    bl_context *ctx = test_context(NULL);
    char line[256], name[16], method[16], alpha[32], start[16], last[128] = "";
    int k, runs = 0, rows = 0;
    double worst = 0;
    run r = {0};
    while (fgets(line, sizeof line, file)) {
        long step;
        double y[3] = {0};
        int found = sscanf(line, "%15s %15s %d %31s %15s %ld %lf %lf %lf", name, method, &k, alpha, start, &step, &y[0], &y[1], &y[2]);
        assert_true(found >= 8);
        const problem *p = problems;
        while (strcmp(p->name, name) != 0)
            p++;
        char spec[128], key[160];
        spec_of(method, k, alpha, start, spec, sizeof spec);
        snprintf(key, sizeof key, "%s %s", name, spec);
        if (strcmp(key, last) != 0) {
            if (runs++)
                run_end(&r);
            run_begin(ctx, p, spec, p->n, &r);
            snprintf(last, sizeof last, "%.127s", key);
        }
        run_to(&r, step);
        double size = 0, off = 0;
        for (int i = 0; i < p->ny; i++) {
            size = fmax(size, fabs(y[i]));
            off = fmax(off, fabs(r.integ->y[i] - y[i]));
        }
        rows++;
        worst = fmax(worst, off / size / allowed(name, method, k));
        if (!(off <= allowed(name, method, k) * size))
            fail_msg("%s, step %ld: off by %.3g, size %.3g", key, step, off, size);
    }
    run_end(&r);
    fclose(file);
    test_context_end(ctx);
    assert_int_equal(runs, 391);
    assert_int_equal(rows, 3519);
    print_message("391 runs, 3519 rows, worst at %.2g of what is allowed\n", worst);
}

/* ---- printed errors |y - exact| with ramp start, five digits */

typedef struct printed {
    int problem, n;
    const char *method;
    double t;
    double error[3]; /* 0: not printed for this component */
} printed;

static const printed table[] = {
    {0, 100, "endf:3", 5, {1.8866e-7, 2.1497e-7}},
    {0, 100, "endf:3", 10, {7.2092e-10, 7.3227e-10}},
    {0, 100, "endf:3", 20, {3.2552e-14, 3.3536e-14}},
    {0, 100, "mendf:3", 5, {9.8028e-8, 2.5754e-8}},
    {0, 100, "mendf:3", 10, {6.6204e-10, 1.7505e-10}},
    {0, 100, "mendf:3", 20, {3.0057e-14, 7.9474e-15}},
    {0, 100, "ebdf:3", 5, {7.9715e-8, 2.7319e-7}},
    {0, 100, "ebdf:3", 10, {1.4329e-9, 1.5083e-9}},
    {0, 100, "ebdf:3", 20, {6.5299e-14, 6.8330e-14}},
    {0, 100, "mebdf:3", 5, {1.7398e-7, 1.5639e-7}},
    {0, 100, "mebdf:3", 10, {1.1252e-9, 9.2237e-10}},
    {0, 100, "mebdf:3", 20, {5.1083e-14, 4.1887e-14}},
    {0, 100, "ndf:4", 5, {3.7044e-2, 1.6667e-1}},
    {0, 100, "ndf:4", 10, {1.1501e1, 7.0102e-1}},
    {0, 100, "ndf:4", 20, {5.0777e4, 1.3224e4}},
    {0, 600, "ndf:4", 5, {3.6748e-6, 3.1445e-6}},
    {0, 600, "ndf:4", 10, {2.2845e-8, 2.9930e-8}},
    {0, 600, "ndf:4", 20, {5.1991e-13, 2.2219e-12}},
    {0, 100, "bdf:4", 5, {1.9484e-2, 1.7076e-2}},
    {0, 100, "bdf:4", 10, {9.4973e-2, 1.9497e-1}},
    {0, 100, "bdf:4", 20, {5.1037, 14.313}},
    {0, 600, "bdf:4", 5, {5.5994e-6, 8.1309e-6}},
    {0, 600, "bdf:4", 10, {1.5947e-8, 1.1192e-7}},
    {0, 600, "bdf:4", 20, {1.0442e-11, 1.0523e-11}},
    {0, 1600, "bdf:4", 5, {9.2630e-7, 3.0564e-7}},
    {0, 1600, "bdf:4", 10, {6.5579e-9, 3.9696e-10}},
    {0, 1600, "bdf:4", 20, {2.0360e-13, 2.1767e-13}},
    {0, 2600, "bdf:4", 5, {3.5726e-7, 1.2509e-7}},
    {0, 2600, "bdf:4", 10, {2.5451e-9, 1.4963e-10}},
    {0, 2600, "bdf:4", 20, {7.6352e-14, 8.6876e-14}},
    {1, 50, "ebdf:3", 1, {3.7917e-4, 1.4307e-3, 9.0775e-4}},
    {1, 50, "ebdf:3", 5, {3.6443e-5, 3.6443e-5, 3.6443e-5}},
    {1, 50, "ebdf:3", 10, {3.1059e-6, 3.1059e-6, 3.1059e-6}},
    {1, 50, "ebndf:3", 1, {2.5018e-4, 1.2405e-3, 7.5899e-4}},
    {1, 50, "ebndf:3", 5, {3.3574e-5, 3.3574e-5, 3.3574e-5}},
    {1, 50, "ebndf:3", 10, {2.8632e-6, 2.8632e-6, 2.8632e-6}},
    {1, 50, "enbdf:3", 1, {1.1726e-4, 1.1036e-3, 6.2476e-4}}, /* y2 is printed as 1.1036e-5, a misprint of the exponent */
    {1, 50, "enbdf:3", 5, {3.3307e-5, 3.3307e-5, 3.3307e-5}},
    {1, 50, "enbdf:3", 10, {2.8314e-6, 2.8314e-6, 2.8314e-6}},
    {1, 50, "endf:3", 1, {4.6532e-5, 8.5423e-4, 4.2449e-4}},
    {1, 50, "endf:3", 5, {2.9899e-5, 2.9899e-5, 2.9899e-5}},
    {1, 50, "endf:3", 10, {2.5425e-6, 2.5425e-6, 2.5425e-6}},
    {1, 50, "mebdf:3", 1, {7.0144e-5, 6.4172e-4, 2.4834e-4}},
    {1, 50, "mebdf:3", 5, {2.7327e-5, 2.7327e-5, 2.7327e-5}},
    {1, 50, "mebdf:3", 10, {2.3204e-6, 2.3204e-6, 2.3204e-6}},
    {1, 50, "mebndf:3", 1, {1.8023e-5, 4.5880e-4, 1.0859e-4}},
    {1, 50, "mebndf:3", 5, {2.4341e-5, 2.4341e-5, 2.4341e-5}},
    {1, 50, "mebndf:3", 10, {2.0679e-6, 2.0679e-6, 2.0679e-6}},
    {1, 50, "menbdf:3", 1, {1.5822e-3, 3.6462e-4, 3.2916e-5}},
    {1, 50, "menbdf:3", 5, {2.7694e-5, 2.7694e-5, 2.7694e-5}},
    {1, 50, "menbdf:3", 10, {2.3595e-6, 2.3595e-6, 2.3595e-6}},
    {1, 50, "mendf:3", 1, {1.3052e-3, 2.1813e-4, 1.2826e-4}},
    {1, 50, "mendf:3", 5, {2.4149e-5, 2.4149e-5, 2.4149e-5}},
    {1, 50, "mendf:3", 10, {2.0593e-6, 2.0593e-6, 2.0593e-6}},
    {2, 60, "ebdf:4", 3, {2.6602e-10, 2.6713e-5}},
    {2, 60, "ebdf:4", 5, {4.8660e-12, 3.6107e-6}},
    {2, 60, "ebndf:4", 3, {2.4466e-10, 2.4569e-5}},
    {2, 60, "ebndf:4", 5, {4.4751e-12, 3.3206e-6}},
    {2, 60, "enbdf:4", 3, {2.4277e-10, 2.4379e-5}},
    {2, 60, "enbdf:4", 5, {4.4409e-12, 3.2953e-6}},
    {2, 60, "endf:4", 3, {2.1752e-10, 2.1844e-5}},
    {2, 60, "endf:4", 5, {3.9787e-12, 2.9524e-6}},
    {2, 60, "mebdf:4", 3, {1.9890e-10, 1.9975e-5}},
    {2, 60, "mebdf:4", 5, {3.6390e-12, 2.7004e-6}},
    {2, 60, "mebndf:4", 3, {1.7682e-10, 1.7758e-5}},
    {2, 60, "mebndf:4", 5, {3.2348e-12, 2.4006e-6}},
    {2, 60, "menbdf:4", 3, {2.0120e-10, 2.0206e-5}},
    {2, 60, "menbdf:4", 5, {3.6807e-12, 2.7313e-6}},
    {2, 60, "mendf:4", 3, {1.7511e-10, 1.7587e-5}},
    {2, 60, "mendf:4", 5, {3.2032e-12, 2.3770e-6}},
};

/* half a unit of the fifth printed digit, doubled if a value was truncated instead of rounded */
static void printed_errors__are_reproduced_to_their_digits(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    run r = {0};
    const printed *row = NULL;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const printed *e = &table[i];
        const problem *p = &problems[e->problem];
        if (!row || strcmp(row->method, e->method) != 0 || row->n != e->n || row->problem != e->problem) {
            if (row)
                run_end(&r);
            char spec[64];
            snprintf(spec, sizeof spec, "%s,start=ramp,newton_tolerance=1e-13", e->method);
            run_begin(ctx, p, spec, e->n, &r);
        }
        row = e;
        run_to(&r, lround(e->t / p->t_end * e->n));
        assert_float_equal(r.integ->t, e->t, 1e-12);
        double exact[3];
        p->exact(NULL, e->t, exact);
        for (int c = 0; c < p->ny; c++) {
            double error = fabs(r.integ->y[c] - exact[c]), unit = pow(10, floor(log10(e->error[c])) - 4);
            if (!(fabs(error - e->error[c]) <= 0.51 * unit))
                fail_msg("%s, n = %d, t = %g, y%d: %.6g instead of %.5g", e->method, e->n, e->t, c + 1, error, e->error[c]);
        }
    }
    run_end(&r);
    test_context_end(ctx);
}

/* ---- both predictors lead to the same values, and the looser default of Newton is sufficient */

static void guesses__lead_to_the_same_values(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    for (int i = 0; i < 3; i++) {
        run a, b;
        run_begin(ctx, &problems[i], "mendf:4,guess=extrapolated,newton_tolerance=1e-13", problems[i].n, &a);
        run_begin(ctx, &problems[i], "mendf:4,guess=last,newton_tolerance=1e-13", problems[i].n, &b);
        run_to(&a, problems[i].n);
        run_to(&b, problems[i].n);
        for (int c = 0; c < problems[i].ny; c++)
            assert_float_equal(a.integ->y[c], b.integ->y[c], 1e-13);
        run_end(&a);
        run_end(&b);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tabulated_run__is_reproduced),
        cmocka_unit_test(printed_errors__are_reproduced_to_their_digits),
        cmocka_unit_test(guesses__lead_to_the_same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
