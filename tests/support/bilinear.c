#include "support/bilinear.h"

#include "sparse/sparse.h"
#include "system/expansion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct bilinear {
    bl_system sys; /* first member */
    test_bilinear def;
    bl_pattern M, K, G;
    bl_row row[BILINEAR_ROWS];
    bl_col col[BILINEAR_N];
} bilinear;

static double *entry(const bl_pattern *pattern, double *values, int i, int j) {
    bl_index k = bl_pattern_find(pattern, i, j);
    return &values[k];
}

/* ---- rows */

static double at(const double *x, int i) { return i < 0 ? 1 : x[i]; }

/* the rows of G, or with other directions its derivative along them */
static void add_row_G(const bilinear *own, const test_bilinear_row *row, int r, const double *q, bool derivative, double *G) {
    for (int k = 0; k < row->nterm; k++) {
        const test_bilinear_term *t = &row->term[k];
        bool linear = t->i < 0;
        if (t->j < 0 || (derivative && linear))
            continue;
        *entry(&own->G, G, r, t->j) += t->a * at(q, t->i);
        if (row->level == BL_AT_POSITION && !linear)
            *entry(&own->G, G, r, t->i) += t->a * q[t->j];
    }
}

/* d(G v)/dx */
static void add_row_Gv_x(const bilinear *own, const test_bilinear_row *row, int r, const double *v, double *G) {
    for (int k = 0; k < row->nterm; k++) {
        const test_bilinear_term *t = &row->term[k];
        if (t->i < 0 || t->j < 0)
            continue;
        *entry(&own->G, G, r, t->i) += t->a * v[t->j];
        if (row->level == BL_AT_POSITION)
            *entry(&own->G, G, r, t->j) += t->a * v[t->i];
    }
}

static void eval_row(const bilinear *own, bl_eval *e, int r, uint32_t want) {
    const test_bilinear_row *row = &own->def.row[r];
    bool position = row->level == BL_AT_POSITION;
    e->phi[r] = position ? -row->speed * e->t - 0.5 * row->rate * e->t * e->t : 0;
    e->b[r] = row->speed + row->rate * e->t;
    if (want & BL_C)
        e->c[r] = row->rate;
    for (int k = 0; k < row->nterm; k++) {
        const test_bilinear_term *t = &row->term[k];
        if (position)
            e->phi[r] += t->a * at(e->q, t->i) * at(e->q, t->j);
        if ((want & BL_C) && t->i >= 0)
            e->c[r] -= (position ? 2 : 1) * t->a * e->v[t->i] * e->v[t->j];
    }
    if (own->def.inactive[r]) {
        e->phi[r] = e->b[r] = 0;
        e->c[r] = want & BL_C ? 0 : e->c[r];
        return;
    }
    if (want & BL_G)
        add_row_G(own, row, r, e->q, false, e->G);
    if (want & BL_GV_X)
        add_row_Gv_x(own, row, r, e->v, e->Gv_x);
    for (int k = 0; (want & BL_GTL_X) && k < row->nterm; k++) {
        const test_bilinear_term *t = &row->term[k];
        if (t->i < 0 || t->j < 0)
            continue;
        *entry(&own->K, e->GTl_x, t->j, t->i) += t->a * e->lambda[r];
        if (position)
            *entry(&own->K, e->GTl_x, t->i, t->j) += t->a * e->lambda[r];
    }
}

static bl_status bilinear_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bilinear *own = (const bilinear *)sys;
    const test_bilinear *def = &own->def;
    size_t nG = (size_t)own->G.ptr[sys->nv], nK = (size_t)own->K.ptr[sys->nv];
    if (want & BL_G)
        memset(e->G, 0, nG * sizeof(double));
    if (want & BL_GV_X)
        memset(e->Gv_x, 0, nG * sizeof(double));
    if (want & BL_GTL_X)
        memset(e->GTl_x, 0, nK * sizeof(double));
    if (want & (BL_PHI | BL_G | BL_B | BL_C | BL_GV_X | BL_GTL_X))
        for (int r = 0; r < def->nrow; r++)
            eval_row(own, e, r, want);
    if (want & BL_MA_X)
        memset(e->Ma_x, 0, nK * sizeof(double));
    if (want & BL_M)
        memcpy(e->M, def->mass, (size_t)sys->nv * sizeof(double));
    if (want & BL_KC) {
        memset(e->K, 0, nK * sizeof(double));
        for (int j = 0; j < def->n; j++) {
            *entry(&own->K, e->K, j, j) = def->spring[j];
            e->C[j] = def->damping[j];
        }
    }
    if (want & BL_Q) {
        e->power = 0;
        for (int j = 0; j < def->n; j++) {
            e->Q[j] = def->force[j] - def->spring[j] * e->q[j] - def->damping[j] * e->v[j];
            e->power -= def->damping[j] * e->v[j] * e->v[j];
        }
    }
    if (want & BL_ENERGY) {
        e->kinetic = e->potential = 0;
        for (int j = 0; j < def->n; j++) {
            e->kinetic += 0.5 * def->mass[j] * e->v[j] * e->v[j];
            e->potential += 0.5 * def->spring[j] * e->q[j] * e->q[j] - def->force[j] * e->q[j];
        }
    }
    if (want & BL_VARIABLES) {
        memcpy(e->variable, e->q, (size_t)sys->nv * sizeof(double));
        memcpy(e->variable_rate, e->v, (size_t)sys->nv * sizeof(double));
    }
    return BL_OK;
}

/* ---- power series */

static double coefficient(const bl_expansion *ex, const bl_system *sys, int i, int k) {
    return i < 0 ? k == 0 : ex->q[(size_t)k * (size_t)sys->nv + (size_t)i];
}

/* without q_k: the coefficients k of positions count as zero */
static double series_row(const bl_system *sys, const bl_expansion *ex, const test_bilinear_row *row, int k) {
    double sum = 0;
    for (int n = 0; n < row->nterm; n++) {
        const test_bilinear_term *t = &row->term[n];
        for (int l = 0; l <= k; l++) {
            bool newest = (l == k && t->i >= 0) || (k - l == k && t->j >= 0);
            if (k > 0 && newest)
                continue;
            double share = row->level == BL_AT_POSITION ? 1 : (double)(k - l) / k; /* v_{k-l-1} = (k - l) q_{k-l} */
            sum += t->a * share * coefficient(ex, sys, t->i, l) * coefficient(ex, sys, t->j, k - l);
        }
    }
    double t = ex->t; /* speed t + rate t^2 / 2, shifted */
    if (k == 1)
        sum -= row->speed + row->rate * t;
    if (k == 2)
        sum -= 0.5 * row->rate;
    return sum;
}

static bl_status bilinear_series(const bl_system *sys, bl_expansion *ex, int k, uint32_t want) {
    const bilinear *own = (const bilinear *)sys;
    const test_bilinear *def = &own->def;
    size_t nv = (size_t)sys->nv, np = (size_t)sys->np, nG = (size_t)own->G.ptr[nv];
    for (int r = 0; (want & BL_PHI) && r < def->nrow; r++)
        ex->phi[r] = def->inactive[r] ? 0 : series_row(sys, ex, &def->row[r], k);
    if (want & BL_G) {
        memset(ex->G, 0, nG * sizeof(double));
        for (int r = 0; r < def->nrow; r++)
            if (!def->inactive[r])
                add_row_G(own, &def->row[r], r, ex->q + (size_t)k * nv, k > 0, ex->G);
    }
    if (want & BL_M) {
        memset(ex->M, 0, nv * sizeof(double));
        if (k == 0)
            memcpy(ex->M, def->mass, nv * sizeof(double));
    }
    if (want & BL_Q) {
        for (size_t j = 0; j < nv; j++) {
            ex->Q[j] =
                (k == 0 ? def->force[j] : 0) - def->spring[j] * ex->q[(size_t)k * nv + j] - def->damping[j] * ex->v[(size_t)k * nv + j];
        }
        for (int l = 0; l < k; l++) {
            double *G = ex->G; /* scratch */
            memset(G, 0, nG * sizeof *G);
            for (int r = 0; r < def->nrow; r++)
                if (!def->inactive[r])
                    add_row_G(own, &def->row[r], r, ex->q + (size_t)(k - l) * nv, true, G);
            for (size_t j = 0; j < nv; j++)
                for (bl_index p = own->G.ptr[j]; p < own->G.ptr[j + 1]; p++)
                    ex->Q[j] -= G[p] * ex->lambda[(size_t)l * np + (size_t)own->G.idx[p]];
        }
    }
    if (want & BL_ENERGY) {
        memset(ex->work, 0, (size_t)(2 * k + 1) * sizeof(double));
        for (int m = 0; m + 1 <= 2 * k; m++) {
            double power = 0;
            for (int l = 0; l <= m; l++)
                for (size_t j = 0; j < nv && l <= ex->v_order && m - l <= ex->v_order; j++)
                    power -= def->damping[j] * ex->v[(size_t)l * nv + j] * ex->v[(size_t)(m - l) * nv + j];
            for (int r = 0; r < def->nrow; r++) {
                const test_bilinear_row *row = &def->row[r];
                double b[2] = {row->speed + row->rate * ex->t, row->rate};
                for (int l = 0; l < 2 && !def->inactive[r]; l++)
                    if (m - l >= 0 && m - l < ex->v_order)
                        power -= b[l] * ex->lambda[(size_t)(m - l) * np + (size_t)r];
            }
            ex->work[m + 1] = power / (m + 1);
        }
    }
    return BL_OK;
}

/* ---- the system */

static void row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    snprintf(part, npart, "row%d", (int)row);
    snprintf(equation, nequation, "%s", sys->row[row].level == BL_AT_VELOCITY ? "no sideways motion" : "condition");
}

static void col_name(const bl_system *sys, bl_index col, char *name, size_t nname) {
    (void)sys;
    snprintf(name, nname, "q%d", (int)col);
}

static void destroy(bl_system *sys) {
    bilinear *own = (bilinear *)sys;
    bl_pattern_free(sys->ctx, &own->M);
    bl_pattern_free(sys->ctx, &own->K);
    bl_pattern_free(sys->ctx, &own->G);
}

static const bl_system_kind kind = {.kind = {.name = "bilinear", .help = "bilinear rows"},
                                    .eval = bilinear_eval,
                                    .series = bilinear_series,
                                    .row_name = row_name,
                                    .col_name = col_name,
                                    .destroy = destroy};

/* all entries that rows may have, and the couplings of columns by them */
static bl_status make_patterns(bilinear *own) {
    enum { MOST = 2 * BILINEAR_ROWS * BILINEAR_TERMS + BILINEAR_N };
    bl_index row[MOST], col[MOST], left[MOST], right[MOST], slot[MOST], n = 0, nK = 0;
    const test_bilinear *def = &own->def;
    bl_context *ctx = own->sys.ctx;
    for (int j = 0; j < def->n; j++)
        left[nK] = right[nK] = j, nK++;
    BL_TRY(bl_pattern_build(ctx, def->n, def->n, nK, left, right, &own->M, slot));
    for (int r = 0; r < def->nrow; r++)
        for (int k = 0; k < def->row[r].nterm; k++) {
            const test_bilinear_term *t = &def->row[r].term[k];
            if (t->j >= 0)
                row[n] = r, col[n++] = t->j;
            if (t->i >= 0) { /* a velocity row depends on this column */
                row[n] = r, col[n++] = t->i;
                left[nK] = t->i, right[nK++] = t->j;
                left[nK] = t->j, right[nK++] = t->i;
            }
        }
    BL_TRY(bl_pattern_build(ctx, def->n, def->n, nK, left, right, &own->K, slot));
    return bl_pattern_build(ctx, def->nrow, def->n, n, row, col, &own->G, slot);
}

bl_status test_bilinear_create(bl_context *ctx, const test_bilinear *def, bl_system **out, bl_state *state) {
    bilinear *own;
    *out = NULL;
    memset(state, 0, sizeof *state);
    BL_TRY(BL_NEW(ctx, own, 1));
    bl_system *sys = &own->sys;
    own->def = *def;
    sys->kind = &kind;
    sys->ctx = ctx;
    sys->can = BL_CAN_MASS | BL_CAN_TANGENT | BL_CAN_SERIES | BL_CAN_ENERGY;
    sys->facts = BL_FLAT | BL_M_CONST | BL_SMOOTH;
    sys->nq = sys->nv = sys->nvariable = def->n;
    sys->np = def->nrow;
    sys->nbody = 1;
    for (int r = 0; r < def->nrow; r++) {
        const test_bilinear_row *row = &def->row[r];
        own->row[r] = (bl_row){.what = BL_ROW_JOINT,
                               .law = row->law,
                               .level = row->level,
                               .owner = 0,
                               .partner = -1,
                               .scale = row->scale > 0 ? row->scale : 1};
        sys->facts |= row->law != BL_LAW_EQUAL ? BL_INEQUALITIES : 0;
        sys->facts |= row->level == BL_AT_VELOCITY ? BL_VELOCITY_ROWS : 0;
        sys->facts |= row->speed != 0 || row->rate != 0 ? BL_RHEONOMIC : 0;
    }
    sys->njoint = 1;
    for (int j = 0; j < def->n; j++) {
        own->col[j] = (bl_col){.what = def->preferred[j] ? BL_COL_ANGLE : BL_COL_POINT, .order = 2, .scale = 1};
        sys->facts |= def->damping[j] != 0 ? BL_Q_OF_V : 0;
    }
    sys->row = own->row;
    sys->col = own->col;
    bl_status status = make_patterns(own);
    sys->pat_M = sys->pat_C = own->M;
    sys->pat_K = own->K;
    sys->pat_G = own->G;
    if (status == BL_OK)
        status = bl_state_create(sys, 0, state);
    if (status != BL_OK) {
        bl_system_destroy(sys);
        return status;
    }
    memcpy(state->q, def->q, (size_t)def->n * sizeof(double));
    memcpy(state->v, def->v, (size_t)def->n * sizeof(double));
    *out = sys;
    return BL_OK;
}

void test_bilinear_activate(bl_system *sys, int row, bool active) { ((bilinear *)sys)->def.inactive[row] = !active; }

test_bilinear *test_bilinear_def(bl_system *sys) { return &((bilinear *)sys)->def; }

test_bilinear_row *test_bilinear_add(test_bilinear *def, uint8_t level) {
    test_bilinear_row *row = &def->row[def->nrow++];
    row->level = level;
    return row;
}

void test_bilinear_term_add(test_bilinear_row *row, double a, int i, int j) { row->term[row->nterm++] = (test_bilinear_term){a, i, j}; }

/* ---- a body in the plane with a blade */

enum { X, Y, C, S };

/* (c^2 + s^2 - 1) / 2 = 0 */
static void add_unit(test_bilinear *def) {
    test_bilinear_row *row = test_bilinear_add(def, BL_AT_POSITION);
    test_bilinear_term_add(row, 0.5, C, C);
    test_bilinear_term_add(row, 0.5, S, S);
    test_bilinear_term_add(row, -0.5, -1, -1);
}

/* c y' - s x' - behind (c s' - s c') - aside (c c' + s s') = 0: no motion across, at (-behind, aside) of the body */
static void add_blade(test_bilinear *def, double behind, double aside) {
    test_bilinear_row *row = test_bilinear_add(def, BL_AT_VELOCITY);
    test_bilinear_term_add(row, 1, C, Y);
    test_bilinear_term_add(row, -1, S, X);
    if (behind != 0) {
        test_bilinear_term_add(row, -behind, C, S);
        test_bilinear_term_add(row, behind, S, C);
    }
    if (aside != 0) {
        test_bilinear_term_add(row, -aside, C, C);
        test_bilinear_term_add(row, -aside, S, S);
    }
}

static const double BEHIND = 0.2, INERTIA = 0.1, TURNING = 2;

test_bilinear test_sleigh(void) {
    test_bilinear def = {.n = 4, .mass = {1, 1, INERTIA, INERTIA}, .q = {BEHIND, 0, 1, 0}, .v = {1, BEHIND * TURNING, 0, TURNING}};
    add_unit(&def);
    add_blade(&def, BEHIND, 0);
    return def;
}

/* speed u of the blade and rotation w: u' = d w^2, (I + m d^2) w' = -m d u w. With V^2 = u^2 + (I + m d^2) w^2 / m:
 * u = V tanh(s), w = V / k cosh(s), s = V d t / k^2 + s_0, k^2 = (I + m d^2) / m; the angle is k / d (gd(s) - gd(s_0)) */
static double sleigh_angle(double t, double *u, double *w) {
    double k = sqrt(INERTIA + BEHIND * BEHIND), V = sqrt(1 + k * k * TURNING * TURNING), s0 = atanh(1 / V),
           s = V * BEHIND * t / (k * k) + s0;
    *u = V * tanh(s);
    *w = V / k / cosh(s);
    return k / BEHIND * (2 * atan(tanh(s / 2)) - 2 * atan(tanh(s0 / 2)));
}

void test_sleigh_at(double t, double *q, double *v) {
    enum { STEPS = 4000 }; /* of Simpson's rule: error below 1e-13 over 10 s */
    double u, w, h = t / STEPS, x = 0, y = 0;
    for (int k = 0; k <= STEPS; k++) {
        double angle = sleigh_angle(k * h, &u, &w), weight = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * h / 3;
        x += weight * u * cos(angle);
        y += weight * u * sin(angle);
    }
    double angle = sleigh_angle(t, &u, &w), c = cos(angle), s = sin(angle);
    const double position[] = {x + BEHIND * c, y + BEHIND * s, c, s};
    const double velocity[] = {u * c - BEHIND * s * w, u * s + BEHIND * c * w, -s * w, c * w};
    memcpy(q, position, sizeof position);
    memcpy(v, velocity, sizeof velocity);
}

static const double PULL = 3, ROTATION = 1.5;

test_bilinear test_knife_edge(void) {
    test_bilinear def = {.n = 4, .mass = {1, 1, INERTIA, INERTIA}, .force = {PULL}, .q = {0, 0, 1, 0}, .v = {0, 0, 0, ROTATION}};
    add_unit(&def);
    add_blade(&def, 0, 0);
    return def;
}

/* rotation w constant, speed u = f / w sin(w t) */
void test_knife_edge_at(double t, double *q, double *v) {
    double w = ROTATION, s = sin(w * t), c = cos(w * t), u = PULL / w * s;
    const double position[] = {PULL / (2 * w * w) * s * s, PULL / (2 * w) * (t - s * c / w), c, s},
                 velocity[] = {u * c, u * s, -s * w, c * w};
    memcpy(q, position, sizeof position);
    memcpy(v, velocity, sizeof velocity);
}

test_bilinear test_sleigh_dependent(bool in_line) {
    test_bilinear def = test_sleigh();
    if (in_line) {
        add_blade(&def, BEHIND, 0.3);
        return def;
    }
    test_bilinear_row *row = test_bilinear_add(&def, BL_AT_VELOCITY);
    test_bilinear_term_add(row, 1, C, C);
    test_bilinear_term_add(row, 1, S, S);
    return def;
}

/* ---- discs and balls */

enum { ROLL = 4 };
static const double RADIUS = 0.5, DISC = 2, TORQUE = 0.3, YAW = 0.8, SPIN = 4;

test_bilinear test_upright_disc(void) {
    double about = DISC * RADIUS * RADIUS / 4;
    test_bilinear def = {.n = 5,
                         .mass = {DISC, DISC, about, about, 2 * about},
                         .force = {0, 0, 0, 0, TORQUE},
                         .q = {0, 0, 1, 0, 0},
                         .v = {RADIUS * SPIN, 0, 0, YAW, SPIN}};
    add_unit(&def);
    for (int k = 0; k < 2; k++) { /* x' = R roll' c, y' = R roll' s */
        test_bilinear_row *row = test_bilinear_add(&def, BL_AT_VELOCITY);
        test_bilinear_term_add(row, 1, -1, k);
        test_bilinear_term_add(row, -RADIUS, C + k, ROLL);
    }
    return def;
}

/* roll'' = T / (m R^2 + J), heading turns evenly */
void test_upright_disc_at(double t, double *q, double *v) {
    double a = TORQUE / (1.5 * DISC * RADIUS * RADIUS), w = YAW, c = cos(w * t), s = sin(w * t), roll = SPIN * t + 0.5 * a * t * t;
    double spin = SPIN + a * t;
    /* integrals of spin cos and spin sin */
    double x = spin * s / w + a * (c - 1) / (w * w), y = (SPIN - spin * c) / w + a * s / (w * w);
    const double position[] = {RADIUS * x, RADIUS * y, c, s, roll};
    const double velocity[] = {RADIUS * spin * c, RADIUS * spin * s, -s * w, c * w, spin};
    memcpy(q, position, sizeof position);
    memcpy(v, velocity, sizeof velocity);
}

enum { WX = 2, WY, WZ, TABLE };
static const double TABLE_SPEED = 3, BALL = 0.1;

test_bilinear test_ball_on_turntable(void) {
    double about = 0.4 * BALL * BALL;
    /* at (1, 0) with the velocity (0, 0.5); at the contact it has that of the table, (0, 3) */
    test_bilinear def = {.n = 6,
                         .mass = {1, 1, about, about, about, 1},
                         .q = {1, 0, 0, 0, 0, 0},
                         .v = {0, 0.5, (TABLE_SPEED - 0.5) / BALL, 0, 0, TABLE_SPEED}};
    test_bilinear_row *row = test_bilinear_add(&def, BL_AT_POSITION);
    row->speed = TABLE_SPEED;
    test_bilinear_term_add(row, 1, -1, TABLE);
    row = test_bilinear_add(&def, BL_AT_VELOCITY); /* x' - r wy = -table' y */
    test_bilinear_term_add(row, 1, -1, X);
    test_bilinear_term_add(row, -BALL, -1, WY);
    test_bilinear_term_add(row, 1, Y, TABLE);
    row = test_bilinear_add(&def, BL_AT_VELOCITY); /* y' + r wx = table' x */
    test_bilinear_term_add(row, 1, -1, Y);
    test_bilinear_term_add(row, BALL, -1, WX);
    test_bilinear_term_add(row, -1, X, TABLE);
    return def;
}

/* a circle with 2/7 of the speed of the table (Earnshaw): here about (1 - 0.5 / w, 0) with w = 6/7 */
void test_ball_on_turntable_at(double t, double *q, double *v) {
    double w = 2 * TABLE_SPEED / 7, r = 0.5 / w, x = 1 - r + r * cos(w * t), y = r * sin(w * t), vx = -0.5 * sin(w * t),
           vy = 0.5 * cos(w * t);
    double wy = (vx + TABLE_SPEED * y) / BALL, wx = (TABLE_SPEED * x - vy) / BALL;
    double turned_y = (x - 1 + TABLE_SPEED * r * (1 - cos(w * t)) / w) / BALL;
    double turned_x = (TABLE_SPEED * ((1 - r) * t + r * sin(w * t) / w) - y) / BALL;
    const double position[] = {x, y, turned_x, turned_y, 0, TABLE_SPEED * t}, velocity[] = {vx, vy, wx, wy, 0, TABLE_SPEED};
    memcpy(q, position, sizeof position);
    memcpy(v, velocity, sizeof velocity);
}
