/* Structs of callers, whose size may be that of another version: checked, copied in, copied out. */
#include "base/sized.h"

#include <string.h>

/* No struct is nearly as large: a size beyond it is that of a struct that was not initialized. */
enum { MOST_BYTES = 65536 };

static size_t size_of(const void *given) {
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

/* bytes that the caller has */
static size_t bytes_of(const bl_sized *type, const void *given) {
    size_t size = size_of(given);
    return size ? size : type->first;
}

bl_status bl_sized_fits(bl_context *ctx, const bl_sized *type, const void *given) {
    if (!given)
        return BL_OK;
    size_t bytes = bytes_of(type, given);
    if (bytes >= type->first && bytes <= MOST_BYTES)
        return BL_OK;
    bl_fail(ctx, BL_E_ARG, NULL, "%s: size is %zu, but the struct has %zu bytes in this version, %zu in 0.1", type->name, bytes, type->size,
            type->first);
    bl_advise(ctx, "initialize the struct with {0}, or with .size = sizeof(%s)", type->name);
    return BL_E_ARG;
}

static void clear_own(const bl_sized *type, void *own) {
    memset(own, 0, type->size);
    memcpy(own, &type->size, sizeof type->size);
}

static bl_status take_bytes(bl_context *ctx, const bl_sized *type, const void *given, size_t bytes, void *own) {
    const unsigned char *from = given;
    for (size_t i = type->size; i < bytes; i++)
        if (from[i] != 0) {
            bl_fail(ctx, BL_E_ARG, NULL, "%s: fields beyond the %zu bytes that this library knows are set (size is %zu)", type->name,
                    type->size, bytes);
            bl_advise(ctx, "use a library as new as the headers that the program was compiled with, or leave later fields 0");
            return BL_E_ARG;
        }
    size_t common = bytes < type->size ? bytes : type->size;
    memcpy((char *)own + sizeof(size_t), from + sizeof(size_t), common - sizeof(size_t));
    return BL_OK;
}

bl_status bl_sized_take(bl_context *ctx, const bl_sized *type, const void *given, void *own) {
    clear_own(type, own);
    BL_TRY(bl_sized_fits(ctx, type, given));
    return given ? take_bytes(ctx, type, given, bytes_of(type, given), own) : BL_OK;
}

void bl_sized_give(const bl_sized *type, void *given, const void *own) {
    if (!given || bl_sized_fits(NULL, type, given) != BL_OK)
        return;
    size_t bytes = bytes_of(type, given), common = bytes < type->size ? bytes : type->size;
    memcpy((char *)given + sizeof(size_t), (const char *)own + sizeof(size_t), common - sizeof(size_t));
    memset((char *)given + common, 0, bytes - common);
}

void bl_sized_clear(const bl_sized *type, void *given) {
    if (given && bl_sized_fits(NULL, type, given) == BL_OK)
        memset((char *)given + sizeof(size_t), 0, bytes_of(type, given) - sizeof(size_t));
}

bl_status bl_sized_sinks(bl_arena *arena, const bl_sink *sinks, bl_index n, bl_sink **own) {
    const bl_sized *type = BL_SIZED_TYPE(bl_sink);
    *own = NULL;
    if (n == 0)
        return BL_OK;
    if (n > 1 && sinks->size == 0) {
        bl_fail(arena->ctx, BL_E_ARG, NULL, "bl_sink: the size of the first of %d sinks is 0, and so the others cannot be found", (int)n);
        bl_advise(arena->ctx, "set sinks[0].size = sizeof(bl_sink)");
        return BL_E_ARG;
    }
    size_t stride = bytes_of(type, sinks);
    BL_TRY(bl_sized_fits(arena->ctx, type, sinks));
    BL_TRY(BL_ARENA_NEW(arena, *own, n));
    for (bl_index i = 0; i < n; i++) {
        clear_own(type, &(*own)[i]);
        BL_TRY(take_bytes(arena->ctx, type, (const char *)sinks + (size_t)i * stride, stride, &(*own)[i]));
    }
    return BL_OK;
}
