#include "support/force_action.h"

#include <math.h>
#include <string.h>

enum { WORK = 8192, OUTPUTS = 3 * BL_MAX_FORCE_MARKS + BL_MAX_FORCE_VARIABLES + 1 };

void test_force_state_random(const bl_model *model, test_random *random, test_force_state *s) {
    s->t = test_random_unit(random);
    s->load = 5 * s->t + 0.1;
    for (int i = 0; i < 4; i++)
        s->parameter[i] = test_random_symmetric(random);
    for (int i = 0; i < 16; i++) {
        s->variable[i] = test_random_symmetric(random);
        s->rate[i] = test_random_symmetric(random);
    }
    test_rigid_identity(&model->body[0], &s->pose[0]);
    for (int i = 1; i < TEST_BODIES; i++)
        test_rigid_random(random, model->dim, &s->pose[i]);
}

double test_symbol_value(const bl_symbol *symbol, const bl_mark *mark, const test_force_state *s, double x, double xd) {
    double p[3], v[3];
    if (mark)
        test_mark_motion(mark, &s->pose[mark->body], p, v);
    switch (symbol->what) {
    case BL_SYM_TIME: return s->t;
    case BL_SYM_PARAMETER: return s->parameter[symbol->ref];
    case BL_SYM_X: return x;
    case BL_SYM_XD: return xd;
    case BL_SYM_VARIABLE: return s->variable[symbol->ref];
    case BL_SYM_RATE: return s->rate[symbol->ref];
    case BL_SYM_LOAD: return s->load;
    case BL_SYM_PROBE:
    case BL_SYM_MARK: return p[symbol->part];
    default: return v[symbol->part];
    }
}

static void inputs(const bl_record *r, const test_force_state *s, double *in) {
    for (bl_index i = 0; i < r->ninput; i++) {
        const bl_symbol *symbol = &r->input[i];
        bool of_mark = symbol->what == BL_SYM_MARK || symbol->what == BL_SYM_MARK_RATE;
        in[i] = test_symbol_value(symbol, of_mark ? &r->mark[symbol->ref] : NULL, s, NAN, NAN);
    }
}

/* wrench on each body about the global origin, generalized forces, potential */
typedef struct action {
    double force[4][3], moment[4][3], variable[16], potential;
} action;

void test_act(const bl_record *r, const test_force_state *s, test_action *a) {
    double in[BL_MAX_FORCE_INPUTS], out[OUTPUTS], work[WORK];
    memset(a, 0, sizeof *a);
    assert_int_equal(bl_tape_inputs(r->tape), r->ninput);
    assert_true(bl_tape_work(r->tape) <= WORK);
    inputs(r, s, in);
    bl_tape_eval(r->tape, in, out, work);
    bl_index k = 0;
    for (bl_index i = 0; i < r->nmark; i++) {
        const bl_mark *mark = &r->mark[i];
        if (r->push_node[i][0] < 0)
            continue;
        assert_true(mark->body > 0); /* nothing is pushed on ground */
        double p[3], v[3], m[3];
        test_mark_motion(mark, &s->pose[mark->body], p, v);
        test_cross(p, out + k, m);
        for (int c = 0; c < 3; c++) {
            a->force[mark->body][c] += mark->is_vector ? 0 : out[k + c];
            a->moment[mark->body][c] += m[c];
        }
        if (r->model->dim == 2)
            assert_true(out[k + 2] == 0);
        k += 3;
    }
    for (bl_index i = 0; i < r->nvar; i++)
        a->variable[r->var[i]] += out[k++];
    if (r->potential_node >= 0)
        a->potential = out[k++];
    assert_int_equal(k, bl_tape_outputs(r->tape));
}

void test_same_action(const test_action *a, const test_action *b, double size) {
    double tolerance = 1e-13 * (1 + size);
    for (int i = 1; i < TEST_BODIES; i++)
        for (int k = 0; k < 3; k++) {
            assert_near(a->force[i][k], b->force[i][k], tolerance);
            assert_near(a->moment[i][k], b->moment[i][k], tolerance);
        }
    for (int i = 0; i < 16; i++)
        assert_near(a->variable[i], b->variable[i], tolerance);
    assert_near(a->potential, b->potential, tolerance);
}

void test_balanced(const test_action *a, double size) {
    for (int k = 0; k < 3; k++) {
        double force = 0, moment = 0;
        for (int i = 1; i < TEST_BODIES; i++) {
            force += a->force[i][k];
            moment += a->moment[i][k];
        }
        assert_near(force, 0, 1e-13 * (1 + size));
        assert_near(moment, 0, 1e-13 * (1 + size));
    }
}

/* adds a force at a place to a body; ground takes what it gets */
void test_add_force(test_action *a, int body, const double p[3], const double f[3], double sign) {
    double m[3];
    test_cross(p, f, m);
    for (int k = 0; k < 3 && body > 0; k++) {
        a->force[body][k] += sign * f[k];
        a->moment[body][k] += sign * m[k];
    }
}

/* every output's derivatives by central differences; error h^2 f''' / 6 + eps f / h, about 1e-9 for sizes of order 100 */
void test_force_jacobian(const bl_record *r, const test_force_state *s) {
    double in[BL_MAX_FORCE_INPUTS], out[OUTPUTS], work[WORK], up[OUTPUTS], down[OUTPUTS], h = 1e-6;
    static double d_out[OUTPUTS * BL_MAX_FORCE_INPUTS];
    inputs(r, s, in);
    bl_tape_jacobian(r->tape, in, out, d_out, work);
    for (bl_index j = 0; j < r->ninput; j++) {
        double at = in[j];
        in[j] = at + h;
        bl_tape_eval(r->tape, in, up, work);
        in[j] = at - h;
        bl_tape_eval(r->tape, in, down, work);
        in[j] = at;
        bool used = false;
        for (bl_index i = 0; i < bl_tape_outputs(r->tape); i++) {
            double exact = d_out[i * r->ninput + j];
            assert_near((up[i] - down[i]) / (2 * h), exact, 1e-6 * (1 + fabs(exact) + fabs(out[i])));
            used = used || bl_tape_depends(r->tape, i, j);
        }
        assert_true(used); /* inputs without influence are not asked for */
    }
}

double test_power(const test_action *a, const test_force_state *s) {
    double power = 0;
    for (int i = 1; i < TEST_BODIES; i++) {
        double shift[3];
        test_cross(s->pose[i].p, a->force[i], shift);
        power += test_dot(a->force[i], s->pose[i].v);
        for (int k = 0; k < 3; k++)
            power += (a->moment[i][k] - shift[k]) * s->pose[i].w[k];
    }
    for (int i = 0; i < 16; i++)
        power += a->variable[i] * s->rate[i];
    return power;
}

void test_force_gradient(const bl_record *r, const test_force_state *s, double within) {
    test_action got, up, down;
    double h = 1e-5;
    test_act(r, s, &got);
    for (int body = 1; body < TEST_BODIES; body++)
        for (int which = 0; which < 6; which++) {
            double value[2], shift[3], expected;
            if (r->model->dim == 2 && which >= 2 && which < 5)
                continue;
            for (int sign = 0; sign < 2; sign++) {
                test_force_state moved = *s;
                double amount = sign ? -h : h, axis[3] = {which == 3, which == 4, which == 5}, R[3][3];
                if (which < 3)
                    moved.pose[body].p[which] += amount;
                test_turn(axis, amount, R);
                if (which >= 3)
                    test_multiply(R, s->pose[body].R, moved.pose[body].R);
                test_act(r, &moved, sign ? &down : &up);
                value[sign] = (sign ? &down : &up)->potential;
            }
            test_cross(s->pose[body].p, got.force[body], shift);
            expected = which < 3 ? got.force[body][which] : got.moment[body][which - 3] - shift[which - 3];
            assert_near(-(value[0] - value[1]) / (2 * h), expected, within * (1 + fabs(expected) + fabs(got.potential)));
        }
    for (int i = 0; i < 16; i++) {
        test_force_state moved = *s;
        moved.variable[i] += h;
        test_act(r, &moved, &up);
        moved.variable[i] -= 2 * h;
        test_act(r, &moved, &down);
        assert_near(-(up.potential - down.potential) / (2 * h), got.variable[i],
                    within * (1 + fabs(got.variable[i]) + fabs(got.potential)));
    }
}
