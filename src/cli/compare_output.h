/* compare: the table as text, and the page with the motions behind it. */
#ifndef BL_COMPARE_OUTPUT_H
#define BL_COMPARE_OUTPUT_H

#include "cli/cli.h"

/* ---- the table */

enum { CLI_COMPARE_COLUMNS = 11 };
void cli_compare_head(cli_table *table);
void cli_compare_cells(cli_table *table, const bl_compare_entry *entry); /* one row */

/* ---- --report: motions wait in a temporary folder, no more of them than the page has */

enum { CLI_MOTIONS_EACH = 5 }; /* so many of the nearest to the reference, and of the farthest; the reference; the model's own choice */

typedef struct cli_motions {
    const cli_args *args;
    char folder[512], page[512]; /* folder "": nothing to remove */
    bool reference, own;         /* are there */
    bl_index n;                  /* others, by their distance */
    bl_index entry[2 * CLI_MOTIONS_EACH + 1];
    double distance[2 * CLI_MOTIONS_EACH + 1];
    bl_index left_out;
} cli_motions;

/* Where the page goes; the folder is made. EXIT_DONE, or the exit class of the error that was printed. */
int cli_motions_open(bl_context *ctx, const cli_args *args, const bl_model *model, cli_motions *motions);
bl_compare_motions cli_motions_hooks(cli_motions *motions);
/* Writes the page, with a line on standard output; the exit class. */
int cli_motions_page(const cli_motions *motions, const bl_compare_report *report);
void cli_motions_close(cli_motions *motions); /* removes what is there; zeroed ones, too */

#endif
