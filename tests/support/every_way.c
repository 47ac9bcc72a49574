#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct course {
    test_ending *ending;
    test_sample_check sample;
    void *user;
} course;

static bl_index at_most(bl_index n) { return n < TEST_MOST_VALUES ? n : TEST_MOST_VALUES; }

static bl_status begin(void *user, const bl_run_info *info) {
    test_ending *e = ((course *)user)->ending;
    e->nvariable = at_most(info->nvariable);
    e->nprobe = at_most(info->nprobe);
    e->njoint = at_most(info->njoint);
    e->nbody = at_most(info->nbody);
    e->nspring = at_most(info->nspring);
    return BL_OK;
}

static void keep(void *to, const void *from, bl_index n, size_t size) {
    if (n > 0)
        memcpy(to, from, (size_t)n * size);
}

static bl_status take(void *user, const bl_sample *s) {
    course *c = user;
    test_ending *e = c->ending;
    e->t = s->t;
    keep(e->variable, s->variable, e->nvariable, sizeof *e->variable);
    keep(e->rate, s->variable_rate, e->nvariable, sizeof *e->rate);
    keep(e->probe, s->probe, e->nprobe, sizeof *e->probe);
    keep(e->probe_rate, s->probe_rate, e->nprobe, sizeof *e->probe_rate);
    keep(e->reaction, s->reaction, e->njoint, sizeof *e->reaction);
    keep(e->relation_force, s->relation_force, e->njoint, sizeof *e->relation_force);
    keep(e->body, s->body, e->nbody, sizeof *e->body);
    keep(e->spring_length, s->spring_length, e->nspring, sizeof *e->spring_length);
    keep(e->spring_tension, s->spring_tension, e->nspring, sizeof *e->spring_tension);
    e->kinetic = s->kinetic;
    e->potential = s->potential;
    e->work = s->work;
    e->energy_error = fmax(e->energy_error, fabs(s->energy_error));
    e->drift = fmax(e->drift, s->drift);
    if (c->sample)
        c->sample(s, e, c->user);
    return BL_OK;
}

void test_one_way(const char *text, const bl_run_options *options, test_sample_check sample, test_ending *ending, void *user) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_run_options o = options ? *options : (bl_run_options){0};
    *ending = (test_ending){.coordinates = o.coordinates, .formulation = o.formulation};
    snprintf(ending->label, sizeof ending->label, "%s, %s, %s", o.coordinates ? o.coordinates : "default",
             o.formulation ? o.formulation : "default", o.integrator ? o.integrator : "default");
    course c = {ending, sample, user};
    bl_sink sink = {.user = &c, .begin = begin, .sample = take};
    bl_status status = bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &o, &sink, 1, &ending->summary);
    if (status < 0)
        fail_msg("%s: %s\n%s", ending->label, bl_context_error(ctx)->what, text);
    const bl_warning *warning;
    bl_index more;
    ending->warnings = bl_context_warnings(ctx, &warning, &more);
    if (ending->warnings > 0)
        snprintf(ending->warning, sizeof ending->warning, "%s", warning[0].text);
    bl_model_destroy(model);
    test_context_end(ctx);
}

void test_no_warning(const test_ending *run) {
    if (run->warnings > 0)
        fail_msg("%s: warning: %s", run->label, run->warning);
}

void test_every_way(const char *text, const bl_run_options *options, test_sample_check sample, test_ending_check check, void *user) {
    static const char *const coordinates[] = {"natural", "mixed", "reference", "reference:angles", "relative"};
    static const char *const formulations[] = {"partition", "lagrange"};
    for (size_t c = 0; c < sizeof coordinates / sizeof *coordinates; c++)
        for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++) {
            bl_run_options o = options ? *options : (bl_run_options){0};
            test_ending ending;
            o.coordinates = coordinates[c];
            o.formulation = formulations[f];
            test_one_way(text, &o, sample, &ending, user);
            check(&ending, user);
        }
}

void test_refused(const char *marked, const char *what, const char *advice) {
    char *text = malloc(strlen(marked) + 1);
    size_t n = 0;
    int line = 0, column = 0, l = 1, c = 1;
    assert_non_null(text);
    for (const char *at = marked; *at; at++) {
        if (*at == '~') {
            line = l;
            column = c;
            continue;
        }
        text[n++] = *at;
        c = *at == '\n' ? 1 : c + 1;
        l += *at == '\n';
    }
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "text", text, n, NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &(bl_run_options){.until = 1e-3}, NULL, 0, NULL);
    const bl_error *error = bl_context_error(ctx);
    if (status != BL_E_MODEL || !strstr(error->what, what) || (advice && !strstr(error->advice, advice)) ||
        (line && (error->line != line || error->column != column)))
        fail_msg("status %d at %d:%d, should be at %d:%d: '%s' (%s) should say '%s' (%s)\n%s", status, error->line, error->column, line,
                 column, error->what, error->advice, what, advice ? advice : "", marked);
    bl_model_destroy(model);
    test_context_end(ctx);
    free(text);
}

void test_close(const test_ending *run, const char *what, double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s: %s is %.15g, should be %.15g: off by %.3g, allowed %.3g", run->label, what, a, b, fabs(a - b), tolerance);
}
