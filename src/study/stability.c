/* The study `stability`: order, root condition, angles, intervals, spectral radius, algorithmic damping and period error of methods, from
 * their coefficients alone. Damping and period of the principal root r e^{i phi} (Hilber and Hughes 1978):
 * Omegabar^2 = phi^2 + ln^2 r, xibar = -ln r / Omegabar, (Tbar - T)/T = Omega/Omegabar - 1. */
#include "study/linear_limits.h"
#include "study/stability_private.h"

#include "base/sized.h"
#include "integrate/integrate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;

/* ---- methods by name */

enum { MOST_KINDS = 128 };

/* "a, b, c and 12 more": methods with a formula, as many as fit */
static void formula_names(char *text, size_t size) {
    size_t length = 0, more = 0;
    text[0] = '\0';
    for (size_t i = 0; i < bl_integrator_kind_count; i++) {
        const char *name = bl_integrator_kinds[i]->kind.name;
        if (!bl_integrator_kinds[i]->formula)
            continue;
        if (length + strlen(name) + 24 < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", name);
        else
            more++;
    }
    if (more)
        snprintf(text + length, size - length, " and %zu more", more);
}

static bl_status find_formula(bl_context *ctx, bl_arena *arena, const char *spec, bl_formula *formula) {
    const bl_kind *list[MOST_KINDS], *found = NULL;
    const char *options = NULL;
    bl_value value[BL_MAX_PARAMS];
    size_t count = bl_integrator_kind_count < MOST_KINDS ? bl_integrator_kind_count : MOST_KINDS;
    for (size_t i = 0; i < count; i++)
        list[i] = &bl_integrator_kinds[i]->kind;
    BL_TRY(bl_kind_find(ctx, "integrator", list, count, spec, &found, &options));
    const bl_integrator_kind *kind = (const bl_integrator_kind *)(const void *)found; /* bl_kind is its first member */
    if (!kind->formula) {
        char names[224];
        formula_names(names, sizeof names);
        bl_fail(ctx, BL_E_ABILITY, NULL, "integrator %s has no fixed formula to analyze: its coefficients change from step to step",
                found->name);
        bl_advise(ctx, "integrators with a formula: %s", names);
        return BL_E_ABILITY;
    }
    BL_TRY(bl_kind_options(ctx, arena, found, options, value));
    memset(formula, 0, sizeof *formula);
    return kind->formula(kind, ctx, value, formula);
}

/* ---- the root condition */

static void format_root(bl_complex r, char *text, size_t size) {
    if (fabsl(cimagl(r)) < 1e-6L * cabsl(r))
        snprintf(text, size, "%.5g", (double)creall(r));
    else
        snprintf(text, size, "%.5g%+.5gi", (double)creall(r), (double)cimagl(r));
}

/* Roots for z -> 0: none outside the unit circle, on it at most `multiple` together (1: first order, 2: second order). */
static void root_condition(const bl_symbol *s, bl_stability_entry *entry) {
    bl_roots roots;
    char text[64];
    int multiple = s->oscillator ? 2 : 1, principal = 0;
    long double near = s->oscillator ? study_stability_same_second : study_stability_same, inside = 0;
    bl_symbol_roots(s, s->oscillator ? 1e-4L * I : 0, &roots); /* matrices may not be defined at 0 itself */
    entry->zero_stable = true;
    for (int i = 0; i < roots.n; i++) {
        long double a = cabsl(roots.r[i]);
        int together = 0;
        for (int j = 0; j < roots.n; j++)
            together += cabsl(roots.r[i] - roots.r[j]) < near;
        format_root(roots.r[i], text, sizeof text);
        if (a > 1 + study_stability_outside + roots.error[i]) {
            snprintf(entry->zero_words, sizeof entry->zero_words, "no: the root %s is outside the unit circle", text);
            entry->zero_stable = false;
            return;
        }
        if (a > 1 - study_stability_on_circle && together > multiple) {
            snprintf(entry->zero_words, sizeof entry->zero_words, "no: %d roots coincide at %s on the unit circle", together, text);
            entry->zero_stable = false;
            return;
        }
        if (cabsl(roots.r[i] - 1) < near && principal < multiple)
            principal++;
        else
            inside = fmaxl(inside, a);
    }
    if (roots.lost) {
        entry->zero_stable = false;
        snprintf(entry->zero_words, sizeof entry->zero_words, "no: %d root(s) at infinity", roots.lost);
    } else if (principal == 0) {
        snprintf(entry->zero_words, sizeof entry->zero_words, "yes, but 1 is not a root: the method is not consistent");
    } else if (inside < 1e-6L) {
        snprintf(entry->zero_words, sizeof entry->zero_words, "yes: no roots except the %s 1",
                 multiple == 2 ? "double root" : "principal one,");
    } else {
        snprintf(entry->zero_words, sizeof entry->zero_words, "yes: parasitic roots up to %.5g", (double)inside);
    }
}

/* ---- vibration */

static bl_complex vibration(double Omega, double xi) { return Omega * (-xi + I * sqrtl(1 - (long double)xi * xi)); }

static bool is_real(const bl_roots *roots, int i) {
    return fabsl(cimagl(roots->r[i])) <= 2 * roots->error[i] + study_stability_real * cabsl(roots->r[i]);
}

/* Second-order methods: the oscillating root of largest modulus, 0: none. */
static bl_complex oscillating_root(const bl_roots *roots) {
    bl_complex r = 0;
    for (int i = 0; i < roots->n; i++)
        if (!is_real(roots, i) && cabsl(roots->r[i]) > cabsl(r))
            r = roots->r[i];
    return r;
}

static bl_complex nearest_root(const bl_roots *roots, bl_complex to) {
    bl_complex r = 0;
    for (int i = 0; i < roots->n; i++)
        if (i == 0 || cabsl(roots->r[i] - to) < cabsl(r - to))
            r = roots->r[i];
    return r;
}

/* First-order methods: the root that starts as e^z, tracked from the last Omega in small steps; parasitic roots may be larger. */
static void follow_root(const bl_symbol *s, double Omega, double xi, bl_track *track) {
    const double first = 0.01, step = 1.02;
    bl_roots roots;
    if (!(track->Omega > 0) || track->Omega > Omega) {
        track->Omega = fmin(first, Omega);
        bl_symbol_roots(s, vibration(track->Omega, xi), &roots);
        track->r = nearest_root(&roots, cexpl(vibration(track->Omega, xi)));
    }
    while (track->Omega < Omega) {
        track->Omega = fmin(track->Omega * step, Omega);
        bl_symbol_roots(s, vibration(track->Omega, xi), &roots);
        track->r = nearest_root(&roots, track->r);
    }
}

void bl_symbol_vibration(const bl_symbol *s, double Omega, double xi, bl_track *track, double *rho, double *damping, double *period_error) {
    bl_roots roots;
    bl_symbol_roots(s, vibration(Omega, xi), &roots);
    *rho = (double)bl_roots_radius(&roots);
    *damping = *period_error = NAN;
    if (s->oscillator)
        track->r = oscillating_root(&roots);
    else
        follow_root(s, Omega, xi, track);
    if (!(cabsl(track->r) > 0))
        return;
    long double growth = logl(cabsl(track->r)), turn = fabsl(cargl(track->r)), bar = hypotl(turn, growth);
    *damping = (double)(-growth / bar);
    *period_error = (double)(Omega / bar - 1);
}

static bl_status fill_table(bl_arena *arena, const bl_symbol *s, double xi, const double *at, bl_index n, bl_stability_table *table) {
    double *values;
    BL_TRY(BL_ARENA_NEW(arena, values, (size_t)n * 3));
    *table = (bl_stability_table){.n = n, .h_over_T = at, .rho = values, .damping = values + n, .period_error = values + 2 * n};
    bl_track track = {0};
    for (bl_index i = 0; i < n; i++)
        bl_symbol_vibration(s, TWO_PI * at[i], xi, &track, &values[i], &values[n + i], &values[2 * n + i]);
    return BL_OK;
}

static bool oscillates(const bl_symbol *s, double Omega, double xi) {
    bl_roots roots;
    bl_symbol_roots(s, vibration(Omega, xi), &roots);
    return roots.lost || oscillating_root(&roots) != 0;
}

/* the smallest Omega from which on no pair of roots oscillates */
static double bifurcation(const bl_symbol *s, double xi) {
    double before = 0.01;
    if (!s->oscillator || !oscillates(s, before, xi))
        return NAN;
    for (double Omega = before; Omega < 1000; before = Omega, Omega *= 1.01) {
        if (oscillates(s, Omega, xi))
            continue;
        while (Omega - before > 1e-12 * Omega) {
            double middle = (before + Omega) / 2;
            if (middle <= before || middle >= Omega)
                break;
            if (oscillates(s, middle, xi))
                before = middle;
            else
                Omega = middle;
        }
        return Omega;
    }
    return NAN;
}

/* stable at every Omega, for several damping ratios */
static bool unconditional(const bl_symbol *s) {
    static const double xi[] = {0.05, 0.3, 0.7, 0.95};
    for (size_t k = 0; k < sizeof xi / sizeof *xi; k++)
        if (isfinite(bl_symbol_interval(s, vibration(1, xi[k]))))
            return false;
    return true;
}

/* ---- one method */

static const char *shape_name(bl_formula_shape shape) {
    static const char *const names[] = {[BL_FORMULA_MULTISTEP] = "multistep",
                                        [BL_FORMULA_EXTENDED] = "extended",
                                        [BL_FORMULA_RUNGE_KUTTA] = "runge_kutta",
                                        [BL_FORMULA_OSCILLATOR] = "oscillator"};
    return names[shape];
}

typedef struct study {
    bl_arena arena;
    double *at, *curve, *marks; /* h/T */
    bl_index nat;
} study;

enum { CURVE = 401 }; /* a hundred per decade from 0.01 to 100 */

/* Linear problems do not show all order conditions of Runge-Kutta methods. */
static void limit_order(const bl_formula *formula, bl_stability_entry *entry) {
    int conditions, order = bl_runge_kutta_order(formula, &conditions);
    if (order >= entry->order || order >= BL_TREE_ORDER)
        return;
    entry->order = order >= 1 ? order : -1;
    entry->error_constant = order >= 1 ? 0 : NAN; /* that of y' = lambda y vanishes in this power */
}

bl_status bl_stability_of(bl_context *ctx, const bl_formula *formula, double xi, bl_stability_entry *entry) {
    bl_symbol s;
    bl_roots roots;
    BL_TRY(bl_symbol_create(ctx, formula, &s));
    *entry = (bl_stability_entry){.name = entry->name};
    entry->shape = shape_name(formula->shape);
    entry->promised_order = formula->order;
    bl_symbol_order(&s, &entry->order, &entry->error_constant);
    if (formula->shape == BL_FORMULA_RUNGE_KUTTA)
        limit_order(formula, entry);
    root_condition(&s, entry);
    bl_symbol_roots_at_infinity(&s, &roots);
    entry->rho_infinity = (double)bl_roots_radius(&roots);
    entry->omega_bifurcation = bifurcation(&s, xi);
    entry->angle = NAN;
    entry->real_interval = s.oscillator ? NAN : 0;
    if (!entry->zero_stable)
        return BL_OK; /* no stable interval starts at 0 */
    entry->imaginary_interval = bl_symbol_interval(&s, I);
    entry->omega_critical = xi > 0 ? bl_symbol_interval(&s, vibration(1, xi)) : entry->imaginary_interval;
    if (!s.oscillator) {
        entry->real_interval = bl_symbol_interval(&s, -1);
        entry->angle = bl_symbol_angle(&s, entry->real_interval);
    } else if (isinf(entry->imaginary_interval) && unconditional(&s)) {
        entry->angle = 90;
    }
    entry->a_stable = entry->angle == 90;
    return BL_OK;
}

/* warns of methods that are unstable in practice */
static void warn(bl_context *ctx, const bl_formula *formula, const bl_stability_entry *entry) {
    if (!entry->zero_stable)
        bl_log(ctx, BL_LOG_WARNING, "%s is not zero-stable: errors grow for every step size, however small", entry->name);
    else if (formula->shape == BL_FORMULA_MULTISTEP && formula->b[formula->k] != 0 && entry->rho_infinity > 1 + 1e-9)
        bl_log(ctx, BL_LOG_WARNING, "%s is implicit, but not A-stable: very fast modes grow by a factor of %g per step", entry->name,
               entry->rho_infinity);
}

static bl_status study_method(bl_context *ctx, study *own, const bl_stability_options *options, const char *spec,
                              bl_stability_entry *entry) {
    bl_symbol s;
    bl_formula *formula = bl_arena_alloc(&own->arena, 1, sizeof *formula);
    if (!formula || !(entry->name = bl_arena_text(&own->arena, spec, strlen(spec))))
        return BL_E_MEMORY;
    BL_TRY(find_formula(ctx, &own->arena, spec, formula));
    BL_TRY(bl_stability_of(ctx, formula, options->xi, entry));
    warn(ctx, formula, entry);
    BL_TRY(bl_symbol_create(ctx, formula, &s));
    BL_TRY(fill_table(&own->arena, &s, options->xi, own->at, own->nat, &entry->at));
    BL_TRY(fill_table(&own->arena, &s, options->xi, own->curve, CURVE, &entry->curve));
    if (options->nomega > 0)
        BL_TRY(fill_table(&own->arena, &s, options->xi, own->marks, options->nomega, &entry->marks));
    return options->region ? bl_symbol_boundary(&s, &own->arena, &entry->nline, &entry->line) : BL_OK;
}

/* ---- the report */

static bl_status check_options(bl_context *ctx, const bl_stability_options *options) {
    if (options->nmethod < 1)
        return bl_fail(ctx, BL_E_ARG, NULL, "stability needs at least one integration method");
    if (!(options->xi >= 0 && options->xi < 1))
        return bl_fail(ctx, BL_E_ARG, NULL, "the damping ratio xi must satisfy 0 <= xi < 1, found %g", options->xi);
    for (bl_index i = 0; i < options->nat; i++)
        if (!(options->at[i] > 0 && options->at[i] <= 1e6))
            return bl_fail(ctx, BL_E_ARG, NULL, "h/T must be positive and at most 1e6, found %g", options->at[i]);
    if (options->nomega > 0 && !(options->step > 0 && isfinite(options->step))) {
        bl_fail(ctx, BL_E_ARG, NULL, "marking frequencies needs a positive step size, found %g", options->step);
        bl_advise(ctx, "give --step, the step size of the simulation");
        return BL_E_ARG;
    }
    for (bl_index i = 0; i < options->nomega; i++)
        if (!(options->omega[i] > 0 && options->step * options->omega[i] <= 1e6 * TWO_PI))
            return bl_fail(ctx, BL_E_ARG, NULL, "the frequency %g rad/s is out of range: its h/T must be positive and at most 1e6",
                           options->omega[i]);
    return BL_OK;
}

static bl_status choose_points(study *own, const bl_stability_options *options) {
    static const double usual[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
    const double *at = options->nat > 0 ? options->at : usual;
    own->nat = options->nat > 0 ? options->nat : (bl_index)(sizeof usual / sizeof *usual);
    BL_TRY(BL_ARENA_ARRAYS(&own->arena, BL_ARRAY(own->at, own->nat), BL_ARRAY(own->curve, CURVE), BL_ARRAY(own->marks, options->nomega)));
    for (bl_index i = 0; i < options->nomega; i++)
        own->marks[i] = options->step * options->omega[i] / TWO_PI;
    memcpy(own->at, at, (size_t)own->nat * sizeof *at);
    for (int i = 0; i < CURVE; i++)
        own->curve[i] = pow(10, -2 + 4.0 * i / (CURVE - 1));
    return BL_OK;
}

bl_status bl_stability_study(bl_context *ctx, const bl_stability_options *given, bl_stability_report *report) {
    bl_stability_options taken, *options = &taken;
    bl_stability_report made = {.size = sizeof made};
    BL_TRY(BL_TAKE(ctx, bl_stability_options, given, options));
    BL_TRY(BL_FITS(ctx, bl_stability_report, report));
    BL_GIVE(bl_stability_report, report, &made);
    BL_TRY(check_options(ctx, options));
    study *own;
    BL_TRY(BL_NEW(ctx, own, 1));
    own->arena.ctx = ctx;
    made.own = own;
    made.xi = options->xi;
    made.step = options->step;
    bl_stability_entry *entry = bl_arena_alloc(&own->arena, (size_t)options->nmethod, sizeof *entry);
    bl_status status = entry ? choose_points(own, options) : BL_E_MEMORY;
    made.entry = entry;
    for (bl_index i = 0; i < options->nmethod && status == BL_OK; i++) {
        status = study_method(ctx, own, options, options->method[i], &entry[i]);
        made.nentry = i + 1;
    }
    if (status != BL_OK)
        bl_stability_report_destroy(ctx, &made);
    BL_GIVE(bl_stability_report, report, &made);
    return status;
}

void bl_stability_report_destroy(bl_context *ctx, bl_stability_report *report) {
    study *own = report->own;
    if (own)
        bl_arena_destroy(&own->arena);
    bl_free(ctx, own);
    BL_CLEAR(bl_stability_report, report);
}

bl_status bl_stability_radius(bl_context *ctx, const char *method, double re, double im, double *rho) {
    bl_arena arena = {.ctx = ctx};
    bl_formula formula;
    bl_symbol s;
    bl_roots roots;
    bl_status status = find_formula(ctx, &arena, method, &formula);
    if (status == BL_OK)
        status = bl_symbol_create(ctx, &formula, &s);
    if (status == BL_OK) {
        bl_symbol_roots(&s, re + I * (bl_complex)im, &roots);
        *rho = (double)bl_roots_radius(&roots);
    }
    bl_arena_destroy(&arena);
    return status;
}
