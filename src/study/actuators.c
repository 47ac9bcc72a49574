/* Force, power and energy of actuators over samples: quadrature of order 4 at any spacing. */
#include "study/actuators.h"

#include <math.h>
#include <string.h>

bl_status bl_actuators_create(bl_context *ctx, bl_index n, bl_actuators *a) {
    *a = (bl_actuators){.ctx = ctx, .n = n};
    return BL_NEW_ARRAYS(ctx, a->block, BL_ARRAY(a->force, n), BL_ARRAY(a->power, n), BL_ARRAY(a->energy, n), BL_ARRAY(a->fixed, n),
                         BL_ARRAY(a->past, BL_QUADRATURE_POINTS * n));
}

void bl_actuators_destroy(bl_actuators *a) {
    if (a->ctx)
        bl_free(a->ctx, a->block);
    *a = (bl_actuators){0};
}

/* integral from `from` to `to` of the polynomial through p[k] at t[k], k < n <= 4, for which two Gauss points are exact */
static double integral(int n, const double *t, const double *p, size_t stride, double from, double to) {
    double middle = 0.5 * (from + to), half = 0.5 * (to - from), sum = 0;
    for (int side = -1; side <= 1; side += 2) {
        double x = middle + side * half / sqrt(3.0), value = 0;
        for (int i = 0; i < n; i++) {
            double basis = 1;
            for (int k = 0; k < n; k++)
                basis *= k == i ? 1 : (x - t[k]) / (t[i] - t[k]);
            value += basis * p[(size_t)i * stride];
        }
        sum += value;
    }
    return half * sum;
}

static void restart(bl_actuators *a, double t) {
    memcpy(a->fixed, a->energy, (size_t)a->n * sizeof(double));
    memcpy(a->past, a->power, (size_t)a->n * sizeof(double));
    a->t[0] = t;
    a->points = 1;
}

void bl_actuators_take(bl_actuators *a, double t, int side) {
    size_t n = (size_t)a->n;
    if (a->points == 0 || side == 1 || !(t > a->t[a->points - 1])) {
        restart(a, t);
        return;
    }
    if (a->points == BL_QUADRATURE_POINTS) { /* the oldest interval becomes final, using the points known up to now */
        for (size_t i = 0; i < n; i++)
            a->fixed[i] += integral(BL_QUADRATURE_POINTS, a->t, a->past + i, n, a->t[0], a->t[1]);
        memmove(a->past, a->past + n, (BL_QUADRATURE_POINTS - 1) * n * sizeof(double));
        memmove(a->t, a->t + 1, (BL_QUADRATURE_POINTS - 1) * sizeof(double));
        a->points--;
    }
    memcpy(a->past + (size_t)a->points * n, a->power, n * sizeof(double));
    a->t[a->points++] = t;
    for (size_t i = 0; i < n; i++)
        a->energy[i] = a->fixed[i] + integral(a->points, a->t, a->past + i, n, a->t[0], t);
}

bl_status bl_actuators_of_drivers(bl_context *ctx, const bl_model *model, bl_arena *arena, bl_run_info *info, bl_actuators *a) {
    bool *is_angle;
    BL_TRY(BL_ARENA_NEW(arena, is_angle, model->ndriver));
    for (bl_index i = 0; i < model->ndriver; i++)
        is_angle[i] = model->variable[model->driver[i].variable].is_angle;
    BL_TRY(bl_actuators_create(ctx, model->ndriver, a));
    a->variable = info->driver_variable;
    info->nactuator = info->ndriver;
    info->actuator = info->driver;
    info->actuator_is_angle = is_angle;
    return BL_OK;
}

void bl_actuators_show(bl_actuators *a, bl_sample *sample) {
    if (a->n == 0 || !sample->driver_force || !sample->variable_rate)
        return;
    for (bl_index i = 0; i < a->n; i++) {
        a->force[i] = sample->driver_force[i];
        a->power[i] = a->force[i] * sample->variable_rate[a->variable[i]];
    }
    bl_actuators_take(a, sample->t, sample->side);
    sample->actuator_force = a->force;
    sample->actuator_power = a->power;
    sample->actuator_energy = a->energy;
}
