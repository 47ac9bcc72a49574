/* gnuplot: run on scripts that the figures which it draws have written (bl_text_file_write). */
#ifndef BL_GNUPLOT_H
#define BL_GNUPLOT_H

#include "output/text_file.h"

/* Runs gnuplot in the folder on the script there. figure: what it draws, for messages. BL_E_ABILITY: there is no gnuplot; BL_E_FILE: it
 * failed, and the message says what it said. */
bl_status bl_gnuplot_run(bl_context *ctx, const char *folder, const char *script, const char *figure);

#endif
