/* L D L^T of narrow bands by segments: see segments.h. */
#include "linsol/segments.h"

#include "linsol/linsol_limits.h"

#include <math.h>
#include <string.h>

enum { E = BL_SEGMENTS, LEAST_ROWS = 8, ALIGN = 8 };

bool bl_segments_suit(bl_index n, bl_index width) {
    return width >= 1 && width <= BL_SEGMENTS_WIDTH && n >= E * (LEAST_ROWS + width) * width;
}

void bl_segments_free(bl_segments *s) {
    bl_free(s->ctx, s->lists);
    bl_free(s->ctx, s->room);
    *s = (bl_segments){0};
}

/* ---- layout */

/* index of entry (i, j), i >= j, of the band in raw */
static bl_index raw_slot(const bl_segments *s, bl_index i, bl_index j) {
    bl_index w = s->width, end = s->m * (w + 1) * E, ki = s->slot[i], kj = s->slot[j], inside = s->m * E;
    bl_index a = (ki - inside) % w, b = (kj - inside) % w;
    if (ki < inside && kj < inside)
        return (ki / E * (w + 1) + (i - j)) * E + ki % E;
    if (ki >= inside && kj >= inside) /* of the same separator: others are too far apart */
        return end + (((ki - inside) / w * 3 + 2) * w + a) * w + b;
    if (ki >= inside) /* j is in the previous segment: its distance from the end */
        return end + ((ki - inside) / w * 3 * w + a) * w + (s->first[(ki - inside) / w] + s->count[(ki - inside) / w] - 1 - j);
    return end + (((kj - inside) / w * 3 + 1) * w + b) * w + (i - s->first[(kj - inside) / w + 1]);
}

static void lay_out(bl_segments *s, const bl_index *ptr, const bl_index *idx, const bl_index *position) {
    bl_index inner = s->n - BL_SEPARATORS * s->width, at = 0;
    for (int k = 0; k < E; k++) {
        s->first[k] = at;
        s->count[k] = inner / E + (k < inner % E);
        for (bl_index i = 0; i < s->count[k]; i++)
            s->slot[at++] = i * E + k;
        for (bl_index a = 0; a < s->width && k < BL_SEPARATORS; a++)
            s->slot[at++] = s->m * E + k * s->width + a;
    }
    s->first[E] = at;
    for (bl_index j = 0; j < s->n; j++)
        s->at[j] = s->slot[position[j]];
    for (bl_index j = 0; j < s->n; j++)
        for (bl_index k = ptr[j]; k < ptr[j + 1]; k++)
            s->to[k] = position[idx[k]] < position[j] ? -1 - raw_slot(s, position[j], position[idx[k]])
                                                      : raw_slot(s, position[idx[k]], position[j]);
}

static double *take(double **from, size_t count) {
    double *taken = *from;
    *from += (count + ALIGN - 1) / ALIGN * ALIGN;
    return taken;
}

bl_status bl_segments_analyze(bl_context *ctx, bl_index n, const bl_index *ptr, const bl_index *idx, const bl_index *position,
                              bl_index width, bl_segments *s) {
    bl_segments_free(s);
    s->ctx = ctx;
    s->n = n;
    s->nnz = ptr[n];
    s->width = (int)width;
    s->m = (n - BL_SEPARATORS * width + E - 1) / E;
    size_t m = (size_t)s->m, w = (size_t)width, couple = 3 * BL_SEPARATORS * w * w;
    BL_TRY(BL_NEW_ARRAYS(ctx, s->lists, BL_ARRAY(s->slot, n), BL_ARRAY(s->at, n), BL_ARRAY(s->to, s->nnz)));
    double *at = s->room = bl_alloc(ctx, m * E * ((w + 1) + 3 * w + 2) + E * w * w + couple + BL_SEPARATORS * w + 8 * ALIGN, sizeof *at);
    if (!at)
        return BL_E_MEMORY;
    at += (ALIGN - (uintptr_t)at / sizeof *at % ALIGN) % ALIGN;
    s->raw = take(&at, m * E * (w + 1) + couple);
    s->couple = s->raw + m * E * (w + 1);
    s->l = take(&at, (m + w) * E * w);
    s->left = take(&at, m * E * w);
    s->right = take(&at, m * E * w);
    s->inverse = take(&at, m * E);
    s->y = take(&at, m * E + BL_SEPARATORS * w);
    s->kernels = BL_ISA_PICK(ctx, bl_segment_kernels);
    s->factors = (bl_segment_factors){s->m, s->width, s->l, s->inverse, s->left, s->right};
    lay_out(s, ptr, idx, position);
    return BL_OK;
}

/* ---- factors */

static const double *coupling(const bl_segments *s, int k, int which) {
    return s->couple + (size_t)(3 * k + which) * (size_t)(s->width * s->width);
}

/* rows of all segments together: v_j = t_ij - sum_k>j v_k l_i-j,k-j,  l_ij = v_j / d_i-j,  d_i = t_ii - sum_j v_j l_ij */
static void eliminate(bl_segments *s, double *least, double *most) {
    const int w = s->width;
    double v[BL_SEGMENTS_WIDTH + 1][E];
    for (bl_index i = 0; i < s->m; i++) {
        const double *t = s->raw + (size_t)i * (size_t)(w + 1) * E;
        double *l = s->l + (size_t)i * (size_t)w * E, d[E];
        memcpy(d, t, sizeof d);
        for (int j = w; j >= 1; j--) {
            memcpy(v[j], t + j * E, sizeof v[j]);
            if (i - j < 0) /* outside the matrix */
                continue;
            const double *other = s->l + (size_t)(i - j) * (size_t)w * E, *inverse = s->inverse + (size_t)(i - j) * E;
            for (int k = j + 1; k <= w && i - k >= 0; k++)
                for (int e = 0; e < E; e++)
                    v[j][e] -= v[k][e] * other[(k - j - 1) * E + e];
            for (int e = 0; e < E; e++) {
                l[(j - 1) * E + e] = v[j][e] * inverse[e];
                d[e] -= v[j][e] * l[(j - 1) * E + e];
            }
        }
        for (int e = 0; e < E; e++) {
            s->inverse[(size_t)i * E + (size_t)e] = 1 / d[e];
            if (i >= s->count[e])
                continue;
            *least = d[e] < *least || isnan(d[e]) ? d[e] : *least;
            *most = d[e] > *most ? d[e] : *most;
        }
    }
}

/* columns of T^-1 B for the separators before and after each segment, one column at a time */
static void find_spikes(bl_segments *s) {
    const int w = s->width;
    size_t rows = (size_t)s->m * E;
    for (int a = 0; a < w; a++)
        for (int behind = 0; behind < 2; behind++) {
            double *y = s->y, *to = behind ? s->right : s->left;
            memset(y, 0, rows * sizeof *y);
            for (int k = 0; k < E; k++)
                for (int b = 0; b < w; b++) {
                    if (behind && k < BL_SEPARATORS)
                        y[(s->count[k] - 1 - b) * E + k] = coupling(s, k, 0)[a * w + b];
                    if (!behind && k > 0)
                        y[b * E + k] = coupling(s, k - 1, 1)[a * w + b];
                }
            s->kernels->substitute(&s->factors, y);
            for (size_t i = 0; i < (size_t)s->m; i++)
                memcpy(to + (i * (size_t)w + (size_t)a) * E, y + i * E, E * sizeof *y);
        }
}

/* contribution of the last or first rows of y in an adjacent segment to unknown a of separator k; stride: of rows of y */
static double contribution(const bl_segments *s, int k, int a, int which, const double *y, size_t stride) {
    const double *by = coupling(s, k, which) + a * s->width;
    double sum = 0;
    for (int b = 0; b < s->width; b++)
        sum += by[b] * (which ? y[(size_t)b * stride + (size_t)k + 1] : y[(size_t)(s->count[k] - 1 - b) * stride + (size_t)k]);
    return sum;
}

/* S of the separators, then its factors in place */
static void eliminate_separators(bl_segments *s, double *least, double *most) {
    const int w = s->width, order = BL_SEPARATORS * w;
    size_t stride = (size_t)w * E;
    memset(s->S, 0, sizeof s->S);
    for (int k = 0; k < BL_SEPARATORS; k++)
        for (int a = 0; a < w; a++) {
            double *row = s->S[k * w + a];
            for (int b = 0; b <= a; b++)
                row[k * w + b] = coupling(s, k, 2)[a * w + b] - contribution(s, k, a, 0, s->right + b * E, stride) -
                                 contribution(s, k, a, 1, s->left + b * E, stride);
            for (int b = 0; b < w && k > 0; b++) /* through the previous segment */
                row[(k - 1) * w + b] = -contribution(s, k, a, 0, s->left + b * E, stride);
        }
    for (int i = 0; i < order; i++) {
        double *row = s->S[i];
        int from = i < 2 * w - 1 ? 0 : i - (2 * w - 1);
        for (int j = from; j < i; j++) {
            for (int k = from; k < j; k++)
                row[j] -= row[k] * s->S[j][k]; /* row k is not divided yet */
        }
        for (int j = from; j < i; j++) {
            double value = row[j];
            row[j] = value / s->S[j][j];
            row[i] -= value * row[j];
        }
        *least = row[i] < *least || isnan(row[i]) ? row[i] : *least;
        *most = row[i] > *most ? row[i] : *most;
    }
}

double bl_segments_factor(bl_segments *s, const double *values) {
    double least = INFINITY, most = 0;
    size_t w = (size_t)s->width;
    memset(s->raw, 0, ((size_t)s->m * E * (w + 1) + 3 * BL_SEPARATORS * w * w) * sizeof *s->raw);
    for (int e = 0; e < E; e++)
        for (bl_index i = s->count[e]; i < s->m; i++)
            s->raw[(size_t)i * (w + 1) * E + (size_t)e] = 1; /* rows beyond the end of a segment */
    for (bl_index k = 0; k < s->nnz; k++)
        if (s->to[k] >= 0)
            s->raw[s->to[k]] = values[k];
    for (bl_index k = 0; k < s->nnz; k++)
        if (s->to[k] < 0 && !(fabs(values[k] - s->raw[-1 - s->to[k]]) <= linsol_alike))
            return 0;
    eliminate(s, &least, &most);
    if (!(least > 0))
        return 0;
    find_spikes(s);
    eliminate_separators(s, &least, &most);
    return least > 0 && most <= 1e300 ? least / most : 0;
}

/* ---- solution */

static void solve_inside(bl_segments *s) {
    const int w = s->width, order = BL_SEPARATORS * w;
    double before[BL_SEGMENTS_WIDTH][E] = {{0}}, behind[BL_SEGMENTS_WIDTH][E] = {{0}}, *z = s->y + (size_t)s->m * E;
    s->kernels->substitute(&s->factors, s->y);
    for (int i = 0; i < order; i++) {
        z[i] -= contribution(s, i / w, i % w, 0, s->y, E) + contribution(s, i / w, i % w, 1, s->y, E);
        for (int j = i < 2 * w - 1 ? 0 : i - (2 * w - 1); j < i; j++)
            z[i] -= s->S[i][j] * z[j];
    }
    for (int i = order - 1; i >= 0; i--) { /* by rows: z_i is final when it is reached */
        z[i] /= s->S[i][i];
        for (int j = i + 1; j < order && j <= i + 2 * w - 1; j++)
            z[i] -= s->S[j][i] * z[j];
    }
    for (int i = 0; i < order; i++) {
        behind[i % w][i / w] = z[i];
        before[i % w][i / w + 1] = z[i];
    }
    s->kernels->correct(&s->factors, before[0], behind[0], s->y);
}

void bl_segments_solve(bl_segments *s, const double *row_scale, const double *col_scale, double *restrict x) {
    double *restrict y = s->y;
    const bl_index *restrict at = s->at;
    memset(y + (size_t)(s->m - 1) * E, 0, E * sizeof *y); /* some segments are a row shorter */
    for (bl_index i = 0; i < s->n; i++)
        y[at[i]] = row_scale ? x[i] * row_scale[i] : x[i];
    solve_inside(s);
    for (bl_index i = 0; i < s->n; i++)
        x[i] = col_scale ? y[at[i]] * col_scale[i] : y[at[i]];
}
