import TestSupport

/// A daemon with rules in its settings file, and an origin whose responses everybody may store.
struct RuledDaemon {
    let origin: ScriptedOrigin
    let daemon: DaemonProcess
    private let file: String

    /// - Parameters:
    ///   - script: what the origin does; nil: it numbers its answers.
    ///   - rules: the text of the settings file.
    init(script: ScriptedOrigin.Script? = nil, _ rules: (ScriptedOrigin) -> String) throws {
        origin = try ScriptedOrigin(script ?? Self.number)
        let home = TemporaryDirectory()
        file = try home.write(rules(origin), to: "respite.toml")
        daemon = try DaemonProcess(["--config", file], home: home)
    }

    private static func number(_ exchange: OriginExchange) throws {
        guard exchange.request["Upgrade"] == nil else { return exchange.close() }
        try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "answer \(exchange.ordinal)")
    }

    /// Puts another settings file in force.
    func reload(_ rules: String) throws {
        try writeFile(file, Array(rules.utf8))
        let outcome = try daemon.admin("POST", "/v1/reload")
        guard outcome.status == 200 else { throw HarnessError("reload: \(outcome.text)") }
    }

    /// The text of a rule.
    static func rule(_ match: String, _ rest: String) -> String { "[[rule]]\nmatch = \"\(match)\"\n\(rest)\n" }
}
