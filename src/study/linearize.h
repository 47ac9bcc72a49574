/* linearize, private: linearizes a system about a state, at rest or in motion, in named coordinates (docs/theory/modes.md).
 *
 *     bl_linearize_create(sys, model, &l);
 *     bl_linearize_at(l, &state, BL_LINEARIZE_REST);
 *     bl_linearize_chart(l, NULL, 0);
 *     bl_linearize_differentiate(l);          eta' = stiff zeta + damp eta + ...,   zeta' = flow zeta + lift eta + ...
 *
 * The chart consists of fp coordinates zeta and f speeds eta, whose rates and values are linear in v: zeta' = V(q) v, eta = W(q) v. They
 * are the same quantities, eta = zeta', unless rows restrict velocities alone (rolling, blades): then f < fp, speeds may be rates of no
 * coordinate, and positions are changed by motions of the position rows G_p. A direction is a small change (x, dv, da, dl) of position,
 * velocity, acceleration and multipliers that satisfies the linearized equations,
 *
 *     G_p x = p,   G dv = -(G v)_x x + p',   M da + G^T dl = -(K + (M a)_x + (G^T lambda)_x) x - C dv + Q_u,   G da = dc - (G a)_x x + p''
 *
 * p, p', p'': of drivers that move. Everything is exact except the derivatives of c and V along (x, dv), which are differences of order 16
 * of geometry alone; at rest these vanish. */
#ifndef BL_STUDY_LINEARIZE_H
#define BL_STUDY_LINEARIZE_H

#include "biela/linear.h"
#include "kkt/kkt.h"
#include "model/model.h"

typedef enum bl_chart_what {
    BL_CHART_VARIABLE,
    BL_CHART_POSITION,
    BL_CHART_TURN,
    BL_CHART_COLUMN,
    BL_CHART_TOUCH,
    /* of bodies that rotate: linearize_carried.c */
    BL_CHART_TILT,
    BL_CHART_SPIN,
    BL_CHART_CARRIED,
    BL_CHART_CARRIED_TURN,
    BL_CHART_CARRIED_POINT,
    BL_CHART_AXIS
} bl_chart_what;
typedef struct bl_chart_item {
    bl_chart_what what;
    bl_index ref; /* variable, body, column of the system (of a point: its first one), joint */
    int part;
    bl_index carrier; /* the body in whose axes it is measured, or relative to which; 0: none */
    /* small rotations of a rotating body: in axes fixed in it, which are the global ones at this moment. Coordinates only where nothing
     * depends on them */
    bool momentary;
} bl_chart_item;

/* Parts of BL_CHART_TOUCH. Of a disc that rolls on a plane: direction of its track on the plane, angle of its axis with the plane, rotation
 * about its axis; of a blade: its speed along itself, which is the rate of no coordinate. */
enum { BL_TOUCH_HEADING, BL_TOUCH_LEAN, BL_TOUCH_SPIN, BL_TOUCH_SPEED };

/* How a body rotates where the chart is chosen. */
typedef struct bl_carried {
    bl_index by;               /* the first body that rotates as it does, the carrier; 0: it does not rotate */
    double axis[3], center[3]; /* of the carrier: axis of its rotation and a point of it */
    bl_mark axes[3];           /* directions of the body that are the global axes there */
    bl_mark spin[3];           /* ... its axis of rotation, and two perpendicular to it */
    bool orbits;               /* its mass center moves */
} bl_carried;

/* The linearized motion along one of its states or inputs. */
typedef struct bl_direction {
    double *x, *dv, *da; /* [n] */
    double *dl;          /* [np] */
    double *second;      /* [f] rates of the speeds */
    double *rate;        /* [fp] rates of the coordinates, where they are not speeds themselves */
    double *state_rate;  /* [nz] of the states */
    bl_index held;       /* the held number that changes by 1 along it; -1: none */
} bl_direction;

typedef struct bl_linearize {
    bl_context *ctx;
    const bl_system *sys;   /* with states: the mechanism alone, whose held numbers they are */
    const bl_system *outer; /* with them; NULL: there are none */
    const bl_model *model;  /* NULL: no names of bodies */
    bl_kkt *kkt;
    bl_kkt *whole;        /* of the position rows alone; kkt itself: there are no others */
    bl_state state;       /* about which the system is linearized */
    bool rest;            /* v = a = 0 */
    bool loads;           /* multipliers are needed too, for reactions */
    bl_eval eval, beside; /* at the state; at neighboring states */
    bl_index n, np, f, fp;
    double *a, *zero;        /* [n] accelerations at the state; zeros on pat_K */
    double *Ga_x, *Gv_x;     /* on pat_G */
    double *Q, *row, *moved; /* [n], [np], [nq + 2 n] */
    bl_index *independent;   /* [nindependent] of the model, variables alone */
    bl_index nindependent;
    bl_chart_item *item;     /* [fp] coordinates */
    bl_chart_item *speed;    /* [f] */
    bl_index *pair;          /* [fp] the speed that is the rate of a coordinate; -1: none */
    uint32_t wants;          /* quantities from which the chart is computed */
    bl_carried *carried;     /* [nbody] */
    bool rotates, turning;   /* some bodies rotate; coordinates of these are measured in axes that turn with them */
    double *motion, *shift;  /* [f][n] null space of G, [fp][n] of G_p, in coordinates */
    double *W, *V;           /* [f][f] speeds along the motions, [fp][fp] rates of coordinates along the shifts, factored */
    bl_index *pivot, *turn;  /* [f], [fp] */
    double *rate, *second;   /* [f] speeds at the state and their rates */
    double *coordinate_rate; /* [fp] */
    bl_direction *direction; /* [fp + f] zeta, eta */
    double *stiff, *damp;    /* [fp][f], [f][f] by columns: of eta' by zeta and by eta */
    double *flow, *lift;     /* [fp][fp], [f][fp] by columns: of zeta' */
    bl_index nz;             /* states: zeta'' += by_state z, their rates += rates of each direction */
    double *chart_work;      /* [6 fp] */
    double span;             /* time in which the motion covers one step of differences */
    void *block, *chart_block;
} bl_linearize;

bl_status bl_linearize_create(const bl_system *sys, const bl_model *model, bl_linearize **out);
void bl_linearize_destroy(bl_linearize *l); /* NULL is fine */

/* Copies a state that satisfies the constraints on positions and velocities, and evaluates the system there. rest: velocities and
 * accelerations are taken as 0, multipliers are computed. BL_E_ABILITY, in motion: massless motions, states. */
bl_status bl_linearize_at(bl_linearize *l, const bl_state *state, bool rest);
/* Chooses the chart at the state: `first` ([nfirst] variables) come first, then those of `independent:`, all variables in the order of the
 * file, positions and small rotations of bodies, columns; each if its rate is clearly independent of those chosen before. In motion with
 * velocity rows, after the variables: angles of rolling discs, speeds of blades, small rotations, then positions. Of bodies that rotate, in
 * space: directions of their axes and angles about them; with l->turning all coordinates in axes that turn with the bodies. */
bl_status bl_linearize_chart(bl_linearize *l, const bl_index *first, bl_index nfirst);
/* The same chart at another state. BL_E_NUMERIC: it does not determine all motions there. */
bl_status bl_linearize_keep_chart(bl_linearize *l);
void bl_linearize_name(const bl_linearize *l, bl_index k, bool rate, char *name, size_t size); /* of a coordinate */
void bl_linearize_speed_name(const bl_linearize *l, bl_index k, char *name, size_t size);
/* Values[fp] of coordinates; 0 where they have none: rotations of bodies and coordinates on a group. */
bl_status bl_linearize_values(bl_linearize *l, double *value);
/* Speeds[f], rates[fp] of coordinates for any x instead of v; either may be NULL. */
bl_status bl_linearize_rates(bl_linearize *l, const double *q, const double *v, double *speeds, double *rates);
/* Sets v of l->state to the one that has these speeds[f] and satisfies the constraints; nothing else is updated. */
bl_status bl_linearize_set_speeds(bl_linearize *l, const double *speeds);
/* linearize_touch.c: names, values and rates of items BL_CHART_TOUCH, after BL_POSE; joints that have them: number of parts */
int bl_linearize_touch_parts(const bl_model *model, bl_index joint, int *first);
const char *bl_linearize_touch_word(int part);
double bl_linearize_touch_rate(const bl_linearize *l, const bl_chart_item *item, const bl_eval *eval);
double bl_linearize_touch_value(const bl_linearize *l, const bl_chart_item *item, const bl_eval *eval);

/* linearize_carried.c: how bodies rotate (after BL_POSE in l->beside); the carrier as which the point at a column moves (0: none); items of
 * bodies that rotate, their values and rates, after BL_POSE */
bool bl_linearize_rotates(const bl_chart_item *item);
bl_status bl_linearize_carry(bl_linearize *l);
bl_index bl_linearize_carrier_of_point(const bl_linearize *l, bl_index column);
double bl_linearize_carried_rate(const bl_linearize *l, const bl_chart_item *item, const bl_eval *eval, const double *v);
double bl_linearize_carried_value(const bl_linearize *l, const bl_chart_item *item, const bl_eval *eval);

bl_status bl_linearize_differentiate(bl_linearize *l);
/* Completes d, allocated by bl_linearize_room. For a position x is given, and dv (with speeds unchanged), da, dl, second and rate are
 * computed; for a velocity x = 0 and dv are given. p2[np]: p'' (NULL: 0). */
bl_status bl_linearize_along(bl_linearize *l, bl_direction *d, const double *p2);
/* x along which coordinate k changes by 1, or v along which speed k does */
void bl_linearize_unit(const bl_linearize *l, bl_index k, bool velocity, double *x);
/* x with G_p x = p (NULL: 0) and changes r[fp] (NULL: 0) of coordinates; v with G v = p and speeds r[f] */
bl_status bl_linearize_solve_position(bl_linearize *l, const double *p, const double *r, double *x);
bl_status bl_linearize_solve_velocity(bl_linearize *l, const double *p, const double *r, double *v);
bl_status bl_linearize_room(bl_linearize *l, bl_arena *arena, bl_direction *d);
void bl_linearize_clear(const bl_linearize *l, bl_direction *d); /* to zero, held -1 */
size_t bl_linearize_direction_size(const bl_linearize *l);       /* doubles */
void bl_linearize_lay_out(const bl_linearize *l, double *at, bl_direction *d);

/* Derivative by s of value(user, s, out[count]) at s = 0 by differences of order 16; h: step. work[count]. */
typedef bl_status bl_along(void *user, double s, double *out);
bl_status bl_difference(bl_along *value, void *user, double h, bl_index count, double *out, double *work);
/* Moves l->beside by s along d, with v, a, lambda and held numbers, to evaluate a neighboring state. */
bl_status bl_linearize_beside(bl_linearize *l, const bl_direction *d, double s);
/* step of differences along d */
double bl_linearize_step(const bl_linearize *l, const bl_direction *d);

#endif
