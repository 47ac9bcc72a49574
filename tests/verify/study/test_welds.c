/* A weld besides another joint of the same two bodies, or in a loop with other welds, makes the others redundant: the motion is that of the
 * weld alone, in every kind of coordinates. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BODIES = 4, SAMPLES = 4 };

static const char *const kinds[] = {"natural",  "mixed", "reference", "reference:matrix", "reference:angles", "reference:view=tangent",
                                    "relative", NULL};

typedef struct motion {
    int n;
    bl_pose body[SAMPLES][BODIES];
    double energy_error;
} motion;

static bl_status on_sample(void *user, const bl_sample *s) {
    motion *m = user;
    memcpy(m->body[m->n++], s->body, sizeof m->body[0]);
    m->energy_error = fmax(m->energy_error, fabs(s->energy_error));
    return BL_OK;
}

static void run(const char *text, const char *coordinates, motion *m) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    memset(m, 0, sizeof *m);
    bl_sink sink = {.user = m, .sample = on_sample};
    double at[SAMPLES] = {0, 0.05, 0.12, 0.2};
    bl_run_options options = {.coordinates = coordinates, .until = 0.2, .at = at, .nat = SAMPLES, .tolerance = 1e-9};
    bl_status status = bl_model_read_text(ctx, "welds.yaml", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    if (status != BL_OK)
        fail_msg("%s: %s\n%s", coordinates, bl_context_error(ctx)->what, text);
    assert_int_equal(m->n, SAMPLES);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static const char *const weld[] = {"  - {name: weld, type: fixed, bodies: [a, b], at: [0.6, 0.1]}\n",
                                   "  - {name: weld, type: fixed, bodies: [a, b], at: [0.6, 0.1, 0.2]}\n"};
/* the same by points */
static const char *const pins[] = {"  - {name: p, type: revolute, bodies: [a, b], at: [0.9, 0]}\n"
                                   "  - {name: q, type: revolute, bodies: [a, b], at: [0.6, 0.5]}\n",
                                   "  - {name: p, type: spherical, bodies: [a, b], at: [0.9, 0, 0.1]}\n"
                                   "  - {name: q, type: spherical, bodies: [a, b], at: [0.6, 0.5, 0]}\n"
                                   "  - {name: r, type: spherical, bodies: [a, b], at: [0.4, 0.3, 0.4]}\n"};

/* a pendulum of two welded bodies, which carries a third and a fourth */
static void write_model(char *text, size_t room, int dim, const char *joined, const char *more, bool more_first) {
    const char *head = dim == 2 ? "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                                  "  - {name: a, mass: 1, box: {center: [0.4, 0], size: [0.8, 0.2]}}\n"
                                  "  - {name: b, mass: 2, box: {center: [0.9, 0.3], size: [0.3, 0.5]}}\n"
                                  "  - {name: c, mass: 0.7, box: {center: [1.4, 0.2], size: [0.6, 0.2]}}\n"
                                  "  - {name: d, mass: 0.4, box: {center: [0.5, -0.4], size: [0.2, 0.6]}}\n"
                                  "joints:\n  - {name: root, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                : "gravity: [0, 0, -9.81]\nbodies:\n"
                                  "  - {name: a, mass: 1, box: {center: [0.4, 0, 0], size: [0.8, 0.2, 0.1]}}\n"
                                  "  - {name: b, mass: 2, box: {center: [0.9, 0.3, 0.2], size: [0.3, 0.5, 0.4]}}\n"
                                  "  - {name: c, mass: 0.7, box: {center: [1.4, 0.2, 0.1], size: [0.6, 0.2, 0.3]}}\n"
                                  "  - {name: d, mass: 0.4, box: {center: [0.5, -0.4, 0], size: [0.2, 0.6, 0.1]}}\n"
                                  "joints:\n  - {name: root, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0.3, 1, 0.2]}\n";
    const char *tail = dim == 2 ? "  - {name: hinge, type: revolute, bodies: [b, c], at: [1.1, 0.2]}\n"
                                  "  - {name: slide, type: prismatic, bodies: [a, d], at: [0.5, 0], axis: [1, 2]}\n"
                                : "  - {name: ball, type: spherical, bodies: [b, c], at: [1.1, 0.2, 0.1]}\n"
                                  "  - {name: tube, type: cylindrical, bodies: [a, d], at: [0.5, 0, 0], axis: [1, 2, 0.5]}\n";
    snprintf(text, room, "%s%s%s%s%sinitial: {root.rate: 2}\n", head, more_first ? more : "", joined, tail, more_first ? "" : more);
}

static void compare(const char *text, const motion *alone) {
    static motion m;
    for (int k = 0; kinds[k]; k++) {
        run(text, kinds[k], &m);
        assert_true(m.energy_error < 1e-5); /* energies of 30 J, a few hundred steps of 1e-9 each */
        for (int s = 0; s < SAMPLES; s++)
            for (int b = 0; b < BODIES; b++)
                for (int d = 0; d < 3; d++) {
                    double apart = fabs(m.body[s][b].position[d] - alone->body[s][b].position[d]);
                    double faster = fabs(m.body[s][b].angular_velocity[d] - alone->body[s][b].angular_velocity[d]);
                    if (!(apart < 1e-6 && faster < 1e-5))
                        fail_msg("%s: sample %d, body %d: %.2g m, %.2g rad/s beside the weld alone\n%s", kinds[k], s, b, apart, faster,
                                 text);
                }
    }
}

static void beside(int dim, const char *const *more, int n) {
    static char text[4096];
    static motion alone;
    write_model(text, sizeof text, dim, weld[dim - 2], "", false);
    run(text, "natural", &alone);
    for (int i = 0; i < n; i++)
        for (int first = 0; first < 2; first++) {
            write_model(text, sizeof text, dim, weld[dim - 2], more[i], first);
            compare(text, &alone);
            write_model(text, sizeof text, dim, pins[dim - 2], more[i], first);
            compare(text, &alone);
        }
}

static void welds_in_the_plane__leave_nothing_to_others(void **state) {
    (void)state;
    static const char *const more[] = {
        "  - {name: x, type: revolute, bodies: [a, b], at: [0.7, 0.2]}\n",
        "  - {name: x, type: revolute, bodies: [b, a], at: [0.6, 0.1]}\n",
        "  - {name: x, type: prismatic, bodies: [b, a], at: [0.7, 0.2], axis: [1, 0.3]}\n",
        "  - {name: x, type: point_on_line, bodies: [a, b], at: [0.7, 0.2], axis: [1, 0.3]}\n",
        "  - {name: x, type: point_on_line, bodies: [a, b], at: [0.65, 0.41], axis: [1, 0.3]}\n", /* off the line of the pins */
        "  - {name: x, type: rod, bodies: [a, b], at: [0.2, 0], to: [0.9, 0.5]}\n",
        "  - {name: x, type: fixed, bodies: [b, a], at: [0.1, 0.4]}\n",
        "  - {name: x, type: revolute, bodies: [ground, a], at: [0, 0]}\n  - {name: y, type: fixed, bodies: [a, b], at: [0, 0]}\n"};
    beside(2, more, sizeof more / sizeof *more);
}

static void welds_in_space__leave_nothing_to_others(void **state) {
    (void)state;
    static const char *const more[] = {"  - {name: x, type: revolute, bodies: [a, b], at: [0.7, 0.2, 0], axis: [1, 2, 0.4]}\n",
                                       "  - {name: x, type: prismatic, bodies: [b, a], at: [0.7, 0.2, 0], axis: [1, 2, 0.4]}\n",
                                       "  - {name: x, type: cylindrical, bodies: [b, a], at: [0.7, 0.2, 0], axis: [1, 2, 0.4]}\n",
                                       "  - {name: x, type: screw, bodies: [a, b], at: [0.7, 0.2, 0], axis: [1, 2, 0.4], pitch: 0.3}\n",
                                       "  - {name: x, type: universal, bodies: [a, b], at: [0.7, 0.2, 0], axis: [1, 2, 0.4]}\n",
                                       "  - {name: x, type: planar, bodies: [b, a], at: [0.7, 0.2, 0], axis: [1, 2, 0.4]}\n",
                                       "  - {name: x, type: spherical, bodies: [a, b], at: [0.7, 0.2, 0]}\n",
                                       "  - {name: x, type: spherical, bodies: [a, b], at: [0.6, 0.1, 0.2], angles: true}\n",
                                       "  - {name: x, type: point_on_line, bodies: [a, b], at: [0.7, 0.2, 0], axis: [1, 2, 0.4]}\n",
                                       "  - {name: x, type: point_on_plane, bodies: [b, a], at: [0.7, 0.2, 0], axis: [1, 2, 0.4]}\n",
                                       "  - {name: x, type: rod, bodies: [a, b], at: [0.2, 0, 0], to: [0.9, 0.5, 0.1]}\n",
                                       "  - {name: x, type: fixed, bodies: [b, a], at: [0.1, 0.4, 0.2]}\n"};
    beside(3, more, sizeof more / sizeof *more);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(welds_in_the_plane__leave_nothing_to_others),
                                       cmocka_unit_test(welds_in_space__leave_nothing_to_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
