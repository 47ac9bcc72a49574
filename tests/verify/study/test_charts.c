/* Spherical joints of relative coordinates and three angles of a body approach the limits of their parameters, and are reset at a step.
 * Samples within that step belong to the same motion as all others: compared with natural coordinates, which are never reset. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

enum { BODIES = 3, SAMPLES = 400 };

/* a spatial loop with two spherical joints and a pin; it rotates with about 15 rad/s */
static const char tumbling[] = "gravity: [0, 0, -9.81]\n"
                               "bodies:\n"
                               "  - {name: top, mass: 1, box: {center: [0.3, 0, 0.5], size: [0.5, 0.3, 0.2]}}\n"
                               "  - {name: arm, mass: 0.5, box: {center: [1.5, 0, 0], size: [1, 0.1, 0.1]}}\n"
                               "  - {name: end, mass: 0.7, box: {center: [1.2, 0.7, 0.3], size: [0.4, 0.2, 0.6]}}\n"
                               "joints:\n"
                               "  - {name: ball, type: spherical, bodies: [ground, top], at: [0, 0, 0]}\n"
                               "  - {name: pin, type: revolute, bodies: [ground, arm], at: [2, 0, 0], axis: [0, 1, 0.2]}\n"
                               "  - {name: ball2, type: spherical, bodies: [arm, end], at: [1, 0.3, 0.2]}\n"
                               "  - {name: link, type: spherical, bodies: [end, top], at: [0.5, 0.4, 0.4]}\n"
                               "initial:\n"
                               "  top: {angular_velocity: [3, -5, 14]}\n";

typedef struct motion {
    int n;
    double position[SAMPLES + 1][BODIES][3], velocity[SAMPLES + 1][BODIES][3], energy_error;
} motion;

static bl_status on_sample(void *user, const bl_sample *s) {
    motion *m = user;
    assert_true(m->n <= SAMPLES);
    for (int b = 0; b < BODIES; b++) {
        memcpy(m->position[m->n][b], s->body[b].position, sizeof m->position[0][0]);
        memcpy(m->velocity[m->n][b], s->body[b].velocity, sizeof m->velocity[0][0]);
    }
    m->n++;
    m->energy_error = fmax(m->energy_error, fabs(s->energy_error));
    return BL_OK;
}

static bl_run_summary run(const char *coordinates, const char *formulation, const char *integrator, motion *m) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    memset(m, 0, sizeof *m);
    bl_sink sink = {.user = m, .sample = on_sample};
    bl_run_summary summary = {0};
    bl_run_options options = {.coordinates = coordinates,
                              .formulation = formulation,
                              .integrator = integrator,
                              .until = 0.2,
                              .every = 0.2 / SAMPLES,
                              .tolerance = 1e-10};
    assert_int_equal(bl_model_read_text(ctx, "tumbling.yaml", tumbling, strlen(tumbling), NULL, 0, &model), BL_OK);
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, &summary);
    if (status != BL_OK)
        fail_msg("%s, %s, %s: %s", coordinates, formulation, integrator, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return summary;
}

static void samples__are_of_one_motion_where_parameters_are_taken_back(void **state) {
    (void)state;
    static const char *const coordinates[] = {"relative", "reference:angles", "reference:angles,sequence=zxz"};
    static const char *const formulations[] = {NULL, "partition:state=independent", "lagrange", "null_space"};
    static const char *const integrators[] = {"dopri45", "abm"};
    static motion natural, other;
    run("natural", NULL, NULL, &natural);
    assert_int_equal(natural.n, SAMPLES + 1);
    for (int c = 0; c < 3; c++)
        for (int f = 0; f < 4; f++)
            for (int i = 0; i < (f ? 1 : 2); i++) {
                bl_run_summary summary = run(coordinates[c], formulations[f], integrators[i], &other);
                assert_true(summary.restarts >= 3); /* otherwise nothing was reset */
                assert_int_equal(other.n, natural.n);
                /* energies of 600 J, a few thousand steps of 1e-10 each; motions diverge by a factor of a few thousand in 0.2 s */
                assert_true(other.energy_error < 1e-4);
                for (int k = 0; k < other.n; k++)
                    for (int b = 0; b < BODIES; b++)
                        for (int d = 0; d < 3; d++) {
                            double apart = fabs(other.position[k][b][d] - natural.position[k][b][d]);
                            double faster = fabs(other.velocity[k][b][d] - natural.velocity[k][b][d]);
                            if (!(apart < 1e-5 && faster < 1e-3))
                                fail_msg("%s, %s, %s: %.2g m, %.2g m/s apart at sample %d", coordinates[c], formulations[f], integrators[i],
                                         apart, faster, k);
                        }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples__are_of_one_motion_where_parameters_are_taken_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
