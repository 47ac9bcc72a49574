/* Arena: blocks are cut from pages and live until the arena is destroyed. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

typedef struct bl_arena_page {
    struct bl_arena_page *older;
    size_t bytes;
    max_align_t data[];
} bl_arena_page;

/* The first page is small, since most arenas hold a few names for a short time; each further page is twice as large. */
enum { FIRST_BYTES = 1024, PAGE_BYTES = 16384 };

void *bl_arena_alloc(bl_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX / 2) / size) {
        bl_fail(arena->ctx, BL_E_MEMORY, NULL, "out of memory for %zu elements of %zu bytes", count, size);
        return NULL;
    }
    size_t align = sizeof(max_align_t);
    size_t bytes = (count * size + align - 1) / align * align;
    if (bytes == 0)
        bytes = align;
    if (!arena->page || arena->used + bytes > arena->page->bytes) {
        size_t room = arena->page ? 2 * arena->page->bytes : FIRST_BYTES;
        room = room < PAGE_BYTES ? room : PAGE_BYTES;
        room = bytes > room ? bytes : room;
        bl_arena_page *page = bl_alloc(arena->ctx, 1, sizeof *page + room);
        if (!page)
            return NULL;
        page->bytes = room;
        page->older = arena->page;
        arena->page = page;
        arena->used = 0;
    }
    void *block = (char *)arena->page->data + arena->used;
    arena->used += bytes;
    return block;
}

char *bl_arena_text(bl_arena *arena, const char *text, size_t length) {
    char *copy = bl_arena_alloc(arena, length + 1, 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

char *bl_arena_printf(bl_arena *arena, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : bl_arena_alloc(arena, (size_t)length + 1, 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void bl_arena_destroy(bl_arena *arena) {
    while (arena->page) {
        bl_arena_page *older = arena->page->older;
        bl_free(arena->ctx, arena->page);
        arena->page = older;
    }
    arena->used = 0;
}
