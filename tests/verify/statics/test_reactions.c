/* Reactions of mechanisms at rest compared with statics by hand, with every formulation and in all coordinates. If constraints are
 * redundant only the sum is determined; then all formulations give the same choice, that of the least multipliers. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct seen {
    bl_index njoint;
    bl_wrench at[8];
    double speed;
    bool taken;
} seen;

static bl_status begin(void *user, const bl_run_info *info) {
    ((seen *)user)->njoint = info->njoint;
    return BL_OK;
}

/* the start, if it is at rest */
static bl_status keep(void *user, const bl_sample *sample) {
    seen *s = user;
    if (!s->taken)
        memcpy(s->at, sample->reaction, (size_t)s->njoint * sizeof *s->at);
    s->taken = true;
    s->speed = fmax(s->speed, sample->kinetic);
    return BL_OK;
}

/* gives: relative error of loads with a penalty of 1e7 kg */
static const struct {
    const char *name;
    double gives;
} kinds[] = {
    {"lagrange", 0},   {"partition", 0},   {"partition:index=2", 0},
    {"baumgarte", 0},  {"projection", 0},  {"projection:at=stage", 0},
    {"correction", 0}, {"penalty", 1e-5},  {"auglag", 1e-6},
    {"matrix_r", 0},   {"matrix_r:qr", 0}, {"matrix_r:svd", 0},
    {"null_space", 0}, {"range_space", 0}, {"index3", 0},
    {"ggl", 0},        {"ali3p", 1e-6},
};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char *const coordinates[] = {"natural", "mixed", "reference"};

static seen reactions(const char *text, const char *coords, const char *formulation) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    seen s = {0};
    assert_int_equal(bl_model_read_text(ctx, "test.yaml", text, strlen(text), NULL, 0, &model), BL_OK);
    bl_run_options options = {.coordinates = coords, .formulation = formulation, .until = 0.01, .tolerance = 1e-8};
    bl_status status = bl_simulate(ctx, model, &options, &(bl_sink){.user = &s, .begin = begin, .sample = keep}, 1, NULL);
    if (status != BL_OK)
        fail_msg("%s, %s: %s", coords, formulation, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return s;
}

static void expect(const bl_wrench *got, const double want[6], double size, double tolerance, const char *coords, const char *kind, int j) {
    for (int k = 0; k < 6; k++) {
        double have = k < 3 ? got->force[k] : got->moment[k - 3];
        if (!(fabs(have - want[k]) <= tolerance * size))
            fail_msg("%s, %s: joint %d, component %d is %.12g, not %.12g", coords, kind, j, k, have, want[k]);
    }
}

static void determined(const char *text, int n, const double (*want)[6], double size) {
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < KINDS; k++) {
            seen s = reactions(text, coordinates[c], kinds[k].name);
            assert_int_equal(s.njoint, n);
            assert_true(s.speed < 1e-12); /* it stays at rest */
            for (int j = 0; j < n; j++)
                expect(&s.at[j], want[j], size, fmax(kinds[k].gives, 1e-9), coordinates[c], kinds[k].name, j);
        }
}

/* Half-arches of weight W: each support carries W, and H follows from the moments about the crown: W 1 - H 1 - W 1/2 = 0. */
static void three_hinged_arch__carries_its_weight(void **state) {
    (void)state;
    static const char text[] =
        "dimension: 2\ngravity: [0, -10]\n"
        "bodies: [{name: left, rod: {from: [0,0], to: [1,1]}, mass: 2}, {name: right, rod: {from: [1,1], to: [2,0]}, mass: 2}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, left], at: [0,0]},\n"
        "         {name: C, type: revolute, bodies: [left, right], at: [1,1]},\n"
        "         {name: B, type: revolute, bodies: [ground, right], at: [2,0]}]\n";
    static const double want[3][6] = {{10, 20}, {10, 0}, {-10, 20}}; /* on the second body */
    determined(text, 3, want, 20);
}

/* Crank vertical, 0.3; rod 0.5; a force of 40 N on the slider against a torque. The rod transmits force along itself, 40 (1, -3/4); the
 * guide carries the 30 N normal to it; 40 N at 0.3 m are the 12 N m. */
static void slider_crank__holds_a_force_by_a_torque(void **state) {
    (void)state;
    static const char text[] =
        "dimension: 2\n"
        "bodies: [{name: crank, rod: {from: [0,0], to: [0,0.3]}, mass: 1}, {name: rod, rod: {from: [0,0.3], to: [0.4,0]}, mass: 1},\n"
        "         {name: slider, center: [0.4,0], mass: 2, inertia: 0.1}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, crank], at: [0,0]},\n"
        "         {name: B, type: revolute, bodies: [crank, rod], at: [0,0.3]},\n"
        "         {name: C, type: revolute, bodies: [rod, slider], at: [0.4,0]},\n"
        "         {name: guide, type: prismatic, bodies: [ground, slider], at: [0.4,0], axis: [1,0]}]\n"
        "forces: [{type: force, body: slider, force: [-40, 0]}, {type: torque, body: crank, torque: -12}]\n";
    static const double want[4][6] = {{40, -30}, {40, -30}, {40, -30}, {0, 30}};
    determined(text, 4, want, 40);
}

typedef struct carried {
    const char *text;
    int n;
    double at[2][3], force[3], moment[3]; /* of the joints; their required sum on the body, moments about the origin */
} carried;

/* one body and two joints with the same constraints */
static const carried redundant[] = {
    /* a door on two hinges: weight 80 N, half a meter from the axis */
    {"gravity: [0, 0, -10]\nbodies: [{name: door, mass: 8, center: [0.5, 0, 0.5], inertia: [1, 2, 1.5]}]\n"
     "joints: [{name: lower, type: revolute, bodies: [ground, door], at: [0,0,0], axis: [0,0,1]},\n"
     "         {name: upper, type: revolute, bodies: [ground, door], at: [0,0,1], axis: [0,0,1]}]\n",
     2,
     {{0, 0, 0}, {0, 0, 1}},
     {0, 0, 80},
     {0, -40, 0}},
    /* a bar in two guides along it: weight 40 N at a quarter of the length */
    {"dimension: 2\ngravity: [0, -10]\nbodies: [{name: bar, mass: 4, center: [0.25, 0], inertia: 1}]\n"
     "joints: [{name: left, type: prismatic, bodies: [ground, bar], at: [0,0], axis: [1,0]},\n"
     "         {name: right, type: prismatic, bodies: [ground, bar], at: [1,0], axis: [1,0]}]\n",
     2,
     {{0, 0, 0}, {1, 0, 0}},
     {0, 40, 0},
     {0, 0, 10}},
};

static void redundant_joints__carry_the_sum_and_agree_on_their_shares(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++)
        for (int c = 0; c < 3; c++) {
            seen first = {0};
            for (int k = 0; k < KINDS; k++) {
                const carried *r = &redundant[m];
                seen s = reactions(r->text, coordinates[c], kinds[k].name);
                bl_wrench sum = {{0}, {0}};
                for (int j = 0; j < r->n; j++)
                    for (int i = 0; i < 3; i++) {
                        const double *p = r->at[j], *f = s.at[j].force;
                        sum.force[i] += f[i];
                        sum.moment[i] += s.at[j].moment[i] + p[(i + 1) % 3] * f[(i + 2) % 3] - p[(i + 2) % 3] * f[(i + 1) % 3];
                    }
                double want[6] = {r->force[0], r->force[1], r->force[2], r->moment[0], r->moment[1], r->moment[2]};
                double tolerance = fmax(kinds[k].gives, 1e-9);
                expect(&sum, want, 80, tolerance, coordinates[c], kinds[k].name, -1);
                if (k == 0) {
                    first = s;
                    print_message("%s: shares (%g, %g, %g | %g, %g, %g) and (%g, %g, %g | %g, %g, %g)\n", coordinates[c], s.at[0].force[0],
                                  s.at[0].force[1], s.at[0].force[2], s.at[0].moment[0], s.at[0].moment[1], s.at[0].moment[2],
                                  s.at[1].force[0], s.at[1].force[1], s.at[1].force[2], s.at[1].moment[0], s.at[1].moment[1],
                                  s.at[1].moment[2]);
                }
                for (int j = 0; j < r->n; j++) {
                    const bl_wrench *w = &first.at[j];
                    double same[6] = {w->force[0], w->force[1], w->force[2], w->moment[0], w->moment[1], w->moment[2]};
                    expect(&s.at[j], same, 80, tolerance, coordinates[c], kinds[k].name, j);
                }
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_hinged_arch__carries_its_weight),
        cmocka_unit_test(slider_crank__holds_a_force_by_a_torque),
        cmocka_unit_test(redundant_joints__carry_the_sum_and_agree_on_their_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
