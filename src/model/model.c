/* Model: the order in which sections are read, lookup by name, destruction. */
#include "model/model.h"

#include "base/sized.h"
#include "joint/joint.h"
#include "joint/touch.h"
#include "model/reader.h"
#include "model/variant.h"

#include <math.h>
#include <string.h>

/* ---- lookup */

typedef enum list { BODIES, JOINTS, VARIABLES, PROBES, LISTS } list;

static const char *name_of(const bl_model *model, list of, bl_index i) {
    switch (of) {
    case BODIES: return model->body[i].name;
    case JOINTS: return model->joint[i].name;
    case VARIABLES: return model->variable[i].name;
    default: return model->probe[i].name;
    }
}

static bl_index length_of(const bl_model *model, list of) {
    const bl_index length[LISTS] = {model->nbody, model->njoint, model->nvariable, model->nprobe};
    return length[of];
}

/* the first entry with that name */
static bl_index find_name(const bl_model *model, list of, const char *name) {
    bl_index found = -1;
    const bl_hash *table = &model->names[of];
    if (table->n < length_of(model, of)) { /* the model is still being read */
        for (bl_index i = 0; i < length_of(model, of) && found < 0; i++)
            found = strcmp(name_of(model, of, i), name) == 0 ? i : -1;
        return found;
    }
    for (bl_index i = bl_hash_find(table, bl_hash_text(name)); i >= 0; i = bl_hash_next(table, i))
        found = strcmp(name_of(model, of, i), name) == 0 ? i : found;
    return found;
}

static bl_status hash_names(bl_model *model) {
    for (list of = BODIES; of < LISTS; of++)
        for (bl_index i = 0; i < length_of(model, of); i++)
            BL_TRY(bl_hash_put(model->ctx, &model->names[of], bl_hash_text(name_of(model, of, i))));
    return BL_OK;
}

bl_index bl_model_elastic(const bl_model *model, const char *name) {
    for (bl_index i = 0; i < model->nelastic; i++)
        if (strcmp(model->elastic[i].name, name) == 0)
            return i;
    return -1;
}

/* "rod.from", "rod.to": the first and last frame of a beam */
static bl_index end_of_beam(const bl_model *model, const char *name) {
    const char *dot = strrchr(name, '.');
    bool from = dot && strcmp(dot, ".from") == 0, to = dot && strcmp(dot, ".to") == 0;
    for (bl_index i = 0; i < model->nelastic && (from || to); i++) {
        const bl_elastic_def *e = &model->elastic[i];
        size_t n = (size_t)(dot - name);
        if (e->what == BL_ELASTIC_BEAM && strncmp(e->name, name, n) == 0 && e->name[n] == '\0')
            return from ? e->frame : e->frame + e->nframe - 1;
    }
    return -1;
}

bl_index bl_model_body(const bl_model *model, const char *name) {
    bl_index found = find_name(model, BODIES, name);
    return found >= 0 ? found : end_of_beam(model, name);
}

bl_index bl_model_joint(const bl_model *model, const char *name) { return find_name(model, JOINTS, name); }

bl_index bl_model_variable(const bl_model *model, const char *name) { return find_name(model, VARIABLES, name); }

bl_index bl_model_probe(const bl_model *model, const char *name) { return find_name(model, PROBES, name); }

bl_index bl_model_signal(const bl_model *model, const char *name) {
    for (bl_index i = 0; i < model->nsignal; i++)
        if (!model->signal[i].hidden && strcmp(model->signal[i].name, name) == 0)
            return i;
    return -1;
}

bl_index bl_model_input(const bl_model *model, bl_index k) {
    for (bl_index i = 0; i < model->nsignal; i++)
        if (model->signal[i].what == BL_SIGNAL_INPUT && k-- == 0)
            return i;
    return -1;
}

bl_mark bl_model_mark_point(const bl_model *model, bl_index body, const double at[3]) {
    bl_mark mark = {.body = body};
    for (int k = 0; k < 3; k++)
        mark.s[k] = at[k] - model->body[body].center[k];
    return mark;
}

bl_mark bl_model_mark_vector(const bl_model *model, bl_index body, const double direction[3]) {
    (void)model; /* in the model configuration body axes are parallel to the global ones */
    bl_mark mark = {.body = body, .is_vector = true};
    memcpy(mark.s, direction, sizeof mark.s);
    return mark;
}

/* ---- reading */

/* a model without rigid bodies: its section, then studies and settings */
static bl_status read_plain(bl_reader *r, bl_status (*read)(bl_reader *r)) {
    BL_TRY(read(r));
    BL_TRY(bl_quantities_refuse(r));
    BL_TRY(bl_read_studies(r));
    return bl_read_settings(r);
}

static void note_law(bl_model *model, bl_index law, uint8_t use) {
    for (bl_index i = 0; law >= 0 && i < model->law[law].ninput; i++)
        if (model->law[law].input[i].what == BL_SYM_PARAMETER)
            model->parameter[model->law[law].input[i].ref].use |= use;
}

/* Laws of forces read parameters at every evaluation; all other uses count as numbers. */
static void note_laws(bl_model *model) {
    for (bl_index i = 0; i < model->nforce; i++)
        for (bl_index k = 0; k < BL_MAX_PARAMS; k++)
            for (int c = 0; c < 3 && model->force[i].value[k].given; c++)
                note_law(model, model->force[i].value[k].law[c], BL_PARAMETER_IN_LAWS);
    for (bl_index i = 0; i < model->ndriver; i++)
        note_law(model, model->driver[i].law, BL_PARAMETER_IN_NUMBERS);
    for (bl_index i = 0; i < model->nstop; i++)
        note_law(model, model->stop[i].law, BL_PARAMETER_IN_NUMBERS);
    for (bl_index i = 0; i < model->nsignal; i++) {
        note_law(model, model->signal[i].law, BL_PARAMETER_IN_NUMBERS);
        note_law(model, model->signal[i].start, BL_PARAMETER_IN_NUMBERS);
    }
    for (bl_index i = 0; i < model->naction; i++)
        note_law(model, model->action[i].law, BL_PARAMETER_IN_NUMBERS);
    for (bl_index i = 0; i < model->nquantity; i++)
        note_law(model, model->quantity[i].law, BL_PARAMETER_IN_NUMBERS);
    for (bl_index i = 0; i < model->npercussion; i++)
        for (int k = 0; k < 3; k++)
            note_law(model, model->percussion[i].law[k], BL_PARAMETER_IN_NUMBERS);
    for (bl_index i = 0; i < model->nassignment; i++)
        note_law(model, model->assignment[i].law, BL_PARAMETER_IN_NUMBERS);
}

static bl_status read_sections(bl_reader *r) {
    BL_TRY(bl_read_head(r));
    BL_TRY(bl_symbols_parameters(r));
    BL_TRY(bl_signals_name(r));
    if (bl_section_last(r, "matrices"))
        return read_plain(r, bl_read_matrices);
    if (bl_section_last(r, "equations") && !bl_equations_with_bodies(r))
        return read_plain(r, bl_read_equations);
    if (bl_has_solids(r) && !bl_solids_move(r)) {
        BL_TRY(bl_read_rest(r));
        return read_plain(r, bl_read_solids);
    }
    BL_TRY(bl_symbols_points(r));
    BL_TRY(bl_read_bodies(r));
    BL_TRY(bl_read_ground(r));
    BL_TRY(bl_read_joints(r));
    BL_TRY(bl_symbols_variables(r));
    BL_TRY(bl_params_resolve(r));
    BL_TRY(bl_read_stops(r));
    BL_TRY(bl_read_contacts(r));
    BL_TRY(bl_read_sticking(r));
    BL_TRY(bl_read_percussions(r)); /* last: they are not among the contacts of results */
    BL_TRY(bl_read_handles(r));
    BL_TRY(bl_contacts_append(r));
    BL_TRY(bl_joints_resolve(r->model));
    BL_TRY(bl_symbols_probes(r));
    BL_TRY(bl_read_reactions(r));
    BL_TRY(bl_read_drivers(r));
    BL_TRY(bl_read_forces(r));
    BL_TRY(bl_sticking_complete(r));
    BL_TRY(bl_compliant_append(r));
    BL_TRY(bl_mesh_bodies_loads(r));
    BL_TRY(bl_read_settings(r));
    BL_TRY(bl_read_initial(r));
    BL_TRY(bl_read_quantities(r));
    BL_TRY(bl_read_signals(r));
    BL_TRY(bl_check_driven(r));
    note_laws(r->model);
    return bl_read_studies(r);
}

static bl_status keep_options(bl_model *model, const bl_read_options *options) {
    bl_override *all;
    BL_TRY(BL_ARENA_NEW(&model->arena, all, options->noverride));
    for (bl_index i = 0; i < options->noverride; i++) {
        const char *name = options->override[i].name ? options->override[i].name : "";
        all[i].value = options->override[i].value;
        if (!(all[i].name = bl_arena_text(&model->arena, name, strlen(name))))
            return BL_E_MEMORY;
    }
    model->override = all;
    model->noverride = options->noverride;
    model->files = options->files;
    model->contact_option = options->contact ? bl_arena_text(&model->arena, options->contact, strlen(options->contact)) : NULL;
    if (options->contact && !model->contact_option)
        return BL_E_MEMORY;
    model->share = options->share;
    return BL_OK;
}

static bl_status read_text(bl_reader *r, const char *text, size_t bytes, const uint64_t id[2]) {
    bl_model *model = r->model;
    model->source = text;
    model->source_bytes = bytes;
    bool deck = bl_is_deck(model->file, text, bytes);
    bl_status status = deck ? bl_read_deck(r, text, bytes) : bl_source_add(r, model->file, text, bytes, id);
    if (status == BL_OK && !deck)
        status = read_sections(r);
    if (status == BL_OK)
        status = hash_names(model);
    if (status == BL_E_MODEL && r->part)
        bl_blame(r->ctx, r->part, NULL, NAN);
    return status;
}

bl_index bl_reader_most(const bl_reader *r, bl_index limit) { return (bl_index)(r->share * (double)limit); }

/* text NULL: from the file `name` */
static bl_status read_model(bl_context *ctx, const char *name, const char *text, size_t bytes, const bl_read_options *options,
                            const bl_yield *yield, bl_index nyield, bl_model **out) {
    bl_reader *r;
    bl_model *model;
    BL_TRY(BL_NEW(ctx, model, 1));
    model->ctx = model->arena.ctx = ctx;
    if (BL_NEW(ctx, r, 1) != BL_OK) {
        bl_model_destroy(model);
        return BL_E_MEMORY;
    }
    *r = (bl_reader){.ctx = ctx,
                     .model = model,
                     .scratch = {.ctx = ctx},
                     .override = options->override,
                     .noverride = options->noverride,
                     .files = options->files,
                     .contact_option = options->contact,
                     .share = options->share > 0 ? options->share : 1,
                     .yield = yield,
                     .nyield = nyield};
    bool standard = !text && strcmp(name, "-") == 0;
    uint64_t id[2] = {0, 0};
    bl_status status = BL_OK;
    model->file = bl_arena_text(&model->arena, standard ? "standard input" : name, strlen(standard ? "standard input" : name));
    if (!model->file)
        status = BL_E_MEMORY;
    else if (!text)
        status = bl_source_load(r, &model->arena, name, NULL, &text, &bytes, id);
    else if (!(text = bl_arena_text(&model->arena, text, bytes)))
        status = BL_E_MEMORY;
    if (status == BL_OK)
        status = keep_options(model, options);
    if (status == BL_OK)
        status = read_text(r, text, bytes, id);
    bl_arena_destroy(&r->scratch);
    bl_free(ctx, r->document);
    bl_free(ctx, r->pending);
    bl_free(ctx, r->contact);
    bl_free(ctx, r->contact_joint);
    bl_free(ctx, r->compliant);
    bl_free(ctx, r);
    if (status == BL_OK)
        *out = model;
    else
        bl_model_destroy(model);
    return status;
}

static bl_status check_contact(bl_context *ctx, const char *contact) {
    if (!contact || strcmp(contact, "events") == 0 || strcmp(contact, "stepping") == 0)
        return BL_OK;
    return bl_fail(ctx, BL_E_ARG, NULL, "contact must be events or stepping, found '%s'", contact);
}

static bool valid_options(const bl_read_options *options) {
    return options->noverride >= 0 && (options->noverride == 0 || options->override) && options->files >= BL_FILES_ANY &&
           options->files <= BL_FILES_NONE && options->share >= 0 && options->share <= 1;
}

bl_status bl_model_open_yielding(bl_context *ctx, const char *name, const char *text, size_t bytes, const bl_read_options *options,
                                 const bl_yield *yield, bl_index nyield, bl_model **model) {
    bl_read_options own;
    if (model)
        *model = NULL;
    BL_TRY(BL_TAKE(ctx, bl_read_options, options, &own));
    if (!ctx || !model || (!text && bytes) || !valid_options(&own))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_model_read_text: a pointer is NULL or an option is out of range");
    BL_TRY(check_contact(ctx, own.contact));
    if (bytes > BL_SOURCE_BYTES)
        return bl_fail(ctx, BL_E_MODEL, &(bl_place){name, 0, 0}, "the text is larger than %d MB", BL_SOURCE_BYTES / (1024 * 1024));
    return read_model(ctx, name ? name : "model", text ? text : "", bytes, &own, yield, nyield, model);
}

bl_status bl_model_open_text(bl_context *ctx, const char *name, const char *text, size_t bytes, const bl_read_options *options,
                             bl_model **model) {
    return bl_model_open_yielding(ctx, name, text, bytes, options, NULL, 0, model);
}

bl_status bl_model_open(bl_context *ctx, const char *file, const bl_read_options *options, bl_model **model) {
    bl_read_options own;
    if (model)
        *model = NULL;
    BL_TRY(BL_TAKE(ctx, bl_read_options, options, &own));
    if (!ctx || !model || !file || !valid_options(&own))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_model_read: a pointer is NULL or an option is out of range");
    BL_TRY(check_contact(ctx, own.contact));
    return read_model(ctx, file, NULL, 0, &own, NULL, 0, model);
}

bl_status bl_model_read_text(bl_context *ctx, const char *name, const char *text, size_t bytes, const bl_override *overrides,
                             bl_index noverride, bl_model **model) {
    bl_read_options options = {.size = sizeof options, .override = overrides, .noverride = noverride};
    return bl_model_open_text(ctx, name, text, bytes, &options, model);
}

bl_status bl_model_read(bl_context *ctx, const char *file, const bl_override *overrides, bl_index noverride, bl_model **model) {
    bl_read_options options = {.size = sizeof options, .override = overrides, .noverride = noverride};
    return bl_model_open(ctx, file, &options, model);
}

void bl_model_destroy(bl_model *model) {
    if (!model)
        return;
    bl_context *ctx = model->ctx;
    for (bl_index i = 0; i < model->nlaw; i++)
        bl_tape_destroy(model->law[i].tape);
    bl_free(ctx, model->law);
    bl_free(ctx, model->signal);
    bl_free(ctx, model->action);
    bl_free(ctx, model->assignment);
    bl_free(ctx, model->prim);
    bl_touch_forget(model);
    for (bl_index i = 0; i < model->nsolid; i++)
        bl_mesh_destroy(&model->solid[i].mesh);
    for (bl_index i = 0; i < model->nelastic; i++)
        if (model->elastic[i].floating && model->elastic[i].floating->solid)
            bl_mesh_destroy(&model->elastic[i].floating->solid->mesh);
    if (model->equations)
        bl_tape_destroy(model->equations->tape);
    for (int i = 0; i < LISTS; i++)
        bl_hash_free(ctx, &model->names[i]);
    bl_arena_destroy(&model->arena);
    bl_free(ctx, model);
}

const char *bl_model_name(const bl_model *model) { return model->name; }

static const bl_solid *mesh_of(const bl_model *model, const bl_elastic_def *elastic) {
    return elastic->what == BL_ELASTIC_MESH ? &model->solid[elastic->solid] : elastic->floating ? elastic->floating->solid : NULL;
}

bl_index bl_model_meshes(const bl_model *model) {
    bl_index n = 0;
    for (bl_index i = 0; i < model->nelastic; i++)
        n += mesh_of(model, &model->elastic[i]) != NULL;
    return model->nelastic ? n : model->nsolid;
}

const bl_solid *bl_model_mesh(const bl_model *model, bl_index k, bl_index *elastic) {
    bl_index i = 0;
    for (; i < model->nelastic; i++)
        if (mesh_of(model, &model->elastic[i]) && k-- == 0)
            break;
    if (elastic)
        *elastic = model->nelastic ? i : -1;
    return model->nelastic ? mesh_of(model, &model->elastic[i]) : &model->solid[k];
}

bl_index bl_model_parameters(const bl_model *model, bl_override *out, bl_index room) {
    for (bl_index i = 0; i < model->nparameter && i < room; i++)
        out[i] = (bl_override){model->parameter[i].name, model->parameter[i].value};
    return model->nparameter;
}
