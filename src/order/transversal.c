/* Maximum matching of rows and columns. BTF of SuiteSparse augments one column after the other, each by a search of its own: if a column of
 * n entries is on the paths of n others (a body that carries n), that takes n^2. So its work is limited, and the remaining columns are
 * matched along many shortest paths at a time, found by one common search (Hopcroft and Karp, SIAM Journal on Computing 2, 1973). */
#include "order/order.h"

#include <btf.h>
#include <string.h>

typedef struct matching {
    const bl_pattern *p;
    bl_index *match;        /* [nrow] column of each row, -1: none */
    bl_index *depth;        /* [ncol] number of pairs between it and a free column, -1: not reached, or a dead end */
    bl_index *next, *stack; /* [ncol] next entry to inspect; columns of a path */
    uint8_t *paired;        /* [ncol] */
} matching;

/* distances of all columns from the free ones, up to the first free row; false: none is reached */
static bool find_distances(matching *m) {
    const bl_pattern *p = m->p;
    bl_index last = 0, end = p->ncol, *queue = m->stack;
    for (bl_index j = 0; j < p->ncol; j++) {
        m->depth[j] = m->paired[j] ? -1 : 0;
        m->next[j] = p->ptr[j];
        if (!m->paired[j])
            queue[last++] = j;
    }
    for (bl_index k = 0; k < last && m->depth[queue[k]] <= end; k++)
        for (bl_index e = p->ptr[queue[k]]; e < p->ptr[queue[k] + 1]; e++) {
            bl_index partner = m->match[p->idx[e]];
            if (partner < 0) {
                end = m->depth[queue[k]];
            } else if (m->depth[partner] < 0) {
                m->depth[partner] = m->depth[queue[k]] + 1;
                queue[last++] = partner;
            }
        }
    return end < p->ncol;
}

/* one more pair, along a path from a free column; every entry is inspected once in all searches */
static bool augment(matching *m, bl_index from) {
    const bl_pattern *p = m->p;
    bl_index top = 0;
    m->stack[0] = from;
    while (top >= 0) {
        bl_index j = m->stack[top];
        if (m->next[j] == p->ptr[j + 1]) {
            m->depth[j] = -1;
            top--;
            continue;
        }
        bl_index partner = m->match[p->idx[m->next[j]++]];
        if (partner >= 0 && m->depth[partner] == m->depth[j] + 1) {
            m->stack[++top] = partner;
        } else if (partner < 0) {
            for (; top >= 0; top--)
                m->match[p->idx[m->next[m->stack[top]] - 1]] = m->stack[top];
            m->paired[from] = 1;
            return true;
        }
    }
    return false;
}

static bl_status complete(bl_context *ctx, const bl_pattern *p, bl_index *match, bl_index *rank) {
    bl_index n = p->ncol;
    matching m = {.p = p, .match = match};
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(m.depth, n), BL_ARRAY(m.next, n), BL_ARRAY(m.stack, n), BL_ARRAY(m.paired, n)));
    for (bl_index i = 0; i < p->nrow; i++)
        if (match[i] >= 0)
            m.paired[match[i]] = 1;
    while (find_distances(&m)) {
        bl_index before = *rank;
        for (bl_index j = 0; j < p->ncol; j++)
            *rank += !m.paired[j] && augment(&m, j);
        if (*rank == before) /* impossible: find_distances found a path */
            break;
    }
    bl_free(ctx, block);
    return BL_OK;
}

bl_status bl_transversal(bl_context *ctx, const bl_pattern *p, bl_index *match, bl_index *rank) {
    bl_index *work;
    double done = 0;
    *rank = 0;
    for (bl_index i = 0; i < p->nrow; i++)
        match[i] = -1;
    if (p->nrow == 0 || p->ncol == 0)
        return BL_OK;
    BL_TRY(BL_NEW(ctx, work, 5 * (size_t)p->ncol));
    *rank = btf_maxtrans(p->nrow, p->ncol, (bl_index *)p->ptr, (bl_index *)p->idx, BL_TRANSVERSAL_WORK, &done, match, work);
    bl_free(ctx, work);
    return done < 0 ? complete(ctx, p, match, rank) : BL_OK;
}

bl_status bl_transversal_first(bl_context *ctx, const bl_pattern *p, bl_index *idx) {
    bl_index *match, rank;
    BL_TRY(BL_NEW(ctx, match, (size_t)p->nrow + 1));
    bl_status status = bl_transversal(ctx, p, match, &rank);
    for (bl_index j = 0; j < p->ncol && status == BL_OK; j++)
        for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++) {
            idx[e] = p->idx[e];
            if (match[p->idx[e]] == j) {
                idx[e] = idx[p->ptr[j]];
                idx[p->ptr[j]] = p->idx[e];
            }
        }
    bl_free(ctx, match);
    return status;
}
