/* near: finds points again by position, within a tolerance that is small compared with their distances. A hashed grid of cells of a few
 * tolerances; a search visits the cells within the tolerance, usually one. */
#ifndef BL_SPATIAL_HASH_H
#define BL_SPATIAL_HASH_H

#include "base/hash.h"

typedef struct bl_near {
    bl_hash table;
    double cell; /* edge length; set before the first insertion */
} bl_near;

enum { BL_NEAR_CELLS = 8 };

/* The next index is at position s; `of`: its group, which a search must name. */
bl_status bl_near_put(bl_context *ctx, bl_near *near, uint64_t of, const double s[3]);
/* Keys of the cells within `reach` of s. */
int bl_near_keys(const bl_near *near, uint64_t of, const double s[3], double reach, uint64_t key[BL_NEAR_CELLS]);

#endif
