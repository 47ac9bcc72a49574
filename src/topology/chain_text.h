/* chain_text: rows of integers from a text, each with its location, so that later checks can refer to it. Private to this room. */
#ifndef BL_TOPOLOGY_CHAIN_TEXT_H
#define BL_TOPOLOGY_CHAIN_TEXT_H

#include "base/base.h"

typedef struct bl_chain_number {
    int32_t value;
    uint32_t at; /* byte of the text */
} bl_chain_number;

typedef struct bl_chain_text {
    bl_context *ctx;
    const char *file, *text;
    uint32_t bytes, next; /* next: byte to be read next */
    bl_chain_number *number;
    uint32_t *begin; /* [nrow + 1] numbers of row k: number[begin[k]] .. number[begin[k+1]-1] */
    bl_index nnumber, nrow, number_room, begin_room;
    const char *key;       /* the rows of a JSON object are its "matrix" or its "pairs"; NULL: the text does not specify it */
    bl_chain_number links; /* "links" of a JSON object; value 0: not given */
} bl_chain_text;

/* Lines, or JSON if the text starts with a bracket. At most BL_SOURCE_BYTES. Rows have at least one number, and there is at least one
 * row. Free with bl_chain_text_free, also after failure. */
bl_status bl_chain_text_scan(bl_chain_text *t);
void bl_chain_text_free(bl_chain_text *t);
/* Records an error at a byte of the text. */
bl_status bl_chain_text_wrong(const bl_chain_text *t, uint32_t at, const char *format, ...) BL_PRINTF(3, 4);
/* Line that contains a byte, from 1. */
int bl_chain_text_line(const bl_chain_text *t, uint32_t at);

static inline bl_index bl_chain_row_length(const bl_chain_text *t, bl_index row) { return (bl_index)(t->begin[row + 1] - t->begin[row]); }
static inline const bl_chain_number *bl_chain_row(const bl_chain_text *t, bl_index row) { return t->number + t->begin[row]; }

#endif
