/* The study `kinematics`: positions, velocities and accelerations of a driven mechanism, group after group. */
#include "base/sized.h"
#include "kinematics/kinematics_private.h"
#include "study/run.h"

#include "biela/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- from a model */

/* the drivers do not determine the motion: names the links that remain, with the reason */
static bl_status refuse(bl_context *ctx, const bl_model *model, const bl_structure_report *report) {
    const bl_structure_remain *first = &report->remain[0];
    bl_fail(ctx, BL_E_ABILITY, NULL, "the drivers do not determine the motion: %s", first->text);
    if (first->state == BL_LINK_UNDER)
        bl_advise(ctx, "the mobility is %d, but there are %d drivers: add drivers, or simulate the motion under forces (`biela run`)",
                  report->mobility, report->inputs);
    else
        bl_advise(ctx, "the mobility is %d, and there are %d drivers: `biela structure` shows the groups", report->mobility,
                  report->inputs);
    bl_blame(ctx, model->body[first->link[0]].name, NULL, NAN);
    return BL_E_ABILITY;
}

/* By counting; where that is not sufficient, by rank: redundant constraints do not count, and idle degrees of freedom need no driver. */
static bl_status find_structure(bl_context *ctx, const bl_model *model, bl_chain *chain, bl_structure_report *report,
                                bl_structure_exceptions *exceptions) {
    BL_TRY(bl_chain_of_model(ctx, model, chain));
    BL_TRY(bl_structure(ctx, chain, NULL, report));
    if (!report->complete) {
        bl_structure_report_destroy(ctx, report);
        bl_chain_destroy(ctx, chain);
        BL_TRY(bl_structure_of_model(ctx, model, NULL, chain, report, exceptions));
    }
    return report->complete ? BL_OK : refuse(ctx, model, report);
}

bl_status bl_kinematics_create(bl_context *ctx, const bl_model *model, const bl_kinematics_options *options, bl_kinematics **out) {
    if (!ctx || !model || !out)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_kinematics_create needs a context and a model");
    bl_kinematics_options own;
    bl_chain chain = {.size = sizeof chain};
    bl_structure_report report = {.size = sizeof report};
    bl_structure_exceptions exceptions = {.size = sizeof exceptions};
    bl_pose *pose = NULL;
    *out = NULL;
    BL_TRY(BL_TAKE(ctx, bl_kinematics_options, options, &own));
    if (model->nbody < 2)
        return bl_fail(ctx, BL_E_ABILITY, NULL, "kinematics needs bodies: '%s' has none", model->name ? model->name : "the model");
    bl_model_without_contacts(ctx, model, "kinematics");
    BL_TRY(bl_model_refuse_following(ctx, model, "kinematics is"));
    BL_TRY(bl_joints_refuse_slip(ctx, model, "kinematics by groups"));
    bl_status status = find_structure(ctx, model, &chain, &report, &exceptions);
    if (status == BL_OK)
        status = BL_NEW(ctx, pose, model->nbody);
    if (status == BL_OK)
        status = bl_run_start(ctx, model, NULL, 0, pose, NULL);
    if (status == BL_OK)
        status = bl_kinematics_build(ctx, model, pose, &chain, &report, &exceptions, &own, out);
    bl_free(ctx, pose);
    bl_structure_exceptions_destroy(ctx, &exceptions);
    bl_structure_report_destroy(ctx, &report);
    bl_chain_destroy(ctx, &chain);
    return status;
}
