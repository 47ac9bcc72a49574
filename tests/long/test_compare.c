/* Whole mechanisms by every combination: whatever fits agrees, whatever does not says why. */
#include "biela/biela.h"
#include "formulation/formulation.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

typedef struct task {
    const char *scene;
    double until;
    bool all;
    bl_index least; /* so many agree */
} task;

/* Penalties keep constraints, or multipliers, as far as their parameters say: how far that is belongs to their own tests. */
static bool gives_way(const char *formulation) {
    const bl_formulation_kind *kind = bl_formulation_kind_of(formulation);
    return (kind->kind.gives & BL_GIVES_WAY) || strstr(kind->redundant, "give way");
}

static void combinations_agree(void **state) {
    const task *t = *state;
    char path[512];
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_compare_report report;
    bl_index wrong = 0;
    bl_compare_options options = {.until = t->until, .tolerance = 1e-5, .limit = t->all ? 5 : 20, .all = t->all};
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, t->scene);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_OK);
    for (bl_index i = 0; i < report.nentry; i++) {
        const bl_compare_entry *e = &report.entry[i];
        if (e->agreement == BL_DISAGREED || e->agreement == BL_AGREEMENT_FAILED)
            print_message("%s: %s, %s, %s: %s\n", bl_agreement_text(e->agreement), e->coordinates, e->formulation, e->integrator,
                          e->reason);
        assert_true((e->agreement == BL_AGREED) == (e->reason[0] == '\0'));
        wrong += e->agreement == BL_DISAGREED && !gives_way(e->formulation);
    }
    assert_int_equal(wrong, 0);
    assert_true(report.agreed >= t->least);
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    static const task tasks[] = {{"double_pendulum", 2, false, 30}, {"five_bar_pendulum", 1, false, 28}, {"bricard", 2, false, 30},
                                 {"andrews", 0.03, false, 30},      {"vehicle", 0.2, false, 25},         {"pendulum", 1, true, 100},
                                 {"four_bar", 0.5, true, 100}};
#define CASE(name, i) \
    { name "__combinations_agree", combinations_agree, NULL, NULL, (void *)(uintptr_t)&tasks[i] }
    const struct CMUnitTest tests[] = {
        CASE("double_pendulum", 0), CASE("five_bar_pendulum", 1), CASE("bricard", 2),      CASE("andrews", 3),
        CASE("vehicle", 4),         CASE("pendulum_all", 5),      CASE("four_bar_all", 6),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
