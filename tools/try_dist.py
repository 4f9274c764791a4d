"""Install every wheel and sdist of a folder into its own environment and run tools/smoke.py there.

    python tools/try_dist.py dist

Environments and working directories lie in a temporary folder outside the tree, and Python runs
isolated (-I), so nothing of the checkout can be found by accident.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

SMOKE = Path(__file__).resolve().with_name("smoke.py")


def try_one(dist: Path) -> None:
    """Install `dist` and run the smoke test from an empty working directory."""
    with tempfile.TemporaryDirectory(prefix="mjscene-dist-") as temp:
        env_dir, work_dir = Path(temp, "venv"), Path(temp, "work")
        work_dir.mkdir()
        venv.create(env_dir, with_pip=True)
        python = str(env_dir / "bin" / "python")
        environ = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, str(dist.resolve())], check=True, cwd=work_dir, env=environ)
        subprocess.run([python, "-I", str(SMOKE)], check=True, cwd=work_dir, env=environ)


def main() -> int:
    """Try what the folder given on the command line holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if not wheels or not sdists:
        print(f"{folder}: needs a wheel and an sdist, has {wheels + sdists}", file=sys.stderr)
        return 1
    for dist in [*wheels, *sdists]:
        print(f"== {dist.name}", flush=True)
        try:
            try_one(dist)
        except subprocess.CalledProcessError as error:
            print(f"{dist.name} failed: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
