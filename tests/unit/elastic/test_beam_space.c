/* Elements of beams in space that interpolate rotations, of degrees 1 to 3: against the definition written out in quaternions, differences,
 * states known by hand, and elements that interpolate directors, which agree with them for small displacements. */
#include "support/handmade.h"
#include "support/materials.h"

#include "elastic/beam.h"

#include <math.h>
#include <string.h>

enum { BEAMS = 8, NODE = 9, MOST = NODE * BL_BEAM_NODES };

typedef struct sample {
    bl_beam_def beam;
    bl_beam_node node[BL_BEAM_NODES];
    bl_beam_element e;
    int n;                              /* local values */
    double turned[BL_BEAM_NODES][3][3]; /* rotations of the nodes in x, columns d1, d2, d3 */
    double start[MOST], x[MOST], v[MOST];
} sample;

static void set_node(bl_beam_node *node, const double at[3], const double R[3][3]) {
    for (int k = 0; k < 3; k++) {
        node->at[k] = at[k];
        for (int i = 0; i < 3; i++)
            node->axes[i][k] = R[k][i];
    }
}

static void make(sample *s) {
    double x[BL_BEAM_LOCAL];
    s->beam.nelement = 1;
    s->beam.node = s->node;
    s->beam.rotations = true;
    assert_int_equal(bl_beam_element_make(&s->beam, 3, 0, &s->e, x), BL_OK);
    s->n = bl_beam_local(&s->e);
    assert_int_equal(s->n, NODE * (s->beam.degree + 1));
    memcpy(s->start, x, (size_t)s->n * sizeof *x);
}

static void random_numbers(sample *s, test_random *random, bool viscous) {
    for (int k = 0; k < 6; k++)
        s->beam.stiffness[k] = 0.5 + 2 * test_random_unit(random);
    for (int k = 0; k < 3; k++)
        s->beam.mass[k] = 0.5 + test_random_unit(random);
    s->beam.damping[1] = viscous ? 0.3 + test_random_unit(random) : 0;
}

static void random_rotation(test_random *random, double angle, double R[3][3]) {
    double axis[3];
    test_random_direction(random, 3, axis);
    test_turn(axis, angle * test_random_symmetric(random), R);
}

/* P, d2, d3 of a node */
static void put(double *x, const double at[3], const double R[3][3]) {
    for (int k = 0; k < 3; k++) {
        x[k] = at[k];
        x[3 + k] = R[k][1];
        x[6 + k] = R[k][2];
    }
}

/* length about 1, curved and twisted; x far from the model configuration and with d2, d3 that are neither unit vectors nor perpendicular,
 * as in iterations: the frame has the direction of d2, and d3 in its plane */
static void random_sample(sample *s, test_random *random, int degree, bool viscous, bool rigid) {
    double base[3][3], all[3][3];
    *s = (sample){.beam.degree = degree};
    random_numbers(s, random, viscous);
    random_rotation(random, 3, base);
    random_rotation(random, 3, all);
    for (int a = 0; a <= degree; a++) {
        double turn[3][3], R[3][3], off[3], at[3];
        random_rotation(random, 0.5, turn);
        test_multiply(base, turn, R);
        test_random_vector(random, 3, 0.3 / (degree + 1), off);
        off[0] += (double)a / degree;
        test_apply(base, off, at);
        set_node(&s->node[a], at, R);
    }
    make(s);
    for (int a = 0; a <= degree; a++) {
        double turn[3][3], at[3], size[3];
        random_rotation(random, 1.2, turn);
        test_multiply(all, turn, s->turned[a]);
        test_random_vector(random, 3, 0.4, at);
        test_random_vector(random, 3, rigid ? 0 : 0.3, size);
        for (int k = 0; k < 3; k++)
            at[k] += s->node[a].at[k];
        put(s->x + NODE * a, at, s->turned[a]);
        for (int k = 0; k < 3; k++) {
            double *d = s->x + NODE * a + 3;
            d[3 + k] = (1 + size[0]) * d[3 + k] + size[1] * d[k];
            d[k] *= 1 + size[2];
        }
    }
    for (int i = 0; i < s->n; i++)
        s->v[i] = test_random_symmetric(random);
}

static void each(uint64_t seed, bool viscous, bool rigid, void (*body)(sample *s, test_random *random)) {
    test_random random = {test_seed(seed)};
    for (int degree = 1; degree <= 3; degree++)
        for (int n = 0; n < BEAMS; n++) {
            sample s;
            random_sample(&s, &random, degree, viscous, rigid);
            body(&s, &random);
        }
}

/* ---- the definition written out in quaternions, long double */

typedef long double quaternion[4];

static void times(const quaternion p, const quaternion q, quaternion out) {
    quaternion r = {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                    p[0] * q[2] + p[2] * q[0] + p[3] * q[1] - p[1] * q[3], p[0] * q[3] + p[3] * q[0] + p[1] * q[2] - p[2] * q[1]};
    memcpy(out, r, sizeof r);
}

/* p* q */
static void back(const quaternion p, const quaternion q, quaternion out) {
    const quaternion c = {p[0], -p[1], -p[2], -p[3]};
    times(c, q, out);
}

static void unit(quaternion q) {
    long double size = sqrtl(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] /= size;
}

/* of a rotation, by its largest component */
static void quaternion_of(const double R[3][3], quaternion q) {
    long double trace = R[0][0] + R[1][1] + R[2][2], most = trace;
    int big = -1;
    for (int i = 0; i < 3; i++)
        if (R[i][i] > most) {
            most = R[i][i];
            big = i;
        }
    int i = big < 0 ? 0 : big, j = (i + 1) % 3, k = (i + 2) % 3;
    if (big < 0) {
        q[0] = 1 + trace;
        q[1] = R[2][1] - R[1][2];
        q[2] = R[0][2] - R[2][0];
        q[3] = R[1][0] - R[0][1];
    } else {
        q[0] = R[k][j] - R[j][k];
        q[1 + i] = 1 + 2 * R[i][i] - trace;
        q[1 + j] = R[i][j] + R[j][i];
        q[1 + k] = R[i][k] + R[k][i];
    }
    unit(q);
}

static void logarithm(const quaternion q, long double psi[3]) {
    long double sign = q[0] < 0 ? -1 : 1, n = sqrtl(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 3; k++)
        psi[k] = n < 1e-18L ? 0 : 2 * atan2l(n, fabsl(q[0])) / n * sign * q[1 + k];
}

static void exponential(const long double psi[3], quaternion q) {
    long double n = sqrtl(psi[0] * psi[0] + psi[1] * psi[1] + psi[2] * psi[2]);
    q[0] = cosl(n / 2);
    for (int k = 0; k < 3; k++)
        q[1 + k] = n < 1e-18L ? psi[k] / 2 : sinl(n / 2) / n * psi[k];
}

static void basis(const sample *s, long double xi, long double *N, long double *dN) {
    int degree = s->beam.degree;
    long double at[4] = {0};
    for (int a = 1; a <= degree; a++) { /* nodes as far apart as their positions */
        long double square = 0;
        for (int k = 0; k < 3; k++)
            square += powl(s->node[a].at[k] - (long double)s->node[a - 1].at[k], 2);
        at[a] = at[a - 1] + sqrtl(square);
    }
    long double length = at[degree];
    for (int a = 0; a <= degree; a++)
        at[a] = 2 * at[a] / length - 1;
    for (int a = 0; a <= degree; a++) {
        N[a] = 1;
        dN[a] = 0;
        for (int b = 0; b <= degree; b++) {
            long double product = 1;
            for (int c = 0; c <= degree && b != a; c++)
                product *= c == a ? 1 : c == b ? 1 / (at[a] - at[b]) : (xi - at[c]) / (at[a] - at[c]);
            N[a] *= b == a ? 1 : (xi - at[b]) / (at[a] - at[b]);
            dN[a] += b == a ? 0 : product;
        }
    }
}

/* rotation at xi */
static void rotation_at(const sample *s, const quaternion *q, long double xi, quaternion out) {
    int I = s->beam.degree / 2, J = (s->beam.degree + 1) / 2;
    long double N[4], dN[4], psi[3] = {0};
    quaternion middle, turn;
    basis(s, xi, N, dN);
    long double same = 0;
    for (int k = 0; k < 4; k++)
        same += q[I][k] * q[J][k];
    for (int k = 0; k < 4; k++)
        middle[k] = q[I][k] + (same < 0 ? -1 : 1) * q[J][k];
    unit(middle);
    for (int a = 0; a <= s->beam.degree; a++) {
        long double one[3];
        back(middle, q[a], turn);
        logarithm(turn, one);
        for (int k = 0; k < 3; k++)
            psi[k] += N[a] * one[k];
    }
    exponential(psi, turn);
    times(middle, turn, out);
}

/* strains without those of the model configuration; rate: dS/dxi. R' by differences over five points. */
static void definition(const sample *s, const double *x, const quaternion *q, long double xi, long double rate, long double strain[6]) {
    static const long double offset[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1}, h = 1e-3L;
    long double N[4], dN[4];
    quaternion here, slope = {0}, line = {0}, turned, bent;
    basis(s, xi, N, dN);
    rotation_at(s, q, xi, here);
    for (int k = 0; k < 4; k++) {
        quaternion near;
        rotation_at(s, q, xi + offset[k] * h, near);
        for (int i = 0; i < 4; i++)
            slope[i] += weight[k] * near[i] / (12 * h);
    }
    for (int a = 0; a <= s->beam.degree; a++)
        for (int k = 0; k < 3; k++)
            line[1 + k] += dN[a] / rate * x[a * NODE + k];
    back(here, line, turned);
    times(turned, here, turned);
    back(here, slope, bent);
    for (int k = 0; k < 3; k++) {
        strain[k] = turned[1 + k];
        strain[3 + k] = 2 * bent[1 + k] / rate;
    }
}

static void energy_is_written_out(sample *s, test_random *random) {
    static const long double point[4][3] = {{0}, {0}, {-1, 1}, {-1, 0, 1}}, size[4] = {0, 0, 1.0L / 3, 3.0L / 5};
    static const long double weight[4][3] = {{0}, {2}, {1, 1}, {5 / 9.0L, 8 / 9.0L, 5 / 9.0L}};
    quaternion before[BL_BEAM_NODES], now[BL_BEAM_NODES];
    long double sum = 0;
    int degree = s->beam.degree;
    (void)random;
    for (int a = 0; a <= degree; a++) {
        double R[3][3];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                R[k][i] = s->node[a].axes[i][k];
        quaternion_of(R, before[a]);
        quaternion_of(s->turned[a], now[a]);
    }
    for (int p = 0; p < degree; p++) {
        long double xi = point[degree][p] * sqrtl(size[degree]), N[4], dN[4], d[3] = {0}, e[6], e0[6];
        double strain[BL_BEAM_STRAINS];
        basis(s, xi, N, dN);
        for (int a = 0; a <= degree; a++)
            for (int k = 0; k < 3; k++)
                d[k] += dN[a] * s->node[a].at[k];
        long double rate = sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        definition(s, s->x, now, xi, rate, e);
        definition(s, s->start, before, xi, rate, e0);
        bl_beam_strains(&s->e, p, s->x, strain);
        for (int i = 0; i < 6; i++) {
            sum += weight[degree][p] * rate * s->beam.stiffness[i] * (e[i] - e0[i]) * (e[i] - e0[i]) / 2;
            assert_near(strain[i], (double)(e[i] - e0[i]), 3e-11 * (1 + fabs(strain[i]))); /* of the differences: h^4 */
        }
    }
    double U = bl_beam_energy(&s->e, s->x);
    assert_true(U > 1e-3);
    assert_near(U, (double)sum, 1e-10 * (1 + U));
}

static void energy__is_that_of_the_definition(void **unused) {
    (void)unused;
    each(1, false, false, energy_is_written_out);
}

/* ---- derivatives */

typedef void (*function)(const sample *s, const double *x, const void *user, double *out);

/* at[j * n + i] = d out_j / dx_i, by differences over five points: an error of the order of h^4 */
static void assert_derivative(const sample *s, function f, const void *user, const double *x, int m, const double *at) {
    static const double offset[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1}, h = 5e-4;
    for (int i = 0; i < s->n; i++) {
        double slope[MOST] = {0}, largest = 0;
        for (int k = 0; k < 4; k++) {
            double moved[MOST], out[MOST];
            memcpy(moved, x, (size_t)s->n * sizeof *x);
            moved[i] += offset[k] * h;
            f(s, moved, user, out);
            for (int j = 0; j < m; j++)
                slope[j] += weight[k] * out[j] / (12 * h);
            largest = fmax(largest, test_largest(out, m));
        }
        for (int j = 0; j < m; j++)
            assert_near(at[j * s->n + i], slope[j], 1e-8 * (1 + largest));
    }
}

static void energy_of(const sample *s, const double *x, const void *user, double *out) {
    (void)user;
    *out = bl_beam_energy(&s->e, x);
}
static void force_of(const sample *s, const double *x, const void *v, double *out) { bl_beam_force(&s->e, x, v, out); }
static void force_of_rates(const sample *s, const double *v, const void *x, double *out) { bl_beam_force(&s->e, x, v, out); }

static void force_is_the_gradient(sample *s, test_random *random) {
    (void)random;
    double f[MOST];
    assert_true(bl_beam_force(&s->e, s->x, NULL, f) == 0);
    assert_derivative(s, energy_of, NULL, s->x, 1, f);
}

static void force__is_the_gradient_of_the_energy(void **unused) {
    (void)unused;
    each(2, false, false, force_is_the_gradient);
    each(2, true, false, force_is_the_gradient);
}

static void assert_symmetric(int n, const double *K) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            assert_near(K[i * n + j], K[j * n + i], 1e-13 * (1 + test_largest(K, n * n)));
}

static void tangents_are_derivatives(sample *s, test_random *random) {
    (void)random;
    static double K[MOST * MOST], C[MOST * MOST], alone[MOST * MOST];
    int n = s->n;
    bl_beam_tangent(&s->e, s->x, NULL, K, NULL);
    assert_derivative(s, force_of, NULL, s->x, n, K);
    assert_symmetric(n, K);
    bl_beam_tangent(&s->e, s->x, s->v, K, C);
    assert_derivative(s, force_of, s->v, s->x, n, K);
    assert_derivative(s, force_of_rates, s->x, s->v, n, C);
    bl_beam_tangent(&s->e, s->x, s->v, alone, NULL);
    assert_memory_equal(alone, K, (size_t)(n * n) * sizeof *K);
    assert_true((test_largest(C, n * n) == 0) == (s->beam.damping[1] == 0));
    assert_symmetric(n, C);
}

static void tangents__are_the_derivatives_of_the_force(void **unused) {
    (void)unused;
    each(3, false, false, tangents_are_derivatives);
    each(3, true, false, tangents_are_derivatives);
}

/* ---- rigid motions, and the order of the nodes */

/* x turned and moved */
static void move(const sample *s, const double R[3][3], const double shift[3], const double *x, double *to) {
    for (int i = 0; i < s->n; i += 3)
        for (int k = 0; k < 3; k++) {
            to[i + k] = i % NODE == 0 ? shift[k] : 0;
            for (int l = 0; l < 3; l++)
                to[i + k] += R[k][l] * x[i + l];
        }
}

/* Strains, and forces that turn with the beam, without resultant and moment: also of vectors that are not orthonormal. */
static void rigid_motions_change_nothing(sample *s, test_random *random) {
    double R[3][3], shift[3], moved[MOST], f[MOST], before[MOST], e0[BL_BEAM_STRAINS], e1[BL_BEAM_STRAINS], total[3] = {0}, moment[3] = {0};
    random_rotation(random, 4, R);
    test_random_vector(random, 3, 5, shift);
    move(s, R, shift, s->start, moved);
    bl_beam_force(&s->e, moved, NULL, f);
    assert_near(bl_beam_energy(&s->e, moved), 0, 1e-25);
    assert_near(test_largest(f, s->n), 0, 1e-12);
    bl_beam_force(&s->e, s->x, NULL, before);
    move(s, R, shift, s->x, moved);
    for (int p = 0; p < s->e.npoint; p++) {
        bl_beam_strains(&s->e, p, s->start, e0);
        for (int k = 0; k < 6; k++)
            assert_true(e0[k] == 0);
        bl_beam_strains(&s->e, p, s->x, e0);
        bl_beam_strains(&s->e, p, moved, e1);
        for (int k = 0; k < 6; k++)
            assert_near(e1[k], e0[k], 1e-13 * (1 + fabs(e0[k])));
    }
    bl_beam_force(&s->e, moved, NULL, f);
    double turned[MOST], size = 1 + test_largest(f, s->n);
    move(s, R, (const double[3]){0, 0, 0}, before, turned);
    for (int i = 0; i < s->n; i++)
        assert_near(f[i], turned[i], 1e-12 * size);
    for (int i = 0; i < s->n; i += 3) {
        double m[3];
        test_cross(moved + i, f + i, m);
        for (int k = 0; k < 3; k++) {
            total[k] += i % NODE == 0 ? f[i + k] : 0;
            moment[k] += m[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        assert_near(total[k], 0, 1e-13 * size);
        assert_near(moment[k], 0, 1e-12 * size);
    }
    for (int a = 0; a < s->e.nnode; a++) { /* the lengths of d2, d3 do not matter */
        const double *d2 = moved + NODE * a + 3, *d3 = d2 + 3, *f2 = f + NODE * a + 3, *f3 = f2 + 3;
        assert_near(test_dot(d2, f2), 0, 1e-13 * size);
        assert_near(test_dot(d3, f3), 0, 1e-13 * size);
    }
}

static void rigid_motions__cause_no_strain(void **unused) {
    (void)unused;
    each(4, false, false, rigid_motions_change_nothing);
}

static void order_does_not_matter(sample *s, test_random *random) {
    sample back = *s;
    int last = s->beam.degree;
    (void)random;
    for (int a = 0; a <= last; a++) {
        back.node[a] = s->node[last - a];
        memcpy(back.x + NODE * a, s->x + NODE * (last - a), NODE * sizeof *s->x);
    }
    make(&back);
    double f[MOST], other[MOST], U = bl_beam_energy(&s->e, s->x);
    assert_near(bl_beam_energy(&back.e, back.x), U, 1e-13 * (1 + U));
    bl_beam_force(&s->e, s->x, NULL, f);
    bl_beam_force(&back.e, back.x, NULL, other);
    for (int i = 0; i < s->n; i++)
        assert_near(other[(last - i / NODE) * NODE + i % NODE], f[i], 1e-12 * (1 + test_largest(f, s->n)));
}

static void order__of_the_nodes_does_not_matter(void **unused) {
    (void)unused;
    each(5, false, false, order_does_not_matter);
}

/* Displacements of the nodes as rigid frames, the first one clamped: all cost energy, so that rigid motions alone are free. */
static void frames_resist(sample *s, test_random *random) {
    (void)random;
    static double K[MOST * MOST];
    enum { FREE = 6 * (BL_BEAM_NODES - 1) };
    int n = 6 * s->beam.degree;
    double motion[FREE][MOST] = {{0}}, energy[FREE][FREE] = {{0}};
    for (int m = 0; m < n; m++) {
        double *to = motion[m] + NODE * (1 + m / 6), *at = s->start + NODE * (1 + m / 6), omega[3] = {0, 0, 0};
        omega[m % 3] = 1;
        if (m % 6 < 3)
            to[m % 3] = 1;
        else
            for (int i = 3; i < NODE; i += 3)
                test_cross(omega, at + i, to + i);
    }
    bl_beam_tangent(&s->e, s->start, NULL, K, NULL);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            for (int i = 0; i < s->n; i++)
                for (int j = 0; j < s->n; j++)
                    energy[r][c] += motion[r][i] * K[i * s->n + j] * motion[c][j];
    for (int i = 0; i < n; i++) { /* elimination of a positive definite matrix */
        assert_true(energy[i][i] > 1e-4);
        for (int r = i + 1; r < n; r++)
            for (int c = n - 1; c >= i; c--)
                energy[r][c] -= energy[r][i] / energy[i][i] * energy[i][c];
    }
}

static void rigid_motions__alone_are_free(void **unused) {
    (void)unused;
    each(6, false, true, frames_resist);
}

/* the viscous part of the force does the work that is reported as lost; none in a rigid motion */
static void viscosity_takes_power(sample *s, test_random *random) {
    double f[MOST], elastic[MOST], sum = 0, omega[3], shift[3];
    double lost = bl_beam_force(&s->e, s->x, s->v, f);
    bl_beam_force(&s->e, s->x, NULL, elastic);
    for (int i = 0; i < s->n; i++)
        sum += (f[i] - elastic[i]) * s->v[i];
    assert_true(lost > 0);
    assert_near(sum, lost, 1e-13 * (1 + test_largest(f, s->n)) * s->n);
    test_random_vector(random, 3, 2, omega);
    test_random_vector(random, 3, 2, shift);
    const double spin[3][3] = {{0, -omega[2], omega[1]}, {omega[2], 0, -omega[0]}, {-omega[1], omega[0], 0}};
    move(s, spin, shift, s->x, s->v);
    assert_near(bl_beam_force(&s->e, s->x, s->v, f), 0, 1e-24);
    for (int i = 0; i < s->n; i++)
        assert_near(f[i], elastic[i], 1e-12 * (1 + test_largest(elastic, s->n)));
}

static void viscosity__takes_the_power_reported(void **unused) {
    (void)unused;
    each(7, true, false, viscosity_takes_power);
}

/* ---- straight beams */

static double node_at(int degree, int a) {
    return degree < 3 || a == 0 || a == 3 ? (double)a / degree : 0.5 * (1 + (a == 1 ? -1 : 1) / sqrt(5));
}

/* along d1 of a random frame, from s = 0 to its length */
static void straight(sample *s, test_random *random, int degree, double length, double base[3][3]) {
    *s = (sample){.beam.degree = degree};
    random_numbers(s, random, false);
    random_rotation(random, 3, base);
    for (int a = 0; a <= degree; a++) {
        const double along[3] = {length * node_at(degree, a), 0, 0};
        double at[3];
        test_apply(base, along, at);
        set_node(&s->node[a], at, base);
    }
    make(s);
}

/* Elongation and shear at the same time, turned: by hand (1 + e) along d1 and g2, g3 across it. */
static void stretch_and_shear__are_those_of_the_line(void **unused) {
    (void)unused;
    test_random random = {test_seed(8)};
    for (int degree = 1; degree <= 3; degree++) {
        sample s;
        double base[3][3], now[3][3], shift[3], length = 0.5 + test_random_unit(&random), strain[BL_BEAM_STRAINS];
        const double slope[3] = {1 + 0.3 * test_random_symmetric(&random), 0.3, -0.2};
        straight(&s, &random, degree, length, base);
        random_rotation(&random, 3, now);
        test_random_vector(&random, 3, 5, shift);
        for (int a = 0; a <= degree; a++) {
            double local[3], at[3];
            for (int k = 0; k < 3; k++)
                local[k] = slope[k] * length * node_at(degree, a);
            test_apply(now, local, at);
            for (int k = 0; k < 3; k++)
                at[k] += shift[k];
            put(s.x + NODE * a, at, now);
        }
        for (int p = 0; p < s.e.npoint; p++) {
            bl_beam_strains(&s.e, p, s.x, strain);
            for (int k = 0; k < 6; k++)
                assert_near(strain[k], k < 3 ? slope[k] - (k == 0) : 0, 1e-13);
        }
    }
}

/* Sections that turn in proportion to the length about a direction fixed in them, in bending and torsion together: curvatures are exact,
 * here with up to 150 degrees between nodes. The line is a helix, P = int exp(s kappa) e1 ds. Of two nodes its chord in the axes of the
 * middle is e1, with the part across the direction times sin(theta/2)/(theta/2). */
static void curvatures__of_helices_are_exact(void **unused) {
    (void)unused;
    test_random random = {test_seed(9)};
    for (int degree = 1; degree <= 3; degree++)
        for (int n = 0; n < 2 * BEAMS; n++) {
            sample s;
            double base[3][3], axis[3], strain[BL_BEAM_STRAINS], length = 0.5 + test_random_unit(&random);
            straight(&s, &random, degree, length, base);
            test_random_direction(&random, 3, axis);
            if (n < 3)
                for (int k = 0; k < 3; k++)
                    axis[k] = k == n;
            double theta = 2.6 * (degree == 3 ? 1.8 : degree) * (n % 2 ? test_random_symmetric(&random) : 1), rate = theta / length;
            for (int a = 0; a <= degree; a++) {
                double turn[3][3], R[3][3], local[3], at[3], S = length * node_at(degree, a), across[3], twice[3];
                test_turn(axis, rate * S, turn);
                test_multiply(base, turn, R);
                test_cross(axis, (const double[3]){1, 0, 0}, across);
                test_cross(axis, across, twice);
                for (int k = 0; k < 3; k++)
                    local[k] = (k == 0) * S + (1 - cos(rate * S)) / rate * across[k] + (S - sin(rate * S) / rate) * twice[k];
                test_apply(base, local, at);
                put(s.x + NODE * a, at, R);
            }
            for (int p = 0; p < s.e.npoint; p++) {
                bl_beam_strains(&s.e, p, s.x, strain);
                for (int k = 0; k < 3; k++) {
                    double along = axis[0] * axis[k], chord = along + sin(theta / 2) / (theta / 2) * ((k == 0) - along);
                    assert_near(strain[3 + k], rate * axis[k], 1e-12 * fabs(rate));
                    if (degree == 1)
                        assert_near(strain[k], chord - (k == 0), 1e-13);
                }
            }
        }
}

/* Frames that move a little from a straight line have the same stiffness whatever is interpolated, and the same mass. */
static void small_displacements__are_those_of_directors(void **unused) {
    (void)unused;
    test_random random = {test_seed(10)};
    for (int degree = 1; degree <= 3; degree++)
        for (int n = 0; n < BEAMS; n++) {
            static double K[2][BL_BEAM_LOCAL * BL_BEAM_LOCAL];
            double base[3][3], v[6 * BL_BEAM_NODES], energy[2] = {0}, kinetic[2] = {0};
            sample s;
            straight(&s, &random, degree, 1, base);
            for (int i = 0; i < 6 * (degree + 1); i++)
                v[i] = test_random_symmetric(&random);
            for (int r = 0; r < 2; r++) {
                bl_beam_element e;
                double start[BL_BEAM_LOCAL], local[BL_BEAM_LOCAL];
                s.beam.rotations = r == 1;
                assert_int_equal(bl_beam_element_make(&s.beam, 3, 0, &e, start), BL_OK);
                bl_beam_tangent(&e, start, NULL, K[r], NULL);
                int node = 3 * e.nvector, size = bl_beam_local(&e);
                for (int i = 0; i < size; i += 3) /* rates of the vectors of a frame */
                    if (i % node == 0)
                        memcpy(local + i, v + 6 * (i / node), 3 * sizeof *v);
                    else
                        test_cross(v + 6 * (i / node) + 3, start + i, local + i);
                for (int i = 0; i < size; i++)
                    for (int j = 0; j < size; j++) {
                        energy[r] += local[i] * K[r][i * size + j] * local[j];
                        if (i % node == j % node)
                            kinetic[r] += e.inertia[i % node / 3] * e.mass[i / node][j / node] * local[i] * local[j];
                    }
            }
            assert_near(energy[1], energy[0], 1e-12 * energy[0]);
            assert_near(kinetic[1], kinetic[0], 1e-13 * kinetic[0]);
        }
}

/* Nodes in a plane, turned about its normal: the element of the plane with the same numbers. */
static void states_in_a_plane__are_those_of_plane_elements(void **unused) {
    (void)unused;
    static const int same[3] = {0, 1, 5};
    test_random random = {test_seed(11)};
    for (int degree = 1; degree <= 3; degree++)
        for (int n = 0; n < BEAMS; n++) {
            static const double normal[3] = {0, 0, 1};
            bl_beam_element flat;
            double angle, R[3][3], start[BL_BEAM_LOCAL], x[BL_BEAM_LOCAL], plane[3], space[BL_BEAM_STRAINS];
            sample s = {.beam.degree = degree};
            random_numbers(&s, &random, false);
            for (int now = 0; now < 2; now++)
                for (int a = 0; a <= degree; a++) {
                    double at[3] = {(double)a / degree, 0, 0}, off[3];
                    test_random_vector(&random, 2, now ? 0.5 : 0.1, off);
                    off[2] = 0;
                    for (int k = 0; k < 3; k++)
                        at[k] += off[k];
                    angle = (now ? 1.2 : 0.5) * test_random_symmetric(&random);
                    test_turn(normal, angle, R);
                    if (now) {
                        put(s.x + NODE * a, at, R);
                        memcpy(x + 4 * a, (const double[4]){at[0], at[1], cos(angle), sin(angle)}, 4 * sizeof *x);
                    } else {
                        set_node(&s.node[a], at, R);
                    }
                }
            make(&s);
            assert_int_equal(bl_beam_element_make(&s.beam, 2, 0, &flat, start), BL_OK);
            for (int p = 0; p < degree; p++) {
                bl_beam_strains(&flat, p, x, plane);
                bl_beam_strains(&s.e, p, s.x, space);
                for (int k = 0; k < 3; k++)
                    assert_near(space[same[k]], plane[k], 1e-13);
                for (int k = 2; k < 5; k++)
                    assert_near(space[k], 0, 1e-14);
            }
            assert_near(bl_beam_energy(&s.e, s.x), bl_beam_energy(&flat, x), 1e-13);
        }
}

/* Two nodes turned by nearly half a turn: refused from 170 degrees on, by energy and forces; before that both are those of the state. */
static void nodes__that_turn_too_far_are_refused(void **unused) {
    (void)unused;
    test_random random = {test_seed(12)};
    for (int degree = 1; degree <= 3; degree++) {
        sample s;
        double base[3][3], axis[3], f[MOST];
        straight(&s, &random, degree, 1, base);
        test_random_direction(&random, 3, axis);
        for (double degrees = 5; degrees < 180; degrees += 5) {
            for (int a = 0; a <= degree; a++) { /* the last node from the middle, of degree 1 from the first */
                double turn[3][3], R[3][3];
                test_turn(axis, a == degree ? degrees * acos(-1.0) / 180 : 0, turn);
                test_multiply(base, turn, R);
                put(s.x + NODE * a, s.node[a].at, R);
            }
            bool far = degrees > 169;
            assert_near(bl_beam_turn(&s.e, s.x) * 180 / acos(-1.0), degrees, 1e-9);
            assert_true((bool)isnan(bl_beam_energy(&s.e, s.x)) == far);
            assert_true((bool)isnan(bl_beam_force(&s.e, s.x, NULL, f)) == far);
            for (int i = 0; i < s.n; i++)
                assert_true(isfinite(f[i]));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy__is_that_of_the_definition),
        cmocka_unit_test(force__is_the_gradient_of_the_energy),
        cmocka_unit_test(tangents__are_the_derivatives_of_the_force),
        cmocka_unit_test(rigid_motions__cause_no_strain),
        cmocka_unit_test(order__of_the_nodes_does_not_matter),
        cmocka_unit_test(rigid_motions__alone_are_free),
        cmocka_unit_test(viscosity__takes_the_power_reported),
        cmocka_unit_test(stretch_and_shear__are_those_of_the_line),
        cmocka_unit_test(curvatures__of_helices_are_exact),
        cmocka_unit_test(small_displacements__are_those_of_directors),
        cmocka_unit_test(states_in_a_plane__are_those_of_plane_elements),
        cmocka_unit_test(nodes__that_turn_too_far_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
