/* mech_series, private: the workspace of a power series of a mechanism in natural or mixed coordinates. */
#ifndef BL_MECH_SERIES_H
#define BL_MECH_SERIES_H

#include "base/lanes.h"
#include "coords/mech_series_isa.h"
#include "coords/mechanism.h"
#include "system/expansion.h"

/* A tape over series: of a product row with its gradient, of a driver. Series of inputs and outputs are contiguous in k. */
typedef struct bl_series_tape {
    const bl_tape *tape;
    bl_tape *made; /* if recorded for this purpose */
    double *in, *out, *work;
    bl_index *out_local; /* product rows: output 1 + i is the derivative by this local value; [nout - 1] */
    bl_index nout;
} bl_series_tape;

/* coef x[lane] */
struct bl_lane_term {
    bl_index lane;
    double coef;
};

/* to[entry] += coef sum[lane] */
struct bl_lane_sum {
    bl_index lane, entry;
    double coef;
};

/* Sums over lanes: a lane is one component of the product of two directions in a quadratic row. The first nsquare lanes multiply a
 * direction with itself, those from `mixed` on two directions. Coefficients of one order are contiguous, so that a Cauchy product runs
 * over all lanes at once. */
typedef struct bl_mech_series {
    int order, known; /* coefficients 0 .. known of the directions are computed */
    const bl_series_kernels *kernels;
    bl_index nsquare, mixed, nlane, room; /* mixed: nsquare, padded; room: nlane, padded */
    bl_index *a, *b, *row;                /* [nlane] rows of D, row of phi */
    double *coef;
    double *A, *B, *L; /* [order + 1][room] factors (B: of mixed ones), and coef lambda */
    double *sum;       /* [2 room] */
    /* sums into phi; into -Q, where the lanes of L A follow those of L B */
    bl_index nphi_sum, nQ_sum;
    struct bl_lane_sum *phi_sum, *Q_sum;
    bl_index nneeded, *needed; /* rows of D that are read; the first npair also as pairs */
    bl_index npair;
    struct bl_series_pair {
        bl_index row, entry[2];
        double coef[2];
    } * pair;      /* beyond order 0: D[row] = coef x[entry], two terms */
    double *x, *D; /* [nx], [ndir dim] of one order; x is up to date only if x_read */
    bool x_read;
    bl_series_tape *product, *driver;
    /* forces: what their tapes read and what they act on */
    bl_tape_recurrence **load; /* [nload + nsignal] */
    bl_index nread, nread_rate, nrate_term, npush, nread_held;
    struct bl_series_read {
        double *to;         /* series of an input */
        const double *from; /* in D or x */
    } * read;
    struct bl_series_rate {
        double *to;
        bl_index first, last; /* of rate_term */
    } * read_rate;
    struct bl_lane_term *rate_term;
    struct bl_series_held {
        double *to;
        bl_index held; /* a number that varies */
    } * read_held;
    struct bl_series_push {
        const double *out; /* series of an output */
        bl_index entry, work;
        bool no_potential; /* of a force without potential */
        double coef;
    } * push;
    /* nonconservative forces: entries they act on, the force and the rate there; coefficients of one order are contiguous */
    bl_index nwork, work_room, *work_entry, *work_of; /* work_of: [nfree] number among them, -1: none */
    double *work_force, *work_rate;
    double **elastic;           /* [nelastic] coefficients of the elements of elastic bodies (elastic_series.c) */
    double *force_no_potential; /* as work_force, for forces without potential; NULL: none */
} bl_mech_series;

enum { BL_SERIES_WIDTH = 4 }; /* lanes are padded to this */
static inline bl_index bl_series_padded(bl_index n) { return (n + BL_SERIES_WIDTH - 1) / BL_SERIES_WIDTH * BL_SERIES_WIDTH; }

bl_status bl_mech_series_create(const bl_system *sys, bl_expansion *ex);
void bl_mech_series_destroy(const bl_system *sys, bl_expansion *ex);
bl_status bl_mech_series_next(const bl_system *sys, bl_expansion *ex, int k, uint32_t want);
void bl_mech_not_analytic(const bl_system *sys, char *why, size_t nwhy, const char **advice);

/* ---- forces (mech_series_forces.c); for each order k: read the inputs, then add the forces */
bl_status bl_series_forces_create(const bl_mechanism *m, bl_mech_series *s);
void bl_series_forces_destroy(const bl_mechanism *m, bl_mech_series *s);
void bl_series_forces_begin(const bl_mechanism *m, bl_mech_series *s, double t, const double *piece, const double *u);
void bl_series_forces_take(bl_mech_series *s, int k, const double *v);
void bl_series_forces_hold(const bl_mechanism *m, bl_mech_series *s, int k, const double *u); /* u[nu] of order k */
void bl_series_forces_push(const bl_mechanism *m, bl_mech_series *s, int k, double *Q);
void bl_series_signals(const bl_mechanism *m, bl_mech_series *s, int k, double *signal);
void bl_series_forces_work(const bl_mechanism *m, bl_mech_series *s, int order, size_t nv, const double *v, double *work);

/* ---- elements of elastic bodies (elastic_series.c); keep[nelastic] */
bl_status bl_elastic_series_create(const bl_mechanism *m, int order, double ***keep);
void bl_elastic_series_destroy(const bl_mechanism *m, double **keep);
void bl_elastic_series_list(const bl_mechanism *m, bl_mech_series *s);        /* entries on which damping acts, into work_entry */
void bl_elastic_series_take(const bl_mechanism *m, bl_mech_series *s, int k); /* directions of order k */
/* then the forces of an order no larger; v: velocities of that order */
void bl_elastic_series_push(const bl_mechanism *m, bl_mech_series *s, int k, const double *v, double *Q);

/* ---- product rows (mech_series_product.c) */
bl_status bl_series_product_create(const bl_mechanism *m, const bl_product *p, bool second_form, int order, bl_series_tape *t);
/* Coefficient k of the row without its contribution of q_k. */
double bl_series_product_phi(const bl_mechanism *m, const bl_product *p, bl_series_tape *t, int order, int k);
void bl_series_product_take(const bl_mechanism *m, const bl_product *p, bl_series_tape *t, int order, int k, const double *D,
                            const double *x);
void bl_series_product_push(const bl_product *p, const bl_series_tape *t, int order, int k, bl_index np, const double *lambda, double *Q);
void bl_series_product_G(const bl_product *p, const bl_series_tape *t, int order, int k, double *G);

#endif
