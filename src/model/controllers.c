/* Controllers: kinds with a parameter table, lowered to signals. A continuous one becomes states and an output; a sampled one held numbers
 * and an action that sets them at every sample. */
#include "controller/controller.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool given(const bl_item *entry, const char *key) {
    const bl_item *node = bl_item_get(entry, key);
    return node && !bl_item_null(node);
}

static bl_status kind_of(bl_reader *r, const bl_item *entry, const bl_controller_kind **kind) {
    bl_index which = 0;
    if (given(entry, "type"))
        BL_TRY(bl_params_kind(r, entry, "controller", (const void *const *)bl_controller_kinds, bl_controller_kind_count, &which));
    *kind = bl_controller_kinds[which];
    bool sampled = given(entry, "every");
    if ((*kind)->kind.gives & (sampled ? BL_SAMPLED : BL_CONTINUOUS))
        return BL_OK;
    return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "a controller of type %s is always %s: %s 'every'", (*kind)->kind.name,
                   sampled ? "continuous" : "sampled", sampled ? "it takes no" : "it needs");
}

/* ---- names */

static bl_status name_state(bl_reader *r, const char *controller, const char *state, const bl_place *place, bool sampled) {
    const char *name = bl_arena_printf(&r->model->arena, "%s.%s", controller, state);
    bl_index which;
    return name ? bl_signals_add(r, sampled ? BL_SIGNAL_HELD : BL_SIGNAL_STATE, "a state", name, place, &which) : BL_E_MEMORY;
}

static bl_status name_controller(bl_reader *r, const char *name, const bl_place *place, const bl_item *entry, void *user) {
    const bl_controller_kind *kind;
    bl_index which;
    char what[128];
    (void)user;
    snprintf(what, sizeof what, "controller '%.80s'", name);
    r->part = name;
    BL_TRY(bl_item_map(r, entry, what));
    BL_TRY(bl_symbols_reserved(r, name, "a controller", place));
    BL_TRY(kind_of(r, entry, &kind));
    bool sampled = given(entry, "every");
    BL_TRY(bl_signals_add(r, sampled ? BL_SIGNAL_HELD : BL_SIGNAL_OUTPUT, "a controller", name, place, &which));
    const char *const *states = sampled ? kind->sampled_states : kind->states;
    for (; states && *states; states++)
        BL_TRY(name_state(r, name, *states, place, sampled));
    const bl_item *own = kind->kind.gives & BL_OWN_STATES && given(entry, "states") ? bl_item_get(entry, "states") : NULL;
    if (own)
        BL_TRY(bl_item_map(r, own, "states"));
    for (bl_index i = 0; own && i < own->count; i++) {
        BL_TRY(bl_symbols_reserved(r, own->key[i]->text, "a state", &own->key[i]->place));
        BL_TRY(name_state(r, name, own->key[i]->text, &own->key[i]->place, sampled));
    }
    r->part = NULL;
    return BL_OK;
}

bl_status bl_controllers_name(bl_reader *r) { return bl_named_each(r, "controllers", name_controller, NULL); }

/* ---- states */

static bl_status unknown_state(bl_reader *r, const bl_item *name, const char *key, const char *controller) {
    bl_fail(r->ctx, BL_E_MODEL, &name->place, "%s: controller '%s' has no state '%s'", key, controller, name->text);
    bl_advise(r->ctx, "list it with its value at the start: `states: {%s: 0}`", name->text);
    return BL_E_MODEL;
}

/* Before the laws, which may use them: states that change without a start, or start without a value. */
static bl_status check_states(bl_reader *r, const bl_item *entry, const bl_controller *c) {
    const char *key = c->sampled ? "update" : "rate";
    const bl_item *states = given(entry, "states") ? bl_item_get(entry, "states") : NULL;
    const bl_item *map = given(entry, key) ? bl_item_get(entry, key) : NULL;
    if (!(c->kind->kind.gives & BL_OWN_STATES) || (states && states->kind != BL_ITEM_MAP))
        return BL_OK;
    for (bl_index i = 0; map && map->kind == BL_ITEM_MAP && i < map->count; i++)
        if (!states || !bl_item_get(states, map->key[i]->text))
            return unknown_state(r, map->key[i], key, c->name);
    for (bl_index i = 0; states && i < states->count; i++)
        if (bl_item_null(states->value[i])) {
            bl_fail(r->ctx, BL_E_MODEL, &states->key[i]->place, "state '%s' of controller '%s' has no value at the start",
                    states->key[i]->text, c->name);
            bl_advise(r->ctx, "give it: `states: {%s: 0}`", states->key[i]->text);
            return BL_E_MODEL;
        }
    return BL_OK;
}

static bl_status add_state(bl_reader *r, bl_controller *c, const char *name) {
    char full[256];
    snprintf(full, sizeof full, "%s.%s", c->name, name);
    c->state[c->nstate++] = (bl_controller_state){.name = name, .signal = bl_names_find(&r->signals, full), .next = -1, .start = -1};
    return BL_OK;
}

static bl_status list_states(bl_reader *r, const bl_item *entry, bl_controller *c) {
    const char *const *states = c->sampled ? c->kind->sampled_states : c->kind->states;
    const bl_item *own = c->kind->kind.gives & BL_OWN_STATES && given(entry, "states") ? bl_item_get(entry, "states") : NULL;
    size_t n = own ? (size_t)own->count : 0;
    for (int i = 0; states && states[i]; i++)
        n++;
    BL_TRY(BL_ARENA_NEW(&r->scratch, c->state, n + 1));
    for (; states && *states; states++)
        BL_TRY(add_state(r, c, *states));
    for (bl_index i = 0; own && i < own->count; i++) {
        BL_TRY(add_state(r, c, own->key[i]->text));
        double start;
        BL_TRY(bl_item_number(r, own->value[i], own->key[i]->text, &start));
        bl_signal_def *signal = &r->model->signal[c->state[c->nstate - 1].signal];
        signal->value = start;
        signal->scale = fmax(1, fabs(start));
    }
    return BL_OK;
}

/* `rate` or `update`: the law of each state of the file */
static bl_status read_changes(bl_reader *r, const bl_item *entry, bl_controller *c) {
    const char *key = c->sampled ? "update" : "rate", *other = c->sampled ? "rate" : "update";
    if (!(c->kind->kind.gives & BL_OWN_STATES))
        return BL_OK;
    if (given(entry, other))
        return bl_fail(r->ctx, BL_E_MODEL, &bl_item_get(entry, other)->place, "controller '%s' is %s: its states have '%s' instead of '%s'",
                       c->name, c->sampled ? "sampled" : "continuous", key, other);
    const bl_item *map = given(entry, key) ? bl_item_get(entry, key) : NULL;
    if (map)
        BL_TRY(bl_item_map(r, map, key));
    for (bl_index i = 0; map && i < map->count; i++) {
        const bl_item *name = map->key[i];
        bl_index k = 0, law;
        double number;
        while (k < c->nstate && strcmp(c->state[k].name, name->text) != 0)
            k++;
        if (k == c->nstate)
            return unknown_state(r, name, key, c->name);
        BL_TRY(bl_laws_read(r, map->value[i], name->text, BL_USE_TIME | BL_USE_STATE | BL_USE_ALWAYS, &law, &number));
        c->state[k].next = bl_controller_model_law(c, law);
        BL_TRY(c->status);
    }
    for (bl_index k = 0; k < c->nstate; k++)
        if (c->state[k].next < 0) {
            bl_fail(r->ctx, BL_E_MODEL, &r->model->signal[c->state[k].signal].place, "state '%s' of controller '%s' never changes",
                    c->state[k].name, c->name);
            bl_advise(r->ctx, "give its law: `%s: {%s: ...}`", key, c->state[k].name);
            return BL_E_MODEL;
        }
    return BL_OK;
}

/* ---- what becomes of it */

static bl_status law_of(bl_reader *r, const bl_controller *c, bl_index node, bl_index *law) {
    return bl_laws_record(r, c->tape, node, c->ninput, c->input, c->name, &c->place, law);
}

static bl_status start_states(bl_reader *r, const bl_controller *c) {
    for (bl_index k = 0; k < c->nstate; k++) {
        bl_index law = -1;
        if (c->state[k].start < 0)
            continue;
        BL_TRY(law_of(r, c, c->state[k].start, &law));
        r->model->signal[c->state[k].signal].start = law;
    }
    return BL_OK;
}

static bl_status make_continuous(bl_reader *r, const bl_controller *c) {
    bl_index law;
    for (bl_index k = 0; k < c->nstate; k++) {
        BL_TRY(law_of(r, c, c->state[k].next, &law));
        r->model->signal[c->state[k].signal].law = law;
    }
    BL_TRY(law_of(r, c, c->output, &law));
    r->model->signal[bl_names_find(&r->signals, c->name)].law = law;
    return BL_OK;
}

static bl_status make_sampled(bl_reader *r, const bl_controller *c, double offset, double delay) {
    bl_action *action;
    BL_TRY(bl_actions_add(r,
                          &(bl_action){.name = c->name,
                                       .place = c->place,
                                       .when = BL_ACTION_EVERY,
                                       .sample = true,
                                       .time = offset,
                                       .period = c->period,
                                       .law = -1,
                                       .percussion = -1},
                          &action));
    for (bl_index k = 0; k < c->nstate; k++) {
        bl_assignment set = {.signal = c->state[k].signal, .place = c->place};
        BL_TRY(law_of(r, c, c->state[k].next, &set.law));
        BL_TRY(bl_actions_assign(r, &set));
    }
    bl_assignment set = {.signal = bl_names_find(&r->signals, c->name), .delay = delay, .place = c->place};
    BL_TRY(law_of(r, c, c->output, &set.law));
    return bl_actions_assign(r, &set);
}

/* ---- times */

static bl_status read_number(bl_reader *r, const bl_item *entry, const char *key, uint32_t flags, double *value) {
    const bl_item *node = bl_item_get(entry, key);
    if (!given(entry, key))
        return BL_OK;
    BL_TRY(bl_item_number(r, node, key, value));
    return bl_item_range(r, &node->place, key, flags, *value);
}

static bl_status read_times(bl_reader *r, const bl_item *entry, bl_controller *c, double *offset, double *delay) {
    static const char *const of_samples[] = {"offset", "delay", "start"};
    double until = r->model->settings.until;
    for (int k = 0; k < 3 && !c->sampled; k++)
        if (given(entry, of_samples[k])) {
            bl_fail(r->ctx, BL_E_MODEL, &bl_item_get(entry, of_samples[k])->place, "'%s' needs a sampled controller: add 'every'",
                    of_samples[k]);
            return BL_E_MODEL;
        }
    BL_TRY(read_number(r, entry, "offset", BL_NOT_NEGATIVE, offset));
    BL_TRY(read_number(r, entry, "delay", BL_NOT_NEGATIVE, delay));
    BL_TRY(read_number(r, entry, "start", 0, &r->model->signal[bl_names_find(&r->signals, c->name)].value));
    if (*delay > 0 && *delay >= until) {
        bl_fail(r->ctx, BL_E_MODEL, &bl_item_get(entry, "delay")->place, "a delay of %g s is longer than the run of %g s", *delay, until);
        bl_advise(r->ctx, "the output would never change");
        return BL_E_MODEL;
    }
    if (!c->sampled)
        return BL_OK;
    const bl_item *every = bl_item_get(entry, "every");
    BL_TRY(bl_item_number(r, every, "every", &c->period));
    return bl_actions_period(r, &every->place, "every", c->period, *offset);
}

/* ---- reading */

static bl_status build(bl_reader *r, const bl_item *entry, bl_controller *c) {
    static const char *const own[] = {"name", "type", "every", "offset", "delay", "start", "unit", "states", "update", "rate"};
    size_t nown = sizeof own / sizeof *own - (c->kind->kind.gives & BL_OWN_STATES ? 0 : 3);
    double offset = 0, delay = 0;
    const bl_kind *kind = &c->kind->kind;
    BL_TRY(bl_tape_create(r->ctx, &c->tape));
    BL_TRY(BL_ARENA_NEW(&r->scratch, c->rate_of, (size_t)r->model->nsignal + 1));
    BL_TRY(check_states(r, entry, c));
    BL_TRY(bl_params_read(r, entry, kind, "controller", own, nown, BL_USE_TIME | BL_USE_STATE | BL_USE_BARE, c->value));
    BL_TRY(bl_params_required(r, entry, kind, "controller", c->value));
    BL_TRY(read_times(r, entry, c, &offset, &delay));
    if (given(entry, "unit"))
        BL_TRY(bl_item_keep(r, bl_item_get(entry, "unit"), "unit", &r->model->signal[bl_names_find(&r->signals, c->name)].unit));
    BL_TRY(list_states(r, entry, c));
    BL_TRY(read_changes(r, entry, c));
    BL_TRY(bl_tape_status(c->tape));
    BL_TRY(c->kind->build(c));
    BL_TRY(bl_tape_status(c->tape));
    BL_TRY(start_states(r, c));
    return c->sampled ? make_sampled(r, c, offset, delay) : make_continuous(r, c);
}

static bl_status read_controller(bl_reader *r, const char *name, const bl_place *place, const bl_item *entry, void *user) {
    bl_controller *c;
    (void)user, (void)place;
    BL_TRY(BL_ARENA_NEW(&r->scratch, c, 1));
    *c = (bl_controller){.ctx = r->ctx, .model = r->model, .name = name, .place = entry->place, .output = -1};
    BL_TRY(kind_of(r, entry, &c->kind));
    c->sampled = given(entry, "every");
    r->part = r->local = name;
    bl_status status = build(r, entry, c);
    bl_tape_destroy(c->tape);
    bl_free(r->ctx, c->input);
    r->local = NULL;
    r->part = status == BL_OK ? NULL : r->part;
    return status;
}

bl_status bl_read_controllers(bl_reader *r) { return bl_named_each(r, "controllers", read_controller, NULL); }
