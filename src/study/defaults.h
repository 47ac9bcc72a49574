/* Defaults, where neither the call nor the model specifies a value. */
#ifndef BL_DEFAULTS_H
#define BL_DEFAULTS_H

#define BL_DEFAULT_COORDINATES "auto" /* one of the next two, by bl_run_coordinates */
#define BL_DEFAULT_COORDINATES_LOOPS "natural"
#define BL_DEFAULT_COORDINATES_TREE "relative"               /* open trees with many degrees of freedom */
#define BL_DEFAULT_COORDINATES_FREE "reference:view=tangent" /* many free bodies */
#define BL_DEFAULT_FORMULATION "partition"                   /* index 3 */
#define BL_DEFAULT_FORMULATION_MANY "lagrange"
#define BL_DEFAULT_FORMULATION_PLAIN "plain"   /* no bodies, no constraints */
#define BL_DEFAULT_FORMULATION_TREE "direct"   /* no constraints, M^-1 x by the system */
#define BL_DEFAULT_FORMULATION_STAGE "ggl"     /* implicit methods on constrained systems */
#define BL_DEFAULT_FORMULATION_SECOND "index3" /* methods of structural dynamics */
#define BL_DEFAULT_MANY_DOF 20
#define BL_DEFAULT_INTEGRATOR "dopri45"
#define BL_DEFAULT_INTEGRATOR_SMOOTH "series"     /* mechanisms with analytic forces */
#define BL_DEFAULT_INTEGRATOR_IMPLICIT "ndf_auto" /* where the equations have no explicit rate for every state */
#define BL_DEFAULT_INTEGRATOR_SERIES "series"     /* where the formulation supports no other method */
#define BL_DEFAULT_INTEGRATOR_STIFF "radau"       /* takes over where equations without constraints are stiff */
#define BL_AUTO_INTEGRATOR "auto"                 /* the default: switches between explicit and implicit methods */
/* linear solver: auto, see bl_linsol_create */
#define BL_DEFAULT_TOLERANCE 1e-6
#define BL_DEFAULT_TOLERANCE_MESH 1e-3         /* the discretization error of a mesh is hardly smaller */
#define BL_DEFAULT_INTEGRATOR_FIELD "ndf_auto" /* first-order fields */
#define BL_DEFAULT_INTEGRATOR_MESH "trbdf2"    /* vibrations with more unknowns than the next: one real matrix, fast modes are damped */
#define BL_DEFAULT_MESH_UNKNOWNS 1000
#define BL_DEFAULT_STEPS 1000  /* fixed-step methods: until / steps */
#define BL_DEFAULT_OUTPUTS 200 /* output interval: until / outputs */

#endif
