/* The motion of a linear system as a sum of modes, d = sum phi_j Y_j (docs/theory/modes.md, V10 to V13):
 *
 *     Y'' + c Y' + lambda Y = p(t),   c = phi^T C phi / m or alpha + beta lambda,   p = phi^T load / m,   m = phi^T M phi
 *
 * and Y' + lambda Y = p for systems of first order. The load is interpolated linearly over each step: with it in the state, (Y, Y', p, p'),
 * the equations are linear and homogeneous, and a matrix exponential solves the step exactly, whatever the damping. */
#include "study/modes_private.h"

#include "base/sized.h"
#include "study/linear_limits.h"
#include "study/run.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

enum { STATE = 4, TERMS = 20, PROBED = 64, CHECKED = 64 };

typedef struct part {
    bl_index mode;
    double lambda, c, mass, scale; /* scale: of Y in the state */
    double E[STATE][STATE];        /* over a step */
    double y[STATE];               /* scale Y, Y', p, p' h */
} part;

typedef struct answer {
    bl_run run;
    bl_modes_own *own;
    const bl_modes_report *report;
    bl_modes_answer_options options;
    part *part;
    bl_index npart;
    double *load, *d, *v, *a, *shape; /* [n] */
    double h;
    long substeps; /* per output */
    bool first;
} answer;

/* ---- one mode */

static void multiply(const double A[STATE][STATE], const double B[STATE][STATE], double C[STATE][STATE]) {
    double out[STATE][STATE] = {{0}};
    for (int i = 0; i < STATE; i++)
        for (int j = 0; j < STATE; j++)
            for (int k = 0; k < STATE; k++)
                out[i][j] += A[i][k] * B[k][j];
    memcpy(C, out, sizeof out);
}

/* e^A by scaling and squaring of its power series */
static void exponential(const double A[STATE][STATE], double E[STATE][STATE]) {
    double size = 0, small[STATE][STATE], term[STATE][STATE] = {{0}};
    int squarings = 0;
    for (int i = 0; i < STATE; i++) {
        double sum = 0;
        for (int j = 0; j < STATE; j++)
            sum += fabs(A[i][j]);
        size = fmax(size, sum);
    }
    while (size > 0.5) {
        size /= 2;
        squarings++;
    }
    for (int i = 0; i < STATE; i++)
        for (int j = 0; j < STATE; j++) {
            small[i][j] = ldexp(A[i][j], -squarings);
            E[i][j] = term[i][j] = i == j;
        }
    for (int k = 1; k <= TERMS; k++) {
        multiply(term, small, term);
        for (int i = 0; i < STATE; i++)
            for (int j = 0; j < STATE; j++) {
                term[i][j] /= k;
                E[i][j] += term[i][j];
            }
    }
    for (int k = 0; k < squarings; k++)
        multiply(E, E, E);
}

/* scales Y to the size of Y', and time by the step */
static void make_step(const answer *s, part *m) {
    double h = s->h, A[STATE][STATE] = {{0}};
    m->scale = s->first ? 1 : fmax(sqrt(fabs(m->lambda)), 1 / h);
    if (s->first) {
        A[0][0] = -m->lambda * h;
        A[0][2] = h;
    } else {
        A[0][1] = m->scale * h;
        A[1][0] = -m->lambda / m->scale * h;
        A[1][1] = -m->c * h;
        A[1][2] = h;
    }
    A[2][3] = 1; /* p' h */
    exponential(A, m->E);
}

static void advance(part *m, double p) {
    double to[STATE] = {0};
    m->y[3] = p - m->y[2];
    for (int i = 0; i < STATE; i++)
        for (int j = 0; j < STATE; j++)
            to[i] += m->E[i][j] * m->y[j];
    memcpy(m->y, to, sizeof to);
    m->y[2] = p;
}

/* ---- loads */

/* forces at the reference state at a time: the load of a linear system */
static bl_status find_load(answer *s, double t) {
    bl_modes_own *own = s->own;
    const bl_system *sys = own->sys;
    *own->reference.t = t;
    bl_eval_at(&own->eval, &own->reference);
    if (sys->kind->hold) {
        BL_TRY(sys->kind->hold(sys, &own->eval, &own->reference));
        bl_eval_at(&own->eval, &own->reference);
    }
    BL_TRY(bl_system_eval(sys, &own->eval, s->first ? BL_F : BL_Q));
    memcpy(s->load, s->first ? own->eval.f : own->eval.Q, (size_t)own->problem.n * sizeof *s->load);
    return bl_check_finite(own->ctx, "load", t, own->problem.n, s->load);
}

static double load_of(const answer *s, const part *m) {
    return bl_modes_dot(s->own->problem.n, s->report->mode[m->mode].shape, s->load) / m->mass;
}

/* ---- which modes */

/* largest contribution of each mode, as a displacement: from the start and the static response to sampled loads */
static bl_status weigh(answer *s, double *weight) {
    bl_index n = s->own->problem.n;
    for (bl_index k = 0; k < s->npart; k++) {
        const bl_mode *mode = &s->report->mode[s->part[k].mode];
        double omega = sqrt(fabs(s->part[k].lambda));
        weight[k] = fabs(mode->initial) + (s->first || omega == 0 ? 0 : fabs(mode->initial_rate) / omega);
    }
    for (int i = 0; i <= PROBED; i++) {
        BL_TRY(find_load(s, s->options.until * i / PROBED));
        for (bl_index k = 0; k < s->npart; k++) {
            double at_rest = fabs(load_of(s, &s->part[k])) / fmax(fabs(s->part[k].lambda), 1e-300);
            weight[k] = s->report->mode[s->part[k].mode].rigid ? INFINITY : fmax(weight[k], at_rest);
        }
    }
    for (bl_index k = 0; k < s->npart; k++) {
        double largest = 0;
        for (bl_index j = 0; j < n; j++)
            largest = fmax(largest, fabs(s->report->mode[s->part[k].mode].shape[j]));
        weight[k] *= largest;
    }
    return BL_OK;
}

/* keeps the `take` modes of largest contribution, in the order of the report */
static bl_status choose(answer *s, bl_index take) {
    double *weight;
    BL_TRY(BL_NEW(s->own->ctx, weight, s->npart));
    bl_status status = weigh(s, weight);
    bl_index kept = 0;
    for (bl_index k = 0; status == BL_OK && k < s->npart; k++) {
        bl_index heavier = 0;
        for (bl_index i = 0; i < s->npart; i++)
            heavier += weight[i] > weight[k] || (weight[i] == weight[k] && i < k);
        if (heavier < take)
            s->part[kept++] = s->part[k];
    }
    s->npart = status == BL_OK ? kept : s->npart;
    bl_free(s->own->ctx, weight);
    return status;
}

/* damping that couples modes, which their separate equations neglect */
static void warn_of_coupling(answer *s) {
    const bl_modes_own *own = s->own;
    const bl_pattern *C = &own->sys->pat_C;
    double worst = 0;
    bl_index n = own->problem.n, count = s->npart < CHECKED ? s->npart : CHECKED;
    for (bl_index i = 0; i < count; i++) {
        bl_modes_product(C, own->eval.C, s->report->mode[s->part[i].mode].shape, s->d);
        for (bl_index k = 0; k < count; k++) {
            double off = bl_modes_dot(n, s->report->mode[s->part[k].mode].shape, s->d);
            double size = sqrt(fabs(s->part[i].c * s->part[i].mass * s->part[k].c * s->part[k].mass));
            if (i != k && fabs(off) > worst * size)
                worst = size > 0 ? fabs(off) / size : 1;
        }
    }
    if (worst > study_modes_coupled)
        bl_warn(own->ctx, NAN, NULL, "damping couples the modes (by %.2g of their own damping): the response neglects the coupling", worst);
}

static bl_status make_parts(answer *s) {
    const bl_modes_report *report = s->report;
    bl_modes_own *own = s->own;
    bl_index n = own->problem.n;
    BL_TRY(BL_ARENA_NEW(&s->run.arena, s->part, report->nmode));
    s->npart = report->nmode;
    bl_eval_at(&own->eval, &own->reference);
    BL_TRY(bl_system_eval(own->sys, &own->eval, BL_KC));
    for (bl_index k = 0; k < s->npart; k++) {
        const bl_mode *mode = &report->mode[k];
        part *m = &s->part[k];
        *m = (part){.mode = k, .lambda = mode->eigenvalue, .mass = mode->mass};
        if (!s->first && !s->options.rayleigh) {
            bl_modes_product(&own->sys->pat_C, own->eval.C, mode->shape, s->d);
            m->c = bl_modes_dot(n, mode->shape, s->d) / m->mass;
        } else if (!s->first) {
            m->c = s->options.alpha + s->options.beta * m->lambda;
        }
    }
    if (s->options.take > 0 && s->options.take < s->npart) {
        if (s->options.most)
            BL_TRY(choose(s, s->options.take));
        else
            s->npart = s->options.take;
    }
    if (!s->first && !s->options.rayleigh)
        warn_of_coupling(s);
    BL_TRY(find_load(s, 0));
    for (bl_index k = 0; k < s->npart; k++) {
        part *m = &s->part[k];
        make_step(s, m);
        m->y[0] = m->scale * report->mode[m->mode].initial;
        m->y[1] = s->first ? 0 : report->mode[m->mode].initial_rate;
        m->y[2] = load_of(s, m);
    }
    return BL_OK;
}

/* ---- samples */

/* static correction for the modes left out: K^-1 load minus the static response of the modes used */
static bl_status correct(answer *s) {
    bl_index n = s->own->problem.n;
    BL_TRY(bl_kkt_solve(s->own->problem.kkt, s->load, NULL, s->shape, NULL));
    for (bl_index k = 0; k < s->npart; k++) {
        const part *m = &s->part[k];
        double at_rest = m->y[2] / m->lambda;
        const double *shape = s->report->mode[m->mode].shape;
        for (bl_index j = 0; j < n; j++)
            s->shape[j] -= at_rest * shape[j];
    }
    for (bl_index j = 0; j < n; j++)
        s->d[j] += s->shape[j];
    return BL_OK;
}

static bl_status emit(answer *s, double t) {
    bl_modes_own *own = s->own;
    const bl_system *sys = own->sys;
    bl_index n = own->problem.n;
    double misfit;
    bl_sample sample;
    for (bl_index j = 0; j < n; j++)
        s->d[j] = s->v[j] = s->a[j] = 0;
    for (bl_index k = 0; k < s->npart; k++) {
        const part *m = &s->part[k];
        const double *shape = s->report->mode[m->mode].shape;
        double Y = m->y[0] / m->scale, rate = s->first ? m->y[2] - m->lambda * Y : m->y[1];
        double second = s->first ? 0 : m->y[2] - m->c * rate - m->lambda * Y;
        for (bl_index j = 0; j < n; j++) {
            s->d[j] += Y * shape[j];
            s->v[j] += rate * shape[j];
            s->a[j] += second * shape[j];
        }
    }
    if (s->options.correction)
        BL_TRY(correct(s));
    bl_state_copy(sys, &own->moved, &own->reference);
    *own->moved.t = t;
    if (s->first) {
        for (bl_index i = 0; i < n; i++)
            own->moved.z[i] = own->reference.z[i] + s->d[i];
    } else {
        BL_TRY(bl_system_retract(sys, own->reference.q, s->d, own->moved.q));
        memcpy(own->moved.v, s->v, (size_t)n * sizeof *s->v);
    }
    BL_TRY(bl_simulation_fill_sample(sys, NULL, &own->eval, &own->moved, s->a, own->moved.lambda, s->run.want, &sample, &misfit));
    return bl_run_sample(&s->run, &sample);
}

static bl_status march(answer *s, bl_run_summary *summary) {
    double until = s->options.until, every = s->options.every;
    long outputs = (long)floor(until / every * (1 + study_same_time));
    BL_TRY(emit(s, 0));
    for (long k = 0; k < outputs * s->substeps; k++) {
        if (bl_context_stopped(s->own->ctx))
            return BL_STOPPED;
        bool output = (k + 1) % s->substeps == 0;
        double t = every * (double)((k + 1) / s->substeps) + s->h * (double)((k + 1) % s->substeps);
        BL_TRY(find_load(s, t));
        for (bl_index i = 0; i < s->npart; i++)
            advance(&s->part[i], load_of(s, &s->part[i]));
        summary->t = t;
        summary->steps++;
        if (output)
            BL_TRY(emit(s, t));
    }
    return BL_OK;
}

static bl_status prepare(answer *s) {
    bl_modes_own *own = s->own;
    size_t n = (size_t)own->problem.n;
    bl_modes_answer_options *o = &s->options;
    if (!(o->until > 0) || !isfinite(o->until) || !(o->every >= 0) || !(o->step >= 0) || o->take < 0)
        return bl_fail(own->ctx, BL_E_ARG, NULL,
                       "modal response: until must be positive, and every, step and take not negative; found %g, %g, %g, %d", o->until,
                       o->every, o->step, (int)o->take);
    if (own->sys->np > 0) {
        bl_fail(own->ctx, BL_E_ABILITY, NULL, "modal response needs a system without constraints, but this one has %d", (int)own->sys->np);
        bl_advise(own->ctx, "simulate mechanisms by `biela run`; open chains have no constraints in relative coordinates");
        return BL_E_ABILITY;
    }
    if (s->report->nmode == 0)
        return bl_fail(own->ctx, BL_E_ARG, NULL, "modal response: the report contains no modes");
    if (o->correction && s->report->nrigid > 0) {
        bl_fail(own->ctx, BL_E_ABILITY, NULL, "static correction needs a supported structure, but it can move freely: %s",
                s->report->rigid);
        return BL_E_ABILITY;
    }
    o->every = o->every > 0 ? fmin(o->every, o->until) : o->until / 200;
    s->substeps = o->step > 0 && o->step < o->every ? (long)ceil(o->every / o->step * (1 - study_same_time)) : 1;
    s->h = o->every / (double)s->substeps;
    if (o->until / s->h > study_superposition_steps)
        return bl_fail(own->ctx, BL_E_ARG, NULL, "modal response until %g s by steps of %g s would take more than %g steps", o->until, s->h,
                       study_superposition_steps);
    BL_TRY(BL_ARENA_ARRAYS(&s->run.arena, BL_ARRAY(s->load, n), BL_ARRAY(s->d, n), BL_ARRAY(s->v, n), BL_ARRAY(s->a, n),
                           BL_ARRAY(s->shape, n)));
    if (o->correction)
        BL_TRY(bl_kkt_factor(own->problem.kkt, own->problem.H, 0, NULL, 0));
    BL_TRY(make_parts(s));
    bl_run *run = &s->run;
    run->options = own->run;
    run->options.formulation = "modes";
    run->options.integrator = "exact";
    run->options.until = o->until;
    run->options.step = s->h;
    BL_TRY(bl_run_describe(run, own->sys, NULL));
    run->info.dof = s->npart;
    return BL_OK;
}

bl_status bl_modes_answer(bl_context *ctx, const bl_modes_report *given, const bl_modes_answer_options *options, bl_sink *sinks,
                          bl_index nsink, bl_run_summary *summary) {
    bl_modes_report report;
    answer s = {.report = &report};
    BL_TRY(BL_TAKE(ctx, bl_modes_report, given, &report));
    BL_TRY(BL_TAKE(ctx, bl_modes_answer_options, options, &s.options));
    BL_TRY(BL_FITS(ctx, bl_run_summary, summary));
    s.own = report.own;
    s.first = report.first_order;
    if (!s.own || !options)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_modes_answer needs a report of modes and options");
    if (report.is_complex) {
        bl_fail(ctx, BL_E_ABILITY, NULL, "modal response needs real modes, but these are complex");
        bl_advise(ctx, "compute modes without damping (BL_MODES_UNDAMPED)");
        return BL_E_ABILITY;
    }
    bl_run_summary made = {0};
    BL_TRY(bl_run_open(&s.run, "bl_modes_answer", ctx, s.own->model, sinks, nsink));
    double t = *s.own->reference.t;
    bl_status status = prepare(&s);
    if (status == BL_OK)
        status = bl_run_begin(&s.run);
    if (status == BL_OK)
        status = march(&s, &made);
    *s.own->reference.t = t;
    made.status = status;
    made.h_smallest = made.h_largest = s.h;
    return bl_run_close(&s.run, made.t, &made, summary);
}
