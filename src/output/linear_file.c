/* Matrices of a linearized mechanism as files: a script for Octave and MATLAB, JSON, Matrix Market (R. F. Boisvert, R. Pozo,
 * K. A. Remington, The Matrix Market exchange formats, NISTIR 5935, 1996: array real general, by columns). */
#include "base/linearized.h"
#include "base/sized.h"
#include "output/text_file.h"

#include <stdio.h>
#include <string.h>

typedef struct table {
    char letter;
    const double *entry;
    bl_index rows, columns;
    const char *row_word, *column_word;
    const char *const *row, *const *column;
} table;

enum { NTABLE = 4 };

static void tables(const bl_linear_model *lin, table t[NTABLE]) {
    t[0] = (table){'A', lin->A, lin->nstate, lin->nstate, "state", "state", lin->state, lin->state};
    t[1] = (table){'B', lin->B, lin->nstate, lin->ninput, "state", "input", lin->state, lin->input};
    t[2] = (table){'C', lin->C, lin->noutput, lin->nstate, "output", "state", lin->output, lin->state};
    t[3] = (table){'D', lin->D, lin->noutput, lin->ninput, "output", "input", lin->output, lin->input};
}

static double entry(const table *t, bl_index i, bl_index j) { return t->entry[(size_t)i + (size_t)t->rows * (size_t)j]; }

/* ---- Octave and MATLAB */

static void put_names(bl_text_file *to, const char *variable, const char *const *name, bl_index count) {
    bl_put(to, "%s%s", variable, count ? " = {" : " = cell(0, 1);\n");
    for (bl_index i = 0; i < count; i++) {
        bl_put(to, "%s", i ? "; " : "");
        bl_put_quoted(to, name[i]);
    }
    bl_put(to, "%s", count ? "};\n" : "");
}

static void put_script_matrix(bl_text_file *to, const table *t) {
    if (t->rows == 0 || t->columns == 0) {
        bl_put(to, "%c = zeros(%d, %d);\n", t->letter, t->rows, t->columns);
        return;
    }
    bl_put(to, "%c = [\n", t->letter);
    for (bl_index i = 0; i < t->rows; i++) {
        for (bl_index j = 0; j < t->columns; j++) {
            bl_put(to, "%s%g", j ? ", " : "  ", entry(t, i, j));
        }
        bl_put(to, "\n");
    }
    bl_put(to, "];\n");
}

static void write_script(bl_text_file *to, const bl_linear_model *lin, const table *t) {
    bl_put(to,
           "%% Linearized mechanism, x' = A x + B u, y = C x + D u; x, u, y are deviations from the linearization point (SI units, rad).\n"
           "%% With a control package (Octave: pkg load control):\n"
           "%%   sys = ss(A, B, C, D); set(sys, 'StateName', states, 'InputName', inputs, 'OutputName', outputs)\n");
    put_names(to, "states", lin->state, lin->nstate);
    put_names(to, "inputs", lin->input, lin->ninput);
    put_names(to, "outputs", lin->output, lin->noutput);
    for (int k = 0; k < NTABLE; k++)
        put_script_matrix(to, &t[k]);
}

/* ---- JSON */

void bl_linear_json(const bl_linear_model *given, bl_json *json) {
    bl_linear_model own, *lin = &own;
    bl_status status = BL_TAKE(json->ctx, bl_linear_model, given, lin);
    if (status != BL_OK) {
        json->status = json->status == BL_OK ? status : json->status;
        return;
    }
    table t[NTABLE];
    tables(lin, t);
    bl_json_texts(json, "states", lin->state, lin->nstate);
    bl_json_texts(json, "inputs", lin->input, lin->ninput);
    bl_json_texts(json, "outputs", lin->output, lin->noutput);
    for (int k = 0; k < NTABLE; k++) {
        bl_json_open(json, (char[]){t[k].letter, '\0'}, '[');
        for (bl_index i = 0; i < t[k].rows; i++) {
            bl_json_open(json, NULL, '[');
            for (bl_index j = 0; j < t[k].columns; j++)
                bl_json_number(json, NULL, entry(&t[k], i, j));
            bl_json_close(json, ']');
        }
        bl_json_close(json, ']');
    }
}

static bl_status write_json(bl_context *ctx, bl_text_file *to, const bl_linear_model *lin) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_linear_json(lin, &json);
    bl_json_close(&json, '}');
    bl_status status = json.status;
    if (status == BL_OK)
        bl_put(to, "%s\n", json.text);
    bl_json_destroy(&json);
    return status;
}

/* ---- Matrix Market */

static void put_comments(bl_text_file *to, const char *what, const char *word, const char *const *name, bl_index count) {
    for (bl_index i = 0; i < count; i++) {
        bl_put(to, "%% %s %d: %s ", what, i + 1, word);
        for (const char *c = name[i]; *c; c++) /* newlines in names would end the comment */
            bl_put(to, "%c", (unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c);
        bl_put(to, "\n");
    }
}

static void write_market(bl_text_file *to, const table *t) {
    bl_put(to, "%%%%MatrixMarket matrix array real general\n%% %c of a linearized mechanism, x' = A x + B u, y = C x + D u\n", t->letter);
    put_comments(to, "row", t->row_word, t->row, t->rows);
    put_comments(to, "column", t->column_word, t->column, t->columns);
    bl_put(to, "%d %d\n", t->rows, t->columns);
    for (bl_index j = 0; j < t->columns; j++)
        for (bl_index i = 0; i < t->rows; i++) {
            bl_put(to, "%g\n", entry(t, i, j));
        }
}

/* ---- files */

typedef enum form { NONE, SCRIPT, JSON, MARKET } form;

static bool ends(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n > m && path[n - m - 1] != '/' && strcmp(path + n - m, ending) == 0;
}

static form form_of(const char *path) {
    return ends(path, ".m") ? SCRIPT : ends(path, ".json") ? JSON : ends(path, ".mtx") ? MARKET : NONE;
}

bl_index bl_linear_file(const char *path, bl_index k, char *file, size_t size) {
    form f = path ? form_of(path) : NONE;
    if (f == MARKET && k >= 0 && k < NTABLE)
        snprintf(file, size, "%.*s.%c.mtx", (int)(strlen(path) - strlen(".mtx")), path, "ABCD"[k]);
    else if (size > 0)
        snprintf(file, size, "%s", f != NONE && k == 0 ? path : "");
    return f == NONE ? 0 : f == MARKET ? NTABLE : 1;
}

/* all files are complete before the first one is renamed */
static bl_status write_files(bl_context *ctx, const bl_linear_model *lin, const char *path, char *name, size_t size) {
    table t[NTABLE];
    bl_text_file to[NTABLE];
    bl_index n = bl_linear_file(path, 0, name, size), made = 0;
    form f = form_of(path);
    bl_status status = BL_OK;
    tables(lin, t);
    while (made < n && status == BL_OK) {
        bl_linear_file(path, made, name, size);
        status = bl_text_file_create(ctx, name, &to[made]);
        if (status != BL_OK)
            break;
        status = bl_text_file_open(&to[made++], n == 1);
        if (status != BL_OK)
            break;
        if (f == SCRIPT)
            write_script(&to[0], lin, t);
        else if (f == JSON)
            status = write_json(ctx, &to[0], lin);
        else
            write_market(&to[made - 1], &t[made - 1]);
        if (status == BL_OK)
            status = bl_target_check(&to[made - 1].target);
    }
    for (bl_index k = 0; k < made; k++) {
        bl_status closed = bl_text_file_close(&to[k], status == BL_OK);
        if (status == BL_OK)
            status = closed;
        bl_text_file_destroy(&to[k]);
    }
    return status;
}

bl_status bl_linear_write(bl_context *ctx, const bl_linear_model *given, const char *path) {
    bl_linear_model own, *lin = given ? &own : NULL;
    BL_TRY(BL_TAKE(ctx, bl_linear_model, given, &own));
    BL_TRY(bl_linear_check(ctx, lin));
    if (!path || form_of(path) == NONE) {
        bl_fail(ctx, BL_E_ARG, NULL, "matrices cannot be written to '%s': the ending is not a known format", path ? path : "");
        bl_advise(ctx, "choose a name that ends in .m (Octave, MATLAB), .json or .mtx (Matrix Market)");
        return BL_E_ARG;
    }
    char *name;
    size_t size = strlen(path) + 8;
    BL_TRY(BL_NEW(ctx, name, size));
    bl_status status = write_files(ctx, lin, path, name, size);
    bl_free(ctx, name);
    return status;
}
