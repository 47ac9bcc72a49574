/* samples: a run kept in memory, one array per quantity over all samples, to be read afterwards or passed to other sinks.
 *
 *     bl_samples *samples;  bl_sink sink, file;
 *     bl_samples_create(ctx, 0, &samples, &sink);
 *     bl_simulate(ctx, model, &options, &sink, 1, NULL);
 *     const bl_sample_arrays *a = bl_samples_arrays(samples);
 *     ... a->variable[k * a->info->nvariable + i] ...          variable i of sample k
 *     bl_sink_hdf5(ctx, "run.h5", &file);
 *     bl_samples_play(samples, &file, 1);                      a result file of the same run
 *     bl_samples_destroy(samples);
 *
 * Everything is copied: the model may be destroyed after the run. */
#ifndef BIELA_SAMPLES_H
#define BIELA_SAMPLES_H

#include "biela/biela.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_samples bl_samples;

/* Arrays without elements, and quantities that were not wanted, are NULL. */
typedef struct bl_sample_arrays {
    const bl_run_info *info;       /* NULL: no run has begun */
    const bl_run_summary *summary; /* NULL: the run has not ended */
    long samples;
    const double *t;                                                      /* [samples] */
    const int *side;                                                      /* [samples] as in bl_sample, and so on */
    const double *kinetic, *potential, *work, *dissipated, *energy_error; /* [samples] */
    const double *drift, *velocity_drift;                                 /* [samples] */
    const bl_pose *body;                                                  /* [samples][nbody] */
    const bl_acceleration *acceleration;                                  /* [samples][nbody] */
    const double *variable, *variable_rate, *variable_acceleration;       /* [samples][nvariable] */
    const double *probe, *probe_rate, *probe_acceleration;                /* [samples][nprobe][3] */
    const bl_wrench *reaction;                                            /* [samples][njoint] */
    const double *driver_force;                                           /* [samples][ndriver] */
    const double *relation_force;                                         /* [samples][njoint] */
    const bl_push *push;                                                  /* [samples][npush] */
    const double *spring_length, *spring_tension;                         /* [samples][nspring] */
    const double *actuator_force, *actuator_power, *actuator_energy;      /* [samples][nactuator] */
    const double *signal;                                                 /* [samples][nsignal] */
    const double *const *field;                                           /* [nfield], each [samples][items][components] */
    long steps;
    const double *step_t, *step_size, *step_error; /* [steps] */
    const int *step_order;                         /* [steps] */
    long events;                                   /* bl_samples_event */
    const double *relation_first;                  /* [samples][njoint] */
    const bl_contact_sample *contact;              /* [samples][ncontact] */
    const bl_section_sample *section;              /* [samples][nsection] */
} bl_sample_arrays;

/* want: as in bl_sink; 0: everything except fields. The sink belongs to the samples (bl_sink_destroy does nothing); another run replaces
 * what they hold. On failure *samples is NULL. */
BL_API bl_status bl_samples_create(bl_context *ctx, uint32_t want, bl_samples **samples, bl_sink *sink);
BL_API void bl_samples_destroy(bl_samples *samples); /* NULL is allowed */

/* Valid until the next run, or as long as the samples. */
BL_API const bl_sample_arrays *bl_samples_arrays(const bl_samples *samples);
/* The k-th event; NULL: there are not so many. */
BL_API const bl_event_mark *bl_samples_event(const bl_samples *samples, long k);
/* What bl_equilibrium adds to sample k; NULL: another study. */
BL_API const struct bl_equilibrium_point *bl_samples_equilibrium(const bl_samples *samples, long k);

/* The same run for other sinks: names, then samples, steps and events in the order in which they came, then the summary. Errors and
 * warnings that sinks write are those of their contexts. BL_E_ARG: a run that has not ended, or a sink that needs numbers that were not
 * wanted. */
BL_API bl_status bl_samples_play(const bl_samples *samples, bl_sink *sinks, bl_index nsink);

#ifdef __cplusplus
}
#endif
#endif
