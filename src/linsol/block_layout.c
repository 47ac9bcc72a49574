/* Layout of the block solver: parts and blocks from an ordering, rows and columns in block order, memory for borders; merging of blocks. */
#include "linsol/block.h"

#include "sparse/sparse.h"

#include <string.h>

enum { SPARE = 64 }; /* columns a part may delay before more memory is allocated */

/* everything that depends on the kept part */
void bl_block_free_layout(bl_linsol *solver) {
    bl_block *b = solver->own;
    void **blocks[] = {&b->of_order, &b->of_entries, &b->of_blocks, &b->of_border, &b->of_values};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        bl_free(solver->ctx, *blocks[i]);
        *blocks[i] = NULL;
    }
    b->brow = NULL; /* cost() checks for NULL */
    b->inv = NULL;
}

/* Parts and blocks from the ordering; a block too large to invert joins the border of its part, and the part is laid out again. */
static bl_status take_ordering(bl_linsol *solver, const bl_ordering *ordering) {
    bl_block *b = solver->own;
    bl_index n = b->n, npart = ordering->npart ? ordering->npart : 1, position = 0, k = 0;
    BL_TRY(BL_NEW_ARRAYS(solver->ctx, b->of_order, BL_ARRAY(b->row, n), BL_ARRAY(b->col, n), BL_ARRAY(b->start, n + 1),
                         BL_ARRAY(b->stop, n + 1), BL_ARRAY(b->block_of, n + 1), BL_ARRAY(b->part, npart)));
    b->npart = npart;
    b->nblock = 0;
    for (bl_index s = 0; s < npart; s++) {
        bl_block_part *part = &b->part[s];
        bl_index border_start = ordering->npart ? ordering->border_start[s] : ordering->block[ordering->nblock];
        bl_index last = ordering->npart ? ordering->part[s + 1] : n, first_block = k;
        part->first = position;
        part->block = b->nblock;
        for (int large = 0; large < 2; large++) {
            for (k = first_block; k < ordering->nblock && ordering->block[k] < border_start; k++) {
                bl_index begin = ordering->block[k], end = ordering->block[k + 1] < border_start ? ordering->block[k + 1] : border_start;
                if ((end - begin > BL_BLOCK_MOST) != (large == 1))
                    continue;
                if (!large) {
                    b->start[b->nblock] = position;
                    b->stop[b->nblock] = position + end - begin;
                    for (bl_index i = begin; i < end; i++)
                        b->block_of[position + i - begin] = b->nblock;
                    b->nblock++;
                }
                for (bl_index i = begin; i < end; i++, position++) {
                    b->row[position] = ordering->row[i];
                    b->col[position] = ordering->col[i];
                }
            }
            if (!large)
                part->border_start = position;
        }
        part->end_block = b->nblock;
        for (bl_index i = border_start; i < last; i++, position++) {
            b->row[position] = ordering->row[i];
            b->col[position] = ordering->col[i];
        }
        part->last = position;
    }
    return BL_OK;
}

/* in each row, first entries of earlier parts, earlier blocks, the own block and the border */
static bl_status find_ranges(bl_linsol *solver) {
    bl_context *ctx = solver->ctx;
    bl_block *b = solver->own;
    for (bl_index s = 0; s < b->npart; s++) {
        const bl_block_part *part = &b->part[s];
        for (bl_index p = part->first; p < part->last; p++) {
            bool inside = p < part->border_start;
            bl_index first = inside ? b->start[b->block_of[p]] : part->border_start,
                     last = inside ? b->stop[b->block_of[p]] : part->border_start;
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
            if ((e < end && b->at[e] < part->border_start) || (end > b->ptr[p] && b->at[end - 1] >= part->last))
                return bl_fail(ctx, BL_E_ARG, NULL, "block: the ordering is not block triangular at position %d", p);
        }
    }
    return BL_OK;
}

/* rows and columns in block order; entries of a row sorted by position, so that earlier parts, earlier blocks, own block and border are
 * ranges */
static bl_status sort_entries(bl_linsol *solver, const bl_pattern *inner, const bl_index *from) {
    bl_block *b = solver->own;
    const bl_kept *kept = &b->direct.kept;
    bl_index n = b->n, nnz = inner->ptr[n], *row_position, *next;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(solver->ctx, b->of_entries, BL_ARRAY(b->scale, nnz), BL_ARRAY(b->a, nnz + 1), BL_ARRAY(b->ptr, n + 1),
                         BL_ARRAY(b->mid, n), BL_ARRAY(b->own, n), BL_ARRAY(b->far, n), BL_ARRAY(b->at, nnz), BL_ARRAY(b->from, nnz),
                         BL_ARRAY(b->cptr, n + 1), BL_ARRAY(b->cpos, nnz), BL_ARRAY(b->crow, nnz)));
    BL_TRY(BL_NEW_ARRAYS(solver->ctx, block, BL_ARRAY(row_position, n), BL_ARRAY(next, n)));
    for (bl_index p = 0; p < n; p++)
        row_position[b->row[p]] = p;
    for (bl_index e = 0; e < nnz; e++)
        b->ptr[row_position[inner->idx[e]] + 1]++;
    for (bl_index p = 0; p < n; p++) {
        b->ptr[p + 1] += b->ptr[p];
        next[p] = b->ptr[p];
    }
    for (bl_index p = 0; p < n; p++) { /* columns in block order: rows are then sorted */
        bl_index j = b->col[p];
        b->cptr[p + 1] = b->cptr[p];
        for (bl_index e = inner->ptr[j]; e < inner->ptr[j + 1]; e++) {
            bl_index r = row_position[inner->idx[e]], at = next[r]++;
            b->at[at] = p;
            b->from[at] = from[e];
            b->scale[at] = kept->row_scale[kept->row[inner->idx[e]]] * kept->col_scale[kept->col[j]];
            b->cpos[b->cptr[p + 1]] = at;
            b->crow[b->cptr[p + 1]++] = r;
        }
    }
    bl_free(solver->ctx, block);
    return find_ranges(solver);
}

/* memory for the border of every part and its delayed columns; a part of one block has none */
bl_status bl_block_reserve(bl_linsol *solver, bl_index spare) {
    bl_block *b = solver->own;
    b->spare = spare;
    bl_index borders = 0, largest = 0;
    size_t nY = 0, nS = 0;
    for (bl_index s = 0; s < b->npart; s++) {
        bl_block_part *part = &b->part[s];
        bl_index inside = part->border_start - part->first, border = part->last - part->border_start;
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
    BL_TRY(BL_NEW_ARRAYS(solver->ctx, b->of_border, BL_ARRAY(b->Y, nY), BL_ARRAY(b->S, nS),
                         BL_ARRAY(b->z, (size_t)largest * (BL_BLOCK_WIDTH + 1)), BL_ARRAY(b->bcol, borders), BL_ARRAY(b->brow, borders),
                         BL_ARRAY(b->s_row, borders)));
    for (bl_index p = 0; p < b->n; p++) {
        b->bcol_index[p] = -1;
        b->is_brow[p] = 0;
    }
    for (bl_index s = 0; s < b->npart; s++) {
        const bl_block_part *part = &b->part[s];
        for (bl_index i = 0; i < part->nb; i++) {
            b->bcol[part->border_at + i] = b->brow[part->border_at + i] = part->border_start + i;
            b->bcol_index[part->border_start + i] = i;
            b->is_brow[part->border_start + i] = 1;
        }
    }
    return BL_OK;
}

/* inverses of the blocks, and indices of their entries */
static bl_status make_blocks(bl_linsol *solver) {
    bl_block *b = solver->own;
    bl_index size = 0, n = b->n;
    for (bl_index k = 0; k < b->nblock; k++)
        size += (b->stop[k] - b->start[k]) * (b->stop[k] - b->start[k]);
    BL_TRY(
        BL_NEW_ARRAYS(solver->ctx, b->of_blocks, BL_ARRAY(b->inv, size), BL_ARRAY(b->diagonal, size), BL_ARRAY(b->inv_at, b->nblock + 1)));
    for (bl_index k = 0; k < b->nblock; k++)
        b->inv_at[k + 1] = b->inv_at[k] + (b->stop[k] - b->start[k]) * (b->stop[k] - b->start[k]);
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

bl_status bl_block_allocate(bl_linsol *solver) {
    bl_block *b = solver->own;
    const bl_kept *kept = &b->direct.kept;
    bl_index n = b->n;
    size_t wide = (size_t)n * BL_BLOCK_WIDTH, lost = 0; /* null vectors, for minimum norm */
    if (b->direct.deficient == BL_MIN_NORM)
        lost = (size_t)(kept->n - kept->rank) * (size_t)kept->n;
    BL_TRY(make_blocks(solver));
    BL_TRY(BL_NEW_ARRAYS(solver->ctx, b->of_values, BL_ARRAY(b->x, wide), BL_ARRAY(b->r, wide), BL_ARRAY(b->null[0], lost),
                         BL_ARRAY(b->null[1], lost), BL_ARRAY(b->in_scale[0], n), BL_ARRAY(b->out_scale[0], n), BL_ARRAY(b->in_scale[1], n),
                         BL_ARRAY(b->out_scale[1], n), BL_ARRAY(b->in[0], n), BL_ARRAY(b->out[0], n), BL_ARRAY(b->in[1], n),
                         BL_ARRAY(b->out[1], n), BL_ARRAY(b->bcol_index, n), BL_ARRAY(b->is_brow, n)));
    for (bl_index p = 0; p < n; p++) {
        bl_index i = kept->row[b->row[p]], j = kept->col[b->col[p]];
        b->in[0][p] = b->out[1][p] = i;
        b->out[0][p] = b->in[1][p] = j;
        b->in_scale[0][p] = b->out_scale[1][p] = kept->row_scale[i];
        b->out_scale[0][p] = b->in_scale[1][p] = kept->col_scale[j];
    }
    return bl_block_reserve(solver, SPARE);
}

/* Orders the kept part and lays it out in block order. */
bl_status bl_block_lay_out(bl_linsol *solver) {
    bl_context *ctx = solver->ctx;
    bl_block *b = solver->own;
    const bl_kept *kept = &b->direct.kept;
    const bl_pattern *p = b->direct.pattern;
    bl_block_free_layout(solver);
    b->n = kept->rank;
    bl_index nnz = p->ptr[kept->n], *ptr, *idx, *from;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(ptr, b->n + 1), BL_ARRAY(idx, nnz), BL_ARRAY(from, nnz)));
    bl_pattern_cut(p, kept->row_at, kept->rank, kept->col, ptr, idx, from);
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
    bl_free(ctx, block);
    for (bl_index s = 0; status == BL_OK && s < b->npart; s++)
        b->part[s].nb = b->part[s].last - b->part[s].border_start;
    return status;
}

/* Merges block k with its successor in the part (the last one with its predecessor). False: there is none, or the union is too large. */
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
