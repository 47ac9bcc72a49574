#include "coords/spatial_hash.h"

#include <math.h>

static uint64_t key_of(uint64_t of, const double cell[3]) {
    uint64_t key = bl_hash_mix(BL_HASH_START, of);
    for (int k = 0; k < 3; k++)
        key = bl_hash_number(key, cell[k]);
    return key;
}

bl_status bl_spatial_hash_put(bl_context *ctx, bl_spatial_hash *hash, uint64_t of, const double s[3]) {
    const double cell[3] = {floor(s[0] / hash->cell), floor(s[1] / hash->cell), floor(s[2] / hash->cell)};
    return bl_hash_put(ctx, &hash->table, key_of(of, cell));
}

int bl_spatial_hash_keys(const bl_spatial_hash *hash, uint64_t of, const double s[3], double reach, uint64_t key[BL_SPATIAL_HASH_CELLS]) {
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = floor((s[k] - reach) / hash->cell);
        high[k] = floor((s[k] + reach) / hash->cell);
    }
    int n = 0;
    for (int corner = 0; corner < BL_SPATIAL_HASH_CELLS; corner++) {
        double cell[3];
        bool fresh = true;
        for (int k = 0; k < 3; k++) {
            bool up = corner >> k & 1;
            cell[k] = up ? high[k] : low[k];
            fresh = fresh && (!up || high[k] != low[k]);
        }
        if (fresh)
            key[n++] = key_of(of, cell);
    }
    return n;
}
