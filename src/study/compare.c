/* The study `compare`: one model solved with many combinations of coordinates, formulation and integrator. This file chooses the
 * combinations and the reference; compare_solve.c runs and judges one combination, compare_measure.c measures differences. */
#include "study/compare_private.h"

#include "base/sized.h"
#include "integrate/integrate.h"
#include "study/defaults.h"
#include "study/plan.h"
#include "study/run.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *bl_agreement_text(bl_agreement agreement) {
    static const char *const text[] = {"agreed", "disagreed", "skipped", "refused", "failed"};
    return (size_t)agreement < sizeof text / sizeof *text ? text[agreement] : "unknown";
}

/* ---- entries */

static bool same(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static bool known(const bl_comparison *c, const bl_combination *x) {
    for (bl_index i = 0; i < c->report->nentry; i++) {
        const bl_compare_entry *e = &c->own->entry[i];
        if (same(e->coordinates, x->coordinates) && same(e->formulation, x->formulation) && same(e->integrator, x->integrator))
            return true;
    }
    return false;
}

static void count(bl_compare_report *report, bl_agreement agreement) {
    bl_index *const counter[] = {&report->agreed, &report->disagreed, &report->skipped, &report->refused, &report->failed};
    ++*counter[agreement];
}

/* adds the first warning of the run, or a known property of the formulation, to the reason */
static void add_warning(bl_comparison *c, bl_compare_entry *e) {
    const bl_formulation_kind *kind = bl_formulation_kind_of(e->formulation);
    size_t length = strlen(e->reason);
    if (e->agreement == BL_AGREED || e->agreement == BL_REFUSED)
        return;
    if (!c->warning[0] && e->agreement == BL_DISAGREED && kind && (kind->kind.gives & BL_COMPLIANT))
        snprintf(c->warning, sizeof c->warning, "%s satisfies constraints only approximately, as its parameters determine",
                 kind->kind.name);
    if (c->warning[0] && snprintf(e->reason + length, sizeof e->reason - length, "; %s", c->warning) < 0)
        e->reason[length] = '\0';
}

/* instead: taken when x is refused, the same with a compatible formulation or integrator; NULL: none */
static bl_status add(bl_comparison *c, const bl_combination *x, const bl_combination *instead) {
    if (known(c, x))
        return BL_OK;
    BL_TRY(BL_RESERVE(c->ctx, c->own->entry, c->own->room, c->report->nentry + 1));
    c->report->entry = c->own->entry;
    bl_compare_entry *e = &c->own->entry[c->report->nentry];
    BL_TRY(bl_compare_solve(c, x, e));
    bool middle = c->report->nentry == 0;
    if (middle && e->agreement == BL_REFUSED && c->refusal.status != BL_E_ABILITY)
        return bl_compare_pass_error(c); /* unknown names, parameters out of range: its variations would fail as well */
    if (e->agreement == BL_REFUSED && instead) {
        if (known(c, instead))
            return BL_OK;
        bl_compare_entry second;
        BL_TRY(bl_compare_solve(c, instead, &second));
        *e = second;
    }
    if (!x->reason)
        add_warning(c, e);
    bl_index k = c->report->nentry++;
    count(c->report, e->agreement);
    const bl_compare_motions *motions = c->asked->motions;
    return motions && (e->agreement == BL_AGREED || e->agreement == BL_DISAGREED) ? motions->keep(motions->user, k, e) : BL_OK;
}

/* ---- which combinations */

typedef struct axis {
    const char **spec;
    const char **reason; /* why a kind cannot be tried, or NULL */
    bl_index n;
} axis;

static bl_status missing_parameter(bl_comparison *c, const bl_kind *kind, const char **reason) {
    for (const bl_param *p = kind->params; p && p->type != BL_P_END && !*reason; p++)
        if (p->flags & BL_REQUIRED) {
            *reason = bl_arena_printf(c->arena, "%s needs its parameter '%s'", kind->name, p->name);
            if (!*reason)
                return BL_E_MEMORY;
        }
    return BL_OK;
}

static bool names_kind(const char *spec, const char *name) {
    size_t length = strcspn(spec, ":");
    return strlen(name) == length && strncmp(spec, name, length) == 0;
}

/* all values of the first parameter, where that is a choice */
static bl_status add_choices(bl_comparison *c, const bl_kind *kind, const char *middle, axis *a) {
    const char *word = kind->params && kind->params[0].type == BL_P_CHOICE ? kind->params[0].choices : "";
    bool first = true; /* the default: the name alone */
    do {
        int length = (int)strcspn(word, "|");
        const char *spec = first ? kind->name : bl_arena_printf(c->arena, "%s:%.*s", kind->name, length, word);
        if (!spec)
            return BL_E_MEMORY;
        if (!same(spec, middle))
            a->spec[a->n++] = spec;
        word += length + (word[length] == '|');
        first = false;
    } while (*word);
    return BL_OK;
}

static size_t count_choices(const bl_kind *kind) {
    size_t n = 1;
    for (const char *at = kind->params && kind->params[0].type == BL_P_CHOICE ? kind->params[0].choices : ""; *at; at++)
        n += *at == '|';
    return n;
}

/* every kind of coordinates in every form */
static bl_status make_forms(bl_comparison *c, const char *middle, axis *a) {
    size_t n = 1;
    for (size_t i = 0; i < bl_coords_kind_count; i++)
        n += count_choices(&bl_coords_kinds[i]->kind);
    *a = (axis){.spec = bl_arena_alloc(c->arena, n, sizeof *a->spec), .reason = bl_arena_alloc(c->arena, n, sizeof *a->reason)};
    if (!a->spec || !a->reason)
        return BL_E_MEMORY;
    a->spec[a->n++] = middle;
    for (size_t i = 0; i < bl_coords_kind_count; i++)
        BL_TRY(add_choices(c, &bl_coords_kinds[i]->kind, middle, a));
    return BL_OK;
}

/* the middle first, then the requested kinds, or every other kind */
static bl_status make_axis(bl_comparison *c, const char *middle, const char *const *tried, bl_index ntried, const bl_kind *const *kind,
                           size_t nkind, axis *a) {
    size_t n = 1 + (ntried > 0 ? (size_t)ntried : nkind);
    *a = (axis){.spec = bl_arena_alloc(c->arena, n, sizeof *a->spec), .reason = bl_arena_alloc(c->arena, n, sizeof *a->reason)};
    if (!a->spec || !a->reason)
        return BL_E_MEMORY;
    a->spec[a->n++] = middle;
    for (bl_index i = 0; i < ntried; i++)
        if (!same(tried[i], middle)) {
            a->spec[a->n] = bl_arena_text(c->arena, tried[i], strlen(tried[i]));
            if (!a->spec[a->n++])
                return BL_E_MEMORY;
        }
    for (size_t i = 0; ntried == 0 && i < nkind; i++) {
        if (names_kind(middle, kind[i]->name))
            continue;
        a->spec[a->n] = kind[i]->name;
        BL_TRY(missing_parameter(c, kind[i], &a->reason[a->n]));
        a->n++;
    }
    return BL_OK;
}

static bl_status make_axes(bl_comparison *c, axis a[3]) {
    const bl_compare_options *o = c->asked;
    bool plain = c->model->equations || c->model->matrices; /* without a choice of coordinates */
    const bl_kind **coords, **formulation, **integrator;
    BL_TRY(BL_ARENA_ARRAYS(c->arena, BL_ARRAY(coords, bl_coords_kind_count), BL_ARRAY(formulation, bl_formulation_kind_count),
                           BL_ARRAY(integrator, bl_integrator_kind_count)));
    for (size_t i = 0; i < bl_coords_kind_count; i++)
        coords[i] = &bl_coords_kinds[i]->kind;
    for (size_t i = 0; i < bl_formulation_kind_count; i++)
        formulation[i] = &bl_formulation_kinds[i]->kind;
    for (size_t i = 0; i < bl_integrator_kind_count; i++)
        integrator[i] = &bl_integrator_kinds[i]->kind;
    if (c->every[0] && !plain && o->ncoordinates_tried == 0)
        BL_TRY(make_forms(c, c->middle.coordinates, &a[0]));
    else
        BL_TRY(make_axis(c, c->middle.coordinates, o->coordinates_tried, plain ? 0 : o->ncoordinates_tried, coords,
                         plain ? 0 : bl_coords_kind_count, &a[0]));
    BL_TRY(
        make_axis(c, c->middle.formulation, o->formulations_tried, o->nformulations_tried, formulation, bl_formulation_kind_count, &a[1]));
    BL_TRY(make_axis(c, c->middle.integrator, o->integrators_tried, o->nintegrators_tried, integrator, bl_integrator_kind_count, &a[2]));
    for (int k = 0; k < 3; k++)
        if ((c->every[0] || c->every[1] || c->every[2]) && !c->every[k])
            a[k].n = 1;
    return BL_OK;
}

static bl_combination at(const axis a[3], bl_index i, bl_index j, bl_index k) {
    bl_combination x = {a[0].spec[i], a[1].spec[j], a[2].spec[k], a[0].reason[i]};
    x.reason = x.reason ? x.reason : a[1].reason[j] ? a[1].reason[j] : a[2].reason[k];
    return x;
}

static bl_status report_progress(const bl_comparison *c, bl_index done, bl_index total, const bl_combination *x) {
    if (bl_context_stopped(c->ctx))
        return BL_STOPPED;
    char text[256];
    snprintf(text, sizeof text, "%s, %s, %s", x->coordinates, x->formulation ? x->formulation : "default formulation", x->integrator);
    if (c->asked->progress)
        c->asked->progress(c->asked->progress_user, done, total, text);
    return BL_OK;
}

static bl_status vary_all(bl_comparison *c, const axis a[3]) {
    bl_index total = a[0].n * a[1].n * a[2].n, done = 0;
    for (bl_index i = 0; i < a[0].n; i++)
        for (bl_index j = 0; j < a[1].n; j++)
            for (bl_index k = 0; k < a[2].n; k++) {
                bl_combination x = at(a, i, j, k);
                BL_TRY(report_progress(c, done++, total, &x));
                BL_TRY(add(c, &x, NULL));
            }
    return BL_OK;
}

/* Varies one axis at a time around the middle. With coordinates `all`, each kind takes its own default formulation unless one is given. A
 * formulation that the integrator of the middle cannot integrate gets its default integrator, and vice versa. */
static bl_status vary_each(bl_comparison *c, const axis a[3]) {
    bl_index total = a[0].n + a[1].n + a[2].n - 2, done = 0;
    for (bl_index i = 0; i < a[0].n; i++) {
        bl_combination x = at(a, i, 0, 0);
        if (i > 0 && c->every[0] && !c->formulation_given)
            x.formulation = NULL;
        BL_TRY(report_progress(c, done++, total, &x));
        BL_TRY(add(c, &x, NULL));
    }
    for (bl_index j = 1; j < a[1].n; j++) {
        bl_combination x = at(a, 0, j, 0), fits = x;
        fits.integrator = bl_plan_general_integrator(c->sys, NULL, x.formulation);
        BL_TRY(report_progress(c, done++, total, &x));
        BL_TRY(add(c, &x, same(fits.integrator, x.integrator) ? NULL : &fits));
    }
    for (bl_index k = 1; k < a[2].n; k++) {
        bl_combination x = at(a, 0, 0, k), fits = x;
        fits.formulation = bl_plan_general_formulation(c->sys, NULL, x.integrator);
        BL_TRY(report_progress(c, done++, total, &x));
        BL_TRY(add(c, &x, same(fits.formulation, x.formulation) ? NULL : &fits));
    }
    return BL_OK;
}

/* ---- the reference */

static const char *describe(bl_comparison *c, const bl_combination *x) {
    return bl_arena_printf(c->arena, "%s, %s, %s", x->coordinates, x->formulation, x->integrator);
}

static bool adaptive(const char *integrator) {
    const bl_integrator_kind *kind = bl_integrator_kind_of(integrator);
    return !kind || (kind->kind.gives & BL_ADAPTIVE); /* unknown names are reported by the run */
}

static bl_status run_exactly(bl_comparison *c, const bl_combination *x, double seconds, bl_record *record, bl_outcome *what) {
    char text[256];
    snprintf(text, sizeof text, "reference: %s, %s, %s", x->coordinates, x->formulation, x->integrator);
    if (c->asked->progress)
        c->asked->progress(c->asked->progress_user, 0, 0, text);
    return bl_compare_run(c, x, c->report->reference_tolerance, 0, seconds, record, what);
}

/* the middle, by an adaptive method; else by the default one; else by defaults alone */
static bl_status find_reference(bl_comparison *c, bl_combination *x) {
    bl_combination tries[3] = {{c->middle.coordinates, c->middle.formulation, c->middle.integrator, NULL}};
    tries[1] = tries[2] = tries[0];
    tries[1].integrator = bl_plan_general_integrator(c->sys, NULL, c->middle.formulation);
    tries[2].integrator = bl_plan_general_integrator(c->sys, NULL, NULL);
    tries[2].formulation = bl_plan_general_formulation(c->sys, NULL, tries[2].integrator);
    bl_outcome what = BL_RUN_FAILED;
    for (int i = 0; i < 3; i++) {
        *x = tries[i];
        if (!adaptive(x->integrator))
            continue;
        BL_TRY(run_exactly(c, x, 10 * c->limit, &c->reference, &what));
        if (what == BL_RUN_DONE)
            return BL_OK;
        if (what == BL_RUN_REFUSED && c->refusal.status != BL_E_ABILITY)
            return bl_compare_pass_error(c);
    }
    if (what != BL_RUN_LATE)
        return bl_compare_pass_error(c);
    bl_fail(c->ctx, BL_E_NUMERIC, NULL, "the reference run (%s, %s, %s at tolerance %g) takes more than %g s", x->coordinates,
            x->formulation, x->integrator, c->report->reference_tolerance, 10 * c->limit);
    bl_advise(c->ctx, "give a larger limit or tolerance, or a shorter simulated time");
    return BL_E_NUMERIC;
}

/* Another adaptive method with another formulation; in a second pass with any. Methods that need the same interface of a formulation come
 * first: where the model needs an implicit method, explicit ones may never finish. High order before low. */
static bl_status find_check(bl_comparison *c, const bl_combination *reference, bl_combination *x, bool *found) {
    const bl_integrator_kind *own = bl_integrator_kind_of(reference->integrator);
    uint32_t faces = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_COEFFICIENT, face = own->kind.needs & faces;
    *found = false;
    *x = *reference;
    for (int pass = 0; pass < 4; pass++)
        for (int order = 255; order > 0; order--)
            for (size_t i = 0; i < bl_integrator_kind_count; i++) {
                const bl_integrator_kind *kind = bl_integrator_kinds[i];
                bool alike = (kind->kind.needs & face) == face;
                if (kind->order != order || kind == own || !(kind->kind.gives & BL_ADAPTIVE) || alike != (pass < 2))
                    continue;
                for (size_t j = 0; j < bl_formulation_kind_count; j++) {
                    const bl_kind *formulation = &bl_formulation_kinds[j]->kind;
                    bool other = !names_kind(reference->formulation, formulation->name);
                    if (other != (pass % 2 == 0) || (kind->kind.needs & faces & ~formulation->gives) || (formulation->gives & BL_COMPLIANT))
                        continue;
                    bl_outcome what;
                    x->integrator = kind->kind.name;
                    x->formulation = other ? formulation->name : reference->formulation;
                    BL_TRY(run_exactly(c, x, c->limit, &c->run, &what));
                    *found = what == BL_RUN_DONE;
                    if (*found)
                        return BL_OK;
                }
            }
    return BL_OK;
}

static double allowance(double difference, double tolerance, double exact) {
    return fmin(study_compare_margin * fmax(difference / exact, 1) * tolerance, study_compare_most);
}

static bl_status judge_reference(bl_comparison *c, const bl_combination *reference) {
    bl_compare_report *r = c->report;
    bl_combination other;
    bool found;
    bl_difference d = {.trajectory = NAN, .reactions = NAN};
    BL_TRY(find_check(c, reference, &other, &found));
    r->sensitivity = 1 / study_compare_reference; /* unknown: a usual value for long motions */
    if (found) {
        r->check = describe(c, &other);
        if (!r->check)
            return BL_E_MEMORY;
        bl_record_compare(&c->measure, &c->run, &c->reference, &d);
        r->sensitivity = fmax(d.trajectory / r->reference_tolerance, 1);
    }
    r->reference_trajectory = d.trajectory;
    r->reference_reactions = c->measure.reactions ? d.reactions : NAN;
    r->allowed = allowance(r->sensitivity * r->reference_tolerance, r->tolerance, r->reference_tolerance);
    r->allowed_reactions = NAN;
    if (c->measure.reactions &&
        !(d.reactions > study_compare_sensitive * study_compare_most)) /* else forces jump, or are huge near a singular configuration */
        r->allowed_reactions = found ? allowance(d.reactions, r->tolerance, r->reference_tolerance) : r->allowed;
    if (d.trajectory > study_compare_sensitive * study_compare_most) {
        bl_fail(c->ctx, BL_E_NUMERIC, NULL, "two runs at tolerance %.2g differ by %.2g (%s; %s): most at %s, t = %.6g s",
                r->reference_tolerance, d.trajectory, r->reference, r->check, d.worst, d.worst_time);
        bl_advise(c->ctx, "the motion may be too sensitive to be compared over this time: give a shorter time or a smaller tolerance");
        return BL_E_NUMERIC;
    }
    return BL_OK;
}

/* for equations: no variable is compared more exactly than its absolute tolerance */
static bl_status least_scales(bl_comparison *c, double **least) {
    *least = NULL;
    if (!c->model->equations && !c->model->matrices)
        return BL_OK;
    *least = bl_arena_alloc(c->arena, (size_t)c->model->nvariable, sizeof **least);
    if (!*least)
        return BL_E_MEMORY;
    for (bl_index j = 0; j < c->sys->nv + c->sys->nz; j++)
        if (c->sys->col[j].owner < c->model->nvariable)
            (*least)[c->sys->col[j].owner] = c->middle.absolute > 0 ? c->middle.absolute / c->middle.tolerance : c->sys->col[j].scale;
    return BL_OK;
}

static bl_status make_reference(bl_comparison *c) {
    bl_combination x;
    double *least;
    bl_measure *m = &c->measure;
    BL_TRY(find_reference(c, &x));
    c->report->reference = describe(c, &x);
    if (!c->report->reference)
        return BL_E_MEMORY;
    BL_TRY(least_scales(c, &least));
    BL_TRY(bl_measure_scales(m, &c->reference, least));
    BL_TRY(bl_measure_determined(m, &c->reference));
    c->report->until = c->reference.summary.t;
    bl_compare_fill_reference(c, &x);
    if (c->asked->motions)
        BL_TRY(c->asked->motions->keep(c->asked->motions->user, -1, &c->report->reference_run));
    c->report->joints = m->reactions ? m->njoint : 0;
    c->report->joints_undetermined = m->undetermined;
    c->report->joints_partial = m->partial;
    c->report->length = m->length;
    c->report->force = m->force;
    c->report->moment = m->moment;
    return judge_reference(c, &x);
}

/* ---- the study */

static bl_status check_options(bl_comparison *c) {
    const bl_compare_options *o = c->asked;
    const char *const word[3] = {o->coordinates, o->formulation, o->integrator};
    for (int k = 0; k < 3; k++)
        c->every[k] = word[k] && strcmp(word[k], "all") == 0;
    if (c->model->surfaces) {
        bl_fail(c->ctx, BL_E_ABILITY, NULL,
                "the contacts of this model are followed by time stepping, which is one method: there is nothing to compare");
        bl_advise(c->ctx, "`simulate: {contact: events}` locates every event, with any formulation and integrator");
        return BL_E_ABILITY;
    }
    const char *named = o->coordinates && !c->every[0] ? o->coordinates : c->model->settings.coordinates;
    bl_run_options given = {.coordinates = named ? named : BL_DEFAULT_COORDINATES_LOOPS, /* its rows and reactions exist in all others */
                            .formulation = c->every[1] ? NULL : o->formulation,
                            .integrator = c->every[2] ? NULL : o->integrator,
                            .linsol = o->linsol,
                            .ordering = o->ordering,
                            .until = o->until,
                            .tolerance = o->tolerance,
                            .step = o->step};
    BL_TRY(bl_run_resolve(c->ctx, c->model, &given, &c->middle));
    if (!(c->middle.until > 0)) {
        bl_fail(c->ctx, BL_E_ARG, NULL, "the end time of the simulation is not given");
        bl_advise(c->ctx, "give until, or write `simulate: {until: 10}` in the model");
        return BL_E_ARG;
    }
    if (!(o->limit >= 0) || !isfinite(o->limit))
        return bl_fail(c->ctx, BL_E_ARG, NULL, "the time limit must be a finite number of seconds, not negative, found %g", o->limit);
    c->limit = o->limit > 0 ? o->limit : study_compare_seconds;
    for (int k = 0; k <= BL_COMPARE_INTERVALS; k++)
        c->time[k] = k < BL_COMPARE_INTERVALS ? c->middle.until * k / BL_COMPARE_INTERVALS : c->middle.until; /* not beyond by rounding */
    return BL_OK;
}

/* its warnings and its error become those of the study */
static bl_status find_middle(bl_comparison *c) {
    const bl_compare_start *start;
    const bl_warning *warning;
    bl_run_options given = {.coordinates = c->every[0] ? NULL : c->asked->coordinates};
    bl_status status = bl_compare_start_in(c, c->middle.coordinates, &start);
    if (status != BL_OK)
        return status == BL_E_MEMORY ? status : bl_run_refused(c->ctx, c->model, &given, bl_compare_pass_error(c));
    bl_index n = bl_context_warnings(start->ctx, &warning, NULL);
    for (bl_index i = 0; i < n; i++)
        bl_warn(c->ctx, warning[i].time, warning[i].part[0] ? warning[i].part : NULL, "%s", warning[i].text);
    c->sys = start->sys;
    return BL_OK;
}

static bl_status prepare(bl_comparison *c) {
    bl_compare_report *r = c->report;
    const char *name = c->model->name ? c->model->name : "";
    BL_TRY(check_options(c));
    if (c->asked->motions)
        BL_TRY(bl_compare_sampling(c));
    c->middle.coordinates = bl_arena_text(c->arena, c->middle.coordinates, strlen(c->middle.coordinates));
    BL_TRY(c->middle.coordinates ? find_middle(c) : BL_E_MEMORY);
    c->formulation_given = c->middle.formulation != NULL;
    c->middle.integrator = bl_plan_general_integrator(c->sys, c->middle.integrator, c->middle.formulation);
    c->middle.formulation = bl_plan_general_formulation(c->sys, c->middle.formulation, c->middle.integrator);
    /* copies: the report outlives the options */
    const char **const text[] = {&c->middle.formulation, &c->middle.integrator, &r->model_name};
    r->model_name = name;
    for (int i = 0; i < 3; i++) {
        *text[i] = bl_arena_text(c->arena, *text[i], strlen(*text[i]));
        if (!*text[i])
            return BL_E_MEMORY;
    }
    r->until = c->middle.until;
    r->tolerance = c->middle.tolerance;
    r->reference_tolerance = fmin(fmax(study_compare_reference * r->tolerance, study_compare_least_tolerance), r->tolerance);
    bl_measure_layout(c->ctx, c->model, c->time, BL_COMPARE_INTERVALS + 1, c->middle.until, &c->measure);
    BL_TRY(bl_record_create(c->ctx, &c->measure, &c->reference));
    BL_TRY(bl_record_create(c->ctx, &c->measure, &c->run));
    return bl_record_create(c->ctx, &c->measure, &c->last);
}

static bl_status study(bl_comparison *c) {
    axis a[3];
    BL_TRY(prepare(c));
    BL_TRY(make_reference(c));
    BL_TRY(make_axes(c, a));
    BL_TRY(c->asked->all ? vary_all(c, a) : vary_each(c, a));
    if (c->asked->progress)
        c->asked->progress(c->asked->progress_user, c->report->nentry, c->report->nentry, "");
    return BL_OK;
}

bl_status bl_compare(bl_context *ctx, const bl_model *model, const bl_compare_options *options, bl_compare_report *report) {
    if (!ctx || !model || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_compare needs a context, a model and a report");
    bl_compare_options asked;
    bl_compare_motions motions;
    bl_compare_report made = {
        .size = sizeof made, .allowed = NAN, .allowed_reactions = NAN, .reference_trajectory = NAN, .reference_reactions = NAN};
    bl_compare_holding *own;
    BL_TRY(BL_TAKE(ctx, bl_compare_options, options, &asked));
    BL_TRY(BL_TAKE(ctx, bl_compare_motions, asked.motions, &motions));
    BL_TRY(BL_FITS(ctx, bl_compare_report, report));
    asked.motions = asked.motions ? &motions : NULL;
    BL_GIVE(bl_compare_report, report, &made);
    BL_TRY(BL_NEW(ctx, own, 1));
    own->arena.ctx = ctx;
    made.own = own;
    bl_comparison c = {.ctx = ctx, .model = model, .asked = &asked, .report = &made, .own = own, .arena = &own->arena};
    bl_status status = study(&c);
    bl_record_destroy(ctx, &c.reference);
    bl_record_destroy(ctx, &c.run);
    bl_record_destroy(ctx, &c.last);
    bl_measure_destroy(&c.measure);
    bl_compare_starts_destroy(&c);
    BL_GIVE(bl_compare_report, report, &made);
    return status;
}

void bl_compare_report_destroy(bl_context *ctx, bl_compare_report *report) {
    bl_compare_holding *own = report->own;
    if (own) {
        bl_free(ctx, own->entry);
        bl_arena_destroy(&own->arena);
    }
    bl_free(ctx, own);
    BL_CLEAR(bl_compare_report, report);
}
