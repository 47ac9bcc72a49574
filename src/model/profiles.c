/* Functions of one variable and plane curves as values of parameters (series/profile.h):
 *
 *     "=0.02*sin(3*x)"                                                  an expression of x and parameters
 *     [{over: =90*deg, rise: 0.02, motion: cycloidal}, {over: =270*deg, rise: -0.02}]   segments, repeated
 *     [[0, 0], [0.5, 0.1], [1, 0.15]], or the name of a table file      a cubic spline through the rows
 *     {table: ..., periodic: true}                                      the same, repeated */
#include "model/reader.h"

#include <math.h>
#include <string.h>

static bl_status keep(bl_reader *r, const bl_profile *made, const bl_profile **out) {
    bl_profile *profile;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, profile, 1));
    *profile = *made;
    *out = profile;
    return BL_OK;
}

/* ---- expressions */

static bl_status name_node(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest) {
    bl_reader *r = user;
    double value;
    (void)nearest;
    if (strcmp(name, "x") == 0) {
        *node = bl_tape_input(tape, 0);
        return BL_OK;
    }
    BL_TRY(bl_laws_evaluate(r, name, strlen(name), place, &value)); /* also refuses unknown names */
    *node = bl_tape_const(tape, value);
    return BL_OK;
}

static bl_status record(bl_reader *r, const bl_item *node, const char *what, bl_tape *tape) {
    const bl_expr_scope scope = {.user = r, .name = name_node};
    bl_index out;
    bl_tape_input(tape, 0);
    BL_TRY(bl_laws_parse(r, node, what, &scope, tape, &out));
    BL_TRY(bl_tape_output(tape, out));
    BL_TRY(bl_tape_finish(tape));
    if (!bl_tape_smooth(tape)) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be smooth: its derivatives are velocities and accelerations", what);
        bl_advise(r->ctx,
                  "write it as a list of segments ({over, rise, motion}) or as a table instead of using conditions, abs, min or max");
        return BL_E_MODEL;
    }
    if (bl_tape_series_work(tape, 2) > BL_PROFILE_WORK)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "the expression of %s is too long", what);
    return BL_OK;
}

static bl_status read_expression(bl_reader *r, const bl_item *node, const char *what, const bl_profile **out) {
    const bl_symbol x = {.what = BL_SYM_X};
    bl_tape *tape = NULL;
    bl_index law;
    BL_TRY(bl_tape_create(r->ctx, &tape));
    bl_status status = record(r, node, what, tape);
    if (status == BL_OK)
        status = bl_laws_keep(r, 1, &x, node->text, &node->place, tape, &law);
    if (status != BL_OK) {
        bl_tape_destroy(tape);
        return status;
    }
    return keep(r, &(bl_profile){.tape = tape}, out); /* the law owns the tape */
}

/* ---- segments */

static bl_status read_motion(bl_reader *r, const bl_item *node, int *motion) {
    const char *word;
    size_t n = 0;
    BL_TRY(bl_item_text(r, node, "motion", &word));
    for (; bl_profile_motions[n]; n++)
        if (strcmp(bl_profile_motions[n], word) == 0) {
            *motion = (int)n;
            return BL_OK;
        }
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "there is no motion '%s'", word);
    const char *nearest = bl_nearest(word, bl_profile_motions, n);
    if (nearest)
        bl_advise(r->ctx, "did you mean '%s'?", nearest);
    else
        bl_advise(r->ctx, "motions are cycloidal, 3-4-5, 4-5-6-7 and harmonic");
    return BL_E_MODEL;
}

static bl_status read_segments(bl_reader *r, const bl_item *list, const bl_profile **out) {
    static const char *const keys[] = {"over", "rise", "motion"};
    bl_profile_piece *piece;
    double from = 0, value = 0;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, piece, list->count));
    for (bl_index i = 0; i < list->count; i++) {
        const bl_item *entry = list->value[i], *over, *rise, *motion;
        double width, change = 0;
        int which = 0;
        BL_TRY(bl_item_map(r, entry, "a segment"));
        BL_TRY(bl_item_keys(r, entry, "a segment", keys, sizeof keys / sizeof *keys, NULL));
        BL_TRY(bl_item_need(r, entry, "a segment", "over", &over));
        BL_TRY(bl_item_number(r, over, "over", &width));
        BL_TRY(bl_item_range(r, &over->place, "over", BL_POSITIVE, width));
        if ((rise = bl_item_get(entry, "rise")))
            BL_TRY(bl_item_number(r, rise, "rise", &change));
        if ((motion = bl_item_get(entry, "motion")))
            BL_TRY(read_motion(r, motion, &which));
        bl_profile_rise(which, from, width, value, change, &piece[i]);
        from += width;
        value += change;
    }
    return keep(r, &(bl_profile){.npiece = list->count, .piece = piece, .period = from, .gain = value}, out);
}

/* ---- tables */

/* [[x, y], ...]; the columns in scratch memory */
static bl_status read_rows(bl_reader *r, const bl_item *list, const char *what, double **x, double **y) {
    BL_TRY(BL_ARENA_ARRAYS(&r->scratch, BL_ARRAY(*x, list->count), BL_ARRAY(*y, list->count)));
    for (bl_index i = 0; i < list->count; i++) {
        double row[2];
        BL_TRY(bl_item_numbers(r, list->value[i], what, 2, row));
        (*x)[i] = row[0];
        (*y)[i] = row[1];
    }
    return BL_OK;
}

static bl_status make_spline(bl_reader *r, bl_index n, const double *x, const double *y, bool periodic, const bl_profile **out) {
    bl_profile_piece *piece;
    double *work;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, piece, n - 1));
    BL_TRY(BL_ARENA_NEW(&r->scratch, work, 5 * n));
    bl_profile_spline(n, x, y, periodic, work, piece);
    bl_profile made = {.npiece = n - 1, .piece = piece};
    if (periodic) {
        made.period = x[n - 1] - x[0];
        made.gain = y[n - 1] - y[0];
    }
    return keep(r, &made, out);
}

static bl_status read_table(bl_reader *r, const bl_item *node, const char *what, bool periodic, const bl_profile **out) {
    const double *x, *y;
    double *own[2];
    bl_index n = node->count, least = periodic ? 4 : 2;
    if (node->kind == BL_ITEM_LIST) {
        BL_TRY(read_rows(r, node, what, &own[0], &own[1]));
        x = own[0];
        y = own[1];
    } else {
        const char *file;
        BL_TRY(bl_item_text(r, node, what, &file));
        BL_TRY(bl_source_table(r, file, &node->place, &n, &x, &y));
    }
    if (n < least)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s needs at least %d rows, found %d", what, (int)least, (int)n);
    for (bl_index i = 1; i < n; i++)
        if (!(x[i] > x[i - 1])) {
            bl_fail(r->ctx, BL_E_MODEL, node->kind == BL_ITEM_LIST ? &node->value[i]->place : &node->place,
                    "%s: the first column must increase, but %g follows %g", what, x[i], x[i - 1]);
            return BL_E_MODEL;
        }
    return make_spline(r, n, x, y, periodic, out);
}

/* ---- values of parameters */

bl_status bl_profile_read(bl_reader *r, const bl_item *node, const char *what, const bl_profile **out) {
    static const char *const keys[] = {"table", "periodic"};
    const bl_item *table, *flag;
    bool periodic = false;
    if (node->kind == BL_ITEM_LIST && node->count > 0)
        return node->value[0]->kind == BL_ITEM_MAP ? read_segments(r, node, out) : read_table(r, node, what, false, out);
    if (node->kind == BL_ITEM_MAP) {
        BL_TRY(bl_item_keys(r, node, what, keys, sizeof keys / sizeof *keys, NULL));
        BL_TRY(bl_item_need(r, node, what, "table", &table));
        if ((flag = bl_item_get(node, "periodic")))
            BL_TRY(bl_item_flag(r, flag, "periodic", &periodic));
        return read_table(r, table, what, periodic, out);
    }
    double number;
    if (node->kind == BL_ITEM_TEXT && (node->text[0] == '=' || bl_text_number(node->text, &number)))
        return read_expression(r, node, what, out);
    if (node->kind == BL_ITEM_TEXT)
        return read_table(r, node, what, false, out);
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s is empty", what);
    bl_advise(r->ctx, "give an expression of x, a list of segments ({over, rise, motion}) or the rows of a table ([x, y])");
    return BL_E_MODEL;
}

bl_status bl_curve_read(bl_reader *r, const bl_item *node, const char *what, const bl_profile *out[2]) {
    double *x, *y, *s;
    if (node->kind != BL_ITEM_LIST || node->count < 2)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be a list of at least two points: [[x, y], [x, y], ...]", what);
    bl_index n = node->count;
    BL_TRY(read_rows(r, node, what, &x, &y));
    BL_TRY(BL_ARENA_NEW(&r->scratch, s, n));
    for (bl_index i = 1; i < n; i++) {
        double chord = hypot(x[i] - x[i - 1], y[i] - y[i - 1]);
        if (!(chord > 0))
            return bl_fail(r->ctx, BL_E_MODEL, &node->value[i]->place, "%s: two points in succession are the same", what);
        s[i] = s[i - 1] + chord;
    }
    bool closed = x[0] == x[n - 1] && y[0] == y[n - 1];
    if (closed && n < 4)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s: a closed curve needs at least three different points", what);
    BL_TRY(make_spline(r, n, s, x, closed, &out[0]));
    return make_spline(r, n, s, y, closed, &out[1]);
}
