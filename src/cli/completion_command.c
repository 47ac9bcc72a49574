/* biela completion: scripts that complete commands, options and names of kinds in a shell, made from the tables of the program. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* a script being written; status: of the first list that could not be had */
typedef struct script {
    bl_context *ctx;
    FILE *out;
    bl_status status;
} script;

/* ---- what an option takes */

typedef enum takes { NOTHING, ANYTHING, FILES, FOLDERS, KINDS, POLICIES } takes;

static takes what_it_takes(const cli_option *option) {
    const char *value = option->value;
    if (!value)
        return NOTHING;
    if (strcmp(value, "KIND") == 0)
        return KINDS;
    if (option == &cli_opt_singular)
        return POLICIES;
    if (strncmp(value, "FOLDER", 6) == 0)
        return FOLDERS;
    return strncmp(value, "FILE", 4) == 0 || strstr(value, ".svg") || strstr(value, ".csv") ? FILES : ANYTHING;
}

static void list(script *s, const char *room, void (*put)(void *user, const bl_choice *choice), void *user) {
    bl_status status = bl_list(s->ctx, room, put, user);
    s->status = s->status == BL_OK ? status : s->status;
}

static void put_kind(void *out, const bl_choice *choice) { fprintf(out, " %s", choice->name); }

/* the names that an option of kinds takes: "integrator" those of the room "integrators" */
static void put_kinds(script *s, const cli_option *option) {
    char room[32];
    size_t n = strlen(option->name);
    snprintf(room, sizeof room, "%s%s", option->name, n > 0 && option->name[n - 1] == 's' ? "" : "s");
    list(s, room, put_kind, s->out);
}

/* the words that an option takes, each with a blank before it; none: files, or anything */
static void put_words(script *s, const cli_option *option) {
    takes what = what_it_takes(option);
    if (what == POLICIES)
        fputs(" pass step_over refuse", s->out);
    if (what == KINDS)
        put_kinds(s, option);
}

static void put_commands(script *s) {
    for (const cli_command *const *c = cli_commands; *c; c++)
        fprintf(s->out, " %s", (*c)->name);
}

/* the word that a command takes, where it is one of a list: 'C' commands, 'R' rooms, 'S' shells; 0: files */
static char word_of(const cli_command *command) {
    return !command->word                             ? '-'
           : strcmp(command->word, "[COMMAND]") == 0  ? 'C'
           : strcmp(command->word, "[ROOM]") == 0     ? 'R'
           : strcmp(command->word, "SHELL") == 0      ? 'S'
           : strncmp(command->word, "METHOD", 6) == 0 ? 'M'
                                                      : 0;
}

typedef struct rooms {
    FILE *out;
    const char *last;
} rooms;

static void put_room(void *user, const bl_choice *choice) {
    rooms *r = user;
    if (r->last != choice->room)
        fprintf(r->out, " %s", choice->room);
    r->last = choice->room;
}

static void put_word_list(script *s, char what) {
    if (what == 'C')
        put_commands(s);
    if (what == 'S')
        fputs(" bash zsh fish", s->out);
    if (what == 'M')
        list(s, "integrators", put_kind, s->out);
    if (what == 'R')
        list(s, NULL, put_room, &(rooms){s->out, NULL});
}

/* ---- bash; zsh runs the same script by its bashcompinit */

static void bash_values(script *s, const cli_command *command) {
    for (const cli_option *const *o = command->options; *o; o++) {
        takes what = what_it_takes(*o);
        if (what == NOTHING)
            continue;
        fprintf(s->out, "    %s:--%s", command->name, (*o)->name);
        if ((*o)->letter)
            fprintf(s->out, "|%s:-%c", command->name, (*o)->letter);
        fputs(") ", s->out);
        if (what == FILES || what == FOLDERS) {
            fprintf(s->out, "COMPREPLY=($(compgen -%c -- \"$cur\")); return ;;\n", what == FILES ? 'f' : 'd');
        } else if (what == ANYTHING) {
            fputs("return ;;\n", s->out);
        } else {
            fputs("words=\"", s->out);
            put_words(s, *o);
            fputs("\" ;;\n", s->out);
        }
    }
}

static void put_bash(script *s) {
    fputs("# bash completion for biela " BIELA_VERSION ", printed by `biela completion bash`\n"
          "_biela() {\n"
          "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=\n"
          "  COMPREPLY=()\n"
          "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "    COMPREPLY=($(compgen -W \"",
          s->out);
    put_commands(s);
    fputs(" --version --help\" -- \"$cur\"))\n"
          "    return\n"
          "  fi\n"
          "  case $command:$prev in\n",
          s->out);
    for (const cli_command *const *c = cli_commands; *c; c++)
        bash_values(s, *c);
    fputs("  esac\n"
          "  if [ -z \"$words\" ]; then\n"
          "    case $command:$cur in\n",
          s->out);
    for (const cli_command *const *c = cli_commands; *c; c++) {
        fprintf(s->out, "    %s:-*) words=\"", (*c)->name);
        for (const cli_option *const *o = (*c)->options; *o; o++)
            fprintf(s->out, " --%s", (*o)->name);
        fputs("\" ;;\n", s->out);
        char word = word_of(*c);
        if (word == 0)
            continue;
        fprintf(s->out, "    %s:*) words=\"", (*c)->name);
        put_word_list(s, word);
        fputs(" \" ;;\n", s->out);
    }
    fputs("    esac\n"
          "  fi\n"
          "  if [ -n \"$words\" ]; then\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "  else\n"
          "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "  fi\n"
          "}\n"
          "complete -o filenames -F _biela biela\n",
          s->out);
}

static void put_zsh(script *s) {
    fputs("#compdef biela\n# zsh completion for biela " BIELA_VERSION
          ", printed by `biela completion zsh`\nautoload -Uz bashcompinit && bashcompinit\n",
          s->out);
    put_bash(s);
}

/* ---- fish */

/* between single quotes */
static void put_quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void fish_options(script *s, const cli_command *command) {
    for (const cli_option *const *o = command->options; *o; o++) {
        takes what = what_it_takes(*o);
        fprintf(s->out, "complete -c biela -n '__fish_seen_subcommand_from %s' -l %s", command->name, (*o)->name);
        if ((*o)->letter)
            fprintf(s->out, " -s %c", (*o)->letter);
        if (what != NOTHING && (*o)->type != CLI_MAYBE)
            fputs(what == FILES || what == FOLDERS ? " -r -F" : " -x", s->out);
        if (what == KINDS || what == POLICIES) {
            fputs(" -a '", s->out);
            put_words(s, *o);
            fputs("'", s->out);
        }
        fputs(" -d ", s->out);
        put_quoted(s->out, (*o)->help);
        fputc('\n', s->out);
    }
    char word = word_of(command);
    if (word == 0)
        return;
    fprintf(s->out, "complete -c biela -f -n '__fish_seen_subcommand_from %s'", command->name);
    if (word != '-') {
        fputs(" -a '", s->out);
        put_word_list(s, word);
        fputs("'", s->out);
    }
    fputc('\n', s->out);
}

static void put_fish(script *s) {
    fputs("# fish completion for biela " BIELA_VERSION ", printed by `biela completion fish`\n", s->out);
    for (const cli_command *const *c = cli_commands; *c; c++) {
        fprintf(s->out, "complete -c biela -f -n __fish_use_subcommand -a %s -d ", (*c)->name);
        put_quoted(s->out, (*c)->help);
        fputc('\n', s->out);
        fish_options(s, *c);
    }
}

/* ---- the command */

static void print_script(const void *text) { cli_write(NULL, text, strlen(text)); }
static void script_json(bl_json *json, const void *text) { bl_json_text(json, "completion", text); }

static int completion(bl_context *ctx, cli_args *args) {
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    static void (*const put[])(script *) = {put_bash, put_zsh, put_fish};
    char *text = NULL;
    size_t length = 0;
    int shell = 0;
    while (shells[shell] && strcmp(shells[shell], args->word) != 0)
        shell++;
    if (!shells[shell])
        return cli_refuse(args, "choose bash, zsh or fish", "there is no completion for the shell '%s'", args->word);
    FILE *memory = open_memstream(&text, &length);
    script s = {.ctx = ctx, .out = memory, .status = memory ? BL_OK : BL_E_MEMORY};
    if (memory)
        put[shell](&s);
    if (memory && fclose(memory) != 0)
        s.status = BL_E_MEMORY;
    int code = cli_show(ctx, args, s.status, print_script, script_json, text);
    free(text);
    return code;
}

static const cli_option *const options[] = {&cli_opt_json, &cli_opt_help, NULL};

const cli_command cli_completion = {
    .name = "completion",
    .word = "SHELL",
    .help = "print a script that completes commands and options in bash, zsh or fish",
    .text = "Prints a completion script for a shell (bash, zsh or fish): commands, options, names of kinds, files.\n"
            "For this session of bash: source <(biela completion bash). `make install` installs all three.",
    .options = options,
    .run = completion};
