/* Names of what a result holds, as in the table of docs/RESULT.md: ITEM.x, ITEM_rate, kinetic; |JOINT| is the magnitude of its force. */
#include "output/plot.h"
#include "output/result_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* of every quantity: what stands behind the item, components separated by blanks; of quantities without items the name itself */
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
    {"energy/kinetic", "kinetic", "energy"},
    {"energy/potential", "potential", "energy"},
    {"energy/dissipated", "dissipated", "energy"},
    {"energy/work", "work", "energy"},
    {"energy/error", "energy_error", "energy"},
    {"drift", "drift", "drift"},
    {"velocity_drift", "velocity_drift", "drift of rates"},
    {"steps/size", "step.size", "step size"},
    {"steps/order", "step.order", "order"},
    {"steps/error", "step.error", "error"},
};
enum { NNAME = sizeof names / sizeof *names };

static bl_status add(bl_catalogue *c, const char *name, const char *part, const bl_plot_name *like) {
    BL_TRY(BL_RESERVE(c->ctx, c->entry, c->room, c->n + 1));
    c->entry[c->n] = *like;
    c->entry[c->n].name = name;
    c->entry[c->n].part = part;
    c->n++;
    return name ? BL_OK : BL_E_MEMORY;
}

/* ---- units of items that do not have one unit: joint variables, and what drives them */

/* j1.angle, j1.angle_a: an angle; j1.distance: a length; names without a point are unknowns of equations */
static const char *unit_of_variable(const char *name) {
    const char *point = strrchr(name, '.');
    return !point ? NULL : strncmp(point + 1, "angle", 5) == 0 ? "rad" : "m";
}

static const char *unit_of_rate(const char *value, int rate) {
    static const char *const angle[] = {"rad", "rad/s", "rad/s^2"}, *const length[] = {"m", "m/s", "m/s^2"};
    return !value ? NULL : strcmp(value, "rad") == 0 ? angle[rate] : length[rate];
}

/* the variable that a driver moves, by the list in the file; NULL: the file does not say */
static const char *driven_by(const bl_catalogue *c, bl_index driver, bl_index drivers) {
    bl_result *r = c->result;
    const bl_quantity *variables;
    const char *found = NULL;
    double *number = NULL;
    if (bl_result_version(r) < 2 || bl_result_quantity(r, "variables/value", &variables) != BL_OK ||
        BL_NEW(c->ctx, number, drivers) != BL_OK)
        return NULL;
    bl_quiet was = bl_quiet_start(r);
    if (bl_result_exists(r, "drivers/variable") && bl_result_read_part(r, "drivers/variable", 0, drivers, 0, 0, 1, 1, number) == BL_OK &&
        number[driver] >= 0 && number[driver] < variables->items)
        found = variables->item[(bl_index)number[driver]];
    bl_quiet_end(r, was);
    bl_free(c->ctx, number);
    bl_context_clear_error(c->ctx);
    return found;
}

static const char *unit_of_item(const bl_catalogue *c, const bl_quantity *q, bl_index i) {
    if (q->unit)
        return q->unit;
    if (strncmp(q->name, "variables/", 10) == 0)
        return unit_of_rate(unit_of_variable(q->item[i]), strcmp(q->name, "variables/value") == 0  ? 0
                                                          : strcmp(q->name, "variables/rate") == 0 ? 1
                                                                                                   : 2);
    if (strcmp(q->name, "drivers/force") == 0) {
        const char *variable = driven_by(c, i, q->items), *unit = unit_of_variable(variable ? variable : q->item[i]);
        return !unit ? NULL : strcmp(unit, "rad") == 0 ? "N m" : "N";
    }
    return NULL;
}

/* ---- the list */

/* j1 of j1.angle */
static const char *part_of(bl_catalogue *c, const bl_quantity *q, bl_index i) {
    const char *item = q->item[i], *point = strncmp(q->name, "variables/", 10) == 0 ? strrchr(item, '.') : NULL;
    return point ? bl_arena_text(&c->arena, item, (size_t)(point - item)) : item;
}

static bl_status add_item(bl_catalogue *c, const bl_quantity *q, const char *suffix, const char *word, bl_index i) {
    bl_plot_name like = {.quantity = q, .item = i, .unit = bl_unit_of(unit_of_item(c, q, i))};
    const char *part = part_of(c, q, i);
    if (!part)
        return BL_E_MEMORY;
    like.word = word ? word : bl_unit_word(&like.unit);
    for (int k = 0; k < q->components; k++) {
        int length = (int)strcspn(suffix, " ");
        like.component = k;
        BL_TRY(add(c, bl_arena_printf(&c->arena, "%s%.*s", q->item[i], length, suffix), part, &like));
        suffix += length + (suffix[length] == ' ');
    }
    if (strcmp(q->name, "reactions/force") == 0) {
        like.component = -1;
        BL_TRY(add(c, bl_arena_printf(&c->arena, "|%s|", q->item[i]), part, &like));
    }
    return BL_OK;
}

bl_status bl_catalogue_create(bl_context *ctx, bl_result *result, bl_catalogue *c) {
    *c = (bl_catalogue){.ctx = ctx, .result = result, .arena = {.ctx = ctx}};
    const bl_quantity *list;
    bl_index n = bl_result_quantities(result, &list);
    for (int k = 0; k < NNAME; k++)
        for (bl_index q = 0; q < n; q++) {
            if (strcmp(list[q].name, names[k].quantity) != 0 || list[q].mesh)
                continue;
            if (!list[q].item) {
                bl_plot_name like = {.quantity = &list[q], .unit = bl_unit_of(list[q].unit), .word = names[k].word};
                const char *part = strncmp(names[k].suffix, "step.", 5) == 0 ? "step" : NULL;
                BL_TRY(add(c, names[k].suffix, part, &like));
            }
            for (bl_index i = 0; list[q].item && i < list[q].items; i++)
                BL_TRY(add_item(c, &list[q], names[k].suffix, names[k].word, i));
        }
    return BL_OK;
}

void bl_catalogue_destroy(bl_catalogue *c) {
    bl_free(c->ctx, c->entry);
    bl_arena_destroy(&c->arena);
    *c = (bl_catalogue){.ctx = c->ctx};
}

bl_index bl_catalogue_find(const bl_catalogue *c, const char *name) {
    for (bl_index i = 0; i < c->n; i++)
        if (strcmp(c->entry[i].name, name) == 0)
            return i;
    return -1;
}

bl_status bl_catalogue_refuse(const bl_catalogue *c, const char *name) {
    enum { MOST = 4 };
    const char **word = NULL, *near[MOST];
    size_t found = 0;
    BL_TRY(BL_NEW(c->ctx, word, 2 * c->n));
    for (bl_index i = 0; i < c->n; i++) {
        word[2 * i] = c->entry[i].name;
        word[2 * i + 1] = c->entry[i].part;
    }
    while (found < MOST && (near[found] = bl_nearest(name, word, 2 * (size_t)c->n))) {
        for (bl_index i = 0; i < 2 * c->n; i++) /* the same text may stand there many times, as a part */
            if (word[i] && strcmp(word[i], near[found]) == 0)
                word[i] = NULL;
        found++;
    }
    bl_free(c->ctx, word);
    bl_fail(c->ctx, BL_E_ARG, NULL, "'%s' has no quantity '%s'", c->label, name);
    if (found == 0)
        bl_advise(c->ctx, "`biela plot %s` without more lists its %d names", c->label, (int)c->n);
    else
        bl_advise(c->ctx, "did you mean '%.60s'%s%.60s%s%s%.60s%s%s%.60s%s?", near[0], found > 1 ? ", '" : "", found > 1 ? near[1] : "",
                  found > 1 ? "'" : "", found > 2 ? ", '" : "", found > 2 ? near[2] : "", found > 2 ? "'" : "", found > 3 ? ", '" : "",
                  found > 3 ? near[3] : "", found > 3 ? "'" : "");
    return BL_E_ARG;
}

/* ---- how large it is */

/* points of one quantity at one sample */
static bl_status widen(bl_catalogue *c, const char *name, long sample, double low[3], double high[3]) {
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

bl_status bl_catalogue_is_small(bl_catalogue *c, bool *small) {
    enum { LOOKS = 16 };
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    long n = bl_result_samples(c->result);
    for (int k = 0; k < LOOKS && n > 0; k++) {
        long sample = (n - 1) * k / (LOOKS - 1);
        BL_TRY(widen(c, "bodies/position", sample, low, high));
        BL_TRY(widen(c, "probes/position", sample, low, high));
    }
    double size = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    *small = isfinite(size) && size > 0 && size < 0.5;
    return BL_OK;
}
