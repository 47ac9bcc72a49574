/* Every element with every strain, material and plane it supports, and every scalar field: patch test, rigid motions, mass, tangent
 * compared with forces. Kinds are taken from the lists, so new ones are tested, too. */
#include "dense/dense.h"
#include "support/solids.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct built {
    const solid_case *c;
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_eval e;
    bl_index n;
    double *x, *v;
    unsigned char *history;
} built;

static void begin(built *b, const solid_case *c) {
    *b = (built){.c = c, .ctx = test_context(NULL)};
    solid_build(b->ctx, c, &b->model, &b->sys);
    b->n = b->sys->nv + b->sys->nz;
    assert_int_equal(bl_eval_create(b->sys, BL_M | BL_Q | BL_F | BL_KC | BL_ENERGY, &b->e), BL_OK);
    b->x = calloc((size_t)b->n, sizeof *b->x);
    b->v = calloc((size_t)b->n, sizeof *b->v);
    b->history = calloc(b->sys->history_bytes + 8, 1);
    b->e.q = b->sys->nv ? b->x : NULL;
    b->e.v = b->v;
    b->e.z = b->sys->nz ? b->x : NULL;
    b->e.history = b->history;
}

static void end(built *b) {
    free(b->x);
    free(b->v);
    free(b->history);
    bl_eval_destroy(b->sys, &b->e);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
}

static void ask(built *b, uint32_t want) {
    b->e.have = b->e.constant;
    if (bl_system_eval(b->sys, &b->e, want) != BL_OK)
        fail_msg("%s: %s", b->c->name, bl_context_error(b->ctx)->what);
}

/* every component of every node is an unknown here: node-major */
static void linear_field(const built *b, double size) {
    const bl_mesh *mesh = &b->model->solid[0].mesh;
    int nc = b->c->strain ? mesh->dim : 1;
    static const double A[3][3] = {{0.3, -0.2, 0.15}, {0.25, -0.35, 0.1}, {-0.1, 0.2, 0.4}};
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int c = 0; c < nc; c++) {
            double sum = 0;
            for (int k = 0; k < mesh->dim; k++)
                sum += A[c][k] * mesh->x[i][k];
            if (b->c->plane == BL_PLANE_AXISYMMETRIC) /* constant strain there: proportional to the radius, or along the axis */
                sum = c == 0 ? 0.3 * mesh->x[i][0] : -0.35 * mesh->x[i][1];
            b->x[i * nc + c] = size * sum;
        }
}

static void mark_boundary(const built *b, uint8_t *on) {
    bl_index count, at;
    const bl_index *element;
    const uint8_t *face;
    assert_int_equal(bl_mesh_boundary((bl_mesh *)&b->model->solid[0].mesh, &count, &element, &face), BL_OK);
    for (bl_index k = 0; k < count; k++) {
        const bl_mesh_block *block = bl_mesh_block_of(&b->model->solid[0].mesh, element[k], &at);
        const bl_element_face *f = &block->kind->face[face[k]];
        for (int a = 0; a < (f->kind ? f->kind->nnode : 1); a++)
            on[block->node[(size_t)at * block->kind->nnode + f->node[a]]] = 1;
    }
}

/* ---- patch test: constant strain causes no force inside */

static void patch(const solid_case *c, void *user) {
    (void)user;
    built b;
    begin(&b, c);
    const bl_mesh *mesh = &b.model->solid[0].mesh;
    int nc = c->strain ? mesh->dim : 1;
    uint8_t *on = calloc((size_t)mesh->nnode, 1);
    mark_boundary(&b, on);
    linear_field(&b, c->strain && c->strain->small ? 1e-3 : 0.3);
    ask(&b, c->order || c->strain ? BL_Q | BL_F : BL_F);
    double inside = 0, outside = 0;
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int k = 0; k < nc; k++) {
            double force = fabs(b.sys->nv ? b.e.Q[i * nc + k] : b.e.f[i * nc + k]);
            if (on[i])
                outside = fmax(outside, force);
            else
                inside = fmax(inside, force);
        }
    bool curved =
        c->plane == BL_PLANE_AXISYMMETRIC; /* hoop stress varies although strains do not: only equal strains 11 and 33 are in equilibrium */
    if (!(inside <= 1e-12 * outside) && !curved)
        fail_msg("%s: patch test leaves %.3g of %.3g inside", c->name, inside, outside);
    free(on);
    end(&b);
}

static void patch_test(void **state) {
    (void)state;
    long refused, count = solid_cases(patch, NULL, &refused);
    print_message("%ld combinations, %ld refused\n", count, refused);
    assert_true(count > 100);
}

/* ---- tangent: derivative of the forces, by differences of order 6 */

static void tangent(const solid_case *c, void *user) {
    (void)user;
    built b;
    begin(&b, c);
    test_random random = {11};
    linear_field(&b, c->strain && c->strain->small ? 1e-3 : 0.2);
    double size = 0;
    for (bl_index k = 0; k < b.n; k++)
        size = fmax(size, fabs(b.x[k]));
    for (bl_index k = 0; k < b.n; k++)
        b.x[k] += 0.05 * size * test_random_symmetric(&random);
    ask(&b, BL_KC);
    const bl_pattern *pattern = &b.sys->pat_K;
    double *w = calloc(3 * (size_t)b.n, sizeof *w), *Kw = w + b.n, *d = Kw + b.n, *at = malloc((size_t)b.n * sizeof *at);
    for (bl_index k = 0; k < b.n; k++)
        w[k] = test_random_symmetric(&random);
    bl_csc_multiply(pattern, b.e.K, w, Kw);
    memcpy(at, b.x, (size_t)b.n * sizeof *at);
    /* elastic steps are smooth; a plastic point must stay on its side of the yield surface: small steps */
    static const double weight[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
    double h = 2e-3 * size;
    for (int s = 0; s < 3; s++)
        for (int sign = -1; sign <= 1; sign += 2) {
            for (bl_index k = 0; k < b.n; k++)
                b.x[k] = at[k] + sign * (s + 1) * h * w[k];
            ask(&b, BL_Q | BL_F);
            for (bl_index k = 0; k < b.n; k++)
                d[k] -= sign * weight[s] / h * (b.sys->nv ? b.e.Q[k] : b.e.f[k]);
        }
    double most = 0, error = 0;
    for (bl_index k = 0; k < b.n; k++) {
        most = fmax(most, fabs(Kw[k]));
        error = fmax(error, fabs(d[k] - Kw[k]));
    }
    bool kinks = c->material->nhistory > 0;
    if (!kinks && !(error <= 2e-9 * most))
        fail_msg("%s: tangent is off by %.3g of %.3g", c->name, error, most);
    free(w);
    free(at);
    end(&b);
}

static void tangent__is_derivative_of_forces(void **state) {
    (void)state;
    solid_cases(tangent, NULL, NULL);
}

/* ---- motions without force: as many as a rigid body has, and no others */

static bl_index rigid_motions(const solid_case *c) {
    if (!c->strain)
        return 1;
    int dim = solid_dim(c);
    if (solid_of_bars(c)) /* bars have one stretching mode less than nodes; nothing else has stiffness without stress */
        return c->element->nnode * dim - (c->element->nnode - 1);
    return c->plane == BL_PLANE_AXISYMMETRIC || dim == 1 ? 1 : dim == 2 ? 3 : 6;
}

static void rigid(const solid_case *given, void *user) {
    (void)user;
    solid_case c = *given;
    c.cells = 1; /* one element (or a cell of simplices): only the element itself provides stiffness */
    c.distort = 0;
    built b;
    begin(&b, &c);
    ask(&b, BL_KC);
    size_t n = (size_t)b.n;
    size_t nwork = bl_dense_eigen_work(b.n);
    double *A = calloc(n * n + n + nwork, sizeof *A), *eigen = A + n * n;
    bl_index *iwork = calloc(5 * n + 3, sizeof *iwork);
    for (bl_index j = 0; j < b.n; j++)
        for (bl_index k = b.sys->pat_K.ptr[j]; k < b.sys->pat_K.ptr[j + 1]; k++)
            A[(size_t)j * n + (size_t)b.sys->pat_K.idx[k]] = b.e.K[k];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
    assert_true(bl_dense_eigen_pair(b.n, A, NULL, eigen, eigen + n, nwork, iwork));
    bl_index zeros = 0;
    for (size_t k = 0; k < n; k++)
        zeros += fabs(eigen[k]) < 1e-9 * eigen[n - 1];
    if (zeros != rigid_motions(&c) || !(eigen[0] > -1e-9 * eigen[n - 1]))
        fail_msg("%s: %d motions without force instead of %d", c.name, (int)zeros, (int)rigid_motions(&c));
    free(iwork);
    free(A);
    end(&b);
}

static void rigid_motions__are_all_that_cost_nothing(void **state) {
    (void)state;
    solid_cases(rigid, NULL, NULL);
}

/* positions of nodes after a rotation by 1.1 rad about a skew axis (in the plane about z; for rings and on a line none) and a
 * translation */
static void turn(const built *b) {
    const bl_mesh *mesh = &b->model->solid[0].mesh;
    const double shift[3] = {0.7, -0.4, 0.9}, angle = 1.1;
    const double axis[3] = {mesh->dim == 3 ? 2.0 / 3 : 0, mesh->dim == 3 ? -1.0 / 3 : 0, mesh->dim == 3 ? 2.0 / 3 : 1};
    bool turns = mesh->dim > 1 && b->c->plane != BL_PLANE_AXISYMMETRIC;
    double c = turns ? cos(angle) : 1, s = turns ? sin(angle) : 0;
    for (bl_index i = 0; i < mesh->nnode; i++) { /* Rodrigues' formula: c x + s a x x + (1 - c)(a . x) a */
        const double *x = mesh->x[i];
        double along = axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2];
        const double cross[3] = {axis[1] * x[2] - axis[2] * x[1], axis[2] * x[0] - axis[0] * x[2], axis[0] * x[1] - axis[1] * x[0]};
        for (int k = 0; k < mesh->dim; k++)
            b->x[i * mesh->dim + k] =
                (c - 1) * x[k] + s * cross[k] + (1 - c) * along * axis[k] + (k == 0 && b->c->plane == BL_PLANE_AXISYMMETRIC ? 0 : shift[k]);
    }
}

static void turned(const solid_case *c, void *user) {
    if (!c->strain || c->strain->small)
        return;
    built b;
    begin(&b, c);
    turn(&b);
    ask(&b, BL_Q);
    for (bl_index k = 0; k < b.n; k++) /* stresses of 1000 times the rounding errors of gradients of 1, areas of 10 */
        if (!(fabs(b.e.Q[k]) <= 1e-11 * 1000))
            fail_msg("%s: a rigid motion makes a force of %.3g", c->name, b.e.Q[k]);
    end(&b);
    ++*(long *)user;
}

static void large_strains__let_bodies_turn_without_force(void **state) {
    (void)state;
    long count = 0;
    solid_cases(turned, &count, NULL);
    assert_true(count > 50);
}

/* ---- mass */

static void mass(const solid_case *c, void *user) {
    (void)user;
    if (c->order != 2 && !c->strain)
        return;
    built b;
    begin(&b, c);
    ask(&b, BL_M);
    double sum = 0, volume = bl_mesh_volume(&b.model->solid[0].mesh);
    int nc = c->strain ? solid_dim(c) : 1;
    for (bl_index k = 0; k < b.sys->pat_M.ptr[b.n]; k++)
        sum += b.e.M[k];
    volume *= solid_area(c);
    if (c->plane == BL_PLANE_AXISYMMETRIC)
        volume = 3.14159265358979323846 * (2.5 * 2.5 - 1) * 2;
    if (!(fabs(sum - nc * 2 * volume) <= 1e-12 * sum))
        fail_msg("%s: mass %.15g instead of %.15g", c->name, sum / nc, 2 * volume);
    end(&b);
}

static void mass__is_density_times_volume(void **state) {
    (void)state;
    solid_cases(mass, NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patch_test),
        cmocka_unit_test(tangent__is_derivative_of_forces),
        cmocka_unit_test(rigid_motions__are_all_that_cost_nothing),
        cmocka_unit_test(large_strains__let_bodies_turn_without_force),
        cmocka_unit_test(mass__is_density_times_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
