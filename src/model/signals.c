/* Signals: `inputs`, `held`, `states`. Their names are known before any law is read, so that laws may use them in any order; their own laws
 * and those of `events` are read last. An output is a law with a name: laws that use it receive its operations, so that nobody else needs
 * to know outputs. */
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one namespace */

bl_status bl_signals_free_name(bl_reader *r, const char *name, const char *what, const bl_place *place) {
    const bl_model *model = r->model;
    const char *owner = NULL;
    bl_place first = {0};
    bl_index which;
    bool rate;
    if ((which = bl_names_find(&r->parameters, name)) >= 0) {
        owner = "a parameter";
        first = model->parameter[which].place;
    } else if ((which = bl_names_find(&r->signals, name)) >= 0) {
        static const char *const words[] = {"an input", "a held number", "a state", "a controller", "a delayed value"};
        owner = words[model->signal[which].what];
        first = model->signal[which].place;
    } else if ((which = bl_symbols_variable(r, name, &rate)) >= 0) {
        owner = rate ? "a rate" : "a variable";
        first = model->joint[model->variable[which].joint].place;
    }
    if (!owner)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, place, "'%s' cannot be the name of %s: it is already the name of %s (%s:%d)", name, what, owner,
            first.file ? first.file : model->file, first.line);
    bl_advise(r->ctx, "parameters, inputs, held numbers, states and controllers are used by name in expressions: give each its own");
    return BL_E_MODEL;
}

bl_status bl_signals_add(bl_reader *r, bl_signal_what what, const char *word, const char *name, const bl_place *place, bl_index *which) {
    bl_model *model = r->model;
    BL_TRY(bl_signals_free_name(r, name, word, place));
    BL_TRY(BL_RESERVE(r->ctx, model->signal, r->signal_capacity, model->nsignal + 1));
    *which = model->nsignal++;
    model->signal[*which] =
        (bl_signal_def){.name = name, .place = *place, .what = (uint8_t)what, .value = 0, .start = -1, .scale = 1, .law = -1};
    return bl_names_put(r, &r->signals, name, *which);
}

typedef struct naming {
    bl_signal_what what;
    const char *word;
} naming;

static bl_status name_signal(bl_reader *r, const char *name, const bl_place *place, const bl_item *value, void *user) {
    const naming *as = user;
    bl_index which;
    (void)value;
    BL_TRY(bl_symbols_reserved(r, name, as->word, place));
    return bl_signals_add(r, as->what, as->word, name, place, &which);
}

static const char *const sections[] = {"inputs", "held", "states", "controllers", "events", "equations"};
enum { NSECTION = sizeof sections / sizeof *sections };

/* they need bodies */
static bl_status check_sections(bl_reader *r) {
    const char *instead = bl_section_last(r, "matrices")    ? "matrices"
                          : bl_has_solids(r)                ? "meshes"
                          : bl_equations_with_bodies(r)     ? NULL
                          : bl_section_last(r, "equations") ? "equations"
                                                            : NULL;
    for (int k = 0; k < NSECTION && instead; k++) {
        const bl_item *item = bl_section_last(r, sections[k]);
        if (!item || (strcmp(sections[k], "equations") == 0 && !bl_equations_with_bodies(r)))
            continue;
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "'%s' can only be used in models with rigid bodies: this one has %s", sections[k],
                instead);
        if (strcmp(instead, "equations") == 0)
            bl_advise(r->ctx, "states of any kind are part of `equations`; forces and controllers are expressions there");
        return BL_E_MODEL;
    }
    return BL_OK;
}

bl_status bl_signals_name(bl_reader *r) {
    BL_TRY(check_sections(r));
    BL_TRY(bl_named_each(r, "inputs", name_signal, &(naming){BL_SIGNAL_INPUT, "an input"}));
    BL_TRY(bl_named_each(r, "held", name_signal, &(naming){BL_SIGNAL_HELD, "a held number"}));
    BL_TRY(bl_named_each(r, "states", name_signal, &(naming){BL_SIGNAL_STATE, "a state"}));
    BL_TRY(bl_body_equations_name(r));
    return bl_controllers_name(r);
}

/* ---- values */

static bl_status read_unit(bl_reader *r, const bl_item *map, bl_signal_def *signal) {
    const bl_item *unit = bl_item_get(map, "unit");
    return unit && !bl_item_null(unit) ? bl_item_keep(r, unit, "unit", &signal->unit) : BL_OK;
}

static bl_status read_input(bl_reader *r, const char *name, const bl_place *place, const bl_item *value, void *user) {
    bl_signal_def *signal = &r->model->signal[bl_names_find(&r->signals, name)];
    char what[128];
    (void)user, (void)place;
    snprintf(what, sizeof what, "%s '%.80s'", signal->what == BL_SIGNAL_INPUT ? "input" : "held number", name);
    r->part = name;
    if (value->kind == BL_ITEM_MAP) {
        const bl_item *number, *rate = bl_item_get(value, "rate");
        bool input = signal->what == BL_SIGNAL_INPUT;
        BL_TRY(bl_item_keys(r, value, what, (const char *const[]){"name", "value", "unit", "rate"}, input ? 4 : 3, NULL));
        BL_TRY(bl_item_need(r, value, what, "value", &number));
        if (rate && !bl_item_null(rate))
            BL_TRY(bl_item_number(r, rate, "rate", &signal->rate));
        BL_TRY(read_unit(r, value, signal));
        value = number;
    }
    BL_TRY(bl_item_number(r, value, what, &signal->value));
    r->part = NULL;
    return BL_OK;
}

static bl_status read_state(bl_reader *r, const char *name, const bl_place *place, const bl_item *value, void *user) {
    static const char *const keys[] = {"name", "start", "rate", "scale", "unit"};
    bl_index which = bl_names_find(&r->signals, name);
    bl_signal_def state = r->model->signal[which];
    const bl_item *start, *rate, *scale;
    char what[128];
    double number;
    (void)user, (void)place;
    snprintf(what, sizeof what, "state '%.80s'", name);
    r->part = name;
    BL_TRY(bl_item_map(r, value, what));
    BL_TRY(bl_item_keys(r, value, what, keys, sizeof keys / sizeof *keys, NULL));
    bl_status status = bl_item_need(r, value, what, "start", &start);
    if (status == BL_E_MODEL)
        bl_advise(r->ctx, "give its value at the start: `start: 0`");
    BL_TRY(status);
    BL_TRY(bl_item_number(r, start, "start", &state.value));
    status = bl_item_need(r, value, what, "rate", &rate);
    if (status == BL_E_MODEL)
        bl_advise(r->ctx, "give the law of its rate: `rate: \"=...\"`; a number that only events change belongs to `held`");
    BL_TRY(status);
    BL_TRY(bl_laws_read(r, rate, "rate", BL_USE_TIME | BL_USE_STATE | BL_USE_REACTION | BL_USE_ALWAYS, &state.law, &number));
    BL_TRY(read_unit(r, value, &state));
    state.scale = fmax(1, fabs(state.value));
    if ((scale = bl_item_get(value, "scale")) && !bl_item_null(scale)) {
        BL_TRY(bl_item_number(r, scale, "scale", &state.scale));
        BL_TRY(bl_item_range(r, &scale->place, "scale", BL_POSITIVE, state.scale));
    }
    r->model->signal[which] = state; /* the array may have moved while the law was read */
    r->part = NULL;
    return BL_OK;
}

/* ---- outputs in laws */

typedef struct expansion {
    bl_reader *r;
    bl_index *stack, depth;
    uint8_t *done; /* [nsignal] 1: being expanded, 2: complete */
} expansion;

static bl_status report_loop(const expansion *x, bl_index again) {
    const bl_signal_def *signal = x->r->model->signal;
    char text[400];
    size_t used = 0;
    bl_index from = x->depth - 1;
    while (from > 0 && x->stack[from] != again)
        from--;
    for (bl_index i = from; i < x->depth && used < sizeof text - 80; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%.60s -> ", signal[x->stack[i]].name);
    snprintf(text + used, sizeof text - used, "%.60s", signal[again].name);
    bl_fail(x->r->ctx, BL_E_MODEL, &signal[again].place, "algebraic loop: %s: each output depends directly on the next", text);
    bl_advise(x->r->ctx, "give one of them a state (a filter, or a controller with `every`), or write the solution as one expression");
    return BL_E_MODEL;
}

static bl_index find_input(const bl_symbol *input, bl_index n, const bl_symbol *s) {
    bl_index k = 0;
    while (k < n && (input[k].what != s->what || input[k].ref != s->ref || input[k].part != s->part))
        k++;
    return k;
}

typedef struct flat {
    bl_tape *tape;
    bl_symbol *input;
    bl_index ninput, room;
} flat;

/* the operations of a law on another tape, with the outputs it uses in place of their names */
static bl_status splice(expansion *x, bl_index law, flat *to, bl_index *out) {
    bl_model *model = x->r->model;
    const bl_law from = model->law[law];
    bl_index *node;
    BL_TRY(BL_NEW(x->r->ctx, node, (size_t)from.ninput + 1));
    bl_status status = BL_OK;
    for (bl_index i = 0; i < from.ninput && status == BL_OK; i++) {
        const bl_symbol *s = &from.input[i];
        if (s->what == BL_SYM_SIGNAL && model->signal[s->ref].what == BL_SIGNAL_OUTPUT) {
            status = splice(x, model->signal[s->ref].law, to, &node[i]); /* expanded before: no outputs are left in it */
            continue;
        }
        bl_index k = find_input(to->input, to->ninput, s);
        if (k == to->ninput) {
            status = BL_RESERVE(x->r->ctx, to->input, to->room, k + 1);
            if (status == BL_OK)
                to->input[to->ninput++] = *s;
        }
        node[i] = bl_tape_input(to->tape, k);
    }
    if (status == BL_OK)
        status = bl_tape_splice(to->tape, from.tape, node, out);
    bl_free(x->r->ctx, node);
    return status;
}

static bool uses_outputs(const bl_model *model, const bl_law *law) {
    for (bl_index i = 0; i < law->ninput; i++)
        if (law->input[i].what == BL_SYM_SIGNAL && model->signal[law->input[i].ref].what == BL_SIGNAL_OUTPUT)
            return true;
    return false;
}

static bl_status expand_law(expansion *x, bl_index index) {
    bl_model *model = x->r->model;
    if (!uses_outputs(model, &model->law[index]))
        return BL_OK;
    flat to = {0};
    bl_index out = -1;
    bl_status status = bl_tape_create(x->r->ctx, &to.tape);
    if (status == BL_OK)
        status = splice(x, index, &to, &out);
    if (status == BL_OK)
        status = bl_tape_output(to.tape, out);
    if (status == BL_OK)
        status = bl_tape_finish(to.tape);
    bl_symbol *kept = NULL;
    if (status == BL_OK)
        status = BL_ARENA_NEW(&model->arena, kept, to.ninput);
    if (status == BL_OK) {
        bl_law *law = &model->law[index];
        if (to.ninput)
            memcpy(kept, to.input, (size_t)to.ninput * sizeof *kept);
        bl_tape_destroy(law->tape);
        law->tape = to.tape;
        law->input = kept;
        law->ninput = to.ninput;
        to.tape = NULL;
    }
    bl_tape_destroy(to.tape);
    bl_free(x->r->ctx, to.input);
    return status;
}

/* an output after those it uses; stack[depth]: outputs that wait */
static bl_status expand_output(expansion *x, bl_index first) {
    const bl_model *model = x->r->model;
    x->stack[0] = first;
    x->depth = 1;
    x->done[first] = 1;
    while (x->depth > 0) {
        bl_index top = x->stack[x->depth - 1], next = -1;
        const bl_law *law = &model->law[model->signal[top].law];
        for (bl_index i = 0; i < law->ninput && next < 0; i++) {
            const bl_symbol *s = &law->input[i];
            if (s->what != BL_SYM_SIGNAL || model->signal[s->ref].what != BL_SIGNAL_OUTPUT || x->done[s->ref] == 2)
                continue;
            if (x->done[s->ref] == 1)
                return report_loop(x, s->ref);
            next = s->ref;
        }
        if (next >= 0) {
            x->done[next] = 1;
            x->stack[x->depth++] = next;
            continue;
        }
        BL_TRY(expand_law(x, model->signal[top].law));
        x->done[top] = 2;
        x->depth--;
    }
    return BL_OK;
}

static bl_status expand_outputs(bl_reader *r) {
    const bl_model *model = r->model;
    expansion x = {.r = r};
    BL_TRY(BL_ARENA_ARRAYS(&r->scratch, BL_ARRAY(x.stack, (size_t)model->nsignal + 1), BL_ARRAY(x.done, (size_t)model->nsignal + 1)));
    for (bl_index i = 0; i < model->nsignal; i++)
        if (model->signal[i].what == BL_SIGNAL_OUTPUT && !x.done[i])
            BL_TRY(expand_output(&x, i));
    for (bl_index l = 0; l < model->nlaw; l++)
        BL_TRY(expand_law(&x, l));
    return BL_OK;
}

static bl_status check_delays(bl_reader *r) {
    const bl_model *model = r->model;
    for (bl_index i = 0; i < model->nsignal; i++)
        if (model->signal[i].what == BL_SIGNAL_DELAY && model->signal[i].delay >= model->settings.until) {
            bl_fail(r->ctx, BL_E_MODEL, &model->signal[i].place, "a delay of %g s is longer than the run of %g s", model->signal[i].delay,
                    model->settings.until);
            bl_advise(r->ctx, "it would always have the value of the start");
            return BL_E_MODEL;
        }
    return BL_OK;
}

bl_status bl_read_signals(bl_reader *r) {
    BL_TRY(bl_named_each(r, "inputs", read_input, NULL));
    BL_TRY(bl_named_each(r, "held", read_input, NULL));
    BL_TRY(bl_named_each(r, "states", read_state, NULL));
    BL_TRY(bl_body_equations_read(r));
    BL_TRY(bl_read_controllers(r));
    BL_TRY(bl_read_actions(r));
    BL_TRY(check_delays(r));
    return r->model->nsignal ? expand_outputs(r) : BL_OK;
}
