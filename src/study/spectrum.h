/* spectrum, private: eigenvalues of y'' = S y + D y' with full matrices, in motions y scaled to mass one (docs/theory/modes.md, section
 * 7). */
#ifndef BL_STUDY_SPECTRUM_H
#define BL_STUDY_SPECTRUM_H

#include "system/system.h" /* bl_check_finite */

#include "dense/dense.h"

/* Whether a motion y[f] with very little stiffness has none. */
typedef bool bl_spectrum_free(void *user, const double *y);

typedef struct bl_spectrum {
    bl_index f, count;          /* of pairs the one with positive imaginary part */
    double *re, *im, *residual; /* [count] ascending in size; |A w - lambda w| of states in natural time, relative */
    double *y_re, *y_im;        /* [count][f] positions */
    bl_index nrigid, nzero;     /* rigid motions, on which nothing depends; all zero eigenvalues */
    double *rigid;              /* [nrigid][f] orthonormal */
    double unit;                /* 1/s: approximately the largest frequency or decay rate */
    void *block;
} bl_spectrum;

/* S, D by columns. is_free NULL: decided by size alone. */
bl_status bl_spectrum_find(bl_context *ctx, bl_index f, const double *S, const double *D, bl_spectrum_free *is_free, void *user,
                           bl_spectrum *out);
/* Of y' = flow y + lift u, u' = S y + D u for np positions y and nf speeds u, by columns: flow[np][np], lift[nf][np], S[np][nf], D[nf][nf].
 * rate: of the motion itself, relative to which they are known. f of the result is np. */
bl_status bl_spectrum_states(bl_context *ctx, bl_index np, bl_index nf, const double *flow, const double *lift, const double *S,
                             const double *D, double rate, bl_spectrum *out);
/* lambda^2 N y + lambda C y + K y = 0 with N = diag(1 ... 1, 0 ... 0), `with` ones: the other motions have no mass. Infinite eigenvalues
 * are left out. */
bl_status bl_spectrum_massless(bl_context *ctx, bl_index f, bl_index with, const double *K, const double *C, bl_spectrum *out);
void bl_spectrum_free_all(bl_context *ctx, bl_spectrum *s);

/* out[b][a] = A^T M X for columns A[a][n], X[b][n]; room[n] */
void bl_spectrum_project(size_t n, const double *M, size_t na, const double *A, size_t nb, const double *X, double *room, double *out);

#endif
