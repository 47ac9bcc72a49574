/* hash: finds indices 0, 1, 2, ... into an array of the caller by key; the caller compares the elements. For each key, newest first:
 *
 *     for (i = bl_hash_find(&table, hash); i >= 0; i = bl_hash_next(&table, i))
 *         if (mine[i] equals it) ... */
#ifndef BL_HASH_H
#define BL_HASH_H

#include "base/base.h"

#include <string.h>

/* A zeroed table is empty. */
typedef struct bl_hash {
    bl_index n, room, next_room, nbucket;
    uint64_t *key;           /* [n] */
    bl_index *next, *bucket; /* [n], [nbucket]: newest index, -1: none */
} bl_hash;

/* Adds the next index, n, under the key. */
bl_status bl_hash_put(bl_context *ctx, bl_hash *table, uint64_t key);
void bl_hash_free(bl_context *ctx, bl_hash *table);

static inline bl_index bl_hash_same(const bl_hash *table, bl_index i, uint64_t key) {
    while (i >= 0 && table->key[i] != key)
        i = table->next[i];
    return i;
}
static inline bl_index bl_hash_find(const bl_hash *table, uint64_t key) {
    return table->nbucket ? bl_hash_same(table, table->bucket[key & (uint64_t)(table->nbucket - 1)], key) : -1;
}
static inline bl_index bl_hash_next(const bl_hash *table, bl_index i) { return bl_hash_same(table, table->next[i], table->key[i]); }

/* ---- keys: start with BL_HASH_START, then mix in one value after the other */

#define BL_HASH_START UINT64_C(0x9e3779b97f4a7c15)
static inline uint64_t bl_hash_mix(uint64_t key, uint64_t with) {
    key = (key ^ with) * UINT64_C(0xff51afd7ed558ccd);
    return key ^ (key >> 32);
}
static inline uint64_t bl_hash_number(uint64_t key, double with) {
    uint64_t bits;
    with += 0.0; /* -0 and 0 give the same key */
    memcpy(&bits, &with, sizeof bits);
    return bl_hash_mix(key, bits);
}
static inline uint64_t bl_hash_text(const char *text) {
    uint64_t key = BL_HASH_START;
    for (; *text; text++)
        key = bl_hash_mix(key, (unsigned char)*text);
    return key;
}

#endif
