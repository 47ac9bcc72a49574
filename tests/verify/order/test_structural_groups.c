/* The ordering `groups` in reference coordinates, three per link, finds the structural groups of the mechanism driven by its independent
 * coordinate, in an order in which they can be solved: groups of the linkages as in the literature. The coordinates
 * `mixed:independent=groups` take the independent one from the structure. */
#include "support/testing.h"

#include "biela/biela.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 8192 };

/* a linkage whose link k is at a position of its own, with pins between the listed pairs; the first pair is the independent one */
static size_t write_linkage(char *text, int nlink, const int (*pair)[2], int npair) {
    size_t used = (size_t)snprintf(text, MOST, "model: linkage\ndimension: 2\nbodies:\n");
    for (int i = 2; i <= nlink; i++)
        used += (size_t)snprintf(text + used, MOST - used, "  - {name: b%d, mass: 1, center: [%g, %g], inertia: 1}\n", i, 0.3 * i,
                                 0.1 * i * i - 0.4 * i);
    used += (size_t)snprintf(text + used, MOST - used, "joints:\n");
    for (int k = 0; k < npair; k++) {
        char name[2][16];
        for (int side = 0; side < 2; side++)
            snprintf(name[side], sizeof name[side], pair[k][side] == 1 ? "ground" : "b%d", pair[k][side]);
        used += (size_t)snprintf(text + used, MOST - used, "  - {name: j%d, type: revolute, bodies: [%s, %s], at: [%g, %g]}\n", k, name[0],
                                 name[1], 0.17 * k - 0.03 * k * k, 0.4 - 0.05 * k * (k % 3));
    }
    return used;
}

static void assert_blocks(int nlink, const int (*pair)[2], int npair, int nwant, const int *want) {
    bl_context *ctx = test_context(NULL);
    char text[MOST];
    size_t used = write_linkage(text, nlink, pair, npair);
    snprintf(text + used, MOST - used, "independent: [b%d.angle]\n", pair[0][0] == 1 ? pair[0][1] : pair[0][0]);
    bl_model *model = NULL;
    bl_order_report report = {0};
    const char *ordering = "groups", *coordinates = "reference";
    assert_int_equal(bl_model_read_text(ctx, "linkage", text, strlen(text), NULL, 0, &model), BL_OK);
    bl_order_options options = {.coordinates = coordinates, .ordering = &ordering, .nordering = 1, .repetitions = -1};
    assert_int_equal(bl_order_study(ctx, model, &options, &report), BL_OK);
    const bl_order_entry *entry = &report.entry[0];
    assert_int_equal(entry->status, BL_OK);
    assert_int_equal(entry->border, 0);
    assert_int_equal(entry->nblock, nwant);
    /* sizes as sets: independent groups may be exchanged */
    for (int k = 0; k < nwant; k++) {
        int there = 0, wanted = 0;
        for (int i = 0; i < nwant; i++) {
            there += entry->block[i + 1] - entry->block[i] == want[k];
            wanted += want[i] == want[k];
        }
        assert_int_equal(there, wanted);
    }
    bl_order_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* the angle of the driven link is left out, two of its three coordinates remain */
static void linkages_fall_into_their_groups(void **state) {
    (void)state;
    static const int four_bar[][2] = {{1, 2}, {2, 3}, {3, 4}, {4, 1}};
    assert_blocks(4, four_bar, 4, 2, (const int[]){2, 6});
    static const int watt[][2] = {{1, 2}, {2, 3}, {3, 4}, {4, 1}, {3, 5}, {5, 6}, {6, 4}};
    assert_blocks(6, watt, 7, 3, (const int[]){2, 6, 6});
    static const int stephenson[][2] = {{1, 2}, {1, 3}, {3, 4}, {2, 5}, {5, 4}, {2, 6}, {6, 4}};
    assert_blocks(6, stephenson, 7, 2, (const int[]){2, 12});
    static const int far_crank[][2] = {{6, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 1}, {3, 5}, {5, 6}};
    assert_blocks(6, far_crank, 7, 2, (const int[]){2, 12});
    static const int jansen[][2] = {{1, 2}, {2, 3}, {3, 5}, {5, 1}, {2, 4}, {4, 6}, {6, 1}, {5, 7}, {7, 8}, {6, 8}};
    assert_blocks(8, jansen, 10, 4, (const int[]){2, 6, 6, 6});
}

/* links in the largest group if pair `driven` has the input, by the search over all sets; all of them if that fails */
static bl_index largest_group(bl_context *ctx, bl_model *model, bl_index driven) {
    bl_chain chain = {0};
    bl_structure_report report = {0};
    bl_index largest = 0;
    assert_int_equal(bl_chain_of_model(ctx, model, &chain), BL_OK);
    bl_chain_pair pair[16];
    memcpy(pair, chain.pair, (size_t)chain.npair * sizeof *pair);
    pair[driven].inputs = 1;
    bl_chain with = chain;
    with.pair = pair;
    assert_int_equal(bl_structure(ctx, &with, &(bl_structure_options){.method = BL_STRUCTURE_SEARCH}, &report), BL_OK);
    for (bl_index k = 0; k < report.ngroup; k++)
        largest = report.group[k].nlink > largest ? report.group[k].nlink : largest;
    if (!report.complete)
        largest = chain.nlink;
    bl_structure_report_destroy(ctx, &report);
    bl_chain_destroy(ctx, &chain);
    return largest;
}

static void assert_best_input(int nlink, const int (*pair)[2], int npair) {
    bl_context *ctx = test_context(NULL);
    char text[MOST];
    bl_model *model = NULL;
    bl_order_report report = {0};
    bl_index best = nlink;
    const char *ordering = "groups";
    write_linkage(text, nlink, pair, npair);
    assert_int_equal(bl_model_read_text(ctx, "linkage", text, strlen(text), NULL, 0, &model), BL_OK);
    for (bl_index p = 0; p < npair; p++) {
        bl_index largest = largest_group(ctx, model, p);
        best = largest < best ? largest : best;
    }
    bl_order_options options = {.coordinates = "mixed:independent=groups", .ordering = &ordering, .nordering = 1, .repetitions = -1};
    assert_int_equal(bl_order_study(ctx, model, &options, &report), BL_OK);
    assert_int_equal(report.columns - report.dependent_columns, 1);
    int joint = -1;
    assert_int_equal(sscanf(report.independent[0], "j%d.angle", &joint), 1);
    assert_int_equal(largest_group(ctx, model, joint), best);
    bl_order_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void coordinates_come_from_the_smallest_groups(void **state) {
    (void)state;
    static const int coupler_first[][2] = {{2, 3}, {1, 2}, {3, 4}, {4, 1}};
    assert_best_input(4, coupler_first, 4);
    static const int watt[][2] = {{5, 6}, {1, 2}, {2, 3}, {3, 4}, {4, 1}, {3, 5}, {6, 4}};
    assert_best_input(6, watt, 7);
    static const int jansen[][2] = {{7, 8}, {6, 8}, {1, 2}, {2, 3}, {3, 5}, {5, 1}, {2, 4}, {4, 6}, {6, 1}, {5, 7}};
    assert_best_input(8, jansen, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(linkages_fall_into_their_groups),
                                       cmocka_unit_test(coordinates_come_from_the_smallest_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
