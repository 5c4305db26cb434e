import HTTPCore
import Testing

@testable import Administration

/// How long links and sessions last, and how many there are.
struct SessionTableTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func make() -> SessionTable { SessionTable(hasher: PlainHasher(), makeSecret: AdminToken.make) }

    @Test("a link works once (H-163)")
    func once() {
        var table = make()
        let code = table.makeLink(at: start)
        let works = [code + "x", "", code, code].map { table.useLink($0, at: start) }
        #expect(works == [false, false, true, false])
    }

    @Test("a link works for a minute (H-163)", arguments: [(59, true), (60, false)])
    func linkLifetime(seconds: Int, works: Bool) {
        var table = make()
        let code = table.makeLink(at: start)
        let hasWorked = table.useLink(code, at: start + .seconds(seconds))
        #expect(hasWorked == works)
    }

    @Test("a session lasts 12 hours, however much it is used (H-163)")
    func lifetime() {
        var table = make()
        let secrets = table.begin(.all, at: start)
        for (seconds, lasts) in [(0, true), (43_199, true), (43_200, false)] {
            let now = start + .seconds(seconds)
            #expect(table.holds([secrets.cookie], at: now) == lasts)
            #expect((table.session([secrets.cookie], proof: secrets.proof, at: now) != nil) == lasts)
        }
    }

    @Test("the cookie is nothing without its proof, nor the proof without its cookie (H-163)")
    func halves() {
        var table = make()
        let (first, second) = (table.begin(.all, at: start), table.begin(.reading, at: start))
        #expect(table.session([first.cookie], proof: second.proof, at: start) == nil)
        #expect(table.session([first.cookie], proof: "", at: start) == nil)
        #expect(table.session([], proof: first.proof, at: start) == nil)
        #expect(table.session(["x", second.cookie, first.cookie], proof: first.proof, at: start)?.need == .all)
        #expect(table.session([second.cookie], proof: second.proof, at: start)?.need == .reading)
    }

    @Test("each right has its own bound: sessions that read displace none that may do everything (H-163)")
    func boundOfReaders() {
        var table = make()
        let full = table.begin(.all, at: start)
        let readers = (0...SessionTable.limit).map { _ in table.begin(.reading, at: start) }
        let holds = readers.map { table.holds([$0.cookie], at: start) }
        #expect(table.holds([full.cookie], at: start))
        #expect(holds == [false] + readers.dropFirst().map { _ in true })
    }

    @Test("a session lasts until its time is over, or until it is ended (H-163)")
    func lasting() throws {
        var table = make()
        let secrets = (0..<2).map { _ in table.begin(.all, at: start) }
        let sessions = try secrets.map { try #require(table.session([$0.cookie], proof: $0.proof, at: start)) }
        table.end(sessions[0])
        #expect(!table.lasts(sessions[0], at: start) && table.lasts(sessions[1], at: start))
        #expect(!table.lasts(sessions[1], at: start + SessionTable.lifetime))
    }

    @Test("beyond the bounds the oldest link or session goes (H-163)")
    func bounds() {
        #expect(SessionTable.linkLimit == 8 && SessionTable.limit == 64)
        var table = make()
        let codes = (0...SessionTable.linkLimit).map { _ in table.makeLink(at: start) }
        let works = codes.map { table.useLink($0, at: start) }
        #expect(works == [false] + codes.dropFirst().map { _ in true })
        let sessions = (0...SessionTable.limit).map { _ in table.begin(.all, at: start) }
        let holds = sessions.map { table.holds([$0.cookie], at: start) }
        #expect(holds == [false] + sessions.dropFirst().map { _ in true })
    }

    @Test("a new admin token ends all, a new token for readers the sessions of readers (H-163)")
    func tokens() {
        var table = make()
        let (full, reading) = (table.begin(.all, at: start), table.begin(.reading, at: start))
        let code = table.makeLink(at: start)
        table.endAll(readingOnly: true)
        #expect(table.holds([full.cookie], at: start) && !table.holds([reading.cookie], at: start))
        table.endAll(readingOnly: false)
        let works = table.useLink(code, at: start)
        #expect(!table.holds([full.cookie], at: start) && !works)
    }
}
