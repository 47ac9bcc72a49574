/* Newton's iteration on its own: what it solves, what it refuses, and with which messages. */
#include "support/ode.h"
#include "support/testing.h"

#include "integrate/implicit.h"

#include <math.h>
#include <string.h>

typedef struct run {
    bl_context *ctx;
    test_ode ode;
    bl_integrator integ;
    bl_implicit implicit;
    double y[4];
} run;

static void begin(run *r, bl_index ny, void (*f)(double, const double *, double *, void *), const bl_newton_options *options,
                  const double *y) {
    memset(r, 0, sizeof *r);
    r->ctx = test_context(NULL);
    assert_int_equal(test_ode_create(r->ctx, ny, 1, f, NULL, &r->ode), BL_OK);
    r->integ = (bl_integrator){.ctx = r->ctx, .form = &r->ode.form, .y = r->y, .ny = ny};
    memcpy(r->y, y, (size_t)ny * sizeof *y);
    assert_int_equal(bl_implicit_create(&r->implicit, &r->integ, options), BL_OK);
    assert_int_equal(bl_implicit_start(&r->implicit), BL_OK);
}

static void end(run *r) {
    bl_implicit_destroy(&r->implicit);
    test_ode_destroy(&r->ode);
    test_context_end(r->ctx);
}

static const bl_newton_options tight = {.tolerance = 1e-13, .early = 0.1, .most = 20, .rescue = true};

static void cubic(double t, const double *y, double *rate, void *user) {
    (void)t, (void)user;
    rate[0] = -y[0] * y[0] * y[0];
    rate[1] = y[0] - 3 * y[1];
}

static void implicit_steps__satisfy_their_formula(void **state) {
    (void)state;
    run r;
    double y[2] = {1, 2}, psi[2] = {1, 2}, rate[2], f[2], c = 0.7;
    begin(&r, 2, cubic, &tight, y);
    assert_int_equal(bl_implicit_first(&r.implicit, c, c, psi, y, rate), BL_OK);
    cubic(c, y, f, NULL);
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(y[i] - psi[i] - c * rate[i]) < 1e-14);
        assert_true(fabs(rate[i] - f[i]) < 1e-11);
    }
    end(&r);
}

/* y' = -k (y - atan) has a flat tail that throws plain Newton out: x - atan(x) / (1 / (1 + x^2)) overshoots beyond |x| = 1.39 */
static void flat(double t, const double *y, double *rate, void *user) {
    (void)t, (void)user;
    rate[0] = -1e6 * atan(y[0]);
}

static void line_search__converges_where_full_newton_does_not(void **state) {
    (void)state;
    for (int search = 0; search < 2; search++) {
        run r;
        double y[1] = {5}, psi[1] = {0}, rate[1];
        bl_newton_options options = {.tolerance = 1e-10, .early = 0.1, .most = 40, .full = true, .line_search = search};
        begin(&r, 1, flat, &options, y);
        bl_status status = bl_implicit_first(&r.implicit, 1, 1, psi, y, rate);
        assert_int_equal(status == BL_OK, search == 1);
        if (search)
            assert_true(fabs(y[0]) < 1e-10);
        else
            assert_int_equal(bl_newton_explain(&r.implicit.newton), BL_E_NUMERIC);
        end(&r);
    }
}

static void jump(double t, const double *y, double *rate, void *user) {
    (void)t, (void)user;
    rate[0] = 1 - y[0];
    rate[1] = y[1] > 0 ? -1 : 1; /* y' = 0 has no solution */
}

static void failures__name_time_and_remedy(void **state) {
    (void)state;
    run r;
    double y[2] = {1, 1}, psi[2] = {1, 0}, rate[2];
    begin(&r, 2, jump, &tight, y);
    assert_int_equal(bl_implicit_first(&r.implicit, 2.5, 10, psi, y, rate), BL_NO_CONVERGENCE);
    assert_int_equal(r.implicit.newton.last.row, 1);
    assert_int_equal(bl_newton_explain(&r.implicit.newton), BL_E_NUMERIC);
    const bl_error *error = bl_context_error(r.ctx);
    assert_non_null(strstr(error->what, "did not converge at t = 2.5"));
    assert_true(error->time == 2.5);
    assert_non_null(strstr(error->advice, "smaller step"));
    end(&r);
}

static void growing(double t, const double *y, double *rate, void *user) {
    (void)t, (void)user;
    rate[0] = 2 * y[0];
}

static void singular_matrices__are_said_to_be(void **state) {
    (void)state;
    run r;
    double y[1] = {1}, psi[1] = {1}, rate[1];
    begin(&r, 1, growing, &tight, y);
    /* 1 - c J = 0 at c = 1/2: differences of a linear rate by a power of two are exact */
    bl_status status = bl_implicit_first(&r.implicit, 0, 0.5, psi, y, rate);
    assert_true(status == BL_SINGULAR || status == BL_NO_CONVERGENCE || status == BL_NOT_FINITE);
    assert_int_equal(bl_newton_explain(&r.implicit.newton), BL_E_NUMERIC);
    end(&r);
}

static void broken(double t, const double *y, double *rate, void *user) {
    (void)user;
    rate[0] = t > 1 ? NAN : -y[0];
}

static void not_a_number__is_found_and_said(void **state) {
    (void)state;
    run r;
    double y[1] = {1}, psi[1] = {1}, rate[1];
    begin(&r, 1, broken, &tight, y);
    assert_int_equal(bl_implicit_first(&r.implicit, 2, 0.1, psi, y, rate), BL_NOT_FINITE);
    assert_int_equal(bl_newton_explain(&r.implicit.newton), BL_E_NUMERIC);
    assert_non_null(strstr(bl_context_error(r.ctx)->what, "not a finite number"));
    /* the object is still good */
    double back[1] = {1};
    assert_int_equal(bl_implicit_first(&r.implicit, 0.1, 0.1, psi, back, rate), BL_OK);
    assert_true(fabs(back[0] - 1 / 1.1) < 1e-12);
    end(&r);
}

static void tangents__are_kept_while_they_serve(void **state) {
    (void)state;
    run r;
    double y[2] = {1, 2}, psi[2], rate[2];
    bl_newton_options options = {.tolerance = 1e-8, .early = 0.1, .most = 10};
    begin(&r, 2, cubic, &options, y);
    for (int k = 1; k <= 50; k++) {
        memcpy(psi, y, sizeof psi);
        bl_newton_new_step(&r.implicit.newton);
        assert_int_equal(bl_implicit_first(&r.implicit, 0.01 * k, 0.01, psi, y, rate), BL_OK);
        memcpy(r.y, y, sizeof y);
    }
    assert_true(r.ode.form.stats.tangents <= 3);
    assert_int_equal(r.ode.form.stats.factors, r.ode.form.stats.tangents);
    end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implicit_steps__satisfy_their_formula), cmocka_unit_test(line_search__converges_where_full_newton_does_not),
        cmocka_unit_test(failures__name_time_and_remedy),        cmocka_unit_test(singular_matrices__are_said_to_be),
        cmocka_unit_test(not_a_number__is_found_and_said),       cmocka_unit_test(tangents__are_kept_while_they_serve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
