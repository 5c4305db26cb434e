import CommandSyntax
import Formats
import Platform
import Settings
import Terminal

/// `respite ca trust` and `respite ca untrust`: add our CA to the trust stores of this machine, or remove it.
struct TrustCommand {
    /// What happened to one store.
    struct Result {
        enum Outcome: String {
            case changed
            /// The store needed no change.
            case unchanged
            /// `--dry-run`: the steps were not run.
            case planned
            case failed
        }

        var store: String
        var outcome: Outcome
        /// The steps that were run, or would be.
        var steps: [TrustStep] = []
        /// Why it failed, and what to do.
        var reason: String?
    }

    private let authority: LocalAuthority
    private let adds: Bool
    private let isDryRun: Bool
    private let isRoot: Bool
    private let tools = SystemTools()
    private let home: String?

    static func run(_ command: ParsedCommand) -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in
            let trust = try TrustCommand(command)
            let (results, notes) = try trust.run()
            if command.has("json") {
                Console.write(trust.json(results, notes))
            } else {
                for result in results { Console.write(trust.text(result)) }
                for note in notes { Console.complain("respite: \(note)") }
            }
            return results.contains { $0.outcome == .failed } ? 1 : 0
        }
    }

    private init(_ command: ParsedCommand) throws(CommandFailure) {
        let context = ProcessContext.current
        authority = try LocalAuthority(command)
        adds = command.name == "ca trust"
        isDryRun = command.has("dry-run")
        isRoot = context.isRoot
        home = TrustStores.home(context)
    }

    private func run() throws(CommandFailure) -> (results: [Result], notes: [String]) {
        let stores = TrustStores(tools, home: home)
        guard !stores.all.isEmpty else {
            throw CommandFailure(stores.notes.first ?? "this system has no trust store that Respite knows")
        }
        return (stores.all.map(result), stores.notes)
    }

    private func result(_ store: any TrustStore) -> Result {
        var result = Result(store: store.name, outcome: .changed)
        do throws(CommandFailure) {
            guard try needsChange(store) else { return Result(store: store.name, outcome: .unchanged) }
            let steps = adds ? store.steps(toAdd: authority) : try store.steps(toRemove: authority)
            guard !isDryRun else { return Result(store: store.name, outcome: .planned, steps: steps) }
            guard isRoot || !store.needsRoot else {
                let again = "sudo respite ca \(adds ? "trust" : "untrust") --ca-directory \(authority.directory)"
                throw CommandFailure("only root can change it: \(again)")
            }
            for step in steps {
                try step.perform(tools)
                result.steps.append(step)
            }
            guard try needsChange(store) else { return result }
            result.reason =
                adds
                ? "all steps succeeded, but the store does not trust the CA"
                : "all steps succeeded, but the store still trusts the CA: somebody has added it in another way, too"
        } catch {
            result.reason = error.userMessage
        }
        result.outcome = .failed
        return result
    }

    /// Whether the store must be changed.
    ///
    /// Removing also undoes an addition that was interrupted.
    private func needsChange(_ store: any TrustStore) throws(CommandFailure) -> Bool {
        adds ? try !store.trusts(authority) : try store.hasTrace(of: authority)
    }

    // MARK: Output

    private func text(_ result: Result) -> String {
        let sentence =
            switch result.outcome {
            case .changed: adds ? "trusts the CA now" : "trusts the CA no longer"
            case .unchanged: adds ? "trusts the CA already" : "does not trust the CA"
            case .planned: adds ? "would trust the CA" : "would trust the CA no longer"
            case .failed: "failed: \(result.reason ?? "-")"
            }
        let steps = result.steps.map { "  \($0.text(isDryRun: isDryRun))\n" }.joined()
        return Console.printable("\(result.store): \(sentence)") + "\n" + steps
    }

    private func json(_ results: [Result], _ notes: [String]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("certificateFile", authority.certificateFile)
            writer.memberArray("stores") { writer in
                for result in results {
                    writer.object { writer in
                        writer.member("store", result.store)
                        writer.member("outcome", result.outcome.rawValue)
                        if let reason = result.reason { writer.member("reason", reason) }
                        writer.memberArray("steps") { writer in
                            for step in result.steps { writer.text(step.text(isDryRun: isDryRun)) }
                        }
                    }
                }
            }
            writer.memberArray("notes") { writer in for note in notes { writer.text(note) } }
        }
        return writer.bytes + [0x0A]
    }
}
