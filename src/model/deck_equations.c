/* *EQUATION: linear equations between components of nodes, in force until *EQUATION, REMOVE. Their nodes are in the mesh even if no element
 * uses them. */
#include "model/deck_reader.h"

#include <string.h>

enum { MOST_TERMS = 100000 }; /* of one equation */

/* terms of one equation, on one or several lines */
static bl_status read_terms(bl_deck_reader *d, bl_deck_line *line, bl_index n, bl_tie_term *term) {
    int k = line->n;
    for (bl_index i = 0; i < n; i++) {
        bl_index one, count, part;
        const bl_index *items;
        while (k >= line->n) {
            BL_TRY(bl_line_need(line, "node, component and coefficient of a term"));
            k = 0;
        }
        BL_TRY(bl_deck_items(line, k, false, &one, &items, &count));
        bl_place place = bl_line_place(line, k);
        if (count != 1)
            return bl_fail(d->ctx, BL_E_MODEL, &place, "*EQUATION: a term must have one node, found the set %.80s of %d nodes",
                           line->field[k], (int)count);
        BL_TRY(bl_deck_component(d, line, k + 1, &part));
        BL_TRY(bl_line_number(line, k + 2, "the coefficient", &term[i].by));
        term[i].node = items[0];
        term[i].part = (int)part;
        k += 3;
    }
    return bl_line_most(line, k);
}

static bl_status read_equations(bl_deck_reader *d, const bl_card *card) {
    bl_deck_line line;
    bool more;
    bl_line_begin(&line, d, card);
    for (;;) {
        bl_index n;
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            return BL_OK;
        BL_TRY(bl_line_most(&line, 1));
        BL_TRY(bl_line_int(&line, 0, "the number of terms", 2, MOST_TERMS, &n));
        bl_place place = line.place;
        size_t left = 0; /* every term takes at least six bytes, so the announced number cannot cause a huge allocation */
        for (bl_index c = line.chunk; c < card->nchunk; c++)
            left += card->chunk[c].bytes;
        if ((size_t)n > left / 5)
            return bl_fail(d->ctx, BL_E_MODEL, &place, "*EQUATION: %d terms are announced, but the data lines contain fewer", (int)n);
        bl_tie_term *term;
        BL_TRY(BL_ARENA_NEW(d->keep, term, n));
        BL_TRY(read_terms(d, &line, n, term));
        BL_TRY(BL_RESERVE(d->ctx, d->tie, d->tie_room, d->ntie + 1));
        d->tie[d->ntie++] = (bl_deck_tie){.tie = {.place = place, .nterm = n, .term = term}, .on = true};
    }
}

bl_status bl_deck_read_equations(bl_deck_reader *d) {
    for (bl_index k = 0; k < d->ncard; k++)
        if (d->card[k].word->key == BL_KEY_EQUATION && !bl_card_value(&d->card[k], "REMOVE") && !bl_card_value(&d->card[k], "REMOVEALL"))
            BL_TRY(read_equations(d, &d->card[k]));
    return BL_OK;
}

void bl_deck_number_equations(bl_deck_reader *d) {
    for (bl_index t = 0; t < d->ntie; t++)
        for (bl_index k = 0; k < d->tie[t].tie.nterm; k++) {
            bl_tie_term *term = (bl_tie_term *)d->tie[t].tie.term;
            term[k].node = d->node[term[k].node].mesh;
        }
}

/* removes the equations whose first term is one of the components */
static bl_status remove_some(bl_deck_reader *d, const bl_deck_line *line) {
    bl_index one, count, first, last;
    const bl_index *items;
    BL_TRY(bl_line_most(line, 3));
    BL_TRY(bl_deck_items(line, 0, false, &one, &items, &count));
    BL_TRY(bl_deck_component(d, line, 1, &first));
    last = first;
    if (bl_line_has(line, 2))
        BL_TRY(bl_deck_component(d, line, 2, &last));
    for (bl_index t = 0; t < d->ntie; t++) {
        const bl_tie_term *term = d->tie[t].tie.term;
        for (bl_index i = 0; d->tie[t].on && i < count; i++)
            if (term->node == d->node[items[i]].mesh && term->part >= first && term->part <= last)
                d->tie[t].on = false;
    }
    return BL_OK;
}

bl_status bl_deck_remove_equations(bl_deck_reader *d, const bl_card *card) {
    bl_deck_line line;
    bool more;
    if (bl_card_value(card, "REMOVEALL")) {
        for (bl_index t = 0; t < d->ntie; t++)
            d->tie[t].on = false;
        return BL_OK;
    }
    if (!bl_card_value(card, "REMOVE"))
        return bl_fail(d->ctx, BL_E_MODEL, &card->place,
                       "*EQUATION must be before the first step; in a step it needs REMOVE or REMOVE ALL");
    bl_line_begin(&line, d, card);
    for (;;) {
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            return BL_OK;
        BL_TRY(remove_some(d, &line));
    }
}

bl_status bl_deck_make_ties(bl_deck_reader *d, bl_deck_step *step) {
    bl_tie *tie;
    BL_TRY(BL_ARENA_NEW(d->keep, tie, d->ntie));
    for (bl_index t = 0; t < d->ntie; t++)
        if (d->tie[t].on)
            tie[step->ntie++] = d->tie[t].tie;
    step->tie = tie;
    return BL_OK;
}
