/* Quadrature on reference elements. Segments, quadrilaterals, hexahedra: Gauss-Legendre and its products, degree 2 n - 1 per direction.
 * Triangles, degree 1, 2, 4, 5, 6: Strang and Fix (1973), Cowper (1973), Radon (1948), as tabulated by Dunavant (1985). Tetrahedra, degree
 * 1, 2, 5: Hammer and Stroud (1956), Stroud (1971, T3:5-1). All weights are positive, all points inside. The digits come from the moment
 * equations, solved with 50 digits. */
#include "mesh/element.h"

/* ---- Gauss-Legendre: RULE_n(F, ...) is F(x, w, ...) for each of its n points. Three equal sets, since no macro expands within itself. */

#define P2 0.577350269189625764509148780501957456L
#define P3 0.774596669241483377035853079956479922L
#define P4 0.861136311594052575223946488892809505L
#define Q4 0.339981043584856264802665759103244687L
#define P5 0.906179845938663992797626878299392965L
#define Q5 0.538469310105683091036314420700208805L
#define W3 0.555555555555555555555555555555555556L
#define V3 0.888888888888888888888888888888888889L
#define W4 0.347854845137453857373063949221999407L
#define V4 0.652145154862546142626936050778000593L
#define W5 0.236926885056189087514264040719917363L
#define V5 0.478628670499366468041291514835638193L
#define U5 0.568888888888888888888888888888888889L

#define XI_1(F, ...) F(0, 2, __VA_ARGS__)
#define XI_2(F, ...) F(-P2, 1, __VA_ARGS__) F(P2, 1, __VA_ARGS__)
#define XI_3(F, ...) F(-P3, W3, __VA_ARGS__) F(0, V3, __VA_ARGS__) F(P3, W3, __VA_ARGS__)
#define XI_4(F, ...) F(-P4, W4, __VA_ARGS__) F(-Q4, V4, __VA_ARGS__) F(Q4, V4, __VA_ARGS__) F(P4, W4, __VA_ARGS__)
#define XI_5(F, ...) F(-P5, W5, __VA_ARGS__) F(-Q5, V5, __VA_ARGS__) F(0, U5, __VA_ARGS__) F(Q5, V5, __VA_ARGS__) F(P5, W5, __VA_ARGS__)

#define ETA_1(F, ...) F(0, 2, __VA_ARGS__)
#define ETA_2(F, ...) F(-P2, 1, __VA_ARGS__) F(P2, 1, __VA_ARGS__)
#define ETA_3(F, ...) F(-P3, W3, __VA_ARGS__) F(0, V3, __VA_ARGS__) F(P3, W3, __VA_ARGS__)
#define ETA_4(F, ...) F(-P4, W4, __VA_ARGS__) F(-Q4, V4, __VA_ARGS__) F(Q4, V4, __VA_ARGS__) F(P4, W4, __VA_ARGS__)
#define ETA_5(F, ...) F(-P5, W5, __VA_ARGS__) F(-Q5, V5, __VA_ARGS__) F(0, U5, __VA_ARGS__) F(Q5, V5, __VA_ARGS__) F(P5, W5, __VA_ARGS__)

#define ZETA_1(F, ...) F(0, 2, __VA_ARGS__)
#define ZETA_2(F, ...) F(-P2, 1, __VA_ARGS__) F(P2, 1, __VA_ARGS__)
#define ZETA_3(F, ...) F(-P3, W3, __VA_ARGS__) F(0, V3, __VA_ARGS__) F(P3, W3, __VA_ARGS__)
#define ZETA_4(F, ...) F(-P4, W4, __VA_ARGS__) F(-Q4, V4, __VA_ARGS__) F(Q4, V4, __VA_ARGS__) F(P4, W4, __VA_ARGS__)
#define ZETA_5(F, ...) F(-P5, W5, __VA_ARGS__) F(-Q5, V5, __VA_ARGS__) F(0, U5, __VA_ARGS__) F(Q5, V5, __VA_ARGS__) F(P5, W5, __VA_ARGS__)

/* ---- triangles: F(x, y, w, ...) for each point, one orbit of barycentric coordinates (a, a, b) or (a, b, c) after the other */

#define ORBIT3(F, a, b, w, ...) F(a, a, w, __VA_ARGS__) F(b, a, w, __VA_ARGS__) F(a, b, w, __VA_ARGS__)
#define ORBIT6(F, a, b, c, w, ...) \
    F(a, b, w, __VA_ARGS__)        \
    F(b, c, w, __VA_ARGS__)        \
    F(c, a, w, __VA_ARGS__)        \
    F(b, a, w, __VA_ARGS__)        \
    F(c, b, w, __VA_ARGS__)        \
    F(a, c, w, __VA_ARGS__)

#define TRIANGLE_1(F, ...) F(1 / 3.0L, 1 / 3.0L, 0.5L, __VA_ARGS__)
#define TRIANGLE_3(F, ...) ORBIT3(F, 1 / 6.0L, 2 / 3.0L, 1 / 6.0L, __VA_ARGS__)
#define TRIANGLE_6(F, ...)                                                                                                                 \
    ORBIT3(F, 0.445948490915964886318329253883051988L, 0.108103018168070227363341492233896023L, 0.111690794839005732847503504216561402L,   \
           __VA_ARGS__)                                                                                                                    \
    ORBIT3(F, 0.0915762135097707434595714634022015079L, 0.816847572980458513080857073195596984L, 0.0549758718276609338191631624501052645L, \
           __VA_ARGS__)
#define TRIANGLE_7(F, ...)                                                                                                                 \
    F(1 / 3.0L, 1 / 3.0L, 9 / 80.0L, __VA_ARGS__)                                                                                          \
    ORBIT3(F, 0.470142064105115089770441209513447601L, 0.0597158717897698204591175809731047990L, 0.0661970763942530903688246939165759998L, \
           __VA_ARGS__)                                                                                                                    \
    ORBIT3(F, 0.101286507323456338800987361915123828L, 0.797426985353087322398025276169752344L, 0.0629695902724135762978419727500906668L,  \
           __VA_ARGS__)
#define TRIANGLE_12(F, ...)                                                                                                                \
    ORBIT3(F, 0.249286745170910421291638553107019076L, 0.501426509658179157416722893785961848L, 0.0583931378631896830126448056927897207L,  \
           __VA_ARGS__)                                                                                                                    \
    ORBIT3(F, 0.0630890144915022283403316028708191573L, 0.873821971016995543319336794258361685L, 0.0254224531851034084604684045534344920L, \
           __VA_ARGS__)                                                                                                                    \
    ORBIT6(F, 0.0531450498448169473532496716313981470L, 0.310352451033784405416607733956552153L, 0.636502499121398647230142594412049700L,  \
           0.0414255378091867875967767282102212270L, __VA_ARGS__)

/* ---- tetrahedra: orbits of (a, a, a, b) and (a, a, b, b) */

#define ORBIT4(F, a, b, w) F(a, a, a, w) F(b, a, a, w) F(a, b, a, w) F(a, a, b, w)
#define ORBIT22(F, a, b, w) F(b, a, a, w) F(a, b, a, w) F(a, a, b, w) F(a, b, b, w) F(b, a, b, w) F(b, b, a, w)

#define TETRA_1(F) F(0.25L, 0.25L, 0.25L, 1 / 6.0L)
#define TETRA_4(F) ORBIT4(F, 0.138196601125010515179541316563436188L, 0.585410196624968454461376050309691435L, 1 / 24.0L)
#define TETRA_15(F)                                                                                                                        \
    F(0.25L, 0.25L, 0.25L, 8 / 405.0L)                                                                                                     \
    ORBIT4(F, 0.319793627829629908387625452934776459L, 0.0406191165111102748371236411956706226L, 0.0115113678710453975467702393492197813L) \
    ORBIT4(F, 0.0919710780527230327888451353005176585L, 0.724086765841830901633464594098447024L, 0.0119895139631697700017306424849953862L) \
    ORBIT22(F, 0.0563508326896291557410367300108800195L, 0.443649167310370844258963269989119981L, 5 / 567.0L)

/* ---- tables: all rules of a shape one after the other, the number of points in the first direction changing slowest; within a rule the
 * first coordinate changes fastest (for wedges: the point in the triangle) */

#define EACH_N0(F, ...) F(1, __VA_ARGS__) F(2, __VA_ARGS__) F(3, __VA_ARGS__) F(4, __VA_ARGS__) F(5, __VA_ARGS__)
#define EACH_N1(F, ...) F(1, __VA_ARGS__) F(2, __VA_ARGS__) F(3, __VA_ARGS__) F(4, __VA_ARGS__) F(5, __VA_ARGS__)
#define EACH_N2(F, ...) F(1, __VA_ARGS__) F(2, __VA_ARGS__) F(3, __VA_ARGS__) F(4, __VA_ARGS__) F(5, __VA_ARGS__)
#define EACH_TRIANGLE(F, ...) F(1, __VA_ARGS__) F(3, __VA_ARGS__) F(6, __VA_ARGS__) F(7, __VA_ARGS__) F(12, __VA_ARGS__)
#define EACH_TETRA(F) TETRA_1(F) TETRA_4(F) TETRA_15(F)

enum { GAUSS_MOST = 5, GAUSS_ALL = 15, TRIANGLE_ALL = 29, TETRA_ALL = 20 }; /* points of one rule; of all rules together */

/* clang-format off */
#define SEGMENT_RULE(n0, F) XI_##n0(F, 0)
#define SEGMENT_AT(x, wx, unused) {x, 0, 0},
#define SEGMENT_WEIGHT(x, wx, unused) wx,
static const double segment_at[GAUSS_ALL][3] = {EACH_N0(SEGMENT_RULE, SEGMENT_AT)};
static const double segment_weight[GAUSS_ALL] = {EACH_N0(SEGMENT_RULE, SEGMENT_WEIGHT)};

#define QUAD_RULES(n0, F) EACH_N1(QUAD_RULE, n0, F)
#define QUAD_RULE(n1, n0, F) ETA_##n1(QUAD_LINE, n0, F)
#define QUAD_LINE(y, wy, n0, F) XI_##n0(F, y, wy)
#define QUAD_AT(x, wx, y, wy) {x, y, 0},
#define QUAD_WEIGHT(x, wx, y, wy) wx * wy,
static const double quad_at[GAUSS_ALL * GAUSS_ALL][3] = {EACH_N0(QUAD_RULES, QUAD_AT)};
static const double quad_weight[GAUSS_ALL * GAUSS_ALL] = {EACH_N0(QUAD_RULES, QUAD_WEIGHT)};

#define HEXA_RULES0(n0, F) EACH_N1(HEXA_RULES1, n0, F)
#define HEXA_RULES1(n1, n0, F) EACH_N2(HEXA_RULE, n1, n0, F)
#define HEXA_RULE(n2, n1, n0, F) ZETA_##n2(HEXA_PLANE, n1, n0, F)
#define HEXA_PLANE(z, wz, n1, n0, F) ETA_##n1(HEXA_LINE, z, wz, n0, F)
#define HEXA_LINE(y, wy, z, wz, n0, F) XI_##n0(F, y, wy, z, wz)
#define HEXA_AT(x, wx, y, wy, z, wz) {x, y, z},
#define HEXA_WEIGHT(x, wx, y, wy, z, wz) wx * wy * wz,
static const double hexa_at[GAUSS_ALL * GAUSS_ALL * GAUSS_ALL][3] = {EACH_N0(HEXA_RULES0, HEXA_AT)};
static const double hexa_weight[GAUSS_ALL * GAUSS_ALL * GAUSS_ALL] = {EACH_N0(HEXA_RULES0, HEXA_WEIGHT)};

#define TRIANGLE_RULE(n0, F) TRIANGLE_##n0(F, 0)
#define TRIANGLE_AT(x, y, w, unused) {x, y, 0},
#define TRIANGLE_WEIGHT(x, y, w, unused) w,
static const double triangle_at[TRIANGLE_ALL][3] = {EACH_TRIANGLE(TRIANGLE_RULE, TRIANGLE_AT)};
static const double triangle_weight[TRIANGLE_ALL] = {EACH_TRIANGLE(TRIANGLE_RULE, TRIANGLE_WEIGHT)};

#define WEDGE_RULES(n0, F) EACH_N1(WEDGE_RULE, n0, F)
#define WEDGE_RULE(n1, n0, F) ZETA_##n1(WEDGE_PLANE, n0, F)
#define WEDGE_PLANE(z, wz, n0, F) TRIANGLE_##n0(F, z, wz)
#define WEDGE_AT(x, y, w, z, wz) {x, y, z},
#define WEDGE_WEIGHT(x, y, w, z, wz) w * wz,
static const double wedge_at[TRIANGLE_ALL * GAUSS_ALL][3] = {EACH_TRIANGLE(WEDGE_RULES, WEDGE_AT)};
static const double wedge_weight[TRIANGLE_ALL * GAUSS_ALL] = {EACH_TRIANGLE(WEDGE_RULES, WEDGE_WEIGHT)};

#define TETRA_AT(x, y, z, w) {x, y, z},
#define TETRA_WEIGHT(x, y, z, w) w,
static const double tetra_at[TETRA_ALL][3] = {EACH_TETRA(TETRA_AT)};
static const double tetra_weight[TETRA_ALL] = {EACH_TETRA(TETRA_WEIGHT)};
/* clang-format on */

/* ---- a rule in its table */

static bool gauss(int n) { return n >= 1 && n <= GAUSS_MOST; }

/* points of the Gauss rules before that of n */
static int gauss_before(int n) { return n * (n - 1) / 2; }

/* points of the rules before that of n in an ascending list that ends with 0; -1: not in it */
static int listed_before(const uint8_t *list, int n) {
    int before = 0;
    for (; *list; before += *list++)
        if (*list == n)
            return before;
    return -1;
}

static const uint8_t triangle_list[] = {1, 3, 6, 7, 12, 0}, tetra_list[] = {1, 4, 15, 0};

static bl_status found(bl_quadrature *rule, int n, const double (*at)[3], const double *weight, int first) {
    *rule = (bl_quadrature){n, at + first, weight + first};
    return BL_OK;
}

bl_status bl_quadrature_of(bl_shape shape, const int n[3], bl_quadrature *rule) {
    int first;
    switch (shape) {
    case BL_SEGMENT:
        if (!gauss(n[0]))
            return BL_E_ABILITY;
        return found(rule, n[0], segment_at, segment_weight, gauss_before(n[0]));
    case BL_QUAD:
        if (!gauss(n[0]) || !gauss(n[1]))
            return BL_E_ABILITY;
        first = GAUSS_ALL * gauss_before(n[0]) + n[0] * gauss_before(n[1]);
        return found(rule, n[0] * n[1], quad_at, quad_weight, first);
    case BL_HEXA:
        if (!gauss(n[0]) || !gauss(n[1]) || !gauss(n[2]))
            return BL_E_ABILITY;
        first = GAUSS_ALL * (GAUSS_ALL * gauss_before(n[0]) + n[0] * gauss_before(n[1])) + n[0] * n[1] * gauss_before(n[2]);
        return found(rule, n[0] * n[1] * n[2], hexa_at, hexa_weight, first);
    case BL_TRIANGLE:
        if ((first = listed_before(triangle_list, n[0])) < 0)
            return BL_E_ABILITY;
        return found(rule, n[0], triangle_at, triangle_weight, first);
    case BL_WEDGE:
        if ((first = listed_before(triangle_list, n[0])) < 0 || !gauss(n[1]))
            return BL_E_ABILITY;
        return found(rule, n[0] * n[1], wedge_at, wedge_weight, GAUSS_ALL * first + n[0] * gauss_before(n[1]));
    case BL_TETRA:
        if ((first = listed_before(tetra_list, n[0])) < 0)
            return BL_E_ABILITY;
        return found(rule, n[0], tetra_at, tetra_weight, first);
    default: return BL_E_ABILITY;
    }
}
