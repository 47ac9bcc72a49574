/* Finite displacements compared with closed forms: Freudenstein's four-bar, slider-cranks, dead points by the law of cosines, Bricard's
 * mechanism, change points, five-bars with two inputs, open chains; and the messages where it cannot continue. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct moved {
    bl_context *ctx;
    bl_model *model;
    bl_move_report report;
    bl_status status;
} moved;

static moved begin(const char *text) {
    moved m = {.ctx = test_context(NULL)};
    bool scene = strchr(text, '\n') == NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, text);
    bl_status status =
        scene ? bl_model_read(m.ctx, path, NULL, 0, &m.model) : bl_model_read_text(m.ctx, "test", text, strlen(text), NULL, 0, &m.model);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(m.ctx)->what);
    return m;
}

static void end(moved *m) {
    bl_move_report_destroy(m->ctx, &m->report);
    bl_model_destroy(m->model);
    test_context_end(m->ctx);
}

static bl_status go(moved *m, const bl_move_target *target, bl_index n) {
    bl_move_report_destroy(m->ctx, &m->report);
    m->status = bl_move(m->ctx, m->model, &(bl_move_options){.target = target, .ntarget = n}, NULL, 0, &m->report, NULL);
    return m->status;
}

static bl_status go_one(moved *m, const char *name, double value) { return go(m, &(bl_move_target){name, value}, 1); }

static double value(const moved *m, const char *name) {
    for (bl_index i = 0; i < m->report.nvariable; i++)
        if (strcmp(m->report.variable[i].name, name) == 0)
            return m->report.variable[i].value;
    fail_msg("no variable %s", name);
    return NAN;
}

static const double *probe(const moved *m, const char *name) {
    for (bl_index i = 0; i < m->report.nprobe; i++)
        if (strcmp(m->report.probe[i], name) == 0)
            return m->report.probe_at + 3 * i;
    fail_msg("no probe %s", name);
    return NULL;
}

static void says(const moved *m, const char *words) {
    if (!strstr(bl_context_error(m->ctx)->what, words))
        fail_msg("'%s' does not say '%s'", bl_context_error(m->ctx)->what, words);
}

static void near(double now, double exact, double tolerance) {
    if (!(fabs(now - exact) <= tolerance))
        fail_msg("%.17g is not %.17g: off by %.3g", now, exact, fabs(now - exact));
}

/* ---- closed forms */

/* C on the left of B D, crank angle a from x */
static void four_bar_C(double a, double C[2]) {
    double crank = 0.2, coupler = 0.5, rocker = 0.4, base = 0.5;
    double B[2] = {crank * cos(a), crank * sin(a)}, d[2] = {base - B[0], -B[1]}, dd = d[0] * d[0] + d[1] * d[1];
    double along = (coupler * coupler - rocker * rocker + dd) / (2 * dd), across = sqrt(coupler * coupler / dd - along * along);
    C[0] = B[0] + along * d[0] - across * d[1];
    C[1] = B[1] + along * d[1] + across * d[0];
}

static void four_bar__follows_freudenstein_over_many_turns(void **state) {
    (void)state;
    moved m = begin("four_bar");
    const double angle[] = {0.3, -1, 3.5, 7, -20, 40};
    for (size_t i = 0; i < sizeof angle / sizeof *angle; i++) {
        double C[2];
        assert_int_equal(go_one(&m, "A.angle", angle[i]), BL_OK);
        four_bar_C(pi / 2 + angle[i], C);
        near(probe(&m, "C")[0], C[0], 1e-12);
        near(probe(&m, "C")[1], C[1], 1e-12);
        near(value(&m, "A.angle"), angle[i], 1e-12);
        near(value(&m, "A.angle") + value(&m, "B.angle") + value(&m, "C.angle") - value(&m, "D.angle"), 0,
             1e-11); /* also full revolutions */
        assert_int_equal(m.report.mobility, 1);
        assert_int_equal(m.report.free, 0);
    }
    end(&m);
}

static void slider_crank__by_crank_and_by_slider(void **state) {
    (void)state;
    moved m = begin("slider_crank");
    for (double angle = -12; angle < 12; angle += 4.7) {
        assert_int_equal(go_one(&m, "A.angle", angle), BL_OK);
        double a = pi / 3 + angle;
        near(probe(&m, "C")[0], 0.2 * cos(a) + sqrt(0.25 - pow(0.2 * sin(a), 2)), 1e-12);
    }
    assert_int_equal(go_one(&m, "C.x", 0.65), BL_OK); /* a dependent coordinate: cosine by the law of cosines, crank on its side */
    near(pi / 3 + value(&m, "A.angle"), acos((0.65 * 0.65 + 0.04 - 0.25) / (2 * 0.65 * 0.2)), 1e-11);
    end(&m);
}

static void slider_crank__dead_points_of_the_slider(void **state) {
    (void)state;
    moved m = begin("slider_crank");
    double start = 0.1 + sqrt(0.25 - 0.03);
    assert_int_equal(go_one(&m, "guide.distance", 0.5), BL_E_NUMERIC);
    assert_int_equal(m.report.end, BL_MOVE_DEAD_POINT);
    assert_string_equal(m.report.joint, "B");
    near(value(&m, "guide.distance"), 0.7 - start, 1e-13);
    near(value(&m, "A.angle"), -pi / 3, 1e-6); /* the square root of rounding, and of the gap */
    says(&m, "guide.distance cannot move beyond 0.130958424");
    assert_int_equal(go_one(&m, "C.x", -1), BL_E_NUMERIC);
    near(probe(&m, "C")[0], 0.3, 1e-13);
    assert_int_equal(go_one(&m, "C.x", 0.7), BL_OK); /* the dead point itself can be reached */
    near(probe(&m, "C")[0], 0.7, 1e-13);
    end(&m);
}

/* non-Grashof: the crank moves until coupler and rocker are in line */
#define ROCKERS                                                                                                                         \
    "dimension: 2\npoints: {A: [0, 0], B: [0.4, 0.3], C: [0.9, 0.6], D: [1, 0]}\nbodies:\n"                                             \
    "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"                          \
    "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"      \
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n" \
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\n"

static void rockers__reach_is_the_law_of_cosines(void **state) {
    (void)state;
    moved m = begin("model: rockers\n" ROCKERS);
    double coupler = hypot(0.5, 0.3), rocker = hypot(0.1, 0.6), reach = coupler + rocker, a0 = atan2(0.3, 0.4);
    double most = acos((0.25 + 1 - reach * reach) / (2 * 0.5)) - a0;
    assert_int_equal(go_one(&m, "A.angle", 3), BL_E_NUMERIC);
    assert_int_equal(m.report.end, BL_MOVE_DEAD_POINT);
    assert_string_equal(m.report.joint, "C");
    near(value(&m, "A.angle"), most, 1e-13);
    near(m.report.share, most / 3, 1e-13);
    end(&m);
}

/* cos j2 = c / (1 - c), c = cos(pi/2 + j1): six redundant revolute joints, range 4 pi / 3 */
static void bricard__range_and_relation(void **state) {
    (void)state;
    moved m = begin("bricard");
    for (double angle = -0.5; angle < 3.6; angle += 0.41) {
        assert_int_equal(go_one(&m, "j1.angle", angle), BL_OK);
        double c = cos(pi / 2 + angle);
        near(cos(value(&m, "j2.angle")), c / (1 - c), 1e-11);
    }
    assert_int_equal(go_one(&m, "j1.angle", 2 * pi), BL_E_NUMERIC);
    assert_int_equal(m.report.end, BL_MOVE_DEAD_POINT);
    near(value(&m, "j1.angle"), 7 * pi / 6, 1e-12);
    assert_int_equal(go_one(&m, "j1.angle", -2 * pi), BL_E_NUMERIC);
    near(value(&m, "j1.angle"), -pi / 6, 1e-12);
    end(&m);
}

/* ---- singular configurations */

static void change_points__are_refused_by_name(void **state) {
    (void)state;
    moved m = begin("model: p\ndimension: 2\npoints: {A: [0, 0], B: [0.1, 0.2], C: [0.6, 0.2], D: [0.5, 0]}\nbodies:\n"
                    "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"
                    "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n"
                    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
                    "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n"
                    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n"
                    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\n");
    double flat = atan2(0.2, 0.1);
    for (int side = 0; side < 2; side++) {
        assert_int_equal(go_one(&m, "A.angle", side ? 20 : -20), BL_E_NUMERIC);
        assert_int_equal(m.report.end, BL_MOVE_BRANCHES);
        says(&m, "there, and only there, constraints of 'D' are redundant with A, B and C");
        near(value(&m, "A.angle"), side ? pi - flat : -flat, 1e-9);
        near(value(&m, "D.angle"), side ? pi - flat : -flat, 1e-9);
    }
    assert_int_equal(go_one(&m, "A.angle", pi - flat), BL_OK); /* up to it, and near it */
    near(value(&m, "D.angle"), pi - flat, 1e-9);
    assert_int_equal(go_one(&m, "A.angle", 1e-3 - flat), BL_OK);
    near(value(&m, "D.angle"), 1e-3 - flat, 1e-9);
    end(&m);
    moved c = begin("change_point_four_bar"); /* the crank points away from the base */
    assert_int_equal(go_one(&c, "A.angle", 9), BL_E_NUMERIC);
    near(value(&c, "A.angle"), pi / 2, 1e-9);
    end(&c);
}

/* Two equal parallelograms on one crank are flat at the same time: an even number of branches. */
static void change_points__also_two_at_once(void **state) {
    (void)state;
    moved m = begin("model: pp\ndimension: 2\npoints: {A: [0, 0], B: [0, 0.2], C: [0.5, 0.2], D: [0.5, 0], E: [-0.4, 0.2], F: [-0.4, 0]}\n"
                    "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"
                    "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\n  - {name: coupler2, rod: {from: B, to: E}, mass: 1}\n"
                    "  - {name: rocker2, rod: {from: E, to: F}, mass: 1}\njoints:\n"
                    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
                    "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n"
                    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n"
                    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\n"
                    "  - {name: B2, type: revolute, bodies: [crank, coupler2], at: B}\n"
                    "  - {name: E, type: revolute, bodies: [coupler2, rocker2], at: E}\n"
                    "  - {name: F, type: revolute, bodies: [ground, rocker2], at: F}\n");
    assert_int_equal(go_one(&m, "A.angle", 3), BL_E_NUMERIC);
    assert_int_equal(m.report.end, BL_MOVE_BRANCHES);
    near(value(&m, "A.angle"), pi / 2, 1e-9);
    end(&m);
}

static void starts__singular_or_dead_are_refused(void **state) {
    (void)state;
    moved flat = begin("model: f\ndimension: 2\npoints: {A: [0, 0], B: [0.2, 0], C: [0.7, 0], D: [0.5, 0]}\nbodies:\n"
                       "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"
                       "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n"
                       "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
                       "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n"
                       "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n"
                       "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\n");
    assert_int_equal(go_one(&flat, "A.angle", 1), BL_E_NUMERIC);
    assert_int_equal(flat.report.end, BL_MOVE_BRANCHES);
    says(&flat, "the starting configuration is singular");
    end(&flat);
    moved dead = begin("model: d\ndimension: 2\npoints: {A: [0, 0], B: [0.2, 0], C: [0.7, 0]}\nbodies:\n"
                       "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: rod, rod: {from: B, to: C}, mass: 1}\n"
                       "  - {name: slider, mass: 1, center: C, inertia: 0.01}\njoints:\n"
                       "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
                       "  - {name: B, type: revolute, bodies: [crank, rod], at: B}\n"
                       "  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"
                       "  - {name: guide, type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\n");
    assert_int_equal(go_one(&dead, "guide.distance", -0.1), BL_E_NUMERIC); /* up or down is undetermined */
    assert_int_equal(dead.report.end, BL_MOVE_BRANCHES);
    says(&dead, "more than one motion leads to -0.1");
    assert_int_equal(go_one(&dead, "guide.distance", 0.1), BL_E_NUMERIC);
    assert_int_equal(dead.report.end, BL_MOVE_DEAD_POINT);
    assert_int_equal(go_one(&dead, "A.angle", 1), BL_OK); /* the crank determines the direction */
    end(&dead);
}

/* ---- several targets */

#define FIVE_BAR                                                                                                        \
    "dimension: 2\npoints: {A: [0, 0], B: [0, 0.4], P: [0.35, 0.8], C: [0.7, 0.4], D: [0.7, 0]}\nbodies:\n"             \
    "  - {name: a, rod: {from: A, to: B}, mass: 1}\n  - {name: b, rod: {from: B, to: P}, mass: 1}\n"                    \
    "  - {name: c, rod: {from: P, to: C}, mass: 1}\n  - {name: d, rod: {from: C, to: D}, mass: 1}\njoints:\n"           \
    "  - {name: A, type: revolute, bodies: [ground, a], at: A}\n  - {name: B, type: revolute, bodies: [a, b], at: B}\n" \
    "  - {name: P, type: revolute, bodies: [b, c], at: P}\n  - {name: C, type: revolute, bodies: [c, d], at: C}\n"      \
    "  - {name: D, type: revolute, bodies: [ground, d], at: D}\nprobes: {P: {body: b, at: P}}\n"

static void five_bar__goes_where_its_tip_shall_be(void **state) {
    (void)state;
    moved m = begin("model: five\n" FIVE_BAR);
    const bl_move_target tip[] = {{"P.x", 0.5}, {"P.y", 0.6}};
    assert_int_equal(go(&m, tip, 2), BL_OK);
    assert_int_equal(m.report.mobility, 2);
    assert_int_equal(m.report.free, 0);
    /* elbows by the law of cosines, each on its outer side in the given configuration */
    double l = hypot(0.35, 0.4), r1 = hypot(0.5, 0.6), r2 = hypot(0.2, 0.6);
    double a = atan2(0.6, 0.5) + acos((0.16 + r1 * r1 - l * l) / (2 * 0.4 * r1));
    double d = atan2(0.6, -0.2) - acos((0.16 + r2 * r2 - l * l) / (2 * 0.4 * r2));
    near(value(&m, "A.angle"), a - pi / 2, 1e-12);
    near(value(&m, "D.angle"), d - pi / 2, 1e-12);
    const bl_move_target angles[] = {{"A.angle", a - pi / 2}, {"D.angle", d - pi / 2}};
    assert_int_equal(go(&m, angles, 2), BL_OK);
    near(probe(&m, "P")[0], 0.5, 1e-12);
    near(probe(&m, "P")[1], 0.6, 1e-12);
    assert_int_equal(go_one(&m, "P.y", 3), BL_E_NUMERIC);
    assert_int_equal(m.report.end, BL_MOVE_DEAD_POINT);
    double top = sqrt(pow(0.4 + l, 2) - 0.35 * 0.35); /* both arms stretched, by symmetry of the masses */
    near(probe(&m, "P")[1], top, 1e-9);
    end(&m);
}

static void targets__that_contradict_are_named(void **state) {
    (void)state;
    moved m = begin("four_bar");
    double C[2];
    four_bar_C(pi / 2 + 1, C);
    assert_int_equal(go(&m, (const bl_move_target[]){{"A.angle", 1}, {"C.x", 0.4}}, 2), BL_E_NUMERIC);
    assert_int_equal(m.report.end, BL_MOVE_CONTRADICTS);
    says(&m, "C.x = 0.4 contradicts the other targets: with A.angle = 1");
    assert_int_equal(go(&m, (const bl_move_target[]){{"A.angle", 1}, {"C.x", C[0]}}, 2), BL_OK);
    assert_int_equal(go(&m, (const bl_move_target[]){{"A.angle", 1}, {"A.angle", 1}}, 2), BL_E_ARG);
    assert_int_equal(go_one(&m, "A.angel", 1), BL_E_ARG);
    assert_int_equal(go_one(&m, "A.angle", NAN), BL_E_ARG);
    end(&m);
}

static void fixed_variables__are_named(void **state) {
    (void)state;
    moved m = begin("model: t\n" ROCKERS "  - {name: bar, type: rod, bodies: [crank, ground], at: B, to: D}\n");
    if (m.model) {
        assert_int_equal(go_one(&m, "A.angle", 1), BL_E_NUMERIC);
        assert_int_equal(m.report.end, BL_MOVE_FIXED);
        says(&m, "A.angle cannot move");
    }
    end(&m);
}

/* ---- degrees of freedom without a target */

/* Rods of 1 m and 1 kg in line; the first one is moved: the other follows with the least energy, w1 a + w2 b = 0 for its momentum. */
static void open_chain__moves_with_the_least_energy(void **state) {
    (void)state;
    moved m = begin("model: c\ndimension: 2\npoints: {O: [0, 0], P: [1, 0], Q: [2, 0]}\nbodies:\n"
                    "  - {name: a, rod: {from: O, to: P}, mass: 1}\n  - {name: b, rod: {from: P, to: Q}, mass: 1}\njoints:\n"
                    "  - {name: p, type: revolute, bodies: [ground, a], at: O}\n  - {name: q, type: revolute, bodies: [a, b], at: P}\n"
                    "probes: {Q: {body: b, at: Q}}\n");
    assert_int_equal(go_one(&m, "p.angle", 1e-3), BL_OK);
    assert_int_equal(m.report.free, 1);
    near((value(&m, "p.angle") + value(&m, "q.angle")) / 1e-3, -1.5, 1e-5); /* T = 2/3 w1^2 + w1 w2 / 2 + w2^2 / 6 */
    assert_int_equal(go(&m, (const bl_move_target[]){{"p.angle", 2}, {"q.angle", -5}}, 2), BL_OK);
    near(probe(&m, "Q")[0], cos(2) + cos(-3), 1e-13);
    near(probe(&m, "Q")[1], sin(2) + sin(-3), 1e-13);
    assert_int_equal(go(&m, (const bl_move_target[]){{"Q.x", 1.2}, {"Q.y", 0.7}}, 2),
                     BL_E_NUMERIC); /* stretched: up or down is undetermined */
    end(&m);
}

static void drivers__hold_where_that_leaves_targets_free(void **state) {
    (void)state;
    moved m = begin("model: five\n" FIVE_BAR "drivers: [{variable: A.angle, value: =t}, {variable: D.angle, value: =-t}]\n");
    assert_int_equal(go_one(&m, "A.angle", 0.3), BL_OK);
    near(value(&m, "D.angle"), 0, 1e-12);
    assert_int_equal(m.report.nreleased, 0);
    assert_int_equal(go_one(&m, "P.x", 0.4), BL_OK); /* the first one is held, the second must move */
    near(value(&m, "A.angle"), 0, 1e-12);
    assert_int_equal(m.report.nreleased, 1);
    assert_string_equal(m.report.released[0], "D.angle");
    end(&m);
}

/* a displacement begins at the equilibrium found by `equilibrium` */
static void starts__at_rest_where_the_model_asks_for_it(void **state) {
    (void)state;
    moved m = begin("model: hang\ndimension: 2\ngravity: [0, -9.81]\nbodies: [{name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                    "joints: [{name: p, type: revolute, bodies: [ground, a], at: [0, 0]}]\ninitial: {equilibrium: true}\n");
    assert_int_equal(go_one(&m, "p.angle", 0.5), BL_OK);
    near(m.report.variable[0].from, -pi / 2, 1e-8); /* it hangs down */
    near(value(&m, "p.angle"), 0.5, 1e-12);
    end(&m);
}

/* ---- in space, and samples in all coordinates */

typedef struct last {
    double t, variable[16], probe[12];
    bl_index nvariable, nprobe;
    long samples;
    double drift, first;
} last;

static bl_status begin_last(void *user, const bl_run_info *info) {
    last *l = user;
    l->nvariable = info->nvariable;
    l->nprobe = info->nprobe;
    assert_true(info->nvariable <= 16 && info->nprobe <= 4);
    return BL_OK;
}

static bl_status take_last(void *user, const bl_sample *sample) {
    last *l = user;
    if (l->samples++ == 0)
        l->first = sample->t;
    assert_true(l->samples == 1 || sample->t > l->t);
    l->t = sample->t;
    l->drift = fmax(l->drift, sample->drift);
    memcpy(l->variable, sample->variable, (size_t)l->nvariable * sizeof(double));
    memcpy(l->probe, sample->probe, 3 * (size_t)l->nprobe * sizeof(double));
    return BL_OK;
}

static void coordinates__of_samples_all_agree(void **state) {
    (void)state;
    static const struct {
        const char *scene, *name;
        double to;
    } way[] = {{"four_bar", "A.angle", 8},
               {"slider_crank", "A.angle", -5},
               {"spatial_slider_crank", "crank.angle", 9},
               {"bricard", "j1.angle", 2},
               {"jansen_leg", "O.angle", 4},
               {"double_pendulum", "j1.angle", 3},
               {"flyball_governor", "shaft.angle", 2},
               {"slider_crank", "C.x", 0.69}};
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        moved m = begin(way[i].scene);
        last first = {0};
        for (size_t k = 0; k < 4; k++) {
            last now = {0};
            bl_sink sink = {.user = &now, .begin = begin_last, .sample = take_last};
            bl_move_target target = {way[i].name, way[i].to};
            bl_move_report_destroy(m.ctx, &m.report);
            bl_status status =
                bl_move(m.ctx, m.model, &(bl_move_options){.target = &target, .ntarget = 1, .samples = 20, .coordinates = kinds[k]}, &sink,
                        1, &m.report, NULL);
            if (status != BL_OK)
                fail_msg("%s in %s: %s", way[i].scene, kinds[k], bl_context_error(m.ctx)->what);
            assert_int_equal(now.samples, 21);
            assert_true(now.first == 0 && now.t == 1 && now.drift < 1e-11);
            for (bl_index v = 0; v < now.nvariable; v++) {
                near(now.variable[v], m.report.variable[v].value, 1e-9);
                near(now.variable[v], k == 0 ? now.variable[v] : first.variable[v], 1e-9);
            }
            for (bl_index p = 0; p < 3 * now.nprobe; p++)
                near(now.probe[p], m.report.probe_at[p], 1e-9);
            if (k == 0)
                first = now;
        }
        end(&m);
    }
}

static void failures__hand_out_everything_up_to_there(void **state) {
    (void)state;
    moved m = begin("slider_crank");
    last l = {0};
    bl_sink sink = {.user = &l, .begin = begin_last, .sample = take_last};
    bl_run_summary summary = {0};
    bl_move_target target = {"guide.distance", 0.5};
    assert_int_equal(bl_move(m.ctx, m.model, &(bl_move_options){.target = &target, .ntarget = 1}, &sink, 1, NULL, &summary), BL_E_NUMERIC);
    double share = (0.6 - sqrt(0.22)) / 0.5;
    near(l.t, share, 1e-12);
    assert_int_equal(l.samples, (long)(share * 100) + 2);
    near(summary.t, share, 1e-12);
    end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bar__follows_freudenstein_over_many_turns),
        cmocka_unit_test(slider_crank__by_crank_and_by_slider),
        cmocka_unit_test(slider_crank__dead_points_of_the_slider),
        cmocka_unit_test(rockers__reach_is_the_law_of_cosines),
        cmocka_unit_test(bricard__range_and_relation),
        cmocka_unit_test(change_points__are_refused_by_name),
        cmocka_unit_test(change_points__also_two_at_once),
        cmocka_unit_test(starts__singular_or_dead_are_refused),
        cmocka_unit_test(five_bar__goes_where_its_tip_shall_be),
        cmocka_unit_test(targets__that_contradict_are_named),
        cmocka_unit_test(fixed_variables__are_named),
        cmocka_unit_test(open_chain__moves_with_the_least_energy),
        cmocka_unit_test(drivers__hold_where_that_leaves_targets_free),
        cmocka_unit_test(starts__at_rest_where_the_model_asks_for_it),
        cmocka_unit_test(coordinates__of_samples_all_agree),
        cmocka_unit_test(failures__hand_out_everything_up_to_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
