/* The list of fields of a mesh, the user's choice among them, and their storage. */
#include "fem/fields_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TENSOR = -1 }; /* number of components depends on the dimension */

static const struct {
    const char *name, *unit, *description;
    int components;
    bool on_cells;
} about[] = {
    [BL_FIELD_DISPLACEMENT] = {"displacement", "m", "from the reference configuration", 3, false},
    [BL_FIELD_VELOCITY] = {"velocity", "m/s", "of the nodes", 3, false},
    [BL_FIELD_ACCELERATION] = {"acceleration", "m/s^2", "of the nodes, from the equations of motion", 3, false},
    [BL_FIELD_VALUE] = {"value", NULL, "of the field", 1, false},
    [BL_FIELD_RATE] = {"rate", NULL, "of the field", 1, false},
    [BL_FIELD_REACTION] = {"reaction", "N", "force of the supports on the nodes they prescribe; zero at others", 3, false},
    [BL_FIELD_FLOW] = {"reaction_flow", NULL, "flow from the supports into the nodes they prescribe; zero at others", 1, false},
    [BL_FIELD_STRESS] = {"stress", "N/m^2",
                         "Cauchy stress, smoothed: 11, 22, 33, 12, 23, 13; in the plane the first four; for bars the axial stress", TENSOR,
                         false},
    [BL_FIELD_VON_MISES] = {"von_mises", "N/m^2", "equivalent stress of the smoothed stress", 1, false},
    [BL_FIELD_FLUX] = {"flux", NULL, "smoothed", 3, false},
    [BL_FIELD_FLUX_MODULUS] = {"flux_modulus", NULL, "of the smoothed flux", 1, false},
    [BL_FIELD_TEMPERATURE] = {"temperature", "K", "that causes thermal strain", 1, false},
    [BL_FIELD_CELL_STRESS] =
        {"element_stress", "N/m^2",
         "Cauchy stress at the centers of elements: 11, 22, 33, 12, 23, 13; in the plane the first four; for bars the axial stress", TENSOR,
         true},
    [BL_FIELD_CELL_VON_MISES] = {"element_von_mises", "N/m^2", "equivalent stress at the centers of elements", 1, true},
    [BL_FIELD_CELL_FLUX] = {"element_flux", NULL, "at the centers of elements", 3, true},
};

/* ---- which there are */

int bl_tensor_components(const bl_fem_part *part) { return part->bars ? 1 : part->dim == 3 ? 6 : part->dim == 2 ? 4 : 1; }

bool bl_shows(const bl_fem_group *group, const char *name, const bl_history_shown **shown) {
    for (const bl_history_shown *s = group->material->kind->shown; s && s->name; s++)
        if (strcmp(s->name, name) == 0) {
            *shown = s;
            return true;
        }
    return false;
}

static void add(const bl_fem *fem, bl_fem_fields *f, bl_index p, bl_field_what of, const bl_history_shown *shown) {
    const bl_fem_part *part = &fem->part[p];
    int components = shown ? 1 : about[of].components == TENSOR ? bl_tensor_components(part) : about[of].components;
    f->own[f->n] = (bl_fem_field){of, p, shown};
    f->field[f->n++] = (bl_field){.name = shown ? shown->name : about[of].name,
                                  .unit = shown ? shown->unit : about[of].unit,
                                  .description = shown ? shown->what : about[of].description,
                                  .mesh = (bl_index)(part->solid - fem->model->solid),
                                  .on_cells = !shown && about[of].on_cells,
                                  .items = !shown && about[of].on_cells ? part->solid->mesh.nelement : part->solid->mesh.nnode,
                                  .components = components};
}

/* each history variable once, even if several groups have it */
static void add_histories(const bl_fem *fem, bl_fem_fields *f, bl_index p) {
    const bl_fem_part *part = &fem->part[p];
    bl_index count = 0;
    for (bl_index g = 0; g < part->ngroup; g++)
        for (const bl_history_shown *s = part->group[g].material->kind->shown, *other; s && s->name; s++) {
            bool before = false;
            for (bl_index k = 0; k < g && !before; k++)
                before = bl_shows(&part->group[k], s->name, &other);
            if (!before && count++ < BL_SMOOTH_MOST - 6)
                add(fem, f, p, BL_FIELD_HISTORY, s);
        }
}

static void add_part(const bl_fem *fem, bl_fem_fields *f, bl_index p) {
    const bl_solid *solid = fem->part[p].solid;
    if (!solid->strain) {
        add(fem, f, p, BL_FIELD_VALUE, NULL);
        if (solid->order == 2)
            add(fem, f, p, BL_FIELD_RATE, NULL);
        add(fem, f, p, BL_FIELD_FLOW, NULL);
        add(fem, f, p, BL_FIELD_FLUX, NULL);
        add(fem, f, p, BL_FIELD_FLUX_MODULUS, NULL);
        add(fem, f, p, BL_FIELD_CELL_FLUX, NULL);
        return;
    }
    add(fem, f, p, BL_FIELD_DISPLACEMENT, NULL);
    if (solid->order == 2 || fem->moved)
        add(fem, f, p, BL_FIELD_VELOCITY, NULL);
    if (solid->order == 2 && !fem->moved)
        add(fem, f, p, BL_FIELD_ACCELERATION, NULL);
    if (!fem->moved)
        add(fem, f, p, BL_FIELD_REACTION, NULL);
    add(fem, f, p, BL_FIELD_STRESS, NULL);
    add(fem, f, p, BL_FIELD_VON_MISES, NULL);
    add_histories(fem, f, p);
    if (fem->has_temperatures)
        add(fem, f, p, BL_FIELD_TEMPERATURE, NULL);
    add(fem, f, p, BL_FIELD_CELL_STRESS, NULL);
    add(fem, f, p, BL_FIELD_CELL_VON_MISES, NULL);
}

bl_status bl_fem_fields_define(bl_fem *fem) {
    size_t most = (size_t)fem->npart * (sizeof about / sizeof *about + BL_SMOOTH_MOST);
    bl_fem_fields *f;
    BL_TRY(BL_ARENA_NEW(&fem->arena, f, 1));
    fem->fields = f;
    BL_TRY(BL_ARENA_ARRAYS(&fem->arena, BL_ARRAY(f->field, most), BL_ARRAY(f->own, most)));
    for (bl_index s = 0; s < fem->model->nsolid; s++)
        for (bl_index p = 0; p < fem->npart; p++)
            if (fem->part[p].solid == &fem->model->solid[s])
                add_part(fem, f, p);
    fem->sys->field = f->field;
    fem->sys->nfield = f->n;
    return BL_OK;
}

/* whether the list contains the name */
static bool named(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        at += strspn(at, " ");
        size_t n = strcspn(at, ",");
        while (n > 0 && at[n - 1] == ' ')
            n--;
        if (n == length && strncmp(at, name, n) == 0)
            return true;
    }
    return false;
}

static bl_status refuse(const bl_fem *fem, const bl_fem_fields *f, const char *at, size_t n) {
    char word[64], all[512] = "";
    const char *names[64];
    size_t count = 0, length = 0;
    snprintf(word, sizeof word, "%.*s", (int)(n < 60 ? n : 60), at);
    for (bl_index i = 0; i < f->n; i++) {
        bool before = false;
        for (size_t k = 0; k < count && !before; k++)
            before = strcmp(names[k], f->field[i].name) == 0;
        if (before || count == sizeof names / sizeof *names)
            continue;
        names[count++] = f->field[i].name;
        if (length < sizeof all)
            length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", length ? ", " : "", f->field[i].name);
    }
    bl_fail(fem->ctx, BL_E_ARG, NULL, "there is no field '%s'", word);
    const char *nearest = bl_nearest(word, names, count);
    if (nearest)
        bl_advise(fem->ctx, "did you mean '%s'? Available fields: %s", nearest, all);
    else
        bl_advise(fem->ctx, "available fields: %s; or all, or none", all);
    return BL_E_ARG;
}

static bl_status check_names(const bl_fem *fem, const bl_fem_fields *f, const char *list) {
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        at += strspn(at, " ");
        size_t n = strcspn(at, ",");
        while (n > 0 && at[n - 1] == ' ')
            n--;
        bool known = false;
        for (bl_index i = 0; i < f->n && !known; i++)
            known = strlen(f->field[i].name) == n && strncmp(at, f->field[i].name, n) == 0;
        if (!known)
            return refuse(fem, f, at, n);
    }
    return BL_OK;
}

bl_status bl_fem_choose_fields(bl_system *sys, const char *choice) {
    bl_fem *fem = sys->own;
    bl_fem_fields *f = fem->fields;
    if (!choice || strcmp(choice, "all") == 0)
        return BL_OK;
    bool none = strcmp(choice, "none") == 0;
    if (!none)
        BL_TRY(check_names(fem, f, choice));
    bl_index kept = 0;
    for (bl_index i = 0; i < f->n; i++)
        if (!none && named(choice, f->field[i].name)) {
            f->field[kept] = f->field[i];
            f->own[kept++] = f->own[i];
        }
    f->n = sys->nfield = kept;
    return BL_OK;
}

void bl_fem_fields_destroy(bl_fem *fem) {
    if (fem->fields)
        bl_smooth_destroy(fem->ctx, &fem->fields->smooth);
}

/* ---- room */

bool bl_fem_has_field(const bl_fem_fields *f, bl_index part, bl_field_what of) {
    for (bl_index i = 0; i < f->n; i++)
        if (f->own[i].of == of && (part < 0 || f->own[i].part == part))
            return true;
    return false;
}

/* some field of the part is smoothed from points to nodes; fields of cells need no matrix */
bool bl_fem_smooths(const bl_fem_fields *f, bl_index part) {
    return bl_fem_has_field(f, part, BL_FIELD_STRESS) || bl_fem_has_field(f, part, BL_FIELD_VON_MISES) ||
           bl_fem_has_field(f, part, BL_FIELD_FLUX) || bl_fem_has_field(f, part, BL_FIELD_FLUX_MODULUS) ||
           bl_fem_has_field(f, part, BL_FIELD_HISTORY);
}

bool bl_fem_has_reactions(const bl_fem_fields *f) {
    return bl_fem_has_field(f, -1, BL_FIELD_REACTION) || bl_fem_has_field(f, -1, BL_FIELD_FLOW);
}

bool bl_fem_needs_rates(const bl_fem_fields *f) { return bl_fem_has_field(f, -1, BL_FIELD_ACCELERATION) || bl_fem_has_reactions(f); }

bl_status bl_fem_fields_make(bl_fem *fem, bl_fem_eval *p) {
    bl_fem_fields *f = fem->fields;
    bool first_order = false;
    for (bl_index part = 0; part < fem->npart; part++)
        first_order = first_order || fem->part[part].solid->order == 1;
    if (bl_fem_needs_rates(f) && fem->nv > 0)
        BL_TRY(bl_fem_make_M(fem, p));
    if (bl_fem_has_reactions(f) && first_order)
        BL_TRY(bl_fem_make_K(fem, p));
    if (bl_fem_smooths(f, -1))
        BL_TRY(bl_smooth_make(fem, &f->smooth, p->element));
    return fem->moved ? bl_fem_moved_make(fem, p) : BL_OK;
}

size_t bl_fem_hidden_nodes(const bl_fem *fem, bl_index part) {
    const bl_fem_fields *f = fem->fields;
    size_t nodes = (size_t)fem->part[part].solid->mesh.nnode;
    if (bl_fem_has_field(f, part, BL_FIELD_VON_MISES) && !bl_fem_has_field(f, part, BL_FIELD_STRESS))
        return nodes * (size_t)bl_tensor_components(&fem->part[part]);
    return bl_fem_has_field(f, part, BL_FIELD_FLUX_MODULUS) && !bl_fem_has_field(f, part, BL_FIELD_FLUX) ? 3 * nodes : 0;
}

size_t bl_fem_hidden_cells(const bl_fem *fem, bl_index part) {
    const bl_fem_fields *f = fem->fields;
    bool hidden = bl_fem_has_field(f, part, BL_FIELD_CELL_VON_MISES) && !bl_fem_has_field(f, part, BL_FIELD_CELL_STRESS);
    return hidden ? (size_t)fem->part[part].solid->mesh.nelement * (size_t)bl_tensor_components(&fem->part[part]) : 0;
}

bl_status bl_fem_fields_room(const bl_fem *fem, bl_fem_eval *p) {
    const bl_fem_fields *f = fem->fields;
    size_t most = bl_fem_needs_rates(f) ? (size_t)fem->n + bl_mass_work(fem->n, 1) : 0;
    for (bl_index part = 0; part < fem->npart; part++) {
        size_t need = bl_fem_smooths(f, part) ? bl_mass_work(fem->part[part].solid->mesh.nnode, 6) : 0;
        need += bl_fem_hidden_nodes(fem, part) + bl_fem_hidden_cells(fem, part);
        most = need > most ? need : most;
    }
    bl_free(fem->ctx, p->field_work);
    return BL_NEW(fem->ctx, p->field_work, most + 1);
}
