/* equilibrium_starts, private: equilibria from many starts, merged. */
#ifndef BL_STUDY_EQUILIBRIUM_STARTS_H
#define BL_STUDY_EQUILIBRIUM_STARTS_H

#include "study/equilibrium_private.h"

typedef struct bl_starts {
    bl_index nfound, shown; /* different equilibria; the one that is being reported, from 1; 0: none */
    bl_index room;
    struct bl_starts_found *found; /* by energy */
} bl_starts;

typedef void bl_starts_progress(void *user, bl_index done); /* starts tried */

/* From `first`, the start of the model, and `count` pseudorandom ones, the same in every run: each variable within a revolution or the size
 * of the mechanism, bodies without joints within its size, assembled where possible. Numerical failures of single starts are skipped;
 * BL_E_NUMERIC: no start led to an equilibrium. */
bl_status bl_starts_search(bl_starts *starts, bl_statics *s, const bl_model *model, const bl_state *first, bl_index count,
                           bl_starts_progress *progress, void *user);
/* s->kept and s->found become those of equilibrium k. */
bl_status bl_starts_show(const bl_starts *starts, bl_statics *s, bl_index k);
void bl_starts_free(bl_starts *starts, bl_statics *s);

#endif
