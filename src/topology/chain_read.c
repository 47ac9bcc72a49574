/* Links and pairs from a file: a coded adjacency matrix, or a list of pairs `i j code`. Without a given format a square text is a
 * matrix; otherwise it is a list of pairs if its rows have three numbers. Every error is reported with its location. */
#include "base/sized.h"
#include "topology/chain_text.h"
#include "topology/groups.h"

#include "model/reader.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINKS = 1000000 };

typedef struct reading {
    bl_chain_text text;
    bl_context *ctx;
    bl_arena *arena;
    bl_chain *chain;
    bl_chain_pair *pair;
    bl_index npair;
} reading;

static bl_status wrong_code(reading *r, const bl_chain_number *code) {
    bl_chain_text_wrong(&r->text, code->at, "%d is not a valid code of a pair", code->value);
    bl_advise(r->ctx,
              "valid codes: 1 lower, 2 higher, 3 lower with an input, 4 higher with an input, 5 higher with two; 0 in a matrix: no pair");
    return BL_E_MODEL;
}

/* the code must be valid */
static void add_pair(reading *r, bl_index i, bl_index j, int code) {
    bool lower = code == 1 || code == 3;
    bl_chain_pair *pair = &r->pair[r->npair++];
    *pair = (bl_chain_pair){.link = {i, j}, .dof = lower ? 1 : 2, .inputs = code > 2 ? 1 + (code == 5) : 0};
    pair->letter = lower ? 'L' : 'X';
    for (int k = 0; k < BL_PAIR_VIA; k++)
        pair->via[k] = -1;
}

static bl_status make_room(reading *r, bl_index nlink, bl_index npair) {
    r->pair = bl_arena_alloc(r->arena, (size_t)npair, sizeof *r->pair);
    r->chain->nlink = nlink;
    return r->pair ? BL_OK : BL_E_MEMORY;
}

static bl_status too_many(reading *r, uint32_t at, int32_t links) {
    return bl_chain_text_wrong(&r->text, at, "%d links are too many (at most %d)", links, MOST_LINKS);
}

static bl_status no_frame(reading *r) {
    return bl_chain_text_wrong(&r->text, bl_chain_row(&r->text, 0)->at, "no link is paired with link 1, the frame");
}

/* ---- matrix */

static bl_status check_square(reading *r) {
    const bl_chain_text *t = &r->text;
    bl_index n = t->nrow, columns = bl_chain_row_length(t, 0);
    for (bl_index i = 1; i < n; i++)
        if (bl_chain_row_length(t, i) != columns)
            return bl_chain_text_wrong(t, bl_chain_row(t, i)->at, "row %d of the matrix has %d numbers, but row 1 has %d", i + 1,
                                       bl_chain_row_length(t, i), columns);
    if (columns == n)
        return BL_OK;
    bl_chain_text_wrong(t, bl_chain_row(t, 0)->at, "the matrix is not square: %d %s of %d numbers", n, n == 1 ? "row" : "rows", columns);
    if (columns == 3)
        bl_advise(r->ctx, "rows of three numbers may be pairs: i, j, code");
    return BL_E_MODEL;
}

static bl_status check_entry(reading *r, bl_index i, bl_index j) {
    const bl_chain_text *t = &r->text;
    const bl_chain_number *here = bl_chain_row(t, i) + j, *there = bl_chain_row(t, j) + i;
    if (here->value < 0 || here->value > 5)
        return wrong_code(r, here);
    if (i == j && here->value != 0) {
        bl_chain_text_wrong(t, here->at, "link %d is paired with itself: the diagonal of the matrix must be 0", i + 1);
        if (t->nrow == 3)
            bl_advise(r->ctx, "three rows of three numbers are read as a matrix; specify the format if they are pairs");
        return BL_E_MODEL;
    }
    if (j < i && here->value != there->value)
        return bl_chain_text_wrong(t, here->at, "the matrix is not symmetric: row %d, column %d has %d, but row %d, column %d has %d",
                                   i + 1, j + 1, here->value, j + 1, i + 1, there->value);
    return BL_OK;
}

static bl_status read_matrix(reading *r) {
    const bl_chain_text *t = &r->text;
    bl_index n = t->nrow, npair = 0;
    BL_TRY(check_square(r));
    if (t->links.value > 0 && t->links.value != n)
        return bl_chain_text_wrong(t, t->links.at, "\"links\" is %d, but the matrix has %d rows", t->links.value, n);
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = 0; j < n; j++) {
            BL_TRY(check_entry(r, i, j));
            npair += j < i && bl_chain_row(t, i)[j].value != 0;
        }
    for (bl_index i = 0; i < n; i++) { /* only now: a row of zeros may be a lack of symmetry */
        bl_index j = 0;
        while (j < n && bl_chain_row(t, i)[j].value == 0)
            j++;
        if (j == n && i == 0)
            return no_frame(r);
        if (j == n)
            return bl_chain_text_wrong(t, bl_chain_row(t, i)->at, "link %d is isolated: it has no pairs", i + 1);
    }
    BL_TRY(make_room(r, n, npair));
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = i + 1; j < n; j++)
            if (bl_chain_row(t, i)[j].value != 0)
                add_pair(r, i, j, bl_chain_row(t, i)[j].value);
    return BL_OK;
}

/* ---- pairs */

static bl_status check_pair(reading *r, bl_index row) {
    const bl_chain_text *t = &r->text;
    const bl_chain_number *pair = bl_chain_row(t, row);
    bl_index n = bl_chain_row_length(t, row);
    if (n != 3)
        return bl_chain_text_wrong(t, pair[n > 3 ? 3 : n - 1].at, "a pair needs three numbers, i j code, found %d", n);
    for (int k = 0; k < 2; k++) {
        if (pair[k].value < 1)
            return bl_chain_text_wrong(t, pair[k].at, "there is no link %d: links count from 1, the frame", pair[k].value);
        if (t->links.value > 0 && pair[k].value > t->links.value)
            return bl_chain_text_wrong(t, pair[k].at, "there is no link %d: \"links\" is %d", pair[k].value, t->links.value);
        if (pair[k].value > MOST_LINKS)
            return too_many(r, pair[k].at, pair[k].value);
    }
    if (pair[0].value == pair[1].value)
        return bl_chain_text_wrong(t, pair[1].at, "link %d is paired with itself", pair[1].value);
    return pair[2].value < 1 || pair[2].value > 5 ? wrong_code(r, &pair[2]) : BL_OK;
}

typedef struct link_pair {
    int32_t low, high;
    bl_index row;
} link_pair;

static int compare_pairs(const void *a, const void *b) {
    const link_pair *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static bl_status check_duplicates(reading *r) {
    const bl_chain_text *t = &r->text;
    link_pair *list = NULL, *first = NULL;
    BL_TRY(BL_NEW(r->ctx, list, t->nrow));
    for (bl_index k = 0; k < t->nrow; k++) {
        int32_t i = bl_chain_row(t, k)[0].value, j = bl_chain_row(t, k)[1].value;
        list[k] = (link_pair){i < j ? i : j, i < j ? j : i, k};
    }
    qsort(list, (size_t)t->nrow, sizeof *list, compare_pairs);
    for (bl_index k = 1; k < t->nrow; k++) /* report the duplicate that comes first in the file */
        if (list[k].low == list[k - 1].low && list[k].high == list[k - 1].high && (!first || list[k].row < first->row))
            first = &list[k];
    if (first)
        bl_chain_text_wrong(t, bl_chain_row(t, first->row)->at, "links %d and %d are paired already in line %d", first->low, first->high,
                            bl_chain_text_line(t, bl_chain_row(t, first[-1].row)->at));
    bl_status status = first ? BL_E_MODEL : BL_OK;
    bl_free(r->ctx, list);
    return status;
}

/* of nlink numbers at most 2 npair + 1 can have pairs: the first one without is found without memory for all of them */
static bl_status check_all_paired(reading *r, bl_index nlink, uint32_t at) {
    const bl_chain_text *t = &r->text;
    bl_index room = nlink, k = 0;
    if (t->nrow < nlink / 2)
        room = 2 * t->nrow + 2;
    bool *paired = NULL;
    BL_TRY(BL_NEW(r->ctx, paired, room));
    for (bl_index row = 0; row < t->nrow; row++)
        for (int side = 0; side < 2; side++)
            if (bl_chain_row(t, row)[side].value <= room)
                paired[bl_chain_row(t, row)[side].value - 1] = true;
    while (k < room && paired[k])
        k++;
    bl_free(r->ctx, paired);
    if (k == 0)
        return no_frame(r);
    return k < room ? bl_chain_text_wrong(t, at, "link %d of %d is isolated: it has no pairs", k + 1, nlink) : BL_OK;
}

static bl_status read_pairs(reading *r) {
    const bl_chain_text *t = &r->text;
    bl_chain_number last = t->links;
    if (last.value > MOST_LINKS)
        return too_many(r, last.at, last.value);
    for (bl_index row = 0; row < t->nrow; row++) {
        BL_TRY(check_pair(r, row));
        for (int side = 0; side < 2; side++)
            if (bl_chain_row(t, row)[side].value > last.value)
                last = bl_chain_row(t, row)[side];
    }
    BL_TRY(check_duplicates(r));
    BL_TRY(check_all_paired(r, last.value, last.at));
    BL_TRY(make_room(r, last.value, t->nrow));
    for (bl_index row = 0; row < t->nrow; row++) {
        const bl_chain_number *pair = bl_chain_row(t, row);
        add_pair(r, pair[0].value - 1, pair[1].value - 1, pair[2].value);
    }
    return BL_OK;
}

/* ---- format */

static bool looks_like_pairs(const bl_chain_text *t) {
    bl_index square = 0, three = 0;
    for (bl_index row = 0; row < t->nrow; row++) {
        square += bl_chain_row_length(t, row) == t->nrow;
        three += bl_chain_row_length(t, row) == 3;
    }
    return square < t->nrow && 2 * three > t->nrow;
}

static bl_status read_shape(reading *r, const char *format) {
    if (format && r->text.key && strcmp(format, r->text.key) != 0)
        return bl_chain_text_wrong(&r->text, 0, "the file contains \"%s\", not \"%s\"", r->text.key, format);
    format = format ? format : r->text.key;
    bool pairs = format ? strcmp(format, "pairs") == 0 : looks_like_pairs(&r->text);
    return pairs ? read_pairs(r) : read_matrix(r);
}

static bl_status read_rows(reading *r, const char *format) {
    bl_status status = bl_chain_text_scan(&r->text);
    if (status == BL_OK)
        status = read_shape(r, format);
    bl_chain_text_free(&r->text);
    r->chain->dim = 2;
    r->chain->pair = r->pair;
    r->chain->npair = r->npair;
    return status;
}

static bl_status begin(bl_context *ctx, const char *format, bl_chain *chain, bl_arena **arena) {
    *chain = (bl_chain){.size = sizeof *chain};
    if (format && strcmp(format, "matrix") != 0 && strcmp(format, "pairs") != 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "unknown format '%.40s': use matrix or pairs", format);
    BL_TRY(BL_NEW(ctx, *arena, 1));
    (*arena)->ctx = ctx;
    chain->own = *arena;
    return BL_OK;
}

static bl_status read_text(bl_arena *arena, const char *name, const char *text, size_t bytes, const char *format, bl_chain *chain) {
    const char *file = bl_arena_text(arena, name, strlen(name));
    if (!file)
        return BL_E_MEMORY;
    if (bytes > BL_SOURCE_BYTES)
        return bl_fail(arena->ctx, BL_E_MODEL, &(bl_place){file, 0, 0}, "%s is larger than %d MB", file, BL_SOURCE_BYTES / (1024 * 1024));
    chain->name = chain->file = file;
    reading r = {.ctx = arena->ctx, .arena = arena, .chain = chain};
    r.text = (bl_chain_text){.ctx = arena->ctx, .file = file, .text = text, .bytes = (uint32_t)bytes};
    return read_rows(&r, format);
}

bl_status bl_chain_read_text(bl_context *ctx, const char *name, const char *text, size_t bytes, const char *format, bl_chain *chain) {
    if (!ctx || !text || !chain)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_chain_read_text needs a context, a text and a chain");
    bl_arena *arena = NULL;
    bl_chain made;
    BL_TRY(BL_FITS(ctx, bl_chain, chain));
    BL_TRY(begin(ctx, format, &made, &arena));
    bl_status status = read_text(arena, name ? name : "text", text, bytes, format, &made);
    if (status != BL_OK)
        bl_chain_destroy(ctx, &made);
    BL_GIVE(bl_chain, chain, &made);
    return status;
}

bl_status bl_chain_read(bl_context *ctx, const char *file, const char *format, bl_chain *chain) {
    if (!ctx || !file || !chain)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_chain_read needs a context, a file and a chain");
    bl_arena *arena = NULL, source = {.ctx = ctx};
    bl_chain made;
    BL_TRY(BL_FITS(ctx, bl_chain, chain));
    BL_TRY(begin(ctx, format, &made, &arena));
    bl_reader reader = {.ctx = ctx};
    const char *text;
    size_t bytes;
    uint64_t id[2];
    bl_status status = bl_source_load(&reader, &source, file, NULL, &text, &bytes, id);
    if (status == BL_OK)
        status = read_text(arena, strcmp(file, "-") == 0 ? "standard input" : file, text, bytes, format, &made);
    bl_arena_destroy(&source);
    if (status != BL_OK)
        bl_chain_destroy(ctx, &made);
    BL_GIVE(bl_chain, chain, &made);
    return status;
}
