/* Contacts of bodies that a mechanism connects: the same problem with its matrix, by the residual of the law and by the other solver. */
#include "base/vector3.h"
#include "complement/cone.h"
#include "complement/cone_groups.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

/* body 0 is the ground, 1 and 2 are free, 3 ... 5 a group, 6 and 7 another one, 7 a variable with a stop */
enum { BODIES = 8, CONTACTS = 12, SIZE = 3 * CONTACTS, MOST = 18 };

typedef struct pile {
    bl_cone_body body[BODIES], start[BODIES];
    bl_cone_contact contact[CONTACTS];
    bl_index njoined, group_of[BODIES], part_of[BODIES], first[5], member[5];
    double D_group[2][MOST * MOST], local[CONTACTS][9];
    bl_cone_group group[2];
    bl_cone_groups groups;
    double P[CONTACTS][3], D[SIZE * SIZE], u0[SIZE], mu[CONTACTS], work[6 * CONTACTS + 12 * BODIES], more[12 * CONTACTS];
    bl_cone_problem problem;
} pile;

static void unit(test_random *random, double n[3]) {
    do {
        for (int k = 0; k < 3; k++)
            n[k] = test_random_symmetric(random);
    } while (norm3(n) < 0.1);
    double by = 1 / norm3(n);
    for (int k = 0; k < 3; k++)
        n[k] *= by;
}

/* D = B B^T with `rank` columns: fewer than n are those of a mechanism, whose velocities are in the range of B */
static void make_group(test_random *random, bl_cone_group *g, bl_cone_body *body, int rank) {
    double B[MOST][MOST], y[MOST] = {0}, z;
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < rank; k++)
            B[i][k] = test_random_symmetric(random);
    for (int k = 0; k < rank; k++) {
        z = test_random_symmetric(random);
        for (int i = 0; i < g->n; i++)
            y[i] += B[i][k] * z;
    }
    for (bl_index part = 0; part < g->nbody; part++)
        for (int k = 0; k < 6 && g->first[part] + k < g->n; k++)
            *(k < 3 ? &body[g->body[part]].v[k] : &body[g->body[part]].w[k - 3]) = y[g->first[part] + k];
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += B[i][k] * B[j][k];
            g->D[(size_t)j * (size_t)g->n + (size_t)i] = sum;
        }
}

static void make_bodies(test_random *random, pile *p, int rank) {
    static const bl_index group_of[BODIES] = {-1, -1, -1, 0, 0, 0, 1, 1}, part_of[BODIES] = {-1, -1, -1, 0, 1, 2, 0, 1};
    memset(p, 0, sizeof *p);
    for (int i = 0; i < BODIES; i++) {
        bl_cone_body *b = p->body + i;
        bool alone = i == 1 || i == 2;
        p->group_of[i] = group_of[i];
        p->part_of[i] = part_of[i];
        b->by_mass = alone ? 0.5 + test_random_unit(random) : 0;
        b->by_inertia = i == 1 ? 2 : alone ? -1 : 0;
        for (int k = 0; k < 3; k++) {
            b->tensor[k] = i == 2 ? 2 + 3 * test_random_unit(random) : 0;
            b->tensor[3 + k] = i == 2 ? test_random_symmetric(random) : 0;
            b->v[k] = i == 0 || (i == 7 && k > 0) ? 0 : test_random_symmetric(random);
            b->w[k] = i == 0 || i == 7 ? 0 : test_random_symmetric(random);
        }
    }
    for (bl_index k = 0; k < 5; k++) {
        p->member[k] = 3 + k;
        p->first[k] = 6 * (k < 3 ? k : k - 3);
    }
    p->group[0] = (bl_cone_group){.nbody = 3, .n = 18, .body = p->member, .first = p->first, .D = p->D_group[0]};
    p->group[1] = (bl_cone_group){.nbody = 2, .n = 7, .body = p->member + 3, .first = p->first + 3, .D = p->D_group[1]};
    make_group(random, &p->group[0], p->body, rank);
    make_group(random, &p->group[1], p->body, rank < 7 ? rank : 7);
    p->groups = (bl_cone_groups){.n = 2, .group = p->group, .group_of = p->group_of, .part_of = p->part_of, .local = p->local};
}

/* contacts of free bodies come first; the last one is the stop. Bodies at rest satisfy all: there is a solution */
static void make_contacts(test_random *random, pile *p) {
    int count = 0;
    for (int joined = 0; joined < 2; joined++)
        while (count < (joined ? CONTACTS - 1 : 3)) {
            bl_cone_contact *c = p->contact + count;
            c->body[0] = joined ? test_random_below(random, 6) : test_random_below(random, 2);
            c->body[1] = c->body[0] + 1 + test_random_below(random, (joined ? 6 : 2) - c->body[0]);
            if ((bl_cone_is_joined(&p->groups, c) ? 1 : 0) != joined)
                continue;
            p->mu[count] = c->mu = count % 5 ? test_random_unit(random) : 0;
            c->target = count % 3 ? 0 : -0.2 * test_random_unit(random);
            unit(random, c->n);
            for (int k = 0; k < 3; k++) {
                c->r[0][k] = 0.5 * test_random_symmetric(random);
                c->r[1][k] = 0.5 * test_random_symmetric(random);
            }
            count++;
        }
    p->contact[count] = (bl_cone_contact){.body = {0, 7}, .n = {test_random_below(random, 2) ? 1.0 : -1.0}, .target = -0.1};
    p->njoined = CONTACTS - 3;
    for (int i = 0; i < CONTACTS; i++)
        if (i < 3)
            bl_cone_contact_prepare(p->body, p->contact + i);
        else
            bl_cone_joined_prepare(&p->groups, p->body, p->contact + i, p->local[i - 3]);
}

static void velocity(const pile *p, const bl_cone_body *body, int i, double u[3]) {
    const bl_cone_contact *c = p->contact + i;
    double global[3];
    bl_cone_contact_velocity(body, c, global);
    u[0] = dot3(global, c->n) - c->target;
    u[1] = dot3(global, c->t[0]);
    u[2] = dot3(global, c->t[1]);
}

/* the change of all velocities by a wrench on a body, term by term from the definition */
static void move_by(const pile *p, bl_cone_body *body, bl_index i, const double x[6]) {
    bl_index group = p->group_of[i];
    if (group < 0) {
        bl_cone_body *b = body + i;
        const double *t = b->tensor, round = fmax(b->by_inertia, 0);
        for (int k = 0; k < 3; k++)
            b->v[k] += b->by_mass * x[k];
        b->w[0] += (t[0] + round) * x[3] + t[3] * x[4] + t[4] * x[5];
        b->w[1] += t[3] * x[3] + (t[1] + round) * x[4] + t[5] * x[5];
        b->w[2] += t[4] * x[3] + t[5] * x[4] + (t[2] + round) * x[5];
        return;
    }
    const bl_cone_group *g = &p->group[group];
    for (bl_index part = 0; part < g->nbody; part++) {
        bl_cone_body *b = body + g->body[part];
        int n = g->body[part] == 7 ? 1 : 6, m = i == 7 ? 1 : 6;
        for (int r = 0; r < n; r++)
            for (int c = 0; c < m; c++) {
                double change = g->D[(size_t)(g->first[p->part_of[i]] + c) * (size_t)g->n + (size_t)(g->first[part] + r)] * x[c];
                if (r < 3)
                    b->v[r] += change;
                else
                    b->w[r - 3] += change;
            }
    }
}

static void make_matrix(pile *p) {
    for (int j = 0; j < SIZE; j++) {
        bl_cone_body body[BODIES];
        memcpy(body, p->body, sizeof body);
        const bl_cone_contact *c = p->contact + j / 3;
        const double *direction = j % 3 == 0 ? c->n : c->t[j % 3 - 1];
        for (int side = 0; side < 2; side++) {
            double x[6], moment[3], sign = side ? 1 : -1;
            cross3(c->r[side], direction, moment);
            for (int k = 0; k < 3; k++) {
                x[k] = sign * direction[k];
                x[3 + k] = sign * moment[k];
            }
            move_by(p, body, c->body[side], x);
        }
        for (int i = 0; i < CONTACTS; i++) {
            double u[3];
            velocity(p, body, i, u);
            velocity(p, p->body, i, p->u0 + 3 * i);
            for (int k = 0; k < 3; k++)
                p->D[SIZE * j + 3 * i + k] = u[k] - p->u0[3 * i + k];
        }
    }
    p->problem = (bl_cone_problem){CONTACTS, p->D, p->u0, p->mu};
}

static void make(test_random *random, pile *p, int rank) {
    make_bodies(random, p, rank);
    make_contacts(random, p);
    make_matrix(p);
}

static void local_parts__are_those_of_the_matrix(void **state) {
    (void)state;
    test_random random = {test_seed(61)};
    for (int round = 0; round < 50; round++) {
        static pile p;
        make(&random, &p, 1 + round % 18);
        for (int i = 3; i < CONTACTS; i++)
            for (int j = 0; j < 9; j++) {
                double D = p.D[SIZE * (3 * i + j / 3) + 3 * i + j % 3];
                assert_true(fabs(p.local[i - 3][j] - D) < 1e-12);
            }
    }
}

static void pushes__move_all_that_is_connected(void **state) {
    (void)state;
    test_random random = {test_seed(62)};
    for (int round = 0; round < 50; round++) {
        static pile p;
        make(&random, &p, 4);
        for (int i = 3; i < CONTACTS; i++) {
            bl_cone_body body[BODIES];
            double P[3], impulse[3];
            unit(&random, P);
            memcpy(body, p.body, sizeof body);
            bl_cone_contact_impulse(p.contact + i, P, impulse);
            bl_cone_joined_push(&p.groups, body, p.contact + i, impulse);
            for (int k = 0; k < CONTACTS; k++) {
                double u[3];
                velocity(&p, body, k, u);
                for (int m = 0; m < 3; m++) {
                    double wanted = p.u0[3 * k + m];
                    for (int j = 0; j < 3; j++)
                        wanted += p.D[SIZE * (3 * i + j) + 3 * k + m] * P[j];
                    assert_true(fabs(u[m] - wanted) < 1e-12);
                }
            }
        }
    }
}

/* the velocities that impulses P cause, by the matrix */
static void by_matrix(const pile *p, const double *P, double *u) {
    for (int i = 0; i < SIZE; i++) {
        u[i] = p->u0[i];
        for (int j = 0; j < SIZE; j++)
            u[i] += p->D[SIZE * j + i] * P[j];
    }
}

/* velocities are those that the impulses cause, and both obey the law of the full problem */
static void sweeps__satisfy_the_law(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(63)};
    double worst = 0;
    for (int round = 0; round < 100; round++) {
        static pile p;
        double u[SIZE], v[SIZE];
        make(&random, &p, round % 2 ? 18 : 6);
        memcpy(p.start, p.body, sizeof p.body);
        for (int momentum = 0; momentum < 2; momentum++) {
            bl_cone_sweeps sweeps = {.most = 100000,
                                     .normal = 200,
                                     .tolerance = 1e-12,
                                     .work = momentum ? p.work : NULL,
                                     .groups = &p.groups,
                                     .njoined = p.njoined};
            memcpy(p.body, p.start, sizeof p.body);
            memset(p.P, 0, sizeof p.P);
            assert_int_equal(bl_cone_bodies_solve(ctx, BODIES, p.body, CONTACTS, p.contact, p.P, &sweeps), BL_OK);
            for (int i = 0; i < CONTACTS; i++)
                velocity(&p, p.body, i, u + 3 * i);
            by_matrix(&p, p.P[0], v);
            for (int i = 0; i < SIZE; i++)
                assert_true(fabs(u[i] - v[i]) < 1e-9);
            worst = fmax(worst, bl_cone_residual(&p.problem, p.P[0], u));
        }
    }
    print_message("residual %.3g\n", worst);
    assert_true(worst < 1e-9);
    test_context_end(ctx);
}

/* without friction normal velocities are unique */
static void normal_velocities__are_those_of_the_full_problem(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(64)};
    for (int round = 0; round < 50; round++) {
        static pile p;
        double u[SIZE], P[SIZE] = {0};
        bl_cone_result result;
        make(&random, &p, 1 + round % 18);
        for (int i = 0; i < CONTACTS; i++)
            p.mu[i] = p.contact[i].mu = 0;
        bl_cone_sweeps sweeps = {.most = 200000, .normal = 100, .tolerance = 1e-13, .groups = &p.groups, .njoined = p.njoined};
        assert_int_equal(bl_cone_bodies_solve(ctx, BODIES, p.body, CONTACTS, p.contact, p.P, &sweeps), BL_OK);
        assert_int_equal(bl_cone_solve(&p.problem, &(bl_cone_options){BL_CONE_GRADIENT, 1e-11, 1000000}, P, u, p.more, &result), BL_OK);
        for (int i = 0; i < CONTACTS; i++) {
            double own[3];
            velocity(&p, p.body, i, own);
            if (!(fabs(own[0] - u[3 * i]) < 1e-7))
                fail_msg("contact %d opens with %.12g, should be %.12g", i, own[0], u[3 * i]);
        }
    }
    test_context_end(ctx);
}

/* A body that the mechanism holds in two directions: it gets no impulse there, however large the coefficient of friction; what presses
 * against something immobile has no impulse without bound. Rounding of the response, 1e-13 of the mobility, is no motion. */
static void immobile_directions__have_no_impulses(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static pile p;
    test_random random = {test_seed(65)};
    for (int round = 0; round < 20; round++) {
        double free_along = 1 + test_random_unit(&random), noise = 1e-13 * (1 + test_random_unit(&random));
        make_bodies(&random, &p, 1);
        memset(p.D_group[0], 0, sizeof p.D_group[0]);
        for (int k = 0; k < 3; k++) /* body 3 moves along z alone */
            p.D_group[0][(size_t)k * 19] = k == 2 ? free_along : noise;
        memset(p.body, 0, sizeof p.body);
        p.body[3].v[0] = 1e-9; /* errors of the step */
        p.body[3].v[2] = -1;
        p.contact[0] = (bl_cone_contact){.body = {0, 3}, .mu = 0.5, .n = {0, 0, 1}};
        bl_cone_joined_prepare(&p.groups, p.body, p.contact, p.local[0]);
        bl_cone_sweeps sweeps = {.most = 100, .normal = 10, .tolerance = 1e-8, .groups = &p.groups, .njoined = 1};
        memset(p.P, 0, sizeof p.P);
        assert_int_equal(bl_cone_bodies_solve(ctx, BODIES, p.body, 1, p.contact, p.P, &sweeps), BL_OK);
        assert_true(fabs(p.P[0][0] - 1 / free_along) < 1e-12 && fabs(p.body[3].v[2]) < 1e-12);
        assert_true(p.P[0][1] == 0 && p.P[0][2] == 0);
        /* along x, where nothing can move */
        p.body[3].v[0] = -1;
        p.contact[0] = (bl_cone_contact){.body = {0, 3}, .mu = 0.5, .n = {1, 0, 0}};
        bl_cone_joined_prepare(&p.groups, p.body, p.contact, p.local[0]);
        memset(p.P, 0, sizeof p.P);
        assert_int_equal(bl_cone_bodies_solve(ctx, BODIES, p.body, 1, p.contact, p.P, &sweeps), BL_OK);
        assert_true(p.P[0][0] == 0 && p.body[3].v[0] == -1);
    }
    test_context_end(ctx);
}

/* both sides in one group: what moves them together alone is not felt by the contact */
static void sides_that_move_together__do_not_touch(void **state) {
    (void)state;
    test_random random = {test_seed(66)};
    static pile p;
    make_bodies(&random, &p, 1);
    double together[18];
    for (int i = 0; i < 18; i++)
        together[i] = i % 6 < 3 ? (double)(i % 3) + 1 : 0;
    for (int i = 0; i < 18; i++)
        for (int j = 0; j < 18; j++)
            p.D_group[0][18 * j + i] = together[i] * together[j];
    p.contact[0] = (bl_cone_contact){.body = {3, 5}, .mu = 0.5, .n = {0, 1, 0}, .r = {{0.1, 0.2, 0.3}, {-0.1, 0, 0.2}}};
    bl_cone_joined_prepare(&p.groups, p.body, p.contact, p.local[0]);
    for (int k = 0; k < 9; k++)
        assert_true(p.local[0][k] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(local_parts__are_those_of_the_matrix),
                                       cmocka_unit_test(pushes__move_all_that_is_connected),
                                       cmocka_unit_test(sweeps__satisfy_the_law),
                                       cmocka_unit_test(normal_velocities__are_those_of_the_full_problem),
                                       cmocka_unit_test(immobile_directions__have_no_impulses),
                                       cmocka_unit_test(sides_that_move_together__do_not_touch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
