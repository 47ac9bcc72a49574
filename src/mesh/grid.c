/* The grid engine. Nodes are points of a lattice: corners of cells for elements of degree 1, and also the points halfway between them for
 * degree 2. A cell is [0, 2]^d of the lattice; an element in it is the image of its reference element by lattice = origin + A xi with
 * integer entries, so that the position of each node follows from its reference coordinates, for any node order of the kind. */
#include "mesh/grid.h"

#include <math.h>
#include <stdio.h>

enum { MOST_PIECES = 6 };

typedef struct piece { /* an element of the cell */
    int8_t origin[3], A[3][3];
} piece;

typedef struct cut {
    int count;
    piece piece[MOST_PIECES];
} cut;

/* Quadrilaterals are cut by the diagonal from (0, 0) to (1, 1), hexahedra into wedges along w by the same diagonal, or into the six
 * tetrahedra of the paths along edges from (0, 0, 0) to (1, 1, 1) (Kuhn 1960): opposite faces have the same diagonals, so that neighbors
 * conform. */
static const cut cuts[BL_SHAPES] = {
    [BL_SEGMENT] = {1, {{{1}, {{1}}}}},
    [BL_QUAD] = {1, {{{1, 1}, {{1, 0}, {0, 1}}}}},
    [BL_TRIANGLE] = {2, {{{0, 0}, {{2, 2}, {0, 2}}}, {{0, 0}, {{2, 0}, {2, 2}}}}},
    [BL_HEXA] = {1, {{{1, 1, 1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}}},
    [BL_WEDGE] = {2, {{{0, 0, 1}, {{2, 2, 0}, {0, 2, 0}, {0, 0, 1}}}, {{0, 0, 1}, {{2, 0, 0}, {2, 2, 0}, {0, 0, 1}}}}},
    [BL_TETRA] = {6,
                  {{{0, 0, 0}, {{2, 2, 2}, {0, 2, 2}, {0, 0, 2}}},
                   {{0, 0, 0}, {{2, 2, 2}, {0, 0, 2}, {2, 0, 2}}},
                   {{0, 0, 0}, {{0, 0, 2}, {2, 2, 2}, {0, 2, 2}}},
                   {{0, 0, 0}, {{2, 0, 2}, {2, 2, 2}, {0, 0, 2}}},
                   {{0, 0, 0}, {{0, 2, 2}, {0, 0, 2}, {2, 2, 2}}},
                   {{0, 0, 0}, {{0, 0, 2}, {2, 0, 2}, {2, 2, 2}}}}},
};

typedef struct work {
    const bl_grid *grid;
    const bl_element_kind *element;
    const cut *cut;
    int dim, p;                                      /* p: lattice steps per cell, the degree of the element */
    bl_index n[3], hole[2];                          /* cells; those with i >= hole[0] and j >= hole[1] are left out */
    bl_index size[3];                                /* of the lattice */
    int8_t offset[MOST_PIECES][BL_ELEMENT_NODES][3]; /* of nodes relative to the first corner of their cell */
    int8_t side[MOST_PIECES][BL_ELEMENT_FACES];      /* side of the cell that contains a face; -1: inside */
    bool used[2][2][2];                              /* [halfway or not in u][v][w]: there are nodes */
    double *line[3];                                 /* parameters of the lattice */
    bl_index *node;                                  /* number of the node at a position in the lattice; not set where there is none */
} work;

void bl_grid_divide(bl_grid *grid, int parameter, double from, double to, double n, double grading) {
    int r = grid->nrun[parameter]++;
    grid->run[parameter][r].from = from;
    grid->run[parameter][r].to = to;
    grid->run[parameter][r].n = n;
    grid->run[parameter][r].grading = grading;
}

/* ---- the element in its cell */

/* between two corners of cells */
static bool halfway(const work *w, bl_index at) { return w->p == 2 && at % 2; }

static void find_offsets(work *w) {
    for (int c = 0; c < w->cut->count; c++)
        for (int a = 0; a < w->element->nnode; a++) {
            const piece *in = &w->cut->piece[c];
            int8_t *at = w->offset[c][a];
            for (int d = 0; d < w->dim; d++) {
                double x = in->origin[d];
                for (int m = 0; m < w->dim; m++)
                    x += in->A[d][m] * w->element->node[a][m];
                at[d] = (int8_t)lround(x * w->p / 2);
            }
            w->used[halfway(w, at[0])][halfway(w, at[1])][halfway(w, at[2])] = true;
        }
}

static void find_sides(work *w) {
    for (int c = 0; c < w->cut->count; c++)
        for (int f = 0; f < w->element->nface; f++) {
            const bl_element_face *face = &w->element->face[f];
            w->side[c][f] = -1;
            for (int s = 0; s < 2 * w->dim; s++) {
                bool on = true;
                for (int a = 0; a < (face->kind ? face->kind->nnode : 1); a++)
                    on = on && w->offset[c][face->node[a]][s / 2] == (s % 2 ? w->p : 0);
                if (on)
                    w->side[c][f] = (int8_t)s;
            }
        }
}

/* ---- counts, without overflow */

/* cells in the second run of both u and v are left out */
static bool has_corner(const bl_grid *grid) { return grid->inner || grid->folded; }

static int64_t to_integer(double count) { return count < 9e18 ? (int64_t)count : INT64_MAX; }

static bl_status expect(const work *w) {
    const bl_grid *grid = w->grid;
    bool corner = has_corner(grid);
    double n[3] = {1, 1, 1}, cells = 1, left_out = corner ? 1 : 0, nodes = 0;
    for (int d = 0; d < w->dim; d++) {
        n[d] = grid->run[d][0].n + grid->run[d][1].n;
        cells *= n[d];
        left_out *= d < 2 ? grid->run[d][1].n : n[d];
    }
    for (int parity = 0; parity < 8; parity++) { /* halfway or not */
        double all = 1, hole = corner ? 1 : 0, fold = grid->folded && parity % 2 == 0 ? 1 : 0;
        for (int d = 0; d < w->dim; d++) {
            double along = (parity >> d) % 2 || (grid->closed && d == 1) ? n[d] : n[d] + 1;
            all *= along;
            hole *= d < 2 ? grid->run[d][1].n : along;
            fold *= d == 0 ? 1 : d == 1 ? grid->run[d][1].n : along;
        }
        if (w->used[parity % 2][(parity >> 1) % 2][(parity >> 2) % 2])
            nodes += all - hole - fold;
    }
    return bl_mesh_expect(grid->builder, to_integer(nodes), to_integer((cells - left_out) * w->cut->count));
}

/* ---- lattice */

/* Sizes of cells in geometric progression: u_i = from + (to - from) (q^i - 1) / (q^n - 1), q^(n-1) = grading. Both ends are met exactly. */
static void divide(double from, double to, bl_index n, double grading, int p, double *line) {
    double logarithm = n > 1 ? log(grading) / (n - 1) : 0;
    for (bl_index i = 0; i <= n; i++) {
        double share = logarithm == 0 ? (double)i / n : expm1(i * logarithm) / expm1(n * logarithm);
        line[i * p] = (1 - share) * from + share * to;
    }
    for (bl_index i = 0; i < n && p == 2; i++)
        line[2 * i + 1] = (line[2 * i] + line[2 * i + 2]) / 2;
}

static bl_status make_lines(work *w) {
    const bl_grid *grid = w->grid;
    for (int d = 0; d < 3; d++) {
        bl_index run[BL_GRID_RUNS] = {(bl_index)grid->run[d][0].n, (bl_index)grid->run[d][1].n};
        w->n[d] = d < w->dim ? run[0] + run[1] : 1;
        if (d < 2)
            w->hole[d] = has_corner(grid) ? run[0] : w->n[d];
        w->size[d] = d < w->dim ? w->p * w->n[d] + 1 : 1;
        BL_TRY(BL_NEW(grid->builder->ctx, w->line[d], w->size[d]));
        for (int r = 0; r < grid->nrun[d]; r++)
            divide(grid->run[d][r].from, grid->run[d][r].to, run[r], grid->run[d][r].grading, w->p, &w->line[d][r ? w->p * run[0] : 0]);
    }
    return BL_OK;
}

/* on the upright edge of a fold: identical with the point at the same distance along the other edge */
static bool on_upright(const work *w, const bl_index at[3]) {
    return w->grid->folded && at[0] == w->p * w->hole[0] && at[1] > w->p * w->hole[1];
}

static size_t slot(const work *w, const bl_index at[3]) {
    bl_index i = at[0], j = w->grid->closed && at[1] == w->size[1] - 1 ? 0 : at[1];
    if (on_upright(w, at)) {
        i = w->p * w->hole[0] + at[1] - w->p * w->hole[1];
        j = w->p * w->hole[1];
    }
    return ((size_t)at[2] * w->size[1] + j) * w->size[0] + i;
}

/* before, behind: on the first, the second run of v; the node between them belongs to both */
static bl_status add_to_side(const work *w, int s, bool before, bool behind, bl_set_what what, bl_index item, int face) {
    const char *turned = s == 1 ? w->grid->turned : NULL;
    const char *const name[3] = {before || !turned ? w->grid->side[s] : NULL, w->grid->also[s], behind ? turned : NULL};
    for (int k = 0; k < 3; k++)
        if (name[k])
            BL_TRY(bl_mesh_add_to_set(w->grid->builder, name[k], what, item, (uint8_t)face));
    return BL_OK;
}

static bl_status add_node(work *w, const bl_index at[3]) {
    const bl_grid *grid = w->grid;
    bl_mesh_builder *b = grid->builder;
    bl_index i = b->nnode;
    double u[3] = {w->line[0][at[0]], w->line[1][at[1]], w->line[2][at[2]]}, x[3] = {u[0], u[1], u[2]};
    if (grid->map)
        grid->map(grid->shape, u, x);
    w->node[slot(w, at)] = i;
    BL_TRY(bl_mesh_add_node(b, 0, x));
    bl_index bend = w->p * (bl_index)grid->run[1][0].n;
    for (int d = 0; d < w->dim; d++) {
        if (at[d] == 0)
            BL_TRY(add_to_side(w, 2 * d, at[1] <= bend, at[1] >= bend, BL_SET_NODES, i, 0));
        if (at[d] == w->size[d] - 1)
            BL_TRY(add_to_side(w, 2 * d + 1, at[1] <= bend, at[1] >= bend, BL_SET_NODES, i, 0));
    }
    bl_index beyond[2] = {at[0] - w->p * w->hole[0], at[1] - w->p * w->hole[1]};
    if (grid->inner && beyond[0] >= 0 && beyond[1] >= 0)
        BL_TRY(bl_mesh_add_to_set(b, grid->inner, BL_SET_NODES, i, 0));
    return BL_OK;
}

static bl_status add_nodes(work *w) {
    bl_index at[3], last = w->size[1] - (w->grid->closed ? 1 : 0);
    for (at[2] = 0; at[2] < w->size[2]; at[2]++)
        for (at[1] = 0; at[1] < last; at[1]++) {
            BL_TRY(bl_go_on(w->grid->builder->ctx));
            for (at[0] = 0; at[0] < w->size[0]; at[0]++)
                if (w->used[halfway(w, at[0])][halfway(w, at[1])][halfway(w, at[2])] &&
                    !(at[0] > w->p * w->hole[0] && at[1] > w->p * w->hole[1]) && !on_upright(w, at))
                    BL_TRY(add_node(w, at));
        }
    return BL_OK;
}

/* ---- cells */

static bl_status add_face(const work *w, const bl_index cell[3], int side, int face) {
    const bl_grid *grid = w->grid;
    bl_mesh_builder *b = grid->builder;
    bl_index element = b->nelement - 1;
    int d = side / 2;
    if (cell[d] == (side % 2 ? w->n[d] - 1 : 0) && !(grid->closed && d == 1))
        return add_to_side(w, side, cell[1] < grid->run[1][0].n, cell[1] >= grid->run[1][0].n, BL_SET_FACES, element, face);
    bool before_hole = grid->inner && side % 2 && d < 2 && cell[d] == w->hole[d] - 1 && cell[1 - d] >= w->hole[1 - d];
    return before_hole ? bl_mesh_add_to_set(b, grid->inner, BL_SET_FACES, element, (uint8_t)face) : BL_OK;
}

static bl_status add_element(const work *w, const bl_index cell[3], int c) {
    bl_mesh_builder *b = w->grid->builder;
    bl_index node[BL_ELEMENT_NODES];
    for (int a = 0; a < w->element->nnode; a++) {
        bl_index at[3];
        for (int d = 0; d < 3; d++)
            at[d] = w->p * cell[d] + w->offset[c][a][d];
        node[a] = w->node[slot(w, at)];
    }
    BL_TRY(bl_mesh_add_to_set(b, "all", BL_SET_ELEMENTS, b->nelement, 0));
    BL_TRY(bl_mesh_add_element(b, w->element, 0, node));
    for (int f = 0; f < w->element->nface; f++)
        if (w->side[c][f] >= 0)
            BL_TRY(add_face(w, cell, w->side[c][f], f));
    return BL_OK;
}

static bl_status add_elements(const work *w) {
    bl_index cell[3];
    for (cell[2] = 0; cell[2] < w->n[2]; cell[2]++)
        for (cell[1] = 0; cell[1] < w->n[1]; cell[1]++) {
            BL_TRY(bl_go_on(w->grid->builder->ctx));
            for (cell[0] = 0; cell[0] < w->n[0] && !(cell[0] >= w->hole[0] && cell[1] >= w->hole[1]); cell[0]++)
                for (int c = 0; c < w->cut->count; c++)
                    BL_TRY(add_element(w, cell, c));
        }
    return BL_OK;
}

static bl_status build(work *w) {
    find_offsets(w);
    find_sides(w);
    BL_TRY(expect(w));
    BL_TRY(make_lines(w));
    size_t lattice = (size_t)w->size[0] * w->size[1] * w->size[2];
    BL_TRY(BL_NEW(w->grid->builder->ctx, w->node, lattice));
    BL_TRY(add_nodes(w));
    return add_elements(w);
}

static bl_status refuse_element(const bl_grid *grid) {
    const bl_mesh_builder *b = grid->builder;
    char takes[256] = "";
    size_t length = 0;
    for (size_t i = 0; i < bl_element_kind_count && length < sizeof takes; i++)
        if (bl_element_kinds[i]->dim == grid->generator->dim)
            length += (size_t)snprintf(takes + length, sizeof takes - length, "%s%s", length ? ", " : "", bl_element_kinds[i]->kind.name);
    bl_fail(b->ctx, BL_E_MODEL, &b->place, "a %s cannot be meshed with %s", grid->generator->kind.name, grid->element->kind.name);
    bl_advise(b->ctx, "possible elements: %s", takes);
    return BL_E_MODEL;
}

bl_status bl_grid_fill(const bl_grid *grid) {
    work w = {.grid = grid, .element = grid->element, .dim = grid->generator->dim, .p = grid->element->degree};
    if (grid->element->dim != w.dim)
        return refuse_element(grid);
    w.cut = &cuts[grid->element->shape];
    bl_status status = build(&w);
    for (int d = 0; d < 3; d++)
        bl_free(grid->builder->ctx, w.line[d]);
    bl_free(grid->builder->ctx, w.node);
    return status;
}
