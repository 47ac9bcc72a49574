/* Starts at the limit of the workspace: a slider-crank (crank 1 m, rod 2 m) whose slider is guessed far beyond is stretched, with the
 * slider 3 m from the crank's pivot. The slider cannot have a rate there, the crank can. In every kind of coordinates, with the same
 * messages. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"natural",  "mixed", "reference", "reference:matrix", "reference:angles", "reference:view=tangent",
                                    "relative", NULL};

typedef struct seen {
    bl_status status;
    char what[512];
    bl_index nvariable, nwarning;
    char name[8][24], warning[512];
    double first[8], rate[8], last[8], kinetic;
    int n;
} seen;

static bl_status on_begin(void *user, const bl_run_info *info) {
    seen *s = user;
    s->nvariable = info->nvariable;
    for (bl_index v = 0; v < info->nvariable && v < 8; v++)
        snprintf(s->name[v], sizeof s->name[v], "%s", info->variable[v]);
    return BL_OK;
}

static bl_status on_sample(void *user, const bl_sample *sample) {
    seen *s = user;
    for (bl_index v = 0; v < s->nvariable && v < 8; v++) {
        s->last[v] = sample->variable[v];
        if (s->n == 0) {
            s->first[v] = sample->variable[v];
            s->rate[v] = sample->variable_rate[v];
        }
    }
    if (s->n++ == 0)
        s->kinetic = sample->kinetic;
    return BL_OK;
}

static seen run(const char *text, const char *coordinates) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    seen s = {0};
    bl_sink sink = {.user = &s, .begin = on_begin, .sample = on_sample};
    double at[] = {0, 0.1};
    bl_run_options options = {.coordinates = coordinates, .until = 0.1, .at = at, .nat = 2, .tolerance = 1e-9};
    assert_int_equal(bl_model_read_text(ctx, "reach.yaml", text, strlen(text), NULL, 0, &model), BL_OK);
    s.status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    snprintf(s.what, sizeof s.what, "%s", bl_context_error(ctx)->what);
    const bl_warning *warning;
    s.nwarning = bl_context_warnings(ctx, &warning, NULL);
    if (s.nwarning)
        snprintf(s.warning, sizeof s.warning, "%s", warning[0].text);
    bl_model_destroy(model);
    test_context_end(ctx);
    return s;
}

static int variable(const seen *s, const char *name) {
    for (int v = 0; v < 8; v++)
        if (!strcmp(s->name[v], name))
            return v;
    fail_msg("no variable %s", name);
    return -1;
}

/* given with the crank at 90 degrees, the slider at sqrt(3) */
static const char *slider_crank(const char *more, const char *initial) {
    static char text[2048];
    snprintf(text, sizeof text,
             "dimension: 2\n"
             "bodies:\n"
             "  - {name: crank, rod: {from: [0, 0], to: [0, 1]}, mass: 1}\n"
             "  - {name: rod, rod: {from: [0, 1], to: [=sqrt(3), 0]}, mass: 1}\n"
             "  - {name: slider, mass: 2, center: [=sqrt(3), 0], inertia: 0.1}\n"
             "  - {name: wheel, disc: {center: [0, -2], radius: 0.5}, mass: 1}\n"
             "joints:\n"
             "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
             "  - {name: B, type: revolute, bodies: [crank, rod], at: [0, 1]}\n"
             "  - {name: C, type: revolute, bodies: [rod, slider], at: [=sqrt(3), 0]}\n"
             "  - {name: D, type: prismatic, bodies: [ground, slider], at: [=sqrt(3), 0], axis: [1, 0]}\n"
             "  - {name: W, type: revolute, bodies: [ground, wheel], at: [0, -2]}\n"
             "%sinitial: {D.distance: {value: 5, guess: true}%s}\n",
             more, initial);
    return text;
}

static void rates_at_the_end_of_the_reach__are_refused(void **state) {
    (void)state;
    for (int k = 0; kinds[k]; k++) {
        seen s = run(slider_crank("", ", D.rate: 1"), kinds[k]);
        assert_int_equal(s.status, BL_E_NUMERIC);
        assert_non_null(strstr(s.what, "initial: D.distance rate = 1 cannot be met: the mechanism starts at the limit of its reach"));
    }
}

static void guesses_there__are_left_out_with_a_warning(void **state) {
    (void)state;
    for (int k = 0; kinds[k]; k++) {
        seen s = run(slider_crank("", ", D.distance_rate: {value: 1, guess: true}"), kinds[k]);
        assert_int_equal(s.status, BL_OK);
        assert_true(s.nwarning > 0);
        assert_non_null(strstr(s.warning, "guesses of rates are ignored"));
        assert_true(s.kinetic < 1e-20);
        assert_true(fabs(s.first[variable(&s, "D.distance")] - (3 - sqrt(3))) < 1e-9); /* stretched to 3 m */
    }
}

/* The crank is driven: the slider's rate is 0, its acceleration -(r w^2 + (r w)^2 / l) = -6 for w = 2, so that it is 3 - 3 t^2 initially.
 * With a gear on the slider its distance is a coordinate of all kinds, and requested as independent. */
static void cranks_there__lead(void **state) {
    (void)state;
    static const char gear[] = "  - {name: g, type: gear, first: D.distance, second: W.angle, ratio: 0.8}\n";
    double end[2] = {0};
    for (int geared = 0; geared < 2; geared++)
        for (int k = 0; kinds[k]; k++) {
            seen s = run(slider_crank(geared ? gear : "", ", A.rate: 2"), kinds[k]);
            if (s.status != BL_OK)
                fail_msg("%s: %s", kinds[k], s.what);
            int d = variable(&s, "D.distance");
            assert_true(fabs(s.rate[d]) < 1e-6); /* the position is found to about 1e-7 */
            assert_true(fabs(s.rate[variable(&s, "A.angle")] - 2) < 1e-12);
            assert_true(fabs(s.last[d] - s.first[d] + 0.03) < 0.003); /* higher-order terms are smaller */
            end[geared] = k == 0 ? s.last[d] : end[geared];
            assert_true(fabs(s.last[d] - end[geared]) < 1e-7);
        }
}

/* A plane that is nearly parallel to the path of its point: j1.angle moves 1000 times as much as all other variables, which are requested
 * as independent if they are coordinates. The motion from rest is the same in all. */
static void what_cannot_lead__does_not(void **state) {
    (void)state;
    static const char drive[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: b1, mass: 0.4948, box: {center: [0.902888, 0.798706, -0.119385], size: [0.633, 0.245, 0.919]}}\n"
        "  - {name: b2, mass: 0.8276, box: {center: [0.426309, -0.289785, 0.638041], size: [0.807, 0.575, 0.955]}}\n"
        "joints:\n"
        "  - {name: j0, type: screw, bodies: [ground, b1], at: [0.742942, 0.526431, -0.140824], "
        "axis: [1.182863, -0.047939, -0.362455], pitch: 0.973}\n"
        "  - {name: j1, type: cylindrical, bodies: [ground, b2], at: [0.317648, -0.391242, 0.407561], "
        "axis: [-0.410265, 1.025677, -0.895094]}\n"
        "  - {name: j2, type: point_on_plane, bodies: [b1, b2], at: [0.884099, 0.707095, -0.285202], "
        "axis: [0.889004, 1.206315, -0.693343]}\n"
        "  - {name: g, type: gear, first: j1.distance, second: j0.angle, ratio: 0.590}\n";
    double end = 0;
    for (int k = 0; kinds[k]; k++) {
        seen s = run(drive, kinds[k]);
        if (s.status != BL_OK)
            fail_msg("%s: %s", kinds[k], s.what);
        int v = variable(&s, "j1.angle");
        end = k == 0 ? s.last[v] : end;
        assert_true(fabs(s.last[v]) > 1e-3 && fabs(s.last[v] - end) < 1e-7 * (1 + fabs(end)));
    }
}

/* a worm drive in reverse: 1e5 times as fast because of its gear, in any configuration */
static void large_ratios__are_no_reach(void **state) {
    (void)state;
    static const char worm[] = "dimension: 2\n"
                               "bodies:\n"
                               "  - {name: worm, disc: {center: [0, 0], radius: 0.1}, mass: 1}\n"
                               "  - {name: wheel, disc: {center: [1, 0], radius: 0.5}, mass: 1}\n"
                               "joints:\n"
                               "  - {name: W, type: revolute, bodies: [ground, worm], at: [0, 0]}\n"
                               "  - {name: V, type: revolute, bodies: [ground, wheel], at: [1, 0]}\n"
                               "  - {name: g, type: gear, first: W.angle, second: V.angle, ratio: 1e5}\n"
                               "initial: {V.rate: 0.01}\n";
    for (int k = 0; kinds[k]; k++) {
        seen s = run(worm, kinds[k]);
        if (s.status != BL_OK)
            fail_msg("%s: %s", kinds[k], s.what);
        assert_true(fabs(s.rate[variable(&s, "V.angle")] - 0.01) < 1e-12);
        assert_true(fabs(1e5 * s.rate[variable(&s, "W.angle")] - 0.01) < 1e-11); /* second = ratio x first */
    }
}

/* a third angle of 134 degrees needs the least motion where the axes of the first and the third coincide */
static void angles_that_are_not_determined__are_refused(void **state) {
    (void)state;
    static const char loop[] = "bodies:\n"
                               "  - {name: b1, mass: 1.8344, box: {center: [0.982949, 0.339225, -0.887819], size: [0.864, 0.971, 0.971]}}\n"
                               "  - {name: b2, mass: 0.8892, box: {center: [1.404132, 0.566139, -0.685908], size: [0.721, 0.899, 0.581]}}\n"
                               "  - {name: b3, mass: 0.6720, box: {center: [1.329699, -0.755211, 0.412673], size: [1.045, 1.158, 1.194]}}\n"
                               "joints:\n"
                               "  - {name: j0, type: cylindrical, bodies: [ground, b1], at: [0.817937, 0.387147, -0.549882], "
                               "at_b: [0.847342, 0.410949, -0.585547], axis: [0.582126, 2.091558, -0.870592]}\n"
                               "  - {name: j1, type: point_on_plane, bodies: [ground, b2], at: [1.139344, 0.374648, -0.378290], "
                               "axis: [0.817999, 1.196768, -0.447171]}\n"
                               "  - {name: j2, type: spherical, bodies: [b2, b3], at: [1.587301, 0.483494, -0.614844]}\n"
                               "  - {name: j3, type: spherical, bodies: [b3, b1], at: [1.016287, 0.074085, -0.500183], angles: true}\n"
                               "initial: {j3.angle3: 2.3451, j0.distance: 0}\n";
    for (int k = 0; kinds[k]; k++) {
        seen s = run(loop, kinds[k]);
        assert_int_equal(s.status, BL_E_NUMERIC);
        assert_non_null(strstr(s.what, "initial: j3.angle3 = 2.3451: the nearest configuration has j3.angle2 = -90 deg"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates_at_the_end_of_the_reach__are_refused),
                                       cmocka_unit_test(guesses_there__are_left_out_with_a_warning),
                                       cmocka_unit_test(cranks_there__lead),
                                       cmocka_unit_test(what_cannot_lead__does_not),
                                       cmocka_unit_test(large_ratios__are_no_reach),
                                       cmocka_unit_test(angles_that_are_not_determined__are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
