#include "support/beam_answers.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const double beam_gauss[8][2] = {{0.01985507175123188, 0.05061426814518813}, {0.10166676129318664, 0.11119051722668724},
                                 {0.23723379504183550, 0.15685332293894364}, {0.40828267875217510, 0.18134189168918100},
                                 {0.59171732124782490, 0.18134189168918100}, {0.76276620495816450, 0.15685332293894364},
                                 {0.89833323870681336, 0.11119051722668724}, {0.98014492824876812, 0.05061426814518813}};

static bl_index nprobe, njoint, nvariable; /* of the model being solved */

static bl_status begin(void *user, const bl_run_info *info) {
    (void)user;
    nprobe = info->nprobe < BEAM_PROBES ? info->nprobe : BEAM_PROBES;
    njoint = info->njoint < BEAM_JOINTS ? info->njoint : BEAM_JOINTS;
    nvariable = info->nvariable < BEAM_JOINTS ? info->nvariable : BEAM_JOINTS;
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    beam_answer *a = user;
    memcpy(a->probe, sample->probe, 3 * (size_t)nprobe * sizeof(double));
    memcpy(a->variable, sample->variable, (size_t)nvariable * sizeof(double));
    memcpy(a->reaction, sample->reaction, (size_t)njoint * sizeof *a->reaction);
    a->potential = sample->potential;
    int part = a->ncritical < 2 ? a->ncritical : 2;
    a->stable[part] += !sample->equilibrium->critical && sample->equilibrium->unstable == 0;
    a->unstable[part] += sample->equilibrium->unstable == 1;
    if (sample->equilibrium->critical && a->ncritical < BEAM_CRITICAL) {
        a->critical_load[a->ncritical] = sample->equilibrium->load;
        memcpy(a->critical_probe[a->ncritical++], sample->probe, 3 * sizeof(double));
    }
    return BL_OK;
}

static bl_model *read_model(bl_context *ctx, const char *scene, const bl_override *set, bl_index nset) {
    char path[512];
    bl_model *model = NULL;
    snprintf(path, sizeof path, "%s/%.200s.yaml", SCENES, scene);
    bl_status status = strchr(scene, '\n') ? bl_model_read_text(ctx, "text", scene, strlen(scene), set, nset, &model)
                                           : bl_model_read(ctx, path, set, nset, &model);
    if (status != BL_OK)
        fail_msg("%s\n%s", scene, bl_context_error(ctx)->what);
    return model;
}

void beam_equilibrium(const char *scene, const bl_override *set, bl_index nset, const bl_equilibrium_options *options,
                      beam_answer *answer) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, scene, set, nset);
    bl_sink sink = {.user = answer, .begin = begin, .sample = take};
    *answer = (beam_answer){0};
    if (bl_equilibrium(ctx, model, options, &sink, 1, NULL, &answer->found) != BL_OK)
        fail_msg("%s: %s", scene, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int beam_modes(const char *scene, const bl_override *set, bl_index nset, const bl_modes_options *options, double *squares) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, scene, set, nset);
    bl_modes_report report = {0};
    int count = 0;
    if (bl_modes(ctx, model, options, NULL, 0, &report) != BL_OK)
        fail_msg("%s: %s", scene, bl_context_error(ctx)->what);
    for (bl_index k = 0; k < report.nmode && count < BEAM_MODES; k++)
        if (!report.mode[k].rigid)
            squares[count++] = report.mode[k].eigenvalue;
    bl_modes_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
    return count;
}

const char *beam_text(const char *format, ...) {
    static char text[4000];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return text;
}
