/* The report of modes. */
#include "study/modes_private.h"

#include "model/model.h"
#include "study/linear_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;
enum { MOST_NAMES = 100000 };

/* displacement from the reference state to the model's start, of positions or states */
static bl_status displacement(bl_modes_own *own, double *d) {
    const bl_system *sys = own->sys;
    if (sys->nv == 0) {
        for (bl_index i = 0; i < sys->nz; i++)
            d[i] = own->start.z[i] - own->reference.z[i];
        return BL_OK;
    }
    return bl_system_local(sys, own->reference.q, own->start.q, d);
}

static void normalize(const bl_modes_problem *p, bl_modes_scale scale, double *x) {
    bl_index at = 0;
    for (bl_index j = 1; j < p->n; j++)
        if (fabs(x[j]) > (1 + 1e-9) * fabs(x[at]))
            at = j;
    double by = x[at] < 0 ? -1 : 1;
    if (scale == BL_MODES_LARGEST && x[at] != 0)
        by = 1 / x[at];
    bl_modes_times(p->n, by, x);
}

/* |H phi - value M phi| relative to the larger of the two terms */
static double residual_of(const bl_modes_problem *p, double value, const double *x, double *Hx, double *Mx) {
    double off = 0, size = 0;
    bl_modes_product(&p->sys->pat_K, p->H, x, Hx);
    bl_modes_product(p->mass, p->M, x, Mx);
    if (p->sys->np)
        return NAN; /* the constraint forces are not known here */
    for (bl_index j = 0; j < p->n; j++) {
        double by = p->kkt->scale[j];
        off = fmax(off, by * fabs(Hx[j] - value * Mx[j]));
        size = fmax(size, by * fmax(fabs(Hx[j]), fabs(value * Mx[j])));
    }
    return size > 0 ? off / size : 0;
}

static void take_part(bl_modes_own *own, bl_mode *m, const double *Mx, double *e) {
    const bl_modes_problem *p = &own->problem;
    for (int k = 0; k < 3; k++) {
        bool some = bl_modes_translation(p->sys, k, e);
        double along = bl_modes_dot(p->n, e, Mx);
        m->participation[k] = some ? along / m->mass : NAN;
        m->effective_mass[k] = some ? along * along / m->mass : NAN;
    }
}

double bl_modes_rigid_share(const bl_modes_problem *p) {
    return p->sys->facts & BL_ELASTIC ? study_rigid_elastic : p->sys->np ? study_rigid_rows : study_rigid;
}

static bl_status describe_real(bl_modes_own *own, const bl_modes_options *options, bl_index k, const double *d, bl_mode *m) {
    bl_modes_problem *p = &own->problem;
    double *x = p->shape + (size_t)k * (size_t)p->n, *Hx = own->d + p->n, *Mx = Hx + p->n, *scratch = Mx + p->n;
    bool first = p->sys->nv == 0;
    normalize(p, options->scale, x);
    m->shape = x;
    m->rigid = bl_kkt_is_free(p->kkt, p->H, x, bl_modes_rigid_share(p));
    m->eigenvalue = m->rigid ? 0 : p->value[k];
    m->residual = residual_of(p, p->value[k], x, Hx, Mx);
    m->mass = bl_modes_dot(p->n, x, Mx);
    m->omega = !first && m->eigenvalue >= 0 ? sqrt(m->eigenvalue) : NAN;
    m->frequency = m->omega / TWO_PI;
    m->damping = NAN;
    if (!first && m->omega > 0) {
        bl_modes_product(&p->sys->pat_C, own->eval.C, x, scratch);
        m->damping = bl_modes_dot(p->n, x, scratch) / (2 * m->omega * m->mass);
    }
    m->initial = bl_modes_dot(p->n, d, Mx) / m->mass;
    m->initial_rate = first ? NAN : bl_modes_dot(p->n, own->start.v, Mx) / m->mass;
    take_part(own, m, Mx, scratch);
    if (!first && m->eigenvalue >= 0) { /* from its damping ratio */
        double ratio = isnan(m->damping) ? 0 : m->damping, inside = 1 - ratio * ratio;
        m->re = -ratio * m->omega + (inside < 0 ? m->omega * sqrt(-inside) : 0);
        m->im = inside > 0 ? m->omega * sqrt(inside) : 0;
    } else {
        m->re = first ? NAN : sqrt(-m->eigenvalue);
        m->im = first ? NAN : 0;
    }
    m->damped_frequency = m->im / TWO_PI;
    bl_motion_words(p->sys, x, m->moves, sizeof m->moves);
    return BL_OK;
}

/* ---- complex ones */

/* the largest entry becomes real and positive; scaled like real ones, with phi^H M phi */
static void normalize_complex(const bl_modes_problem *p, bl_modes_scale scale, double *re, double *im, double *Mx, double *mass) {
    bl_index at = 0;
    for (bl_index j = 1; j < p->n; j++)
        if (hypot(re[j], im[j]) > (1 + 1e-9) * hypot(re[at], im[at]))
            at = j;
    bl_modes_product(p->mass, p->M, re, Mx);
    *mass = bl_modes_dot(p->n, re, Mx);
    bl_modes_product(p->mass, p->M, im, Mx);
    *mass += bl_modes_dot(p->n, im, Mx);
    double size = hypot(re[at], im[at]), by = scale == BL_MODES_LARGEST || !(*mass > 0) ? size : sqrt(*mass);
    if (!(size > 0) || !(by > 0))
        return;
    double c = re[at] / size / by, s = -im[at] / size / by;
    for (bl_index j = 0; j < p->n; j++) {
        double r = re[j];
        re[j] = c * r - s * im[j];
        im[j] = c * im[j] + s * r;
    }
    *mass /= by * by;
}

static void describe_complex(bl_modes_own *own, const bl_modes_options *options, bl_index k, bl_mode *m) {
    bl_modes_problem *p = &own->problem;
    size_t n = (size_t)p->n;
    double *re = p->shape + (size_t)k * n, *im = p->shape_im + (size_t)k * n;
    /* a mode of states alone moves no mass */
    normalize_complex(p, p->sys->nz > 0 ? BL_MODES_LARGEST : options->scale, re, im, own->d, &m->mass);
    m->shape = re;
    m->shape_im = im;
    m->rigid = k < p->nrigid;
    m->re = p->re[k];
    m->im = p->im[k];
    double size = hypot(m->re, m->im);
    m->eigenvalue = m->rigid ? 0 : p->value[k];
    m->omega = m->rigid ? 0 : m->im != 0 ? size : NAN;
    m->frequency = m->omega / TWO_PI;
    m->damped_frequency = m->im / TWO_PI;
    m->damping = m->rigid ? NAN : m->re != 0 ? -m->re / size : 0;
    m->residual = p->off[k];
    m->initial = m->initial_rate = NAN;
    for (int i = 0; i < 3; i++)
        m->participation[i] = m->effective_mass[i] = NAN;
    for (size_t j = 0; j < n; j++) /* sizes, with the sign of the real part */
        own->d[j] = copysign(hypot(re[j], im[j]), re[j]);
    bl_motion_words(p->sys, own->d, m->moves, sizeof m->moves);
}

static bl_status describe_mode(bl_modes_own *own, const bl_modes_options *options, bl_index k, const double *d, bl_mode *m) {
    if (!own->problem.is_complex)
        return describe_real(own, options, k, d, m);
    describe_complex(own, options, k, m);
    return BL_OK;
}

/* ---- multiple real ones */

/* Modes first .. first + m - 1 with one eigenvalue, orthonormal by mass, become combinations that the damping does not couple: their
 * damping ratios do not depend on the coordinates. */
static bl_status uncouple(bl_modes_own *own, bl_index first, bl_index m) {
    bl_modes_problem *p = &own->problem;
    size_t n = (size_t)p->n, count = (size_t)m;
    double *X = p->shape + (size_t)first * n, *B, *w, *work, *mixed, most = 0;
    bl_index *iwork;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(own->ctx, block, BL_ARRAY(B, count * count), BL_ARRAY(w, count), BL_ARRAY(work, bl_dense_eigen_work(m)),
                         BL_ARRAY(mixed, count * n), BL_ARRAY(iwork, 5 * count + 5)));
    for (size_t i = 0; i < count; i++) {
        bl_modes_product(&p->sys->pat_C, own->eval.C, X + i * n, mixed);
        for (size_t k = 0; k < count; k++) {
            B[i * count + k] = bl_modes_dot(p->n, X + k * n, mixed);
            most = fmax(most, fabs(B[i * count + k]));
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            B[i * count + k] = B[k * count + i] = (B[i * count + k] + B[k * count + i]) / 2;
    if (most > 0 && bl_dense_eigen_pair(m, B, NULL, w, work, bl_dense_eigen_work(m), iwork)) {
        memset(mixed, 0, count * n * sizeof *mixed);
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < count; i++)
                for (size_t j = 0; j < n; j++)
                    mixed[k * n + j] += B[k * count + i] * X[i * n + j];
        memcpy(X, mixed, count * n * sizeof *X);
    }
    bl_free(own->ctx, block);
    return BL_OK;
}

static bl_status uncouple_multiple(bl_modes_own *own) {
    const bl_modes_problem *p = &own->problem;
    for (bl_index k = 0, end; k < p->count && p->sys->nv > 0; k = end) {
        for (end = k + 1; end < p->count && fabs(p->value[end] - p->value[k]) <= study_repeated * fabs(p->value[k]);)
            end++;
        if (end > k + 1)
            BL_TRY(uncouple(own, k, end - k));
    }
    return BL_OK;
}

/* ---- all of them */

/* modes with the same eigenvalue get the same group */
static void group(const bl_modes_problem *p, bl_mode *mode) {
    for (bl_index k = 0; k < p->count; k++) {
        mode[k].group = k + 1;
        for (bl_index i = 0; i < k; i++) {
            double size = fmax(hypot(mode[k].re, mode[k].im), hypot(mode[i].re, mode[i].im));
            bool same = p->is_complex ? hypot(mode[k].re - mode[i].re, mode[k].im - mode[i].im) <= study_repeated * size
                                      : fabs(mode[k].eigenvalue - mode[i].eigenvalue) <= study_repeated * fabs(mode[k].eigenvalue);
            if (same || (mode[k].rigid && mode[i].rigid)) {
                mode[k].group = mode[i].group;
                break;
            }
        }
    }
}

/* Distance of an eigenvalue from the nearest other one: where two coincide, rounding shifts them by its square root. */
static double apart(const bl_modes_report *report, bl_index k) {
    const bl_mode *m = &report->mode[k];
    double least = INFINITY;
    for (bl_index i = 0; i < report->nmode; i++) {
        const bl_mode *o = &report->mode[i];
        if (i != k && !o->rigid)
            least = fmin(least, fmin(hypot(o->re - m->re, o->im - m->im), hypot(o->re - m->re, o->im + m->im)));
    }
    return m->im != 0 ? fmin(least, 2 * m->im) : least;
}

static void judge(const bl_modes_problem *p, bl_modes_report *report) {
    double most = p->rate;
    bool decays = true;
    for (bl_index k = 0; k < p->count; k++)
        most = fmax(most, hypot(report->mode[k].re, report->mode[k].im));
    if (p->sys->nv == 0 || p->count == 0)
        return;
    for (bl_index k = 0; k < p->count; k++) {
        double re = report->mode[k].re, size = fabs(re);
        bool counts = size > study_no_growth * most;
        if (counts && p->is_complex)
            counts = size * fmax(size, apart(report, k)) > study_modes_rounding * most * most;
        report->nunstable += counts && re > 0;
        decays = decays && counts && re < 0;
    }
    report->stability = report->nunstable ? BL_UNSTABLE : decays && report->nzero == 0 ? BL_STABLE : BL_MARGINAL;
}

static bl_status name_unknowns(bl_modes_own *own, bl_modes_report *report) {
    bl_index n = own->problem.n;
    if (n > MOST_NAMES)
        return BL_OK;
    const char **name;
    BL_TRY(BL_ARENA_NEW(&own->arena, name, n));
    for (bl_index j = 0; j < n; j++) {
        char text[96];
        bl_system_col_name(own->sys, j, text, sizeof text);
        if (!(name[j] = bl_arena_text(&own->arena, text, strlen(text))))
            return BL_E_MEMORY;
    }
    report->unknown = name;
    return BL_OK;
}

static void total_masses(bl_modes_own *own, double total[3]) {
    const bl_modes_problem *p = &own->problem;
    double *e = own->d + p->n, *Me = e + p->n;
    for (int k = 0; k < 3; k++) {
        bool some = bl_modes_translation(p->sys, k, e);
        bl_modes_product(p->mass, p->M, e, Me);
        total[k] = some ? bl_modes_dot(p->n, e, Me) : NAN;
    }
}

bl_status bl_modes_describe(bl_modes_own *own, const bl_modes_options *options, bl_modes_report *report) {
    bl_modes_problem *p = &own->problem;
    bl_index nrigid = 0;
    if (!p->is_complex) {
        BL_TRY(uncouple_multiple(own));
        BL_TRY(displacement(own, own->d));
    }
    BL_TRY(BL_ARENA_NEW(&own->arena, own->mode, p->count));
    for (bl_index k = 0; k < p->count; k++) {
        BL_TRY(describe_mode(own, options, k, own->d, &own->mode[k]));
        nrigid += own->mode[k].rigid;
    }
    double *rigid = NULL;
    BL_TRY(BL_NEW(own->ctx, rigid, (size_t)nrigid * (size_t)p->n));
    for (bl_index k = 0, at = 0; k < p->count; k++)
        if (own->mode[k].rigid)
            memcpy(rigid + (size_t)at++ * (size_t)p->n, own->mode[k].shape, (size_t)p->n * sizeof *rigid);
    bl_status status = bl_modes_name(p, rigid, nrigid, report->rigid, sizeof report->rigid);
    bl_free(own->ctx, rigid);
    BL_TRY(status);
    BL_TRY(bl_modes_name(p, p->massless, p->massless_kept, report->massless, sizeof report->massless));
    BL_TRY(name_unknowns(own, report));
    total_masses(own, report->total_mass);
    report->model_name = own->model->name;
    report->coordinates = own->run.coordinates;
    report->method = p->method;
    report->unknowns = p->n;
    report->rows = own->sys->np;
    report->dof = p->kkt->f - (own->sys->nv ? own->sys->nz : 0);
    report->first_order = own->sys->nv == 0;
    report->t = *own->reference.t;
    report->nmode = p->count;
    report->nrigid = nrigid;
    report->nmassless = p->nmassless;
    report->mode = own->mode;
    report->is_complex = p->is_complex;
    report->nzero = p->nzero;
    group(p, own->mode);
    judge(p, report);
    return bl_modes_motions(own, report);
}
