/* Equilibria compared with closed forms and minima of potentials found by other means: rods, trusses with limit and branching points,
 * hanging chains, a four-bar linkage with a spring, in every kind of coordinates. */
#include "biela/biela.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, g = 9.81;
static const char *const every_kind[] = {"natural", "mixed", "reference", "relative"};

/* ---- recorded samples */

enum { MOST = 400 };

typedef struct record {
    long samples;
    double t[MOST], variable[MOST][8], probe[MOST][12];
    double reaction[16][3]; /* of the last */
    double potential;
    bl_index nvariable, nprobe, njoint;
    bl_equilibrium_summary found;
} record;

static bl_status begin(void *user, const bl_run_info *info) {
    record *r = user;
    r->nvariable = info->nvariable < 8 ? info->nvariable : 8;
    r->nprobe = info->nprobe < 4 ? info->nprobe : 4;
    r->njoint = info->njoint < 16 ? info->njoint : 16;
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    record *r = user;
    assert_true(r->samples < MOST);
    r->t[r->samples] = sample->t;
    memcpy(r->variable[r->samples], sample->variable, (size_t)r->nvariable * sizeof(double));
    memcpy(r->probe[r->samples], sample->probe, 3 * (size_t)r->nprobe * sizeof(double));
    for (bl_index i = 0; i < r->njoint; i++)
        memcpy(r->reaction[i], sample->reaction[i].force, 3 * sizeof(double));
    r->potential = sample->potential;
    r->samples++;
    return BL_OK;
}

static bl_status solve(const char *text, const bl_override *set, bl_index nset, const bl_equilibrium_options *options, record *r) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_sink sink = {.user = r, .begin = begin, .sample = take};
    bool scene = strchr(text, '\n') == NULL;
    char path[512];
    *r = (record){0};
    snprintf(path, sizeof path, "%s/%.200s.yaml", SCENES, text);
    bl_status status =
        scene ? bl_model_read(ctx, path, set, nset, &model) : bl_model_read_text(ctx, "text", text, strlen(text), set, nset, &model);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    status = bl_equilibrium(ctx, model, options, &sink, 1, NULL, &r->found);
    if (status != BL_OK && status != BL_E_NUMERIC)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

static void expect(const char *text, const char *coordinates, record *r) {
    if (solve(text, NULL, 0, &(bl_equilibrium_options){.coordinates = coordinates}, r) != BL_OK)
        fail_msg("no equilibrium in %s coordinates", coordinates);
}

/* ---- a rod on a torsion spring: m g l/2 sin a = k a, stable off the upright */

static const char rod[] = "model: rod\ndimension: 2\ngravity: [0, -9.81]\nparameters: {k: 4}\n"
                          "bodies: [{name: rod, rod: {from: [0, 0], to: [0, 1]}, mass: 1}]\n"
                          "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                          "forces: [{type: rotational_spring, variable: A.angle, stiffness: =k}]\nmeasure: [A.angle]\n";

static void upright_rod__falls_to_where_the_spring_holds_it(void **unused) {
    (void)unused;
    double a = 1; /* 4.905 sin a = 4 a */
    for (int k = 0; k < 50; k++)
        a -= (4 * a - g / 2 * sin(a)) / (4 - g / 2 * cos(a));
    assert_near(a, 1.0835399555, 1e-10);
    for (int k = 0; k < 4; k++) {
        record r;
        expect(rod, every_kind[k], &r);
        assert_near(fabs(r.variable[0][0]), a, 1e-10);
        assert_int_equal(r.found.unstable, 0);
        assert_int_equal(solve(rod, NULL, 0, &(bl_equilibrium_options){.coordinates = every_kind[k], .any = true}, &r), BL_OK);
        assert_near(r.variable[0][0], 0, 1e-12); /* also an equilibrium, but unstable */
        assert_int_equal(r.found.unstable, 1);
        bl_override stiff = {"k", 5}; /* more than m g l / 2 */
        assert_int_equal(solve(rod, &stiff, 1, &(bl_equilibrium_options){.coordinates = every_kind[k]}, &r), BL_OK);
        assert_near(r.variable[0][0], 0, 1e-12);
        assert_int_equal(r.found.unstable, 0);
    }
}

/* two hanging rods have four equilibria; H in absolute angles is diag(+-14.715, +-4.905) */
static void two_rods__stand_at_four_places(void **unused) {
    (void)unused;
    static const char text[] = "model: two rods\ndimension: 2\ngravity: [0, -9.81]\nparameters: {s: 1, u: 1}\n"
                               "bodies:\n"
                               "  - {name: a, rod: {from: [0, 0], to: [0, =s]}, mass: 1}\n"
                               "  - {name: b, rod: {from: [0, =s], to: [0, =s+u]}, mass: 1}\n"
                               "joints:\n"
                               "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                               "  - {name: B, type: revolute, bodies: [a, b], at: [0, =s]}\n";
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < 4; k++) {
            bl_override up[] = {{"s", k & 1 ? 1 : -1}, {"u", k & 2 ? 1 : -1}};
            record r;
            assert_int_equal(solve(text, up, 2, &(bl_equilibrium_options){.coordinates = every_kind[c], .any = true}, &r), BL_OK);
            assert_int_equal(r.found.unstable, (k & 1) + (k >> 1));
            assert_int_equal(r.found.iterations, 0);
        }
}

/* ---- linkages */

static void four_bar__hangs_with_its_reactions(void **unused) {
    (void)unused;
    static const double force[4][2] = {
        {3.2851540982, 16.0440857383}, {3.2851540982, 11.1390857383}, {3.2851540982, 1.3290857383}, {-3.2851540982, 6.5189142617}};
    for (int k = 0; k < 4; k++) {
        record r;
        expect("four_bar", every_kind[k], &r);
        assert_near(r.variable[0][0], 4.4752324931 - PI / 2, 1e-9); /* the model configuration is upright */
        assert_near(r.probe[0][0], 0.18611063954, 1e-10);
        assert_near(r.probe[0][1], 0.24793843871, 1e-10);
        assert_int_equal(r.found.unstable, 0);
        for (int j = 0; j < 4; j++)
            for (int c = 0; c < 2; c++)
                assert_near(r.reaction[j][c], force[j][c], 2e-9);
    }
}

static void bricard__hangs_although_redundant(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        record r;
        expect(k ? "bricard_cut" : "bricard", "natural", &r);
        assert_int_equal(r.found.unstable, 0);
        assert_near(r.probe[0][0], 0, 1e-9); /* the third joint */
        assert_near(r.probe[0][1], -sqrt(3) / 2, 1e-9);
        assert_near(r.probe[0][2], -0.5, 1e-9);
    }
}

/* The position of C for a crank angle, on the left of the line from B to D; rods 0.2, 0.5, 0.4, base 0.5. */
static double potential(double angle, double k, double free_length) {
    double B[2] = {0.2 * cos(angle), 0.2 * sin(angle)}, D[2] = {0.5, 0}, d[2] = {D[0] - B[0], D[1] - B[1]}, d2 = d[0] * d[0] + d[1] * d[1];
    double along = (0.25 - 0.16 + d2) / (2 * d2), across = sqrt(0.25 / d2 - along * along);
    double C[2] = {B[0] + along * d[0] - across * d[1], B[1] + along * d[1] + across * d[0]};
    double weight = g * (0.5 * B[1] / 2 + (B[1] + C[1]) / 2 + 0.8 * C[1] / 2);
    double length = hypot(C[0] + 0.1, C[1] - 0.1) - free_length; /* from (-0.1, 0.1) to C */
    return weight + k * length * length / 2;
}

static double golden(double a, double b, double k, double free_length) {
    const double ratio = (sqrt(5) - 1) / 2;
    while (b - a > 1e-9) {
        double c = b - ratio * (b - a), d = a + ratio * (b - a);
        if (potential(c, k, free_length) < potential(d, k, free_length))
            b = d;
        else
            a = c;
    }
    return (a + b) / 2;
}

/* the mechanism of the scene without initial velocity, a spring on the coupler's tip */
static void four_bar__with_a_spring_is_at_the_least_potential(void **unused) {
    (void)unused;
    static const char text[] =
        "include: " SCENES "/four_bar.yaml\nparameters: {k: 40, free: 0.3}\n"
        "forces: [{type: spring, bodies: [ground, coupler], at: [-0.1, 0.1], to: C, stiffness: =k, length: =free}]\n";
    static const double stiffness[] = {5, 40, 400};
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 3; i++) {
            record r;
            bl_override set = {"k", stiffness[i]};
            assert_int_equal(solve(text, &set, 1, &(bl_equilibrium_options){.coordinates = every_kind[c]}, &r), BL_OK);
            double angle = r.variable[0][0] + PI / 2, least = golden(angle - 0.5, angle + 0.5, stiffness[i], 0.3);
            assert_near(angle, least, 1e-7); /* a minimum is found to the square root of rounding */
            assert_int_equal(r.found.unstable, 0);
            assert_near(r.potential - potential(angle, stiffness[i], 0.3), 0, 1e-9);
        }
}

static void vehicle__stands_on_its_wheels_and_may_roll_away(void **unused) {
    (void)unused;
    record r;
    expect("vehicle", "natural", &r);
    assert_near(r.probe[0][2], 0.4647940098, 1e-9); /* center of mass; rear and front wheels */
    assert_near(r.probe[0][5], 0.3001967721, 1e-9);
    assert_int_equal(r.found.neutral, 3);
    assert_int_equal(r.found.unstable, 0);
}

/* ---- a hanging chain of rods: horizontal force H, force V up at the left end; rod i is inclined by (V - (i - 1/2) m g) / H */

static void chain_end(int n, double H, double V, double *x, double *y) {
    *x = *y = 0;
    for (int i = 0; i < n; i++) {
        double slope = (V - (i + 0.5) * g) / H, length = sqrt(1 + slope * slope);
        *x += 1 / length;
        *y -= slope / length;
    }
}

static void catenary(int n, double x, double y, double *H, double *V) {
    *H = n * g / 4;
    *V = n * g / 2;
    for (int k = 0; k < 200; k++) { /* Newton by differences, damped */
        double a, b, ax, bx, ay, by, e = 1e-6;
        chain_end(n, *H, *V, &a, &b);
        chain_end(n, *H + e, *V, &ax, &bx);
        chain_end(n, *H, *V + e, &ay, &by);
        double xx = (ax - a) / e, xy = (ay - a) / e, yx = (bx - b) / e, yy = (by - b) / e, det = xx * yy - xy * yx;
        double dH = ((x - a) * yy - (y - b) * xy) / det, dV = ((y - b) * xx - (x - a) * yx) / det;
        double by_part = fmin(1, 0.3 * *H / fmax(fabs(dH), 1e-300));
        *H += by_part * dH;
        *V += by_part * dV;
    }
}

static char *chain_text(int n) {
    double x = 0.7 * n, y = -0.1 * n, wide = hypot(x, y), phi = atan2(y, x), a = acos(wide / n), at[2] = {0, 0}, next[2];
    size_t room = 600 * (size_t)n + 1000, used = 0;
    char *text = malloc(room), *joints = malloc(room);
    size_t used_joints = (size_t)snprintf(joints, room, "joints:\n  - {name: L, type: revolute, bodies: [ground, r1], at: [0, 0]}\n");
    used = (size_t)snprintf(text, room, "model: chain\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 1; i <= n; i++) { /* given in the form of a V */
        double angle = i <= n / 2 ? phi - a : phi + a;
        next[0] = at[0] + cos(angle);
        next[1] = at[1] + sin(angle);
        used += (size_t)snprintf(text + used, room - used, "  - {name: r%d, rod: {from: [%.17g, %.17g], to: [%.17g, %.17g]}, mass: 1}\n", i,
                                 at[0], at[1], next[0], next[1]);
        used_joints += (size_t)snprintf(joints + used_joints, room - used_joints, "  - {name: j%d, type: revolute, bodies: [%s%d, %s", i,
                                        i < n ? "r" : "r", i, i < n ? "r" : "ground");
        if (i < n)
            used_joints += (size_t)snprintf(joints + used_joints, room - used_joints, "%d", i + 1);
        used_joints += (size_t)snprintf(joints + used_joints, room - used_joints, "], at: [%.17g, %.17g]}\n", next[0], next[1]);
        memcpy(at, next, sizeof at);
    }
    snprintf(text + used, room - used, "%s", joints);
    free(joints);
    return text;
}

static void hanging_chain__is_the_catenary_of_its_rods(void **unused) {
    (void)unused;
    static const int sizes[] = {10, 40};
    for (int k = 0; k < 2; k++) {
        int n = sizes[k];
        double H, V;
        char *text = chain_text(n);
        catenary(n, 0.7 * n, -0.1 * n, &H, &V);
        if (n == 10) {
            assert_near(H, 22.795484100, 1e-8);
            assert_near(V, 54.459670048, 1e-8);
        }
        for (int c = 0; c < 4; c++) {
            record r;
            if (n > 10 && c == 2)
                continue; /* 120 coordinates are slow */
            expect(text, every_kind[c], &r);
            assert_near(r.reaction[0][0], -H, 1e-9 * V * n);
            assert_near(r.reaction[0][1], V, 1e-9 * V * n);
            assert_int_equal(r.found.unstable, 0);
        }
        /* sparse matrices, with rows */
        record r;
        assert_int_equal(solve(text, NULL, 0, &(bl_equilibrium_options){.coordinates = "natural", .linsol = "klu"}, &r), BL_OK);
        assert_near(r.reaction[0][1], V, 1e-8 * V * n);
        free(text);
    }
}

/* ---- the elastica: n rods with rotational springs EI / h, the first one half a rod from the wall; errors decrease with h^2 */

static char *elastica_text(int n) {
    size_t room = 600 * (size_t)n + 1000, used;
    char *text = malloc(room);
    double h = 1.0 / n;
    used = (size_t)snprintf(text, room, "model: elastica\ndimension: 2\nparameters: {P: 1}\nbodies:\n");
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, room - used, "  - {name: r%d, rod: {from: [%.17g, 0], to: [%.17g, 0]}, mass: 1}\n", i, i * h,
                                 (i + 1) * h);
    used += (size_t)snprintf(text + used, room - used, "joints:\n");
    for (int i = 0; i < n; i++) {
        char first[16] = "ground";
        if (i > 0)
            snprintf(first, sizeof first, "r%d", i - 1);
        used += (size_t)snprintf(text + used, room - used, "  - {name: j%d, type: revolute, bodies: [%s, r%d], at: [%.17g, 0]}\n", i, first,
                                 i, i * h);
    }
    used += (size_t)snprintf(text + used, room - used, "forces:\n  - {type: force, body: r%d, at: [1, 0], force: [0, =-P*t]}\n", n - 1);
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, room - used, "  - {type: rotational_spring, variable: j%d.angle, stiffness: %d}\n", i,
                                 (i == 0 ? 2 : 1) * n);
    snprintf(text + used, room - used, "probes: {tip: {body: r%d, at: [1, 0]}}\n", n - 1);
    return text;
}

static void elastica__is_approached_by_rods(void **unused) {
    (void)unused;
    static const double load[] = {1, 2, 5, 10};
    static const double exact[][2] = {
        {0.301720774, 0.056433236}, {0.493457480, 0.160641721}, {0.713791524, 0.387628361}, {0.810609025, 0.554995598}};
    char *text[2] = {elastica_text(10), elastica_text(20)};
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 4; c++) {
            bl_override P = {"P", load[k]};
            double off[2][2];
            for (int fine = 0; fine < 2; fine++) {
                record r;
                bl_equilibrium_options at_once = {.coordinates = every_kind[c], .from = 1},
                                       path = {.coordinates = every_kind[c], .until = 1};
                assert_int_equal(solve(text[fine], &P, 1, &at_once, &r), BL_OK);
                assert_int_equal(r.found.unstable, 0);
                off[fine][0] = -r.probe[0][1] - exact[k][0];
                off[fine][1] = 1 - r.probe[0][0] - exact[k][1];
                if (k == 3 && fine == 0) { /* by increments to the same equilibrium */
                    double tip = r.probe[0][1];
                    assert_int_equal(solve(text[fine], &P, 1, &path, &r), BL_OK);
                    assert_near(r.probe[r.samples - 1][1], tip, 1e-9);
                }
            }
            for (int i = 0; i < 2; i++) {
                assert_near(off[0][i] / off[1][i], 4, 0.1);
                assert_true(fabs(off[1][i]) < 2e-3);
            }
        }
    free(text[0]);
    free(text[1]);
}

/* ---- von Mises' truss: P = 2 k (L0 / L - 1) y, L = sqrt(1 + y^2) */

static const char truss[] = "model: truss\ndimension: 2\ngravity: [0, 0]\nparameters: {k: 1000, height: 0.2, P: 5}\n"
                            "bodies: [{name: apex, points: [{mass: 1, at: [0, =height]}]}]\n"
                            "forces:\n"
                            "  - {type: spring, bodies: [ground, apex], at: [-1, 0], to: [0, =height], stiffness: =k}\n"
                            "  - {type: spring, bodies: [ground, apex], at: [1, 0], to: [0, =height], stiffness: =k}\n"
                            "  - {type: force, body: apex, force: [0, =-P*t]}\n"
                            "probes: {A: {body: apex}}\n";

static double load_of(double height, double y) { return 2000 * (sqrt(1 + height * height) / sqrt(1 + y * y) - 1) * y; }

static void shallow_truss__snaps_through_by_its_length(void **unused) {
    (void)unused;
    /* dP/dy = 0: L0 = L^3 */
    double L0 = sqrt(1.04), y = sqrt(cbrt(L0) * cbrt(L0) - 1), limit = load_of(0.2, y);
    assert_near(y, 0.11471444469, 1e-10);
    assert_near(limit, 3.0191474033, 1e-9);
    static const char *const solver[] = {NULL, "ldl", "klu"};
    for (int k = 0; k < 3; k++) {
        record r;
        bl_equilibrium_options options = {.until = 1, .arc_length = true, .linsol = solver[k]};
        assert_int_equal(solve(truss, NULL, 0, &options, &r), BL_OK);
        assert_near(r.t[r.samples - 1], 1, 0);
        for (long i = 0; i < r.samples; i++)
            assert_near(load_of(0.2, r.probe[i][1]), 5 * r.t[i], 1e-8);
        assert_true(r.probe[r.samples - 1][1] < -0.2);
        assert_int_equal(r.found.npoint, 2);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(r.found.point[i].what, BL_LIMIT_POINT);
            assert_near(5 * r.found.point[i].t, i ? -limit : limit, 1e-10);
            assert_non_null(strstr(r.found.point[i].motion, "y (1)"));
        }
    }
}

/* with an increasing load it ends just before the limit, and keeps its results */
static void shallow_truss__under_growing_load_ends_at_the_limit(void **unused) {
    (void)unused;
    record r;
    assert_int_equal(solve(truss, NULL, 0, &(bl_equilibrium_options){.until = 1}, &r), BL_E_NUMERIC);
    assert_true(r.samples == r.found.found && r.samples > 5);
    assert_true(5 * r.found.t <= 3.0191474033 && 5 * r.found.t > 2.95);
    assert_near(r.t[r.samples - 1], r.found.t, 0);
    for (long i = 0; i < r.samples; i++)
        assert_near(load_of(0.2, r.probe[i][1]), 5 * r.t[i], 1e-8);
    assert_true(r.found.refused >= 5);
}

/* at P = 2 the three equilibria and their stability, from starts near them */
static void shallow_truss__has_three_places_at_one_load(void **unused) {
    (void)unused;
    static const double place[] = {0.16610154915, 0.05469960623, -0.22230605778};
    static const char text[] = "model: truss\nparameters: {start: 0.2, k: 1000, P: 2, L0: =sqrt(1.04)}\nequations:\n  states:\n"
                               "    - {name: y, start: =start, acceleration: \"=-P + 2*k*(L0/sqrt(1+y^2)-1)*y\"}\n";
    for (int i = 0; i < 3; i++) {
        record r;
        bl_override start = {"start", place[i] + 0.002};
        assert_int_equal(solve(text, &start, 1, &(bl_equilibrium_options){.any = true}, &r), BL_OK);
        assert_near(r.variable[0][0], place[i], 1e-10);
        assert_int_equal(r.found.unstable, i == 1);
        assert_int_equal(solve(text, &start, 1, NULL, &r), BL_OK); /* the middle one is abandoned */
        assert_int_equal(r.found.unstable, 0);
    }
}

/* the steep truss leaves its plane of symmetry first: H_xx = 2k (1 - L0/L y^2/L^2) */
static void steep_truss__branches_before_its_limit(void **unused) {
    (void)unused;
    double L0 = sqrt(10), y = 2.5526546713, L = sqrt(1 + y * y), Hxx = 1 - L0 / L * y * y / (L * L), limit = 2480.7559890;
    assert_near(Hxx, 0, 1e-9);
    static const char *const solver[] = {NULL, "ldl", "klu"}; /* eigenvalues, signs of pivots, sign of the determinant */
    bl_override set[] = {{"height", 3}, {"P", 4000}};
    record r;
    for (int k = 0; k < 3; k++) {
        bl_equilibrium_options options = {.until = 1, .arc_length = true, .linsol = solver[k]};
        assert_int_equal(solve(truss, set, 2, &options, &r), BL_OK);
        assert_int_equal(r.found.npoint, 6);
        assert_int_equal(r.found.point[0].what, BL_BRANCHING_POINT);
        assert_near(4000 * r.found.point[0].t, load_of(3, y), 1e-4);
        assert_near(4000 * r.found.point[0].t, 783.49806674, 1e-4);
        assert_non_null(strstr(r.found.point[0].motion, "x (1)"));
        assert_int_equal(r.found.point[1].what, BL_LIMIT_POINT);
        assert_near(4000 * r.found.point[1].t, limit, 1e-6);
        assert_int_equal(r.found.unstable, k == 2 ? -1 : 0);
    }
    bl_equilibrium_options blind = {.until = 1, .arc_length = true, .linsol = "dense"}; /* it does not provide signs */
    assert_int_equal(solve(truss, set, 2, &blind, &r), BL_OK);
    assert_int_equal(r.found.npoint, 2);
    /* the same branching point with increasing load */
    set[1].value = 2000;
    assert_int_equal(solve(truss, set, 2, &(bl_equilibrium_options){.until = 1, .increments = 7}, &r), BL_OK);
    assert_int_equal(r.found.npoint, 1);
    assert_near(2000 * r.found.point[0].t, 783.49806674, 1e-4);
    assert_int_equal(r.found.unstable, 1);
}

/* ---- linear systems: one factorization, one solution each */

static void bar__is_stretched_in_equal_parts(void **unused) {
    (void)unused;
    static const char text[] = "model: bar\nparameters: {N: 500, h: =1/N}\nmatrices:\n  size: =N\n  names: u\n"
                               "  K: {tridiagonal: {lower: =-1/h, diagonal: \"=i < N ? 2/h : 1/h\"}}\n  load: {u500: =3*t}\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    record r = {0};
    bl_run_summary summary = {0};
    bl_sink sink = {.user = &r, .begin = begin, .sample = take};
    assert_int_equal(bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_equilibrium(ctx, model, &(bl_equilibrium_options){.until = 1, .increments = 4}, &sink, 1, &summary, NULL), BL_OK);
    assert_int_equal(r.samples, 5);
    assert_int_equal(summary.tangents, 1);
    assert_int_equal(summary.factorizations, 1);
    assert_int_equal(summary.solves, 4);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 8; j++)
            assert_near(r.variable[i][j], 3 * (i / 4.0) * (j + 1) / 500, 1e-12);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* laws of pieces: a stop that begins at -0.1 m, 100 x + 2000 (x + 0.1) = -20 g, and a tire on the road, R - m g / k */
static void laws_with_branches__have_equilibria_in_all_coordinates(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    static const char slider[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: w, mass: 20, center: [0, 0.31], inertia: 1}]\n"
                                 "joints: [{name: g, type: prismatic, bodies: [ground, w], at: [0, 0.31], axis: [0, 1]}]\n";
    for (int c = 0; c < 4; c++) {
        char text[1024];
        record r;
        snprintf(text, sizeof text,
                 "%sforces: [{type: rotational_spring, variable: g.distance, stiffness: 100, torque: \"=x < -0.1 ? %s : 0\"}]\n", slider,
                 "-2000*(x+0.1)");
        expect(text, kinds[c], &r);
        assert_near(r.variable[0][0], -(20 * 9.81 + 200) / 2100, 1e-9);
        snprintf(text, sizeof text, "%sforces: [{type: tire, body: w, radius: 0.3, stiffness: 20000, damping: 300}]\n", slider);
        expect(text, kinds[c], &r);
        assert_near(r.variable[0][0], 0.3 - 20 * 9.81 / 20000 - 0.31, 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_with_branches__have_equilibria_in_all_coordinates),
        cmocka_unit_test(upright_rod__falls_to_where_the_spring_holds_it),
        cmocka_unit_test(two_rods__stand_at_four_places),
        cmocka_unit_test(four_bar__hangs_with_its_reactions),
        cmocka_unit_test(bricard__hangs_although_redundant),
        cmocka_unit_test(four_bar__with_a_spring_is_at_the_least_potential),
        cmocka_unit_test(vehicle__stands_on_its_wheels_and_may_roll_away),
        cmocka_unit_test(hanging_chain__is_the_catenary_of_its_rods),
        cmocka_unit_test(elastica__is_approached_by_rods),
        cmocka_unit_test(shallow_truss__snaps_through_by_its_length),
        cmocka_unit_test(shallow_truss__under_growing_load_ends_at_the_limit),
        cmocka_unit_test(shallow_truss__has_three_places_at_one_load),
        cmocka_unit_test(steep_truss__branches_before_its_limit),
        cmocka_unit_test(bar__is_stretched_in_equal_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
