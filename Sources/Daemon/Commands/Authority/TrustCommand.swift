import Formats
import Platform
import Settings

/// `respite ca trust` and `respite ca untrust`: has programs of this machine trust our CA, and takes that back.
struct TrustCommand {
    /// What became of one place.
    struct Result {
        enum Outcome: String {
            case changed
            /// There was nothing to do.
            case unchanged
            case planned
            case failed
        }

        var store: String
        var outcome: Outcome
        var steps: [TrustStep] = []
        /// Why it failed, and what to do.
        var reason: String?
    }

    private let authority: OwnAuthority
    private let adds: Bool
    private let isPlan: Bool
    private let isRoot: Bool
    private let tools = SystemTools()
    private let home: String?

    static func run(_ command: ParsedCommand) -> Int32 {
        do throws(CommandFailure) {
            let trust = try TrustCommand(command)
            let (results, remarks) = try trust.run()
            if command.has("json") {
                Console.write(trust.json(results, remarks))
            } else {
                for result in results { Console.write(trust.text(result)) }
                for remark in remarks { Console.complain("respite: \(remark)") }
            }
            return results.contains { $0.outcome == .failed } ? 1 : 0
        } catch {
            Console.complain("respite: \(error.userMessage)")
            return error.exitCode
        }
    }

    private init(_ command: ParsedCommand) throws(CommandFailure) {
        let context = ProcessContext.current
        authority = try OwnAuthority(command)
        adds = command.name == "ca trust"
        isPlan = command.has("dry-run")
        isRoot = context.isRoot
        home = TrustPlaces.home(context)
    }

    private func run() throws(CommandFailure) -> (results: [Result], remarks: [String]) {
        let places = TrustPlaces(tools, home: home)
        guard !places.stores.isEmpty else {
            throw CommandFailure(places.remarks.first ?? "there is nothing here that keeps trust in authorities")
        }
        return (places.stores.map(result), places.remarks)
    }

    private func result(_ store: any TrustStore) -> Result {
        var result = Result(store: store.name, outcome: .changed)
        do throws(CommandFailure) {
            guard try isToDo(store) else { return Result(store: store.name, outcome: .unchanged) }
            let steps = adds ? store.steps(toAdd: authority) : try store.steps(toRemove: authority)
            guard !isPlan else { return Result(store: store.name, outcome: .planned, steps: steps) }
            guard isRoot || !store.needsRoot else {
                let again = "sudo respite ca \(adds ? "trust" : "untrust") --ca-directory \(authority.directory)"
                throw CommandFailure("only root may change it: \(again)")
            }
            for step in steps {
                try step.perform(tools)
                result.steps.append(step)
            }
            guard try isToDo(store) else { return result }
            result.reason =
                adds
                ? "it went well, and yet the CA is not trusted"
                : "it went well, and yet the CA is trusted: somebody has put it there in another way, too"
        } catch {
            result.reason = error.userMessage
        }
        result.outcome = .failed
        return result
    }

    /// What was begun and not ended is to be taken back, too.
    private func isToDo(_ store: any TrustStore) throws(CommandFailure) -> Bool {
        adds ? try !store.holds(authority) : try store.holdsTrace(of: authority)
    }

    // MARK: Telling

    private func text(_ result: Result) -> String {
        let sentence =
            switch result.outcome {
            case .changed: adds ? "trusts the CA now" : "trusts the CA no more"
            case .unchanged: adds ? "trusts the CA already" : "does not trust the CA"
            case .planned: adds ? "would trust the CA" : "would trust the CA no more"
            case .failed: "failed: \(result.reason ?? "-")"
            }
        let steps = result.steps.map { "  \($0.text(isPlan: isPlan))\n" }.joined()
        return Console.printable("\(result.store): \(sentence)") + "\n" + steps
    }

    private func json(_ results: [Result], _ remarks: [String]) -> [UInt8] {
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
                            for step in result.steps { writer.text(step.text(isPlan: isPlan)) }
                        }
                    }
                }
            }
            writer.memberArray("remarks") { writer in for remark in remarks { writer.text(remark) } }
        }
        return writer.bytes + [0x0A]
    }
}
