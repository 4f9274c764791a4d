"""Scene files that are wrong: each says itself where, with a ``«`` before what is at fault.

The sign is taken out before the file is written; its line and column are what the error must say.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CASES", "BadFile"]

ARM = "robots:\n  - path: mjscene:panda\n    prefix: arm/\n"
HAND = (
    "    attachments:\n      - path: mjscene:gripper\n        prefix: gripper/\n        attach_to: "
)
CUBE = "objects:\n  - name: cube\n    shape: box\n    size: [1, 1, 1]\n"
# Generations of nine: the file doubles nothing, what it stands for grows ninefold by the line.
BOMB = "home: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"x{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 4)
)
MERGE_BOMB = "m0: &m0 {" + ", ".join(f"k{i}: 1" for i in range(300)) + "}\nrobots:\n"


@dataclass(frozen=True)
class BadFile:
    """A wrong file.

    Attributes:
        name: What is wrong.
        text: The file, with the sign.
        where: The path of the field at fault, or None where there is none.
        says: What the message has.
        close: A near match that it offers.
    """

    name: str
    text: str
    where: str | None
    says: str
    close: str | None = None


def _(name: str, text: str, where: str | None, says: str, close: str | None = None) -> BadFile:
    return BadFile(name, text, where, says, close)


KEYS = [
    _("key of the scene", "«robot:\n  - path: a.xml\n", "robot", "has no field", "robots"),
    _("key of a robot", ARM + "    «hom: home\n", "robots[0].hom", "RobotSpec", "home"),
    _(
        "key of an attachment",
        ARM
        + "    attachments:\n      - path: mjscene:gripper\n        «atach_to: {site: a}\n",
        "robots[0].attachments[0].atach_to",
        "AttachmentSpec has no field",
        "attach_to",
    ),
    _("key of a mode", ARM + "    modes: [{mode: TORQUE, «kpp: 3}]\n", "robots[0].modes[0].kpp",
      "CtrlModeSpec", "kp"),
    _("key of options", "options:\n  «time_step: 0.001\n", "options.time_step", "PhysicsOptions",
      "timestep"),
    _("key of a target", ARM + HAND + "{«sit: attachment_site}\n",
      "robots[0].attachments[0].attach_to.sit", "kind 'sit'", "site"),
    _("key twice", ARM + "    «prefix: b/\n", None, "twice, first in line 3"),
    _("key of the scene twice", "floor: true\nsky: true\n«floor: false\n", None, "given twice"),
    _("key that is a number", ARM + "    home: {«1: 0.5}\n", None, "expected a name as the key"),
    _("key that is null", ARM + "    «~: 0.5\n", None, "expected a name as the key, got nothing"),
    _("key that is a list", "«[a, b]: 1\n", None, "expected a name as the key, got a list"),
    _("key with a break", 'floor: {«"a\\nb": 1}\n', "floor['a\\nb']", "has no field"),
    _("key that is long", "? «'" + "k k" * 9_000 + "'\n: 1\n", f"['{('k k' * 20)[:50]}…']",
      "has no field"),
    _("key that is missing", "robots:\n  - «prefix: arm/\n", "robots[0].path", "needs 'path'"),
    _("name of an object missing", "objects: [«{shape: box, size: [1, 1, 1]}]\n",
      "objects[0].name", "needs 'name'"),
]  # fmt: skip
TYPES = [
    _("robots as a mapping", "robots: «{path: mjscene:panda}\n", "robots", "expected a list"),
    _("robots as a word", "robots: «mjscene:panda\n", "robots", "expected a list"),
    _("a robot as a word", "robots: [«'mjscene:panda']\n", "robots[0]", "a mapping (RobotSpec)"),
    _("robots as nothing", "robots: «~\n", "robots", "expected a list, got nothing"),
    _("word for a number", ARM + "    pos: [0, «high, 1]\n", "robots[0].pos[1]",
      "expected a number, got 'high'"),
    _("number in quotes", ARM + "    watchdog: «'0.5'\n", "robots[0].watchdog", "without quotes"),
    _("boolean for a number", ARM + "    watchdog: «true\n", "robots[0].watchdog",
      "expected a number, got true"),
    _("number for a boolean", ARM + "    regroup: «1\n", "robots[0].regroup",
      "expected true or false"),
    _("yes for a boolean", CUBE + "    fixed: «yes\n", "objects[0].fixed", "write true or false"),
    _("number for a word", "name: «7\n", "name", "put it into quotes: '7'"),
    _("boolean for a word", "name: «true\n", "name", "put it into quotes: 'true'"),
    _("fraction for a whole number", "options: {iterations: «1.5}\n", "options.iterations",
      "expected a whole number"),
    _("too few numbers", ARM + "    pos: «[0, 1]\n", "robots[0].pos", "expected 3 numbers, got 2"),
    _("pose as a number", ARM + "    pos: «0\n", "robots[0].pos", "expected a list of numbers"),
    _("sexagesimal number", ARM + "    watchdog: «1:30\n", "robots[0].watchdog", "got '1:30'"),
    _("octal number", "options: {iterations: «010}\n", "options.iterations", "leading zeros"),
    _("date for a number", ARM + "    watchdog: «2026-11-30\n", "robots[0].watchdog",
      "expected a number"),
    _("infinite number", "options: {timestep: «.inf}\n", "options.timestep", "finite number"),
    _("number that overflows", ARM + "    pos: [0, 0, «1e999]\n", "robots[0].pos[2]",
      "finite number"),
    _("whole number that overflows", ARM + "    pos: [0, 0, «1" + "0" * 5000 + "]\n",
      "robots[0].pos[2]", "finite number"),
    _("no number", ARM + "    quat: [0, 0, 0, «.nan]\n", "robots[0].quat[3]", "finite number"),
    _("degrees as a word", ARM + "    home: [«{deg: x}]\n".replace("«{deg: ", "{deg: «"),
      "robots[0].home[0].deg", "expected a number"),
    _("degrees and more", ARM + "    home: [«{deg: 90, rad: 1}]\n", "robots[0].home[0]",
      "got a mapping"),
    _("target as a name", ARM + HAND + "«attachment_site\n", "robots[0].attachments[0].attach_to",
      "{site: 'attachment_site'}"),
    _("two targets", ARM + HAND + "{«site: a, body: b}\n".replace("{«", "«{"),
      "robots[0].attachments[0].attach_to", "expected one place, got 2"),
    _("attachment on the world", ARM + HAND + "«world\n", "robots[0].attachments[0].attach_to",
      "make it a robot of its own"),
]  # fmt: skip
VALUES = [
    _("mode", ARM + "    modes: [{mode: «TORQU}]\n", "robots[0].modes[0].mode", "unknown value",
      "TORQUE"),
    _("initial mode", ARM + "    initial_mode: «positon\n", "robots[0].initial_mode",
      "unknown value", "POSITION"),
    _("integrator", "options:\n  integrator: «euler\n", "options.integrator", "unknown value",
      "Euler"),
    _("word that is long", "options: {solver: «" + "Newton" * 900 + "}\n", "options.solver",
      "unknown value"),
    _("flag", "options: {flags: «{gravty: false}}\n", "options.flags", "'gravty'", "gravity"),
    _("shape", "objects: [{name: a, shape: «bx}]\n", "objects[0].shape", "'bx'", "box"),
    _("negative mass", CUBE + "    mass: «-1\n", "objects[0].mass", "> 0"),
    _("colour", "floor: {rgb1: [0, «2, 0]}\n", "floor.rgb1[1]", "<= 1"),
    _("zero quaternion", ARM + "    quat: «[0, 0, 0, 0]\n", "robots[0].quat", "is no rotation"),
    _("gain without use", ARM + "    modes: [{mode: TORQUE, kp: «3}]\n", "robots[0].modes[0].kp",
      "TORQUE has no use for kp"),
    _("gain that is missing", ARM + "    modes:\n      - «mode: VELOCITY\n",
      "robots[0].modes[0].kv", "VELOCITY needs kv"),
    _("gains that are too few",
      ARM + "    modes: [{mode: VELOCITY, joints: [a, b], kv: «[1, 2, 3]}]\n",
      "robots[0].modes[0].kv", "one per joint (2)"),
    _("mass and density", CUBE + "    mass: 1\n    density: «5\n", "objects[0].density",
      "not both"),
    _("name with a tab", 'objects: [{name: «"a\\tb", shape: box, size: [1, 1, 1]}]\n',
      "objects[0].name", "not a legal name"),
    _("name with a null", 'name: «"a\\0b"\n', "name", "not a legal name"),
    _("camera at its target", "cameras: [{name: c, look_at: «[0, 0, 0]}]\n", "cameras[0].look_at",
      "at the point it looks at"),
    _("prefix used twice", ARM + "  - path: mjscene:ur5e\n    name: b\n    prefix: «arm/\n",
      "robots[1].prefix", "used twice"),
    _("name used twice", ARM + "objects:\n  - name: «arm\n    shape: box\n    size: [1, 1, 1]\n",
      "objects[0].name", "used twice"),
    _("joint named twice", ARM + "    home: {a: 1, «a: 2}\n", None, "given twice"),
    _("degree of a joint", ARM + "    home: {a: «.inf}\n", "robots[0].home['a']", "finite number"),
    _("three bodies exclude", ARM + "    contact_exclusions: [«[a, b, c]]\n",
      "robots[0].contact_exclusions[0]", "expected 2 items, got 3"),
]  # fmt: skip
PATHS = [
    _("absolute path", "robots: [{path: «/etc/passwd}]\n", "robots[0].path", "is no model file"),
    _("path out of the folder", "robots: [{path: «../../../etc/passwd}]\n", "robots[0].path",
      "is no model file"),
    _("path out to what is not there", "robots: [{path: «../../nowhere/arm.xml}]\n",
      "robots[0].path", "there is no file"),
    _("path of a device", "robots: [{path: «/dev/zero}]\n", "robots[0].path", "no model file"),
    _("path of a folder", "robots: [{path: «folder.xml}]\n", "robots[0].path", "no file"),
    _("path that is mistyped", "robots: [{path: «arn.xml}]\n", "robots[0].path", "there is no file",
      "arm.xml"),
    _("path with a variable", 'robots: [{path: «"${HOME}/arm.xml"}]\n', "robots[0].path",
      "variables are not expanded"),
    _("path of home", 'robots: [{path: «"~/arm.xml"}]\n', "robots[0].path", "there is no file"),
    _("path of another suffix", "robots: [{path: «arm.txt}]\n", "robots[0].path", "no model file"),
    _("path with a null", 'robots: [{path: «"a\\0.xml"}]\n', "robots[0].path", "is not a path"),
    _("path that is too long", f"robots: [{{path: «{'a' * 5000}.xml}}]\n", "robots[0].path",
      "there is no file"),
    _("name of no library", "robots: [{path: «mjscen:panda}]\n", "robots[0].path", "no model file",
      "mjscene:"),
    _("path that is a number", "robots: [{path: «7}]\n", "robots[0].path", "expected a string"),
    _("path of an attachment", ARM + "    attachments:\n      - attach_to: {site: s}\n"
      "        path: «../x/y.xml\n", "robots[0].attachments[0].path", "there is no file"),
    _("path of a mesh", "objects: [{name: a, path: «/etc/a.stl}]\n", "objects[0].path", "no file"),
]  # fmt: skip
CYCLES = [
    _("robot on itself", ARM + "    attach_to: «{site: arm/attachment_site}\n",
      "robots[0].attach_to", "stands on itself"),
    _("robot on a later one", ARM + "    attach_to: «{body: b/hand}\n"
      "  - {path: mjscene:panda, prefix: b/}\n", "robots[0].attach_to", "comes later"),
    _("two robots on each other", ARM + "    attach_to: «{body: b/hand}\n"
      "  - {path: mjscene:panda, prefix: b/, attach_to: {body: arm/hand}}\n",
      "robots[0].attach_to", "comes later"),
    _("robot on an object on it", ARM + "    attach_to: «{body: table}\nobjects:\n  - {name: table,"
      " shape: box, size: [1, 1, 1], fixed: true, attach_to: {body: arm/hand}}\n",
      "robots[0].attach_to", "stands on itself"),
    _("object on itself", CUBE + "    fixed: true\n    attach_to: «{body: cube}\n",
      "objects[0].attach_to", "stands on itself"),
    _("object on a later one", CUBE + "    fixed: true\n    attach_to: «{body: b}\n"
      "  - {name: b, shape: sphere, size: [1]}\n", "objects[0].attach_to", "comes later"),
    _("attachment on itself", ARM + HAND + "«{body: gripper/base}\n",
      "robots[0].attachments[0].attach_to", "stands on itself"),
    _("attachment on a later one", ARM + HAND + "«{site: ft/top}\n      - {path: mjscene:ft_sensor,"
      " prefix: ft/, attach_to: {site: attachment_site}}\n", "robots[0].attachments[0].attach_to",
      "comes later"),
]  # fmt: skip
TAGS = [
    _("object of Python", "name: «!!python/object/apply:os.system ['touch hacked']\n", None,
      "not allowed"),
    _("name of Python", "robots: «!!python/name:os.system\n", None, "not allowed"),
    _("module of Python", "robots: [«!!python/module:this {}]\n", None, "not allowed"),
    _("object of Python as the file", "«!!python/object:mjscene.SceneSpec {}\n", None,
      "not allowed"),
    _("tag of one's own", "name: «!env HOME\n", None, "not allowed"),
    _("tag of a number", "options: {timestep: «!!float '0.1'}\n", None, "not allowed"),
    _("binary", "name: «!!binary aGVsbG8=\n", None, "not allowed"),
    _("tag of nothing", "name: «! a\n", None, "not allowed"),
]  # fmt: skip
YAML = [
    _("nothing", "«", None, "empty"),
    _("only a comment", "«# nothing here\n", None, "empty"),
    _("a list", "«- path: a.xml\n", None, "expected a mapping, got a list"),
    _("a word", "«hello\n", None, "expected a mapping"),
    _("two documents", "floor: true\n«---\nsky: true\n", None, "second document"),
    _("indentation", "robots:\n  - path: mjscene:panda\n   «prefix: b/\n", None, "indentation"),
    _("euler angles", "robots:\n  - path: mjscene:panda\n    «euler: [0, 0, 1]\n",
      "robots[0].euler", "quat: [x, y, z, w]"),
    _("no space", "robots:\n  - path:arm.xml\n    prefix«: b/\n", None, "needs a space after it"),
    _("a tab", "robots:\n«\t- path: mjscene:panda\n", None, "indent with spaces"),
    _("a bracket too few", "robots: [{path: mjscene:panda}\n«", None, "is no YAML"),
    _("a quote too few", 'name: "abc\n«', None, "is no YAML"),
    _("a colon too many", "name: a«: b\n", None, "mapping values are not allowed"),
    _("an unknown escape", 'name: "\\«q"\n', None, "is no YAML"),
    _("a control character", "name: a«\x07b\n", None, "U+0007"),
    _("an escape beyond Unicode", 'name: "a"\n«sky: "\\UFFFFFFFF"\n', None, "is no YAML"),
]  # fmt: skip
ALIASES = [
    _("alias of nothing", "robots: «*arm\n", None, "no anchor"),
    _("alias that is mistyped", "name: &name a\nsky: «*nam\n", None, "no anchor", "name"),
    _("list in itself", "robots: &a [«*a]\n", None, "contains itself"),
    _("mapping in itself", "floor: &a\n  size: «*a\n", None, "contains itself"),
    _("mapping merged into itself", "floor: &a\n  <<: «*a\n", None, "contains itself"),
    _("anchor twice", "name: &a x\nsky: «&a true\n", None, "defined twice"),
    _("merge of a list of words", "floor:\n  <<: [«a]\n", None, "<< takes mappings"),
    _("alias of the wrong kind", "name: &n x\nrobots:\n  - path: mjscene:panda\n    pos: *n\n"
      .replace("&n x", "«&n x"), "robots[0].pos", "expected a list of numbers"),
    _("bomb", BOMB + "x4: [" + "*a3, " * 7 + "«*a3]\n", None,
      "aliases expanded"),
    _("bomb of keys", MERGE_BOMB + "  - {<<: *m0}\n" * 98 + "  - {<<: «*m0}\n" * 1, None,
      "aliases expanded"),
    _("deep list", "robots: " + "[" * 31 + "«" + "[" * 5000 + "\n", None, "nested more than 32"),
    _("deep mapping", "robots: " + "{a: " * 31 + "«" + "{a: " * 2000 + "\n", None, "nested more"),
    _("deep block", "robots:\n  " + "- " * 31 + "«" + "- " * 3000 + "\n", None, "nested more"),
    _("too large", "«" + "# " + "x" * 300_000 + "\n", None, "larger than"),
    _("too many values", "robots: [" + "1," * 7_997 + "«1,1]\n", None, "8000 values"),
]  # fmt: skip
CASES = KEYS + TYPES + VALUES + PATHS + CYCLES + TAGS + YAML + ALIASES
