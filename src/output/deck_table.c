/* Tables of decks as text: a title line, a line of column names, a line per row, the totals, an empty line. */
#include "base/sized.h"
#include "biela/deck.h"
#include "output/text_file.h"

typedef struct deck_file {
    bl_context *ctx;
    bl_text_file file;
    bool open;
} deck_file;

static bl_status begin(deck_file *f) {
    if (!f->open)
        BL_TRY(bl_text_file_open(&f->file, true));
    f->open = true;
    return BL_OK;
}

static void put_row(bl_text_file *to, const double *value, int n) {
    for (int k = 0; k < n; k++)
        bl_put(to, " %g", value[k]);
    bl_put(to, "\n");
}

static bl_status table(void *user, const bl_deck_table *t) {
    deck_file *f = user;
    bl_text_file *to = &f->file;
    BL_TRY(begin(f));
    bl_put(to, "# %s: %s%s%s; step %d (%s), increment %d, t = %.9g\n", t->what, t->title, t->set[0] ? " of the set " : "", t->set,
           (int)t->step, t->analysis, (int)t->increment, t->t);
    for (int k = 0; k < t->nlabel + t->ncolumn; k++)
        bl_put(to, "%s%s", k ? " " : "", t->column[k]);
    bl_put(to, "\n");
    for (bl_index i = 0; i < t->nrow; i++) {
        for (int k = 0; k < t->nlabel; k++)
            bl_put(to, "%s%d", k ? " " : "", (int)t->label[(size_t)i * (size_t)t->nlabel + (size_t)k]);
        put_row(to, t->value + (size_t)i * (size_t)t->ncolumn, t->ncolumn);
    }
    if (t->total) {
        bl_put(to, "total");
        put_row(to, t->total, t->ncolumn);
    }
    bl_put(to, "\n");
    return bl_target_check(&to->target);
}

static bl_status end(void *user, bl_status status) {
    deck_file *f = user;
    BL_TRY(begin(f));
    f->open = false;
    (void)status; /* results computed so far are kept */
    return bl_text_file_close(&f->file, true);
}

static void destroy(void *user) {
    deck_file *f = user;
    bl_context *ctx = f->ctx;
    bl_text_file_destroy(&f->file);
    bl_free(ctx, f);
}

bl_status bl_deck_sink_file(bl_context *ctx, const char *path, bl_deck_sink *sink) {
    deck_file *f;
    bl_deck_sink made = {.size = sizeof made};
    BL_TRY(BL_FITS(ctx, bl_deck_sink, sink));
    BL_GIVE(bl_deck_sink, sink, &made);
    BL_TRY(BL_NEW(ctx, f, 1));
    f->ctx = ctx;
    bl_status status = bl_text_file_create(ctx, path, &f->file);
    if (status == BL_OK)
        made = (bl_deck_sink){.size = sizeof made, .user = f, .table = table, .end = end, .destroy = destroy};
    else
        destroy(f);
    BL_GIVE(bl_deck_sink, sink, &made);
    return status;
}
