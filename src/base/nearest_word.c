/* Nearest valid word: a synonym, a name with the same part before a dot, or the one with the smallest optimal string alignment distance, in
 * which a transposition counts once. */
#include "base/base.h"

#include "base/synonyms.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 63 };

static int fold(char c) { return tolower((unsigned char)c); }

static int distance(const char *a, const char *b) {
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return LONGEST + 1;
    int row[3][LONGEST + 1];
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int same = fold(a[i - 1]) == fold(b[j - 1]);
            int best = before[j - 1] + !same;
            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) && earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

static bool same(const char *a, const char *b) {
    for (; *a && fold(*a) == fold(*b); a++, b++)
        ;
    return *a == *b;
}

/* whether word[length] is in a list of words enclosed by blanks */
static bool listed(const char *list, const char *word, size_t length) {
    char text[LONGEST + 3] = " ";
    if (length == 0 || length > LONGEST)
        return false;
    for (size_t i = 0; i < length; i++)
        text[i + 1] = (char)(word[i] == '-' || word[i] == ' ' ? '_' : fold(word[i]));
    text[length + 1] = ' ';
    text[length + 2] = '\0';
    return strstr(list, text) != NULL;
}

/* the first meaning of the tail of a word that is valid after its head (a part and its dot, or empty) */
static const char *meant(const char *word, size_t head, const char *const *words, size_t count) {
    for (size_t k = 0; k < sizeof synonyms / sizeof *synonyms; k++) {
        if (!listed(synonyms[k].words, word + head, strlen(word + head)))
            continue;
        for (size_t i = 0; i < count; i++)
            if (words[i] && strncmp(words[i], word, head) == 0 && strcmp(words[i] + head, synonyms[k].meaning) == 0)
                return words[i];
    }
    return NULL;
}

/* J.angle for J or J.twist; rates last, then the shortest, then alphabetically */
static const char *same_head(const char *word, size_t head, const char *const *words, size_t count) {
    size_t length = head ? head - 1 : strlen(word), best = 0;
    const char *found = NULL;
    for (size_t i = 0; i < count && length > 0; i++) {
        if (!words[i] || strncmp(words[i], word, length) != 0 || words[i][length] != '.')
            continue;
        size_t cost = strlen(words[i]) + (strstr(words[i] + length, "rate") ? LONGEST : 0);
        if (!found || cost < best || (cost == best && strcmp(words[i], found) < 0)) {
            found = words[i];
            best = cost;
        }
    }
    return found;
}

const char *bl_nearest(const char *word, const char *const *words, size_t count) {
    const char *dot = strrchr(word, '.'), *nearest = NULL;
    size_t head = dot ? (size_t)(dot - word) + 1 : 0;
    for (size_t i = 0; i < count; i++)
        if (words[i] && same(word, words[i]))
            return words[i];
    if ((nearest = meant(word, head, words, count)) || (head == 0 && (nearest = same_head(word, 0, words, count))))
        return nearest;
    size_t length = strlen(word);
    int best = (int)(length / 3 + 2); /* beyond this it is another word, not a typing error */
    if (best > (int)length && length > 1)
        best = (int)length; /* at least one letter must match; a single letter may be mistaken for any other */
    for (size_t i = 0; i < count; i++) {
        bool letter = words[i] && length == 1 && words[i][0] && words[i][1];
        int d = words[i] && !letter ? distance(word, words[i]) : LONGEST + 1;
        if (d < best) {
            best = d;
            nearest = words[i];
        }
    }
    return nearest || head == 0 ? nearest : same_head(word, head, words, count);
}
