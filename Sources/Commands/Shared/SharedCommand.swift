import CommandSyntax

/// `respite shared check`: tries the server that several machines share.
enum SharedCommand {
    private static let without =
        "the settings share no server: name one by `shared.url`, or nodes of a cluster by `shared.cluster` "
        + "(docs/scaling.md says how)"

    static func run(_ command: ParsedCommand, daemon: DaemonProvider) -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in
            let findings: [Finding]?
            do throws(StartFailure) {
                findings = try daemon.checkShared(command)
            } catch {
                throw CommandFailure(error.userMessage, exitCode: error.hasWrongSettings ? 2 : 1)
            }
            guard let findings else { throw CommandFailure(without) }
            return FindingText.print(findings, of: command)
        }
    }
}
