/* Drivers that follow inputs and states: against the same motion as a law of time, closed solutions and momentum balances, in all
 * coordinates, with formulations and integrators of every class. */
#include "biela/equilibrium.h"
#include "biela/inverse.h"
#include "biela/kinematics.h"
#include "biela/stepper.h"
#include "support/signals.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
enum { NCOORDINATES = 4 };

/* a slider-crank with a pendulum on its slider */
#define CRANK                                                                         \
    "model: crank\ndimension: 2\ngravity: [0, -9.81]\n"                               \
    "points: {A: [0, 0], B: [0.12, 0.16], C: [0.7, 0], E: [0.7, -0.3]}\n"             \
    "bodies:\n"                                                                       \
    "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"                             \
    "  - {name: rod, rod: {from: B, to: C}, mass: 0.8}\n"                             \
    "  - {name: slider, mass: 0.5, center: C, inertia: 0.01}\n"                       \
    "  - {name: bob, rod: {from: C, to: E}, mass: 0.3}\n"                             \
    "joints:\n"                                                                       \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"                 \
    "  - {name: B, type: revolute, bodies: [crank, rod], at: B}\n"                    \
    "  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"                   \
    "  - {name: D, type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\n" \
    "  - {name: P, type: revolute, bodies: [slider, bob], at: C}\n"                   \
    "simulate: {until: 2}\n"
#define P "(0.3 + 2*t - 0.5*t^2 + 0.1*t^3)"

static double p_of(double t) { return 0.3 + t * (2 + t * (-0.5 + 0.1 * t)); }
static double rate_of(double t) { return 2 + t * (-1 + 0.3 * t); }

typedef struct method {
    const char *formulation, *integrator;
    double tolerance, step;
    double error; /* of angles, expected of it */
    bool states;  /* takes drivers that follow states */
} method;
static const method methods[] = {
    {NULL, NULL, 1e-11, 0, 1e-9, true},
    {"lagrange", "dop853", 1e-11, 0, 1e-9, true},
    {"partition", "dopri45", 1e-11, 0, 1e-9, true},
    {"null_space", "dop853", 1e-11, 0, 1e-9, true},
    {"matrix_r", "dop853", 1e-11, 0, 1e-9, true},
    {"range_space", "dopri45", 1e-11, 0, 1e-9, true},
    {"projection", "dop853", 1e-11, 0, 1e-9, true},
    {"correction", "dopri45", 1e-11, 0, 1e-9, true},
    {"baumgarte", "dop853", 1e-11, 0, 1e-7, true},
    {"auglag", "dop853", 1e-10, 0, 1e-5, true},
    {"penalty", "dop853", 1e-9, 0, 1e-4, true},
    {"partition", "abm", 1e-11, 0, 1e-8, true},
    {"lagrange", "radau", 1e-11, 0, 1e-9, true},
    {"partition", "ndf_auto", 1e-10, 0, 1e-6, true},
    {"lagrange", "rk4", 0, 1e-3, 1e-8, true},
    {"partition", "rosenbrock23", 1e-7, 0, 1e-3, true},
    {"partition", "series", 1e-11, 0, 1e-9, false},
    {"lagrange", "series", 1e-11, 0, 1e-9, false},
    {"index2", "series", 1e-11, 0, 1e-9, false},
    {"index3", "ndf_auto", 1e-9, 0, 1e-5, false},
    {"ggl", "ndf_auto", 1e-9, 0, 1e-5, false},
    {"index3", "genalpha", 0, 1e-3, 1e-3, false},
    {"ali3p", "trapezoidal", 0, 1e-3, 1e-3, false},
};
enum { NMETHOD = sizeof methods / sizeof *methods };

static bool is_series(const method *m) { return m->integrator && strcmp(m->integrator, "series") == 0; }

typedef struct bench {
    bl_context *ctx;
    bl_model *model;
    bl_stepper *s;
    char label[160];
} bench;

static void expect(const bench *b, bl_status status) {
    if (status != BL_OK)
        fail_msg("%s: %s (%s)", b->label, bl_context_error(b->ctx)->what, bl_context_error(b->ctx)->advice);
}

static bl_status begin(bench *b, const char *text, const char *kind, const method *m) {
    *b = (bench){.ctx = test_context(NULL)};
    snprintf(b->label, sizeof b->label, "%.13s, %s, %s, %s", text, kind ? kind : "-", m && m->formulation ? m->formulation : "-",
             m && m->integrator ? m->integrator : "-");
    bl_run_options o = {.coordinates = kind, .tolerance = 1e-11};
    if (m)
        o = (bl_run_options){
            .coordinates = kind, .formulation = m->formulation, .integrator = m->integrator, .tolerance = m->tolerance, .step = m->step};
    expect(b, bl_model_read_text(b->ctx, "drive", text, strlen(text), NULL, 0, &b->model));
    return bl_stepper_create(b->ctx, b->model, &o, &b->s);
}

static void end(bench *b) {
    bl_stepper_destroy(b->s);
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
}

static double value_of(const bench *b, const char *name) {
    bl_index which;
    double value;
    expect(b, bl_stepper_output(b->s, name, &which));
    expect(b, bl_stepper_read(b->s, 1, &which, &value));
    return value;
}

static void near(const bench *b, const char *name, double want, double tolerance) {
    double got = value_of(b, name);
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s: %s at t = %g is %.12g, expected %.12g, off by %.2g > %.2g", b->label, name, bl_stepper_time(b->s), got, want,
                 got - want, tolerance);
}

static void reach(const bench *b, double t) { expect(b, bl_stepper_reach(b->s, t)); }

/* ---- inputs */

/* the cubic p by random pieces: each is led from any time to any later one, which are points of the same cubic */
static void inputs__led_by_cubics_give_the_motion_of_the_law_of_time(void **unused) {
    (void)unused;
    static const char *const names[] = {"A.angle", "A.rate", "P.angle", "P.rate", "D.rate"};
    uint64_t seed = test_seed(11);
    for (int c = 0; c < NCOORDINATES; c++)
        for (int k = 0; k < NMETHOD; k++) {
            const method *m = &methods[k];
            test_random r = {seed + (uint64_t)(100 * c + k)};
            bench by_input, by_time;
            if (is_series(m) && c > 1)
                continue;
            expect(&by_input, begin(&by_input,
                                    CRANK "inputs: {u: {value: 0.3, rate: 2}}\n"
                                          "drivers: [{name: motor, variable: A.angle, value: '=u + 0.05*u^2'}]\n",
                                    coordinates[c], m));
            expect(&by_time, begin(&by_time, CRANK "drivers: [{name: motor, variable: A.angle, value: '=" P " + 0.05*" P "^2'}]\n",
                                   coordinates[c], m));
            bl_index u = bl_stepper_input(by_input.s, "u");
            for (double t = 0; t < 1.4;) {
                double to = t + 0.1 + 0.6 * test_random_unit(&r), next = t + (to - t) * (0.3 + 0.7 * test_random_unit(&r));
                expect(&by_input, bl_stepper_lead_input(by_input.s, u, p_of(to), rate_of(to), to));
                t = fmin(next, 1.5);
                reach(&by_input, t);
                reach(&by_time, t);
                for (int i = 0; i < 5; i++)
                    near(&by_input, names[i], value_of(&by_time, names[i]), (i % 2 ? 10 : 1) * m->error);
                near(&by_input, "u", p_of(t), 1e-12);
                if (m->error <= 1e-6)
                    near(&by_input, "motor.force", value_of(&by_time, "motor.force"), 100 * m->error);
                if (m->error <= 1e-8)
                    near(&by_input, "energy.error", 0, 1e-7);
            }
            end(&by_input);
            end(&by_time);
        }
}

/* the motion before a step of the method ends does not depend on what is asked for; snapshots hold the cubic */
static void cubics__survive_snapshots(void **unused) {
    (void)unused;
    bench b;
    size_t n = 0;
    static unsigned char bytes[1 << 16];
    expect(&b, begin(&b, CRANK "inputs: {u: 0}\ndrivers: [{variable: A.angle, value: =u}]\n", NULL, NULL));
    expect(&b, bl_stepper_lead_input(b.s, 0, 1.2, -0.4, 1));
    reach(&b, 0.4);
    expect(&b, bl_stepper_save(b.s, NULL, &n));
    assert_true(n <= sizeof bytes);
    expect(&b, bl_stepper_save(b.s, bytes, &n));
    reach(&b, 1.3);
    double first = value_of(&b, "P.angle");
    expect(&b, bl_stepper_restore(b.s, bytes, n));
    reach(&b, 1.3);
    assert_true(value_of(&b, "P.angle") == first);
    near(&b, "A.angle", 1.2 - 0.4 * 0.3, 1e-12);
    near(&b, "A.rate", -0.4, 1e-11);
    end(&b);
}

/* an input that only a force reads: x'' = u with u = 3 s^2 - 2 s^3, then 1 */
static void inputs__of_forces_are_led_too(void **unused) {
    (void)unused;
    static const char text[] = "model: mass\ndimension: 2\ninputs: {u: 0}\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n"
                               "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n"
                               "forces: [{type: force, body: c, at: [0, 0], force: [=u, 0]}]\nsimulate: {until: 5}\n";
    static const method some[] = {{NULL, NULL, 1e-11, 0, 1e-10, true},
                                  {NULL, "series", 1e-11, 0, 1e-10, true},
                                  {NULL, "dop853", 1e-11, 0, 1e-10, true},
                                  {NULL, "ndf_auto", 1e-10, 0, 1e-6, true}};
    for (int c = 0; c < NCOORDINATES; c++)
        for (int k = 0; k < 4; k++) {
            bench b;
            if (k == 1 && c > 1)
                continue;
            expect(&b, begin(&b, text, coordinates[c], &some[k]));
            expect(&b, bl_stepper_lead_input(b.s, 0, 1, 0, 1));
            reach(&b, 0.5);
            near(&b, "j.rate", 0.125 - 0.5 * 0.0625, some[k].error);
            reach(&b, 2);
            near(&b, "j.rate", 0.5 + 1, 10 * some[k].error);
            near(&b, "j.distance", 0.25 - 0.1 + 0.5 + 0.5, 10 * some[k].error);
            end(&b);
        }
}

/* a mechanism whose driven positions are changed from outside keeps what its driver follows */
static void states_set_from_outside__keep_the_driver(void **unused) {
    (void)unused;
    bench b;
    expect(&b, begin(&b, CRANK "parameters: {k: 1}\ninputs: {u: 0}\ndrivers: [{variable: A.angle, value: =k*u}]\n", NULL, NULL));
    expect(&b, bl_stepper_lead_input(b.s, 0, 1.2, 0.3, 1));
    reach(&b, 1.5);
    double angle = value_of(&b, "A.angle");
    expect(&b, bl_stepper_jump(b.s, &(bl_override){"P.angle", 0.4}, 1));
    near(&b, "P.angle", 0.4, 1e-9);
    near(&b, "A.angle", angle, 1e-12);
    near(&b, "A.rate", 0.3, 1e-12);
    expect(&b, bl_stepper_set_parameters(b.s, &(bl_override){"k", 1.01}, 1));
    near(&b, "A.angle", 1.01 * angle, 1e-12);
    near(&b, "A.rate", 1.01 * 0.3, 1e-11);
    reach(&b, 1.6);
    near(&b, "energy.error", 0, 1e-8);
    end(&b);
}

/* ---- states */

/* a mass follows a filter of second order of an input that jumps at 0.25 s: force = m x'' */
static void filters__are_followed(void **unused) {
    (void)unused;
    static const char text[] = "model: mass\ndimension: 2\ninputs: {u: 0.2}\nbodies: [{name: c, mass: 2, center: [0, 0], inertia: 1}]\n"
                               "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n"
                               "controllers: [{name: soft, type: filter, of: u, frequency: 6, damping: 0.4}]\n"
                               "drivers: [{name: motor, variable: j.distance, value: '=soft^2'}]\nsimulate: {until: 5}\n";
    const double w = 6, d = 0.4, wd = w * sqrt(1 - d * d);
    for (int c = 0; c < NCOORDINATES; c++)
        for (int k = 0; k < NMETHOD; k++) {
            const method *m = &methods[k];
            bench b;
            if (!m->states)
                continue;
            expect(&b, begin(&b, text, coordinates[c], m));
            reach(&b, 0.25);
            near(&b, "j.distance", 0.04, 1e-10 + m->error);
            expect(&b, bl_stepper_set_input(b.s, 0, 1, 0));
            for (double t = 0.3; t < 1.2; t += 0.17) {
                double s = t - 0.25, fade = exp(-d * w * s), x = 1 - 0.8 * fade * (cos(wd * s) + d * w / wd * sin(wd * s)),
                       v = 0.8 * fade * w * w / wd * sin(wd * s), a = w * w * (1 - x) - 2 * d * w * v;
                reach(&b, t);
                near(&b, "j.distance", x * x, 3 * m->error);
                near(&b, "j.rate", 2 * x * v, 30 * m->error);
                if (m->error <= 1e-6)
                    near(&b, "motor.force", 2 * (2 * v * v + 2 * x * a), 1e3 * m->error);
                if (m->error <= 1e-8)
                    near(&b, "energy.error", 0, 1e-8);
            }
            end(&b);
        }
}

/* a sampled controller jumps; a filter of second order of it can be followed */
static void filters__of_sampled_controllers_are_followed(void **unused) {
    (void)unused;
    double want = 0;
    for (int c = 0; c < NCOORDINATES; c++) {
        bench b;
        expect(&b, begin(&b,
                         CRANK "controllers:\n"
                               "  - {name: hold, type: pd, of: P.angle, target: 0.4, kp: 1, kd: 0.1, every: 0.05, start: 0.1}\n"
                               "  - {name: soft, type: filter, of: hold, frequency: 8}\n"
                               "drivers: [{name: motor, variable: A.angle, value: =soft}]\n",
                         coordinates[c], NULL));
        near(&b, "A.angle", 0.1, 1e-12);
        reach(&b, 1.02);
        near(&b, "A.angle", value_of(&b, "soft"), 1e-10);
        near(&b, "A.rate", value_of(&b, "soft.rate"), 1e-9);
        near(&b, "energy.error", 0, 1e-8);
        want = c == 0 ? value_of(&b, "P.angle") : want;
        near(&b, "P.angle", want, 1e-8);
        end(&b);
    }
}

/* the crank follows a state that the pendulum drives: all methods agree, and the balance of energy closes */
#define FOLLOW "states:\n  - {name: z, start: 0.1, rate: '=0.5 + w + 0.8*sin(P.angle)'}\n  - {name: w, start: 0, rate: '=0.6*P.rate - w'}\n"
static void states__that_depend_on_the_motion_are_followed(void **unused) {
    (void)unused;
    double want[3] = {0};
    for (int c = 0; c < NCOORDINATES; c++)
        for (int k = 0; k < NMETHOD; k++) {
            const method *m = &methods[k];
            bench b;
            if (!m->states)
                continue;
            expect(&b, begin(&b, CRANK FOLLOW "drivers: [{name: motor, variable: A.angle, value: '=2*z + 0.1*sin(3*t)'}]\n", coordinates[c],
                             m));
            near(&b, "A.angle", 0.2, 1e-12);
            near(&b, "A.rate", 2 * (0.5 + 0.8 * sin(value_of(&b, "P.angle"))) + 0.3, 1e-9);
            reach(&b, 1.5);
            if (c == 0 && k == 0) {
                want[0] = value_of(&b, "z");
                want[1] = value_of(&b, "P.angle");
                want[2] = value_of(&b, "motor.force");
            }
            near(&b, "z", want[0], 10 * m->error);
            near(&b, "P.angle", want[1], 30 * m->error);
            near(&b, "A.angle", 2 * value_of(&b, "z") + 0.1 * sin(4.5), 1e-9 + m->error);
            if (m->error <= 1e-8) {
                near(&b, "motor.force", want[2], 1e3 * m->error);
                near(&b, "energy.error", 0, 1e-7);
            }
            end(&b);
        }
}

static void other_formulations__refuse_states(void **unused) {
    (void)unused;
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < NMETHOD; k++) {
            const method *m = &methods[k];
            bench b;
            if (m->states)
                continue;
            bl_status status = begin(&b, CRANK FOLLOW "drivers: [{name: motor, variable: A.angle, value: =z}]\n", coordinates[c], m);
            if (status != BL_E_ABILITY)
                fail_msg("%s: status %d", b.label, (int)status);
            const char *what = bl_context_error(b.ctx)->what;
            if (!strstr(what, "driver") || !strstr(what, "state"))
                fail_msg("%s: %s", b.label, what);
            end(&b);
        }
}

/* ---- percussions */

/* Two masses, the second one driven against the first: m1 v1 + m2 (v1 + r) stays, so v1 falls by m2 / (m1 + m2) of the jump of r. */
static void percussions__conserve_momentum(void **unused) {
    (void)unused;
    static const char text[] =
        "model: masses\ndimension: 2\ninputs: {u: {value: 0, rate: 0.5}}\n"
        "bodies: [{name: one, mass: 3, center: [0, 0], inertia: 1}, {name: two, mass: 2, center: [1, 0], inertia: 1}]\n"
        "joints: [{name: g, type: prismatic, bodies: [ground, one], at: [0, 0], axis: [1, 0]},\n"
        "  {name: h, type: prismatic, bodies: [one, two], at: [1, 0], axis: [1, 0]}]\n"
        "initial: {g.rate: 0.7}\ndrivers: [{variable: h.distance, value: =2*u}]\nsimulate: {until: 5}\n";
    test_random r = {test_seed(5)};
    for (int c = 0; c < NCOORDINATES; c++) {
        bench b;
        double v1 = 0.7, rate = 1, work = 0;
        expect(&b, begin(&b, text, coordinates[c], NULL));
        near(&b, "g.rate", v1, 1e-12);
        for (int k = 1; k <= 5; k++) {
            double next = 2 * test_random_symmetric(&r), kinetic = 0.5 * (3 * v1 * v1 + 2 * (v1 + rate) * (v1 + rate));
            reach(&b, 0.2 * k);
            near(&b, "g.rate", v1, 1e-11);
            expect(&b, bl_stepper_set_input(b.s, 0, value_of(&b, "u"), next));
            v1 -= 0.4 * (2 * next - rate);
            rate = 2 * next;
            work += 0.5 * (3 * v1 * v1 + 2 * (v1 + rate) * (v1 + rate)) - kinetic;
            near(&b, "g.rate", v1, 1e-11);
            near(&b, "h.rate", rate, 1e-11);
            near(&b, "energy.work", work, 1e-10);
            near(&b, "energy.error", 0, 1e-10);
        }
        end(&b);
    }
}

/* slider-crank with a pendulum: all coordinates agree; velocities change least in the norm of masses, so the change of momentum of what
 * remains free, the pendulum about its own motion, is zero: its generalized momentum p = dT/d(P.rate) at the given rates stays */
static void percussions__agree_in_all_coordinates(void **unused) {
    (void)unused;
    double want[3] = {0};
    for (int c = 0; c < NCOORDINATES; c++)
        for (int k = 0; k < 4; k++) {
            bench b;
            expect(&b, begin(&b, CRANK "inputs: {u: {value: 0, rate: 0.5}}\ndrivers: [{name: motor, variable: A.angle, value: =u}]\n",
                             coordinates[c], &methods[k]));
            reach(&b, 0.61);
            /* T of the pendulum, a rod of 0.3 kg and 0.3 m: p = I w + m l/2 cos(angle) vx, I about the joint */
            double before = 0.3 * 0.09 / 3 * value_of(&b, "P.rate") + 0.3 * 0.15 * cos(value_of(&b, "P.angle")) * value_of(&b, "D.rate");
            expect(&b, bl_stepper_set_input(b.s, 0, value_of(&b, "u"), -1.25));
            double after = 0.3 * 0.09 / 3 * value_of(&b, "P.rate") + 0.3 * 0.15 * cos(value_of(&b, "P.angle")) * value_of(&b, "D.rate");
            near(&b, "A.rate", -1.25, 1e-11);
            if (!(fabs(after - before) < 1e-9))
                fail_msg("%s: the momentum of the pendulum changes from %.12g to %.12g", b.label, before, after);
            near(&b, "energy.error", 0, 1e-8);
            reach(&b, 1.1);
            if (c == 0 && k == 0) {
                want[0] = value_of(&b, "P.angle");
                want[1] = value_of(&b, "P.rate");
                want[2] = value_of(&b, "energy.work");
            }
            near(&b, "P.angle", want[0], 1e-8);
            near(&b, "P.rate", want[1], 1e-7);
            near(&b, "energy.work", want[2], 1e-7);
            near(&b, "energy.error", 0, 1e-7);
            end(&b);
        }
}

/* a filter of first order of an input that jumps: its rate, and with it the driver's, jumps by (u+ - u-) / T */
static void percussions__happen_where_a_state_changes_its_rate(void **unused) {
    (void)unused;
    bench b;
    expect(&b, begin(&b,
                     CRANK "inputs: {u: 0.1}\ncontrollers: [{name: lag, type: low_pass, of: u, time: 0.5}]\n"
                           "drivers: [{variable: A.angle, value: =lag}]\n",
                     NULL, NULL));
    reach(&b, 0.3);
    near(&b, "A.rate", 0, 1e-12);
    expect(&b, bl_stepper_set_input(b.s, 0, 0.6, 0));
    near(&b, "A.rate", 1, 1e-12);
    reach(&b, 0.8);
    near(&b, "A.angle", 0.6 - 0.5 * exp(-1), 1e-9);
    near(&b, "energy.error", 0, 1e-8);
    end(&b);
}

static void note(void *user, bl_log_level level, const char *message) {
    char *kept = user;
    if (level == BL_LOG_INFO && strstr(message, "percussion"))
        snprintf(kept, 512, "%s", message);
}

static void percussions__are_logged_with_the_driver(void **unused) {
    (void)unused;
    static const char text[] = CRANK "inputs: {u: 0}\ndrivers: [{name: motor, variable: A.angle, value: =u}]\n";
    char kept[512] = "";
    bl_context *ctx;
    bl_model *model;
    bl_stepper *s;
    assert_int_equal(bl_context_create(&(bl_context_options){.log = note, .log_user = kept, .log_level = BL_LOG_INFO}, &ctx), BL_OK);
    assert_int_equal(bl_model_read_text(ctx, "drive", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_stepper_create(ctx, model, NULL, &s), BL_OK);
    assert_int_equal(bl_stepper_reach(s, 0.2), BL_OK);
    assert_int_equal(bl_stepper_lead_input(s, 0, 0.1, 0, 0.4), BL_OK); /* begins at rest: none */
    assert_true(kept[0] == '\0');
    assert_int_equal(bl_stepper_reach(s, 0.5), BL_OK);
    assert_int_equal(bl_stepper_set_input(s, 0, 0.1, 0.25), BL_OK);
    assert_non_null(strstr(kept, "driver of A.angle"));
    assert_non_null(strstr(kept, "0.25"));
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

static void jumps__of_a_driven_value_are_refused(void **unused) {
    (void)unused;
    bench b;
    expect(&b, begin(&b, CRANK "inputs: {u: 0}\ndrivers: [{variable: A.angle, value: =u}]\n", NULL, NULL));
    reach(&b, 0.1);
    double angle = value_of(&b, "P.angle");
    assert_int_equal(bl_stepper_set_input(b.s, 0, 0.5, 0), BL_E_ARG);
    const bl_error *error = bl_context_error(b.ctx);
    assert_non_null(strstr(error->what, "'u'"));
    assert_non_null(strstr(error->what, "A.angle"));
    assert_non_null(strstr(error->advice, "lead"));
    assert_int_equal(bl_stepper_lead_input(b.s, 0, 0.5, 0, 0.1), BL_E_ARG);
    assert_int_equal(bl_stepper_lead_input(b.s, 3, 0.5, 0, 1), BL_E_ARG);
    assert_true(value_of(&b, "P.angle") == angle);
    expect(&b, bl_stepper_lead_input(b.s, 0, 0.5, 0, 0.3));
    reach(&b, 0.4);
    near(&b, "A.angle", 0.5, 1e-12);
    end(&b);
}

/* ---- studies */

typedef struct collected {
    double force[8], angle[8], rate[8];
    int n;
} collected;

static bl_status collect(void *user, const bl_sample *sample) {
    collected *c = user;
    assert_true(c->n < 8);
    c->force[c->n] = sample->driver_force ? sample->driver_force[0] : 0;
    c->angle[c->n] = sample->variable[2];
    c->rate[c->n++] = sample->variable_rate[2];
    return BL_OK;
}

enum { RUN, KINEMATICS, INVERSE, ASSEMBLE, EQUILIBRIUM, NSTUDY };

static bl_status study(bl_context *ctx, const bl_model *model, int which, collected *c) {
    bl_sink sink = {.user = c, .sample = collect};
    bl_run_options o = {.until = 1, .every = 0.25, .tolerance = 1e-11};
    bl_run_summary summary = {0};
    bl_inverse_summary inverse = {0};
    bl_kinematics_summary counted = {0};
    bl_equilibrium_summary found = {0};
    bl_status status;
    switch (which) {
    case RUN: return bl_simulate(ctx, model, &o, &sink, 1, &summary);
    case KINEMATICS: return bl_kinematics_study(ctx, model, NULL, &o, &sink, 1, &summary, &counted);
    case INVERSE:
        status = bl_inverse(ctx, model, &(bl_inverse_options){.run = &o}, &sink, 1, &summary, &inverse);
        bl_inverse_summary_destroy(ctx, &inverse);
        return status;
    case ASSEMBLE: return bl_assemble(ctx, model, &o, &sink, 1, &summary);
    default: return bl_equilibrium(ctx, model, NULL, &sink, 1, &summary, &found);
    }
}

/* with the values of the model, inputs give the results of the law of time; where time does not pass, states are refused */
static void studies__take_inputs_and_refuse_states(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        CRANK "inputs: {u: {value: 0.3, rate: 0.8}}\ninitial: {P.angle: 0.1}\n"
              "drivers: [{variable: A.angle, value: '=u + 0.1*u^2'}, {variable: P.angle, value: '=u/3'}]\n",
        CRANK "initial: {P.angle: 0.1}\ndrivers: [{variable: A.angle, value: '=0.3 + 0.8*t + 0.1*(0.3 + 0.8*t)^2'},\n"
              "  {variable: P.angle, value: '=(0.3 + 0.8*t)/3'}]\n",
        CRANK FOLLOW "drivers: [{variable: A.angle, value: =z}]\n"};
    for (int which = 0; which < NSTUDY; which++) {
        collected got[2] = {0};
        for (int k = 0; k < 3; k++) {
            bl_context *ctx = test_context(NULL);
            bl_model *model = NULL;
            assert_int_equal(bl_model_read_text(ctx, "drive", texts[k], strlen(texts[k]), NULL, 0, &model), BL_OK);
            collected spare = {0};
            bl_status status = study(ctx, model, which, k < 2 ? &got[k] : &spare);
            bool refused = k == 2 && which != RUN && which != ASSEMBLE;
            if (status != (refused ? BL_E_ABILITY : BL_OK))
                fail_msg("study %d of text %d: status %d, %s", which, k, (int)status, bl_context_error(ctx)->what);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
        assert_true(got[0].n > 0 && got[0].n == got[1].n);
        for (int i = 0; i < got[0].n; i++)
            assert_true(fabs(got[0].angle[i] - got[1].angle[i]) < 1e-9 && fabs(got[0].rate[i] - got[1].rate[i]) < 1e-9 &&
                        fabs(got[0].force[i] - got[1].force[i]) < 1e-7);
    }
}

/* ---- what is refused when the model is read */

static void refuses(const char *more, const char *first, const char *second, const char *third) {
    char text[4096];
    const char *word[] = {first, second, third};
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    snprintf(text, sizeof text, "%s%s", CRANK, more);
    bl_status status = bl_model_read_text(ctx, "drive", text, strlen(text), NULL, 0, &model);
    if (status != BL_E_MODEL)
        fail_msg("%s: status %d", more, (int)status);
    const bl_error *error = bl_context_error(ctx);
    for (int i = 0; i < 3; i++)
        if (word[i] && !strstr(error->what, word[i]))
            fail_msg("%s: '%s' is not in '%s'", more, word[i], error->what);
    assert_true(error->line > 0 && error->advice[0]);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void models__are_refused_by_name(void **unused) {
    (void)unused;
    refuses("states: [{name: z, start: 0, rate: '=A.rate - z'}]\ndrivers: [{variable: P.angle, value: =z}]\n", "P.angle", "'z'",
            "A.angle_rate");
    refuses("probes: {tip: {body: bob, at: E}}\nstates: [{name: z, start: 0, rate: =tip.vy}]\ndrivers: [{variable: A.angle, value: =z}]\n",
            "A.angle", "'z'", "tip.vy");
    refuses("controllers: [{name: pd, type: pd, of: P.angle, target: 0, kp: 1, kd: 2}]\n"
            "states: [{name: z, start: 0, rate: =pd}]\ndrivers: [{variable: A.angle, value: =z}]\n",
            "A.angle", "'z'", "P.angle_rate");
    refuses("held: {n: 1}\ndrivers: [{variable: A.angle, value: =n}]\n", "A.angle", "'n'", "jump");
    refuses("held: {n: 1}\nstates: [{name: z, start: 0, rate: =n}]\ndrivers: [{variable: A.angle, value: =z}]\n", "A.angle", "'z'", "'n'");
    refuses("controllers: [{name: pd, type: pd, of: P.angle, target: 0, kp: 1, kd: 2, every: 0.1}]\n"
            "drivers: [{variable: A.angle, value: =pd}]\n",
            "A.angle", "pd", "jump");
    refuses("states: [{name: z, start: 0, rate: '=delay(P.angle, 0.1)'}]\ndrivers: [{variable: A.angle, value: =z}]\n", "A.angle", "'z'",
            "delay");
    refuses("states: [{name: z, start: 0, rate: 1}]\nevents: [{at: 1, set: {z: 0}}]\ndrivers: [{variable: A.angle, value: =z}]\n",
            "A.angle", "'z'", "sets");
    refuses("controllers: [{name: soft, type: filter, of: P.angle, frequency: 3}]\ndrivers: [{variable: A.angle, value: =soft}]\n",
            "A.angle", "soft.value", "start");
    refuses("controllers: [{name: pd, type: pd, of: P.angle, target: 0, kp: 1, kd: 2}]\ndrivers: [{variable: A.angle, value: =pd}]\n",
            "A.angle", "positions", NULL);
    refuses("drivers: [{variable: A.angle, value: '=2*P.angle'}]\n", "P.angle", "cannot be used", NULL);
    refuses("drivers: [{variable: A.angle, value: '=delay(t, 0.1)'}]\n", "delay", "cannot be used", NULL);
}

/* a law of the driver with a corner: the rate would jump while the input moves */
static void corners__are_refused_where_they_are_met(void **unused) {
    (void)unused;
    bench b;
    expect(&b, begin(&b, CRANK "inputs: {u: {value: 0, rate: 1}}\ndrivers: [{variable: A.angle, value: '=u < 0.5 ? u : 2*u - 0.5'}]\n",
                     NULL, NULL));
    assert_int_equal(bl_stepper_reach(b.s, 1), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(b.ctx)->what, "A.angle"));
    assert_true(fabs(bl_context_error(b.ctx)->time - 0.5) < 1e-6);
    end(&b);
    expect(&b, begin(&b, CRANK "states: [{name: z, start: 0, rate: '=t < 0.5 ? 1 : 2'}]\ndrivers: [{variable: A.angle, value: =z}]\n", NULL,
                     NULL));
    assert_int_equal(bl_stepper_reach(b.s, 1), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(b.ctx)->what, "rate changes by 1"));
    end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs__led_by_cubics_give_the_motion_of_the_law_of_time),
        cmocka_unit_test(cubics__survive_snapshots),
        cmocka_unit_test(inputs__of_forces_are_led_too),
        cmocka_unit_test(states_set_from_outside__keep_the_driver),
        cmocka_unit_test(filters__are_followed),
        cmocka_unit_test(filters__of_sampled_controllers_are_followed),
        cmocka_unit_test(states__that_depend_on_the_motion_are_followed),
        cmocka_unit_test(other_formulations__refuse_states),
        cmocka_unit_test(percussions__conserve_momentum),
        cmocka_unit_test(percussions__agree_in_all_coordinates),
        cmocka_unit_test(percussions__happen_where_a_state_changes_its_rate),
        cmocka_unit_test(percussions__are_logged_with_the_driver),
        cmocka_unit_test(jumps__of_a_driven_value_are_refused),
        cmocka_unit_test(studies__take_inputs_and_refuse_states),
        cmocka_unit_test(models__are_refused_by_name),
        cmocka_unit_test(corners__are_refused_where_they_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
