/* Every scene with meshes in SCENES: it runs with its own settings, its energy balance closes with decreasing steps, it continues
 * identically from a copy of its state, all kinds of output accept it, threads and samples change no bit, methods agree. */
#include "support/scene.h"
#include "support/testing.h"

#include "biela/compare.h"
#include "model/model.h"
#include "study/run.h"

#include <dirent.h>
#include <libfyaml.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEPS = 10 };
/* number of nodal components above which a scene is left out of tests that need small steps or every field; tests/long runs all of them */
#ifdef LONG
enum { LARGE = 6000, COMPARED = 500 };
#else
enum { LARGE = 800, COMPARED = 50 };
#endif

static bool takes_part(const bl_model *model) { return scene_has_meshes(model) && scene_mesh_size(model) <= LARGE; }

static void refuse(bl_context *ctx, const char *scene, const char *what) {
    fail_msg("%s: %s: %s (%s)", scene, what, bl_context_error(ctx)->what, bl_context_error(ctx)->advice);
}

/* ---- with their own settings: a few steps, or the equilibrium if nothing moves */

typedef struct watch {
    long samples;
    bl_index nprobe;
    double turnover, error; /* largest energies during the run; largest error of their balance */
} watch;

static bl_status begin(void *user, const bl_run_info *info) {
    ((watch *)user)->nprobe = info->nprobe;
    return BL_OK;
}

static bl_status look(void *user, const bl_sample *s) {
    watch *w = user;
    w->samples++;
    for (bl_index i = 0; i < 3 * w->nprobe; i++)
        assert_true(isfinite(s->probe[i]));
    w->turnover = fmax(w->turnover, fabs(s->kinetic) + fabs(s->potential) + fabs(s->work) + fabs(s->dissipated));
    w->error = fmax(w->error, fabs(s->energy_error));
    return BL_OK;
}

static void run_it(bl_context *ctx, const bl_model *model, const char *scene, void *user) {
    if (!takes_part(model))
        return;
    ++*(long *)user;
    watch w = {0};
    bl_sink sink = {.user = &w, .begin = begin, .sample = look};
    double until = scene_time_of_steps(ctx, model, NULL, STEPS);
    if (isnan(model->settings.until)) { /* for `biela equilibrium` */
        if (bl_equilibrium(ctx, model, NULL, &sink, 1, NULL, NULL) != BL_OK)
            refuse(ctx, scene, "it does not rest");
    } else if (bl_simulate(ctx, model, &(bl_run_options){.until = until, .every = until / 4}, &sink, 1, NULL) != BL_OK) {
        refuse(ctx, scene, "by its own settings");
    }
    assert_true(w.samples > 0);
}

static void scenes__run_by_their_own_settings(void **state) {
    (void)state;
    long scenes = 0;
    scene_each(run_it, &scenes);
    assert_true(scenes > 0);
}

/* ---- energy. A step with the relative error `tolerance` changes the energy by about that fraction. */

static void balance(bl_context *ctx, const bl_model *model, const char *scene, void *user) {
    static const double tolerance = 1e-8;
    if (!takes_part(model))
        return;
    watch w = {0};
    bl_run_summary summary = {0};
    bl_sink sink = {.user = &w, .begin = begin, .sample = look};
    double until = fmin(scene_time_of_steps(ctx, model, NULL, STEPS), scene_time_of_steps(ctx, model, "radau", STEPS));
    if (!(until > 0))
        return; /* nothing moves */
    bl_run_options options = {.integrator = "radau", .until = until, .tolerance = tolerance, .every = until / 4};
    if (bl_simulate(ctx, model, &options, &sink, 1, &summary) != BL_OK)
        refuse(ctx, scene, "radau");
    if (!(w.turnover > 0)) /* fields of first order have no energy */
        return;
    double bound = tolerance * (double)summary.steps * w.turnover;
    print_message("%s, %.3g s, %ld steps: energy error %.1e J of %.1e, turnover %.3g J\n", scene, until, summary.steps, w.error, bound,
                  w.turnover);
    if (!(w.error <= bound))
        fail_msg("%s: energy error %g J, allowed %g J", scene, w.error, bound);
    ++*(long *)user;
}

static void scenes__balance_their_energy(void **state) {
    (void)state;
    long scenes = 0;
    scene_each(balance, &scenes);
    assert_true(scenes > 0);
}

/* ---- a copy of the state is sufficient to continue. The trapezoidal rule starts from a state without memory of earlier steps. */

static bl_status start_from(const bl_system *sys, const bl_state *state, const bl_run_options *options, bl_simulation **sim) {
    bl_simulation_setup setup = {
        .formulation = "plain", .integrator = "trapezoidal", .t_end = options->until, .step = options->step, .tolerance = 1e-10};
    return bl_simulation_create(sys, state, &setup, sim);
}

static bl_status go(bl_simulation *sim, int steps) {
    for (int k = 0; k < steps; k++)
        BL_TRY(bl_simulation_advance(sim));
    return BL_OK;
}

/* largest difference, in scales of the unknowns; of velocities in scales per step */
static double apart(const bl_system *sys, const bl_state *a, const bl_state *b, double h) {
    double most = 0;
    for (bl_index i = 0; i < sys->nv; i++) {
        most = fmax(most, fabs(a->q[i] - b->q[i]) / sys->col[i].scale);
        most = fmax(most, fabs(a->v[i] - b->v[i]) * h / sys->col[i].scale);
    }
    for (bl_index i = 0; i < sys->nz; i++)
        most = fmax(most, fabs(a->z[i] - b->z[i]) / sys->col[sys->nv + i].scale);
    return most;
}

static void restart(bl_context *ctx, const bl_model *model, const char *scene, void *user) {
    if (!takes_part(model))
        return;
    bl_system *sys = NULL;
    bl_state state = {0}, middle = {0}, end = {0};
    bl_simulation *sim = NULL, *again = NULL;
    bl_run_options options = {0};
    assert_int_equal(bl_run_resolve(ctx, model, NULL, &options), BL_OK);
    double all = scene_time_of_steps(ctx, model, NULL, STEPS);
    if (!(all > 0))
        return;
    options.step = all / STEPS;
    assert_int_equal(bl_run_prepare(ctx, model, options.coordinates, &sys, &state), BL_OK);
    if (start_from(sys, &state, &options, &sim) != BL_OK || go(sim, STEPS / 2) != BL_OK)
        refuse(ctx, scene, "trapezoidal rule");
    assert_int_equal(bl_state_create(sys, 0, &middle), BL_OK);
    assert_int_equal(bl_state_create(sys, 0, &end), BL_OK);
    bl_state_copy(sys, &middle, &sim->state);
    assert_int_equal(go(sim, STEPS / 2), BL_OK);
    for (int k = 0; k < 2; k++) { /* the second time the same bits as the first */
        if (start_from(sys, &middle, &options, &again) != BL_OK || go(again, STEPS / 2) != BL_OK)
            refuse(ctx, scene, "from the copy");
        double off = apart(sys, &again->state, &sim->state, options.step);
        if (!(off <= 1e-7)) /* iterations end at 1e-10 of the scale, in ten steps */
            fail_msg("%s: from a copy of the state it goes elsewhere, by %.2g scales", scene, off);
        if (k == 0)
            bl_state_copy(sys, &end, &again->state);
        else
            assert_true(apart(sys, &end, &again->state, options.step) == 0);
        bl_simulation_destroy(again);
    }
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &middle);
    bl_state_destroy(sys, &end);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    ++*(long *)user;
}

static void scenes__go_on_from_a_copy_of_the_state(void **state) {
    (void)state;
    long scenes = 0;
    scene_each(restart, &scenes);
    assert_true(scenes > 0);
}

/* ---- all kinds of output at once */

static char folder[] = "/tmp/biela_mesh_scenes_XXXXXX";

static const char *scratch(const char *name) {
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[0], "%s/%s", folder, name);
    return path[turn];
}

typedef struct text {
    char *at;
    size_t length, room;
} text;

static void append(void *user, const char *piece, size_t length) {
    text *t = user;
    if (t->length + length + 1 > t->room) {
        t->room = 2 * (t->length + length) + 1;
        t->at = realloc(t->at, t->room);
        assert_non_null(t->at);
    }
    memcpy(t->at + t->length, piece, length);
    t->length += length;
    t->at[t->length] = 0;
}

/* the last sample: probes and fields */
typedef struct last {
    bl_index nprobe, nfield;
    double *probe;
    char (*name)[128];
    double **field;
    size_t *numbers;
    bl_field *what;
    long samples;
} last;

static bl_status keep_begin(void *user, const bl_run_info *info) {
    last *l = user;
    *l = (last){.nprobe = info->nprobe, .nfield = info->nfield};
    l->probe = calloc(3 * (size_t)info->nprobe + 1, sizeof *l->probe);
    l->name = calloc((size_t)info->nfield + 1, sizeof *l->name);
    l->field = calloc((size_t)info->nfield + 1, sizeof *l->field);
    l->numbers = calloc((size_t)info->nfield + 1, sizeof *l->numbers);
    for (bl_index f = 0; f < info->nfield; f++) {
        snprintf(l->name[f], sizeof l->name[f], "fields/%s/%s", info->mesh[info->field[f].mesh].name, info->field[f].name);
        l->numbers[f] = (size_t)info->field[f].items * (size_t)info->field[f].components;
        l->field[f] = calloc(l->numbers[f] + 1, sizeof(double));
    }
    return BL_OK;
}

static bl_status keep_sample(void *user, const bl_sample *s) {
    last *l = user;
    l->samples++;
    if (l->nprobe)
        memcpy(l->probe, s->probe, 3 * (size_t)l->nprobe * sizeof(double));
    for (bl_index f = 0; f < l->nfield; f++)
        memcpy(l->field[f], s->field[f], l->numbers[f] * sizeof(double));
    return BL_OK;
}

static void last_end(last *l) {
    for (bl_index f = 0; f < l->nfield; f++)
        free(l->field[f]);
    free(l->field);
    free(l->numbers);
    free(l->name);
    free(l->probe);
}

static void expect_same(bl_context *ctx, bl_result *result, const char *scene, const char *name, const double *want, size_t numbers) {
    const bl_quantity *q;
    if (bl_result_quantity(result, name, &q) != BL_OK)
        refuse(ctx, scene, name);
    assert_int_equal((size_t)q->items * (size_t)q->components, numbers);
    double *found = calloc(numbers + 1, sizeof *found);
    assert_int_equal(bl_result_read(result, q, bl_result_samples(result) - 1, 1, 0, q->items, found), BL_OK);
    if (memcmp(found, want, numbers * sizeof *found) != 0)
        fail_msg("%s: %s is another in the result file", scene, name);
    free(found);
}

static void expect_result_file(bl_context *ctx, const bl_model *model, const char *scene, const last *l) {
    bl_result *result;
    const char *const *names;
    if (bl_result_open(ctx, scratch("run.h5"), &result) != BL_OK)
        refuse(ctx, scene, "result file");
    assert_int_equal(bl_result_samples(result), l->samples);
    assert_int_equal(bl_result_meshes(result, &names), model->nsolid);
    assert_true(l->nfield > 0);
    for (bl_index f = 0; f < l->nfield; f++)
        expect_same(ctx, result, scene, l->name[f], l->field[f], l->numbers[f]);
    if (l->nprobe)
        expect_same(ctx, result, scene, "probes/position", l->probe, 3 * (size_t)l->nprobe);
    bl_result_close(result);
}

static void expect_table(long samples) {
    FILE *file = fopen(scratch("run.csv"), "r");
    long lines = 0;
    assert_non_null(file);
    for (int c; (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    assert_true(lines >= samples + 1); /* preceded by titles */
}

static void expect_json(const char *scene, const text *json) {
    struct fy_document *document = fy_document_build_from_string(NULL, json->at, json->length);
    if (!document)
        fail_msg("%s: no JSON", scene);
    fy_document_destroy(document);
}

/* files for VTK, removed while they are counted */
static long take_files(const char *path) {
    long count = 0;
    DIR *list = opendir(path);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));) {
        char file[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        count += strstr(entry->d_name, ".vtu") != NULL;
        assert_int_equal(unlink(file), 0);
    }
    closedir(list);
    rmdir(path);
    return count;
}

static void output(bl_context *ctx, const bl_model *model, const char *scene, void *user) {
    if (!takes_part(model))
        return;
    double until = scene_time_of_steps(ctx, model, NULL, 3);
    if (!(until > 0))
        return;
    last l = {0};
    text json = {0};
    bl_sink sink[5] = {{.size = sizeof *sink, .user = &l, .begin = keep_begin, .sample = keep_sample}};
    assert_int_equal(bl_sink_hdf5(ctx, scratch("run.h5"), &sink[1]), BL_OK);
    assert_int_equal(bl_sink_csv(ctx, scratch("run.csv"), &sink[2]), BL_OK);
    assert_int_equal(bl_sink_json(ctx, append, &json, &sink[3]), BL_OK);
    assert_int_equal(bl_sink_vtk(ctx, scratch("vtk"), &sink[4]), BL_OK);
    if (bl_simulate(ctx, model, &(bl_run_options){.until = until, .every = until / 2}, sink, 5, NULL) != BL_OK)
        refuse(ctx, scene, "with all kinds of output");
    for (int k = 1; k < 5; k++)
        bl_sink_destroy(&sink[k]);
    assert_int_equal(l.samples, 3);
    expect_result_file(ctx, model, scene, &l);
    expect_table(l.samples);
    expect_json(scene, &json);
    assert_int_equal(take_files(scratch("vtk")), l.samples * model->nsolid);
    unlink(scratch("run.h5"));
    unlink(scratch("run.csv"));
    last_end(&l);
    free(json.at);
    ++*(long *)user;
}

static void scenes__go_through_all_kinds_of_output(void **state) {
    (void)state;
    long scenes = 0;
    assert_non_null(mkdtemp(folder));
    scene_each(output, &scenes);
    assert_int_equal(rmdir(folder), 0);
    assert_true(scenes > 0);
}

/* ---- neither threads nor the selection of sample data change a bit */

static void take_last(bl_context *ctx, const bl_model *model, const char *scene, double until, int threads, uint32_t want, last *l) {
    bl_sink sink = {.user = l, .begin = keep_begin, .sample = keep_sample, .want = want};
    bl_run_options options = {.until = until, .every = until / 2, .threads = threads};
    if (bl_simulate(ctx, model, &options, &sink, 1, NULL) != BL_OK)
        refuse(ctx, scene, "with threads, or a part of samples");
}

static void same_bits(bl_context *ctx, const bl_model *model, const char *scene, void *user) {
    static const struct {
        int threads;
        uint32_t want;
    } ways[] = {{2, 0}, {3, 0}, {1, BL_WANT_PROBES | BL_WANT_FIELDS}};
    double until = takes_part(model) ? scene_time_of_steps(ctx, model, NULL, 3) : 0;
    if (!(until > 0))
        return;
    last one, other;
    take_last(ctx, model, scene, until, 1, 0, &one);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        take_last(ctx, model, scene, until, ways[k].threads, ways[k].want, &other);
        assert_int_equal(one.nfield, other.nfield);
        assert_memory_equal(one.probe, other.probe, 3 * (size_t)one.nprobe * sizeof(double));
        for (bl_index f = 0; f < one.nfield; f++)
            if (memcmp(one.field[f], other.field[f], one.numbers[f] * sizeof(double)) != 0)
                fail_msg("%s: %s is another with %d threads, or wanted alone", scene, one.name[f], ways[k].threads);
        last_end(&other);
    }
    last_end(&one);
    ++*(long *)user;
}

static void scenes__have_the_same_bits_with_threads(void **state) {
    (void)state;
    long scenes = 0;
    scene_each(same_bits, &scenes);
    assert_true(scenes > 0);
}

/* ---- formulations and methods agree if they succeed; explicit ones may fail if equations are stiff */

static void agree(bl_context *ctx, const bl_model *model, const char *scene, void *user) {
    double until = scene_has_meshes(model) && scene_mesh_size(model) <= COMPARED ? scene_time_of_steps(ctx, model, NULL, 5) : 0;
    if (!(until > 0))
        return;
    bl_compare_report report = {0};
    if (bl_compare(ctx, model, &(bl_compare_options){.until = until, .limit = 60}, &report) != BL_OK)
        refuse(ctx, scene, "compare");
    for (bl_index i = 0; i < report.nentry; i++)
        if (report.entry[i].agreement == BL_DISAGREED)
            print_error("%s: %s, %s disagrees: %s\n", scene, report.entry[i].formulation, report.entry[i].integrator,
                        report.entry[i].reason);
    print_message("%s, %g s: %d of %d agreed\n", scene, until, (int)report.agreed, (int)report.nentry);
    assert_int_equal(report.disagreed, 0);
    assert_true(report.agreed > 20);
    bl_compare_report_destroy(ctx, &report);
    ++*(long *)user;
}

static void scenes__move_alike_by_all_methods(void **state) {
    (void)state;
    long scenes = 0;
    scene_each(agree, &scenes);
    assert_true(scenes > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes__run_by_their_own_settings),       cmocka_unit_test(scenes__balance_their_energy),
        cmocka_unit_test(scenes__go_on_from_a_copy_of_the_state),  cmocka_unit_test(scenes__go_through_all_kinds_of_output),
        cmocka_unit_test(scenes__have_the_same_bits_with_threads), cmocka_unit_test(scenes__move_alike_by_all_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
