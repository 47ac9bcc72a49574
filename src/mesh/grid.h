/* grid: the common part of all generators. A block of cells in up to three parameters u, v, w, mapped into space by a function; each cell
 * is one quadrilateral or hexahedron, or is divided into simplices or wedges. A generator divides the parameters, names the sides and
 * provides the map. */
#ifndef BL_MESH_GRID_H
#define BL_MESH_GRID_H

#include "mesh/mesh.h"

enum { BL_GRID_RUNS = 2 }; /* successive divisions of one parameter */

typedef struct bl_grid {
    bl_mesh_builder *builder;
    const bl_generator_kind *generator;
    const bl_element_kind *element;
    struct {
        double from, to, n, grading; /* grading: size of the last cell divided by that of the first */
    } run[3][BL_GRID_RUNS];
    int nrun[3];
    /* (u, v, w) to x, a map that preserves orientation; NULL: identity. `shape` belongs to the generator. */
    void (*map)(const void *shape, const double u[3], double x[3]);
    const void *shape;
    const char *side[6]; /* names at smallest u, largest u, smallest v, ...; NULL: none */
    const char *also[6]; /* second names */
    const char *inner;   /* not NULL: cells in the second run of both u and v are left out; name of the resulting edges */
    bool closed;         /* the side of largest v coincides with that of smallest v */
    bool folded; /* the two edges of `inner` coincide: three blocks about one corner, with equal numbers of cells in the second runs */
    const char *turned; /* name of the side of largest u along the second run of v; NULL: as along the first */
} bl_grid;

/* The next run of a parameter (0, 1, 2). */
void bl_grid_divide(bl_grid *grid, int parameter, double from, double to, double n, double grading);
/* Adds nodes, elements and sets: nodes and faces of each side, `all` elements. Counts are checked before anything is allocated. */
bl_status bl_grid_fill(const bl_grid *grid);

/* ---- values of generators */

/* From a parameter of type BL_P_NUMBERS: `most` numbers, of which at least `least` were given; missing ones equal the last one given. None
 * given: `fallback`. */
bl_status bl_grid_numbers(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, int least, int most,
                          double fallback, double out[3]);
/* The same for counts of cells: integers of at least 1. */
bl_status bl_grid_counts(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, int least, int most,
                         double out[3]);
/* The same for gradings: 1e-6 to 1e6, default 1. */
bl_status bl_grid_gradings(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, int least, int most,
                           double out[3]);
/* Opposite corners of a rectangle or box from `from`, and either `to` or `size`, in this order in the table. */
bl_status bl_grid_corners(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, double from[3],
                          double to[3]);
/* inner < outer, in this order in the table */
bl_status bl_grid_radii(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value);

/* (r, angle, z) to x, exact on the axes. For `map`. */
void bl_grid_polar(const void *unused, const double u[3], double x[3]);

#endif
