/* Arrays of one owner, in one block or from an arena. */
#include "base/base.h"

#include <string.h>

/* Bytes of an array, rounded up so that the next one is aligned for any type; SIZE_MAX: too large for a block. */
static size_t bytes_of(const bl_array *a) {
    const size_t align = _Alignof(max_align_t);
    if (a->size != 0 && a->count > (SIZE_MAX / 4) / a->size)
        return SIZE_MAX;
    size_t bytes = (a->count * a->size + align - 1) / align * align;
    return bytes ? bytes : align;
}

/* Sets a pointer to any object type by its bytes: all have the representation of void *. */
static void set(const bl_array *a, void *to) { memcpy(a->pointer, &to, sizeof to); }

bl_status bl_new_arrays(bl_context *ctx, void **block, const bl_array *array, size_t narray) {
    bl_free(ctx, *block);
    *block = NULL;
    size_t total = 0;
    for (size_t i = 0; i < narray; i++) {
        size_t bytes = bytes_of(&array[i]);
        if (bytes == SIZE_MAX || total > SIZE_MAX / 4)
            return bl_fail(ctx, BL_E_MEMORY, NULL, "out of memory for %zu elements of %zu bytes", array[i].count, array[i].size);
        total += bytes;
    }
    char *at = bl_alloc(ctx, total, 1);
    if (!at)
        return BL_E_MEMORY;
    *block = at;
    for (size_t i = 0; i < narray; i++) {
        set(&array[i], at);
        at += bytes_of(&array[i]);
    }
    return BL_OK;
}

bl_status bl_arena_arrays(bl_arena *arena, const bl_array *array, size_t narray) {
    for (size_t i = 0; i < narray; i++) {
        void *at = bl_arena_alloc(arena, array[i].count, array[i].size);
        if (!at)
            return BL_E_MEMORY;
        set(&array[i], at);
    }
    return BL_OK;
}
