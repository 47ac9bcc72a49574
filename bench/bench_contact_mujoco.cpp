// The workloads of contact_peers.hpp with MuJoCo: contacts are springs with dampers. `omega`: angular frequency of a contact times the
// step; the damping ratio follows from the coefficient of restitution, for a mass that leaves when the force would pull; where it is
// zero, the damper stops a body in one step. Small spheres in place of points.
#include "contact_peers.hpp"

#include <cstdarg>
#include <mujoco/mujoco.h>

namespace {

using namespace contact;

struct Setting {
    int integrator;
    double omega;
    int cone;
    double stiffer = 1; // impedance of friction over that of the normal direction
};

const double radius = 1e-5; // of the spheres, m

double restitution(double z) { // of the damping ratio z
    double w = std::sqrt(1 - z * z), t = std::atan2(2 * z * w, -(1 - 2 * z * z)) / w;
    return -std::exp(-z * t) * (std::cos(w * t) - z / w * std::sin(w * t));
}

double damping(double e, double omega) {
    if (e <= 0)
        return 0.5 / omega;
    double low = 0, high = 0.9999;
    for (int k = 0; k < 60; k++)
        (restitution((low + high) / 2) > e ? low : high) = (low + high) / 2;
    return low;
}

std::string format(const char *how, ...) {
    char out[600];
    va_list list;
    va_start(list, how);
    std::vsnprintf(out, sizeof out, how, list);
    va_end(list);
    return out;
}

class Mujoco : public Machine {
  public:
    Mujoco(const Layout &l, const Setting &s) : layout(l), setting(s) {
        std::string world, close;
        for (size_t k = 0; k < l.tip.size(); k++) {
            const Tip &t = l.tip[k];
            vec at = (t.offset - radius) * t.normal;
            auto same = [&](const Tip &o) { return o.normal.x == t.normal.x && o.normal.y == t.normal.y; };
            if (std::find_if(l.tip.begin(), l.tip.end(), same) == l.tip.begin() + (long)k) // one plane for each normal
                world += format(
                    "<geom type='plane' size='1 1 1' pos='%.17g %.17g 0' zaxis='%g %g 0' contype='1' conaffinity='0' friction='0 0 0'/>",
                    at.x, at.y, t.normal.x, t.normal.y);
        }
        for (size_t i = 0; i < l.body.size(); i++) {
            const Body &b = l.body[i];
            vec from = b.center - (b.parent < 0 ? vec{} : l.body[(size_t)b.parent].center), pin = b.hinge - b.center;
            world += format("<body name='b%d' pos='%.17g %.17g 0'><inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
                            (int)i, from.x, from.y, b.mass, b.inertia, b.inertia, b.inertia);
            if (b.slides)
                world += "<joint type='slide' axis='0 1 0'/>";
            world += format("<joint type='hinge' axis='0 0 1' pos='%.17g %.17g 0'", pin.x, pin.y);
            if (i == 1 && l.spring > 0)
                world += format(" stiffness='%.17g' springref='%.17g'", l.spring, (l.body[0].angle - b.angle) * 180 / M_PI);
            world += "/>";
            for (const Tip &t : l.tip)
                if (t.body == (int)i) {
                    vec at = t.at - b.center;
                    world += format(
                        "<geom type='sphere' size='%g' pos='%.17g %.17g 0' contype='0' conaffinity='1' priority='1' mass='0' condim='%d' "
                        "friction='%g 0 0' solimp='0.9999 0.9999 0.001 0.5 2'/>",
                        radius, at.x, at.y, t.friction > 0 ? 3 : 1, t.friction);
                }
            close += "</body>";
        }
        std::string text = "<mujoco><compiler coordinate='local' inertiafromgeom='false'/><size njmax='100' nconmax='30'/>" +
                           format("<option gravity='0 %.17g 0'/>", -l.gravity) + "<worldbody>" + world + close + "</worldbody></mujoco>";
        char error[500];
        mjVFS *files = new mjVFS;
        mj_defaultVFS(files);
        mj_makeEmptyFileVFS(files, "m.xml", (int)text.size());
        std::memcpy(files->filedata[0], text.data(), text.size());
        model = mj_loadXML("m.xml", files, error, sizeof error);
        mj_deleteVFS(files);
        delete files;
        if (!model)
            std::fprintf(stderr, "%s\n", error), std::exit(1);
        model->opt.integrator = s.integrator;
        model->opt.solver = mjSOL_NEWTON;
        model->opt.cone = s.cone;
        model->opt.impratio = s.stiffer;
        model->opt.tolerance = 1e-10;
        data = mj_makeData(model);
        int k = 0;
        for (const Body &b : l.body) {
            if (b.slides)
                data->qvel[k++] = b.speed;
            data->qvel[k++] = b.rate;
        }
    }
    ~Mujoco() override {
        mj_deleteData(data);
        mj_deleteModel(model);
    }
    void step(double h) override {
        if (model->opt.timestep != h) {
            model->opt.timestep = h;
            int g = 0;
            for (int i = 0; i < model->ngeom; i++)
                if (model->geom_type[i] == mjGEOM_SPHERE) {
                    // geoms are in the order of bodies
                    std::vector<const Tip *> own;
                    for (size_t b = 0; b < layout.body.size(); b++)
                        for (const Tip &t : layout.tip)
                            if (t.body == (int)b)
                                own.push_back(&t);
                    model->geom_solref[i * mjNREF] = -std::pow(setting.omega / h, 2);
                    model->geom_solref[i * mjNREF + 1] = -2 * damping(own[(size_t)g++]->restitution, setting.omega) * setting.omega / h;
                }
        }
        mj_step(model, data);
        stale = true;
    }
    Place place(int i) override {
        if (stale) {
            mj_kinematics(model, data);
            mj_comPos(model, data);
            mj_comVel(model, data);
            stale = false;
        }
        mjtNum motion[6];
        mj_objectVelocity(model, data, mjOBJ_BODY, i + 1, motion, 0);
        const mjtNum *x = data->xipos + 3 * (i + 1), *R = data->xmat + 9 * (i + 1);
        Place p{{x[0], x[1], x[2]}, std::atan2(R[3], R[0]), motion[2]};
        for (int k : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_CNSTRFULL})
            if (data->warning[k].number > 0)
                p.center.y = p.angle = NAN;
        return p;
    }

  private:
    const Layout &layout;
    Setting setting;
    mjModel *model;
    mjData *data;
    bool stale = true;
};

Variant variant(const std::string &name, const Setting &s, const std::string &only = "") {
    return {name, [s](const Layout &l) { return std::unique_ptr<Machine>(new Mujoco(l, s)); }, only};
}

} // namespace

int main(int argc, char **argv) {
    mju_user_warning = [](const char *) {};
    const std::vector<Variant> variants = {
        variant("Euler omega=0.01", {mjINT_EULER, 0.01, mjCONE_ELLIPTIC}),
        variant("Euler omega=0.03", {mjINT_EULER, 0.03, mjCONE_ELLIPTIC}),
        variant("RK4 omega=0.03", {mjINT_RK4, 0.03, mjCONE_ELLIPTIC}),
        variant("Euler omega=0.03 impratio=100", {mjINT_EULER, 0.03, mjCONE_ELLIPTIC, 100}, "woodpecker"),
        variant("Euler omega=0.1", {mjINT_EULER, 0.1, mjCONE_ELLIPTIC}),
        variant("Euler omega=0.3", {mjINT_EULER, 0.3, mjCONE_ELLIPTIC}),
        variant("Euler pyramid omega=0.3", {mjINT_EULER, 0.3, mjCONE_PYRAMIDAL}, "woodpecker"),
        variant("RK4 omega=0.1", {mjINT_RK4, 0.1, mjCONE_ELLIPTIC}),
        variant("RK4 omega=0.3", {mjINT_RK4, 0.3, mjCONE_ELLIPTIC}),
        variant("Euler omega=0.1 impratio=100", {mjINT_EULER, 0.1, mjCONE_ELLIPTIC, 100}, "woodpecker"),
        variant("Euler omega=0.3 impratio=100", {mjINT_EULER, 0.3, mjCONE_ELLIPTIC, 100}, "woodpecker"),
        variant("RK4 omega=0.3 impratio=100", {mjINT_RK4, 0.3, mjCONE_ELLIPTIC, 100}, "woodpecker"),
        variant("RK4 omega=1", {mjINT_RK4, 1, mjCONE_ELLIPTIC}),
    };
    const std::vector<Found> found = {
        {"woodpecker", "Euler omega=0.01", 0, 25600},
        {"slider_crank", "Euler omega=0.3", 0.01, 179},
        {"slider_crank", "Euler omega=0.3", 0.001, 1432},
        {"slider_crank", "Euler omega=0.03", 0.0001, 45824},
        {"slider_crank", "Euler omega=0.1", 0, 45824},
        {"slider_crank_mu", "Euler omega=0.3", 0.01, 179},
        {"slider_crank_mu", "Euler omega=0.3", 0.001, 22912},
        {"slider_crank_mu", "RK4 omega=1", 0, 716},
        {"chain_1.35", "RK4 omega=0.3", 0, 27648},
        {"chain", "RK4 omega=0.3", 0, 40960},
    };
    return main_of(argc, argv, "mujoco", variants, found);
}
