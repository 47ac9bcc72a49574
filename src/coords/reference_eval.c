/* Values: those of the mechanism, transformed body by body. */
#include "coords/reference.h"

#include "coords/derived_coords.h"

#include <string.h>

enum { HAVE_X = BL_OWN_POSITION, HAVE_XD = BL_OWN_VELOCITY };

/* ---- positions and velocities */

static const double *kept_axes(const bl_reference_system *r, const bl_oriented *b, const unsigned char *history) {
    if (b->kept < 0)
        return NULL;
    return history ? (const double *)(const void *)(history + r->on.inner_history) + 9 * b->kept : b->used->kept;
}

/* columns of [naxis][n] multiplied by C */
static void keep_slopes(const bl_reference_system *r, const bl_eval *e, const bl_oriented *b, double *X) {
    const double *C = kept_axes(r, b, e->history);
    int n = b->kind->n;
    for (int i = 0; C && i < n; i++) {
        double column[BL_MOST_AXES];
        for (int k = 0; k < 9; k++)
            column[k] = X[k * n + i];
        bl_orientation_rotate(C, 3, column);
        for (int k = 0; k < 9; k++)
            X[k * n + i] = column[k];
    }
}

/* B += sum_k force_k d2 r_k / do do, force: generalized forces on the axes, overwritten */
static void add_curvature(const bl_reference_system *r, const bl_eval *e, const bl_oriented *b, double *force, double *B) {
    const double *C = kept_axes(r, b, e->history);
    if (C) {
        double back[9] = {C[0], C[3], C[6], C[1], C[4], C[7], C[2], C[5], C[8]};
        bl_orientation_rotate(back, 3, force);
    }
    bl_orientation_curvature(b->kind, e->q + b->o_q, force, B);
}

static void set_axes(const bl_reference_system *r, const bl_eval *e, double *x) {
    for (bl_index j = 0; j < r->on.inner->nv; j++)
        if (r->source[j].body < 0)
            x[j] = e->q[r->source[j].q];
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        double axes[BL_MOST_AXES];
        const double *C = kept_axes(r, b, e->history);
        bl_orientation_axes(b->kind, e->q + b->o_q, axes);
        if (C)
            bl_orientation_rotate(C, 3, axes);
        for (bl_index k = 0; k < r->naxis; k++)
            x[b->axes[k]] = axes[k];
    }
}

static void positions(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    bl_reference_work *w = e->own;
    if (e->have & HAVE_X)
        return;
    set_axes(r, e, w->x);
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        double *X = w->X + b->slope;
        bl_orientation_slope(b->kind, e->q + b->o_q, X);
        keep_slopes(r, e, b, X);
    }
    w->inner.q = w->x;
    w->inner.have = w->inner.constant;
    e->have |= HAVE_X;
    e->have &= ~(uint32_t)HAVE_XD;
}

/* derivative times v for one component of the axes */
static double along(const bl_source *from, const double *slope, const double *v) {
    double sum = 0;
    for (bl_index i = 0; i < from->n; i++)
        sum += slope[from->slope + i] * v[from->col + i];
    return sum;
}

/* x = X v for the axes, the rest is copied */
static void rates_of_x(const bl_system *sys, const bl_reference_work *w, const double *v, double *x) {
    const bl_reference_system *r = bl_ref(sys);
    for (bl_index j = 0; j < r->on.inner->nv; j++)
        if (r->source[j].body < 0)
            x[j] = v[r->source[j].col];
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++)
        for (bl_index k = 0; k < r->naxis; k++)
            x[b->axes[k]] = along(&r->source[b->axes[k]], w->X, v);
}

static const bl_body *body_of(const bl_reference_system *r, const bl_oriented *b) { return &r->on.m->model->body[b->body]; }

/* [nspin][3] */
static const double *inertia_of(const bl_reference_system *r, const bl_oriented *b) {
    return b->kind->nspin == 1 ? &body_of(r, b)->inertia[2][2] : &body_of(r, b)->inertia[0][0];
}

static void times_inertia(const bl_reference_system *r, const bl_oriented *b, const double *w, double *out) {
    const double *I = inertia_of(r, b);
    if (b->kind->nspin == 1) {
        out[0] = I[0] * w[0];
        return;
    }
    for (int i = 0; i < 3; i++)
        out[i] = I[3 * i] * w[0] + I[3 * i + 1] * w[1] + I[3 * i + 2] * w[2];
}

static void spin_of(const bl_orientation *kind, const double *E, const double *rate, double *w) {
    for (int k = 0; k < kind->nspin; k++) {
        w[k] = 0;
        for (int i = 0; i < kind->n; i++)
            w[k] += E[k * kind->n + i] * rate[i];
    }
}

static void rotate_body(const bl_reference_system *r, const bl_eval *e, const bl_oriented *b, bl_spin *t) {
    bl_orientation_spin(b->kind, e->q + b->o_q, t->E);
    spin_of(b->kind, t->E, e->v + b->o, t->w);
    times_inertia(r, b, t->w, t->Iw);
    t->bias[0] = t->bias[1] = t->bias[2] = 0;
    for (int i = 0; b->kind->nspin == 3 && i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t->bias[i] = t->w[j] * t->Iw[k] - t->w[k] * t->Iw[j];
    }
    if (b->kind->spin)
        return;
    double s[3], Is[3];
    bl_orientation_spin_bias(b->kind, e->q + b->o_q, e->v + b->o, s, NULL, NULL);
    times_inertia(r, b, s, Is);
    for (int i = 0; i < b->kind->nspin; i++)
        t->bias[i] += Is[i];
}

static void velocities(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    bl_reference_work *w = e->own;
    if (e->have & HAVE_XD)
        return;
    rates_of_x(sys, w, e->v, w->xd);
    double *bias = w->bias;
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        double *V = w->V + b->slope;
        bl_orientation_slope_along(b->kind, e->q + b->o_q, e->v + b->o, V);
        keep_slopes(r, e, b, V);
        for (bl_index k = 0; k < r->naxis; k++)
            *bias++ = along(&r->source[b->axes[k]], w->V, e->v);
        rotate_body(r, e, b, &w->turning[b - r->body]);
    }
    w->inner.v = w->xd;
    w->inner.have &= BL_OF_POSITION | w->inner.constant;
    e->have |= HAVE_XD;
}

/* ---- transformation to q */

/* values of G: each inner value goes to its column, or to all parameters times a derivative of the axes; rates: `slope` is that of
 * rates, and columns that do not depend on q are skipped */
static void pull_columns(const bl_system *sys, const double *slope, bool rates, const double *inner, double *G) {
    const bl_reference_system *r = bl_ref(sys);
    const bl_pattern *pat = &r->on.inner->pat_G;
    for (bl_index j = 0; j < r->on.inner->nv; j++) {
        const bl_source *from = &r->source[j];
        if (from->body < 0 && rates)
            continue;
        for (bl_index p = pat->ptr[j]; p < pat->ptr[j + 1]; p++) {
            const bl_index *slot = r->G_slot + r->G_ptr[p];
            if (from->body < 0) {
                G[slot[0]] += inner[p];
                continue;
            }
            const double *s = slope + from->slope;
            for (bl_index i = 0; i < from->n; i++)
                G[slot[i]] += inner[p] * s[i];
        }
    }
}

/* K += left^T inner right; rates: `right` is the rate of the slopes, and columns that do not depend on parameters are skipped */
static void pull_both(const bl_system *sys, const double *left, const double *right, bool rates, const double *inner, double *K) {
    const bl_reference_system *r = bl_ref(sys);
    const bl_pattern *pat = &r->on.inner->pat_K;
    static const double one = 1;
    for (bl_index j = 0; j < r->on.inner->nv; j++) {
        const bl_source *cj = &r->source[j];
        if (rates && cj->body < 0)
            continue;
        bl_index nj = cj->n;
        const double *sj = cj->body < 0 ? &one : right + cj->slope;
        for (bl_index p = pat->ptr[j]; p < pat->ptr[j + 1]; p++) {
            if (inner[p] == 0)
                continue;
            const bl_source *ci = &r->source[pat->idx[p]];
            const double *si = ci->body < 0 ? &one : left + ci->slope;
            const bl_index *slot = r->K_slot + r->K_ptr[p];
            for (bl_index a = 0; a < ci->n; a++)
                for (bl_index b = 0; b < nj; b++)
                    K[slot[a * nj + b]] += si[a] * inner[p] * sj[b];
        }
    }
}

/* out = X^T Q_x */
static void pull_forces(const bl_system *sys, const bl_reference_work *w, const double *Q_x, double *out) {
    const bl_reference_system *r = bl_ref(sys);
    memset(out, 0, (size_t)sys->nv * sizeof *out);
    for (bl_index j = 0; j < r->on.inner->nv; j++) {
        const bl_source *from = &r->source[j];
        if (from->body < 0) {
            out[from->col] += Q_x[j];
            continue;
        }
        const double *s = w->X + from->slope;
        for (bl_index i = 0; i < from->n; i++)
            out[from->col + i] += Q_x[j] * s[i];
    }
}

/* ---- rotational inertia */

/* D = d(w x I w)/dw */
static void gyro_slope(const bl_reference_system *r, const bl_oriented *b, const bl_spin *t, double D[9]) {
    const double *I = inertia_of(r, b);
    memset(D, 0, 9 * sizeof *D);
    for (int i = 0; b->kind->nspin == 3 && i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        for (int c = 0; c < 3; c++)
            D[3 * i + c] += t->w[j] * I[3 * k + c] - t->w[k] * I[3 * j + c];
        D[3 * i + j] += t->Iw[k];
        D[3 * i + k] -= t->Iw[j];
    }
}

/* out[n][n] += left^T D right, left and right [ns][n] */
static inline void add_product_of(int n, int ns, const double *left, const double *D, const double *restrict right, double *restrict out) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < ns; k++) {
            double sum = 0;
            for (int l = 0; l < ns; l++)
                sum += left[l * n + i] * D[ns == 1 ? 0 : 3 * l + k];
            for (int j = 0; j < n; j++)
                out[i * n + j] += sum * right[k * n + j];
        }
}

/* constant sizes are three times as fast */
static void add_product(const bl_orientation *kind, const double *left, const double *D, const double *right, double *out) {
    if (kind->n == 4 && kind->nspin == 3)
        add_product_of(4, 3, left, D, right, out);
    else if (kind->n == 9 && kind->nspin == 3)
        add_product_of(9, 3, left, D, right, out);
    else
        add_product_of(kind->n, kind->nspin, left, D, right, out);
}

static void eval_M(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    const double *masses = bl_derived_masses(&r->on, e->own);
    int dim = r->on.m->dim;
    memset(e->M, 0, (size_t)sys->pat_M.ptr[sys->nv] * sizeof(double));
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        double E[3 * BL_MOST_PARAMETERS], block[BL_MOST_PARAMETERS * BL_MOST_PARAMETERS] = {0};
        for (int k = 0; k < dim; k++)
            e->M[b->M_slot[k]] = body_of(r, b)->mass;
        bl_orientation_spin(b->kind, e->q + b->o_q, E);
        add_product(b->kind, E, inertia_of(r, b), E, block);
        for (int i = 0; i < b->kind->n * b->kind->n; i++)
            e->M[b->M_slot[dim + i]] = block[i];
    }
    for (bl_index p = 0; p < r->on.inner->pat_M.ptr[r->on.inner->nv]; p++)
        if (r->copied_slot[p] >= 0)
            e->M[r->copied_slot[p]] += masses[p];
}

static void add_block(const bl_oriented *b, const double *block, double *K) {
    for (int i = 0; i < b->kind->n * b->kind->n; i++)
        K[b->K_slot[i]] += block[i];
}

static void eval_Ma_x(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    memset(e->Ma_x, 0, (size_t)sys->pat_K.ptr[sys->nv] * sizeof(double));
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        double E[3 * BL_MOST_PARAMETERS], S[3 * BL_MOST_PARAMETERS], w[3], Iw[3], B[BL_MOST_PARAMETERS * BL_MOST_PARAMETERS] = {0};
        const double *a = e->a + b->o, *o = e->q + b->o_q;
        bl_orientation_spin(b->kind, o, E);
        spin_of(b->kind, E, a, w);
        times_inertia(r, b, w, Iw);
        bl_orientation_spin_curvature(b->kind, o, Iw, B);
        bl_orientation_spin_slope(b->kind, o, a, S);
        add_product(b->kind, E, inertia_of(r, b), S, B);
        add_block(b, B, e->Ma_x);
    }
    if (r->on.m->nfloating) { /* of copied columns */
        bl_reference_work *work = e->own;
        pull_both(sys, work->X, work->X, false, work->inner.Ma_x, e->Ma_x);
    }
}

static void eval_Q(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    bl_reference_work *w = e->own;
    pull_forces(sys, w, w->inner.Q, e->Q);
    e->power = w->inner.power;
    for (const bl_oriented *b = r->body; b < r->body + r->nbody && r->on.m->dim == 3; b++) {
        const bl_spin *t = &w->turning[b - r->body];
        double *Q = e->Q + b->o;
        int n = b->kind->n;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < n; i++)
                Q[i] -= t->E[k * n + i] * t->bias[k];
    }
}

static void axis_values(const bl_reference_system *r, const bl_oriented *b, const double *x, double *out) {
    for (bl_index k = 0; k < r->naxis; k++)
        out[k] = x[b->axes[k]];
}

static void eval_KC(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    bl_reference_work *w = e->own;
    size_t bytes = (size_t)sys->pat_K.ptr[sys->nv] * sizeof(double);
    memset(e->K, 0, bytes);
    memset(e->C, 0, bytes);
    pull_both(sys, w->X, w->X, false, w->inner.K, e->K);
    pull_both(sys, w->X, w->V, true, w->inner.C, e->K); /* rates of the axes depend on the parameters too */
    pull_both(sys, w->X, w->X, false, w->inner.C, e->C);
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        double axis_force[BL_MOST_AXES], B[BL_MOST_PARAMETERS * BL_MOST_PARAMETERS] = {0}, D[9], S[3 * BL_MOST_PARAMETERS];
        double C[BL_MOST_PARAMETERS * BL_MOST_PARAMETERS] = {0};
        const double *o = e->q + b->o_q, *rate = e->v + b->o;
        const bl_spin *t = &w->turning[b - r->body];
        axis_values(r, b, w->inner.Q, axis_force);
        add_curvature(r, e, b, axis_force, B);
        for (int i = 0; i < b->kind->n * b->kind->n; i++)
            B[i] = -B[i];
        gyro_slope(r, b, t, D);
        bl_orientation_spin_curvature(b->kind, o, t->bias, B);
        bl_orientation_spin_slope(b->kind, o, rate, S);
        add_product(b->kind, t->E, D, S, B);
        add_product(b->kind, t->E, D, t->E, C);
        if (!b->kind->spin) {
            double s[3], s_o[3 * BL_MOST_PARAMETERS], s_v[3 * BL_MOST_PARAMETERS];
            bl_orientation_spin_bias(b->kind, o, rate, s, s_o, s_v);
            add_product(b->kind, t->E, inertia_of(r, b), s_o, B);
            add_product(b->kind, t->E, inertia_of(r, b), s_v, C);
        }
        add_block(b, B, e->K);
        add_block(b, C, e->C);
    }
}

/* ---- constraint equations */

/* derivatives of the equations of all bodies at o, or with `rates` their rates for o' */
static void body_rows(const bl_reference_system *r, bool rates, const double *at, double *G) {
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        double H[BL_MOST_ORIENTATION_ROWS * BL_MOST_PARAMETERS];
        if (b->kind->nrow == 0)
            continue;
        bl_orientation_row_slope(b->kind, at + (rates ? b->o : b->o_q), H);
        for (int i = 0; i < b->kind->nrow * b->kind->n; i++)
            G[b->row_slot[i]] = H[i];
    }
}

static void eval_G(const bl_system *sys, bl_eval *e) {
    bl_reference_work *w = e->own;
    memset(e->G, 0, (size_t)sys->pat_G.ptr[sys->nv] * sizeof(double));
    pull_columns(sys, w->X, false, w->inner.G, e->G);
    body_rows(bl_ref(sys), false, e->q, e->G);
}

static void eval_phi(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    const bl_reference_work *w = e->own;
    memcpy(e->phi, w->inner.phi, (size_t)r->on.inner->np * sizeof(double));
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++)
        bl_orientation_rows(b->kind, e->q + b->o_q, e->phi + b->row);
}

static void eval_c(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    bl_reference_work *w = e->own;
    const bl_pattern *pat = &r->on.inner->pat_G;
    memcpy(e->c, w->inner.c, (size_t)r->on.inner->np * sizeof(double));
    for (bl_index j = 0; j < r->on.inner->nv; j++)
        for (bl_index p = pat->ptr[j]; r->source[j].body >= 0 && p < pat->ptr[j + 1]; p++)
            e->c[pat->idx[p]] -= w->inner.G[p] * w->bias[r->source[j].body * r->naxis + r->source[j].part];
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        double H[BL_MOST_ORIENTATION_ROWS * BL_MOST_PARAMETERS];
        const double *rate = e->v + b->o;
        bl_orientation_row_slope(b->kind, rate, H);
        for (int k = 0; k < b->kind->nrow; k++) {
            double *c = &e->c[b->row + k];
            *c = 0;
            for (int i = 0; i < b->kind->n; i++)
                *c -= H[k * b->kind->n + i] * rate[i];
        }
    }
}

static void eval_Gv_x(const bl_system *sys, bl_eval *e) {
    bl_reference_work *w = e->own;
    memset(e->Gv_x, 0, (size_t)sys->pat_G.ptr[sys->nv] * sizeof(double));
    pull_columns(sys, w->X, false, w->inner.Gv_x, e->Gv_x);
    pull_columns(sys, w->V, true, w->inner.G, e->Gv_x);
    body_rows(bl_ref(sys), true, e->v, e->Gv_x);
}

static void eval_GTl_x(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    bl_reference_work *w = e->own;
    memset(e->GTl_x, 0, (size_t)sys->pat_K.ptr[sys->nv] * sizeof(double));
    pull_both(sys, w->X, w->X, false, w->inner.GTl_x, e->GTl_x);
    memset(w->Q_x, 0, (size_t)r->on.inner->nv * sizeof(double));
    bl_csc_multiply_transposed(&r->on.inner->pat_G, w->inner.G, e->lambda, w->Q_x);
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        double axis_force[BL_MOST_AXES], B[BL_MOST_PARAMETERS * BL_MOST_PARAMETERS] = {0};
        axis_values(r, b, w->Q_x, axis_force);
        add_curvature(r, e, b, axis_force, B);
        if (b->kind->nrow)
            bl_orientation_row_curvature(b->kind, e->lambda + b->row, B);
        add_block(b, B, e->GTl_x);
    }
}

static void eval_energy(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    const bl_reference_work *w = e->own;
    const bl_pattern *pat = &r->on.inner->pat_M;
    const double *masses = bl_derived_masses(&r->on, &w->inner);
    e->potential = w->inner.potential;
    e->kinetic = 0;
    for (bl_index j = 0; j < r->on.inner->nv; j++)
        for (bl_index p = pat->ptr[j]; p < pat->ptr[j + 1]; p++)
            if (r->copied_slot[p] >= 0)
                e->kinetic += 0.5 * w->xd[pat->idx[p]] * masses[p] * w->xd[j];
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        const bl_spin *t = &w->turning[b - r->body];
        for (int k = 0; k < r->on.m->dim; k++)
            e->kinetic += 0.5 * body_of(r, b)->mass * e->v[b->col + k] * e->v[b->col + k];
        for (int k = 0; k < b->kind->nspin; k++)
            e->kinetic += 0.5 * t->w[k] * t->Iw[k];
    }
}

/* s(x, x') with x' = X v: s_q = s_x X + s_x' d(X v)/dq, s_v = s_x' X */
static void eval_signal_x(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    const bl_reference_work *w = e->own;
    const bl_pattern *pat = &r->on.inner->pat_S;
    size_t n = (size_t)sys->pat_S.ptr[sys->nsignal];
    memset(e->signal_x, 0, n * sizeof(double));
    memset(e->signal_v, 0, n * sizeof(double));
    for (bl_index p = 0; p < pat->ptr[sys->nsignal]; p++) {
        const bl_source *from = &r->source[pat->idx[p]];
        const bl_index *slot = r->on.S_slot + r->on.S_ptr[p];
        double by_x = w->inner.signal_x[p], by_v = w->inner.signal_v[p];
        for (bl_index i = 0; i < from->n; i++) {
            double X = from->body < 0 ? 1 : w->X[from->slope + i], V = from->body < 0 ? 0 : w->V[from->slope + i];
            e->signal_x[slot[i]] += by_x * X + by_v * V;
            e->signal_v[slot[i]] += by_v * X;
        }
    }
}

/* ---- revolutions of angles */

/* angles that q counts itself */
static void expect_angles(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    bl_reference_work *w = e->own;
    bl_mech_work *inner = w->inner.own;
    inner->expected = NULL;
    if (r->on.ncounted == 0)
        return;
    inner->expected = w->expected;
    if (e->history)
        memcpy(w->expected, e->history, (size_t)sys->nvariable * sizeof(double));
    bl_derived_expect(r->on.counted, r->on.ncounted, e->q, w->expected);
}

void bl_reference_move_to(const bl_system *sys, bl_eval *e) {
    bl_reference_work *w = e->own;
    w->inner.t = e->t;
    w->inner.history = e->history;
    positions(sys, e);
    expect_angles(sys, e);
}

double bl_reference_turning(const bl_system *sys, bl_eval *e) {
    bl_reference_work *w = e->own;
    positions(sys, e);
    velocities(sys, e);
    return bl_mech_turning(bl_ref(sys)->on.inner, &w->inner);
}

/* ---- complete evaluation */

bl_status bl_reference_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_reference_system *r = bl_ref(sys);
    bl_reference_work *w = e->own;
    bl_eval *in = &w->inner;
    const uint32_t same = BL_PHI | BL_G | BL_B | BL_C | BL_Q | BL_KC | BL_GV_X | BL_GTL_X | BL_ENERGY | BL_POSE | BL_WRENCH | BL_EVENTS |
                          BL_VARIABLES | BL_PROBES | BL_LOADS | BL_FORCES | BL_U | BL_SIGNALS | BL_SIGNAL_X | BL_SIGNAL_RATE | BL_FIELDS;
    const uint32_t of_velocity = BL_Q | BL_C | BL_KC | BL_GV_X | BL_ENERGY | BL_POSE | BL_WRENCH | BL_VARIABLES | BL_PROBES | BL_LOADS |
                                 BL_FORCES | BL_U | BL_SIGNALS | BL_SIGNAL_X | BL_SIGNAL_RATE | BL_CONTACTS | BL_FIELDS;
    want &= ~e->have;
    if (want & BL_CONTACTS)
        want |= BL_POSE | BL_VARIABLES; /* the inner system shows them */
    const uint32_t reads = want | (want & BL_EVENTS ? r->on.m->event_needs : 0);
    uint32_t ask = want & same;
    if (want & (BL_C | BL_GV_X | BL_GTL_X))
        ask |= BL_G;
    if (want & BL_KC)
        ask |= BL_Q;
    in->t = e->t;
    in->history = e->history;
    in->load = e->load;
    in->impulsive = e->impulsive;
    in->u = e->u;
    in->u_rate = e->u_rate;
    in->u_order = e->u_order;
    positions(sys, e);
    if (reads & BL_VARIABLES)
        expect_angles(sys, e);
    if (reads & of_velocity)
        velocities(sys, e);
    in->lambda = e->lambda;
    if (r->on.m->nfloating)
        ask |= (want & (BL_M | BL_ENERGY) ? BL_M : 0) | (want & BL_MA_X);
    if (ask & BL_MA_X) {
        rates_of_x(sys, w, e->a, w->xdd);
        in->a = w->xdd;
        in->have &= ~(uint32_t)BL_MA_X;
    }
    if (want & (BL_WRENCH | BL_LOADS)) {
        rates_of_x(sys, w, e->a, w->xdd);
        for (bl_index i = 0; i < r->nbody * r->naxis; i++)
            w->xdd[r->body[i / r->naxis].axes[i % r->naxis]] += w->bias[i];
        in->a = w->xdd;
        in->have &= ~(uint32_t)(BL_WRENCH | BL_LOADS);
    }
    if (want & BL_Q)
        in->have &= ~(uint32_t)BL_Q; /* loads may have changed */
    if (sys->nu)
        in->have &= ~(uint32_t)(BL_KC | BL_ENERGY | BL_U | BL_EVENTS | BL_SIGNALS | BL_SIGNAL_X | BL_SIGNAL_RATE | BL_PHI | BL_B |
                                BL_C); /* held numbers may have changed too */
    in->have &= ~(uint32_t)(BL_GTL_X | BL_FORCES);
    BL_TRY(bl_system_eval(r->on.inner, in, ask));
    if (want & BL_T)
        bl_reference_eval_T(sys, e);
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
        memcpy(e->b, in->b, (size_t)r->on.inner->np * sizeof(double));
    }
    if (want & BL_C)
        eval_c(sys, e);
    if (want & BL_GV_X)
        eval_Gv_x(sys, e);
    if (want & BL_GTL_X)
        eval_GTl_x(sys, e);
    if (want & BL_Q)
        eval_Q(sys, e);
    for (bl_index k = 0; (want & BL_U) && k < sys->nu; k++)
        pull_forces(sys, w, in->Q_u + k * r->on.inner->nv, e->Q_u + k * sys->nv);
    if (want & BL_KC)
        eval_KC(sys, e);
    if (want & BL_SIGNAL_X)
        eval_signal_x(sys, e);
    if (want & BL_ENERGY)
        eval_energy(sys, e);
    bl_derived_copy_results(sys, e, in, want);
    if (want & BL_WRENCH)
        memcpy(e->wrench, in->wrench, (size_t)sys->njoint * sizeof *e->wrench);
    if (want & BL_LOADS)
        memcpy(e->load_now, in->load_now, (size_t)sys->nload * sizeof(double));
    return BL_OK;
}
