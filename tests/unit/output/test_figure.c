/* Figures of fields, read back by another reader (check_figure.py): areas of colors, positions of isolines, visible faces, curves. */
#include "base/base.h"
#include "biela/figure.h"
#include "synthetic.h"

/* A strip of 5 x 1 squares (or 5 x 2 x 1 cubes) with a field that is n x at time n; displacements (0.1 n, 0, 0) cause no strain. */
enum { NX = 5, NODES = 3 * (NX + 1) * 2, CELLS = 2 * NX };

typedef struct strip {
    bl_run_info info;
    bl_run_mesh mesh;
    bl_field field[4];
    bl_run_set set;
    double x[NODES][3], place[NODES], displacement[NODES][3], stress[NODES][4], cell[CELLS];
    uint8_t type[CELLS];
    bl_index offset[CELLS + 1], node[8 * CELLS], material[CELLS], right[2];
    const double *shown[4];
} strip;

static bl_index at(int i, int j, int k) { return (k * 3 + j) * (NX + 1) + i; }

static void make_strip(strip *s, bool space) {
    *s = (strip){.info = synthetic_info};
    bl_index nodes = space ? NODES : 2 * (NX + 1), cells = space ? CELLS : NX;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i <= NX; i++)
                if (at(i, j, k) < nodes) {
                    s->x[at(i, j, k)][0] = i;
                    s->x[at(i, j, k)][1] = j;
                    s->x[at(i, j, k)][2] = k;
                }
    for (bl_index c = 0; c < cells; c++) {
        int i = c % NX, j = c / NX;
        const bl_index hexa[8] = {at(i, j, 0), at(i + 1, j, 0), at(i + 1, j + 1, 0), at(i, j + 1, 0),
                                  at(i, j, 1), at(i + 1, j, 1), at(i + 1, j + 1, 1), at(i, j + 1, 1)};
        int n = space ? 8 : 4;
        memcpy(s->node + n * c, hexa, (size_t)n * sizeof *hexa);
        s->offset[c + 1] = n * (c + 1);
        s->type[c] = space ? 12 : 9;
    }
    s->right[0] = at(NX, 0, 0);
    s->right[1] = at(NX, 1, 0);
    s->set = (bl_run_set){"right", false, 2, s->right};
    s->mesh = (bl_run_mesh){.name = "strip",
                            .dim = space ? 3 : 2,
                            .nnode = nodes,
                            .ncell = cells,
                            .x = (const double(*)[3])s->x,
                            .type = s->type,
                            .offset = s->offset,
                            .node = s->node,
                            .material = s->material,
                            .nset = 1,
                            .set = &s->set};
    s->field[0] = (bl_field){"displacement", "m", "moved", 0, false, nodes, 3};
    s->field[1] = (bl_field){"stress", "N/m^2", "stress", 0, false, nodes, 4};
    s->field[2] = (bl_field){"value", NULL, "place", 0, false, nodes, 1};
    s->field[3] = (bl_field){"reaction", "N", "cells", 0, true, cells, 1};
    s->info.nmesh = 1;
    s->info.mesh = &s->mesh;
    s->info.nfield = 4;
    s->info.field = s->field;
    s->shown[0] = s->displacement[0];
    s->shown[1] = s->stress[0];
    s->shown[2] = s->place;
    s->shown[3] = s->cell;
}

static void write_strip(bl_context *ctx, const char *path, bool space) {
    static strip s;
    static synthetic_sample row;
    bl_sink sink = {0};
    make_strip(&s, space);
    assert_int_equal(bl_sink_hdf5(ctx, path, &sink), BL_OK);
    assert_int_equal(sink.begin(sink.user, &s.info), BL_OK);
    for (int n = 0; n < 3; n++) {
        (void)synthetic_row(&row, n);
        row.sample.t = n;
        row.sample.field = s.shown;
        for (bl_index i = 0; i < s.mesh.nnode; i++) {
            s.displacement[i][0] = 0.1 * n;
            s.place[i] = n * s.x[i][0];
            s.stress[i][3] = -n * s.x[i][0];
        }
        for (bl_index c = 0; c < s.mesh.ncell; c++)
            s.cell[c] = c % NX;
        assert_int_equal(sink.sample(sink.user, &row.sample), BL_OK);
    }
    assert_int_equal(sink.end(sink.user, &synthetic_summary), BL_OK);
    bl_sink_destroy(&sink);
}

static void python(const char *how, const char *figure, const char *numbers) {
    char command[1500];
    snprintf(command, sizeof command, "python3 '%s/unit/output/check_figure.py' %s '%s' %s", TESTS, how, figure, numbers);
    assert_int_equal(system(command), 0);
}

static bl_result *open_strip(bl_context *ctx, bool space) {
    bl_result *r;
    const char *name = space ? "space.h5" : "plane.h5";
    write_strip(ctx, scratch(name), space);
    assert_int_equal(bl_result_open(ctx, scratch(name), &r), BL_OK);
    return r;
}

static void draw(bl_context *ctx, bl_result *r, const bl_figure_options *o) {
    if (bl_figure_fields(ctx, r, o, scratch("f.svg")) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
}

/* ---- tests */

/* from 0 to 10 (the last sample, 2 x) with levels 2, 4, 6, 8: a fifth each */
static void colors__cover_what_lies_between_their_levels(void **state) {
    bl_result *r = open_strip(*state, false);
    draw(*state, r, &(bl_figure_options){.show = "value", .time = NAN, .levels = 5});
    python("bands", scratch("f.svg"), "0.2 0.2 0.2 0.2 0.2");
    draw(*state, r, &(bl_figure_options){.show = "value", .time = 1.2, .levels = 2}); /* x up to 5 with levels 2, 4 */
    python("bands", scratch("f.svg"), "0.4 0.4 0.2");
    draw(*state, r, &(bl_figure_options){.show = "stress.12", .time = 2, .levels = 5, .factor = 3}); /* -10 to 0 */
    python("bands", scratch("f.svg"), "0.2 0.2 0.2 0.2 0.2");
    draw(*state, r,
         &(bl_figure_options){.show = "reaction", .time = NAN, .levels = 4}); /* of cells: 0, 1, 2, 3 and 4 with levels 1, 2, 3 */
    python("bands", scratch("f.svg"), "0.2 0.2 0.2 0.4");
    draw(*state, r, &(bl_figure_options){.show = "stress.11", .time = NAN}); /* only zeros: one color */
    python("bands", scratch("f.svg"), "1");
    bl_result_close(r);
}

static void isolines__stand_where_the_field_has_their_level(void **state) {
    bl_result *r = open_strip(*state, false);
    draw(*state, r, &(bl_figure_options){.show = "value", .time = NAN, .levels = 5, .isolines = true, .factor = -1});
    python("lines", scratch("f.svg"), "0.2 0.4 0.6 0.8");
    bl_result_close(r);
}

/* three sides of a box are visible: 5 x 2 above, 5 in front, 2 at the end; from another viewpoint as many other ones */
static void bodies__show_the_faces_that_look_at_the_eye(void **state) {
    bl_result *r = open_strip(*state, true);
    draw(*state, r, &(bl_figure_options){.show = "value", .time = NAN});
    python("faces", scratch("f.svg"), "17");
    draw(*state, r, &(bl_figure_options){.show = "none", .time = NAN, .seen_from = true, .azimuth = 200, .elevation = -40});
    python("faces", scratch("f.svg"), "17");
    draw(*state, r, &(bl_figure_options){.time = NAN, .seen_from = true, .azimuth = 0, .elevation = 90}); /* from above */
    python("faces", scratch("f.svg"), "10");
    bl_result_close(r);
}

/* displacement of the set 0, 0.1, 0.2; the field there 0, 5, 10: in a frame with margins of four percent above and below */
static void curves__pass_through_their_points(void **state) {
    bl_result *r = open_strip(*state, false);
    assert_int_equal(bl_figure_curve(*state, r, "displacement.x@right", "strip/value@right", scratch("c.svg")), BL_OK);
    python("points", scratch("c.svg"), "0 0.037037 0.5 0.5 1 0.962963");
    assert_int_equal(bl_figure_curve(*state, r, "time", "stress.12@6", scratch("c.svg")), BL_OK); /* node 6 is at x = 5 */
    python("points", scratch("c.svg"), "0 0.962963 0.5 0.5 1 0.037037");
    assert_int_equal(bl_figure_curve(*state, r, "energy/kinetic", "probes/position/tip.z", scratch("c.svg")), BL_OK); /* proportional */
    python("points", scratch("c.svg"), "0 0.037037 0.5 0.5 1 0.962963");
    bl_result_close(r);
}

static void what_is_not_there__is_refused_with_a_reason(void **state) {
    bl_context *ctx = *state;
    bl_result *r = open_strip(ctx, false);
    static const struct {
        bl_figure_options o;
        const char *what;
    } wrong[] = {{{.show = "valve", .time = NAN}, "no field 'valve'"},
                 {{.show = "stress", .time = NAN}, "no component ''"},
                 {{.show = "stress.44", .time = NAN}, "no component '44'"},
                 {{.show = "value", .body = "stripe", .time = NAN}, "no mesh 'stripe'"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(bl_figure_fields(ctx, r, &wrong[i].o, scratch("wrong.svg")), BL_E_ARG);
        assert_non_null(strstr(bl_context_error(ctx)->what, wrong[i].what));
        assert_true(bl_context_error(ctx)->advice[0]);
    }
    static const char *const terms[] = {"tim",
                                        "value@wrong",
                                        "value@99",
                                        "displacement.q@right",
                                        "probes/position/tip.q",
                                        "probes/position/none.x",
                                        "energy/kinetic/x",
                                        "vale@right",
                                        ""};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        if (bl_figure_curve(ctx, r, "time", terms[i], scratch("wrong.svg")) != BL_E_ARG)
            fail_msg("'%s' was taken", terms[i]);
        assert_non_null(strstr(bl_context_error(ctx)->what, terms[i]));
    }
    assert_false(exists(scratch("wrong.svg")));
    bl_result_close(r);
}

static bl_status draw_without_memory(bl_context *ctx, void *user) {
    bl_result *r;
    BL_TRY(bl_result_open(ctx, user, &r));
    bl_status status = bl_figure_fields(ctx, r, NULL, scratch("memory.svg"));
    if (status == BL_OK)
        status = bl_figure_curve(ctx, r, "displacement.x@right", "value@right", scratch("memory.svg"));
    bl_result_close(r);
    return status;
}

static void failing_memory__is_survived(void **state) {
    bl_result_close(open_strip(*state, true));
    char path[600];
    snprintf(path, sizeof path, "%s", scratch("space.h5"));
    assert_true(test_failing_allocations(draw_without_memory, path) > 10);
    test_failing_once(draw_without_memory, path);
}

static int setup(void **state) {
    bl_context *ctx;
    bl_status status = bl_context_create(NULL, &ctx);
    *state = ctx;
    return status;
}

static int teardown(void **state) {
    int leaks = bl_context_memory(*state).live_blocks != 0;
    bl_context_destroy(*state);
    return leaks;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(colors__cover_what_lies_between_their_levels, setup, teardown),
        cmocka_unit_test_setup_teardown(isolines__stand_where_the_field_has_their_level, setup, teardown),
        cmocka_unit_test_setup_teardown(bodies__show_the_faces_that_look_at_the_eye, setup, teardown),
        cmocka_unit_test_setup_teardown(curves__pass_through_their_points, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_there__is_refused_with_a_reason, setup, teardown),
        cmocka_unit_test_setup_teardown(failing_memory__is_survived, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
