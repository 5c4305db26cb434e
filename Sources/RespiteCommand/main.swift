import Commands
import Daemon
import LibC
import Platform

let arguments = ProcessArguments.texts
// Before there is a thread, a file or a socket.
if arguments.first == "serve" { ServeCommand.prepareForSignals() }
exit(EntryPoint(daemon: .server).run(arguments))
