/* Stages without the rows of redundant parameters. Unit quaternions, rotation matrices, unit vectors have equations h(o) = 0 of their own:
 * a few rows H on a few columns, a block. With the equilibrium rows of the block multiplied by the null space of H at the configuration of
 * equilibrium, the multipliers of h vanish; with
 *
 *     d = d_p + N y,   H d_p = -h,   H N = 0      by LDU factors of the small H at the configuration of the constraints
 *
 * the rows h are solved beforehand (Fernandez de Bustos, Noriega, Uriarte, Garcia-Marina; docs/theory/nullspace.md). Only y remains in the
 * large matrix, as many unknowns as the block has degrees of freedom. d_p is the basic solution, so y are the parameters that are not
 * pivots. This is an elimination: the increments, and then the multipliers of h, are those of the full matrix.
 *
 * Stabilized stages have velocities w and multipliers mu of their own: H d = -h and H w + t (H v)_x d = r with the same H, so
 *
 *     [d; w] = [p; p_w] + [N 0; t S N] [y; y_w],   H S = -(H v)_x N
 *
 * and N eliminates H^T mu from d - w - G^T mu. A block then has both columns and both rows.
 *
 * Entries of the full matrix in rows or columns of a block are stored as full tiles: one for all other rows of its columns, one for all
 * other columns of its rows, and one for each pair of blocks. The matrix is assembled in them. */
#include "formulation/formulation_limits.h"
#include "formulation/motion.h"

#include "dense/dense.h"
#include "sparse/sparse.h"

#include <string.h>

/* x[col] = [top; I] y, top[rank][n - rank] */
typedef struct space {
    bl_index n, rank;
    bl_index *col;
    double *top;
} space;

typedef struct block {
    bl_index nrow, ncol;   /* of all unknowns: once or, stabilized, twice those of H */
    bl_index *row, *col;   /* in x */
    bl_index hrow, hcol;   /* of H */
    bl_index *slot;        /* [hrow][hcol] column-major: index in the values of G, -1: no entry */
    bl_index at;           /* first of ncol - nrow indices in the reduced system */
    double *H, *H_e, *H_v; /* scaled rows; of equilibrium; (H v)_x */
    double *S;             /* [hrow][hcol - hrow] at the pivots, stabilized */
    bl_ldu at_c, at_e;
    bl_ldu *left_of;                     /* the one for equilibrium */
    space left, right[BL_MOST_MATRICES]; /* bases that multiply the rows, and the columns of each matrix */
} block;

typedef enum shape { ROWS, COLS, BOTH } shape; /* singles x block; block x singles, stored transposed; block x block */

typedef struct tile {
    shape shape;
    bl_index row, col; /* blocks; -1: none */
    bl_index m, n;     /* kept as values[m][n] column-major, m: singles, or rows of the block */
    bl_index *single;  /* [m] in x */
    bl_index *to;      /* [m or free unknowns of the row][free unknowns] in the reduced values */
    size_t first;      /* index of its first value */
} tile;

struct bl_motion_reduce {
    bl_arena arena;
    bl_index n; /* unknowns */
    bl_pattern pattern;
    bl_index nblock, ntile, ncopy;
    block *block;
    tile *tile;
    bl_index *copy_to;                         /* values outside all blocks: they are stored before the tiles */
    bl_index *kept_at;                         /* [nnz] of the full matrix: index where its values are stored, -1: eliminated beforehand */
    bl_index *row_ptr, *row_col, *row_kept_at; /* the same by rows, for rows of blocks */
    bl_index *group;                           /* [nx] block; -1: none; GONE: row or multiplier of parameters */
    bl_index *local;                           /* [nx] index in the block; without one: in the reduced system */
    size_t kept, largest;                      /* values of copies and all tiles, of the largest one */
    double *tiles[BL_MOST_MATRICES];
    double *values, *y, *part, *moved, *scratch;
    bl_index *dependent;
    bool failed; /* the rows of a block lost rank */
};
enum { ALONE = -1, GONE = -2 };

void bl_motion_reduce_free(bl_formulation *form) {
    bl_motion *own = form->own;
    struct bl_motion_reduce *r = own->reduce;
    if (!r)
        return;
    bl_pattern_free(form->ctx, &r->pattern);
    for (int k = 0; k < BL_MOST_MATRICES; k++)
        bl_free(form->ctx, r->tiles[k]);
    bl_arena_destroy(&r->arena);
    bl_free(form->ctx, r);
    own->reduce = NULL;
}

/* ---- blocks */

static bl_index root_of(bl_index *up, bl_index i) {
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static bool of_parameters(const bl_formulation *form, bl_index row) {
    const bl_motion *own = form->own;
    return form->sys->row[row].what == BL_ROW_PARAM && own->at.rows.slot[row] >= 0;
}

/* group[col] and group[row] for rows of parameters that share columns; counts blocks in the order of their first columns */
static void find_groups(const bl_formulation *form, bl_index *up, bl_index *number, bl_index *group, bl_index *nblock) {
    const bl_motion *own = form->own;
    const bl_pattern *G = &form->sys->pat_G;
    for (bl_index i = 0; i < own->np; i++) {
        up[i] = i;
        number[i] = ALONE;
    }
    for (bl_index j = 0; j < own->nv; j++) {
        bl_index first = -1;
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            if (of_parameters(form, G->idx[k])) {
                first = first < 0 ? root_of(up, G->idx[k]) : first;
                up[root_of(up, G->idx[k])] = first;
            }
    }
    for (bl_index i = 0; i < form->nx; i++)
        group[i] = ALONE;
    *nblock = 0;
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            if (of_parameters(form, G->idx[k])) {
                bl_index root = root_of(up, G->idx[k]);
                if (number[root] == ALONE)
                    number[root] = (*nblock)++;
                group[j] = group[own->ow + j] = number[root];
            }
    for (bl_index i = 0; i < own->np; i++)
        if (of_parameters(form, i) && number[root_of(up, i)] != ALONE) {
            group[own->ol + own->at.rows.slot[i]] = number[root_of(up, i)];
            if (own->stabilized)
                group[own->om + own->at.rows.slot[i]] = number[root_of(up, i)];
        }
}

/* allocates one block; its sizes are known */
static bl_status fill_block(struct bl_motion_reduce *r, block *now, bl_index times) {
    now->hrow = now->nrow / times;
    now->hcol = now->ncol / times;
    size_t entries = (size_t)now->hrow * (size_t)now->hcol, doubles = bl_ldu_doubles(now->hrow, now->hcol);
    bl_index *order;
    double *factors;
    BL_TRY(BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(now->row, now->nrow), BL_ARRAY(now->col, now->ncol), BL_ARRAY(now->slot, entries),
                           BL_ARRAY(now->H, entries), BL_ARRAY(now->H_e, entries), BL_ARRAY(now->H_v, entries), BL_ARRAY(now->S, entries),
                           BL_ARRAY(factors, 2 * doubles), BL_ARRAY(order, 2 * (size_t)(now->hrow + now->hcol))));
    bl_ldu_place(&now->at_c, now->hrow, now->hcol, factors, order);
    bl_ldu_place(&now->at_e, now->hrow, now->hcol, factors + doubles, order + now->hrow + now->hcol);
    for (size_t k = 0; k < entries; k++)
        now->slot[k] = -1;
    for (int k = -1; times > 1 && k < BL_MOST_MATRICES; k++) { /* else those of the factors */
        space *of = k < 0 ? &now->left : &now->right[k];
        BL_TRY(BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(of->col, now->ncol), BL_ARRAY(of->top, now->nrow * (now->ncol - now->nrow))));
    }
    return BL_OK;
}

/* rows, columns and memory of the blocks; their rows are removed from `group` */
static bl_status fill_blocks(bl_formulation *form, struct bl_motion_reduce *r) {
    bl_motion *own = form->own;
    const bl_pattern *G = &form->sys->pat_G;
    for (bl_index i = 0; i < form->nx; i++)
        if (r->group[i] >= 0)
            *(i < own->ol ? &r->block[r->group[i]].ncol : &r->block[r->group[i]].nrow) += 1;
    for (bl_index b = 0; b < r->nblock; b++) {
        BL_TRY(fill_block(r, &r->block[b], own->stabilized ? 2 : 1));
        r->block[b].nrow = r->block[b].ncol = 0;
    }
    for (bl_index i = 0; i < form->nx; i++) {
        block *now = r->group[i] >= 0 ? &r->block[r->group[i]] : NULL;
        if (!now)
            continue;
        r->local[i] = i < own->ol ? now->ncol : now->nrow;
        if (i < own->ol)
            now->col[now->ncol++] = i;
        else
            now->row[now->nrow++] = i;
    }
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1] && r->group[j] >= 0; k++)
            if (of_parameters(form, G->idx[k])) {
                block *now = &r->block[r->group[j]];
                now->slot[now->hrow * r->local[j] + r->local[own->ol + own->at.rows.slot[G->idx[k]]]] = k;
            }
    for (bl_index i = own->ol; i < form->nx; i++)
        if (r->group[i] >= 0)
            r->group[i] = GONE;
    return BL_OK;
}

/* indices in the reduced system, in the order of x */
static void number_unknowns(const bl_formulation *form, struct bl_motion_reduce *r) {
    r->n = 0;
    for (bl_index b = 0; b < r->nblock; b++)
        r->block[b].at = -1;
    for (bl_index i = 0; i < form->nx; i++) {
        if (r->group[i] == ALONE)
            r->local[i] = r->n++;
        block *now = r->group[i] >= 0 ? &r->block[r->group[i]] : NULL;
        if (now && now->at < 0) {
            now->at = r->n;
            r->n += now->ncol - now->nrow;
        }
    }
}

/* ---- tiles */

static bl_index free_unknowns(const block *b) { return b->ncol - b->nrow; }

enum { COPIED = -1, LEFT_OUT = -2 };

/* destination of each entry of the full matrix */
typedef struct sorting {
    bl_index *tile, *i, *c;       /* [nnz] tile, COPIED or LEFT_OUT; row and column in the tile */
    bl_index *stamp, *position;   /* [nx] of singles among the rows of the present block */
    bl_index *pair, *last, *many; /* [nblock] tile of a row block with the present column block; column last seen; columns */
} sorting;

/* columns of the blocks: tiles 0 .. nblock hold other rows, those from 2 nblock on hold pairs */
static void sort_block_columns(const bl_motion *own, struct bl_motion_reduce *r, sorting *s) {
    const bl_pattern *p = &own->pattern;
    r->ntile = 2 * r->nblock;
    for (bl_index b = 0; b < r->nblock; b++) {
        bl_index rows = 0, before = r->ntile;
        for (bl_index c = 0; c < r->block[b].ncol; c++) {
            bl_index j = r->block[b].col[c];
            for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
                bl_index i = p->idx[k], other = r->group[i];
                s->c[k] = c;
                if (other == GONE)
                    continue;
                if (other == ALONE) {
                    if (s->stamp[i] != b + 1) {
                        s->stamp[i] = b + 1;
                        s->position[i] = rows++;
                    }
                    s->tile[k] = b;
                    s->i[k] = s->position[i];
                    continue;
                }
                if (s->pair[other] < before)
                    s->pair[other] = r->ntile++;
                s->tile[k] = s->pair[other];
                s->i[k] = r->local[i];
            }
        }
    }
}

/* other columns: copied, or to tiles nblock .. 2 nblock */
static void sort_other_columns(const bl_motion *own, struct bl_motion_reduce *r, bl_index nx, sorting *s) {
    const bl_pattern *p = &own->pattern;
    r->ncopy = 0;
    for (bl_index j = 0; j < nx; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1] && r->group[j] == ALONE; k++) {
            bl_index b = r->group[p->idx[k]];
            if (b == ALONE) {
                s->tile[k] = COPIED;
                r->ncopy++;
            }
            if (b < 0)
                continue;
            if (s->last[b] != j + 1) {
                s->last[b] = j + 1;
                s->many[b]++;
            }
            s->tile[k] = r->nblock + b;
            s->i[k] = s->many[b] - 1;
            s->c[k] = r->local[p->idx[k]];
        }
}

/* sizes and memory of the tiles */
static bl_status size_tiles(struct bl_motion_reduce *r, bl_index nnz, const sorting *s) {
    BL_TRY(BL_ARENA_NEW(&r->arena, r->tile, r->ntile));
    for (bl_index k = 0; k < r->ntile; k++)
        r->tile[k].row = r->tile[k].col = -1;
    for (bl_index k = 0; k < nnz; k++)
        if (s->tile[k] >= 0) {
            tile *t = &r->tile[s->tile[k]];
            t->m = s->i[k] >= t->m ? s->i[k] + 1 : t->m;
        }
    for (bl_index k = 0; k < r->ntile; k++) {
        tile *t = &r->tile[k];
        t->shape = k < r->nblock ? ROWS : k < 2 * r->nblock ? COLS : BOTH;
        BL_TRY(BL_ARENA_NEW(&r->arena, t->single, t->m));
    }
    for (bl_index b = 0; b < r->nblock; b++) {
        r->tile[b].col = b;
        r->tile[r->nblock + b].row = b;
        r->largest = (size_t)r->block[b].ncol > r->largest ? (size_t)r->block[b].ncol : r->largest;
    }
    return BL_OK;
}

static bl_status fill_tiles(bl_formulation *form, struct bl_motion_reduce *r, const sorting *s) {
    bl_motion *own = form->own;
    const bl_pattern *p = &own->pattern;
    BL_TRY(size_tiles(r, p->ptr[form->nx], s));
    for (bl_index j = 0; j < form->nx; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            if (s->tile[k] >= 0) {
                tile *t = &r->tile[s->tile[k]];
                bl_index i = p->idx[k];
                if (t->shape == BOTH) {
                    t->row = r->group[i];
                    t->col = r->group[j];
                    t->m = r->block[t->row].ncol;
                } else {
                    t->single[s->i[k]] = t->shape == ROWS ? i : j;
                }
            }
    r->kept = (size_t)r->ncopy;
    for (bl_index k = 0; k < r->ntile; k++) {
        tile *t = &r->tile[k];
        t->n = r->block[t->col >= 0 ? t->col : t->row].ncol;
        t->first = r->kept;
        size_t size = (size_t)t->m * (size_t)t->n;
        r->kept += size;
        r->largest = size > r->largest ? size : r->largest;
    }
    return BL_ARENA_NEW(&r->arena, r->scratch, r->largest);
}

/* values are assembled where they are stored: indices of the full matrix become indices there; -1: eliminated beforehand */
static bl_status keep_values(bl_formulation *form, struct bl_motion_reduce *r, const sorting *s) {
    bl_motion *own = form->own;
    const bl_pattern *p = &own->pattern;
    bl_index copied = 0;
    BL_TRY(BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(r->kept_at, p->ptr[form->nx]), BL_ARRAY(r->row_ptr, form->nx + 2)));
    for (bl_index k = 0; k < p->ptr[form->nx]; k++) {
        const tile *t = s->tile[k] >= 0 ? &r->tile[s->tile[k]] : NULL;
        r->kept_at[k] = t ? (bl_index)t->first + t->m * s->c[k] + s->i[k] : s->tile[k] == COPIED ? copied++ : -1;
        if (t && t->row >= 0)
            r->row_ptr[p->idx[k] + 2]++;
    }
    for (size_t k = 0; k < own->nslot; k++)
        own->slot[k] = own->slot[k] >= 0 ? r->kept_at[own->slot[k]] : -1;
    for (bl_index i = 0; i < form->nx; i++)
        r->row_ptr[i + 2] += r->row_ptr[i + 1];
    bl_index entries = r->row_ptr[form->nx + 1];
    BL_TRY(BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(r->row_col, entries), BL_ARRAY(r->row_kept_at, entries)));
    for (bl_index j = 0; j < form->nx; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            if (s->tile[k] >= 0 && r->tile[s->tile[k]].row >= 0) {
                bl_index at = r->row_ptr[p->idx[k] + 1]++;
                r->row_col[at] = j;
                r->row_kept_at[at] = r->kept_at[k];
            }
    return BL_OK;
}

/* the reduced pattern, and the indices of copies and tiles in it */
static bl_status reduce_pattern(bl_formulation *form, struct bl_motion_reduce *r, const bl_index *tile_of) {
    const bl_pattern *p = &((bl_motion *)form->own)->pattern;
    bl_pairs pairs;
    BL_TRY(BL_ARENA_NEW(&r->arena, r->copy_to, r->kept)); /* and of tiles, one after the other */
    BL_TRY(bl_pairs_begin(form->ctx, r->kept, &pairs));
    for (bl_index j = 0; j < form->nx; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            if (tile_of[k] == COPIED)
                bl_pairs_add(&pairs, r->local[p->idx[k]], r->local[j]);
    for (bl_index k = 0; k < r->ntile; k++) {
        tile *t = &r->tile[k];
        const block *down = t->row >= 0 ? &r->block[t->row] : NULL, *across = t->col >= 0 ? &r->block[t->col] : NULL;
        bl_index m = t->shape == BOTH ? free_unknowns(down) : t->m, n = free_unknowns(across ? across : down);
        t->to = r->copy_to + pairs.n;
        for (bl_index c = 0; c < n; c++)
            for (bl_index i = 0; i < m; i++) {
                bl_index single = t->shape == BOTH ? 0 : r->local[t->single[i]];
                bl_pairs_add(&pairs,
                             t->shape == ROWS   ? single
                             : t->shape == COLS ? down->at + c
                                                : down->at + i,
                             t->shape == COLS ? single : across->at + c);
            }
    }
    for (bl_index k = 0; k < pairs.n; k++)
        r->copy_to[k] = k;
    return bl_pairs_end(&pairs, r->n, &r->pattern, (size_t)pairs.n, r->copy_to);
}

static bl_status make_tiles(bl_formulation *form, struct bl_motion_reduce *r) {
    bl_motion *own = form->own;
    size_t nnz = (size_t)own->pattern.ptr[form->nx], nx = (size_t)form->nx, nblock = (size_t)r->nblock;
    sorting s;
    void *work = NULL;
    BL_TRY(BL_NEW_ARRAYS(form->ctx, work, BL_ARRAY(s.tile, nnz), BL_ARRAY(s.i, nnz), BL_ARRAY(s.c, nnz), BL_ARRAY(s.stamp, nx),
                         BL_ARRAY(s.position, nx), BL_ARRAY(s.pair, nblock), BL_ARRAY(s.last, nblock), BL_ARRAY(s.many, nblock)));
    for (size_t k = 0; k < nnz; k++)
        s.tile[k] = LEFT_OUT;
    sort_block_columns(own, r, &s);
    sort_other_columns(own, r, form->nx, &s);
    bl_status status = fill_tiles(form, r, &s);
    if (status == BL_OK)
        status = reduce_pattern(form, r, s.tile);
    if (status == BL_OK)
        status = keep_values(form, r, &s);
    bl_free(form->ctx, work);
    return status;
}

static bl_status build(bl_formulation *form, struct bl_motion_reduce *r) {
    bl_motion *own = form->own;
    bl_index *up, *number, nx = form->nx;
    BL_TRY(BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(r->group, nx), BL_ARRAY(r->local, nx), BL_ARRAY(up, own->np), BL_ARRAY(number, own->np)));
    find_groups(form, up, number, r->group, &r->nblock);
    if (r->nblock == 0)
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(&r->arena, r->block, r->nblock));
    BL_TRY(fill_blocks(form, r));
    number_unknowns(form, r);
    BL_TRY(make_tiles(form, r));
    /* y: also holds the rows of a block */
    return BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(r->values, r->pattern.ptr[r->n]), BL_ARRAY(r->y, (size_t)r->n + (size_t)own->np),
                           BL_ARRAY(r->part, own->ol), BL_ARRAY(r->moved, nx), BL_ARRAY(r->dependent, r->n));
}

bl_status bl_motion_reduce_setup(bl_formulation *form, bl_log_level level) {
    bl_motion *own = form->own;
    const char *name = form->kind->kind.name;
    struct bl_motion_reduce *r;
    BL_TRY(BL_NEW(form->ctx, r, 1));
    own->reduce = r;
    r->arena.ctx = form->ctx;
    BL_TRY(build(form, r));
    if (r->nblock == 0) {
        bl_log(form->ctx, level, "%s: nothing to reduce: no redundant orientation parameters", name);
        bl_motion_reduce_free(form);
        return BL_OK;
    }
    bl_index rows = 0;
    for (bl_index b = 0; b < r->nblock; b++)
        rows += r->block[b].hrow;
    bl_log(form->ctx, level, "%s: %d parameter equations in %d blocks are eliminated beforehand: %d unknowns become %d", name, (int)rows,
           (int)r->nblock, (int)form->nx, (int)r->n);
    return BL_OK;
}

bl_status bl_motion_reduce_matrices(bl_formulation *form) {
    struct bl_motion_reduce *r = ((bl_motion *)form->own)->reduce;
    for (int k = 0; r && k < form->matrices; k++)
        if (!r->tiles[k])
            BL_TRY(BL_NEW(form->ctx, r->tiles[k], r->kept));
    return BL_OK;
}

const bl_pattern *bl_motion_reduce_pattern(const bl_motion *own) { return own->reduce ? &own->reduce->pattern : &own->pattern; }

/* ---- values */

static void gather_rows(const bl_motion *own, const block *b, const double *G, double *H) {
    for (bl_index i = 0; i < b->hrow; i++) {
        double factor = own->at.rows.by[own->at.rows.kept[b->row[i] - own->ol]];
        for (bl_index k = i; k < b->hrow * b->hcol; k += b->hrow)
            H[k] = b->slot[k] >= 0 ? factor * G[b->slot[k]] : 0;
    }
}

/* Pivots are kept while they are good: other pivots mean other unknowns, and the large matrix would need new pivots too. */
static void factor_rows(const bl_formulation *form, bl_ldu *ldu, const double *H) {
    if (!bl_ldu_refactor(ldu, H, formulation_pivots_kept))
        bl_ldu_factor(ldu, H, form->rank_tolerance);
}

/* the null space of [H 0; .. H'] from those of H and H', except the corner */
static void join(const bl_ldu *first, const bl_ldu *second, space *out) {
    bl_index n = first->n, r = first->rank, f = n - r;
    out->n = 2 * n;
    out->rank = 2 * r;
    for (bl_index k = 0; k < n; k++) {
        bl_index to = k < r ? k : k + r;
        out->col[to] = first->col[k];
        out->col[to + (k < r ? r : f)] = n + second->col[k];
    }
    memset(out->top, 0, (size_t)(2 * r) * (size_t)(2 * f) * sizeof *out->top);
    for (bl_index g = 0; g < f; g++) {
        memcpy(out->top + 2 * r * g, first->top + r * g, (size_t)r * sizeof *out->top);
        memcpy(out->top + 2 * r * (f + g) + r, second->top + r * g, (size_t)r * sizeof *out->top);
    }
}

/* S at the pivots of the block: H S = -(H v)_x N */
static void follow_velocities(struct bl_motion_reduce *r, block *b) {
    bl_ldu *ldu = &b->at_c;
    for (bl_index g = 0; g < ldu->n - ldu->rank; g++) {
        const double *top = ldu->top + ldu->rank * g;
        for (bl_index i = 0; i < b->hrow; i++) {
            double sum = -b->H_v[b->hrow * ldu->col[ldu->rank + g] + i];
            for (bl_index k = 0; k < ldu->rank; k++)
                sum -= b->H_v[b->hrow * ldu->col[k] + i] * top[k];
            r->y[i] = sum;
        }
        bl_ldu_solve(ldu, BL_LDU_BASIC, r->y, r->scratch);
        for (bl_index k = 0; k < ldu->rank; k++)
            b->S[ldu->rank * g + k] = r->scratch[ldu->col[k]];
    }
}

void bl_motion_reduce_tangent(bl_formulation *form, bool apart) {
    bl_motion *own = form->own;
    struct bl_motion_reduce *r = own->reduce;
    r->failed = false;
    for (bl_index k = 0; k < r->nblock; k++) {
        block *b = &r->block[k];
        size_t bytes = (size_t)b->hrow * (size_t)b->hcol * sizeof(double);
        gather_rows(own, b, own->G_c, b->H);
        factor_rows(form, &b->at_c, b->H);
        b->left_of = &b->at_c;
        if (apart) { /* equilibrium often remains at the same configuration while the end of the step moves */
            gather_rows(own, b, own->G_e, b->H);
            if (b->at_e.rank < b->hrow || memcmp(b->H, b->H_e, bytes) != 0) {
                memcpy(b->H_e, b->H, bytes);
                factor_rows(form, &b->at_e, b->H_e);
            }
            b->left_of = &b->at_e;
        }
        if (b->at_c.rank < b->hrow || b->left_of->rank < b->hrow) {
            r->failed = true;
            continue;
        }
        if (own->stabilized) {
            gather_rows(own, b, own->Gv_x, b->H_v);
            follow_velocities(r, b);
            join(b->left_of, &b->at_c, &b->left);
            continue;
        }
        b->left = (space){b->hcol, b->hrow, b->left_of->col, b->left_of->top};
        for (int i = 0; i < form->matrices; i++)
            b->right[i] = (space){b->hcol, b->hrow, b->at_c.col, b->at_c.top};
    }
}

/* out = T N: T[m][n] times a basis of the null space */
static void times_null(const space *f, bl_index m, const double *restrict T, double *restrict out) {
    bl_index rank = f->rank;
    for (bl_index g = 0; g < f->n - rank; g++) {
        const double *top = f->top + rank * g, *free = T + m * f->col[rank + g], *first = T + m * f->col[0];
        double *column = out + m * g, factor = top[0];
        for (bl_index i = 0; i < m; i++)
            column[i] = free[i] + first[i] * factor;
        for (bl_index k = 1; k < rank; k++) {
            const double *from = T + m * f->col[k];
            factor = top[k];
            if (factor == 0)
                continue;
            for (bl_index i = 0; i < m; i++)
                column[i] += from[i] * factor;
        }
    }
}

/* entry g of N^T x */
static double null_times(const space *f, bl_index g, const double *x) {
    const double *top = f->top + (size_t)f->rank * (size_t)g;
    double sum = x[f->col[f->rank + g]];
    for (bl_index k = 0; k < f->rank; k++)
        sum += top[k] * x[f->col[k]];
    return sum;
}

/* true for derivatives with respect to positions where equilibrium is taken at a known configuration */
static bool all_zero(size_t n, const double *T) {
    for (size_t k = 0; k < n; k++)
        if (T[k] != 0)
            return false;
    return true;
}

static void reduce_tile(struct bl_motion_reduce *r, int which, const tile *t) {
    const double *T = r->tiles[which] + t->first;
    double *narrow = r->scratch;
    const space *f = t->col >= 0 ? &r->block[t->col].right[which] : &r->block[t->row].left;
    const block *down = t->shape == BOTH ? &r->block[t->row] : NULL;
    bl_index n = f->n - f->rank, m = down ? free_unknowns(down) : t->m;
    if (down && t->row != t->col && all_zero((size_t)t->m * (size_t)t->n, T)) {
        for (bl_index e = 0; e < m * n; e++)
            r->values[t->to[e]] = 0;
        return;
    }
    times_null(f, t->m, T, narrow);
    for (bl_index e = 0; !down && e < m * n; e++)
        r->values[t->to[e]] = narrow[e];
    for (bl_index c = 0; down && c < n; c++)
        for (bl_index g = 0; g < m; g++)
            r->values[t->to[c * m + g]] = null_times(&down->left, g, narrow + (size_t)t->m * (size_t)c);
}

double *bl_motion_reduce_room(bl_motion *own, int which, size_t *count) {
    *count = own->reduce->kept;
    return own->reduce->tiles[which];
}

bl_status bl_motion_reduce_values(bl_formulation *form, const bl_stage *s, int which, const double **values) {
    bl_motion *own = form->own;
    struct bl_motion_reduce *r = own->reduce;
    if (r->failed)
        return BL_SINGULAR;
    double velocity_ratio = s->cc / s->cvc;
    for (bl_index k = 0; k < r->nblock && own->stabilized; k++) {
        block *b = &r->block[k];
        join(&b->at_c, &b->at_c, &b->right[which]);
        for (bl_index g = 0; g < b->hcol - b->hrow; g++)
            for (bl_index i = 0; i < b->hrow; i++)
                b->right[which].top[2 * b->hrow * g + b->hrow + i] = velocity_ratio * b->S[b->hrow * g + i];
    }
    for (bl_index k = 0; k < r->ncopy; k++)
        r->values[r->copy_to[k]] = r->tiles[which][k];
    for (bl_index k = 0; k < r->ntile; k++)
        reduce_tile(r, which, &r->tile[k]);
    *values = r->values;
    return BL_OK;
}

void bl_motion_reduce_blame(bl_formulation *form) {
    struct bl_motion_reduce *r = ((bl_motion *)form->own)->reduce;
    bl_linsol_stats *stats = form->linsol ? &form->linsol->stats : NULL;
    if (!r || !stats)
        return;
    if (r->failed)
        stats->ndependent = 0;
    for (bl_index k = 0; k < stats->ndependent; k++)
        for (bl_index i = form->nx - 1; i >= 0; i--) {
            const block *b = r->group[i] >= 0 ? &r->block[r->group[i]] : NULL;
            bl_index first = b ? b->at : r->local[i], count = b ? free_unknowns(b) : 1;
            if (r->group[i] != GONE && first <= stats->dependent[k] && stats->dependent[k] < first + count)
                r->dependent[k] = i;
        }
    stats->dependent = r->dependent;
}

/* ---- one right-hand side */

/* x -= A p; p is basic: zero except at the pivots */
static void subtract_particular(const bl_motion *own, const struct bl_motion_reduce *r, int which, const block *b, double *x) {
    const bl_pattern *p = &own->pattern;
    const space *f = &b->right[which];
    for (bl_index k = 0; k < f->rank; k++) {
        bl_index j = b->col[f->col[k]];
        double factor = r->part[j];
        for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++)
            if (r->kept_at[e] >= 0)
                x[p->idx[e]] -= r->tiles[which][r->kept_at[e]] * factor;
    }
}

/* x -= A y in the rows of a block from which its multipliers are found */
static void subtract_moved(const struct bl_motion_reduce *r, int which, const block *b, const double *y, double *x) {
    for (bl_index k = 0; k < b->nrow; k++) {
        bl_index i = b->col[b->left.col[k]];
        double dot = 0;
        for (bl_index e = r->row_ptr[i]; e < r->row_ptr[i + 1]; e++)
            dot += r->tiles[which][r->row_kept_at[e]] * y[r->row_col[e]];
        x[i] -= dot;
    }
}

/* x of the block in the order of its columns */
static const double *block_values(struct bl_motion_reduce *r, const block *b, const double *x) {
    for (bl_index i = 0; i < b->ncol; i++)
        r->scratch[i] = x[b->col[i]];
    return r->scratch;
}

/* part[] of a block: H p = r, and for velocities H p_w = r_w - t (H v)_x p */
static void particular(const bl_motion *own, struct bl_motion_reduce *r, int which, block *b, const double *x) {
    for (bl_index first = 0, at = 0; first < b->nrow; first += b->hrow, at += b->hcol) {
        for (bl_index i = 0; i < b->hrow; i++)
            r->y[i] = x[b->row[first + i]];
        double velocity_ratio = own->key[which][BL_KEY_CC] / own->key[which][BL_KEY_CVC];
        for (bl_index c = 0; first > 0 && c < b->hcol; c++)
            for (bl_index i = 0; i < b->hrow; i++)
                r->y[i] -= velocity_ratio * b->H_v[b->hrow * c + i] * r->part[b->col[c]];
        bl_ldu_solve(&b->at_c, BL_LDU_BASIC, r->y, r->scratch);
        for (bl_index i = 0; i < b->hcol; i++)
            r->part[b->col[at + i]] = r->scratch[i];
    }
}

/* r of the large system, with the particular solutions of the blocks in part[] */
static void reduce_right(bl_formulation *form, int which, double *x) {
    bl_motion *own = form->own;
    struct bl_motion_reduce *r = own->reduce;
    for (bl_index k = 0; k < r->nblock; k++)
        particular(own, r, which, &r->block[k], x);
    for (bl_index k = 0; k < r->nblock; k++)
        subtract_particular(own, r, which, &r->block[k], x);
    for (bl_index i = 0; i < form->nx; i++)
        if (r->group[i] == ALONE)
            r->y[r->local[i]] = x[i];
    for (bl_index k = 0; k < r->nblock; k++) {
        const block *b = &r->block[k];
        const double *values = block_values(r, b, x);
        for (bl_index g = 0; g < free_unknowns(b); g++)
            r->y[b->at + g] = null_times(&b->left, g, values);
    }
}

/* moved[nx]: the solution without the particular ones */
static void expand(bl_formulation *form, int which) {
    struct bl_motion_reduce *r = ((bl_motion *)form->own)->reduce;
    double *moved = r->moved;
    for (bl_index i = 0; i < form->nx; i++)
        moved[i] = r->group[i] == ALONE ? r->y[r->local[i]] : 0;
    for (bl_index k = 0; k < r->nblock; k++) {
        const block *b = &r->block[k];
        const space *f = &b->right[which];
        for (bl_index g = 0; g < free_unknowns(b); g++) {
            double y = r->y[b->at + g];
            moved[b->col[f->col[f->rank + g]]] = y;
            for (bl_index i = 0; i < f->rank; i++)
                moved[b->col[f->col[i]]] += f->top[(size_t)f->rank * (size_t)g + (size_t)i] * y;
        }
    }
}

/* the residual of equilibrium in a block determines the multipliers of its own rows */
static void find_multipliers(struct bl_motion_reduce *r, int which, double *x) {
    for (bl_index k = 0; k < r->nblock; k++)
        subtract_moved(r, which, &r->block[k], r->moved, x);
    for (bl_index k = 0; k < r->nblock; k++) {
        block *b = &r->block[k];
        const double *over = block_values(r, b, x);
        bl_ldu_solve_transposed(b->left_of, over, r->y);
        for (bl_index i = 0; i < b->hrow; i++)
            x[b->row[i]] = r->y[i];
        if (b->nrow > b->hrow) { /* d - w - G^T mu */
            bl_ldu_solve_transposed(&b->at_c, over + b->hcol, r->y);
            for (bl_index i = 0; i < b->hrow; i++)
                x[b->row[b->hrow + i]] = -r->y[i];
        }
    }
}

bl_status bl_motion_reduce_solve(bl_formulation *form, int which, double *x) {
    struct bl_motion_reduce *r = ((bl_motion *)form->own)->reduce;
    reduce_right(form, which, x);
    BL_TRY(bl_linsol_solve(form->linsol, false, 1, r->y));
    expand(form, which);
    find_multipliers(r, which, x);
    for (bl_index k = 0; k < r->nblock; k++) {
        const block *b = &r->block[k];
        for (bl_index i = 0; i < b->ncol; i++)
            x[b->col[i]] = r->moved[b->col[i]] + r->part[b->col[i]];
    }
    for (bl_index i = 0; i < form->nx; i++)
        if (r->group[i] == ALONE)
            x[i] = r->moved[i];
    return BL_OK;
}
