/* grid: what all generators share. A block of cells in up to three parameters u, v, w, mapped into space by a function, each cell filled
 * by one quadrilateral or hexahedron or cut into simplices or wedges. A generator divides the parameters, names the sides and gives the
 * map. */
#ifndef BL_MESH_GRID_H
#define BL_MESH_GRID_H

#include "mesh/mesh.h"

enum { BL_GRID_RUNS = 2 }; /* divisions of one parameter, one behind the other */

typedef struct bl_grid {
    bl_mesh_builder *builder;
    const bl_generator_kind *generator;
    const bl_element_kind *element;
    struct {
        double from, to, n, grading; /* grading: size of the last cell divided by that of the first */
    } run[3][BL_GRID_RUNS];
    int nrun[3];
    /* (u, v, w) to x, a map that preserves orientation; NULL: the same. `shape` is the generator's own. */
    void (*map)(const void *shape, const double u[3], double x[3]);
    const void *shape;
    const char *side[6]; /* names of u smallest, u largest, v smallest, ...; NULL: it has none */
    const char *also[6]; /* second names */
    const char *inner;   /* cells in the second run of both u and v are left out; the name of the edges they leave */
    bool closed;         /* the largest v is the smallest one */
    bool folded;         /* the two edges that `inner` leaves are one: three blocks about one corner; as many cells behind the bend */
    const char *turned;  /* the side of largest u is called so along the second run of v; NULL: as along the first */
} bl_grid;

/* The next run of a parameter (0, 1, 2). */
void bl_grid_divide(bl_grid *grid, int parameter, double from, double to, double n, double grading);
/* Nodes, elements and sets: of each side its nodes and faces, `all` elements. Nothing is allocated before the counts have been checked. */
bl_status bl_grid_fill(const bl_grid *grid);

/* ---- values of generators */

/* From a parameter of type BL_P_NUMBERS: `most` numbers, of which at least `least` were given; the last one given stands for those behind
 * it, one number for all. Not given: `fallback`. */
bl_status bl_grid_numbers(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, int least, int most,
                          double fallback, double out[3]);
/* The same for counts of cells: whole and at least 1. */
bl_status bl_grid_counts(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, int least, int most,
                         double out[3]);
/* The same for gradings: 1e-6 to 1e6, 1 when not given. */
bl_status bl_grid_gradings(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, int least, int most,
                           double out[3]);
/* Opposite corners of a rectangle or box from `from`, and either `to` or `size`, in this order in the table. */
bl_status bl_grid_corners(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, double from[3],
                          double to[3]);
/* inner < outer, in this order in the table */
bl_status bl_grid_radii(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value);

/* (r, angle, z) to x; on the axes exactly. For `map`. */
void bl_grid_polar(const void *unused, const double u[3], double x[3]);

#endif
