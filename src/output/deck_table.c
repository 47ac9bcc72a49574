/* Tables of decks as text: a line that says what it is, a line of names, a line for every row, then the totals, then an empty line. */
#include "biela/deck.h"
#include "output/output.h"

#include <stdio.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 16 };

typedef struct deck_file {
    bl_context *ctx;
    bl_target target;
    bool open;
    char *buffer;
    size_t length;
} deck_file;

static void put(deck_file *f, const char *text, size_t length) {
    if (length > BUFFER_BYTES - f->length) {
        bl_target_append(&f->target, f->buffer, f->length);
        f->length = 0;
    }
    memcpy(f->buffer + f->length, text, length);
    f->length += length;
}

static bl_status begin(deck_file *f) {
    if (f->open)
        return BL_OK;
    if (!f->buffer)
        BL_TRY(BL_NEW(f->ctx, f->buffer, BUFFER_BYTES));
    BL_TRY(bl_target_open(&f->target, true));
    f->open = true;
    return BL_OK;
}

static void put_row(deck_file *f, const double *value, int n) {
    for (int k = 0; k < n; k++) {
        char text[BL_NUMBER_BYTES + 1] = " ";
        put(f, text, 1 + bl_number_text(value[k], text + 1));
    }
    put(f, "\n", 1);
}

static bl_status table(void *user, const bl_deck_table *t) {
    deck_file *f = user;
    char text[512];
    BL_TRY(begin(f));
    int n = snprintf(text, sizeof text, "# %s: %s%s%.200s; step %d (%s), increment %d, t = %.9g\n", t->what, t->title,
                     t->set[0] ? " of the set " : "", t->set, (int)t->step, t->analysis, (int)t->increment, t->t);
    put(f, text, (size_t)n);
    for (int k = 0; k < t->nlabel + t->ncolumn; k++) {
        n = snprintf(text, sizeof text, "%s%s", k ? " " : "", t->column[k]);
        put(f, text, (size_t)n);
    }
    put(f, "\n", 1);
    for (bl_index i = 0; i < t->nrow; i++) {
        for (int k = 0; k < t->nlabel; k++) {
            n = snprintf(text, sizeof text, "%s%d", k ? " " : "", (int)t->label[(size_t)i * (size_t)t->nlabel + (size_t)k]);
            put(f, text, (size_t)n);
        }
        put_row(f, t->value + (size_t)i * (size_t)t->ncolumn, t->ncolumn);
    }
    if (t->total) {
        put(f, "total", 5);
        put_row(f, t->total, t->ncolumn);
    }
    put(f, "\n", 1);
    return bl_target_check(&f->target);
}

static bl_status end(void *user, bl_status status) {
    deck_file *f = user;
    BL_TRY(begin(f));
    bl_target_append(&f->target, f->buffer, f->length);
    f->length = 0;
    f->open = false;
    (void)status; /* what was computed is kept */
    return bl_target_close(&f->target, true);
}

static void destroy(void *user) {
    deck_file *f = user;
    bl_context *ctx = f->ctx;
    if (f->open)
        bl_target_close(&f->target, false);
    bl_target_destroy(&f->target);
    bl_free(ctx, f->buffer);
    bl_free(ctx, f);
}

bl_status bl_deck_sink_file(bl_context *ctx, const char *path, bl_deck_sink *sink) {
    deck_file *f;
    *sink = (bl_deck_sink){0};
    BL_TRY(BL_NEW(ctx, f, 1));
    f->ctx = ctx;
    bl_status status = bl_target_create(ctx, path, &f->target);
    if (status != BL_OK) {
        bl_free(ctx, f);
        return status;
    }
    *sink = (bl_deck_sink){.user = f, .table = table, .end = end, .destroy = destroy};
    return BL_OK;
}
