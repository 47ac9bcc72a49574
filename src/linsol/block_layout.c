/* Layout of the block solver: parts and blocks from an ordering, rows and columns by places, room for borders; merging of blocks. */
#include "linsol/block.h"

#include <string.h>

enum { SPARE = 64 }; /* columns a part may delay before more room is asked for */

static void free_border(bl_linsol *solver) {
    bl_block *b = solver->own;
    void *blocks[] = {b->bcol, b->brow, b->Y, b->S, b->s_row, b->z};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        bl_free(solver->ctx, blocks[i]);
    b->bcol = b->brow = b->s_row = NULL;
    b->Y = b->S = b->z = NULL;
}

/* everything that depends on what is kept */
void bl_block_free_places(bl_linsol *solver) {
    bl_block *b = solver->own;
    free_border(solver);
    void *blocks[] = {b->row,   b->col,      b->start,   b->stop,    b->part, b->block_of, b->ptr,     b->mid,    b->own,      b->far,
                      b->at,    b->from,     b->by,      b->a,       b->cptr, b->cpos,     b->crow,    b->inv_at, b->diagonal, b->inv,
                      b->in[0], b->in_by[0], b->is_bcol, b->is_brow, b->x,    b->r,        b->null[0], b->null[1]};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        bl_free(solver->ctx, blocks[i]);
    b->row = b->col = b->start = b->stop = b->block_of = b->ptr = b->mid = b->own = b->far = b->at = b->from = NULL;
    b->cptr = b->cpos = b->crow = b->inv_at = b->diagonal = b->in[0] = b->is_bcol = NULL;
    b->part = NULL;
    b->by = b->a = b->inv = b->in_by[0] = b->x = b->r = b->null[0] = b->null[1] = NULL;
    b->is_brow = NULL;
}

/* Parts and blocks from the ordering; a block too large to invert joins the border of its part, and for that the part is laid out anew. */
static bl_status take_ordering(bl_linsol *solver, const bl_ordering *ordering) {
    bl_context *ctx = solver->ctx;
    bl_block *b = solver->own;
    bl_index n = b->n, npart = ordering->npart ? ordering->npart : 1, place = 0, k = 0;
    BL_TRY(BL_NEW(ctx, b->row, n));
    BL_TRY(BL_NEW(ctx, b->col, n));
    BL_TRY(BL_NEW(ctx, b->start, n + 1));
    BL_TRY(BL_NEW(ctx, b->stop, n + 1));
    BL_TRY(BL_NEW(ctx, b->block_of, n + 1));
    BL_TRY(BL_NEW(ctx, b->part, npart));
    b->npart = npart;
    b->nblock = 0;
    for (bl_index s = 0; s < npart; s++) {
        bl_block_part *part = &b->part[s];
        bl_index close = ordering->npart ? ordering->close[s] : ordering->block[ordering->nblock];
        bl_index last = ordering->npart ? ordering->part[s + 1] : n, first_block = k;
        part->first = place;
        part->block = b->nblock;
        for (int large = 0; large < 2; large++) {
            for (k = first_block; k < ordering->nblock && ordering->block[k] < close; k++) {
                bl_index begin = ordering->block[k], end = ordering->block[k + 1] < close ? ordering->block[k + 1] : close;
                if ((end - begin > BL_BLOCK_MOST) != (large == 1))
                    continue;
                if (!large) {
                    b->start[b->nblock] = place;
                    b->stop[b->nblock] = place + end - begin;
                    for (bl_index i = begin; i < end; i++)
                        b->block_of[place + i - begin] = b->nblock;
                    b->nblock++;
                }
                for (bl_index i = begin; i < end; i++, place++) {
                    b->row[place] = ordering->row[i];
                    b->col[place] = ordering->col[i];
                }
            }
            if (!large)
                part->close = place;
        }
        part->end_block = b->nblock;
        for (bl_index i = close; i < last; i++, place++) {
            b->row[place] = ordering->row[i];
            b->col[place] = ordering->col[i];
        }
        part->last = place;
    }
    return BL_OK;
}

/* where earlier parts, earlier blocks, the own block and the border begin in each row */
static bl_status find_ranges(bl_linsol *solver) {
    bl_context *ctx = solver->ctx;
    bl_block *b = solver->own;
    for (bl_index s = 0; s < b->npart; s++) {
        const bl_block_part *part = &b->part[s];
        for (bl_index p = part->first; p < part->last; p++) {
            bool inside = p < part->close;
            bl_index first = inside ? b->start[b->block_of[p]] : part->close, last = inside ? b->stop[b->block_of[p]] : part->close;
            bl_index e = b->ptr[p], end = b->ptr[p + 1];
            while (e < end && b->at[e] < part->first)
                e++;
            b->mid[p] = e;
            while (e < end && b->at[e] < first)
                e++;
            b->own[p] = e;
            while (e < end && b->at[e] < last)
                e++;
            b->far[p] = e;
            if ((e < end && b->at[e] < part->close) || (end > b->ptr[p] && b->at[end - 1] >= part->last))
                return bl_fail(ctx, BL_E_ARG, NULL, "block: the ordering is not block triangular at place %d", p);
        }
    }
    return BL_OK;
}

/* rows and columns by places; entries of a row sorted by place, so that earlier parts, earlier blocks, own block and border are ranges */
static bl_status sort_entries(bl_linsol *solver, const bl_pattern *inner, const bl_index *from) {
    bl_context *ctx = solver->ctx;
    bl_block *b = solver->own;
    const bl_kept *kept = &b->direct.kept;
    bl_index n = b->n, nnz = inner->ptr[n], *row_place = NULL;
    BL_TRY(BL_NEW(ctx, b->ptr, n + 1));
    BL_TRY(BL_NEW(ctx, b->mid, n));
    BL_TRY(BL_NEW(ctx, b->own, n));
    BL_TRY(BL_NEW(ctx, b->far, n));
    BL_TRY(BL_NEW(ctx, b->at, nnz));
    BL_TRY(BL_NEW(ctx, b->from, nnz));
    BL_TRY(BL_NEW(ctx, b->by, nnz));
    BL_TRY(BL_NEW(ctx, b->a, nnz + 1));
    BL_TRY(BL_NEW(ctx, b->cptr, n + 1));
    BL_TRY(BL_NEW(ctx, b->cpos, nnz));
    BL_TRY(BL_NEW(ctx, b->crow, nnz));
    BL_TRY(BL_NEW(ctx, row_place, 2 * (size_t)n + 1));
    bl_index *next = row_place + n;
    for (bl_index p = 0; p < n; p++)
        row_place[b->row[p]] = p;
    for (bl_index e = 0; e < nnz; e++)
        b->ptr[row_place[inner->idx[e]] + 1]++;
    for (bl_index p = 0; p < n; p++) {
        b->ptr[p + 1] += b->ptr[p];
        next[p] = b->ptr[p];
    }
    for (bl_index p = 0; p < n; p++) { /* columns in order of places: rows come out sorted */
        bl_index j = b->col[p];
        b->cptr[p + 1] = b->cptr[p];
        for (bl_index e = inner->ptr[j]; e < inner->ptr[j + 1]; e++) {
            bl_index r = row_place[inner->idx[e]], at = next[r]++;
            b->at[at] = p;
            b->from[at] = from[e];
            b->by[at] = kept->row_scale[kept->row[inner->idx[e]]] * kept->col_scale[kept->col[j]];
            b->cpos[b->cptr[p + 1]] = at;
            b->crow[b->cptr[p + 1]++] = r;
        }
    }
    bl_free(ctx, row_place);
    return find_ranges(solver);
}

/* room for the border of every part and for what it may delay; a part that is one block has nothing to delay to */
bl_status bl_block_reserve(bl_linsol *solver, bl_index spare) {
    bl_context *ctx = solver->ctx;
    bl_block *b = solver->own;
    free_border(solver);
    b->spare = spare;
    bl_index borders = 0, largest = 0;
    size_t nY = 0, nS = 0;
    for (bl_index s = 0; s < b->npart; s++) {
        bl_block_part *part = &b->part[s];
        bl_index inside = part->close - part->first, border = part->last - part->close;
        bool single = border == 0 && part->end_block - part->block <= 1;
        part->room = single ? 0 : border + (spare < inside ? spare : inside);
        part->nb = border;
        part->border_at = borders;
        part->Y_at = nY;
        part->S_at = nS;
        borders += part->room;
        largest = part->room > largest ? part->room : largest;
        nY += (size_t)inside * (size_t)part->room;
        nS += (size_t)part->room * (size_t)part->room;
    }
    BL_TRY(BL_NEW(ctx, b->bcol, borders));
    BL_TRY(BL_NEW(ctx, b->brow, borders));
    BL_TRY(BL_NEW(ctx, b->s_row, borders));
    BL_TRY(BL_NEW(ctx, b->Y, nY));
    BL_TRY(BL_NEW(ctx, b->S, nS));
    BL_TRY(BL_NEW(ctx, b->z, (size_t)largest * (BL_BLOCK_WIDE + 1)));
    for (bl_index p = 0; p < b->n; p++) {
        b->is_bcol[p] = -1;
        b->is_brow[p] = 0;
    }
    for (bl_index s = 0; s < b->npart; s++) {
        const bl_block_part *part = &b->part[s];
        for (bl_index i = 0; i < part->nb; i++) {
            b->bcol[part->border_at + i] = b->brow[part->border_at + i] = part->close + i;
            b->is_bcol[part->close + i] = i;
            b->is_brow[part->close + i] = 1;
        }
    }
    return BL_OK;
}

/* inverses of the blocks, and where their entries are */
static bl_status make_blocks(bl_linsol *solver) {
    bl_context *ctx = solver->ctx;
    bl_block *b = solver->own;
    bl_index size = 0, n = b->n;
    bl_free(ctx, b->inv_at);
    bl_free(ctx, b->inv);
    bl_free(ctx, b->diagonal);
    b->inv_at = b->diagonal = NULL;
    b->inv = NULL;
    BL_TRY(BL_NEW(ctx, b->inv_at, b->nblock + 1));
    for (bl_index k = 0; k < b->nblock; k++) {
        b->inv_at[k] = size;
        size += (b->stop[k] - b->start[k]) * (b->stop[k] - b->start[k]);
    }
    BL_TRY(BL_NEW(ctx, b->inv, size));
    BL_TRY(BL_NEW(ctx, b->diagonal, size));
    for (bl_index k = 0; k < b->nblock; k++) {
        bl_index p = b->start[k], s = b->stop[k] - p, *position = b->diagonal + b->inv_at[k];
        for (bl_index i = 0; i < s; i++) {
            for (bl_index j = 0; j < s; j++)
                position[i * s + j] = b->ptr[n];
            for (bl_index e = b->own[p + i]; e < b->far[p + i]; e++)
                position[i * s + b->at[e] - p] = e;
        }
    }
    solver->stats.fill = size + b->ptr[n];
    return BL_OK;
}

bl_status bl_block_make_memory(bl_linsol *solver) {
    bl_context *ctx = solver->ctx;
    bl_block *b = solver->own;
    const bl_kept *kept = &b->direct.kept;
    bl_index n = b->n;
    BL_TRY(make_blocks(solver));
    BL_TRY(BL_NEW(ctx, b->is_bcol, n));
    BL_TRY(BL_NEW(ctx, b->is_brow, n));
    BL_TRY(BL_NEW(ctx, b->x, (size_t)n * BL_BLOCK_WIDE));
    BL_TRY(BL_NEW(ctx, b->r, (size_t)n * BL_BLOCK_WIDE));
    BL_TRY(BL_NEW(ctx, b->in[0], 4 * (size_t)n));
    BL_TRY(BL_NEW(ctx, b->in_by[0], 4 * (size_t)n));
    for (int t = 0; t < 2; t++) {
        b->in[t] = b->in[0] + (size_t)(2 * t) * (size_t)n;
        b->out[t] = b->in[t] + n;
        b->in_by[t] = b->in_by[0] + (size_t)(2 * t) * (size_t)n;
        b->out_by[t] = b->in_by[t] + n;
    }
    for (bl_index p = 0; p < n; p++) {
        bl_index i = kept->row[b->row[p]], j = kept->col[b->col[p]];
        b->in[0][p] = b->out[1][p] = i;
        b->out[0][p] = b->in[1][p] = j;
        b->in_by[0][p] = b->out_by[1][p] = kept->row_scale[i];
        b->out_by[0][p] = b->in_by[1][p] = kept->col_scale[j];
    }
    size_t lost = (size_t)(kept->n - kept->rank) * (size_t)kept->n;
    for (int t = 0; b->direct.deficient == BL_MIN_NORM && lost && t < 2; t++)
        BL_TRY(BL_NEW(ctx, b->null[t], lost));
    return bl_block_reserve(solver, SPARE);
}

/* Orders the kept part and lays it out by places. */
bl_status bl_block_lay_out(bl_linsol *solver) {
    bl_context *ctx = solver->ctx;
    bl_block *b = solver->own;
    const bl_kept *kept = &b->direct.kept;
    const bl_pattern *p = b->direct.pattern;
    bl_block_free_places(solver);
    b->n = kept->rank;
    bl_index nnz = p->ptr[kept->n], used = 0, *ptr = NULL;
    BL_TRY(BL_NEW(ctx, ptr, (size_t)b->n + 1 + 2 * (size_t)nnz));
    bl_index *idx = ptr + b->n + 1, *from = idx + nnz;
    for (bl_index c = 0; c < kept->rank; c++) {
        for (bl_index k = p->ptr[kept->col[c]]; k < p->ptr[kept->col[c] + 1]; k++)
            if (kept->row_at[p->idx[k]] >= 0) {
                idx[used] = kept->row_at[p->idx[k]];
                from[used++] = k;
            }
        ptr[c + 1] = used;
    }
    bl_pattern inner = {b->n, b->n, ptr, idx};
    bl_ordering made = {0};
    bool given = b->given.block && kept->rank == kept->n;
    bl_order_input in = solver->hints && kept->rank == kept->n ? *solver->hints : (bl_order_input){0};
    in.ctx = ctx;
    in.pattern = &inner;
    bl_status status = given ? BL_OK : bl_order_run(&in, b->ordering, &made);
    if (status == BL_OK && !given && b->n && !made.block)
        status = bl_fail(ctx, BL_E_ABILITY, NULL, "block: ordering '%s' finds no blocks", b->ordering);
    if (status == BL_OK)
        status = take_ordering(solver, given ? &b->given : &made);
    bl_ordering_free(ctx, &made);
    if (status == BL_OK)
        status = sort_entries(solver, &inner, from);
    bl_free(ctx, ptr);
    for (bl_index s = 0; status == BL_OK && s < b->npart; s++)
        b->part[s].nb = b->part[s].last - b->part[s].close;
    return status;
}

/* Block k joins its successor in the part (the last one its predecessor). False: there is none, or the union is too large. */
static bool join(bl_block *b, bl_index k) {
    bl_index s = 0;
    while (k >= b->part[s].end_block)
        s++;
    if (k + 1 == b->part[s].end_block)
        k--;
    if (k < b->part[s].block || b->stop[k + 1] - b->start[k] > BL_BLOCK_MOST)
        return false;
    b->stop[k] = b->stop[k + 1];
    b->nblock--;
    for (bl_index i = k + 1; i < b->nblock; i++) {
        b->start[i] = b->start[i + 1];
        b->stop[i] = b->stop[i + 1];
    }
    for (bl_index i = k; i < b->nblock; i++)
        for (bl_index p = b->start[i]; p < b->stop[i]; p++)
            b->block_of[p] = i;
    b->part[s].end_block--;
    for (s++; s < b->npart; s++) {
        b->part[s].block--;
        b->part[s].end_block--;
    }
    return true;
}

bl_status bl_block_merge(bl_linsol *solver, bl_index k) {
    bl_block *b = solver->own;
    if (!join(b, k))
        return BL_SINGULAR;
    BL_TRY(find_ranges(solver));
    BL_TRY(make_blocks(solver));
    return bl_block_reserve(solver, b->spare);
}
