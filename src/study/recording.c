/* Measured motions: reads tables, finds columns, smooths them. Messages name line and column; only headings of the file are quoted. */
#include "study/recording.h"

#include "study/table_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct table {
    bl_context *ctx;
    const bl_model *model;
    bl_recording *rec;
    char separator;
    bl_field_text *heading;
    bl_index nheading, time; /* column of time */
    bl_index *use;           /* [nheading] recorded column, -1: ignored */
    const bl_column_def *map;
    bl_index nmap;
} table;

/* ---- headings */

static bl_status read_headings(table *t, const char *begin, const char *end, bl_place place) {
    t->separator = bl_table_separator(begin, end);
    BL_TRY(BL_ARENA_ARRAYS(&t->rec->arena, BL_ARRAY(t->heading, BL_TABLE_COLUMNS), BL_ARRAY(t->use, BL_TABLE_COLUMNS)));
    const char *at = begin;
    bl_field_text f;
    double value;
    while (bl_table_field(&at, end, t->separator, &f)) {
        if (bl_field_number(f, &value)) {
            bl_fail(t->ctx, BL_E_MODEL, &place, "the table of a measured motion must begin with a line of headings, found numbers");
            bl_advise(t->ctx, "write a line like `time, A.angle` above the numbers");
            return BL_E_MODEL;
        }
        if (t->nheading == BL_TABLE_COLUMNS)
            return bl_fail(t->ctx, BL_E_MODEL, &place, "the table has more than %d columns", BL_TABLE_COLUMNS);
        t->use[t->nheading] = -1;
        t->heading[t->nheading++] = f;
    }
    return BL_OK;
}

/* "P.x": probe and component; the name of a probe may contain dots */
static bool find_probe(const bl_model *model, const char *name, bl_index *probe, int *part) {
    const char *dot = strrchr(name, '.');
    if (!dot || !dot[1] || dot[2] || !strchr("xyz", dot[1]))
        return false;
    char base[96];
    snprintf(base, sizeof base, "%.*s", (int)(dot - name), name);
    *probe = bl_model_probe(model, base);
    *part = dot[1] - 'x';
    return *probe >= 0 && *part < model->dim;
}

/* whether the name is a quantity that can be measured; fills the column */
static bool find_quantity(const bl_model *model, const char *name, bl_recorded *c) {
    c->variable = bl_model_variable(model, name);
    return c->variable >= 0 || find_probe(model, name, &c->probe, &c->part);
}

static bl_status add_column(table *t, bl_index at, const bl_recorded *found) {
    bl_recording *rec = t->rec;
    for (bl_index k = 0; k < rec->ncolumn; k++) {
        const bl_recorded *other = &rec->column[k];
        bool twice = found->variable >= 0 ? other->variable == found->variable
                                          : other->variable < 0 && other->probe == found->probe && other->part == found->part;
        if (twice)
            return bl_fail(t->ctx, BL_E_MODEL, &(bl_place){rec->file, 1, 1}, "columns '%s' and '%.*s' measure the same quantity",
                           other->heading, (int)t->heading[at].length, t->heading[at].at);
    }
    t->use[at] = rec->ncolumn;
    rec->column[rec->ncolumn] = *found;
    rec->column[rec->ncolumn].heading = bl_arena_text(&rec->arena, t->heading[at].at, t->heading[at].length);
    return rec->column[rec->ncolumn++].heading ? BL_OK : BL_E_MEMORY;
}

static bl_index heading_of(const table *t, const char *name) {
    for (bl_index i = 0; i < t->nheading; i++)
        if (bl_field_is(t->heading[i], name))
            return i;
    return -1;
}

static bl_status advise_headings(table *t, bl_status status) {
    char list[200] = "";
    for (bl_index i = 0; i < t->nheading && strlen(list) + t->heading[i].length + 3 < sizeof list; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.*s", i ? ", " : "", (int)t->heading[i].length, t->heading[i].at);
    bl_advise(t->ctx, "its headings are: %s", list);
    return status;
}

static bool means_time(const char *name) { return strcasecmp(name, "t") == 0 || strcasecmp(name, "time") == 0; }

static bl_status map_column(table *t, const bl_column_def *def) {
    bl_recorded found = {.variable = -1, .probe = -1};
    bl_index at = heading_of(t, def->column.name);
    if (at < 0) {
        bl_fail(t->ctx, BL_E_MODEL, &def->column.place, "the table %s has no column '%s'", t->rec->file, def->column.name);
        return advise_headings(t, BL_E_MODEL);
    }
    if (means_time(def->quantity.name)) {
        t->time = at;
        return BL_OK;
    }
    if (!find_quantity(t->model, def->quantity.name, &found)) {
        bl_fail(t->ctx, BL_E_MODEL, &def->quantity.place, "'%s' is neither a variable nor a coordinate of a probe", def->quantity.name);
        bl_advise(t->ctx, "a column contains a variable (A.angle), a coordinate of a probe (P.x) or time");
        return BL_E_MODEL;
    }
    return add_column(t, at, &found);
}

static bl_status find_columns(table *t, bl_place place) {
    bl_recording *rec = t->rec;
    BL_TRY(BL_ARENA_NEW(&rec->arena, rec->column, t->nheading));
    t->time = -1;
    for (bl_index k = 0; k < t->nmap; k++)
        BL_TRY(map_column(t, &t->map[k]));
    for (bl_index i = 0; i < t->nheading && t->time < 0; i++) {
        char name[8];
        snprintf(name, sizeof name, "%.*s", t->heading[i].length < 7 ? (int)t->heading[i].length : 7, t->heading[i].at);
        t->time = t->use[i] < 0 && means_time(name) ? i : -1;
    }
    for (bl_index i = 0; i < t->nheading && t->nmap == 0; i++) {
        char name[160];
        bl_recorded found = {.variable = -1, .probe = -1};
        snprintf(name, sizeof name, "%.*s", t->heading[i].length < 159 ? (int)t->heading[i].length : 159, t->heading[i].at);
        if (i != t->time && find_quantity(t->model, name, &found))
            BL_TRY(add_column(t, i, &found));
    }
    if (t->time < 0) {
        bl_fail(t->ctx, BL_E_MODEL, &place, "the table has no time column: one heading must be t or time");
        return advise_headings(t, BL_E_MODEL);
    }
    if (rec->ncolumn == 0) {
        bl_fail(t->ctx, BL_E_MODEL, &place, "no column of the table is a variable of the model or a coordinate of a probe");
        return advise_headings(t, BL_E_MODEL);
    }
    return BL_OK;
}

/* ---- numbers */

static bl_status read_row(table *t, const char *begin, const char *end, bl_place place, bl_index row, bool keep) {
    bl_recording *rec = t->rec;
    const char *at = begin;
    bl_field_text f;
    bl_index i = 0;
    for (; bl_table_field(&at, end, t->separator, &f); i++) {
        double value;
        if (i >= t->nheading)
            return bl_fail(t->ctx, BL_E_MODEL, &place, "this line has more fields than the %d headings", (int)t->nheading);
        if (i != t->time && t->use[i] < 0)
            continue;
        place.column = (int)(f.at - begin) + 1;
        if (f.length == 0) {
            bl_fail(t->ctx, BL_E_MODEL, &place, "column '%.*s' is empty in this line", (int)t->heading[i].length, t->heading[i].at);
            bl_advise(t->ctx, "remove lines with gaps: times need not be equally spaced");
            return BL_E_MODEL;
        }
        if (!bl_field_number(f, &value) || !isfinite(value))
            return bl_fail(t->ctx, BL_E_MODEL, &place, "column '%.*s' is not a finite number in this line", (int)t->heading[i].length,
                           t->heading[i].at);
        if (!keep)
            continue;
        if (i == t->time)
            rec->t[row] = value;
        else
            rec->y[(size_t)t->use[i] * (size_t)rec->n + (size_t)row] = value;
    }
    if (i < t->nheading) {
        place.column = 0;
        return bl_fail(t->ctx, BL_E_MODEL, &place, "this line has %d fields, but there are %d headings", (int)i, (int)t->nheading);
    }
    if (keep && row > 0 && !(rec->t[row] > rec->t[row - 1]))
        return bl_fail(t->ctx, BL_E_MODEL, &place, "time must increase: %.9g follows %.9g", rec->t[row], rec->t[row - 1]);
    return BL_OK;
}

static bl_status read_rows(table *t, const char *start, const char *all, bl_place place, bool keep) {
    const char *begin, *end;
    bl_index row = 0;
    for (; bl_table_line(&start, all, &place.line, &begin, &end); row++)
        BL_TRY(read_row(t, begin, end, place, row, keep));
    t->rec->n = row;
    if (row < BL_RECORDING_LEAST) {
        place.line = place.column = 0;
        return bl_fail(t->ctx, BL_E_MODEL, &place, "%s has %d rows of numbers, but a smooth curve needs at least %d", t->rec->file,
                       (int)row, BL_RECORDING_LEAST);
    }
    return BL_OK;
}

static bl_status read_table(table *t, const char *text, size_t bytes) {
    bl_recording *rec = t->rec;
    const char *all = text + bytes, *begin, *end;
    bl_place place = {rec->file, 0, 1};
    BL_TRY(bl_table_text_begin(t->ctx, rec->file, &text, all));
    if (!bl_table_line(&text, all, &place.line, &begin, &end))
        return bl_fail(t->ctx, BL_E_MODEL, &(bl_place){rec->file, 0, 0}, "%s is empty", rec->file);
    BL_TRY(read_headings(t, begin, end, place));
    BL_TRY(find_columns(t, place));
    BL_TRY(read_rows(t, text, all, place, false));
    BL_TRY(BL_NEW(t->ctx, rec->t, (size_t)rec->n));
    BL_TRY(BL_NEW(t->ctx, rec->y, (size_t)rec->n * (size_t)rec->ncolumn));
    return read_rows(t, text, all, place, true);
}

bl_status bl_recording_create(bl_context *ctx, const bl_model *model, const char *file, const char *text, size_t bytes,
                              const bl_column_def *map, bl_index nmap, double noise, bl_recording **out) {
    bl_recording *rec;
    *out = NULL;
    BL_TRY(BL_NEW(ctx, rec, 1));
    *out = rec;
    rec->ctx = rec->arena.ctx = ctx;
    rec->file = file;
    table t = {.ctx = ctx, .model = model, .rec = rec, .map = map, .nmap = nmap};
    BL_TRY(read_table(&t, text, bytes));
    for (bl_index k = 0; k < rec->ncolumn; k++)
        BL_TRY(bl_smoothed_create(ctx, rec->n, rec->t, rec->y + (size_t)k * (size_t)rec->n, noise, &rec->column[k].curve));
    return BL_OK;
}

void bl_recording_destroy(bl_recording *rec) {
    if (!rec)
        return;
    for (bl_index k = 0; k < rec->ncolumn; k++)
        bl_smoothed_destroy(&rec->column[k].curve);
    bl_free(rec->ctx, rec->t);
    bl_free(rec->ctx, rec->y);
    bl_arena_destroy(&rec->arena);
    bl_free(rec->ctx, rec);
}
