/* Contacts and stops against closed solutions and published motions, in all coordinates, by several formulations and integrators: times of
 * impacts and of sliding, states, energy, forces at rest. Methods that cannot take friction refuse it by name. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;
static contact_run run;

/* false: the method cannot take the model, and says which part it is */
static bool go(const contact_way *way, const char *scene, const char *set, double until, const double *at, bl_index nat) {
    bl_run_options options = contact_way_options(way, until, at, nat);
    contact_run_scene(scene, set, &options, &run);
    if (run.status == BL_E_ABILITY) {
        if (!strstr(run.error.what, way->formulation) || !strstr(run.error.what, "friction in contact"))
            fail_msg("%s: %s", run.label, run.error.what);
        return false;
    }
    contact_expect(&run, 100 * way->allowed);
    return true;
}

#define GO(way, scene, set, until, at) go(way, scene, set, until, at, (bl_index)(sizeof(at) / sizeof *(at)))

/* all ways; `least` of them must not refuse */
static void each_way(void (*check)(const contact_way *way, int *done), int least) {
    int done = 0;
    for (int k = 0; k < contact_nway; k++)
        check(&contact_ways[k], &done);
    assert_true(done >= least);
}

/* ---- a bouncing ball */

static double bounce_time(int k, double e) { /* of impact k = 1, 2, ...; large: where it comes to rest */
    double sum = 1, power = 1, first = sqrt(2 / G);
    for (int i = 1; i < k; i++)
        sum += 2 * (power *= e);
    return first * sum;
}

static double bounce_height(double t, double e) {
    int k = 0;
    while (k < 500 && bounce_time(k + 1, e) <= t)
        k++;
    double from = k ? bounce_time(k, e) : 0, up = k ? sqrt(2 * G) * pow(e, k) : 0;
    return k == 500 ? 0 : (k ? 0 : 1) + up * (t - from) - G * (t - from) * (t - from) / 2;
}

static void check_ball(const contact_way *way, int *done) {
    static const double at[] = {1, 2, 3, 4, 5};
    double t[10];
    if (!GO(way, "bouncing_ball", NULL, 5, at))
        return;
    ++*done;
    for (int k = 0; k < 10; k++)
        t[k] = bounce_time(k + 1, 0.8);
    contact_expect_events(&run, "contact 'floor': impact", 10, t, way->allowed);
    for (int k = 0; k < 5; k++)
        contact_expect_close(&run, "the height", contact_at(&run, at[k])->probe[0][1] - 0.1, bounce_height(at[k], 0.8), 3 * way->allowed);
    contact_expect_close(&run, "the last impact", run.event[run.nevent - 1], bounce_time(500, 0.8), 1e-5 + 30 * way->allowed);
    contact_expect_close(&run, "the speed at rest", contact_at(&run, 5)->probe_rate[0][1], 0, 1e-9);
}

static void ball__bounces_and_comes_to_rest(void **state) {
    (void)state;
    assert_true(fabs(bounce_time(10, 0.8) - 3.5788929510) < 1e-10 && fabs(bounce_height(3, 0.8) - 0.0687074610) < 1e-10);
    each_way(check_ball, contact_nway);
}

/* e = 1: it never loses height; e = 0: it stays where it falls */
static void ball__keeps_or_loses_all(void **state) {
    (void)state;
    static const double at[] = {1, 4, 5};
    bl_run_options options = {.until = 5, .at = at, .nat = 3, .tolerance = 1e-10};
    contact_run_scene("bouncing_ball", "e=1", &options, &run);
    contact_expect(&run, 1e-9);
    assert_int_equal(run.nevent, 6);
    contact_expect_close(&run, "the height", contact_at(&run, 5)->probe[0][1] - 0.1, bounce_height(5, 1), 1e-8);
    contact_expect_close(&run, "the energy", run.highest, run.start, 1e-10);
    contact_run_scene("bouncing_ball", "e=0", &options, &run);
    contact_expect(&run, 1e-9);
    assert_int_equal(run.nevent, 2); /* the impact, then it sticks */
    contact_expect_close(&run, "the height", contact_at(&run, 1)->probe[0][1], 0.1, 1e-12);
    contact_expect_close(&run, "the work", contact_at(&run, 5)->work, -G, 1e-9);
}

/* ---- a block on a slope */

static void check_block(const contact_way *way, int *done) {
    static const double at[] = {0.2, 1, 2};
    double a = 20 * acos(-1) / 180, halt = 2 / (G * (sin(a) + 0.3 * cos(a))), back = G * (sin(a) - 0.3 * cos(a));
    if (!GO(way, "sliding_block", "mu=0.3", 2, at))
        return;
    ++*done;
    contact_expect_events(&run, "contact 'slope", 1, &halt, way->allowed);
    double x = contact_at(&run, 2)->probe[0][0];
    contact_expect_close(&run, "x", x, halt - back * (2 - halt) * (2 - halt) / 2, way->allowed);
    contact_expect_close(&run, "x", x, -0.4987475978, way->allowed + 1e-10);
    contact_expect_close(&run, "the height", contact_at(&run, 2)->probe[0][1], 0.1, way->allowed);
    assert_true(GO(way, "sliding_block", "mu=0.4", 2, at));
    halt = 2 / (G * (sin(a) + 0.4 * cos(a)));
    contact_expect_events(&run, "contact 'slope", 1, &halt, way->allowed);
    contact_expect_close(&run, "x", contact_at(&run, 1)->probe[0][0], halt, way->allowed);
    contact_expect_close(&run, "x", contact_at(&run, 2)->probe[0][0], halt, way->allowed);
    contact_expect_close(&run, "the speed", contact_at(&run, 2)->probe_rate[0][0], 0, 1e-9);
}

static void block__stops_and_slides_back_or_stays(void **state) {
    (void)state;
    each_way(check_block, contact_nway - 2);
}

/* Pushed back until t = 1, a block in space turns by more than a right angle without halting; then it slides straight on, halts after
 * |v| / (mu g), v^2 / (2 mu g) further, and stays. */
static void block__halts_after_its_direction_turned(void **state) {
    (void)state;
    static const char *const texts[] = {
        "gravity: [0, 0, -9.81]\nbodies: [{name: p, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\n"
        "probes: {P: {body: p, at: [0, 0, 0]}}\n"
        "contacts: [{name: floor, between: [ground, p], shapes: [{plane: {at: [0, 0, 0], normal: [0, 0, 1]}}, {point: {at: [0, 0, 0]}}],\n"
        "  friction: 0.1}]\nforces: [{type: force, body: p, at: [0, 0, 0], force: ['=t < 1 ? -3 : 0', 0, 0]}]\n"
        "initial: {p: {velocity: [1, 0.5, 0]}}\n",
        "equations:\n  states: [{name: x, start: 0, rate_start: 1, mass: 1, force: '=t < 1 ? -3 : 0'},\n"
        "    {name: y, start: 0, rate_start: 0.5, mass: 1, force: 0}, {name: z, start: 0, mass: 1, force: -9.81}]\n"
        "contacts: [{name: floor, gap: =z, sliding: [=x_rate, =y_rate], friction: 0.1}]\n"};
    static const char *const kinds[] = {"natural", "reference", "relative", NULL};
    static const double at[] = {1, 4};
    for (int k = 0; k < 4; k++) {
        bl_run_options options = {.coordinates = kinds[k], .until = 4, .tolerance = 1e-10, .at = at, .nat = 2};
        contact_run_text(texts[k == 3], NULL, &options, &run);
        contact_expect(&run, k == 3 ? INFINITY : 1e-9);
        const contact_sample *from = contact_at(&run, 1), *end = contact_at(&run, 4);
        const double *v = k == 3 ? from->rate : from->probe_rate[0], *x = k == 3 ? from->variable : from->probe[0],
                     *last = k == 3 ? end->variable : end->probe[0], *rest = k == 3 ? end->rate : end->probe_rate[0];
        double speed = hypot(v[0], v[1]), halt = 1 + speed / (0.1 * G);
        assert_true(v[0] < -1 && v[1] > 0.1);
        contact_expect_events(&run, "contact 'floor' sticks", 1, &halt, 1e-8);
        for (int i = 0; i < 2; i++) {
            contact_expect_close(&run, "the place", last[i], x[i] + v[i] * speed / (2 * 0.1 * G), 1e-8);
            contact_expect_close(&run, "the speed", rest[i], 0, 1e-12);
        }
    }
}

/* ---- stick and slip */

static const double SLIP = 0.4731570623425575, STICK = 0.1962, FIRST = 0.3924;

static double belt_x(double t) {
    double w = 10, v = 0.1, middle = 0.02943, since = t - FIRST;
    if (since <= 0)
        return v * t;
    since -= floor(since / (SLIP + STICK)) * (SLIP + STICK);
    double x = middle + (0.03924 - middle) * cos(w * fmin(since, SLIP)) + v / w * sin(w * fmin(since, SLIP));
    return x + v * fmax(since - SLIP, 0);
}

static void check_belt(const contact_way *way, int *done) {
    static const double at[] = {0.3, 0.5, 0.7, 0.9, 1, 1.2, 1.5, 1.6, 1.9};
    double t[] = {FIRST, FIRST + SLIP, FIRST + SLIP + STICK, FIRST + 2 * SLIP + STICK, FIRST + 2 * SLIP + 2 * STICK};
    if (!GO(way, "stick_slip_belt", NULL, 1.9, at))
        return;
    ++*done;
    contact_expect_events(&run, "contact 'grip", 5, t, 30 * way->allowed); /* the speeds meet at a small angle */
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        contact_expect_close(&run, "x", contact_at(&run, at[k])->probe[0][0], belt_x(at[k]), 3 * way->allowed);
}

static void block__sticks_and_slips_on_a_belt(void **state) {
    (void)state;
    each_way(check_belt, contact_nway - 2);
}

/* ---- balls in a row: they touch, or have gaps; the first arrives with 1 m/s */

#define ROW(e, gap)                                                                                                   \
    "dimension: 2\nparameters: {p: " gap "}\nbodies:\n  - {name: b1, disc: {center: [0, 0], radius: 0.1}, mass: 1}\n" \
    "  - {name: b2, disc: {center: [=0.2+p, 0], radius: 0.1}, mass: 1}\n"                                             \
    "  - {name: b3, disc: {center: [=0.4+2*p, 0], radius: 0.1}, mass: 1}\n"                                           \
    "%s"                                                                                                              \
    "joints:\n  - {name: j1, type: prismatic, bodies: [ground, b1], at: [0, 0], axis: [1, 0]}\n"                      \
    "  - {name: j2, type: prismatic, bodies: [ground, b2], at: [0, 0], axis: [1, 0]}\n"                               \
    "  - {name: j3, type: prismatic, bodies: [ground, b3], at: [0, 0], axis: [1, 0]}\n%s"                             \
    "contacts:\n  - {between: [b1, b2], restitution: " e                                                              \
    ", shapes: [{sphere: {at: [0, 0], radius: 0.1}}, {sphere: {at: [=0.2+p, 0], radius: 0.1}}]}\n"                    \
    "  - {between: [b2, b3], restitution: " e                                                                         \
    ", shapes: [{sphere: {at: [=0.2+p, 0], radius: 0.1}}, {sphere: {at: [=0.4+2*p, 0], radius: 0.1}}]}\n%s"           \
    "initial: {j1.rate: 1}\n"
#define MORE_BODIES                                                         \
    "  - {name: b4, disc: {center: [=0.6+3*p, 0], radius: 0.1}, mass: 1}\n" \
    "  - {name: b5, disc: {center: [=0.8+4*p, 0], radius: 0.1}, mass: 1}\n"
#define MORE_JOINTS                                                                     \
    "  - {name: j4, type: prismatic, bodies: [ground, b4], at: [0, 0], axis: [1, 0]}\n" \
    "  - {name: j5, type: prismatic, bodies: [ground, b5], at: [0, 0], axis: [1, 0]}\n"
#define MORE_CONTACTS(e)                                                                                    \
    "  - {between: [b3, b4], restitution: " e                                                               \
    ", shapes: [{sphere: {at: [=0.4+2*p, 0], radius: 0.1}}, {sphere: {at: [=0.6+3*p, 0], radius: 0.1}}]}\n" \
    "  - {between: [b4, b5], restitution: " e                                                               \
    ", shapes: [{sphere: {at: [=0.6+3*p, 0], radius: 0.1}}, {sphere: {at: [=0.8+4*p, 0], radius: 0.1}}]}\n"

static void expect_rates(const char *format, const char *bodies, const char *joints, const char *contacts, int n, const double *rate) {
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    for (int k = 0; k < 4; k++) {
        char text[4096];
        static const double at[] = {0.5};
        bl_run_options options = {.coordinates = kinds[k], .until = 0.5, .at = at, .nat = 1, .tolerance = 1e-10};
        snprintf(text, sizeof text, format, bodies, joints, contacts);
        contact_run_text(text, NULL, &options, &run);
        contact_expect(&run, 1e-10);
        for (int i = 0; i < n; i++)
            contact_expect_close(&run, "the speed", contact_at(&run, 0.5)->rate[i], rate[i], 1e-10);
    }
}

static void balls__share_an_impact_or_pass_it_on(void **state) {
    (void)state;
    static const double three[] = {-1. / 3, 2. / 3, 2. / 3}, five[] = {-0.6, 0.4, 0.4, 0.4, 0.4}, half[] = {0, 0.5, 0.5},
                        last[] = {0, 0, 0, 0, 1};
    expect_rates(ROW("1", "0"), "", "", "", 3, three);
    expect_rates(ROW("0.5", "0"), "", "", "", 3, half);
    expect_rates(ROW("1", "0"), MORE_BODIES, MORE_JOINTS, MORE_CONTACTS("1"), 5, five);
    expect_rates(ROW("1", "0.01"), MORE_BODIES, MORE_JOINTS, MORE_CONTACTS("1"), 5, last);
}

/* on threads: nearly all of the energy goes to and fro between the first and the last ball */
static void check_cradle(const contact_way *way, int *done) {
    static const double at[] = {0.35, 0.6};
    if (!GO(way, "newtons_cradle", NULL, 0.6, at))
        return;
    ++*done;
    contact_expect_close(&run, "the energy", run.highest, run.start, 100 * way->allowed);
    const contact_sample *s = contact_at(&run, 0.35);
    assert_true(fabs(s->rate[0]) < 0.02 && s->rate[4] > 2);
}

static void cradle__passes_the_impact_on(void **state) {
    (void)state;
    each_way(check_cradle, contact_nway);
}

/* ---- a rod that falls on its end */

typedef struct fall {
    const char *set;
    double vx, vy, rate;
} fall;

static void check_fall(const contact_way *way, int *done) {
    static const fall falls[] = {{"mu=0", 0, -0.8, -5.0911688245},
                                 {"mu=0.2", 0.2727272727272727, -0.6363636363636365, -4.628335295039221},
                                 {"mu=1", 1.125, -0.125, -3.181980515339464}};
    static const double at[] = {0.22};
    const double hit = 2 / G;
    for (int k = 0; k < 3; k++) {
        if (!GO(way, "falling_rod", falls[k].set, 0.22, at))
            return;
        contact_expect_events(&run, "contact 'floor", 1, &hit, way->allowed);
        const bl_pose *p = &contact_at(&run, 0.22)->body[0];
        contact_expect_close(&run, "vx", p->velocity[0], falls[k].vx, 30 * way->allowed);
        contact_expect_close(&run, "vy", p->velocity[1], falls[k].vy - G * (0.22 - hit), 30 * way->allowed);
        contact_expect_close(&run, "the rate", p->angular_velocity[2], falls[k].rate, 30 * way->allowed);
    }
    ++*done;
}

static void rod__slides_or_sticks_in_its_impact(void **state) {
    (void)state;
    each_way(check_fall, contact_nway - 2);
}

/* ---- a double pendulum whose tip meets a floor: Newton's law gains energy, Poisson's does not */

#define PENDULUM(law)                                                                                                           \
    "dimension: 2\nparameters: {mu: 0.5}\n"                                                                                     \
    "points: {O: [0, 0], P: [=sin(20*deg), =-cos(20*deg)], T: [=sin(20*deg)+sin(30*deg), =-cos(20*deg)-cos(30*deg)]}\n"         \
    "bodies: [{name: one, rod: {from: O, to: P}, mass: 1}, {name: two, rod: {from: P, to: T}, mass: 1}]\n"                      \
    "joints: [{name: O, type: revolute, bodies: [ground, one], at: O}, {name: P, type: revolute, bodies: [one, two], at: P}]\n" \
    "contacts: [{name: tip, between: [ground, two], friction: =mu, restitution: 0.7,\n"                                         \
    "  shapes: [{plane: {at: T, normal: [0, 1]}}, {point: {at: T}}]}]\ninitial: {O.rate: -0.1, P.rate: -0.1}\nsimulate: {" law "}\n"

static void pendulum__gains_energy_by_newtons_law_only(void **state) {
    (void)state;
    static const struct {
        const char *text, *set;
        double first, second, kinetic;
        bool warned;
    } cases[] = {{PENDULUM("impact: newton"), "mu=0.5", -0.44303839983043136, 0.49093893408315165, 0.06392531541690076, true},
                 {PENDULUM("impact: poisson"), "mu=0.5", -0.20068105027278688, 0.21775169787033483, 0.013233843494582469, false},
                 {PENDULUM(""), "mu=0.5", -0.20068105027278688, 0.21775169787033483, 0.013233843494582469, false},
                 {PENDULUM("impact: newton"), "mu=0", -0.24790298134259744, 0.35745844648490527, 0.018632305565651885, false},
                 {PENDULUM("impact: poisson"), "mu=0", -0.2479029813425975, 0.35745844648490527, 0.018632305565651895, false}};
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int c = 0; c < 4; c++) {
            static const double at[] = {1e-10};
            contact_run_text(cases[k].text, cases[k].set, &(bl_run_options){.coordinates = kinds[c], .until = 1e-10, .at = at, .nat = 1},
                             &run);
            if (run.status != BL_OK)
                fail_msg("%s: %s", run.label, run.error.what);
            const contact_sample *s = contact_at(&run, 1e-10);
            contact_expect_close(&run, "the first rate", s->rate[0], cases[k].first, 1e-9);
            contact_expect_close(&run, "the second rate", s->rate[0] + s->rate[1], cases[k].second, 1e-9);
            contact_expect_close(&run, "the energy", s->kinetic, cases[k].kinetic, 1e-10);
            assert_int_equal(run.nwarning > 0, cases[k].warned);
            if (cases[k].warned && (!strstr(run.warning, "gains 0.0407 J") || !strstr(run.warning, "tip")))
                fail_msg("%s: warning: %s", run.label, run.warning);
        }
}

/* ---- a four-bar linkage with a stop of its rocker */

static void check_linkage(const contact_way *way, int *done) {
    static const double at[] = {0.2, 1.6}, t[] = {0.04994794983304777, 0.3725470585440767, 0.8740242596634472,
                                                  1.1428127878865117,  1.2955300046444806, 1.3856902819301486};
    if (!GO(way, "four_bar_stop", NULL, 1.6, at))
        return;
    ++*done;
    contact_expect_events(&run, "stop 'stop.upper': impact", 6, t, 30 * way->allowed);
    const contact_sample *s = contact_at(&run, 1.6);
    contact_expect_close(&run, "the last impact", run.event[run.nevent - 1], 1.5200153338, 1e-4 + 100 * way->allowed);
    contact_expect_close(&run, "C.x", s->probe[0][0], 0.3433974397131792, 10 * way->allowed);
    contact_expect_close(&run, "C.y", s->probe[0][1], 0.3680701537908401, 10 * way->allowed);
    contact_expect_close(&run, "the kinetic energy", s->kinetic, 0, 1e-12 + 1e-5 * way->allowed);
    /* moments on the rocker about D: coupler, weight, stop */
    double x = s->probe[0][0] - 0.5, y = s->probe[0][1], *f = run.sample[run.nsample - 1].reaction[2].force;
    contact_expect_close(&run, "the moment of the stop", -(x * f[1] - y * f[0] - x / 2 * 0.8 * G), -3.142841792408127, 1000 * way->allowed);
}

static void linkage__comes_to_rest_on_its_stop(void **state) {
    (void)state;
    each_way(check_linkage, contact_nway);
}

/* ---- a rocking block */

static void check_rocking(const contact_way *way, int *done) {
    static const double at[] = {0.2, 0.7, 1.3, 1.8, 2.2},
                        t[] = {0.37436130267389744, 1.0053658489857353, 1.5504409786968223, 2.0282453216171628};
    if (!GO(way, "rocking_block", NULL, 2.2, at))
        return;
    ++*done;
    contact_expect_events(&run, "contact 'floor", 4, t, 30 * way->allowed);
    double rest = G * 0.8, ratio = 0.9117647058823529 * 0.9117647058823529, left = run.start - rest;
    for (int k = 0; k < 5; k++, left *= ratio) {
        const contact_sample *s = contact_at(&run, at[k]);
        contact_expect_close(&run, "the energy", s->kinetic + s->potential - rest, left, 30 * way->allowed);
    }
}

static void block__rocks_from_corner_to_corner(void **state) {
    (void)state;
    each_way(check_rocking, contact_nway - 2);
}

/* ---- a slider with clearance */

static void check_clearance(const contact_way *way, int *done) {
    static const double at[] = {0.003, 0.006, 0.0085};
    static const struct {
        const char *set;
        double t[6], angle[2], rate[2];
    } cases[] = {{"mu=0",
                  {0.0026925027520212216, 0.005607797868071043, 0.0074656351695603215, 0.008409252749068745, 0.008831642160545976,
                   0.009009132575405587},
                  {0.38809297833860434, 0.6586740851042905},
                  {104.54283442782408, 79.48128975058923}},
                 {"mu=0.01",
                  {0.0026925027520212216, 0.005612363190210753, 0.00747505621239775, 0.008421767934253501, 0.008845705250134107,
                   0.009023880097116422},
                  {0.38807253694248134, 0.6585003549977941},
                  {104.47888802508416, 79.4224451929059}}};
    if (way->allowed > 1e-7)
        return; /* errors of 1e-4 in 1 s are more than the clearance */
    for (int k = 0; k < 2; k++) {
        assert_true(GO(way, "clearance_slider_crank", cases[k].set, 0.00902390 + 1e-7, at));
        contact_expect_events(&run, "contact 'upper", 6, cases[k].t, 1e-9);
        for (int i = 0; i < 2; i++) {
            const contact_sample *s = contact_at(&run, at[i]);
            contact_expect_close(&run, "the angle", s->variable[0], cases[k].angle[i], 1e-8);
            contact_expect_close(&run, "the rate", s->rate[0], cases[k].rate[i], 3e-6);
        }
    }
    ++*done;
}

static void slider__bounces_in_its_clearance(void **state) {
    (void)state;
    each_way(check_clearance, 8);
}

/* ---- forces at rest: what a welded plate carries is the weight of what lies on it, with its moment */

#define ON_A_PLATE(block, contacts)                                                       \
    "dimension: 2\ngravity: [0, -9.81]\nparameters: {c: =cos(20*deg), s: =sin(20*deg)}\n" \
    "bodies:\n  - {name: plate, mass: 2, inertia: 1, center: [0, 0]}\n" block             \
    "joints: [{name: base, type: fixed, bodies: [ground, plate], at: [0, 0]}]\ncontacts:\n" contacts "simulate: {until: 1}\n"
#define LYING "  - {name: block, center: [=0.5*c-0.1*s, =0.5*s+0.1*c], mass: 3, inertia: 0.2}\n"
#define BOX                                                                                                      \
    "  - {name: k, between: [plate, block], friction: 0.4, shapes: [{plane: {at: [0, 0], normal: [=-s, =c]}},\n" \
    "     {box: {at: [=0.5*c-0.1*s, =0.5*s+0.1*c], size: [0.4, 0.2], angle: =20*deg}}]}\n"

static void plate__carries_what_lies_on_it(void **state) {
    (void)state;
    static const double at[] = {0, 0.3, 1};
    for (int k = 0; k < contact_nway - 2; k++) {
        bl_run_options options = contact_way_options(&contact_ways[k], 1, at, 3);
        contact_run_text(ON_A_PLATE(LYING, BOX), NULL, &options, &run);
        contact_expect(&run, 1e-10);
        double arm = 0.5 * cos(acos(-1) / 9) - 0.1 * sin(acos(-1) / 9);
        for (int i = 0; i < 3; i++) {
            const bl_wrench *w = &contact_at(&run, at[i])->reaction[0];
            contact_expect_close(&run, "the force along", w->force[0], 0, 1e-9);
            contact_expect_close(&run, "the force up", w->force[1], 5 * G, 1e-9);
            contact_expect_close(&run, "the moment", w->moment[2], 3 * G * arm, 1e-9);
        }
    }
}

/* ---- a rod that slides where no acceleration is possible is refused, with the coefficient that would be */

static void rod__that_cannot_slide_is_refused(void **state) {
    (void)state;
    static const char text[] =
        "dimension: 2\ngravity: [0, -9.81]\nparameters: {a: =45*deg, mu: 2}\npoints: {A: [0, 0], B: [=cos(a), =sin(a)]}\n"
        "bodies: [{name: rod, rod: {from: A, to: B}, mass: 1}]\n"
        "contacts: [{name: end, between: [ground, rod], friction: =mu,\n"
        "  shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {point: {at: A}}]}]\n"
        "initial: {rod: {velocity: [1, 0]}}\nsimulate: {until: 0.001}\n";
    static const struct { double angle, limit; } cases[] = {{45, 1.6666666666666667}, {63.43494882292201, 4. / 3}, {60, 1.347150628109127}};
    for (int k = 0; k < 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            char set[64], words[32];
            double angle = acos(-1) / 180 * (side < 0 ? 180 - cases[k].angle : cases[k].angle);
            snprintf(set, sizeof set, "a=%.17g mu=2", angle);
            contact_run_text(text, set, &(bl_run_options){.tolerance = 1e-8}, &run);
            if (side > 0) { /* the end trails behind the rod */
                assert_int_equal(run.status, BL_OK);
                continue;
            }
            assert_int_equal(run.status, BL_E_NUMERIC);
            snprintf(words, sizeof words, "more than %.4g:", cases[k].limit);
            if (!strstr(run.error.what, words) || !strstr(run.error.what, "end") || !strstr(run.error.what, "Painleve"))
                fail_msg("%s: %s, expected %s", run.label, run.error.what, words);
            snprintf(set, sizeof set, "a=%.17g mu=%.17g", angle, 0.99 * cases[k].limit);
            contact_run_text(text, set, &(bl_run_options){.tolerance = 1e-8}, &run);
            if (run.status != BL_OK)
                fail_msg("%s: %s", run.label, run.error.what);
        }
}

/* With `painleve: impact` it halts at once instead: impulses P at its end A, at r from its center, leave A at rest in both directions,
 * v + P/m + (r x P)/I across r = 0. */
static void rod__that_cannot_slide_halts_at_once(void **state) {
    (void)state;
    static const double at[] = {1e-6}, angle[] = {135, 120, 116.56505117707799};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        double a = angle[k] * acos(-1) / 180, rx = -cos(a) / 2, ry = -sin(a) / 2, v = 0.8, I = 1. / 12;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -9.81]\nparameters: {a: %.17g}\npoints: {A: [0, 0], B: [=cos(a), =sin(a)]}\n"
                 "bodies: [{name: rod, rod: {from: A, to: B}, mass: 1}]\n"
                 "contacts: [{name: end, between: [ground, rod], friction: 2,\n"
                 "  shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {point: {at: A}}]}]\n"
                 "initial: {rod: {velocity: [%g, 0]}}\nsimulate: {until: 1e-6, painleve: impact}\n",
                 a, v);
        contact_run_text(text, NULL, &(bl_run_options){.tolerance = 1e-10, .at = at, .nat = 1}, &run);
        contact_expect(&run, 1e-9);
        /* D P = (-v, 0), rows along x and y */
        double xx = 1 + ry * ry / I, xy = -rx * ry / I, yy = 1 + rx * rx / I, det = xx * yy - xy * xy, px = -v * yy / det,
               py = v * xy / det;
        const bl_pose *rod = &contact_at(&run, at[0])->body[0];
        contact_expect_close(&run, "the speed", rod->velocity[0], v + px, 1e-4); /* 1e-6 s later */
        contact_expect_close(&run, "the speed", rod->velocity[1], py, 1e-4);
        contact_expect_close(&run, "the angular velocity", rod->angular_velocity[2], (rx * py - ry * px) / I, 1e-4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball__bounces_and_comes_to_rest),         cmocka_unit_test(ball__keeps_or_loses_all),
        cmocka_unit_test(block__stops_and_slides_back_or_stays),   cmocka_unit_test(block__sticks_and_slips_on_a_belt),
        cmocka_unit_test(balls__share_an_impact_or_pass_it_on),    cmocka_unit_test(cradle__passes_the_impact_on),
        cmocka_unit_test(rod__slides_or_sticks_in_its_impact),     cmocka_unit_test(pendulum__gains_energy_by_newtons_law_only),
        cmocka_unit_test(linkage__comes_to_rest_on_its_stop),      cmocka_unit_test(block__rocks_from_corner_to_corner),
        cmocka_unit_test(slider__bounces_in_its_clearance),        cmocka_unit_test(plate__carries_what_lies_on_it),
        cmocka_unit_test(rod__that_cannot_slide_is_refused),       cmocka_unit_test(rod__that_cannot_slide_halts_at_once),
        cmocka_unit_test(block__halts_after_its_direction_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
