/* biela: simulate things that move under constraints.
 *
 *     bl_context *ctx;  bl_model *model;
 *     bl_context_create(NULL, &ctx);
 *     bl_model_read(ctx, "four_bar.yaml", NULL, 0, &model);
 *     bl_simulate(ctx, model, &(bl_run_options){.until = 10}, &sink, 1, &summary);
 *
 * Options that are NULL or 0 take the model's choice, then the default. Every call returns a status; the
 * words are in bl_context_error(ctx). */
#ifndef BIELA_H
#define BIELA_H

#include "biela/context.h"
#include "biela/fields.h"
#include "biela/json.h"
#include "biela/pose.h"
#include "biela/series.h"
#include "biela/stability.h"
#include "biela/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BIELA_VERSION "0.1.0"

/* ---- model */

typedef struct bl_model bl_model;

/* Overrides a parameter of the file from outside. */
typedef struct bl_override {
    const char *name;
    double value;
} bl_override;

/* Reads YAML 1.2 or JSON; file "-" is standard input. On failure *model is NULL. */
bl_status bl_model_read(bl_context *ctx, const char *file, const bl_override *overrides, bl_index noverride, bl_model **model);
/* The same from text[bytes]; name stands for the file in messages. */
bl_status bl_model_read_text(bl_context *ctx, const char *name, const char *text, size_t bytes, const bl_override *overrides,
                             bl_index noverride, bl_model **model);
/* Before anything is done with the model: the share of the size of the mechanism to which its dimensions agree, from 0 (exactly) to
 * 1e-3, in place of the file's. Constraints that others imply but for that much count as redundant, in every study of the model. */
bl_status bl_model_set_closure(bl_context *ctx, bl_model *model, double closure);
/* Which other files a model may read: included models, tables, matrices. */
typedef enum bl_files {
    BL_FILES_ANY,    /* files outside the model's folder are named in the log */
    BL_FILES_INSIDE, /* regular files under the model's folder, symbolic links followed; for models from strangers */
    BL_FILES_NONE
} bl_files;
typedef struct bl_read_options {
    const bl_override *override;
    bl_index noverride;
    bl_files files;
    double
        share; /* of the sizes a model may reach (entries made by repeats, terms of equations, ...); 0: 1. Less for a server's strangers */
} bl_read_options;
/* bl_model_read and bl_model_read_text with options; NULL: none. */
bl_status bl_model_open(bl_context *ctx, const char *file, const bl_read_options *options, bl_model **model);
bl_status bl_model_open_text(bl_context *ctx, const char *name, const char *text, size_t bytes, const bl_read_options *options,
                             bl_model **model);
void bl_model_destroy(bl_model *model);

/* What a picture of the model needs (bodies, joints, springs, forces, probes in the model configuration), as one JSON object:
 * docs/RESULT.md. */
bl_status bl_model_scene(bl_context *ctx, const bl_model *model, bl_json *json);

/* BL_E_ARG when writing outputs[] would replace a file that the model (may be NULL) was read from, one of inputs[] or another output:
 * the same file under any name (links followed, hard links too), or the same name in the same folder. NULL entries are passed over. An
 * output that ends with a slash is a folder for bl_sink_vtk: its files of VTK, whatever their names, are no inputs and no other outputs. */
bl_status bl_check_outputs(bl_context *ctx, const bl_model *model, const char *const *inputs, bl_index ninput, const char *const *outputs,
                           bl_index noutput);

/* ---- what a study hands out */

/* Names and sizes, the same for all samples of a run. Arrays live as long as the run. */
typedef struct bl_run_info {
    const char *model_name, *model_file, *model_source;
    size_t model_source_bytes;
    const char *coordinates, *formulation, *integrator, *linsol, *ordering; /* the combination used */
    double tolerance, step, until;
    const char *load; /* of paths of equilibria: the parameter that stands for the time of samples; NULL: t */
    int dim;
    bl_index nbody;
    const char *const *body; /* ground left out */
    bl_index nvariable;
    const char *const *variable;
    const bool *is_angle;
    bl_index nprobe;
    const char *const *probe;
    bl_index njoint;
    const char *const *joint;
    bl_index ndriver;
    const char *const *driver;
    const bl_index *driver_variable; /* which variable each one moves */
    bl_index ngear;
    const bl_index *gear;      /* which joints they are */
    const double *gear_ratio;  /* change of the second variable for a unit of the first */
    bl_index npush;            /* force elements on bodies: one entry for every body that one pushes, the ground left out */
    const char *const *push;   /* names of the elements: those that push several bodies come again */
    const bl_index *push_body; /* in `body` */
    bl_index nspring;
    const char *const *spring;
    const bool *spring_is_angle; /* length and tension are an angle and a moment */
    bl_index nq, nv, np, dof;    /* coordinates, velocities, constraint rows, degrees of freedom */
    bool accelerations;          /* samples tell them */
    bool reactions;              /* samples tell reactions and energies */
    long samples;                /* how many there will be when the run goes to its end; 0: unknown */
    bool stepped;                /* steps are told; `steps`: how many there will be where that is known, else 0 */
    long steps;
    bl_index nmesh; /* meshes and fields: where a sink wants them, else none */
    const bl_run_mesh *mesh;
    bl_index nmaterial;
    const char *const *material; /* names */
    bl_index nfield;
    const bl_field *field;
    const char *scene;  /* of bl_model_scene, where a sink wants it; else NULL */
    bl_index nactuator; /* of which samples have force, power and energy: drivers of a motion, actuators of inverse dynamics */
    const char *const *actuator;
    const bool *actuator_is_angle; /* forces are moments */
} bl_run_info;

/* What a sink may want of samples. Quantities that no sink of a run wants are not computed: their pointers are NULL, their numbers NaN.
 * Where no sink takes samples, none are made; drift and energy error of the summary are then those at the ends of steps. */
enum {
    BL_WANT_BODIES = 1,    /* body, acceleration */
    BL_WANT_VARIABLES = 2, /* variable, variable_rate, variable_acceleration */
    BL_WANT_PROBES = 4,    /* probe, probe_rate, probe_acceleration */
    BL_WANT_REACTIONS = 8, /* reaction, driver_force, relation_force */
    BL_WANT_ENERGIES = 16, /* kinetic, potential, dissipated, work, energy_error */
    BL_WANT_DRIFT = 32,    /* drift, velocity_drift */
    BL_WANT_TIME = 64,     /* t and side, which are always there */
    BL_WANT_FIELDS = 128,  /* field */
    BL_WANT_SCENE = 256,   /* scene of the run's info */
    BL_WANT_FORCES = 512,  /* push, spring_length, spring_tension */
    BL_WANT_ALL = 1023
};

/* The mechanism at one time. */
typedef struct bl_sample {
    double t;
    const bl_pose *body;                    /* [nbody] */
    const double *variable, *variable_rate; /* [nvariable] */
    const double *probe, *probe_rate;       /* [nprobe][3] */
    const bl_wrench *reaction;              /* [njoint] */
    const double *driver_force;             /* [ndriver] what each driver exerts on its variable, N or N m; times the rate: its power */
    const double *relation_force;    /* [njoint] of gears: what the joint exerts on its second variable; on the first -ratio times it */
    double kinetic, potential, work; /* work of all forces without potential and of drivers since the start */
    double dissipated;               /* by materials, for good, since the start: what potential has lost to them */
    double energy_error;             /* kinetic + potential + dissipated - work - the same at the start */
    double drift;                    /* largest |phi| / scale: how far the constraints are violated, in coordinate units */
    double velocity_drift;           /* largest |G v - b| / scale */
    /* second rates, where the run's info says that it tells them; else NULL */
    const bl_acceleration *acceleration;                      /* [nbody] */
    const double *variable_acceleration, *probe_acceleration; /* [nvariable], [nprobe][3] */
    int side;                                                 /* at the time of an event: -1 just before it, 1 just behind it; else 0 */
    const double *const *field;                               /* [nfield], each [items][components] */
    const bl_push *push;                                      /* [npush] */
    const double *spring_length, *spring_tension;             /* [nspring] m and N, rad and N m; tension is positive where it pulls */
    /* with reactions, [nactuator]: what each one exerts in the direction in which its variable grows, N or N m; force times rate; the
     * integral of power since the start, over the samples */
    const double *actuator_force, *actuator_power, *actuator_energy;
    const struct bl_equilibrium_point *equilibrium; /* of bl_equilibrium; else NULL */
} bl_sample;

typedef struct bl_run_summary {
    bl_status status;       /* BL_OK, BL_EVENT (a stop expression), BL_STOPPED (asked to), or what ended the run */
    double t;               /* reached */
    const char *stopped_by; /* text of the stop expression, or NULL; lives in the model */
    long steps, rejections, restarts;
    long bounded;                                  /* steps at orders bounded because of a stiff oscillation (stiff_auto) */
    long evaluations;                              /* of the equations: rates and residuals, those for differences included */
    long newton_iterations, tangents;              /* iterations that solved equations; how often derivatives were made */
    long factorizations, refactorizations, solves; /* of matrices: with new pivots, with known ones; right-hand sides */
    long projections, repartitions;
    long handovers; /* how often another formulation led the motion past a singular position */
    long sample_evaluations, sample_factorizations, sample_solves; /* besides: for samples and to look between steps */
    long method_changes; /* how often explicit and implicit methods took turns (integrator auto) */
    char method[96];     /* which acted when: "series until 0.013 s, then ndf_auto" */
    double h_smallest, h_largest;
    double largest_drift, largest_energy_error;
    double dissipated;                     /* by materials, for good, up to the last sample; 0: nothing, or nobody looked */
    double largest_misfit;                 /* with a closure: how far rows taken as redundant were violated, in coordinate units; else 0 */
    double wall_seconds, real_time_factor; /* simulated / wall */
    const struct bl_equilibrium_summary *equilibrium; /* to sinks, at the end of that study; else NULL */
    const struct bl_inverse_summary *inverse;         /* likewise */
} bl_run_summary;

/* One accepted step of a motion. */
typedef struct bl_step {
    double t, size; /* where it ends, how long it is; at an event, up to there */
    int order;      /* of the method in it; 0: unknown */
    double error;   /* estimated, as a share of the tolerance (1: just accepted); NaN: the method has no estimate */
} bl_step;

/* What happened in a run beside its steps. Of every kind BL_MOST_EVENTS are told, in the order they happened; a last one says how many were
 * left out. Texts live during the call. */
typedef enum bl_event_kind {
    BL_HAPPENED_WARNING,     /* also among bl_context_warnings */
    BL_HAPPENED_EVENT,       /* a law changed its branch, at a place that was located or a time that was known */
    BL_HAPPENED_RESTART,     /* the method started anew, for none of the other reasons */
    BL_HAPPENED_REPARTITION, /* other coordinates became independent */
    BL_HAPPENED_HANDOVER,    /* another formulation led the motion past a singular position, or handed it back */
    BL_HAPPENED_SINGULAR,    /* a step was shortened to pass over a singular position */
    BL_HAPPENED_METHOD,      /* explicit and implicit methods took turns */
    BL_HAPPENED_STOP,        /* the run ended early: a stop expression, a request, a failure */
    BL_HAPPENED_MODE,        /* of `bl_modes`: at "time" k the frequency of mode k */
    BL_EVENT_KINDS
} bl_event_kind;
enum { BL_MOST_EVENTS = 250 };
typedef struct bl_event_mark {
    double t; /* NaN: the whole run */
    bl_event_kind kind;
    const char *text, *part; /* part: joint, body or force it is about; may be empty */
} bl_event_mark;
const char *bl_event_kind_text(bl_event_kind kind); /* "warning", "event", ... */

/* Receives a run. Any slot may be NULL. A status other than BL_OK from begin, sample, step or event ends the run. */
typedef struct bl_sink {
    void *user;
    bl_status (*begin)(void *user, const bl_run_info *info);
    bl_status (*sample)(void *user, const bl_sample *sample);
    void (*progress)(void *user, double t, double until, double wall_seconds); /* a few times a second at most */
    bl_status (*end)(void *user, const bl_run_summary *summary);               /* also after failure */
    void (*destroy)(void *user);
    uint32_t want; /* sum of BL_WANT_..., of what sample is given; 0: everything. Others may be there as well. */
    bl_status (*step)(void *user, const bl_step *step); /* after every accepted step, before the samples in it */
    bl_status (*event)(void *user, const bl_event_mark *event);
} bl_sink;

/* Result file: everything, flushed as it grows, moved to `path` at the end in one go (or left as path~partial when killed). */
bl_status bl_sink_hdf5(bl_context *ctx, const char *path, bl_sink *sink);
/* Of such a sink, before the run: the command that repeats the run and "name=value ..." of parameters given from outside, for the
 * attributes `command` and `overrides` of the file; NULL: none. Copied; texts beyond BL_MOST_COMMAND bytes are left out. */
enum { BL_MOST_COMMAND = 16384 };
bl_status bl_sink_hdf5_origin(bl_sink *sink, const char *command, const char *overrides);
bl_status bl_sink_csv(bl_context *ctx, const char *path, bl_sink *sink); /* one line per sample */
/* Exactly one JSON object through write(user, text, length), in pieces as the run goes. */
bl_status bl_sink_json(bl_context *ctx, void (*write)(void *user, const char *text, size_t length), void *user, bl_sink *sink);
/* Fields of meshes as folder/BODY-NUMBER.vtu, one file per body and sample, and folder/fields.pvd with their times (VTK, ParaView). The
 * folder is made where it is missing. BL_E_ABILITY from begin: there are no fields. */
bl_status bl_sink_vtk(bl_context *ctx, const char *folder, bl_sink *sink);
void bl_sink_destroy(bl_sink *sink);

/* ---- studies */

typedef struct bl_run_options {
    const char *coordinates, *formulation, *integrator, *ordering, *linsol;
    double until, tolerance, step; /* tolerance is relative; absolute ones come from the scale of each component */
    double absolute;               /* absolute tolerance of every component instead; 0: the model's, else by scale */
    double every;                  /* output interval; 0: the model's, else until / 200 */
    const double *at;              /* output exactly at these times instead, ascending, [nat] */
    bl_index nat;
    const char *singular;        /* at positions where constraints lose rank: pass, step_over or refuse; NULL: the model's, else pass */
    double projection_tolerance; /* project when the drift passes this; 0: derived from tolerance; < 0: never */
    bool every_step;             /* output at every accepted step instead */
    double closure;     /* share of the size of the mechanism to which its dimensions agree, up to 1e-3; 0: the model's, else exactly */
    int threads;        /* that share out the elements of meshes; results do not depend on it; 0: the model's, else 1 */
    const char *fields; /* of meshes: names, separated by commas; NULL or "all": all there are; "none" */
} bl_run_options;

/* Simulates. On a numerical failure everything computed so far has been handed to the sinks. summary may be NULL. */
bl_status bl_simulate(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_sink *sinks, bl_index nsink,
                      bl_run_summary *summary);

/* Closes the mechanism from a rough configuration with the least change; the sinks get one sample. */
bl_status bl_assemble(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_sink *sinks, bl_index nsink,
                      bl_run_summary *summary);

/* What `biela check` tells. Texts live in the report. */
typedef struct bl_finding {
    enum { BL_FINDING_NOTE, BL_FINDING_WARNING } level;
    char part[96]; /* joint or body */
    char text[256];
} bl_finding;
typedef struct bl_check_report {
    bl_index bodies, joints, variables, coordinates, rows, nonzeros; /* nonzeros of the symbolic Jacobian */
    bl_index dependent_columns_nonzeros;                             /* without the independent columns */
    bl_index rank, redundant;                                        /* of the rows, beside the starting position when that is singular */
    bl_index mobility_count, mobility_rank;                          /* Gruebler-Kutzbach; by rank: coordinates - rank */
    bl_index mobility_start;       /* by rank in the starting position; more than mobility_rank: it is singular */
    bl_index overconstraint, idle; /* mobility_count + joint constraints that follow from others - freedoms without inertia
                                               that the coordinates leave out = mobility_rank */
    bl_index nfinding;
    bl_finding *finding;
} bl_check_report;
bl_status bl_check(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_check_report *report);
void bl_check_report_destroy(bl_context *ctx, bl_check_report *report);

/* ---- orderings side by side */

typedef struct bl_order_options {
    const char *coordinates; /* of a model */
    const char *const *independent;
    bl_index nindependent; /* names of columns; none: the model's, the rest by rank */
    const char *const *ordering;
    bl_index nordering;   /* "p5", "colamd:dense=5", ...; none: all there are */
    bl_index repetitions; /* of timings; 0: as many as are useful, < 0: no timings */
} bl_order_options;

/* What a factorization of the square matrix costs. Times in seconds, medians; NaN: not measured. */
typedef struct bl_order_cost {
    const char *solver; /* "klu" with the order of columns, "block" with the blocks; NULL: the matrix was not factored */
    bl_index fill;      /* entries of the factors; -1: unknown. Of blocks: inverses, what stands beside them, the border dense */
    double flops;       /* predicted from the pattern, of one factorization; NaN: unknown */
    double analyze, factor, refactor, solve; /* analyze: ordering and everything else that is done once */
} bl_order_cost;

/* One ordering. Arrays live in the report. */
typedef struct bl_order_entry {
    const char *name;
    bl_status status;          /* BL_OK, or why it did not order */
    char note[256];            /* reason of a refusal, or a remark; empty */
    bl_index nrow, ncol;       /* places: fewer rows than the matrix has when only a square part could be ordered */
    const bl_index *row, *col; /* row[k], col[k] of the matrix stands at place k */
    bl_index nblock;           /* diagonal blocks; block[k] .. block[k+1]-1 are the places of one */
    const bl_index *block;     /* NULL: no blocks were looked for */
    bl_index nsize;            /* how many sizes of blocks there are */
    const bl_index *size, *count;
    bl_index border, band; /* columns, rows behind the blocks */
    bl_index bandwidth;    /* -1: not given */
    bl_index spikes;       /* columns with entries above the diagonal, where they are counted */
    bl_order_cost cost;    /* through the blocks where they can be used, else klu */
    bl_order_cost klu;     /* the same as cost, unless that went through the blocks */
} bl_order_entry;

typedef struct bl_order_report {
    bl_index rows, columns, nonzeros;
    bl_index dependent_columns, dependent_nonzeros;   /* without the independent columns; of a matrix: all */
    bl_index rank, structural_rank;                   /* of the dependent part. rank by pivots; structural of matrices too large for that */
    const char *coordinates;                          /* of a model, else NULL */
    const char *const *independent;                   /* names of the columns left out, [columns - dependent_columns] */
    const bl_index *ptr, *idx;                        /* CSC pattern of the dependent part, rows x dependent_columns */
    const char *const *row_name, *const *column_name; /* of the rows and the dependent columns of a model of up to 2000; else NULL */
    bl_index nentry;
    const bl_order_entry *entry;
    void *own;
} bl_order_report;

/* Orders the Jacobian of a model's constraints without the independent columns by every ordering, counts and times. An ordering that
 * refuses is told in its entry. */
bl_status bl_order_study(bl_context *ctx, const bl_model *model, const bl_order_options *options, bl_order_report *report);
/* The same for a matrix from a Matrix Market file. */
bl_status bl_order_matrix(bl_context *ctx, const char *path, const bl_order_options *options, bl_order_report *report);
void bl_order_report_destroy(bl_context *ctx, bl_order_report *report);
/* The ordered matrix as a figure (SVG) with its blocks, border and band. */
bl_status bl_order_figure(bl_context *ctx, const bl_order_report *report, bl_index entry, const char *path);

/* ---- what can be chosen */

typedef struct bl_choice {
    const char *room, *name, *help;
    char params[1024]; /* "index=2 (which variant); ..." */
    char facts[640];
} bl_choice;
/* Calls visit for every kind of a room ("joints", "forces", "elements", "generators", "materials", "strains", "coordinates",
 * "formulations", "integrators", "linsols", "orderings"); room NULL: all. BL_E_ARG for an unknown room. */
bl_status bl_list(bl_context *ctx, const char *room, void (*visit)(void *user, const bl_choice *choice), void *user);
/* Writes the model file reference (Markdown) made from the parameter tables. */
bl_status bl_reference(bl_context *ctx, void (*write)(void *user, const char *text, size_t length), void *user);

#ifdef __cplusplus
}
#endif

#include "biela/compare.h"     /* stands on the model */
#include "biela/deck.h"        /* stands on the model */
#include "biela/equilibrium.h" /* stands on the sinks */
#include "biela/function.h"    /* stands on the summary of a run */
#include "biela/inverse.h"     /* stands on the sinks */
#include "biela/kinematics.h"  /* stands on the sinks */
#include "biela/linear.h"
#include "biela/modes.h" /* stands on equilibria */
#include "biela/move.h"  /* stands on the sinks */
#include "biela/ranks.h"
#include "biela/rates.h" /* stands on displacements */
#include "biela/result.h"

#endif
