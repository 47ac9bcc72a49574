/* Many bodies at rest and coming to rest: loads of stacks, friction that arches need, overlap, equal bits of equal runs. */
#include "base/vector3.h"
#include "support/bodies.h"

#include <math.h>
#include <string.h>

static const double origin[3] = {0}, up3[3] = {0, 0, 1}, up2[3] = {0, 1, 0};

/* C14: ten boxes stacked, mu 0.5, 10 s: the level i carries all above it; nothing creeps */
static void ten_boxes__carry_each_other_and_do_not_creep(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static test_bodies t;
    const double half[3] = {0.1, 0.1, 0.1}, h = 0.004;
    test_bodies_begin(&t, false, 9.81, 0.5, 0);
    test_bodies_wall(&t, origin, up3);
    for (int i = 0; i < 10; i++)
        test_bodies_box(&t, 1, half, 0, 0, 0.1 + 0.2 * i);
    t.options = (bl_stepping_options){.sweeps = 2000, .tolerance = 1e-9};
    test_bodies_start(ctx, &t);
    test_bodies_steps(&t, h, 2500);
    double creep = 0;
    for (bl_index i = 1; i <= 10; i++) {
        double load = test_bodies_support(&t, i, h, up3), wanted = (double)(11 - i) * 9.81;
        if (fabs(load - wanted) > 1e-4 * wanted)
            print_message("level %d: %.9g of %.9g\n", (int)i, load, wanted);
        assert_true(fabs(load - wanted) < 1e-6 * wanted);
        for (int k = 0; k < 3; k++)
            creep = fmax(creep, fabs(t.run.at[i][k] - (k == 2 ? 0.1 + 0.2 * (i - 1) : 0)));
    }
    print_message("creep %.3g m in 10 s, %ld sweeps, %ld unfinished steps\n", creep, t.run.stats.sweeps, t.run.stats.unfinished);
    assert_true(creep < 1e-6);
    test_bodies_end(&t);
    test_context_end(ctx);
}

/* C13: a disc on two that touch: needs mu >= 2 - sqrt 3 = 0.26795 between discs, a third of it at the floor */
static double arch_sinks(bl_context *ctx, double mu, double *normal) {
    static test_bodies t;
    const double R = 0.1;
    test_bodies_begin(&t, true, 9.81, mu, 0);
    test_bodies_wall(&t, origin, up2);
    test_bodies_disc(&t, 1, R, -R, R);
    test_bodies_disc(&t, 1, R, R, R);
    test_bodies_disc(&t, 1, R, 0, R + sqrt(3) * R);
    t.options = (bl_stepping_options){.sweeps = 2000, .tolerance = 1e-10};
    test_bodies_start(ctx, &t);
    test_bodies_steps(&t, 0.001, 500);
    *normal = 0;
    for (bl_index i = 0; i < t.run.ncontact; i++)
        if (t.run.contact[i].body[0] == 1 && t.run.contact[i].body[1] == 3)
            *normal = t.run.P[i][0] / 0.001;
    double sunk = R + sqrt(3) * R - t.run.at[3][1];
    test_bodies_end(&t);
    return sunk;
}

static void three_discs__need_the_friction_of_the_closed_solution(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    double normal, needed = 2 - sqrt(3);
    double held = arch_sinks(ctx, needed * 1.01, &normal);
    print_message("mu 1.01 of what is needed: sinks %.3g m, normal force %.9g W\n", held, normal / 9.81);
    assert_true(fabs(held) < 1e-7);
    assert_true(fabs(normal - 0.5 * 9.81) < 1e-2 * 9.81); /* unique only at the limit: then the lower discs do not press each other */
    double fell = arch_sinks(ctx, needed * 0.95, &normal);
    print_message("mu 0.95: sinks %.3g m\n", fell);
    assert_true(fell > 5e-3);
    test_context_end(ctx);
}

static void drop_pile(test_bodies *t, double friction, int count, int boxes) {
    const double walls[5][2][3] = {
        {{0, 0, 0}, {0, 0, 1}}, {{-0.3, 0, 0}, {1, 0, 0}}, {{0.3, 0, 0}, {-1, 0, 0}}, {{0, -0.3, 0}, {0, 1, 0}}, {{0, 0.3, 0}, {0, -1, 0}}};
    test_bodies_begin(t, false, 9.81, friction, 0);
    for (int k = 0; k < 5; k++)
        test_bodies_wall(t, walls[k][0], walls[k][1]);
    for (int i = 0; i < count; i++) {
        double x = 0.13 * (i % 4 - 1.5) + 0.004 * sin(1.7 * i), y = 0.13 * (i / 4 % 4 - 1.5) + 0.004 * sin(2.3 * i),
               z = 0.07 + 0.13 * (i / 16);
        const double half[3] = {0.03, 0.045, 0.04};
        if (boxes && i % boxes == 0)
            test_bodies_box(t, 1, half, x, y, z);
        else
            test_bodies_ball(t, 1, 0.05, x, y, z);
    }
}

/* every contact: normal impulse not negative, friction in the cone, against sliding */
static void assert_laws(const test_bodies *t) {
    for (bl_index i = 0; i < t->run.ncontact; i++) {
        const double *P = t->run.P[i];
        assert_true(P[0] >= 0 && hypot(P[1], P[2]) <= t->law.friction * P[0] * (1 + 1e-12));
    }
}

static double overlap_of(const test_bodies *t) {
    double worst = 0;
    for (bl_index i = 0; i < t->run.sweep.npair; i++) {
        const bl_contact_pair *p = t->run.sweep.pair + i;
        bl_contact_solid solid[2];
        bl_contact_point point[BL_CONTACT_POINTS];
        for (int side = 0; side < 2; side++) {
            const bl_contact_shape *s = t->shape + (side ? p->other : p->one);
            bl_contact_frame frame;
            const double *q = t->run.turn[s->body];
            memcpy(frame.at, t->run.at[s->body], sizeof frame.at);
            for (int k = 0; k < 3; k++)
                turn3(q, (const double[3]){k == 0, k == 1, k == 2}, frame.axes + 3 * k);
            solid[side].shape = s;
            bl_contact_place(&frame, &s->frame, &solid[side].frame);
        }
        int n = bl_contact_points(solid, solid + 1, 0, point);
        for (int k = 0; k < n; k++)
            worst = fmax(worst, -point[k].gap);
    }
    return worst;
}

static void falling_bodies__come_to_rest_without_overlap(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    for (int boxes = 0; boxes <= 3; boxes += 3) {
        static test_bodies t;
        drop_pile(&t, 0.4, 128, boxes);
        test_bodies_start(ctx, &t);
        double worst = 0, kinetic, first = bl_stepping_energy(&t.run, NULL);
        for (int k = 0; k < 750; k++) {
            test_bodies_steps(&t, 1.0 / 250, 1);
            assert_laws(&t);
            worst = k >= 500 ? fmax(worst, overlap_of(&t)) : worst;
        }
        double total = bl_stepping_energy(&t.run, &kinetic);
        print_message("overlap %.3g m of half sizes of 0.05 m, kinetic energy %.3g J, energy %.4g -> %.4g, sweeps %.1f\n", worst, kinetic,
                      first, total, (double)t.run.stats.sweeps / 750);
        assert_true(worst < 5e-4);
        assert_true(kinetic < 1e-2 && total < first);
        /* they are all in the box */
        for (bl_index i = 1; i < t.run.scene.nbody; i++)
            assert_true(fabs(t.run.at[i][0]) < 0.28 && fabs(t.run.at[i][1]) < 0.28 && t.run.at[i][2] > 0.028);
        test_bodies_end(&t);
    }
    test_context_end(ctx);
}

static void equal_runs__have_equal_bits(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static test_bodies t[2];
    for (int k = 0; k < 2; k++) {
        drop_pile(&t[k], 0.3, 64, 2);
        test_bodies_start(ctx, &t[k]);
        test_bodies_steps(&t[k], 1.0 / 200, 200);
    }
    bl_index n = t[0].run.scene.nbody;
    assert_memory_equal(t[0].run.at, t[1].run.at, (size_t)n * sizeof *t[0].run.at);
    assert_memory_equal(t[0].run.turn, t[1].run.turn, (size_t)n * sizeof *t[0].run.turn);
    assert_memory_equal(t[0].run.v, t[1].run.v, (size_t)n * sizeof *t[0].run.v);
    for (int k = 0; k < 2; k++)
        test_bodies_end(&t[k]);
    test_context_end(ctx);
}

/* in the plane: polygons on a floor and on each other */
static void polygons_in_the_plane__stack(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static test_bodies t;
    static const double square[4][2] = {{-0.1, -0.1}, {0.1, -0.1}, {0.1, 0.1}, {-0.1, 0.1}},
                        wedge[3][2] = {{-0.1, -0.05}, {0.1, -0.05}, {0, 0.1}};
    test_bodies_begin(&t, true, 9.81, 0.5, 0);
    test_bodies_wall(&t, origin, up2);
    for (int i = 0; i < 4; i++)
        test_bodies_polygon(&t, 1, 1.0 / 150, 4, square, 0.01 * (i % 2), 0.1 + 0.2 * i);
    test_bodies_polygon(&t, 0.5, 0.001, 3, wedge, 0, 0.85);
    t.options = (bl_stepping_options){.sweeps = 500, .tolerance = 1e-9};
    test_bodies_start(ctx, &t);
    test_bodies_steps(&t, 0.004, 500);
    for (bl_index i = 1; i <= 5; i++) {
        double load = test_bodies_support(&t, i, 0.004, up2), wanted = 9.81 * ((double)(5 - i) + 0.5);
        assert_true(fabs(load - wanted) < 1e-5 * wanted);
        assert_true(fabs(t.run.at[i][1] - (i < 5 ? 0.1 + 0.2 * (i - 1) : 0.85)) < 1e-5);
        assert_true(t.run.at[i][2] == 0 && t.run.v[i][2] == 0);
    }
    test_bodies_end(&t);
    test_context_end(ctx);
}

/* 20 rows of 12 bricks, each row shifted against the one below, stand with few sweeps whatever the numbers of the bricks */
static void wall__stands_with_few_sweeps(void **state) {
    (void)state;
    enum { ROWS = 20, COLUMNS = 12, BRICKS = ROWS * COLUMNS };
    bl_context *ctx = test_context(NULL);
    const double half[3] = {0.2, 0.1, 0.1};
    for (int stride = 1; stride <= 97; stride += 96) { /* 97 has no divisor in common with BRICKS */
        static test_bodies t;
        test_bodies_begin(&t, false, 9.81, 0.5, 0);
        test_bodies_wall(&t, origin, up3);
        for (int i = 0; i < BRICKS; i++) {
            int k = i * stride % BRICKS, row = k / COLUMNS;
            test_bodies_box(&t, 16, half, 0.4 * (k % COLUMNS) + (row % 2 ? 0.1 : 0), 0, 0.1 + 0.2 * row);
        }
        t.options = (bl_stepping_options){.sweeps = 30};
        test_bodies_start(ctx, &t);
        test_bodies_steps(&t, 1.0 / 240, 240);
        double moved = 0;
        for (bl_index i = 1; i <= BRICKS; i++)
            for (int k = 0; k < 3; k++)
                moved = fmax(moved, fabs(t.run.at[i][k] - t.body[i].at[k]));
        print_message("stride %d: bricks move by %.3g m in 1 s\n", stride, moved);
        assert_true(moved < 0.05 * 0.2); /* of their height: it does not fall; it takes some sweeps until the load is carried */
        test_bodies_end(&t);
    }
    test_context_end(ctx);
}

/* A wall built at rest stays so even with few sweeps: the impulses of the first step are found from nothing, later ones from the last step,
 * also where edges of bricks lie above each other and points change their numbers. */
static void wall__does_not_creep_with_few_sweeps(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const double half[3] = {0.2, 0.1, 0.1};
    static test_bodies t;
    enum { ROWS = 12, COLUMNS = 8, BRICKS = ROWS * COLUMNS };
    for (int sweeps = 6; sweeps <= 12; sweeps += 6) {
        test_bodies_begin(&t, false, 9.81, 0.5, 0);
        test_bodies_wall(&t, origin, up3);
        for (int k = 0; k < BRICKS; k++)
            test_bodies_box(&t, 16, half, 0.4 * (k % COLUMNS) + (k / COLUMNS % 2 ? 0.1 : 0), 0, 0.1 + 0.2 * (k / COLUMNS));
        t.options = (bl_stepping_options){.sweeps = sweeps};
        test_bodies_start(ctx, &t);
        test_bodies_steps(&t, 1.0 / 240, 480);
        double moved = 0, kinetic;
        for (bl_index i = 1; i <= BRICKS; i++)
            for (int k = 0; k < 3; k++)
                moved = fmax(moved, fabs(t.run.at[i][k] - t.body[i].at[k]));
        bl_stepping_energy(&t.run, &kinetic);
        print_message("%d sweeps: bricks move by %.3g m in 2 s, kinetic energy %.3g J\n", sweeps, moved, kinetic);
        assert_true(moved < 1e-3 * 0.2 && kinetic < 1e-3); /* their height */
        test_bodies_end(&t);
    }
    test_context_end(ctx);
}

static bl_status create_and_step(bl_context *ctx, void *user) {
    test_bodies *t = user;
    bl_stepping run = {0};
    bl_status status = bl_stepping_create(ctx, &t->scene, NULL, &run);
    for (int k = 0; k < 20 && status == BL_OK; k++)
        status = bl_stepping_step(&run, 0.01);
    bl_stepping_destroy(&run);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **state) {
    (void)state;
    static test_bodies t;
    drop_pile(&t, 0.3, 30, 2);
    t.scene.body = t.body, t.scene.shape = t.shape, t.scene.law = &t.law;
    long n = test_failing_allocations(create_and_step, &t);
    assert_true(n > 3);
}

static void wrong_scenes__are_refused_with_advice(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static test_bodies t;
    const double half[3] = {0.1, 0.1, 0.1};
    for (int k = 0; k < 4; k++) {
        bl_stepping run = {0};
        test_bodies_begin(&t, false, 9.81, 0.5, 0);
        bl_index i = test_bodies_box(&t, 1, half, 0, 0, 1);
        test_bodies_box(&t, 1, half, 0, 0, 2);
        t.scene.body = t.body, t.scene.shape = t.shape, t.scene.law = &t.law;
        if (k == 0)
            t.body[i].mass = -1;
        if (k == 1)
            t.body[i].inertia[1] = 0;
        if (k == 2)
            t.shape[0].half[1] = 0;
        if (k == 3)
            t.shape[0].what = BL_CONTACT_CYLINDER, t.shape[0].radius = 0.1;
        assert_int_equal(bl_stepping_create(ctx, &t.scene, NULL, &run), k == 3 ? BL_E_ABILITY : BL_E_ARG);
        assert_true(bl_context_error(ctx)->what[0] && bl_context_error(ctx)->advice[0]);
        bl_stepping_destroy(&run);
        bl_context_clear_error(ctx);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_boxes__carry_each_other_and_do_not_creep),
        cmocka_unit_test(three_discs__need_the_friction_of_the_closed_solution),
        cmocka_unit_test(falling_bodies__come_to_rest_without_overlap),
        cmocka_unit_test(equal_runs__have_equal_bits),
        cmocka_unit_test(polygons_in_the_plane__stack),
        cmocka_unit_test(wall__stands_with_few_sweeps),
        cmocka_unit_test(wall__does_not_creep_with_few_sweeps),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
        cmocka_unit_test(wrong_scenes__are_refused_with_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
