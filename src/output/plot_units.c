/* Units of plots: exponents of m, s, N, rad, as text and as shown on axes. */
#include "output/plot_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text, *shown, *word;
    int m, s, n, rad;
    bool energy;
} units[] = {
    {"1", "", NULL, 0, 0, 0, 0, false},
    {"s", "s", "time", 0, 1, 0, 0, false},
    {"1/s", "1/s", NULL, 0, -1, 0, 0, false},
    {"m", "m", "length", 1, 0, 0, 0, false},
    {"m/s", "m/s", "speed", 1, -1, 0, 0, false},
    {"m/s^2", "m/s²", "acceleration", 1, -2, 0, 0, false},
    {"rad", "rad", "angle", 0, 0, 0, 1, false},
    {"rad/s", "rad/s", "angular velocity", 0, -1, 0, 1, false},
    {"rad/s^2", "rad/s²", "angular acceleration", 0, -2, 0, 1, false},
    {"N", "N", "force", 0, 0, 1, 0, false},
    {"J", "J", "energy", 1, 0, 1, 0, true},
    {"N m", "N m", "moment", 1, 0, 1, 0, false},
    {"W", "W", "power", 1, -1, 1, 0, true},
};
enum { NUNIT = sizeof units / sizeof *units };

bl_unit bl_unit_of(const char *text) {
    for (int i = 0; text && i < NUNIT; i++)
        if (strcmp(units[i].text, text) == 0)
            return (bl_unit){{2 * units[i].m, 2 * units[i].s, 2 * units[i].n, 2 * units[i].rad}, true, units[i].energy};
    return (bl_unit){0};
}

bool bl_unit_same(const bl_unit *a, const bl_unit *b) {
    return a->known == b->known && memcmp(a->half, b->half, sizeof a->half) == 0 && (a->energy == b->energy || a->half[2] == 0);
}

static int row_of(const bl_unit *unit) {
    for (int i = 0; unit->known && i < NUNIT; i++) {
        bl_unit row = bl_unit_of(units[i].text);
        if (bl_unit_same(unit, &row))
            return i;
    }
    return -1;
}

const char *bl_unit_word(const bl_unit *unit) {
    int row = row_of(unit);
    return row < 0 ? NULL : units[row].word;
}

/* products of powers, N^2 m^3/2 s^-1 */
static void compose(const bl_unit *unit, char *text, size_t size) {
    static const char *const name[BL_UNIT_DIMS] = {"m", "s", "N", "rad"};
    static const int order[BL_UNIT_DIMS] = {2, 0, 3, 1};
    size_t length = 0;
    text[0] = '\0';
    for (int k = 0; k < BL_UNIT_DIMS; k++) {
        int half = unit->half[order[k]];
        if (half == 0 || length >= size)
            continue;
        length += (size_t)snprintf(text + length, size - length, "%s%s", length ? " " : "", name[order[k]]);
        if (half == 4 && length < size)
            length += (size_t)snprintf(text + length, size - length, "²");
        else if (half != 2 && length < size)
            length += (size_t)snprintf(text + length, size - length, half % 2 ? "^%d/2" : "^%d", half % 2 ? half : half / 2);
    }
}

void bl_unit_text(const bl_unit *unit, char *text, size_t size) {
    int row = row_of(unit);
    if (row >= 0)
        snprintf(text, size, "%s", units[row].shown);
    else
        compose(unit, text, size);
}

double bl_unit_shown(const bl_unit *unit, bool radians, bool mm, char *text, size_t size) {
    bool angle = unit->half[3] == 2 && unit->half[0] == 0 && unit->half[2] == 0; /* rad, rad/s, rad/s^2 */
    bool length = unit->half[0] == 2 && unit->half[1] == 0 && unit->half[2] == 0 && unit->half[3] == 0;
    bl_unit_text(unit, text, size);
    if (unit->known && angle && !radians && strncmp(text, "rad", 3) == 0) {
        char rest[40];
        snprintf(rest, sizeof rest, "%s", text + 3);
        snprintf(text, size, "°%s", rest);
        return 180 / 3.14159265358979323846;
    }
    if (unit->known && length && mm) {
        snprintf(text, size, "mm");
        return 1000;
    }
    return 1;
}
