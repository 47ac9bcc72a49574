/* Evaluation of the constrained system: constraint equations, their derivatives, mass, gravity. The hot loops run over flat lists made
 * by compile.c and allocate nothing. */
#include "coords/mechanism.h"

#include <math.h>
#include <string.h>

/* Flags of this system in bl_eval.have: directions, and their rates, are up to date. */
enum { HAVE_D = BL_OWN_POSITION, HAVE_DD = BL_OWN_VELOCITY };

static void apply_forms(const bl_mechanism *m, const double *x, double *D) {
    for (bl_index i = 0; i < m->npair; i++) {
        const struct bl_pair *pair = &m->pair[i];
        D[pair->row] = pair->ca * x[pair->a] + pair->cb * x[pair->b];
    }
    const bl_index *ptr = m->form_ptr, *entry = m->form_entry;
    const double *coef = m->form_coef;
    for (bl_index h = 0; h < m->nwide; h++) {
        bl_index row = m->wide[h];
        double sum = 0;
        for (bl_index i = ptr[row]; i < ptr[row + 1]; i++)
            sum += coef[i] * x[entry[i]];
        D[row] = sum;
    }
}

static void positions(const bl_mechanism *m, bl_eval *e) {
    if (e->have & HAVE_D)
        return;
    bl_mech_work *w = e->own;
    memcpy(w->x, e->q, (size_t)m->nfree * sizeof(double));
    apply_forms(m, w->x, w->D);
    w->shapes_known = false;
    for (bl_index i = 0; i < m->nproduct; i++)
        bl_product_trig(&m->product[i], w->x, w->trig[i]);
    e->have |= HAVE_D;
}

static void velocities(const bl_mechanism *m, bl_eval *e) {
    if (e->have & HAVE_DD)
        return;
    bl_mech_work *w = e->own;
    memcpy(w->xd, e->v, (size_t)m->nfree * sizeof(double));
    apply_forms(m, w->xd, w->Dd);
    e->have |= HAVE_DD;
}

/* rows += factor coef a.b over the quadratic terms, a and b taken from D */
static void add_dots(const bl_mechanism *m, double factor, const double *restrict D, double *restrict rows) {
    for (bl_index i = 0; i < m->nquad && m->dim == 2; i++) {
        const struct bl_quad *q = &m->quad[i];
        const double *a = D + q->a * 2, *b = D + q->b * 2;
        rows[q->row] += factor * q->coef * (a[0] * b[0] + a[1] * b[1]);
    }
    for (bl_index i = 0; i < m->nquad && m->dim == 3; i++) {
        const struct bl_quad *q = &m->quad[i];
        const double *a = D + q->a * 3, *b = D + q->b * 3;
        rows[q->row] += factor * q->coef * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
}

/* values and derivatives of the driven variables */
static void drivers(const bl_mechanism *m, bl_eval *e, double *phi, double *b, double *c) {
    bl_mech_work *w = e->own;
    for (bl_index d = 0; d < m->model->ndriver; d++) {
        double f[3];
        bl_driver_inputs(m, d, e->t, w->piece, e->u, e->u_order, 2, w->tape_in);
        bl_tape_series(bl_driver_tape(m, d), 2, w->tape_in, f, w->tape_work);
        bl_index row = m->driver_row[d];
        if (phi)
            phi[row] -= f[0];
        if (b)
            b[row] += f[1];
        if (c)
            c[row] += 2 * f[2];
    }
}

static void eval_phi(const bl_mechanism *m, bl_eval *e) {
    bl_mech_work *w = e->own;
    double *phi = e->phi;
    if (m->nrow) /* a model in which all is fixed has no rows */
        memcpy(phi, m->row_constant, (size_t)m->nrow * sizeof *phi);
    for (bl_index i = 0; i < m->nlinear; i++)
        phi[m->linear[i].row] += m->linear[i].coef * w->x[m->linear[i].entry];
    add_dots(m, 1, w->D, phi);
    for (bl_index i = 0; i < m->nproduct; i++) {
        double value;
        if (bl_contact_row_idle(m, e, m->product[i].row, false))
            continue;
        bl_product_eval(m, &m->product[i], w->D, w->x, w->trig[i], &value, NULL, NULL);
        phi[m->product[i].row] += value;
    }
    drivers(m, e, phi, NULL, NULL);
    bl_contact_rows_store_gaps(m, e);
    bl_contact_rows_leave(m, e, phi);
}

/* adds the gradient of a product row with respect to its local values to pat_G */
static void scatter(const bl_product *p, const double *local, double *G) {
    for (bl_index i = 0; i < p->nmap; i++)
        G[p->G_slot[p->map_entry[i]]] += p->map_coef[i] * local[p->map_local[i]];
}

static void add_ops(const bl_mechanism *m, const double *restrict D, double *restrict G) {
    const struct bl_G_op *op = m->G_op;
    for (bl_index i = 0; i < m->nG_op; i++)
        G[op[i].slot] += op[i].w * D[op[i].source];
}

static void eval_G(const bl_system *sys, const bl_mechanism *m, bl_eval *e) {
    bl_mech_work *w = e->own;
    double *G = e->G;
    const double *D = w->D;
    memcpy(G, m->G_constant, (size_t)sys->pat_G.ptr[m->nfree] * sizeof *G);
    add_ops(m, D, G);
    for (bl_index i = 0; i < m->nproduct; i++) {
        double value, grad[BL_LOCAL];
        if (bl_contact_row_idle(m, e, m->product[i].row, true))
            continue;
        bl_product_eval(m, &m->product[i], D, w->x, w->trig[i], &value, grad, NULL);
        scatter(&m->product[i], grad, G);
    }
    bl_contact_rows_leave_G(m, e, G, true);
}

static void eval_c(const bl_mechanism *m, bl_eval *e) {
    bl_mech_work *w = e->own;
    double *c = e->c;
    memset(c, 0, (size_t)m->nrow * sizeof *c);
    add_dots(m, -2, w->Dd, c);
    for (bl_index i = 0; i < m->nproduct; i++)
        if (!bl_contact_row_idle(m, e, m->product[i].row, false))
            c[m->product[i].row] -= bl_product_gamma(m, &m->product[i], w->D, w->Dd, w->x, w->xd, w->trig[i]);
    drivers(m, e, NULL, NULL, c);
    bl_contact_rows_leave(m, e, c);
}

/* d(G v)/dx: the gradient of quadratic rows is linear in D, so the same list applies to the rates */
static void eval_Gv_x(const bl_system *sys, const bl_mechanism *m, bl_eval *e) {
    bl_mech_work *w = e->own;
    memset(e->Gv_x, 0, (size_t)sys->pat_G.ptr[m->nfree] * sizeof(double));
    add_ops(m, w->Dd, e->Gv_x);
    for (bl_index i = 0; i < m->nproduct; i++) {
        const bl_product *p = &m->product[i];
        double value, grad[BL_LOCAL], hess[BL_LOCAL * BL_LOCAL], out[BL_LOCAL];
        if (bl_contact_row_idle(m, e, p->row, false))
            continue;
        bl_product_eval(m, p, w->D, w->x, w->trig[i], &value, grad, hess);
        bl_index n = p->ndir * m->dim + p->nscalar;
        for (bl_index r = 0; r < n; r++) {
            out[r] = 0;
            for (bl_index s = 0; s < n; s++) {
                bool scalar = s >= p->ndir * m->dim;
                double rate = scalar ? w->xd[p->scalar[s - p->ndir * m->dim]] : w->Dd[p->dir[s / m->dim] * m->dim + s % m->dim];
                out[r] += hess[s * n + r] * rate; /* symmetric, except where only velocities are restricted */
            }
        }
        scatter(p, out, e->Gv_x);
    }
    bl_contact_rows_leave_G(m, e, e->Gv_x, false);
}

void bl_product_add_bend(const bl_mechanism *m, const bl_product *p, const bl_mech_work *w, double force, double *K) {
    double value, grad[BL_LOCAL], hess[BL_LOCAL * BL_LOCAL];
    bl_product_eval(m, p, w->D, w->x, w->trig[p - m->product], &value, grad, hess);
    bl_index n = p->ndir * m->dim + p->nscalar;
    for (bl_index a = 0; a < p->nmap; a++)
        for (bl_index b = 0; b < p->nmap; b++)
            K[p->K_slot[p->map_entry[a] * p->nentry + p->map_entry[b]]] +=
                force * p->map_coef[a] * p->map_coef[b] * hess[p->map_local[a] * n + p->map_local[b]];
}

static void eval_GTl_x(const bl_system *sys, const bl_mechanism *m, bl_eval *e) {
    bl_mech_work *w = e->own;
    memset(e->GTl_x, 0, (size_t)sys->pat_K.ptr[m->nfree] * sizeof(double));
    for (bl_index i = 0; i < m->nK_op; i++)
        e->GTl_x[m->K_op[i].slot] += m->K_op[i].w * e->lambda[m->K_op[i].row];
    for (bl_index i = 0; i < m->nproduct; i++)
        if (e->lambda[m->product[i].row] != 0)
            bl_product_add_bend(m, &m->product[i], w, e->lambda[m->product[i].row], e->GTl_x);
}

double bl_row_slope(const bl_mechanism *m, const bl_mech_work *w, bl_index row, bl_index entry) {
    double slope = 0;
    for (bl_index i = 0; i < m->nlinear; i++)
        if (m->linear[i].row == row && m->linear[i].entry == entry)
            slope += m->linear[i].coef;
    for (bl_index i = 0; i < m->nproduct; i++) {
        const bl_product *p = &m->product[i];
        double value, grad[BL_LOCAL];
        if (p->row != row)
            continue;
        bl_product_eval(m, p, w->D, w->x, w->trig[i], &value, grad, NULL);
        for (bl_index k = 0; k < p->nmap; k++)
            if (p->entry[p->map_entry[k]] == entry)
                slope += p->map_coef[k] * grad[p->map_local[k]];
    }
    return slope;
}

static void eval_M(const bl_system *sys, const bl_mechanism *m, bl_eval *e) {
    memcpy(e->M, m->M_values, (size_t)sys->pat_M.ptr[m->nfree] * sizeof(double));
    bl_floating_eval(sys, e, BL_M);
}

static void eval_Ma_x(const bl_system *sys, const bl_mechanism *m, bl_eval *e) {
    memset(e->Ma_x, 0, (size_t)sys->pat_K.ptr[m->nfree] * sizeof(double));
    bl_floating_eval(sys, e, BL_MA_X);
}

static void eval_kinetic(const bl_system *sys, const bl_mechanism *m, bl_eval *e) {
    double sum = 0;
    for (bl_index j = 0; j < m->nfree; j++)
        for (bl_index i = sys->pat_M.ptr[j]; i < sys->pat_M.ptr[j + 1]; i++)
            sum += e->v[sys->pat_M.idx[i]] * m->M_values[i] * e->v[j];
    e->kinetic = 0.5 * sum;
    bl_floating_eval(sys, e, BL_ENERGY);
}

bl_status bl_mech_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_mechanism *m = bl_mech(sys);
    const uint32_t of_velocity = BL_Q | BL_C | BL_KC | BL_GV_X | BL_ENERGY | BL_POSE | BL_WRENCH | BL_VARIABLES | BL_PROBES | BL_LOADS |
                                 BL_FORCES | BL_U | BL_SIGNALS | BL_SIGNAL_X | BL_SIGNAL_RATE | BL_CONTACTS;
    want &= ~e->have;
    if (want & (BL_WRENCH | BL_LOADS | BL_FORCES))
        want |= BL_POSE;
    if (want & BL_EVENTS)
        want |= m->event_needs;
    if ((want & (BL_Q | BL_KC | BL_WRENCH | BL_LOADS)) && m->ncontact_rub)
        want |= BL_G; /* rows of sliding */
    if (want & BL_CONTACTS)
        want |= BL_VARIABLES;
    if (want & (BL_VARIABLES | BL_PROBES))
        want |= BL_POSE;
    want &= ~e->have;
    ((bl_mech_work *)e->own)->normal = e->load;
    ((bl_mech_work *)e->own)->u = e->u;
    ((bl_mech_work *)e->own)->u_rate = e->u_rate;
    ((bl_mech_work *)e->own)->piece = bl_law_pieces_selected(m, e->history);
    if ((want & ~(uint32_t)(BL_M | BL_MA_X | BL_B)) || (m->nfloating && want))
        positions(m, e);
    if (want & of_velocity)
        velocities(m, e);
    if (want & BL_M)
        eval_M(sys, m, e);
    if (want & BL_MA_X)
        eval_Ma_x(sys, m, e);
    if (want & BL_PHI)
        eval_phi(m, e);
    if (want & BL_G)
        eval_G(sys, m, e);
    if (want & BL_B) {
        memset(e->b, 0, (size_t)m->nrow * sizeof(double));
        drivers(m, e, NULL, e->b, NULL);
    }
    if (want & BL_C)
        eval_c(m, e);
    if (want & BL_GV_X)
        eval_Gv_x(sys, m, e);
    if (want & BL_GTL_X)
        eval_GTl_x(sys, m, e);
    if (want & (BL_Q | BL_KC | BL_ENERGY))
        BL_TRY(bl_loads_eval(sys, e, want));
    if (want & BL_U)
        bl_loads_by_held(sys, e);
    if (want & (BL_SIGNALS | BL_SIGNAL_X | BL_SIGNAL_RATE))
        bl_signal_laws_eval(sys, e, want);
    if (want & BL_ENERGY)
        eval_kinetic(sys, m, e);
    if (want & BL_POSE)
        bl_poses(sys, e);
    if (want & BL_VARIABLES)
        bl_gauges(sys, e);
    if (want & (BL_PROBES | BL_EVENTS))
        bl_probes_events(sys, e, want);
    if (want & BL_EVENTS)
        bl_contact_rows_events(sys, e);
    if (want & BL_CONTACTS)
        bl_contacts_show(m, sys->contact, e, e->lambda, e->contact);
    if (want & BL_FORCES)
        bl_pushes(sys, e);
    if (want & BL_WRENCH)
        bl_wrenches(sys, e);
    if (want & BL_LOADS)
        bl_normal_loads(sys, e);
    e->have |= want;
    return BL_OK;
}
