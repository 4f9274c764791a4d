"""Force/torque sensors, read as a physical one reads: the load on it.

A sensor is a site with a ``<force>`` and a ``<torque>``, and its name is the site's: MuJoCo's two
sensors have no name in common, but the site is one, and is the frame of both. The first of each
kind at a site counts; a force or torque alone is no sensor here and stays in
``scene.data.sensor(name)``.

MuJoCo's two give what the parent of the site's body exerts on that body (measured: the manual's
"from the child towards the parent" is the other way round), in the site's axes, the torque about
the site's origin. The load is minus that: the wrench that everything beyond the weld, the site's
own body included, exerts on the sensor. A hanging tool of mass m reads m g downwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjscene.errors import CommandError, UnknownNameError, close_matches, shown
from mjscene.geometry import as_numbers

if TYPE_CHECKING:
    from mjscene.owners import Owner
    from mjscene.places import Place
    from mjscene.scene import Scene

__all__ = ["FtSensor", "FtSensors"]

Array = NDArray[np.float64]
# int(): numpy compares an array with one of MuJoCo's enums element by element in Python.
_FORCE = int(mujoco.mjtSensor.mjSENS_FORCE)
_TORQUE = int(mujoco.mjtSensor.mjSENS_TORQUE)
_TAGS = {_FORCE: "<force>", _TORQUE: "<torque>"}


class Channels(NamedTuple):
    """Where a sensor is in the current model.

    Attributes:
        site: Its site's id.
        force: Where its force begins in ``data.sensordata``.
        torque: Where its torque begins.
    """

    site: int
    force: int
    torque: int


def find_channels(model: Any, owner: Owner) -> dict[str, Channels]:
    """A robot's or attachment's own sensors, by their sites' scene names, in model order."""
    first: dict[int, dict[int, int]] = {_FORCE: {}, _TORQUE: {}}
    for kind, found in first.items():
        for i in np.flatnonzero(model.sensor_type == kind):
            found.setdefault(int(model.sensor_objid[i]), int(model.sensor_adr[i]))
    mine = set(owner.names.get("site", ()))
    pairs = {site: first[_TORQUE][site] for site in first[_FORCE] if site in first[_TORQUE]}
    named = {str(model.site(s).name): Channels(s, first[_FORCE][s], t) for s, t in pairs.items()}
    return {name: channels for name, channels in named.items() if name in mine}


class FtSensor:
    """A force/torque sensor of a robot or of an attachment.

    It stays valid when objects are added or removed. What is read is of the step just taken; after
    a build, a reset or ``scene.forward()`` it is of the state now. It is what MuJoCo reports:
    limited by the sensors' ``cutoff``, late by their ``delay``, without their ``noise``, which
    MuJoCo only keeps for the user. ``cutoff`` limits each axis before the tare.

    A tare is a setting of the sensor, as a value written into ``model`` is: every handle of the
    sensor sees it, it outlives changes of objects, and ``reset`` and ``set_state`` leave it. Keep
    ``bias`` and assign it to have it back.

    Attributes:
        name: The name it was asked for: its site's, without the prefix of the handle.
        site: The scene's name of its site.
    """

    __slots__ = ("_place", "_scene", "name", "site")

    def __init__(self, scene: Scene, place: Place, name: str, site: str) -> None:
        self._scene = scene
        self._place = place
        self.name = name
        self.site = site

    def __eq__(self, other: object) -> bool:
        """Whether it is a handle of the same sensor of the same scene."""
        return isinstance(other, FtSensor) and (
            other._place is self._place and other.site == self.site
        )

    def __hash__(self) -> int:
        return hash((id(self._place), self.site))

    @property
    def _channels(self) -> Channels:
        return self._place.ft_channels(self._scene.model)[self.site]

    def _load(self) -> Array:
        """The wrench before the tare (6,)."""
        _, force, torque = self._channels
        read, load = self._scene.data.sensordata, np.empty(6)
        load[:3] = read[force : force + 3]
        load[3:] = read[torque : torque + 3]
        return 0.0 - load  # not -load: no negative zeros

    @property
    def wrench(self) -> Array:
        """The load on the sensor (6,), a copy: force [N], then torque [N·m].

        In the site's axes, the torque about the site's origin, less ``bias``.
        """
        return self._load() - self.bias

    @property
    def force(self) -> Array:
        """The force of ``wrench`` (3,) [N], in the site's axes."""
        return self.wrench[:3]

    @property
    def torque(self) -> Array:
        """The torque of ``wrench`` (3,) [N·m], in the site's axes, about its origin."""
        return self.wrench[3:]

    @property
    def world_wrench(self) -> Array:
        """``wrench`` in world axes (6,), the torque still about the site's origin.

        The axes are turned by the site's orientation now. While the sensor turns, that is one
        step newer than the reading.
        """
        rotation = self._scene.data.site_xmat[self._channels.site].reshape(3, 3)
        # Rows of a (2, 3) are force and torque: v @ Rᵀ is R v of each.
        return np.asarray((self.wrench.reshape(2, 3) @ rotation.T).reshape(6))

    @property
    def bias(self) -> Array:
        """What is subtracted (6,) [N, N·m], in the site's axes, a copy; zeros without a tare."""
        kept = self._place.ft_bias.get(self.site)
        return np.zeros(6) if kept is None else kept.copy()

    @bias.setter
    def bias(self, value: ArrayLike) -> None:
        """Subtract a wrench from now on.

        Raises:
            CommandError: It is not six finite numbers; nothing has changed.
        """
        numbers = as_numbers(value, f"ft_sensors[{self.name!r}].bias")
        if numbers.shape != (6,) or not np.isfinite(numbers).all():
            raise CommandError(
                f"expected six finite numbers, force and torque, got {shown(value)}",
                where=f"ft_sensors[{self.name!r}].bias",
                given=value,
                element=self.site,
            )
        self._place.ft_bias[self.site] = numbers.copy()

    def tare(self) -> None:
        """Subtract the wrench of now from now on.

        As in a real sensor, what is subtracted stays in the sensor's axes: a load that was tared
        away is back, in part, once the sensor has another orientation. Tare at rest: right after
        a reset a position servo carries no load yet, and the sensor reads an arm that falls.

        Raises:
            CommandError: The reading is not finite; nothing has changed.
        """
        self.bias = self._load()

    def untare(self) -> None:
        """Subtract nothing any more."""
        self._place.ft_bias.pop(self.site, None)

    def __repr__(self) -> str:
        return f"<FtSensor {self.name!r} of {self._place.owner.title}>"


class FtSensors(Mapping[str, FtSensor]):
    """Sensors of a robot and its attachments by their sites' names, without the robot's prefix.

    A wrong name gets the closest ones.
    """

    __slots__ = ("_cut", "_root", "_scene")

    def __init__(self, scene: Scene, place: Place) -> None:
        self._scene = scene
        self._root = place
        self._cut = len(place.owner.prefix)

    def _places(self) -> list[Place]:
        return [self._root, *self._root.attached.values()]

    def _found(self) -> dict[str, FtSensor]:
        scene, cut = self._scene, self._cut
        return {
            site[cut:]: FtSensor(scene, place, site[cut:], site)
            for place in self._places()
            for site in place.ft_channels(scene.model)
        }

    def __getitem__(self, name: str) -> FtSensor:
        found = self._found()
        try:
            return found[name]
        except (KeyError, TypeError):
            raise UnknownNameError(
                f"{self._root.owner.title} has no force/torque sensor {shown(name)}",
                given=name,
                close=close_matches(str(name), found),
                allowed=tuple(found),
                hint=self._hint(str(name)),
            ) from None

    def _hint(self, name: str) -> str | None:
        """What to do for the name of one of MuJoCo's two sensors, or of a site with only one."""
        model, full = self._scene.model, self._root.owner.prefix + name
        kinds: dict[str, set[int]] = {}
        for i in np.flatnonzero(np.isin(model.sensor_type, list(_TAGS))):
            sensor, site = (
                str(model.sensor(int(i)).name),
                str(model.site(model.sensor_objid[i]).name),
            )
            kinds.setdefault(site, set()).add(int(model.sensor_type[i]))
            if sensor and sensor == full:
                full = site
        if full not in kinds:
            return None
        if len(kinds[full]) == 2:
            return f"a sensor is called by its site: ft_sensors[{full[self._cut :]!r}]"
        (kind,) = kinds[full]
        return (
            f"the site {full!r} has a {_TAGS[kind]} alone: a sensor needs both; "
            "read it by scene.data.sensor(name).data"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._found())

    def __len__(self) -> int:
        return len(self._found())

    def __repr__(self) -> str:
        return f"force/torque sensors: {', '.join(self) or 'none'}"
