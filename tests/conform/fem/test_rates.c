/* Rates of convergence of every element of the list on meshes that are mildly distorted with straight edges: displacements and values in the
 * mean square p + 1, energy p, eigenvalues 2 p. Quadratic fields are exact in elements of degree 2. Norms by rules and functions of their
 * own, not by those of the assembly. Nothing is named: what is added to the list is tested by being there. */
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

/* Nodes beside the corners lie where the corners' functions put them: straight edges, whatever the degree. */
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

/* x_c += bend x_c (L_c - x_c) (difference of the others): faces stay where they are. As meshes become finer, elements come close to affine
 * ones, as all meshes by division do, and serendipity elements keep their rate. */
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

static const double E = 1, nu = 0.3, amplitude[3] = {1, -0.7, 0.5}, w[3][3] = {{1.2, 0.7, -0.5}, {-0.6, 1.1, 0.8}, {0.9, -0.4, 1.0}};

typedef struct problem {
    const bl_element_kind *kind;
    bool elastic, stress; /* stress: plane stress */
    int cells;
} problem;

static int components(const problem *p) { return p->elastic ? p->kind->dim : 1; }

/* Lame's numbers as the plane makes them; bars have E alone */
static void lame(const problem *p, double *lambda, double *mu) {
    *mu = E / (2 * (1 + nu));
    *lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    if (p->kind->dim == 1)
        *lambda = E - 2 * *mu;
    else if (p->stress)
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
    size_t used = (size_t)snprintf(text, room, "dimension: %d\nmaterials: {m: {type: %s, density: 1}}\n", dim,
                                   p->elastic ? "elastic, E: 1, nu: 0.3" : "conducting, conductivity: 1");
    used += (size_t)snprintf(text + used, room - used, "%s: [{name: b, mesh: {%s, element: %s}, material: m", p->elastic ? "bodies" : "fields",
                             mesh, p->kind->kind.name);
    if (p->elastic && dim == 2)
        used += (size_t)snprintf(text + used, room - used, ", plane: %s", p->stress ? "stress" : "strain");
    if (!p->elastic)
        used += (size_t)snprintf(text + used, room - used, ", equation: wave");
    return used + (size_t)snprintf(text + used, room - used, "}]\n");
}

/* the exact values on all faces, and the load that makes them so inside */
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
    double *u; /* [node][components of the field] */
    int apart;
} solution;

static bl_status take_begin(void *user, const bl_run_info *info) {
    ((solution *)user)->apart = info->nfield == 1 ? info->field[0].components : 0;
    ((solution *)user)->u = calloc((size_t)info->field[0].items * (size_t)info->field[0].components, sizeof(double));
    return BL_OK;
}

static bl_status take_sample(void *user, const bl_sample *s) {
    solution *take = user;
    if (!take->u)
        return BL_E_MEMORY;
    return BL_OK + 0 * (s->field[0] == NULL);
}

static void solve(bl_context *ctx, const bl_model *model, const char *field, bl_sink *sink) {
    if (bl_equilibrium(ctx, model, &(bl_equilibrium_options){.any = true, .fields = field}, sink, 1, NULL, NULL) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
}
