/* What contacts leave in samples and events, in every kind of coordinates: gaps, forces, speeds of sliding, places of motions that are
 * known in closed form; impacts with their speeds, impulses and energies. */
#include "support/testing.h"

#include "biela/samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81, PI = 3.14159265358979323846;

static const char *const kinds[] = {"natural", "mixed", "reference:quaternion", "reference:matrix", "reference:angles", "relative"};
enum { NKIND = sizeof kinds / sizeof *kinds };

typedef struct kept {
    bl_context *ctx;
    bl_samples *samples;
    const bl_sample_arrays *a;
    bl_run_summary summary;
} kept;

static void run(kept *k, const char *coordinates, const char *text, double until, double every) {
    bl_model *model;
    bl_sink sink = {0};
    bl_run_options options = {.coordinates = coordinates, .until = until, .every = every, .tolerance = 1e-9};
    *k = (kept){.ctx = test_context(NULL), .summary.size = sizeof k->summary};
    if (bl_model_read_text(k->ctx, "model", text, strlen(text), NULL, 0, &model) != BL_OK ||
        bl_samples_create(k->ctx, 0, &k->samples, &sink) != BL_OK || bl_simulate(k->ctx, model, &options, &sink, 1, &k->summary) != BL_OK)
        fail_msg("%s: %s", coordinates, bl_context_error(k->ctx)->what);
    k->a = bl_samples_arrays(k->samples);
    bl_model_destroy(model);
}

static void end(kept *k) {
    bl_samples_destroy(k->samples);
    test_context_end(k->ctx);
}

static const bl_contact_sample *contact(const kept *k, long sample, bl_index c) {
    return &k->a->contact[sample * k->a->info->ncontact + c];
}

static void near(const char *what, const kept *k, long sample, double found, double expected, double most) {
    if (!(fabs(found - expected) <= most))
        fail_msg("%s, %s at %g s: %.12g, not %.12g", k->a->info->coordinates, what, k->a->t[sample], found, expected);
}

/* ---- forces */

#define SLOPE(mu)                                                                                                                       \
    "dimension: 2\ngravity: [=-9.81*sin(20*pi/180), =-9.81*cos(20*pi/180)]\npoints: {O: [0, 0], C: [0, 0.1]}\n"                         \
    "bodies: [{name: block, box: {center: C, size: [0.4, 0.2]}, mass: 1}]\n"                                                            \
    "contacts: [{name: floor, between: [ground, block], shapes: [{plane: {at: O, normal: [0, 1]}}, {box: {at: C, size: [0.4, 0.2]}}], " \
    "friction: " mu "}]\ninitial: {block: {velocity: [2, 0]}}\n"

/* resultant of all contacts on the second body; moment about its mass center */
static void resultant(const kept *k, long sample, double force[3], double *moment) {
    const double *center = k->a->body[sample].position;
    force[0] = force[1] = force[2] = *moment = 0;
    for (bl_index c = 0; c < k->a->info->ncontact; c++) {
        const bl_contact_sample *at = contact(k, sample, c);
        for (int i = 0; i < 3; i++)
            force[i] += at->total[i];
        *moment += (at->point[0] - center[0]) * at->total[1] - (at->point[1] - center[1]) * at->total[0];
    }
}

/* a block slides up a slope of 20 degrees with mu = 0.4 until 0.28398717910 s and stays there */
static void forces__of_a_block_that_slides_and_stays(void **state) {
    (void)state;
    double normal = G * cos(20 * PI / 180), pull = G * sin(20 * PI / 180);
    for (int kind = 0; kind < NKIND; kind++) {
        kept k;
        run(&k, kinds[kind], SLOPE("0.4"), 0.5, 0.05);
        assert_int_equal(k.a->info->ncontact, 4);
        assert_string_equal(k.a->info->contact[1], "floor.2");
        assert_false(k.a->info->contact_is_angle[0]);
        for (long s = 0; s < k.a->samples; s++) {
            double force[3], moment, t = k.a->t[s], speed = 2 - (pull + 0.4 * normal) * t;
            bool slides = t < 0.2839871791;
            resultant(&k, s, force, &moment);
            near("normal force", &k, s, force[1], normal, 1e-7);
            near("friction", &k, s, force[0], slides ? -0.4 * normal : pull, 1e-6);
            near("moment", &k, s, moment, 0, 1e-6);
            for (bl_index c = 0; c < 4; c++) {
                const bl_contact_sample *at = contact(&k, s, c);
                bool below = at->point[1] < 0.1;
                near("gap", &k, s, at->gap, below ? 0 : 0.2, 1e-8);
                near("state", &k, s, at->state, !below ? 0 : slides ? 1 : 2, 0);
                if (below) /* the tangent is the normal turned clockwise: x */
                    near("sliding", &k, s, at->sliding[0], slides ? speed : 0, 1e-7);
                near("components", &k, s, hypot(at->force[0], at->force[1]), hypot(at->total[0], at->total[1]), 1e-12 * normal);
            }
        }
        end(&k);
    }
}

/* a ball is thrown along a plane: it slides with the speed v - 7/2 mu g t, then rolls without friction */
static void forces__of_a_ball_that_begins_to_roll(void **state) {
    static const char text[] =
        "gravity: [0, 0, -9.81]\npoints: {O: [0, 0, 0], C: [0, 0, 0.1]}\n"
        "bodies: [{name: ball, sphere: {center: C, radius: 0.1}, mass: 2}]\n"
        "contacts: [{name: floor, between: [ground, ball], shapes: [{plane: {at: O, normal: [0, 0, 1]}}, {sphere: {at: C, radius: 0.1}}], "
        "friction: 0.3}]\ninitial: {ball: {velocity: [1.2, 1.6, 0]}}\n";
    (void)state;
    for (int kind = 0; kind < NKIND; kind++) {
        kept k;
        run(&k, kinds[kind], text, 0.5, 0.05);
        assert_int_equal(k.a->info->ncontact, 1);
        for (long s = 0; s < k.a->samples; s++) {
            const bl_contact_sample *at = contact(&k, s, 0);
            double speed = fmax(0, 2 - 3.5 * 0.3 * G * k.a->t[s]), share = speed > 0 ? 0.3 : 0;
            near("sliding", &k, s, hypot(at->sliding[0], at->sliding[1]), speed, 1e-6);
            near("state", &k, s, at->state, speed > 0 ? 1 : 2, 0);
            near("gap", &k, s, at->gap, 0, 1e-8);
            near("normal force", &k, s, at->force[0], 2 * G, 1e-6);
            near("friction x", &k, s, at->total[0], -0.6 * share * 2 * G, 1e-5);
            near("friction y", &k, s, at->total[1], -0.8 * share * 2 * G, 1e-5);
            near("normal z", &k, s, at->total[2], 2 * G, 1e-6);
            for (int i = 0; i < 2; i++)
                near("place", &k, s, at->point[i], k.a->body[s].position[i], 1e-9);
            near("place", &k, s, at->point[2], 0, 1e-8);
            if (speed > 0) /* opposite to the sliding */
                near("direction", &k, s, at->force[1] * at->sliding[1] - at->force[2] * at->sliding[0], 0, 1e-5);
        }
        end(&k);
    }
}

/* a rod hangs against its stop: the moment of gravity */
static void forces__of_a_stop_are_moments(void **state) {
    static const char text[] = "dimension: 2\ngravity: [0, -9.81]\npoints: {O: [0, 0], A: [1, 0]}\n"
                               "bodies: [{name: rod, rod: {from: O, to: A}, mass: 2}]\n"
                               "joints: [{name: h, type: revolute, bodies: [ground, rod], at: O, lower: -0.5}]\n"
                               "initial: {h.angle: -0.25}\n";
    (void)state;
    for (int kind = 0; kind < NKIND; kind++) {
        kept k;
        run(&k, kinds[kind], text, 1, 0.125);
        assert_string_equal(k.a->info->contact[0], "h.lower");
        assert_true(k.a->info->contact_is_angle[0]);
        for (long s = 0; s < k.a->samples; s++) {
            const bl_contact_sample *at = contact(&k, s, 0);
            near("gap", &k, s, at->gap, k.a->variable[s] + 0.5, 1e-12);
            assert_true(at->state == (k.a->t[s] > 0.2 ? 1 : 0)); /* it falls for 0.19 s */
            near("moment", &k, s, at->force[0], at->state > 0 ? 2 * G * 0.5 * cos(0.5) : 0, 1e-6);
        }
        assert_true(k.summary.impacts == 1);
        end(&k);
    }
}

/* A slider on a slope of 20 degrees with mu = 0.5, which sticks; a percussion against the slope at 0.1 s starts it with 1 m/s, and it stops
 * after v / (g (sin + mu cos)). Percussions are no contacts of the results; the stop, which is behind them in the model, is not reached. */
static void forces__of_a_joint_that_sticks(void **state) {
    static const char text[] = "dimension: 2\ngravity: [=9.81*sin(20*pi/180), =-9.81*cos(20*pi/180)]\npoints: {O: [0, 0]}\n"
                               "bodies: [{name: b, mass: 2, inertia: 0.1, center: O}]\n"
                               "joints: [{name: j, type: prismatic, bodies: [ground, b], at: O, axis: [1, 0], lower: -3}]\n"
                               "events: [{at: 0.1, percussion: {body: b, at: O, impulse: [-2, 0]}}]\n"
                               "forces: [{type: joint_friction, name: rub, joint: j, coefficient: 0.5, stick: true}]\n";
    double normal = 2 * G * cos(20 * PI / 180), pull = 2 * G * sin(20 * PI / 180), stops = 0.1 + 2 / (pull + 0.5 * normal);
    (void)state;
    for (int kind = 0; kind < NKIND; kind++) {
        kept k;
        run(&k, kinds[kind], text, 0.4, 0.04);
        assert_int_equal(k.a->info->ncontact, 2);
        assert_string_equal(k.a->info->contact[0], "j.lower");
        assert_string_equal(k.a->info->contact[1], "rub");
        for (long s = 0; s < k.a->samples; s++) {
            const bl_contact_sample *stop = contact(&k, s, 0), *rub = contact(&k, s, 1);
            bool slides = k.a->t[s] > 0.1 && k.a->t[s] < stops;
            near("gap", &k, s, stop->gap, k.a->variable[s] + 3, 1e-9);
            near("state of the stop", &k, s, stop->state, 0, 0);
            near("state", &k, s, rub->state, slides ? 1 : 2, 0);
            near("sliding", &k, s, rub->sliding[0], slides ? (k.a->t[s] - stops) * (pull + 0.5 * normal) / 2 : 0, 1e-7);
            near("normal load", &k, s, rub->force[0], normal, 1e-5);
            near("friction", &k, s, rub->force[1], slides ? 0.5 * normal : -pull, 1e-5);
        }
        end(&k);
    }
}

/* ---- events */

#define BALL                                                                                                                       \
    "dimension: 2\ngravity: [0, -9.81]\npoints: {O: [0, 0], C: [0, 1.1]}\n"                                                        \
    "bodies: [{name: ball, disc: {center: C, radius: 0.1}, mass: 2}]\n"                                                            \
    "contacts: [{name: floor, between: [ground, ball], shapes: [{plane: {at: O, normal: [0, 1]}}, {disc: {at: C, radius: 0.1}}], " \
    "restitution: 0.8}]\n"

/* a ball from 1 m: times in closed form; the energy of the fall is lost in the end */
static void events__are_impacts_with_speed_impulse_and_energy(void **state) {
    double t = sqrt(2 / G), speed = sqrt(2 * G);
    long n = 0;
    kept k;
    (void)state;
    run(&k, "natural", BALL, 4.5, 0.5);
    for (long e = 0; e < k.a->events; e++) {
        const bl_event_mark *mark = bl_samples_event(k.samples, e);
        double found[3];
        assert_true(e == 0 || mark->t >= bl_samples_event(k.samples, e - 1)->t);
        assert_int_not_equal(mark->kind, BL_HAPPENED_EVENT);
        if (mark->kind != BL_HAPPENED_IMPACT || n >= 10)
            continue;
        near("time", &k, 0, mark->t, t, 1e-7);
        assert_string_equal(mark->part, "floor");
        assert_int_equal(sscanf(mark->text, "contact 'floor': impact at %lf m/s, impulse %lf N s, %lf J lost", found, found + 1, found + 2),
                         3);
        near("speed", &k, 0, found[0], speed, 1e-5 * speed);
        near("impulse", &k, 0, found[1], 2 * 1.8 * speed, 1e-5 * 2 * 1.8 * speed);
        near("energy", &k, 0, found[2], speed * speed * 0.36, 1e-3 * speed * speed * 0.36);
        const bl_strike *strike = mark->strike;
        near("impulse of the strike", &k, 0, strike->impulse[0], 2 * 1.8 * speed, 1e-7);
        near("speed before", &k, 0, strike->speed[0], -speed, 1e-7);
        near("speed after", &k, 0, strike->speed[1], 0.8 * speed, 1e-7);
        near("energy lost", &k, 0, strike->lost, speed * speed * 0.36, 1e-7);
        near("energy before", &k, 0, strike->kinetic[0], speed * speed, 1e-7);
        near("energy after", &k, 0, strike->kinetic[1], 0.64 * speed * speed, 1e-7);
        assert_int_equal(mark->nimpulse, 0); /* no joints */
        speed *= 0.8;
        t += 2 * speed / G;
        n++;
    }
    assert_int_equal(n, 10);
    const bl_event_mark *last = bl_samples_event(k.samples, k.a->events - 1);
    assert_int_equal(last->kind, BL_HAPPENED_CONTACT);
    assert_string_equal(last->text, "contact 'floor' closes");
    near("rest", &k, 0, last->t, sqrt(2 / G) * 9, 1e-5);
    near("energy lost", &k, 0, k.summary.lost_in_impacts, 2 * G, 1e-6);
    assert_int_equal(k.summary.accumulations, 1);
    assert_true(k.summary.impacts > 10);
    end(&k);
}

/* e = 1: rounding is not reported as a loss or a gain, in no event and not in the summary */
static void events__of_elastic_impacts_lose_nothing(void **state) {
    static const char text[] = "dimension: 2\ngravity: [0.3, -9.81]\n"
                               "bodies: [{name: rod, rod: {from: [0, 0], to: [0.7, 0.9]}, mass: 1.3}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], lower: -0.4, upper: 0.05, "
                               "restitution: 1}]\ninitial: {A.rate: 3.3}\n";
    (void)state;
    for (int kind = 0; kind < NKIND; kind++) {
        kept k;
        long n = 0;
        run(&k, kinds[kind], text, 2, 0.5);
        for (long e = 0; e < k.a->events; e++) {
            const bl_event_mark *mark = bl_samples_event(k.samples, e);
            if (mark->kind != BL_HAPPENED_IMPACT)
                continue;
            assert_true(mark->strike->lost == 0);
            assert_non_null(strstr(mark->text, ", 0 J lost"));
            n++;
        }
        assert_true(n > 5 && k.summary.lost_in_impacts == 0 && !signbit(k.summary.lost_in_impacts));
        end(&k);
    }
}

/* an output time at an impact: the sample is the one before it, where the contact is open */
static void samples__at_an_impact_are_those_before_it(void **state) {
    bl_sink sink = {0};
    bl_model *model;
    bl_context *ctx = test_context(NULL);
    bl_samples *samples;
    (void)state;
    bl_run_options options = {.until = 0.5, .every_step = true, .tolerance = 1e-9};
    assert_int_equal(bl_model_read_text(ctx, "model", BALL, strlen(BALL), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_samples_create(ctx, 0, &samples, &sink), BL_OK);
    assert_int_equal(bl_simulate(ctx, model, &options, &sink, 1, NULL), BL_OK);
    const bl_sample_arrays *a = bl_samples_arrays(samples);
    long before = 0;
    for (long s = 0; s < a->samples; s++)
        if (a->side[s] == -1) {
            before++;
            assert_true(fabs(a->t[s] - sqrt(2 / G)) < 1e-8);
            assert_true(fabs(a->body[s].velocity[1] + sqrt(2 * G)) < 1e-6);
            assert_true(a->contact[s].state == 0 && a->contact[s].force[0] == 0 && fabs(a->contact[s].gap) < 1e-8);
        }
    assert_int_equal(before, 1);
    bl_samples_destroy(samples);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- steppers */

static double read_one(bl_stepper *s, const char *name) {
    bl_index output;
    double value = NAN;
    if (bl_stepper_output(s, name, &output) != BL_OK || bl_stepper_read(s, 1, &output, &value) != BL_OK)
        fail_msg("%s cannot be read", name);
    return value;
}

/* A block whose body is called as its contact slides up a slope and stays; a stop of a rod that hangs against it. The numbers are those
 * of the run, bit for bit. */
static void stepper__reads_contacts_by_name(void **state) {
    static const char *const part[] = {"gap", "fn", "ft1", "ft2", "vt1", "vt2", "state"};
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_stepper *s;
    bl_index output;
    char name[64];
    kept k;
    (void)state;
    run(&k, "natural", SLOPE("0.4"), 0.5, 0.05);
    bl_run_options options = {.coordinates = "natural", .until = 0.5, .tolerance = 1e-9};
    assert_int_equal(bl_model_read_text(ctx, "model", SLOPE("0.4"), strlen(SLOPE("0.4")), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_stepper_create(ctx, model, &options, &s), BL_OK);
    for (long i = 0; i < k.a->samples; i++) {
        assert_int_equal(bl_stepper_reach(s, k.a->t[i]), BL_OK);
        for (bl_index c = 0; c < k.a->info->ncontact; c++) {
            const double *want = &contact(&k, i, c)->gap;
            for (int e = 0; e < 7; e++) {
                snprintf(name, sizeof name, "%s.%s", k.a->info->contact[c], part[e]);
                assert_true(read_one(s, name) == want[e]);
            }
            snprintf(name, sizeof name, "%s.y", k.a->info->contact[c]);
            assert_true(read_one(s, name) == contact(&k, i, c)->point[1]);
            snprintf(name, sizeof name, "%s.fy", k.a->info->contact[c]);
            assert_true(read_one(s, name) == contact(&k, i, c)->total[1]);
        }
    }
    assert_int_equal(bl_stepper_output(s, "floor.2.force", &output), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "contacts have gap, fn"));
    assert_int_equal(bl_stepper_output(s, "floor.9.gap", &output), BL_E_ARG);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    test_context_end(ctx);
    end(&k);
}

/* impacts are in the summary, also of what happened before a change from outside; a body named like the contact keeps its coordinates */
static void stepper__counts_impacts(void **state) {
    static const char text[] =
        "dimension: 2\ngravity: [0, -9.81]\npoints: {O: [0, 0], C: [0, 1.1]}\n"
        "bodies: [{name: ball, disc: {center: C, radius: 0.1}, mass: 2}]\n"
        "contacts: [{name: ball, between: [ground, ball], shapes: [{plane: {at: O, normal: [0, 1]}}, {disc: {at: C, radius: 0.1}}], "
        "restitution: 0.8}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_stepper *s;
    bl_run_summary sum = {.size = sizeof sum};
    size_t bytes;
    (void)state;
    assert_int_equal(bl_model_read_text(ctx, "model", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_stepper_create(ctx, model, &(bl_run_options){.until = 2, .tolerance = 1e-9}, &s), BL_OK);
    assert_int_equal(bl_stepper_reach(s, 0.45), BL_OK);
    assert_true(fabs(read_one(s, "ball.gap") - (read_one(s, "ball.y") - 0.1)) < 1e-12);
    assert_true(fabs(read_one(s, "ball.gap") - (1 - 0.5 * G * 0.45 * 0.45)) < 1e-9);
    assert_int_equal(bl_stepper_reach(s, 1), BL_OK);
    assert_int_equal(bl_stepper_save(s, NULL, &bytes), BL_OK);
    assert_int_equal(bl_stepper_reach(s, 1.2), BL_OK);
    assert_int_equal(bl_stepper_summarize(s, &sum), BL_OK);
    assert_int_equal(sum.impacts, 2); /* at 0.45 and 1.17 s */
    assert_true(fabs(sum.lost_in_impacts - 2 * G * (1 - 0.8 * 0.8 * 0.8 * 0.8)) < 1e-6);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* twenty balls that land together: the last sixteen events are there, with the number of the others */
static void events__of_many_contacts_at_once_are_counted(void **state) {
    enum { BALLS = 20 };
    char text[8192];
    size_t n = (size_t)snprintf(text, sizeof text, "dimension: 2\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < BALLS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "- {name: b%d, disc: {center: [%d, 0.2], radius: 0.1}, mass: 1}\n", i, i);
    n += (size_t)snprintf(text + n, sizeof text - n, "contacts:\n");
    for (int i = 0; i < BALLS; i++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n,
                             "- {name: f%d, between: [ground, b%d], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {disc: {at: [%d, 0.2], "
                             "radius: 0.1}}], restitution: 0.5}\n",
                             i, i, i);
    kept k;
    long impacts = 0, left_out = 0;
    (void)state;
    run(&k, "natural", text, 0.2, 0.1);
    for (long e = 0; e < k.a->events; e++) {
        const bl_event_mark *mark = bl_samples_event(k.samples, e);
        long missing;
        impacts += mark->kind == BL_HAPPENED_IMPACT;
        if (mark->kind == BL_HAPPENED_CONTACT && sscanf(mark->text, "%ld earlier events of contacts", &missing) == 1)
            left_out += missing;
    }
    assert_int_equal(k.summary.impacts, BALLS);
    assert_int_equal(impacts + left_out, BALLS);
    assert_true(impacts >= 16);
    end(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces__of_a_block_that_slides_and_stays),
        cmocka_unit_test(forces__of_a_ball_that_begins_to_roll),
        cmocka_unit_test(forces__of_a_stop_are_moments),
        cmocka_unit_test(forces__of_a_joint_that_sticks),
        cmocka_unit_test(events__are_impacts_with_speed_impulse_and_energy),
        cmocka_unit_test(events__of_elastic_impacts_lose_nothing),
        cmocka_unit_test(samples__at_an_impact_are_those_before_it),
        cmocka_unit_test(stepper__reads_contacts_by_name),
        cmocka_unit_test(stepper__counts_impacts),
        cmocka_unit_test(events__of_many_contacts_at_once_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
