/* biela structure: groups of links that can be solved one after the other, from a model or from links and pairs alone. */
#include "cli/cli.h"

#include <string.h>

/* values of the options of this command */
struct own {
    bool search, all_inputs;
    const char *matrix, *pairs, *diagram, *graph;
};

enum { LIST = 128, SHOWN_RESULT = 12, SHOWN_CHOICES = 30, SHOWN_EXCEPTIONS = 20 };

/* ---- names */

static const char *method_name(bl_structure_method method) { return method == BL_STRUCTURE_SEARCH ? "search" : "fast"; }

static const char *state_name(bl_link_state state) {
    switch (state) {
    case BL_LINK_SOLVED: return "solved";
    case BL_LINK_UNDER: return "under";
    case BL_LINK_OVER: return "over";
    case BL_LINK_BLOCKED: return "blocked";
    case BL_LINK_LOOSE: return "loose";
    }
    return "";
}

/* everything that was found */
typedef struct answer {
    const cli_args *args;
    bl_chain chain;
    bl_structure_report report;
    bl_structure_exceptions found; /* of a model */
    bl_structure_choices choices;  /* with --all-inputs */
} answer;

static const char *file_of(const cli_args *args) {
    return cli_own(args)->matrix ? cli_own(args)->matrix : cli_own(args)->pairs ? cli_own(args)->pairs : args->word;
}

/* Appends word i of n to text[LIST]; false: it does not fit, and the list ends with " and 3 more". */
static bool add_word(char *text, bl_index i, bl_index n, const char *word) {
    size_t used = strlen(text), most = LIST;
    if (used + strlen(word) + 22 > most) {
        snprintf(text + used, most - used, " and %d more", (int)(n - i));
        return false;
    }
    snprintf(text + used, most - used, "%s%s", i ? ", " : "", word);
    return true;
}

/* names or numbers from 1 */
static void list_links(const bl_chain *chain, const bl_index *link, bl_index n, char text[LIST]) {
    text[0] = '\0';
    for (bl_index i = 0; i < n; i++) {
        char word[64];
        if (chain->link)
            snprintf(word, sizeof word, "%.60s", chain->link[link[i]]);
        else
            snprintf(word, sizeof word, "%d", (int)link[i] + 1);
        if (!add_word(text, i, n, word))
            return;
    }
}

static void list_groups(const bl_index *from, bl_index n, char text[LIST]) {
    text[0] = '\0';
    for (bl_index i = 0; i < n; i++) {
        char word[16] = "frame";
        if (from[i] > 0)
            snprintf(word, sizeof word, "%d", (int)from[i]);
        if (!add_word(text, i, n, word))
            return;
    }
}

/* ---- table */

static void print_groups(const bl_chain *chain, const bl_structure_report *report) {
    static const char *const head[] = {"group", "links", "kind", "form", "depends on", "N_m", "L_C", "inputs"};
    cli_table table = {.columns = sizeof head / sizeof *head};
    cli_cells(&table, head, table.columns);
    for (bl_index k = 0; k < report->ngroup; k++) {
        const bl_structure_group *group = &report->group[k];
        char links[LIST], from[LIST];
        list_links(chain, group->link, group->nlink, links);
        list_groups(group->from, group->nfrom, from);
        cli_cell(&table, "%d", (int)k + 1);
        cli_cells(&table, (const char *const[]){links, group->kind, group->form[0] ? group->form : "-", from}, 4);
        cli_cell(&table, "%d", (int)group->nlink);
        cli_cell(&table, "%d", group->mobility);
        cli_cell(&table, "%d", group->inputs);
    }
    cli_table_print(&table, 5);
}

/* links that lock each other although the count of the group is right */
static void print_locked(const bl_chain *chain, const bl_structure_report *report) {
    for (bl_index k = 0; k < report->ngroup; k++) {
        const bl_structure_group *group = &report->group[k];
        char links[LIST];
        if (group->nlocked == 0)
            continue;
        list_links(chain, group->locked, group->nlocked, links);
        cli_out("  note      in group %d, links %s have %d excess constraint equation%s among themselves: "
                "they can move only with special dimensions\n",
                (int)k + 1, links, group->excess, cli_s(group->excess));
    }
}

static void print_result(bl_index n, const bl_index *result) {
    cli_out("\n  results\n");
    for (bl_index i = 0; i < n; i++) {
        cli_out(" ");
        for (bl_index j = 0; j < n; j++)
            cli_out(" %2d", (int)result[i * n + j]);
        cli_out("\n");
    }
}

/* of a model; NULL: only links and pairs are known */
static void print_mobility(const bl_structure_report *report, const bl_structure_exceptions *found) {
    cli_out("  mobility  %d", report->mobility);
    if (found && found->closed)
        cli_out(" by counting, %d by rank", found->mobility_rank);
    if (found && found->passive)
        cli_out(" (%d idle)", found->passive);
    cli_out(", %d input%s: %s\n", report->inputs, cli_s(report->inputs),
            !report->complete         ? "not every link can be solved"
            : found && found->passive ? "every link can be solved, except for idle degrees of freedom"
                                      : "every link can be solved");
}

static void print_exceptions(const bl_structure_exceptions *found) {
    if (found->n > 0)
        cli_out("\n  exceptions to counting\n");
    bl_index shown = found->n > SHOWN_EXCEPTIONS + 1 ? SHOWN_EXCEPTIONS : found->n;
    for (bl_index i = 0; i < shown; i++)
        cli_out("    %s: %s\n", bl_exception_name(found->exception[i].kind), found->exception[i].text);
    if (shown < found->n)
        cli_out("    and %d more\n", (int)(found->n - shown));
}

static void print_report(const char *file, const bl_chain *chain, const bl_structure_report *report, const bl_structure_exceptions *found,
                         bool searched) {
    cli_out("%s: %d link%s, %d pair%s, %d loop%s\n", file, (int)chain->nlink, cli_s(chain->nlink), (int)chain->npair, cli_s(chain->npair),
            (int)report->nloop, cli_s(report->nloop));
    print_mobility(report, found);
    if (report->npiece > 1)
        cli_out("  pieces    %d, not connected by any pair\n", (int)report->npiece);
    if (searched && report->method != BL_STRUCTURE_SEARCH)
        cli_out("  note      the search was not completed; these are the groups of the fast method\n");
    if (report->ngroup > 0) {
        cli_out("\n");
        print_groups(chain, report);
        print_locked(chain, report);
    }
    if (report->nremain > 0)
        cli_out("\n  not solved\n");
    for (bl_index i = 0; i < report->nremain; i++)
        cli_out("    %s\n", report->remain[i].text);
    if (found)
        print_exceptions(found);
    if (report->result && chain->nlink <= SHOWN_RESULT)
        print_result(chain->nlink, report->result);
}

/* joints by name, pairs by their links: "1-2, 3-4" */
static void list_inputs(const bl_chain *chain, const bl_structure_choice *choice, char text[LIST]) {
    snprintf(text, LIST, "%s", choice->ninput > 0 ? "" : "-");
    for (bl_index i = 0; i < choice->ninput; i++) {
        const bl_chain_pair *pair = &chain->pair[choice->pair[i]];
        char word[64];
        if (pair->name)
            snprintf(word, sizeof word, "%.60s", pair->name);
        else
            snprintf(word, sizeof word, "%d-%d", (int)pair->link[0] + 1, (int)pair->link[1] + 1);
        if (!add_word(text, i, choice->ninput, word))
            return;
    }
}

/* "{2} {3, 4}", truncated with " ..." */
static void list_sets(const bl_chain *chain, const bl_structure_choice *choice, char text[LIST]) {
    size_t used = 0, most = LIST;
    snprintf(text, most, "-");
    for (bl_index k = 0; k < choice->ngroup; k++) {
        char set[LIST];
        list_links(chain, choice->link + choice->group_ptr[k], choice->group_ptr[k + 1] - choice->group_ptr[k], set);
        if (used + strlen(set) + 8 > most) {
            snprintf(text + used, most - used, " ...");
            return;
        }
        used += (size_t)snprintf(text + used, most - used, "%s{%s}", k ? " " : "", set);
    }
}

static void print_choices(const bl_chain *chain, const bl_structure_choices *choices) {
    static const char *const head[] = {"inputs", "given", "complete", "largest", "groups"};
    bl_index shown = choices->nchoice > SHOWN_CHOICES ? SHOWN_CHOICES : choices->nchoice;
    cli_out("\n  other inputs: %d choice%s, the simplest first%s\n", (int)choices->nchoice, cli_s(choices->nchoice),
            choices->all ? "" : "; too many to try all: one input changed at a time");
    cli_table table = {.columns = sizeof head / sizeof *head};
    cli_cells(&table, head, table.columns);
    for (bl_index k = 0; k < shown; k++) {
        const bl_structure_choice *choice = &choices->choice[k];
        char inputs[LIST], sets[LIST];
        list_inputs(chain, choice, inputs);
        list_sets(chain, choice, sets);
        cli_cell(&table, "%s", inputs);
        cli_cell(&table, "%s", k == choices->given ? "yes" : "-");
        cli_cell(&table, "%s", choice->sound ? "yes" : choice->complete ? "locked" : "no");
        cli_cell(&table, "%d", (int)choice->largest);
        cli_cell(&table, "%s", sets);
    }
    cli_table_print(&table, table.columns);
    if (shown < choices->nchoice)
        cli_out("  and %d more\n", (int)(choices->nchoice - shown));
}

/* ---- JSON */

/* links and pairs are numbered from 1 in JSON */
static void json_list(bl_json *json, const char *key, const bl_index *value, bl_index n, bl_index add) {
    bl_json_open(json, key, '[');
    for (bl_index i = 0; i < n; i++)
        bl_json_integer(json, NULL, value[i] + add);
    bl_json_close(json, ']');
}

static void json_group(bl_json *json, const bl_structure_group *group) {
    bl_json_open(json, NULL, '{');
    json_list(json, "links", group->link, group->nlink, 1);
    bl_json_text(json, "kind", group->kind);
    bl_json_text(json, "form", group->form[0] ? group->form : NULL);
    bl_json_integer(json, "mobility", group->mobility);
    bl_json_integer(json, "inputs", group->inputs);
    json_list(json, "pairs", group->pair, group->npair, 1);
    json_list(json, "from", group->from, group->nfrom, 0);
    if (group->nlocked > 0) {
        json_list(json, "locked", group->locked, group->nlocked, 1);
        bl_json_integer(json, "excess", group->excess);
    }
    bl_json_close(json, '}');
}

static void json_pair(bl_json *json, const bl_chain *chain, const bl_chain_pair *pair) {
    char letter[2] = {pair->letter, '\0'};
    int code = bl_pair_code(chain->dim, pair);
    bl_json_open(json, NULL, '{');
    json_list(json, "links", pair->link, 2, 1);
    bl_index nvia = 0;
    while (nvia < BL_PAIR_VIA && pair->via[nvia] >= 0)
        nvia++;
    if (nvia > 0)
        json_list(json, "via", pair->via, nvia, 1);
    bl_json_index(json, "code", code > 0 ? code : -1);
    bl_json_integer(json, "degrees_of_freedom", pair->dof);
    bl_json_integer(json, "inputs", pair->inputs);
    if (pair->repeated > 0)
        bl_json_integer(json, "repeated", pair->repeated);
    if (pair->passive > 0)
        bl_json_integer(json, "passive", pair->passive);
    bl_json_text(json, "letter", letter);
    if (pair->name)
        bl_json_text(json, "name", pair->name);
    if (pair->type)
        bl_json_text(json, "type", pair->type);
    bl_json_close(json, '}');
}

static void json_remain(bl_json *json, const bl_structure_remain *remain) {
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "state", state_name(remain->state));
    bl_json_integer(json, "amount", remain->amount);
    json_list(json, "links", remain->link, remain->nlink, 1);
    bl_json_text(json, "text", remain->text);
    bl_json_close(json, '}');
}

static void json_pieces(bl_json *json, const bl_chain *chain, const bl_structure_report *report) {
    bl_json_open(json, "pieces", '[');
    for (bl_index k = 0; k < report->npiece; k++) {
        bl_json_open(json, NULL, '[');
        for (bl_index i = 0; i < chain->nlink; i++)
            if (report->piece[i] == k)
                bl_json_integer(json, NULL, i + 1);
        bl_json_close(json, ']');
    }
    bl_json_close(json, ']');
}

static void json_result(bl_json *json, bl_index n, const bl_index *result) {
    if (!result) {
        bl_json_text(json, "result", NULL);
        return;
    }
    bl_json_open(json, "result", '[');
    for (bl_index i = 0; i < n; i++)
        json_list(json, NULL, result + i * n, n, 0);
    bl_json_close(json, ']');
}

static void json_exceptions(bl_json *json, const bl_structure_exceptions *found) {
    bl_json_flag(json, "closed", found->closed);
    BL_JSON_NUMBERS(json, {"mobility_rank", found->mobility_rank}, {"mobility_start", found->mobility_start}, {"repeated", found->repeated},
                    {"passive", found->passive});
    bl_json_open(json, "exceptions", '[');
    for (bl_index i = 0; i < found->n; i++) {
        const bl_structure_exception *one = &found->exception[i];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "kind", bl_exception_name(one->kind));
        bl_json_integer(json, "amount", one->amount);
        if (one->pair >= 0)
            bl_json_integer(json, "pair", one->pair + 1);
        if (one->link >= 0)
            bl_json_integer(json, "link", one->link + 1);
        json_list(json, "with", one->with, one->nwith, 1);
        bl_json_text(json, "text", one->text);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
}

static void json_choices(bl_json *json, const bl_structure_choices *choices) {
    bl_json_flag(json, "all_choices", choices->all);
    bl_json_index(json, "given", choices->given >= 0 ? choices->given + 1 : -1);
    bl_json_open(json, "choices", '[');
    for (bl_index c = 0; c < choices->nchoice; c++) {
        const bl_structure_choice *choice = &choices->choice[c];
        bl_json_open(json, NULL, '{');
        json_list(json, "inputs", choice->pair, choice->ninput, 1);
        bl_json_flag(json, "complete", choice->complete);
        bl_json_flag(json, "sound", choice->sound);
        bl_json_integer(json, "largest", choice->largest);
        bl_json_open(json, "groups", '[');
        for (bl_index k = 0; k < choice->ngroup; k++)
            json_list(json, NULL, choice->link + choice->group_ptr[k], choice->group_ptr[k + 1] - choice->group_ptr[k], 1);
        bl_json_close(json, ']');
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
}

static void json_answer(bl_json *json, const void *found) {
    const answer *a = found;
    const cli_args *args = a->args;
    const bl_chain *chain = &a->chain;
    const bl_structure_report *report = &a->report;
    bl_json_text(json, "file", file_of(args));
    bl_json_text(json, "status", bl_status_text(BL_OK));
    bl_json_open(json, "groups", '[');
    for (bl_index k = 0; k < report->ngroup; k++)
        json_list(json, NULL, report->group[k].link, report->group[k].nlink, 1);
    bl_json_close(json, ']');
    bl_json_flag(json, "complete", report->complete);
    bl_json_integer(json, "mobility", report->mobility);
    bl_json_integer(json, "inputs", report->inputs);
    if (args->word)
        json_exceptions(json, &a->found);
    json_list(json, "remaining", report->remaining, report->nremaining, 1);
    bl_json_open(json, "why", '[');
    for (bl_index i = 0; i < report->nremain; i++)
        json_remain(json, &report->remain[i]);
    bl_json_close(json, ']');
    bl_json_text(json, "method", method_name(report->method));
    bl_json_integer(json, "dimension", chain->dim);
    bl_json_integer(json, "links", chain->nlink);
    if (chain->link)
        bl_json_texts(json, "names", (const char *const *)chain->link, chain->nlink);
    bl_json_open(json, "pairs", '[');
    for (bl_index p = 0; p < chain->npair; p++)
        json_pair(json, chain, &chain->pair[p]);
    bl_json_close(json, ']');
    bl_json_open(json, "details", '[');
    for (bl_index k = 0; k < report->ngroup; k++)
        json_group(json, &report->group[k]);
    bl_json_close(json, ']');
    bl_json_open(json, "loops", '[');
    for (bl_index k = 0; report->loop && k < report->nloop; k++)
        json_list(json, NULL, report->loop + report->loop_ptr[k], report->loop_ptr[k + 1] - report->loop_ptr[k], 1);
    bl_json_close(json, ']');
    json_pieces(json, chain, report);
    json_result(json, chain->nlink, report->result);
    if (cli_own(args)->all_inputs)
        json_choices(json, &a->choices);
}

/* ---- the command */

static bl_status find_structure(bl_context *ctx, const cli_args *args, bl_model **model, answer *a) {
    bl_structure_options options = {.size = sizeof options, .method = cli_own(args)->search ? BL_STRUCTURE_SEARCH : BL_STRUCTURE_FAST};
    bl_status status = args->word ? cli_read_model(ctx, args, model) : BL_OK;
    if (status == BL_OK)
        status = bl_check_outputs(ctx, *model, (const char *const[]){cli_own(args)->matrix, cli_own(args)->pairs}, 2,
                                  (const char *const[]){cli_own(args)->graph, cli_own(args)->diagram}, 2);
    if (status != BL_OK)
        return status;
    if (args->word) {
        status = bl_structure_of_model(ctx, *model, &options, &a->chain, &a->report, &a->found);
    } else {
        status = bl_chain_read(ctx, file_of(args), cli_own(args)->matrix ? "matrix" : "pairs", &a->chain);
        if (status == BL_OK)
            status = bl_structure(ctx, &a->chain, &options, &a->report);
    }
    if (status == BL_OK && cli_own(args)->all_inputs)
        status = bl_structure_inputs(ctx, &a->chain, &a->choices);
    if (status == BL_OK && cli_own(args)->graph)
        status = bl_structure_graph(ctx, &a->chain, &a->report, cli_own(args)->graph);
    if (status == BL_OK && cli_own(args)->diagram)
        status = bl_structure_diagram(ctx, &a->chain, &a->report, cli_own(args)->diagram);
    return status;
}

static void print_answer(const void *found) {
    const answer *a = found;
    const struct own *own = cli_own(a->args);
    print_report(file_of(a->args), &a->chain, &a->report, a->args->word ? &a->found : NULL, own->search);
    if (own->all_inputs)
        print_choices(&a->chain, &a->choices);
    if (own->graph || own->diagram)
        cli_out("\n");
    if (own->graph)
        cli_out("  graph    %s\n", own->graph);
    if (own->diagram)
        cli_out("  diagram  %s\n", own->diagram);
}

static int structure(bl_context *ctx, cli_args *args) {
    const char *matrix = cli_own(args)->matrix, *pairs = cli_own(args)->pairs;
    int sources = !!args->word + !!matrix + !!pairs;
    if (sources != 1)
        return cli_refuse(args, "", "biela structure needs a MODEL, --matrix FILE or --pairs FILE%s", sources > 1 ? ", one of them" : "");
    if (!args->word && args->nset)
        return cli_refuse(args, "", "--set needs a model; it cannot be used with %s", matrix ? "--matrix" : "--pairs");
    bl_model *model = NULL;
    answer a = {.args = args,
                .chain.size = sizeof a.chain,
                .report.size = sizeof a.report,
                .found.size = sizeof a.found,
                .choices.size = sizeof a.choices};
    bl_status status = find_structure(ctx, args, &model, &a);
    int code = cli_show(ctx, args, status, print_answer, json_answer, &a);
    bl_structure_choices_destroy(ctx, &a.choices);
    bl_structure_exceptions_destroy(ctx, &a.found);
    bl_structure_report_destroy(ctx, &a.report);
    bl_chain_destroy(ctx, &a.chain);
    bl_model_destroy(model);
    return code;
}

static const cli_option *const options_of_structure[] = {
    &cli_opt_json,
    CLI_OWN(matrix, 0, "matrix", "FILE", CLI_TEXT, "coded adjacency matrix instead of a model: rows of 0 to 5, CSV or JSON"),
    CLI_OWN(pairs, 0, "pairs", "FILE", CLI_TEXT, "pairs instead of a model: lines `i j code`, or JSON"),
    CLI_OWN(search, 0, "search", NULL, CLI_FLAG, "try all sets of links (reference method, slow) instead of the fast method"),
    CLI_OWN(all_inputs, 0, "all-inputs", NULL, CLI_FLAG, "compare the groups for all other choices of driven pairs"),
    CLI_OWN(graph, 0, "graph", "FILE.svg", CLI_TEXT, "draw links and pairs"),
    CLI_OWN(diagram, 0, "diagram", "FILE.svg", CLI_TEXT, "draw the groups and their dependencies"),
    CLI_MODEL_OPTIONS,
    &cli_opt_closure,
    CLI_MESSAGE_OPTIONS};

const cli_command cli_structure = {
    .name = "structure",
    .word = "[MODEL]",
    .help = "divide a mechanism into groups of links, in the order of their solution",
    .text = "Divides a mechanism into the smallest groups of links that can be solved one after the other, from its links\n"
            "and pairs alone: kind, mobility and inputs of each group, the groups it depends on, and which links cannot\n"
            "be solved and why. Takes a model, a coded adjacency matrix or a list of pairs. A model is also assembled, so\n"
            "that the rank shows what counting cannot detect: repeated equations, idle degrees of freedom, singular\n"
            "configurations. --all-inputs drives all other choices of pairs and compares the groups.",
    .options = options_of_structure,
    .run = structure,
    .own = sizeof(struct own)};
