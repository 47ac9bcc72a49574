/* run: shared by all studies with samples: resolved options, names for the sinks, the sinks themselves. */
#ifndef BL_STUDY_RUN_H
#define BL_STUDY_RUN_H

#include "study/simulation.h"
#include "study/study.h"

/* Options from the call, then the model, then defaults.h; formulation, linsol, ordering, until, step and every stay empty unless given.
 * Refuses negative numbers. */
bl_status bl_run_resolve(bl_context *ctx, const bl_model *model, const bl_run_options *given, bl_run_options *options);
/* A refusal of a name that comes from the model becomes BL_E_MODEL, with its line; otherwise the status is returned unchanged. */
bl_status bl_run_refused(bl_context *ctx, const bl_model *model, const bl_run_options *given, bl_status status);
/* The policy for singular configurations by its name; place: of the name in a model, NULL: from a call. policy may be NULL. */
bl_status bl_run_singular(bl_context *ctx, const char *word, const bl_place *place, bl_singular_policy *policy);
/* System and state of a model, with positions and velocities assembled; "auto", if not resolved before, is natural. The caller releases
 * both, also after failure. */
bl_status bl_run_prepare(bl_context *ctx, const bl_model *model, const char *coordinates, bl_system **sys, bl_state *state);
/* The same with another closure than the model's (0: the model's), and with held numbers (base/held.h), for models of bodies. */
bl_status bl_run_prepare_held(bl_context *ctx, const bl_model *model, const char *coordinates, double closure, const bl_held *held,
                              bl_index nheld, bl_system **sys, bl_state *state);
/* Destroys what was prepared; state and eval may be NULL or zeroed, sys NULL: nothing was prepared. */
void bl_run_release(bl_system *sys, bl_state *state, bl_eval *eval);
/* Poses and variables of a model of bodies at its start: pose[nbody], variable[nvariable], either may be NULL. */
bl_status bl_run_start(bl_context *ctx, const bl_model *model, const char *coordinates, double closure, bl_pose *pose, double *variable);
/* Threads for the system, if the resolved options request them: before evals are created. The caller destroys them after the last
 * evaluation. */
bl_status bl_run_crew(bl_context *ctx, const bl_run_options *options, bl_system *sys, struct bl_crew **crew);
/* Resolved options: refuses a missing end time, and output times that do not increase up to it. */
bl_status bl_run_check_times(bl_context *ctx, const bl_run_options *options);
double bl_run_output_time(const bl_run_options *options, long k); /* of output k, counted from 0; infinite if there is none */
long bl_run_samples(const bl_run_options *options);               /* largest number of outputs; 0: unknown */
/* ---- a study with samples, from beginning to end
 *
 *     bl_run run;
 *     BL_TRY(bl_run_open(&run, "bl_study", ctx, model, sinks, nsink));
 *     ... run.options, run.info; bl_run_begin(&run); bl_run_sample(&run, &sample); bl_run_progress(&run, t, until); ...
 *     return bl_run_close(&run, &made, summary);
 */
typedef struct bl_run {
    bl_context *ctx;
    const bl_model *model;
    bl_sink *sink;
    bl_index nsink, nbegun; /* only those that have begun get the rest */
    uint32_t want;          /* what the sinks need of samples, combined; 0: no sink takes samples */
    bl_run_options options; /* resolved */
    bl_run_info info;
    bl_arena arena;                /* names */
    double started, last_progress; /* wall-clock times */
    double sampled;                /* time of the last sample; NaN: none yet */
    double *relation_first;        /* [njoint] of the present sample */
    bl_section_sample *section;    /* [nsection] likewise */
    double *signal;                /* [nsignal] likewise, if the model has quantities: signals of the system, then these */
    double *quantity_work;         /* inputs of a law, then workspace */
} bl_run;

/* Checks the arguments of the public function of that name, copies its sinks (base/sized.h), clears warnings of the last study, starts the
 * clock. After BL_OK, bl_run_close frees what the run owns. */
bl_status bl_run_open(bl_run *run, const char *function, bl_context *ctx, const bl_model *model, bl_sink *sinks, bl_index nsink);
/* run->info: names and numbers of bodies, variables, probes and joints, and the scene if a sink needs it; the rest is cleared. */
bl_status bl_run_names(bl_run *run);
/* ... and the data of the system. form: after setup, or NULL. */
bl_status bl_run_describe(bl_run *run, const bl_system *sys, const bl_formulation *form);
/* Before evaluations of the system are created: lists the fields of its meshes named in `choice`, if a sink needs them (run_fields.c). */
bl_status bl_run_choose_fields(const bl_run *run, bl_system *sys, const char *choice);
/* ... of which meshes and fields, if the model has any and a sink needs them (run_fields.c). */
bl_status bl_run_fields(bl_run *run, const bl_system *sys);
/* ... of which the scene (scene.c). */
bl_status bl_run_scene(bl_run *run);
bl_status bl_run_begin(bl_run *run); /* of the sinks, with run->info */
bl_status bl_run_sample(bl_run *run, const bl_sample *sample);
/* Adds to a sample with reactions the forces of relations on their first variables. */
void bl_run_relations(bl_run *run, bl_sample *sample);
/* Adds to a sample with bodies the strains and section forces of beams, if a sink wants them. */
void bl_run_sections(bl_run *run, bl_sample *sample);
/* Adds the quantities of the model to the signals of a sample with variables and probes, if a sink wants signals (run_quantities.c). */
void bl_run_quantities(bl_run *run, bl_sample *sample);
bl_status bl_quantities_prepare(bl_run *run);              /* after the signals have their names */
bl_status bl_run_name_quantities(bl_run *run);             /* as the only signals of run->info */
void bl_run_progress(bl_run *run, double t, double until); /* ten times a second at most */
/* After a run that ended early, at t: emits a sample there, whatever the output times. Returns status, unless that was no failure and the
 * sample fails. */
bl_status bl_run_sample_last(bl_run *run, bl_status status, double t, bl_status (*emit)(void *user, double t), void *user);
/* Fills in wall-clock times (span: simulated time, 0: samples have none), ends the sinks that have begun, copies the summary (which
 * fits, or is NULL) and frees what the run owns. Returns made->status: the first failure of a sink if there was none before. */
bl_status bl_run_close(bl_run *run, double span, bl_run_summary *made, bl_run_summary *summary);

/* bl_simulate from a system and a start that are prepared already (bl_run_prepare, bl_closure_warn) and not changed; NULL: prepares its
 * own. (simulate.c) */
bl_status bl_simulate_from(bl_system *sys, const bl_state *start, bl_context *ctx, const bl_model *model, const bl_run_options *options,
                           bl_sink *sinks, bl_index nsink, bl_run_summary *summary);

#endif
