/* Proportional, integral and derivative action, e = target - of:
 *
 *     w = kp e + ki I - kd of',    u = w, between -limit and limit,    I' = e + (u - w) / (ki T)
 *
 * The last term lets the integral follow the limited output (anti-windup by tracking, time T). Sampled: I changes by the period times its
 * rate, the output uses the new integral of the error, and of' is the difference of two samples (Astrom and Hagglund 2006, chapter 13). */
#include "controller/controller.h"

#include <math.h>

static const bl_param params[] = {
    {"of", BL_P_LAW, BL_REQUIRED, 0, NULL, NULL, "the expression to be controlled"},
    {"target", BL_P_LAW, 0, 0, NULL, NULL, "its desired value"},
    {"kp", BL_P_NUMBER, 0, 0, NULL, NULL, "output per error"},
    {"ki", BL_P_NUMBER, 0, 0, NULL, NULL, "output per integral of the error"},
    {"kd", BL_P_NUMBER, 0, 0, NULL, NULL, "output per rate of `of`, against it"},
    {"rate", BL_P_LAW, 0, 0, NULL, NULL, "rate of `of`, if it cannot be derived (default: derived, or from samples)"},
    {"limit", BL_P_NUMBER, BL_POSITIVE, 0, NULL, NULL, "largest magnitude of the output (default: none)"},
    {"tracking", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "s", "with a limit: time T in which the integral follows it (default: kp / ki)"},
    {0},
};
enum { OF, TARGET, KP, KI, KD, RATE, LIMIT, TRACKING };

static double tracking_time(const bl_controller *c) {
    double kp = c->value[KP].number, ki = c->value[KI].number, T = kp != 0 ? fabs(kp / ki) : 1;
    T = c->value[TRACKING].given ? c->value[TRACKING].number : T;
    return c->sampled ? fmax(T, c->period) : T;
}

static bl_status pid_build(bl_controller *c) {
    const bl_value *value = c->value;
    double kp = value[KP].number, ki = value[KI].number, kd = value[KD].number;
    bl_index of = bl_controller_law(c, &value[OF]), error = bl_c_sub(c, bl_controller_law(c, &value[TARGET]), of), rate = -1;
    bl_index integral = bl_controller_state_node(c, "integral"), used = integral;
    if (c->sampled) {
        bl_index change = bl_c_scale(c, 1 / c->period, bl_c_sub(c, of, bl_controller_state_node(c, "previous")));
        rate = bl_tape_if(c->tape, bl_controller_state_node(c, "begun"), change, bl_c_number(c, 0));
        used = bl_c_add(c, integral, bl_c_scale(c, c->period, error));
        bl_controller_next(c, "previous", of);
        bl_controller_next(c, "begun", bl_c_number(c, 1));
    }
    if (value[RATE].given)
        rate = bl_controller_law(c, &value[RATE]);
    else if (!c->sampled && kd != 0)
        rate = bl_controller_rate(c, of, &value[OF]);
    bl_index out = bl_c_add(c, bl_c_scale(c, kp, error), bl_c_scale(c, ki, used)), grows = error;
    if (rate >= 0)
        out = bl_c_sub(c, out, bl_c_scale(c, kd, rate));
    c->output = bl_c_limit(c, out, &value[LIMIT]);
    if (value[LIMIT].given && ki != 0)
        grows = bl_c_add(c, error, bl_c_scale(c, 1 / (ki * tracking_time(c)), bl_c_sub(c, c->output, out)));
    bl_controller_next(c, "integral", c->sampled ? bl_c_add(c, integral, bl_c_scale(c, c->period, grows)) : grows);
    return c->status;
}

static const char *const states[] = {"integral", NULL}, *const sampled[] = {"integral", "previous", "begun", NULL};

const bl_controller_kind bl_controller_pid = {
    .kind = {"pid", "proportional, integral and derivative action; anti-windup if there is a limit", params, 0, BL_CONTINUOUS | BL_SAMPLED},
    .states = states,
    .sampled_states = sampled,
    .build = pid_build,
};
