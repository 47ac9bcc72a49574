/* simulation: a system in motion. The pieces bl_simulate is made of, for studies, benchmarks and tests.
 *
 *     bl_simulation_create(sys, &state, &setup, &sim);
 *     while (*sim->state.t < setup.t_end && bl_simulation_advance(sim) == BL_OK)
 *         bl_simulation_sample(sim, any time of the last step, &sample);
 */
#ifndef BL_SIMULATION_H
#define BL_SIMULATION_H

#include "biela/biela.h"
#include "formulation/formulation.h"
#include "integrate/integrate.h"
#include "study/balance.h"
#include "study/momentum.h"
#include "study/residual.h"
#include "study/turns.h"

/* At positions where the constraints lose rank: pass them, by another formulation where need be; step over them or end the run; end the run
 * (singular.h). */
typedef enum bl_singular_policy { BL_PASS, BL_STEP_OVER, BL_REFUSE_SINGULAR } bl_singular_policy;

typedef struct bl_simulation_setup {
    const char *formulation, *integrator, *linsol, *ordering; /* NULL: defaults.h */
    double t_end;
    double tolerance, step;      /* 0: defaults.h */
    double absolute;             /* absolute tolerance of every component; 0: tolerance x its scale */
    double projection_tolerance; /* drift that is projected away; 0: tolerance x smallest column scale; < 0: never */
    double h_max;                /* 0: a tenth of the span */
    bl_singular_policy singular;
    uint32_t unsampled;    /* sum of BL_WANT_...: what no samples will have. Energies and drift are then looked at in the steps */
    bool watched;          /* what happens between steps is looked at (residual.h): more evaluations than the method asks for */
    bl_momentum *momentum; /* of parts that keep theirs; NULL: none is known. Outlives the simulation */
    const char *stiff_formulation, *stiff_integrator; /* that take over where the motion is stiff; NULL: none */
} bl_simulation_setup;

/* What a run keeps for singular positions (singular.h). */
enum { BL_RECENT_STATES = 4, BL_PAST_STATES = BL_RECENT_STATES + 8 };
typedef struct bl_singular {
    /* states to go back to */
    bl_state past[BL_PAST_STATES]; /* after the last regular steps, in turn; then up to 2, 4, ... 256 of them old */
    double step[BL_PAST_STATES];   /* the steps that led there; negative: none */
    long remembered;
    double last_step;
    int collapsed, cut; /* steps since they fell below singular_collapsed, singular_cut */
    /* the position under way */
    double t, reach;  /* when it was met; the longest step before it */
    bl_error failure; /* as it was first refused */
    bool reported;    /* that failure is the error of the context */
    bool hopeless;    /* no formulation leads past it */
    /* the same method, by a step that ends elsewhere */
    double landing;   /* where it is to end; NaN: nowhere */
    int landings;     /* tried */
    bool eased;       /* with a larger tolerance, until the position is passed or another formulation acts */
    double tolerance; /* of the run */
    bool warned;      /* of that */
    /* another formulation for a stretch */
    bl_formulation *form; /* the other one, or that of the run while the other acts; NULL: none was needed yet */
    bl_integrator *integ;
    bool handed_over;
    int successor;             /* which one: 0, 1, ... */
    double until, stretch;     /* when it hands back at the earliest; for how long behind the position */
    long steps_at_return;      /* steps of the run when it last handed back */
    long handovers;            /* how often it took over */
    bl_state refused, started; /* where the run's own formulation was refused; where the other one started */
} bl_singular;

typedef struct bl_simulation {
    bl_context *ctx;
    const bl_system *sys;
    bl_formulation *form;
    bl_integrator *integ;
    bl_state state;     /* after the last accepted step, or at the event that cut it short */
    bl_state at;        /* of the last sample */
    bl_eval eval;       /* of samples and events */
    double *y;          /* [ny] */
    bl_index ny;        /* room in y */
    double *a, *lambda; /* [nv], [np], in block */
    void *block;
    /* events (events.h) */
    double *event, *event_new, *event_end; /* [nevent] at state, scratch */
    signed char *direction;                /* [nevent] */
    bl_index event_hit;                    /* index of the last event; -1: a time known in advance */
    double next_time;                      /* of those, the next; not after t: to be asked for */
    bool cross_due;                        /* the state stands just before what happens at an event */
    double crossed;                        /* time of the last event that was crossed; NaN: none */
    struct bl_event_roots *roots;          /* for methods whose steps are long; NULL: none */
    double event_t;                        /* when events began to crowd, and how many since */
    long crowd;
    bool holds, let_go; /* laws have branches that depend on the state; none is held in the step under way */
    /* switches that slide (sliding.h) */
    bl_index nsliding;
    double slide_h;              /* between the last corrections */
    double *share, *rate;        /* [nevent] blend held of one that slides, else BL_SLIDES_NOT; scratch */
    double *share_mid;           /* [nevent] the blend without what pulls it back to the border */
    double *share_now, *share_t; /* [nevent] blend it had when it was last found, and when that was */
    bool *warned_of;             /* [nevent] */
    bl_state beyond;             /* a little ahead */
    double *ahead_y;             /* [2 ahead_ny] */
    bl_index ahead_ny;
    double energy_start;
    double projection_tolerance;
    double absolute;                            /* 0: by scale */
    double largest_drift, largest_energy_error; /* over samples */
    double dissipated;                          /* by materials, at the last sample */
    double largest_misfit;                      /* likewise, of rows dropped within the closure */
    int since_projection;                       /* steps */
    unsigned char *step_history;                /* during the last step: what its dense output belongs to */
    bl_formulation_stats sampled;               /* work for samples and for looking between steps; factors: also with known pivots */
    long places_read, forces_read; /* at times inside steps: by the method alone, without closing and without the formulation */
    double t_from;                 /* start of the last step: samples may be asked for in [t_from, state.t] */
    bool review_due, restart_due, setup_due, warned;
    bl_singular_policy singular_policy;
    bl_singular singular;
    bl_turns turns;
    bl_run_balance balance;
    bl_residual residual;
    bl_momentum *momentum; /* NULL: nothing is kept */
    bool watched;
    uint32_t unsampled;
    struct bl_stiffness *stiffness; /* NULL: one method for the whole run */
} bl_simulation;

/* state must be consistent (assembled) and is copied. The system must outlive the simulation. */
bl_status bl_simulation_create(const bl_system *sys, const bl_state *state, const bl_simulation_setup *setup, bl_simulation **out);
void bl_simulation_destroy(bl_simulation *sim);
/* Another pair acts, the present one is put aside in its place. Counters and the next stop are the run's, whoever acts. */
void bl_simulation_exchange(bl_simulation *sim, bl_formulation **form, bl_integrator **integ);

/* One accepted step. BL_EVENT: a function that ends the run changed sign; the state stands just behind the change. At other events the step
 * ends: samples there are those before it, until bl_simulation_cross or the next step. Allocates nothing unless the formulation chooses
 * anew. On failure (negative) the state is the last good one and the error names time, joint and equation. */
bl_status bl_simulation_advance(bl_simulation *sim);

/* Where the last step ended at an event: what happens there happens, samples there are those behind it. Else nothing. */
bl_status bl_simulation_cross(bl_simulation *sim);

/* Everything at a time of the last step. Arrays of *sample live until the next call. */
bl_status bl_simulation_sample(bl_simulation *sim, double t, bl_sample *sample);
/* ... what is wanted of it (BL_WANT_...): the rest is NULL or NaN. */
bl_status bl_simulation_sample_of(bl_simulation *sim, double t, uint32_t want, bl_sample *sample);
/* Drift and misfit at the state, taken into the extremes and judged. */
bl_status bl_simulation_drift(bl_simulation *sim);

/* Positions, velocities and states alone at a time of the last step, projected when they drifted. Lives until the next call. */
bl_status bl_simulation_state(bl_simulation *sim, double t, const bl_state **state);

/* A sample of any state, made at the place of eval, whose arrays it shows; energy_error stays 0. a and lambda NULL: accelerations are not
 * known, reactions are NaN. form (may be NULL): whose dropped rows are not counted in the drift but in *misfit, with a closure. */
bl_status bl_simulation_fill_sample(const bl_system *sys, const bl_formulation *form, bl_eval *eval, const bl_state *state, const double *a,
                                    const double *lambda, uint32_t want, bl_sample *sample, double *misfit);

/* The state by dense output at a time of the last step, as the formulation reads it. For the files of the loop. */
bl_status bl_simulation_dense(bl_simulation *sim, double t, bl_state *state);

/* Between the two everything is asked of a viewer, so that looking leaves no trace in the steps that follow. For the files of the loop. */
bl_status bl_simulation_view_begin(bl_simulation *sim, bl_formulation **kept);
void bl_simulation_view_end(bl_simulation *sim, bl_formulation *kept);

/* What form did since its counters were `motion` was for samples: counted as such, taken out of its own. For the files of the loop. */
void bl_simulation_count_samples(bl_simulation *sim, bl_formulation *form, const bl_formulation_stats *motion);

/* Counters and extremes; leaves status, stopped_by and times of the clock alone. */
void bl_simulation_summary(const bl_simulation *sim, bl_run_summary *summary);

#endif
