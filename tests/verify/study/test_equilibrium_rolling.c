/* Equilibria of what rolls, in every kind of coordinates: reached without slip, so that a wheel has turned by its way over its radius;
 * their forces and stiffness in closed form. */
#include "biela/biela.h"
#include "biela/equilibrium.h"
#include "support/failing.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const every_kind[] = {"natural", "mixed", "reference", "reference:angles,sequence=zxz", "reference:matrix,view=tangent",
                                         "relative"};
enum { KINDS = sizeof every_kind / sizeof *every_kind };
static const double G = 9.81;

typedef struct found {
    long count;
    double probe[3], variable[4], quaternion[4], reaction[3], stiffness[2];
    bl_index nsoft, unstable;
    char what[512];
} found;

static bl_status keep(void *user, const bl_sample *sample) {
    found *f = user;
    const bl_equilibrium_point *p = sample->equilibrium;
    f->count++;
    memcpy(f->probe, sample->probe, sizeof f->probe);
    memcpy(f->quaternion, sample->body[0].quaternion, sizeof f->quaternion);
    memcpy(f->reaction, sample->reaction[0].force, sizeof f->reaction);
    for (bl_index i = 0; i < 2 && sample->variable; i++)
        f->variable[i] = sample->variable[i];
    f->unstable = p->unstable;
    f->nsoft = p->nsoft;
    for (bl_index i = 0; i < p->nsoft && i < 2; i++)
        f->stiffness[i] = p->soft[i].stiffness;
    return BL_OK;
}

static bl_status balance(const char *text, const char *coordinates, const bl_override *set, bl_index nset, found *f) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_sink sink = {.user = f, .sample = keep, .want = BL_WANT_PROBES | BL_WANT_BODIES | BL_WANT_REACTIONS | BL_WANT_VARIABLES};
    memset(f, 0, sizeof *f);
    assert_int_equal(bl_model_read_text(ctx, "text", text, strlen(text), set, nset, &model), BL_OK);
    bl_status status = bl_equilibrium(ctx, model, &(bl_equilibrium_options){.coordinates = coordinates}, &sink, 1, NULL, NULL);
    snprintf(f->what, sizeof f->what, "%s", status == BL_OK ? "" : bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

/* ---- a wheel on a slope, held by a spring along it: k x = m g sin, the spring and friction carry what the slope does not */

static const char slope[] = "dimension: 2\nparameters: {R: 0.2, a: 0.3, k: 20, m: 3}\ngravity: [=-9.81*sin(a), =-9.81*cos(a)]\n"
                            "bodies: [{name: wheel, mass: =m, center: [0, =R], inertia: =0.5*m*R^2}]\n"
                            "joints: [{name: roll, type: rolling, bodies: [ground, wheel], disc: =R}]\n"
                            "forces: [{type: spring, bodies: [ground, wheel], at: [3, =R], to: [0, =R], stiffness: =k, length: 3}]\n"
                            "probes: {C: {body: wheel, at: [0, =R]}}\n";

static void wheel_on_a_slope__turns_by_its_way(void **unused) {
    (void)unused;
    static const double stiffness[] = {20, 5, 200}; /* the wheel turns by 2.2, 8.7 and 0.2 rad */
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < KINDS; k++) {
            found f;
            if (k == 3 || k == 4) /* angles and tangents are of space */
                continue;
            double x = -3 * G * sin(0.3) / stiffness[i], turn = -x / 0.2;
            if (balance(slope, every_kind[k], &(bl_override){"k", stiffness[i]}, 1, &f) != BL_OK)
                fail_msg("%s: %s", every_kind[k], f.what);
            assert_int_equal(f.count, 1);
            assert_int_equal(f.unstable, 0);
            assert_near(f.probe[0], x, 1e-9);
            assert_near(f.probe[1], 0.2, 1e-10);
            assert_near(fabs(f.quaternion[0]), fabs(cos(turn / 2)), 1e-7);
            assert_near(f.reaction[0], 0, 1e-8); /* the spring acts at the center: no friction */
            assert_near(f.reaction[1], 3 * G * cos(0.3), 1e-8);
            assert_near(f.stiffness[0], stiffness[i] * 0.04, 1e-8); /* N m/rad */
        }
}

/* ---- a cart with a redundant slip row: both wheels turn alike, heading has the stiffness of the spring's arm */

static void cart_on_a_slope__stays_straight(void **unused) {
    (void)unused;
    static const char text[] =
        "parameters: {R: 0.1, b: 0.2, a: 0.2}\ngravity: [=9.81*sin(a), 0, =-9.81*cos(a)]\n"
        "bodies:\n  - {name: frame, mass: 6, center: [0.08, 0, 0.12], inertia: [0.1, 0.15, 0.2]}\n"
        "  - {name: wheel_l, mass: 0.5, center: [0, =b, =R], inertia: [0.0014, 0.0025, 0.0014]}\n"
        "  - {name: wheel_r, mass: 0.5, center: [0, =-b, =R], inertia: [0.0014, 0.0025, 0.0014]}\n"
        "joints:\n  - {name: axle_l, type: revolute, bodies: [frame, wheel_l], at: [0, =b, =R], axis: [0, 1, 0]}\n"
        "  - {name: axle_r, type: revolute, bodies: [frame, wheel_r], at: [0, =-b, =R], axis: [0, 1, 0]}\n"
        "  - {name: roll_l, type: rolling, bodies: [ground, wheel_l], disc: =R, axis: [0, 1, 0]}\n"
        "  - {name: roll_r, type: rolling, bodies: [ground, wheel_r], disc: =R, axis: [0, 1, 0]}\n"
        "  - {name: caster, type: point_on_plane, bodies: [ground, frame], at: [0.25, 0, 0], axis: [0, 0, 1]}\n"
        "forces: [{type: spring, bodies: [ground, frame], at: [-1.15, 0, 0.12], to: [-0.15, 0, 0.12], stiffness: 100, length: 1}]\n"
        "probes: {A: {body: frame, at: [0, 0, =R]}}\n";
    for (int k = 0; k < KINDS; k++) {
        found f;
        double x = 7 * G * sin(0.2) / 100;
        if (balance(text, every_kind[k], NULL, 0, &f) != BL_OK)
            fail_msg("%s: %s", every_kind[k], f.what);
        assert_near(f.probe[0], x, 1e-9);
        assert_near(f.probe[1], 0, 1e-9);
        assert_near(f.variable[0], x / 0.1, 1e-7);
        assert_near(f.variable[1], x / 0.1, 1e-7);
        assert_int_equal(f.unstable, 0);
        assert_int_equal(f.nsoft, 2);
        assert_near(f.stiffness[1], 100 * 0.01, 1e-8);
    }
}

/* ---- memory */

static bl_status body(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    (void)user;
    bl_status status = bl_model_read_text(ctx, "text", slope, strlen(slope), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_equilibrium(ctx, model, NULL, NULL, 0, NULL, NULL);
    bl_model_destroy(model);
    return status;
}

static void missing_memory__is_an_error(void **unused) {
    (void)unused;
    static test_paths paths;
    test_failing_paths(&paths, body, NULL, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wheel_on_a_slope__turns_by_its_way),
        cmocka_unit_test(cart_on_a_slope__stays_straight),
        cmocka_unit_test(missing_memory__is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
