/* Which columns of a tree are coupled in its tangents, and how they are related. */
#include "coords/relative.h"

#include "sparse/sparse.h"

/* l is in the subtree of `on` */
static inline bool is_in_subtree(const struct bl_tree_slopes *s, bl_index l, bl_index on) {
    return s->at[on] <= s->at[l] && s->at[l] < s->at[on] + s->subtree[on];
}

/* depth-first order; parents have smaller numbers */
static void walk_depth_first(const bl_tree *t, struct bl_tree_slopes *s) {
    for (bl_index i = t->nlink - 1; i >= 0; i--) {
        s->subtree[i] += 1;
        if (t->link[i].parent >= 0)
            s->subtree[t->link[i].parent] += s->subtree[i];
        s->carry[i] = i;
    }
    bl_index roots = 0;
    for (bl_index i = 0; i < t->nlink; i++) { /* walk[l] is unused so far: position of the next child of l */
        bl_index up = t->link[i].parent, *next = up < 0 ? &roots : &s->walk[up];
        s->at[i] = *next;
        *next += s->subtree[i];
        s->walk[i] = s->at[i] + 1;
        if (t->link[i].ncol == 0)
            s->carry[i] = up < 0 ? -1 : s->carry[up];
    }
    for (bl_index i = 0; i < t->nlink; i++)
        s->walk[s->at[i]] = i;
}

/* columns collected as rows of one column; seen[nv] is false again at the end */
typedef struct row_list {
    bl_index n, *row;
    bool *seen, *passed; /* [nv], [nnode] */
    bl_index nnode, *node;
} row_list;

static void add_row(row_list *list, bl_index row) {
    if (!list->seen[row])
        list->row[list->n++] = row;
    list->seen[row] = true;
}

/* columns that move a node */
static void add_node(const bl_tree *t, bl_index node, row_list *list) {
    for (bl_index i = node; i >= 0 && !list->passed[i]; i = i < t->nlink ? t->link[i].parent : -1) {
        list->passed[i] = true;
        list->node[list->nnode++] = i;
        for (bl_index c = 0; i < t->nlink && c < t->link[i].ncol; c++)
            add_row(list, t->link[i].col + c);
        if (i >= t->nlink)
            add_row(list, t->slopes->column[i]);
    }
}

static void add_pairs(const bl_tree *t, bl_index node, row_list *list) {
    const bl_pattern *pair = &t->slopes->pair;
    for (bl_index p = pair->ptr[node]; p < pair->ptr[node + 1]; p++)
        add_node(t, pair->idx[p], list);
}

/* rows of column c: its subtree and its ancestors, and what forces couple with these; unsorted */
static void find_rows(const bl_tree *t, bl_index c, row_list *list) {
    const struct bl_tree_slopes *s = t->slopes;
    list->n = list->nnode = 0;
    if (c < t->ntree) {
        bl_index first = s->at[s->link_of[c]], end = first + s->subtree[s->link_of[c]];
        for (bl_index k = first; k < end; k++) {
            add_node(t, s->walk[k], list);
            add_pairs(t, s->walk[k], list);
        }
    }
    if (s->copy_of[c] >= 0) {
        add_node(t, s->copy_of[c], list);
        add_pairs(t, s->copy_of[c], list);
    }
    for (bl_index k = 0; k < list->n; k++)
        list->seen[list->row[k]] = false;
    for (bl_index k = 0; k < list->nnode; k++)
        list->passed[list->node[k]] = false;
}

/* relation of row to column, both of the tree */
static bl_relation relate(const bl_tree *t, bl_index row, bl_index col) {
    const struct bl_tree_slopes *s = t->slopes;
    if (s->axis_of[row] == s->axis_of[col])
        return t->axis[s->axis_of[row]].what == BL_BALL ? BL_SAME_BALL : BL_ABOVE;
    if (s->link_of[row] == s->link_of[col])
        return s->axis_of[row] < s->axis_of[col] ? BL_ABOVE : BL_BELOW;
    return is_in_subtree(s, s->link_of[col], s->link_of[row])   ? BL_ABOVE
           : is_in_subtree(s, s->link_of[row], s->link_of[col]) ? BL_BELOW
                                                                : BL_APART;
}

/* rows of all columns, ascending, and their relation to the column; idx NULL: only counts. Returns their number, which may be too large
 * for ptr. */
static int64_t list_rows(const bl_tree *t, bl_index nv, row_list *list, bl_index *ptr, bl_index *idx) {
    int64_t n = 0;
    for (bl_index c = 0; c < nv && n <= INT32_MAX; c++) {
        find_rows(t, c, list);
        if (idx) {
            bl_sort_indices(list->row, (size_t)list->n);
            for (bl_index k = 0; k < list->n; k++) {
                bl_index r = list->row[k];
                idx[n + k] = r;
                t->slopes->relation[n + k] = (uint8_t)(r < t->ntree && c < t->ntree ? relate(t, r, c) : BL_APART);
            }
        }
        n += list->n;
        ptr[c + 1] = (bl_index)(n <= INT32_MAX ? n : 0);
    }
    return n;
}

static bl_status build_pairs(bl_tree *t, bl_context *ctx) {
    struct bl_tree_slopes *s = t->slopes;
    const bl_pattern *pat = &t->on.inner->pat_K;
    bl_index nnz = pat->ptr[t->on.inner->nv], *row = NULL;
    BL_TRY(BL_NEW(ctx, row, 2 * (size_t)nnz + 1));
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        for (bl_index p = pat->ptr[j]; p < pat->ptr[j + 1]; p++) {
            row[p] = s->node_of[pat->idx[p]];
            row[nnz + p] = s->node_of[j];
        }
    bl_status status = bl_pattern_build(ctx, s->nnode, s->nnode, nnz, row, row + nnz, &s->pair, s->pair_of);
    bl_free(ctx, row);
    return status;
}

static bl_status build_K(bl_tree *t, bl_system *sys) {
    struct bl_tree_slopes *s = t->slopes;
    bl_index *ptr = bl_alloc(sys->ctx, (size_t)sys->nv + 1, sizeof *ptr), *idx = NULL;
    sys->pat_K = (bl_pattern){sys->nv, sys->nv, ptr, NULL};
    size_t nv = (size_t)sys->nv + 1, nnode = (size_t)s->nnode + 1;
    row_list list = {0};
    if (!ptr)
        return BL_E_MEMORY;
    BL_TRY(BL_ARENA_ARRAYS(&t->on.arena, BL_ARRAY(list.row, nv), BL_ARRAY(list.seen, nv), BL_ARRAY(list.passed, nnode),
                           BL_ARRAY(list.node, nnode)));
    if (list_rows(t, sys->nv, &list, ptr, NULL) > INT32_MAX)
        return bl_tree_too_full(sys, "stiffness");
    sys->pat_K.idx = idx = bl_alloc(sys->ctx, (size_t)ptr[sys->nv] + 1, sizeof *idx);
    s->relation = bl_arena_alloc(&t->on.arena, (size_t)ptr[sys->nv] + 1, sizeof *s->relation);
    if (!idx || !s->relation)
        return BL_E_MEMORY;
    list_rows(t, sys->nv, &list, ptr, idx);
    return BL_OK;
}

static bl_status build_slopes(bl_tree *t, bl_system *sys) {
    size_t nx = (size_t)t->on.inner->nv, nnz = (size_t)t->on.inner->pat_K.ptr[nx];
    struct bl_tree_slopes *s;
    BL_TRY(BL_ARENA_NEW(&t->on.arena, s, 1));
    t->slopes = s;
    BL_TRY(BL_ARENA_ARRAYS(&t->on.arena, BL_ARRAY(s->node_of, nx + 1), BL_ARRAY(s->column, nx + (size_t)t->nlink + 1),
                           BL_ARRAY(s->copy_of, (size_t)sys->nv + 1), BL_ARRAY(s->link_of, (size_t)t->ntree + 1),
                           BL_ARRAY(s->axis_of, (size_t)t->ntree + 1), BL_ARRAY(s->pair_of, nnz + 1), BL_ARRAY(s->at, t->nlink),
                           BL_ARRAY(s->walk, t->nlink), BL_ARRAY(s->subtree, t->nlink), BL_ARRAY(s->carry, t->nlink)));
    walk_depth_first(t, s);
    for (bl_index c = 0; c < sys->nv; c++)
        s->copy_of[c] = -1;
    s->nnode = t->nlink;
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        if (t->source[j] >= 0) {
            s->node_of[j] = s->copy_of[t->source[j]] = s->nnode;
            s->column[s->nnode++] = t->source[j];
        }
    int dim = t->on.m->dim;
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        for (int c = 0; c < dim; c++) {
            s->node_of[link->center + c] = i;
            for (int k = 0; k < (dim == 2 ? 1 : 3); k++)
                s->node_of[link->axis_col[k] + c] = i;
        }
        for (bl_index k = link->first; k < link->first + link->count; k++)
            for (bl_index c = t->axis[k].col; c < t->axis[k].col + (t->axis[k].what == BL_BALL ? 3 : 1); c++) {
                s->link_of[c] = i;
                s->axis_of[c] = k;
            }
    }
    return build_pairs(t, sys->ctx);
}

bl_status bl_tree_tangent_build(bl_tree *t, bl_system *sys, uint32_t uses) {
    bl_status status = t->slopes ? BL_OK : build_slopes(t, sys);
    t->slopes = status == BL_OK ? t->slopes : NULL; /* owned by the arena, except for the pattern, which was not built */
    if (status != BL_OK || sys->pat_K.ptr || !(uses & (BL_KC | BL_MA_X | BL_GTL_X)))
        return status;
    status = build_K(t, sys);
    if (status != BL_OK)
        bl_pattern_free(sys->ctx, &sys->pat_K);
    sys->pat_C = sys->pat_K;
    return status;
}

void bl_tree_tangent_free(bl_tree *t, bl_system *sys) {
    bl_pattern_free(sys->ctx, &sys->pat_K);
    if (t && t->slopes)
        bl_pattern_free(sys->ctx, &t->slopes->pair);
}
