/// How the service manager sees the daemon.
enum UnitCheck {
    static func finding(_ tools: SystemTools = SystemTools()) -> Finding {
        guard let program = tools.find("systemctl") else { return none }
        let names = "--property=LoadState,ActiveState,SubState,Result"
        let result = tools.run([program, "show", "respite.service", names])
        return result.hasSucceeded ? finding(properties(result.text)) : none
    }

    private static let none = Finding.note("systemd", "it does not run here")

    /// The lines `NAME=value`.
    private static func properties(_ text: String) -> [String: String] {
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            guard let sign = line.firstIndex(of: "=") else { return nil }
            return (String(line[..<sign]), String(line[sign...].dropFirst()))
        }
        return Dictionary(pairs) { $1 }
    }

    static func finding(_ properties: [String: String]) -> Finding {
        let state = properties["ActiveState"] ?? "unknown"
        switch (properties["LoadState"], state, properties["SubState"]) {
        case ("not-found", _, _): return .note("systemd", "it has no respite.service")
        case (_, "failed", _), (_, "activating", "auto-restart"):
            return .fault(
                "systemd",
                "respite.service does not stay up: \(properties["Result"] ?? "unknown")",
                "`journalctl -u respite` has the reason; then `systemctl restart respite`"
            )
        case (_, "active", _), (_, "activating", _), (_, "reloading", _):
            return .ok("systemd", "respite.service is \(state)")
        case (_, _, _): return .note("systemd", "respite.service is \(state)", "systemctl start respite")
        }
    }
}
