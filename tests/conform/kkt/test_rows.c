/* Every scene in every kind of coordinates: the sparse selection of rows compared with complete pivoting of a dense copy, and the rows
 * reported as redundant compared with the ranks of the first rows in the order of the rule. */
#include "kkt/row_choice.h"

#include "dense/dense.h"
#include "study/run.h"
#include "support/overconstrained.h"
#include "support/testing.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const scenes[] = {"pendulum",         "double_pendulum", "four_bar",    "slider_crank",         "five_bar_pendulum",
                                     "tether",           "bricard",         "bricard_cut", "n_four_bar",           "andrews",
                                     "flyball_governor", "vehicle",         "heavy_top",   "spatial_slider_crank", "w3_chain",
                                     "jansen_leg",       "quick_return",    "car_axis",    "slewing_linkage",      "change_point_four_bar"};
static const char *const kinds[] = {"natural", "mixed", "reference", "reference:matrix", "reference:angles", "reference:view=tangent",
                                    "relative"};
enum { NSCENE = sizeof scenes / sizeof *scenes, NKIND = sizeof kinds / sizeof *kinds };

typedef struct bench {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval e;
    bl_rows_ask ask;
    char label[96];
} bench;

static void expect(const bench *b, bl_status status) {
    if (status != BL_OK)
        fail_msg("%s: %s (%s)", b->label, bl_context_error(b->ctx)->what, bl_context_error(b->ctx)->advice);
}

static void prepare(bench *b, const char *kind) {
    expect(b, bl_run_prepare(b->ctx, b->model, kind, &b->sys, &b->state));
    expect(b, bl_eval_create(b->sys, BL_G, &b->e));
    bl_eval_at(&b->e, &b->state);
    if (b->sys->np > 0)
        expect(b, bl_system_eval(b->sys, &b->e, BL_G));
    b->ask = (bl_rows_ask){.sys = b->sys, .G = b->e.G, .tolerance = bl_rank_tolerance(b->sys->closure)};
}

static void finish(bench *b) {
    bl_eval_destroy(b->sys, &b->e);
    bl_state_destroy(b->sys, &b->state);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
}

static bench open_scene(const char *scene, const char *kind) {
    bench b = {.ctx = test_context(NULL)};
    char file[300];
    snprintf(b.label, sizeof b.label, "%s, %s", scene, kind);
    snprintf(file, sizeof file, SCENES "/%s.yaml", scene);
    expect(&b, bl_model_read(b.ctx, file, NULL, 0, &b.model));
    prepare(&b, kind);
    return b;
}

/* scaled rows in the order of `rows`, dense */
static void scaled(const bench *b, const bl_index *rows, bl_index count, double *a) {
    const bl_system *sys = b->sys;
    bl_index *place = malloc((size_t)sys->np * sizeof *place + 1);
    memset(a, 0, (size_t)count * (size_t)sys->nv * sizeof *a);
    for (bl_index i = 0; i < sys->np; i++)
        place[i] = -1;
    for (bl_index k = 0; k < count; k++)
        place[rows ? rows[k] : k] = k;
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            bl_index i = sys->pat_G.idx[k];
            if (place[i] >= 0)
                a[(size_t)j * (size_t)count + (size_t)place[i]] = b->e.G[k] / sys->row[i].scale * sys->col[j].scale;
        }
    free(place);
}

/* largest |R| of J R = -G_free for these pivots; 0: none is free */
static double largest_R(const bench *b, const bl_index *rows, const bl_index *cols, bl_index r) {
    bl_index n = b->sys->nv, f = n - r;
    double *a = malloc((size_t)r * (size_t)n * sizeof *a + 1), largest = 0;
    scaled(b, rows, r, a);
    double *J = malloc((size_t)r * (size_t)n * sizeof *J + 1);
    for (bl_index k = 0; k < n; k++)
        memcpy(J + (size_t)k * (size_t)r, a + (size_t)cols[k] * (size_t)r, (size_t)r * sizeof *J);
    /* Gauss-Jordan with row pivoting: the free columns then contain R */
    for (bl_index k = 0; k < r; k++) {
        bl_index p = k;
        for (bl_index i = k; i < r; i++)
            p = fabs(J[i + k * r]) > fabs(J[p + k * r]) ? i : p;
        for (bl_index j = 0; j < n; j++) {
            double keep = J[k + j * r];
            J[k + j * r] = J[p + j * r];
            J[p + j * r] = keep;
        }
        for (bl_index i = 0; i < r; i++) {
            double l = i == k ? 0 : J[i + k * r] / J[k + k * r];
            for (bl_index j = k; j < n && l != 0; j++)
                J[i + j * r] -= l * J[k + j * r];
        }
        for (bl_index j = n - 1; j >= k; j--)
            J[k + j * r] /= J[k + k * r];
    }
    for (bl_index k = 0; k < r * f; k++)
        largest = fmax(largest, fabs(J[r * r + k]));
    free(a);
    free(J);
    return largest;
}

static void choice__is_as_good_as_complete_pivoting(void **unused) {
    (void)unused;
    for (int s = 0; s < NSCENE; s++)
        for (int k = 0; k < NKIND; k++) {
            bench b = open_scene(scenes[s], kinds[k]);
            bl_index m = b.sys->np, n = b.sys->nv, rank = 0;
            if (m > 0) {
                double *a = malloc((size_t)m * (size_t)n * sizeof *a);
                bl_index *order = malloc((size_t)(m + n) * sizeof *order);
                scaled(&b, NULL, m, a);
                double tolerance = bl_rank_relative((size_t)m * (size_t)n, a, b.sys->row_size, b.ask.tolerance);
                bl_rank_reveal(m, n, a, NULL, NULL, NULL, tolerance, order, order + m, &rank, NULL);
                bl_elimination e;
                expect(&b, bl_rows_eliminate(&b.ask, &e));
                if (e.rank != rank)
                    fail_msg("%s: rank %d, by complete pivoting %d", b.label, (int)e.rank, (int)rank);
                /* the same to an order of magnitude: `partition` exchanges coordinates above 4, and accepts configurations up to 100 */
                double dense = largest_R(&b, order, order + m, rank), sparse = largest_R(&b, e.row, e.col, rank);
                if (!(sparse <= 10 * fmax(1, dense)))
                    fail_msg("%s: largest |R| %.3g, by complete pivoting %.3g", b.label, sparse, dense);
                bl_elimination_free(&e);
                free(order);
                free(a);
            }
            finish(&b);
        }
}

static bl_index prefix_rank(const bench *b, const bl_index *rows, bl_index count) {
    bl_index n = b->sys->nv, rank = 0;
    if (count == 0)
        return 0;
    double *a = malloc((size_t)count * (size_t)n * sizeof *a);
    bl_index *order = malloc((size_t)(count + n) * sizeof *order);
    scaled(b, rows, count, a);
    bl_rank_reveal(count, n, a, NULL, NULL, NULL, b->ask.tolerance, order, order + count, &rank, NULL);
    free(order);
    free(a);
    return rank;
}

static void named_rows__depend_on_earlier_ones(void **unused) {
    (void)unused;
    static const char *const some[] = {"bricard", "bricard_cut", "four_bar", "n_four_bar", "flyball_governor", "slider_crank"};
    for (size_t s = 0; s < sizeof some / sizeof *some; s++)
        for (int k = 0; k < NKIND; k++) {
            bench b = open_scene(some[s], kinds[k]);
            bl_index m = b.sys->np, n = b.sys->nv, rank = 0, before = 0, found = 0;
            if (m > 0) {
                bl_index *order = malloc((size_t)(3 * m + n) * sizeof *order), *named = order + m + n, *priority = named + m;
                expect(&b, bl_rows_choose(&b.ask, order, order + m, &rank));
                expect(&b, bl_rows_redundant(&b.ask, rank, named));
                expect(&b, bl_rows_priority(b.sys, priority));
                for (bl_index i = 0; i < m; i++)
                    order[priority[i]] = i;
                for (bl_index i = 0; i < m; i++) {
                    bl_index next = prefix_rank(&b, order, i + 1);
                    if (next == before) {
                        if (found >= m - rank || named[found] != order[i])
                            fail_msg("%s: row %d of the order depends on earlier ones and is not named", b.label, (int)i);
                        found++;
                    }
                    before = next;
                }
                assert_int_equal(found, m - rank);
                free(order);
            }
            finish(&b);
        }
}

/* closed by rows: the joint they belong to, else -1 */
static bl_index joint_of(const bl_row *row) {
    if (row->what == BL_ROW_RIGID || row->what == BL_ROW_PARAM)
        return row->partner;
    return row->owner;
}

static void the_last_joint__is_named_in_all_coordinates(void **unused) {
    (void)unused;
    char text[TEST_OVERCONSTRAINED_TEXT];
    for (int i = 0; i < test_noverconstrained; i++)
        for (int k = 0; k < NKIND - 1; k++) { /* relative: only joints that close loops have rows */
            const test_overconstrained *mechanism = &test_overconstrained_list[i];
            bench b = {.ctx = test_context(NULL)};
            snprintf(b.label, sizeof b.label, "%s, %s", mechanism->name, kinds[k]);
            test_overconstrained_write(mechanism, 0, text);
            expect(&b, bl_model_read_text(b.ctx, mechanism->name, text, strlen(text), NULL, 0, &b.model));
            prepare(&b, kinds[k]);
            bl_index m = b.sys->np, n = b.sys->nv, rank = 0;
            bl_index *order = malloc((size_t)(2 * m + n) * sizeof *order), *named = order + m + n;
            expect(&b, bl_rows_choose(&b.ask, order, order + m, &rank));
            expect(&b, bl_rows_redundant(&b.ask, rank, named));
            for (bl_index r = 0; r < m - rank; r++) {
                bl_index joint = joint_of(&b.sys->row[named[r]]);
                const char *name = joint >= 0 ? b.model->joint[joint].name : "none";
                if (strcmp(name, mechanism->last) != 0)
                    fail_msg("%s: a row of joint %s is named, not of %s", b.label, name, mechanism->last);
            }
            free(order);
            finish(&b);
        }
}

/* positions first, whatever the pivots: a row of velocities is kept only if it is independent of them */
static void velocity_rows__never_displace_position_rows(void **unused) {
    (void)unused;
    bench b = open_scene("bricard", "reference");
    bl_index m = b.sys->np, n = b.sys->nv, rank = 0, all = 0;
    bl_index *order = malloc((size_t)(m + n) * sizeof *order), *rows = malloc((size_t)m * sizeof *rows);
    expect(&b, bl_rows_choose(&b.ask, order, order + m, &all));
    for (bl_index turn = 0; turn < m; turn += 5) {
        bl_index positions = 0, kept = 0;
        for (bl_index i = 0; i < m; i++)
            if (i % 7 != turn % 7)
                rows[positions++] = i;
        for (bl_index i = 0; i < m; i++)
            ((bl_row *)(uintptr_t)&b.sys->row[i])->level = i % 7 == turn % 7 ? BL_AT_VELOCITY : BL_AT_POSITION;
        expect(&b, bl_rows_choose(&b.ask, order, order + m, &rank));
        assert_int_equal(rank, all);
        for (bl_index k = 0; k < rank; k++)
            kept += b.sys->row[order[k]].level == BL_AT_POSITION;
        assert_int_equal(kept, prefix_rank(&b, rows, positions));
    }
    free(order);
    free(rows);
    finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice__is_as_good_as_complete_pivoting),
        cmocka_unit_test(named_rows__depend_on_earlier_ones),
        cmocka_unit_test(the_last_joint__is_named_in_all_coordinates),
        cmocka_unit_test(velocity_rows__never_displace_position_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
