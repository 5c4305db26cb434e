import JSON
import Settings
import Terminal

/// What `respite status` shows about each subject.
enum StatusSection {
    /// All sections, in the order in which they are printed.
    static func all(_ status: JSONValue) -> [TableSection] {
        [
            TableSection(title: "Daemon", rows: daemon(status)),
            TableSection(title: "Connections", rows: connections(status)),
            TableSection(title: "Traffic", rows: traffic(status)),
            TableSection(title: "Memory", rows: memory(status)),
            TableSection(title: "Store", rows: store(status["store"])),
        ] + (status["shared"].map { [TableSection(title: "Shared", rows: shared($0))] } ?? [])
    }

    private static func row(_ name: String, _ value: Table.Cell) -> [Table.Cell] { [Table.Cell(name), value] }

    /// - Parameter plain: the name for programs.
    private static func row(_ name: String, _ plain: String, _ value: Table.Cell) -> [Table.Cell] {
        [Table.Cell(name, plain: plain), value]
    }

    private static func text(_ value: JSONValue?) -> Table.Cell { Table.Cell(value?.text ?? "-") }

    private static func daemon(_ status: JSONValue) -> [[Table.Cell]] {
        var rows = [
            row("version", text(status["version"])), row("uptime", .seconds(status["uptimeSeconds"]?.integer)),
            row("mode", text(status["mode"])),
        ]
        for service in status["serviceModes"]?.elements ?? [] {
            rows.append(row("mode of \(service["name"]?.text ?? "-")", text(service["mode"])))
        }
        rows += ModeCommand.outages(status)
        rows.append(row("ready", Table.Cell(status["ready"]?.isTrue == true ? "yes" : "no")))
        rows.append(row("loops", .count(status["loops"]?.integer)))
        for (name, member) in [("listen", "listeners"), ("admin", "adminListeners")] {
            for address in status[member]?.elements ?? [] { rows.append(row(name, text(address))) }
        }
        for warning in status["remarks"]?.elements ?? [] {
            rows.append(row("warning", Table.Cell(warning.text ?? "-", color: 33)))
        }
        return rows + interception(status["interception"])
    }

    private static func connections(_ status: JSONValue) -> [[Table.Cell]] {
        [row("of clients", "connections", .count(status["connections"]?.integer))] + upstream(status["upstream"])
            + names(status["names"])
    }

    private static func traffic(_ status: JSONValue) -> [[Table.Cell]] {
        let (traffic, tunnels) = (status["traffic"], status["tunnels"])
        return [
            row("resources", .count(status["resources"]?.integer)),
            row("requests", .count(traffic?["requests"]?.integer)),
            row("hits", .part(traffic?["hits"]?.integer, of: traffic?["requests"]?.integer)),
            row("from the cache", "sent from the cache", .bytes(traffic?["bytesFromCache"]?.integer)),
            row("from origins", "sent from origins", .bytes(traffic?["bytesFromOrigins"]?.integer)),
            row("tunnels opened", .count(traffic?["tunnels"]?.integer)),
            row("tunnels open", .count(tunnels?["open"]?.integer)),
            row("sent by tunnels", "sent through tunnels", .bytes(tunnels?["bytesUp"]?.integer)),
            row("received by tunnels", "received through tunnels", .bytes(tunnels?["bytesDown"]?.integer)),
        ] + passed(status)
    }

    private static func memory(_ status: JSONValue) -> [[Table.Cell]] {
        let memory = status["memory"]
        return [
            row("used", "memory used", .size(memory?["usedBytes"]?.integer, of: memory?["limitBytes"]?.integer)),
            row("limit", "memory limit", .bytes(memory?["limitBytes"]?.integer)),
            row("resident", "memory resident", .bytes(memory?["residentBytes"]?.integer)),
        ] + (status["budgets"]?.elements ?? []).map(budget)
    }

    private static func store(_ store: JSONValue?) -> [[Table.Cell]] {
        guard let store, let state = store["state"]?.text else { return [row("state", "store", Table.Cell("none"))] }
        let reason = store["reason"]?.text.map { ": \($0)" } ?? ""
        var rows = [
            row("state", "store", Table.Cell(state + reason, color: state == "ok" ? 32 : 33)),
            row("directory", "store directory", text(store["directory"])),
            row("used", "store used", .size(store["usedBytes"]?.integer, of: store["limitBytes"]?.integer)),
            row("limit", "store limit", .bytes(store["limitBytes"]?.integer)),
        ]
        rows += space(store)
        for name in ["entries", "hits", "misses", "evictions", "damaged", "refused", "queued"] {
            rows.append(row(name, "store \(name)", .count(store[name]?.integer)))
        }
        // Clients already have the responses that invalidated these.
        if let pending = store["pendingInvalidations"]?.integer, pending > 0 {
            let count = Table.Cell("\(pending)", color: 33)
            rows.append(row("pending invalidations", "store pending invalidations", count))
        }
        return rows
    }

    /// The tier that nodes share.
    private static func shared(_ shared: JSONValue) -> [[Table.Cell]] {
        let reason = shared["reason"]?.text
        let lookUps = (shared["hits"]?.integer ?? 0) + (shared["misses"]?.integer ?? 0)
        var rows = [
            row("server", "shared server", text(shared["server"])),
            row("state", "shared state", Table.Cell(reason ?? "ok", color: reason == nil ? 32 : 33)),
            row("hits", "shared hits", .part(shared["hits"]?.integer, of: lookUps)),
        ]
        let follows = shared["following"]?.isTrue ?? false
        let purges = "\(shared["purgesReceived"]?.integer ?? 0) from others, \(shared["purgesSent"]?.integer ?? 0) sent"
        rows.append(
            row("purges", "shared purges", Table.Cell(follows ? purges : "not heard now", color: follows ? nil : 33))
        )
        for name in ["waits", "lostLeases", "failures", "skipped", "stored", "refused", "broken"] {
            let label = name == "lostLeases" ? "lost leases" : name
            rows.append(row(label, "shared \(label)", .count(shared[name]?.integer)))
        }
        return rows
    }

    /// What compression and shared bodies save on the disk; what saves nothing is not shown.
    private static func space(_ store: JSONValue) -> [[Table.Cell]] {
        func show(_ name: String, _ text: String, _ count: JSONValue?, _ noun: String) -> [[Table.Cell]] {
            guard let count = count?.integer, count > 0 else { return [] }
            return [row(name, "store \(name)", Table.Cell("\(text) (\(Plural.text(Int(count), noun)))"))]
        }
        func size(_ value: JSONValue?) -> String { Table.Cell.readable(bytes: value?.integer ?? 0) }
        let (compressed, shared) = (store["compressed"], store["shared"])
        let sizes = "\(size(compressed?["contentBytes"])) in \(size(compressed?["storedBytes"]))"
        return show("compressed", sizes, compressed?["entries"], "response")
            + show("shared", "\(size(shared?["savedBytes"])) saved", shared?["bodies"], "body file")
    }

    // MARK: Rows

    /// The targets of tunnels that passed unread, and what to do about them.
    private static func passed(_ status: JSONValue) -> [[Table.Cell]] {
        guard let advice = TunnelAdvice.sentence(status) else { return [] }
        return TunnelAdvice.targets(status).map { target in
            [Table.Cell("passed unread"), Table.Cell("\(target.name): \(Plural.text(target.count, "tunnel"))")]
        } + [[Table.Cell("advice"), Table.Cell(advice, color: 33)]]
    }

    /// How much of a budget is in use, under the name of the setting that limits it.
    private static func budget(_ value: JSONValue) -> [Table.Cell] {
        func size(_ name: String) -> String { Table.Cell.readable(bytes: value[name]?.integer ?? 0) }
        let refused = value["refused"]?.integer ?? 0
        let text = "\(size("usedBytes")) of \(size("limitBytes"))" + (refused > 0 ? "; \(refused) refused" : "")
        return [Table.Cell(value["setting"]?.text ?? "-"), Table.Cell(text, color: refused > 0 ? 33 : nil)]
    }

    /// The intercepted hosts, and the hosts that get tunnels because a client refuses our certificates.
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
        return [[Table.Cell("to origins", plain: "connections to origins"), Table.Cell(text)]]
            + (value["withoutReuse"]?.elements ?? []).map { one in
                let time = Table.Cell.readable(seconds: one["secondsLeft"]?.integer ?? 0)
                let text =
                    "\(one["origin"]?.text ?? "-"): sent more bytes than its responses announce; for \(time) more"
                return [Table.Cell("not reused", plain: "connections not reused"), Table.Cell(text, color: 33)]
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
                rows.append([Table.Cell("warning"), Table.Cell(complaint, color: 33)])
            }
        }
        return rows
    }
}
