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
    bl_central central; /* first member */
    bool start_central;
    double *q_old, *q_older, *z_old, *z_older; /* q_{-1}, q_{-2}, z_{-1}, z_{-2} */
    double h;                                  /* of the steps between them */
    int known;                                 /* equal steps taken */
    bool by_central;                           /* the current attempt uses central differences */
} houbolt;

static const bl_genalpha_numbers trapezoidal = {.beta = 0.25, .gamma = 0.5};

static const bl_param params[] = {
    {.name = "start", .type = BL_P_CHOICE, .choices = "newmark|central", .help = "method of the first two steps"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { START };

static bl_status houbolt_create(bl_integrator *integ) {
    BL_TRY(bl_second_create(integ, sizeof(houbolt)));
    ((houbolt *)integ->own)->start_central = integ->value[START].number != 0;
    return BL_OK;
}

static bl_status houbolt_start(bl_integrator *integ) {
    houbolt *own = integ->own;
    bl_central *c = &own->central;
    bl_index nv = integ->form->sys->nv, nz = integ->form->sys->nz;
    if (own->start_central && integ->form->x_velocity) {
        bl_fail(integ->ctx, BL_E_ABILITY, NULL, "integrator houbolt cannot start by central differences with formulation %s",
                integ->form->kind->kind.name);
        bl_advise(integ->ctx, "use start=newmark, or formulation index3");
        return BL_E_ABILITY;
    }
    c->h_ahead = 0;
    own->known = 0;
    bl_array more[] = {BL_ARRAY(own->q_old, nv),   BL_ARRAY(own->q_older, nv), BL_ARRAY(own->z_old, nz),
                       BL_ARRAY(own->z_older, nz), BL_ARRAY(c->ahead, nv),     BL_ARRAY(c->ahead_new, nv)};
    return bl_second_start(integ, more, sizeof more / sizeof *more);
}

static bl_status houbolt_step(houbolt *own) {
    bl_second *s = &own->central.second;
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
    for (bl_index i = 0; i < s->nv; i++)
        q1[i] += d[i];
    bl_second_follow(s, stage->cv, stage->ca, stage->czd, w, dz);
    return BL_OK;
}

static bl_status houbolt_attempt(bl_integrator *integ, double h, double *error) {
    houbolt *own = integ->own;
    *error = 0;
    own->by_central = false;
    if (own->known >= 2 && own->h == bl_second_step(&own->central.second, h))
        return houbolt_step(own);
    own->by_central = own->start_central;
    return own->start_central ? bl_central_attempt(integ, h, error) : bl_genalpha_step(&own->central.second, &trapezoidal, h);
}

static void houbolt_accept(bl_integrator *integ) {
    houbolt *own = integ->own;
    bl_second *s = &own->central.second;
    size_t nv = (size_t)s->nv * sizeof(double), nz = (size_t)s->nz * sizeof(double);
    memcpy(own->q_older, own->q_old, nv);
    memcpy(own->z_older, own->z_old, nz);
    memcpy(own->q_old, integ->y, nv);
    memcpy(own->z_old, integ->y + 2 * s->nv, nz);
    own->known = own->h == s->h || own->known == 0 ? own->known + 1 : 1;
    own->h = s->h;
    if (own->by_central) {
        bl_central_accept(integ);
    } else {
        own->central.h_ahead = 0;
        bl_second_accept(integ);
    }
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
    .next_step = bl_second_next_step,
    .accept = houbolt_accept,
    .dense = bl_second_dense,
    .formula = houbolt_formula,
    .destroy = bl_second_destroy,
};
