/* Meshes of tests/data/gmsh, and a check that any bytes give either a mesh or an error with a message. */
#ifndef BL_TEST_GMSH_FILES_H
#define BL_TEST_GMSH_FILES_H

#include "mesh/mesh.h"

typedef struct gmsh_file {
    const char *name;
    int dim;
} gmsh_file;

extern const gmsh_file gmsh_files[]; /* those that can be read */
extern const size_t gmsh_file_count;

/* Contents of a file of the folder; the caller frees them. */
unsigned char *gmsh_load(const char *name, size_t *count);

/* The mesh, or the reader's or builder's refusal. */
bl_status gmsh_read(bl_context *ctx, int dim, const void *bytes, size_t count, bl_mesh *mesh);

/* Reads the bytes from a block of exactly this size; asserts: the status is BL_OK and the mesh is sound, or BL_E_MODEL with a message and
 * a position; memory in use stays below 64 kB plus 300 bytes for every byte; all of it is freed. Returns the status. */
bl_status gmsh_survive(int dim, const unsigned char *bytes, size_t count);

#endif
