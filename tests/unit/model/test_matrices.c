/* The section `matrices:`: all notations of a matrix mean the same, and every mistake is reported with its position ('~' in texts). */
#include "model/model.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    if (bl_model_read_text(ctx, "m.yaml", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%d:%d: %s", bl_context_error(ctx)->line, bl_context_error(ctx)->column, bl_context_error(ctx)->what);
    return model;
}

static double entry(const bl_square *A, bl_index row, bl_index col) {
    for (bl_index k = A->ptr[col]; k < A->ptr[col + 1]; k++)
        if (A->idx[k] == row)
            return A->value[k];
    return 0;
}

/* K in a file beside the test */
static const char *scratch(const char *suffix, const char *text) {
    static char path[64];
    snprintf(path, sizeof path, "matrices_%ld_%s", (long)getpid(), suffix);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void matrices__all_notations_mean_the_same(void **unused) {
    (void)unused;
    char general[512], symmetric[512];
    const char *path = scratch("general.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 4\n2 1 -1\n1 2 -1\n2 2 4\n3 2 -1\n"
                                              "2 3 -1\n3 3 4\n");
    snprintf(general, sizeof general, "matrices: {K: %s}\n", path);
    path = scratch("symmetric.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1\n3 3 4\n");
    snprintf(symmetric, sizeof symmetric, "matrices: {K: {file: %s}}\n", path);
    const char *const text[] = {
        "matrices: {K: [[4, -1, 0], [-1, 4, -1], [0, -1, 4]]}\n",
        "parameters: {a: 4}\nmatrices: {K: [[=a, -1, 0], [-1, =a, =-1], [0, =cos(pi), 4]]}\n",
        "matrices: {K: {tridiagonal: {lower: [-1, -1], diagonal: [4, 4, 4], upper: [-1, -1]}}}\n",
        "matrices: {K: {tridiagonal: {lower: -1, diagonal: [repeat: {count: 3, do: [4]}]}}}\n",
        "matrices: {size: 3, K: {tridiagonal: {lower: -1, diagonal: 4}}}\n",
        "matrices: {size: 3, K: {tridiagonal: {lower: =-1, diagonal: \"=i < 9 ? 4 : i\"}}}\n",
        "matrices: {M: 0.5, K: [[4, -1, 0], [-1, 4, -1], [0, -1, 4]], C: {rayleigh: [2, 3]}}\n",
        general,
        symmetric,
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_text(ctx, text[i]);
        const bl_matrices *m = model->matrices;
        assert_non_null(m);
        assert_int_equal(m->n, 3);
        assert_int_equal(m->order, 2);
        assert_int_equal(model->nvariable, 3);
        assert_string_equal(model->variable[2].name, "d3");
        assert_int_equal(m->K.ptr[3], 7); /* zeros are left out */
        for (bl_index r = 0; r < 3; r++)
            for (bl_index c = 0; c < 3; c++) {
                double wanted = r == c ? 4 : r - c == 1 || c - r == 1 ? -1 : 0;
                assert_near(entry(&m->K, r, c), wanted, 1e-15);
                assert_near(entry(&m->M, r, c), (r == c) * (m->C.ptr ? 0.5 : 1), 0);
                if (m->C.ptr)
                    assert_near(entry(&m->C, r, c), 2 * 0.5 * (r == c) + 3 * wanted, 1e-15);
            }
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    for (int k = 0; k < 2; k++) {
        snprintf(general, sizeof general, "matrices_%ld_%s.mtx", (long)getpid(), k ? "general" : "symmetric");
        remove(general);
    }
}

static void matrices__loads_and_starts_are_lists_maps_or_expressions_of_the_row(void **unused) {
    (void)unused;
    static const char *const text[] = {
        "parameters: {p: 3}\nmatrices: {size: 2, names: [left, right], load: [=p, =p*t],\n"
        "  initial: {positions: [1, 4], velocities: 7}, scale: 2}\n",
        "parameters: {p: 3}\nmatrices: {size: 2, names: [left, right], load: {left: =p, 2: =p*t},\n"
        "  initial: {positions: =i^2, velocities: =7}, scale: [2, 2]}\n",
        "parameters: {p: 3}\nmatrices: {size: 2, names: [left, right], load: \"=i == 1 ? 3 : p*t\",\n"
        "  initial: {positions: [repeat: {count: 2, from: 1, do: [=i^2]}], velocities: [7, 7]}, scale: =2}\n",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_text(ctx, text[i]);
        const bl_matrices *m = model->matrices;
        assert_near(m->load[0], 3, 0);
        assert_near(m->load[1], 0, 0);
        assert_int_equal(m->nlaw, 1);
        assert_int_equal(m->law[0].row, 1);
        assert_near(m->position[0], 1, 0);
        assert_near(m->position[1], 4, 0);
        assert_near(m->velocity[0], 7, 0);
        assert_near(m->velocity[1], 7, 0);
        assert_near(m->scale[1], 2, 0);
        assert_int_equal(bl_model_variable(model, "right"), 1);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void matrices__order_follows_from_what_is_given(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model =
        read_text(ctx, "matrices: {A: [[0, 1], [-1, 0]], initial: {values: [1, 0]}}\nsimulate: {stop: \"y1 + y2_rate - 3\"}\n");
    assert_int_equal(model->matrices->order, 1);
    assert_string_equal(model->variable[1].name, "y2");
    assert_int_equal(model->nstop, 1);
    assert_int_equal(model->law[model->stop[0].law].ninput, 2);
    bl_model_destroy(model);
    test_context_end(ctx);
}

typedef struct refusal {
    const char *text, *what, *advice;
} refusal;

static const refusal refusals[] = {
    {"matrices: ~[1]\n", "matrices must be a map", NULL},
    {"matrices: {~Kk: 1}\n", "unknown key 'Kk'", NULL},
    {"matrices: ~{K: 1}\n", "number of unknowns", "size"},
    {"matrices: {size: ~0}\n", "integer from 1", NULL},
    {"matrices: {size: ~2.5}\n", "integer from 1", NULL},
    {"matrices: {size: ~1e9}\n", "integer from 1", NULL},
    {"matrices: {order: ~3, size: 2}\n", "order must be 1 or 2", NULL},
    {"matrices: {order: 1, K: ~[[1]]}\n", "K cannot be used in a system of order 1", "M y' = A y"},
    {"matrices: {order: 2, A: ~[[1]]}\n", "A cannot be used in a system of order 2", NULL},
    {"matrices: {K: [[1, 0], ~[0]]}\n", "row 2 of K must have 2 entries, found 1", NULL},
    {"matrices: {K: [[1, 0], ~3]}\n", "row 2 of K must be a list", NULL},
    {"matrices: {M: [[1, 0], [0, 1]], K: ~[[1]]}\n", "K must have 2 entries, found 1", NULL},
    {"matrices: {K: [[1, 0], [0, ~soft]]}\n", "K must be a number, found 'soft'", NULL},
    {"matrices: {K: [[1, 0], [0, =~1/0]]}\n", "not a finite number", NULL},
    {"matrices: {size: 2, K: ~{diagonal: 1, file: k.mtx}}\n", "K must be given in exactly one form, found 2", NULL},
    {"matrices: {size: 2, K: ~{}}\n", "in exactly one form, found 0", "tridiagonal"},
    {"matrices: {size: 2, K: {~diagnal: 1}}\n", "unknown key 'diagnal'", "'diagonal'"},
    {"matrices: {size: 2, K: {~rayleigh: [1, 2]}}\n", "unknown key 'rayleigh'", NULL},
    {"matrices: {size: 2, C: {rayleigh: ~1}}\n", "rayleigh must be a list of 2 numbers", NULL},
    {"matrices: {size: 2, K: {diagonal: ~[1]}}\n", "the diagonal of K must have 2 entries, found 1", NULL},
    {"matrices: {size: 3, K: {tridiagonal: {lower: ~[1], diagonal: 2}}}\n", "the lower diagonal of K must have 2 entries, found 1", NULL},
    {"matrices: {size: 3, K: {tridiagonal: ~{lower: 1}}}\n", "needs 'diagonal'", NULL},
    {"matrices: {size: 3, K: {tridiagonal: {diagonal: 1, lower: 1, ~uper: 1}}}\n", "unknown key 'uper'", "'upper'"},
    {"matrices: {K: ~nowhere.mtx}\n", "nowhere.mtx cannot be opened", NULL},
    {"matrices: {size: 2, load: ~[1]}\n", "load must have 2 entries, found 1", NULL},
    {"matrices: {size: 2, load: {~3: 1}}\n", "neither a row number from 1 to 2", NULL},
    {"matrices: {size: 2, load: {~d3: 1}}\n", "neither a row number from 1 to 2", "'d"},
    {"matrices: {size: 2, load: {d1: 1, ~1: 2}}\n", "row 1 is given twice", NULL},
    {"matrices: {size: 2, load: [=~d1, 0]}\n", "'d1' cannot be used here", "t and parameters"},
    {"matrices: {size: 2, load: [=~q7, 0]}\n", "unknown name 'q7'", NULL},
    {"matrices: {size: 2, initial: {~velocites: 1}}\n", "unknown key 'velocites'", "'velocities'"},
    {"matrices: {order: 1, size: 2, initial: {~velocities: 1}}\n", "unknown key 'velocities'", NULL},
    {"matrices: {size: 2, initial: {velocities: ~[1]}}\n", "initial velocities must have 2 entries, found 1", NULL},
    {"matrices: {size: 2, initial: {positions: =~t}}\n", "'t' cannot be used here", NULL},
    {"matrices: {size: 2, names: ~[a]}\n", "names must have 2 entries, found 1", NULL},
    {"matrices: {size: 2, names: [a, ~a]}\n", "a", NULL},
    {"matrices: {size: 2, names: [a, ~sin]}\n", "has a meaning in expressions", NULL},
    {"matrices: {size: 2, names: [a, ~b c]}\n", "letters, digits", NULL},
    {"parameters: {d2: 1}\nmatrices: ~{size: 2}\n", "'d2' is the name of both a parameter and an unknown", "names"},
    {"matrices: {size: 2, scale: ~[1, 0]}\n", "scale must be positive", NULL},
    {"matrices: {size: 2}\nbodies: ~[{name: a, mass: 1}]\n", "'bodies' cannot be used together with 'matrices'", NULL},
    {"matrices: {size: 2}\ninitial: ~{d1: 1}\n", "'initial' cannot be used together with 'matrices'", "inside 'matrices'"},
    {"matrices: {size: 2}\ngravity: ~[0, 0, 1]\n", "'gravity' cannot be used", NULL},
    {"matrices: {size: 2}\nsimulate: {stop: ~d3}\n", "unknown name 'd3'", NULL},
    {"matrices: {size: 2, ~size: 3}\n", "duplicate key 'size'", NULL},
};

static void matrices__mistakes_are_reported_with_their_position(void **unused) {
    (void)unused;
    int wrong = 0;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        char text[512];
        const char *mark = strchr(refusals[i].text, '~');
        size_t before = (size_t)(mark - refusals[i].text);
        snprintf(text, sizeof text, "%.*s%s", (int)before, refusals[i].text, mark + 1);
        int line = 1, column = 1;
        for (size_t k = 0; k < before; k++) {
            line += text[k] == '\n';
            column = text[k] == '\n' ? 1 : column + 1;
        }
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_status status = bl_model_read_text(ctx, "m.yaml", text, strlen(text), NULL, 0, &model);
        const bl_error *e = bl_context_error(ctx);
        bl_status wanted = strstr(refusals[i].what, "opened") ? BL_E_FILE : BL_E_MODEL;
        if (status != wanted || model || !strstr(e->what, refusals[i].what) || e->column != column || e->line != line ||
            (refusals[i].advice && !strstr(e->advice, refusals[i].advice))) {
            wrong++;
            print_error("%s    wanted %d:%d '%s' (%s)\n    found [%d] %d:%d '%s' (%s)\n", text, line, column, refusals[i].what,
                        refusals[i].advice ? refusals[i].advice : "", status, e->line, e->column, e->what, e->advice);
        }
        test_context_end(ctx);
    }
    assert_int_equal(wrong, 0);
}

static void matrices__files_of_the_wrong_size_or_without_numbers_are_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *content, *what;
    } bad[] = {
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n", "contains only a sparsity pattern"},
        {"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n", "K must be 2 x 2, but its file has 2 x 3"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "is outside the matrix"},
        {"0 0 0\n", "not a Matrix Market file"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[128];
        const char *path = scratch("bad.mtx", bad[i].content);
        snprintf(text, sizeof text, "matrices: {M: [[1, 0], [0, 1]], K: %s}\n", path);
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        assert_int_equal(bl_model_read_text(ctx, "m.yaml", text, strlen(text), NULL, 0, &model), BL_E_MODEL);
        if (!strstr(bl_context_error(ctx)->what, bad[i].what))
            fail_msg("'%s' does not say '%s'", bl_context_error(ctx)->what, bad[i].what);
        test_context_end(ctx);
        remove(path);
    }
}

static bl_status whole_life(bl_context *ctx, void *user) {
    const char *text = user;
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "m.yaml", text, strlen(text), NULL, 0, &model);
    bl_model_destroy(model);
    return status;
}

static void matrices__survive_failing_allocations(void **unused) {
    (void)unused;
    char text[512];
    const char *path = scratch("life.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 -1\n2 2 4\n");
    snprintf(
        text, sizeof text,
        "parameters: {a: 2}\nmatrices: {M: [[1, 0], [0, =a]], K: %s, C: {rayleigh: [1, 0]}, load: {d1: =sin(a*t)}, initial: =i, scale: 2}\n"
        "simulate: {stop: d1 - 3}\n",
        path);
    assert_true(test_failing_allocations(whole_life, text) > 20);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices__all_notations_mean_the_same),
        cmocka_unit_test(matrices__loads_and_starts_are_lists_maps_or_expressions_of_the_row),
        cmocka_unit_test(matrices__order_follows_from_what_is_given),
        cmocka_unit_test(matrices__mistakes_are_reported_with_their_position),
        cmocka_unit_test(matrices__files_of_the_wrong_size_or_without_numbers_are_refused),
        cmocka_unit_test(matrices__survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
