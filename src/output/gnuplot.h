/* gnuplot: text files for gnuplot, and gnuplot itself. Shared by the figures that it draws. */
#ifndef BL_GNUPLOT_H
#define BL_GNUPLOT_H

#include "output/output.h"

/* A script or a data file that is being written. A zeroed one with ctx set is ready to use. */
typedef struct bl_script {
    bl_context *ctx;
    bl_target target;
    char *text; /* what waits to be written */
    bl_index length, capacity;
    bl_status status; /* of the writing */
} bl_script;

void bl_script_put(bl_script *script, const char *text);
void bl_script_number(bl_script *script, double value); /* seven digits, a point whatever the locale says; NaN */
void bl_script_digits(bl_script *script, double value, int digits);
void bl_script_int(bl_script *script, int value);
/* 'text' as gnuplot reads it: between single quotes nothing is replaced or run. */
void bl_script_quoted(bl_script *script, const char *text);
/* Writes the file that `write` fills; it appears when it is whole. */
bl_status bl_script_write(bl_script *script, const char *path, void (*write)(bl_script *script));
void bl_script_destroy(bl_script *script);

/* Runs gnuplot in the folder on the script there. figure: what it draws, for messages. BL_E_ABILITY: there is no gnuplot; BL_E_FILE: it
 * failed, and the message says what it said. */
bl_status bl_gnuplot_run(bl_context *ctx, const char *folder, const char *script, const char *figure);

#endif
