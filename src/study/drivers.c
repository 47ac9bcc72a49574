/* Drivers that cannot be followed. A law is expanded to second order, as in the system: value, rate, second rate. */
#include "study/drivers.h"

#include "model/law_inputs.h"
#include "series/tape.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>

enum { ORDER = 2, STRIDE = ORDER + 1 };
static const char *const quantity[] = {"value", "rate", "second rate"};

bl_status bl_driver_watch_create(bl_context *ctx, const bl_model *model, bl_driver_watch *watch) {
    size_t most = 1, work = 1;
    *watch = (bl_driver_watch){.ctx = ctx, .model = model};
    for (bl_index d = 0; d < model->ndriver; d++) {
        const bl_law *law = &model->law[model->driver[d].law];
        size_t needs = bl_tape_series_work(law->tape, ORDER);
        most = (size_t)law->ninput > most ? (size_t)law->ninput : most;
        work = needs > work ? needs : work;
    }
    return BL_NEW_ARRAYS(ctx, watch->block, BL_ARRAY(watch->in, STRIDE * most), BL_ARRAY(watch->work, work),
                         BL_ARRAY(watch->course, model->ndriver));
}

void bl_driver_watch_destroy(bl_driver_watch *watch) {
    if (watch->ctx)
        bl_free(watch->ctx, watch->block);
    *watch = (bl_driver_watch){0};
}

/* its course is known from the model alone */
static bool of_time(const bl_driver_watch *watch, bl_index driver) { return bl_model_driver_reading(watch->model, driver, -1) != driver; }

static void expand(const bl_driver_watch *watch, bl_index driver, double t, double out[STRIDE]) {
    const bl_model *model = watch->model;
    const bl_law *law = &model->law[model->driver[driver].law];
    bl_law_read_series(model, law, &(bl_instant){.t = t}, ORDER, watch->in);
    bl_tape_series(law->tape, ORDER, watch->in, out, watch->work);
    out[2] *= 2;
}

static int first_bad(const double x[STRIDE]) {
    int k = 0;
    while (k < STRIDE && isfinite(x[k]))
        k++;
    return k;
}

static const char *name_of(const bl_driver_watch *watch, bl_index driver, char *text, size_t n) {
    const bl_driver *d = &watch->model->driver[driver];
    const char *variable = watch->model->variable[d->variable].name;
    snprintf(text, n, d->name == variable ? "driver of %.80s" : "driver of %.80s ('%.60s')", variable, d->name);
    return text;
}

static void blame(const bl_driver_watch *watch, bl_index driver, const char *advice, double t) {
    char part[192];
    bl_advise(watch->ctx, "%s", advice);
    bl_blame(watch->ctx, name_of(watch, driver, part, sizeof part), "driven value", t);
}

static const char advice_value[] = "the law must have a finite value at every time of the run: check its roots, logarithms and divisions";
static const char advice_rate[] =
    "no mechanism can follow this: give a law with finite rate and second rate at all times, such as t^2 or smoothstep(t, 0, 0, 1, 1), "
    "or exclude this time from the run";

static bl_status refuse(const bl_driver_watch *watch, bl_index driver, const double x[STRIDE], int bad, double t, const char *when) {
    const bl_law *law = &watch->model->law[watch->model->driver[driver].law];
    char name[192];
    bl_fail(watch->ctx, BL_E_NUMERIC, &law->place, "%s: its %s is %s at t = %.9g%s (law: %.120s)",
            name_of(watch, driver, name, sizeof name), quantity[bad], isnan(x[bad]) ? "not a number" : "infinite", t, when, law->text);
    blame(watch, driver, bad == 0 ? advice_value : advice_rate, t);
    return BL_E_NUMERIC;
}

bl_status bl_drivers_finite(const bl_driver_watch *watch, double t) {
    for (bl_index d = 0; d < watch->model->ndriver; d++) {
        double x[STRIDE];
        expand(watch, d, t, x);
        if (first_bad(x) < STRIDE)
            return refuse(watch, d, x, first_bad(x), t, t == 0 ? ", the start" : "");
    }
    return BL_OK;
}

static double spacing(double t) { return fmax(nextafter(fabs(t), INFINITY) - fabs(t), 0x1p-1000); }

/* ---- poles ahead
 *
 * Near a pole f = c (T - t)^-p, so that f'/f'' = (T - t) / (p + 1): its slope gives p and T. Roots, p < 0, are found by the steps
 * themselves. */

/* T from the law at two times, the second one later; NaN: none ahead */
static double pole_of(double t, double lead, double t_later, double later) {
    double slope = (later - lead) / (t_later - t);
    return later > 0 && lead > 0 && slope < -study_driver_slope && slope > study_driver_slope - 1 ? t_later - later / slope : NAN;
}

static double lead_of(const double x[STRIDE]) { return first_bad(x) == STRIDE && x[2] != 0 ? x[1] / x[2] : NAN; }

/* evaluates the law closer and closer to the estimated pole */
static bool is_pole(const bl_driver_watch *watch, bl_index driver, double t, double *pole) {
    double x[STRIDE], left = *pole - t, nearest = fmax(study_driver_pole_sure * left, 64 * spacing(*pole));
    expand(watch, driver, t, x);
    for (double lead = lead_of(x); left > nearest;) {
        double next = t + 0.5 * left;
        expand(watch, driver, next, x);
        double later = lead_of(x), found = pole_of(t, lead, next, later);
        if (!(fabs(found - *pole) <= 0.5 * left))
            return false;
        *pole = found;
        t = next;
        lead = later;
        left = *pole - t;
    }
    return true;
}

static bl_status refuse_pole(const bl_driver_watch *watch, bl_index driver, double t, double pole) {
    const bl_law *law = &watch->model->law[watch->model->driver[driver].law];
    double now[STRIDE];
    char name[192];
    expand(watch, driver, t, now);
    bl_fail(watch->ctx, BL_E_NUMERIC, &law->place, "%s: its value tends to infinity at t = %.6g: %.3g at t = %.9g (law: %.120s)",
            name_of(watch, driver, name, sizeof name), pole, now[0], t, law->text);
    blame(watch, driver, advice_value, t);
    return BL_E_NUMERIC;
}

bl_status bl_drivers_follow(bl_driver_watch *watch, double t, double t_end) {
    for (bl_index d = 0; d < watch->model->ndriver; d++) {
        bl_driver_course *c = &watch->course[d];
        double x[STRIDE];
        if (!(t > c->t) || !of_time(watch, d))
            continue;
        expand(watch, d, t, x);
        double lead = lead_of(x), pole = pole_of(c->t, c->lead, t, lead);
        c->t = t;
        c->lead = lead;
        if (!(pole <= t_end)) {
            c->seen = 0;
            continue;
        }
        if (c->seen == 0 || !(fabs(pole - c->pole) <= study_driver_pole_agrees * (pole - t))) {
            c->seen = 0;
            c->far = pole - t;
        }
        c->pole = pole;
        bool near = pole - t < study_driver_pole_near * c->far || c->seen >= study_driver_seen;
        if (++c->seen >= study_driver_agreed && near && is_pole(watch, d, t, &pole))
            return refuse_pole(watch, d, t, pole);
    }
    return BL_OK;
}

/* whether x[k] changes by a jump between two times that are `apart` */
static bool jumps(const double *before, const double *after, int k, double apart) {
    double size = fmax(fabs(before[k]), fabs(after[k])), by = fabs(after[k] - before[k]);
    return by > study_driver_visible * size && by > study_driver_jump * apart * (fabs(before[k + 1]) + fabs(after[k + 1]));
}

/* times around t, from near to far: a method fails a little before or after the time of the cause */
static double around(double t, int i) {
    static const double far[] = {0, 1, 2, 8, 64, 1e3, 1e5, 1e7};
    double offset = far[i / 2] * spacing(t);
    return i % 2 ? t - offset : t + offset;
}

void bl_drivers_explain(const bl_driver_watch *watch, double t) {
    enum { AROUND = 16 };
    bl_context *ctx = watch->ctx;
    char name[192];
    for (bl_index d = 0; d < watch->model->ndriver; d++) {
        const bl_law *law = &watch->model->law[watch->model->driver[d].law];
        double x[STRIDE], before[STRIDE], after[STRIDE], past[STRIDE];
        if (!of_time(watch, d))
            continue;
        for (int i = 0; i < AROUND; i++) {
            double at = fmax(around(t, i), 0);
            expand(watch, d, at, x);
            if (first_bad(x) < STRIDE) {
                refuse(watch, d, x, first_bad(x), at, "");
                return;
            }
        }
        double apart = study_driver_apart * spacing(t);
        expand(watch, d, t - 0.5 * apart, before);
        expand(watch, d, t + 0.5 * apart, after);
        if (jumps(before, after, 0, apart)) {
            bl_fail(ctx, BL_E_NUMERIC, &law->place, "%s: its value jumps from %.6g to %.6g at t = %.9g (law: %.120s)",
                    name_of(watch, d, name, sizeof name), before[0], after[0], t, law->text);
            blame(watch, d, advice_rate, t);
            return;
        }
        /* grown since a little earlier by more than anything but a pole or a root explains */
        double earlier = t - fmax(study_driver_earlier * fabs(t), 1e-6);
        expand(watch, d, earlier, past);
        for (int k = 0; k < STRIDE && first_bad(past) == STRIDE; k++)
            if (fabs(x[k]) > study_driver_grown * (1 + fabs(past[k])) && fabs(before[k]) > study_driver_growing * (1 + fabs(past[k]))) {
                bl_fail(ctx, BL_E_NUMERIC, &law->place, "%s: its %s grows beyond bounds near t = %.9g: %.3g there (law: %.120s)",
                        name_of(watch, d, name, sizeof name), quantity[k], t, before[k], law->text);
                blame(watch, d, k == 0 ? advice_value : advice_rate, t);
                return;
            }
    }
}
