"""Rows of bad input whose elements refer to what is not there.

MuJoCo refuses such a file when it compiles it alone, and its ``attach`` drops the elements without
a word: a scene would lose an actuator or a sensor to a typing error.
"""

from __future__ import annotations

from bad_cases import BadCase, one, write

from mjscene import ComposeError

__all__ = ["BAD_REFERENCES", "MODEL", "REFERENCES"]

# The line of the wrong reference is the seventh.
MODEL = """\
<mujoco model="m">
  <worldbody>
    <body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/></body>
    <body name="c" pos="1 0 0"><geom name="h" size=".1"/></body>
  </worldbody>
  <{section}>
    {element}
  </{section}>
</mujoco>
"""
# Kind of element, section of the file, and the element, which refers to "elbow".
REFERENCES = (
    ("actuator-joint", "actuator", '<motor name="x" joint="elbow"/>'),
    ("actuator-site", "actuator", '<motor name="x" site="elbow"/>'),
    ("actuator-refsite", "actuator", '<motor name="x" site="s" refsite="elbow"/>'),
    ("actuator-tendon", "actuator", '<motor name="x" tendon="elbow"/>'),
    ("sensor", "sensor", '<jointpos name="x" joint="elbow"/>'),
    (
        "sensor-reference",
        "sensor",
        '<framepos name="x" objtype="site" objname="s" reftype="site" refname="elbow"/>',
    ),
    ("equality", "equality", '<weld name="x" body1="b" body2="elbow"/>'),
    ("exclude", "contact", '<exclude name="x" body1="b" body2="elbow"/>'),
    ("pair", "contact", '<pair name="x" geom1="g" geom2="elbow"/>'),
    ("tendon-joint", "tendon", '<fixed name="x"><joint joint="elbow" coef="1"/></fixed>'),
    ("tendon-site", "tendon", '<spatial name="x"><site site="s"/><site site="elbow"/></spatial>'),
    ("tuple", "custom", '<tuple name="x"><element objtype="body" objname="elbow"/></tuple>'),
    (
        "skin",
        "deformable",
        '<skin name="x" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"><bone body="elbow" '
        'bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin>',
    ),
    ("material", "asset", '<material name="x" texture="elbow"/>'),
)


def row(kind: str, section: str, element: str) -> BadCase:
    """A file with one element that refers to what is not there."""
    xml = MODEL.format(section=section, element=element)

    return BadCase(
        f"unknown-reference-of-{kind}",
        lambda folder: one(write(folder, "arm.xml", xml)),
        ComposeError,
        ("robots[0]", "left", "arm.xml:7", "elbow"),
    )


BAD_REFERENCES = [row(*reference) for reference in REFERENCES]
