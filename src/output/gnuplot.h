/* gnuplot: runs scripts that were written by the figures (bl_text_file_write). */
#ifndef BL_GNUPLOT_H
#define BL_GNUPLOT_H

#include "output/text_file.h"

/* Runs gnuplot on a script, in its folder. figure: path of the drawing, for messages. BL_E_ABILITY: gnuplot is not installed; BL_E_FILE: it
 * failed, and the message quotes gnuplot. */
bl_status bl_gnuplot_run(bl_context *ctx, const char *folder, const char *script, const char *figure);

#endif
