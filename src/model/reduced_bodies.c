/* Bodies reduced to a few shapes relative to the frame of their first interface: meshed bodies with `coordinates: floating`, reduced
 * while the model is read, and files of bodies that were reduced before. */
#include "model/solid_reader.h"

#include "reduction/reduction.h"

#include <math.h>
#include <string.h>

/* ---- meshed bodies */

bl_status bl_floating_wanted(bl_reader *r, const bl_item *entry, bool *floating) {
    static const char *const of_floating[] = {"modes", "stiffening"};
    const bl_item *coordinates = bl_item_get(entry, "coordinates");
    const char *word;
    *floating = false;
    if (coordinates && !bl_item_null(coordinates)) {
        BL_TRY(bl_item_text(r, coordinates, "coordinates", &word));
        *floating = strcmp(word, "floating") == 0;
        if (!*floating) {
            bl_fail(r->ctx, BL_E_MODEL, &coordinates->place, "a meshed body cannot have the coordinates '%s'", word);
            bl_advise(r->ctx,
                      "omit them: its coordinates are the positions of its nodes; or write `coordinates: floating` with `modes: 4` to "
                      "reduce it to a few shapes");
            return BL_E_MODEL;
        }
    }
    for (int k = 0; k < 2 && !*floating; k++) {
        const bl_item *item = bl_item_get(entry, of_floating[k]);
        if (!item || bl_item_null(item))
            continue;
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "'%s' can only be used with `coordinates: floating`", of_floating[k]);
        return BL_E_MODEL;
    }
    return BL_OK;
}

static bl_status read_modes(bl_reader *r, const bl_item *entry, const bl_solid *solid, bl_index *modes) {
    const bl_item *item;
    double number, most = (double)solid->mesh.nnode * r->model->dim;
    BL_TRY(bl_item_need(r, entry, solid->name, "modes", &item));
    BL_TRY(bl_item_number(r, item, "modes", &number));
    if (!(number >= 0) || number != (double)(long)number)
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, "modes must be an integer of at least 0, found %g", number);
    if (number > most)
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s cannot have %g modes: its mesh has %g unknowns", solid->name, number, most);
    *modes = (bl_index)number;
    return BL_OK;
}

static bl_status read_stiffening(bl_reader *r, const bl_item *entry, bool *stiffening) {
    const bl_item *item = bl_item_get(entry, "stiffening");
    const char *word;
    *stiffening = false;
    if (!item || bl_item_null(item))
        return BL_OK;
    BL_TRY(bl_item_text(r, item, "stiffening", &word));
    *stiffening = strcmp(word, "linear") == 0;
    if (*stiffening || strcmp(word, "none") == 0)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "stiffening: unknown value '%s'", word);
    bl_advise(r->ctx, "accepted values: none, linear (by the stresses of the shapes)");
    return BL_E_MODEL;
}

static bl_status check_interfaces(bl_reader *r, const bl_item *entry, const bl_elastic_def *def) {
    if (def->nframe == 0) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s has no interfaces, but a body with `coordinates: floating` moves with its first one",
                def->name);
        bl_advise(r->ctx, "add `interfaces: [{name: root, set: SET}]`");
        return BL_E_MODEL;
    }
    for (bl_index i = 0; i < def->nframe; i++)
        if (!def->interface[i].rigid) {
            bl_fail(r->ctx, BL_E_MODEL, &def->interface[i].place,
                    "the interface '%s' is of kind average, but those of a body with `coordinates: floating` must be rigid",
                    r->model->body[def->frame + i].name);
            return BL_E_MODEL;
        }
    return BL_OK;
}

static bl_status reduce(bl_reader *r, const bl_solid *solid, bl_elastic_def *def, bl_index modes, bool stiffening) {
    double(*center)[3];
    const char **name;
    size_t own = strlen(def->name) + 1;
    BL_TRY(BL_ARENA_ARRAYS(&r->scratch, BL_ARRAY(center, def->nframe), BL_ARRAY(name, def->nframe)));
    for (bl_index i = 0; i < def->nframe; i++) {
        const bl_body *frame = &r->model->body[def->frame + i];
        memcpy(center[i], frame->center, sizeof center[i]);
        name[i] = frame->name + own;
    }
    bl_reduction ask = {.nframe = def->nframe,
                        .interface = def->interface,
                        .center = (const double(*)[3])center,
                        .name = name,
                        .nmode = modes,
                        .stiffening = stiffening};
    return bl_reduce_mesh(r->ctx, &r->model->arena, r->model, solid, &ask, &def->floating);
}

static bl_status read_floating(bl_reader *r, const bl_item *entry) {
    bl_model *model = r->model;
    bl_solid *solid;
    bl_index modes = 0;
    bool stiffening;
    r->solids->reducing = true;
    bl_status status = bl_solid_read_body(r, r->solids, entry, &solid);
    r->solids->reducing = false;
    BL_TRY(status);
    r->part = solid->name;
    bl_elastic_def def = {.name = solid->name, .place = solid->place, .what = BL_ELASTIC_FLOATING, .body = -1, .frame = model->nbody};
    BL_TRY(read_modes(r, entry, solid, &modes));
    BL_TRY(read_stiffening(r, entry, &stiffening));
    BL_TRY(bl_solid_check_body(r, entry, solid));
    if (bl_names_find(&r->bodies, def.name) >= 0)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "duplicate name: there is already a body '%s'", def.name);
    BL_TRY(bl_names_add(r, &r->beams, "body", def.name, model->nelastic, &solid->place));
    BL_TRY(bl_read_interfaces(r, bl_item_get(entry, "interfaces"), &def, solid));
    BL_TRY(check_interfaces(r, entry, &def));
    BL_TRY(reduce(r, solid, &def, modes, stiffening));
    def.interface = NULL; /* of the mesh, whose nodes are not coordinates */
    bl_solid *kept;
    BL_TRY(BL_ARENA_NEW(&model->arena, kept, 1));
    BL_TRY(bl_elastic_add(r, &def));
    *kept = *solid;
    def.floating->solid = kept;
    *solid = (bl_solid){0};
    r->part = NULL;
    return BL_OK;
}

bl_status bl_floating_body_read(bl_reader *r, const bl_item *entry) {
    bl_solid *solid = &r->model->solid[r->model->nsolid]; /* borrowed from those of the model */
    bl_status status = read_floating(r, entry);
    if (status != BL_OK) {
        bl_mesh_destroy(&solid->mesh);
        *solid = (bl_solid){0};
    }
    return status;
}

/* ---- files (study/reduce.c) */

typedef struct file {
    const bl_item *root;
    bl_floating_def *def;
    bl_elastic_def *elastic;
    int dim, per; /* motions of an interface */
    bl_index inner;
} file;

static bl_status wrong_length(bl_reader *r, const bl_item *item, const char *what, bl_index expected) {
    if (item->kind == BL_ITEM_LIST && item->count == expected)
        return BL_OK;
    return bl_fail(r->ctx, BL_E_MODEL, &item->place, "the file of a reduced body is damaged: %s must be a list of %d numbers", what,
                   (int)expected);
}

/* exactly n finite numbers, not expressions */
static bl_status read_numbers(bl_reader *r, const bl_item *item, const char *what, bl_index n, double *value) {
    BL_TRY(wrong_length(r, item, what, n));
    for (bl_index i = 0; i < n; i++)
        if (item->value[i]->kind != BL_ITEM_TEXT || !bl_text_number(item->value[i]->text, &value[i]) || !isfinite(value[i]))
            return bl_fail(r->ctx, BL_E_MODEL, &item->value[i]->place,
                           "the file of a reduced body is damaged: an entry of %s is not a number", what);
    return BL_OK;
}

static bl_status need_numbers(bl_reader *r, const file *f, const char *key, bl_index n, double *value) {
    const bl_item *item;
    BL_TRY(bl_item_need(r, f->root, "a reduced body", key, &item));
    return read_numbers(r, item, key, n, value);
}

static bl_status check_symmetric(bl_reader *r, const file *f, const char *what, bl_index n, const double *A) {
    for (bl_index i = 0; i < n; i++)
        for (bl_index k = 0; k < i; k++)
            if (A[i * n + k] != A[k * n + i])
                return bl_fail(r->ctx, BL_E_MODEL, &f->root->place, "the file of a reduced body is damaged: %s is not symmetric", what);
    return BL_OK;
}

static bl_status read_frame(bl_reader *r, const file *f, const bl_item *item, bl_index number, const bl_place *place) {
    static const char *const keys[] = {"name", "at", "shape"};
    bl_model *model = r->model;
    bl_body *body = &model->body[model->nbody];
    const bl_item *name, *at, *shape;
    const char *word;
    BL_TRY(bl_item_map(r, item, "an interface"));
    BL_TRY(bl_item_keys(r, item, "an interface", keys, 3, NULL));
    BL_TRY(bl_item_need(r, item, "an interface", "name", &name));
    BL_TRY(bl_item_need(r, item, "an interface", "at", &at));
    BL_TRY(bl_item_text(r, name, "name", &word));
    *body = (bl_body){.place = *place, .what = BL_BODY_FRAME, .elastic = model->nelastic};
    if (!(body->name = bl_arena_printf(&model->arena, "%.90s.%.90s", f->elastic->name, word)))
        return BL_E_MEMORY;
    BL_TRY(read_numbers(r, at, "at", f->dim, body->center));
    BL_TRY(bl_names_add(r, &r->bodies, "body", body->name, model->nbody, place));
    model->nbody++;
    if (number == 0)
        return BL_OK;
    bl_floating_end *end = &f->def->end[number - 1];
    BL_TRY(bl_item_need(r, item, "an interface", "shape", &shape));
    BL_TRY(BL_ARENA_NEW(&model->arena, end->shape, f->per * f->def->n));
    return read_numbers(r, shape, "shape", f->per * f->def->n, end->shape);
}

static bl_status read_frames(bl_reader *r, file *f, const bl_place *place) {
    const bl_item *list;
    BL_TRY(bl_item_need(r, f->root, "a reduced body", "interfaces", &list));
    if (list->kind != BL_ITEM_LIST || list->count < 1)
        return bl_fail(r->ctx, BL_E_MODEL, &list->place, "the file of a reduced body is damaged: it has no interfaces");
    BL_TRY(bl_bodies_reserve(r, r->model->nbody + list->count));
    BL_TRY(BL_ARENA_NEW(&r->model->arena, f->def->end, list->count));
    f->elastic->nframe = list->count;
    for (bl_index i = 0; i < list->count; i++)
        BL_TRY(read_frame(r, f, list->value[i], i, place));
    return BL_OK;
}

static bl_status read_shapes(bl_reader *r, file *f) {
    bl_arena *arena = &r->model->arena;
    const bl_item *names;
    BL_TRY(bl_item_need(r, f->root, "a reduced body", "shapes", &names));
    if (names->kind != BL_ITEM_LIST)
        return wrong_length(r, names, "shapes", 0);
    size_t n = (size_t)names->count, inner = 1 + (size_t)f->dim * (1 + n);
    f->def->n = names->count;
    f->inner = (bl_index)inner;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(f->def->mass, inner * inner), BL_ARRAY(f->def->stiffness, n * n), BL_ARRAY(f->def->scale, n),
                           BL_ARRAY(f->def->name, n)));
    for (bl_index i = 0; i < names->count; i++)
        BL_TRY(bl_item_keep(r, names->value[i], "a shape", &f->def->name[i]));
    return BL_OK;
}

static bl_status read_matrices(bl_reader *r, file *f) {
    bl_floating_def *def = f->def;
    bl_index n = def->n;
    BL_TRY(need_numbers(r, f, "scale", n, def->scale));
    BL_TRY(need_numbers(r, f, "damping", 2, def->damping));
    BL_TRY(need_numbers(r, f, "mass", f->inner * f->inner, def->mass));
    BL_TRY(need_numbers(r, f, "stiffness", n * n, def->stiffness));
    BL_TRY(check_symmetric(r, f, "mass", f->inner, def->mass));
    BL_TRY(check_symmetric(r, f, "stiffness", n, def->stiffness));
    for (bl_index i = 0; i < n; i++)
        if (!(def->scale[i] > 0))
            return bl_fail(r->ctx, BL_E_MODEL, &f->root->place, "the file of a reduced body is damaged: scales must be positive");
    if (!(def->mass[0] > 0))
        return bl_fail(r->ctx, BL_E_MODEL, &f->root->place, "the file of a reduced body is damaged: its mass must be positive");
    if (!bl_item_get(f->root, "stiffening"))
        return BL_OK;
    BL_TRY(BL_ARENA_ARRAYS(&r->model->arena, BL_ARRAY(def->flexibility, n * n), BL_ARRAY(def->stiffening, n * n * n)));
    BL_TRY(need_numbers(r, f, "flexibility", n * n, def->flexibility));
    BL_TRY(need_numbers(r, f, "stiffening", n * n * n, def->stiffening));
    BL_TRY(check_symmetric(r, f, "flexibility", n, def->flexibility));
    for (bl_index j = 0; j < n; j++)
        BL_TRY(check_symmetric(r, f, "stiffening", n, def->stiffening + j * n * n));
    return BL_OK;
}

static bl_status open_file(bl_reader *r, const bl_item *item, file *f) {
    static const char *const keys[] = {"reduced_body", "version", "dimension", "interfaces",  "shapes",    "scale",
                                       "damping",      "mass",    "stiffness", "flexibility", "stiffening"};
    const char *name;
    bl_item *root;
    double version, dimension;
    const bl_item *of_version, *of_dimension;
    BL_TRY(bl_item_text(r, item, "reduced", &name));
    const char *path = bl_source_path(r, item->place.file, name);
    if (!path)
        return BL_E_MEMORY;
    BL_TRY(bl_source_tree(r, path, &item->place, &root));
    if (!root || root->kind != BL_ITEM_MAP || !bl_item_get(root, "reduced_body")) {
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "the file is not a reduced body");
        bl_advise(r->ctx, "write one with `biela reduce MODEL -o FILE.json`");
        return BL_E_MODEL;
    }
    f->root = root;
    BL_TRY(bl_item_keys(r, root, "a reduced body", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_item_need(r, root, "a reduced body", "version", &of_version));
    BL_TRY(bl_item_number(r, of_version, "version", &version));
    if (version != 1)
        return bl_fail(r->ctx, BL_E_MODEL, &of_version->place, "version %g of a reduced body is not known: this program reads version 1",
                       version);
    BL_TRY(bl_item_need(r, root, "a reduced body", "dimension", &of_dimension));
    BL_TRY(bl_item_number(r, of_dimension, "dimension", &dimension));
    if (dimension != r->model->dim)
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, "the reduced body has dimension %g, but the model has %d", dimension,
                       r->model->dim);
    return BL_OK;
}

bl_status bl_reduced_body_read(bl_reader *r, const bl_item *entry) {
    static const char *const keys[] = {"name", "reduced"};
    bl_model *model = r->model;
    bl_elastic_def def = {.place = entry->place, .what = BL_ELASTIC_FLOATING, .body = -1, .frame = model->nbody};
    file f = {.elastic = &def, .dim = model->dim, .per = model->dim == 3 ? 6 : 3};
    const bl_item *name;
    BL_TRY(bl_item_keys(r, entry, "a reduced body", keys, 2, NULL));
    BL_TRY(bl_item_need(r, entry, "a body", "name", &name));
    BL_TRY(bl_item_keep(r, name, "name", &def.name));
    r->part = def.name;
    if (bl_names_find(&r->bodies, def.name) >= 0)
        return bl_fail(r->ctx, BL_E_MODEL, &name->place, "duplicate name: there is already a body '%s'", def.name);
    BL_TRY(bl_names_add(r, &r->beams, "body", def.name, model->nelastic, &name->place));
    BL_TRY(BL_ARENA_NEW(&model->arena, def.floating, 1));
    f.def = def.floating;
    BL_TRY(open_file(r, bl_item_get(entry, "reduced"), &f));
    BL_TRY(read_shapes(r, &f));
    BL_TRY(read_frames(r, &f, &entry->place));
    BL_TRY(read_matrices(r, &f));
    r->part = NULL;
    return bl_elastic_add(r, &def);
}
