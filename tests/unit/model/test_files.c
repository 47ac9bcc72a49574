/* Files beside the model: what is read is known and never written over, what stands outside the folder is named or refused, and nothing is
 * quoted from a file that is no model. */
#include "support/testing.h"

#include "biela/biela.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BODY "bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\n"
#define SECRET "hunter2"

/* root/model/m.yaml is the model, root/outside holds what is not its own */
static char root[64];

static const char *path_of(const char *name) {
    static char path[8][256];
    static int next;
    char *out = path[next++ % 8];
    snprintf(out, 256, "%s/%s", root, name);
    return out;
}

static void write_file(const char *name, const char *text) {
    FILE *f = fopen(path_of(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

static int make_folders(void **state) {
    (void)state;
    snprintf(root, sizeof root, "/tmp/biela_files_XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(mkdir(path_of("model"), 0777), 0);
    assert_int_equal(mkdir(path_of("model/sub"), 0777), 0);
    assert_int_equal(mkdir(path_of("model2"), 0777), 0);
    assert_int_equal(mkdir(path_of("outside"), 0777), 0);
    write_file("outside/part.yaml", "parameters: {k: 1}\n");
    write_file("model2/part.yaml", "parameters: {k: 1}\n");
    write_file("model/part.yaml", "parameters: {k: 1}\n");
    write_file("model/sub/part.yaml", "include: ../part.yaml\n");
    write_file("model/sub/out.yaml", "include: ../../outside/part.yaml\n");
    write_file("outside/table.csv", "0 0\n1 1\n");
    write_file("model/table.csv", "0 0\n1 1\n");
    write_file("outside/m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
    write_file("model/m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
    assert_int_equal(symlink("../outside/part.yaml", path_of("model/link.yaml")), 0);
    assert_int_equal(symlink("../outside", path_of("model/folder")), 0);
    assert_int_equal(symlink("part.yaml", path_of("model/inner.yaml")), 0);
    assert_int_equal(symlink("../outside/none.yaml", path_of("model/dangling.yaml")), 0);
    assert_int_equal(mkfifo(path_of("model/pipe"), 0666), 0);
    return 0;
}

static int remove_folders(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static int mentions; /* of files outside, in the log */
static void watch(void *user, bl_log_level level, const char *message) {
    (void)user, (void)level;
    mentions += strstr(message, "outside its folder") != NULL;
}

static bl_context *make_context(void) {
    bl_context *ctx;
    mentions = 0;
    assert_int_equal(bl_context_create(&(bl_context_options){.log = watch}, &ctx), BL_OK);
    return ctx;
}

static bl_status open_model(bl_context *ctx, const char *text, bl_files files, bl_model **model) {
    write_file("model/m.yaml", text);
    return bl_model_open(ctx, path_of("model/m.yaml"), &(bl_read_options){.files = files}, model);
}

/* the words for a file: an include, a table, a matrix */
static void text_with(const char *kind, const char *file, char *text, size_t size) {
    if (strcmp(kind, "include") == 0)
        snprintf(text, size, "include: \"%s\"\n" BODY, file);
    else if (strcmp(kind, "table") == 0)
        snprintf(text, size,
                 BODY "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
                      "drivers: [{variable: j.angle, value: \"=table(%s, t)\"}]\n",
                 file);
    else
        snprintf(text, size, "matrices: {M: [[1]], K: {file: \"%s\"}}\n", file);
}

typedef struct spot {
    const char *kind, *file;
    bool inside;
} spot;

static void files_outside__are_named_or_refused(void **state) {
    (void)state;
    char absolute[128], absolute_inside[128];
    snprintf(absolute, sizeof absolute, "%s", path_of("outside/part.yaml"));
    snprintf(absolute_inside, sizeof absolute_inside, "%s", path_of("model/part.yaml"));
    const spot spots[] = {
        {"include", "part.yaml", true},
        {"include", "./sub/../part.yaml", true},
        {"include", "../model/part.yaml", true},
        {"include", "sub/part.yaml", true},
        {"include", "inner.yaml", true},
        {"include", absolute_inside, true},
        {"include", "../outside/part.yaml", false},
        {"include", "../model2/part.yaml", false}, /* a folder whose name begins like the model's */
        {"include", "link.yaml", false},
        {"include", "folder/part.yaml", false},
        {"include", "sub/out.yaml", false}, /* by an included file */
        {"include", absolute, false},
        {"table", "table.csv", true},
        {"table", "../outside/table.csv", false},
        {"table", "folder/table.csv", false},
        {"matrix", "m.mtx", true},
        {"matrix", "../outside/m.mtx", false},
        {"matrix", "folder/m.mtx", false},
    };
    for (size_t i = 0; i < sizeof spots / sizeof *spots; i++) {
        char text[512];
        text_with(spots[i].kind, spots[i].file, text, sizeof text);
        bl_context *ctx = make_context();
        bl_model *model;
        bl_status status = open_model(ctx, text, BL_FILES_ANY, &model);
        if (status != BL_OK || mentions != !spots[i].inside)
            fail_msg("%s %s: %s, %d mentions", spots[i].kind, spots[i].file, bl_context_error(ctx)->what, mentions);
        bl_model_destroy(model);
        status = open_model(ctx, text, BL_FILES_INSIDE, &model);
        if (status != (spots[i].inside ? BL_OK : BL_E_MODEL))
            fail_msg("%s %s, confined: %d", spots[i].kind, spots[i].file, (int)status);
        if (status != BL_OK)
            assert_non_null(strstr(bl_context_error(ctx)->what, "is not a file in the folder of the model"));
        bl_model_destroy(model);
        status = open_model(ctx, text, BL_FILES_NONE, &model);
        assert_int_equal(status, BL_E_MODEL);
        test_context_end(ctx);
    }
}

/* messages do not reveal which files exist elsewhere, and nothing waits for a pipe */
static void confined__says_the_same_of_every_file_elsewhere(void **state) {
    (void)state;
    static const char *const names[] = {
        "../outside/none.yaml", "../outside/part.yaml", "dangling.yaml", "none.yaml", "/etc/shadow", "/dev/zero", "pipe", "sub", "-"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[512];
        text_with("include", names[i], text, sizeof text);
        bl_context *ctx = make_context();
        bl_model *model;
        assert_int_equal(open_model(ctx, text, BL_FILES_INSIDE, &model), BL_E_MODEL);
        assert_non_null(
            strstr(bl_context_error(ctx)->what, "is not a file in the folder of the model, and the model may not read files elsewhere"));
        test_context_end(ctx);
    }
}

static void files_that_are_no_models__are_not_quoted(void **state) {
    (void)state;
    static const char *const contents[] = {
        SECRET "\n",
        "root:" SECRET ":19000:0:99999:7:::\n",
        "password: " SECRET "\n",
        SECRET ": 1\n",
        SECRET ": 1\n" SECRET ": 2\n",
        "x: *" SECRET "\n",
        "x: &" SECRET " [*" SECRET "]\n",
        "x: !" SECRET "!a b\n",
        "x: \"\\" SECRET "\"\n",
        "%YAML " SECRET "\n---\nx: 1\n",
        "- " SECRET "\n- b\n",
        "{" SECRET ": [}\n",
        "\"" SECRET "\n",
        "1 " SECRET "\n",
        SECRET "," SECRET "\n",
        "0 1\n1 2\n" SECRET " 3\n",
        "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 " SECRET "\n",
        "%%MatrixMarket matrix coordinate real general\n1 " SECRET " 1\n",
        "%%MatrixMarket " SECRET "\n",
        "\x01" SECRET "\n",
        "\xff" SECRET "\n",
    };
    static const char *const kinds[] = {"include", "table", "matrix"};
    for (size_t i = 0; i < 3 * sizeof contents / sizeof *contents; i++) {
        char text[512];
        write_file("outside/secret", contents[i / 3]);
        text_with(kinds[i % 3], "../outside/secret", text, sizeof text);
        bl_context *ctx = make_context();
        bl_model *model = NULL;
        assert_true(open_model(ctx, text, BL_FILES_ANY, &model) < 0);
        const bl_error *e = bl_context_error(ctx);
        if (strstr(e->what, SECRET) || strstr(e->advice, SECRET) || strstr(e->part, SECRET) || !e->what[0])
            fail_msg("%s of text %zu: %s (%s)", kinds[i % 3], i / 3, e->what, e->advice);
        test_context_end(ctx);
    }
}

static void control_characters__do_not_enter_by_escapes(void **state) {
    (void)state;
    static const char *const names[] = {"\\e[31m", "\\x1b", "\\u0085", "\\u009b", "\\x7f", "\\r", "\\u202e", "\\u2066", "\\n", "\\t"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[256];
        snprintf(text, sizeof text, "bodies: [{name: \"a%sb\", mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", names[i]);
        bl_context *ctx = make_context();
        bl_model *model = NULL;
        assert_int_equal(open_model(ctx, text, BL_FILES_ANY, &model), BL_E_MODEL);
        assert_int_equal(bl_context_error(ctx)->line, 1);
        test_context_end(ctx);
    }
}

/* ---- outputs */

static bl_status check_two(bl_context *ctx, const bl_model *model, const char *one, const char *two) {
    return bl_check_outputs(ctx, model, NULL, 0, (const char *const[]){one, two}, 2);
}

static void outputs__never_meet_inputs_or_each_other(void **state) {
    (void)state;
    char text[512];
    bl_context *ctx = make_context();
    bl_model *model;
    text_with("table", "../outside/table.csv", text, sizeof text);
    char complete[640];
    snprintf(complete, sizeof complete, "include: link.yaml\n%s", text);
    assert_int_equal(open_model(ctx, complete, BL_FILES_ANY, &model), BL_OK);
    assert_int_equal(link(path_of("model/m.yaml"), path_of("outside/hard.h5")), 0);
    assert_int_equal(symlink("../model/m.yaml", path_of("outside/soft.h5")), 0);
    assert_int_equal(symlink("soft.h5", path_of("outside/softer.h5")), 0);
    assert_int_equal(symlink("new.h5", path_of("outside/new_link.h5")), 0);
    assert_int_equal(symlink("../outside", path_of("model2/there")), 0);
    static const char *const bad[] = {"model/m.yaml",      "model/../model/m.yaml", "outside/hard.h5",
                                      "outside/soft.h5",   "outside/softer.h5",     "outside/table.csv",
                                      "outside/part.yaml", "model/link.yaml",       "model/folder/table.csv"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(check_two(ctx, model, path_of(bad[i]), NULL), BL_E_ARG);
        assert_int_equal(check_two(ctx, model, NULL, path_of(bad[i])), BL_E_ARG);
        assert_non_null(strstr(bl_context_error(ctx)->what, "would overwrite"));
    }
    static const char *const pairs[][2] = {{"outside/new.h5", "outside/new.h5"},         {"outside/new.h5", "outside/./new.h5"},
                                           {"outside/new.h5", "model2/there/new.h5"},    {"outside/new.h5", "outside/new_link.h5"},
                                           {"outside/new.h5", "outside/new.h5~partial"}, {"outside/new.h5~partial", "outside/new_link.h5"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(check_two(ctx, model, path_of(pairs[i][0]), path_of(pairs[i][1])), BL_E_ARG);
        assert_non_null(strstr(bl_context_error(ctx)->what, "are the same file"));
    }
    assert_int_equal(check_two(ctx, model, path_of("outside/new.h5"), path_of("outside/other.h5")), BL_OK);
    assert_int_equal(check_two(ctx, model, path_of("outside/new.h5"), path_of("model2/new.h5")), BL_OK);
    assert_int_equal(check_two(ctx, model, "/dev/null", "/dev/null"), BL_OK);
    assert_int_equal(check_two(ctx, model, path_of("none/a"), path_of("none/a")), BL_OK); /* fails when it is opened */
    /* the file that a killed run left is one, too */
    write_file("outside/left.h5~partial", BODY);
    bl_model *left;
    assert_int_equal(bl_model_open(ctx, path_of("outside/left.h5~partial"), NULL, &left), BL_OK);
    assert_int_equal(check_two(ctx, left, path_of("outside/left.h5"), NULL), BL_E_ARG);
    /* inputs that are no models */
    const char *matrix = path_of("outside/m.mtx");
    assert_int_equal(bl_check_outputs(ctx, NULL, &matrix, 1, (const char *const[]){path_of("outside/../outside/m.mtx")}, 1), BL_E_ARG);
    bl_model_destroy(left);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void links__stay_and_what_they_point_to_is_written(void **state) {
    (void)state;
    bl_context *ctx = make_context();
    assert_int_equal(symlink("pointed.csv", path_of("outside/pointer.csv")), 0);
    bl_sink sink = {0};
    assert_int_equal(bl_sink_csv(ctx, path_of("outside/pointer.csv"), &sink), BL_OK);
    assert_int_equal(sink.begin(sink.user, &(bl_run_info){.model_name = "m"}), BL_OK);
    assert_int_equal(sink.sample(sink.user, &(bl_sample){.t = 1}), BL_OK);
    assert_int_equal(sink.end(sink.user, &(bl_run_summary){.status = BL_OK}), BL_OK);
    bl_sink_destroy(&sink);
    struct stat facts;
    assert_int_equal(lstat(path_of("outside/pointer.csv"), &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(lstat(path_of("outside/pointed.csv"), &facts), 0);
    assert_true(S_ISREG(facts.st_mode) && facts.st_size > 0);
    assert_int_equal(access(path_of("outside/pointer.csv~partial"), F_OK), -1);
    assert_int_equal(access(path_of("outside/pointed.csv~partial"), F_OK), -1);
    test_context_end(ctx);
}

static bl_status read_with_files(bl_context *ctx, void *user) {
    (void)user;
    bl_model *model = NULL;
    bl_status status = bl_model_open(ctx, path_of("model/m.yaml"), &(bl_read_options){.files = BL_FILES_INSIDE}, &model);
    if (status == BL_OK)
        status = check_two(ctx, model, path_of("outside/fresh.h5"), path_of("outside/fresh.csv"));
    bl_model_destroy(model);
    return status;
}

static void files__survive_failing_allocations(void **state) {
    (void)state;
    char text[512];
    text_with("table", "table.csv", text, sizeof text);
    char complete[640];
    snprintf(complete, sizeof complete, "include: part.yaml\n%s", text);
    write_file("model/m.yaml", complete);
    assert_true(test_failing_allocations(read_with_files, NULL) > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_outside__are_named_or_refused),      cmocka_unit_test(confined__says_the_same_of_every_file_elsewhere),
        cmocka_unit_test(files_that_are_no_models__are_not_quoted), cmocka_unit_test(control_characters__do_not_enter_by_escapes),
        cmocka_unit_test(outputs__never_meet_inputs_or_each_other), cmocka_unit_test(links__stay_and_what_they_point_to_is_written),
        cmocka_unit_test(files__survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
