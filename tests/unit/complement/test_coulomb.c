/* Contacts at one instant: answers satisfy the laws, agree with a search over all modes by other code, and are unique, double or missing
 * where that search says so; known cases. */
#include "support/testing.h"

#include "complement/coulomb.h"

#include <math.h>
#include <string.h>

enum { MOST = 5, SIZE = 3 * MOST, ANSWERS = 64 };

#ifdef __SANITIZE_ADDRESS__
enum { PROBLEMS = 500 };
#else
enum { PROBLEMS = 4000 };
#endif

/* ---- a search over all modes, for contacts with one direction of sliding or none */

typedef struct search {
    int n, count;
    double p[ANSWERS][SIZE], u[ANSWERS][SIZE];
} search;

static double entry(const bl_coulomb *c, int i, int j) { return c->D[(size_t)j * (size_t)c->m + (size_t)i]; }

/* A x = b by elimination with complete pivoting; false: singular */
static bool solve(int n, double A[SIZE][SIZE], double *b, double *x) {
    int place[SIZE];
    for (int i = 0; i < n; i++)
        place[i] = i;
    for (int k = 0; k < n; k++) {
        int r = k, s = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(A[i][j]) > fabs(A[r][s])) {
                    r = i;
                    s = j;
                }
        if (fabs(A[r][s]) < 1e-9)
            return false;
        for (int j = 0; j < n; j++) {
            double t = A[k][j];
            A[k][j] = A[r][j];
            A[r][j] = t;
        }
        double t = b[k];
        b[k] = b[r];
        b[r] = t;
        for (int i = 0; i < n; i++) {
            t = A[i][k];
            A[i][k] = A[i][s];
            A[i][s] = t;
        }
        int q = place[k];
        place[k] = place[s];
        place[s] = q;
        for (int i = k + 1; i < n; i++) {
            double f = A[i][k] / A[k][k];
            for (int j = k; j < n; j++)
                A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        double sum = b[k];
        for (int j = k + 1; j < n; j++)
            sum -= A[k][j] * x[place[j]];
        x[place[k]] = sum / A[k][k];
    }
    return true;
}

/* mode of a contact: closed or not, 0 sticks, +-1 slides */
typedef struct choice {
    bool closed;
    int slides;
} choice;

/* the equations for all p: m unknowns, one row each */
static bool answer(const bl_coulomb *c, const choice *mode, double *p, double *u) {
    double A[SIZE][SIZE] = {{0}}, b[SIZE] = {0};
    int m = (int)c->m;
    for (int i = 0; i < c->n; i++) {
        const bl_coulomb_contact *k = &c->contact[i];
        int r = (int)k->first;
        if (mode[i].closed) {
            for (int j = 0; j < m; j++)
                A[r][j] = entry(c, r, j);
            b[r] = -c->b[r];
        } else {
            A[r][r] = 1;
            b[r] = k->least;
        }
        if (k->nslip == 0)
            continue;
        if (mode[i].slides || k->sliding) {
            A[r + 1][r + 1] = 1;
            A[r + 1][r] = k->friction * (k->sliding ? k->side[0] : mode[i].slides);
            continue;
        }
        for (int j = 0; j < m; j++)
            A[r + 1][j] = entry(c, r + 1, j);
        b[r + 1] = -c->b[r + 1];
    }
    if (!solve(m, A, b, p))
        return false;
    for (int i = 0; i < m; i++) {
        u[i] = c->b[i];
        for (int j = 0; j < m; j++)
            u[i] += entry(c, i, j) * p[j];
    }
    return true;
}

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* how far p, u are from the laws, relative to the sizes of the problem */
static double violation(const bl_coulomb *c, const double *p, const double *u) {
    double force = largest((int)c->m, p) + 1e-300, speed = largest((int)c->m, c->b) + largest((int)c->m, u) + 1e-300, worst = 0;
    for (int i = 0; i < c->n; i++) {
        const bl_coulomb_contact *k = &c->contact[i];
        const double *f = p + k->first, *v = u + k->first;
        double above = f[0] - k->least, rub = k->nslip == 2 ? hypot(f[1], f[2]) : k->nslip ? fabs(f[1]) : 0;
        double slip = k->nslip == 2 ? hypot(v[1], v[2]) : k->nslip ? fabs(v[1]) : 0;
        worst = fmax(worst, fmax(-above / force, -v[0] / speed));
        worst = fmax(worst, fmin(above / force, v[0] / speed));
        for (int t = 0; t < k->nslip && k->sliding; t++)
            worst = fmax(worst, fabs(f[1 + t] + k->friction * f[0] * k->side[t]) / force);
        if (k->sliding || k->nslip == 0)
            continue;
        double stuck = fmax(slip / speed, (rub - k->sticking * f[0]) / force), slid = 0;
        for (int t = 0; t < k->nslip; t++)
            slid = fmax(slid,
                        slip > 0 ? fabs(f[1 + t] + k->friction * f[0] * v[1 + t] / slip) / force : fabs(rub - k->friction * f[0]) / force);
        worst = fmax(worst, fmin(stuck, slid));
    }
    return worst;
}

static double apart(int n, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void print_problem(const bl_coulomb *c, const search *all) {
    for (int i = 0; i < c->n; i++) {
        const bl_coulomb_contact *k = &c->contact[i];
        print_message("contact %d: friction %g, %g, least %g, %s %g %g\n", i, k->friction, k->sticking, k->least,
                      k->sliding ? "slides along"
                      : k->nslip ? "may stick"
                                 : "none",
                      k->side[0], k->side[1]);
    }
    for (int i = 0; i < c->m; i++) {
        for (int j = 0; j < c->m; j++)
            print_message("%9.5f ", entry(c, i, j));
        print_message("| %9.5f | p %9.5f u %9.5f |", c->b[i], c->p[i], c->u[i]);
        for (int k = 0; all && k < all->count; k++)
            print_message(" p %9.5f u %9.5f", all->p[k][i], all->u[k][i]);
        print_message("\n");
    }
}

static void find_all(const bl_coulomb *c, search *s) {
    choice mode[MOST];
    long total = 1;
    s->count = 0;
    for (int i = 0; i < c->n; i++)
        total *= 6;
    for (long number = 0; number < total; number++) {
        long rest = number;
        bool twice = false;
        for (int i = 0; i < c->n; i++, rest /= 6) {
            int which = (int)(rest % 6);
            mode[i] = (choice){which % 2, which / 2 - 1};
            twice = twice || ((c->contact[i].nslip == 0 || c->contact[i].sliding) && which / 2 != 1);
        }
        double *p = s->p[s->count], *u = s->u[s->count];
        if (twice || !answer(c, mode, p, u) || violation(c, p, u) > 1e-11)
            continue;
        for (int k = 0; k < s->count && !twice; k++)
            twice = apart((int)c->m, u, s->u[k]) <= 1e-7 * (largest((int)c->m, u) + largest((int)c->m, c->b));
        if (!twice && s->count < ANSWERS - 1)
            s->count++;
    }
}

/* ---- random problems */

/* D = W W^T of nv random velocities, all signs */
static void fill(bl_coulomb *c, test_random *r, int nv) {
    double W[SIZE][20];
    for (int i = 0; i < c->m; i++) {
        c->b[i] = test_random_symmetric(r);
        for (int k = 0; k < nv; k++)
            W[i][k] = test_random_symmetric(r);
    }
    for (int i = 0; i < c->m; i++)
        for (int j = 0; j < c->m; j++) {
            double sum = 0;
            for (int k = 0; k < nv; k++)
                sum += W[i][k] * W[j][k];
            c->D[(size_t)j * (size_t)c->m + (size_t)i] = sum;
        }
}

static void pick(bl_coulomb *c, test_random *r, int n, int nslip, bool slide) {
    static const double coefficient[] = {0, 0.1, 0.3, 0.8, 2};
    memset(c->contact, 0, MOST * sizeof *c->contact);
    for (int i = 0; i < n; i++) {
        bl_coulomb_contact *k = &c->contact[i];
        k->nslip = nslip < 2 ? test_random_below(r, 2) : nslip;
        k->group = -1;
        k->friction = k->sticking = coefficient[test_random_below(r, 5)];
        if (test_random_below(r, 3) == 0)
            k->sticking *= 1.3;
        if (test_random_below(r, 4) == 0)
            k->least = test_random_unit(r);
        if (k->nslip == 1 && slide && test_random_below(r, 2)) {
            k->sliding = true;
            k->side[0] = test_random_below(r, 2) ? 1 : -1;
        }
    }
    bl_coulomb_place(c, n);
}

static bl_coulomb *create(bl_context *ctx) {
    bl_coulomb *c;
    assert_int_equal(bl_coulomb_create(ctx, MOST, &c), BL_OK);
    return c;
}

/* what the code tries: beyond 64 it does not look for a second solution */
static int combinations(const bl_coulomb *c) {
    int count = 1;
    for (int i = 0; i < c->n; i++)
        count *= c->contact[i].nslip == 0 || c->contact[i].sliding ? 2 : c->contact[i].least > 0 ? 6 : 4;
    return count;
}

static void answers__agree_with_a_search(void **state) {
    (void)state;
    test_random r = {test_seed(5)};
    bl_context *ctx = test_context(NULL);
    bl_coulomb *c = create(ctx);
    static search all;
    int counts[3] = {0, 0, 0}, one_of_two = 0;
    for (int problem = 0; problem < PROBLEMS; problem++) {
        uint64_t seed = r.state;
        int n = 1 + test_random_below(&r, 3);
        pick(c, &r, n, 1, problem % 2);
        fill(c, &r, (int)c->m + test_random_below(&r, 4));
        find_all(c, &all);
        bl_status status = bl_coulomb_solve(c);
        counts[all.count > 2 ? 2 : all.count]++;
        if ((status == BL_OK) != (all.count > 0))
            fail_msg("problem %d (%d contacts, state %llu): status %d, but %d solutions", problem, n, (unsigned long long)seed, status,
                     all.count);
        if (status != BL_OK) {
            assert_int_equal(status, BL_NO_CONVERGENCE);
            continue;
        }
        double off = violation(c, c->p, c->u), nearest = INFINITY;
        for (int k = 0; k < all.count; k++)
            nearest = fmin(nearest, apart((int)c->m, c->u, all.u[k]));
        if (!(off <= 1e-9))
            print_problem(c, &all);
        if (!(off <= 1e-9) || !(nearest <= 1e-8 * (1 + largest((int)c->m, c->u))))
            fail_msg("problem %d (%d contacts, state %llu): violates the laws by %g, %g from a solution", problem, n,
                     (unsigned long long)seed, off, nearest);
        if (all.count < 2 && c->solutions > 1)
            fail_msg("problem %d (state %llu): %d solutions, found two", problem, (unsigned long long)seed, all.count);
        bool jumps = false; /* between both coefficients a contact sticks: that it could slide as well is not looked for */
        for (int i = 0; i < n; i++)
            jumps = jumps || (!c->contact[i].sliding && c->contact[i].sticking > c->contact[i].friction);
        one_of_two += all.count > 1 && c->solutions < 2 && !jumps && combinations(c) <= 64;
    }
    print_message("%d problems without a solution, %d with one, %d with more, of which %d were not seen\n", counts[0], counts[1], counts[2],
                  one_of_two);
    assert_true(counts[0] > PROBLEMS / 1000 && counts[1] > PROBLEMS / 2 && counts[2] > PROBLEMS / 200);
    assert_int_equal(one_of_two, 0);
    bl_coulomb_destroy(c);
    test_context_end(ctx);
}

/* directions of sliding in space follow from the speeds */
static void answers__in_space_satisfy_the_laws(void **state) {
    (void)state;
    test_random r = {test_seed(6)};
    bl_context *ctx = test_context(NULL);
    bl_coulomb *c = create(ctx);
    int solved = 0, weak = 0;
    for (int problem = 0; problem < PROBLEMS / 4; problem++) {
        pick(c, &r, 1 + test_random_below(&r, 3), 2, false);
        fill(c, &r, (int)c->m + 3);
        for (int i = 0; i < c->n; i++) { /* of moderate friction */
            c->contact[i].friction = fmin(c->contact[i].friction, 0.3);
            c->contact[i].sticking = c->contact[i].friction;
            weak = weak || c->contact[i].friction > 0;
        }
        bl_status status = bl_coulomb_solve(c);
        if (status != BL_OK)
            continue;
        solved++;
        double off = violation(c, c->p, c->u);
        if (!(off <= 1e-8))
            print_problem(c, NULL);
        if (!(off <= 1e-8))
            fail_msg("problem %d: violates the laws by %g", problem, off);
    }
    print_message("%d of %d problems in space have an answer\n", solved, PROBLEMS / 4);
    assert_true(weak && solved >= PROBLEMS / 4 * 0.99);
    bl_coulomb_destroy(c);
    test_context_end(ctx);
}

/* Impacts of many contacts in the plane: b = W v of the velocities before, so that there is a solution, although forces are redundant and
 * combinations too many to try. */
static void impacts__of_many_contacts_have_an_answer(void **state) {
    (void)state;
    enum { CONTACTS = 12, MOTIONS = 9 };
    test_random r = {test_seed(7)};
    bl_context *ctx = test_context(NULL);
    bl_coulomb *c;
    assert_int_equal(bl_coulomb_create(ctx, CONTACTS, &c), BL_OK);
    for (int problem = 0; problem < PROBLEMS / 8; problem++) {
        double W[2 * CONTACTS][MOTIONS], v[MOTIONS];
        int n = 7 + test_random_below(&r, CONTACTS - 6), motions = 3 + test_random_below(&r, MOTIONS - 2);
        memset(c->contact, 0, CONTACTS * sizeof *c->contact);
        for (int i = 0; i < n; i++) {
            c->contact[i] = (bl_coulomb_contact){.nslip = 1, .group = -1, .friction = test_random_unit(&r)};
            c->contact[i].sticking = c->contact[i].friction;
            c->contact[i].least = test_random_below(&r, 4) == 0 ? test_random_unit(&r) : 0;
        }
        bl_coulomb_place(c, n);
        for (int k = 0; k < motions; k++)
            v[k] = test_random_symmetric(&r);
        for (int i = 0; i < c->m; i++) {
            c->b[i] = 0;
            for (int k = 0; k < motions; k++)
                c->b[i] += (W[i][k] = test_random_symmetric(&r)) * v[k];
        }
        for (int i = 0; i < c->m; i++)
            for (int j = 0; j < c->m; j++) {
                double sum = 0;
                for (int k = 0; k < motions; k++)
                    sum += W[i][k] * W[j][k];
                c->D[(size_t)j * (size_t)c->m + (size_t)i] = sum;
            }
        bl_status status = bl_coulomb_solve(c);
        double off = status == BL_OK ? violation(c, c->p, c->u) : INFINITY;
        if (!(off <= 1e-7))
            fail_msg("problem %d (%d contacts, %d motions): status %d, violates the laws by %g", problem, n, motions, status, off);
    }
    bl_coulomb_destroy(c);
    test_context_end(ctx);
}

/* ---- known cases: rows of W by body, M^-1 of each */

static void from_rows(bl_coulomb *c, int nv, double (*W)[12], const double *inverse, const double *force) {
    for (int i = 0; i < c->m; i++) {
        c->b[i] = 0;
        for (int k = 0; k < nv; k++)
            c->b[i] += W[i][k] * inverse[k] * force[k];
        for (int j = 0; j < c->m; j++) {
            double sum = 0;
            for (int k = 0; k < nv; k++)
                sum += W[i][k] * inverse[k] * W[j][k];
            c->D[(size_t)j * (size_t)c->m + (size_t)i] = sum;
        }
    }
}

static void set(bl_coulomb *c, int n, int nslip, double friction) {
    memset(c->contact, 0, MOST * sizeof *c->contact);
    for (int i = 0; i < n; i++)
        c->contact[i] = (bl_coulomb_contact){.nslip = nslip, .friction = friction, .sticking = friction, .group = -1};
    bl_coulomb_place(c, n);
}

/* Three equal discs, one on two: at rest where friction between them is 2 - sqrt(3), and a third of that at the floor. */
static bool discs_rest(bl_coulomb *c, double between, double floor) {
    const double s = 0.5, h = sqrt(3) / 2, weight = 9.81;
    double W[8][12] = {{0}}, inverse[9], force[9] = {0};
    for (int body = 0; body < 3; body++) { /* x, y, angle; radius 1, mass 1 */
        inverse[3 * body] = inverse[3 * body + 1] = 1;
        inverse[3 * body + 2] = 2;
        force[3 * body + 1] = -weight;
    }
    set(c, 4, 1, between);
    for (int side = 0; side < 2; side++) {
        double out = side ? -1 : 1; /* from the lower disc to the upper one, in x */
        double *n = W[2 * side], *t = W[2 * side + 1];
        c->contact[side].friction = c->contact[side].sticking = floor;
        n[3 * side + 1] = 1;
        t[3 * side] = 1;
        t[3 * side + 2] = 1;
        n = W[4 + 2 * side], t = W[5 + 2 * side];
        n[6] = s * out, n[7] = h, n[3 * side] = -s * out, n[3 * side + 1] = -h;
        t[6] = h, t[7] = -s * out, t[3 * side] = -h, t[3 * side + 1] = s * out;
        t[8] = 1, t[3 * side + 2] = 1;
    }
    from_rows(c, 9, W, inverse, force);
    assert_int_equal(bl_coulomb_solve(c), BL_OK);
    assert_true(violation(c, c->p, c->u) < 1e-10);
    if (largest((int)c->m, c->u) > 1e-9)
        return false;
    for (int side = 0; side < 2; side++) {
        assert_true(fabs(c->p[4 + 2 * side] - 0.5 * weight) < 1e-9 && fabs(fabs(c->p[5 + 2 * side]) - 0.1339745962155614 * weight) < 1e-9);
        assert_true(fabs(c->p[2 * side] - 1.5 * weight) < 1e-9 && fabs(fabs(c->p[1 + 2 * side]) - 0.1339745962155614 * weight) < 1e-9);
    }
    return true;
}

static void discs__rest_on_each_other_by_friction(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_coulomb *c = create(ctx);
    const double between = 2 - sqrt(3), floor = (2 - sqrt(3)) / 3;
    assert_true(discs_rest(c, 1.0001 * between, 1.0001 * floor));
    assert_true(discs_rest(c, between + 1e-8, 1));
    assert_true(discs_rest(c, 1, floor + 1e-8));
    assert_false(discs_rest(c, between - 1e-8, 1)); /* 0.2679491924 */
    assert_false(discs_rest(c, 1, floor - 1e-8));   /* 0.0893163975 */
    assert_true(fabs(between - 0.2679491924) < 6e-11 && fabs(floor - 0.0893163975) < 6e-11);
    assert_false(discs_rest(c, 0, 0));
    bl_coulomb_destroy(c);
    test_context_end(ctx);
}

/* A rod of 1 m and 1 kg at an angle, its lower end ahead of it: beyond a coefficient there is no acceleration, or there are two. */
static void rod__has_no_or_two_accelerations_beyond_a_coefficient(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_coulomb *c = create(ctx);
    static const double angles[] = {45, 63.43494882292201, 60}, limit[] = {5. / 3, 4. / 3, 1.347150628109127};
    for (int k = 0; k < 3; k++)
        for (int beyond = 0; beyond < 2; beyond++) {
            double a = angles[k] * acos(-1) / 180, inverse[] = {1, 1, 12}, force[] = {0, -9.81, 0};
            double W[8][12] = {{0, 1, 0.5 * cos(a)}, {1, 0, 0.5 * sin(a)}}; /* the end at +cos/2, -sin/2 */
            set(c, 1, 1, limit[k] * (beyond ? 1.001 : 0.999));
            from_rows(c, 3, W, inverse, force);
            c->contact[0].sliding = true;
            c->contact[0].side[0] = -1;
            assert_true(bl_coulomb_sliding_entry(c, 0) > 1); /* away from it: friction helps */
            c->contact[0].side[0] = 1;
            assert_true((bl_coulomb_sliding_entry(c, 0) > 0) == !beyond);
            double own = c->D[0], needed = c->contact[0].friction * own / (own - bl_coulomb_sliding_entry(c, 0));
            assert_true(fabs(needed - limit[k]) < 1e-12); /* 1.6666666667, 1.3333333333, 1.3471506281 */
            assert_int_equal(bl_coulomb_solve(c), beyond ? BL_NO_CONVERGENCE : BL_OK);
            c->b[0] = 1; /* it turns so fast that the end would leave */
            assert_int_equal(bl_coulomb_solve(c), BL_OK);
            assert_int_equal(c->solutions, beyond ? 2 : 1);
        }
    bl_coulomb_destroy(c);
    test_context_end(ctx);
}

/* A contact at rest, whose speeds are what rounding left of those of the bodies: modes that differ fit them, but not two motions. */
static void contact__at_rest_has_one_solution(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_coulomb *c = create(ctx);
    double W[8][12] = {{0, 1, 0}, {1, 0, 0.1}}, inverse[] = {1, 1, 200}, none[] = {0, 0, 0};
    for (int k = 0; k < 3; k++) { /* sliding is seen to 1e-10 of 1.58; moving bodies have speeds of their own */
        const double slip[] = {-4.6e-11, 4.6e-11, -0.46}, approach[] = {-1.7e-13, -1.7e-13, -0.17};
        set(c, 1, 1, 0.2);
        from_rows(c, 3, W, inverse, none);
        c->b[0] = approach[k];
        c->b[1] = slip[k];
        c->rounded = 1.58;
        assert_int_equal(bl_coulomb_solve(c), BL_OK);
        assert_int_equal(c->solutions, 1);
        assert_true(fabs(c->u[0]) < 1e-15);
    }
    bl_coulomb_destroy(c);
    test_context_end(ctx);
}

/* A table on four feet: the forces are not unique, their least norm is the one that is linear over the feet; an eccentric load. */
static void table__shares_its_weight_by_least_norm(void **state) {
    (void)state;
    static const double x[] = {-1, 1, 1, -1}, y[] = {-1, -1, 1, 1};
    bl_context *ctx = test_context(NULL);
    bl_coulomb *c = create(ctx);
    double W[8][12] = {{0}}, inverse[] = {0.5, 2, 3}, force[] = {-10, 0, 0};
    for (int i = 0; i < 4; i++) {
        W[i][0] = 1;
        W[i][1] = y[i];
        W[i][2] = -x[i];
    }
    for (int k = 0; k < 3; k++) {
        double at[3][2] = {{0, 0}, {0.25, 0.5}, {0.5, 0.25}};
        force[1] = -10 * at[k][1];
        force[2] = 10 * at[k][0];
        set(c, 4, 0, 0);
        from_rows(c, 3, W, inverse, force);
        assert_int_equal(bl_coulomb_solve(c), BL_OK);
        assert_true(c->redundant && c->solutions == 1 && largest(4, c->u) < 1e-10);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(c->p[i] - 2.5 * (1 + x[i] * at[k][0] + y[i] * at[k][1])) < 1e-9);
    }
    force[1] = -9, force[2] = 9; /* its least norm would pull at one foot: the other three carry it */
    from_rows(c, 3, W, inverse, force);
    assert_int_equal(bl_coulomb_solve(c), BL_OK);
    assert_true(violation(c, c->p, c->u) < 1e-9 && c->p[0] == 0 && fabs(c->p[1] + c->p[2] + c->p[3] - 10) < 1e-9);
    bl_coulomb_destroy(c);
    test_context_end(ctx);
}

/* Two feet of one body on a line, pushed along it: they stick as long as both together can hold it, whichever carries the weight. */
static void feet__hold_together(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_coulomb *c = create(ctx);
    for (int k = 0; k < 12; k++) {
        double push = 0.1 * k, inverse[] = {1, 1, 12}, force[] = {push, -2, 0.3};
        double W[8][12] = {{0, 1, -1}, {1, 0, 0.2}, {0, 1, 1}, {1, 0, 0.2}};
        set(c, 2, 1, 0.4);
        c->contact[0].group = c->contact[1].group = 0;
        from_rows(c, 3, W, inverse, force);
        assert_int_equal(bl_coulomb_solve(c), BL_OK);
        assert_true(fabs(c->p[0] + c->p[2] - 2) < 1e-10);
        double held = fmin(push, 0.8);
        assert_true(fabs(c->p[1] + c->p[3] + held) < 1e-9 && fabs(c->u[1] - (push - held)) < 1e-9);
    }
    bl_coulomb_destroy(c);
    test_context_end(ctx);
}

/* Two ends at one point of a mechanism with one degree of freedom, where sticking holds by many forces: all those with the least norm are
 * beyond friction, others are not. */
static void ends__of_one_motion_stick(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_coulomb *c = create(ctx);
    static const double D[] = {0.033799088574311381, 0.16245596023676107, 0.16245596023676107, 0.78084765387747712};
    static const double b[] = {-0.79801319763449763, -3.8356655658774614};
    set(c, 2, 1, 1);
    c->contact[1].friction = c->contact[1].sticking = 0.3;
    c->contact[0].group = 0;
    c->contact[1].group = 2;
    for (int i = 0; i < 4; i++) {
        c->b[i] = b[i % 2];
        for (int j = 0; j < 4; j++)
            c->D[4 * j + i] = D[2 * (j % 2) + i % 2];
    }
    assert_int_equal(bl_coulomb_solve(c), BL_OK);
    assert_true(violation(c, c->p, c->u) < 1e-8 && largest(4, c->u) < 1e-8);
    bl_coulomb_destroy(c);
    test_context_end(ctx);
}

/* Speeds that are rounding of larger numbers: whether the contact opens, sticks or slides by them is no difference. Forces of that size are
 * let pass as zero. */
static void rounding__makes_no_second_solution(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_coulomb *c = create(ctx);
    for (int k = 0; k < 8; k++) {
        set(c, 1, 1, 0.5);
        c->D[0] = 1.13, c->D[3] = 1.37;
        c->D[1] = c->D[2] = -0.22;
        c->b[0] = (k & 1 ? -1 : 1) * 5e-11;
        c->b[1] = (k & 2 ? -1 : 1) * 6e-12;
        c->rounded = k & 4 ? 0.76 : 0;
        assert_int_equal(bl_coulomb_solve(c), BL_OK);
        assert_int_equal(c->solutions, 1);
        assert_true(c->contact[0].slack > 0 && c->contact[0].slack <= (k & 4 ? 1e-9 : 1e-19));
    }
    bl_coulomb_destroy(c);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers__agree_with_a_search),
        cmocka_unit_test(rounding__makes_no_second_solution),
        cmocka_unit_test(answers__in_space_satisfy_the_laws),
        cmocka_unit_test(impacts__of_many_contacts_have_an_answer),
        cmocka_unit_test(discs__rest_on_each_other_by_friction),
        cmocka_unit_test(rod__has_no_or_two_accelerations_beyond_a_coefficient),
        cmocka_unit_test(contact__at_rest_has_one_solution),
        cmocka_unit_test(table__shares_its_weight_by_least_norm),
        cmocka_unit_test(feet__hold_together),
        cmocka_unit_test(ends__of_one_motion_stick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
