/* Inverse dynamics before the first sample: what prescribes the motion, and which actuators produce it. */
#include "model/variant.h"
#include "study/closure.h"
#include "study/inverse_limits.h"
#include "study/inverse_private.h"
#include "study/study_limits.h"
#include "study/table_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the table */

static bl_status read_table(bl_inverse_run *r) {
    const bl_inverse_def *def = r->model->inverse;
    double noise = r->options.noise_given ? r->options.noise : def ? def->noise : NAN;
    if (r->options.noise_given && !(r->options.noise >= 0 && isfinite(r->options.noise)))
        return bl_fail(r->ctx, BL_E_ARG, NULL, "noise must be a standard deviation, at least 0 and finite, found %g", r->options.noise);
    bl_index ncolumn = def ? def->ncolumn : 0;
    const bl_column_def *column = def ? def->column : NULL;
    if (r->options.table) {
        size_t bytes;
        BL_TRY(bl_table_text_load(r->ctx, r->options.table, &r->table_text, &bytes));
        return bl_recording_create(r->ctx, r->model, r->options.table, r->table_text, bytes, column, ncolumn, noise, &r->recording);
    }
    if (def && def->table.name)
        return bl_recording_create(r->ctx, r->model, def->table.name, def->table_text, def->table_bytes, column, ncolumn, noise,
                                   &r->recording);
    if (r->options.noise_given) {
        bl_fail(r->ctx, BL_E_ARG, NULL, "noise is given, but there is no table of a measured motion");
        bl_advise(r->ctx, "give a table (--from), or omit noise: drivers are exact");
        return BL_E_ARG;
    }
    return BL_OK;
}

/* output times of a table: its own, or the requested ones within it */
static bl_status table_times(bl_inverse_run *r) {
    const bl_recording *rec = r->recording;
    bl_run_options *o = &r->run.options;
    double end = rec->t[rec->n - 1];
    bool given = r->asked.until > 0;
    r->begin = rec->t[0];
    if (given && (o->until > end || !(o->until > r->begin)))
        return bl_fail(r->ctx, BL_E_ARG, NULL, "until = %.9g s is outside the table %s, which covers %.9g to %.9g s", o->until, rec->file,
                       r->begin, end);
    o->until = given ? o->until : end;
    for (bl_index i = 0; i < o->nat; i++)
        if (!(o->at[i] >= r->begin && o->at[i] <= end))
            return bl_fail(r->ctx, BL_E_ARG, NULL, "output time %.9g s is outside the table %s, which covers %.9g to %.9g s", o->at[i],
                           rec->file, r->begin, end);
    if (o->at)
        return BL_OK;
    double every = r->asked.every;
    size_t most = every > 0 ? (size_t)fmin((o->until - r->begin) / every + 3, 1e8) : (size_t)rec->n + 1;
    BL_TRY(BL_NEW(r->ctx, r->at, most));
    o->at = r->at;
    if (every > 0) {
        for (; (size_t)o->nat + 1 < most && r->begin + o->nat * every < o->until - study_same_time * every; o->nat++)
            r->at[o->nat] = r->begin + o->nat * every;
        r->at[o->nat++] = o->until;
        return BL_OK;
    }
    for (bl_index i = 0; i < rec->n && rec->t[i] <= o->until; i++)
        r->at[o->nat++] = rec->t[i];
    if (r->at[o->nat - 1] < o->until)
        r->at[o->nat++] = o->until;
    return BL_OK;
}

static bl_status resolve(bl_inverse_run *r) {
    BL_TRY(bl_run_resolve(r->ctx, r->model, &r->asked, &r->run.options));
    if (r->run.options.every_step)
        return bl_fail(r->ctx, BL_E_ARG, NULL, "inverse dynamics takes no time steps: give output times instead of every step");
    BL_TRY(read_table(r));
    if (r->recording)
        BL_TRY(table_times(r));
    else
        BL_TRY(bl_run_check_times(r->ctx, &r->run.options));
    r->run.options.formulation = "inverse";
    r->run.options.integrator = r->recording ? "recorded" : "none";
    r->run.options.linsol = r->run.options.ordering = NULL;
    r->run.options.step = 0;
    return BL_OK;
}

/* ---- actuators */

static bl_status no_such(bl_inverse_run *r, const bl_named *name, const char *what, bl_index n,
                         const char *(*of)(const bl_model *, bl_index)) {
    const char **words = NULL;
    BL_TRY(BL_NEW(r->ctx, words, n));
    for (bl_index i = 0; i < n; i++)
        words[i] = of(r->model, i);
    const char *near = bl_nearest(name->name, words, (size_t)n);
    bl_fail(r->ctx, BL_E_MODEL, &name->place, "actuator: the model has no %s '%s'", what, name->name);
    if (near)
        bl_advise(r->ctx, "did you mean '%s'?", near);
    bl_free(r->ctx, words);
    return BL_E_MODEL;
}

static const char *variable_name(const bl_model *m, bl_index i) { return m->variable[i].name; }
static const char *force_name(const bl_model *m, bl_index i) { return m->force[i].name; }

static bl_status named_actuator(bl_inverse_run *r, const bl_actuator_def *def, bl_actuator *a) {
    const bl_model *model = r->model;
    *a = (bl_actuator){.variable = -1, .force = -1, .driver = -1, .limit = isnan(def->limit) ? INFINITY : def->limit};
    a->weight = !isnan(def->weight) ? def->weight : !isnan(def->limit) ? 1 / (def->limit * def->limit) : 1;
    if (def->variable.name) {
        a->name = def->variable.name;
        a->variable = bl_model_variable(model, a->name);
        if (a->variable < 0)
            return no_such(r, &def->variable, "variable", model->nvariable, variable_name);
        a->is_angle = model->variable[a->variable].is_angle;
        return BL_OK;
    }
    a->name = def->force.name;
    for (bl_index i = 0; i < model->nforce && a->force < 0; i++)
        if (model->force[i].name && strcmp(model->force[i].name, a->name) == 0)
            a->force = i;
    return a->force < 0 ? no_such(r, &def->force, "force", model->nforce, force_name) : BL_OK;
}

static void variable_actuator(const bl_model *model, bl_index variable, const char *name, bl_index driver, bl_actuator *a) {
    *a = (bl_actuator){.name = name,
                       .variable = variable,
                       .force = -1,
                       .driver = driver,
                       .is_angle = model->variable[variable].is_angle,
                       .weight = 1,
                       .limit = INFINITY};
}

static bl_status named_actuators(bl_inverse_run *r, const bl_inverse_def *def) {
    for (bl_index k = 0; k < def->nactuator; k++) {
        bl_actuator *a = &r->actuator[r->nactuator];
        BL_TRY(named_actuator(r, &def->actuator[k], a));
        for (bl_index i = 0; i < r->nactuator; i++)
            if (r->actuator[i].variable == a->variable && r->actuator[i].force == a->force)
                return bl_fail(r->ctx, BL_E_MODEL, &def->actuator[k].place, "actuator '%s' is listed twice", a->name);
        r->nactuator++;
    }
    return BL_OK;
}

static bl_status find_actuators(bl_inverse_run *r) {
    const bl_model *model = r->model;
    const bl_inverse_def *def = model->inverse;
    bl_index columns = r->recording ? r->recording->ncolumn : 0, most = model->ndriver + columns + (def ? def->nactuator : 0);
    r->bounded = def && def->bounded;
    BL_TRY(BL_ARENA_ARRAYS(&r->run.arena, BL_ARRAY(r->actuator, most + 1), BL_ARRAY(r->held, most + 1)));
    bool drivers = !(def && def->nactuator > 0);
    if (!drivers)
        BL_TRY(named_actuators(r, def));
    for (bl_index d = 0; drivers && d < model->ndriver; d++)
        variable_actuator(model, model->driver[d].variable, model->driver[d].name, r->recording ? -1 : d, &r->actuator[r->nactuator++]);
    for (bl_index k = 0; drivers && model->ndriver == 0 && k < columns; k++) {
        bl_index v = r->recording->column[k].variable;
        if (v >= 0)
            variable_actuator(model, v, model->variable[v].name, -1, &r->actuator[r->nactuator++]);
    }
    for (bl_index k = 0; k < r->nactuator; k++)
        if (r->actuator[k].driver < 0)
            r->held[r->nheld++] = r->actuator[k].variable >= 0
                                      ? (bl_held){.what = BL_HELD_VARIABLE, .ref = r->actuator[k].variable}
                                      : (bl_held){.what = BL_HELD_FORCE, .ref = r->actuator[k].force, .replaces = true};
    return BL_OK;
}

/* ---- system and first state */

static bl_status find_motion(bl_inverse_run *r) {
    const bl_model *model = r->model;
    if (model->nbody < 2)
        return bl_fail(r->ctx, BL_E_ABILITY, NULL, "inverse dynamics needs bodies: '%s' has none", model->name ? model->name : "the model");
    bl_model_without_contacts(r->ctx, model, "inverse dynamics");
    BL_TRY(bl_model_refuse_reactions(r->ctx, model, "inverse dynamics is"));
    for (bl_index i = 0; i < model->nsignal; i++)
        if (model->signal[i].what == BL_SIGNAL_STATE || model->signal[i].what == BL_SIGNAL_DELAY || model->naction > 0) {
            bl_fail(r->ctx, BL_E_ABILITY, &model->signal[i].place,
                    "inverse dynamics is not available with states, sampled controllers and events: their values depend on the past");
            bl_advise(r->ctx, "give forces as functions of the motion, or make the controller's force an actuator");
            return BL_E_ABILITY;
        }
    if (!r->recording && model->ndriver == 0) {
        bl_fail(r->ctx, BL_E_ABILITY, NULL, "the motion is not given: the model has no drivers, and there is no table");
        bl_advise(r->ctx, "add `drivers:`, or give a table of the measured motion (--from, or `inverse: {motion: {table: ...}}`)");
        return BL_E_ABILITY;
    }
    if (r->recording && model->ndriver > 0)
        BL_TRY(bl_model_vary(r->ctx, model, &(bl_variant_ask){.release = true}, &r->variant));
    r->moved = r->variant ? r->variant : model;
    return BL_OK;
}

static bl_status name_actuators(bl_inverse_run *r) {
    const char **name;
    bool *is_angle;
    BL_TRY(BL_ARENA_ARRAYS(&r->run.arena, BL_ARRAY(name, r->nactuator + 1), BL_ARRAY(is_angle, r->nactuator + 1)));
    BL_TRY(BL_NEW(r->ctx, r->found.actuator, r->nactuator));
    for (bl_index k = 0; k < r->nactuator; k++) {
        bl_actuator_summary *s = &r->found.actuator[k];
        name[k] = r->actuator[k].name;
        is_angle[k] = s->is_angle = r->actuator[k].is_angle;
        snprintf(s->name, sizeof s->name, "%s", name[k]);
        s->limit = r->actuator[k].limit;
        s->over_time = s->energy_per_period = s->largest_time = NAN;
    }
    r->found.nactuator = r->run.info.nactuator = r->nactuator;
    r->run.info.actuator = name;
    r->run.info.actuator_is_angle = is_angle;
    return BL_OK;
}

/* Rank of the actuators shortly after the start: shows whether the start is singular. */
static bl_status look_ahead(bl_inverse_run *r) {
    double t = *r->course->state.t, ahead = t + study_inverse_ahead * (r->run.options.until - r->begin);
    BL_TRY(bl_effort_rank(r->effort, &r->course->state, r->course->a));
    bl_index full = r->effort->kkt->f < r->nactuator ? r->effort->kkt->f : r->nactuator;
    r->found.dof = r->effort->by_drivers ? r->moved->ndriver : r->effort->kkt->f;
    if (r->effort->by_drivers || r->effort->rank == full)
        return BL_OK;
    bl_status status = bl_course_move(r->course, ahead);
    if (status == BL_OK)
        status = bl_effort_rank(r->effort, &r->course->state, r->course->a);
    if (status == BL_E_NUMERIC)
        return BL_OK;
    BL_TRY(status);
    return bl_course_move(r->course, t);
}

bl_status bl_inverse_prepare(bl_inverse_run *r) {
    BL_TRY(resolve(r));
    BL_TRY(find_motion(r));
    BL_TRY(find_actuators(r));
    BL_TRY(
        bl_run_prepare_held(r->ctx, r->moved, r->run.options.coordinates, r->run.options.closure, r->held, r->nheld, &r->sys, &r->state));
    BL_TRY(bl_closure_warn(r->sys, r->moved, &r->state));
    const char *lacks = r->recording ? "measurement" : r->nheld > 0 ? "driver" : "actuator";
    BL_TRY(bl_course_create(r->sys, r->moved, r->recording, &r->state, lacks, &r->course));
    BL_TRY(bl_effort_create(r->sys, r->moved, r->actuator, r->nactuator, r->bounded, &r->effort));
    BL_TRY(look_ahead(r));
    r->run.model = r->moved;
    BL_TRY(bl_run_describe(&r->run, r->sys, NULL));
    BL_TRY(name_actuators(r));
    r->run.info.linsol = r->effort->kkt->dense ? "full matrices" : "auto";
    r->run.info.ordering = "none";
    r->run.info.dof = r->found.dof;
    r->run.info.samples = bl_run_samples(&r->run.options);
    BL_TRY(bl_actuators_create(r->ctx, r->nactuator, &r->energies));
    BL_TRY(bl_actuators_create(r->ctx, r->nactuator + 1, &r->sums));
    return BL_ARENA_ARRAYS(&r->run.arena, BL_ARRAY(r->first, 2 * r->sys->nvariable), BL_ARRAY(r->scale, 2 * r->sys->nvariable));
}
