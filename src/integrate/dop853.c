/* Dormand and Prince's method of order 8 with 12 stages, error estimators of orders 5 and 3 and dense output of order 7, which takes
 * three more evaluations in the steps that are looked into: DOP853 of Hairer, Norsett and Wanner (Solving Ordinary Differential
 * Equations I, 2nd edition 1993, sections II.5, II.6 and II.10; coefficients as in their program of that name). */
#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

enum { STAGES = 12, END = STAGES, ALL = 16, BENDS = 4 };

/* rows 0 to 11: the stages; row 12: the weights, whose rate is the first of the next step; rows 13 to 15: for dense output */
static const long double A[ALL][ALL - 1] = {
    {0},
    {[0] = 5.26001519587677318785587544488e-2L},
    {[0] = 1.97250569845378994544595329183e-2L, [1] = 5.91751709536136983633785987549e-2L},
    {[0] = 2.95875854768068491816892993775e-2L, [2] = 8.87627564304205475450678981324e-2L},
    {[0] = 2.41365134159266685502369798665e-1L, [2] = -8.84549479328286085344864962717e-1L, [3] = 9.24834003261792003115737966543e-1L},
    {[0] = 3.7037037037037037037037037037e-2L, [3] = 1.70828608729473871279604482173e-1L, [4] = 1.25467687566822425016691814123e-1L},
    {[0] = 3.7109375e-2L, [3] = 1.70252211019544039314978060272e-1L, [4] = 6.02165389804559606850219397283e-2L, [5] = -1.7578125e-2L},
    {[0] = 3.70920001185047927108779319836e-2L,
     [3] = 1.70383925712239993810214054705e-1L,
     [4] = 1.07262030446373284651809199168e-1L,
     [5] = -1.53194377486244017527936158236e-2L,
     [6] = 8.27378916381402288758473766002e-3L},
    {[0] = 6.24110958716075717114429577812e-1L,
     [3] = -3.36089262944694129406857109825L,
     [4] = -8.68219346841726006818189891453e-1L,
     [5] = 2.75920996994467083049415600797e1L,
     [6] = 2.01540675504778934086186788979e1L,
     [7] = -4.34898841810699588477366255144e1L},
    {[0] = 4.77662536438264365890433908527e-1L,
     [3] = -2.48811461997166764192642586468L,
     [4] = -5.90290826836842996371446475743e-1L,
     [5] = 2.12300514481811942347288949897e1L,
     [6] = 1.52792336328824235832596922938e1L,
     [7] = -3.32882109689848629194453265587e1L,
     [8] = -2.03312017085086261358222928593e-2L},
    {[0] = -9.3714243008598732571704021658e-1L,
     [3] = 5.18637242884406370830023853209L,
     [4] = 1.09143734899672957818500254654L,
     [5] = -8.14978701074692612513997267357L,
     [6] = -1.85200656599969598641566180701e1L,
     [7] = 2.27394870993505042818970056734e1L,
     [8] = 2.49360555267965238987089396762L,
     [9] = -3.0467644718982195003823669022L},
    {[0] = 2.27331014751653820792359768449L,
     [3] = -1.05344954667372501984066689879e1L,
     [4] = -2.00087205822486249909675718444L,
     [5] = -1.79589318631187989172765950534e1L,
     [6] = 2.79488845294199600508499808837e1L,
     [7] = -2.85899827713502369474065508674L,
     [8] = -8.87285693353062954433549289258L,
     [9] = 1.23605671757943030647266201528e1L,
     [10] = 6.43392746015763530355970484046e-1L},
    {[0] = 5.42937341165687622380535766363e-2L,
     [5] = 4.45031289275240888144113950566L,
     [6] = 1.89151789931450038304281599044L,
     [7] = -5.8012039600105847814672114227L,
     [8] = 3.1116436695781989440891606237e-1L,
     [9] = -1.52160949662516078556178806805e-1L,
     [10] = 2.01365400804030348374776537501e-1L,
     [11] = 4.47106157277725905176885569043e-2L},
    {[0] = 5.61675022830479523392909219681e-2L,
     [6] = 2.53500210216624811088794765333e-1L,
     [7] = -2.46239037470802489917441475441e-1L,
     [8] = -1.24191423263816360469010140626e-1L,
     [9] = 1.5329179827876569731206322685e-1L,
     [10] = 8.20105229563468988491666602057e-3L,
     [11] = 7.56789766054569976138603589584e-3L,
     [12] = -8.298e-3L},
    {[0] = 3.18346481635021405060768473261e-2L,
     [5] = 2.83009096723667755288322961402e-2L,
     [6] = 5.35419883074385676223797384372e-2L,
     [7] = -5.49237485713909884646569340306e-2L,
     [10] = -1.08347328697249322858509316994e-4L,
     [11] = 3.82571090835658412954920192323e-4L,
     [12] = -3.40465008687404560802977114492e-4L,
     [13] = 1.41312443674632500278074618366e-1L},
    {[0] = -4.28896301583791923408573538692e-1L,
     [5] = -4.69762141536116384314449447206L,
     [6] = 7.68342119606259904184240953878L,
     [7] = 4.06898981839711007970213554331L,
     [8] = 3.56727187455281109270669543021e-1L,
     [12] = -1.39902416515901462129418009734e-3L,
     [13] = 2.9475147891527723389556272149L,
     [14] = -9.15095847217987001081870187138L},
};
/* order 8 less order 5; what the weights of order 3 are instead of row 12 */
static const long double E5[STAGES] = {
    [0] = 0.1312004499419488073250102996e-1L,  [5] = -0.1225156446376204440720569753e1L,  [6] = -0.4957589496572501915214079952L,
    [7] = 0.1664377182454986536961530415e1L,   [8] = -0.3503288487499736816886487290L,    [9] = 0.3341791187130174790297318841L,
    [10] = 0.8192320648511571246570742613e-1L, [11] = -0.2235530786388629525884427845e-1L};
static const long double B3[STAGES] = {
    [0] = 0.244094488188976377952755905512L, [8] = 0.733846688281611857341361741547L, [11] = 0.220588235294117647058823529412e-1L};
/* last four coefficients of the dense output */
static const long double D[BENDS][ALL] = {
    {[0] = -0.84289382761090128651353491142e1L,
     [5] = 0.56671495351937776962531783590L,
     [6] = -0.30689499459498916912797304727e1L,
     [7] = 0.23846676565120698287728149680e1L,
     [8] = 0.21170345824450282767155149946e1L,
     [9] = -0.87139158377797299206789907490L,
     [10] = 0.22404374302607882758541771650e1L,
     [11] = 0.63157877876946881815570249290L,
     [12] = -0.88990336451333310820698117400e-1L,
     [13] = 0.18148505520854727256656404962e2L,
     [14] = -0.91946323924783554000451984436e1L,
     [15] = -0.44360363875948939664310572000e1L},
    {[0] = 0.10427508642579134603413151009e2L,
     [5] = 0.24228349177525818288430175319e3L,
     [6] = 0.16520045171727028198505394887e3L,
     [7] = -0.37454675472269020279518312152e3L,
     [8] = -0.22113666853125306036270938578e2L,
     [9] = 0.77334326684722638389603898808e1L,
     [10] = -0.30674084731089398182061213626e2L,
     [11] = -0.93321305264302278729567221706e1L,
     [12] = 0.15697238121770843886131091075e2L,
     [13] = -0.31139403219565177677282850411e2L,
     [14] = -0.93529243588444783865713862664e1L,
     [15] = 0.35816841486394083752465898540e2L},
    {[0] = 0.19985053242002433820987653617e2L,
     [5] = -0.38703730874935176555105901742e3L,
     [6] = -0.18917813819516756882830838328e3L,
     [7] = 0.52780815920542364900561016686e3L,
     [8] = -0.11573902539959630126141871134e2L,
     [9] = 0.68812326946963000169666922661e1L,
     [10] = -0.10006050966910838403183860980e1L,
     [11] = 0.77771377980534432092869265740L,
     [12] = -0.27782057523535084065932004339e1L,
     [13] = -0.60196695231264120758267380846e2L,
     [14] = 0.84320405506677161018159903784e2L,
     [15] = 0.11992291136182789328035130030e2L},
    {[0] = -0.25693933462703749003312586129e2L,
     [5] = -0.15418974869023643374053993627e3L,
     [6] = -0.23152937917604549567536039109e3L,
     [7] = 0.35763911791061412378285349910e3L,
     [8] = 0.93405324183624310003907691704e2L,
     [9] = -0.37458323136451633156875139351e2L,
     [10] = 0.10409964950896230045147246184e3L,
     [11] = 0.29840293426660503123344363579e2L,
     [12] = -0.43533456590011143754432175058e2L,
     [13] = 0.96324553959188282948394950600e2L,
     [14] = -0.39177261675615439165231486172e2L,
     [15] = -0.14972683625798562581422125276e3L},
};

typedef struct dop853 {
    bl_index ny;
    double *block, *k[ALL], *stage, *y_old;
    double *bend[BENDS]; /* of the dense output over the last accepted step, when bent */
    bl_terms row[ALL], error5, error3, dense[BENDS];
    bl_terms apart; /* the last stage and the end, at one time */
    double c[ALL];
    double h; /* of the last attempt */
    bool bent;
    bool by_steps;     /* the dense output: an extra stage was refused */
    bool spoilt;       /* stages are no longer those of the step */
    bool end_is_start; /* k[END] of the accepted step is k[0] of the next */
    bool error_failed; /* this step was already rejected for its error */
} dop853;

static bl_status dop853_create(bl_integrator *integ) {
    dop853 *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    for (int s = 1; s < ALL; s++) {
        long double c = 0;
        for (int j = 0; j < s; j++)
            c += A[s][j];
        own->c[s] = (double)c;
        bl_terms_of(A[s], s, &own->row[s]);
    }
    long double E3[STAGES];
    for (int j = 0; j < STAGES; j++)
        E3[j] = A[END][j] - B3[j];
    bl_terms_of(E5, STAGES, &own->error5);
    bl_terms_of(E3, STAGES, &own->error3);
    for (int i = 0; i < BENDS; i++)
        bl_terms_of(D[i], ALL, &own->dense[i]);
    long double apart[STAGES];
    for (int j = 0; j < STAGES; j++)
        apart[j] = A[END][j] - A[STAGES - 1][j];
    bl_terms_of(apart, STAGES, &own->apart);
    return BL_OK;
}

static bl_status dop853_start(bl_integrator *integ) {
    dop853 *own = integ->own;
    bl_index ny = integ->ny;
    if (!own->block || own->ny != ny) {
        double *block = bl_resize(integ->ctx, own->block, (size_t)ny * (ALL + BENDS + 2), sizeof *block);
        if (!block)
            return BL_E_MEMORY;
        own->block = block;
        own->ny = ny;
        for (int s = 0; s < ALL; s++, block += ny)
            own->k[s] = block;
        for (int i = 0; i < BENDS; i++, block += ny)
            own->bend[i] = block;
        own->stage = block;
        own->y_old = block + ny;
    }
    own->end_is_start = false;
    own->error_failed = false;
    BL_TRY(integ->form->kind->rate(integ->form, integ->t, integ->y, own->k[0]));
    bl_step_begin(integ, own->k[0], 0.125);
    return BL_OK;
}

/* stages 1 to 11 of a step h from (t, y), k[0] known, and its result y_new; t_new = t + h */
static bl_status stages(const bl_integrator *integ, dop853 *own, double t, double h, double t_new, const double *y, double *y_new) {
    for (int s = 1; s < STAGES; s++) {
        bl_terms_sum(&own->row[s], integ->ny, own->k, y, h, own->stage);
        BL_TRY(bl_stage_rate(integ, s == STAGES - 1 ? t_new : t + own->c[s] * h, own->stage, own->k[s]));
    }
    bl_terms_sum(&own->row[END], integ->ny, own->k, y, h, y_new);
    return BL_OK;
}

static bl_status dop853_attempt(bl_integrator *integ, double h, double *error) {
    dop853 *own = integ->own;
    bl_formulation *form = integ->form;
    bl_index ny = integ->ny;
    double *const *k = own->k;
    if (own->end_is_start)
        memcpy(k[0], k[END], (size_t)ny * sizeof(double));
    own->end_is_start = false;
    own->h = h;
    integ->t_new = integ->t + h;
    BL_TRY(stages(integ, own, integ->t, h, integ->t_new, integ->y, integ->y_new));
    /* err = e5 e5 / sqrt(e5^2 + 0.01 e3^2) is O(h^8) and falls back to e5 where order 3 is no worse */
    bl_terms_sum(&own->error5, ny, k, NULL, h, own->stage);
    double e5 = bl_error_norm(integ, own->stage, integ->y_new);
    bl_terms_sum(&own->error3, ny, k, NULL, h, own->stage);
    double e3 = bl_error_norm(integ, own->stage, integ->y_new), both = sqrt(e5 * e5 + 0.01 * e3 * e3);
    *error = both == 0 ? 0 : h * e5 * (e5 / both) / integ->control.tolerance;
    if (!(*error <= 1))
        return BL_OK; /* the end of a step that is not taken need not be looked at */
    BL_TRY(form->kind->rate(form, integ->t_new, integ->y_new, k[END]));
    return bl_all_finite(ny, k[END]) ? BL_OK : BL_NOT_FINITE;
}

static bl_status dop853_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    return bl_step_control_pair(integ, accepted, error, failures, status, 0.125, &((dop853 *)integ->own)->error_failed, h);
}

static void dop853_accept(bl_integrator *integ) {
    dop853 *own = integ->own;
    size_t bytes = (size_t)integ->ny * sizeof(double);
    memcpy(own->y_old, integ->y, bytes);
    memcpy(integ->y, integ->y_new, bytes);
    integ->t = integ->t_new;
    own->end_is_start = true;
    own->bent = own->spoilt = false;
}

/* Instead of the extra stages: one step of order 8 to about the middle, and the polynomial of degree 5 through values and rates of
 * three places. With u = s^2 r^2 and the cubic p of both ends it is p + u (a + b s). */
static bl_status bend_by_middle(const bl_integrator *integ, dop853 *own) {
    static const double middle[] = {0.5, 0.45, 0.55, 0.4, 0.6};
    const double *k0 = own->k[0], *k1 = own->k[END], *y0 = own->y_old, *y1 = integ->y_new;
    double h = own->h, *value = own->bend[2], *rate = own->bend[3];
    bl_status status = BL_SINGULAR;
    for (int i = 0; i < 5 && status > 0; i++) {
        double s = middle[i], r = 1 - s, t = integ->t_old + s * h, u = s * s * r * r, du = 2 * s * r * (r - s);
        status = stages(integ, own, integ->t_old, s * h, t, y0, value);
        if (status == BL_OK)
            status = integ->form->kind->rate(integ->form, t, value, rate);
        for (bl_index j = 0; status == BL_OK && j < integ->ny; j++) {
            double change = y1[j] - y0[j], first = h * k0[j] - change, second = change - h * k1[j] - first;
            double off = value[j] - (y0[j] + s * (change + r * (first + s * second)));
            double slope = h * rate[j] - (change + (r - s) * first + s * (2 * r - s) * second);
            double b = (slope - du * off / u) / u, a = off / u - b * s;
            own->bend[0][j] = a / h;
            own->bend[1][j] = b / h;
        }
    }
    size_t bytes = (size_t)integ->ny * sizeof(double);
    for (int i = status == BL_OK ? 2 : 0; i < BENDS; i++)
        memset(own->bend[i], 0, bytes);
    return status < 0 ? status : BL_OK;
}

/* Three more stages. Where one is refused (a singular position inside the step), every look is a step of its own from the beginning; the
 * polynomial through the middle is there for those that are refused too, and when it is, values and rates of both ends must do. */
static bl_status bend(const bl_integrator *integ, dop853 *own) {
    bl_status status = BL_OK;
    own->by_steps = false;
    for (int s = END + 1; s < ALL && status == BL_OK; s++) {
        bl_terms_sum(&own->row[s], integ->ny, own->k, own->y_old, own->h, own->stage);
        status = integ->form->kind->rate(integ->form, integ->t_old + own->c[s] * own->h, own->stage, own->k[s]);
    }
    if (status > 0) {
        own->by_steps = own->spoilt = true;
        status = bend_by_middle(integ, own);
    } else {
        for (int i = 0; i < BENDS; i++)
            bl_terms_sum(&own->dense[i], integ->ny, own->k, NULL, own->h, own->bend[i]);
    }
    own->bent = status == BL_OK;
    return status;
}

static bl_status dop853_dense(const bl_integrator *integ, double t, double *y) {
    dop853 *own = integ->own;
    if (!own->bent)
        BL_TRY(bend(integ, own));
    if (own->by_steps && t > integ->t_old && t < integ->t_new) {
        bl_status status = stages(integ, own, integ->t_old, t - integ->t_old, t, own->y_old, y);
        if (status <= 0)
            return status;
    }
    const double *k0 = own->k[0], *k1 = own->k[END], *y0 = own->y_old, *y1 = integ->y_new;
    const double *b0 = own->bend[0], *b1 = own->bend[1], *b2 = own->bend[2], *b3 = own->bend[3];
    double h = own->h, s = (t - integ->t_old) / h, r = 1 - s;
    for (bl_index i = 0; i < integ->ny; i++) {
        double change = y1[i] - y0[i], first = h * k0[i] - change, second = change - h * k1[i] - first;
        double inner = h * (b0[i] + s * (b1[i] + r * (b2[i] + s * b3[i])));
        y[i] = y0[i] + s * (change + r * (first + s * (second + r * inner)));
    }
    return BL_OK;
}

static bl_status dop853_formula(bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)ctx;
    (void)value;
    bl_formula_runge_kutta(8, STAGES, A[0], ALL - 1, A[END], formula);
    return BL_OK;
}

/* Stable up to |h lambda| = 5.9 on the imaginary axis and 6.4 on the negative one; loose tolerances let seen modes come near that, too. */
static bool dop853_fast(const bl_integrator *integ, double *w, double *Jw, bool *known, double limit[2]) {
    const dop853 *own = integ->own;
    if (!own->end_is_start || own->spoilt)
        return false;
    bl_terms_sum(&own->apart, integ->ny, own->k, NULL, own->h, w);
    for (bl_index i = 0; i < integ->ny; i++)
        Jw[i] = own->k[END][i] - own->k[STAGES - 1][i];
    *known = true;
    limit[0] = fmax(4.5, 10 * pow(integ->control.tolerance, 0.125));
    limit[1] = fmax(5, limit[0]);
    return true;
}

/* medians of random mechanisms (bench/README.md): 10 at 1e-3, 13.3 at 1e-6, 33.5 at 1e-10 */
static double dop853_effort(double tolerance) { return 4 + 1.6 * pow(tolerance, -0.125); }

static void dop853_destroy(bl_integrator *integ) {
    dop853 *own = integ->own;
    if (!own)
        return;
    bl_free(integ->ctx, own->block);
    bl_free(integ->ctx, own);
    integ->own = NULL;
}

const bl_integrator_kind bl_integrator_dop853 = {
    .kind = {.name = "dop853",
             .help = "Dormand-Prince method of order 8, adaptive step, for small errors",
             .needs = BL_CAN_RATE,
             .gives = BL_ADAPTIVE | BL_DENSE},
    .order = 8,
    .dense_order = 7,
    .create = dop853_create,
    .start = dop853_start,
    .attempt = dop853_attempt,
    .next_step = dop853_next_step,
    .accept = dop853_accept,
    .dense = dop853_dense,
    .formula = dop853_formula,
    .fast = dop853_fast,
    .effort = dop853_effort,
    .own_ns = 5,
    .stages = STAGES,
    .held = {5.9, 6},
    .destroy = dop853_destroy,
};
