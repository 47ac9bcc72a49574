/* mebdf_auto: shared by mebdf_auto and stiff_auto. */
#ifndef BL_MEBDF_AUTO_H
#define BL_MEBDF_AUTO_H

#include "integrate/backward.h"

enum { BL_MEBDF_K = BL_BACKWARD_ORDER - 1 };

/* The stages of order k + 1 in terms of the differences nabla^j y_n. */
typedef struct bl_mebdf_stages {
    double c;                       /* y = psi + c h y', in all three */
    double first[BL_MEBDF_K];       /* psi_1 = y_n + sum first_j nabla^j */
    double second, old[BL_MEBDF_K]; /* psi_2 = Y1 + second (Y1 - y_n) - sum old_j nabla^j */
    double third[BL_MEBDF_K];       /* psi_3 = y_n + sum third_j nabla^j + h (ahead f(Y2) + behind f(Y1)) */
    double ahead, behind;
    double off;      /* Y1 - y_{n+1} ~ off x difference of degree k + 1 */
    double own, led; /* error: own nabla^{k+2} y + led h f_y (Y1 - y) */
    double more;     /* the error of Y2 is that of Y1 times this */
} bl_mebdf_stages;

/* First member of integ->own. */
typedef struct bl_mebdf {
    bl_backward backward;
    bl_mebdf_stages stages[BL_MEBDF_K + 1];
    double error_constant[BL_BACKWARD_ORDER + 2];
    /* response of stiff forces to Y1 - y, at the last step: |(I - c f_y)^-1 h f_y (Y1 - y)| / |Y1 - y|, both as differences */
    double answer;
    bool off_known; /* the error of Y1 at the last step, with this h and order, is known */
} bl_mebdf;

/* own: bytes of integ->own, whose first member is a bl_mebdf. */
bl_status bl_mebdf_create(bl_integrator *integ, size_t own);

#endif
