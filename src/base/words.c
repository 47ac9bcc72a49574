/* Nearest valid word: optimal string alignment distance, so that a transposition counts once. */
#include "base/base.h"

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

const char *bl_nearest(const char *word, const char *const *words, size_t count) {
    const char *nearest = NULL;
    int best = (int)strlen(word) / 3 + 2; /* farther than this is another word, not a slip */
    for (size_t i = 0; i < count; i++) {
        int d = words[i] ? distance(word, words[i]) : LONGEST + 1;
        if (d < best) {
            best = d;
            nearest = words[i];
        }
    }
    return nearest;
}
