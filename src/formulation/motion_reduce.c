/* Stages without the rows of redundant parameters. Unit quaternions, rotation matrices, unit vectors carry rows h(o) = 0 of their own:
 * a few rows H on a few columns, a block. With the equilibrium rows of the block multiplied by the null space of H where equilibrium is
 * asked for, the multipliers of h vanish; with
 *
 *     d = d_p + N y,   H d_p = -h,   H N = 0      by LDU factors of the small H where the constraints are asked for
 *
 * the rows h are solved beforehand (Fernandez de Bustos, Noriega, Uriarte, Garcia-Marina; docs/theory/nullspace.md). Only y is left in the
 * large matrix, as many unknowns as the block has freedoms. d_p is the basic solution, so y are the parameters that are no pivots. This is
 * an elimination: the increments, and after it the multipliers of h, are those of the whole matrix.
 *
 * Stabilised stages have velocities w and multipliers mu of their own: H d = -h and H w + t (H v)_x d = r with the same H, so
 *
 *     [d; w] = [p; p_w] + [N 0; t S N] [y; y_w],   H S = -(H v)_x N
 *
 * and N takes H^T mu out of d - w - G^T mu. A block then has both columns and both rows.
 *
 * What meets a block in the whole matrix is kept as full tiles: of all other rows that touch it, of all other columns, and of each pair of
 * blocks. The matrix is assembled in them. */
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
    bl_index nrow, ncol;   /* of all unknowns: once or, stabilised, twice those of H */
    bl_index *row, *col;   /* in x */
    bl_index hrow, hcol;   /* of H */
    bl_index *slot;        /* [hrow][hcol] column-major: in the values of G, -1: not there */
    bl_index at;           /* first of ncol - nrow places in the reduced system */
    double *H, *H_e, *H_v; /* scaled rows; of equilibrium; (H v)_x */
    double *S;             /* [hrow][hcol - hrow] at the pivots, stabilised */
    bl_ldu at_c, at_e;
    bl_ldu *left_of;                     /* the one of equilibrium */
    space left, right[BL_MOST_MATRICES]; /* what multiplies the rows; the columns of each matrix */
} block;

typedef enum shape { ROWS, COLS, BOTH } shape; /* singles x block; block x singles, kept transposed; block x block */

typedef struct tile {
    shape shape;
    bl_index row, col; /* blocks; -1: none */
    bl_index m, n;     /* kept as values[m][n] column-major, m: singles, or rows of the block */
    bl_index *single;  /* [m] in x */
    bl_index *to;      /* [m or freedoms of the row][freedoms] in the reduced values */
    size_t first;      /* where its values are kept */
} tile;

struct bl_motion_reduce {
    bl_arena arena;
    bl_index n; /* unknowns */
    bl_pattern pattern;
    bl_index nblock, ntile, ncopy;
    block *block;
    tile *tile;
    bl_index *copy_to;                       /* values that no block meets: they are kept before the tiles */
    bl_index *place;                         /* [nnz] of the whole matrix: where its values are kept, -1: solved beforehand */
    bl_index *row_ptr, *row_col, *row_place; /* the same by rows, those of blocks */
    bl_index *group;                         /* [nx] block; -1: none; GONE: row or multiplier of parameters */
    bl_index *local;                         /* [nx] place in the block; without one: in the reduced system */
    size_t kept, largest;                    /* values of copies and all tiles, of one */
    double *tiles[BL_MOST_MATRICES];
    double *values, *y, *part, *moved, *scratch;
    bl_index *dependent;
    bool failed; /* the rows of a block lost their rank */
};
enum { ALONE = -1, GONE = -2 };
static const double LARGEST = 8; /* entry of the factors of kept pivots; 1 with the best ones */

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

#define TAKE(arena, pointer, count)                                                                      \
    do {                                                                                                 \
        if (!((pointer) = bl_arena_alloc((arena), (size_t)(count) + ((count) == 0), sizeof *(pointer)))) \
            return BL_E_MEMORY;                                                                          \
    } while (0)

/* ---- blocks */

static bl_index root_of(bl_index *up, bl_index i) {
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static bool of_parameters(const bl_formulation *form, bl_index row) {
    const bl_motion *own = form->own;
    return form->sys->row[row].what == BL_ROW_PARAM && own->at.rows.place[row] >= 0;
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
            group[own->ol + own->at.rows.place[i]] = number[root_of(up, i)];
            if (own->stabilised)
                group[own->om + own->at.rows.place[i]] = number[root_of(up, i)];
        }
}

/* memory of one; its sizes are known */
static bl_status fill_block(struct bl_motion_reduce *r, block *now, bl_index times) {
    now->hrow = now->nrow / times;
    now->hcol = now->ncol / times;
    size_t entries = (size_t)now->hrow * (size_t)now->hcol, doubles = bl_ldu_doubles(now->hrow, now->hcol);
    bl_index *order;
    TAKE(&r->arena, now->row, now->nrow);
    TAKE(&r->arena, now->col, now->ncol);
    TAKE(&r->arena, now->slot, entries);
    TAKE(&r->arena, now->H, 4 * entries + 2 * doubles);
    TAKE(&r->arena, order, 2 * (size_t)(now->hrow + now->hcol));
    now->H_e = now->H + entries;
    now->H_v = now->H_e + entries;
    now->S = now->H_v + entries;
    bl_ldu_place(&now->at_c, now->hrow, now->hcol, now->S + entries, order);
    bl_ldu_place(&now->at_e, now->hrow, now->hcol, now->S + entries + doubles, order + now->hrow + now->hcol);
    for (size_t k = 0; k < entries; k++)
        now->slot[k] = -1;
    for (int k = -1; times > 1 && k < BL_MOST_MATRICES; k++) { /* else those of the factors */
        space *of = k < 0 ? &now->left : &now->right[k];
        TAKE(&r->arena, of->col, now->ncol);
        TAKE(&r->arena, of->top, (size_t)now->nrow * (size_t)(now->ncol - now->nrow));
    }
    return BL_OK;
}

/* rows, columns and memory of the blocks; rows leave `group` */
static bl_status fill_blocks(bl_formulation *form, struct bl_motion_reduce *r) {
    bl_motion *own = form->own;
    const bl_pattern *G = &form->sys->pat_G;
    for (bl_index i = 0; i < form->nx; i++)
        if (r->group[i] >= 0)
            *(i < own->ol ? &r->block[r->group[i]].ncol : &r->block[r->group[i]].nrow) += 1;
    for (bl_index b = 0; b < r->nblock; b++) {
        BL_TRY(fill_block(r, &r->block[b], own->stabilised ? 2 : 1));
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
                now->slot[now->hrow * r->local[j] + r->local[own->ol + own->at.rows.place[G->idx[k]]]] = k;
            }
    for (bl_index i = own->ol; i < form->nx; i++)
        if (r->group[i] >= 0)
            r->group[i] = GONE;
    return BL_OK;
}

/* places in the reduced system, in the order of x */
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

static bl_index freedoms(const block *b) { return b->ncol - b->nrow; }

enum { COPIED = -1, LEFT_OUT = -2 };

/* where each entry of the whole matrix goes */
typedef struct sorting {
    bl_index *tile, *i, *c;       /* [nnz] tile, COPIED or LEFT_OUT; place in the tile */
    bl_index *stamp, *place;      /* [nx] of singles among the rows of the present block */
    bl_index *pair, *last, *many; /* [nblock] tile of a row block with the present column block; column last seen; columns */
} sorting;

/* columns of the blocks: tiles 0 .. nblock take other rows, those from 2 nblock on take pairs */
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
                        s->place[i] = rows++;
                    }
                    s->tile[k] = b;
                    s->i[k] = s->place[i];
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
    TAKE(&r->arena, r->tile, r->ntile);
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
        TAKE(&r->arena, t->single, t->m);
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
    TAKE(&r->arena, r->scratch, r->largest);
    TAKE(&r->arena, r->copy_to, r->ncopy);
    return BL_OK;
}

/* values are assembled where they are kept: places in the whole matrix become places there; -1: solved beforehand */
static bl_status keep_values(bl_formulation *form, struct bl_motion_reduce *r, const sorting *s) {
    bl_motion *own = form->own;
    const bl_pattern *p = &own->pattern;
    bl_index copied = 0;
    TAKE(&r->arena, r->place, p->ptr[form->nx]);
    TAKE(&r->arena, r->row_ptr, form->nx + 2);
    for (bl_index k = 0; k < p->ptr[form->nx]; k++) {
        const tile *t = s->tile[k] >= 0 ? &r->tile[s->tile[k]] : NULL;
        r->place[k] = t ? (bl_index)t->first + t->m * s->c[k] + s->i[k] : s->tile[k] == COPIED ? copied++ : -1;
        if (t && t->row >= 0)
            r->row_ptr[p->idx[k] + 2]++;
    }
    for (size_t k = 0; k < own->nslot; k++)
        own->slot[k] = own->slot[k] >= 0 ? r->place[own->slot[k]] : -1;
    for (bl_index i = 0; i < form->nx; i++)
        r->row_ptr[i + 2] += r->row_ptr[i + 1];
    TAKE(&r->arena, r->row_col, r->row_ptr[form->nx + 1]);
    TAKE(&r->arena, r->row_place, r->row_ptr[form->nx + 1]);
    for (bl_index j = 0; j < form->nx; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            if (s->tile[k] >= 0 && r->tile[s->tile[k]].row >= 0) {
                bl_index at = r->row_ptr[p->idx[k] + 1]++;
                r->row_col[at] = j;
                r->row_place[at] = r->place[k];
            }
    return BL_OK;
}

/* the reduced pattern, and where copies and tiles go in it */
static bl_status reduce_pattern(bl_formulation *form, struct bl_motion_reduce *r, const bl_index *tile_of) {
    const bl_pattern *p = &((bl_motion *)form->own)->pattern;
    bl_index *row, npair = 0;
    BL_TRY(BL_NEW(form->ctx, row, 3 * r->kept));
    bl_index *col = row + r->kept, *slot = col + r->kept;
    for (bl_index j = 0; j < form->nx; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            if (tile_of[k] == COPIED) {
                row[npair] = r->local[p->idx[k]];
                col[npair++] = r->local[j];
            }
    bl_status status = BL_OK;
    for (bl_index k = 0; k < r->ntile && status == BL_OK; k++) {
        tile *t = &r->tile[k];
        const block *down = t->row >= 0 ? &r->block[t->row] : NULL, *across = t->col >= 0 ? &r->block[t->col] : NULL;
        bl_index m = t->shape == BOTH ? freedoms(down) : t->m, n = freedoms(across ? across : down);
        t->to = bl_arena_alloc(&r->arena, (size_t)(m * n) + 1, sizeof *t->to);
        if (!t->to)
            status = BL_E_MEMORY;
        for (bl_index c = 0; c < n && status == BL_OK; c++)
            for (bl_index i = 0; i < m; i++) {
                bl_index single = t->shape == BOTH ? 0 : r->local[t->single[i]];
                row[npair] = t->shape == ROWS ? single : t->shape == COLS ? down->at + c : down->at + i;
                col[npair] = t->shape == COLS ? single : across->at + c;
                t->to[c * m + i] = npair++;
            }
    }
    if (status == BL_OK)
        status = bl_pattern_build(form->ctx, r->n, r->n, npair, row, col, &r->pattern, slot);
    for (bl_index k = 0; k < r->ncopy && status == BL_OK; k++)
        r->copy_to[k] = slot[k];
    for (bl_index k = 0; k < r->ntile && status == BL_OK; k++) {
        const tile *t = &r->tile[k];
        bl_index count = (t->shape == BOTH ? freedoms(&r->block[t->row]) : t->m) * freedoms(&r->block[t->col >= 0 ? t->col : t->row]);
        for (bl_index e = 0; e < count; e++)
            t->to[e] = slot[t->to[e]];
    }
    bl_free(form->ctx, row);
    return status;
}

static bl_status make_tiles(bl_formulation *form, struct bl_motion_reduce *r) {
    bl_motion *own = form->own;
    size_t nnz = (size_t)own->pattern.ptr[form->nx], nx = (size_t)form->nx, nblock = (size_t)r->nblock;
    bl_index *work;
    BL_TRY(BL_NEW(form->ctx, work, 3 * nnz + 2 * nx + 3 * nblock));
    sorting s = {.tile = work, .i = work + nnz, .c = work + 2 * nnz, .stamp = work + 3 * nnz, .place = work + 3 * nnz + nx};
    s.pair = s.place + nx;
    s.last = s.pair + nblock;
    s.many = s.last + nblock;
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
    bl_index *work;
    size_t nx = (size_t)form->nx;
    TAKE(&r->arena, r->group, nx);
    TAKE(&r->arena, r->local, nx);
    TAKE(&r->arena, work, 2 * (size_t)own->np);
    find_groups(form, work, work + own->np, r->group, &r->nblock);
    if (r->nblock == 0)
        return BL_OK;
    TAKE(&r->arena, r->block, r->nblock);
    BL_TRY(fill_blocks(form, r));
    number_unknowns(form, r);
    BL_TRY(make_tiles(form, r));
    TAKE(&r->arena, r->values, r->pattern.ptr[r->n]);
    TAKE(&r->arena, r->y, (size_t)r->n + (size_t)own->np); /* also the rows of a block */
    TAKE(&r->arena, r->part, own->ol);
    TAKE(&r->arena, r->moved, nx);
    TAKE(&r->arena, r->dependent, r->n);
    return BL_OK;
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
        bl_log(form->ctx, level, "%s: nothing to reduce: no coordinates with rows of their own", name);
        bl_motion_reduce_free(form);
        return BL_OK;
    }
    bl_index rows = 0;
    for (bl_index b = 0; b < r->nblock; b++)
        rows += r->block[b].hrow;
    bl_log(form->ctx, level, "%s: %d parameter rows of %d blocks are solved beforehand: %d unknowns become %d", name, (int)rows,
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

/* Pivots are kept while they are good: each choice of them gives other unknowns, and the large matrix would need new pivots too. */
static void factor_rows(const bl_formulation *form, bl_ldu *ldu, const double *H) {
    if (!bl_ldu_refactor(ldu, H, LARGEST))
        bl_ldu_factor(ldu, H, form->rank_tolerance);
}

/* the null space of [H 0; .. H'] from those of H and H' but for the corner */
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
        if (apart) { /* equilibrium often stays where it is while the end of the step moves */
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
        if (own->stabilised) {
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

/* derivatives by positions are, where equilibrium is asked for at a known place */
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
    bl_index n = f->n - f->rank, m = down ? freedoms(down) : t->m;
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
    double turned = s->cc / s->cvc;
    for (bl_index k = 0; k < r->nblock && own->stabilised; k++) {
        block *b = &r->block[k];
        join(&b->at_c, &b->at_c, &b->right[which]);
        for (bl_index g = 0; g < b->hcol - b->hrow; g++)
            for (bl_index i = 0; i < b->hrow; i++)
                b->right[which].top[2 * b->hrow * g + b->hrow + i] = turned * b->S[b->hrow * g + i];
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
            bl_index first = b ? b->at : r->local[i], count = b ? freedoms(b) : 1;
            if (r->group[i] != GONE && first <= stats->dependent[k] && stats->dependent[k] < first + count)
                r->dependent[k] = i;
        }
    stats->dependent = r->dependent;
}

/* ---- one right-hand side */

/* x -= A p; p is basic: zero but at the pivots */
static void subtract_particular(const bl_motion *own, const struct bl_motion_reduce *r, int which, const block *b, double *x) {
    const bl_pattern *p = &own->pattern;
    const space *f = &b->right[which];
    for (bl_index k = 0; k < f->rank; k++) {
        bl_index j = b->col[f->col[k]];
        double factor = r->part[j];
        for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++)
            if (r->place[e] >= 0)
                x[p->idx[e]] -= r->tiles[which][r->place[e]] * factor;
    }
}

/* x -= A y in the rows of a block that its multipliers are found from */
static void subtract_moved(const struct bl_motion_reduce *r, int which, const block *b, const double *y, double *x) {
    for (bl_index k = 0; k < b->nrow; k++) {
        bl_index i = b->col[b->left.col[k]];
        double dot = 0;
        for (bl_index e = r->row_ptr[i]; e < r->row_ptr[i + 1]; e++)
            dot += r->tiles[which][r->row_place[e]] * y[r->row_col[e]];
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
        double turned = own->key[which][BL_KEY_CC] / own->key[which][BL_KEY_CVC];
        for (bl_index c = 0; first > 0 && c < b->hcol; c++)
            for (bl_index i = 0; i < b->hrow; i++)
                r->y[i] -= turned * b->H_v[b->hrow * c + i] * r->part[b->col[c]];
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
        for (bl_index g = 0; g < freedoms(b); g++)
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
        for (bl_index g = 0; g < freedoms(b); g++) {
            double y = r->y[b->at + g];
            moved[b->col[f->col[f->rank + g]]] = y;
            for (bl_index i = 0; i < f->rank; i++)
                moved[b->col[f->col[i]]] += f->top[(size_t)f->rank * (size_t)g + (size_t)i] * y;
        }
    }
}

/* what equilibrium of a block leaves over is pushed by its own rows */
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
