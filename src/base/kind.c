/* Kinds by name, and their parameters from "name:first,other=value". */
#include "base/kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bl_index bl_param_count(const bl_param *table) {
    bl_index n = 0;
    while (table && table[n].type != BL_P_END)
        n++;
    return n;
}

/* index of the word in "one|two", -1 when absent */
static int choice_index(const char *choices, const char *word) {
    size_t length = strlen(word);
    for (int index = 0; choices && *choices; index++) {
        const char *end = strchr(choices, '|');
        size_t n = end ? (size_t)(end - choices) : strlen(choices);
        if (n == length && strncmp(choices, word, n) == 0)
            return index;
        choices = end ? end + 1 : NULL;
    }
    return -1;
}

static bl_status set_value(bl_context *ctx, bl_arena *arena, const bl_kind *kind, const bl_param *param, const char *text,
                           bl_value *value) {
    value->given = true;
    value->text = bl_arena_text(arena, text, strlen(text));
    if (!value->text)
        return BL_E_MEMORY;
    if (param->type == BL_P_TEXT)
        return BL_OK;
    if (param->type == BL_P_CHOICE) {
        int index = choice_index(param->choices, text);
        if (index < 0)
            return bl_fail(ctx, BL_E_ARG, NULL, "%s: %s must be one of %s, not '%s'", kind->name, param->name, param->choices, text);
        value->number = index;
        return BL_OK;
    }
    if (param->type == BL_P_FLAG && (!strcmp(text, "true") || !strcmp(text, "false"))) {
        value->number = text[0] == 't';
        return BL_OK;
    }
    char *end = NULL;
    value->number = strtod(text, &end);
    if (end == text || *end || !isfinite(value->number))
        return bl_fail(ctx, BL_E_ARG, NULL, "%s: %s must be a number, not '%s'", kind->name, param->name, text);
    if (param->type == BL_P_INTEGER && value->number != floor(value->number))
        return bl_fail(ctx, BL_E_ARG, NULL, "%s: %s must be an integer, not '%s'", kind->name, param->name, text);
    if (((param->flags & BL_POSITIVE) && value->number <= 0) || ((param->flags & BL_NOT_NEGATIVE) && value->number < 0) ||
        ((param->flags & BL_NOT_ZERO) && value->number == 0))
        return bl_fail(ctx, BL_E_ARG, NULL, "%s: %s = %s is out of range", kind->name, param->name, text);
    return BL_OK;
}

bl_status bl_kind_options(bl_context *ctx, bl_arena *arena, const bl_kind *kind, const char *text, bl_value *values) {
    bl_index n = bl_param_count(kind->params), bare = 0;
    memset(values, 0, BL_MAX_PARAMS * sizeof *values);
    for (bl_index i = 0; i < n; i++)
        values[i].number = kind->params[i].fallback;
    while (text && *text) {
        const char *end = strchr(text, ',');
        size_t length = end ? (size_t)(end - text) : strlen(text);
        char entry[128];
        if (length >= sizeof entry)
            return bl_fail(ctx, BL_E_ARG, NULL, "%s: an option is longer than %zu characters", kind->name, sizeof entry - 1);
        memcpy(entry, text, length);
        entry[length] = '\0';
        char *equals = strchr(entry, '=');
        bl_index which = 0;
        if (equals)
            *equals = '\0';
        while (which < n && strcmp(kind->params[which].name, entry) != 0)
            which++;
        bool flag = !equals && which < n && kind->params[which].type == BL_P_FLAG; /* a flag is set by its name: "auto:measure" */
        if (!equals && !flag)
            which = bare++;
        if (which >= n) {
            const char *names[BL_MAX_PARAMS] = {0};
            for (bl_index i = 0; i < n; i++)
                names[i] = kind->params[i].name;
            bl_fail(ctx, BL_E_ARG, NULL, n ? "%s has no option '%s'" : "%s takes no options, found '%s'", kind->name, entry);
            const char *nearest = bl_nearest(entry, names, (size_t)n);
            if (nearest)
                bl_advise(ctx, "did you mean '%s'?", nearest);
            return BL_E_ARG;
        }
        if (values[which].given)
            return bl_fail(ctx, BL_E_ARG, NULL, "%s: %s is given twice", kind->name, kind->params[which].name);
        BL_TRY(set_value(ctx, arena, kind, &kind->params[which], equals ? equals + 1 : flag ? "true" : entry, &values[which]));
        text = end ? end + 1 : NULL;
    }
    for (bl_index i = 0; i < n; i++)
        if ((kind->params[i].flags & BL_REQUIRED) && !values[i].given)
            return bl_fail(ctx, BL_E_ARG, NULL, "%s needs %s (%s)", kind->name, kind->params[i].name, kind->params[i].help);
    return BL_OK;
}

bl_status bl_kind_find(bl_context *ctx, const char *room, const bl_kind *const *list, size_t count, const char *spec, const bl_kind **kind,
                       const char **options) {
    const char *colon = strchr(spec, ':');
    size_t length = colon ? (size_t)(colon - spec) : strlen(spec);
    *options = colon ? colon + 1 : NULL;
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]->name) == length && strncmp(list[i]->name, spec, length) == 0) {
            *kind = list[i];
            return BL_OK;
        }
    const char *names[128];
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), spec);
    for (size_t i = 0; i < count && i < 128; i++)
        names[i] = list[i]->name;
    const char *nearest = bl_nearest(word, names, count < 128 ? count : 128);
    bool plural = room[0] && room[strlen(room) - 1] == 's'; /* "coordinates" */
    bl_fail(ctx, BL_E_ARG, NULL, "there %s no %s '%s'", plural ? "are" : "is", room, word);
    if (nearest)
        bl_advise(ctx, "did you mean '%s'?", nearest);
    else
        bl_advise(ctx, "`biela list` shows all names");
    return BL_E_ARG;
}
