/* Inverse dynamics compared with closed forms and with forces of two independent computations: rods, slider-cranks, robots with loops, a
 * platform on six legs, Bricard's mechanism with its redundant constraints; in every kind of coordinates. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const char *const every_kind[] = {"natural", "mixed", "reference", "relative"};
enum { KINDS = 4, MOST = 512, ACTUATORS = 8, JOINTS = 40 };

/* ---- recorded samples */

typedef struct record {
    long samples;
    double t[MOST], force[MOST][ACTUATORS], power[MOST][ACTUATORS], energy[MOST][ACTUATORS], reaction[MOST][JOINTS][3];
    double variable[MOST][JOINTS], error[MOST];
    bl_index nactuator, njoint, nvariable;
    char what[512];
    bl_inverse_summary found; /* without its actuators */
    bl_actuator_summary actuator[ACTUATORS];
} record;

static bl_status begin(void *user, const bl_run_info *info) {
    record *r = user;
    assert_true(info->nactuator <= ACTUATORS && info->njoint <= JOINTS && info->nvariable <= JOINTS);
    r->nactuator = info->nactuator;
    r->njoint = info->njoint;
    r->nvariable = info->nvariable;
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    record *r = user;
    assert_true(r->samples < MOST);
    long k = r->samples++;
    r->t[k] = sample->t;
    r->error[k] = sample->energy_error;
    memcpy(r->force[k], sample->actuator_force, (size_t)r->nactuator * sizeof(double));
    memcpy(r->power[k], sample->actuator_power, (size_t)r->nactuator * sizeof(double));
    memcpy(r->energy[k], sample->actuator_energy, (size_t)r->nactuator * sizeof(double));
    memcpy(r->variable[k], sample->variable, (size_t)r->nvariable * sizeof(double));
    for (bl_index i = 0; i < r->njoint; i++)
        memcpy(r->reaction[k][i], sample->reaction[i].force, 3 * sizeof(double));
    return BL_OK;
}

/* a text with newlines is a model, otherwise it is the name of a scene */
static bl_status solve(const char *text, const bl_inverse_options *options, record *r) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_sink sink = {.user = r, .begin = begin, .sample = take};
    char path[512];
    memset(r, 0, sizeof *r);
    snprintf(path, sizeof path, "%s/%.200s.yaml", SCENES, text);
    bl_status status = strchr(text, '\n') ? bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model)
                                          : bl_model_read(ctx, path, NULL, 0, &model);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    status = bl_inverse(ctx, model, options, &sink, 1, NULL, &r->found);
    snprintf(r->what, sizeof r->what, "%s", bl_context_error(ctx)->what);
    for (bl_index k = 0; k < r->found.nactuator && k < ACTUATORS; k++)
        r->actuator[k] = r->found.actuator[k];
    bl_inverse_summary_destroy(ctx, &r->found);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

static void expect(const char *text, const char *coordinates, bl_index nat, const double *at, record *r) {
    bl_inverse_options options = {.run = &(bl_run_options){.coordinates = coordinates, .at = at, .nat = nat, .until = at[nat - 1]},
                                  .check = true};
    if (solve(text, &options, r) != BL_OK)
        fail_msg("%s: %s", coordinates, r->what);
    assert_int_equal(r->samples, nat);
    assert_true(r->found.checked);
    if (!(r->found.local < 1e-10 && r->found.residual < 1e-12))
        fail_msg("%s: accelerations are off by %g, forces by %g", coordinates, r->found.local, r->found.residual);
}

static void near(const char *coordinates, const char *what, double t, double found, double wanted, double tolerance) {
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%s, t = %g: %s is %.12g, not %.12g", coordinates, t, what, found, wanted);
}

/* rows of expected forces, digits to 1e-9 of the largest */
static void forces(const char *text, bl_index nat, const double *at, bl_index n, const double *wanted, double tolerance) {
    static record r;
    for (int c = 0; c < KINDS; c++) {
        expect(text, every_kind[c], nat, at, &r);
        assert_int_equal(r.nactuator, n);
        for (bl_index k = 0; k < nat; k++)
            for (bl_index i = 0; i < n; i++)
                near(every_kind[c], r.actuator[i].name, at[k], r.force[k][i], wanted[k * n + i], tolerance);
        if (!(r.found.deviation < 1e-7))
            fail_msg("%s: the run under these forces is off by %g", every_kind[c], r.found.deviation);
    }
}

/* ---- a rod moved by a motor */

static void rod__takes_the_moment_of_the_closed_form(void **state) {
    (void)state;
    forces("inverse_rod", 3, (double[]){0.1, 0.4, 1}, 1, (double[]){0.27884857566797183, 0.8059239432297325, 0.13412969296939448}, 1e-11);
}

/* over a period a motor without losses does no work; over a part its work is the stored energy */
static void rod__energy_is_what_is_stored(void **state) {
    (void)state;
    static record r;
    assert_int_equal(solve("inverse_rod", &(bl_inverse_options){.run = &(bl_run_options){.every = 0.01, .until = 4}}, &r), BL_OK);
    near("", "period", 0, r.found.period, 2 * PI / 3, 1e-9);
    near("", "energy per period", 0, r.actuator[0].energy_per_period, 0, 1e-10);
    double start = 0.5 / 3 * 1.5 * 1.5 - 4.905; /* at the bottom, 1.5 rad/s */
    for (long k = 4; k < r.samples; k++) {
        double t = r.t[k], a = 0.5 * sin(3 * t), w = 1.5 * cos(3 * t);
        near("", "energy", t, r.energy[k][0], w * w / 6 - 4.905 * cos(a) - start, 1e-6);
        near("", "power", t, r.power[k][0], r.force[k][0] * w, 1e-9);
    }
    near("", "largest", r.actuator[0].largest_time, fabs(r.actuator[0].largest), 0.8516, 1e-4);
}

/* ---- reactions of a slider-crank */

static void slider_crank__moment_and_reactions(void **state) {
    (void)state;
    static record r;
    static const double degrees[] = {0, 30, 60, 90, 135, 200, 300};
    static const double moment[] = {
        1.4715, 8.866336031561447, 4.21490060087728, -4.36435780471985, -4.806497708117795, 0.12762452867760574, -2.7434006008772664};
    static const double A[][2] = {{-85, 9.81},
                                  {-67.1357464614351, 14.881473653720768},
                                  {-22.566784806159095, 5.5146881610318745},
                                  {21.821789023599248, -10.745555555555562},
                                  {45.05535636818189, -8.615785136504979},
                                  {45.27366817180576, 18.251691677375334},
                                  {-22.56678480615902, 14.105311838968142}};
    static const double guide[] = {
        24.525, 11.953526346279226, 15.829930782201549, 30.08055555555556, 32.344183418706756, 21.213610472509707, 33.220069217798425};
    double at[7];
    for (int k = 0; k < 7; k++)
        at[k] = degrees[k] * PI / 180 / 10;
    for (int c = 0; c < KINDS; c++) {
        expect("slider_crank_motor", every_kind[c], 7, at, &r);
        for (int k = 0; k < 7; k++) {
            near(every_kind[c], "moment", at[k], r.force[k][0], moment[k], 1e-9);
            near(every_kind[c], "A.x", at[k], r.reaction[k][0][0], A[k][0], 1e-9);
            near(every_kind[c], "A.y", at[k], r.reaction[k][0][1], A[k][1], 1e-9);
            near(every_kind[c], "guide", at[k], r.reaction[k][3][1], guide[k], 1e-9);
        }
    }
}

/* ---- robots whose tip or platform is prescribed, and whose cranks or legs are actuated */

static void five_bar__cranks_lead_the_tip(void **state) {
    (void)state;
    forces("five_bar_robot", 4, (double[]){0, 0.1, 0.37, 0.8}, 2,
           (double[]){-4.134857053929705, 9.184001102101668, -2.153636538990522, 6.243664151717182, -5.432694279883811, 1.9632133548734985,
                      -13.355801603261996, 14.831546664299701},
           1e-9);
}

static void three_cranks__lead_the_platform(void **state) {
    (void)state;
    forces("planar_3rrr", 4, (double[]){0, 0.1, 0.3, 0.77}, 3,
           (double[]){2.7402406830926576, 1.1439225677010416, -4.15300404029554, 3.1135342756069813, 2.7738703916315934, -3.450650317947451,
                      2.539662271498757, 2.0966833783337333, -4.755385626322714, 3.485593156189086, -0.5668792966210005,
                      -4.933154354836721},
           1e-9);
}

static void hexapod__legs_push_the_platform(void **state) {
    (void)state;
    static const double at[] = {0, 0.2, 0.5, 1.1};
    static record r;
    forces("hexapod", 4, at, 6,
           (double[]){85.39908425272353,  50.2527325417747,  78.35505215042184, 83.22620454090153, 33.6098550724486,  65.38131285812956,
                      94.29103432653501,  38.66084482277122, 56.1411438449399,  62.84931179215395, 41.43633684834202, 31.046230494124064,
                      108.09848007100258, 60.89645855157447, 49.07986758297624, 57.30957073908946, 86.65093867917187, 17.035996186637917,
                      39.721177710337344, 76.23807258653665, 53.19087632206983, 45.35049133886884, 84.62319763575658, 73.14511963519664},
           1e-8);
    /* lengths: those of the given configuration are equal, the legs' variables are measured from there */
    static const double length[] = {1.3390084117415846, 1.3687012674683483, 1.333106342285001,
                                    1.3846363172358955, 1.4758178570047933, 1.399140272821631};
    double given = sqrt(1.2 * 1.2 + 0.6 * 0.6 - 2 * 1.2 * 0.6 * cos(40 * PI / 180) + 1.1 * 1.1);
    expect("hexapod", "relative", 4, at, &r);
    int leg = 0;
    for (bl_index i = 0; i < r.nvariable && leg < 6;
         i++) /* X Y Z alpha beta gamma, then angle1 angle2 distance and three of the spherical joint */
        if (i >= 6 && (i - 6) % ((r.nvariable - 6) / 6) == 2)
            near("relative", "length", 0, given + r.variable[0][i], length[leg++], 1e-9);
    assert_int_equal(leg, 6);
}

/* ---- two actuators share one motion */

static const char shared[] =
    "model: shared\ndimension: 2\ngravity: [0, -9.81]\nparameters: {a: 0.2, b: 0.5}\n"
    "points: {A: [0, 0], B: [=a, 0], C: [=a + b, 0]}\n"
    "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 0.5}\n  - {name: rod, rod: {from: B, to: C}, mass: 1}\n"
    "  - {name: slider, mass: 2, center: C, inertia: 0.01}\n"
    "joints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod], at: B}\n"
    "  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"
    "  - {name: guide, type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\n"
    "drivers: [{variable: A.angle, value: =10*t}]\nforces: [%s]\ninverse: {%s}\nsimulate: {until: 1}\n";

static const char *shared_by(const char *force, const char *actuators) {
    static char text[2048];
    snprintf(text, sizeof text, shared, force, actuators);
    return text;
}

static void two_actuators__share_by_weights(void **state) {
    (void)state;
    double at[] = {PI / 30};
    forces(shared_by("", "actuators: [A.angle, guide.distance]"), 1, at, 2, (double[]){4.036659172818311, -0.8482333968610709}, 1e-9);
    forces(shared_by("", "actuators: [{variable: A.angle, limit: 10}, {variable: guide.distance, limit: 50}]"), 1, at, 2,
           (double[]){2.0033826040955014, -10.524396281256166}, 1e-9);
    forces(shared_by("", "actuators: [{variable: A.angle, weight: 0.01}, {variable: guide.distance, weight: 0.0004}]"), 1, at, 2,
           (double[]){2.0033826040955014, -10.524396281256166}, 1e-9);
}

/* the same force as an element between ground and slider, whose own law is then replaced */
static void force_element__is_an_actuator(void **state) {
    (void)state;
    double at[] = {PI / 30};
    forces(shared_by("{name: pusher, type: force, body: slider, at: C, force: [7, 0]}",
                     "actuators: [{force: pusher, limit: 50}, {variable: A.angle, limit: 10}]"),
           1, at, 2, (double[]){-10.524396281256166, 2.0033826040955014}, 1e-9);
}

/* within limits: u1 + u2 dx/dphi = Q; if one is at its limit the other provides the rest */
static void limits__are_kept_when_bounded(void **state) {
    (void)state;
    static record r;
    const char *text =
        shared_by("", "bounded: true, actuators: [{variable: A.angle, limit: 3}, {variable: guide.distance, limit: 60, weight: 1}]");
    for (int c = 0; c < KINDS; c++) {
        bl_inverse_options options = {.run = &(bl_run_options){.coordinates = every_kind[c], .until = 0.6, .every = 0.01}};
        assert_int_equal(solve(text, &options, &r), BL_OK);
        int held = 0;
        for (long k = 0; k < r.samples; k++) {
            double phi = 10 * r.t[k], root = sqrt(0.25 - 0.04 * sin(phi) * sin(phi));
            double slope = -0.2 * sin(phi) - 0.04 * sin(phi) * cos(phi) / root;
            record *one = malloc(sizeof *one);
            bl_inverse_options alone = {
                .run = &(bl_run_options){.coordinates = "relative", .at = &r.t[k], .nat = 1, .until = r.t[k] > 0 ? r.t[k] : 0.1}};
            if (c == 0 && k > 0) {
                assert_int_equal(solve("slider_crank_motor", &alone, one), BL_OK);
                near(every_kind[c], "sum", r.t[k], r.force[k][0] + slope * r.force[k][1], one->force[0][0], 1e-8);
            }
            free(one);
            bool over = fabs(r.force[k][0]) > 3 * (1 + 1e-6);
            if (over) /* no other solution: the slider at its limit */
                assert_true(fabs(r.force[k][1]) > 60 || fabs(slope) * 60 < 9);
            held += fabs(fabs(r.force[k][0]) - 3) < 1e-9;
        }
        assert_true(held > 5);
    }
}

/* ---- impossible motions */

static const char pendulum[] =
    "model: two\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n  - {name: u, rod: {from: [0, 0], to: [0, -1]}, mass: 1}\n  - {name: l, rod: {from: [0, -1], to: [0, -2]}, mass: 1}\n"
    "joints:\n  - {name: j1, type: revolute, bodies: [ground, u], at: [0, 0]}\n"
    "  - {name: j2, type: revolute, bodies: [u, l], at: [0, -1]}\n%s\nsimulate: {until: 1}\n";

static const char *pendulum_with(const char *rest) {
    static char text[2048];
    snprintf(text, sizeof text, pendulum, rest);
    return text;
}

static void missing_actuators__are_named(void **state) {
    (void)state;
    static record r;
    for (int c = 0; c < KINDS; c++) {
        bl_inverse_options options = {.run = &(bl_run_options){.coordinates = every_kind[c]}};
        assert_int_equal(solve(pendulum_with("drivers: [{variable: j1.angle, value: =sin(t)}]"), &options, &r), BL_E_ABILITY);
        assert_string_equal(r.what, "1 motion without actuator: j2.angle");
        /* the motion is known, and one motor cannot cause it */
        const char *both =
            "drivers: [{variable: j1.angle, value: =sin(t)}, {variable: j2.angle, value: =cos(t)}]\ninverse: {actuators: [%s]}";
        char rest[256];
        snprintf(rest, sizeof rest, both, "j1.angle");
        assert_int_equal(solve(pendulum_with(rest), &options, &r), BL_E_ABILITY);
        assert_string_equal(r.what, "1 motion without actuator: j2.angle");
        snprintf(rest, sizeof rest, both, "j2.angle");
        assert_int_equal(solve(pendulum_with(rest), &options, &r), BL_E_ABILITY);
        assert_string_equal(r.what, "1 motion without actuator: j1.angle");
    }
}

/* at the dead centers no force on the slider rotates the crank: no number there, numbers on both sides, which grow toward it */
static void singular_position__has_no_number(void **state) {
    (void)state;
    static record r;
    const char *text = shared_by("", "actuators: [guide.distance]");
    double at[] = {0, 0.001, 0.2, PI / 10 - 0.001, PI / 10, PI / 10 + 0.001, 0.5};
    for (int c = 0; c < KINDS; c++) {
        bl_run_options run = {.coordinates = every_kind[c], .at = at, .nat = 7, .until = 0.5};
        bl_inverse_options options = {.run = &run};
        if (solve(text, &options, &r) != BL_OK)
            fail_msg("%s: %s", every_kind[c], r.what);
        assert_true(isnan(r.force[0][0]) && isnan(r.force[4][0]));
        assert_true(isfinite(r.force[1][0]) && isfinite(r.force[2][0]) && isfinite(r.force[3][0]) && isfinite(r.force[5][0]));
        assert_true(fabs(r.force[3][0]) > 20 * fabs(r.force[2][0]) && r.force[3][0] * r.force[5][0] < 0);
        assert_int_equal(r.found.singular, 2);
        run.singular = "refuse";
        assert_int_equal(solve(text, &options, &r), BL_E_NUMERIC);
        assert_non_null(strstr(r.what, "singular configuration at t = 0"));
    }
}

/* ---- a measured motion */

static void write_table(const char *path, double from, double until, double every, double rounded, double (*value)(double)) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "time,A.angle\n");
    for (int k = 0; from + k * every <= until + 1e-9; k++) {
        double t = from + k * every, y = value(t);
        fprintf(file, "%.17g,%.17g\n", t, rounded > 0 ? rounded * round(y / rounded) : y);
    }
    fclose(file);
}

static double swing(double t) { return 0.5 * sin(3 * t); }

/* Rounding to 1e-4 is noise of 1e-4 / sqrt(12). Raw differences have errors of 5.8e-2 (rms), cubic smoothing splines of 5.6e-3. */
static void table__gives_the_moment_of_the_motion(void **state) {
    (void)state;
    static record r;
    static const char rod[] =
        "model: rod\ndimension: 2\ngravity: [0, -9.81]\nbodies: [{name: rod, rod: {from: [0, 0], to: [0, -1]}, mass: 1}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n";
    char path[] = "/tmp/biela_inverse_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    write_table(path, 0, 4, 0.02, 1e-4, swing);
    for (int c = 0; c < 2 * KINDS; c++) {
        bl_inverse_options options = {.run = &(bl_run_options){.coordinates = every_kind[c % KINDS]},
                                      .table = path,
                                      .noise_given = c < KINDS,
                                      .noise = 1e-4 / sqrt(12)};
        if (solve(rod, &options, &r) != BL_OK)
            fail_msg("%s", r.what);
        assert_int_equal(r.samples, 201);
        double largest = 0, square = 0;
        int count = 0;
        for (long k = 0; k < r.samples; k++) {
            if (r.t[k] < 0.3 - 1e-9 || r.t[k] > 3.7 + 1e-9)
                continue;
            double a = swing(r.t[k]), off = r.force[k][0] - (-4.5 * sin(3 * r.t[k]) / 3 + 4.905 * sin(a));
            largest = fmax(largest, fabs(off));
            square += off * off;
            count++;
        }
        if (!(largest <= 3e-3 && sqrt(square / count) <= 1e-3))
            fail_msg("%s: error %g, rms %g", every_kind[c % KINDS], largest, sqrt(square / count));
    }
    remove(path);
}

/* The same by cross-validation for tables of any length: rounding of the weakest smoothing is no better a fit. Before 0.3 s and in the last
 * 0.3 s a spline has no neighbors on one side. */
static void table__of_any_length_is_smoothed(void **state) {
    (void)state;
    static record r;
    static const char rod[] =
        "model: rod\ndimension: 2\ngravity: [0, -9.81]\nbodies: [{name: rod, rod: {from: [0, 0], to: [0, -1]}, mass: 1}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n";
    char path[] = "/tmp/biela_inverse_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    double worst = 0;
    for (int rows = 60; rows < 200; rows += 9) {
        double until = 0.02 * rows;
        write_table(path, 0, until, 0.02, 1e-4, swing);
        if (solve(rod, &(bl_inverse_options){.table = path}, &r) != BL_OK)
            fail_msg("%s", r.what);
        for (long k = 0; k < r.samples; k++)
            if (r.t[k] > 0.3 && r.t[k] < until - 0.3)
                worst = fmax(worst, fabs(r.force[k][0] - (-4.5 * sin(3 * r.t[k]) / 3 + 4.905 * sin(swing(r.t[k])))));
    }
    print_message("largest error of a moment: %.2g\n", worst);
    assert_true(worst < 3e-3); /* as with the known noise */
    remove(path);
}

/* Output times do not decide whether a motion is periodic. */
static void period__is_found_with_any_outputs(void **state) {
    (void)state;
    static record r;
    static const double every[] = {0.01, 0.05, 0.13, 0.3, 1};
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        if (solve("slider_crank_motor", &(bl_inverse_options){.run = &(bl_run_options){.every = every[i]}}, &r) != BL_OK)
            fail_msg("%s", r.what);
        near("default", "period", every[i], r.found.period, PI / 5, 1e-9);
    }
}

/* ---- redundant constraints */

static const char bricard[] =
    "model: Bricard\ngravity: [0, -9.81, 0]\n"
    "points: {P1: [0, 0, 0], P2: [1, 0, 0], P3: [1, -1, 0], P4: [1, -1, 1], P5: [0, -1, 1], P6: [0, 0, 1]}\n"
    "bodies:\n  - {name: r1, rod: {from: P1, to: P2}, mass: 1}\n  - {name: r2, rod: {from: P2, to: P3}, mass: 1}\n"
    "  - {name: r3, rod: {from: P3, to: P4}, mass: 1}\n  - {name: r4, rod: {from: P4, to: P5}, mass: 1}\n"
    "  - {name: r5, rod: {from: P5, to: P6}, mass: 1}\n"
    "joints:\n  - {name: j1, type: revolute, bodies: [ground, r1], at: P1, axis: [0, 1, 0], reference: [1, 0, 0], reference_b: [1, 0, 0]}\n"
    "  - {name: j2, type: revolute, bodies: [r1, r2], at: P2, axis: [0, 0, 1]}\n"
    "  - {name: j3, type: revolute, bodies: [r2, r3], at: P3, axis: [1, 0, 0]}\n"
    "  - {name: j4, type: revolute, bodies: [r3, r4], at: P4, axis: [0, 1, 0]}\n"
    "  - {name: j5, type: revolute, bodies: [r4, r5], at: P5, axis: [0, 0, 1]}\n"
    "  - {name: j6, type: revolute, bodies: [r5, ground], at: P6, axis: [1, 0, 0]%s}\n"
    "drivers: [{name: motor, variable: j1.angle, value: =pi/2 + 0.5*sin(2*t)}]\nsimulate: {until: 3}\n";

static void bricard__same_moment_from_both_models(void **state) {
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        char text[2048];
        snprintf(text, sizeof text, bricard, cut ? ", cut: true" : "");
        forces(text, 4, (double[]){0, 0.3, 0.9, 1.4}, 1, (double[]){0, -1.213853283756417, -2.4276551880992407, -0.6845237336000184},
               1e-10);
    }
}

/* ---- friction from reactions: the forces of drivers in a run, computed by other equations in other configurations */

typedef struct driven {
    long samples;
    double t[MOST], force[MOST], energy[MOST], work[MOST];
} driven;

static bl_status take_driven(void *user, const bl_sample *sample) {
    driven *d = user;
    long k = d->samples++;
    assert_true(k < MOST);
    d->t[k] = sample->t;
    d->force[k] = sample->actuator_force[0];
    d->energy[k] = sample->actuator_energy[0];
    d->work[k] = sample->kinetic + sample->potential;
    return BL_OK;
}

static const char rubbed[] =
    "model: rubbed\ndimension: 2\ngravity: [0, -9.81]\nparameters: {a: 0.2, b: 0.5}\n"
    "points: {A: [0, 0], B: [=a, 0], C: [=a + b, 0]}\n"
    "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 0.5}\n  - {name: rod, rod: {from: B, to: C}, mass: 1}\n"
    "  - {name: slider, mass: 2, center: C, inertia: 0.01}\n"
    "joints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod], at: B}\n"
    "  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"
    "  - {name: guide, type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\n"
    "drivers: [{name: motor, variable: A.angle, value: =10*t}]\n%s"
    "forces:\n  - {type: joint_friction, joint: A, coefficient: 0.1, radius: 0.02, velocity: 0.05}\n"
    "  - {type: joint_friction, joint: guide, coefficient: 0.15, arm: 0.1, velocity: 0.05}\n"
    "  - {type: spring, bodies: [ground, slider], at: [1.2, 0], to: C, stiffness: 40, damping: 1.5, length: 0.5}\n"
    "simulate: {until: 1, tolerance: 1e-10}\n";

static void friction__agrees_with_the_drivers_of_a_run(void **state) {
    (void)state;
    static record r, named;
    static driven d;
    char text[2048];
    snprintf(text, sizeof text, rubbed, "");
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), BL_OK);
    bl_sink sink = {.user = &d, .sample = take_driven};
    d.samples = 0;
    assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.every = 0.01}, &sink, 1, NULL), BL_OK);
    bl_model_destroy(model);
    test_context_end(ctx);
    for (int c = 0; c < KINDS; c++) {
        bl_inverse_options options = {.run = &(bl_run_options){.coordinates = every_kind[c], .every = 0.01}, .check = c == 0};
        snprintf(text, sizeof text, rubbed, "");
        assert_int_equal(solve(text, &options, &r), BL_OK);
        snprintf(text, sizeof text, rubbed, "inverse: {actuators: [A.angle]}\n");
        assert_int_equal(solve(text, &options, &named), BL_OK);
        assert_int_equal(r.samples, d.samples);
        for (long k = 0; k < r.samples; k++) {
            near(every_kind[c], "motor of a run", r.t[k], r.force[k][0], d.force[k], 1e-7);
            near(every_kind[c], "motor by name", r.t[k], r.force[k][0], named.force[k][0], 1e-8);
        }
        if (c == 0 && !(r.found.deviation < 1e-6 && named.found.deviation < 1e-6))
            fail_msg("forward runs are off by %g and %g", r.found.deviation, named.found.deviation);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod__takes_the_moment_of_the_closed_form),
        cmocka_unit_test(rod__energy_is_what_is_stored),
        cmocka_unit_test(slider_crank__moment_and_reactions),
        cmocka_unit_test(five_bar__cranks_lead_the_tip),
        cmocka_unit_test(three_cranks__lead_the_platform),
        cmocka_unit_test(hexapod__legs_push_the_platform),
        cmocka_unit_test(two_actuators__share_by_weights),
        cmocka_unit_test(force_element__is_an_actuator),
        cmocka_unit_test(limits__are_kept_when_bounded),
        cmocka_unit_test(missing_actuators__are_named),
        cmocka_unit_test(singular_position__has_no_number),
        cmocka_unit_test(table__gives_the_moment_of_the_motion),
        cmocka_unit_test(table__of_any_length_is_smoothed),
        cmocka_unit_test(period__is_found_with_any_outputs),
        cmocka_unit_test(bricard__same_moment_from_both_models),
        cmocka_unit_test(friction__agrees_with_the_drivers_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
