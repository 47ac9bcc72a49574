/* integrate: one attempt of one step. The run loop (study/simulation.c) finds events and writes results. To add a method: README.md. */
#ifndef BL_INTEGRATE_H
#define BL_INTEGRATE_H

#include "formulation/formulation.h"

/* Impulses in the middle of each step (moreau.c), and bodies that move by themselves between them. */
typedef struct bl_impulses {
    void *user;
    bool alone;                     /* all of them do: the formulation is not asked */
    bl_status (*begin)(void *user); /* the method starts, maybe from another state */
    /* At the mid point, whose positions `middle` has: v[nv] at the end of the step without impulses becomes that with them, *work gains
     * theirs. start: of the step. alone: middle and v are NULL. */
    bl_status (*strike)(void *user, double h, const bl_state *start, const bl_state *middle, double *v, double *work);
    bl_status (*finish)(void *user, double h, bl_state *end); /* positions and velocities of those bodies; overlap */
} bl_impulses;

typedef struct bl_step_control {
    double t_end, h_max; /* h_max 0: a tenth of the span */
    double t_stop;       /* no step goes beyond it, one ends there; not after t: t_end. t_end also sets the scale of steps, this does not */
    double step;         /* fixed-step methods: the step; adaptive: first step, 0 = chosen automatically */
    double tolerance;    /* relative; absolute = tolerance x weight of the component */
    double absolute;     /* > 0: instead of that */
    bool return_not_finite; /* a value that is not finite ends a step with BL_NOT_FINITE: the caller has an alternative to shorter steps */
    int step_overs; /* shorter steps tried to step over a singular configuration before failing; 0: as many as reasonable, < 0: none */
    /* y[ny] of a known solution, for methods that may start from it; NULL: unknown */
    bl_status (*exact)(void *user, double t, double *y);
    void *exact_user;
    const bl_impulses *impulses; /* NULL: none */
    double projection;           /* drift that methods leave which project by themselves */
} bl_step_control;

typedef struct bl_integrator_stats {
    long steps, rejections, restarts;
    long bounded; /* steps at an order bounded because of a stiff oscillation */
    double h_smallest, h_largest;
} bl_integrator_stats;

typedef struct bl_integrator {
    const struct bl_integrator_kind *kind;
    bl_context *ctx;
    bl_arena arena;
    bl_value value[BL_MAX_PARAMS];
    bl_formulation *form;
    bl_step_control control;
    bl_integrator_stats stats;
    double t, t_new;      /* last accepted time; end of the last attempt */
    double t_old;         /* start of the last accepted step: dense output covers [t_old, t] */
    double h_next;        /* the step to try next; 0 before the first start: chosen there */
    double h_unshortened; /* step before it was shortened to step over a singular configuration; 0: not shortened */
    int order;            /* of the last accepted step: the kind's, unless `accept` sets it */
    double error;         /* of that step, estimated, as a share of the tolerance; NaN: the method has no estimate */
    bool compared;        /* the method itself compared its dense output with the rate, at the end of the last accepted step */
    bl_index ny;
    void *y_block;
    double *y, *y_new; /* [ny] accepted; proposed */
    void *own;         /* of the method: allocated by its create, freed with the integrator */
    void *block;       /* arrays of the method, from bl_integrator_arrays */
    bl_index block_for[3];
} bl_integrator;

struct bl_formula;
/* further bits of bl_kind.gives; SECOND_ORDER: needs a stage of motion; VARIABLE_ORDER: `order` is the highest, a run begins with 1;
 * UNDAMPED: no frequency loses energy; ON_GROUPS: positions need not be a vector space, steps are increments; HELD: its stages never
 * multiply K: explicit in the forces of positions; BETWEEN: they need forces between two configurations; POLYNOMIAL: dense output is one of
 * high order, over steps so long that functions of the motion may change sign several times; AT_POSITIONS: its stages satisfy constraints
 * of positions only */
enum {
    BL_ADAPTIVE = 1,
    BL_DENSE = 2,
    BL_SECOND_ORDER = 4,
    BL_VARIABLE_ORDER = 8,
    BL_UNDAMPED = 16,
    BL_ON_GROUPS = 32,
    BL_POLYNOMIAL = 64,
    BL_HELD = 128,
    BL_BETWEEN = 256,
    BL_AT_POSITIONS = 512
};

typedef struct bl_integrator_kind {
    bl_kind kind; /* needs BL_CAN_RATE, STAGE or COEFFICIENT of the formulation */
    uint8_t order, dense_order;
    const struct bl_rk_table *rk;         /* coefficients of an explicit Runge-Kutta method (explicit_rk.h) */
    bl_status (*create)(bl_integrator *); /* own; reads parameters */
    /* t, y, ny, control are set; also after BL_RESTART and events; may allocate when ny changed */
    bl_status (*start)(bl_integrator *);
    /* Before a step, at the final (t, y): may set h_next. Refuses as attempt does. NULL: nothing. */
    bl_status (*ready)(bl_integrator *);
    /* One step of size h from (t, y) to y_new. BL_OK: *error <= 1 accepts; BL_SINGULAR etc.: not possible with this h. */
    bl_status (*attempt)(bl_integrator *, double h, double *error);
    /* After the decision: *h is the step just tried and becomes the next one. failures: rejected attempts of this step so far (including
     * this one when rejected); status: result of attempt. BL_E_NUMERIC when h falls below its limit. */
    bl_status (*next_step)(bl_integrator *, bool accepted, double error, int failures, bl_status status, double *h);
    void (*accept)(bl_integrator *);                                /* y <- y_new, t <- t_new; dense output now covers [t_old, t] */
    bl_status (*dense)(const bl_integrator *, double t, double *y); /* inside the last accepted step */
    /* The motion there according to the method, which violates the constraints by its error: cheaper where `dense` needs a projection.
     * NULL: unknown. */
    void (*motion)(const bl_integrator *, double t, bl_state *);
    /* Accelerations a[nv] and multipliers lambda[np] at the state of `motion`, where the method has them within the tolerance: those of
     * rows that the formulation drops are zero. BL_REJECTED: not within the tolerance there. NULL: nowhere. */
    bl_status (*dense_motion)(const bl_integrator *, double t, double *a, double *lambda);
    /* The coefficients for these parameters, for the stability analysis; NULL: none. Refuses parameters out of range. */
    bl_status (*formula)(const struct bl_integrator_kind *, bl_context *, const bl_value *value, struct bl_formula *);
    /* After an accepted step, of explicit methods: w[ny], a direction that contains fast modes; Jw[ny], the change of the rate along it
     * where *known. limit: the h |lambda| from which an oscillation, and a decaying mode, limit the step although they are too small to be
     * visible. False: no information. */
    bool (*fast)(const bl_integrator *, double *w, double *Jw, bool *known, double limit[2]);
    /* For automatic choices and predictions, of kinds that may be chosen by default (NULL: never): evaluations of the rate, or expansions,
     * for a length of smooth motion that a power series at tolerance 1e-6 crosses in one step; ns of the method's own sums per entry of y
     * and evaluation; evaluations in a step; h |lambda| at which an oscillation, and a decaying mode, limit the step. */
    double (*effort)(double tolerance);
    double own_ns, stages, held[2];
    void (*destroy)(bl_integrator *); /* frees what own holds besides the arrays, half built too; NULL: nothing */
} bl_integrator_kind;

#define BL_KIND(name) extern const bl_integrator_kind bl_integrator_##name;
#include "integrate/integrator_list.h"
#undef BL_KIND

extern const bl_integrator_kind *const bl_integrator_kinds[];
extern const size_t bl_integrator_kind_count;

bl_status bl_integrator_create(bl_context *ctx, const char *spec, bl_formulation *form, const bl_step_control *control,
                               bl_integrator **out);
/* Refuses an unknown name, options out of range and a formulation that lacks what the method needs, as far as that is known before the
 * formulation is set up. */
bl_status bl_integrator_check(bl_context *ctx, const char *spec, bl_formulation *form, const bl_step_control *control);
void bl_integrator_destroy(bl_integrator *integ);
/* The kind named in a spec, NULL when there is none. */
const bl_integrator_kind *bl_integrator_kind_of(const char *spec);
/* Sets (t, y) and starts the method. y[form->ny]. The last step size is kept: set h_next = 0 to have it chosen anew. */
bl_status bl_integrator_start(bl_integrator *integ, double t, const double *y);
/* One accepted step: attempts until the error is small enough. BL_E_NUMERIC when the step size falls below its limit (the message states
 * why the last attempt was refused). No allocation. *last_refusal (may be NULL): the status of the last refused attempt, or BL_OK. */
bl_status bl_integrator_step(bl_integrator *integ, bl_status *last_refusal);

/* ---- for the kinds */

/* default order of power series at a tolerance */
int bl_series_order(double tolerance);

/* Values of the method's parameters from this name on; NULL: it has none of that name. */
const bl_value *bl_integrator_values(const bl_integrator *integ, const char *name);
/* Arrays of the method, for `start`: allocated and zeroed when the sizes of the formulation changed, else left as they are. */
bl_status bl_integrator_arrays(bl_integrator *integ, const bl_array *array, size_t narray);
#define BL_INTEGRATOR_ARRAYS(integ, ...) \
    bl_integrator_arrays((integ), (bl_array[]){__VA_ARGS__}, sizeof((bl_array[]){__VA_ARGS__}) / sizeof(bl_array))
/* Common part of every `accept`: y <- y_new, t <- t_new, and the previous y into y_old[ny] (NULL: not kept). */
void bl_integrator_advance(bl_integrator *integ, double *y_old);
/* The cubic of values and rates at both ends of [0, h] at s h. to[n] may be none of them. */
void bl_cubic(bl_index n, double s, double h, const double *y0, const double *f0, const double *y1, const double *f1, double *to);

/* The smallest step worth taking at t. */
double bl_step_smallest(double t);
/* A shorter h after a failed attempt: 0.93 h to step over a singular configuration, else h / 2. */
bl_status bl_step_shorten(bl_integrator *integ, bl_status status, int failures, double *h);
/* next_step of a method with a given step: shorter ones only where that is refused. */
bl_status bl_step_control_fixed(bl_integrator *integ, bool accepted, int failures, bl_status status, double *h);
/* h_max of the control, or a tenth of the span from t. */
double bl_step_largest(const bl_integrator *integ);
/* h, or the nearest step between the smallest and the largest. */
double bl_step_within(const bl_integrator *integ, double h);

#endif
