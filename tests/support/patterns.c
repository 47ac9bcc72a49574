#include "support/patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pairs {
    bl_index n, room, *row, *col;
} pairs;

static void add(pairs *p, bl_index row, bl_index col) {
    if (p->n == p->room) {
        p->room = 2 * p->room + 64;
        p->row = realloc(p->row, (size_t)p->room * sizeof *p->row);
        p->col = realloc(p->col, (size_t)p->room * sizeof *p->col);
        assert_true(p->row && p->col);
    }
    p->row[p->n] = row;
    p->col[p->n++] = col;
}

static bl_pattern finish(bl_context *ctx, bl_index nrow, bl_index ncol, pairs *p) {
    bl_pattern pattern;
    assert_int_equal(bl_pattern_build(ctx, nrow, ncol, p->n, p->row, p->col, &pattern, NULL), BL_OK);
    free(p->row);
    free(p->col);
    return pattern;
}

void test_shuffle(test_random *random, bl_index n, bl_index *x) {
    for (bl_index i = 0; i < n; i++) {
        bl_index j = test_random_below(random, i + 1);
        x[i] = x[j];
        x[j] = i;
    }
}

bl_pattern test_pattern_random(bl_context *ctx, test_random *random, bl_index nrow, bl_index ncol, bl_index nnz, bool transversal) {
    pairs p = {0};
    bl_index few = nrow < ncol ? nrow : ncol, many = nrow < ncol ? ncol : nrow;
    for (bl_index k = 0; nrow > 0 && ncol > 0 && k < nnz; k++)
        add(&p, test_random_below(random, nrow), test_random_below(random, ncol));
    if (transversal) {
        bl_index *partner = malloc(((size_t)many + 1) * sizeof *partner);
        assert_non_null(partner);
        test_shuffle(random, many, partner);
        for (bl_index k = 0; k < few; k++)
            add(&p, nrow < ncol ? k : partner[k], nrow < ncol ? partner[k] : k);
        free(partner);
    }
    return finish(ctx, nrow, ncol, &p);
}

bl_pattern test_pattern_relabeled(bl_context *ctx, test_random *random, const bl_pattern *old, bl_index *row_of, bl_index *col_of) {
    bl_index *both = malloc((size_t)(old->nrow + old->ncol + 1) * sizeof *both);
    assert_non_null(both);
    bl_index *row = row_of ? row_of : both, *col = col_of ? col_of : both + old->nrow;
    pairs p = {0};
    test_shuffle(random, old->nrow, row);
    test_shuffle(random, old->ncol, col);
    for (bl_index j = 0; j < old->ncol; j++)
        for (bl_index k = old->ptr[j]; k < old->ptr[j + 1]; k++)
            add(&p, row[old->idx[k]], col[j]);
    free(both);
    return finish(ctx, old->nrow, old->ncol, &p);
}

bl_pattern test_pattern_columns(bl_context *ctx, const bl_pattern *old, const uint8_t *keep) {
    pairs p = {0};
    bl_index ncol = 0;
    for (bl_index j = 0; j < old->ncol; j++) {
        if (!keep[j])
            continue;
        for (bl_index k = old->ptr[j]; k < old->ptr[j + 1]; k++)
            add(&p, old->idx[k], ncol);
        ncol++;
    }
    return finish(ctx, old->nrow, ncol, &p);
}

/* ---- the vehicle: entities by name, three columns each; distances one */

typedef struct vehicle {
    test_vehicle which;
    char name[80][8];
    int nname;
    bl_index nrow, ndistance;
    pairs entries;
    bool closing; /* rows written now close a loop */
} vehicle;

static void entities(vehicle *v, const char *prefix, const char *names) {
    while (*names) {
        int length = (int)strcspn(names, " ");
        snprintf(v->name[v->nname++], sizeof v->name[0], "%s%.*s", prefix, length, names);
        names += length + (names[length] == ' ');
    }
}

static bl_index entity(const vehicle *v, const char *prefix, const char *name, int length) {
    char full_name[8];
    snprintf(full_name, sizeof full_name, "%s%.*s", prefix, length, name);
    for (int k = 0; k < v->nname; k++)
        if (strcmp(v->name[k], full_name) == 0)
            return 3 * k;
    fail_msg("the vehicle has no %s", full_name);
    return -1;
}

/* names of one row; '/' before a name: without the prefix. One row on all components, or (apart) one row for each component */
static void rows(vehicle *v, const char *prefix, const char *names, bool apart, bl_index distance) {
    if (v->closing && v->which == VEHICLE_OPENED)
        return;
    for (const char *at = names; *at;) {
        bool bare = *at == '/';
        at += bare;
        int length = (int)strcspn(at, " ");
        bl_index col = entity(v, bare ? "" : prefix, at, length);
        for (bl_index x = 0; x < 3; x++)
            add(&v->entries, v->nrow + (apart ? x : 0), col + x);
        at += length + (at[length] == ' ');
    }
    for (bl_index x = 0; distance >= 0 && x < 3; x++)
        add(&v->entries, v->nrow + x, 3 * v->nname + distance);
    v->nrow += apart ? 3 : 1;
}

static void one(vehicle *v, const char *prefix, const char *names) { rows(v, prefix, names, false, -1); }
static void each(vehicle *v, const char *prefix, const char *names) { rows(v, prefix, names, true, -1); }

#define BASIS " /RLT /RRA3 /FLE2 /FRT"

static void rear(vehicle *v, const char *side, bl_index distance) {
    one(v, side, "D B1");
    one(v, side, "D B2");
    one(v, side, "D B1 B2");
    one(v, side, "n");
    one(v, side, "D B1 n");
    one(v, side, "D B2 n");
    each(v, side, "B3 D B1 B2 n");
    each(v, side, "B4 D B1 B2 n");
    each(v, side, "B5 D B1 B2 n");
    each(v, side, "W D B1 B2 n");
    one(v, side, "s");
    one(v, side, "s n");
    one(v, side, "s B1 W n");
    if (v->which != VEHICLE_LEAN)
        each(v, side, "Ww W");
    v->closing = true;
    for (int k = 1; k <= 5; k++) {
        char rod[40];
        snprintf(rod, sizeof rod, "B%d A%d", k, k);
        one(v, side, rod);
    }
    v->closing = false;
    rows(v, side, "D T m", true, distance);
    one(v, side, "m");
}

static void front(vehicle *v, const char *side, bl_index distance) {
    one(v, side, "F E1");
    one(v, side, "F E2");
    one(v, side, "S Fk");
    one(v, side, "S Fk m");
    one(v, side, "m");
    one(v, side, "n");
    one(v, side, "S Fk n");
    one(v, side, "n m");
    each(v, side, "W S Fk n m");
    each(v, side, "G S Fk n m");
    one(v, side, "s");
    one(v, side, "s n");
    one(v, side, "s G W n");
    if (v->which != VEHICLE_LEAN) {
        each(v, side, "Tt T");
        each(v, side, "Ww W");
    }
    rows(v, side, v->which == VEHICLE_LEAN ? "T S m" : "Tt S m", true, distance);
    v->closing = true;
    each(v, side, "F Fk");
    one(v, side, side[1] == 'L' ? "G /HL" : "G /HR");
    v->closing = false;
}

static void strike(const vehicle *v, uint8_t *keep, const char *name) {
    const char *dot = strchr(name, '.');
    keep[entity(v, "", name, (int)(dot - name)) + (dot[1] - 'x')] = 0;
}

bl_pattern test_vehicle_pattern(bl_context *ctx, test_vehicle which, bool dependent) {
    vehicle v = {.which = which};
    bool lean = which == VEHICLE_LEAN;
    const char *sides[] = {"RL", "RR", "FL", "FR"};
    entities(&v, "", "RLT RRA3 FLE2 FRT RLA1 RLA2 RLA3 RLA4 RLA5 RRA1 RRA2 RRA4 RRA5 RRT FLE1 FLT FRE1 FRE2");
    if (!lean)
        entities(&v, "", "CG SEAT ENGINE RACK");
    int chassis = v.nname;
    for (int s = 0; s < 2; s++)
        entities(&v, sides[s], lean ? "W B1 B2 B3 B4 B5 D n s m" : "W B1 B2 B3 B4 B5 D Ww n s m");
    for (int s = 2; s < 4; s++)
        entities(&v, sides[s], lean ? "F W Fk G S n s m" : "F W Fk G S Tt Ww n s m");
    entities(&v, "", "HL HR");
    for (int i = 1; i < 4; i++)
        for (int j = 0; j < i; j++) {
            char pair[20];
            snprintf(pair, sizeof pair, "%s %s", v.name[i], v.name[j]);
            one(&v, "", pair);
        }
    for (int k = 4; k < chassis; k++) {
        char point[40];
        snprintf(point, sizeof point, "%s" BASIS, v.name[k]);
        each(&v, "", point);
    }
    for (bl_index s = 0; s < 4; s++)
        (s < 2 ? rear : front)(&v, sides[s], s);
    each(&v, "", "HL" BASIS);
    each(&v, "", "HR" BASIS);
    bl_index ncol = 3 * v.nname + 4;
    bl_pattern all = finish(ctx, v.nrow, ncol, &v.entries);
    if (!dependent)
        return all;
    uint8_t keep[250];
    memset(keep, 1, sizeof keep);
    memset(keep + 3 * v.nname, 0, 4);
    const char *fixed[] = {"RLT.x", "RLT.y", "RLT.z", "RRA3.z", "FLE2.y", "FLE2.z"};
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        strike(&v, keep, fixed[k]);
    const char *freed[] = {"RLm.x",  "RLm.y", "RLB1.x", "RLB1.z", "RLB2.z", "RRm.x", "RRm.y", "RRB1.x", "RRB1.z",
                           "RRB2.z", "FLF.z", "FLm.x",  "FLm.y",  "FLFk.x", "FRF.z", "FRm.x", "FRm.y",  "FRFk.x"};
    for (size_t k = 0; which == VEHICLE_OPENED && k < sizeof freed / sizeof *freed; k++)
        strike(&v, keep, freed[k]);
    bl_pattern part = test_pattern_columns(ctx, &all, keep);
    bl_pattern_free(ctx, &all);
    return part;
}

/* ---- the form of an ordering */

void test_permutation(bl_index n, const bl_index *order) {
    uint8_t *seen = calloc((size_t)n + 1, 1);
    assert_non_null(seen);
    for (bl_index k = 0; k < n; k++) {
        assert_in_range(order[k], 0, n - 1);
        assert_false(seen[order[k]]++);
    }
    free(seen);
}

void test_block_form(const bl_pattern *p, const bl_ordering *o) {
    assert_non_null(o->block);
    assert_int_equal(o->nrow, p->nrow);
    assert_int_equal(o->ncol, p->ncol);
    test_permutation(p->nrow, o->row);
    test_permutation(p->ncol, o->col);
    assert_int_equal(o->block[0], 0);
    assert_int_equal(o->block[o->nblock] + o->border, p->ncol);
    assert_int_equal(o->block[o->nblock] + o->band, p->nrow);
    bl_index *of_row = malloc(((size_t)p->nrow + 1) * sizeof *of_row);
    assert_non_null(of_row);
    for (bl_index k = 0; k < p->nrow; k++)
        of_row[o->row[k]] = o->nblock;
    for (bl_index b = 0; b < o->nblock; b++) {
        assert_true(o->block[b] < o->block[b + 1]);
        for (bl_index k = o->block[b]; k < o->block[b + 1]; k++)
            of_row[o->row[k]] = b;
    }
    for (bl_index b = 0; b < o->nblock; b++)
        for (bl_index k = o->block[b]; k < o->block[b + 1]; k++)
            for (bl_index e = p->ptr[o->col[k]]; e < p->ptr[o->col[k] + 1]; e++)
                assert_true(of_row[p->idx[e]] >= b);
    free(of_row);
}

bl_index test_blocks_of(const bl_ordering *ordering, bl_index size) {
    bl_index n = 0;
    for (bl_index b = 0; b < ordering->nblock; b++)
        n += ordering->block[b + 1] - ordering->block[b] == size;
    return n;
}
