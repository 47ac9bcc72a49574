/* Constraint rows that restrict velocities only, in every formulation that takes them: motions with closed solutions, dependent rows,
 * counts of both mobilities, refusals. */
#include "support/bilinear.h"
#include "support/testing.h"

#include "sparse/sparse.h"
#include "study/simulation.h"

#include <math.h>
#include <string.h>

typedef struct subject {
    const char *name;
    test_bilinear (*make)(void);
    void (*at)(double t, double *q, double *v);
    bl_index dof, dof_position, redundant;
} subject;

static test_bilinear in_line(void) { return test_sleigh_dependent(true); }
static test_bilinear implied(void) { return test_sleigh_dependent(false); }

static const subject subjects[] = {
    {"sleigh", test_sleigh, test_sleigh_at, 2, 3, 0},
    {"knife edge", test_knife_edge, test_knife_edge_at, 2, 3, 0},
    {"upright disc", test_upright_disc, test_upright_disc_at, 2, 4, 0},
    {"ball on a turntable", test_ball_on_turntable, test_ball_on_turntable_at, 3, 5, 0},
    {"blades in line", in_line, test_sleigh_at, 2, 3, 1},
    {"a row of velocities that positions imply", implied, test_sleigh_at, 2, 3, 1},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct ending {
    double error, error_v, drift, velocity_drift, rows; /* rows: |G v - b| of velocity rows */
    bl_status status;
} ending;

static double apart(int n, const double *a, const double *b) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = isnan(a[i]) ? INFINITY : fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

static void no_warnings(bl_context *ctx) {
    const bl_warning *first;
    bl_index more, count = bl_context_warnings(ctx, &first, &more);
    for (bl_index k = 0; k < count; k++)
        print_message("warning: %s\n", first[k].text);
}

/* |G v - b| of the velocity rows */
static double excess(bl_simulation *sim) {
    double size = 0, row[BILINEAR_ROWS] = {0};
    bl_eval_at(&sim->eval, &sim->state);
    assert_int_equal(bl_system_eval(sim->sys, &sim->eval, BL_G | BL_B), BL_OK);
    bl_csc_multiply(&sim->sys->pat_G, sim->eval.G, sim->state.v, row);
    for (bl_index i = 0; i < sim->sys->np; i++)
        size = sim->sys->row[i].level == BL_AT_VELOCITY ? fmax(size, fabs(row[i] - sim->eval.b[i])) : size;
    return size;
}

static ending run(const subject *of, const bl_simulation_setup *setup) {
    bl_context *ctx = test_context(NULL);
    test_bilinear def = of->make();
    bl_system *sys;
    bl_state start;
    bl_simulation *sim = NULL;
    ending end = {0};
    double q[BILINEAR_N], v[BILINEAR_N];
    assert_int_equal(test_bilinear_create(ctx, &def, &sys, &start), BL_OK);
    end.status = bl_simulation_create(sys, &start, setup, &sim);
    for (bl_status status = end.status; status == BL_OK && *sim->state.t < setup->t_end;) {
        status = bl_simulation_advance(sim);
        if (status != BL_OK)
            fail_msg("%s, %s, %s at t = %g: %s", of->name, setup->formulation, setup->integrator, *sim->state.t,
                     bl_context_error(ctx)->what);
        bl_sample sample;
        assert_int_equal(bl_simulation_sample(sim, *sim->state.t, &sample), BL_OK);
        end.drift = fmax(end.drift, sample.drift);
        end.velocity_drift = fmax(end.velocity_drift, sample.velocity_drift);
        end.rows = fmax(end.rows, excess(sim));
    }
    if (sim) {
        of->at(setup->t_end, q, v);
        end.error = apart(def.n, sim->state.q, q);
        end.error_v = apart(def.n, sim->state.v, v);
        assert_int_equal(sim->form->dof, of->dof);
        assert_int_equal(sim->form->dof_position, of->dof_position);
        assert_int_equal(sim->form->redundant, of->redundant);
        no_warnings(ctx);
    }
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &start);
    bl_system_destroy(sys);
    test_context_end(ctx);
    return end;
}

static bool takes(const bl_formulation_kind *kind, uint32_t gives) {
    return kind->index > 0 && (kind->kind.gives & (gives | BL_TAKES_VELOCITY_ROWS)) == (gives | BL_TAKES_VELOCITY_ROWS);
}

static void check_rates(const char *formulation, const char *integrator) {
    for (int k = 0; k < SUBJECTS; k++) {
        bl_simulation_setup setup = {.formulation = formulation, .integrator = integrator, .t_end = 3, .tolerance = 1e-9};
        ending end = run(&subjects[k], &setup);
        print_message("%s, %s, %s: errors %.1e, %.1e, drift %.1e, %.1e\n", subjects[k].name, formulation, integrator, end.error,
                      end.error_v, end.drift, end.velocity_drift);
        assert_int_equal(end.status, BL_OK);
        double most = 2e-8;
        assert_true(end.error < most && end.error_v < most);
        assert_true(end.velocity_drift < 1e-9);
    }
}

static void rates__give_the_closed_solutions(void **state) {
    (void)state;
    static const char *const options[] = {"partition:state=independent", "partition:index=2", "partition:dense=0", "projection:at=stage",
                                          "projection:weight=identity",  "matrix_r:qr",       "matrix_r:svd"};
    for (size_t f = 0; f < bl_formulation_kind_count; f++)
        if (takes(bl_formulation_kinds[f], BL_CAN_RATE))
            check_rates(bl_formulation_kinds[f]->kind.name, "dop853");
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        check_rates(options[k], "dop853");
    check_rates("auglag:project=stage", "dop853");
    check_rates("auglag:project=step,rows=raw", "dop853");
    check_rates("penalty:rows=raw", "dop853");
    check_rates("partition", "radau");
    check_rates("lagrange", "radau");
}

static void series__give_the_closed_solutions(void **state) {
    (void)state;
    for (size_t f = 0; f < bl_formulation_kind_count; f++)
        if (takes(bl_formulation_kinds[f], BL_CAN_COEFFICIENT))
            check_rates(bl_formulation_kinds[f]->kind.name, "series");
}

/* ---- stages */

static bool refuses(const char *integrator) { return bl_integrator_kind_of(integrator)->kind.gives & BL_AT_POSITIONS; }

static void check_stages(const char *formulation, const bl_integrator_kind *kind) {
    const char *integrator = kind->kind.name;
    bool adaptive = kind->kind.gives & BL_ADAPTIVE;
    for (int k = 0; k < SUBJECTS; k++) {
        ending end[2];
        for (int fine = 0; fine < 2; fine++) {
            double h = fine ? 0.0025 : 0.005, tolerance = !adaptive ? 1e-6 : fine ? 1e-8 : 1e-6;
            bl_simulation_setup setup = {.formulation = formulation, .integrator = integrator, .t_end = 1, .tolerance = tolerance};
            setup.step = setup.h_max = adaptive ? 0 : h;
            end[fine] = run(&subjects[k], &setup);
        }
        print_message("%s, %s, %s: errors %.1e, %.1e, ratios %.2f, %.2f, rows %.1e, drift %.1e, %.1e\n", subjects[k].name, formulation,
                      integrator, end[1].error, end[1].error_v, end[0].error / end[1].error, end[0].error_v / end[1].error_v, end[1].rows,
                      end[1].drift, end[1].velocity_drift);
        assert_int_equal(end[0].status, refuses(integrator) ? BL_E_ABILITY : BL_OK);
        if (refuses(integrator))
            continue;
        assert_true(end[1].error < 2e-4 && end[1].error_v < 2e-4);
        assert_true(end[1].drift < 1e-7);
        /* dropped rows depend on velocities of position rows, which index 3 does not hold */
        assert_true(end[1].rows < (subjects[k].redundant ? 1e-3 : 1e-7));
        if (!adaptive && end[1].error > 1e-9)
            assert_true(end[0].error / end[1].error > 3 && end[0].error_v / end[1].error_v > 3);
    }
}

static void stages__converge_at_their_order(void **state) {
    (void)state;
    for (size_t f = 0; f < bl_formulation_kind_count; f++)
        for (size_t i = 0; i < bl_integrator_kind_count; i++) {
            const bl_integrator_kind *kind = bl_integrator_kinds[i];
            uint32_t needs = kind->kind.needs;
            bool stages = (needs & BL_CAN_STAGE) && !(needs & BL_CAN_SHIFT) && strcmp(kind->kind.name, "multistep") != 0;
            if (stages && takes(bl_formulation_kinds[f], BL_CAN_STAGE) && !(bl_formulation_kinds[f]->kind.gives & BL_CAN_RATE))
                check_stages(bl_formulation_kinds[f]->kind.name, kind);
        }
    check_stages("ggl:reduce=nullspace", &bl_integrator_genalpha);
    check_stages("index3:reduce=nullspace", &bl_integrator_genalpha);
}

/* ---- refusals */

static void others__refuse_with_the_row_and_an_alternative(void **state) {
    (void)state;
    for (size_t f = 0; f < bl_formulation_kind_count; f++) {
        const bl_formulation_kind *kind = bl_formulation_kinds[f];
        if (kind->index == 0 || takes(kind, 0))
            continue;
        bl_context *ctx = test_context(NULL);
        test_bilinear def = test_sleigh();
        bl_system *sys;
        bl_state start;
        bl_formulation *form;
        assert_int_equal(test_bilinear_create(ctx, &def, &sys, &start), BL_OK);
        assert_int_equal(bl_formulation_create(sys, kind->kind.name, NULL, NULL, &form), BL_E_ABILITY);
        const bl_error *error = bl_context_error(ctx);
        assert_non_null(strstr(error->what, kind->kind.name));
        assert_non_null(strstr(error->what, "row1 restricts velocities only"));
        assert_non_null(strstr(error->advice, "partition"));
        bl_state_destroy(sys, &start);
        bl_system_destroy(sys);
        test_context_end(ctx);
    }
}

/* the digits of other programs: C11a, C11b */
static void solutions__have_the_published_digits(void **state) {
    (void)state;
    double q[BILINEAR_N], v[BILINEAR_N];
    test_sleigh_at(1, q, v);
    assert_float_equal(q[0] - 0.2 * q[2], 0.9044742948, 1e-10);
    assert_float_equal(q[1] - 0.2 * q[3], 0.6833910458, 1e-10);
    assert_float_equal(atan2(q[3], q[2]), 0.9930417024, 1e-10);
    assert_float_equal(q[2] * v[3] - q[3] * v[2], 0.3718553819, 1e-10);
    test_sleigh_at(5, q, v);
    assert_float_equal(q[0] - 0.2 * q[2], 2.8382481805, 1e-10);
    assert_float_equal(q[1] - 0.2 * q[3], 5.2816539593, 1e-10);
    test_ball_on_turntable_at(3, q, v);
    assert_float_equal(q[0], -0.0743905782, 1e-10);
    assert_float_equal(q[1], 0.3148659397, 1e-10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions__have_the_published_digits),
        cmocka_unit_test(rates__give_the_closed_solutions),
        cmocka_unit_test(series__give_the_closed_solutions),
        cmocka_unit_test(stages__converge_at_their_order),
        cmocka_unit_test(others__refuse_with_the_row_and_an_alternative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
