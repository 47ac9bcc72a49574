#include "support/meshes.h"

#include <math.h>
#include <stdlib.h>

const bl_generator_kind *test_generator(const char *name) {
    for (size_t i = 0; i < bl_generator_kind_count; i++)
        if (strcmp(bl_generator_kinds[i]->kind.name, name) == 0)
            return bl_generator_kinds[i];
    fail_msg("there is no generator %s", name);
    return NULL;
}

void test_values(const bl_kind *kind, const test_value *list, bl_value values[BL_MAX_PARAMS]) {
    memset(values, 0, BL_MAX_PARAMS * sizeof *values);
    for (bl_index i = 0; i < bl_param_count(kind->params); i++)
        values[i].number = kind->params[i].fallback;
    for (; list->name; list++) {
        bl_index i = 0, n = bl_param_count(kind->params);
        while (i < n && strcmp(kind->params[i].name, list->name) != 0)
            i++;
        if (i == n)
            fail_msg("%s has no parameter %s", kind->name, list->name);
        values[i].given = true;
        memcpy(values[i].vector, list->x, sizeof list->x);
        values[i].number = kind->params[i].type == BL_P_NUMBERS ? (list->n ? list->n : 1) : list->x[0];
    }
}

bl_status test_generate(bl_context *ctx, const char *generator, const char *element, const test_value *list, bl_mesh *mesh) {
    const bl_generator_kind *kind = test_generator(generator);
    const bl_element_kind *fill = bl_element_kind_by_name(element);
    bl_value values[BL_MAX_PARAMS];
    bl_mesh_builder b = {.ctx = ctx, .dim = kind->dim, .place = {"m.yaml", 3, 7}};
    assert_non_null(fill);
    test_values(&kind->kind, list, values);
    *mesh = (bl_mesh){.arena.ctx = ctx};
    bl_status status = kind->generate(&b, values, fill);
    if (status == BL_OK)
        return bl_mesh_finish(&b, mesh);
    bl_mesh_builder_destroy(&b);
    return status;
}

void test_generated(bl_context *ctx, const char *generator, const char *element, const test_value *list, bl_mesh *mesh) {
    if (test_generate(ctx, generator, element, list, mesh) != BL_OK)
        fail_msg("%s of %s: %s", generator, element, bl_context_error(ctx)->what);
}

/* ---- faces */

static void gather_face(const bl_mesh *mesh, bl_index element, int face, const bl_element_face **f, bl_index node[BL_FACE_NODES], int *n) {
    bl_index at;
    const bl_mesh_block *block = bl_mesh_block_of(mesh, element, &at);
    *f = &block->kind->face[face];
    *n = (*f)->kind ? (*f)->kind->nnode : 1;
    for (int a = 0; a < *n; a++)
        node[a] = block->node[(size_t)at * block->kind->nnode + (*f)->node[a]];
}

void test_surface_add(const bl_mesh *mesh, bl_index element, int face, test_surface *sum) {
    const bl_element_face *f;
    bl_index node[BL_FACE_NODES];
    int n;
    gather_face(mesh, element, face, &f, node, &n);
    if (!f->kind) { /* an end of a segment: away from its center */
        double center[3];
        test_mesh_at(mesh, element, (const double[3]){0}, center);
        double side = mesh->x[node[0]][0] > center[0] ? 1 : -1;
        sum->area += 1;
        sum->normal[0] += side;
        sum->x_normal += side * mesh->x[node[0]][0];
        return;
    }
    bl_quadrature rule;
    int points[3] = {f->kind->shape == BL_TRIANGLE ? 12 : 5, 5, 0};
    assert_int_equal(bl_quadrature_of(f->kind->shape, points, &rule), BL_OK);
    for (bl_index i = 0; i < rule.n; i++) {
        double N[BL_ELEMENT_NODES], dN[BL_ELEMENT_NODES][3], x[3] = {0}, t[2][3] = {{0}}, normal[3] = {0};
        f->kind->functions(rule.at[i], N, dN);
        for (int a = 0; a < n; a++)
            for (int k = 0; k < 3; k++) {
                x[k] += N[a] * mesh->x[node[a]][k];
                t[0][k] += dN[a][0] * mesh->x[node[a]][k];
                t[1][k] += dN[a][1] * mesh->x[node[a]][k];
            }
        if (mesh->dim == 2) { /* to the right of the edge */
            normal[0] = t[0][1];
            normal[1] = -t[0][0];
        } else {
            normal[0] = t[0][1] * t[1][2] - t[0][2] * t[1][1];
            normal[1] = t[0][2] * t[1][0] - t[0][0] * t[1][2];
            normal[2] = t[0][0] * t[1][1] - t[0][1] * t[1][0];
        }
        for (int k = 0; k < 3; k++) {
            sum->normal[k] += rule.weight[i] * normal[k];
            sum->x_normal += rule.weight[i] * normal[k] * x[k];
        }
        sum->area += rule.weight[i] * sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    }
}

typedef struct face_key {
    bl_index node[BL_FACE_NODES]; /* ascending, -1 behind the last */
} face_key;

static int compare_numbers(const void *a, const void *b) {
    bl_index x = *(const bl_index *)a, y = *(const bl_index *)b;
    return (x > y) - (x < y);
}

static int compare_keys(const void *a, const void *b) {
    for (int i = 0; i < BL_FACE_NODES; i++) {
        int order = compare_numbers(&((const face_key *)a)->node[i], &((const face_key *)b)->node[i]);
        if (order)
            return order;
    }
    return 0;
}

bl_index test_mesh_conforms(const bl_mesh *mesh) {
    face_key *key = calloc((size_t)mesh->nelement * BL_ELEMENT_FACES, sizeof *key);
    size_t count = 0;
    bl_index single = 0, at;
    assert_non_null(key);
    for (bl_index e = 0; e < mesh->nelement; e++)
        for (int f = 0; f < bl_mesh_block_of(mesh, e, &at)->kind->nface; f++) {
            const bl_element_face *face;
            int n;
            for (int a = 0; a < BL_FACE_NODES; a++)
                key[count].node[a] = -1;
            gather_face(mesh, e, f, &face, key[count].node, &n);
            qsort(key[count++].node, (size_t)n, sizeof(bl_index), compare_numbers);
        }
    qsort(key, count, sizeof *key, compare_keys);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && compare_keys(&key[i], &key[next]) == 0; next++) {
        }
        assert_true(next - i <= 2);
        single += next - i == 1;
    }
    free(key);
    return single;
}

/* ---- inside */

void test_mesh_at(const bl_mesh *mesh, bl_index element, const double xi[3], double x[3]) {
    bl_index at;
    const bl_mesh_block *block = bl_mesh_block_of(mesh, element, &at);
    double N[BL_ELEMENT_NODES];
    block->kind->functions(xi, N, NULL);
    x[0] = x[1] = x[2] = 0;
    for (int a = 0; a < block->kind->nnode; a++)
        for (int k = 0; k < 3; k++)
            x[k] += N[a] * mesh->x[block->node[(size_t)at * block->kind->nnode + a]][k];
}

void test_random_inside(test_random *random, bl_shape shape, double xi[3]) {
    bool simplex = shape == BL_TRIANGLE || shape == BL_TETRA, wedge = shape == BL_WEDGE;
    int dim = shape == BL_SEGMENT ? 1 : shape == BL_TRIANGLE || shape == BL_QUAD ? 2 : 3;
    do {
        xi[0] = xi[1] = xi[2] = 0;
        for (int k = 0; k < dim; k++)
            xi[k] = simplex || (wedge && k < 2) ? test_random_unit(random) : test_random_symmetric(random);
    } while ((simplex && xi[0] + xi[1] + xi[2] > 1) || (wedge && xi[0] + xi[1] > 1));
}

double test_mesh_least_determinant(const bl_mesh *mesh) {
    double least = INFINITY;
    for (bl_index b = 0; b < mesh->nblock; b++) {
        const bl_mesh_block *block = &mesh->block[b];
        const bl_element_kind *kind = block->kind;
        bl_quadrature rule;
        assert_int_equal(bl_quadrature_of(kind->shape, kind->mass_points, &rule), BL_OK);
        for (bl_index e = 0; e < block->count; e++)
            for (bl_index i = 0; i < rule.n; i++) {
                double x[BL_ELEMENT_NODES][3], dN[BL_ELEMENT_NODES][3], g[BL_ELEMENT_NODES * 3];
                for (int a = 0; a < kind->nnode; a++)
                    memcpy(x[a], mesh->x[block->node[(size_t)e * kind->nnode + a]], sizeof x[a]);
                kind->functions(rule.at[i], NULL, dN);
                least = fmin(least, bl_element_gradients(kind->dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g));
            }
    }
    return least;
}
