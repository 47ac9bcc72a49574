/* Gaps and points of pairs of shapes: against distances by alternating projections, which know nothing of faces and edges, and against
 * what motions of both shapes together and their exchange leave unchanged. */
#include "base/vector3.h"
#include "contact/contact.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

static void random_frame(test_random *random, double spread, bl_contact_frame *f) {
    double q[4], length = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = test_random_symmetric(random);
        length += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(length);
    for (int k = 0; k < 3; k++) {
        f->at[k] = spread * test_random_symmetric(random);
        turn3(q, (const double[3]){k == 0, k == 1, k == 2}, f->axes + 3 * k);
    }
}

static void random_plane_frame(test_random *random, double spread, bl_contact_frame *f) {
    double angle = 3.2 * test_random_symmetric(random), c = cos(angle), s = sin(angle);
    *f = (bl_contact_frame){{spread * test_random_symmetric(random), spread * test_random_symmetric(random), 0},
                            {c, s, 0, -s, c, 0, 0, 0, 1}};
}

static bl_contact_shape random_shape(test_random *random, bl_contact_what what) {
    bl_contact_shape s = {.what = what, .radius = 0.3 + 0.5 * test_random_unit(random)};
    for (int k = 0; k < 3; k++)
        s.half[k] = 0.3 + 0.7 * test_random_unit(random);
    return s;
}

static double within(double x, double most) { return fmin(fmax(x, -most), most); }

/* the point of the shape (without the radius of spheres and capsules) nearest to x */
static void nearest(const bl_contact_solid *solid, const double x[3], double out[3]) {
    const bl_contact_shape *s = solid->shape;
    const double *e = solid->frame.axes;
    double d[3], c[3];
    for (int k = 0; k < 3; k++)
        d[k] = x[k] - solid->frame.at[k];
    for (int k = 0; k < 3; k++)
        c[k] = dot3(d, e + 3 * k);
    switch (s->what) {
    case BL_CONTACT_SPHERE: c[0] = c[1] = c[2] = 0; break;
    case BL_CONTACT_CAPSULE: c[0] = c[1] = 0, c[2] = within(c[2], s->half[2]); break;
    case BL_CONTACT_CYLINDER: {
        double radial = hypot(c[0], c[1]), share = radial > s->radius ? s->radius / radial : 1;
        c[0] *= share, c[1] *= share, c[2] = within(c[2], s->half[2]);
        break;
    }
    case BL_CONTACT_BOX:
        for (int k = 0; k < 3; k++)
            c[k] = within(c[k], s->half[k]);
        break;
    case BL_CONTACT_PLANE: c[2] = fmin(c[2], 0); break;
    case BL_CONTACT_POLYGON:
    case BL_CONTACT_WHATS: break;
    }
    for (int k = 0; k < 3; k++)
        out[k] = solid->frame.at[k] + c[0] * e[k] + c[1] * e[3 + k] + c[2] * e[6 + k];
}

static double skin(const bl_contact_shape *s) { return s->what == BL_CONTACT_SPHERE || s->what == BL_CONTACT_CAPSULE ? s->radius : 0; }

/* distance of the cores by alternating projections; small where they overlap */
static double distance(const bl_contact_solid *a, const bl_contact_solid *b) {
    double x[3], y[3];
    memcpy(x, a->frame.at, sizeof x);
    for (int k = 0; k < 20000; k++) {
        double was[3] = {x[0], x[1], x[2]};
        nearest(b, x, y);
        nearest(a, y, x);
        if (fabs(x[0] - was[0]) + fabs(x[1] - was[1]) + fabs(x[2] - was[2]) < 1e-13)
            break;
    }
    const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    return norm3(d);
}

static double least_gap(const bl_contact_point *p, int n) {
    double least = INFINITY;
    for (int k = 0; k < n; k++)
        least = fmin(least, p[k].gap);
    return least;
}

/* round shapes: the gap is the distance; boxes against planes too */
static void gaps__are_distances(void **state) {
    (void)state;
    test_random random = {test_seed(61)};
    const bl_contact_what pairs[][2] = {
        {BL_CONTACT_SPHERE, BL_CONTACT_SPHERE},  {BL_CONTACT_SPHERE, BL_CONTACT_CAPSULE},   {BL_CONTACT_SPHERE, BL_CONTACT_CYLINDER},
        {BL_CONTACT_SPHERE, BL_CONTACT_BOX},     {BL_CONTACT_CAPSULE, BL_CONTACT_CAPSULE},  {BL_CONTACT_CAPSULE, BL_CONTACT_BOX},
        {BL_CONTACT_SPHERE, BL_CONTACT_PLANE},   {BL_CONTACT_CAPSULE, BL_CONTACT_PLANE},    {BL_CONTACT_BOX, BL_CONTACT_PLANE},
        {BL_CONTACT_CYLINDER, BL_CONTACT_PLANE}, {BL_CONTACT_CAPSULE, BL_CONTACT_CYLINDER},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        long near = 0;
        for (int round = 0; round < 1000; round++) {
            bl_contact_shape one = random_shape(&random, pairs[k][0]), other = random_shape(&random, pairs[k][1]);
            bl_contact_solid a = {&one, {{0}, {0}}}, b = {&other, {{0}, {0}}};
            bl_contact_point p[BL_CONTACT_POINTS], q[BL_CONTACT_POINTS];
            random_frame(&random, 1.5, &a.frame);
            random_frame(&random, 1.5, &b.frame);
            double wanted = distance(&a, &b);
            if (wanted < 1e-6) /* cores overlap: no distance to compare with */
                continue;
            wanted -= skin(&one) + skin(&other);
            int n = bl_contact_points(&a, &b, 0.5, p), m = bl_contact_points(&b, &a, 0.5, q);
            assert_int_equal(n, m);
            if (wanted > 0.5 + 1e-6) {
                assert_int_equal(n, 0);
                continue;
            }
            near++;
            if (fabs(least_gap(p, n) - wanted) > 1e-6)
                print_message("%s, %s: %.9g, wanted %.9g\n", bl_contact_name(pairs[k][0]), bl_contact_name(pairs[k][1]), least_gap(p, n),
                              wanted);
            assert_true(fabs(least_gap(p, n) - wanted) < 1e-6);
            for (int i = 0; i < n; i++) {
                assert_true(fabs(norm3(p[i].normal) - 1) < 1e-12);
                for (int j = 0; j < 3; j++) /* exchanged: the same points, the other normal */
                    assert_true(fabs(p[i].normal[j] + q[i].normal[j]) < 1e-12 && fabs(p[i].at[j] - q[i].at[j]) < 1e-12);
                for (int side = 0; side < 2 && p[i].gap == least_gap(p, n); side++) { /* both surfaces are half a gap away */
                    double x[3], on[3];
                    for (int j = 0; j < 3; j++)
                        x[j] = p[i].at[j] + (side ? 0.5 : -0.5) * p[i].gap * p[i].normal[j];
                    nearest(side ? &b : &a, x, on);
                    const double d[3] = {x[0] - on[0], x[1] - on[1], x[2] - on[2]};
                    assert_true(fabs(norm3(d) - skin(side ? &other : &one)) < 1e-6);
                }
            }
        }
        assert_true(near > 50);
    }
}

/* a ball or a capsule whose center is inside a box, and boxes: out by the nearest face */
static void deep_overlap__is_left_by_the_nearest_face(void **state) {
    (void)state;
    bl_contact_shape box = {.what = BL_CONTACT_BOX, .half = {1, 2, 3}}, ball = {.what = BL_CONTACT_SPHERE, .radius = 0.1};
    bl_contact_solid a = {&ball, {{0.7, 0.5, -0.5}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}}, b = {&box, {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    bl_contact_point p[BL_CONTACT_POINTS];
    assert_int_equal(bl_contact_points(&a, &b, 0, p), 1);
    assert_true(fabs(p->gap + 0.4) < 1e-15 && fabs(p->normal[0] + 1) < 1e-15); /* from the ball to the box: inward */
    bl_contact_shape small = {.what = BL_CONTACT_BOX, .half = {0.5, 0.5, 0.5}};
    a.shape = &small;
    a.frame.at[0] = 0, a.frame.at[1] = 0, a.frame.at[2] = 3.4; /* sunk in by 0.1 */
    int n = bl_contact_points(&b, &a, 0, p);
    assert_int_equal(n, 4);
    for (int k = 0; k < 4; k++)
        assert_true(fabs(p[k].gap + 0.1) < 1e-14 && fabs(p[k].normal[2] - 1) < 1e-15 && fabs(fabs(p[k].at[0]) - 0.5) < 1e-14 &&
                    fabs(fabs(p[k].at[1]) - 0.5) < 1e-14 && fabs(p[k].at[2] - 2.95) < 1e-14);
}

/* whether boxes overlap is known by their distance; how deep, by moving them apart along the normal: then they touch */
static void boxes__touch_after_being_moved_by_their_overlap(void **state) {
    (void)state;
    test_random random = {test_seed(62)};
    long overlapping = 0, separate = 0, edges = 0, near = 0;
    for (int round = 0; round < 3000; round++) {
        bl_contact_shape one = random_shape(&random, BL_CONTACT_BOX), other = random_shape(&random, BL_CONTACT_BOX);
        bl_contact_solid a = {&one, {{0}, {0}}}, b = {&other, {{0}, {0}}};
        bl_contact_point p[BL_CONTACT_POINTS];
        random_frame(&random, 1.2, &a.frame);
        random_frame(&random, 1.2, &b.frame);
        double apart = distance(&a, &b);
        int n = bl_contact_points(&a, &b, 0, p);
        if (apart > 1e-5) {
            separate++;
            assert_int_equal(n, 0);
            n = bl_contact_points(&a, &b, 0.3, p); /* near: moved along the normal by the gap they touch */
            for (int k = 0; k < 3 && n > 0; k++)
                b.frame.at[k] -= (least_gap(p, n) - 1e-4) * p->normal[k];
            if (n > 0) {
                double left = distance(&a, &b);
                near++;
                assert_true(left > 1e-6 && left < 3e-3); /* faces are preferred to edges by 1e-3 of the size */
            }
            continue;
        }
        if (apart > 1e-9)
            continue;
        overlapping++;
        assert_true(n > 0);
        edges += n == 1 && p->number >> 31;
        double depth = -least_gap(p, n);
        for (int k = 0; k < 3; k++)
            b.frame.at[k] += (depth + 1e-4) * p->normal[k];
        assert_true(distance(&a, &b) > 1e-6); /* just apart */
        assert_true(distance(&a, &b) < 0.2);
    }
    print_message("overlapping %ld (%ld by edges), separate %ld, of them near %ld\n", overlapping, edges, separate, near);
    assert_true(overlapping > 300 && separate > 300 && edges > 20);
}

/* numbers of points of a box that slides and rocks a little on another one stay; that is what a warm start needs */
static void numbers__stay_under_small_motions(void **state) {
    (void)state;
    test_random random = {test_seed(63)};
    bl_contact_shape one = {.what = BL_CONTACT_BOX, .half = {0.2, 0.1, 0.1}}, other = one;
    bl_contact_solid a = {&one, {{0, 0, 0.1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}}, b = {&other, {{0}, {0}}};
    bl_contact_point first[BL_CONTACT_POINTS], p[BL_CONTACT_POINTS];
    for (int kind = 0; kind < 2; kind++) /* exactly aligned; half a length apart */
        for (int round = 0; round < 200; round++) {
            double tilt = 1e-10 * test_random_symmetric(&random);
            b.frame = (bl_contact_frame){
                {kind ? 0.2 : 1e-11 * test_random_symmetric(&random), 1e-11 * test_random_symmetric(&random), 0.3 - 1e-9},
                {1, 0, -tilt, 0, 1, 0, tilt, 0, 1}};
            int n = bl_contact_points(&a, &b, 1e-3, p);
            assert_int_equal(n, 4);
            if (round == 0)
                memcpy(first, p, sizeof p);
            for (int k = 0; k < 4; k++)
                assert_int_equal(p[k].number, first[k].number);
        }
}

/* in the plane: discs and polygons by their distance, computed from all pairs of edges and corners */
static double corner_distance(const bl_contact_solid *a, const bl_contact_solid *b) {
    double least = INFINITY;
    for (bl_index i = 0; i < a->shape->ncorner; i++)
        for (bl_index j = 0; j < b->shape->ncorner; j++) {
            double x[3], p[3], q[3];
            const double *c[3] = {a->shape->corner[i], b->shape->corner[j], b->shape->corner[(j + 1) % b->shape->ncorner]};
            for (int k = 0; k < 3; k++) {
                x[k] = a->frame.at[k] + a->frame.axes[k] * c[0][0] + a->frame.axes[3 + k] * c[0][1];
                p[k] = b->frame.at[k] + b->frame.axes[k] * c[1][0] + b->frame.axes[3 + k] * c[1][1];
                q[k] = b->frame.at[k] + b->frame.axes[k] * c[2][0] + b->frame.axes[3 + k] * c[2][1];
            }
            const double e[3] = {q[0] - p[0], q[1] - p[1], 0}, d[3] = {x[0] - p[0], x[1] - p[1], 0};
            double s = within(dot3(e, d) / dot3(e, e) - 0.5, 0.5) + 0.5;
            least = fmin(least, hypot(d[0] - s * e[0], d[1] - s * e[1]));
        }
    return least;
}

static void polygons__are_as_far_apart_as_their_corners_and_edges(void **state) {
    (void)state;
    test_random random = {test_seed(64)};
    static const double five[5][2] = {{0.5, 0}, {0.2, 0.5}, {-0.4, 0.3}, {-0.4, -0.3}, {0.2, -0.5}},
                        three[3][2] = {{-0.3, -0.3}, {0.6, -0.3}, {-0.3, 0.6}};
    bl_contact_shape one = {.what = BL_CONTACT_POLYGON, .ncorner = 5, .corner = five},
                     other = {.what = BL_CONTACT_POLYGON, .ncorner = 3, .corner = three}, disc = {.what = BL_CONTACT_SPHERE, .radius = 0.2};
    long near = 0;
    for (int round = 0; round < 3000; round++) {
        bl_contact_solid a = {&one, {{0}, {0}}}, b = {&other, {{0}, {0}}};
        bl_contact_point p[BL_CONTACT_POINTS];
        random_plane_frame(&random, 0.8, &a.frame);
        random_plane_frame(&random, 0.8, &b.frame);
        int n = bl_contact_points(&a, &b, 0.3, p);
        assert_true(n <= 2);
        double gap = least_gap(p, n);
        for (int k = 0; k < 2 && n > 0; k++) /* moved along the normal by the gap they touch */
            b.frame.at[k] -= gap * p->normal[k];
        if (n > 0) {
            near++;
            assert_true(fmin(corner_distance(&a, &b), corner_distance(&b, &a)) < 1e-9);
        }
        static const double origin[1][2] = {{0, 0}};
        bl_contact_shape point = {.what = BL_CONTACT_POLYGON, .ncorner = 1, .corner = origin};
        bl_contact_solid d = {&disc, b.frame}, center = {&point, b.frame};
        double wanted = corner_distance(&center, &a) - 0.2;
        n = bl_contact_points(&d, &a, 10, p);
        assert_int_equal(n, 1);
        if (p->gap > -0.2) /* the center is outside */
            assert_true(fabs(p->gap - wanted) < 1e-12);
        else
            assert_true(fabs(p->gap + 0.4 + wanted) < 1e-12);
    }
    assert_true(near > 100);
}

/* the distance of a capsule from a polygon: its axis as a polygon of two corners */
static double axis_distance(const bl_contact_solid *capsule, const bl_contact_solid *polygon) {
    const double *e = capsule->frame.axes + 6, half = capsule->shape->half[2];
    const double ends[2][2] = {{-half * e[0], -half * e[1]}, {half * e[0], half * e[1]}};
    bl_contact_shape axis = {.what = BL_CONTACT_POLYGON, .ncorner = 2, .corner = ends};
    bl_contact_solid line = {&axis, {{capsule->frame.at[0], capsule->frame.at[1], 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    return fmin(corner_distance(&line, polygon), corner_distance(polygon, &line));
}

/* whether one of many points of the axis is in the polygon */
static bool cores_overlap(const bl_contact_solid *capsule, const bl_contact_solid *polygon) {
    bl_contact_solid ball = *capsule;
    bl_contact_shape point = {.what = BL_CONTACT_SPHERE};
    ball.shape = &point;
    for (int k = 0; k <= 2000; k++) {
        bl_contact_point p;
        for (int i = 0; i < 2; i++)
            ball.frame.at[i] = capsule->frame.at[i] + (k * 1e-3 - 1) * capsule->shape->half[2] * capsule->frame.axes[6 + i];
        if (bl_contact_points(&ball, polygon, 0, &p) > 0)
            return true;
    }
    return false;
}

static void capsules_in_the_plane__touch_polygons_at_their_distance(void **state) {
    (void)state;
    test_random random = {test_seed(66)};
    static const double five[5][2] = {{0.5, 0}, {0.2, 0.5}, {-0.4, 0.3}, {-0.4, -0.3}, {0.2, -0.5}},
                        three[3][2] = {{-0.3, -0.3}, {0.6, -0.3}, {-0.3, 0.6}},
                        flat[4][2] = {{-1, -0.1}, {1, -0.1}, {0.2, 0.1}, {-0.2, 0.1}};
    long near = 0, inside = 0, two = 0;
    for (int round = 0; round < 6000; round++) {
        bl_contact_shape polygon = {.what = BL_CONTACT_POLYGON,
                                    .ncorner = round % 3 == 0   ? 5
                                               : round % 3 == 1 ? 3
                                                                : 4,
                                    .corner = round % 3 == 0   ? five
                                              : round % 3 == 1 ? three
                                                               : flat},
                         rod = {.what = BL_CONTACT_CAPSULE,
                                .radius = round % 5 ? 0.2 * test_random_unit(&random) : 0,
                                .half = {0, 0, 0.05 + test_random_unit(&random)}};
        bl_contact_solid a = {&rod, {{0}, {0}}}, b = {&polygon, {{0}, {0}}};
        bl_contact_point p[BL_CONTACT_POINTS], q[BL_CONTACT_POINTS];
        random_plane_frame(&random, 0.9, &a.frame);
        random_plane_frame(&random, 0.9, &b.frame);
        const double c = a.frame.axes[0], s = a.frame.axes[1], turned[9] = {-s, c, 0, 0, 0, 1, c, s, 0};
        memcpy(a.frame.axes, turned, sizeof turned);
        bool overlap = cores_overlap(&a, &b);
        double wanted = axis_distance(&a, &b) - rod.radius;
        int n = bl_contact_points(&a, &b, 0.3, p), m = bl_contact_points(&b, &a, 0.3, q);
        assert_int_equal(n, m);
        assert_true(n <= 2);
        two += n == 2;
        if (!overlap && wanted > 0.3 + 1e-9) {
            assert_int_equal(n, 0);
            continue;
        }
        assert_true(n > 0);
        double gap = least_gap(p, n);
        if (!overlap && axis_distance(&a, &b) > 1e-2) { /* less: the axis may cut a corner between two points that were looked at */
            near++;
            assert_true(fabs(gap - wanted) < 2e-6);
        }
        for (int i = 0; i < n; i++) {
            assert_true(fabs(norm3(p[i].normal) - 1) < 1e-12 && p[i].normal[2] == 0 && p[i].at[2] == 0);
            assert_true(dot3(p[i].normal, q[i].normal) < -1 + 1e-12 && p[i].number == q[i].number);
        }
        if (n == 2)
            assert_true(p[0].number != p[1].number);
        if (!overlap)
            continue;
        inside++; /* moved out along the normal they touch or are just apart */
        for (int k = 0; k < 2; k++)
            a.frame.at[k] += (gap - 1e-9) * p->normal[k];
        assert_false(cores_overlap(&a, &b));
        assert_true(axis_distance(&a, &b) > rod.radius);
    }
    print_message("near %ld, overlapping %ld, two points %ld\n", near, inside, two);
    assert_true(near > 500 && inside > 500 && two > 500);
}

/* a rod that lies across a box or a cylinder is held at both of their edges, and keeps the numbers of its points when it rocks */
static void rods_across__are_held_on_both_sides(void **state) {
    (void)state;
    static const double square[4][2] = {{-0.2, -0.1}, {0.2, -0.1}, {0.2, 0.1}, {-0.2, 0.1}};
    bl_contact_shape rod = {.what = BL_CONTACT_CAPSULE, .radius = 0.05, .half = {0, 0, 1}},
                     under[4] = {{.what = BL_CONTACT_POLYGON, .ncorner = 4, .corner = square},
                                 {.what = BL_CONTACT_BOX, .half = {0.2, 0.1, 0.3}},
                                 {.what = BL_CONTACT_CYLINDER, .radius = 0.1, .half = {0, 0, 0.2}},
                                 {.what = BL_CONTACT_CYLINDER, .radius = 0.2, .half = {0, 0, 0.1}}};
    for (int kind = 0; kind < 4; kind++) {
        bl_contact_solid b = {&under[kind], {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
        const double lying[9] = {0, 0, -1, 0, 1, 0, 1, 0, 0}, upright[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
        if (kind >= 2)
            memcpy(b.frame.axes, kind == 2 ? lying : upright, sizeof lying);
        for (int step = -20; step <= 20; step++) {
            double tilt = step * 1e-4, c = cos(tilt), s = sin(tilt);
            bl_contact_solid a = {&rod, {{0.01, 0.1499 + 0.2 * fabs(tilt), 0}, {0, 0, -1, -s, c, 0, c, s, 0}}};
            bl_contact_point p[BL_CONTACT_POINTS];
            int n = bl_contact_points(&a, &b, 0.01, p);
            assert_int_equal(n, 2);
            assert_true(p[0].number != p[1].number && p[0].number >= 2 && p[1].number >= 2);
            int left = p[0].at[0] < p[1].at[0] ? 0 : 1;
            uint32_t numbers[2] = {p[left].number, p[1 - left].number};
            static uint32_t first[2];
            if (step == -20)
                memcpy(first, numbers, sizeof first);
            assert_memory_equal(first, numbers, sizeof first);
            assert_true(fabs(p[left].at[0] + 0.2) < 1e-3 && fabs(p[1 - left].at[0] - 0.2) < 1e-3);
            assert_true(fabs(p[0].normal[1] + 1) < 1e-3 && fabs(p[1].normal[1] + 1) < 1e-3);
        }
    }
}

static void bounds__contain_the_shape(void **state) {
    (void)state;
    test_random random = {test_seed(65)};
    for (int round = 0; round < 400; round++) {
        const bl_contact_what whats[] = {BL_CONTACT_SPHERE, BL_CONTACT_CAPSULE, BL_CONTACT_CYLINDER, BL_CONTACT_BOX};
        bl_contact_shape s = random_shape(&random, whats[round % 4]);
        bl_contact_solid solid = {&s, {{0}, {0}}};
        double low[3], high[3];
        random_frame(&random, 1, &solid.frame);
        bl_contact_bounds(&solid, 0, low, high);
        for (int k = 0; k < 3; k++)
            for (int side = 0; side < 2; side++) { /* support along an axis: the point nearest to one far away */
                double far[3] = {0}, on[3];
                far[k] = side ? 1e7 : -1e7;
                for (int i = 0; i < 3; i++)
                    far[i] += solid.frame.at[i];
                nearest(&solid, far, on);
                double reach = side ? on[k] + skin(&s) - high[k] : low[k] - on[k] + skin(&s);
                assert_true(fabs(reach) < 1e-6); /* tight */
            }
        s.frame = (bl_contact_frame){{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        for (int k = 0; k < 3; k++)
            assert_true(bl_contact_reach(&s) >= high[k] - solid.frame.at[k] - 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps__are_distances),
        cmocka_unit_test(deep_overlap__is_left_by_the_nearest_face),
        cmocka_unit_test(boxes__touch_after_being_moved_by_their_overlap),
        cmocka_unit_test(numbers__stay_under_small_motions),
        cmocka_unit_test(polygons__are_as_far_apart_as_their_corners_and_edges),
        cmocka_unit_test(capsules_in_the_plane__touch_polygons_at_their_distance),
        cmocka_unit_test(rods_across__are_held_on_both_sides),
        cmocka_unit_test(bounds__contain_the_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
