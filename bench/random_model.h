/* random_model: mechanisms of any size as text: chains, trees, ladders of four-bars, trees with loops; plane and space. */
#ifndef BENCH_RANDOM_MODEL_H
#define BENCH_RANDOM_MODEL_H

#include <stddef.h>
#include <stdint.h>

typedef enum shape { CHAIN, TREE, LADDER, LOOPS, SHAPES } shape;

typedef struct random_model {
    uint64_t seed;
    shape shape;
    int dim, nbody, nclosing; /* joints beyond those of a tree */
    int nspring;
} random_model;

extern const char *const shape_name[SHAPES];

/* Bodies are about as many as wanted: ladders need an odd number. Writes what it made to m, the text to text; returns its length, or 0
 * when there is no room. Same seed and number, same text. */
size_t random_model_write(uint64_t seed, int most_bodies, random_model *m, char *text, size_t room);

#endif
