/* One line per kind of touching surfaces. No include guard: included with several definitions of BL_KIND. */
BL_KIND(plane_ball)
BL_KIND(plane_disc)
BL_KIND(plane_ellipsoid)
BL_KIND(plane_blade)
BL_KIND(ball_ball)
BL_KIND(hole_ball)
