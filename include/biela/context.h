/* Status, error object, context: used by every call of biela.
 *
 * The sign of a status shows whether a retry can help: 0 is success; positive is numerical, a step loop may
 * try again; negative is final. The message is in the context's error object. */
#ifndef BIELA_CONTEXT_H
#define BIELA_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions of the library, as a shared library shows them. */
#if defined(__GNUC__)
#define BL_API __attribute__((visibility("default")))
#else
#define BL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t bl_index;

/* ---- structs, and how they grow
 *
 * A struct that a caller allocates (options, sinks, reports, summaries) begins with its size, so that programs and shared libraries of
 * different versions fit together. size is sizeof the struct in the headers that the program was compiled with; 0 stands for the fields of
 * version 0.1, so that (bl_run_options){.until = 10} and {0} are complete unless a later field is used. Fields beyond the size given count
 * as 0 and are not written. A size beyond that of the library is accepted if all that the library does not know is 0 (else BL_E_ARG).
 *
 * The library reads the size of structs that it fills, too: initialize them ({0}). It leaves the size as it is, and so does destroy.
 *
 * A struct that the library allocates and passes by pointer has no size and gets new fields at its end: bl_error, bl_run_info, bl_sample,
 * bl_sample_arrays, bl_step, bl_event_mark, bl_strike, bl_choice, bl_deck_table, bl_equilibrium_point, bl_body_motion. Their arrays are
 * never indexed by the caller.
 *
 * These never change; further data of the elements of arrays would be an array beside them:
 * - values and elements that callers pass: bl_override, bl_move_target, bl_rate_input, bl_chain_pair, bl_csc, bl_json, bl_json_pair,
 *   bl_place;
 * - values that calls return: bl_memory, bl_ranks, bl_frequencies;
 * - elements of arrays that callers receive: bl_warning, bl_pose, bl_acceleration, bl_wrench, bl_push, bl_contact_sample, bl_run_set,
 *   bl_section_sample, bl_run_mesh, bl_field, bl_finding, bl_order_entry, bl_order_cost, bl_compare_entry, bl_critical_point,
 *   bl_soft_motion, bl_actuator_summary, bl_mode, bl_mode_motion, bl_mode_crossing, bl_moved, bl_plot_curve, bl_quantity,
 *   bl_result_event, bl_rate_row, bl_body_rates, bl_transmission, bl_advantage, bl_series_component, bl_stability_line,
 *   bl_stability_table, bl_stability_entry, bl_structure_group, bl_structure_remain, bl_structure_exception, bl_structure_choice,
 *   bl_contact_spring, bl_contacts_entry, bl_contacts_stepped, bl_compared, bl_compare_models_entry. */

typedef enum bl_status {
    BL_OK = 0,
    /* recoverable: the step loop may act */
    BL_SINGULAR = 1,       /* a matrix lost rank (singular configuration, redundant constraints) */
    BL_NO_CONVERGENCE = 2, /* an iteration did not converge */
    BL_REJECTED = 3,       /* the step's error is too large */
    BL_AGAIN = 4,          /* repeat with the changed data */
    BL_RESTART = 5,        /* a new set of unknowns was chosen: restart the method */
    BL_EVENT = 6,          /* an event function changed sign */
    BL_STOPPED = 7,        /* the user asked to stop */
    BL_NOT_FINITE = 8,     /* NaN or infinity appeared */
    /* final */
    BL_E_ARG = -1,     /* invalid argument */
    BL_E_MODEL = -2,   /* error in the model */
    BL_E_ABILITY = -3, /* the requested combination is not supported */
    BL_E_MEMORY = -4,
    BL_E_FILE = -5,
    BL_E_NUMERIC = -6 /* a numerical failure that retries did not resolve */
} bl_status;

/* One lower-case line for a status. Never NULL. */
BL_API const char *bl_status_text(bl_status status);

/* The entry nearest to word by edit distance, or NULL when none is similar enough. Entries may be NULL. */
BL_API const char *bl_nearest(const char *word, const char *const *words, size_t count);

/* Replaces by '?', in place, what a terminal could act on: control characters (ESC, C1, DEL), bytes that are not UTF-8, marks that change
 * the writing direction. Characters in `keep` ("\n") stay. Applied to all texts of errors, warnings and logs. */
BL_API void bl_text_clean(char *text, const char *keep);

/* A position in an input file. file is NULL when unknown; line and column count from 1. */
typedef struct bl_place {
    const char *file;
    int line, column;
} bl_place;

/* The last error. Texts are always terminated, empty when they do not apply. */
typedef struct bl_error {
    bl_status status;
    char what[512];
    char advice[256];   /* what to do, or the nearest valid word */
    char file[256];     /* position in a model file */
    int line, column;   /* 0 when unknown */
    char part[96];      /* joint, body or force concerned */
    char equation[128]; /* its equation concerned */
    double time;        /* simulated time; NaN when it does not apply */
} bl_error;

/* A warning: something the user should know that did not end the study. Texts are always terminated, empty when they do not apply. */
typedef struct bl_warning {
    double time; /* simulated time at which it applies or began; NaN: the complete study */
    char part[96];
    char text[384];
} bl_warning;

typedef enum bl_log_level { BL_LOG_DEBUG, BL_LOG_INFO, BL_LOG_WARNING } bl_log_level;

/* Counters of the context's allocator. */
typedef struct bl_memory {
    size_t calls;       /* allocations and resizes requested */
    size_t live_blocks; /* not yet freed */
} bl_memory;

typedef struct bl_context bl_context;

/* All fields may be zero: the C library's allocator, no log. A size that does not fit is BL_E_ARG. */
typedef struct bl_context_options {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    /* realloc with bytes == 0 frees and returns NULL; block == NULL allocates */
    void *(*realloc)(void *user, void *block, size_t bytes);
    void *realloc_user;
    void (*log)(void *user, bl_log_level level, const char *message);
    void *log_user;
    bl_log_level log_level; /* messages below this level are suppressed */
} bl_context_options;

/* options may be NULL. On failure *ctx is NULL. */
BL_API bl_status bl_context_create(const bl_context_options *options, bl_context **ctx);
BL_API void bl_context_destroy(bl_context *ctx);
/* The last error; status BL_OK when there was none. Valid until the next failing call. */
BL_API const bl_error *bl_context_error(const bl_context *ctx);
BL_API void bl_context_clear_error(bl_context *ctx);
/* Warnings of the last study, in order; *first is valid until the next study begins. Returns how many were kept; *more (may be NULL): how
 * many further ones were only logged. */
BL_API bl_index bl_context_warnings(const bl_context *ctx, const bl_warning **first, bl_index *more);
BL_API bl_memory bl_context_memory(const bl_context *ctx);
/* Asks a running study to end cleanly. Safe to call from a signal handler or another thread. */
BL_API void bl_context_stop(bl_context *ctx);
BL_API void bl_context_resume(bl_context *ctx);
BL_API bool bl_context_stopped(const bl_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
