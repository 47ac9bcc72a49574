/* Kinematics by groups: a four-bar; a chain of dyads in closed form, by Newton's method group after group, and by Newton's method for all
 * links together with a sparse solver (KLU); a chain of 10 000 links.
 *
 *     bench_kinematics [-r rounds] [-l links of the long chain]
 *
 * A crank rotates uniformly, 360 configurations per revolution; in each round every solver goes through all of them in order; the minimum
 * CPU time counts. Only the quantities named in a row are computed. difference: largest difference of positions from those in closed form,
 * relative to the size of the mechanism. CSV on standard output. */
#include "biela/biela.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CONFIGURATIONS = 360, SOLVERS = 3 };
static const char *const solvers[SOLVERS] = {"groups", "newton", "whole"};
static const char *const levels[] = {"position", "velocity", "acceleration"};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(bl_context *ctx, bl_status status, const char *what) {
    if (status == BL_OK)
        return;
    fprintf(stderr, "bench_kinematics: %s: %s\n", what, bl_context_error(ctx)->what);
    exit(1);
}

/* crank, then dyads each of a coupler from the last pin and a rocker on the frame */
static bl_model *chain_of(bl_context *ctx, int ndyad) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        exit(1);
    fprintf(out, "model: chain\ndimension: 2\nbodies:\n  - {name: crank, rod: {from: [0, 0], to: [0, 0.2]}, mass: 1}\n");
    for (int i = 0; i < ndyad; i++) {
        double x = i ? 0.5 * i : 0, y = i ? 0.45 : 0.2;
        fprintf(out, "  - {name: c%d, rod: {from: [%.1f, %.2f], to: [%.1f, 0.45]}, mass: 1}\n", i, x, y, 0.5 * (i + 1));
        fprintf(out, "  - {name: r%d, rod: {from: [%.1f, 0.45], to: [%.1f, 0]}, mass: 1}\n", i, 0.5 * (i + 1), 0.5 * (i + 1) + 0.1);
    }
    fprintf(out, "joints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n");
    for (int i = 0; i < ndyad; i++) {
        double x = i ? 0.5 * i : 0, y = i ? 0.45 : 0.2;
        char last[16] = "crank";
        if (i)
            snprintf(last, sizeof last, "r%d", i - 1);
        fprintf(out, "  - {name: B%d, type: revolute, bodies: [%s, c%d], at: [%.1f, %.2f]}\n", i, last, i, x, y);
        fprintf(out, "  - {name: C%d, type: revolute, bodies: [c%d, r%d], at: [%.1f, 0.45]}\n", i, i, i, 0.5 * (i + 1));
        fprintf(out, "  - {name: D%d, type: revolute, bodies: [ground, r%d], at: [%.1f, 0]}\n", i, i, 0.5 * (i + 1) + 0.1);
    }
    /* each dyad passes the swing of the crank on to the next one, so it must be small if there are many */
    fprintf(out, "drivers: [{variable: A.angle, value: \"%s\"}]\n", ndyad == 1 ? "=2*pi*t" : "=0.1*sin(2*pi*t)");
    fclose(out);
    bl_model *model = NULL;
    check(ctx, bl_model_read_text(ctx, "chain", text, length, NULL, 0, &model), "model");
    free(text);
    return model;
}

static double one_cycle(bl_context *ctx, bl_kinematics *k, bl_kinematics_order order) {
    double begin = now();
    for (int i = 1; i <= CONFIGURATIONS; i++)
        check(ctx, bl_kinematics_at(k, (double)i / CONFIGURATIONS, order), "moving");
    double spent = now() - begin;
    check(ctx, bl_kinematics_at(k, 0, order), "back");
    return spent / CONFIGURATIONS;
}

static double difference(bl_context *ctx, const bl_model *model, bl_kinematics *a, bl_kinematics *b) {
    double worst = 0, size = 0;
    for (int i = 1; i <= CONFIGURATIONS; i += 7) {
        check(ctx, bl_kinematics_at(a, (double)i / CONFIGURATIONS, BL_POSITIONS), "moving");
        check(ctx, bl_kinematics_at(b, (double)i / CONFIGURATIONS, BL_POSITIONS), "moving");
        for (bl_index n = 1; n < model->nbody; n++) {
            const bl_body_motion *x = bl_kinematics_body(a, n), *y = bl_kinematics_body(b, n);
            for (int c = 0; c < 3; c++) {
                worst = fmax(worst, fabs(x->position[c] - y->position[c]));
                size = fmax(size, fabs(x->position[c]));
            }
            for (int c = 0; c < 9; c++)
                worst = fmax(worst, fabs(x->rotation[c] - y->rotation[c]) * (size > 0 ? size : 1));
        }
    }
    check(ctx, bl_kinematics_at(a, 0, BL_POSITIONS), "back");
    check(ctx, bl_kinematics_at(b, 0, BL_POSITIONS), "back");
    return worst / size;
}

static void compare(bl_context *ctx, int ndyad, int rounds) {
    bl_model *model = chain_of(ctx, ndyad);
    bl_kinematics *k[SOLVERS];
    for (int w = 0; w < SOLVERS; w++)
        check(ctx, bl_kinematics_create(ctx, model, &(bl_kinematics_options){.solver = solvers[w]}, &k[w]), solvers[w]);
    for (int level = 0; level <= BL_ACCELERATIONS; level += 2) {
        double least[SOLVERS];
        for (int round = 0; round < rounds; round++)
            for (int w = 0; w < SOLVERS; w++)
                for (int again = 0; again < (w ? 1 : 20); again++) {
                    double spent = one_cycle(ctx, k[w], (bl_kinematics_order)level);
                    if ((round == 0 && again == 0) || spent < least[w])
                        least[w] = spent;
                }
        for (int w = 0; w < SOLVERS; w++)
            printf("%d dyads,%d,%s,%s,%.1f,%.2f,%.1e\n", ndyad, (int)model->nbody, levels[level], solvers[w], 1e9 * least[w],
                   least[w] / least[0], w ? difference(ctx, model, k[0], k[w]) : 0.0);
        fflush(stdout);
    }
    for (int w = 0; w < SOLVERS; w++)
        bl_kinematics_destroy(k[w]);
    bl_model_destroy(model);
}

static void long_chain(bl_context *ctx, int nlink, int rounds) {
    bl_model *model = chain_of(ctx, (nlink - 2) / 2);
    bl_chain chain = {0};
    bl_structure_report report = {0};
    double least = INFINITY;
    check(ctx, bl_chain_of_model(ctx, model, &chain), "chain");
    for (int round = 0; round < rounds; round++) {
        double begin = now();
        check(ctx, bl_structure(ctx, &chain, NULL, &report), "structure");
        least = fmin(least, now() - begin);
        bl_structure_report_destroy(ctx, &report);
    }
    printf("%d links,%d,structure,groups,%.1f,,\n", (int)model->nbody, (int)model->nbody, 1e9 * least);
    bl_kinematics *k = NULL;
    double begin = now();
    check(ctx, bl_kinematics_create(ctx, model, NULL, &k), "create");
    printf("%d links,%d,preparation,groups,%.1f,,\n", (int)model->nbody, (int)model->nbody, 1e9 * (now() - begin));
    for (int level = 0; level <= BL_ACCELERATIONS; level += 2) {
        least = INFINITY;
        for (int round = 0; round < rounds; round++)
            least = fmin(least, one_cycle(ctx, k, (bl_kinematics_order)level));
        printf("%d links,%d,%s,groups,%.1f,,\n", (int)model->nbody, (int)model->nbody, levels[level], 1e9 * least);
    }
    bl_kinematics_destroy(k);
    bl_chain_destroy(ctx, &chain);
    bl_model_destroy(model);
}

int main(int argc, char **argv) {
    int rounds = 5, links = 10000;
    for (int option; (option = getopt(argc, argv, "r:l:")) != -1;)
        if (option == 'r')
            rounds = atoi(optarg) > 0 ? atoi(optarg) : 1;
        else if (option == 'l')
            links = atoi(optarg) > 3 ? atoi(optarg) : 4;
        else
            return 2;
    bl_context *ctx = NULL;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    printf("mechanism,links,quantity,solver,ns,ratio,difference\n");
    compare(ctx, 1, rounds);
    compare(ctx, 100, rounds);
    long_chain(ctx, links, rounds);
    bl_context_destroy(ctx);
    return 0;
}
