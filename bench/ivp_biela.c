/* biela on the initial value problems, through every suitable formulation and method. Code `biela`: the same C functions as a bl_function.
 * Code `scene`: the problem as a model file (equations, Andrews' squeezer also as a mechanism), whose expressions are recorded tapes. The
 * system is built outside the timed part, as a model is read once; formulation and integrator are created inside it. */
#include "ivp.h"

#include "equations/function_private.h"
#include "model/model.h"
#include "study/run.h"
#include "study/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    const char *formulation, *integrator;
    bool constrained; /* for problems with constraints, or else for those without */
    enum { FUNCTION, EQUATIONS, MECHANISM } scene;
} settings;

#define FUNCTION_SETTINGS                  \
    SETTINGS("plain", "dopri45", false)    \
    SETTINGS("plain", "dop853", false)     \
    SETTINGS("plain", "abm", false)        \
    SETTINGS("plain", "ndf_auto", false)   \
    SETTINGS("plain", "bdf_auto", false)   \
    SETTINGS("plain", "mebdf_auto", false) \
    SETTINGS("plain", "stiff_auto", false) \
    SETTINGS("plain", "radau", false)      \
    SETTINGS("plain", "radau:9", false)    \
    SETTINGS("lagrange", "dopri45", true)  \
    SETTINGS("lagrange", "dop853", true)   \
    SETTINGS("lagrange", "abm", true)      \
    SETTINGS("lagrange", "radau", true)    \
    SETTINGS("partition", "dopri45", true) \
    SETTINGS("partition", "dop853", true)  \
    SETTINGS("partition", "abm", true)     \
    SETTINGS("partition", "radau", true)   \
    SETTINGS("ggl", "ndf_auto", true)      \
    SETTINGS("ggl", "mebdf_auto", true)    \
    SETTINGS("ggl", "stiff_auto", true)    \
    SETTINGS("index3", "mebdf_auto", true)

#define SCENE_SETTINGS                                                \
    SCENE_CASE("plain", "dop853", false, EQUATIONS, "")               \
    SCENE_CASE("plain", "abm", false, EQUATIONS, "")                  \
    SCENE_CASE("plain", "ndf_auto", false, EQUATIONS, "")             \
    SCENE_CASE("plain", "mebdf_auto", false, EQUATIONS, "")           \
    SCENE_CASE("plain", "stiff_auto", false, EQUATIONS, "")           \
    SCENE_CASE("plain", "radau", false, EQUATIONS, "")                \
    SCENE_CASE("lagrange", "dop853", true, EQUATIONS, "")             \
    SCENE_CASE("lagrange", "abm", true, EQUATIONS, "")                \
    SCENE_CASE("ggl", "ndf_auto", true, EQUATIONS, "")                \
    SCENE_CASE("ggl", "mebdf_auto", true, EQUATIONS, "")              \
    SCENE_CASE("index3", "mebdf_auto", true, EQUATIONS, "")           \
    SCENE_CASE("partition", "dopri45", true, MECHANISM, "mechanism ") \
    SCENE_CASE("partition", "dop853", true, MECHANISM, "mechanism ")  \
    SCENE_CASE("partition", "abm", true, MECHANISM, "mechanism ")     \
    SCENE_CASE("partition", "radau", true, MECHANISM, "mechanism ")   \
    SCENE_CASE("ggl", "ndf_auto", true, MECHANISM, "mechanism ")      \
    SCENE_CASE("lagrange", "abm", true, MECHANISM, "mechanism ")

#define SETTINGS(formulation, integrator, constrained) {formulation, integrator, constrained, FUNCTION},
#define SCENE_CASE(formulation, integrator, constrained, scene, label) {formulation, integrator, constrained, scene},
static const settings all_settings[] = {FUNCTION_SETTINGS SCENE_SETTINGS};
#undef SCENE_CASE
#undef SETTINGS

typedef struct kept {
    const ivp *p;
    bl_context *ctx;
    bl_system *sys;
    bl_state state;
    ivp_pattern dx, dv, M, G;
    double *mass, scale[IVP_MOST];
    bl_model *model; /* of a scene */
} kept;

static int force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    ((kept *)user)->p->force(t, q, v, z, Q, f);
    return 0;
}

static int tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    kept *k = user;
    ivp_matrix by_x = {.nrow = k->dx.nrow, .ncol = k->dx.ncol, .value = dx, .index = k->dx.index};
    ivp_matrix by_v = {.nrow = k->dv.nrow, .ncol = k->dv.ncol, .value = dv, .index = k->dv.index};
    k->p->tangent(t, q, v, z, &by_x, &by_v);
    return 0;
}

static int mass(void *user, double t, const double *q, double *M) {
    (void)t;
    kept *k = user;
    ivp_matrix m = {.nrow = k->M.nrow, .ncol = k->M.ncol, .value = M, .index = k->M.index};
    k->p->mass(q, &m);
    return 0;
}

static int constraint(void *user, double t, const double *q, double *phi) {
    ((kept *)user)->p->constraint(t, q, phi);
    return 0;
}

static int gradient(void *user, double t, const double *q, double *G) {
    kept *k = user;
    ivp_matrix m = {.nrow = k->G.nrow, .ncol = k->G.ncol, .value = G, .index = k->G.index};
    k->p->gradient(t, q, &m);
    return 0;
}

static int rate(void *user, double t, const double *q, double *phi_t) {
    ((kept *)user)->p->rate(t, q, phi_t);
    return 0;
}

static int curvature(void *user, double t, const double *q, const double *v, double *c) {
    ((kept *)user)->p->curvature(t, q, v, c);
    return 0;
}

static bl_csc csc(const ivp_pattern *pattern) { return (bl_csc){pattern->ptr, pattern->idx}; }

/* entries that the problem's functions add to, independent of their values */
static void find_patterns(kept *k, const double *y) {
    const ivp *p = k->p;
    int n = p->nq + p->nz;
    unsigned char *seen = calloc(2, (size_t)IVP_MOST * IVP_MOST);
    if (!seen)
        abort();
    ivp_matrix dx = {.nrow = n, .ncol = n, .seen = seen}, dv = {.nrow = n, .ncol = p->nq, .seen = seen + IVP_MOST * IVP_MOST};
    p->tangent(0, y, y + p->nq, y + 2 * p->nq, &dx, &dv);
    if (p->mass && !p->mass_constant) /* also covers d(M v')/dq */
        memset(seen, 1, (size_t)n * (size_t)n);
    ivp_pattern_from(&k->dx, n, n, dx.seen);
    ivp_pattern_from(&k->dv, n, p->nq, dv.seen);
    memset(seen, 0, 2 * (size_t)IVP_MOST * IVP_MOST);
    if (p->mass) {
        ivp_matrix M = {.nrow = p->nq, .ncol = p->nq, .seen = seen};
        p->mass(y, &M);
        ivp_pattern_from(&k->M, p->nq, p->nq, seen);
        memset(seen, 0, (size_t)IVP_MOST * IVP_MOST);
    }
    if (p->np) {
        ivp_matrix G = {.nrow = p->np, .ncol = p->nq, .seen = seen};
        p->gradient(0, y, &G);
        ivp_pattern_from(&k->G, p->np, p->nq, seen);
    }
    free(seen);
}

static void close_problem(void *memory) {
    kept *k = memory;
    if (k->sys)
        bl_state_destroy(k->sys, &k->state);
    bl_system_destroy(k->sys);
    bl_model_destroy(k->model);
    bl_context_destroy(k->ctx);
    free(k->mass);
    free(k);
}

static void *open_problem(const ivp *p, const ivp_method *m) {
    (void)m;
    kept *k = calloc(1, sizeof *k);
    if (!k)
        abort();
    k->p = p;
    double y[IVP_MOST];
    p->start(y);
    find_patterns(k, y);
    for (int i = 0; i < p->nq + p->nz; i++)
        k->scale[i] = p->size[i < p->nq ? i : i + p->nq];
    bl_function fn = {.user = k,
                      .nq = p->nq,
                      .nz = p->nz,
                      .np = p->np,
                      .promise = BL_FN_SMOOTH | (p->linear ? BL_FN_LINEAR : 0) | (p->np && !p->rate ? BL_FN_STATIC : 0) |
                                 (k->dv.count ? 0 : BL_FN_NO_V),
                      .force = force,
                      .tangent = tangent,
                      .pattern_x = csc(&k->dx),
                      .pattern_v = csc(&k->dv),
                      .scale = k->scale};
    if (p->mass) {
        fn.pattern_M = csc(&k->M);
        if (p->mass_constant) {
            k->mass = calloc((size_t)k->M.count, sizeof *k->mass);
            mass(k, 0, y, k->mass);
            fn.M = k->mass;
        } else {
            fn.mass = mass;
        }
    }
    if (p->np) {
        fn.constraint = constraint;
        fn.jacobian = gradient;
        fn.pattern_G = csc(&k->G);
        fn.rate = p->rate ? rate : NULL;
        fn.curvature = curvature;
    }
    if (bl_context_create(NULL, &k->ctx) != BL_OK || bl_function_build(k->ctx, &fn, &k->sys) != BL_OK ||
        bl_state_create(k->sys, 0, &k->state) != BL_OK) {
        fprintf(stderr, "bench_ivp: %s: %s\n", p->name, k->ctx ? bl_context_error(k->ctx)->what : "no memory");
        exit(1);
    }
    *k->state.t = 0;
    memcpy(k->state.q, y, (size_t)p->nq * sizeof *y);
    memcpy(k->state.v, y + p->nq, (size_t)p->nq * sizeof *y);
    memcpy(k->state.z, y + 2 * p->nq, (size_t)p->nz * sizeof *y);
    return k;
}

static const settings *settings_of(const ivp_method *m);

static void *open_scene(const ivp *p, const ivp_method *m) {
    kept *k = calloc(1, sizeof *k);
    char path[512];
    if (!k)
        abort();
    k->p = p;
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, settings_of(m)->scene == MECHANISM ? p->mechanism : p->scene);
    if (bl_context_create(NULL, &k->ctx) != BL_OK || bl_model_read(k->ctx, path, NULL, 0, &k->model) != BL_OK ||
        bl_run_prepare(k->ctx, k->model, NULL, &k->sys, &k->state) != BL_OK) {
        fprintf(stderr, "bench_ivp: %s: %s\n", path, k->ctx ? bl_context_error(k->ctx)->what : "no memory");
        exit(1);
    }
    return k;
}

/* methods and their settings have the same index in their lists */
static bool suits(const ivp *p, const ivp_method *m);
static bool run(const ivp *p, const ivp_method *m, void *memory, double tolerance, double longest, ivp_outcome *out);

#define SETTINGS(formulation, integrator, constrained) \
    {.code = "biela", .name = formulation " " integrator, .suits = suits, .open = open_problem, .close = close_problem, .run = run},
#define SCENE_CASE(formulation, integrator, constrained, scene, label) \
    {.code = "scene", .name = label formulation " " integrator, .suits = suits, .open = open_scene, .close = close_problem, .run = run},
const ivp_method ivp_biela_methods[] = {FUNCTION_SETTINGS SCENE_SETTINGS{0}};
#undef SETTINGS
#undef SCENE_CASE

static const settings *settings_of(const ivp_method *m) { return &all_settings[m - ivp_biela_methods]; }

static bool suits(const ivp *p, const ivp_method *m) {
    const settings *w = settings_of(m);
    bool fits = w->constrained == (p->np > 0);
    if (w->scene == MECHANISM)
        return p->mechanism && bl_integrator_kind_of(w->integrator);
    return fits && (w->scene == FUNCTION || p->scene) && bl_integrator_kind_of(w->integrator);
}

static bool run(const ivp *p, const ivp_method *m, void *memory, double tolerance, double longest, ivp_outcome *out) {
    kept *k = memory;
    const settings *w = settings_of(m);
    const bl_state *from = &k->state;
    bl_simulation *sim[2] = {NULL, NULL};
    bl_status status = BL_OK;
    double begin = ivp_now();
    for (int piece = p->split > 0 ? 0 : 1; piece < 2 && status == BL_OK; piece++) {
        bl_simulation_setup setup = {
            .formulation = w->formulation, .integrator = w->integrator, .t_end = piece == 0 ? p->split : p->t_end, .tolerance = tolerance};
        status = bl_simulation_create(k->sys, from, &setup, &sim[piece]);
        for (long step = 1; status == BL_OK && *sim[piece]->state.t < setup.t_end; step++) {
            status = bl_simulation_advance(sim[piece]);
            if (step % 256 == 0 && ivp_now() - begin > longest)
                status = BL_E_NUMERIC;
        }
        if (status != BL_OK)
            break;
        const bl_formulation_stats *s = &sim[piece]->form->stats;
        out->steps += sim[piece]->integ->stats.steps;
        out->evaluations += s->evaluations;
        out->jacobians += s->tangents;
        out->factors += s->factors + s->refactors;
        from = &sim[piece]->state;
    }
    if (status == BL_OK && w->scene == MECHANISM) {
        bl_sample sample;
        p->end_value(out->y); /* components that are not variables of the mechanism count as correct */
        status = bl_simulation_sample(sim[1], p->t_end, &sample);
        for (bl_index i = 0; i < k->model->nvariable && status == BL_OK; i++)
            p->read_mechanism(k->model->variable[i].name, sample.variable[i], sample.variable_rate[i], out->y);
    } else if (status == BL_OK) {
        memcpy(out->y, from->q, (size_t)p->nq * sizeof *out->y);
        memcpy(out->y + p->nq, from->v, (size_t)p->nq * sizeof *out->y);
        memcpy(out->y + 2 * p->nq, from->z, (size_t)p->nz * sizeof *out->y);
    } else if (getenv("BENCH_IVP_MESSAGES")) {
        fprintf(stderr, "%s, %s, %g: %s\n", p->name, m->name, tolerance, bl_context_error(k->ctx)->what);
    }
    bl_simulation_destroy(sim[0]);
    bl_simulation_destroy(sim[1]);
    return status == BL_OK;
}
