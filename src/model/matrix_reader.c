/* Matrices: the section `matrices:`, a linear system without bodies,
 *
 *     order 2:  M d'' + C d' + K d = load(t)        order 1:  M y' = A y + load(t)
 *
 * A matrix is a list of rows, a number (times the identity), a diagonal, three diagonals, a Matrix Market file, or for C a sum a M + b K.
 * Values per row are a list, or one expression of the row number `i` = 1, 2, ... */
#include "model/reader.h"

#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MATRIX_M, MATRIX_C, MATRIX_K, MATRIX_A, NMATRIX, MOST_ROWS = 1000000 };
static const char *const matrix_name[NMATRIX] = {"M", "C", "K", "A"};

typedef struct entries { /* of one matrix, in any order */
    bl_index n, row_room, col_room, value_room;
    bl_index *row, *col;
    double *value;
} entries;

typedef struct section {
    const bl_item *map, *matrix[NMATRIX];
    bl_matrices *out;
    bl_matrix file[NMATRIX];
    entries made;
} section;

/* ---- one value per row */

typedef struct row_list {
    double *value;
    bl_index at;
    const char *what;
} row_list;

static bl_status add_value(bl_reader *r, const bl_item *entry, void *user) {
    row_list *list = user;
    return bl_item_number(r, entry, list->what, &list->value[list->at++]);
}

static bl_status check_count(bl_reader *r, const bl_item *list, const char *what, bl_index n) {
    bl_index count = 0;
    BL_TRY(bl_each_count(r, list, what, &count));
    if (count == n)
        return BL_OK;
    return bl_fail(r->ctx, BL_E_MODEL, &list->place, "%s must have %d entries, found %d", what, n, count);
}

static bool is_expression(const bl_item *node) { return node->kind == BL_ITEM_TEXT && node->text[0] == '='; }

static bl_status read_values(bl_reader *r, const bl_item *node, const char *what, bl_index n, double *value) {
    row_list list = {.value = value, .what = what};
    if (node->kind == BL_ITEM_LIST) {
        BL_TRY(check_count(r, node, what, n));
        return bl_each(r, node, what, add_value, &list);
    }
    for (bl_index i = 0; i < n; i++) {
        bl_binding binding = {.name = "i", .value = i + 1, .outer = r->binding};
        if (i > 0 && !is_expression(node)) {
            value[i] = value[0];
            continue;
        }
        r->binding = &binding;
        bl_status status = bl_item_number(r, node, what, &value[i]);
        r->binding = binding.outer;
        BL_TRY(status);
    }
    return BL_OK;
}

static bl_status scratch_values(bl_reader *r, const bl_item *node, const char *what, bl_index n, double **value) {
    *value = bl_arena_alloc(&r->scratch, (size_t)n, sizeof **value);
    return *value ? read_values(r, node, what, n, *value) : BL_E_MEMORY;
}

/* ---- matrices */

static bl_status add_entry(bl_reader *r, entries *made, bl_index row, bl_index col, double value) {
    if (value == 0)
        return BL_OK;
    BL_TRY(BL_RESERVE(r->ctx, made->row, made->row_room, made->n + 1));
    BL_TRY(BL_RESERVE(r->ctx, made->col, made->col_room, made->n + 1));
    BL_TRY(BL_RESERVE(r->ctx, made->value, made->value_room, made->n + 1));
    made->row[made->n] = row;
    made->col[made->n] = col;
    made->value[made->n++] = value;
    return BL_OK;
}

static bl_status add_square(bl_reader *r, entries *made, bl_index n, const bl_square *square, double factor) {
    for (bl_index j = 0; square->ptr && j < n; j++)
        for (bl_index k = square->ptr[j]; k < square->ptr[j + 1]; k++)
            BL_TRY(add_entry(r, made, square->idx[k], j, factor * square->value[k]));
    return BL_OK;
}

typedef struct dense {
    entries *made;
    const char *what;
    bl_index n, row, col;
} dense;

static bl_status add_number(bl_reader *r, const bl_item *entry, void *user) {
    dense *d = user;
    double value;
    BL_TRY(bl_item_number(r, entry, d->what, &value));
    return add_entry(r, d->made, d->row, d->col++, value);
}

static bl_status add_row(bl_reader *r, const bl_item *entry, void *user) {
    dense *d = user;
    char what[64];
    snprintf(what, sizeof what, "row %d of %s", d->row + 1, d->what);
    BL_TRY(check_count(r, entry, what, d->n));
    d->col = 0;
    BL_TRY(bl_each(r, entry, what, add_number, d));
    d->row++;
    return BL_OK;
}

static bl_status read_diagonal(bl_reader *r, const bl_item *node, const char *what, bl_index n, bl_index below, entries *made) {
    bl_index length = n - (below < 0 ? -below : below), down = below > 0 ? below : 0, right = below < 0 ? -below : 0;
    double *value;
    BL_TRY(scratch_values(r, node, what, length, &value));
    for (bl_index i = 0; i < length; i++)
        BL_TRY(add_entry(r, made, i + down, i + right, value[i]));
    return BL_OK;
}

static bl_status read_tridiagonal(bl_reader *r, const bl_item *map, const char *name, bl_index n, entries *made) {
    static const char *const keys[] = {"lower", "diagonal", "upper"};
    char what[64];
    snprintf(what, sizeof what, "the tridiagonal %s", name);
    BL_TRY(bl_item_map(r, map, what));
    BL_TRY(bl_item_keys(r, map, what, keys, 3, NULL));
    const bl_item *diagonal, *lower, *upper = bl_item_get(map, "upper");
    BL_TRY(bl_item_need(r, map, what, "diagonal", &diagonal));
    BL_TRY(bl_item_need(r, map, what, "lower", &lower));
    snprintf(what, sizeof what, "the diagonal of %s", name);
    BL_TRY(read_diagonal(r, diagonal, what, n, 0, made));
    snprintf(what, sizeof what, "the lower diagonal of %s", name);
    BL_TRY(read_diagonal(r, lower, what, n, 1, made));
    snprintf(what, sizeof what, "the upper diagonal of %s", name);
    return read_diagonal(r, upper ? upper : lower, what, n, -1, made);
}

/* the name of a file, or NULL */
static const bl_item *file_of(const bl_item *node) {
    double number;
    if (node->kind == BL_ITEM_MAP)
        return node->count == 1 ? bl_item_get(node, "file") : NULL;
    bool text = node->kind == BL_ITEM_TEXT && !bl_item_null(node) && node->text[0] != '=';
    return text && !(node->plain && bl_text_number(node->text, &number)) ? node : NULL;
}

static bl_status load_file(bl_reader *r, const bl_item *node, const char *name, bl_matrix *matrix) {
    const char *file, *path;
    BL_TRY(bl_item_text(r, node, name, &file));
    path = bl_source_path(r, node->place.file, file);
    if (!path)
        return BL_E_MEMORY;
    FILE *stream;
    struct stat facts;
    bl_status status = bl_files_open(r, path, &node->place, &stream, &facts);
    if (status == BL_OK) {
        status = bl_matrix_market_stream(r->ctx, stream, path, matrix);
        fclose(stream);
    }
    if (status == BL_E_FILE) { /* reported at the position in the model that names the file */
        bl_error kept = *bl_context_error(r->ctx);
        return bl_fail(r->ctx, BL_E_FILE, &node->place, "%s: %s", name, kept.what);
    }
    BL_TRY(status);
    if (!matrix->value)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s: the file %s contains only a sparsity pattern; it must contain numbers", name,
                       file);
    return BL_OK;
}

static bl_status read_rayleigh(bl_reader *r, section *s, const bl_item *node, entries *made) {
    double factor[2];
    BL_TRY(bl_item_numbers(r, node, "rayleigh", 2, factor));
    BL_TRY(add_square(r, made, s->out->n, &s->out->M, factor[0]));
    return add_square(r, made, s->out->n, &s->out->K, factor[1]);
}

static bl_status read_file(bl_reader *r, const bl_matrix *file, const char *name, bl_index n, const bl_place *place, entries *made) {
    const bl_pattern *pattern = &file->pattern;
    if (pattern->nrow != n || pattern->ncol != n)
        return bl_fail(r->ctx, BL_E_MODEL, place, "%s must be %d x %d, but its file has %d x %d", name, n, n, pattern->nrow, pattern->ncol);
    return add_square(r, made, n, &(bl_square){.ptr = pattern->ptr, .idx = pattern->idx, .value = file->value}, 1);
}

/* the entries of one matrix */
static bl_status read_matrix(bl_reader *r, section *s, int which, entries *made) {
    static const char *const keys[] = {"diagonal", "tridiagonal", "file", "rayleigh"};
    const bl_item *node = s->matrix[which];
    const char *name = matrix_name[which];
    bl_index n = s->out->n;
    if (file_of(node))
        return read_file(r, &s->file[which], name, n, &node->place, made);
    if (node->kind == BL_ITEM_LIST) {
        dense d = {.made = made, .what = name, .n = n};
        BL_TRY(check_count(r, node, name, n));
        return bl_each(r, node, name, add_row, &d);
    }
    if (node->kind == BL_ITEM_TEXT)
        return read_diagonal(r, node, name, n, 0, made);
    bool damping = which == MATRIX_C;
    BL_TRY(bl_item_keys(r, node, name, keys, damping ? 4 : 3, NULL));
    if (node->count != 1) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be given in exactly one form, found %d", name, node->count);
        bl_advise(r->ctx, "use a list of rows, or one of diagonal, tridiagonal%s and file", damping ? ", rayleigh" : "");
        return BL_E_MODEL;
    }
    const bl_item *form = node->value[0];
    char what[64];
    snprintf(what, sizeof what, "the diagonal of %s", name);
    return strcmp(node->key[0]->text, "diagonal") == 0      ? read_diagonal(r, form, what, n, 0, made)
           : strcmp(node->key[0]->text, "tridiagonal") == 0 ? read_tridiagonal(r, form, name, n, made)
                                                            : read_rayleigh(r, s, form, made);
}

/* entries to compressed columns in the model's arena */
static bl_status gather(bl_reader *r, bl_index n, entries *made, bl_square *out) {
    bl_arena *arena = &r->model->arena;
    bl_pattern pattern = {0};
    bl_index *slot;
    BL_TRY(BL_NEW(r->ctx, slot, made->n));
    bl_status status = bl_pattern_build(r->ctx, n, n, made->n, made->row, made->col, &pattern, slot);
    bl_index *ptr = NULL, *idx = NULL;
    double *value = NULL;
    if (status == BL_OK) {
        bl_index nonzeros = pattern.ptr[n];
        ptr = bl_arena_alloc(arena, (size_t)n + 1, sizeof *ptr);
        idx = bl_arena_alloc(arena, (size_t)nonzeros, sizeof *idx);
        value = bl_arena_alloc(arena, (size_t)nonzeros, sizeof *value);
        status = ptr && idx && value ? BL_OK : BL_E_MEMORY;
        if (status == BL_OK) {
            memcpy(ptr, pattern.ptr, ((size_t)n + 1) * sizeof *ptr);
            memcpy(idx, pattern.idx, (size_t)nonzeros * sizeof *idx);
            for (bl_index k = 0; k < made->n; k++)
                value[slot[k]] += made->value[k];
        }
    }
    bl_pattern_free(r->ctx, &pattern);
    bl_free(r->ctx, slot);
    *out = (bl_square){.ptr = ptr, .idx = idx, .value = value};
    return status;
}

static bl_square *square_of(bl_matrices *out, int which) {
    bl_square *const square[NMATRIX] = {&out->M, &out->C, &out->K, &out->A};
    return square[which];
}

static bl_status read_matrices(bl_reader *r, section *s) {
    static const int order[NMATRIX] = {MATRIX_M, MATRIX_K, MATRIX_A, MATRIX_C}; /* C may be computed from M and K */
    for (int k = 0; k < NMATRIX; k++) {
        int which = order[k];
        s->made.n = 0;
        if (s->matrix[which])
            BL_TRY(read_matrix(r, s, which, &s->made));
        else if (which == MATRIX_M)
            for (bl_index i = 0; i < s->out->n; i++)
                BL_TRY(add_entry(r, &s->made, i, i, 1));
        else
            continue;
        BL_TRY(gather(r, s->out->n, &s->made, square_of(s->out, which)));
    }
    return BL_OK;
}

/* ---- size */

static bl_status count_list(bl_reader *r, const bl_item *node, bl_index more, bl_index *n) {
    if (*n > 0 || !node || node->kind != BL_ITEM_LIST)
        return BL_OK;
    BL_TRY(bl_each_count(r, node, NULL, n));
    *n += more;
    return BL_OK;
}

static bl_status count_matrix(bl_reader *r, const section *s, int which, bl_index *n) {
    const bl_item *node = s->matrix[which];
    if (!node || *n > 0)
        return BL_OK;
    if (file_of(node)) {
        *n = s->file[which].pattern.nrow;
        return BL_OK;
    }
    BL_TRY(count_list(r, node, 0, n));
    BL_TRY(count_list(r, bl_item_get(node, "diagonal"), 0, n));
    const bl_item *three = bl_item_get(node, "tridiagonal");
    if (!three)
        return BL_OK;
    BL_TRY(count_list(r, bl_item_get(three, "diagonal"), 0, n));
    BL_TRY(count_list(r, bl_item_get(three, "lower"), 1, n));
    return count_list(r, bl_item_get(three, "upper"), 1, n);
}

static bl_status find_size(bl_reader *r, section *s) {
    const bl_item *size = bl_item_get(s->map, "size"), *initial = bl_item_get(s->map, "initial");
    bl_index n = 0, most = bl_reader_most(r, MOST_ROWS);
    if (size) {
        double value;
        BL_TRY(bl_item_number(r, size, "size", &value));
        if (!(value >= 1 && value <= most && value == floor(value)))
            return bl_fail(r->ctx, BL_E_MODEL, &size->place, "size must be an integer from 1 to %d, found %g", (int)most, value);
        n = (bl_index)value;
    }
    for (int k = 0; k < NMATRIX; k++)
        BL_TRY(count_matrix(r, s, k, &n));
    BL_TRY(count_list(r, bl_item_get(s->map, "load"), 0, &n));
    BL_TRY(count_list(r, initial, 0, &n));
    for (bl_index i = 0; initial && initial->kind == BL_ITEM_MAP && i < initial->count; i++)
        BL_TRY(count_list(r, initial->value[i], 0, &n));
    BL_TRY(count_list(r, bl_item_get(s->map, "names"), 0, &n));
    if (n == 0) {
        bl_fail(r->ctx, BL_E_MODEL, &s->map->place, "the number of unknowns of matrices is not given");
        bl_advise(r->ctx, "give 'size', or a matrix as a list of rows");
        return BL_E_MODEL;
    }
    if (n > most)
        return bl_fail(r->ctx, BL_E_MODEL, &s->map->place, "matrices have %d unknowns, but at most %d are allowed", n, (int)most);
    s->out->n = n;
    return BL_OK;
}

/* ---- names: the unknowns are the variables of the model */

typedef struct name_list {
    bl_index at;
} name_list;

static bl_status add_variable(bl_reader *r, const char *name, const bl_place *place, bl_index at) {
    const char *rate = bl_arena_printf(&r->model->arena, "%s_rate", name);
    if (!rate)
        return BL_E_MEMORY;
    BL_TRY(bl_symbols_reserved(r, name, "an unknown", place));
    if (bl_names_find(&r->parameters, name) >= 0 || bl_names_find(&r->parameters, rate) >= 0) {
        bl_fail(r->ctx, BL_E_MODEL, place, "'%s' is the name of both a parameter and an unknown", name);
        bl_advise(r->ctx, "give the unknowns other 'names'");
        return BL_E_MODEL;
    }
    BL_TRY(bl_names_add(r, &r->variables, "unknown", name, 2 * at, place));
    BL_TRY(bl_names_add(r, &r->variables, "unknown", rate, 2 * at + 1, place));
    r->model->variable[at] = (bl_variable){.name = name, .joint = -1};
    return BL_OK;
}

static bl_status add_name(bl_reader *r, const bl_item *entry, void *user) {
    name_list *list = user;
    const char *name;
    BL_TRY(bl_item_keep(r, entry, "a name", &name));
    return add_variable(r, name, &entry->place, list->at++);
}

static bl_status read_names(bl_reader *r, const section *s) {
    bl_model *model = r->model;
    bl_index n = s->out->n;
    const bl_item *names = bl_item_get(s->map, "names");
    model->variable = bl_arena_alloc(&model->arena, (size_t)n, sizeof *model->variable);
    r->seen = bl_arena_alloc(&r->scratch, (size_t)n, sizeof *r->seen);
    if (!model->variable || !r->seen)
        return BL_E_MEMORY;
    model->nvariable = n;
    if (names && names->kind == BL_ITEM_LIST) {
        BL_TRY(check_count(r, names, "names", n));
        return bl_each(r, names, "names", add_name, &(name_list){0});
    }
    const char *stem = s->out->order == 2 ? "d" : "y";
    if (names)
        BL_TRY(bl_item_text(r, names, "names", &stem));
    for (bl_index i = 0; i < n; i++) {
        const char *name = bl_arena_printf(&model->arena, "%s%d", stem, i + 1);
        if (!name)
            return BL_E_MEMORY;
        BL_TRY(add_variable(r, name, names ? &names->place : &s->map->place, i));
    }
    return BL_OK;
}

/* ---- load */

typedef struct load_list {
    section *s;
    bl_index at;
} load_list;

static bl_status add_load(bl_reader *r, const bl_item *node, bl_matrices *out, bl_index row) {
    bl_index law;
    double value;
    char what[64];
    snprintf(what, sizeof what, "the load of row %d", row + 1);
    BL_TRY(bl_laws_read(r, node, what, BL_USE_TIME, &law, &value));
    if (law < 0 || isfinite(value))
        out->load[row] = value;
    else
        out->law[out->nlaw++] = (bl_row_load){.row = row, .law = law};
    return BL_OK;
}

static bl_status next_load(bl_reader *r, const bl_item *entry, void *user) {
    load_list *list = user;
    return add_load(r, entry, list->s->out, list->at++);
}

/* a row by its number or by the name of its unknown */
static bl_status row_of(bl_reader *r, const bl_item *key, bl_index n, bl_index *row) {
    double value;
    bool rate;
    *row = bl_symbols_variable(r, key->text, &rate);
    if (*row >= 0 && !rate)
        return BL_OK;
    if (key->plain && bl_text_number(key->text, &value) && value >= 1 && value <= n && value == floor(value)) {
        *row = (bl_index)value - 1;
        return BL_OK;
    }
    bl_fail(r->ctx, BL_E_MODEL, &key->place, "load: '%s' is neither a row number from 1 to %d nor the name of an unknown", key->text, n);
    bl_names_advise(r, key->text, (const bl_names *const[]){&r->variables, NULL});
    return BL_E_MODEL;
}

static bl_status read_load_map(bl_reader *r, const bl_item *map, bl_matrices *out) {
    bool *given;
    BL_TRY(BL_ARENA_NEW(&r->scratch, given, out->n));
    for (bl_index k = 0; k < map->count; k++) {
        bl_index row;
        BL_TRY(row_of(r, map->key[k], out->n, &row));
        if (given[row])
            return bl_fail(r->ctx, BL_E_MODEL, &map->key[k]->place, "load: row %d is given twice", row + 1);
        given[row] = true;
        BL_TRY(add_load(r, map->value[k], out, row));
    }
    return BL_OK;
}

static bl_status read_load(bl_reader *r, section *s) {
    const bl_item *node = bl_item_get(s->map, "load");
    bl_matrices *out = s->out;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, out->load, out->n));
    if (!node || bl_item_null(node))
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, out->law, out->n));
    if (node->kind == BL_ITEM_MAP)
        return read_load_map(r, node, out);
    if (node->kind == BL_ITEM_LIST) {
        BL_TRY(check_count(r, node, "load", out->n));
        return bl_each(r, node, "load", next_load, &(load_list){.s = s});
    }
    for (bl_index i = 0; i < out->n; i++) {
        bl_binding binding = {.name = "i", .value = i + 1, .outer = r->binding};
        r->binding = &binding;
        bl_status status = add_load(r, node, out, i);
        r->binding = binding.outer;
        BL_TRY(status);
    }
    return BL_OK;
}

/* ---- start and scale */

static bl_status read_start(bl_reader *r, section *s) {
    static const char *const second[] = {"positions", "velocities"}, *const first[] = {"values"};
    const bl_item *node = bl_item_get(s->map, "initial"), *scale = bl_item_get(s->map, "scale");
    bl_matrices *out = s->out;
    bl_arena *arena = &r->model->arena;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(out->position, out->n), BL_ARRAY(out->velocity, out->n), BL_ARRAY(out->scale, out->n)));
    const bl_item *positions = node, *velocities = NULL;
    if (node && node->kind == BL_ITEM_MAP) {
        BL_TRY(bl_item_keys(r, node, "initial of matrices", out->order == 2 ? second : first, out->order == 2 ? 2 : 1, NULL));
        positions = bl_item_get(node, out->order == 2 ? "positions" : "values");
        velocities = bl_item_get(node, "velocities");
    }
    if (positions && !bl_item_null(positions))
        BL_TRY(read_values(r, positions, "initial positions", out->n, out->position));
    if (velocities && !bl_item_null(velocities))
        BL_TRY(read_values(r, velocities, "initial velocities", out->n, out->velocity));
    for (bl_index i = 0; i < out->n; i++)
        out->scale[i] = 1;
    if (!scale || bl_item_null(scale))
        return BL_OK;
    BL_TRY(read_values(r, scale, "scale", out->n, out->scale));
    for (bl_index i = 0; i < out->n; i++)
        BL_TRY(bl_item_range(r, &scale->place, "scale", BL_POSITIVE, out->scale[i]));
    return BL_OK;
}

/* ---- the section */

static bl_status find_order(bl_reader *r, section *s) {
    const bl_item *node = bl_item_get(s->map, "order");
    double order = s->matrix[MATRIX_A] ? 1 : 2;
    if (node)
        BL_TRY(bl_item_number(r, node, "order", &order));
    if (order != 1 && order != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "order must be 1 or 2, found %g", order);
    s->out->order = (int)order;
    for (int k = MATRIX_C; k <= MATRIX_A; k++)
        if (s->matrix[k] && (k == MATRIX_A) != (order == 1)) {
            bl_fail(r->ctx, BL_E_MODEL, &s->matrix[k]->place, "%s cannot be used in a system of order %g", matrix_name[k], order);
            bl_advise(r->ctx, "order 2: M d'' + C d' + K d = load; order 1: M y' = A y + load");
            return BL_E_MODEL;
        }
    return BL_OK;
}

static bl_status refuse_bodies(bl_reader *r) {
    static const char *const others[] = {"bodies",      "joints",  "drivers", "forces", "probes",      "measure",
                                         "independent", "initial", "gravity", "points", "coordinates", "stops"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const bl_item *node = bl_section_last(r, others[k]);
        if (node && !bl_item_null(node)) {
            bl_fail(r->ctx, BL_E_MODEL, &node->place, "'%s' cannot be used together with 'matrices'", others[k]);
            bl_advise(r->ctx, strcmp(others[k], "initial") == 0 ? "write 'initial' inside 'matrices'"
                              : strcmp(others[k], "stops") == 0 ? "write a contact of the unknown: `contacts: [{gap: =d1 - 0.1}]`"
                                                                : "a model has either bodies or matrices");
            return BL_E_MODEL;
        }
    }
    return BL_OK;
}

static bl_status read_section(bl_reader *r, section *s) {
    static const char *const keys[] = {"order", "size", "M", "C", "K", "A", "load", "initial", "names", "scale"};
    BL_TRY(bl_item_map(r, s->map, "matrices"));
    BL_TRY(bl_item_keys(r, s->map, "matrices", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(refuse_bodies(r));
    for (int k = 0; k < NMATRIX; k++) {
        const bl_item *node = bl_item_get(s->map, matrix_name[k]);
        s->matrix[k] = node && !bl_item_null(node) ? node : NULL;
        if (s->matrix[k] && file_of(s->matrix[k]))
            BL_TRY(load_file(r, file_of(s->matrix[k]), matrix_name[k], &s->file[k]));
    }
    BL_TRY(find_order(r, s));
    BL_TRY(find_size(r, s));
    BL_TRY(read_matrices(r, s));
    BL_TRY(read_names(r, s));
    BL_TRY(read_load(r, s));
    return read_start(r, s);
}

bl_status bl_read_matrices(bl_reader *r) {
    section s = {.map = bl_section_last(r, "matrices")};
    if (!s.map)
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, s.out, 1));
    s.out->place = s.map->place;
    r->model->matrices = s.out;
    bl_status status = read_section(r, &s);
    for (int k = 0; k < NMATRIX; k++)
        bl_matrix_free(r->ctx, &s.file[k]);
    bl_free(r->ctx, s.made.row);
    bl_free(r->ctx, s.made.col);
    bl_free(r->ctx, s.made.value);
    return status == BL_OK ? bl_matrix_contacts(r) : status;
}
