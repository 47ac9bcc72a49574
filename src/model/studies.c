/* Studies: options of `equilibrium`, `modes` and `inverse` in the file. Names are kept as text, with their positions in the file; the
 * study that uses a name resolves it, or reports an unknown name at that position. */
#include "model/reader.h"

#include <math.h>
#include <string.h>

enum { MOST_STARTS = 1000000, MOST_POINTS = 1000000 };

/* ---- values of a map; the value is unchanged if the key is absent */

static const bl_item *given(const bl_item *map, const char *key) {
    const bl_item *node = bl_item_get(map, key);
    return node && !bl_item_null(node) ? node : NULL;
}

static bl_status read_number(bl_reader *r, const bl_item *map, const char *key, uint32_t flags, double *value) {
    const bl_item *node = given(map, key);
    if (!node)
        return BL_OK;
    BL_TRY(bl_item_number(r, node, key, value));
    return bl_item_range(r, &node->place, key, flags, *value);
}

static bl_status read_count(bl_reader *r, const bl_item *map, const char *key, bl_index least, bl_index most, bl_index *value) {
    const bl_item *node = given(map, key);
    double number;
    if (!node)
        return BL_OK;
    BL_TRY(bl_item_number(r, node, key, &number));
    if (!(number >= least && number <= most) || number != floor(number))
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be an integer from %d to %d, found %g", key, (int)least, (int)most,
                       number);
    *value = (bl_index)number;
    return BL_OK;
}

static bl_status read_flag(bl_reader *r, const bl_item *map, const char *key, bool *value) {
    const bl_item *node = given(map, key);
    return node ? bl_item_flag(r, node, key, value) : BL_OK;
}

static bl_status read_name(bl_reader *r, const bl_item *map, const char *key, bl_named *name) {
    const bl_item *node = given(map, key);
    if (!node)
        return BL_OK;
    name->place = node->place;
    return bl_item_keep(r, node, key, &name->name);
}

typedef struct name_list {
    const char *what;
    bl_named *name;
    bl_index n;
} name_list;

static bl_status add_name(bl_reader *r, const bl_item *entry, void *user) {
    name_list *list = user;
    bl_named *name = &list->name[list->n++];
    name->place = entry->place;
    return bl_item_keep(r, entry, list->what, &name->name);
}

static bl_status read_names(bl_reader *r, const bl_item *map, const char *key, bl_index *n, bl_named **names) {
    const bl_item *node = given(map, key);
    if (!node)
        return BL_OK;
    bl_index count = 0;
    BL_TRY(bl_each_count(r, node, NULL, &count));
    name_list list = {.what = key, .name = bl_arena_alloc(&r->model->arena, (size_t)count, sizeof *list.name)};
    if (!list.name)
        return BL_E_MEMORY;
    BL_TRY(bl_each(r, node, NULL, add_name, &list));
    *n = list.n;
    *names = list.name;
    return BL_OK;
}

static bl_status need_name(bl_reader *r, const bl_item *map, const char *owner, const char *key, bl_named *name) {
    const bl_item *node;
    BL_TRY(bl_item_need(r, map, owner, key, &node));
    return read_name(r, map, key, name);
}

static bl_status read_path(bl_reader *r, const bl_item *map, bl_path_def **out) {
    static const char *const keys[] = {"parameter", "from", "to", "branches", "points"};
    const bl_item *node = given(map, "path"), *end;
    if (!node)
        return BL_OK;
    BL_TRY(bl_item_map(r, node, "path"));
    BL_TRY(bl_item_keys(r, node, "path", keys, sizeof keys / sizeof *keys, NULL));
    bl_path_def *path;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, path, 1));
    *path = (bl_path_def){0};
    BL_TRY(need_name(r, node, "path", "parameter", &path->parameter));
    BL_TRY(bl_item_need(r, node, "path", "from", &end));
    BL_TRY(bl_item_number(r, end, "from", &path->from));
    BL_TRY(bl_item_need(r, node, "path", "to", &end));
    BL_TRY(bl_item_number(r, end, "to", &path->to));
    if (path->from == path->to)
        return bl_fail(r->ctx, BL_E_MODEL, &end->place, "path: 'from' and 'to' must differ, both are %g", path->to);
    BL_TRY(read_flag(r, node, "branches", &path->branches));
    BL_TRY(read_count(r, node, "points", 2, MOST_POINTS, &path->points));
    *out = path;
    return BL_OK;
}

/* ---- the sections */

static bl_status read_equilibrium(bl_reader *r, const bl_item *map) {
    static const char *const keys[] = {"tolerance", "starts", "any", "hold", "path"};
    BL_TRY(bl_item_map(r, map, "equilibrium"));
    BL_TRY(bl_item_keys(r, map, "equilibrium", keys, sizeof keys / sizeof *keys, NULL));
    bl_equilibrium_def *e;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, e, 1));
    *e = (bl_equilibrium_def){.place = map->place};
    BL_TRY(read_number(r, map, "tolerance", BL_POSITIVE, &e->tolerance));
    BL_TRY(read_count(r, map, "starts", 0, MOST_STARTS, &e->starts));
    BL_TRY(read_flag(r, map, "any", &e->any));
    BL_TRY(read_names(r, map, "hold", &e->nhold, &e->hold));
    BL_TRY(read_path(r, map, &e->path));
    r->model->equilibrium = e;
    return BL_OK;
}

static bl_status read_linearize(bl_reader *r, const bl_item *map) {
    static const char *const keys[] = {"at", "inputs", "outputs", "path"};
    BL_TRY(bl_item_map(r, map, "linearize"));
    BL_TRY(bl_item_keys(r, map, "linearize", keys, sizeof keys / sizeof *keys, NULL));
    bl_linearize_def *l;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, l, 1));
    *l = (bl_linearize_def){.place = map->place};
    BL_TRY(read_name(r, map, "at", &l->at));
    BL_TRY(read_names(r, map, "inputs", &l->ninput, &l->input));
    BL_TRY(read_names(r, map, "outputs", &l->noutput, &l->output));
    BL_TRY(read_path(r, map, &l->path));
    r->model->linearize = l;
    return BL_OK;
}

static bl_status add_actuator(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"variable", "force", "weight", "limit"};
    bl_inverse_def *inverse = user;
    bl_actuator_def *a = &inverse->actuator[inverse->nactuator++];
    *a = (bl_actuator_def){.place = entry->place, .weight = NAN, .limit = NAN};
    if (entry->kind == BL_ITEM_TEXT) { /* a name alone is a variable */
        a->variable.place = entry->place;
        return bl_item_keep(r, entry, "actuator", &a->variable.name);
    }
    BL_TRY(bl_item_map(r, entry, "actuator"));
    BL_TRY(bl_item_keys(r, entry, "actuator", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(read_name(r, entry, "variable", &a->variable));
    BL_TRY(read_name(r, entry, "force", &a->force));
    if (!a->variable.name == !a->force.name) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "an actuator needs either 'variable' or 'force', found %s",
                a->force.name ? "both" : "neither");
        bl_advise(r->ctx, "write {variable: j1.angle} or {force: pusher}");
        return BL_E_MODEL;
    }
    BL_TRY(read_number(r, entry, "weight", BL_POSITIVE, &a->weight));
    return read_number(r, entry, "limit", BL_POSITIVE, &a->limit);
}

static bl_status read_columns(bl_reader *r, const bl_item *map, bl_inverse_def *inverse) {
    BL_TRY(bl_item_map(r, map, "columns"));
    BL_TRY(BL_ARENA_NEW(&r->model->arena, inverse->column, map->count));
    for (bl_index i = 0; i < map->count; i++) {
        bl_column_def *c = &inverse->column[inverse->ncolumn++];
        c->column.place = map->key[i]->place;
        c->quantity.place = map->value[i]->place;
        BL_TRY(bl_item_keep(r, map->key[i], "column", &c->column.name));
        BL_TRY(bl_item_keep(r, map->value[i], "columns", &c->quantity.name));
    }
    return BL_OK;
}

/* the table is read with the model, so that the list of files of the model is complete */
static bl_status read_motion(bl_reader *r, const bl_item *map, bl_inverse_def *inverse) {
    static const char *const keys[] = {"table", "columns", "noise"};
    BL_TRY(bl_item_map(r, map, "motion"));
    BL_TRY(bl_item_keys(r, map, "motion", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(need_name(r, map, "motion", "table", &inverse->table));
    BL_TRY(read_number(r, map, "noise", BL_NOT_NEGATIVE, &inverse->noise));
    const bl_item *columns = given(map, "columns");
    if (columns)
        BL_TRY(read_columns(r, columns, inverse));
    const char *path = bl_source_path(r, inverse->table.place.file, inverse->table.name);
    uint64_t id[2];
    if (!path || !(inverse->table.name = bl_arena_text(&r->model->arena, path, strlen(path))))
        return BL_E_MEMORY;
    return bl_source_load(r, &r->model->arena, path, &inverse->table.place, &inverse->table_text, &inverse->table_bytes, id);
}

static bl_status read_inverse(bl_reader *r, const bl_item *map) {
    static const char *const keys[] = {"actuators", "motion", "bounded"};
    BL_TRY(bl_item_map(r, map, "inverse"));
    BL_TRY(bl_item_keys(r, map, "inverse", keys, sizeof keys / sizeof *keys, NULL));
    bl_inverse_def *inverse;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, inverse, 1));
    *inverse = (bl_inverse_def){.place = map->place, .noise = NAN};
    const bl_item *actuators = given(map, "actuators"), *motion = given(map, "motion");
    bl_index count = 0;
    if (actuators) {
        BL_TRY(bl_each_count(r, actuators, NULL, &count));
        BL_TRY(BL_ARENA_NEW(&r->model->arena, inverse->actuator, count));
        BL_TRY(bl_each(r, actuators, NULL, add_actuator, inverse));
    }
    BL_TRY(read_flag(r, map, "bounded", &inverse->bounded));
    if (motion)
        BL_TRY(read_motion(r, motion, inverse));
    r->model->inverse = inverse;
    return BL_OK;
}

bl_status bl_read_studies(bl_reader *r) {
    const bl_item *equilibrium = bl_section_last(r, "equilibrium"), *linearize = bl_section_last(r, "linearize"),
                  *british = bl_section_last(r, "linearise"), *inverse = bl_section_last(r, "inverse");
    if (linearize && british)
        return bl_fail(r->ctx, BL_E_MODEL, &british->place, "linearize and linearise are the same section: keep one of them");
    if (british) /* models from before the key had its American spelling */
        linearize = british;
    if (equilibrium && !bl_item_null(equilibrium))
        BL_TRY(read_equilibrium(r, equilibrium));
    if (linearize && !bl_item_null(linearize))
        BL_TRY(read_linearize(r, linearize));
    return inverse && !bl_item_null(inverse) ? read_inverse(r, inverse) : BL_OK;
}
