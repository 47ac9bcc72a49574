/* Dry friction in a joint, loaded by its own reaction. At the contact surface, with sliding speed s, the friction force is
 *
 *     mu N tanh(s / v) + c s,     N = |F| + 2 |M| / arm
 *
 * where F is the reaction perpendicular to the axis and M the moment of the reaction, carried by guides at the distance `arm`. A hinge
 * slides at its radius, s = r angle'; a slider has s = distance'; in a cylindrical joint both combine to a screw motion. N depends on
 * accelerations and multipliers, which depend on N: the formulation solves for them together. With `stick` the term with mu is Coulomb's
 * law itself, and the joint a contact without a gap (docs/theory/friction.md, section 5). */
#include "force/force_limits.h"
#include "force/ops.h"
#include "joint/joint.h"

#include <math.h>
#include <stdio.h>

static const bl_param params[] = {
    {"joint", BL_P_JOINT, BL_REQUIRED, 0, NULL, NULL, "the joint with friction"},
    {"coefficient", BL_P_NUMBER, BL_REQUIRED | BL_NOT_NEGATIVE, 0, NULL, NULL, "friction force / normal force"},
    {"radius", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "of the pin or shaft; required for joints that rotate"},
    {"arm", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m",
     "distance between the guides or bearings that carry moments (default: moments add no load)"},
    {"velocity", BL_P_NUMBER, BL_POSITIVE, 1e-3, NULL, "m/s", "sliding speed over which the force changes its sign"},
    {"stick", BL_P_FLAG, 0, 0, NULL, NULL, "the joint sticks at rest, and slides with the coefficient, without smoothing"},
    {"static", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, NULL,
     "with stick: friction force / normal force at which it slips (default: coefficient)"},
    {"viscous", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N s/m", "force per sliding speed, independent of the load"},
    {0},
};
enum { JOINT, COEFFICIENT, RADIUS, ARM, VELOCITY, STICK, STATIC, VISCOUS };

static bl_status refuse_joint(const bl_record *r, const bl_joint_def *joint) {
    bl_context *ctx = r->ctx;
    char names[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < bl_joint_kind_count; i++)
        if ((bl_joint_kinds[i]->kind.gives & BL_RUBS) && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", bl_joint_kinds[i]->kind.name);
    bl_fail(ctx, BL_E_MODEL, &r->def->value[JOINT].place, "force %s: joint '%s' is of type %s, which cannot have joint friction",
            r->def->name, joint->name, joint->kind->kind.name);
    bl_advise(ctx, "joint types that can have friction: %s", names);
    bl_blame(ctx, r->def->name, NULL, NAN);
    return BL_E_MODEL;
}

static void find_variables(const bl_model *model, bl_index joint, bl_index *turn, bl_index *slide) {
    *turn = *slide = -1;
    for (bl_index v = 0; v < model->nvariable; v++)
        if (model->variable[v].joint == joint)
            *(model->variable[v].is_angle ? turn : slide) = v;
}

/* the friction itself is that of a contact that slides or sticks (model/stick_reader.c); here its normal load, and what is viscous */
static void record_sticking(bl_record *r, bl_index turn, bl_index slide, double radius) {
    double viscous = r->def->value[VISCOUS].number;
    r->normal.kept = true;
    if (turn >= 0)
        bl_record_push_variable(r, turn, bl_node_scale(r, -viscous * radius * radius, bl_record_rate(r, turn)));
    if (slide >= 0)
        bl_record_push_variable(r, slide, bl_node_scale(r, -viscous, bl_record_rate(r, slide)));
}

static bl_status joint_friction_record(bl_record *r) {
    const bl_model *model = r->model;
    const bl_value *value = r->def->value;
    const bl_joint_def *joint = &model->joint[value[JOINT].ref];
    if (!(joint->kind->kind.gives & BL_RUBS))
        return refuse_joint(r, joint);
    bl_index turn, slide;
    find_variables(model, value[JOINT].ref, &turn, &slide);
    double radius = value[RADIUS].given ? value[RADIUS].number : 0;
    if (turn >= 0 && radius == 0) {
        bl_fail(r->ctx, BL_E_MODEL, &r->def->place, "force %s: joint '%s' rotates, so its friction needs 'radius'", r->def->name,
                joint->name);
        bl_advise(r->ctx, "give 'radius', the radius of the pin or shaft");
        bl_blame(r->ctx, r->def->name, NULL, NAN);
        return BL_E_MODEL;
    }
    double arm = value[ARM].given ? value[ARM].number : 0, speed_scale = value[VELOCITY].number;
    bl_index turning = turn >= 0 ? bl_node_scale(r, radius, bl_record_rate(r, turn)) : -1;
    bl_index sliding = slide >= 0 ? bl_record_rate(r, slide) : -1;
    bl_index normal = bl_record_normal(r, slide >= 0 ? slide : turn, arm, turn < 0);
    if (value[STATIC].given && value[STICK].number == 0)
        return bl_record_refuse(r, &value[STATIC], "'static' is the coefficient of a joint that sticks", "write stick: true");
    if (value[VELOCITY].given && value[STICK].number != 0)
        return bl_record_refuse(r, &value[VELOCITY], "'velocity' belongs to friction that is smoothed", "leave out 'velocity' or 'stick'");
    if (value[STICK].number != 0) {
        record_sticking(r, turn, slide, radius);
        return BL_OK;
    }
    bl_index dry = bl_node_scale(r, value[COEFFICIENT].number, normal), viscous = bl_node(r, value[VISCOUS].number);
    bl_index scale = bl_node(r, speed_scale);
    if (turn < 0 || slide < 0) {
        bl_index speed = turn >= 0 ? turning : sliding;
        bl_index rub = bl_node_mul(r, dry, bl_node_tanh(r, bl_node_div(r, speed, scale)));
        bl_index force = bl_node_neg(r, bl_node_add(r, rub, bl_node_mul(r, viscous, speed)));
        bl_record_push_variable(r, turn >= 0 ? turn : slide, turn >= 0 ? bl_node_scale(r, radius, force) : force);
        return BL_OK;
    }
    /* opposite to the screw motion; the last term keeps the direction defined at rest and is otherwise negligible */
    bl_index square = bl_node_add(r, bl_node_mul(r, turning, turning), bl_node_mul(r, sliding, sliding));
    bl_index speed = bl_node_sqrt(r, bl_node_add(r, square, bl_node(r, force_screw_rest * speed_scale * speed_scale)));
    bl_index rub = bl_node_div(r, bl_node_mul(r, dry, bl_node_tanh(r, bl_node_div(r, speed, scale))), speed);
    bl_index per_speed = bl_node_neg(r, bl_node_add(r, rub, viscous));
    bl_record_push_variable(r, turn, bl_node_scale(r, radius, bl_node_mul(r, per_speed, turning)));
    bl_record_push_variable(r, slide, bl_node_mul(r, per_speed, sliding));
    return BL_OK;
}

static bl_status joint_friction_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    bl_index turn, slide;
    find_variables(model, def->value[JOINT].ref, &turn, &slide);
    if (turn < 0 && slide < 0)
        return BL_E_MODEL;
    out->drawn = turn >= 0 ? BL_DRAWN_MOMENT : BL_DRAWN_FORCE;
    return bl_draw_variable(model, turn >= 0 ? turn : slide, out);
}

const bl_force_kind bl_force_joint_friction = {
    .kind = {"joint_friction", "dry friction in a joint, proportional to its reaction", params, 0, 0},
    .record = joint_friction_record,
    .picture = joint_friction_picture,
};
