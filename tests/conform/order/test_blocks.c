/* Orderings into block form: the documented form on thousands of patterns, the same result as a naive implementation of their rules. */
#include "conform/order/naive.h"

#include <stdio.h>
#include <stdlib.h>

/* any shape: square, tall, wide, with empty rows and columns, from nearly empty to full */
static bl_pattern any_pattern(bl_context *ctx, test_random *random, bl_index most) {
    bl_index nrow = 1 + test_random_below(random, most), ncol = 1 + test_random_below(random, most);
    if (test_random_below(random, 2))
        ncol = nrow;
    double per_row = 0.5 + 4 * test_random_unit(random) * (test_random_below(random, 4) ? 1 : 3);
    return test_pattern_random(ctx, random, nrow, ncol, (bl_index)(per_row * nrow), test_random_below(random, 2));
}

/* entities of three columns, rows of products of a few: similar to a mechanism */
static bl_pattern mechanical_pattern(bl_context *ctx, test_random *random, bl_index most) {
    bl_index nentity = 1 + test_random_below(random, most / 4), ncol = 3 * nentity + test_random_below(random, 3);
    bl_index nrow = ncol + test_random_below(random, 4), npair = 0;
    bl_index *row = malloc((size_t)(10 * nrow) * sizeof *row), *col = malloc((size_t)(10 * nrow) * sizeof *col);
    assert_true(row && col);
    for (bl_index i = 0; i < nrow; i++) {
        bl_index factors = test_random_below(random, 3) + 1, near = test_random_below(random, nentity);
        for (bl_index f = 0; f < factors; f++) {
            bl_index e = (near + test_random_below(random, 3)) % nentity, first = test_random_below(random, 8) ? 0 : 1;
            for (bl_index x = first; x < 3; x++) {
                row[npair] = i;
                col[npair++] = 3 * e + x;
            }
        }
        if (ncol > 3 * nentity && test_random_below(random, 5) == 0) {
            row[npair] = i;
            col[npair++] = 3 * nentity + test_random_below(random, ncol - 3 * nentity);
        }
    }
    bl_pattern pattern;
    assert_int_equal(bl_pattern_build(ctx, nrow, ncol, npair, row, col, &pattern, NULL), BL_OK);
    free(row);
    free(col);
    return pattern;
}

static void same(const bl_ordering *one, const bl_ordering *two) {
    assert_memory_equal(one->row, two->row, (size_t)one->nrow * sizeof *one->row);
    assert_memory_equal(one->col, two->col, (size_t)one->ncol * sizeof *one->col);
    assert_int_equal(one->nblock, two->nblock);
    assert_memory_equal(one->block, two->block, ((size_t)one->nblock + 1) * sizeof *one->block);
    assert_int_equal(one->border, two->border);
    assert_int_equal(one->band, two->band);
}

static void block_orderings__have_the_form_they_claim(void **unused) {
    (void)unused;
    test_random random = {test_seed(401)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 3000; trial++) {
        bl_pattern p = (trial % 3 ? any_pattern : mechanical_pattern)(ctx, &random, 45);
        for (size_t k = 0; k < bl_order_kind_count; k++) {
            const bl_kind *kind = &bl_order_kinds[k]->kind;
            if (!(kind->gives & BL_ORDER_BLOCKS))
                continue;
            bl_ordering one, two;
            assert_int_equal(bl_order_pattern(ctx, kind->name, &p, &one), BL_OK);
            assert_int_equal(bl_order_pattern(ctx, kind->name, &p, &two), BL_OK);
            test_block_form(&p, &one);
            same(&one, &two);
            bl_ordering_free(ctx, &one);
            bl_ordering_free(ctx, &two);
        }
        bl_pattern_free(ctx, &p);
    }
    test_context_end(ctx);
}

/* ---- block triangular form, by matching row by row and the transitive closure of the digraph (Warshall) */

static bool match_row(const naive *n, bl_index i, bool *seen, bl_index *row_of) {
    for (bl_index j = 0; j < n->ncol; j++) {
        if (!n->a[i][j] || seen[j])
            continue;
        seen[j] = true;
        if (row_of[j] < 0 || match_row(n, row_of[j], seen, row_of)) {
            row_of[j] = i;
            return true;
        }
    }
    return false;
}

static bl_index structural_rank(const naive *n, bl_index row_of[NAIVE_MOST]) {
    bl_index rank = 0;
    for (bl_index j = 0; j < NAIVE_MOST; j++)
        row_of[j] = -1;
    for (bl_index i = 0; i < n->nrow; i++) {
        bool seen[NAIVE_MOST] = {false};
        rank += match_row(n, i, seen, row_of);
    }
    return rank;
}

/* reach[i][k]: from row i to row k along entries and partners */
static void close(const naive *n, const bl_index *row_of, bool reach[NAIVE_MOST][NAIVE_MOST]) {
    memset(reach, 0, sizeof(bool[NAIVE_MOST][NAIVE_MOST]));
    for (bl_index i = 0; i < n->nrow; i++)
        for (bl_index j = 0; j < n->ncol; j++)
            if (n->a[i][j] && row_of[j] >= 0)
                reach[i][row_of[j]] = true;
    for (bl_index k = 0; k < n->nrow; k++)
        for (bl_index i = 0; i < n->nrow; i++)
            for (bl_index j = 0; reach[i][k] && j < n->nrow; j++)
                reach[i][j] |= reach[k][j];
}

static void btf__blocks_are_the_strong_components(void **unused) {
    (void)unused;
    test_random random = {test_seed(402)};
    bl_context *ctx = test_context(NULL);
    static naive n;
    static bool reach[NAIVE_MOST][NAIVE_MOST];
    int regular = 0;
    for (int trial = 0; trial < 2000; trial++) {
        bl_pattern p = any_pattern(ctx, &random, 40);
        bl_index row_of[NAIVE_MOST], block_of[NAIVE_MOST];
        bl_ordering o;
        naive_begin(&n, &p);
        assert_int_equal(bl_order_pattern(ctx, "btf", &p, &o), BL_OK);
        bl_index rank = structural_rank(&n, row_of);
        assert_int_equal(o.block[o.nblock], rank);
        /* with its own pairs: every diagonal entry exists, every block is strongly connected, so it cannot be split */
        for (bl_index j = 0; j < p.ncol; j++)
            row_of[j] = -1;
        for (bl_index b = 0; b < o.nblock; b++)
            for (bl_index k = o.block[b]; k < o.block[b + 1]; k++) {
                assert_true(n.a[o.row[k]][o.col[k]]);
                row_of[o.col[k]] = o.row[k];
                block_of[o.row[k]] = b;
            }
        close(&n, row_of, reach);
        for (bl_index b = 0; b < o.nblock; b++)
            for (bl_index k = o.block[b]; k < o.block[b + 1]; k++)
                for (bl_index l = o.block[b]; l < o.block[b + 1]; l++)
                    assert_true(reach[o.row[k]][o.row[l]]);
        /* a regular matrix has one block triangular form, whatever the pairs: the naive pairs give the same blocks */
        if (rank == p.nrow && rank == p.ncol) {
            regular++;
            structural_rank(&n, row_of);
            close(&n, row_of, reach);
            for (bl_index i = 0; i < p.nrow; i++)
                for (bl_index k = 0; k < p.nrow; k++)
                    assert_int_equal(block_of[i] == block_of[k], i == k || (reach[i][k] && reach[k][i]));
        }
        bl_ordering_free(ctx, &o);
        bl_pattern_free(ctx, &p);
    }
    assert_true(regular > 300);
    test_context_end(ctx);
}

/* ---- P5 and mechanism: naive implementation of the rules */

static void expect_naive(const naive *n, const bl_ordering *o, bool diagonal_too) {
    assert_int_equal(o->nblock, n->nblock);
    for (bl_index b = 0, place = 0; b < n->nblock; place += n->size[b++]) {
        assert_int_equal(o->block[b], place);
        assert_int_equal(o->block[b + 1] - place, n->size[b]);
        bl_index rows = 0, cols = 0; /* within a block columns may have another order */
        for (bl_index k = place; k < place + n->size[b]; k++) {
            assert_int_equal(o->row[k], n->row[k]);
            if (diagonal_too)
                assert_int_equal(o->col[k], n->col[k]);
            assert_true(n->a[o->row[k]][o->col[k]]);
            for (bl_index l = place; l < place + n->size[b]; l++) {
                rows += o->row[k] == n->row[l];
                cols += o->col[k] == n->col[l];
            }
        }
        assert_int_equal(rows, n->size[b]);
        assert_int_equal(cols, n->size[b]);
    }
    assert_int_equal(o->border, n->nborder);
    assert_int_equal(o->band, n->nband);
    assert_memory_equal(o->row + n->placed, n->band, (size_t)n->nband * sizeof *n->band);
}

static bool same_set(bl_index n, const bl_index *one, const bl_index *two) {
    bl_index hits = 0;
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = 0; j < n; j++)
            hits += one[i] == two[j];
    return hits == n;
}

static void p5_and_mechanism__follow_their_rules(void **unused) {
    (void)unused;
    test_random random = {test_seed(403)};
    bl_context *ctx = test_context(NULL);
    static naive n;
    const char *specs[] = {"p5", "mechanism", "mechanism:literal=true", "mechanism_robust"};
    int twos = 0, threes = 0;
    for (int trial = 0; trial < 1500; trial++) {
        bl_pattern p = (trial % 2 ? any_pattern : mechanical_pattern)(ctx, &random, trial % 10 ? 20 : 45);
        for (int k = 0; k < 4; k++) {
            bl_ordering o;
            assert_int_equal(bl_order_pattern(ctx, specs[k], &p, &o), BL_OK);
            naive_begin(&n, &p);
            if (k == 0)
                naive_p5(&n);
            else
                naive_mechanism(&n, k == 2);
            expect_naive(&n, &o, k == 0);
            assert_true(same_set(n.nborder, o.col + n.placed, n.border));
            twos += k == 1 ? test_blocks_of(&o, 2) : 0;
            threes += k == 1 ? test_blocks_of(&o, 3) : 0;
            bl_ordering_free(ctx, &o);
        }
        bl_pattern_free(ctx, &p);
    }
    assert_true(twos > 500 && threes > 500);
    test_context_end(ctx);
}

/* columns of blocks with an entry above the diagonal */
static bl_index spikes(const naive *n, const bl_ordering *o) {
    bl_index count = 0;
    for (bl_index l = 0; l < o->block[o->nblock]; l++) {
        bool above = false;
        for (bl_index k = 0; k < l; k++)
            above = above || n->a[o->row[k]][o->col[l]];
        count += above;
    }
    return count;
}

/* P3 on the complete matrix, and P4 on every block of btf as a separate matrix; P3's blocks cannot be divided further in that order */
static void p3_and_p4__follow_their_rules(void **unused) {
    (void)unused;
    test_random random = {test_seed(405)};
    bl_context *ctx = test_context(NULL);
    static naive n, part;
    for (int trial = 0; trial < 800; trial++) {
        bl_pattern p = (trial % 2 ? any_pattern : mechanical_pattern)(ctx, &random, 30);
        bl_ordering o, btf;
        naive_begin(&n, &p);
        naive_p3(&n);
        assert_int_equal(bl_order_pattern(ctx, "p3", &p, &o), BL_OK);
        assert_int_equal(o.block[o.nblock], n.placed);
        assert_memory_equal(o.row, n.row, (size_t)n.placed * sizeof *n.row);
        assert_memory_equal(o.col, n.col, (size_t)n.placed * sizeof *n.col);
        assert_true(same_set(n.nborder, o.col + n.placed, n.border));
        assert_int_equal(o.spikes, spikes(&n, &o));
        for (bl_index b = 0; b < o.nblock; b++)
            for (bl_index cut = o.block[b] + 1; cut < o.block[b + 1]; cut++) {
                bool across = false;
                for (bl_index k = o.block[b]; k < cut; k++)
                    for (bl_index l = cut; l < o.block[b + 1]; l++)
                        across = across || n.a[o.row[k]][o.col[l]];
                assert_true(across);
            }
        bl_ordering_free(ctx, &o);
        assert_int_equal(bl_order_pattern(ctx, "btf", &p, &btf), BL_OK);
        assert_int_equal(bl_order_pattern(ctx, "p4", &p, &o), BL_OK);
        assert_int_equal(o.nblock, btf.nblock);
        assert_memory_equal(o.block, btf.block, ((size_t)o.nblock + 1) * sizeof *o.block);
        assert_int_equal(o.border, btf.border);
        assert_int_equal(o.band, btf.band);
        for (bl_index b = 0, count = 0; b < o.nblock; b++) {
            naive_begin(&part, &p);
            memset(part.row_live, 0, sizeof part.row_live);
            memset(part.col_live, 0, sizeof part.col_live);
            for (bl_index k = o.block[b]; k < o.block[b + 1]; k++)
                part.row_live[btf.row[k]] = part.col_live[btf.col[k]] = true;
            naive_p3(&part);
            assert_int_equal(part.placed, o.block[b + 1] - o.block[b]);
            assert_memory_equal(o.row + o.block[b], part.row, (size_t)part.placed * sizeof *part.row);
            assert_memory_equal(o.col + o.block[b], part.col, (size_t)part.placed * sizeof *part.col);
            count += part.placed;
            if (b + 1 == o.nblock) {
                assert_int_equal(count, o.block[o.nblock]);
                assert_int_equal(o.spikes, spikes(&n, &o));
            }
        }
        bl_ordering_free(ctx, &o);
        bl_ordering_free(ctx, &btf);
        bl_pattern_free(ctx, &p);
    }
    test_context_end(ctx);
}

/* A triangle of rows with two columns each, longer cycles, stars: one rule after another on patterns with a known result. */
static void mechanism__takes_cycles_of_two_and_three_only(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (bl_index length = 2; length <= 6; length++) {
        bl_index row[12], col[12];
        for (bl_index i = 0; i < length; i++) {
            row[2 * i] = row[2 * i + 1] = i;
            col[2 * i] = i;
            col[2 * i + 1] = (i + 1) % length;
        }
        bl_pattern p;
        bl_ordering o;
        assert_int_equal(bl_pattern_build(ctx, length, length, 2 * length, row, col, &p, NULL), BL_OK);
        assert_int_equal(bl_order_pattern(ctx, "mechanism", &p, &o), BL_OK);
        if (length <= 3) {
            assert_int_equal(o.nblock, 1);
            assert_int_equal(o.border, 0);
        } else { /* one column is removed, the rest follows one by one */
            assert_int_equal(test_blocks_of(&o, 1), length - 1);
            assert_int_equal(o.border, 1);
        }
        bl_ordering_free(ctx, &o);
        bl_pattern_free(ctx, &p);
    }
    test_context_end(ctx);
}

static void singular_patterns__are_refused_where_regular_ones_are_asked(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const bl_index ptr[] = {0, 2, 4, 5}, idx[] = {0, 1, 0, 1, 0}; /* row 2 is empty */
    const bl_pattern p = {3, 3, ptr, idx};
    bl_ordering o;
    assert_int_equal(bl_order_pattern(ctx, "btf:regular=true", &p, &o), BL_SINGULAR);
    assert_string_equal(bl_context_error(ctx)->what, "the matrix of 3 rows and 3 columns has structural rank 2");
    assert_string_equal(bl_context_error(ctx)->advice, "row 2 cannot be paired with a column");
    bl_ordering_free(ctx, &o);
    const char *specs[] = {"btf", "p3", "p4", "p5", "mechanism"};
    for (int k = 0; k < 5; k++) {
        assert_int_equal(bl_order_pattern(ctx, specs[k], &p, &o), BL_OK);
        test_block_form(&p, &o);
        assert_int_equal(o.border, o.band);
        assert_true(o.border >= 1);
        bl_ordering_free(ctx, &o);
    }
    test_context_end(ctx);
}

static void forcing__needs_marks(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const bl_index ptr[] = {0, 1, 2}, idx[] = {0, 1};
    const bl_pattern p = {2, 2, ptr, idx};
    const uint8_t cols[] = {BL_COL_POINT, BL_COL_DISTANCE}, rows[] = {BL_ROW_CLOSURE, BL_ROW_RIGID};
    bl_ordering o;
    assert_int_equal(bl_order_pattern(ctx, "mechanism:angles=true", &p, &o), BL_E_ARG);
    bl_ordering_free(ctx, &o);
    assert_int_equal(bl_order_pattern(ctx, "mechanism:closures=true", &p, &o), BL_E_ARG);
    bl_ordering_free(ctx, &o);
    bl_order_input in = {.ctx = ctx, .pattern = &p, .row_mark = rows, .col_mark = cols};
    assert_int_equal(bl_order_run(&in, "mechanism:true,true", &o), BL_OK);
    test_block_form(&p, &o);
    assert_int_equal(o.nblock, 0); /* row 1 has its only entry in the border now */
    assert_int_equal(o.border, 2);
    assert_int_equal(o.col[0], 1);
    assert_int_equal(o.row[0], 0);
    bl_ordering_free(ctx, &o);
    test_context_end(ctx);
}

typedef struct ask {
    const bl_pattern *pattern;
    const char *spec;
} ask;

static bl_status order_once(bl_context *ctx, void *user) {
    const ask *a = user;
    bl_ordering out;
    bl_status status = bl_order_pattern(ctx, a->spec, a->pattern, &out);
    bl_ordering_free(ctx, &out);
    return status;
}

/* large enough for several pages of workspace */
static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    test_random random = {test_seed(404)};
    bl_context *ctx = test_context(NULL);
    bl_pattern p = test_pattern_random(ctx, &random, 900, 900, 2700, false);
    for (size_t k = 0; k < bl_order_kind_count; k++)
        if (bl_order_kinds[k]->kind.gives & BL_ORDER_BLOCKS)
            assert_true(test_failing_allocations(order_once, &(ask){&p, bl_order_kinds[k]->kind.name}) >= 4);
    bl_pattern_free(ctx, &p);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_orderings__have_the_form_they_claim),
        cmocka_unit_test(btf__blocks_are_the_strong_components),
        cmocka_unit_test(p5_and_mechanism__follow_their_rules),
        cmocka_unit_test(p3_and_p4__follow_their_rules),
        cmocka_unit_test(mechanism__takes_cycles_of_two_and_three_only),
        cmocka_unit_test(singular_patterns__are_refused_where_regular_ones_are_asked),
        cmocka_unit_test(forcing__needs_marks),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
