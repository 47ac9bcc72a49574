/* Kernels of the bordered block triangular solver. In each part, with Y = T^-1 B and S = A - C Y:
 *
 *     S z = b_A - C T^-1 b_T,   x_T = T^-1 b_T - Y z,   x_A = z
 *     transposed:  S^T w = b_A - Y^T b_T,   u_T = T^-T (b_T - C^T w),   u_A = w
 *
 * Diagonal blocks are inverted with complete pivoting; rows and columns without a pivot above `pivot` join the band and border of their
 * part, so a matrix is found singular only if an S is. Unrolled for blocks of 1, 2 and 3, the usual sizes in mechanisms. */
#include "linsol/block.h"

#include "linsol/linsol_limits.h"

#include <math.h>
#include <string.h>

enum { WIDTH = BL_BLOCK_WIDTH, MOST = BL_BLOCK_MOST };

/* ---- diagonal blocks */

typedef struct pivoted_block {
    bl_index s, rank;
    double *d, *inv; /* row-major */
    double least, worst;
    uint8_t row_lost[MOST], col_lost[MOST];
} pivoted_block;

/* Inverse on the pivot rows and columns by Gauss-Jordan with complete pivoting; zero elsewhere. */
static void invert_pivoting(pivoted_block *b) {
    bl_index s = b->s, row_of[MOST], col_of[MOST];
    double *d = b->d;
    memset(b->row_lost, 1, (size_t)s);
    memset(b->col_lost, 1, (size_t)s);
    for (b->rank = 0; b->rank < s; b->rank++) {
        double best = 0;
        bl_index p = -1, q = -1;
        for (bl_index i = 0; i < s; i++)
            for (bl_index j = 0; b->row_lost[i] && j < s; j++)
                if (b->col_lost[j] && fabs(d[i * s + j]) > best) {
                    best = fabs(d[i * s + j]);
                    p = i, q = j;
                }
        if (p < 0 || !(best >= b->least))
            break;
        b->worst = fmin(b->worst, best);
        b->row_lost[p] = b->col_lost[q] = 0;
        row_of[b->rank] = p, col_of[b->rank] = q;
        double pivot = d[p * s + q]; /* in place: the pivot column becomes a column of the inverse */
        d[p * s + q] = 1;
        for (bl_index j = 0; j < s; j++)
            d[p * s + j] /= pivot;
        for (bl_index i = 0; i < s; i++) {
            double f = d[i * s + q];
            if (i == p || f == 0)
                continue;
            d[i * s + q] = 0;
            for (bl_index j = 0; j < s; j++)
                d[i * s + j] -= f * d[p * s + j];
        }
    }
    memset(b->inv, 0, (size_t)(s * s) * sizeof *b->inv);
    /* d[p_k][q_l] holds the entry of the inverse for unknown q_k and right-hand side p_l */
    for (bl_index k = 0; k < b->rank; k++)
        for (bl_index l = 0; l < b->rank; l++)
            b->inv[col_of[k] * s + row_of[l]] = d[row_of[k] * s + col_of[l]];
}

static bl_status delay(bl_block *b, bl_block_part *part, bl_index k) {
    bl_index p = b->start[k], s = b->stop[k] - p;
    const bl_index *from = b->diagonal + b->inv_at[k];
    double d[MOST * MOST];
    for (bl_index i = 0; i < s * s; i++)
        d[i] = b->a[from[i]];
    /* a block that is an entire part has no border: it is regular or the matrix is singular */
    pivoted_block block = {.s = s, .d = d, .inv = b->inv + b->inv_at[k], .least = part->room ? b->pivot : b->limit, .worst = b->worst};
    invert_pivoting(&block);
    b->worst = block.worst;
    bl_index lost = s - block.rank;
    if (lost == 0)
        return BL_OK;
    if (part->room == 0) {
        b->worst = 0;
        return BL_SINGULAR;
    }
    if (b->merging && part->end_block - part->block > 1) {
        b->weak = k;
        return BL_REJECTED;
    }
    b->delayed += lost;
    if (part->nb + lost > part->room)
        return BL_AGAIN;
    for (bl_index i = 0, r = part->border_at + part->nb, c = r; i < s; i++) {
        if (block.row_lost[i])
            b->brow[r++] = p + i;
        if (block.col_lost[i])
            b->bcol[c++] = p + i;
    }
    part->nb += lost;
    return BL_OK;
}

/* Cofactors if the determinant is well away from zero, else with pivoting. */
static bl_status invert_blocks(bl_block *b, bl_block_part *part) {
    double worst = 1;
    for (bl_index k = part->block; k < part->end_block; k++) {
        bl_index s = b->stop[k] - b->start[k];
        const bl_index *f = b->diagonal + b->inv_at[k];
        const double *a = b->a;
        double *v = b->inv + b->inv_at[k], size = 0;
        if (s == 1) {
            double d = a[f[0]];
            size = fabs(d) >= b->pivot ? fabs(d) : 0;
            v[0] = 1 / d;
        } else if (s == 2) {
            double d0 = a[f[0]], d1 = a[f[1]], d2 = a[f[2]], d3 = a[f[3]], det = d0 * d3 - d1 * d2, w = 1 / det;
            size = fabs(det);
            if (size <= linsol_block_two) { /* the pivots that complete pivoting would find */
                double big = fmax(fmax(fabs(d0), fabs(d1)), fmax(fabs(d2), fabs(d3)));
                size = big >= b->pivot && size >= b->pivot * big ? fmin(big, size / big) : 0;
            }
            v[0] = d3 * w, v[1] = -d1 * w, v[2] = -d2 * w, v[3] = d0 * w;
        } else if (s == 3) {
            double d0 = a[f[0]], d1 = a[f[1]], d2 = a[f[2]], d3 = a[f[3]], d4 = a[f[4]], d5 = a[f[5]], d6 = a[f[6]], d7 = a[f[7]],
                   d8 = a[f[8]];
            double c0 = d4 * d8 - d5 * d7, c1 = d5 * d6 - d3 * d8, c2 = d3 * d7 - d4 * d6, det = d0 * c0 + d1 * c1 + d2 * c2, w = 1 / det;
            size = fabs(det) > linsol_block_three ? fabs(det) : 0;
            v[0] = c0 * w, v[1] = (d2 * d7 - d1 * d8) * w, v[2] = (d1 * d5 - d2 * d4) * w;
            v[3] = c1 * w, v[4] = (d0 * d8 - d2 * d6) * w, v[5] = (d2 * d3 - d0 * d5) * w;
            v[6] = c2 * w, v[7] = (d1 * d6 - d0 * d7) * w, v[8] = (d0 * d4 - d1 * d3) * w;
        }
        if (size == 0)
            BL_TRY(delay(b, part, k));
        else if (size < worst)
            worst = size;
    }
    if (worst < b->worst)
        b->worst = worst;
    return BL_OK;
}

/* ---- substitution with T of one part, in place, `w` right-hand sides side by side */

/* x = inv x for a block of three, w columns side by side */
static inline void multiply_3(const double *inv, const bl_index w, double *x) {
    for (bl_index c = 0; c < w; c++) {
        double r0 = x[c], r1 = x[w + c], r2 = x[2 * w + c];
        x[c] = inv[0] * r0 + inv[1] * r1 + inv[2] * r2;
        x[w + c] = inv[3] * r0 + inv[4] * r1 + inv[5] * r2;
        x[2 * w + c] = inv[6] * r0 + inv[7] * r1 + inv[8] * r2;
    }
}

static inline void forward(const bl_block *b, bl_index block, bl_index end_block, double *x, const int w) {
    for (bl_index k = block; k < end_block; k++) {
        bl_index p = b->start[k], s = b->stop[k] - p;
        double *xp = x + (size_t)p * (size_t)w;
        const double *inv = b->inv + b->inv_at[k];
        for (bl_index i = 0; i < s; i++) {
            double *r = xp + i * w;
            for (bl_index e = b->ptr[p + i]; e < b->own[p + i]; e++) {
                double a = b->a[e];
                const double *xj = x + (size_t)b->at[e] * (size_t)w;
                for (int c = 0; c < w; c++)
                    r[c] -= a * xj[c];
            }
        }
        if (s == 1) {
            for (int c = 0; c < w; c++)
                xp[c] *= inv[0];
        } else if (s == 2) {
            for (int c = 0; c < w; c++) {
                double r0 = xp[c], r1 = xp[w + c];
                xp[c] = inv[0] * r0 + inv[1] * r1;
                xp[w + c] = inv[2] * r0 + inv[3] * r1;
            }
        } else if (s == 3) {
            multiply_3(inv, w, xp);
        } else {
            double r[MOST * WIDTH];
            memcpy(r, xp, (size_t)(s * w) * sizeof *r);
            for (bl_index i = 0; i < s; i++)
                for (int c = 0; c < w; c++) {
                    double sum = 0;
                    for (bl_index j = 0; j < s; j++)
                        sum += inv[i * s + j] * r[j * w + c];
                    xp[i * w + c] = sum;
                }
        }
    }
}

/* T^T u = x, last block first; its contributions to earlier columns, also of earlier parts, are subtracted from x */
static void backward(const bl_block *b, bl_index block, bl_index end_block, double *x) {
    for (bl_index k = end_block; k-- > block;) {
        bl_index p = b->start[k], s = b->stop[k] - p;
        const double *inv = b->inv + b->inv_at[k];
        double r[MOST];
        memcpy(r, x + p, (size_t)s * sizeof *r);
        for (bl_index i = 0; i < s; i++) {
            double sum = 0;
            for (bl_index j = 0; j < s; j++)
                sum += inv[j * s + i] * r[j];
            x[p + i] = sum;
            for (bl_index e = b->ptr[p + i]; e < b->own[p + i]; e++)
                x[b->at[e]] -= b->a[e] * sum;
        }
    }
}

/* ---- border */

/* Y = T^-1 B from the first block with an entry; `w` is a compile-time constant where it matters. */
static inline void forward_border(const bl_block *b, const bl_block_part *part, bl_index first, double *Y, const bl_index w) {
    for (bl_index k = first; k < part->end_block; k++) {
        bl_index p = b->start[k], s = b->stop[k] - p;
        double *y = Y + (size_t)(p - part->first) * (size_t)w;
        const double *inv = b->inv + b->inv_at[k];
        for (bl_index i = 0; i < s; i++)
            for (bl_index e = b->mid[p + i]; e < b->own[p + i]; e++) {
                double a = b->a[e];
                const double *other = Y + (size_t)(b->at[e] - part->first) * (size_t)w;
                for (bl_index c = 0; c < w; c++)
                    y[i * w + c] -= a * other[c];
            }
        if (s == 1) {
            for (bl_index c = 0; c < w; c++)
                y[c] *= inv[0];
        } else if (s == 3) {
            multiply_3(inv, w, y);
        } else {
            for (bl_index c = 0; c < w; c++) {
                double r[MOST];
                for (bl_index i = 0; i < s; i++)
                    r[i] = y[i * w + c];
                for (bl_index i = 0; i < s; i++) {
                    double sum = 0;
                    for (bl_index j = 0; j < s; j++)
                        sum += inv[i * s + j] * r[j];
                    y[i * w + c] = sum;
                }
            }
        }
    }
}

static void border_columns(bl_block *b, const bl_block_part *part) {
    size_t nb = (size_t)part->nb, count = (size_t)(part->border_start - part->first) * nb;
    double *Y = b->Y + part->Y_at;
    bl_index first = part->end_block;
    memset(Y, 0, count * sizeof *Y);
    for (bl_index c = 0; c < part->nb; c++) {
        bl_index p = b->bcol[part->border_at + c];
        for (bl_index e = b->cptr[p]; e < b->cptr[p + 1]; e++) {
            bl_index r = b->crow[e];
            if (r < part->first || r >= part->border_start || b->is_brow[r])
                continue;
            Y[(size_t)(r - part->first) * nb + (size_t)c] = b->a[b->cpos[e]];
            first = b->block_of[r] < first ? b->block_of[r] : first;
        }
    }
    switch (part->nb) { /* constant widths are unrolled */
    case 1: forward_border(b, part, first, Y, 1); break;
    case 2: forward_border(b, part, first, Y, 2); break;
    case 3: forward_border(b, part, first, Y, 3); break;
    case 4: forward_border(b, part, first, Y, 4); break;
    case 5: forward_border(b, part, first, Y, 5); break;
    case 6: forward_border(b, part, first, Y, 6); break;
    default: forward_border(b, part, first, Y, part->nb);
    }
    double most[4] = {0, 0, 0, 0}; /* four independent chains of operations */
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t l = 0; l < 4; l++)
            most[l] = fabs(Y[i + l]) <= most[l] ? most[l] : fabs(Y[i + l]);
    for (; i < count; i++)
        most[0] = fabs(Y[i]) <= most[0] ? most[0] : fabs(Y[i]);
    b->growth = fmax(b->growth, fmax(fmax(most[0], most[1]), fmax(most[2], most[3])));
}

/* S = A - C Y, then elimination with row pivoting. The matrix is scaled, so pivots compare with one. */
static bl_status schur(bl_block *b, const bl_block_part *part) {
    bl_index nb = part->nb, *order = b->s_row + part->border_at;
    double *S = b->S + part->S_at;
    const double *Y = b->Y + part->Y_at;
    memset(S, 0, (size_t)nb * (size_t)nb * sizeof *S);
    for (bl_index r = 0; r < nb; r++) {
        double *row = S + r * nb;
        bl_index i = b->brow[part->border_at + r];
        for (bl_index e = b->mid[i]; e < b->ptr[i + 1]; e++) {
            double a = b->a[e];
            bl_index p = b->at[e];
            if (b->bcol_index[p] >= 0) {
                row[b->bcol_index[p]] += a;
            } else {
                const double *y = Y + (size_t)(p - part->first) * (size_t)nb;
                for (bl_index c = 0; c < nb; c++)
                    row[c] -= a * y[c];
            }
        }
        order[r] = r;
    }
    double largest = 1;
    for (bl_index k = 0; k < nb; k++) {
        bl_index p = k;
        double best = 0;
        for (bl_index i = k; i < nb; i++)
            if (fabs(S[order[i] * nb + k]) > best) {
                best = fabs(S[order[i] * nb + k]);
                p = i;
            }
        largest = fmax(largest, best);
        b->schur_worst = fmin(b->schur_worst, best / largest);
        if (!(best > b->limit * largest))
            return BL_SINGULAR;
        bl_index t = order[k];
        order[k] = order[p];
        order[p] = t;
        double *pivot_row = S + order[k] * nb, inverse = 1 / pivot_row[k];
        pivot_row[k] = inverse; /* the diagonal is stored inverted */
        for (bl_index i = k + 1; i < nb; i++) {
            double *row = S + order[i] * nb, f = row[k] * inverse;
            if (row[k] == 0)
                continue;
            row[k] = f;
            for (bl_index j = k + 1; j < nb; j++)
                row[j] -= f * pivot_row[j];
        }
    }
    return BL_OK;
}

/* S z = z, in place; y: workspace */
static void schur_solve(const bl_block *b, const bl_block_part *part, double *z, double *y) {
    bl_index nb = part->nb;
    const bl_index *order = b->s_row + part->border_at;
    const double *S = b->S + part->S_at;
    for (bl_index k = 0; k < nb; k++) {
        const double *row = S + order[k] * nb;
        double sum = z[order[k]];
        for (bl_index j = 0; j < k; j++)
            sum -= row[j] * y[j];
        y[k] = sum;
    }
    for (bl_index k = nb; k-- > 0;) {
        const double *row = S + order[k] * nb;
        double sum = y[k];
        for (bl_index j = k + 1; j < nb; j++)
            sum -= row[j] * z[j];
        z[k] = sum * row[k];
    }
}

static void schur_solve_transposed(const bl_block *b, const bl_block_part *part, double *z, double *y) {
    bl_index nb = part->nb;
    const bl_index *order = b->s_row + part->border_at;
    const double *S = b->S + part->S_at;
    for (bl_index k = 0; k < nb; k++) {
        double sum = z[k];
        for (bl_index j = 0; j < k; j++)
            sum -= S[order[j] * nb + k] * y[j];
        y[k] = sum * S[order[k] * nb + k];
    }
    for (bl_index k = nb; k-- > 0;)
        for (bl_index j = k + 1; j < nb; j++)
            y[k] -= S[order[j] * nb + k] * y[j];
    for (bl_index k = 0; k < nb; k++)
        z[order[k]] = y[k];
}

/* ---- complete solutions, part after part */

static inline void solve_parts(const bl_block *b, double *x, const int w) {
    for (bl_index s = 0; s < b->npart; s++) {
        const bl_block_part *part = &b->part[s];
        bl_index nb = part->nb;
        if (nb == 0) { /* successive parts without borders together */
            while (s + 1 < b->npart && b->part[s + 1].nb == 0)
                s++;
            forward(b, part->block, b->part[s].end_block, x, w);
            continue;
        }
        const bl_index *brow = b->brow + part->border_at, *bcol = b->bcol + part->border_at;
        double *z = b->z, *y = b->z + (size_t)w * (size_t)nb;
        for (bl_index r = 0; r < nb; r++) /* right-hand sides of band rows, before blocks overwrite those of delayed ones */
            for (int c = 0; c < w; c++)
                z[c * nb + r] = x[(size_t)brow[r] * (size_t)w + (size_t)c];
        forward(b, part->block, part->end_block, x, w);
        for (bl_index r = 0; r < nb; r++)
            for (bl_index e = b->ptr[brow[r]]; e < b->ptr[brow[r] + 1]; e++) {
                if (b->at[e] >= part->first && b->bcol_index[b->at[e]] >= 0)
                    continue;
                for (int c = 0; c < w; c++)
                    z[c * nb + r] -= b->a[e] * x[(size_t)b->at[e] * (size_t)w + (size_t)c];
            }
        for (int c = 0; c < w; c++)
            schur_solve(b, part, z + c * nb, y);
        const double *Y = b->Y + part->Y_at;
        for (bl_index p = 0; p < part->border_start - part->first; p++) {
            const double *row = Y + (size_t)p * (size_t)nb;
            double *xp = x + (size_t)(part->first + p) * (size_t)w;
            for (int c = 0; c < w; c++) {
                double sum = xp[c];
                for (bl_index k = 0; k < nb; k++)
                    sum -= row[k] * z[c * nb + k];
                xp[c] = sum;
            }
        }
        for (bl_index k = 0; k < nb; k++)
            for (int c = 0; c < w; c++)
                x[(size_t)bcol[k] * (size_t)w + (size_t)c] = z[c * nb + k];
    }
}

void bl_block_solve(const bl_block *b, double *x) { solve_parts(b, x, 1); }
void bl_block_solve_wide(const bl_block *b, double *x) { solve_parts(b, x, WIDTH); }

void bl_block_solve_transposed(const bl_block *b, double *x) {
    for (bl_index s = b->npart; s-- > 0;) {
        const bl_block_part *part = &b->part[s];
        bl_index nb = part->nb;
        if (nb == 0) {
            while (s > 0 && b->part[s - 1].nb == 0)
                s--;
            backward(b, b->part[s].block, part->end_block, x);
            continue;
        }
        const bl_index *brow = b->brow + part->border_at, *bcol = b->bcol + part->border_at;
        const double *Y = b->Y + part->Y_at;
        double *z = b->z, *y = b->z + nb;
        for (bl_index c = 0; c < nb; c++) {
            z[c] = x[bcol[c]];
            x[bcol[c]] = 0;
        }
        for (bl_index p = 0; p < part->border_start - part->first; p++)
            for (bl_index c = 0; c < nb; c++)
                z[c] -= Y[(size_t)p * (size_t)nb + (size_t)c] * x[part->first + p];
        schur_solve_transposed(b, part, z, y);
        for (bl_index r = 0; r < nb; r++)
            for (bl_index e = b->ptr[brow[r]]; e < b->ptr[brow[r] + 1]; e++)
                if (b->at[e] < part->first || b->bcol_index[b->at[e]] < 0)
                    x[b->at[e]] -= b->a[e] * z[r];
        backward(b, part->block, part->end_block, x);
        for (bl_index r = 0; r < nb; r++)
            x[brow[r]] = z[r];
    }
}

bl_status bl_block_numeric(bl_block *b) {
    b->worst = b->schur_worst = 1;
    b->growth = 0;
    b->delayed = 0;
    for (bl_index s = 0; s < b->npart; s++) {
        bl_block_part *part = &b->part[s];
        bl_index *brow = b->brow + part->border_at, *bcol = b->bcol + part->border_at;
        for (bl_index i = part->last - part->border_start; i < part->nb; i++) { /* remove columns delayed last time */
            b->bcol_index[bcol[i]] = -1;
            b->is_brow[brow[i]] = 0;
        }
        part->nb = part->last - part->border_start;
        BL_TRY(invert_blocks(b, part));
        if (part->nb == 0)
            continue;
        for (bl_index i = part->last - part->border_start; i < part->nb; i++) {
            b->bcol_index[bcol[i]] = i;
            b->is_brow[brow[i]] = 1;
        }
        border_columns(b, part);
        BL_TRY(schur(b, part));
    }
    return BL_OK;
}
