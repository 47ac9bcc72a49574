/* The study `series`: power series coefficients of the motion about its start, with the name of each component. */
#include "base/sized.h"
#include "series/taylor.h"
#include "study/run.h"
#include "study/simulation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { RADIUS_ORDER = 30 }; /* fewer coefficients do not determine the radius of convergence well */

typedef struct study {
    bl_context *ctx;
    const bl_model *model;
    bl_arena arena; /* of the report */
    bl_system *sys;
    bl_state state;
    bl_simulation *sim;
    bl_expansion ex;
    double *y;
} study;

const char *bl_series_what_text(bl_series_what what) {
    static const char *const text[] = {"position", "velocity", "state", "lambda", "mu"};
    return (size_t)what < sizeof text / sizeof *text ? text[what] : "?";
}

/* ---- the expansion */

static bl_status expand(study *s, const bl_run_options *o, int order) {
    BL_TRY(bl_expansion_create(s->sys, order > RADIUS_ORDER ? order : RADIUS_ORDER, &s->ex));
    /* the integrator is only created: a model that it refuses has no series */
    bl_simulation_setup setup = {.formulation = o->formulation,
                                 .integrator = "series",
                                 .linsol = o->linsol,
                                 .ordering = o->ordering,
                                 .t_end = *s->state.t + 1,
                                 .singular = BL_REFUSE_SINGULAR};
    BL_TRY(bl_simulation_create(s->sys, &s->state, &setup, &s->sim));
    bl_formulation *form = s->sim->form;
    BL_TRY(BL_NEW(s->ctx, s->y, (size_t)form->ny + 1));
    BL_TRY(form->kind->to_y(form, &s->sim->state, s->y));
    bl_status status = form->kind->expand(form, *s->state.t, s->y, &s->ex);
    if (status <= 0)
        return status;
    if (form->kind->explain)
        BL_TRY(form->kind->explain(form));
    return bl_fail(s->ctx, BL_E_NUMERIC, NULL, "the motion has no power series at its start: %s", bl_status_text(status));
}

/* ---- components */

static const char *name_of(study *s, bl_series_what what, bl_index i) {
    char name[96], equation[128] = "";
    if (what == BL_SERIES_LAMBDA || what == BL_SERIES_MU)
        bl_system_row_name(s->sys, i, name, sizeof name, equation, sizeof equation);
    else
        bl_system_col_name(s->sys, what == BL_SERIES_STATE ? s->sys->nv + i : i, name, sizeof name);
    return bl_arena_printf(&s->arena, equation[0] ? "%s: %s" : "%s", name, equation);
}

/* x has coefficients up to `made`; those beyond the requested order serve only to estimate the radius */
static bl_status add(study *s, bl_series_what what, bl_index n, int made, const double *x, bl_series_report *report) {
    int order = made - s->ex.order + report->order;
    bl_series_component *all = (bl_series_component *)report->component;
    for (bl_index i = 0; i < n; i++) {
        bl_series_component *c = &all[report->ncomponent];
        double *u = bl_arena_alloc(&s->arena, (size_t)made + 1, sizeof *u);
        *c = (bl_series_component){.what = what, .name = name_of(s, what, i), .order = order, .coefficient = u, .radius = NAN};
        if (!u || !c->name)
            return BL_E_MEMORY;
        report->ncomponent++;
        int finite = made;
        for (int k = 0; k <= finite; k++) {
            u[k] = x[(size_t)k * (size_t)n + (size_t)i];
            if (isfinite(u[k]))
                continue;
            finite = k - 1;
            if (k > order)
                break;
            bl_fail(s->ctx, BL_E_NUMERIC, NULL, "coefficient %d of the %s %s is not finite", k, bl_series_what_text(what), c->name);
            bl_advise(s->ctx, BL_ADVICE_NOT_FINITE);
            return BL_E_NUMERIC;
        }
        bl_taylor_radius radius;
        bl_taylor_find_radius(finite, u, &radius);
        if (what != BL_SERIES_MU)
            c->radius = radius.fitted;
        if (what == BL_SERIES_POSITION || what == BL_SERIES_STATE)
            report->radius = fmin(report->radius, radius.fitted);
    }
    return BL_OK;
}

static bl_status fill_report(study *s, const bl_run_options *o, int order, bl_series_report *report) {
    const bl_system *sys = s->sys;
    const bl_expansion *ex = &s->ex;
    bl_index most = 2 * sys->nv + sys->nz + 2 * sys->np;
    *report = (bl_series_report){.t = ex->t, .order = order, .radius = INFINITY};
    report->component = bl_arena_alloc(&s->arena, (size_t)most + 1, sizeof *report->component);
    report->model_name = bl_arena_printf(&s->arena, "%s", s->model->name ? s->model->name : "");
    report->coordinates = bl_arena_printf(&s->arena, "%s", o->coordinates);
    report->formulation = bl_arena_printf(&s->arena, "%s", o->formulation);
    if (!report->component || !report->model_name || !report->coordinates || !report->formulation)
        return BL_E_MEMORY;
    BL_TRY(add(s, BL_SERIES_POSITION, sys->nv, ex->order, ex->q, report));
    BL_TRY(add(s, BL_SERIES_VELOCITY, sys->nv, ex->v_order, ex->v, report));
    BL_TRY(add(s, BL_SERIES_STATE, sys->nz, ex->order, ex->z, report));
    BL_TRY(add(s, BL_SERIES_LAMBDA, sys->np, ex->v_order - 1, ex->lambda, report));
    return add(s, BL_SERIES_MU, sys->np, ex->order - 1, ex->mu, report);
}

static bl_status prepare(study *s, const bl_series_options *options, bl_run_options *o) {
    bl_run_options asked = {.coordinates = options->coordinates,
                            .formulation = options->formulation,
                            .integrator = "series",
                            .linsol = options->linsol,
                            .ordering = options->ordering};
    BL_TRY(bl_run_resolve(s->ctx, s->model, &asked, o));
    BL_TRY(bl_run_prepare(s->ctx, s->model, o->coordinates, &s->sys, &s->state));
    o->formulation = options->formulation ? options->formulation
                     : s->sys->np > 0     ? "index2"
                                          : "plain"; /* the model's formulation is for simulations */
    return BL_OK;
}

static void tear_down(study *s) {
    bl_free(s->ctx, s->y);
    if (s->sys)
        bl_expansion_destroy(s->sys, &s->ex);
    bl_simulation_destroy(s->sim);
    bl_run_release(s->sys, &s->state, NULL);
}

bl_status bl_series_study(bl_context *ctx, const bl_model *model, const bl_series_options *options, bl_series_report *report) {
    if (!ctx || !model || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_series_study needs a context, a model and a report");
    bl_series_options own;
    bl_series_report made = {.size = sizeof made};
    BL_TRY(BL_TAKE(ctx, bl_series_options, options, &own));
    BL_TRY(BL_FITS(ctx, bl_series_report, report));
    int order = own.order ? own.order : BL_SERIES_USUAL_ORDER;
    if (order < BL_SERIES_LEAST_ORDER || order > BL_SERIES_MOST_ORDER)
        return bl_fail(ctx, BL_E_ARG, NULL, "the order of a series must be %d to %d, found %d", BL_SERIES_LEAST_ORDER, BL_SERIES_MOST_ORDER,
                       order);
    study s = {.ctx = ctx, .model = model, .arena.ctx = ctx};
    bl_run_options o;
    bl_status status = prepare(&s, &own, &o);
    if (status == BL_OK)
        status = expand(&s, &o, order);
    if (status == BL_OK)
        status = fill_report(&s, &o, order, &made);
    tear_down(&s);
    bl_arena *kept = NULL;
    if (status == BL_OK)
        status = BL_NEW(ctx, kept, 1);
    if (status == BL_OK) {
        *kept = s.arena;
        made.own = kept;
    } else {
        bl_arena_destroy(&s.arena);
        made = (bl_series_report){0};
    }
    BL_GIVE(bl_series_report, report, &made);
    return status;
}

void bl_series_report_destroy(bl_context *ctx, bl_series_report *report) {
    if (report->own)
        bl_arena_destroy(report->own);
    bl_free(ctx, report->own);
    BL_CLEAR(bl_series_report, report);
}

/* ---- as a function in C */

typedef struct writer {
    void (*write)(void *user, const char *text, size_t length);
    void *user;
} writer;

static void write_text(writer *w, const char *format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    w->write(w->user, text, strlen(text));
}

/* names come from models: replaces characters that could end the comment */
static void write_name(writer *w, const char *name) {
    for (; *name; name++) {
        bool plain = *name != '*' && *name != '\\' && (unsigned char)*name >= ' ';
        w->write(w->user, plain ? name : "_", 1);
    }
}

static void write_number(writer *w, double number) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", number);
    write_text(w, strpbrk(text, ".e") ? "%s" : "%s.0", text);
}

static void write_polynomial(writer *w, const bl_series_component *c) {
    int last = c->order;
    while (last > 0 && c->coefficient[last] == 0)
        last--;
    for (int k = 0; k < last; k++) {
        write_number(w, c->coefficient[k]);
        write_text(w, " + s * (");
    }
    write_number(w, c->coefficient[last]);
    for (int k = 0; k < last; k++)
        write_text(w, ")");
}

bl_status bl_series_write_c(bl_context *ctx, const bl_series_report *given, void (*write)(void *user, const char *text, size_t length),
                            void *user) {
    bl_series_report own, *report = &own;
    BL_TRY(BL_TAKE(ctx, bl_series_report, given, report));
    if (!report->own || !write)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_series_write_c needs a report and a write function");
    writer w = {write, user};
    write_text(&w, "#include <stddef.h>\n\n/* ");
    write_name(&w, report->model_name);
    write_text(&w, ": motion about t = %.17g to order %d (", report->t, report->order);
    write_name(&w, report->formulation);
    write_text(&w, isinf(report->radius) ? ")" : "), convergent to about %.3g from there", report->radius);
    write_text(&w, ". What is not NULL is filled. */\n"
                   "void motion(double t, double *position, double *velocity, double *state, double *lambda, double *mu) {\n"
                   "    double s = t - ");
    write_number(&w, report->t);
    write_text(&w, ";\n    (void)s;\n");
    bl_index at = 0;
    for (int what = BL_SERIES_POSITION; what <= BL_SERIES_MU; what++) {
        const char *array = bl_series_what_text((bl_series_what)what);
        write_text(&w, "    if (%s != NULL) {\n", array);
        for (int i = 0; at < report->ncomponent && report->component[at].what == (bl_series_what)what; i++, at++) {
            const bl_series_component *c = &report->component[at];
            write_text(&w, "        /* ");
            write_name(&w, c->name);
            write_text(&w, " */\n        %s[%d] = ", array, i);
            write_polynomial(&w, c);
            write_text(&w, ";\n");
        }
        write_text(&w, "    }\n");
    }
    write_text(&w, "}\n");
    return BL_OK;
}
