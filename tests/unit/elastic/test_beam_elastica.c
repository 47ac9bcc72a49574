/* The elastica: a cantilever in the plane under a large transverse force at its end, by elements of each degree that interpolate directors
 * or rotations, against the differential equations of Reissner's beam by shooting, which tend to the elliptic integrals of the inextensible
 * line. Bent by a moment the line is a circle. */
#include "support/handmade.h"

#include "elastic/beam.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 33, MOST = 3 * MOST_NODES };

typedef struct rod {
    double EA, GA, EI, load, moment;
    bool rotations; /* interpolated */
} rod;

/* ---- the differential equations: angle, curvature, position, from the clamped end; length 1, the force along y */

static void slopes(const rod *r, const double y[4], double d[4]) {
    double stretch = 1 + r->load * sin(y[0]) / r->EA, shear = r->load * cos(y[0]) / r->GA;
    d[2] = stretch * cos(y[0]) - shear * sin(y[0]);
    d[3] = stretch * sin(y[0]) + shear * cos(y[0]);
    d[0] = y[1];
    d[1] = -d[2] * r->load / r->EI;
}

static void integrate(const rod *r, double curvature, double y[4]) {
    static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    const int n = 2000; /* error of the method of order 4: below 1e-11 */
    memcpy(y, (double[4]){0, curvature, 0, 0}, 4 * sizeof *y);
    for (int i = 0; i < n; i++) {
        double sum[4] = {0}, k[4] = {0};
        for (int s = 0; s < 4; s++) {
            double at[4];
            for (int j = 0; j < 4; j++)
                at[j] = y[j] + part[s] / n * k[j];
            slopes(r, at, k);
            for (int j = 0; j < 4; j++)
                sum[j] += weight[s] / 6 / n * k[j];
        }
        for (int j = 0; j < 4; j++)
            y[j] += sum[j];
    }
}

/* the curvature at the clamped end that leaves none at the other */
static void shoot(const rod *r, double tip[2]) {
    double low = 0, high = r->load / r->EI, y[4];
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        integrate(r, middle, y);
        *(y[1] > 0 ? &high : &low) = middle;
    }
    memcpy(tip, y + 2, 2 * sizeof *tip);
}

/* ---- elements: positions and angles of the nodes */

/* adds the forces and the stiffness of one element, whose nodes begin with unknown i */
static void add_element(const bl_beam_element *e, const double *q, int i, double *F, double K[MOST][MOST]) {
    int count = 3 * e->nnode, n = bl_beam_local(e);
    int node = 2 * e->nvector; /* values of a node: position, d1, and with interpolated directors d2 */
    double x[BL_BEAM_LOCAL], f[BL_BEAM_LOCAL], H[BL_BEAM_LOCAL * BL_BEAM_LOCAL], J[BL_BEAM_LOCAL][3 * BL_BEAM_NODES] = {{0}};
    for (int a = 0; a < e->nnode; a++) {
        double *at = x + node * a, angle = q[i + 3 * a + 2];
        const double d[6] = {cos(angle), sin(angle), -sin(angle), cos(angle), -cos(angle), -sin(angle)};
        memcpy(at, q + i + 3 * a, 2 * sizeof *at);
        memcpy(at + 2, d, (size_t)(node - 2) * sizeof *d);
        J[node * a][3 * a] = J[node * a + 1][3 * a + 1] = 1;
        for (int k = 2; k < node; k++)
            J[node * a + k][3 * a + 2] = d[k];
    }
    bl_beam_force(e, x, NULL, f);
    bl_beam_tangent(e, x, NULL, H, NULL);
    for (int r = 0; r < count; r++)
        for (int k = 0; k < n; k++) {
            F[i + r] -= J[k][r] * f[k];
            for (int l = 0; l < n && J[k][r] != 0; l++)
                for (int c = 0; c < count; c++)
                    K[i + r][i + c] += J[k][r] * H[k * n + l] * J[l][c];
        }
    for (int a = 0; a < e->nnode; a++) /* second derivatives of the directors: the directors, turned by half a turn */
        for (int k = 2; k < node; k++)
            K[i + 3 * a + 2][i + 3 * a + 2] -= x[node * a + k] * f[node * a + k];
}

/* K d = F for the unknowns from the fourth on; those before are zero. */
static void solve(int n, double K[MOST][MOST], double *F) {
    for (int i = 3; i < n; i++)
        for (int r = i + 1; r < n; r++) {
            double by = K[r][i] / K[i][i];
            for (int c = i; c < n && by != 0; c++)
                K[r][c] -= by * K[i][c];
            F[r] -= by * F[i];
        }
    for (int i = n - 1; i >= 3; i--) {
        for (int c = i + 1; c < n; c++)
            F[i] -= K[i][c] * F[c];
        F[i] /= K[i][i];
    }
}

/* places: of the nodes of an element, from 0 to 1 */
static void bend(const rod *r, int degree, const double *places, int elements, double tip[2]) {
    static double K[MOST][MOST];
    bl_beam_element e[MOST_NODES];
    double q[MOST] = {0}, F[MOST], largest = 0;
    int n = 3 * (elements * degree + 1);
    assert_true(n <= MOST);
    for (int k = 0; k < elements; k++) {
        bl_beam_node node[BL_BEAM_NODES] = {{.at = {0}}};
        double start[BL_BEAM_LOCAL];
        bl_beam_def beam = {
            .degree = degree, .nelement = 1, .node = node, .stiffness = {r->EA, r->GA, 0, 0, 0, r->EI}, .rotations = r->rotations};
        for (int a = 0; a <= degree; a++) {
            q[3 * (k * degree + a)] = node[a].at[0] = (k + places[a]) / elements;
            node[a].axes[0][0] = node[a].axes[1][1] = node[a].axes[2][2] = 1;
        }
        assert_int_equal(bl_beam_element_make(&beam, 2, 0, &e[k], start), BL_OK);
    }
    for (int step = 1; step <= 10; step++)
        for (int iteration = 0; iteration < 12; iteration++) {
            memset(K, 0, sizeof K);
            memset(F, 0, sizeof F);
            F[n - 2] = r->load * step / 10;
            F[n - 1] = r->moment * step / 10;
            for (int k = 0; k < elements; k++)
                add_element(&e[k], q, 3 * k * degree, F, K);
            solve(n, K, F);
            largest = 0;
            for (int i = 3; i < n; i++) {
                q[i] += F[i];
                largest = fmax(largest, fabs(F[i]));
            }
            if (largest < 1e-11)
                break;
        }
    assert_true(largest < 1e-11);
    memcpy(tip, q + n - 3, 2 * sizeof *tip);
}

static const double even[4][4] = {{0}, {0, 1}, {0, 0.5, 1}, {0, 1.0 / 3, 2.0 / 3, 1}};
static const double lobatto[4] = {0, 0.27639320225002103036, 0.72360679774997896964, 1};

static double error_of(const rod *r, int degree, const double *places, int elements, const double exact[2]) {
    double tip[2];
    bend(r, degree, places, elements, tip);
    return hypot(tip[0] - exact[0], tip[1] - exact[1]);
}

/* ---- */

static const double load[4] = {1, 2, 5, 10}; /* table of Mattiasson (1981), more digits by elliptic integrals */
static const double table[4][2] = {
    {0.056433236, 0.301720774}, {0.160641721, 0.493457480}, {0.387628361, 0.713791524}, {0.554995598, 0.810609025}};

static void shooting__tends_to_the_elliptic_integrals(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        rod r = {.EA = 1e9, .GA = 1e9, .EI = 1, .load = load[k]};
        double tip[2];
        shoot(&r, tip);
        assert_near(1 - tip[0], table[k][0], 2e-8); /* of the stretch: load / EA */
        assert_near(tip[1], table[k][1], 2e-8);
    }
}

/* order 2p, slender or not */
static void displacements__converge_with_twice_the_degree(void **unused) {
    (void)unused;
    static const rod rods[] = {
        {1e6, 1e6, 1, 10, 0, false}, {1e3, 5e2, 1, 10, 0, false}, {1e6, 1e6, 1, 10, 0, true}, {1e3, 5e2, 1, 10, 0, true}};
    static const int elements[4] = {0, 16, 8, 4};
    for (int k = 0; k < 4; k++) {
        double exact[2];
        shoot(&rods[k], exact);
        for (int degree = 1; degree <= 3; degree++) {
            const double *places = degree == 3 ? lobatto : even[degree];
            double coarse = error_of(&rods[k], degree, places, elements[degree], exact);
            double fine = error_of(&rods[k], degree, places, 2 * elements[degree], exact);
            assert_true(coarse < 0.01);
            assert_near(log2(coarse / fine), 2 * degree, 0.3);
        }
    }
}

/* Inner nodes of degree 3 at thirds of the length: still without locking, of order 4. */
static void nodes__of_degree_three_are_best_where_the_shear_vanishes(void **unused) {
    (void)unused;
    const rod r = {.EA = 1e6, .GA = 1e6, .EI = 1, .load = 10};
    double exact[2];
    shoot(&r, exact);
    double coarse = error_of(&r, 3, even[3], 4, exact), fine = error_of(&r, 3, even[3], 8, exact);
    assert_near(log2(coarse / fine), 4, 0.5);
    assert_true(error_of(&r, 3, lobatto, 8, exact) < fine / 20);
}

/* Errors of another program that interpolates angles, in the shortening at load 10; three digits of them. */
static void rotations__have_the_errors_of_angles(void **unused) {
    (void)unused;
    static const double known[2][3] = {{1.56e-3, 3.96e-4, 9.93e-5}, {2.35e-4, 1.48e-5, 9e-7}};
    static const double digits[2][3] = {{5e-6, 5e-7, 5e-8}, {5e-7, 5e-8, 5e-8}};
    for (int degree = 1; degree <= 2; degree++)
        for (int k = 0; k < 3; k++) {
            rod r = {.EA = 1e8, .GA = 1e8, .EI = 1, .load = 10, .rotations = true};
            double tip[2];
            bend(&r, degree, even[degree], (degree == 1 ? 8 : 4) << k, tip);
            assert_near(fabs(1 - tip[0] - table[3][0]), known[degree - 1][k], digits[degree - 1][k]);
        }
}

static void rotations__reach_the_elliptic_integrals(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        rod r = {.EA = 1e8, .GA = 1e8, .EI = 1, .load = load[k], .rotations = true};
        double tip[2];
        bend(&r, 2, even[2], 16, tip);
        assert_near(1 - tip[0], table[k][0], 2e-6);
        assert_near(tip[1], table[k][1], 2e-6);
    }
}

/* A straight rod, bent to a full circle by a moment at its end: constant curvature is represented exactly; the line closes by symmetry. */
static void rotations__close_a_circle(void **unused) {
    (void)unused;
    for (int degree = 1; degree <= 3; degree++)
        for (int elements = 4; elements <= 8; elements += 2) {
            rod r = {.EA = 1e4, .GA = 5e3, .EI = 2, .moment = 4 * acos(-1), .rotations = true};
            double tip[2];
            bend(&r, degree, degree == 3 ? lobatto : even[degree], elements, tip);
            assert_near(tip[0], 0, 1e-10);
            assert_near(tip[1], 0, 1e-10);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shooting__tends_to_the_elliptic_integrals),
        cmocka_unit_test(displacements__converge_with_twice_the_degree),
        cmocka_unit_test(nodes__of_degree_three_are_best_where_the_shear_vanishes),
        cmocka_unit_test(rotations__have_the_errors_of_angles),
        cmocka_unit_test(rotations__reach_the_elliptic_integrals),
        cmocka_unit_test(rotations__close_a_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
