/* What primitives read from the motion of their marks, against differences of values: two bodies move with constant velocities of their
 * centers and constant angular velocities, so that the second rate is the centripetal term alone; and the rate as a sum over bodies. */
#include "support/handmade.h"

#include <math.h>
#include <string.h>

enum { CASES = 100 };

typedef struct pair {
    double s[4][3]; /* of the marks */
    test_rigid body[2];
    bl_prim prim;
} pair;

/* the marks at time t; bodies of the marks by prim */
static void marks_at(const pair *p, double t, bool rates, bl_prim_motion *at) {
    memset(at, 0, sizeof *at);
    for (int i = 0; i < bl_prim_marks(&p->prim); i++) {
        const bl_mark *mark = &p->prim.mark[i];
        const test_rigid *rigid = &p->body[mark->body - 1];
        double speed = test_norm(rigid->w), axis[3], R[3][3], arm[3];
        for (int k = 0; k < 3; k++)
            axis[k] = rigid->w[k] / speed;
        test_turn(axis, speed * t, R);
        test_apply(rigid->R, mark->s, arm);
        test_apply(R, arm, arm);
        bl_mark_motion *m = &at->mark[i];
        test_cross(rigid->w, arm, m->rate);
        test_cross(rigid->w, m->rate, m->centripetal);
        for (int k = 0; k < 3; k++) {
            m->r[k] = arm[k] + (mark->is_vector ? 0 : rigid->p[k] + t * rigid->v[k]);
            m->rate[k] += mark->is_vector ? 0 : rigid->v[k];
        }
    }
    for (int side = 0; side < 2 && rates; side++)
        at->turning[side] = p->body[p->prim.mark[side].body - 1].w;
}

static double value_at(const pair *p, int part, double t) {
    bl_prim_motion at;
    bl_prim_reading reading;
    marks_at(p, t, false, &at);
    bl_prim_read(&p->prim, part, &at, &reading);
    return reading.value;
}

static void make(bl_prim_what what, test_random *random, pair *p) {
    *p = (pair){.prim = {.what = what, .var = {-1, -1, -1}}};
    for (int side = 0; side < 2; side++)
        test_rigid_random(random, 3, &p->body[side]);
    bool points = what == BL_COINCIDE || what == BL_DISTANCE || what == BL_PLANE || what == BL_TRAVEL;
    for (int i = 0; i < 4; i++) {
        bl_mark *mark = &p->prim.mark[i];
        mark->body = 1 + i % 2; /* a and c of the first body, b and d of the second */
        mark->is_vector = !points || i >= 2;
        if (mark->is_vector)
            test_random_direction(random, 3, mark->s);
        else
            test_random_vector(random, 3, 1, mark->s);
    }
    for (int side = 0; side < 2 && !points; side++) { /* perpendicular pairs */
        double *u = p->prim.mark[side].s, *x = p->prim.mark[2 + side].s, w[3];
        test_cross(u, x, w);
        double size = test_norm(w);
        for (int k = 0; k < 3; k++)
            x[k] = w[k] / size;
    }
}

static void primitives__have_the_rates_of_their_values(void **unused) {
    (void)unused;
    static const bl_prim_what kinds[] = {BL_COINCIDE, BL_DOT, BL_PLANE, BL_DISTANCE, BL_TRAVEL, BL_ANGLES, BL_TWIST};
    test_random random = {test_seed(77)};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int c = 0; c < CASES; c++) {
            pair p;
            bl_prim_motion at;
            bl_prim_reading reading;
            bl_prim_push push[BL_PRIM_PUSHES];
            int part = kinds[i] == BL_COINCIDE || kinds[i] == BL_ANGLES ? c % 3 : 0;
            make(kinds[i], &random, &p);
            marks_at(&p, 0, true, &at);
            if (kinds[i] == BL_ANGLES && fabs(test_dot(at.mark[3].r, at.mark[0].r)) > 0.95)
                continue; /* near the singular second angle differences are inaccurate */
            bl_prim_read(&p.prim, part, &at, &reading);
            /* fourth-order differences: h^4 times the fifth rate, which is some 100 here, and rounding / h^2 */
            double h = 1e-3, f[5];
            for (int k = 0; k < 5; k++)
                f[k] = value_at(&p, part, (k - 2) * h) - reading.value;
            for (int k = 0; k < 5; k++)
                f[k] -= kinds[i] == BL_ANGLES ? 2 * acos(-1) * round(f[k] / (2 * acos(-1))) : 0;
            double rate = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h);
            double second = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h), size = 1 + fabs(reading.centripetal);
            assert_near(reading.rate, rate, 1e-6 * size * size);
            assert_near(reading.centripetal, second, 1e-5 * size * size);
            double sum = 0;
            for (int k = 0, n = bl_prim_pushes(&p.prim, &reading, push); k < n; k++) {
                const test_rigid *body = &p.body[push[k].body - 1];
                sum += push[k].weight * (push[k].force ? test_dot(push[k].force, at.mark[push[k].mark].rate) : 0);
                sum += push[k].weight * (push[k].moment ? test_dot(push[k].moment, body->w) : 0);
            }
            assert_near(sum, reading.rate, 1e-12 * (1 + fabs(reading.rate)) * size);
        }
}

/* rotated by beta about an axis across the shaft: no twist; the moment is along the sum of the shafts */
static void twist__is_zero_for_rotations_across_the_shaft(void **unused) {
    (void)unused;
    test_random random = {test_seed(78)};
    for (int c = 0; c < CASES; c++) {
        pair p;
        bl_prim_motion at;
        bl_prim_reading reading;
        make(BL_TWIST, &random, &p);
        double shaft[3], across[3], R[3][3], second[3], beta = 3 * test_random_symmetric(&random),
                                                        psi = 0.4 * test_random_symmetric(&random);
        test_cross(p.prim.a.s, p.prim.c.s, shaft);
        for (int k = 0; k < 3; k++)
            across[k] = cos(c) * p.prim.a.s[k] + sin(c) * p.prim.c.s[k];
        memcpy(p.prim.b.s, p.prim.a.s, sizeof p.prim.a.s);
        memcpy(p.prim.d.s, p.prim.c.s, sizeof p.prim.c.s);
        test_turn(across, beta, R);
        test_multiply(p.body[0].R, R, p.body[1].R);
        marks_at(&p, 0, false, &at);
        bl_prim_read(&p.prim, 0, &at, &reading);
        assert_near(reading.value, 0, 1e-14);
        test_apply(p.body[0].R, shaft, across);
        test_apply(p.body[1].R, shaft, second);
        for (int k = 0; k < 3; k++)
            assert_near(reading.moment[k], (across[k] + second[k]) / 2, 1e-14);
        test_turn(shaft, psi, R); /* about the common shaft: the sine */
        test_multiply(p.body[0].R, R, p.body[1].R);
        marks_at(&p, 0, false, &at);
        bl_prim_read(&p.prim, 0, &at, &reading);
        assert_near(reading.value, sin(psi), 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives__have_the_rates_of_their_values),
        cmocka_unit_test(twist__is_zero_for_rotations_across_the_shaft),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
