/* Virtual datasets. Selections are regular hyperslabs of version 2, whose size does not depend on the number of times: maps are written
 * again in place when the file has grown. */
#include "output/hdf5_virtual.h"

#include <math.h>
#include <string.h>

enum { OBJECT_HEAD = 16, LEAST_COLLECTION = 4096 };
enum { SELECT_HYPERSLAB = 2, SELECT_VERSION = 2, SELECT_REGULAR = 1 };

static void pad(bl_h5_bytes *bytes) {
    while (bytes->status == BL_OK && bytes->length % 8)
        bl_h5_put_number(bytes, 0, 1);
}

/* start, stride, count and block of `rank` dimensions; returns the offset of the first count */
static bl_index put_selection(bl_h5_bytes *bytes, int rank, const uint64_t (*slab)[4]) {
    bl_h5_put_number(bytes, SELECT_HYPERSLAB, 4);
    bl_h5_put_number(bytes, SELECT_VERSION, 4);
    bl_h5_put_number(bytes, SELECT_REGULAR, 1);
    bl_h5_put_number(bytes, 4 + 32 * (uint64_t)rank, 4); /* bytes that follow */
    bl_h5_put_number(bytes, (uint64_t)rank, 4);
    bl_index count = bytes->length + 16;
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < 4; i++)
            bl_h5_put_number(bytes, slab[k][i], 8);
    return count;
}

static bl_status note_count(bl_h5_heap *heap, bl_h5_virtual *set, bl_index at) {
    BL_TRY(BL_RESERVE(heap->ctx, set->count, set->count_room, set->ncount + 1));
    set->count[set->ncount++] = at;
    return BL_OK;
}

static bl_status put_piece(bl_h5_heap *heap, bl_h5_virtual *set, const bl_h5_piece *piece) {
    uint64_t slab[3][4], width = (uint64_t)set->width;
    int rank = 0;
    bl_h5_put(&heap->bytes, ".", 2); /* this file */
    for (const char *c = piece->source; *c; c++)
        bl_h5_put(&heap->bytes, *c == '%' ? "%%" : c, *c == '%' ? 2 : 1); /* source names are format strings */
    bl_h5_put_number(&heap->bytes, 0, 1);
    if (set->growing)
        memcpy(slab[rank++], (const uint64_t[]){0, 1, 1, 1}, sizeof *slab);
    memcpy(slab[rank++], (const uint64_t[]){0, 1, 1, piece->block}, sizeof *slab);
    if (set->width > 1)
        memcpy(slab[rank++], (const uint64_t[]){0, 1, 1, width}, sizeof *slab);
    bl_index from = put_selection(&heap->bytes, rank, (const uint64_t(*)[4])slab);
    rank = 0;
    memcpy(slab[rank++], (const uint64_t[]){piece->start, set->stride, 1, piece->block}, sizeof *slab);
    if (set->width > 1)
        memcpy(slab[rank++], (const uint64_t[]){0, 1, 1, width}, sizeof *slab);
    bl_index to = put_selection(&heap->bytes, rank, (const uint64_t(*)[4])slab);
    BL_TRY(heap->bytes.status);
    if (!set->growing)
        return BL_OK;
    BL_TRY(note_count(heap, set, from));
    return note_count(heap, set, to);
}

bl_status bl_h5_heap_add(bl_h5_heap *heap, bl_h5_type type, uint64_t stride, int width, bool growing, bl_index npiece,
                         const bl_h5_piece *piece) {
    bl_h5_bytes *bytes = &heap->bytes;
    BL_TRY(BL_RESERVE(heap->ctx, heap->set, heap->room, heap->n + 1));
    bl_h5_virtual *set = &heap->set[heap->n];
    *set = (bl_h5_virtual){.type = type, .stride = stride, .width = width, .growing = growing, .missing = NAN, .header.ctx = heap->ctx};
    heap->n++;
    bytes->ctx = heap->ctx;
    if (bytes->length == 0) {
        bl_h5_put(bytes, "GCOL\1\0\0\0", 8);
        bl_h5_put_number(bytes, 0, 8);
    }
    bl_index head = bytes->length;
    bl_h5_put_number(bytes, (uint64_t)heap->n, 2); /* object number; the reference count is unused */
    bl_h5_put_number(bytes, 0, 6);
    bl_h5_put_number(bytes, 0, 8);
    set->object = bytes->length;
    bl_h5_put_number(bytes, 0, 1); /* version */
    bl_h5_put_number(bytes, (uint64_t)npiece, 8);
    for (bl_index i = 0; i < npiece; i++)
        BL_TRY(put_piece(heap, set, &piece[i]));
    bl_h5_put_number(bytes, 0, 4); /* checksum */
    set->object_bytes = bytes->length - set->object;
    pad(bytes);
    BL_TRY(bytes->status);
    bl_h5_set_number(bytes->data + head + 8, (uint64_t)set->object_bytes, 8);
    return BL_OK;
}

static int rank_of(const bl_h5_virtual *set) { return set->width > 1 ? 2 : 1; }

bl_status bl_h5_heap_begin(bl_h5_heap *heap) {
    bl_h5_bytes *bytes = &heap->bytes;
    bl_index used = bytes->length, least = LEAST_COLLECTION - OBJECT_HEAD;
    bl_h5_put_number(bytes, 0, 8); /* object 0: free space, including its header */
    bl_h5_put_number(bytes, (uint64_t)(used < least ? LEAST_COLLECTION - used : OBJECT_HEAD), 8);
    while (bytes->status == BL_OK && bytes->length < LEAST_COLLECTION)
        bl_h5_put_number(bytes, 0, 8);
    BL_TRY(bytes->status);
    bl_h5_set_number(bytes->data + 8, (uint64_t)bytes->length, 8);
    heap->address = bl_h5_take(heap->file, (uint64_t)bytes->length);
    for (bl_index i = 0; i < heap->n; i++) {
        bl_h5_virtual *set = &heap->set[i];
        uint64_t size[2] = {set->stride, (uint64_t)set->width};
        bl_h5_header_begin(&set->header);
        set->sizes = bl_h5_dataset_virtual(&set->header, set->type, rank_of(set), size, set->missing, heap->address, (uint32_t)i + 1);
        bl_h5_seal(&set->header);
        BL_TRY(set->header.status);
        set->address = bl_h5_take(heap->file, (uint64_t)set->header.length);
    }
    return BL_OK;
}

void bl_h5_heap_write(bl_h5_heap *heap, uint64_t times) {
    unsigned char *data = heap->bytes.data;
    for (bl_index i = 0; i < heap->n; i++) {
        bl_h5_virtual *set = &heap->set[i];
        for (bl_index k = 0; k < set->ncount; k++)
            bl_h5_set_number(data + set->count[k], times, 8);
        bl_index last = set->object + set->object_bytes - 4;
        bl_h5_set_number(data + last, bl_h5_checksum(data + set->object, (size_t)(last - set->object)), 4);
    }
    bl_h5_write(heap->file, heap->address, data, (size_t)heap->bytes.length);
    for (bl_index i = 0; i < heap->n; i++) {
        bl_h5_virtual *set = &heap->set[i];
        bl_h5_set_number(set->header.data + set->sizes, set->growing ? times * set->stride : set->stride, 8);
        bl_h5_reseal(set->header.data, (size_t)set->header.length);
        bl_h5_write(heap->file, set->address, set->header.data, (size_t)set->header.length);
    }
}

void bl_h5_heap_destroy(bl_h5_heap *heap) {
    for (bl_index i = 0; i < heap->n; i++) {
        bl_free(heap->ctx, heap->set[i].header.data);
        bl_free(heap->ctx, heap->set[i].count);
    }
    bl_free(heap->ctx, heap->set);
    bl_free(heap->ctx, heap->bytes.data);
    *heap = (bl_h5_heap){.ctx = heap->ctx};
}
