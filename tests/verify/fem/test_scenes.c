/* Scenes with meshes, run as described in their first lines: the numbers stated there. Details about each number are in the other tests of
 * this folder; here the files themselves are tested. */
#include "biela/modes.h"
#include "support/solid_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bl_model *read_scene(bl_context *ctx, const char *scene, const bl_override *set, bl_index nset) {
    char path[500];
    bl_model *model = NULL;
    snprintf(path, sizeof path, SCENES "/%s.yaml", scene);
    if (bl_model_read(ctx, path, set, nset, &model) != BL_OK)
        fail_msg("%s: %s (line %d)", scene, bl_context_error(ctx)->what, bl_context_error(ctx)->line);
    return model;
}

enum { VALUES = 6 };

typedef struct value {
    int probe, part;
    double want, error;
} value;

static bl_status take(void *user, const bl_sample *s) { return memcpy(user, s->probe, 12 * sizeof(double)), BL_OK; }

static bl_status count_probes(void *user, const bl_run_info *info) {
    (void)user;
    return info->nprobe <= 4 ? BL_OK : BL_E_ARG;
}

/* positions of probes: those of the reference and the displacements that scenes state */
static void scenes_at_rest__have_their_numbers(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        bl_override set[1];
        double until;
        value value[VALUES];
    } cases[] = {
        {"block", {{0}}, 0, {{0, 1, 10.43, 1e-9}, {1, 1, 10.43, 1e-9}}},
        {"block_with_cavity",
         {{"rise", 1}},
         1,
         {{0, 1, 10.6400, 4e-4}, {1, 1, 10.42062, 4e-5}, {1, 0, 20 - 0.35481, 3e-5}, {2, 0, 5 - 0.1402, 1e-4}, {3, 1, 5.5384, 2e-4}}},
        {"rubber_cantilever", {{0}}, 0, {{0, 0, 10 - 0.16566598, 1e-8}, {0, 1, 0.5 - 1.66424039, 1e-8}}},
        {"cook", {{0}}, 0, {{0, 1, 52 + 23.967, 2e-3 * 23.967}}},
        {"cook_rubber", {{0}}, 1, {{0, 0, 48 - 5.790773, 1e-6}, {0, 1, 60 + 6.903472, 1e-6}, {1, 1, 52 + 6.945428, 1e-6}}},
        {"thick_sphere", {{0}}, 0, {{0, 0, 0.1 + 2.557873e-4, 2.6e-7}, {1, 0, 0.2 + 7.823254e-5, 8e-8}}},
        {"thick_cylinder", {{0}}, 0, {{0, 0, 1 + 1.906666667, 5e-6}, {1, 0, 2 + 1.213333333, 2e-6}}},
        {"plastic_cylinder", {{0}}, 0, {{1, 0, 0.2 + 1.54027e-4, 1e-3 * 1.54027e-4}}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_scene(ctx, cases[c].scene, cases[c].set, cases[c].set[0].name ? 1 : 0);
        double x[12] = {0};
        bl_sink sink = {.user = x, .begin = count_probes, .sample = take, .want = BL_WANT_PROBES};
        if (bl_equilibrium(ctx, model, &(bl_equilibrium_options){.until = cases[c].until, .any = true}, &sink, 1, NULL, NULL) != BL_OK)
            fail_msg("%s: %s", cases[c].scene, bl_context_error(ctx)->what);
        for (const value *v = cases[c].value; v < cases[c].value + VALUES && v->error > 0; v++)
            if (!(fabs(x[3 * v->probe + v->part] - v->want) <= v->error))
                fail_msg("%s: %.9g, not %.9g", cases[c].scene, x[3 * v->probe + v->part], v->want);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void scenes_with_modes__have_their_frequencies(void **state) {
    (void)state;
    static const double pi = 3.14159265358979323846;
    static const struct {
        const char *scene;
        bl_index count, rigid;
        double above, below; /* relative */
        double want[8];      /* Hz; without rigid motions */
    } cases[] = {
        {"tapered_membrane", 6, 0, 1e-4, 1e-4, {44.623, 130.03, 162.70, 246.05, 379.90, 391.44}},
        {"cantilever_with_masses", 6, 0, 1e-2, 1e-2, {1.723, 1.727, 7.413, 9.972, 18.155, 26.957}},
        {"free_cube",
         11,
         6,
         4e-3,
         1e-5,
         {1.77125 / (2 * pi), 1.77125 / (2 * pi), 2.38517 / (2 * pi), 2.38517 / (2 * pi), 2.38517 / (2 * pi)}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_scene(ctx, cases[c].scene, NULL, 0);
        bl_modes_report report = {0};
        if (bl_modes(ctx, model, &(bl_modes_options){.count = cases[c].count}, NULL, 0, &report) != BL_OK)
            fail_msg("%s: %s", cases[c].scene, bl_context_error(ctx)->what);
        assert_int_equal(report.nrigid, cases[c].rigid);
        for (bl_index k = 0; k < cases[c].count - cases[c].rigid; k++) {
            double hertz = sqrt(report.mode[cases[c].rigid + k].eigenvalue) / (2 * pi), want = cases[c].want[k];
            if (!(hertz < want * (1 + cases[c].above) && hertz > want * (1 - cases[c].below)))
                fail_msg("%s, mode %d: %.6g Hz, not %.6g", cases[c].scene, (int)(k + 1), hertz, want);
        }
        bl_modes_report_destroy(ctx, &report);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_at_rest__have_their_numbers),
        cmocka_unit_test(scenes_with_modes__have_their_frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
