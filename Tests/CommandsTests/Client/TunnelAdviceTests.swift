import JSON
import Settings
import Testing

@testable import Commands

@Suite struct TunnelAdviceTests {
    private static func status(_ passed: String) throws -> JSONValue {
        try JSONReader.parse(
            Array("{\"forwardListeners\":[\"127.0.0.1:3128\"],\"tunnels\":{\"passed\":[\(passed)]}}".utf8)
        )
    }

    @Test("nothing is said while no tunnel has passed")
    func none() throws {
        #expect(TunnelAdvice.sentence(try Self.status("")) == nil)
        #expect(TunnelAdvice.sentence(.object([])) == nil)
    }

    @Test("a sentence counts the tunnels, names three targets and says what to do")
    func some() throws {
        let one = "{\"target\":\"a.example:443\",\"tunnels\":1}"
        #expect(
            TunnelAdvice.sentence(try Self.status(one))
                == "1 tunnel to a.example:443 passed unread, so nothing of it is stored: http://127.0.0.1:3128/ shows the form "
                + "of each tool that gives hits, and `respite explain URL` says more about a URL"
        )
        let four = ["a", "b", "c", "d"].map { "{\"target\":\"\($0):443\",\"tunnels\":2}" }.joined(separator: ",")
        let sentence = try #require(TunnelAdvice.sentence(try Self.status(four)))
        #expect(sentence.hasPrefix("8 tunnels to a:443, b:443, c:443 and others passed unread"))
        let rows = StatusSection.all(try Self.status(four)).flatMap(\.rows).map { $0.map(\.plain) }
        #expect(rows.contains(["passed unread", "d:443: 2 tunnels"]) && rows.contains(["advice", sentence]))
    }
}
