/* Elements of plane beams that interpolate the angle of d1, of degrees 1 to 3: against the definition written out in angles, differences,
 * states known by hand, and elements that interpolate directors, which agree with them for small displacements. */
#include "support/handmade.h"
#include "support/materials.h"

#include "elastic/beam.h"

#include <math.h>
#include <string.h>

enum { BEAMS = 8, MOST = 4 * BL_BEAM_NODES };

typedef struct sample {
    bl_beam_def beam;
    bl_beam_node node[BL_BEAM_NODES];
    bl_beam_element e;
    int n;                                              /* local values */
    double angle[BL_BEAM_NODES], turned[BL_BEAM_NODES]; /* of d1, in the model configuration and in x */
    double start[MOST], x[MOST], v[MOST];
} sample;

static void set_node(sample *s, int a, double px, double py, double angle) {
    s->angle[a] = angle;
    s->node[a] = (bl_beam_node){.at = {px, py}, .axes = {{cos(angle), sin(angle)}, {-sin(angle), cos(angle)}, {0, 0, 1}}};
}

static void make(sample *s) {
    double x[BL_BEAM_LOCAL];
    s->beam.nelement = 1;
    s->beam.node = s->node;
    s->beam.rotations = true;
    assert_int_equal(bl_beam_element_make(&s->beam, 2, 0, &s->e, x), BL_OK);
    s->n = bl_beam_local(&s->e);
    assert_int_equal(s->n, 4 * (s->beam.degree + 1));
    memcpy(s->start, x, (size_t)s->n * sizeof *x);
}

static void random_numbers(sample *s, test_random *random, bool viscous) {
    static const int strain[3] = {0, 1, 5};
    for (int k = 0; k < 3; k++)
        s->beam.stiffness[strain[k]] = 0.5 + 2 * test_random_unit(random);
    for (int k = 0; k < 3; k++)
        s->beam.mass[k] = 0.5 + test_random_unit(random);
    s->beam.damping[1] = viscous ? 0.3 + test_random_unit(random) : 0;
}

/* length about 1, curved; x far from the model configuration and with a d1 that is no unit vector */
static void random_sample(sample *s, test_random *random, int degree, bool viscous) {
    double base = 3 * test_random_symmetric(random);
    *s = (sample){.beam.degree = degree};
    random_numbers(s, random, viscous);
    for (int a = 0; a <= degree; a++) {
        double along = (double)a / degree + 0.1 * test_random_symmetric(random), across = 0.1 * test_random_symmetric(random);
        set_node(s, a, along * cos(base) - across * sin(base), along * sin(base) + across * cos(base),
                 base + 0.5 * test_random_symmetric(random));
    }
    make(s);
    double all = 3 * test_random_symmetric(random);
    for (int a = 0; a <= degree; a++) {
        double size = 1 + 0.3 * test_random_symmetric(random), *x = s->x + 4 * a;
        s->turned[a] = all + 0.8 * test_random_symmetric(random);
        x[0] = s->node[a].at[0] + 0.4 * test_random_symmetric(random);
        x[1] = s->node[a].at[1] + 0.4 * test_random_symmetric(random);
        x[2] = size * cos(s->turned[a]);
        x[3] = size * sin(s->turned[a]);
    }
    for (int i = 0; i < s->n; i++)
        s->v[i] = test_random_symmetric(random);
}

static void each(uint64_t seed, bool viscous, void (*body)(sample *s, test_random *random)) {
    test_random random = {test_seed(seed)};
    for (int degree = 1; degree <= 3; degree++)
        for (int n = 0; n < BEAMS; n++) {
            sample s;
            random_sample(&s, &random, degree, viscous);
            body(&s, &random);
        }
}

/* ---- the definition written out in angles, long double */

static void basis(const sample *s, long double xi, long double *N, long double *dN) {
    long double at[4] = {0};
    int degree = s->beam.degree;
    for (int a = 1; a <= degree; a++) /* nodes as far apart as their positions */
        at[a] = at[a - 1] + hypotl(s->node[a].at[0] - s->node[a - 1].at[0], s->node[a].at[1] - s->node[a - 1].at[1]);
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

/* strains without those of the model configuration, with angles of d1 */
static void definition(const sample *s, const double *x, const double *angle, long double xi, long double rate, long double strain[3]) {
    long double N[4], dN[4], theta = 0, slope[2] = {0};
    basis(s, xi, N, dN);
    strain[2] = 0;
    for (int a = 0; a <= s->beam.degree; a++) {
        theta += N[a] * angle[a];
        strain[2] += dN[a] / rate * angle[a];
        for (int k = 0; k < 2; k++)
            slope[k] += dN[a] / rate * x[4 * a + k];
    }
    strain[0] = cosl(theta) * slope[0] + sinl(theta) * slope[1];
    strain[1] = cosl(theta) * slope[1] - sinl(theta) * slope[0];
}

static void energy_is_written_out(sample *s, test_random *random) {
    static const long double point[4][3] = {{0}, {0}, {-1, 1}, {-1, 0, 1}}, size[4] = {0, 0, 1.0L / 3, 3.0L / 5};
    static const long double weight[4][3] = {{0}, {2}, {1, 1}, {5 / 9.0L, 8 / 9.0L, 5 / 9.0L}};
    static const int stiffness[3] = {0, 1, 5};
    long double sum = 0;
    int degree = s->beam.degree;
    (void)random;
    for (int p = 0; p < degree; p++) {
        long double xi = point[degree][p] * sqrtl(size[degree]), N[4], dN[4], d[2] = {0}, e[3], e0[3];
        double strain[BL_BEAM_STRAINS];
        basis(s, xi, N, dN);
        for (int a = 0; a <= degree; a++)
            for (int k = 0; k < 2; k++)
                d[k] += dN[a] * s->node[a].at[k];
        long double rate = hypotl(d[0], d[1]);
        definition(s, s->x, s->turned, xi, rate, e);
        definition(s, s->start, s->angle, xi, rate, e0);
        bl_beam_strains(&s->e, p, s->x, strain);
        for (int i = 0; i < 3; i++) {
            sum += weight[degree][p] * rate * s->beam.stiffness[stiffness[i]] * (e[i] - e0[i]) * (e[i] - e0[i]) / 2;
            assert_near(strain[i], (double)(e[i] - e0[i]), 1e-13 * (1 + fabs(strain[i])));
        }
    }
    double U = bl_beam_energy(&s->e, s->x);
    assert_true(U > 1e-3);
    assert_near(U, (double)sum, 1e-13 * (1 + U));
}

static void energy__is_that_of_the_definition(void **unused) {
    (void)unused;
    each(1, false, energy_is_written_out);
}

/* ---- derivatives */

typedef void (*function)(const sample *s, const double *x, const void *user, double *out);

/* at[j * n + i] = d out_j / dx_i, by differences over five points: an error of the order of h^4 */
static void assert_derivative(const sample *s, function f, const void *user, const double *x, int m, const double *at) {
    static const double offset[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1}, h = 1e-3;
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
            assert_near(at[j * s->n + i], slope[j], 1e-9 * (1 + largest));
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
    each(2, false, force_is_the_gradient);
    each(2, true, force_is_the_gradient);
}

static void tangents_are_derivatives(sample *s, test_random *random) {
    (void)random;
    double K[MOST * MOST], C[MOST * MOST], alone[MOST * MOST];
    int n = s->n;
    bl_beam_tangent(&s->e, s->x, NULL, K, NULL);
    assert_derivative(s, force_of, NULL, s->x, n, K);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            assert_near(K[i * n + j], K[j * n + i], 1e-14 * test_largest(K, n * n));
    bl_beam_tangent(&s->e, s->x, s->v, K, C);
    assert_derivative(s, force_of, s->v, s->x, n, K);
    assert_derivative(s, force_of_rates, s->x, s->v, n, C);
    bl_beam_tangent(&s->e, s->x, s->v, alone, NULL);
    assert_memory_equal(alone, K, (size_t)(n * n) * sizeof *K);
    assert_true((test_largest(C, n * n) == 0) == (s->beam.damping[1] == 0));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            assert_near(C[i * n + j], C[j * n + i], 1e-14 * test_largest(C, n * n));
}

static void tangents__are_the_derivatives_of_the_force(void **unused) {
    (void)unused;
    each(3, false, tangents_are_derivatives);
    each(3, true, tangents_are_derivatives);
}

/* ---- rigid motions */

/* x turned and moved */
static void move(const sample *s, double angle, const double shift[2], const double *x, double *to) {
    double c = cos(angle), d = sin(angle);
    for (int i = 0; i < s->n; i += 2) {
        to[i] = c * x[i] - d * x[i + 1] + (i % 4 == 0 ? shift[0] : 0);
        to[i + 1] = d * x[i] + c * x[i + 1] + (i % 4 == 0 ? shift[1] : 0);
    }
}

static void rigid_motions_change_nothing(sample *s, test_random *random) {
    double moved[MOST], f[MOST], e0[BL_BEAM_STRAINS], e1[BL_BEAM_STRAINS], total[2] = {0}, moment = 0;
    double shift[2] = {5 * test_random_symmetric(random), 5 * test_random_symmetric(random)}, angle = 4 * test_random_symmetric(random);
    move(s, angle, shift, s->start, moved);
    bl_beam_force(&s->e, moved, NULL, f);
    assert_near(bl_beam_energy(&s->e, moved), 0, 1e-25);
    assert_near(test_largest(f, s->n), 0, 1e-12);
    move(s, angle, shift, s->x, moved);
    for (int p = 0; p < s->e.npoint; p++) {
        bl_beam_strains(&s->e, p, s->start, e0);
        for (int k = 0; k < 3; k++)
            assert_true(e0[k] == 0);
        bl_beam_strains(&s->e, p, s->x, e0);
        bl_beam_strains(&s->e, p, moved, e1);
        for (int k = 0; k < 3; k++)
            assert_near(e1[k], e0[k], 1e-13);
    }
    bl_beam_force(&s->e, moved, NULL, f);
    for (int i = 0; i < s->n; i += 2) { /* of positions; moments of the forces on all vectors */
        total[0] += i % 4 == 0 ? f[i] : 0;
        total[1] += i % 4 == 0 ? f[i + 1] : 0;
        moment += moved[i] * f[i + 1] - moved[i + 1] * f[i];
    }
    double size = 1 + test_largest(f, s->n);
    assert_near(total[0], 0, 1e-13 * size);
    assert_near(total[1], 0, 1e-13 * size);
    assert_near(moment, 0, 1e-12 * size);
    for (int a = 0; a < s->e.nnode; a++) /* d1 is only turned */
        assert_near(moved[4 * a + 2] * f[4 * a + 2] + moved[4 * a + 3] * f[4 * a + 3], 0, 1e-14 * size);
}

static void rigid_motions__cause_no_strain(void **unused) {
    (void)unused;
    each(4, false, rigid_motions_change_nothing);
}

/* the viscous part of the force does the work that is reported as lost; none in a rigid motion */
static void viscosity_takes_power(sample *s, test_random *random) {
    double f[MOST], elastic[MOST], sum = 0, omega = test_random_symmetric(random);
    double lost = bl_beam_force(&s->e, s->x, s->v, f);
    bl_beam_force(&s->e, s->x, NULL, elastic);
    for (int i = 0; i < s->n; i++)
        sum += (f[i] - elastic[i]) * s->v[i];
    assert_true(lost > 0);
    assert_near(sum, lost, 1e-13 * (1 + test_largest(f, s->n)) * s->n);
    for (int i = 0; i < s->n; i += 2) {
        s->v[i] = -omega * s->x[i + 1] + (i % 4 == 0 ? 2 : 0);
        s->v[i + 1] = omega * s->x[i] - (i % 4 == 0 ? 3 : 0);
    }
    assert_near(bl_beam_force(&s->e, s->x, s->v, f), 0, 1e-24);
    for (int i = 0; i < s->n; i++)
        assert_near(f[i], elastic[i], 1e-12 * (1 + test_largest(elastic, s->n)));
}

static void viscosity__takes_the_power_reported(void **unused) {
    (void)unused;
    each(5, true, viscosity_takes_power);
}

/* ---- straight beams */

static double node_at(int degree, int a) {
    return degree < 3 || a == 0 || a == 3 ? (double)a / degree : 0.5 * (1 + (a == 1 ? -1 : 1) / sqrt(5));
}

static void straight(sample *s, test_random *random, int degree, double length, double base) {
    *s = (sample){.beam.degree = degree};
    random_numbers(s, random, false);
    for (int a = 0; a <= degree; a++)
        set_node(s, a, length * node_at(degree, a) * cos(base), length * node_at(degree, a) * sin(base), base);
    make(s);
}

static void put(sample *s, int a, double px, double py, double angle) {
    memcpy(s->x + 4 * a, (double[4]){px, py, cos(angle), sin(angle)}, 4 * sizeof *s->x);
}

/* Elongation and shear at the same time, turned: by hand (1 + e) along d1 and g across it. */
static void stretch_and_shear__are_those_of_the_line(void **unused) {
    (void)unused;
    test_random random = {test_seed(6)};
    for (int degree = 1; degree <= 3; degree++) {
        sample s;
        double length = 0.5 + test_random_unit(&random), stretch = 0.3 * test_random_symmetric(&random), shear = 0.3, turn = 2.5, energy;
        double strain[BL_BEAM_STRAINS];
        straight(&s, &random, degree, length, 1);
        for (int a = 0; a <= degree; a++) {
            double S = length * node_at(degree, a), u = (1 + stretch) * S, w = shear * S;
            put(&s, a, 7 + u * cos(turn) - w * sin(turn), u * sin(turn) + w * cos(turn), turn);
        }
        for (int p = 0; p < s.e.npoint; p++) {
            bl_beam_strains(&s.e, p, s.x, strain);
            assert_near(strain[0], stretch, 1e-13);
            assert_near(strain[1], shear, 1e-13);
            assert_near(strain[2], 0, 1e-13);
        }
        energy = 0.5 * length * (s.beam.stiffness[0] * stretch * stretch + s.beam.stiffness[1] * shear * shear);
        assert_near(bl_beam_energy(&s.e, s.x), energy, 1e-13);
    }
}

/* Sections that turn in proportion to the length have exactly this curvature, by up to nearly half a turn from node to node. The chord
 * of two nodes on a circle is 2 sin(theta/2)/kappa long and in the direction of the mean of their angles. */
static void curvature__of_a_circle_is_exact(void **unused) {
    (void)unused;
    test_random random = {test_seed(7)};
    for (int degree = 1; degree <= 3; degree++)
        for (int sign = -1; sign <= 1; sign += 2) {
            sample s;
            double length = 0.5 + test_random_unit(&random), kappa = sign * 3.1 * degree / (degree < 3 ? 1 : 1.35) / length, base = 2;
            double strain[BL_BEAM_STRAINS];
            straight(&s, &random, degree, length, base);
            for (int a = 0; a <= degree; a++) {
                double turn = base + kappa * length * node_at(degree, a);
                put(&s, a, sin(turn) / kappa, -cos(turn) / kappa, turn);
            }
            for (int p = 0; p < s.e.npoint; p++) {
                bl_beam_strains(&s.e, p, s.x, strain);
                assert_near(strain[2], kappa, 1e-12 * fabs(kappa));
                if (degree == 1) {
                    assert_near(strain[0], 2 * sin(kappa * length / 2) / (kappa * length) - 1, 1e-13);
                    assert_near(strain[1], 0, 1e-13);
                }
            }
        }
}

/* Frames that move a little from a straight line have the same stiffness whatever is interpolated, and the same mass. */
static void small_displacements__are_those_of_directors(void **unused) {
    (void)unused;
    test_random random = {test_seed(8)};
    for (int degree = 1; degree <= 3; degree++)
        for (int n = 0; n < BEAMS; n++) {
            double K[2][BL_BEAM_LOCAL * BL_BEAM_LOCAL], start[BL_BEAM_LOCAL], energy[2] = {0}, kinetic[2] = {0};
            bl_beam_element e[2];
            sample s;
            straight(&s, &random, degree, 1, 0.3);
            double v[3 * BL_BEAM_NODES];
            for (int i = 0; i < 3 * (degree + 1); i++)
                v[i] = test_random_symmetric(&random);
            for (int r = 0; r < 2; r++) {
                double local[BL_BEAM_LOCAL];
                s.beam.rotations = r == 1;
                assert_int_equal(bl_beam_element_make(&s.beam, 2, 0, &e[r], start), BL_OK);
                bl_beam_tangent(&e[r], start, NULL, K[r], NULL);
                int node = 2 * e[r].nvector, size = bl_beam_local(&e[r]);
                for (int i = 0; i < size; i++) { /* rates of the vectors of a frame */
                    int a = i / node, k = i % node;
                    const double *d = start + a * node + k / 2 * 2;
                    local[i] = k < 2 ? v[3 * a + k] : v[3 * a + 2] * (k % 2 ? d[0] : -d[1]);
                }
                for (int i = 0; i < size; i++)
                    for (int j = 0; j < size; j++) {
                        energy[r] += local[i] * K[r][i * size + j] * local[j];
                        if (i % node == j % node)
                            kinetic[r] += e[r].inertia[i % node / 2] * e[r].mass[i / node][j / node] * local[i] * local[j];
                    }
            }
            assert_near(energy[1], energy[0], 1e-12 * energy[0]);
            assert_near(kinetic[1], kinetic[0], 1e-13 * kinetic[0]);
        }
}

/* A rod without stiffness against one strain is damped in the others. */
static void viscosity__does_not_depend_on_one_stiffness(void **unused) {
    (void)unused;
    test_random random = {test_seed(9)};
    static const int strain[3] = {0, 1, 5};
    for (int rotations = 0; rotations < 2; rotations++)
        for (int k = 0; k < 3; k++) {
            bl_beam_element e;
            double start[BL_BEAM_LOCAL], v[BL_BEAM_LOCAL], f[BL_BEAM_LOCAL];
            sample s;
            straight(&s, &random, 2, 1, 0.3);
            s.beam.stiffness[strain[k]] = 0;
            s.beam.damping[1] = 0.1;
            s.beam.rotations = rotations;
            assert_int_equal(bl_beam_element_make(&s.beam, 2, 0, &e, start), BL_OK);
            for (int i = 0; i < bl_beam_local(&e); i++)
                v[i] = test_random_symmetric(&random);
            assert_true(e.viscous);
            assert_true(bl_beam_force(&e, start, v, f) > 1e-3);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy__is_that_of_the_definition),
        cmocka_unit_test(force__is_the_gradient_of_the_energy),
        cmocka_unit_test(tangents__are_the_derivatives_of_the_force),
        cmocka_unit_test(rigid_motions__cause_no_strain),
        cmocka_unit_test(viscosity__takes_the_power_reported),
        cmocka_unit_test(stretch_and_shear__are_those_of_the_line),
        cmocka_unit_test(curvature__of_a_circle_is_exact),
        cmocka_unit_test(small_displacements__are_those_of_directors),
        cmocka_unit_test(viscosity__does_not_depend_on_one_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
