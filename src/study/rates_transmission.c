/* Transmission angles of dyads, two links with a pin between them: how well they transmit motion. The determinant of their velocity
 * equations (docs/theory/kinematics.md, K10) is l_1 l_2 sin(angle) for RRR and l sin(angle) for RRP. */
#include "study/rates_private.h"

#include "base/vector3.h"
#include "model/variant.h"

#include <math.h>
#include <string.h>

/* the point of a pin, or the direction of a slide, in the configuration of the linkage; false: the joint has none */
static bool feature(bl_linkage *l, const bl_pose *pose, bl_index joint, char letter, double out[3]) {
    const bl_joint_def *def = &l->model->joint[joint];
    const bl_prim *prim = bl_joint_prim(def, letter == 'R' ? BL_COINCIDE : BL_TRAVEL);
    if (def->kind->letter != letter || !prim)
        return false;
    bl_mark_now(pose, letter == 'R' ? &prim->a : &prim->c, out);
    return true;
}

static bool holds(const bl_structure_group *group, bl_index body) { return group->link[0] == body || group->link[1] == body; }

/* joint[3]: the inner one first; false: not a dyad with one joint between its links and one outer joint on each */
static bool joints_of(const bl_linkage *l, const bl_structure_group *group, bl_index joint[3]) {
    bl_index inner = -1, outer[2], n = 0;
    if (group->nlink != 2 || group->npair != 3)
        return false;
    for (bl_index i = 0; i < 3; i++) {
        const bl_index *body = l->model->joint[group->pair[i]].body;
        if (l->model->joint[group->pair[i]].kind->nbody != 2)
            return false;
        if (holds(group, body[0]) && holds(group, body[1]))
            inner = group->pair[i];
        else if (n < 2)
            outer[n++] = group->pair[i];
    }
    if (inner < 0 || n != 2)
        return false;
    joint[0] = inner;
    memcpy(joint + 1, outer, sizeof outer);
    return true;
}

static bl_index link_of(const bl_linkage *l, const bl_structure_group *group, bl_index joint) {
    const bl_index *body = l->model->joint[joint].body;
    return holds(group, body[0]) ? body[0] : body[1];
}

/* false: the group has no transmission angle */
static bool transmission_of(bl_linkage *l, const bl_pose *pose, const bl_structure_group *group, bl_transmission *out) {
    bl_index joint[3];
    double c[3], a[3], b[3], first[3], second[3];
    if (!joints_of(l, group, joint) || !feature(l, pose, joint[0], 'R', c))
        return false;
    if (l->model->joint[joint[1]].kind->letter == 'P') {
        bl_index kept = joint[1];
        joint[1] = joint[2];
        joint[2] = kept;
    }
    bool slides = feature(l, pose, joint[2], 'P', b);
    if (!feature(l, pose, joint[1], 'R', a) || (!slides && !feature(l, pose, joint[2], 'R', b)))
        return false;
    for (int k = 0; k < 3; k++) {
        first[k] = a[k] - c[k];
        second[k] = slides ? b[k] : b[k] - c[k];
    }
    double along = dot3(first, second), size = sqrt(dot3(first, first) * dot3(second, second));
    if (!(size > 0))
        return false;
    double across = first[0] * second[1] - first[1] * second[0];
    *out = (bl_transmission){.joint = l->model->joint[joint[0]].name,
                             .link = {l->model->body[link_of(l, group, joint[1])].name, l->model->body[link_of(l, group, joint[2])].name},
                             .form = slides ? "RRP" : "RRR",
                             .angle = slides ? atan2(fabs(along), fabs(across)) : atan2(fabs(across), along)};
    return true;
}

static bl_status collect(bl_linkage *l, const bl_structure_report *found, bl_arena *arena, const bl_transmission **out, bl_index *count) {
    bl_pose *pose;
    bl_transmission *made;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(pose, l->model->nbody), BL_ARRAY(made, found->ngroup + 1)));
    bl_linkage_poses(l, NULL, pose);
    for (bl_index i = 0; i < found->ngroup; i++)
        *count += transmission_of(l, pose, &found->group[i], &made[*count]);
    *out = made;
    return BL_OK;
}

bl_status bl_transmissions(bl_linkage *l, const bl_index *variable, bl_index n, bl_arena *arena, const bl_transmission **out,
                           bl_index *count) {
    bl_model *driven = NULL;
    bl_chain chain = {.size = sizeof chain};
    bl_structure_report found = {.size = sizeof found};
    double *value = NULL;
    *out = NULL;
    *count = 0;
    for (bl_index i = 0; i < n; i++)
        if (variable[i] < 0)
            return BL_OK;
    if (l->model->dim != 2)
        return BL_OK;
    BL_TRY(BL_NEW(l->ctx, value, n + 1));
    bl_status status =
        bl_model_vary(l->ctx, l->model, &(bl_variant_ask){.hold = variable, .value = value, .nhold = n, .release = true}, &driven);
    if (status == BL_OK)
        status = bl_chain_of_model(l->ctx, driven, &chain);
    if (status == BL_OK)
        status = bl_structure(l->ctx, &chain, NULL, &found);
    if (status == BL_OK)
        status = collect(l, &found, arena, out, count);
    bl_structure_report_destroy(l->ctx, &found);
    bl_chain_destroy(l->ctx, &chain);
    bl_model_unvary(driven);
    bl_free(l->ctx, value);
    return status;
}
