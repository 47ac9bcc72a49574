/* Runs a scene through the public API and compares it with a table of
 * tests/reference (JSON, read as YAML). */
#include "support/scene.h"
#include "model/model.h"
#include "support/testing.h"

#include <dirent.h>
#include <libfyaml.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- all scenes */

static int is_scene(const struct dirent *entry) {
    size_t n = strlen(entry->d_name);
    return n > 5 && strcmp(entry->d_name + n - 5, ".yaml") == 0;
}

static void visit_scene(const char *file, scene_visit *visit, void *user) {
    char path[1024], name[256];
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    snprintf(path, sizeof path, "%s/%s", SCENES, file);
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - 5), file);
    if (bl_model_read(ctx, path, NULL, 0, &model) != BL_OK) {
        const bl_error *error = bl_context_error(ctx);
        fail_msg("%s:%d:%d: %s", error->file, error->line, error->column, error->what);
    }
    visit(ctx, model, name, user);
    bl_model_destroy(model);
    test_context_end(ctx);
}

bl_index scene_each(scene_visit *visit, void *user) {
    struct dirent **entry;
    int n = scandir(SCENES, &entry, is_scene, alphasort);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        visit_scene(entry[i]->d_name, visit, user);
        free(entry[i]);
    }
    free(entry);
    return n;
}

bool scene_has_bodies(const bl_model *model) { return model->nbody > 1; } /* the first is ground */

bool scene_has_meshes(const bl_model *model) { return bl_model_of_meshes(model); }

bl_index scene_mesh_size(const bl_model *model) {
    bl_index size = 0;
    for (bl_index i = 0; i < model->nsolid; i++)
        size += model->solid[i].mesh.nnode * (model->solid[i].strain ? model->dim : 1);
    return size;
}

bool scene_has_large_elastic_bodies(const bl_model *model) {
    return model->nelastic > 0 && (model->nbody > 12 || scene_mesh_size(model) > 200);
}

typedef struct step_counter {
    int left;
    double t;
} step_counter;

static bl_status count_step(void *user, const bl_sample *sample) {
    step_counter *counter = user;
    counter->t = sample->t;
    return counter->left-- > 0 ? BL_OK : BL_STOPPED;
}

double scene_time_of_steps(bl_context *ctx, const bl_model *model, const char *integrator, int steps) {
    step_counter counter = {.left = steps};
    bl_sink sink = {.user = &counter, .sample = count_step, .want = BL_WANT_TIME};
    bl_simulate(ctx, model, &(bl_run_options){.integrator = integrator, .every_step = true}, &sink, 1, NULL);
    return counter.t;
}

/* ---- reference files */

static double number_of(struct fy_node *node) {
    const char *text = fy_node_get_scalar0(node);
    if (!text)
        fail_msg("a number is missing in a reference file");
    return strtod(text, NULL);
}

static bool flag_of(struct fy_node *map, const char *key) {
    struct fy_node *node = fy_node_by_path(map, key, (size_t)-1, FYNWF_DONT_FOLLOW);
    return node && strcmp(fy_node_get_scalar0(node), "true") == 0;
}

static struct fy_node *need(struct fy_node *map, const char *key) {
    struct fy_node *node = fy_node_by_path(map, key, (size_t)-1, FYNWF_DONT_FOLLOW);
    if (!node)
        fail_msg("a reference file has no '%s'", key);
    return node;
}

static void read_case(struct fy_node *node, scene_case *out) {
    snprintf(out->name, sizeof out->name, "%s", fy_node_get_scalar0(need(node, "name")));
    out->conservative = flag_of(node, "conservative");
    out->is_long = flag_of(node, "long");
    struct fy_node *columns = need(node, "columns"), *rows = need(node, "rows");
    struct fy_node *scale = fy_node_by_path(node, "scale", (size_t)-1, FYNWF_DONT_FOLLOW);
    struct fy_node *each = fy_node_by_path(node, "row_tolerance", (size_t)-1, FYNWF_DONT_FOLLOW);
    struct fy_node *sets = fy_node_by_path(node, "set", (size_t)-1, FYNWF_DONT_FOLLOW);
    out->ncolumn = fy_node_sequence_item_count(columns);
    out->nrow = fy_node_sequence_item_count(rows);
    assert_in_range(out->ncolumn, 1, SCENE_MAX_COLUMNS);
    for (int c = 0; c < out->ncolumn; c++) {
        snprintf(out->column[c], sizeof out->column[c], "%s", fy_node_get_scalar0(fy_node_sequence_get_by_index(columns, c)));
        out->scale[c] = scale ? number_of(fy_node_sequence_get_by_index(scale, c)) : 1;
    }
    void *iterator = NULL;
    struct fy_node_pair *pair;
    while (sets && (pair = fy_node_mapping_iterate(sets, &iterator))) {
        assert_true(out->nset < SCENE_MAX_SETS);
        char *name = out->set_name[out->nset];
        snprintf(name, sizeof out->set_name[0], "%s", fy_node_get_scalar0(fy_node_pair_key(pair)));
        out->set[out->nset++] = (bl_override){.name = name, .value = number_of(fy_node_pair_value(pair))};
    }
    out->t = calloc((size_t)out->nrow, sizeof *out->t);
    out->tolerance = calloc((size_t)out->nrow, sizeof *out->tolerance);
    out->value = calloc((size_t)out->nrow * (size_t)out->ncolumn, sizeof *out->value);
    assert_true(out->t && out->tolerance && out->value);
    for (int r = 0; r < out->nrow; r++) {
        struct fy_node *row = fy_node_sequence_get_by_index(rows, r);
        assert_int_equal(fy_node_sequence_item_count(row), out->ncolumn + 1);
        out->t[r] = number_of(fy_node_sequence_get_by_index(row, 0));
        out->tolerance[r] = number_of(each ? fy_node_sequence_get_by_index(each, r) : need(node, "tolerance"));
        for (int c = 0; c < out->ncolumn; c++)
            out->value[r * out->ncolumn + c] = number_of(fy_node_sequence_get_by_index(row, c + 1));
    }
}

bl_index scene_cases_read(const char *scene, scene_case **cases) {
    char path[512];
    snprintf(path, sizeof path, "%s/reference/%s.json", TESTS, scene);
    struct fy_document *document = fy_document_build_from_file(NULL, path);
    if (!document)
        fail_msg("cannot read %s", path);
    struct fy_node *list = need(fy_document_root(document), "cases");
    bl_index n = fy_node_sequence_item_count(list);
    *cases = calloc((size_t)n, sizeof **cases);
    assert_non_null(*cases);
    for (int i = 0; i < n; i++)
        read_case(fy_node_sequence_get_by_index(list, i), &(*cases)[i]);
    fy_document_destroy(document);
    for (int i = 0; i < n; i++) /* the names moved with the array */
        for (int k = 0; k < (*cases)[i].nset; k++)
            (*cases)[i].set[k].name = (*cases)[i].set_name[k];
    return n;
}

void scene_cases_free(scene_case *cases, bl_index n) {
    for (bl_index i = 0; i < n; i++) {
        free(cases[i].t);
        free(cases[i].value);
        free(cases[i].tolerance);
    }
    free(cases);
}

/* ---- one run */

typedef enum quantity { VARIABLE, RATE, PROBE, PROBE_RATE, QUATERNION } quantity;

typedef struct watcher {
    const scene_case *reference;
    scene_result *result;
    quantity what[SCENE_MAX_COLUMNS];
    bl_index ref[SCENE_MAX_COLUMNS], part[SCENE_MAX_COLUMNS];
    bl_index next; /* row of the reference that comes next */
    bool unknown;
} watcher;

static bl_index find(const char *const *names, bl_index n, const char *name, size_t length) {
    for (bl_index i = 0; i < n; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return i;
    return -1;
}

/* what a column of the reference is called in the run */
static bool resolve(watcher *w, const bl_run_info *info, int c) {
    const char *name = w->reference->column[c], *dot = strrchr(name, '.');
    size_t before = dot ? (size_t)(dot - name) : 0, length = strlen(name);
    w->what[c] = VARIABLE;
    w->ref[c] = find(info->variable, info->nvariable, name, length);
    if (w->ref[c] >= 0)
        return true;
    w->what[c] = RATE;
    if (length > 5 && strcmp(name + length - 5, "_rate") == 0) {
        w->ref[c] = find(info->variable, info->nvariable, name, length - 5);
        return w->ref[c] >= 0;
    }
    if (!dot)
        return false;
    if (strcmp(dot, ".rate") == 0) {
        char text[64];
        snprintf(text, sizeof text, "%.*s.angle", (int)before, name);
        w->ref[c] = find(info->variable, info->nvariable, text, strlen(text));
        if (w->ref[c] < 0) {
            snprintf(text, sizeof text, "%.*s.distance", (int)before, name);
            w->ref[c] = find(info->variable, info->nvariable, text, strlen(text));
        }
        return w->ref[c] >= 0;
    }
    if (dot[1] == 'e' && dot[2] >= '0' && dot[2] <= '3') {
        w->what[c] = QUATERNION;
        w->part[c] = dot[2] - '0';
        w->ref[c] = find(info->body, info->nbody, name, before);
        return w->ref[c] >= 0;
    }
    w->what[c] = dot[1] == 'v' ? PROBE_RATE : PROBE;
    w->part[c] = dot[dot[1] == 'v' ? 2 : 1] - 'x';
    w->ref[c] = find(info->probe, info->nprobe, name, before);
    return w->ref[c] >= 0 && w->part[c] >= 0 && w->part[c] < 3;
}

static bl_status on_begin(void *user, const bl_run_info *info) {
    watcher *w = user;
    for (int c = 0; c < w->reference->ncolumn; c++)
        if (!resolve(w, info, c)) {
            w->unknown = true;
            print_error("the run has no '%s'\n", w->reference->column[c]);
        }
    return w->unknown ? BL_E_ARG : BL_OK;
}

static double value_of(const watcher *w, const bl_sample *sample, int c) {
    bl_index i = w->ref[c], k = w->part[c];
    switch (w->what[c]) {
    case VARIABLE: return sample->variable[i];
    case RATE: return sample->variable_rate[i];
    case PROBE: return sample->probe[3 * i + k];
    case PROBE_RATE: return sample->probe_rate[3 * i + k];
    case QUATERNION: return sample->body[i].quaternion[k];
    }
    return NAN;
}

static void compare_row(watcher *w, const bl_sample *sample) {
    const scene_case *ref = w->reference;
    const double *wanted = &ref->value[w->next * ref->ncolumn];
    double *got = &w->result->value[w->next * ref->ncolumn];
    double along = 0; /* q and -q are the same attitude */
    for (int c = 0; c < ref->ncolumn; c++) {
        got[c] = value_of(w, sample, c);
        if (w->what[c] == QUATERNION)
            along += got[c] * wanted[c];
    }
    for (int c = 0; c < ref->ncolumn; c++) {
        if (w->what[c] == QUATERNION && along < 0)
            got[c] = -got[c];
        double error = fabs(got[c] - wanted[c]) / (ref->tolerance[w->next] * ref->scale[c]);
        if (!(error <= w->result->worst)) {
            w->result->worst = error;
            w->result->worst_time = sample->t;
            snprintf(w->result->worst_column, sizeof w->result->worst_column, "%s", ref->column[c]);
        }
    }
}

static bl_status on_sample(void *user, const bl_sample *sample) {
    watcher *w = user;
    scene_result *result = w->result;
    result->largest_kinetic = fmax(result->largest_kinetic, sample->kinetic);
    result->largest_energy_error = fmax(result->largest_energy_error, fabs(sample->energy_error));
    result->largest_work = fmax(result->largest_work, fabs(sample->work));
    result->largest_drift = fmax(result->largest_drift, sample->drift);
    if (w->next < w->reference->nrow && fabs(sample->t - w->reference->t[w->next]) <= 1e-12 * (1 + fabs(sample->t))) {
        compare_row(w, sample);
        w->next++;
    }
    return BL_OK;
}

void scene_run(const char *scene, const scene_case *reference, const scene_settings *settings, scene_result *result) {
    char path[512], message[1024] = "";
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    memset(result, 0, sizeof *result);
    result->value = calloc((size_t)reference->nrow * (size_t)reference->ncolumn, sizeof *result->value);
    assert_non_null(result->value);
    watcher w = {.reference = reference, .result = result};
    bl_sink sink = {.user = &w, .begin = on_begin, .sample = on_sample};
    bl_run_options options = {.coordinates = settings->coordinates,
                              .formulation = settings->formulation,
                              .integrator = settings->integrator,
                              .linsol = settings->linsol,
                              .ordering = settings->ordering,
                              .tolerance = settings->tolerance,
                              .step = settings->step,
                              .until = reference->t[reference->nrow - 1],
                              .at = reference->t,
                              .nat = reference->nrow};
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    bl_status status = bl_context_create(NULL, &ctx);
    if (status == BL_OK)
        status = bl_model_read(ctx, path, reference->set, reference->nset, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &options, &sink, 1, &result->summary);
    if (status != BL_OK && ctx) {
        const bl_error *error = bl_context_error(ctx);
        snprintf(message, sizeof message, "%s:%d:%d: %s (%s %s, t = %g)", error->file, error->line, error->column, error->what, error->part,
                 error->equation, error->time);
    }
    result->summary.stopped_by = NULL;
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    if (status != BL_OK) {
        scene_result_free(result);
        fail_msg("%s, %s, %s: %s: %s", scene, reference->name, settings->formulation, bl_status_text(status), message);
    }
    assert_int_equal(w.next, reference->nrow);
}

void scene_result_free(scene_result *result) {
    free(result->value);
    result->value = NULL;
}

void scene_expect(const char *scene, const scene_case *reference, const scene_settings *settings, const scene_result *result) {
    double tolerance = reference->tolerance[0]; /* later tolerances grow where the motion is chaotic, which does not affect the energy */
    double energy = 10 * tolerance * result->largest_kinetic;
    print_message("%s (%s), %s%s%s: error %.2g of the tolerance, energy %.1e J of %.1e, drift %.1e, %ld steps, %ld evaluations, %.3f s\n",
                  scene, reference->name, settings->coordinates ? settings->coordinates : "", settings->coordinates ? ", " : "",
                  settings->formulation, result->worst, result->largest_energy_error, energy, result->largest_drift, result->summary.steps,
                  result->summary.evaluations, result->summary.wall_seconds);
    if (!(result->worst <= 1))
        fail_msg("%s, %s, %s: %s at t = %g is %g tolerances off", scene, reference->name, settings->formulation, result->worst_column,
                 result->worst_time, result->worst);
    if (!(result->largest_energy_error <= energy))
        fail_msg("%s, %s, %s: energy balance %g J, allowed %g J", scene, reference->name, settings->formulation,
                 result->largest_energy_error, energy);
    if (reference->conservative && result->largest_work > 1e-12 * result->largest_kinetic)
        fail_msg("%s, %s, %s: a conservative scene shows work of %g J", scene, reference->name, settings->formulation,
                 result->largest_work);
    if (!(result->largest_drift <= 1e-6))
        fail_msg("%s, %s, %s: constraints violated by %g", scene, reference->name, settings->formulation, result->largest_drift);
}
