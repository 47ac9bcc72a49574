/* Data that a sink requests from samples: the same numbers as in complete samples, nothing else, and the same steps, in every kind of
 * coordinates; without a receiver no samples are computed. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 64, MOST_NUMBERS = 1024 };

typedef struct record {
    uint32_t want;
    const bl_run_info *info;
    long rows, numbers; /* of one row */
    double value[MOST_ROWS][MOST_NUMBERS];
    bl_run_summary summary;
} record;

static void put(record *r, const double *from, size_t count) {
    assert_true(r->numbers + (long)count <= MOST_NUMBERS);
    memcpy(r->value[r->rows] + r->numbers, from, count * sizeof *from);
    r->numbers += (long)count;
}

/* whether pointers are set and numbers are not NaN */
static bl_status take(void *user, const bl_sample *s) {
    record *r = user;
    const bl_run_info *info = r->info;
    assert_true(r->rows < MOST_ROWS);
    r->numbers = 0;
    put(r, &s->t, 1);
    assert_true((s->body != NULL) == (r->want & BL_WANT_BODIES && info->nbody > 0));
    assert_true((s->variable && s->variable_rate) == !!(r->want & BL_WANT_VARIABLES));
    assert_true((s->probe && s->probe_rate) == !!(r->want & BL_WANT_PROBES));
    assert_true((s->reaction && s->driver_force && s->relation_force) == !!(r->want & BL_WANT_REACTIONS));
    assert_true(isnan(s->kinetic) == !(r->want & BL_WANT_ENERGIES));
    assert_true(isnan(s->dissipated) == !(r->want & BL_WANT_ENERGIES));
    assert_true(isnan(s->energy_error) == !(r->want & BL_WANT_ENERGIES));
    assert_true(isnan(s->drift) == !(r->want & BL_WANT_DRIFT));
    r->rows++;
    return BL_OK;
}

static bl_status begin(void *user, const bl_run_info *info) {
    ((record *)user)->info = info;
    return BL_OK;
}

/* numbers of the parts in `only` */
static void keep(record *r, const bl_sample *s, uint32_t only) {
    const bl_run_info *info = r->info;
    r->rows--;
    if (only & BL_WANT_BODIES && s->body)
        put(r, s->body[0].position, (size_t)info->nbody * sizeof(bl_pose) / sizeof(double));
    if (only & BL_WANT_VARIABLES) {
        put(r, s->variable, (size_t)info->nvariable);
        put(r, s->variable_rate, (size_t)info->nvariable);
    }
    if (only & BL_WANT_PROBES) {
        put(r, s->probe, 3 * (size_t)info->nprobe);
        put(r, s->probe_rate, 3 * (size_t)info->nprobe);
    }
    if (only & BL_WANT_REACTIONS) {
        put(r, s->reaction[0].force, (size_t)info->njoint * sizeof(bl_wrench) / sizeof(double));
        put(r, s->driver_force, (size_t)info->ndriver);
        put(r, s->relation_force, (size_t)info->njoint);
    }
    if (only & BL_WANT_ENERGIES)
        put(r, (double[]){s->kinetic, s->potential, s->work, s->energy_error}, 4);
    if (only & BL_WANT_DRIFT)
        put(r, (double[]){s->drift, s->velocity_drift}, 2);
    r->rows++;
}

typedef struct asked {
    record *r;
    uint32_t only;
} asked;

static bl_status begin_asked(void *user, const bl_run_info *info) { return begin(((asked *)user)->r, info); }

static bl_status take_asked(void *user, const bl_sample *s) {
    asked *a = user;
    take(a->r, s);
    keep(a->r, s, a->only);
    return BL_OK;
}

/* want of the sink; only: what is kept */
static void run(bl_context *ctx, const bl_model *model, const bl_run_options *options, uint32_t want, uint32_t only, record *r) {
    memset(r, 0, sizeof *r);
    r->want = want ? want : BL_WANT_ALL;
    asked a = {r, only};
    bl_sink sink = {.user = &a, .begin = begin_asked, .sample = take_asked, .want = want};
    bl_status status = bl_simulate(ctx, model, options, &sink, 1, &r->summary);
    if (status != BL_OK)
        fail_msg("%s: %s", options->coordinates, bl_context_error(ctx)->what);
}

static const char *const kinds[] = {"natural", "mixed", "reference:quaternion", "reference:matrix", "reference:angles", "relative"};

/* a loop with redundant rows, a tree, friction with normal loads and a driver, a spring */
static const char *const scenes[] = {"bricard", "double_pendulum", "friction_slider_crank", "four_bar"};

static void samples__hold_what_is_wanted_and_nothing_else(void **state) {
    (void)state;
    static record all, some;
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            bl_context *ctx = test_context(NULL);
            bl_model *model;
            char path[512];
            snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scenes[s]);
            assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
            bl_run_options options = {.coordinates = kinds[k], .until = 0.2, .every = 0.02};
            for (uint32_t want = 1; want <= BL_WANT_TIME; want *= 2) {
                run(ctx, model, &options, 0, want, &all);
                run(ctx, model, &options, want, want, &some);
                assert_int_equal(some.rows, 11);
                assert_int_equal(all.rows, some.rows);
                assert_int_equal(all.numbers, some.numbers);
                for (long n = 0; n < all.rows; n++)
                    if (memcmp(all.value[n], some.value[n], (size_t)all.numbers * sizeof(double)) != 0)
                        fail_msg("%s, %s: quantity %u of sample %ld is another when it is wanted alone", scenes[s], kinds[k], want, n);
                assert_int_equal(all.summary.steps, some.summary.steps);
                assert_int_equal(all.summary.evaluations, some.summary.evaluations);
                assert_int_equal(all.summary.solves, some.summary.solves);
            }
            /* drift and energy of the summary are known without samples */
            bl_run_summary none = {0};
            assert_int_equal(bl_simulate(ctx, model, &options, NULL, 0, &none), BL_OK);
            assert_int_equal(none.steps, all.summary.steps);
            assert_int_equal(none.evaluations, all.summary.evaluations);
            assert_true(none.largest_drift < 1e-6 && isfinite(none.largest_energy_error));
            assert_true(none.largest_energy_error <= 10 * all.summary.largest_energy_error + 1e-9);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* two sinks get everything that either requests */
static void samples__of_several_sinks_hold_what_any_wants(void **state) {
    (void)state;
    static record r;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read(ctx, SCENES "/four_bar.yaml", NULL, 0, &model), BL_OK);
    r.want = BL_WANT_BODIES | BL_WANT_ENERGIES;
    bl_sink sinks[3] = {{.size = sizeof *sinks, .user = &r, .begin = begin, .sample = take, .want = BL_WANT_BODIES},
                        {.begin = NULL, .want = BL_WANT_REACTIONS}, /* accepts no samples */
                        {.user = &r, .begin = begin, .sample = take, .want = BL_WANT_ENERGIES}};
    assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.until = 0.2, .every = 0.02}, sinks, 3, NULL), BL_OK);
    assert_int_equal(r.rows, 22);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* A spatial drag link in which all angles except the coupler's make full revolutions; its spring is wound up by the angle that closes the
 * loop. The stop expression reads one of them. */
static const char wound[] = "model: wound\n"
                            "dimension: 3\n"
                            "points: {A: [0, 0, 0], B: [0, 0.5, 0], C: [0.37, 0.36268, 0], D: [0.2, 0, 0]}\n"
                            "bodies:\n"
                            "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"
                            "  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"
                            "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\n"
                            "joints:\n"
                            "  - {name: A, type: revolute, bodies: [ground, crank], at: A, axis: [0, 0, 1]}\n"
                            "  - {name: B, type: revolute, bodies: [crank, coupler], at: B, axis: [0, 0, 1]}\n"
                            "  - {name: C, type: spherical, bodies: [coupler, rocker], at: C}\n"
                            "  - {name: D, type: revolute, bodies: [ground, rocker], at: D, axis: [0, 0, 1]}\n"
                            "forces:\n"
                            "  - {type: rotational_spring, variable: D.angle, stiffness: 0.05}\n"
                            "initial: {A.rate: 12}\n";

static void turns__are_followed_for_laws_and_stops_without_samples(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        assert_int_equal(bl_model_read_text(ctx, "wound", wound, strlen(wound), NULL, 0, &model), BL_OK);
        bl_run_options options = {.coordinates = kinds[k], .until = 3, .every = 0.1, .tolerance = 1e-9};
        static record all, some;
        run(ctx, model, &options, 0, BL_WANT_ENERGIES | BL_WANT_VARIABLES, &all);
        run(ctx, model, &options, BL_WANT_ENERGIES, BL_WANT_ENERGIES, &some);
        assert_true(fabs(all.value[all.rows - 1][1]) > 6 * 3.14159); /* A.angle: several revolutions */
        for (long n = 0; n < all.rows; n++)
            for (int i = 0; i < 3; i++) { /* J, of about 20 */
                double a = all.value[n][all.numbers - 4 + i], b = some.value[n][some.numbers - 4 + i];
                if (!(fabs(a - b) < 1e-11))
                    fail_msg("%s: energies at %g s are %.17g and %.17g", kinds[k], all.value[n][0], a, b);
            }
        bl_model_destroy(model);
        char text[2048];
        snprintf(text, sizeof text, "%ssimulate: {until: 9, stop: \"A.angle - 20\"}\n", wound);
        assert_int_equal(bl_model_read_text(ctx, "stopped", text, strlen(text), NULL, 0, &model), BL_OK);
        bl_run_summary none = {0};
        assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.coordinates = kinds[k]}, NULL, 0, &none), BL_EVENT);
        assert_true(none.t > 1 && none.t < 3); /* 20 rad at 8 to 16 rad/s */
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples__hold_what_is_wanted_and_nothing_else),
        cmocka_unit_test(samples__of_several_sinks_hold_what_any_wants),
        cmocka_unit_test(turns__are_followed_for_laws_and_stops_without_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
