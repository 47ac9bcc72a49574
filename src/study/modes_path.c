/* Modes over a parameter (docs/theory/modes.md, section 9): the model is read again with each value, the search starts from the previous
 * state, eigenvalues are tracked from point to point, changes of stability are located by bisection. */
#include "study/modes_private.h"

#include "base/sized.h"
#include "model/variant.h"
#include "study/linear_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_POINTS = 101, MOST_POINTS = 100000, HALVINGS = 60 };

/* all eigenvalues at a value */
typedef struct point {
    double value;
    bl_index n;
    double *re, *im;
    double most, growth; /* largest modulus; largest real part except rigid motions */
    bl_index unstable;
    bl_index worst; /* column of the largest real part */
} point;

typedef struct path {
    bl_context *ctx;
    const bl_model *model;
    bl_modes_options modes;
    const char *parameter;
    double from, to;
    bl_index npoint, n;
    bl_arena arena;
    point *at;     /* [npoint] */
    bl_model *now; /* of the report from which the next search starts */
    bl_modes_report report;
    bool speed;
    bl_mode_crossing *crossing;
    bl_index ncrossing;
} path;

static bl_status refuse(path *p, bl_status status, double value) {
    bl_error kept = *bl_context_error(p->ctx);
    if (status == BL_STOPPED || status == BL_E_MEMORY || kept.status != status)
        return status;
    bl_fail(p->ctx, status, NULL, "modes at %s = %.9g: %.380s", p->parameter, value, kept.what);
    if (kept.advice[0])
        bl_advise(p->ctx, "%s", kept.advice);
    return status;
}

/* ---- one value */

static void add(point *at, double re, double im, bool rigid) {
    bl_index k = at->n++;
    at->re[k] = re;
    at->im[k] = im;
    at->most = fmax(at->most, hypot(re, im));
    if (!rigid && !(at->growth >= re)) {
        at->growth = re;
        at->worst = k;
    }
}

static bl_status spread(path *p, const bl_modes_report *r, point *at) {
    bl_index zeros = r->is_complex ? r->nzero : 2 * r->nrigid, room = zeros;
    for (bl_index k = 0; k < r->nmode; k++)
        room += 2;
    BL_TRY(BL_ARENA_ARRAYS(&p->arena, BL_ARRAY(at->re, room), BL_ARRAY(at->im, room)));
    at->n = 0;
    at->most = 0;
    at->growth = NAN;
    at->unstable = r->nunstable;
    for (bl_index k = 0; k < zeros; k++)
        add(at, 0, 0, true);
    for (bl_index k = 0; k < r->nmode; k++) {
        const bl_mode *m = &r->mode[k];
        if (m->rigid)
            continue;
        add(at, m->re, m->im, false);
        if (m->im != 0)
            add(at, m->re, -m->im, false);
        else if (!r->is_complex) /* the report has only one of a real pair */
            add(at, m->damping > 0 ? -m->omega * (m->damping + sqrt(fmax(m->damping * m->damping - 1, 0))) : -m->re, 0, false);
    }
    return BL_OK;
}

static bool is_speed(const bl_modes_report *r, double value) {
    for (bl_index i = 0; r->moving && value != 0 && i < r->nvariable; i++)
        if (fabs(r->rate[i] - value) <= study_modes_same_speed * fabs(value))
            return true;
    return false;
}

/* keep: the next search starts from it */
static bl_status modes_at(path *p, double value, bool keep, point *at) {
    bl_model *model = NULL;
    bl_modes_report report = {0};
    bl_override set = {p->parameter, value};
    at->value = value;
    BL_TRY(bl_go_on(p->ctx));
    bl_status status = bl_model_revalue(p->ctx, p->model, &set, 1, &model);
    if (status == BL_OK)
        status = bl_modes_from(p->ctx, model, &p->modes, p->report.own, !keep, &report);
    if (status == BL_OK)
        status = spread(p, &report, at);
    if (status == BL_OK && keep) {
        p->speed = (p->report.own ? p->speed : true) && is_speed(&report, value);
        bl_modes_report_destroy(p->ctx, &p->report);
        bl_model_destroy(p->now);
        p->report = report;
        p->now = model;
        return BL_OK;
    }
    bl_modes_report_destroy(p->ctx, &report);
    bl_model_destroy(model);
    return status == BL_OK ? BL_OK : refuse(p, status, value);
}

/* ---- columns as curves: eigenvalues are matched with the linear extrapolation of the last two points, closest pairs first */

static void expected(const path *p, bl_index k, bl_index column, double out[2]) {
    const point *last = &p->at[k - 1], *before = k > 1 ? &p->at[k - 2] : NULL;
    out[0] = last->re[column];
    out[1] = last->im[column];
    if (before && column < before->n) {
        out[0] += last->re[column] - before->re[column];
        out[1] += last->im[column] - before->im[column];
    }
}

static bl_status follow(path *p, bl_index k) {
    point *now = &p->at[k];
    bl_index n = now->n, had = p->at[k - 1].n;
    double *kept;
    bool *taken;
    BL_TRY(BL_NEW(p->ctx, kept, 2 * (size_t)n + 1));
    bl_status status = BL_NEW(p->ctx, taken, (size_t)n + (size_t)(had > n ? had : n) + 1);
    if (status != BL_OK) {
        bl_free(p->ctx, kept);
        return status;
    }
    bool *filled = taken + n;
    bl_index worst = now->worst;
    memcpy(kept, now->re, (size_t)n * sizeof *kept);
    memcpy(kept + n, now->im, (size_t)n * sizeof *kept);
    for (bl_index round = 0; round < n; round++) {
        double least = INFINITY;
        bl_index which = -1, where = -1;
        for (bl_index c = 0; c < n; c++) {
            double want[2];
            if (filled[c])
                continue;
            if (c < had)
                expected(p, k, c, want);
            for (bl_index i = 0; i < n; i++) {
                double far = c < had ? hypot(kept[i] - want[0], kept[n + i] - want[1]) : 1e300;
                if (!taken[i] && (which < 0 || far < least)) {
                    least = far;
                    which = i;
                    where = c;
                }
            }
        }
        taken[which] = filled[where] = true;
        now->re[where] = kept[which];
        now->im[where] = kept[n + which];
        now->worst = which == worst ? where : now->worst;
    }
    bl_free(p->ctx, kept);
    bl_free(p->ctx, taken);
    return BL_OK;
}

/* ---- where stability changes */

static bl_status locate(path *p, const point *a, const point *b) {
    double left = a->value, right = b->value, span = fabs(p->to - p->from), tol = study_no_growth * fmax(a->most, b->most);
    bool grows = b->unstable > a->unstable;
    const point *good = grows ? a : b, *bad = grows ? b : a;
    bool by_sign = good->unstable == 0 && good->growth < -tol && bad->growth > tol; /* damped: the real part changes sign */
    double omega = fabs(bad->im[bad->worst]);
    bl_index mode = bad->worst;
    point mid = {0};
    for (int k = 0; k < HALVINGS && fabs(right - left) > study_modes_located * span; k++) {
        double middle = left + (right - left) / 2;
        BL_TRY(modes_at(p, middle, false, &mid));
        bool unstable = by_sign ? mid.growth > 0 : grows ? mid.unstable > a->unstable : mid.unstable > b->unstable;
        omega = unstable ? fabs(mid.im[mid.worst]) : omega;
        if (unstable == grows)
            right = middle;
        else
            left = middle;
    }
    if (p->ncrossing < study_modes_crossings)
        p->crossing[p->ncrossing++] =
            (bl_mode_crossing){.mode = mode, .value = left + (right - left) / 2, .omega = omega, .unstable = grows};
    return BL_OK;
}

/* ---- the path */

static bl_status march(path *p, const bl_modes_path_options *o) {
    for (bl_index k = 0; k < p->npoint; k++) {
        double value = k == p->npoint - 1 ? p->to : p->from + (p->to - p->from) * k / (p->npoint - 1);
        if (o->progress)
            o->progress(o->user, value, k, p->npoint);
        BL_TRY(modes_at(p, value, true, &p->at[k]));
        p->n = p->at[k].n > p->n ? p->at[k].n : p->n;
        if (k == 0)
            continue;
        BL_TRY(follow(p, k));
        if (p->at[k - 1].unstable != p->at[k].unstable)
            BL_TRY(locate(p, &p->at[k - 1], &p->at[k]));
    }
    return BL_OK;
}

static bl_status fill_report(path *p, bl_modes_path_report *report) {
    size_t points = (size_t)p->npoint, n = (size_t)p->n;
    double *value;
    BL_TRY(BL_ARENA_NEW(&p->arena, value, points * (1 + 2 * n) + 1));
    double *re = value + points, *im = re + points * n;
    for (size_t k = 0; k < points; k++) {
        value[k] = p->at[k].value;
        for (size_t i = 0; i < n; i++) {
            bool there = (bl_index)i < p->at[k].n;
            re[k * n + i] = there ? p->at[k].re[i] : NAN;
            im[k * n + i] = there ? p->at[k].im[i] : NAN;
        }
    }
    const char *coordinates = bl_arena_text(&p->arena, p->report.coordinates, strlen(p->report.coordinates));
    if (!coordinates)
        return BL_E_MEMORY;
    bl_mode_path *all;
    BL_TRY(BL_ARENA_NEW(&p->arena, all, 1));
    *all = (bl_mode_path){.size = sizeof *all,
                          .parameter = p->parameter,
                          .npoint = p->npoint,
                          .nmode = p->n,
                          .value = value,
                          .re = re,
                          .im = im,
                          .speed = p->speed,
                          .crossing = p->crossing,
                          .ncrossing = p->ncrossing};
    report->path = all;
    report->model_name = p->model->name;
    report->coordinates = coordinates;
    report->crossing = p->crossing;
    report->ncrossing = p->ncrossing;
    return BL_OK;
}

static bl_status resolve(path *p, const bl_modes_path_options *o) {
    const bl_path_def *section = p->model->linearize ? p->model->linearize->path : NULL;
    bool given = o->parameter != NULL;
    if (!given && !section)
        return BL_OK;
    const char *name = given ? o->parameter : section->parameter.name;
    const bl_place *place = given ? NULL : &section->parameter.place;
    p->from = given ? o->from : section->from;
    p->to = given ? o->to : section->to;
    p->npoint = o->points > 0 ? o->points : !given && section->points ? section->points : USUAL_POINTS;
    if (!isfinite(p->from) || !isfinite(p->to) || p->from == p->to)
        return bl_fail(p->ctx, BL_E_ARG, NULL, "a path needs two different finite values, found from %g to %g", p->from, p->to);
    if (p->npoint < 2 || p->npoint > MOST_POINTS)
        return bl_fail(p->ctx, BL_E_ARG, NULL, "a path must have 2 to %d points, found %d", MOST_POINTS, (int)p->npoint);
    if (bl_model_parameter(p->model, name) < 0) {
        bl_status status = place ? BL_E_MODEL : BL_E_ARG;
        bl_fail(p->ctx, status, place, "the model has no parameter '%s'", name);
        bl_advise(p->ctx, "a path varies a number that is named under `parameters:`");
        return status;
    }
    p->parameter = bl_arena_text(&p->arena, name, strlen(name));
    p->at = bl_arena_alloc(&p->arena, (size_t)p->npoint, sizeof *p->at);
    p->crossing = bl_arena_alloc(&p->arena, (size_t)study_modes_crossings, sizeof *p->crossing);
    return p->parameter && p->at && p->crossing ? BL_OK : BL_E_MEMORY;
}

bl_status bl_modes_path(bl_context *ctx, const bl_model *model, const bl_modes_path_options *given, bl_modes_path_report *report) {
    if (!ctx || !model || !given || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_modes_path needs a context, a model, options and a report");
    path *p;
    bl_modes_path_options options;
    bl_modes_path_report made = {.size = sizeof made};
    bl_modes_options modes;
    BL_TRY(BL_TAKE(ctx, bl_modes_path_options, given, &options));
    BL_TRY(BL_TAKE(ctx, bl_modes_options, options.modes, &modes));
    BL_TRY(BL_FITS(ctx, bl_modes_path_report, report));
    bl_context_clear_warnings(ctx);
    BL_TRY(BL_NEW(ctx, p, 1));
    *p = (path){.ctx = ctx, .model = model, .modes = modes, .report.size = sizeof p->report, .arena.ctx = ctx};
    p->modes.count = -1;
    p->modes.linear = false;
    made.own = p;
    bl_status status = resolve(p, &options);
    if (status == BL_OK && p->npoint > 0)
        status = march(p, &options);
    if (status == BL_OK && p->npoint > 0)
        status = fill_report(p, &made);
    bl_modes_report_destroy(ctx, &p->report);
    bl_model_destroy(p->now);
    p->now = NULL;
    if (status != BL_OK)
        bl_modes_path_report_destroy(ctx, &made);
    BL_GIVE(bl_modes_path_report, report, &made);
    return status;
}

void bl_modes_path_report_destroy(bl_context *ctx, bl_modes_path_report *report) {
    path *p = report->own;
    if (p)
        bl_arena_destroy(&p->arena);
    bl_free(ctx, p);
    BL_CLEAR(bl_modes_path_report, report);
}
