/* Inertia of trees: composite bodies for M, articulated ones for M^-1 x (Featherstone 2008). Every column is a joint of one freedom; links
 * between the columns of one joint have no mass. All at the mass centres, in global axes. */
#include "coords/relative.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

/* y = sym x for xx yy zz xy yz zx */
static inline void symmetric(const double *s, const double *x, double *y) {
    y[0] = s[0] * x[0] + s[3] * x[1] + s[5] * x[2];
    y[1] = s[3] * x[0] + s[1] * x[1] + s[4] * x[2];
    y[2] = s[5] * x[0] + s[4] * x[1] + s[2] * x[2];
}

/* out = [A B; B^T M] S */
static inline void times_inertia(const double *A, const double *B, const double *M, const double *S, double *out) {
    const double *u = S, *s = S + 3;
    symmetric(A, u, out);
    symmetric(M, s, out + 3);
    for (int i = 0; i < 3; i++) {
        out[i] += B[3 * i] * s[0] + B[3 * i + 1] * s[1] + B[3 * i + 2] * s[2];
        out[3 + i] += B[i] * u[0] + B[3 + i] * u[1] + B[6 + i] * u[2];
    }
}

/* adds the inertia [A B; B^T M] at c = c_p + d to the one at c_p */
static inline void add_shifted(const double *A, const double *B, const double *M, const double *d, double *Ap, double *Bp, double *Mp) {
    /* B_p = B + sk(d) M,  A_p = A + sk(d) B^T - B_p sk(d) */
    double full[9] = {M[0], M[3], M[5], M[3], M[1], M[4], M[5], M[4], M[2]}, b[9];
    for (int j = 0; j < 3; j++) {
        b[j] = B[j] + d[1] * full[6 + j] - d[2] * full[3 + j];
        b[3 + j] = B[3 + j] + d[2] * full[j] - d[0] * full[6 + j];
        b[6 + j] = B[6 + j] + d[0] * full[3 + j] - d[1] * full[j];
    }
    for (int k = 0; k < 6; k++)
        Mp[k] += M[k];
    for (int k = 0; k < 9; k++)
        Bp[k] += b[k];
        /* rows of sk(d) B^T: entry (i, j) = d x (row j of B), i-th component; b sk(d): row i of b crossed into d */
#define TERM(i, j)                                                                                   \
    (d[((i) + 1) % 3] * B[3 * (j) + ((i) + 2) % 3] - d[((i) + 2) % 3] * B[3 * (j) + ((i) + 1) % 3] - \
     (b[3 * (i) + ((j) + 1) % 3] * d[((j) + 2) % 3] - b[3 * (i) + ((j) + 2) % 3] * d[((j) + 1) % 3]))
    Ap[0] += A[0] + TERM(0, 0);
    Ap[1] += A[1] + TERM(1, 1);
    Ap[2] += A[2] + TERM(2, 2);
    Ap[3] += A[3] + TERM(0, 1);
    Ap[4] += A[4] + TERM(1, 2);
    Ap[5] += A[5] + TERM(2, 0);
#undef TERM
}

static void start_inertia(const bl_tree *t, bl_tree_work *w) {
    for (bl_index i = 0; i < t->nlink; i++) {
        struct bl_link_now *l = &w->now[i];
        memcpy(l->A, l->I, sizeof l->A);
        memset(l->B, 0, sizeof l->B);
        l->M[0] = l->M[1] = l->M[2] = l->m;
        l->M[3] = l->M[4] = l->M[5] = 0;
    }
}

void bl_tree_mass(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    memset(e->M, 0, (size_t)sys->pat_M.ptr[sys->nv] * sizeof(double));
    start_inertia(t, w);
    const bl_index *slot = t->M_slot;
    for (bl_index i = t->nlink - 1; i >= 0; i--) {
        const bl_link *link = &t->link[i];
        struct bl_link_now *l = &w->now[i];
        for (bl_index a = link->col + link->ncol - 1; a >= link->col; a--) {
            double f[6];
            times_inertia(l->A, l->B, l->M, w->S[a], f);
            for (bl_index k = i; k >= 0; k = t->link[k].parent) {
                for (bl_index b = t->link[k].col; b < t->link[k].col + t->link[k].ncol; b++) {
                    const double *S = w->S[b];
                    double value = dot3(S, f) + dot3(S + 3, f + 3);
                    e->M[*slot++] = value;
                    e->M[*slot++] = value;
                }
                double moment[3];
                cross3(w->now[k].d, f + 3, moment);
                for (int c = 0; c < 3; c++)
                    f[c] += moment[c];
            }
        }
        if (link->parent >= 0) {
            struct bl_link_now *p = &w->now[link->parent];
            add_shifted(l->A, l->B, l->M, l->d, p->A, p->B, p->M);
        }
    }
    w->articulated = false;
    for (bl_index p = 0; p < t->inner->pat_M.ptr[t->inner->nv]; p++)
        if (t->rod_slot[p] >= 0)
            e->M[t->rod_slot[p]] += t->m->M_values[p];
}

bl_status bl_tree_articulate(const bl_system *sys, bl_tree_work *w) {
    const bl_tree *t = bl_tree_of(sys);
    if (w->articulated)
        return BL_OK;
    start_inertia(t, w);
    for (bl_index i = t->nlink - 1; i >= 0; i--) {
        const bl_link *link = &t->link[i];
        struct bl_link_now *l = &w->now[i];
        for (bl_index a = link->col + link->ncol - 1; a >= link->col; a--) {
            double *U = w->U[a];
            const double *S = w->S[a];
            times_inertia(l->A, l->B, l->M, S, U);
            double D = dot3(S, U) + dot3(S + 3, U + 3);
            if (!(D > 0))
                return BL_SINGULAR;
            double f = w->D[a] = 1 / D;
            double n[3] = {f * U[0], f * U[1], f * U[2]}, g[3] = {f * U[3], f * U[4], f * U[5]};
            l->A[0] -= n[0] * U[0], l->A[1] -= n[1] * U[1], l->A[2] -= n[2] * U[2];
            l->A[3] -= n[0] * U[1], l->A[4] -= n[1] * U[2], l->A[5] -= n[2] * U[0];
            l->M[0] -= g[0] * U[3], l->M[1] -= g[1] * U[4], l->M[2] -= g[2] * U[5];
            l->M[3] -= g[0] * U[4], l->M[4] -= g[1] * U[5], l->M[5] -= g[2] * U[3];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    l->B[3 * r + c] -= n[r] * U[3 + c];
        }
        if (link->parent >= 0) {
            struct bl_link_now *p = &w->now[link->parent];
            add_shifted(l->A, l->B, l->M, l->d, p->A, p->B, p->M);
        }
    }
    w->articulated = true;
    return BL_OK;
}

void bl_tree_solve(const bl_system *sys, bl_tree_work *w, const double *force, double *acceleration) {
    const bl_tree *t = bl_tree_of(sys);
    for (bl_index i = 0; i < t->nlink; i++)
        memset(w->now[i].acc, 0, sizeof w->now[i].acc); /* first the bias wrench, then the acceleration */
    for (bl_index i = t->nlink - 1; i >= 0; i--) {
        const bl_link *link = &t->link[i];
        double *p = w->now[i].acc;
        for (bl_index a = link->col + link->ncol - 1; a >= link->col; a--) {
            const double *S = w->S[a], *U = w->U[a];
            double u = w->u[a] = force[a] - dot3(S, p) - dot3(S + 3, p + 3), f = u * w->D[a];
            for (int k = 0; k < 6; k++)
                p[k] += f * U[k];
        }
        if (link->parent >= 0) {
            double *q = w->now[link->parent].acc, moment[3];
            cross3(w->now[i].d, p + 3, moment);
            for (int k = 0; k < 3; k++) {
                q[k] += p[k] + moment[k];
                q[3 + k] += p[3 + k];
            }
        }
    }
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        double *acc = w->now[i].acc;
        if (link->parent >= 0) {
            const double *up = w->now[link->parent].acc;
            double turned[3];
            cross3(up, w->now[i].d, turned);
            for (int k = 0; k < 3; k++) {
                acc[k] = up[k];
                acc[3 + k] = up[3 + k] + turned[k];
            }
        } else {
            memset(acc, 0, 6 * sizeof *acc);
        }
        for (bl_index a = link->col; a < link->col + link->ncol; a++) {
            const double *S = w->S[a], *U = w->U[a];
            double q = acceleration[a] = (w->u[a] - dot3(U, acc) - dot3(U + 3, acc + 3)) * w->D[a];
            for (int k = 0; k < 6; k++)
                acc[k] += q * S[k];
        }
    }
}
