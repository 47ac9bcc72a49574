/* Values of plots: a name of a result, or an expression of names, sample by sample.
 * The unit of an expression is found by scaling: if f(2^a x) = 2^b f(x) for a change of the meter, b is its exponent of the meter. */
#include "output/plot_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names in expressions */

enum { MOST_QUOTED = 64 };

typedef struct scope {
    bl_catalog *of;
    bl_index quoted[MOST_QUOTED]; /* names written as "name" or |name|, replaced by bl_quoted_0, ... */
    int nquoted;
} scope;

static const char placeholder[] = "bl_quoted_";

static bl_index find(void *user, const char *name, const char **nearest) {
    const scope *s = user;
    size_t length = sizeof placeholder - 1;
    if (strncmp(name, placeholder, length) == 0) {
        int which = 0;
        if (sscanf(name + length, "%d", &which) == 1 && which >= 0 && which < s->nquoted)
            return s->quoted[which];
    }
    bl_index found = bl_catalog_find(s->of, strcmp(name, "t") == 0 ? "time" : name);
    if (found >= 0)
        return found;
    const char **word = bl_alloc(s->of->ctx, (size_t)s->of->n + 1, sizeof *word);
    for (bl_index i = 0; word && i < s->of->n; i++)
        word[i] = s->of->entry[i].name;
    *nearest = word ? bl_nearest(name, word, (size_t)s->of->n) : NULL;
    bl_free(s->of->ctx, word);
    return -1;
}

/* replaces "name" and |name| by identifiers; anything else between bars is left to the parser, which reports it */
static bl_status replace_quoted_names(scope *s, const char *text, char **out) {
    bl_arena *arena = &s->of->arena;
    size_t room = strlen(text) * 12 + 1, length = 0; /* a replacement is at most 12 times as long as the text */
    char *to = *out = bl_arena_alloc(arena, room, 1);
    if (!to)
        return BL_E_MEMORY;
    for (const char *at = text; *at;) {
        const char *end = *at == '"' || *at == '|' ? strchr(at + 1, *at) : NULL;
        if (!end) {
            to[length++] = *at++;
            continue;
        }
        char *name = *at == '"' ? bl_arena_text(arena, at + 1, (size_t)(end - at - 1)) : bl_arena_text(arena, at, (size_t)(end - at + 1));
        if (!name)
            return BL_E_MEMORY;
        bl_index found = bl_catalog_find(s->of, name);
        if (found < 0)
            return bl_catalog_refuse(s->of, name);
        if (s->nquoted == MOST_QUOTED)
            return bl_fail(s->of->ctx, BL_E_ARG, NULL, "'%.200s' has more than %d quoted names", text, MOST_QUOTED);
        s->quoted[s->nquoted] = found;
        length += (size_t)snprintf(to + length, room - length, "%s%d", placeholder, s->nquoted++);
        at = end + 1;
    }
    return BL_OK;
}

/* ---- units */

/* reproducible numbers in 0.5 .. 1.5 */
static double some_number(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return 0.5 + (double)(*state >> 8) / (double)(1u << 24);
}

enum { NO_POWER = 1000 };

/* exponent (times two) with which the value scales with one unit, equal for several values; NO_POWER: none */
static int power(const bl_plot_value *v, int dim, double *at, double *scaled) {
    enum { TRIES = 4 };
    const bl_plot_name *entry = v->of->entry;
    unsigned state = 1;
    int found = NO_POWER;
    for (int t = 0; t < TRIES; t++) {
        for (bl_index k = 0; k < v->nname; k++) {
            at[k] = some_number(&state);
            scaled[k] = ldexp(at[k], entry[v->name[k]].unit.half[dim]);
        }
        double exponent = log2(bl_formula_value(v->formula, scaled) / bl_formula_value(v->formula, at));
        if (!isfinite(exponent) || fabs(exponent) > 40 || fabs(exponent - round(exponent)) > 1e-6 ||
            (t > 0 && (int)round(exponent) != found))
            return NO_POWER;
        found = (int)round(exponent);
    }
    return found;
}

static bl_status find_unit(bl_plot_value *v) {
    const bl_plot_name *entry = v->of->entry;
    double *at;
    v->unit = (bl_unit){.known = true};
    for (bl_index k = 0; k < v->nname; k++) {
        v->unit.known = v->unit.known && entry[v->name[k]].unit.known;
        v->unit.energy = v->unit.energy || entry[v->name[k]].unit.energy;
    }
    if (v->unit.known && v->nname > 0) {
        BL_TRY(BL_NEW(v->of->ctx, at, 2 * (size_t)v->nname));
        for (int dim = 0; dim < BL_UNIT_DIMS; dim++) {
            int half = power(v, dim, at, at + v->nname);
            v->unit.known = v->unit.known && (half != NO_POWER || dim == 3);
            v->unit.half[dim] = half == NO_POWER ? 0 : half; /* sin(angle), angle + 1: radians count as numbers */
        }
        bl_free(v->of->ctx, at);
    }
    v->unit.energy = v->unit.energy && v->unit.half[0] == 2 && v->unit.half[2] == 2;
    if (!v->unit.known)
        v->unit = (bl_unit){0};
    return BL_OK;
}

/* ---- values */

/* whether the text can only be a name: then a message about names is more useful than one about syntax */
static bool is_word(const char *text) {
    for (; *text; text++)
        if (strchr("+-*/^(),<>=\"|?:", *text))
            return false;
    return true;
}

static bl_status take_names(bl_plot_value *v, bl_index n, const bl_index *name) {
    v->nname = n;
    BL_TRY(BL_ARENA_NEW(&v->of->arena, v->name, n + 1));
    if (n > 0)
        memcpy(v->name, name, (size_t)n * sizeof *name);
    return BL_NEW(v->of->ctx, v->work, ((size_t)n + 4) * BL_PLOT_CHUNK);
}

static bl_status read_expression(bl_plot_value *v) {
    scope s = {.of = v->of};
    const bl_formula_scope names = {.user = &s, .find = find};
    const bl_index *name;
    char *text;
    BL_TRY(replace_quoted_names(&s, v->text, &text));
    BL_TRY(bl_formula_create(v->of->ctx, text, &names, &v->formula));
    bl_index n = bl_formula_inputs(v->formula, &name);
    BL_TRY(take_names(v, n, name));
    BL_TRY(find_unit(v));
    v->word = bl_unit_word(&v->unit);
    return BL_OK;
}

bl_status bl_plot_value_create(bl_catalog *of, const char *text, bl_plot_value *v) {
    *v = (bl_plot_value){.of = of, .text = text};
    bl_index found = bl_catalog_find(of, strcmp(text, "t") == 0 ? "time" : text);
    bl_status status;
    if (found >= 0) {
        status = take_names(v, 1, &found);
        v->unit = of->entry[found].unit;
        v->word = of->entry[found].word;
    } else {
        status = is_word(text) ? bl_catalog_refuse(of, text) : read_expression(v);
    }
    if (status != BL_OK)
        bl_plot_value_destroy(v);
    return status;
}

void bl_plot_value_destroy(bl_plot_value *v) {
    if (!v->of)
        return;
    bl_formula_destroy(v->formula);
    bl_free(v->of->ctx, v->work);
    *v = (bl_plot_value){0};
}

bl_status bl_plot_value_samples(const bl_plot_value *v, long *samples, const char **time) {
    *samples = bl_result_samples(v->of->result);
    *time = "time";
    for (bl_index k = 0; k < v->nname; k++) {
        const bl_quantity *q = v->of->entry[v->name[k]].quantity;
        bool steps = strncmp(q->name, "steps/", 6) == 0;
        if (k > 0 && steps != (strcmp(*time, "step.time") == 0))
            return bl_fail(v->of->ctx, BL_E_ARG, NULL, "'%.200s' mixes quantities at steps and at output times", v->text);
        if (steps) {
            *time = "step.time";
            *samples = q->rows;
        }
    }
    return BL_OK;
}

static bl_status read_name(bl_plot_value *v, const bl_plot_name *name, long first, long count, double *to) {
    double *row = v->work + (size_t)v->nname * BL_PLOT_CHUNK; /* up to 4 components */
    int width = name->quantity->components;
    BL_TRY(bl_result_read(v->of->result, name->quantity, first, count, name->item, 1, row));
    for (long i = 0; i < count; i++) {
        const double *r = row + (size_t)i * (size_t)width;
        to[i] = name->component >= 0 ? r[name->component] : sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    }
    return BL_OK;
}

bl_status bl_plot_value_read(bl_plot_value *v, long first, long count, double *to) {
    if (!v->formula)
        return read_name(v, &v->of->entry[v->name[0]], first, count, to);
    enum { MOST = 256 };
    double input[MOST];
    if (v->nname > MOST)
        return bl_fail(v->of->ctx, BL_E_ARG, NULL, "'%.200s' has more than %d names", v->text, MOST);
    for (bl_index k = 0; k < v->nname; k++)
        BL_TRY(read_name(v, &v->of->entry[v->name[k]], first, count, v->work + (size_t)k * BL_PLOT_CHUNK));
    for (long i = 0; i < count; i++) {
        for (bl_index k = 0; k < v->nname; k++)
            input[k] = v->work[(size_t)k * BL_PLOT_CHUNK + (size_t)i];
        to[i] = bl_formula_value(v->formula, input);
    }
    return BL_OK;
}
