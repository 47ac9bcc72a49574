/* Ordering for Jacobians of mechanisms: diagonal blocks of size 1, 2 and 3 only, since points and unit vectors have three columns each.
 * A variant of P5 (Erisman et al. 1985) that takes, from the rows of smallest count, single rows, cycles of two or three rows with two
 * columns each, and rows with the same three columns; see docs/theory/orderings.md. Open chains have no border; loop closures lead to a
 * narrow one. */
#include "order/active.h"
#include "order/mechanism_rules.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 10 }; /* rows of a group that are tried in all combinations */

/* rows with the same three columns and no other */
typedef struct group {
    bl_index col[3], head, nrow, next; /* next: with the same hash */
    bl_index listed;                   /* index in `several`, -1: fewer than two rows */
    bool no_triple, no_pair;           /* tried and found nearly singular */
} group;

typedef struct cycle {
    bl_index size, row[3], col[3];
} cycle;

typedef struct mechanism {
    bl_active active;
    const bl_mechanism_rules *rules;
    group *group;
    bl_index ngroup, nseveral, nbucket;
    bl_index *bucket, *several;       /* hash table of groups; groups with at least two rows */
    bl_index *group_of, *next, *prev; /* [nrow] lists of rows by group */
    bl_index *candidate, ncandidate;  /* columns that may be in a cycle since the last search for cycles */
    uint8_t *is_candidate;            /* [ncol] */
    cycle *cycle;
    bl_index *hidden;
} mechanism;

static bool is_good_block(const mechanism *m, bl_index size, const bl_index *row, const bl_index *col, double *worth) {
    *worth = m->rules->worth ? m->rules->worth(m->rules->user, size, row, col) : 1;
    return !m->rules->worth || *worth >= m->rules->threshold;
}

/* live columns of a row, at most `most` of them */
static bl_index columns_of(const bl_active *a, bl_index row, bl_index most, bl_index *col) {
    bl_index n = 0;
    for (bl_index k = a->row_ptr[row]; k < a->row_ptr[row + 1] && n < most; k++)
        if (a->col_live[a->row_col[k]])
            col[n++] = a->row_col[k];
    return n;
}

/* ---- groups */

static bl_index find_group(mechanism *m, const bl_index col[3]) {
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++)
        hash = (hash ^ (uint64_t)col[k]) * 0x9e3779b97f4a7c15u;
    bl_index *bucket = &m->bucket[(hash >> 32) & (uint64_t)(m->nbucket - 1)];
    for (bl_index g = *bucket; g >= 0; g = m->group[g].next)
        if (memcmp(m->group[g].col, col, sizeof m->group[g].col) == 0)
            return g;
    m->group[m->ngroup] = (group){.col = {col[0], col[1], col[2]}, .head = -1, .next = *bucket, .listed = -1};
    return *bucket = m->ngroup++;
}

static void join_group(mechanism *m, bl_index row) {
    bl_index col[3];
    columns_of(&m->active, row, 3, col);
    bl_index number = find_group(m, col);
    group *g = &m->group[number];
    m->group_of[row] = number;
    m->prev[row] = -1;
    m->next[row] = g->head;
    if (g->head >= 0)
        m->prev[g->head] = row;
    g->head = row;
    g->no_triple = g->no_pair = false;
    if (++g->nrow == 2) {
        g->listed = m->nseveral;
        m->several[m->nseveral++] = number;
    }
}

static void leave_group(mechanism *m, bl_index row) {
    group *g = &m->group[m->group_of[row]];
    if (m->prev[row] >= 0)
        m->next[m->prev[row]] = m->next[row];
    else
        g->head = m->next[row];
    if (m->next[row] >= 0)
        m->prev[m->next[row]] = m->prev[row];
    m->group_of[row] = -1;
    if (--g->nrow == 1) {
        bl_index last = m->several[--m->nseveral];
        m->several[g->listed] = last;
        m->group[last].listed = g->listed;
        g->listed = -1;
    }
}

/* the group's rows, ascending, at most MOST_ROWS of them */
static bl_index rows_of_group(mechanism *m, const group *g, bl_index *row) {
    bl_index n = 0;
    for (bl_index r = g->head; r >= 0; r = m->next[r])
        m->active.scratch[n++] = r;
    bl_sort_index(n, m->active.scratch);
    n = n < MOST_ROWS ? n : MOST_ROWS;
    memcpy(row, m->active.scratch, (size_t)n * sizeof *row);
    return n;
}

static bool columns_before(const group *a, const group *b) {
    for (int k = 0; k < 3; k++)
        if (a->col[k] != b->col[k])
            return a->col[k] < b->col[k];
    return false;
}

static bl_index weight(const bl_active *a, const group *g) {
    return a->col_count[g->col[0]] + a->col_count[g->col[1]] + a->col_count[g->col[2]];
}

/* three rows: most rows first; two rows: columns with most entries first; then smallest columns */
static group *next_group(mechanism *m, int rows) {
    group *best = NULL;
    bl_index best_key = 0;
    for (bl_index k = 0; k < m->nseveral; k++) {
        group *g = &m->group[m->several[k]];
        if (g->nrow < rows || (rows == 3 ? g->no_triple : g->no_pair))
            continue;
        bl_index key = rows == 3 ? g->nrow : weight(&m->active, g);
        if (!best || key > best_key || (key == best_key && columns_before(g, best))) {
            best = g;
            best_key = key;
        }
    }
    return best;
}

/* ---- cycles */

static void nominate(mechanism *m, bl_index col) {
    if (!m->is_candidate[col]) {
        m->is_candidate[col] = 1;
        m->candidate[m->ncandidate++] = col;
    }
}

static void moved(void *user, bl_index row, bl_index from, bl_index to) {
    mechanism *m = user;
    bl_index col[2];
    if (from == 3)
        leave_group(m, row);
    if (from == 2) {
        bl_index n = columns_of(&m->active, row, 2, col);
        for (bl_index k = 0; k < n; k++)
            if (m->active.heap[2].score[col[k]] == 2)
                nominate(m, col[k]);
    }
    if (to == 2 && columns_of(&m->active, row, 1, col))
        nominate(m, col[0]);
    if (to == 3)
        join_group(m, row);
}

/* live rows of count 2 in a column that has two of them */
static void two_rows(const bl_active *a, bl_index col, bl_index row[2]) {
    bl_index n = 0;
    for (bl_index k = a->pattern->ptr[col]; k < a->pattern->ptr[col + 1] && n < 2; k++)
        if (a->row_live[a->pattern->idx[k]] && a->row_count[a->pattern->idx[k]] == 2)
            row[n++] = a->pattern->idx[k];
}

static bl_index other_column(const bl_active *a, bl_index row, bl_index col) {
    bl_index c[2];
    columns_of(a, row, 2, c);
    return c[0] == col ? c[1] : c[0];
}

/* Columns with exactly two entries in rows of count 2: do those rows close a cycle of two or three? */
static bool find_cycle(const bl_active *a, bl_index col, cycle *found) {
    const bl_index *degree = a->heap[2].score;
    if (!a->col_live[col] || degree[col] != 2)
        return false;
    bl_index row[2], more[2];
    two_rows(a, col, row);
    bl_index one = other_column(a, row[0], col), two = other_column(a, row[1], col);
    if (degree[one] != 2 || degree[two] != 2)
        return false;
    *found = (cycle){.size = one == two ? 2 : 3, .row = {row[0], row[1]}};
    if (one != two) {
        two_rows(a, one, more);
        found->row[2] = more[0] == row[0] ? more[1] : more[0];
        if (other_column(a, found->row[2], one) != two)
            return false;
    }
    bl_sort_index(found->size, found->row);
    /* around the cycle from the first row's first column, so that every row is paired with its own column */
    bl_index c[2];
    columns_of(a, found->row[0], 2, c);
    found->col[0] = c[0];
    if (found->size == 2) {
        found->col[1] = c[1];
        return true;
    }
    two_rows(a, c[1], row);
    bl_index second = row[0] == found->row[0] ? row[1] : row[0], third = other_column(a, second, c[1]);
    found->col[1] = second == found->row[1] ? c[1] : third;
    found->col[2] = second == found->row[1] ? third : c[1];
    return true;
}

static int by_first_row(const void *a, const void *b) {
    bl_index x = ((const cycle *)a)->row[0], y = ((const cycle *)b)->row[0];
    return (x > y) - (x < y);
}

static bool take_cycles(mechanism *m) {
    bl_index n = 0;
    for (bl_index k = 0; k < m->ncandidate; k++) {
        double worth;
        cycle *c = &m->cycle[n];
        m->is_candidate[m->candidate[k]] = 0;
        if (find_cycle(&m->active, m->candidate[k], c) && is_good_block(m, c->size, c->row, c->col, &worth))
            n++;
    }
    m->ncandidate = 0;
    qsort(m->cycle, (size_t)n, sizeof *m->cycle, by_first_row);
    for (bl_index k = 0; k < n; k++)
        if (k == 0 || m->cycle[k].row[0] != m->cycle[k - 1].row[0])
            bl_active_block(&m->active, m->cycle[k].size, m->cycle[k].row, m->cycle[k].col);
    return n > 0;
}

/* ---- rules */

/* The best column for rows of this count that offers a good pivot in one of them: a 1x1 block. The row's other columns, and the best
 * column when no pivot is good, go to the border. */
static void take_single(mechanism *m, bl_index count) {
    bl_active *a = &m->active;
    const bl_pattern *p = a->pattern;
    bl_index col, chosen = -1, nhidden = 0;
    while (chosen < 0 && (col = bl_active_best(a, count)) >= 0) {
        double best = 0, worth;
        for (bl_index k = p->ptr[col]; k < p->ptr[col + 1]; k++) {
            bl_index row = p->idx[k];
            if (a->row_live[row] && a->row_count[row] == count && is_good_block(m, 1, &row, &col, &worth) && (chosen < 0 || worth > best)) {
                chosen = row;
                best = worth;
            }
        }
        if (chosen < 0) {
            bl_active_hide(a, count, col);
            m->hidden[nhidden++] = col;
        }
    }
    for (bl_index k = 0; k < nhidden; k++)
        bl_active_show(a, count, m->hidden[k]);
    if (chosen < 0) {
        bl_active_to_border(a, bl_active_best(a, count));
        return;
    }
    bl_index all[3], n = columns_of(a, chosen, 3, all);
    for (bl_index k = 0; k < n; k++)
        if (all[k] != col)
            bl_active_to_border(a, all[k]);
    bl_active_block(a, 1, &chosen, &col);
}

static bool take_triple(mechanism *m) {
    for (group *g; (g = next_group(m, 3));) {
        bl_index row[MOST_ROWS], chosen[3], n = rows_of_group(m, g, row);
        bool found = false;
        double best = 0, worth;
        if (!m->rules->worth)
            n = 3; /* all are equal: the first ones */
        for (bl_index i = 0; i < n; i++)
            for (bl_index j = i + 1; j < n; j++)
                for (bl_index k = j + 1; k < n; k++) {
                    bl_index three[3] = {row[i], row[j], row[k]};
                    if (is_good_block(m, 3, three, g->col, &worth) && (!found || worth > best)) {
                        memcpy(chosen, three, sizeof chosen);
                        best = worth;
                        found = true;
                    }
                }
        if (found) {
            bl_active_block(&m->active, 3, chosen, (bl_index[]){g->col[0], g->col[1], g->col[2]});
            return true;
        }
        g->no_triple = true;
    }
    return false;
}

static bool take_pair(mechanism *m) {
    bl_active *a = &m->active;
    for (group *g; (g = next_group(m, 2));) {
        bl_index row[MOST_ROWS], n = rows_of_group(m, g, row), pair[2], order[3] = {0, 1, 2}, out = -1;
        double best = 0, worth;
        for (int i = 1; i < 3; i++) /* columns with most entries first */
            for (int j = i; j > 0 && a->col_count[g->col[order[j]]] > a->col_count[g->col[order[j - 1]]]; j--) {
                bl_index swap = order[j];
                order[j] = order[j - 1];
                order[j - 1] = swap;
            }
        for (int c = 0; c < 3; c++)
            for (bl_index i = 0; i < n; i++)
                for (bl_index j = i + 1; j < n; j++) {
                    bl_index two[2] = {row[i], row[j]}, col[2] = {g->col[order[c] == 0], g->col[order[c] == 2 ? 1 : 2]};
                    if (is_good_block(m, 2, two, col, &worth) && (out < 0 || worth > best)) {
                        memcpy(pair, two, sizeof pair);
                        out = order[c];
                        best = worth;
                    }
                }
        if (out >= 0) {
            bl_index col[2] = {g->col[out == 0], g->col[out == 2 ? 1 : 2]};
            bl_active_to_border(a, g->col[out]);
            bl_active_block(a, 2, pair, col);
            return true;
        }
        g->no_pair = true;
    }
    return false;
}

static void step(mechanism *m, bl_index count) {
    bl_active *a = &m->active;
    if (count == 0) {
        bl_index n = bl_active_rows(a, 0);
        for (bl_index k = 0; k < n; k++)
            bl_active_to_band(a, a->scratch[k]);
    } else if (count == 1) {
        take_single(m, 1);
    } else if (count == 2 && take_cycles(m)) {
        return;
    } else if (count <= 3) {
        bool threes = a->head[3] >= 0;
        if (threes && (take_triple(m) || (!m->rules->literal && take_pair(m))))
            return;
        take_single(m, threes ? 3 : 2);
    } else {
        bl_active_to_border(a, bl_active_best(a, count));
    }
}

/* ---- storage */

static bl_status reserve(const bl_order_input *in, mechanism *m) {
    bl_index nrow = in->pattern->nrow, ncol = in->pattern->ncol;
    for (m->nbucket = 16; m->nbucket < nrow && m->nbucket < 1 << 29;)
        m->nbucket *= 2;
    BL_TRY(BL_ARENA_ARRAYS(in->arena, BL_ARRAY(m->bucket, m->nbucket), BL_ARRAY(m->several, nrow), BL_ARRAY(m->group_of, nrow),
                           BL_ARRAY(m->next, nrow), BL_ARRAY(m->prev, nrow), BL_ARRAY(m->candidate, ncol), BL_ARRAY(m->hidden, ncol),
                           BL_ARRAY(m->group, nrow), BL_ARRAY(m->cycle, ncol + 1), BL_ARRAY(m->is_candidate, ncol)));
    memset(m->bucket, -1, (size_t)m->nbucket * sizeof *m->bucket);
    return BL_OK;
}

bl_status bl_mechanism_order(const bl_order_input *in, const bl_mechanism_rules *rules, bl_ordering *out) {
    mechanism own = {.rules = rules}, *m = &own;
    bl_active *a = &m->active;
    const bl_pattern *p = in->pattern;
    if ((rules->angles && !in->col_mark) || (rules->closures && !in->row_mark))
        return bl_fail(in->ctx, BL_E_ARG, NULL, "mechanism: the matrix has no marks for the %s that are %s",
                       rules->angles && !in->col_mark ? "columns" : "rows",
                       rules->angles && !in->col_mark ? "relative coordinates" : "loop-closure equations");
    a->busiest_first = true;
    BL_TRY(bl_active_create(in, out, a));
    BL_TRY(reserve(in, m));
    for (bl_index j = 0; rules->angles && j < p->ncol; j++)
        if (in->col_mark[j] == BL_COL_ANGLE || in->col_mark[j] == BL_COL_DISTANCE)
            bl_active_to_border(a, j);
    for (bl_index i = 0; rules->closures && i < p->nrow; i++)
        if (in->row_mark[i] == BL_ROW_CLOSURE)
            bl_active_to_band(a, i);
    a->moved = moved;
    a->user = m;
    for (bl_index i = 0; i < p->nrow; i++)
        if (a->row_live[i])
            moved(m, i, -1, a->row_count[i]);
    for (bl_index count; (count = bl_active_least(a)) >= 0;)
        step(m, count);
    bl_active_finish(a);
    return BL_OK;
}

/* ---- the kind */

enum { P_ANGLES, P_CLOSURES, P_LITERAL };
static const bl_param params[] = {
    [P_ANGLES] = {"angles", BL_P_FLAG, 0, 0, NULL, NULL, "angles and distances start in the border"},
    [P_CLOSURES] = {"closures", BL_P_FLAG, 0, 0, NULL, NULL, "equations that close loops start in the band"},
    [P_LITERAL] = {"literal", BL_P_FLAG, 0, 0, NULL, NULL, "two rows with the same three columns give a 1x1 block and two border columns"},
    {0},
};

static bl_status mechanism_order(const bl_order_input *in, bl_ordering *out) {
    const bl_mechanism_rules rules = {.angles = in->value[P_ANGLES].number != 0,
                                      .closures = in->value[P_CLOSURES].number != 0,
                                      .literal = in->value[P_LITERAL].number != 0};
    return bl_mechanism_order(in, &rules, out);
}

const bl_order_kind bl_order_mechanism = {
    .kind = {.name = "mechanism",
             .help = "bordered block lower triangular form with blocks of size 1, 2 and 3",
             .params = params,
             .gives = BL_ORDER_RECTANGULAR | BL_ORDER_BLOCKS | BL_ORDER_BORDER},
    .order = mechanism_order,
};
