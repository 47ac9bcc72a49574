/* Scenes and models with contacts by time stepping, against facts of statics. */
#include "biela/biela.h"
#include "support/handmade.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* the last sample of a run */
typedef struct ending {
    bl_index nbody, ncontact;
    bl_pose body[64], first[64];
    bl_contact_sample contact[4];
    double variable, drift;
} ending;

static bl_status begin(void *user, const bl_run_info *info) {
    ending *e = user;
    *e = (ending){.nbody = info->nbody < 64 ? info->nbody : 64, .ncontact = info->ncontact < 4 ? info->ncontact : 4};
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *s) {
    ending *e = user;
    memcpy(e->body, s->body, (size_t)e->nbody * sizeof *e->body);
    memcpy(e->contact, s->contact, (size_t)e->ncontact * sizeof *e->contact);
    if (s->t == 0)
        memcpy(e->first, e->body, sizeof e->first);
    e->variable = s->variable ? s->variable[0] : 0;
    e->drift = fmax(e->drift, s->drift);
    return BL_OK;
}

/* path, or text */
static void run(const char *path, const char *text, double until, double step, const char *coordinates, ending *e) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_sink sink = {.user = e, .begin = begin, .sample = take, .want = BL_WANT_ALL};
    bl_run_options options = {.until = until, .step = step, .every = 10 * step, .coordinates = coordinates};
    bl_status status =
        path ? bl_model_read(ctx, path, NULL, 0, &model) : bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* until the ball arrives at 0.14 s the floor carries 48 bricks of 3 kg; forces end within the tolerance of the sweeps, 1e-4 of gravity, of
 * each brick */
static void a_brick_wall__stands(void **state) {
    (void)state;
    ending e;
    run(SCENES "/brick_wall.yaml", NULL, 0.12, 2e-3, NULL, &e);
    assert_near(e.contact[1].force[0], 48 * 3 * 9.81, 48 * 1e-4 * 48 * 3 * 9.81);
    for (bl_index b = 0; b < 48; b++)
        for (int k = 0; k < 3; k++)
            assert_near(e.body[b].position[k], e.first[b].position[k], 1e-4);
}

/* potential of the balance with all grains on it: spring, load, two cranks */
static double potential(double angle) {
    const double k = 600, pan = 1, grains = 90 * 0.015, crank = 1e-3, g = 9.81, sink = 0.3 * sin(angle), aside = 0.3 * (1 - cos(angle));
    double longer = hypot(aside, 0.4 - sink) - (0.4 + pan * g / k);
    return -(pan + grains + crank) * g * sink + 0.5 * k * longer * longer;
}

/* at rest it has a minimum, in whatever pile the grains lie; the loop is closed as without contacts */
static void a_balance__weighs_what_flows_into_it(void **state) {
    (void)state;
    double low = 0, high = 0.2;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        *(potential(middle + 1e-5) < potential(middle - 1e-5) ? &low : &high) = middle;
    }
    for (int k = 1; k <= 2; k++) {
        ending e;
        run(SCENES "/hopper.yaml", NULL, 2.5, k * 1e-3, NULL, &e);
        print_message("angle %.7f, wanted %.7f\n", -e.variable, low);
        assert_near(-e.variable, low, 1e-4 * low); /* the tolerance of the impulses, of the weight */
        assert_true(e.drift < 1e-9);
    }
}

/* a rod that falls across what is shorter than it comes to rest on both edges: level, at the height of its radius, with its weight */
static void rods__lie_across_boxes_and_cylinders(void **state) {
    (void)state;
    static const char plane[] = "model: m\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                                "  - {name: rod, rod: {from: [-0.5, 0.16], to: [0.5, 0.16]}, mass: 2}\ncontacts:\n"
                                "  - {between: [ground, rod], friction: 0.5, shapes: [{%s}, {capsule: {from: [-0.5, 0.16], to: "
                                "[0.5, 0.16], radius: 0.05}}]}\nsimulate: {until: 1, contact: stepping}\n";
    static const char space[] = "model: m\ngravity: [0, -9.81, 0]\nbodies:\n"
                                "  - {name: rod, cylinder: {from: [-0.5, 0.16, 0], to: [0.5, 0.16, 0], radius: 0.05}, mass: 2}\ncontacts:\n"
                                "  - {between: [ground, rod], friction: 0.5, shapes: [{%s}, {capsule: {from: [-0.5, 0.16, 0], to: "
                                "[0.5, 0.16, 0], radius: 0.05}}]}\nsimulate: {until: 1, contact: stepping}\n";
    static const char *const under[][2] = {
        {plane, "box: {at: [0.03, 0], size: [0.4, 0.2]}"},
        {plane, "polyline: {points: [[-0.2, 0.1], [-0.1, -0.2], [0.3, -0.1], [0.25, 0.1]], closed: true}"},
        {space, "box: {at: [0.03, 0, 0], size: [0.4, 0.2, 0.3]}"},
        {space, "cylinder: {from: [-0.2, 0, 0], to: [0.25, 0, 0], radius: 0.1}"},
        {space, "cylinder: {from: [0.01, 0.1, 0], to: [0.01, 0, 0], radius: 0.2}"},
    };
    for (size_t k = 0; k < sizeof under / sizeof *under; k++)
        for (int c = 0; c < 2; c++) {
            char text[1000];
            ending e;
            snprintf(text, sizeof text, under[k][0], under[k][1]);
            run(NULL, text, 1, 1e-3, c ? "natural" : "reference", &e);
            const double *q = e.body[0].quaternion, tilt = hypot(hypot(q[1], q[2]), q[3]);
            assert_near(e.body[0].position[1], 0.15, 1e-4);
            assert_near(e.body[0].position[0], 0, 1e-4);
            assert_near(tilt, 0, 1e-4);
            assert_near(e.contact[0].force[0], 2 * 9.81, 1e-3 * 2 * 9.81);
            assert_near(hypot(hypot(e.body[0].velocity[0], e.body[0].velocity[1]), e.body[0].velocity[2]), 0, 1e-5);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_brick_wall__stands),
        cmocka_unit_test(a_balance__weighs_what_flows_into_it),
        cmocka_unit_test(rods__lie_across_boxes_and_cylinders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
