/* Supported keywords, the parts of a deck where they may occur, and their supported parameters. Anything else is refused by name, since
 * ignoring it could change the results. */
#include "model/deck_reader.h"

#include <string.h>

enum { MODEL = BL_CARD_IN_MODEL, STEP = BL_CARD_IN_STEP, BOTH = MODEL | STEP };

static const bl_deck_word words[] = {
    {"HEADING", BL_KEY_SKIPPED, MODEL, ""},
    {"INCLUDE", BL_KEY_INCLUDE, BOTH, "INPUT="},
    {"NODE", BL_KEY_NODE, MODEL, "NSET="},
    {"ELEMENT", BL_KEY_ELEMENT, MODEL, "TYPE= ELSET="},
    {"NSET", BL_KEY_NSET, MODEL, "NSET= GENERATE"},
    {"ELSET", BL_KEY_ELSET, MODEL, "ELSET= GENERATE"},
    {"MATERIAL", BL_KEY_MATERIAL, MODEL, "NAME="},
    {"ELASTIC", BL_KEY_ELASTIC, MODEL, "TYPE="},
    {"DENSITY", BL_KEY_DENSITY, MODEL, ""},
    {"PLASTIC", BL_KEY_PLASTIC, MODEL, "HARDENING="},
    {"EXPANSION", BL_KEY_EXPANSION, MODEL, "TYPE= ZERO="},
    {"CONDUCTIVITY", BL_KEY_CONDUCTIVITY, MODEL, "TYPE="},
    {"DAMPING", BL_KEY_DAMPING, MODEL, "ALPHA= BETA="},
    {"SPECIFIC HEAT", BL_KEY_SPECIFIC_HEAT, MODEL, ""},
    {"SOLID SECTION", BL_KEY_SECTION, MODEL, "ELSET= MATERIAL= OFFSET="},
    {"AMPLITUDE", BL_KEY_AMPLITUDE, MODEL, "NAME= TIME="},
    {"INITIAL CONDITIONS", BL_KEY_INITIAL, MODEL, "TYPE="},
    {"EQUATION", BL_KEY_EQUATION, BOTH, "REMOVE REMOVEALL"},
    {"BOUNDARY", BL_KEY_BOUNDARY, BOTH, "OP= AMPLITUDE= TIMEDELAY= FIXED"},
    {"STEP", BL_KEY_STEP, MODEL, "NLGEOM? INC= PERTURBATION AMPLITUDE="},
    {"STATIC", BL_KEY_STATIC, STEP, "DIRECT SOLVER="},
    {"FREQUENCY", BL_KEY_FREQUENCY, STEP, "SOLVER= STORAGE="},
    {"DYNAMIC", BL_KEY_DYNAMIC, STEP, "DIRECT SOLVER= ALPHA="},
    {"HEAT TRANSFER", BL_KEY_HEAT, STEP, "DIRECT SOLVER= STEADYSTATE DELTMX="},
    {"CLOAD", BL_KEY_CLOAD, STEP, "OP= AMPLITUDE= TIMEDELAY="},
    {"DLOAD", BL_KEY_DLOAD, STEP, "OP= AMPLITUDE= TIMEDELAY="},
    {"TEMPERATURE", BL_KEY_TEMPERATURE, STEP, "OP= AMPLITUDE= TIMEDELAY="},
    {"FILM", BL_KEY_FILM, STEP, "OP= AMPLITUDE= TIMEDELAY= FILMAMPLITUDE= FILMTIMEDELAY="},
    {"DFLUX", BL_KEY_DFLUX, STEP, "OP= AMPLITUDE= TIMEDELAY="},
    {"NODE PRINT", BL_KEY_NODE_PRINT, STEP, "NSET= FREQUENCY= TOTALS= GLOBAL="},
    {"EL PRINT", BL_KEY_EL_PRINT, STEP, "ELSET= FREQUENCY= TOTALS= GLOBAL="},
    {"NODE FILE", BL_KEY_SKIPPED, STEP, "*"},
    {"EL FILE", BL_KEY_SKIPPED, STEP, "*"},
    {"NODE OUTPUT", BL_KEY_SKIPPED, STEP, "*"},
    {"ELEMENT OUTPUT", BL_KEY_SKIPPED, STEP, "*"},
    {"OUTPUT", BL_KEY_SKIPPED, BOTH, "*"},
    {"RESTART", BL_KEY_SKIPPED, BOTH, "WRITE FREQUENCY= OVERLAY"}, /* READ, a continuation of another run, is refused */
    {"END STEP", BL_KEY_END_STEP, STEP, ""},
};
static const bl_deck_word other = {"", BL_KEY_OTHER, BOTH, "*"};

/* "SOLIDSECTION" and "SOLID SECTION" */
static bool is_word(const char *keyword, const char *name) {
    for (;; keyword++, name++) {
        while (*name == ' ')
            name++;
        if (*keyword != *name)
            return false;
        if (!*name)
            return true;
    }
}

const bl_deck_word *bl_deck_word_of(const char *keyword) {
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (is_word(keyword, words[k].name))
            return &words[k];
    return &other;
}

/* 0: not a parameter of the word, else ' ', '=' or '?' */
static char param_kind(const bl_deck_word *word, const char *name) {
    size_t length = strlen(name);
    for (const char *at = word->params; *at;) {
        size_t n = strcspn(at, " =?");
        if (n == length && memcmp(at, name, n) == 0)
            return at[n] == '=' || at[n] == '?' ? at[n] : ' ';
        at += n + strspn(at + n, " =?");
    }
    return 0;
}

static bl_status check_params(const bl_deck_reader *d, const bl_card *card) {
    if (card->word->params[0] == '*')
        return BL_OK;
    for (bl_index k = 0; k < card->nparam; k++) {
        const bl_card_param *param = &card->param[k];
        char kind = param_kind(card->word, param->name);
        if (!kind) {
            bl_fail(d->ctx, BL_E_MODEL, &card->place, "the parameter %s of *%s is not supported", param->name, card->name);
            bl_advise(d->ctx, "docs/DECKS.md lists the supported keywords and parameters");
            return BL_E_MODEL;
        }
        if (kind == '=' && (!param->value || !param->value[0]))
            return bl_fail(d->ctx, BL_E_MODEL, &card->place, "the parameter %s of *%s needs a value: %s=...", param->name, card->name,
                           param->name);
        if (kind == ' ' && param->value)
            return bl_fail(d->ctx, BL_E_MODEL, &card->place, "the parameter %s of *%s takes no value", param->name, card->name);
        for (bl_index i = 0; i < k; i++)
            if (strcmp(card->param[i].name, param->name) == 0)
                return bl_fail(d->ctx, BL_E_MODEL, &card->place, "the parameter %s of *%s is given twice", param->name, card->name);
    }
    return BL_OK;
}

/* the message names the first one, the advice the others */
static bl_status refuse_unknown(const bl_deck_reader *d, bl_index first) {
    char more[200] = "";
    size_t used = 0;
    const char *names[sizeof words / sizeof *words];
    size_t n = 0;
    for (; n < sizeof words / sizeof *words; n++)
        names[n] = words[n].name;
    bl_fail(d->ctx, BL_E_MODEL, &d->card[first].place, "the keyword *%s is not supported", d->card[first].name);
    for (bl_index k = first + 1; k < d->ncard; k++) {
        bool seen = d->card[k].word->key != BL_KEY_OTHER;
        for (bl_index i = first; i < k && !seen; i++)
            seen = d->card[i].word->key == BL_KEY_OTHER && strcmp(d->card[i].name, d->card[k].name) == 0;
        if (seen)
            continue;
        int length = snprintf(more + used, sizeof more - used, "%s*%s (line %d)", used ? ", " : "", d->card[k].name, d->card[k].place.line);
        if (length < 0 || used + (size_t)length >= sizeof more) {
            more[used] = '\0';
            break;
        }
        used += (size_t)length;
    }
    const char *nearest = bl_nearest(d->card[first].name, names, n);
    if (used)
        bl_advise(d->ctx, "also not supported: %s; docs/DECKS.md lists the supported keywords", more);
    else if (nearest)
        bl_advise(d->ctx, "did you mean *%s?", nearest);
    else
        bl_advise(d->ctx, "docs/DECKS.md lists the supported keywords");
    return BL_E_MODEL;
}

bl_status bl_deck_check_words(const bl_deck_reader *d) {
    const bl_card *step = NULL;
    for (bl_index k = 0; k < d->ncard; k++)
        if (d->card[k].word->key == BL_KEY_OTHER)
            return refuse_unknown(d, k);
    for (bl_index k = 0; k < d->ncard; k++) {
        const bl_card *card = &d->card[k];
        BL_TRY(check_params(d, card));
        if (step && card->word->key == BL_KEY_STEP)
            return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*STEP begins inside the step of line %d, which has no *END STEP",
                           step->place.line);
        if (!(card->word->where & (step ? BL_CARD_IN_STEP : BL_CARD_IN_MODEL)))
            return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*%s cannot be used %s a step", card->name, step ? "in" : "outside");
        if (card->word->key == BL_KEY_STEP)
            step = card;
        if (card->word->key == BL_KEY_END_STEP)
            step = NULL;
    }
    if (step)
        return bl_fail(d->ctx, BL_E_MODEL, &step->place, "the step has no *END STEP");
    return BL_OK;
}
