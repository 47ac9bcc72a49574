// The workloads of bench.c with Simbody, at equal error: Bricard (W1), four-bars in a row (W2), chains (W3, W4), Andrews (W5).
// `run [workload...]`: the cheapest settings found; `scan [workload...]` tries all and prints the cheapest at each target;
// `once WORKLOAD METHOD ACCURACY rms|max` runs one.
#include "peers.hpp"

#include <Simbody.h>

using namespace SimTK;

namespace {

using peers::cpu_seconds;
using peers::Watch;

peers::vec plain(const Vec3 &v) { return {v[0], v[1], v[2]}; }

// A mechanism ready to run, and the quantities measured on it.
struct Workload {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    State start;
    double until = 10;
    peers::Layout layout; // for the watch
    std::function<void(const State &, Watch &)> monitor;
    std::vector<double> sample; // times for the error; empty: every step
};

Rotation frame_with_z_along(const Vec3 &axis) { return Rotation(UnitVec3(axis), ZAxis); }

MobilizedBody::Pin pin(MobilizedBody &parent, const Vec3 &in_parent, const MassProperties &mass, const Vec3 &in_body, const Vec3 &axis) {
    Rotation R = frame_with_z_along(axis);
    return MobilizedBody::Pin(parent, Transform(R, in_parent), Body::Rigid(mass), Transform(R, in_body));
}

// equations that close the loop: 5 (those of the sixth joint, one of them redundant) or 4 (independent ones, chosen by hand)
std::unique_ptr<Workload> bricard(int rows) {
    auto w = std::make_unique<Workload>();
    Force::UniformGravity(w->forces, w->matter, Vec3(0, -9.81, 0));
    const Vec3 P[6] = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, -1, 0), Vec3(1, -1, 1), Vec3(0, -1, 1), Vec3(0, 0, 1)};
    const Vec3 u[6] = {Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 0, 0)};
    MobilizedBody parent = w->matter.Ground();
    Vec3 parent_origin(0);
    for (int i = 0; i < 5; i++) {
        Vec3 center = 0.5 * (P[i] + P[i + 1]), along = P[i + 1] - P[i];
        Vec3 moments(1.0 / 12);
        for (int k = 0; k < 3; k++)
            if (std::fabs(along[k]) > 0.5)
                moments[k] = 0;
        parent = pin(parent, P[i] - parent_origin, MassProperties(1, Vec3(0), Inertia(moments)), P[i] - center, u[i]);
        parent_origin = center;
    }
    Constraint::Ball(w->matter.Ground(), P[5], parent, P[5] - parent_origin);
    // the axis x in rod 5 stays along x of ground
    Constraint::ConstantAngle(w->matter.Ground(), UnitVec3(0, 0, 1), parent, UnitVec3(1, 0, 0), Pi / 2);
    if (rows == 5)
        Constraint::ConstantAngle(w->matter.Ground(), UnitVec3(0, 1, 0), parent, UnitVec3(1, 0, 0), Pi / 2);
    w->start = w->system.realizeTopology();
    w->layout = peers::bricard();
    Workload *own = w.get();
    w->monitor = [own](const State &s, Watch &watch) {
        own->system.realize(s, Stage::Dynamics);
        watch.energy(own->system.calcEnergy(s));
    };
    return w;
}

// cranks on ground, couplers on cranks; two equations connect the other end of a coupler
std::unique_ptr<Workload> four_bars(int N) {
    auto w = std::make_unique<Workload>();
    Force::UniformGravity(w->forces, w->matter, Vec3(0, -9.81, 0));
    const Vec3 z(0, 0, 1);
    const double c = 1.0 / 12;
    std::vector<MobilizedBody> crank, coupler;
    for (int i = 0; i <= N; i++)
        crank.push_back(pin(w->matter.Ground(), Vec3(i, 0, 0), MassProperties(1, Vec3(0), Inertia(c, 0, c)), Vec3(0, -0.5, 0), z));
    for (int i = 0; i < N; i++) {
        coupler.push_back(pin(crank[(size_t)i], Vec3(0, 0.5, 0), MassProperties(1, Vec3(0), Inertia(0, c, c)), Vec3(-0.5, 0, 0), z));
        for (int k = 0; k < 2; k++)
            Constraint::PointInPlane(crank[(size_t)i + 1], UnitVec3(k == 0 ? Vec3(1, 0, 0) : Vec3(0, 1, 0)), k == 0 ? 0 : 0.5,
                                     coupler.back(), Vec3(0.5, 0, 0));
    }
    w->start = w->system.realizeTopology();
    for (MobilizedBody &b : crank)
        b.setOneU(w->start, 0, -1);
    for (MobilizedBody &b : coupler)
        b.setOneU(w->start, 0, 1);
    w->layout = peers::four_bars(N);
    Workload *own = w.get();
    w->monitor = [own, crank](const State &s, Watch &watch) {
        own->system.realize(s, Stage::Dynamics);
        watch.energy(own->system.calcEnergy(s));
        watch.branch(s.getTime(), [&](int i) { return plain(crank[(size_t)i].findStationLocationInGround(s, Vec3(0, 0.5, 0))); });
    };
    return w;
}

std::unique_ptr<Workload> chain(int n, bool balls = false) {
    auto w = std::make_unique<Workload>();
    Force::UniformGravity(w->forces, w->matter, Vec3(0, 0, -9.81));
    MobilizedBody parent = w->matter.Ground();
    MassProperties rod(1, Vec3(0), Inertia(1e-3, 1.0 / 12, 1.0 / 12));
    for (int i = 0; i < n; i++) {
        Vec3 at = i == 0 ? Vec3(0) : Vec3(0.5, 0, 0);
        if (balls)
            parent = MobilizedBody::Ball(parent, Transform(at), Body::Rigid(rod), Transform(Vec3(-0.5, 0, 0)));
        else
            parent = pin(parent, at, rod, Vec3(-0.5, 0, 0), Vec3(0, 1, i % 2 == 0 ? 1 : -1));
    }
    w->start = w->system.realizeTopology();
    if (balls)
        w->matter.getMobilizedBody(MobilizedBodyIndex(1)).setOneU(w->start, 2, 0.1);
    for (int k = 1; k <= 20; k++)
        w->sample.push_back(0.25 * k);
    w->layout = peers::chain(n);
    Workload *own = w.get();
    w->monitor = [own, parent](const State &s, Watch &watch) {
        own->system.realize(s, Stage::Position);
        watch.tip((int)std::lround(s.getTime() / 0.25) - 1, plain(parent.findStationLocationInGround(s, Vec3(0.5, 0, 0))));
    };
    return w;
}

std::unique_ptr<Workload> andrews() {
    auto w = std::make_unique<Workload>();
    const double beta = -0.0617138900142764496, gamma = 0.455279819163070380, Phi = 0.222668390165885885, delta = 0.487364979543842550,
                 Omega = -0.222668390165885885, epsilon = 1.23054744454982119;
    const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, sa = .01874, sb = .01043, sc = .018, sd = .02,
                 ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;
    auto at = [](double angle, double r) { return Vec3(r * std::cos(angle), r * std::sin(angle), 0); };
    auto side = [](double angle, double r) { return Vec3(r * std::sin(angle), -r * std::cos(angle), 0); };
    const Vec3 O(0), A(-.06934, -.00227, 0), B(-.03635, .03273, 0), C(.014, .072, 0);
    Vec3 F = at(beta, rr), E = F - at(beta, d), D = B + at(gamma, sd) + side(gamma, sc);
    Vec3 G = A + at(delta, zt), H = A + side(epsilon, u);
    Vec3 c1 = at(beta, ra), c2 = F - at(beta, da), c3 = B + side(gamma, sa) + at(gamma, sb);
    Vec3 c4 = G + side(Phi + delta, e - ea), c5 = A + at(delta, ta) - side(delta, tb);
    Vec3 c6 = H + at(Omega + epsilon, zf - fa), c7 = A + side(epsilon, ua) - at(epsilon, ub);
    const Vec3 z(0, 0, 1);
    auto flat = [](double m, double I) { return MassProperties(m, Vec3(0), Inertia(I, I, I)); };
    MobilizedBody ground = w->matter.Ground();
    auto K1 = pin(ground, O, flat(.04325, 2.194e-6), O - c1, z);
    auto K2 = pin(K1, F - c1, flat(.00365, 4.410e-7), F - c2, z);
    auto K3 = pin(ground, B, flat(.02373, 5.255e-6), B - c3, z);
    auto K5 = pin(ground, A, flat(.07050, 1.169e-5), A - c5, z);
    auto K4 = pin(K5, G - c5, flat(.00706, 5.667e-7), G - c4, z);
    auto K7 = pin(ground, A, flat(.05498, 1.912e-5), A - c7, z);
    auto K6 = pin(K7, H - c7, flat(.00706, 5.667e-7), H - c6, z);
    auto close = [&](MobilizedBody &body, const Vec3 &center) {
        for (int k = 0; k < 2; k++) {
            UnitVec3 normal(k == 0 ? Vec3(1, 0, 0) : Vec3(0, 1, 0));
            Constraint::PointInPlane(K2, normal, (E - c2)[k], body, E - center);
        }
    };
    close(K3, c3), close(K4, c4), close(K6, c6);
    Force::TwoPointLinearSpring(w->forces, ground, C, K3, D - c3, 4530, .07785);
    Force::MobilityConstantForce(w->forces, K1, 0, .033);
    w->start = w->system.realizeTopology();
    w->until = 0.05;
    w->sample = {0.0125, 0.025, 0.0375, 0.05};
    w->layout = peers::andrews();
    w->monitor = [K1](const State &s, Watch &watch) {
        watch.crank_is(K1.getAngle(s));
        watch.crank_sample((int)std::lround(s.getTime() / 0.0125) - 1);
    };
    return w;
}

struct Setting {
    std::string method;
    double accuracy, constraint; // constraint tolerance, 0: Simbody's choice (a tenth of the accuracy)
    bool infinity_norm;
    double step = 0; // fixed, 0: chosen by the method
};

std::unique_ptr<Integrator> make_integrator(Workload &w, const Setting &setting) {
    std::unique_ptr<Integrator> integ;
    if (setting.method == "RungeKuttaMerson")
        integ.reset(new RungeKuttaMersonIntegrator(w.system));
    else if (setting.method == "RungeKuttaFeldberg")
        integ.reset(new RungeKuttaFeldbergIntegrator(w.system));
    else if (setting.method == "RungeKutta3")
        integ.reset(new RungeKutta3Integrator(w.system));
    else if (setting.method == "RungeKutta2")
        integ.reset(new RungeKutta2Integrator(w.system));
    else if (setting.method == "SemiExplicitEuler")
        integ.reset(new SemiExplicitEulerIntegrator(w.system, setting.step));
    else if (setting.method == "Verlet")
        integ.reset(new VerletIntegrator(w.system));
    else
        integ.reset(new CPodesIntegrator(w.system, CPodes::Adams, CPodes::Functional));
    if (setting.method != "SemiExplicitEuler") {
        integ->setAccuracy(setting.accuracy);
        if (setting.step > 0)
            integ->setFixedStepSize(setting.step);
    }
    if (setting.constraint > 0)
        integ->setConstraintTolerance(setting.constraint);
    integ->setUseInfinityNorm(setting.infinity_norm);
    return integ;
}

struct Outcome {
    double median = 0, minimum = 0, error = 0;
    long steps = 0, evaluations = 0;
    std::string trouble;
    double error_run = 0, reached = 0; // CPU seconds of the run that determines the error, and the time it reached
};

// One run; returns its CPU seconds. stepTo also returns at the start and at the end of intervals. Stopped after `longest` seconds.
double one_run(Workload &w, const Setting &setting, Watch *watch, double longest, Outcome &out) {
    auto integ = make_integrator(w, setting);
    integ->setFinalTime(w.until);
    integ->setReturnEveryInternalStep(watch && w.sample.empty());
    if (watch || longest < 1e30)
        integ->setInternalStepLimit(200);
    double begin = cpu_seconds();
    auto on = [&] { return cpu_seconds() - begin < longest && !(watch && watch->lost()); };
    auto note = [&] {
        out.reached = integ->getTime();
        out.steps = integ->getNumStepsTaken();
        out.evaluations = integ->getNumRealizations();
    };
    try {
        integ->initialize(w.start);
        if (watch && w.sample.empty()) {
            while (on() && integ->stepTo(w.until) != Integrator::EndOfSimulation)
                w.monitor(integ->getState(), *watch);
        } else {
            for (double t : watch ? w.sample : std::vector<double>{w.until}) {
                while (on() && integ->getTime() < t && integ->stepTo(t) != Integrator::EndOfSimulation) {
                }
                if (watch && integ->getTime() >= t)
                    w.monitor(integ->getState(), *watch);
            }
        }
    } catch (const std::exception &) {
        char text[80];
        std::snprintf(text, sizeof text, "; fails at %.4g s", integ->getTime());
        out.trouble = text;
    }
    note();
    return cpu_seconds() - begin;
}

// Error from one run with samples, time from `repeat` runs without samples, or from the same run if it took more than two seconds or the
// error is above `most`.
Outcome measure(Workload &w, const Setting &setting, int repeat, double longest = 1e30, double most = INFINITY) {
    Outcome out;
    Watch watch(w.layout);
    out.error_run = out.median = out.minimum = one_run(w, setting, &watch, longest, out);
    out.error = watch.error;
    double goal = w.sample.empty() ? w.until : w.sample.back();
    if (out.trouble.empty())
        out.trouble = watch.trouble();
    if (out.trouble.empty() && out.reached < goal * (1 - 1e-9)) {
        char text[80];
        std::snprintf(text, sizeof text, "; given up at %.4g s of motion", out.reached);
        out.trouble = text;
    }
    if (out.reached < goal * (1 - 1e-9) || (out.error_run > 2 && w.until == goal) || out.error > most)
        return out;
    std::vector<double> times;
    for (int k = 0; k < repeat + 1 && (k < 2 || out.error_run < 1); k++) {
        double used = one_run(w, setting, nullptr, longest < 1e30 ? 3 * longest : longest, out);
        if (out.trouble.empty() && out.reached < w.until * (1 - 1e-9))
            out.trouble = "; too slow after the samples";
        if (k > 0 || repeat == 0) // the first one warms up
            times.push_back(used);
    }
    std::sort(times.begin(), times.end());
    out.median = times[times.size() / 2];
    out.minimum = times[0];
    return out;
}

void print(const char *workload, double target, const Setting &s, const Outcome &o, const char *variant) {
    char how[80];
    if (s.step > 0)
        std::snprintf(how, sizeof how, "step=%g", s.step);
    else
        std::snprintf(how, sizeof how, "accuracy=%g norm=%s", s.accuracy, s.infinity_norm ? "max" : "rms");
    std::printf("%s,%g,simbody,%s %s constraint=%g%s%s,%.3f,%.3f,%.3g,%ld,%ld\n", workload, target, s.method.c_str(), how, s.constraint,
                variant, o.trouble.c_str(), 1e3 * o.median, 1e3 * o.minimum, o.error, o.steps, o.evaluations);
    std::fflush(stdout);
}

struct Job {
    const char *name, *variant;
    double target;
    std::function<std::unique_ptr<Workload>()> make;
    Setting best;
    double longest = 1; // seconds; slower runs are stopped
};

void scan(const Job &job) {
    auto w = job.make();
    Setting best{}, farthest{};
    Outcome best_outcome, farthest_outcome;
    best_outcome.minimum = job.longest;
    const bool large = job.longest > 1; // fewer settings are tried, since each of them is expensive
    // false: too slow, so that smaller tolerances need not be tried; or large, and the target is met
    auto attempt = [&](const Setting &s) {
        double longest = large ? best_outcome.minimum : 2.5 * best_outcome.minimum;
        Outcome o = large ? measure(*w, s, 0, longest, job.target) : measure(*w, s, 1, longest);
        bool meets = o.trouble.empty() && o.error <= job.target;
        if (large)
            std::fprintf(stderr, "  %s %s accuracy=%g norm=%s constraint=%g step=%g: %.3g ms, error %.3g%s\n", job.name, s.method.c_str(),
                         s.accuracy, s.infinity_norm ? "max" : "rms", s.constraint, s.step, 1e3 * o.minimum, o.error, o.trouble.c_str());
        if (o.reached > farthest_outcome.reached) {
            farthest_outcome = o;
            farthest = s;
        }
        if (meets && o.minimum < best_outcome.minimum) {
            best_outcome = o;
            best = s;
        }
        return o.error_run <= longest && !(large && meets);
    };
    for (const char *method : {"RungeKuttaMerson", "RungeKuttaFeldberg", "RungeKutta3", "CPodes", "Verlet", "RungeKutta2"})
        for (bool norm : {false, true})
            for (double ratio : {0.0, 1.0, 10.0, 100.0}) {
                if (large && (ratio > 1 || (ratio > 0 && norm) || (ratio > 0 && job.name[1] == '3'))) // W3 has no constraint equations
                    continue;
                for (double accuracy = large ? 0.03 : 0.1; accuracy > 2e-9; accuracy *= std::pow(10.0, large ? -0.5 : -0.25))
                    if (!attempt({method, accuracy, std::min(ratio * accuracy, 0.1), norm}))
                        break;
            }
    // between the accuracy that was sufficient and the one before it
    for (int k = 3; large && !best.method.empty() && best.step == 0 && k > 0; k--) {
        Setting looser = best;
        looser.accuracy *= std::pow(10.0, 0.125 * k);
        looser.constraint = best.constraint > 0 ? looser.accuracy : 0;
        if (!attempt(looser))
            break;
    }
    // methods that choose their steps stop at the singular configurations of W2; those with fixed steps may pass
    for (const char *method : {"RungeKuttaMerson", "RungeKutta3", "RungeKutta2", "SemiExplicitEuler"})
        for (double step = 0.02; job.name[1] == '2' && attempt({method, 0.1, 1e-9, false, step}); step /= 1.19) {
        }
    if (best.method.empty())
        print(job.name, job.target, farthest, farthest_outcome, job.variant);
    else
        print(job.name, job.target, best, measure(*w, best, 9), job.variant);
}

} // namespace

int main(int argc, char **argv) {
    // the cheapest settings `scan` found
    const std::vector<Job> jobs = {
        {"W1", " rows=5", 1e-3, [] { return bricard(5); }, {"RungeKuttaMerson", 5.62341e-6, 5.62341e-5, false}},
        {"W1", " rows=4", 1e-3, [] { return bricard(4); }, {"RungeKuttaMerson", 5.62341e-5, 5.62341e-3, false}},
        {"W2-10", "", 0.1, [] { return four_bars(10); }, {"RungeKutta2", 0.1, 1e-9, false, 0.0085}, 5},
        {"W2-40", "", 0.1, [] { return four_bars(40); }, {"RungeKutta2", 0.1, 1e-9, false, 0.0065}, 30},
        {"W2-160", "", 0.1, [] { return four_bars(160); }, {"RungeKutta2", 0.1, 1e-9, false, 0.02}, 10},
        {"W3-5", "", 1e-2, [] { return chain(5); }, {"CPodes", 1e-4, 0, false}},
        {"W3-5", "", 1e-4, [] { return chain(5); }, {"CPodes", 1.77828e-7, 0, false}},
        {"W3-50", "", 1e-2, [] { return chain(50); }, {"RungeKuttaMerson", 1.68702e-3, 0, false}, 2},
        {"W3-50", "", 1e-4, [] { return chain(50); }, {"RungeKuttaMerson", 9.48683e-6, 0, false}, 2},
        {"W3-500", "", 1e-2, [] { return chain(500); }, {"RungeKutta3", 1.5e-3, 0, false}, 10},
        {"W4-100", "", 1e-2, [] { return chain(100, true); }, {"RungeKuttaMerson", 1.2e-3, 0, false}, 5},
        {"W4-100", "", 1e-4, [] { return chain(100, true); }, {"RungeKuttaMerson", 2.5e-5, 0, false}, 5},
        {"W5", "", 1e-2, [] { return andrews(); }, {"RungeKuttaFeldberg", 1.77828e-4, 1.77828e-2, false}},
        {"W5", "", 1e-4, [] { return andrews(); }, {"RungeKuttaFeldberg", 3.16228e-7, 3.16228e-6, false}},
    };
    if (argc == 6 && std::strcmp(argv[1], "once") == 0) {
        for (const Job &job : jobs)
            if (std::strcmp(argv[2], job.name) == 0) {
                auto w = job.make();
                Setting s{argv[3], std::atof(argv[4]), 0, std::strcmp(argv[5], "max") == 0};
                print(job.name, job.target, s, measure(*w, s, 1, job.longest), job.variant);
                return 0;
            }
        return 2;
    }
    bool scanning = argc > 1 && std::strcmp(argv[1], "scan") == 0;
    for (const Job &job : jobs) {
        bool wanted = argc <= 2;
        for (int k = 2; k < argc; k++)
            wanted = wanted || std::strcmp(argv[k], job.name) == 0;
        if (!wanted)
            continue;
        if (scanning) {
            scan(job);
            continue;
        }
        auto w = job.make();
        print(job.name, job.target, job.best, measure(*w, job.best, 9, std::max(job.longest, 5.0)), job.variant);
    }
    return 0;
}
