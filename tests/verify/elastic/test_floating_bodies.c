/* Meshed bodies reduced to shapes relative to a frame: a slider-crank against the reference motion of elastic rods; momenta; statics in
 * closed form; a spinning bar; stiff bodies against rigid ones; files; what cannot be reduced. */
#include "biela/reduce.h"
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;

static void expect(const char *what, double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s: %.12g, expected %.12g within %.2g", what, a, b, tolerance);
}

/* ---- a rigid crank at a constant rate, a rod of plane stress (EA = 2e5, EI = 20, mass 0.5 kg/m), a slider */

static const char crank[] =
    "dimension: 2\nmaterials: {m: {type: elastic, E: 5773502.6919, nu: 0.0416667, density: 14.43375673}}\nbodies:\n"
    "  - {name: crank, rod: {from: [0, 0], to: [0.1, 0]}, mass: 0.1}\n"
    "  - {name: rod, mesh: {rectangle: {from: [0.1, -0.0173205080757], to: [0.6, 0.0173205080757], n: [20, 2]}, element: quad8,"
    " sets: {middle: \"abs(x - 0.35) < 1e-6\"}}, plane: stress, material: m, coordinates: floating, modes: %d, stiffening: %s,"
    " interfaces: [{name: a, set: left}, {name: b, set: right}, {name: m, set: middle}]}\n"
    "  - {name: slider, mass: 0.25, center: [0.6, 0], inertia: 0.001}\njoints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod.a], at: [0.1, 0]}\n"
    "  - {name: C, type: revolute, bodies: [rod.b, slider], at: [0.6, 0]}\n"
    "  - {name: D, type: prismatic, bodies: [ground, slider], at: [0.6, 0], axis: [1, 0]}\n"
    "drivers: [{variable: A.angle, value: =40*t}]\n"
    "probes: {pin: {body: rod.a, at: [0.1, 0]}, middle: {body: rod.m, at: [0.35, 0]}, end: {body: rod.b, at: [0.6, 0]}}\n";
/* after quarters of a turn: slider, deflection of the middle; beams of Reissner's model by another program, extrapolated */
static const double slider_at[4][2] = {{0.48984, 1.7906e-3}, {0.40005, -2.170e-4}, {0.48989, -1.364e-3}, {0.60001, -3.289e-4}};

typedef struct deflection {
    double slider, across; /* tolerances */
    double first;          /* deflection after a quarter */
    int seen;
} deflection;

static void deflect(const bl_sample *s, const test_ending *run, void *user) {
    deflection *d = user;
    int quarter = (int)lround(s->t * 80 / PI);
    if (quarter < 1 || quarter > 4 || fabs(s->t - quarter * PI / 80) > 1e-9)
        return;
    const double *a = s->probe, *m = s->probe + 3, *b = s->probe + 6;
    double across = ((b[0] - a[0]) * (m[1] - a[1]) - (b[1] - a[1]) * (m[0] - a[0])) / hypot(b[0] - a[0], b[1] - a[1]);
    test_close(run, "the slider", b[0], slider_at[quarter - 1][0], d->slider);
    test_close(run, "the deflection", across, slider_at[quarter - 1][1], d->across);
    d->first = quarter == 1 ? across : d->first;
    d->seen++;
}

static void turn_crank(int modes, const char *stiffening, const char *coordinates, deflection *d) {
    char text[sizeof crank + 64];
    test_ending end;
    snprintf(text, sizeof text, crank, modes, stiffening);
    test_one_way(text,
                 &(bl_run_options){.until = PI / 20,
                                   .every = PI / 80,
                                   .coordinates = coordinates,
                                   .formulation = "ggl",
                                   .integrator = "trbdf2",
                                   .tolerance = 1e-4},
                 deflect, &end, d);
    test_no_warning(&end);
    assert_int_equal(d->seen, 4);
    test_close(&end, "the energy error", end.energy_error, 0, 1e-3); /* of 4 J */
}

/* 1 % of the largest deflection is 1.8e-5. Both halves of the rod have the same modes, so that their number is even. */
static void slider_crank__deflects_as_its_reference(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    turn_crank(0, "linear", NULL, &(deflection){1.5e-4, 2.7e-5, 0, 0});
    turn_crank(2, "linear", NULL, &(deflection){4e-5, 1.8e-5, 0, 0});
    for (int i = 0; i < 4; i++)
        turn_crank(6, "linear", kinds[i], &(deflection){1e-5, 5e-6, 0, 0});
}

/* Without stiffening the axial force, about 40 N, acts along the end of the rod at the crank instead of its line: a fifth of the critical
 * load of a cantilever of this length, pi^2 EI / 4 L^2 = 197 N. The rod seems stiffer by about that. */
static void axial_force__needs_stiffening(void **unused) {
    (void)unused;
    deflection d = {1e-4, 4e-4, 0, 0};
    turn_crank(6, "none", NULL, &d);
    assert_true(d.first < 0.85 * slider_at[0][1] && d.first > 0.75 * slider_at[0][1]);
}

/* ---- momenta: a free plate, whose nodes all belong to three interfaces; lumped masses, so that they move as particles */

typedef struct momenta {
    double start[3], worst[2], turn;
    bool begun;
} momenta;

static void take_momenta(const bl_sample *s, const test_ending *run, void *user) {
    static const double mass[3] = {0.25, 0.5, 0.25}, order[3] = {0, 2, 1}; /* interfaces a, b, m: left, right, middle */
    momenta *m = user;
    double now[3] = {0}, angle[3], c, sn;
    (void)run;
    for (int i = 0; i < 3; i++)
        angle[i] = 2 * atan2(s->body[i].quaternion[3], s->body[i].quaternion[0]);
    c = cos(angle[0]), sn = sin(angle[0]);
    for (int i = 0; i < 3; i++)
        for (int side = -1; side <= 1; side += 2) {
            const bl_pose *at = &s->body[i];
            double o = 0.5 * side, theta = sin(angle[i] - angle[0]), w = s->body[0].angular_velocity[2];
            double rate = cos(angle[i] - angle[0]) * (at->angular_velocity[2] - w), share = mass[(int)order[i]];
            double local[2] = {-theta * o, o}, r[2], v[2]; /* small rotations in the axes of the first frame */
            double arm[2] = {c * local[0] - sn * local[1], sn * local[0] + c * local[1]};
            r[0] = at->position[0] + arm[0];
            r[1] = at->position[1] + arm[1];
            v[0] = at->velocity[0] - w * arm[1] - c * rate * o;
            v[1] = at->velocity[1] + w * arm[0] - sn * rate * o;
            now[0] += share * v[0];
            now[1] += share * v[1];
            now[2] += share * (r[0] * v[1] - r[1] * v[0]);
            m->turn = fmax(m->turn, fabs(theta));
        }
    const bl_pose *load = &s->body[3];
    now[0] += 0.5 * load->velocity[0];
    now[1] += 0.5 * load->velocity[1];
    now[2] += 0.5 * (load->position[0] * load->velocity[1] - load->position[1] * load->velocity[0]) + 0.1 * load->angular_velocity[2];
    if (!m->begun)
        memcpy(m->start, now, sizeof now);
    m->begun = true;
    for (int k = 0; k < 2; k++)
        m->worst[0] = fmax(m->worst[0], fabs(now[k] - m->start[k]));
    m->worst[1] = fmax(m->worst[1], fabs(now[2] - m->start[2]));
}

static void free_bodies__keep_their_momenta(void **unused) {
    (void)unused;
    static const char *const stiffening[] = {"none", "linear"};
    for (int i = 0; i < 2; i++) {
        momenta m = {0};
        test_ending end;
        char text[1024];
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {m: {type: elastic, E: 400, nu: 0.3, density: 1}}\n"
                 "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [2, 1]}, element: quad4, sets: {middle: \"abs(x - 1) < 0.1\"}},"
                 " material: m, plane: stress, mass: lumped, coordinates: floating, modes: 0, stiffening: %s,"
                 " interfaces: [{name: a, set: left}, {name: b, set: right}, {name: m, set: middle}]},"
                 " {name: load, mass: 0.5, center: [2.2, 0.9], inertia: 0.1}]\n"
                 "joints: [{type: fixed, bodies: [b.b, load], at: [2, 0.5]}]\n"
                 "initial: {b.a: {velocity: [1, -2], angular_velocity: 3}}\n",
                 stiffening[i]);
        test_one_way(text, &(bl_run_options){.until = 2, .every = 0.1, .tolerance = 1e-11, .integrator = "dop853"}, take_momenta, &end, &m);
        expect("momentum", m.worst[0], 0, 1e-9);
        expect("angular momentum", m.worst[1], 0, 1e-8);
        expect("energy", end.energy_error, 0, 1e-8);
        assert_true(m.turn > 0.01);
    }
}

/* ---- closed forms */

#define BAR                                                                                                                            \
    "materials: {m: {type: elastic, E: 2e6, nu: 0, density: 1000}}\nbodies:\n"                                                         \
    "  - {name: bar, mesh: {rectangle: {from: [0, -0.05], to: [1, 0.05], n: [10, 2]}, element: quad8}, plane: stress, thickness: 0.1," \
    " material: m, coordinates: floating, modes: 3, damping: {stiffness: 2e-3}, interfaces: [{name: root, set: left}, {name: tip,"     \
    " set: right}]}\n"

/* A bar of mass 10 hanging from its root: elongation rho g L^2 / 2 E. */
static void hanging_bar__is_elongated_by_its_weight(void **unused) {
    (void)unused;
    test_ending end;
    test_one_way("dimension: 2\ngravity: [9.81, 0]\n" BAR
                 "joints: [{name: A, type: fixed, bodies: [ground, bar.root], at: [0, 0]}]\nprobes: {tip: {body: bar.tip, at: [1, 0]}}\n",
                 &(bl_run_options){.until = 4}, NULL, &end, NULL);
    expect("elongation", end.probe[0][0] - 1, 1000 * 9.81 / (2 * 2e6), 1e-8);
    expect("reaction", fabs(end.reaction[0].force[0]), 10 * 9.81, 1e-4);
}

/* An arm of one interface, whose only joint is there: all points of the mechanism are one, up to rounding of the interface's center. At
 * rest the joint carries its weight, 2.88 kg at half a meter. */
static void one_interface__is_enough(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    for (int i = 0; i < 4; i++) {
        test_ending end;
        test_one_way("dimension: 3\ngravity: [0, 0, -9.81]\nmaterials: {m: {type: elastic, E: 2e9, nu: 0.3, density: 1200}}\nbodies:\n"
                     "  - {name: arm, mesh: {box: {from: [0, -0.03, -0.02], to: [1, 0.03, 0.02], n: [6, 3, 2]}, element: hexa20},"
                     " material: m, coordinates: floating, modes: 3, damping: {mass: 20}, interfaces: [{name: root, set: left}]}\n"
                     "joints: [{type: fixed, bodies: [ground, arm.root], at: [0, 0, 0]}]\n",
                     &(bl_run_options){.until = 2, .coordinates = kinds[i]}, NULL, &end, NULL);
        expect("force", fabs(end.reaction[0].force[2]), 2.88 * 9.81, 1e-3);
        expect("moment", fabs(end.reaction[0].moment[1]), 2.88 * 9.81 * 0.5, 1e-3);
    }
}

/* The same bar turned at its root: rho w^2 L^3 / 3 E (linear elasticity), and the force of its mass at the middle. */
static void spinning_bar__is_elongated_by_its_inertia(void **unused) {
    (void)unused;
    test_ending end;
    double w = 3;
    test_one_way("dimension: 2\n" BAR "joints: [{name: A, type: revolute, bodies: [ground, bar.root], at: [0, 0]}]\n"
                 "drivers: [{variable: A.angle, value: =3*t}]\nprobes: {tip: {body: bar.tip, at: [1, 0]}}\n",
                 &(bl_run_options){.until = 8, .tolerance = 1e-6}, NULL, &end, NULL);
    double long_by = hypot(end.probe[0][0], end.probe[0][1]) - 1, first = 1000 * w * w / (3 * 2e6);
    expect("elongation", long_by, first, 3 * first * first); /* the elongated bar pulls more */
    expect("reaction", hypot(end.reaction[0].force[0], end.reaction[0].force[1]), 10 * w * w * 0.5, 10 * w * w * first);
}

/* ---- a stiff arm falls as a rigid one */

static void stiff_bodies__move_as_rigid_ones(void **unused) {
    (void)unused;
    static const char rest[] = "  - {name: load, sphere: {center: [1.05, 0, 0], radius: 0.05}, mass: 2}\njoints:\n"
                               "  - {name: hinge, type: revolute, bodies: [ground, %s], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                               "  - {name: hold, type: fixed, bodies: [%s, load], at: [1, 0, 0]}\n";
    char text[2][2048], joints[1024];
    test_ending end[2];
    snprintf(joints, sizeof joints, rest, "arm.root", "arm.tip");
    snprintf(
        text[0], sizeof text[0],
        "dimension: 3\ngravity: [0, 0, -9.81]\nmaterials: {m: {type: elastic, E: 2e11, nu: 0.3, density: 1200}}\nbodies:\n"
        "  - {name: arm, mesh: {box: {from: [0, -0.03, -0.02], to: [1, 0.03, 0.02], n: [6, 1, 1]}, element: hexa20}, material: m,"
        " coordinates: floating, modes: 4, damping: {stiffness: 1e-4}, interfaces: [{name: root, set: left}, {name: tip, set: right}]}\n%s",
        joints);
    snprintf(joints, sizeof joints, rest, "arm", "arm");
    snprintf(text[1], sizeof text[1],
             "dimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n  - {name: arm, box: {center: [0.5, 0, 0], size: [1, 0.06, 0.04]},"
             " density: 1200}\n%s",
             joints);
    for (int i = 0; i < 2; i++)
        test_one_way(text[i], &(bl_run_options){.until = 0.5, .formulation = "ggl", .integrator = "trbdf2", .tolerance = i ? 1e-6 : 1e-4},
                     NULL, &end[i], NULL);
    expect("angle", end[0].variable[0], end[1].variable[0], 2e-5);
    for (int j = 0; j < 2; j++)
        for (int k = 0; k < 3; k++) {
            expect("force", end[0].reaction[j].force[k], end[1].reaction[j].force[k], 0.1);
            expect("moment", end[0].reaction[j].moment[k], end[1].reaction[j].moment[k], 0.1);
        }
}

/* ---- files */

static const char plate[] = "dimension: 2\nmaterials: {m: {type: elastic, E: 1e6, nu: 0.3, density: 1000}}\nbodies:\n"
                            "  - {name: bar, mesh: {rectangle: {to: [1, 0.1], n: [8, 1]}, element: quad8}, plane: stress, material: m,"
                            " coordinates: floating, modes: 3, stiffening: linear, damping: {mass: 0.1, stiffness: 1e-4},"
                            " interfaces: [{name: root, set: left}, {name: tip, set: right}]}\n";
static const char hung[] = "joints: [{name: A, type: revolute, bodies: [ground, bar.root], at: [0, 0.05]}]\ngravity: [0, -9.81]\n"
                           "probes: {tip: {body: bar.tip, at: [1, 0]}}\n";

static void a_file__has_the_motion_of_its_mesh(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    char path[] = "/tmp/biela_reduced_XXXXXX", text[2048];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(text, sizeof text, "%s%s", plate, hung);
    test_ending end[2];
    bl_run_options options = {.until = 0.3};
    test_one_way(text, &options, NULL, &end[0], NULL);
    assert_int_equal(bl_model_read_text(ctx, "plate", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_reduced_file(ctx, model, "beam", path), BL_E_MODEL);
    bl_context_clear_error(ctx);
    assert_int_equal(bl_reduced_file(ctx, model, "bar", path), BL_OK);
    bl_model_destroy(model);
    snprintf(text, sizeof text, "dimension: 2\nbodies: [{name: bar, reduced: %s}]\n%s", path, hung);
    test_one_way(text, &options, NULL, &end[1], NULL);
    for (int k = 0; k < 2; k++) { /* bit by bit */
        assert_true(end[0].probe[0][k] == end[1].probe[0][k] && end[0].probe_rate[0][k] == end[1].probe_rate[0][k]);
        assert_true(end[0].reaction[0].force[k] == end[1].reaction[0].force[k]);
    }
    unlink(path);
    test_context_end(ctx);
}

/* ---- what is refused */

#define PLATE(rest)                                                                                                       \
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}, p: {type: elastic, E: 1000, nu: 0.3}}\n" \
    "bodies: [~{name: b, plane: stress, mesh: {rectangle: {to: [4, 1], n: [4, 1]}, element: quad4}, " rest
#define ENDS "interfaces: [{name: i, set: left}, {name: j, set: right}]"

static void what_cannot_be_reduced__is_refused(void **unused) {
    (void)unused;
    test_refused(PLATE("material: m, coordinates: floating, modes: 13, " ENDS "}]\n"), "b cannot have 13 modes: its mesh has 12 unknowns",
                 NULL);
    test_refused(PLATE("material: m, coordinates: floating, modes: 1}]\n"), "b has no interfaces", "add `interfaces");
    test_refused(PLATE("material: m, coordinates: floating, " ENDS "}]\n"), "b needs 'modes'", NULL);
    test_refused(PLATE("material: p, coordinates: floating, modes: 1, " ENDS "}]\n"), "b has no mass", "add `density`");
    static const char *const rest[][3] = {
        {"coordinates: ~natural", "cannot have the coordinates 'natural'", "coordinates: floating"},
        {"coordinates: floating, modes: ~-1", "an integer of at least 0", NULL},
        {"coordinates: floating, modes: ~1000", "b cannot have 1000 modes", NULL},
        {"modes: ~2", "'modes' can only be used with `coordinates: floating`", NULL},
        {"coordinates: floating, modes: 2, stiffening: ~cubic", "stiffening: unknown value", "accepted values"}};
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\nbodies: [{name: b, plane: stress, material: m,"
            " mesh: {rectangle: {to: [4, 1], n: [4, 1]}, element: quad4}, %s, " ENDS "}]\n",
            rest[k][0]);
        test_refused(text, rest[k][1], rest[k][2]);
    }
    test_refused(
        "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\nbodies: [{name: b, plane: stress, material: m,"
        " mesh: {rectangle: {to: [4, 1], n: [4, 1]}, element: quad4}, coordinates: floating, modes: 1,"
        " interfaces: [{name: i, set: left}, ~{name: j, set: right, kind: average}]}]\n",
        "of kind average", NULL);
    test_refused(
        "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\nbodies: [{name: b, plane: stress, material: m,"
        " mesh: {rectangle: {to: [4, 1], n: [4, 1]}, element: quad4}, coordinates: floating, modes: 1, " ENDS "}]\n"
        "joints: [{type: revolute, bodies: [ground, ~b], at: [0, 0]}]\n",
        "'b' is reduced to the motions of its interfaces: name one of them", "b.i");
    test_refused(
        "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\nbodies: [{name: b, plane: stress, material: m,"
        " mesh: {rectangle: {to: [4, 1], n: [4, 1]}, element: quad4}, coordinates: floating, modes: 1, " ENDS "}]\n"
        "loads: [{body: ~b, set: right, traction: [1, 0]}]\n",
        "loads cannot act on its mesh", "use `forces`");
}

static bl_status build_and_free(bl_context *ctx, void *user) {
    char text[2048];
    bl_model *model = NULL;
    (void)user;
    snprintf(text, sizeof text, "%s%s", plate, hung);
    bl_status status = bl_model_read_text(ctx, "plate", text, strlen(text), NULL, 0, &model);
    bl_json json = {.ctx = ctx};
    if (status == BL_OK)
        status = bl_reduced_json(ctx, model, NULL, &json);
    bl_json_destroy(&json);
    bl_model_destroy(model);
    return status;
}

static void every_failed_allocation__is_reported(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(build_and_free, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank__deflects_as_its_reference), cmocka_unit_test(axial_force__needs_stiffening),
        cmocka_unit_test(free_bodies__keep_their_momenta),         cmocka_unit_test(one_interface__is_enough),
        cmocka_unit_test(hanging_bar__is_elongated_by_its_weight), cmocka_unit_test(spinning_bar__is_elongated_by_its_inertia),
        cmocka_unit_test(stiff_bodies__move_as_rigid_ones),        cmocka_unit_test(a_file__has_the_motion_of_its_mesh),
        cmocka_unit_test(what_cannot_be_reduced__is_refused),      cmocka_unit_test(every_failed_allocation__is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
