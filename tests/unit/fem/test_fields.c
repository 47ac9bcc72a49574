/* Reactions, numbers of histories, dissipated work, choice of fields and the solver behind them, against closed forms. */
#include "fem/fields_private.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct built {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_eval e;
    double *x, *v, *a;
    unsigned char *history;
} built;

static void begin(built *b, const char *text, const char *choice) {
    *b = (built){.ctx = test_context(NULL)};
    bl_status status = bl_model_read_text(b->ctx, "text", text, strlen(text), NULL, 0, &b->model);
    if (status == BL_OK)
        status = bl_fem_build(b->ctx, b->model, &b->sys);
    if (status == BL_OK)
        status = bl_fem_choose_fields(b->sys, choice);
    if (status == BL_OK)
        status = bl_eval_create(b->sys, BL_FIELDS | BL_Q, &b->e);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(b->ctx)->what);
    size_t n = (size_t)b->sys->nv + (size_t)b->sys->nz + 1;
    b->x = calloc(n, sizeof *b->x);
    b->v = calloc(n, sizeof *b->v);
    b->a = calloc(n, sizeof *b->a);
    b->history = calloc(b->sys->history_bytes + 8, 1);
    b->e.q = b->x;
    b->e.v = b->v;
    b->e.z = b->x + b->sys->nv;
    b->e.history = b->history;
}

static void end(built *b) {
    free(b->x);
    free(b->v);
    free(b->a);
    free(b->history);
    bl_eval_destroy(b->sys, &b->e);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
}

static void ask(built *b, uint32_t want) {
    b->e.have = b->e.constant;
    if (bl_system_eval(b->sys, &b->e, want) != BL_OK)
        fail_msg("%s", bl_context_error(b->ctx)->what);
}

static const double *field_of(const built *b, const char *name) {
    for (bl_index i = 0; i < b->sys->nfield; i++)
        if (strcmp(b->sys->field[i].name, name) == 0)
            return b->e.field[i];
    fail_msg("there is no field %s", name);
    return NULL;
}

static void near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.17g, expected %.17g", found, expected);
}

/* unknowns of a field of displacements (or speeds) u_c = rate[c] . x */
static void spread(const built *b, const double rate[3][3], double *to) {
    const bl_fem *fem = b->sys->own;
    const bl_mesh *mesh = &b->model->solid[0].mesh;
    int nc = fem->part[0].ncomponent;
    for (bl_index k = 0; k < fem->nfull; k++)
        if (fem->column[k] >= 0) {
            const double *x = mesh->x[k / nc];
            const double *r = rate[k % nc];
            to[fem->column[k]] = r[0] * x[0] + r[1] * x[1] + r[2] * x[2];
        }
}

/* sums of a field over the nodes with x = at */
static void sum_at(const built *b, const char *name, double at, double sum[3]) {
    const bl_mesh *mesh = &b->model->solid[0].mesh;
    const double *value = field_of(b, name);
    memset(sum, 0, 3 * sizeof *sum);
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int c = 0; c < 3 && fabs(mesh->x[i][0] - at) < 1e-9; c++)
            sum[c] += value[3 * i + c];
}

/* ---- reactions */

#define BAR(more)                                                                                                                      \
    "dimension: 2\n"                                                                                                                   \
    "materials: {m: {type: elastic, E: 1000, nu: 0, density: 2}}\n"                                                                    \
    "bodies: [{name: bar, mesh: {rectangle: {to: [4, 1], n: [4, 2]}, element: quad8}, material: m, plane: stress, thickness: 0.5" more \
    "}]\n"

/* u = 0.01 x between held ends: stress 10 on an area of 0.5 */
static void held_bar__is_pulled_by_its_supports(void **unused) {
    (void)unused;
    built b;
    double sum[3];
    begin(&b, BAR("") "supports: [{set: left, all: 0}, {set: right, x: 0.04, y: 0}]\n", NULL);
    spread(&b, (const double[3][3]){{0.01, 0, 0}}, b.x);
    b.e.a = b.a;
    ask(&b, BL_FIELDS);
    sum_at(&b, "reaction", 0, sum);
    near(sum[0], -5, 1e-12);
    near(sum[1], 0, 1e-12);
    sum_at(&b, "reaction", 4, sum);
    near(sum[0], 5, 1e-12);
    sum_at(&b, "reaction", 2, sum);
    assert_true(sum[0] == 0 && sum[1] == 0);
    end(&b);
}

/* speeds 0.3 x: C = 3 M + 0.2 K gives 0.2 E 0.3 A at the ends, and of the mass 3 int rho N v dV: the end x = 4 has the part of all that its
 * functions hold. With no acceleration both together, less the load, which the free end keeps. */
static void damped_bar__pulls_by_its_speed(void **unused) {
    (void)unused;
    built b;
    double sum[3];
    begin(&b, BAR(", damping: {mass: 3, stiffness: 0.2}") "supports: [{set: left, x: 0}]\n", NULL);
    spread(&b, (const double[3][3]){{0.3, 0, 0}}, b.v);
    b.e.a = b.a;
    ask(&b, BL_FIELDS);
    sum_at(&b, "reaction", 0, sum);
    /* on the element at the end, of length 1, the function of its edge is (1 - x)(1 - 2 x): int N x dx = 0 */
    near(sum[0], -0.2 * 1000 * 0.3 * 0.5, 1e-11);
    end(&b);
}

/* Newton: reactions and loads accelerate the whole body. Row sums of the mass of bilinear squares are a quarter of each at every corner. */
static void reactions__and_loads_accelerate_the_body(void **unused) {
    (void)unused;
    const char *text =
        "dimension: 2\n"
        "materials: {m: {type: neo_hookean, E: 1000, nu: 0.3, density: 2}}\n"
        "bodies: [{name: plate, mesh: {rectangle: {to: [3, 2], n: [3, 2]}, element: quad4}, material: m, plane: strain, strain: left}]\n"
        "supports: [{set: left, x: '=0.1*t^2 + 0.05*y*t^3', y: 0}]\n"
        "loads: [{set: right, traction: [0.3, '=2*t']}, {set: top, pressure: 4}]\n";
    built b;
    test_random random = {test_seed(5)};
    begin(&b, text, NULL);
    for (bl_index i = 0; i < b.sys->nv; i++) {
        b.x[i] = 0.05 * test_random_symmetric(&random);
        b.v[i] = test_random_symmetric(&random);
    }
    b.e.t = 0.7;
    ask(&b, BL_FIELDS);
    const bl_mesh *mesh = &b.model->solid[0].mesh;
    const double *reaction = field_of(&b, "reaction"), *a = field_of(&b, "acceleration"), *u = field_of(&b, "displacement");
    double sum[2] = {2 * 0.3, 2 * 2 * 0.7}; /* of the traction on a length of 2 */
    double left[2] = {0, 0}, right[2] = {0, 0};
    for (bl_index i = 0; i < mesh->nnode; i++) {
        const double *x = mesh->x[i];
        bool side = x[0] == 0 || x[0] == 3, end_ = x[1] == 0 || x[1] == 2;
        for (int c = 0; c < 2; c++) {
            sum[c] += reaction[3 * i + c] - 2 * (side ? 0.5 : 1) * (end_ ? 0.5 : 1) * a[3 * i + c];
            if (x[1] == 2 && x[0] == 0)
                left[c] = x[c] + u[3 * i + c];
            if (x[1] == 2 && x[0] == 3)
                right[c] = x[c] + u[3 * i + c];
        }
    }
    /* pressure on a polygon: 4 times its chord, turned against the body */
    sum[0] += 4 * (right[1] - left[1]);
    sum[1] -= 4 * (right[0] - left[0]);
    near(sum[0], 0, 1e-9);
    near(sum[1], 0, 1e-9);
    near(a[0], 0.2 + 0.3 * 0.05 * mesh->x[0][1] * 0.7, 1e-12); /* of the law */
    end(&b);
}

/* a wall between 1 and 5: the flux is that of the supports, of first order less what warms it */
static void field__is_fed_by_its_supports(void **unused) {
    (void)unused;
    built b;
    begin(&b,
          "dimension: 2\n"
          "materials: {m: {type: conducting, conductivity: 3, density: 7}}\n"
          "fields: [{name: wall, mesh: {rectangle: {to: [4, 1], n: [4, 1]}, element: quad4}, material: m, equation: diffusion}]\n"
          "supports: [{set: left, value: 1}, {set: right, value: 5}]\n",
          NULL);
    spread(&b, (const double[3][3]){{1, 0, 0}}, b.x);
    for (bl_index i = 0; i < b.sys->nz; i++)
        b.x[i] += 1;
    ask(&b, BL_FIELDS);
    const bl_mesh *mesh = &b.model->solid[0].mesh;
    double in = 0, out = 0;
    for (bl_index i = 0; i < mesh->nnode; i++) {
        in += mesh->x[i][0] == 4 ? field_of(&b, "reaction_flow")[i] : 0;
        out += mesh->x[i][0] == 0 ? field_of(&b, "reaction_flow")[i] : 0;
        near(field_of(&b, "flux")[3 * i], -3, 1e-10);
        near(field_of(&b, "flux_modulus")[i], 3, 1e-10);
    }
    near(in, 3, 1e-10); /* steady: nothing warms */
    near(out, -3, 1e-10);
    end(&b);
}

/* ---- histories, dissipated work */

/* Simple shear g: q = sqrt(3) mu g at first, plastic strain p = (q - sy)/(3 mu + H), the work lost sy p per volume. */
static void sheared_body__shows_its_plastic_strain(void **unused) {
    (void)unused;
    built b;
    double E = 1000, nu = 0.25, sy = 5, H = 100, g = 0.05, mu = E / (2 * (1 + nu)), p = (sqrt(3) * mu * g - sy) / (3 * mu + H);
    begin(
        &b,
        "dimension: 3\n"
        "materials: {m: {type: plastic, E: 1000, nu: 0.25, density: 1, yield: 5, hardening: 100}, e: {type: elastic, E: 1000, nu: 0.25}}\n"
        "bodies: [{name: block, mesh: {box: {to: [2, 1, 1], n: [2, 1, 1]}, element: hexa20}, material: m}]\n",
        NULL);
    spread(&b, (const double[3][3]){{0, g, 0}}, b.x);
    ask(&b, BL_FIELDS | BL_ENERGY);
    const bl_mesh *mesh = &b.model->solid[0].mesh;
    double q = sy + H * p;
    for (bl_index i = 0; i < mesh->nnode; i++) {
        near(field_of(&b, "equivalent_plastic_strain")[i], p, 1e-11);
        near(field_of(&b, "dissipated_work")[i], sy * p, 1e-9);
        near(field_of(&b, "von_mises")[i], q, 1e-8);
        near(field_of(&b, "stress")[6 * i + 3], q / sqrt(3), 1e-8);
    }
    near(b.e.dissipated, 2 * sy * p, 1e-10);
    near(b.e.potential, 2 * (q * q / (6 * mu) + 0.5 * H * p * p), 1e-10); /* shear energy s^2/2 mu, and of hardening */
    end(&b);
}

/* ---- choice */

static const char chosen_text[] = BAR("") "supports: [{set: left, all: 0}]\nloads: [{set: right, traction: [1, 2]}]\n";

static void every_field__is_the_same_alone(void **unused) {
    (void)unused;
    built all;
    begin(&all, chosen_text, "all");
    for (bl_index i = 0; i < all.sys->nv; i++)
        all.x[i] = 1e-3 * (i % 7) - 2e-3;
    ask(&all, BL_FIELDS);
    assert_true(all.sys->nfield >= 8);
    for (bl_index k = 0; k < all.sys->nfield; k++) {
        built one;
        const bl_field *field = &all.sys->field[k];
        begin(&one, chosen_text, field->name);
        assert_int_equal(one.sys->nfield, 1);
        memcpy(one.x, all.x, (size_t)all.sys->nv * sizeof *all.x);
        ask(&one, BL_FIELDS);
        assert_memory_equal(one.e.field[0], all.e.field[k], (size_t)field->items * (size_t)field->components * sizeof(double));
        end(&one);
    }
    end(&all);
}

static void chosen__are_named(void **unused) {
    (void)unused;
    built b;
    begin(&b, chosen_text, " stress , displacement");
    assert_int_equal(b.sys->nfield, 2);
    assert_string_equal(b.sys->field[0].name, "displacement");
    assert_string_equal(b.sys->field[1].name, "stress");
    assert_int_equal(b.sys->field[1].components, 4);
    assert_int_equal(bl_fem_choose_fields(b.sys, "displacement,strss"), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(b.ctx)->what, "'strss'"));
    assert_non_null(strstr(bl_context_error(b.ctx)->advice, "'stress'"));
    end(&b);
    begin(&b, chosen_text, "none");
    assert_int_equal(b.sys->nfield, 0);
    end(&b);
}

/* ---- the solver */

/* against Cholesky; the condition is below 100, so the residual of 1e-12 leaves 1e-10 */
static void mass_matrices__are_solved_by_conjugate_gradients(void **unused) {
    (void)unused;
    static const char *const element[] = {"triangle6", "quad8", "quad9", "tetra10", "hexa20", "wedge15", "hexa8", "tetra4"};
    test_random random = {test_seed(3)};
    for (size_t k = 0; k < sizeof element / sizeof *element; k++) {
        bool plane = bl_element_kind_by_name(element[k])->dim == 2;
        char text[400];
        snprintf(text, sizeof text,
                 "dimension: %d\nmaterials: {m: {type: elastic, E: 1000, density: 2}}\n"
                 "bodies: [{name: body, mesh: {%s, element: %s, distort: [0.3, 3]}, material: m%s}]\n",
                 plane ? 2 : 3, plane ? "rectangle: {to: [2, 1], n: [3, 3]}" : "box: {to: [1, 1, 2], n: [2, 2, 2]}", element[k],
                 plane ? ", plane: strain" : "");
        built b;
        begin(&b, text, "stress");
        const bl_fem *fem = b.sys->own;
        const bl_smooth *smooth = &fem->fields->smooth;
        bl_index n = smooth->pattern.ncol;
        double *A = calloc((size_t)n * (size_t)n, sizeof *A), *X = calloc(3 * (size_t)n, sizeof *X),
               *want = calloc(3 * (size_t)n, sizeof *X);
        double *work = calloc(bl_mass_work(n, 3), sizeof *work);
        for (bl_index j = 0; j < n; j++)
            for (bl_index i = smooth->pattern.ptr[j]; i < smooth->pattern.ptr[j + 1]; i++)
                A[(size_t)j * (size_t)n + (size_t)smooth->pattern.idx[i]] = smooth->M[i];
        for (bl_index i = 0; i < 3 * n; i++)
            want[i] = i % 3 == 2 ? 0 : test_random_symmetric(&random);
        for (bl_index i = 0; i < n; i++)
            for (bl_index j = 0; j < n; j++)
                for (int c = 0; c < 3; c++)
                    X[3 * i + c] += A[(size_t)j * (size_t)n + (size_t)i] * want[3 * j + c];
        assert_true(bl_mass_solve(&smooth->pattern, smooth->M, 0, n, 3, X, work) == 0);
        for (bl_index i = 0; i < 3 * n; i++)
            near(X[i], want[i], 1e-10);
        free(A);
        free(X);
        free(want);
        free(work);
        end(&b);
    }
}

/* A chain of springs fixed at both ends, of condition n^2: conjugate gradients need about n iterations. The returned residual is that of
 * the X that remains, in the norm of the diagonal 2: |b - A X| / |b|. */
static void mass_solve__returns_the_residual_it_leaves(void **unused) {
    (void)unused;
    enum { LONG = 2000, SHORT = 100 };
    for (int k = 0; k < 2; k++) {
        bl_index n = k ? SHORT : LONG, nnz = 0;
        bl_index *ptr = calloc((size_t)n + 1, sizeof *ptr), *idx = calloc(3 * (size_t)n, sizeof *idx);
        double *A = calloc(3 * (size_t)n, sizeof *A), *X = calloc((size_t)n, sizeof *X), *b = calloc((size_t)n, sizeof *b), *work;
        for (bl_index j = 0; j < n; j++) {
            for (bl_index i = j > 0 ? j - 1 : 0; i <= j + 1 && i < n; i++, nnz++) {
                idx[nnz] = i;
                A[nnz] = i == j ? 2 : -1;
            }
            ptr[j + 1] = nnz;
            X[j] = b[j] = j == 0;
        }
        work = calloc(bl_mass_work(n, 1), sizeof *work);
        bl_pattern pattern = {.nrow = n, .ncol = n, .ptr = ptr, .idx = idx};
        double left = bl_mass_solve(&pattern, A, 0, n, 1, X, work), size = 0, off = 0;
        for (bl_index j = 0; j < n; j++) {
            double r = b[j];
            for (bl_index i = ptr[j]; i < ptr[j + 1]; i++)
                r -= A[i] * X[idx[i]];
            off += r * r;
            size += b[j] * b[j];
        }
        print_message("chain of %d: residual %.3g, returned %.3g\n", (int)n, sqrt(off / size), left);
        assert_true(k ? left == 0 : left > 0);
        assert_true(fabs(sqrt(off / size) - left) < 1e-10);
        free(ptr), free(idx), free(A), free(X), free(b), free(work);
    }
}

/* ---- memory */

static bl_status evaluate(bl_context *ctx, void *user) {
    const char *text = user;
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_eval e = {0};
    static double zero[4000];
    bl_status status = bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_fem_build(ctx, model, &sys);
    if (status == BL_OK)
        status = bl_eval_create(sys, BL_Q, &e);
    if (status == BL_OK) {
        e.q = e.v = e.z = zero;
        e.history = (const unsigned char *)zero;
        status = bl_system_eval(sys, &e, BL_FIELDS);
    }
    if (sys)
        bl_eval_destroy(sys, &e);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__are_reported(void **unused) {
    (void)unused;
    char text[] = "dimension: 2\n"
                  "materials: {m: {type: plastic, E: 1000, nu: 0.3, density: 2, yield: 4}}\n"
                  "bodies: [{name: plate, mesh: {rectangle: {to: [3, 2], n: [3, 2]}, element: quad4}, material: m, plane: strain}]\n"
                  "supports: [{set: left, all: 0}]\n";
    assert_true(test_failing_allocations(evaluate, text) > 10);
    test_failing_once(evaluate, text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_bar__is_pulled_by_its_supports),
        cmocka_unit_test(damped_bar__pulls_by_its_speed),
        cmocka_unit_test(reactions__and_loads_accelerate_the_body),
        cmocka_unit_test(field__is_fed_by_its_supports),
        cmocka_unit_test(sheared_body__shows_its_plastic_strain),
        cmocka_unit_test(every_field__is_the_same_alone),
        cmocka_unit_test(chosen__are_named),
        cmocka_unit_test(mass_matrices__are_solved_by_conjugate_gradients),
        cmocka_unit_test(mass_solve__returns_the_residual_it_leaves),
        cmocka_unit_test(failing_allocations__are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
