/* Every material of the list with every strain measure and plane it supports, at random states after random histories: zero stress at rest,
 * tangent compared with differences of sixth order, objectivity, isotropy, symmetry, energy, no hidden state. */
#include "support/materials.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATES = 12, STEPS = 3 };

typedef struct pair {
    bl_material m;
    const bl_strain_kind *strain;
    bl_plane plane;
    bl_index nhistory;
    double E;            /* typical stress */
    double strain_large; /* typical strain */
    test_random random;
} pair;

typedef void property(pair *p);

static void over_all_pairs(property *holds) {
    uint64_t seed = test_seed(11);
    int count = 0;
    for (size_t i = 0; i < bl_material_kind_count; i++)
        for (size_t k = 0; k < bl_strain_kind_count; k++)
            for (bl_plane plane = BL_PLANE_NONE; plane <= BL_PLANE_BAR; plane++) {
                const bl_material_kind *kind = bl_material_kinds[i];
                if (bl_material_refuses(kind, bl_strain_kinds[k], plane))
                    continue;
                pair p = {
                    .m = test_material_sample(kind, plane), .strain = bl_strain_kinds[k], .plane = plane, .random = {seed + i + 97 * k}};
                p.nhistory = p.strain->nhistory + kind->nhistory;
                p.E = 1000;
                p.strain_large = p.strain->small ? 0.01 : 0.3;
                holds(&p);
                count++;
            }
    assert_true(count > 0);
}

/* accepted states before a state; the history is that of the last one */
static void random_history(pair *p, double size, double F[9], double history[BL_MATERIAL_HISTORY_MOST]) {
    double f[9], product[9];
    test_response out;
    memset(history, 0, BL_MATERIAL_HISTORY_MOST * sizeof *history);
    test_random_F(&p->random, p->plane, 0, F);
    for (int step = 0; step < STEPS; step++) {
        test_random_F(&p->random, p->plane, size / STEPS, f);
        test_product(f, F, product);
        memcpy(F, product, sizeof f);
        assert_int_equal(test_respond(&p->m, p->strain, F, 0, history, &out), BL_OK);
        memcpy(history, out.trial, sizeof out.trial);
    }
}

/* a state after a history */
static void random_state(pair *p, double size, double F[9], double history[BL_MATERIAL_HISTORY_MOST]) {
    double f[9], before[9];
    random_history(p, size, before, history);
    test_random_F(&p->random, p->plane, size, f);
    test_product(f, before, F);
}

static void say(const pair *p, const char *what) {
    printf("    %s, %s, %s: %s\n", p->m.kind->kind.name, p->strain->kind.name, test_plane_name(p->plane), what);
}

static void near_all(const pair *p, const double *a, const double *b, int n, double tolerance, const char *what) {
    for (int k = 0; k < n; k++)
        if (!(fabs(a[k] - b[k]) <= tolerance)) {
            say(p, what);
            fail_msg("number %d: %.17g, expected %.17g, difference %.3g above %.3g", k, a[k], b[k], a[k] - b[k], tolerance);
        }
}

/* ---- rest */

static void rest(pair *p) {
    double F[9], zero[36] = {0};
    test_response out;
    test_random_F(&p->random, p->plane, 0, F);
    assert_int_equal(test_respond(&p->m, p->strain, F, 0, NULL, &out), BL_OK);
    near_all(p, out.tau, zero, 6, 0, "stress at rest");
    near_all(p, out.spin, zero, 18, 0, "spin at rest");
    if (p->m.gives & BL_MATERIAL_ENERGY)
        near_all(p, &out.energy, zero, 1, 0, "energy at rest");
    near_all(p, &out.dissipated, zero, 1, 0, "dissipation at rest");
    near_all(p, out.trial, zero, p->nhistory, 0, "history at rest");
    double largest = 0;
    for (int k = 0; k < 6; k++)
        largest = fmax(largest, out.c[7 * k]);
    double speed = p->m.kind->stiffness(&p->m);
    assert_near(speed * speed * p->m.density, largest, 1e-12 * largest);
}

static void every_pair__is_free_of_stress_at_rest(void **unused) {
    (void)unused;
    over_all_pairs(rest);
}

/* ---- tangent */

/* tau' according to the tangent for the velocity gradient l */
static void predicted(const pair *p, const test_response *at, const double l[9], double out[6]) {
    double d[6], tau[9], turned[9];
    const double omega[3] = {0.5 * (l[7] - l[5]), 0.5 * (l[2] - l[6]), 0.5 * (l[3] - l[1])};
    for (int k = 0; k < 6; k++)
        d[k] = l[3 * bl_first[k] + bl_second[k]] + (k < 3 ? 0 : l[3 * bl_second[k] + bl_first[k]]);
    apply6(at->c, d, out);
    if (p->strain->small)
        return;
    stress_matrix(at->tau, tau);
    multiply3(l, tau, turned);
    for (int k = 0; k < 6; k++) {
        int i = bl_first[k], j = bl_second[k];
        out[k] += turned[3 * i + j] + turned[3 * j + i];
        for (int n = 0; n < 3; n++)
            out[k] += at->spin[3 * k + n] * omega[n];
    }
}

/* central difference of sixth order of tau along F' = l F (small: F' = l); false: the law changed its branch in between */
static bool difference(const pair *p, const double F[9], const double *history, const double l[9], double h, double theta, double out[6]) {
    static const double weight[4] = {0, 45, -9, 1};
    const double old = p->m.kind->nhistory ? history[p->nhistory - 1] : 0;
    int flowing = 0;
    memset(out, 0, 6 * sizeof *out);
    for (int n = -3; n <= 3; n++) {
        double moved[9], step[9];
        test_response at;
        if (p->strain->small) {
            for (int k = 0; k < 9; k++)
                moved[k] = F[k] + n * h * l[k];
        } else {
            for (int k = 0; k < 9; k++)
                step[k] = (k % 4 == 0) + n * h * l[k];
            test_product(step, F, moved);
        }
        assert_int_equal(test_respond(&p->m, p->strain, moved, theta, history, &at), BL_OK);
        flowing += at.dissipated > old;
        for (int k = 0; k < 6; k++)
            out[k] += (n < 0 ? -1 : 1) * weight[n < 0 ? -n : n] * at.tau[k] / (60 * h);
    }
    return flowing == 0 || flowing == 7;
}

static int tangents, branches, flows, rests; /* directions, including some across a branch; for laws with history: with and without flow */

static void tangent_at(pair *p, double size, double theta) {
    double F[9], history[BL_MATERIAL_HISTORY_MOST], expected[6], found[6];
    test_response at;
    random_state(p, size, F, history);
    assert_int_equal(test_respond(&p->m, p->strain, F, theta, history, &at), BL_OK);
    if (p->m.gives & BL_MATERIAL_HISTORY && at.dissipated > history[p->nhistory - 1])
        flows++;
    else if (p->m.gives & BL_MATERIAL_HISTORY)
        rests++;
    double scale = test_largest(at.c, 36) + test_largest(at.tau, 6), h = 1e-3;
    if (p->strain->small)
        h *= size;
    else if (p->m.gives & BL_MATERIAL_HISTORY)
        h *= fmax(0.005, fmin(0.1, size)); /* the direction of flow changes within strains of this size */
    for (int k = 0; k < 9; k++) {
        bool out = k == 2 || k == 5 || k == 6 || k == 7, third = k == 8;
        if ((p->plane != BL_PLANE_NONE && out) || (third && (p->plane == BL_PLANE_STRAIN || p->plane == BL_PLANE_STRESS)) ||
            (p->plane == BL_PLANE_BAR && k > 0))
            continue;
        double l[9] = {0};
        l[k] = 1;
        tangents++;
        if (!difference(p, F, history, l, h, theta, found)) {
            branches++;
            continue;
        }
        predicted(p, &at, l, expected);
        near_all(p, expected, found, 6, 1e-9 * scale, "tangent");
    }
}

static void tangent(pair *p) {
    for (int n = 0; n < STATES; n++) {
        tangent_at(p, p->strain_large, 0);
        tangent_at(p, p->strain_large, 0.02 * test_random_symmetric(&p->random));
        tangent_at(p, 0.05 * p->strain_large, 0);
        if (!p->strain->small && p->m.gives & BL_MATERIAL_HISTORY)
            tangent_at(p, 5e-4, 0);
    }
}

static void every_tangent__is_the_derivative_of_the_stress(void **unused) {
    (void)unused;
    tangents = branches = flows = rests = 0;
    over_all_pairs(tangent);
    printf("    %d directions, %d of them across a change of branch; %d states of plastic laws flow, %d do not\n", tangents, branches,
           flows, rests);
    assert_true(branches < tangents / 50);
    assert_true(flows > 10 && rests > 10);
}

static void symmetry(pair *p) {
    double F[9], history[BL_MATERIAL_HISTORY_MOST], transposed[36];
    test_response at;
    if (!bl_material_symmetric(&p->m, p->strain))
        return;
    for (int n = 0; n < STATES; n++) {
        random_state(p, p->strain_large, F, history);
        assert_int_equal(test_respond(&p->m, p->strain, F, 0, history, &at), BL_OK);
        for (int k = 0; k < 36; k++)
            transposed[k] = at.c[6 * (k % 6) + k / 6];
        near_all(p, at.c, transposed, 36, 1e-13 * test_largest(at.c, 36), "symmetry");
    }
}

static void every_tangent__is_symmetric_where_it_is_said_to_be(void **unused) {
    (void)unused;
    over_all_pairs(symmetry);
}

/* ---- frames */

static void rotated_tangent(const double Q[9], const double c[36], double out[36]) {
    double T[36];
    congruence6(Q, T);
    push6(T, c, 1, out);
}

/* the point rotates in its last increment and, if the strain measure guarantees it, while it deforms */
static void objectivity(pair *p) {
    if (p->strain->small)
        return;
    for (int n = 0; n < STATES; n++) {
        double F[9], QF[9], Q[9], history[BL_MATERIAL_HISTORY_MOST], tau[6], c[36];
        test_response at, turned;
        random_state(p, p->strain_large, F, history);
        test_random_rotation(&p->random, p->plane, Q);
        assert_int_equal(test_respond(&p->m, p->strain, F, 0, history, &at), BL_OK);
        if (p->strain->spin) { /* accepted there, then rotated */
            memcpy(history, at.trial, sizeof at.trial);
            assert_int_equal(test_respond(&p->m, p->strain, F, 0, history, &at), BL_OK);
        }
        test_product(Q, F, QF);
        assert_int_equal(test_respond(&p->m, p->strain, QF, 0, history, &turned), BL_OK);
        test_rotate(Q, at.tau, tau);
        /* the mean of a configuration and one rotated by nearly 180 degrees is nearly singular: 1/cos^2(angle/2) */
        double lost = p->strain->spin ? 4 / (1 + Q[0] + Q[4] + Q[8]) : 1;
        near_all(p, turned.tau, tau, 6, 1e-12 * p->E * lost, "objectivity");
        if (p->m.gives & BL_MATERIAL_ENERGY)
            near_all(p, &turned.energy, &at.energy, 1, 1e-12 * p->E * lost, "objectivity of the energy");
        if (!p->strain->spin) {
            rotated_tangent(Q, at.c, c);
            near_all(p, turned.c, c, 36, 1e-12 * (p->E + test_largest(c, 36)), "objectivity of the tangent");
        }
    }
}

static void every_large_strain__turns_with_the_point(void **unused) {
    (void)unused;
    over_all_pairs(objectivity);
}

/* the complete path rotated, body and space alike; and from rest a body rotated before it is deformed */
static void isotropy(pair *p) {
    for (int n = 0; n < STATES; n++) {
        double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, f[9], Q[9], Qt[9], half[9], tau[6], past[2][BL_MATERIAL_HISTORY_MOST] = {{0}};
        test_response at, turned;
        test_random_rotation(&p->random, p->plane, Q);
        transpose3(Q, Qt);
        if (p->plane == BL_PLANE_STRESS || p->plane == BL_PLANE_BAR)
            F[8] = NAN;
        if (p->plane == BL_PLANE_BAR)
            F[4] = NAN;
        for (int step = 0; step < STEPS; step++) {
            double next[9], QFQt[9];
            test_random_F(&p->random, p->plane, p->strain_large, f);
            test_product(f, F, next);
            memcpy(F, next, sizeof F);
            test_product(Q, F, half);
            test_product(half, Qt, QFQt);
            assert_int_equal(test_respond(&p->m, p->strain, F, 0, past[0], &at), BL_OK);
            assert_int_equal(test_respond(&p->m, p->strain, QFQt, 0, past[1], &turned), BL_OK);
            test_rotate(Q, at.tau, tau);
            near_all(p, turned.tau, tau, 6, 1e-11 * p->E, "isotropy");
            memcpy(past[0], at.trial, sizeof at.trial);
            memcpy(past[1], turned.trial, sizeof turned.trial);
        }
        if (p->strain->small || p->strain->spin)
            continue;
        test_random_F(&p->random, p->plane, p->strain_large, F);
        test_product(F, Q, f);
        assert_int_equal(test_respond(&p->m, p->strain, F, 0, NULL, &at), BL_OK);
        assert_int_equal(test_respond(&p->m, p->strain, f, 0, NULL, &turned), BL_OK);
        near_all(p, turned.tau, at.tau, 6, 1e-12 * p->E, "isotropy from rest");
    }
}

static void every_pair__is_isotropic(void **unused) {
    (void)unused;
    over_all_pairs(isotropy);
}

/* ---- energy */

static void energy(pair *p) {
    static const double weight[4] = {0, 45, -9, 1};
    if (!(p->m.gives & BL_MATERIAL_ENERGY) || p->nhistory > 0)
        return;
    for (int n = 0; n < STATES; n++) {
        double F[9], l[9], h = 1e-3 * (p->strain->small ? p->strain_large : 1), slope = 0, power = 0, theta = n % 2 ? 0.02 : 0;
        test_response at, moved;
        test_random_F(&p->random, p->plane, p->strain_large, F);
        test_random_F(&p->random, p->plane, 1, l);
        for (int k = 0; k < 3; k++)
            l[4 * k] = isnan(l[4 * k]) ? 0 : l[4 * k] - 1;
        assert_int_equal(test_respond(&p->m, p->strain, F, theta, NULL, &at), BL_OK);
        for (int k = -3; k <= 3; k++) {
            double step[9], there[9];
            for (int i = 0; i < 9; i++)
                step[i] = (p->strain->small ? F[i] : i % 4 == 0) + k * h * l[i];
            if (p->strain->small)
                memcpy(there, step, sizeof there);
            else
                test_product(step, F, there);
            assert_int_equal(test_respond(&p->m, p->strain, there, theta, NULL, &moved), BL_OK);
            slope += (k < 0 ? -1 : 1) * weight[k < 0 ? -k : k] * moved.energy / (60 * h);
        }
        for (int i = 0; i < 9; i++)
            power += at.tau[bl_pair[i / 3][i % 3]] * l[i];
        near_all(p, &slope, &power, 1, 1e-9 * p->E * p->strain_large, "energy");
    }
}

static void every_energy__grows_by_the_power_of_the_stress(void **unused) {
    (void)unused;
    over_all_pairs(energy);
}

/* ---- laws that dissipate: straight paths, halfway back, in many increments */

enum { INCREMENTS = 400 };

/* tau : dF F^-1 at the midpoint of an increment, with the mean of the stresses; plane stress: no stress across the plane */
static double work_between(const pair *p, const test_response *from, const test_response *to) {
    double mean[9], inverse[9], step[9], sum = 0;
    for (int i = 0; i < 9; i++) {
        mean[i] = p->strain->small ? (i % 4 == 0) : 0.5 * (from->F[i] + to->F[i]);
        step[i] = to->F[i] - from->F[i];
    }
    if (p->plane == BL_PLANE_STRESS || p->plane == BL_PLANE_BAR)
        step[8] = 0;
    if (p->plane == BL_PLANE_BAR)
        step[4] = 0;
    inverse3(mean, inverse);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++) {
            int c = bl_pair[i / 3][i % 3];
            sum += 0.5 * (from->tau[c] + to->tau[c]) * step[i / 3 * 3 + k] * inverse[3 * k + i % 3];
        }
    return sum;
}

static void work(pair *p) {
    if (!(p->m.gives & BL_MATERIAL_ENERGY) || p->nhistory == 0)
        return;
    const double size = 0.05; /* many times the yield strain */
    double there[9], done = 0, most = 0;
    test_response at, last = {0};
    test_random_F(&p->random, p->plane, size, there);
    if (p->plane != BL_PLANE_BAR)
        there[0] = 2 - there[4] -
                   (p->plane == BL_PLANE_STRESS ? 0 : there[8] - 1); /* volume changes store much energy and dissipate none: left out */
    for (int k = 0; k <= INCREMENTS; k++) {
        double s = 1.5 * k / INCREMENTS, share = s < 1 ? s : 2 - s, F[9];
        for (int i = 0; i < 9; i++)
            F[i] = (i % 4 == 0) + share * (there[i] - (i % 4 == 0));
        assert_int_equal(test_respond(&p->m, p->strain, F, 0, k ? last.trial : NULL, &at), BL_OK);
        done += k ? work_between(p, &last, &at) : 0;
        most = fmax(most, done);
        last = at;
    }
    /* large strains: volume changes compared with the energy of increments, and the stored trace of be, cause errors of that order */
    double accounted = at.energy + at.dissipated, share = p->strain->small ? 5.0 / INCREMENTS : size;
    assert_true(at.dissipated > 0.2 * most);
    near_all(p, &accounted, &done, 1, share * most, "work that is neither stored nor dissipated");
}

static void work_along_a_way__is_stored_or_dissipated(void **unused) {
    (void)unused;
    over_all_pairs(work);
}

/* ---- thickness */

/* F33 found for plane stress, and F22 = F33 of bars, used in the spatial law, give the same stresses and zero for the others */
static void thickness(pair *p) {
    if ((p->plane != BL_PLANE_STRESS && p->plane != BL_PLANE_BAR) || p->strain->small)
        return;
    bl_material space = test_material_sample(p->m.kind, BL_PLANE_NONE);
    for (int n = 0; n < STATES; n++) {
        double F[9], history[BL_MATERIAL_HISTORY_MOST];
        test_response flat, full;
        random_state(p, p->strain_large, F, history);
        assert_int_equal(test_respond(&p->m, p->strain, F, 0.01, history, &flat), BL_OK);
        if ((p->m.gives & BL_MATERIAL_DILATATION) && p->plane == BL_PLANE_STRESS) { /* incompressible there, except for thermal strain */
            assert_near(det3(flat.F), 1.01 * 1.01 * 1.01, 1e-13);
            continue;
        }
        assert_int_equal(test_respond(&space, p->strain, flat.F, 0.01, history, &full), BL_OK);
        near_all(p, full.tau, flat.tau, 6, 1e-11 * p->E, "stress in space at the F33 that was found");
    }
}

static void plane_stress__finds_the_thickness(void **unused) {
    (void)unused;
    over_all_pairs(thickness);
}

/* ---- no hidden state */

static void purity(pair *p) {
    for (int n = 0; n < STATES; n++) {
        double F[9], history[BL_MATERIAL_HISTORY_MOST], kept[BL_MATERIAL_HISTORY_MOST], tau[6], thermal[6] = {0};
        double none[BL_MATERIAL_HISTORY_MOST] = {0};
        test_response a, b;
        random_state(p, p->strain_large, F, history);
        memcpy(kept, history, sizeof kept);
        assert_int_equal(test_respond(&p->m, p->strain, F, 0, history, &a),
                         BL_OK); /* the new state is NaN initially: it must not be read */
        assert_int_equal(test_respond(&p->m, p->strain, F, 0, history, &b), BL_OK);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(history, kept, sizeof kept);
        for (bl_index k = 0; k < p->nhistory; k++)
            assert_true(isfinite(a.trial[k]));
        /* computing the stress alone gives the same stress */
        double f[9];
        memcpy(f, F, sizeof f);
        assert_int_equal(p->strain->at(&p->m, f, thermal, 0, history, NULL, tau, NULL, NULL, NULL), BL_OK);
        assert_memory_equal(tau, a.tau, sizeof tau);
        /* no history equals a history of zeros */
        assert_int_equal(test_respond(&p->m, p->strain, F, 0, NULL, &a), BL_OK);
        assert_int_equal(test_respond(&p->m, p->strain, F, 0, none, &b), BL_OK);
        assert_memory_equal(&a, &b, sizeof a);
        for (int k = 1; k < 36 && p->plane == BL_PLANE_BAR; k++)
            assert_true(a.c[k] == 0 && (k > 5 || a.tau[k] == 0));
        if (p->plane == BL_PLANE_STRESS)
            for (int k = 0; k < 36; k++) {
                bool row = k / 6 == BL_33 || k / 6 > BL_12, column = k % 6 == BL_33 || k % 6 > BL_12;
                assert_true(!(row || column) || a.c[k] == 0);
                assert_true(!row || a.tau[k / 6] == 0);
            }
    }
}

static void every_pair__is_a_function_of_history_and_strain(void **unused) {
    (void)unused;
    over_all_pairs(purity);
}

static void inverted(pair *p) {
    double F[9];
    test_response at;
    if (p->strain->small)
        return;
    test_random_F(&p->random, p->plane, 0.1, F);
    F[0] = -F[0];
    F[1] = F[3] = 0;
    assert_int_equal(test_respond(&p->m, p->strain, F, 0, NULL, &at), BL_NOT_FINITE);
}

static void every_large_strain__refuses_inverted_points(void **unused) {
    (void)unused;
    over_all_pairs(inverted);
}

/* ---- laws of a gradient */

static void gradient_point(const bl_material *m, double u, const double g[3], double out[16]) {
    bl_material_point p = {.u = u, .gradient = {g[0], g[1], g[2]}, .stress = out, .tangent = out + 3, .energy = out + 15};
    assert_int_equal(bl_material_at(m, &p), BL_OK);
}

/* flux, tangent and energy at random states compared with differences of sixth order; they rotate with the gradient */
static void every_law_of_a_gradient__has_its_derivatives(void **unused) {
    (void)unused;
    static const double weight[4] = {0, 45, -9, 1};
    test_random random = {test_seed(13)};
    int count = 0;
    for (size_t i = 0; i < bl_material_kind_count; i++) {
        const bl_material_kind *kind = bl_material_kinds[i];
        if (bl_material_refuses(kind, NULL, BL_PLANE_NONE))
            continue;
        bl_material m = test_material_sample(kind, BL_PLANE_NONE);
        count++;
        for (int n = 0; n < STATES; n++) {
            double u = test_random_symmetric(&random), g[3], at[16], again[16], slope[4][16] = {{0}}, Q[9], Qg[3] = {0}, turned[16],
                   h = 1e-2;
            test_random_vector(&random, 3, 1, g);
            gradient_point(&m, u, g, at);
            gradient_point(&m, u, g, again);
            assert_memory_equal(at, again, sizeof at);
            for (int k = 0; k < 4; k++)
                for (int step = -3; step <= 3; step++) {
                    double there[3], out[16];
                    memcpy(there, g, sizeof there);
                    if (k < 3)
                        there[k] += step * h;
                    gradient_point(&m, u + (k == 3 ? step * h : 0), there, out);
                    for (int r = 0; r < 16; r++)
                        slope[k][r] += (step < 0 ? -1 : 1) * weight[step < 0 ? -step : step] * out[r] / (60 * h);
                }
            double size = test_largest(at, 16);
            for (int r = 0; r < 3; r++) {
                for (int k = 0; k < 3; k++)
                    assert_near(at[3 + 3 * r + k], slope[k][r], 1e-9 * size);
                assert_near(at[12 + r], slope[3][r], 1e-9 * size);
                if (m.gives & BL_MATERIAL_ENERGY)
                    assert_near(at[r], slope[r][15], 1e-9 * size);
            }
            test_random_rotation(&random, BL_PLANE_NONE, Q);
            for (int r = 0; r < 9; r++)
                Qg[r / 3] += Q[r] * g[r % 3];
            gradient_point(&m, u, Qg, turned);
            for (int r = 0; r < 3; r++)
                assert_near(turned[r], Q[3 * r] * at[0] + Q[3 * r + 1] * at[1] + Q[3 * r + 2] * at[2], 1e-14 * size);
            assert_near(turned[15], at[15], 1e-14 * size);
            for (int r = 0; r < 9 && bl_material_symmetric(&m, NULL); r++)
                assert_true(at[3 + r] == at[3 + 3 * (r % 3) + r / 3] && at[12 + r / 3] == 0);
        }
        const double nothing[3] = {0};
        double rest_at[16];
        gradient_point(&m, 0, nothing, rest_at);
        assert_true(rest_at[0] == 0 && rest_at[1] == 0 && rest_at[2] == 0 && rest_at[15] == 0);
        double speed = m.kind->stiffness(&m);
        assert_near(speed * speed * m.capacity, rest_at[3], 1e-13 * rest_at[3]);
    }
    assert_true(count > 0);
}

/* ---- valid combinations */

static void every_pair__is_possible_or_refused_with_a_reason(void **unused) {
    (void)unused;
    for (size_t i = 0; i < bl_material_kind_count; i++) {
        const bl_material_kind *kind = bl_material_kinds[i];
        int possible = bl_material_refuses(kind, NULL, BL_PLANE_NONE) == NULL;
        for (size_t k = 0; k <= bl_strain_kind_count; k++)
            for (bl_plane plane = BL_PLANE_NONE; plane <= BL_PLANE_AXISYMMETRIC; plane++) {
                const bl_strain_kind *strain = k < bl_strain_kind_count ? bl_strain_kinds[k] : NULL;
                const char *why = bl_material_refuses(kind, strain, plane);
                bool fits = strain ? (strain->kind.gives & kind->kind.needs) != 0 : (kind->kind.needs & BL_OF_GRADIENT) != 0;
                if (!fits)
                    assert_non_null(why);
                assert_true(!why || strlen(why) > 15);
                possible += !why;
            }
        assert_true(possible > 0);
        assert_true(kind->kind.name[0] && kind->kind.help[0]);
        assert_true(!!(kind->kind.gives & BL_MATERIAL_HISTORY) == (kind->nhistory > 0));
        assert_true(bl_param_count(kind->kind.params) <= BL_MAX_PARAMS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_stress__finds_the_thickness),
        cmocka_unit_test(every_pair__is_free_of_stress_at_rest),
        cmocka_unit_test(every_tangent__is_the_derivative_of_the_stress),
        cmocka_unit_test(every_tangent__is_symmetric_where_it_is_said_to_be),
        cmocka_unit_test(every_large_strain__turns_with_the_point),
        cmocka_unit_test(every_pair__is_isotropic),
        cmocka_unit_test(every_energy__grows_by_the_power_of_the_stress),
        cmocka_unit_test(work_along_a_way__is_stored_or_dissipated),
        cmocka_unit_test(every_pair__is_a_function_of_history_and_strain),
        cmocka_unit_test(every_large_strain__refuses_inverted_points),
        cmocka_unit_test(every_law_of_a_gradient__has_its_derivatives),
        cmocka_unit_test(every_pair__is_possible_or_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
