/* Structural graphs and diagrams read back by an XML parser: as many circles, lines and thick lines as the chain has links, degrees of
 * freedom and inputs, without overlaps; files appear only when they are complete. */
#include "support/mechanisms.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], figure[96];
static FILE *expected;
static int nfigure;

/* draws both figures and records what they must contain */
static void draw(bl_context *ctx, const bl_chain *chain, bool marks) {
    char path[128];
    bl_structure_report report = {0};
    bl_index ndof = 0, inputs = 0, arrows = 0, ground = 0;
    assert_int_equal(bl_structure(ctx, chain, NULL, &report), BL_OK);
    for (bl_index p = 0; p < chain->npair; p++) {
        ndof += chain->pair[p].dof;
        inputs += chain->pair[p].inputs;
        ground += chain->pair[p].link[0] == 0 || chain->pair[p].link[1] == 0;
    }
    for (bl_index g = 0; g < report.ngroup; g++)
        arrows += report.group[g].nfrom;
    snprintf(path, sizeof path, "%s/graph%d.svg", folder, nfigure);
    assert_int_equal(bl_structure_graph(ctx, chain, &report, path), BL_OK);
    fprintf(expected, "graph graph%d.svg %d %d %d %d %d\n", nfigure, (int)chain->nlink - marks, (int)(ndof - inputs), (int)inputs,
            (int)(report.ngroup + report.nremain), marks ? (int)ground : 0);
    snprintf(path, sizeof path, "%s/diagram%d.svg", folder, nfigure);
    assert_int_equal(bl_structure_diagram(ctx, chain, &report, path), BL_OK);
    if (report.complete) {
        fprintf(expected, "diagram diagram%d.svg %d %d", nfigure, (int)report.ngroup, (int)arrows);
        for (bl_index g = 0; g < report.ngroup; g++)
            fprintf(expected, " (%d,%d)", (int)report.group[g].nlink, report.group[g].mobility);
        fprintf(expected, "\n");
    }
    nfigure++;
    bl_structure_report_destroy(ctx, &report);
}

static void begin(void) {
    char path[96];
    snprintf(path, sizeof path, "%s/expected", folder);
    expected = fopen(path, "w");
    assert_non_null(expected);
    nfigure = 0;
}

static void check(void) {
    char command[512];
    fclose(expected);
    snprintf(command, sizeof command, "python3 '%s/unit/output/check_structure.py' '%s'", TESTS, folder);
    assert_int_equal(system(command), 0);
}

static void figures__show_links_degrees_of_freedom_inputs_and_groups(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    begin();
    for (int k = 0; k < test_nmechanism; k++) {
        test_chain c;
        test_chain_make(&c, test_mechanisms[k].name, test_mechanisms[k].pairs);
        draw(ctx, &c.chain, false);
    }
    check();
    test_context_end(ctx);
}

/* dyads, driven links and triads on existing links */
static void make_random(test_chain *c, test_random *random, int nlink) {
    test_chain_start(c, "built of known groups");
    test_chain_pair(c, 1, 2, 3);
    for (int n = 2; n < nlink; n = c->chain.nlink) {
        int on[3], kind = test_random_below(random, 4);
        for (int k = 0; k < 3; k++)
            on[k] = 1 + test_random_below(random, n);
        if (kind == 0)
            test_chain_pair(c, on[0], n + 1, 3);
        else if (kind < 3) {
            test_chain_pair(c, on[0], n + 1, 1);
            test_chain_pair(c, n + 1, n + 2, 1);
            test_chain_pair(c, on[1], n + 2, 1);
        } else
            for (int k = 0; k < 3; k++) {
                test_chain_pair(c, on[k], n + 1 + k, 1);
                test_chain_pair(c, n + 1 + k, n + 4, 1);
            }
    }
}

static void figures__of_many_links_have_nothing_over_anything_else(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(3)};
    test_chain c;
    begin();
    test_chain_dyads(&c, 49);
    draw(ctx, &c.chain, true);
    for (int k = 0; k < 8; k++) {
        make_random(&c, &random, 10 + 12 * k);
        bl_index depth[200] = {0}, most = 0; /* groups on top of each other */
        bl_structure_report report = {0};
        assert_int_equal(bl_structure(ctx, &c.chain, NULL, &report), BL_OK);
        for (bl_index g = 0; g < report.ngroup; g++) {
            for (bl_index i = 0; i < report.group[g].nfrom; i++)
                depth[g + 1] = depth[report.group[g].from[i]] > depth[g + 1] ? depth[report.group[g].from[i]] : depth[g + 1];
            depth[g + 1]++;
            most = depth[g + 1] > most ? depth[g + 1] : most;
        }
        bl_structure_report_destroy(ctx, &report);
        draw(ctx, &c.chain, most > 5);
    }
    check();
    test_context_end(ctx);
}

static void figures__show_what_is_left_over_names_and_relations(void **state) {
    (void)state;
    static const char *const names[] = {"ground", "a<b", "c & d", "\"quoted\"", "a name far longer than a circle", "e", "\x01", "g"};
    bl_context *ctx = test_context(NULL);
    test_chain c;
    begin();
    test_chain_make(&c, "too few here, too many there", "1,2,1 2,3,1 3,4,1 4,5,1 5,1,3 5,6,3 6,7,1 7,1,1");
    c.chain.nlink = 8; /* a link that nothing holds */
    c.chain.link = names;
    draw(ctx, &c.chain, false);
    test_chain_make(&c, NULL, "1,2,3 1,3,1 3,4,1 2,4,2");
    draw(ctx, &c.chain, false);
    test_chain_make(&c, "frame alone", "");
    draw(ctx, &c.chain, false);
    check();
    /* a relation through a further link, a relation of a link with itself, a weld, a pair without constraints: no lines for degrees of
     * freedom */
    test_chain_make(&c, "relations", "1,2,3 1,3,1 2,3,1 1,4,1");
    c.pair[2] = (bl_chain_pair){.link = {1, 2}, .via = {3, -1, -1, -1}, .dof = 2, .letter = 'G'};
    test_chain_pair(&c, 4, 4, 2);
    test_chain_pair(&c, 4, 5, 1);
    c.pair[5].dof = 0;
    test_chain_pair(&c, 1, 5, 1);
    c.pair[6].dof = 3;
    bl_structure_report report = {0};
    assert_int_equal(bl_structure(ctx, &c.chain, NULL, &report), BL_OK);
    assert_int_equal(bl_structure_graph(ctx, &c.chain, &report, figure), BL_OK);
    char command[512];
    snprintf(command, sizeof command, "test $(grep -c 'class=\"via\"' %s) = 1 && test $(grep -c 'class=\"fixed\"' %s) = 1", figure, figure);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "test $(grep -c 'class=\"freedom\"' %s) = 6 && test $(grep -c 'class=\"input\"' %s) = 1", figure,
             figure);
    assert_int_equal(system(command), 0);
    assert_int_equal(bl_structure_diagram(ctx, &c.chain, &report, figure), BL_OK);
    bl_structure_report_destroy(ctx, &report);
    test_context_end(ctx);
}

/* ---- files */

static void write_old(void) {
    FILE *file = fopen(figure, "w");
    assert_non_null(file);
    fputs("old", file);
    fclose(file);
}

static void expect_old(void) {
    char text[8] = "";
    FILE *file = fopen(figure, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 3);
    fclose(file);
    assert_string_equal(text, "old");
}

static void figures__that_cannot_be_written_leave_the_old_file(void **state) {
    (void)state;
    char partial[128];
    bl_context *ctx = test_context(NULL);
    test_chain c;
    bl_structure_report report = {0}, none = {0};
    test_chain_make(&c, "four-bar", test_mechanism_find("four-bar")->pairs);
    assert_int_equal(bl_structure(ctx, &c.chain, NULL, &report), BL_OK);
    assert_int_equal(bl_structure_graph(ctx, &c.chain, &report, "/nowhere/figure.svg"), BL_E_FILE);
    assert_int_equal(bl_structure_diagram(ctx, &c.chain, &report, "/nowhere/figure.svg"), BL_E_FILE);
    assert_int_equal(bl_structure_graph(ctx, &c.chain, &report, ""), BL_E_ARG);
    assert_int_equal(bl_structure_graph(ctx, &c.chain, &none, figure), BL_E_ARG);
    assert_int_equal(bl_structure_diagram(ctx, &c.chain, &none, figure), BL_E_ARG);
    write_old();
    snprintf(partial, sizeof partial, "%s~partial", figure);
    assert_int_equal(mkdir(partial, 0777), 0); /* a folder with the name of the partial file */
    assert_int_equal(bl_structure_graph(ctx, &c.chain, &report, figure), BL_E_FILE);
    assert_int_equal(bl_structure_diagram(ctx, &c.chain, &report, figure), BL_E_FILE);
    expect_old();
    rmdir(partial);
    bl_structure_report_destroy(ctx, &report);
    test_context_end(ctx);
}

typedef struct drawing {
    test_chain c;
    bl_structure_report report;
} drawing;

static bl_status draw_graph(bl_context *ctx, void *user) {
    drawing *d = user;
    bl_status status = bl_structure_graph(ctx, &d->c.chain, &d->report, figure);
    if (status != BL_OK)
        expect_old();
    return status;
}

static bl_status draw_diagram(bl_context *ctx, void *user) {
    drawing *d = user;
    bl_status status = bl_structure_diagram(ctx, &d->c.chain, &d->report, figure);
    if (status != BL_OK)
        expect_old();
    return status;
}

static void figures__survive_failing_allocations(void **state) {
    (void)state;
    drawing d = {0};
    bl_context *ctx = test_context(NULL);
    test_chain_dyads(&d.c, 40); /* in several rows */
    assert_int_equal(bl_structure(ctx, &d.c.chain, NULL, &d.report), BL_OK);
    write_old();
    assert_true(test_failing_allocations(draw_graph, &d) > 4);
    write_old();
    assert_true(test_failing_once(draw_graph, &d) > 4);
    write_old();
    assert_true(test_failing_allocations(draw_diagram, &d) > 4);
    bl_structure_report_destroy(ctx, &d.report);
    test_context_end(ctx);
}

int main(void) {
    snprintf(folder, sizeof folder, "/tmp/biela_structure_%ld", (long)getpid());
    snprintf(figure, sizeof figure, "%s/figure.svg", folder);
    mkdir(folder, 0777);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures__show_links_degrees_of_freedom_inputs_and_groups),
        cmocka_unit_test(figures__of_many_links_have_nothing_over_anything_else),
        cmocka_unit_test(figures__show_what_is_left_over_names_and_relations),
        cmocka_unit_test(figures__that_cannot_be_written_leave_the_old_file),
        cmocka_unit_test(figures__survive_failing_allocations),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[96];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0 || failed;
}
