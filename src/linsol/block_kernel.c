/* Kernels of the bordered block triangular solver. With Y = T^-1 B and S = A - C Y:
 *
 *     S z = b_A - C T^-1 b_T,   x_T = T^-1 b_T - Y z,   x_A = z
 *     transposed:  S^T w = b_A - Y^T b_T,   u_T = T^-T (b_T - C^T w),   u_A = w
 *
 * Diagonal blocks are inverted with complete pivoting; what has no pivot above `delay` (row-scaled) joins border and band, so a matrix
 * is found singular only where S is. Unrolled for blocks of 1, 2 and 3, the sizes mechanisms have. */
#include "linsol/block.h"

#include <math.h>
#include <string.h>

enum { WIDE = BL_BLOCK_WIDE, MOST = BL_BLOCK_MOST };

/* ---- diagonal blocks */

typedef struct careful {
    bl_index s, rank;
    double *d, *inv; /* row-major */
    double least, worst;
    uint8_t row_lost[MOST], col_lost[MOST];
} careful;

/* Inverse on the pivot rows and columns by Gauss-Jordan with complete pivoting; zero elsewhere. */
static void invert_carefully(careful *b) {
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

static bl_status delay(bl_block *b, bl_index k) {
    bl_index p = b->start[k], s = b->start[k + 1] - p;
    const bl_index *from = b->diagonal + b->inv_at[k];
    double d[MOST * MOST];
    for (bl_index i = 0; i < s * s; i++)
        d[i] = b->a[from[i]];
    careful block = {.s = s, .d = d, .inv = b->inv + b->inv_at[k], .least = b->pivot, .worst = b->worst};
    invert_carefully(&block);
    b->worst = block.worst;
    bl_index lost = s - block.rank;
    if (lost == 0)
        return BL_OK;
    b->delayed += lost;
    if (b->nb + lost > b->room)
        return BL_AGAIN; /* more room is needed */
    for (bl_index i = 0, r = b->nb, c = b->nb; i < s; i++) {
        if (block.row_lost[i])
            b->brow[r++] = p + i;
        if (block.col_lost[i])
            b->bcol[c++] = p + i;
    }
    b->nb += lost;
    return BL_OK;
}

/* Cofactors where the determinant is clearly away from zero, else with pivoting. */
static bl_status invert_blocks(bl_block *b) {
    double worst = 1;
    b->worst = 1;
    b->nb = b->nborder;
    b->delayed = 0;
    for (bl_index k = 0; k < b->nblock; k++) {
        bl_index s = b->start[k + 1] - b->start[k];
        const bl_index *f = b->diagonal + b->inv_at[k];
        const double *a = b->a;
        double *v = b->inv + b->inv_at[k], size = 0;
        if (s == 1) {
            double d = a[f[0]];
            size = fabs(d) >= b->pivot ? fabs(d) : 0;
            v[0] = 1 / d;
        } else if (s == 2) {
            double d0 = a[f[0]], d1 = a[f[1]], d2 = a[f[2]], d3 = a[f[3]], det = d0 * d3 - d1 * d2, w = 1 / det;
            size = fabs(det) > 0.1 ? fabs(det) : 0;
            v[0] = d3 * w, v[1] = -d1 * w, v[2] = -d2 * w, v[3] = d0 * w;
        } else if (s == 3) {
            double d0 = a[f[0]], d1 = a[f[1]], d2 = a[f[2]], d3 = a[f[3]], d4 = a[f[4]], d5 = a[f[5]], d6 = a[f[6]], d7 = a[f[7]],
                   d8 = a[f[8]];
            double c0 = d4 * d8 - d5 * d7, c1 = d5 * d6 - d3 * d8, c2 = d3 * d7 - d4 * d6, det = d0 * c0 + d1 * c1 + d2 * c2, w = 1 / det;
            size = fabs(det) > 0.05 ? fabs(det) : 0;
            v[0] = c0 * w, v[1] = (d2 * d7 - d1 * d8) * w, v[2] = (d1 * d5 - d2 * d4) * w;
            v[3] = c1 * w, v[4] = (d0 * d8 - d2 * d6) * w, v[5] = (d2 * d3 - d0 * d5) * w;
            v[6] = c2 * w, v[7] = (d1 * d6 - d0 * d7) * w, v[8] = (d0 * d4 - d1 * d3) * w;
        }
        if (size == 0)
            BL_TRY(delay(b, k));
        else if (size < worst)
            worst = size;
    }
    if (worst < b->worst)
        b->worst = worst;
    return BL_OK;
}

/* ---- substitution with T, in place, `w` right-hand sides side by side */

static inline void block_times(const double *inv, bl_index s, const double *r, double *x, const int w) {
    for (bl_index i = 0; i < s; i++)
        for (int c = 0; c < w; c++) {
            double sum = 0;
            for (bl_index j = 0; j < s; j++)
                sum += inv[i * s + j] * r[j * w + c];
            x[i * w + c] = sum;
        }
}

static inline void subtract_earlier(const bl_block *b, bl_index i, const double *x, double *r, const int w) {
    for (bl_index k = b->ptr[i]; k < b->own[i]; k++) {
        double a = b->a[k];
        const double *xj = x + (size_t)b->at[k] * (size_t)w;
        for (int c = 0; c < w; c++)
            r[c] -= a * xj[c];
    }
}

static inline void forward(const bl_block *b, double *x, const int w) {
    for (bl_index k = 0; k < b->nblock; k++) {
        bl_index p = b->start[k], s = b->start[k + 1] - p;
        double *xp = x + (size_t)p * (size_t)w;
        const double *inv = b->inv + b->inv_at[k];
        for (bl_index i = 0; i < s; i++)
            subtract_earlier(b, p + i, x, xp + i * w, w);
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
            for (int c = 0; c < w; c++) {
                double r0 = xp[c], r1 = xp[w + c], r2 = xp[2 * w + c];
                xp[c] = inv[0] * r0 + inv[1] * r1 + inv[2] * r2;
                xp[w + c] = inv[3] * r0 + inv[4] * r1 + inv[5] * r2;
                xp[2 * w + c] = inv[6] * r0 + inv[7] * r1 + inv[8] * r2;
            }
        } else {
            double r[MOST * WIDE];
            memcpy(r, xp, (size_t)(s * w) * sizeof *r);
            block_times(inv, s, r, xp, w);
        }
    }
}

/* T^T u = x, last block first */
static void backward(const bl_block *b, double *x) {
    for (bl_index k = b->nblock; k-- > 0;) {
        bl_index p = b->start[k], s = b->start[k + 1] - p;
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

/* Y = T^-1 B; blocks before the first row of the border stay zero. `w` is a constant where it matters. */
static inline void forward_border(const bl_block *b, bl_index first, const bl_index w) {
    for (bl_index k = first; k < b->nblock; k++) {
        bl_index p = b->start[k], s = b->start[k + 1] - p;
        double *y = b->Y + (size_t)p * (size_t)w;
        const double *inv = b->inv + b->inv_at[k];
        for (bl_index i = 0; i < s; i++)
            for (bl_index e = b->ptr[p + i]; e < b->own[p + i]; e++) {
                double a = b->a[e];
                const double *other = b->Y + (size_t)b->at[e] * (size_t)w;
                for (bl_index c = 0; c < w; c++)
                    y[i * w + c] -= a * other[c];
            }
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

static void border_columns(bl_block *b) {
    bl_index first = b->nT;
    size_t nb = (size_t)b->nb, count = (size_t)b->nT * nb;
    memset(b->Y, 0, count * sizeof *b->Y);
    for (bl_index c = 0; c < b->nb; c++) {
        bl_index p = b->bcol[c];
        for (bl_index e = b->cptr[p]; e < b->cptr[p + 1]; e++) {
            bl_index r = b->crow[e];
            if (r >= b->nT || b->is_brow[r])
                continue;
            b->Y[(size_t)r * nb + (size_t)c] = b->a[b->cpos[e]];
            first = r < first ? r : first;
        }
    }
    first = first < b->nT ? b->block_of[first] : b->nblock;
    switch (b->nb) { /* constant widths are unrolled */
    case 1: forward_border(b, first, 1); break;
    case 2: forward_border(b, first, 2); break;
    case 3: forward_border(b, first, 3); break;
    case 4: forward_border(b, first, 4); break;
    case 5: forward_border(b, first, 5); break;
    case 6: forward_border(b, first, 6); break;
    default: forward_border(b, first, b->nb);
    }
    double most[4] = {0, 0, 0, 0}; /* four chains, so that the adder does not wait */
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t l = 0; l < 4; l++)
            most[l] = fabs(b->Y[i + l]) <= most[l] ? most[l] : fabs(b->Y[i + l]);
    for (; i < count; i++)
        most[0] = fabs(b->Y[i]) <= most[0] ? most[0] : fabs(b->Y[i]);
    b->growth = fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

/* S = A - C Y, then elimination with complete pivoting. The matrix is scaled, so pivots compare with one. Returns the smallest, 0 when
 * one is below the limit. */
static double schur(bl_block *b) {
    bl_index nb = b->nb;
    double *S = b->S, largest = 1, smallest = 1;
    memset(S, 0, (size_t)(nb * nb) * sizeof *S);
    for (bl_index r = 0; r < nb; r++) {
        double *row = S + r * nb;
        for (bl_index e = b->ptr[b->brow[r]]; e < b->ptr[b->brow[r] + 1]; e++) {
            double a = b->a[e];
            bl_index p = b->at[e];
            if (b->is_bcol[p] >= 0) {
                row[b->is_bcol[p]] += a;
            } else {
                const double *y = b->Y + (size_t)p * (size_t)nb;
                for (bl_index c = 0; c < nb; c++)
                    row[c] -= a * y[c];
            }
        }
        b->s_row[r] = b->s_col[r] = r;
    }
    for (bl_index k = 0; k < nb; k++) {
        bl_index p = k, q = k;
        double best = 0;
        for (bl_index i = k; i < nb; i++)
            for (bl_index j = k; j < nb; j++) {
                double size = fabs(S[b->s_row[i] * nb + b->s_col[j]]);
                if (size > best)
                    best = size, p = i, q = j;
            }
        largest = fmax(largest, best);
        smallest = fmin(smallest, best / largest);
        if (!(best > b->limit * largest))
            return 0;
        bl_index t = b->s_row[k];
        b->s_row[k] = b->s_row[p], b->s_row[p] = t;
        t = b->s_col[k];
        b->s_col[k] = b->s_col[q], b->s_col[q] = t;
        const double *pivot_row = S + b->s_row[k] * nb;
        double inverse = 1 / pivot_row[b->s_col[k]];
        for (bl_index i = k + 1; i < nb; i++) {
            double *row = S + b->s_row[i] * nb, f = row[b->s_col[k]] * inverse;
            row[b->s_col[k]] = f;
            for (bl_index j = k + 1; f != 0 && j < nb; j++)
                row[b->s_col[j]] -= f * pivot_row[b->s_col[j]];
        }
    }
    return smallest;
}

/* S z = z, in place; y: workspace */
static void schur_solve(const bl_block *b, double *z, double *y) {
    bl_index nb = b->nb;
    for (bl_index k = 0; k < nb; k++) {
        double sum = z[b->s_row[k]];
        for (bl_index j = 0; j < k; j++)
            sum -= b->S[b->s_row[k] * nb + b->s_col[j]] * y[j];
        y[k] = sum;
    }
    for (bl_index k = nb; k-- > 0;) {
        double sum = y[k];
        for (bl_index j = k + 1; j < nb; j++)
            sum -= b->S[b->s_row[k] * nb + b->s_col[j]] * y[j];
        y[k] = sum / b->S[b->s_row[k] * nb + b->s_col[k]];
    }
    for (bl_index k = 0; k < nb; k++)
        z[b->s_col[k]] = y[k];
}

static void schur_solve_transposed(const bl_block *b, double *z, double *y) {
    bl_index nb = b->nb;
    for (bl_index k = 0; k < nb; k++) {
        double sum = z[b->s_col[k]];
        for (bl_index j = 0; j < k; j++)
            sum -= b->S[b->s_row[j] * nb + b->s_col[k]] * y[j];
        y[k] = sum / b->S[b->s_row[k] * nb + b->s_col[k]];
    }
    for (bl_index k = nb; k-- > 0;)
        for (bl_index j = k + 1; j < nb; j++)
            y[k] -= b->S[b->s_row[j] * nb + b->s_col[k]] * y[j];
    for (bl_index k = 0; k < nb; k++)
        z[b->s_row[k]] = y[k];
}

/* ---- by places, `w` right-hand sides side by side */

static inline void solve_places(const bl_block *b, double *x, double *z, double *y, const int w) {
    for (bl_index r = 0; r < b->nb; r++)
        for (int c = 0; c < w; c++)
            z[c * b->nb + r] = x[b->brow[r] * w + c];
    forward(b, x, w);
    if (b->nb == 0)
        return;
    for (bl_index r = 0; r < b->nb; r++)
        for (bl_index e = b->ptr[b->brow[r]]; e < b->ptr[b->brow[r] + 1]; e++)
            for (int c = 0; b->is_bcol[b->at[e]] < 0 && c < w; c++)
                z[c * b->nb + r] -= b->a[e] * x[b->at[e] * w + c];
    for (int c = 0; c < w; c++)
        schur_solve(b, z + c * b->nb, y);
    for (bl_index p = 0; p < b->nT; p++) {
        const double *row = b->Y + (size_t)p * (size_t)b->nb;
        for (int c = 0; c < w; c++) {
            double sum = x[p * w + c];
            for (bl_index k = 0; k < b->nb; k++)
                sum -= row[k] * z[c * b->nb + k];
            x[p * w + c] = sum;
        }
    }
    for (bl_index k = 0; k < b->nb; k++)
        for (int c = 0; c < w; c++)
            x[b->bcol[k] * w + c] = z[c * b->nb + k];
}

void bl_block_solve(const bl_block *b, double *x, double *z) { solve_places(b, x, z, z + b->nb, 1); }
void bl_block_solve_wide(const bl_block *b, double *x, double *z) { solve_places(b, x, z, z + WIDE * b->nb, WIDE); }

void bl_block_solve_transposed(const bl_block *b, double *x, double *z) {
    double *y = z + b->nb;
    for (bl_index c = 0; c < b->nb; c++) {
        z[c] = x[b->bcol[c]];
        x[b->bcol[c]] = 0;
    }
    for (bl_index p = 0; b->nb && p < b->nT; p++)
        for (bl_index c = 0; c < b->nb; c++)
            z[c] -= b->Y[(size_t)p * (size_t)b->nb + (size_t)c] * x[p];
    if (b->nb)
        schur_solve_transposed(b, z, y);
    for (bl_index r = 0; r < b->nb; r++)
        for (bl_index e = b->ptr[b->brow[r]]; e < b->ptr[b->brow[r] + 1]; e++)
            if (b->is_bcol[b->at[e]] < 0)
                x[b->at[e]] -= b->a[e] * z[r];
    backward(b, x);
    for (bl_index r = 0; r < b->nb; r++)
        x[b->brow[r]] = z[r];
}

bl_status bl_block_numeric(bl_block *b) {
    for (bl_index i = 0; i < b->nb; i++) { /* marks of the last border */
        b->is_bcol[b->bcol[i]] = -1;
        b->is_brow[b->brow[i]] = 0;
    }
    bl_status status = invert_blocks(b);
    if (status != BL_OK)
        b->nb = b->nborder;
    for (bl_index i = 0; i < b->nb; i++) {
        b->is_bcol[b->bcol[i]] = i;
        b->is_brow[b->brow[i]] = 1;
    }
    BL_TRY(status);
    b->schur_worst = 1;
    b->growth = 0;
    if (b->nb) {
        border_columns(b);
        b->schur_worst = schur(b);
    }
    return b->schur_worst > 0 ? BL_OK : BL_SINGULAR;
}
