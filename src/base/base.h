/* base: memory, errors and log, arenas, arrays. All other rooms use this header. */
#ifndef BL_BASE_H
#define BL_BASE_H

#include "biela/context.h"

#include <stdarg.h>

/* ---- errors: one exit path */

#define BL_TRY(call)                       \
    do {                                   \
        bl_status bl_try_status_ = (call); \
        if (bl_try_status_ != BL_OK)       \
            return bl_try_status_;         \
    } while (0)

#if defined(__GNUC__)
#define BL_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define BL_PRINTF(fmt, first)
#endif

/* Records an error and returns its status. place: file, line and column, may be NULL. ctx NULL: only returns the status. */
bl_status bl_fail(bl_context *ctx, bl_status status, const bl_place *place, const char *format, ...) BL_PRINTF(4, 5);
/* Adds to the error just recorded what the user can do. */
void bl_advise(bl_context *ctx, const char *format, ...) BL_PRINTF(2, 3);
/* Records a saved error again, with another status. */
void bl_fail_again(bl_context *ctx, bl_status status, const bl_error *kept);
/* Adds joint or body, equation and time (NaN: none) to the error just recorded. */
void bl_blame(bl_context *ctx, const char *part, const char *equation, double time);

/* BL_STOPPED once the user has asked to stop, else BL_OK. Long loops outside of time integration call this in every pass. */
bl_status bl_go_on(const bl_context *ctx);

/* While paused (calls nest), nothing is logged or kept as a warning. */
void bl_log_pause(bl_context *ctx, bool pause);
bool bl_logs(const bl_context *ctx,
             bl_log_level level); /* whether messages of this level are shown, so that work only for the log can be skipped */
void bl_log(bl_context *ctx, bl_log_level level, const char *format, ...) BL_PRINTF(3, 4);

/* A warning: logged, and kept with the study for its summary and result files. time NaN: concerns the entire study; part NULL: none. The
 * same text about the same part is kept once. Allocates nothing. */
void bl_warn(bl_context *ctx, double time, const char *part, const char *format, ...) BL_PRINTF(4, 5);
/* Called when a study begins: discards the warnings of the previous one. */
void bl_context_clear_warnings(bl_context *ctx);

/* Length of the UTF-8 sequence at s, of at most n bytes; 0: not valid. *control: a control character for terminals. */
size_t bl_utf8(const char *s, size_t n, bool *control);

/* ---- memory: biela allocates only through these functions */

/* Zeroed block; NULL on failure, with BL_E_MEMORY recorded. count or size 0 gives a block of one byte. */
void *bl_alloc(bl_context *ctx, size_t count, size_t size);
/* New bytes are not cleared. On failure the old block stays valid. */
void *bl_resize(bl_context *ctx, void *block, size_t count, size_t size);
void bl_free(bl_context *ctx, void *block); /* NULL is fine */
char *bl_strdup(bl_context *ctx, const char *text);

/* status = BL_NEW(ctx, pointer, count) */
#define BL_NEW(ctx, pointer, count) (((pointer) = bl_alloc((ctx), (size_t)(count), sizeof *(pointer))) ? BL_OK : BL_E_MEMORY)

/* Makes room for `need` elements, doubling. Use through BL_RESERVE(ctx, array, capacity, need). */
bl_status bl_reserve(bl_context *ctx, void **array, bl_index *capacity, bl_index need, size_t size);
#define BL_RESERVE(ctx, array, capacity, need) bl_reserve((ctx), (void **)&(array), &(capacity), (need), sizeof *(array))

/* ---- arena: many small blocks that are freed together */

typedef struct bl_arena {
    bl_context *ctx;
    struct bl_arena_page *page;
    size_t used; /* in the newest page */
} bl_arena;

/* A zeroed arena with ctx set is ready to use. */
void *bl_arena_alloc(bl_arena *arena, size_t count, size_t size); /* zeroed, aligned for any type */
char *bl_arena_text(bl_arena *arena, const char *text, size_t length);
char *bl_arena_printf(bl_arena *arena, const char *format, ...) BL_PRINTF(2, 3);
void bl_arena_destroy(bl_arena *arena);

/* ---- arrays of one owner: listed once with their lengths, allocated, checked and freed as one block
 *
 *     BL_TRY(BL_NEW_ARRAYS(ctx, own->block, BL_ARRAY(own->x, n), BL_ARRAY(own->J, n * n), BL_ARRAY(own->pivot, n)));
 *     bl_free(ctx, own->block);
 *
 * Arrays are zeroed and aligned for any type; one of length 0 is a valid pointer. */

typedef struct bl_array {
    void *pointer; /* address of the pointer to set */
    size_t count, size;
} bl_array;

#define BL_ARRAY(pointer, count) ((bl_array){&(pointer), (size_t)(count), sizeof *(pointer)})
/* One block (a void *) for all arrays; an old block is freed first, so that set-up can be repeated. On failure *block is NULL. */
bl_status bl_new_arrays(bl_context *ctx, void **block, const bl_array *array, size_t narray);
#define BL_NEW_ARRAYS(ctx, block, ...) \
    bl_new_arrays((ctx), &(block), (bl_array[]){__VA_ARGS__}, sizeof((bl_array[]){__VA_ARGS__}) / sizeof(bl_array))
/* The same from an arena, which frees them. */
bl_status bl_arena_arrays(bl_arena *arena, const bl_array *array, size_t narray);
#define BL_ARENA_ARRAYS(arena, ...) \
    bl_arena_arrays((arena), (bl_array[]){__VA_ARGS__}, sizeof((bl_array[]){__VA_ARGS__}) / sizeof(bl_array))
/* status = BL_ARENA_NEW(arena, pointer, count) */
#define BL_ARENA_NEW(arena, pointer, count) \
    (((pointer) = bl_arena_alloc((arena), (size_t)(count), sizeof *(pointer))) ? BL_OK : BL_E_MEMORY)

/* ---- ascending order */
void bl_sort_indices(bl_index *x, size_t n);
void bl_sort_numbers(double *x, size_t n);
bl_index bl_drop_repeated(bl_index *x, bl_index n); /* of sorted ones; returns how many are left */

/* ---- time */
double bl_clock_seconds(void); /* monotonic wall clock */

#endif
