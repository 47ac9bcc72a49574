/* biela manual: manual pages in the format of man(7), made from the same tables as the help texts. */
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* text as roff takes it literally: hyphens as hyphens, no line that begins with a request */
static void put_text(FILE *out, const char *text, size_t length) {
    bool start = true;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (start && (c == '.' || c == '\''))
            fputs("\\&", out);
        start = c == '\n';
        if (c == '\\')
            fputs("\\e", out);
        else if (c == '-')
            fputs("\\-", out);
        else
            fputc(c, out);
    }
}

/* words between backquotes are set bold */
static void put_marked(FILE *out, const char *text) {
    for (bool bold = false; *text; bold = !bold) {
        size_t n = strcspn(text, "`");
        if (bold)
            fputs("\\fB", out);
        put_text(out, text, n);
        if (bold)
            fputs("\\fR", out);
        text += n + (text[n] == '`');
    }
}

/* title: "biela-run" in capitals, as the header of the page has it */
static void put_head(FILE *out, const char *command, const char *help) {
    fputs(".TH BIELA", out);
    for (const char *c = command ? command : ""; *c; c++)
        fprintf(out, "%s%c", c == command ? "\\-" : "", toupper((unsigned char)*c));
    fputs(" 1 \"\" \"biela " BIELA_VERSION "\" \"User Commands\"\n.SH NAME\nbiela", out);
    if (command)
        fprintf(out, "\\-%s", command);
    fputs(" \\- ", out);
    put_text(out, help, strlen(help));
    fputs("\n.SH SYNOPSIS\n\\fBbiela", out);
    if (command)
        fprintf(out, " %s", command);
    fputs("\\fR", out);
}

static void put_exit(FILE *out) {
    fputs(".SH EXIT STATUS\n"
          ".TP\n0\ndone\n"
          ".TP\n2\nwrong usage\n"
          ".TP\n3\nthe model is wrong\n"
          ".TP\n4\na numerical failure; what was computed is kept\n"
          ".TP\n5\na file or the system\n",
          out);
}

static void put_option(FILE *out, const cli_option *option) {
    fputs(".TP\n", out);
    if (option->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    put_text(out, option->name, strlen(option->name));
    fputs("\\fR", out);
    if (option->value) {
        fputs(option->type == CLI_MAYBE ? " [\\fI" : " \\fI", out);
        put_text(out, option->value, strlen(option->value));
        fputs(option->type == CLI_MAYBE ? "\\fR]" : "\\fR", out);
    }
    fputc('\n', out);
    put_marked(out, option->help);
    fputc('\n', out);
}

static void put_command(FILE *out, const cli_command *command) {
    put_head(out, command->name, command->help);
    if (command->word)
        fprintf(out, " \\fI%s\\fR", command->word);
    fputs(" [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n", out);
    put_marked(out, command->text);
    fputs("\n.SH OPTIONS\n", out);
    for (const cli_option *const *o = command->options; *o; o++)
        put_option(out, *o);
    put_exit(out);
    fputs(".SH SEE ALSO\n.BR biela (1)\n", out);
}

static void put_program(FILE *out) {
    put_head(out, NULL, "simulate mechanisms, and solids that deform");
    fputs(" \\fICOMMAND\\fR [\\fIWORDS\\fR] [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
          "biela simulates linkages, robots, vehicles, closed loops and overconstrained structures, in the plane and in space, and\n"
          "meshes of solids. A model is a text file (YAML or JSON) with bodies, joints and forces. Every command takes\n"
          "\\fB\\-\\-json\\fR, which prints one JSON object, and \\fB\\-\\-help\\fR.\n.SH COMMANDS\n",
          out);
    for (const cli_command *const *c = cli_commands; *c; c++) {
        fprintf(out, ".TP\n\\fBbiela %s\\fR", (*c)->name);
        if ((*c)->word)
            fprintf(out, " \\fI%s\\fR", (*c)->word);
        fputc('\n', out);
        put_marked(out, (*c)->help);
        fputc('\n', out);
    }
    put_exit(out);
    fputs(".SH SEE ALSO\n", out);
    for (const cli_command *const *c = cli_commands; *c; c++)
        fprintf(out, ".BR biela\\-%s (1)%s\n", (*c)->name, c[1] ? "," : "");
}

static void print_page(const void *page) { cli_write(NULL, page, strlen(page)); }
static void page_json(bl_json *json, const void *page) { bl_json_text(json, "manual", page); }

static int manual(bl_context *ctx, cli_args *args) {
    char *text = NULL;
    size_t length = 0;
    cli_mistake mistake = {0};
    const cli_command *command = args->word ? cli_find_command(args->word, &mistake) : NULL;
    if (args->word && !command)
        return cli_fail_usage(args, &mistake);
    FILE *memory = open_memstream(&text, &length);
    if (memory && command)
        put_command(memory, command);
    else if (memory)
        put_program(memory);
    bl_status status = memory && fclose(memory) == 0 ? BL_OK : BL_E_MEMORY;
    int code = cli_show(ctx, args, status, print_page, page_json, text);
    free(text);
    return code;
}

static const cli_option *const options[] = {&cli_opt_json, &cli_opt_help, NULL};

const cli_command cli_manual = {.name = "manual",
                                .word = "[COMMAND]",
                                .help = "print a manual page",
                                .text = "Prints the manual page of a command, or of biela itself, in the format of man(7):\n"
                                        "biela manual run | man -l -. `make install` installs all of them.",
                                .options = options,
                                .run = manual};
