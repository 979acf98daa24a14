"""`coral` and `dvc` without the seconds that each process spends on imports.

A server has torch, transformers, DVC and what else takes long loaded, and forks a process for each
command. Its own modules each command imports for itself, from the project that it runs in. Tests
that kill, starve or move processes use real ones.
"""

import atexit
import contextlib
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import Any, NoReturn

# What commands import; a name that is missing fails the server, and with it every test.
MODULES = (
    *("torch", "transformers", "peft", "safetensors.torch", "polars", "numpy"),
    *("joblib", "jsonschema", "tqdm", "typer", "jinja2", "gguf", "ruamel.yaml", "filelock"),
    *("transformers.models.auto.modeling_auto", "transformers.models.qwen2.modeling_qwen2"),
    *("transformers.models.llama.modeling_llama", "dvc.cli", "dvc.repo", "dvc.commands.repro"),
    *("dvc.commands.status", "dvc.commands.stage", "dvc.stage.run", "dvc.dependency.param"),
)
ENTRIES = {"coral": "coral_batch.commands.cli", "dvc": "dvc.cli"}
CLIENT = """#!{python} -IS
import json, os, socket, sys

call = {{"name": {name!r}, "arguments": sys.argv[1:], "folder": os.getcwd(),
        "environment": dict(os.environ)}}
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect({address!r})
    socket.send_fds(connection, [b"x"], [0, 1, 2])
    connection.sendall(json.dumps(call).encode())
    connection.shutdown(socket.SHUT_WR)
    code = connection.recv(1)
sys.exit(code[0] if code else {name!r} + " died")
"""


def start(folder: Path) -> Path:
    """Start a server that ends with this process; return the folder with the commands."""
    address = str(folder / "socket")
    for name in ENTRIES:
        command = folder / name
        command.write_text(CLIENT.format(python=sys.executable, name=name, address=address))
        command.chmod(0o755)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "DVC_NO_ANALYTICS": "true"}
    environment.pop("PYTHONPATH", None)
    server = subprocess.Popen(
        [sys.executable, "-P", __file__, address],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n", "the server of warm commands did not start"
    _servers.append(server)
    return folder


_servers: list[subprocess.Popen[bytes]] = []


def serve(address: str) -> None:
    """Fork a process for each command that is asked for, until the starter's end."""
    for name in MODULES:
        importlib.import_module(name)
    _write_locks_quickly()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                return
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _become(connection)
            connection.close()


def _write_locks_quickly() -> None:
    """Let DVC read and write dvc.lock by ruamel's C code: it takes 0.7 s a stage in Python."""
    yaml: Any = importlib.import_module("dvc.utils.serialize._yaml")
    ruamel: Any = importlib.import_module("ruamel.yaml")

    def parse(text: str, path: str) -> Any:
        return yaml.parse_yaml(text, path, typ="safe")

    def dump(data: Any, stream: Any) -> None:
        writer = ruamel.YAML(typ="safe")
        writer.default_flow_style = False
        writer.sort_base_mapping_type_on_output = False
        writer.dump(json.loads(json.dumps(data)), stream)

    yaml.parse_yaml_for_update, yaml._dump = parse, dump


def _become(connection: socket.socket) -> NoReturn:
    """Run a command as the process that asked for it would, and tell it the exit status."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _, fds, _, _ = socket.recv_fds(connection, 1, 3)
        with connection.makefile("rb") as stream:
            call = json.load(stream)
        for number, fd in enumerate(fds):
            os.dup2(fd, number)
            os.close(fd)
        os.chdir(call["folder"])
        os.environ.clear()
        os.environ.update(call["environment"])
        sys.path[:0] = filter(None, call["environment"].get("PYTHONPATH", "").split(os.pathsep))
        sys.argv = [call["name"], *call["arguments"]]
        code = _exit_status(call["name"])
        threading._shutdown()
        atexit._run_exitfuncs()
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            connection.sendall(bytes([code]))
        os._exit(code)


def _exit_status(name: str) -> int:
    try:
        status = importlib.import_module(ENTRIES[name]).main()
    except SystemExit as exit_:
        status = exit_.code
    if isinstance(status, str):
        print(status, file=sys.stderr)
        return 1
    return (status or 0) & 255


if __name__ == "__main__":
    serve(sys.argv[1])
