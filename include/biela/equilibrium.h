/* equilibrium: equilibria of a model, and how they change with its loads.
 *
 *     Q(q, 0, z, t) - G^T lambda = 0,   phi(q, t) = 0,   f(q, 0, z, t) = 0
 *
 * where the time t only serves as load parameter: one equilibrium, or a quasi-static path. Drivers are held at their value at t, velocities
 * are zero. Every equilibrium of a path is passed to the sinks as a sample at "time" t. */
#ifndef BIELA_EQUILIBRIUM_H
#define BIELA_EQUILIBRIUM_H

#include "biela/biela.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Convergence criterion of Newton's method: residual relative to the largest force, increment relative to the displacements, or both. */
typedef enum bl_criterion { BL_CRITERION_BOTH, BL_CRITERION_RESIDUAL, BL_CRITERION_INCREMENT } bl_criterion;

/* What is NULL or 0 takes the default. */
typedef struct bl_equilibrium_options {
    size_t size;                      /* sizeof this struct, or 0 (context.h) */
    const char *coordinates, *linsol; /* NULL: the model's */
    double from;                      /* load parameter of the first equilibrium */
    double until;                     /* end of the path; not above `from`: no path */
    bl_index increments;              /* the path is divided into at least this many; 0: the first increment is a tenth, and increments
                                       * grow while few iterations are needed */
    double tolerance;                 /* relative; 0: 1e-10 */
    bl_criterion criterion;
    bl_index iterations; /* limit of Newton iterations in one increment; 0: 30 (300 for the first equilibrium of a mechanism) */
    bool any;            /* accept any equilibrium; else the first is sought by descent in energy, and unstable ones are left */
    bool arc_length;     /* follow the path by arc length, past limit points, where the load decreases */
    bl_index points;     /* limit of equilibria on a path; 0: 10000 */
    double closure;      /* as in bl_run_options */
    const char *fields;  /* as in bl_run_options */
    /* mechanisms; if NULL or 0, the section `equilibrium:` of the model applies, unless `plain` */
    const char *parameter;   /* the path is over this parameter of the model instead of t: from `from` to `until`, in either direction, by
                              * arc length */
    bool branches;           /* also follow paths that branch off */
    bl_index starts;         /* number of additional random starts, reproducible; equal equilibria are merged and sorted by energy */
    const char *const *hold; /* [nhold] variables held at their start values */
    bl_index nhold;
    bool plain;
} bl_equilibrium_options;

typedef enum bl_critical_what {
    BL_LIMIT_POINT,     /* the load has an extremum along the path */
    BL_BRANCHING_POINT, /* another path crosses */
    BL_SINGULAR_POINT   /* the constraints lose rank: other assembly modes may cross */
} bl_critical_what;

typedef struct bl_critical_point {
    bl_critical_what what;
    double t;         /* the load there */
    int branch;       /* of the point; 0: the path itself */
    char motion[192]; /* motion without stiffness: what moves most */
} bl_critical_point;

enum { BL_MOST_CRITICAL = 16, BL_MOST_SOFT = 3 };

typedef struct bl_soft_motion {
    double eigenvalue; /* omega^2, 1/s^2; NaN: the motion has no mass */
    double stiffness;  /* per unit of what moves most: N m/rad or N/m */
    bool is_angle;
    char motion[128]; /* what moves most */
} bl_soft_motion;

/* One equilibrium, in addition to its sample. */
typedef struct bl_equilibrium_point {
    double load;   /* t, or the parameter */
    int branch;    /* 0: the path itself */
    bool critical; /* a critical point, of kind `what` */
    bl_critical_what what;
    bl_index unstable, neutral; /* number of such motions; unstable -1: not known, as at critical points */
    bool conservative;          /* forces have a potential: the tangent is symmetric */
    double residual;
    char motions[256]; /* the unstable motions, else the neutral ones */
    bl_index nsoft;    /* only for single equilibria, not along paths */
    bl_soft_motion soft[BL_MOST_SOFT];
} bl_equilibrium_point;

/* Available at the end, also after a failure. */
typedef struct bl_equilibrium_summary {
    size_t size;         /* sizeof this struct, or 0 (context.h) */
    double t;            /* of the last equilibrium; NaN: none was found */
    long found, refused; /* equilibria; increments that did not converge */
    long iterations;     /* of Newton's method */
    double residual;     /* largest residual force, relative to the largest force */
    char worst[96];      /* where it occurs */
    bl_index unstable;   /* motions along which the last equilibrium is unstable; -1: not known */
    bl_index neutral;    /* ... along which it is neutral */
    char motions[256];   /* these motions: what moves most */
    double softest;      /* smallest eigenvalue of the reduced tangent in scaled coordinates, relative to the largest; NaN: not known */
    bool conservative;   /* its forces have a potential: stability follows from eigenvalues of the tangent */
    int branches;        /* followed */
    long starts, closed, merged; /* random starts; those that could be assembled; those that led to a known equilibrium */
    bl_index npoint;             /* limit and branching points passed; only the first BL_MOST_CRITICAL are stored */
    bl_critical_point point[BL_MOST_CRITICAL];
} bl_equilibrium_summary;

/* Finds equilibria from the assembled start of the model. After a failure (BL_E_NUMERIC) all equilibria found so far have been passed to
 * the sinks; for a body that can move freely the error names its free motions. run and found may be NULL. */
BL_API bl_status bl_equilibrium(bl_context *ctx, const bl_model *model, const bl_equilibrium_options *options, bl_sink *sinks,
                                bl_index nsink, bl_run_summary *run, bl_equilibrium_summary *found);

#ifdef __cplusplus
}
#endif
#endif
