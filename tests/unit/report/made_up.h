/* Results of a motion that never was, by formulas: two bodies, names that are markup, a spring, a spike. */
#ifndef MADE_UP_H
#define MADE_UP_H

#include "reading.h"

enum { BODIES = 2, VARIABLES = 2, JOINTS = 1 };

#define MADE_UP_NAME "</script><img src=x onerror=alert(1)>"

typedef struct made_up {
    long rows;
    double until;
    bool turning_back; /* quaternions change sign from row to row, though the motion does not */
    long bad_from;     /* rows from here to bad_to - 1 have no position; 0: none */
    long bad_to;
    long spike; /* of the second variable; 0: none */
    const char *scene;
    const char *name, *integrator;
    const char *source;
    bool cut; /* the run is not ended: what is there stands in path~partial */
} made_up;

static inline double made_up_time(const made_up *m, long i) { return m->until * (double)i / (double)(m->rows > 1 ? m->rows - 1 : 1); }

/* body 0 runs on a circle of radius 2 and turns with it; body 1 swings along a line and does not turn */
static inline void made_up_pose(double t, int body, double x[3], double q[4]) {
    x[0] = body == 0 ? 2 * cos(t) : 5 + 0.5 * sin(3 * t);
    x[1] = body == 0 ? 2 * sin(t) : -1;
    x[2] = 0;
    q[0] = body == 0 ? cos(t / 2) : 1;
    q[1] = q[2] = 0;
    q[3] = body == 0 ? sin(t / 2) : 0;
}

static inline double made_up_variable(const made_up *m, long i, int k) {
    double t = made_up_time(m, i);
    return k == 0 ? t : sin(3 * t) / 3 + (m->spike > 0 && i == m->spike ? 7 : 0);
}

static inline bl_status made_up_rows(const made_up *m, bl_sink *sink) {
    for (long i = 0; i < m->rows; i++) {
        double t = made_up_time(m, i), variable[VARIABLES], rate[VARIABLES] = {1, cos(3 * t)};
        bl_pose body[BODIES] = {0};
        bl_wrench reaction[JOINTS] = {{.force = {10 * cos(t), i == 3 ? NAN : 1, 0}}};
        for (int b = 0; b < BODIES; b++) {
            made_up_pose(t, b, body[b].position, body[b].quaternion);
            for (int k = 0; k < 4 && m->turning_back && i % 2; k++)
                body[b].quaternion[k] *= -1;
            body[b].velocity[0] = t;
        }
        if (i >= m->bad_from && i < m->bad_to)
            body[1].position[1] = NAN;
        for (int k = 0; k < VARIABLES; k++)
            variable[k] = made_up_variable(m, i, k);
        bl_sample sample = {
            .t = t, .body = body, .variable = variable, .variable_rate = rate, .reaction = reaction, .kinetic = 1 + t, .drift = 1e-12};
        bl_status status = sink->sample(sink->user, &sample);
        if (status != BL_OK)
            return status;
    }
    return BL_OK;
}

static inline bl_status made_up_write(bl_context *ctx, const char *path, const made_up *m) {
    static const char *const bodies[] = {"crank", MADE_UP_NAME}, *const variables[] = {"j1.angle", "j1.distance"}, *const joints[] = {"j1"};
    static const bool angles[] = {true, false};
    const char *source = m->source ? m->source : "model: none\nbodies: [\n";
    bl_run_info info = {.model_name = m->name ? m->name : MADE_UP_NAME,
                        .model_file = "made up",
                        .model_source = source,
                        .model_source_bytes = strlen(source),
                        .coordinates = "natural",
                        .formulation = "lagrange",
                        .integrator = m->integrator ? m->integrator : "radau",
                        .linsol = "klu",
                        .ordering = "amd",
                        .tolerance = 1e-6,
                        .until = m->until,
                        .dim = 2,
                        .nbody = BODIES,
                        .body = bodies,
                        .nvariable = VARIABLES,
                        .variable = variables,
                        .is_angle = angles,
                        .njoint = JOINTS,
                        .joint = joints,
                        .dof = 1,
                        .reactions = true,
                        .scene = m->scene};
    bl_sink sink = {0};
    bl_status status = bl_sink_hdf5(ctx, path, &sink);
    if (status != BL_OK)
        return status;
    status = sink.begin(sink.user, &info);
    if (status == BL_OK)
        status = made_up_rows(m, &sink);
    if (m->cut) {
        bl_sink_destroy(&sink);
        return status;
    }
    bl_status ended = sink.end(sink.user, &(bl_run_summary){.status = status, .t = m->until, .steps = m->rows});
    bl_sink_destroy(&sink);
    return status != BL_OK ? status : ended;
}

/* the page of one result */
static inline bl_status report_of(bl_context *ctx, const char *result, const char *path) {
    bl_report_options o = reading_options();
    return bl_report_write(ctx, &result, 1, &o, path);
}

#endif
