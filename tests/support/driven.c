#include "support/driven.h"

#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const driven_solver[DRIVEN_SOLVERS] = {"groups", "newton", "whole"};

static void expect(bl_context *ctx, bl_status status, const char *what) {
    if (status != BL_OK)
        fail_msg("%s: %s", what, bl_context_error(ctx)->what);
}

bl_model *driven_model(bl_context *ctx, const char *name) {
    char path[512];
    bl_model *model = NULL;
    snprintf(path, sizeof path, "%s/verify/kinematics/models/%s.yaml", TESTS, name);
    expect(ctx, bl_model_read(ctx, path, NULL, 0, &model), name);
    return model;
}

bl_model *driven_text(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    expect(ctx, bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), "text");
    return model;
}

bl_kinematics *driven_begin(bl_context *ctx, const bl_model *model, const char *solver, bool turns) {
    bl_kinematics *k = NULL;
    expect(ctx, bl_kinematics_create(ctx, model, &(bl_kinematics_options){.solver = solver, .turns = turns}, &k), solver);
    return k;
}

void driven_at(bl_context *ctx, bl_kinematics *k, double t, bl_kinematics_order order) {
    expect(ctx, bl_kinematics_at(k, t, order), "moving");
}

static void take_largest(double *worst, const double *a, const double *b, int n, double scale) {
    for (int i = 0; i < n; i++) {
        double off = fabs(a[i] - b[i]) / scale;
        *worst = off <= *worst ? *worst : off;
    }
}

static double largest(const bl_kinematics *k, int level) {
    double most = 1e-3;
    for (bl_index b = 1; b < k->model->nbody; b++) {
        const bl_body_motion *m = bl_kinematics_body(k, b);
        for (int i = 0; i < 3; i++)
            most = level == 1 ? fmax(most, fmax(fabs(m->velocity[i]), fabs(m->angular_velocity[i])))
                              : fmax(most, fmax(fabs(m->acceleration[i]), fabs(m->angular_acceleration[i])));
    }
    return most;
}

void driven_compare(const bl_kinematics *a, const bl_kinematics *b, driven_difference *worst) {
    double rate = largest(a, 1), second = largest(a, 2);
    for (bl_index i = 1; i < a->model->nbody; i++) {
        const bl_body_motion *x = bl_kinematics_body(a, i), *y = bl_kinematics_body(b, i);
        take_largest(&worst->position, x->position, y->position, 3, a->size);
        take_largest(&worst->position, x->rotation, y->rotation, 9, 1);
        take_largest(&worst->velocity, x->velocity, y->velocity, 3, rate);
        take_largest(&worst->velocity, x->angular_velocity, y->angular_velocity, 3, rate);
        take_largest(&worst->acceleration, x->acceleration, y->acceleration, 3, second);
        take_largest(&worst->acceleration, x->angular_acceleration, y->angular_acceleration, 3, second);
    }
}

/* pose and velocities of a body as one list */
enum { NUMBERS = 18 };
static void read_numbers(const bl_kinematics *k, bl_index b, double out[NUMBERS]) {
    const bl_body_motion *m = bl_kinematics_body(k, b);
    memcpy(out, m->position, 3 * sizeof *out);
    memcpy(out + 3, m->rotation, 9 * sizeof *out);
    memcpy(out + 12, m->velocity, 3 * sizeof *out);
    memcpy(out + 15, m->angular_velocity, 3 * sizeof *out);
}

void driven_differences(bl_context *ctx, bl_kinematics *k, double t, double h, driven_difference *worst) {
    size_t n = (size_t)k->model->nbody * NUMBERS;
    double *slope = calloc(3 * n, sizeof *slope), *now = calloc(NUMBERS, sizeof *now);
    assert_non_null(slope);
    assert_non_null(now);
    for (int level = 0; level < 3; level++)
        for (int side = -1; side <= 1; side += 2) {
            double step = h / (1 << level);
            driven_at(ctx, k, t + side * step, BL_VELOCITIES);
            for (bl_index b = 1; b < k->model->nbody; b++) {
                read_numbers(k, b, now);
                for (int i = 0; i < NUMBERS; i++)
                    slope[(size_t)level * n + (size_t)(b * NUMBERS + i)] += side * now[i] / (2 * step);
            }
        }
    for (int order = 1; order < 3; order++) /* removes errors of order h^2, then h^4 */
        for (int level = 0; level < 3 - order; level++)
            for (size_t i = 0; i < n; i++) {
                double f = order == 1 ? 4 : 16, *coarse = &slope[(size_t)level * n + i], fine = slope[(size_t)(level + 1) * n + i];
                *coarse = (f * fine - *coarse) / (f - 1);
            }
    driven_at(ctx, k, t, BL_ACCELERATIONS);
    double rate = largest(k, 1), second = largest(k, 2);
    for (bl_index b = 1; b < k->model->nbody; b++) {
        const bl_body_motion *m = bl_kinematics_body(k, b);
        const double *s = slope + b * NUMBERS, *w = m->angular_velocity;
        take_largest(&worst->velocity, m->velocity, s, 3, rate);
        take_largest(&worst->acceleration, m->acceleration, s + 12, 3, second);
        take_largest(&worst->acceleration, m->angular_acceleration, s + 15, 3, second);
        for (int c = 0; c < 3; c++) { /* R' = w x R */
            double u[3] = {m->rotation[c], m->rotation[3 + c], m->rotation[6 + c]}, du[3] = {s[3 + c], s[6 + c], s[9 + c]};
            double turned[3] = {w[1] * u[2] - w[2] * u[1], w[2] * u[0] - w[0] * u[2], w[0] * u[1] - w[1] * u[0]};
            take_largest(&worst->velocity, turned, du, 3, rate);
        }
    }
    free(slope);
    free(now);
}
