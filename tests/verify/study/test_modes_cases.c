/* Modes, damped and in motion, and state matrices: closed forms and numbers found by two computations, from the scenes, in every kind of
 * coordinates. */
#include "biela/biela.h"
#include "support/failing.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const char *const every_kind[] = {"natural", "mixed", "reference", "relative"};
enum { KINDS = 4 };

typedef struct study {
    bl_context *ctx;
    bl_model *model;
    bl_modes_report report;
} study;

static bl_status try_find(const char *scene, const bl_override *set, bl_index nset, const bl_modes_options *options, study *s) {
    char path[512];
    *s = (study){.ctx = test_context(NULL)};
    snprintf(path, sizeof path, "%s/%.200s.yaml", SCENES, scene);
    bl_status status = strchr(scene, '\n') ? bl_model_read_text(s->ctx, "text", scene, strlen(scene), set, nset, &s->model)
                                           : bl_model_read(s->ctx, path, set, nset, &s->model);
    return status == BL_OK ? bl_modes(s->ctx, s->model, options, NULL, 0, &s->report) : status;
}

static void find(const char *scene, const bl_override *set, bl_index nset, const bl_modes_options *options, study *s) {
    if (try_find(scene, set, nset, options, s) != BL_OK)
        fail_msg("%.40s in %s: %s", scene, options && options->coordinates ? options->coordinates : "its coordinates",
                 bl_context_error(s->ctx)->what);
}

static void end(study *s) {
    bl_modes_report_destroy(s->ctx, &s->report);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

/* eigenvalues that are not zero, ascending in size */
static void expect(const study *s, bl_index n, const double (*lambda)[2], double tolerance) {
    bl_index rigid = s->report.nrigid;
    assert_int_equal(s->report.nmode - rigid, n);
    for (bl_index k = 0; k < n; k++) {
        const bl_mode *m = &s->report.mode[rigid + k];
        double size = hypot(lambda[k][0], lambda[k][1]);
        if (!(hypot(m->re - lambda[k][0], m->im - lambda[k][1]) <= tolerance * (1 + size)))
            fail_msg("%s: eigenvalue %d is %.12g + %.12g i, not %.12g + %.12g i", s->report.coordinates, (int)k + 1, m->re, m->im,
                     lambda[k][0], lambda[k][1]);
        assert_true(!(m->residual > 1e-10));
        if (lambda[k][1] != 0) {
            assert_near(m->frequency, size / (2 * PI), tolerance * (1 + size));
            assert_near(m->damped_frequency, lambda[k][1] / (2 * PI), tolerance * (1 + size));
            assert_near(m->damping, -lambda[k][0] / size, 10 * tolerance);
        } else if (s->report.is_complex) {
            assert_true(isnan(m->frequency));
        }
    }
}

/* the same in every kind of coordinates, and between kinds to 1e-9 */
static void in_every_kind(const char *scene, const bl_override *set, bl_index nset, bl_modes_options options, bl_index n,
                          const double (*lambda)[2], double tolerance) {
    double first[16][2];
    for (int c = 0; c < KINDS; c++) {
        study s;
        options.coordinates = every_kind[c];
        find(scene, set, nset, &options, &s);
        expect(&s, n, lambda, tolerance);
        double most = 0;
        for (bl_index k = 0; k < n; k++)
            most = fmax(most, hypot(lambda[k][0], lambda[k][1]));
        for (bl_index k = 0; k < n && k < 16; k++) {
            const bl_mode *m = &s.report.mode[s.report.nrigid + k];
            if (c == 0)
                first[k][0] = m->re, first[k][1] = m->im;
            assert_near(m->re, first[k][0], 1e-9 * (most < 100 ? 1 : most));
            assert_near(m->im, first[k][1], 1e-9 * (most < 100 ? 1 : most));
        }
        end(&s);
    }
}

static double value_of(const study *s, const char *variable) {
    for (bl_index i = 0; i < s->report.nvariable; i++)
        if (strcmp(s->report.variable[i], variable) == 0)
            return s->report.value[i];
    fail_msg("no variable %s", variable);
    return NAN;
}

static bl_index index_of(const char *const *names, bl_index n, const char *name) {
    for (bl_index i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("there is no %s", name);
    return -1;
}

static double entry(const study *s, char matrix, const char *row, const char *column) {
    const bl_linear_model *l = s->report.linear;
    assert_non_null(l);
    bool out = matrix == 'C' || matrix == 'D', in = matrix == 'B' || matrix == 'D';
    bl_index i = index_of(out ? l->output : l->state, out ? l->noutput : l->nstate, row);
    bl_index j = index_of(in ? l->input : l->state, in ? l->ninput : l->nstate, column);
    const double *values = matrix == 'A' ? l->A : matrix == 'B' ? l->B : matrix == 'C' ? l->C : l->D;
    return values[(size_t)j * (size_t)(out ? l->noutput : l->nstate) + (size_t)i];
}

static void refused(const char *scene, const bl_override *set, bl_index nset, bl_modes_options options, const char *says) {
    study s;
    bl_status status = try_find(scene, set, nset, &options, &s);
    assert_true(status < 0);
    if (!strstr(bl_context_error(s.ctx)->what, says))
        fail_msg("'%s' does not say '%s'", bl_context_error(s.ctx)->what, says);
    assert_int_equal(s.report.nmode, 0);
    end(&s);
}

/* ---- at rest */

static void pendulums_and_chains__have_their_frequencies(void **unused) {
    (void)unused;
    static const double points[][2] = {{0, 2.397199397864086}, {0, 5.787351298036095}};
    static const double rods[][2] = {{0, 2.6801140122533753}, {0, 7.188670870287715}};
    static const double bricard[][2] = {{0, 1.2428493078498228}};
    static const bl_override same[] = {{"l2", 1}, {"m2", 1}};
    double chain[10][2] = {{0}};
    for (int j = 0; j < 10; j++)
        chain[j][1] = 2 * sqrt(50) * sin((j + 1) * PI / 22);
    in_every_kind("point_pendulums", NULL, 0, (bl_modes_options){0}, 2, points, 1e-10);
    in_every_kind("double_pendulum", same, 2, (bl_modes_options){0}, 2, rods, 1e-10);
    in_every_kind("mass_chain", NULL, 0, (bl_modes_options){0}, 10, (const double(*)[2])chain, 1e-11);
    in_every_kind("bricard", NULL, 0, (bl_modes_options){0}, 1, bricard, 1e-9);
    in_every_kind("bricard_cut", NULL, 0, (bl_modes_options){0}, 1, bricard, 1e-9);
}

static void vehicle__has_its_frequencies_in_every_kind(void **unused) {
    (void)unused;
    static const double hertz[] = {1.3660137411275406, 1.5895072116176885, 1.6891196461301539, 11.802674008731215,
                                   11.814189586915424, 11.823039008617819, 11.833609442069271};
    double lambda[7][2] = {{0}};
    for (int k = 0; k < 7; k++)
        lambda[k][1] = 2 * PI * hertz[k];
    in_every_kind("vehicle", NULL, 0, (bl_modes_options){0}, 7, (const double(*)[2])lambda, 1e-9);
}

static void four_bar__swings_damped_and_undamped(void **unused) {
    (void)unused;
    static const double hanging[][2] = {{0, 10.001834699331347}}, damped[][2] = {{-1.0924245090636688, 9.94199708533178}};
    in_every_kind("four_bar", NULL, 0, (bl_modes_options){0}, 1, hanging, 1e-11);
    in_every_kind("damped_four_bar", NULL, 0, (bl_modes_options){0}, 1, damped, 1e-11);
    for (int c = 0; c < KINDS; c++) {
        study s;
        find("damped_four_bar", NULL, 0, &(bl_modes_options){.coordinates = every_kind[c]}, &s);
        assert_int_equal(s.report.stability, BL_STABLE);
        assert_near(s.report.mode[0].damping, 0.10922241187776285, 1e-11);
        assert_near(entry(&s, 'A', "A.angle", "A.angle_rate"), 1, 0);
        assert_near(entry(&s, 'A', "A.angle_rate", "A.angle"), -100.03669735274858, 1e-8);
        assert_near(entry(&s, 'B', "A.angle_rate", "A.torque"), 43.696980362546746, 1e-8);
        assert_near(entry(&s, 'C', "C.x", "A.angle"), 0.030929460693619275, 1e-10);
        assert_near(entry(&s, 'C', "C.y", "A.angle"), 0.03915660954700677, 1e-10);
        assert_near(entry(&s, 'C', "A.angle", "A.angle"), 1, 1e-14);
        assert_near(entry(&s, 'D', "C.x", "A.torque"), 0, 0);
        end(&s);
    }
}

/* upright: unstable, as an equilibrium that any search may find */
static void four_bar_upright__falls_with_its_rate(void **unused) {
    (void)unused;
    static const char *const names[] = {"A.angle"};
    for (int c = 0; c < KINDS; c++) {
        study s;
        bl_equilibrium_options any = {.any = true};
        find("four_bar", NULL, 0, &(bl_modes_options){.coordinates = every_kind[c], .equilibrium = &any, .output = names, .noutput = 1},
             &s);
        if (fabs(sin(value_of(&s, "A.angle") + PI / 2 - 1.495746484348169)) < 1e-6 && s.report.mode[0].re > 0) {
            assert_near(s.report.mode[0].re, 6.531309151419004, 1e-9);
            assert_near(entry(&s, 'A', "A.angle_rate", "A.angle"), 6.531309151419004 * 6.531309151419004, 1e-7);
            assert_int_equal(s.report.stability, BL_UNSTABLE);
        } else {
            assert_near(s.report.mode[0].im, 10.001834699331347, 1e-9);
        }
        end(&s);
    }
}

static void cart_and_rod__have_their_matrices(void **unused) {
    (void)unused;
    static const double A[2] = {-2.053255813953488, 17.794883720930233}, B[2] = {0.9302325581395348, -1.3953488372093021};
    for (int c = 0; c < KINDS; c++) {
        study s;
        find("inverted_pendulum", NULL, 0, &(bl_modes_options){.coordinates = every_kind[c]}, &s);
        assert_int_equal(s.report.nrigid, 1);
        assert_int_equal(s.report.linear->nstate, 4);
        assert_string_equal(s.report.linear->state[0], "track.distance");
        assert_near(entry(&s, 'A', "track.distance_rate", "pivot.angle"), A[0], 1e-12);
        assert_near(entry(&s, 'A', "pivot.angle_rate", "pivot.angle"), A[1], 1e-11);
        assert_near(entry(&s, 'A', "pivot.angle_rate", "track.distance"), 0, 1e-12);
        assert_near(entry(&s, 'B', "track.distance_rate", "track.force"), B[0], 1e-13);
        assert_near(entry(&s, 'B', "pivot.angle_rate", "track.force"), B[1], 1e-13);
        assert_near(entry(&s, 'C', "tip.x", "pivot.angle"), 1, 1e-14);
        assert_near(entry(&s, 'C', "tip.x", "track.distance"), 1, 1e-14);
        end(&s);
    }
}

static void follower_force__makes_the_column_flutter(void **unused) {
    (void)unused;
    static const double below[][2] = {{0, 0.7071067811865476}, {0, 1}};
    static const double above[][2] = {{0.1689774854626312, 0.8237435223376715}, {-0.1689774854626312, 0.8237435223376715}};
    static const double damped_1[][2] = {{-0.005650904558963065, 0.46804604415423645}, {-0.16934909544103707, 1.501130890162681}};
    static const double damped_2[][2] = {{0.04821683473657099, 0.6759248196538655}, {-0.22321683473657122, 1.019326373953758}};
    in_every_kind("ziegler_column", &(bl_override){"P", 2}, 1, (bl_modes_options){0}, 2, below, 1e-11);
    in_every_kind("ziegler_column", &(bl_override){"P", 2.2}, 1, (bl_modes_options){0}, 2, above, 1e-11);
    const bl_override one[] = {{"P", 1}, {"damping", 0.1}}, two[] = {{"P", 2}, {"damping", 0.1}};
    in_every_kind("ziegler_column", one, 2, (bl_modes_options){0}, 2, damped_1, 1e-11);
    in_every_kind("ziegler_column", two, 2, (bl_modes_options){0}, 2, damped_2, 1e-11);
}

static void quarter_car__has_its_damping(void **unused) {
    (void)unused;
    static const double lambda[][2] = {{-2.076764348645398, 7.589493989049772}, {-19.173235651354624, 66.91686755339813}};
    in_every_kind("quarter_car", NULL, 0, (bl_modes_options){0}, 2, lambda, 1e-10);
}

/* the road as input: its value and rate are states, its acceleration the input; compared with the equations of two masses */
static void driver__is_an_input_by_its_acceleration(void **unused) {
    (void)unused;
    const double mb = 300, mw = 40, k = 2e4, kt = 1.8e5, c = 1500;
    for (int i = 0; i < KINDS; i++) {
        study s;
        find("quarter_car", NULL, 0, &(bl_modes_options){.coordinates = every_kind[i]}, &s);
        assert_int_equal(s.report.linear->nstate, 6);
        assert_near(entry(&s, 'A', "hub.distance_rate", "bump"), kt / mw, 1e-7);
        assert_near(entry(&s, 'A', "seat.distance_rate", "bump"), 0, 1e-9);
        assert_near(entry(&s, 'A', "hub.distance_rate", "hub.distance"), -(k + kt) / mw, 1e-7);
        assert_near(entry(&s, 'A', "seat.distance_rate", "hub.distance"), k / mb, 1e-9);
        assert_near(entry(&s, 'A', "seat.distance_rate", "hub.distance_rate"), c / mb, 1e-10);
        assert_near(entry(&s, 'A', "bump", "bump_rate"), 1, 0);
        assert_near(entry(&s, 'B', "bump_rate", "bump"), 1, 0);
        assert_near(entry(&s, 'B', "hub.distance_rate", "bump"), 0, 1e-10);
        assert_near(entry(&s, 'C', "seat.vy", "seat.distance_rate"), 1, 1e-13);
        assert_near(entry(&s, 'C', "seat.distance", "bump"), 0, 1e-13);
        end(&s);
    }
}

/* mass, spring, massless node, damper: lambda (m c lambda^2 + m k lambda + k c) = 0, and the node has no frequency of its own */
static void motion_without_mass__follows_its_damper(void **unused) {
    (void)unused;
    static const char text[] =
        "model: Maxwell\ndimension: 2\n"
        "bodies:\n  - {name: m, mass: 1, center: [1, 0], inertia: 0.1}\n  - {name: node, mass: 0, center: [0.5, 0], inertia: 0}\n"
        "joints:\n  - {name: M, type: prismatic, bodies: [ground, m], at: [1, 0], axis: [1, 0]}\n"
        "  - {name: N, type: prismatic, bodies: [ground, node], at: [0.5, 0], axis: [1, 0]}\n"
        "forces:\n  - {type: spring, bodies: [m, node], at: [1, 0], to: [0.5, 0], stiffness: 100}\n"
        "  - {type: friction, variable: N.distance, viscous: 20}\n";
    const double lambda[][2] = {{-2.5, sqrt(93.75)}};
    in_every_kind(text, NULL, 0, (bl_modes_options){0}, 1, lambda, 1e-10);
    study s;
    find(text, NULL, 0, NULL, &s);
    assert_int_equal(s.report.nmassless, 1);
    assert_int_equal(s.report.nrigid, 1);
    end(&s);
    static const char *const in[] = {"M.force"};
    refused(text, NULL, 0, (bl_modes_options){.input = in, .ninput = 1}, "have no mass");
}

/* no degree of freedom except a driver's: its value and rate are the states, the force that moves it an output */
static void driven_linkage__has_the_states_of_its_driver(void **unused) {
    (void)unused;
    static const char text[] = "model: crank\ndimension: 2\ngravity: [0, -9.81]\n"
                               "bodies: [{name: crank, rod: {from: [0, 0], to: [2, 0]}, mass: 3}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}]\n"
                               "drivers: [{name: motor, variable: A.angle, value: 0.5}]\nprobes: {tip: {body: crank, at: [2, 0]}}\n";
    static const char *const in[] = {"motor"}, *const out[] = {"tip.y", "tip.vy", "motor.force"};
    for (int c = 0; c < KINDS; c++) {
        study s;
        find(text, NULL, 0, &(bl_modes_options){.coordinates = every_kind[c], .input = in, .ninput = 1, .output = out, .noutput = 3}, &s);
        assert_int_equal(s.report.nmode, 0);
        assert_int_equal(s.report.linear->nstate, 2);
        assert_near(entry(&s, 'C', "tip.y", "motor"), 2 * cos(0.5), 1e-12);
        assert_near(entry(&s, 'C', "tip.vy", "motor_rate"), 2 * cos(0.5), 1e-12);
        assert_near(entry(&s, 'C', "motor.force", "motor"), -3 * 9.81 * sin(0.5), 1e-9);
        assert_near(entry(&s, 'D', "motor.force", "motor"), 4, 1e-11); /* m l^2 / 3 */
        end(&s);
    }
}

/* ---- in motion */

/* a disc on springs and dampers at its center, spinning freely; a sliding sled with a swinging load */
static void free_spin_and_slide__are_steady(void **unused) {
    (void)unused;
    static const char disc[] = "model: disc\ndimension: 2\nbodies: [{name: disc, mass: 2, center: [0, 0], inertia: 0.3}]\n"
                               "forces: [{type: force, body: disc, force: [\"=-200*P.x - 3*P.vx\", \"=-200*P.y - 3*P.vy\"]}]\n"
                               "probes: {P: {body: disc, at: [0, 0]}}\ninitial: {disc: {angular_velocity: 50}}\n";
    static const char sled[] =
        "model: sled\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n  - {name: sled, mass: 4, center: [0, 0], inertia: 1}\n  - {name: load, rod: {from: [0, 0], to: [0, -1]}, mass: 1}\n"
        "joints:\n  - {name: track, type: prismatic, bodies: [ground, sled], at: [0, 0], axis: [1, 0]}\n"
        "  - {name: hook, type: revolute, bodies: [sled, load], at: [0, 0]}\n"
        "initial: {track.rate: 5, hook.angle: 0.1, hook.rate: 0}\n";
    const double whirl[][2] = {{-0.75, sqrt(100 - 0.5625)}, {-0.75, sqrt(100 - 0.5625)}}, swing[][2] = {{0, sqrt(14.715 / 0.85)}};
    in_every_kind(disc, NULL, 0, (bl_modes_options){.at = BL_MODES_AT_STEADY}, 2, whirl, 1e-10);
    in_every_kind(sled, NULL, 0, (bl_modes_options){.at = BL_MODES_AT_STEADY}, 1, swing, 1e-10);
    study s;
    find(disc, NULL, 0, &(bl_modes_options){.at = BL_MODES_AT_STEADY}, &s);
    assert_int_equal(s.report.mode[2].group, s.report.mode[1].group);
    assert_int_equal(s.report.nrigid, 1);
    end(&s);
}

static void governor_with_one_ball__stands_off_and_swings(void **unused) {
    (void)unused;
    static const double lambda[][2] = {{0, 5.030616264435203}};
    in_every_kind("watt_governor", NULL, 0, (bl_modes_options){0}, 1, lambda, 1e-10);
    for (int c = 0; c < KINDS; c++) {
        study s;
        find("watt_governor", NULL, 0, &(bl_modes_options){.coordinates = every_kind[c]}, &s);
        assert_true(s.report.moving);
        assert_near(value_of(&s, "arm.angle") + 0.8, 0.9944072120586994, 1e-11);
        assert_non_null(strstr(s.report.cyclic, "shaft.angle_rate = 6"));
        end(&s);
    }
}

static void flyball_governor__driven_and_free(void **unused) {
    (void)unused;
    static const double driven[][2] = {{-3.6608852872418995e-07, 5.466240531706803},
                                       {-20.1467350211526, 0},
                                       {-20.690191044203296, 0},
                                       {-652.042421255701, 0},
                                       {-3182.1697699193155, 0}};
    static const double freely[][2] = {{-9.117963988010402e-06, 6.455914162772185},
                                       {-20.147709919798288, 0},
                                       {-20.69019104420324, 0},
                                       {-652.0424212557004, 0},
                                       {-3182.1687775169216, 0}};
    in_every_kind("driven_governor", NULL, 0, (bl_modes_options){0}, 5, driven, 1e-9);
    in_every_kind("flyball_governor", NULL, 0, (bl_modes_options){.at = BL_MODES_AT_STEADY}, 5, freely, 1e-9);
    for (int c = 0; c < KINDS; c++) {
        study s;
        find("driven_governor", NULL, 0, &(bl_modes_options){.coordinates = every_kind[c]}, &s);
        /* the slowest decay, which friction alone would hide: 9 digits below the fastest */
        assert_near(s.report.mode[0].re, -3.6608852872418995e-07, 2e-9);
        assert_near(value_of(&s, "slide.distance") + 0.5, 0.6921647026479312, 1e-10);
        assert_near(PI / 6 + value_of(&s, "hinge1.angle"), 0.3127130943147405, 1e-10);
        end(&s);
    }
}

static void turntable__splits_and_is_unstable_between(void **unused) {
    (void)unused;
    static const double even[][2] = {{0, 7}, {0, 13}};
    static const double between[][2] = {{0.9958931373431487, 0}, {-0.9958931373431487, 0}, {0, 22.067890772364432}};
    static const double below[][2] = {{0, 2.812496230065037}, {0, 19.08113898476374}};
    static const double above[][2] = {{0, 1.72602648303339}, {0, 24.06285171337485}};
    const bl_override eleven[] = {{"speed", 11}, {"ky", 144}}, eight[] = {{"speed", 8}, {"ky", 144}}, fast[] = {{"speed", 13}, {"ky", 144}};
    in_every_kind("turntable", NULL, 0, (bl_modes_options){0}, 2, even, 1e-10);
    in_every_kind("turntable", eleven, 2, (bl_modes_options){0}, 3, between, 1e-10);
    in_every_kind("turntable", eight, 2, (bl_modes_options){0}, 2, below, 1e-10);
    in_every_kind("turntable", fast, 2, (bl_modes_options){0}, 2, above, 1e-10);
}

static void top__sleeps_when_it_spins_fast(void **unused) {
    (void)unused;
    static const double fast[][2] = {{0, 2.862073130102831}, {0, 17.137926869897168}};
    static const double slow[][2] = {{4.904079934095692, 5}, {-4.904079934095692, 5}};
    in_every_kind("sleeping_top", &(bl_override){"spin", 80}, 1, (bl_modes_options){0}, 2, fast, 1e-10);
    in_every_kind("sleeping_top", &(bl_override){"spin", 40}, 1, (bl_modes_options){0}, 2, slow, 1e-10);
    for (int i = 0; i < 2; i++) { /* the critical spin, from both sides */
        study s;
        find("sleeping_top", &(bl_override){"spin", 56.02856414365801 + (i ? 1e-3 : -1e-3)}, 1, NULL, &s);
        assert_int_equal(s.report.stability, i ? BL_MARGINAL : BL_UNSTABLE);
        end(&s);
    }
}

/* ---- motions that are not steady */

static void motions_that_are_not_steady__are_refused_by_name(void **unused) {
    (void)unused;
    static const char driven[] = "model: pendulum on a crank\ndimension: 2\ngravity: [0, -9.81]\n"
                                 "bodies:\n  - {name: crank, rod: {from: [0, 0], to: [0.3, 0]}, mass: 1}\n"
                                 "  - {name: bob, rod: {from: [0.3, 0], to: [0.3, -1]}, mass: 1}\n"
                                 "joints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
                                 "  - {name: B, type: revolute, bodies: [crank, bob], at: [0.3, 0]}\n"
                                 "drivers: [{name: drive, variable: A.angle, value: =5*t}]\n";
    refused("four_bar", NULL, 0, (bl_modes_options){.at = BL_MODES_AT_STEADY}, "the equations depend on A.angle");
    refused("four_bar", NULL, 0, (bl_modes_options){.at = BL_MODES_AT_TIME, .time = 0.1}, "A.angle");
    refused(driven, NULL, 0, (bl_modes_options){.at = BL_MODES_AT_STEADY}, "A.angle");
    refused("double_pendulum", NULL, 0, (bl_modes_options){.at = BL_MODES_AT_STEADY}, "nothing moves");
    refused("heavy_top", NULL, 0, (bl_modes_options){.at = BL_MODES_AT_STEADY}, "top.x");
    refused("friction_slider_crank", NULL, 0, (bl_modes_options){.at = BL_MODES_AT_STEADY}, "friction");
    study s;
    find("four_bar", NULL, 0, &(bl_modes_options){.at = BL_MODES_AT_STEADY, .anyway = true}, &s); /* frozen */
    assert_true(s.report.acceleration > 0);
    end(&s);
}

/* with springs fixed to the ground a turntable cannot rotate steadily, and at phases of symmetry the derivative alone would not show it */
static void symmetric_phase__does_not_hide_what_turns(void **unused) {
    (void)unused;
    static const char text[] = "model: table\ndimension: 2\n"
                               "bodies:\n  - {name: table, mass: 2, center: [0, 0], inertia: 0.5}\n"
                               "  - {name: bead, mass: 1, center: [0.2, 0], inertia: 0.01}\n"
                               "joints:\n  - {name: axle, type: revolute, bodies: [ground, table], at: [0, 0]}\n"
                               "  - {name: slot, type: prismatic, bodies: [table, bead], at: [0.2, 0], axis: [1, 0]}\n"
                               "drivers: [{name: drive, variable: axle.angle, value: =2*t}]\n"
                               "forces: [{type: spring, bodies: [ground, bead], at: [3, 0], to: [0.2, 0], stiffness: 50, length: 2.8}]\n";
    for (int c = 0; c < KINDS; c++)
        refused(text, NULL, 0, (bl_modes_options){.at = BL_MODES_AT_STEADY, .coordinates = every_kind[c]}, "axle.angle");
}

static void names_that_are_none__are_refused(void **unused) {
    (void)unused;
    static const char *const wrong[] = {"A.angel"}, *const geometry[] = {"crank"};
    refused("four_bar", NULL, 0, (bl_modes_options){.input = wrong, .ninput = 1}, "unknown input 'A.angel'");
    refused("four_bar", NULL, 0, (bl_modes_options){.output = wrong, .noutput = 1}, "unknown output 'A.angel'");
    refused("four_bar", NULL, 0, (bl_modes_options){.input = geometry, .ninput = 1}, "cannot be an input");
    refused("bathe_2dof", NULL, 0, (bl_modes_options){.input = wrong, .ninput = 1}, "need bodies");
}

/* ---- over a parameter */

static void follow(const char *scene, const bl_override *set, bl_index nset, bl_modes_path_options options, bl_index n, const double *value,
                   const double *omega, const bool *unstable, double tolerance) {
    study s = {.ctx = test_context(NULL)};
    bl_modes_path_report over = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/%.200s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(s.ctx, path, set, nset, &s.model), BL_OK);
    if (bl_modes_path(s.ctx, s.model, &options, &over) != BL_OK)
        fail_msg("%s", bl_context_error(s.ctx)->what);
    assert_int_equal(over.ncrossing, n);
    for (bl_index k = 0; k < n; k++) {
        assert_near(over.crossing[k].value, value[k], tolerance);
        assert_near(over.crossing[k].omega, omega[k], 1e-4);
        assert_true(over.crossing[k].unstable == unstable[k]);
    }
    /* curves: no eigenvalue changes by more than the change of the parameter explains */
    for (bl_index p = 1; p < over.path->npoint; p++)
        for (bl_index k = 0; k < over.path->nmode; k++) {
            size_t at = (size_t)p * (size_t)over.path->nmode + (size_t)k, before = at - (size_t)over.path->nmode;
            assert_true(hypot(over.path->re[at] - over.path->re[before], over.path->im[at] - over.path->im[before]) < 2.5);
        }
    bl_modes_path_report_destroy(s.ctx, &over);
    end(&s);
}

static void stability__changes_where_closed_forms_say(void **unused) {
    (void)unused;
    const double flutter = 3.5 - sqrt(2), swing = pow(0.5, 0.25);
    const bool grows[] = {true, false}, settles[] = {false};
    for (int c = 0; c < KINDS; c++) {
        bl_modes_options in = {.coordinates = every_kind[c]};
        bl_modes_path_options column = {.modes = &in, .parameter = "P", .from = 1, .to = 3, .points = 21};
        follow("ziegler_column", NULL, 0, column, 1, &flutter, &swing, grows, 1e-10);
        follow("ziegler_column", &(bl_override){"damping", 0.1}, 1, column, 1, &(double){1.4692857142857154}, &(double){0.5345224838},
               grows, 1e-10);
        follow("ziegler_column", &(bl_override){"damping", 0.001}, 1, column, 1, &(double){1.4642862142858448}, &(double){0.5345224838},
               grows, 1e-9);
        bl_modes_path_options table = {.modes = &in, .parameter = "speed", .from = 5, .to = 15, .points = 11};
        follow("turntable", &(bl_override){"ky", 144}, 1, table, 2, (const double[]){10, 12}, (const double[]){0, 0}, grows, 1e-9);
        bl_modes_path_options top = {.modes = &in, .parameter = "spin", .from = 40, .to = 80, .points = 21};
        follow("sleeping_top", NULL, 0, top, 1, &(double){56.02856414365801}, &(double){7.0035705}, settles, 1e-9);
    }
    /* the section of the model gives the same */
    follow("ziegler_column", NULL, 0, (bl_modes_path_options){0}, 1, &flutter, &swing, grows, 1e-10);
}

/* a period of a mode as a motion: begins and ends in the same configuration, passes the opposite one */
static double shown[64];
static bl_index nshown;
static bl_status keep(void *user, const bl_sample *sample) {
    (void)user;
    if (nshown < 64)
        shown[nshown++] = sample->body[0].position[1];
    return BL_OK;
}

static void animated_mode__comes_back(void **unused) {
    (void)unused;
    study s = {.ctx = test_context(NULL)};
    char path[512];
    snprintf(path, sizeof path, "%s/point_pendulums.yaml", SCENES);
    assert_int_equal(bl_model_read(s.ctx, path, NULL, 0, &s.model), BL_OK);
    bl_sink sink = {.sample = keep};
    nshown = 0;
    bl_modes_options options = {.animate = 2, .frames = 20};
    assert_int_equal(bl_modes(s.ctx, s.model, &options, &sink, 1, &s.report), BL_OK);
    assert_int_equal(nshown, 21);
    assert_near(shown[0], shown[20], 1e-12);
    assert_near(shown[5], -1, 1e-9); /* through the equilibrium */
    assert_near(shown[10], shown[0], 1e-9);
    assert_true(shown[0] > -1 + 1e-4);
    bl_modes_report_destroy(s.ctx, &s.report);
    options.animate = 7;
    assert_int_equal(bl_modes(s.ctx, s.model, &options, &sink, 1, &s.report), BL_E_ARG);
    end(&s);
}

/* ---- reactions, forces and parameters as outputs and inputs: compared with equilibria with slightly more load */

static double reaction_under(double P) {
    static const char text[] = "model: boom\ndimension: 2\ngravity: [0, -9.81]\nparameters: {P: 1}\n"
                               "bodies: [{name: boom, rod: {from: [0, 0], to: [2, 0]}, mass: 3}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, boom], at: [0, 0]}]\n"
                               "forces:\n  - {type: rotational_spring, variable: A.angle, stiffness: 200}\n"
                               "  - {name: push, type: force, body: boom, at: [2, 0], force: [=P, 0]}\n";
    static const char *const in[] = {"P"}, *const out[] = {"reaction.A.fx", "reaction.A.fy", "A.angle"};
    study s;
    find(text, &(bl_override){"P", P}, 1, &(bl_modes_options){.input = in, .ninput = 1, .output = out, .noutput = 3}, &s);
    /* static gain  D - C A^-1 B  of one degree of freedom, compared with the derivative of the equilibrium angle: dtheta/dP = -l sin / H */
    double gain = -entry(&s, 'B', "A.angle_rate", "P") / entry(&s, 'A', "A.angle_rate", "A.angle");
    double angle = value_of(&s, "A.angle"), moment = -2 * sin(angle), H = 200 - 3 * 9.81 * sin(angle) + P * 2 * cos(angle);
    assert_near(gain, moment / H, 1e-10);
    /* at rest the joint carries the weight minus the applied force, whatever the angle */
    double fx = entry(&s, 'D', "reaction.A.fx", "P") + entry(&s, 'C', "reaction.A.fx", "A.angle") * gain;
    double fy = entry(&s, 'D', "reaction.A.fy", "P") + entry(&s, 'C', "reaction.A.fy", "A.angle") * gain;
    assert_near(fx, -1, 1e-9);
    assert_near(fy, 0, 1e-9);
    end(&s);
    return fx;
}

static void reactions__follow_loads(void **unused) {
    (void)unused;
    reaction_under(1);
    reaction_under(40);
}

/* ---- random chains of damped rods: eigenvalues of A are the modes, in all kinds the same */

static void random_chains__agree_between_kinds(void **unused) {
    (void)unused;
    test_random random = {test_seed(20261)};
    for (int round = 0; round < 6; round++) {
        char text[2048];
        size_t used = 0;
        int n = 2 + (int)(3 * test_random_unit(&random));
        double at[2] = {0, 0}, next[2];
#define SAY(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
        char joints[1024], forces[1024];
        size_t uj = 0, uf = 0;
        SAY("model: chain\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n");
        for (int i = 0; i < n; i++) {
            double angle = PI * test_random_unit(&random), l = 0.3 + test_random_unit(&random);
            next[0] = at[0] + l * cos(angle), next[1] = at[1] - l * sin(angle);
            SAY("  - {name: b%d, rod: {from: [%.6f, %.6f], to: [%.6f, %.6f]}, mass: %.4f}\n", i, at[0], at[1], next[0], next[1],
                0.5 + test_random_unit(&random));
            uj += (size_t)snprintf(joints + uj, sizeof joints - uj,
                                   "  - {name: j%d, type: revolute, bodies: [%s%d, b%d], at: [%.6f, %.6f]}\n", i, i ? "b" : "ground #",
                                   i ? i - 1 : 0, i, at[0], at[1]);
            uf += (size_t)snprintf(forces + uf, sizeof forces - uf,
                                   "  - {type: rotational_spring, variable: j%d.angle, stiffness: %.4f, damping: %.4f}\n", i,
                                   60 + 60 * test_random_unit(&random), test_random_unit(&random));
            at[0] = next[0], at[1] = next[1];
        }
#undef SAY
        char *ground = strstr(joints, "ground #0");
        memmove(ground + 6, ground + 9, strlen(ground + 9) + 1);
        snprintf(text + used, sizeof text - used, "joints:\n%sforces:\n%s", joints, forces);
        double first[16][2];
        for (int c = 0; c < KINDS; c++) {
            study s;
            find(text, NULL, 0, &(bl_modes_options){.coordinates = every_kind[c], .count = -1, .linear = true}, &s);
            double trace = 0, sum = 0;
            for (bl_index k = 0; k < s.report.linear->nstate; k++)
                trace += s.report.linear->A[(size_t)k * (size_t)(s.report.linear->nstate + 1)];
            for (bl_index k = 0; k < s.report.nmode; k++) {
                const bl_mode *m = &s.report.mode[k];
                sum += m->re * (m->im != 0 ? 2 : 1);
                if (c == 0)
                    first[k][0] = m->re, first[k][1] = m->im;
                assert_near(m->re, first[k][0], 1e-9 * (1 + fabs(m->re)));
                assert_near(m->im, first[k][1], 1e-9 * (1 + fabs(m->im)));
                assert_true(m->re < 0);
            }
            assert_near(sum, trace, 1e-9 * fabs(trace));
            end(&s);
        }
    }
}

/* ---- memory */

typedef struct failing {
    const char *scene;
    bl_modes_options options;
    bool path;
} failing;

static bl_status body(bl_context *ctx, void *user) {
    const failing *f = user;
    char path[512];
    bl_model *model = NULL;
    bl_modes_report report = {0};
    snprintf(path, sizeof path, "%s/%.200s.yaml", SCENES, f->scene);
    bl_modes_path_report over = {0};
    bl_status status = bl_model_read(ctx, path, NULL, 0, &model);
    if (status == BL_OK)
        status = bl_modes(ctx, model, &f->options, NULL, 0, &report);
    if (status == BL_OK && f->path)
        status = bl_modes_path(ctx, model, &(bl_modes_path_options){.parameter = "P", .from = 1, .to = 1.2, .points = 2}, &over);
    bl_modes_path_report_destroy(ctx, &over);
    bl_modes_report_destroy(ctx, &report);
    bl_model_destroy(model);
    return status;
}

/* a disc on a wire: 20 rad/s, damped by 0.1; its center is at rest, so that shapes are measured in rotations */
static void disc_on_a_wire__turns_about_its_axis(void **unused) {
    (void)unused;
    static const char text[] = "model: disc\ndimension: 3\n"
                               "bodies: [{name: disc, mass: 4, center: [0, 0, 0], inertia: [0.01, 0.01, 0.02]}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, disc], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
                               "forces: [{type: rotational_spring, variable: A.angle, stiffness: 8, damping: 0.08}]\n";
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    for (int c = 0; c < 4; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_modes_report report = {0};
        assert_int_equal(bl_model_read_text(ctx, "disc", text, strlen(text), NULL, 0, &model), BL_OK);
        if (bl_modes(ctx, model, &(bl_modes_options){.coordinates = kinds[c]}, NULL, 0, &report) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        assert_int_equal(report.nmode, 1);
        assert_near(report.mode[0].re, -2, 1e-12);
        assert_near(report.mode[0].im, sqrt(396), 1e-11);
        assert_near(report.mode[0].motion[0].angular_velocity[2], 1, 1e-12);
        bl_modes_report_destroy(ctx, &report);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void missing_memory__is_an_error(void **unused) {
    (void)unused;
    static test_paths paths;
    failing cases[] = {{"quarter_car", {.count = -1}, false},
                       {"watt_governor", {.linear = true}, false},
                       {"damped_four_bar", {0}, false},
                       {"ziegler_column", {0}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_failing_paths(&paths, body, &cases[i], 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulums_and_chains__have_their_frequencies),
        cmocka_unit_test(vehicle__has_its_frequencies_in_every_kind),
        cmocka_unit_test(four_bar__swings_damped_and_undamped),
        cmocka_unit_test(four_bar_upright__falls_with_its_rate),
        cmocka_unit_test(cart_and_rod__have_their_matrices),
        cmocka_unit_test(follower_force__makes_the_column_flutter),
        cmocka_unit_test(quarter_car__has_its_damping),
        cmocka_unit_test(driver__is_an_input_by_its_acceleration),
        cmocka_unit_test(motion_without_mass__follows_its_damper),
        cmocka_unit_test(driven_linkage__has_the_states_of_its_driver),
        cmocka_unit_test(free_spin_and_slide__are_steady),
        cmocka_unit_test(governor_with_one_ball__stands_off_and_swings),
        cmocka_unit_test(flyball_governor__driven_and_free),
        cmocka_unit_test(turntable__splits_and_is_unstable_between),
        cmocka_unit_test(top__sleeps_when_it_spins_fast),
        cmocka_unit_test(motions_that_are_not_steady__are_refused_by_name),
        cmocka_unit_test(symmetric_phase__does_not_hide_what_turns),
        cmocka_unit_test(names_that_are_none__are_refused),
        cmocka_unit_test(stability__changes_where_closed_forms_say),
        cmocka_unit_test(animated_mode__comes_back),
        cmocka_unit_test(reactions__follow_loads),
        cmocka_unit_test(random_chains__agree_between_kinds),
        cmocka_unit_test(disc_on_a_wire__turns_about_its_axis),
        cmocka_unit_test(missing_memory__is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
