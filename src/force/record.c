/* Recording of forces: marks and inputs are shared, laws are spliced into the force's own tape, forces on a mark add up. */
#include "force/ops.h"

#include <math.h>
#include <string.h>

const bl_force_kind *const bl_force_kinds[] = {
#define BL_KIND(name) &bl_force_##name,
#include "force/force_list.h"
#undef BL_KIND
};

const size_t bl_force_kind_count = sizeof bl_force_kinds / sizeof bl_force_kinds[0];

static void too_many(bl_record *r, const char *what, int limit) {
    if (r->status != BL_OK)
        return;
    bl_context *ctx = r->ctx;
    r->status = bl_fail(ctx, BL_E_MODEL, &r->def->place, "%s %s uses more than %d %s", r->def->kind ? "force" : "the law of", r->def->name,
                        limit, what);
    bl_advise(ctx, r->def->kind ? "split it into several forces" : "split it into several states or outputs");
    bl_blame(ctx, r->def->name, NULL, NAN);
}

/* ---- marks and inputs */

static bool same_mark(const bl_mark *a, const bl_mark *b) {
    return a->body == b->body && a->is_vector == b->is_vector && a->s[0] == b->s[0] && a->s[1] == b->s[1] && a->s[2] == b->s[2];
}

bl_index bl_record_mark(bl_record *r, bl_mark mark) {
    if (r->model->dim == 2)
        mark.s[2] = 0;
    for (bl_index i = 0; i < r->nmark; i++)
        if (same_mark(&r->mark[i], &mark))
            return i;
    if (r->nmark == BL_MAX_FORCE_MARKS) {
        too_many(r, "points and vectors", BL_MAX_FORCE_MARKS);
        return 0;
    }
    r->mark[r->nmark] = mark;
    for (int k = 0; k < 3; k++)
        r->push_node[r->nmark][k] = -1;
    return r->nmark++;
}

static bl_index input(bl_record *r, bl_symbol_what what, bl_index ref, bl_index part) {
    bl_index i = 0;
    while (i < r->ninput && !(r->input[i].what == what && r->input[i].ref == ref && r->input[i].part == part))
        i++;
    if (i == BL_MAX_FORCE_INPUTS) {
        too_many(r, "inputs", BL_MAX_FORCE_INPUTS);
        return bl_node(r, 0);
    }
    if (i == r->ninput)
        r->input[r->ninput++] = (bl_symbol){what, ref, part};
    return bl_tape_input(r->tape, i);
}

static bl_index position_part(bl_record *r, bl_index mark, int k) {
    if (r->model->dim == 2 && k == 2)
        return bl_node(r, 0);
    return r->mark[mark].body == 0 ? bl_node(r, r->mark[mark].s[k]) : input(r, BL_SYM_MARK, mark, k);
}

static bl_index velocity_part(bl_record *r, bl_index mark, int k) {
    if (r->mark[mark].body == 0 || (r->model->dim == 2 && k == 2))
        return bl_node(r, 0);
    return input(r, BL_SYM_MARK_RATE, mark, k);
}

void bl_record_position(bl_record *r, bl_index mark, bl_index node[3]) {
    for (int k = 0; k < 3; k++)
        node[k] = position_part(r, mark, k);
}

void bl_record_velocity(bl_record *r, bl_index mark, bl_index node[3]) {
    for (int k = 0; k < 3; k++)
        node[k] = velocity_part(r, mark, k);
}

bl_status bl_record_refuse(const bl_record *r, const bl_value *value, const char *what, const char *advice) {
    bl_context *ctx = r->ctx;
    bl_fail(ctx, BL_E_MODEL, &value->place, "force %s: %s", r->def->name, what);
    bl_advise(ctx, "%s", advice);
    bl_blame(ctx, r->def->name, NULL, NAN);
    return BL_E_MODEL;
}

bl_status bl_record_bodies(const bl_record *r, const bl_value *body, const bl_value *against, bl_index *on, bl_index *back_on) {
    *on = body->ref;
    *back_on = bl_value_body(against);
    if (*on == *back_on)
        return bl_record_refuse(r, body, "'body' and 'against' are the same body", "choose another body for one of them");
    return BL_OK;
}

bl_index bl_record_variable(bl_record *r, bl_index variable) { return input(r, BL_SYM_VARIABLE, variable, 0); }
bl_index bl_record_rate(bl_record *r, bl_index variable) { return input(r, BL_SYM_RATE, variable, 0); }

bl_index bl_record_normal(bl_record *r, bl_index variable, double arm, bool whole_moment) {
    r->normal = (struct bl_normal_part){.variable = variable, .arm = arm, .whole_moment = whole_moment};
    return input(r, BL_SYM_LOAD, 0, 0);
}

/* ---- held numbers */

bl_index bl_record_held(bl_record *r, bl_index held) { return input(r, BL_SYM_HELD, held, 0); }

static bl_index parameter_node(bl_record *r, bl_index parameter) {
    for (bl_index k = 0; k < r->nheld; k++)
        if (r->held[k].what == BL_HELD_PARAMETER && r->held[k].ref == parameter)
            return bl_record_held(r, k);
    return input(r, BL_SYM_PARAMETER, parameter, 0);
}

/* a signal that the system does not hold has its value at the start */
static bl_index signal_node(bl_record *r, bl_index signal) {
    for (bl_index k = 0; k < r->nheld; k++)
        if (r->held[k].what == BL_HELD_SIGNAL && r->held[k].ref == signal)
            return bl_record_held(r, k);
    return bl_node(r, r->model->signal[signal].value);
}

static void no_actuator(bl_record *r, const char *why, const char *advice) {
    if (r->status != BL_OK)
        return;
    bl_context *ctx = r->ctx;
    r->status = bl_fail(ctx, BL_E_ABILITY, &r->def->place, "force %s cannot be an actuator: %s", r->def->name, why);
    bl_advise(ctx, "%s", advice);
    bl_blame(ctx, r->def->name, NULL, NAN);
}

void bl_record_along(bl_record *r, const bl_value *value, bool about_z, bl_index node[3]) {
    double length = 0;
    bl_index held = bl_record_held(r, r->actuator);
    bool varies = false, counts[3];
    r->acted = true;
    for (int k = 0; k < 3; k++) {
        counts[k] = value->given && (r->model->dim == 3 || about_z == (k == 2));
        varies = varies || (counts[k] && value->law[k] >= 0 && isnan(value->vector[k])); /* laws of parameters only are constant */
        length = counts[k] ? hypot(length, value->vector[k]) : length;
    }
    if (varies)
        no_actuator(r, "its components vary, so it has no fixed direction",
                    "give the direction as constant components; the actuator determines the magnitude");
    else if (length == 0)
        no_actuator(r, "its components are zero, so it has no direction", "give the direction as its components");
    for (int k = 0; k < 3; k++)
        node[k] = counts[k] && length > 0 ? bl_node_scale(r, value->vector[k] / length, held) : bl_node(r, 0);
}

/* ---- laws */

static bl_index symbol_node(bl_record *r, const bl_law *law, const bl_symbol *symbol, bl_index x, bl_index xd) {
    bl_context *ctx = r->ctx;
    switch (symbol->what) {
    case BL_SYM_TIME: return input(r, BL_SYM_TIME, 0, 0);
    case BL_SYM_PARAMETER: return parameter_node(r, symbol->ref);
    case BL_SYM_SIGNAL: return signal_node(r, symbol->ref);
    case BL_SYM_VARIABLE: return bl_record_variable(r, symbol->ref);
    case BL_SYM_REACTION: return input(r, BL_SYM_REACTION, symbol->ref, 0);
    case BL_SYM_RATE: return bl_record_rate(r, symbol->ref);
    case BL_SYM_PROBE: return position_part(r, bl_record_mark(r, r->model->probe[symbol->ref].mark), symbol->part);
    case BL_SYM_PROBE_RATE: return velocity_part(r, bl_record_mark(r, r->model->probe[symbol->ref].mark), symbol->part);
    case BL_SYM_X:
    case BL_SYM_XD: {
        bl_index own = symbol->what == BL_SYM_X ? x : xd;
        if (own >= 0)
            return own;
        break;
    }
    case BL_SYM_MARK:
    case BL_SYM_MARK_RATE:
    case BL_SYM_LOAD:
    case BL_SYM_HELD:
    case BL_SYM_EXPRESSION:
    case BL_SYM_POSITION:
    case BL_SYM_FIELD: break;
    }
    if (r->status == BL_OK) {
        r->status = bl_fail(ctx, BL_E_MODEL, &law->place, "force %s: this expression cannot use x or xd", r->def->name);
        bl_advise(ctx, "the force has no length or angle of its own; use t, variables (joint.angle) or probes (name.x)");
        bl_blame(ctx, r->def->name, NULL, NAN);
    }
    return bl_node(r, 0);
}

/* node[BL_MAX_FORCE_INPUTS] of the law's inputs on the force's tape; false: recording has failed */
static bool law_inputs(bl_record *r, const bl_law *law, bl_index x, bl_index xd, bl_index *node) {
    if (bl_node(r, 0) < 0) /* recording has already failed, so x = -1 does not mean that x is not allowed */
        return false;
    if (law->ninput > BL_MAX_FORCE_INPUTS) {
        too_many(r, "inputs", BL_MAX_FORCE_INPUTS);
        return false;
    }
    for (bl_index i = 0; i < law->ninput; i++)
        node[i] = symbol_node(r, law, &law->input[i], x, xd);
    return true;
}

bl_index bl_record_law(bl_record *r, bl_index index, double constant, bl_index x, bl_index xd) {
    if (index < 0)
        return bl_node(r, constant);
    const bl_law *law = &r->model->law[index];
    bl_index node[BL_MAX_FORCE_INPUTS], out = -1;
    if (!law_inputs(r, law, x, xd, node))
        return bl_node(r, 0);
    bl_status status = bl_tape_splice(r->tape, law->tape, node, &out);
    if (status != BL_OK && r->status == BL_OK)
        r->status = status;
    return status == BL_OK ? out : bl_node(r, 0);
}

/* derivative of a node by the input that is `what`; a constant 0 if there is none */
static bl_status derivative(bl_tape *tape, bl_index root, const bl_law *law, bl_symbol_what what, bl_index *out) {
    bl_tape_gradients made = {0};
    bl_status status = bl_tape_differentiate(tape, 1, &root, &made);
    *out = bl_tape_const(tape, 0);
    for (bl_index e = 0; status == BL_OK && e < made.start[1]; e++)
        if (law->input[made.input[e]].what == what)
            *out = made.node[e];
    bl_tape_gradients_destroy(tape, &made);
    return status;
}

/* the law on a tape of its own, with derivatives as further outputs */
static bl_status profile_tape(const bl_law *law, bl_tape *tape) {
    bl_index node[BL_MAX_FORCE_INPUTS], out[BL_PROFILE_PARTS];
    for (bl_index i = 0; i < law->ninput; i++)
        node[i] = bl_tape_input(tape, i);
    BL_TRY(bl_tape_splice(tape, law->tape, node, &out[BL_PROFILE_VALUE]));
    BL_TRY(derivative(tape, out[BL_PROFILE_VALUE], law, BL_SYM_X, &out[BL_PROFILE_SLOPE]));
    BL_TRY(derivative(tape, out[BL_PROFILE_SLOPE], law, BL_SYM_X, &out[BL_PROFILE_CURVE]));
    BL_TRY(derivative(tape, out[BL_PROFILE_VALUE], law, BL_SYM_TIME, &out[BL_PROFILE_RISE]));
    BL_TRY(derivative(tape, out[BL_PROFILE_SLOPE], law, BL_SYM_TIME, &out[BL_PROFILE_SWING]));
    for (int k = 0; k < BL_PROFILE_PARTS; k++)
        BL_TRY(bl_tape_output(tape, out[k]));
    return bl_tape_finish(tape);
}

void bl_record_profile(bl_record *r, bl_index index, double constant, bl_index x, bl_index out[BL_PROFILE_PARTS]) {
    for (int k = 0; k < BL_PROFILE_PARTS; k++)
        out[k] = bl_node(r, k == BL_PROFILE_VALUE ? constant : 0);
    if (index < 0)
        return;
    const bl_law *law = &r->model->law[index];
    bl_index node[BL_MAX_FORCE_INPUTS], found[BL_PROFILE_PARTS];
    if (!law_inputs(r, law, x, -1, node))
        return;
    bl_tape *tape = NULL;
    bl_status status = bl_tape_create(r->ctx, &tape);
    if (status == BL_OK)
        status = profile_tape(law, tape);
    if (status == BL_OK)
        status = bl_tape_splice(r->tape, tape, node, found);
    bl_tape_destroy(tape);
    for (int k = 0; k < BL_PROFILE_PARTS && status == BL_OK; k++)
        out[k] = found[k];
    if (status != BL_OK && r->status == BL_OK)
        r->status = status;
}

/* ---- forces on marks and variables */

static void add(bl_record *r, bl_index *sum, bl_index node) { *sum = *sum < 0 ? node : bl_node_add(r, *sum, node); }

void bl_record_push(bl_record *r, bl_index mark, const bl_index force[3]) {
    if (r->mark[mark].body == 0)
        return;
    for (int k = 0; k < 3; k++)
        add(r, &r->push_node[mark][k], r->model->dim == 2 && k == 2 ? bl_node(r, 0) : force[k]);
}

void bl_record_push_variable(bl_record *r, bl_index variable, bl_index force) {
    bl_index i = 0;
    while (i < r->nvar && r->var[i] != variable)
        i++;
    if (i == BL_MAX_FORCE_VARIABLES) {
        too_many(r, "variables", BL_MAX_FORCE_VARIABLES);
        return;
    }
    if (i == r->nvar) {
        r->var[r->nvar++] = variable;
        r->push_var_node[i] = -1;
    }
    add(r, &r->push_var_node[i], force);
}

/* g_k = T x e_k / 2: sum e_k x g_k = (3 T - T) / 2 = T; in the plane two axes across T give 2 T / 2 */
void bl_record_torque(bl_record *r, bl_index body, const bl_index moment[3]) {
    if (body == 0)
        return;
    bl_index half[3];
    for (int k = 0; k < 3; k++)
        half[k] = r->model->dim == 2 && k < 2 ? bl_node(r, 0) : bl_node_scale(r, 0.5, moment[k]);
    for (int k = 0; k < r->model->dim; k++) {
        bl_mark axis = {.body = body, .is_vector = true};
        axis.s[k] = 1;
        bl_index mark = bl_record_mark(r, axis), e[3], g[3];
        bl_record_position(r, mark, e);
        bl_node_cross(r, half, e, g);
        bl_record_push(r, mark, g);
    }
}

void bl_record_spring(bl_record *r, bl_index a, bl_index b, double stiffness, double length) {
    r->spring = (struct bl_spring_part){.whole = true, .end = {a, b}, .stiffness = stiffness, .length = length};
    for (int k = 0; k < 2; k++)
        if (r->mark[r->spring.end[k]].body == 0) {
            memcpy(r->spring.place[k], r->mark[r->spring.end[k]].s, sizeof r->spring.place[k]);
            r->spring.end[k] = -1;
        }
}

void bl_record_shows_span(bl_record *r, bl_index a, bl_index b) {
    if (r->nshown < BL_MAX_SHOWN_SPRINGS)
        r->shown[r->nshown++] = (struct bl_shown_spring){.variable = -1, .end = {r->mark[a], r->mark[b]}};
}

void bl_record_push_span(bl_record *r, bl_index a, bl_index b, const bl_index d[3], bl_index factor) {
    bl_index on_a[3], on_b[3];
    for (int k = 0; k < 3; k++)
        on_a[k] = bl_node_mul(r, factor, d[k]);
    bl_node_neg3(r, on_a, on_b);
    bl_record_shows_span(r, a, b);
    bl_record_push(r, a, on_a);
    bl_record_push(r, b, on_b);
}

void bl_record_shows_variable(bl_record *r, bl_index variable) {
    if (r->nshown < BL_MAX_SHOWN_SPRINGS)
        r->shown[r->nshown++] = (struct bl_shown_spring){.variable = variable};
}

void bl_record_potential(bl_record *r, bl_index node) { add(r, &r->potential_node, node); }

/* ---- complete force */

/* Records again without the inputs and marks that have no effect. */
static bl_status compact(bl_record *r) {
    bl_index node[BL_MAX_FORCE_INPUTS], output[3 * BL_MAX_FORCE_MARKS + BL_MAX_FORCE_VARIABLES + 1], mark[BL_MAX_FORCE_MARKS];
    bool input_used[BL_MAX_FORCE_INPUTS] = {0}, mark_used[BL_MAX_FORCE_MARKS] = {0};
    bl_index noutput = bl_tape_outputs(r->tape), used = 0;
    for (bl_index i = 0; i < r->ninput; i++) {
        for (bl_index k = 0; k < noutput && !input_used[i]; k++)
            input_used[i] = bl_tape_depends(r->tape, k, i);
        used += input_used[i];
        if (input_used[i] && (r->input[i].what == BL_SYM_MARK || r->input[i].what == BL_SYM_MARK_RATE))
            mark_used[r->input[i].ref] = true;
    }
    if (used < r->ninput) {
        bl_tape *lean = NULL, *full = r->tape;
        BL_TRY(bl_tape_create(r->ctx, &lean));
        r->tape = lean;
        bl_index n = 0;
        for (bl_index i = 0; i < r->ninput; i++) {
            node[i] = input_used[i] ? bl_tape_input(lean, n) : bl_tape_const(lean, 0);
            if (input_used[i])
                r->input[n++] = r->input[i];
        }
        r->ninput = n;
        bl_status status = bl_tape_splice(lean, full, node, output);
        for (bl_index k = 0; k < noutput && status == BL_OK; k++)
            status = bl_tape_output(lean, output[k]);
        bl_tape_destroy(full);
        BL_TRY(status);
        BL_TRY(bl_tape_finish(lean));
    }
    bl_index n = 0;
    for (bl_index i = 0; i < r->nmark; i++) {
        mark[i] = n;
        if (mark_used[i] || r->push_node[i][0] >= 0) {
            r->mark[n] = r->mark[i];
            memmove(r->push_node[n], r->push_node[i], sizeof r->push_node[n]);
            n++;
        }
    }
    r->nmark = n;
    for (bl_index i = 0; i < r->ninput; i++)
        if (r->input[i].what == BL_SYM_MARK || r->input[i].what == BL_SYM_MARK_RATE)
            r->input[i].ref = mark[r->input[i].ref];
    for (int k = 0; k < 2 && r->spring.whole; k++)
        r->spring.end[k] = r->spring.end[k] >= 0 ? mark[r->spring.end[k]] : -1;
    return BL_OK;
}

static bl_status begin(bl_context *ctx, const bl_model *model, const bl_force_def *def, const bl_held *held, bl_index nheld,
                       bl_index actuator, bl_record *r) {
    memset(r, 0, sizeof *r);
    r->ctx = ctx;
    r->model = model;
    r->def = def;
    r->held = held;
    r->nheld = nheld;
    r->actuator = actuator;
    r->potential_node = -1;
    return bl_tape_create(ctx, &r->tape);
}

static bl_status finish(bl_record *r) {
    BL_TRY(r->status);
    for (bl_index i = 0; i < r->nmark; i++)
        for (int k = 0; k < 3 && r->push_node[i][0] >= 0; k++)
            BL_TRY(bl_tape_output(r->tape, r->push_node[i][k]));
    for (bl_index i = 0; i < r->nvar; i++)
        BL_TRY(bl_tape_output(r->tape, r->push_var_node[i]));
    if (r->potential_node >= 0)
        BL_TRY(bl_tape_output(r->tape, r->potential_node));
    BL_TRY(bl_tape_finish(r->tape));
    return compact(r);
}

bl_status bl_force_record(bl_context *ctx, const bl_model *model, const bl_force_def *def, const bl_held *held, bl_index nheld,
                          bl_index actuator, bl_record *r) {
    BL_TRY(begin(ctx, model, def, held, nheld, actuator, r));
    BL_TRY(def->kind->record(r));
    if (actuator >= 0 && !r->acted)
        no_actuator(r, "it has no magnitude of its own", "use a force, torque or spring, or a variable: {variable: j1.angle}");
    return finish(r);
}

bl_status bl_force_record_actuator(bl_context *ctx, const bl_model *model, const bl_force_def *def, const bl_held *held, bl_index nheld,
                                   bl_index actuator, bl_record *r) {
    BL_TRY(begin(ctx, model, def, held, nheld, actuator, r));
    bl_record_push_variable(r, held[actuator].ref, bl_record_held(r, actuator));
    return finish(r);
}

bl_status bl_force_record_value(bl_context *ctx, const bl_model *model, const bl_force_def *def, const bl_held *held, bl_index nheld,
                                bl_index law, bl_record *r) {
    BL_TRY(begin(ctx, model, def, held, nheld, -1, r));
    bl_index node = bl_record_law(r, law, 0, -1, -1);
    BL_TRY(r->status);
    BL_TRY(bl_tape_output(r->tape, node));
    BL_TRY(bl_tape_finish(r->tape));
    return compact(r);
}
