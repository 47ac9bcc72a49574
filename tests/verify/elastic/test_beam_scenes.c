/* Scenes of beams against reference motions (other meshes, another method, extrapolated: the comments of the scenes); section forces of a
 * cantilever against statics. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SAMPLES = 400, MOST_NUMBERS = 9 };

typedef struct record {
    double t[MOST_SAMPLES], probe[MOST_SAMPLES][MOST_NUMBERS], balance, scale;
    int n, nprobe;
} record;

static bl_status begin(void *user, const bl_run_info *info) {
    ((record *)user)->nprobe = (int)info->nprobe;
    return BL_OK;
}

static bl_status keep(void *user, const bl_sample *sample) {
    record *r = user;
    assert_true(r->n < MOST_SAMPLES && 3 * r->nprobe <= MOST_NUMBERS);
    r->t[r->n] = sample->t;
    memcpy(r->probe[r->n++], sample->probe, 3 * (size_t)r->nprobe * sizeof(double));
    r->balance = fmax(r->balance, fabs(sample->energy_error));
    r->scale = fmax(r->scale, fmax(fabs(sample->kinetic), fabs(sample->work)));
    return BL_OK;
}

static void run(const char *scene, double until, double every, record *r) {
    char file[512];
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_sink sink = {.user = r, .begin = begin, .sample = keep};
    memset(r, 0, sizeof *r);
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
    bl_status status = bl_simulate(ctx, model, &(bl_run_options){.until = until, .every = every}, &sink, 1, NULL);
    if (status != BL_OK)
        fail_msg("%s: %s", scene, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void expect(const record *r, int row, double t, const double plane[4], double tolerance) {
    assert_float_equal(r->t[row], t, 1e-9);
    for (int k = 0; k < 4; k++)
        if (fabs(r->probe[row][3 * (k / 2) + k % 2] - plane[k]) > tolerance)
            fail_msg("t = %g, number %d: %.9g instead of %.9g", t, k, r->probe[row][3 * (k / 2) + k % 2], plane[k]);
}

static void flying_rod__follows_the_reference(void **state) {
    (void)state;
    record r;
    run("flying_rod", 7.5, 2.5, &r);
    expect(&r, 1, 2.5, (const double[]){4.4302, -0.7850, 5.9453, 8.9704}, 1e-3);
    expect(&r, 2, 5, (const double[]){5.6206, 4.7638, 15.4081, 4.2649}, 1e-3);
    expect(&r, 3, 7.5, (const double[]){15.5422, 8.9966, 15.7555, -0.9736}, 2e-3);
}

static void double_pendulum__follows_the_reference(void **state) {
    (void)state;
    record r;
    run("elastic_double_pendulum", 1, 0.25, &r);
    expect(&r, 1, 0.25, (const double[]){0.93230, -0.36121, 1.92922, -0.28220}, 1e-4);
    expect(&r, 2, 0.5, (const double[]){0.43569, -0.90024, 1.30466, -1.39499}, 1e-4);
    expect(&r, 3, 0.75, (const double[]){-0.09334, -0.99588, -0.74280, -1.75614}, 1e-4);
    expect(&r, 4, 1, (const double[]){-0.92935, -0.36968, -1.67410, -1.03708}, 1e-4);
}

static void slider_crank__follows_the_reference(void **state) {
    (void)state;
    static const double slider[] = {0.48984, 0.40005, 0.48989, 0.60001}, deflection[] = {1.7906e-3, -2.170e-4, -1.364e-3, -3.289e-4};
    record r;
    run("elastic_slider_crank", 2 * acos(-1.0) / 40, acos(-1.0) / 80, &r);
    for (int k = 0; k < 4; k++) {
        const double *pin = r.probe[k + 1], *middle = pin + 3, *end = pin + 6;
        double along[2] = {end[0] - pin[0], end[1] - pin[1]}, long_ = hypot(along[0], along[1]);
        double across = (along[0] * (middle[1] - pin[1]) - along[1] * (middle[0] - pin[0])) / long_;
        assert_float_equal(end[0], slider[k], 1.5e-5); /* the reference has five digits */
        assert_float_equal(across, deflection[k], 5e-6);
    }
}

static void linkages_in_space__keep_their_energy_balance(void **state) {
    (void)state;
    record r;
    run("robot_arm_elastic", 0.5, 0.05, &r);
    assert_true(r.balance < 1e-3 * r.scale && r.scale > 1);
    run("elastic_four_bar", 2, 0.1, &r); /* its hinge is tilted: only bent links let it turn */
    assert_true(r.balance < 1e-3 * r.scale && r.scale > 1);
}

/* ---- section forces */

typedef struct sections {
    bl_section_sample at[4];
    bl_index n;
    char name[32];
} sections;

static bl_status begin_sections(void *user, const bl_run_info *info) {
    sections *s = user;
    s->n = info->nsection;
    snprintf(s->name, sizeof s->name, "%s", info->section[info->nsection - 1]);
    return BL_OK;
}

static bl_status keep_sections(void *user, const bl_sample *sample) {
    sections *s = user;
    memcpy(s->at, sample->section, (size_t)s->n * sizeof *s->at);
    return BL_OK;
}

static void find_sections(const char *text, sections *s) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    *s = (sections){.n = 0};
    bl_sink sink = {.user = s, .begin = begin_sections, .sample = keep_sections, .want = BL_WANT_SECTIONS};
    assert_int_equal(bl_model_read_text(ctx, "cantilever", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_equilibrium(ctx, model, NULL, &sink, 1, NULL, NULL), BL_OK);
    bl_model_destroy(model);
    test_context_end(ctx);
    assert_int_equal(s->n, 4);
    assert_string_equal(s->name, "rod.6-8");
}

static const char *const interpolations[2] = {"rotations", "directors"};

/* 2 m along x, height along z: d2 = z, d3 = -y; small loads, so that statics of the straight beam holds */
static void cantilever__has_the_section_forces_of_statics(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[1000];
        sections s;
        snprintf(text, sizeof text,
                 "dimension: 3\nbodies:\n"
                 "  - {name: rod, beam: {from: [0, 0, 0], to: [2, 0, 0], elements: 4, up: [0, 0, 1], interpolation: %s, section: "
                 "{rectangle: [0.1, 0.2]}}, material: {E: 2e11, nu: 0.3, density: 1000}}\n"
                 "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0, 0]}]\n"
                 "forces:\n  - {type: force, body: rod, at: [2, 0, 0], force: [50, 30, -10]}\n"
                 "  - {type: torque, body: rod.to, torque: [7, 0, 0]}\n",
                 interpolations[i]);
        find_sections(text, &s);
        for (int e = 0; e < 4; e++) {
            double arm = 2 - (0.25 + 0.5 * e); /* from the middle of the element to the load */
            const double force[3] = {50, -10, -30}, moment[3] = {7, -arm * -30, arm * -10};
            const double strain = 50 / (2e11 * 0.02);
            if (fabs(s.at[e].strain[0] - strain) > 1e-5 * strain) /* sections turn by some 1e-6 */
                fail_msg("element %d: stretch %.12g instead of %.12g", e, s.at[e].strain[0], strain);
            for (int k = 0; k < 3; k++) {
                assert_float_equal(s.at[e].force[k], force[k], 1e-3);
                assert_float_equal(s.at[e].moment[k], moment[k], 1e-3);
            }
        }
    }
}

static void plane_cantilever__has_the_section_forces_of_statics(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[1000];
        sections s;
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies:\n"
                 "  - {name: rod, beam: {from: [0, 0], to: [0, 2], elements: 4, interpolation: %s},\n"
                 "     stiffness: {EA: 1e9, GA: 4e8, EI: 2e7}, mass_per_length: {rhoA: 20, rhoI: 1}}\n"
                 "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0]}]\n"
                 "forces: [{type: force, body: rod, at: [0, 2], force: [30, 50]}]\n",
                 interpolations[i]);
        find_sections(text, &s);
        for (int e = 0; e < 4; e++) { /* along y, d2 = -x */
            double arm = 2 - (0.25 + 0.5 * e);
            assert_float_equal(s.at[e].force[0], 50, 1e-3);
            assert_float_equal(s.at[e].force[1], -30, 1e-3);
            assert_float_equal(s.at[e].moment[2], -arm * 30, 1e-3);
            assert_float_equal(1e9 * s.at[e].strain[0], 50, 1e-3);
            assert_float_equal(2e7 * s.at[e].curvature[2], -arm * 30, 1e-3);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flying_rod__follows_the_reference),
        cmocka_unit_test(double_pendulum__follows_the_reference),
        cmocka_unit_test(slider_crank__follows_the_reference),
        cmocka_unit_test(linkages_in_space__keep_their_energy_balance),
        cmocka_unit_test(cantilever__has_the_section_forces_of_statics),
        cmocka_unit_test(plane_cantilever__has_the_section_forces_of_statics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
