/// `/v1/status`.
extension NamedSchema {
    static let status = NamedSchema(
        "Status",
        "The state of the daemon and its cache.",
        [
            .required("version", .text),
            .required("uptimeSeconds", .count),
            .required("mode", .word(modes), "How the network is used."),
            .required("serviceModes", .list(.named(serviceMode)), "Services that have a mode of their own."),
            .required("outages", .list(.named(outage)), "Origins that are down."),
            .required("ready", .boolean, "False while the daemon stops."),
            .required("loops", .count, "Threads that serve clients."),
            .required("listeners", .list(.text)),
            .required("forwardListeners", .list(.text), "The listeners that are a forward proxy."),
            .required("adminListeners", .list(.text)),
            .required("remarks", .list(.text), "Warnings about the settings in force, a sentence each."),
            .required("rules", .list(.text), "The presets in force, with their indexes."),
            .required("connections", .count, "Open connections of clients."),
            .required("resources", .count, "Resources in memory."),
            .required("upstream", .named(upstream)),
            .required("names", .named(names)),
            .required("traffic", .named(traffic)),
            .required("savings", .named(savings)),
            .required("tunnels", .named(statusTunnels)),
            .optional("interception", .named(interception), "Absent if nothing is intercepted."),
            .required("memory", .named(memory)),
            .required("budgets", .list(.named(budget))),
            .optional("shared", .named(shared), "Absent if nodes share nothing."),
            .required("store", .nullable(.named(store)), "Null if there is no store."),
        ]
    )

    private static let traffic = NamedSchema(
        "Traffic",
        "Requests of clients since the start, by result.",
        [
            .required("requests", .count),
            .required("hits", .count, "Served without asking the origin server."),
            .required("loads", .count, "Waited for a load or a validation."),
            .required("passes", .count, "Bypassed the cache."),
            .required("failures", .count, "Got an error because the origin server failed."),
            .required("refused", .count),
            .required("tunnels", .count, "Opened tunnels, which are no requests."),
            .required("bytesFromCache", .count),
            .required("bytesFromOrigins", .count),
            .optional("savedMilliseconds", .count, "The hits times the mean time of a miss, without their own time."),
        ]
    )

    private static let savings = NamedSchema(
        "Savings",
        "What the cache has saved, over restarts if there is a store.",
        [
            .required("requests", .count),
            .required("bytes", .count),
            .optional("since", .text, "An HTTP date; absent: since this start."),
        ]
    )

    private static let statusTunnels = NamedSchema(
        "TunnelSummary",
        "Totals of tunnels since the start.",
        tunnelTotalMembers + [
            .required(
                "passed",
                .list(.object([.required("target", .text), .required("tunnels", .count)])),
                "Targets whose tunnels passed unread, the most frequent first."
            )
        ]
    )

    private static let memory = NamedSchema(
        "Memory",
        "Stored responses in memory.",
        [
            .required("usedBytes", .count), .required("limitBytes", .count), .required("entries", .count),
            .optional("residentBytes", .count, "Those of the whole process."),
        ]
    )

    private static let budget = NamedSchema(
        "Budget",
        "The use of something that all clients share.",
        [
            .required("setting", .text, "The setting that limits it."),
            .required("usedBytes", .count), .required("limitBytes", .count),
            .required("refused", .count, "Refused since the start because the limit was reached."),
        ]
    )

    private static let shared = NamedSchema(
        "SharedTier",
        "The server that nodes share, as this node sees it.",
        [
            .required("server", .text),
            .optional("reason", .text, "Why it is of no use now."),
            .required("hits", .count), .required("misses", .count),
            .required("failures", .count, "Look-ups without an answer in time, or with an error."),
            .required("skipped", .count, "Look-ups left out while it is slow or down."),
            .required("waits", .count, "Look-ups that waited for the load of another node."),
            .required("leases", .count, "Loads now for which other nodes wait."),
            .required("following", .boolean, "Whether this node hears of the purges of others now."),
            .required("purgesSent", .count), .required("purgesReceived", .count),
            .required("resets", .count, "Times that all had to be validated, since a purge may have been missed."),
            .required("lostLeases", .count, "Leases that the server lost while they were held."),
            .required("stored", .count), .required("refused", .count),
            .required("broken", .count, "Records that were damaged, or of another format."),
        ]
    )

    private static let store = NamedSchema(
        "Store",
        "The store on disk.",
        [
            .required("state", .word(["opening", "ok", "full", "locked", "disabled", "closed"])),
            .optional("reason", .text, "Why it does not work normally."),
            .optional("directory", .text),
            .required("entries", .count), .required("usedBytes", .count), .required("limitBytes", .count),
            .required(
                "compressed",
                .object([
                    .required("entries", .count), .required("contentBytes", .count), .required("storedBytes", .count),
                ]),
                "Responses whose content is compressed at rest: its bytes, and those that it takes."
            ),
            .required(
                "shared",
                .object([.required("bodies", .count), .required("savedBytes", .count)]),
                "Large bodies that are kept once with another one, and the bytes that this saves."
            ),
            .required("hits", .count), .required("misses", .count), .required("evictions", .count),
            .required("damaged", .count), .required("refused", .count),
            .required("queued", .count, "Operations that wait for the writer."),
            .required("pendingInvalidations", .count, "Invalidations that are not on disk yet."),
            .required("longestWriteMicroseconds", .count), .required("longestLookUpMicroseconds", .count),
        ]
    )
}
