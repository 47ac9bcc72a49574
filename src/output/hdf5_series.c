/* Growing datasets: rows are collected in blocks, blocks divided into chunks, chunks deflated if that saves enough, and the file kept
 * readable. A chunk holds one component: in the plane most are zero, and zero chunks are not stored. A flush in the middle of a block
 * writes the first rows of its chunks, and later flushes add to them. */
#include "output/hdf5_series.h"

#include <string.h>
#include <zlib.h>

enum {
    MOST_ROWS = 4096,         /* of a block */
    FEW_ROWS = 64,            /* of a block if their total is unknown, since an incomplete last block leaves a hole in the file */
    BLOCK_BYTES = 4 << 20,    /* of the blocks of all series together, unless one row is longer */
    CHUNK_BYTES = 1 << 20,    /* default chunk cache of readers */
    DEFLATE_BYTES = 32 << 10, /* deflating smaller chunks is not worth the time */
    TRIAL_NUMBERS = 512,
    LONGEST_WAIT = 64, /* blocks between trials of deflating */
};
/* deflated chunks are used if they take at most half the space: deflating takes longer than writing twice as much */
static size_t useful_bytes(size_t bytes) { return bytes / 2; }

struct bl_h5_deflate {
    z_stream stream;
};

bl_index bl_h5_block_rows(size_t row, long samples) {
    size_t rows = BLOCK_BYTES / sizeof(double) / (row > 0 ? row : 1);
    if (samples > 0 && rows > (size_t)samples)
        rows = (size_t)samples;
    size_t most = samples > 0 ? MOST_ROWS : FEW_ROWS;
    return rows > most ? (bl_index)most : rows < 1 ? 1 : (bl_index)rows;
}

/* ---- begin and end */

bl_status bl_h5_add_series(bl_h5_recorder *r, bl_index items, int width, const char *unit, const char *what) {
    BL_TRY(BL_RESERVE(r->ctx, r->series, r->capacity, r->nseries + 1));
    bl_h5_series *s = &r->series[r->nseries];
    *s = (bl_h5_series){.type = BL_H5_NUMBER, .items = items, .width = width, .row = (size_t)(items > 0 ? items : 1) * (size_t)width};
    s->header.ctx = r->ctx;
    r->nseries++;
    r->row += s->row;
    bl_h5_header_begin(&s->header);
    if (unit)
        bl_h5_attribute_text(&s->header, "unit", unit, 0);
    bl_h5_attribute_text(&s->header, "description", what, 0);
    return s->header.status;
}

static int rank_of(const bl_h5_series *s) { return 1 + (s->items > 0) + (s->width > 1); }

static bl_status begin_series(bl_h5_recorder *r, bl_h5_series *s) {
    bl_index items = s->items > 0 ? s->items : 1, most = (bl_index)(CHUNK_BYTES / sizeof(double)) / r->block_rows;
    bl_index columns = (items + (most > 0 ? most : 1) - 1) / (most > 0 ? most : 1);
    s->chunk_items = (items + columns - 1) / columns;
    s->ncolumn = (items + s->chunk_items - 1) / s->chunk_items * s->width;
    bl_h5_shape shape = {.type = s->type, .rank = rank_of(s), .size = {0}, .chunk = {(uint64_t)r->block_rows}};
    int k = 1;
    if (s->items > 0) {
        shape.size[k] = (uint64_t)s->items;
        shape.chunk[k++] = (uint64_t)s->chunk_items;
    }
    if (s->width > 1) {
        shape.size[k] = (uint64_t)s->width;
        shape.chunk[k] = 1;
    }
    bl_h5_dataset_growing(&s->header, &shape, &s->offsets);
    bl_h5_seal(&s->header);
    BL_TRY(s->header.status);
    s->address = bl_h5_take(r->file, (uint64_t)s->header.length);
    bl_h5_write(r->file, s->address, s->header.data, (size_t)s->header.length);
    if (!s->borrowed)
        BL_TRY(BL_NEW(r->ctx, s->block, (size_t)r->block_rows * s->row));
    BL_TRY(BL_NEW(r->ctx, s->column, s->ncolumn));
    for (bl_index c = 0; c < s->ncolumn; c++)
        s->column[c].wait = 1;
    return bl_h5_index_create(r->ctx, shape.rank, &s->index);
}

static size_t chunk_bytes(const bl_h5_recorder *r, const bl_h5_series *s) {
    return (size_t)r->block_rows * (size_t)s->chunk_items * sizeof(double);
}

static void *take_memory(void *user, unsigned count, unsigned size) { return bl_alloc(user, count, size); }
static void free_memory(void *user, void *block) { bl_free(user, block); }

static bl_status begin_deflate(bl_h5_recorder *r) {
    BL_TRY(BL_NEW(r->ctx, r->deflate, 1));
    r->deflate->stream = (z_stream){.zalloc = take_memory, .zfree = free_memory, .opaque = r->ctx};
    if (deflateInit(&r->deflate->stream, 1) != Z_OK) {
        bl_free(r->ctx, r->deflate);
        r->deflate = NULL;
        return bl_fail(r->ctx, BL_E_MEMORY, NULL, "out of memory while compressing a result file");
    }
    BL_TRY(BL_NEW(r->ctx, r->shuffled, r->most_chunk));
    return BL_NEW(r->ctx, r->deflated, useful_bytes(r->most_chunk));
}

bl_status bl_h5_begin(bl_h5_recorder *r) {
    for (bl_index i = 0; i < r->nseries; i++) {
        BL_TRY(begin_series(r, &r->series[i]));
        size_t bytes = chunk_bytes(r, &r->series[i]);
        r->most_chunk = bytes > r->most_chunk ? bytes : r->most_chunk;
    }
    BL_TRY(BL_NEW(r->ctx, r->chunk, r->most_chunk / sizeof *r->chunk));
    return r->most_chunk >= DEFLATE_BYTES ? begin_deflate(r) : BL_OK;
}

void bl_h5_recorder_destroy(bl_h5_recorder *r) {
    for (bl_index i = 0; i < r->nseries; i++) {
        bl_h5_series *s = &r->series[i];
        if (!s->borrowed)
            bl_free(r->ctx, s->block);
        bl_free(r->ctx, s->column);
        bl_free(r->ctx, s->header.data);
        bl_h5_index_destroy(r->ctx, &s->index);
    }
    if (r->deflate)
        deflateEnd(&r->deflate->stream);
    bl_free(r->ctx, r->deflate);
    bl_free(r->ctx, r->shuffled);
    bl_free(r->ctx, r->deflated);
    bl_free(r->ctx, r->chunk);
    bl_free(r->ctx, r->series);
    *r = (bl_h5_recorder){.ctx = r->ctx};
}

/* ---- chunks */

/* Column c of the block as a contiguous chunk, padded with zeros. NULL: all zero, no chunk is needed. */
static const double *chunk_of(const bl_h5_recorder *r, const bl_h5_series *s, bl_index c, bl_index rows) {
    size_t items = (size_t)s->chunk_items, width = (size_t)s->width,
           first = (size_t)(c / s->width) * items * width + (size_t)(c % s->width);
    size_t count = (s->row - first + width - 1) / width, full = items;
    count = count < full ? count : full;
    uint64_t any = 0, bits;
    for (bl_index n = 0; n < rows; n++) {
        const double *from = s->block + (size_t)n * s->row + first;
        double *to = r->chunk + (size_t)n * full;
        for (size_t i = 0; i < count; i++) {
            to[i] = from[i * width];
            memcpy(&bits, to + i, sizeof bits);
            any |= bits;
        }
        if (count < full)
            memset(to + count, 0, (full - count) * sizeof *to);
    }
    return any ? r->chunk : NULL;
}

/* Bytes of shuffled and deflated numbers in r->deflated; 0: not worth it. */
static size_t deflated_bytes(bl_h5_recorder *r, const double *from, size_t count) {
    const unsigned char *at = (const unsigned char *)from;
    size_t bytes = count * sizeof(double);
    for (size_t k = 0; k < sizeof(double); k++)
        for (size_t i = 0; i < count; i++)
            r->shuffled[k * count + i] = at[i * sizeof(double) + k];
    z_stream *z = &r->deflate->stream;
    deflateReset(z);
    z->next_in = r->shuffled;
    z->avail_in = (unsigned)bytes;
    z->next_out = r->deflated;
    z->avail_out = (unsigned)useful_bytes(bytes);
    return deflate(z, Z_FINISH) == Z_STREAM_END ? useful_bytes(bytes) - z->avail_out : 0;
}

/* Tries a part of the chunk first. */
static size_t deflated_chunk(bl_h5_recorder *r, const double *chunk, size_t count) {
    return deflated_bytes(r, chunk + count / 2, TRIAL_NUMBERS) > 0 ? deflated_bytes(r, chunk, count) : 0;
}

/* Indexes a chunk of the current block. All chunks of a block that may be rewritten are in one leaf. */
static bl_status index_chunk(bl_h5_recorder *r, bl_h5_series *s, const bl_h5_key *key, uint64_t address) {
    if (s->ncolumn <= BL_H5_FANOUT && s->index.used[0] == s->kept) {
        bl_h5_key first = {.at = {key->at[0]}};
        uint64_t leaf = s->index.address[0];
        BL_TRY(bl_h5_index_room(r->file, &s->index, s->ncolumn, &first));
        if (s->index.address[0] != leaf)
            s->kept = 0;
    }
    return bl_h5_index_append(r->file, &s->index, key, address);
}

/* Writes one chunk and indexes it. Chunks of an incomplete block have space of full size, in which they grow. */
static bl_status write_chunk(bl_h5_recorder *r, bl_h5_series *s, bl_index c, bl_index rows) {
    const double *chunk = chunk_of(r, s, c, rows);
    if (!chunk)
        return BL_OK;
    bl_h5_column *column = &s->column[c];
    size_t bytes = chunk_bytes(r, s);
    bool full = rows == r->block_rows, large = r->blocks > 0 && bytes >= DEFLATE_BYTES; /* files of a single block are small */
    bool tried = full && large && column->waits == 0;
    size_t small = tried ? deflated_chunk(r, chunk, bytes / sizeof *chunk) : 0;
    bl_h5_key key = {.at = {r->blocks * (uint64_t)r->block_rows}};
    int k = 1;
    if (s->items > 0)
        key.at[k++] = (uint64_t)(c / s->width) * (uint64_t)s->chunk_items;
    if (s->width > 1)
        key.at[k] = (uint64_t)(c % s->width);
    uint64_t address;
    if (small > 0) {
        key.bytes = (uint32_t)small;
        address = bl_h5_take(r->file, small);
        bl_h5_write(r->file, address, r->deflated, small);
        if (column->now) { /* the file refers to it until the next flush */
            column->leaving = column->now;
            column->now = 0;
        }
    } else {
        if (!column->now) {
            column->now = column->spare ? column->spare : bl_h5_take(r->file, bytes);
            column->spare = 0;
        }
        key.bytes = (uint32_t)bytes;
        key.mask = BL_H5_RAW;
        address = column->now;
        bl_h5_write(r->file, address, chunk, bytes / (size_t)r->block_rows * (size_t)rows);
        if (full)
            column->now = 0; /* complete: this space is final */
    }
    if (tried) {
        column->wait = small > 0 ? 1 : column->wait < LONGEST_WAIT ? 2 * column->wait : LONGEST_WAIT;
        column->waits = column->wait;
    }
    column->waits -= full && column->waits > 0;
    return index_chunk(r, s, &key, address);
}

/* Writes the rows of one series: chunks of the block replace those that an earlier flush wrote. */
static bl_status write_series(bl_h5_recorder *r, bl_h5_series *s, bl_index rows) {
    s->index.used[0] = s->kept;
    for (bl_index c = 0; c < s->ncolumn; c++)
        BL_TRY(write_chunk(r, s, c, rows));
    if (rows == r->block_rows)
        s->kept = s->index.used[0];
    return BL_OK;
}

static bl_status write_block(bl_h5_recorder *r) {
    for (bl_index i = 0; i < r->nseries; i++)
        BL_TRY(write_series(r, &r->series[i], r->pending));
    return bl_target_check(r->file->target);
}

bl_status bl_h5_end_row(bl_h5_recorder *r) {
    if (++r->pending < r->block_rows)
        return BL_OK;
    BL_TRY(write_block(r));
    r->blocks++;
    r->pending = 0;
    return BL_OK;
}

bl_status bl_h5_flush(bl_h5_recorder *r) {
    if (r->pending > 0)
        BL_TRY(write_block(r));
    bl_h5_write_superblock(r->file);
    uint64_t rows = r->blocks * (uint64_t)r->block_rows + (uint64_t)r->pending;
    bl_h5_key bound = {.at = {(r->blocks + (r->pending > 0)) * (uint64_t)r->block_rows}};
    for (bl_index i = 0; i < r->nseries; i++) {
        const bl_h5_series *s = &r->series[i];
        bl_h5_index_write(r->file, &s->index, &bound);
    }
    for (bl_index i = 0; i < r->nseries; i++) {
        bl_h5_series *s = &r->series[i];
        bl_h5_set_number(s->header.data + s->offsets.size, rows, 8);
        if (s->index.depth > 0)
            bl_h5_set_number(s->header.data + s->offsets.index, s->index.address[s->index.depth - 1], 8);
        bl_h5_reseal(s->header.data, (size_t)s->header.length);
        bl_h5_write(r->file, s->address, s->header.data, (size_t)s->header.length);
        for (bl_index c = 0; c < s->ncolumn; c++)
            if (s->column[c].leaving) {
                s->column[c].spare = s->column[c].leaving;
                s->column[c].leaving = 0;
            }
    }
    return bl_target_check(r->file->target);
}
