/* Elements of beams by directors, of degrees 1 to 3 in the plane and in space: random curved and twisted ones against formulas written out
 * here and exact differences, straight ones in states known by hand. The energy is a polynomial of degree four, so differences over five
 * points are derivatives without an error of truncation, whatever their step. */
#include "support/handmade.h"
#include "support/materials.h"

#include "elastic/beam.h"

#include <math.h>
#include <string.h>

enum { BEAMS = 8 }; /* random ones of each kind */

typedef struct sample {
    bl_beam_def beam;
    bl_beam_node node[BL_BEAM_NODES];
    bl_beam_element e;
    int n;                                                           /* local values */
    double start[BL_BEAM_LOCAL], x[BL_BEAM_LOCAL], v[BL_BEAM_LOCAL]; /* model configuration; another one; velocities */
} sample;

static void make(sample *s, int dim) {
    s->beam.nelement = 1;
    s->beam.node = s->node;
    assert_int_equal(bl_beam_element_make(&s->beam, dim, 0, &s->e, s->start), BL_OK);
    s->n = bl_beam_local(&s->e);
    assert_int_equal(s->n, (s->beam.degree + 1) * (dim + 1) * dim);
}

static void random_numbers(sample *s, test_random *random, bool viscous) {
    for (int k = 0; k < 6; k++)
        s->beam.stiffness[k] = 0.5 + 2 * test_random_unit(random);
    for (int k = 0; k < 3; k++)
        s->beam.mass[k] = 0.5 + test_random_unit(random);
    s->beam.damping[1] = viscous ? 0.3 + test_random_unit(random) : 0;
}

static void set_node(bl_beam_node *node, const double at[3], const double R[3][3]) { /* columns of R: d1, d2, d3 */
    for (int k = 0; k < 3; k++) {
        node->at[k] = at[k];
        for (int i = 0; i < 3; i++)
            node->axes[i][k] = R[k][i];
    }
}

static void random_rotation(test_random *random, int dim, double angle, double R[3][3]) {
    double axis[3] = {0, 0, 1};
    if (dim == 3)
        test_random_direction(random, 3, axis);
    test_turn(axis, angle * test_random_symmetric(random), R);
}

/* length about 1; nodes off the line and off its middle, axes turned about all directions; x far from the model configuration */
static void random_sample(sample *s, test_random *random, int dim, int degree, bool viscous) {
    double base[3][3];
    *s = (sample){.beam.degree = degree};
    random_numbers(s, random, viscous);
    random_rotation(random, dim, 3, base);
    for (int a = 0; a <= degree; a++) {
        double turn[3][3], R[3][3], off[3], at[3];
        random_rotation(random, dim, 0.5, turn);
        test_multiply(base, turn, R);
        test_random_vector(random, dim, 0.3 / (degree + 1), off);
        off[0] += (double)a / degree;
        test_apply(base, off, at);
        set_node(&s->node[a], at, R);
    }
    make(s, dim);
    for (int i = 0; i < s->n; i++) {
        s->x[i] = s->start[i] + 0.4 * test_random_symmetric(random);
        s->v[i] = test_random_symmetric(random);
    }
}

/* body(s, random) for random beams of all kinds */
static void each(uint64_t seed, bool viscous, void (*body)(sample *s, test_random *random)) {
    test_random random = {test_seed(seed)};
    for (int dim = 2; dim <= 3; dim++)
        for (int degree = 1; degree <= 3; degree++)
            for (int n = 0; n < BEAMS; n++) {
                sample s;
                random_sample(&s, &random, dim, degree, viscous);
                body(&s, &random);
            }
}

static double *vector_at(const sample *s, double *x, int node, int vector) { return x + (node * (s->e.dim + 1) + vector) * s->e.dim; }

/* x of all vectors turned and moved */
static void move(const sample *s, const double R[3][3], const double shift[3], const double *x, double *to) {
    int dim = s->e.dim;
    for (int i = 0; i < s->n; i += dim)
        for (int k = 0; k < dim; k++) {
            to[i + k] = i / dim % (dim + 1) == 0 ? shift[k] : 0;
            for (int l = 0; l < dim; l++)
                to[i + k] += R[k][l] * x[i + l];
        }
}

/* sum of forces on positions, and of moments of the forces on all vectors */
static void resultant(const sample *s, double *x, double *f, double total[3], double moment[3]) {
    memset(total, 0, 3 * sizeof *total);
    memset(moment, 0, 3 * sizeof *moment);
    for (int a = 0; a < s->e.nnode; a++)
        for (int i = 0; i <= s->e.dim; i++) {
            double at[3] = {0}, force[3] = {0}, m[3];
            memcpy(at, vector_at(s, x, a, i), (size_t)s->e.dim * sizeof *at);
            memcpy(force, vector_at(s, f, a, i), (size_t)s->e.dim * sizeof *force);
            test_cross(at, force, m);
            for (int k = 0; k < 3; k++) {
                total[k] += i == 0 ? force[k] : 0;
                moment[k] += m[k];
            }
        }
}

/* ---- the definition written out: strains by cross products, in any parameter of the line, and long double */

static void basis(const sample *s, long double xi, long double *N, long double *dN) {
    int degree = s->beam.degree;
    long double at[4] = {0}, length = 0;
    for (int a = 1; a <= degree; a++) { /* nodes as far apart as their positions */
        const double *p = s->node[a - 1].at, *q = s->node[a].at;
        at[a] = length += sqrtl((q[0] - p[0]) * (q[0] - p[0]) + (q[1] - p[1]) * (q[1] - p[1]) + (q[2] - p[2]) * (q[2] - p[2]));
    }
    for (int a = 0; a <= degree; a++)
        at[a] = 2 * at[a] / length - 1;
    for (int a = 0; a <= degree; a++) {
        N[a] = 1;
        dN[a] = 0;
        for (int b = 0; b <= degree; b++) {
            if (b == a)
                continue;
            long double product = 1 / (at[a] - at[b]);
            N[a] *= (xi - at[b]) / (at[a] - at[b]);
            for (int c = 0; c <= degree; c++)
                if (c != a && c != b)
                    product *= (xi - at[c]) / (at[a] - at[c]);
            dN[a] += product;
        }
    }
}

static long double dot(const long double *a, const long double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Gamma and K in space, without those of the model configuration; rate: dS/dxi */
static void definition(const sample *s, const double *x, long double xi, long double rate, long double strain[6]) {
    long double y[4][3] = {{0}}, dy[4][3] = {{0}}, N[4], dN[4];
    int dim = s->e.dim;
    basis(s, xi, N, dN);
    for (int a = 0; a <= s->beam.degree; a++)
        for (int i = 0; i <= dim; i++)
            for (int k = 0; k < dim; k++) {
                y[i][k] += N[a] * x[(a * (dim + 1) + i) * dim + k];
                dy[i][k] += dN[a] / rate * x[(a * (dim + 1) + i) * dim + k];
            }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3; /* d_j' turns towards d_k */
        strain[i] = dot(y[1 + i], dy[0]);
        strain[3 + i] = (dot(y[1 + k], dy[1 + j]) - dot(y[1 + j], dy[1 + k])) / 2;
    }
}

static long double written_out(const sample *s, const double *x) {
    static const long double point[4][3] = {{0}, {0}, {-1, 1}, {-1, 0, 1}}, size[4] = {0, 0, 1.0L / 3, 3.0L / 5};
    static const long double weight[4][3] = {{0}, {2}, {1, 1}, {5 / 9.0L, 8 / 9.0L, 5 / 9.0L}};
    long double sum = 0;
    int degree = s->beam.degree, dim = s->e.dim;
    for (int p = 0; p < degree; p++) {
        long double xi = point[degree][p] * sqrtl(size[degree]), N[4], dN[4], d[3] = {0}, e[6], e0[6];
        basis(s, xi, N, dN);
        for (int a = 0; a <= degree; a++)
            for (int k = 0; k < dim; k++)
                d[k] += dN[a] * s->node[a].at[k];
        long double rate = sqrtl(dot(d, d));
        definition(s, x, xi, rate, e);
        definition(s, s->start, xi, rate, e0);
        for (int i = 0; i < 6; i++)
            if (dim == 3 || i < 2 || i == 5)
                sum += weight[degree][p] * rate * s->beam.stiffness[i] * (e[i] - e0[i]) * (e[i] - e0[i]) / 2;
    }
    return sum;
}

static void energy_is_written_out(sample *s, test_random *random) {
    (void)random;
    double U = bl_beam_energy(&s->e, s->x);
    assert_true(U > 1e-3);
    assert_near(U, (double)written_out(s, s->x), 1e-13 * (1 + U));
}

static void energy__is_that_of_the_definition(void **unused) {
    (void)unused;
    each(1, false, energy_is_written_out);
}

/* ---- derivatives */

typedef void (*function)(const sample *s, const double *x, void *user, double *out); /* of degree four at most in x */

/* Asserts that at[j * n + i] = d out_j / dx_i (rows j < m) by differences over five points, exact but for rounding. */
static void assert_derivative(const sample *s, function f, void *user, const double *x, int m, const double *at, double factor) {
    static const double offset[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    for (int i = 0; i < s->n; i++) {
        double slope[BL_BEAM_LOCAL] = {0}, largest = 0, h = 0.25;
        for (int k = 0; k < 4; k++) {
            double moved[BL_BEAM_LOCAL], out[BL_BEAM_LOCAL];
            memcpy(moved, x, (size_t)s->n * sizeof *x);
            moved[i] += offset[k] * h;
            f(s, moved, user, out);
            for (int j = 0; j < m; j++)
                slope[j] += weight[k] * out[j] / (12 * h);
            largest = fmax(largest, test_largest(out, m));
        }
        for (int j = 0; j < m; j++)
            assert_near(at[j * s->n + i], factor * slope[j], 2e-13 * (1 + largest));
    }
}

static void energy_of(const sample *s, const double *x, void *user, double *out) {
    (void)user;
    *out = bl_beam_energy(&s->e, x);
}
static void force_of(const sample *s, const double *x, void *v, double *out) { bl_beam_force(&s->e, x, v, out); }
static void force_of_rates(const sample *s, const double *v, void *x, double *out) { bl_beam_force(&s->e, x, v, out); }

static void force_is_the_gradient(sample *s, test_random *random) {
    (void)random;
    double f[BL_BEAM_LOCAL];
    assert_true(bl_beam_force(&s->e, s->x, NULL, f) == 0);
    assert_derivative(s, energy_of, NULL, s->x, 1, f, 1);
}

static void force__is_the_gradient_of_the_energy(void **unused) {
    (void)unused;
    each(2, false, force_is_the_gradient);
    each(2, true, force_is_the_gradient); /* without rates viscosity adds nothing */
}

static void tangents_are_derivatives(sample *s, test_random *random) {
    (void)random;
    static double K[BL_BEAM_LOCAL * BL_BEAM_LOCAL], C[BL_BEAM_LOCAL * BL_BEAM_LOCAL], alone[BL_BEAM_LOCAL * BL_BEAM_LOCAL];
    int n = s->n;
    bl_beam_tangent(&s->e, s->x, NULL, K, NULL);
    assert_derivative(s, force_of, NULL, s->x, n, K, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            assert_near(K[i * n + j], K[j * n + i], 1e-14 * test_largest(K, n * n));
    bl_beam_tangent(&s->e, s->x, s->v, K, C);
    assert_derivative(s, force_of, s->v, s->x, n, K, 1);
    assert_derivative(s, force_of_rates, s->x, s->v, n, C, 1);
    bl_beam_tangent(&s->e, s->x, s->v, alone, NULL);
    assert_memory_equal(alone, K, (size_t)(n * n) * sizeof *K);
    if (s->beam.damping[1] == 0)
        assert_true(test_largest(C, n * n) == 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            assert_near(C[i * n + j], C[j * n + i], 1e-14 * test_largest(C, n * n));
}

static void tangents__are_the_derivatives_of_the_force(void **unused) {
    (void)unused;
    each(3, false, tangents_are_derivatives);
    each(3, true, tangents_are_derivatives);
}

/* the viscous part of the force does the work that is reported as lost; none in a rigid motion */
static void viscosity_takes_power(sample *s, test_random *random) {
    double f[BL_BEAM_LOCAL], elastic[BL_BEAM_LOCAL], sum = 0, omega[3], shift[3];
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
    each(4, true, viscosity_takes_power);
}

/* ---- forces between two configurations */

typedef struct interval {
    const double *from;
    double chi;
} interval;

static void between_of(const sample *s, const double *x1, void *user, double *out) {
    const interval *at = user;
    bl_beam_between(&s->e, at->from, x1, at->chi, out, NULL);
}

static void work_is_exact(sample *s, test_random *random) {
    static double K[BL_BEAM_LOCAL * BL_BEAM_LOCAL];
    double x1[BL_BEAM_LOCAL], middle[BL_BEAM_LOCAL], f[BL_BEAM_LOCAL], again[BL_BEAM_LOCAL], total[3], moment[3];
    for (int i = 0; i < s->n; i++) {
        x1[i] = s->start[i] + 0.4 * test_random_symmetric(random);
        middle[i] = 0.5 * (s->x[i] + x1[i]);
    }
    double difference = bl_beam_energy(&s->e, x1) - bl_beam_energy(&s->e, s->x);
    for (int with = 0; with < 2; with++) {
        double work = 0, lost = 0;
        interval at = {s->x, with * test_random_unit(random)};
        bl_beam_between(&s->e, s->x, x1, at.chi, f, K);
        bl_beam_between(&s->e, s->x, x1, at.chi, again, NULL);
        assert_memory_equal(f, again, (size_t)s->n * sizeof *f);
        for (int i = 0; i < s->n; i++)
            work += (x1[i] - s->x[i]) * f[i];
        for (int p = 0; p < s->e.npoint; p++) {
            double e0[BL_BEAM_STRAINS], e1[BL_BEAM_STRAINS];
            bl_beam_strains(&s->e, p, s->x, e0);
            bl_beam_strains(&s->e, p, x1, e1);
            for (int k = 0; k < s->e.nstrain; k++)
                lost += 0.5 * at.chi * s->e.weight[p] * s->e.stiffness[k] * (e1[k] - e0[k]) * (e1[k] - e0[k]);
        }
        assert_true(with ? lost > 0 : lost == 0);
        assert_near(work, difference + lost, 1e-14 * s->n * (1 + test_largest(f, s->n)));
        assert_derivative(s, between_of, &at, x1, s->n, K, 2);
        resultant(s, middle, f, total, moment); /* neither linear nor angular momentum changes */
        for (int k = 0; k < 3; k++) {
            assert_near(total[k], 0, 1e-14 * s->n * test_largest(f, s->n));
            assert_near(moment[k], 0, 1e-14 * s->n * test_largest(f, s->n));
        }
    }
    bl_beam_between(&s->e, s->x, s->x, 0.7, f, K);
    bl_beam_force(&s->e, s->x, NULL, again);
    for (int i = 0; i < s->n; i++)
        assert_near(f[i], again[i], 1e-14 * (1 + test_largest(again, s->n)));
}

static void forces_between__do_exactly_the_work_of_the_energy(void **unused) {
    (void)unused;
    each(5, false, work_is_exact);
}

/* ---- power series */

/* The force is L x + C(x, x, x) with C symmetric and linear in each: both from forces at sums of the arguments. */
static void parts_of_force(const sample *s, const double *a, const double *b, const double *c, double *linear, double *cubic) {
    static const int sets[7][3] = {{1, 1, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memset(cubic, 0, (size_t)s->n * sizeof *cubic);
    for (int k = 0; k < 7; k++) {
        double x[BL_BEAM_LOCAL], f[BL_BEAM_LOCAL], f2[BL_BEAM_LOCAL];
        for (int i = 0; i < s->n; i++)
            x[i] = sets[k][0] * a[i] + sets[k][1] * b[i] + sets[k][2] * c[i];
        bl_beam_force(&s->e, x, NULL, f);
        for (int i = 0; i < s->n; i++)
            x[i] *= 2;
        bl_beam_force(&s->e, x, NULL, f2);
        for (int i = 0; i < s->n; i++) {
            double C = (f2[i] - 2 * f[i]) / 6;
            cubic[i] += (k == 0 || k > 3 ? C : -C) / 6;
            if (k == 4) /* of a */
                linear[i] = f[i] - C;
        }
    }
}

static void series_are_cauchy_products(sample *s, test_random *random) {
    enum { ORDER = 4 };
    double x[ORDER + 1][BL_BEAM_LOCAL], expected[ORDER + 1][BL_BEAM_LOCAL] = {{0}}, f[BL_BEAM_LOCAL];
    double room[BL_BEAM_POINTS * (ORDER + 1) * (6 * BL_BEAM_VECTORS + BL_BEAM_STRAINS)];
    assert_true(bl_beam_series_room(&s->e, ORDER) <= sizeof room / sizeof *room);
    for (int k = 0; k <= ORDER; k++)
        for (int i = 0; i < s->n; i++)
            x[k][i] = k == 0 ? s->x[i] : test_random_symmetric(random);
    for (int a = 0; a <= ORDER; a++)
        for (int b = 0; a + b <= ORDER; b++)
            for (int c = 0; a + b + c <= ORDER; c++) {
                double linear[BL_BEAM_LOCAL], cubic[BL_BEAM_LOCAL];
                parts_of_force(s, x[a], x[b], x[c], linear, cubic);
                for (int i = 0; i < s->n; i++)
                    expected[a + b + c][i] += cubic[i] + (b + c == 0 ? linear[i] : 0);
            }
    for (int k = 0; k <= ORDER; k++) {
        bl_beam_series_take(&s->e, ORDER, k, x[k], room);
        bl_beam_series_force(&s->e, ORDER, k, room, f);
        for (int i = 0; i < s->n; i++)
            assert_near(f[i], expected[k][i], 2e-13 * (100 + test_largest(expected[k], s->n)));
        if (k > 0)
            continue;
        double force[BL_BEAM_LOCAL];
        bl_beam_force(&s->e, s->x, NULL, force);
        for (int i = 0; i < s->n; i++)
            assert_near(f[i], force[i], 1e-13 * test_largest(force, s->n));
    }
}

static void series__are_those_of_the_force_on_a_polynomial_motion(void **unused) {
    (void)unused;
    each(6, false, series_are_cauchy_products);
}

/* Viscous forces are quadratic in positions and linear in rates: along polynomials of degree n their series ends with order 3 n. */
static void viscous_series_are_the_forces(sample *s, test_random *random) {
    enum { DEGREE = 2, ORDER = 3 * DEGREE };
    double x[ORDER + 1][BL_BEAM_LOCAL] = {{0}}, v[ORDER + 1][BL_BEAM_LOCAL] = {{0}}, f[ORDER + 1][BL_BEAM_LOCAL];
    double room[2 * BL_BEAM_POINTS * (ORDER + 1) * (6 * BL_BEAM_VECTORS + BL_BEAM_STRAINS)];
    assert_true(bl_beam_series_room(&s->e, ORDER) <= sizeof room / sizeof *room);
    for (int k = 0; k <= DEGREE; k++)
        for (int i = 0; i < s->n; i++) {
            x[k][i] = k == 0 ? s->x[i] : test_random_symmetric(random);
            v[k][i] = test_random_symmetric(random);
        }
    bl_beam_series_take(&s->e, ORDER, 0, x[0], room);
    for (int k = 0; k <= ORDER; k++) { /* positions one order ahead */
        if (k < ORDER)
            bl_beam_series_take(&s->e, ORDER, k + 1, x[k + 1], room);
        bl_beam_series_viscous(&s->e, ORDER, k, v[k], room, f[k]);
    }
    for (double t = -1; t <= 1; t += 0.5) {
        double at[BL_BEAM_LOCAL], rate[BL_BEAM_LOCAL], sum[BL_BEAM_LOCAL], with[BL_BEAM_LOCAL], without[BL_BEAM_LOCAL];
        for (int i = 0; i < s->n; i++) {
            at[i] = rate[i] = sum[i] = 0;
            for (int k = ORDER; k >= 0; k--) {
                at[i] = x[k][i] + t * at[i];
                rate[i] = v[k][i] + t * rate[i];
                sum[i] = f[k][i] + t * sum[i];
            }
        }
        bl_beam_force(&s->e, at, rate, with);
        bl_beam_force(&s->e, at, NULL, without);
        for (int i = 0; i < s->n; i++)
            assert_near(sum[i], with[i] - without[i], 2e-13 * (100 + test_largest(with, s->n) + test_largest(without, s->n)));
    }
}

static void viscous_series__are_those_of_the_force(void **unused) {
    (void)unused;
    each(7, true, viscous_series_are_the_forces);
}

/* ---- objectivity */

static void rigid_motions_change_nothing(sample *s, test_random *random) {
    double R[3][3], shift[3], moved[BL_BEAM_LOCAL], f[BL_BEAM_LOCAL], e0[BL_BEAM_STRAINS], e1[BL_BEAM_STRAINS], total[3], moment[3];
    random_rotation(random, s->e.dim, 3, R);
    test_random_vector(random, 3, 5, shift);
    move(s, R, shift, s->start, moved);
    bl_beam_force(&s->e, moved, NULL, f);
    assert_near(bl_beam_energy(&s->e, moved), 0, 1e-25);
    assert_near(test_largest(f, s->n), 0, 1e-12);
    for (int p = 0; p < s->e.npoint; p++) {
        bl_beam_strains(&s->e, p, s->start, e0);
        bl_beam_strains(&s->e, p, moved, e1);
        for (int k = 0; k < s->e.nstrain; k++) {
            assert_true(e0[k] == 0);
            assert_near(e1[k], 0, 1e-13);
        }
    }
    move(s, R, shift, s->x, moved);
    for (int p = 0; p < s->e.npoint; p++) {
        bl_beam_strains(&s->e, p, s->x, e0);
        bl_beam_strains(&s->e, p, moved, e1);
        for (int k = 0; k < s->e.nstrain; k++)
            assert_near(e1[k], e0[k], 1e-13);
    }
    bl_beam_force(&s->e, moved, NULL, f);
    resultant(s, moved, f, total, moment);
    for (int k = 0; k < 3; k++) {
        assert_near(total[k], 0, 1e-13 * (1 + test_largest(f, s->n)));
        assert_near(moment[k], 0, 1e-12 * (1 + test_largest(f, s->n)));
    }
}

static void rigid_motions__cause_no_strain(void **unused) {
    (void)unused;
    each(7, false, rigid_motions_change_nothing);
}

/* Displacements of the nodes as rigid frames, the first one clamped: all cost energy, so that rigid motions alone are free. */
static void frames_resist(sample *s, test_random *random) {
    (void)random;
    static double K[BL_BEAM_LOCAL * BL_BEAM_LOCAL];
    enum { MOST = 6 * (BL_BEAM_NODES - 1) };
    int dim = s->e.dim, each_frame = dim == 3 ? 6 : 3, n = each_frame * (s->e.nnode - 1);
    double motion[MOST][BL_BEAM_LOCAL] = {{0}}, energy[MOST][MOST] = {{0}};
    for (int m = 0; m < n; m++) {
        int a = 1 + m / each_frame, j = m % each_frame;
        double omega[3] = {0, 0, 0};
        omega[dim == 3 ? j % 3 : 2] = 1;
        for (int i = 0; i <= dim; i++) {
            double axis[3] = {0}, turned[3], *to = vector_at(s, motion[m], a, i);
            memcpy(axis, vector_at(s, s->start, a, i), (size_t)dim * sizeof *axis);
            test_cross(omega, axis, turned);
            for (int k = 0; k < dim; k++)
                to[k] = j < dim ? i == 0 && k == j : i > 0 ? turned[k] : 0;
        }
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
    each(15, false, frames_resist);
}

/* ---- straight beams in states known by hand */

/* Inner nodes of degree 3 where the derivative of the error of interpolation vanishes at the integration points (Gauss-Lobatto). */
static double node_at(int degree, int a) {
    return degree < 3 || a == 0 || a == 3 ? (double)a / degree : 0.5 * (1 + (a == 1 ? -1 : 1) / sqrt(5));
}

/* along d1 of a random frame, from s = 0 to its length */
static void straight(sample *s, test_random *random, int dim, int degree, double length, double base[3][3]) {
    *s = (sample){.beam.degree = degree};
    random_numbers(s, random, false);
    random_rotation(random, dim, 3, base);
    for (int a = 0; a <= degree; a++) {
        const double along[3] = {length * node_at(degree, a), 0, 0};
        double at[3];
        test_apply(base, along, at);
        set_node(&s->node[a], at, base);
    }
    if (length > 0)
        make(s, dim);
}

/* x: node a at `at` with the columns of R as directors, both in the axes of base */
static void put(sample *s, const double base[3][3], int a, const double at[3], const double R[3][3]) {
    double p[3], d[3][3];
    test_apply(base, at, p);
    test_multiply(base, R, d);
    for (int k = 0; k < s->e.dim; k++) {
        vector_at(s, s->x, a, 0)[k] = p[k];
        for (int i = 0; i < s->e.dim; i++)
            vector_at(s, s->x, a, 1 + i)[k] = d[k][i];
    }
}

static int plane_place(int dim, int strain) { return dim == 3 ? strain : strain < 2 ? strain : strain == 5 ? 2 : -1; }

static void stretch_and_shear__are_those_of_the_line(void **unused) {
    (void)unused;
    test_random random = {test_seed(8)};
    static const double one[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int dim = 2; dim <= 3; dim++)
        for (int degree = 1; degree <= 3; degree++)
            for (int along = 0; along < dim; along++) {
                sample s;
                double base[3][3], length = 0.5 + test_random_unit(&random), amount = test_random_symmetric(&random);
                double strain[BL_BEAM_STRAINS], f[BL_BEAM_LOCAL];
                straight(&s, &random, dim, degree, length, base);
                for (int a = 0; a <= degree; a++) {
                    double at[3] = {length * node_at(degree, a), 0, 0};
                    at[along] += amount * length * node_at(degree, a);
                    put(&s, base, a, at, one);
                }
                for (int p = 0; p < s.e.npoint; p++) {
                    bl_beam_strains(&s.e, p, s.x, strain);
                    for (int k = 0; k < s.e.nstrain; k++)
                        assert_near(strain[k], k == along ? amount : 0, 1e-13);
                }
                assert_near(bl_beam_energy(&s.e, s.x), 0.5 * s.beam.stiffness[along] * amount * amount * length, 1e-13);
                bl_beam_force(&s.e, s.x, NULL, f); /* the section force pulls at the ends along d_along */
                for (int k = 0; k < dim; k++) {
                    assert_near(vector_at(&s, f, degree, 0)[k], s.beam.stiffness[along] * amount * base[k][along], 1e-12);
                    assert_near(vector_at(&s, f, 0, 0)[k], -s.beam.stiffness[along] * amount * base[k][along], 1e-12);
                }
            }
}

/* the line and its sections turned by kappa s about d_axis: a helix without rise about d1, else a circle */
static double constant_curvature(sample *s, const double base[3][3], int axis, double length, double kappa, double *strain) {
    double worst = 0, u[3] = {0, 0, 0};
    int dim = s->e.dim, degree = s->beam.degree, next = plane_place(dim, 3 + axis);
    u[axis] = 1;
    for (int a = 0; a <= degree; a++) {
        double S = length * node_at(degree, a), R[3][3], at[3] = {S, 0, 0};
        if (axis > 0) { /* d1 = cos e1 + sin e2 about e3; cos e1 - sin e3 about e2 */
            at[0] = sin(kappa * S) / kappa;
            at[axis == 2 ? 1 : 2] = (axis == 2 ? 1 : -1) * (1 - cos(kappa * S)) / kappa;
        }
        test_turn(u, kappa * S, R);
        put(s, base, a, at, R);
    }
    for (int p = 0; p < s->e.npoint; p++) {
        double at[BL_BEAM_STRAINS];
        bl_beam_strains(&s->e, p, s->x, at);
        for (int k = 0; k < s->e.nstrain; k++)
            worst = fmax(worst, fabs(at[k] - (k == next ? kappa : 0)));
        if (p == 0)
            memcpy(strain, at, sizeof at);
    }
    return worst;
}

/* Degree 1 by hand: the mean of two directors that differ by theta, times their difference, is sin(theta) about the axis. The chord of an
 * arc is 2 sin(theta/2) / kappa long and in the direction of the mean of d1, whose length is cos(theta/2). */
static void curvature__of_two_nodes_is_the_sine_of_their_angle(void **unused) {
    (void)unused;
    test_random random = {test_seed(9)};
    for (int dim = 2; dim <= 3; dim++)
        for (int axis = dim == 3 ? 0 : 2; axis < 3; axis++) {
            sample s;
            double base[3][3], strain[BL_BEAM_STRAINS], length = 0.5 + test_random_unit(&random), theta = test_random_symmetric(&random);
            straight(&s, &random, dim, 1, length, base);
            constant_curvature(&s, base, axis, length, theta / length, strain);
            for (int k = 0; k < s.e.nstrain; k++) {
                double stretch = axis == 0 ? 0 : sin(theta) / theta - 1; /* d1 does not turn in torsion */
                assert_near(strain[k], k == 0 ? stretch : k == plane_place(dim, 3 + axis) ? sin(theta) / length : 0, 1e-13);
            }
        }
}

/* Torsion and bending about each axis: all strains converge to those of the state, with an order more than derivatives of the
 * interpolation elsewhere. */
static void curvatures__converge_with_the_degree(void **unused) {
    (void)unused;
    test_random random = {test_seed(10)};
    for (int dim = 2; dim <= 3; dim++)
        for (int degree = 1; degree <= 3; degree++)
            for (int axis = dim == 3 ? 0 : 2; axis < 3; axis++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    sample s;
                    double base[3][3], strain[BL_BEAM_STRAINS], error[2];
                    for (int half = 0; half < 2; half++) {
                        double length = 0.5 / (1 + half);
                        straight(&s, &random, dim, degree, length, base);
                        error[half] = constant_curvature(&s, base, axis, length, sign, strain);
                    }
                    double ratio = error[0] / error[1];
                    assert_true(error[0] < pow(0.5, degree + 1));
                    assert_true(log2(ratio) > degree + 1 - 0.1);
                }
}

/* Linear bending of a straight beam, the line of degree + 1 and the sections of the degree: no shear where the strains are taken, or the
 * beam would be as stiff as in shear. */
static void bending__of_slender_beams_is_free_of_shear(void **unused) {
    (void)unused;
    static double K[BL_BEAM_LOCAL * BL_BEAM_LOCAL];
    test_random random = {test_seed(11)};
    for (int dim = 2; dim <= 3; dim++)
        for (int degree = 1; degree <= 3; degree++)
            for (int power = 1; power <= degree; power++) {
                sample s;
                double base[3][3], v[BL_BEAM_LOCAL] = {0}, length = 0.01, energy = 0;
                straight(&s, &random, dim, degree, length, base);
                for (int a = 0; a <= degree; a++) { /* turned by S^power about d3 */
                    double S = length * node_at(degree, a), turn = pow(S, power), w = pow(S, power + 1) / (power + 1);
                    for (int k = 0; k < dim; k++) {
                        vector_at(&s, v, a, 0)[k] = w * base[k][1];
                        vector_at(&s, v, a, 1)[k] = turn * base[k][1];
                        vector_at(&s, v, a, 2)[k] = -turn * base[k][0];
                    }
                }
                bl_beam_tangent(&s.e, s.start, NULL, K, NULL);
                for (int i = 0; i < s.n; i++)
                    for (int j = 0; j < s.n; j++)
                        energy += 0.5 * v[i] * K[i * s.n + j] * v[j];
                double kappa_squared = power * power * pow(length, 2 * power - 1) / (2 * power - 1);
                assert_near(energy / (0.5 * s.beam.stiffness[5] * kappa_squared), 1, 1e-9);
            }
}

/* ---- mass */

static double twice_kinetic(const sample *s, const double *v) {
    double sum = 0;
    for (int a = 0; a < s->e.nnode; a++)
        for (int b = 0; b < s->e.nnode; b++)
            for (int i = 0; i <= s->e.dim; i++)
                for (int k = 0; k < s->e.dim; k++)
                    sum += s->e.inertia[i] * s->e.mass[a][b] * v[(a * (s->e.dim + 1) + i) * s->e.dim + k] *
                           v[(b * (s->e.dim + 1) + i) * s->e.dim + k];
    return sum;
}

static void mass__is_that_of_a_rigid_bar(void **unused) {
    (void)unused;
    test_random random = {test_seed(12)};
    for (int dim = 2; dim <= 3; dim++)
        for (int degree = 1; degree <= 3; degree++)
            for (int axis = dim == 3 ? 0 : 2; axis < 3; axis++) {
                sample s;
                double base[3][3], length = 0.5 + test_random_unit(&random), v[BL_BEAM_LOCAL], speed[3], center[3], omega[3];
                straight(&s, &random, dim, degree, length, base);
                if (dim == 2)
                    s.e.inertia[3] = NAN; /* not read */
                assert_near(s.e.length, length, 1e-14);
                static const double none[3][3] = {{0}};
                test_random_vector(&random, dim, 1, speed);
                move(&s, none, speed, s.start, v);
                assert_near(twice_kinetic(&s, v), s.beam.mass[0] * length * test_dot(speed, speed), 1e-13);
                /* about d_axis through its center; y2 and y3 both turn about d1, in the plane only y2 has inertia */
                for (int k = 0; k < 3; k++) {
                    omega[k] = base[k][axis];
                    center[k] = 0.5 * length * base[k][0];
                }
                const double spin[3][3] = {{0, -omega[2], omega[1]}, {omega[2], 0, -omega[0]}, {-omega[1], omega[0], 0}};
                test_cross(center, omega, speed); /* -omega x center */
                move(&s, spin, speed, s.start, v);
                double second = axis == 0 ? s.beam.mass[1] + s.beam.mass[2] : axis == 1 ? s.beam.mass[2] : s.beam.mass[1];
                double inertia = second * length + (axis == 0 ? 0 : s.beam.mass[0] * pow(length, 3) / 12);
                assert_near(twice_kinetic(&s, v), inertia, 1e-13);
            }
}

static void mass_sums_to_the_length(sample *s, test_random *random) {
    (void)random;
    double sum = 0, weights = 0;
    for (int a = 0; a < s->e.nnode; a++)
        for (int b = 0; b < s->e.nnode; b++) {
            sum += s->e.mass[a][b];
            assert_near(s->e.mass[a][b], s->e.mass[b][a], 1e-15);
        }
    assert_near(sum, s->e.length, 1e-14);
    for (int p = 0; p < s->e.npoint; p++)
        weights += s->e.weight[p];
    assert_near(weights, s->e.length, 0.05 * s->e.length); /* of curved lines by one point less */
}

static void masses__of_curved_beams_sum_to_their_length(void **unused) {
    (void)unused;
    each(13, false, mass_sums_to_the_length);
}

static void elements_without_length__are_refused(void **unused) {
    (void)unused;
    test_random random = {test_seed(14)};
    for (int dim = 2; dim <= 3; dim++)
        for (int degree = 1; degree <= 3; degree++) {
            sample s;
            double base[3][3];
            straight(&s, &random, dim, degree, 0, base);
            s.beam.nelement = 1;
            s.beam.node = s.node;
            assert_int_equal(bl_beam_element_make(&s.beam, dim, 0, &s.e, s.start), BL_E_MODEL);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy__is_that_of_the_definition),
        cmocka_unit_test(force__is_the_gradient_of_the_energy),
        cmocka_unit_test(tangents__are_the_derivatives_of_the_force),
        cmocka_unit_test(viscosity__takes_the_power_reported),
        cmocka_unit_test(forces_between__do_exactly_the_work_of_the_energy),
        cmocka_unit_test(series__are_those_of_the_force_on_a_polynomial_motion),
        cmocka_unit_test(viscous_series__are_those_of_the_force),
        cmocka_unit_test(rigid_motions__cause_no_strain),
        cmocka_unit_test(rigid_motions__alone_are_free),
        cmocka_unit_test(stretch_and_shear__are_those_of_the_line),
        cmocka_unit_test(curvature__of_two_nodes_is_the_sine_of_their_angle),
        cmocka_unit_test(curvatures__converge_with_the_degree),
        cmocka_unit_test(bending__of_slender_beams_is_free_of_shear),
        cmocka_unit_test(mass__is_that_of_a_rigid_bar),
        cmocka_unit_test(masses__of_curved_beams_sum_to_their_length),
        cmocka_unit_test(elements_without_length__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
