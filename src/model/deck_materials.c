/* *MATERIAL with *ELASTIC, *PLASTIC, *DENSITY, *EXPANSION, *CONDUCTIVITY, *DAMPING, *SPECIFIC HEAT; *SOLID SECTION. Elasticity,
 * expansion and conductivity may depend on temperature; the others must be constant. Tables whose rows are all the same are
 * constants. */
#include "model/deck_reader.h"
#include "model/model_limits.h"

#include <math.h>
#include <string.h>

/* ---- properties */

/* n values of a table over temperature whose rows must all be the same */
static bl_status constants(bl_deck_reader *d, const bl_card *card, int n, const char *const *what, double *value) {
    bl_deck_line line;
    bool more;
    bl_line_begin(&line, d, card);
    BL_TRY(bl_line_need(&line, what[0]));
    for (int k = 0; k < n; k++)
        BL_TRY(bl_line_number(&line, k, what[k], &value[k]));
    for (;;) {
        double at, other;
        BL_TRY(bl_line_most(&line, n + 1));
        BL_TRY(bl_line_number_or(&line, n, "the temperature", &at));
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            return BL_OK;
        for (int k = 0; k < n; k++) {
            BL_TRY(bl_line_number(&line, k, what[k], &other));
            if (other != value[k])
                return bl_fail(d->ctx, BL_E_MODEL, &line.place, "*%s depends on temperature, which is not supported: %s is %g and %g",
                               card->name, what[k], value[k], other);
        }
    }
}

/* rows of one or two values over temperature; if all are the same, only the first */
static bl_status table(bl_deck_reader *d, const bl_card *card, int n, const char *const *what, bl_deck_rows *to) {
    bl_deck_line line;
    bool more = true, constant = true;
    bl_line_begin(&line, d, card);
    BL_TRY(bl_line_need(&line, what[0]));
    for (; more;) {
        double row[3] = {0};
        BL_TRY(bl_line_most(&line, n + 1));
        for (int k = 0; k < n; k++)
            BL_TRY(bl_line_number(&line, k, what[k], &row[k + 1]));
        BL_TRY(bl_line_number_or(&line, n, "the temperature", &row[0]));
        for (int k = 1; k <= n && to->n; k++)
            constant = constant && row[k] == to->row[0][k];
        if (to->n && !constant && !(row[0] > to->row[to->n - 1][0]))
            return bl_fail(d->ctx, BL_E_MODEL, &line.place, "*%s: temperatures must increase, found %g after %g", card->name, row[0],
                           to->row[to->n - 1][0]);
        BL_TRY(BL_RESERVE(d->ctx, to->row, to->room, to->n + 1));
        memcpy(to->row[to->n++], row, sizeof row);
        BL_TRY(bl_line_next(&line, &more));
    }
    to->n = constant ? 1 : to->n;
    return BL_OK;
}

static bl_status once(const bl_deck_reader *d, const bl_card *card, bl_place *place) {
    if (place->line)
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "the material has *%s twice, first in line %d", card->name, place->line);
    *place = card->place;
    return BL_OK;
}

static bl_status isotropic(const bl_deck_reader *d, const bl_card *card) {
    static const char *const words[] = {"ISO", "ISOTROPIC"};
    int which = 0;
    return bl_card_choice(d, card, "TYPE", words, 2, &which);
}

static bl_status read_elastic(bl_deck_reader *d, const bl_card *card, bl_deck_material *m) {
    static const char *const what[] = {"Young's modulus", "Poisson's ratio"};
    BL_TRY(once(d, card, &m->elastic));
    BL_TRY(isotropic(d, card));
    return table(d, card, 2, what, &m->elastic_rows);
}

static bl_status read_plastic(bl_deck_reader *d, const bl_card *card, bl_deck_material *m) {
    static const char *const words[] = {"ISOTROPIC", "KINEMATIC"};
    int which = 0;
    bl_deck_line line;
    bool more = true;
    double first = NAN;
    BL_TRY(once(d, card, &m->plastic));
    BL_TRY(bl_card_choice(d, card, "HARDENING", words, 2, &which));
    m->kinematic = which == 1;
    bl_line_begin(&line, d, card);
    BL_TRY(bl_line_need(&line, "yield stress and plastic strain"));
    for (; more;) {
        double row[2] = {0}, at = NAN;
        BL_TRY(bl_line_most(&line, 3));
        BL_TRY(bl_line_number(&line, 0, "the yield stress", &row[0]));
        BL_TRY(bl_line_number_or(&line, 1, "the plastic strain", &row[1]));
        BL_TRY(bl_line_number_or(&line, 2, "the temperature", &at));
        first = m->nyield ? first : at;
        if (m->nyield && (isnan(at) != isnan(first) || at < first || at > first))
            return bl_fail(d->ctx, BL_E_MODEL, &line.place, "*PLASTIC depends on temperature, which is not supported");
        if (m->nyield ? !(row[1] > m->yield[m->nyield - 1][1]) : row[1] != 0)
            return bl_fail(d->ctx, BL_E_MODEL, &line.place, "*PLASTIC: plastic strains must begin with 0 and increase, found %g", row[1]);
        BL_TRY(BL_RESERVE(d->ctx, m->yield, m->yield_room, m->nyield + 1));
        memcpy(m->yield[m->nyield++], row, sizeof row);
        BL_TRY(bl_line_next(&line, &more));
    }
    return BL_OK;
}

static bl_status read_damping(const bl_deck_reader *d, const bl_card *card, bl_deck_material *m) {
    const char *const name[2] = {"ALPHA", "BETA"};
    double *const to[2] = {&m->alpha, &m->beta};
    for (int k = 0; k < 2; k++) {
        const char *value = bl_card_value(card, name[k]);
        if (value && (!bl_deck_number(value, to[k]) || !(*to[k] >= 0)))
            return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*DAMPING: %s must be a number that is not negative, found '%.40s'", name[k],
                           value);
    }
    return BL_OK;
}

bl_status bl_deck_damp(const bl_deck_reader *d, bl_solid *solid) {
    const bl_deck_material *first = d->nsection ? &d->material[d->section[0].material] : NULL;
    for (bl_index k = 1; k < d->nsection; k++) {
        const bl_deck_material *m = &d->material[d->section[k].material];
        if (m->alpha != first->alpha || m->beta != first->beta)
            return bl_fail(d->ctx, BL_E_MODEL, &d->section[k].place, "materials with different *DAMPING (%s and %s) are not supported",
                           first->name, m->name);
    }
    solid->damping_mass = first ? first->alpha : 0;
    solid->damping_stiffness = first ? first->beta : 0;
    return BL_OK;
}

static bl_status read_property(bl_deck_reader *d, const bl_card *card, bl_deck_material *m) {
    static const char *const density[] = {"the density"}, *const expansion[] = {"the coefficient of expansion"},
                             *const conductivity[] = {"the conductivity"}, *const heat[] = {"the specific heat"};
    switch (card->word->key) {
    case BL_KEY_ELASTIC: return read_elastic(d, card, m);
    case BL_KEY_PLASTIC: return read_plastic(d, card, m);
    case BL_KEY_DENSITY: BL_TRY(once(d, card, &m->density)); return constants(d, card, 1, density, &m->rho);
    case BL_KEY_EXPANSION: /* ZERO matters only if the table has several rows: the strain at the start is subtracted */
        BL_TRY(once(d, card, &m->expansion));
        BL_TRY(isotropic(d, card));
        if (bl_card_value(card, "ZERO") && !bl_deck_number(bl_card_value(card, "ZERO"), &m->zero))
            return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*EXPANSION: ZERO must be a number, found '%.40s'",
                           bl_card_value(card, "ZERO"));
        return table(d, card, 1, expansion, &m->expansion_rows);
    case BL_KEY_DAMPING: BL_TRY(once(d, card, &m->damping)); return read_damping(d, card, m);
    case BL_KEY_CONDUCTIVITY:
        BL_TRY(once(d, card, &m->conductivity));
        BL_TRY(isotropic(d, card));
        return table(d, card, 1, conductivity, &m->conductivity_rows);
    default: BL_TRY(once(d, card, &m->heat)); return constants(d, card, 1, heat, &m->c);
    }
}

static bool is_property(bl_deck_key key) { return key >= BL_KEY_ELASTIC && key <= BL_KEY_SPECIFIC_HEAT; }

static bl_index find_material(const bl_deck_reader *d, const char *name) {
    for (bl_index k = 0; k < d->nmaterial; k++)
        if (bl_deck_same(d->material[k].name, name))
            return k;
    return -1;
}

bl_status bl_deck_read_materials(bl_deck_reader *d) {
    bool open = false;
    for (bl_index k = 0; k < d->ncard; k++) {
        const bl_card *card = &d->card[k];
        bl_deck_key key = card->word->key;
        if (key == BL_KEY_MATERIAL) {
            const char *name;
            BL_TRY(bl_card_need(d, card, "NAME", &name));
            if (find_material(d, name) >= 0)
                return bl_fail(d->ctx, BL_E_MODEL, &card->place, "the material %.80s is defined twice", name);
            BL_TRY(BL_RESERVE(d->ctx, d->material, d->material_room, d->nmaterial + 1));
            bl_deck_material *m = &d->material[d->nmaterial++];
            *m = (bl_deck_material){.place = card->place, .name = bl_arena_text(d->keep, name, strlen(name))};
            if (!m->name)
                return BL_E_MEMORY;
            open = true;
        } else if (is_property(key)) {
            if (!open)
                return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*%s must follow the *MATERIAL that it belongs to", card->name);
            BL_TRY(read_property(d, card, &d->material[d->nmaterial - 1]));
        } else if (key != BL_KEY_SKIPPED) {
            open = false;
        }
    }
    return BL_OK;
}

/* ---- sections */

static bl_status read_section(bl_deck_reader *d, const bl_card *card) {
    const char *set, *material, *offset = bl_card_value(card, "OFFSET");
    bl_deck_section section = {.place = card->place};
    bl_deck_line line;
    bool more;
    double shift = 0;
    BL_TRY(bl_card_need(d, card, "ELSET", &set));
    BL_TRY(bl_card_need(d, card, "MATERIAL", &material));
    BL_TRY(bl_deck_find_set(d, card, &card->place, set, true, &section.set));
    section.material = find_material(d, material);
    if (section.material < 0)
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "there is no material %.80s", material);
    if (offset && (!bl_deck_number(offset, &shift) || shift != 0))
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*SOLID SECTION, OFFSET=%.40s is not supported: it must be 0", offset);
    bl_line_begin(&line, d, card);
    BL_TRY(bl_line_next(&line, &more));
    if (more) {
        BL_TRY(bl_line_most(&line, 1));
        BL_TRY(bl_line_number_or(&line, 0, "the thickness", &section.thickness));
        if (!(section.thickness >= 0))
            return bl_fail(d->ctx, BL_E_MODEL, &line.place, "*SOLID SECTION: the thickness must not be negative, found %g",
                           section.thickness);
        BL_TRY(bl_line_next(&line, &more));
        if (more)
            return bl_fail(d->ctx, BL_E_MODEL, &line.place,
                           "*SOLID SECTION can have only one data line: the thickness, or the area of bars");
    }
    BL_TRY(BL_RESERVE(d->ctx, d->section, d->section_room, d->nsection + 1));
    d->section[d->nsection++] = section;
    return BL_OK;
}

bl_status bl_deck_read_sections(bl_deck_reader *d) {
    for (bl_index k = 0; k < d->ncard; k++)
        if (d->card[k].word->key == BL_KEY_SECTION)
            BL_TRY(read_section(d, &d->card[k]));
    return BL_OK;
}

bl_deck_flow bl_deck_flows(const bl_deck_reader *d) {
    bl_deck_flow flow = BL_DECK_ELASTIC;
    for (bl_index k = 0; k < d->nsection; k++) {
        const bl_deck_material *m = &d->material[d->section[k].material];
        if (m->plastic.line && (flow == BL_DECK_ELASTIC || m->kinematic))
            flow = m->kinematic ? BL_DECK_MOVES : BL_DECK_WIDENS;
    }
    return flow;
}

/* ---- materials of the model */

/* sets a parameter by name; kinds without it ignore it */
static void set_value(const bl_material_kind *kind, bl_value *value, const char *name, double number, const bl_place *place) {
    for (bl_index k = 0; kind->kind.params && kind->kind.params[k].type != BL_P_END; k++)
        if (strcmp(kind->kind.params[k].name, name) == 0)
            value[k] = (bl_value){.given = true, .number = number, .place = *place};
}

static bl_status lacks(const bl_deck_reader *d, const bl_deck_material *m, const char *card) {
    return bl_fail(d->ctx, BL_E_MODEL, &m->place, "the material %s needs *%s", m->name, card);
}

static const bl_material_kind *kind_of(const bl_deck_material *m, const bl_solid *solid) {
    if (!solid->strain)
        return &bl_material_conducting;
    switch (solid->strain->kind.gives & (BL_OF_LEFT | BL_OF_INCREMENT | BL_OF_GREEN)) {
    case BL_OF_LEFT: return &bl_material_multiplicative_plastic;
    case BL_OF_INCREMENT: return m->plastic.line ? &bl_material_plastic : &bl_material_hypoelastic;
    case BL_OF_GREEN: return &bl_material_st_venant_kirchhoff;
    default: return m->plastic.line ? &bl_material_plastic : &bl_material_elastic;
    }
}

/* values of *PLASTIC; elastic materials in a deck with plasticity at large strains get a yield stress that is never reached */
static bl_status plastic_values(const bl_deck_reader *d, const bl_deck_material *m, const bl_material_kind *kind, bl_value *value) {
    if (!m->plastic.line) {
        set_value(kind, value, "yield", model_never_yields * (m->elastic_rows.n ? m->elastic_rows.row[0][1] : 0), &m->elastic);
        return BL_OK;
    }
    if (m->kinematic && m->nyield > 2)
        return bl_fail(d->ctx, BL_E_MODEL, &m->plastic, "*PLASTIC, HARDENING=KINEMATIC with more than two rows is not supported");
    double slope = m->nyield == 2 ? (m->yield[1][0] - m->yield[0][0]) / m->yield[1][1] : 0;
    set_value(kind, value, "yield", m->yield[0][0], &m->plastic);
    set_value(kind, value, "hardening", slope, &m->plastic);
    set_value(kind, value, "kinematic", m->kinematic, &m->plastic);
    return BL_OK;
}

/* hardening by the rows of the deck, constant after the last one */
static bl_status harden(const bl_deck_reader *d, const bl_deck_material *m, bl_material *out) {
    double(*row)[2] = bl_arena_alloc(d->keep, (size_t)m->nyield, sizeof *row);
    if (!row)
        return BL_E_MEMORY;
    memcpy(row, m->yield, (size_t)m->nyield * sizeof *row);
    return bl_material_harden(d->ctx, out, m->nyield, (const double(*)[2])row, &m->plastic);
}

bool bl_deck_by_temperature(const bl_deck_reader *d) {
    for (bl_index k = 0; k < d->nsection && !d->heats; k++) {
        const bl_deck_material *m = &d->material[d->section[k].material];
        if (m->elastic_rows.n > 1 || m->expansion_rows.n > 1)
            return true;
    }
    return false;
}

/* the initial temperature, which must be the same everywhere */
static bl_status first_temperature(const bl_deck_reader *d, const bl_deck_material *m, double *T) {
    const bl_place *place = m->elastic_rows.n > 1 ? &m->elastic : &m->expansion;
    *T = d->temperature ? d->temperature[0] : NAN;
    for (bl_index i = 0; i < d->mesh->nnode; i++) {
        double own = d->temperature ? d->temperature[i] : NAN;
        if (isnan(own))
            return bl_fail(
                d->ctx, BL_E_MODEL, place,
                "the material depends on temperature, but node %d has no initial temperature (*INITIAL CONDITIONS, TYPE=TEMPERATURE)",
                (int)d->mesh->label[i]);
        if (own != *T)
            return bl_fail(
                d->ctx, BL_E_MODEL, place,
                "the material depends on temperature, so initial temperatures must be equal, found %g at node %d and %g at node %d", *T,
                (int)d->mesh->label[0], own, (int)d->mesh->label[i]);
    }
    return BL_OK;
}

static bl_status depend(const bl_deck_reader *d, bl_temperature_number which, const bl_deck_rows *table, const bl_place *place,
                        bl_material *out) {
    if (table->n < 2)
        return BL_OK;
    double(*row)[3] = bl_arena_alloc(d->keep, (size_t)table->n, sizeof *row);
    if (!row)
        return BL_E_MEMORY;
    memcpy(row, table->row, (size_t)table->n * sizeof *row);
    return bl_material_by_temperature(d->ctx, out, which, table->n, (const double(*)[3])row, place);
}

static bl_status prepare(const bl_deck_reader *d, const bl_deck_material *m, const bl_solid *solid, bl_material *out) {
    const bl_material_kind *kind = kind_of(m, solid);
    bl_value value[BL_MAX_PARAMS] = {{0}};
    for (bl_index k = 0; kind->kind.params[k].type != BL_P_END; k++)
        value[k].number = kind->kind.params[k].fallback;
    if (solid->strain ? !m->elastic.line : !m->conductivity.line)
        return lacks(d, m, solid->strain ? "ELASTIC" : "CONDUCTIVITY");
    if (!solid->strain && solid->order == 1 && !(m->heat.line && m->density.line))
        return lacks(d, m, m->heat.line ? "DENSITY" : "SPECIFIC HEAT");
    double first = 0;
    if (bl_deck_by_temperature(d))
        BL_TRY(first_temperature(d, m, &first));
    set_value(kind, value, "E", m->elastic_rows.n ? m->elastic_rows.row[0][1] : 0, &m->elastic);
    set_value(kind, value, "nu", m->elastic_rows.n ? m->elastic_rows.row[0][2] : 0, &m->elastic);
    set_value(kind, value, "reference_temperature", first, &m->expansion);
    set_value(kind, value, "density", m->rho, &m->density);
    set_value(kind, value, "expansion", m->expansion_rows.n ? m->expansion_rows.row[0][1] : 0, &m->expansion);
    set_value(kind, value, "conductivity", m->conductivity_rows.n ? m->conductivity_rows.row[0][1] : 0, &m->conductivity);
    set_value(kind, value, "specific_heat", m->c, &m->heat);
    BL_TRY(plastic_values(d, m, kind, value));
    const char *why = bl_material_refuses(kind, solid->strain, solid->plane);
    if (why)
        return bl_fail(d->ctx, BL_E_MODEL, &m->place, "the material %s: %s", m->name, why);
    BL_TRY(bl_material_prepare(d->ctx, kind, value, solid->plane, out));
    out->zero = m->zero;
    if (solid->strain) {
        BL_TRY(depend(d, BL_ELASTIC_BY, &m->elastic_rows, &m->elastic, out));
        BL_TRY(depend(d, BL_EXPANSION_BY, &m->expansion_rows, &m->expansion, out));
    } else
        BL_TRY(depend(d, BL_CONDUCTIVITY_BY, &m->conductivity_rows, &m->conductivity, out));
    return m->plastic.line && !m->kinematic && solid->strain ? harden(d, m, out) : BL_OK;
}

/* the elements of one type in the section, as a set of the mesh */
static bl_status part_of_section(bl_deck_reader *d, const bl_deck_section *section, const bl_deck_type *type, const bl_index *last,
                                 bl_index which, const bl_mesh_set **out) {
    const bl_deck_set *set = &d->set[section->set];
    bl_index n = 0, *item, at = 0;
    for (bl_index i = 0; i < set->count; i++)
        n += last[set->item[i]] == which && d->element[set->item[i]].type == type;
    *out = NULL;
    if (n == 0)
        return BL_OK;
    bl_mesh_set *made;
    BL_TRY(BL_ARENA_ARRAYS(d->keep, BL_ARRAY(made, 1), BL_ARRAY(item, n)));
    for (bl_index i = 0; i < set->count; i++)
        if (last[set->item[i]] == which && d->element[set->item[i]].type == type)
            item[at++] = d->element[set->item[i]].mesh;
    bl_sort_indices(item, (size_t)n);
    n = bl_drop_repeated(item, at);
    *made = (bl_mesh_set){.name = bl_arena_text(d->keep, set->name, strlen(set->name)), .what = BL_SET_ELEMENTS, .count = n, .item = item};
    *out = made;
    return made->name ? BL_OK : BL_E_MEMORY;
}

static bl_status add_parts(bl_deck_reader *d, bl_solid *solid, bool moves, bl_index which, const bl_index *last, bl_index *room) {
    const bl_deck_section *section = &d->section[which];
    const bl_deck_set *set = &d->set[section->set];
    const bl_deck_type *done[32];
    int ndone = 0;
    for (bl_index i = 0; i < set->count; i++) {
        const bl_deck_type *type = d->element[set->item[i]].type;
        bool new = true;
        for (int k = 0; k < ndone; k++)
            new = new &&done[k] != type;
        if (!new || ndone == 32)
            continue;
        done[ndone++] = type;
        bool flat = (d->dim == 2 && d->plane != BL_PLANE_AXISYMMETRIC) || d->plane == BL_PLANE_BAR;
        if (d->plane == BL_PLANE_BAR && !(section->thickness > 0))
            return bl_fail(d->ctx, BL_E_MODEL, &section->place, "*SOLID SECTION of elements %s needs a data line with their area",
                           type->name);
        bl_section_def made = {.thickness = flat ? section->thickness : 0, .lower_temperatures = true};
        memcpy(made.points, type->points, sizeof made.points);
        if (type->reduced && !moves) /* masses too, except in dynamic steps */
            memcpy(made.mass_points, type->points, sizeof made.mass_points);
        BL_TRY(part_of_section(d, section, type, last, which, &made.set));
        if (!made.set)
            continue;
        made.name = d->material[section->material].name;
        BL_TRY(prepare(d, &d->material[section->material], solid, &made.material));
        made.nu = solid->strain ? d->material[section->material].elastic_rows.row[0][2] : NAN;
        BL_TRY(BL_RESERVE(d->ctx, solid->section, *room, solid->nsection + 1));
        solid->section[solid->nsection++] = made;
    }
    return BL_OK;
}

/* collected in a growing array, then copied to the model's arena */
bl_status bl_deck_make_sections(bl_deck_reader *d, bool moves, bl_solid *solid) {
    bl_index *last = bl_arena_alloc(&d->scratch, (size_t)d->nelement, sizeof *last), room = 0;
    if (!last)
        return BL_E_MEMORY;
    for (bl_index e = 0; e < d->nelement; e++)
        last[e] = -1;
    for (bl_index s = 0; s < d->nsection; s++)
        for (bl_index i = 0; i < d->set[d->section[s].set].count; i++)
            last[d->set[d->section[s].set].item[i]] = s;
    for (bl_index e = 0; e < d->nelement; e++)
        if (last[e] < 0)
            return bl_fail(d->ctx, BL_E_MODEL, &d->element[e].place, "element %d has no *SOLID SECTION", (int)d->element[e].label);
    solid->section = NULL;
    solid->nsection = 0;
    bl_status status = BL_OK;
    for (bl_index s = 0; status == BL_OK && s < d->nsection; s++)
        status = add_parts(d, solid, moves, s, last, &room);
    bl_section_def *kept = bl_arena_alloc(d->keep, (size_t)solid->nsection, sizeof *kept);
    if (status == BL_OK && !kept)
        status = BL_E_MEMORY;
    if (status == BL_OK)
        memcpy(kept, solid->section, (size_t)solid->nsection * sizeof *kept);
    bl_free(d->ctx, solid->section);
    solid->section = kept;
    return status;
}
