/* Formulas: arithmetic text with names defined by the caller, as a tape with one output. */
#include "biela/formula.h"

#include "base/sized.h"
#include "series/expr.h"

#include <stdio.h>
#include <string.h>

struct bl_formula {
    bl_context *ctx;
    bl_tape *tape;
    bl_index ninput, room;
    bl_index *input; /* the caller's number of input k */
    double *work;
};

typedef struct reading {
    bl_formula *formula;
    const bl_formula_scope *scope;
} reading;

/* each name becomes one input, however often it is used */
static bl_status read_name(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest) {
    const reading *r = user;
    bl_formula *f = r->formula;
    (void)place;
    bl_index which = r->scope->find(r->scope->user, name, nearest), k = 0;
    if (which < 0)
        return BL_AGAIN;
    while (k < f->ninput && f->input[k] != which)
        k++;
    if (k == f->ninput) {
        BL_TRY(BL_RESERVE(f->ctx, f->input, f->room, k + 1));
        f->input[f->ninput++] = which;
    }
    *node = bl_tape_input(tape, k);
    return BL_OK;
}

/* turns the parser's error in a model file into one about a text that is not in a file */
static bl_status blame_text(bl_context *ctx, bl_status status, const char *text) {
    bl_error error = *bl_context_error(ctx);
    if (status != BL_E_MODEL || error.status != BL_E_MODEL)
        return status;
    bl_error kept = error;
    snprintf(kept.what, sizeof kept.what, "'%.200s', character %d: %.250s", text, error.column, error.what);
    bl_text_clean(kept.what, NULL);
    kept.file[0] = '\0';
    kept.line = kept.column = 0;
    bl_fail_again(ctx, BL_E_ARG, &kept);
    return BL_E_ARG;
}

static bl_status record(bl_formula *f, const char *text, const bl_formula_scope *scope) {
    reading r = {f, scope};
    bl_expr_scope names = {.user = &r, .name = read_name};
    bl_place place = {"expression", 1, 1}; /* needs a file name for its column to be kept */
    bl_index node;
    BL_TRY(bl_tape_create(f->ctx, &f->tape));
    BL_TRY(blame_text(f->ctx, bl_expr_parse(f->ctx, text, strlen(text), &place, &names, f->tape, &node), text));
    BL_TRY(bl_tape_output(f->tape, node));
    BL_TRY(bl_tape_finish(f->tape));
    return BL_NEW(f->ctx, f->work, bl_tape_work(f->tape));
}

bl_status bl_formula_create(bl_context *ctx, const char *text, const bl_formula_scope *given, bl_formula **formula) {
    bl_formula_scope scope;
    *formula = NULL;
    BL_TRY(BL_TAKE(ctx, bl_formula_scope, given, &scope));
    if (!text || !scope.find)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_formula_create: text and scope must be given");
    bl_formula *f;
    BL_TRY(BL_NEW(ctx, f, 1));
    f->ctx = ctx;
    bl_status status = record(f, text, &scope);
    if (status != BL_OK) {
        bl_formula_destroy(f);
        return status;
    }
    *formula = f;
    return BL_OK;
}

void bl_formula_destroy(bl_formula *f) {
    if (!f)
        return;
    bl_tape_destroy(f->tape);
    bl_free(f->ctx, f->input);
    bl_free(f->ctx, f->work);
    bl_free(f->ctx, f);
}

bl_index bl_formula_inputs(const bl_formula *f, const bl_index **name) {
    *name = f->input;
    return f->ninput;
}

double bl_formula_value(bl_formula *f, const double *input) {
    double value;
    bl_tape_eval(f->tape, input, &value, f->work);
    return value;
}
