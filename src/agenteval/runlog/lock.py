"""The lock that keeps a second writer from a log: on the log itself, so that no file is left over.

The lock belongs to the open file, not to the process: a second writer in the same process is
refused too, and reading the log elsewhere in the process does not drop the lock. It vanishes with
a killed process. A forked child would share it; `agenteval.runlog.file` closes the child's copy.
"""

from __future__ import annotations

import errno
import sys
from io import FileIO

__all__ = ["lock", "unlock"]

# Windows keeps others from reading what is locked, so the byte to lock is the farthest that its C
# library can: it counts positions in 32 bits with a sign.
_FAR = 2**31 - 2

_HELD = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}


def lock(file: FileIO) -> bool:
    """Lock the open `file`; return whether that was possible.

    Raises:
        OSError: The file system cannot lock.
    """
    try:
        if sys.platform == "win32":
            import msvcrt  # here, because only a log needs it

            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # here, because only a log needs it

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True


def unlock(file: FileIO) -> None:
    """Give the lock back, also where a copy of the open file lives on in another process."""
    if sys.platform == "win32":
        import msvcrt  # here, because only a log needs it

        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
    else:
        import fcntl  # here, because only a log needs it

        fcntl.flock(file, fcntl.LOCK_UN)
