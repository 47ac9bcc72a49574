/* Meshes of tests/data/gmsh, and the claim that whatever the bytes are, a mesh comes out or a refusal that says something. */
#ifndef BL_TEST_GMSH_FILES_H
#define BL_TEST_GMSH_FILES_H

#include "mesh/mesh.h"

typedef struct gmsh_file {
    const char *name;
    int dim;
} gmsh_file;

extern const gmsh_file gmsh_files[]; /* those that can be read */
extern const size_t gmsh_file_count;

/* Contents of a file of the folder, to be given to free(). */
unsigned char *gmsh_load(const char *name, size_t *count);

/* The mesh, or the reader's or builder's refusal. */
bl_status gmsh_read(bl_context *ctx, int dim, const void *bytes, size_t count, bl_mesh *mesh);

/* Reads the bytes from a block of exactly their size and asserts: the status is BL_OK and the mesh is sound, or BL_E_MODEL with words and a
 * place; memory asked for at any time stays below 64 kB and 300 bytes for every byte; all of it comes back. Returns the status. */
bl_status gmsh_survive(int dim, const unsigned char *bytes, size_t count);

#endif
