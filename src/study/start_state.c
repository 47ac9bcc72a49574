/* Sets the start of a mechanism in the coordinates of a system and verifies it: in all coordinates every body must have the pose of the
 * start, with its rigid shape. */
#include "study/assembly_private.h"
#include "study/start.h"
#include "study/study.h"

#include "base/vector3.h"
#include "signal/signal.h"

#include "study/study_limits.h"
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

/* how far the velocity that an entry specifies is from that of poses and rates; 0 for other entries, and guesses */
static double entry_off(const bl_model *model, const bl_initial *entry, const bl_eval *at) {
    const bl_pose *pose = &at->pose[entry->mark.body];
    double now[3], arm[3], off = 0;
    if (entry->guess)
        return 0;
    if (entry->what == BL_INITIAL_RATE)
        return fabs(at->variable_rate[entry->ref] - entry->value[0]) / (1 + fabs(entry->value[0]));
    bool turns = entry->what == BL_INITIAL_ANGULAR_VELOCITY;
    if (!turns && entry->what != BL_INITIAL_VELOCITY)
        return 0;
    bl_mark_now(at->pose, &entry->mark, arm);
    for (int k = 0; k < 3; k++)
        arm[k] -= pose->position[k];
    cross3(pose->angular_velocity, arm, now);
    for (int k = 0; k < 3; k++) {
        now[k] = turns ? pose->angular_velocity[k] : now[k] + pose->velocity[k];
        if (turns ? model->dim == 3 || k == 2 : k < model->dim)
            off = fmax(off, fabs(now[k] - entry->value[k]) / (1 + fabs(entry->value[k])));
    }
    return off;
}

/* Whether the state has the velocities that `initial:` specifies, which are not among the constraints. */
static bl_status meets_entries(const bl_system *sys, const bl_model *model, const bl_state *state, placed *p, bool *meets) {
    *meets = true;
    bl_eval_at(&p->eval, state);
    BL_TRY(bl_system_eval(sys, &p->eval, BL_POSE | BL_VARIABLES));
    for (bl_index i = 0; i < model->ninitial; i++)
        *meets = *meets && entry_off(model, &model->initial[i], &p->eval) <= study_closed_enough;
    return BL_OK;
}

/* velocities by impulses, after those of the rigid mechanism were set; if there are none, the message is that of the rigid mechanism */
static bl_status start_suddenly(const bl_system *sys, const bl_model *model, bl_state *state, placed *p) {
    bool meets = false;
    bl_status status = bl_assembly_sudden(sys, state);
    if (status == BL_OK)
        status = meets_entries(sys, model, state, p, &meets);
    if (status == BL_OK && meets) {
        bl_log(
            sys->ctx, BL_LOG_INFO,
            "sudden start: elastic bodies deform from the first instant, since the mechanism could not move in this way if it were rigid; "
            "impulses of its joints and drivers give the initial velocities");
        return BL_OK;
    }
    if (status < 0)
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
