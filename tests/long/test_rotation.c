/* A million fixed steps of a free body that tumbles: its axes stay at right angles and of unit length with every parametrization of
 * rotations; energy and angular momentum change by the error of the method alone. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"natural",
                                    "relative",
                                    "reference",
                                    "reference:matrix",
                                    "reference:angles",
                                    "reference:angles,sequence=zxz",
                                    "reference:view=tangent",
                                    "reference:matrix,view=tangent"};
enum { NKIND = sizeof kinds / sizeof *kinds };

static const char *const text = "model: free\n"
                                "bodies:\n  - {name: b, mass: 1, center: [0, 0, 0], inertia: [1, 2, 3]}\n"
                                "probes: {x: {body: b, at: [1, 0, 0]}, y: {body: b, at: [0, 1, 0]}, z: {body: b, at: [0, 0, 1]}}\n"
                                "initial:\n  b: {angular_velocity: [1.7, 0, 1]}\n";

typedef struct record {
    double frame, momentum, energy;
    long samples;
} record;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static bl_status measure(void *user, const bl_sample *sample) {
    record *r = user;
    static const double I[3] = {1, 2, 3};
    const double *p = sample->probe, *w = sample->body[0].angular_velocity, L0[3] = {1.7, 0, 3};
    double axis[3][3], L[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            axis[i][c] = p[3 * i + c] - sample->body[0].position[c];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r->frame = fmax(r->frame, fabs(dot(axis[i], axis[j]) - (i == j)));
            L[j] += I[i] * dot(axis[i], w) * axis[i][j];
        }
    for (int c = 0; c < 3; c++)
        r->momentum = fmax(r->momentum, fabs(L[c] - L0[c]));
    r->energy = fmax(r->energy, fabs(sample->energy_error));
    r->samples++;
    return BL_OK;
}

/* h w = 0.02, and parameters move at most twice as fast as the body turns (angles next to their limits): classical Runge-Kutta makes errors
 * of 0.04^5 / 120 in a step at most, 1e-3 in a million where they all add up. Rows are kept to 1e-11 by projection; what has none is
 * orthonormal to rounding. */
static void million_steps__leave_the_frame_orthonormal(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_run_summary summary = {0};
        record r = {0};
        bl_sink sink = {.user = &r, .sample = measure};
        assert_int_equal(bl_model_read_text(ctx, "free", text, strlen(text), NULL, 0, &model), BL_OK);
        bl_run_options options = {
            .coordinates = kinds[k], .integrator = "rk4", .step = 0.01, .until = 1e4, .every = 10, .projection_tolerance = 1e-11};
        bl_status status = bl_simulate(ctx, model, &options, &sink, 1, &summary);
        if (status != BL_OK)
            fail_msg("%s: %s", kinds[k], bl_context_error(ctx)->what);
        print_message("%s: %ld steps, frame %.2g, momentum %.2g, energy %.2g, %.1f s\n", kinds[k], summary.steps, r.frame, r.momentum,
                      r.energy, summary.wall_seconds);
        assert_true(summary.steps >= 1000000 - 1);
        assert_true(r.samples >= 1000);
        assert_true(r.frame < 1e-10);
        assert_true(r.momentum < 1e-3);
        assert_true(r.energy < 1e-3);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(million_steps__leave_the_frame_orthonormal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
