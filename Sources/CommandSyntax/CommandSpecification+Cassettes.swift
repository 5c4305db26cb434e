/// The commands of cassettes.
extension CommandSpecification {
    static let record = CommandSpecification(
        name: "record",
        summary: "Runs a command and records its HTTP traffic, https too, in FILE: a cassette, which is HAR 1.2.",
        options: [
            CommandOption(
                "scrub",
                value: "PATH",
                repeats: true,
                "values of JSON that must not be in FILE: a JSONPath such as $..secret, or a pointer"
            )
        ] + daemonOptions,
        operands: .fileAndProgram("FILE", "COMMAND")
    )

    static let replay = CommandSpecification(
        name: "replay",
        summary: "Runs a command whose HTTP requests get the responses that FILE has, without any connection.",
        options: [
            CommandOption(
                "on-miss",
                value: "ACTION",
                "for a request that FILE does not have: fail (504), pass or record; default: fail"
            ),
            CommandOption(
                "pace",
                value: "PACE",
                "when the pieces of event streams come: instant, recorded, or a factor such as 4; default: instant"
            ),
            CommandOption("strict-order", "requests must come in the order of the recording, and all of them"),
            CommandOption(
                "match",
                value: "PARTS",
                "what must be equal: method,url,content by default; +field:NAME or -content changes that"
            ),
        ] + daemonOptions,
        operands: .fileAndProgram("FILE", "COMMAND")
    )

    private static let daemonOptions = [
        CommandOption("no-proxy", value: "LIST", "hosts that are asked directly; default: none"),
        CommandOption("quiet", short: "q", "prints only what went wrong"),
        CommandOption("config", value: "FILE", "the settings file; default: none"),
        CommandOption("set", value: "KEY=VALUE", repeats: true, "any setting"),
    ]

    static let cassetteShow = CommandSpecification(
        name: "cassette show",
        summary: "Lists the exchanges of a cassette, in the order of the recording.",
        options: [json, noPager],
        operands: .one("FILE")
    )

    static let cassetteCheck = CommandSpecification(
        name: "cassette check",
        summary: "Checks that a cassette can be replayed, and that no credential stands in it.",
        options: [],
        operands: .one("FILE")
    )

    static let cassettePrune = CommandSpecification(
        name: "cassette prune",
        summary: "Removes responses of a cassette that the one before them gives, too.",
        options: [],
        operands: .one("FILE")
    )
}
