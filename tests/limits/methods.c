/* Comparisons of methods, power series, equations of a user in C. An answer: which combinations agree; coefficients; solutions. */
#include "limits/limits.h"

#include "biela/compare.h"
#include "biela/function.h"
#include "biela/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- compare: which methods agree, not how many digits */

static void ask_compare(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_compare_report r = {0};
    bl_status status = bl_compare(ctx, model, how, &r);
    if (answer_status(a, ctx, status)) {
        answer_exact(a, "entries", r.nentry);
        answer_exact(a, "undetermined joints", r.joints_undetermined);
        answer_exact(a, "partly determined joints", r.joints_partial);
        for (bl_index i = 0; i < r.nentry; i++) {
            char name[96];
            const bl_compare_entry *e = &r.entry[i];
            snprintf(name, sizeof name, "%s %s %s", e->coordinates, e->formulation, e->integrator);
            answer_exact(a, name, e->agreement);
        }
    }
    bl_compare_report_destroy(ctx, &r);
}

/* against the same model in reference coordinates: agreement, what is compared, whose reactions are not determined */
static void ask_compare_models(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_compare_models_report r = {0};
    bl_model *other = NULL;
    bl_status status = bl_model_read_text(ctx, "other", how, strlen(how), NULL, 0, &other);
    if (status == BL_OK)
        status = bl_compare_models(ctx, (const bl_model *const[]){model, other}, 2,
                                   &(bl_compare_models_options){.run = &(bl_run_options){.until = 0.2}, .agree_reactions = 1e-2}, &r);
    if (answer_status(a, ctx, status)) {
        answer_exact(a, "agreement", r.entry[1].agreement);
        answer_exact(a, "compared", r.entry[1].ncompared);
        answer_exact(a, "undetermined", r.entry[1].undetermined);
        for (int k = 0; k < BL_COMPARED_KINDS; k++)
            answer_exact(a, bl_compared_kind_text((bl_compared_kind)k), r.entry[1].worst[k] >= 0);
    }
    bl_compare_models_report_destroy(ctx, &r);
    bl_model_destroy(other);
}

/* ---- power series */

static void ask_series(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_series_report r = {0};
    bl_status status = bl_series_study(ctx, model, how, &r);
    if (answer_status(a, ctx, status)) {
        answer_near(a, "radius", r.radius, 0.2 * r.radius); /* an estimate */
        for (bl_index i = 0; i < r.ncomponent; i++) {
            const bl_series_component *c = &r.component[i];
            for (int k = 0; k <= c->order && c->what != BL_SERIES_MU; k++)
                answer_near(a, c->name, c->coefficient[k], 1e-6 * fmax(fabs(c->coefficient[k]), 1));
        }
    }
    bl_series_report_destroy(ctx, &r);
}

/* ---- a pendulum of a user: q in the plane, phi = (|q|^2 - 1) / 2; and van der Pol's equation */

static int fall(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user, (void)t, (void)q, (void)v, (void)z, (void)f;
    Q[0] = 0;
    Q[1] = -9.81;
    return 0;
}

static int on_circle(void *user, double t, const double *q, double *phi) {
    (void)user, (void)t;
    phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1);
    return 0;
}

static int van_der_pol(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)t, (void)q, (void)v, (void)Q;
    f[0] = z[1];
    f[1] = *(const double *)user * (1 - z[0] * z[0]) * z[1] - z[0];
    return 0;
}

typedef struct solution {
    answer *to;
    bl_index nq, nz;
    double within;
} solution;

static int keep(void *user, double t, const double *q, const double *v, const double *z) {
    const solution *s = user;
    (void)t, (void)v;
    for (bl_index i = 0; i < s->nq; i++)
        answer_near(s->to, "q", q[i], s->within);
    for (bl_index i = 0; i < s->nz; i++)
        answer_near(s->to, "z", z[i], s->within * fmax(fabs(z[i]), 1));
    return 0;
}

typedef struct ode {
    const char *integrator, *formulation;
    double stiffness; /* 0: the pendulum */
} ode;

static void ask_function(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    static const double at[] = {0, 0.25, 0.5, 0.75, 1};
    const ode *o = how;
    double mu = o->stiffness;
    bool pendulum = mu == 0;
    bl_function fn = pendulum ? (bl_function){.nq = 2, .np = 1, .force = fall, .constraint = on_circle}
                              : (bl_function){.user = &mu, .nz = 2, .force = van_der_pol};
    solution s = {.to = a, .nq = fn.nq, .nz = fn.nz, .within = 1e-3};
    bl_integrate_options options = {
        .integrator = o->integrator, .formulation = o->formulation, .until = 1, .tolerance = 1e-6, .at = at, .nat = 5};
    (void)model;
    bl_status status = bl_integrate(ctx, &fn, &options, (const double[]){1, 0}, NULL, (const double[]){2, 0}, keep, &s, NULL);
    answer_status(a, ctx, status);
}

#define COMPARE(...) \
    .ask = ask_compare, .how = &(const bl_compare_options) { .until = 0.2, .limit = 1e6, __VA_ARGS__ }
#define TRY(kind, ...) .kind = (const char *const[]){__VA_ARGS__}, .n##kind = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

/* a four-bar linkage in space with parallel axes */
#define REDUNDANT                                                                                                       \
    "points: {A: [0,0,0], B: [0,1,0], C: [2,2,0], D: [3,0,0]}\ngravity: [0, -9.81, 0]\n"                                \
    "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n" \
    "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n"                                                     \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A, axis: [0,0,1]}\n"                                    \
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: B, axis: [0,0,1]}\n"                                   \
    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C, axis: [0,0,1]}\n"                                  \
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D, axis: [0,0,1]}\n"

static const limit_case cases[] = {
    {.name = "compare four_bar",
     .scene = "four_bar",
     COMPARE(TRY(integrators_tried, "rk4", "dopri45", "hht"), TRY(formulations_tried, "lagrange", "index3"),
             TRY(coordinates_tried, "natural", "relative"))},
    {.name = "compare in_space, redundant",
     .text = REDUNDANT,
     COMPARE(TRY(integrators_tried, "dopri45"), TRY(formulations_tried, "lagrange", "ggl"), TRY(coordinates_tried, "reference"))},
    {.name = "compare models, in_space, redundant",
     .text = REDUNDANT,
     .ask = ask_compare_models,
     .how = "coordinates: reference\n" REDUNDANT},
    {.name = "compare a stiff spring",
     .text = "dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1}]\n"
             "joints: [{name: s, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}]\n"
             "forces: [{type: rotational_spring, variable: s.distance, stiffness: 1e4, damping: 100}]\ninitial: {s.distance: 0.01}\n",
     COMPARE(TRY(integrators_tried, "rk4", "central", "hht"), TRY(formulations_tried, "plain"), TRY(coordinates_tried, "relative"))},
    {.name = "series of four_bar", .scene = "four_bar", .ask = ask_series, .how = &(const bl_series_options){.order = 12}},
    {.name = "series of double_pendulum", .scene = "double_pendulum", .ask = ask_series, .how = &(const bl_series_options){.order = 20}},
    {.name = "function, pendulum", .ask = ask_function, .how = &(const ode){.integrator = "dopri45"}},
    {.name = "function, pendulum, index 3", .ask = ask_function, .how = &(const ode){.integrator = "bdf:2", .formulation = "index3"}},
    {.name = "function, van der Pol", .ask = ask_function, .how = &(const ode){.integrator = "dopri45", .stiffness = 3}},
    {.name = "function, van der Pol, stiff", .ask = ask_function, .how = &(const ode){.integrator = "ndf_auto", .stiffness = 1000}},
    {.name = "function, van der Pol, stiff_auto", .ask = ask_function, .how = &(const ode){.integrator = "stiff_auto", .stiffness = 1000}},
};

limit_cases limit_cases_methods(void) { return LIMIT_CASES(cases); }
