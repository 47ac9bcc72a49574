/* Work and precision of initial value problems: error at the end against CPU time and evaluations, biela and SUNDIALS in one process.
 *
 *     bench_ivp [-p problem]... [-m text in the method's name]... [-r rounds] [-l longest run in seconds]
 *
 * Tolerances 1e-3 .. 1e-13, two per decade. Every (problem, method, tolerance) runs once in each round, so that a disturbance affects all
 * codes equally; the minimum time counts. CSV on standard output: problem, code, method, tolerance, error, ms, steps, evaluations,
 * Jacobians, factorizations. Then `best` rows: time at equal error, interpolated linearly between the logarithms of each curve. */
#include "curve.h"
#include "ivp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* a method that takes more than HOPELESS times as long as another of the same code at the same tolerance is not repeated */
enum { HOPELESS = 10, TOLERANCES = 21, METHODS = 64, WORDS = 16 };

double ivp_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct curve {
    const ivp_method *method;
    void *kept;
    curve_point point[TOLERANCES];
    ivp_outcome outcome[TOLERANCES];
    bool given_up; /* tighter tolerances would take too long */
} curve;

typedef struct options {
    const char *problem[WORDS], *method[WORDS];
    int nproblem, nmethod, rounds;
    double longest;
} options;

static bool wanted(const char *name, const char *const *word, int nword, bool exact) {
    for (int i = 0; i < nword; i++)
        if (exact ? strcmp(name, word[i]) == 0 : strstr(name, word[i]) != NULL)
            return true;
    return nword == 0;
}

static const double LONG = 0.05; /* s: longer runs are hardly disturbed, two of them are sufficient */

static double least_at(const curve *all, int n, int i, const char *code) {
    double least = INFINITY;
    for (int k = 0; k < n; k++)
        if (strcmp(all[k].method->code, code) == 0)
            least = fmin(least, all[k].point[i].seconds);
    return least;
}

static void measure(const ivp *p, const options *o) {
    static curve all[METHODS];
    int n = 0;
    const ivp_method *const lists[] = {
#ifdef BENCH_SUNDIALS
        ivp_sundials_methods,
#endif
        ivp_biela_methods};
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
        for (const ivp_method *m = lists[l]; m->code && n < METHODS; m++)
            if (wanted(m->name, o->method, o->nmethod, false) && m->suits(p, m)) {
                curve *c = &all[n++];
                memset(c, 0, sizeof *c);
                c->method = m;
                c->kept = m->open ? m->open(p, m) : NULL;
                for (int i = 0; i < TOLERANCES; i++)
                    c->point[i] = (curve_point){.tolerance = pow(10, -3 - 0.5 * i), .error = INFINITY, .seconds = INFINITY};
            }
    for (int round = 0; round < o->rounds; round++)
        for (int i = 0; i < TOLERANCES; i++)
            for (int k = 0; k < n; k++) {
                curve *c = &all[k];
                curve_point *at = &c->point[i];
                double best = least_at(all, n, i, c->method->code);
                if (round == 0 ? c->given_up
                               : !(at->seconds < INFINITY) || at->seconds > HOPELESS * best || (round > 1 && at->seconds > LONG))
                    continue;
                ivp_outcome out = {0};
                double begin = ivp_now();
                bool good = c->method->run(p, c->method, c->kept, at->tolerance, 4 * o->longest, &out);
                double seconds = ivp_now() - begin;
                if (seconds > o->longest)
                    c->given_up = true;
                if (!good)
                    continue;
                at->seconds = fmin(at->seconds, seconds);
                c->outcome[i] = out;
                at->error = ivp_error(p, out.y);
            }
    for (int k = 0; k < n; k++) {
        curve *c = &all[k];
        for (int i = 0; i < TOLERANCES; i++) {
            const curve_point *at = &c->point[i];
            const ivp_outcome *out = &c->outcome[i];
            if (at->seconds < INFINITY)
                printf("%s,%s,%s,%.1e,%.3e,%.4f,%ld,%ld,%ld,%ld\n", p->name, c->method->code, c->method->name, at->tolerance, at->error,
                       1e3 * at->seconds, out->steps, out->evaluations, out->jacobians, out->factors);
        }
    }
    for (int k = 0; k < n; k++)
        curve_smooth(all[k].point, TOLERANCES);
    for (int e = 4; e <= 8; e += 2)
        for (int k = 0; k < n; k++) {
            double tolerance = 0, seconds = curve_time_at(all[k].point, TOLERANCES, pow(10, -e), &tolerance);
            if (seconds < INFINITY)
                printf("%s,%s,%s,%.1e,%.0e,%.4f,best,,,\n", p->name, all[k].method->code, all[k].method->name, tolerance, pow(10, -e),
                       1e3 * seconds);
        }
    fflush(stdout);
    for (int k = 0; k < n; k++)
        if (all[k].method->close)
            all[k].method->close(all[k].kept);
}

int main(int argc, char **argv) {
    if (!getenv("OPENBLAS_NUM_THREADS")) { /* read when the library is loaded: restart with one thread for all codes */
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    options o = {.rounds = 5, .longest = 2};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "-p") == 0 && o.nproblem < WORDS)
            o.problem[o.nproblem++] = argv[i + 1];
        else if (strcmp(argv[i], "-m") == 0 && o.nmethod < WORDS)
            o.method[o.nmethod++] = argv[i + 1];
        else if (strcmp(argv[i], "-r") == 0)
            o.rounds = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "-l") == 0)
            o.longest = atof(argv[i + 1]);
        else {
            fprintf(stderr, "bench_ivp: unknown option %s (-p problem, -m method, -r rounds, -l seconds)\n", argv[i]);
            return 2;
        }
    }
    printf("problem,code,method,tolerance,error,ms,steps,evaluations,jacobians,factorizations\n");
    for (int i = 0; i < ivp_count; i++)
        if (wanted(ivp_all[i]->name, o.problem, o.nproblem, true))
            measure(ivp_all[i], &o);
    return 0;
}
