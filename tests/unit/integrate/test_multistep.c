/* The multistep engine: orders, steps of other lengths, refusals, dense output, restarts, memory. */
#include "integrate/method_coefficients.h"
#include "support/ode.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Kaps' problem: y1' = -(s + 2) y1 + s y2^2, y2' = y1 - y2 - y2^2, solved by (e^-2t, e^-t) however stiff (s) it is */
static void kaps(double t, const double *y, double *rate, void *user) {
    double s = *(const double *)user;
    (void)t;
    rate[0] = -(s + 2) * y[0] + s * y[1] * y[1];
    rate[1] = y[0] - y[1] - y[1] * y[1];
}

static bl_status kaps_exact(void *user, double t, double *y) {
    (void)user;
    y[0] = exp(-2 * t);
    y[1] = exp(-t);
    return BL_OK;
}

/* every method and member, with its order; k = 0: no family */
static const struct {
    const char *name;
    int k, order;
} members[] = {{"trapezoidal", 0, 2}, {"bdf", 1, 1},    {"bdf", 2, 2},    {"bdf", 3, 3},    {"bdf", 4, 4},      {"bdf", 5, 5},
               {"bdf", 6, 6},         {"ndf", 1, 1},    {"ndf", 2, 2},    {"ndf", 3, 3},    {"ndf", 4, 4},      {"ebdf", 1, 2},
               {"ebdf", 2, 3},        {"ebdf", 3, 4},   {"ebdf", 4, 5},   {"ebdf", 5, 6},   {"ebdf", 6, 7},     {"ebdf", 7, 8},
               {"ebdf", 8, 9},        {"mebdf", 1, 2},  {"mebdf", 2, 3},  {"mebdf", 3, 4},  {"mebdf", 4, 5},    {"mebdf", 5, 6},
               {"mebdf", 6, 7},       {"mebdf", 7, 8},  {"mebdf", 8, 9},  {"ebndf", 1, 2},  {"ebndf", 2, 3},    {"ebndf", 3, 4},
               {"ebndf", 4, 5},       {"enbdf", 1, 2},  {"enbdf", 2, 3},  {"enbdf", 3, 4},  {"enbdf", 4, 5},    {"endf", 1, 2},
               {"endf", 2, 3},        {"endf", 3, 4},   {"endf", 4, 5},   {"mebndf", 1, 2}, {"mebndf", 2, 3},   {"mebndf", 3, 4},
               {"mebndf", 4, 5},      {"menbdf", 1, 2}, {"menbdf", 2, 3}, {"menbdf", 3, 4}, {"menbdf", 4, 5},   {"mendf", 1, 2},
               {"mendf", 2, 3},       {"mendf", 3, 4},  {"mendf", 4, 5},  {"park", 0, 2},   {"bdf_alpha", 0, 2}};
enum { MEMBERS = sizeof members / sizeof members[0] };

static void name_member(int m, const char *more, char *spec, size_t size) {
    bool first = members[m].k == 0 && !strcmp(members[m].name, "trapezoidal");
    if (first)
        more = "newton_tolerance=1e-13";
    if (members[m].k)
        snprintf(spec, size, "%s:%d,%s", members[m].name, members[m].k, more);
    else
        snprintf(spec, size, "%s:%s", members[m].name, more);
}

/* ---- an independent stepper in long double, over the coefficients alone */

typedef struct pair {
    long double x[2];
} pair;

static pair pair_rate(pair y) { return (pair){{-3 * y.x[0] + y.x[1] * y.x[1], y.x[0] - y.x[1] - y.x[1] * y.x[1]}}; }

/* y = psi + c f(y) by Newton's method */
static pair pair_solve(long double c, pair psi, pair y) {
    for (int it = 0; it < 20; it++) {
        pair f = pair_rate(y);
        long double r0 = psi.x[0] + c * f.x[0] - y.x[0], r1 = psi.x[1] + c * f.x[1] - y.x[1];
        long double a = 1 + 3 * c, b = -2 * c * y.x[1], d = -c, e = 1 + c * (1 + 2 * y.x[1]), det = a * e - b * d;
        long double s0 = (e * r0 - b * r1) / det, s1 = (a * r1 - d * r0) / det;
        y.x[0] += s0;
        y.x[1] += s1;
        if (fabsl(s0) + fabsl(s1) < 1e-19L)
            break;
    }
    return y;
}

/* -(p_0 y_0 + ... + p_{n-1} y_{n-1}) / lead, oldest first, as y_{n-1} and differences from it, which are small: less rounding. The
 * weights add up to 1 less `rest`, the weight of a value that comes apart. */
static pair pair_psi(int n, const long double *p, const pair *y, long double lead, long double rest) {
    pair sum = y[n - 1];
    for (int c = 0; c < 2; c++) {
        sum.x[c] *= 1 - rest;
        for (int i = 0; i < n - 1; i++)
            sum.x[c] -= p[i] / lead * (y[i].x[c] - y[n - 1].x[c]);
    }
    return sum;
}

static void pair_add(pair *sum, long double factor, pair term) {
    for (int c = 0; c < 2; c++)
        sum->x[c] += factor * term.x[c];
}

/* largest error at t = 1 with n steps and exact starting values */
static long double long_error(const bl_formula *formula, int n) {
    enum { MOST = 2000 };
    static pair y[MOST];
    int k = formula->k, before = formula->shape == BL_FORMULA_EXTENDED; /* one value more than the corrector takes */
    long double h = 1.0L / n;
    assert_true(n < MOST);
    for (int i = 0; i < k + before; i++)
        y[i] = (pair){{expl(-2 * h * i), expl(-h * i)}};
    for (int i = k + before; i <= n; i++) {
        pair *past = y + i - k, psi = pair_psi(k, formula->a, past, formula->a[k], 0); /* y_n */
        if (formula->shape == BL_FORMULA_EXTENDED) {
            const long double *p1 = formula->p1, *p2 = formula->p2;
            pair first = pair_solve(h / p1[k + 1], pair_psi(k + 1, p1, past - 1, p1[k + 1], 0), past[k - 1]);
            pair psi2 = pair_psi(k, p2, past, p2[k + 1], -p2[k] / p2[k + 1]);
            pair_add(&psi2, -p2[k] / p2[k + 1], first);
            pair ahead = pair_solve(h / p2[k + 1], psi2, first);
            pair_add(&psi, h * formula->g_ahead, pair_rate(ahead));
            pair_add(&psi, h * formula->g_first, pair_rate(first));
            y[i] = pair_solve(h * formula->g, psi, first);
        } else {
            for (int j = 0; j < k; j++)
                pair_add(&psi, h * formula->b[j] / formula->a[k], pair_rate(past[j]));
            y[i] = pair_solve(h * formula->b[k] / formula->a[k], psi, past[k - 1]);
        }
    }
    return fmaxl(fabsl(y[n].x[0] - expl(-2)), fabsl(y[n].x[1] - expl(-1)));
}

/* The finest pair of step sizes whose errors stand clear of rounding, which is some 1e-18 here. The next term of the error expansion bends
 * the measured order by O(h), and h is at most 1/40. */
static void orders__are_within_a_tenth_in_long_double(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    for (int m = 0; m < MEMBERS; m++) {
        bl_value value[BL_MAX_PARAMS] = {{.number = members[m].k}};
        if (!strcmp(members[m].name, "bdf_alpha"))
            value[0].number = -0.35;
        bl_formula formula;
        const bl_integrator_kind *kind = bl_integrator_kind_of(members[m].name);
        assert_int_equal(kind->formula(kind, ctx, value, &formula), BL_OK);
        assert_int_equal(formula.order, members[m].order);
        long double measured = 0;
        for (int n = 40; n <= 640; n *= 2) {
            int more = n * 7 / 5;
            long double coarse = long_error(&formula, n), fine = long_error(&formula, more);
            if (n > 40 && fine < 1e-16L)
                break;
            measured = logl(coarse / fine) / logl((long double)more / n);
        }
        print_message("%s:%d order %d, measured %.3Lf\n", members[m].name, members[m].k, formula.order, measured);
        if (!(fabsl(measured - formula.order) < 0.1L))
            fail_msg("%s:%d has order %.3Lf", members[m].name, members[m].k, measured);
    }
    test_context_end(ctx);
}

/* ---- the engine */

typedef struct run {
    test_ode ode;
    bl_integrator *integ;
    double stiff;
} run;

static void begin(bl_context *ctx, run *r, const char *spec, double stiff, double t_end, double h) {
    double y0[2] = {1, 1};
    memset(r, 0, sizeof *r);
    r->stiff = stiff;
    assert_int_equal(test_ode_create(ctx, 2, 1, kaps, &r->stiff, &r->ode), BL_OK);
    bl_step_control control = {.t_end = t_end, .step = h, .exact = kaps_exact};
    if (bl_integrator_create(ctx, spec, &r->ode.form, &control, &r->integ) != BL_OK)
        fail_msg("%s: %s", spec, bl_context_error(ctx)->what);
    assert_int_equal(bl_integrator_start(r->integ, 0, y0), BL_OK);
}

static void finish(run *r) {
    bl_integrator_destroy(r->integ);
    test_ode_destroy(&r->ode);
}

static double error_now(const bl_integrator *integ) {
    double exact[2];
    kaps_exact(NULL, integ->t, exact);
    return fmax(fabs(integ->y[0] - exact[0]), fabs(integ->y[1] - exact[1]));
}

static void step_to_end(run *r) {
    while (r->integ->t < r->integ->control.t_end)
        if (bl_integrator_step(r->integ, NULL) != BL_OK)
            fail_msg("t = %g: %s", r->integ->t, bl_context_error(r->integ->ctx)->what);
    assert_true(r->integ->t == r->integ->control.t_end);
}

static double error_at_end(const char *spec, double stiff, double t_end, double h) {
    bl_context *ctx = test_context(NULL);
    run r;
    begin(ctx, &r, spec, stiff, t_end, h);
    step_to_end(&r);
    double error = error_now(r.integ);
    finish(&r);
    test_context_end(ctx);
    return error;
}

/* the same orders in double, where 1e-13 of rounding allows: order 7 and more does not show any more */
static void orders__are_within_a_tenth_through_the_engine(void **state) {
    (void)state;
    for (int m = 0; m < MEMBERS; m++) {
        char spec[96];
        name_member(m, "start=exact,newton_tolerance=1e-13", spec, sizeof spec);
        double measured = 0, coarse = error_at_end(spec, 1, 1, 1.0 / 20);
        for (int n = 40; n <= 640; n *= 2) {
            double fine = error_at_end(spec, 1, 1, 1.0 / n);
            if (fine < 1e-12)
                break;
            measured = log2(coarse / fine);
            coarse = fine;
        }
        if (measured != 0 && !(fabs(measured - members[m].order) < (members[m].order < 6 ? 0.1 : 0.35)))
            fail_msg("%s has order %.3f", spec, measured);
        assert_true(measured != 0 || members[m].order > 6);
    }
}

/* the same without a known solution, by extrapolated starting values; inside steps too, up to the cubic's order 4 in the first ones */
static void richardson_start__keeps_every_order(void **state) {
    (void)state;
    for (int m = 0; m < MEMBERS; m++) {
        char spec[96];
        if (!members[m].k)
            continue;
        name_member(m, "start=richardson,newton_tolerance=1e-13", spec, sizeof spec);
        double measured = 0, coarse = error_at_end(spec, 1, 1, 1.0 / 20);
        for (int n = 40; n <= 640; n *= 2) {
            double fine = error_at_end(spec, 1, 1, 1.0 / n);
            if (fine < 1e-12)
                break;
            measured = log2(coarse / fine);
            coarse = fine;
        }
        if (measured != 0 && !(measured > members[m].order - (members[m].order < 6 ? 0.15 : 0.5)))
            fail_msg("%s has order %.3f", spec, measured);
        assert_true(measured != 0 || members[m].order > 6);
    }
    /* the trapezoidal start limits it to 3 */
    double limited = log2(error_at_end("mendf:4", 1, 1, 1.0 / 40) / error_at_end("mendf:4", 1, 1, 1.0 / 80));
    assert_float_equal(limited, 3, 0.3);
}

/* The span is 20.37 steps: the last one takes a history at another spacing. An error of lower order there would show. */
static void last_step__is_cut_without_loss_of_order(void **state) {
    (void)state;
    for (int m = 0; m < MEMBERS; m++) {
        if (members[m].order > 5)
            continue;
        char spec[96];
        name_member(m, "start=exact,newton_tolerance=1e-13", spec, sizeof spec);
        double coarse = error_at_end(spec, 1, 1, 1 / 40.37), fine = error_at_end(spec, 1, 1, 1 / 80.37);
        double uncut = error_at_end(spec, 1, 1, 1 / 80.0);
        double measured = log(coarse / fine) / log(80.37 / 40.37);
        if (!(measured > members[m].order - 0.35) || !(fine < 2 * uncut))
            fail_msg("%s: order %.3f, error %.3g instead of %.3g", spec, measured, fine, uncut);
    }
}

/* ---- steps that fail */

typedef struct trouble {
    double t, longest; /* steps that end behind t are refused when longer than this */
    double now;        /* start of the step */
    long refused;
} trouble;

static trouble difficulty;

static bl_status refuse(double t, const double *y, void *user) {
    (void)y;
    (void)user;
    if (t > difficulty.t && t < difficulty.t + 0.2 && t - difficulty.now > difficulty.longest) {
        difficulty.refused++;
        return BL_NO_CONVERGENCE;
    }
    return BL_OK;
}

/* Between t = 0.4 and 0.6 only an eighth of the step is possible: steps are halved, come back, and the error stays what it is. */
static void failed_steps__are_halved_and_come_back_without_loss_of_order(void **state) {
    (void)state;
    for (int m = 0; m < MEMBERS; m++) {
        if (members[m].order > 5)
            continue;
        char spec[96];
        double error[2], clean[2];
        name_member(m, "start=exact,newton_tolerance=1e-13", spec, sizeof spec);
        for (int i = 0; i < 2; i++) {
            bl_context *ctx = test_context(NULL);
            run r;
            double h = 1.0 / (40 << i);
            begin(ctx, &r, spec, 1, 1, h);
            r.ode.refuse = refuse;
            difficulty = (trouble){.t = 0.4, .longest = (members[m].k ? 2.1 : 1.05) * h / 8};
            double smallest = h, t_back = 0;
            while (r.integ->t < 1) {
                difficulty.now = r.integ->t;
                assert_int_equal(bl_integrator_step(r.integ, NULL), BL_OK);
                double taken = r.integ->t - r.integ->t_old;
                smallest = fmin(smallest, taken);
                if (taken < 0.99 * h)
                    t_back = r.integ->t;
            }
            assert_true(difficulty.refused > 0 && r.integ->stats.rejections > 0);
            assert_true(smallest < 0.3 * h);
            assert_true(t_back < 1 - 2 * h || t_back == 1); /* the step came back; the end may be cut */
            error[i] = error_now(r.integ);
            finish(&r);
            test_context_end(ctx);
            clean[i] = error_at_end(spec, 1, 1, h);
        }
        if (!(error[1] < 3 * clean[1] + 1e-12) || !(log2(error[0] / error[1]) > members[m].order - 0.7))
            fail_msg("%s: error %.3g, without trouble %.3g; order %.2f", spec, error[1], clean[1], log2(error[0] / error[1]));
    }
}

static bl_status refuse_all(double t, const double *y, void *user) {
    (void)y;
    (void)user;
    return t > 0.45 ? BL_NO_CONVERGENCE : BL_OK;
}

static void hopeless_steps__end_with_a_reason(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    run r;
    begin(ctx, &r, "mebdf:3", 1, 1, 0.1);
    r.ode.refuse = refuse_all;
    bl_status status = BL_OK;
    while (status == BL_OK && r.integ->t < 1)
        status = bl_integrator_step(r.integ, NULL);
    assert_int_equal(status, BL_E_NUMERIC);
    assert_true(r.integ->t > 0.2 && r.integ->t < 0.45);
    assert_true(strlen(bl_context_error(ctx)->what) > 10);
    finish(&r);
    test_context_end(ctx);
}

/* ---- stability */

/* s = 1e6: y1 follows y2^2 at once. Errors stay those of the smooth solution with h s = 1e5 where a method damps at infinity. */
static void a_stable_members__are_accurate_on_a_stiff_problem(void **state) {
    (void)state;
    static const char *const specs[] = {"bdf:1",          "bdf:2",   "ndf:1",   "ndf:2",   "ebdf:2",
                                        "ebndf:2",        "enbdf:2", "endf:2",  "mebdf:2", "mebndf:2",
                                        "menbdf:2",       "mendf:2", "mebdf:3", "mendf:3", "park:start=trapezoidal",
                                        "bdf_alpha:-0.35"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        char spec[64];
        bool family = strchr(specs[i], '=') == NULL && strncmp(specs[i], "bdf_alpha", 9) != 0;
        snprintf(spec, sizeof spec, "%s%s", specs[i], family ? ",start=ramp" : "");
        double stiff = error_at_end(spec, 1e6, 2, 0.1), mild = error_at_end(spec, 1, 2, 0.1);
        if (!(stiff < 10 * mild))
            fail_msg("%s: %.3g on the stiff problem, %.3g on the mild one", spec, stiff, mild);
    }
}

static void oscillator(double t, const double *y, double *rate, void *user) {
    double w = *(const double *)user;
    (void)t;
    rate[0] = w * y[1];
    rate[1] = -w * y[0];
}

static bl_status oscillator_exact(void *user, double t, double *y) {
    double w = *(const double *)user;
    y[0] = cos(w * t);
    y[1] = -sin(w * t);
    return BL_OK;
}

/* largest |y| over steps n/2 .. n, and the growth per step in the second half */
static double growth(const char *spec, double Omega, int n, double *largest) {
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    bl_integrator *integ;
    double y0[2] = {1, 0}, w = Omega, middle = 0;
    assert_int_equal(test_ode_create(ctx, 2, 1, oscillator, &w, &ode), BL_OK);
    bl_step_control control = {.t_end = n, .step = 1, .exact = oscillator_exact, .exact_user = &w};
    assert_int_equal(bl_integrator_create(ctx, spec, &ode.form, &control, &integ), BL_OK);
    assert_int_equal(bl_integrator_start(integ, 0, y0), BL_OK);
    *largest = 0;
    for (int i = 1; i <= n; i++) {
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        double radius = hypot(integ->y[0], integ->y[1]);
        *largest = fmax(*largest, radius);
        if (i == n / 2)
            middle = radius;
    }
    double rate = pow(hypot(integ->y[0], integ->y[1]) / middle, 1.0 / (n - n / 2));
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
    return rate;
}

/* all eight families are A-stable to k = 3: oscillations never grow, at any Omega = h w */
static void extended__families_to_k_3_never_grow_on_the_imaginary_axis(void **state) {
    (void)state;
    static const char *const names[] = {"ebdf", "ebndf", "enbdf", "endf", "mebdf", "mebndf", "menbdf", "mendf"};
    static const double Omega[] = {0.05, 0.3, 1, 2, 5, 30, 1000};
    for (int f = 0; f < 8; f++)
        for (int k = 1; k <= 3; k++)
            for (int i = 0; i < 7; i++) {
                char spec[64];
                double largest;
                snprintf(spec, sizeof spec, "%s:%d,start=exact", names[f], k);
                double rate = growth(spec, Omega[i], 200, &largest);
                if (rate > 1 + 1e-9 || !(largest < 2)) /* rate is no number when nothing is left */
                    fail_msg("%s at Omega = %g: grows by %.12g per step, to %.3g", spec, Omega[i], rate, largest);
            }
}

/* spectral radii on the imaginary axis at Omega = 2 pi 0.2, five digits */
static void bdf__of_high_order_grows_as_its_spectral_radius(void **state) {
    (void)state;
    const double radius[] = {1.0443, 1.1536, 1.2432};
    for (int k = 3; k <= 5; k++) {
        char spec[32];
        double largest;
        snprintf(spec, sizeof spec, "bdf:%d,start=exact", k);
        assert_float_equal(growth(spec, 2 * acos(-1) * 0.2, 600, &largest), radius[k - 3], 6e-5);
    }
}

/* ---- identities between methods */

static void assert_same_run(const char *a, const char *b, double allowed) {
    bl_context *ctx = test_context(NULL);
    run x, y;
    begin(ctx, &x, a, 3, 1, 0.05);
    begin(ctx, &y, b, 3, 1, 0.05);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(bl_integrator_step(x.integ, NULL), BL_OK);
        assert_int_equal(bl_integrator_step(y.integ, NULL), BL_OK);
        for (int c = 0; c < 2; c++)
            if (!(fabs(x.integ->y[c] - y.integ->y[c]) <= allowed))
                fail_msg("%s and %s differ by %.3g at step %d", a, b, fabs(x.integ->y[c] - y.integ->y[c]), i + 1);
    }
    finish(&x);
    finish(&y);
    test_context_end(ctx);
}

static void methods__that_are_the_same_give_the_same(void **state) {
    (void)state;
    const double rounding = 2e-12; /* 20 steps, each with Newton to 1e-13 */
    assert_same_run("bdf_alpha:0,newton_tolerance=1e-13", "bdf:2,newton_tolerance=1e-13", rounding);
    assert_same_run("bdf_alpha:-0.5,newton_tolerance=1e-13", "trapezoidal:newton_tolerance=1e-13", rounding);
    assert_same_run("multistep:a=1/2;-2;3/2,b=0;0;1,newton_tolerance=1e-13", "bdf:2,newton_tolerance=1e-13", rounding);
    assert_same_run("multistep:a=-1/10;3/5;-3/2;1,b=0;0;0;0.6,newton_tolerance=1e-13", "park:newton_tolerance=1e-13", rounding);
    assert_same_run("multistep:-1;1,1/2;1/2,newton_tolerance=1e-13", "trapezoidal:newton_tolerance=1e-13", rounding);
    assert_same_run("ndf:3,start=ramp,guess=last,newton_tolerance=1e-13", "ndf:3,start=ramp,newton_tolerance=1e-13", rounding);
    assert_same_run("mendf:3,newton=full,newton_tolerance=1e-13", "mendf:3,newton_tolerance=1e-13", rounding);
    assert_same_run("mendf:3,newton=line_search,newton_tolerance=1e-13", "mendf:3,newton_tolerance=1e-13", rounding);
}

/* Adams-Bashforth of two steps is explicit, Adams-Moulton of two steps takes two old rates: orders 2 and 3 */
static void user_formulas__have_their_orders(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        double order;
    } cases[] = {{"multistep:a=0;-1;1,b=-1/2;3/2;0,start=exact", 2},
                 {"multistep:a=0;-1;1,b=-1/12;8/12;5/12,start=exact,newton_tolerance=1e-13", 3},
                 {"multistep:a=0;0;-1;1,b=1/24;-5/24;19/24;9/24,start=exact,newton_tolerance=1e-13", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double measured = log2(error_at_end(cases[i].spec, 1, 1, 1.0 / 160) / error_at_end(cases[i].spec, 1, 1, 1.0 / 320));
        assert_float_equal(measured, cases[i].order, 0.1);
        double cut =
            log(error_at_end(cases[i].spec, 1, 1, 1 / 80.37) / error_at_end(cases[i].spec, 1, 1, 1 / 160.37)) / log(160.37 / 80.37);
        assert_true(cut > cases[i].order - 0.3);
    }
}

/* ---- dense output, restarts, y written by others */

static void dense_output__is_of_the_methods_order_and_meets_both_ends(void **state) {
    (void)state;
    for (int m = 0; m < MEMBERS; m++) {
        if (members[m].order > 5)
            continue;
        char spec[96];
        double inside[2] = {0, 0};
        name_member(m, "start=exact,newton_tolerance=1e-13", spec, sizeof spec);
        for (int i = 0; i < 2; i++) {
            bl_context *ctx = test_context(NULL);
            run r;
            begin(ctx, &r, spec, 1, 1, 1.0 / (20 << i));
            while (r.integ->t < 1) {
                double before[2] = {r.integ->y[0], r.integ->y[1]}, y[2], exact[2];
                assert_int_equal(bl_integrator_step(r.integ, NULL), BL_OK);
                for (int j = 0; j <= 8; j++) {
                    double t = r.integ->t_old + j / 8.0 * (r.integ->t - r.integ->t_old);
                    assert_int_equal(r.integ->kind->dense(r.integ, t, y), BL_OK);
                    kaps_exact(NULL, t, exact);
                    for (int c = 0; c < 2; c++) {
                        inside[i] = fmax(inside[i], fabs(y[c] - exact[c]));
                        if (j == 0)
                            assert_float_equal(y[c], before[c], 1e-14);
                        if (j == 8)
                            assert_float_equal(y[c], r.integ->y[c], 1e-14);
                    }
                }
            }
            finish(&r);
            test_context_end(ctx);
        }
        double measured = log2(inside[0] / inside[1]);
        if (!(measured > members[m].order - 0.35))
            fail_msg("%s: order %.2f inside steps", spec, measured);
    }
}

/* A start in the middle forgets everything: the same as a run that begins there. */
static void restart__equals_a_run_that_begins_there(void **state) {
    (void)state;
    static const char *const specs[] = {"bdf:3", "mendf:3", "ndf:2,start=ramp", "bdf_alpha:-0.3"};
    for (int i = 0; i < 4; i++) {
        bl_context *ctx = test_context(NULL);
        run a, b;
        begin(ctx, &a, specs[i], 2, 2, 0.125);
        begin(ctx, &b, specs[i], 2, 2, 0.125);
        for (int s = 0; s < 6; s++)
            assert_int_equal(bl_integrator_step(a.integ, NULL), BL_OK);
        double y[2] = {a.integ->y[0], a.integ->y[1]}, t = a.integ->t;
        assert_int_equal(bl_integrator_start(a.integ, t, y), BL_OK);
        assert_int_equal(bl_integrator_start(b.integ, t, y), BL_OK);
        for (int s = 0; s < 6; s++) {
            assert_int_equal(bl_integrator_step(a.integ, NULL), BL_OK);
            assert_int_equal(bl_integrator_step(b.integ, NULL), BL_OK);
            for (int c = 0; c < 2; c++)
                assert_float_equal(a.integ->y[c], b.integ->y[c], 1e-11); /* tangents may be older */
        }
        finish(&a);
        finish(&b);
        test_context_end(ctx);
    }
}

/* the run loop writes y anew after each step: rounding is ignored to the last bit, a real change is taken over */
static void y__written_between_steps_is_taken_over_when_it_differs(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    run a, b, c;
    begin(ctx, &a, "mebdf:3", 2, 2, 0.1);
    begin(ctx, &b, "mebdf:3", 2, 2, 0.1);
    begin(ctx, &c, "mebdf:3", 2, 2, 0.1);
    for (int s = 0; s < 15; s++) {
        assert_int_equal(bl_integrator_step(a.integ, NULL), BL_OK);
        assert_int_equal(bl_integrator_step(b.integ, NULL), BL_OK);
        assert_int_equal(bl_integrator_step(c.integ, NULL), BL_OK);
        assert_true(a.integ->y[0] == b.integ->y[0] && a.integ->y[1] == b.integ->y[1]);
        b.integ->y[0] *= 1 + 4e-16;
        if (s == 10)
            c.integ->y[1] += 1e-3;
        if (s == 11)
            assert_true(fabs(c.integ->y[1] - a.integ->y[1]) > 2e-4);
        a.integ->y[0] += 0; /* a stays as it is */
        b.integ->y[0] = a.integ->y[0] * (1 + 4e-16);
    }
    finish(&a);
    finish(&b);
    finish(&c);
    test_context_end(ctx);
}

/* times are multiples of the step, without the rounding of sums: 0.1 ten thousand times */
static void times__do_not_gather_rounding(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    run r;
    begin(ctx, &r, "bdf:2", 1, 1000, 0.1);
    step_to_end(&r);
    assert_int_equal(r.integ->stats.steps, 10000);
    finish(&r);
    test_context_end(ctx);
}

/* ---- memory and messages */

static bl_status whole_run(bl_context *ctx, void *user) {
    test_ode ode;
    bl_integrator *integ = NULL;
    double y0[2] = {1, 1}, stiff = 1;
    bl_status status = test_ode_create(ctx, 2, 1, kaps, &stiff, &ode);
    if (status == BL_OK)
        status = bl_integrator_create(ctx, user, &ode.form, &(bl_step_control){.t_end = 1, .step = 0.1, .exact = kaps_exact}, &integ);
    if (status == BL_OK)
        status = bl_integrator_start(integ, 0, y0);
    while (status == BL_OK && integ->t < 1)
        status = bl_integrator_step(integ, NULL);
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    return status;
}

static void failing_allocations__are_survived(void **state) {
    (void)state;
    static char specs[][64] = {
        "bdf:3",      "mendf:4,start=ramp", "ebdf:8,start=exact", "mendf:4,start=richardson", "multistep:a=0;-1;1,b=-1/12;8/12;5/12",
        "trapezoidal"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        assert_true(test_failing_allocations(whole_run, specs[i]) > 3);
}

static void steps__allocate_nothing(void **state) {
    (void)state;
    for (int m = 0; m < MEMBERS; m++) {
        bl_context *ctx = test_context(NULL);
        char spec[96];
        run r;
        double y[2];
        name_member(m, "start=trapezoidal", spec, sizeof spec);
        begin(ctx, &r, spec, 2, 1, 1 / 30.3);
        size_t calls = bl_context_memory(ctx).calls;
        while (r.integ->t < 1) {
            assert_int_equal(bl_integrator_step(r.integ, NULL), BL_OK);
            assert_int_equal(r.integ->kind->dense(r.integ, 0.5 * (r.integ->t + r.integ->t_old), y), BL_OK);
        }
        assert_int_equal(bl_context_memory(ctx).calls, calls);
        finish(&r);
        test_context_end(ctx);
    }
}

static void bad_parameters__are_refused_with_a_reason(void **state) {
    (void)state;
    static const struct {
        const char *spec, *what, *advice;
    } cases[] = {
        {"bdf:7", "k must be an integer from 1 to 6, found 7", ""},
        {"bdf:0", "k must be an integer from 1 to 6, found 0", ""},
        {"ndf:5", "k must be an integer from 1 to 4, found 5", ""},
        {"ebdf:9", "k must be an integer from 1 to 8, found 9", ""},
        {"mebdf:-1", "k must be an integer from 1 to 8, found -1", ""},
        {"mendf:5", "k must be an integer from 1 to 4, found 5", ""},
        {"ebndf:5", "k must be an integer from 1 to 4, found 5", ""},
        {"bdf:2.5", "integer", ""},
        {"bdf:two", "must be a number", ""},
        {"bdf:2,start=slowly", "one of trapezoidal|ramp|richardson|exact", ""},
        {"park:start=ramp", "one of trapezoidal|exact", ""},
        {"bdf:2,newton_tolerance=0", "out of range", ""},
        {"bdf:2,stat=ramp", "no option 'stat'", "start"},
        {"bdf_alpha:-1", "alpha must be above -1, found -1", "-0.5 and 0"},
        {"bdf_alpha:-2", "alpha must be above -1, found -2", "-0.5 and 0"},
        {"multistep", "needs a", ""},
        {"multistep:a=1;-1", "needs b", ""},
        {"multistep:a=-1;1,b=1", "a has 2 and b has 1", "k + 1 of each"},
        {"multistep:a=1,b=1", "a has 1 and b has 1", "k + 1 of each"},
        {"multistep:a=-1;x,b=0;1", "a must be a list of numbers, found '-1;x'", "fractions"},
        {"multistep:a=-1;1/0,b=0;1", "must be a list of numbers", "fractions"},
        {"multistep:a=-1;,b=0;1", "must be a list of numbers", "fractions"},
        {"multistep:a=-1;1.1,b=0;1", "not consistent", "fractions"},
        {"multistep:a=-1;1,b=0;2", "not consistent", "fractions"},
        {"multistep:a=-1;1;0,b=0;1;0", "must not be 0", ""},
        {"multistep:a=-1;1,b=2;-1", "must have the same sign", ""},
        {"multistep:a=1;-2;1,b=1;-1;0", "would ignore the equations", ""},
        {"multistep:a=0;0;-1;1,b=0;0;1/2;1/2", "both 0", "remove them"},
        {"multistep:a=0;0;0;0;0;0;0;0;0;0;0;0;-1;1,b=0;1", "more than 13", ""},
    };
    bl_context *ctx = test_context(NULL);
    double stiff = 1;
    test_ode ode;
    assert_int_equal(test_ode_create(ctx, 2, 1, kaps, &stiff, &ode), BL_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bl_integrator *integ;
        bl_status status = bl_integrator_create(ctx, cases[i].spec, &ode.form, &(bl_step_control){.t_end = 1, .step = 0.1}, &integ);
        const bl_error *error = bl_context_error(ctx);
        if (status != BL_E_ARG || !strstr(error->what, cases[i].what) || !strstr(error->advice, cases[i].advice))
            fail_msg("%s: status %d, '%s', '%s'", cases[i].spec, status, error->what, error->advice);
        assert_null(integ);
    }
    bl_integrator *integ;
    assert_int_equal(bl_integrator_create(ctx, "bdf:2,start=exact", &ode.form, &(bl_step_control){.t_end = 1, .step = 0.1}, &integ),
                     BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "known solution"));
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

static void keep_message(void *user, bl_log_level level, const char *message) {
    if (level == BL_LOG_WARNING)
        snprintf(user, 256, "%s", message);
}

static void doubtful_formulas__are_warned_about(void **state) {
    (void)state;
    static const struct {
        const char *spec, *warning;
    } cases[] = {
        {"bdf_alpha:-0.6", "not A-stable"},
        {"bdf_alpha:-0.5", ""},
        {"multistep:a=-1;1,b=0;1", ""},
        {"multistep:a=-1;0;1,b=0;2;0", ""},                               /* two simple roots on the circle */
        {"multistep:a=-5;4;1,b=2;4;0", "a root outside the unit circle"}, /* order 3, useless: Dahlquist's example */
        {"multistep:a=1;-1;-1;1,b=0;0;0;2", ""},                          /* not consistent: see below */
        {"multistep:a=-1/7;7/6;-21/5;35/4;-35/3;21/2;-7;363/140,b=0;0;0;0;0;0;0;1", "a root outside the unit circle"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char warning[256] = "";
        bl_context *ctx;
        bl_context_options options = {.log = keep_message, .log_user = warning, .log_level = BL_LOG_WARNING};
        assert_int_equal(bl_context_create(&options, &ctx), BL_OK);
        double stiff = 1;
        test_ode ode;
        bl_integrator *integ = NULL;
        assert_int_equal(test_ode_create(ctx, 2, 1, kaps, &stiff, &ode), BL_OK);
        bl_status status = bl_integrator_create(ctx, cases[i].spec, &ode.form, &(bl_step_control){.t_end = 1, .step = 0.1}, &integ);
        if (i == 5) /* (r - 1)^2 (r + 1) has sigma(1) = 0 when consistent */
            assert_int_equal(status, BL_E_ARG);
        else
            assert_int_equal(status, BL_OK);
        if (*cases[i].warning ? !strstr(warning, cases[i].warning) : *warning)
            fail_msg("%s: warned '%s'", cases[i].spec, warning);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders__are_within_a_tenth_in_long_double),
        cmocka_unit_test(orders__are_within_a_tenth_through_the_engine),
        cmocka_unit_test(richardson_start__keeps_every_order),
        cmocka_unit_test(last_step__is_cut_without_loss_of_order),
        cmocka_unit_test(failed_steps__are_halved_and_come_back_without_loss_of_order),
        cmocka_unit_test(hopeless_steps__end_with_a_reason),
        cmocka_unit_test(a_stable_members__are_accurate_on_a_stiff_problem),
        cmocka_unit_test(extended__families_to_k_3_never_grow_on_the_imaginary_axis),
        cmocka_unit_test(bdf__of_high_order_grows_as_its_spectral_radius),
        cmocka_unit_test(methods__that_are_the_same_give_the_same),
        cmocka_unit_test(user_formulas__have_their_orders),
        cmocka_unit_test(dense_output__is_of_the_methods_order_and_meets_both_ends),
        cmocka_unit_test(restart__equals_a_run_that_begins_there),
        cmocka_unit_test(y__written_between_steps_is_taken_over_when_it_differs),
        cmocka_unit_test(times__do_not_gather_rounding),
        cmocka_unit_test(failing_allocations__are_survived),
        cmocka_unit_test(steps__allocate_nothing),
        cmocka_unit_test(bad_parameters__are_refused_with_a_reason),
        cmocka_unit_test(doubtful_formulas__are_warned_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
