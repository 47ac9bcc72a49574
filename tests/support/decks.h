/* Decks for tests: written from generated meshes, run from text, and their tables as lists. */
#ifndef TEST_DECKS_H
#define TEST_DECKS_H

#include "biela/deck.h"
#include "mesh/mesh.h"
#include "support/testing.h"

typedef struct test_deck { /* a text that grows */
    char *text;
    size_t length, room;
} test_deck;

void deck_add(test_deck *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void deck_free(test_deck *d);
/* Nodes (set NALL), elements of a type (set EALL) and the sets of nodes of a mesh, in lines of at most ten entries. */
void deck_mesh(test_deck *d, const bl_mesh *mesh, const char *type);
/* One line of *DLOAD, *FILM or *DFLUX for every face of a set: "3, P2, 1.5". */
void deck_faces(test_deck *d, const bl_mesh *mesh, const char *set, char letter, const char *values);

/* All tables of a run. */
typedef struct deck_table {
    char what[32], set[32];
    bl_index step, increment;
    double t;
    int nlabel, ncolumn;
    bl_index nrow;
    bl_index *label;
    double *value, total[6];
    bool has_total;
} deck_table;
typedef struct deck_tables {
    deck_table *table;
    int n;
    bl_deck_summary summary;
} deck_tables;

/* Reads and runs a text; returns the status. */
bl_status deck_try(bl_context *ctx, const char *text, deck_tables *out);
/* The same; fails the test with the library's message. */
void deck_run(bl_context *ctx, const char *text, deck_tables *out);
void deck_tables_free(deck_tables *t);
/* The last table of that quantity, step and increment (0: any); fails the test when there is none. */
const deck_table *deck_find(const deck_tables *t, const char *what, int step, int increment);
/* The numbers of a row by its labels (point 0: one label); fails the test when there is none. */
const double *deck_row(const deck_table *t, bl_index label, bl_index point);

#endif
