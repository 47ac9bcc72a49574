// The workloads of bench.c with DART: joint angles of trees, articulated bodies. Loops are closed by its ball joint constraints, two on the
// axis of spatial hinges, and integrated by its own semi-implicit Euler step (order 1). Without loops its forward dynamics is also used in
// a Runge-Kutta method of order 4 written here. `bench_dart scan` searches for settings.
#include "peers.hpp"

#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

namespace {

using namespace peers;
using Eigen::Vector3d;
using Eigen::VectorXd;
using namespace dart;

Vector3d eigen(vec v) { return {v.x, v.y, v.z}; }
vec plain(const Vector3d &v) { return {v[0], v[1], v[2]}; }

class Dart : public Mechanism {
  public:
    Dart(const Layout &l, double erp, double cfm, bool own_rk4) : layout(l), rk4(own_rk4), world(simulation::World::create()) {
        using Constraint = constraint::DynamicJointConstraint;
        Constraint::setErrorAllowance(0);
        Constraint::setErrorReductionParameter(erp);
        Constraint::setMaxErrorReductionVelocity(1e3);
        Constraint::setConstraintForceMixing(cfm);
        world->setGravity(eigen(l.gravity));
        for (size_t i = 0; i < l.body.size(); i++) {
            const Body &b = l.body[i];
            const Joint &j = l.joint[(size_t)b.parent_joint];
            dynamics::BodyNode *parent = j.a < 0 ? nullptr : node[(size_t)j.a];
            if (!parent) {
                skeleton.push_back(dynamics::Skeleton::create("tree" + std::to_string(i)));
                skeleton.back()->setGravity(eigen(l.gravity));
            }
            dynamics::RevoluteJoint::Properties joint;
            joint.mName = "joint" + std::to_string(i);
            joint.mAxis = eigen(j.axis);
            joint.mT_ParentBodyToJoint.translation() = eigen(j.a < 0 ? j.at : j.at - l.body[(size_t)j.a].center);
            joint.mT_ChildBodyToJoint.translation() = eigen(j.at - b.center);
            dynamics::BodyNode::AspectProperties body("body" + std::to_string(i));
            body.mInertia = dynamics::Inertia(b.mass, Vector3d::Zero(), eigen(b.inertia).asDiagonal());
            auto tree = parent ? parent->getSkeleton() : skeleton.back();
            auto made = tree->createJointAndBodyNodePair<dynamics::RevoluteJoint>(parent, joint, body);
            made.first->setVelocity(0, j.rate);
            node.push_back(made.second);
        }
        for (auto &s : skeleton)
            world->addSkeleton(s);
        for (const Joint &j : l.joint)
            if (j.closes)
                for (int k = 0; k < (l.planar ? 1 : 2); k++) {
                    Vector3d at = eigen(j.at) + k * eigen(j.axis);
                    auto *solver = world->getConstraintSolver();
                    if (j.a < 0)
                        solver->addConstraint(std::make_shared<constraint::BallJointConstraint>(node[(size_t)j.b], at));
                    else
                        solver->addConstraint(std::make_shared<constraint::BallJointConstraint>(node[(size_t)j.a], node[(size_t)j.b], at));
                }
    }
    void step(double h) override {
        if (rk4)
            return runge_kutta(h);
        if (layout.spring_body >= 0) {
            dynamics::BodyNode *body = node[(size_t)layout.spring_body];
            vec at, force = spring_force(layout, pose_of(body), &at);
            body->setExtForce(eigen(force), eigen(at), false, false);
            node[0]->getParentJoint()->setForce(0, layout.torque);
        }
        world->setTimeStep(h);
        world->step();
    }
    Pose pose(int i) override { return pose_of(node[(size_t)i]); }

  private:
    Pose pose_of(dynamics::BodyNode *body) {
        const Eigen::Isometry3d &T = body->getTransform();
        Pose p{plain(T.translation()), plain(body->getLinearVelocity()), plain(body->getAngularVelocity()), {}};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                p.R[r][c] = T.linear()(r, c);
        return p;
    }
    VectorXd acceleration(const VectorXd &q, const VectorXd &v) {
        skeleton[0]->setPositions(q);
        skeleton[0]->setVelocities(v);
        skeleton[0]->computeForwardDynamics();
        return skeleton[0]->getAccelerations();
    }
    void runge_kutta(double h) {
        const VectorXd q = skeleton[0]->getPositions(), v = skeleton[0]->getVelocities();
        const VectorXd a1 = acceleration(q, v), v2 = v + h / 2 * a1, a2 = acceleration(q + h / 2 * v, v2), v3 = v + h / 2 * a2,
                       a3 = acceleration(q + h / 2 * v2, v3), v4 = v + h * a3, a4 = acceleration(q + h * v3, v4);
        skeleton[0]->setPositions(q + h / 6 * (v + 2 * v2 + 2 * v3 + v4));
        skeleton[0]->setVelocities(v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4));
    }
    const Layout &layout;
    bool rk4;
    simulation::WorldPtr world;
    std::vector<dynamics::SkeletonPtr> skeleton;
    std::vector<dynamics::BodyNode *> node;
};

Variant variant(const std::string &name, double erp, double cfm, bool rk4, const std::string &only) {
    return {name, [=](const Layout &l) { return std::unique_ptr<Mechanism>(new Dart(l, erp, cfm, rk4)); }, only,
            rk4 ? 640.0 : 2560.0}; // with longer steps the method of order 1 fails in assertions of the package
}

} // namespace

int main(int argc, char **argv) {
    const std::vector<Variant> variants = {
        variant("forward dynamics in own rk4", 0, 1e-9, true, "W3"),    variant("step erp=0.01 cfm=1e-9", 0.01, 1e-9, false, "W1 W2 W5"),
        variant("step erp=0.2 cfm=1e-9", 0.2, 1e-9, false, "W1 W2 W5"), variant("step erp=0.8 cfm=1e-9", 0.8, 1e-9, false, "W1 W2 W5"),
        variant("step erp=0.2 cfm=1e-5", 0.2, 1e-5, false, "W2"),       variant("step erp=0.2 cfm=1e-3", 0.2, 1e-3, false, "W2"),
    };
    const std::vector<Found> found = {
        {"W1", "step erp=0.8 cfm=1e-9", 1e-3, 589820},        {"W2-10", "step erp=0.2 cfm=1e-9", 0.1, 40960},
        {"W2-40", "step erp=0.01 cfm=1e-9", 0.1, 2560},       {"W2-160", "step erp=0.01 cfm=1e-9", 0.1, 1280},
        {"W3-5", "forward dynamics in own rk4", 1e-2, 680},   {"W3-5", "forward dynamics in own rk4", 1e-4, 1960},
        {"W3-50", "forward dynamics in own rk4", 1e-2, 640},  {"W3-50", "forward dynamics in own rk4", 1e-4, 2240},
        {"W3-500", "forward dynamics in own rk4", 1e-2, 720}, {"W5", "step erp=0.8 cfm=1e-9", 1e-2, 5120},
        {"W5", "step erp=0.8 cfm=1e-9", 1e-4, 450000},
    };
    return main_of(argc, argv, "dart", variants, found, [](const std::string &name) { return name.back() == '4' ? 4 : 1; });
}
