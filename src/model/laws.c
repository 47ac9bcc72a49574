/* Laws: expressions of the model. In geometry and masses parameters are constants; in laws they are inputs of
 * the tape, so that derivatives with respect to them exist, like time, variables, probes and a force's own x and xd. */
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct scope {
    bl_reader *r;
    bool law;     /* parameters are inputs */
    unsigned use; /* BL_USE_... */
    bool table;   /* table(FILE) looks up x first, then t */
    bl_symbol *input;
    bl_index ninput, capacity;
} scope;

static bl_status input_node(scope *s, bl_tape *tape, bl_symbol symbol, bl_index *node) {
    bl_index k = 0;
    while (k < s->ninput && (s->input[k].what != symbol.what || s->input[k].ref != symbol.ref || s->input[k].part != symbol.part))
        k++;
    if (k == s->ninput) {
        BL_TRY(BL_RESERVE(s->r->ctx, s->input, s->capacity, s->ninput + 1));
        s->input[s->ninput++] = symbol;
    }
    *node = bl_tape_input(tape, k);
    return BL_OK;
}

static bl_status not_here(scope *s, const char *name, const bl_place *place) {
    bl_fail(s->r->ctx, BL_E_MODEL, place, "'%s' cannot be used here", name);
    if (!s->law)
        bl_advise(s->r->ctx, "this value is fixed: it can use only parameters, indices and constants");
    else if (s->use & BL_USE_SIGNAL)
        bl_advise(s->r->ctx,
                  "a driver can use only t, parameters, inputs, and states whose rates need no velocities; to couple variables use "
                  "a gear joint or a force");
    else if (!(s->use & BL_USE_STATE))
        bl_advise(s->r->ctx, "this expression can use only t and parameters");
    else if (strcmp(name, "t") == 0)
        bl_advise(s->r->ctx, "this expression can use only variables and parameters; a driver makes a variable follow t");
    else
        bl_advise(s->r->ctx, "x and xd can only be used in forces that have a length or angle of their own, such as springs");
    return BL_E_MODEL;
}

static bl_status no_reactions(scope *s, const char *name, const bl_place *place) {
    bl_fail(s->r->ctx, BL_E_MODEL, place, "'%s' cannot be used here: reactions are found together with accelerations", name);
    bl_advise(s->r->ctx,
              "laws of forces and rates of states may use reactions; elsewhere use a state that follows it, such as a filter: "
              "rate: '=(%.60s - z)/T'",
              name);
    return BL_E_MODEL;
}

static bool probe_symbol(const bl_reader *r, const char *name, bl_symbol *symbol) {
    const char *dot = strrchr(name, '.');
    char probe[256];
    if (!dot || (size_t)(dot - name) >= sizeof probe)
        return false;
    memcpy(probe, name, (size_t)(dot - name));
    probe[dot - name] = '\0';
    symbol->ref = bl_names_find(&r->probes, probe);
    bool rate = dot[1] == 'v';
    const char *part = dot + 1 + rate;
    if (symbol->ref < 0 || part[0] < 'x' || part[0] >= 'x' + r->model->dim || part[1])
        return false;
    symbol->what = rate ? BL_SYM_PROBE_RATE : BL_SYM_PROBE;
    symbol->part = part[0] - 'x';
    return true;
}

/* the most similar name that is allowed here */
static const char *nearest_name(scope *s, const char *name) {
    const bl_reader *r = s->r;
    const char *words[8];
    size_t n = 0;
    for (const bl_binding *b = r->binding; b && n < 4; b = b->outer)
        words[n++] = b->name;
    bool state = s->law && (s->use & BL_USE_STATE), signal = s->law && (s->use & (BL_USE_STATE | BL_USE_SIGNAL));
    const bl_names *tables[] = {&r->parameters, state ? &r->variables : NULL, signal ? &r->signals : NULL};
    for (size_t i = 0; i < 3; i++)
        if (tables[i] && tables[i]->capacity && (words[n] = bl_nearest(name, tables[i]->name, (size_t)tables[i]->capacity)))
            n++;
    return bl_nearest(name, words, n);
}

/* t, states and expressions of a model without bodies */
static bl_status equations_node(scope *s, bl_tape *tape, const char *name, bl_index index, const bl_place *place, bl_index *node) {
    bl_symbol symbol = {0};
    BL_TRY(bl_equations_symbol(s->r, name, index, place, &symbol));
    return s->law && (s->use & BL_USE_STATE) ? input_node(s, tape, symbol, node) : not_here(s, name, place);
}

static bl_status scope_element(void *user, bl_tape *tape, const char *name, bl_index index, const bl_place *place, bl_index *node) {
    return equations_node(user, tape, name, index, place, node);
}

static bl_expr_name scope_what(void *user, const char *name, const char **nearest) {
    scope *s = user;
    for (const bl_binding *b = s->r->binding; b; b = b->outer)
        if (strcmp(b->name, name) == 0)
            return BL_NAME_NUMBER;
    if (!strcmp(name, "t") || bl_names_find(&s->r->parameters, name) >= 0)
        return BL_NAME_NUMBER;
    return bl_equations_name(s->r, name, nearest);
}

/* a state of the controller being read */
static bl_index local_signal(const bl_reader *r, const char *name) {
    char full[256];
    int n = r->local ? snprintf(full, sizeof full, "%s.%s", r->local, name) : -1;
    return n > 0 && (size_t)n < sizeof full ? bl_names_find(&r->signals, full) : -1;
}

static bl_status scope_name(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest) {
    scope *s = user;
    bl_reader *r = s->r;
    for (const bl_binding *b = r->binding; b; b = b->outer)
        if (strcmp(b->name, name) == 0) {
            *node = bl_tape_const(tape, b->value);
            return BL_OK;
        }
    bl_index which = local_signal(r, name);
    if (which >= 0 && s->law && (s->use & BL_USE_STATE))
        return input_node(s, tape, (bl_symbol){BL_SYM_SIGNAL, which, 0}, node);
    which = bl_names_find(&r->parameters, name);
    if (which >= 0) {
        if (r->parameter_state[which] != 2) {
            r->parameter_missing = which; /* the caller retries when it is known */
            return BL_RESTART;
        }
        if (s->law)
            return input_node(s, tape, (bl_symbol){BL_SYM_PARAMETER, which, 0}, node);
        r->model->parameter[which].use |= BL_PARAMETER_IN_NUMBERS | r->parameter_use;
        *node = bl_tape_const(tape, r->model->parameter[which].value);
        return BL_OK;
    }
    bl_status found = r->equations && strcmp(name, "t") != 0 ? equations_node(s, tape, name, -1, place, node) : BL_AGAIN;
    if (found != BL_AGAIN)
        return found;
    bl_symbol symbol = {0};
    unsigned needs = 0;
    bool rate;
    if (strncmp(name, "reaction.", 9) == 0) {
        if (!s->law || !(s->use & BL_USE_REACTION))
            return no_reactions(s, name, place);
        BL_TRY(bl_reaction_symbol(r, name, place, &symbol));
        return input_node(s, tape, symbol, node);
    }
    if ((which = bl_names_find(&r->signals, name)) >= 0) {
        symbol = (bl_symbol){BL_SYM_SIGNAL, which, 0};
        needs = BL_USE_STATE | BL_USE_SIGNAL;
    } else if (strcmp(name, "t") == 0) {
        symbol.what = BL_SYM_TIME;
        needs = BL_USE_TIME;
    } else if ((s->use & BL_USE_POSITION) && name[0] >= 'x' && name[0] < 'x' + r->model->dim && !name[1]) {
        symbol = (bl_symbol){BL_SYM_POSITION, 0, name[0] - 'x'};
        needs = BL_USE_POSITION;
    } else if ((s->use & BL_USE_FIELD) && strcmp(name, "u") == 0) {
        symbol.what = BL_SYM_FIELD;
        needs = BL_USE_FIELD;
    } else if (strcmp(name, "x") == 0 || strcmp(name, "xd") == 0) {
        symbol.what = name[1] ? BL_SYM_XD : BL_SYM_X;
        needs = BL_USE_OWN;
    } else if ((symbol.ref = bl_symbols_variable(r, name, &rate)) >= 0) {
        symbol.what = rate ? BL_SYM_RATE : BL_SYM_VARIABLE;
        needs = BL_USE_STATE;
    } else if (probe_symbol(r, name, &symbol)) {
        needs = BL_USE_STATE;
    }
    if (needs && s->law && (s->use & needs))
        return input_node(s, tape, symbol, node);
    if (needs && !(needs == BL_USE_OWN && s->table))
        return not_here(s, name, place);
    *nearest = nearest_name(s, name);
    return BL_AGAIN;
}

static bl_status scope_table(void *user, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y) {
    scope *s = user;
    return bl_source_table(s->r, file, place, n, x, y);
}

static bl_status scope_memory(void *user, bl_tape *tape, const char *function, const bl_index *argument, const bl_place *place,
                              bl_index *node) {
    scope *s = user;
    bl_index signal;
    BL_TRY(bl_tape_status(tape));
    if (!s->law || !(s->use & BL_USE_STATE))
        return not_here(s, function, place);
    for (bl_index k = 0; k < s->ninput; k++)
        if (s->input[k].what == BL_SYM_X || s->input[k].what == BL_SYM_XD) {
            bl_fail(s->r->ctx, BL_E_MODEL, place, "%s cannot be used together with x and xd", function);
            bl_advise(s->r->ctx, "use the variable or a probe instead of the force's own length or angle");
            return BL_E_MODEL;
        }
    if (strcmp(function, "delay") == 0)
        BL_TRY(bl_signals_delay(s->r, tape, argument, s->ninput, s->input, place, &signal));
    else
        BL_TRY(bl_signals_hysteresis(s->r, tape, argument, s->ninput, s->input, place, &signal));
    return input_node(s, tape, (bl_symbol){BL_SYM_SIGNAL, signal, 0}, node);
}

/* where the expression in a node's text starts; columns are counted only if the text is as in the file */
static bl_place start_of(const bl_item *node, const char *text, size_t skip, bool *exact) {
    bl_place place = node->place;
    *exact = node->exact && text == node->text;
    if (*exact)
        place.column += (int)skip + !node->plain;
    return place;
}

/* an error inside a text that is not as in the file points at its beginning */
static bl_status point_at(bl_reader *r, bl_status status, const bl_item *node, bool exact) {
    const bl_error *error = bl_context_error(r->ctx);
    if (exact || status != BL_E_MODEL || strcmp(error->file, node->place.file) != 0)
        return status;
    bl_error copy = *error;
    bl_fail(r->ctx, status, &node->place, "%s", copy.what);
    if (copy.advice[0])
        bl_advise(r->ctx, "%s", copy.advice);
    return status;
}

/* records text as the one output of a finished tape, which the caller destroys also after failure */
static bl_status record(scope *s, const char *text, size_t length, const bl_place *place, bl_tape **tape) {
    bl_expr_scope names = {.user = s, .name = scope_name, .table = scope_table, .memory = scope_memory};
    if (s->r->equations && s->law) {
        names.element = scope_element;
        names.what = scope_what;
    }
    bl_index node = -1;
    if (length > BL_LAW_LENGTH)
        return bl_fail(s->r->ctx, BL_E_MODEL, place, "the expression is longer than %d characters", BL_LAW_LENGTH);
    s->r->law_work += length;
    if (s->r->law_work > (size_t)bl_reader_most(s->r, BL_LAW_WORK))
        return bl_fail(s->r->ctx, BL_E_MODEL, place, "together the expressions of the model are longer than %d characters",
                       (int)bl_reader_most(s->r, BL_LAW_WORK));
    BL_TRY(bl_tape_create(s->r->ctx, tape));
    BL_TRY(bl_expr_parse(s->r->ctx, text, length, place, &names, *tape, &node));
    BL_TRY(bl_tape_output(*tape, node));
    return bl_tape_finish(*tape);
}

bl_status bl_laws_parse(bl_reader *r, const bl_item *node, const char *what, const bl_expr_scope *names, bl_tape *tape, bl_index *out) {
    const char *text = "";
    double value;
    *out = -1;
    if (node->kind == BL_ITEM_TEXT && !bl_item_null(node))
        BL_TRY(bl_repeat_text(r, node, &text));
    if (text[0] != '=') {
        BL_TRY(bl_item_number(r, node, what, &value));
        *out = bl_tape_const(tape, value);
        return bl_tape_status(tape);
    }
    size_t length = strlen(text + 1);
    bool exact;
    bl_place place = start_of(node, text, 1, &exact);
    if (length > BL_LAW_LENGTH)
        return bl_fail(r->ctx, BL_E_MODEL, &place, "the expression is longer than %d characters", BL_LAW_LENGTH);
    r->law_work += length;
    if (r->law_work > (size_t)bl_reader_most(r, BL_LAW_WORK))
        return bl_fail(r->ctx, BL_E_MODEL, &place, "together the expressions of the model are longer than %d characters",
                       (int)bl_reader_most(r, BL_LAW_WORK));
    return point_at(r, bl_expr_parse(r->ctx, text + 1, length, &place, names, tape, out), node, exact);
}

static bl_status not_finite(bl_reader *r, const bl_place *place, const char *text, size_t length) {
    return bl_fail(r->ctx, BL_E_MODEL, place, "the value of '%.*s' is not a finite number", (int)(length < 120 ? length : 120), text);
}

bl_status bl_laws_evaluate(bl_reader *r, const char *text, size_t length, const bl_place *place, double *value) {
    scope s = {.r = r};
    bl_tape *tape = NULL;
    bl_status status = record(&s, text, length, place, &tape);
    if (status == BL_OK && (!bl_tape_constant(tape, 0, value) || !isfinite(*value)))
        status = not_finite(r, place, text, length);
    bl_tape_destroy(tape);
    return status;
}

bl_status bl_laws_constant(bl_reader *r, const bl_item *node, const char *text, double *value) {
    bool exact;
    bl_place place = start_of(node, text, 1, &exact);
    return point_at(r, bl_laws_evaluate(r, text + 1, strlen(text + 1), &place, value), node, exact);
}

static bool only_parameters(const scope *s) {
    for (bl_index k = 0; k < s->ninput; k++)
        if (s->input[k].what != BL_SYM_PARAMETER)
            return false;
    return true;
}

/* value of a law that depends on parameters only, else NAN */
static bl_status parameter_value(bl_reader *r, const scope *s, const bl_tape *tape, double *value) {
    *value = NAN;
    if (!only_parameters(s))
        return BL_OK;
    double *in;
    BL_TRY(BL_NEW(r->ctx, in, (size_t)s->ninput + bl_tape_work(tape)));
    for (bl_index k = 0; k < s->ninput; k++)
        in[k] = r->model->parameter[s->input[k].ref].value;
    bl_tape_eval(tape, in, value, in + s->ninput);
    bl_free(r->ctx, in);
    return BL_OK;
}

bl_status bl_laws_keep(bl_reader *r, bl_index ninput, const bl_symbol *input, const char *text, const bl_place *place, bl_tape *tape,
                       bl_index *which) {
    bl_model *model = r->model;
    r->law_text += strlen(text);
    if (r->law_text > BL_LAW_TEXT)
        return bl_fail(r->ctx, BL_E_MODEL, place, "together the expressions of the model are longer than %d characters", BL_LAW_TEXT);
    BL_TRY(BL_RESERVE(r->ctx, model->law, r->law_capacity, model->nlaw + 1));
    bl_law law = {.ninput = ninput, .place = *place, .tape = tape};
    law.text = bl_arena_text(&model->arena, text, strlen(text));
    law.input = bl_arena_alloc(&model->arena, (size_t)ninput, sizeof *law.input);
    if (!law.text || !law.input)
        return BL_E_MEMORY;
    if (ninput)
        memcpy(law.input, input, (size_t)ninput * sizeof *law.input);
    *which = model->nlaw++;
    model->law[*which] = law;
    return BL_OK;
}

bl_status bl_laws_read(bl_reader *r, const bl_item *node, const char *what, unsigned use, bl_index *law, double *value) {
    const char *text = "";
    *law = -1;
    bool is_text = node->kind == BL_ITEM_TEXT && !bl_item_null(node);
    if (is_text)
        BL_TRY(bl_repeat_text(r, node, &text));
    bool marked = text[0] == '=', number = is_text && node->plain && bl_text_number(text, value);
    if (!is_text || (number && !(use & BL_USE_ALWAYS)) || (!marked && !number && !(use & BL_USE_BARE)))
        return bl_item_number(r, node, what, value);
    bool exact;
    bl_place place = start_of(node, text, marked, &exact);
    scope s = {.r = r, .law = true, .use = use, .table = strstr(text, "table") != NULL};
    bl_tape *tape = NULL;
    bl_status status = record(&s, text + marked, strlen(text + marked), &place, &tape);
    bool constant = status == BL_OK && bl_tape_constant(tape, 0, value);
    if (status == BL_OK && !constant)
        status = parameter_value(r, &s, tape, value);
    if (status == BL_OK && !isfinite(*value) && only_parameters(&s))
        status = not_finite(r, &place, text, strlen(text));
    if (status == BL_OK && (!constant || (use & BL_USE_ALWAYS))) {
        status = bl_laws_keep(r, s.ninput, s.input, text + marked, &place, tape, law);
        if (status == BL_OK)
            tape = NULL; /* now owned by the model */
    }
    bl_tape_destroy(tape);
    bl_free(r->ctx, s.input);
    return point_at(r, status, node, exact);
}
