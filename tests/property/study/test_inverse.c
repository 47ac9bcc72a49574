/* Random mechanisms, plane and spatial, trees and loops: a motion caused by the forces of the model needs no actuators; any other needs
 * forces with which a run reproduces it. */
#include "biela/biela.h"
#include "support/random_mechanism.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { WANTED = 6 };
#else
enum { WANTED = 40 };
#endif
enum { MOST_TRIES = 40 * WANTED, ROWS = 101, BODIES = 16 };
static const double SPAN = 0.2;
static const char *const every_kind[] = {"natural", "mixed", "reference", "relative"};

typedef struct table {
    FILE *file;
    bl_index nvariable, nactuator;
    double force[ROWS], reaction[ROWS]; /* largest value of each sample */
    bl_index nbody;
    long samples;
    double place[ROWS][BODIES][3]; /* mass centers in the run */
    double off;                    /* deviation of those of the inverse study */
} table;

static bl_status begin(void *user, const bl_run_info *info) {
    table *t = user;
    t->nvariable = info->nvariable;
    t->nbody = info->nbody < BODIES ? info->nbody : BODIES;
    fprintf(t->file, "t");
    for (bl_index i = 0; i < info->nvariable; i++)
        fprintf(t->file, ",%s", info->variable[i]);
    fprintf(t->file, "\n");
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    table *t = user;
    fprintf(t->file, "%.17g", sample->t);
    for (bl_index i = 0; i < t->nvariable; i++)
        fprintf(t->file, ",%.17g", sample->variable[i]);
    fprintf(t->file, "\n");
    for (bl_index b = 0; b < t->nbody && t->samples < ROWS; b++)
        memcpy(t->place[t->samples][b], sample->body[b].position, 3 * sizeof(double));
    t->samples++;
    return BL_OK;
}

static bl_status begin_inverse(void *user, const bl_run_info *info) {
    table *t = user;
    t->nactuator = info->nactuator;
    t->nvariable = info->njoint;
    t->off = 0;
    t->samples = 0;
    return BL_OK;
}

static bl_status take_inverse(void *user, const bl_sample *sample) {
    table *t = user;
    assert_true(t->samples < ROWS);
    double *force = &t->force[t->samples], *reaction = &t->reaction[t->samples];
    *force = *reaction = 0;
    for (bl_index i = 0; i < t->nactuator; i++)
        if (!(fabs(sample->actuator_force[i]) <= *force))
            *force = fabs(sample->actuator_force[i]);
    for (bl_index j = 0; j < t->nvariable; j++)
        for (int k = 0; k < 3; k++)
            *reaction = fmax(*reaction, fabs(sample->reaction[j].force[k]));
    for (bl_index b = 0; b < t->nbody && t->samples < ROWS; b++)
        for (int k = 0; k < 3; k++)
            t->off = fmax(t->off, fabs(sample->body[b].position[k] - t->place[t->samples][b][k]));
    t->samples++;
    return BL_OK;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* near dead centers the error of a spline is amplified without bound: samples there are not checked */
static double median(double *x, long n) {
    qsort(x, (size_t)n, sizeof *x, ascending);
    return x[n / 2];
}

static bl_model *read(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    bl_model_read_text(ctx, "random.yaml", text, strlen(text), NULL, 0, &model);
    return model;
}

/* without its drivers */
static void release(char *text) {
    char *line = strstr(text, "drivers:"), *end = line ? strchr(line, '\n') : NULL;
    if (end)
        memmove(line, end + 1, strlen(end + 1) + 1);
}

/* a motion of the model as a table; false: it has none */
static bool make_table(const char *text, const char *path, table *t) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read(ctx, text);
    memset(t, 0, sizeof *t);
    t->file = fopen(path, "w");
    assert_non_null(t->file);
    bl_sink sink = {.user = t, .begin = begin, .sample = take};
    bl_run_options options = {.until = SPAN, .every = SPAN / (ROWS - 1), .tolerance = 1e-12};
    bool good = model && bl_simulate(ctx, model, &options, &sink, 1, NULL) == BL_OK && t->nvariable > 0;
    const bl_warning *warning;
    good = good && bl_context_warnings(ctx, &warning, NULL) == 0; /* singular configurations, motions without mass */
    fclose(t->file);
    bl_model_destroy(model);
    test_context_end(ctx);
    return good;
}

/* the table as the motion of a model; false: it is refused, for an admissible reason */
static bool invert(const char *text, const char *path, const char *coordinates, bool check, table *t, bl_inverse_summary *found) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read(ctx, text);
    bl_sink sink = {.user = t, .begin = begin_inverse, .sample = take_inverse};
    bl_inverse_options options = {.run = &(bl_run_options){.coordinates = coordinates}, .table = path, .noise_given = true, .check = check};
    bl_status status = bl_inverse(ctx, model, &options, &sink, 1, NULL, found);
    if (status != BL_OK && status != BL_E_ABILITY && status != BL_E_NUMERIC)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, text);
    bl_inverse_summary_destroy(ctx, found);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status == BL_OK && found->singular == 0;
}

static void blame(const char *text, const char *coordinates, const char *format, double a, double b) {
    char what[256];
    snprintf(what, sizeof what, format, a, b);
    fputs(text, stderr); /* longer than a message may be */
    fail_msg("%s: %s", coordinates, what);
}

/* Splines of degree 5 through rows 2 ms apart have second rates with an error of h^4 times the sixth derivative; motions of these
 * mechanisms change within about 0.1 s: 1e-5 of the forces. */
static void own_motion__takes_no_forces_and_another_one_is_made_again(void **state) {
    (void)state;
    test_random random = {test_seed(19)};
    char path[] = "/tmp/biela_inverse_XXXXXX";
    int fd = mkstemp(path), done = 0, refused = 0, elsewhere = 0, poles = 0;
    static table t;
    assert_true(fd >= 0);
    for (int k = 0; k < MOST_TRIES && done < WANTED; k++) {
        char text[16384];
        random_mechanism(&random, text, sizeof text);
        release(text);
        if (!make_table(text, path, &t))
            continue;
        const char *coordinates = every_kind[test_random_below(&random, 4)];
        bl_inverse_summary found = {0};
        if (!invert(text, path, coordinates, false, &t, &found)) { /* joints without variables for all their motions */
            refused++;
            continue;
        }
        if (t.off > 1e-6) { /* a start at a dead center: two motions have the same variables */
            elsewhere++;
            continue;
        }
        double own = median(t.force, t.samples), reaction = median(t.reaction, t.samples);
        if (!(own <= 1e-4 * (1 + reaction)))
            blame(text, coordinates, "forces of %g where none are needed, reactions of %g", own, reaction);
        for (char *at = text; (at = strstr(at, "-9.81")) != NULL;)
            memcpy(at, "-3.00", 5);
        if (!invert(text, path, coordinates, true, &t, &found))
            fail_msg("%s: refused with less gravity\n%s", coordinates, text);
        if (found.check_time < 0.99 * SPAN) { /* actuators pass a singular configuration: the forces there are unbounded */
            poles++;
            continue;
        }
        if (!(found.checked && found.local < 1e-10 && found.deviation < 1e-5))
            blame(text, coordinates, "accelerations off by %g, the run by %g", found.local, found.deviation);
        done++;
    }
    remove(path);
    print_message("%d mechanisms, %d not determined, %d elsewhere, %d with poles\n", done, refused, elsewhere, poles);
    assert_true(done >= WANTED && elsewhere <= WANTED / 5 && poles <= WANTED / 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_motion__takes_no_forces_and_another_one_is_made_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
