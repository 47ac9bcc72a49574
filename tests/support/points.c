#include "support/points.h"

#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct points {
    bl_system sys; /* first member */
    test_points def;
    bl_pattern M, G;
    bl_index col[POINTS_MOST];            /* x column, -1: fixed */
    bl_index bar_slot[POINTS_MOST][2][4]; /* per component: aa, ab, ba, bb; -1 absent */
    bl_index point_slot[POINTS_MOST][2];
    bl_index row_slot[ROWS_MOST][5]; /* a.x a.y b.x b.y angle */
    double length2[ROWS_MOST];
    bl_row row[ROWS_MOST];
    bl_col cols[2 * POINTS_MOST + 8];
} points;

static double factor_of(const test_row *row) { return row->factor == 0 ? 1 : row->factor; }

static void point_at(const points *own, const double *q, int i, double p[2]) {
    p[0] = own->col[i] < 0 ? own->def.point[i].x : q[own->col[i]];
    p[1] = own->col[i] < 0 ? own->def.point[i].y : q[own->col[i] + 1];
}

static void speed_at(const points *own, const double *v, int i, double p[2]) {
    p[0] = own->col[i] < 0 ? 0 : v[own->col[i]];
    p[1] = own->col[i] < 0 ? 0 : v[own->col[i] + 1];
}

static bl_index angle_col(const points *own, int k) { return own->sys.nv - own->def.nangle + k; }

static void eval_row(const points *own, bl_eval *e, int i, uint32_t want) {
    const test_row *row = &own->def.row[i];
    double f = factor_of(row), pa[2], pb[2] = {0}, va[2] = {0}, vb[2] = {0}, g[5] = {0};
    bool moving = want & BL_C;
    point_at(own, e->q, row->a, pa);
    if (moving)
        speed_at(own, e->v, row->a, va);
    if (row->what == ROW_DRIVE_X || row->what == ROW_DRIVE_Y) {
        int k = row->what == ROW_DRIVE_Y;
        double start = k ? own->def.point[row->a].y : own->def.point[row->a].x, w = row->frequency, s = sin(w * e->t);
        e->phi[i] = f * (pa[k] - start - row->amplitude * s);
        g[k] = f;
        e->b[i] = f * row->amplitude * w * cos(w * e->t);
        if (moving)
            e->c[i] = -f * row->amplitude * w * w * s;
    } else {
        point_at(own, e->q, row->b, pb);
        if (moving)
            speed_at(own, e->v, row->b, vb);
        double x = pb[0] - pa[0], y = pb[1] - pa[1], xd = vb[0] - va[0], yd = vb[1] - va[1];
        e->b[i] = 0;
        if (row->what == ROW_DISTANCE) {
            e->phi[i] = f * (x * x + y * y - own->length2[i]);
            g[0] = -2 * f * x, g[1] = -2 * f * y, g[2] = 2 * f * x, g[3] = 2 * f * y;
            if (moving)
                e->c[i] = -2 * f * (xd * xd + yd * yd);
        } else {
            double psi = e->q[angle_col(own, row->angle)], rate = moving ? e->v[angle_col(own, row->angle)] : 0, s = sin(psi), c = cos(psi);
            e->phi[i] = f * (x * c + y * s);
            g[0] = -f * c, g[1] = -f * s, g[2] = f * c, g[3] = f * s, g[4] = f * (y * c - x * s);
            if (moving)
                e->c[i] = -f * (2 * (yd * c - xd * s) * rate - (x * c + y * s) * rate * rate);
        }
    }
    if (want & BL_G)
        for (int k = 0; k < 5; k++)
            if (own->row_slot[i][k] >= 0)
                e->G[own->row_slot[i][k]] = g[k];
}

static void eval_mass(const points *own, bl_eval *e) {
    memset(e->M, 0, (size_t)own->M.ptr[own->M.ncol] * sizeof(double));
    for (int i = 0; i < own->def.npoint; i++)
        for (int k = 0; k < 2; k++)
            if (own->point_slot[i][k] >= 0)
                e->M[own->point_slot[i][k]] += own->def.point[i].mass;
    for (int i = 0; i < own->def.nbar; i++)
        for (int k = 0; k < 2; k++)
            for (int s = 0; s < 4; s++)
                if (own->bar_slot[i][k][s] >= 0)
                    e->M[own->bar_slot[i][k][s]] += own->def.bar[i].mass / (s == 0 || s == 3 ? 3 : 6);
}

static void add_weight(const points *own, bl_eval *e, int i, double mass, uint32_t want) {
    double p[2];
    point_at(own, e->q, i, p);
    if (want & BL_ENERGY)
        e->potential += mass * own->def.gravity * p[1];
    if ((want & BL_Q) && own->col[i] >= 0)
        e->Q[own->col[i] + 1] -= mass * own->def.gravity;
}

static bl_status points_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const points *own = (const points *)sys;
    if (want & BL_ENERGY)
        BL_TRY(bl_eval_room(sys, BL_M, e)); /* by the matrix */
    if (want & (BL_ENERGY | BL_M))
        eval_mass(own, e);
    if (want & (BL_PHI | BL_G | BL_B | BL_C))
        for (int i = 0; i < own->def.nrow; i++)
            eval_row(own, e, i, want);
    if (want & BL_Q) {
        memset(e->Q, 0, (size_t)sys->nv * sizeof(double));
        e->power = 0;
        for (int i = 0; i < own->def.npoint; i++)
            for (int k = 0; k < 2 && own->col[i] >= 0; k++) {
                double v = e->v[own->col[i] + k];
                e->Q[own->col[i] + k] -= own->def.damping * v;
                e->power -= own->def.damping * v * v;
            }
        if (own->def.nan_after && e->t > own->def.nan_time)
            e->Q[0] = NAN;
    }
    if (want & BL_ENERGY) {
        double p[2 * POINTS_MOST + 8] = {0};
        e->kinetic = e->potential = 0;
        bl_csc_multiply(&own->M, e->M, e->v, p);
        for (bl_index i = 0; i < sys->nv; i++)
            e->kinetic += 0.5 * p[i] * e->v[i];
    }
    if (want & (BL_Q | BL_ENERGY)) {
        for (int i = 0; i < own->def.npoint; i++)
            add_weight(own, e, i, own->def.point[i].mass, want);
        for (int i = 0; i < own->def.nbar; i++) {
            add_weight(own, e, own->def.bar[i].a, own->def.bar[i].mass / 2, want);
            add_weight(own, e, own->def.bar[i].b, own->def.bar[i].mass / 2, want);
        }
    }
    if (want & BL_EVENTS)
        for (bl_index i = 0; i < sys->nevent; i++)
            e->event[i] = e->q[own->def.event_col] - own->def.event_value;
    if (want & BL_VARIABLES) {
        memcpy(e->variable, e->q, (size_t)sys->nv * sizeof(double));
        memcpy(e->variable_rate, e->v, (size_t)sys->nv * sizeof(double));
    }
    return BL_OK;
}

static void points_row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    const points *own = (const points *)sys;
    snprintf(part, npart, "row%d", (int)row);
    snprintf(equation, nequation, "%s of points %d and %d", own->def.row[row].what == ROW_DISTANCE ? "distance" : "condition",
             own->def.row[row].a, own->def.row[row].b);
}

static void points_col_name(const bl_system *sys, bl_index col, char *name, size_t nname) {
    const points *own = (const points *)sys;
    snprintf(name, nname, "angle%d", (int)(col - angle_col(own, 0)));
    for (int i = 0; i < own->def.npoint; i++)
        if (own->col[i] >= 0 && (col == own->col[i] || col == own->col[i] + 1))
            snprintf(name, nname, "P%d.%c", i, col == own->col[i] ? 'x' : 'y');
}

static void points_destroy(bl_system *sys) {
    points *own = (points *)sys;
    bl_context *ctx = sys->ctx;
    bl_pattern_free(ctx, &own->M);
    bl_pattern_free(ctx, &own->G);
}

static const bl_system_kind points_kind = {
    .kind = {.name = "points", .help = "points in the plane"},
    .eval = points_eval,
    .row_name = points_row_name,
    .col_name = points_col_name,
    .destroy = points_destroy,
};

typedef struct pairs {
    bl_index n, row[10 * ROWS_MOST], col[10 * ROWS_MOST], slot[10 * ROWS_MOST];
} pairs;

static bl_index add_pair(pairs *list, bl_index row, bl_index col) {
    if (row < 0 || col < 0)
        return -1;
    list->row[list->n] = row;
    list->col[list->n] = col;
    return list->n++;
}

static bl_status make_mass(points *own, pairs *list) {
    list->n = 0;
    for (int i = 0; i < own->def.npoint; i++)
        for (int k = 0; k < 2; k++)
            own->point_slot[i][k] = add_pair(list, own->col[i] < 0 ? -1 : own->col[i] + k, own->col[i] + k);
    for (int i = 0; i < own->def.nbar; i++)
        for (int k = 0; k < 2; k++) {
            bl_index a = own->col[own->def.bar[i].a], b = own->col[own->def.bar[i].b];
            a = a < 0 ? -1 : a + k;
            b = b < 0 ? -1 : b + k;
            own->bar_slot[i][k][0] = add_pair(list, a, a);
            own->bar_slot[i][k][1] = add_pair(list, a, b);
            own->bar_slot[i][k][2] = add_pair(list, b, a);
            own->bar_slot[i][k][3] = add_pair(list, b, b);
        }
    BL_TRY(bl_pattern_build(own->sys.ctx, own->sys.nv, own->sys.nv, list->n, list->row, list->col, &own->M, list->slot));
    for (int i = 0; i < own->def.npoint; i++)
        for (int k = 0; k < 2; k++)
            if (own->point_slot[i][k] >= 0)
                own->point_slot[i][k] = list->slot[own->point_slot[i][k]];
    for (int i = 0; i < own->def.nbar; i++)
        for (int k = 0; k < 2; k++)
            for (int s = 0; s < 4; s++)
                if (own->bar_slot[i][k][s] >= 0)
                    own->bar_slot[i][k][s] = list->slot[own->bar_slot[i][k][s]];
    return BL_OK;
}

static bl_status make_rows(points *own, pairs *list) {
    list->n = 0;
    for (int i = 0; i < own->def.nrow; i++) {
        const test_row *row = &own->def.row[i];
        bl_index a = own->col[row->a], b = own->col[row->b];
        bool drive = row->what == ROW_DRIVE_X || row->what == ROW_DRIVE_Y;
        own->row_slot[i][0] = row->what == ROW_DRIVE_Y ? -1 : add_pair(list, i, a);
        own->row_slot[i][1] = row->what == ROW_DRIVE_X ? -1 : add_pair(list, i, a < 0 ? -1 : a + 1);
        own->row_slot[i][2] = drive ? -1 : add_pair(list, i, b);
        own->row_slot[i][3] = drive ? -1 : add_pair(list, i, b < 0 ? -1 : b + 1);
        own->row_slot[i][4] = row->what == ROW_ANGLE ? add_pair(list, i, angle_col(own, row->angle)) : -1;
        double x = own->def.point[row->b].x - own->def.point[row->a].x, y = own->def.point[row->b].y - own->def.point[row->a].y;
        own->length2[i] = x * x + y * y;
        own->row[i].scale = fabs(factor_of(row)) * (drive ? 1 : (row->what == ROW_DISTANCE ? 2 : 1) * sqrt(own->length2[i]));
        own->row[i].what = drive ? BL_ROW_DRIVER : BL_ROW_JOINT;
        if (drive)
            own->sys.facts |= BL_RHEONOMIC;
    }
    BL_TRY(bl_pattern_build(own->sys.ctx, own->sys.np, own->sys.nv, list->n, list->row, list->col, &own->G, list->slot));
    for (int i = 0; i < own->def.nrow; i++)
        for (int k = 0; k < 5; k++)
            if (own->row_slot[i][k] >= 0)
                own->row_slot[i][k] = list->slot[own->row_slot[i][k]];
    return BL_OK;
}

bl_status test_points_create(bl_context *ctx, const test_points *def, bl_system **out, bl_state *state) {
    *out = NULL;
    memset(state, 0, sizeof *state);
    points *own;
    BL_TRY(BL_NEW(ctx, own, 1));
    bl_system *sys = &own->sys;
    own->def = *def;
    sys->kind = &points_kind;
    sys->ctx = ctx;
    sys->can = BL_CAN_ENERGY | (def->hide_mass ? 0 : BL_CAN_MASS);
    sys->facts = BL_FLAT | BL_M_CONST | BL_SMOOTH;
    for (int i = 0; i < def->npoint; i++) {
        own->col[i] = def->point[i].fixed ? -1 : sys->nv;
        sys->nv += def->point[i].fixed ? 0 : 2;
    }
    sys->nv += def->nangle;
    sys->nq = sys->nvariable = sys->nv;
    sys->np = def->nrow;
    sys->nbody = 1;
    sys->nevent = def->nevent;
    for (bl_index j = 0; j < sys->nv; j++)
        own->cols[j] =
            (bl_col){.what = j < angle_col(own, 0) ? BL_COL_POINT : BL_COL_ANGLE, .order = 2, .scale = def->scale > 0 ? def->scale : 1};
    sys->row = own->row;
    sys->col = own->cols;
    sys->independent = own->def.independent;
    sys->nindependent = own->def.nindependent;
    pairs *list = bl_alloc(ctx, 1, sizeof *list);
    bl_status status = list ? make_mass(own, list) : BL_E_MEMORY;
    if (status == BL_OK)
        status = make_rows(own, list);
    bl_free(ctx, list);
    sys->pat_M = own->M;
    sys->pat_G = own->G;
    if (status == BL_OK)
        status = bl_state_create(sys, 0, state);
    if (status != BL_OK) {
        bl_system_destroy(sys);
        return status;
    }
    for (int i = 0; i < def->npoint; i++)
        if (own->col[i] >= 0) {
            state->q[own->col[i]] = def->point[i].x;
            state->q[own->col[i] + 1] = def->point[i].y;
            state->v[own->col[i]] = def->point[i].vx;
            state->v[own->col[i] + 1] = def->point[i].vy;
        }
    for (int k = 0; k < def->nangle; k++) {
        state->q[angle_col(own, k)] = def->angle[k];
        state->v[angle_col(own, k)] = def->angle_rate[k];
    }
    *out = sys;
    return BL_OK;
}

bl_index test_points_col(const bl_system *sys, int point, int component) { return ((const points *)sys)->col[point] + component; }

void test_add_bar(test_points *def, int a, int b, double mass) {
    def->bar[def->nbar++] = (test_bar){a, b, mass};
    test_add_row(def, (test_row){.what = ROW_DISTANCE, .a = a, .b = b});
}

void test_add_row(test_points *def, test_row row) { def->row[def->nrow++] = row; }

test_points test_pendulum(void) {
    test_points def = {.npoint = 2, .gravity = 9.81, .point = {{.fixed = true}, {.x = -1, .mass = 1}}};
    test_add_row(&def, (test_row){.what = ROW_DISTANCE, .a = 0, .b = 1});
    return def;
}

test_points test_double_pendulum(void) {
    test_points def = {.npoint = 3, .gravity = 9.81, .point = {{.fixed = true}, {.x = 1, .mass = 1}, {.x = 2, .mass = 1}}};
    test_add_row(&def, (test_row){.what = ROW_DISTANCE, .a = 0, .b = 1});
    test_add_row(&def, (test_row){.what = ROW_DISTANCE, .a = 1, .b = 2});
    return def;
}

test_points test_n_four_bar(int n) {
    test_points def = {.npoint = 2 * (n + 1), .gravity = 9.81};
    for (int i = 0; i <= n; i++) {
        def.point[2 * i] = (test_point){.x = i, .fixed = true};
        def.point[2 * i + 1] = (test_point){.x = i, .y = 1, .vx = 1};
    }
    for (int i = 0; i <= n; i++) {
        test_add_bar(&def, 2 * i, 2 * i + 1, 1);
        if (i > 0)
            test_add_bar(&def, 2 * i - 1, 2 * i + 1, 1);
    }
    return def;
}
