/* equilibrium: where a model can stay at rest, and how that moves with its loads.
 *
 *     Q(q, 0, z, t) - G^T lambda = 0,   phi(q, t) = 0,   f(q, 0, z, t) = 0
 *
 * at the time t, which is nothing but the load parameter here: one equilibrium, or a quasi-static path of them. Drivers are held at their
 * value at t, velocities are zero. Every equilibrium of a path is handed to the sinks as a sample at "time" t. */
#ifndef BIELA_EQUILIBRIUM_H
#define BIELA_EQUILIBRIUM_H

#include "biela/biela.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When Newton's method may stop: forces in balance relative to the largest, corrections relative to the displacements, or both. */
typedef enum bl_criterion { BL_CRITERION_BOTH, BL_CRITERION_RESIDUAL, BL_CRITERION_INCREMENT } bl_criterion;

/* What is NULL or 0 takes the default. */
typedef struct bl_equilibrium_options {
    const char *coordinates, *linsol; /* NULL: the model's */
    double from;                      /* load parameter of the first equilibrium */
    double until;                     /* the path goes from there to here; not above `from`: no path */
    bl_index increments;              /* the first increment is this part of the path and none is longer; 0: a tenth, and longer ones where
                                       * few iterations are needed */
    double tolerance;                 /* relative; 0: 1e-10 */
    bl_criterion criterion;
    bl_index iterations; /* most of Newton's in one increment; 0: 30 (300 for the first equilibrium of a mechanism) */
    bool any;            /* take any equilibrium; else the first one is sought downhill, and those that are not stable are left */
    bool arc_length;     /* follow the path by its length, past limit points, where the load has to fall */
    bl_index points;     /* most equilibria of a path; 0: 10000 */
    double closure;      /* as of a run */
    const char *fields;  /* likewise */
    /* mechanisms; where these are NULL or 0 the section `equilibrium:` of the model counts, unless `plain` */
    const char *parameter;   /* the path is over this parameter of the model instead of t: from `from` to `until`, which may be below it, by
                              * its length */
    bool branches;           /* paths that branch off are followed too */
    bl_index starts;         /* so many more starts, drawn at random, the same ones every time; equilibria found are merged, those of least
                              * energy first */
    const char *const *hold; /* [nhold] variables that stay as they are at the start */
    bl_index nhold;
    bool plain;
} bl_equilibrium_options;

typedef enum bl_critical_what {
    BL_LIMIT_POINT,     /* the load of the path has an extreme */
    BL_BRANCHING_POINT, /* another path crosses */
    BL_SINGULAR_POINT   /* the constraints lose rank: other ways of assembling the mechanism may cross */
} bl_critical_what;

typedef struct bl_critical_point {
    bl_critical_what what;
    double t;         /* the load there */
    int branch;       /* on which it lies; 0: the path itself */
    char motion[192]; /* along which stiffness vanishes: what moves most */
} bl_critical_point;

enum { BL_MOST_CRITICAL = 16, BL_MOST_SOFT = 3 };

typedef struct bl_soft_motion {
    double eigenvalue; /* omega^2, 1/s^2; NaN: it moves no mass */
    double stiffness;  /* per unit of what moves most: N m/rad or N/m */
    bool is_angle;
    char motion[128]; /* what moves most */
} bl_soft_motion;

/* One equilibrium, beside its sample. */
typedef struct bl_equilibrium_point {
    double load;   /* t, or the parameter */
    int branch;    /* 0: the path itself */
    bool critical; /* it is a critical point, and which */
    bl_critical_what what;
    bl_index unstable, neutral; /* motions; unstable -1: not known */
    bool conservative;          /* forces have a potential there, as far as can be seen */
    double residual;
    char motions[256]; /* those that are unstable, else neutral */
    bl_index nsoft;    /* of single equilibria, not along paths */
    bl_soft_motion soft[BL_MOST_SOFT];
} bl_equilibrium_point;

/* What is known at the end, also after a failure. */
typedef struct bl_equilibrium_summary {
    double t;            /* of the last equilibrium; NaN: none was found */
    long found, refused; /* equilibria; increments that did not converge */
    long iterations;     /* of Newton's method */
    double residual;     /* largest force out of balance, relative to the largest force */
    char worst[96];      /* where that is */
    bl_index unstable;   /* motions along which the last one is unstable; -1: not known */
    bl_index neutral;    /* ... along which it may be anywhere */
    char motions[256];   /* these motions: what moves most */
    double softest;      /* smallest eigenvalue of the reduced tangent in scaled coordinates, relative to the largest; NaN: not known */
    bool conservative;   /* its forces have a potential: stability is that of eigenvalues of the tangent */
    int branches;        /* followed */
    long starts, closed, merged; /* drawn; that could be assembled; that led to an equilibrium found before */
    bl_index npoint;             /* limit and branching points passed; those beyond BL_MOST_CRITICAL are counted only */
    bl_critical_point point[BL_MOST_CRITICAL];
} bl_equilibrium_summary;

/* Finds equilibria from the assembled start of the model. On failure (BL_E_NUMERIC) the last equilibrium is kept: all found so far have
 * been handed out; a body that can move freely is refused with its free motions named. run and found may be NULL. */
bl_status bl_equilibrium(bl_context *ctx, const bl_model *model, const bl_equilibrium_options *options, bl_sink *sinks, bl_index nsink,
                         bl_run_summary *run, bl_equilibrium_summary *found);

#ifdef __cplusplus
}
#endif
#endif
