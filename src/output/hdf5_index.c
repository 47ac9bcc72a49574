/* B-tree of version 1 over the chunks of a dataset. Chunks are appended in ascending order, so only the newest node of each level grows; a
 * full node is written once. Nodes are rewritten in place at every flush, such that a killed run always leaves a valid tree. */
#include "output/hdf5_series.h"

#include <string.h>

enum { NODE_HEAD = 24, USED_AT = 6, LEFT_AT = 8, RIGHT_AT = 16 }; /* bytes of a node */

static size_t key_bytes(int rank) { return 8 + 8 * ((size_t)rank + 1); }
static size_t key_at(int rank, bl_index i) { return NODE_HEAD + (size_t)i * (key_bytes(rank) + 8); }

static void set_key(const bl_h5_index *index, int level, bl_index i, const bl_h5_key *key) {
    unsigned char *at = index->image[level] + key_at(index->rank, i);
    bl_h5_set_number(at, key->bytes, 4);
    bl_h5_set_number(at + 4, key->mask, 4);
    for (int k = 0; k < index->rank; k++)
        bl_h5_set_number(at + 8 + 8 * k, key->at[k], 8);
    bl_h5_set_number(at + 8 + 8 * index->rank, 0, 8);
}

bl_status bl_h5_index_create(bl_context *ctx, int rank, bl_h5_index *index) {
    *index = (bl_h5_index){.rank = rank, .node_bytes = key_at(rank, BL_H5_FANOUT) + key_bytes(rank)};
    BL_TRY(BL_NEW(ctx, index->image[0], BL_H5_LEVELS * index->node_bytes));
    for (int level = 1; level < BL_H5_LEVELS; level++)
        index->image[level] = index->image[0] + (size_t)level * index->node_bytes;
    return BL_OK;
}

void bl_h5_index_destroy(bl_context *ctx, bl_h5_index *index) { bl_free(ctx, index->image[0]); }

static void begin_node(bl_h5_file *file, bl_h5_index *index, int level, uint64_t left) {
    unsigned char *image = index->image[level];
    memset(image, 0, index->node_bytes);
    memcpy(image, "TREE\1", 5); /* type 1: a tree of chunks */
    image[5] = (unsigned char)level;
    bl_h5_set_number(image + LEFT_AT, left, 8);
    bl_h5_set_number(image + RIGHT_AT, BL_H5_NOWHERE, 8);
    index->used[level] = 0;
    index->address[level] = bl_h5_take(file, index->node_bytes);
}

static void write_node(const bl_h5_file *file, const bl_h5_index *index, int level, const bl_h5_key *bound) {
    set_key(index, level, index->used[level], bound);
    bl_h5_set_number(index->image[level] + USED_AT, (uint64_t)index->used[level], 2);
    bl_h5_write(file, index->address[level], index->image[level], index->node_bytes);
}

static void put_entry(bl_h5_index *index, int level, const bl_h5_key *key, uint64_t child) {
    bl_index i = index->used[level]++;
    set_key(index, level, i, key);
    bl_h5_set_number(index->image[level] + key_at(index->rank, i) + key_bytes(index->rank), child, 8);
}

/* Begins another node of the level at key, and adds it to its parents. */
static bl_status next_node(bl_h5_file *file, bl_h5_index *index, int level, const bl_h5_key *key) {
    bl_h5_key first = {0};
    uint64_t old = BL_H5_NOWHERE;
    bool is_root = level >= index->depth;
    if (level >= BL_H5_LEVELS)
        return bl_fail(file->target->ctx, BL_E_FILE, NULL, "cannot write '%s': too many samples for one file", file->target->path);
    if (!is_root) {
        old = index->address[level];
        bl_h5_file after = *file; /* address of the next node */
        bl_h5_set_number(index->image[level] + RIGHT_AT, bl_h5_take(&after, index->node_bytes), 8);
        bl_h5_write_superblock(file); /* a chunk in it, written by the last flush, may now be beyond the recorded end of the file */
        write_node(file, index, level, key);
    }
    begin_node(file, index, level, old);
    if (is_root) {
        index->depth = level + 1;
        return BL_OK;
    }
    if (level + 1 == index->depth) { /* it was the root: the new root begins with the first key */
        BL_TRY(next_node(file, index, level + 1, &first));
        put_entry(index, level + 1, &first, old);
    } else if (index->used[level + 1] == BL_H5_FANOUT) {
        BL_TRY(next_node(file, index, level + 1, key));
    }
    put_entry(index, level + 1, key, index->address[level]);
    return BL_OK;
}

bl_status bl_h5_index_room(bl_h5_file *file, bl_h5_index *index, bl_index count, const bl_h5_key *first) {
    return index->depth > 0 && index->used[0] + count <= BL_H5_FANOUT ? BL_OK : next_node(file, index, 0, first);
}

bl_status bl_h5_index_append(bl_h5_file *file, bl_h5_index *index, const bl_h5_key *key, uint64_t child) {
    if (index->depth == 0 || index->used[0] == BL_H5_FANOUT)
        BL_TRY(next_node(file, index, 0, key));
    put_entry(index, 0, key, child);
    return BL_OK;
}

void bl_h5_index_write(const bl_h5_file *file, const bl_h5_index *index, const bl_h5_key *bound) {
    for (int level = 0; level < index->depth; level++)
        write_node(file, index, level, bound);
}
