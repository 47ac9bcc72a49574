/* The stepper: the same bits as bl_simulate however the way is divided, snapshots, copies, given values, other parameters, refusals. */
#include "biela/modes.h"
#include "biela/stepper.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bl_model *read_scene(bl_context *ctx, const char *scene) {
    char file[512];
    bl_model *model;
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
    return model;
}

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model;
    bl_status status = bl_model_read_text(ctx, "test.yaml", text, strlen(text), NULL, 0, &model);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

static bl_stepper *open_stepper(bl_context *ctx, const bl_model *model, const bl_run_options *options) {
    bl_stepper *s;
    bl_status status = bl_stepper_create(ctx, model, options, &s);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return s;
}

/* a swinging rod of mass m and length l about A: J = m l^2 / 3, the angle is measured from where it hangs */
static const char rod[] = "model: rod\n"
                          "dimension: 2\n"
                          "gravity: [0, -9.81]\n"
                          "parameters: {l: 0.6, m: 2}\n"
                          "bodies: [{name: rod, rod: {from: [0, 0], to: [0, '=-l']}, mass: =m}]\n"
                          "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                          "probes: [{name: P, body: rod, at: [0, '=-l']}]\n"
                          "initial: {A.angle: 1}\n"
                          "simulate: {until: 5}\n";

static double read_one(bl_stepper *s, const char *name) {
    bl_index output;
    double value = NAN;
    bl_status status = bl_stepper_output(s, name, &output);
    if (status == BL_OK)
        status = bl_stepper_read(s, 1, &output, &value);
    if (status != BL_OK)
        fail_msg("%s cannot be read", name);
    return value;
}

/* ---- the same bits as bl_simulate */

enum { MOST_NUMBERS = 4000 };
typedef struct record {
    bl_index nbody, njoint, nvariable, n;
    double value[MOST_NUMBERS];
} record;

static void keep(record *r, const bl_sample *sample) {
    const struct {
        const void *from;
        size_t count;
    } part[] = {{&sample->t, 1},
                {sample->body, 13 * (size_t)r->nbody},
                {sample->variable, (size_t)r->nvariable},
                {sample->reaction, 6 * (size_t)r->njoint},
                {&sample->energy_error, 1}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        assert_true((size_t)r->n + part[i].count <= MOST_NUMBERS);
        if (part[i].count)
            memcpy(r->value + r->n, part[i].from, part[i].count * sizeof(double));
        r->n += (bl_index)part[i].count;
    }
}

static bl_status begin_record(void *user, const bl_run_info *info) {
    record *r = user;
    *r = (record){.nbody = info->nbody, .njoint = info->njoint, .nvariable = info->nvariable};
    return BL_OK;
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    keep(user, sample);
    return BL_OK;
}

static void same_bits(const char *scene, const char *integrator, double until) {
    static record run, stepped;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, scene);
    bl_run_options options = {.until = until, .every = until / 7, .integrator = integrator};
    bl_sink sink = {.user = &run, .begin = begin_record, .sample = take_sample};
    assert_int_equal(bl_simulate(ctx, model, &options, &sink, 1, NULL), BL_OK);
    for (int pieces = 1; pieces <= 3; pieces++) { /* the way between samples in several pieces */
        bl_stepper *s = open_stepper(ctx, model, &options);
        const bl_sample *sample;
        begin_record(&stepped, bl_stepper_info(s));
        for (int k = 0; k <= 7; k++) {
            double t = k == 7 ? until : k * options.every;
            for (int j = 1; j < pieces && k > 0; j++)
                assert_int_equal(bl_stepper_reach(s, (k - 1 + (double)j / pieces) * options.every), BL_OK);
            assert_int_equal(bl_stepper_reach(s, t), BL_OK);
            assert_true(bl_stepper_time(s) == t);
            assert_int_equal(bl_stepper_sample(s, 0, &sample), BL_OK);
            keep(&stepped, sample);
        }
        assert_int_equal(run.n, stepped.n);
        if (memcmp(run.value, stepped.value, (size_t)run.n * sizeof(double)) != 0)
            fail_msg("%s, %s: the stepper differs from bl_simulate", scene, integrator ? integrator : "default");
        bl_stepper_destroy(s);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void stepping__equals_the_run_bit_for_bit(void **unused) {
    (void)unused;
    same_bits("bricard", NULL, 2);
    same_bits("bricard", "dopri45", 1);
    same_bits("change_point_four_bar", NULL, 3); /* passes singular configurations */
    same_bits("slider_crank", "rk4", 0.5);
    same_bits("spatial_slider_crank", "ndf_auto", 0.5);
    same_bits("friction_slider_crank", NULL, 0.3); /* events */
}

/* ---- beyond the end, step by step */

static void motion__goes_on_beyond_until(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, rod);
    bl_stepper *s = open_stepper(ctx, model, &(bl_run_options){.until = 1, .tolerance = 1e-10}),
               *all = open_stepper(ctx, model, &(bl_run_options){.until = 7, .tolerance = 1e-10});
    assert_int_equal(bl_stepper_reach(s, 6.5), BL_OK);
    assert_int_equal(bl_stepper_reach(all, 6.5), BL_OK);
    assert_true(fabs(read_one(s, "A.angle") - read_one(all, "A.angle")) < 1e-7);
    assert_true(fabs(read_one(s, "energy.error")) < 1e-7);
    double t = bl_stepper_time(s);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(bl_stepper_step(s), BL_OK);
        assert_true(bl_stepper_time(s) > t);
        t = bl_stepper_time(s);
    }
    bl_run_summary summary = {0};
    bl_stepper_summarize(s, &summary);
    assert_true(summary.steps > 5 && summary.t == t);
    bl_stepper_destroy(s);
    bl_stepper_destroy(all);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void going_back__is_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, rod);
    bl_stepper *s = open_stepper(ctx, model, NULL);
    bl_index output;
    assert_int_equal(bl_stepper_reach(s, 1), BL_OK);
    assert_int_equal(bl_stepper_reach(s, 0.5), BL_E_ARG);
    assert_int_equal(bl_stepper_reach(s, NAN), BL_E_ARG);
    assert_true(bl_stepper_time(s) == 1);
    assert_int_equal(bl_stepper_output(s, "A.angel", &output), BL_E_ARG);
    assert_string_equal(bl_context_error(ctx)->advice, "did you mean 'A.angle'?");
    assert_int_equal(bl_stepper_read(s, 1, &(bl_index){3}, &(double){0}), BL_E_ARG);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- snapshots */

static void snapshot(const char *scene, const char *integrator, double t0, double t1) {
    static record kept, now;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, scene);
    bl_run_options options = {.until = t1, .integrator = integrator};
    bl_stepper *s = open_stepper(ctx, model, &options), *other = open_stepper(ctx, model, &options), *copy;
    const bl_sample *sample;
    size_t count = 0;
    assert_int_equal(bl_stepper_reach(s, t0), BL_OK);
    assert_int_equal(bl_stepper_save(s, NULL, &count), BL_OK);
    unsigned char *bytes = malloc(count);
    size_t room = count - 1;
    assert_int_equal(bl_stepper_save(s, bytes, &room), BL_E_ARG);
    assert_int_equal(room, count);
    assert_int_equal(bl_stepper_save(s, bytes, &count), BL_OK);
    assert_int_equal(bl_stepper_reach(s, t1), BL_OK);
    assert_int_equal(bl_stepper_sample(s, 0, &sample), BL_OK);
    begin_record(&kept, bl_stepper_info(s));
    keep(&kept, sample);
    for (int who = 0; who < 3; who++) { /* the same stepper, another one, a copy */
        bl_stepper *again = who == 0 ? s : other;
        if (who < 2)
            assert_int_equal(bl_stepper_restore(again, bytes, count), BL_OK);
        else
            assert_int_equal(bl_stepper_restore(s, bytes, count), BL_OK);
        if (who == 2) {
            assert_int_equal(bl_stepper_copy(s, ctx, &copy), BL_OK);
            again = copy;
        }
        assert_true(bl_stepper_time(again) == t0);
        assert_int_equal(bl_stepper_reach(again, t1), BL_OK);
        assert_int_equal(bl_stepper_sample(again, 0, &sample), BL_OK);
        begin_record(&now, bl_stepper_info(again));
        keep(&now, sample);
        if (memcmp(kept.value, now.value, (size_t)kept.n * sizeof(double)) != 0)
            fail_msg("%s, %s: a restored run (%d) differs", scene, integrator ? integrator : "default", who);
    }
    bytes[count - 3] ^= 1;
    assert_int_equal(bl_stepper_restore(s, bytes, count), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "damaged"));
    bytes[0] ^= 1;
    assert_int_equal(bl_stepper_restore(s, bytes, count), BL_E_ARG);
    assert_int_equal(bl_stepper_restore(s, bytes, 5), BL_E_ARG);
    free(bytes);
    bl_stepper_destroy(s);
    bl_stepper_destroy(other);
    bl_stepper_destroy(copy);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void restored_runs__have_the_bits_of_the_run_that_saved(void **unused) {
    (void)unused;
    snapshot("bricard", NULL, 0.7, 2);
    snapshot("bricard", "dopri45", 0.3, 1);
    snapshot("spatial_slider_crank", "ndf_auto", 0.2, 0.5);
    snapshot("slider_crank", "genalpha", 0.2, 0.4);
    snapshot("change_point_four_bar", NULL, 1.1, 3);
    snapshot("friction_slider_crank", NULL, 0.05, 0.2);
}

static void snapshots__of_other_models_are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *a = read_text(ctx, rod), *b = read_scene(ctx, "four_bar");
    bl_stepper *s = open_stepper(ctx, a, NULL), *other = open_stepper(ctx, b, NULL);
    size_t count = 0;
    assert_int_equal(bl_stepper_save(s, NULL, &count), BL_OK);
    void *bytes = malloc(count);
    assert_int_equal(bl_stepper_save(s, bytes, &count), BL_OK);
    assert_int_equal(bl_stepper_restore(other, bytes, count), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "another model"));
    assert_int_equal(bl_stepper_set_parameters(s, &(bl_override){"l", 0.7}, 1), BL_OK);
    assert_int_equal(bl_stepper_restore(s, bytes, count), BL_E_ARG); /* another value is another model */
    free(bytes);
    bl_stepper_destroy(s);
    bl_stepper_destroy(other);
    bl_model_destroy(a);
    bl_model_destroy(b);
    test_context_end(ctx);
}

static void reset__repeats_the_motion(void **unused) {
    (void)unused;
    static record first, again;
    static const char *const scenes[] = {"bricard", "slider_crank_motor", "friction_slider_crank"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_scene(ctx, scenes[i]);
        bl_stepper *s = open_stepper(ctx, model, &(bl_run_options){.until = 0.5});
        for (int k = 0; k < 2; k++) {
            record *r = k ? &again : &first;
            const bl_sample *sample;
            assert_int_equal(bl_stepper_reach(s, 0.5), BL_OK);
            assert_int_equal(bl_stepper_sample(s, 0, &sample), BL_OK);
            begin_record(r, bl_stepper_info(s));
            keep(r, sample);
            assert_int_equal(bl_stepper_reset(s), BL_OK);
            assert_true(bl_stepper_time(s) == 0);
        }
        assert_memory_equal(first.value, again.value, (size_t)first.n * sizeof(double));
        bl_stepper_destroy(s);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* ---- given values */

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};

static void jumps__meet_the_values(void **unused) {
    (void)unused;
    for (int c = 0; c < 4; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_text(ctx, rod);
        bl_stepper *s = open_stepper(ctx, model, &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-10});
        assert_int_equal(bl_stepper_reach(s, 0.3), BL_OK);
        bl_override to[] = {{"A.angle", 1.5}, {"A.rate", -0.7}};
        assert_int_equal(bl_stepper_jump(s, to, 2), BL_OK);
        assert_true(bl_stepper_time(s) == 0.3);
        assert_true(fabs(read_one(s, "A.angle") - 1.5) < 1e-12);
        assert_true(fabs(read_one(s, "A.rate") + 0.7) < 1e-12);
        assert_true(fabs(read_one(s, "energy.error")) < 1e-8); /* what the jump added counts as work */
        /* energy of the motion after the jump: J w^2 / 2 - m g l/2 cos(angle) stays */
        double J = 2 * 0.36 / 3, E = J * 0.49 / 2 - 2 * 9.81 * 0.3 * cos(1.5);
        assert_int_equal(bl_stepper_reach(s, 2), BL_OK);
        double angle = read_one(s, "A.angle"), rate = read_one(s, "A.rate");
        assert_true(fabs(J * rate * rate / 2 - 2 * 9.81 * 0.3 * cos(angle) - E) < 1e-7);
        assert_int_equal(bl_stepper_jump(s, &(bl_override){"A.rate", 3}, 1), BL_OK); /* the angle stays */
        double stays = read_one(s, "A.angle");
        if (!(fabs(stays - angle) < 1e-11) || !(fabs(read_one(s, "A.rate") - 3) < 1e-10)) /* positions are closed to the tolerance */
            fail_msg("%s: angle %.3e off, rate %.17g", coordinates[c], stays - angle, read_one(s, "A.rate"));
        assert_int_equal(bl_stepper_jump(s, &(bl_override){"P.x", 3}, 1), BL_E_ARG);
        bl_stepper_destroy(s);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void jumps__of_closed_loops_stay_on_their_branch(void **unused) {
    (void)unused;
    for (int c = 0; c < 4; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_scene(ctx, "four_bar");
        bl_run_options options = {.coordinates = coordinates[c], .until = 1, .tolerance = 1e-9};
        bl_stepper *s = open_stepper(ctx, model, &options), *from = open_stepper(ctx, model, &options);
        const bl_sample *sample;
        const char *name = bl_stepper_info(s)->variable[0];
        /* the motion at 0.4 s, reached from another time by its crank angle and rate alone */
        assert_int_equal(bl_stepper_reach(s, 0.4), BL_OK);
        assert_int_equal(bl_stepper_sample(s, BL_WANT_VARIABLES, &sample), BL_OK);
        bl_index n = bl_stepper_info(s)->nvariable;
        double value[16], rate[16];
        assert_true(n <= 16);
        memcpy(value, sample->variable, (size_t)n * sizeof *value);
        memcpy(rate, sample->variable_rate, (size_t)n * sizeof *rate);
        char rate_name[64];
        snprintf(rate_name, sizeof rate_name, "%.*s.rate", (int)(strchr(name, '.') - name), name);
        assert_int_equal(bl_stepper_reach(from, 0.3), BL_OK);
        bl_override to[] = {{name, value[0]}, {rate_name, rate[0]}};
        bl_status status = bl_stepper_jump(from, to, 2);
        if (status != BL_OK)
            fail_msg("%s: %s", coordinates[c], bl_context_error(ctx)->what);
        assert_int_equal(bl_stepper_sample(from, BL_WANT_VARIABLES, &sample), BL_OK);
        for (bl_index v = 0; v < n; v++)
            if (!(fabs(sample->variable[v] - value[v]) < 1e-7) || !(fabs(sample->variable_rate[v] - rate[v]) < 1e-6))
                fail_msg("%s: variable %d: %g %g, expected %g %g", coordinates[c], (int)v, sample->variable[v], sample->variable_rate[v],
                         value[v], rate[v]);
        bl_stepper_destroy(s);
        bl_stepper_destroy(from);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* work done before a jump stays in the balance: a linkage with friction, moved twice by its crank */
static void jumps__keep_the_work_done_before(void **unused) {
    (void)unused;
    for (int c = 0; c < 4; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_scene(ctx, "friction_slider_crank");
        bl_stepper *s = open_stepper(ctx, model, &(bl_run_options){.coordinates = coordinates[c], .until = 0.3, .tolerance = 1e-9});
        const char *name = bl_stepper_info(s)->variable[0];
        for (int k = 1; k <= 3; k++) {
            assert_int_equal(bl_stepper_reach(s, 0.1 * k), BL_OK);
            double error = read_one(s, "energy.error"), work = read_one(s, "energy.work");
            assert_true(fabs(work) > 1e-4); /* friction takes energy */
            assert_true(fabs(error) < 1e-6 * (1 + fabs(work)));
            assert_int_equal(bl_stepper_jump(s, &(bl_override){name, read_one(s, name) + 0.4}, 1), BL_OK);
            assert_true(fabs(read_one(s, "energy.error") - error) < 1e-9);
        }
        bl_stepper_destroy(s);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void free_bodies__keep_their_motion(void **unused) {
    (void)unused;
    static const char text[] = "model: two\n"
                               "dimension: 3\n"
                               "gravity: [0, 0, 0]\n"
                               "bodies:\n"
                               "  - {name: a, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}\n"
                               "  - {name: b, mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}\n"
                               "joints: [{name: A, type: revolute, bodies: [a, b], at: [0.5, 0, 0], axis: [0, 0, 1]}]\n"
                               "initial: {a: {velocity: [1, 2, 3], angular_velocity: [0, 0, 0]}, A.rate: 0.5}\n"
                               "simulate: {until: 1}\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, text);
    for (int c = 0; c < 4; c++) {
        bl_stepper *s = open_stepper(ctx, model, &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-10});
        assert_int_equal(bl_stepper_reach(s, 0.5), BL_OK);
        double x = read_one(s, "a.x"), vz = read_one(s, "a.vz");
        assert_true(fabs(vz - 3) < 1e-8);
        assert_int_equal(bl_stepper_jump(s, &(bl_override){"A.rate", -0.25}, 1), BL_OK);
        assert_true(fabs(read_one(s, "A.rate") + 0.25) < 1e-10);
        assert_true(fabs(read_one(s, "a.vz") - vz) < 1e-9 && fabs(read_one(s, "a.x") - x) < 1e-9);
        bl_stepper_destroy(s);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- parameters */

static void parameters__change_in_motion(void **unused) {
    (void)unused;
    for (int c = 0; c < 4; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_text(ctx, rod);
        bl_stepper *s = open_stepper(ctx, model, &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-10});
        assert_int_equal(bl_stepper_reach(s, 0.3), BL_OK);
        double angle = read_one(s, "A.angle"), rate = read_one(s, "A.rate");
        bl_override value[] = {{"l", 0.9}, {"m", 1}};
        assert_int_equal(bl_stepper_set_parameters(s, value, 2), BL_OK);
        assert_true(bl_stepper_time(s) == 0.3);
        assert_true(fabs(read_one(s, "A.angle") - angle) < 1e-10 && fabs(read_one(s, "A.rate") - rate) < 1e-10);
        assert_true(fabs(hypot(read_one(s, "P.x"), read_one(s, "P.y")) - 0.9) < 1e-10);
        double J = 0.81 / 3, E = J * rate * rate / 2 - 9.81 * 0.45 * cos(angle);
        assert_int_equal(bl_stepper_reach(s, 1.5), BL_OK);
        angle = read_one(s, "A.angle"), rate = read_one(s, "A.rate");
        assert_true(fabs(J * rate * rate / 2 - 9.81 * 0.45 * cos(angle) - E) < 1e-7);
        assert_true(fabs(read_one(s, "energy.error")) < 1e-7);
        assert_int_equal(bl_stepper_set_parameters(s, &(bl_override){"k", 1}, 1), BL_E_ARG);
        assert_int_equal(bl_stepper_set_parameters(s, &(bl_override){"l", 0}, 1), BL_E_MODEL);
        assert_true(fabs(read_one(s, "A.angle") - angle) < 1e-12); /* refused: unchanged */
        bl_stepper *copy;                                          /* of a stepper with parameters of its own */
        assert_int_equal(bl_stepper_copy(s, ctx, &copy), BL_OK);
        bl_stepper_destroy(s);
        assert_true(fabs(read_one(copy, "A.angle") - angle) < 1e-12);
        assert_int_equal(bl_stepper_reset(copy), BL_OK);
        assert_true(fabs(read_one(copy, "A.angle") - 1) < 1e-12);
        bl_stepper_destroy(copy);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* ---- inputs: a cart of 2 kg pushed by a force; held at F it moves by F t^2 / 4 */

static const char cart[] = "model: cart\n"
                           "dimension: 2\n"
                           "gravity: [0, 0]\n"
                           "inputs: {F: 0, k: 0}\n"
                           "bodies: [{name: cart, mass: 2, center: [0, 0], inertia: 1}]\n"
                           "joints: [{name: g, type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}]\n"
                           "forces:\n"
                           "  - {type: force, body: cart, at: [0, 0], force: ['=F', 0]}\n"
                           "  - {type: rotational_spring, variable: g.distance, torque: '=-k*x'}\n"
                           "simulate: {until: 5}\n";

static void inputs__act_from_the_time_they_are_set(void **unused) {
    (void)unused;
    static const char *const integrators[] = {NULL, "dopri45", "rk4", "ndf_auto", "genalpha", "abm"};
    for (int c = 0; c < 4; c++)
        for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
            bl_context *ctx = test_context(NULL);
            bl_model *model = read_text(ctx, cart);
            bl_run_options options = {.coordinates = coordinates[c], .integrator = integrators[i], .tolerance = 1e-9, .step = 0.01};
            bl_stepper *s = open_stepper(ctx, model, &options);
            bl_index F = bl_stepper_input(s, "F");
            double bound = i == 4 ? 1e-5 : 1e-7;
            assert_int_equal(bl_stepper_input(s, "G"), -1);
            assert_int_equal(bl_stepper_reach(s, 1.003), BL_OK); /* inside a step */
            assert_int_equal(bl_stepper_set_input(s, F, 4, 0), BL_OK);
            assert_true(read_one(s, "F") == 4);
            assert_int_equal(bl_stepper_reach(s, 2.003), BL_OK);
            if (!(fabs(read_one(s, "g.distance") - 1) < bound) || !(fabs(read_one(s, "g.rate") - 2) < bound))
                fail_msg("%s, %s: %.12g %.12g", coordinates[c], integrators[i] ? integrators[i] : "default", read_one(s, "g.distance"),
                         read_one(s, "g.rate"));
            /* a ramp from 4 N down by 4 N/s: v = 2 + 2 s - s^2, x = 1 + 2 s + s^2 - s^3 / 3 */
            assert_int_equal(bl_stepper_set_input(s, F, 4, -4), BL_OK);
            assert_int_equal(bl_stepper_reach(s, 3.003), BL_OK);
            assert_true(fabs(read_one(s, "F")) < 1e-12);
            assert_true(fabs(read_one(s, "g.rate") - 3) < 10 * bound);
            assert_true(fabs(read_one(s, "g.distance") - (4 - 1.0 / 3)) < 10 * bound);
            if (i != 3 &&
                i != 4) /* errors of the work do not shorten steps: where positions are polynomials, these methods take long ones */
                assert_true(fabs(read_one(s, "energy.error")) < 1e-6);
            assert_int_equal(bl_stepper_set_input(s, 7, 1, 0), BL_E_ARG);
            assert_int_equal(bl_stepper_set_input(s, F, NAN, 0), BL_E_ARG);
            bl_stepper_destroy(s);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* a spring that is switched on at rest at a distance */
static void inputs__keep_the_balance(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, cart);
    bl_stepper *s = open_stepper(ctx, model, &(bl_run_options){.tolerance = 1e-10}), *copy;
    bl_override at[] = {{"g.distance", 0.5}, {"g.rate", 0}};
    assert_int_equal(bl_stepper_reach(s, 0.1), BL_OK);
    assert_int_equal(bl_stepper_jump(s, at, 2), BL_OK);
    assert_int_equal(bl_stepper_set_input(s, bl_stepper_input(s, "k"), 8, 0), BL_OK);
    assert_int_equal(bl_stepper_reach(s, 0.6), BL_OK);
    assert_true(fabs(read_one(s, "g.distance") - 0.5 * cos(2 * 0.5)) < 1e-8); /* omega^2 = 8 / 2 */
    assert_true(fabs(read_one(s, "energy.error")) < 1e-8);
    assert_int_equal(bl_stepper_copy(s, ctx, &copy), BL_OK); /* inputs belong to the state */
    assert_true(read_one(copy, "k") == 8);
    assert_int_equal(bl_stepper_reach(s, 2), BL_OK);
    assert_int_equal(bl_stepper_reach(copy, 2), BL_OK);
    assert_true(read_one(copy, "g.distance") == read_one(s, "g.distance"));
    assert_int_equal(bl_stepper_reset(s), BL_OK);
    assert_true(read_one(s, "k") == 0);
    bl_stepper_destroy(s);
    bl_stepper_destroy(copy);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* the same input once more is no change: the steps stay those of the run */
static void inputs__that_stay_do_not_end_steps(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, cart);
    bl_stepper *s = open_stepper(ctx, model, NULL);
    bl_run_summary summary = {0};
    for (int k = 1; k <= 1000; k++) {
        assert_int_equal(bl_stepper_set_input(s, 0, 0, 0), BL_OK);
        assert_int_equal(bl_stepper_reach(s, 0.001 * k), BL_OK);
    }
    assert_int_equal(bl_stepper_summarize(s, &summary), BL_OK);
    assert_true(summary.steps < 20);
    size_t calls = bl_context_memory(ctx).calls;
    for (int k = 1; k <= 1000; k++) { /* changes end steps, and allocate nothing */
        assert_int_equal(bl_stepper_set_input(s, 0, sin(0.01 * k), 0), BL_OK);
        assert_int_equal(bl_stepper_reach(s, 1 + 0.001 * k), BL_OK);
    }
    assert_int_equal(bl_context_memory(ctx).calls, calls);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- linearized: about the angle 0 a rod has omega^2 = 3 g / (2 l) */

static void linearization__is_of_the_present_state(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, rod);
    bl_stepper *s = open_stepper(ctx, model, NULL);
    bl_modes_report report = {0};
    assert_int_equal(bl_stepper_reach(s, 0.4), BL_OK);
    bl_override rest[] = {{"A.angle", 0}, {"A.rate", 0}};
    assert_int_equal(bl_stepper_jump(s, rest, 2), BL_OK);
    bl_status status = bl_stepper_linearize(s, &(bl_modes_options){.linear = true}, &report);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    assert_int_equal(report.nmode, 1);
    assert_true(fabs(report.mode[0].omega - sqrt(3 * 9.81 / 1.2)) < 1e-9);
    assert_int_equal(report.linear->nstate, 2);
    bl_modes_report_destroy(ctx, &report);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- memory */

static bl_status everything(bl_context *ctx, void *user) {
    bl_stepper *s = NULL, *copy = NULL;
    bl_model *model = NULL;
    bl_override value[] = {{"A.angle", 0.5}, {"A.rate", 1}};
    bl_index output;
    double angle;
    (void)user;
    bl_status status = bl_model_read_text(ctx, "test.yaml", rod, strlen(rod), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_stepper_create(ctx, model, &(bl_run_options){.until = 1}, &s);
    if (status == BL_OK)
        status = bl_stepper_output(s, "A.angle", &output);
    if (status == BL_OK)
        status = bl_stepper_reach(s, 0.1);
    if (status == BL_OK)
        status = bl_stepper_read(s, 1, &output, &angle);
    if (status == BL_OK)
        status = bl_stepper_jump(s, value, 2);
    if (status == BL_OK)
        status = bl_stepper_set_parameters(s, &(bl_override){"l", 0.5}, 1);
    if (status == BL_OK)
        status = bl_stepper_copy(s, ctx, &copy);
    if (status == BL_OK)
        status = bl_stepper_reach(copy, 0.2);
    bl_stepper_destroy(copy);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **unused) {
    (void)unused;
    test_failing_allocations(everything, NULL);
    test_failing_once(everything, NULL);
}

static void advancing__allocates_nothing(void **unused) {
    (void)unused;
    static const char *const scenes[] = {"bricard", "slider_crank", "vehicle"};
    for (int i = 0; i < 3; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_scene(ctx, scenes[i]);
        bl_stepper *s = open_stepper(ctx, model, &(bl_run_options){.until = 1, .integrator = "dopri45"});
        const bl_sample *sample;
        bl_run_summary before = {0}, after = {0};
        long quiet = 0, pivoted = 0;
        assert_int_equal(bl_stepper_reach(s, 0.05), BL_OK);
        assert_int_equal(bl_stepper_sample(s, 0, &sample), BL_OK);
        for (int k = 1; k <= 100; k++) {
            bl_stepper_summarize(s, &before);
            size_t calls = bl_context_memory(ctx).calls;
            assert_int_equal(bl_stepper_reach(s, 0.05 + 0.002 * k), BL_OK);
            bl_stepper_summarize(s, &after);
            if (after.repartitions == before.repartitions && after.factorizations == before.factorizations) {
                quiet++;
                assert_int_equal(bl_context_memory(ctx).calls, calls);
            }
            calls = bl_context_memory(ctx).calls;
            assert_int_equal(bl_stepper_sample(s, 0, &sample), BL_OK);
            pivoted += bl_context_memory(ctx).calls != calls; /* a sample may need new pivots too */
        }
        assert_true(quiet > 50 && pivoted < 10);
        bl_stepper_destroy(s);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stepping__equals_the_run_bit_for_bit),
                                       cmocka_unit_test(motion__goes_on_beyond_until),
                                       cmocka_unit_test(going_back__is_refused),
                                       cmocka_unit_test(restored_runs__have_the_bits_of_the_run_that_saved),
                                       cmocka_unit_test(snapshots__of_other_models_are_refused),
                                       cmocka_unit_test(reset__repeats_the_motion),
                                       cmocka_unit_test(jumps__meet_the_values),
                                       cmocka_unit_test(jumps__of_closed_loops_stay_on_their_branch),
                                       cmocka_unit_test(jumps__keep_the_work_done_before),
                                       cmocka_unit_test(free_bodies__keep_their_motion),
                                       cmocka_unit_test(parameters__change_in_motion),
                                       cmocka_unit_test(inputs__act_from_the_time_they_are_set),
                                       cmocka_unit_test(inputs__keep_the_balance),
                                       cmocka_unit_test(inputs__that_stay_do_not_end_steps),
                                       cmocka_unit_test(linearization__is_of_the_present_state),
                                       cmocka_unit_test(failing_allocations__leave_nothing_behind),
                                       cmocka_unit_test(advancing__allocates_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
