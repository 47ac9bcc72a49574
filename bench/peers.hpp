// Common part of the programs that measure other codes: the mechanisms as lists of bodies and joints, the error measures of bench.c, and for
// codes with fixed steps the runs, the search over steps and the CSV: workload, target, code, settings, median ms, minimum ms, error, steps,
// evaluations. A remark after "; " in the settings describes what is wrong in spite of a small error, or when the run ended.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace peers {

struct vec {
    double x = 0, y = 0, z = 0;
};
inline vec operator+(vec a, vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline vec operator-(vec a, vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline vec operator*(double s, vec a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double norm(vec a) { return std::sqrt(dot(a, a)); }

inline double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- mechanisms; body frames are those of the world at the start, origins in the centers of mass

struct Body {
    double mass;
    vec inertia, center, velocity, spin;
    int parent_joint; // of the tree, an index of joints
};

struct Joint { // revolute or ball; joints that close loops are not in the tree
    int a, b;  // bodies, -1: ground
    vec at, axis;
    bool closes;
    double rate; // of b about the axis relative to a at the start
    bool ball;
};

struct Layout {
    std::string name;
    vec gravity;
    bool planar = false;
    double until = 10;
    std::vector<Body> body;
    std::vector<Joint> joint;
    // Andrews: a spring from ground to a point of a body, and a torque about z on body 0
    int spring_body = -1;
    vec spring_ground, spring_point;
    double stiffness = 0, rest = 0, torque = 0;
};

// Pose and velocity of a body; R by rows.
struct Pose {
    vec center, velocity, spin;
    double R[3][3];
    vec to_world(vec p) const {
        return {R[0][0] * p.x + R[0][1] * p.y + R[0][2] * p.z, R[1][0] * p.x + R[1][1] * p.y + R[1][2] * p.z,
                R[2][0] * p.x + R[2][1] * p.y + R[2][2] * p.z};
    }
    vec to_body(vec p) const {
        return {R[0][0] * p.x + R[1][0] * p.y + R[2][0] * p.z, R[0][1] * p.x + R[1][1] * p.y + R[2][1] * p.z,
                R[0][2] * p.x + R[1][2] * p.y + R[2][2] * p.z};
    }
};

// the spring's force on its body, and the point where it acts
inline vec spring_force(const Layout &l, const Pose &at, vec *point) {
    *point = at.center + at.to_world(l.spring_point);
    vec along = *point - l.spring_ground;
    double length = norm(along);
    return (-l.stiffness * (length - l.rest) / length) * along;
}

inline int add_body(Layout &l, double mass, vec inertia, vec center) {
    l.body.push_back({mass, inertia, center, {}, {}, -1});
    return (int)l.body.size() - 1;
}

inline void add_joint(Layout &l, int a, int b, vec at, vec axis, bool closes = false, double rate = 0, bool ball = false) {
    axis = (1 / norm(axis)) * axis;
    l.joint.push_back({a, b, at, axis, closes, rate, ball});
    if (!closes)
        l.body[(size_t)b].parent_joint = (int)l.joint.size() - 1;
}

// uniform rod of 1 kg and 1 m along a coordinate axis; axial: moment of inertia about it, which some codes require
inline int add_rod(Layout &l, vec from, vec to, double axial) {
    vec along = to - from;
    auto moment = [&](double part) { return std::fabs(part) > 0.5 ? axial : 1.0 / 12; };
    return add_body(l, 1, {moment(along.x), moment(along.y), moment(along.z)}, 0.5 * (from + to));
}

// Codes with six coordinates per body divide by the axial moment, which is zero for a slender rod: here it is 1e-4 kg m^2.
inline Layout bricard() {
    Layout l;
    l.name = "W1";
    l.gravity = {0, -9.81, 0};
    const vec P[6] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    const vec u[6] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    for (int i = 0; i < 5; i++) {
        add_rod(l, P[i], P[i + 1], 1e-4);
        add_joint(l, i - 1, i, P[i], u[i]);
    }
    add_joint(l, -1, 4, P[5], u[5], true);
    return l;
}

// bodies 0..N are the cranks
inline Layout four_bars(int N) {
    Layout l;
    l.name = "W2-" + std::to_string(N);
    l.gravity = {0, -9.81, 0};
    l.planar = true;
    const vec z = {0, 0, 1};
    for (int i = 0; i <= N; i++) {
        Body &crank = l.body[(size_t)add_rod(l, {(double)i, 0, 0}, {(double)i, 1, 0}, 1e-2)]; // it does not rotate about its own axis
        crank.velocity = {0.5, 0, 0};
        crank.spin = {0, 0, -1};
        add_joint(l, -1, i, {(double)i, 0, 0}, z, false, -1);
    }
    for (int i = 0; i < N; i++) {
        int coupler = add_rod(l, {(double)i, 1, 0}, {i + 1.0, 1, 0}, 1e-2);
        l.body[(size_t)coupler].velocity = {1, 0, 0};
        add_joint(l, i, coupler, {(double)i, 1, 0}, z, false, 1);
        add_joint(l, coupler, i + 1, {i + 1.0, 1, 0}, z, true);
    }
    return l;
}

// balls: the chain rotates about z as a rigid body at the start
inline Layout chain(int n, bool balls = false) {
    Layout l;
    l.name = (balls ? "W4-" : "W3-") + std::to_string(n);
    l.gravity = {0, 0, -9.81};
    for (int i = 0; i < n; i++) {
        Body &rod = l.body[(size_t)add_rod(l, {(double)i, 0, 0}, {i + 1.0, 0, 0}, 1e-3)];
        if (balls) {
            rod.velocity = {0, 0.1 * (i + 0.5), 0};
            rod.spin = {0, 0, 0.1};
            add_joint(l, i - 1, i, {(double)i, 0, 0}, {0, 0, 1}, false, i == 0 ? 0.1 : 0, true);
            continue;
        }
        add_joint(l, i - 1, i, {(double)i, 0, 0}, {0, 1, i % 2 == 0 ? 1.0 : -1.0});
    }
    return l;
}

inline Layout andrews() {
    Layout l;
    l.name = "W5";
    l.until = 0.05;
    l.planar = true;
    const double beta = -0.0617138900142764496, gamma = 0.455279819163070380, Phi = 0.222668390165885885, delta = 0.487364979543842550,
                 Omega = -0.222668390165885885, epsilon = 1.23054744454982119;
    const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, sa = .01874, sb = .01043, sc = .018, sd = .02,
                 ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;
    auto at = [](double angle, double r) { return vec{r * std::cos(angle), r * std::sin(angle), 0}; };
    auto side = [](double angle, double r) { return vec{r * std::sin(angle), -r * std::cos(angle), 0}; };
    const vec O, A = {-.06934, -.00227, 0}, B = {-.03635, .03273, 0}, C = {.014, .072, 0}, z = {0, 0, 1};
    vec F = at(beta, rr), E = F - at(beta, d), D = B + at(gamma, sd) + side(gamma, sc), G = A + at(delta, zt), H = A + side(epsilon, u);
    auto flat = [&](double m, double I, vec center) { return add_body(l, m, {I, I, I}, center); };
    int K1 = flat(.04325, 2.194e-6, at(beta, ra)), K2 = flat(.00365, 4.410e-7, F - at(beta, da));
    int K3 = flat(.02373, 5.255e-6, B + side(gamma, sa) + at(gamma, sb));
    int K5 = flat(.07050, 1.169e-5, A + at(delta, ta) - side(delta, tb));
    int K4 = flat(.00706, 5.667e-7, G + side(Phi + delta, e - ea));
    int K7 = flat(.05498, 1.912e-5, A + side(epsilon, ua) - at(epsilon, ub));
    int K6 = flat(.00706, 5.667e-7, H + at(Omega + epsilon, zf - fa));
    add_joint(l, -1, K1, O, z), add_joint(l, K1, K2, F, z), add_joint(l, -1, K3, B, z), add_joint(l, -1, K5, A, z);
    add_joint(l, K5, K4, G, z), add_joint(l, -1, K7, A, z), add_joint(l, K7, K6, H, z);
    for (int k : {K3, K4, K6})
        add_joint(l, K2, k, E, z, true);
    l.spring_body = K3;
    l.spring_ground = C;
    l.spring_point = D - l.body[(size_t)K3].center;
    l.stiffness = 4530;
    l.rest = .07785;
    l.torque = .033;
    return l;
}

// ---- errors

// W2: the motion on the parallelogram branch, ((N+1)/3 + N) th'' = g ((N+1)/2 + N) sin th
class Parallelogram {
  public:
    explicit Parallelogram(int N) : factor(9.81 * ((N + 1) / 2.0 + N) / ((N + 1) / 3.0 + N)) {}
    vec B0(double until) {
        int n = (int)std::ceil((until - t) / 1e-3);
        double h = n > 0 ? (until - t) / n : 0;
        for (int i = 0; i < n; i++) {
            double k1 = a(th), w2 = w + h / 2 * k1, k2 = a(th + h / 2 * w), w3 = w + h / 2 * k2, k3 = a(th + h / 2 * w2), w4 = w + h * k3,
                   k4 = a(th + h * w3);
            th += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
            w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        }
        t = until;
        return {std::sin(th), std::cos(th), 0};
    }

  private:
    double a(double angle) const { return factor * std::sin(angle); }
    double factor, t = 0, th = 0, w = 1;
};

// free tips every 0.25 s
inline const double (*chain_tips(int n))[3] {
    static const double five[20][3] = {
#include "w3_chain_tip.inc"
    };
    static const double fifty[20][3] = {
#include "w3_chain_50_tip.inc"
    };
    static const double five_hundred[20][3] = {
#include "w3_chain_500_tip.inc"
    };
    static const double balls[20][3] = {
#include "w4_chain_100_tip.inc"
    };
    return n == 5 ? five : n == 50 ? fifty : n == 500 ? five_hundred : balls;
}

// crank angle from the start at 0.0125, 0.025, 0.0375, 0.05 s (tests/reference/andrews.json)
const double andrews_angle[4] = {4.366642192750019, 12.168863124461934, 22.13378479927467, 33.887581656968795};

// Monitors one run: the largest error, and other failures.
class Watch {
  public:
    explicit Watch(const Layout &l) : layout(l), exact(std::max(0, bars())) {}
    // energies in J
    void energy(double value) {
        if (first)
            start = value, first = false;
        error = std::max(error, std::isfinite(value) ? std::fabs(value - start) : INFINITY);
    }
    // W1: the second corner at 8.5 s: a jammed mechanism has constant energy but another position (tests/reference/bricard.json)
    void corner(vec at) {
        double apart = norm(at - vec{-0.2507854621332669, -0.8834352159057778, -0.4685533259913015});
        lag = std::isfinite(apart) ? apart : INFINITY;
    }
    // W2: B(i), i = 0..N
    void branch(double t, const std::function<vec(int)> &B) {
        vec zero = B(0);
        off = std::max(off, norm(zero - exact.B0(t)));
        for (int i = 1; i <= bars() && left < 0; i++)
            if (!(norm(B(i) - vec{(double)i, 0, 0} - zero) < 0.1))
                left = t;
    }
    // W3 and W4, at sample k
    void tip(int k, vec at) {
        const double *wanted = chain_tips((int)layout.body.size())[k];
        double apart = norm(at - vec{wanted[0], wanted[1], wanted[2]});
        error = std::max(error, std::isfinite(apart) ? apart : INFINITY);
    }
    // W3 and W4: after the samples only a chain that has been torn apart counts as a failure
    void end(vec at) { torn = !(norm(at) < 1.01 * (double)layout.body.size()); }
    // W5: the angle may be given modulo 2 pi, at least once in every half revolution
    void crank(double angle) {
        turned += std::remainder(angle - last, 2 * M_PI);
        last = angle;
    }
    void crank_is(double angle) { turned = angle; }
    void crank_sample(int k) {
        double apart = std::fabs(turned - andrews_angle[k]);
        error = std::max(error, std::isfinite(apart) ? apart : INFINITY);
    }
    bool lost() const { return left >= 0 || !std::isfinite(error); }
    std::string trouble() const {
        char text[80] = "";
        if (left >= 0)
            std::snprintf(text, sizeof text, "; leaves the branch at %.2f s", left);
        else if (off > 1e-2)
            std::snprintf(text, sizeof text, "; B0 off by %.2g m", off);
        else if (torn)
            std::snprintf(text, sizeof text, "; blown up in the end");
        else if (lag > 5e-2)
            std::snprintf(text, sizeof text, "; moves wrongly (corner off by %.2g m)", lag);
        return text;
    }
    int bars() const { return layout.name[1] == '2' ? (int)layout.body.size() / 2 : -1; }
    double error = 0, left = -1, off = 0, lag = 0;
    bool torn = false;

  private:
    const Layout &layout;
    Parallelogram exact;
    bool first = true;
    double start = 0, last = 0, turned = 0;
};

// ---- codes with fixed steps

class Mechanism {
  public:
    virtual ~Mechanism() = default;
    virtual void step(double h) = 0;
    virtual Pose pose(int body) = 0;
    // Until `back`, poses are those after a part of the next step of length h; for codes whose steps are longer than the grid.
    virtual void ahead(double /*part*/, double /*h*/) {}
    virtual void back() {}
};

using Maker = std::function<std::unique_ptr<Mechanism>(const Layout &)>;

struct Variant {
    std::string name;
    Maker make;
    std::string only;    // workloads for which it is used, by the first letters of their names; empty: all
    double first = 2560; // number of steps with which a scan begins
};

struct Outcome {
    double median = 0, minimum = 0, error = INFINITY, reached = 0;
    long steps = 0;
    std::string trouble;
    bool meets(double target) const { return trouble.empty() && error <= target; }
};

inline double energy(const Layout &l, Mechanism &m) {
    double sum = 0;
    for (size_t i = 0; i < l.body.size(); i++) {
        Pose p = m.pose((int)i);
        vec w = p.to_body(p.spin), I = l.body[i].inertia;
        sum += 0.5 * l.body[i].mass * dot(p.velocity, p.velocity) - l.body[i].mass * dot(l.gravity, p.center);
        sum += 0.5 * (I.x * w.x * w.x + I.y * w.y * w.y + I.z * w.z * w.z);
    }
    return sum;
}

inline bool is_chain(const Layout &l) { return l.name[1] == '3' || l.name[1] == '4'; }

// W1 and W2, at any time
inline void monitor_at(const Layout &l, Mechanism &m, Watch &watch, double t) {
    watch.energy(energy(l, m));
    if (l.name[1] == '2')
        watch.branch(t, [&](int i) {
            Pose p = m.pose(i);
            return p.center + p.to_world({0, 0.5, 0});
        });
}

inline void monitor(const Layout &l, Mechanism &m, Watch &watch, long k, long n) {
    if (l.name[1] <= '2') {
        monitor_at(l, m, watch, l.until * (double)k / (double)n);
        if (l.name == "W1" && 20 * k == 17 * n) {
            Pose p = m.pose(1);
            watch.corner(p.center + p.to_world({0, -0.5, 0}));
        }
    } else if (is_chain(l)) {
        if (k > 0 && 2 * k <= n && k % (n / 40) == 0) {
            Pose p = m.pose((int)l.body.size() - 1);
            watch.tip((int)(k / (n / 40)) - 1, p.center + p.to_world({0.5, 0, 0}));
        } else if (k == n) {
            watch.end(m.pose((int)l.body.size() - 1).center);
        }
    } else {
        Pose p = m.pose(0);
        watch.crank(std::atan2(p.R[1][0], p.R[0][0]));
        if (k > 0 && k % (n / 4) == 0)
            watch.crank_sample((int)(k / (n / 4)) - 1);
    }
}

const double grid = 0.01; // s, largest interval at which energies are checked

// the nearest number of steps for which samples are at ends of steps
inline long allowed(const Layout &l, double n) {
    long grain = l.name == "W1" ? 20 : is_chain(l) ? 40 : l.name == "W5" ? 4 : 1;
    return std::max(1L, std::lround(n / (double)grain)) * grain;
}

// Error from one monitored run, stopped after `longest` CPU seconds; time from runs without monitoring, or from the same run if it took more
// than a second.
inline Outcome run(const Layout &l, const Variant &v, long n, int repeat, double longest) {
    Outcome out;
    const double h = l.until / (double)n;
    out.steps = n;
    {
        auto m = v.make(l);
        Watch watch(l);
        double begin = cpu_seconds();
        for (long k = 0;; k++) {
            monitor(l, *m, watch, k, n);
            out.reached = h * (double)k;
            if (k == n || watch.lost() || cpu_seconds() - begin > longest)
                break;
            if (l.name[1] <= '2' && h > grid) {
                double before = cpu_seconds();
                for (long i = (long)std::floor((double)k * h / grid + 1e-6) + 1; (double)i * grid < (double)(k + 1) * h - 1e-6 * grid;
                     i++) {
                    m->ahead((double)i * grid - (double)k * h, h);
                    monitor_at(l, *m, watch, (double)i * grid);
                    m->back();
                }
                begin += cpu_seconds() - before; // not part of the measured time
            }
            m->step(h);
        }
        out.median = out.minimum = cpu_seconds() - begin;
        out.error = watch.error;
        out.trouble = watch.trouble();
        char text[80];
        if (!std::isfinite(out.error)) {
            std::snprintf(text, sizeof text, "; fails at %.4g s", out.reached);
            out.trouble = text;
        } else if (out.reached < l.until * (1 - 1e-9) && watch.left < 0) {
            std::snprintf(text, sizeof text, "; given up at %.4g s of motion", out.reached);
            out.trouble += text;
        }
        if (out.median > 1 || out.reached < l.until * (1 - 1e-9))
            return out;
    }
    std::vector<double> times;
    double spent = 0;
    for (int k = 0; k < repeat && (k == 0 || spent < 1.5); k++) {
        auto m = v.make(l);
        double begin = cpu_seconds();
        for (long i = 0; i < n; i++)
            m->step(h);
        times.push_back(cpu_seconds() - begin);
        spent += times.back();
    }
    std::sort(times.begin(), times.end());
    if (!times.empty())
        out.median = times[times.size() / 2], out.minimum = times[0];
    return out;
}

inline void print(const Layout &l, double target, const char *code, const Variant &v, const Outcome &o, int evaluations) {
    std::printf("%s,%g,%s,%s step=%.4g%s,%.3f,%.3f,%.3g,%ld,%ld\n", l.name.c_str(), target, code, v.name.c_str(), l.until / (double)o.steps,
                o.trouble.c_str(), 1e3 * o.median, 1e3 * o.minimum, o.error, o.steps, o.steps * evaluations);
    std::fflush(stdout);
}

// a setting that `scan` found
struct Found {
    std::string workload, variant;
    double target;
    long steps;
};

inline std::vector<double> targets(const Layout &l) {
    if (l.name == "W1")
        return {1e-3};
    if (l.name[1] == '2')
        return {0.1};
    return {1e-2, 1e-4};
}

inline Layout layout(const std::string &name) {
    int size = name.size() > 3 ? std::atoi(name.c_str() + 3) : 0;
    return name == "W1" ? bricard() : name == "W5" ? andrews() : name[1] == '2' ? four_bars(size) : chain(size, name[1] == '4');
}

// runs without failures first, then those that reached the end, by error; the others by the time they reached
inline bool better(const Outcome &a, const Outcome &b) {
    auto rank = [](const Outcome &o) { return o.trouble.empty() ? 0 : o.trouble.find(" at ") == std::string::npos ? 1 : 2; };
    if (rank(a) != rank(b))
        return rank(a) < rank(b);
    return rank(a) < 2 ? a.error < b.error : a.reached > b.reached;
}

// Doubles the number of steps until the smallest target is met or a run takes `longest` seconds; then tries numbers between the last two.
inline void scan(const Layout &l, const char *code, const std::vector<Variant> &variants, double longest) {
    std::vector<double> goals = targets(l);
    std::vector<std::pair<Outcome, const Variant *>> seen;
    for (const Variant &v : variants) {
        if (!v.only.empty() && v.only.find(l.name.substr(0, 2)) == std::string::npos)
            continue;
        auto attempt = [&](long n) {
            Outcome o = run(l, v, n, 1, longest);
            std::fprintf(stderr, "  %s %s steps=%ld: %.3g ms, error %.3g%s\n", l.name.c_str(), v.name.c_str(), n, 1e3 * o.minimum, o.error,
                         o.trouble.c_str());
            seen.push_back({o, &v});
            return o;
        };
        size_t met = 0;
        for (double n = allowed(l, v.first); met < goals.size() && n < 4e6; n *= 2) {
            Outcome o = attempt((long)n);
            size_t before = met;
            while (met < goals.size() && o.meets(goals[met]))
                met++;
            for (double part : {1.0 / 1.6818, 1.0 / 1.4142, 1.0 / 1.1892})
                if (met > before && n * part >= v.first && attempt(allowed(l, n * part)).meets(goals[met - 1]))
                    break;
            if (o.minimum * 2 > longest || (o.trouble.find("given up") != std::string::npos))
                break;
        }
    }
    for (double target : goals) {
        const std::pair<Outcome, const Variant *> *best = nullptr;
        for (const auto &s : seen) {
            bool meets = s.first.meets(target);
            if (!best || (meets && (!best->first.meets(target) || s.first.minimum < best->first.minimum)) ||
                (!meets && !best->first.meets(target) && better(s.first, best->first)))
                best = &s;
        }
        if (best) {
            std::fprintf(stderr, "{\"%s\", \"%s\", %g, %ld},\n", l.name.c_str(), best->second->name.c_str(), target, best->first.steps);
            print(l, target, code, *best->second, best->first, 1);
        }
    }
}

// `scan [seconds [workload...]]` tries all settings; `run [workload...]` those that were found. `evaluations(variant)`: per step; a run is
// stopped after `longest` seconds.
inline int main_of(
    int argc, char **argv, const char *code, const std::vector<Variant> &variants, const std::vector<Found> &found,
    const std::function<int(const std::string &)> &evaluations = [](const std::string &) { return 1; }, double longest = 20) {
    if (argc > 1 && std::strcmp(argv[1], "scan") == 0) {
        for (const char *name : {"W1", "W2-10", "W2-40", "W2-160", "W3-5", "W3-50", "W3-500", "W4-100", "W5"}) {
            bool wanted = argc <= 3;
            for (int k = 3; k < argc; k++)
                wanted = wanted || std::strcmp(argv[k], name) == 0;
            if (wanted)
                scan(layout(name), code, variants, argc > 2 ? std::atof(argv[2]) : 10);
        }
        return 0;
    }
    const Found *last = nullptr;
    Outcome o;
    for (const Found &f : found) {
        bool wanted = argc <= 2;
        for (int k = 2; k < argc; k++)
            wanted = wanted || f.workload == argv[k];
        if (!wanted)
            continue;
        Layout l = layout(f.workload);
        for (const Variant &v : variants) {
            if (v.name != f.variant)
                continue;
            if (!last || last->workload != f.workload || last->variant != f.variant || last->steps != f.steps) // else the same run
                o = run(l, v, f.steps, 9, longest);
            print(l, f.target, code, v, o, evaluations(v.name));
            last = &f;
        }
    }
    return 0;
}

} // namespace peers
