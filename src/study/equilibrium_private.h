/* equilibrium, private: a system at rest under loads. Uses the model only for names in messages.
 *
 *     bl_statics_create(sys, &start, &options, &s);
 *     bl_statics_follow(s, visit, user);
 *
 * The unbalanced force of a state is rho = (Q, f) - G^T lambda; it is measured in scaled columns, where forces are moments per unit of the
 * coordinate. History is updated only at equilibria, unless it does not depend on the path (BL_REVOLUTIONS_ONLY). */
#ifndef BL_EQUILIBRIUM_PRIVATE_H
#define BL_EQUILIBRIUM_PRIVATE_H

#include "biela/equilibrium.h"
#include "kkt/kkt.h"
#include "study/family.h"

/* a critical point of a path: where branches begin */
typedef struct bl_statics_seed {
    bl_critical_what what;
    bl_state state;
    double *x;     /* [n] motion without stiffness, largest scaled entry 1 */
    double *along; /* [n + 1] direction of the path: displacement and load since the previous equilibrium */
    bool visited;  /* reported already */
    bool again;    /* the same as an earlier one */
} bl_statics_seed;

/* for singular configurations between two points of a path (equilibrium_branch.c) */
typedef struct bl_statics_branch {
    double *matrix, *R;       /* [n][n]; [f][n] free motions at the last point */
    bl_index *pivot, *row_at; /* [n]; [np] index among the independent rows there, -1: dependent */
    void *block;
    bl_index rank;
    double mantissa; /* the determinant there is mantissa 2^exponent; 0: singular */
    long exponent;
    bl_state low, high; /* where the determinant has its first and its last sign */
} bl_statics_branch;

/* The motions whose stiffness is nearest to zero, followed along a path by the sparse factors (equilibrium_stability.c): as long as they
 * are stable, as in the last spectrum, there is no need of another. */
enum { BL_STATICS_NEAR = 4 };
typedef struct bl_statics_softer {
    double *x;    /* [BL_STATICS_NEAR][n] */
    bool started; /* x are such motions */
    bool all;     /* the last spectrum was stable and not neutral */
    bool needed;  /* a spectrum is wanted in any case */
    int sign;     /* of the determinant then */
} bl_statics_softer;

typedef struct bl_statics {
    bl_context *ctx;
    const bl_system *sys;
    const bl_model *model;          /* for names; NULL: names of coordinates */
    const char *load_name;          /* "t", or the parameter */
    bl_equilibrium_options options; /* with defaults filled in */
    bl_kkt *kkt, *counter;          /* counter: counts negative pivots where kkt does not; NULL: not needed so far */
    bl_kkt *full;                   /* full matrices, for eigenvalues: kkt itself, or beside sparse ones; NULL: none */
    bl_eval eval;
    bl_state state, kept, best, from; /* iterate; last equilibrium; best iterate of a search; where a search for critical points starts */
    bl_index n, np;
    double *force, *rho;    /* [n] (Q, f) and the unbalanced force, at the state */
    double *H;              /* tangent */
    double *x, *y, *moved;  /* [n] step, scratch, displacement since the kept state */
    double *lambda;         /* [np] multipliers that belong to the step */
    double *value, *vector; /* dense: eigenvalues and vectors */
    double *work;
    bl_index *iwork;
    void *block, *eigen_block;
    double *tangent, *last_tangent, *load_rate; /* [n] of a path: dx/dt, the one before, dQ/dt */
    /* at the state, in scaled columns */
    double merit, residual, gap; /* length of rho, its largest entry; largest constraint violation */
    bl_index worst;
    double started;             /* merit at the start of the last search */
    double reference;           /* size of forces that the residual is compared with */
    double rounding;            /* rounding error of forces, from the last tangent */
    double traveled;            /* largest displacement since the start */
    double step;                /* largest correction of the last iteration; 0: none yet */
    double *q_start, *q_open;   /* [nq + nz]; [nq] a step before assembly */
    bool fit;                   /* compute multipliers even if that needs a factorization */
    bool linear, factored;      /* K is constant, without constraints: one factorization is enough */
    bool rolls;                 /* rows restrict velocities alone: steps follow paths without slip */
    bool mechanism;             /* constraints or bodies: motions without stiffness are allowed where no force acts along them */
    bl_index search_iterations; /* most iterations of the descent */
    /* at the last equilibrium */
    bl_index unstable, neutral, first_neutral; /* first: index of its eigenvalue */
    bool symmetric;                            /* the tangent: forces have a potential */
    bool known;                                /* value and vector are those of the state */
    bool unnamed;                              /* names of unstable and neutral motions are not needed */
    bl_statics_softer near;                    /* sparse matrices with full ones beside them */
    int sign;
    double critical; /* dense: eigenvalue of index `watched` */
    bl_index watched;
    long iterations; /* of the last search */
    bl_equilibrium_summary found;
    long tangents;
    /* the load along a path (equilibrium_load.c) */
    const bl_family *family; /* the load is a parameter; NULL: the time */
    int sense;               /* -1: the parameter falls while the load grows */
    bl_family_member member; /* whose system is used; none: the one given */
    double at;               /* parameter value of that system */
    uint32_t uses;           /* quantities evaluated */
    double *row_rate;        /* [np] */
    const struct arc *path;  /* the arc-length path that is being followed */
    bool locating;           /* a critical point is being located: tangents become singular */
    bl_statics_seed seed[BL_MOST_CRITICAL];
    bl_index nseed;
    bl_statics_branch side;
    int branch;                 /* 0: the path itself */
    const bl_statics_seed *now; /* the critical point that is being reported; NULL: none */
} bl_statics;

typedef bl_status bl_statics_visit(bl_statics *s, void *user);

/* start: assembled positions; copied. family: the path is over its parameter, the only held input of sys; NULL: over t. */
bl_status bl_statics_create(const bl_system *sys, const bl_state *start, const bl_equilibrium_options *options, bl_statics **s);
bl_status bl_statics_create_over(const bl_system *sys, const bl_family *family, const bl_state *start,
                                 const bl_equilibrium_options *options, bl_statics **s);
void bl_statics_destroy(bl_statics *s);
/* Begins again at another start. */
void bl_statics_restart(bl_statics *s, const bl_state *start);
/* The first equilibrium, from the state, which it becomes. */
bl_status bl_statics_first(bl_statics *s);
/* First equilibrium, then the path; visit is called at each. BL_E_NUMERIC with a message where it ends early: s->kept is the last. */
bl_status bl_statics_follow(bl_statics *s, bl_statics_visit *visit, void *user);

/* ---- equilibrium_load.c */

/* The load of a state, which grows along the path; its value as reported to the user; sets it. */
double bl_statics_load(const bl_statics *s, const bl_state *state);
double bl_statics_shown(const bl_statics *s, double load);
void bl_statics_set_load(const bl_statics *s, bl_state *state, double load);
/* s->sys and s->eval become those of the state's load. */
bl_status bl_statics_use_load(bl_statics *s, const bl_state *state);
void bl_statics_release_member(bl_statics *s);
/* At the state: load_rate = d((Q, f) - G^T lambda)/dload, and row_rate, with G dx/dload = row_rate. */
bl_status bl_statics_load_rate(bl_statics *s);

/* ---- equilibrium_newton.c */

/* Forces and their balance at the state, with the best multipliers; where matrices are sparse, unless `fit`, with those of the state. */
bl_status bl_statics_evaluate(bl_statics *s);
/* From the state to an equilibrium at the time of the state. BL_OK; positive: not found from here. */
bl_status bl_statics_settle(bl_statics *s);
bool bl_statics_balanced(const bl_statics *s);
/* Moves the state by share x x[n], limited for mechanisms, and assembles it; dense: multipliers follow at the next evaluation, sparse: they
 * move toward s->lambda. */
bl_status bl_statics_move(bl_statics *s, const double *x, double share);
/* equilibrium_roll.c: moves the positions of a mechanism that rolls along s->y, on a path without slip. Dense matrices only. */
bl_status bl_statics_roll(bl_statics *s);
/* The state becomes the best one moved by a share of x, evaluated. */
bl_status bl_statics_try(bl_statics *s, double share);
/* The step x of a mechanism relative to the longest one allowed (study_newton_longest). */
double bl_statics_longest(bl_statics *s, const double *x);
double bl_statics_length(const bl_statics *s, const double *x);  /* in scaled columns: square root of the sum of squares */
double bl_statics_largest(const bl_statics *s, const double *x); /* ... largest entry */

/* ---- equilibrium_search.c */

/* Descends to a stable equilibrium. BL_AGAIN: the tangent is not symmetric. */
bl_status bl_statics_descend(bl_statics *s);
/* Eigenvalues and eigenvectors of the reduced tangent at the state. *symmetric: the tangent is, up to rounding. */
bl_status bl_statics_spectrum(bl_statics *s, bool *symmetric);
/* Full matrices move to the state, where they are not those of the steps. */
bl_status bl_statics_move_full(bl_statics *s);
/* BL_E_NUMERIC, naming the motions without stiffness of a singular tangent; BL_SINGULAR: there are none to name. */
bl_status bl_statics_refuse_free(bl_statics *s);

/* ---- equilibrium_flow.c */

/* From the state downhill to an equilibrium, in implicit steps that thin bodies do not stop. Positive: not found; the state is the
 * last one reached. */
bl_status bl_statics_flow(bl_statics *s);

/* ---- equilibrium_relax.c */

/* Dynamic relaxation: the system is stopped at peaks of kinetic energy until forces are small. BL_NO_CONVERGENCE: they stay large. */
bl_status bl_statics_relax(bl_statics *s);

/* ---- equilibrium_stability.c */

/* Shares of the largest eigenvalue of the reduced tangent: up to the first one an eigenvalue is neutral, below minus the second one it is
 * unstable. */
double bl_statics_neutral(const bl_statics *s);
double bl_statics_negative(const bl_statics *s);

/* Signs of the eigenvalues of the tangent at the state, as far as they are known, with the names of their motions. */
bl_status bl_statics_judge(bl_statics *s);
/* Where forces have no potential, at the state: p->unstable, neutral, motions by the eigenvalues of small motions. */
bl_status bl_statics_judge_motion(bl_statics *s, bl_equilibrium_point *p);
/* BL_E_NUMERIC: the constraints lose rank in the kept configuration; the message names joint and configuration. */
bl_status bl_statics_refuse_singular(bl_statics *s);
/* The motions with the smallest omega^2 at the state; none where matrices are sparse. */
bl_status bl_statics_softest(bl_statics *s, bl_index *count, bl_soft_motion soft[BL_MOST_SOFT]);

/* ---- equilibrium_path.c */

/* The state has become an equilibrium: judges stability, updates the history and keeps it. */
bl_status bl_statics_accept(bl_statics *s);
/* BL_E_NUMERIC with a message: what failed, the last equilibrium, the worst equation. Negative statuses stay. */
bl_status bl_statics_fail(bl_statics *s, bl_status why, const char *advice);
/* Moves from s->from by a share (0 to 1) of the current step to an equilibrium and judges its stability. Positive: not found. */
typedef bl_status bl_statics_advance(bl_statics *s, double share);
/* After a step from s->from to the kept state, over which the number of unstable motions changed: locates and records the branching
 * point. */
bl_status bl_statics_branching(bl_statics *s, bl_statics_advance *advance, bl_index unstable_before, int sign_before);
/* Records the state as a critical point, x being the motion without stiffness. */
bl_status bl_statics_note(bl_statics *s, bl_critical_what what, const double *x);

/* ---- equilibrium_branch.c */

/* At the state, a point of the path: stores the data that the next point is compared with. */
bl_status bl_statics_branch_begin(bl_statics *s);
/* The state becomes that at a share of the chord from low to high, states of the current step; `onto`: and then the equilibrium nearby
 * whose distance from s->from is the same. Positive: not found. */
typedef bl_status bl_statics_between(bl_statics *s, const bl_state *low, const bl_state *high, double share, bool onto);
/* At the next point: a singular configuration in between is located and recorded; the state is then there. */
bl_status bl_statics_branch_watch(bl_statics *s, bl_statics_between *between);
void bl_statics_branch_free(bl_statics *s);

/* ---- equilibrium_arc.c */
bl_status bl_statics_arc(bl_statics *s, bl_statics_visit *visit, void *user);

/* Refuses options that contradict each other or are out of range. */
bl_status bl_equilibrium_check(bl_context *ctx, const bl_equilibrium_options *options);
/* "A.angle (1), B.x (-0.42)": the columns of x that move most relative to their scales. */
void bl_motion_words(const bl_system *sys, const double *x, char *text, size_t size);

#endif
