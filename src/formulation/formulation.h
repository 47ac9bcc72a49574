/* formulation: which equations are solved. Interfaces: rate (y' = f(t, y) for explicit methods), stage, series. To add one: copy
 * baumgarte.c, add a line to formulation_list.h. */
#ifndef BL_FORMULATION_H
#define BL_FORMULATION_H

#include "linsol/linsol.h"
#include "order/order.h"
#include "system/expansion.h"

typedef struct bl_formulation_stats {
    long evaluations, tangents, factors, refactors, solves, projections, repartitions, newton_iterations;
} bl_formulation_stats;

/* One implicit stage: find increments d of positions and dz of first-order states such that
 *
 *     equilibrium   M a + G^T lambda = Q   at  q = qe + ce d,  v = ve + cv d,  a = ae + ca d,  t = te
 *     states        A zd = f               at  z = ze + cz dz, zd = zde + czd dz,              t = te
 *     constraints   phi = 0, (G v = b)     at  q = qc + cc d,  v = vc + cvc d,                 t = tc
 *
 * Every implicit method is a choice of these numbers and points. */
typedef struct bl_stage {
    double te, tc, ce, cv, ca, cc, cvc, cz, czd;
    double t_other, w_other; /* Q and f are (1 - w_other) times those at te plus w_other times those at t_other; 0: only those at te */
    const double *qe, *ve, *ae, *qc, *vc, *ze, *zde; /* [nv], the last two [nz] */
    double dissipation;                              /* with q_from: of bl_eval */
    bool linear;          /* linear in its unknowns with a constant matrix although the system is not: one update is exact */
    bool at_guess;        /* a residual at x = 0 is requested: at qe, ve, ae, ze, zde themselves */
    bool coasting;        /* ae and zde are zero */
    bool held;            /* ce is 0 in every stage of the method: derivatives of equilibrium with respect to positions are not needed */
    const double *q_from; /* conservative forces by a discrete gradient from here to qc + cc d (BL_CAN_DISCRETE); NULL: at q */
} bl_stage;

/* The variables that the unknowns of a stage move. MOTION: (q, v, z) as above. RATE: the full y, as first-order states z of y' = f(t, y);
 * first-order methods only. */
typedef enum bl_stage_of { BL_STAGE_NONE, BL_STAGE_MOTION, BL_STAGE_RATE } bl_stage_of;
enum { BL_MOST_MATRICES = 4, BL_MOST_SHIFTS = 4 };
typedef enum bl_jacobian { BL_JACOBIAN_ANALYTIC, BL_JACOBIAN_COLORED, BL_JACOBIAN_DENSE } bl_jacobian;

typedef struct bl_formulation {
    const struct bl_formulation_kind *kind;
    const bl_system *sys;
    bl_context *ctx;
    bl_arena arena; /* holds option texts */
    bl_value value[BL_MAX_PARAMS];
    const char *linsol_spec, *ordering_spec;
    bl_linsol *linsol;
    bool held;                        /* stages of the method never multiply K (BL_HELD). Set before setup */
    bl_index many;                    /* number of right-hand sides that a factorization will serve; 0: a few. Set before setup */
    struct bl_rate_stage *rate_stage; /* stage made of the rate interface; NULL: none */
    struct bl_normal_loads *loads;    /* of joints with dry friction (normal_loads.c); NULL: none */
    struct bl_state_rates *rates;     /* of first-order states (state_rates.c); NULL: there are none */
    bl_order_input hints;             /* marks and samples of the matrix, for orderings */
    bl_deficient wanted;              /* how the solver was last analyzed */
    double tolerance;
    bl_eval at_e, at_c;           /* evaluation points: equilibrium, constraints (rates use the first only) */
    const unsigned char *history; /* of the state last given to setup or to_y */
    bl_index ny;                  /* length of y: (q, v, z, work) where stage_of is MOTION */
    double *weight;               /* [ny] typical size of each component; 0: not in the error norm */
    bl_deficient deficient;
    double rank_tolerance;
    const bl_index *slot; /* [np] owned by the kind: rows with an index < 0 are dropped as redundant; NULL: none is */
    bool rebased;         /* rows were exchanged, and velocities jump by the misfit: the run loop projects the state and clears this */
    bl_index rank_most;   /* with a closure: the rank at set-up. Rows dropped then stay dropped until they are violated; 0: not known yet */
    double compliance;    /* compliance of constraints relative to the forces they carry, at best; 0: rigid */
    bool drifts;          /* positions or velocities leave the constraints: the run loop watches and projects */
    bool drifts_between;  /* only between steps, where dense output interpolates */
    int project_period;   /* > 0: the run loop projects every so many steps, however small the drift */
    double step;          /* size of the step under way, set by the integrator; 0: none yet */
    /* distance from the constraints, relative to scales, allowed at the next evaluations: for intermediate states that the method
     * discards. Set by the integrator around them, 0 otherwise: to rounding */
    double slack;
    double near_off; /* where another formulation can take over: the distance allowed from the constraints; 0: none can (near_singular.c) */
    double near_best, *near_vector;
    long near_count;
    bl_index dof, redundant; /* nv - rank G, active rows - rank G at the last setup or review */
    bl_index dof_position;   /* nv - rank of the rows at position level: motions that positions have, but not velocities, included */
    bool repeated, brief;    /* set up before: for other active rows, logged as details; shortly before */
    long set_up_at;          /* evaluations until then */
    bl_stage_of stage_of;
    bl_index nx;                /* unknowns of a stage: d[nv], dz[nz], then the kind's own (multipliers, scaled) */
    bl_index x_velocity;        /* index in x where the increments of v and a begin: 0, or separate ones (ggl) */
    bl_index x_lambda, nlambda; /* index in x of the multipliers: they are smooth in time, so a method may predict them */
    bool lambda_anew;     /* they begin at 0 in every stage: otherwise the part that redundant rows leave undetermined would accumulate */
    bl_jacobian jacobian; /* how tangents are made; set by the method */
    bl_index algebraic;   /* first-order states whose rate no equation determines: explicit methods cannot integrate them */
    int matrices;         /* how many factored matrices are kept for stages with different numbers: 1; up to BL_MOST_MATRICES */
    bool linear;          /* the stage equations are linear with constant matrices: one iteration is exact */
    bl_formulation_stats stats;
    const char *spec;
    struct bl_formulation *sampler;          /* makes output samples (viewer.c); NULL: none yet */
    const struct bl_formulation *sampler_of; /* of a sampler: the formulation it belongs to; NULL: this is no sampler */
    long followed;                           /* of a sampler: repartitions of that formulation when it last copied its choices */
    bl_index *ranked;                        /* result of the last rank: its value, row_order[np], col_order[nv]; NULL: none */
    void *own;
} bl_formulation;

typedef struct bl_formulation_kind {
    bl_kind kind;  /* needs: BL_CAN_* of the system; gives: BL_CAN_RATE, STAGE, COEFFICIENT */
    uint32_t uses; /* quantities that its rates request, besides vectors; stages request more when they are set up */
    uint8_t index;
    const char *redundant, *singular;                       /* facts for `biela list` */
    bl_status (*setup)(bl_formulation *, const bl_state *); /* at this state; again when the epoch changes */
    /* state <-> y; to_y: fills y; else fills q, v, z, t and work of the state (consistent positions and velocities) */
    bl_status (*to_y)(bl_formulation *, const bl_state *, double *y);
    bl_status (*from_y)(bl_formulation *, double t, const double *y, bl_state *);
    /* BL_SINGULAR, BL_NO_CONVERGENCE: reject the step. Kinds without BL_CAN_RATE still fill it, for consistent states: starting values */
    bl_status (*rate)(bl_formulation *, double t, const double *y, double *y_rate);
    /* between steps, at an accepted state: check the pivots; BL_RESTART: y has a new meaning, call to_y again (ny may have changed) */
    bl_status (*review)(bl_formulation *, const bl_state *);
    bl_status (*project)(bl_formulation *, bl_state *, double tolerance); /* positions and velocities onto the constraints */
    /* accelerations a[nv] and multipliers lambda[np] at a state (minimum norm or zero for dropped rows) */
    bl_status (*accelerations)(bl_formulation *, const bl_state *, double *a, double *lambda);
    /* Distributes multipliers lambda[np], found with those of dropped rows zero, as `accelerations` would. NULL: by `accelerations`. */
    bl_status (*spread)(bl_formulation *, const bl_state *, double *lambda);
    /* ns of a rate (order 0) or an expansion in a system of this size, for automatic choices; NULL: never chosen automatically */
    double (*cost)(const bl_size *, int order);
    void (*forget)(bl_formulation *); /* discards results of the current configuration: the history has changed. NULL: nothing is kept */
    /* ---- the series interface (BL_CAN_COEFFICIENT): all coefficients of the motion through (t, y); refuses as `rate` does */
    bl_status (*expand)(bl_formulation *, double t, const double *y, bl_expansion *);
    /* ---- the stage interface. x[nx]; only stage_setup allocates */
    bl_status (*stage_setup)(bl_formulation *); /* when a method starts: nx, memory, according to form->jacobian and form->matrices */
    bl_status (*residual)(bl_formulation *, const bl_stage *, const double *x, double *r); /* r[nx], rows scaled alike */
    bl_status (*tangent)(bl_formulation *, const bl_stage *, const double *x);             /* derivatives at x, kept */
    bl_status (*matrix)(bl_formulation *, const bl_stage *); /* from the kept derivatives with the stage's numbers; factors */
    bl_status (*solve)(bl_formulation *, double *x);         /* r in, increment out */
    /* r[nx]: bound on the rounding error of each row of the last residual, in its scaling, with the kept derivatives. NULL: unknown. */
    bl_status (*rounding)(bl_formulation *, const bl_stage *, const double *x, double *r);
    bl_status (*power)(bl_formulation *, const bl_stage *, const double *x, double *power); /* of forces without potential and drivers */
    /* Coupled stages: the matrices lambda B - J of the first-order form B y' = F(t, y), y = (q, v, z), of the kept derivatives, velocities
     * eliminated (RATE: lambda I - J). The first shift is real, x[nx]; the others complex, x[nx] of pairs. Only shift_setup allocates. */
    bl_status (*shift_setup)(bl_formulation *, int count);
    bl_status (*shift)(bl_formulation *, int which, double re, double im); /* factors */
    bl_status (*shift_solve)(bl_formulation *, int which, double *x);      /* residual of (Q, f) in, increments of (q, z) out */
    /* (lambda B - J) err = F + B w with the first shift; F = (v, Q, f), w and err of length 2 nv + nz (RATE: ny) */
    bl_status (*shift_error)(bl_formulation *, const double *F, const double *w, double *err);
    /* r[nv + nz] -= B u + K d with the kept derivatives and their B: u[nv + nz] accelerations and rates of states, d[nv] of positions;
     * NULL: 0. With it the matrix of a stage also solves that first-order form. No slot: it does not, or the stage is of type RATE. */
    void (*subtract)(bl_formulation *, const double *u, const double *d, double *r);
    /* After a stage at the end of a step: projects velocities and accelerations onto the constraints. NULL: nothing. */
    bl_status (*settle)(bl_formulation *, const bl_stage *, const double *x, const double *q, double *v, double *a);
    void (*equation)(const bl_formulation *, bl_index row, char *part, size_t npart, char *equation, size_t nequation); /* of r */
    /* Of a sampler: copies the choices of the formulation it belongs to. NULL: by setup. Allocates. */
    bl_status (*follow)(bl_formulation *, const struct bl_formulation *of, const bl_state *);
    /* Explains why `rate` last refused: records BL_E_NUMERIC with time, joint and equation. May allocate. NULL: nothing to add. */
    bl_status (*explain)(bl_formulation *);
    void (*destroy)(bl_formulation *);
} bl_formulation_kind;

#define BL_KIND(name) extern const bl_formulation_kind bl_formulation_##name;
#include "formulation/formulation_list.h"
#undef BL_KIND

extern const bl_formulation_kind *const bl_formulation_kinds[];
extern const size_t bl_formulation_kind_count;

/* spec "partition:index=3"; linsol, ordering may be NULL (defaults). Does not evaluate the system yet: setup does. */
bl_status bl_formulation_create(const bl_system *sys, const char *spec, const char *linsol, const char *ordering, bl_formulation **out);
void bl_formulation_destroy(bl_formulation *form);
/* setup of the kind; a sampler is created anew afterwards. */
bl_status bl_formulation_setup(bl_formulation *form, const bl_state *state);
/* The sampler of `form` (viewer.c): computes states, projections and accelerations anywhere without influencing later steps. It is a second
 * formulation with the same choices, or `form` itself where no results are kept. state: the last accepted one. Allocates at the first call
 * and after new choices. Owned by `form`. */
bl_status bl_formulation_sampler(bl_formulation *form, const bl_state *state, bl_formulation **sampler);
void bl_formulation_drop_sampler(bl_formulation *form);
/* The kind named in a spec, NULL when there is none. */
const bl_formulation_kind *bl_formulation_kind_of(const char *spec);

/* The history has changed at the same configuration (a law changed its branch): results found there are no longer valid. The integrator
 * restarts afterwards. */
void bl_formulation_forget(bl_formulation *form);

/* ---- for the kinds */

/* of kind.uses: the matrices of equations of motion with constraints */
#define BL_USES_MATRICES (BL_T | BL_M | BL_G)

/* of kind.gives: coupled stages of a differential equation without constraints; violates constraints a little, by design; accepts Q that
 * depends on normal loads; refuses singular configurations that cannot be stepped over, by design; accepts more positions than velocities,
 * in rates */
enum {
    BL_CAN_SHIFT = 8192,
    BL_COMPLIANT = 16384,
    BL_TAKES_LOADS = 32768,
    BL_REFUSES_SINGULAR = 65536,
    BL_TAKES_CURVED = 131072,
    BL_TAKES_PHI_OF_Z = 262144,      /* constraints may depend on first-order states */
    BL_TAKES_VELOCITY_ROWS = 524288, /* constraints may restrict velocities alone: rolling, blades */
    BL_FULL_STATE = 1048576          /* y is (q, v, z, work) */
};

/* ---- y = (q, v, z, work), which most kinds have (full_state.c) */

/* Sets ny and weights; velocities: they, and algebraic states, count in the error norm. Allocates. */
bl_status bl_full_state_weigh(bl_formulation *form, bool velocities);
bl_status bl_full_state_to_y(bl_formulation *form, const bl_state *state, double *y);
bl_status bl_full_state_from_y(bl_formulation *form, double t, const double *y, bl_state *state);
/* rate[nq] = T v at the configuration of at_e */
bl_status bl_position_rate(bl_formulation *form, const double *v, double *rate);

/* ---- rates of first-order states, A z' = f (state_rates.c); every kind integrates z behind its velocities */

/* At the state of at_e: A, which is constant, and the number of algebraic states. Called by `setup` and `follow`. Allocates. */
bl_status bl_state_rates_setup(bl_formulation *form);
/* zd[nz] of f at the state of at_e (evaluated); nothing without states. BL_NOT_FINITE: *bad is the column of the state. */
bl_status bl_state_rates_find(bl_formulation *form, double *zd, bl_index *bad);
/* A zd = f[nz]; algebraic states get the rate 0. Only where there are states. */
bl_status bl_state_rates_solve(bl_formulation *form, const double *f, double *zd);
const double *bl_state_rates_matrix(const bl_formulation *form);  /* A in the entries of C; NULL: the identity, or no states */
const bool *bl_state_rates_algebraic(const bl_formulation *form); /* [nz] which states are algebraic; NULL: none */
void bl_state_rates_destroy(bl_formulation *form);

/* ---- power series (expand.c), for kinds that give BL_CAN_COEFFICIENT */

/* One order, with the matrix factored at the configuration: accelerations a[nv] under the forces Q[nv] with G a = c of the kept rows, and
 * the multipliers lambda[np] (zero for dropped rows). */
typedef bl_status (*bl_order_solution)(bl_formulation *form, const double *Q, const double *c, double *a, double *lambda);
/* All coefficients of the motion through (t, q, v, z). */
bl_status bl_formulation_expand(bl_formulation *form, double t, const double *q, const double *v, const double *z, bl_order_solution solve,
                                bl_expansion *ex);

/* ---- normal loads (normal_loads.c), for kinds that give BL_TAKES_LOADS; only where sys->nload > 0 */

/* Accelerations a[nv] and multipliers lambda[np] (all rows, spread) at the configuration of at_e with Q as evaluated there. Whatever does
 * not depend on Q (factors) is ready. */
typedef bl_status (*bl_loaded_solution)(bl_formulation *form, double *a, double *lambda);
/* Finds the loads at the configuration of at_e: Q and the results kept by `solve` are then those of the motion. BL_NO_CONVERGENCE: no loads
 * satisfy the equations. */
bl_status bl_loads_settle(bl_formulation *form, bl_loaded_solution solve);
void bl_loads_take(const bl_formulation *form, double *a, double *lambda); /* of the last solution */
double bl_loads_power(const bl_formulation *form); /* there: of drivers and of forces without a potential (b evaluated) */
/* The last evaluation had no solution; `explain` reports it. */
bool bl_loads_refused(const bl_formulation *form);
bl_status bl_loads_explain(bl_formulation *form);
/* open[nload]: loads that redundant constraints do not determine, at the configuration of e; overwrites its a and lambda. Allocates. */
bl_status bl_loads_open(const bl_system *sys, bl_eval *e, uint8_t *open);
/* After setup: warns of loads that redundant constraints leave undetermined. Allocates. */
bl_status bl_loads_check(bl_formulation *form, const bl_state *state);
bl_status bl_loads_create(bl_formulation *form);
void bl_loads_destroy(bl_formulation *form);

/* ---- nearness to singular configurations (near_singular.c), for kinds whose positions violate the constraints slightly */

/* From now on another formulation can take over at singular configurations. off: violation to expect. Allocates. */
bl_status bl_near_singular_begin(bl_formulation *form, double off);
/* The share of the best smallest eigenvalue of G M^-1 G^T below which a configuration is too near; 0: no other formulation can take over.
 * */
double bl_near_singular_share(const bl_formulation *form);
/* BL_SINGULAR where it is too near. solver: of the factored [M G^T; G -compliance], whose rows n .. n + r are those of G; level: its worst
 * pivot in regular configurations. Pivots of compliant rows do not show singularity: then every configuration is measured. */
bl_status bl_near_singular_judge(bl_formulation *form, bl_linsol *solver, bl_index n, bl_index r, double level, double compliance);

/* The stage interface of y' = rate(t, y) for the full y, dense, by differences: for kinds that only have a rate. */
bl_status bl_rate_stage_residual(bl_formulation *form, const bl_stage *stage, const double *x, double *r);
bl_status bl_rate_stage_tangent(bl_formulation *form, const bl_stage *stage, const double *x);
bl_status bl_rate_stage_matrix(bl_formulation *form, const bl_stage *stage);
bl_status bl_rate_stage_solve(bl_formulation *form, double *x);
bl_status bl_rate_stage_rounding(bl_formulation *form, const bl_stage *stage, const double *x, double *r);
bl_status bl_rate_stage_setup(bl_formulation *form); /* memory for the present ny */
bl_status bl_rate_shift_setup(bl_formulation *form, int count);
bl_status bl_rate_shift(bl_formulation *form, int which, double re, double im);
bl_status bl_rate_shift_solve(bl_formulation *form, int which, double *x);
bl_status bl_rate_shift_error(bl_formulation *form, const double *F, const double *w, double *err);
void bl_rate_stage_destroy(bl_formulation *form);
#define BL_RATE_STAGE_SLOTS                                                                                                               \
    .stage_setup = bl_rate_stage_setup, .residual = bl_rate_stage_residual, .tangent = bl_rate_stage_tangent,                             \
    .matrix = bl_rate_stage_matrix, .solve = bl_rate_stage_solve, .rounding = bl_rate_stage_rounding, .shift_setup = bl_rate_shift_setup, \
    .shift = bl_rate_shift, .shift_solve = bl_rate_shift_solve, .shift_error = bl_rate_shift_error

/* Creates the solver (form->linsol_spec, or `auto`) when there is none, orders (form->ordering_spec, or the solver's own) and analyzes.
 * form->deficient becomes `wanted`, or the part of it that the solver supports. */
bl_status bl_formulation_analyze(bl_formulation *form, const bl_pattern *pattern, const bl_order_input *hints, bl_deficient wanted,
                                 double rank_tolerance);
/* Factors when never factored or `anew`, else refactors, and factors when the old pivots are no longer good. Counts. */
bl_status bl_formulation_update(bl_formulation *form, bl_linsol *solver, bool anew, const double *values);
/* The same for form->linsol. When a solver without pivoting meets a small pivot, `auto` replaces it. */
bl_status bl_formulation_factor(bl_formulation *form, bool anew, const double *values);
/* Moves at_e to (t, q, v, z); discards the quantities evaluated there, except constants. */
void bl_formulation_move_to(bl_formulation *form, double t, const double *q, const double *v, const double *z);
/* Rank of G at at_e (evaluated there), rows and columns scaled. row_order[np], col_order[nv]: pivots first; *rank. col_last[nv] may be
 * NULL. Allocates (kkt/row_choice.h). */
bl_status bl_formulation_rank(bl_formulation *form, const uint8_t *col_last, bl_index *row_order, bl_index *col_order, bl_index *rank);
/* Sets which rows are dropped: slot[np], owned by the kind and valid until the next call; NULL: it is about to be freed. */
void bl_formulation_set_dropped(bl_formulation *form, const bl_index *slot, bl_index rank);
/* Call before other rows are kept, at the configuration of at_e, which is on the constraints: dropped rows are from now on measured
 * relative to their present violation, so that rows kept next do not force a jump. Only with a closure. */
bl_status bl_formulation_rebase(bl_formulation *form);
/* max |phi_i| / scale_i, as bl_system_drift; with a closure only of the kept rows: the others follow the misfit of the dimensions. *misfit
 * (may be NULL; phi is then of positions): the true violation of any row. */
double bl_formulation_drift(const bl_formulation *form, const double *phi, double *misfit);
/* The same for kept rows alone: what a projection can remove. Dropped ones follow them as well as the dimensions allow. */
double bl_formulation_kept_drift(const bl_formulation *form, const double *phi);
/* The same rank from the kept rows alone, however many there are. */
bl_status bl_formulation_rank_kept(bl_formulation *form, const uint8_t *col_last, bl_index *row_order, bl_index *col_order, bl_index *rank);
/* A dropped row (slot[i] < 0) violated by more than bl_misfit_most and 100 times the worst kept one: -1 when there is none. Dropped rows
 * follow from the kept ones unless the rank was found at a singular configuration, or the rows contradict each other. */
bl_status bl_formulation_violated(bl_formulation *form, const bl_index *slot, bl_index *violated);
void bl_formulation_warn_violated(bl_formulation *form, bl_index row, bool contradiction);
/* how its advice begins; no advice where that setting is already in use */
#define BL_ADVICE_PASS "use `singular: pass` to step past it"
/* how such a message begins */
#define BL_SINGULAR_MESSAGE "singular configuration near t = "
/* The row with the smallest pivot at (t, q), where the rank was r before; -1: r is 0. Allocates. */
bl_status bl_formulation_weakest_row(bl_formulation *form, double t, const double *q, const double *v, const double *z, bl_index r,
                                     bl_index *row);
/* Records that the constraints, of rank r before, lose rank at (t, q), or that a motion moves no mass there: BL_E_NUMERIC with time and
 * joint. Allocates. */
bl_status bl_formulation_blame_singular(bl_formulation *form, double t, const double *q, const double *v, const double *z, bl_index r,
                                        bool massless);
/* Records that a motion, of a coordinate (NULL: unknown), moves no mass: BL_E_MODEL. */
bl_status bl_formulation_blame_massless(bl_formulation *form, const char *coordinate, double t);
/* Records that the acceleration of a column is not a finite number: BL_E_NUMERIC. */
bl_status bl_formulation_blame_not_finite(bl_formulation *form, bl_index col, double t);
/* Sets dof, dof_position and redundant; logs them and the redundant rows, named by the rule of kkt/README.md. order: from
 * bl_formulation_rank; nout: inactive rows. Allocates where the log is read. */
bl_status bl_formulation_count(bl_formulation *form, const bl_index *row_order, bl_index rank, bl_index nout, bl_log_level level);

#endif
