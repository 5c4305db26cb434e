import Testing

@testable import Settings

/// The values of general settings, at the borders of what is right, and what is told in full.
@Suite struct GeneralValueTests {
    private static let memory =
        "2:9: `memory.limit` must be a size with its unit (B, kB, KiB, MB, MiB, GB, GiB, TB, TiB) such as \"64KiB\", from "
        + "1MiB to 4TiB, not "
    private static let pause =
        "2:16: `limits.idle-timeout` must be a duration with units (ms, s, m, h, d, w) such as \"30s\" or \"1h30m\", from "
        + "1ms to 365d, not "
    private static let format =
        "2:17: `log.access-format` must be \"text\", \"json\", \"combined\", or text with variables such as $status, not "

    private static let units: [(String, String)] = [
        ("[memory]\nlimit = \"50%\"", memory + "\"50%\"; only `storage.limit` can be a share of a disk"),
        ("[memory]\nlimit = \"64 mb\"", memory + "\"64 mb\"; did you mean `\"64MB\"`?"),
        ("[memory]\nlimit = \"64g\"", memory + "\"64g\"; did you mean `\"64GiB\"`?"),
        ("[memory]\nlimit = \"2097152\"", memory + "\"2097152\"; did you mean `\"2097152B\"`?"),
        ("[memory]\nlimit = \"64\"", memory + "\"64\""),
        ("[memory]\nlimit = \"1 b\"", memory + "\"1 b\""),
        ("[memory]\nlimit = \"1048575B\"", memory + "\"1048575B\""),
        ("[memory]\nlimit = \"4097GiB\"", memory + "\"4097GiB\""),
        ("[limits]\nidle-timeout = \"10 seconds\"", pause + "\"10 seconds\"; did you mean `\"10s\"`?"),
        ("[limits]\nidle-timeout = \"1m 1h\"", pause + "\"1m 1h\"; did you mean `\"1h1m\"`?"),
        ("[limits]\nidle-timeout = 60", pause + "60; did you mean `\"60s\"`?"),
        ("[limits]\nidle-timeout = \"10 parsecs\"", pause + "\"10 parsecs\""),
        ("[limits]\nidle-timeout = \"10 secs 5 secs\"", pause + "\"10 secs 5 secs\""),
        ("[limits]\nidle-timeout = 0", pause + "0"),
        ("[limits]\nidle-timeout = \"366d\"", pause + "\"366d\""),
        (
            "[storage]\nlimit = \"0%\"",
            "2:9: `storage.limit` must be a share of the disk from \"1%\" to \"100%\", or a size, not \"0%\""
        ),
        (
            "[storage]\nlimit = \"101%\"",
            "2:9: `storage.limit` must be a share of the disk from \"1%\" to \"100%\", or a size, not \"101%\""
        ),
    ]

    private static let ports: [(String, String)] = [
        (
            "[access]\nconnect-ports = \"443\"",
            "2:17: `access.connect-ports` must be a list of ports such as [443, 8443], or \"any\", not \"443\"; did you "
                + "mean `443`?"
        ),
        (
            "[access]\nconnect-ports = \"some\"",
            "2:17: `access.connect-ports` must be a list of ports such as [443, 8443], or \"any\", not \"some\"; did you "
                + "mean `\"any\"`?"
        ),
        (
            "[access]\nconnect-ports = [65536]",
            "2:18: `access.connect-ports` must be a whole number from 1 to 65535, not 65536"
        ),
        (
            "[access]\nclients = [\"10.0.0.1:80\"]",
            "2:12: `access.clients` cannot have a port, as \"10.0.0.1:80\" has: a client has another one with each "
                + "connection; did you mean `\"10.0.0.1\"`?"
        ),
        (
            "[access]\nown-names = [\"a.example:80\"]",
            "2:14: `access.own-names` cannot have a port, as \"a.example:80\" has: a name is good for every port; did you "
                + "mean `\"a.example\"`?"
        ),
        (
            "[upstream]\nno-proxy = [\"a.example:80\"]",
            "2:13: `upstream.no-proxy` cannot have a port, as \"a.example:80\" has: a proxy is left out for every port of "
                + "a host; did you mean `\"a.example\"`?"
        ),
        (
            "[hosts]\n\"a.example\" = \"192.0.2.1:80\"",
            "2:15: `hosts` cannot have a port, as \"192.0.2.1:80\" has: the port is that of the URL; did you mean "
                + "`\"192.0.2.1\"`?"
        ),
        (
            "[hosts]\n\"a.example:80\" = \"192.0.2.1\"",
            "2:1: `hosts` has \"a.example:80\" with a port: a name leads to the same addresses for every port; did you "
                + "mean `\"a.example\"`?"
        ),
        ("[hosts]\n\"a b\" = \"192.0.2.1\"", "2:1: `hosts` has an invalid host name \"a b\""),
        ("hosts = 1", "1:9: `hosts` must be a table of host names with addresses, not 1"),
    ]

    private static let others: [(String, String)] = [
        ("[log]\naccess-format = \"comon\"", format + "\"comon\""),
        ("[log]\naccess-format = \"jsn\"", format + "\"jsn\"; did you mean `\"json\"`?"),
        ("[log]\naccess-format = 1", format + "1"),
        (
            "[log]\naccess-format = \"$staus\"",
            "2:17: `log.access-format` knows no variable $staus, at character 1; did you mean `$status`?"
        ),
        (
            "[log]\naccess-format = \"$status $method\"",
            "2:17: `log.access-format` knows no variable $method, at character 9"
        ),
        (
            "[cache]\nheuristic-fraction = -0.1",
            "2:22: `cache.heuristic-fraction` must be a number from 0.0 to 1.0, not -0.1"
        ),
        ("service = 1", "1:1: `service` is a table of services: write [service.NAME]"),
        ("[service]\nx = 1", "2:5: `service.x` must be a table, not 1"),
        ("[[warm]]\nevery = \"1h\"", "1:1: a [[warm]] needs `urls`, a file of URLs"),
        ("[[warm]]\nurls = \"u\"", "1:1: a [[warm]] needs `every`, such as \"1h\""),
        ("warm = 1", "1:8: `warm` must be a list of at most 64 tables: write [[warm]], not 1"),
    ]

    @Test("what is wrong in a general setting is told in full", arguments: units + ports + others)
    func faults(text: String, message: String) {
        #expect(refusal(text)?.summary == "respite.toml:" + message)
    }

    @Test(
        "a value at the border of its range is right",
        arguments: [
            "[memory]\nlimit = \"1048576B\"", "[memory]\nlimit = \"4096GiB\"", "[limits]\nidle-timeout = \"1ms\"",
            "[limits]\nidle-timeout = \"365d\"", "[limits]\nhalf-close = 0", "[storage]\nlimit = \"1%\"",
            "[storage]\nlimit = \"100%\"", "[cache]\nheuristic-fraction = 0", "[cache]\nheuristic-fraction = 1.0",
            "[access]\nconnect-ports = \"any\"", "[access]\nconnect-ports = [1, 65535]",
            "[log]\naccess-format = \"combined\"", "[log]\naccess-format = \"$status\"", "loops = 0", "loops = 256",
        ]
    )
    func borders(text: String) { #expect(refusal(text) == nil) }

    @Test("the value of a variable of one letter is not put in the place of every such letter")
    func letter() throws {
        var reader = SettingsReader(environment: ["L": "e"])
        reader.read(Array("mode = \"${L}\"".utf8), name: "respite.toml")
        let error = #expect(throws: SettingsError.self) { try reader.finish() }
        #expect(
            error?.summary
                == "respite.toml:1:8: `mode` must be one of \"online\", \"auto\", \"offline\", \"replay\", not "
                + "the value of \"${L}\""
        )
    }

    @Test("a list of presets has each once, in the order in which they are named first")
    func presets() throws {
        let values = try load("rules = [\"go, pip\", \"pip\", \"npm\"]", options: ["rules=[\"npm\", \"oci\"]"]).values
        #expect(values.presets.map(\.text) == ["go", "pip", "npm", "oci"])
        #expect(
            try load("rules = \"pip =  https://a.example\"").values.presets.map(\.text) == ["pip=https://a.example/"]
        )
        #expect(refusal("rules = \"pip x\"")?.userMessage.contains("\"pip\" or \"pip=URL\"") == true)
    }

    @Test("addresses of a later source are added to those of the file, name by name")
    func hosts() throws {
        let values = try load(
            "[hosts]\n\"a.example\" = \"192.0.2.1\"\n\"b.example\" = \"192.0.2.2\"\n",
            options: ["hosts.B.example=192.0.2.3"]
        ).values
        #expect(
            values.hosts.mapValues { $0.map(\.description) } == [
                "a.example": ["192.0.2.1"], "b.example": ["192.0.2.3"],
            ]
        )
    }
}
