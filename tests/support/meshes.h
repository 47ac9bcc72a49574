/* Generated meshes for tests, and properties of every mesh, checked independently of the library. */
#ifndef BL_TEST_MESHES_H
#define BL_TEST_MESHES_H

#include "mesh/mesh.h"
#include "support/testing.h"

typedef struct test_value { /* of one parameter, as a model file gives it */
    const char *name;
    double x[3];
    int n; /* of BL_P_NUMBERS; 0: one */
} test_value;

const bl_generator_kind *test_generator(const char *name); /* fails the test when there is none */
/* Values by the table of the kind, as the reader fills them. list ends with a NULL name. */
void test_values(const bl_kind *kind, const test_value *list, bl_value values[BL_MAX_PARAMS]);
bl_status test_generate(bl_context *ctx, const char *generator, const char *element, const test_value *list, bl_mesh *mesh);
/* The same; fails the test with the library's message. */
void test_generated(bl_context *ctx, const char *generator, const char *element, const test_value *list, bl_mesh *mesh);

/* Integrals over faces: area, normal, and x . normal, by five points per direction (triangles: twelve). */
typedef struct test_surface {
    double area, normal[3], x_normal;
} test_surface;
void test_surface_add(const bl_mesh *mesh, bl_index element, int face, test_surface *sum);

/* Asserts that every face, all its nodes compared, is one of two elements or of one; how many of the latter. */
bl_index test_mesh_conforms(const bl_mesh *mesh);
/* x(xi) in an element */
void test_mesh_at(const bl_mesh *mesh, bl_index element, const double xi[3], double x[3]);
void test_random_inside(test_random *random, bl_shape shape, double xi[3]); /* of the reference element */
/* The smallest determinant at integration points of all elements. */
double test_mesh_least_determinant(const bl_mesh *mesh);

#endif
