/* Linearized motions of what rolls, in every kind of coordinates: a disc upright and in a circle, a ball on a turntable, a sleigh, a
 * trailer, a cart with its matrices A, B, C, D and frequency response; the linear against the nonlinear motion; motions that are
 * not steady. */
#include "biela/biela.h"
#include "support/failing.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CMPLX, which not every compiler has */
static double complex complex_of(double re, double im) { return re + im * I; }

static const double G = 9.81;
static const char *const every_kind[] = {"natural", "mixed", "reference", "reference:angles,sequence=zxz", "reference:matrix,view=tangent",
                                         "relative"};
enum { KINDS = sizeof every_kind / sizeof *every_kind };

typedef struct study {
    bl_context *ctx;
    bl_model *model;
    bl_modes_report report;
} study;

static bl_status try_find(const char *text, const bl_override *set, bl_index nset, const bl_modes_options *options, study *s) {
    *s = (study){.ctx = test_context(NULL)};
    if (bl_model_read_text(s->ctx, "text", text, strlen(text), set, nset, &s->model) != BL_OK)
        fail_msg("%s", bl_context_error(s->ctx)->what);
    return bl_modes(s->ctx, s->model, options, NULL, 0, &s->report);
}

static void end(study *s) {
    bl_modes_report_destroy(s->ctx, &s->report);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

static void find(const char *text, const bl_override *set, bl_index nset, const bl_modes_options *options, study *s) {
    if (try_find(text, set, nset, options, s) != BL_OK)
        fail_msg("%.30s in %s: %s", text, options->coordinates, bl_context_error(s->ctx)->what);
}

static double complex value(const bl_mode *m) { return complex_of(m->re, m->im); }

static int by_size(const void *a, const void *b) {
    double x = cabs(*(const double complex *)a), y = cabs(*(const double complex *)b);
    return x < y ? -1 : x > y;
}

/* the eigenvalues that are not zero, ascending in size; zeros: of all */
static void expect(const study *s, bl_index n, const double complex *lambda, bl_index zeros, double tolerance) {
    double complex found[16];
    bl_index count = 0;
    assert_true(s->report.moving);
    for (bl_index k = s->report.nrigid; k < s->report.nmode; k++)
        found[count++] = value(&s->report.mode[k]);
    qsort(found, (size_t)count, sizeof *found, by_size);
    if (count != n || s->report.nzero != zeros)
        fail_msg("%s in %s: %d eigenvalues and %d zeros, not %d and %d", s->report.model_name, s->report.coordinates, (int)count,
                 (int)s->report.nzero, (int)n, (int)zeros);
    for (bl_index k = 0; k < n; k++)
        if (!(cabs(found[k] - lambda[k]) <= tolerance * (1 + cabs(lambda[k]))))
            fail_msg("%s in %s: eigenvalue %d is %.12g + %.12g i, not %.12g + %.12g i", s->report.model_name, s->report.coordinates, (int)k,
                     creal(found[k]), cimag(found[k]), creal(lambda[k]), cimag(lambda[k]));
}

static void steady_in_every_kind(const char *text, const bl_override *set, bl_index nset, bl_index n, const double complex *lambda,
                                 bl_index zeros) {
    for (int k = 0; k < KINDS; k++) {
        study s;
        find(text, set, nset, &(bl_modes_options){.coordinates = every_kind[k], .at = BL_MODES_AT_STEADY}, &s);
        expect(&s, n, lambda, zeros, 1e-10);
        end(&s);
    }
}

static void refused(const char *text, const bl_override *set, bl_index nset, bl_modes_options options, const char *says) {
    study s;
    assert_true(try_find(text, set, nset, &options, &s) < 0);
    if (!strstr(bl_context_error(s.ctx)->what, says))
        fail_msg("'%s' does not say '%s'", bl_context_error(s.ctx)->what, says);
    end(&s);
}

/* ---- M12: an upright disc. I lean'' with the direction of the track: lambda^2 = (4 g / (5 R)) - (12/5) (v / R)^2 */

static const char disc[] = "model: disc\ngravity: [0, 0, -9.81]\nparameters: {R: 0.5, m: 2, v: 3, yaw: 0, tilt: 0}\n"
                           "bodies: [{name: disc, mass: =m, center: [0, 0, =R], inertia: [=m*R^2/4, =m*R^2/2, =m*R^2/4]}]\n"
                           "joints: [{name: roll, type: rolling, bodies: [ground, disc], disc: =R, axis: [0, 1, 0]}]\n"
                           "initial: {disc: {velocity: [=v, 0, 0], angular_velocity: [0, =v/R, 0]}}\n";

static void upright_disc__has_its_eigenvalues(void **unused) {
    (void)unused;
    const double complex fast[] = {8.4085670599 * I}, slow[] = {-2.4690078979, 2.4690078979};
    for (int k = 0; k < KINDS; k++) {
        study s;
        bl_modes_options options = {.coordinates = every_kind[k], .at = BL_MODES_AT_STEADY};
        find(disc, &(bl_override){"v", 3}, 1, &options, &s);
        expect(&s, 1, fast, 6, 1e-10);
        assert_int_equal(s.report.stability, BL_MARGINAL);
        assert_string_equal(s.report.cyclic, "roll.spin_rate = 6");
        end(&s);
        find(disc, &(bl_override){"v", 1}, 1, &options, &s);
        double exact = sqrt(4 * G / (5 * 0.5) - 2.4 * 4);
        assert_near(exact, 2.4690078979, 1e-10);
        double complex got[2] = {value(&s.report.mode[s.report.nrigid]), value(&s.report.mode[s.report.nrigid + 1])};
        assert_int_equal(s.report.nmode - s.report.nrigid, 2);
        assert_near(fabs(creal(got[0])), creal(slow[1]), 1e-10);
        assert_near(creal(got[0] + got[1]), 0, 1e-10);
        assert_int_equal(s.report.stability, BL_UNSTABLE);
        end(&s);
    }
}

static void upright_disc__has_its_critical_speed(void **unused) {
    (void)unused;
    for (int k = 0; k < KINDS; k++) {
        study s = {.ctx = test_context(NULL)};
        bl_modes_options modes = {.coordinates = every_kind[k], .at = BL_MODES_AT_STEADY};
        bl_modes_path_options path = {.modes = &modes, .parameter = "v", .from = 0.5, .to = 3, .points = 11};
        bl_modes_path_report report = {0};
        assert_int_equal(bl_model_read_text(s.ctx, "text", disc, strlen(disc), NULL, 0, &s.model), BL_OK);
        if (bl_modes_path(s.ctx, s.model, &path, &report) != BL_OK)
            fail_msg("%s: %s", every_kind[k], bl_context_error(s.ctx)->what);
        assert_int_equal(report.ncrossing, 1);
        assert_false(report.crossing[0].unstable);
        assert_near(report.crossing[0].value, 1.2786711853, 1e-10);
        assert_near(report.crossing[0].value, sqrt(G * 0.5 / 3), 1e-11);
        bl_modes_path_report_destroy(s.ctx, &report);
        end(&s);
    }
}

/* ---- the same from the nonlinear equations: a disc set up with a small lean, beside x' = A x of the linear ones */

static bl_status keep_height(void *user, const bl_sample *sample) {
    double *at = user;
    const double *p = sample->probe, *q = p + 3; /* center, and a point on the axis */
    at[0] = asin((q[2] - p[2]) / hypot(hypot(q[0] - p[0], q[1] - p[1]), q[2] - p[2]));
    return BL_OK;
}

static void small_lean__grows_as_the_linear_equations_say(void **unused) {
    (void)unused;
    const double lean = 1e-5, speeds[] = {1, 3};
    for (int i = 0; i < 2; i++) {
        const double R = 0.5, v = speeds[i], until = 1;
        char text[1200];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\nbodies: [{name: disc, mass: 2, center: [0, %.17g, %.17g], inertia: [0.125, 0.25, 0.125], "
                 "axes: [[1, 0, 0], [0, %.17g, %.17g]]}]\n"
                 "joints: [{name: roll, type: rolling, bodies: [ground, disc], disc: 0.5, axis: [0, %.17g, %.17g]}]\n"
                 "probes: {C: {body: disc, at: [0, %.17g, %.17g]}, A: {body: disc, at: [0, %.17g, %.17g]}}\n"
                 "initial: {disc: {velocity: [%.17g, 0, 0], angular_velocity: [0, %.17g, %.17g]}}\n",
                 -R * sin(lean), R * cos(lean), cos(lean), sin(lean), cos(lean), sin(lean), -R * sin(lean), R * cos(lean),
                 (1 - R) * 0 - R * sin(lean) + cos(lean), R * cos(lean) + sin(lean), v, v / R * cos(lean), v / R * sin(lean));
        /* lean'' = a lean + b heading', heading' = c (lean - lean_0): lambda^2 = a + b c, a = 4 g / (5 R) */
        double a = 4 * G / (5 * R), square = a - 2.4 * (v / R) * (v / R), bc = square - a;
        double held = -bc * lean / square; /* lean'' = lambda^2 (lean - rest), rest = b c lean_0 / lambda^2 */
        double complex lambda = csqrt(square);
        double expected = creal(-held + (lean + held) * ccosh(lambda * until)), found = NAN;
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_sink sink = {.user = &found, .sample = keep_height, .want = BL_WANT_PROBES};
        assert_int_equal(bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), BL_OK);
        if (bl_simulate(ctx, model, &(bl_run_options){.until = until, .every = until, .tolerance = 1e-12}, &sink, 1, NULL) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        assert_near(found / lean, expected / lean, 1e-5);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* ---- a disc in a circle. In the frame of the track, axis at the angle th with the vertical, w1 = th', w2 = heading' sin th, w3 along the
 * axis, moments about the contact:
 *   (A + m R^2) w1' = -C w2 w3 + A w2^2 / tan th - m R^2 w2 w3 - m g R cos th,   A w2' = w1 (C w3 - A w2 / tan th),
 *   (C + m R^2) w3' = m R^2 w1 w2 */

static const double RADIUS = 0.5, MASS = 2;

static void rates(const double complex x[4], double complex out[4]) {
    double A = MASS * RADIUS * RADIUS / 4, C = 2 * A, m = 4 * A;
    double complex th = x[0], w1 = x[1], w2 = x[2], w3 = x[3], turning = w2 / ctan(th);
    out[0] = w1;
    out[1] = (-C * w2 * w3 + A * w2 * turning - m * w2 * w3 - MASS * G * RADIUS * ccos(th)) / (A + m);
    out[2] = w1 * (C * w3 - A * turning) / A;
    out[3] = m * w1 * w2 / (C + m);
}

/* lambda^2 of the pair that is not zero: lean'' = (a + b d + c e) lean */
static double squared(double th, double w2, double w3) {
    double by[4][4];
    for (int k = 0; k < 4; k++) {
        double complex x[4] = {th, 0, w2, w3}, out[4];
        x[k] += 1e-30 * I;
        rates(x, out);
        for (int i = 0; i < 4; i++)
            by[i][k] = cimag(out[i]) / 1e-30;
    }
    return by[1][0] + by[1][2] * by[2][1] + by[1][3] * by[3][1];
}

static void leaning_disc__in_a_circle(void **unused) {
    (void)unused;
    static const double cases[][2] = {{0.3, 1.5}, {0.3, -4}, {-0.5, 3}, {0.1, 0.4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double th = acos(-1.) / 2 + cases[i][0], heading = cases[i][1], A = MASS * RADIUS * RADIUS / 4, C = 2 * A, m = 4 * A;
        double w2 = heading * sin(th), w3 = (A * w2 * heading * cos(th) - MASS * G * RADIUS * cos(th)) / (w2 * (C + m));
        double e2[3] = {0, cos(th), sin(th)}, e3[3] = {0, -sin(th), cos(th)}; /* up in the disc, its axis */
        double omega[3], center[3];
        for (int k = 0; k < 3; k++) {
            omega[k] = w2 * e2[k] + w3 * e3[k];
            center[k] = RADIUS * e2[k];
        }
        char text[1200];
        snprintf(text, sizeof text,
                 "model: circle\ngravity: [0, 0, -9.81]\nbodies: [{name: disc, mass: 2, center: [0, %.17g, %.17g], inertia: [0.125, 0.125, "
                 "0.25], axes: [[1, 0, 0], [0, %.17g, %.17g]]}]\n"
                 "joints: [{name: roll, type: rolling, bodies: [ground, disc], disc: 0.5, axis: [0, %.17g, %.17g]}]\n"
                 "initial: {disc: {velocity: [%.17g, 0, 0], angular_velocity: [0, %.17g, %.17g]}}\n",
                 center[1], center[2], e2[1], e2[2], e3[1], e3[2], -w3 * RADIUS, omega[1], omega[2]);
        double complex lambda = csqrt(squared(th, w2, w3));
        assert_true(cimag(lambda) > 0);
        steady_in_every_kind(text, NULL, 0, 1, &(double complex){cimag(lambda) * I}, 6);
    }
}

/* ---- a ball on a turntable: v' = (2/7) W x v. It rests in space while the table runs below it, anywhere */

static const char table[] = "model: turntable\ngravity: [0, 0, -9.81]\nparameters: {W: 3, R: 0.1, m: 0.5, x0: 0.4, y0: -0.3}\n"
                            "bodies:\n  - {name: table, mass: 5, center: [0, 0, -0.02], inertia: [1, 1, 2]}\n"
                            "  - {name: ball, mass: =m, center: [=x0, =y0, =R], inertia: [=0.4*m*R^2, =0.4*m*R^2, =0.4*m*R^2]}\n"
                            "joints:\n  - {name: axle, type: revolute, bodies: [ground, table], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "  - {name: roll, type: rolling, bodies: [table, ball], ball: =R, through: [0, 0, 0]}\n"
                            "drivers: [{name: drive, variable: axle.angle, value: =W*t}]\n"
                            "initial: {ball: {velocity: [0, 0, 0], angular_velocity: [=W*x0/R, =W*y0/R, 0]}}\n";

static void ball_on_a_turntable__circles(void **unused) {
    (void)unused;
    const bl_override sets[][2] = {{{"W", 3}, {"x0", 0.4}}, {{"W", -7}, {"x0", 0}}};
    for (int k = 0; k < 2; k++)
        steady_in_every_kind(table, sets[k], 2, 1, &(double complex){fabs(sets[k][0].value) * 2 / 7 * I}, 6);
}

/* the table accelerates: v' = (2/7) (W x v + W' x r) */
static void table_that_accelerates__moves_the_ball(void **unused) {
    (void)unused;
    static const char *const input[] = {"drive"}, *const output[] = {"ball.x", "ball.y"};
    const double k = 2. / 7, W = 3, x0 = 0.4, y0 = -0.3, omega[] = {0.5, 2};
    for (int c = 0; c < KINDS; c++) {
        study s;
        bl_modes_options options = {
            .coordinates = every_kind[c], .at = BL_MODES_AT_STEADY, .input = input, .ninput = 1, .output = output, .noutput = 2};
        double H[2 * 2 * 2];
        find(table, NULL, 0, &options, &s);
        assert_int_equal(bl_linear_response(s.ctx, s.report.linear, 2, omega, H), BL_OK);
        for (int w = 0; w < 2; w++) {
            double complex r = omega[w] * I, x = (-k * k * W * x0 / r - k * y0) / (r * r + k * k * W * W), y = (k * W * x + k * x0 / r) / r;
            assert_near(cabs(complex_of(H[4 * w], H[4 * w + 1]) - x), 0, 1e-8);
            assert_near(cabs(complex_of(H[4 * w + 2], H[4 * w + 3]) - y), 0, 1e-8);
        }
        end(&s);
    }
}

/* ---- Chaplygin's sleigh straight ahead: w' = -c v w / (c^2 + I/m); backwards it turns round */

static const char sleigh[] = "model: sleigh\ndimension: 2\nparameters: {c: 0.2, v: 1, w: 0, a: 0.3}\n"
                             "bodies: [{name: sleigh, mass: 1, center: [=c*cos(a), =c*sin(a)], inertia: 0.1}]\n"
                             "joints: [{name: edge, type: blade, bodies: [ground, sleigh], at: [0, 0], along: [=cos(a), =sin(a)]}]\n"
                             "initial: {sleigh: {velocity: [=v*cos(a)-w*c*sin(a), =v*sin(a)+w*c*cos(a)], angular_velocity: =w}}\n";

static void sleigh__turns_until_it_goes_ahead(void **unused) {
    (void)unused;
    static const double speeds[] = {1, -1, 5};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            bl_override set[] = {{"v", speeds[i]}, {"a", k ? 0 : 2.1}};
            steady_in_every_kind(sleigh, set, 2, 1, &(double complex){-0.2 * speeds[i] / 0.14}, 4);
        }
    /* with the blade under the mass center any circle is steady, and nothing returns to it */
    bl_override circle[] = {{"c", 0}, {"w", 2}};
    steady_in_every_kind(sleigh, circle, 2, 0, NULL, 5);
    bl_override turns[] = {{"w", 1}};
    refused(sleigh, turns, 1, (bl_modes_options){.at = BL_MODES_AT_STEADY},
            "found no steady motion near the start: sleigh.angle_rate changes by");
    refused(sleigh, turns, 1, (bl_modes_options){.at = BL_MODES_AT_TIME, .time = 0.5}, "not a steady motion at t = 0.5 s");
    study s;
    find(sleigh, turns, 1, &(bl_modes_options){.at = BL_MODES_AT_TIME, .time = 0.5, .anyway = true}, &s); /* frozen */
    assert_true(s.report.acceleration > 0);
    end(&s);
}

/* ---- a trailer behind a straight path: sin b decays with -v / L; pushed it jackknifes */

static void trailer__follows_or_jackknifes(void **unused) {
    (void)unused;
    static const char text[] = "model: trailer\ndimension: 2\nparameters: {L: 2, v: 3}\n"
                               "bodies:\n  - {name: tractor, mass: 100, center: [0, 0], inertia: 50}\n"
                               "  - {name: trailer, mass: 10, center: [=-L, 0], inertia: 3}\n"
                               "joints:\n  - {name: rear, type: blade, bodies: [ground, tractor], at: [0, 0], along: [1, 0]}\n"
                               "  - {name: hitch, type: revolute, bodies: [tractor, trailer], at: [0, 0]}\n"
                               "  - {name: axle, type: blade, bodies: [ground, trailer], at: [=-L, 0], along: [1, 0]}\n"
                               "initial: {tractor: {velocity: [=v, 0], angular_velocity: 0}}\n";
    static const double speeds[] = {3, -3};
    for (int i = 0; i < 2; i++)
        steady_in_every_kind(text, &(bl_override){"v", speeds[i]}, 1, 1, &(double complex){-speeds[i] / 2}, 5);
}

/* ---- a cart with a torque at one wheel: A, B, C, D and the response, closed */

static const char cart[] = "model: cart\ngravity: [0, 0, -9.81]\nparameters: {R: 0.1, b: 0.2, d: 0.08, left: 0, v: 2}\n"
                           "bodies:\n  - {name: frame, mass: 6, center: [=d, 0, 0.12], inertia: [0.1, 0.15, 0.2]}\n"
                           "  - {name: wheel_l, mass: 0.5, center: [0, =b, =R], inertia: [0.0014, 0.0025, 0.0014]}\n"
                           "  - {name: wheel_r, mass: 0.5, center: [0, =-b, =R], inertia: [0.0014, 0.0025, 0.0014]}\n"
                           "joints:\n  - {name: axle_l, type: revolute, bodies: [frame, wheel_l], at: [0, =b, =R], axis: [0, 1, 0]}\n"
                           "  - {name: axle_r, type: revolute, bodies: [frame, wheel_r], at: [0, =-b, =R], axis: [0, 1, 0]}\n"
                           "  - {name: roll_l, type: rolling, bodies: [ground, wheel_l], disc: =R, axis: [0, 1, 0]}\n"
                           "  - {name: roll_r, type: rolling, bodies: [ground, wheel_r], disc: =R, axis: [0, 1, 0]}\n"
                           "  - {name: caster, type: point_on_plane, bodies: [ground, frame], at: [0.25, 0, 0], axis: [0, 0, 1]}\n"
                           "forces: [{name: motor, type: rotational_spring, variable: axle_l.angle, torque: =left}]\n"
                           "initial: {frame: {velocity: [=v, 0, 0], angular_velocity: [0, 0, 0]}}\n";

static bl_index index_of(const char *const *names, bl_index n, const char *name) {
    for (bl_index i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("there is no %s", name);
    return -1;
}

static double entry(const bl_linear_model *l, char matrix, const char *row, const char *column) {
    bool out = matrix == 'C' || matrix == 'D', in = matrix == 'B' || matrix == 'D';
    bl_index i = index_of(out ? l->output : l->state, out ? l->noutput : l->nstate, row);
    bl_index j = index_of(in ? l->input : l->state, in ? l->ninput : l->nstate, column);
    const double *values = matrix == 'A' ? l->A : matrix == 'B' ? l->B : matrix == 'C' ? l->C : l->D;
    return values[(size_t)j * (size_t)(out ? l->noutput : l->nstate) + (size_t)i];
}

static void cart__has_its_matrices(void **unused) {
    (void)unused;
    const double R = 0.1, b = 0.2, d = 0.08, J = 0.0025, M = 7, v = 2;
    double Iz = 0.2 + 6 * d * d + 2 * (0.0014 + 0.5 * b * b), turns = Iz + 2 * J * b * b / (R * R), goes = M + 2 * J / (R * R);
    double decay = 6 * d * v / turns, ahead = 1 / R / goes, yaw = -b / R / turns; /* v' and heading'' by torque */
    static const char *const input[] = {"left"}, *const output[] = {"frame.vx", "frame.vy", "axle_l.rate"};
    for (int k = 0; k < KINDS; k++) {
        study s;
        bl_modes_options options = {
            .coordinates = every_kind[k], .at = BL_MODES_AT_STEADY, .input = input, .ninput = 1, .output = output, .noutput = 3};
        find(cart, NULL, 0, &options, &s);
        expect(&s, 1, &(double complex){-decay}, 6, 1e-9);
        const bl_linear_model *l = s.report.linear;
        assert_int_equal(l->nstate, 7); /* 5 positions, 2 speeds */
        assert_near(entry(l, 'B', "axle_l.angle_rate", "left"), (ahead - b * yaw) / R, 1e-9);
        assert_near(entry(l, 'B', "axle_r.angle_rate", "left"), (ahead + b * yaw) / R, 1e-9);
        assert_near(entry(l, 'A', "axle_l.angle_rate", "axle_l.angle_rate"), -decay / 2, 1e-9);
        assert_near(entry(l, 'A', "axle_l.angle_rate", "axle_r.angle_rate"), decay / 2, 1e-9);
        assert_near(entry(l, 'A', "axle_l.angle", "axle_l.angle_rate"), 1, 1e-12);
        assert_near(entry(l, 'A', "roll_l.heading", "axle_r.angle_rate"), R / (2 * b), 1e-10);
        assert_near(entry(l, 'A', "frame.x", "axle_l.angle_rate"), R / 2, 1e-10);
        assert_near(entry(l, 'A', "frame.y", "roll_l.heading"), v, 1e-10);
        assert_near(entry(l, 'A', "frame.y", "axle_l.angle_rate"), -d * R / (2 * b), 1e-10);
        assert_near(entry(l, 'C', "frame.vy", "roll_l.heading"), v, 1e-10);
        assert_near(entry(l, 'C', "frame.vx", "axle_r.angle_rate"), R / 2, 1e-10);
        assert_near(entry(l, 'D', "frame.vx", "left"), 0, 1e-12);
        const double omega[] = {0.3, 2, 17};
        double H[3 * 3 * 2];
        assert_int_equal(bl_linear_response(s.ctx, l, 3, omega, H), BL_OK);
        for (int w = 0; w < 3; w++) { /* heading' = yaw / (i w + decay), sideways d heading' + v heading */
            double complex i = omega[w] * I, turning = yaw / (i + decay), forward = ahead / i;
            double complex expected[] = {forward, (d + v / i) * turning, (forward - b * turning) / R};
            for (int o = 0; o < 3; o++)
                assert_near(cabs(complex_of(H[2 * (3 * w + o)], H[2 * (3 * w + o) + 1]) - expected[o]), 0, 1e-9 * (1 + cabs(expected[o])));
        }
        end(&s);
    }
}

/* ---- a bicycle. Eigenvalues at 2, 5 and 8 m/s, and the speeds between which it balances itself, of the benchmark by J. P. Meijaard,
 * J. M. Papadopoulos, A. Ruina and A. L. Schwab, Linearized dynamics equations for the balance and steer of a bicycle, Proceedings of the
 * Royal Society A 463 (2007), tables 1 and 2; the first and the last from its matrices, (det(M s^2 + v C s + g K_0 + v^2 K_2) = 0) */

static const char bicycle[] =
    "model: bicycle\ngravity: [0, 0, -9.81]\nparameters: {v: 5, w: 1.02, c: 0.08, tilt: =pi/10, rR: 0.3, rF: 0.35}\nbodies:\n"
    "  - {name: rear_wheel, mass: 2, center: [0, 0, =rR], inertia: [0.0603, 0.12, 0.0603]}\n"
    "  - {name: frame, mass: 85, center: [0.3, 0, 0.9], inertia: [9.2, 11, 2.8, 0, -2.4, 0]}\n"
    "  - {name: fork, mass: 4, center: [0.9, 0, 0.7], inertia: [0.05892, 0.06, 0.00708, 0, 0.00756, 0]}\n"
    "  - {name: front_wheel, mass: 3, center: [=w, 0, =rF], inertia: [0.1405, 0.28, 0.1405]}\njoints:\n"
    "  - {name: steer, type: revolute, bodies: [frame, fork], at: [=w+c, 0, 0], axis: [=-sin(tilt), 0, =cos(tilt)]}\n"
    "  - {name: rear, type: revolute, bodies: [frame, rear_wheel], at: [0, 0, =rR], axis: [0, 1, 0]}\n"
    "  - {name: front, type: revolute, bodies: [fork, front_wheel], at: [=w, 0, =rF], axis: [0, 1, 0]}\n"
    "  - {name: roll_r, type: rolling, bodies: [ground, rear_wheel], disc: =rR, axis: [0, 1, 0]}\n"
    "  - {name: roll_f, type: rolling, bodies: [ground, front_wheel], disc: =rF, axis: [0, 1, 0]}\n"
    "initial: {frame: {velocity: [=v, 0, 0], angular_velocity: [0, 0, 0]}, steer.angle: 0}\n";

static void bicycle__has_its_published_eigenvalues(void **unused) {
    (void)unused;
    static const double slow[] = {-3.0715864564, 2.6823451752, 1.6806629659, -8.6738798483};
    static const double self_stable[] = {-0.32286642900409, -0.775341882195845, 4.46486771378823, -14.0783896927982};
    static const double fast[] = {0.1432787977, -2.6934868358, 8.4603797140, -20.2794089439};
    static const double speeds[] = {2, 5, 8}, *const values[] = {slow, self_stable, fast};
    for (int i = 0; i < 3; i++) {
        const double *e = values[i];
        double complex lambda[3] = {e[0], e[1] + e[2] * I, e[3]};
        qsort(lambda, 3, sizeof *lambda, by_size);
        for (int k = 0; k < KINDS; k++) {
            study s;
            find(bicycle, &(bl_override){"v", speeds[i]}, 1, &(bl_modes_options){.coordinates = every_kind[k], .at = BL_MODES_AT_STEADY},
                 &s);
            expect(&s, 3, lambda, 6, 1e-9);
            assert_int_equal(s.report.stability, i == 1 ? BL_MARGINAL : BL_UNSTABLE);
            end(&s);
        }
    }
}

static void bicycle__balances_itself_between_two_speeds(void **unused) {
    (void)unused;
    for (int k = 0; k < KINDS; k++) {
        study s = {.ctx = test_context(NULL)};
        bl_modes_options modes = {.coordinates = every_kind[k], .at = BL_MODES_AT_STEADY};
        bl_modes_path_options path = {.modes = &modes, .parameter = "v", .from = 3, .to = 8, .points = 11};
        bl_modes_path_report report = {0};
        assert_int_equal(bl_model_read_text(s.ctx, "text", bicycle, strlen(bicycle), NULL, 0, &s.model), BL_OK);
        if (bl_modes_path(s.ctx, s.model, &path, &report) != BL_OK)
            fail_msg("%s: %s", every_kind[k], bl_context_error(s.ctx)->what);
        assert_int_equal(report.ncrossing, 2);
        assert_false(report.crossing[0].unstable);
        assert_true(report.crossing[1].unstable);
        assert_near(report.crossing[0].value, 4.292382536341115, 1e-9); /* weave */
        /* capsize: zero where the speed has its own zero eigenvalue; rounding moves the pair by its root, at a slope of 0.08 */
        assert_near(report.crossing[1].value, 6.024262015388370, 1e-6);
        bl_modes_path_report_destroy(s.ctx, &report);
        end(&s);
    }
}

/* at rest: a wheel on a line between springs, all its positions among the states */
static void wheel_at_rest__has_its_matrices(void **unused) {
    (void)unused;
    static const char text[] =
        "model: wheel\ngravity: [0, 0, -9.81]\nparameters: {R: 0.2, m: 3, F: 0}\n"
        "bodies: [{name: wheel, mass: =m, center: [0, 0, =R], inertia: [0.03, 0.06, 0.03]}]\n"
        "joints: [{name: roll, type: rolling, bodies: [ground, wheel], ball: =R}]\n"
        "forces:\n  - {type: spring, bodies: [ground, wheel], at: [-1, 0, =R], to: [0, 0, =R], stiffness: 200, length: 1}\n"
        "  - {name: push, type: force, body: wheel, at: [0, 0, =R], force: [=F, 0, 0]}\n";
    static const char *const input[] = {"F"}, *const output[] = {"wheel.x"};
    for (int k = 0; k < KINDS; k++) {
        study s;
        find(text, NULL, 0, &(bl_modes_options){.coordinates = every_kind[k], .input = input, .ninput = 1, .output = output, .noutput = 1},
             &s);
        const bl_linear_model *l = s.report.linear;
        assert_int_equal(l->nstate, 8); /* 5 positions, 3 speeds */
        double H[2], omega = 3;
        assert_int_equal(bl_linear_response(s.ctx, l, 1, &omega, H), BL_OK);
        assert_near(H[0], 1 / (200 - 9 * (3 + 0.06 / 0.04)), 1e-12);
        assert_near(H[1], 0, 1e-14);
        end(&s);
    }
}

static void bodies_without_angles__are_named(void **unused) {
    (void)unused;
    static const char stone[] =
        "gravity: [0, 0, -9.81]\nbodies: [{name: stone, mass: 1, center: [0, 0, 0.02], inertia: [2e-4, 1.6e-3, 1.7e-3]}]\n"
        "joints: [{name: roll, type: rolling, bodies: [ground, stone], ellipsoid: [0.2, 0.03, 0.02]}]\n"
        "initial: {stone: {angular_velocity: [0, 0, 2]}}\n";
    refused(stone, NULL, 0, (bl_modes_options){.at = BL_MODES_AT_STEADY}, "stone.");
}

/* ---- memory */

static bl_status body(bl_context *ctx, void *user) {
    const char *text = user;
    bl_model *model = NULL;
    bl_modes_report report = {0};
    bl_modes_options options = {.at = BL_MODES_AT_STEADY, .linear = true};
    bl_status status = bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_modes(ctx, model, &options, NULL, 0, &report);
    bl_modes_report_destroy(ctx, &report);
    bl_model_destroy(model);
    return status;
}

static void missing_memory__is_an_error(void **unused) {
    (void)unused;
    static test_paths paths;
    const char *const texts[] = {disc, table, sleigh};
    for (int i = 0; i < 3; i++)
        test_failing_paths(&paths, body, (void *)texts[i], 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upright_disc__has_its_eigenvalues),
        cmocka_unit_test(upright_disc__has_its_critical_speed),
        cmocka_unit_test(small_lean__grows_as_the_linear_equations_say),
        cmocka_unit_test(leaning_disc__in_a_circle),
        cmocka_unit_test(ball_on_a_turntable__circles),
        cmocka_unit_test(table_that_accelerates__moves_the_ball),
        cmocka_unit_test(sleigh__turns_until_it_goes_ahead),
        cmocka_unit_test(trailer__follows_or_jackknifes),
        cmocka_unit_test(cart__has_its_matrices),
        cmocka_unit_test(bicycle__has_its_published_eigenvalues),
        cmocka_unit_test(bicycle__balances_itself_between_two_speeds),
        cmocka_unit_test(wheel_at_rest__has_its_matrices),
        cmocka_unit_test(bodies_without_angles__are_named),
        cmocka_unit_test(missing_memory__is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
