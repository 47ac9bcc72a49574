/* Nodes of a symmetric pattern, storage of the lower half of its blocks, and loading of values. */
#include "linsol/symmetric.h"

#include "linsol/linsol_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_BLOCK = 3, ALIGN = 64 };

/* ---- pattern */

/* Entry (i, j) below the diagonal requires (j, i): columns are ascending, so that each column needs only a pointer to its next entry. */
static bl_status check_mirrored(bl_context *ctx, const bl_pattern *p, bl_index *next) {
    bl_index row = -1, col = -1;
    for (bl_index j = 0; j < p->ncol; j++)
        next[j] = p->ptr[j];
    for (bl_index j = 0; j < p->ncol && row < 0; j++) {
        if (next[j] < p->ptr[j + 1] && p->idx[next[j]] < j)
            row = p->idx[next[j]], col = j; /* it has no counterpart */
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1] && row < 0; k++) {
            bl_index i = p->idx[k];
            if (i <= j)
                continue;
            if (next[i] < p->ptr[i + 1] && p->idx[next[i]] == j)
                next[i]++;
            else
                row = i, col = j;
        }
    }
    if (row < 0)
        return BL_OK;
    return bl_fail(ctx, BL_E_ABILITY, NULL, "the matrix is not symmetric: the entry at row %d, column %d has no mirrored entry", row, col);
}

/* ---- nodes */

typedef struct nodes {
    int d;
    bl_index count;
    bl_index *of;        /* [n] node of an unknown */
    bl_index *first;     /* [count + 1] */
    bl_index *mark;      /* [n + 1] scratch */
    uint8_t *joined;     /* [n] 2: the column has the pattern of the previous one; 1: it belongs to the same bundle; 0: neither */
    bl_index *ptr, *idx; /* graph: neighbors of a node, ascending */
    void *block;
} nodes;

static void free_nodes(bl_context *ctx, nodes *g) {
    bl_free(ctx, g->block);
    bl_free(ctx, g->ptr);
    bl_free(ctx, g->idx);
    *g = (nodes){0};
}

static void find_joined(const bl_symmetric_input *in, uint8_t *joined) {
    const bl_pattern *p = in->pattern;
    for (bl_index j = 1; j < p->ncol; j++) {
        bl_index count = p->ptr[j + 1] - p->ptr[j];
        bool same =
            count == p->ptr[j] - p->ptr[j - 1] && memcmp(p->idx + p->ptr[j], p->idx + p->ptr[j - 1], (size_t)count * sizeof *p->idx) == 0;
        bool bundled = in->bundle && in->bundle[j] && in->bundle[j] == in->bundle[j - 1];
        bool apart = in->bundle && in->bundle[j] != in->bundle[j - 1];
        joined[j] = in->block ? 1 + same : apart ? 0 : same ? 2 : bundled;
    }
}

/* up to d adjacent joined unknowns are a node; returns the size of the largest */
static bl_index form_nodes(bl_index n, int d, nodes *g) {
    bl_index largest = 0;
    g->d = d;
    g->count = 0;
    for (bl_index j = 0; j < n; g->count++) {
        g->first[g->count] = j;
        do
            g->of[j++] = g->count;
        while (j < n && j - g->first[g->count] < d && g->joined[j]);
        largest = j - g->first[g->count] > largest ? j - g->first[g->count] : largest;
    }
    g->first[g->count] = n;
    return largest;
}

/* Neighbors of node v without v itself, in to[] unless it is NULL; returns their number. */
static bl_index neighbors(const bl_pattern *p, nodes *g, bl_index v, bl_index *to) {
    bl_index count = 0;
    g->mark[v] = v;
    for (bl_index j = g->first[v]; j < g->first[v + 1]; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1] && (j == g->first[v] || g->joined[j] < 2); k++) {
            bl_index w = g->of[p->idx[k]];
            if (g->mark[w] == v)
                continue;
            g->mark[w] = v;
            bl_index at = count++;
            for (; to && at > 0 && to[at - 1] > w; at--) /* ascending within one column; other columns insert few */
                to[at] = to[at - 1];
            if (to)
                to[at] = w;
        }
    return count;
}

static double count_bytes(const bl_pattern *p, nodes *g) {
    double blocks = 0, dd = (double)g->d * g->d;
    memset(g->mark, -1, (size_t)g->count * sizeof *g->mark);
    for (bl_index v = 0; v < g->count; v++)
        blocks += neighbors(p, g, v, NULL);
    return blocks / 2 * (8 * dd + 4) + 8 * dd * g->count;
}

static void choose_nodes(const bl_symmetric_input *in, nodes *g) {
    bl_index n = in->pattern->ncol;
    double least = INFINITY;
    int best = 1;
    find_joined(in, g->joined);
    for (int d = 1; d <= MOST_BLOCK; d++) {
        if (in->block && d != in->block)
            continue;
        if (form_nodes(n, d, g) < d)
            continue;
        double bytes = in->largest_nodes || in->block ? 0 : count_bytes(in->pattern, g);
        if (bytes < least || in->largest_nodes) {
            best = d;
            least = bytes;
        }
    }
    form_nodes(n, best, g);
}

static bl_status make_nodes(bl_context *ctx, const bl_symmetric_input *in, nodes *g) {
    const bl_pattern *p = in->pattern;
    bl_index n = p->ncol;
    BL_TRY(BL_NEW_ARRAYS(ctx, g->block, BL_ARRAY(g->of, n), BL_ARRAY(g->first, n + 1), BL_ARRAY(g->mark, n + 1), BL_ARRAY(g->joined, n)));
    BL_TRY(check_mirrored(ctx, p, g->mark));
    choose_nodes(in, g);
    BL_TRY(BL_NEW(ctx, g->ptr, (size_t)g->count + 1));
    memset(g->mark, -1, (size_t)g->count * sizeof *g->mark);
    for (bl_index v = 0; v < g->count; v++)
        g->ptr[v + 1] = g->ptr[v] + neighbors(p, g, v, NULL);
    BL_TRY(BL_NEW(ctx, g->idx, g->ptr[g->count]));
    memset(g->mark, -1, (size_t)g->count * sizeof *g->mark);
    for (bl_index v = 0; v < g->count; v++)
        neighbors(p, g, v, g->idx + g->ptr[v]);
    return BL_OK;
}

/* node[position]; uses mark of g as scratch */
static bl_status order_nodes(bl_context *ctx, const bl_symmetric_input *in, nodes *g, bl_index *node) {
    if (in->order) { /* nodes in the order of their first unknowns */
        bl_index used = 0;
        memset(g->mark, 0, (size_t)g->count * sizeof *g->mark);
        for (bl_index k = 0; k < in->pattern->ncol; k++)
            if (!g->mark[g->of[in->order[k]]]++)
                node[used++] = g->of[in->order[k]];
        return BL_OK;
    }
    bl_ordering made = {0};
    bl_pattern graph = {g->count, g->count, g->ptr, g->idx};
    bl_status status = bl_order_pattern(ctx, in->ordering, &graph, &made);
    if (status == BL_OK)
        memcpy(node, made.col, (size_t)g->count * sizeof *node);
    bl_ordering_free(ctx, &made);
    return status;
}

/* ---- layout */

void bl_symmetric_free(bl_symmetric *a) {
    void *blocks[] = {a->ptr, a->idx, a->lists, a->numbers};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        bl_free(a->ctx, blocks[i]);
    *a = (bl_symmetric){0};
}

/* rows by positions, ascending: each node is entered in the rows of the nodes to its right. position: of a node */
static bl_status lay_out(bl_symmetric *a, const nodes *g, const bl_index *node, const bl_index *position) {
    bl_index count = g->count;
    BL_TRY(BL_NEW(a->ctx, a->ptr, (size_t)count + 1));
    for (bl_index v = 0; v < count; v++)
        for (bl_index k = g->ptr[v]; k < g->ptr[v + 1]; k++)
            a->ptr[position[v] + 1] += position[g->idx[k]] < position[v];
    for (bl_index i = 0; i < count; i++) {
        a->longest = a->ptr[i + 1] > a->longest ? a->ptr[i + 1] : a->longest;
        a->ptr[i + 1] += a->ptr[i];
    }
    BL_TRY(BL_NEW(a->ctx, a->idx, a->ptr[count]));
    memcpy(a->next, a->ptr, (size_t)count * sizeof *a->next);
    for (bl_index i = 0; i < count; i++)
        for (bl_index v = node[i], k = g->ptr[v]; k < g->ptr[v + 1]; k++) {
            bl_index other = position[g->idx[k]];
            if (other < i)
                continue;
            a->idx[a->next[other]++] = i;
            a->reach = other - i > a->reach ? other - i : a->reach;
        }
    return BL_OK;
}

static bl_status reserve(bl_symmetric *a, const nodes *g, const bl_index *node, const bl_index *position) {
    size_t n = (size_t)a->n, count = (size_t)g->count, dd = (size_t)(g->d * g->d);
    BL_TRY(BL_NEW_ARRAYS(a->ctx, a->lists, BL_ARRAY(a->scale, n), BL_ARRAY(a->slot, n), BL_ARRAY(a->list, n), BL_ARRAY(a->unknown, count),
                         BL_ARRAY(a->next, count), BL_ARRAY(a->mark, count), BL_ARRAY(a->size, count)));
    BL_TRY(lay_out(a, g, node, position));
    size_t nleft = dd * (size_t)a->ptr[count], room = ALIGN / sizeof *a->diag;
    double *numbers = a->numbers = bl_alloc(a->ctx, nleft + dd * count + 3 * room, sizeof *numbers);
    if (!numbers)
        return BL_E_MEMORY;
    a->left = numbers + (room - (uintptr_t)numbers / sizeof *numbers % room) % room;
    a->diag = a->left + nleft + room; /* numbers read beyond the last block are zero */
    a->width = bl_blocks_width(g->d);
    a->blocks = (bl_blocks){g->count, g->d, a->ptr, a->idx, a->diag, a->left};
    for (bl_index i = 0; i < g->count; i++) {
        bl_index v = node[i];
        a->mark[i] = -1;
        a->unknown[i] = g->first[v];
        a->size[i] = (uint8_t)(g->first[v + 1] - g->first[v]);
        for (bl_index c = 0; c < a->size[i]; c++)
            a->slot[a->unknown[i] + c] = a->width * i + c;
        for (int c = a->size[i]; c < g->d; c++)
            a->diag[dd * (size_t)i + (size_t)(c * (g->d + 1))] = 1;
    }
    return BL_OK;
}

bl_status bl_symmetric_analyze(bl_context *ctx, const bl_symmetric_input *in, bl_symmetric *a) {
    const bl_pattern *p = in->pattern;
    nodes g = {0};
    bl_index *node = NULL;
    *a = (bl_symmetric){.ctx = ctx, .pattern = p, .n = p->ncol};
    for (bl_index j = 0; j < p->ncol; j++)
        a->entries = p->ptr[j + 1] - p->ptr[j] > a->entries ? p->ptr[j + 1] - p->ptr[j] : a->entries;
    bl_status status = make_nodes(ctx, in, &g);
    if (status == BL_OK)
        status = BL_NEW(ctx, node, 2 * (size_t)g.count);
    if (status == BL_OK)
        status = order_nodes(ctx, in, &g, node);
    for (bl_index i = 0; status == BL_OK && i < g.count; i++)
        node[g.count + node[i]] = i;
    if (status == BL_OK)
        status = reserve(a, &g, node, node + g.count);
    bl_free(ctx, node);
    free_nodes(ctx, &g);
    return status;
}

bl_status bl_symmetric_slots(bl_context *ctx, const bl_symmetric_input *in, int *d, bl_index *count, bl_index *slot) {
    nodes g = {0};
    bl_index *node = NULL;
    bl_status status = make_nodes(ctx, in, &g);
    if (status == BL_OK)
        status = BL_NEW(ctx, node, g.count);
    if (status == BL_OK)
        status = order_nodes(ctx, in, &g, node);
    for (bl_index i = 0; status == BL_OK && i < g.count; i++)
        for (bl_index j = g.first[node[i]]; j < g.first[node[i] + 1]; j++)
            slot[j] = g.d * i + (j - g.first[node[i]]);
    *d = g.d;
    *count = g.count;
    bl_free(ctx, node);
    free_nodes(ctx, &g);
    return status;
}

/* ---- values */

static bl_status find_scale(bl_symmetric *a, const double *values) {
    const bl_pattern *p = a->pattern;
    BL_TRY(bl_check_finite(a->ctx, "matrix", NAN, p->ptr[p->ncol], values));
    for (bl_index j = 0; j < p->ncol; j++) {
        double most = 0, own = 0;
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            most = fmax(most, fabs(values[k]));
            own = p->idx[k] == j ? fabs(values[k]) : own;
        }
        a->scale[j] = own > linsol_own_scale * most ? own : most;
    }
    return BL_OK;
}

static bool alike(const bl_symmetric *a, bl_index i, bl_index j, double x, double y) {
    return fabs(x - y) <= linsol_alike * sqrt(a->scale[i]) * sqrt(a->scale[j]);
}

/* Columns in the order of positions: entries below the diagonal go to the next block of their row, whose blocks are ascending; mirrored
 * entries above it are already stored. */
bl_status bl_symmetric_load(bl_symmetric *a, const double *values, bl_index *row, bl_index *col) {
    const bl_pattern *p = a->pattern;
    const int d = a->blocks.d, shift = a->width / 2; /* width is 1, 2, 4 */
    const size_t dd = (size_t)(d * d);
    *row = *col = -1;
    BL_TRY(find_scale(a, values));
    memcpy(a->next, a->ptr, (size_t)a->blocks.n * sizeof *a->next);
    for (bl_index i = 0; i < a->blocks.n; i++) {
        bl_index touched = 0;
        double *own = a->diag + dd * (size_t)i;
        for (bl_index k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            a->mark[a->idx[k]] = k;
        for (bl_index c = 0; c < a->size[i]; c++) {
            bl_index j = a->unknown[i] + c;
            for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
                bl_index slot = a->slot[p->idx[k]], other = slot >> shift, r = slot & (a->width - 1);
                double mirrored = values[k];
                if (other > i) {
                    if (a->mark[other] < 0) {
                        a->mark[other] = a->next[other]++;
                        a->list[touched++] = other;
                    }
                    a->left[dd * (size_t)a->mark[other] + (size_t)(r * d + c)] = values[k];
                } else if (other < i) {
                    mirrored = a->left[dd * (size_t)a->mark[other] + (size_t)(c * d + r)];
                } else {
                    own[r * d + c] = values[k];
                    mirrored = r < c ? own[c * d + r] : values[k];
                }
                if (values[k] != mirrored && *row < 0 && !alike(a, p->idx[k], j, values[k], mirrored))
                    *row = p->idx[k], *col = j;
            }
        }
        for (bl_index k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            a->mark[a->idx[k]] = -1;
        while (touched > 0)
            a->mark[a->list[--touched]] = -1;
    }
    return BL_OK;
}

/* ---- cost of a direct solver */

bl_status bl_symmetric_fill(bl_context *ctx, const bl_pattern *pattern, double *entries, double *products) {
    nodes g = {0};
    bl_ordering made = {0};
    int64_t count = 0;
    double times = 0;
    bl_status status = make_nodes(ctx, &(bl_symmetric_input){.pattern = pattern}, &g);
    bl_pattern graph = {g.count, g.count, g.ptr, g.idx};
    if (status == BL_OK)
        status = bl_order_pattern(ctx, "amd", &graph, &made);
    if (status == BL_OK)
        status = bl_order_fill(ctx, &graph, made.col, &count, &times);
    double width = status == BL_OK && g.count ? (double)pattern->ncol / g.count : 1; /* unknowns of a node */
    *entries = width * width * (double)count;
    *products = width * width * width * times;
    bl_ordering_free(ctx, &made);
    free_nodes(ctx, &g);
    return status;
}
