import Cassettes
import CommandSyntax
import Recording
import Settings
import Terminal

/// `respite record` and `respite replay`: runs a command whose HTTP traffic is recorded, or comes from a recording.
///
/// The exit code is that of the command, as for `respite run`. It is 125 if the cassette cannot be used, or if a
/// request had no response in it and the command ended well nevertheless.
struct TapedCommand {
    private let command: ParsedCommand
    private let provider: DaemonProvider
    private let file: CassetteFile

    init(_ command: ParsedCommand, daemon provider: DaemonProvider) {
        self.command = command
        self.provider = provider
        file = CassetteFile(command.operands.first ?? "")
    }

    func run() -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in
            command.name == "record" ? try record() : try replay()
        }
    }

    private func note(_ text: String) {
        if !command.has("quiet") { Console.complain("respite: \(Console.printable(text))") }
    }

    // MARK: Recording

    private func record() throws(CommandFailure) -> Int32 {
        let settings = try LoadedSettings.forCommand(OwnDaemon.storelessCommand(command)).values
        let session: CassetteSession
        do throws(CassetteError) {
            try file.checkReplaceable()
            let rules = ScrubbingRules(settings, paths: command.values(of: "scrub"))
            session = CassetteSession(recordingWith: try Scrubber(rules))
        } catch {
            throw CommandFailure(error)
        }
        let code = RunCommand(command, daemon: provider, cassette: session).run()
        let report = session.report
        for text in report.unrecorded { Console.complain("respite: not recorded: \(Console.printable(text))") }
        guard report.recorded > 0 else {
            note("nothing was recorded, so \(file.path) stays as it is")
            return code
        }
        try write(session)
        note("recorded \(Plural.text(report.recorded, "exchange")) in \(file.path)")
        return code
    }

    private func write(_ session: CassetteSession) throws(CommandFailure) {
        do throws(CassetteError) {
            try file.write(session.cassette, without: session.secrets, creator: Version.text)
        } catch {
            throw CommandFailure(error)
        }
    }

    // MARK: Replaying

    private func replay() throws(CommandFailure) -> Int32 {
        let name = command.value(of: "on-miss") ?? MissPolicy.fail.rawValue
        guard let policy = MissPolicy(rawValue: name) else {
            let names = MissPolicy.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure("`--on-miss` is one of \(names), not `\(Console.printable(name))`", exitCode: 2)
        }
        let isStrict = command.has("strict-order")
        let speed = try Self.speed(command.value(of: "pace") ?? "instant")
        let session: CassetteSession
        do throws(CassetteError) {
            let rules = try command.value(of: "match").map { text throws(CassetteError) in try MatchRules(text) }
            session = try CassetteSession(
                replaying: file.read(),
                rules ?? .standard,
                isStrict: isStrict,
                onMiss: policy,
                speed: speed
            )
        } catch {
            throw CommandFailure(error)
        }
        let code = RunCommand(command, daemon: provider, cassette: session).run()
        let report = session.report
        if report.recorded > 0 { try write(session) }
        return conclude(report, policy, code, isStrict: isStrict)
    }

    /// How many times faster than recorded streams come; nil: at once.
    private static func speed(_ text: String) throws(CommandFailure) -> Double? {
        switch text {
        case "instant": return nil
        case "recorded": return 1
        default:
            guard let speed = Double(text), (0.01...10_000).contains(speed) else {
                throw CommandFailure(
                    "`--pace` is instant, recorded or a factor from 0.01 to 10000, not `\(Console.printable(text))`",
                    exitCode: 2
                )
            }
            return speed
        }
    }

    /// Prints what happened; returns the exit code.
    private func conclude(_ report: SessionReport, _ policy: MissPolicy, _ code: Int32, isStrict: Bool) -> Int32 {
        for miss in report.misses where policy == .fail {
            Console.complain("respite: \(Console.printable("\(miss.request): \(miss.userMessage)"))")
        }
        for text in report.unrecorded { Console.complain("respite: not recorded: \(Console.printable(text))") }
        var text = "replayed \(Plural.text(report.replayed, "response")) of \(file.path)"
        if report.missed > 0 { text += "; it had none for \(Plural.text(report.missed, "request"))" }
        if report.recorded > 0 { text += "; recorded \(Plural.text(report.recorded, "exchange"))" }
        if !report.unused.isEmpty { text += "; \(Plural.text(report.unused.count, "exchange")) not asked for" }
        note(text)
        let isIncomplete = isStrict && !report.unused.isEmpty
        if isIncomplete, let first = report.unused.first {
            Console.complain("respite: not asked for, first: \(Console.printable(first))")
        }
        return code == 0 && (policy == .fail && report.missed > 0 || isIncomplete) ? 125 : code
    }
}

extension CommandFailure {
    /// The exit code is 125, which no command has; 2 for a wrong option.
    fileprivate init(_ error: CassetteError) {
        let isUsage = error.place.hasPrefix("`--") || error.place.hasPrefix("the path")
        self.init(Console.printable("\(error)"), exitCode: isUsage ? 2 : 125)
    }
}
