"""The reference scenes and the energies that the RedMax programs give for them (github sueda/redmax @40f89b2).

Energies are kinetic at the end plus potential at the end minus potential at the start, in erg.
"""

from __future__ import annotations

from tests.physics.scenes import chains, diff, driven, ground, loops, rubbing, shapes, splines, springs, strings, trees
from tests.physics.scenes.building import Reference

RECURSIVE, REDMAX, EULER, BDF1, BDF2 = "rhd-ode45", "redmax-ode45", "euler", "bdf1", "bdf2"
BISP = "bisp"
"""Our own friction in Euler steps, beside the energy that the program's has."""


def _three(recursive: float, redmax: float, euler: float) -> dict[str, float | None]:
    return {RECURSIVE: recursive, REDMAX: redmax, EULER: euler}


def _two(bdf1: float | None, bdf2: float | None) -> dict[str, float | None]:
    """Return the energies of a row of the other table, which gives none of Euler's steps: ours is printed beside."""
    return {EULER: None, BDF1: bdf1, BDF2: bdf2}


def _rubbing(energy: float) -> dict[str, float | None]:
    return {EULER: energy, BISP: energy}


REFERENCES: tuple[Reference, ...] = (
    Reference("matlab:-1", "two-link chain", chains.two_links, 2.0, 1e-2,
              _three(-5.6531026717020723, -5.6531026765951538, -3697.4545694454454861)),
    Reference("matlab:0", "hinges and welds in turn", chains.hinges_and_welds, 2.0, 1e-2,
              _three(-3.0971281943493523, -3.0971281068341341, -5930.8171118834870867)),
    Reference("matlab:1", "hinges about different axes", chains.different_axes, 2.0, 1e-2,
              _three(-1.9548841516880202, -1.9548841526830074, -9423.2594023734018265)),
    Reference("matlab:2", "branching tree (mobile)", trees.mobile, 2.0, 1e-2,
              _three(-3.2850447686942061, -3.2850447782984702, -1123.9825362491046690)),
    Reference("matlab:3", "spherical joints", trees.balls, 3.0, 1e-2, {EULER: 7788.8055603543098186}),
    Reference("matlab:4", "four-bar loop with a pendulum", loops.four_bar, 2.0, 1e-2,
              _three(4176.3993502426255873, 4176.3993502425073530, 3987.2011847696289806)),
    Reference("matlab:5", "joint torques", chains.torques, 10.0, 5e-2,
              _three(160.820781707015, 160.820781710469, 170.5971183034905607), works=True),
    Reference("matlab:6", "joint limits", chains.limits, 2.0, 1e-2, {EULER: 36957.4447830002754927}, works=True,
              note="with the upper gap closed at the wrong sign; at the right one it is 34838.892"),
    Reference("matlab:7", "gear ratios", chains.gears, 2.0, 2e-2,
              _three(-229.7121594171621837, -229.7121593945485074, 42645.1541420989669859)),
    Reference("matlab:8", "loop and gear ratio", loops.loop_and_gear, 2.0, 2e-2,
              _three(16707.8585386558770551, 16707.8585386558261234, 14677.4348748325592169)),
    Reference("matlab:9", "prescribed joint", chains.prescribed, 10.0, 2e-2,
              _three(27616.6067502096, 29802.0819629936, 199570.9300431804149412), works=True,
              note="adaptive columns differ in how the gap at the start is closed: -25 g with redmax, not with rhd"),
    Reference("matlab:10", "force on a point, body damping", chains.pulled, 2.0, 1e-2,
              _three(1210.7099042740396726, 1210.7099042740403547, 1088.3425711375120954), works=True,
              note="with the force of 1e3 alone, without an energy or a stiffness"),
    Reference("matlab:11", "joint stiffness and damping", chains.springs, 5.0, 2e-2,
              _three(2898.56113448227, 2898.56113448227, 2659.7218894234238178), works=True),
    Reference("matlab:12", "nodes with springs", strings.tied, 1.0, 5e-3,
              {REDMAX: -0.0345395920267038, EULER: -11740.4013565295099397},
              note="with the springs' force of the start of each step, and the nodes at the ends held by constraints; "
                   "held as our deformables are, euler is -12732.473"),
    Reference("matlab:13", "prescribed body", driven.led_body, 10.0, 5e-2,
              {REDMAX: 18805.7787972479818563, EULER: -765.6565884021354123}, works=True),
    Reference("matlab:14", "universal joints", trees.universal_joints, 2.0, 1e-2,
              _three(-0.8577782593856682, -0.8577782794236555, 9679.3365423127470422)),
    Reference("matlab:15", "prismatic joint in a loop", loops.slide_in_loop, 2.0, 1e-2,
              _three(2.5092171102578504, 2.5092171060550754, -17427.8561972516035894)),
    Reference("matlab:16", "planar joint", trees.planar, 2.0, 1e-2,
              _three(-5.7644270883174613, -5.7644270894088550, 1027.3404900101377279)),
    Reference("matlab:17", "translational joint", trees.translational, 2.0, 1e-2,
              _three(835.418079875333, 835.418079875333, 836.2350063173605577), adaptive_duration=5.0,
              note="adaptive columns after 5 s"),
    Reference("matlab:18", "free joint, tumbling cube", trees.thrown, 7.0, 1e-2,
              _three(4.5466342688068826, 4.5466342688068924, 4.5116666666668817), adaptive=trees.thrown_turning_first,
              note="adaptive columns with a free joint that turns first, then moves"),
    Reference("matlab:19", "composite joint", trees.composite, 2.0, 2e-2,
              _three(-8.7962825142149086, -8.7962825142917609, 918.5086593280602756)),
    Reference("matlab:20", "prescribed joint and body", driven.led_body_and_joint, 10.0, 5e-2,
              {REDMAX: 72822.5867580034246203, EULER: 50368.3587015155280824}, works=True),
    Reference("matlab:21", "spline curve", splines.curve, 2.0, 5e-3,
              _three(-18.5261468157405034, -18.5261468464450445, -30627.8479814097263443),
              note="adaptive steps magnify rounding here: 1e-12 in a coordinate becomes 2e-5, 1e-7 becomes 2e-3"),
    Reference("matlab:22", "spline surface", splines.surface, 2.0, 1e-2,
              _three(-1.4604474130101153, -1.4604474127263529, 2154.9740571399888722)),
    Reference("matlab:23", "springs of no length", springs.drawn_together, 2.0, 1e-2,
              _three(-0.2671194855411159, -0.2671194856266084, 2125.1442936080966319)),
    Reference("matlab:24", "spring and damper", springs.spring_and_damper, 2.0, 1e-2, {EULER: -18398.2926338097677217},
              works=True,
              note="with the damper's sign wrong at the rates of the start, so that it brakes only their change, and "
                   "the energy k/2 e^2 for a force of k e; right it is -17990.448"),
    Reference("matlab:25", "composite body", trees.welded, 2.0, 1e-2,
              _three(-11.2086902929768257, -11.2086902930313954, 1261.6057602036726166)),
    Reference("matlab:26", "inertia of a mesh", shapes.cuboids, 1.0, 1e-2,
              _three(-0.0441469434378234, -0.0441469434412625, 59.8820887155682158)),
    Reference("matlab:27", "friction in hinges", rubbing.hinges, 1.0, 1e-2, _rubbing(-137371.1285153437056579),
              works=True, rough=rubbing.HINGES,
              note="bisp: our own friction; with passes to the end the program's is -137786, with Coriolis forces once "
                   "besides -137826"),
    Reference("matlab:28", "friction in balls", rubbing.balls, 1.0, 1e-2, _rubbing(-184565.9459125697612762),
              works=True, rough=rubbing.BALLS,
              note="bisp: with 14 contacts instead of 6; with passes to the end the program's is -186281"),
    Reference("matlab:29", "friction in slides", rubbing.slides, 1.0, 1e-2, _rubbing(-256391.5065969563729595),
              works=True, rough=rubbing.SLIDES),
    Reference("matlab:30", "friction in a four-bar", rubbing.linkage, 1.0, 5e-3,
              {**_three(-2.1968461897658926, -2.1968459311251536, -14581.1508526040543074),
               BISP: -14581.1508526040543074},
              gamma=1.0 / 5e-3, rough=rubbing.LINKAGE, adaptive_duration=1.5,
              note="adaptive columns after 1.5 s without friction; with passes to the end the program's linkage jams: "
                   "-0.751"),
    Reference("matlab:31", "friction on a floor", rubbing.dragged, 2.0, 1e-2, _rubbing(-90558.1346001959173009),
              works=True, gamma=0.1 / 1e-2, rough=rubbing.DRAGGED,
              note="with passes to the end the program's is -90630, and with Coriolis forces once -90837"),
    Reference("matlab:32", "driven four-bar", driven.driven_linkage, 1.0, 5e-3, {EULER: 4641.9162041538456833},
              works=True, gamma=0.1 / 5e-3,
              note="with the joint at +4 pi; at -4 pi it is 3880.693"),
    Reference("matlab:33", "walking four-bar", rubbing.walker, 1.0, 5e-3, _rubbing(19598.8605086512579874),
              works=True, gamma=0.1 / 5e-3, rough=rubbing.WALKER,
              note="with reactions on the parents instead of the bodies before 19811, with Coriolis forces once 20373"),
    Reference("matlab:34", "gears", shapes.meshing_gears, 1.0, 1e-2,
              _three(-0.1839463800694148, -0.1839463800738486, -39.5338848225347874)),
    Reference("matlab:35", "free joint in the plane", trees.in_the_plane, 10.0, 1e-2,
              _three(167.0835245643339135, 167.0835245643319240, 166.9232451756938644)),
    Reference("diff:0", "hinges and welds in turn", chains.hinges_and_welds, 1.0, 1e-2,
              _two(-1.2705398823489915e05, 2.6058008179021417e03)),
    Reference("diff:1", "hinges about different axes", chains.different_axes, 1.0, 1e-2,
              _two(-3.8359074258588909e04, -9.7138545812971279e02)),
    Reference("diff:2", "branching tree (mobile)", trees.mobile, 1.0, 1e-2,
              _two(-2.2826101928480086e+04, -2.4159349151742754e+02)),
    Reference("diff:3", "prismatic joint", trees.slide_and_pendulum, 1.0, 1e-2,
              _two(-3.7579402399569808e04, -6.1132876082600706e02)),
    Reference("diff:4", "planar joint", trees.planar, 1.0, 1e-2,
              _two(-4.5738939646068720e04, -4.7000178355609387e02)),
    Reference("diff:5", "translational joint", lambda: trees.translational(-10.0, 10.0), 2.0, 1e-2,
              _two(3.3661704151378050e04, 3.3377464890219308e04)),
    Reference("diff:6", "thrown in the plane", trees.projectile, 0.4, 5e-3,
              _two(2.0322933333333378e+04, 2.1283333333333332e+04)),
    Reference("diff:7", "spherical joints in Euler's angles", diff.balls_in_angles, 1.0, 2e-3,
              _two(-8.7859815791305155e03, 8.6544602745403390e03)),
    Reference("diff:8", "universal joints", trees.universal_joints, 1.0, 1e-2,
              _two(-2.5276246935781084e+04, -1.3781281283808785e+03)),
    Reference("diff:9", "free joint, tumbling cube", diff.thrown_in_angles, 6.0, 5e-2,
              _two(4.3970920953724946e00, 4.5466508559364156e00),
              note="in Euler's angles, order XYZ; in exponential coordinates 4.396667 and 4.546667"),
    Reference("diff:10", "loop closed by a stiff spring", springs.loop_by_spring, 1.0, 1e-2,
              _two(1.2376477982839792e03, 4.1146190850293169e03)),
    Reference("diff:11", "box on a floor that pushes back", ground.on_the_floor, 0.6, 5e-4,
              _two(-4.4208045000000002e+03, -2.7811251900394832e+03), gate=1e-3,
              note="with friction that pushes what slides; in bdf2 1e-9 rad at the start becomes 0.03"),
    Reference("diff:12", "springs and dampers", springs.two_springs, 1.0, 1e-2,
              _two(-2.2145412057327565e04, -8.9887693524038732e03)),
    Reference("diff:13", "cable over two links", springs.cable, 1.0, 1e-2,
              _two(-3.1874892332895153e04, -2.7872894793863266e04)),
    Reference("diff:14", "limits that push back", springs.stopped, 1.0, 5e-3,
              _two(-2.5928305306546572e04, -1.8476279319765570e04)),
)  # fmt: skip
