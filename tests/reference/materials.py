"""Stresses of the material laws made another way than biela makes them; writes materials.txt. Run with python3 (numpy).

Elastic laws: Kirchhoff stress (dW/dF) F^T by complex steps of the stored energy alone; in plane stress F33 minimizes the energy.
Plasticity in plane stress: the implicit equations in the three stresses and the amount of flow, with the projected quadratic form (Simo and
Taylor 1986), solved by Newton's method; no strain 33 occurs.
Increments: matrices step by step with a square root and a logarithm by eigenvalues.
Lines: "law KIND STRAIN PLANE OPTIONS", then places "F (9 numbers) tau (6 numbers)" one after the other along a path, then "end".
"""
import pathlib

import numpy as np

rng = np.random.default_rng(5)
E, NU = 1000.0, 0.3
LAM, MU, KAPPA = E * NU / ((1 + NU) * (1 - 2 * NU)), E / (2 * (1 + NU)), E / (3 * (1 - 2 * NU))
ORDER = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]


# ---- stored energies, of complex F too

def green(F):
    G = (F.T @ F - np.eye(3)) / 2
    return LAM / 2 * np.trace(G) ** 2 + MU * np.trace(G @ G)


def neo_hookean(F):
    J = np.linalg.det(F)
    return LAM / 2 * np.log(J) ** 2 - MU * np.log(J) + MU / 2 * (np.trace(F.T @ F) - 3)


def nearly_incompressible(F):
    J = np.linalg.det(F)
    return MU / 2 * (J ** (-2 / 3) * np.trace(F.T @ F) - 3) + KAPPA / 2 * (J - 1) ** 2


def hencky(F):
    e = np.log(np.linalg.eigvals(F.T @ F)) / 2
    return LAM / 2 * np.sum(e) ** 2 + MU * np.sum(e ** 2)


def kirchhoff(W, F):
    P = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            step = F.astype(complex)
            step[i, j] += 1e-30j
            P[i, j] = W(step).imag / 1e-30
    return P @ F.T


def thickness(W, F):
    """F33 with stress 33 = 0, by bisection on its logarithm, which any growing function allows"""
    low, high = -3.0, 3.0
    for _ in range(200):
        F[2, 2] = np.exp((low + high) / 2)
        if kirchhoff(W, F)[2, 2] > 0:
            high = (low + high) / 2
        else:
            low = (low + high) / 2
    return F


def gradient(plane, size):
    F = np.eye(3)
    n = 3 if plane == "space" else 2
    F[:n, :n] += size * (2 * rng.random((n, n)) - 1)
    if plane == "axisymmetric":
        F[2, 2] += size * (2 * rng.random() - 1)
    return F


# ---- plasticity in plane stress

def flow_in_plane(options, strain, state):
    """state: plastic strain (11, 22, g12), back stress (11, 22, 12), equivalent plastic strain"""
    sy, H1, H2 = options
    C = E / (1 - NU ** 2) * np.array([[1, NU, 0], [NU, 1, 0], [0, 0, (1 - NU) / 2]])
    P = np.array([[2, -1, 0], [-1, 2, 0], [0, 0, 6]]) / 3  # s.s = sigma P sigma
    plastic, back, a = state
    sigma = C @ (strain - plastic)

    def radius(x):
        return np.sqrt(x @ P @ x)

    if radius(sigma - back) <= np.sqrt(2 / 3) * (sy + H1 * a):
        return sigma, state

    def equations(z):
        s, g = z[:3], z[3]
        q = back + 2 / 3 * H2 * g * (s - back) / (1 + 2 / 3 * H2 * g)  # q = back + (2/3) H2 g (s - q)
        xi = s - q
        norm = np.sqrt(xi @ P @ xi)
        new = a + np.sqrt(2 / 3) * g * norm
        return np.concatenate([s - sigma + C @ (g * P @ xi), [norm - np.sqrt(2 / 3) * (sy + H1 * new)]]), q, new, P @ xi

    z = np.concatenate([sigma, [0.0]])
    for _ in range(100):
        J = np.zeros((4, 4))
        for k in range(4):
            step = z.astype(complex)
            step[k] += 1e-30j
            J[:, k] = equations(step)[0].imag / 1e-30
        change = np.linalg.solve(J, equations(z)[0])
        z = z - change
        if np.max(np.abs(change[:3])) < 1e-13 * np.max(np.abs(z[:3])) and abs(change[3]) < 1e-14:
            break
    _, q, new, direction = equations(z)
    return z[:3], (plastic + z[3] * direction, q, new)


# ---- increments

def function_of(S, f):
    value, V = np.linalg.eigh(S)
    return V @ np.diag(f(value)) @ V.T


def linear(e):
    return LAM * np.trace(e) * np.eye(3) + 2 * MU * e


def polar(sigma, f):
    U = function_of(f.T @ f, np.sqrt)
    R = f @ np.linalg.inv(U)
    return R @ (sigma + linear(function_of(U, np.log))) @ R.T


def midpoint(sigma, f):
    G = 2 * (f - np.eye(3)) @ np.linalg.inv(f + np.eye(3))
    d, w = (G + G.T) / 2, (G - G.T) / 2
    R = np.linalg.solve(np.eye(3) - w / 2, np.eye(3) + w / 2)
    value, V = np.linalg.eig(R)  # square root of a rotation by its complex eigenvalues
    r = (V @ np.diag(np.sqrt(value)) @ np.linalg.inv(V)).real
    return R @ sigma @ R.T + r @ linear(d) @ r.T


def line(out, F, tau):
    out.append(" ".join("%.17g" % x for x in list(F.flatten()) + [tau[i, j] for i, j in ORDER]))


def main():
    out = []
    solid = "E=1000,nu=0.3"
    laws = [("st_venant_kirchhoff", "green", green), ("neo_hookean", "left", neo_hookean),
            ("nearly_incompressible", "left", nearly_incompressible), ("hencky", "logarithmic", hencky)]
    for kind, strain, W in laws:
        for plane in ("space", "strain", "stress", "axisymmetric"):
            if plane == "stress" and kind == "nearly_incompressible":
                continue  # incompressible there: a closed form, tested by itself
            out.append(f"law {kind} {strain} {plane} {solid}")
            for _ in range(4):
                F = gradient(plane, 0.35)
                if plane == "stress":
                    F = thickness(W, F)
                line(out, F, kirchhoff(W, F))
            out.append("end")
    for share in (0.0, 0.35, 1.0):
        sy, H = 2.0, 80.0
        out.append(f"law plastic linear stress {solid},yield={sy:g},hardening={H:g},kinematic={share:g}")
        state = (np.zeros(3), np.zeros(3), 0.0)
        for _ in range(6):
            e = 0.008 * (2 * rng.random(3) - 1)
            sigma, state = flow_in_plane((sy, (1 - share) * H, share * H), e, state)
            F = np.array([[1 + e[0], e[2], 0], [0, 1 + e[1], 0], [0, 0, 1]])
            tau = np.array([[sigma[0], sigma[2], 0], [sigma[2], sigma[1], 0], [0, 0, 0]])
            line(out, F, tau)
        out.append("end")
    for name, step in (("midpoint", midpoint), ("polar", polar)):
        out.append(f"law hypoelastic {name} space {solid}")
        F, sigma = np.eye(3), np.zeros((3, 3))
        for _ in range(6):
            f = gradient("space", 0.3)
            F, sigma = f @ F, step(sigma, f)
            line(out, F, np.linalg.det(F) * sigma)
        out.append("end")
    pathlib.Path(__file__).with_name("materials.txt").write_text("\n".join(out) + "\n")


main()
