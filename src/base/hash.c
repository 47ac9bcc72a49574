/* See hash.h. The number of buckets doubles when it equals the number of entries. */
#include "base/hash.h"

static bl_status more_buckets(bl_context *ctx, bl_hash *table) {
    bl_index n = table->nbucket ? 2 * table->nbucket : 64, *bucket;
    if (n > INT32_MAX / 2)
        return bl_fail(ctx, BL_E_MEMORY, NULL, "too many entries in a hash table");
    BL_TRY(BL_NEW(ctx, bucket, n));
    for (bl_index i = 0; i < n; i++)
        bucket[i] = -1;
    for (bl_index i = 0; i < table->n; i++) {
        bl_index *newest = &bucket[table->key[i] & (uint64_t)(n - 1)];
        table->next[i] = *newest;
        *newest = i;
    }
    bl_free(ctx, table->bucket);
    table->bucket = bucket;
    table->nbucket = n;
    return BL_OK;
}

bl_status bl_hash_put(bl_context *ctx, bl_hash *table, uint64_t key) {
    bl_index n = table->n;
    BL_TRY(BL_RESERVE(ctx, table->key, table->room, n + 1));
    BL_TRY(BL_RESERVE(ctx, table->next, table->next_room, n + 1));
    if (n >= table->nbucket)
        BL_TRY(more_buckets(ctx, table));
    bl_index *newest = &table->bucket[key & (uint64_t)(table->nbucket - 1)];
    table->key[n] = key;
    table->next[n] = *newest;
    *newest = n;
    table->n++;
    return BL_OK;
}

void bl_hash_free(bl_context *ctx, bl_hash *table) {
    bl_free(ctx, table->key);
    bl_free(ctx, table->next);
    bl_free(ctx, table->bucket);
    *table = (bl_hash){0};
}
