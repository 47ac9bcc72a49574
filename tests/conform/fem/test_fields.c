/* Fields of every element with every strain, material and plane, and of every scalar field: constant values are exact at nodes and centers;
 * linear ones are exact in quadratic elements. Kinds are taken from the lists, so new ones are tested, too. Expected stresses come from the
 * material law at one point, fluxes likewise. */
#include "material/tensor.h"
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
    double *x, *v;
    unsigned char *history;
} built;

static void begin(built *b, const solid_case *c) {
    *b = (built){.c = c, .ctx = test_context(NULL)};
    solid_build(b->ctx, c, &b->model, &b->sys);
    size_t n = (size_t)b->sys->nv + (size_t)b->sys->nz;
    assert_int_equal(bl_eval_create(b->sys, BL_FIELDS, &b->e), BL_OK);
    b->x = calloc(n, sizeof *b->x);
    b->v = calloc(n, sizeof *b->v);
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

static void ask(built *b) {
    b->e.have = b->e.constant;
    if (bl_system_eval(b->sys, &b->e, BL_FIELDS) != BL_OK)
        fail_msg("%s: %s", b->c->name, bl_context_error(b->ctx)->what);
}

static const double *field_of(const built *b, const char *name, const bl_field **about) {
    *about = NULL;
    for (bl_index i = 0; i < b->sys->nfield; i++)
        if (strcmp(b->sys->field[i].name, name) == 0) {
            *about = &b->sys->field[i];
            return b->e.field[i];
        }
    fail_msg("%s: there is no field %s", b->c->name, name);
    return NULL;
}

/* ---- displacements A x + (x . B_c x)/2 e_c, every component of every node an unknown, node-major */

static const double A[3][3] = {{0.3, -0.2, 0.15}, {0.25, -0.35, 0.1}, {-0.1, 0.2, 0.4}};
static const double B[3][6] = {{0.2, -0.1, 0.3, 0.15, -0.25, 0.1}, {-0.3, 0.1, 0.2, -0.2, 0.1, 0.3}, {0.1, 0.25, -0.2, 0.3, 0.1, -0.1}};

typedef struct motion {
    double size, curved;
    bool axisymmetric;
} motion;

static double displacement(const motion *m, int dim, const double x[3], int c) {
    if (m->axisymmetric) /* constant strain there: proportional to the radius, or along the axis */
        return m->size * (c == 0 ? 0.3 * x[0] : -0.35 * x[1]);
    double sum = 0;
    for (int i = 0; i < dim; i++)
        sum += A[c][i] * x[i];
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            sum += 0.5 * m->curved * B[c][bl_pair[i][j]] * x[i] * x[j];
    return m->size * sum;
}

static void gradient(const motion *m, int dim, const double x[3], double F[9]) {
    memset(F, 0, 9 * sizeof *F);
    if (m->axisymmetric) {
        F[0] = F[8] = 0.3 * m->size;
        F[4] = -0.35 * m->size;
        return;
    }
    for (int c = 0; c < dim; c++)
        for (int i = 0; i < dim; i++) {
            F[3 * c + i] = A[c][i];
            for (int j = 0; j < dim; j++)
                F[3 * c + i] += m->curved * B[c][bl_pair[i][j]] * x[j];
            F[3 * c + i] *= m->size;
        }
}

static void move(const built *b, const motion *m) {
    const bl_mesh *mesh = &b->model->solid[0].mesh;
    int nc = b->c->strain ? mesh->dim : 1;
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int c = 0; c < nc; c++)
            b->x[i * nc + c] = displacement(m, mesh->dim, mesh->x[i], c);
}

/* ---- expected */

/* F in axes along the bars of the mesh, which lie on one line: the stretch, or 1 and the small strain */
static void along_bar(const bl_solid *solid, double F[9]) {
    const bl_mesh *mesh = &solid->mesh;
    double t[3], moved[3] = {0}, length = 0, stretch = 0, small = 0;
    for (int i = 0; i < 3; i++) {
        t[i] = mesh->x[mesh->block[0].node[1]][i] - mesh->x[mesh->block[0].node[0]][i];
        length = hypot(length, t[i]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            moved[i] += F[3 * i + j] * t[j] / length;
    for (int i = 0; i < 3; i++) {
        stretch = hypot(stretch, moved[i]);
        small += moved[i] * t[i] / length;
    }
    memset(F, 0, 9 * sizeof *F);
    F[0] = solid->strain->small ? small : stretch;
    F[4] = F[8] = 1;
}

/* g along the bars */
static void project_on_bar(const bl_solid *solid, double g[3]) {
    const bl_mesh *mesh = &solid->mesh;
    double t[3], length = 0, along = 0;
    for (int i = 0; i < 3; i++) {
        t[i] = mesh->x[mesh->block[0].node[1]][i] - mesh->x[mesh->block[0].node[0]][i];
        length = hypot(length, t[i]);
    }
    for (int i = 0; i < 3; i++)
        along += g[i] * t[i] / length;
    for (int i = 0; i < 3; i++)
        g[i] = along * t[i] / length;
}

static void cauchy(const built *b, const motion *m, const double x[3], double stress[6]) {
    const bl_solid *solid = &b->model->solid[0];
    const double thermal[6] = {0};
    double F[9], inverse[9];
    gradient(m, solid->mesh.dim, x, F);
    for (int k = 0; k < 9; k += 4)
        F[k] += 1;
    if (solid->plane == BL_PLANE_BAR)
        along_bar(solid, F);
    double J = det3(F), ratio = solid->bbar && !solid->strain->small ? J : 0;
    assert_int_equal(solid->strain->at(&solid->section[0].material, F, thermal, ratio, NULL, NULL, stress, NULL, NULL, NULL), BL_OK);
    J = solid->strain->small ? 1 : inverse3(F, inverse); /* in plane stress with the computed thickness */
    for (int k = 0; k < 6; k++)
        stress[k] /= J;
}

static void flux(const built *b, const motion *m, const double x[3], double out[6]) {
    const bl_solid *solid = &b->model->solid[0];
    double G[9], stress[6] = {0};
    gradient(m, solid->mesh.dim, x, G);
    bl_material_point p = {.u = displacement(m, solid->mesh.dim, x, 0), .stress = stress};
    memcpy(p.gradient, G, sizeof p.gradient);
    if (bl_mesh_of_bars(&solid->mesh))
        project_on_bar(solid, p.gradient);
    assert_int_equal(bl_material_at(&solid->section[0].material, &p), BL_OK);
    memset(out, 0, 6 * sizeof *out);
    for (int k = 0; k < 3; k++)
        out[k] = -stress[k];
}

static void expected(const built *b, const motion *m, const double x[3], double out[6]) {
    if (b->c->strain)
        cauchy(b, m, x, out);
    else
        flux(b, m, x, out);
}

static double von_mises(const double s[6]) {
    double mean = (s[0] + s[1] + s[2]) / 3, sum = 0;
    for (int k = 0; k < 6; k++)
        sum += k < 3 ? (s[k] - mean) * (s[k] - mean) : 2 * s[k] * s[k];
    return sqrt(1.5 * sum);
}

static void center(const bl_mesh *mesh, bl_index element, double x[3]) {
    bl_index at;
    const bl_mesh_block *block = bl_mesh_block_of(mesh, element, &at);
    double xi[3] = {0}, N[BL_ELEMENT_NODES];
    for (int c = 0; c < block->kind->ncorner; c++)
        for (int i = 0; i < 3; i++)
            xi[i] += block->kind->node[c][i] / block->kind->ncorner;
    block->kind->functions(xi, N, NULL);
    memset(x, 0, 3 * sizeof *x);
    for (int a = 0; a < block->kind->nnode; a++)
        for (int i = 0; i < 3; i++)
            x[i] += N[a] * mesh->x[block->node[(size_t)at * block->kind->nnode + (size_t)a]][i];
}

/* 1e-10 of the largest: conjugate gradients stop at 1e-12 */
static void check(const built *b, const motion *m, const char *name, double share) {
    const bl_mesh *mesh = &b->model->solid[0].mesh;
    const bl_field *about = NULL;
    const double *value = field_of(b, name, &about);
    double largest = 0, want[6], x[3];
    bool body = b->c->strain, single = about->components == 1 && (body || strstr(name, "modulus"));
    assert_int_equal(about->items, about->on_cells ? mesh->nelement : mesh->nnode);
    for (bl_index i = 0; i < mesh->nnode; i++) {
        expected(b, m, mesh->x[i], want);
        for (int k = 0; k < 6; k++)
            largest = fmax(largest, fabs(want[k]));
    }
    assert_true(largest > 0);
    for (bl_index i = 0; i < about->items; i++) {
        memcpy(x, mesh->x[about->on_cells ? 0 : i], sizeof x);
        if (about->on_cells)
            center(mesh, i, x);
        expected(b, m, x, want);
        if (single)
            want[0] = body ? von_mises(want) : sqrt(want[0] * want[0] + want[1] * want[1] + want[2] * want[2]);
        for (int k = 0; k < about->components; k++) {
            double found = value[(size_t)i * (size_t)about->components + (size_t)k];
            if (!(fabs(found - want[k]) <= share * largest))
                fail_msg("%s, %s: item %d, component %d is %.15g, expected %.15g", b->c->name, name, (int)i, k, found, want[k]);
        }
    }
}

static void check_all(const built *b, const motion *m, double share) {
    bool body = b->c->strain;
    check(b, m, body ? "stress" : "flux", share);
    check(b, m, body ? "element_stress" : "element_flux", share);
    check(b, m, body ? "von_mises" : "flux_modulus", 2 * share);
    if (body)
        check(b, m, "element_von_mises", 2 * share);
}

/* ---- tests */

static void constant(const solid_case *c, void *user) {
    built b;
    motion m = {.size = c->strain && c->strain->small ? 0.01 : 0.2, .axisymmetric = c->plane == BL_PLANE_AXISYMMETRIC};
    begin(&b, c);
    move(&b, &m);
    ask(&b);
    check_all(&b, &m, 1e-10);
    const bl_field *about = NULL;
    const double *u = field_of(&b, c->strain ? "displacement" : "value", &about);
    int nc = c->strain ? solid_dim(c) : 1;
    for (bl_index i = 0; i < about->items; i++)
        for (int k = 0; k < about->components; k++)
            assert_true(u[i * about->components + k] == (k < nc ? b.x[i * nc + k] : 0));
    end(&b);
    ++*(long *)user;
}

static void every_combination__hands_out_constant_stress_as_it_is(void **unused) {
    (void)unused;
    long count = 0;
    assert_true(solid_cases(constant, &count, NULL) > 0);
    printf("    %ld combinations\n", count);
}

/* A quadratic field of displacements has linear stresses where the law is linear. Simplices represent it on any mesh of straight edges, the
 * others where they are parallelepipeds. */
static void linear(const solid_case *given, void *user) {
    solid_case c = *given;
    bool simplex = c.element->nnode == (c.element->dim + 1) * (c.element->dim + 2) / 2 && c.element->dim > 1;
    bool elastic = c.strain ? c.strain->small && c.material->nhistory == 0 : true;
    if (c.element->degree < 2 || !elastic || c.plane == BL_PLANE_AXISYMMETRIC || c.bbar)
        return;
    c.distort = simplex ? 0.2 : 0;
    built b;
    begin(&b, &c);
    motion m = {.size = 0.01, .curved = 1};
    if (b.model->solid[0].section[0].material.gives & BL_MATERIAL_LINEAR) {
        move(&b, &m);
        ask(&b);
        check_all(&b, &m, 1e-10);
        ++*(long *)user;
    }
    end(&b);
}

static void every_quadratic_element__hands_out_linear_stress_as_it_is(void **unused) {
    (void)unused;
    long count = 0;
    solid_cases(linear, &count, NULL);
    printf("    %ld combinations\n", count);
    assert_true(count >= 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination__hands_out_constant_stress_as_it_is),
        cmocka_unit_test(every_quadratic_element__hands_out_linear_stress_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
