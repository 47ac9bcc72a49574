/* Cases for the test `limits`: small studies whose answers must not depend on a factor of 3 in any threshold of src/ROOM/ROOM_limits.h.
 * Files that read a threshold are compiled once more for this test, where each is a number that can be moved and counts its readers
 * (tests/CMakeLists.txt); what a case does not read cannot change its answer. */
#ifndef TEST_LIMITS_H
#define TEST_LIMITS_H

#include "biela/biela.h"

/* What a study says: verdicts, counts and statuses, which must be equal, and numbers, which must agree. */
typedef struct answer answer;
void answer_exact(answer *a, const char *what, double value);
void answer_near(answer *a, const char *what, double value, double within); /* infinite and NaN: the same */
/* The status, and the numbers only if the study succeeded; true: it did. Clears the error. */
bool answer_status(answer *a, bl_context *ctx, bl_status status);
/* The number of answers so far; takes back what was added since: of successive samples the last one. */
size_t answer_count(const answer *a);
void answer_take_back(answer *a, size_t count);
/* A sink that adds the parts of every sample named by want (BL_WANT_BODIES, _VARIABLES, _PROBES, _REACTIONS, _ENERGY): numbers within the
 * given share of their largest value in the sample. */
typedef struct answer_sink {
    answer *to;
    double within;
    bl_run_info info;
    double largest[4];
} answer_sink;
bl_sink answer_sink_of(answer_sink *s, answer *a, double within, uint32_t want);

typedef struct limit_case limit_case;
/* Reads nothing from outside but the model, so that two calls give the same answer to the last bit. */
typedef void limit_ask(bl_context *ctx, const bl_model *model, const void *how, answer *a);

struct limit_case {
    const char *name;  /* of the study, and what is special about this case */
    const char *scene; /* SCENES/NAME.yaml; NULL: text; neither: no model */
    const char *text;
    bl_override set[3];
    limit_ask *ask;
    const void *how;
    const void *exact; /* the same at a much smaller tolerance: numbers may be farther from it than usual by a factor; NULL: none */
    bool is_long;      /* not in the fast test */
};

typedef struct limit_cases {
    const limit_case *list;
    size_t count;
} limit_cases;
#define LIMIT_CASES(list) \
    (limit_cases) { list, sizeof list / sizeof *list }

/* ---- by room, each in its file */
limit_cases limit_cases_runs(void), limit_cases_special_runs(void), limit_cases_statics(void), limit_cases_linear(void),
    limit_cases_displacement(void), limit_cases_inverse(void), limit_cases_meshes(void), limit_cases_checks(void),
    limit_cases_methods(void), limit_cases_live(void);

/* ---- the table */
typedef struct limit_row {
    double *value;
    long *reads;
    const char *name;
} limit_row;
size_t limit_count(void);
limit_row limit_at(size_t k);
const limit_row *limit_named(const char *name); /* NULL: none */

typedef struct limit_totals {
    long cases, runs, broken;
    bool *read; /* [limit_count()] by some case */
    bool *felt; /* [limit_count()] moved by itself, some answer of a case differs in its last bits at least */
    bool rooms; /* also all limits of a room at once */
    bool each;  /* every limit by itself from the beginning; else several at once, and each by itself where that changes an answer */
} limit_totals;
/* Asks once with the usual limits and for every limit read then, times 3 and times 1/3; prints every answer that changed. */
void limit_try(const limit_case *c, limit_totals *totals);

#endif
