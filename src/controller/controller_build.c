/* Recording of controllers: laws of the model on one tape, rates of expressions along the motion. */
#include "controller/controller.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const bl_controller_kind *const bl_controller_kinds[] = {
#define BL_KIND(name) &bl_controller_##name,
#include "controller/controller_list.h"
#undef BL_KIND
};
const size_t bl_controller_kind_count = sizeof bl_controller_kinds / sizeof bl_controller_kinds[0];

bl_status bl_controller_refuse(bl_controller *c, const bl_value *value, const char *advice, const char *format, ...) {
    char what[300];
    va_list args;
    if (c->status != BL_OK)
        return c->status;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    c->status = bl_fail(c->ctx, BL_E_MODEL, value ? &value->place : &c->place, "controller '%s': %s", c->name, what);
    if (advice)
        bl_advise(c->ctx, "%s", advice);
    return c->status;
}

static bl_index input(bl_controller *c, bl_symbol symbol) {
    bl_index k = 0;
    while (k < c->ninput && (c->input[k].what != symbol.what || c->input[k].ref != symbol.ref || c->input[k].part != symbol.part))
        k++;
    if (k == c->ninput) {
        bl_status status = BL_RESERVE(c->ctx, c->input, c->room, k + 1);
        if (status != BL_OK) {
            c->status = c->status == BL_OK ? status : c->status;
            return bl_c_number(c, 0);
        }
        c->input[c->ninput++] = symbol;
    }
    return bl_tape_input(c->tape, k);
}

bl_index bl_controller_model_law(bl_controller *c, bl_index index) {
    const bl_law *law = &c->model->law[index];
    bl_index *node, out = -1;
    if (c->status != BL_OK)
        return bl_c_number(c, 0);
    c->status = BL_NEW(c->ctx, node, (size_t)law->ninput + 1);
    for (bl_index i = 0; i < law->ninput && c->status == BL_OK; i++)
        node[i] = input(c, law->input[i]);
    if (c->status == BL_OK)
        c->status = bl_tape_splice(c->tape, law->tape, node, &out);
    bl_free(c->ctx, node);
    return c->status == BL_OK ? out : bl_c_number(c, 0);
}

bl_index bl_controller_law(bl_controller *c, const bl_value *value) {
    if (!value->given || value->law[0] < 0)
        return bl_c_number(c, value->given ? value->number : 0);
    return bl_controller_model_law(c, value->law[0]);
}

static bl_index no_rate(bl_controller *c, const bl_value *of, const char *why) {
    bl_controller_refuse(c, of, "give its rate as an expression: `rate: ...`, or let a low_pass controller follow it first",
                         "the rate of this expression is not known: %s", why);
    return -1;
}

/* of an output that was read before; in an algebraic loop, which is reported later, it would need itself */
static bl_index output_rate(bl_controller *c, bl_index signal, const bl_value *of) {
    if (c->rate_of[signal] == 0) {
        c->rate_of[signal] = -1;
        c->rate_of[signal] = bl_controller_rate(c, bl_controller_model_law(c, c->model->signal[signal].law), of) + 1;
    }
    return c->rate_of[signal] - 1;
}

/* rate of what an expression reads; -1: refused; *zero: it is constant between events */
static bl_index rate_of(bl_controller *c, const bl_symbol *s, const bl_value *of, bool *zero) {
    char why[160];
    *zero = false;
    switch (s->what) {
    case BL_SYM_TIME: return bl_c_number(c, 1);
    case BL_SYM_PARAMETER: *zero = true; return -1;
    case BL_SYM_VARIABLE: return input(c, (bl_symbol){BL_SYM_RATE, s->ref, 0});
    case BL_SYM_PROBE: return input(c, (bl_symbol){BL_SYM_PROBE_RATE, s->ref, s->part});
    case BL_SYM_RATE:
    case BL_SYM_PROBE_RATE: return no_rate(c, of, "it depends on a velocity, and accelerations are not known before forces are");
    case BL_SYM_SIGNAL: {
        const bl_signal_def *signal = &c->model->signal[s->ref];
        if (signal->what == BL_SIGNAL_HELD) {
            *zero = true;
            return -1;
        }
        if (signal->what == BL_SIGNAL_STATE && signal->law >= 0)
            return bl_controller_model_law(c, signal->law);
        if (signal->what == BL_SIGNAL_OUTPUT && signal->law >= 0 && c->rate_of[s->ref] >= 0)
            return output_rate(c, s->ref, of);
        snprintf(why, sizeof why, signal->what == BL_SIGNAL_INPUT ? "'%s' is an input" : "'%s' is defined after this controller",
                 signal->name);
        return no_rate(c, of, why);
    }
    default: return no_rate(c, of, "it uses something without a rate");
    }
}

bl_index bl_controller_rate(bl_controller *c, bl_index node, const bl_value *of) {
    bl_tape_gradients d = {0};
    bl_index sum = bl_c_number(c, 0);
    if (c->status == BL_OK)
        c->status = bl_tape_status(c->tape);
    if (c->status != BL_OK)
        return bl_c_number(c, 0);
    bl_status status = bl_tape_differentiate(c->tape, 1, &node, &d);
    for (bl_index k = 0; status == BL_OK && c->status == BL_OK && k < d.start[1]; k++) {
        bool zero;
        bl_symbol s = c->input[d.input[k]];
        bl_index rate = rate_of(c, &s, of, &zero);
        if (!zero && c->status == BL_OK)
            sum = bl_c_add(c, sum, bl_tape_op2(c->tape, BL_TAPE_MUL, d.node[k], rate));
    }
    bl_tape_gradients_destroy(c->tape, &d);
    if (c->status == BL_OK)
        c->status = status;
    return c->status == BL_OK ? sum : bl_c_number(c, 0);
}

static bl_controller_state *state_of(bl_controller *c, const char *name) {
    for (bl_index i = 0; i < c->nstate; i++)
        if (strcmp(c->state[i].name, name) == 0)
            return &c->state[i];
    return NULL;
}

bl_index bl_controller_state_node(bl_controller *c, const char *name) {
    return input(c, (bl_symbol){BL_SYM_SIGNAL, state_of(c, name)->signal, 0});
}

void bl_controller_next(bl_controller *c, const char *name, bl_index node) { state_of(c, name)->next = node; }

void bl_controller_start(bl_controller *c, const char *name, bl_index node) { state_of(c, name)->start = node; }

bl_index bl_c_limit(bl_controller *c, bl_index x, const bl_value *limit) {
    if (!limit->given)
        return x;
    x = bl_tape_op2(c->tape, BL_TAPE_MIN, x, bl_c_number(c, limit->number));
    return bl_tape_op2(c->tape, BL_TAPE_MAX, x, bl_c_number(c, -limit->number));
}
