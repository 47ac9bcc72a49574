/* compare: the table as text, and the page with the motions behind it. */
#ifndef BL_COMPARE_OUTPUT_H
#define BL_COMPARE_OUTPUT_H

#include "cli/cli.h"

/* ---- the table */

enum { CLI_COMPARE_COLUMNS = 11 };
void cli_compare_head(cli_table *table);
void cli_compare_cells(cli_table *table, const bl_compare_entry *entry); /* one row */

/* ---- --report: motions are kept in a temporary folder, only those that the page shows */

enum { CLI_MOTIONS_EACH = 5 }; /* this many nearest to the reference and this many farthest, besides the reference and the model's own */

typedef struct cli_motions {
    const cli_args *args;
    char folder[512], page[512]; /* folder "": nothing to remove */
    bool reference, own;         /* the motion was kept */
    bl_index n;                  /* others, sorted by distance */
    bl_index entry[2 * CLI_MOTIONS_EACH + 1];
    double distance[2 * CLI_MOTIONS_EACH + 1];
    bl_index left_out;
} cli_motions;

/* Sets the path of the page and makes the folder. EXIT_DONE, or the exit class of the error that was printed. */
int cli_motions_open(bl_context *ctx, const cli_args *args, const bl_model *model, cli_motions *motions);
bl_compare_motions cli_motions_hooks(cli_motions *motions);
/* Writes the page, with a line on standard output; the exit class. */
int cli_motions_page(const cli_motions *motions, const bl_compare_report *report);
void cli_motions_close(cli_motions *motions); /* removes the folder; a zeroed struct is fine */

/* ---- --contacts: rigid contacts against others (compare_contacts_command.c). options: what the command line gives besides the methods. */

int cli_compare_contacts(bl_context *ctx, cli_args *args, bl_compare_contacts_options *options);

/* ---- MODEL...: several models against the first one (compare_models_command.c). options: likewise. */

int cli_compare_models(bl_context *ctx, cli_args *args, bl_compare_models_options *options);

#endif
