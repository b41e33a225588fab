"""Runs a program on a new pseudo terminal and relays its bytes: relay.py COLUMNS ROWS PROGRAM [ARG...]

Standard input goes to the program, what it writes comes out on standard output. Lines on descriptor 3 are orders:
`size COLUMNS ROWS`, `signal NAME` and `hangup`. Exits with the program's code, or 128 + the signal that ended it.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios


def set_size(fd, columns, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def main():
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    pid, master = pty.fork()
    if pid == 0:
        set_size(0, columns, rows)
        os.execvp(sys.argv[3], sys.argv[3:])
    sources = {0, 3, master}
    while master in sources:
        for fd in select.select(list(sources), [], [])[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                data = b""
            if not data:
                sources.discard(fd)
            elif fd == 0:
                os.write(master, data)
            elif fd == master:
                os.write(1, data)
            else:
                for order in data.decode().splitlines():
                    words = order.split()
                    if words[0] == "size":
                        set_size(master, int(words[1]), int(words[2]))
                        os.kill(pid, signal.SIGWINCH)
                    elif words[0] == "signal":
                        os.kill(pid, getattr(signal, "SIG" + words[1]))
                    elif words[0] == "hangup":
                        os.close(master)
                        sources.discard(master)
    status = os.waitpid(pid, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)


main()
