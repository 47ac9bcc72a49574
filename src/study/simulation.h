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
#include "study/contacts.h"
#include "study/momentum.h"
#include "study/percussion.h"
#include "study/residual.h"
#include "study/turns.h"

/* At singular configurations, where the constraints lose rank (singular.h): pass them, with another formulation if necessary; step over
 * them or else end the run; end the run. */
typedef enum bl_singular_policy { BL_PASS, BL_STEP_OVER, BL_REFUSE_SINGULAR } bl_singular_policy;

typedef struct bl_simulation_setup {
    const char *formulation, *integrator, *linsol, *ordering; /* NULL: defaults.h */
    double t_end;
    double tolerance, step;      /* 0: defaults.h */
    double absolute;             /* absolute tolerance of every component; 0: tolerance x its scale */
    double projection_tolerance; /* drift that is projected away; 0: tolerance x smallest column scale; < 0: never */
    double h_max;                /* 0: a tenth of the span */
    bl_singular_policy singular;
    uint32_t unsampled;    /* sum of BL_WANT_...: what no sample will contain. Energies and drift are then examined at the steps */
    bool watched;          /* check the motion between steps (residual.h): more evaluations than the method needs */
    bl_momentum *momentum; /* of parts that conserve theirs; NULL: unknown. Outlives the simulation */
    bl_impact_law impact;
    const struct bl_model *surfaces;                  /* of contacts by time stepping; NULL: from event to event */
    bool painleve;                                    /* contacts that cannot slide halt at once; false: the run ends */
    double contact_rest;                              /* speeds at contacts, m/s or rad/s, that are rest after an impact; 0: the default */
    const char *stiff_formulation, *stiff_integrator; /* take over where the motion is stiff; NULL: none */
} bl_simulation_setup;

/* What a run keeps to pass singular configurations (singular.h). */
enum { BL_RECENT_STATES = 4, BL_PAST_STATES = BL_RECENT_STATES + 8 };
typedef struct bl_singular {
    /* states to go back to */
    bl_state past[BL_PAST_STATES]; /* a ring of the last regular steps, then states up to 2, 4, ... 256 steps old */
    double step[BL_PAST_STATES];   /* the steps that led there; negative: none */
    long remembered;
    double last_step;
    int collapsed, cut; /* steps since they fell below singular_collapsed, singular_cut */
    /* the singular configuration being passed */
    double t, reach;  /* when it was met; the longest step before it */
    bl_error failure; /* the first one */
    bool reported;    /* that failure is the error of the context */
    bool hopeless;    /* no formulation leads past it */
    /* the same method, with a step that ends at another time */
    double landing;   /* time where it shall end; NaN: none */
    int landings;     /* tried */
    bool eased;       /* the tolerance is enlarged until the configuration is passed or another formulation takes over */
    double tolerance; /* of the run */
    bool warned;      /* of the enlarged tolerance */
    /* another formulation for a stretch */
    bl_formulation *form; /* the one not in use, after a handover that of the run; NULL: none was needed yet */
    bl_integrator *integ;
    bool handed_over;
    int successor;         /* which one: 0, 1, ... */
    double until, stretch; /* earliest time to hand back; how long after the singular configuration */
    long steps_at_return;  /* steps of the run when it last handed back */
    long handovers;
    bl_state refused, started; /* where the run's own formulation failed; where the other one started */
} bl_singular;

struct bl_contact_steps;

typedef struct bl_simulation {
    bl_context *ctx;
    struct bl_contact_steps *steps; /* contacts by time stepping; NULL: none */
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
    double next_time;                      /* the next such time; not after t: unknown, ask the system */
    double stop_at;                        /* a step must end at this time as well; not after t: none */
    bool cross_due;                        /* the state is just before an event, which has not been applied yet */
    double crossed;                        /* time of the last event that was crossed; NaN: none */
    struct bl_event_roots *roots;          /* for methods whose steps are long; NULL: none */
    double event_t;                        /* when a series of close events began, and their number */
    long crowd;
    bl_index crowd_last, crowd_other; /* the last two different events */
    double many_t;                    /* the same over a longer time, for a warning */
    long many;
    bool many_warned;
    bool holds, let_go; /* laws have branches that depend on the state; none is held in the step under way */
    /* switches that slide (sliding.h) */
    bl_index nsliding;
    double slide_h;              /* between the last corrections */
    double *share, *rate;        /* [nevent] blend used while sliding, else BL_SLIDES_NOT; scratch */
    double *share_mid;           /* [nevent] the blend without the correction toward the border */
    double *share_now, *share_t; /* [nevent] the blend last computed, and its time */
    bool *warned_of;             /* [nevent] */
    bl_state beyond;             /* slightly ahead */
    double *ahead_y;             /* [2 ahead_ny] */
    bl_index ahead_ny;
    double energy_start;
    double projection_tolerance;
    double absolute;                            /* 0: by scale */
    double largest_drift, largest_energy_error; /* over samples */
    double dissipated;                          /* by materials, at the last sample */
    double largest_misfit;                      /* likewise, of constraint equations dropped within the closure tolerance */
    int since_projection;                       /* steps */
    unsigned char *step_history;                /* history during the last step, to which its dense output belongs */
    bl_formulation_stats sampled;               /* work for samples and checks between steps; factors: also those with known pivots */
    long states_read, forces_read;              /* samples inside steps taken from the method alone, without assembly and formulation */
    double t_from;                              /* start of the last step: samples are possible in [t_from, state.t] */
    bool review_due, restart_due, setup_due, warned;
    bl_singular_policy singular_policy;
    bl_singular singular;
    bl_turns turns;
    bl_run_balance balance;
    bl_residual residual;
    bl_percussion percussion;
    bl_contacts contacts;
    bl_momentum *momentum; /* NULL: no part conserves its momentum */
    bool watched;
    uint32_t unsampled;
    struct bl_stiffness *stiffness; /* NULL: one method for the complete run */
} bl_simulation;

/* state must be consistent (assembled) and is copied. The system must outlive the simulation. */
bl_status bl_simulation_create(const bl_system *sys, const bl_state *state, const bl_simulation_setup *setup, bl_simulation **out);
void bl_simulation_destroy(bl_simulation *sim);
/* Swaps the active formulation and integrator with the given pair. Counters and the next stop belong to the run and are carried over. */
void bl_simulation_exchange(bl_simulation *sim, bl_formulation **form, bl_integrator **integ);

/* One accepted step. BL_EVENT: a function that ends the run changed sign; the state is just after the change. At other events the step
 * ends: samples at that time show the state before the event, until bl_simulation_cross or the next step. Allocates nothing unless the
 * formulation changes its coordinates. On failure (negative) the state is the last good one and the error names time, joint and
 * equation. */
bl_status bl_simulation_advance(bl_simulation *sim);

/* If the last step ended at an event, applies it: samples at that time then show the state after it. Otherwise does nothing. */
bl_status bl_simulation_cross(bl_simulation *sim);

/* The state at t, a time of the last step, becomes the state: the rest of the step is discarded, and the method starts again. An event at t
 * is applied first. For changes from outside, of which bl_simulation_changed takes note. */
bl_status bl_simulation_cut(bl_simulation *sim, double t);
/* After a cut, inputs or other numbers of the state were changed; the energy they add, relative to `before`, counts as work. */
bl_status bl_simulation_changed(bl_simulation *sim, double before);
/* Energy of the state; 0 where the system has none. */
bl_status bl_simulation_energy(bl_simulation *sim, double *energy);
/* Moves the end of the motion; the longest step stays. */
void bl_simulation_set_end(bl_simulation *sim, double t_end);

/* A complete sample at a time of the last step. Arrays of *sample live until the next call. */
bl_status bl_simulation_sample(bl_simulation *sim, double t, bl_sample *sample);
/* ... only what is wanted of it (BL_WANT_...): the rest is NULL or NaN. */
bl_status bl_simulation_sample_of(bl_simulation *sim, double t, uint32_t want, bl_sample *sample);
/* Drift and misfit at the state: updates the extremes and checks them. */
bl_status bl_simulation_drift(bl_simulation *sim);

/* Positions, velocities and states alone at a time of the last step, projected when they drifted. Lives until the next call. */
bl_status bl_simulation_state(bl_simulation *sim, double t, const bl_state **state);

/* A sample of any state, evaluated by eval, whose arrays it shows; energy_error is 0. a and lambda NULL: accelerations are unknown,
 * reactions are NaN. form (may be NULL): with a closure tolerance, its dropped constraint equations count in *misfit instead of the
 * drift. */
bl_status bl_simulation_fill_sample(const bl_system *sys, const bl_formulation *form, bl_eval *eval, const bl_state *state, const double *a,
                                    const double *lambda, uint32_t want, bl_sample *sample, double *misfit);

/* The state from dense output at a time of the last step, as the formulation converts it. For the files of the time loop. */
bl_status bl_simulation_dense(bl_simulation *sim, double t, bl_state *state);

/* Projects a state that drifted beyond the tolerance; *done: projected. between: the state is inside a step. For the files of the time
 * loop. */
bl_status bl_simulation_project(bl_simulation *sim, bl_state *state, bool between, bool *done);
/* A positive status that no retry handles becomes an error, explained by the formulation where it can. For the files of the time loop. */
bl_status bl_simulation_give_up(bl_simulation *sim, bl_status status);

/* Refuses a time outside the last step. For the files of the time loop. */
bl_status bl_simulation_check_time(const bl_simulation *sim, double t);

/* Between these two calls a viewer evaluates everything, so that sampling does not influence later steps. For the files of the time
 * loop. */
bl_status bl_simulation_view_begin(bl_simulation *sim, bl_formulation **kept);
void bl_simulation_view_end(bl_simulation *sim, bl_formulation *kept);

/* Moves the work that form did since its counters were `motion` from its own counters to those of samples. For the files of the time
 * loop. */
void bl_simulation_count_samples(bl_simulation *sim, bl_formulation *form, const bl_formulation_stats *motion);

/* Counters and extremes; does not touch status, stopped_by and wall-clock times. */
void bl_simulation_summary(const bl_simulation *sim, bl_run_summary *summary);

#endif
