/* See solid_run.h. */
#include "support/solid_run.h"

#include "biela/modes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bl_status begin(void *user, const bl_run_info *info) {
    solid_run *run = user;
    run->nprobe = info->nprobe;
    return BL_OK;
}

static bl_status sample(void *user, const bl_sample *s) {
    solid_run *run = user;
    size_t apart = 3 * (size_t)run->nprobe;
    if (run->samples == run->room) {
        run->room = 2 * run->room + 64;
        run->value = realloc(run->value, ((size_t)run->room * apart + 1) * sizeof *run->value);
        run->kinetic = realloc(run->kinetic, (size_t)run->room * sizeof *run->kinetic);
        run->potential = realloc(run->potential, (size_t)run->room * sizeof *run->potential);
        run->dissipated = realloc(run->dissipated, (size_t)run->room * sizeof *run->dissipated);
        run->error = realloc(run->error, (size_t)run->room * sizeof *run->error);
    }
    if (apart)
        memcpy(run->value + (size_t)run->samples * apart, s->probe, apart * sizeof *run->value);
    run->kinetic[run->samples] = s->kinetic;
    run->potential[run->samples] = s->potential;
    run->dissipated[run->samples] = s->dissipated;
    run->error[run->samples++] = s->energy_error;
    return BL_OK;
}

bl_status solid_run_try(solid_run *run, const char *text) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model);
    bl_sink sink = {.user = run, .begin = begin, .sample = sample};
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &run->options, &sink, 1, &run->summary);
    const bl_error *error = bl_context_error(ctx);
    snprintf(run->why, sizeof run->why, "%.300s (line %d; %.80s)", error->what, error->line, error->part);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

void solid_run_text(solid_run *run, const char *text) {
    if (solid_run_try(run, text) != BL_OK)
        fail_msg("%s\n%s", run->why, text);
}

void solid_run_end(solid_run *run) {
    free(run->value);
    free(run->kinetic);
    free(run->potential);
    free(run->dissipated);
    free(run->error);
    *run = (solid_run){0};
}

/* ---- equilibria */

static bl_status begin_end(void *user, const bl_run_info *info) {
    solid_end *end = user;
    end->nprobe = info->nprobe < SOLID_PROBES ? info->nprobe : SOLID_PROBES;
    return BL_OK;
}

static bl_status keep_end(void *user, const bl_sample *s) {
    solid_end *end = user;
    memcpy(end->x, s->probe, 3 * (size_t)end->nprobe * sizeof(double));
    end->potential = s->potential;
    end->dissipated = s->dissipated;
    return BL_OK;
}

solid_end solid_settle(const char *text, const bl_equilibrium_options *options) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    solid_end end = {0};
    bl_sink sink = {.user = &end, .begin = begin_end, .sample = keep_end};
    bl_status status = bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_equilibrium(ctx, model, options, &sink, 1, NULL, NULL);
    if (status != BL_OK)
        fail_msg("%s (line %d)\n%s", bl_context_error(ctx)->what, bl_context_error(ctx)->line, text);
    bl_model_destroy(model);
    test_context_end(ctx);
    return end;
}

/* ---- frequencies */

bl_index solid_frequencies(const char *text, bl_index count, double *omega, bl_index *rigid) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_modes_report report = {0};
    bl_status status = bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_modes(ctx, model, &(bl_modes_options){.count = count, .at = BL_MODES_AT_START, .anyway = true}, NULL, 0, &report);
    if (status != BL_OK)
        fail_msg("%s (line %d)\n%s", bl_context_error(ctx)->what, bl_context_error(ctx)->line, text);
    bl_index n = report.nmode < SOLID_MODES ? report.nmode : SOLID_MODES;
    for (bl_index k = 0; k < n; k++)
        omega[k] = sqrt(fmax(0, report.mode[k].eigenvalue));
    if (rigid)
        *rigid = report.nrigid;
    bl_modes_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
    return n;
}
