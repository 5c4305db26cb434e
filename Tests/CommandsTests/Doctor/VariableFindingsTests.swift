import Settings
import Testing

@testable import Commands

/// What `respite doctor` says of the variables of a shell.
@Suite struct VariableFindingsTests {
    private static let set = "eval \"$(respite env)\""

    private static func findings(
        _ environment: [String: String],
        _ answer: PortProbe.Outcome = .other
    ) throws -> [Finding] {
        let listeners = [try #require(ListenAddress(text: "127.0.0.1:3128"))]
        return VariableChecks.findings(environment, listeners) { _ in answer }
    }

    private static func lines(_ findings: [Finding]) -> [String] {
        findings.map { "\($0.verdict.rawValue) \($0.subject): \($0.seen) -> \($0.remedy ?? "-")" }
    }

    private static let here = "ok variables: http_proxy=http://127.0.0.1:3128 leads here -> -"
    private static let both = ["http_proxy": "http://127.0.0.1:3128", "https_proxy": "http://127.0.0.1:3128"]

    @Test("a shell without a proxy, or with half of one, is told how to get it")
    func missing() throws {
        let none = ["note variables: this shell uses no proxy -> \(Self.set)"]
        #expect(Self.lines(try Self.findings([:])) == none)
        #expect(Self.lines(try Self.findings(["http_proxy": "", "HTTPS_PROXY": ""])) == none)
        #expect(
            Self.lines(try Self.findings(["HTTP_PROXY": "http://127.0.0.1:3128"])) == [
                Self.here, "note variables: https_proxy is not set, http_proxy is -> \(Self.set)",
            ]
        )
        #expect(
            Self.lines(try Self.findings(["https_proxy": "http://127.0.0.1:3128"])) == [
                "ok variables: https_proxy=http://127.0.0.1:3128 leads here -> -"
            ]
        )
    }

    @Test("two spellings that differ are one fault", arguments: ["http_proxy", "https_proxy", "no_proxy"])
    func spellings(name: String) throws {
        let environment = Self.both.merging([name: "http://127.0.0.1:3128", name.uppercased(): "b"]) { $1 }
        #expect(
            Self.lines(try Self.findings(environment)) == [
                "fault variables: \(name) and \(name.uppercased()) differ, and programs read one or the other -> "
                    + "set both: \(Self.set)"
            ]
        )
        let equal = Self.both.merging([name: "http://127.0.0.1:3128", name.uppercased(): "http://127.0.0.1:3128"]) {
            $1
        }
        #expect(try Self.findings(equal).allSatisfy { $0.verdict == .ok })
    }

    @Test("where nobody listens is a fault, and a password is not shown")
    func nobody() throws {
        let environment = ["http_proxy": "http://me:secret@127.0.0.1:9/", "https_proxy": "me:secret@127.0.0.1:9"]
        #expect(
            Self.lines(try Self.findings(environment, .nobody("refused"))) == [
                "fault variables: http_proxy=http://…@127.0.0.1:9/ leads to nobody: refused -> "
                    + "\(Self.set), or unset http_proxy",
                "fault variables: https_proxy=127.0.0.1:9 leads to nobody: refused -> "
                    + "\(Self.set), or unset https_proxy",
            ]
        )
        #expect(
            Self.lines(try Self.findings(["https_proxy": "http://a@proxy.example:1/@"])) == [
                "note variables: https_proxy=http://…@proxy.example:1/@ leads to another machine -> \(Self.set)"
            ]
        )
    }

    @Test("a star among the exceptions makes programs ask every host directly")
    func exceptions() throws {
        let fault =
            "fault variables: no_proxy has *, so programs ask every host directly -> unset no_proxy NO_PROXY"
        for name in ["no_proxy", "NO_PROXY"] {
            #expect(Self.lines(try Self.findings(Self.both.merging([name: "a, * ,b"]) { $1 })).last == fault)
            #expect(try Self.findings(Self.both.merging([name: "*.a,b"]) { $1 }).count == 2)
        }
    }
}
