/* deck: runs decks (.inp files of CalculiX and Abaqus) step by step and hands out their printed tables.
 *
 *     bl_model_read(ctx, "beam.inp", NULL, 0, &model);
 *     bl_deck_sink_file(ctx, "beam.dat", &sink);
 *     bl_run_deck(ctx, model, NULL, &sink, &summary);
 *     bl_deck_sink_destroy(&sink);
 */
#ifndef BIELA_DECK_H
#define BIELA_DECK_H

#include "biela/biela.h"

#ifdef __cplusplus
extern "C" {
#endif

BL_API bool bl_model_is_deck(const bl_model *model);

/* Output of *NODE PRINT, *EL PRINT or *FREQUENCY at one time. Arrays are valid during the call. */
typedef struct bl_deck_table {
    const char *what;          /* "U", "S", ...; "FREQUENCY", "PARTICIPATION", "EFFECTIVE MASS" */
    const char *title;         /* "displacements", ... */
    const char *set;           /* "": none */
    const char *analysis;      /* "static", "frequency", "dynamic", "heat transfer" */
    bl_index step, increment;  /* from 1 */
    double t;                  /* total time */
    int nlabel, ncolumn;       /* labels per row, 1 or 2; numbers per row */
    const char *const *column; /* [nlabel + ncolumn] names */
    bl_index nrow;
    const bl_index *label; /* [nrow][nlabel] numbers of nodes, elements, integration points (in the deck's order), modes */
    const double *value;   /* [nrow][ncolumn] */
    const double *total;   /* [ncolumn]; NULL: not requested */
} bl_deck_table;

typedef struct bl_deck_sink {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    void *user;
    bl_status (*table)(void *user, const bl_deck_table *table); /* a status other than BL_OK ends the run */
    bl_status (*end)(void *user, bl_status status);             /* also after failure */
    void (*progress)(void *user, bl_index step, bl_index nstep, double share, double wall_seconds); /* a few times a second at most */
    void (*destroy)(void *user);
} bl_deck_sink;

/* All tables as text; the file appears at `path` when it is complete. */
BL_API bl_status bl_deck_sink_file(bl_context *ctx, const char *path, bl_deck_sink *sink);
BL_API void bl_deck_sink_destroy(bl_deck_sink *sink);

typedef struct bl_deck_options {
    size_t size;        /* sizeof this struct, or 0 (context.h) */
    const char *linsol; /* NULL: by predicted cost */
    double tolerance;   /* relative, of equilibria; 0: 1e-10 */
    int threads;        /* 0: 1 */
} bl_deck_options;

typedef struct bl_deck_summary {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    bl_status status;
    bl_index steps, nstep; /* completed, total */
    long increments, iterations;
    long tables;
    bl_index unknowns; /* of the last step */
    double t;          /* total time reached */
    double wall_seconds;
} bl_deck_summary;

/* Runs the steps. options, sink, summary may be NULL. */
BL_API bl_status bl_run_deck(bl_context *ctx, const bl_model *model, const bl_deck_options *options, bl_deck_sink *sink,
                             bl_deck_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
