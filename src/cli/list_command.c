/* biela list, biela reference: all kinds that can be chosen by name. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* text wrapped at spaces into indented lines of `width` columns */
static void print_wrapped(const char *text, int indent, int width) {
    while (*text) {
        size_t n = strlen(text), room = (size_t)(width - indent);
        if (n > room) {
            for (n = room; n > 0 && text[n] != ' '; n--) {
            }
            if (n == 0)
                n = strcspn(text, " ");
        }
        cli_out("%*s%.*s\n", indent, "", (int)n, text);
        text += n + (text[n] == ' ');
    }
}

static void print_choice(void *user, const bl_choice *choice) {
    const char **room = user;
    if (*room != choice->room)
        cli_out("%s%s:\n", *room ? "\n" : "", choice->room);
    *room = choice->room;
    cli_out("  %-18s %s\n", choice->name, choice->help);
    print_wrapped(choice->facts, 21, 110);
    if (choice->params[0]) {
        char params[sizeof choice->params + 16];
        snprintf(params, sizeof params, "takes %s", choice->params);
        print_wrapped(params, 21, 110);
    }
}

static void add_choice(void *user, const bl_choice *choice) {
    bl_json *json = user;
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "room", choice->room);
    bl_json_text(json, "name", choice->name);
    bl_json_text(json, "help", choice->help);
    bl_json_text(json, "parameters", choice->params[0] ? choice->params : NULL);
    bl_json_text(json, "facts", choice->facts[0] ? choice->facts : NULL);
    bl_json_close(json, '}');
}

static int list(bl_context *ctx, cli_args *args) {
    bl_json json = {.ctx = ctx};
    const char *room = NULL;
    bl_json_open(&json, NULL, '{');
    bl_json_open(&json, "choices", '[');
    bl_status status = bl_list(ctx, args->word, args->json ? add_choice : print_choice, args->json ? (void *)&json : (void *)&room);
    bl_json_close(&json, ']');
    bl_json_close(&json, '}');
    if (status == BL_OK && args->json)
        return cli_print_json(ctx, &json);
    bl_json_destroy(&json);
    return status == BL_OK ? EXIT_DONE : cli_fail(ctx, args, status);
}

static const cli_option *const options[] = {&cli_opt_json, &cli_opt_help, NULL};

const cli_command cli_list = {.name = "list",
                              .word = "[ROOM]",
                              .help = "list the kinds of joints, forces, controllers, elements and methods with their parameters",
                              .text =
                                  "Lists the kinds that models and options can name: joints, forces, controllers; for meshes elements,\n"
                                  "generators, materials, strains; coordinates, formulations, integrators, linsols (linear solvers),\n"
                                  "orderings. ROOM is one of these words. Parameters of a kind follow a colon, with or without their\n"
                                  "names: mixed:switching, klu:ordering=colamd.",
                              .options = options,
                              .run = list};

/* ---- reference */

static void collect(void *user, const char *text, size_t length) { fwrite(text, 1, length, user); }

static void print_text(const void *found) { cli_write(NULL, found, strlen(found)); }
static void json_text(bl_json *json, const void *found) { bl_json_text(json, "reference", found); }

static int reference(bl_context *ctx, cli_args *args) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    bl_status status = memory ? bl_reference(ctx, collect, memory) : BL_E_MEMORY;
    if (memory && fclose(memory) != 0)
        status = BL_E_MEMORY;
    int code = cli_show(ctx, args, status, print_text, json_text, text);
    free(text);
    return code;
}

const cli_command cli_reference = {
    .name = "reference",
    .help = "print the reference of all kinds and their parameters as Markdown",
    .text = "Prints docs/REFERENCE.md: every kind with its parameters, generated from the tables of the program.",
    .options = options,
    .run = reference};
