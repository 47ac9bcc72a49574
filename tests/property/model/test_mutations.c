/* Reading a changed model text always ends cleanly: with a model, or an error with a reason and a location. */
#include "support/testing.h"

#include "biela/biela.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 14, NSEED = 14 };

static const char *const files[NSEED] = {
    "slider_crank",         "bricard",      "flyball_governor", "n_four_bar", "tether",   "w3_chain",
    "spatial_slider_crank", "heavy_top",    "pendulum",         "beam",       "car_axis", "andrews_equations",
    "guitar_string",        "elastic_block"};
static char corpus[NSEED + 1][LARGEST];
static size_t length[NSEED + 1];

/* some of everything that the scenes do not contain */
static const char *const rich =
    "model: \"a\\tb\"\n"
    "parameters: &p {a: 1, b: '=a*2', c: \"=b ? 1 : 2\"}\n"
    "points: [{name: A, at: [0, =a, 0]}, {repeat: {count: 3, index: k, from: 1, do: [{name: P$k, at: [=k, 0, 0]}]}}]\n"
    "bodies:\n  - &one {name: x, mass: 1, center: A, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "
    "carry: [{point: P1}, {vector: [0, 1, 0]}]}\n"
    "  - name: y\n    density: 7\n    cylinder: {from: A, to: P2, radius: 0.1}\n    points:\n    - {mass: 1, at: P3}\n"
    "joints:\n  - {type: spherical, bodies: [x, y], at: P1, angles: true}\n"
    "  - {name: h, type: revolute, bodies: [ground, x], at: A, axis: [0, 0, 1]}\n"
    "  - {type: gear, first: h.angle, second: j1.angle2, ratio: 2}\n"
    "drivers: [{variable: h.angle, value: =sin(t)}]\n"
    "forces:\n  - {type: spring, bodies: [x, y], at: P1, to: P2, stiffness: 1, force: \"=x^2 + xd*h.rate\"}\n"
    "  - {type: torque, body: x, torque: [=t, =q.vx, 3]}\n"
    "probes: {q: {body: y, at: P2}}\nmeasure: [h.angle]\nindependent: [h.angle, P1.x]\n"
    "initial: {h.rate: {value: 1, guess: true}, q: {velocity: [0, 0, 1]}, x: {orientation: [0, 0, 1]}}\n"
    "simulate: {until: 1, stop: [h.angle - 1, \"=q.x\"]}\ncoordinates: mixed\n";

static void load_corpus(void) {
    for (int i = 0; i < NSEED; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.yaml", SCENES, files[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        length[i] = fread(corpus[i], 1, LARGEST / 2, file);
        fclose(file);
    }
    length[NSEED] = strlen(rich);
    memcpy(corpus[NSEED], rich, length[NSEED] + 1);
    bl_context *ctx = test_context(NULL);
    for (int i = 0; i <= NSEED; i++) {
        bl_model *model = NULL;
        assert_int_equal(bl_model_read_text(ctx, "valid", corpus[i], length[i], NULL, 0, &model), BL_OK);
        bl_model_destroy(model);
    }
    test_context_end(ctx);
}

static const char *const pieces[] = {"[",      "]",
                                     "{",      "}",
                                     ": ",     "- ",
                                     "\n",     "\t",
                                     "\"",     "'",
                                     "#",      "&a ",
                                     "*a",     "!t ",
                                     "| \n",   "> ",
                                     "? ",     "---\n",
                                     "...\n",  "%YAML 1.2\n",
                                     ".nan",   "-.inf",
                                     "1e400",  "=",
                                     "=t",     "=1/0",
                                     "=((",    "$i",
                                     "$(",     "repeat: ",
                                     "-1",     "0",
                                     "~",      "null",
                                     "true",   "\xc3\xa9",
                                     "\xff",   "\xef\xbb\xbf",
                                     "\\",     "\r",
                                     "<<: *a", "count: 99999999",
                                     ",",      "1 2",
                                     "ground", "name: ",
                                     "\x1b",   "  ",
                                     "\n\n\n", "=x",
                                     "@",      "`"};

static void insert(char *text, size_t *n, size_t at, const char *piece, size_t m) {
    if (*n + m >= LARGEST)
        return;
    memmove(text + at + m, text + at, *n - at);
    memcpy(text + at, piece, m);
    *n += m;
}

static void mutate(test_random *random, char *text, size_t *n) {
    size_t at = *n ? (size_t)test_random_below(random, (int)*n) : 0, left = *n - at;
    size_t some = left ? 1 + (size_t)test_random_below(random, (int)(left < 40 ? left : 40)) : 0;
    const char *piece = pieces[test_random_below(random, sizeof pieces / sizeof *pieces)];
    int other = test_random_below(random, NSEED + 1);
    char copy[64];
    switch (test_random_below(random, 8)) {
    case 0: /* delete */
        memmove(text + at, text + at + some, left - some);
        *n -= some;
        break;
    case 1: /* flip a bit */
        if (left)
            text[at] = (char)(text[at] ^ (1 << test_random_below(random, 8)));
        break;
    case 2: *n = at; break; /* truncate */
    case 3:                 /* a random byte */
        if (left)
            text[at] = (char)test_random_below(random, 256);
        break;
    case 4: /* repeat something */
        memcpy(copy, text + at, some);
        insert(text, n, (size_t)test_random_below(random, (int)*n + 1), copy, some);
        break;
    case 5: /* from another file */
        if (length[other] > 64)
            insert(text, n, at, corpus[other] + test_random_below(random, (int)length[other] - 64),
                   1 + (size_t)test_random_below(random, 60));
        break;
    default: insert(text, n, at, piece, strlen(piece)); break;
    }
}

static void judge(const char *text, size_t n, uint64_t seed, int trial) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "mutant.yaml", text, n, NULL, 0, &model);
    const bl_error *e = bl_context_error(ctx);
    bool fine = status == BL_OK ? model != NULL
                                : model == NULL && (status == BL_E_MODEL || status == BL_E_FILE) && e->status == status && e->what[0] &&
                                      e->file[0] && (status == BL_E_FILE || (e->line >= 1 && e->column >= 1));
    bl_model_destroy(model);
    if (!fine || bl_context_memory(ctx).live_blocks != 0) {
        print_error("seed %llu, trial %d: status %d '%s' at %d:%d\n%.*s\n", (unsigned long long)seed, trial, status, e->what, e->line,
                    e->column, (int)n, text);
        fail();
    }
    test_context_end(ctx);
}

static void mutants__are_read_or_refused_with_words_and_a_place(void **state) {
    (void)state;
    uint64_t seed = test_seed(4711);
    test_random random = {seed};
    load_corpus();
    static char text[LARGEST + 1];
    for (int trial = 0; trial < 6000; trial++) {
        int from = test_random_below(&random, NSEED + 1);
        size_t n = length[from];
        memcpy(text, corpus[from], n);
        for (int k = 1 + test_random_below(&random, trial % 3 ? 3 : 20); k > 0; k--)
            mutate(&random, text, &n);
        judge(text, n, seed, trial);
    }
}

static void every_prefix__is_read_or_refused(void **state) {
    (void)state;
    load_corpus();
    for (size_t n = 0; n <= length[NSEED]; n++)
        judge(corpus[NSEED], n, 0, (int)n);
}

static void noise__is_refused(void **state) {
    (void)state;
    uint64_t seed = test_seed(12);
    test_random random = {seed};
    for (int trial = 0; trial < 2000; trial++) {
        char text[256];
        size_t n = (size_t)test_random_below(&random, sizeof text);
        for (size_t i = 0; i < n; i++)
            text[i] = trial % 2 ? (char)test_random_below(&random, 256) : "[]{}:,-?&*!|>'\"%@`# \n\tab1=$"[test_random_below(&random, 28)];
        judge(text, n, seed, trial);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants__are_read_or_refused_with_words_and_a_place),
        cmocka_unit_test(every_prefix__is_read_or_refused),
        cmocka_unit_test(noise__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
