/* Patterns of a tree's matrices: G, and M on demand. */
#include "coords/relative.h"

#include "coords/derived_coords.h"
#include "sparse/sparse.h"

bl_status bl_tree_too_full(const bl_system *sys, const char *matrix) {
    bl_fail(sys->ctx, BL_E_ABILITY, NULL,
            "relative coordinates: the chains are too long, the %s matrix of %d coordinates has more than %d entries", matrix, (int)sys->nv,
            INT32_MAX);
    bl_advise(sys->ctx,
              "use formulation direct, which needs no matrix (trees without loops), or other coordinates, which have sparse matrices");
    return BL_E_ABILITY;
}

/* entries of every inner row on links, by columns: [ptr[r], ptr[r + 1]) of `entry` */
static void list_rows(const bl_tree *t, bl_index *ptr, bl_index *entry, bl_index *col) {
    const bl_pattern *pat = &t->on.inner->pat_G;
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1] && t->at_link[j] >= 0; k++)
            ptr[pat->idx[k] + 2]++;
    for (bl_index r = 0; r < t->on.inner->np; r++)
        ptr[r + 2] += ptr[r + 1];
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1] && t->at_link[j] >= 0; k++) {
            bl_index to = ptr[pat->idx[k] + 1]++;
            entry[to] = k;
            col[to] = j;
        }
}

static bl_status collect_G(bl_tree *t, bl_pairs *p) {
    const bl_pattern *pat = &t->on.inner->pat_G;
    bl_index nnz = pat->ptr[t->on.inner->nv], np = t->on.inner->np;
    bl_index *ptr, *entry, *col;
    BL_TRY(BL_ARENA_ARRAYS(&t->on.arena, BL_ARRAY(t->G_copy, (size_t)nnz + 1), BL_ARRAY(t->row_part_entry, (size_t)nnz + 1),
                           BL_ARRAY(t->row_part_component, (size_t)nnz + 1), BL_ARRAY(t->row_part, (size_t)nnz + 1),
                           BL_ARRAY(ptr, (size_t)np + 2), BL_ARRAY(entry, (size_t)nnz + 1), BL_ARRAY(col, (size_t)nnz + 1)));
    list_rows(t, ptr, entry, col);
    /* copied columns first, then every (row, link) */
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1]; k++) {
            t->G_copy[k] = -1;
            if (t->source[j] >= 0 && t->row_of[pat->idx[k]] >= 0) {
                t->G_copy[k] = p->n;
                BL_TRY(bl_pairs_add(p, t->row_of[pat->idx[k]], t->source[j]));
            }
        }
    bl_index at = 0;
    for (bl_index r = 0; r < np; r++) {
        if (t->row_of[r] < 0)
            continue;
        bl_index begin = t->nrow_part;
        for (bl_index k = ptr[r]; k < ptr[r + 1]; k++) {
            bl_index m = begin;
            while (m < t->nrow_part && t->row_part[m].link != t->at_link[col[k]])
                m++;
            if (m == t->nrow_part)
                t->row_part[t->nrow_part++] = (struct bl_row_part){.row = r, .link = t->at_link[col[k]]};
            t->row_part[m].count++;
        }
        for (bl_index m = begin; m < t->nrow_part; m++) {
            struct bl_row_part *part = &t->row_part[m];
            part->first = at;
            for (bl_index k = ptr[r]; k < ptr[r + 1]; k++)
                if (t->at_link[col[k]] == part->link) {
                    t->row_part_entry[at] = entry[k];
                    t->row_part_component[at++] = t->at_part[col[k]];
                }
            part->into = p->n;
            for (bl_index l = part->link; l >= 0; l = t->link[l].parent)
                for (bl_index a = t->link[l].col; a < t->link[l].col + t->link[l].ncol; a++)
                    BL_TRY(bl_pairs_add(p, t->row_of[r], a));
        }
    }
    return BL_OK;
}

bl_status bl_tree_rows_build(bl_tree *t, bl_system *sys) {
    bl_pairs p = {.ctx = sys->ctx};
    bl_status status = collect_G(t, &p);
    if (status == BL_OK)
        status = BL_NEW(sys->ctx, t->into, p.n + 1);
    if (status == BL_OK)
        status = bl_pattern_build(sys->ctx, sys->np, sys->nv, p.n, p.row, p.col, &sys->pat_G, t->into);
    for (bl_index k = 0; status == BL_OK && k < t->on.inner->pat_G.ptr[t->on.inner->nv]; k++)
        if (t->G_copy[k] >= 0)
            t->G_copy[k] = t->into[t->G_copy[k]];
    bl_pairs_free(&p);
    return status;
}

/* A column has the rows of its ancestors, its own link and its descendants, and parents come first: no sorting is needed. The rods
 * follow the tree. */
bl_status bl_tree_mass_build(bl_tree *t, bl_system *sys) {
    const bl_pattern *rods = &t->on.inner->pat_M;
    bl_index nv = sys->nv, slots = 0;
    bl_index *above, *low; /* columns of the chain above a link; next index of a descendant's row */
    BL_TRY(BL_ARENA_ARRAYS(&t->on.arena, BL_ARRAY(above, (size_t)t->nlink + 1), BL_ARRAY(low, (size_t)nv + 1),
                           BL_ARRAY(t->rod_slot, (size_t)rods->ptr[t->on.inner->nv] + 1)));
    bl_index *ptr, *idx;
    int64_t entries = rods->ptr[t->on.inner->nv];
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        above[i] = link->parent < 0 ? 0 : above[link->parent] + t->link[link->parent].ncol;
        entries += (int64_t)link->ncol * (2 * above[i] + link->ncol);
    }
    if (entries > INT32_MAX / 2) /* two slots each */
        return bl_tree_too_full(sys, "mass");
    BL_TRY(BL_NEW(sys->ctx, ptr, nv + 1));
    sys->pat_M = (bl_pattern){.nrow = nv, .ncol = nv, .ptr = ptr};
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        for (bl_index k = i; k >= 0; k = t->link[k].parent)
            for (bl_index b = t->link[k].col; b < t->link[k].col + t->link[k].ncol; b++) {
                ptr[b + 1] += link->ncol;
                slots += 2 * link->ncol;
            }
        for (bl_index a = link->col; a < link->col + link->ncol; a++)
            ptr[a + 1] += above[i];
    }
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        for (bl_index p = rods->ptr[j]; p < rods->ptr[j + 1]; p++)
            if (bl_tree_rod_entry(t, rods->idx[p], j))
                ptr[t->source[j] + 1]++;
    for (bl_index j = 0; j < nv; j++)
        ptr[j + 1] += ptr[j];
    BL_TRY(BL_NEW(sys->ctx, idx, ptr[nv] + 1));
    sys->pat_M.idx = idx;
    BL_TRY(BL_NEW(sys->ctx, t->M_slot, slots + 1));
    for (bl_index i = 0; i < t->nlink; i++)
        for (bl_index a = t->link[i].col; a < t->link[i].col + t->link[i].ncol; a++) {
            low[a] = ptr[a] + above[i];
            for (bl_index b = t->link[i].col; b < t->link[i].col + t->link[i].ncol; b++)
                idx[low[a]++] = b;
            for (bl_index k = t->link[i].parent; k >= 0; k = t->link[k].parent)
                for (bl_index b = t->link[k].col; b < t->link[k].col + t->link[k].ncol; b++) {
                    idx[ptr[a] + above[k] + b - t->link[k].col] = b;
                    idx[low[b]++] = a;
                }
        }
    /* the order in which bl_tree_mass visits them; entries below the diagonal are found by a second pass */
    bl_index *slot = t->M_slot;
    for (bl_index i = t->nlink - 1; i >= 0; i--)
        for (bl_index a = t->link[i].col + t->link[i].ncol - 1; a >= t->link[i].col; a--)
            for (bl_index k = i; k >= 0; k = t->link[k].parent)
                for (bl_index b = t->link[k].col; b < t->link[k].col + t->link[k].ncol; b++) {
                    *slot++ = ptr[a] + above[k] + b - t->link[k].col;
                    *slot++ = k == i ? ptr[b] + above[i] + a - t->link[i].col : --low[b];
                }
    for (bl_index j = 0; j < t->on.inner->nv; j++) {
        bl_index at = t->source[j] >= t->ntree ? ptr[t->source[j]] : 0;
        for (bl_index p = rods->ptr[j]; p < rods->ptr[j + 1]; p++) {
            t->rod_slot[p] = bl_tree_rod_entry(t, rods->idx[p], j) ? at++ : -1;
            if (t->rod_slot[p] >= 0)
                idx[t->rod_slot[p]] = t->source[rods->idx[p]];
        }
    }
    return BL_OK;
}

/* M couples only the columns of one chain; elimination from the leaves causes no fill-in */
bl_status bl_tree_count_above(bl_tree *t, bl_system *sys) {
    bl_index *above, *depth;
    BL_TRY(BL_ARENA_ARRAYS(&t->on.arena, BL_ARRAY(above, (size_t)sys->nv + 1), BL_ARRAY(depth, (size_t)t->nlink + 1)));
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        depth[i] = link->ncol + (link->parent < 0 ? 0 : depth[link->parent]);
        for (bl_index k = 0; k < link->ncol; k++)
            above[link->col + k] = depth[i] - link->ncol + k;
    }
    sys->mass_above = above;
    return BL_OK;
}
