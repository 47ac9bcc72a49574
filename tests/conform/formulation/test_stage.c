/* Implicit stages of plain, index3 and ggl on mechanisms: the factored matrix inverts differences of the residual, tangents by the system
 * and by differences agree, and BDF and trapezoidal steps with them converge with their order. */
#include "support/testing.h"

#include "coords/coords.h"
#include "integrate/implicit.h"
#include "study/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct subject {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_formulation *form;
} subject;

static void begin(subject *s, const char *scene, const char *formulation) {
    char path[256];
    memset(s, 0, sizeof *s);
    s->ctx = test_context(NULL);
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(s->ctx, path, NULL, 0, &s->model), BL_OK);
    assert_int_equal(bl_run_prepare(s->ctx, s->model, "natural", &s->sys, &s->state), BL_OK);
    assert_int_equal(bl_formulation_create(s->sys, formulation, NULL, NULL, &s->form), BL_OK);
    assert_int_equal(s->form->kind->setup(s->form, &s->state), BL_OK);
}

static void end(subject *s) {
    bl_formulation_destroy(s->form);
    bl_state_destroy(s->sys, &s->state);
    bl_system_destroy(s->sys);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

/* ---- the matrix is the derivative */

enum { MOST = 2000 };

/* A stage in which nothing is zero; equilibrium and constraints in different configurations. */
static void random_stage(const subject *s, test_random *random, double *room, bl_stage *stage) {
    bl_index nv = s->sys->nv;
    double *qe = room, *ve = qe + nv, *ae = ve + nv, *qc = ae + nv, *vc = qc + nv;
    for (bl_index i = 0; i < nv; i++) {
        double scale = s->sys->col[i].scale;
        qe[i] = s->state.q[i] + 0.03 * scale * test_random_symmetric(random);
        ve[i] = scale * test_random_symmetric(random);
        ae[i] = scale * test_random_symmetric(random);
        qc[i] = s->state.q[i] + 0.03 * scale * test_random_symmetric(random);
        vc[i] = scale * test_random_symmetric(random);
    }
    *stage = (bl_stage){.te = 0.1,
                        .tc = 0.2,
                        .ce = 0.6,
                        .cv = 9,
                        .ca = 120,
                        .cc = 1,
                        .cvc = 14,
                        .cz = 1,
                        .czd = 10,
                        .qe = qe,
                        .ve = ve,
                        .ae = ae,
                        .qc = qc,
                        .vc = vc};
}

/* largest |solve(r(x) - r(x + dx)) - dx| / |dx|, central differences */
static double mismatch(subject *s, const bl_stage *stage, test_random *random) {
    bl_formulation *form = s->form;
    bl_index nx = form->nx, n = s->sys->nv + s->sys->nz;
    static double x[MOST], near_x[MOST], dx[MOST], r[MOST], r_near[MOST];
    assert_true(nx <= MOST);
    /* multipliers of ggl's own are small in practice; their second derivatives are left out of the matrix */
    bl_index nmu = form->x_velocity ? (nx - n - s->sys->nv) / 2 : 0;
    for (bl_index i = 0; i < nx; i++) {
        bool is_mu = i >= nx - nmu;
        double scale = i < n ? s->sys->col[i].scale : 1;
        x[i] = is_mu ? 0 : 0.01 * scale * test_random_symmetric(random);
        dx[i] = 1e-6 * scale * test_random_symmetric(random);
    }
    assert_int_equal(form->kind->tangent(form, stage, x), BL_OK);
    assert_int_equal(form->kind->matrix(form, stage), BL_OK);
    for (bl_index i = 0; i < nx; i++)
        near_x[i] = x[i] - dx[i];
    assert_int_equal(form->kind->residual(form, stage, near_x, r), BL_OK);
    for (bl_index i = 0; i < nx; i++)
        near_x[i] = x[i] + dx[i];
    assert_int_equal(form->kind->residual(form, stage, near_x, r_near), BL_OK);
    for (bl_index i = 0; i < nx; i++)
        r[i] = 0.5 * (r[i] - r_near[i]);
    assert_int_equal(form->kind->solve(form, r), BL_OK);
    double worst = 0, size = 0;
    for (bl_index i = 0; i < n; i++) { /* multipliers have the size of forces: errors of differences are meaningless there */
        worst = fmax(worst, fabs(r[i] - dx[i]));
        size = fmax(size, fabs(dx[i]));
    }
    return worst / size;
}

static void matrices__are_derivatives_of_residuals(void **state) {
    (void)state;
    static const char *const scenes[] = {"pendulum", "four_bar", "slider_crank", "andrews", "bricard", "flyball_governor", "tether"};
    static const char *const formulations[] = {"index3", "ggl"};
    static double room[MOST * 5];
    test_random random = {test_seed(7)};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (size_t f = 0; f < 2; f++)
            for (int jacobian = BL_JACOBIAN_ANALYTIC; jacobian <= BL_JACOBIAN_DENSE; jacobian++) {
                subject s;
                bl_stage stage;
                begin(&s, scenes[k], formulations[f]);
                s.form->jacobian = (bl_jacobian)jacobian;
                assert_int_equal(s.form->kind->stage_setup(s.form), BL_OK);
                random_stage(&s, &random, room, &stage);
                double worst = mismatch(&s, &stage, &random);
                print_message("%s %s jacobian %d: %.1e\n", scenes[k], formulations[f], jacobian, worst);
                assert_true(worst < (jacobian == BL_JACOBIAN_ANALYTIC ? 1e-5 : 1e-3));
                end(&s);
            }
}

/* ---- steps */

/* fixed-step BDF2 (after one trapezoidal step) or trapezoidal rule to t_end by bl_implicit_first; q at the end, largest drift */
static void march(subject *s, bool bdf, int steps, double t_end, double *q, double *drift) {
    bl_formulation *form = s->form;
    bl_integrator integ = {.ctx = s->ctx, .form = form, .control = {.tolerance = 1e-6}};
    bl_implicit implicit = {0};
    bl_newton_options options = {.tolerance = 1e-12, .early = 0.1, .most = 12};
    size_t ny = (size_t)form->ny;
    static double y[MOST], y_old[MOST], rate[MOST], psi[MOST], next[MOST];
    integ.y = y;
    integ.ny = form->ny;
    assert_int_equal(form->kind->to_y(form, &s->state, y), BL_OK);
    assert_int_equal(bl_implicit_create(&implicit, &integ, &options), BL_OK);
    assert_int_equal(bl_implicit_start(&implicit), BL_OK);
    assert_int_equal(bl_implicit_rate(&implicit, 0, y, rate), BL_OK);
    double h = t_end / steps;
    *drift = 0;
    for (int k = 1; k <= steps; k++) {
        double c = bdf && k > 1 ? 2 * h / 3 : h / 2;
        for (size_t i = 0; i < ny; i++) {
            psi[i] = bdf && k > 1 ? (4 * y[i] - y_old[i]) / 3 : y[i] + c * rate[i];
            next[i] = y[i] + h * rate[i];
        }
        bl_newton_new_step(&implicit.newton);
        bl_status status = bl_implicit_first(&implicit, k * h, c, psi, next, rate);
        if (status != BL_OK) {
            bl_newton_explain(&implicit.newton);
            fail_msg("%s at step %d: %s", form->kind->kind.name, k, bl_context_error(s->ctx)->what);
        }
        memcpy(y_old, y, ny * sizeof *y);
        memcpy(y, next, ny * sizeof *y);
        bl_eval *e = &form->at_e;
        bl_formulation_move_to(form, k * h, y, y + s->sys->nv, y + 2 * s->sys->nv);
        assert_int_equal(bl_system_eval(s->sys, e, BL_PHI), BL_OK);
        *drift = fmax(*drift, bl_system_drift(s->sys, e->phi, NULL));
    }
    memcpy(q, y, (size_t)s->sys->nv * sizeof *q);
    bl_implicit_destroy(&implicit);
}

static double difference(const double *a, const double *b, bl_index n) {
    double largest = 0;
    for (bl_index i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

static void steps__converge_at_second_order_on_the_constraints(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        double t_end;
        int steps;
    } runs[] = {{"pendulum", 0.5, 50}, {"four_bar", 0.2, 100}, {"slider_crank", 0.2, 100}, {"bricard", 0.4, 60}};
    static double q[5][MOST];
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        for (int way = 0; way < 3; way++) {
            /* the trapezoidal rule is not stable in index 3 */
            const char *formulation = way == 0 ? "index3" : "ggl";
            bool bdf = way < 2;
            double drift = 0;
            subject s;
            for (int level = 0; level < 4; level++) {
                begin(&s, runs[k].scene, formulation);
                march(&s, bdf, runs[k].steps << level, runs[k].t_end, q[level], &drift);
                assert_true(drift < 1e-10);
                if (level < 3)
                    end(&s);
            }
            bl_index nv = s.sys->nv;
            double coarse = difference(q[1], q[2], nv), fine = difference(q[2], q[3], nv);
            print_message("%s %s %s: differences %.2e %.2e order %.2f drift %.1e\n", runs[k].scene, formulation,
                          bdf ? "bdf2" : "trapezoidal", coarse, fine, log2(coarse / fine), drift);
            assert_true(fabs(log2(coarse / fine) - 2) < 0.1 || fine < 1e-9);
            end(&s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices__are_derivatives_of_residuals),
        cmocka_unit_test(steps__converge_at_second_order_on_the_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
