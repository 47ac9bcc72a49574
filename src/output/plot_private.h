/* plot: what the files of bl_plot share. names (what a result holds) < values (expressions of it) < thin (points of a curve) < script. */
#ifndef BL_PLOT_PRIVATE_H
#define BL_PLOT_PRIVATE_H

#include "biela/formula.h"
#include "biela/plot.h"
#include "output/gnuplot.h"

/* ---- units: exponents of m, s, N, rad, in halves, so that roots have them too */

enum { BL_UNIT_DIMS = 4 };
typedef struct bl_unit {
    int half[BL_UNIT_DIMS];
    bool known;
    bool energy; /* N m that is work: J, W */
} bl_unit;

bl_unit bl_unit_of(const char *text); /* "N m", "rad/s", ...; NULL or another text: not known */
bool bl_unit_same(const bl_unit *a, const bl_unit *b);
/* The unit as text, in SI: "m/s²"; "" for numbers and what is not known. */
void bl_unit_text(const bl_unit *unit, char *text, size_t size);
/* On axes, and the factor from SI. */
double bl_unit_shown(const bl_unit *unit, bool radians, bool mm, char *text, size_t size);
/* What has this unit, for labels: "angle", "force"; NULL: no word. */
const char *bl_unit_word(const bl_unit *unit);

/* ---- plot_names.c: the names of a result */

typedef struct bl_plot_name {
    const char *name, *part; /* part: what it belongs to; NULL: nothing */
    const bl_quantity *quantity;
    bl_index item;
    int component; /* -1: magnitude */
    bl_unit unit;
    const char *word; /* what kind of thing it is: "angle" */
} bl_plot_name;

typedef struct bl_catalog {
    bl_context *ctx;
    bl_result *result;
    const char *label; /* of the result */
    bl_arena arena;
    bl_plot_name *entry;
    bl_index n, room;
    double *facts; /* while names are made: of the items at hand, what the file says of them once; NULL: nothing */
} bl_catalog;

bl_status bl_catalog_create(bl_context *ctx, bl_result *result, bl_catalog *catalog);
void bl_catalog_destroy(bl_catalog *catalog);
bl_index bl_catalog_find(const bl_catalog *catalog, const char *name); /* -1: none */
/* Says that there is no such name, and which are near. */
bl_status bl_catalog_refuse(const bl_catalog *catalog, const char *name);
/* Whether everything stays within half a meter. */
bl_status bl_catalog_is_small(bl_catalog *catalog, bool *small);

/* ---- plot_values.c: one number per sample */

typedef struct bl_plot_value {
    bl_catalog *of;
    const char *text;
    bl_formula *formula; /* NULL: the one name */
    bl_index nname;
    bl_index *name; /* [nname] entries of the catalog; of the arena */
    bl_unit unit;
    const char *word; /* NULL: none */
    double *room;     /* chunks of all names, one after the other */
} bl_plot_value;

enum { BL_PLOT_CHUNK = 8192 };
/* A name or an expression. Names that are no words of expressions stand in double quotes there. */
bl_status bl_plot_value_create(bl_catalog *of, const char *text, bl_plot_value *value);
void bl_plot_value_destroy(bl_plot_value *value);
/* Samples first .. first + count - 1, at most BL_PLOT_CHUNK. */
bl_status bl_plot_value_read(bl_plot_value *value, long first, long count, double *to);
/* How many samples it has; they belong to the times of `time`. BL_E_ARG: names with different times. */
bl_status bl_plot_value_samples(const bl_plot_value *value, long *samples, const char **time);

/* ---- plot_thin.c: points of a curve */

typedef struct bl_points {
    bl_context *ctx;
    bl_index n, room;
    double *xy;       /* [n][2] */
    long samples;     /* given */
    double low, high; /* of y */
    bool plane;       /* extremes of x stay as well */
    long total, bucket_size, in_bucket;
    struct bl_kept {
        long at; /* -1: none */
        double x, y;
    } kept[7]; /* first, last, lowest, highest y; lowest, highest x; a gap */
} bl_points;

/* For `total` samples, of which about `most` points stay. */
void bl_points_begin(bl_points *points, bl_context *ctx, long total, long most, bool plane);
bl_status bl_points_add(bl_points *points, double x, double y); /* not finite: a gap */
bl_status bl_points_end(bl_points *points);
void bl_points_destroy(bl_points *points);

/* ---- plot_script.c: data and script */

typedef struct bl_drawn {
    bl_plot_curve about;
    bl_plot_value y, x; /* x.of NULL: time */
    bl_points points;
    const char *label;
    bl_unit unit, x_unit;
    bool optional; /* asked for with others, by a short form */
} bl_drawn;

typedef struct bl_panel {
    bl_index first, ncurve; /* of those drawn */
    char x_label[200], y_label[200];
    char unit[40], x_unit[40];
    double factor, x_factor;
    bool against, equal; /* not time; both are lengths */
} bl_panel;

typedef struct bl_sheet {
    bl_text_file *to; /* what is being written */
    bl_context *ctx;
    const bl_plot_options *options;
    bl_index ncurve, npanel;
    bl_drawn *const *curve; /* panel after panel */
    const bl_panel *panel;
    const char *data, *figure; /* names in the folder of the script */
    const char *ending;        /* "svg", "pdf", "png" */
} bl_sheet;

/* Write a sheet. */
void bl_sheet_data(bl_text_file *to, void *sheet);
void bl_sheet_script(bl_text_file *to, void *sheet);

#endif
