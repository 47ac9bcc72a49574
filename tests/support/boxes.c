/* Multilinear elements on unit cubes, two Gauss points per direction: see boxes.h. */
#include "support/boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 8, MOST = 24 };

typedef struct element {
    int dim, comps, corners;
    double k[MOST][MOST];
} element;

/* value and gradient of the shape function of a corner at xi in [0, 1]^dim */
static double shape(int dim, int corner, const double *xi, double *gradient) {
    double factor[3], value = 1;
    for (int d = 0; d < dim; d++)
        value *= factor[d] = corner >> d & 1 ? xi[d] : 1 - xi[d];
    for (int d = 0; d < dim; d++) {
        gradient[d] = corner >> d & 1 ? 1 : -1;
        for (int e = 0; e < dim; e++)
            gradient[d] *= e == d ? 1 : factor[e];
    }
    return value;
}

static element make_element(const test_box_input *input) {
    element el = {.dim = input->dim, .comps = input->elastic ? input->dim : 1, .corners = 1 << input->dim};
    double nu = 0.3, lambda = nu / ((1 + nu) * (1 - 2 * nu)), mu = 1 / (2 * (1 + nu)), at[2] = {0.5 - sqrt(1 / 12.0), 0.5 + sqrt(1 / 12.0)};
    for (int point = 0; point < el.corners; point++) {
        double xi[3] = {0}, value[CORNERS], g[CORNERS][3], weight = 1.0 / el.corners;
        for (int d = 0; d < el.dim; d++)
            xi[d] = at[point >> d & 1];
        for (int a = 0; a < el.corners; a++)
            value[a] = shape(el.dim, a, xi, g[a]);
        for (int a = 0; a < el.corners; a++)
            for (int b = 0; b < el.corners; b++) {
                double dot = 0;
                for (int d = 0; d < el.dim; d++)
                    dot += g[a][d] * g[b][d];
                for (int c = 0; c < el.comps; c++)
                    for (int e = 0; e < el.comps; e++) {
                        double stiff =
                            !input->elastic ? dot : lambda * g[a][c] * g[b][e] + mu * g[a][e] * g[b][c] + (c == e ? mu * dot : 0);
                        el.k[a * el.comps + c][b * el.comps + e] += weight * (stiff + (c == e ? input->mass * value[a] * value[b] : 0));
                    }
            }
    }
    return el;
}

typedef struct mesh {
    int dim, comps;
    int nodes[3];     /* along each direction, 1 where there is none */
    bl_index *number; /* of an unknown, -1: fixed */
} mesh;

static size_t node_at(const mesh *m, const int *x) {
    return (size_t)x[0] + (size_t)m->nodes[0] * ((size_t)x[1] + (size_t)m->nodes[1] * (size_t)x[2]);
}

static bl_index number_unknowns(const test_box_input *input, mesh *m) {
    bl_index n = 0;
    for (int z = 0; z < m->nodes[2]; z++)
        for (int y = 0; y < m->nodes[1]; y++)
            for (int x = 0; x < m->nodes[0]; x++)
                for (int c = 0; c < m->comps; c++) {
                    bool fixed = !input->free && (x == 0 || (input->rollers && c == 1 && y == 0));
                    m->number[node_at(m, (int[]){x, y, z}) * (size_t)m->comps + (size_t)c] = fixed ? -1 : n++;
                }
    return n;
}

/* entry of component e of the node at x + step and component c of the node at x: elements that hold both */
static double entry(const element *el, const mesh *m, const int *x, const int *step, int c, int e) {
    double sum = 0;
    for (int a = 0; a < el->corners; a++) { /* x is corner a of its element */
        int b = 0;
        bool there = true;
        for (int d = 0; d < el->dim; d++) {
            int first = x[d] - (a >> d & 1), corner = (a >> d & 1) + step[d];
            there = there && first >= 0 && first + 1 < m->nodes[d] && corner >= 0 && corner <= 1;
            b |= there ? corner << d : 0;
        }
        if (there)
            sum += el->k[b * el->comps + e][a * el->comps + c];
    }
    return sum;
}

static void fill(const element *el, const mesh *m, test_box *box) {
    bl_index used = 0, reach[3] = {1, m->dim > 1, m->dim > 2};
    int x[3], s[3];
    for (x[2] = 0; x[2] < m->nodes[2]; x[2]++)
        for (x[1] = 0; x[1] < m->nodes[1]; x[1]++)
            for (x[0] = 0; x[0] < m->nodes[0]; x[0]++)
                for (int c = 0; c < m->comps; c++) {
                    bl_index j = m->number[node_at(m, x) * (size_t)m->comps + (size_t)c];
                    if (j < 0)
                        continue;
                    for (s[2] = -reach[2]; s[2] <= reach[2]; s[2]++)
                        for (s[1] = -reach[1]; s[1] <= reach[1]; s[1]++)
                            for (s[0] = -reach[0]; s[0] <= reach[0]; s[0]++) {
                                int y[3] = {x[0] + s[0], x[1] + s[1], x[2] + s[2]};
                                bool inside = true;
                                for (int d = 0; d < 3; d++)
                                    inside = inside && y[d] >= 0 && y[d] < m->nodes[d];
                                for (int e = 0; e < m->comps && inside; e++) {
                                    bl_index i = m->number[node_at(m, y) * (size_t)m->comps + (size_t)e];
                                    if (i < 0)
                                        continue;
                                    box->idx[used] = i;
                                    box->values[used++] = entry(el, m, x, s, c, e);
                                }
                            }
                    box->ptr[j + 1] = used;
                }
}

test_box test_box_make(const test_box_input *input) {
    test_box box = {0};
    element el = make_element(input);
    mesh m = {.dim = input->dim, .comps = el.comps, .nodes = {1, 1, 1}};
    size_t count = (size_t)el.comps;
    for (int d = 0; d < input->dim; d++)
        count *= (size_t)(m.nodes[d] = 1 + (input->side[d] ? input->side[d] : input->side[0]));
    m.number = malloc(count * sizeof *m.number);
    if (!m.number)
        return box;
    bl_index n = number_unknowns(input, &m), entries = (input->dim == 1 ? 3 : input->dim == 2 ? 9 : 27) * el.comps;
    box.ptr = calloc((size_t)n + 1, sizeof *box.ptr);
    box.idx = malloc((size_t)n * (size_t)entries * sizeof *box.idx);
    box.values = malloc((size_t)n * (size_t)entries * sizeof *box.values);
    if (box.ptr && box.idx && box.values)
        fill(&el, &m, &box);
    else
        test_box_free(&box);
    free(m.number);
    box.pattern = (bl_pattern){n, n, box.ptr, box.idx};
    return box;
}

void test_box_free(test_box *box) {
    free(box->ptr);
    free(box->idx);
    free(box->values);
    *box = (test_box){0};
}
