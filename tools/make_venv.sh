#!/bin/sh
# Make a virtual environment and install this project into it, editable.
#
#   [PYTHON=python3.12] sh tools/make_venv.sh FOLDER REQUIREMENT
#
# Plain sh and nothing but Python: it must run on a machine with nothing else. Where Python (>= 3.11)
# or its venv module is missing, the last line printed is the one that installs it.
set -eu
venv=$1
requirement=$2

# Exit status: 0 fit, 3 too old, 4 without venv, anything else: no Python at all.
probe='
import sys
if sys.version_info < (3, 11): sys.exit(3)
try:
    import ensurepip, venv
except ImportError:
    sys.exit(4)
'

missing() { # WHAT PACKAGE...: say how to get it, and give up
    what=$1
    shift
    sudo=
    [ "$(id -u)" = 0 ] || sudo="sudo "
    update=
    ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1 || update="${sudo}apt-get update && "
    echo "mjscene needs $what. On Debian or Ubuntu: ${update}${sudo}apt-get install -y $*" >&2
    exit 1
}

find_python() {
    old= bare=
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        status=0
        "$candidate" -c "$probe" >/dev/null 2>&1 || status=$?
        case $status in
        0)
            python=$candidate
            return
            ;;
        3) old=$candidate ;;
        4) [ -n "$bare" ] || bare=$candidate ;;
        esac
    done
    case $bare in
    "") ;;
    *python3.*) missing "the venv module of $bare" "${bare##*/}" "${bare##*/}-venv" ;;
    *) missing "the venv module of $bare" python3 python3-venv ;;
    esac
    wanted="Python 3.11 or newer with its venv module"
    [ -z "${PYTHON:-}" ] || wanted="$wanted (PYTHON=$PYTHON is not)"
    # A release whose own python3 is too old may carry a newer one beside it (Ubuntu 22.04 does).
    if [ -n "$old" ] && apt-cache policy python3 2>/dev/null | grep -Eq 'Candidate: 3\.([0-9]|10)\.'; then
        missing "$wanted" python3.11 python3.11-venv
    fi
    missing "$wanted" python3 python3-venv
}

if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    find_python
    echo "Making $venv with $("$python" --version)" >&2
    "$python" -m venv --clear "$venv"
fi
echo "Installing mjscene into $venv" >&2
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$requirement"
