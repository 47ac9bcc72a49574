/* Tapes as text in C, for a compiler to run: an independent computation of what a tape computes. */
#ifndef SUPPORT_TAPE_PRINT_H
#define SUPPORT_TAPE_PRINT_H

#include "series/tape.h"

/* Prints as a C function body: `out[k] = ...` from `in[k]`. */
bl_status test_tape_print(const bl_tape *tape, bl_arena *arena, char **text);

#endif
