/* CSC patterns from unsorted pairs, by two bucket passes (rows, then columns), so that indices are ascending. */
#include "sparse/sparse.h"

#include <string.h>

/* stable bucket sort: to[] receives the pair numbers of from[] (NULL: 0, 1, ...) ordered by key; count[nkey+1] is scratch */
static void bucket(bl_index n, const bl_index *key, bl_index nkey, const bl_index *from, bl_index *to, bl_index *count) {
    memset(count, 0, ((size_t)nkey + 1) * sizeof *count);
    for (bl_index k = 0; k < n; k++)
        count[key[k] + 1]++;
    for (bl_index i = 0; i < nkey; i++)
        count[i + 1] += count[i];
    for (bl_index k = 0; k < n; k++) {
        bl_index pair = from ? from[k] : k;
        to[count[key[pair]]++] = pair;
    }
}

static bl_status build(bl_context *ctx, bl_index nrow, bl_index ncol, bl_index npair, const bl_index *row, const bl_index *col,
                       bl_index *ptr, bl_index *idx, bl_index *slot) {
    bl_index most = nrow > ncol ? nrow : ncol, *by_row, *by_col, *count;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(by_row, npair), BL_ARRAY(by_col, npair), BL_ARRAY(count, (size_t)most + 1)));
    bucket(npair, row, nrow, NULL, by_row, count);
    bucket(npair, col, ncol, by_row, by_col, count);
    bl_index used = 0, column = 0;
    ptr[0] = 0;
    for (bl_index k = 0; k < npair; k++) {
        bl_index pair = by_col[k];
        while (column < col[pair])
            ptr[++column] = used;
        if (used == ptr[column] || idx[used - 1] != row[pair])
            idx[used++] = row[pair];
        if (slot)
            slot[pair] = used - 1;
    }
    while (column < ncol)
        ptr[++column] = used;
    bl_free(ctx, block);
    return BL_OK;
}

bl_status bl_pattern_build(bl_context *ctx, bl_index nrow, bl_index ncol, bl_index npair, const bl_index *row, const bl_index *col,
                           bl_pattern *pattern, bl_index *slot) {
    memset(pattern, 0, sizeof *pattern);
    if (nrow < 0 || ncol < 0 || npair < 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "a pattern cannot have %d rows, %d columns and %d entries: sizes must not be negative", nrow,
                       ncol, npair);
    for (bl_index k = 0; k < npair; k++)
        if (row[k] < 0 || row[k] >= nrow || col[k] < 0 || col[k] >= ncol)
            return bl_fail(ctx, BL_E_ARG, NULL, "pattern entry (%d, %d) is outside %d x %d", row[k], col[k], nrow, ncol);
    bl_index *ptr = bl_alloc(ctx, (size_t)ncol + 1, sizeof *ptr);
    bl_index *idx = ptr ? bl_alloc(ctx, (size_t)npair, sizeof *idx) : NULL;
    bl_status status = idx ? build(ctx, nrow, ncol, npair, row, col, ptr, idx, slot) : BL_E_MEMORY;
    *pattern = (bl_pattern){nrow, ncol, ptr, idx};
    if (status != BL_OK)
        bl_pattern_free(ctx, pattern);
    return status;
}

void bl_pattern_free(bl_context *ctx, bl_pattern *pattern) {
    bl_free(ctx, (void *)pattern->ptr);
    bl_free(ctx, (void *)pattern->idx);
    memset(pattern, 0, sizeof *pattern);
}

void bl_pattern_rows(const bl_pattern *pattern, bl_index *ptr, bl_index *col, bl_index *from) {
    bl_index nrow = pattern->nrow, nnz = pattern->ptr[pattern->ncol];
    memset(ptr, 0, ((size_t)nrow + 1) * sizeof *ptr);
    for (bl_index k = 0; k < nnz; k++)
        ptr[pattern->idx[k]]++;
    for (bl_index i = 0, before = 0; i <= nrow; i++) { /* ptr[i]: start of row i */
        bl_index count = ptr[i];
        ptr[i] = before;
        before += count;
    }
    for (bl_index j = 0; j < pattern->ncol; j++)
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++) {
            bl_index at = ptr[pattern->idx[k]]++; /* finally: start of the next row */
            if (col)
                col[at] = j;
            if (from)
                from[at] = k;
        }
    memmove(ptr + 1, ptr, (size_t)nrow * sizeof *ptr);
    ptr[0] = 0;
}

void bl_pattern_cut(const bl_pattern *pattern, const bl_index *row_at, bl_index n, const bl_index *col, bl_index *ptr, bl_index *idx,
                    bl_index *from) {
    bl_index used = 0;
    ptr[0] = 0;
    for (bl_index c = 0; c < n; c++) {
        for (bl_index k = pattern->ptr[col[c]]; k < pattern->ptr[col[c] + 1]; k++) {
            if (row_at[pattern->idx[k]] < 0)
                continue;
            if (from)
                from[used] = k;
            idx[used++] = row_at[pattern->idx[k]];
        }
        ptr[c + 1] = used;
    }
}

/* compares row j with column j; neither is sorted */
bl_status bl_pattern_mirror(bl_context *ctx, const bl_pattern *pattern, bl_index *mate) {
    bl_index n = pattern->ncol, *ptr, *col, *from, *at;
    size_t nnz = (size_t)pattern->ptr[n];
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(ptr, n + 1), BL_ARRAY(col, nnz), BL_ARRAY(from, nnz), BL_ARRAY(at, n)));
    bl_pattern_rows(pattern, ptr, col, from);
    for (bl_index j = 0; j < n; j++)
        at[j] = -1;
    for (bl_index j = 0; j < n; j++) {
        for (bl_index k = ptr[j]; k < ptr[j + 1]; k++)
            at[col[k]] = from[k];
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
            mate[k] = at[pattern->idx[k]];
        for (bl_index k = ptr[j]; k < ptr[j + 1]; k++)
            at[col[k]] = -1;
    }
    bl_free(ctx, block);
    return BL_OK;
}

bl_index bl_pattern_find(const bl_pattern *pattern, bl_index row, bl_index col) {
    bl_index low = pattern->ptr[col], high = pattern->ptr[col + 1];
    while (low < high) {
        bl_index middle = low + (high - low) / 2;
        if (pattern->idx[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pattern->ptr[col + 1] && pattern->idx[low] == row ? low : -1;
}
