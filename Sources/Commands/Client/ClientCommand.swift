import CommandSyntax
import Settings

/// The commands that use a running daemon.
enum ClientCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in
            let client = try AdminClient(command)
            switch command.name {
            case "status": try StatusCommand(client, command).run()
            case "stats": try StatsCommand(client, command).run()
            case "top": try TopCommand(client, command).run()
            case "ls": try ListCommand(client, command).run()
            case "show": try ShowCommand(client, command).run()
            case "reload": try ReloadCommand(client, command).run()
            case "explain": try ExplainCommand(client, command).run()
            case "mode": try ModeCommand(client, command).run()
            case "put": try PutCommand(client, command).run()
            case "tail": try TailCommand(client, command).run()
            case "dashboard": try DashboardCommand(client, command).run()
            case "tunnels": try TunnelsCommand(client, command).run()
            case "log": try LogCommand(client, command).run()
            case "refresh": try RefreshCommand(client, command).run()
            case "watch": try WatchCommand(client, command).run()
            case "get": return try GetCommand(client, command).run()
            case "export": try ExportCommand(client: client, command: command).run()
            case "import": return try ImportCommand(client: client, command: command).run()
            case "cat": try ContentCommand(client, command).run()
            default: try ChangeCommand(client, command).run()
            }
            return 0
        }
    }
}
