/* The study `modes`: small vibrations about a place of rest (docs/theory/modes.md). */
#include "study/modes.h"

#include "model/model.h"
#include "study/closure.h"
#include "study/run.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double RIGID = 1e-12, RIGID_ROWS = 1e-10; /* x^T H x relative to its terms: rounding; with multipliers found by iteration */
static const double OUT_OF_BALANCE = 1e-6;             /* relative to forces: what `anyway` is for */
static const double TWO_PI = 6.283185307179586;
enum { MOST_NAMES = 100000 };

double bl_modes_dot(bl_index n, const double *x, const double *y) {
    double sum = 0;
    for (bl_index j = 0; j < n; j++)
        sum += x[j] * y[j];
    return sum;
}

void bl_modes_product(const bl_pattern *pattern, const double *A, const double *x, double *y) {
    memset(y, 0, (size_t)pattern->nrow * sizeof *y);
    bl_csc_multiply(pattern, A, x, y);
}

/* ---- the eigenproblem of a system */

void bl_modes_free(bl_modes_problem *p) {
    if (!p->ctx)
        return;
    bl_kkt_destroy(p->kkt);
    bl_free(p->ctx, p->value);
    bl_free(p->ctx, p->shape);
    bl_free(p->ctx, p->massless);
    *p = (bl_modes_problem){0};
}

/* as many as there are, by whom */
static bl_status plan(bl_modes_problem *p, bl_index count, bl_modes_method method, bool *dense) {
    bl_index n = p->n, least = n - p->sys->np; /* freedoms, if all rows are independent */
    p->wanted = count < 0 ? n : count > 0 ? count : BL_MODES_USUAL;
    *dense = method == BL_MODES_LAPACK || (method == BL_MODES_AUTO && n <= BL_MODES_DENSE);
    if (*dense)
        return BL_OK;
    bool most = p->wanted + 24 > least;
    if (most && method == BL_MODES_AUTO && n <= 2 * BL_MODES_DENSE) {
        *dense = true;
        return BL_OK;
    }
    if (!most)
        return BL_OK;
    bl_fail(p->ctx, BL_E_ABILITY, NULL, "ARPACK finds some of many modes, not %d of %d", (int)(count < 0 ? least : p->wanted), (int)least);
    bl_advise(p->ctx, "ask for fewer, or for LAPACK, which takes %.3g GB of memory here", 7e-9 * 8 * (double)n * (double)n);
    return BL_E_ABILITY;
}

bl_status bl_modes_solve(bl_modes_problem *p, bl_eval *eval, const double *lambda, double *H, bl_index count, bl_modes_method method,
                         const char *linsol) {
    const bl_system *sys = p->sys;
    bool dense, first = sys->nv == 0;
    p->n = sys->nv + sys->nz;
    if (sys->nv > 0 && sys->nz > 0) {
        bl_fail(p->ctx, BL_E_ABILITY, NULL, "modes need equations of one order, there are %d of second and %d of first", (int)sys->nv,
                (int)sys->nz);
        return BL_E_ABILITY;
    }
    BL_TRY(plan(p, count, method, &dense));
    BL_TRY(bl_system_eval(sys, eval, BL_KC | (first ? 0 : BL_M)));
    BL_TRY(bl_kkt_tangent(sys, eval, lambda, H));
    p->mass = first ? &sys->pat_C : &sys->pat_M;
    p->M = first ? eval->C : eval->M;
    p->H = H;
    bool large = p->n > 20000; /* fronts of another solver may be better than columns, as predicted */
    bl_kkt_setup setup = {.linsol = linsol ? linsol : large ? NULL : "ldl", .dense_most = dense ? p->n : -1, .mass = p->mass};
    BL_TRY(bl_kkt_create(sys, &setup, &p->kkt));
    BL_TRY(bl_kkt_place(p->kkt, eval));
    bl_status status = dense ? bl_modes_dense(p) : bl_modes_sparse(p);
    return status;
}

/* ---- words */

/* how much of motion x, of length 1 in scaled columns, is new to unit vectors basis[count][n]; takes the rest off */
static double take_off(const bl_kkt *kkt, const double *basis, bl_index count, double *x) {
    double length = 0;
    for (int twice = 0; twice < 2; twice++)
        for (bl_index k = 0; k < count; k++) {
            const double *b = basis + (size_t)k * (size_t)kkt->n;
            double along = 0;
            for (bl_index j = 0; j < kkt->n; j++)
                along += b[j] * x[j] / (kkt->scale[j] * kkt->scale[j]);
            for (bl_index j = 0; j < kkt->n; j++)
                x[j] -= along * b[j];
        }
    for (bl_index j = 0; j < kkt->n; j++)
        length += x[j] / kkt->scale[j] * (x[j] / kkt->scale[j]);
    return sqrt(length);
}

static void times(bl_index n, double by, double *x) {
    for (bl_index j = 0; j < n; j++)
        x[j] *= by;
}

/* basis of the motions; *count of them remain */
static void make_basis(const bl_kkt *kkt, double *basis, bl_index *count) {
    bl_index kept = 0;
    for (bl_index k = 0; k < *count; k++) {
        double *x = basis + (size_t)k * (size_t)kkt->n, *to = basis + (size_t)kept * (size_t)kkt->n;
        double before = take_off(kkt, NULL, 0, x);
        times(kkt->n, before > 0 ? 1 / before : 0, x);
        double left = take_off(kkt, basis, kept, x);
        if (!(left > 1e-6))
            continue;
        memmove(to, x, (size_t)kkt->n * sizeof *x);
        times(kkt->n, 1 / left, to);
        kept++;
    }
    *count = kept;
}

/* all points by 1 along a direction; false: there are none, or some coordinates are no points */
static bool translation(const bl_system *sys, int direction, double *x) {
    bool some = false;
    for (bl_index j = 0; j < sys->nv + sys->nz; j++) {
        bool point = sys->col && sys->col[j].what == BL_COL_POINT;
        x[j] = point && sys->col[j].part == direction;
        some = some || x[j] != 0;
    }
    return some;
}

bl_status bl_modes_name(const bl_modes_problem *p, const double *motion, bl_index count, char *text, size_t size) {
    const bl_kkt *kkt = p->kkt;
    size_t n = (size_t)p->n, used = 0;
    double *basis, *x;
    text[0] = '\0';
    if (count == 0)
        return BL_OK;
    BL_TRY(BL_NEW(p->ctx, basis, n * ((size_t)count + 4)));
    x = basis + n * (size_t)(count + 3);
    double *easy = basis, *rest = basis + 3 * n; /* translations come first */
    bl_index neasy = 0;
    memcpy(rest, motion, n * (size_t)count * sizeof *rest);
    make_basis(kkt, rest, &count);
    for (int k = 0; k < 3 && used < size; k++) {
        if (!translation(p->sys, k, x))
            continue;
        double length = take_off(kkt, NULL, 0, x);
        times(p->n, 1 / length, x);
        memcpy(easy + (size_t)neasy * n, x, n * sizeof *x);
        if (take_off(kkt, rest, count, x) > 1e-5)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%stranslation along %c", used ? "; " : "", "xyz"[k]);
        neasy++;
    }
    bl_index left = 0;
    for (bl_index k = 0; k < count; k++) { /* what translations do not do */
        double *one = rest + (size_t)k * n, *to = rest + (size_t)left * n;
        take_off(kkt, easy, neasy, one);
        double length = take_off(kkt, rest, left, one);
        if (!(length > 1e-4))
            continue;
        memmove(to, one, n * sizeof *one);
        times(p->n, 1 / length, to);
        left++;
    }
    bl_kkt_tell_apart(kkt, left, rest);
    for (bl_index k = 0; k < left && used < size; k++) {
        char words[128];
        bl_motion_words(p->sys, rest + (size_t)k * n, words, sizeof words);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "", words);
    }
    bl_free(p->ctx, basis);
    return BL_OK;
}

/* ---- the study */

static bl_status prepare(bl_modes_own *own, const bl_modes_options *options) {
    bl_run_options asked = {.coordinates = options->coordinates, .closure = options->closure};
    BL_TRY(bl_run_resolve(own->ctx, own->model, &asked, &own->run));
    BL_TRY(bl_run_prepare_within(own->ctx, own->model, own->run.coordinates, own->run.closure, &own->sys, &own->start));
    const bl_system *sys = own->sys;
    own->linear = (sys->facts & BL_CK_CONST) && (sys->facts & BL_FLAT) && (sys->facts & BL_M_CONST) && sys->np == 0;
    BL_TRY(bl_state_create(sys, 0, &own->place));
    BL_TRY(bl_state_create(sys, 0, &own->moved));
    BL_TRY(bl_eval_create(sys, BL_KC | (sys->nv ? BL_M : 0) | (sys->np ? BL_G | BL_GTL_X : 0), &own->eval));
    bl_state_copy(sys, &own->place, &own->start);
    memset(own->place.v, 0, (size_t)sys->nv * sizeof(double));
    BL_TRY(BL_NEW(own->ctx, own->d, 4 * ((size_t)sys->nv + (size_t)sys->nz)));
    return BL_NEW(own->ctx, own->H, sys->pat_K.ptr[sys->nv + sys->nz]);
}

static bl_status nothing(bl_statics *s, void *user) {
    (void)s, (void)user;
    return BL_OK;
}

/* the start may be a place of rest itself */
static bl_status look_at_start(bl_modes_own *own, const bl_modes_options *options, double *residual) {
    bl_statics *s = own->statics;
    double size = 0;
    s->fit = true;
    bl_status status = bl_statics_look(s);
    s->fit = false;
    BL_TRY(status);
    for (bl_index j = 0; j < s->n; j++)
        size = fmax(size, fabs(s->force[j]) * s->kkt->scale[j]);
    *residual = size > 0 ? s->residual / size : 0;
    bl_state_copy(s->sys, &s->kept, &s->state);
    if (*residual <= OUT_OF_BALANCE || options->anyway)
        return BL_OK;
    char worst[96];
    bl_system_col_name(s->sys, s->worst, worst, sizeof worst);
    bl_fail(own->ctx, BL_E_NUMERIC, NULL, "the start is not in balance: %s by %.3g of the forces", worst, *residual);
    bl_advise(own->ctx, "modes are those about a place of rest: let it be found (--at equilibrium), or take the start --anyway");
    bl_blame(own->ctx, NULL, worst, *s->state.t);
    return BL_E_NUMERIC;
}

/* where the modes are about: linear systems about zero, others about an equilibrium or the start */
static bl_status find_place(bl_modes_own *own, const bl_modes_options *options, const bl_equilibrium_options *how, double *residual) {
    const bl_system *sys = own->sys;
    *residual = 0;
    if (own->linear) {
        memset(own->place.q, 0, (size_t)sys->nq * sizeof(double));
        memset(own->place.z, 0, (size_t)sys->nz * sizeof(double));
        *own->place.t = how->from;
        return BL_OK;
    }
    BL_TRY(bl_statics_create(sys, &own->start, how, &own->statics));
    if (options->at == BL_MODES_AT_START) {
        BL_TRY(look_at_start(own, options, residual));
    } else {
        BL_TRY(bl_statics_follow(own->statics, nothing, NULL));
        *residual = own->statics->found.residual;
    }
    bl_state_copy(sys, &own->place, &own->statics->kept);
    bl_statics_destroy(own->statics); /* its matrices are as large as the problem's */
    own->statics = NULL;
    return BL_OK;
}

/* from the place to the model's start, of positions or states */
static bl_status displacement(bl_modes_own *own, double *d) {
    const bl_system *sys = own->sys;
    if (sys->nv == 0) {
        for (bl_index i = 0; i < sys->nz; i++)
            d[i] = own->start.z[i] - own->place.z[i];
        return BL_OK;
    }
    return bl_system_local(sys, own->place.q, own->start.q, d);
}

static void normalise(const bl_modes_problem *p, bl_modes_scale scale, double *x) {
    bl_index at = 0;
    for (bl_index j = 1; j < p->n; j++)
        if (fabs(x[j]) > (1 + 1e-9) * fabs(x[at]))
            at = j;
    double by = x[at] < 0 ? -1 : 1;
    if (scale == BL_MODES_LARGEST && x[at] != 0)
        by = 1 / x[at];
    times(p->n, by, x);
}

/* |H phi - value M phi| relative to what it is the difference of */
static double residual_of(const bl_modes_problem *p, double value, const double *x, double *Hx, double *Mx) {
    double off = 0, size = 0;
    bl_modes_product(&p->sys->pat_K, p->H, x, Hx);
    bl_modes_product(p->mass, p->M, x, Mx);
    if (p->sys->np)
        return NAN; /* what the constraints carry is not known here */
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
        bool some = translation(p->sys, k, e);
        double along = bl_modes_dot(p->n, e, Mx);
        m->participation[k] = some ? along / m->mass : NAN;
        m->effective_mass[k] = some ? along * along / m->mass : NAN;
    }
}

static bl_status describe_mode(bl_modes_own *own, const bl_modes_options *options, bl_index k, const double *d, bl_mode *m) {
    bl_modes_problem *p = &own->problem;
    double *x = p->shape + (size_t)k * (size_t)p->n, *Hx = own->d + p->n, *Mx = Hx + p->n, *scratch = Mx + p->n;
    bool first = p->sys->nv == 0;
    normalise(p, options->scale, x);
    m->shape = x;
    m->rigid = bl_kkt_is_free(p->kkt, p->H, x, p->sys->np ? RIGID_ROWS : RIGID);
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
    bl_motion_words(p->sys, x, m->moves, sizeof m->moves);
    return BL_OK;
}

static bl_status name_unknowns(bl_modes_own *own, bl_modes_report *report) {
    bl_index n = own->problem.n;
    if (n > MOST_NAMES)
        return BL_OK;
    const char **name = bl_arena_alloc(&own->arena, (size_t)n, sizeof *name);
    if (!name)
        return BL_E_MEMORY;
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
        bool some = translation(p->sys, k, e);
        bl_modes_product(p->mass, p->M, e, Me);
        total[k] = some ? bl_modes_dot(p->n, e, Me) : NAN;
    }
}

static bl_status describe(bl_modes_own *own, const bl_modes_options *options, bl_modes_report *report) {
    bl_modes_problem *p = &own->problem;
    bl_index nrigid = 0;
    BL_TRY(displacement(own, own->d));
    own->mode = bl_arena_alloc(&own->arena, (size_t)p->count, sizeof *own->mode);
    if (!own->mode)
        return BL_E_MEMORY;
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
    report->freedoms = p->kkt->f;
    report->first_order = own->sys->nv == 0;
    report->t = *own->place.t;
    report->nmode = p->count;
    report->nrigid = nrigid;
    report->nmassless = p->nmassless;
    report->mode = own->mode;
    return BL_OK;
}

/* ---- shapes to sinks */

/* readers of the file know the shapes by their number alone: the frequency goes with it as an event */
static bl_status show_frequency(const bl_mode *mode, bl_index number, bool first_order, bl_sink *sinks, bl_index nsink) {
    char text[64];
    if (mode->rigid)
        snprintf(text, sizeof text, "rigid");
    else if (isfinite(mode->frequency) && !first_order)
        snprintf(text, sizeof text, "%.6g Hz", mode->frequency);
    else
        snprintf(text, sizeof text, first_order ? "rate %.6g 1/s" : "unstable, eigenvalue %.6g 1/s^2", mode->eigenvalue);
    for (bl_index i = 0; i < nsink; i++)
        if (sinks[i].event)
            BL_TRY(sinks[i].event(sinks[i].user, &(bl_event_mark){(double)number, BL_HAPPENED_MODE, text, ""}));
    return BL_OK;
}

static bl_status show(bl_modes_own *own, const bl_modes_options *options, const bl_modes_report *report, bl_sink *sinks, bl_index nsink,
                      bl_index *nbegun) {
    const bl_system *sys = own->sys;
    bl_run_info info;
    double misfit, by = options->amplitude > 0 ? options->amplitude : sys->np || (sys->facts & BL_TURNS_ONLY) ? 0.1 : 1;
    uint32_t want = bl_sinks_want(sinks, nsink);
    own->run.formulation = "modes";
    own->run.integrator = report->method;
    own->run.until = report->nmode;
    BL_TRY(bl_run_describe(own->model, sys, NULL, &own->run, &own->arena, &info));
    BL_TRY(bl_run_fields(own->model, sys, want, &own->arena, &info));
    BL_TRY(bl_run_scene(sys->ctx, own->model, want, &own->arena, &info));
    info.freedoms = report->freedoms;
    info.samples = report->nmode;
    info.reactions = false;
    BL_TRY(bl_sinks_begin(sinks, nsink, &info, nbegun));
    for (bl_index k = 0; k < report->nmode && want; k++) {
        bl_sample sample;
        bl_state_copy(sys, &own->moved, &own->place);
        for (bl_index j = 0; j < report->unknowns; j++)
            own->d[j] = by * report->mode[k].shape[j];
        BL_TRY(bl_system_retract(sys, own->place.q, own->d, own->moved.q));
        for (bl_index i = 0; i < sys->nz; i++)
            own->moved.z[i] = own->place.z[i] + own->d[sys->nv + i];
        if (sys->np) {
            bl_status status = bl_assemble_nearby(sys, &own->moved);
            if (status < 0)
                return status;
            bl_context_clear_error(own->ctx);
        }
        BL_TRY(bl_simulation_look(sys, NULL, &own->eval, &own->moved, NULL, NULL, want, &sample, &misfit));
        sample.t = k + 1;
        BL_TRY(bl_sinks_sample(sinks, nsink, &sample));
        BL_TRY(show_frequency(&report->mode[k], k + 1, report->first_order, sinks, nsink));
    }
    return BL_OK;
}

static void own_destroy(bl_modes_own *own) {
    if (!own)
        return;
    bl_context *ctx = own->ctx;
    bl_statics_destroy(own->statics);
    bl_modes_free(&own->problem);
    if (own->sys) {
        bl_eval_destroy(own->sys, &own->eval);
        bl_state_destroy(own->sys, &own->start);
        bl_state_destroy(own->sys, &own->place);
        bl_state_destroy(own->sys, &own->moved);
        bl_system_destroy(own->sys);
    }
    bl_free(ctx, own->H);
    bl_free(ctx, own->d);
    bl_arena_destroy(&own->arena);
    bl_free(ctx, own);
}

static bl_status find(bl_modes_own *own, const bl_modes_options *options, bl_modes_report *report) {
    if (!isfinite(options->amplitude) || options->amplitude < 0)
        return bl_fail(own->ctx, BL_E_ARG, NULL, "the amplitude must not be %g", options->amplitude);
    bl_equilibrium_options how = options->equilibrium ? *options->equilibrium : (bl_equilibrium_options){0};
    how.linsol = options->linsol;
    BL_TRY(bl_equilibrium_check(own->ctx, &how));
    BL_TRY(bl_run_refused(own->ctx, own->model, &(bl_run_options){.coordinates = options->coordinates}, prepare(own, options)));
    BL_TRY(find_place(own, options, &how, &report->residual));
    bl_eval_at(&own->eval, &own->place);
    own->problem = (bl_modes_problem){.ctx = own->ctx, .sys = own->sys};
    BL_TRY(bl_modes_solve(&own->problem, &own->eval, own->place.lambda, own->H, options->count, options->method, options->linsol));
    return describe(own, options, report);
}

bl_status bl_modes(bl_context *ctx, const bl_model *model, const bl_modes_options *given, bl_sink *sinks, bl_index nsink,
                   bl_modes_report *report) {
    static const bl_modes_options none = {0};
    const bl_modes_options *options = given ? given : &none;
    if (!ctx || !model || !report || nsink < 0 || (nsink > 0 && !sinks))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_modes needs a context, a model, a report and its sinks");
    *report = (bl_modes_report){0};
    bl_modes_own *own;
    bl_index nbegun = 0;
    double begin = bl_clock_seconds();
    bl_context_clear_warnings(ctx);
    BL_TRY(BL_NEW(ctx, own, 1));
    own->ctx = ctx;
    own->model = model;
    own->arena.ctx = ctx;
    report->own = own;
    bl_status status = find(own, options, report);
    if (status == BL_OK && nsink > 0)
        status = show(own, options, report, sinks, nsink, &nbegun);
    bl_run_summary summary = {.status = status, .t = report->nmode, .steps = report->nmode, .wall_seconds = bl_clock_seconds() - begin};
    status = bl_sinks_end(sinks, nbegun, &summary);
    if (status != BL_OK)
        bl_modes_report_destroy(ctx, report);
    return status;
}

void bl_modes_report_destroy(bl_context *ctx, bl_modes_report *report) {
    (void)ctx;
    own_destroy(report->own);
    *report = (bl_modes_report){0};
}
