/* central: the method of central differences as a step that houbolt may start with. */
#ifndef BL_CENTRAL_H
#define BL_CENTRAL_H

#include "integrate/second.h"

typedef struct bl_central {
    double *ahead, *ahead_new; /* [nv] position one step beyond the accepted end; of the attempt */
    double h_ahead;            /* the step that leads there; 0: not known */
} bl_central;

/* Memory; forgets what lies ahead. Call from start. */
bl_status bl_central_start(bl_second *second, bl_central *central);
bl_status bl_central_step(bl_second *second, bl_central *central, double h);
void bl_central_accept(bl_second *second, bl_central *central);
void bl_central_destroy(bl_second *second, bl_central *central);

#endif
