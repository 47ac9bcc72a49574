/* Names of the quantities of a result, as in the table of docs/RESULT.md: ITEM.x, ITEM_rate, kinetic; |JOINT| is the magnitude of its
 * force. */
#include "output/plot_private.h"
#include "output/result_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* for every quantity: suffixes of its components after the item name, separated by blanks; without items the complete name */
static const struct {
    const char *quantity, *suffix, *word;
} names[] = {
    {"time", "time", "time"},
    {"side", "side", NULL},
    {"variables/value", "", NULL},
    {"variables/rate", "_rate", NULL},
    {"variables/acceleration", "_acceleration", NULL},
    {"probes/position", ".x .y .z", "position"},
    {"probes/velocity", ".vx .vy .vz", "velocity"},
    {"probes/acceleration", ".ax .ay .az", "acceleration"},
    {"bodies/position", ".x .y .z", "position"},
    {"bodies/quaternion", ".qw .qx .qy .qz", "quaternion"},
    {"bodies/velocity", ".vx .vy .vz", "velocity"},
    {"bodies/angular_velocity", ".wx .wy .wz", "angular velocity"},
    {"bodies/acceleration", ".ax .ay .az", "acceleration"},
    {"bodies/angular_acceleration", ".awx .awy .awz", "angular acceleration"},
    {"reactions/force", ".fx .fy .fz", "force"},
    {"reactions/moment", ".mx .my .mz", "moment"},
    {"drivers/force", ".force", NULL},
    {"drivers/power", ".power", "power"},
    {"gears/first", ".first", NULL},
    {"gears/second", ".second", NULL},
    {"forces/force", ".fx .fy .fz", "force"},
    {"forces/moment", ".mx .my .mz", "moment"},
    {"springs/length", ".length", NULL},
    {"springs/tension", ".tension", NULL},
    {"signals/value", "", NULL},
    {"contacts/gap", ".gap", "gap"},
    {"contacts/force", ".fn .ft1 .ft2", NULL},
    {"contacts/sliding", ".vt1 .vt2", "sliding speed"},
    {"contacts/state", ".state", "state"},
    {"contacts/point", ".x .y .z", "position"},
    {"contacts/total", ".fx .fy .fz", "force"},
    {"energy/kinetic", "kinetic", "energy"},
    {"energy/potential", "potential", "energy"},
    {"energy/dissipated", "dissipated", "energy"},
    {"energy/work", "work", "energy"},
    {"energy/error", "energy_error", "energy"},
    {"drift", "drift", "drift"},
    {"velocity_drift", "velocity_drift", "drift of rates"},
    {"steps/time", "step.time", "time"},
    {"steps/size", "step.size", "step size"},
    {"steps/order", "step.order", "order"},
    {"steps/error", "step.error", "error"},
};
enum { NNAME = sizeof names / sizeof *names };

static bl_status add(bl_catalog *c, const char *name, const char *part, const bl_plot_name *entry) {
    BL_TRY(BL_RESERVE(c->ctx, c->entry, c->room, c->n + 1));
    c->entry[c->n] = *entry;
    c->entry[c->n].name = name;
    c->entry[c->n].part = part;
    c->n++;
    return name ? BL_OK : BL_E_MEMORY;
}

/* ---- units that depend on the item: joint variables, drivers, springs */

/* j1.angle, j1.angle_a: an angle; j1.distance: a length; names without a point are unknowns of equations */
static const char *unit_of_variable(const char *name) {
    const char *point = strrchr(name, '.');
    return !point ? NULL : strncmp(point + 1, "angle", 5) == 0 ? "rad" : "m";
}

static const char *unit_of_rate(const char *value, int rate) {
    static const char *const angle[] = {"rad", "rad/s", "rad/s^2"}, *const length[] = {"m", "m/s", "m/s^2"};
    return !value ? NULL : strcmp(value, "rad") == 0 ? angle[rate] : length[rate];
}

/* n constants of items from the file; *numbers stays NULL if the file has none */
static bl_status read_facts(bl_catalog *c, const char *path, bl_index n, double **numbers) {
    bl_result *r = c->result;
    *numbers = NULL;
    double *found;
    BL_TRY(BL_ARENA_NEW(&c->arena, found, n));
    bl_quiet was = bl_quiet_start(r);
    if (bl_result_version(r) > 1 && bl_result_exists(r, path) && bl_result_read_part(r, path, 0, n, 0, 0, 1, 1, found) == BL_OK)
        *numbers = found;
    bl_quiet_end(r, was);
    if (!*numbers)
        bl_context_clear_error(c->ctx);
    return BL_OK;
}

/* name of item k of a quantity, k as read from the file; NULL: none */
static const char *item_name(const bl_catalog *c, const char *quantity, double k) {
    const bl_quantity *q;
    if (bl_result_quantity(c->result, quantity, &q) != BL_OK) {
        bl_context_clear_error(c->ctx);
        return NULL;
    }
    return k >= 0 && k < q->items && q->item ? q->item[(bl_index)k] : NULL;
}

static const char *unit_of_item(const bl_catalog *c, const bl_quantity *q, bl_index i) {
    if (q->unit)
        return q->unit;
    if (strncmp(q->name, "variables/", 10) == 0)
        return unit_of_rate(unit_of_variable(q->item[i]), strcmp(q->name, "variables/value") == 0  ? 0
                                                          : strcmp(q->name, "variables/rate") == 0 ? 1
                                                                                                   : 2);
    if (strcmp(q->name, "drivers/force") == 0) {
        const char *variable = c->facts ? item_name(c, "variables/value", c->facts[i]) : NULL;
        const char *unit = unit_of_variable(variable ? variable : q->item[i]);
        return !unit ? NULL : strcmp(unit, "rad") == 0 ? "N m" : "N";
    }
    if (strncmp(q->name, "springs/", 8) == 0 && c->facts) {
        bool angle = c->facts[i] != 0, tension = strcmp(q->name, "springs/tension") == 0;
        return angle ? (tension ? "N m" : "rad") : tension ? "N" : "m";
    }
    if (strncmp(q->name, "contacts/", 9) == 0) {
        bool angle = c->facts && c->facts[i] != 0, force = strcmp(q->name, "contacts/force") == 0;
        return angle ? (force ? "N m" : "rad") : force ? "N" : "m";
    }
    return NULL;
}

/* ---- the list */

/* j1 of j1.angle */
static const char *part_of(bl_catalog *c, const bl_quantity *q, bl_index i) {
    const char *item = q->item[i], *point = strncmp(q->name, "variables/", 10) == 0 ? strrchr(item, '.') : NULL;
    return point ? bl_arena_text(&c->arena, item, (size_t)(point - item)) : item;
}

/* F for the first body on which a force acts, F@body for the others */
static const char *item_label(bl_catalog *c, const bl_quantity *q, bl_index i) {
    bool force = strncmp(q->name, "forces/", 7) == 0, again = false;
    for (bl_index k = 0; k < i && force && !again; k++)
        again = strcmp(q->item[k], q->item[i]) == 0;
    const char *body = again && c->facts ? item_name(c, "bodies/position", c->facts[i]) : NULL;
    return again ? bl_arena_printf(&c->arena, "%s@%s", q->item[i], body ? body : "ground") : q->item[i];
}

static bl_status add_item(bl_catalog *c, const bl_quantity *q, const char *suffix, const char *word, bl_index i) {
    bl_plot_name entry = {.quantity = q, .item = i, .unit = bl_unit_of(unit_of_item(c, q, i))};
    const char *part = part_of(c, q, i), *item = item_label(c, q, i);
    if (!part || !item)
        return BL_E_MEMORY;
    entry.word = word ? word : bl_unit_word(&entry.unit);
    for (int k = 0; k < q->components; k++) {
        int length = (int)strcspn(suffix, " ");
        entry.component = k;
        BL_TRY(add(c, bl_arena_printf(&c->arena, "%s%.*s", item, length, suffix), part, &entry));
        suffix += length + (suffix[length] == ' ');
    }
    if (strcmp(q->name, "reactions/force") == 0) {
        entry.component = -1;
        BL_TRY(add(c, bl_arena_printf(&c->arena, "|%s|", item), part, &entry));
    }
    return BL_OK;
}

/* reads the constants that determine units and names of these items */
static bl_status prepare(bl_catalog *c, const bl_quantity *q) {
    static const char *const facts[][2] = {{"drivers/force", "drivers/variable"},   {"springs/length", "springs/is_angle"},
                                           {"springs/tension", "springs/is_angle"}, {"contacts/gap", "contacts/is_angle"},
                                           {"contacts/force", "contacts/is_angle"}, {"forces/force", "forces/body"},
                                           {"forces/moment", "forces/body"}};
    c->facts = NULL;
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        if (strcmp(q->name, facts[k][0]) == 0)
            return read_facts(c, facts[k][1], q->items, &c->facts);
    return BL_OK;
}

static bl_status add_quantity(bl_catalog *c, const bl_quantity *q, const char *suffix, const char *word) {
    if (!q->item) {
        bl_plot_name entry = {.quantity = q, .unit = bl_unit_of(q->unit), .word = word};
        return add(c, suffix, strncmp(suffix, "step.", 5) == 0 ? "step" : NULL, &entry);
    }
    BL_TRY(prepare(c, q));
    for (bl_index i = 0; i < q->items; i++)
        BL_TRY(add_item(c, q, suffix, word, i));
    return BL_OK;
}

bl_status bl_catalog_create(bl_context *ctx, bl_result *result, bl_catalog *c) {
    *c = (bl_catalog){.ctx = ctx, .result = result, .arena = {.ctx = ctx}};
    for (int k = 0; k < NNAME; k++) {
        const bl_quantity *q;
        if (bl_result_quantity(result, names[k].quantity, &q) == BL_OK)
            BL_TRY(add_quantity(c, q, names[k].suffix, names[k].word));
    }
    bl_context_clear_error(ctx); /* a quantity that is missing in the file is not a failure */
    return BL_OK;
}

void bl_catalog_destroy(bl_catalog *c) {
    bl_free(c->ctx, c->entry);
    bl_arena_destroy(&c->arena);
    *c = (bl_catalog){.ctx = c->ctx};
}

bl_index bl_catalog_find(const bl_catalog *c, const char *name) {
    for (bl_index i = 0; i < c->n; i++)
        if (strcmp(c->entry[i].name, name) == 0)
            return i;
    return -1;
}

bl_status bl_catalog_refuse(const bl_catalog *c, const char *name) {
    enum { MOST = 4 };
    const char **word = NULL, *near[MOST];
    size_t found = 0;
    BL_TRY(BL_NEW(c->ctx, word, 2 * c->n));
    for (bl_index i = 0; i < c->n; i++) {
        word[2 * i] = c->entry[i].name;
        word[2 * i + 1] = c->entry[i].part;
    }
    while (found < MOST && (near[found] = bl_nearest(name, word, 2 * (size_t)c->n))) {
        for (bl_index i = 0; i < 2 * c->n; i++) /* part names occur many times */
            if (word[i] && strcmp(word[i], near[found]) == 0)
                word[i] = NULL;
        found++;
    }
    bl_free(c->ctx, word);
    bl_fail(c->ctx, BL_E_ARG, NULL, "'%s' has no quantity '%s'", c->label, name);
    if (found == 0)
        bl_advise(c->ctx, "`biela plot %s` lists its %d names", c->label, (int)c->n);
    else
        bl_advise(c->ctx, "did you mean '%.60s'%s%.60s%s%s%.60s%s%s%.60s%s?", near[0], found > 1 ? ", '" : "", found > 1 ? near[1] : "",
                  found > 1 ? "'" : "", found > 2 ? ", '" : "", found > 2 ? near[2] : "", found > 2 ? "'" : "", found > 3 ? ", '" : "",
                  found > 3 ? near[3] : "", found > 3 ? "'" : "");
    return BL_E_ARG;
}

/* ---- size of the mechanism */

/* points of one quantity at one sample */
static bl_status widen(bl_catalog *c, const char *name, long sample, double low[3], double high[3]) {
    const bl_quantity *q;
    double *value;
    if (bl_result_quantity(c->result, name, &q) != BL_OK) {
        bl_context_clear_error(c->ctx);
        return BL_OK;
    }
    BL_TRY(BL_NEW(c->ctx, value, 3 * (size_t)q->items));
    bl_status status = bl_result_read(c->result, q, sample, 1, 0, q->items, value);
    for (bl_index i = 0; status == BL_OK && i < q->items; i++)
        for (int k = 0; k < 3; k++)
            if (isfinite(value[3 * i + k])) {
                low[k] = fmin(low[k], value[3 * i + k]);
                high[k] = fmax(high[k], value[3 * i + k]);
            }
    bl_free(c->ctx, value);
    return status;
}

/* the size in the scene, the diagonal of the bounding box of all joint points, stored before its lists; 0: no scene */
static bl_status size_of_scene(bl_catalog *c, double *size) {
    const char *text;
    size_t bytes;
    char head[400] = "";
    *size = 0;
    BL_TRY(bl_result_scene(c->result, &text, &bytes));
    if (text)
        memcpy(head, text, bytes < sizeof head ? bytes : sizeof head - 1);
    char *lists = strstr(head, "\"bodies\""), *found = strstr(head, "\"size\":");
    if (found && (!lists || found < lists))
        *size = strtod(found + 7, NULL);
    return BL_OK;
}

bl_status bl_catalog_is_small(bl_catalog *c, bool *small) {
    enum { MOST_SAMPLES = 16 };
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double given;
    BL_TRY(size_of_scene(c, &given));
    long n = given > 0 ? 0 : bl_result_samples(c->result);
    for (int k = 0; k < MOST_SAMPLES && n > 0; k++) {
        long sample = (n - 1) * k / (MOST_SAMPLES - 1);
        BL_TRY(widen(c, "bodies/position", sample, low, high));
        BL_TRY(widen(c, "probes/position", sample, low, high));
    }
    double size = given > 0 ? given : hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    *small = isfinite(size) && size > 0 && size < 0.5;
    return BL_OK;
}
