// The workloads of contact_peers.hpp with Simbody: its SemiExplicitEulerTimeStepper with points on planes as unilateral contacts
// (Newton's or Poisson's law; impulses by the pivoting solver PLUS or by sweeps, PGS).
#include "contact_peers.hpp"

#include <Simbody.h>
#include <unistd.h>

using namespace SimTK;

namespace {

using contact::Layout;
using contact::Machine;
using contact::Place;
using contact::Tip;
using peers::vec;

using Stepper = SemiExplicitEulerTimeStepper;

struct Setting {
    Stepper::ImpulseSolverType solver;
    Stepper::RestitutionModel law;
    double transition; // sliding speed below which friction is static, m/s
    Stepper::PositionProjectionMethod projection = Stepper::Bilateral;
};

Vec3 simbody(vec v) { return Vec3(v.x, v.y, v.z); }

class Simbody : public Machine {
  public:
    Simbody(const Layout &l, const Setting &s) {
        Force::UniformGravity(forces, matter, Vec3(0, -l.gravity, 0));
        const double quarter = Pi / 2;
        for (const contact::Body &b : l.body) {
            MassProperties mass(b.mass, Vec3(0), Inertia(b.inertia, b.inertia, b.inertia));
            MobilizedBody parent = b.parent < 0 ? MobilizedBody(matter.Ground()) : body[(size_t)b.parent];
            if (b.slides) { // a massless body slides along its x, which is y
                Rotation R(quarter, ZAxis);
                parent = MobilizedBody::Slider(matter.Ground(), Transform(R, Vec3(0)), Body::Massless(), Transform(R, Vec3(0)));
                rail = parent;
            }
            vec from = b.parent < 0 ? b.hinge : b.hinge - l.body[(size_t)b.parent].center;
            body.push_back(
                MobilizedBody::Pin(parent, Transform(simbody(from)), SimTK::Body::Rigid(mass), Transform(simbody(b.hinge - b.center))));
        }
        if (l.spring > 0)
            Force::MobilityLinearSpring(forces, body[1], MobilizerQIndex(0), l.spring, l.body[0].angle - l.body[1].angle);
        for (const Tip &t : l.tip) {
            Vec3 at = simbody(t.at - l.body[(size_t)t.body].center);
            UnitVec3 n(simbody(t.normal));
            if (t.friction > 0)
                matter.adoptUnilateralContact(new PointPlaneContact(matter.Ground(), n, t.offset, body[(size_t)t.body], at, t.restitution,
                                                                    t.friction, t.friction, 0));
            else
                matter.adoptUnilateralContact(
                    new PointPlaneFrictionlessContact(matter.Ground(), n, t.offset, body[(size_t)t.body], at, t.restitution));
        }
        State start = system.realizeTopology();
        for (size_t i = 0; i < l.body.size(); i++)
            body[i].setOneU(start, 0, l.body[i].rate);
        if (l.body[0].slides)
            rail.setOneU(start, 0, l.body[0].speed);
        stepper.reset(new Stepper(system));
        stepper->setRestitutionModel(s.law);
        stepper->setInducedImpactModel(Stepper::Simultaneous);
        stepper->setPositionProjectionMethod(s.projection);
        stepper->setImpulseSolverType(s.solver);
        stepper->setAccuracy(1e-6);
        stepper->setConstraintTolerance(1e-9);
        stepper->setDefaultImpactCaptureVelocity(1e-3);
        stepper->setDefaultImpactMinCORVelocity(1e-3);
        stepper->setDefaultFrictionTransitionVelocity(s.transition);
        stepper->initialize(start);
    }
    void step(double h) override {
        steps++;
        try {
            stepper->stepTo(h * (double)steps);
        } catch (const std::exception &) {
            failed = true;
        }
    }
    Place place(int i) override {
        const State &s = stepper->getState();
        system.realize(s, Stage::Velocity);
        const Transform &X = body[(size_t)i].getBodyTransform(s);
        Vec3 p = X.p(), w = body[(size_t)i].getBodyAngularVelocity(s);
        return {{p[0], failed ? NAN : p[1], p[2]}, failed ? NAN : std::atan2(X.R()(0)[1], X.R()(0)[0]), w[2]};
    }

  private:
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBody> body;
    MobilizedBody rail;
    std::unique_ptr<Stepper> stepper;
    long steps = 0;
    bool failed = false;
};

contact::Variant variant(const std::string &name, const Setting &s, const std::string &only = "") {
    return {name, [s](const Layout &l) { return std::unique_ptr<Machine>(new Simbody(l, s)); }, only};
}

} // namespace

int main(int argc, char **argv) {
    // the package was built with messages about every step; those by streams then cost little
    contact::output = fdopen(dup(1), "w");
    std::cout.setstate(std::ios::failbit);
    if (!freopen("/dev/null", "w", stdout))
        return 1;
    const std::vector<contact::Variant> variants = {
        variant("PLUS newton", {Stepper::PLUS, Stepper::Newton, 1e-3}),
        variant("PGS newton", {Stepper::PGS, Stepper::Newton, 1e-3}),
        variant("PLUS poisson", {Stepper::PLUS, Stepper::Poisson, 1e-3}),
        variant("PLUS newton unprojected", {Stepper::PLUS, Stepper::Newton, 1e-3, Stepper::NoPositionProjection}),
        variant("PGS newton unprojected", {Stepper::PGS, Stepper::Newton, 1e-3, Stepper::NoPositionProjection}),
    };
    const std::vector<contact::Found> found = {
        {"woodpecker", "PGS newton unprojected", 0.01, 25600},
        {"woodpecker", "PGS newton unprojected", 0, 51200},
        {"slider_crank", "PLUS poisson", 0.01, 179},
        {"slider_crank", "PLUS newton", 0.001, 716},
        {"slider_crank", "PLUS newton", 0.0001, 5728},
        {"slider_crank", "PLUS newton", 0, 11456},
        {"slider_crank_mu", "PLUS poisson", 0.01, 179},
        {"slider_crank_mu", "PLUS newton", 0.001, 716},
        {"slider_crank_mu", "PLUS newton", 0.0001, 5728},
        {"slider_crank_mu", "PLUS newton", 0, 11456},
        {"chain_1.35", "PGS newton unprojected", 0.01, 3456},
        {"chain_1.35", "PGS newton unprojected", 0.001, 27648},
        {"chain_1.35", "PLUS poisson", 0, 27648},
        {"chain", "PGS newton unprojected", 0.01, 10240},
        {"chain", "PGS newton", 0, 20480},
    };
    return contact::main_of(argc, argv, "simbody", variants, found);
}
