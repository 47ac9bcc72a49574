/* Power series of the forces of one element, of every kind, with all of its rules, in plane stress, plane strain and space, by every
 * instruction set. Along displacements that are polynomials of degree n in time the forces are polynomials of degree 3 n: their sum at any
 * time must be the force there, evaluated by other code. */
#include "fem/fem.h"
#include "fem/part.h"
#include "support/materials.h"
#include "support/testing.h"
#include "system/expansion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE = 3, ORDER = 3 * DEGREE };

typedef struct bench {
    bl_context *ctx;
    bl_model *model;
    bl_fem_part part;
    const bl_fem_group *group;
    bl_element_work work;
    double u[ORDER + 1][BL_ELEMENT_UNKNOWNS], v[ORDER + 1][BL_ELEMENT_UNKNOWNS]; /* coefficients: zero beyond DEGREE */
    double f[ORDER + 1][BL_ELEMENT_UNKNOWNS], viscous[ORDER + 1][BL_ELEMENT_UNKNOWNS];
    char label[160];
} bench;

static bool begin(bench *b, const bl_element_kind *kind, const char *plane, const char *points, bl_isa isa) {
    char text[700];
    bool space = kind->dim == 3;
    *b = (bench){.ctx = test_context(NULL)};
    assert_true(bl_context_use_isa(b->ctx, isa));
    snprintf(b->label, sizeof b->label, "%s%s%s, %s", kind->kind.name, plane, points, bl_isa_name(isa));
    snprintf(
        text, sizeof text,
        "dimension: %d\nmaterials: {m: {type: st_venant_kirchhoff, E: 7, nu: 0.3, density: 1}}\n"
        "bodies: [{name: b, mesh: {%s: {to: [2, 1%s], n: [1, 1%s]}, element: %s, distort: [0.15, 5]}, material: m, strain: green%s%s%s}]\n",
        kind->dim, space ? "box" : "rectangle", space ? ", 1.5" : "", space ? ", 1" : "", kind->kind.name, plane, points,
        space ? "" : ", thickness: 0.3");
    if (bl_model_read_text(b->ctx, "one", text, strlen(text), NULL, 0, &b->model) != BL_OK) {
        test_context_end(b->ctx);
        return false;
    }
    bl_status status = bl_fem_part_create(b->ctx, b->model, &b->model->solid[0], &b->part);
    b->group = b->part.group;
    if (status == BL_OK)
        return true;
    bl_fem_part_destroy(&b->part); /* no such rule */
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
    return false;
}

static void end(bench *b) {
    bl_fem_part_destroy(&b->part);
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
}

static int unknowns(const bench *b) { return b->group->kind->nnode * b->part.dim; }

static void place(bench *b, bl_element_work *w) {
    for (int a = 0; a < b->group->kind->nnode; a++)
        memcpy(w->x[a], b->model->solid[0].mesh.x[b->group->node[a]], sizeof w->x[a]);
}

/* coefficients of the forces, in the order in which a motion is expanded: displacements one order ahead */
static void expand(bench *b, bool viscous) {
    double *room;
    assert_int_equal(BL_NEW(b->ctx, room, bl_part_series_room(&b->part, b->group, ORDER, viscous)), BL_OK);
    place(b, &b->work);
    assert_int_equal(bl_part_series_begin(&b->part, b->group, ORDER, viscous, &b->work, room), BL_OK);
    bl_part_series_take(&b->part, b->group, ORDER, viscous, 0, b->u[0], room);
    for (int k = 0; k <= ORDER; k++) {
        if (k < ORDER)
            bl_part_series_take(&b->part, b->group, ORDER, viscous, k + 1, b->u[k + 1], room);
        bl_part_series_force(&b->part, b->group, ORDER, viscous, k, room, b->f[k]);
        if (viscous)
            bl_part_series_viscous(&b->part, b->group, ORDER, k, 0.7, b->v[k], room, b->viscous[k]);
    }
    bl_free(b->ctx, room);
}

static void sum(int n, const double (*c)[BL_ELEMENT_UNKNOWNS], double t, double *x) {
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        for (int k = ORDER; k >= 0; k--)
            x[i] = c[k][i] + t * x[i];
    }
}

static void compare(const bench *b, const char *what, const double *got, const double *expected) {
    /* sums of up to 27 points and 27 nodes; stiffness cancels within them where the element turns */
    double scale = test_largest(expected, unknowns(b)) + 7;
    for (int i = 0; i < unknowns(b); i++)
        if (!(fabs(got[i] - expected[i]) <= 1e-13 * scale))
            fail_msg("%s, %s: component %d is %.15g, expected %.15g", b->label, what, i, got[i], expected[i]);
}

static long count, with_viscosity;

static void check(test_random *random, const bl_element_kind *kind, const char *plane, const char *points, bl_isa isa) {
    static bench b;
    if (!begin(&b, kind, plane, points, isa))
        return;
    assert_true(b.part.polynomial);
    int n = unknowns(&b), dim = b.part.dim;
    for (int a = 0; a < b.group->kind->nnode; a++) /* turned by 0.7 rad, then disturbed */
        for (int i = 0; i < dim; i++) {
            const double *X = b.model->solid[0].mesh.x[b.group->node[a]];
            double turned = i == 0 ? cos(0.7) * X[0] - sin(0.7) * X[1] : i == 1 ? sin(0.7) * X[0] + cos(0.7) * X[1] : X[2];
            b.u[0][a * dim + i] = turned - X[i] + 0.03 * test_random_symmetric(random);
        }
    for (int k = 0; k <= DEGREE; k++)
        for (int i = 0; i < n; i++) {
            b.u[k][i] = k > 0 ? 0.03 * test_random_symmetric(random) : b.u[0][i];
            b.v[k][i] = test_random_symmetric(random);
        }
    bool viscous = b.part.discrete;
    with_viscosity += viscous;
    expand(&b, viscous);
    for (double t = -0.8; t < 1; t += 0.4) {
        double got[BL_ELEMENT_UNKNOWNS], v[BL_ELEMENT_UNKNOWNS], lost;
        bl_index point;
        place(&b, &b.work);
        sum(n, (const double(*)[BL_ELEMENT_UNKNOWNS])b.u, t, b.work.u);
        assert_int_equal(bl_part_solid(&b.part, b.group, BL_PART_FORCE, NULL, NULL, &b.work, &point), BL_OK);
        sum(n, (const double(*)[BL_ELEMENT_UNKNOWNS])b.f, t, got);
        compare(&b, "elastic", got, b.work.f);
        if (!viscous)
            continue;
        sum(n, (const double(*)[BL_ELEMENT_UNKNOWNS])b.v, t, v);
        assert_int_equal(bl_part_solid_viscous(&b.part, b.group, 0.7, v, &b.work, NULL, &lost), BL_OK);
        sum(n, (const double(*)[BL_ELEMENT_UNKNOWNS])b.viscous, t, got);
        compare(&b, "viscous", got, b.work.f);
    }
    end(&b);
    count++;
}

static void series__are_those_of_the_force_on_a_polynomial_motion(void **unused) {
    (void)unused;
    static const char *const points[] = {"", ", points: 1", ", points: 2", ", points: 3", ", points: 4", ", points: 12"};
    test_random random = {test_seed(11)};
    for (int isa = 0; isa < BL_ISA_COUNT; isa++)
        for (size_t i = 0; i < bl_element_kind_count && bl_isa_available((bl_isa)isa); i++)
            for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
                const bl_element_kind *kind = bl_element_kinds[i];
                if (kind->dim == 1)
                    continue;
                check(&random, kind, kind->dim == 2 ? ", plane: stress" : "", points[p], (bl_isa)isa);
                if (kind->dim == 2)
                    check(&random, kind, ", plane: strain", points[p], (bl_isa)isa);
            }
    print_message("%ld elements and rules, %ld of them with viscosity\n", count, with_viscosity);
    assert_true(count >= 40 && with_viscosity >= 30);
}

/* Laws that are no polynomials are not taken for such. */
static void other_laws__are_no_polynomials(void **unused) {
    (void)unused;
    static const struct {
        const char *law, *more;
        bool polynomial;
    } all[] = {{"st_venant_kirchhoff, E: 1, nu: 0.3", "plane: strain, strain: green", true},
               {"neo_hookean, E: 1, nu: 0.3", "plane: strain, strain: left", false},
               {"hencky, E: 1, nu: 0.3", "plane: strain, strain: logarithmic", false},
               {"nearly_incompressible, E: 1, nu: 0.49", "plane: strain, strain: left, bbar: true", false},
               {"elastic, E: 1, nu: 0.3", "plane: strain", true},
               {"elastic, E: 1, nu: 0.3", "plane: strain, bbar: true", false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[400];
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_fem_part part;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {m: {type: %s, density: 1}}\n"
                 "bodies: [{name: b, mesh: {rectangle: {to: [1, 1], n: [1, 1]}, element: quad4}, material: m, %s}]\n",
                 all[i].law, all[i].more);
        if (bl_model_read_text(ctx, "law", text, strlen(text), NULL, 0, &model) != BL_OK)
            fail_msg("%s, %s: %s", all[i].law, all[i].more, bl_context_error(ctx)->what);
        assert_int_equal(bl_fem_part_create(ctx, model, &model->solid[0], &part), BL_OK);
        if (part.polynomial != all[i].polynomial)
            fail_msg("%s, %s: polynomial is %d", all[i].law, all[i].more, part.polynomial);
        bl_fem_part_destroy(&part);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* ---- complete systems */

#define PLATE(law, more)                                                                                                  \
    "dimension: 2\nmaterials: {m: {type: " law ", E: 7, nu: 0.3, density: 1}}\n"                                          \
    "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [2, 1]}, element: quad8, distort: [0.15, 5]}, material: m" more \
    ", damping: {mass: 0.3, stiffness: 0.1}}]\n"
static const char *const meshes[] = {
    PLATE("st_venant_kirchhoff",
          ", plane: stress, strain: green") "supports: [{set: left, x: -0.1, y: 0}]\n"
                                            "loads: [{set: right, traction: [1, \"=2+t-t^2\"]}, {body_force: [0, 1]}]\n",
    PLATE("elastic", ", plane: strain") "supports: [{set: left, all: 0}]\nloads: [{set: right, traction: [1, \"=2+t-t^2\"]}]\n"};

/* Along a polynomial motion of degree 2 the forces of the system are polynomials of degree 6. */
static void series_of_systems__are_those_of_their_forces(void **unused) {
    (void)unused;
    enum { MOTION = 2, LAST = 3 * MOTION };
    test_random random = {test_seed(3)};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_system *sys;
        bl_expansion ex = {0};
        bl_eval e = {0};
        bl_state state = {0};
        assert_int_equal(bl_model_read_text(ctx, "mesh", meshes[i], strlen(meshes[i]), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_fem_build(ctx, model, &sys), BL_OK);
        assert_int_equal(bl_expansion_create(sys, LAST + 1, &ex), BL_OK);
        assert_int_equal(bl_eval_create(sys, BL_Q, &e), BL_OK);
        assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
        size_t nv = (size_t)sys->nv;
        double *Q = calloc(nv * (LAST + 1), sizeof *Q);
        for (size_t j = 0; j < nv; j++)
            for (int k = 0; k <= MOTION; k++)
                ex.q[(size_t)k * nv + j] = 0.05 * test_random_symmetric(&random);
        for (int k = 0; k < MOTION; k++)
            for (size_t j = 0; j < nv; j++)
                ex.v[(size_t)k * nv + j] = (k + 1) * ex.q[(size_t)(k + 1) * nv + j];
        for (int k = 0; k <= LAST; k++) {
            assert_int_equal(bl_system_series(sys, &ex, k, BL_Q), BL_OK);
            memcpy(Q + (size_t)k * nv, ex.Q, nv * sizeof *Q);
        }
        for (double t = -0.5; t < 1; t += 0.25) {
            *state.t = t;
            for (size_t j = 0; j < nv; j++) {
                state.q[j] = ex.q[j] + t * (ex.q[nv + j] + t * ex.q[2 * nv + j]);
                state.v[j] = ex.v[j] + t * ex.v[nv + j];
            }
            bl_eval_at(&e, &state);
            assert_int_equal(bl_system_eval(sys, &e, BL_Q), BL_OK);
            for (size_t j = 0; j < nv; j++) {
                double sum = 0;
                for (int k = LAST; k >= 0; k--)
                    sum = Q[(size_t)k * nv + j] + t * sum;
                if (!(fabs(sum - e.Q[j]) <= 1e-12 * (7 + fabs(e.Q[j]))))
                    fail_msg("mesh %d, t = %g: %.15g, expected %.15g", (int)i, t, sum, e.Q[j]);
            }
        }
        free(Q);
        bl_state_destroy(sys, &state);
        bl_eval_destroy(sys, &e);
        bl_expansion_destroy(sys, &ex);
        bl_system_destroy(sys);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static bl_status expand_and_free(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_expansion ex = {0};
    const char *text = meshes[*(int *)user];
    bl_status status = bl_model_read_text(ctx, "mesh", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_fem_build(ctx, model, &sys);
    if (status == BL_OK)
        status = bl_expansion_create(sys, 3, &ex);
    if (sys)
        bl_expansion_destroy(sys, &ex);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    return status;
}

static void every_failed_allocation__is_reported(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        assert_true(test_failing_allocations(expand_and_free, &i) > 10);
        assert_true(test_failing_once(expand_and_free, &i) > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series__are_those_of_the_force_on_a_polynomial_motion), cmocka_unit_test(other_laws__are_no_polynomials),
        cmocka_unit_test(series_of_systems__are_those_of_their_forces), cmocka_unit_test(every_failed_allocation__is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
