/* The ordering `groups` in reference coordinates, three per link, finds the structural groups of the mechanism driven by its independent
 * coordinate, in an order in which they can be solved. Groups of the linkages as the literature gives them. */
#include "support/testing.h"

#include "biela/biela.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 8192 };

/* a linkage whose link k stands around a place of its own, with pins between the pairs listed; the first pair is the independent one */
static void write_linkage(char *text, int nlink, const int (*pair)[2], int npair) {
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
    snprintf(text + used, MOST - used, "independent: [b%d.angle]\n", pair[0][0] == 1 ? pair[0][1] : pair[0][0]);
}

static void assert_blocks(int nlink, const int (*pair)[2], int npair, int nwant, const int *want) {
    bl_context *ctx = test_context(NULL);
    char text[MOST];
    write_linkage(text, nlink, pair, npair);
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
    /* sizes as sets: independent groups may change places */
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

/* the angle of the driven link is left out, two are left of its three */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(linkages_fall_into_their_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
