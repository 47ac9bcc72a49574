/* Rows and columns paired where the search of BTF takes too long: the rank is that of augmenting paths one by one; failing memory. */
#include "order/order.h"
#include "sparse/sparse.h"
#include "support/testing.h"

#include <btf.h>
#include <string.h>

enum { LEAVES = 200, MOST = 24, ENTRIES = 3 * LEAVES + 1 + MOST * MOST };

/* A column with all rows of the leaves and row h, after the leaves' own columns; then columns with row h alone, each of which searches the
 * long one without success; then a random block, which is left over when BTF reaches its limit of work. */
typedef struct trial {
    bl_pattern pattern;
    bl_index m, n;         /* of the block */
    uint8_t a[MOST][MOST]; /* its entries */
} trial;

static bl_status make(bl_context *ctx, test_random *random, trial *t) {
    bl_index row[ENTRIES], col[ENTRIES], count = 0;
    t->m = 1 + test_random_below(random, MOST);
    t->n = 1 + test_random_below(random, MOST);
    for (bl_index i = 0; i < LEAVES; i++) {
        row[count] = i;
        col[count++] = i;
        row[count] = i;
        col[count++] = LEAVES;
        row[count] = LEAVES;
        col[count++] = LEAVES + 1 + i;
    }
    row[count] = LEAVES;
    col[count++] = LEAVES;
    for (bl_index j = 0; j < t->n; j++)
        for (bl_index i = 0; i < t->m; i++) {
            t->a[i][j] = test_random_below(random, 4 + t->n / 2) < 3;
            if (t->a[i][j]) {
                row[count] = LEAVES + 1 + i;
                col[count++] = 2 * LEAVES + 1 + j;
            }
        }
    return bl_pattern_build(ctx, LEAVES + 1 + t->m, 2 * LEAVES + 1 + t->n, count, row, col, &t->pattern, NULL);
}

static bool augment(const trial *t, bl_index j, bl_index *match, bool *seen) {
    for (bl_index i = 0; i < t->m; i++)
        if (t->a[i][j] && !seen[i]) {
            seen[i] = true;
            if (match[i] < 0 || augment(t, match[i], match, seen)) {
                match[i] = j;
                return true;
            }
        }
    return false;
}

static bl_index rank_of_block(const trial *t) {
    bl_index match[MOST], rank = 0;
    memset(match, -1, sizeof match);
    for (bl_index j = 0; j < t->n; j++) {
        bool seen[MOST] = {false};
        rank += augment(t, j, match, seen);
    }
    return rank;
}

static bool has_entry(const bl_pattern *p, bl_index i, bl_index j) {
    for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++)
        if (p->idx[e] == i)
            return true;
    return false;
}

static void transversal__is_complete_where_the_work_of_btf_is_spent(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(8)};
    for (int round = 0; round < 300; round++) {
        trial t;
        bl_index match[LEAVES + 1 + MOST], rank, pairs = 0, work[5 * (2 * LEAVES + 1 + MOST)], idx[ENTRIES];
        bool taken[2 * LEAVES + 1 + MOST] = {false};
        double done;
        assert_int_equal(make(ctx, &random, &t), BL_OK);
        bl_pattern *p = &t.pattern;
        btf_maxtrans(p->nrow, p->ncol, (bl_index *)p->ptr, (bl_index *)p->idx, BL_TRANSVERSAL_WORK, &done, match, work);
        assert_true(done < 0);
        assert_int_equal(bl_transversal(ctx, p, match, &rank), BL_OK);
        assert_int_equal(rank, LEAVES + 1 + rank_of_block(&t));
        for (bl_index i = 0; i < p->nrow; i++)
            if (match[i] >= 0) {
                assert_true(has_entry(p, i, match[i]));
                assert_false(taken[match[i]]);
                taken[match[i]] = true;
                pairs++;
            }
        assert_int_equal(pairs, rank);
        /* with the pair of every column first, BTF finds all of them, however little work it may do */
        assert_int_equal(bl_transversal_first(ctx, p, idx), BL_OK);
        assert_int_equal(btf_maxtrans(p->nrow, p->ncol, (bl_index *)p->ptr, idx, 1e-9, &done, match, work), rank);
        bl_pattern_free(ctx, &t.pattern);
    }
    test_context_end(ctx);
}

static bl_status pair_up(bl_context *ctx, void *unused) {
    (void)unused;
    test_random random = {5};
    trial t = {0};
    bl_index idx[ENTRIES];
    bl_status status = make(ctx, &random, &t);
    if (status == BL_OK)
        status = bl_transversal_first(ctx, &t.pattern, idx);
    bl_pattern_free(ctx, &t.pattern);
    return status;
}

static void failing_allocations__are_survived(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(pair_up, NULL) > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transversal__is_complete_where_the_work_of_btf_is_spent),
        cmocka_unit_test(failing_allocations__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
