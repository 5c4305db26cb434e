import Testing

@testable import HostLists

/// The table that a list is kept in.
@Suite struct HostTableTests {
    private static func kinds(_ name: String, _ table: HostTable) -> HostTable.Kinds {
        table.kinds(of: Array(name.utf8).span)
    }

    @Test("a table that was made for nothing grows, and every name stays found")
    func growth() {
        var table = HostTable(expected: 0, bytes: 0)
        for number in 0..<300 {
            table.insert(Array("n\(number).example".utf8).span, number % 2 == 0 ? .itself : .below)
            #expect(table.count == number + 1)
        }
        for number in 0..<300 {
            #expect(Self.kinds("n\(number).example", table) == (number % 2 == 0 ? .itself : .below))
        }
        #expect(Self.kinds("n300.example", table).isEmpty && Self.kinds("n1.exampl", table).isEmpty)
        table.finish()
        for number in 0..<300 { #expect(!Self.kinds("n\(number).example", table).isEmpty) }
    }

    @Test("a name that comes again counts once, and is of both kinds")
    func kinds() {
        var table = HostTable(expected: 2, bytes: 20)
        #expect(table.kinds.isEmpty)
        table.insert(Array("a.example".utf8).span, .itself)
        #expect(table.kinds == .itself)
        table.insert(Array("a.example".utf8).span, .below)
        #expect(table.kinds == [.itself, .below] && table.count == 1)
        #expect(Self.kinds("a.example", table) == [.itself, .below])
    }

    @Test("a table has room for as many names as were expected, and grows for one more")
    func expected() {
        func name(_ number: Int) -> [UInt8] { Array("n\(100 + number).example".utf8) }
        var table = HostTable(expected: 300, bytes: 301 * (2 + name(0).count))
        let size = table.size
        for number in 0..<300 { table.insert(name(number).span, .itself) }
        #expect(table.size == size)
        table.insert(name(300).span, .itself)
        #expect(table.size > size && table.count == 301)
    }

    @Test("the room that was made for more names is given back at the end")
    func room() {
        var table = HostTable(expected: 10_000, bytes: 100_000)
        for number in 0..<10 { table.insert(Array("n\(number).example".utf8).span, .itself) }
        #expect(table.size > 100_000)
        table.finish()
        #expect(table.size < 1000 && table.longestRun > 0 && table.longestRun <= 10)
        for number in 0..<10 { #expect(Self.kinds("n\(number).example", table) == .itself) }
    }

    @Test("a long name is told from others of its length")
    func lengths() {
        var table = HostTable(expected: 4, bytes: 0)
        let long = String(repeating: "a", count: 252)
        table.insert(Array("\(long)b".utf8).span, .itself)
        #expect(Self.kinds("\(long)b", table) == .itself)
        #expect(Self.kinds("\(long)c", table).isEmpty && Self.kinds(long, table).isEmpty)
    }
}
