/* Actions: `events` of the file. Every one has a trigger (at, every, when) and changes held numbers and states, or ends the run. */
#include "model/model_limits.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bl_status bl_actions_add(bl_reader *r, const bl_action *action, bl_action **added) {
    bl_model *model = r->model;
    BL_TRY(BL_RESERVE(r->ctx, model->action, r->action_capacity, model->naction + 1));
    *added = &model->action[model->naction++];
    **added = *action;
    (*added)->first = model->nassignment;
    (*added)->count = 0;
    return BL_OK;
}

bl_status bl_actions_assign(bl_reader *r, const bl_assignment *assignment) {
    bl_model *model = r->model;
    BL_TRY(BL_RESERVE(r->ctx, model->assignment, r->assignment_capacity, model->nassignment + 1));
    model->assignment[model->nassignment++] = *assignment;
    model->action[model->naction - 1].count++;
    return BL_OK;
}

bl_status bl_actions_period(bl_reader *r, const bl_place *place, const char *what, double period, double offset) {
    BL_TRY(bl_item_range(r, place, what, BL_POSITIVE, period));
    double until = r->model->settings.until, size = fmax(offset, isfinite(until) ? until : 0);
    if (period >= model_period_counted * size)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, place, "%s = %g s is too short to be counted at times of %g s", what, period, size);
    bl_advise(r->ctx, "periods must be at least %.0e of the length of the run", model_period_counted);
    return BL_E_MODEL;
}

/* ---- what is set */

static bl_status find_target(bl_reader *r, const char *name, const bl_place *place, bl_index *which) {
    static const char *const words[] = {"an input, which is set from outside", NULL, NULL, "the output of a controller", "a delayed value"};
    bool rate;
    *which = bl_names_find(&r->signals, name);
    const char *what = *which >= 0                                ? words[r->model->signal[*which].what]
                       : bl_names_find(&r->parameters, name) >= 0 ? "a parameter, which is constant"
                       : bl_symbols_variable(r, name, &rate) >= 0 ? "a variable of the mechanism, which forces and drivers move"
                                                                  : NULL;
    if (what) {
        bl_fail(r->ctx, BL_E_MODEL, place, "set: '%s' cannot be set: it is %s", name, what);
        bl_advise(r->ctx, "events can set held numbers (`held: {%s: ...}`) and states", strchr(name, '.') ? "F" : name);
        return BL_E_MODEL;
    }
    if (*which >= 0)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, place, "set: there is no held number or state '%s'", name);
    bl_names_advise(r, name, (const bl_names *const[]){&r->signals, NULL});
    return BL_E_MODEL;
}

static bl_status read_set(bl_reader *r, const bl_item *set) {
    BL_TRY(bl_item_map(r, set, "set"));
    for (bl_index i = 0; i < set->count; i++) {
        bl_assignment a = {.law = -1, .place = set->key[i]->place};
        BL_TRY(find_target(r, set->key[i]->text, &set->key[i]->place, &a.signal));
        BL_TRY(bl_laws_read(r, set->value[i], set->key[i]->text, BL_USE_TIME | BL_USE_STATE, &a.law, &a.value));
        BL_TRY(bl_actions_assign(r, &a));
    }
    return BL_OK;
}

/* ---- when */

static bl_status read_direction(bl_reader *r, const bl_item *node, int8_t *direction) {
    static const char *const words[] = {"down", "both", "up"};
    const char *word;
    BL_TRY(bl_item_text(r, node, "direction", &word));
    for (int k = 0; k < 3; k++)
        if (strcmp(word, words[k]) == 0) {
            *direction = (int8_t)(k - 1);
            return BL_OK;
        }
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "direction must be up, down or both, found '%s'", word);
    const char *near = bl_nearest(word, words, 3);
    if (near)
        bl_advise(r->ctx, "did you mean '%s'?", near);
    return BL_E_MODEL;
}

static bl_status read_condition(bl_reader *r, const bl_item *node, bl_action *action) {
    double number = NAN;
    BL_TRY(bl_laws_read(r, node, "when", BL_USE_TIME | BL_USE_STATE | BL_USE_BARE, &action->law, &number));
    if (action->law >= 0 && !isfinite(number))
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "when: the expression is constant and never goes through zero");
    bl_advise(r->ctx, "use t, a variable, a probe or a state: `when: \"j1.angle - 1\"`; for times use `at` or `every`");
    return BL_E_MODEL;
}

static bl_status read_trigger(bl_reader *r, const bl_item *entry, bl_action *action) {
    const bl_item *at = bl_item_get(entry, "at"), *every = bl_item_get(entry, "every"), *when = bl_item_get(entry, "when"),
                  *offset = bl_item_get(entry, "offset"), *direction = bl_item_get(entry, "direction");
    if (!!at + !!every + !!when != 1) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "an event needs exactly one of 'at', 'every' and 'when', found %d",
                !!at + !!every + !!when);
        bl_advise(r->ctx, "at: a time; every: a period; when: an expression that goes through zero");
        return BL_E_MODEL;
    }
    if (direction && !when)
        return bl_fail(r->ctx, BL_E_MODEL, &direction->place, "'direction' can only be used with 'when'");
    if (offset && !every)
        return bl_fail(r->ctx, BL_E_MODEL, &offset->place, "'offset' can only be used with 'every'");
    action->when = at ? BL_ACTION_AT : every ? BL_ACTION_EVERY : BL_ACTION_WHEN;
    if (direction)
        BL_TRY(read_direction(r, direction, &action->direction));
    if (when)
        return read_condition(r, when, action);
    const bl_item *time = at ? at : offset;
    if (time) {
        BL_TRY(bl_item_number(r, time, at ? "at" : "offset", &action->time));
        BL_TRY(bl_item_range(r, &time->place, at ? "at" : "offset", BL_NOT_NEGATIVE, action->time));
    }
    if (!every)
        return BL_OK;
    BL_TRY(bl_item_number(r, every, "every", &action->period));
    return bl_actions_period(r, &every->place, "every", action->period, action->time);
}

/* an event that ends the run is a stop expression */
static bl_status add_stop(bl_reader *r, const bl_action *action, bool named) {
    bl_model *model = r->model;
    bl_stop *all;
    BL_TRY(BL_ARENA_NEW(&model->arena, all, (size_t)model->nstop + 1));
    if (model->nstop)
        memcpy(all, model->stop, (size_t)model->nstop * sizeof *all);
    all[model->nstop++] = (bl_stop){.name = named ? action->name : model->law[action->law].text,
                                    .place = action->place,
                                    .law = action->law,
                                    .direction = action->direction};
    model->stop = all;
    return BL_OK;
}

static bl_status read_event(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"name", "at", "every", "when", "offset", "direction", "set", "stop", "percussion"};
    const bl_item *set, *stop, *name, *percussion;
    bl_action action = {.place = entry->place, .law = -1, .percussion = -1}, *added;
    bool ends = false;
    (void)user;
    BL_TRY(bl_item_map(r, entry, "an event"));
    BL_TRY(bl_item_keys(r, entry, "an event", keys, sizeof keys / sizeof *keys, NULL));
    set = bl_item_get(entry, "set");
    percussion = bl_item_get(entry, "percussion");
    if ((stop = bl_item_get(entry, "stop")) && !bl_item_null(stop))
        BL_TRY(bl_item_flag(r, stop, "stop", &ends));
    if ((name = bl_item_get(entry, "name")))
        BL_TRY(bl_item_keep(r, name, "name", &action.name));
    else if (!(action.name = bl_arena_printf(&r->model->arena, "event %d", (int)++r->nevent)))
        return BL_E_MEMORY;
    r->part = action.name;
    BL_TRY(read_trigger(r, entry, &action));
    if (!ends && !percussion && (!set || bl_item_null(set))) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the event does nothing: it has neither 'set' nor 'percussion' nor 'stop: true'");
        bl_advise(r->ctx, "`set: {F: 5}` changes held numbers and states, `percussion: {body: b, at: P, impulse: [1, 0]}` velocities, "
                          "`stop: true` ends the run");
        return BL_E_MODEL;
    }
    if (ends && set)
        return bl_fail(r->ctx, BL_E_MODEL, &set->place, "an event that ends the run (stop: true) cannot set anything");
    if (ends && percussion)
        return bl_fail(r->ctx, BL_E_MODEL, &percussion->place, "an event that ends the run (stop: true) cannot have a percussion");
    if (ends && action.when != BL_ACTION_WHEN) {
        bl_fail(r->ctx, BL_E_MODEL, &stop->place, "'stop' can only be used with 'when'");
        bl_advise(r->ctx, "the time at which a run ends is `simulate: {until: ...}`");
        return BL_E_MODEL;
    }
    r->part = NULL;
    if (ends)
        return add_stop(r, &action, name != NULL);
    r->part = action.name;
    if (percussion)
        BL_TRY(bl_percussion_read(r, percussion, &action.percussion));
    BL_TRY(bl_actions_add(r, &action, &added));
    if (set)
        BL_TRY(read_set(r, set));
    r->part = NULL;
    return BL_OK;
}

bl_status bl_read_actions(bl_reader *r) { return bl_section_each(r, "events", read_event, NULL); }
