/* An elastic four-bar linkage with a tilted hinge by beams, hexahedra and floating frames, up to a configuration where its links are nearly
 * in line (2.6 s); with and without lateral contraction, which rigid ends of meshes prevent. */
#include "biela/biela.h"
#include "biela/compare.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODELS = 3 };

static double relative(const bl_compare_models_entry *e, bl_compared_kind kind, const char *name) {
    for (bl_index i = 0; i < e->ncompared; i++)
        if (e->compared[i].kind == kind && strcmp(e->compared[i].name, name) == 0)
            return e->compared[i].relative;
    return INFINITY;
}

typedef struct bounds {
    double until, nu;
    double lift[MODELS], moment[MODELS]; /* relative, of each model */
} bounds;

/* The lift is C's distance from the plane of the linkage, the moment that of the tilted hinge. Solids: rigid ends prevent warping (1.3 % of
 * the torsional flexibility of the crank) and, with nu = 0.3, lateral contraction (3 % of the bending of short rods with elements as long
 * as 2 heights). Floating frames are linear: rods that bend and twist by angles of 0.1 have errors of its square, 1 %. */
static void descriptions__agree(void **state) {
    const bounds *b = *state;
    static const char *const scene[MODELS] = {"elastic_four_bar", "elastic_four_bar_meshed", "elastic_four_bar_floating"};
    bl_context *ctx = test_context(NULL);
    bl_model *model[MODELS];
    bl_compare_models_report r = {.size = sizeof r};
    for (int k = 0; k < MODELS; k++) {
        char file[512];
        snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene[k]);
        assert_int_equal(bl_model_read(ctx, file, (const bl_override[]){{"nu", b->nu}}, 1, &model[k]), BL_OK);
    }
    if (bl_compare_models(ctx, (const bl_model *const *)model, MODELS,
                          &(bl_compare_models_options){.run = &(bl_run_options){.until = b->until}}, &r) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    assert_int_equal(r.failed, 0);
    for (int k = 0; k < MODELS; k++) {
        double lift = k ? relative(&r.entry[k], BL_COMPARED_SIGNAL, "lift") : 0;
        double moment = k ? relative(&r.entry[k], BL_COMPARED_MOMENT, "C") : 0;
        print_message("%s until %g s, nu = %g: lift differs by %.3g %%, moment by %.3g %%, energy error %.2g J\n", scene[k], b->until,
                      b->nu, 100 * lift, 100 * moment, r.entry[k].energy_error);
        assert_true(lift <= b->lift[k] && moment <= b->moment[k]);
        assert_true(r.entry[k].energy_error < 2e-3 * 3.8); /* of the work up to 2 s, 3.8 J */
    }
    bl_compare_models_report_destroy(ctx, &r);
    for (int k = 0; k < MODELS; k++)
        bl_model_destroy(model[k]);
    test_context_end(ctx);
}

int main(void) {
    static const bounds cases[] = {{2.2, 0, {0, 0.005, 0.02}, {0, 0.02, 0.04}}, {1, 0.3, {0, 0.02, 0.02}, {0, 0.05, 0.05}}};
    const struct CMUnitTest tests[] = {
        {"without_contraction__descriptions_agree", descriptions__agree, NULL, NULL, (void *)(uintptr_t)&cases[0]},
        {"with_contraction__descriptions_agree", descriptions__agree, NULL, NULL, (void *)(uintptr_t)&cases[1]},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
