/* rates, private: transmission angles of the groups of a plane mechanism. */
#ifndef BL_RATES_PRIVATE_H
#define BL_RATES_PRIVATE_H

#include "biela/rates.h"
#include "study/linkage.h"

/* Of dyads RRR and RRP, when the variables variable[n] are driven, in the configuration of the linkage. Memory of the arena. None in space,
 * when inputs are coordinates of probes (-1), or when groups are not found by counting. */
bl_status bl_transmissions(bl_linkage *l, const bl_index *variable, bl_index n, bl_arena *arena, const bl_transmission **out,
                           bl_index *count);

#endif
