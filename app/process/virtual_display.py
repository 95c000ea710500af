"""A virtual X display for machines without a screen: started before the first Qt object, ended at exit."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path


class DisplayError(RuntimeError):
    """No display is there and none could be started; the message says what to install."""


def has_display() -> bool:
    """Return whether Qt can open a window here without aborting the interpreter."""
    if sys.platform != "linux":
        return True
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if platform and not platform.startswith(("xcb", "wayland")):
        return True
    if os.environ.get("WAYLAND_DISPLAY"):
        folder = os.environ.get("XDG_RUNTIME_DIR", "")
        name = os.environ["WAYLAND_DISPLAY"]
        if Path(name if name.startswith("/") else f"{folder}/{name}").exists():
            return True
    return _x_answers(os.environ.get("DISPLAY", ""))


def _x_answers(display: str) -> bool:
    host, colon, rest = display.rpartition(":")
    number = rest.split(".")[0]
    if not colon or not number.isdigit():
        return False
    if host and host != "unix":
        try:
            socket.create_connection((host, 6000 + int(number)), timeout=2.0).close()
        except OSError:
            return False
        return True
    probe = _connected(number)
    if probe is not None:
        probe.close()
    return probe is not None


def _connected(number: str) -> socket.socket | None:
    """Return a connection to the server of a display on this machine, or None if there is none."""
    for address in (f"/tmp/.X11-unix/X{number}", f"\0/tmp/.X11-unix/X{number}"):
        probe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        probe.settimeout(2.0)
        try:
            probe.connect(address)
        except OSError:
            probe.close()
            continue
        return probe
    return None


def _hold(number: str) -> socket.socket | None:
    """Return a connection that the server counts as a client, open until this process ends however it does.

    The server ends with its last client. Programs that this process starts one after the other must all find it.
    """
    held = _connected(number)
    if held is not None:
        try:
            held.sendall(struct.pack("<cxHHHHxx", b"l", 11, 0, 0, 0))  # the X protocol's opening words, version 11.0
            held.recv(8)
        except OSError:
            held.close()
            return None
    return held


def start(width: int = 1600, height: int = 1000) -> str:
    """Start Xvfb, point ``DISPLAY`` at it, and end it when the process ends.

    Args:
        width: Width of the virtual screen, [px].
        height: Height, [px].

    Returns:
        The display's name, such as ``":99"``.

    Raises:
        DisplayError: If Xvfb is missing or does not come up.
    """
    if shutil.which("Xvfb") is None:
        raise DisplayError("there is no display and no Xvfb to make one; install it: apt-get install xvfb")
    reading, writing = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(writing),
        "-screen",
        "0",
        f"{width}x{height}x24",
        "-nolisten",
        "tcp",
        "-terminate",
    ]  # ends with its last client, even if this process is killed
    server = subprocess.Popen(command, pass_fds=(writing,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        number = answer.readline().strip()  # ends at once if the server dies: its end of the pipe closes
    if not number:
        server.wait()
        raise DisplayError(f"Xvfb did not start (exit code {server.returncode})")

    held = _hold(number)

    def stop() -> None:
        if held is not None:
            held.close()
        server.terminate()
        try:
            server.wait(timeout=5)
        except subprocess.TimeoutExpired:
            server.kill()

    atexit.register(stop)
    os.environ["DISPLAY"] = f":{number}"
    os.environ["QT_QPA_PLATFORM"] = "xcb"
    os.environ.pop("WAYLAND_DISPLAY", None)
    return f":{number}"


def ensure(width: int = 1600, height: int = 1000) -> bool:
    """Start a virtual display if there is none; return whether one was started.

    Raises:
        DisplayError: If none can be started.
    """
    if has_display():
        return False
    start(width, height)
    return True
