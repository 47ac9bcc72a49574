/* The motions that `compare` hands out: of the runs that a combination takes the one compared, as a run by itself would give it. */
#include "base/base.h"
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

/* one run: what it was reported, how many samples it gave, where the bob was at the end */
typedef struct motion {
    double tolerance, step, end, x, y;
    char integrator[32];
    long samples, ends;
} motion;

typedef struct taker {
    motion now, done, reference, kept[MOST];
    bool has[MOST], has_reference;
    long begun, finished;
    bl_context *ctx;
    bl_status refuse; /* what samples answer after the first ones */
} taker;

static bl_status take_sample(void *user, const bl_sample *sample) {
    taker *t = user;
    t->now.samples++;
    t->now.end = sample->t;
    t->now.x = sample->body[0].position[0];
    t->now.y = sample->body[0].position[1];
    return t->refuse != BL_OK && t->now.samples > 3 ? bl_fail(t->ctx, t->refuse, NULL, "the disk is full") : BL_OK;
}

static bl_status take_end(void *user, const bl_run_summary *summary) {
    (void)summary;
    ((taker *)user)->now.ends++;
    return BL_OK;
}

static bl_status begin(void *user, bl_context *ctx, const bl_run_options *options, bl_sink *sink) {
    taker *t = user;
    t->begun++;
    t->ctx = ctx;
    t->now = (motion){.tolerance = options->tolerance, .step = options->step};
    snprintf(t->now.integrator, sizeof t->now.integrator, "%s", options->integrator);
    *sink = (bl_sink){.user = t, .sample = take_sample, .end = take_end};
    return BL_OK;
}

static bl_status done(void *user) {
    taker *t = user;
    t->finished++;
    t->done = t->now;
    return BL_OK;
}

static bl_status keep(void *user, bl_index entry, const bl_compare_entry *of) {
    taker *t = user;
    assert_true(entry >= -1 && entry < MOST);
    assert_string_equal(of->integrator, t->done.integrator);
    *(entry < 0 ? &t->has_reference : &t->has[entry]) = true;
    *(entry < 0 ? &t->reference : &t->kept[entry]) = t->done;
    return BL_OK;
}

static bl_model *read_pendulum(bl_context *ctx) {
    bl_model *model;
    assert_int_equal(bl_model_read(ctx, SCENES "/pendulum.yaml", NULL, 0, &model), BL_OK);
    return model;
}

/* the last sample of a run by itself */
static motion by_itself(bl_context *ctx, const bl_model *model, const bl_compare_entry *e, double until) {
    taker t = {.ctx = ctx};
    bl_sink sink = {.user = &t, .sample = take_sample};
    bl_run_options o = {.coordinates = e->coordinates,
                        .formulation = e->formulation,
                        .integrator = e->integrator,
                        .until = until,
                        .tolerance = e->tolerance,
                        .step = e->step,
                        .every = until};
    assert_int_equal(bl_simulate(ctx, model, &o, &sink, 1, NULL), BL_OK);
    return t.now;
}

static bl_agreement find_status(const bl_compare_report *report, const char *integrator) {
    bl_index k = 0;
    while (k < report->nentry && strcmp(report->entry[k].integrator, integrator) != 0)
        k++;
    assert_true(k < report->nentry);
    return report->entry[k].agreement;
}

static void motions__are_those_of_the_entries(void **unused) {
    (void)unused;
    /* one run; tolerances refined (order 2 is far off at first); refused; steps halved */
    static const char *const integrators[] = {"dop853", "trbdf2", "newmark", "rk4", "bdf"};
    const double until = 0.5;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_pendulum(ctx);
    taker t = {.refuse = BL_OK};
    bl_compare_motions motions = {.user = &t, .begin = begin, .done = done, .keep = keep};
    bl_compare_options o = {.until = until,
                            .tolerance = 1e-5,
                            .limit = 60,
                            .all = true,
                            .coordinates_tried = (const char *const[]){"natural"},
                            .ncoordinates_tried = 1,
                            .formulations_tried = (const char *const[]){"partition"},
                            .nformulations_tried = 1,
                            .integrators_tried = integrators,
                            .nintegrators_tried = 5};
    bl_compare_report with = {0}, without = {0};
    assert_int_equal(bl_compare(ctx, model, &o, &without), BL_OK);
    o.motions = &motions;
    assert_int_equal(bl_compare(ctx, model, &o, &with), BL_OK);
    assert_int_equal(with.nentry, 6);
    assert_int_equal(with.nentry, without.nentry);
    bool several = false;
    for (bl_index k = 0; k < with.nentry; k++) {
        const bl_compare_entry *e = &with.entry[k], *same = &without.entry[k];
        assert_int_equal(e->agreement, same->agreement);
        assert_int_equal(t.has[k], e->agreement == BL_AGREED);
        if (!t.has[k])
            continue;
        const motion *m = &t.kept[k];
        several = several || e->tolerance < o.tolerance || e->step > 0;
        /* the one compared; handing out motions does not change what is compared */
        assert_true(m->tolerance == e->tolerance && m->step == e->step);
        assert_true(e->steps == same->steps && e->trajectory == same->trajectory && e->tolerance == same->tolerance);
        /* 200 intervals as a run has them, up to its end, and the same motion */
        assert_true(m->samples == 201 && m->ends == 1 && m->end == until);
        motion alone = by_itself(ctx, model, e, until);
        assert_true(alone.end == until && fabs(m->x - alone.x) < 1e-12 && fabs(m->y - alone.y) < 1e-12);
    }
    assert_int_equal(find_status(&with, "newmark"), BL_REFUSED);
    assert_true(several && t.begun > t.finished && t.finished > 7); /* newmark was refused; others took several runs */
    assert_true(t.has_reference && t.reference.tolerance == with.reference_tolerance && t.reference.samples == 201);
    assert_true(with.reference_run.steps > 0 && isnan(with.reference_run.trajectory));
    assert_string_equal(with.reference_run.integrator, t.reference.integrator);
    bl_compare_report_destroy(ctx, &with);
    bl_compare_report_destroy(ctx, &without);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* the interval of the model counts, within bounds; times compared are always among them */
static void motions__are_sampled_as_the_model_says(void **unused) {
    (void)unused;
    static const struct {
        const char *every;
        long samples;
    } cases[] = {{"0.5", 51}, {"0.004", 151}, {"0.0000001", 2001}}; /* 0.5 s in 50 pieces: 2.5 times 0.004 s, rounded up */
    for (int k = 0; k < 3; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: bob, points: [{mass: 1, at: [-1, 0]}], carry: [{point: [-1, 0]}]}]\n"
                 "joints: [{name: pivot, type: revolute, bodies: [ground, bob], at: [0, 0]}]\n"
                 "simulate: {until: 0.5, every: %s}\n",
                 cases[k].every);
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        assert_int_equal(bl_model_read_text(ctx, "test", text, strlen(text), NULL, 0, &model), BL_OK);
        taker t = {.refuse = BL_OK};
        bl_compare_motions motions = {.user = &t, .begin = begin, .done = done, .keep = keep};
        bl_compare_options o = {.tolerance = 1e-4, .limit = 60, .motions = &motions, .integrator = "all"};
        o.integrators_tried = (const char *const[]){"dop853"};
        o.nintegrators_tried = 1;
        bl_compare_report report = {0};
        assert_int_equal(bl_compare(ctx, model, &o, &report), BL_OK);
        assert_int_equal(report.agreed, 2);
        assert_true(t.reference.samples == cases[k].samples && t.kept[1].samples == cases[k].samples);
        bl_compare_report_destroy(ctx, &report);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void motion__that_cannot_be_taken_ends_the_study_with_a_reason(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_pendulum(ctx);
    taker t = {.refuse = BL_E_FILE};
    bl_compare_motions motions = {.user = &t, .begin = begin, .done = done, .keep = keep};
    bl_compare_report report = {0};
    bl_compare_options o = {.until = 0.5, .tolerance = 1e-4, .motions = &motions};
    assert_int_equal(bl_compare(ctx, model, &o, &report), BL_E_FILE);
    assert_non_null(strstr(bl_context_error(ctx)->what, "the disk is full"));
    assert_int_equal(t.begun, 1);
    assert_int_equal(t.finished, 0);
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions__are_those_of_the_entries),
        cmocka_unit_test(motions__are_sampled_as_the_model_says),
        cmocka_unit_test(motion__that_cannot_be_taken_ends_the_study_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
