/* Values: the mechanism's, pulled back body by body. */
#include "coords/reference.h"

#include "coords/pulled.h"

#include <string.h>

enum { HAVE_X = BL_OWN_POSITION, HAVE_XD = BL_OWN_VELOCITY };

/* ---- the place */

static const double *parameters(const bl_system *sys, const double *of, bl_index body) {
    const bl_centred *r = bl_ref(sys);
    return of + body * r->per + r->m->dim;
}

const double *bl_reference_kept(const bl_centred *r, const unsigned char *history, bl_index body) {
    if (!r->kind->room)
        return NULL;
    return history ? (const double *)(const void *)(history + r->inner_history) + 9 * body : r->kept;
}

/* columns of [naxis][n] seen from behind C */
static void keep_slopes(const bl_centred *r, const bl_eval *e, bl_index body, double *X) {
    const double *C = bl_reference_kept(r, e->history, body);
    for (int i = 0; C && i < r->kind->n; i++) {
        double column[BL_MOST_AXES];
        for (int k = 0; k < 9; k++)
            column[k] = X[k * r->kind->n + i];
        bl_orientation_keep(C, 3, column);
        for (int k = 0; k < 9; k++)
            X[k * r->kind->n + i] = column[k];
    }
}

/* B += sum_k push_k d2 r_k / do do, push on the axes */
static void bend(const bl_centred *r, const bl_eval *e, bl_index body, double *push, double *B) {
    const double *C = bl_reference_kept(r, e->history, body);
    if (C) {
        double back[9] = {C[0], C[3], C[6], C[1], C[4], C[7], C[2], C[5], C[8]};
        bl_orientation_keep(back, 3, push);
    }
    bl_orientation_bend(r->kind, e->q + body * r->per + r->m->dim, push, B);
}

static void place(const bl_centred *r, const bl_eval *e, double *x) {
    for (bl_index j = 0; j < r->inner->nv; j++)
        if (r->source[j].body < 0)
            x[j] = e->q[r->source[j].col];
    for (bl_index b = 0; b < r->nbody; b++) {
        double axes[BL_MOST_AXES];
        const double *C = bl_reference_kept(r, e->history, b);
        bl_orientation_axes(r->kind, e->q + b * r->per + r->m->dim, axes);
        if (C)
            bl_orientation_keep(C, 3, axes);
        for (int k = 0; k < r->kind->naxis; k++)
            x[r->axes[b * r->kind->naxis + k]] = axes[k];
    }
}

static void positions(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    if (e->have & HAVE_X)
        return;
    place(r, e, w->x);
    for (bl_index b = 0; b < r->nbody; b++) {
        double *X = w->X + b * r->kind->naxis * r->kind->n;
        bl_orientation_slope(r->kind, parameters(sys, e->q, b), X);
        keep_slopes(r, e, b, X);
    }
    w->inner.q = w->x;
    w->inner.have = w->inner.constant;
    e->have |= HAVE_X;
    e->have &= ~(uint32_t)HAVE_XD;
}

/* x = X v of the axes, the rest copied */
static void push_forward(const bl_system *sys, const bl_centred_work *w, const double *v, double *x) {
    const bl_centred *r = bl_ref(sys);
    int n = r->kind->n, naxis = r->kind->naxis;
    for (bl_index j = 0; j < r->inner->nv; j++)
        if (r->source[j].body < 0)
            x[j] = v[r->source[j].col];
    for (bl_index b = 0; b < r->nbody; b++) {
        const double *X = w->X + b * naxis * n, *rate = parameters(sys, v, b);
        for (int k = 0; k < naxis; k++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += X[k * n + i] * rate[i];
            x[r->axes[b * naxis + k]] = sum;
        }
    }
}

static void velocities(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    int n = r->kind->n, naxis = r->kind->naxis;
    if (e->have & HAVE_XD)
        return;
    push_forward(sys, w, e->v, w->xd);
    for (bl_index b = 0; b < r->nbody; b++) {
        const double *rate = parameters(sys, e->v, b);
        double *V = w->V + b * naxis * n;
        bl_orientation_turn(r->kind, parameters(sys, e->q, b), rate, V);
        keep_slopes(r, e, b, V);
        for (int k = 0; k < naxis; k++) {
            w->still[b * naxis + k] = 0;
            for (int i = 0; i < n; i++)
                w->still[b * naxis + k] += V[k * n + i] * rate[i];
        }
    }
    w->inner.v = w->xd;
    w->inner.have &= BL_OF_POSITION | w->inner.constant;
    e->have |= HAVE_XD;
}

/* ---- pulled back */

/* values of G: each inner one goes to its column, or to all parameters times a slope of the axes */
static void pull_columns(const bl_system *sys, const double *slope, const double *inner, double *G) {
    const bl_centred *r = bl_ref(sys);
    const bl_pattern *pat = &r->inner->pat_G;
    int n = r->kind->n, naxis = r->kind->naxis;
    for (bl_index j = 0; j < r->inner->nv; j++) {
        const bl_source *from = &r->source[j];
        for (bl_index p = pat->ptr[j]; p < pat->ptr[j + 1]; p++) {
            const bl_index *slot = r->G_slot + r->G_ptr[p];
            if (from->body < 0) {
                G[slot[0]] += inner[p];
                continue;
            }
            const double *s = slope + (from->body * naxis + from->part) * n;
            for (int i = 0; i < n; i++)
                G[slot[i]] += inner[p] * s[i];
        }
    }
}

/* Columns that do not move with q (only with its rate) do not count where slope is that of rates. */
static void pull_moving(const bl_system *sys, const double *slope, const double *inner, double *G) {
    const bl_centred *r = bl_ref(sys);
    const bl_pattern *pat = &r->inner->pat_G;
    int n = r->kind->n, naxis = r->kind->naxis;
    for (bl_index j = 0; j < r->inner->nv; j++) {
        const bl_source *from = &r->source[j];
        for (bl_index p = pat->ptr[j]; from->body >= 0 && p < pat->ptr[j + 1]; p++) {
            const bl_index *slot = r->G_slot + r->G_ptr[p];
            const double *s = slope + (from->body * naxis + from->part) * n;
            for (int i = 0; i < n; i++)
                G[slot[i]] += inner[p] * s[i];
        }
    }
}

/* K += left^T inner right; a slope NULL: only columns that come from parameters, by the slope of rates */
static void pull_both(const bl_system *sys, const double *left, const double *right, bool rates, const double *inner, double *K) {
    const bl_centred *r = bl_ref(sys);
    const bl_pattern *pat = &r->inner->pat_K;
    int n = r->kind->n, naxis = r->kind->naxis;
    static const double one = 1;
    for (bl_index j = 0; j < r->inner->nv; j++) {
        const bl_source *cj = &r->source[j];
        if (rates && cj->body < 0)
            continue;
        int nj = cj->body < 0 ? 1 : n;
        const double *sj = cj->body < 0 ? &one : right + (cj->body * naxis + cj->part) * n;
        for (bl_index p = pat->ptr[j]; p < pat->ptr[j + 1]; p++) {
            if (inner[p] == 0)
                continue;
            const bl_source *ci = &r->source[pat->idx[p]];
            int ni = ci->body < 0 ? 1 : n;
            const double *si = ci->body < 0 ? &one : left + (ci->body * naxis + ci->part) * n;
            const bl_index *slot = r->K_slot + r->K_ptr[p];
            for (int a = 0; a < ni; a++)
                for (int b = 0; b < nj; b++)
                    K[slot[a * nj + b]] += si[a] * inner[p] * sj[b];
        }
    }
}

/* out = X^T push */
static void pull_forces(const bl_system *sys, const bl_centred_work *w, const double *push, double *out) {
    const bl_centred *r = bl_ref(sys);
    int n = r->kind->n, naxis = r->kind->naxis;
    memset(out, 0, (size_t)sys->nv * sizeof *out);
    for (bl_index j = 0; j < r->inner->nv; j++) {
        const bl_source *from = &r->source[j];
        if (from->body < 0) {
            out[from->col] += push[j];
            continue;
        }
        const double *s = w->X + (from->body * naxis + from->part) * n;
        for (int i = 0; i < n; i++)
            out[from->col + i] += push[j] * s[i];
    }
}

/* ---- inertia of turning, in body axes */

typedef struct turning {
    double E[3 * BL_MOST_PARAMETERS], w[3], Iw[3], still[3]; /* spin, moment of momentum, its rate where o'' = 0: w x I w + I E' o' */
} turning;

static const double *inertia_of(const bl_centred *r, bl_index body) { return &r->m->model->body[r->body[body]].inertia[0][0]; }

static void times_inertia(const bl_centred *r, bl_index body, const double *w, double *out) {
    const double *I = inertia_of(r, body);
    if (r->kind->nspin == 1) {
        out[0] = I[8] * w[0];
        return;
    }
    for (int i = 0; i < 3; i++)
        out[i] = I[3 * i] * w[0] + I[3 * i + 1] * w[1] + I[3 * i + 2] * w[2];
}

static void spin_of(const bl_centred *r, const double *E, const double *rate, double *w) {
    for (int k = 0; k < r->kind->nspin; k++) {
        w[k] = 0;
        for (int i = 0; i < r->kind->n; i++)
            w[k] += E[k * r->kind->n + i] * rate[i];
    }
}

static void turn(const bl_system *sys, const bl_eval *e, bl_index body, turning *t) {
    const bl_centred *r = bl_ref(sys);
    bl_orientation_spin(r->kind, parameters(sys, e->q, body), t->E);
    spin_of(r, t->E, parameters(sys, e->v, body), t->w);
    times_inertia(r, body, t->w, t->Iw);
    t->still[0] = t->still[1] = t->still[2] = 0;
    for (int i = 0; r->kind->nspin == 3 && i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        t->still[i] = t->w[a] * t->Iw[b] - t->w[b] * t->Iw[a];
    }
    if (r->kind->spin)
        return;
    double s[3], Is[3];
    bl_orientation_spin_bias(r->kind, parameters(sys, e->q, body), parameters(sys, e->v, body), s, NULL, NULL);
    times_inertia(r, body, s, Is);
    for (int i = 0; i < r->kind->nspin; i++)
        t->still[i] += Is[i];
}

/* D = d(w x I w)/dw */
static void gyro_slope(const bl_centred *r, bl_index body, const turning *t, double D[9]) {
    const double *I = inertia_of(r, body);
    memset(D, 0, 9 * sizeof *D);
    for (int i = 0; r->kind->nspin == 3 && i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        for (int j = 0; j < 3; j++)
            D[3 * i + j] += t->w[a] * I[3 * b + j] - t->w[b] * I[3 * a + j];
        D[3 * i + a] += t->Iw[b];
        D[3 * i + b] -= t->Iw[a];
    }
}

/* out[n][n] += left^T D right, left and right [nspin][n] */
static void add_product(const bl_centred *r, const double *left, const double *D, const double *right, double *out) {
    int n = r->kind->n, ns = r->kind->nspin;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < ns; k++) {
            double sum = 0;
            for (int l = 0; l < ns; l++)
                sum += left[l * n + i] * D[ns == 1 ? 0 : 3 * l + k];
            for (int j = 0; j < n; j++)
                out[i * n + j] += sum * right[k * n + j];
        }
}

static void eval_M(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    int n = r->kind->n, dim = r->m->dim;
    memset(e->M, 0, (size_t)sys->pat_M.ptr[sys->nv] * sizeof(double));
    for (bl_index b = 0; b < r->nbody; b++) {
        const bl_index *slot = r->M_slot + b * (dim + n * n);
        double E[3 * BL_MOST_PARAMETERS], block[BL_MOST_PARAMETERS * BL_MOST_PARAMETERS] = {0};
        for (int k = 0; k < dim; k++)
            e->M[slot[k]] = r->m->model->body[r->body[b]].mass;
        bl_orientation_spin(r->kind, parameters(sys, e->q, b), E);
        add_product(r, E, r->kind->nspin == 1 ? inertia_of(r, b) + 8 : inertia_of(r, b), E, block);
        for (int i = 0; i < n * n; i++)
            e->M[slot[dim + i]] = block[i];
    }
    for (bl_index p = 0; p < r->inner->pat_M.ptr[r->inner->nv]; p++)
        if (r->rod_slot[p] >= 0)
            e->M[r->rod_slot[p]] += r->m->M_values[p];
}

static void eval_Ma_x(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    int n = r->kind->n;
    memset(e->Ma_x, 0, (size_t)sys->pat_K.ptr[sys->nv] * sizeof(double));
    for (bl_index b = 0; b < r->nbody; b++) {
        double E[3 * BL_MOST_PARAMETERS], S[3 * BL_MOST_PARAMETERS], w[3], Iw[3], B[BL_MOST_PARAMETERS * BL_MOST_PARAMETERS] = {0};
        const double *a = parameters(sys, e->a, b);
        bl_orientation_spin(r->kind, parameters(sys, e->q, b), E);
        spin_of(r, E, a, w);
        times_inertia(r, b, w, Iw);
        bl_orientation_spin_bend(r->kind, parameters(sys, e->q, b), Iw, B);
        bl_orientation_spin_slope(r->kind, parameters(sys, e->q, b), a, S);
        add_product(r, E, r->kind->nspin == 1 ? inertia_of(r, b) + 8 : inertia_of(r, b), S, B);
        for (int i = 0; i < n * n; i++)
            e->Ma_x[r->block[b * n * n + i]] += B[i];
    }
}

static void eval_Q(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    int n = r->kind->n;
    pull_forces(sys, w, w->inner.Q, e->Q);
    e->power = w->inner.power;
    for (bl_index b = 0; b < r->nbody && r->kind->nspin == 3; b++) {
        turning t;
        turn(sys, e, b, &t);
        double *Q = e->Q + b * r->per + r->m->dim;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < n; i++)
                Q[i] -= t.E[k * n + i] * t.still[k];
    }
}

static void axis_values(const bl_centred *r, bl_index body, const double *x, double *out) {
    for (int k = 0; k < r->kind->naxis; k++)
        out[k] = x[r->axes[body * r->kind->naxis + k]];
}

static void eval_KC(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    int n = r->kind->n;
    size_t bytes = (size_t)sys->pat_K.ptr[sys->nv] * sizeof(double);
    memset(e->K, 0, bytes);
    memset(e->C, 0, bytes);
    pull_both(sys, w->X, w->X, false, w->inner.K, e->K);
    pull_both(sys, w->X, w->V, true, w->inner.C, e->K); /* rates of the axes change with the parameters too */
    pull_both(sys, w->X, w->X, false, w->inner.C, e->C);
    for (bl_index b = 0; b < r->nbody; b++) {
        double push[BL_MOST_AXES], B[BL_MOST_PARAMETERS * BL_MOST_PARAMETERS] = {0}, D[9], S[3 * BL_MOST_PARAMETERS];
        double C[BL_MOST_PARAMETERS * BL_MOST_PARAMETERS] = {0};
        turning t;
        axis_values(r, b, w->inner.Q, push);
        bend(r, e, b, push, B);
        for (int i = 0; i < n * n; i++)
            B[i] = -B[i];
        turn(sys, e, b, &t);
        gyro_slope(r, b, &t, D);
        bl_orientation_spin_bend(r->kind, parameters(sys, e->q, b), t.still, B);
        bl_orientation_spin_slope(r->kind, parameters(sys, e->q, b), parameters(sys, e->v, b), S);
        add_product(r, t.E, D, S, B);
        add_product(r, t.E, D, t.E, C);
        if (!r->kind->spin) {
            double s[3], s_o[3 * BL_MOST_PARAMETERS], s_v[3 * BL_MOST_PARAMETERS];
            bl_orientation_spin_bias(r->kind, parameters(sys, e->q, b), parameters(sys, e->v, b), s, s_o, s_v);
            add_product(r, t.E, inertia_of(r, b), s_o, B);
            add_product(r, t.E, inertia_of(r, b), s_v, C);
        }
        for (int i = 0; i < n * n; i++) {
            e->K[r->block[b * n * n + i]] += B[i];
            e->C[r->block[b * n * n + i]] += C[i];
        }
    }
}

/* ---- rows */

static void eval_G(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    int size = r->kind->nrow * r->kind->n;
    memset(e->G, 0, (size_t)sys->pat_G.ptr[sys->nv] * sizeof(double));
    pull_columns(sys, w->X, w->inner.G, e->G);
    for (bl_index b = 0; b < r->nbody && size > 0; b++) {
        double H[BL_MOST_ORIENTATION_ROWS * BL_MOST_PARAMETERS];
        bl_orientation_row_slope(r->kind, parameters(sys, e->q, b), H);
        for (int i = 0; i < size; i++)
            e->G[r->row_slot[b * size + i]] = H[i];
    }
}

static void eval_phi(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    const bl_centred_work *w = e->own;
    memcpy(e->phi, w->inner.phi, (size_t)r->inner->np * sizeof(double));
    for (bl_index b = 0; b < r->nbody && r->kind->nrow; b++)
        bl_orientation_rows(r->kind, parameters(sys, e->q, b), e->phi + r->inner->np + b * r->kind->nrow);
}

static void eval_c(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    const bl_pattern *pat = &r->inner->pat_G;
    int n = r->kind->n, naxis = r->kind->naxis;
    memcpy(e->c, w->inner.c, (size_t)r->inner->np * sizeof(double));
    for (bl_index j = 0; j < r->inner->nv; j++)
        for (bl_index p = pat->ptr[j]; r->source[j].body >= 0 && p < pat->ptr[j + 1]; p++)
            e->c[pat->idx[p]] -= w->inner.G[p] * w->still[r->source[j].body * naxis + r->source[j].part];
    for (bl_index b = 0; b < r->nbody && r->kind->nrow; b++) {
        double H[BL_MOST_ORIENTATION_ROWS * BL_MOST_PARAMETERS];
        const double *rate = parameters(sys, e->v, b);
        bl_orientation_row_slope(r->kind, rate, H);
        for (int k = 0; k < r->kind->nrow; k++) {
            double *c = &e->c[r->inner->np + b * r->kind->nrow + k];
            *c = 0;
            for (int i = 0; i < n; i++)
                *c -= H[k * n + i] * rate[i];
        }
    }
}

static void eval_Gv_x(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    int size = r->kind->nrow * r->kind->n;
    memset(e->Gv_x, 0, (size_t)sys->pat_G.ptr[sys->nv] * sizeof(double));
    pull_columns(sys, w->X, w->inner.Gv_x, e->Gv_x);
    pull_moving(sys, w->V, w->inner.G, e->Gv_x);
    for (bl_index b = 0; b < r->nbody && size > 0; b++) {
        double H[BL_MOST_ORIENTATION_ROWS * BL_MOST_PARAMETERS];
        bl_orientation_row_slope(r->kind, parameters(sys, e->v, b), H);
        for (int i = 0; i < size; i++)
            e->Gv_x[r->row_slot[b * size + i]] = H[i];
    }
}

static void eval_GTl_x(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    int n = r->kind->n;
    memset(e->GTl_x, 0, (size_t)sys->pat_K.ptr[sys->nv] * sizeof(double));
    pull_both(sys, w->X, w->X, false, w->inner.GTl_x, e->GTl_x);
    memset(w->push, 0, (size_t)r->inner->nv * sizeof(double));
    bl_csc_multiply_transposed(&r->inner->pat_G, w->inner.G, e->lambda, w->push);
    for (bl_index b = 0; b < r->nbody; b++) {
        double push[BL_MOST_AXES], B[BL_MOST_PARAMETERS * BL_MOST_PARAMETERS] = {0};
        axis_values(r, b, w->push, push);
        bend(r, e, b, push, B);
        if (r->kind->nrow)
            bl_orientation_row_bend(r->kind, e->lambda + r->inner->np + b * r->kind->nrow, B);
        for (int i = 0; i < n * n; i++)
            e->GTl_x[r->block[b * n * n + i]] += B[i];
    }
}

static void eval_energy(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    const bl_centred_work *w = e->own;
    const bl_pattern *pat = &r->inner->pat_M;
    e->potential = w->inner.potential;
    e->kinetic = 0;
    for (bl_index j = 0; j < r->inner->nv; j++)
        for (bl_index p = pat->ptr[j]; p < pat->ptr[j + 1]; p++)
            if (r->rod_slot[p] >= 0)
                e->kinetic += 0.5 * w->xd[pat->idx[p]] * r->m->M_values[p] * w->xd[j];
    for (bl_index b = 0; b < r->nbody; b++) {
        turning t;
        turn(sys, e, b, &t);
        for (int k = 0; k < r->m->dim; k++)
            e->kinetic += 0.5 * r->m->model->body[r->body[b]].mass * e->v[b * r->per + k] * e->v[b * r->per + k];
        for (int k = 0; k < r->kind->nspin; k++)
            e->kinetic += 0.5 * t.w[k] * t.Iw[k];
    }
}

/* ---- the whole */

bl_status bl_reference_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    bl_eval *in = &w->inner;
    const uint32_t same = BL_PHI | BL_G | BL_B | BL_C | BL_Q | BL_KC | BL_GV_X | BL_GTL_X | BL_ENERGY | BL_POSE | BL_WRENCH | BL_EVENTS |
                          BL_VARIABLES | BL_PROBES | BL_LOADS;
    const uint32_t of_velocity =
        BL_Q | BL_C | BL_KC | BL_GV_X | BL_ENERGY | BL_POSE | BL_WRENCH | BL_EVENTS | BL_VARIABLES | BL_PROBES | BL_LOADS;
    want &= ~e->have;
    uint32_t ask = want & same;
    if (want & (BL_C | BL_GV_X | BL_GTL_X))
        ask |= BL_G;
    if (want & BL_KC)
        ask |= BL_Q;
    in->t = e->t;
    in->history = e->history;
    in->load = e->load;
    positions(sys, e);
    if (want & of_velocity)
        velocities(sys, e);
    in->lambda = e->lambda;
    if (want & (BL_WRENCH | BL_LOADS)) {
        push_forward(sys, w, e->a, w->xdd);
        for (bl_index b = 0; b < r->nbody; b++)
            for (int k = 0; k < r->kind->naxis; k++)
                w->xdd[r->axes[b * r->kind->naxis + k]] += w->still[b * r->kind->naxis + k];
        in->a = w->xdd;
        in->have &= ~(uint32_t)(BL_WRENCH | BL_LOADS);
    }
    if (want & BL_Q)
        in->have &= ~(uint32_t)BL_Q; /* loads may have changed */
    in->have &= ~(uint32_t)BL_GTL_X;
    BL_TRY(bl_system_eval(r->inner, in, ask));
    if (want & BL_M)
        eval_M(sys, e);
    if (want & BL_MA_X)
        eval_Ma_x(sys, e);
    if (want & BL_PHI)
        eval_phi(sys, e);
    if (want & BL_G)
        eval_G(sys, e);
    if (want & BL_B) {
        memset(e->b, 0, (size_t)sys->np * sizeof(double));
        memcpy(e->b, in->b, (size_t)r->inner->np * sizeof(double));
    }
    if (want & BL_C)
        eval_c(sys, e);
    if (want & BL_GV_X)
        eval_Gv_x(sys, e);
    if (want & BL_GTL_X)
        eval_GTl_x(sys, e);
    if (want & BL_Q)
        eval_Q(sys, e);
    if (want & BL_KC)
        eval_KC(sys, e);
    if (want & BL_ENERGY)
        eval_energy(sys, e);
    bl_pulled_hand_out(sys, e, in, want);
    if (want & BL_WRENCH)
        memcpy(e->wrench, in->wrench, (size_t)sys->njoint * sizeof *e->wrench);
    if (want & BL_LOADS)
        memcpy(e->load_now, in->load_now, (size_t)sys->nload * sizeof(double));
    return BL_OK;
}
