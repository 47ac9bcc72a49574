/* Every number of the cases C1 to C12 of contacts and of rolling (spec of the studies, 4.4), to its last printed digit. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, G = 9.81;
static contact_run run;

/* found is the number when rounded to its digits, up to `slack` of half a unit of the last one */
static void digits_within(const char *what, double found, const char *printed, double slack) {
    const char *point = strchr(printed, '.'), *exponent = strchr(printed, 'e');
    size_t end = exponent ? (size_t)(exponent - printed) : strlen(printed);
    double wanted = strtod(printed, NULL), unit = pow(10, point ? -(double)(end - (size_t)(point - printed) - 1) : 0);
    if (!(fabs(found - wanted) <= 0.5 * (1 + slack) * unit))
        fail_msg("%s: %s is %.14g, should be %s", run.label, what, found, printed);
}

static void digits(const char *what, double found, const char *printed) { digits_within(what, found, printed, 0.02); }

static void go(const char *scene, const char *set, double tolerance, const double *at, bl_index nat) {
    contact_run_scene(scene, set, &(bl_run_options){.tolerance = tolerance, .until = at[nat - 1], .at = at, .nat = nat}, &run);
    if (run.status != BL_OK)
        fail_msg("%s: %s", run.label, run.error.what);
}
#define GO(scene, set, tolerance, at) go(scene, set, tolerance, at, (bl_index)(sizeof(at) / sizeof *(at)))

/* the time of event number k of those whose text begins with `kind` */
static double event(const char *kind, int k) {
    for (int i = 0; i < run.nevent; i++)
        if (strncmp(run.what[i], kind, strlen(kind)) == 0 && k-- == 0)
            return run.event[i];
    fail_msg("%s: no such event: %s", run.label, kind);
    return NAN;
}

/* to which impacts accumulate, as the last event says that does */
static double rest_time(void) {
    static const char words[] = "comes to rest at t = ";
    for (int i = run.nevent - 1; i >= 0; i--) {
        const char *at = strstr(run.what[i], words);
        if (at)
            return strtod(at + sizeof words - 1, NULL);
    }
    fail_msg("%s: nothing comes to rest", run.label);
    return NAN;
}

static const bl_strike *strike_at(double t) {
    for (int i = 0; i < run.nstrike; i++)
        if (fabs(run.struck[i] - t) < 1e-6)
            return &run.strike[i];
    fail_msg("%s: no impact at %g", run.label, t);
    return NULL;
}

static double tilt_of(const bl_pose *p) { return 2 * atan2(p->quaternion[3], p->quaternion[0]); }

static void c1_ball(void **state) {
    (void)state;
    static const char *const impacts[] = {"0.4515236410", "1.1739614666", "1.7519117270"};
    static const double at[] = {1, 2, 3, 5};
    static const char *const height[] = {"0.4680044525", "0.2607417283", "0.0687074610"};
    GO("bouncing_ball", NULL, 1e-12, at);
    for (int k = 0; k < 3; k++)
        digits("an impact", event("contact 'floor': impact", k), impacts[k]);
    digits("the tenth impact", event("contact 'floor': impact", 9), "3.5788929510");
    for (int k = 0; k < 3; k++)
        digits("the height", contact_at(&run, at[k])->probe[0][1] - 0.1, height[k]);
    GO("bouncing_ball", NULL, 1e-10, at);                         /* flights of 1e-7 s, at 4 s, are rounded to 1e-8 of their length */
    digits_within("the rest", rest_time(), "4.0637127689", 1.02); /* known from a text of as many digits, so rounded twice */
}

static void c2_block(void **state) {
    (void)state;
    static const double at[] = {0.32675824996696956, 2};
    GO("sliding_block", "mu=0.3", 1e-12, at);
    digits("the stop", event("contact 'slope", 0), "0.3267582500");
    digits("the place of the stop", contact_at(&run, at[0])->probe[0][0], "0.3267582500");
    digits("the way back", -contact_at(&run, 2)->probe_rate[0][0] / (2 - at[0]), "0.5897022231");
    digits("x at 2 s", contact_at(&run, 2)->probe[0][0], "-0.4987475978");
    GO("sliding_block", "mu=0.4", 1e-12, at);
    digits("the stop", event("contact 'slope", 0), "0.2839871791");
    digits("x at 2 s", contact_at(&run, 2)->probe[0][0], "0.2839871791");
    double friction = 0;
    for (int k = 0; k < 4; k++)
        friction += fabs(contact_at(&run, 2)->contact[k].force[1]);
    digits("the friction", friction, "3.3552176060");
}

static void c3_belt(void **state) {
    (void)state;
    const double least = 0.3924 + (atan2(0.01, 0.00981) + PI) / 10, at[] = {0.3924, least, 1.2};
    GO("stick_slip_belt", NULL, 1e-12, at);
    double slips = event("contact 'grip", 0);
    digits("the first slip", slips, "0.3924");
    int k = 0;
    while (run.event[k] < slips + 0.4) /* both corners */
        k++;
    double sticks = run.event[k];
    digits("the slip", sticks - slips, "0.4731570623");
    while (run.event[k] < sticks + 0.1)
        k++;
    digits("the stick", run.event[k] - sticks, "0.1962");
    digits("the smallest x", contact_at(&run, least)->probe[0][0], "0.0154215704");
}

static void c5_rod(void **state) {
    (void)state;
    static const struct {
        const char *set, *u[3], *impulse, *kinetic;
    } cases[] = {{"mu=0", {"0", "-0.8", "-5.0911688245"}, "1.2", "1.4"},
                 {"mu=0.2", {"0.2727272727", "-0.6363636364", "-4.6283352950"}, "1.3636363636", "1.1322314050"},
                 {"mu=1", {"1.125", "-0.125", "-3.1819805153"}, "1.875", "1.0625"}};
    const double hit = 2 / G, at[] = {hit + 0.01};
    for (int k = 0; k < 3; k++)
        for (int newton = 0; newton < 2; newton++) { /* the same here */
            char text[200];
            snprintf(text, sizeof text, "include: " SCENES "/falling_rod.yaml\nsimulate: {impact: %s}\n", newton ? "newton" : "poisson");
            contact_run_text(text, cases[k].set, &(bl_run_options){.tolerance = 1e-12, .until = at[0], .at = at, .nat = 1}, &run);
            contact_expect(&run, 1e-9);
            const bl_pose *p = &contact_at(&run, at[0])->body[0];
            digits("vx", p->velocity[0], cases[k].u[0]);
            digits("vy", p->velocity[1] + 0.01 * G, cases[k].u[1]);
            digits("the rate", p->angular_velocity[2], cases[k].u[2]);
            digits("the impulse", strike_at(hit)->impulse[0], cases[k].impulse);
            digits("the kinetic energy before", strike_at(hit)->kinetic[0], "2");
            digits("the kinetic energy", strike_at(hit)->kinetic[1], cases[k].kinetic);
        }
}

static void c5b_pendulum(void **state) {
    (void)state;
    static const struct {
        const char *law, *set, *first, *second, *kinetic, *impulse;
    } cases[] = {{"newton", "mu=0.5", "-0.4430383998", "0.4909389341", "0.0639253154", "0.9165848138"},
                 {"poisson", "mu=0.5", "-0.2006810503", "0.2177516979", "0.0132338435", "0.1288789630"},
                 {"newton", "mu=0", "-0.2479029813", "0.3574584465", "0.0186323056", "0.2259829616"},
                 {"poisson", "mu=0", "-0.2479029813", "0.3574584465", "0.0186323056", "0.2259829616"}};
    for (int k = 0; k < 4; k++) {
        char text[1500];
        static const double at[] = {1e-12};
        snprintf(text, sizeof text,
                 "dimension: 2\nparameters: {mu: 0.5}\npoints: {O: [0, 0], P: [=sin(20*deg), =-cos(20*deg)], "
                 "T: [=sin(20*deg)+sin(30*deg), =-cos(20*deg)-cos(30*deg)]}\n"
                 "bodies: [{name: one, rod: {from: O, to: P}, mass: 1}, {name: two, rod: {from: P, to: T}, mass: 1}]\n"
                 "joints: [{name: O, type: revolute, bodies: [ground, one], at: O}, {name: P, type: revolute, bodies: [one, two], at: P}]\n"
                 "contacts: [{name: tip, between: [ground, two], friction: =mu, restitution: 0.7,\n"
                 "  shapes: [{plane: {at: T, normal: [0, 1]}}, {point: {at: T}}]}]\n"
                 "initial: {O.rate: -0.1, P.rate: -0.1}\nsimulate: {impact: %s}\n",
                 cases[k].law);
        contact_run_text(text, cases[k].set, &(bl_run_options){.tolerance = 1e-12, .until = at[0], .at = at, .nat = 1}, &run);
        if (run.status != BL_OK)
            fail_msg("%s: %s", run.label, run.error.what);
        const contact_sample *s = contact_at(&run, at[0]);
        digits("the first rate", s->rate[0], cases[k].first);
        digits("the second rate", s->rate[0] + s->rate[1], cases[k].second);
        digits("the kinetic energy before", strike_at(0)->kinetic[0], "0.0231814109");
        digits("the kinetic energy", strike_at(0)->kinetic[1], cases[k].kinetic);
        digits("the impulse", strike_at(0)->impulse[0], cases[k].impulse);
    }
}

/* rates before an impact: from two samples shortly before it */
static void c6b_linkage(void **state) {
    (void)state;
    static const char *const impacts[] = {"0.0499479498", "0.3725470585", "0.8740242597", "1.1428127879", "1.2955300046", "1.3856902819"};
    static const char *const rates[] = {"12.648533205", "-9.1605736158", "-5.4963441695"};
    const double t[] = {0.04994794983304777, 0.3725470585440767, 0.8740242596634472}, before = 1e-7;
    const double at[] = {t[0] - 2 * before, t[0] - before, t[1] - 2 * before, t[1] - before, t[2] - 2 * before, t[2] - before, 1.7};
    GO("four_bar_stop", NULL, 1e-12, at);
    for (int k = 0; k < 6; k++)
        digits("an impact", event("stop 'stop.upper': impact", k), impacts[k]);
    for (int k = 0; k < 3; k++)
        digits("the rate of the crank", 2 * contact_at(&run, at[2 * k + 1])->rate[0] - contact_at(&run, at[2 * k])->rate[0], rates[k]);
    digits("the accumulation", rest_time(), "1.5200153338");
    const contact_sample *s = contact_at(&run, 1.7);
    digits("the crank at rest", s->variable[0] + PI / 2, "-0.5335012820"); /* from the x axis */
    digits("C.x", s->probe[0][0], "0.3433974397");
    digits("C.y", s->probe[0][1], "0.3680701538");
    digits("the moment of the stop", -s->contact[0].force[0], "-3.1428417924");
}

static void c7_block(void **state) {
    (void)state;
    static const char *const impacts[] = {"0.3743613027", "1.0053658490", "1.5504409787", "2.0282453216"};
    static const char *const amplitude[] = {"0.0789093255", "0.0632147998", "0.0511227729"};
    const double t[] = {0.37436130267389744, 1.0053658489857353, 1.5504409786968223, 2.0282453216171628};
    const double at[] = {(t[0] + t[1]) / 2, (t[1] + t[2]) / 2, (t[2] + t[3]) / 2, 2.1};
    GO("rocking_block", NULL, 1e-13, at);
    for (int k = 0; k < 4; k++) {
        const bl_strike *s = strike_at(t[k]);
        int i = 0;
        while (i < run.nstrike && &run.strike[i] != s)
            i++;
        digits("an impact", run.struck[i], impacts[k]);
        digits("the ratio of rates", sqrt(s->kinetic[1] / s->kinetic[0]), "0.9117647059");
    }
    for (int k = 0; k < 3; k++)
        digits("the amplitude", fabs(0.1 + tilt_of(&contact_at(&run, at[k])->body[0])), amplitude[k]);
}

static void c9_woodpecker(void **state) {
    (void)state;
    static const double at[] = {0.15};
    GO("woodpecker", NULL, 1e-12, at);
    int sticks = 0;
    while (strcmp(run.what[sticks], "contact 'lower' sticks") != 0)
        sticks++;
    digits("the sticking", run.event[sticks], "0.021636314");
    digits("the slipping", run.event[sticks + 1], "0.061213931");
    digits("the lifting", event("contact 'lower' opens", 0), "0.067023398");
    digits("an impact", event("contact 'upper': impact", 0), "0.077877992");
    digits("an impact", event("contact 'beak': impact", 0), "0.080988805");
    digits("an impact", event("contact 'upper': impact", 1), "0.081575329");
    digits("an impact", event("contact 'lower': impact", 0), "0.118675113");
    digits("an impact", event("contact 'lower': impact", 1), "0.121335471");
    const double *q = contact_at(&run, 0.15)->variable;
    digits("y", q[0], "-0.0206857961");
    digits("the sleeve", q[1], "-0.1034482759");
    digits("the bird", q[2], "-0.3103296661");
}

static void c10_clearance(void **state) {
    (void)state;
    static const char *const impacts[2][6] = {
        {"0.00269250275", "0.00560779787", "0.00746563517", "0.00840925275", "0.00883164216", "0.00900913258"},
        {"0.00269250275", "0.00561236319", "0.00747505621", "0.00842176793"}};
    const double hit = 0.0026925027520212216, after = 1e-9, at[] = {hit + after, hit + 2 * after, 0.00914};
    for (int k = 0; k < 2; k++) {
        GO("clearance_slider_crank", k ? "mu=0.01" : "mu=0", 1e-13, at);
        double last = 0;
        int n = 0;
        for (int i = 0; i < run.nevent && impacts[k][n] && n < 6; i++)
            if (strstr(run.what[i], ": impact") && run.event[i] > last + 1e-7) /* both corners */
                digits("an impact", last = run.event[i], impacts[k][n++]);
        if (k == 1)
            continue;
        digits("the rate of the crank", 2 * contact_at(&run, at[0])->rate[0] - contact_at(&run, at[1])->rate[0], "108.793728561");
        digits_within("the accumulation", rest_time(), "0.00913039", 2); /* that of the spec is its last impact */
    }
}

static void c11a_sleigh(void **state) {
    (void)state;
    static const double at[] = {1, 5};
    GO("sleigh", NULL, 1e-13, at);
    const contact_sample *s = contact_at(&run, 1), *end = contact_at(&run, 5);
    digits("v", hypot(s->probe_rate[0][0], s->probe_rate[0][1]), "1.2412257250");
    digits("the rate", s->body[0].angular_velocity[2], "0.3718553819");
    digits("the angle", tilt_of(&s->body[0]), "0.9930417024");
    digits("x", s->probe[0][0], "0.9044742948");
    digits("y", s->probe[0][1], "0.6833910458");
    digits("x", end->probe[0][0], "2.8382481805");
    digits("y", end->probe[0][1], "5.2816539593");
}

static void c11b_turntable(void **state) {
    (void)state;
    static const double at[] = {0.5, 1.7, 3, 4};
    GO("turntable_ball", NULL, 1e-13, at);
    digits("x", contact_at(&run, 3)->probe[0][0], "-0.0743905782");
    digits("y", contact_at(&run, 3)->probe[0][1], "0.3148659397");
    for (int k = 0; k < 4; k++) {
        const contact_sample *s = contact_at(&run, at[k]);
        double x = s->probe[0][0] - 0.4166666667, y = s->probe[0][1];
        digits_within("the radius", hypot(x, y), "0.5833333333", 1);
        digits("the rate", (x * s->probe_rate[0][1] - y * s->probe_rate[0][0]) / (x * x + y * y), "0.857142857"); /* 2/7 of 3 */
    }
}

static void c11c_disc(void **state) {
    (void)state;
    static const double at[] = {0, 0.5, 1, 2};
    static const char *const center[4][3] = {{"0", "-0.0993346654", "0.4900332889"},
                                             {"1.5112160084", "-0.3376679234", "0.4755955633"},
                                             {"2.8691992648", "-1.0360194746", "0.4677962929"},
                                             {"4.6164224022", "-3.5016668276", "0.4836478198"}};
    GO("rolling_disc", NULL, 1e-13, at);
    digits("the rate", contact_at(&run, 0)->body[0].angular_velocity[1], "5.8803994670");
    digits("the rate", contact_at(&run, 0)->body[0].angular_velocity[2], "1.6920159848");
    for (int k = 0; k < 4; k++) {
        const contact_sample *s = contact_at(&run, at[k]);
        for (int i = 0; i < 3; i++)
            digits("the center", s->probe[0][i], center[k][i]);
        digits("the energy", s->kinetic + s->potential, "23.580167678");
    }
}

/* the two ways of the reference agree to 1e-8 */
static void c11d_rattleback(void **state) {
    (void)state;
    static const double at[] = {3, 5};
    static const char *const rate[2][2] = {{"-1.97654783", "-1.50541920"}, {"2.00008825", "2.00008435"}};
    for (int k = 0; k < 2; k++) {
        GO("rattleback", k ? "spin=2" : "spin=-2", 1e-12, at);
        for (int i = 0; i < 2; i++) {
            const bl_pose *p = &contact_at(&run, at[i])->body[0];
            const double *q = p->quaternion, *w = p->angular_velocity;
            /* the third row of the rotation, transposed: the body's axis in space */
            double axis[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2])};
            digits_within("the third body rate", axis[0] * w[0] + axis[1] * w[1] + axis[2] * w[2], rate[k][i], 1);
        }
    }
}

static void c12_rebound(void **state) {
    (void)state;
    static const double at[] = {0.4};
    static const struct {
        double chi, v0;
        const char *e;
    } cases[] = {{0.3, 1, "0.8328697923"}, {0.3, 2, "0.7119501796"}, {0.2, 0.5, "0.9374755799"}};
    for (int k = 0; k < 3; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies: [{name: ball, disc: {center: [0, 0.15], radius: 0.1}, mass: 1}]\n"
                 "contacts: [{name: floor, between: [ground, ball], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, "
                 "{disc: {at: [0, 0.15], radius: 0.1}}], law: hunt_crossley, stiffness: 1e5, exponent: 1.5, damping: %g}]\n"
                 "initial: {ball: {velocity: [0, %g]}}\n",
                 cases[k].chi, -cases[k].v0);
        contact_run_text(text, NULL, &(bl_run_options){.tolerance = 1e-13, .until = 0.4, .at = at, .nat = 1}, &run);
        contact_expect(&run, 1e-9);
        digits("the rebound", contact_at(&run, 0.4)->body[0].velocity[1] / cases[k].v0, cases[k].e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c1_ball),         cmocka_unit_test(c2_block),    cmocka_unit_test(c3_belt),        cmocka_unit_test(c5_rod),
        cmocka_unit_test(c5b_pendulum),    cmocka_unit_test(c6b_linkage), cmocka_unit_test(c7_block),       cmocka_unit_test(c9_woodpecker),
        cmocka_unit_test(c10_clearance),   cmocka_unit_test(c11a_sleigh), cmocka_unit_test(c11b_turntable), cmocka_unit_test(c11c_disc),
        cmocka_unit_test(c11d_rattleback), cmocka_unit_test(c12_rebound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
