#include "support/agreement.h"

#include "formulation/formulation.h"
#include "integrate/integrate.h"
#include "model/model.h"
#include "support/scene.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool fine(const bl_compare_entry *e) {
    switch (e->agreement) {
    case BL_AGREED: return !e->reason[0] && e->trajectory <= e->allowed && !(e->reactions > e->allowed_reactions);
    case BL_REFUSED: return e->reason[0];
    case BL_SKIPPED: return strstr(e->reason, "needs its parameter") != NULL;
    default: return false;
    }
}

static bool tried(const bl_compare_report *report, const char *formulation, const char *integrator) {
    for (bl_index i = 0; i < report->nentry; i++) {
        const bl_compare_entry *e = &report->entry[i];
        if (strcmp(formulation ? e->formulation : e->integrator, formulation ? formulation : integrator) == 0)
            return true;
    }
    return false;
}

bl_index test_agreement(const char *scene, const bl_compare_options *options) {
    char path[512];
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_compare_report report = {0};
    bl_index wrong = 0;
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    if (bl_compare(ctx, model, options, &report) != BL_OK)
        fail_msg("%s: %s", scene, bl_context_error(ctx)->what);
    for (bl_index i = 0; i < report.nentry; i++) {
        const bl_compare_entry *e = &report.entry[i];
        if (!fine(e))
            print_error("%s, %s: %s, %s, %s: %s\n", scene, bl_agreement_text(e->agreement), e->coordinates, e->formulation, e->integrator,
                        e->reason);
        wrong += !fine(e);
    }
    for (size_t i = 0; i < bl_formulation_kind_count; i++)
        assert_true(tried(&report, bl_formulation_kinds[i]->kind.name, NULL));
    for (size_t i = 0; i < bl_integrator_kind_count; i++)
        assert_true(tried(&report, NULL, bl_integrator_kinds[i]->kind.name));
    print_message("%s: %d combinations, %d agreed, %d refused, %d skipped\n", scene, (int)report.nentry, (int)report.agreed,
                  (int)report.refused, (int)report.skipped);
    assert_int_equal(wrong, 0);
    bl_index agreed = report.agreed;
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
    return agreed;
}

/* ---- all coordinates of every scene */

static const char *const forms[] = {"natural",          "natural:switching", "mixed",   "mixed:switching", "reference",
                                    "reference:matrix", "reference:angles",  "relative"};
enum { NFORM = sizeof forms / sizeof *forms };

static bl_index count_wrong(const char *scene, const bl_model *model, const bl_compare_report *report) {
    bl_index wrong = 0;
    bool all[NFORM] = {false};
    for (bl_index i = 0; i < report->nentry; i++) {
        const bl_compare_entry *e = &report->entry[i];
        for (int k = 0; k < NFORM; k++)
            all[k] = all[k] || strcmp(e->coordinates, forms[k]) == 0;
        if (e->agreement == BL_AGREED)
            continue;
        print_error("%s, %s: %s, %s, %s: %s\n", scene, bl_agreement_text(e->agreement), e->coordinates, e->formulation, e->integrator,
                    e->reason);
        wrong++;
    }
    for (int k = 0; k < NFORM; k++)
        if (!all[k]) {
            print_error("%s: %s was not tried\n", scene, forms[k]);
            wrong++;
        }
    if (model->njoint > 0 && !(report->allowed_reactions > 0)) {
        print_error("%s: reactions were not compared\n", scene);
        wrong++;
    }
    return wrong;
}

static bl_index scene_wrong(bl_context *ctx, const char *scene, const bl_model *model, double share, double tolerance) {
    bl_compare_report report = {0};
    bl_compare_options options = {.coordinates = "all", .until = share * model->settings.until, .tolerance = tolerance, .limit = 600};
    bl_index wrong = 1;
    if (bl_compare(ctx, model, &options, &report) == BL_OK) {
        wrong = count_wrong(scene, model, &report);
        print_message("%s, %g s: %d agreed, motion within %.1e, reactions within %.1e\n", scene, report.until, (int)report.agreed,
                      report.allowed, report.allowed_reactions);
    } else {
        print_error("%s: %s\n", scene, bl_context_error(ctx)->what);
    }
    bl_compare_report_destroy(ctx, &report);
    return wrong;
}

typedef struct tally {
    double share, tolerance;
    bl_index scenes, wrong;
} tally;

static void take_mechanism(bl_context *ctx, const bl_model *model, const char *name, void *user) {
    tally *all = user;
    /* time steps of contacts are a method of their own: tests/verify/study/test_step_scenes.c */
    if (!scene_has_bodies(model) || model->surfaces || (all->share < 0.1 && scene_has_large_elastic_bodies(model)))
        return;
    all->wrong += scene_wrong(ctx, name, model, all->share, all->tolerance);
    all->scenes++;
}

void test_every_scene_in_all_coordinates(double share, double tolerance) {
    tally all = {.share = share, .tolerance = tolerance};
    scene_each(take_mechanism, &all);
    assert_true(all.scenes >= 19);
    assert_int_equal(all.wrong, 0);
}
