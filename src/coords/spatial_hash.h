/* near: things with places in space found again by where they are, to a tolerance that is small beside their distances. A grid of cells of
 * a few tolerances, by hash; a search looks into the cells that the tolerance reaches, mostly one. */
#ifndef BL_SPATIAL_HASH_H
#define BL_SPATIAL_HASH_H

#include "base/hash.h"

typedef struct bl_near {
    bl_hash table;
    double cell; /* edge; set before anything is put */
} bl_near;

enum { BL_NEAR_CELLS = 8 };

/* The next number stands at s; `of`: whose it is, searched for with the same alone. */
bl_status bl_near_put(bl_context *ctx, bl_near *near, uint64_t of, const double s[3]);
/* Keys of the cells within `reach` of s. */
int bl_near_keys(const bl_near *near, uint64_t of, const double s[3], double reach, uint64_t key[BL_NEAR_CELLS]);

#endif
