/* Curves: every scalar of a result over time, as float32. The curves of one quantity are read together in slabs and written directly to
 * the block; curves that are always zero (components out of the plane) are left out. If the budget of the page is short, velocities of
 * bodies and reactions get fewer buckets than the rest. */
#include "report/curves.h"

#include "biela/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_FLOATS = 1 << 20, LEAST_POINTS = 200, MOST_COMPONENTS = 3 };

/* importance, and its share of the budget when that is short */
typedef enum importance { FIRST, SECOND, THIRD, IMPORTANCES } importance;
static const double weight[IMPORTANCES] = {4, 2, 1};

/* how to decide whether a quantity is angular */
typedef enum nature { PLAIN, BY_VARIABLE, BY_DRIVER, BY_GEAR, BY_SPRING, BY_CONTACT } nature;

typedef struct shown {
    const char *quantity; /* of the result */
    importance importance;
    const char *of;
    const char *join;                       /* between the names of item and component */
    const char *component[MOST_COMPONENTS]; /* names; without items the complete name */
    const char *what, *unit;
    nature nature;
    const char *angular, *angular_unit; /* instead, if the item is angular */
} shown;

static const shown kinds[] = {
    {"variables/value", FIRST, "joint", "", {""}, "length", "m", BY_VARIABLE, "angle", "rad"},
    {"variables/rate", FIRST, "joint", "", {"_rate"}, "speed", "m/s", BY_VARIABLE, "angular_velocity", "rad/s"},
    {"variables/acceleration",
     FIRST,
     "joint",
     "",
     {"_acceleration"},
     "acceleration",
     "m/s^2",
     BY_VARIABLE,
     "angular_acceleration",
     "rad/s^2"},
    {"probes/position", FIRST, "probe", ".", {"x", "y", "z"}, "position", "m", PLAIN, NULL, NULL},
    {"probes/velocity", FIRST, "probe", ".", {"vx", "vy", "vz"}, "velocity", "m/s", PLAIN, NULL, NULL},
    {"probes/acceleration", FIRST, "probe", ".", {"ax", "ay", "az"}, "acceleration", "m/s^2", PLAIN, NULL, NULL},
    {"drivers/force", FIRST, "driver", ".", {"force"}, "force", "N", BY_DRIVER, "moment", "N m"},
    {"drivers/power", FIRST, "driver", ".", {"power"}, "power", "W", PLAIN, NULL, NULL},
    {"gears/first", FIRST, "gear", ".", {"first"}, "force", "N", BY_GEAR, "moment", "N m"},
    {"gears/second", FIRST, "gear", ".", {"second"}, "force", "N", BY_GEAR, "moment", "N m"},
    {"springs/length", FIRST, "spring", ".", {"length"}, "length", "m", BY_SPRING, "angle", "rad"},
    {"springs/tension", FIRST, "spring", ".", {"tension"}, "force", "N", BY_SPRING, "moment", "N m"},
    {"contacts/gap", FIRST, "contact", ".", {"gap"}, "length", "m", BY_CONTACT, "angle", "rad"},
    {"contacts/force", FIRST, "contact", ".", {"fn", "ft1", "ft2"}, "force", "N", BY_CONTACT, "moment", "N m"},
    {"contacts/sliding", FIRST, "contact", ".", {"vt1", "vt2"}, "velocity", "m/s", PLAIN, NULL, NULL},
    {"contacts/state", FIRST, "contact", ".", {"state"}, "state", "1", PLAIN, NULL, NULL},
    {"contacts/point", FIRST, "contact", ".", {"x", "y", "z"}, "position", "m", PLAIN, NULL, NULL},
    {"contacts/total", FIRST, "contact", ".", {"fx", "fy", "fz"}, "force", "N", PLAIN, NULL, NULL},
    {"signals/value", FIRST, "signal", "", {""}, "signal", "1", PLAIN, NULL, NULL},
    {"energy/kinetic", FIRST, "energy", "", {"kinetic"}, "energy", "J", PLAIN, NULL, NULL},
    {"energy/potential", FIRST, "energy", "", {"potential"}, "energy", "J", PLAIN, NULL, NULL},
    {"energy/dissipated", FIRST, "energy", "", {"dissipated"}, "energy", "J", PLAIN, NULL, NULL},
    {"energy/work", FIRST, "energy", "", {"work"}, "energy", "J", PLAIN, NULL, NULL},
    {"energy/error", FIRST, "energy", "", {"energy_error"}, "energy", "J", PLAIN, NULL, NULL},
    {"drift", FIRST, "run", "", {"drift"}, "drift", "1", PLAIN, NULL, NULL},
    {"velocity_drift", FIRST, "run", "", {"velocity_drift"}, "velocity_drift", "1/s", PLAIN, NULL, NULL},
    {"forces/force", SECOND, "force", ".", {"fx", "fy", "fz"}, "force", "N", PLAIN, NULL, NULL},
    {"forces/moment", SECOND, "force", ".", {"mx", "my", "mz"}, "moment", "N m", PLAIN, NULL, NULL},
    {"sections/force", SECOND, "section", ".", {"N", "V2", "V3"}, "force", "N", PLAIN, NULL, NULL},
    {"sections/moment", SECOND, "section", ".", {"T", "M2", "M3"}, "moment", "N m", PLAIN, NULL, NULL},
    {"reactions/force", SECOND, "joint", ".", {"fx", "fy", "fz"}, "force", "N", PLAIN, NULL, NULL},
    {"reactions/moment", SECOND, "joint", ".", {"mx", "my", "mz"}, "moment", "N m", PLAIN, NULL, NULL},
    {"bodies/velocity", THIRD, "body", ".", {"vx", "vy", "vz"}, "velocity", "m/s", PLAIN, NULL, NULL},
    {"bodies/angular_velocity", THIRD, "body", ".", {"wx", "wy", "wz"}, "angular_velocity", "rad/s", PLAIN, NULL, NULL},
    {"bodies/acceleration", THIRD, "body", ".", {"ax", "ay", "az"}, "acceleration", "m/s^2", PLAIN, NULL, NULL},
    {"bodies/angular_acceleration", THIRD, "body", ".", {"awx", "awy", "awz"}, "angular_acceleration", "rad/s^2", PLAIN, NULL, NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct curves {
    bl_report_run *run;
    const bl_quantity *quantity[KINDS]; /* NULL: not in the file */
    bl_grid grid[IMPORTANCES];
    float *block; /* [room] */
    size_t room, used;
    bl_bucket *state; /* [curves at a time] */
    bl_angular angular;
} curves;

/* ---- number of points of each curve */

static bl_status find_quantities(curves *c) {
    const bl_quantity *list;
    bl_index n = bl_result_quantities(c->run->result, &list);
    for (bl_index q = 0; q < n; q++)
        for (int k = 0; k < KINDS; k++)
            if (strcmp(list[q].name, kinds[k].quantity) == 0 && list[q].components <= MOST_COMPONENTS)
                c->quantity[k] = &list[q];
    return BL_OK;
}

/* curves of an importance; in the plane a vector has two components, a moment one */
static size_t count_curves(const curves *c, importance which) {
    size_t n = 0;
    for (int k = 0; k < KINDS; k++)
        if (c->quantity[k] && kinds[k].importance == which) {
            bool rotational = strchr("mw", kinds[k].component[0][0]) || kinds[k].component[0][1] == 'w';
            int given = c->quantity[k]->components, components = given < 3 ? given : c->run->dim == 2 ? (rotational ? 1 : 2) : 3;
            n += (size_t)c->quantity[k]->items * (size_t)components;
        }
    return n;
}

/* Distributes the budget by weight; an unused share goes to the others. points: 0 if too little is left to be useful */
static void distribute_points(const curves *c, long points[IMPORTANCES]) {
    double left = (double)(BL_REPORT_CURVE_BYTES / sizeof(float)), need[IMPORTANCES], weights = 0;
    bool given[IMPORTANCES] = {false};
    long full = c->run->n > BL_REPORT_FRAMES ? 2 * BL_REPORT_BUCKETS : c->run->n;
    for (int i = 0; i < IMPORTANCES; i++) {
        need[i] = (double)count_curves(c, (importance)i) * (double)full;
        weights += weight[i];
    }
    for (int round = 0; round < IMPORTANCES; round++) {
        int next = -1; /* the importance that needs the smallest part of its share */
        for (int i = 0; i < IMPORTANCES; i++)
            if (!given[i] && (next < 0 || need[i] * weight[next] < need[next] * weight[i]))
                next = i;
        double share = left * weight[next] / weights, curves_of = need[next] / (double)(full ? full : 1);
        points[next] = need[next] <= share ? full : (long)(share / curves_of);
        if (points[next] < full && points[next] < LEAST_POINTS)
            points[next] = next == THIRD ? 0 : LEAST_POINTS;
        left = fmax(0, left - fmin(need[next], share));
        weights -= weight[next];
        given[next] = true;
    }
}

static bl_status make_grids(curves *c) {
    long points[IMPORTANCES];
    distribute_points(c, points);
    for (int i = 0; i < IMPORTANCES; i++) {
        int same = 0;
        while (same < i && points[same] != points[i])
            same++;
        if (same < i)
            c->grid[i] = c->grid[same];
        else if (points[i] > 0)
            BL_TRY(bl_grid_make(c->run, points[i], &c->grid[i]));
    }
    return BL_OK;
}

/* ---- names */

static void name_curve(const curves *c, int k, bl_index item, int component, char *name, size_t size, char *part, size_t part_size) {
    const bl_quantity *q = c->quantity[k];
    const char *of = q->item ? q->item[item] : "";
    char at[96] = "";
    if (strncmp(kinds[k].quantity, "forces/", 7) == 0)
        bl_angular_force_body(&c->angular, item, q, at, sizeof at);
    snprintf(name, size, "%s%s%s%s", of, at, q->item ? kinds[k].join : "", kinds[k].component[component]);
    snprintf(part, part_size, "%s", of);
    char *dot = strcmp(kinds[k].of, "joint") == 0 && kinds[k].nature == BY_VARIABLE ? strrchr(part, '.') : NULL;
    if (dot)
        *dot = '\0';
}

static bool is_angular(const curves *c, int k, bl_index item) {
    const bl_angular *t = &c->angular;
    const char *name = c->quantity[k]->item ? c->quantity[k]->item[item] : "";
    switch (kinds[k].nature) {
    case BY_VARIABLE: return bl_angular_variable(t, item, name);
    case BY_DRIVER: return bl_angular_driver(t, item);
    case BY_GEAR: return bl_angular_gear(t, name, strcmp(kinds[k].quantity, "gears/second") == 0);
    case BY_SPRING: return bl_angular_spring(t, item);
    case BY_CONTACT: return bl_angular_contact(t, item);
    default: return false;
    }
}

static void put_entry(const curves *c, int k, bl_index item, int component, const bl_grid *grid, const char *block, size_t at) {
    const shown *kind = &kinds[k];
    bl_json *json = c->run->header;
    char name[512], part[384];
    bool angular = is_angular(c, k, item), unknown = kind->nature == BY_VARIABLE && c->angular.equations;
    name_curve(c, k, item, component, name, sizeof name, part, sizeof part);
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", name);
    bl_json_text(json, "quantity", unknown ? "value" : angular ? kind->angular : kind->what);
    bl_json_text(json, "unit", unknown ? "" : angular ? kind->angular_unit : kind->unit);
    bl_json_text(json, "part", unknown ? c->quantity[k]->item[item] : part);
    bl_json_text(json, "of", unknown ? "run" : kind->of);
    bl_json_text(json, "block", block);
    bl_json_integer(json, "at", (long)at);
    bl_json_integer(json, "count", grid->count);
    bl_json_text(json, "time", grid->time);
    bl_json_close(json, '}');
}

/* ---- numbers */

static bl_status flush(curves *c) {
    char id[BL_BLOCK_ID];
    if (c->used > 0)
        BL_TRY(bl_page_block(c->run->page, c->block, c->used, sizeof *c->block, id));
    c->used = 0;
    return BL_OK;
}

static bool all_zero(const float *value, long n) {
    for (long i = 0; i < n; i++)
        if (value[i] != 0)
            return false;
    return true;
}

/* all samples of some items into the block, [item][component][point] */
static bl_status read_curves(curves *c, const bl_quantity *q, const bl_grid *grid, bl_index item, bl_index items) {
    bl_report_run *run = c->run;
    size_t width = (size_t)items * (size_t)q->components;
    memset(c->state, 0, width * sizeof *c->state);
    for (long at = 0, rows = bl_slab_rows(run, width); at < run->n; at += rows) {
        long count = run->n - at < rows ? run->n - at : rows;
        BL_TRY(bl_go_on(run->ctx));
        BL_TRY(bl_result_read(run->result, q, run->first + at, count, item, items, run->slab));
        for (size_t k = 0; k < width; k++)
            bl_grid_take(grid, &c->state[k], at, count, run->slab + k, width, c->block + c->used + k * (size_t)grid->count);
    }
    return BL_OK;
}

static bl_status put_curves(curves *c, int k) {
    const bl_quantity *q = c->quantity[k];
    const bl_grid *grid = &c->grid[kinds[k].importance];
    size_t points = (size_t)grid->count, width = (size_t)q->components;
    bl_index most = (bl_index)(c->room / (points * width));
    for (bl_index item = 0; item < q->items;) {
        bl_index items = q->items - item < most ? q->items - item : most;
        if (c->used + (size_t)items * width * points > c->room)
            BL_TRY(flush(c));
        BL_TRY(read_curves(c, q, grid, item, items));
        char id[BL_BLOCK_ID];
        snprintf(id, sizeof id, "b%d", (int)c->run->page->nblock);
        const float *from = c->block + c->used;
        for (bl_index i = 0; i < items; i++)
            for (int component = 0; component < q->components; component++, from += points) {
                if (all_zero(from, grid->count))
                    continue;
                memmove(c->block + c->used, from, points * sizeof *from);
                put_entry(c, k, item + i, component, grid, id, c->used);
                c->used += points;
            }
        item += items;
    }
    return c->run->header->status;
}

static bl_status make(curves *c) {
    bl_context *ctx = c->run->ctx;
    BL_TRY(find_quantities(c));
    BL_TRY(make_grids(c));
    BL_TRY(bl_angular_find(c->run, &c->angular));
    size_t widest = 0, all = 0;
    for (int k = 0; k < KINDS; k++)
        if (c->quantity[k]) {
            size_t curves_of = (size_t)c->quantity[k]->items * (size_t)c->quantity[k]->components;
            widest = curves_of > widest ? curves_of : widest;
            all += curves_of * (size_t)c->grid[kinds[k].importance].count;
        }
    c->room = all < BLOCK_FLOATS ? all : BLOCK_FLOATS;
    BL_TRY(BL_NEW(ctx, c->block, c->room));
    BL_TRY(BL_NEW(ctx, c->state, widest));
    for (int k = 0; k < KINDS; k++)
        if (c->quantity[k] && c->grid[kinds[k].importance].count > 0)
            BL_TRY(put_curves(c, k));
    return flush(c);
}

bl_status bl_report_curves(bl_report_run *run) {
    curves c = {.run = run};
    bl_json_open(run->header, "curves", '[');
    bl_status status = make(&c);
    if (status == BL_OK)
        status = bl_report_steps(run);
    bl_json_close(run->header, ']');
    for (int i = 0; i < IMPORTANCES; i++)
        run->points[i] = c.grid[i].count;
    bl_free(run->ctx, c.block);
    bl_free(run->ctx, c.state);
    bl_angular_destroy(run->ctx, &c.angular);
    return status;
}
