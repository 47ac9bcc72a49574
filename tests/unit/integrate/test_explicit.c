/* Explicit methods: the coefficients satisfy the order conditions, the methods have their orders, estimates and dense output. */
#include "integrate/explicit_rk.h"
#include "support/handmade.h"
#include "support/ode.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

/* ---- order conditions: for every rooted tree of up to p nodes the elementary weight is 1 / density (Butcher 1963) */

enum { MOST_TREES = 600, MOST_ORDER = 9 };

typedef struct trees {
    const bl_formula *rk;
    int count, first[MOST_ORDER + 2]; /* those with n nodes: first[n] .. first[n + 1] */
    int nodes[MOST_TREES];
    long double density[MOST_TREES];                  /* gamma */
    long double stage[MOST_TREES][BL_FORMULA_STAGES]; /* of the tree, at each stage */
} trees;

/* all trees of n nodes whose root carries branches number <= most with `left` nodes still to hand out */
static void grow(trees *f, int n, int left, int most, const long double *stage, long double density) {
    const bl_formula *rk = f->rk;
    if (left == 0) {
        assert_true(f->count < MOST_TREES);
        f->nodes[f->count] = n;
        f->density[f->count] = density * n;
        memcpy(f->stage[f->count++], stage, sizeof f->stage[0]);
        return;
    }
    for (int b = 0; b <= most && b < f->first[left + 1]; b++) {
        long double with[BL_FORMULA_STAGES];
        for (int s = 0; s < rk->stages; s++) {
            long double sum = 0;
            for (int j = 0; j < s; j++)
                sum += rk->A[s][j] * f->stage[b][j];
            with[s] = stage[s] * sum;
        }
        grow(f, n, left - f->nodes[b], b, with, density * f->density[b]);
    }
}

/* worst |sum_s weight_s stage_s - theta^n / density| over the trees of n nodes, n = 1 .. 9; theta = 1: of the result */
static void order_defects(const bl_formula *rk, long double theta, long double *defect) {
    static trees f;
    memset(&f, 0, sizeof f);
    f.rk = rk;
    long double one[BL_FORMULA_STAGES];
    for (int s = 0; s < BL_FORMULA_STAGES; s++)
        one[s] = 1;
    static const int published[MOST_ORDER + 1] = {0, 1, 1, 2, 4, 9, 20, 48, 115, 286}; /* how many there are */
    for (int n = 1; n <= MOST_ORDER; n++) {
        f.first[n] = f.count;
        for (int left = n; left <= MOST_ORDER; left++)
            f.first[left + 1] = f.count;
        grow(&f, n, n - 1, MOST_TREES, one, 1);
        f.first[n + 1] = f.count;
        assert_int_equal(f.count - f.first[n], published[n]);
        defect[n] = 0;
        for (int i = f.first[n]; i < f.count; i++) {
            long double sum = 0;
            for (int s = 0; s < rk->stages; s++)
                sum += rk->weight[s] * f.stage[i][s];
            defect[n] = fmaxl(defect[n], fabsl(sum - powl(theta, n) / f.density[i]));
        }
    }
}

/* All stages of a table, also that at the end of the step and the extra ones; the weights are those of the method. */
static bl_formula stages_of(const bl_rk_table *table) {
    bl_formula rk = {.shape = BL_FORMULA_RUNGE_KUTTA, .stages = table->stages + 1 + table->extra};
    int width = table->stages + table->extra;
    for (int s = 0; s < rk.stages; s++)
        for (int j = 0; j < s; j++)
            rk.A[s][j] = table->A[s * width + j];
    memcpy(rk.weight, rk.A[table->stages], sizeof rk.weight);
    return rk;
}

/* Conditions up to `order` are met, one of the next is not. */
static void check_order(const char *name, const char *what, const bl_formula *rk, long double theta, int order, long double rounding) {
    long double defect[MOST_ORDER + 1];
    order_defects(rk, theta, defect);
    for (int n = 1; n <= order; n++)
        if (!(defect[n] < rounding))
            fail_msg("%s, %s: a condition of order %d is missed by %.3Le", name, what, n, defect[n]);
    if (!(defect[order + 1] > 1e-7L))
        fail_msg("%s, %s: the order is above %d", name, what, order);
}

static void tables__satisfy_all_order_conditions_and_none_beyond(void **state) {
    (void)state;
    int tables = 0;
    for (size_t i = 0; i < bl_integrator_kind_count; i++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[i];
        if (!kind->rk)
            continue;
        bl_formula rk = stages_of(kind->rk);
        assert_true(rk.stages <= BL_FORMULA_STAGES);
        check_order(kind->kind.name, "result", &rk, 1, kind->order, 1e-17L); /* 30 digits are given, 19 are kept, factors reach 43 */
        tables++;
    }
    assert_true(tables >= 4);
}

static void estimates__satisfy_all_order_conditions_and_none_beyond(void **state) {
    (void)state;
    for (size_t i = 0; i < bl_integrator_kind_count; i++) {
        const bl_rk_table *table = bl_integrator_kinds[i]->rk;
        assert_int_equal(table && table->error[0].order > 0, table && (bl_integrator_kinds[i]->kind.gives & BL_ADAPTIVE));
        for (int e = 0; table && e < BL_RK_ERRORS && table->error[e].order > 0; e++) {
            const bl_rk_error *error = &table->error[e];
            bl_formula other = stages_of(table);
            assert_true(!error->difference == !!error->other);
            for (int j = 0; j <= table->stages; j++)
                other.weight[j] = error->other ? error->other[j] : other.weight[j] - error->difference[j];
            check_order(bl_integrator_kinds[i]->kind.name, "estimate", &other, 1, error->order, 1e-17L);
        }
    }
}

/* y(t_old + theta h) = y_old + h sum_s b_s(theta) k_s: b_s from the form of explicit_rk.h */
static void dense_outputs__satisfy_all_order_conditions_and_none_beyond(void **state) {
    (void)state;
    static const long double thetas[] = {0.1L, 0.3L, 0.5L, 0.75L, 0.9L};
    for (size_t i = 0; i < bl_integrator_kind_count; i++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[i];
        const bl_rk_table *table = kind->rk;
        for (int at = 0; table && at < 5; at++) {
            long double s = thetas[at], r = 1 - s;
            bl_formula rk = stages_of(table);
            for (int j = 0; j < rk.stages; j++) {
                long double change = rk.weight[j], first = (j == 0) - change, second = change - (j == table->stages) - first, d[4] = {0};
                for (int b = 0; b < table->bends; b++)
                    d[b] = table->D[b * rk.stages + j];
                rk.weight[j] = s * (change + r * (first + s * (second + r * (d[0] + s * (d[1] + r * (d[2] + s * d[3]))))));
            }
            check_order(kind->kind.name, "dense output", &rk, s, kind->dense_order, 1e-16L);
        }
    }
}

static bl_formula formula_of(bl_context *ctx, const char *name) {
    bl_formula formula;
    const bl_integrator_kind *kind = bl_integrator_kind_of(name);
    assert_int_equal(kind->formula(kind, ctx, NULL, &formula), BL_OK);
    assert_int_equal(formula.shape, BL_FORMULA_RUNGE_KUTTA);
    return formula;
}

/* ---- the order of the formula on a nonlinear problem, in long double: y1' = y1 y2, y2' = -y1^2 on a circle, y1 = 1 / cosh t */

static long double formula_error(const bl_formula *rk, int n) {
    long double y[2] = {1, 0}, h = 1.0L / n, k[BL_FORMULA_STAGES][2];
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < rk->stages; s++) {
            long double at[2] = {y[0], y[1]};
            for (int j = 0; j < s; j++) {
                at[0] += h * rk->A[s][j] * k[j][0];
                at[1] += h * rk->A[s][j] * k[j][1];
            }
            k[s][0] = at[0] * at[1];
            k[s][1] = -at[0] * at[0];
        }
        for (int s = 0; s < rk->stages; s++) {
            y[0] += h * rk->weight[s] * k[s][0];
            y[1] += h * rk->weight[s] * k[s][1];
        }
    }
    return hypotl(y[0] - 1 / coshl(1), y[1] + tanhl(1));
}

static void formulas__have_their_orders_on_a_nonlinear_problem(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static const char *const name[] = {"rk4", "bs23", "dopri45", "dop853"};
    static const int coarse[] = {200, 400, 200, 12};
    for (int k = 0; k < 4; k++) {
        bl_formula rk = formula_of(ctx, name[k]);
        double order = (double)log2l(formula_error(&rk, coarse[k]) / formula_error(&rk, 2 * coarse[k]));
        print_message("%s: measured order %.3f\n", name[k], order);
        assert_float_equal(order, rk.order, 0.1);
    }
    test_context_end(ctx);
}

/* ---- problems */

static void power(double t, const double *y, double *rate, void *user) {
    (void)y;
    rate[0] = pow(t, *(int *)user);
}

static void circle(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = y[0] * y[1];
    rate[1] = -y[0] * y[0];
}

/* one attempt of size h from t = 0 */
static double estimate(const char *spec, test_ode *ode, const double *y0, double h, double *y) {
    bl_integrator *integ;
    double error;
    bl_step_control control = {.t_end = 10, .step = h, .h_max = h, .tolerance = 1};
    assert_int_equal(bl_integrator_create(ode->form.ctx, spec, &ode->form, &control, &integ), BL_OK);
    assert_int_equal(bl_integrator_start(integ, 0, y0), BL_OK);
    assert_int_equal(integ->kind->attempt(integ, h, &error), BL_OK);
    memcpy(y, integ->y_new, (size_t)ode->form.ny * sizeof *y);
    bl_integrator_destroy(integ);
    return error;
}

/* y' = t^m: the result is exact up to m = 7, the estimator of order 5 is blind up to m = 4 and not after */
static void dop853__is_a_quadrature_of_order_8_with_an_estimate_of_order_5(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    for (int m = 0; m <= 8; m++) {
        test_ode ode;
        double y0 = 0, y;
        assert_int_equal(test_ode_create(ctx, 1, 1, power, &m, &ode), BL_OK);
        double error = estimate("dop853", &ode, &y0, 1, &y);
        if (m <= 7)
            assert_float_equal(y, 1.0 / (m + 1), 1e-15);
        else
            assert_true(fabs(y - 1.0 / (m + 1)) > 1e-8);
        if (m <= 4)
            assert_true(error < 1e-15);
        else
            assert_true(error > 1e-9);
        test_ode_destroy(&ode);
    }
    test_context_end(ctx);
}

/* The same of bs23: exact up to m = 2, its formula of order 2 up to m = 1, and so is the estimate blind; beyond, the difference of the two
 * formulas of the publication, sum_s (b_s - bhat_s) c_s^m. */
static void bs23__is_a_quadrature_of_order_3_with_an_estimate_of_order_2(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    for (int m = 0; m <= 4; m++) {
        test_ode ode;
        double y0 = 0, y, h = 0.5, last = m ? 1 : 0;
        assert_int_equal(test_ode_create(ctx, 1, 1, power, &m, &ode), BL_OK);
        double error = estimate("bs23", &ode, &y0, h, &y), zero = m ? 0 : 1;
        double third = 2.0 / 9 * zero + pow(0.5, m) / 3 + 4 * pow(0.75, m) / 9;
        double second = 7.0 / 24 * zero + pow(0.5, m) / 4 + pow(0.75, m) / 3 + (last + zero) / 8;
        assert_near(y, pow(h, m + 1) * third, 1e-16);
        if (m <= 2)
            assert_near(y, pow(h, m + 1) / (m + 1), 1e-16);
        assert_near(error, pow(h, m + 1) * fabs(third - second), 1e-16);
        assert_true(m <= 1 ? error < 1e-16 : error > 1e-4);
        test_ode_destroy(&ode);
    }
    test_context_end(ctx);
}

static void grow_by(double t, const double *y, double *rate, void *user) {
    (void)t;
    rate[0] = *(double *)user * y[0];
}

/* On y' = lambda y, h lambda = z: 1 + z + z^2/2 + z^3/6, and -z^3 (1 + z) / 48 between the two formulas. */
static void bs23__has_its_stability_function_and_estimate(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static const double at[] = {-2.4, -0.3, 0.7};
    for (int i = 0; i < 3; i++) {
        test_ode ode;
        double lambda = at[i], y0 = 1, y, z = lambda;
        assert_int_equal(test_ode_create(ctx, 1, 10, grow_by, &lambda, &ode), BL_OK);
        double error = estimate("bs23", &ode, &y0, 1, &y);
        assert_near(y, 1 + z + z * z / 2 + z * z * z / 6, 1e-15);
        assert_near(error, fabs(z * z * z * (1 + z) / 48) / 10, 1e-15);
        test_ode_destroy(&ode);
    }
    test_context_end(ctx);
}

static void dop853__estimate_falls_like_h_8(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double y0[2] = {1, 0}, y[2];
    assert_int_equal(test_ode_create(ctx, 2, 1, circle, NULL, &ode), BL_OK);
    double coarse = estimate("dop853", &ode, y0, 0.4, y), fine = estimate("dop853", &ode, y0, 0.2, y);
    assert_float_equal(log2(coarse / fine), 8, 0.3);
    /* and bounds the true error, which is O(h^9) */
    assert_true(fine > fabs(y[0] - 1 / cosh(0.2)));
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

/* Dense output over one step of size h from the exact start; its extra evaluations, once per step, and those of the next step. */
static double dense_error(const char *spec, double h, long *extra, long *next) {
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    bl_integrator *integ;
    double y0[2] = {1, 0}, y[2], worst = 0;
    assert_int_equal(test_ode_create(ctx, 2, 1, circle, NULL, &ode), BL_OK);
    bl_step_control control = {.t_end = 10, .step = h, .h_max = h, .tolerance = 1e9};
    assert_int_equal(bl_integrator_create(ctx, spec, &ode.form, &control, &integ), BL_OK);
    assert_int_equal(bl_integrator_start(integ, 0, y0), BL_OK);
    assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
    long before = ode.form.stats.evaluations;
    size_t calls = bl_context_memory(ctx).calls;
    for (int i = 0; i <= 20; i++) {
        double t = integ->t * i / 20;
        assert_int_equal(integ->kind->dense(integ, t, y), BL_OK);
        worst = fmax(worst, hypot(y[0] - 1 / cosh(t), y[1] + tanh(t)));
        if (i == 0 || i == 20) {
            assert_float_equal(y[0], i ? integ->y[0] : y0[0], 1e-15);
            assert_float_equal(y[1], i ? integ->y[1] : y0[1], 1e-15);
        }
    }
    *extra = ode.form.stats.evaluations - before;
    assert_int_equal(bl_context_memory(ctx).calls, calls);
    assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
    *next = ode.form.stats.evaluations - before - *extra;
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
    return worst;
}

static void dop853__dense_output_has_order_7_for_three_evaluations(void **state) {
    (void)state;
    long extra, next;
    double coarse = dense_error("dop853", 0.4, &extra, &next), fine = dense_error("dop853", 0.2, &extra, &next);
    print_message("dense output: measured local order %.3f\n", log2(coarse / fine));
    assert_int_equal(extra, 3);
    assert_int_equal(next, 12); /* dense output does not change the next step */
    assert_float_equal(log2(coarse / fine), 8, 0.3);
}

/* order 3 inside as at the end: local errors of order 4; the last rate is the first of the next step */
static void bs23__dense_output_has_order_3_for_nothing(void **state) {
    (void)state;
    long extra, next;
    double coarse = dense_error("bs23", 0.02, &extra, &next), fine = dense_error("bs23", 0.01, &extra, &next);
    print_message("bs23: dense output: measured local order %.3f\n", log2(coarse / fine));
    assert_int_equal(extra, 0);
    assert_int_equal(next, 3);
    assert_near(log2(coarse / fine), 4, 0.1);
}

/* y' = -50 (y - cos t): once the start is forgotten, stability holds the step at h |lambda| = 2.5. The direction a pair gives leads to
 * lambda, by its own product of the Jacobian or by one more evaluation. */
static void fall_to_cosine(double t, const double *y, double *rate, void *user) {
    (void)user;
    rate[0] = -50 * (y[0] - cos(t));
    rate[1] = -y[1];
}

static void pairs__show_the_mode_that_holds_them(void **state) {
    (void)state;
    static const char *const spec[] = {"bs23", "dopri45", "dop853"};
    for (int i = 0; i < 3; i++) {
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        bl_integrator *integ;
        double y0[2] = {1, 1}, w[2], Jw[2], limit[2];
        bool known = true;
        assert_int_equal(test_ode_create(ctx, 2, 1, fall_to_cosine, NULL, &ode), BL_OK);
        assert_int_equal(bl_integrator_create(ctx, spec[i], &ode.form, &(bl_step_control){.t_end = 20, .tolerance = 1e-3}, &integ), BL_OK);
        assert_int_equal(bl_integrator_start(integ, 0, y0), BL_OK);
        assert_false(integ->kind->fast(integ, w, Jw, &known, limit)); /* no step yet */
        double h = 0;
        while (integ->t < 18) {
            assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
            h = integ->t > 10 ? fmax(h, integ->t - integ->t_old) : h;
        }
        assert_true(integ->kind->fast(integ, w, Jw, &known, limit));
        assert_int_equal(known, i > 0);
        if (!known) { /* the Jacobian is diagonal */
            Jw[0] = -50 * w[0];
            Jw[1] = -w[1];
        }
        assert_near(hypot(Jw[0], Jw[1]) / hypot(w[0], w[1]), 50, 1);
        assert_true(50 * h > limit[1]); /* so the sign is seen */
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

/* The extra stages lie inside the step: where one is refused a step to the middle takes their place, or the ends alone. */
static bl_status refuse_once(double t, const double *y, void *user) {
    (void)y;
    double where = *(double *)user;
    return where < 0 || (where > 0 && fabs(t - where) < 1e-9) ? BL_SINGULAR : BL_OK;
}

static void circle_with_hole(double t, const double *y, double *rate, void *user) {
    (void)user;
    circle(t, y, rate, NULL);
}

static void dop853__dense_output_survives_a_refused_stage(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    bl_integrator *integ;
    double hole = 0, y0[2] = {1, 0}, y[2], h = 0.1;
    assert_int_equal(test_ode_create(ctx, 2, 1, circle_with_hole, &hole, &ode), BL_OK);
    ode.refuse = refuse_once;
    bl_step_control control = {.t_end = 10, .step = h, .h_max = h, .tolerance = 1e-6};
    assert_int_equal(bl_integrator_create(ctx, "dop853", &ode.form, &control, &integ), BL_OK);
    assert_int_equal(bl_integrator_start(integ, 0, y0), BL_OK);
    assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
    hole = 0.2 * h; /* the node of the second extra stage */
    assert_int_equal(integ->kind->dense(integ, 0.5 * h, y), BL_OK);
    assert_float_equal(y[0], 1 / cosh(0.5 * h), 1e-14); /* a step of its own */
    for (int i = 0; i <= 10; i++) {                     /* between: h^6 y^(6) / (720 * 64), |y^(6)| <= 61 */
        double t = 0.1 * i * h;
        assert_int_equal(integ->kind->dense(integ, t, y), BL_OK);
        assert_float_equal(y[0], 1 / cosh(t), pow(h, 6) * 61 / 46080 + 1e-15);
    }
    hole = 0;
    assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
    assert_float_equal(integ->y[0], 1 / cosh(2 * h), 1e-10);
    hole = -1; /* everywhere */
    assert_int_equal(integ->kind->dense(integ, 1.5 * h, y), BL_OK);
    assert_float_equal(y[0], 1 / cosh(1.5 * h), pow(h, 4) / 384 * 5); /* cubic: h^4 y^(4) / 384, |y^(4)| <= 5 */
    hole = 0;
    assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
    assert_float_equal(integ->y[0], 1 / cosh(3 * h), 1e-10);
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables__satisfy_all_order_conditions_and_none_beyond),
        cmocka_unit_test(estimates__satisfy_all_order_conditions_and_none_beyond),
        cmocka_unit_test(dense_outputs__satisfy_all_order_conditions_and_none_beyond),
        cmocka_unit_test(formulas__have_their_orders_on_a_nonlinear_problem),
        cmocka_unit_test(dop853__is_a_quadrature_of_order_8_with_an_estimate_of_order_5),
        cmocka_unit_test(bs23__is_a_quadrature_of_order_3_with_an_estimate_of_order_2),
        cmocka_unit_test(bs23__has_its_stability_function_and_estimate),
        cmocka_unit_test(bs23__dense_output_has_order_3_for_nothing),
        cmocka_unit_test(pairs__show_the_mode_that_holds_them),
        cmocka_unit_test(dop853__estimate_falls_like_h_8),
        cmocka_unit_test(dop853__dense_output_has_order_7_for_three_evaluations),
        cmocka_unit_test(dop853__dense_output_survives_a_refused_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
