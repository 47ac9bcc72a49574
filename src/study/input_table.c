/* Inputs over time: tables from callers and files, and the motion that follows them. Values are never summed: at the time of a row an input
 * has the value of that row. */
#include "study/input_table.h"

#include "base/sized.h"
#include "model/model.h"
#include "signal/signal.h"
#include "study/study.h"
#include "study/study_limits.h"
#include "study/table_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- names */

static bl_index find_input(const bl_model *model, const char *name) {
    bl_index signal;
    for (bl_index k = 0; (signal = bl_model_input(model, k)) >= 0; k++)
        if (strcmp(model->signal[signal].name, name) == 0)
            return k;
    return -1;
}

static bl_status unknown_input(bl_arena *arena, const bl_model *model, const bl_place *place, const char *name) {
    bl_context *ctx = arena->ctx;
    bl_status status = place ? BL_E_MODEL : BL_E_ARG;
    const char **list;
    bl_index n = 0, signal;
    BL_TRY(BL_ARENA_NEW(arena, list, (size_t)model->nsignal + 1));
    for (; (signal = bl_model_input(model, n)) >= 0; n++)
        list[n] = model->signal[signal].name;
    const char *near = bl_nearest(name, list, (size_t)n);
    if (bl_model_signal(model, name) >= 0)
        bl_fail(ctx, status, place, "'%s' is not an input of the model: only inputs are set from outside", name);
    else
        bl_fail(ctx, status, place, "the model has no input '%s'", name);
    if (near)
        bl_advise(ctx, "did you mean '%s'?", near);
    else if (n == 0)
        bl_advise(ctx, "it has no inputs: declare it in the model, `inputs: {NAME: 0}`");
    else
        bl_advise(ctx, "its inputs are %s%s%s%s%s", list[0], n > 1 ? ", " : "", n > 1 ? list[1] : "", n > 2 ? ", " : "",
                  n > 3   ? "..."
                  : n > 2 ? list[2]
                          : "");
    return status;
}

/* ---- from a file */

typedef struct input_file {
    bl_context *ctx;
    const bl_model *model;
    const char *file;
    bl_arena arena;
    char *text;
    char separator;
    bl_index n, ncolumn; /* rows; columns with time */
    const char **name;   /* [ncolumn] */
    double *t, *value;
} input_file;

static bl_status no_headings(const input_file *f, bl_place place) {
    bl_fail(f->ctx, BL_E_MODEL, &place, "a table of inputs must begin with a line of headings, found numbers");
    bl_advise(f->ctx, "write a line like `t, NAME` above the numbers, with the names of inputs of the model");
    return BL_E_MODEL;
}

static bl_status read_headings(input_file *f, const char *begin, const char *end, bl_place place) {
    const char *at = begin;
    bl_field_text field;
    double number;
    f->separator = bl_table_separator(begin, end);
    BL_TRY(BL_ARENA_NEW(&f->arena, f->name, BL_TABLE_COLUMNS));
    while (bl_table_field(&at, end, f->separator, &field)) {
        place.column = (int)(field.at - begin) + 1;
        if (bl_field_number(field, &number))
            return no_headings(f, place);
        if (f->ncolumn == BL_TABLE_COLUMNS)
            return bl_fail(f->ctx, BL_E_MODEL, &place, "the table has more than %d columns", BL_TABLE_COLUMNS);
        const char *name = bl_arena_text(&f->arena, field.at, field.length);
        if (!name)
            return BL_E_MEMORY;
        if (f->ncolumn == 0 && strcasecmp(name, "t") != 0 && strcasecmp(name, "time") != 0) {
            bl_fail(f->ctx, BL_E_MODEL, &place, "the first column of a table of inputs must be t or time, found '%s'", name);
            bl_advise(f->ctx, "write a line like `t, NAME` above the numbers, with the names of inputs of the model");
            return BL_E_MODEL;
        }
        if (f->ncolumn > 0 && find_input(f->model, name) < 0)
            return unknown_input(&f->arena, f->model, &place, name);
        for (bl_index k = 1; k < f->ncolumn; k++)
            if (strcmp(f->name[k], name) == 0)
                return bl_fail(f->ctx, BL_E_MODEL, &place, "the input '%s' has two columns", name);
        f->name[f->ncolumn++] = name;
    }
    if (f->ncolumn < 2)
        return bl_fail(f->ctx, BL_E_MODEL, &place, "the table has no column besides time");
    return BL_OK;
}

static bl_status not_a_number(const input_file *f, bl_place place, bl_index column, bl_field_text field) {
    if (field.length == 0) {
        bl_fail(f->ctx, BL_E_MODEL, &place, "column '%s' is empty in this line", f->name[column]);
        bl_advise(f->ctx, "every line needs a value of every input: leave out the line, or write the column as a table of its own");
    } else {
        bl_fail(f->ctx, BL_E_MODEL, &place, "column '%s' is not a finite number in this line", f->name[column]);
        if (f->separator != ',' && memchr(field.at, ',', field.length))
            bl_advise(f->ctx, "write decimals with a point");
    }
    return BL_E_MODEL;
}

static bl_status read_row(input_file *f, const char *begin, const char *end, bl_place place, bl_index row) {
    const char *at = begin;
    bl_field_text field;
    bl_index k = 0;
    for (; bl_table_field(&at, end, f->separator, &field); k++) {
        double number;
        if (k >= f->ncolumn)
            return bl_fail(f->ctx, BL_E_MODEL, &place, "this line has more fields than the %d headings", (int)f->ncolumn);
        place.column = (int)(field.at - begin) + 1;
        if (!bl_field_number(field, &number) || !isfinite(number))
            return not_a_number(f, place, k, field);
        if (f->t && k == 0)
            f->t[row] = number;
        else if (f->t)
            f->value[(size_t)row * (size_t)(f->ncolumn - 1) + (size_t)k - 1] = number;
    }
    place.column = 1;
    if (k < f->ncolumn)
        return bl_fail(f->ctx, BL_E_MODEL, &place, "this line has %d of %d fields", (int)k, (int)f->ncolumn);
    if (f->t && row > 0 && !(f->t[row] > f->t[row - 1]))
        return bl_fail(f->ctx, BL_E_MODEL, &place, "time must increase: %.9g follows %.9g", f->t[row], f->t[row - 1]);
    return BL_OK;
}

static bl_status read_rows(input_file *f, const char *start, const char *all, bl_place place) {
    const char *begin, *end;
    f->n = 0;
    for (; bl_table_line(&start, all, &place.line, &begin, &end); f->n++)
        BL_TRY(read_row(f, begin, end, place, f->n));
    return f->n > 0 ? BL_OK : bl_fail(f->ctx, BL_E_MODEL, &(bl_place){f->file, 0, 0}, "the table has headings but no numbers");
}

static bl_status read_inputs(input_file *f) {
    size_t bytes;
    const char *begin, *end;
    BL_TRY(bl_table_text_load(f->ctx, f->file, &f->text, &bytes));
    const char *text = f->text, *all = text + bytes;
    bl_place place = {f->file, 0, 1};
    BL_TRY(bl_table_text_begin(f->ctx, f->file, &text, all));
    if (!bl_table_line(&text, all, &place.line, &begin, &end))
        return bl_fail(f->ctx, BL_E_MODEL, &(bl_place){f->file, 0, 0}, "the table is empty");
    BL_TRY(read_headings(f, begin, end, place));
    BL_TRY(read_rows(f, text, all, place)); /* counts them */
    BL_TRY(BL_ARENA_ARRAYS(&f->arena, BL_ARRAY(f->t, f->n), BL_ARRAY(f->value, (size_t)f->n * (size_t)(f->ncolumn - 1))));
    return read_rows(f, text, all, place);
}

bl_status bl_inputs_read(bl_context *ctx, const bl_model *model, const char *file, bl_inputs *inputs) {
    input_file f = {.ctx = ctx, .model = model, .arena.ctx = ctx};
    if (!ctx || !model || !file || !inputs)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_inputs_read needs a context, a model, a file and a place for the table");
    BL_TRY(BL_FITS(ctx, bl_inputs, inputs));
    BL_CLEAR(bl_inputs, inputs);
    bl_status status = BL_OK;
    f.file = bl_arena_text(&f.arena, file, strlen(file));
    bl_arena *own = f.file ? bl_arena_alloc(&f.arena, 1, sizeof *own) : NULL;
    if (!own)
        status = BL_E_MEMORY;
    if (status == BL_OK)
        status = read_inputs(&f);
    bl_free(ctx, f.text);
    if (status != BL_OK) {
        bl_arena_destroy(&f.arena);
        return status;
    }
    *own = f.arena; /* it holds itself */
    bl_inputs made = {.n = f.n, .ninput = f.ncolumn - 1, .name = f.name + 1, .t = f.t, .value = f.value, .own = own};
    BL_GIVE(bl_inputs, inputs, &made);
    return BL_OK;
}

void bl_inputs_destroy(bl_context *ctx, bl_inputs *inputs) {
    (void)ctx;
    if (!inputs)
        return;
    if (inputs->own) {
        bl_arena arena = *(const bl_arena *)inputs->own;
        bl_arena_destroy(&arena);
    }
    BL_CLEAR(bl_inputs, inputs);
}

/* ---- from a caller */

bl_status bl_inputs_keep(bl_arena *arena, const bl_inputs *given, const bl_inputs **copy) {
    bl_inputs *own, from;
    const char **name;
    double *t, *value;
    *copy = NULL;
    if (!given)
        return BL_OK;
    BL_TRY(BL_TAKE(arena->ctx, bl_inputs, given, &from));
    if (from.n < 0 || from.ninput < 0 || (from.n > 0 && !from.t) || (from.ninput > 0 && (!from.name || !from.value)))
        return bl_fail(arena->ctx, BL_E_ARG, NULL, "a table of inputs needs names, times and values");
    size_t count = (size_t)from.n * (size_t)from.ninput;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(own, 1), BL_ARRAY(name, from.ninput), BL_ARRAY(t, from.n), BL_ARRAY(value, count)));
    for (bl_index k = 0; k < from.ninput; k++) {
        name[k] = from.name[k] ? bl_arena_text(arena, from.name[k], strlen(from.name[k])) : "";
        if (!name[k])
            return BL_E_MEMORY;
    }
    if (from.n > 0)
        memcpy(t, from.t, (size_t)from.n * sizeof *t);
    if (count > 0)
        memcpy(value, from.value, count * sizeof *value);
    *own = (bl_inputs){.size = sizeof *own, .n = from.n, .ninput = from.ninput, .name = name, .t = t, .value = value, .hold = from.hold};
    *copy = own;
    return BL_OK;
}

bl_status bl_inputs_refuse(bl_context *ctx, const bl_inputs *given, const char *function) {
    if (!given)
        return BL_OK;
    bl_fail(ctx, BL_E_ARG, NULL, "%s cannot follow a table of inputs", function);
    bl_advise(ctx, "bl_simulate and bl_stepper_create do");
    return BL_E_ARG;
}

static bl_status check_rows(bl_context *ctx, const bl_inputs *of) {
    for (bl_index i = 0; i < of->n; i++) {
        if (!isfinite(of->t[i]) || (i > 0 && !(of->t[i] > of->t[i - 1])))
            return bl_fail(ctx, BL_E_ARG, NULL, "times of inputs must increase: row %d has %.9g after %.9g", (int)i + 1, of->t[i],
                           i > 0 ? of->t[i - 1] : -INFINITY);
        for (bl_index k = 0; k < of->ninput; k++)
            if (!isfinite(of->value[(size_t)i * (size_t)of->ninput + (size_t)k]))
                return bl_fail(ctx, BL_E_ARG, NULL, "the value of input '%s' at t = %.9g is not finite", of->name[k], of->t[i]);
    }
    return BL_OK;
}

/* a driver cannot follow values that jump */
static bl_status check_held(bl_context *ctx, const bl_model *model, bl_index input, const char *name) {
    bl_index driver = bl_model_driver_reading(model, 0, bl_model_input(model, input));
    if (driver < 0)
        return BL_OK;
    bl_fail(ctx, BL_E_ARG, NULL, "the values of input '%s' cannot be held between rows: the driver of %s follows it, and cannot jump", name,
            model->variable[model->driver[driver].variable].name);
    bl_advise(ctx, "let it be linear between rows");
    return BL_E_ARG;
}

bl_status bl_input_table_create(bl_arena *arena, const bl_model *model, const bl_inputs *given, bl_input_table *table) {
    bl_context *ctx = arena->ctx;
    *table = (bl_input_table){0};
    if (!given)
        return BL_OK;
    bl_inputs *of = &table->of;
    BL_TRY(BL_TAKE(ctx, bl_inputs, given, of));
    if (of->n < 1 || of->ninput < 0 || !of->t || (of->ninput > 0 && (!of->name || !of->value)))
        return bl_fail(ctx, BL_E_ARG, NULL, "a table of inputs needs names, times and values, and at least one row");
    BL_TRY(BL_ARENA_NEW(arena, table->input, (size_t)of->ninput + 1));
    for (bl_index k = 0; k < of->ninput; k++) {
        const char *name = of->name[k] ? of->name[k] : "";
        table->input[k] = find_input(model, name);
        if (table->input[k] < 0)
            return unknown_input(arena, model, NULL, name);
        for (bl_index j = 0; j < k; j++)
            if (table->input[j] == table->input[k])
                return bl_fail(ctx, BL_E_ARG, NULL, "the input '%s' has two columns", name);
        if (of->hold)
            BL_TRY(check_held(ctx, model, table->input[k], name));
    }
    return check_rows(ctx, of);
}

bool bl_input_table_has(const bl_input_table *table, bl_index input) {
    for (bl_index k = 0; k < table->of.ninput; k++)
        if (table->input[k] == input)
            return true;
    return false;
}

/* ---- in motion */

/* the last row that is not after t; -1: all are */
static bl_index find_row(bl_index row, const bl_inputs *of, double t) {
    while (row >= 0 && of->t[row] > t)
        row--;
    while (row + 1 < of->n && of->t[row + 1] <= t)
        row++;
    return row;
}

/* input k from the time t in [t[row], t[row + 1]] on */
static void value_at(const bl_inputs *of, bl_index row, bl_index k, double t, double *value, double *rate) {
    const double *v = of->value + (size_t)(row < 0 ? 0 : row) * (size_t)of->ninput + (size_t)k;
    *value = *v;
    *rate = 0;
    if (of->hold || row < 0 || row + 1 >= of->n)
        return;
    *rate = (v[of->ninput] - v[0]) / (of->t[row + 1] - of->t[row]);
    *value += *rate * (t - of->t[row]);
}

/* positions at the start follow from the values of the model */
static bl_status check_start(const bl_input_table *table, const bl_model *model, const bl_system *sys, const bl_state *state, bl_index k,
                             double value) {
    double now = bl_signal_input(sys, state, table->input[k], *state->t, NULL);
    bl_index driver = bl_model_driver_reading(model, 0, bl_model_input(model, table->input[k]));
    if (driver < 0 || fabs(value - now) <= study_input_same * fmax(1, fabs(now)))
        return BL_OK;
    const char *variable = model->variable[model->driver[driver].variable].name;
    bl_fail(sys->ctx, BL_E_ARG, NULL, "the table of input '%s' begins with %.9g, but the driver of %s, which follows it, with %.9g",
            table->of.name[k], value, variable, now);
    bl_advise(sys->ctx, "give the first value in the model: `inputs: {%s: %.9g}`", table->of.name[k], value);
    bl_blame(sys->ctx, variable, "driver", *state->t);
    return BL_E_ARG;
}

bl_status bl_input_table_begin(const bl_input_table *table, const bl_model *model, const bl_system *sys, bl_state *state) {
    const bl_inputs *of = &table->of;
    double t = *state->t, value, rate;
    bl_index row = of->n > 0 ? find_row(-1, of, t) : -1;
    for (bl_index k = 0; k < of->ninput; k++) {
        value_at(of, row, k, t, &value, &rate);
        BL_TRY(check_start(table, model, sys, state, k, value));
        BL_TRY(bl_signal_set_input(sys, state, table->input[k], t, value, rate));
    }
    return of->ninput > 0 && bl_signal_drives(sys) && !model->rests ? bl_assemble_velocities(sys, model, state) : BL_OK;
}

static bl_status take_row(const bl_input_table *table, bl_simulation *sim, double t) {
    double before, value, rate, rate_now;
    bool differs = false;
    for (bl_index k = 0; k < table->of.ninput; k++) {
        value_at(&table->of, table->row, k, t, &value, &rate);
        differs = differs || bl_signal_input(sim->sys, &sim->state, table->input[k], t, &rate_now) != value || rate_now != rate;
    }
    if (!differs)
        return BL_OK;
    BL_TRY(bl_simulation_cut(sim, t));
    BL_TRY(bl_simulation_energy(sim, &before));
    BL_TRY(bl_percussion_before(sim));
    for (bl_index k = 0; k < table->of.ninput; k++) {
        value_at(&table->of, table->row, k, t, &value, &rate);
        BL_TRY(bl_signal_set_input(sim->sys, &sim->state, table->input[k], t, value, rate));
    }
    return bl_simulation_changed(sim, before);
}

bl_status bl_input_table_follow(bl_input_table *table, bl_simulation *sim) {
    const bl_inputs *of = &table->of;
    double t = *sim->state.t;
    if (of->n == 0)
        return BL_OK;
    table->row = find_row(table->row, of, t);
    sim->stop_at = table->row + 1 < of->n ? of->t[table->row + 1] : 0;
    return table->row >= 0 && of->t[table->row] == t ? take_row(table, sim, t) : BL_OK;
}
