/* Context: allocator with counters, log, stop request, last error. */
#include "base/isa.h"
#include "base/sized.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "bl_context_stop may be called by a signal handler");

enum { MOST_WARNINGS = 32 }; /* number kept; users read the first few */

/* What the code assumes of numbers (docs/ARCHITECTURE.md, rule "Numbers"); tests/unit/base/test_numbers.c checks the rest. */
_Static_assert(FLT_RADIX == 2 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "double must be IEEE 754 binary64");
_Static_assert(LDBL_MANT_DIG >= DBL_MANT_DIG, "long double must hold every double");
_Static_assert(FLT_EVAL_METHOD == 0, "double must be evaluated as double (x87: -mfpmath=sse)");
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "biela must not be compiled with -ffast-math or -ffinite-math-only: it tests for NaN and infinity"
#endif

struct bl_context {
    bl_context_options options;
    bl_error error;
    bl_warning warning[MOST_WARNINGS];
    bl_index nwarning, more_warnings;
    bl_memory memory;
    int paused; /* log and warnings */
    bl_isa isa;
    atomic_int stop; /* set by signal handlers and other threads */
};

static void *libc_realloc(void *user, void *block, size_t bytes) {
    (void)user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, bytes);
}

const char *bl_status_text(bl_status status) {
    switch (status) {
    case BL_OK: return "done";
    case BL_SINGULAR: return "singular";
    case BL_NO_CONVERGENCE: return "not converged";
    case BL_REJECTED: return "step rejected";
    case BL_AGAIN: return "again";
    case BL_RESTART: return "restart";
    case BL_EVENT: return "event";
    case BL_STOPPED: return "stopped on request";
    case BL_NOT_FINITE: return "not a finite number";
    case BL_E_ARG: return "bad argument";
    case BL_E_MODEL: return "bad model";
    case BL_E_ABILITY: return "cannot be done by this combination";
    case BL_E_MEMORY: return "out of memory";
    case BL_E_FILE: return "file error";
    case BL_E_NUMERIC: return "numerical failure";
    }
    return "unknown status";
}

/* the widest instruction set of the machine, or the one that BIELA_ISA names */
static void choose_isa(bl_context *ctx) {
    const char *wanted = getenv("BIELA_ISA"); /* environment: read once, when the context is created */
    for (bl_isa isa = BL_ISA_PLAIN; isa < BL_ISA_COUNT; isa++)
        if (bl_isa_available(isa))
            ctx->isa = isa;
    if (!wanted || !*wanted)
        return;
    for (bl_isa isa = BL_ISA_PLAIN; isa < BL_ISA_COUNT; isa++)
        if (strcmp(wanted, bl_isa_name(isa)) == 0 && bl_context_use_isa(ctx, isa))
            return;
    bl_log(ctx, BL_LOG_WARNING, "BIELA_ISA=%s is not an instruction set of this processor and this build; using %s", wanted,
           bl_isa_name(ctx->isa));
}

bl_isa bl_context_isa(const bl_context *ctx) { return ctx ? ctx->isa : BL_ISA_PLAIN; }

bool bl_context_use_isa(bl_context *ctx, bl_isa isa) {
    if (isa < BL_ISA_COUNT && bl_isa_available(isa)) {
        ctx->isa = isa;
        return true;
    }
    return false;
}

bl_status bl_context_create(const bl_context_options *options, bl_context **out) {
    if (!out)
        return BL_E_ARG;
    *out = NULL;
    bl_context_options chosen;
    BL_TRY(BL_TAKE(NULL, bl_context_options, options, &chosen));
    if (!chosen.realloc)
        chosen.realloc = libc_realloc;
    bl_context *ctx = chosen.realloc(chosen.realloc_user, NULL, sizeof *ctx);
    if (!ctx)
        return BL_E_MEMORY;
    memset(ctx, 0, sizeof *ctx);
    ctx->options = chosen;
    ctx->error.time = NAN;
    choose_isa(ctx);
    *out = ctx;
    return BL_OK;
}

void bl_context_destroy(bl_context *ctx) {
    if (ctx)
        ctx->options.realloc(ctx->options.realloc_user, ctx, 0);
}

const bl_error *bl_context_error(const bl_context *ctx) { return &ctx->error; }

void bl_context_clear_error(bl_context *ctx) {
    memset(&ctx->error, 0, sizeof ctx->error);
    ctx->error.time = NAN;
}

bl_memory bl_context_memory(const bl_context *ctx) { return ctx->memory; }
void bl_context_stop(bl_context *ctx) { atomic_store_explicit(&ctx->stop, 1, memory_order_relaxed); }
void bl_context_resume(bl_context *ctx) { atomic_store_explicit(&ctx->stop, 0, memory_order_relaxed); }
bool bl_context_stopped(const bl_context *ctx) { return atomic_load_explicit(&ctx->stop, memory_order_relaxed) != 0; }
bl_status bl_go_on(const bl_context *ctx) { return bl_context_stopped(ctx) ? BL_STOPPED : BL_OK; }

/* ---- errors and log */

bl_status bl_fail(bl_context *ctx, bl_status status, const bl_place *place, const char *format, ...) {
    if (!ctx)
        return status;
    bl_context_clear_error(ctx);
    ctx->error.status = status;
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->error.what, sizeof ctx->error.what, format, args);
    va_end(args);
    bl_text_clean(ctx->error.what, NULL);
    if (place && place->file) {
        snprintf(ctx->error.file, sizeof ctx->error.file, "%s", place->file);
        bl_text_clean(ctx->error.file, NULL);
        ctx->error.line = place->line;
        ctx->error.column = place->column;
    }
    return status;
}

void bl_advise(bl_context *ctx, const char *format, ...) {
    if (!ctx)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->error.advice, sizeof ctx->error.advice, format, args);
    va_end(args);
    bl_text_clean(ctx->error.advice, NULL);
}

void bl_fail_again(bl_context *ctx, bl_status status, const bl_error *kept) {
    if (!ctx)
        return;
    ctx->error = *kept;
    ctx->error.status = status;
}

void bl_blame(bl_context *ctx, const char *part, const char *equation, double time) {
    if (!ctx)
        return;
    snprintf(ctx->error.part, sizeof ctx->error.part, "%s", part ? part : "");
    snprintf(ctx->error.equation, sizeof ctx->error.equation, "%s", equation ? equation : "");
    bl_text_clean(ctx->error.part, NULL);
    bl_text_clean(ctx->error.equation, NULL);
    ctx->error.time = time;
}

void bl_log_pause(bl_context *ctx, bool pause) { ctx->paused += pause ? 1 : -1; }

bool bl_logs(const bl_context *ctx, bl_log_level level) {
    return ctx && !ctx->paused && ctx->options.log && level >= ctx->options.log_level;
}

void bl_log(bl_context *ctx, bl_log_level level, const char *format, ...) {
    if (!bl_logs(ctx, level))
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bl_text_clean(text, NULL);
    ctx->options.log(ctx->options.log_user, level, text);
}

void bl_context_clear_warnings(bl_context *ctx) { ctx->nwarning = ctx->more_warnings = 0; }

bl_index bl_context_warnings(const bl_context *ctx, const bl_warning **first, bl_index *more) {
    *first = ctx->warning;
    if (more)
        *more = ctx->more_warnings;
    return ctx->nwarning;
}

void bl_warn(bl_context *ctx, double time, const char *part, const char *format, ...) {
    if (!ctx || ctx->paused)
        return;
    bl_warning warning = {.time = time};
    va_list args;
    va_start(args, format);
    vsnprintf(warning.text, sizeof warning.text, format, args);
    va_end(args);
    snprintf(warning.part, sizeof warning.part, "%s", part ? part : "");
    bl_text_clean(warning.text, NULL);
    bl_text_clean(warning.part, NULL);
    for (bl_index i = 0; i < ctx->nwarning; i++)
        if (strcmp(ctx->warning[i].text, warning.text) == 0 && strcmp(ctx->warning[i].part, warning.part) == 0)
            return;
    if (ctx->nwarning < MOST_WARNINGS)
        ctx->warning[ctx->nwarning++] = warning;
    else
        ctx->more_warnings++;
    bl_log(ctx, BL_LOG_WARNING, "%s", warning.text);
}

/* ---- memory */

static bool product_overflows(size_t count, size_t size) { return size != 0 && count > SIZE_MAX / size; }

/* updates the counters, or records the failure; block: the one that fresh replaces */
static void *obtained(bl_context *ctx, const void *block, void *fresh, size_t count, size_t size) {
    if (!fresh) {
        bl_fail(ctx, BL_E_MEMORY, NULL, "out of memory for %zu elements of %zu bytes", count, size);
        return NULL;
    }
    if (!block)
        ctx->memory.live_blocks++;
    return fresh;
}

void *bl_resize(bl_context *ctx, void *block, size_t count, size_t size) {
    ctx->memory.calls++;
    size_t bytes = count * size;
    void *fresh = NULL;
    if (!product_overflows(count, size))
        fresh = ctx->options.realloc(ctx->options.realloc_user, block, bytes ? bytes : 1);
    return obtained(ctx, block, fresh, count, size);
}

/* With the default allocator, calloc knows which pages are zero already, so unused parts of large matrices cost nothing. */
void *bl_alloc(bl_context *ctx, size_t count, size_t size) {
    bool some = count != 0 && size != 0;
    if (ctx->options.realloc == libc_realloc) {
        ctx->memory.calls++;
        return obtained(ctx, NULL, calloc(some ? count : 1, some ? size : 1), count, size);
    }
    void *block = bl_resize(ctx, NULL, count, size);
    if (block)
        memset(block, 0, some ? count * size : 1);
    return block;
}

void bl_free(bl_context *ctx, void *block) {
    if (!block)
        return;
    ctx->memory.live_blocks--;
    ctx->options.realloc(ctx->options.realloc_user, block, 0);
}

char *bl_strdup(bl_context *ctx, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = bl_alloc(ctx, bytes, 1);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

bl_status bl_reserve(bl_context *ctx, void **array, bl_index *capacity, bl_index need, size_t size) {
    if (need <= *capacity)
        return BL_OK;
    bl_index room = *capacity ? *capacity : 8;
    while (room < need) {
        if (room > INT32_MAX / 2)
            return bl_fail(ctx, BL_E_MEMORY, NULL, "an array of more than %d elements was requested", INT32_MAX / 2);
        room *= 2;
    }
    void *fresh = bl_resize(ctx, *array, (size_t)room, size);
    if (!fresh)
        return BL_E_MEMORY;
    memset((char *)fresh + (size_t)*capacity * size, 0, (size_t)(room - *capacity) * size);
    *array = fresh;
    *capacity = room;
    return BL_OK;
}

double bl_clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
