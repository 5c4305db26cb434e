import Daemon
import Glibc

// First of all, before there is a thread, a file or a socket.
EntryPoint.takeSignals()
exit(EntryPoint.run(Array(CommandLine.arguments.dropFirst())))
