import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// The lines of `respite ls`, their order and their sums.
@Suite struct ListTests {
    private static func resources(_ json: String) throws -> [JSONValue] {
        try JSONReader.parse(Array(json.utf8)).elements
    }

    private static let all = """
        [{"uri":"http://b.example/","state":"stale","status":404,"size":5,"ageSeconds":7,"ttlSeconds":-3,"hits":9},
        {"uri":"http://c.example/","state":"loading"},
        {"uri":"http://a.example/","state":"fresh","status":200,"size":70,"ageSeconds":1,"ttlSeconds":60,"hits":9,
        "inMemory":true,"variants":2,"contentType":"text/html","partition":"shared"}]
        """

    @Test(
        "texts are sorted from A, numbers from the largest, equal ones by URL, and what has no value is last",
        arguments: [
            ("url", "a b c"), ("state", "a c b"), ("status", "a b c"), ("size", "a b c"), ("age", "b a c"),
            ("ttl", "a b c"), ("hits", "a b c"),
        ]
    )
    func order(name: String, expected: String) throws {
        let order = try ListOrder(named: name)
        let sorted = order.sorted(try Self.resources(Self.all)).compactMap { $0["uri"]?.text?.dropFirst(7).first }
        #expect(sorted.map(String.init).joined(separator: " ") == expected)
        let reversed = order.sorted(try Self.resources(Self.all), isReversed: true)
        #expect(reversed.compactMap { $0["uri"]?.text?.dropFirst(7).first } == sorted.reversed())
    }

    @Test("an order that does not exist is exit code 2, and those that do are named")
    func unknownOrder() throws {
        let error = try #require(throws: CommandFailure.self) { _ = try ListOrder(named: "frob") }
        #expect(error.exitCode == 2)
        #expect(error.userMessage.hasSuffix("the orders are url, state, status, size, age, ttl, hits"))
        #expect(EntryPoint.withoutDaemon.run(["ls", "--reverse", "--admin", "127.0.0.1:1"]) == 2)
    }

    @Test("the long form has the place, the variants and the media type before the URL")
    func long() throws {
        let row = ListCommand.row(try #require(Self.resources(Self.all).last), isLong: true).map(\.plain)
        #expect(
            row == ["fresh", "200", "70", "1", "60", "shared", "9", "memory", "2", "text/html", "http://a.example/"]
        )
    }

    @Test("people see for how long a resource is fresh or stale, and how old it is; programs see the numbers")
    func human() throws {
        let rows = try Self.resources(Self.all).map { resource in ListColumn.usual.map { $0.cell(resource).human } }
        #expect(rows.first == ["stale for 3 s", "404", "5 B", "7 s ago", "-", "9", "http://b.example/"])
        #expect(rows[1] == ["loading", "-", "-", "-", "-", "-", "http://c.example/"])
        #expect(rows.last == ["fresh for 1 min", "200", "70 B", "1 s ago", "shared", "9", "http://a.example/"])
    }

    @Test("what was marked stale says no time", arguments: ["stale", "fresh"])
    func standing(state: String) throws {
        let ttl = state == "stale" ? 60 : 0
        let resource = try JSONReader.parse(Array(#"{"state":"\#(state)","ttlSeconds":\#(ttl)}"#.utf8))
        #expect(Table.Cell.standing(resource).human == state)
    }

    @Test(
        "the totals are those of all lines",
        arguments: [(0, "0 resources, 0 B, 0 hits"), (1, "1 resource, 5 B, 9 hits"), (3, "3 resources, 75 B, 18 hits")]
    )
    func totals(count: Int, text: String) throws {
        var totals = ListTotals()
        for resource in try Self.resources(Self.all).prefix(count) { totals.add(resource) }
        #expect(totals.text == text)
    }

    @Test("of a whole resource, the totals are those of its variants")
    func totalsOfVariants() throws {
        let variants = #"[{"size":5,"hits":1},{"size":70,"hits":8}]"#
        var totals = ListTotals()
        totals.add(try #require(Self.resources(#"[{"uri":"http://a.example/","variants":\#(variants)}]"#).first))
        #expect(totals.text == "1 resource, 75 B, 9 hits")
    }
}
