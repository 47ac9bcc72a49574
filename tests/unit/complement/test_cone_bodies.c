/* Contacts between bodies without a matrix: the same problem with its matrix, by the residual of the law and by the other solver. */
#include "base/vector3.h"
#include "complement/cone.h"
#include "complement/cone_bodies.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

enum { BODIES = 7, CONTACTS = 14, SIZE = 3 * CONTACTS };

typedef struct pile {
    bl_cone_body body[BODIES], start[BODIES];
    bl_cone_contact contact[CONTACTS];
    double P[CONTACTS][3], D[SIZE * SIZE], u0[SIZE], mu[CONTACTS], work[6 * CONTACTS + 12 * BODIES];
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

/* body 0 does not move; body 1 is round */
static void make_bodies(test_random *random, pile *p) {
    memset(p, 0, sizeof *p);
    for (int i = 0; i < BODIES; i++) {
        bl_cone_body *b = p->body + i;
        b->by_mass = i == 0 ? 0 : 0.5 + test_random_unit(random);
        b->by_inertia = i == 0 ? 0 : i == 1 ? 2 : -1;
        for (int k = 0; k < 3; k++) {
            b->tensor[k] = i < 2 ? 0 : 2 + 3 * test_random_unit(random);
            b->tensor[3 + k] = i < 2 ? 0 : test_random_symmetric(random);
            b->v[k] = i == 0 ? 0 : test_random_symmetric(random);
            b->w[k] = i == 0 ? 0 : test_random_symmetric(random);
        }
    }
}

static void make_contacts(test_random *random, pile *p) {
    for (int i = 0; i < CONTACTS; i++) {
        bl_cone_contact *c = p->contact + i;
        c->body[0] = test_random_below(random, BODIES - 1);
        c->body[1] = c->body[0] + 1 + test_random_below(random, BODIES - 1 - c->body[0]);
        p->mu[i] = c->mu = i % 5 ? test_random_unit(random) : 0;
        c->target = i % 3 ? 0 : -0.2 * test_random_unit(random); /* bodies at rest satisfy all: there is a solution */
        unit(random, c->n);
        for (int k = 0; k < 3; k++) {
            c->r[0][k] = 0.5 * test_random_symmetric(random);
            c->r[1][k] = 0.5 * test_random_symmetric(random);
        }
        bl_cone_contact_prepare(p->body, c);
    }
}

/* velocities at contact i in its axes, relative to the target */
static void velocity(const pile *p, const bl_cone_body *body, int i, double u[3]) {
    const bl_cone_contact *c = p->contact + i;
    double global[3];
    bl_cone_contact_velocity(body, c, global);
    u[0] = dot3(global, c->n) - c->target;
    u[1] = dot3(global, c->t[0]);
    u[2] = dot3(global, c->t[1]);
}

/* column j of D: the change of all velocities by a unit impulse, applied as the law of bodies says, term by term */
static void make_matrix(pile *p) {
    for (int j = 0; j < SIZE; j++) {
        bl_cone_body body[BODIES];
        memcpy(body, p->body, sizeof body);
        const bl_cone_contact *c = p->contact + j / 3;
        const double *x = j % 3 == 0 ? c->n : c->t[j % 3 - 1];
        for (int side = 0; side < 2; side++) {
            bl_cone_body *b = body + c->body[side];
            double moment[3], sign = side ? 1 : -1;
            cross3(c->r[side], x, moment);
            const double *t = b->tensor, round = fmax(b->by_inertia, 0);
            for (int k = 0; k < 3; k++)
                b->v[k] += sign * b->by_mass * x[k];
            b->w[0] += sign * ((t[0] + round) * moment[0] + t[3] * moment[1] + t[4] * moment[2]);
            b->w[1] += sign * (t[3] * moment[0] + (t[1] + round) * moment[1] + t[5] * moment[2]);
            b->w[2] += sign * (t[4] * moment[0] + t[5] * moment[1] + (t[2] + round) * moment[2]);
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

static void local_parts__are_those_of_the_matrix(void **state) {
    (void)state;
    test_random random = {test_seed(51)};
    for (int round = 0; round < 50; round++) {
        static pile p;
        make_bodies(&random, &p);
        make_contacts(&random, &p);
        make_matrix(&p);
        for (int i = 0; i < CONTACTS; i++) {
            const bl_cone_contact *c = p.contact + i;
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) {
                    double e[3] = {1, c->g[0], c->g[1]}, D = e[j] * e[k] / c->by_n + (j == k && j > 0 ? 1 / c->by_s[j - 1] : 0);
                    assert_true(fabs(D - p.D[SIZE * (3 * i + j) + 3 * i + k]) < 1e-12);
                }
        }
    }
}

/* runs of one to six contacts between the same bodies */
static void make_faces(test_random *random, pile *p) {
    for (int i = 1; i < CONTACTS; i++) {
        bl_cone_contact *c = p->contact + i;
        double turn[3];
        if (i == 1 || i == 7 || i == 10 || i == 12)
            continue;
        c->body[0] = c[-1].body[0];
        c->body[1] = c[-1].body[1];
        unit(random, turn);
        for (int k = 0; k < 3; k++)
            c->n[k] = c[-1].n[k] + 0.1 * turn[k];
        double by = 1 / norm3(c->n);
        for (int k = 0; k < 3; k++)
            c->n[k] *= by;
        bl_cone_contact_prepare(p->body, c);
    }
}

static void sweeps__satisfy_the_law(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(52)};
    long total[4] = {0};
    for (int round = 0; round < 100; round++) {
        static pile p;
        bl_cone_run run[CONTACTS];
        static bl_cone_block block[CONTACTS / 2];
        bl_cone_blocks blocks = {.run = run, .block = block};
        make_bodies(&random, &p);
        make_contacts(&random, &p);
        make_faces(&random, &p);
        make_matrix(&p);
        bl_cone_blocks_prepare(p.body, CONTACTS, p.contact, &blocks);
        assert_true(blocks.nrun >= 4 && blocks.nblock >= 4);
        memcpy(p.start, p.body, sizeof p.body);
        for (int way = 0; way < 4; way++) {
            bl_cone_sweeps sweeps = {
                .most = 200000, .normal = 200, .tolerance = 1e-12, .work = way & 1 ? p.work : NULL, .blocks = way & 2 ? &blocks : NULL};
            double u[SIZE];
            memcpy(p.body, p.start, sizeof p.body);
            memset(p.P, 0, sizeof p.P);
            assert_int_equal(bl_cone_bodies_solve(ctx, BODIES, p.body, CONTACTS, p.contact, p.P, &sweeps), BL_OK);
            for (int i = 0; i < CONTACTS; i++)
                velocity(&p, p.body, i, u + 3 * i);
            double residual = bl_cone_residual(&p.problem, p.P[0], u);
            total[way] += sweeps.done;
            if (residual > 1e-9)
                print_message("residual %g\n", residual);
            assert_true(residual < 1e-9);
        }
    }
    print_message("sweeps: %ld, with momentum %ld; in blocks %ld, with momentum %ld\n", total[0], total[1], total[2], total[3]);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_parts__are_those_of_the_matrix),
        cmocka_unit_test(sweeps__satisfy_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
