/* What the fuzz targets share: a bounded allocator, claims. A claim that does not hold aborts, which a fuzzer reports with its input. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 512 * 1024 * 1024, HEADER = 16 };

/* libfyaml 0.7.12 loses a block where a quoted text with many escapes has no end; what biela allocates is counted by its context. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfyaml\n"; }

const bl_read_options fuzz_options = {.files = BL_FILES_NONE, .share = 0.001};

/* one target runs at a time, in one thread */
static size_t live;

static void *bounded_realloc(void *user, void *block, size_t bytes) {
    (void)user;
    char *start = block ? (char *)block - HEADER : NULL;
    size_t before = 0;
    if (start)
        memcpy(&before, start, sizeof before);
    if (bytes == 0) {
        live -= before;
        free(start);
        return NULL;
    }
    if (bytes > MOST_BYTES || live - before + bytes > MOST_BYTES)
        return NULL;
    char *fresh = realloc(start, bytes + HEADER);
    if (!fresh)
        return NULL;
    live += bytes - before;
    memcpy(fresh, &bytes, sizeof bytes);
    return fresh + HEADER;
}

bl_context *fuzz_context(void) {
    bl_context *ctx = NULL;
    fuzz_expect(bl_context_create(&(bl_context_options){.realloc = bounded_realloc}, &ctx) == BL_OK);
    return ctx;
}

void fuzz_context_end(bl_context *ctx) {
    fuzz_expect(bl_context_memory(ctx).live_blocks == 0);
    bl_context_destroy(ctx);
    fuzz_expect(live == 0);
}

static void check_text(const char *text) {
    char clean[1024];
    snprintf(clean, sizeof clean, "%s", text);
    bl_text_clean(clean, NULL);
    fuzz_expect(strcmp(clean, text) == 0);
}

void fuzz_check_error(const bl_context *ctx, bl_status status) {
    const bl_error *error = bl_context_error(ctx);
    fuzz_expect(status != BL_OK);
    fuzz_expect(error->status != BL_OK && error->what[0]);
    check_text(error->what);
    check_text(error->advice);
    check_text(error->file);
    check_text(error->part);
    check_text(error->equation);
}

void fuzz_require(bool holds, const char *claim, const char *file, int line) {
    if (holds)
        return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, claim);
    abort();
}
