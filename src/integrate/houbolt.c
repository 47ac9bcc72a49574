/* Houbolt's method (1950): a cubic through the last three positions and the new one,
 *
 *     a1 = (2 q1 - 5 q0 + 4 q_{-1} - q_{-2}) / h^2        v1 = (11 q1 - 18 q0 + 9 q_{-1} - 2 q_{-2}) / (6 h)
 *
 * with equilibrium at t1. Order 2, stable for every step, annihilates high frequencies. The first two steps are by Newmark's trapezoidal
 * rule or by central differences; so are those after a change of h. States by the same derivative as v (BDF3). */
#include "integrate/central.h"
#include "integrate/genalpha.h"

#include <string.h>

typedef struct houbolt {
    bl_second second; /* first member */
    bl_central central;
    bool start_central;
    double *block; /* q_{-1}, q_{-2}, z_{-1}, z_{-2} */
    double *q_old, *q_older, *z_old, *z_older;
    double h;        /* of the steps between them */
    int known;       /* equal steps taken */
    bool by_central; /* the attempt under work */
} houbolt;

static const bl_genalpha_numbers trapezoidal = {.beta = 0.25, .gamma = 0.5};

static const bl_param params[] = {
    {.name = "start", .type = BL_P_CHOICE, .choices = "newmark|central", .help = "method of the first two steps"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { START, SHARED };

static bl_status houbolt_create(bl_integrator *integ) {
    houbolt *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    own->start_central = integ->value[START].number != 0;
    return bl_second_create(&own->second, integ, integ->value + SHARED);
}

static bl_status houbolt_start(bl_integrator *integ) {
    houbolt *own = integ->own;
    bl_second *s = &own->second;
    bl_index nv = s->nv, nz = s->nz;
    BL_TRY(bl_second_start(s));
    if (own->start_central && integ->form->x_velocity) {
        bl_fail(integ->ctx, BL_E_ABILITY, NULL, "integrator houbolt cannot start by central differences with formulation %s",
                integ->form->kind->kind.name);
        bl_advise(integ->ctx, "choose start=newmark, or formulation index3");
        return BL_E_ABILITY;
    }
    if (!own->block || nv != s->nv || nz != s->nz) {
        double *block = bl_resize(integ->ctx, own->block, 2 * (size_t)(s->nv + s->nz), sizeof *block);
        if (!block)
            return BL_E_MEMORY;
        own->block = own->q_old = block;
        own->q_older = own->q_old + s->nv;
        own->z_old = own->q_older + s->nv;
        own->z_older = own->z_old + s->nz;
    }
    own->known = 0;
    return bl_central_start(s, &own->central);
}

static bl_status houbolt_step(houbolt *own) {
    bl_second *s = &own->second;
    bl_integrator *integ = s->integ;
    double h = own->h;
    bl_implicit *at = &s->implicit;
    const double *q = integ->y, *v = q + s->nv, *z = v + s->nv, *d, *w, *dz;
    double *q1 = integ->y_new, *v1 = q1 + s->nv, *z1 = v1 + s->nv, by_h = 1 / h, by_hh = by_h * by_h;
    for (bl_index i = 0; i < s->nv; i++) {
        double moved = s->guess_last ? 0 : h * (v[i] + 0.5 * h * s->a[i]), last = q[i] - own->q_old[i];
        double before = own->q_old[i] - own->q_older[i];
        q1[i] = at->qe[i] = q[i] + moved;
        v1[i] = at->ve[i] = (11 * moved - 7 * last + 2 * before) * by_h / 6;
        s->a_new[i] = at->ae[i] = (2 * moved - 3 * last + before) * by_hh;
    }
    for (bl_index i = 0; i < s->nz; i++) {
        double moved = s->guess_last ? 0 : h * s->zd[i], last = z[i] - own->z_old[i], before = own->z_old[i] - own->z_older[i];
        z1[i] = at->ze[i] = z[i] + moved;
        s->zd_new[i] = at->zde[i] = (11 * moved - 7 * last + 2 * before) * by_h / 6;
    }
    bl_second_stage(s);
    bl_stage *stage = &s->stage;
    stage->te = stage->tc = integ->t_new;
    stage->ce = 1;
    stage->cv = stage->cvc = stage->czd = 11 * by_h / 6;
    stage->ca = 2 * by_hh;
    stage->qc = stage->qe;
    stage->vc = stage->ve;
    BL_TRY(bl_second_solve(s, &d, &w, &dz));
    BL_TRY(bl_second_work(s, integ->t_new));
    for (bl_index i = 0; i < s->nv; i++) {
        q1[i] += d[i];
        v1[i] += stage->cv * w[i];
        s->a_new[i] += stage->ca * w[i];
    }
    for (bl_index i = 0; i < s->nz; i++) {
        z1[i] += dz[i];
        s->zd_new[i] += stage->czd * dz[i];
    }
    return BL_OK;
}

static bl_status houbolt_attempt(bl_integrator *integ, double h, double *error) {
    houbolt *own = integ->own;
    *error = 0;
    own->by_central = false;
    if (own->known >= 2 && own->h == bl_second_step(&own->second, h))
        return houbolt_step(own);
    own->by_central = own->start_central;
    return own->start_central ? bl_central_step(&own->second, &own->central, h) : bl_genalpha_step(&own->second, &trapezoidal, h);
}

static bl_status houbolt_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    houbolt *own = integ->own;
    (void)error;
    return bl_second_next_step(&own->second, accepted, failures, status, h);
}

static void houbolt_accept(bl_integrator *integ) {
    houbolt *own = integ->own;
    bl_second *s = &own->second;
    size_t nv = (size_t)s->nv * sizeof(double), nz = (size_t)s->nz * sizeof(double);
    memcpy(own->q_older, own->q_old, nv);
    memcpy(own->z_older, own->z_old, nz);
    memcpy(own->q_old, integ->y, nv);
    memcpy(own->z_old, integ->y + 2 * s->nv, nz);
    own->known = own->h == s->h || own->known == 0 ? own->known + 1 : 1;
    own->h = s->h;
    if (own->by_central) {
        bl_central_accept(s, &own->central);
    } else {
        own->central.h_ahead = 0;
        bl_second_accept(s);
    }
}

static bl_status houbolt_dense(const bl_integrator *integ, double t, double *y) {
    const houbolt *own = integ->own;
    return bl_second_dense(&own->second, t, y);
}

static void houbolt_destroy(bl_integrator *integ) {
    houbolt *own = integ->own;
    if (!own)
        return;
    bl_central_destroy(&own->second, &own->central);
    bl_second_destroy(&own->second);
    bl_free(integ->ctx, own->block);
    bl_free(integ->ctx, own);
    integ->own = NULL;
}

/* memory (d_n, d_{n-1}, d_{n-2}) */
static void amplify(const bl_formula *f, double Omega, double xi, double *A) {
    (void)f;
    double C = 2 * xi * Omega, matrix = 2 + C * 11 / 6 + Omega * Omega;
    const double row[9] = {(5 + 3 * C) / matrix, -(4 + 1.5 * C) / matrix, (1 + C / 3) / matrix, 1, 0, 0, 0, 1, 0};
    memcpy(A, row, sizeof row);
}

static bl_status houbolt_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    (void)ctx;
    (void)value;
    *formula = (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .order = 2, .k = 3, .n = 3, .amplify = amplify};
    return BL_OK;
}

const bl_integrator_kind bl_integrator_houbolt = {
    .kind = {.name = "houbolt",
             .help = "Houbolt's method, three steps, order 2, strong dissipation",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER},
    .order = 2,
    .dense_order = 2,
    .create = houbolt_create,
    .start = houbolt_start,
    .attempt = houbolt_attempt,
    .next_step = houbolt_next_step,
    .accept = houbolt_accept,
    .dense = houbolt_dense,
    .formula = houbolt_formula,
    .destroy = houbolt_destroy,
};
