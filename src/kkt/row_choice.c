/* Choice of rows by class. Small systems are decided by complete pivoting of a dense copy, which is cheaper than linked lists of entries;
 * all others by sparse elimination. Both use scaled rows and columns and the same tolerance. */
#include "kkt/row_choice.h"

#include "dense/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_ENTRIES = 1024 }; /* 32 x 32: where both methods take the same number of instructions */

static bool at_velocity_level(const bl_system *sys, bl_index i) { return sys->row[i].level == BL_AT_VELOCITY; }

bl_status bl_rows_eliminate(const bl_rows_ask *ask, bl_elimination *e) {
    const bl_system *sys = ask->sys;
    size_t m = (size_t)sys->np, n = (size_t)sys->nv;
    double *row_scale, *col_scale;
    uint8_t *is_out, *is_late;
    void *block = NULL;
    bool some_late = false;
    *e = (bl_elimination){0};
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, block, BL_ARRAY(row_scale, m), BL_ARRAY(col_scale, n), BL_ARRAY(is_out, m), BL_ARRAY(is_late, m)));
    for (size_t i = 0; i < m; i++) {
        row_scale[i] = sys->row[i].scale;
        is_out[i] = ask->slot && ask->slot[i] < 0;
        is_late[i] = at_velocity_level(sys, (bl_index)i);
        some_late = some_late || is_late[i];
    }
    for (size_t j = 0; j < n; j++)
        col_scale[j] = sys->col[j].scale;
    bl_elimination_input in = {.pattern = &sys->pat_G,
                               .value = ask->G,
                               .row_scale = row_scale,
                               .col_scale = col_scale,
                               .col_last = ask->col_last,
                               .row_late = some_late ? is_late : NULL,
                               .row_out = ask->slot ? is_out : NULL,
                               .tolerance = ask->tolerance,
                               .size = sys->row_size,
                               .loose = ask->loose};
    bl_status status = bl_elimination_run(sys->ctx, &in, e);
    bl_free(sys->ctx, block);
    return status;
}

static bl_status choose_dense(const bl_rows_ask *ask, bl_index *row_order, bl_index *col_order, bl_index *rank) {
    const bl_system *sys = ask->sys;
    bl_index m = sys->np, n = sys->nv;
    double dense[DENSE_ENTRIES] = {0};
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            bl_index row = sys->pat_G.idx[k];
            if (!ask->slot || ask->slot[row] >= 0)
                dense[(size_t)j * (size_t)m + (size_t)row] = ask->G[k] / sys->row[row].scale * sys->col[j].scale;
        }
    double tolerance = bl_rank_relative((size_t)m * (size_t)n, dense, sys->row_size, ask->tolerance);
    bl_rank_reveal(m, n, dense, NULL, NULL, ask->col_last, tolerance, row_order, col_order, rank, NULL);
    return BL_OK;
}

bl_status bl_rows_choose(const bl_rows_ask *ask, bl_index *row_order, bl_index *col_order, bl_index *rank) {
    const bl_system *sys = ask->sys;
    bool some_late = false;
    for (bl_index i = 0; i < sys->np; i++)
        some_late = some_late || at_velocity_level(sys, i);
    if ((size_t)sys->np * (size_t)sys->nv <= DENSE_ENTRIES && !some_late)
        return choose_dense(ask, row_order, col_order, rank);
    bl_elimination e;
    bl_status status = bl_rows_eliminate(ask, &e);
    if (status == BL_OK) {
        *rank = e.rank;
        memcpy(row_order, e.row, (size_t)e.m * sizeof *row_order);
        memcpy(col_order, e.col, (size_t)e.n * sizeof *col_order);
    }
    bl_elimination_free(&e);
    return status;
}

/* ---- names */

typedef struct naming_key {
    int class;
    bl_index owner, row;
} naming_key;

static naming_key naming_key_of(const bl_row *row, bl_index i) {
    bool of_body = row->what == BL_ROW_RIGID || row->what == BL_ROW_PARAM;
    if (row->law != BL_LAW_EQUAL)
        return (naming_key){row->level == BL_AT_VELOCITY ? 5 : 4, row->owner, i};
    if (row->level == BL_AT_VELOCITY)
        return (naming_key){3, row->owner, i};
    if (row->what == BL_ROW_DRIVER)
        return (naming_key){2, row->owner, i};
    if (of_body && row->partner < 0)
        return (naming_key){0, row->owner, i};
    return (naming_key){1, of_body ? row->partner : row->owner, i}; /* a body at a joint that shares its points: the joint's */
}

static int by_naming_key(const void *left, const void *right) {
    const naming_key *a = left, *b = right;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

bl_status bl_rows_priority(const bl_system *sys, bl_index *priority) {
    naming_key *order;
    BL_TRY(BL_NEW(sys->ctx, order, sys->np));
    for (bl_index i = 0; i < sys->np; i++)
        order[i] = naming_key_of(&sys->row[i], i);
    qsort(order, (size_t)sys->np, sizeof *order, by_naming_key);
    for (bl_index i = 0; i < sys->np; i++)
        priority[order[i].row] = i;
    bl_free(sys->ctx, order);
    return BL_OK;
}

bl_status bl_rows_redundant(const bl_rows_ask *ask, bl_index rank, bl_index *named) {
    const bl_system *sys = ask->sys;
    bl_elimination e = {0};
    bl_index *priority = NULL;
    if (rank == sys->np)
        return BL_OK;
    bl_status status = BL_NEW(sys->ctx, priority, sys->np);
    if (status == BL_OK)
        status = bl_rows_priority(sys, priority);
    if (status == BL_OK)
        status = bl_rows_eliminate(ask, &e);
    if (status == BL_OK && e.rank < rank) /* the two methods differ at a pivot near the tolerance */
        status = BL_SINGULAR;
    if (status == BL_OK) {
        bl_elimination_limit(&e, rank);
        status = bl_elimination_redundant(&e, priority, named);
    }
    bl_elimination_free(&e);
    bl_free(sys->ctx, priority);
    return status;
}

/* ---- inactive rows */

bl_index bl_rows_inactive(const bl_system *sys, const double *G, uint8_t *inactive, bool *changed) {
    enum { NOW = 1, BEFORE = 2 };
    const bl_pattern *pattern = &sys->pat_G;
    bl_index count = 0;
    *changed = false;
    if (!(sys->facts & BL_INEQUALITIES))
        return 0;
    for (bl_index i = 0; i < sys->np; i++)
        inactive[i] = (uint8_t)((inactive[i] ? BEFORE : 0) | (sys->row[i].law != BL_LAW_EQUAL ? NOW : 0));
    for (bl_index k = 0; k < pattern->ptr[sys->nv]; k++)
        if (G[k] != 0)
            inactive[pattern->idx[k]] &= BEFORE;
    for (bl_index i = 0; i < sys->np; i++) {
        *changed = *changed || inactive[i] == NOW || inactive[i] == BEFORE;
        inactive[i] &= NOW;
        count += inactive[i];
    }
    return count;
}

bool bl_row_choice_note(const bl_system *sys, const double *G, bl_row_choice *rows) {
    bool changed;
    bl_rows_inactive(sys, G, rows->inactive, &changed);
    if (changed)
        bl_row_choice_keep_active(rows);
    return changed;
}

void bl_row_choice_keep_active(bl_row_choice *rows) {
    for (bl_index i = 0; i < rows->np; i++)
        rows->slot[i] = rows->inactive[i] ? -1 : 0;
    bl_row_choice_number(rows);
}

/* ---- the choice */

bl_status bl_row_choice_create(const bl_system *sys, bl_row_choice *rows) {
    bl_index np = sys->np;
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, rows->block, BL_ARRAY(rows->by, np), BL_ARRAY(rows->slot, np), BL_ARRAY(rows->kept, np),
                         BL_ARRAY(rows->inactive, np)));
    rows->np = np;
    for (bl_index i = 0; i < np; i++)
        rows->by[i] = sys->row && sys->row[i].scale > 0 ? 1 / sys->row[i].scale : 1;
    bl_row_choice_number(rows);
    return BL_OK;
}

void bl_row_choice_free(bl_context *ctx, bl_row_choice *rows) {
    bl_free(ctx, rows->block);
    *rows = (bl_row_choice){0};
}

void bl_row_choice_keep(bl_row_choice *rows, const bl_index *order, bl_index r) {
    for (bl_index i = 0; i < rows->np; i++)
        rows->slot[order[i]] = i < r ? 0 : -1;
    bl_row_choice_number(rows);
}

void bl_row_choice_number(bl_row_choice *rows) {
    bl_index kept = 0, dropped = 0;
    rows->r = rows->nout = 0;
    for (bl_index i = 0; i < rows->np; i++) {
        rows->r += rows->slot[i] >= 0;
        rows->nout += rows->inactive[i];
    }
    rows->nd = rows->np - rows->r - rows->nout;
    rows->dropped = rows->kept + rows->r;
    bl_index out = rows->nd;
    for (bl_index i = 0; i < rows->np; i++) {
        bool keep = rows->slot[i] >= 0;
        bl_index k = keep ? kept++ : rows->inactive[i] ? out++ : dropped++;
        *(keep ? &rows->kept[k] : &rows->dropped[k]) = i;
        rows->slot[i] = keep ? k : -1 - k;
    }
}
