/* Steppers whose state or parameters are changed from outside: with the least change of everything else. Positions and velocities pass from
 * the present system to another one as poses and twists of bodies, which all coordinates have in common. */
#include "study/stepper_private.h"

#include "joint/joint.h"
#include "model/variant.h"
#include "signal/signal.h"
#include "study/assembly_private.h"
#include "study/start.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

/* the present motion of all bodies */
typedef struct present {
    bl_pose *pose;                   /* [nbody] */
    double *angle, *variable, *rate; /* [nbody], [nvariable] */
    double *drawn;                   /* [nvariable] in the model configuration */
    bl_index nbody, nvariable;
    void *block;
} present;

/* relative rotation of the bodies of a joint in the plane since the model configuration; NaN: the joint does not measure it */
static double turned(const bl_joint_def *joint, const present *p) {
    for (bl_index k = 0; k < joint->ndof; k++)
        if (joint->dof[k].what == BL_TURN)
            return joint->dof[k].var < 0 ? NAN : p->variable[joint->dof[k].var] - p->drawn[joint->dof[k].var];
    return 0;
}

/* Rotations of bodies in the plane from their poses; full revolutions follow from the angles of joints, which count them. */
static void find_angles(const bl_model *model, present *p) {
    const double revolution = 8 * atan(1);
    for (bl_index b = 0; b < p->nbody; b++)
        p->angle[b] = 2 * atan2(p->pose[b].quaternion[3], p->pose[b].quaternion[0]);
    bool changed = model->dim == 2;
    for (bl_index pass = 0; changed && pass < p->nbody; pass++) { /* from the ground outwards; loops agree */
        changed = false;
        for (bl_index j = 0; j < model->njoint; j++) {
            const bl_index *body = model->joint[j].body;
            double by = body[0] < 0 ? NAN : turned(&model->joint[j], p);
            if (isnan(by))
                continue;
            bl_index inner = body[0] < body[1] ? body[0] : body[1], outer = body[0] < body[1] ? body[1] : body[0];
            double more = round((p->angle[inner] + (inner == body[0] ? by : -by) - p->angle[outer]) / revolution);
            p->angle[outer] += more * revolution;
            changed = changed || more != 0;
        }
    }
}

/* values of variables in the given configuration */
static bl_status read_drawn(bl_stepper *s, present *p) {
    bl_eval *e = &s->sim->eval;
    bl_state state = {0};
    bl_status status = bl_state_create(s->sys, 0, &state);
    if (status == BL_OK)
        status = bl_coords_initial(s->sys, &state);
    if (status == BL_OK) {
        bl_eval_at(e, &state);
        status = bl_system_eval(s->sys, e, BL_VARIABLES);
    }
    if (status == BL_OK)
        memcpy(p->drawn, e->variable, (size_t)p->nvariable * sizeof *p->drawn);
    bl_state_destroy(s->sys, &state);
    return status;
}

static void take_positions(const bl_model *model, const bl_eval *e, present *p) {
    for (bl_index b = 0; b < p->nbody; b++) {
        memcpy(p->pose[b].position, e->pose[b].position, sizeof p->pose[b].position);
        memcpy(p->pose[b].quaternion, e->pose[b].quaternion, sizeof p->pose[b].quaternion);
    }
    memcpy(p->variable, e->variable, (size_t)p->nvariable * sizeof *p->variable);
    find_angles(model, p);
}

static bl_status read_present(bl_stepper *s, const bl_state *state, present *p) {
    const bl_system *sys = s->sys;
    bl_eval *e = &s->sim->eval;
    *p = (present){.nbody = sys->nbody, .nvariable = sys->nvariable};
    BL_TRY(BL_NEW_ARRAYS(s->run.ctx, p->block, BL_ARRAY(p->pose, p->nbody), BL_ARRAY(p->angle, p->nbody),
                         BL_ARRAY(p->variable, p->nvariable), BL_ARRAY(p->rate, p->nvariable), BL_ARRAY(p->drawn, p->nvariable)));
    BL_TRY(read_drawn(s, p));
    bl_eval_at(e, state);
    BL_TRY(bl_system_eval(sys, e, BL_POSE | BL_VARIABLES));
    memcpy(p->pose, e->pose, (size_t)p->nbody * sizeof *p->pose);
    memcpy(p->rate, e->variable_rate, (size_t)p->nvariable * sizeof *p->rate);
    take_positions(s->run.model, e, p);
    return BL_OK;
}

/* energy at a state of s->sys; 0 where the system has none */
static bl_status energy_at(bl_stepper *s, const bl_state *state, double *energy) {
    bl_eval *e = &s->sim->eval;
    *energy = 0;
    if (!(s->sys->can & BL_CAN_ENERGY))
        return BL_OK;
    bl_eval_at(e, state);
    BL_TRY(bl_system_eval(s->sys, e, BL_ENERGY));
    *energy = bl_eval_energy(e);
    return BL_OK;
}

/* goes on from a changed state; energy that the change adds counts as work */
static bl_status begin_changed(bl_stepper *s, double before, bl_state *state) {
    double after;
    BL_TRY(energy_at(s, state, &after));
    *state->work += after - before;
    return bl_stepper_begin(s, state);
}

/* ---- positions */

/* Positions of sys at time t near those of p: gaps that a change of dimensions or values leaves are closed with the least change. */
static bl_status place_near(const bl_system *sys, double t, const present *p, bl_state *state) {
    double work = *state->work; /* positions are set as at a start */
    BL_TRY(bl_coords_set_positions(sys, &(bl_body_states){p->pose, p->angle, p->variable}, state));
    *state->t = t;
    *state->work = work;
    return bl_assemble_nearby(sys, state);
}

/* p moves to where variables held[n] have the given values, by a system in which drivers hold them */
static bl_status hold_at(bl_stepper *s, const bl_index *held, const double *value, bl_index n, present *p) {
    bl_context *ctx = s->run.ctx;
    bl_model *variant = NULL;
    bl_system *sys = NULL;
    bl_state state = {0};
    bl_eval eval = {0};
    bl_variant_ask ask = {.hold = held, .value = value, .nhold = n};
    bl_status status = bl_model_vary(s->run.ctx, s->run.model, &ask, &variant);
    if (status == BL_OK)
        status = bl_signal_build(ctx, variant, s->run.options.coordinates, NULL, 0, &sys);
    if (status == BL_OK) {
        sys->closure = s->sys->closure;
        status = bl_state_create(sys, 0, &state);
    }
    if (status == BL_OK)
        status = bl_coords_initial(sys, &state);
    if (status == BL_OK) {
        bl_signal_copy(sys, &state, s->sys, &s->sim->state); /* drivers may follow them */
        status = place_near(sys, s->t, p, &state);
    }
    if (status == BL_OK)
        status = bl_eval_create(sys, BL_SEEN, &eval);
    if (status == BL_OK) {
        bl_eval_at(&eval, &state);
        status = bl_system_eval(sys, &eval, BL_POSE | BL_VARIABLES);
    }
    if (status == BL_OK)
        take_positions(variant, &eval, p);
    bl_run_release(sys, &state, &eval);
    bl_model_unvary(variant);
    return status;
}

/* ---- velocities */

/* values and rates of variables that are given; none: zeroed */
typedef struct targets {
    bl_index *held, *moved; /* variables whose values, and whose rates, are given */
    double *value, *rate;
    bl_index nheld, nmoved;
    void *block;
} targets;

/* first[nbody]: whether a body is the first of a part that joints do not connect to the ground */
static bl_status find_floating(bl_context *ctx, const bl_model *model, bool *first) {
    bl_index *part;
    BL_TRY(BL_NEW(ctx, part, model->nbody));
    for (bl_index b = 0; b < model->nbody; b++)
        part[b] = b;
    for (bool changed = true; changed;) { /* every part gets the number of its first body */
        changed = false;
        for (bl_index j = 0; j < model->njoint; j++) {
            const bl_index *body = model->joint[j].body;
            if (body[0] < 0 || part[body[0]] == part[body[1]])
                continue;
            part[body[0]] = part[body[1]] = part[body[0]] < part[body[1]] ? part[body[0]] : part[body[1]];
            changed = true;
        }
    }
    for (bl_index b = 0; b < model->nbody; b++)
        first[b] = b > 0 && part[b] == b;
    bl_free(ctx, part);
    return BL_OK;
}

/* entries of `initial:` that keep all rates, and the motion of parts that are not connected to ground, except those given */
static bl_index list_velocities(const bl_stepper *s, const present *p, const targets *to, const bool *floating, bl_initial *list) {
    const bl_model *model = s->run.model;
    const bl_place place = {model->file, 0, 0};
    bl_index n = 0;
    for (bl_index i = 0; i < to->nmoved; i++)
        list[n++] = (bl_initial){.what = BL_INITIAL_RATE, .ref = to->moved[i], .value = {to->rate[i]}, .place = place};
    for (bl_index v = 0; v < p->nvariable; v++) {
        bool is_given = false;
        for (bl_index i = 0; i < to->nmoved; i++)
            is_given = is_given || to->moved[i] == v;
        for (bl_index d = 0; d < model->ndriver; d++)
            is_given = is_given || model->driver[d].variable == v;
        if (!is_given)
            list[n++] = (bl_initial){.what = BL_INITIAL_RATE, .guess = true, .ref = v, .value = {p->rate[v]}, .place = place};
    }
    for (bl_index b = 1; b < p->nbody; b++) {
        if (!floating[b])
            continue;
        bl_initial move = {.what = BL_INITIAL_VELOCITY, .ref = b, .mark = {.body = b}, .place = place}, turn = move;
        turn.what = BL_INITIAL_ANGULAR_VELOCITY;
        memcpy(move.value, p->pose[b].velocity, sizeof move.value);
        memcpy(turn.value, p->pose[b].angular_velocity, sizeof turn.value);
        list[n++] = move;
        list[n++] = turn;
    }
    return n;
}

/* velocities of s->sys at a state whose positions are set: given rates have their values, the others change as little as possible */
static bl_status set_velocities(const bl_stepper *s, const present *p, const targets *to, bl_state *state) {
    bl_variant_ask ask = {.begin = true};
    bl_model *variant = NULL;
    bl_initial *list;
    bool *floating;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(s->run.ctx, block, BL_ARRAY(list, p->nvariable + to->nmoved + 2 * p->nbody), BL_ARRAY(floating, p->nbody)));
    bl_status status = find_floating(s->run.ctx, s->run.model, floating);
    if (status == BL_OK) {
        ask.ninitial = list_velocities(s, p, to, floating, list);
        ask.initial = list;
        status = bl_model_vary(s->run.ctx, s->run.model, &ask, &variant);
    }
    if (status == BL_OK)
        status = bl_assemble_velocities(s->sys, variant, state);
    bl_model_unvary(variant);
    bl_free(s->run.ctx, block);
    return status;
}

/* ---- jump to given values */

static bl_status add_target(const bl_stepper *s, const bl_override *entry, targets *to) {
    bl_linear_output o;
    bl_arena arena = {.ctx = s->run.ctx};
    bl_status status = bl_linear_output_find(s->run.ctx, s->run.model, &arena, entry->name, NULL, &o);
    bl_arena_destroy(&arena);
    BL_TRY(status);
    bool rate = o.what == BL_OUTPUT_VARIABLE_RATE;
    if (!rate && o.what != BL_OUTPUT_VARIABLE)
        return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_jump: '%s' is neither a variable nor a rate of a joint", entry->name);
    if (!isfinite(entry->value))
        return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_jump: %s = %g is not finite", entry->name, entry->value);
    bl_index *list = rate ? to->moved : to->held, *n = rate ? &to->nmoved : &to->nheld;
    for (bl_index i = 0; i < *n; i++)
        if (list[i] == o.ref)
            return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_jump: '%s' is given twice", entry->name);
    (rate ? to->rate : to->value)[*n] = entry->value;
    list[(*n)++] = o.ref;
    return BL_OK;
}

/* In parts of at most study_jump_part, so that each is assembled from nearby. Parts: of a revolution for angles, of the length of the
 * mechanism for distances. */
static bl_status move_positions(bl_stepper *s, const targets *to, present *p) {
    const bl_model *model = s->run.model;
    double most = 0, length = bl_system_smallest(s->sys), *from, *way;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(s->run.ctx, block, BL_ARRAY(from, to->nheld), BL_ARRAY(way, to->nheld)));
    for (bl_index i = 0; i < to->nheld; i++) {
        from[i] = p->variable[to->held[i]];
        most = fmax(most, fabs(to->value[i] - from[i]) / (model->variable[to->held[i]].is_angle ? 1 : length));
    }
    double parts = fmin(fmax(ceil(most / study_jump_part), 1), study_jump_most);
    bl_status status = BL_OK;
    for (double k = 1; k <= parts && status == BL_OK; k++) {
        for (bl_index i = 0; i < to->nheld; i++)
            way[i] = k < parts ? from[i] + k / parts * (to->value[i] - from[i]) : to->value[i];
        status = hold_at(s, to->held, way, to->nheld, p);
    }
    bl_free(s->run.ctx, block);
    if (status != BL_NO_CONVERGENCE)
        return status;
    bl_fail(s->run.ctx, BL_E_NUMERIC, NULL, "bl_stepper_jump: the mechanism cannot be assembled with these values at t = %.9g", s->t);
    bl_advise(s->run.ctx, "give values on the present branch of the mechanism, or fewer of them");
    return BL_E_NUMERIC;
}

static bl_status jump_from(bl_stepper *s, const bl_override *entry, bl_index n, const bl_state *from, bl_state *state) {
    targets to = {0};
    present p = {0};
    double before;
    bl_status status =
        BL_NEW_ARRAYS(s->run.ctx, to.block, BL_ARRAY(to.held, n), BL_ARRAY(to.moved, n), BL_ARRAY(to.value, n), BL_ARRAY(to.rate, n));
    for (bl_index i = 0; i < n && status == BL_OK; i++)
        status = add_target(s, &entry[i], &to);
    if (status == BL_OK)
        status = energy_at(s, from, &before);
    if (status == BL_OK)
        status = read_present(s, from, &p);
    if (status == BL_OK && to.nheld > 0)
        status = move_positions(s, &to, &p);
    if (status == BL_OK && to.nheld > 0)
        status = place_near(s->sys, s->t, &p, state);
    if (status == BL_OK)
        status = set_velocities(s, &p, &to, state);
    if (status == BL_OK)
        status = begin_changed(s, before, state);
    bl_free(s->run.ctx, p.block);
    bl_free(s->run.ctx, to.block);
    return status;
}

static bl_status need_bodies(const bl_stepper *s, const char *function) {
    const bl_model *model = s->run.model;
    if (!model->matrices && !bl_model_of_meshes(model) && !model->equations)
        return BL_OK;
    return bl_fail(s->run.ctx, BL_E_ABILITY, NULL, "%s needs a model of rigid bodies", function);
}

bl_status bl_stepper_jump(bl_stepper *s, const bl_override *value, bl_index n) {
    bl_state state = {0};
    if (n < 0 || (n > 0 && !value))
        return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_jump needs names and values");
    BL_TRY(need_bodies(s, "bl_stepper_jump"));
    BL_TRY(bl_simulation_cut(s->sim, s->t));
    BL_TRY(bl_state_create(s->sys, 0, &state));
    bl_state_copy(s->sys, &state, &s->sim->state);
    bl_status status = jump_from(s, value, n, &s->sim->state, &state);
    bl_state_destroy(s->sys, &state);
    return status;
}

/* ---- inputs */

bl_index bl_stepper_input(const bl_stepper *s, const char *name) {
    const bl_model *model = s->run.model;
    bl_index signal;
    for (bl_index k = 0; name && (signal = bl_model_input(model, k)) >= 0; k++)
        if (strcmp(model->signal[signal].name, name) == 0)
            return k;
    return -1;
}

static bl_status check_free(const bl_stepper *s, bl_index input) {
    if (!bl_input_table_has(&s->inputs, input))
        return BL_OK;
    bl_fail(s->run.ctx, BL_E_ARG, NULL, "the input '%s' cannot be set: it follows a table",
            s->run.model->signal[bl_model_input(s->run.model, input)].name);
    bl_advise(s->run.ctx, "leave its column out of the table of the options");
    return BL_E_ARG;
}

/* A driver that reads the input cannot follow a jump of its value; *value becomes the present one where they differ by rounding. */
static bl_status check_value(const bl_stepper *s, bl_index input, double *value) {
    const bl_model *model = s->run.model;
    bl_index signal = bl_model_input(model, input), driver = bl_model_driver_reading(model, 0, signal);
    double now = bl_signal_input(s->sys, &s->sim->state, input, s->t, NULL);
    if (driver < 0 || !isfinite(*value))
        return BL_OK;
    if (fabs(*value - now) <= study_input_same * fmax(1, fabs(now))) {
        *value = now;
        return BL_OK;
    }
    const char *variable = model->variable[model->driver[driver].variable].name;
    bl_fail(s->run.ctx, BL_E_ARG, NULL, "input '%s' cannot jump from %.9g to %.9g: the driver of %s follows it", model->signal[signal].name,
            now, *value, variable);
    bl_advise(s->run.ctx, "lead it there within a time (bl_stepper_lead_input), or set another rate at its present value");
    bl_blame(s->run.ctx, variable, "driver", s->t);
    return BL_E_ARG;
}

/* A setting of an input: kept if the mechanism can follow it. */
typedef struct setting {
    bl_index input;
    double value, rate, end; /* end: led there by a cubic; NaN: from now on */
} setting;

static bl_status set(bl_stepper *s, const setting *to) {
    bl_simulation *sim = s->sim;
    bl_state *state = &sim->state;
    double before;
    BL_TRY(bl_simulation_energy(sim, &before));
    BL_TRY(bl_percussion_before(sim));
    bl_state_copy(s->sys, &sim->at, state);
    bl_status status = isnan(to->end) ? bl_signal_set_input(s->sys, state, to->input, s->t, to->value, to->rate)
                                      : bl_signal_lead_input(s->sys, state, to->input, s->t, to->end, to->value, to->rate);
    if (status == BL_OK)
        status = bl_simulation_changed(sim, before);
    if (status != BL_OK)
        bl_state_copy(s->sys, state, &sim->at);
    return status;
}

bl_status bl_stepper_set_input(bl_stepper *s, bl_index input, double value, double rate) {
    double rate_now;
    bool is_input = input >= 0 && bl_model_input(s->run.model, input) >= 0;
    if (is_input && bl_signal_input(s->sys, &s->sim->state, input, s->t, &rate_now) == value && rate_now == rate &&
        !bl_signal_follows(s->sys, &s->sim->state, input, s->t))
        return BL_OK;
    if (is_input) {
        BL_TRY(check_free(s, input));
        BL_TRY(bl_simulation_cut(s->sim, s->t));
        BL_TRY(check_value(s, input, &value));
    }
    return set(s, &(setting){input, value, rate, NAN});
}

bl_status bl_stepper_lead_input(bl_stepper *s, bl_index input, double value, double rate, double t) {
    if (isnan(t))
        return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_lead_input: the time is not a number");
    if (input >= 0 && bl_model_input(s->run.model, input) >= 0) {
        BL_TRY(check_free(s, input));
        BL_TRY(bl_simulation_cut(s->sim, s->t));
    }
    return set(s, &(setting){input, value, rate, t});
}

/* ---- other parameters */

/* The motion of s, at its present time, continued by `to`, a stepper of the same model with other parameters. */
static bl_status carry_over(bl_stepper *s, bl_stepper *to) {
    present p = {0};
    bl_state state = {0};
    double before;
    bl_status status = energy_at(s, &s->sim->state, &before);
    if (status == BL_OK)
        status = read_present(s, &s->sim->state, &p);
    if (status == BL_OK)
        status = bl_state_create(to->sys, 0, &state);
    if (status == BL_OK) {
        bl_state_copy(to->sys, &state, &to->sim->state);
        bl_signal_copy(to->sys, &state, s->sys, &s->sim->state); /* drivers may follow them */
        status = place_near(to->sys, s->t, &p, &state);
    }
    if (status == BL_NO_CONVERGENCE) {
        bl_fail(s->run.ctx, BL_E_NUMERIC, NULL,
                "bl_stepper_set_parameters: the mechanism cannot be assembled with these values near its configuration at t = %.9g", s->t);
        status = BL_E_NUMERIC;
    }
    if (status == BL_OK)
        status = set_velocities(to, &p, &(targets){0}, &state);
    if (status == BL_OK) {
        *state.work = *s->sim->state.work;
        bl_signal_copy(to->sys, &state, s->sys, &s->sim->state);
        to->sim->energy_start = s->sim->energy_start;
        status = begin_changed(to, before, &state);
    }
    bl_state_destroy(to->sys, &state);
    bl_free(s->run.ctx, p.block);
    return status;
}

/* s becomes `to`; outputs and counters stay */
static void exchange(bl_stepper *s, bl_stepper *to) {
    bl_stepper was = *s;
    bl_run_summary counted = {0};
    bl_simulation_summary(s->sim, &counted);
    bl_stepper_add_counts(&was.past, &counted);
    *s = *to;
    s->given = was.given;
    s->past = was.past;
    s->names = was.names;
    s->output = was.output;
    s->noutput = was.noutput;
    s->output_room = was.output_room;
    s->run.started = was.run.started;
    s->setup.momentum = s->sim->momentum = &s->momentum;
    *to = was;
    to->names = (bl_arena){.ctx = was.run.ctx};
    to->output = NULL;
    to->setup.momentum = to->sim->momentum = &to->momentum;
}

bl_status bl_stepper_set_parameters(bl_stepper *s, const bl_override *value, bl_index n) {
    bl_model *model = NULL;
    bl_stepper *to = NULL;
    if (n < 0 || (n > 0 && !value))
        return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_set_parameters needs names and values");
    BL_TRY(need_bodies(s, "bl_stepper_set_parameters"));
    for (bl_index i = 0; i < n; i++)
        if (!value[i].name || bl_model_parameter(s->run.model, value[i].name) < 0)
            return bl_fail(s->run.ctx, BL_E_ARG, NULL, "the model has no parameter '%s'", value[i].name ? value[i].name : "");
    BL_TRY(bl_simulation_cut(s->sim, s->t));
    BL_TRY(bl_model_revalue(s->run.ctx, s->run.model, value, n, &model));
    bl_status status = bl_stepper_create(s->run.ctx, model, &s->asked, &to);
    if (status == BL_OK && to->run.info.ncontact != s->run.info.ncontact)
        status = bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_set_parameters: the number of contacts would change from %d to %d",
                         (int)s->run.info.ncontact, (int)to->run.info.ncontact);
    if (status == BL_OK)
        status = carry_over(s, to);
    if (status == BL_OK) {
        exchange(s, to);
        bl_model_destroy(to->revalued);
        to->revalued = NULL;
        s->revalued = model;
        model = NULL;
    }
    bl_stepper_destroy(to);
    bl_model_destroy(model);
    return status;
}
