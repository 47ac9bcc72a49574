/* The inside of a run in the page: mobility, groups and pattern of the model in the result file, against the studies asked directly. */
#include "reading.h"

#include "support/failing.h"

static bl_status simulate(bl_context *ctx, const char *file, const bl_override *set, bl_index nset, const char *overrides,
                          const char *path) {
    bl_model *model = NULL;
    bl_sink sink = {0};
    bl_status status = bl_model_read(ctx, file, set, nset, &model);
    if (status == BL_OK)
        status = bl_sink_hdf5(ctx, path, &sink);
    if (status == BL_OK)
        status = bl_sink_hdf5_origin(&sink, "biela run", overrides);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &(bl_run_options){.until = 0.01, .every = 0.005}, &sink, 1, NULL);
    bl_sink_destroy(&sink);
    bl_model_destroy(model);
    return status;
}

static void report(bl_context *ctx, const char *result) {
    bl_report_options o = reading_options();
    assert_int_equal(bl_report_write(ctx, &result, 1, &o, scratch("r.html")), BL_OK);
}

/* ---- pattern */

/* every number from 0 to below `all` at most once */
static void check_places(const char *page, const char *id, size_t all) {
    size_t n;
    uint32_t *at = read_elements(page, id, 4, &n);
    bool *seen = calloc(all + 1, sizeof *seen);
    assert_true(n <= all);
    for (size_t k = 0; k < n; k++) {
        assert_true(at[k] < all && !seen[at[k]]);
        seen[at[k]] = true;
    }
    free(seen);
    free(at);
}

static bl_index count_items(const char *array) {
    bl_index n = 0;
    for (const char *at = bl_json_first(array); at; at = bl_json_next(at))
        n++;
    return n;
}

static void pattern__is_that_of_the_study(void **state) {
    static const char *const scenes[] = {"bricard", "vehicle", "jansen_leg"};
    for (int k = 0; k < 3; k++) {
        char file[256];
        snprintf(file, sizeof file, SCENES "/%s.yaml", scenes[k]);
        assert_int_equal(simulate(*state, file, NULL, 0, "", scratch("r.h5")), BL_OK);
        report(*state, scratch("r.h5"));
        reading r = reading_open(scratch("r.html"));
        bl_model *model;
        bl_order_report wanted = {0};
        const char *natural = "natural", *pattern = bl_json_member(r.run, "pattern");
        char coordinates[32];
        snprintf(coordinates, sizeof coordinates, "%s", member_text(bl_json_member(r.run, "info"), "coordinates"));
        bl_order_options how = {.coordinates = coordinates, .ordering = &natural, .nordering = 1, .repetitions = -1};
        assert_int_equal(bl_model_read(*state, file, NULL, 0, &model), BL_OK);
        assert_int_equal(bl_order_study(*state, model, &how, &wanted), BL_OK);
        assert_non_null(pattern);
        assert_true(member_number(pattern, "rows") == wanted.rows && member_number(pattern, "columns") == wanted.dependent_columns);
        size_t nstart, entries;
        uint32_t *start = read_elements(r.page, member_text(pattern, "row_start"), 4, &nstart);
        uint32_t *column = read_elements(r.page, member_text(pattern, "column"), 4, &entries);
        assert_int_equal(nstart, wanted.rows + 1);
        assert_int_equal(entries, wanted.ptr[wanted.dependent_columns]);
        for (bl_index c = 0; c < wanted.dependent_columns; c++) /* every entry of the columns is in its row */
            for (bl_index e = wanted.ptr[c]; e < wanted.ptr[c + 1]; e++) {
                bool found = false;
                for (uint32_t i = start[wanted.idx[e]]; i < start[wanted.idx[e] + 1]; i++)
                    found = found || column[i] == (uint32_t)c;
                assert_true(found);
            }
        assert_int_equal(count_items(bl_json_member(pattern, "row_names")), wanted.rows);
        assert_int_equal(count_items(bl_json_member(pattern, "column_names")), wanted.dependent_columns);
        assert_int_equal(count_items(bl_json_member(pattern, "orderings")), 2);
        for (const char *o = bl_json_first(bl_json_member(pattern, "orderings")); o; o = bl_json_next(o)) {
            check_places(r.page, member_text(o, "rows"), (size_t)wanted.rows);
            check_places(r.page, member_text(o, "columns"), (size_t)wanted.dependent_columns);
        }
        free(start);
        free(column);
        bl_order_report_destroy(*state, &wanted);
        bl_model_destroy(model);
        reading_close(&r);
    }
}

/* ---- mobility and groups */

static void mobility__is_reported_in_sentences(void **state) {
    assert_int_equal(simulate(*state, SCENES "/bricard.yaml", NULL, 0, "", scratch("r.h5")), BL_OK);
    report(*state, scratch("r.h5"));
    reading r = reading_open(scratch("r.html"));
    const char *info = bl_json_member(r.run, "info"), *first = bl_json_first(bl_json_member(info, "mobility"));
    assert_non_null(strstr(read_text(first), "1 degree of freedom by the rank of the constraints, 0 by counting"));
    assert_true(count_items(bl_json_member(info, "findings")) > 0);
    assert_null(bl_json_member(info, "inside_missing"));
    reading_close(&r);
}

/* a mechanism whose drivers determine it: every body is in one group, every joint in one */
static void groups__hold_every_body_once(void **state) {
    static const char model[] = "model: four bar\ndimension: 2\npoints: {A: [0, 0], B: [0, 1], C: [2, 2], D: [2, 0]}\n"
                                "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"
                                "  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n  - {name: rocker, rod: {from: C, to: D}, mass: 1}\n"
                                "joints:\n  - {name: a, type: revolute, bodies: [ground, crank], at: A}\n"
                                "  - {name: b, type: revolute, bodies: [crank, coupler], at: B}\n"
                                "  - {name: c, type: revolute, bodies: [coupler, rocker], at: C}\n"
                                "  - {name: d, type: revolute, bodies: [ground, rocker], at: D}\n"
                                "drivers:\n  - {variable: a.angle, value: =t}\n";
    FILE *out = fopen(scratch("driven.yaml"), "w");
    fputs(model, out);
    fclose(out);
    bl_status status = simulate(*state, scratch("driven.yaml"), NULL, 0, "", scratch("r.h5"));
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(*state)->what);
    report(*state, scratch("r.h5"));
    reading r = reading_open(scratch("r.html"));
    int bodies[3] = {0}, joints[4] = {0}, inputs = 0;
    for (const char *g = bl_json_first(bl_json_member(bl_json_member(r.run, "groups"), "order")); g; g = bl_json_next(g)) {
        for (const char *b = bl_json_first(bl_json_member(g, "bodies")); b; b = bl_json_next(b))
            bodies[(int)bl_json_value(b)]++;
        for (const char *j = bl_json_first(bl_json_member(g, "joints")); j; j = bl_json_next(j))
            joints[(int)bl_json_value(j)]++;
        inputs += (int)count_items(bl_json_member(g, "inputs"));
    }
    for (int k = 0; k < 4; k++)
        assert_true(joints[k] == 1 && (k == 3 || bodies[k] == 1));
    assert_int_equal(inputs, 1);
    reading_close(&r);
}

/* ---- the model read again */

static void overrides__of_the_run_act_again(void **state) {
    const bl_override set = {"N", 3};
    assert_int_equal(simulate(*state, SCENES "/n_four_bar.yaml", &set, 1, "N=3", scratch("r.h5")), BL_OK);
    report(*state, scratch("r.h5"));
    reading r = reading_open(scratch("r.html"));
    bl_model *model;
    bl_check_report wanted = {0};
    char text[128];
    assert_int_equal(bl_model_read(*state, SCENES "/n_four_bar.yaml", &set, 1, &model), BL_OK);
    assert_int_equal(bl_check(*state, model, &(bl_run_options){.coordinates = "natural"}, &wanted), BL_OK);
    snprintf(text, sizeof text, "%d coordinates, %d constraint equations", (int)wanted.coordinates, (int)wanted.rows);
    const char *info = bl_json_member(r.run, "info");
    assert_non_null(strstr(read_text(bl_json_next(bl_json_first(bl_json_member(info, "mobility")))), text));
    assert_string_equal(member_text(info, "overrides"), "N=3");
    bl_check_report_destroy(*state, &wanted);
    bl_model_destroy(model);
    reading_close(&r);
}

static void write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    assert_true(out && fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static bool has_mobility(void) {
    reading r = reading_open(scratch("r.html"));
    const char *info = bl_json_member(r.run, "info");
    bool found = bl_json_member(info, "mobility") != NULL;
    assert_int_equal(found, bl_json_member(info, "inside_missing") == NULL); /* the page says why */
    reading_close(&r);
    return found;
}

/* files beside the model are opened only where it stands as it was */
static void files__are_opened_for_the_model_of_the_run_alone(void **state) {
    static const char main_text[] = "model: parts\ninclude: [part.yaml]\n";
    char file[512];
    snprintf(file, sizeof file, "%s", scratch("main.yaml"));
    write_text(file, main_text);
    write_text(scratch("part.yaml"),
               "dimension: 2\npoints: {A: [0, 0], B: [1, 0]}\nbodies:\n  - {name: rod, rod: {from: A, to: B}, mass: 1}\n"
               "joints:\n  - {name: j, type: revolute, bodies: [ground, rod], at: A}\ngravity: [0, -9.81]\n");
    if (simulate(*state, file, NULL, 0, "", scratch("r.h5")) != BL_OK)
        fail_msg("%s", bl_context_error(*state)->what);
    report(*state, scratch("r.h5"));
    assert_true(has_mobility());
    write_text(file, "model: another\ninclude: [part.yaml]\n");
    report(*state, scratch("r.h5"));
    assert_false(has_mobility());
    unlink(file);
    report(*state, scratch("r.h5"));
    assert_false(has_mobility());
}

/* ---- memory */

static bl_status report_once(bl_context *ctx, void *user) {
    const char *path = user;
    bl_report_options o = reading_options();
    return bl_report_write(ctx, &path, 1, &o, scratch("memory.html"));
}

static void inside__survives_failing_memory(void **state) {
    static test_paths paths;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch("memory.h5"));
    assert_int_equal(simulate(*state, SCENES "/pendulum.yaml", NULL, 0, "", path), BL_OK);
    assert_true(test_failing_paths(&paths, report_once, path, 5) > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pattern__is_that_of_the_study, setup, teardown),
        cmocka_unit_test_setup_teardown(mobility__is_reported_in_sentences, setup, teardown),
        cmocka_unit_test_setup_teardown(groups__hold_every_body_once, setup, teardown),
        cmocka_unit_test_setup_teardown(overrides__of_the_run_act_again, setup, teardown),
        cmocka_unit_test_setup_teardown(files__are_opened_for_the_model_of_the_run_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(inside__survives_failing_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
