/* Proportional and derivative action: u = kp (target - of) - kd of'. Sampled: of' is the difference of the last two samples divided by the
 * period, zero at the first one. */
#include "controller/controller.h"

static const bl_param params[] = {
    {"of", BL_P_LAW, BL_REQUIRED, 0, NULL, NULL, "the expression to be controlled"},
    {"target", BL_P_LAW, 0, 0, NULL, NULL, "its desired value"},
    {"kp", BL_P_NUMBER, 0, 0, NULL, NULL, "output per error"},
    {"kd", BL_P_NUMBER, 0, 0, NULL, NULL, "output per rate of `of`, against it"},
    {"rate", BL_P_LAW, 0, 0, NULL, NULL, "rate of `of`, if it cannot be derived (default: derived, or from samples)"},
    {"limit", BL_P_NUMBER, BL_POSITIVE, 0, NULL, NULL, "largest magnitude of the output (default: none)"},
    {0},
};
enum { OF, TARGET, KP, KD, RATE, LIMIT };

static bl_status pd_build(bl_controller *c) {
    const bl_value *value = c->value;
    bl_index of = bl_controller_law(c, &value[OF]), error = bl_c_sub(c, bl_controller_law(c, &value[TARGET]), of), rate = -1;
    if (c->sampled) {
        bl_index change = bl_c_scale(c, 1 / c->period, bl_c_sub(c, of, bl_controller_state_node(c, "previous")));
        rate = bl_tape_if(c->tape, bl_controller_state_node(c, "begun"), change, bl_c_number(c, 0));
        bl_controller_next(c, "previous", of);
        bl_controller_next(c, "begun", bl_c_number(c, 1));
    }
    if (value[RATE].given)
        rate = bl_controller_law(c, &value[RATE]);
    else if (!c->sampled && value[KD].number != 0)
        rate = bl_controller_rate(c, of, &value[OF]);
    bl_index out = bl_c_scale(c, value[KP].number, error);
    if (rate >= 0)
        out = bl_c_sub(c, out, bl_c_scale(c, value[KD].number, rate));
    c->output = bl_c_limit(c, out, &value[LIMIT]);
    return c->status;
}

static const char *const sampled[] = {"previous", "begun", NULL};

const bl_controller_kind bl_controller_pd = {
    .kind = {"pd", "proportional action on the error, derivative action on the controlled expression", params, 0,
             BL_CONTINUOUS | BL_SAMPLED},
    .sampled_states = sampled,
    .build = pd_build,
};
