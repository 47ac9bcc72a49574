/* Sets the start of a mechanism in the coordinates of a system and verifies it: in all coordinates every body must have the pose of the
 * start, with its rigid shape. */
#include "study/assembly_private.h"
#include "study/start.h"
#include "study/study.h"

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

bl_status bl_move_mechanism(const bl_system *sys, const bl_model *model, bl_state *state) {
    placed p;
    bl_status status = placed_create(sys, &p);
    if (status == BL_OK) {
        memset(state->v, 0, (size_t)sys->nv * sizeof(double));
        bl_eval_at(&p.eval, state);
        status = bl_system_eval(sys, &p.eval, BL_POSE | BL_VARIABLES);
    }
    if (status == BL_OK)
        status = find_driven(sys, model, &p);
    if (status == BL_OK) {
        memcpy(p.pose, p.eval.pose, (size_t)sys->nbody * sizeof *p.pose);
        memcpy(p.variable, p.eval.variable, (size_t)sys->nvariable * sizeof *p.variable);
        status = bl_start_velocities(sys->ctx, model, *state->t, sys->closure, p.pose, p.variable, p.driven_rate);
    }
    if (status == BL_OK)
        status = bl_coords_set_velocities(sys, &(bl_body_states){p.pose, p.angle, p.variable}, state);
    if (status == BL_OK)
        status = bl_assembly_polish(sys, state);
    placed_destroy(sys, &p);
    return status;
}
