/* Threads: eight of them, each with its own contexts, read models and run studies with different coordinates, formulations, integrators,
 * linear solvers and orderings, in different orders; their results are bitwise those of one thread alone. `make tsan` runs this program
 * under the thread sanitizer. */
#define _DEFAULT_SOURCE /* usleep */
#include "biela/biela.h"
#include "support/testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8 };

/* ---- everything that a study delivers, as one number */

typedef struct digest {
    uint64_t value; /* FNV-1a */
    bl_run_info info;
} digest;

static void add(digest *d, const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        d->value = (d->value ^ at[i]) * 0x100000001b3u;
}

static void add_numbers(digest *d, const double *x, bl_index n) {
    if (x && n > 0)
        add(d, x, (size_t)n * sizeof *x);
}

static bl_status begin(void *user, const bl_run_info *info) {
    digest *d = user;
    d->info = *info;
    for (bl_index i = 0; i < info->nvariable; i++)
        add(d, info->variable[i], strlen(info->variable[i]));
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *s) {
    digest *d = user;
    add_numbers(d, &s->t, 1);
    if (s->body && d->info.nbody)
        add(d, s->body, (size_t)d->info.nbody * sizeof *s->body);
    add_numbers(d, s->variable, d->info.nvariable);
    add_numbers(d, s->variable_rate, d->info.nvariable);
    if (s->reaction && d->info.njoint)
        add(d, s->reaction, (size_t)d->info.njoint * sizeof *s->reaction);
    for (bl_index f = 0; s->field && f < d->info.nfield; f++)
        add_numbers(d, s->field[f], d->info.field[f].items * d->info.field[f].components);
    return BL_OK;
}

static void add_summary(digest *d, const bl_run_summary *s) {
    const long counters[] = {s->steps, s->rejections, s->evaluations, s->factorizations, s->refactorizations, s->solves};
    add(d, counters, sizeof counters);
    add_numbers(d, &s->largest_drift, 1);
}

/* ---- studies */

typedef struct task {
    const char *scene;
    bl_run_options options;
    bl_status (*study)(bl_context *ctx, const bl_model *model, const struct task *what, digest *d);
} task;

static bl_status simulate(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    bl_run_summary summary = {0};
    bl_sink sink = {.user = d, .begin = begin, .sample = take};
    bl_status status = bl_simulate(ctx, model, &what->options, &sink, 1, &summary);
    add_summary(d, &summary);
    bool metis = what->options.ordering && strcmp(what->options.ordering, "nd") == 0;
    return metis && status == BL_E_ABILITY ? BL_OK : status; /* METIS is not installed */
}

/* the result file, written by biela and read by the HDF5 library */
static bl_status write_and_read(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    char path[] = "/tmp/biela_threads_XXXXXX";
    bl_sink sink = {0};
    bl_result *result = NULL;
    const bl_quantity *position;
    double values[3];
    close(mkstemp(path));
    bl_status status = bl_sink_hdf5(ctx, path, &sink);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &what->options, &sink, 1, NULL);
    bl_sink_destroy(&sink);
    if (status == BL_OK)
        status = bl_result_open(ctx, path, &result);
    if (status == BL_OK)
        status = bl_result_quantity(result, "bodies/position", &position);
    for (long k = 0; status == BL_OK && k < bl_result_samples(result); k++) {
        status = bl_result_read(result, position, k, 1, 0, 1, values);
        add_numbers(d, values, 3);
    }
    bl_result_close(result);
    unlink(path);
    return status;
}

static bl_status find_modes(bl_context *ctx, const bl_model *model, bl_modes_method method, digest *d) {
    bl_modes_report report = {0};
    bl_status status = bl_modes(ctx, model, &(bl_modes_options){.count = 4, .method = method}, NULL, 0, &report);
    for (bl_index k = 0; status == BL_OK && k < report.nmode; k++) {
        add_numbers(d, &report.mode[k].eigenvalue, 1);
        add_numbers(d, report.mode[k].shape, report.unknowns);
    }
    bl_modes_report_destroy(ctx, &report);
    return status == BL_E_ABILITY ? BL_OK : status; /* ARPACK is not installed */
}

static bl_status modes(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    (void)what;
    return find_modes(ctx, model, BL_MODES_LAPACK, d);
}

static bl_status modes_arpack(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    (void)what;
    return find_modes(ctx, model, BL_MODES_ARPACK, d);
}

static bl_status check(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    bl_check_report report = {0};
    bl_status status = bl_check(ctx, model, &what->options, &report);
    const bl_index found[] = {report.rank, report.redundant, report.mobility_rank, report.nfinding};
    add(d, found, sizeof found);
    bl_check_report_destroy(ctx, &report);
    return status;
}

/* every ordering, nd by METIS among them */
static bl_status orderings(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    (void)what;
    bl_order_report report = {0};
    bl_status status = bl_order_study(ctx, model, &(bl_order_options){.repetitions = -1}, &report);
    for (bl_index k = 0; status == BL_OK && k < report.nentry; k++)
        if (report.entry[k].status == BL_OK) {
            add(d, report.entry[k].row, (size_t)report.entry[k].nrow * sizeof(bl_index));
            add(d, report.entry[k].col, (size_t)report.entry[k].ncol * sizeof(bl_index));
        }
    bl_order_report_destroy(ctx, &report);
    return status;
}

static bl_status equilibrium(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    (void)what;
    bl_equilibrium_summary found = {0};
    bl_sink sink = {.user = d, .begin = begin, .sample = take};
    bl_status status = bl_equilibrium(ctx, model, NULL, &sink, 1, NULL, &found);
    add_numbers(d, &found.residual, 1);
    return status;
}

static bl_status kinematics(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    bl_sink sink = {.user = d, .begin = begin, .sample = take};
    return bl_kinematics_study(ctx, model, NULL, &what->options, &sink, 1, NULL, NULL);
}

static bl_status inverse(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    bl_sink sink = {.user = d, .begin = begin, .sample = take};
    return bl_inverse(ctx, model, &(bl_inverse_options){.run = &what->options, .check = true}, &sink, 1, NULL, NULL);
}

static bl_status path(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    bl_modes_path_report report = {0};
    (void)what;
    bl_status status = bl_modes_path(ctx, model, &(bl_modes_path_options){.parameter = "P", .from = 1, .to = 2, .points = 3}, &report);
    if (status == BL_OK)
        add_numbers(d, report.path->re, report.path->npoint * report.path->nmode);
    bl_modes_path_report_destroy(ctx, &report);
    return status;
}

static bl_status move_and_rates(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    (void)what;
    bl_move_target target = {"A.angle", 0.3};
    bl_rates_report report = {0};
    bl_sink sink = {.user = d, .begin = begin, .sample = take};
    bl_status status = bl_move(ctx, model, &(bl_move_options){.target = &target, .ntarget = 1, .samples = 4}, &sink, 1, NULL, NULL);
    if (status == BL_OK)
        status = bl_rates(ctx, model, NULL, &report);
    for (bl_index i = 0; status == BL_OK && i < report.nvariable; i++)
        add_numbers(d, &report.variable[i].rate, 1);
    bl_rates_report_destroy(ctx, &report);
    return status;
}

/* laws, drivers, scenes and structure of one model */
static bl_status structure(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    (void)what;
    bl_chain chain = {0};
    bl_structure_report report = {0};
    bl_structure_exceptions found = {0};
    bl_json json = {.ctx = ctx};
    bl_status status = bl_structure_of_model(ctx, model, NULL, &chain, &report, &found);
    add(d, &found.mobility_rank, sizeof found.mobility_rank);
    bl_structure_exceptions_destroy(ctx, &found);
    bl_structure_report_destroy(ctx, &report);
    bl_chain_destroy(ctx, &chain);
    if (status == BL_OK)
        status = bl_model_scene(ctx, model, &json);
    if (status == BL_OK)
        add(d, json.text, json.length);
    bl_json_destroy(&json);
    return status;
}

/* a stepper: advanced, saved, changed, restored, copied */
static bl_status steps(bl_context *ctx, const bl_model *model, const task *what, digest *d) {
    enum { STOPS = 20 };
    bl_stepper *s = NULL, *other = NULL;
    const bl_sample *sample;
    unsigned char *bytes = NULL;
    size_t count = 0;
    bl_override first[1];
    bool has_parameters = bl_model_parameters(model, first, 1) > 0;
    bl_status status = bl_stepper_create(ctx, model, &what->options, &s);
    if (status == BL_OK)
        d->info = *bl_stepper_info(s);
    for (int k = 1; k <= STOPS && status == BL_OK; k++) {
        status = bl_stepper_reach(s, what->options.until * k / STOPS);
        if (status == BL_OK)
            status = bl_stepper_sample(s, BL_WANT_BODIES | BL_WANT_VARIABLES, &sample);
        if (status == BL_OK)
            take(d, sample);
        if (k != STOPS / 2 || status != BL_OK)
            continue;
        status = bl_stepper_save(s, NULL, &count);
        bytes = malloc(count);
        if (status == BL_OK)
            status = bl_stepper_save(s, bytes, &count);
        if (status == BL_OK)
            status = bl_stepper_copy(s, ctx, &other);
        if (status == BL_OK && has_parameters)
            status = bl_stepper_set_parameters(other, &(bl_override){first[0].name, 1.001 * first[0].value}, 1);
        if (status == BL_OK)
            status = bl_stepper_reach(other, what->options.until);
    }
    if (status == BL_OK)
        status = bl_stepper_sample(other, BL_WANT_VARIABLES, &sample);
    if (status == BL_OK)
        add_numbers(d, sample->variable, d->info.nvariable);
    if (status == BL_OK)
        status = bl_stepper_restore(s, bytes, count);
    if (status == BL_OK)
        status = bl_stepper_reach(s, what->options.until);
    if (status == BL_OK)
        status = bl_stepper_sample(s, BL_WANT_VARIABLES, &sample);
    if (status == BL_OK)
        add_numbers(d, sample->variable, d->info.nvariable);
    free(bytes);
    bl_stepper_destroy(other);
    bl_stepper_destroy(s);
    return status;
}

static const task tasks[] = {
    {"bricard", {.until = 0.2, .coordinates = "natural", .integrator = "series"}, simulate},
    {"hexapod", {.until = 0.05, .formulation = "baumgarte", .integrator = "bs23", .linsol = "klu", .ordering = "nd"}, simulate},
    {"four_bar",
     {.until = 0.2, .coordinates = "mixed", .formulation = "projection", .integrator = "abm", .linsol = "block", .ordering = "p5"},
     simulate},
    {"cook", {.until = 0.001}, modes_arpack},
    {"double_pendulum", {.until = 0.2, .coordinates = "relative", .integrator = "dop853"}, simulate},
    {"bricard",
     {.until = 0.1, .coordinates = "reference", .formulation = "lagrange", .integrator = "dopri45", .linsol = "inverse"},
     simulate},
    {"hexapod", {.until = 0}, orderings},
    {"heavy_top", {.until = 0.1, .coordinates = "reference", .formulation = "ggl", .integrator = "trbdf2", .linsol = "superlu"}, simulate},
    {"damped_four_bar", {.until = 0.1, .formulation = "index3", .integrator = "genalpha:0.8", .step = 0.005, .linsol = "dense"}, simulate},
    {"elastic_block", {.until = 0.0002, .integrator = "trapezoidal", .step = 0.0001, .linsol = "ldl", .threads = 2}, simulate},
    {"slider_crank", {.until = 0.05}, write_and_read},
    {"planar_3rrr", {.coordinates = "natural"}, check},
    {"hanging_rods", {.until = 0}, equilibrium},
    {"quarter_car", {.until = 0}, modes},
    {"spatial_slider_crank",
     {.until = 0.1, .coordinates = "natural", .formulation = "null_space", .integrator = "rk4", .step = 0.01},
     simulate},
    {"robertson", {.until = 1}, simulate},
    {"quick_return", {.until = 0.1, .every = 0.02}, kinematics},
    {"five_bar_robot", {.until = 0.1, .every = 0.05}, inverse},
    {"ziegler_column", {.until = 0}, path},
    {"four_bar", {.until = 0}, move_and_rates},
    {"driven_governor", {.until = 0}, structure},
    {"friction_slider_crank", {.until = 0.02}, simulate},
    {"vehicle", {.until = 0.02}, simulate},
    {"bricard", {.until = 0.1}, steps},
    {"motor_leg", {.until = 0.05}, steps},
    {"active_suspension", {.until = 0.05, .coordinates = "mixed", .integrator = "dopri45"}, steps},
    {"cart_pendulum_pid", {.until = 0.05, .coordinates = "relative"}, steps},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

static bl_status read_scene(bl_context *ctx, const char *scene, bl_model **model) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    return bl_model_read(ctx, path, NULL, 0, model);
}

/* model: of another context, or NULL: read */
static bl_status perform(const task *what, const bl_model *shared, uint64_t *value, bl_error *error) {
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    digest d = {.value = 0xcbf29ce484222325u};
    bl_status status = bl_context_create(NULL, &ctx);
    if (status == BL_OK && !shared)
        status = read_scene(ctx, what->scene, &model);
    if (status == BL_OK)
        status = what->study(ctx, shared ? shared : model, what, &d);
    if (ctx)
        *error = *bl_context_error(ctx);
    *value = d.value;
    bl_model_destroy(model);
    if (status == BL_OK && bl_context_memory(ctx).live_blocks != 0)
        status = BL_E_MEMORY;
    bl_context_destroy(ctx);
    return status;
}

/* ---- threads */

typedef struct worker {
    pthread_t thread;
    int number;
    bl_model *const *model; /* [TASKS] shared by all; NULL: each reads its own */
    bl_status status[TASKS];
    uint64_t value[TASKS];
    bl_error error;
} worker;

/* every thread begins with another task, and half of them go through the list backward */
static void *work(void *user) {
    worker *w = user;
    for (int k = 0; k < TASKS; k++) {
        int i = (w->number * 2 + (w->number % 2 ? TASKS - k : k)) % TASKS;
        bl_error error;
        w->status[i] = perform(&tasks[i], w->model ? w->model[i] : NULL, &w->value[i], &error);
        if (w->status[i] != BL_OK)
            w->error = error;
    }
    return NULL;
}

static void work_in_threads(bl_model *const *model) {
    static worker w[THREADS];
    uint64_t alone[TASKS];
    for (int i = 0; i < TASKS; i++) {
        bl_error error;
        if (perform(&tasks[i], model ? model[i] : NULL, &alone[i], &error) != BL_OK)
            fail_msg("%s (task %d): %s", tasks[i].scene, i, error.what);
    }
    for (int t = 0; t < THREADS; t++) {
        w[t] = (worker){.number = t, .model = model};
        assert_int_equal(pthread_create(&w[t].thread, NULL, work, &w[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(w[t].thread, NULL), 0);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < TASKS; i++) {
            if (w[t].status[i] != BL_OK)
                fail_msg("thread %d, %s (task %d): status %d, %s", t, tasks[i].scene, i, (int)w[t].status[i], w[t].error.what);
            if (w[t].value[i] != alone[i])
                fail_msg("thread %d, %s (task %d): not the numbers of one thread alone", t, tasks[i].scene, i);
        }
}

static void contexts_of_threads__do_not_disturb_each_other(void **state) {
    (void)state;
    work_in_threads(NULL);
}

static void models__are_shared_by_threads(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model[TASKS];
    for (int i = 0; i < TASKS; i++)
        if (read_scene(ctx, tasks[i].scene, &model[i]) != BL_OK)
            fail_msg("%s: %s", tasks[i].scene, bl_context_error(ctx)->what);
    size_t calls = bl_context_memory(ctx).calls;
    work_in_threads(model);
    assert_int_equal(bl_context_memory(ctx).calls, calls); /* studies use their own context, not that of the model */
    for (int i = 0; i < TASKS; i++)
        bl_model_destroy(model[i]);
    test_context_end(ctx);
}

/* ---- stopped from another thread */

typedef struct long_run {
    bl_context *ctx;
    bl_status status;
    atomic_bool begun;
} long_run;

static bl_status begun(void *user, const bl_sample *sample) {
    (void)sample;
    atomic_store(&((long_run *)user)->begun, true);
    return BL_OK;
}

static void *run_on(void *user) {
    long_run *r = user;
    bl_model *model = NULL;
    bl_sink sink = {.user = r, .sample = begun, .want = BL_WANT_TIME};
    r->status = read_scene(r->ctx, "double_pendulum", &model);
    if (r->status == BL_OK)
        r->status = bl_simulate(r->ctx, model, &(bl_run_options){.until = 1e5, .every = 1e-2}, &sink, 1, NULL);
    atomic_store(&r->begun, true);
    bl_model_destroy(model);
    return NULL;
}

static void run__is_stopped_by_another_thread(void **state) {
    (void)state;
    long_run r = {.ctx = test_context(NULL)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_on, &r), 0);
    while (!atomic_load(&r.begun))
        usleep(1000);
    bl_context_stop(r.ctx);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(r.status, BL_STOPPED);
    test_context_end(r.ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_of_threads__do_not_disturb_each_other),
        cmocka_unit_test(models__are_shared_by_threads),
        cmocka_unit_test(run__is_stopped_by_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
