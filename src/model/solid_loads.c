/* Solids: `supports:`, `loads:`, `masses:`, their probes and initial fields. */
#include "model/model_limits.h"
#include "model/solid_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef bl_solid_reader solids;

static bl_status find_solid(bl_reader *r, solids *s, const bl_item *entry, bl_index *which) {
    const bl_item *body = bl_item_get(entry, "body"), *item = body ? body : bl_item_get(entry, "field");
    const char *name;
    *which = 0;
    if (!item && r->model->nsolid == 1)
        return BL_OK;
    if (!item)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the model has %d bodies and fields: give `body: NAME` or `field: NAME`",
                       (int)r->model->nsolid);
    BL_TRY(bl_item_text(r, item, "body", &name));
    *which = bl_names_find(&s->solids, name);
    if (*which >= 0)
        return BL_OK;
    if (bl_names_find(&s->reduced, name) >= 0) {
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "'%s' is reduced to the motions of its interfaces: loads cannot act on its mesh", name);
        bl_advise(r->ctx, "use `forces` on one of its interfaces, or omit `coordinates: floating`");
        return BL_E_MODEL;
    }
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "there is no meshed body or field '%s'", name);
    bl_names_advise(r, name, (const bl_names *const[]){&s->solids, NULL});
    return BL_E_MODEL;
}

/* a node by its number */
static bl_status find_node(bl_reader *r, const bl_solid *solid, const bl_item *item, bl_index *node) {
    double number;
    BL_TRY(bl_item_number(r, item, "node", &number));
    *node = -1;
    for (bl_index i = 0; i < solid->mesh.nnode && *node < 0; i++)
        if ((double)(solid->mesh.label ? solid->mesh.label[i] : i + 1) == number)
            *node = i;
    if (*node >= 0)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s has no node %g", solid->name, number);
    if (solid->mesh.label)
        bl_advise(r->ctx, "nodes of the mesh file that belong to no element are left out");
    return BL_E_MODEL;
}

/* the node at a point */
static bl_status node_at(bl_reader *r, const bl_solid *solid, const bl_item *item, bl_index *node) {
    double at[3] = {0}, least = INFINITY;
    BL_TRY(bl_item_point(r, item, "at", at));
    for (bl_index i = 0; i < solid->mesh.nnode; i++) {
        double d = hypot(hypot(solid->mesh.x[i][0] - at[0], solid->mesh.x[i][1] - at[1]), solid->mesh.x[i][2] - at[2]);
        if (d < least) {
            least = d;
            *node = i;
        }
    }
    if (least <= model_node_near * fmax(1, hypot(hypot(at[0], at[1]), at[2])))
        return BL_OK;
    return bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s has no node at (%g, %g, %g): the nearest is %.3g away", solid->name, at[0], at[1],
                   at[2], least);
}

/* where: set, node or at */
static bl_status read_where(bl_reader *r, const bl_item *entry, const bl_solid *solid, bl_set_what what, const bl_mesh_set **set,
                            bl_index *node) {
    const bl_item *named = bl_item_get(entry, "set"), *number = bl_item_get(entry, "node"), *at = bl_item_get(entry, "at");
    *set = NULL;
    *node = -1;
    if ((named != NULL) + (number != NULL) + (at != NULL) > 1)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "give only one of 'set', 'node' and 'at'");
    if ((number || at) && what != BL_SET_NODES)
        return bl_fail(r->ctx, BL_E_MODEL, &(number ? number : at)->place, "this load needs a 'set' of %s, not a node", bl_set_kind(what));
    if (named)
        return bl_solid_find_set(r, solid, named, what, set);
    if (number)
        return find_node(r, solid, number, node);
    return at ? node_at(r, solid, at, node) : BL_OK;
}

static const char *const component_words[] = {"x", "y", "z"};

static bl_status read_support(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"body", "field", "set", "node", "at", "x", "y", "z", "all", "value"};
    solids *s = user;
    bl_model *model = r->model;
    bl_support base = {.place = entry->place, .node = -1};
    BL_TRY(bl_item_map(r, entry, "a support"));
    BL_TRY(bl_item_keys(r, entry, "a support", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(find_solid(r, s, entry, &base.solid));
    const bl_solid *solid = &model->solid[base.solid];
    BL_TRY(read_where(r, entry, solid, BL_SET_NODES, &base.set, &base.node));
    if (!base.set && base.node < 0)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "a support needs 'set', 'node' or 'at' (a point)");
    int parts = solid->strain ? model->dim : 1, given = 0;
    const bl_item *all = bl_item_get(entry, solid->strain ? "all" : "value");
    for (int c = 0; c < 3; c++) {
        const bl_item *item = bl_item_get(entry, component_words[c]);
        if (item && (c >= parts || !solid->strain))
            return bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s has no component %s", solid->name, component_words[c]);
        if (!item)
            item = c < parts ? all : NULL;
        if (!item)
            continue;
        bl_support *support = &model->support[model->nsupport++];
        *support = base;
        support->part = c;
        given++;
        BL_TRY(bl_number_laws_read(r, item, component_words[c], BL_USE_TIME | BL_USE_POSITION, 1, &support->value));
    }
    if (given == 0)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place,
                       solid->strain ? "a support needs components, for example `x: 0`, `y: 0` or `all: 0`"
                                     : "a support of a field needs 'value'");
    return BL_OK;
}

typedef struct load_word {
    const char *word;
    bl_solid_load_what what;
    bl_set_what on;
    bool body, field, everywhere; /* for bodies; for fields; may be given without a set */
    int laws;                     /* 0: one for each component */
} load_word;
static const load_word load_words[] = {
    {"traction", BL_LOAD_TRACTION, BL_SET_FACES, true, false, false, 0},
    {"normal", BL_LOAD_NORMAL, BL_SET_FACES, true, false, false, 1},
    {"pressure", BL_LOAD_PRESSURE, BL_SET_FACES, true, false, false, 1},
    {"body_force", BL_LOAD_VOLUME, BL_SET_ELEMENTS, true, false, true, 0},
    {"acceleration", BL_LOAD_MASS, BL_SET_ELEMENTS, true, false, true, 0},
    {"force", BL_LOAD_NODE, BL_SET_NODES, true, false, false, 0},
    {"temperature", BL_LOAD_TEMPERATURE, BL_SET_NODES, true, false, true, 1},
    {"flux", BL_LOAD_FLUX, BL_SET_FACES, false, true, false, 1},
    {"film", BL_LOAD_FILM, BL_SET_FACES, false, true, false, 2},
    {"source", BL_LOAD_VOLUME, BL_SET_ELEMENTS, false, true, true, 1},
    {"inflow", BL_LOAD_NODE, BL_SET_NODES, false, true, false, 1},
};
enum { LOAD_WORDS = sizeof load_words / sizeof *load_words };

/* temperature: {field: NAME}, a field whose mesh has the same nodes */
static bl_status read_field_of(bl_reader *r, solids *s, const bl_item *item, const bl_solid *solid, bl_index *field) {
    const bl_item *name;
    const char *text;
    BL_TRY(bl_item_keys(r, item, "a temperature", (const char *const[]){"field"}, 1, NULL));
    BL_TRY(bl_item_need(r, item, "a temperature", "field", &name));
    BL_TRY(bl_item_text(r, name, "field", &text));
    bl_index which = bl_names_find(&s->solids, text);
    if (which < 0 || r->model->solid[which].strain) {
        bl_fail(r->ctx, BL_E_MODEL, &name->place, "there is no field '%s'", text);
        bl_names_advise(r, text, (const bl_names *const[]){&s->solids, NULL});
        return BL_E_MODEL;
    }
    const bl_mesh *a = &solid->mesh, *b = &r->model->solid[which].mesh;
    bl_index node = 0;
    double size = 0;
    for (bl_index i = 0; i < a->nnode; i++)
        size = fmax(size, fmax(fabs(a->x[i][0]), fmax(fabs(a->x[i][1]), fabs(a->x[i][2]))));
    bool same = a->nnode == b->nnode;
    for (; same && node < a->nnode; node++)
        for (int k = 0; k < 3; k++)
            same = same && fabs(a->x[node][k] - b->x[node][k]) <= model_same_nodes * size;
    if (!same) {
        bl_fail(r->ctx, BL_E_MODEL, &name->place, "%s and the field %s must have the same nodes, found %d and %d nodes%s", solid->name,
                text, (int)a->nnode, (int)b->nnode, a->nnode == b->nnode ? " at different positions" : "");
        bl_advise(r->ctx, "give both the same `mesh`, for example with an anchor: `mesh: &m {...}` and `mesh: *m`");
        return BL_E_MODEL;
    }
    *field = which + 1;
    return BL_OK;
}

static bl_status read_load(bl_reader *r, const bl_item *entry, void *user) {
    solids *s = user;
    bl_model *model = r->model;
    bl_solid_load *load = &model->solid_load[model->nsolid_load];
    const load_word *word = NULL;
    const bl_item *value = NULL;
    const char *keys[LOAD_WORDS + 5] = {"body", "field", "set", "node", "at"};
    *load = (bl_solid_load){.place = entry->place, .node = -1, .value = {{-1, 0}, {-1, 0}, {-1, 0}}};
    BL_TRY(bl_item_map(r, entry, "a load"));
    for (int k = 0; k < LOAD_WORDS; k++) {
        const bl_item *item = bl_item_get(entry, load_words[k].word);
        keys[5 + k] = load_words[k].word;
        if (item && word)
            return bl_fail(r->ctx, BL_E_MODEL, &item->place, "a load can have only one kind, found both '%s' and '%s'", load_words[k].word,
                           word->word);
        if (item) {
            word = &load_words[k];
            value = item;
        }
    }
    BL_TRY(bl_item_keys(r, entry, "a load", keys, LOAD_WORDS + 5, NULL));
    if (!word)
        return bl_fail(
            r->ctx, BL_E_MODEL, &entry->place,
            "a load needs a kind: traction, normal, pressure, force, body_force, acceleration, temperature, flux, film, source or inflow");
    BL_TRY(find_solid(r, s, entry, &load->solid));
    const bl_solid *solid = &model->solid[load->solid];
    if (!(solid->strain ? word->body : word->field))
        return bl_fail(r->ctx, BL_E_MODEL, &value->place, "'%s' is not a load of a %s", word->word, solid->strain ? "body" : "field");
    if (word->what == BL_LOAD_PRESSURE && solid->strain->small) {
        bl_fail(r->ctx, BL_E_MODEL, &value->place, "'pressure' follows the deformed face, but %s has small strains", solid->name);
        bl_advise(r->ctx, "use `normal: -p`, which acts on the undeformed face, or a strain for large deformations");
        return BL_E_MODEL;
    }
    if (word->what == BL_LOAD_PRESSURE && solid->mesh.block[0].kind->dim == 1) {
        bl_fail(r->ctx, BL_E_MODEL, &value->place, "%s is made of segments, which have no faces for a pressure", solid->name);
        bl_advise(r->ctx, "use `force` on nodes, or `traction` on the ends");
        return BL_E_MODEL;
    }
    load->what = word->what;
    BL_TRY(read_where(r, entry, solid, word->on, &load->set, &load->node));
    if (!load->set && load->node < 0 && !word->everywhere)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the load '%s' needs a set of %s", word->word, bl_set_kind(word->on));
    int n = word->laws ? word->laws : model->dim;
    if (word->what == BL_LOAD_TEMPERATURE && value->kind == BL_ITEM_MAP)
        BL_TRY(read_field_of(r, s, value, solid, &load->field));
    else
        BL_TRY(bl_number_laws_read(r, value, word->word, BL_USE_TIME | BL_USE_POSITION, n, load->value));
    model->nsolid_load++;
    return BL_OK;
}

/* ---- masses */

static bl_status read_carriers(bl_reader *r, const bl_item *entry, const bl_solid *solid, bl_point_mass *mass) {
    const bl_mesh_set *set;
    bl_index node;
    BL_TRY(read_where(r, entry, solid, BL_SET_NODES, &set, &node));
    if (!set && node < 0)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "a mass needs 'set', 'node' or 'at' (a point)");
    if (set && set->count > model_mass_nodes) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the set '%s' has %d nodes, but at most %.0f can carry a mass", set->name,
                (int)set->count, model_mass_nodes);
        bl_advise(r->ctx, "define a smaller set in the mesh by an expression: `sets: {tip: \"x > 9.9 and abs(y) < 0.1\"}`");
        return BL_E_MODEL;
    }
    mass->nnode = set ? set->count : 1;
    bl_index *carrier;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, carrier, mass->nnode));
    for (bl_index k = 0; k < mass->nnode; k++)
        carrier[k] = set ? set->item[k] : node;
    mass->node = carrier;
    return BL_OK;
}

static bl_status read_mass(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"body", "set", "node", "at", "mass", "offset"};
    solids *s = user;
    bl_point_mass *mass = &r->model->mass[r->model->nmass];
    const bl_item *value, *offset = bl_item_get(entry, "offset");
    double arm[3] = {0};
    *mass = (bl_point_mass){.place = entry->place};
    BL_TRY(bl_item_map(r, entry, "a mass"));
    BL_TRY(bl_item_keys(r, entry, "a mass", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_item_need(r, entry, "a mass", "mass", &value));
    BL_TRY(bl_solid_number(r, entry, "mass", BL_NOT_NEGATIVE, &mass->mass));
    BL_TRY(find_solid(r, s, entry, &mass->solid));
    const bl_solid *solid = &r->model->solid[mass->solid];
    if (!solid->strain)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s is a field; only bodies can carry masses", solid->name);
    BL_TRY(read_carriers(r, entry, solid, mass));
    if (offset)
        BL_TRY(bl_item_vector(r, offset, "offset", arm));
    if (offset && (r->model->dim == 1 || solid->plane == BL_PLANE_AXISYMMETRIC))
        return bl_fail(r->ctx, BL_E_MODEL, &offset->place, "'offset' cannot be used in dimension 1 or for axisymmetric bodies such as %s",
                       solid->name);
    if (offset && !solid->strain->small)
        return bl_fail(r->ctx, BL_E_MODEL, &offset->place, "'offset' of a mass is only valid for small rotations, but %s has strain: %s",
                       solid->name, solid->strain->kind.name);
    const bl_item *set = bl_item_get(entry, "set");
    BL_TRY(bl_masses_arm(r, &solid->mesh, arm, set ? set->text : solid->name, mass));
    r->model->nmass++;
    return BL_OK;
}

/* ---- probes and starts */

static bl_status read_probe(bl_reader *r, const char *name, const bl_place *place, const bl_item *value, void *user) {
    solids *s = user;
    bl_model *model = r->model;
    bl_solid_probe *probe = &model->solid_probe[model->nprobe];
    bl_probe *plain = &model->probe[model->nprobe];
    BL_TRY(bl_item_map(r, value, "a probe"));
    BL_TRY(bl_item_keys(r, value, "a probe", (const char *const[]){"name", "body", "field", "at", "node"}, 5, NULL));
    BL_TRY(find_solid(r, s, value, &probe->solid));
    const bl_solid *solid = &model->solid[probe->solid];
    const bl_item *number = bl_item_get(value, "node"), *at = bl_item_get(value, "at");
    if (!number == !at)
        return bl_fail(r->ctx, BL_E_MODEL, &value->place, "a probe on a mesh needs either 'node' or 'at' (a point)");
    plain->name = name;
    plain->place = *place;
    probe->node = probe->element = -1;
    if (number)
        BL_TRY(find_node(r, solid, number, &probe->node));
    else {
        double point[3] = {0};
        BL_TRY(bl_item_point(r, at, "at", point));
        probe->element = bl_mesh_locate(&solid->mesh, point, probe->xi);
        if (probe->element < 0)
            return bl_fail(r->ctx, BL_E_MODEL, &at->place, "the point (%g, %g, %g) is outside %s", point[0], point[1], point[2],
                           solid->name);
    }
    return bl_names_add(r, &r->probes, "probe", name, model->nprobe++, place);
}

bl_status bl_read_solid_probes(bl_reader *r, solids *s) {
    bl_index count;
    bl_model *model = r->model;
    BL_TRY(bl_named_count(r, "probes", &count));
    BL_TRY(BL_ARENA_ARRAYS(&model->arena, BL_ARRAY(model->probe, count), BL_ARRAY(model->solid_probe, count)));
    BL_TRY(bl_names_reserve(r, &r->probes, count));
    return bl_named_each(r, "probes", read_probe, s);
}

static bl_status read_start(bl_reader *r, solids *s, const bl_item *key, const bl_item *value) {
    bl_index which = bl_names_find(&s->solids, key->text);
    if (which < 0 && strcmp(key->text, "equilibrium") == 0)
        return BL_OK; /* bl_read_rest */
    if (which < 0) {
        bl_fail(r->ctx, BL_E_MODEL, &key->place, "initial: there is no meshed body or field '%s'", key->text);
        bl_names_advise(r, key->text, (const bl_names *const[]){&s->solids, NULL});
        return BL_E_MODEL;
    }
    bl_solid *solid = &r->model->solid[which];
    const char *initial = solid->strain ? "displacement" : "value", *rate = solid->strain ? "velocity" : "rate";
    const char *const keys[] = {initial, rate, "mode", "amplitude"};
    BL_TRY(bl_item_map(r, value, key->text));
    BL_TRY(bl_item_keys(r, value, key->text, keys, 4, NULL));
    int n = solid->strain ? r->model->dim : 1;
    const bl_item *at = bl_item_get(value, initial), *moving = bl_item_get(value, rate), *mode = bl_item_get(value, "mode");
    if (moving && solid->order != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &moving->place, "%s is of order %d in time, so it has no initial %s", solid->name, solid->order,
                       rate);
    if (at)
        BL_TRY(bl_number_laws_read(r, at, initial, BL_USE_POSITION, n, solid->start));
    if (moving)
        BL_TRY(bl_number_laws_read(r, moving, rate, BL_USE_POSITION, n, solid->start_rate));
    if (!mode)
        return BL_OK;
    double number;
    BL_TRY(bl_item_number(r, mode, "mode", &number));
    if (!(number >= 1) || number != floor(number))
        return bl_fail(r->ctx, BL_E_MODEL, &mode->place, "mode must be an integer from 1 on, found %g", number);
    solid->start_mode = (bl_index)number;
    solid->start_amplitude = 1;
    return bl_solid_number(r, value, "amplitude", 0, &solid->start_amplitude);
}

bl_status bl_read_solid_starts(bl_reader *r, solids *s) {
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *list = bl_section(r, d, "initial");
        if (list)
            BL_TRY(bl_item_map(r, list, "initial"));
        for (bl_index i = 0; list && i < list->count; i++)
            BL_TRY(read_start(r, s, list->key[i], list->value[i]));
    }
    return BL_OK;
}

/* ---- sections */

bl_status bl_read_supports(bl_reader *r, solids *s) { return bl_section_each(r, "supports", read_support, s); }

bl_status bl_read_solid_loads(bl_reader *r, solids *s) { return bl_section_each(r, "loads", read_load, s); }

bl_status bl_read_solid_masses(bl_reader *r, solids *s) { return bl_section_each(r, "masses", read_mass, s); }
