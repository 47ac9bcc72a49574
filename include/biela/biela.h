/* biela: simulate mechanisms: bodies that move under constraints.
 *
 *     bl_context *ctx;  bl_model *model;
 *     bl_context_create(NULL, &ctx);
 *     bl_model_read(ctx, "four_bar.yaml", NULL, 0, &model);
 *     bl_simulate(ctx, model, &(bl_run_options){.until = 10}, &sink, 1, &summary);
 *
 * Options that are NULL or 0 take the model's choice, then the default. Every call returns a status; the
 * message is in bl_context_error(ctx). */
#ifndef BIELA_H
#define BIELA_H

#include "biela/context.h"
#include "biela/fields.h"
#include "biela/inputs.h"
#include "biela/json.h"
#include "biela/pose.h"
#include "biela/series.h"
#include "biela/stability.h"
#include "biela/structure.h"
#include "biela/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- model */

typedef struct bl_model bl_model;

/* A value that replaces that of a parameter in the model file. */
typedef struct bl_override {
    const char *name;
    double value;
} bl_override;

/* Reads YAML 1.2 or JSON; file "-" is standard input. On failure *model is NULL. */
BL_API bl_status bl_model_read(bl_context *ctx, const char *file, const bl_override *overrides, bl_index noverride, bl_model **model);
/* The same from text[bytes]; messages show name in place of a file name. */
BL_API bl_status bl_model_read_text(bl_context *ctx, const char *name, const char *text, size_t bytes, const bl_override *overrides,
                                    bl_index noverride, bl_model **model);
/* Sets the closure, in place of the file's; call it before any study. The closure, from 0 (exact) to 1e-3, is the accuracy of the given
 * dimensions as a fraction of the mechanism's size: constraints that others imply to within it count as redundant in every study. */
BL_API bl_status bl_model_set_closure(bl_context *ctx, bl_model *model, double closure);
/* Which other files a model may read: included models, tables, matrices. */
typedef enum bl_files {
    BL_FILES_ANY,    /* files outside the model's folder are named in the log */
    BL_FILES_INSIDE, /* only regular files in the model's folder, after following symbolic links; for untrusted models */
    BL_FILES_NONE
} bl_files;
typedef struct bl_read_options {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    const bl_override *override;
    bl_index noverride;
    bl_files files;
    double
        share; /* fraction of the size limits (entries made by repeats, terms of equations, ...) granted; 0: 1. Less for untrusted models */
    const char *contact; /* contacts by "events" or "stepping", in place of the model's choice; NULL: that */
} bl_read_options;
/* bl_model_read and bl_model_read_text with options; NULL: none. */
BL_API bl_status bl_model_open(bl_context *ctx, const char *file, const bl_read_options *options, bl_model **model);
BL_API bl_status bl_model_open_text(bl_context *ctx, const char *name, const char *text, size_t bytes, const bl_read_options *options,
                                    bl_model **model);
BL_API void bl_model_destroy(bl_model *model);
/* Its name; valid as long as the model. */
BL_API const char *bl_model_name(const bl_model *model);
/* Parameters with their values, replaced ones included, in the order of the file: the first `room` of them; returns their number. */
BL_API bl_index bl_model_parameters(const bl_model *model, bl_override *list, bl_index room);

/* All that is needed to draw the model (bodies, joints, springs, forces, probes in the model configuration), as one JSON object:
 * docs/RESULT.md. */
BL_API bl_status bl_model_scene(bl_context *ctx, const bl_model *model, bl_json *json);

/* BL_E_ARG when writing outputs[] would replace a file that the model (may be NULL) was read from, one of inputs[] or another output:
 * the same file under any name (links followed, hard links too), or the same name in the same folder. NULL entries are skipped. An
 * output that ends with a slash is a folder for bl_sink_vtk: none of its VTK files may be an input or another output. */
BL_API bl_status bl_check_outputs(bl_context *ctx, const bl_model *model, const char *const *inputs, bl_index ninput,
                                  const char *const *outputs, bl_index noutput);

/* ---- what a study delivers */

/* Names and sizes, the same for all samples of a run. Arrays are valid during the run. */
typedef struct bl_run_info {
    const char *model_name, *model_file, *model_source;
    size_t model_source_bytes;
    const char *coordinates, *formulation, *integrator, *linsol, *ordering; /* the combination used */
    double tolerance, step, until;
    const char *load; /* paths of equilibria: the parameter whose value each sample holds in place of t; NULL: t */
    int dim;
    bl_index nbody;
    const char *const *body; /* without ground */
    bl_index nvariable;
    const char *const *variable;
    const bool *is_angle;
    bl_index nprobe;
    const char *const *probe;
    bl_index njoint;
    const char *const *joint;
    bl_index ndriver;
    const char *const *driver;
    const bl_index *driver_variable; /* the variable that each driver prescribes */
    bl_index ngear;
    const bl_index *gear;      /* their indices in `joint` */
    const double *gear_ratio;  /* change of the second variable per unit of the first; NaN: it varies (relation) */
    bl_index npush;            /* force elements on bodies: one entry per element and loaded body, without ground */
    const char *const *push;   /* names of the elements, repeated for each body loaded */
    const bl_index *push_body; /* index in `body` */
    bl_index nspring;
    const char *const *spring;
    const bool *spring_is_angle; /* true: length and tension are an angle and a moment */
    bl_index nq, nv, np, dof;    /* coordinates, velocities, constraint equations, degrees of freedom */
    bool accelerations;          /* samples contain accelerations */
    bool reactions;              /* samples contain reactions and energies */
    long samples;                /* expected number of samples of a complete run; 0: unknown */
    bool stepped;                /* sinks receive steps; `steps`: their expected number, 0: unknown */
    long steps;
    bl_index nmesh; /* meshes and fields, when a sink wants them; else 0 */
    const bl_run_mesh *mesh;
    bl_index nmaterial;
    const char *const *material; /* names */
    bl_index nfield;
    const bl_field *field;
    const char *scene;  /* from bl_model_scene, when a sink wants it; else NULL */
    bl_index nactuator; /* whose force, power and energy samples contain: drivers of a motion, actuators of inverse dynamics */
    const char *const *actuator;
    const bool *actuator_is_angle; /* true: its force is a moment */
    bl_index nsignal;              /* inputs, held numbers, states, outputs of controllers, quantities */
    const char *const *signal;
    const char *const *signal_unit; /* as given in the model; "": none */
    bl_index ncontact;              /* contacts of bodies, stops of variables */
    const char *const *contact;     /* "floor", "floor.2" where shapes may touch in several places, "D.lower" */
    const bool *contact_is_angle;   /* true: a stop of an angle, whose gap and force are an angle and a moment */
    bl_index nelastic;              /* elastic bodies; their frames are among `body` */
    const char *const *elastic;
    const bl_index *elastic_first, *elastic_frames; /* index in `body` of the first frame, and their number */
    bl_index nsection;                              /* elements of beams */
    const char *const *section;                     /* "rod.2-4" lies between the frames 2 and 4 of "rod" */
} bl_run_info;

/* The quantities of a sample that a sink may want. Those that no sink of a run wants are not computed: their pointers are NULL, their
 * numbers NaN. If no sink takes samples, none are computed; drift and energy error of the summary are then those at the ends of steps. */
enum {
    BL_WANT_BODIES = 1,      /* body, acceleration */
    BL_WANT_VARIABLES = 2,   /* variable, variable_rate, variable_acceleration */
    BL_WANT_PROBES = 4,      /* probe, probe_rate, probe_acceleration */
    BL_WANT_REACTIONS = 8,   /* reaction, driver_force, relation_force */
    BL_WANT_ENERGIES = 16,   /* kinetic, potential, dissipated, work, energy_error */
    BL_WANT_DRIFT = 32,      /* drift, velocity_drift */
    BL_WANT_TIME = 64,       /* t and side, which are always set */
    BL_WANT_FIELDS = 128,    /* field */
    BL_WANT_SCENE = 256,     /* scene of the run's info */
    BL_WANT_FORCES = 512,    /* push, spring_length, spring_tension */
    BL_WANT_SIGNALS = 1024,  /* signal */
    BL_WANT_CONTACTS = 2048, /* contact */
    BL_WANT_SECTIONS = 4096, /* section */
    BL_WANT_ALL = 8191
};

/* The state of the mechanism at one time. */
typedef struct bl_sample {
    double t;
    const bl_pose *body;                    /* [nbody] */
    const double *variable, *variable_rate; /* [nvariable] */
    const double *probe, *probe_rate;       /* [nprobe][3] */
    const bl_wrench *reaction;              /* [njoint] */
    const double *driver_force;             /* [ndriver] force of each driver on its variable, N or N m; times the rate: its power */
    const double *relation_force;           /* [njoint] gears, relations: generalized force on the second variable */
    double kinetic, potential, work;        /* work of all forces without potential and of drivers since the start */
    double dissipated;                      /* irreversibly in materials since the start; taken from the potential energy */
    double energy_error;                    /* kinetic + potential + dissipated - work, minus its value at the start */
    double drift;                           /* largest |phi| / scale: constraint violation in coordinate units */
    double velocity_drift;                  /* largest |G v - b| / scale */
    /* when bl_run_info.accelerations is true; else NULL */
    const bl_acceleration *acceleration;                      /* [nbody] */
    const double *variable_acceleration, *probe_acceleration; /* [nvariable], [nprobe][3] */
    int side;                                                 /* at the time of an event: -1 just before it, 1 just after it; else 0 */
    const double *const *field;                               /* [nfield], each [items][components] */
    const bl_push *push;                                      /* [npush] */
    const double *spring_length, *spring_tension;             /* [nspring] m and N, rad and N m; tension is positive when it pulls */
    /* with reactions, [nactuator]: force in the positive direction of its variable, N or N m; force times rate; the integral of power
     * since the start, over the samples */
    const double *actuator_force, *actuator_power, *actuator_energy;
    const struct bl_equilibrium_point *equilibrium; /* in bl_equilibrium; else NULL */
    const double *signal;                           /* [nsignal] */
    const double *relation_first;                   /* [njoint] with reactions: gears, relations: generalized force on the first variable */
    const bl_contact_sample *contact;               /* [ncontact] */
    const bl_section_sample *section;               /* [nsection] */
} bl_sample;

typedef struct bl_run_summary {
    size_t size;            /* sizeof this struct, or 0 (context.h) */
    bl_status status;       /* BL_OK, BL_EVENT (a stop expression), BL_STOPPED (by bl_context_stop), or the error that ended the run */
    double t;               /* time reached */
    const char *stopped_by; /* text of the stop expression, or NULL; owned by the model */
    long steps, rejections, restarts;
    long bounded;                                  /* steps whose order was limited because of a stiff oscillation (stiff_auto) */
    long evaluations;                              /* of the equations: rates and residuals, including those for finite differences */
    long newton_iterations, tangents;              /* iterations; evaluations of the derivatives */
    long factorizations, refactorizations, solves; /* with new pivots; with the previous pivots; right-hand sides solved */
    long projections, repartitions;
    long handovers; /* how often another formulation took over to pass a singular configuration */
    long sample_evaluations, sample_factorizations, sample_solves; /* extra work: for samples and for values between steps */
    long method_changes; /* between explicit and implicit methods (integrator auto); where contacts begin or end to slide */
    char method[96];     /* methods used: "series until 0.013 s, then ndf_auto" */
    double h_smallest, h_largest;
    double largest_drift, largest_energy_error;
    double dissipated;     /* irreversibly in materials, up to the last sample; 0: none, or not computed */
    double largest_misfit; /* with a closure: largest violation of constraints taken as redundant, in coordinate units; else 0 */
    double wall_seconds, real_time_factor;            /* simulated / wall */
    const struct bl_equilibrium_summary *equilibrium; /* for sinks, at the end of that study; else NULL */
    const struct bl_inverse_summary *inverse;         /* likewise */
    long impacts;                                     /* of contacts and stops, each contact counted */
    long accumulations;                               /* contacts that came to rest where infinitely many impacts would follow each other */
    double lost_in_impacts;                           /* kinetic energy, J */
    char sliding_method[48];                          /* method used while contacts slid in place of a power series; empty: none */
} bl_run_summary;

/* One accepted step of a motion. */
typedef struct bl_step {
    double t, size; /* time at its end, step size; a step with an event ends there */
    int order;      /* of the method in this step; 0: unknown */
    double error;   /* estimate divided by the tolerance (1: just accepted); NaN: the method has no estimate */
} bl_step;

/* What happened in a run besides its steps. Sinks receive the first BL_MOST_EVENTS of every kind, in order; a last one gives the number
 * left out. Texts are valid during the call. */
typedef enum bl_event_kind {
    BL_HAPPENED_WARNING,     /* also in bl_context_warnings */
    BL_HAPPENED_EVENT,       /* a law changed its branch, at a state that was located or a time known in advance */
    BL_HAPPENED_RESTART,     /* the method restarted, for none of the other reasons */
    BL_HAPPENED_REPARTITION, /* a new set of independent coordinates was chosen */
    BL_HAPPENED_HANDOVER,    /* another formulation took over to pass a singular configuration, or handed back */
    BL_HAPPENED_SINGULAR,    /* a step was shortened to pass over a singular configuration */
    BL_HAPPENED_METHOD,      /* the integrator changed between explicit and implicit methods */
    BL_HAPPENED_STOP,        /* the run ended early: a stop expression, a request, a failure */
    BL_HAPPENED_MODE,        /* in `bl_modes`: the frequency of mode k, with t = k */
    BL_HAPPENED_IMPACT,      /* bodies met at a contact, or a variable its stop: speed, impulse, energy lost */
    BL_HAPPENED_CONTACT,     /* a contact opened or closed, began to slide or to stick */
    BL_EVENT_KINDS
} bl_event_kind;
enum { BL_MOST_EVENTS = 250 };
/* An impact at one contact or stop, or a percussion: velocities jump. Contacts that are struck at the same instant, and closed ones through
 * which an impact acts, have marks of their own, with the same kinetic energies and the same impulses in the joints. */
typedef struct bl_strike {
    double impulse[3]; /* as bl_contact_sample.force: normal, tangents, N s; of a stop on its variable; of a percussion as in the model */
    double speed[2];   /* at which the gap grows, before and after: m/s or rad/s; of percussions NaN */
    double lost;       /* kinetic energy lost at this contact, J; 0 within rounding; negative: gained */
    double kinetic[2]; /* of the complete model before and after, J */
} bl_strike;
typedef struct bl_event_mark {
    double t; /* NaN: applies to the complete run */
    bl_event_kind kind;
    const char *text, *part;  /* part: the joint, body or force concerned; may be empty */
    bl_index nimpulse;        /* of impacts and percussions: the number of joints of the model; else 0 */
    const bl_wrench *impulse; /* [nimpulse] impulses in the joints, on their second bodies, about their points: N s, N m s */
    const bl_strike *strike;  /* of impacts and percussions; else NULL */
} bl_event_mark;
BL_API const char *bl_event_kind_text(bl_event_kind kind); /* "warning", "event", ... */

/* Receives a run. Any slot may be NULL. A status other than BL_OK from begin, sample, step or event ends the run. In an array of several
 * sinks the size of the first, which must be given, is the distance from one to the next. */
typedef struct bl_sink {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    void *user;
    bl_status (*begin)(void *user, const bl_run_info *info);
    bl_status (*sample)(void *user, const bl_sample *sample);
    void (*progress)(void *user, double t, double until, double wall_seconds); /* a few times a second at most */
    bl_status (*end)(void *user, const bl_run_summary *summary);               /* also after failure */
    void (*destroy)(void *user);
    uint32_t want;                                      /* sum of BL_WANT_... needed in samples; 0: everything. Samples may contain more. */
    bl_status (*step)(void *user, const bl_step *step); /* after every accepted step, before the samples in it */
    bl_status (*event)(void *user, const bl_event_mark *event);
} bl_sink;

/* Result file with all quantities, flushed as it grows, renamed to `path` at the end (left as path~partial if the process is killed). */
BL_API bl_status bl_sink_hdf5(bl_context *ctx, const char *path, bl_sink *sink);
/* For such a sink, before the run: the command that repeats the run and the overridden parameters as "name=value ...", for the
 * attributes `command` and `overrides` of the file; NULL: none. Copied; texts longer than BL_MOST_COMMAND bytes are left out. */
enum { BL_MOST_COMMAND = 16384 };
BL_API bl_status bl_sink_hdf5_origin(bl_sink *sink, const char *command, const char *overrides);
BL_API bl_status bl_sink_csv(bl_context *ctx, const char *path, bl_sink *sink); /* one line per sample */
/* Exactly one JSON object through write(user, text, length), in pieces as the run goes. */
BL_API bl_status bl_sink_json(bl_context *ctx, void (*write)(void *user, const char *text, size_t length), void *user, bl_sink *sink);
/* Fields of meshes as folder/BODY-NUMBER.vtu, one file per body and sample, and folder/fields.pvd with their times (VTK, ParaView). The
 * folder is created if missing. BL_E_ABILITY from begin: there are no fields. */
BL_API bl_status bl_sink_vtk(bl_context *ctx, const char *folder, bl_sink *sink);
BL_API void bl_sink_destroy(bl_sink *sink);

/* ---- studies */

typedef struct bl_run_options {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    const char *coordinates, *formulation, *integrator, *ordering, *linsol;
    double until, tolerance, step; /* tolerance is relative; absolute tolerances follow from the scale of each component */
    double absolute;               /* absolute tolerance of every component instead; 0: the model's, else from the scale */
    double every;                  /* output interval; 0: the model's, else until / 200 */
    const double *at;              /* [nat] output times instead, ascending */
    bl_index nat;
    const char *singular;        /* at singular configurations: pass, step_over or refuse; NULL: the model's, else pass */
    double projection_tolerance; /* project when the drift exceeds this; 0: derived from tolerance; < 0: never */
    bool every_step;             /* output at every accepted step instead */
    double closure;              /* as in bl_model_set_closure; 0: the model's, else exact */
    int threads;                 /* for the elements of meshes; results do not depend on it; 0: the model's, else 1 */
    const char *fields;          /* of meshes to output: names, separated by commas; NULL or "all": all; "none" */
    const bl_inputs *inputs;     /* inputs of the model over time, in bl_simulate and bl_stepper_create; NULL: they keep their values */
} bl_run_options;

/* Simulates. On a numerical failure the sinks have received everything computed so far. summary may be NULL. */
BL_API bl_status bl_simulate(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_sink *sinks, bl_index nsink,
                             bl_run_summary *summary);

/* Assembles the mechanism from an approximate configuration with the smallest change; the sinks receive one sample. */
BL_API bl_status bl_assemble(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_sink *sinks, bl_index nsink,
                             bl_run_summary *summary);

/* What `biela check` reports. Texts are owned by the report. */
typedef struct bl_finding {
    enum { BL_FINDING_NOTE, BL_FINDING_WARNING } level;
    char part[96]; /* joint or body concerned */
    char text[256];
} bl_finding;
typedef struct bl_check_report {
    size_t size;                                                     /* sizeof this struct, or 0 (context.h) */
    bl_index bodies, joints, variables, coordinates, rows, nonzeros; /* nonzeros of the symbolic Jacobian */
    bl_index dependent_columns_nonzeros;                             /* without the columns of independent coordinates */
    bl_index rank, redundant;                                        /* of the constraints, near the start if the start is singular */
    bl_index mobility_count, mobility_rank;                          /* Gruebler-Kutzbach; by rank: coordinates - rank */
    bl_index mobility_start;       /* by rank at the start; more than mobility_rank: the start is singular */
    bl_index overconstraint, idle; /* mobility_rank = mobility_count + overconstraint (redundant joint constraints) - idle (degrees of
                                               freedom without inertia that the coordinates leave out) */
    bl_index nfinding;
    bl_finding *finding;
    bl_index states, inputs, held, outputs, events; /* beside bodies; held: numbers set by events and samples; events: with samples */
    bl_index contacts, stops;   /* one-sided constraints, which are not among the rows: places where bodies may touch, stops of variables */
    bl_index mobility_position; /* as mobility_rank, of positions: constraints of velocities (rolling, blades) do not restrict them */
    bl_index elastic, frames;   /* elastic bodies, each one of `bodies`; their nodes and interfaces, which move as rigid bodies */
    bl_index mobility_elastic;  /* part of mobility_rank: what elastic bodies add to the mobility that they have as rigid ones */
} bl_check_report;
BL_API bl_status bl_check(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_check_report *report);
BL_API void bl_check_report_destroy(bl_context *ctx, bl_check_report *report);

/* ---- orderings side by side */

typedef struct bl_order_options {
    size_t size;             /* sizeof this struct, or 0 (context.h) */
    const char *coordinates; /* for a model */
    const char *const *independent;
    bl_index nindependent; /* names of columns; none: the model's, completed by rank */
    const char *const *ordering;
    bl_index nordering;   /* "p5", "colamd:dense=5", ...; none: all */
    bl_index repetitions; /* of timings; 0: chosen automatically, < 0: no timings */
} bl_order_options;

/* Cost of factorizing the square matrix. Times are medians in seconds; NaN: not measured. */
typedef struct bl_order_cost {
    const char *solver; /* "klu" with the order of columns, "block" with the blocks; NULL: the matrix was not factored */
    bl_index fill;      /* entries of the factors; -1: unknown. With blocks: inverses, off-diagonal parts, dense border */
    double flops;       /* of one factorization, predicted from the pattern; NaN: unknown */
    double analyze, factor, refactor, solve; /* analyze: ordering and all other work done once */
} bl_order_cost;

/* One ordering. Arrays are owned by the report. */
typedef struct bl_order_entry {
    const char *name;
    bl_status status;          /* BL_OK, or why the ordering failed */
    char note[256];            /* reason of a refusal, or a remark; empty */
    bl_index nrow, ncol;       /* ordered size; nrow is less than the matrix has if only a square part could be ordered */
    const bl_index *row, *col; /* row[k], col[k] of the matrix is at position k */
    bl_index nblock;           /* diagonal blocks; one covers positions block[k] .. block[k+1]-1 */
    const bl_index *block;     /* NULL: the ordering makes no blocks */
    bl_index nsize;            /* number of different block sizes */
    const bl_index *size, *count;
    bl_index border, band; /* columns, rows after the blocks */
    bl_index bandwidth;    /* -1: not given */
    bl_index spikes;       /* columns with entries above the diagonal, if counted */
    bl_order_cost cost;    /* of the block solver where it applies, else of klu */
    bl_order_cost klu;     /* of klu */
} bl_order_entry;

typedef struct bl_order_report {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    bl_index rows, columns, nonzeros;
    bl_index dependent_columns, dependent_nonzeros;   /* without the independent columns; for a matrix: all */
    bl_index rank, structural_rank;                   /* of the dependent part. rank: by pivots; matrices too large for that: structural */
    const char *coordinates;                          /* of a model, else NULL */
    const char *const *independent;                   /* [columns - dependent_columns] names of the columns left out */
    const bl_index *ptr, *idx;                        /* CSC pattern of the dependent part, rows x dependent_columns */
    const char *const *row_name, *const *column_name; /* of the rows and the dependent columns of a model of up to 2000; else NULL */
    bl_index nentry;
    const bl_order_entry *entry;
    void *own;
} bl_order_report;

/* Orders the Jacobian of a model's constraints, without the independent columns, by every ordering, with counts and times. The entry of an
 * ordering that fails holds the reason. */
BL_API bl_status bl_order_study(bl_context *ctx, const bl_model *model, const bl_order_options *options, bl_order_report *report);
/* The same for a matrix from a Matrix Market file. */
BL_API bl_status bl_order_matrix(bl_context *ctx, const char *path, const bl_order_options *options, bl_order_report *report);
BL_API void bl_order_report_destroy(bl_context *ctx, bl_order_report *report);
/* The ordered matrix as a figure (SVG) with its blocks, border and band. */
BL_API bl_status bl_order_figure(bl_context *ctx, const bl_order_report *report, bl_index entry, const char *path);

/* ---- what can be chosen */

typedef struct bl_choice {
    const char *room, *name, *help;
    char params[1024]; /* "index=2 (which variant); ..." */
    char facts[640];
} bl_choice;
/* Calls visit for every kind of a room ("joints", "forces", "elements", "generators", "materials", "strains", "coordinates",
 * "formulations", "integrators", "linsols", "orderings"); room NULL: all. BL_E_ARG for an unknown room. */
BL_API bl_status bl_list(bl_context *ctx, const char *room, void (*visit)(void *user, const bl_choice *choice), void *user);
/* Writes the model file reference (Markdown) made from the parameter tables. */
BL_API bl_status bl_reference(bl_context *ctx, void (*write)(void *user, const char *text, size_t length), void *user);

#ifdef __cplusplus
}
#endif

/* these use the types above: model, sinks, summary */
#include "biela/compare.h"
#include "biela/deck.h"
#include "biela/equilibrium.h"
#include "biela/function.h"
#include "biela/inverse.h"
#include "biela/kinematics.h"
#include "biela/linear.h"
#include "biela/modes.h"
#include "biela/move.h"
#include "biela/ranks.h"
#include "biela/rates.h"
#include "biela/result.h"
#include "biela/samples.h"
#include "biela/stepper.h"

#endif
