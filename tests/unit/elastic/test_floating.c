/* Inertia, weight and stiffness of bodies that deform by shapes relative to a frame, against bodies made of particles: sums over them are
 * the definition. All functions are polynomials of degree four at most, so differences over five points are derivatives to rounding. */
#include "support/handmade.h"

#include "elastic/floating.h"

#include <math.h>
#include <string.h>

enum { PARTICLES = 9, SHAPES = 5, LOCAL = 12 + SHAPES, INNER = 4 + 3 * SHAPES, BODIES = 6 };

typedef struct sample {
    int dim, n, local;
    double mass[PARTICLES], at[PARTICLES][3], shape[PARTICLES][SHAPES][3]; /* shape[i][m][k] along d_k */
    double M[INNER * INNER], K[SHAPES * SHAPES], gravity[3], B[SHAPES * SHAPES * SHAPES], F[SHAPES * SHAPES];
    bl_floating_def def;
    bl_floating f;
    double x[LOCAL], v[LOCAL], a[LOCAL], place[1024], work[1024];
    bl_arena arena;
} sample;

/* value of inner function number `a` at a particle: 1, X_k, Psi_mk */
static double inner_value(const sample *s, int i, int a) {
    if (a == 0)
        return 1;
    a--;
    return a < s->dim ? s->at[i][a] : s->shape[i][a / s->dim - 1][a % s->dim];
}

static void make(sample *s, bl_context *ctx, test_random *random, int dim, bool full) {
    *s = (sample){.dim = dim, .n = 1 + (int)(test_random_unit(random) * SHAPES)};
    s->n = s->n > SHAPES ? SHAPES : s->n;
    s->local = dim + dim * dim + s->n;
    int inner = 1 + dim + dim * s->n;
    for (int i = 0; i < PARTICLES; i++) {
        s->mass[i] = 0.2 + test_random_unit(random);
        test_random_vector(random, dim, 1, s->at[i]);
        for (int m = 0; m < s->n; m++)
            test_random_vector(random, dim, 1, s->shape[i][m]);
        for (int a = 0; a < inner; a++)
            for (int b = 0; b < inner; b++)
                s->M[a * inner + b] += s->mass[i] * inner_value(s, i, a) * inner_value(s, i, b);
    }
    for (int m = 0; m < s->n; m++)
        for (int p = 0; p <= m; p++)
            s->K[m * s->n + p] = s->K[p * s->n + m] = test_random_symmetric(random) + 3 * (m == p);
    for (int k = 0; k < dim; k++)
        s->gravity[k] = 3 * test_random_symmetric(random);
    s->def = (bl_floating_def){.n = s->n, .mass = s->M, .stiffness = s->K};
    for (int j = 0; j < s->n; j++) /* any numbers; the flexibility is only known to be symmetric here */
        for (int m = 0; m < s->n; m++)
            for (int p = 0; p <= m; p++)
                s->B[(j * s->n + m) * s->n + p] = s->B[(j * s->n + p) * s->n + m] = test_random_symmetric(random);
    for (int m = 0; m < s->n; m++)
        for (int p = 0; p <= m; p++)
            s->F[m * s->n + p] = s->F[p * s->n + m] = test_random_symmetric(random);
    if (full) { /* damped and stiffened */
        s->def.stiffening = s->B;
        s->def.flexibility = s->F;
        s->def.damping[0] = 0.7;
        s->def.damping[1] = 0.3;
    }
    s->arena.ctx = ctx;
    assert_int_equal(bl_floating_make(&s->arena, &s->def, dim, s->gravity, &s->f), BL_OK);
    assert_int_equal(s->f.local, s->local);
    assert_true(bl_floating_work(&s->f) <= sizeof s->work / sizeof *s->work);
    assert_true(bl_floating_place_room(&s->f) <= sizeof s->place / sizeof *s->place);
    for (int i = 0; i < s->local; i++) {
        s->x[i] = test_random_symmetric(random);
        s->v[i] = test_random_symmetric(random);
        s->a[i] = test_random_symmetric(random);
    }
}

static bl_floating_place at(sample *s, const double *x) {
    bl_floating_place place = bl_floating_place_in(&s->f, s->place);
    bl_floating_move(&s->f, x, place, s->work);
    return place;
}

static void each(uint64_t seed, bool full, void (*body)(sample *s, test_random *random)) {
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(seed)};
    for (int dim = 2; dim <= 3; dim++)
        for (int n = 0; n < BODIES; n++) {
            static sample s;
            make(&s, ctx, &random, dim, full);
            body(&s, &random);
            bl_arena_destroy(&s.arena);
        }
    test_context_end(ctx);
}

/* ---- particles */

/* r_i for local values x; `J`[dim][local]: its derivatives */
static void particle(const sample *s, int i, const double *x, double r[3], double J[3][LOCAL]) {
    int dim = s->dim, eta = dim + dim * dim;
    memset(J, 0, 3 * sizeof *J);
    memset(r, 0, 3 * sizeof *r);
    for (int c = 0; c < dim; c++) {
        r[c] = x[c];
        J[c][c] = 1;
        for (int k = 0; k < dim; k++) {
            double along = s->at[i][k];
            for (int m = 0; m < s->n; m++) {
                along += s->shape[i][m][k] * x[eta + m];
                J[c][eta + m] += s->shape[i][m][k] * x[dim + dim * k + c];
            }
            r[c] += along * x[dim + dim * k + c];
            J[c][dim + dim * k + c] = along;
        }
    }
}

/* r_i'' - J a: twice the product of the rates of amplitudes and axes */
static void particle_bias(const sample *s, int i, double bias[3]) {
    int dim = s->dim, eta = dim + dim * dim;
    memset(bias, 0, 3 * sizeof *bias);
    for (int c = 0; c < dim; c++)
        for (int k = 0; k < dim; k++)
            for (int m = 0; m < s->n; m++)
                bias[c] += 2 * s->shape[i][m][k] * s->v[eta + m] * s->v[dim + dim * k + c];
}

static void by_particles(sample *s, test_random *random) {
    (void)random;
    double M[LOCAL * LOCAL], made[LOCAL * LOCAL] = {0}, force[LOCAL] = {0}, inertia[LOCAL] = {0}, f[LOCAL], Ma[LOCAL] = {0}, both[LOCAL];
    double kinetic = 0, potential = 0;
    int L = s->local, eta = L - s->n;
    for (int i = 0; i < PARTICLES; i++) {
        double r[3], J[3][LOCAL], bias[3];
        particle(s, i, s->x, r, J);
        particle_bias(s, i, bias);
        for (int c = 0; c < s->dim; c++) {
            double v = 0, a = 0;
            for (int j = 0; j < L; j++) {
                v += J[c][j] * s->v[j];
                a += J[c][j] * s->a[j];
            }
            kinetic += s->mass[i] * v * v / 2;
            potential -= s->mass[i] * s->gravity[c] * r[c];
            for (int j = 0; j < L; j++) {
                force[j] += s->mass[i] * J[c][j] * (bias[c] - s->gravity[c]);
                inertia[j] += s->mass[i] * J[c][j] * a;
                for (int k = 0; k < L; k++)
                    made[j * L + k] += s->mass[i] * J[c][j] * J[c][k];
            }
        }
    }
    for (int m = 0; m < s->n; m++)
        for (int p = 0; p < s->n; p++) {
            force[eta + m] += s->K[m * s->n + p] * s->x[eta + p];
            potential += s->K[m * s->n + p] * s->x[eta + m] * s->x[eta + p] / 2;
        }
    bl_floating_mass(&s->f, at(s, s->x), s->x, M, s->work);
    for (int k = 0; k < L * L; k++)
        assert_near(M[k], made[k], 1e-12);
    bl_floating_force(&s->f, at(s, s->x), s->x, s->v, NULL, f, s->work);
    bl_floating_inertia(&s->f, at(s, s->x), s->x, s->a, Ma, s->work);
    for (int k = 0; k < L; k++) {
        assert_near(f[k], force[k], 1e-12);
        assert_near(Ma[k], inertia[k], 1e-12);
    }
    bl_floating_force(&s->f, at(s, s->x), s->x, s->v, s->a, both, s->work);
    for (int k = 0; k < L; k++)
        assert_near(both[k], force[k] + inertia[k], 1e-12);
    assert_near(bl_floating_kinetic(&s->f, at(s, s->x), s->x, s->v, s->work), kinetic, 1e-12);
    assert_near(bl_floating_potential(&s->f, at(s, s->x), s->x, s->work), potential, 1e-12);
}

static void inertia_and_weight__are_those_of_the_particles(void **unused) {
    (void)unused;
    each(1, false, by_particles);
}

/* ---- derivatives */

typedef void function(sample *s, const double *x, double *out);
static void force_at(sample *s, const double *x, double *out) { bl_floating_force(&s->f, at(s, x), x, s->v, NULL, out, s->work); }
static void force_of(sample *s, const double *v, double *out) { bl_floating_force(&s->f, at(s, s->x), s->x, v, NULL, out, s->work); }
static void inertia_at(sample *s, const double *x, double *out) {
    memset(out, 0, LOCAL * sizeof *out);
    bl_floating_inertia(&s->f, at(s, x), x, s->a, out, s->work);
}
static void momentum_at(sample *s, const double *x, double *out) {
    memset(out, 0, LOCAL * sizeof *out);
    bl_floating_inertia(&s->f, at(s, x), x, s->v, out, s->work);
}
static void kinetic_at(sample *s, const double *x, double *out) { out[0] = bl_floating_kinetic(&s->f, at(s, x), x, s->v, s->work); }
static void kinetic_of(sample *s, const double *v, double *out) { out[0] = bl_floating_kinetic(&s->f, at(s, s->x), s->x, v, s->work); }
static void potential_at(sample *s, const double *x, double *out) { out[0] = bl_floating_potential(&s->f, at(s, x), x, s->work); }

/* D[i][j] = d out_i / d at_j */
static void differences(sample *s, function *of, const double *at, int rows, double *D) {
    static const double weight[4] = {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12}, step[4] = {-2, -1, 1, 2};
    memset(D, 0, (size_t)(rows * s->local) * sizeof *D);
    for (int j = 0; j < s->local; j++)
        for (int k = 0; k < 4; k++) {
            double y[LOCAL], out[LOCAL];
            memcpy(y, at, sizeof y);
            y[j] += 0.5 * step[k];
            of(s, y, out);
            for (int i = 0; i < rows; i++)
                D[i * s->local + j] += weight[k] / 0.5 * out[i];
        }
}

static void are_derivatives(sample *s, test_random *random) {
    (void)random;
    double K[LOCAL * LOCAL], C[LOCAL * LOCAL], Ma[LOCAL * LOCAL], D[LOCAL * LOCAL];
    int L = s->local;
    bl_floating_tangent(&s->f, at(s, s->x), s->x, s->v, K, C, s->work);
    bl_floating_mass_slope(&s->f, at(s, s->x), s->x, s->a, Ma, s->work);
    differences(s, force_at, s->x, L, D);
    for (int k = 0; k < L * L; k++)
        assert_near(K[k], D[k], 1e-11);
    differences(s, force_of, s->v, L, D);
    for (int k = 0; k < L * L; k++)
        assert_near(C[k], D[k], 1e-11);
    differences(s, inertia_at, s->x, L, D);
    for (int k = 0; k < L * L; k++)
        assert_near(Ma[k], D[k], 1e-11);
}

static void tangents__are_derivatives(void **unused) {
    (void)unused;
    each(2, true, are_derivatives);
}

/* f = d/dt dT/dv - dT/dx + dV/dx without the accelerations, momenta p = dT/dv = M v */
static void obey_lagrange(sample *s, test_random *random) {
    (void)random;
    double f[LOCAL], p[LOCAL] = {0}, dp[LOCAL * LOCAL], T_x[LOCAL], T_v[LOCAL], V_x[LOCAL];
    int L = s->local;
    bl_floating_force(&s->f, at(s, s->x), s->x, s->v, NULL, f, s->work);
    bl_floating_inertia(&s->f, at(s, s->x), s->x, s->v, p, s->work);
    differences(s, kinetic_of, s->v, 1, T_v);
    differences(s, kinetic_at, s->x, 1, T_x);
    differences(s, potential_at, s->x, 1, V_x);
    differences(s, momentum_at, s->x, L, dp);
    for (int i = 0; i < L; i++) {
        double rate = 0;
        for (int j = 0; j < L; j++)
            rate += dp[i * L + j] * s->v[j];
        assert_near(p[i], T_v[i], 1e-11);
        assert_near(f[i], rate - T_x[i] + V_x[i], 1e-11);
    }
}

static void forces__are_those_of_lagrange(void **unused) {
    (void)unused;
    each(3, false, obey_lagrange);
}

/* power of f + M a: growth of the energy, and what damping takes */
static void balance(sample *s, test_random *random) {
    (void)random;
    double f[LOCAL], V_x[LOCAL], T_x[LOCAL], T_v[LOCAL], power = 0, growth = 0;
    double lost = bl_floating_force(&s->f, at(s, s->x), s->x, s->v, NULL, f, s->work);
    bl_floating_inertia(&s->f, at(s, s->x), s->x, s->a, f, s->work);
    differences(s, kinetic_of, s->v, 1, T_v);
    differences(s, kinetic_at, s->x, 1, T_x);
    differences(s, potential_at, s->x, 1, V_x);
    for (int i = 0; i < s->local; i++) {
        power += f[i] * s->v[i];
        growth += (T_x[i] + V_x[i]) * s->v[i] + T_v[i] * s->a[i];
    }
    assert_true(lost != 0);
    assert_near(power, growth + lost, 1e-11);
}

static void power__is_the_growth_of_energy_and_the_loss(void **unused) {
    (void)unused;
    each(4, true, balance);
}

/* ---- rigid motions: axes and velocities of a rotation, no shapes */

static void moves_rigidly(sample *s, test_random *random) {
    double u[3] = {0, 0, 1}, R[3][3], w[3] = {0}, velocity[3] = {0}, T = 0, f[LOCAL], total[3] = {0};
    int dim = s->dim, axes = dim + dim * dim;
    if (dim == 3)
        test_random_direction(random, 3, u);
    test_turn(u, 3 * test_random_symmetric(random), R);
    for (int k = 0; k < 3; k++)
        w[k] = 2 * u[k] * (dim == 3 || k == 2);
    memset(s->x, 0, sizeof s->x);
    memset(s->v, 0, sizeof s->v);
    memset(s->a, 0, sizeof s->a);
    test_random_vector(random, dim, 1, velocity);
    memcpy(s->v, velocity, (size_t)dim * sizeof *velocity);
    for (int k = 0; k < dim; k++) { /* axes turn about w, and have the accelerations of a constant spin */
        double d[3] = {R[0][k], R[1][k], R[2][k]}, rate[3], again[3];
        test_cross(w, d, rate);
        test_cross(w, rate, again);
        memcpy(s->x + dim + dim * k, d, (size_t)dim * sizeof *d);
        memcpy(s->v + dim + dim * k, rate, (size_t)dim * sizeof *rate);
        memcpy(s->a + dim + dim * k, again, (size_t)dim * sizeof *again);
    }
    for (int i = 0; i < PARTICLES; i++) {
        double arm[3], v[3], again[3];
        test_apply(R, s->at[i], arm);
        test_cross(w, arm, v);
        test_cross(w, v, again);
        for (int c = 0; c < dim; c++) {
            T += s->mass[i] * (velocity[c] + v[c]) * (velocity[c] + v[c]) / 2;
            total[c] += s->mass[i] * (again[c] - s->gravity[c]);
        }
    }
    assert_near(bl_floating_kinetic(&s->f, at(s, s->x), s->x, s->v, s->work), T, 1e-12);
    bl_floating_force(&s->f, at(s, s->x), s->x, s->v, NULL, f, s->work);
    bl_floating_inertia(&s->f, at(s, s->x), s->x, s->a, f, s->work);
    for (int c = 0; c < dim; c++) /* force at the frame: mass times the acceleration of the mass center */
        assert_near(f[c], total[c], 1e-12);
    for (int k = axes; k < s->local; k++) { /* on the shapes: centrifugal, and weight */
        double sum = 0;
        for (int i = 0; i < PARTICLES; i++) {
            double arm[3], v[3], again[3], along[3];
            test_apply(R, s->at[i], arm);
            test_apply(R, s->shape[i][k - axes], along);
            test_cross(w, arm, v);
            test_cross(w, v, again);
            for (int c = 0; c < dim; c++)
                sum += s->mass[i] * along[c] * (again[c] - s->gravity[c]);
        }
        assert_near(f[k], sum, 1e-12);
    }
}

static void rigid_motions__are_those_of_a_rigid_body(void **unused) {
    (void)unused;
    each(5, false, moves_rigidly);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertia_and_weight__are_those_of_the_particles),
        cmocka_unit_test(tangents__are_derivatives),
        cmocka_unit_test(forces__are_those_of_lagrange),
        cmocka_unit_test(power__is_the_growth_of_energy_and_the_loss),
        cmocka_unit_test(rigid_motions__are_those_of_a_rigid_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
