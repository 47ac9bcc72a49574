// The workloads of contact_peers.hpp with DART: joint angles, contacts of small spheres with boxes by its own collision detector,
// complementarity problems by Dantzig's method or by sweeps, its own semi-implicit Euler step.
#include "contact_peers.hpp"

#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/ContactConstraint.hpp>
#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

namespace {

using namespace contact;
using Eigen::Vector3d;
using namespace dart;

Vector3d eigen(vec v) { return {v.x, v.y, v.z}; }

struct Setting {
    double erp;
    bool sweeps;
};

const double radius = 1e-5; // of the spheres, m of the scaled mechanism

class Dart : public Machine {
  public:
    Dart(const Layout &l, const Setting &s) : layout(l), world(simulation::World::create()) {
        using Constraint = constraint::ContactConstraint;
        Constraint::setErrorAllowance(0);
        Constraint::setErrorReductionParameter(s.erp);
        Constraint::setMaxErrorReductionVelocity(1e3);
        Constraint::setConstraintForceMixing(1e-9);
        std::shared_ptr<constraint::BoxedLcpSolver> lcp;
        if (s.sweeps)
            lcp = std::make_shared<constraint::PgsBoxedLcpSolver>();
        else
            lcp = std::make_shared<constraint::DantzigBoxedLcpSolver>();
        world->setConstraintSolver(std::make_unique<constraint::BoxedLcpConstraintSolver>(lcp, nullptr));
        world->getConstraintSolver()->setCollisionDetector(collision::DARTCollisionDetector::create());
        world->setGravity({0, -l.gravity, 0});
        auto tree = dynamics::Skeleton::create("tree");
        tree->setGravity({0, -l.gravity, 0});
        tree->disableSelfCollisionCheck();
        for (size_t i = 0; i < l.body.size(); i++) {
            const Body &b = l.body[i];
            dynamics::BodyNode *parent = b.parent < 0 ? nullptr : node[(size_t)b.parent];
            if (b.slides) {
                dynamics::PrismaticJoint::Properties joint;
                joint.mName = "rail";
                joint.mAxis = Vector3d(0, 1, 0);
                dynamics::BodyNode::AspectProperties body("rail");
                body.mInertia = dynamics::Inertia(1e-9 * b.mass, Vector3d::Zero(), Eigen::Matrix3d::Identity() * 1e-9 * b.inertia);
                auto made = tree->createJointAndBodyNodePair<dynamics::PrismaticJoint>(nullptr, joint, body);
                made.first->setVelocity(0, b.speed);
                parent = made.second;
            }
            dynamics::RevoluteJoint::Properties joint;
            joint.mName = "joint" + std::to_string(i);
            joint.mAxis = Vector3d(0, 0, 1);
            joint.mT_ParentBodyToJoint.translation() = eigen(b.parent < 0 ? b.hinge : b.hinge - l.body[(size_t)b.parent].center);
            joint.mT_ChildBodyToJoint.translation() = eigen(b.hinge - b.center);
            dynamics::BodyNode::AspectProperties body("body" + std::to_string(i));
            body.mInertia = dynamics::Inertia(b.mass, Vector3d::Zero(), Eigen::Matrix3d::Identity() * b.inertia);
            auto made = tree->createJointAndBodyNodePair<dynamics::RevoluteJoint>(parent, joint, body);
            made.first->setVelocity(0, b.rate);
            node.push_back(made.second);
            if (i == 1)
                hinge = made.first;
            for (const Tip &t : l.tip)
                if (t.body == (int)i)
                    add_shape(made.second, std::make_shared<dynamics::SphereShape>(radius), eigen(t.at - b.center),
                              Eigen::Matrix3d::Identity(), t);
        }
        world->addSkeleton(tree);
        for (size_t k = 0; k < l.tip.size(); k++) {
            const Tip &t = l.tip[k];
            auto same = [&](const Tip &o) { return o.normal.x == t.normal.x && o.normal.y == t.normal.y; };
            if (std::find_if(l.tip.begin(), l.tip.end(), same) != l.tip.begin() + (long)k)
                continue;
            auto ground = dynamics::Skeleton::create("ground" + std::to_string(k));
            auto fixed = ground->createJointAndBodyNodePair<dynamics::WeldJoint>(nullptr);
            const double thick = 20;
            vec at = (t.offset - radius - thick / 2) * t.normal;
            Tip plane = t;
            plane.restitution = 1, plane.friction = 1;
            add_shape(fixed.second,
                      std::make_shared<dynamics::BoxShape>(Vector3d(t.normal.x ? thick : 1000, t.normal.y ? thick : 1000, 20)), eigen(at),
                      Eigen::Matrix3d::Identity(), plane);
            ground->setMobile(false);
            world->addSkeleton(ground);
        }
    }
    void step(double h) override {
        if (layout.spring > 0)
            hinge->setForce(0, -layout.spring * (layout.body[1].angle - layout.body[0].angle + hinge->getPosition(0)));
        world->setTimeStep(h);
        world->step();
    }
    Place place(int i) override {
        const Eigen::Isometry3d &T = node[(size_t)i]->getTransform();
        return {{T.translation()[0], T.translation()[1], T.translation()[2]},
                std::atan2(T.linear()(1, 0), T.linear()(0, 0)),
                node[(size_t)i]->getAngularVelocity()[2]};
    }

  private:
    static void add_shape(dynamics::BodyNode *body, const dynamics::ShapePtr &shape, const Vector3d &at, const Eigen::Matrix3d &R,
                          const Tip &t) {
        auto *s = body->createShapeNodeWith<dynamics::CollisionAspect, dynamics::DynamicsAspect>(shape);
        Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
        T.translation() = at;
        T.linear() = R;
        s->setRelativeTransform(T);
        s->getDynamicsAspect()->setRestitutionCoeff(t.restitution);
        s->getDynamicsAspect()->setFrictionCoeff(t.friction);
    }
    const Layout &layout;
    simulation::WorldPtr world;
    std::vector<dynamics::BodyNode *> node;
    dynamics::RevoluteJoint *hinge = nullptr;
};

Variant variant(const std::string &name, const Setting &s, const std::string &only, double scale) {
    return {name, [s](const Layout &l) { return std::unique_ptr<Machine>(new Dart(l, s)); }, only, scale};
}

} // namespace

int main(int argc, char **argv) {
    // enlarged mechanisms, because bounces are suppressed where they are slower than 0.1 units per second; and limited to 100 units
    // per second
    const std::vector<Variant> variants = {
        variant("dantzig erp=0.01 unit=0.01m", {0.01, false}, "woodpecker slider", 100),
        variant("dantzig erp=0 unit=0.01m", {0, false}, "woodpecker slider", 100),
        variant("sweeps erp=0.01 unit=0.01m", {0.01, true}, "woodpecker slider", 100),
        variant("sweeps erp=0 unit=0.01m", {0, true}, "woodpecker slider", 100),
        variant("dantzig erp=0.01 unit=0.1m", {0.01, false}, "chain", 10),
        variant("dantzig erp=0 unit=0.1m", {0, false}, "chain", 10),
        variant("dantzig erp=0.01", {0.01, false}, "chain", 1),
    };
    const std::vector<Found> found = {
        {"woodpecker", "sweeps erp=0.01 unit=0.01m", 0.01, 51200},
        {"woodpecker", "sweeps erp=0.01 unit=0.01m", 0, 409600},
        {"slider_crank", "dantzig erp=0.01 unit=0.01m", 0.01, 179},
        {"slider_crank", "dantzig erp=0 unit=0.01m", 0.001, 716},
        {"slider_crank", "dantzig erp=0 unit=0.01m", 0.0001, 11456},
        {"slider_crank", "dantzig erp=0.01 unit=0.01m", 0, 22912},
        {"slider_crank_mu", "dantzig erp=0.01 unit=0.01m", 0.01, 179},
        {"slider_crank_mu", "dantzig erp=0 unit=0.01m", 0.001, 716},
        {"slider_crank_mu", "dantzig erp=0.01 unit=0.01m", 0.0001, 11456},
        {"slider_crank_mu", "dantzig erp=0.01 unit=0.01m", 0, 22912},
        {"chain_1.35", "dantzig erp=0.01 unit=0.1m", 0.01, 6912},
        {"chain_1.35", "dantzig erp=0 unit=0.1m", 0.001, 55296},
        {"chain_1.35", "dantzig erp=0 unit=0.1m", 0, 55296},
        {"chain", "dantzig erp=0.01", 0.01, 10240},
        {"chain", "dantzig erp=0.01", 0, 40960},
    };
    return main_of(argc, argv, "dart", variants, found);
}
