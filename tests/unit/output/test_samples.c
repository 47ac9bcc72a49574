/* Runs in memory: arrays have the bits that other sinks received; played again they give the same files; another run replaces the first;
 * without memory and after misuse. */
#include "synthetic.h"

#include "base/base.h"
#include "biela/samples.h"

enum { STEPS = 50, EVENTS = 40, ROWS = 40 };

static bl_step step_of(long n) {
    return (bl_step){.t = (double)(n + 1) / 7, .size = 1.0 / 7, .order = (int)(n % 5), .error = n % 3 ? (double)n / 11 : NAN};
}

/* a row, then a step, then an event, and so on; their texts are gone after each call */
static bl_status hand_in(bl_sink *sink, long rows) {
    synthetic_sample row;
    bl_status status = sink->begin(sink->user, &synthetic_info);
    for (long n = 0; n < rows || n < STEPS; n++) {
        char text[32];
        bl_step step = step_of(n);
        bl_event_mark mark = {.t = n / 3.0, .kind = (bl_event_kind)(n % BL_EVENT_KINDS), .text = text, .part = n % 2 ? "j1" : ""};
        snprintf(text, sizeof text, "event %ld", n);
        if (status == BL_OK && n < rows)
            status = sink->sample(sink->user, synthetic_row(&row, n));
        if (status == BL_OK && n < STEPS)
            status = sink->step(sink->user, &step);
        if (status == BL_OK && n < EVENTS)
            status = sink->event(sink->user, &mark);
        memset(text, '#', sizeof text);
    }
    bl_run_summary summary = synthetic_summary;
    if (status != BL_OK)
        summary.status = status;
    bl_status ended = sink->end(sink->user, &summary);
    return status != BL_OK ? status : ended;
}

static void assert_same_bits(const void *a, const void *b, size_t bytes) {
    assert_non_null(a);
    assert_memory_equal(a, b, bytes);
}

static void check_rows(const bl_sample_arrays *a, long rows) {
    assert_int_equal(a->samples, rows);
    for (long n = 0; n < rows; n++) {
        synthetic_sample row;
        const bl_sample *s = synthetic_row(&row, n);
        assert_same_bits(&a->t[n], &s->t, sizeof s->t);
        assert_same_bits(&a->body[n * NBODY], s->body, NBODY * sizeof *s->body);
        assert_same_bits(&a->variable[n * NVARIABLE], s->variable, NVARIABLE * sizeof(double));
        assert_same_bits(&a->variable_rate[n * NVARIABLE], s->variable_rate, NVARIABLE * sizeof(double));
        assert_same_bits(&a->probe[n * NPROBE * 3], s->probe, NPROBE * 3 * sizeof(double));
        assert_same_bits(&a->probe_rate[n * NPROBE * 3], s->probe_rate, NPROBE * 3 * sizeof(double));
        assert_same_bits(&a->reaction[n * NJOINT], s->reaction, NJOINT * sizeof *s->reaction);
        assert_same_bits(&a->contact[n * NCONTACT], s->contact, NCONTACT * sizeof *s->contact);
        const double *scalar[] = {a->kinetic, a->potential, a->work, a->dissipated, a->energy_error, a->drift, a->velocity_drift};
        const double wanted[] = {s->kinetic, s->potential, s->work, s->dissipated, s->energy_error, s->drift, s->velocity_drift};
        for (int k = 0; k < 7; k++)
            assert_same_bits(&scalar[k][n], &wanted[k], sizeof wanted[k]);
        assert_int_equal(a->side[n], 0);
    }
}

static void samples__hold_the_bits_that_were_handed_in(void **state) {
    bl_context *ctx = *state;
    bl_samples *samples;
    bl_sink sink = {0};
    assert_int_equal(bl_samples_create(ctx, 0, &samples, &sink), BL_OK);
    assert_null(bl_samples_arrays(samples)->info);
    assert_int_equal(hand_in(&sink, ROWS), BL_OK);
    const bl_sample_arrays *a = bl_samples_arrays(samples);
    check_rows(a, ROWS);
    assert_null(a->acceleration); /* kinds that the run does not have */
    assert_null(a->push);
    assert_null(a->field);
    assert_null(bl_samples_equilibrium(samples, 0));
    assert_int_equal(a->steps, STEPS);
    for (long n = 0; n < STEPS; n++) {
        bl_step step = step_of(n);
        assert_true(a->step_t[n] == step.t && a->step_size[n] == step.size && a->step_order[n] == step.order);
        assert_true(isnan(step.error) ? isnan(a->step_error[n]) : a->step_error[n] == step.error);
    }
    assert_int_equal(a->events, EVENTS);
    for (long n = 0; n < EVENTS; n++) {
        char text[32];
        snprintf(text, sizeof text, "event %ld", n);
        assert_string_equal(bl_samples_event(samples, n)->text, text);
        assert_string_equal(bl_samples_event(samples, n)->part, n % 2 ? "j1" : "");
    }
    assert_null(bl_samples_event(samples, EVENTS));
    assert_string_equal(a->info->body[0], body_names[0]);
    assert_ptr_not_equal(a->info->body[0], body_names[0]);
    assert_int_equal(a->summary->solves, synthetic_summary.solves);
    bl_samples_destroy(samples);
}

static void samples__another_run_replaces_the_first(void **state) {
    bl_context *ctx = *state;
    bl_samples *samples;
    bl_sink sink = {0};
    assert_int_equal(bl_samples_create(ctx, 0, &samples, &sink), BL_OK);
    assert_int_equal(hand_in(&sink, ROWS), BL_OK);
    assert_int_equal(hand_in(&sink, 5000), BL_OK);
    check_rows(bl_samples_arrays(samples), 5000);
    assert_int_equal(hand_in(&sink, 0), BL_OK);
    assert_int_equal(bl_samples_arrays(samples)->samples, 0);
    bl_sink_destroy(&sink); /* does nothing: the samples own it */
    assert_int_equal(bl_samples_arrays(samples)->steps, STEPS);
    bl_samples_destroy(samples);
    bl_samples_destroy(NULL);
}

/* ---- played again */

static char *read_text(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *length, file), *length);
    fclose(file);
    return text;
}

static void assert_same_files(const char *name, const char *other) {
    size_t na, nb;
    char *a = read_text(scratch(name), &na), *b = read_text(scratch(other), &nb);
    assert_int_equal(na, nb);
    assert_memory_equal(a, b, na);
    free(a);
    free(b);
}

static void write_text(void *user, const char *text, size_t length) { fwrite(text, 1, length, user); }

/* runs a scene into samples, a table, JSON and a result file; then plays it into three other files */
static void run_and_play(bl_context *ctx, const char *scene, double until, uint32_t want) {
    enum { SINKS = 4 };
    bl_model *model;
    bl_samples *samples;
    bl_sink sink[SINKS] = {{.size = sizeof *sink}, {.size = sizeof *sink}, {.size = sizeof *sink}, {.size = sizeof *sink}};
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    FILE *json = fopen(scratch("run.json"), "wb");
    assert_int_equal(bl_samples_create(ctx, want, &samples, &sink[0]), BL_OK);
    assert_int_equal(bl_sink_csv(ctx, scratch("run.csv"), &sink[1]), BL_OK);
    assert_int_equal(bl_sink_json(ctx, write_text, json, &sink[2]), BL_OK);
    assert_int_equal(bl_sink_hdf5(ctx, scratch("run.h5"), &sink[3]), BL_OK);
    bl_status status = bl_simulate(ctx, model, &(bl_run_options){.until = until}, sink, SINKS, NULL);
    assert_true(status == BL_OK || status == BL_EVENT || status == BL_E_NUMERIC);
    for (int i = 0; i < SINKS; i++)
        bl_sink_destroy(&sink[i]);
    fclose(json);
    bl_model_destroy(model); /* the samples need it no more */
    bl_sink again[3] = {{.size = sizeof *again}, {.size = sizeof *again}, {.size = sizeof *again}};
    json = fopen(scratch("again.json"), "wb");
    assert_int_equal(bl_sink_csv(ctx, scratch("again.csv"), &again[0]), BL_OK);
    assert_int_equal(bl_sink_json(ctx, write_text, json, &again[1]), BL_OK);
    assert_int_equal(bl_sink_hdf5(ctx, scratch("again.h5"), &again[2]), BL_OK);
    assert_int_equal(bl_samples_play(samples, again, 3), BL_OK);
    for (int i = 0; i < 3; i++)
        bl_sink_destroy(&again[i]);
    fclose(json);
    bl_samples_destroy(samples);
    assert_same_files("run.csv", "again.csv");
    assert_same_files("run.json", "again.json");
}

static void assert_same_results(bl_context *ctx) {
    bl_result *run, *again;
    const bl_quantity *list;
    assert_int_equal(bl_result_open(ctx, scratch("run.h5"), &run), BL_OK);
    assert_int_equal(bl_result_open(ctx, scratch("again.h5"), &again), BL_OK);
    bl_index n = bl_result_quantities(run, &list);
    assert_int_equal(bl_result_quantities(again, &(const bl_quantity *){NULL}), n);
    bool impacts = bl_result_facts(run, "impacts/event", NULL, &(bl_index){0}) == BL_OK;
    for (bl_index i = 0; i < n + (impacts ? 8 : 4); i++) {
        static const char *const others[] = {"steps/time",   "steps/size",      "steps/order",   "steps/error",
                                             "impacts/lost", "impacts/impulse", "impacts/speed", "impacts/kinetic"};
        const bl_quantity *a, *b;
        assert_int_equal(bl_result_quantity(run, i < n ? list[i].name : others[i - n], &a), BL_OK);
        assert_int_equal(bl_result_quantity(again, a->name, &b), BL_OK);
        assert_int_equal(a->rows, b->rows);
        size_t count = (size_t)a->rows * (size_t)a->items * (size_t)a->components;
        double *x = calloc(count + 1, sizeof *x), *y = calloc(count + 1, sizeof *y);
        assert_int_equal(bl_result_read(run, a, 0, a->rows, 0, a->items, x), BL_OK);
        assert_int_equal(bl_result_read(again, b, 0, b->rows, 0, b->items, y), BL_OK);
        assert_memory_equal(x, y, count * sizeof *x);
        free(x);
        free(y);
    }
    const bl_result_event *ea, *eb;
    bl_index na, nb;
    assert_int_equal(bl_result_events(run, &ea, &na), BL_OK);
    assert_int_equal(bl_result_events(again, &eb, &nb), BL_OK);
    assert_int_equal(na, nb);
    for (bl_index i = 0; i < na; i++)
        assert_string_equal(ea[i].text, eb[i].text);
    assert_int_equal(bl_result_meshes(run, &(const char *const *){NULL}), bl_result_meshes(again, &(const char *const *){NULL}));
    bl_result_close(run);
    bl_result_close(again);
}

static void samples__played_again_give_the_same_files(void **state) {
    bl_context *ctx = *state;
    run_and_play(ctx, "bricard", 2, 0); /* space, repartitions */
    assert_same_results(ctx);
    run_and_play(ctx, "slider_crank_motor", 1, 0); /* drivers, actuators */
    assert_same_results(ctx);
    run_and_play(ctx, "quarter_car", 1, 0); /* springs, forces */
    assert_same_results(ctx);
    run_and_play(ctx, "friction_slider_crank", 1, 0); /* events of laws */
    assert_same_results(ctx);
    run_and_play(ctx, "clearance_slider_crank", 0.009, 0); /* impacts */
    assert_same_results(ctx);
    run_and_play(ctx, "elastic_block", 1e-4, BL_WANT_ALL); /* meshes and fields */
    assert_same_results(ctx);
}

/* ---- equilibria */

static void samples__keep_the_properties_of_equilibria(void **state) {
    bl_context *ctx = *state;
    bl_model *model;
    bl_samples *samples;
    bl_sink sink = {0};
    assert_int_equal(bl_model_read(ctx, SCENES "/four_bar.yaml", NULL, 0, &model), BL_OK);
    assert_int_equal(bl_samples_create(ctx, 0, &samples, &sink), BL_OK);
    assert_int_equal(bl_equilibrium(ctx, model, NULL, &sink, 1, NULL, NULL), BL_OK);
    bl_model_destroy(model);
    const bl_equilibrium_point *p = bl_samples_equilibrium(samples, 0);
    assert_non_null(p);
    assert_int_equal(p->unstable, 0);
    assert_true(fabs(p->soft[0].stiffness - 2.289327467) < 1e-8); /* docs/COMMANDS.md */
    assert_int_equal(bl_samples_arrays(samples)->summary->equilibrium->found, 1);
    bl_samples_destroy(samples);
}

/* ---- misuse, memory */

static void samples__refuse_what_they_cannot_play(void **state) {
    bl_context *ctx = *state;
    bl_samples *samples;
    bl_sink sink = {0}, table = {0};
    assert_int_equal(bl_samples_create(ctx, BL_WANT_VARIABLES, &samples, &sink), BL_OK);
    assert_int_equal(bl_sink_csv(ctx, scratch("never.csv"), &table), BL_OK);
    assert_int_equal(bl_samples_play(samples, &table, 1), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "no run has ended"));
    assert_int_equal(hand_in(&sink, 3), BL_OK);
    assert_null(bl_samples_arrays(samples)->body);
    assert_non_null(bl_samples_arrays(samples)->variable);
    assert_int_equal(bl_samples_play(samples, &table, 1), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "not kept"));
    assert_false(exists(scratch("never.csv")));
    bl_sink_destroy(&table);
    assert_int_equal(bl_samples_play(samples, NULL, 1), BL_E_ARG);
    assert_int_equal(bl_samples_create(ctx, 0, NULL, &sink), BL_E_ARG);
    bl_samples_destroy(samples);
}

static bl_status keep_and_play(bl_context *ctx, void *user) {
    (void)user;
    bl_samples *samples, *copy = NULL;
    bl_sink sink = {0}, second = {0};
    BL_TRY(bl_samples_create(ctx, 0, &samples, &sink));
    bl_status status = hand_in(&sink, 20);
    if (status == BL_OK)
        status = bl_samples_create(ctx, 0, &copy, &second);
    if (status == BL_OK)
        status = bl_samples_play(samples, &second, 1);
    if (status == BL_OK)
        check_rows(bl_samples_arrays(copy), 20);
    bl_samples_destroy(copy);
    bl_samples_destroy(samples);
    return status;
}

static void samples__without_memory_nothing_is_lost(void **state) {
    (void)state;
    assert_true(test_failing_allocations(keep_and_play, NULL) > 20);
    assert_true(test_failing_once(keep_and_play, NULL) > 20);
}

static int begin_test(void **state) {
    *state = test_context(NULL);
    return 0;
}

static int end_test(void **state) {
    test_context_end(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(samples__hold_the_bits_that_were_handed_in, begin_test, end_test),
        cmocka_unit_test_setup_teardown(samples__another_run_replaces_the_first, begin_test, end_test),
        cmocka_unit_test_setup_teardown(samples__played_again_give_the_same_files, begin_test, end_test),
        cmocka_unit_test_setup_teardown(samples__keep_the_properties_of_equilibria, begin_test, end_test),
        cmocka_unit_test_setup_teardown(samples__refuse_what_they_cannot_play, begin_test, end_test),
        cmocka_unit_test(samples__without_memory_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
