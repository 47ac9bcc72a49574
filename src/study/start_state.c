/* Sets the start of a mechanism in the coordinates of a system and verifies it: in all coordinates every body must have the pose of the
 * start, with its rigid shape. */
#include "study/assembly_private.h"
#include "study/start.h"
#include "study/study.h"

#include "base/vector3.h"
#include "signal/signal.h"

#include "system/system_limits.h"

#include <math.h>
#include <string.h>

typedef struct placed {
    bl_pose *pose;
    double *angle, *variable;
    double *driven_rate; /* [rows] of each driver; NULL: as in the model */
    bl_eval eval;
    void *block;
} placed;

static bl_status placed_create(const bl_system *sys, placed *p) {
    *p = (placed){0};
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, p->block, BL_ARRAY(p->pose, sys->nbody), BL_ARRAY(p->angle, sys->nbody),
                         BL_ARRAY(p->variable, sys->nvariable), BL_ARRAY(p->driven_rate, sys->np)));
    return bl_eval_create(sys, BL_SEEN, &p->eval);
}

static void placed_destroy(const bl_system *sys, placed *p) {
    bl_eval_destroy(sys, &p->eval);
    bl_free(sys->ctx, p->block);
}

/* NaN where a pose is not finite */
static double distance(const bl_pose *a, const bl_pose *b, const bl_mark *mark) {
    double at[3], other[3], square = 0;
    bl_mark_now(a, mark, at);
    bl_mark_now(b, mark, other);
    for (int k = 0; k < 3; k++)
        square += (at[k] - other[k]) * (at[k] - other[k]);
    return sqrt(square);
}

static bl_status refuse(const bl_system *sys, const bl_model *model, bl_index body, bl_index joint, double off, const bl_state *state) {
    const bl_body *b = &model->body[body];
    bl_fail(sys->ctx, BL_E_NUMERIC, &b->place,
            "assembly: the coordinates do not represent the rigid shape of body '%s' (error %.3g m%s%s%s)", b->name, off,
            joint >= 0 ? " at joint '" : "", joint >= 0 ? model->joint[joint].name : "", joint >= 0 ? "'" : "");
    bl_advise(sys->ctx, "use --coordinates reference, and please report this model: this is a defect of the program");
    bl_blame(sys->ctx, b->name, "rigid shape", *state->t);
    return BL_E_NUMERIC;
}

/* compares mass centers, and all points and directions of joints on bodies, with the start */
static bl_status check_shapes(const bl_system *sys, const bl_model *model, placed *p, const bl_state *state) {
    double length = 0, most;
    bl_eval_at(&p->eval, state);
    BL_TRY(bl_system_eval(sys, &p->eval, BL_POSE));
    for (bl_index b = 1; b < sys->nbody; b++)
        for (int k = 0; k < 3; k++)
            length = fmax(length, fabs(p->pose[b].position[k]));
    most = bl_misfit_most(sys->closure);
    for (bl_index b = 1; b < sys->nbody; b++) {
        double off = distance(p->pose, p->eval.pose, &(bl_mark){.body = b});
        if (!(off <= most * (1 + length)))
            return refuse(sys, model, b, -1, off, state);
    }
    for (bl_index j = 0; j < model->njoint; j++)
        for (bl_index i = 0; i < model->joint[j].nprim; i++)
            for (int k = 0; k < 2 && !bl_prim_is_relation(&model->joint[j].prim[i]); k++) {
                const bl_mark *mark = &model->joint[j].prim[i].mark[k];
                double off = mark->body > 0 ? distance(p->pose, p->eval.pose, mark) : 0;
                if (!(off <= most * (1 + length)))
                    return refuse(sys, model, mark->body, j, off, state);
            }
    return BL_OK;
}

bl_status bl_start_state(const bl_system *sys, const bl_model *model, bl_state *state) {
    placed p;
    bl_status status = placed_create(sys, &p);
    if (status == BL_OK)
        status = bl_start_positions(sys->ctx, model, *state->t, sys->closure, p.pose, p.angle, p.variable);
    if (status == BL_OK)
        status = bl_coords_set_positions(sys, &(bl_body_states){p.pose, p.angle, p.variable}, state);
    if (status == BL_OK)
        status = bl_assemble_nearby(sys, state);
    if (status == BL_OK || status == BL_NO_CONVERGENCE) {
        bl_status kept = check_shapes(sys, model, &p, state);
        status = kept == BL_OK ? status : kept;
    }
    placed_destroy(sys, &p);
    return status;
}

/* rates of drivers that follow signals are those of the state, which the model alone does not know */
static bl_status find_driven(const bl_system *sys, const bl_model *model, placed *p) {
    if (!bl_signal_drives(sys))
        p->driven_rate = NULL;
    if (!p->driven_rate)
        return BL_OK;
    BL_TRY(bl_system_eval(sys, &p->eval, BL_B));
    for (bl_index i = 0; i < sys->np; i++)
        if (sys->row[i].what == BL_ROW_DRIVER && sys->row[i].owner < model->ndriver)
            p->driven_rate[sys->row[i].owner] = p->eval.b[i];
    return BL_OK;
}

/* poses and twists of the bodies that the model has at the configuration of the state; p is created */
static bl_status find_twists(const bl_system *sys, const bl_model *model, const bl_state *state, placed *p, bool *nearest) {
    bl_eval_at(&p->eval, state);
    BL_TRY(bl_system_eval(sys, &p->eval, BL_POSE | BL_VARIABLES));
    memcpy(p->pose, p->eval.pose, (size_t)sys->nbody * sizeof *p->pose);
    memcpy(p->variable, p->eval.variable, (size_t)sys->nvariable * sizeof *p->variable);
    return bl_start_velocities(sys->ctx, model, *state->t, sys->closure, p->pose, p->variable, p->driven_rate, nearest);
}

/* what an exact entry of `initial:` says about velocities: now[n] and want[n]; returns n, 0 for other entries */
static int entry_values(const bl_model *model, const bl_initial *entry, const bl_eval *at, double now[3], double want[3]) {
    const bl_pose *pose = &at->pose[entry->mark.body];
    bool turns = entry->what == BL_INITIAL_ANGULAR_VELOCITY;
    double arm[3], turning[3];
    int n = 0;
    if (entry->guess || (entry->what != BL_INITIAL_RATE && entry->what != BL_INITIAL_VELOCITY && !turns))
        return 0;
    if (entry->what == BL_INITIAL_RATE) {
        now[0] = at->variable_rate[entry->ref];
        want[0] = entry->value[0];
        return 1;
    }
    bl_mark_now(at->pose, &entry->mark, arm);
    for (int k = 0; k < 3; k++)
        arm[k] -= pose->position[k];
    cross3(pose->angular_velocity, arm, turning);
    for (int k = turns && model->dim == 2 ? 2 : 0; k < (turns ? 3 : model->dim); k++) {
        now[n] = turns ? pose->angular_velocity[k] : pose->velocity[k] + turning[k];
        want[n++] = entry->value[k];
    }
    return n;
}

/* values of all entries at the velocities of the state; returns their number */
static bl_status values_at(const bl_system *sys, const bl_model *model, const bl_state *state, placed *p, double *now, double *want,
                           bl_index *count) {
    bl_eval_at(&p->eval, state);
    BL_TRY(bl_system_eval(sys, &p->eval, BL_POSE | BL_VARIABLES));
    *count = 0;
    for (bl_index i = 0; i < model->ninitial; i++)
        *count += entry_values(model, &model->initial[i], &p->eval, now + *count, want + *count);
    return BL_OK;
}

/* The entries as equations on velocities, found one velocity after the other: row[n][nv], value[n]. Leaves v as it was. */
static bl_status entry_rows(const bl_system *sys, const bl_model *model, bl_state *state, placed *p, bl_arena *arena, bl_index *n,
                            double **row, double **value) {
    size_t most = 3 * (size_t)model->ninitial, nv = (size_t)sys->nv;
    double *kept, *none, *now;
    *n = 0;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(kept, nv), BL_ARRAY(none, most), BL_ARRAY(now, most), BL_ARRAY(*value, most)));
    memcpy(kept, state->v, nv * sizeof *kept);
    memset(state->v, 0, nv * sizeof *kept);
    bl_status status = values_at(sys, model, state, p, none, *value, n);
    if (status == BL_OK)
        status = BL_ARENA_NEW(arena, *row, (size_t)*n * nv);
    for (size_t j = 0; status == BL_OK && *n > 0 && j < nv; j++) {
        double want[3];
        state->v[j] = 1;
        bl_eval_at(&p->eval, state);
        status = bl_system_eval(sys, &p->eval, BL_POSE | BL_VARIABLES);
        for (bl_index i = 0, k = 0; status == BL_OK && i < model->ninitial; i++)
            k += entry_values(model, &model->initial[i], &p->eval, now + k, want);
        for (bl_index k = 0; k < *n; k++)
            (*row)[(size_t)k * nv + j] = now[k] - none[k];
        state->v[j] = 0;
    }
    for (bl_index k = 0; k < *n; k++)
        (*value)[k] -= none[k];
    memcpy(state->v, kept, nv * sizeof *kept);
    return status;
}

/* the entry of equation k; evaluated before */
static const bl_initial *entry_of(const bl_model *model, const bl_eval *at, bl_index k) {
    double now[3], want[3];
    const bl_initial *entry = model->initial;
    for (bl_index n; (n = entry_values(model, entry, at, now, want)) <= k; entry++)
        k -= n;
    return entry;
}

/* All equations together cannot be satisfied: names the first entry that cannot with those before it. BL_NO_CONVERGENCE: none of them does,
 * joints and drivers alone cannot be satisfied. Changes v. */
static bl_status blame_entry(const bl_system *sys, const bl_model *model, bl_state *state, placed *p, bl_index n, const double *row,
                             const double *value) {
    BL_TRY(bl_assembly_sudden(sys, state, 0, NULL, NULL));
    for (bl_index m = 1; m <= n; m++) {
        bl_status status = bl_assembly_sudden(sys, state, m, row, value);
        if (status < 0)
            return status;
        if (status == BL_OK && m < n)
            continue;
        const bl_initial *entry = entry_of(model, &p->eval, m - 1);
        bl_fail(sys->ctx, BL_E_NUMERIC, &entry->place,
                "initial: this velocity contradicts drivers, joints or an earlier exact value, even if elastic bodies deform");
        bl_advise(sys->ctx, "omit one of them, or mark one with `guess: true`");
        bl_blame(sys->ctx, "initial", "initial value", *state->t);
        return BL_E_NUMERIC;
    }
    return BL_NO_CONVERGENCE;
}

/* velocities by impulses, after those of the rigid mechanism were set; if there are none, the message is that of the rigid mechanism */
static bl_status start_suddenly(const bl_system *sys, const bl_model *model, bl_state *state, placed *p) {
    bl_arena arena = {.ctx = sys->ctx};
    bl_index n;
    double *row = NULL, *value = NULL;
    bl_status status = entry_rows(sys, model, state, p, &arena, &n, &row, &value);
    if (status == BL_OK)
        status = bl_assembly_sudden(sys, state, n, row, value);
    if (status > 0 && n > 0)
        status = blame_entry(sys, model, state, p, n, row, value);
    bl_arena_destroy(&arena);
    if (status == BL_OK)
        bl_log(
            sys->ctx, BL_LOG_INFO,
            "sudden start: elastic bodies deform from the first instant, since the mechanism could not move in this way if it were rigid; "
            "impulses of its joints and drivers give the initial velocities");
    if (status <= 0)
        return status;
    memset(state->v, 0, (size_t)sys->nv * sizeof(double));
    status = find_twists(sys, model, state, p, NULL);
    return status == BL_OK ? BL_E_NUMERIC : status;
}

bl_status bl_move_mechanism(const bl_system *sys, const bl_model *model, bl_state *state) {
    placed p;
    bool nearest = false;
    bl_status status = placed_create(sys, &p);
    if (status == BL_OK) {
        memset(state->v, 0, (size_t)sys->nv * sizeof(double));
        bl_eval_at(&p.eval, state);
        status = find_driven(sys, model, &p);
    }
    if (status == BL_OK)
        status = find_twists(sys, model, state, &p, &nearest);
    if (status == BL_OK)
        status = bl_coords_set_velocities(sys, &(bl_body_states){p.pose, p.angle, p.variable}, state);
    if (status == BL_OK)
        status = nearest ? start_suddenly(sys, model, state, &p) : bl_assembly_polish(sys, state);
    placed_destroy(sys, &p);
    return status;
}

bl_status bl_start_is_sudden(const bl_system *sys, const bl_model *model, const bl_state *state, bool *sudden) {
    placed p;
    *sudden = false;
    if (model->nelastic == 0)
        return BL_OK;
    bl_status status = placed_create(sys, &p);
    if (status == BL_OK) {
        bl_eval_at(&p.eval, state);
        status = find_driven(sys, model, &p);
    }
    if (status == BL_OK)
        status = find_twists(sys, model, state, &p, sudden);
    placed_destroy(sys, &p);
    return status;
}
