/* Waves and diffusion on a line of elements: published step counts of adaptive methods exactly, oscillations behind a front by method,
 * limits of stability, exact nodal values. The counts are those of ode45 and ode15s (Shampine and Reichelt 1997) with relative tolerance
 * 1e-3 and absolute 1e-6; total variations as published for these elements, constant steps, trapezoidal start. */
#include "biela/biela.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1000 };
typedef struct last {
    bl_index n;
    double u[MOST + 1]; /* ends included */
    bl_run_summary summary;
} last;

static bl_status begin(void *user, const bl_run_info *info) {
    ((last *)user)->n = info->nvariable;
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    last *l = user;
    l->u[0] = l->u[l->n + 1] = 0;
    memcpy(l->u + 1, sample->variable, (size_t)l->n * sizeof *l->u);
    return BL_OK;
}

static bl_status run(const char *scene, double N, int shape, const bl_run_options *given, last *l) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_override set[] = {{"N", N}, {"shape", shape}};
    bl_sink sink = {.user = l, .begin = begin, .sample = take};
    l->summary = (bl_run_summary){0};
    bl_run_options options = *given;
    options.at = &options.until;
    options.nat = 1;
    if (bl_model_read(ctx, path, set, 2, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, &l->summary);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

static void adaptive__step_counts_are_the_published_ones(void **unused) {
    (void)unused;
    static const struct {
        const char *scene, *integrator;
        int N, shape;
        long steps;
    } count[] = {
        {"diffusion_1d", "ndf_auto", 1000, 1, 16}, {"diffusion_1d", "ndf_auto", 100, 2, 58}, {"diffusion_1d", "ndf_auto", 100, 3, 142},
        {"wave_1d", "ndf_auto", 100, 1, 32},       {"wave_1d", "ndf_auto", 200, 1, 32},      {"wave_1d", "ndf_auto", 1000, 1, 32},
        {"wave_1d", "dopri45", 100, 2, 999},       {"wave_1d", "dopri45", 200, 2, 2078},     {"wave_1d", "dopri45", 100, 3, 1101},
        {"diffusion_1d", "dopri45", 100, 2, 9033},
    };
    for (size_t k = 0; k < sizeof count / sizeof *count; k++) {
        last l;
        bl_run_options options = {.integrator = count[k].integrator, .until = 16, .tolerance = 1e-3, .absolute = 1e-6};
        assert_int_equal(run(count[k].scene, count[k].N, count[k].shape, &options, &l), BL_OK);
        if (l.summary.steps != count[k].steps)
            fail_msg("%s, %d elements, shape %d by %s: %ld steps, published %ld", count[k].scene, count[k].N, count[k].shape,
                     count[k].integrator, l.summary.steps, count[k].steps);
    }
}

static double variation(const last *l) {
    double sum = 0;
    for (bl_index i = 0; i <= l->n; i++)
        sum += fabs(l->u[i + 1] - l->u[i]);
    return sum;
}

/* The pulse at t = 2, 400 elements, 1400 steps over 16: total variation, 2 for the exact solution. */
static void pulse__oscillates_behind_its_fronts_as_published(void **unused) {
    (void)unused;
    static const struct {
        const char *integrator;
        double steps, variation;
    } method[] = {
        {"trapezoidal", 1400, 13.16}, {"hht:0", 1400, 13.16},  {"bdf_alpha:-0.5", 1400, 13.16}, {"hht:0.05", 1400, 3.89},
        {"hht:0.3", 1400, 2.64},      {"hht:0.3", 2000, 4.68}, {"bdf_alpha:-0.35", 1400, 2.63}, {"bdf_alpha:-0.475065", 1400, 3.70},
        {"bdf:2", 1400, 2.93},        {"ebdf:3", 1400, 3.93},  {"endf:3", 1400, 4.28},          {"mendf:3", 1400, 4.33}};
    double hht[MOST + 1] = {0};
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
        last l;
        bl_run_options options = {.integrator = method[k].integrator, .until = 2, .step = 16 / method[k].steps};
        assert_int_equal(run("wave_1d", 400, 3, &options, &l), BL_OK);
        assert_near(variation(&l), method[k].variation, 0.005);
        if (k == 1)
            memcpy(hht, l.u, sizeof hht);
        for (bl_index i = 0; k == 2 && i <= 400; i++) /* the same method in another form */
            assert_near(l.u[i], hht[i], 1e-11);
    }
}

/* With linear elements, consistent mass and beta = 1/6, errors of space and time cancel at h = dx: d'Alembert's solution at the nodes. */
static void newmark__of_linear_acceleration_is_exact_at_the_nodes(void **unused) {
    (void)unused;
    last l;
    bl_run_options options = {.integrator = "newmark:beta=0.16666666666666666", .until = 2, .step = 0.02};
    assert_int_equal(run("wave_1d", 400, 3, &options, &l), BL_OK);
    for (int i = 0; i <= 400; i++) {
        bool right = i >= 250 && i <= 350, left = i >= 50 && i <= 150; /* [3, 5] moved by 2 in each direction, half as high */
        assert_near(l.u[i], 0.5 * (right + left), 1e-13);
    }
}

/* |lambda| max = 1873.61 (diffusion, 100 elements): rk4 is stable up to h |lambda| = 2.785; 433.01 (wave, 1000 elements): up to 2 sqrt
 * 2. */
static void rk4__is_stable_with_the_published_number_of_steps_and_not_with_less(void **unused) {
    (void)unused;
    static const struct {
        const char *scene;
        double N, enough, too_few;
    } limit[] = {{"diffusion_1d", 100, 10792, 10600}, {"wave_1d", 1000, 2457, 2380}};
    for (int k = 0; k < 2; k++) {
        last l;
        bl_run_options options = {.integrator = "rk4", .until = 16, .step = 16 / limit[k].enough};
        assert_int_equal(run(limit[k].scene, limit[k].N, 3, &options, &l), BL_OK);
        assert_true(variation(&l) < 1000);
        options.step = 16 / limit[k].too_few;
        bl_status status = run(limit[k].scene, limit[k].N, 3, &options, &l);
        assert_true(status < 0 || variation(&l) > 1e6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adaptive__step_counts_are_the_published_ones),
        cmocka_unit_test(pulse__oscillates_behind_its_fronts_as_published),
        cmocka_unit_test(newmark__of_linear_acceleration_is_exact_at_the_nodes),
        cmocka_unit_test(rk4__is_stable_with_the_published_number_of_steps_and_not_with_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
