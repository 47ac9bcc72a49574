/* A synthetic run: two bodies, names that need escaping, values from exact formulas that check.py knows too. */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/testing.h"

enum { NBODY = 2, NVARIABLE = 2, NPROBE = 1, NJOINT = 2, NCONTACT = 2 };
static const char *const body_names[] = {"crank/left", "tab\there, \"quoted\" \\ \xC3\xBC"};
static const char *const variable_names[] = {"j1.angle", "j1.distance"};
static const bool angles[] = {true, false};
static const char *const probe_names[] = {"tip"};
static const char *const joint_names[] = {"j1", "."};
static const char *const contact_names[] = {"floor.2", "j1.lower, \"a\""};
static const bool contact_angles[] = {false, true};
static const char model_source[] = "model: synthetic\nbodies: []\n";
static const char scene_text[] = "{\"dimension\":3,\"bodies\":[]}";

static const bl_run_info synthetic_info = {.model_name = "synth\x01\n",
                                           .model_file = "synthetic.yaml",
                                           .model_source = model_source,
                                           .model_source_bytes = sizeof model_source - 1,
                                           .scene = scene_text,
                                           .coordinates = "natural",
                                           .formulation = "lagrange",
                                           .integrator = "dopri45",
                                           .linsol = "klu",
                                           .ordering = "amd",
                                           .tolerance = 1e-6,
                                           .step = 0,
                                           .until = 10,
                                           .dim = 3,
                                           .nbody = NBODY,
                                           .body = body_names,
                                           .nvariable = NVARIABLE,
                                           .variable = variable_names,
                                           .is_angle = angles,
                                           .nprobe = NPROBE,
                                           .probe = probe_names,
                                           .njoint = NJOINT,
                                           .joint = joint_names,
                                           .nq = 24,
                                           .nv = 24,
                                           .np = 22,
                                           .dof = 2,
                                           .ncontact = NCONTACT,
                                           .contact = contact_names,
                                           .contact_is_angle = contact_angles,
                                           .reactions = true};

static const bl_run_summary synthetic_summary = {.status = BL_OK,
                                                 .t = 10,
                                                 .steps = 101,
                                                 .rejections = 2,
                                                 .restarts = 3,
                                                 .bounded = 4,
                                                 .evaluations = 604,
                                                 .newton_iterations = 21,
                                                 .tangents = 22,
                                                 .factorizations = 5,
                                                 .refactorizations = 606,
                                                 .solves = 707,
                                                 .projections = 8,
                                                 .repartitions = 9,
                                                 .handovers = 10,
                                                 .method_changes = 11,
                                                 .sample_evaluations = 12,
                                                 .sample_factorizations = 13,
                                                 .sample_solves = 14,
                                                 .method = "series until 0.013 s, then ndf_auto",
                                                 .sliding_method = "dopri45",
                                                 .h_smallest = 0.001,
                                                 .h_largest = 0.25,
                                                 .largest_drift = 1e-9,
                                                 .largest_misfit = 2e-6,
                                                 .largest_energy_error = NAN,
                                                 .wall_seconds = 0.125,
                                                 .real_time_factor = 80,
                                                 .impacts = 15,
                                                 .accumulations = 16,
                                                 .lost_in_impacts = 0.375};

/* component k of quantity `what` of owner i in row n: quotients of small integers, the same bits in any language */
static inline double synthetic_value(long n, int what, int i, int k) { return (double)(n * 1000 + what * 100 + i * 10 + k) / 7; }

typedef struct synthetic_sample {
    bl_sample sample;
    bl_pose body[NBODY];
    double variable[NVARIABLE], variable_rate[NVARIABLE], probe[3 * NPROBE], probe_rate[3 * NPROBE];
    bl_wrench reaction[NJOINT];
    bl_contact_sample contact[NCONTACT];
} synthetic_sample;

static inline const bl_sample *synthetic_row(synthetic_sample *s, long n) {
    for (int i = 0; i < NBODY; i++)
        for (int k = 0; k < 4; k++) {
            s->body[i].quaternion[k] = synthetic_value(n, 2, i, k);
            if (k == 3)
                break;
            s->body[i].position[k] = synthetic_value(n, 1, i, k);
            s->body[i].velocity[k] = synthetic_value(n, 3, i, k);
            s->body[i].angular_velocity[k] = synthetic_value(n, 4, i, k);
            s->reaction[i].force[k] = synthetic_value(n, 7, i, k);
            s->reaction[i].moment[k] = synthetic_value(n, 8, i, k);
            s->probe[k] = synthetic_value(n, 9, 0, k);
            s->probe_rate[k] = synthetic_value(n, 10, 0, k);
        }
    for (int i = 0; i < NVARIABLE; i++) {
        s->variable[i] = synthetic_value(n, 5, i, 0);
        s->variable_rate[i] = synthetic_value(n, 6, i, 0);
    }
    for (int i = 0; i < NCONTACT; i++) {
        bl_contact_sample *c = &s->contact[i];
        c->gap = synthetic_value(n, 13, i, 0);
        c->state = (double)((n + i) % 3);
        for (int k = 0; k < 3; k++) {
            c->force[k] = synthetic_value(n, 14, i, k);
            c->point[k] = synthetic_value(n, 16, i, k);
            c->total[k] = synthetic_value(n, 17, i, k);
        }
        for (int k = 0; k < 2; k++)
            c->sliding[k] = synthetic_value(n, 15, i, k);
    }
    s->sample = (bl_sample){.t = synthetic_value(n, 0, 0, 0),
                            .body = s->body,
                            .variable = s->variable,
                            .variable_rate = s->variable_rate,
                            .probe = s->probe,
                            .probe_rate = s->probe_rate,
                            .reaction = s->reaction,
                            .contact = s->contact,
                            .kinetic = synthetic_value(n, 11, 0, 0),
                            .potential = synthetic_value(n, 11, 0, 1),
                            .work = synthetic_value(n, 11, 0, 2),
                            .energy_error = synthetic_value(n, 11, 0, 3),
                            .dissipated = synthetic_value(n, 11, 0, 4),
                            .drift = synthetic_value(n, 12, 0, 0),
                            .velocity_drift = synthetic_value(n, 12, 0, 1)};
    return &s->sample;
}

/* begin, rows, end; the first failure that is not from end, as a study would report it to end */
static inline bl_status synthetic_run(bl_sink *sink, long rows, bl_run_summary summary) {
    synthetic_sample s;
    bl_status status = sink->begin(sink->user, &synthetic_info);
    for (long n = 0; n < rows && status == BL_OK; n++)
        status = sink->sample(sink->user, synthetic_row(&s, n));
    if (status != BL_OK)
        summary.status = status;
    bl_status ended = sink->end(sink->user, &summary);
    return status != BL_OK ? status : ended;
}

/* ---- a folder for every test program */

static inline const char *scratch(const char *name) {
    static char folder[64], path[512];
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/biela_output_XXXXXX");
        assert_non_null(mkdtemp(folder));
    }
    snprintf(path, sizeof path, "%s%s%s", folder, name[0] ? "/" : "", name);
    return path;
}

static inline int remove_scratch(void **state) {
    (void)state;
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch(""));
    return system(command);
}

static inline bool exists(const char *path) { return access(path, F_OK) == 0; }

#endif
