/* Passive degrees of freedom: a link between two spherical joints may rotate about the line through them, and no driver prescribes it.
 * It is held as if one of them were a universal joint: u . w = 0, u fixed in the adjacent body (its axis of rotation, to which the line
 * is hardly ever parallel), w fixed in the link, perpendicular to the line. */
#include "kinematics/kinematics_limits.h"
#include "kinematics/kinematics_private.h"

#include "base/vector3.h"
#include "biela/structure.h"

#include <math.h>

static void to_body(const bl_body_motion *body, const double global[3], double own[3]) {
    const double *R = body->rotation;
    for (int i = 0; i < 3; i++)
        own[i] = R[i] * global[0] + R[3 + i] * global[1] + R[6 + i] * global[2];
}

static double unit(double v[3]) {
    double length = sqrt(dot3(v, v));
    for (int i = 0; length > 0 && i < 3; i++)
        v[i] /= length;
    return length;
}

/* position of a spherical joint on a body */
static void ball_of(const bl_kinematics *k, bl_index joint, bl_index body, double at[3]) {
    const bl_prim *ball = bl_joint_prim(&k->model->joint[joint], BL_COINCIDE);
    bl_turn(k->body[body].rotation, ball->mark[ball->a.body == body ? 0 : 1].s, at);
    for (int c = 0; c < 3; c++)
        at[c] += k->body[body].position[c];
}

/* direction of the line through the joint and another spherical joint of the link; false: there is none */
static bool line_of(const bl_kinematics *k, bl_index joint, bl_index link, double e[3]) {
    double here[3], there[3];
    bool found = false;
    ball_of(k, joint, link, here);
    for (bl_index j = 0; j < k->model->njoint && !found; j++) {
        const bl_joint_def *def = &k->model->joint[j];
        if (j == joint || def->kind->letter != 'S' || (def->body[0] != link && def->body[1] != link))
            continue;
        ball_of(k, j, link, there);
        for (int c = 0; c < 3; c++)
            e[c] = there[c] - here[c];
        found = unit(e) > kinematics_balls_apart * k->size;
    }
    return found;
}

/* a direction of the body not parallel to e: the axis of its revolute joint, otherwise any perpendicular to e */
static void reference_direction(const bl_kinematics *k, bl_index body, const double e[3], double u[3]) {
    double across[3];
    for (bl_index j = 0; body > 0 && j < k->model->njoint; j++) {
        const bl_joint_def *def = &k->model->joint[j];
        const bl_prim *axis = bl_joint_prim(def, BL_SAME);
        if (def->kind->letter != 'R' || !axis || (def->body[0] != body && def->body[1] != body))
            continue;
        bl_turn(k->body[axis->a.body].rotation, axis->a.s, u);
        unit(u);
        cross3(e, u, across);
        if (dot3(across, across) > kinematics_hinge_aside)
            return;
    }
    perpendicular3(e, u);
    unit(u);
}

static bl_status refuse(const bl_kinematics *k, bl_index joint, const char *text) {
    bl_fail(k->ctx, BL_E_ABILITY, &k->model->joint[joint].place, "%s", text);
    bl_advise(k->ctx, "nothing determines this motion: drive it, or choose joints without it (universal instead of spherical)");
    bl_blame(k->ctx, k->model->joint[joint].name, NULL, NAN);
    return BL_E_ABILITY;
}

bl_status bl_rows_of_passive(const bl_kinematics *k, const bl_structure_exceptions *exceptions, bl_index joint, int amount,
                             bl_joint_row *out, bl_index *n) {
    const bl_joint_def *def = &k->model->joint[joint];
    const bl_structure_exception *passive = NULL;
    double e[3] = {0}, u[3], w[3];
    for (bl_index i = 0; exceptions && i < exceptions->n; i++)
        if (exceptions->exception[i].kind == BL_EXCEPTION_PASSIVE && exceptions->exception[i].pair == joint)
            passive = &exceptions->exception[i];
    bl_index link = passive ? passive->link : -1;
    if (def->kind->letter != 'S' || amount != 1 || (def->body[0] != link && def->body[1] != link) || !line_of(k, joint, link, e))
        return refuse(k, joint, passive ? passive->text : "this joint has a passive degree of freedom, which moves nothing else");
    bl_index other = def->body[0] == link ? def->body[1] : def->body[0];
    reference_direction(k, other, e, u);
    cross3(e, u, w);
    unit(w);
    bl_prim perpendicular = {.what = BL_DOT, .var = {-1, -1, -1}, .meaning = "rotation of the link about itself"};
    perpendicular.a = (bl_mark){.body = other, .is_vector = true};
    perpendicular.b = (bl_mark){.body = link, .is_vector = true};
    to_body(&k->body[other], u, perpendicular.a.s);
    to_body(&k->body[link], w, perpendicular.b.s);
    out[(*n)++] = (bl_joint_row){.prim = perpendicular, .driver = -1, .joint = joint};
    return BL_OK;
}
