/* Runs that must fail, with every integrator of the list and all classes of formulations: the advice never names what is in use, nor what
 * the method does not accept. */
#include "study/run.h"
#include "study/simulation.h"
#include "support/testing.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
    double until;
} models[] = {
    {"grows beyond bounds at t = 1", "equations: {states: [{name: x, start: 1, rate: =x^2}]}\n", 1.5},
    {"the same of second order", "equations: {states: [{name: x, start: 1, rate_start: 2, acceleration: =6*x^2}]}\n", 1.5},
    {"ends at t = 1", "equations: {states: [{name: x, start: 1, rate: \"=-x + sqrt(1 - t)\"}]}\n", 1.5},
    {"no solution beyond t = 1", "equations: {states: [{name: x, start: 0, rate: 1}, {name: y, start: 1, algebraic: =y^2 + x - 1}]}\n",
     1.5},
    {"driven beyond its reach at t = 1",
     "dimension: 2\nbodies:\n  - {name: a, rod: {from: [0, 0], to: [1, 0.5]}, mass: 1}\n"
     "  - {name: b, rod: {from: [1, 0.5], to: [1.236067977499790, 0]}, mass: 1}\n  - {name: s, mass: 1, center: [1.236067977499790, 0], "
     "inertia: 0.1}\njoints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
     "  - {name: B, type: revolute, bodies: [a, b], at: [1, 0.5]}\n"
     "  - {name: C, type: revolute, bodies: [b, s], at: [1.236067977499790, 0]}\n"
     "  - {name: D, type: prismatic, bodies: [ground, s], at: [1.236067977499790, 0], axis: [1, 0]}\n"
     "drivers: [{variable: D.distance, value: \"=0.43*t + 0.05*t^2\"}]\n",
     1.5},
};

static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p += n) {
        bool begins = p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
        if (begins && !(isalnum((unsigned char)p[n]) || p[n] == '_'))
            return true;
    }
    return false;
}

static bool has_parameter(const bl_integrator_kind *kind, const char *name) {
    for (const bl_param *p = kind->kind.params; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

static const char *blunder(const bl_integrator_kind *kind, const char *spec, const char *formulation, const char *advice) {
    bool adaptive = kind->kind.gives & BL_ADAPTIVE, implicit = kind->kind.needs & BL_CAN_STAGE;
    if (has_word(advice, kind->kind.name))
        return "the method itself";
    if (implicit && strstr(advice, "implicit method"))
        return "an implicit method";
    if (strstr(advice, "newton=") && !has_parameter(kind, "newton"))
        return "a parameter it does not have";
    if (strstr(advice, "newton=full") && strstr(spec, "newton="))
        return "newton=full";
    if (strstr(advice, "newton=line_search") && strstr(spec, "newton=line_search"))
        return "newton=line_search";
    if (adaptive && (strstr(advice, "smaller step") || strstr(advice, "shorter step") || strstr(advice, "shorten")))
        return "a smaller step";
    if (!adaptive && strstr(advice, "tolerance"))
        return "a tolerance";
    if (strstr(advice, "singular: pass"))
        return "to pass singular configurations";
    return has_word(advice, formulation) ? "the formulation" : NULL;
}

/* 1 if it failed during the run */
static int try(bl_context *ctx, const bl_system *sys, const bl_state *start, double until, const bl_integrator_kind *kind, const char *spec,
               const char *formulation, const char *name) {
    bl_simulation_setup setup = {.formulation = formulation, .integrator = spec, .t_end = until, .tolerance = 1e-4};
    setup.step = kind->kind.gives & BL_ADAPTIVE ? 0 : 0.05;
    bl_simulation *sim;
    if (bl_simulation_create(sys, start, &setup, &sim) != BL_OK)
        return 0;
    bl_status status = BL_OK;
    for (int steps = 0; status == BL_OK && *sim->state.t < until && steps < 300; steps++)
        status = bl_simulation_advance(sim);
    bl_simulation_destroy(sim);
    if (status == BL_OK)
        return 0;
    const bl_error *e = bl_context_error(ctx);
    const char *found = blunder(kind, spec, formulation, e->advice);
    if (found)
        fail_msg("%s by %s, %s: '%s' advises %s: '%s'", name, spec, formulation, e->what, found, e->advice);
    return 1;
}

static void hints__never_advise_what_is_in_use(void **state) {
    (void)state;
    int failed = 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_system *sys;
        bl_state start;
        if (bl_model_read_text(ctx, "model", models[m].text, strlen(models[m].text), NULL, 0, &model) != BL_OK ||
            bl_run_prepare(ctx, model, NULL, &sys, &start) != BL_OK)
            fail_msg("%s: %s", models[m].name, bl_context_error(ctx)->what);
        int here = 0;
        for (size_t k = 0; k < bl_integrator_kind_count; k++)
            for (size_t f = 0; f < bl_formulation_kind_count; f++) {
                const bl_integrator_kind *kind = bl_integrator_kinds[k];
                const char *formulation = bl_formulation_kinds[f]->kind.name, *newton[] = {"", "newton=full", "newton=line_search"};
                bool stages = bl_formulation_kinds[f] == &bl_formulation_plain || bl_formulation_kinds[f] == &bl_formulation_ggl;
                bool rates = bl_formulation_kinds[f] == &bl_formulation_lagrange || bl_formulation_kinds[f] == &bl_formulation_partition;
                if (!stages && !rates && bl_formulation_kinds[f] != &bl_formulation_index3)
                    continue;
                /* without constraints these equal lagrange and ggl */
                if (sys->np == 0 &&
                    (bl_formulation_kinds[f] == &bl_formulation_partition || bl_formulation_kinds[f] == &bl_formulation_index3))
                    continue;
                for (int n = 0; n < (stages && has_parameter(kind, "newton") ? 3 : 1); n++) {
                    char spec[120];
                    const char *own = kind == &bl_integrator_multistep ? "multistep:a=1/2;-2;3/2,b=0;0;1" : kind->kind.name;
                    snprintf(spec, sizeof spec, "%s%s%s", own, !n ? "" : strchr(own, ':') ? "," : ":", newton[n]);
                    here += try(ctx, sys, &start, models[m].until, kind, spec, formulation, models[m].name);
                }
            }
        print_message("%s: %d combinations failed\n", models[m].name, here);
        assert_true(here > 0);
        failed += here;
        bl_state_destroy(sys, &start);
        bl_system_destroy(sys);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    assert_true(failed > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hints__never_advise_what_is_in_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
