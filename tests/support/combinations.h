/* The table of everything that meshes combine: element x formulation x problem x strain x material (a problem), x method x jacobian (a
 * cell). Kinds are not named: problems and methods are numbered over the lists of kinds. A cell runs on a few elements for a few
 * steps, or is refused with a reason. */
#ifndef TEST_COMBINATIONS_H
#define TEST_COMBINATIONS_H

#include "biela/equilibrium.h"
#include "fem/fem.h"
#include "integrate/integrate.h"
#include "support/testing.h"

typedef struct combination {
    const bl_element_kind *element;
    const bl_strain_kind *strain; /* NULL: a scalar field */
    const bl_material_kind *material;
    int variant; /* of the material: 0 by its defaults, then every other choice that its table offers */
    int order;   /* of a field: stationary, diffusion, wave */
    bl_plane plane;
    bool bbar;
} combination;

long combination_count(void);
combination combination_at(long number); /* 0 .. count - 1; neighbors have the same element */
void combination_name(const combination *c, char *name, size_t room);

/* methods: all integrators, then `equilibrium` */
int combination_methods(void);
const char *combination_method_name(int method);
enum { COMBINATION_JACOBIANS = 3 };
const char *combination_jacobian_name(int jacobian);

/* Motion at the end of a run: all values of nodes, their rates, reactions of supports; zeros where there are none. */
typedef struct combination_end {
    long n;
    double *value, *rate, *reaction; /* [n] */
    double kinetic, potential, dissipated, error;
} combination_end;

/* A problem that was read and built. */
typedef struct combination_problem {
    combination c;
    bl_context *ctx;
    bl_model *model;
    bool stationary;           /* no rates: only its values are compared */
    bool kinked;               /* laws with a history: motions are less smooth */
    double size[2];            /* effect of the forces on values and rates */
    double motion;             /* values and rates themselves, relative to that */
    combination_end reference; /* by small steps, or a method of high order */
    combination_end first;     /* the last cell with the first jacobian, of this method */
    int method;
    char why[512]; /* refused, or failed */
} combination_problem;

/* BL_OK, or an error with the message in `why`. */
bl_status combination_open(combination_problem *p, const combination *c);
/* Computes the motion with which cells are compared: false with a message in `why` if it fails or its energy does not balance. */
bool combination_reference(combination_problem *p);
void combination_close(combination_problem *p);

typedef enum combination_result { COMBINATION_RUNS, COMBINATION_REFUSED, COMBINATION_WRONG } combination_result;

/* Runs one cell and compares it; why[room]: the refusal, or what is wrong. Jacobians of a method in their order: later ones are compared
 * with the first. *error (may be NULL): of the motion, relative to the effect of the forces. */
combination_result combination_cell(combination_problem *p, int method, int jacobian, char *why, size_t room, double *error);
/* The cell as a model for `biela run`, or `biela equilibrium`. */
void combination_model(const combination *c, int method, int jacobian, char *text, size_t room);
/* Whether tangents by the system, by colored and by dense differences are the same matrix, to 1e-6 of the largest entry (laws with a
 * history: 3e-6), at a state after an accepted one. own false: the tangent of the system is not its derivative (another tangent of the
 * law was requested). */
bool combination_tangents(combination_problem *p, bool own, char *why, size_t room);
/* The law's tangent is that of its stress. */
bool combination_consistent(const combination *c);
/* In the counting of the source: its elements, laws and methods. */
bool combination_counted(const combination *c, int method);

#endif
