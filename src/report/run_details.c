/* Attributes of a run, the text of its model, its error, statistics and events. */
#include "report/report_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MOST = 16384, MODEL_MOST = 4 << 20 }; /* bytes; longer models are not shown */

bool bl_report_text(bl_report_run *run, const char *name, char *text, size_t size) {
    text[0] = '\0';
    bl_status status = bl_result_text(run->result, name, text, size);
    if (status == BL_E_MEMORY)
        run->status = status;
    else if (status != BL_OK)
        bl_context_clear_error(run->ctx);
    return text[0] != '\0';
}

static double find_number(bl_report_run *run, const char *name) {
    double value = NAN;
    if (bl_result_number(run->result, name, &value) != BL_OK)
        bl_context_clear_error(run->ctx);
    return value;
}

static void put_text(bl_report_run *run, const char *name, const char *key) {
    char text[TEXT_MOST];
    bl_report_text(run, name, text, sizeof text);
    bl_json_text(run->header, key, text);
}

/* The study is recognized by the names that it stores in place of methods of simulation. */
static const char *study_of(bl_report_run *run) {
    char integrator[64], coordinates[64], formulation[64];
    bl_report_text(run, "integrator", integrator, sizeof integrator);
    bl_report_text(run, "coordinates", coordinates, sizeof coordinates);
    bl_report_text(run, "formulation", formulation, sizeof formulation);
    if (strcmp(integrator, "none") == 0 && strcmp(coordinates, "bodies") == 0)
        return "kinematics";
    if (strcmp(integrator, "arc_length") == 0 || strcmp(integrator, "increments") == 0 || strcmp(integrator, "none") == 0)
        return "equilibrium";
    return strcmp(integrator, "lapack") == 0 || strcmp(integrator, "arpack") == 0 ? "modes" : "motion";
}

static void put_model(bl_report_run *run) {
    const char *text = NULL;
    size_t bytes = 0;
    bl_status status = bl_report_harmless(run, bl_result_model(run->result, &text, &bytes));
    run->status = status != BL_OK ? status : run->status;
    bool shown = text && bytes > 0 && bytes <= MODEL_MOST;
    bl_json_text(run->header, "text", shown ? text : "");
    if (bytes > MODEL_MOST)
        bl_json_text(run->header, "text_missing", "the model is too long to be shown (more than 4 MB)");
}

static void put_error(bl_report_run *run) {
    static const char *const name[] = {"statistics/error_advice", "statistics/error_part", "statistics/error_equation"};
    static const char *const key[] = {"advice", "part", "equation"};
    char text[TEXT_MOST];
    if (!bl_report_text(run, "statistics/error", text, sizeof text))
        return;
    bl_json_open(run->header, "error", '{');
    bl_json_text(run->header, "what", text);
    for (int k = 0; k < 3; k++)
        if (bl_report_text(run, name[k], text, sizeof text))
            bl_json_text(run->header, key[k], text);
    bl_json_number(run->header, "time", find_number(run, "statistics/t"));
    bl_json_close(run->header, '}');
}

static void put_statistics(bl_report_run *run) {
    static const char *const name[] = {"steps",
                                       "rejections",
                                       "restarts",
                                       "bounded",
                                       "evaluations",
                                       "newton_iterations",
                                       "tangents",
                                       "factorizations",
                                       "refactorizations",
                                       "solves",
                                       "projections",
                                       "repartitions",
                                       "handovers",
                                       "method_changes",
                                       "impacts",
                                       "accumulations",
                                       "sample_evaluations",
                                       "sample_factorizations",
                                       "sample_solves",
                                       "t",
                                       "h_smallest",
                                       "h_largest",
                                       "largest_drift",
                                       "largest_misfit",
                                       "largest_energy_error",
                                       "dissipated",
                                       "lost_in_impacts",
                                       "wall_seconds",
                                       "real_time_factor"};
    bl_json_open(run->header, "statistics", '{');
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        char path[64];
        snprintf(path, sizeof path, "statistics/%s", name[k]);
        double value = find_number(run, path);
        if (isfinite(value))
            bl_json_number(run->header, name[k], value);
    }
    bl_json_close(run->header, '}');
}

/* the integrator, and the one that was used while contacts slid */
static void put_integrator(bl_report_run *run) {
    char main[64], sliding[64], text[160];
    if (!bl_report_text(run, "integrator", main, sizeof main))
        return;
    bool two = bl_report_text(run, "statistics/sliding_method", sliding, sizeof sliding);
    snprintf(text, sizeof text, two ? "%s, %s while contacts slide" : "%s", main, sliding);
    bl_json_text(run->header, "integrator", text);
}

bl_status bl_report_info(bl_report_run *run) {
    static const char *const text[] = {"biela_version", "coordinates", "formulation", "linsol", "ordering"};
    static const char *const number[] = {"tolerance", "step", "until", "degrees_of_freedom"};
    bl_json *json = run->header;
    double reached = find_number(run, "statistics/t");
    bl_json_open(json, "info", '{');
    put_text(run, "model_name", "model");
    put_text(run, "model_file", "file");
    put_model(run);
    bl_json_text(json, "study", study_of(run));
    put_text(run, "status", "status");
    put_error(run);
    put_text(run, "command", "command");
    put_text(run, "overrides", "overrides");
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        put_text(run, text[k], text[k]);
    put_integrator(run);
    for (size_t k = 0; k < sizeof number / sizeof *number; k++)
        bl_json_number(json, number[k], find_number(run, number[k]));
    bl_json_number(json, "reached", isfinite(reached) ? reached : run->end);
    put_statistics(run);
    if (run->mobility.length > 0)
        bl_json_raw(json, "mobility", run->mobility.text);
    if (run->findings.length > 0)
        bl_json_raw(json, "findings", run->findings.text);
    if (run->model_missing)
        bl_json_text(json, "inside_missing", run->model_missing);
    bl_json_close(json, '}');
    return json->status;
}

static void put_event(bl_json *json, double t, const char *kind, const char *text, const char *part) {
    bl_json_open(json, NULL, '{');
    bl_json_number(json, "t", t);
    bl_json_text(json, "kind", kind);
    bl_json_text(json, "text", text);
    bl_json_text(json, "part", part);
    bl_json_close(json, '}');
}

bl_status bl_report_note(bl_report_run *run, const char *text, const char *part) {
    bl_report_remark *remark = bl_arena_alloc(&run->arena, 1, sizeof *remark);
    if (!remark || !(remark->text = bl_arena_text(&run->arena, text, strlen(text))) ||
        !(remark->part = bl_arena_text(&run->arena, part, strlen(part))))
        return BL_E_MEMORY;
    remark->next = run->remark;
    run->remark = remark;
    return BL_OK;
}

bl_status bl_report_events(bl_report_run *run) {
    bl_json *json = run->header;
    bl_json_open(json, "events", '[');
    const bl_result_event *list = NULL;
    bl_index n = 0;
    BL_TRY(bl_result_events(run->result, &list, &n));
    for (bl_index i = 0; i < n; i++)
        if (!run->part || !(list[i].t < run->begin || list[i].t > run->end))
            put_event(json, list[i].t, list[i].kind, list[i].text, list[i].part);
    if (run->nlost > 0) {
        char text[128];
        snprintf(text, sizeof text, "%ld samples without finite positions are left out, the first at this time", run->nlost);
        put_event(json, run->lost, "warning", text, "");
    }
    for (const bl_report_remark *remark = run->remark; remark; remark = remark->next)
        put_event(json, NAN, "warning", remark->text, remark->part);
    bl_json_close(json, ']');
    return json->status;
}

void bl_report_thinned(bl_report_run *run) {
    static const char *const key[] = {"points", "reaction_points", "velocity_points"};
    long most = run->points[0];
    bool curves = run->points[0] < run->n || run->points[1] < run->n || run->points[2] < run->n;
    if (!run->thinned_frames && !curves)
        return;
    bl_json *json = run->header;
    bl_json_open(json, "thinned", '{');
    BL_JSON_NUMBERS(json, {"from", run->n}, {"frames", run->thinned_frames ? run->thinned_frames : run->n},
                    {"buckets", most < run->n ? most / 2 : BL_REPORT_BUCKETS});
    for (int k = 1; k < 3; k++)
        if (run->points[k] < most)
            bl_json_integer(json, key[k], run->points[k]);
    bl_json_close(json, '}');
}
