#include "support/decks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void deck_add(test_deck *d, const char *format, ...) {
    char line[4096];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    assert_true(n >= 0 && (size_t)n < sizeof line);
    if (d->length + (size_t)n + 1 > d->room) {
        d->room = 2 * d->room + sizeof line;
        d->text = realloc(d->text, d->room);
        assert_non_null(d->text);
    }
    memcpy(d->text + d->length, line, (size_t)n + 1);
    d->length += (size_t)n;
}

void deck_free(test_deck *d) {
    free(d->text);
    *d = (test_deck){0};
}

void deck_mesh(test_deck *d, const bl_mesh *mesh, const char *type) {
    deck_add(d, "*NODE, NSET=NALL\n");
    for (bl_index i = 0; i < mesh->nnode; i++)
        deck_add(d, "%d, %.17g, %.17g, %.17g\n", (int)i + 1, mesh->x[i][0], mesh->x[i][1], mesh->x[i][2]);
    deck_add(d, "*ELEMENT, TYPE=%s, ELSET=EALL\n", type);
    for (bl_index b = 0; b < mesh->nblock; b++)
        for (bl_index e = 0; e < mesh->block[b].count; e++) {
            int nn = mesh->block[b].kind->nnode;
            deck_add(d, "%d", (int)(mesh->block[b].first + e) + 1);
            for (int a = 0; a < nn; a++)
                deck_add(d, ",%s%d", a == 9 || a == 18 ? "\n" : " ", (int)mesh->block[b].node[(size_t)e * (size_t)nn + (size_t)a] + 1);
            deck_add(d, "\n");
        }
    for (bl_index s = 0; s < mesh->nset; s++) {
        const bl_mesh_set *set = &mesh->set[s];
        if (set->what != BL_SET_NODES)
            continue;
        deck_add(d, "*NSET, NSET=%s\n", set->name);
        for (bl_index k = 0; k < set->count; k++)
            deck_add(d, "%d,\n", (int)set->item[k] + 1);
    }
}

void deck_faces(test_deck *d, const bl_mesh *mesh, const char *set, char letter, const char *values) {
    const bl_mesh_set *faces = bl_mesh_set_of(mesh, set, BL_SET_FACES);
    assert_non_null(faces);
    for (bl_index k = 0; k < faces->count; k++)
        deck_add(d, "%d, %c%d, %s\n", (int)faces->item[k] + 1, letter, faces->face[k] + 1, values);
}

/* ---- tables */

static bl_status take(void *user, const bl_deck_table *from) {
    deck_tables *all = user;
    all->table = realloc(all->table, (size_t)(all->n + 1) * sizeof *all->table);
    assert_non_null(all->table);
    deck_table *t = &all->table[all->n++];
    *t = (deck_table){.step = from->step,
                      .increment = from->increment,
                      .t = from->t,
                      .nlabel = from->nlabel,
                      .ncolumn = from->ncolumn,
                      .nrow = from->nrow,
                      .has_total = from->total};
    snprintf(t->what, sizeof t->what, "%s", from->what);
    snprintf(t->set, sizeof t->set, "%s", from->set);
    size_t nl = (size_t)from->nrow * (size_t)from->nlabel, nv = (size_t)from->nrow * (size_t)from->ncolumn;
    t->label = malloc((nl + 1) * sizeof *t->label);
    t->value = malloc((nv + 1) * sizeof *t->value);
    assert_true(t->label && t->value);
    if (from->nrow) {
        memcpy(t->label, from->label, nl * sizeof *t->label);
        memcpy(t->value, from->value, nv * sizeof *t->value);
    }
    if (from->total)
        memcpy(t->total, from->total, (size_t)from->ncolumn * sizeof *t->total);
    return BL_OK;
}

bl_status deck_try(bl_context *ctx, const char *text, deck_tables *out) {
    bl_model *model;
    *out = (deck_tables){0};
    bl_deck_sink sink = {.user = out, .table = take};
    bl_status status = bl_model_read_text(ctx, "deck", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_run_deck(ctx, model, NULL, &sink, &out->summary);
    bl_model_destroy(model);
    return status;
}

void deck_run(bl_context *ctx, const char *text, deck_tables *out) {
    if (deck_try(ctx, text, out) != BL_OK) {
        const bl_error *error = bl_context_error(ctx);
        fail_msg("line %d: %s (%s)", error->line, error->what, error->advice);
    }
}

void deck_tables_free(deck_tables *t) {
    for (int k = 0; k < t->n; k++) {
        free(t->table[k].label);
        free(t->table[k].value);
    }
    free(t->table);
    *t = (deck_tables){0};
}

const deck_table *deck_find(const deck_tables *t, const char *what, int step, int increment) {
    for (int k = t->n - 1; k >= 0; k--)
        if (strcmp(t->table[k].what, what) == 0 && t->table[k].step == step && (increment == 0 || t->table[k].increment == increment))
            return &t->table[k];
    fail_msg("no table %s of step %d, increment %d", what, step, increment);
    return NULL;
}

const double *deck_row(const deck_table *t, bl_index label, bl_index point) {
    for (bl_index i = 0; i < t->nrow; i++)
        if (t->label[i * t->nlabel] == label && (t->nlabel == 1 || t->label[i * t->nlabel + 1] == point))
            return t->value + i * t->ncolumn;
    fail_msg("table %s has no row %d, %d", t->what, (int)label, (int)point);
    return NULL;
}
