import HTTPCore
import Platform
import Settings

/// Where the proxy variables of this shell lead.
enum VariableChecks {
    private static let set = "eval \"$(respite env)\""
    private static let names = ["http_proxy", "https_proxy"]

    static func findings(_ context: DoctorContext) -> [Finding] {
        findings(context.process.environment, context.listeners, ask: PortProbe.ask)
    }

    /// - Parameter ask: what answers at an address.
    static func findings(
        _ environment: [String: String],
        _ listeners: [ListenAddress],
        ask: (ListenAddress) -> PortProbe.Outcome
    ) -> [Finding] {
        func value(_ name: String) -> String? {
            [name, name.uppercased()].compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        guard let first = names.first(where: { value($0) != nil }) else {
            return [.note("variables", "this shell uses no proxy", set)]
        }
        if let fault = difference(environment) { return [fault] }
        var findings = names.compactMap { name in
            value(name).map { finding(name, $0, listeners, ask: ask) }
        }
        if value("https_proxy") == nil {
            findings.append(.note("variables", "https_proxy is not set, \(first) is", set))
        }
        if let exceptions = exceptions(environment) { findings.append(exceptions) }
        return findings
    }

    /// A fault if the spellings of a variable say different things.
    private static func difference(_ environment: [String: String]) -> Finding? {
        for name in names + ["no_proxy"] {
            guard let lower = environment[name], let upper = environment[name.uppercased()], lower != upper else {
                continue
            }
            return .fault(
                "variables",
                "\(name) and \(name.uppercased()) differ, and programs read one or the other",
                "set both: \(set)"
            )
        }
        return nil
    }

    private static func finding(
        _ name: String,
        _ value: String,
        _ listeners: [ListenAddress],
        ask: (ListenAddress) -> PortProbe.Outcome
    ) -> Finding {
        let shown = "\(name)=\(masked(value))"
        guard let address = ListenAddress(text: withoutUser(value)) else {
            return .note("variables", "\(shown) leads to another machine", set)
        }
        if listeners.contains(where: { $0.endpoint.reachable == address.endpoint.reachable }) {
            return .ok("variables", "\(shown) leads here")
        }
        guard case .nobody(let reason) = ask(address) else {
            return .note("variables", "\(shown) leads to another proxy", set)
        }
        return .fault("variables", "\(shown) leads to nobody: \(reason)", "\(set), or unset \(name)")
    }

    private static func exceptions(_ environment: [String: String]) -> Finding? {
        let value = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        let hosts = value.split(separator: ",").map { $0.filter { $0 != " " } }
        guard hosts.contains("*") else { return nil }
        return .fault("variables", "no_proxy has *, so programs ask every host directly", "unset no_proxy NO_PROXY")
    }

    /// The value without name and password, which no output shows.
    private static func masked(_ value: String) -> String {
        withoutUser(value) == value ? value : withoutUser(value).replacing("://", with: "://…@", maxReplacements: 1)
    }

    private static func withoutUser(_ value: String) -> String {
        let parts = value.ranges(of: "://").first.map { (value[..<$0.upperBound], value[$0.upperBound...]) }
        let (scheme, rest) = parts ?? ("", value[...])
        let authority = rest.prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return value }
        return "\(scheme)\(rest[at...].dropFirst())"
    }
}
