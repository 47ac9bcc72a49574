/* linearize, private: linearizes a system about a state, at rest or in motion, in named coordinates (docs/theory/modes.md).
 *
 *     bl_linearize_create(sys, model, &l);
 *     bl_linearize_at(l, &state, BL_LINEARIZE_REST);
 *     bl_linearize_chart(l, NULL, 0);
 *     bl_linearize_differentiate(l);          l->stiff, l->damp: zeta'' = stiff zeta + damp zeta' + ...
 *
 * The chart zeta consists of f quantities whose rates are linear in v: zeta' = V(q) v. A direction is a small change (x, dv, da, dl) of
 * position, velocity, acceleration and multipliers that satisfies the linearized equations,
 *
 *     G x = p,   G dv = -(G v)_x x + p',   M da + G^T dl = -(K + (M a)_x + (G^T lambda)_x) x - C dv + Q_u,   G da = dc - (G a)_x x + p''
 *
 * p, p', p'': of drivers that move. Everything is exact except the derivatives of c and V along (x, dv), which are differences of order 16
 * of geometry alone; at rest these vanish. */
#ifndef BL_STUDY_LINEARIZE_H
#define BL_STUDY_LINEARIZE_H

#include "biela/linear.h"
#include "kkt/kkt.h"
#include "model/model.h"

typedef enum bl_chart_what { BL_CHART_VARIABLE, BL_CHART_POSITION, BL_CHART_TURN, BL_CHART_COLUMN } bl_chart_what;
typedef struct bl_chart_item {
    bl_chart_what what;
    bl_index ref; /* variable, body, column of the system */
    int part;
} bl_chart_item;

/* The linearized motion along one of its states or inputs. */
typedef struct bl_direction {
    double *x, *dv, *da; /* [n] */
    double *dl;          /* [np] */
    double *second;      /* [f] of the chart */
    double *state_rate;  /* [nz] of the states */
    bl_index held;       /* the held number that changes by 1 along it; -1: none */
} bl_direction;

typedef struct bl_linearize {
    bl_context *ctx;
    const bl_system *sys;   /* with states: the mechanism alone, whose held numbers they are */
    const bl_system *outer; /* with them; NULL: there are none */
    const bl_model *model;  /* NULL: no names of bodies */
    bl_kkt *kkt;
    bl_state state;       /* about which the system is linearized */
    bool rest;            /* v = a = 0 */
    bool loads;           /* multipliers are needed too, for reactions */
    bl_eval eval, beside; /* at the state; at neighboring states */
    bl_index n, np, f;
    double *a, *zero;        /* [n] accelerations at the state; zeros on pat_K */
    double *Ga_x, *Gv_x;     /* on pat_G */
    double *Q, *row, *moved; /* [n], [np], [nq + 2 n] */
    bl_index *independent;   /* [nindependent] of the model, variables alone */
    bl_index nindependent;
    bl_chart_item *item;     /* [f] */
    uint32_t wants;          /* quantities from which the chart is computed */
    double *motion;          /* [f][n] R in coordinates */
    double *W;               /* [f][f] rates of the chart along these, factored */
    bl_index *pivot;         /* [f] */
    double *rate, *second;   /* [f] of the chart at the state */
    bl_direction *direction; /* [2 f] zeta, zeta' */
    double *stiff, *damp;    /* [f][f] by columns */
    bl_index nz;             /* states: zeta'' += by_state z, their rates += rates of each direction */
    double *chart_work;      /* [6 f] */
    double span;             /* time in which the motion covers one step of differences */
    void *block, *chart_block;
} bl_linearize;

bl_status bl_linearize_create(const bl_system *sys, const bl_model *model, bl_linearize **out);
void bl_linearize_destroy(bl_linearize *l); /* NULL is fine */

/* Copies a state that satisfies the constraints on positions and velocities, and evaluates the system there. rest: velocities and
 * accelerations are taken as 0, multipliers are computed. BL_E_ABILITY, in motion: massless motions, states. */
bl_status bl_linearize_at(bl_linearize *l, const bl_state *state, bool rest);
/* Chooses the chart at the state: `first` ([nfirst] variables) come first, then those of `independent:`, all variables in the order of the
 * file, positions and small rotations of bodies, columns; each if its rate is clearly independent of those chosen before. */
bl_status bl_linearize_chart(bl_linearize *l, const bl_index *first, bl_index nfirst);
/* The same chart at another state. BL_E_NUMERIC: it does not determine all motions there. */
bl_status bl_linearize_keep_chart(bl_linearize *l);
void bl_linearize_name(const bl_linearize *l, bl_index k, bool rate, char *name, size_t size);
/* Values of the chart that are variables or positions; others 0. Rates of the chart for any x instead of v. */
bl_status bl_linearize_values(bl_linearize *l, double *value);
bl_status bl_linearize_rates(bl_linearize *l, const double *q, const double *v, double *rate);
/* Sets v of l->state to the one that has rates[f] of the chart and satisfies the constraints; nothing else is updated. */
bl_status bl_linearize_set_rates(bl_linearize *l, const double *rates);

bl_status bl_linearize_differentiate(bl_linearize *l);
/* Completes d, allocated by bl_linearize_room. For a position x is given, and dv (with rates of the chart unchanged), da, dl and second are
 * computed; for a velocity x = 0 and dv are given. p2[np]: p'' (NULL: 0). */
bl_status bl_linearize_along(bl_linearize *l, bl_direction *d, const double *p2);
/* x along which coordinate k of the chart changes by 1; x with G x = p (NULL: 0) and chart rates r (NULL: 0) */
void bl_linearize_unit(const bl_linearize *l, bl_index k, double *x);
bl_status bl_linearize_solve_motion(bl_linearize *l, const double *p, const double *r, double *x);
bl_status bl_linearize_room(bl_linearize *l, bl_arena *arena, bl_direction *d);

/* Derivative by s of value(user, s, out[count]) at s = 0 by differences of order 16; h: step. work[count]. */
typedef bl_status bl_along(void *user, double s, double *out);
bl_status bl_difference(bl_along *value, void *user, double h, bl_index count, double *out, double *work);
/* Moves l->beside by s along d, with v, a, lambda and held numbers, to evaluate a neighboring state. */
bl_status bl_linearize_beside(bl_linearize *l, const bl_direction *d, double s);
/* step of differences along d */
double bl_linearize_step(const bl_linearize *l, const bl_direction *d);

#endif
