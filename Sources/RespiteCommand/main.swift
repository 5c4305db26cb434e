import Daemon
import Glibc

exit(EntryPoint.run(Array(CommandLine.arguments.dropFirst())))
