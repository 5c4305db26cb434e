import Commands
import Daemon
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
// Before there is a thread, a file or a socket.
if arguments.first == "serve" { ServeCommand.prepareForSignals() }
exit(EntryPoint(daemon: .server).run(arguments))
