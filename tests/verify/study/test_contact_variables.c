/* Contacts given by gaps and speeds of sliding, of states of equations, of unknowns of matrices, of joint variables: the published
 * woodpecker to its digits, closed solutions, and the same motion written in several ways. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static contact_run run, other;

/* formulations and methods that take friction beside constraints; the error of the methods in this motion is far below the tolerance of the
 * events, but impacts multiply it */
static const contact_way ways[] = {
    {NULL, NULL, NULL, 1e-10, 0, 3e-9},
    {NULL, "partition", "dop853", 1e-11, 0, 3e-9},
    {NULL, "null_space", "dopri45", 1e-10, 0, 3e-9},
    {NULL, "projection", "radau", 1e-10, 0, 3e-9},
    {NULL, "range_space", "abm", 1e-11, 0, 3e-9},
};
enum { NWAY = sizeof ways / sizeof *ways };

static int find(const contact_run *of, const char *what) {
    int k = 0;
    while (k < of->nevent && strncmp(of->what[k], what, strlen(what)) != 0)
        k++;
    if (k == of->nevent)
        fail_msg("%s: no event '%s'", of->label, what);
    return k;
}

/* ---- woodpecker */

static const double IMPACTS[] = {0.077877992289459, 0.08098880541856925, 0.08157532878964517, 0.11867511294865264, 0.12133547055744728};
enum { Y, SLEEVE, BIRD };

/* at a time between two samples and before them: rates change linearly within 1e-8 s */
static double extrapolated(const contact_sample *a, const contact_sample *b, int k, double t) {
    return a->rate[k] + (b->rate[k] - a->rate[k]) * (t - a->t) / (b->t - a->t);
}

static void woodpecker__has_the_published_digits(void **state) {
    (void)state;
    static const double at[] = {0.0809888065, 0.0809888115, 0.15, 0.5};
    for (int k = 0; k < NWAY; k++) {
        bl_run_options options = contact_way_options(&ways[k], 0.5, at, 4);
        contact_run_scene("woodpecker", NULL, &options, &run);
        contact_expect(&run, INFINITY);
        contact_expect_events(&run, "contact 'upper': impact", 2, (double[]){IMPACTS[0], IMPACTS[2]}, 1e-8);
        contact_expect_events(&run, "contact 'beak': impact", 1, &IMPACTS[1], 1e-8);
        contact_expect_events(&run, "contact 'lower': impact", 2, &IMPACTS[3], 1e-8);
        contact_expect_close(&run, "the sticking", run.event[find(&run, "contact 'lower' sticks")], 0.021636314, 1e-8);
        contact_expect_close(&run, "the slipping", run.event[find(&run, "contact 'lower' sticks") + 1], 0.061213931, 1e-8);
        contact_expect_close(&run, "the lifting", run.event[find(&run, "contact 'lower' opens")], 0.067023398, 1e-8);
        const contact_sample *after = contact_at(&run, at[0]), *soon = contact_at(&run, at[1]), *later = contact_at(&run, 0.15),
                             *end = contact_at(&run, 0.5);
        double hit = run.event[find(&run, "contact 'beak': impact")];
        contact_expect_close(&run, "the rate of y", extrapolated(after, soon, Y, hit), -0.0929175, 1e-7);
        contact_expect_close(&run, "the rate of the sleeve", extrapolated(after, soon, SLEEVE, hit), 22.8824646, 3e-7);
        contact_expect_close(&run, "the rate of the bird", extrapolated(after, soon, BIRD, hit), -8.4657179, 1e-7);
        contact_expect_close(&run, "y", later->variable[Y], -0.0206857961, ways[k].allowed);
        contact_expect_close(&run, "the sleeve", later->variable[SLEEVE], -0.1034482759, ways[k].allowed);
        contact_expect_close(&run, "the bird", later->variable[BIRD], -0.3103296661, 10 * ways[k].allowed);
        contact_expect_close(&run, "y", end->variable[Y], -0.06261048613312617, 10 * ways[k].allowed);
        contact_expect_close(&run, "the bird", end->variable[BIRD], -0.18722812490943397, 100 * ways[k].allowed);
    }
}

/* after some seconds every period is the same: from one sticking to the next but those within one period */
static void woodpecker__settles_to_its_period(void **state) {
    (void)state;
    bl_run_options options = {.until = 6.5, .tolerance = 1e-9, .every = 1};
    double last = 0, before = 0;
    contact_run_scene("woodpecker", NULL, &options, &run);
    contact_expect(&run, INFINITY);
    for (int k = 0; k < run.nevent; k++)
        if (strcmp(run.what[k], "contact 'lower' sticks") == 0) {
            before = last;
            last = run.event[k];
        }
    contact_expect_close(&run, "the period", last - before, 0.145976, 3e-6);
    static const double at[] = {6, 6 + 0.145976};
    options = (bl_run_options){.until = 6.5, .tolerance = 1e-9, .at = at, .nat = 2};
    contact_run_scene("woodpecker", NULL, &options, &run);
    contact_expect_close(&run, "the drop", contact_at(&run, at[0])->variable[Y] - contact_at(&run, at[1])->variable[Y], 0.019445, 7e-6);
}

#define DATA                                                                                                                    \
    "parameters: {mM: 3e-4, mS: 4.5e-3, JM: 5e-9, JS: 7e-7, c: 0.0056, lM: 0.01, lG: 0.015, lS: 0.0201, hS: 0.02, hM: 0.0058, " \
    "r0: 0.0025, rM: 0.0031, g: 9.81}\n"
#define CONTACTS                                                                                                                         \
    "contacts:\n  - {name: beak, gap: =lM+lG-lS-r0 - hS*bird, sliding: =y_rate + lM*sleeve_rate + (lG-lS)*bird_rate, restitution: 0.5, " \
    "friction: 0.3}\n  - {name: lower, gap: =rM-r0 + hM*sleeve, sliding: =y_rate + rM*sleeve_rate, friction: 0.3}\n"                     \
    "  - {name: upper, gap: =rM-r0 - hM*sleeve, sliding: =y_rate + rM*sleeve_rate, friction: 0.3}\n"

static void matrices__have_the_same_motion(void **state) {
    (void)state;
    static const double at[] = {0.15};
    static const char *const texts[] = {
        DATA "matrices:\n  names: [y, sleeve, bird]\n  scale: [0.02, 1, 1]\n"
             "  M: [[=mS+mM, =mS*lM, =mS*lG], [=mS*lM, =JM+mS*lM^2, =mS*lM*lG], [=mS*lG, =mS*lM*lG, =JS+mS*lG^2]]\n"
             "  K: [[0, 0, 0], [0, =c, =-c], [0, =-c, =c]]\n  load: [=-(mM+mS)*g, =-mS*lM*g, =-mS*lG*g + 0*t]\n"
             "  initial: {positions: [0, =-(rM-r0)/hM, -0.2788], velocities: [-0.3411, 0, -7.4583]}\n" CONTACTS,
        /* the height as an expression, and the pole as a state that is held by a constraint */
        DATA "equations:\n  expressions: {high: =y + 0*t - pole}\n  states:\n"
             "    - {name: y, start: 0, rate_start: -0.3411, mass: =mM+mS, force: =-(mM+mS)*g, scale: 0.02}\n"
             "    - {name: sleeve, start: =-(rM-r0)/hM, mass: =JM+mS*lM^2, force: \"=-c*(sleeve - bird) - mS*lM*g\"}\n"
             "    - {name: bird, start: -0.2788, rate_start: -7.4583, mass: =JS+mS*lG^2, force: \"=-c*(bird - sleeve) - mS*lG*g\"}\n"
             "    - {name: pole, start: 0, mass: 1, force: 5}\n"
             "  mass:\n    - {row: y, column: sleeve, value: =mS*lM}\n    - {row: y, column: bird, value: =mS*lG}\n"
             "    - {row: sleeve, column: bird, value: =mS*lM*lG}\n  constraints: [{name: hold, value: =pole^3 + 2*pole}]\n"
             "contacts:\n  - {name: beak, gap: =lM+lG-lS-r0 - hS*bird + pole, sliding: =y_rate - pole_rate + lM*sleeve_rate + "
             "(lG-lS)*bird_rate, restitution: 0.5, friction: 0.3}\n"
             "  - {name: lower, gap: =rM-r0 + hM*sleeve, sliding: =y_rate + rM*sleeve_rate, friction: 0.3}\n"
             "  - {name: upper, gap: =rM-r0 - hM*sleeve, sliding: =y_rate + rM*sleeve_rate, friction: 0.3}\n"};
    for (int k = 0; k < 2; k++) {
        bl_run_options options = {.until = 0.15, .tolerance = 1e-10, .at = at, .nat = 1};
        contact_run_text(texts[k], NULL, &options, &run);
        contact_expect(&run, INFINITY);
        contact_expect_close(&run, "y", contact_at(&run, 0.15)->variable[Y], -0.0206857961, 3e-9);
        contact_expect_close(&run, "the bird", contact_at(&run, 0.15)->variable[BIRD], -0.3103296661, 3e-8);
    }
}

static void woodpecker_of_bodies__follows_its_reference(void **state) {
    (void)state; /* tests/reference/woodpecker.json, case "bodies" */
    static const double at[] = {0.5};
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    for (int k = 0; k < 4; k++) {
        bl_run_options options = {.coordinates = kinds[k], .until = 0.5, .tolerance = 1e-10, .at = at, .nat = 1};
        contact_run_scene("woodpecker_bodies", NULL, &options, &run);
        contact_expect(&run, 1e-9);
        contact_expect_close(&run, "the sticking", run.event[find(&run, "contact 'lower' sticks")], 0.026656629655516597, 1e-8);
        contact_expect_close(&run, "the impact", run.event[find(&run, "contact 'beak': impact")], 0.08269403994156135, 1e-8);
        contact_expect_close(&run, "the second impact", run.event[find(&run, "contact 'lower': impact")], 0.10935792331528825, 1e-8);
        const bl_pose *sleeve = &contact_at(&run, 0.5)->body[0];
        contact_expect_close(&run, "y", sleeve->position[1], -0.05243161352332586, 1e-8);
    }
}

/* ---- closed solutions */

/* A ball on a plate that moves up with 1 m/s: relative to it the ball bounces as on a plate at rest, from its relative speed. */
static void ball__bounces_on_a_moving_plate(void **state) {
    (void)state;
    static const double at[] = {1};
    const char *text = "equations:\n  states:\n    - {name: h, start: 0.5, mass: 2, force: =-2*9.81}\n"
                       "    - {name: plate, start: 0, rate_start: 1, mass: 0, force: 0}\n  constraints: [{value: =plate - t}]\n"
                       "contacts: [{name: floor, gap: =h - plate, restitution: 0.8}]\n";
    const double g = 9.81;
    double first = (-1 + sqrt(1 + 2 * g * 0.5)) / g, speed = 1 + g * first, second = first + 2 * 0.8 * speed / g;
    bl_run_options options = {.until = 1, .tolerance = 1e-10, .at = at, .nat = 1};
    contact_run_text(text, NULL, &options, &run);
    contact_expect(&run, INFINITY);
    contact_expect_events(&run, "contact 'floor': impact", 2, (double[]){first, second}, 1e-9);
    double since = 1 - second, up = 0.64 * speed;
    contact_expect_close(&run, "the height", contact_at(&run, 1)->variable[0], 1 + up * since - g * since * since / 2, 1e-8);
}

/* On a belt that runs across its way a block slides straight relative to the belt, and stops on it. */
static void block__slides_straight_on_a_belt(void **state) {
    (void)state;
    static const double at[] = {0.5, 2};
    const char *text = "equations:\n  states:\n    - {name: x, start: 0, rate_start: 2, mass: 3, force: 0}\n"
                       "    - {name: y, start: 0, mass: 3, force: 0}\n    - {name: z, start: 0, mass: 3, force: =-3*9.81}\n"
                       "    - {name: belt, start: 0, rate_start: 1, mass: 0, force: 0}\n  constraints: [{value: =belt - t}]\n"
                       "contacts: [{name: f, gap: =z, sliding: [=x_rate, =y_rate - belt_rate], friction: 0.3}]\n";
    const double a = 0.3 * 9.81, speed = sqrt(5), stop = speed / a;
    for (int k = 0; k < NWAY; k++) {
        bl_run_options options = contact_way_options(&ways[k], 2, at, 2);
        contact_run_text(text, NULL, &options, &run);
        contact_expect(&run, INFINITY);
        contact_expect_close(&run, "the stop", run.event[find(&run, "contact 'f' sticks")], stop, 1e-8);
        for (int s = 0; s < 2; s++) {
            double t = fmin(at[s], stop), way = speed * t - a * t * t / 2;
            contact_expect_close(&run, "x", contact_at(&run, at[s])->variable[0], way * 2 / speed, 1e-8);
            contact_expect_close(&run, "y", contact_at(&run, at[s])->variable[1], at[s] - way / speed, 1e-8);
        }
    }
}

/* equal balls on a line, one equation and one contact for each: touching ones share an impact */
static void balls__share_an_impact(void **state) {
    (void)state;
    static const double at[] = {1}, rate[] = {-0.6, 0.4, 0.4, 0.4, 0.4};
    const char *text = "equations:\n  states:\n    - {name: x, count: 5, start: \"=i - 1\", rate_start: [1, 0, 0, 0, 0], acceleration: 0}\n"
                       "contacts: [{name: pair, count: 4, gap: \"=x[i+1] - x[i] - 1\", restitution: 1}]\n";
    bl_run_options options = {.until = 1, .at = at, .nat = 1};
    contact_run_text(text, NULL, &options, &run);
    contact_expect(&run, INFINITY);
    for (int k = 0; k < 5; k++)
        contact_expect_close(&run, "the speed", contact_at(&run, 1)->rate[k], rate[k], 1e-12);
}

/* ---- of joint variables */

#define SLIDES                                                                                                                        \
    "dimension: 2\nbodies:\n  - {name: a, mass: 1, center: [0, 0], inertia: 1}\n  - {name: b, mass: 2, center: [1, 0], inertia: 1}\n" \
    "joints:\n  - {name: A, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [%s]}\n"                                          \
    "  - {name: B, type: prismatic, bodies: [ground, b], at: [1, 0], axis: [1, 0]}\n"

static void slides__meet(void **state) {
    (void)state;
    static const double at[] = {2};
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    const char *text = SLIDES "contacts: [{name: meet, gap: =0.5 + B.distance - A.distance, restitution: 0.5}]\ninitial: {A.rate: 1}\n";
    for (int k = 0; k < 4; k++) { /* (1 - 2/2) / 3 and (1 + 1/2) / 3 */
        char full[1024];
        bl_run_options options = {.coordinates = kinds[k], .until = 2, .tolerance = 1e-10, .at = at, .nat = 1};
        snprintf(full, sizeof full, text, "1, 0");
        contact_run_text(full, NULL, &options, &run);
        contact_expect(&run, 1e-10);
        contact_expect_close(&run, "the first", contact_at(&run, 2)->rate[0], 0, 1e-12);
        contact_expect_close(&run, "the second", contact_at(&run, 2)->rate[1], 0.5, 1e-12);
    }
}

/* a pad presses with 10 N; its surface moves twice as fast as the slide: 2 mu N brakes 2 kg */
static void pad__brakes_a_slide(void **state) {
    (void)state;
    static const double at[] = {0.5, 2};
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    const char *text = SLIDES "forces: [{type: force, body: a, at: [0, 0], force: [0, -10]}]\ninitial: {B.rate: 3}\n"
                              "contacts: [{name: pad, gap: =A.distance, sliding: =2*B.rate, friction: 0.4, static: 0.5}]\n";
    for (int k = 0; k < 4; k++) {
        char full[1024];
        bl_run_options options = {.coordinates = kinds[k], .until = 2, .tolerance = 1e-10, .at = at, .nat = 2};
        snprintf(full, sizeof full, text, "0, 1");
        contact_run_text(full, NULL, &options, &run);
        contact_expect(&run, 1e-10);
        contact_expect_close(&run, "the stop", run.event[find(&run, "contact 'pad' sticks")], 0.75, 1e-9);
        contact_expect_close(&run, "the speed", contact_at(&run, 0.5)->rate[1], 1, 1e-9);
        contact_expect_close(&run, "the way", contact_at(&run, 2)->variable[1], 1.125, 1e-9);
    }
}

/* A gap of one variable is a stop: the same bits. */
static void gap_of_one_variable__is_a_stop(void **state) {
    (void)state;
    static const double at[] = {3};
    static const char *const ends[] = {"stops: [{variable: A.angle, lower: -0.5, restitution: 0.6}]\n",
                                       "contacts: [{name: x, gap: =A.angle + 0.5, restitution: 0.6}]\n"};
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: p, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                 "joints: [{name: A, type: revolute, bodies: [ground, p], at: [0, 0]}]\nmeasure: [A.angle]\n%s",
                 ends[k]);
        bl_run_options options = {.until = 3, .tolerance = 1e-9, .at = at, .nat = 1};
        contact_run_text(text, NULL, &options, k ? &other : &run);
        contact_expect(k ? &other : &run, 1e-8);
    }
    assert_true(run.nevent > 3 && run.nevent == other.nevent);
    for (int k = 0; k < run.nevent; k++)
        assert_true(run.event[k] == other.event[k]);
    assert_true(contact_at(&run, 3)->variable[0] == contact_at(&other, 3)->variable[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(woodpecker__has_the_published_digits),
        cmocka_unit_test(woodpecker__settles_to_its_period),
        cmocka_unit_test(matrices__have_the_same_motion),
        cmocka_unit_test(woodpecker_of_bodies__follows_its_reference),
        cmocka_unit_test(ball__bounces_on_a_moving_plate),
        cmocka_unit_test(block__slides_straight_on_a_belt),
        cmocka_unit_test(balls__share_an_impact),
        cmocka_unit_test(slides__meet),
        cmocka_unit_test(pad__brakes_a_slide),
        cmocka_unit_test(gap_of_one_variable__is_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
