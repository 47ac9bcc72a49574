/* equilibrium, private: a system at rest under loads. Knows no model but for words.
 *
 *     bl_statics_create(sys, &start, &options, &s);
 *     bl_statics_follow(s, visit, user);
 *
 * A place is out of balance by rho = (Q, f) - G^T lambda; sizes are measured in scaled columns, where forces are moments per unit of the
 * coordinate. History is taken over at equilibria alone, but where it holds nothing of the way (BL_REVOLUTIONS_ONLY). */
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
    double *along; /* [n + 1] the path: displacement and load since the equilibrium before */
    bool visited;  /* handed out */
    bool again;    /* known before */
} bl_statics_seed;

/* for singular positions between two points of a path (equilibrium_branch.c) */
typedef struct bl_statics_branch {
    double *matrix, *R;       /* [n][n]; [f][n] motions left free at the last point */
    bl_index *pivot, *row_at; /* [n]; [np] number of independent rows there, -1: others */
    void *block;
    bl_index rank;
    int sign; /* of the determinant there; 0: not known */
} bl_statics_branch;

typedef struct bl_statics {
    bl_context *ctx;
    const bl_system *sys;
    const bl_model *model;          /* for words; NULL: those of coordinates */
    const char *load_name;          /* "t", or the parameter */
    bl_equilibrium_options options; /* nothing is 0 that has a default */
    bl_kkt *kkt, *counter;          /* counter: of negative pivots, where kkt does not count; NULL: not needed so far */
    bl_eval eval;
    bl_state state, kept, best, from; /* iterate; last equilibrium; best iterate of a search; where a search for critical points starts */
    bl_index n, np;
    double *force, *rho;    /* [n] (Q, f) and what is out of balance, at the state */
    double *H;              /* tangent */
    double *x, *y, *moved;  /* [n] step, scratch, displacement since the kept state */
    double *lambda;         /* [np] multipliers that belong to the step */
    double *value, *vector; /* dense: eigenvalues and vectors */
    double *work;
    bl_index *iwork;
    void *block, *eigen_block;
    double *tangent, *last_tangent, *load_rate; /* [n] of a path: dx/dt, the one before, dQ/dt */
    /* at the state, in scaled columns */
    double merit, residual, gap; /* length of rho, largest entry; largest open constraint */
    bl_index worst;
    double started;             /* merit where the last search began */
    double reference;           /* size of forces that the residual is compared with */
    double rounding;            /* of forces, by the tangent last made */
    double traveled;            /* largest displacement since the start */
    double step;                /* largest correction of the last iteration; 0: none yet */
    double *q_start, *q_open;   /* [nq + nz]; [nq] a step before it is closed */
    bool fit;                   /* multipliers are to be found, though it takes a factorization */
    bool linear, factored;      /* K is constant, without rows: one factorization serves */
    bool mechanism;             /* rows or bodies: motions without stiffness are allowed where nothing pushes along them */
    bl_index search_iterations; /* most, downhill */
    /* at the last equilibrium */
    bl_index unstable, neutral, first_neutral; /* first: number of its eigenvalue */
    bool symmetric;                            /* the tangent: forces have a potential */
    bool known;                                /* value and vector are those of the state */
    bool wordless;                             /* nobody reads the names of unstable and neutral motions */
    int sign;
    double critical; /* dense: eigenvalue number `watched`, from 0 */
    bl_index watched;
    long iterations; /* of the last search */
    bl_equilibrium_summary found;
    long tangents;
    /* what grows along a path (equilibrium_load.c) */
    const bl_family *family; /* a parameter; NULL: the time */
    int sense;               /* -1: the parameter falls while the load grows */
    bl_family_member member; /* whose system is used; none: the one given */
    double at;               /* value of that system */
    uint32_t uses;           /* of places */
    double *row_rate;        /* [np] */
    const struct arc *path;  /* of arc length, under way */
    bool locating;           /* a critical point is looked for: tangents become singular */
    bl_statics_seed seed[BL_MOST_CRITICAL];
    bl_index nseed;
    bl_statics_branch side;
    int branch;                 /* 0: the path itself */
    const bl_statics_seed *now; /* the critical point that is handed out; NULL: none */
} bl_statics;

typedef bl_status bl_statics_visit(bl_statics *s, void *user);

/* start: positions assembled; copied. family: the path is over its parameter, built into sys as its only held number; NULL: over t. */
bl_status bl_statics_create(const bl_system *sys, const bl_state *start, const bl_equilibrium_options *options, bl_statics **s);
bl_status bl_statics_create_over(const bl_system *sys, const bl_family *family, const bl_state *start,
                                 const bl_equilibrium_options *options, bl_statics **s);
void bl_statics_destroy(bl_statics *s);
/* Begins anew at another start. */
void bl_statics_restart(bl_statics *s, const bl_state *start);
/* The first equilibrium, from the state, which it becomes. */
bl_status bl_statics_first(bl_statics *s);
/* All of it: first equilibrium, then the path; visit is called at each. BL_E_NUMERIC with words when it ends early: s->kept is the last. */
bl_status bl_statics_follow(bl_statics *s, bl_statics_visit *visit, void *user);

/* ---- equilibrium_load.c */

/* The load of a state, growing along the path; what a user reads of it; another one. */
double bl_statics_load(const bl_statics *s, const bl_state *state);
double bl_statics_shown(const bl_statics *s, double load);
void bl_statics_set_load(const bl_statics *s, bl_state *state, double load);
/* s->sys and s->eval become those of the state's load. */
bl_status bl_statics_bring(bl_statics *s, const bl_state *state);
void bl_statics_dismiss(bl_statics *s);
/* At the state: load_rate = d((Q, f) - G^T lambda)/dload, and what is to close, G x = row_rate. */
bl_status bl_statics_load_rate(bl_statics *s);

/* ---- equilibrium_newton.c */

/* Forces and their balance at the state, by the multipliers that fit best; where matrices are sparse, unless `fit`, by the state's. */
bl_status bl_statics_evaluate(bl_statics *s);
/* H at the state, factored. BL_SINGULAR: it is. */
bl_status bl_statics_tangent(bl_statics *s);
/* From the state to an equilibrium at the time of the state. BL_OK; positive: not found from here. */
bl_status bl_statics_settle(bl_statics *s);
bool bl_statics_balanced(const bl_statics *s);
/* Moves the state by share x x[n], limited for mechanisms, onto the constraints; dense: multipliers follow at the next look, sparse: they
 * move with it toward s->lambda. */
bl_status bl_statics_move(bl_statics *s, const double *x, double share);
/* The state: the best one moved by a share of x, its forces found. */
bl_status bl_statics_try(bl_statics *s, double share);
double bl_statics_length(const bl_statics *s, const double *x);  /* in scaled columns: square root of the sum of squares */
double bl_statics_largest(const bl_statics *s, const double *x); /* ... largest entry */

/* ---- equilibrium_search.c */

/* Downhill to a stable equilibrium. BL_AGAIN: the tangent is not symmetric. */
bl_status bl_statics_descend(bl_statics *s);
/* Eigenvalues and vectors of the reduced tangent at the state. *symmetric: it is, to rounding. */
bl_status bl_statics_spectrum(bl_statics *s, bool *symmetric);
/* Names free motions of a singular tangent: BL_E_NUMERIC; BL_SINGULAR: there are none to name. */
bl_status bl_statics_refuse_free(bl_statics *s);

/* ---- equilibrium_relax.c */

/* Falls and is stopped at peaks of kinetic energy until forces are small. BL_NO_CONVERGENCE: they do not become so. */
bl_status bl_statics_relax(bl_statics *s);

/* ---- equilibrium_stability.c */

/* Signs of the eigenvalues of the tangent at the state, as far as they are known, with the names of their motions. */
bl_status bl_statics_judge(bl_statics *s);
/* Where forces have no potential, at the state: p->unstable, neutral, motions by the eigenvalues of small motions. */
bl_status bl_statics_judge_motion(bl_statics *s, bl_equilibrium_point *p);
/* BL_E_NUMERIC: the constraints lose rank at the kept place; joint and position are named. */
bl_status bl_statics_refuse_singular(bl_statics *s);
/* The motions with the least omega^2 at the state; none where matrices are sparse. */
bl_status bl_statics_softest(bl_statics *s, bl_index *count, bl_soft_motion soft[BL_MOST_SOFT]);

/* ---- equilibrium_path.c */

/* The state has become an equilibrium: its stability, history taken over, kept. */
bl_status bl_statics_accept(bl_statics *s);
/* BL_E_NUMERIC with a message: what failed, the last equilibrium, the worst equation. Negative statuses stay. */
bl_status bl_statics_fail(bl_statics *s, bl_status why, const char *advice);
/* Moves from s->from by a share (0 to 1) of the step under way and settles, stability included. Positive: not found. */
typedef bl_status bl_statics_advance(bl_statics *s, double share);
/* After a step from s->from to the kept state, over which the number of unstable motions changed: finds and notes the branching point. */
bl_status bl_statics_branching(bl_statics *s, bl_statics_advance *advance, bl_index unstable_before, int sign_before);
/* The state is a critical point, x the motion along which stiffness vanishes. */
bl_status bl_statics_note(bl_statics *s, bl_critical_what what, const double *x);

/* ---- equilibrium_branch.c */

/* At the state, which is a point of the path: what the next one is compared with. */
bl_status bl_statics_branch_begin(bl_statics *s);
/* At the next point: a singular position in between is located by `advance` and noted; the state is then there. */
bl_status bl_statics_branch_watch(bl_statics *s, bl_statics_advance *advance);
void bl_statics_branch_free(bl_statics *s);

/* ---- equilibrium_arc.c */
bl_status bl_statics_arc(bl_statics *s, bl_statics_visit *visit, void *user);

/* Refuses numbers that make no sense. */
bl_status bl_equilibrium_check(bl_context *ctx, const bl_equilibrium_options *options);
/* "A.angle (1), B.x (-0.42)": the columns of x that move most in their scales. */
void bl_motion_words(const bl_system *sys, const double *x, char *text, size_t size);

#endif
