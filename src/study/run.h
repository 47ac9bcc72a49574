/* run: what studies that hand out samples share: options resolved, names for the sinks, the sinks themselves. */
#ifndef BL_STUDY_RUN_H
#define BL_STUDY_RUN_H

#include "study/simulation.h"
#include "study/study.h"

/* Options by the call, then the model, then defaults.h; formulation, linsol, ordering, until, step and every stay empty when nobody says.
 * Refuses negative numbers. */
bl_status bl_run_resolve(bl_context *ctx, const bl_model *model, const bl_run_options *given, bl_run_options *options);
/* A refusal of words that all stand in the model becomes a mistake of the model, with its place; else the status stays. */
bl_status bl_run_refused(bl_context *ctx, const bl_model *model, const bl_run_options *given, bl_status status);
/* What is done at singular positions, by its word; place: of the word in a model, NULL: from a call. policy may be NULL. */
bl_status bl_run_singular(bl_context *ctx, const char *word, const bl_place *place, bl_singular_policy *policy);
/* System and state of a model, assembled: positions, velocities; "auto", not resolved before, is natural. The caller destroys both, also
 * after failure. */
bl_status bl_run_prepare(bl_context *ctx, const bl_model *model, const char *coordinates, bl_system **sys, bl_state *state);
/* The same with another closure than the model's; 0: the model's. */
bl_status bl_run_prepare_within(bl_context *ctx, const bl_model *model, const char *coordinates, double closure, bl_system **sys,
                                bl_state *state);
/* The same with held numbers (base/held.h), for models of bodies. */
bl_status bl_run_prepare_held(bl_context *ctx, const bl_model *model, const char *coordinates, double closure, const bl_held *held,
                              bl_index nheld, bl_system **sys, bl_state *state);
/* Threads for the system, where resolved options ask for some: before places are made. The caller destroys them after the last
 * evaluation. */
bl_status bl_run_crew(bl_context *ctx, const bl_run_options *options, bl_system *sys, struct bl_crew **crew);
/* Of resolved options: refuses when nobody says how long, and output times that do not ascend up to then. */
bl_status bl_run_check_times(bl_context *ctx, const bl_run_options *options);
double bl_run_output_time(const bl_run_options *options, long k); /* of output k, counted from 0; infinite when there is none */
long bl_run_samples(const bl_run_options *options);               /* how many outputs there are at most; 0: unknown */
/* Names and numbers of bodies, variables, probes and joints; the rest is cleared. Arrays from the arena. */
bl_status bl_run_names(const bl_model *model, bl_arena *arena, bl_run_info *info);
/* Names and sizes. form: after setup, or NULL. Arrays from the arena. */
bl_status bl_run_describe(const bl_model *model, const bl_system *sys, const bl_formulation *form, const bl_run_options *options,
                          bl_arena *arena, bl_run_info *info);

/* Meshes and fields, where the model has some and `want` (BL_WANT_...) asks for them. Arrays from the arena. */
bl_status bl_run_fields(const bl_model *model, const bl_system *sys, uint32_t want, bl_arena *arena, bl_run_info *info);

/* The scene, where `want` asks for it. Text from the arena. */
bl_status bl_run_scene(bl_context *ctx, const bl_model *model, uint32_t want, bl_arena *arena, bl_run_info *info);

/* *nbegun: how many have begun (all when BL_OK); only these get the rest. */
bl_status bl_sinks_begin(bl_sink *sinks, bl_index nsink, const bl_run_info *info, bl_index *nbegun);
/* What they want of samples, all together; 0: nobody takes any. */
uint32_t bl_sinks_want(const bl_sink *sinks, bl_index nsink);
bl_status bl_sinks_sample(bl_sink *sinks, bl_index nsink, const bl_sample *sample);
/* Ends them; summary->status becomes the first failure of a sink when there was none before. Returns it. */
bl_status bl_sinks_end(bl_sink *sinks, bl_index nbegun, bl_run_summary *summary);

#endif
