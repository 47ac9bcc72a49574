/* Torsion bar: a torsional spring and damper between two angles, or on one: with the twist x = first - second - angle the moments
 * -k x - c x' on first and the opposite on second. k = G J / L of a bar with the shear modulus G, the torsion constant J and the length L;
 * for a round bar or tube J = pi (D^4 - d^4) / 32. Potential k x^2 / 2. */
#include "force/ops.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846;

static const bl_param params[] = {
    {"first", BL_P_VARIABLE, BL_REQUIRED | BL_ANGLE_ONLY, 0, NULL, NULL, "angle of its first end"},
    {"second", BL_P_VARIABLE, BL_ANGLE_ONLY, 0, NULL, NULL,
     "angle of its second end (default: fixed in the first body of the joint of `first`)"},
    {"stiffness", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "N m/rad", "moment per twist (default: shear_modulus J / length)"},
    {"shear_modulus", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "Pa", "of its material (no default)"},
    {"length", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "of the part that is twisted (no default)"},
    {"diameter", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "of a round bar: J = pi (D^4 - d^4) / 32 (no default)"},
    {"inner_diameter", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "m", "of a tube"},
    {"torsion_constant", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m^4", "J of another cross-section, instead of a diameter (no default)"},
    {"angle", BL_P_NUMBER, 0, 0, NULL, "rad", "value of first - second at which it is unloaded"},
    {"damping", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N m s/rad", "moment per rate of twist"},
    {0},
};
enum { FIRST, SECOND, STIFFNESS, SHEAR_MODULUS, LENGTH, DIAMETER, INNER_DIAMETER, TORSION_CONSTANT, ANGLE, DAMPING };

static bl_status torsion_constant(const bl_record *r, double *J) {
    const bl_value *value = r->def->value;
    double D = value[DIAMETER].number, d = value[INNER_DIAMETER].number;
    if (value[TORSION_CONSTANT].given && (value[DIAMETER].given || value[INNER_DIAMETER].given))
        return bl_record_refuse(r, &value[TORSION_CONSTANT], "torsion_constant is given as well as a diameter", "give only one of them");
    if (value[TORSION_CONSTANT].given) {
        *J = value[TORSION_CONSTANT].number;
        return BL_OK;
    }
    if (d >= D)
        return bl_record_refuse(r, &value[INNER_DIAMETER], "inner_diameter is not smaller than diameter",
                                "give an inner_diameter below diameter, or none for a solid bar");
    *J = pi / 32 * (D - d) * (D + d) * (D * D + d * d);
    return BL_OK;
}

/* given, or from the geometry of the bar */
static bl_status find_stiffness(const bl_record *r, double *k) {
    const bl_value *value = r->def->value;
    bool section = value[DIAMETER].given || value[TORSION_CONSTANT].given;
    bool bar = value[SHEAR_MODULUS].given || value[LENGTH].given || section || value[INNER_DIAMETER].given;
    if (value[STIFFNESS].given && bar)
        return bl_record_refuse(r, &value[STIFFNESS], "stiffness is given as well as the bar",
                                "give either stiffness, or shear_modulus, length and diameter");
    *k = value[STIFFNESS].number;
    if (value[STIFFNESS].given || (!bar && value[DAMPING].number != 0))
        return BL_OK;
    const char *missing = !bar ? "stiffness" : !value[SHEAR_MODULUS].given ? "shear_modulus" : !value[LENGTH].given ? "length" : "diameter";
    if (!bar || !value[SHEAR_MODULUS].given || !value[LENGTH].given || !section) {
        char what[64];
        snprintf(what, sizeof what, "%s is missing", missing);
        return bl_record_refuse(r, &value[STIFFNESS], what, "give stiffness, or shear_modulus, length and diameter (or torsion_constant)");
    }
    double J = 0;
    BL_TRY(torsion_constant(r, &J));
    *k = value[SHEAR_MODULUS].number * J / value[LENGTH].number;
    return BL_OK;
}

static bl_status torsion_bar_record(bl_record *r) {
    const bl_value *value = r->def->value;
    bool two = value[SECOND].given;
    double k = 0, c = value[DAMPING].number;
    bl_index first = value[FIRST].ref, second = value[SECOND].ref, moment = bl_node(r, 0);
    if (two && first == second)
        return bl_record_refuse(r, &value[SECOND], "first and second are the same variable", "leave out `second` if that end is fixed");
    BL_TRY(find_stiffness(r, &k));
    if (k != 0) {
        bl_index twist = bl_record_variable(r, first);
        if (two)
            twist = bl_node_sub(r, twist, bl_record_variable(r, second));
        twist = bl_node_sub(r, twist, bl_node(r, value[ANGLE].number));
        moment = bl_node_scale(r, -k, twist);
        bl_record_potential(r, bl_node_scale(r, 0.5 * k, bl_node_mul(r, twist, twist)));
    }
    if (c != 0) {
        bl_index rate = bl_record_rate(r, first);
        if (two)
            rate = bl_node_sub(r, rate, bl_record_rate(r, second));
        moment = bl_node_add(r, moment, bl_node_scale(r, -c, rate));
    }
    bl_record_push_variable(r, first, moment);
    if (two)
        bl_record_push_variable(r, second, bl_node_neg(r, moment));
    else
        bl_record_shows_variable(r, first);
    return BL_OK;
}

static bl_status torsion_bar_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    const bl_value *value = def->value;
    BL_TRY(bl_draw_variable(model, value[FIRST].ref, out));
    out->drawn = BL_DRAWN_TURNING;
    if (value[STIFFNESS].given || value[SHEAR_MODULUS].given)
        out->free = value[ANGLE].number;
    out->damped = value[DAMPING].number != 0;
    return BL_OK;
}

const bl_force_kind bl_force_torsion_bar = {
    .kind = {"torsion_bar", "torsional spring between two angles, from stiffness or dimensions", params, 0, 0},
    .record = torsion_bar_record,
    .picture = torsion_bar_picture,
};
