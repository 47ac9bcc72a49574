/* compare: one model solved with many combinations of methods, or several models of one mechanism, and whether the results agree.
 *
 * A reference run at a hundredth of the tolerance, checked by a second one of different kinds, shows how sensitive the motion is; every
 * other combination of coordinates, formulation and integrator is measured against it. */
#ifndef BIELA_COMPARE_H
#define BIELA_COMPARE_H

#include "biela/biela.h" /* bl_model */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_compare_motions bl_compare_motions;

/* Fields that are NULL or 0 take the model's choice, then the default. If any of coordinates, formulation and integrator is "all", only
 * those are varied: coordinates in every variant (natural, natural:switching, ..., reference:angles, relative), each with its own default
 * formulation unless one is given. */
typedef struct bl_compare_options {
    size_t size;                                                            /* sizeof this struct, or 0 (context.h) */
    const char *coordinates, *formulation, *integrator, *linsol, *ordering; /* the base combination, kept while one axis is varied */
    double until, tolerance;
    double step;  /* fixed-step methods take this step; 0: halved until two successive results agree */
    double limit; /* wall clock seconds for one combination; 0: 10. The reference may take ten times as long */
    bool all;     /* every combination instead of one axis at a time */
    /* kinds to try; none: all */
    const char *const *coordinates_tried, *const *formulations_tried, *const *integrators_tried;
    bl_index ncoordinates_tried, nformulations_tried, nintegrators_tried;
    /* before each combination, "" at the end; may be NULL */
    void (*progress)(void *user, bl_index done, bl_index total, const char *combination);
    void *progress_user;
    const bl_compare_motions *motions; /* may be NULL */
} bl_compare_options;

typedef enum bl_agreement {
    BL_AGREED,
    BL_DISAGREED,
    BL_SKIPPED,         /* exceeded the time limit, or needs a parameter without a default */
    BL_REFUSED,         /* incompatible kinds or model, or a singular configuration that the formulation is documented to refuse */
    BL_AGREEMENT_FAILED /* ended early with a numerical failure, or does not converge */
} bl_agreement;
BL_API const char *bl_agreement_text(bl_agreement agreement); /* "agreed", "disagreed", "skipped", "refused", "failed" */

/* One combination. Numbers that are not known are NaN or 0. */
typedef struct bl_compare_entry {
    const char *coordinates, *formulation, *integrator;
    bl_agreement agreement;
    double trajectory,
        reactions; /* largest relative difference from the reference: positions and velocities; reactions; NaN: not compared */
    /* differences that count as agreement: the report's, for fixed steps plus twice the error estimated by halving; NaN: unknown */
    double allowed, allowed_reactions;
    char worst[96]; /* what differs most: a body, variable, probe, joint */
    double worst_time;
    double drift, energy_error;
    double tolerance, step; /* used; step 0: adaptive */
    long steps, evaluations;
    double wall_seconds; /* of the run compared, without step search, model set-up and writing the motion */
    char reason[512];    /* empty for agreement */
} bl_compare_entry;

/* Receives the motions, sampled as in a separate run. A combination may need several runs, with refined tolerances or halved steps; the
 * last completed one is compared. */
struct bl_compare_motions {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    void *user;
    /* a sink for one run: *sink, zeroed except for its size */
    bl_status (*begin)(void *user, bl_context *ctx, const bl_run_options *options, bl_sink *sink);
    bl_status (*done)(void *user); /* the run was completed, and its sink is destroyed */
    /* the last completed run belongs to report->entry[entry], which agreed or disagreed, or is the reference (-1) */
    bl_status (*keep)(void *user, bl_index entry, const bl_compare_entry *of);
};

typedef struct bl_compare_report {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    const char *model_name;
    double until, tolerance; /* until: possibly reduced by an event of the reference */
    /* the reference, and the run that checked it (NULL: none was possible) */
    const char *reference, *check;
    double reference_tolerance;
    bl_compare_entry reference_run;                       /* its effort; differences are NaN */
    double reference_trajectory, reference_reactions;     /* difference of the two */
    double sensitivity;                                   /* that difference over the tolerance of the reference, at least 1 */
    double allowed, allowed_reactions;                    /* differences that count as agreement; NaN: not compared */
    bl_index joints, joints_undetermined, joints_partial; /* joints; whose reactions are not compared; only in some directions */
    double length, force, moment;                         /* reference values of relative differences */
    bl_index nentry, agreed, disagreed, skipped, refused, failed;
    const bl_compare_entry *entry;
    void *own;
} bl_compare_report;

/* Runs the combinations. BL_OK also when some disagree or fail: see report->disagreed and report->failed. BL_STOPPED: stopped on request;
 * the report has the entries so far. Negative: nothing could be compared. Destroy the report in every case. */
BL_API bl_status bl_compare(bl_context *ctx, const bl_model *model, const bl_compare_options *options, bl_compare_report *report);
BL_API void bl_compare_report_destroy(bl_context *ctx, bl_compare_report *report);

/* ---- models against models
 *
 * Several models of one mechanism, described in different ways (rigid or elastic, beams or meshes, other coordinates), each solved by its
 * own methods. Whatever has the same name in the first one, the reference, and in another is compared: variables, probes, rigid bodies,
 * signals (among them quantities that the models define, such as a deflection), and reactions of joints where the
 * constraints determine them. */

typedef enum bl_compared_kind {
    BL_COMPARED_LENGTH, /* m: variables, probes, mass centers */
    BL_COMPARED_ANGLE,  /* rad: variables, orientations of bodies */
    BL_COMPARED_SIGNAL, /* signals, and states of equations */
    BL_COMPARED_FORCE,  /* N: reactions of joints on their second bodies */
    BL_COMPARED_MOMENT, /* N m: the same, about the point of the joint */
    BL_COMPARED_KINDS
} bl_compared_kind;
BL_API const char *bl_compared_kind_text(bl_compared_kind kind); /* "length", "angle", "signal", "force", "moment" */

typedef struct bl_compare_models_options {
    size_t size;               /* sizeof this struct, or 0 (context.h) */
    const bl_run_options *run; /* for all models; fields that are not given are each model's own. NULL: all. Output times are not used */
    double agree;              /* largest relative difference of lengths, angles and signals that counts as agreement; 0: 0.01 */
    double agree_reactions;    /* the same of forces and moments; 0: they are compared, but not judged */
    bl_index samples;          /* number of equally spaced times after the start, at least 1; 0: 200 */
    void (*progress)(void *user, bl_index done, bl_index total, const char *model); /* before each model; may be NULL */
    void *progress_user;
} bl_compare_models_options;

/* A quantity that the reference and another model have. */
typedef struct bl_compared {
    const char *name, *part; /* of the variable, probe, body, joint or signal; "position", "orientation", ...; "" for variables, signals */
    bl_compared_kind kind;
    const char *unit;  /* of a signal as given in the model; "": none */
    double difference; /* the largest; NaN: not determined */
    double time;       /* of that difference */
    double scale;      /* largest value in the reference (positions: distance from the start), or what stands for values near 0 */
    double relative;   /* difference / scale */
} bl_compared;

/* One model. Numbers that are not known are NaN or 0. */
typedef struct bl_compare_models_entry {
    const char *model_name, *coordinates, *formulation, *integrator;
    bl_index elements;      /* of beams and meshes; of reduced bodies none */
    bl_index unknowns;      /* velocities of the system, or states of first-order equations */
    double tolerance, step; /* step 0: adaptive */
    long steps, evaluations;
    double wall_seconds, cpu_seconds; /* of the process, all threads; without reading the model */
    double drift, energy_error;       /* largest ones; the latter in J */
    double end;                       /* time reached */
    bl_agreement agreement;           /* BL_AGREED, BL_DISAGREED or BL_AGREEMENT_FAILED; of the reference BL_AGREED */
    bl_index ncompared;
    const bl_compared *compared;          /* none of the reference */
    bl_index worst[BL_COMPARED_KINDS];    /* in `compared`: largest relative difference of a kind; -1: nothing of this kind */
    bl_index undetermined;                /* joints whose reactions are not compared, or only in some directions */
    bl_index nonly_reference, nonly_here; /* names without a partner */
    const char *const *only_reference, *const *only_here;
    char reason[512]; /* of a disagreement or failure */
} bl_compare_models_entry;

typedef struct bl_compare_models_report {
    size_t size;  /* sizeof this struct, or 0 (context.h) */
    double until; /* compared up to this time: the shortest end of all models */
    bl_index samples;
    double agree, agree_reactions;              /* as applied; the latter 0: not judged */
    bl_index nentry, agreed, disagreed, failed; /* the reference is the first entry and not counted */
    const bl_compare_models_entry *entry;
    void *own;
} bl_compare_models_report;

/* model[0] is the reference; at least two. BL_OK also when some disagree or fail. BL_E_MODEL: two models have no name in common.
 * BL_STOPPED: stopped on request; the report has the entries so far. Destroy the report in every case. */
BL_API bl_status bl_compare_models(bl_context *ctx, const bl_model *const *model, bl_index nmodel, const bl_compare_models_options *options,
                                   bl_compare_models_report *report);
BL_API void bl_compare_models_report_destroy(bl_context *ctx, bl_compare_models_report *report);

/* ---- rigid contacts against others
 *
 * The motion with rigid contacts, from event to event, is the reference. It is compared with motions in which all of them yield (Hunt and
 * Crossley), stiffer and stiffer: their distance decreases like stiffness^(-1/(exponent+1)). Masses, speeds and forces of the reference
 * determine the first stiffness, the restitution at its impacts the damping. */

/* How a motion treats its contacts. */
typedef enum bl_contact_treatment { BL_CONTACTS_YIELD } bl_contact_treatment;
BL_API const char *bl_contact_treatment_text(bl_contact_treatment treatment); /* "hunt_crossley" */

enum { BL_MOST_CONTACT_LEVELS = 20 };
typedef struct bl_compare_contacts_options {
    size_t size;               /* sizeof this struct, or 0 (context.h) */
    const bl_run_options *run; /* coordinates, methods, tolerance, until of all motions; NULL: the model's */
    double stiffness;          /* the first one, of all contacts: N/m^exponent, N m/rad^exponent; 0: so that depths are 1 % of the motion */
    double exponent;           /* of the law; 0: 1 */
    double factor;             /* from one stiffness to the next; 0: 10 */
    int levels;                /* number of stiffnesses, at most BL_MOST_CONTACT_LEVELS; 0: 5 */
    double limit;              /* wall clock seconds for each motion; 0: 10 */
    void (*progress)(void *user, bl_index done, bl_index total, const char *what); /* before each motion; may be NULL */
    void *progress_user;
} bl_compare_contacts_options;

/* A contact or stop of the reference, and what replaces it. Numbers that are not known are NaN. */
typedef struct bl_contact_spring {
    const char *name;
    bool is_angle;      /* rad and N m */
    double restitution; /* of the model */
    long impacts;       /* of the reference */
    double speed;       /* at which the restitution is that of the model: of the first impact, with restitution 0 of the slowest one */
    double mass;        /* that its largest impulse moved: kg, kg m^2 */
    double stiffness;   /* the first one */
    double damping;     /* s/m, s/rad */
} bl_contact_spring;

/* One motion. */
typedef struct bl_contacts_entry {
    bl_contact_treatment treatment;
    double stiffness; /* largest of all contacts */
    double depth;     /* expected, of the fastest impact or largest force, as a share of the motion */
    double distance;  /* largest distance from the reference: positions of bodies relative to their extent, rotations in rad; NaN: failed */
    double order;     /* distance ~ stiffness^-order, from the entry before; NaN: the first, or failed */
    char worst[96];   /* body */
    double worst_time;
    long steps;
    double wall_seconds;
    char reason[512]; /* of a failure; else empty */
} bl_contacts_entry;

/* One motion by time stepping (`contact: stepping`). */
typedef struct bl_contacts_stepped {
    double step;
    double distance; /* as in bl_contacts_entry; NaN: failed */
    double order;    /* distance ~ step^order, from the entry before; NaN: the first, or failed */
    char worst[96];  /* body */
    double worst_time;
    long steps;
    double wall_seconds;
    char reason[320]; /* of a failure; else empty */
} bl_contacts_stepped;

typedef struct bl_compare_contacts_report {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    const char *model_name;
    double until, tolerance;
    double compared;  /* up to this time */
    char reason[320]; /* why not up to `until`; else empty */
    double length;    /* extent of the motion, m */
    double exponent;
    double order;   /* expected: 1 / (exponent + 1) */
    bool converges; /* distances fall to what the tolerance allows, or as fast as half of the expected order */
    long reference_steps;
    double reference_seconds;
    bl_index nspring, nentry, nnote;
    const bl_contact_spring *spring;
    const bl_contacts_entry *entry;
    const char *const *note; /* what the law cannot represent in this model */
    void *own;
    bl_index nstepped; /* one for each level, every step half of the one before; 1 with a reason: not available for the model */
    const bl_contacts_stepped *stepped;
    bool steps_converge; /* distances fall with half of order 1 at least, or to what the tolerance allows */
} bl_compare_contacts_report;

/* BL_OK also when the motions do not converge: report->converges. BL_E_MODEL: there are no rigid contacts, nothing touches, or surfaces
 * end. BL_STOPPED: stopped on request; the report has the entries so far. Destroy the report in every case. */
BL_API bl_status bl_compare_contacts(bl_context *ctx, const bl_model *model, const bl_compare_contacts_options *options,
                                     bl_compare_contacts_report *report);
BL_API void bl_compare_contacts_report_destroy(bl_context *ctx, bl_compare_contacts_report *report);

#ifdef __cplusplus
}
#endif
#endif
