/* Cards: a line that begins with an asterisk (keyword and parameters, case and blanks ignored, continued on the next line after a trailing
 * comma) and the data lines that follow. Lines that begin with two asterisks are comments. Data lines are split in deck_lines.c. */
#include "model/deck_reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool bl_deck_same(const char *a, const char *b) {
    for (; *a && toupper((unsigned char)*a) == toupper((unsigned char)*b); a++, b++)
        ;
    return !*a && !*b;
}

uint64_t bl_deck_hash(const char *name) {
    uint64_t key = BL_HASH_START;
    for (; *name; name++)
        key = bl_hash_mix(key, (uint64_t)toupper((unsigned char)*name));
    return key;
}

/* ---- lines */

typedef struct source { /* a text and the current position */
    const char *file, *text;
    size_t bytes, at;
    int line; /* number of lines read */
} source;

/* the line at s->at without its end; advances to the next one */
static void take_line(source *s, const char **begin, size_t *length) {
    const char *end = memchr(s->text + s->at, '\n', s->bytes - s->at);
    size_t n = end ? (size_t)(end - (s->text + s->at)) : s->bytes - s->at;
    *begin = s->text + s->at;
    s->at += n + (end != NULL);
    s->line++;
    if (n && (*begin)[n - 1] == '\r')
        n--;
    *length = n;
}

static bool blank(const char *line, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t')
            return false;
    return true;
}

/* ---- keyword lines */

/* appends the line without blanks to text[] */
static bl_status squeeze(const bl_deck_reader *d, const bl_place *place, const char *line, size_t length, char *text, size_t *used) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        if (c == ' ' || c == '\t')
            continue;
        if (c < 32 || c > 126)
            return bl_fail(d->ctx, BL_E_MODEL, &(bl_place){place->file, place->line, (int)i + 1},
                           "a keyword line contains the byte 0x%02x; only printable ASCII characters are allowed", c);
        if (*used == BL_DECK_LINE)
            return bl_fail(d->ctx, BL_E_MODEL, place, "the keyword line is longer than %d characters", BL_DECK_LINE);
        text[(*used)++] = (char)c;
    }
    text[*used] = '\0';
    return BL_OK;
}

static bl_status add_param(bl_deck_reader *d, bl_card *card, char *text) {
    char *value = strchr(text, '=');
    if (card->nparam == BL_DECK_PARAMS)
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*%s has more than %d parameters", card->name, BL_DECK_PARAMS);
    if (value)
        *value++ = '\0';
    for (char *c = text; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    bl_card_param *param = &card->param[card->nparam++];
    param->name = bl_arena_text(&d->scratch, text, strlen(text));
    param->value = value ? bl_arena_text(&d->scratch, value, strlen(value)) : NULL;
    return param->name && (param->value || !value) ? BL_OK : BL_E_MEMORY;
}

/* the keyword of the line in capital letters, for messages */
static const char *shown(bl_deck_reader *d, const char *line, size_t length) {
    char *name = bl_arena_text(&d->scratch, line + 1, length - 1);
    if (!name)
        return NULL;
    size_t n = strcspn(name, ",");
    while (n && (name[n - 1] == ' ' || name[n - 1] == '\t'))
        n--;
    name[n] = '\0';
    for (char *c = name; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return name + strspn(name, " \t");
}

/* text: "*KEYWORD,PARAM=VALUE,..." without blanks; modified. line[length]: the line of the file */
static bl_status make_card(bl_deck_reader *d, const bl_place *place, char *text, const char *line, size_t length) {
    BL_TRY(BL_RESERVE(d->ctx, d->card, d->card_room, d->ncard + 1));
    bl_card *card = &d->card[d->ncard++];
    *card = (bl_card){.place = *place};
    char *next = strchr(text, ',');
    if (next)
        *next++ = '\0';
    for (char *c = text; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    card->word = bl_deck_word_of(text + 1);
    card->name = card->word->key == BL_KEY_OTHER ? shown(d, line, length) : card->word->name;
    if (!card->name)
        return BL_E_MEMORY;
    while (next) {
        char *param = next;
        if ((next = strchr(param, ',')))
            *next++ = '\0';
        if (*param)
            BL_TRY(add_param(d, card, param));
    }
    return BL_OK;
}

/* ---- files */

static bl_status scan(bl_deck_reader *d, source *s);

static bl_status include(bl_deck_reader *d, bl_index from) {
    bl_card card = d->card[from];
    const char *name, *path, *text;
    size_t bytes;
    uint64_t id[2];
    d->ncard--;
    BL_TRY(bl_card_need(d, &card, "INPUT", &name));
    if (d->depth == BL_DECK_DEPTH)
        return bl_fail(d->ctx, BL_E_MODEL, &card.place, "included files are nested more than %d deep", BL_DECK_DEPTH);
    if (!(path = bl_source_path(d->r, card.place.file, name)))
        return BL_E_MEMORY;
    BL_TRY(bl_source_load(d->r, &d->scratch, path, &card.place, &text, &bytes, id));
    source s = {.file = path, .text = text, .bytes = bytes};
    d->depth++;
    bl_status status = scan(d, &s);
    d->depth--;
    return status;
}

/* continued on the next line after a trailing comma; comments in between are skipped */
static bl_status keyword(bl_deck_reader *d, source *s, const char *line, size_t length) {
    char text[BL_DECK_LINE + 1];
    const char *first = line;
    size_t used = 0, first_length = length;
    bl_place place = {s->file, s->line, 1};
    BL_TRY(squeeze(d, &place, line, length, text, &used));
    while (text[used - 1] == ',' && s->at < s->bytes) {
        source ahead = *s;
        take_line(&ahead, &line, &length);
        bool comment = length >= 2 && line[0] == '*' && line[1] == '*';
        if (!comment && length && line[0] == '*')
            break;
        *s = ahead;
        if (!comment)
            BL_TRY(squeeze(d, &(bl_place){s->file, s->line, 1}, line, length, text, &used));
    }
    BL_TRY(make_card(d, &place, text, first, first_length));
    bl_index made = d->ncard - 1;
    return d->card[made].word->key == BL_KEY_INCLUDE ? include(d, made) : BL_OK;
}

/* a data line of the current card: extends its chunk, or begins a new one */
static bl_status data(bl_deck_reader *d, const source *s, const char *line, size_t length, bool continues) {
    bl_place place = {s->file, s->line, 1};
    if (d->ncard == 0)
        return bl_fail(d->ctx, BL_E_MODEL, &place, "a deck must begin with a keyword line (*NODE, *HEADING, ...), found a data line");
    bl_card *card = &d->card[d->ncard - 1];
    if (!continues) {
        BL_TRY(BL_RESERVE(d->ctx, card->chunk, card->chunk_room, card->nchunk + 1));
        card->chunk[card->nchunk++] = (bl_card_chunk){.file = s->file, .text = line, .line = s->line};
    }
    bl_card_chunk *chunk = &card->chunk[card->nchunk - 1];
    chunk->bytes = (size_t)(line + length - chunk->text);
    return BL_OK;
}

static bl_status scan(bl_deck_reader *d, source *s) {
    bool continues = false;
    while (s->at < s->bytes) {
        const char *line;
        size_t length;
        if (s->line % 65536 == 0)
            BL_TRY(bl_go_on(d->ctx));
        take_line(s, &line, &length);
        size_t skip = 0;
        while (skip < length && (line[skip] == ' ' || line[skip] == '\t'))
            skip++;
        bool comment = length - skip >= 2 && line[skip] == '*' && line[skip + 1] == '*';
        if (comment || blank(line, length))
            continue;
        if (line[skip] == '*') {
            BL_TRY(keyword(d, s, line + skip, length - skip));
            continues = false;
        } else {
            BL_TRY(data(d, s, line, length, continues));
            continues = true;
        }
    }
    return BL_OK;
}

bl_status bl_deck_scan(bl_deck_reader *d, const char *file, const char *text, size_t bytes) {
    const char *zero = memchr(text, 0, bytes);
    if (zero) {
        bl_place place = {file, 1, 1};
        for (const char *c = text; c < zero; c++) {
            place.column = *c == '\n' ? 1 : place.column + 1;
            place.line += *c == '\n';
        }
        return bl_fail(d->ctx, BL_E_MODEL, &place, "not a text file: it contains a zero byte");
    }
    source s = {.file = file, .text = text, .bytes = bytes};
    return scan(d, &s);
}

/* ---- parameters */

const char *bl_card_value(const bl_card *card, const char *name) {
    for (bl_index k = 0; k < card->nparam; k++)
        if (strcmp(card->param[k].name, name) == 0)
            return card->param[k].value ? card->param[k].value : "";
    return NULL;
}

bl_status bl_card_need(const bl_deck_reader *d, const bl_card *card, const char *name, const char **value) {
    *value = bl_card_value(card, name);
    if (*value && (*value)[0])
        return BL_OK;
    return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*%s needs the parameter %s=...", card->name, name);
}

bl_status bl_card_choice(const bl_deck_reader *d, const bl_card *card, const char *name, const char *const *words, int n, int *which) {
    const char *value = bl_card_value(card, name);
    if (!value)
        return BL_OK;
    for (int k = 0; k < n; k++)
        if (bl_deck_same(value, words[k])) {
            *which = k;
            return BL_OK;
        }
    bl_fail(d->ctx, BL_E_MODEL, &card->place, "*%s, %s=%s is not supported", card->name, name, value);
    char all[200] = "";
    size_t used = 0;
    for (int k = 0; k < n && used < sizeof all; k++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s=%s", k ? ", " : "", name, words[k]);
    bl_advise(d->ctx, "supported: %s", all);
    return BL_E_MODEL;
}
