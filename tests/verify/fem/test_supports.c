/* Supports and temperatures that change with time: their inertia, damping and capacity, their work, and none of it at rest. */
#include "fem/fem.h"
#include "study/run.h"
#include "support/solid_run.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* u = t is the solution if the ends prescribe it and the source is the capacity: exactly, for any mesh */
static void field__rises_with_its_ends(void **state) {
    (void)state;
    static const char *const meshes[] = {"segment: {to: 1, n: 5}, element: segment2", "segment: {to: 1, n: 3}, element: segment3",
                                         "rectangle: {to: [1, 1], n: [3, 2]}, element: quad4, distort: [0.2, 1]",
                                         "rectangle: {to: [1, 1], n: [2, 2]}, element: triangle6"};
    for (int k = 0; k < 4; k++)
        for (int lumped = 0; lumped < (k % 2 ? 1 : 2);
             lumped++) { /* with lumping, quadratic elements weight nodes differently than sources do */
            char text[700];
            snprintf(text, sizeof text,
                     "dimension: %d\nmaterials: {m: {type: conducting, conductivity: 2, density: 3}}\n"
                     "fields: [{name: u, mesh: {%s}, material: m, equation: diffusion, source: 3, mass: %s}]\n"
                     "supports: [{set: left, value: =t}, {set: right, value: =t}]\nprobes: {p: {node: 2}, q: {at: %s}}\n",
                     k < 2 ? 1 : 2, meshes[k], lumped ? "lumped" : "consistent", k < 2 ? "[0.55]" : "[0.55, 0.3]");
            solid_run run = {.options = {.until = 1, .every = 0.5, .integrator = "trbdf2"}};
            solid_run_text(&run, text);
            for (long s = 0; s < run.samples; s++)
                for (bl_index p = 0; p < 2; p++)
                    if (fabs(solid_run_probe(&run, s, p, 0) - 0.5 * (double)s) > 1e-9)
                        fail_msg("%s: %.12g at t = %g", meshes[k], solid_run_probe(&run, s, p, 0), 0.5 * (double)s);
            solid_run_end(&run);
        }
}

/* One element, moved at its left end by A sin(w t): its right end responds with X sin, which is the initial state. (k - w^2 m_ff + i w
 * (alpha m_ff + beta k)) X = (k + w^2 m_fg + i w (beta k - alpha m_fg)) A */
static void damped_element__answers_its_support(void **state) {
    (void)state;
    const double E = 50, rho = 2, alpha = 0.4, beta = 0.03, w = 4, A = 0.1;
    for (int lumped = 0; lumped < 2; lumped++) {
        double k = E, m_ff = lumped ? rho / 2 : rho / 3, m_fg = lumped ? 0 : rho / 6;
        double complex X =
            A * (k + w * w * m_fg + I * w * (beta * k - alpha * m_fg)) / (k - w * w * m_ff + I * w * (alpha * m_ff + beta * k));
        char text[900];
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {m: {type: elastic, E: %g, nu: 0, density: %g}}\n"
                 "bodies: [{name: b, mesh: {rectangle: {to: [1, 1], n: [1, 1]}, element: quad4}, material: m, plane: strain, mass: %s,\n"
                 "          damping: {mass: %g, stiffness: %g}}]\n"
                 "supports: [{set: left, x: =%g*sin(%g*t), y: 0}, {set: right, y: 0}]\n"
                 "initial: {b: {displacement: [=%.17g*x, 0], velocity: [=%.17g*x, 0]}}\nprobes: {p: {at: [1, 0]}}\n",
                 E, rho, lumped ? "lumped" : "consistent", alpha, beta, A, w, cimag(X), w * creal(X));
        const double at[] = {0.3, 1, 2};
        solid_run run = {.options = {.until = 2, .at = at, .nat = 3, .integrator = "radau", .tolerance = 1e-9}};
        solid_run_text(&run, text);
        for (int s = 0; s < 3; s++) {
            double want = cimag(X * cexp(I * w * at[s])), moved = solid_run_probe(&run, s, 0, 0) - 1;
            if (fabs(moved - want) > 1e-8)
                fail_msg("%s, t = %g: %.12g, not %.12g", lumped ? "lumped" : "consistent", at[s], moved, want);
        }
        assert_true(run.summary.largest_energy_error < 1e-7 * E * A * A);
        solid_run_end(&run);
    }
}

/* at rest nothing accelerates, whatever the second derivative of the law of a support: the body is carried along without stress */
static void equilibrium__knows_no_inertia(void **state) {
    (void)state;
    solid_end end =
        solid_settle("dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 5}}\n"
                     "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [4, 2]}, element: quad4}, material: m, plane: strain,\n"
                     "          damping: {stiffness: 1}}]\n"
                     "supports: [{set: left, x: =10*t^2, y: 0}]\nprobes: {p: {at: [2, 1]}}\n",
                     &(bl_equilibrium_options){.until = 1, .increments = 2});
    assert_true(fabs(end.x[0][0] - 12) < 1e-10 && fabs(end.x[0][1] - 1) < 1e-10);
}

/* Temperatures that vary while the body oscillates: energy grows by the power of temperatures, with small and large strains. */
static void heat__counts_as_work(void **state) {
    (void)state;
    static const char *const laws[] = {"elastic", "st_venant_kirchhoff, green", "hencky, logarithmic", "neo_hookean, left"};
    for (int k = 0; k < 4; k++) {
        char law[64], text[900], *strain;
        snprintf(law, sizeof law, "%s", laws[k]);
        if ((strain = strchr(law, ',')))
            *strain = '\0', strain += 2;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {m: {type: %s, E: 1000, nu: 0.3, density: 1, expansion: 1e-3}}\n"
                 "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [3, 2]}, element: quad4}, material: m, plane: strain, strain: %s}]\n"
                 "supports: [{set: left, all: 0}]\nloads: [{temperature: =60*sin(3*t)*x}]\nprobes: {p: {at: [2, 1]}}\n",
                 law, strain ? strain : "linear");
        solid_run run = {.options = {.until = 0.5, .every = 0.05, .integrator = "radau", .tolerance = 1e-7}};
        solid_run_text(&run, text);
        assert_true(run.potential[run.samples - 1] > 0.5);
        if (!(run.summary.largest_energy_error < 1e-5 * run.potential[run.samples - 1]))
            fail_msg("%s: off by %.3g of %.3g", laws[k], run.summary.largest_energy_error, run.potential[run.samples - 1]);
        solid_run_end(&run);
    }
}

/* damping proportional to lumped masses requires no stiffness matrix */
static void mass_damping__needs_no_stiffness(void **state) {
    (void)state;
    static const char text[] =
        "dimension: 2\nmaterials: {m: {type: elastic, E: 100, nu: 0.3, density: 1}}\n"
        "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [4, 2]}, element: quad4}, material: m, plane: strain,\n"
        "          mass: lumped, damping: {mass: 2}}]\nsupports: [{set: left, all: 0}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state start;
    bl_eval eval = {0};
    assert_int_equal(bl_model_read_text(ctx, "damped", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_run_prepare(ctx, model, "natural", &sys, &start), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_M | BL_Q, &eval), BL_OK);
    for (bl_index j = 0; j < sys->nv; j++)
        start.v[j] = 1 + 0.1 * j;
    bl_eval_at(&eval, &start);
    assert_int_equal(bl_system_eval(sys, &eval, BL_Q | BL_M), BL_OK);
    assert_null(sys->pat_K.ptr);
    for (bl_index j = 0; j < sys->nv; j++) {
        assert_int_equal(sys->pat_M.ptr[j + 1] - sys->pat_M.ptr[j], 1);
        assert_true(fabs(eval.Q[j] + 2 * eval.M[sys->pat_M.ptr[j]] * start.v[j]) < 1e-14);
    }
    bl_eval_destroy(sys, &eval);
    bl_state_destroy(sys, &start);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* A film of a constant coefficient is part of the constant matrix, one that varies is not: both give h u_outside/(h + k) in the end, and
 * the same before. The outside temperature varies in both. */
static void film__stays_linear_where_it_is(void **state) {
    (void)state;
    static const char *const coefficients[] = {"3", "\"=3 + (t > 1e9 ? 1 : 0)\""};
    double found[2][2];
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "dimension: 1\nmaterials: {m: {type: conducting, conductivity: 2, density: 1}}\n"
                 "fields: [{name: u, mesh: {segment: {to: 1, n: 4}, element: segment2}, material: m, equation: diffusion}]\n"
                 "supports: [{set: left, value: 0}]\nloads: [{set: right, film: [%s, \"=10*(1 - exp(-t))\"]}]\nprobes: {p: {at: [1]}}\n",
                 coefficients[k]);
        const double at[] = {0.5, 40};
        solid_run run = {.options = {.until = 40, .at = at, .nat = 2, .integrator = "radau", .tolerance = 1e-9}};
        solid_run_text(&run, text);
        for (int s = 0; s < 2; s++)
            found[k][s] = solid_run_probe(&run, s, 0, 0);
        solid_run_end(&run);
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_system *sys;
        assert_int_equal(bl_model_read_text(ctx, "film", text, strlen(text), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_fem_build(ctx, model, &sys), BL_OK);
        assert_true(((sys->facts & BL_CK_CONST) != 0) == (k == 0) && (sys->facts & BL_K_SYMMETRIC) && (sys->facts & BL_Q_OF_T));
        bl_system_destroy(sys);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    assert_true(fabs(found[0][0] - found[1][0]) < 1e-7 && found[0][0] > 0.5);
    assert_true(fabs(found[0][1] - 6) < 1e-7 && fabs(found[1][1] - 6) < 1e-7);
}

/* conductivity that depends on the field: methods that iterate and keep tangents agree with one of another family */
static void nonlinear_field__is_the_same_by_all_methods(void **state) {
    (void)state;
    static const char *const methods[] = {"radau", "ndf_auto", "trbdf2", "rosenbrock23"};
    static const double error[] = {0, 1e-6, 1e-6, 1e-5}; /* tolerances 1e-8 over about a hundred steps; W-methods lose a digit more */
    double first = 0;
    for (int k = 0; k < 4; k++) {
        solid_run run = {.options = {.until = 0.5, .every = 0.5, .integrator = methods[k], .tolerance = 1e-8}};
        solid_run_text(&run, "dimension: 1\nmaterials: {m: {type: conducting, conductivity: 1, conductivity_1: 3, density: 1}}\n"
                             "fields: [{name: u, mesh: {segment: {to: 1, n: 8}, element: segment2}, material: m, equation: diffusion}]\n"
                             "supports: [{set: left, value: 0}]\nloads: [{set: right, flux: 4}]\nprobes: {a: {at: [1]}}\n");
        double found = solid_run_probe(&run, 1, 0, 0);
        first = k == 0 ? found : first;
        if (fabs(found - first) > error[k] || (k == 1 && run.summary.steps > 400)) /* several times as many if forces lag */
            fail_msg("%s: %.10g, not %.10g; %ld steps", methods[k], found, first, run.summary.steps);
        solid_run_end(&run);
    }
}

/* A body heated by a field on its mesh: where that is linear, free quadratic elements expand without stress, alpha (2 x^2/2, x y) for T =
 * 10 x, as by a law; at rest, and when diffusion has ended. */
static void body__takes_the_temperature_of_a_field(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials:\n  m: {type: elastic, E: 1000, nu: 0.3, density: 1, expansion: 1e-3}\n"
                 "  c: {type: conducting, conductivity: 1, density: 1}\n"
                 "bodies: [{name: b, mesh: &mesh {rectangle: {to: [2, 1], n: [4, 2]}, element: quad8}, material: m, plane: stress,\n"
                 "          damping: {mass: 1, stiffness: 0.01}}]\n"
                 "fields: [{name: T, mesh: *mesh, material: c, equation: %s}]\n"
                 "supports: [{body: b, at: [0, 0], all: 0}, {body: b, at: [0, 1], x: 0}, {field: T, set: left, value: 0},\n"
                 "           {field: T, set: right, value: 20}]\n"
                 "loads: [{body: b, temperature: {field: T}}]\nprobes: {p: {body: b, at: [2, 1]}}\n",
                 k ? "diffusion" : "stationary");
        double x[2];
        if (k == 0) {
            solid_end at = solid_settle(text, NULL);
            x[0] = at.x[0][0];
            x[1] = at.x[0][1];
        } else {
            const double end = 20; /* slowest mode of heat: exp(-(pi/2)^2 20) = 4e-22, of the body: exp(-10) of its motion */
            solid_run run = {.options = {.until = end, .at = &end, .nat = 1, .integrator = "radau", .tolerance = 1e-6}};
            solid_run_text(&run, text);
            x[0] = solid_run_probe(&run, 0, 0, 0);
            x[1] = solid_run_probe(&run, 0, 0, 1);
            solid_run_end(&run);
        }
        double error = k ? 2e-6 : 1e-12;
        if (fabs(x[0] - 2.02) > error || fabs(x[1] - 1.01) > error)
            fail_msg("%s: (%.12g, %.12g)", k ? "diffusion" : "stationary", x[0], x[1]);
    }
}

static bl_status whole_run(bl_context *ctx, void *user) {
    const char *text = user;
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &(bl_run_options){.until = 0.02, .integrator = "newmark", .step = 0.01}, NULL, 0, NULL);
    bl_model_destroy(model);
    return status;
}

static void failing_memory__is_survived(void **state) {
    (void)state;
    static char text[] = "dimension: 2\nmaterials: {m: {type: elastic, E: 100, nu: 0.3, density: 1, expansion: 1e-3}}\n"
                         "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [2, 1]}, element: quad4}, material: m, plane: strain,\n"
                         "          damping: {mass: 2, stiffness: 0.1}}]\n"
                         "supports: [{set: left, all: =0.1*t^2}]\nloads: [{temperature: =t}]\n";
    assert_true(test_failing_allocations(whole_run, text) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field__rises_with_its_ends),
        cmocka_unit_test(damped_element__answers_its_support),
        cmocka_unit_test(equilibrium__knows_no_inertia),
        cmocka_unit_test(heat__counts_as_work),
        cmocka_unit_test(mass_damping__needs_no_stiffness),
        cmocka_unit_test(film__stays_linear_where_it_is),
        cmocka_unit_test(body__takes_the_temperature_of_a_field),
        cmocka_unit_test(nonlinear_field__is_the_same_by_all_methods),
        cmocka_unit_test(failing_memory__is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
