/* rooms: one table of all lists of kinds. */
#ifndef BL_API_ROOMS_H
#define BL_API_ROOMS_H

#include "base/kind.h"
#include "biela/biela.h"

enum { BL_FACTS_BYTES = sizeof((bl_choice *)0)->facts };

typedef struct bl_room {
    const char *name, *what; /* "integrators", one line on what they are */
    const char *option;      /* on the command line, or NULL */
    const char *key;         /* in the model file */
    size_t (*count)(void);
    const bl_kind *(*kind)(size_t i);
    void (*facts)(size_t i, char facts[BL_FACTS_BYTES]); /* NULL: none */
} bl_room;

extern const bl_room bl_rooms[];
extern const size_t bl_room_count;

/* What a parameter takes, in a few words ("number > 0", "global or body"). */
void bl_param_words(const bl_param *param, char *text, size_t size);
/* Its default value; empty if there is none, or if the help describes it. */
void bl_param_default(const bl_param *param, char *text, size_t size);

#endif
