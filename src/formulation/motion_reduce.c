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
 * What meets a block in the whole matrix, a tile of rows and columns, is kept full. */
#include "formulation/motion.h"

#include "sparse/sparse.h"

#include <string.h>

typedef struct block {
    bl_index nrow, ncol; /* of H */
    bl_index *row, *col; /* in x */
    bl_index *slot;      /* [nrow][ncol] column-major: in the values of G, -1: not there */
    bl_index at;         /* first of ncol - nrow places in the reduced system */
    double *H, *H_e;     /* scaled rows; of equilibrium */
    bl_ldu at_c, at_e;
    const bl_ldu *left; /* the one whose null space multiplies equilibrium */
} block;

typedef struct tile {
    bl_index row, col;   /* block; -1 - i: row or column i of x */
    bl_index nrow, ncol; /* in the whole matrix */
    bl_index *from;      /* [nrow][ncol] column-major: in its values, -1: not there */
    bl_index *to;        /* in the reduced values */
    size_t first;        /* where its values are kept */
    bl_index frow, fcol; /* in the reduced one */
} tile;

struct bl_motion_reduce {
    bl_arena arena;
    bl_index n; /* unknowns */
    bl_pattern pattern;
    bl_index nblock, ntile, ncopy;
    block *block;
    tile *tile;
    bl_index *copy_from, *copy_to; /* values that no block meets */
    bl_index *group;               /* [nx] block; -1: none; GONE: row or multiplier of parameters */
    bl_index *local;               /* [nx] place in the block; without one: in the reduced system */
    size_t kept;                   /* values of all tiles */
    double *tiles[BL_MOST_MATRICES];
    double *values, *y, *part, *moved, *scratch;
    bl_index *dependent;
    bool failed; /* the rows of a block lost their rank */
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
    return form->sys->row[row].what == BL_ROW_PARAM && own->place[row] >= 0;
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
                group[j] = number[root];
            }
    for (bl_index i = 0; i < own->np; i++)
        if (of_parameters(form, i) && number[root_of(up, i)] != ALONE)
            group[own->ol + own->place[i]] = number[root_of(up, i)];
}

/* rows, columns and memory of the blocks; rows leave `group` */
static bl_status fill_blocks(bl_formulation *form, struct bl_motion_reduce *r) {
    bl_motion *own = form->own;
    const bl_pattern *G = &form->sys->pat_G;
    for (bl_index i = 0; i < form->nx; i++)
        if (r->group[i] >= 0)
            *(i < own->nv ? &r->block[r->group[i]].ncol : &r->block[r->group[i]].nrow) += 1;
    for (bl_index b = 0; b < r->nblock; b++) {
        block *now = &r->block[b];
        size_t entries = (size_t)now->nrow * (size_t)now->ncol, doubles = bl_ldu_doubles(now->nrow, now->ncol);
        double *numbers;
        bl_index *order;
        TAKE(&r->arena, now->row, now->nrow);
        TAKE(&r->arena, now->col, now->ncol);
        TAKE(&r->arena, now->slot, entries);
        TAKE(&r->arena, numbers, 2 * (entries + doubles));
        TAKE(&r->arena, order, 2 * (size_t)(now->nrow + now->ncol));
        now->H = numbers;
        now->H_e = now->H + entries;
        bl_ldu_place(&now->at_c, now->nrow, now->ncol, now->H_e + entries, order);
        bl_ldu_place(&now->at_e, now->nrow, now->ncol, now->H_e + entries + doubles, order + now->nrow + now->ncol);
        now->nrow = now->ncol = 0;
        for (size_t k = 0; k < entries; k++)
            now->slot[k] = -1;
    }
    for (bl_index i = 0; i < form->nx; i++) {
        block *now = r->group[i] >= 0 ? &r->block[r->group[i]] : NULL;
        if (!now)
            continue;
        r->local[i] = i < own->nv ? now->ncol : now->nrow;
        if (i < own->nv)
            now->col[now->ncol++] = i;
        else
            now->row[now->nrow++] = i;
    }
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1] && r->group[j] >= 0; k++)
            if (of_parameters(form, G->idx[k])) {
                block *now = &r->block[r->group[j]];
                now->slot[now->nrow * r->local[j] + r->local[own->ol + own->place[G->idx[k]]]] = k;
            }
    for (bl_index i = own->nv; i < form->nx; i++)
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

/* first row or column of the reduced system that x_i has a share in: names its group */
static bl_index head(const struct bl_motion_reduce *r, bl_index i) { return r->group[i] >= 0 ? r->block[r->group[i]].at : r->local[i]; }

static bl_index name_of(const struct bl_motion_reduce *r, bl_index i) { return r->group[i] >= 0 ? r->group[i] : -1 - i; }

/* Counts tiles and copies; with `make` also writes what they are. seen[n]: the last tile of a row group. */
static void walk(const bl_motion *own, struct bl_motion_reduce *r, bool make, bl_index nx, bl_index *seen) {
    const bl_pattern *p = &own->pattern;
    for (bl_index i = 0; i < r->n; i++)
        seen[i] = -1;
    r->ntile = r->ncopy = 0;
    for (bl_index first = 0; first < nx; first++) {
        bl_index b = r->group[first], before = r->ntile, count = b >= 0 ? r->block[b].ncol : 1;
        if (b == GONE || (b >= 0 && r->block[b].col[0] != first))
            continue;
        for (bl_index c = 0; c < count; c++) {
            bl_index j = b >= 0 ? r->block[b].col[c] : first;
            for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
                bl_index i = p->idx[k];
                if (r->group[i] == GONE)
                    continue;
                if (b == ALONE && r->group[i] == ALONE) {
                    if (make)
                        r->copy_from[r->ncopy] = k;
                    r->ncopy++;
                    continue;
                }
                bl_index *at = &seen[head(r, i)];
                if (*at < before) {
                    *at = r->ntile++;
                    if (make) {
                        tile *t = &r->tile[*at];
                        t->row = name_of(r, i);
                        t->col = name_of(r, j);
                        t->nrow = t->row >= 0 ? r->block[t->row].ncol : 1;
                        t->ncol = count;
                        t->frow = t->row >= 0 ? t->nrow - r->block[t->row].nrow : 1;
                        t->fcol = b >= 0 ? t->ncol - r->block[b].nrow : 1;
                    }
                }
            }
        }
    }
}

/* where the entries of tiles and copies are and go; the reduced pattern */
static bl_status fill_tiles(bl_formulation *form, struct bl_motion_reduce *r) {
    bl_motion *own = form->own;
    const bl_pattern *p = &own->pattern;
    size_t entries = 0, reduced = (size_t)r->ncopy, largest = 1;
    for (bl_index b = 0; b < r->nblock; b++)
        largest = (size_t)r->block[b].ncol > largest ? (size_t)r->block[b].ncol : largest;
    for (bl_index k = 0; k < r->ntile; k++) {
        tile *t = &r->tile[k];
        size_t size = (size_t)t->nrow * (size_t)t->ncol;
        t->first = entries;
        TAKE(&r->arena, t->from, size);
        TAKE(&r->arena, t->to, t->frow * t->fcol);
        for (size_t e = 0; e < size; e++)
            t->from[e] = -1;
        entries += size;
        reduced += (size_t)(t->frow * t->fcol);
        largest = size > largest ? size : largest;
    }
    r->kept = entries;
    TAKE(&r->arena, r->scratch, largest);
    for (bl_index k = 0; k < r->ntile; k++) {
        tile *t = &r->tile[k];
        bl_index count = t->col >= 0 ? r->block[t->col].ncol : 1;
        for (bl_index c = 0; c < count; c++) {
            bl_index j = t->col >= 0 ? r->block[t->col].col[c] : -1 - t->col;
            for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++) {
                bl_index i = p->idx[e];
                if (r->group[i] != GONE && name_of(r, i) == t->row)
                    t->from[c * t->nrow + (r->group[i] >= 0 ? r->local[i] : 0)] = e;
            }
        }
    }
    bl_index *row, *slot, npair = 0;
    BL_TRY(BL_NEW(form->ctx, row, 3 * reduced));
    bl_index *col = row + reduced;
    slot = col + reduced;
    for (bl_index j = 0, k = 0; j < form->nx; j++)
        for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++)
            if (k < r->ncopy && r->copy_from[k] == e) {
                row[npair] = r->local[p->idx[e]];
                col[npair] = r->local[j];
                r->copy_to[k++] = npair++;
            }
    for (bl_index k = 0; k < r->ntile; k++) {
        tile *t = &r->tile[k];
        bl_index at_row = t->row >= 0 ? r->block[t->row].at : r->local[-1 - t->row];
        bl_index at_col = t->col >= 0 ? r->block[t->col].at : r->local[-1 - t->col];
        for (bl_index e = 0; e < t->frow * t->fcol; e++) {
            row[npair] = at_row + e % t->frow;
            col[npair] = at_col + e / t->frow;
            t->to[e] = npair++;
        }
    }
    bl_status status = bl_pattern_build(form->ctx, r->n, r->n, npair, row, col, &r->pattern, slot);
    for (bl_index k = 0; k < r->ncopy && status == BL_OK; k++)
        r->copy_to[k] = slot[r->copy_to[k]];
    for (bl_index k = 0; k < r->ntile && status == BL_OK; k++)
        for (bl_index e = 0; e < r->tile[k].frow * r->tile[k].fcol; e++)
            r->tile[k].to[e] = slot[r->tile[k].to[e]];
    bl_free(form->ctx, row);
    return status;
}

static bl_status build(bl_formulation *form, struct bl_motion_reduce *r) {
    bl_motion *own = form->own;
    bl_index *work;
    size_t nx = (size_t)form->nx;
    TAKE(&r->arena, r->group, nx);
    TAKE(&r->arena, r->local, nx);
    TAKE(&r->arena, work, 2 * (size_t)own->np + nx);
    find_groups(form, work, work + own->np, r->group, &r->nblock);
    if (r->nblock == 0)
        return BL_OK;
    TAKE(&r->arena, r->block, r->nblock);
    BL_TRY(fill_blocks(form, r));
    number_unknowns(form, r);
    walk(own, r, false, form->nx, work);
    TAKE(&r->arena, r->tile, r->ntile);
    TAKE(&r->arena, r->copy_from, r->ncopy);
    TAKE(&r->arena, r->copy_to, r->ncopy);
    walk(own, r, true, form->nx, work);
    BL_TRY(fill_tiles(form, r));
    TAKE(&r->arena, r->values, r->pattern.ptr[r->n]);
    TAKE(&r->arena, r->y, (size_t)r->n + (size_t)own->np); /* also the rows of a block */
    TAKE(&r->arena, r->part, own->nv);
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
        rows += r->block[b].nrow;
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
    for (bl_index i = 0; i < b->nrow; i++) {
        double factor = own->row_factor[own->kept[b->row[i] - own->ol]];
        for (bl_index k = i; k < b->nrow * b->ncol; k += b->nrow)
            H[k] = b->slot[k] >= 0 ? factor * G[b->slot[k]] : 0;
    }
}

void bl_motion_reduce_tangent(bl_formulation *form, bool apart) {
    bl_motion *own = form->own;
    struct bl_motion_reduce *r = own->reduce;
    r->failed = false;
    for (bl_index k = 0; k < r->nblock; k++) {
        block *b = &r->block[k];
        size_t bytes = (size_t)b->nrow * (size_t)b->ncol * sizeof(double);
        gather_rows(own, b, own->G_c, b->H);
        bl_ldu_factor(&b->at_c, b->H, form->rank_tolerance);
        b->left = &b->at_c;
        if (apart) { /* equilibrium often stays where it is while the end of the step moves */
            gather_rows(own, b, own->G_e, b->H);
            if (b->at_e.rank < b->nrow || memcmp(b->H, b->H_e, bytes) != 0) {
                memcpy(b->H_e, b->H, bytes);
                bl_ldu_factor(&b->at_e, b->H_e, form->rank_tolerance);
            }
            b->left = &b->at_e;
        }
        r->failed = r->failed || b->at_c.rank < b->nrow || b->left->rank < b->nrow;
    }
}

/* T N, columns of the null space one after the other */
static void times_null(const bl_ldu *f, bl_index nrow, const double *T, double *out) {
    bl_index rank = f->rank;
    for (bl_index g = 0; g < f->n - rank; g++) {
        const double *top = f->top + (size_t)rank * (size_t)g, *from = T + (size_t)nrow * (size_t)f->col[rank + g];
        double *column = out + (size_t)nrow * (size_t)g;
        for (bl_index i = 0; i < nrow; i++)
            column[i] = from[i];
        for (bl_index k = 0; k < rank; k++) {
            from = T + (size_t)nrow * (size_t)f->col[k];
            for (bl_index i = 0; i < nrow; i++)
                column[i] += from[i] * top[k];
        }
    }
}

/* one entry of N^T x */
static double null_times(const bl_ldu *f, bl_index g, const double *x) {
    const double *top = f->top + (size_t)f->rank * (size_t)g;
    double sum = x[f->col[f->rank + g]];
    for (bl_index k = 0; k < f->rank; k++)
        sum += top[k] * x[f->col[k]];
    return sum;
}

bl_status bl_motion_reduce_values(bl_formulation *form, int which, const double **values) {
    bl_motion *own = form->own;
    struct bl_motion_reduce *r = own->reduce;
    if (r->failed)
        return BL_SINGULAR;
    for (bl_index k = 0; k < r->ncopy; k++)
        r->values[r->copy_to[k]] = own->values[r->copy_from[k]];
    for (bl_index k = 0; k < r->ntile; k++) {
        const tile *t = &r->tile[k];
        double *T = r->tiles[which] + t->first;
        const double *narrow = T;
        for (bl_index e = 0; e < t->nrow * t->ncol; e++)
            T[e] = t->from[e] >= 0 ? own->values[t->from[e]] : 0;
        if (t->col >= 0) {
            times_null(&r->block[t->col].at_c, t->nrow, T, r->scratch);
            narrow = r->scratch;
        }
        for (bl_index c = 0; c < t->fcol; c++)
            for (bl_index g = 0; g < t->frow; g++)
                r->values[t->to[c * t->frow + g]] =
                    t->row >= 0 ? null_times(r->block[t->row].left, g, narrow + (size_t)t->nrow * (size_t)c) : narrow[c];
    }
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
            bl_index count = r->group[i] >= 0 ? r->block[r->group[i]].ncol - r->block[r->group[i]].nrow : 1;
            if (r->group[i] != GONE && head(r, i) <= stats->dependent[k] && stats->dependent[k] < head(r, i) + count)
                r->dependent[k] = i;
        }
    stats->dependent = r->dependent;
}

/* ---- one right-hand side */

/* x of the rows of a tile -= its values times y of its columns */
static void subtract_tile(const struct bl_motion_reduce *r, const tile *t, const double *T, const double *y, double *x) {
    for (bl_index c = 0; c < t->ncol; c++) {
        double factor = y[t->col >= 0 ? r->block[t->col].col[c] : -1 - t->col];
        for (bl_index i = 0; i < t->nrow; i++)
            x[t->row >= 0 ? r->block[t->row].col[i] : -1 - t->row] -= T[t->nrow * c + i] * factor;
    }
}

/* x of the block in the order of its columns */
static const double *block_values(struct bl_motion_reduce *r, const block *b, const double *x) {
    for (bl_index i = 0; i < b->ncol; i++)
        r->scratch[i] = x[b->col[i]];
    return r->scratch;
}

bl_status bl_motion_reduce_solve(bl_formulation *form, int which, double *x) {
    bl_motion *own = form->own;
    struct bl_motion_reduce *r = own->reduce;
    double *part = r->part, *moved = r->moved;
    for (bl_index k = 0; k < r->nblock; k++) {
        block *b = &r->block[k];
        for (bl_index i = 0; i < b->nrow; i++)
            r->y[i] = x[b->row[i]];
        bl_ldu_solve(&b->at_c, BL_LDU_BASIC, r->y, r->scratch);
        for (bl_index i = 0; i < b->ncol; i++)
            part[b->col[i]] = r->scratch[i];
    }
    for (bl_index k = 0; k < r->ntile; k++)
        if (r->tile[k].col >= 0)
            subtract_tile(r, &r->tile[k], r->tiles[which] + r->tile[k].first, part, x);
    for (bl_index i = 0; i < form->nx; i++)
        if (r->group[i] == ALONE)
            r->y[r->local[i]] = x[i];
    for (bl_index k = 0; k < r->nblock; k++) {
        const block *b = &r->block[k];
        const double *values = block_values(r, b, x);
        for (bl_index g = 0; g < b->ncol - b->nrow; g++)
            r->y[b->at + g] = null_times(b->left, g, values);
    }
    BL_TRY(form->linsol->kind->solve(form->linsol, false, 1, r->y));
    for (bl_index i = 0; i < form->nx; i++)
        moved[i] = r->group[i] == ALONE ? r->y[r->local[i]] : 0;
    for (bl_index k = 0; k < r->nblock; k++) {
        const block *b = &r->block[k];
        const bl_ldu *f = &b->at_c;
        for (bl_index g = 0; g < b->ncol - b->nrow; g++) {
            double y = r->y[b->at + g];
            moved[b->col[f->col[f->rank + g]]] = y;
            for (bl_index i = 0; i < f->rank; i++)
                moved[b->col[f->col[i]]] += f->top[(size_t)f->rank * (size_t)g + (size_t)i] * y;
        }
    }
    /* what equilibrium of a block leaves over is pushed by its own rows */
    for (bl_index k = 0; k < r->ntile; k++)
        if (r->tile[k].row >= 0)
            subtract_tile(r, &r->tile[k], r->tiles[which] + r->tile[k].first, moved, x);
    for (bl_index k = 0; k < r->nblock; k++) {
        block *b = &r->block[k];
        bl_ldu_solve_transposed(b->left == &b->at_e ? &b->at_e : &b->at_c, block_values(r, b, x), r->y);
        for (bl_index i = 0; i < b->nrow; i++)
            x[b->row[i]] = r->y[i];
        for (bl_index i = 0; i < b->ncol; i++)
            x[b->col[i]] = moved[b->col[i]] + part[b->col[i]];
    }
    for (bl_index i = 0; i < form->nx; i++)
        if (r->group[i] == ALONE)
            x[i] = moved[i];
    return BL_OK;
}
