import CommandSyntax
import Settings

/// `respite status`: prints the state of the daemon.
struct StatusCommand {
    private let client: AdminClient
    private let isJSON: Bool

    init(_ client: AdminClient, _ command: ParsedCommand) {
        self.client = client
        isJSON = command.has("json")
    }

    func run() throws(CommandFailure) {
        let response = try client.get("/v1/status")
        if isJSON {
            Console.write(response.content)
        } else {
            Console.write(Self.rows(try response.json()))
        }
    }

    static func rows(_ status: JSONValue) -> [[Table.Cell]] {
        var rows: [[Table.Cell]] = []
        func row(_ name: String, _ cell: Table.Cell) { rows.append([Table.Cell(name), cell]) }
        func number(_ value: JSONValue?) -> Table.Cell { value?.integer.map { Table.Cell("\($0)") } ?? .none }
        row("version", Table.Cell(status["version"]?.text ?? "-"))
        row("uptime", .seconds(status["uptimeSeconds"]?.integer))
        row("mode", Table.Cell(status["mode"]?.text ?? "-"))
        for service in status["serviceModes"]?.elements ?? [] {
            row("mode of \(service["name"]?.text ?? "-")", Table.Cell(service["mode"]?.text ?? "-"))
        }
        rows += ModeCommand.outages(status)
        row("ready", Table.Cell(status["ready"]?.isTrue == true ? "yes" : "no"))
        row("loops", number(status["loops"]))
        for (name, member) in [("listen", "listeners"), ("admin", "adminListeners")] {
            for address in status[member]?.elements ?? [] { row(name, Table.Cell(address.text ?? "-")) }
        }
        for warning in status["remarks"]?.elements ?? [] { row("remark", Table.Cell(warning.text ?? "-", color: 33)) }
        rows += interception(status["interception"])
        row("connections", number(status["connections"]))
        rows += upstream(status["upstream"])
        rows += names(status["names"])
        row("resources", number(status["resources"]))
        let traffic = status["traffic"]
        row("requests", number(traffic?["requests"]))
        row("hits", number(traffic?["hits"]))
        row("sent from the cache", .bytes(traffic?["bytesFromCache"]?.integer))
        row("sent from origins", .bytes(traffic?["bytesFromOrigins"]?.integer))
        row("tunnels opened", number(traffic?["tunnels"]))
        let tunnels = status["tunnels"]
        row("tunnels open", number(tunnels?["open"]))
        row("sent through tunnels", .bytes(tunnels?["bytesUp"]?.integer))
        row("received through tunnels", .bytes(tunnels?["bytesDown"]?.integer))
        rows += passed(status)
        let memory = status["memory"]
        row("memory used", .bytes(memory?["usedBytes"]?.integer))
        row("memory limit", .bytes(memory?["limitBytes"]?.integer))
        row("memory resident", .bytes(memory?["residentBytes"]?.integer))
        for budget in status["budgets"]?.elements ?? [] { rows.append(Self.budget(budget)) }
        appendStore(status["store"], to: &rows)
        return rows
    }

    /// The targets of tunnels that passed unread, and what to do about them.
    private static func passed(_ status: JSONValue) -> [[Table.Cell]] {
        guard let advice = TunnelAdvice.sentence(status) else { return [] }
        return TunnelAdvice.targets(status).map { target in
            [Table.Cell("passed unread"), Table.Cell("\(target.name): \(Plural.text(target.count, "tunnel"))")]
        } + [[Table.Cell("remark"), Table.Cell(advice, color: 33)]]
    }

    /// How much of a budget is in use, under the name of the setting that limits it.
    private static func budget(_ value: JSONValue) -> [Table.Cell] {
        func size(_ name: String) -> String { Table.Cell.readable(bytes: value[name]?.integer ?? 0) }
        let refused = value["refused"]?.integer ?? 0
        let text = "\(size("usedBytes")) of \(size("limitBytes"))" + (refused > 0 ? "; \(refused) refused" : "")
        return [Table.Cell(value["setting"]?.text ?? "-"), Table.Cell(text, color: refused > 0 ? 33 : nil)]
    }

    /// The intercepted hosts, and those that get tunnels because a client refuses our certificates.
    private static func interception(_ value: JSONValue?) -> [[Table.Cell]] {
        guard let value else { return [] }
        let hosts = (value["hosts"]?.elements ?? []).compactMap(\.text).joined(separator: ", ")
        return [[Table.Cell("intercepted"), Table.Cell(hosts)]]
            + (value["refused"]?.elements ?? []).map { one in
                let text =
                    "\(one["host"]?.text ?? "-"): refused by \(one["client"]?.text ?? "-"), "
                    + "blind tunnels for \(Table.Cell.readable(seconds: one["secondsLeft"]?.integer ?? 0))"
                return [Table.Cell("not intercepted"), Table.Cell(text, color: 33)]
            }
    }

    /// Connections to origins, and the origins whose connections serve one request each.
    private static func upstream(_ value: JSONValue?) -> [[Table.Cell]] {
        guard let value, let connections = value["connections"]?.integer else { return [] }
        let idle = value["idleConnections"]?.integer ?? 0
        let text = "\(connections), \(idle) of them idle"
        return [[Table.Cell("connections to origins"), Table.Cell(text)]]
            + (value["withoutReuse"]?.elements ?? []).map { one in
                let time = Table.Cell.readable(seconds: one["secondsLeft"]?.integer ?? 0)
                let text =
                    "\(one["origin"]?.text ?? "-"): sent more bytes than its responses announce; for \(time) more"
                return [Table.Cell("connections not reused"), Table.Cell(text, color: 33)]
            }
    }

    /// Look-ups of host names, and the name servers that are slow or silent.
    private static func names(_ value: JSONValue?) -> [[Table.Cell]] {
        guard let value, let underWay = value["underWay"]?.integer else { return [] }
        let refused = value["refused"]?.integer ?? 0
        let text = "\(underWay) in progress" + (refused > 0 ? "; \(refused) refused" : "")
        var rows = [[Table.Cell("name look-ups"), Table.Cell(text, color: refused > 0 ? 33 : nil)]]
        for server in value["servers"]?.elements ?? [] {
            func number(_ name: String) -> Int64 { server[name]?.integer ?? 0 }
            var text =
                "\(server["address"]?.text ?? "-"): \(number("answers")) of \(number("questions")) questions answered"
            if let time = server["typicalMicroseconds"]?.integer { text += ", in \((time + 500) / 1000) ms" }
            rows.append([Table.Cell("name server"), Table.Cell(text)])
            if let complaint = server["complaint"]?.text {
                rows.append([Table.Cell("remark"), Table.Cell(complaint, color: 33)])
            }
        }
        return rows
    }

    private static func appendStore(_ store: JSONValue?, to rows: inout [[Table.Cell]]) {
        guard let store, let state = store["state"]?.text else {
            rows.append([Table.Cell("store"), Table.Cell("none")])
            return
        }
        let reason = store["reason"]?.text.map { ": \($0)" } ?? ""
        rows.append([Table.Cell("store"), Table.Cell(state + reason, color: state == "ok" ? 32 : 33)])
        rows.append([Table.Cell("store directory"), Table.Cell(store["directory"]?.text ?? "-")])
        rows.append([Table.Cell("store used"), .bytes(store["usedBytes"]?.integer)])
        rows.append([Table.Cell("store limit"), .bytes(store["limitBytes"]?.integer)])
        for name in ["entries", "hits", "misses", "evictions", "damaged", "refused", "queued"] {
            let count = store[name]?.integer.map { Table.Cell("\($0)") } ?? .none
            rows.append([Table.Cell("store \(name)"), count])
        }
        // Clients already have the responses that invalidated these.
        if let pending = store["pendingInvalidations"]?.integer, pending > 0 {
            rows.append([Table.Cell("store pending invalidations"), Table.Cell("\(pending)", color: 33)])
        }
    }
}
