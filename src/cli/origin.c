/* Where a result comes from: the command that repeats the run, as a shell takes it, and parameters given on the command line. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* letters that no shell acts on */
static bool is_plain(const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    return word[0] && word[strspn(word, plain)] == '\0';
}

/* between single quotes everything is itself but the quote, which stands outside */
static void put_word(FILE *out, const char *word) {
    if (is_plain(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

/* the fewest digits that read back as the same number */
static void put_number(FILE *out, double value) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

static void put_command(FILE *out, const cli_args *args) {
    for (int i = 0; i < args->argc; i++) {
        if (i > 0)
            fputc(' ', out);
        put_word(out, args->argv[i]);
    }
}

static void put_overrides(FILE *out, const cli_args *args) {
    for (bl_index i = 0; i < args->nset; i++) {
        fprintf(out, "%s%s=", i > 0 ? " " : "", args->set[i].name);
        put_number(out, args->set[i].value);
    }
}

/* what `put` writes; NULL: no memory */
static char *text_of(const cli_args *args, void (*put)(FILE *, const cli_args *)) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    put(out, args);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

bl_status cli_name_origin(const cli_args *args, bl_sink *sink) {
    char *command = text_of(args, put_command), *overrides = text_of(args, put_overrides);
    bl_status status = command && overrides ? bl_sink_hdf5_origin(sink, command, overrides) : BL_E_MEMORY;
    free(command);
    free(overrides);
    return status;
}
