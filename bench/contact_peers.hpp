// Common part of the programs that measure other codes on contact: three planar mechanisms with a few contacts, compared with references
// (tests/reference: woodpecker, clearance_slider_crank, bouncing_chain), and two piles. CSV of the mechanisms as in peers.hpp; a target of 0
// marks the smallest error that a scan reached.
#pragma once
#include "peers.hpp"

namespace contact {

using peers::cpu_seconds;
using peers::vec;

inline FILE *output = stdout; // of the CSV

// ---- mechanisms: trees of hinges about z; all is given at the start, where body frames are those of the world

struct Body {
    double mass, inertia; // about any axis through its center
    vec center;
    double angle; // of the reference at the start
    int parent;   // -1: ground
    vec hinge;    // to the parent
    double rate;  // relative to the parent
    bool slides;  // the hinge, at the center, slides along y on ground
    double speed; // of that
};

struct Tip { // a point that may touch the side of a half-space: normal . p >= offset
    int body;
    vec at, normal;
    double offset, restitution, friction;
};

struct Layout {
    std::string name;
    double until;
    long grain; // steps are multiples of it, so that samples are at ends of steps
    double gravity = 9.81, scale = 1;
    std::vector<Body> body;
    std::vector<Tip> tip;
    double spring = 0; // N m / rad between bodies 0 and 1, at rest where their angles are equal
    int columns;
    const double *reference; // rows: time, coordinates, rates
    int rows;
};

const double woodpecker_rows[][7] = {
#include "contact_woodpecker.inc"
};
const double slider_crank_rows[][7] = {
#include "contact_slider_crank.inc"
};
const double slider_crank_friction_rows[][7] = {
#include "contact_slider_crank_friction.inc"
};
const double chain_rows[][11] = {
#include "contact_chain.inc"
};

inline vec turned(double angle, double x, double y) {
    return {std::cos(angle) * x - std::sin(angle) * y, std::sin(angle) * x + std::cos(angle) * y, 0};
}

inline Layout woodpecker() {
    Layout l{"woodpecker", 0.5, 50};
    const double lM = 0.01, lG = 0.015, lS = 0.0201, hS = 0.02, hM = 0.0058, r0 = 0.0025, rM = 0.0031;
    const double leaning = -0.10090092472062438, bird = -0.2788; // the lower corner of the sleeve touches
    vec pin = turned(leaning, lM, 0);
    l.body.push_back({3e-4, 5e-9, {}, leaning, -1, {}, 0, true, -0.3411});
    l.body.push_back({4.5e-3, 7e-7, pin + turned(bird, lG, 0), bird, 0, pin, -7.4583, false, 0});
    const vec x = {1, 0, 0};
    l.tip.push_back({1, pin + turned(bird, lG - lS, hS), x, r0, 0.5, 0.3});
    l.tip.push_back({0, turned(leaning, rM, -hM), x, r0, 0, 0.3});
    l.tip.push_back({0, turned(leaning, rM, hM), x, r0, 0, 0.3});
    l.spring = 0.0056;
    l.columns = 7, l.reference = woodpecker_rows[0], l.rows = 50;
    return l;
}

inline Layout slider_crank(bool rough) {
    Layout l{rough ? "slider_crank_mu" : "slider_crank", 0.00895, 179};
    l.body.push_back({0.038, 7.4e-5, {0.0765, 0, 0}, 0, -1, {}, 150, false, 0});
    l.body.push_back({0.038, 5.9e-4, {0.306, 0, 0}, 0, 0, {0.153, 0, 0}, -225, false, 0});
    l.body.push_back({0.076, 2.7e-6, {0.459, 0, 0}, 0, 1, {0.459, 0, 0}, 75, false, 0});
    for (double x : {-0.05, 0.05})
        for (double y : {-0.025, 0.025})
            l.tip.push_back({2, {0.459 + x, y, 0}, {0, y > 0 ? -1.0 : 1.0, 0}, -0.026, 0.4, rough ? 0.01 : 0});
    l.columns = 7, l.reference = rough ? slider_crank_friction_rows[0] : slider_crank_rows[0], l.rows = 9;
    return l;
}

// to the end, or to before the end of a rod hits the floor while another one rests on it: the outcome is the law's (Newton's here)
inline Layout chain(bool whole) {
    Layout l{whole ? "chain" : "chain_1.35", whole ? 2 : 1.35, whole ? 40 : 27};
    for (int i = 0; i < 5; i++)
        l.body.push_back({1, 1.0 / 12, {i + 0.5, 0, 0}, 0, i - 1, {(double)i, 0, 0}, 0, false, 0});
    for (int i = 3; i < 5; i++)
        l.tip.push_back({i, {i + 1.0, 0, 0}, {0, 1, 0}, -3, 0.5, 0});
    l.columns = 11, l.reference = chain_rows[0], l.rows = (int)l.grain;
    return l;
}

inline Layout layout(const std::string &name) {
    return name == "woodpecker" ? woodpecker() : name[0] == 'c' ? chain(name == "chain") : slider_crank(name == "slider_crank_mu");
}

// The same motion in other units of length, for codes whose thresholds are made for bodies of a meter.
inline Layout scaled(Layout l, double s) {
    l.scale *= s, l.gravity *= s, l.spring *= s * s;
    for (Body &b : l.body)
        b.inertia *= s * s, b.center = s * b.center, b.hinge = s * b.hinge, b.speed *= s;
    for (Tip &t : l.tip)
        t.at = s * t.at, t.offset *= s;
    return l;
}

struct Place {
    vec center;
    double angle, spin; // since the start, modulo 2 pi; about z
};

class Machine {
  public:
    virtual ~Machine() = default;
    virtual void step(double h) = 0;
    virtual Place place(int body) = 0;
};

inline vec tip_now(const Layout &l, const Tip &t, const Place &p) {
    vec arm = t.at - l.body[(size_t)t.body].center;
    return p.center + turned(p.angle, arm.x, arm.y);
}

// moment of the spring on body 1; the contrary acts on body 0
inline double spring_moment(const Layout &l, Machine &m) {
    double apart = l.body[1].angle - l.body[0].angle + m.place(1).angle - m.place(0).angle;
    return -l.spring * std::remainder(apart, 2 * M_PI);
}

// Woodpecker: largest error of an angle (rad), or of the height over the drop of a period of the published toy. Slider-crank: of the angles of crank
// and rod, or of the crank's rate over its first one. Chain: distance of an end of a rod (m).
inline double error_at(const Layout &l, Machine &m, int row) {
    const double *wanted = l.reference + row * l.columns + 1;
    double error = 0;
    auto count = [&](double e) { error = std::isfinite(e) ? std::max(error, std::fabs(e)) : INFINITY; };
    auto angle = [&](int i, double w) { return std::remainder(l.body[(size_t)i].angle + m.place(i).angle - w, 2 * M_PI); };
    if (l.name == "woodpecker") {
        count((m.place(0).center.y / l.scale - wanted[0]) / 0.0194);
        count(angle(0, wanted[1]));
        count(angle(1, wanted[2]));
    } else if (l.name[0] == 'c') {
        vec here, there;
        for (int i = 0; i < 5; i++) {
            double a = m.place(i).angle;
            here = here + vec{std::cos(a), std::sin(a), 0};
            there = there + vec{std::cos(wanted[i]), std::sin(wanted[i]), 0};
            count(peers::norm(here - there));
        }
    } else {
        count(angle(0, wanted[0]));
        count(angle(1, wanted[1]));
        count((m.place(0).spin - wanted[3]) / 150);
    }
    return error;
}

using Maker = std::function<std::unique_ptr<Machine>(const Layout &)>;

struct Variant {
    std::string name;
    Maker make;
    std::string only; // words that begin as the names of workloads for which it is used; empty: all
    double scale = 1;
    bool fits(const std::string &workload) const { return only.empty() || only.find(workload.substr(0, 5)) != std::string::npos; }
};

struct Outcome {
    double median = 0, minimum = 0, error = INFINITY, reached = 0;
    long steps = 0;
};

// Error from one run with samples, stopped after `longest` CPU seconds; time from runs without them, if that took less than half a second.
inline Outcome run(const std::string &name, const Variant &v, long n, int repeat, double longest) {
    const Layout l = scaled(layout(name), v.scale);
    const double h = l.until / (double)n;
    Outcome out;
    out.steps = n;
    double error = 0, begin;
    {
        auto m = v.make(l);
        begin = cpu_seconds();
        int row = 0;
        for (long k = 1; k <= n; k++) {
            m->step(h);
            while (row < l.rows && l.reference[row * l.columns] <= h * (double)k + 1e-9 * l.until)
                error = std::max(error, error_at(l, *m, row++));
            out.reached = h * (double)k;
            if (!std::isfinite(error) || (k % 64 == 0 && cpu_seconds() - begin > longest))
                break;
        }
        out.minimum = out.median = cpu_seconds() - begin;
        out.error = out.reached < l.until * (1 - 1e-9) ? INFINITY : error;
    }
    std::vector<double> times;
    for (int k = 0; k < repeat && std::isfinite(out.error) && out.median < 0.5; k++) {
        auto m = v.make(l);
        begin = cpu_seconds();
        for (long i = 0; i < n; i++)
            m->step(h);
        times.push_back(cpu_seconds() - begin);
    }
    std::sort(times.begin(), times.end());
    if (!times.empty())
        out.median = times[times.size() / 2], out.minimum = times[0];
    return out;
}

inline void print(const std::string &name, double target, const char *code, const Variant &v, const Outcome &o) {
    std::fprintf(output, "%s,%g,%s,%s step=%.4g,%.3f,%.3f,%.3g,%ld,%ld\n", name.c_str(), target, code, v.name.c_str(),
                 layout(name).until / (double)o.steps, 1e3 * o.median, 1e3 * o.minimum, o.error, o.steps, o.steps);
    std::fflush(output);
}

struct Found { // a setting that `scan` found
    std::string workload, variant;
    double target;
    long steps;
};

const std::vector<double> targets = {1e-2, 1e-3, 1e-4};

// Doubles the number of steps until the smallest target is met or a run would take more than `longest` seconds. A target counts as met by a number
// of steps if all larger ones that were tried meet it too: errors of motions with impacts are not smooth.
inline void scan(const std::string &name, const char *code, const std::vector<Variant> &variants, double longest) {
    struct Try {
        Outcome o;
        const Variant *v;
    };
    std::vector<Try> best(targets.size() + 1, Try{{}, nullptr});
    const long grain = layout(name).grain;
    for (const Variant &v : variants) {
        if (!v.fits(name))
            continue;
        std::vector<Outcome> seen;
        for (long n = grain * (name == "woodpecker" ? 8 : name[0] == 'c' ? 4 : 1); n < 20000000; n *= 2) {
            Outcome o = run(name, v, n, 2, 2 * longest);
            std::fprintf(stderr, "  %s %s %s steps=%ld: %.3g ms, error %.3g, to %.3g s\n", code, name.c_str(), v.name.c_str(), n,
                         1e3 * o.minimum, o.error, o.reached);
            seen.push_back(o);
            if (2 * o.minimum > longest || o.error < targets.back() / 2)
                break;
        }
        double worst = 0;
        for (size_t i = seen.size(); i-- > 0;) {
            worst = std::max(worst, seen[i].error);
            for (size_t k = 0; k < targets.size(); k++)
                if (worst <= targets[k] && (!best[k].v || seen[i].minimum < best[k].o.minimum))
                    best[k] = {seen[i], &v};
            if (std::isfinite(seen[i].error) && (!best.back().v || seen[i].error < best.back().o.error))
                best.back() = {seen[i], &v};
        }
    }
    for (size_t k = 0; k <= targets.size(); k++)
        if (best[k].v) {
            double target = k < targets.size() ? targets[k] : 0;
            std::fprintf(stderr, "{\"%s\", \"%s\", %g, %ld},\n", name.c_str(), best[k].v->name.c_str(), target, best[k].o.steps);
            print(name, target, code, *best[k].v, best[k].o);
        }
}

const std::vector<std::string> workloads = {"woodpecker", "slider_crank", "slider_crank_mu", "chain_1.35", "chain"};

// ---- piles: 1000 spheres in an open box, a wall of 500 bricks; up is y

struct Item {
    vec center, half; // half edges; spheres: the radius in x
    double mass;
};

struct Pile {
    std::string name;
    bool spheres;
    double friction, until = 2, side = 1; // inner half width of the box around spheres
    std::vector<Item> item;
};

inline Pile spheres() {
    Pile p{"spheres", true, 0.3};
    const double r = 0.05, mass = 1000 * 4.0 / 3 * M_PI * r * r * r;
    p.side = 0.6;
    for (int k = 0; k < 1000; k++) { // 10 x 10 x 10 with distances 0.11 m and offsets of up to 4 mm that repeat themselves nowhere
        int i = k % 10, j = k / 10 % 10, layer = k / 100;
        auto offset = [&](double a) { return 0.004 * std::sin(a * (k + 1)); };
        p.item.push_back({{0.11 * (i - 4.5) + offset(1.7), 0.06 + 0.11 * layer, 0.11 * (j - 4.5) + offset(2.3)}, {r, r, r}, mass});
    }
    return p;
}

inline Pile wall() {
    Pile p{"wall", false, 0.5};
    const vec half = {0.2, 0.1, 0.1};
    for (int row = 0; row < 20; row++)
        for (int i = 0; i < 25; i++)
            p.item.push_back({{0.4 * (i - 12) + (row % 2 ? 0.1 : 0), 0.1 + 0.2 * row, 0}, half, 1000 * 8 * half.x * half.y * half.z});
    return p;
}

class PileMachine {
  public:
    virtual ~PileMachine() = default;
    virtual void step(double h) = 0;
    virtual vec center(int item) = 0;
    virtual vec velocity(int item) = 0;
    virtual double kinetic() = 0; // J, with rotation
    virtual double deepest() = 0; // penetration of the present positions, m
    virtual double support() = 0; // vertical impulse of floor and walls on the pile in the last step, N s
};

// One run: ms per step; largest penetration over the last half second; momentum error: (sum of impulses from the ground - change of momentum - weight
// times time) / (weight times time); kinetic energy at the end; creep: largest movement in the last half second, m.
inline void pile(const Pile &p, const char *code, const std::string &settings, PileMachine &m, double h) {
    long n = std::lround(p.until / h), from = std::lround(1.5 / h);
    double weight = 0, lifted = 0, deepest = 0, creep = 0, spent = 0, slowest = 0;
    std::vector<vec> before;
    for (const Item &i : p.item)
        weight += 9.81 * i.mass;
    for (long k = 1; k <= n; k++) {
        double begin = cpu_seconds();
        m.step(h);
        double used = cpu_seconds() - begin;
        spent += used, slowest = std::max(slowest, used);
        lifted += m.support();
        if (k == from)
            for (size_t i = 0; i < p.item.size(); i++)
                before.push_back(m.center((int)i));
        if (k > from && k % 8 == 0)
            deepest = std::max(deepest, m.deepest());
        if (spent > 60) {
            n = k;
            break;
        }
    }
    double momentum = 0, fallen = 0;
    for (size_t i = 0; i < p.item.size(); i++) {
        momentum += p.item[i].mass * m.velocity((int)i).y;
        if (!before.empty())
            creep = std::max(creep, peers::norm(m.center((int)i) - before[i]));
        fallen = std::max(fallen, p.item[i].center.y - m.center((int)i).y);
    }
    double t = h * (double)n;
    std::fprintf(output, "%s,%s,%s,%.4g,%.3g,%.3f,%.3f,%.3g,%.3g,%.3g,%.3g,%.3g\n", p.name.c_str(), code, settings.c_str(), h, t,
                 1e3 * spent / (double)n, 1e3 * slowest, deepest, (lifted - momentum) / (weight * t) - 1, m.kinetic(), creep, fallen);
    std::fflush(output);
}

// `scan SECONDS [workload...]`, `run [workload...]`, `once WORKLOAD STEPS VARIANT`; piles: `piles`, by the program itself.
inline int main_of(int argc, char **argv, const char *code, const std::vector<Variant> &variants, const std::vector<Found> &found,
                   double longest = 10) {
    auto wanted = [&](const std::string &name, int first) {
        bool is = argc <= first;
        for (int k = first; k < argc; k++)
            is = is || name == argv[k];
        return is;
    };
    if (argc > 1 && std::strcmp(argv[1], "scan") == 0) {
        for (const std::string &name : workloads)
            if (wanted(name, 3))
                scan(name, code, variants, argc > 2 ? std::atof(argv[2]) : 2);
        return 0;
    }
    if (argc == 5 && std::strcmp(argv[1], "once") == 0) {
        for (const Variant &v : variants)
            if (v.name == argv[4])
                print(argv[2], 0, code, v, run(argv[2], v, std::atol(argv[3]), 3, 60));
        return 0;
    }
    for (const Found &f : found)
        for (const Variant &v : variants)
            if (wanted(f.workload, 2) && v.name == f.variant)
                print(f.workload, f.target, code, v, run(f.workload, v, f.steps, 5, longest));
    return 0;
}

} // namespace contact
