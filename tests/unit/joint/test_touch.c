/* Touching surfaces, every kind: the contact against a search over the surface, the speed of slip against the velocities of the material
 * points, rates and derivatives against differences. */
#include "support/handmade.h"

#include "joint/touch.h"

#include <math.h>
#include <string.h>

enum { CASES = 60, MOST = 3 * BL_TOUCH_VECTORS };

typedef struct pair {
    bl_context *ctx;
    bl_model model;
    test_rigid body[2];
    bl_prim prim;
} pair;

/* perpendicular unit vectors; in the plane the first one only counts */
static void random_axes(test_random *random, int dim, double R[3][3]) {
    double axis[3] = {0, 0, 1};
    if (dim == 3)
        test_random_direction(random, 3, axis);
    test_turn(axis, 3 * test_random_symmetric(random), R);
}

/* Height profiles, parabolas: a flat one where anything may be above or below, a steep one for the crest. */
static const bl_profile_piece flat_piece = {BL_PROFILE_POLYNOMIAL, -10, 20, {0.3 - 2, 8, -8}};        /* 0.3 - 0.02 x^2 */
static const bl_profile_piece steep_piece = {BL_PROFILE_POLYNOMIAL, -10, 20, {0.3 - 100, 400, -400}}; /* 0.3 - x^2 */
static const bl_profile flat_profile = {.npiece = 1, .piece = &flat_piece}, steep_profile = {.npiece = 1, .piece = &steep_piece};

static bool has_curve(const bl_touch_kind *kind) { return kind->locate != NULL; }
static double bend_of(const bl_touch_kind *kind) { return kind == &bl_touch_curve_face ? 1 : 0.02; }
static double height_of(const bl_touch_kind *kind, double x) { return 0.3 - bend_of(kind) * x * x; }

static void make(pair *p, const bl_touch_kind *kind, bl_prim_what what, int tangent, int dim, test_random *random) {
    bl_mark point[2], axis[2][3];
    double number[BL_TOUCH_NUMBERS] = {0}, R[3][3];
    p->model.dim = dim;
    p->model.ctx = p->ctx;
    p->prim = (bl_prim){.what = what, .var = {-1, -1, -1}, .tangent = (int8_t)tangent};
    for (int i = 0; i < BL_TOUCH_LOCAL; i++)
        number[i] = 0.3 + test_random_unit(random);
    for (int side = 0; side < 2; side++) {
        test_rigid_random(random, dim, &p->body[side]);
        point[side] = (bl_mark){.body = 1 + side};
        test_random_vector(random, dim, 1, point[side].s);
        random_axes(random, dim, R);
        for (int j = 0; j < 3; j++) {
            axis[side][j] = (bl_mark){.body = 1 + side, .is_vector = true};
            for (int k = 0; k < 3; k++)
                axis[side][j].s[k] = R[k][j];
        }
    }
    bl_touch_fill(&p->prim, dim, kind, number, point, axis);
    if (has_curve(kind))
        p->prim.curve = (bl_curve){.height = kind == &bl_touch_curve_face ? &steep_profile : &flat_profile, .from = -10, .to = 10};
    assert_int_equal(bl_touch_attach(&p->model, &p->prim), BL_OK);
}

/* the marks at time t: constant velocities, constant angular velocities */
static void marks_at(const pair *p, double t, bool rates, bl_prim_motion *at, double w[2][3]) {
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
    for (int side = 0; side < 2 && rates; side++) {
        memcpy(w[side], p->body[side].w, sizeof w[side]);
        at->turning[side] = w[side];
    }
}

/* the quantity whose rate a primitive reads: the gap; for slip the speed is a rate already */
static double read_at(const pair *p, double t, bool speed) {
    bl_prim_motion at;
    bl_prim_reading reading;
    double w[2][3];
    marks_at(p, t, true, &at, w);
    bl_prim_read(&p->prim, 0, &at, &reading);
    return speed ? reading.rate : reading.value;
}

static double rate_of(const pair *p, bool speed) {
    const double h = 1e-4;
    return (read_at(p, -2 * h, speed) - 8 * read_at(p, -h, speed) + 8 * read_at(p, h, speed) - read_at(p, 2 * h, speed)) / (12 * h);
}

/* kinds that are not drawn in the plane */
static bool in_space_only(const bl_touch_kind *kind) {
    return kind == &bl_touch_plane_disc || kind == &bl_touch_end_ball || kind == &bl_touch_rim_ball || kind == &bl_touch_edge_edge ||
           kind == &bl_touch_sharp_edges;
}

static int tangents(const bl_touch_kind *kind, int dim) { return kind == &bl_touch_plane_blade || dim == 2 ? 1 : 2; }

/* f(pair) for every kind, equation and dimension */
static void each(void (*f)(pair *, bool slip)) {
    test_random random = {test_seed(4701)};
    for (size_t k = 0; k < bl_touch_kind_count; k++)
        for (int dim = 2; dim <= 3; dim++)
            for (int row = 0; row <= tangents(bl_touch_kinds[k], dim); row++) {
                bool curved = dim == 3 && has_curve(bl_touch_kinds[k]);
                bool flat =
                    curved || (dim == 2 && (in_space_only(bl_touch_kinds[k]) || (row == 0 && bl_touch_kinds[k] == &bl_touch_plane_blade)));
                pair p = {.ctx = test_context(NULL)};
                for (int c = 0; c < CASES && !flat; c++) {
                    make(&p, bl_touch_kinds[k], row ? BL_SLIP : BL_TOUCH, row - 1, dim, &random);
                    f(&p, row > 0);
                }
                bl_touch_forget(&p.model);
                test_context_end(p.ctx);
            }
}

static void check_rates(pair *p, bool slip) {
    bl_prim_motion at;
    bl_prim_reading reading;
    bl_prim_push push[BL_PRIM_PUSHES];
    double w[2][3], sum = 0;
    marks_at(p, 0, true, &at, w);
    bl_prim_read(&p->prim, 0, &at, &reading);
    /* fifth derivatives are some 1e4: 1e-16 * 1e4, and rounding of 1e-15 / h */
    double size = 1 + fabs(reading.rate) + fabs(reading.centripetal);
    if (slip)
        assert_near(reading.value, 0, 0);
    else
        assert_near(reading.rate, rate_of(p, false), 1e-9 * size * size);
    assert_near(reading.centripetal, rate_of(p, true), 1e-8 * size * size);
    for (int k = 0, n = bl_prim_pushes(&p->prim, &reading, push); k < n; k++) {
        const test_rigid *body = &p->body[push[k].body - 1];
        sum += push[k].weight * (push[k].force ? test_dot(push[k].force, at.mark[push[k].mark].rate) : 0);
        sum += push[k].weight * (push[k].moment ? test_dot(push[k].moment, body->w) : 0);
    }
    assert_near(sum, reading.rate, 1e-12 * size);
}

static void touch__has_the_rates_of_its_gap_and_slip(void **unused) {
    (void)unused;
    each(check_rates);
}

/* velocity of the material point of a body that is at x */
static void velocity_of(const test_rigid *rigid, const double x[3], double out[3]) {
    double arm[3] = {x[0] - rigid->p[0], x[1] - rigid->p[1], x[2] - rigid->p[2]};
    test_cross(rigid->w, arm, out);
    for (int k = 0; k < 3; k++)
        out[k] += rigid->v[k];
}

/* Slip, and the rate of the gap: relative velocity of the material points at the contact along tangent and normal. */
static void check_slip(pair *p, bool slip) {
    bl_prim_motion at;
    bl_prim_reading reading;
    bl_touch_place place;
    double w[2][3], x[3], v[2][3];
    marks_at(p, 0, true, &at, w);
    bl_prim_read(&p->prim, 0, &at, &reading);
    bl_touch_at(&p->prim, &at, &place);
    for (int k = 0; k < 3; k++)
        x[k] = at.mark[1].r[k] + place.from_b[k];
    for (int side = 0; side < 2; side++)
        velocity_of(&p->body[side], x, v[side]);
    const double *along = slip ? place.t[p->prim.tangent] : place.n;
    double relative[3] = {v[1][0] - v[0][0], v[1][1] - v[0][1], v[1][2] - v[0][2]};
    assert_near(reading.rate, test_dot(relative, along), 1e-12 * (1 + test_norm(relative)));
    if (!slip) /* the plane is below the contact by the gap: w_A x n has no component along n */
        assert_near(reading.value, place.gap, 1e-14);
    assert_near(test_norm(along), 1, 1e-12);
    if (slip && !(p->prim.axes == 1))
        assert_near(test_dot(along, place.n), 0, 1e-12);
}

static void touch__slips_with_the_relative_velocity_at_the_contact(void **unused) {
    (void)unused;
    each(check_slip);
}

/* distance of a point from a flat parabola, negative below it, by a search along the curve */
static double from_curve(const pair *p, const double A[2], const double d[3]) {
    const bl_touch_kind *kind = p->prim.touch;
    double x = d[0] * A[0] + d[1] * A[1], y = d[1] * A[0] - d[0] * A[1], at = x, least = INFINITY, width = 5;
    for (int round = 0; round < 40; round++, width *= 0.5) {
        double best = at;
        for (int i = -20; i <= 20; i++) {
            double s = at + width * i / 20, now = hypot(x - s, y - height_of(kind, s));
            if (now < least)
                least = now, best = s;
        }
        at = best;
    }
    return y > height_of(kind, x) ? least : -least;
}

static bool of_balls(const pair *p) { return p->prim.touch == &bl_touch_ball_ball || p->prim.touch == &bl_touch_hole_ball; }

/* distance of a point, from a, to the surface of the first body */
static double distance(const pair *p, const double n[3], const double x[3]) {
    if (of_balls(p))
        return (test_norm(x) - p->prim.number[0]) * (p->prim.touch == &bl_touch_ball_ball ? 1 : -1);
    return test_dot(n, x);
}

/* the point of a surface of the second body, from b, for two angles */
static void surface(const pair *p, const double B[3][3], double u, double v, double x[3]) {
    const double *r = p->prim.number;
    double at[3] = {0, 0, 0}, e[3] = {cos(v) * cos(u), cos(v) * sin(u), sin(v)};
    if (p->prim.touch == &bl_touch_plane_ball || of_balls(p))
        for (int k = 0; k < 3; k++)
            at[k] = r[of_balls(p)] * e[k];
    if (p->prim.touch == &bl_touch_plane_ellipsoid)
        for (int k = 0; k < 3; k++)
            at[k] = r[k] * e[k];
    if (p->prim.touch == &bl_touch_plane_disc) { /* about the first axis */
        at[0] = r[1] * sin(v);
        at[1] = (r[0] + r[1] * cos(v)) * cos(u);
        at[2] = (r[0] + r[1] * cos(v)) * sin(u);
    }
    for (int k = 0; k < 3; k++)
        x[k] = at[0] * B[0][k] + at[1] * B[1][k] + at[2] * B[2][k];
}

/* the point of the surface nearest to that of the first body, by a grid that shrinks about the best */
static double nearest(const pair *p, const double d[3], const double n[3], const double B[3][3], bool flat, double best[3]) {
    double u0 = 0, v0 = 0, width = 3.2, least = INFINITY;
    for (int round = 0; round < 24; round++, width *= 0.5) {
        double u1 = u0, v1 = v0;
        for (int i = -20; i <= 20; i++)
            for (int j = flat ? 0 : -20; j <= (flat ? 0 : 20); j++) {
                double x[3], u = u0 + width * i / 20, v = v0 + width * j / 20;
                surface(p, B, u, v, x);
                double now = distance(p, n, (double[3]){d[0] + x[0], d[1] + x[1], d[2] + x[2]});
                if (now < least) {
                    least = now;
                    u1 = u, v1 = v;
                    memcpy(best, x, 3 * sizeof *x);
                }
            }
        u0 = u1, v0 = v1;
    }
    return least;
}

/* ---- surfaces that end: the distance of a point, from a, to the part of the first body, found by a search over that part */

/* ranges of the two parameters of a part, and its point; its axes are the rows of A */
static void part_ranges(const pair *p, double range[2][2]) {
    const double *r = p->prim.number, pi = acos(-1);
    const bl_touch_kind *kind = p->prim.touch;
    double half[2] = {0, 0};
    if (kind == &bl_touch_face_ball)
        half[0] = r[1], half[1] = p->model.dim == 3 ? r[2] : 0;
    if (kind == &bl_touch_edge_ball || kind == &bl_touch_edge_edge)
        half[0] = r[2];
    if (kind == &bl_touch_rim_ball || kind == &bl_touch_end_ball)
        half[0] = pi;
    for (int k = 0; k < 2; k++)
        range[k][0] = -half[k], range[k][1] = half[k];
    if (kind == &bl_touch_end_ball)
        range[1][0] = 0, range[1][1] = r[0];
}

static void part_point(const pair *p, const double A[3][3], double u, double v, double x[3]) {
    const bl_touch_kind *kind = p->prim.touch;
    const double *r = p->prim.number;
    double along[3] = {0, 0, 0};
    if (kind == &bl_touch_face_ball)
        along[1] = u, along[2] = v;
    if (kind == &bl_touch_edge_ball || kind == &bl_touch_edge_edge)
        along[0] = u;
    if (kind == &bl_touch_rim_ball || kind == &bl_touch_end_ball) {
        double radius = kind == &bl_touch_rim_ball ? r[0] : v;
        along[1] = radius * cos(u), along[2] = radius * sin(u);
    }
    for (int k = 0; k < 3; k++)
        x[k] = along[0] * A[0][k] + along[1] * A[1][k] + along[2] * A[2][k];
}

/* distance of x from the center of a ball of the second body, or from its edge */
static double from_second(const pair *p, const double d[3], const double B[3][3], const double x[3]) {
    double apart[3] = {x[0] - d[0], x[1] - d[1], x[2] - d[2]}, s = 0;
    if (p->prim.touch == &bl_touch_edge_edge)
        s = fmin(fmax(test_dot(apart, B[0]), -p->prim.number[3]), p->prim.number[3]);
    for (int k = 0; k < 3; k++)
        apart[k] -= s * B[0][k];
    return test_norm(apart);
}

static double part_distance(const pair *p, const double d[3], const double A[3][3], const double B[3][3]) {
    double range[2][2], at[2], least = INFINITY, width = 1;
    part_ranges(p, range);
    for (int k = 0; k < 2; k++)
        at[k] = 0.5 * (range[k][0] + range[k][1]);
    for (int round = 0; round < 40; round++, width *= 0.6) {
        double best[2] = {at[0], at[1]};
        for (int i = -12; i <= 12; i++)
            for (int j = -12; j <= 12; j++) {
                double w[2], x[3];
                int step[2] = {i, j};
                for (int k = 0; k < 2; k++)
                    w[k] = fmin(fmax(at[k] + width * (range[k][1] - range[k][0]) * step[k] / 24, range[k][0]), range[k][1]);
                part_point(p, A, w[0], w[1], x);
                double now = from_second(p, d, B, x);
                if (now < least)
                    least = now, best[0] = w[0], best[1] = w[1];
            }
        memcpy(at, best, sizeof at);
    }
    return least;
}

/* radii of both, without those that belong to the part itself */
static double radii(const pair *p) {
    const double *r = p->prim.number;
    const bl_touch_kind *kind = p->prim.touch;
    return kind == &bl_touch_face_ball ? r[0] : kind == &bl_touch_end_ball || kind == &bl_touch_rim_ball ? r[1] : r[0] + r[1];
}

static int within;

/* Within its reach the gap is the distance from the part. */
static void check_part(pair *p, bool slip) {
    bl_prim_motion at;
    bl_touch_place place;
    double w[2][3], axis[2][3][3] = {{{0}}}, d[3];
    if (slip || !bl_touch_ends(&p->prim) || has_curve(p->prim.touch))
        return;
    marks_at(p, 0, false, &at, w);
    bl_touch_at(&p->prim, &at, &place);
    assert_near(place.reach, bl_touch_reach(&p->prim, &at), 0);
    for (int side = 0; side < 2; side++) {
        for (int j = 0; j < p->prim.axes; j++)
            memcpy(axis[side][j], at.mark[2 + side * p->prim.axes + j].r, sizeof axis[side][j]);
        if (p->prim.axes == 1) {
            axis[side][1][0] = -axis[side][0][1];
            axis[side][1][1] = axis[side][0][0];
        }
    }
    for (int k = 0; k < 3; k++)
        d[k] = at.mark[1].r[k] - at.mark[0].r[k];
    if (place.reach <= 0 || test_dot(place.n, d) <= 0)
        return;
    within++;
    assert_near(place.gap, part_distance(p, d, axis[0], axis[1]) - radii(p), 1e-7);
}

static void touch__has_the_distance_of_a_part_within_its_reach(void **unused) {
    (void)unused;
    within = 0;
    each(check_part);
    assert_true(within > 100);
}

/* A capsule in the plane: two faces and two ends cover all directions, each with one part, and their gaps agree where they meet. */
static void touch__parts_of_a_capsule_cover_all_directions(void **unused) {
    (void)unused;
    static const double s = 0.4, h = 0.7, r = 0.3, pi = 3.14159265358979312;
    test_random random = {test_seed(4703)};
    for (int c = 0; c < 300; c++) {
        pair p = {.ctx = test_context(NULL)};
        double at[2] = {2 * test_random_symmetric(&random), 2 * test_random_symmetric(&random)}, best = NAN;
        double along = fmax(fabs(at[0]) - h, 0), truth = hypot(along, at[1]) - s - r;
        int found = 0;
        p.model.dim = 2;
        p.model.ctx = p.ctx;
        for (int part = 0; part < 4; part++) {
            const double angle = part == 0 ? 0 : part == 1 ? pi : part == 2 ? 0.5 * pi : -0.5 * pi;
            double n[3] = {cos(angle), sin(angle), 0};
            double corner[BL_TOUCH_NUMBERS] = {s, r, 0, 2, 2, 2, 2, 2}, face[BL_TOUCH_NUMBERS] = {r, h, 0, 2, 2, 2};
            double from = part < 2 ? h : s;
            bl_mark point[2] = {{.body = 0}, {.body = 1}}, axis[2][3] = {{{.body = 0}}};
            bl_prim_motion m = {.turning = {NULL, NULL}};
            p.prim = (bl_prim){.what = BL_TOUCH, .var = {-1, -1, -1}};
            bl_touch_fill(&p.prim, 2, part < 2 ? &bl_touch_corner_ball : &bl_touch_face_ball, part < 2 ? corner : face, point, axis);
            assert_int_equal(bl_touch_attach(&p.model, &p.prim), BL_OK);
            for (int k = 0; k < 2; k++) {
                m.mark[0].r[k] = from * n[k];
                m.mark[1].r[k] = at[k];
                m.mark[2].r[k] = n[k];
            }
            m.mark[3].r[0] = 1;
            bl_touch_place place;
            bl_touch_at(&p.prim, &m, &place);
            if (place.reach > 0 && place.gap > -s - r + 1e-9) {
                found++;
                best = place.gap;
            }
        }
        bl_touch_forget(&p.model);
        test_context_end(p.ctx);
        assert_true(found >= 1);
        assert_near(best, truth, 1e-12);
    }
}

/* A circle or a corner on a parabola, and the crest of one against a face: distances by a search. */
static void check_curve(pair *p, bool slip) {
    bl_prim_motion at;
    bl_touch_place place;
    double w[2][3], d[3], highest = -INFINITY;
    if (slip || !has_curve(p->prim.touch))
        return;
    marks_at(p, 0, false, &at, w);
    bl_touch_at(&p->prim, &at, &place);
    for (int k = 0; k < 3; k++)
        d[k] = at.mark[1].r[k] - at.mark[0].r[k];
    const double *A = at.mark[2].r, *B = at.mark[3].r;
    if (p->prim.touch != &bl_touch_curve_face) {
        assert_near(place.gap, from_curve(p, A, d) - p->prim.number[0], 1e-9);
        within += place.reach > 0;
        return;
    }
    if (place.reach <= 0)
        return;
    within++;
    for (int i = -100000; i <= 100000; i++) { /* farthest against the normal of the face */
        double x = i * 1e-4, y = height_of(p->prim.touch, x);
        highest = fmax(highest, -B[0] * (x * A[0] - y * A[1]) - B[1] * (x * A[1] + y * A[0]));
    }
    assert_near(place.gap, -test_dot(B, d) - highest, 1e-7); /* a step of 1e-4 */
}

static void touch__has_the_distance_of_a_profile(void **unused) {
    (void)unused;
    within = 0;
    each(check_curve);
    assert_true(within > 60);
}

static void check_contact(pair *p, bool slip) {
    bl_prim_motion at;
    bl_touch_place place;
    double w[2][3], B[3][3] = {{0}, {0}, {0, 0, 1}}, x[3] = {0}, d[3];
    if (slip || p->prim.touch == &bl_touch_plane_blade || bl_touch_ends(&p->prim) || has_curve(p->prim.touch))
        return;
    bool flat = p->prim.axes == 1;
    marks_at(p, 0, false, &at, w);
    bl_touch_at(&p->prim, &at, &place);
    for (int j = 0; j < p->prim.axes; j++)
        memcpy(B[j], at.mark[2 + p->prim.axes + j].r, sizeof B[j]);
    if (flat)
        test_cross(B[2], B[0], B[1]);
    for (int k = 0; k < 3; k++)
        d[k] = at.mark[1].r[k] - at.mark[0].r[k];
    if (p->prim.touch == &bl_touch_ball_ball && test_norm(d) < p->prim.number[1])
        return; /* the center of one is in the other */
    assert_near(place.gap, nearest(p, d, at.mark[2].r, B, flat, x), 1e-10);
    for (int k = 0; k < 3; k++) /* found where the distance is least: half of the digits */
        assert_near(place.from_b[k], x[k], 1e-5);
}

static void touch__is_at_the_nearest_point_of_the_surface(void **unused) {
    (void)unused;
    each(check_contact);
}

/* Derivatives at vectors that need not be perpendicular unit vectors; `even`: in a symmetric configuration, in which many products vanish
 * exactly: axes along global ones, an upright disc. */
static void check_derivatives_at(pair *p, bool slip, bool even) {
    const int8_t *which;
    static test_random random = {4702};
    int dim = p->model.dim, n = dim * bl_touch_vectors(&p->prim, &which);
    double x[MOST], grad[MOST], hess[MOST * MOST], side[2][MOST], value[2], none, h = 1e-5;
    for (int i = 0; i < n; i++) {
        int vector = which[i / dim], axis = vector == 0 ? 0 : (vector - 1) % p->prim.axes + (vector > p->prim.axes);
        x[i] = even ? (i % dim == axis % dim) : test_random_symmetric(&random) + (i % (dim + 1) == 0);
    }
    static const double aside[] = {0.2, 1.1, 0.7}; /* neither along an axis nor where tangents jump */
    if (even && p->prim.touch == &bl_touch_edge_edge)
        return; /* parallel */
    if (even && (of_balls(p) || bl_touch_ends(&p->prim)))
        memcpy(x, aside, (size_t)dim * sizeof *x);
    bl_touch_eval(&p->prim, x, &none, grad, hess);
    for (int c = 0; c < n; c++) {
        for (int s = 0; s < 2; s++) {
            double kept = x[c];
            x[c] += s ? h : -h;
            bl_touch_eval(&p->prim, x, &value[s], side[s], NULL);
            x[c] = kept;
        }
        if (!slip)
            assert_near((value[1] - value[0]) / (2 * h), grad[c], 1e-6 * (1 + fabs(grad[c])));
        for (int r = 0; r < n; r++)
            assert_near((side[1][r] - side[0][r]) / (2 * h), hess[r * n + c], 1e-5 * (10 + fabs(hess[r * n + c])));
        for (int r = 0; r < n && !slip; r++)
            assert_near(hess[r * n + c], hess[c * n + r], 1e-11 * (1 + fabs(hess[r * n + c])));
    }
    /* along rates: both ways */
    double rate[MOST], gamma = 0;
    for (int i = 0; i < n; i++)
        rate[i] = test_random_symmetric(&random);
    for (int i = 0; i < n * n; i++)
        gamma += hess[i] * rate[i / n] * rate[i % n];
    assert_near(bl_touch_gamma(&p->prim, x, rate), gamma, 1e-11 * (10 + fabs(gamma)));
    if (has_curve(p->prim.touch))
        return;
    /* the same from a recording */
    bl_tape *tape;
    bl_index node, coef[MOST];
    double out[MOST + 1], work[4096];
    assert_int_equal(bl_tape_create(p->ctx, &tape), BL_OK);
    assert_int_equal(bl_touch_record(&p->prim, tape, &node, coef), BL_OK);
    bl_tape_output(tape, node);
    for (int i = 0; i < n; i++)
        bl_tape_output(tape, coef[i] >= 0 ? coef[i] : bl_tape_const(tape, 0));
    assert_int_equal(bl_tape_finish(tape), BL_OK);
    assert_true(bl_tape_work(tape) <= 4096);
    bl_tape_eval(tape, x, out, work);
    bl_touch_eval(&p->prim, x, &none, grad, NULL);
    assert_near(out[0], none, 1e-13);
    for (int i = 0; i < n; i++)
        assert_near(out[1 + i], grad[i], 1e-12 * (1 + fabs(grad[i])));
    bl_tape_destroy(tape);
}

static void check_derivatives(pair *p, bool slip) {
    check_derivatives_at(p, slip, false);
    check_derivatives_at(p, slip, true);
}

static void touch__derivatives_match_differences(void **unused) {
    (void)unused;
    each(check_derivatives);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touch__has_the_rates_of_its_gap_and_slip),
        cmocka_unit_test(touch__slips_with_the_relative_velocity_at_the_contact),
        cmocka_unit_test(touch__is_at_the_nearest_point_of_the_surface),
        cmocka_unit_test(touch__derivatives_match_differences),
        cmocka_unit_test(touch__has_the_distance_of_a_part_within_its_reach),
        cmocka_unit_test(touch__parts_of_a_capsule_cover_all_directions),
        cmocka_unit_test(touch__has_the_distance_of_a_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
