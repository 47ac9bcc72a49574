/* Inertia of trees: composite bodies for M, articulated bodies for M^-1 x (Featherstone 2008). Every column is a joint with one degree
 * of freedom; links between the columns of one joint have no mass. All quantities at the mass centers, in global axes. */
#include "coords/coords_limits.h"
#include "coords/relative.h"

#include "base/vector3.h"

#include <math.h>
#include <stdlib.h>
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

/* inertia lost along the columns of the next link above that has columns, when the columns of a link became free */
static void record_lost_inertia(const bl_tree *t, bl_tree_work *w, bl_index i) {
    const bl_link *link = &t->link[i];
    double d[3];
    memcpy(d, w->now[i].d, sizeof d);
    bl_index up = link->parent;
    for (; up >= 0 && t->link[up].ncol == 0; up = t->link[up].parent)
        for (int c = 0; c < 3; c++)
            d[c] += w->now[up].d[c];
    for (bl_index a = up < 0 ? 0 : t->link[up].col; up >= 0 && a < t->link[up].col + t->link[up].ncol; a++) {
        const double *S = w->S[a];
        double s[3];
        cross3(S, d, s);
        for (int c = 0; c < 3; c++)
            s[c] += S[3 + c];
        for (bl_index b = link->col; b < link->col + link->ncol; b++) {
            double along = dot3(w->U[b], S) + dot3(w->U[b] + 3, s);
            w->lost[a] += along * along * w->D[b];
        }
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
    const double *masses = bl_derived_masses(&t->on, &w->inner);
    for (bl_index p = 0; p < t->on.inner->pat_M.ptr[t->on.inner->nv]; p++)
        if (t->rod_slot[p] >= 0)
            e->M[t->rod_slot[p]] += masses[p];
}

/* accelerations of links due to x alone, then the wrenches that their masses require, from the leaves to the root: M x without M, O(n) */
void bl_tree_multiply(const bl_system *sys, bl_tree_work *w, const double *x, double *y) {
    const bl_tree *t = bl_tree_of(sys);
    const bl_pattern *M = &t->on.inner->pat_M;
    const double *masses = bl_derived_masses(&t->on, &w->inner);
    memset(y, 0, (size_t)sys->nv * sizeof *y);
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        for (bl_index p = M->ptr[j]; t->source[j] >= 0 && p < M->ptr[j + 1]; p++)
            if (bl_tree_rod_entry(t, M->idx[p], j))
                y[t->source[M->idx[p]]] += masses[p] * x[t->source[j]];
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        struct bl_link_now *l = &w->now[i];
        double al[3] = {0, 0, 0}, a[3] = {0, 0, 0};
        if (link->parent >= 0) {
            const struct bl_link_now *p = &w->now[link->parent];
            memcpy(al, p->N, sizeof al);
            cross3(al, l->d, a);
            for (int c = 0; c < 3; c++)
                a[c] += p->F[c];
        }
        for (bl_index k = link->col; k < link->col + link->ncol; k++)
            for (int c = 0; c < 3; c++) {
                al[c] += x[k] * w->S[k][c];
                a[c] += x[k] * w->S[k][3 + c];
            }
        memcpy(l->N, al, sizeof al); /* for its child links */
        memcpy(l->F, a, sizeof a);
    }
    for (bl_index i = 0; i < t->nlink; i++) {
        struct bl_link_now *l = &w->now[i];
        double moment[3];
        symmetric(l->I, l->N, moment);
        memcpy(l->N, moment, sizeof moment);
        for (int c = 0; c < 3; c++)
            l->F[c] *= l->m;
    }
    bl_tree_transfer_wrenches(t, w, y);
}

bl_status bl_tree_articulate(const bl_system *sys, bl_tree_work *w) {
    const bl_tree *t = bl_tree_of(sys);
    if (w->articulated)
        return BL_OK;
    start_inertia(t, w);
    bool check_loss = sys->np > 0; /* in an open tree a lost inertia shows in the motion */
    if (check_loss)
        memset(w->lost, 0, (size_t)t->ntree * sizeof *w->lost);
    for (bl_index i = t->nlink - 1; i >= 0; i--) {
        const bl_link *link = &t->link[i];
        struct bl_link_now *l = &w->now[i];
        for (bl_index a = link->col + link->ncol - 1; a >= link->col; a--) {
            double *U = w->U[a];
            const double *S = w->S[a];
            times_inertia(l->A, l->B, l->M, S, U);
            double D = dot3(S, U) + dot3(S + 3, U + 3);
            for (bl_index b = a + 1; check_loss && b < link->col + link->ncol; b++) {
                double along = dot3(w->U[b], S) + dot3(w->U[b] + 3, S + 3);
                w->lost[a] += along * along * w->D[b];
            }
            if (!(D > 0) || (check_loss && D < coords_lost_inertia * (D + w->lost[a])))
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
            if (check_loss)
                record_lost_inertia(t, w, i);
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

/* ---- W: with M = L^T D L, leaves first, W = G L^-1 D^-1/2. The forces of a row pass only through the chains of its columns, which are
 * therefore the columns of its row of W. */

/* the entries of G row by row: their columns, ascending, at [ptr[r], ptr[r + 1]) */
static void list_columns(const bl_system *sys, bl_index *ptr, bl_index *col, bl_index *entry) {
    const bl_pattern *G = &sys->pat_G;
    for (bl_index k = 0; k < G->ptr[sys->nv]; k++)
        ptr[G->idx[k] + 2]++;
    for (bl_index r = 0; r < sys->np; r++)
        ptr[r + 2] += ptr[r + 1];
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index to = ptr[G->idx[k] + 1]++;
            col[to] = j;
            entry[to] = k;
        }
}

static int descending(const void *a, const void *b) {
    bl_index x = *(const bl_index *)a, y = *(const bl_index *)b;
    return (x < y) - (x > y);
}

/* Links through which the forces on some columns pass, children first; returns their number, and that of their columns. mark[nlink] is
 * set to r, and must differ before. link NULL: only counts. */
static bl_index list_chains(const bl_tree *t, bl_index r, bl_index n, const bl_index *col, bl_index *mark, bl_index *link, int64_t *ncol) {
    bl_index found = 0;
    for (bl_index k = 0; k < n; k++)
        for (bl_index l = t->axis[t->axis_of[col[k]]].link; l >= 0 && mark[l] != r; l = t->link[l].parent) {
            mark[l] = r;
            *ncol += t->link[l].ncol;
            if (link)
                link[found] = l;
            found++;
        }
    if (link)
        qsort(link, (size_t)found, sizeof *link, descending);
    return found;
}

static bl_status fill_response(bl_tree *t, bl_system *sys, const bl_index *row_ptr, const bl_index *col, const bl_index *entry,
                               bl_index *mark) {
    bl_index np = sys->np, *ptr, *idx;
    int64_t links = 0, entries = 0;
    BL_TRY(BL_NEW(sys->ctx, ptr, np + 1));
    sys->pat_W = (bl_pattern){.nrow = sys->nv, .ncol = np, .ptr = ptr};
    for (bl_index r = 0; r < np; r++) {
        links += list_chains(t, r, row_ptr[r + 1] - row_ptr[r], col + row_ptr[r], mark, NULL, &entries);
        if (entries > INT32_MAX || links > INT32_MAX)
            return bl_tree_too_full(sys, "response");
        ptr[r + 1] = (bl_index)entries;
    }
    BL_TRY(BL_NEW(sys->ctx, idx, entries + 1));
    sys->pat_W.idx = idx;
    BL_TRY(BL_NEW(sys->ctx, t->response_ptr, np + 1 + links + entries + 1));
    t->response_link = t->response_ptr + np + 1;
    t->W_from = t->response_link + links;
    for (bl_index i = 0; i < t->nlink; i++)
        mark[i] = -1;
    for (bl_index r = 0; r < np; r++) {
        bl_index *link = t->response_link + t->response_ptr[r], to = ptr[r], k = row_ptr[r];
        int64_t unused = 0;
        bl_index n = list_chains(t, r, row_ptr[r + 1] - row_ptr[r], col + row_ptr[r], mark, link, &unused);
        t->response_ptr[r + 1] = t->response_ptr[r] + n;
        for (bl_index i = n - 1; i >= 0; i--)
            for (bl_index a = t->link[link[i]].col; a < t->link[link[i]].col + t->link[link[i]].ncol; a++, to++) {
                idx[to] = a;
                t->W_from[to] = k < row_ptr[r + 1] && col[k] == a ? entry[k++] : -1;
            }
    }
    return BL_OK;
}

bl_status bl_tree_response_build(bl_tree *t, bl_system *sys) {
    size_t nnz = (size_t)sys->pat_G.ptr[sys->nv], np = (size_t)sys->np;
    bl_index *row_ptr;
    BL_TRY(BL_NEW(sys->ctx, row_ptr, np + 2 + 2 * nnz + (size_t)t->nlink));
    bl_index *col = row_ptr + np + 2, *entry = col + nnz, *mark = entry + nnz;
    list_columns(sys, row_ptr, col, entry);
    for (bl_index i = 0; i < t->nlink; i++)
        mark[i] = -1;
    bl_status status = fill_response(t, sys, row_ptr, col, entry, mark);
    bl_free(sys->ctx, row_ptr);
    return status;
}

bl_status bl_tree_response(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    BL_TRY(bl_tree_articulate(sys, w));
    for (bl_index a = 0; a < t->ntree; a++)
        w->u[a] = sqrt(w->D[a]);
    for (bl_index r = 0; r < sys->np; r++) {
        const bl_index *end = t->response_link + t->response_ptr[r + 1];
        for (const bl_index *link = t->response_link + t->response_ptr[r]; link < end; link++)
            memset(w->now[*link].acc, 0, sizeof w->now[*link].acc);
        bl_index to = sys->pat_W.ptr[r + 1];
        for (const bl_index *i = t->response_link + t->response_ptr[r]; i < end; i++) {
            const bl_link *link = &t->link[*i];
            double *p = w->now[*i].acc;
            for (bl_index a = link->col + link->ncol - 1; a >= link->col; a--) {
                const double *S = w->S[a], *U = w->U[a];
                double g = t->W_from[--to] >= 0 ? e->G[t->W_from[to]] : 0;
                double u = g - dot3(S, p) - dot3(S + 3, p + 3), f = u * w->D[a];
                e->W[to] = u * w->u[a];
                for (int k = 0; k < 6; k++)
                    p[k] += f * U[k];
            }
            if (link->parent >= 0) {
                double *q = w->now[link->parent].acc, moment[3];
                cross3(w->now[*i].d, p + 3, moment);
                for (int k = 0; k < 3; k++) {
                    q[k] += p[k] + moment[k];
                    q[3 + k] += p[3 + k];
                }
            }
        }
    }
    return BL_OK;
}
