/* random_model: random mechanisms of any size as model texts: chains, trees, ladders of four-bars, trees with loops; plane and spatial. */
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

/* At most about `most_bodies` bodies: ladders need an odd number. Describes the mechanism in m and writes its text; returns the length, or
 * 0 if there is not enough room. The same seed and number give the same text. */
size_t random_model_write(uint64_t seed, int most_bodies, random_model *m, char *text, size_t room);

#endif
