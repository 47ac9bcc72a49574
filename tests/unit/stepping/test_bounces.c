/* Few bodies against closed solutions: bounces, sliding, sticking and rolling, and what impacts conserve. */
#include "base/vector3.h"
#include "support/bodies.h"

#include <math.h>
#include <string.h>

static const double up3[3] = {0, 0, 1}, up2[3] = {0, 1, 0}, origin[3] = {0};

/* C1: a ball from 1 m, e = 0.8: height at t = 1, 2, 3 s. Errors jump with the position of impacts in a
 * step: several steps */
static void bouncing_ball__converges_with_the_first_order(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static test_bodies t;
    const double height[3] = {0.4680044525, 0.2607417283, 0.0687074610};
    double error[2] = {0};
    for (int level = 0; level < 2; level++)
        for (int variant = 0; variant < 8; variant++) {
            double h = 1.0 / (round((level ? 8000 : 1000) * (1 + 0.11 * variant)));
            test_bodies_begin(&t, false, 9.81, 0, 0.8);
            test_bodies_wall(&t, origin, up3);
            test_bodies_ball(&t, 1, 0.1, 0, 0, 1.1);
            test_bodies_start(ctx, &t);
            for (int second = 0; second < 3; second++) {
                test_bodies_steps(&t, h, lround(1 / h));
                error[level] += fabs(t.run.at[1][2] - 0.1 - height[second]) / 24;
            }
            test_bodies_end(&t);
        }
    print_message("mean error %.3g, with steps of an eighth %.3g\n", error[0], error[1]);
    assert_true(error[0] < 0.02 && error[1] < error[0] / 4);
    test_context_end(ctx);
}

/* e = 1: Moreau's step conserves energy exactly, for any step */
static void elastic_balls__keep_their_energy_and_momentum(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static test_bodies t;
    test_bodies_begin(&t, false, 0, 0, 1);
    test_random random = {test_seed(41)};
    for (int k = 0; k < 6; k++) {
        double at[3] = {0}, normal[3] = {0};
        at[k / 2] = k % 2 ? 1.2 : -1.2;
        normal[k / 2] = k % 2 ? -1 : 1;
        test_bodies_wall(&t, at, normal);
    }
    for (int k = 0; k < 64; k++) {
        bl_index i =
            test_bodies_ball(&t, 1 + test_random_unit(&random), 0.1, 0.5 * (k % 4) - 0.75, 0.5 * (k / 4 % 4) - 0.75, 0.5 * (k / 16) - 0.75);
        for (int d = 0; d < 3; d++)
            t.body[i].velocity[d] = test_random_symmetric(&random);
    }
    t.options = (bl_stepping_options){.sweeps = 2000, .tolerance = 1e-13, .overlap = 10};
    test_bodies_start(ctx, &t);
    double before, after;
    bl_stepping_energy(&t.run, &before);
    test_bodies_steps(&t, 0.005, 1000);
    bl_stepping_energy(&t.run, &after);
    print_message("energy %.15g -> %.15g, %ld contacts\n", before, after, t.run.stats.contacts);
    assert_true(t.run.stats.contacts > 500);
    assert_true(fabs(after - before) < 1e-10 * before);
    test_bodies_end(&t);
    test_context_end(ctx);
}

static void momenta(const bl_stepping *s, double linear[3], double angular[3]) {
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (bl_index i = 1; i < s->scene.nbody; i++) {
        double moment[3], mass = 1 / s->body[i].by_mass;
        cross3(s->at[i], s->v[i], moment);
        for (int k = 0; k < 3; k++) {
            linear[k] += mass * s->v[i][k];
            angular[k] += mass * moment[k] + s->spin[i][k];
        }
    }
}

/* Spinning boxes and balls thrown at each other, without anything around them. Friction and restitution together may gain energy by
 * Newton's law (studies of impacts call it Kane's paradox), each alone may not. */
static void thrown_bodies(bl_context *ctx, double friction, double restitution) {
    static test_bodies t;
    test_random random = {test_seed(42)};
    test_bodies_begin(&t, false, 0, friction, restitution);
    for (int k = 0; k < 27; k++) {
        const double place[3] = {0.5 * (k % 3 - 1), 0.5 * (k / 3 % 3 - 1), 0.5 * (k / 9 - 1)}, half[3] = {0.1, 0.15, 0.12};
        bl_index i = k % 2 ? test_bodies_box(&t, 1, half, place[0], place[1], place[2])
                           : test_bodies_ball(&t, 1, 0.15, place[0], place[1], place[2]);
        for (int d = 0; d < 3; d++) {
            t.body[i].velocity[d] = -4 * place[d] + 0.3 * test_random_symmetric(&random);
            t.body[i].spin[d] = 2 * test_random_symmetric(&random);
        }
    }
    t.options = (bl_stepping_options){.sweeps = 2000, .tolerance = 1e-10, .overlap = 10};
    test_bodies_start(ctx, &t);
    double p0[3], L0[3], p[3], L[3], energy = bl_stepping_energy(&t.run, NULL), first = energy, growth = 0;
    momenta(&t.run, p0, L0);
    for (int k = 0; k < 400; k++) {
        test_bodies_steps(&t, 0.001, 1);
        double now = bl_stepping_energy(&t.run, NULL);
        growth = fmax(growth, now - energy);
        energy = now;
    }
    momenta(&t.run, p, L);
    print_message("mu %.1f, e %.1f: energy %.6g -> %.6g, largest growth %.3g, contacts %ld\n", friction, restitution, first, energy, growth,
                  t.run.stats.contacts);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(p[k] - p0[k]) < 1e-12 && fabs(L[k] - L0[k]) < 1e-12);
    assert_true(energy < 0.5 * first && growth < 1e-4 * first); /* free rotation of boxes is of second order */
    test_bodies_end(&t);
}

static void free_collisions__conserve_momentum_and_lose_energy(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    thrown_bodies(ctx, 0.4, 0);
    thrown_bodies(ctx, 0, 0.3);
    test_context_end(ctx);
}

/* C4: equal balls in a row, the first at 1 m/s */
static void balls_in_a_row__share_the_impact_as_newton_says(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static test_bodies t;
    const struct {
        int count;
        double e, gap, after[5];
    } cases[] = {{3, 1, 0, {-1.0 / 3, 2.0 / 3, 2.0 / 3}},
                 {5, 1, 0, {-0.6, 0.4, 0.4, 0.4, 0.4}},
                 {3, 0.5, 0, {0, 0.5, 0.5}},
                 {3, 1, 0.05, {0, 0, 1}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        test_bodies_begin(&t, true, 0, 0, cases[k].e);
        for (int i = 0; i < cases[k].count; i++)
            test_bodies_disc(&t, 1, 0.1, (0.2 + cases[k].gap) * i, 0);
        t.body[1].velocity[0] = 1;
        t.options = (bl_stepping_options){.sweeps = 5000, .tolerance = 1e-14};
        test_bodies_start(ctx, &t);
        test_bodies_steps(&t, 0.001, 300);
        for (int i = 0; i < cases[k].count; i++)
            assert_true(fabs(t.run.v[1 + i][0] - cases[k].after[i]) < 1e-11);
        test_bodies_end(&t);
    }
    test_context_end(ctx);
}

/* a box on a slope of 20 degrees, tan = 0.364: sticks with mu 0.4, slides with mu 0.3 at g (sin - mu cos) */
static void box_on_a_slope__sticks_below_the_friction_angle(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static test_bodies t;
    const double angle = 20 * 3.14159265358979323846 / 180, normal[3] = {-sin(angle), 0, cos(angle)}, half[3] = {0.2, 0.2, 0.1};
    for (int k = 0; k < 2; k++) {
        double mu = k ? 0.3 : 0.4;
        test_bodies_begin(&t, false, 9.81, mu, 0);
        test_bodies_wall(&t, origin, normal);
        bl_index i = test_bodies_box(&t, 2, half, 0.1 * normal[0], 0, 0.1 * normal[2]);
        test_bodies_turn(&t, i, (const double[3]){0, -1, 0}, angle); /* the third axis along the normal */
        t.options = (bl_stepping_options){.sweeps = 2000, .tolerance = 1e-12};
        test_bodies_start(ctx, &t);
        test_bodies_steps(&t, 0.001, 1000);
        double along = t.run.v[i][0] * cos(angle) + t.run.v[i][2] * sin(angle);
        double wanted = k ? -9.81 * (sin(angle) - mu * cos(angle)) : 0;
        print_message("mu %.1f: speed %.9g, wanted %.9g\n", mu, along, wanted);
        assert_true(fabs(along - wanted) < 1e-8 && norm3(t.run.w[i]) < 1e-8);
        test_bodies_end(&t);
    }
    test_context_end(ctx);
}

/* a ball thrown along the floor without spin slides, then rolls with 5/7 of its speed, from v0 2 / (7 mu g) on; in the plane a disc: 2/3 */
static void a_sliding_ball__rolls_with_five_sevenths_of_its_speed(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static test_bodies t;
    for (int plane = 0; plane < 2; plane++) {
        test_bodies_begin(&t, plane, 10, 0.2, 0);
        test_bodies_wall(&t, origin, plane ? up2 : up3);
        bl_index i = plane ? test_bodies_disc(&t, 1, 0.1, 0, 0.1) : test_bodies_ball(&t, 1, 0.1, 0, 0, 0.1);
        t.body[i].velocity[0] = 2;
        test_bodies_start(ctx, &t);
        double until = plane ? 2.0 / 3 / 2 : 2 * 2.0 / 7 / 2; /* sliding ends: v0 (1 - share) / (mu g) */
        test_bodies_steps(&t, 0.0005, lround(0.9 * until / 0.0005));
        double spin = plane ? -t.run.w[i][2] : t.run.w[i][1];
        assert_true(fabs(t.run.v[i][0] - (2 - 2 * t.run.t)) < 1e-9); /* decelerates by mu g */
        assert_true(t.run.v[i][0] - 0.1 * spin > 0.1);
        test_bodies_steps(&t, 0.0005, 400);
        spin = plane ? -t.run.w[i][2] : t.run.w[i][1];
        double wanted = plane ? 4.0 / 3 : 10.0 / 7;
        assert_true(fabs(t.run.v[i][0] - wanted) < 1e-8 && fabs(0.1 * spin - wanted) < 1e-8);
        test_bodies_end(&t);
    }
    test_context_end(ctx);
}

/* an impact is found in time although the ball flies farther than its radius in a step... it starts above and ends above the floor */
static void fast_bodies__do_not_pass_the_floor(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static test_bodies t;
    test_bodies_begin(&t, false, 9.81, 0.3, 0);
    test_bodies_wall(&t, origin, up3);
    bl_index i = test_bodies_ball(&t, 1, 0.05, 0, 0, 1);
    t.body[i].velocity[2] = -100;
    test_bodies_start(ctx, &t);
    test_bodies_steps(&t, 0.01, 50);
    assert_true(fabs(t.run.at[i][2] - 0.05) < 2e-5);
    test_bodies_end(&t);
    test_context_end(ctx);
}

/* Long boxes are thrown on a rough floor, enter it by their ends and are lifted out: energy changes by the work of contacts, which counts
 * what that displacement changes. */
static void falling_boxes__keep_the_balance_of_energy(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(43)};
    long separated = 0;
    for (int k = 0; k < 20; k++) {
        static test_bodies t;
        const double half[3] = {0.15, 0.02, 0.03}, h = 0.001;
        test_bodies_begin(&t, false, 9.81, 1, 0);
        test_bodies_wall(&t, origin, up3);
        bl_index i = test_bodies_box(&t, 1, half, 0, 0, 0.3);
        for (int d = 0; d < 3; d++)
            t.body[i].spin[d] = 5 * test_random_symmetric(&random);
        test_bodies_start(ctx, &t);
        double first = bl_stepping_energy(&t.run, NULL), work = 0, off = 0, fastest = 0;
        for (int step = 0; step < 1000; step++) {
            test_bodies_steps(&t, h, 1);
            work += t.run.contact_work + t.run.lift_work;
            off = fmax(off, fabs(bl_stepping_energy(&t.run, NULL) - first - work));
            fastest = fmax(fastest, norm3(t.run.w[i]));
        }
        separated += t.run.stats.separated;
        if (!(off < 0.2 * first * h * h * fastest * fastest)) /* rotation between contacts is of second order */
            fail_msg("box %d: the balance is off by %.3g J of %.3g J, %.3g rad/s", k, off, first, fastest);
        test_bodies_end(&t);
    }
    assert_true(separated > 20);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bouncing_ball__converges_with_the_first_order),
        cmocka_unit_test(elastic_balls__keep_their_energy_and_momentum),
        cmocka_unit_test(free_collisions__conserve_momentum_and_lose_energy),
        cmocka_unit_test(balls_in_a_row__share_the_impact_as_newton_says),
        cmocka_unit_test(box_on_a_slope__sticks_below_the_friction_angle),
        cmocka_unit_test(a_sliding_ball__rolls_with_five_sevenths_of_its_speed),
        cmocka_unit_test(fast_bodies__do_not_pass_the_floor),
        cmocka_unit_test(falling_boxes__keep_the_balance_of_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
