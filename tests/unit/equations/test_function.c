/* A user's functions as a system: facts, patterns, derivatives that were left out, words for what goes wrong, memory. */
#include "equations/function_private.h"
#include "study/simulation.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- a bead of mass M(q) on a moving curve: two constraints, a force with everything in it, two states
 *
 *     phi = (q1^2 + 2 q2^2 q3 - sin(3 t),  q1 q3 + t q2^3 - 1)                                                    */

static int bead_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    Q[0] = -q[0] * q[1] - 0.3 * v[0] * v[1] + z[0] * t;
    Q[1] = sin(q[2]) - v[1] * z[1];
    Q[2] = q[0] * v[2] - 9;
    f[0] = z[1] * q[0] - v[2];
    f[1] = -z[0] * z[0] + cos(t);
    return 0;
}

static int bead_tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    (void)user;
    double x[5][5] = {
        {-q[1], -q[0], 0, t, 0}, {0, 0, cos(q[2]), 0, -v[1]}, {v[2], 0, 0, 0, 0}, {z[1], 0, 0, 0, q[0]}, {0, 0, 0, -2 * z[0], 0}};
    double y[5][3] = {{-0.3 * v[1], -0.3 * v[0], 0}, {0, -z[1], 0}, {0, 0, q[0]}, {0, 0, -1}, {0, 0, 0}};
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++)
            dx[5 * j + i] = x[i][j];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 5; i++)
            dv[5 * j + i] = y[i][j];
    return 0;
}

static int bead_mass(void *user, double t, const double *q, double *M) {
    (void)user;
    (void)t;
    M[0] = 2 + q[1] * q[1];
    M[4] = 3;
    M[8] = 1 + cos(q[0]) * cos(q[0]);
    M[1] = M[3] = 0.1 * q[2];
    return 0;
}

static int bead_constraint(void *user, double t, const double *q, double *phi) {
    (void)user;
    phi[0] = q[0] * q[0] + 2 * q[1] * q[1] * q[2] - sin(3 * t);
    phi[1] = q[0] * q[2] + t * q[1] * q[1] * q[1] - 1;
    return 0;
}

static int bead_jacobian(void *user, double t, const double *q, double *G) {
    (void)user;
    double rows[2][3] = {{2 * q[0], 4 * q[1] * q[2], 2 * q[1] * q[1]}, {q[2], 3 * t * q[1] * q[1], q[0]}};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 2; i++)
            G[2 * j + i] = rows[i][j];
    return 0;
}

static int bead_rate(void *user, double t, const double *q, double *phi_t) {
    (void)user;
    phi_t[0] = -3 * cos(3 * t);
    phi_t[1] = q[1] * q[1] * q[1];
    return 0;
}

/* by hand: second derivative of phi along (v, 1) */
static int bead_curvature(void *user, double t, const double *q, const double *v, double *c) {
    (void)user;
    c[0] = -(2 * v[0] * v[0] + 4 * v[1] * v[1] * q[2] + 8 * q[1] * v[1] * v[2] + 9 * sin(3 * t));
    c[1] = -(2 * v[0] * v[2] + 6 * t * q[1] * v[1] * v[1] + 6 * q[1] * q[1] * v[1]);
    return 0;
}

static const double bead_A[] = {1, 0.5, 0, 2};
static const bl_function bead = {.nq = 3,
                                 .nz = 2,
                                 .np = 2,
                                 .force = bead_force,
                                 .tangent = bead_tangent,
                                 .mass = bead_mass,
                                 .A = bead_A,
                                 .constraint = bead_constraint,
                                 .jacobian = bead_jacobian,
                                 .rate = bead_rate,
                                 .curvature = bead_curvature};
static const double bead_q[] = {0.7, -0.4, 1.3}, bead_v[] = {0.9, -1.7, 0.2}, bead_z[] = {0.3, -0.6}, bead_a[] = {1.5, -2, 0.7},
                    bead_lambda[] = {2, -3};

typedef struct place {
    bl_system *sys;
    bl_eval e;
} place;

static void open_place(bl_context *ctx, const bl_function *fn, place *p) {
    assert_int_equal(bl_function_build(ctx, fn, &p->sys), BL_OK);
    memset(&p->e, 0, sizeof p->e);
    assert_int_equal(bl_eval_create(p->sys, BL_ALL, &p->e), BL_OK);
    p->e.t = 0.8;
    p->e.q = bead_q;
    p->e.v = bead_v;
    p->e.z = bead_z;
    p->e.a = bead_a;
    p->e.lambda = bead_lambda;
}

static void close_place(place *p) {
    bl_eval_destroy(p->sys, &p->e);
    bl_system_destroy(p->sys);
}

static double entry(const bl_pattern *pattern, const double *values, bl_index i, bl_index j) {
    for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
        if (pattern->idx[k] == i)
            return values[k];
    return 0;
}

static void function__an_ode_needs_two_fields(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_function fn = bead;
    fn = (bl_function){.nz = 2, .force = bead.force};
    bl_system *sys;
    assert_int_equal(bl_function_build(ctx, &fn, &sys), BL_OK);
    assert_int_equal(sys->nq, 0);
    assert_int_equal(sys->nz, 2);
    assert_int_equal(sys->facts, BL_FLAT | BL_M_CONST | BL_IDENTITY | BL_A_IDENTITY | BL_Q_OF_T);
    assert_int_equal(sys->can & BL_CAN_TANGENT, 0);
    assert_int_equal(sys->pat_K.ptr[2], 4);
    assert_int_equal(sys->pat_M.ptr[2], 0);
    assert_int_equal(sys->col[1].order, 1);
    char name[8];
    bl_system_col_name(sys, 1, name, sizeof name);
    assert_string_equal(name, "z2");
    bl_eval e = {0};
    assert_int_equal(bl_eval_create(sys, BL_ALL, &e), BL_OK);
    /* A, the identity, is there from the start */
    assert_near(entry(&sys->pat_C, e.C, 0, 0), 1, 0);
    assert_near(entry(&sys->pat_C, e.C, 1, 1), 1, 0);
    assert_int_equal(sys->pat_C.ptr[2], 2);
    bl_eval_destroy(sys, &e);
    bl_system_destroy(sys);
    test_context_end(ctx);
}

static void function__promises_become_facts(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const double M[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, A[] = {1, 0, 0, 0};
    bl_function fn = bead;
    fn.promise = BL_FN_NO_V | BL_FN_NO_T | BL_FN_LINEAR | BL_FN_STATIC | BL_FN_SMOOTH;
    fn.mass = NULL;
    fn.M = M;
    fn.A = A;
    bl_system *sys;
    assert_int_equal(bl_function_build(ctx, &fn, &sys), BL_OK);
    assert_int_equal(sys->facts, BL_FLAT | BL_M_CONST | BL_CK_CONST | BL_SMOOTH);
    assert_int_equal(sys->can, BL_CAN_MASS | BL_CAN_TANGENT);
    assert_int_equal(sys->pat_C.ptr[3], 0); /* nothing depends on velocities */
    assert_int_equal(sys->col[0].order, 2);
    assert_int_equal(sys->col[3].order, 1);
    assert_int_equal(sys->col[4].order, 0); /* A leaves it out */
    bl_system_destroy(sys);
    test_context_end(ctx);
}

/* ---- derivatives */

static void function__tangents_are_minus_the_derivatives_of_the_forces(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    place p;
    open_place(ctx, &bead, &p);
    assert_int_equal(bl_system_eval(p.sys, &p.e, BL_KC | BL_Q | BL_F), BL_OK);
    double x[8], h = 1e-6, up[5], down[5];
    memcpy(x, bead_q, sizeof bead_q);
    memcpy(x + 3, bead_z, sizeof bead_z);
    memcpy(x + 5, bead_v, sizeof bead_v);
    for (int j = 0; j < 8; j++) {
        double kept = x[j];
        x[j] = kept + h;
        bead_force(NULL, p.e.t, x, x + 5, x + 3, up, up + 3);
        x[j] = kept - h;
        bead_force(NULL, p.e.t, x, x + 5, x + 3, down, down + 3);
        x[j] = kept;
        for (int i = 0; i < 5; i++) {
            double slope = (up[i] - down[i]) / (2 * h);
            assert_near(j < 5 ? entry(&p.sys->pat_K, p.e.K, i, j) : entry(&p.sys->pat_C, p.e.C, i, j - 5), -slope, 1e-8);
        }
    }
    for (int j = 0; j < 2; j++) /* A column by column */
        for (int i = 0; i < 2; i++)
            assert_near(entry(&p.sys->pat_C, p.e.C, 3 + i, 3 + j), bead_A[2 * j + i], 0);
    close_place(&p);
    test_context_end(ctx);
}

static void function__left_out_derivatives_of_constraints_agree_with_given_ones(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    place given, half, bare;
    bl_function fn = bead;
    open_place(ctx, &fn, &given);
    fn.curvature = NULL;
    open_place(ctx, &fn, &half);
    fn.jacobian = NULL;
    fn.rate = NULL;
    open_place(ctx, &fn, &bare);
    uint32_t want = BL_PHI | BL_G | BL_B | BL_C;
    assert_int_equal(bl_system_eval(given.sys, &given.e, want), BL_OK);
    assert_int_equal(bl_system_eval(half.sys, &half.e, want), BL_OK);
    assert_int_equal(bl_system_eval(bare.sys, &bare.e, want), BL_OK);
    for (int k = 0; k < 6; k++)
        assert_near(bare.e.G[k], given.e.G[k], 1e-11);
    for (int i = 0; i < 2; i++) {
        assert_near(bare.e.b[i], given.e.b[i], 1e-10);
        assert_near(half.e.c[i], given.e.c[i], 1e-9); /* sin(3 t): the error of fourth order is 3^5 h^4 / 30 */
        assert_near(bare.e.c[i], given.e.c[i], 1e-7);
    }
    close_place(&given);
    close_place(&half);
    close_place(&bare);
    test_context_end(ctx);
}

static void function__second_derivatives_agree_with_those_by_hand(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    const double *q = bead_q, *v = bead_v, *l = bead_lambda, *a = bead_a;
    double t = 0.8;
    /* Hessians of phi, and d(M a)/dq */
    double H[2][3][3] = {{{2, 0, 0}, {0, 4 * q[2], 4 * q[1]}, {0, 4 * q[1], 0}}, {{0, 0, 1}, {0, 6 * t * q[1], 0}, {1, 0, 0}}};
    double Ma[3][3] = {{0, 2 * q[1] * a[0], 0.1 * a[1]}, {0, 0, 0.1 * a[0]}, {-2 * cos(q[0]) * sin(q[0]) * a[2], 0, 0}};
    for (int bare = 0; bare < 2; bare++) {
        bl_function fn = bead;
        if (bare)
            fn.jacobian = NULL;
        place p;
        open_place(ctx, &fn, &p);
        assert_int_equal(bl_system_eval(p.sys, &p.e, BL_GTL_X | BL_GV_X | BL_MA_X), BL_OK);
        for (int j = 0; j < 3; j++) {
            for (int i = 0; i < 3; i++) {
                assert_near(entry(&p.sys->pat_K, p.e.GTl_x, i, j), l[0] * H[0][i][j] + l[1] * H[1][i][j], bare ? 1e-8 : 1e-11);
                assert_near(entry(&p.sys->pat_K, p.e.Ma_x, i, j), Ma[i][j], 1e-11);
            }
            for (int r = 0; r < 2; r++)
                assert_near(entry(&p.sys->pat_G, p.e.Gv_x, r, j), H[r][j][0] * v[0] + H[r][j][1] * v[1] + H[r][j][2] * v[2],
                            bare ? 1e-8 : 1e-11);
        }
        close_place(&p);
    }
    test_context_end(ctx);
}

/* ---- patterns */

static int chain_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    (void)t;
    (void)v;
    (void)z;
    (void)f;
    for (int i = 0; i < 4; i++)
        Q[i] = -q[i] * q[i];
    return 0;
}

static int chain_tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    (void)user;
    (void)t;
    (void)v;
    (void)z;
    (void)dv;
    for (int i = 0; i < 4; i++)
        dx[i] = -2 * q[i];
    return 0;
}

static int chain_constraint(void *user, double t, const double *q, double *phi) {
    (void)user;
    (void)t;
    phi[0] = q[0] * q[2] - 1;
    return 0;
}

static void function__pattern_of_tangents_covers_what_constraints_couple(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const bl_index diagonal_ptr[] = {0, 1, 2, 3, 4}, diagonal_idx[] = {0, 1, 2, 3}, G_ptr[] = {0, 1, 1, 2, 2}, G_idx[] = {0, 0};
    bl_function fn = {.nq = 4,
                      .np = 1,
                      .promise = BL_FN_NO_V | BL_FN_STATIC,
                      .force = chain_force,
                      .tangent = chain_tangent,
                      .pattern_x = {diagonal_ptr, diagonal_idx},
                      .constraint = chain_constraint,
                      .pattern_G = {G_ptr, G_idx}};
    place p;
    open_place(ctx, &fn, &p);
    double q[] = {2, 3, 5, 7}, v[] = {0, 0, 0, 0}, lambda[] = {11};
    p.e.q = q;
    p.e.v = v;
    p.e.lambda = lambda;
    assert_int_equal(p.sys->pat_K.ptr[4], 6);
    assert_int_equal(bl_system_eval(p.sys, &p.e, BL_KC | BL_GTL_X | BL_C | BL_B), BL_OK);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            assert_near(entry(&p.sys->pat_K, p.e.K, i, j), i == j ? 2 * q[i] : 0, 0);
            assert_near(entry(&p.sys->pat_K, p.e.GTl_x, i, j), i + j == 2 && i != j ? 11 : 0, 1e-8);
        }
    assert_near(p.e.c[0], 0, 0); /* at rest */
    assert_near(p.e.b[0], 0, 0);
    close_place(&p);
    test_context_end(ctx);
}

/* ---- what goes wrong */

static void function__mistakes_are_reported(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const bl_index falling[] = {0, 2, 1, 3, 4, 5}, wide[] = {0, 1, 2, 3, 4, 5}, high[] = {0, 1, 2, 3, 9},
                          twice_ptr[] = {0, 2, 2, 2, 2, 2}, twice[] = {1, 1};
    static const double zero[] = {1, 1, 0, 1, 1};
    static const double M[9] = {1};
    struct {
        bl_function fn;
        const char *word;
    } bad[] = {{{.nz = 2}, "force"},
               {{.force = bead_force}, "no unknowns"},
               {{.nz = -1, .force = bead_force}, "-1"},
               {{.nq = 2, .np = 1, .force = bead_force}, "constraint"},
               {{.nz = 2, .np = 1, .force = bead_force, .constraint = bead_constraint}, "0 coordinates"},
               {{.nz = 2, .nevent = 1, .force = bead_force}, "event"},
               {{.nz = 5000, .force = bead_force}, "a dense matrix of 5000 x 5000 is too large"},
               {{.nz = 5, .force = bead_force, .pattern_x = {falling, wide}}, "pattern_x: ptr of column 1 is invalid"},
               {{.nz = 5, .force = bead_force, .pattern_x = {wide, high}}, "rows of column 4"},
               {{.nz = 5, .force = bead_force, .pattern_x = {twice_ptr, twice}}, "rows of column 0"},
               {{.nz = 5, .force = bead_force, .scale = zero}, "scale[2]"},
               {{.nq = 3, .force = bead_force, .M = M, .mass = bead_mass}, "both"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bl_system *sys;
        assert_int_equal(bl_function_build(ctx, &bad[i].fn, &sys), BL_E_ARG);
        assert_null(sys);
        if (!strstr(bl_context_error(ctx)->what, bad[i].word))
            fail_msg("'%s' does not say '%s'", bl_context_error(ctx)->what, bad[i].word);
    }
    test_context_end(ctx);
}

static int nan_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    int answer = *(int *)user;
    (void)q;
    (void)v;
    (void)Q;
    f[0] = 1;
    f[1] = t > 0.5 ? sqrt(-z[0] * z[0] - 1) : 0;
    return t > 0.5 ? answer : 0;
}

static void function__not_a_number_is_named_with_its_time(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    int answer = 0;
    static const char *const names[] = {"prey", "predator"};
    bl_function fn = {.user = &answer, .nz = 2, .force = nan_force, .name = names};
    place p;
    open_place(ctx, &fn, &p);
    const bl_error *error = bl_context_error(ctx);
    assert_int_equal(bl_system_eval(p.sys, &p.e, BL_F), BL_NOT_FINITE);
    assert_non_null(strstr(error->what, "predator"));
    assert_non_null(strstr(error->what, "not a number"));
    assert_string_equal(error->part, "predator");
    assert_near(error->time, 0.8, 0);
    answer = 2; /* refuses */
    assert_int_equal(bl_system_eval(p.sys, &p.e, BL_F), BL_NOT_FINITE);
    assert_non_null(strstr(error->what, "is not defined at t = 0.8"));
    answer = -4; /* gives up */
    assert_int_equal(bl_system_eval(p.sys, &p.e, BL_F), BL_E_NUMERIC);
    assert_non_null(strstr(error->what, "failed at t = 0.8 (it returned -4)"));
    assert_int_equal(bl_system_eval(p.sys, &p.e, BL_KC), BL_OK); /* A alone */
    assert_near(entry(&p.sys->pat_C, p.e.C, 1, 1), 1, 0);
    close_place(&p);
    test_context_end(ctx);
}

static int bad_jacobian(void *user, double t, const double *q, double *G) {
    bead_jacobian(user, t, q, G);
    G[3] = INFINITY;
    return 0;
}

static void function__a_bad_entry_of_a_matrix_is_named(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_function fn = bead;
    fn.jacobian = bad_jacobian;
    place p;
    open_place(ctx, &fn, &p);
    assert_int_equal(bl_system_eval(p.sys, &p.e, BL_G), BL_NOT_FINITE);
    assert_non_null(strstr(bl_context_error(ctx)->what, "(row 2, column 2) that is infinite"));
    close_place(&p);
    test_context_end(ctx);
}

/* ---- motion: a pendulum in two coordinates with a constraint, and as one angle */

static int swing_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    (void)t;
    (void)q;
    (void)v;
    (void)z;
    (void)f;
    Q[0] = 0;
    Q[1] = -2 * 9.81;
    return 0;
}

static int swing_constraint(void *user, double t, const double *q, double *phi) {
    (void)user;
    (void)t;
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static int angle_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    (void)t;
    (void)v;
    (void)z;
    (void)f;
    Q[0] = -9.81 * sin(q[0]);
    return 0;
}

static double run(bl_context *ctx, const bl_function *fn, const double *q0, double *q) {
    bl_system *sys;
    bl_state state;
    bl_simulation *sim;
    assert_int_equal(bl_function_build(ctx, fn, &sys), BL_OK);
    assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
    memcpy(state.q, q0, (size_t)sys->nq * sizeof *q0);
    bl_simulation_setup setup = {.formulation = "lagrange", .integrator = "dopri45", .t_end = 1, .tolerance = 1e-10};
    assert_int_equal(bl_simulation_create(sys, &state, &setup, &sim), BL_OK);
    while (*sim->state.t < 1)
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
    memcpy(q, sim->state.q, (size_t)sys->nq * sizeof *q);
    bl_sample sample;
    assert_int_equal(bl_simulation_sample(sim, 1, &sample), BL_OK);
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    return sample.drift;
}

static void function__constrained_pendulum_moves_like_its_angle(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const double mass[] = {2, 0, 0, 2};
    bl_function swing = {.nq = 2, .np = 1, .force = swing_force, .constraint = swing_constraint, .M = mass, .promise = BL_FN_STATIC};
    bl_function angle = {.nq = 1, .force = angle_force};
    double q[2], theta[1], q0[] = {1, 0}, theta0[] = {acos(0)};
    double drift = run(ctx, &swing, q0, q);
    run(ctx, &angle, theta0, theta);
    assert_true(drift < 1e-9);
    assert_near(q[0], sin(theta[0]), 1e-8);
    assert_near(q[1], -cos(theta[0]), 1e-8);
    test_context_end(ctx);
}

/* ---- memory */

static void function__steps_allocate_nothing(void **unused) {
    (void)unused;
    static const struct {
        const char *formulation, *integrator;
    } way[] = {{"lagrange", "dopri45"}, {"index3", "genalpha:0.8"}, {"ggl", "bdf:2"}};
    bl_function swing = {.nq = 2, .np = 1, .force = swing_force, .constraint = swing_constraint, .promise = BL_FN_STATIC};
    for (int k = 0; k < 3; k++) {
        bl_context *ctx = test_context(NULL);
        bl_system *sys;
        bl_state state;
        bl_simulation *sim;
        assert_int_equal(bl_function_build(ctx, &swing, &sys), BL_OK);
        assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
        state.q[0] = 1;
        bl_simulation_setup setup = {.formulation = way[k].formulation, .integrator = way[k].integrator, .t_end = 0.5, .step = 0.01};
        assert_int_equal(bl_simulation_create(sys, &state, &setup, &sim), BL_OK);
        for (int i = 0; i < 4; i++)
            assert_int_equal(bl_simulation_advance(sim), BL_OK);
        while (*sim->state.t < 0.5) { /* but where pivots are chosen anew, which is counted */
            size_t calls = bl_context_memory(ctx).calls;
            long chosen = sim->form->stats.factors;
            assert_int_equal(bl_simulation_advance(sim), BL_OK);
            if (bl_context_memory(ctx).calls != calls && sim->form->stats.factors == chosen)
                fail_msg("%s, %s: %zu allocations at t = %g", way[k].formulation, way[k].integrator, bl_context_memory(ctx).calls - calls,
                         *sim->state.t);
        }
        bl_simulation_destroy(sim);
        bl_state_destroy(sys, &state);
        bl_system_destroy(sys);
        test_context_end(ctx);
    }
}

static bl_status life(bl_context *ctx, void *user) {
    bl_system *sys = NULL;
    bl_eval e = {0};
    BL_TRY(bl_function_build(ctx, user, &sys));
    bl_status status = bl_eval_create(sys, BL_ALL, &e);
    if (status == BL_OK) {
        e.q = e.v = e.z = e.a = e.lambda = (const double[]){1, 2, 3, 4};
        status = bl_system_eval(sys, &e, BL_Q | BL_F | BL_M | BL_PHI | BL_G | BL_B | BL_C | BL_KC | BL_GTL_X);
        bl_eval_destroy(sys, &e);
    }
    bl_system_destroy(sys);
    return status;
}

static void function__survives_failing_allocations(void **unused) {
    (void)unused;
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const bl_index ptr[] = {0, 1, 2, 3, 4}, idx[] = {0, 1, 2, 3};
    bl_function named = bead, sparse = {.nq = 4,
                                        .np = 1,
                                        .force = chain_force,
                                        .tangent = chain_tangent,
                                        .constraint = chain_constraint,
                                        .pattern_x = {ptr, idx}};
    named.name = names;
    assert_true(test_failing_allocations(life, &named) > 3);
    assert_true(test_failing_allocations(life, &sparse) > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(function__an_ode_needs_two_fields),
        cmocka_unit_test(function__promises_become_facts),
        cmocka_unit_test(function__tangents_are_minus_the_derivatives_of_the_forces),
        cmocka_unit_test(function__left_out_derivatives_of_constraints_agree_with_given_ones),
        cmocka_unit_test(function__second_derivatives_agree_with_those_by_hand),
        cmocka_unit_test(function__pattern_of_tangents_covers_what_constraints_couple),
        cmocka_unit_test(function__mistakes_are_reported),
        cmocka_unit_test(function__not_a_number_is_named_with_its_time),
        cmocka_unit_test(function__a_bad_entry_of_a_matrix_is_named),
        cmocka_unit_test(function__constrained_pendulum_moves_like_its_angle),
        cmocka_unit_test(function__steps_allocate_nothing),
        cmocka_unit_test(function__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
