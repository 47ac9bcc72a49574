/* Messages of starts that cannot be assembled (start_conflict.h). */
#include "study/start_conflict.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>

static void entry_name(const bl_model *model, const bl_initial *entry, char *text, size_t size) {
    static const char *const what[] = {"", "", "position", "velocity", "orientation", "angular velocity"};
    if (entry->what == BL_INITIAL_VARIABLE || entry->what == BL_INITIAL_RATE)
        snprintf(text, size, "%s%s = %g", model->variable[entry->ref].name, entry->what == BL_INITIAL_RATE ? " rate" : "", entry->value[0]);
    else
        snprintf(text, size, "%s on body '%s'", what[entry->what], model->body[entry->mark.body].name);
}

static bl_status blame_entry(const bl_start *s, bl_index entry, bool alone, double gap) {
    const bl_initial *initial = &s->model->initial[entry];
    char name[160];
    entry_name(s->model, initial, name, sizeof name);
    if (s->raised > 0) {
        bl_fail(s->ctx, BL_E_NUMERIC, &initial->place,
                "initial: %s cannot be met: the mechanism starts at the limit of its reach and would have to move %.2g times as fast", name,
                s->raised);
        bl_advise(s->ctx, "start farther from the limit of its reach, or omit the rate");
    } else if (alone) {
        bl_fail(s->ctx, BL_E_NUMERIC, &initial->place, "initial: %s cannot be met: the joints%s prevent it (error %.3g)", name,
                s->model->ndriver ? " and drivers" : "", gap);
        bl_advise(s->ctx, "choose a value that can be reached, or mark it with `guess: true`");
    } else {
        bl_fail(s->ctx, BL_E_NUMERIC, &initial->place, "initial: %s contradicts an earlier exact value (error %.3g)", name, gap);
        bl_advise(s->ctx, "omit one of them, or mark one with `guess: true`");
    }
    bl_blame(s->ctx, name, "initial value", s->t);
    return BL_E_NUMERIC;
}

static void driver_name(const bl_start *s, bl_index driver, char *part, size_t size) {
    snprintf(part, size, "driver of %.80s", s->model->variable[s->model->driver[driver].variable].name);
}

static bl_status blame_driver(const bl_start *s, bl_index driver, bool alone, double gap) {
    char part[96];
    driver_name(s, driver, part, sizeof part);
    if (s->raised > 0) {
        bl_fail(s->ctx, BL_E_NUMERIC, &s->model->driver[driver].place,
                "%s: the mechanism starts at the limit of its reach and would have to move %.2g times as fast", part, s->raised);
        bl_advise(s->ctx, "start farther from the limit of its reach");
    } else {
        bl_fail(s->ctx, BL_E_NUMERIC, &s->model->driver[driver].place, "%s: its %s %s (error %.3g)", part, s->positions ? "value" : "rate",
                alone ? "cannot be reached: the joints prevent it" : "contradicts an earlier driver", gap);
        bl_advise(s->ctx,
                  alone ? "choose a value that can be reached" : "each degree of freedom can have only one driver: remove one of them");
    }
    bl_blame(s->ctx, part, "driven value", s->t);
    return BL_E_NUMERIC;
}

/* gap in units of the model: m or rad */
static double size_of(const bl_start *s, const bl_start_row *row, double gap) { return row->is_length ? gap * s->length : gap; }

static bl_status blame_joint(const bl_start *s, bl_index worst, double gap) {
    const bl_start_row *row = &s->row[worst];
    const bl_joint_def *joint = &s->model->joint[row->owner];
    const char *what = s->positions ? "assembly" : "initial velocities", *says = row->says ? row->says : "kept value";
    bl_fail(s->ctx, BL_E_NUMERIC, &joint->place, "%s: joint '%s' does not close (gap %.3g%s; %s '%s', %s)", what, joint->name,
            size_of(s, row, gap), row->is_length ? " m" : "", joint->kind->kind.name, joint->name, says);
    bl_advise(s->ctx, "check the dimensions around this joint; redundant joints need exact dimensions (all digits, or expressions); "
                      "or start closer to the desired configuration");
    bl_blame(s->ctx, joint->name, says, s->t);
    return BL_E_NUMERIC;
}

bl_status bl_start_not_finite(const bl_start *s, bl_index worst) {
    const bl_start_row *row = &s->row[worst];
    char part[160];
    const char *equation = row->says ? row->says : "kept value";
    if (row->owner < 0) {
        entry_name(s->model, &s->model->initial[-1 - row->owner], part, sizeof part);
        equation = "initial value";
    } else if (row->owner >= s->model->njoint) {
        driver_name(s, row->owner - s->model->njoint, part, sizeof part);
    } else {
        const bl_joint_def *joint = &s->model->joint[row->owner];
        snprintf(part, sizeof part, "%s '%.120s'", joint->kind->kind.name, joint->name);
    }
    bl_fail(s->ctx, BL_E_NUMERIC, NULL, "assembly: %s, %s is not finite at the start", part, equation);
    bl_advise(s->ctx, "check the driver, expression or length that it depends on: it has no finite value at the start");
    bl_blame(s->ctx, part, equation, s->t);
    return BL_E_NUMERIC;
}

/* an entry for the first or third of three angles, values before rates; -1: none */
static bl_index entry_about(const bl_model *model, const bl_prim *angles) {
    for (int rates = 0; rates < 2; rates++)
        for (bl_index i = 0; i < model->ninitial; i++)
            if (model->initial[i].what == (rates ? BL_INITIAL_RATE : BL_INITIAL_VARIABLE) &&
                (model->initial[i].ref == angles->var[0] || model->initial[i].ref == angles->var[2]))
                return i;
    return -1;
}

static bl_index driver_of(const bl_model *model, bl_index variable) {
    for (bl_index i = 0; i < model->ndriver; i++)
        if (model->driver[i].variable == variable)
            return i;
    return -1;
}

bl_status bl_start_locked(const bl_start *s) {
    const bl_model *model = s->model;
    for (const bl_prim *prim = model->prim; prim < model->prim + model->nprim; prim++) {
        if (prim->what != BL_ANGLES || !(fabs(cos(s->variable[prim->var[1]])) < study_start_locked))
            continue;
        char name[160];
        bl_index entry = entry_about(model, prim), driver = driver_of(model, prim->var[0]);
        if (driver < 0)
            driver = driver_of(model, prim->var[2]);
        if (entry < 0 && driver < 0)
            continue;
        if (entry >= 0)
            entry_name(model, &model->initial[entry], name, sizeof name);
        else
            driver_name(s, driver, name, sizeof name);
        bl_fail(s->ctx, BL_E_NUMERIC, entry >= 0 ? &model->initial[entry].place : &model->driver[driver].place,
                "%s%s: the nearest configuration has %s = %.6g deg, where %s and %s are not determined (their axes are parallel)",
                entry >= 0 ? "initial: " : "", name, model->variable[prim->var[1]].name, s->variable[prim->var[1]] * 57.29577951308232,
                model->variable[prim->var[0]].name, model->variable[prim->var[2]].name);
        bl_advise(s->ctx, "give the second angle, or all three angles; or choose other axes (axis, reference)");
        bl_blame(s->ctx, name, entry >= 0 ? "initial value" : "driven value", s->t);
        return BL_E_NUMERIC;
    }
    return BL_OK;
}

/* Least squares distribute the remaining gap over all equations of a loop; of the joints that stay open, reports the one with the largest
 * gap in the given configuration. */
static bl_index culprit(const bl_start *s, double gap, bl_index worst) {
    double widest = 0;
    bl_index found = worst;
    for (bl_index i = 0; s->positions && i < s->nrow; i++) {
        const bl_start_row *row = &s->row[i];
        if (row->owner < 0 || row->owner >= s->model->njoint || !(fabs(row->rhs) > 0.01 * gap))
            continue;
        double open = s->gap[row->owner] + 1e-9 * fabs(row->rhs);
        if (open > widest * (1 + 1e-12)) {
            widest = open;
            found = i;
        }
    }
    for (bl_index i = 0; i < s->nrow; i++) /* the equation of that joint with the largest gap */
        if (s->row[i].owner == s->row[found].owner && fabs(s->row[i].rhs) > fabs(s->row[found].rhs))
            found = i;
    return found;
}

bl_status bl_start_blame(bl_start *s, bl_start_try *again, void *user) {
    const bl_model *model = s->model;
    double gap = 0, miss;
    bl_index worst = 0;
    s->upto = s->drivers = 0;
    bl_status status = again(s, user, &gap, &worst);
    if (status == BL_NO_CONVERGENCE) {
        worst = culprit(s, gap, worst);
        return blame_joint(s, worst, fabs(s->row[worst].rhs));
    }
    for (bl_index i = 0; status == BL_OK && i < model->ndriver; i++) {
        s->drivers = i + 1;
        status = again(s, user, &gap, &worst);
        if (status != BL_NO_CONVERGENCE)
            continue;
        miss = gap;
        s->only_driver = i;
        status = again(s, user, &gap, &worst);
        if (status == BL_OK || status == BL_NO_CONVERGENCE)
            return blame_driver(s, i, status != BL_OK, status == BL_OK ? miss : gap);
    }
    for (bl_index i = 0; status == BL_OK && i < model->ninitial; i++) {
        if (model->initial[i].guess)
            continue;
        s->upto = i + 1;
        status = again(s, user, &gap, &worst);
        if (status != BL_NO_CONVERGENCE)
            continue;
        miss = gap;
        s->only = i;
        status = again(s, user, &gap, &worst);
        if (status == BL_OK || status == BL_NO_CONVERGENCE)
            return blame_entry(s, i, status != BL_OK, status == BL_OK ? miss : gap);
    }
    BL_TRY(status);
    bl_fail(s->ctx, BL_E_NUMERIC, NULL, "%s: cannot close the mechanism near the given configuration",
            s->positions ? "assembly" : "initial velocities");
    bl_advise(s->ctx, "check the dimensions (`biela check`), or start closer to the desired configuration (`initial:`)");
    return BL_E_NUMERIC;
}
