/* A model in a mixture of coordinates moves as in natural ones, in the plane and in space, with loops and redundant rows; energy is
 * conserved. */
#include "model/model.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 10, MOST_BODIES = 10 };

typedef struct motion {
    double at[SAMPLES][MOST_BODIES][7];
    bl_index nbody;
    int n;
    long steps;
    double kinetic, energy_error;
} motion;

static bl_status keep(void *user, const bl_sample *s) {
    motion *m = user;
    for (bl_index b = 0; m->n < SAMPLES && b < m->nbody; b++) {
        memcpy(m->at[m->n][b], s->body[b].position, 3 * sizeof(double));
        memcpy(m->at[m->n][b] + 3, s->body[b].quaternion, 4 * sizeof(double));
    }
    m->kinetic = fmax(m->kinetic, s->kinetic);
    m->energy_error = fmax(m->energy_error, fabs(s->energy_error));
    m->n++;
    return BL_OK;
}

/* coordinates of the bodies in turn */
typedef struct mixture {
    const char *coordinates, *say[3];
} mixture;

static const mixture mixtures[] = {
    {"natural", {NULL, NULL, NULL}},
    {"natural", {NULL, "reference", NULL}},
    {"mixed", {"reference:angles", NULL, "reference:matrix"}},
    {"reference:angles", {NULL, "natural", "reference:quaternion"}},
    {"reference", {"natural", "natural", NULL}},
    {"relative", {NULL, "reference", NULL}},
    {"relative", {NULL, NULL, "natural"}},
    {"natural", {"relative", "reference", NULL}},
    {"natural", {"reference:angles", NULL, "reference:view=tangent"}},
};

enum { NMIXTURE = sizeof mixtures / sizeof *mixtures, NFLAT = NMIXTURE - 1 }; /* the last has more positions than velocities */

static void run(const char *scene, int which, bl_run_options options, motion *now) {
    char file[512];
    double at[SAMPLES];
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_run_summary summary = {0};
    const mixture *mix = &mixtures[which];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    for (int k = 0; k < SAMPLES; k++)
        at[k] = options.until * (k + 1) / SAMPLES;
    assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
    for (bl_index b = 1; b < model->nbody; b++)
        model->body[b].coordinates = mix->say[(b - 1) % 3];
    memset(now, 0, sizeof *now);
    now->nbody = model->nbody - 1;
    assert_true(now->nbody <= MOST_BODIES);
    options.coordinates = mix->coordinates;
    options.tolerance = 1e-10;
    options.at = at;
    options.nat = SAMPLES;
    bl_sink sink = {.user = now, .sample = keep};
    if (bl_simulate(ctx, model, &options, &sink, 1, &summary) != BL_OK)
        fail_msg("%s, mixture %d: %s (%s)", scene, which, bl_context_error(ctx)->what, bl_context_error(ctx)->advice);
    assert_int_equal(now->n, SAMPLES);
    now->steps = summary.steps;
    bl_model_destroy(model);
    test_context_end(ctx);
}

static double apart(const motion *a, const motion *b) {
    double most = 0;
    for (int k = 0; k < SAMPLES; k++)
        for (bl_index i = 0; i < a->nbody; i++)
            for (int c = 0; c < 7; c++)
                most = fmax(most, fabs(a->at[k][i][c] - b->at[k][i][c]));
    return most;
}

static void mixtures__move_as_natural_coordinates_do(void **unused) {
    (void)unused;
    static const struct {
        const char *scene, *formulation;
        double until;
    } cases[] = {{"four_bar", NULL, 1},   {"slider_crank", NULL, 1}, {"andrews", NULL, 0.01},
                 {"w3_chain", NULL, 0.5}, {"bricard", NULL, 1},      {"spatial_slider_crank", "lagrange", 0.5}};
    motion *got = calloc(2, sizeof *got);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int i = 0; i < NMIXTURE; i++) {
            bl_run_options options = {.formulation = cases[k].formulation, .until = cases[k].until};
            motion *now = &got[i > 0];
            run(cases[k].scene, i, options, now);
            double off = apart(now, &got[0]);
            print_message("%s, mixture %d: off by %.1e, energy error %.1e J\n", cases[k].scene, i, off, now->energy_error);
            if (!(off <= 1e-7)) /* a few hundred steps with errors of 1e-10, amplified by the motion */
                fail_msg("%s, mixture %d: off by %g", cases[k].scene, i, off);
            if (!(now->energy_error <= 1e-10 * (double)now->steps * now->kinetic)) /* every step has an error of at most the tolerance */
                fail_msg("%s, mixture %d: energy error %g J", cases[k].scene, i, now->energy_error);
        }
    free(got);
}

/* friction from the reactions of joints, of which some are shared and some have rows; creeping at rest amplifies errors of 1e-10 up to a
 * thousand times */
static void mixtures__press_alike(void **unused) {
    (void)unused;
    motion *got = calloc(2, sizeof *got);
    for (int i = 0; i < NMIXTURE; i++) {
        bool tree = strcmp(mixtures[i].coordinates, "relative") == 0;
        for (int k = 0; k < 3; k++)
            tree = tree || (mixtures[i].say[k] && strcmp(mixtures[i].say[k], "relative") == 0);
        if (tree) /* which does not accept it */
            continue;
        run("friction_slider_crank", i, (bl_run_options){.until = 1}, &got[i > 0]);
        double off = apart(&got[i > 0], &got[0]);
        print_message("friction_slider_crank, mixture %d: off by %.1e\n", i, off);
        if (!(off <= 1e-7))
            fail_msg("friction_slider_crank, mixture %d: off by %g", i, off);
    }
    free(got);
}

/* methods of second order: half the step, a quarter of the error compared with the exact motion; at least a third with higher terms */
static void mixtures__keep_the_order_of_implicit_methods(void **unused) {
    (void)unused;
    static const struct {
        const char *scene, *integrator, *formulation;
        double until, step;
    } cases[] = {{"four_bar", "genalpha", "index3", 0.2, 1e-3},
                 {"bricard", "bdf:2", "ggl", 0.2, 2e-3},
                 {"spatial_slider_crank", "newmark", "ali3p", 0.1, 1e-3}};
    motion *got = calloc(2, sizeof *got);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        run(cases[k].scene, 0, (bl_run_options){.until = cases[k].until}, &got[0]);
        for (int i = 0; i < NFLAT; i++) {
            double off[2];
            for (int half = 0; half < 2; half++) {
                bl_run_options options = {.formulation = cases[k].formulation,
                                          .integrator = cases[k].integrator,
                                          .until = cases[k].until,
                                          .step = cases[k].step / (1 + half)};
                run(cases[k].scene, i, options, &got[1]);
                off[half] = apart(&got[1], &got[0]);
            }
            print_message("%s, %s, mixture %d: off by %.1e and %.1e\n", cases[k].scene, cases[k].integrator, i, off[0], off[1]);
            if (!(off[1] <= off[0] / 3))
                fail_msg("%s, %s, mixture %d: off by %g, with half the step by %g", cases[k].scene, cases[k].integrator, i, off[0], off[1]);
        }
    }
    free(got);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mixtures__move_as_natural_coordinates_do), cmocka_unit_test(mixtures__press_alike),
                                       cmocka_unit_test(mixtures__keep_the_order_of_implicit_methods)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
