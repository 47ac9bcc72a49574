/* Item: typed access to the tree. Every error message has what is accepted, what was found and where. */
#include "model/reader.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bl_item_null(const bl_item *node) {
    return node->kind == BL_ITEM_TEXT && node->plain &&
           (node->length == 0 || !strcmp(node->text, "~") || !strcmp(node->text, "null") || !strcmp(node->text, "Null") ||
            !strcmp(node->text, "NULL"));
}

const bl_item *bl_item_get(const bl_item *map, const char *key) {
    for (bl_index i = 0; map->kind == BL_ITEM_MAP && i < map->count; i++)
        if (strcmp(map->key[i]->text, key) == 0)
            return map->value[i];
    return NULL;
}

/* the value found, for messages */
static const char *found(const bl_item *node, char *buffer, size_t size) {
    if (node->kind == BL_ITEM_LIST)
        return "a list";
    if (node->kind == BL_ITEM_MAP)
        return "a map";
    if (bl_item_null(node))
        return "nothing";
    snprintf(buffer, size, node->plain ? "'%.60s'" : "the text \"%.60s\"", node->text);
    return buffer;
}

static bl_status refuse(bl_reader *r, const bl_item *node, const char *what, const char *wanted) {
    char buffer[96];
    return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be %s, found %s", what, wanted, found(node, buffer, sizeof buffer));
}

bl_status bl_item_need(bl_reader *r, const bl_item *map, const char *owner, const char *key, const bl_item **value) {
    *value = bl_item_get(map, key);
    if (*value && !bl_item_null(*value))
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, *value ? &(*value)->place : &map->place, "%s needs '%s'", owner, key);
    for (bl_index i = 0; i < map->count && !*value; i++)
        if (strcmp(map->key[i]->text, "name") != 0 && bl_nearest(map->key[i]->text, &key, 1)) {
            bl_advise(r->ctx, "'%s' is called '%s' here", map->key[i]->text, key);
            break;
        }
    return BL_E_MODEL;
}

bl_status bl_item_map(bl_reader *r, const bl_item *node, const char *what) {
    return node->kind == BL_ITEM_MAP ? BL_OK : refuse(r, node, what, "a map (key: value)");
}

static bool all_digits(const char *s) {
    size_t n = strspn(s, "0123456789");
    return n > 0 && s[n] == '\0';
}

bool bl_item_cut_decimals(const bl_item *map, bl_index i) {
    double value;
    return i > 0 && all_digits(map->key[i]->text) && bl_item_null(map->value[i]) && map->value[i - 1]->kind == BL_ITEM_TEXT &&
           bl_text_number(map->value[i - 1]->text, &value);
}

/* an expression that YAML split at a comma: =max(a */
static bool cut_expression(const bl_item *node) {
    int open = 0;
    if (node->kind != BL_ITEM_TEXT || !node->plain || node->text[0] != '=')
        return false;
    for (const char *s = node->text; *s; s++)
        open += (*s == '(') - (*s == ')');
    return open > 0;
}

/* lists the accepted keys, unless they are too many for a hint */
static void advise_keys(bl_reader *r, const char *const *key, size_t n) {
    char all[200] = "";
    size_t used = 0;
    for (size_t k = 0; k < n && used < sizeof all; k++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", k ? ", " : "", key[k]);
    if (n > 0 && used < sizeof all)
        bl_advise(r->ctx, "accepted keys: %s", all);
}

bl_status bl_item_keys(bl_reader *r, const bl_item *map, const char *owner, const char *const *known, size_t nknown,
                       const bl_param *params) {
    bl_index nparam = bl_param_count(params);
    for (bl_index i = 0; i < map->count; i++) {
        const char *key = map->key[i]->text;
        bool fine = false;
        for (size_t k = 0; k < nknown && !fine; k++)
            fine = strcmp(known[k], key) == 0;
        for (bl_index k = 0; k < nparam && !fine; k++)
            fine = strcmp(params[k].name, key) == 0;
        if (fine)
            continue;
        const char *words[64];
        size_t n = 0;
        for (size_t k = 0; k < nknown && n < 64; k++)
            words[n++] = known[k];
        for (bl_index k = 0; k < nparam && n < 64; k++)
            words[n++] = params[k].name;
        bl_fail(r->ctx, BL_E_MODEL, &map->key[i]->place, "unknown key '%s' in %s", key, owner);
        const char *nearest = bl_nearest(key, words, n);
        if (i > 0 && cut_expression(map->value[i - 1]))
            bl_advise(r->ctx, "put an expression that contains a comma in quotes: \"=max(a, b)\"");
        else if (bl_item_cut_decimals(map, i))
            bl_advise(r->ctx, "write decimals with a point: %s.%s", map->value[i - 1]->text, key);
        else if (nearest)
            bl_advise(r->ctx, "did you mean '%s'?", nearest);
        else
            advise_keys(r, words, n);
        return BL_E_MODEL;
    }
    return BL_OK;
}

bl_status bl_item_text(bl_reader *r, const bl_item *node, const char *what, const char **text) {
    if (node->kind != BL_ITEM_TEXT || bl_item_null(node))
        return refuse(r, node, what, "a word");
    return bl_repeat_text(r, node, text);
}

bl_status bl_item_keep(bl_reader *r, const bl_item *node, const char *what, const char **text) {
    BL_TRY(bl_item_text(r, node, what, text));
    *text = bl_arena_text(&r->model->arena, *text, strlen(*text));
    return *text ? BL_OK : BL_E_MEMORY;
}

/* ---- numbers */

static bool infinite_word(const char *s) {
    if (*s == '+' || *s == '-')
        s++;
    if (*s == '.')
        s++;
    char low[16];
    size_t n = 0;
    for (; s[n] && n + 1 < sizeof low; n++)
        low[n] = (char)tolower((unsigned char)s[n]);
    low[n] = '\0';
    return !strcmp(low, "inf") || !strcmp(low, "nan") || !strcmp(low, "infinity");
}

bool bl_text_number(const char *text, double *value) {
    const char *s = text;
    size_t digits = 0;
    if (infinite_word(text)) {
        *value = NAN;
        return true;
    }
    if (*s == '+' || *s == '-')
        s++;
    for (; isdigit((unsigned char)*s); s++)
        digits++;
    const char *point = *s == '.' ? s++ : NULL;
    for (; isdigit((unsigned char)*s); s++)
        digits++;
    if (digits == 0)
        return false;
    if (*s == 'e' || *s == 'E') {
        s++;
        if (*s == '+' || *s == '-')
            s++;
        if (!isdigit((unsigned char)*s))
            return false;
        while (isdigit((unsigned char)*s))
            s++;
    }
    if (*s)
        return false;
    /* strtod depends on the locale of the program, the file does not */
    const char *mark = localeconv()->decimal_point;
    if (point && strcmp(mark, ".") != 0) {
        char local[512];
        int n = snprintf(local, sizeof local, "%.*s%s%s", (int)(point - text), text, mark, point + 1);
        if (n < 0 || (size_t)n >= sizeof local)
            return false;
        *value = strtod(local, NULL);
    } else {
        *value = strtod(text, NULL);
    }
    if (!isfinite(*value))
        *value = NAN;
    return true;
}

/* What to write after the number in place of a unit, in an expression; "": an SI unit, nothing is needed. */
static const struct {
    const char *units, *instead; /* units between blanks */
} units[] = {
    {" deg degree degrees \xc2\xb0 ", "*deg"},
    {" mm ", "*mm"},
    {" rpm rev/min 1/min U/min ", "*rpm"},
    {" cm ", "/100"},
    {" km kN kg/dm^3 ", "*1000"},
    {" in inch \" ", "*25.4*mm"},
    {" ft ", "*304.8*mm"},
    {" ms g ", "/1000"},
    {" us um ", "/1e6"},
    {" min ", "*60"},
    {" t N/mm ", "*1000"},
    {" Hz ", "*2*pi"}, /* an angular frequency */
    {" m s kg N J W Pa rad Nm N*m N m/s m/s^2 m/s2 rad/s N/m Ns/m N*s/m Nm/rad kgm^2 kg*m^2 kg/m^3 m^2 ", ""},
};

/* 30 deg, 10mm, 1,5, 1_000 */
static void advise_number(bl_reader *r, const char *text) {
    char number[64], word[32];
    size_t n = 0, used = strspn(text, "+-0123456789.,_eE"), blanks;
    double value;
    while (used > 0 && !isdigit((unsigned char)text[used - 1]) && text[used - 1] != '.')
        used--; /* an e that begins a unit */
    bool comma = memchr(text, ',', used) != NULL, gap = memchr(text, '_', used) != NULL;
    for (size_t i = 0; i < used && n + 1 < sizeof number; i++)
        if (text[i] != '_')
            number[n++] = (char)(text[i] == ',' ? '.' : text[i]);
    number[n] = '\0';
    if (!bl_text_number(number, &value) || !isfinite(value))
        return;
    blanks = strspn(text + used, " \t");
    const char *unit = text + used + blanks;
    if (*unit == '\0') {
        if (comma || gap)
            bl_advise(r->ctx, comma ? "write decimals with a point: %s" : "write %s", number);
        return;
    }
    if (strchr("+-*/^()=<>", *unit))
        return; /* an expression */
    snprintf(word, sizeof word, " %s ", unit);
    for (size_t k = 0; strlen(unit) + 3 < sizeof word && k < sizeof units / sizeof *units; k++)
        if (strstr(units[k].units, word)) {
            bl_advise(r->ctx,
                      units[k].instead[0] ? "write =%s%s: numbers are in SI units (m, kg, s, rad, N)"
                                          : "write %s%s: numbers are in SI units (m, kg, s, rad, N)",
                      number, units[k].instead);
            return;
        }
    bl_advise(r->ctx, "write numbers without units, in SI (m, kg, s, rad, N), or convert them: =30*deg, =10*mm, =60*rpm");
}

bl_status bl_item_number(bl_reader *r, const bl_item *node, const char *what, double *value) {
    if (node->kind != BL_ITEM_TEXT || bl_item_null(node))
        return refuse(r, node, what, "a number");
    const char *text;
    BL_TRY(bl_repeat_text(r, node, &text));
    if (text[0] == '=')
        return bl_laws_constant(r, node, text, value);
    if (node->plain && bl_text_number(text, value)) {
        if (isfinite(*value))
            return BL_OK;
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be a finite number, found '%s'", what, text);
    }
    refuse(r, node, what, "a number");
    if (bl_names_find(&r->parameters, text) >= 0)
        bl_advise(r->ctx, "did you mean '=%s'?", text);
    else if (!node->plain && bl_text_number(text, value))
        bl_advise(r->ctx, "write numbers without quotes");
    else {
        if (strpbrk(text, "+-*/^("))
            bl_advise(r->ctx, "an expression must begin with '='");
        advise_number(r, text);
    }
    return BL_E_MODEL;
}

bl_status bl_item_flag(bl_reader *r, const bl_item *node, const char *what, bool *value) {
    if (node->kind != BL_ITEM_TEXT || !node->plain)
        return refuse(r, node, what, "true or false");
    if (!strcmp(node->text, "true") || !strcmp(node->text, "True") || !strcmp(node->text, "TRUE"))
        *value = true;
    else if (!strcmp(node->text, "false") || !strcmp(node->text, "False") || !strcmp(node->text, "FALSE"))
        *value = false;
    else
        return refuse(r, node, what, "true or false");
    return BL_OK;
}

bl_status bl_item_range(bl_reader *r, const bl_place *place, const char *what, uint32_t flags, double value) {
    if ((flags & BL_POSITIVE) && !(value > 0))
        return bl_fail(r->ctx, BL_E_MODEL, place, "%s must be positive, found %g", what, value);
    if ((flags & BL_NOT_NEGATIVE) && !(value >= 0))
        return bl_fail(r->ctx, BL_E_MODEL, place, "%s must not be negative, found %g", what, value);
    if ((flags & BL_NOT_ZERO) && value == 0)
        return bl_fail(r->ctx, BL_E_MODEL, place, "%s must not be zero", what);
    return BL_OK;
}

/* ---- vectors */

bl_status bl_item_numbers(bl_reader *r, const bl_item *node, const char *what, bl_index n, double *value) {
    char wanted[48];
    snprintf(wanted, sizeof wanted, "a list of %d numbers", (int)n);
    if (node->kind != BL_ITEM_LIST)
        return refuse(r, node, what, wanted);
    if (node->count != n) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s needs %d components, found %d", what, (int)n, (int)node->count);
        for (bl_index i = 0; i < node->count; i++)
            if (cut_expression(node->value[i]))
                bl_advise(r->ctx, "put an expression that contains a comma in quotes: \"=max(a, b)\"");
        return BL_E_MODEL;
    }
    for (bl_index i = 0; i < n; i++)
        BL_TRY(bl_item_number(r, node->value[i], what, &value[i]));
    return BL_OK;
}

bl_status bl_item_vector(bl_reader *r, const bl_item *node, const char *what, double value[3]) {
    value[0] = value[1] = value[2] = 0;
    bl_status status = bl_item_numbers(r, node, what, r->model->dim, value);
    if (status == BL_E_MODEL && node->kind == BL_ITEM_LIST && node->count != r->model->dim && !bl_context_error(r->ctx)->advice[0])
        bl_advise(r->ctx,
                  r->model->dim == 3 ? "the model is spatial: give x, y and z, or write `dimension: 2` for a planar model"
                                     : "the model has dimension: %d",
                  r->model->dim);
    return status;
}

bl_status bl_item_direction(bl_reader *r, const bl_item *node, const char *what, double value[3]) {
    BL_TRY(bl_item_vector(r, node, what, value));
    double length = hypot(hypot(value[0], value[1]), value[2]);
    if (!(length > 0) || !isfinite(length))
        return bl_fail(r->ctx, BL_E_MODEL, &node->place,
                       length > 0 ? "the components of %s are too large" : "%s must not be a zero vector: it has no direction", what);
    for (int k = 0; k < 3; k++)
        value[k] /= length;
    return BL_OK;
}

bl_status bl_item_point(bl_reader *r, const bl_item *node, const char *what, double value[3]) {
    if (node->kind == BL_ITEM_LIST)
        return bl_item_vector(r, node, what, value);
    if (node->kind != BL_ITEM_TEXT || bl_item_null(node))
        return refuse(r, node, what, "coordinates or the name of a point");
    const char *name;
    BL_TRY(bl_repeat_text(r, node, &name));
    bl_index point = bl_names_find(&r->points, name);
    if (point < 0) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s: there is no point '%s'", what, name);
        bl_names_advise(r, name, (const bl_names *const[]){&r->points, NULL});
        return BL_E_MODEL;
    }
    memcpy(value, r->model->point[point].at, 3 * sizeof *value);
    return BL_OK;
}
