"""On PYTHONPATH of a run whose disk is modelled: tells `tests.faults.power` of every fsync."""

import os
import socket

_fsync = os.fsync


def fsync(descriptor):
    """Force a file to the disk and, before going on, have it recorded."""
    _fsync(descriptor)
    number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(os.environ["CORAL_TEST_DISK"])
        socket.send_fds(line, [b"."], [number])
        line.recv(1)


os.fsync = fsync
