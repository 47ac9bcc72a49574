/* plot: shared by the files of bl_plot. Order of use: names (of a result), values (expressions of names), thin (points of a curve),
 * script. */
#ifndef BL_PLOT_PRIVATE_H
#define BL_PLOT_PRIVATE_H

#include "biela/formula.h"
#include "biela/plot.h"
#include "output/gnuplot.h"

/* ---- units: exponents of m, s, N, rad, times two, so that square roots have units, too */

enum { BL_UNIT_DIMS = 4 };
typedef struct bl_unit {
    int half[BL_UNIT_DIMS];
    bool known;
    bool energy; /* J and W instead of N m and N m/s */
} bl_unit;

bl_unit bl_unit_of(const char *text); /* "N m", "rad/s", ...; NULL or any other text: unknown */
bool bl_unit_same(const bl_unit *a, const bl_unit *b);
/* The unit as text, in SI: "m/s²"; "" for numbers and unknown units. */
void bl_unit_text(const bl_unit *unit, char *text, size_t size);
/* Text of the unit used on axes; returns the factor from SI. */
double bl_unit_shown(const bl_unit *unit, bool radians, bool mm, char *text, size_t size);
/* The kind of quantity with this unit, for labels: "angle", "force"; NULL: none. */
const char *bl_unit_word(const bl_unit *unit);

/* ---- plot_names.c: the names of a result */

typedef struct bl_plot_name {
    const char *name, *part; /* part: joint, body, ... to which it belongs; NULL: none */
    const bl_quantity *quantity;
    bl_index item;
    int component; /* -1: magnitude */
    bl_unit unit;
    const char *word; /* kind of quantity: "angle" */
} bl_plot_name;

typedef struct bl_catalog {
    bl_context *ctx;
    bl_result *result;
    const char *label; /* of the result */
    bl_arena arena;
    bl_plot_name *entry;
    bl_index n, room;
    double *facts; /* during set-up: constants of the current items from the file; NULL: none */
} bl_catalog;

bl_status bl_catalog_create(bl_context *ctx, bl_result *result, bl_catalog *catalog);
void bl_catalog_destroy(bl_catalog *catalog);
bl_index bl_catalog_find(const bl_catalog *catalog, const char *name); /* -1: none */
/* Records the error that there is no such name, with similar ones. */
bl_status bl_catalog_refuse(const bl_catalog *catalog, const char *name);
/* Whether the mechanism is smaller than half a meter. */
bl_status bl_catalog_is_small(bl_catalog *catalog, bool *small);

/* ---- plot_values.c: one number per sample */

typedef struct bl_plot_value {
    bl_catalog *of;
    const char *text;
    bl_formula *formula; /* NULL: a single name */
    bl_index nname;
    bl_index *name; /* [nname] entries of the catalog; from the arena */
    bl_unit unit;
    const char *word; /* NULL: none */
    double *work;     /* workspace: chunks of all names */
} bl_plot_value;

enum { BL_PLOT_CHUNK = 8192 };
/* A name or an expression. In expressions, names that are not identifiers are in double quotes. */
bl_status bl_plot_value_create(bl_catalog *of, const char *text, bl_plot_value *value);
void bl_plot_value_destroy(bl_plot_value *value);
/* Samples first .. first + count - 1, at most BL_PLOT_CHUNK. */
bl_status bl_plot_value_read(bl_plot_value *value, long first, long count, double *to);
/* Number of samples, and the quantity `time` of their times. BL_E_ARG: names with different times. */
bl_status bl_plot_value_samples(const bl_plot_value *value, long *samples, const char **time);

/* ---- plot_thin.c: points of a curve */

typedef struct bl_points {
    bl_context *ctx;
    bl_index n, room;
    double *xy;       /* [n][2] */
    long samples;     /* given */
    double low, high; /* of y */
    bool plane;       /* extremes of x are also kept */
    long total, bucket_size, in_bucket;
    struct bl_kept {
        long at; /* -1: none */
        double x, y;
    } kept[7]; /* first, last, lowest, highest y; lowest, highest x; a gap */
} bl_points;

/* For `total` samples, thinned to about `most` points. */
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
    bool optional; /* added by a short form such as `energy` */
} bl_drawn;

typedef struct bl_panel {
    bl_index first, ncurve; /* in the list of curves */
    char x_label[200], y_label[200];
    char unit[40], x_unit[40];
    double factor, x_factor;
    bool against, equal; /* against: x is not time; equal: both axes are lengths */
} bl_panel;

typedef struct bl_sheet {
    bl_text_file *to; /* the file being written */
    bl_context *ctx;
    const bl_plot_options *options;
    bl_index ncurve, npanel;
    bl_drawn *const *curve; /* sorted by panel */
    const bl_panel *panel;
    const char *data, *figure; /* names in the folder of the script */
    const char *ending;        /* "svg", "pdf", "png" */
} bl_sheet;

/* Writers for bl_text_file_write. */
void bl_sheet_data(bl_text_file *to, void *sheet);
void bl_sheet_script(bl_text_file *to, void *sheet);

#endif
