/* The table of all combinations of meshes: every element x formulation x problem x strain x law x method x jacobian either runs, agreeing
 * with the other methods of its problem as far as the step allows, or is refused with a reason. Prints the counted table. The fast version,
 * a sample of cells: tests/conform/fem/test_combinations.c. BIELA_ONLY=TEXT takes the problems whose name has the text in it. */
#include "support/combinations.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reasons and how often they were given */

enum { REASONS = 200, REASON_LENGTH = 200, SHOWN = 10 };

typedef struct reasons {
    char text[REASONS][REASON_LENGTH];
    long count[REASONS];
    int n;
} reasons;

/* the reason without what differs from cell to cell: numbers, and the name of the method */
static void general_reason(const char *why, const char *method, char *out) {
    size_t used = 0, length = strlen(method);
    while (*why && used + 8 < REASON_LENGTH) {
        if (length && strncmp(why, method, length) == 0 && !isalnum((unsigned char)why[length])) {
            used += (size_t)snprintf(out + used, REASON_LENGTH - used, "METHOD");
            why += length;
        } else if (isdigit((unsigned char)*why) && (used == 0 || out[used - 1] == ' ')) {
            out[used++] = 'N';
            why += strspn(why, "0123456789.");
        } else
            out[used++] = *why++;
    }
    out[used] = 0;
    static const char *const details[] = {": first ", " beyond t = ", " at t = "};
    for (int k = 0; k < 3; k++) {
        char *detail = strstr(out, details[k]);
        if (detail)
            *detail = 0;
    }
}

static void add_reason(reasons *r, const char *why, const char *method) {
    char text[REASON_LENGTH];
    int k = 0;
    general_reason(why, method, text);
    while (k < r->n && strcmp(r->text[k], text))
        k++;
    if (k == REASONS)
        return;
    if (k == r->n)
        memcpy(r->text[r->n++], text, sizeof text);
    r->count[k]++;
}

static void print_reasons(const reasons *r) {
    for (int k = 0; k < r->n; k++)
        printf("  %7ld  %s\n", r->count[k], r->text[k]);
}

/* ---- the table */

typedef struct table {
    long problems[32], refused_problems, cells[32], refused_cells[32]; /* by element */
    long runs[128], refusals[128], wrong;                              /* by method */
    double worst[128];                                                 /* error of methods, where laws have no history */
    long counted_problems, counted_cells;                              /* as the source counts: problems by every jacobian */
    reasons of_problems, of_cells;
} table;

static void complain(table *t, const combination *c, int method, int jacobian, const char *why) {
    char name[200], text[3000];
    if (t->wrong++ >= SHOWN)
        return;
    combination_name(c, name, sizeof name);
    combination_model(c, method, jacobian, text, sizeof text);
    printf("WRONG: %s, %s, jacobian %s: %s\n`biela %s` on\n%s\n", name, combination_method_name(method),
           combination_jacobian_name(jacobian), why, strcmp(combination_method_name(method), "equilibrium") ? "run" : "equilibrium", text);
}

static size_t element_number(const combination *c) {
    size_t k = 0;
    while (bl_element_kinds[k] != c->element)
        k++;
    return k;
}

/* equilibria have the tangents of the system alone */
static int jacobians_of(int method) { return method == combination_methods() - 1 ? 1 : COMBINATION_JACOBIANS; }

static void take_problem(table *t, combination_problem *p) {
    size_t element = element_number(&p->c);
    bool counted[COMBINATION_JACOBIANS] = {false};
    char text[512];
    if (!combination_reference(p))
        complain(t, &p->c, 0, 0, p->why);
    if (!combination_tangents(p, combination_consistent(&p->c), text, sizeof text))
        complain(t, &p->c, 0, 0, text);
    for (int m = 0; m < combination_methods(); m++)
        for (int j = 0; j < jacobians_of(m); j++) {
            char why[512];
            double error;
            combination_result result = combination_cell(p, m, j, why, sizeof why, &error);
            if (result == COMBINATION_REFUSED) {
                add_reason(&t->of_cells, why, combination_method_name(m));
                t->refused_cells[element]++;
                t->refusals[m]++;
                continue;
            }
            if (result == COMBINATION_WRONG)
                complain(t, &p->c, m, j, why);
            t->cells[element]++;
            t->runs[m]++;
            t->worst[m] = !p->kinked && error > t->worst[m] ? error : t->worst[m];
            if (combination_counted(&p->c, m)) {
                t->counted_cells++;
                counted[j] = true;
            }
        }
    t->problems[element]++;
    for (int j = 0; j < COMBINATION_JACOBIANS; j++)
        t->counted_problems += counted[j];
}

static void print_table(const table *t) {
    long problems = 0, cells = 0, refused = 0;
    printf("\nelement       problems   cells run   refused\n");
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        printf("%-12s %9ld %11ld %9ld\n", bl_element_kinds[k]->kind.name, t->problems[k], t->cells[k], t->refused_cells[k]);
        problems += t->problems[k];
        cells += t->cells[k];
        refused += t->refused_cells[k];
    }
    printf("%-12s %9ld %11ld %9ld\n", "all", problems, cells, refused);
    printf("\nmethod             cells run   refused   largest error (laws without history), as a share of what forces do\n");
    for (int m = 0; m < combination_methods(); m++)
        printf("%-18s %9ld %9ld   %.1e\n", combination_method_name(m), t->runs[m], t->refusals[m], t->worst[m]);
    printf("\n%ld problems are refused by the model:\n", t->refused_problems);
    print_reasons(&t->of_problems);
    printf("\n%ld cells are refused:\n", refused);
    print_reasons(&t->of_cells);
    printf("\nwith the elements, laws and 20 methods of the source: %ld problems (by every jacobian), %ld cells (192 and 3840 there)\n",
           t->counted_problems, t->counted_cells);
}

static void every_combination__runs_or_is_refused_with_a_reason(void **state) {
    (void)state;
    const char *only = getenv("BIELA_ONLY");
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    assert_true(bl_element_kind_count <= 32 && combination_methods() <= 128);
    for (long k = 0; k < combination_count(); k++) {
        combination c = combination_at(k);
        combination_problem p;
        char name[200];
        combination_name(&c, name, sizeof name);
        if (only && !strstr(name, only))
            continue;
        if (combination_open(&p, &c) == BL_OK)
            take_problem(t, &p);
        else {
            if (!p.why[0])
                complain(t, &c, 0, 0, "refused without words");
            add_reason(&t->of_problems, p.why, "");
            t->refused_problems++;
        }
        combination_close(&p);
    }
    print_table(t);
    long wrong = t->wrong, counted = t->counted_cells;
    free(t);
    if (wrong)
        fail_msg("%ld cells are wrong", wrong);
    assert_true(only || counted >= 3840);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_combination__runs_or_is_refused_with_a_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
