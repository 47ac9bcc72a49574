/* *STEP to *END STEP: the analysis with its times, loads and supports, print requests. */
#include "model/deck_reader.h"
#include "model/model_limits.h"

#include <math.h>
#include <string.h>

/* ---- analyses */

static bool is_analysis(bl_deck_key key) {
    return key == BL_KEY_STATIC || key == BL_KEY_FREQUENCY || key == BL_KEY_DYNAMIC || key == BL_KEY_HEAT;
}

/* first increment, duration of the step, smallest and largest increment */
static bl_status read_times(bl_deck_reader *d, const bl_card *card, bool needed, bl_deck_step *step) {
    bl_deck_line line;
    bool more;
    step->increment = step->time = 1;
    bl_line_begin(&line, d, card);
    BL_TRY(bl_line_next(&line, &more));
    if (!more && needed)
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*%s needs a data line: first increment, duration of the step", card->name);
    if (!more)
        return BL_OK;
    BL_TRY(bl_line_most(&line, 5));
    BL_TRY(bl_line_number_or(&line, 0, "the first increment", &step->increment));
    BL_TRY(bl_line_number_or(&line, 1, "the duration of the step", &step->time));
    BL_TRY(bl_line_number_or(&line, 2, "the smallest increment", &step->shortest));
    BL_TRY(bl_line_number_or(&line, 3, "the largest increment", &step->longest));
    if (line.n == 5)
        return bl_fail(d->ctx, BL_E_MODEL, &line.place, "*%s: a fifth entry of the line is not supported", card->name);
    if (!(step->time > 0) || !(step->increment > 0) || !(step->shortest >= 0) || !(step->longest >= 0))
        return bl_fail(d->ctx, BL_E_MODEL, &line.place, "*%s: increments and the duration of the step must be positive", card->name);
    if (step->increment > step->time)
        return bl_fail(d->ctx, BL_E_MODEL, &line.place, "*%s: the first increment %g is larger than the duration of the step, %g",
                       card->name, step->increment, step->time);
    if (step->time / step->increment > model_deck_increments)
        return bl_fail(d->ctx, BL_E_MODEL, &line.place, "*%s: a duration of %g has more than %g increments of %g", card->name, step->time,
                       model_deck_increments, step->increment);
    BL_TRY(bl_line_next(&line, &more));
    return more ? bl_fail(d->ctx, BL_E_MODEL, &line.place, "*%s can have only one data line", card->name) : BL_OK;
}

static bl_status read_frequency(bl_deck_reader *d, const bl_card *card, bl_deck_step *step) {
    static const char *const words[] = {"NO", "YES"};
    bl_deck_line line;
    int stored = 0;
    enum { MOST = 100000 };
    step->time = step->increment = 1;
    BL_TRY(bl_card_choice(d, card, "STORAGE", words, 2, &stored));
    bl_line_begin(&line, d, card);
    BL_TRY(bl_line_need(&line, "the number of frequencies"));
    BL_TRY(bl_line_most(&line, 3));
    BL_TRY(bl_line_int(&line, 0, "the number of frequencies", 1, MOST, &step->nmode));
    BL_TRY(bl_line_number_or(&line, 1, "the lowest frequency", &step->lowest));
    return bl_line_number_or(&line, 2, "the highest frequency", &step->highest);
}

static bl_status read_dynamic(bl_deck_reader *d, const bl_card *card, bl_deck_step *step) {
    const char *alpha = bl_card_value(card, "ALPHA");
    step->alpha = -0.05;
    if (alpha && (!bl_deck_number(alpha, &step->alpha) || !(step->alpha >= -1.0 / 3 && step->alpha <= 0)))
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*DYNAMIC: ALPHA must be from -1/3 to 0, found '%.40s'", alpha);
    return read_times(d, card, true, step);
}

static bl_status read_analysis(bl_deck_reader *d, const bl_card *card, bl_deck_step *step) {
    step->direct = bl_card_value(card, "DIRECT");
    switch (card->word->key) {
    case BL_KEY_STATIC:
        step->what = BL_DECK_STATIC;
        step->ramps = true;
        return read_times(d, card, false, step);
    case BL_KEY_FREQUENCY:
        step->what = BL_DECK_FREQUENCY;
        step->ramps = true; /* supports hold their values at the beginning of the step */
        return read_frequency(d, card, step);
    case BL_KEY_DYNAMIC: step->what = BL_DECK_DYNAMIC; return read_dynamic(d, card, step);
    default:
        step->what = BL_DECK_HEAT;
        step->steady = bl_card_value(card, "STEADYSTATE");
        step->ramps = step->steady;
        return read_times(d, card, !step->steady, step);
    }
}

/* ---- print requests */

typedef struct print_word {
    const char *word;
    bl_deck_quantity what;
    bool of_elements, heats;
} print_word;
static const print_word print_words[] = {
    {"U", BL_PRINT_U, false, false},      {"V", BL_PRINT_V, false, false},      {"RF", BL_PRINT_RF, false, false},
    {"NT", BL_PRINT_NT, false, true},     {"RFL", BL_PRINT_RFL, false, true},   {"S", BL_PRINT_S, true, false},
    {"E", BL_PRINT_E, true, false},       {"PEEQ", BL_PRINT_PEEQ, true, false}, {"ENER", BL_PRINT_ENER, true, false},
    {"ELSE", BL_PRINT_ELSE, true, false}, {"EVOL", BL_PRINT_EVOL, true, false}, {"HFL", BL_PRINT_HFL, true, true},
};

static bl_status add_print(bl_deck_reader *d, const bl_deck_line *line, int k, bl_deck_print *print) {
    bool of_elements = line->card->word->key == BL_KEY_EL_PRINT;
    bl_place place = bl_line_place(line, k);
    for (size_t i = 0; i < sizeof print_words / sizeof *print_words; i++)
        if (print_words[i].of_elements == of_elements && bl_deck_same(line->field[k], print_words[i].word)) {
            if (print_words[i].heats != d->heats && print_words[i].what != BL_PRINT_EVOL)
                return bl_fail(d->ctx, BL_E_MODEL, &place, "*%s: %s is not available in %s", line->card->name, print_words[i].word,
                               d->heats ? "a heat transfer analysis" : "a mechanical analysis");
            print->what = print_words[i].what;
            print->place = place;
            BL_TRY(BL_RESERVE(d->ctx, d->print, d->print_room, d->nprint + 1));
            d->print[d->nprint++] = *print;
            return BL_OK;
        }
    return bl_fail(d->ctx, BL_E_MODEL, &place, "*%s: the quantity %.40s is not supported", line->card->name, line->field[k]);
}

static bl_status read_print(bl_deck_reader *d, const bl_card *card) {
    static const char *const totals[] = {"NO", "YES", "ONLY"};
    bool of_elements = card->word->key == BL_KEY_EL_PRINT, more;
    const char *name, *every = bl_card_value(card, "FREQUENCY");
    bl_deck_print print = {.every = 1};
    bl_index set;
    int which = 0;
    double number = 1;
    bl_deck_line line;
    if (every && (!bl_deck_number(every, &number) || !(number >= 0 && number <= BL_DECK_MOST && number == floor(number))))
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*%s: FREQUENCY must be an integer, at least 0, found '%.40s'", card->name, every);
    if (number == 0) /* nothing is printed */
        return BL_OK;
    BL_TRY(bl_card_need(d, card, of_elements ? "ELSET" : "NSET", &name));
    BL_TRY(bl_deck_find_set(d, card, &card->place, name, of_elements, &set));
    BL_TRY(bl_card_choice(d, card, "TOTALS", totals, 3, &which));
    print.every = (bl_index)number;
    print.items = which != 2;
    print.totals = which > 0;
    print.set = bl_mesh_set_of(d->mesh, d->set[set].name, of_elements ? BL_SET_ELEMENTS : BL_SET_NODES);
    if (!(print.set_name = bl_arena_text(d->keep, d->set[set].name, strlen(d->set[set].name))))
        return BL_E_MEMORY;
    bl_line_begin(&line, d, card);
    for (;;) {
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            return BL_OK;
        for (int k = 0; k < line.n; k++)
            if (bl_line_has(&line, k))
                BL_TRY(add_print(d, &line, k, &print));
    }
}

/* ---- steps */

static const bl_strain_kind *strain_of(const bl_deck_reader *d, const bl_deck_step *step) {
    if (d->heats)
        return NULL;
    return !step->large && !step->perturbation  ? &bl_strain_linear
           : bl_deck_flows(d) == BL_DECK_MOVES  ? &bl_strain_polar
           : bl_deck_flows(d) == BL_DECK_WIDENS ? &bl_strain_left
                                                : &bl_strain_green;
}

static void begin_solid(const bl_deck_reader *d, const bl_deck_step *step, bl_solid *solid) {
    *solid = (bl_solid){.name = d->heats ? "temperature" : "body", .place = step->place, .mesh = *d->mesh, .thickness = 1};
    for (int k = 0; k < 3; k++)
        solid->convection[k].law = solid->start[k].law = solid->start_rate[k].law = -1;
    solid->absorption.law = solid->source.law = -1;
    solid->strain = strain_of(d, step);
    solid->plane = d->heats && d->plane != BL_PLANE_AXISYMMETRIC ? BL_PLANE_NONE : d->plane;
    solid->stressed = step->perturbation && !step->large;
    solid->order = !d->heats ? 2 : step->steady ? 0 : 1;
}

/* reuses the sections of the previous step if nothing differs */
static bl_status make_solid(bl_deck_reader *d, bl_deck_step *step, const bl_deck_step *before) {
    begin_solid(d, step, &step->solid);
    bool moves = step->what == BL_DECK_DYNAMIC;
    if (moves)
        BL_TRY(bl_deck_damp(d, &step->solid));
    if (before && before->solid.strain == step->solid.strain && before->solid.order == step->solid.order &&
        moves == (before->what == BL_DECK_DYNAMIC)) {
        step->solid.section = before->solid.section;
        step->solid.nsection = before->solid.nsection;
        return BL_OK;
    }
    return bl_deck_make_sections(d, moves, &step->solid);
}

static bl_status read_step_params(bl_deck_reader *d, const bl_card *card, const bl_deck_step *before, bl_deck_step *step, int *amplitude) {
    static const char *const words[] = {"RAMP", "STEP"};
    const char *large = bl_card_value(card, "NLGEOM"), *most = bl_card_value(card, "INC");
    double number = 100;
    *step = (bl_deck_step){.place = card->place, .large = before && before->large, .perturbation = bl_card_value(card, "PERTURBATION")};
    step->begins = before ? before->begins + (before->what == BL_DECK_FREQUENCY ? 0 : before->time) : 0;
    if (large && large[0] && !bl_deck_same(large, "YES") && !bl_deck_same(large, "NO"))
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*STEP: NLGEOM must be YES or NO, found '%.40s'", large);
    if (large)
        step->large = !bl_deck_same(large, "NO");
    if (most && (!bl_deck_number(most, &number) || !(number >= 1 && number <= BL_DECK_MOST && number == floor(number))))
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*STEP: INC must be an integer, at least 1, found '%.40s'", most);
    step->increments = (bl_index)number;
    return bl_card_choice(d, card, "AMPLITUDE", words, 2, amplitude);
}

static bl_status check_step(const bl_deck_reader *d, const bl_deck_step *step, const bl_deck_step *before) {
    if (step->perturbation && step->what != BL_DECK_FREQUENCY)
        return bl_fail(d->ctx, BL_E_MODEL, &step->place, "*STEP, PERTURBATION is only supported with *FREQUENCY");
    if (step->perturbation && (!before || before->what != BL_DECK_STATIC))
        return bl_fail(d->ctx, BL_E_MODEL, &step->place, "*STEP, PERTURBATION needs a static step before it");
    return BL_OK;
}

/* begins with *STEP at card *k; *k becomes that of *END STEP */
static bl_status read_step(bl_deck_reader *d, bl_index *k, const bl_deck_step *before, bl_deck_step *step) {
    const bl_card *analysis = NULL;
    int amplitude = -1;
    bool printed = false;
    BL_TRY(read_step_params(d, &d->card[*k], before, step, &amplitude));
    bl_index first = *k + 1, last = first;
    for (; d->card[last].word->key != BL_KEY_END_STEP; last++)
        if (is_analysis(d->card[last].word->key)) {
            if (analysis)
                return bl_fail(d->ctx, BL_E_MODEL, &d->card[last].place, "a step can have only one analysis: *%s follows *%s in line %d",
                               d->card[last].name, analysis->name, analysis->place.line);
            analysis = &d->card[last];
        }
    if (!analysis)
        return bl_fail(d->ctx, BL_E_MODEL, &step->place,
                       "the step has no analysis: it needs *STATIC, *FREQUENCY, *DYNAMIC or *HEAT TRANSFER");
    BL_TRY(read_analysis(d, analysis, step));
    BL_TRY(check_step(d, step, before));
    if (amplitude >= 0)
        step->ramps = amplitude == 0;
    d->in_step = true;
    for (bl_index i = first; i < last; i++)
        switch (d->card[i].word->key) {
        case BL_KEY_NODE_PRINT:
        case BL_KEY_EL_PRINT:
            d->nprint = printed ? d->nprint : 0; /* requests of the previous step continue until new ones are given */
            printed = true;
            BL_TRY(read_print(d, &d->card[i]));
            break;
        case BL_KEY_BOUNDARY:
        case BL_KEY_CLOAD:
        case BL_KEY_DLOAD:
        case BL_KEY_TEMPERATURE:
        case BL_KEY_FILM:
        case BL_KEY_DFLUX: BL_TRY(bl_deck_read_acting(d, &d->card[i])); break;
        case BL_KEY_EQUATION: BL_TRY(bl_deck_remove_equations(d, &d->card[i])); break;
        default: break;
        }
    *k = last;
    BL_TRY(BL_ARENA_NEW(d->keep, step->print, d->nprint));
    if (d->nprint)
        memcpy(step->print, d->print, (size_t)d->nprint * sizeof *step->print);
    step->nprint = d->nprint;
    BL_TRY(make_solid(d, step, before));
    BL_TRY(bl_deck_make_ties(d, step));
    BL_TRY(bl_deck_make_acting(d, step));
    bl_deck_end_acting(d, step);
    return BL_OK;
}

bl_status bl_deck_read_steps(bl_deck_reader *d, bl_deck *deck) {
    bl_index n = 0;
    for (bl_index k = 0; k < d->ncard; k++)
        n += d->card[k].word->key == BL_KEY_STEP;
    if (n == 0)
        return bl_fail(d->ctx, BL_E_MODEL, &(bl_place){d->r->model->file, 1, 1}, "the deck has no *STEP: there is nothing to run");
    BL_TRY(BL_ARENA_NEW(d->keep, deck->step, n));
    for (bl_index k = 0; k < d->ncard; k++) {
        const bl_card *card = &d->card[k];
        switch (card->word->key) {
        case BL_KEY_BOUNDARY: BL_TRY(bl_deck_read_acting(d, card)); break;
        case BL_KEY_INITIAL: BL_TRY(bl_deck_read_initial(d, card)); break;
        case BL_KEY_EQUATION:
            if (card->nparam)
                return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*EQUATION, %s can only be used in a step", card->param[0].name);
            break;
        case BL_KEY_STEP:
            BL_TRY(bl_go_on(d->ctx));
            BL_TRY(read_step(d, &k, deck->nstep ? &deck->step[deck->nstep - 1] : NULL, &deck->step[deck->nstep]));
            deck->nstep++;
            break;
        default: break;
        }
    }
    return BL_OK;
}
