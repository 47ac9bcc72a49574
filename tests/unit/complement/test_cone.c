/* Coulomb friction on its cone: one contact and many, against the law itself, against Lemke's method in the plane, and two methods against
 * each other. */
#include "complement/complement.h"
#include "complement/cone.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

enum { MOST = 12, SIZE = 3 * MOST, ROUNDS = 2000 };

/* the law of one contact, term by term */
static void assert_law(const double P[3], const double u[3], double mu, double within) {
    double tangential = hypot(P[1], P[2]), sliding = hypot(u[1], u[2]);
    assert_true(P[0] >= 0 && tangential <= mu * P[0] * (1 + 1e-14));
    assert_true(u[0] >= -within && fmin(u[0], P[0]) <= within);
    if (P[0] > within && sliding > 10 * within) { /* slides: against the motion, at the limit */
        assert_true(fabs(tangential - mu * P[0]) <= within * (1 + P[0] / sliding));
        for (int k = 1; k < 3; k++)
            assert_true(fabs(P[k] + mu * P[0] * u[k] / sliding) <= 10 * within * (1 + P[0] / sliding));
    }
}

/* W W^T with rows of W of sizes 1 and `small` */
static void matrix(test_random *random, bl_index n, bl_index rank, double small, double *D) {
    static double W[SIZE][SIZE];
    for (bl_index i = 0; i < n; i++)
        for (bl_index k = 0; k < rank; k++)
            W[i][k] = test_random_symmetric(random) * (i % 3 == 0 ? 1 : small);
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = 0; j < n; j++) {
            double sum = 0;
            for (bl_index k = 0; k < rank; k++)
                sum += W[i][k] * W[j][k];
            D[n * j + i] = sum;
        }
}

static void one_contact__satisfies_the_law(void **state) {
    (void)state;
    test_random random = {test_seed(31)};
    long stuck = 0, slid = 0, open = 0;
    for (int round = 0; round < 10 * ROUNDS; round++) {
        double D[9], b[3], P[3], u[3], mu = round % 7 ? 2 * test_random_unit(&random) : 0;
        matrix(&random, 3, 4, pow(10, 2 * test_random_symmetric(&random)), D);
        for (int k = 0; k < 3; k++) {
            D[4 * k] += 1e-3;
            b[k] = test_random_symmetric(&random);
        }
        bl_cone_local(D, b, mu, P);
        for (int i = 0; i < 3; i++)
            u[i] = b[i] + D[i] * P[0] + D[3 + i] * P[1] + D[6 + i] * P[2];
        double size = 1 + D[0] * P[0] + fmax(D[4], D[8]) * hypot(P[1], P[2]);
        assert_law(P, u, mu, 1e-11 * size);
        open += P[0] == 0;
        stuck += P[0] > 0 && hypot(u[1], u[2]) < 1e-10 * size;
        slid += P[0] > 0 && hypot(u[1], u[2]) > 1e-10 * size;
    }
    print_message("open %ld, stuck %ld, slid %ld\n", open, stuck, slid);
    assert_true(open > ROUNDS && stuck > ROUNDS && slid > ROUNDS);
}

/* in the plane the cone is two edges, and the law a linear complementarity problem (Stewart and Trinkle 1996): z = (P_n, P_t+, P_t-, s) */
static void one_contact_in_the_plane__agrees_with_lemke(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_lcp_work work = {0};
    assert_int_equal(bl_lcp_work_create(ctx, 4, &work), BL_OK);
    test_random random = {test_seed(32)};
    for (int round = 0; round < ROUNDS; round++) {
        double a = test_random_symmetric(&random), d = test_random_symmetric(&random), c = test_random_symmetric(&random);
        double nn = a * a + d * d + 0.1, nt = a * c, tt = c * c + 0.1, mu = 0.9 * test_random_unit(&random);
        double D[9] = {nn, nt, 0, nt, tt, 0, 0, 0, 0}, b[3] = {test_random_symmetric(&random), test_random_symmetric(&random), 0}, P[3],
               z[4];
        double A[16] = {nn, nt, -nt, mu, nt, tt, -tt, -1, -nt, -tt, tt, -1, 0, 1, 1, 0}, q[4] = {b[0], b[1], -b[1], 0};
        bl_cone_local(D, b, mu, P);
        assert_int_equal(bl_lcp_lemke(4, A, q, z, &work), BL_OK);
        assert_true(fabs(P[0] - z[0]) < 1e-9 * (1 + z[0]));
        assert_true(fabs(P[1] - (z[1] - z[2])) < 1e-9 * (1 + z[0]) && P[2] == 0);
    }
    bl_lcp_work_destroy(&work);
    test_context_end(ctx);
}

static void projection__is_the_nearest_point_of_the_cone(void **state) {
    (void)state;
    test_random random = {test_seed(33)};
    for (int round = 0; round < ROUNDS; round++) {
        double mu = 2 * test_random_unit(&random), P[3], at[3];
        for (int k = 0; k < 3; k++)
            at[k] = P[k] = test_random_symmetric(&random);
        bl_cone_project(mu, at);
        /* the rest is in the polar cone and perpendicular to the point */
        double rest[3] = {P[0] - at[0], P[1] - at[1], P[2] - at[2]};
        assert_true(hypot(at[1], at[2]) <= mu * at[0] + 1e-15);
        assert_true(fabs(rest[0] * at[0] + rest[1] * at[1] + rest[2] * at[2]) < 1e-14);
        assert_true(rest[0] + mu * hypot(rest[1], rest[2]) < 1e-14);
    }
}

typedef struct many {
    double D[SIZE * SIZE], u0[SIZE], mu[MOST], P[SIZE], u[SIZE], work[4 * SIZE];
    bl_cone_problem problem;
} many;

static void make_many(test_random *random, bl_index rank, many *m) {
    bl_index n = 1 + test_random_below(random, MOST);
    matrix(random, 3 * n, rank, 0.7, m->D);
    memset(m->P, 0, sizeof m->P);
    double impulse[SIZE];
    for (bl_index i = 0; i < 3 * n; i++)
        impulse[i] = i % 3 == 0 ? -test_random_unit(random) : 0.5 * test_random_symmetric(random);
    for (bl_index i = 0; i < 3 * n; i++) { /* in the range of D, as velocities of bodies are: there is a solution */
        m->u0[i] = 0;
        for (bl_index j = 0; j < 3 * n; j++)
            m->u0[i] += m->D[3 * n * j + i] * impulse[j];
        m->mu[i / 3] = test_random_unit(random);
    }
    m->problem = (bl_cone_problem){n, m->D, m->u0, m->mu};
}

static void many_contacts__satisfy_the_law_by_both_methods(void **state) {
    (void)state;
    test_random random = {test_seed(34)};
    static many m;
    long total[2] = {0};
    for (int round = 0; round < 200; round++) {
        double normal[2][SIZE];
        bool frictionless = round % 3 == 0;
        make_many(&random, 3 * MOST / (1 + round % 2), &m);
        for (bl_index i = 0; i < m.problem.n && frictionless; i++)
            m.mu[i] = 0;
        for (int method = 0; method < 2; method++) {
            bl_cone_options options = {method ? BL_CONE_GRADIENT : BL_CONE_SWEEPS, 1e-8, 100000};
            bl_cone_result result;
            memset(m.P, 0, sizeof m.P);
            assert_int_equal(bl_cone_solve(&m.problem, &options, m.P, m.u, m.work, &result), BL_OK);
            total[method] += result.iterations;
            for (bl_index i = 0; i < m.problem.n; i++) {
                assert_law(m.P + 3 * i, m.u + 3 * i, m.mu[i], 1e-5);
                normal[method][i] = m.u[3 * i];
            }
            /* from the solution nothing is left to do */
            assert_int_equal(bl_cone_solve(&m.problem, &options, m.P, m.u, m.work, &result), BL_OK);
            assert_int_equal(result.iterations, 0);
        }
        for (bl_index i = 0; i < m.problem.n && frictionless; i++) /* a convex problem: velocities are unique */
            assert_true(fabs(normal[0][i] - normal[1][i]) < 1e-5);
    }
    print_message("sweeps %ld, gradient steps %ld\n", total[0], total[1]);
}

static void a_solver_that_is_stopped__reports_its_residual(void **state) {
    (void)state;
    test_random random = {test_seed(35)};
    static many m;
    make_many(&random, SIZE, &m);
    m.u0[0] = -1;
    bl_cone_options options = {BL_CONE_SWEEPS, 1e-300, 3};
    bl_cone_result result;
    assert_int_equal(bl_cone_solve(&m.problem, &options, m.P, m.u, m.work, &result), BL_NO_CONVERGENCE);
    assert_int_equal(result.iterations, 3);
    assert_true(result.residual == bl_cone_residual(&m.problem, m.P, m.u));
    m.u0[0] = NAN;
    assert_int_equal(bl_cone_solve(&m.problem, &options, m.P, m.u, m.work, &result), BL_NOT_FINITE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact__satisfies_the_law),
        cmocka_unit_test(one_contact_in_the_plane__agrees_with_lemke),
        cmocka_unit_test(projection__is_the_nearest_point_of_the_cone),
        cmocka_unit_test(many_contacts__satisfy_the_law_by_both_methods),
        cmocka_unit_test(a_solver_that_is_stopped__reports_its_residual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
