/* Simulations: mechanisms with every kind of coordinates, formulations and integrators; singular configurations, events, friction, stiff
 * equations. An answer: how the run ends, the start and the motion. */
#include "limits/limits.h"

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 8 };
static const double TOLERANCE = 1e-5;

typedef struct way {
    const char *coordinates, *formulation, *integrator, *linsol;
    double until, step, sharper; /* until 0: the model's, at most 2 s; sharper: divides the tolerance */
    double tolerance;            /* 0: TOLERANCE */
    double within;               /* of numbers; 0: the tolerance */
    uint32_t want;               /* more than positions */
} way;

static void ask_run(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    const way *w = how;
    double own = model->settings.until, until = w->until > 0 ? w->until : fmin(isnan(own) ? 1 : own, 2);
    double tolerance = (w->tolerance > 0 ? w->tolerance : TOLERANCE) / (w->sharper > 0 ? w->sharper : 1);
    answer_sink s;
    bl_sink sink =
        answer_sink_of(&s, a, w->within > 0 ? w->within : TOLERANCE, BL_WANT_BODIES | BL_WANT_VARIABLES | BL_WANT_PROBES | w->want);
    bl_run_options options = {.coordinates = w->coordinates,
                              .formulation = w->formulation,
                              .integrator = w->integrator,
                              .linsol = w->linsol,
                              .until = until,
                              .every = until / (SAMPLES - 1),
                              .tolerance = tolerance,
                              .step = w->step > 0 ? w->step / (w->sharper > 0 ? sqrt(w->sharper) : 1) : 0};
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    answer_status(a, ctx, status);
}

/* ---- scenes: loops and trees in the plane and in space, overconstrained, singular on the way, driven, with friction; quick */

#define PRECISE(...) \
    &(const way){__VA_ARGS__}, &(const way) { __VA_ARGS__, .sharper = 1000 }
#define WITH_ALL(name)                                                                                  \
    {#name ", default", #name, NULL, {{0}}, ask_run, PRECISE(.formulation = NULL), false},              \
        {#name ", lagrange", #name, NULL, {{0}}, ask_run, PRECISE(.formulation = "lagrange"), false}, { \
#name ", index3", #name, NULL, {{0 } }, ask_run, PRECISE(.formulation = "index3"), false        \
    }
#define WITH(name, ...) \
    { #name " (" #__VA_ARGS__ ")", #name, NULL, {{0 } }, ask_run, PRECISE(__VA_ARGS__), false }

static const limit_case cases[] = {
    WITH_ALL(bricard),
    WITH_ALL(change_point_four_bar),
    WITH_ALL(double_pendulum),
    WITH_ALL(four_bar),
    WITH_ALL(n_four_bar),
    WITH_ALL(point_pendulums),
    WITH_ALL(quick_return),
    WITH_ALL(slider_crank),
    WITH_ALL(slider_crank_motor),
    WITH_ALL(spatial_slider_crank),
    WITH_ALL(jansen_leg),
    WITH_ALL(andrews),
    WITH_ALL(inclined_block),
    WITH(double_pendulum, .coordinates = "reference"),
    WITH(slider_crank, .coordinates = "relative"),
    WITH(bricard, .coordinates = "relative"),
    WITH(heavy_top, .coordinates = "relative", .until = 0.5),
    WITH(heavy_top, .coordinates = "reference:angles", .until = 0.1),
    WITH(four_bar, .integrator = "series", .want = BL_WANT_REACTIONS, .within = 1e-3),
    WITH(bricard, .want = BL_WANT_REACTIONS, .within = 1e-3),
    WITH(bouncing_ball, .until = 1),
    WITH(rocking_block, .until = 1.2),
    WITH(stick_slip_belt, .until = 1),
    WITH(four_bar_stop, .until = 0.5, .coordinates = "relative"),
    WITH(clearance_slider_crank, .until = 0.006),
    WITH(falling_rod, .until = 0.3),
    WITH(newtons_cradle, .until = 0.5),
    WITH(geneva_drive, .until = 0.3),
    WITH(ratchet, .until = 0.3),
    WITH(rolling_disc, .until = 0.2),
    WITH(sleigh, .until = 0.2),
    WITH(rattleback, .until = 0.2, .coordinates = "reference"),
    WITH(four_bar, .formulation = "matrix_r"),
    WITH(four_bar, .formulation = "auglag"),
    WITH(four_bar, .formulation = "penalty"),
    WITH(four_bar, .formulation = "ggl", .integrator = "ndf_auto"),
    WITH(slider_crank, .integrator = "dop853"),
    WITH(slider_crank, .integrator = "abm"),
    WITH(slider_crank, .integrator = "rosenbrock23", .until = 0.2),
    WITH(slider_crank, .formulation = "index3", .integrator = "hht", .step = 0.002, .until = 0.2),
};

limit_cases limit_cases_runs(void) { return LIMIT_CASES(cases); }
