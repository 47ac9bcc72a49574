/* Velocities and accelerations in one configuration (docs/theory/displacement.md, D10 to D13): with the Jacobians J of joints and I of
 * inputs
 *
 *     [J; I] v = [0; rates],     [J; I] a = [0; second rates] - second rates of the constraints and inputs at v without accelerations. */
#include "study/rates_private.h"

#include "base/sized.h"
#include "dense/dense.h"
#include "study/displacement_limits.h"
#include "study/move_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct rates_run {
    bl_context *ctx;
    const bl_model *model;
    const bl_rates_options *options;
    bl_linkage l;
    bl_displacement d;
    bl_arena *arena; /* of the report */
    bl_arena work;
    bl_index ninput;
    bl_goal *input;                     /* [ninput] */
    double *rate, *second;              /* [ninput] */
    double *ratio, *v, *a, *right, *at; /* [ninput][n], [n], [n], [rows], [rows] */
    bl_rates_report *report;
} rates_run;

static const char *copy_text(bl_arena *arena, const char *text) { return text ? bl_arena_text(arena, text, strlen(text)) : NULL; }

/* ---- inputs */

static bl_status given_inputs(rates_run *r) {
    const bl_rates_options *o = r->options;
    for (bl_index i = 0; i < o->ninput; i++) {
        if (!o->input[i].name || !isfinite(o->input[i].rate) || !isfinite(o->input[i].acceleration))
            return bl_fail(r->ctx, BL_E_ARG, NULL, "input %s needs a name and a finite rate and second rate",
                           o->input[i].name ? o->input[i].name : "(unnamed)");
        BL_TRY(bl_linkage_name(&r->l, o->input[i].name, &r->input[i].what));
        for (bl_index k = 0; k < i; k++)
            if (strcmp(r->input[k].what.name, r->input[i].what.name) == 0)
                return bl_fail(r->ctx, BL_E_ARG, NULL, "input %s is given twice", o->input[i].name);
        r->rate[i] = o->input[i].rate;
        r->second[i] = o->input[i].acceleration;
    }
    r->ninput = o->ninput;
    return BL_OK;
}

static void variable_input(rates_run *r, bl_index variable, double rate, double second) {
    const bl_variable *v = &r->model->variable[variable];
    bl_reading *what = &r->input[r->ninput].what;
    *what = (bl_reading){.variable = variable, .probe = -1, .is_angle = v->is_angle};
    snprintf(what->name, sizeof what->name, "%s", v->name);
    r->rate[r->ninput] = rate;
    r->second[r->ninput++] = second;
}

/* default input: the first variable that can move */
static bl_status only_input(rates_run *r) {
    bl_displacement d = {0};
    bl_status status = bl_displacement_create(&r->l, NULL, 0, &d);
    if (status == BL_OK && d.mobility - d.ncondition > 0)
        status = bl_displacement_factor(&d, false, false);
    for (bl_index v = 0; status == BL_OK && v < r->model->nvariable && r->ninput == 0 && d.mobility - d.ncondition > 0; v++) {
        bl_gradient g;
        bl_linkage_quantity(&r->l, &(bl_reading){.variable = v, .probe = -1}, &g);
        bl_linkage_put(&r->l, &g, r->model->variable[v].is_angle ? 1 : r->l.length, false, d.x, 1, 0);
        if (bl_displacement_new_part(&d, d.x) > study_rates_none)
            variable_input(r, v, 1, 0);
    }
    bl_displacement_destroy(&d);
    return status;
}

static bl_status choose_inputs(rates_run *r) {
    bl_index most = r->options->ninput + r->model->ndriver + 1;
    BL_TRY(BL_ARENA_NEW(&r->work, r->input, most));
    BL_TRY(BL_ARENA_NEW(&r->work, r->rate, most));
    BL_TRY(BL_ARENA_NEW(&r->work, r->second, most));
    if (r->options->ninput > 0)
        return given_inputs(r);
    for (bl_index k = 0; k < r->model->ndriver; k++)
        variable_input(r, r->model->driver[k].variable, r->l.k.driver[k].at[1], r->l.k.driver[k].at[2]);
    return r->ninput > 0 ? BL_OK : only_input(r);
}

/* ---- refusals */

static bl_status refuse_singular(rates_run *r, const double *beside) {
    char part[96] = "", others[256] = "", why[420] = "";
    BL_TRY(bl_move_dependent(&r->l, beside, part, sizeof part, others, sizeof others));
    if (part[0])
        snprintf(why, sizeof why, ": there, and only there, constraints of '%s' are redundant with %s", part,
                 others[0] ? others : "others");
    bl_fail(r->ctx, BL_E_NUMERIC, NULL, "the configuration is singular, so rates are not determined%s", why);
    bl_advise(r->ctx, "compute the rates slightly away from it (--move, or other initial values)");
    bl_blame(r->ctx, part[0] ? part : NULL, "singular configuration", NAN);
    return BL_E_NUMERIC;
}

/* an input that is determined by the joints and the inputs before it */
static bl_status refuse_input(rates_run *r, bl_index i) {
    bl_goal goal = r->d.goal[i];
    const char *name = goal.what.name, *unit = goal.what.is_angle ? "rad" : "m";
    if (goal.alone > study_rates_none) {
        char before[256] = "";
        size_t used = 0;
        for (bl_index k = 0; k < i && used < sizeof before; k++)
            used += (size_t)snprintf(before + used, sizeof before - used, "%s%s", k ? ", " : "", r->d.goal[k].what.name);
        bl_fail(r->ctx, BL_E_ARG, NULL, "input %s depends on the others: with %s given, the constraints determine its rate", name, before);
        bl_advise(r->ctx, "omit it: the mechanism has %d degree%s of freedom", (int)r->d.mobility, r->d.mobility == 1 ? "" : "s");
        bl_blame(r->ctx, name, NULL, NAN);
        return BL_E_ARG;
    }
    goal.to = goal.from + 1;
    BL_TRY(bl_displacement_blocked(&r->d, &goal));
    if (r->d.end == BL_WAY_FIXED) {
        bl_fail(r->ctx, BL_E_ARG, NULL, "input %s cannot move: the constraints hold it at %.9g %s", name, goal.from, unit);
        bl_advise(r->ctx, "give the rate of another variable");
        bl_blame(r->ctx, name, NULL, NAN);
        return BL_E_ARG;
    }
    const char *joint = r->d.hinge >= 0 ? r->model->joint[r->d.hinge].name : NULL;
    bl_fail(r->ctx, BL_E_NUMERIC, NULL, "input %s is at its extreme value %.9g %s (dead point)%s%s%s: it cannot have a rate here", name,
            goal.from, unit, joint ? ", joint '" : "", joint ? joint : "", joint ? "' can move while it does not change" : "");
    bl_advise(r->ctx, "give the rate of another variable, or compute the rates slightly away from the dead point (--move)");
    bl_blame(r->ctx, joint ? joint : name, "dead point", NAN);
    return BL_E_NUMERIC;
}

static bl_index joints_on(const bl_model *model, bl_index body) {
    bl_index n = 0;
    for (bl_index j = 0; j < model->njoint; j++)
        n += model->joint[j].kind->nbody == 2 && (model->joint[j].body[0] == body || model->joint[j].body[1] == body);
    return n;
}

/* whether joints and inputs, whose equations are factored, leave a variable undetermined */
static bool is_open(rates_run *r, bl_index variable) {
    bl_gradient g;
    bl_linkage_quantity(&r->l, &(bl_reading){.variable = variable, .probe = -1}, &g);
    bl_linkage_put(&r->l, &g, r->model->variable[variable].is_angle ? 1 : r->l.length, false, r->d.x, 1, 0);
    return bl_displacement_new_part(&r->d, r->d.x) > study_rates_none;
}

/* Number of passive motions: those left that move a single body between others, and no variable. */
static bl_status count_passive(rates_run *r, bl_index free, bl_index *passive) {
    bl_linkage *l = &r->l;
    *passive = 0;
    BL_TRY(bl_displacement_factor(&r->d, false, false));
    for (bl_index v = 0; v < r->model->nvariable; v++)
        if (is_open(r, v))
            return BL_OK;
    size_t n = (size_t)l->n, f = (size_t)free;
    double *basis, *part;
    bl_index *order;
    BL_TRY(BL_ARENA_NEW(&r->work, basis, n * f + 1));
    BL_TRY(BL_ARENA_NEW(&r->work, part, n * f + 1));
    BL_TRY(BL_ARENA_NEW(&r->work, order, n + f + 1));
    for (bl_index i = 0; i < free; i++) {
        BL_TRY(bl_displacement_motion(&r->d, i, 1));
        memcpy(basis + (size_t)i * n, r->d.tried, n * sizeof *basis);
    }
    for (bl_index b = 1; b < r->model->nbody; b++) {
        bl_index rank = 0;
        if (joints_on(r->model, b) < 2)
            continue;
        memcpy(part, basis, n * f * sizeof *part);
        for (size_t i = 0; i < f; i++)
            memset(part + i * n + (size_t)(b - 1) * (size_t)l->per, 0, (size_t)l->per * sizeof *part);
        double most = 0;
        for (size_t i = 0; i < n * f; i++)
            most = fmax(most, fabs(part[i]));
        if (most > study_rates_none)
            bl_rank_reveal(l->n, free, part, NULL, NULL, NULL, study_rates_none / most, order, order + n, &rank, NULL);
        *passive += free - rank;
    }
    return BL_OK;
}

/* names the variables, or else bodies, that joints and inputs leave undetermined */
static bl_status refuse_free(rates_run *r, bl_index free) {
    char names[256] = "", first[96] = "";
    size_t used = 0;
    int count = 0;
    BL_TRY(bl_displacement_factor(&r->d, false, false));
    for (bl_index v = 0; v < r->model->nvariable; v++) {
        if (!is_open(r, v))
            continue;
        if (!first[0])
            snprintf(first, sizeof first, "%s", r->model->variable[v].name);
        if (count++ < 6 && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", r->model->variable[v].name);
    }
    if (!names[0]) {
        BL_TRY(bl_displacement_motion(&r->d, 0, 1));
        bl_linkage_motion(&r->l, r->d.tried, names, sizeof names);
    }
    bl_fail(r->ctx, BL_E_ARG, NULL, "%d input%s for %d degrees of freedom: the motion of %s%s is not determined", (int)r->ninput,
            r->ninput == 1 ? "" : "s", (int)r->d.mobility, names, count > 6 ? " and others" : "");
    if (r->options->ninput == 0 && r->model->ndriver == 0)
        bl_advise(r->ctx, "give %d inputs: --input %s=RATE --input %s=RATE ...", (int)(r->ninput + free), r->input[0].what.name,
                  first[0] ? first : "VARIABLE");
    else
        bl_advise(r->ctx, "give %d more: --input %s=RATE", (int)free, first[0] ? first : "VARIABLE");
    return BL_E_ARG;
}

/* checks that the equations of joints and inputs are independent and determine the motion */
static bl_status prepare(rates_run *r) {
    BL_TRY(choose_inputs(r));
    for (bl_index i = 0; i < r->ninput; i++) {
        bl_gradient g;
        bl_linkage_quantity(&r->l, &r->input[i].what, &g);
        r->input[i].to = g.value;
    }
    BL_TRY(bl_displacement_create(&r->l, r->input, r->ninput, &r->d));
    if (r->d.end == BL_WAY_BRANCHES)
        return refuse_singular(r, r->d.trial);
    if (r->d.mobility == 0) {
        bl_fail(r->ctx, BL_E_ARG, NULL, "the mechanism has no degree of freedom: nothing can move");
        bl_advise(r->ctx, "`biela check` shows its mobility and redundant constraints");
        return BL_E_ARG;
    }
    for (bl_index i = 0; i < r->ninput; i++)
        if (r->d.goal[i].follows)
            return refuse_input(r, i);
    r->d.ncondition = r->ninput; /* without the drivers that hold their values */
    bl_index free = r->d.mobility - r->ninput;
    bl_linkage_go(&r->l, r->d.base);
    if (free > 0)
        BL_TRY(count_passive(r, free, &r->report->passive));
    return free > r->report->passive ? refuse_free(r, free - r->report->passive) : BL_OK;
}

/* ---- rates */

static bl_status solve(rates_run *r) {
    bl_linkage *l = &r->l;
    bl_index rank = r->d.rank, m = rank + r->ninput, n = l->n;
    BL_TRY(BL_ARENA_NEW(&r->work, r->ratio, (size_t)n * (size_t)r->ninput + 1));
    BL_TRY(BL_ARENA_NEW(&r->work, r->v, n + 1));
    BL_TRY(BL_ARENA_NEW(&r->work, r->a, n + 1));
    BL_TRY(BL_ARENA_NEW(&r->work, r->right, m + 1));
    BL_TRY(bl_displacement_factor(&r->d, false, true));
    bool solved = true;
    for (bl_index i = 0; i < r->ninput && solved; i++) {
        double *x = r->ratio + (size_t)i * (size_t)n;
        memset(r->right, 0, (size_t)m * sizeof *r->right);
        r->right[rank + i] = 1 / bl_linkage_unit(l, &r->input[i].what);
        solved = bl_displacement_least(&r->d, true, r->right, x);
        for (bl_index j = 0; j < n; j++)
            r->v[j] += r->rate[i] * x[j];
    }
    bl_linkage_set_rates(l, r->v);
    for (bl_index i = 0; i < rank; i++)
        r->right[i] = -l->gradient[r->d.chosen[i]].centripetal / l->scale[r->d.chosen[i]];
    for (bl_index i = 0; i < r->ninput; i++) {
        bl_gradient g;
        bl_linkage_quantity(l, &r->input[i].what, &g);
        r->right[rank + i] = (r->second[i] - g.centripetal) / bl_linkage_unit(l, &r->input[i].what);
    }
    solved = solved && bl_displacement_least(&r->d, true, r->right, r->a);
    return solved ? BL_OK : refuse_singular(r, NULL);
}

static bl_status fill_row(rates_run *r, const bl_reading *what, const char *name, bl_rate_row *row) {
    bl_gradient g;
    double *ratio;
    BL_TRY(BL_ARENA_NEW(r->arena, ratio, r->ninput + 1));
    bl_linkage_quantity(&r->l, what, &g);
    for (bl_index i = 0; i < r->ninput; i++)
        ratio[i] = bl_linkage_apply(&r->l, &g, r->ratio + (size_t)i * (size_t)r->l.n);
    *row = (bl_rate_row){.name = copy_text(r->arena, name),
                         .is_angle = what->is_angle,
                         .value = g.value,
                         .rate = bl_linkage_apply(&r->l, &g, r->v),
                         .acceleration = bl_linkage_apply(&r->l, &g, r->a) + g.centripetal,
                         .ratio = ratio};
    return row->name ? BL_OK : BL_E_MEMORY;
}

static bl_status fill_rows(rates_run *r) {
    const bl_model *model = r->model;
    bl_rate_row *input, *variable, *probe;
    BL_TRY(BL_ARENA_NEW(r->arena, input, r->ninput + 1));
    BL_TRY(BL_ARENA_NEW(r->arena, variable, model->nvariable + 1));
    BL_TRY(BL_ARENA_NEW(r->arena, probe, 3 * (size_t)model->nprobe + 1));
    for (bl_index i = 0; i < r->ninput; i++)
        BL_TRY(fill_row(r, &r->input[i].what, r->input[i].what.name, &input[i]));
    for (bl_index v = 0; v < model->nvariable; v++)
        BL_TRY(fill_row(r, &(bl_reading){.variable = v, .probe = -1, .is_angle = model->variable[v].is_angle}, model->variable[v].name,
                        &variable[v]));
    for (bl_index p = 0; p < model->nprobe; p++)
        for (int k = 0; k < model->dim; k++) {
            char name[128];
            snprintf(name, sizeof name, "%.120s.%c", model->probe[p].name, 'x' + k);
            BL_TRY(fill_row(r, &(bl_reading){.variable = -1, .probe = p, .part = k}, name, &probe[p * model->dim + k]));
        }
    r->report->input = input;
    r->report->variable = variable;
    r->report->probe = probe;
    r->report->ninput = r->ninput;
    r->report->nvariable = model->nvariable;
    r->report->nprobe = model->nprobe;
    r->report->dim = model->dim;
    return BL_OK;
}

static bl_status fill_bodies(rates_run *r) {
    bl_index nbody = r->model->nbody;
    bl_body_rates *body;
    bl_pose *pose, *second;
    BL_TRY(BL_ARENA_NEW(r->arena, body, nbody));
    BL_TRY(BL_ARENA_NEW(&r->work, pose, nbody));
    BL_TRY(BL_ARENA_NEW(&r->work, second, nbody));
    bl_linkage_poses(&r->l, r->v, pose);
    bl_linkage_poses(&r->l, r->a, second);
    for (bl_index b = 1; b < nbody; b++) {
        body[b - 1] = (bl_body_rates){.name = copy_text(r->arena, r->model->body[b].name), .pose = pose[b]};
        memcpy(body[b - 1].acceleration.acceleration, second[b].velocity, sizeof second[b].velocity);
        memcpy(body[b - 1].acceleration.angular_acceleration, second[b].angular_velocity, sizeof second[b].angular_velocity);
        if (!body[b - 1].name)
            return BL_E_MEMORY;
    }
    r->report->body = body;
    r->report->nbody = nbody - 1;
    return BL_OK;
}

static bl_status fill_transmissions(rates_run *r) {
    bl_index *variable, count = 0;
    const bl_transmission *found = NULL;
    BL_TRY(BL_ARENA_NEW(&r->work, variable, r->ninput + 1));
    for (bl_index i = 0; i < r->ninput; i++)
        variable[i] = r->input[i].what.variable;
    BL_TRY(bl_transmissions(&r->l, variable, r->ninput, &r->work, &found, &count));
    bl_transmission *made;
    BL_TRY(BL_ARENA_NEW(r->arena, made, count + 1));
    for (bl_index i = 0; i < count; i++) {
        made[i] = found[i];
        made[i].joint = copy_text(r->arena, found[i].joint);
        for (int k = 0; k < 2; k++)
            made[i].link[k] = copy_text(r->arena, found[i].link[k]);
        if (!made[i].joint || !made[i].link[0] || !made[i].link[1])
            return BL_E_MEMORY;
    }
    r->report->transmission = made;
    r->report->ntransmission = count;
    return BL_OK;
}

/* mechanical advantage by conservation of power: factor x change of output = change of input */
static bl_status fill_advantages(rates_run *r) {
    bl_advantage *made;
    BL_TRY(BL_ARENA_NEW(r->arena, made, r->options->noutput + 1));
    for (bl_index k = 0; k < r->options->noutput; k++) {
        bl_reading what;
        bl_rate_row row;
        double *factor;
        BL_TRY(bl_linkage_name(&r->l, r->options->output[k], &what));
        BL_TRY(fill_row(r, &what, what.name, &row));
        BL_TRY(BL_ARENA_NEW(r->arena, factor, r->ninput + 1));
        for (bl_index i = 0; i < r->ninput; i++) {
            double size = bl_linkage_unit(&r->l, &what) / bl_linkage_unit(&r->l, &r->input[i].what);
            factor[i] = fabs(row.ratio[i]) > study_rates_fixed * size ? 1 / row.ratio[i] : INFINITY;
        }
        made[k] = (bl_advantage){row.name, factor};
    }
    r->report->output = made;
    r->report->noutput = r->options->noutput;
    return BL_OK;
}

/* ---- the study */

static bl_status run(rates_run *r) {
    BL_TRY(bl_linkage_create(r->ctx, r->model, r->options->closure, &r->l));
    for (bl_index k = 0; k < r->options->noutput; k++) { /* checked before anything moves */
        bl_reading what;
        BL_TRY(bl_linkage_name(&r->l, r->options->output[k] ? r->options->output[k] : "", &what));
    }
    BL_TRY(bl_move_linkage(&r->l, r->options->target, r->options->ntarget));
    BL_TRY(prepare(r));
    BL_TRY(solve(r));
    r->report->mobility = r->d.mobility;
    r->report->model_name = copy_text(r->arena, r->model->name ? r->model->name : r->model->file);
    if (!r->report->model_name)
        return BL_E_MEMORY;
    BL_TRY(fill_rows(r));
    BL_TRY(fill_bodies(r));
    BL_TRY(fill_advantages(r));
    return fill_transmissions(r);
}

void bl_rates_report_destroy(bl_context *ctx, bl_rates_report *report) {
    if (report->own)
        bl_arena_destroy(report->own);
    bl_free(ctx, report->own);
    BL_CLEAR(bl_rates_report, report);
}

bl_status bl_rates(bl_context *ctx, const bl_model *model, const bl_rates_options *options, bl_rates_report *report) {
    if (!ctx || !model || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_rates needs a context, a model and a report");
    bl_rates_options o;
    bl_rates_report made = {.size = sizeof made};
    BL_TRY(BL_TAKE(ctx, bl_rates_options, options, &o));
    BL_TRY(BL_FITS(ctx, bl_rates_report, report));
    if (o.ntarget < 0 || o.ninput < 0 || o.noutput < 0 || (o.ntarget > 0 && !o.target) || (o.ninput > 0 && !o.input) ||
        (o.noutput > 0 && !o.output))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_rates: targets, inputs or outputs are counted but not given");
    bl_context_clear_warnings(ctx);
    bl_arena *arena;
    BL_TRY(BL_NEW(ctx, arena, 1));
    arena->ctx = ctx;
    made.own = arena;
    rates_run r = {.ctx = ctx, .model = model, .options = &o, .arena = arena, .work.ctx = ctx, .report = &made};
    r.d.arena.ctx = r.l.arena.ctx = r.l.k.arena.ctx = ctx;
    bl_status status = run(&r);
    bl_displacement_destroy(&r.d);
    bl_linkage_destroy(&r.l);
    bl_arena_destroy(&r.work);
    if (status != BL_OK)
        bl_rates_report_destroy(ctx, &made);
    BL_GIVE(bl_rates_report, report, &made);
    return status;
}
