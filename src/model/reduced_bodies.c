/* Bodies reduced to a few shapes relative to the frame of their first interface: meshed bodies with `coordinates: floating`, reduced while the
 * model is read, and files of bodies that were reduced before. */
#include "model/solid_reader.h"

#include "reduction/reduction.h"

#include <stdio.h>
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

bl_status bl_floating_body_read(bl_reader *r, const bl_item *entry) {
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
    BL_TRY(bl_names_add(r, &r->beams, "body", def.name, model->nelastic, &solid->place));
    BL_TRY(bl_read_interfaces(r, bl_item_get(entry, "interfaces"), &def, solid));
    BL_TRY(check_interfaces(r, entry, &def));
    BL_TRY(reduce(r, solid, &def, modes, stiffening));
    def.interface = NULL; /* of the mesh, which is not part of the model */
    *solid = (bl_solid){0};
    r->part = NULL;
    return bl_elastic_add(r, &def);
}
