#include "support/agreement.h"

#include "formulation/formulation.h"
#include "integrate/integrate.h"
#include "support/testing.h"

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
    bl_compare_report report;
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
