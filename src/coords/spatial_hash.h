/* spatial_hash: finds points again by position, within a tolerance that is small compared with their distances. A hashed grid of cells
 * of a few tolerances; a search visits the cells within the tolerance, usually one. */
#ifndef BL_SPATIAL_HASH_H
#define BL_SPATIAL_HASH_H

#include "base/hash.h"

typedef struct bl_spatial_hash {
    bl_hash table;
    double cell; /* edge length; set before the first insertion */
} bl_spatial_hash;

enum { BL_SPATIAL_HASH_CELLS = 8 };

/* The next index is at position s; `of`: its group, which a search must name. */
bl_status bl_spatial_hash_put(bl_context *ctx, bl_spatial_hash *hash, uint64_t of, const double s[3]);
/* Keys of the cells within `reach` of s. */
int bl_spatial_hash_keys(const bl_spatial_hash *hash, uint64_t of, const double s[3], double reach, uint64_t key[BL_SPATIAL_HASH_CELLS]);

#endif
