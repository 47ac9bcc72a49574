/* Every formulation passes the flat configurations of the N four-bar mechanism (IFToMM benchmark A02), where the mobility changes from 1 to
 * N + 1, with the default method and with steps that end exactly in the first of them; about 20 passages in 10 s. The tip must follow psi''
 * = g ((N+1)/2 + N) / ((N+1)/3 + N) sin psi, and the energy must stay within the 0.1 J that the benchmark requires. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef LOOPS
#define LOOPS 2 /* tests/long runs more */
#endif

typedef struct branch {
    int N;
    double t, psi, rate, error, energy;
} branch;

/* the exact motion by the classical Runge-Kutta method with at most 2e-4 s: error below 1e-10 */
static void follow(branch *b, double t) {
    double k = 9.81 * ((b->N + 1) / 2.0 + b->N) / ((b->N + 1) / 3.0 + b->N);
    while (b->t < t - 1e-12) {
        double h = fmin(2e-4, t - b->t), p = b->psi, r = b->rate;
        double k1 = r, l1 = k * sin(p), k2 = r + h / 2 * l1, l2 = k * sin(p + h / 2 * k1);
        double k3 = r + h / 2 * l2, l3 = k * sin(p + h / 2 * k2), k4 = r + h * l3, l4 = k * sin(p + h * k3);
        b->psi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        b->rate += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
        b->t += h;
    }
}

static double flat_at(int N) {
    double t0 = 0, t1 = 1;
    for (int j = 0; j < 50; j++) {
        branch b = {.N = N, .rate = 1};
        double t = 0.5 * (t0 + t1);
        follow(&b, t);
        *(b.psi < acos(0) ? &t0 : &t1) = t;
    }
    return t0;
}

static bl_status compare(void *user, const bl_sample *sample) {
    branch *b = user;
    follow(b, sample->t);
    b->error = fmax(b->error, hypot(sample->probe[0] - sin(b->psi), sample->probe[1] - cos(b->psi)));
    b->energy = fmax(b->energy, fabs(sample->energy_error));
    return BL_OK;
}

typedef struct outcome {
    bl_status status;
    branch b;
    bl_error said;
    bl_run_summary summary;
} outcome;

static outcome run(int N, const bl_run_options *how) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    outcome o = {.b = {.N = N, .rate = 1}};
    bl_run_options options = *how;
    double at[40];
    for (int i = 0; i < 40; i++)
        at[i] = 0.25 * (i + 1);
    options.until = 10;
    options.at = at;
    options.nat = 40;
    assert_int_equal(bl_model_read(ctx, SCENES "/n_four_bar.yaml", &(bl_override){"N", N}, 1, &model), BL_OK);
    o.status = bl_simulate(ctx, model, &options, &(bl_sink){.user = &o.b, .sample = compare}, 1, &o.summary);
    o.summary.stopped_by = NULL;
    o.said = *bl_context_error(ctx);
    bl_model_destroy(model);
    test_context_end(ctx);
    return o;
}

/* hit: the method whose steps are forced onto the singular time, and their number up to it. full: matrices are dense */
static const struct {
    const char *formulation, *hit;
    int steps;
    bool full;
} kinds[] = {
    {"lagrange", "rk4", 80, false},
    {"partition", "rk4", 80, false},
    {"partition:index=2", "rk4", 80, false},
    {"partition:3,independent", "rk4", 160, false},
    {"baumgarte", "rk4", 80, false},
    {"projection", "rk4", 80, false},
    {"projection:at=stage", "rk4", 80, false},
    {"correction", "rk4", 80, false},
    {"penalty", "rk4", 80, false},
    {"auglag", "rk4", 80, false},
    {"auglag:project=step", "rk4", 80, false},
    {"auglag:project=stage", "rk4", 80, false},
    {"index3", "hht", 400, false},
    {"ggl", "hht", 400, false},
    {"ggl", "trapezoidal", 400, false},
    {"index3", "bdf:2", 1600, false},
    {"matrix_r", "rk4", 80, true},
    {"matrix_r:qr", "rk4", 80, true},
    {"matrix_r:svd", "rk4", 80, true},
    {"range_space", "rk4", 80, true},
    {"null_space", "rk4", 80, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const int loops[] = {LOOPS};
enum { NLOOPS = sizeof loops / sizeof *loops, FULL_MOST = 40 };

static void expect_branch(const outcome *o, int N, const char *formulation, const char *how) {
    print_message("N = %d, %s, %s: error %.1e m, energy %.1e J, %ld steps, %ld handovers\n", N, formulation, how, o->b.error, o->b.energy,
                  o->summary.steps, o->summary.handovers);
    if (o->status != BL_OK)
        fail_msg("N = %d, %s, %s: %s (%s)", N, formulation, how, o->said.what, o->said.part);
    /* On another branch B0 has an error of about 1 m. */
    if (!(o->b.error < 0.05) || !(o->b.energy <= 0.1))
        fail_msg("N = %d, %s, %s: off the branch by %g m, energy by %g J", N, formulation, how, o->b.error, o->b.energy);
}

static void every_formulation__passes_with_the_default_method(void **state) {
    (void)state;
    for (int i = 0; i < NLOOPS; i++)
        for (int k = 0; k < KINDS; k++)
            if (!kinds[k].full || loops[i] <= FULL_MOST) {
                /* the same fraction of more energy; index 3 by differences needs most of it */
                double tolerance = loops[i] > 100 ? 1e-7 : 1e-6;
                if (loops[i] > 2 && strcmp(kinds[k].formulation, "index3") == 0)
                    tolerance *= 0.1;
                bl_run_options options = {.formulation = kinds[k].formulation, .tolerance = tolerance};
                outcome o = run(loops[i], &options);
                expect_branch(&o, loops[i], kinds[k].formulation, "default");
            }
}

static void every_formulation__passes_steps_onto_the_singular_time(void **state) {
    (void)state;
    for (int i = 0; i < NLOOPS; i++)
        for (int k = 0; k < KINDS; k++)
            if (!kinds[k].full || loops[i] <= FULL_MOST) {
                int more = kinds[k].steps < 400 || loops[i] == 2 ? 1
                           : loops[i] > 100                      ? 4
                                                                 : 2; /* second order: a smaller fraction of more energy */
                int steps = kinds[k].steps * more;
                bl_run_options options = {
                    .formulation = kinds[k].formulation, .integrator = kinds[k].hit, .step = flat_at(loops[i]) / steps};
                outcome o = run(loops[i], &options);
                expect_branch(&o, loops[i], kinds[k].formulation, kinds[k].hit);
            }
}

/* The path depends on N only through a factor between 1.28 and 1.30 of gravity, so steps and evaluations do not depend on it either: the
 * cost of a run grows like that of an evaluation. */
static void steps__do_not_depend_on_the_number_of_loops(void **state) {
    (void)state;
    static const char *const kind[] = {"lagrange", "partition", "projection", "auglag:project=stage", "index3", "ggl"};
    for (int k = 0; k < 6; k++) {
        bl_run_options options = {.formulation = kind[k], .tolerance = 1e-7};
        outcome few = run(10, &options), many = run(NLOOPS > 1 ? 160 : 40, &options);
        double ratio = (double)many.summary.evaluations / (double)few.summary.evaluations;
        print_message("%s: %ld evaluations, %ld with more loops\n", kind[k], few.summary.evaluations, many.summary.evaluations);
        assert_true(few.status == BL_OK && many.status == BL_OK);
        assert_true(ratio < 1.5 && ratio > 1 / 1.5);
        assert_true(many.summary.handovers <= 22); /* one for each passage */
    }
}

/* A stage exactly in the singular configuration is refused if rank is decided there. */
static void refuse__ends_at_the_singular_time(void **state) {
    (void)state;
    double flat = flat_at(2);
    for (int k = 0; k < KINDS; k++) {
        bool no_rank = strncmp(kinds[k].formulation, "auglag", 6) == 0;
        if (strcmp(kinds[k].hit, "rk4") != 0 || no_rank)
            continue;
        double h = flat / kinds[k].steps;
        outcome o = run(2, &(bl_run_options){.formulation = kinds[k].formulation, .integrator = "rk4", .step = h, .singular = "refuse"});
        print_message("%s: %s; %s, %s\n", kinds[k].formulation, o.said.what, o.said.part, o.said.equation);
        assert_int_equal(o.status, BL_E_NUMERIC);
        assert_true(fabs(o.said.time - flat) < h);
        assert_non_null(strstr(o.said.what, "constraints become dependent"));
        assert_non_null(strstr(o.said.part, "joint"));
        assert_true(o.b.t > flat - 0.5 && o.b.error < 1e-3); /* what was computed is kept */
    }
}

/* singular: refuse and step_over end with a reason if they end */
static void other_policies__name_time_joint_and_reason(void **state) {
    (void)state;
    for (int over = 0; over < 2; over++)
        for (int k = 0; k < KINDS; k++) {
            bl_run_options options = {.formulation = kinds[k].formulation, .tolerance = 1e-8, .singular = over ? "step_over" : "refuse"};
            outcome o = run(2, &options);
            bool stage = strncmp(kinds[k].formulation, "index3", 6) == 0 || strncmp(kinds[k].formulation, "ggl", 3) == 0;
            if (o.status == BL_OK) {
                print_message("%s, %s: passed, error %.1e m\n", kinds[k].formulation, options.singular, o.b.error);
                assert_true(o.b.error < 0.02);
                continue;
            }
            assert_int_equal(o.status, BL_E_NUMERIC);
            print_message("%s, %s: %s; %s, %s\n", kinds[k].formulation, options.singular, o.said.what, o.said.part, o.said.equation);
            assert_true(o.said.time > 0.6 && o.said.time < 10);
            assert_true(strstr(o.said.what, "singular") || stage);
            assert_true(strstr(o.said.part, "joint") || stage);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_formulation__passes_with_the_default_method),
        cmocka_unit_test(every_formulation__passes_steps_onto_the_singular_time),
        cmocka_unit_test(steps__do_not_depend_on_the_number_of_loops),
        cmocka_unit_test(refuse__ends_at_the_singular_time),
        cmocka_unit_test(other_policies__name_time_joint_and_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
