/* Rates of convergence of every element of the list on mildly distorted meshes with straight edges: displacements and values in the L2 norm
 * p + 1, energy p, eigenvalues 2 p. Quadratic fields are exact in elements of degree 2. Norms are computed by quadrature rules and
 * functions of the test, not by those of the assembly. Kinds are taken from the list, so new ones are tested, too. */
#include "biela/equilibrium.h"
#include "biela/modes.h"
#include "model/model.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 6000 };
static const double pi = 3.14159265358979323846, side[3] = {1, 1.3, 1.6};
static const char *const faces[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};

/* ---- meshes */

static const bl_element_kind *linear_kind(bl_shape shape) {
    for (size_t k = 0; k < bl_element_kind_count; k++)
        if (bl_element_kinds[k]->shape == shape && bl_element_kinds[k]->degree == 1)
            return bl_element_kinds[k];
    fail_msg("a shape has no linear element");
    return NULL;
}

/* Nodes other than corners are where the shape functions of the corners put them: straight edges, whatever the degree. */
static void straighten(bl_mesh *mesh) {
    for (bl_index b = 0; b < mesh->nblock; b++) {
        const bl_element_kind *kind = mesh->block[b].kind, *corners = linear_kind(kind->shape);
        for (bl_index e = 0; e < mesh->block[b].count; e++) {
            const bl_index *node = mesh->block[b].node + (size_t)e * kind->nnode;
            for (int a = kind->ncorner; a < kind->nnode; a++) {
                double N[BL_ELEMENT_NODES];
                corners->functions(kind->node[a], N, NULL);
                for (int c = 0; c < 3; c++) {
                    mesh->x[node[a]][c] = 0;
                    for (int i = 0; i < kind->ncorner; i++)
                        mesh->x[node[a]][c] += N[i] * mesh->x[node[i]][c];
                }
            }
        }
    }
}

/* x_c += bend x_c (L_c - x_c) (difference of the others): faces keep their positions. With refinement elements become nearly affine, as in
 * all meshes by subdivision, and serendipity elements keep their rate. */
static void bend(bl_mesh *mesh, double by) {
    for (bl_index i = 0; i < mesh->nnode; i++) {
        double x[3];
        memcpy(x, mesh->x[i], sizeof x);
        for (int c = 0; c < mesh->dim; c++) {
            double other = mesh->dim == 1 ? 1 : x[(c + 1) % mesh->dim] / side[(c + 1) % mesh->dim] - 0.3;
            if (mesh->dim == 3)
                other -= 0.5 * x[(c + 2) % 3] / side[(c + 2) % 3];
            mesh->x[i][c] += by * x[c] / side[c] * (side[c] - x[c]) * other;
        }
    }
    straighten(mesh);
}

static void shear(bl_mesh *mesh) {
    for (bl_index i = 0; i < mesh->nnode; i++) {
        mesh->x[i][0] += (mesh->dim > 1 ? 0.3 * mesh->x[i][1] : 0) - (mesh->dim > 2 ? 0.2 * mesh->x[i][2] : 0);
        mesh->x[i][1] += mesh->dim > 2 ? 0.25 * mesh->x[i][2] : 0;
    }
}

static bl_model *read_model(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    if (bl_model_read_text(ctx, "rates", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s (line %d)\n%s", bl_context_error(ctx)->what, bl_context_error(ctx)->line, text);
    return model;
}

/* ---- problems: u_i = c_i sin(w_i . x + 0.3), a scalar has one component. Elastic: b = -(lambda + mu) grad div u - mu lap u */

static const double E = 1, amplitude[3] = {1, -0.7, 0.5}, w[3][3] = {{1.2, 0.7, -0.5}, {-0.6, 1.1, 0.8}, {0.9, -0.4, 1.0}};

typedef struct problem {
    const bl_element_kind *kind;
    bool elastic, stress; /* stress: plane stress */
    int cells;
} problem;

static int components(const problem *p) { return p->elastic ? p->kind->dim : 1; }

/* in one dimension 0: plane stress and plane strain are the same */
static double poisson(const problem *p) { return p->kind->dim == 1 ? 0 : 0.3; }

/* Lame's constants for the plane */
static void lame(const problem *p, double *lambda, double *mu) {
    const double nu = poisson(p);
    *mu = E / (2 * (1 + nu));
    *lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    if (p->stress)
        *lambda = 2 * *lambda * *mu / (*lambda + 2 * *mu);
}

static double phase(const problem *p, int i, const double x[3]) {
    double sum = 0.3;
    for (int k = 0; k < p->kind->dim; k++)
        sum += w[i][k] * x[k];
    return sum;
}

static size_t wave_text(const problem *p, int i, double factor, char *text, size_t room) {
    static const char *const name[] = {"x", "y", "z"};
    size_t used = (size_t)snprintf(text, room, "%+.17g*sin(0.3", factor);
    for (int k = 0; k < p->kind->dim; k++)
        used += (size_t)snprintf(text + used, room - used, "%+.17g*%s", w[i][k], name[k]);
    return used + (size_t)snprintf(text + used, room - used, ")");
}

static size_t field_text(const problem *p, char *text, size_t room) {
    static const char *const shape[] = {"segment: {to: %g, n: %d}", "rectangle: {to: [%g, %g], n: [%d, %d]}",
                                        "box: {to: [%g, %g, %g], n: [%d, %d, %d]}"};
    char mesh[200];
    int dim = p->kind->dim, n = p->cells;
    if (dim == 1)
        snprintf(mesh, sizeof mesh, shape[0], side[0], n);
    else if (dim == 2)
        snprintf(mesh, sizeof mesh, shape[1], side[0], side[1], n, n);
    else
        snprintf(mesh, sizeof mesh, shape[2], side[0], side[1], side[2], n, n, n);
    char law[80] = "conducting, conductivity: 1";
    if (p->elastic)
        snprintf(law, sizeof law, "elastic, E: %g, nu: %g", E, poisson(p));
    size_t used = (size_t)snprintf(text, room, "dimension: %d\nmaterials: {m: {type: %s, density: 1}}\n", dim, law);
    used += (size_t)snprintf(text + used, room - used, "%s: [{name: b, mesh: {%s, element: %s}, material: m",
                             p->elastic ? "bodies" : "fields", mesh, p->kind->kind.name);
    if (p->elastic && dim == 2)
        used += (size_t)snprintf(text + used, room - used, ", plane: %s", p->stress ? "stress" : "strain");
    if (!p->elastic)
        used += (size_t)snprintf(text + used, room - used, ", equation: wave");
    return used + (size_t)snprintf(text + used, room - used, "}]\n");
}

/* exact values on all faces, and the load that makes the solution exact inside */
static void load_text(const problem *p, char *text, size_t room) {
    static const char *const name[] = {"x", "y", "z"};
    double lambda, mu;
    lame(p, &lambda, &mu);
    size_t used = (size_t)snprintf(text, room, "supports:\n");
    for (int f = 0; f < 2 * p->kind->dim; f++) {
        used += (size_t)snprintf(text + used, room - used, "  - {set: %s", faces[f / 2][f % 2]);
        for (int i = 0; i < components(p); i++) {
            used += (size_t)snprintf(text + used, room - used, ", %s: \"=", p->elastic ? name[i] : "value");
            used += wave_text(p, i, amplitude[i], text + used, room - used);
            used += (size_t)snprintf(text + used, room - used, "\"");
        }
        used += (size_t)snprintf(text + used, room - used, "}\n");
    }
    used += (size_t)snprintf(text + used, room - used, "loads: [{set: all, %s", p->elastic ? "body_force: [" : "source: ");
    for (int i = 0; i < components(p); i++) {
        used += (size_t)snprintf(text + used, room - used, "%s\"=0", i ? ", " : "");
        for (int j = 0; j < components(p); j++) {
            double square = 0;
            for (int k = 0; k < p->kind->dim; k++)
                square += w[j][k] * w[j][k];
            double factor = !p->elastic ? square : (lambda + mu) * w[j][j] * w[j][i] + (i == j ? mu * square : 0);
            used += wave_text(p, j, amplitude[j] * factor, text + used, room - used);
        }
        used += (size_t)snprintf(text + used, room - used, "\"");
    }
    snprintf(text + used, room - used, "%s}]\n", p->elastic ? "]" : "");
}

/* ---- solutions */

typedef struct solution {
    double *u; /* [node][apart] */
    bl_index nodes;
    int apart;
} solution;

static bl_status take_begin(void *user, const bl_run_info *info) {
    solution *take = user;
    take->nodes = info->field[0].items;
    take->apart = info->field[0].components;
    take->u = calloc((size_t)take->nodes * (size_t)take->apart, sizeof *take->u);
    return take->u ? BL_OK : BL_E_MEMORY;
}

static bl_status take_sample(void *user, const bl_sample *s) {
    solution *take = user;
    memcpy(take->u, s->field[0], (size_t)take->nodes * (size_t)take->apart * sizeof *take->u);
    return BL_OK;
}

static solution solve(bl_context *ctx, const problem *p, const bl_model *model) {
    solution found = {0};
    bl_sink sink = {.user = &found, .begin = take_begin, .sample = take_sample, .want = BL_WANT_FIELDS};
    bl_equilibrium_options options = {.any = true, .fields = p->elastic ? "displacement" : "value"};
    if (bl_equilibrium(ctx, model, &options, &sink, 1, NULL, NULL) != BL_OK)
        fail_msg("%s: %s", p->kind->kind.name, bl_context_error(ctx)->what);
    return found;
}

/* ---- norms of errors, by the best quadrature rule available */

static bl_quadrature best_rule(bl_shape shape) {
    static const int points[BL_SHAPES][3] = {
        [BL_SEGMENT] = {5, 5, 5},  [BL_TRIANGLE] = {12, 12, 12}, [BL_QUAD] = {5, 5, 5},
        [BL_TETRA] = {15, 15, 15}, [BL_HEXA] = {4, 4, 4},        [BL_WEDGE] = {12, 4, 4},
    };
    bl_quadrature rule;
    assert_int_equal(bl_quadrature_of(shape, points[shape], &rule), BL_OK);
    return rule;
}

/* stored energy of a gradient, times 2 */
static double energy_of(const problem *p, const double H[3][3]) {
    double lambda, mu, trace = 0, sum = 0;
    int dim = p->kind->dim;
    lame(p, &lambda, &mu);
    for (int i = 0; i < components(p); i++)
        for (int j = 0; j < dim; j++)
            sum += p->elastic ? 0.5 * mu * (H[i][j] + H[j][i]) * (H[i][j] + H[j][i]) : H[i][j] * H[i][j];
    for (int i = 0; p->elastic && i < dim; i++)
        trace += H[i][i];
    return sum + (p->elastic ? lambda * trace * trace : 0);
}

static void norms(const problem *p, const bl_mesh *mesh, const solution *found, double *square, double *energy) {
    const bl_mesh_block *block = &mesh->block[0];
    bl_quadrature rule = best_rule(p->kind->shape);
    int nn = p->kind->nnode, dim = p->kind->dim;
    *square = *energy = 0;
    for (bl_index e = 0; e < block->count; e++)
        for (bl_index k = 0; k < rule.n; k++) {
            const bl_index *node = block->node + (size_t)e * (size_t)nn;
            double N[BL_ELEMENT_NODES], dN[BL_ELEMENT_NODES][3], at[BL_ELEMENT_NODES][3], g[3 * BL_ELEMENT_NODES];
            double x[3] = {0}, off[3] = {0}, H[3][3] = {{0}};
            p->kind->functions(rule.at[k], N, dN);
            for (int a = 0; a < nn; a++) {
                memcpy(at[a], mesh->x[node[a]], sizeof at[a]);
                for (int c = 0; c < 3; c++)
                    x[c] += N[a] * at[a][c];
            }
            double volume = rule.weight[k] * bl_element_gradients(dim, nn, (const double(*)[3])at, (const double(*)[3])dN, g);
            for (int i = 0; i < components(p); i++) {
                off[i] = amplitude[i] * sin(phase(p, i, x));
                for (int j = 0; j < dim; j++)
                    H[i][j] = amplitude[i] * w[i][j] * cos(phase(p, i, x));
                for (int a = 0; a < nn; a++) {
                    double u = found->u[node[a] * found->apart + i];
                    off[i] -= N[a] * u;
                    for (int j = 0; j < dim; j++)
                        H[i][j] -= g[a * dim + j] * u;
                }
            }
            *square += volume * (off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
            *energy += volume * energy_of(p, (const double(*)[3])H);
        }
    *square = sqrt(*square);
    *energy = sqrt(*energy);
}

/* ---- rates */

/* cells along a direction, coarse and fine */
static void cells_of(const bl_element_kind *kind, int n[2]) {
    static const int most[3] = {16, 12, 5}, of_quadratic[3] = {12, 8, 4};
    n[1] = kind->degree == 1 ? most[kind->dim - 1] : of_quadratic[kind->dim - 1];
    n[0] = (n[1] + 1) / 2;
}

static double rate(const double error[2], const int n[2]) { return log(error[0] / error[1]) / log((double)n[1] / n[0]); }

static void errors(const problem *p, double *square, double *energy) {
    char text[TEXT];
    size_t used = field_text(p, text, sizeof text);
    load_text(p, text + used, sizeof text - used);
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, text);
    bend(&model->solid[0].mesh, 0.2);
    solution found = solve(ctx, p, model);
    norms(p, &model->solid[0].mesh, &found, square, energy);
    free(found.u);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void expect(const problem *p, const char *what, const double error[2], const int n[2], double want, double below, double above) {
    double found = rate(error, n);
    if (!(found >= want - below && found <= want + above))
        fail_msg("%s%s, %s of %s: errors %.3g, %.3g with %d, %d cells: rate %.2f, not %g", p->kind->kind.name,
                 p->stress ? ", plane stress" : "", what, p->elastic ? "a body" : "a field", error[0], error[1], n[0], n[1], found, want);
}

static void over_all(void (*check)(problem *)) {
    for (size_t k = 0; k < bl_element_kind_count; k++)
        for (int which = 0; which < (bl_element_kinds[k]->dim == 2 ? 3 : 2); which++)
            check(&(problem){.kind = bl_element_kinds[k], .elastic = which > 0, .stress = which > 1});
}

static void errors_of(problem *p) {
    double square[2], energy[2];
    int n[2];
    cells_of(p->kind, n);
    for (int fine = 0; fine < 2; fine++) {
        p->cells = n[fine];
        errors(p, &square[fine], &energy[fine]);
    }
    /* three-dimensional meshes are coarse: serendipity elements lose accuracy by distortion that vanishes with refinement */
    expect(p, "mean square", square, n, p->kind->degree + 1, 0.1, 0.35);
    expect(p, "energy", energy, n, p->kind->degree, 0.1, 0.2);
}

static void errors__fall_with_the_degree(void **state) {
    (void)state;
    over_all(errors_of);
}

/* ---- eigenvalues: fields that vanish on all faces, bodies whose faces slide (u.n = 0, no shear):
 *
 *     pi^2 sum 1/L_i^2;     c_T^2 pi^2 (1/L_i^2 + 1/L_j^2) of the longest sides, in one dimension c^2 pi^2 / L^2 */

static double least_eigenvalue(const problem *p) {
    double lambda, mu, sum = 0;
    int dim = p->kind->dim;
    lame(p, &lambda, &mu);
    for (int i = p->elastic && dim == 3 ? 1 : 0; i < dim; i++)
        sum += pi * pi / (side[i] * side[i]);
    return sum * (!p->elastic ? 1 : dim == 1 ? lambda + 2 * mu : mu);
}

static double eigenvalue(const problem *p) {
    static const char *const name[] = {"x", "y", "z"};
    char text[TEXT];
    size_t used = field_text(p, text, sizeof text);
    used += (size_t)snprintf(text + used, sizeof text - used, "supports:\n");
    for (int f = 0; f < 2 * p->kind->dim; f++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  - {set: %s, %s: 0}\n", faces[f / 2][f % 2],
                                 p->elastic ? name[f / 2] : "value");
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, text);
    bend(&model->solid[0].mesh, 0.2);
    bl_modes_report report = {0};
    bl_modes_options options = {.count = 1, .at = BL_MODES_AT_START, .anyway = true, .method = BL_MODES_ARPACK};
    bl_status status = p->cells > 2 ? bl_modes(ctx, model, &options, NULL, 0, &report) : BL_E_ABILITY;
    if (status == BL_E_ABILITY) { /* few unknowns, or no ARPACK */
        bl_context_clear_error(ctx);
        options.method = BL_MODES_AUTO;
        status = bl_modes(ctx, model, &options, NULL, 0, &report);
    }
    if (status != BL_OK)
        fail_msg("%s: %s", p->kind->kind.name, bl_context_error(ctx)->what);
    double value = report.mode[0].eigenvalue;
    bl_modes_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
    return value;
}

static void eigenvalues_of(problem *p) {
    if (p->stress) /* compression and shear waves are too close together */
        return;
    double error[2], exact = least_eigenvalue(p);
    int n[2];
    cells_of(p->kind, n);
    if (p->kind->dim == 3 && p->kind->degree == 2) { /* with two cells a mode is not yet resolved */
        n[0] = 3;
        n[1] = 4;
    }
    for (int fine = 0; fine < 2; fine++) {
        p->cells = n[fine];
        error[fine] = eigenvalue(p) / exact - 1;
    }
    expect(p, "eigenvalue", error, n, 2 * p->kind->degree, p->kind->dim == 3 ? 0.55 : 0.3, 0.5);
}

static void eigenvalues__fall_with_twice_the_degree(void **state) {
    (void)state;
    over_all(eigenvalues_of);
}

/* ---- quadratic patch test: u_i = sum of c_ijk x_j x_k, with its body force, is exact in elements of degree 2 */

/* c_ijk = c_ikj, arbitrary numbers */
static double coefficient(int i, int j, int k) {
    static const double c[3][6] = {
        {0.3, -0.2, 0.5, 0.4, -0.1, 0.25}, {-0.45, 0.35, 0.15, -0.3, 0.2, 0.1}, {0.2, 0.1, -0.4, 0.15, 0.3, -0.25}};
    return c[i][j == k ? j : 2 + j + k];
}

static double quadratic(const problem *p, int i, const double x[3]) {
    double sum = 0;
    for (int j = 0; j < p->kind->dim; j++)
        for (int k = 0; k < p->kind->dim; k++)
            sum += coefficient(i, j, k) * x[j] * x[k];
    return sum;
}

static void quadratic_text(const problem *p, char *text, size_t room) {
    static const char *const name[] = {"x", "y", "z"};
    double lambda, mu;
    int dim = p->kind->dim;
    lame(p, &lambda, &mu);
    size_t used = (size_t)snprintf(text, room, "supports:\n");
    for (int f = 0; f < 2 * dim; f++) {
        used += (size_t)snprintf(text + used, room - used, "  - {set: %s", faces[f / 2][f % 2]);
        for (int i = 0; i < components(p); i++) {
            used += (size_t)snprintf(text + used, room - used, ", %s: \"=0", p->elastic ? name[i] : "value");
            for (int j = 0; j < dim * dim; j++)
                used += (size_t)snprintf(text + used, room - used, "%+.17g*%s*%s", coefficient(i, j / dim, j % dim), name[j / dim],
                                         name[j % dim]);
            used += (size_t)snprintf(text + used, room - used, "\"");
        }
        used += (size_t)snprintf(text + used, room - used, "}\n");
    }
    used += (size_t)snprintf(text + used, room - used, "loads: [{set: all, %s", p->elastic ? "body_force: [" : "source: ");
    for (int i = 0; i < components(p); i++) { /* lap u_i = 2 sum c_ijj, d_i div u = 2 sum c_jji */
        double laplace = 0, spread = 0;
        for (int j = 0; j < dim; j++) {
            laplace += 2 * coefficient(i, j, j);
            spread += p->elastic ? 2 * coefficient(j, j, i) : 0;
        }
        used += (size_t)snprintf(text + used, room - used, "%s%.17g", i ? ", " : "",
                                 p->elastic ? -(lambda + mu) * spread - mu * laplace : -laplace);
    }
    snprintf(text + used, room - used, "%s}]\n", p->elastic ? "]" : "");
}

/* Whether the shape functions contain the square of a product of coordinates: then they contain squares of x also if only the corners
 * determine x, without parallel edges. Simplices are affine if their edges are straight. */
static bool bends(const bl_element_kind *kind) {
    if (kind->shape == BL_SEGMENT || kind->shape == BL_TRIANGLE || kind->shape == BL_TETRA)
        return true;
    double N[BL_ELEMENT_NODES], sum = 0;
    const double xi[3] = {0.3, 0.4, 0.2};
    kind->functions(xi, N, NULL);
    for (int a = 0; a < kind->nnode; a++)
        sum += N[a] * pow(kind->node[a][0] * kind->node[a][1], 2);
    return fabs(sum - pow(xi[0] * xi[1], 2)) < 1e-12;
}

static void quadratic_patch(problem *p) {
    if (p->kind->degree < 2)
        return;
    char text[TEXT];
    p->cells = 2;
    size_t used = field_text(p, text, sizeof text);
    quadratic_text(p, text + used, sizeof text - used);
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, text);
    bl_mesh *mesh = &model->solid[0].mesh;
    if (bends(p->kind))
        bend(mesh, 0.5);
    shear(mesh);
    solution found = solve(ctx, p, model);
    double off = 0, size = 0;
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int c = 0; c < components(p); c++) {
            double want = quadratic(p, c, mesh->x[i]);
            size = fmax(size, fabs(want));
            off = fmax(off, fabs(found.u[i * found.apart + c] - want));
        }
    if (!(off <= 1e-11 * size))
        fail_msg("%s, %s: a quadratic field is off by %.3g of %.3g", p->kind->kind.name, p->elastic ? "a body" : "a field", off, size);
    free(found.u);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void quadratic_fields__are_exact_in_elements_of_degree_two(void **state) {
    (void)state;
    over_all(quadratic_patch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors__fall_with_the_degree),
        cmocka_unit_test(eigenvalues__fall_with_twice_the_degree),
        cmocka_unit_test(quadratic_fields__are_exact_in_elements_of_degree_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
