import HTTPCore
import Testing

@Suite("Changes of field lines")
struct FieldEditsTests {
    private typealias Line = FieldEdits.Line

    private static func message(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return (error as? FieldEditError)?.userMessage }
        return nil
    }

    private func lines(_ fields: Fields) -> [String] {
        fields.lines.map { text(fields.name(of: $0)) + ": " + text(fields.value(of: $0)) }
    }

    @Test("first lines are removed, then set, then added")
    func order() throws {
        let edits = try FieldEdits(
            set: [Line(name: "X-A", value: "set"), Line(name: "x-new", value: "n")],
            add: [Line(name: "X-A", value: "added"), Line(name: "X-B", value: "b")],
            remove: ["X-B", "server"],
            of: .response
        )
        var all = fields(("x-a", "1"), ("X-B", "2"), ("Server", "s"), ("X-A", "3"), ("Date", "d"))
        edits.apply(to: &all)
        #expect(lines(all) == ["Date: d", "X-A: set", "x-new: n", "X-A: added", "X-B: b"])
        #expect(!all.contains(.server) && all.contains(.date) && !edits.isEmpty)
        var removed = fields(("X-B", "2"), ("x-a", "1"))
        edits.removeOnly(from: &removed)
        #expect(lines(removed) == ["x-a: 1"])
        #expect(edits.summary == "removes x-b, server, sets X-A, x-new, adds X-A, X-B")
    }

    @Test("nothing to do is nothing, and changes nothing")
    func empty() throws {
        let edits = try FieldEdits(of: .request)
        var all = fields(("Via", "1"), ("X-A", "2"))
        edits.apply(to: &all)
        #expect(edits.isEmpty && edits.summary.isEmpty && lines(all) == ["Via: 1", "X-A: 2"])
        #expect(try !FieldEdits(set: [Line(name: "a", value: "")], of: .request).isEmpty)
        #expect(try !FieldEdits(add: [Line(name: "a", value: "")], of: .request).isEmpty)
        #expect(try !FieldEdits(remove: ["a"], of: .request).isEmpty)
    }

    @Test("a fingerprint tells which lines are removed, set and added, and their values")
    func fingerprints() throws {
        func fingerprint(_ set: [Line], _ add: [Line], _ remove: [String]) throws -> String {
            try FieldEdits(set: set, add: add, remove: remove, of: .request).fingerprint
        }
        let (one, other) = (Line(name: "a", value: "bc"), Line(name: "ab", value: "c"))
        #expect(try fingerprint([one], [other], ["X", "y*"]) == "-x,y*:=1:a2:bc:+2:ab1:c")
        let all = try [
            fingerprint([one], [], []), fingerprint([other], [], []), fingerprint([], [one], []),
            fingerprint([], [], ["a"]), fingerprint([], [], []),
        ]
        #expect(Set(all).count == all.count)
    }

    @Test(
        "a name may have wildcards, which never take a protected field or Set-Cookie",
        arguments: [
            ("x-*", "X-Anything", true), ("x-*", "x-", true), ("x-*", "xa", false), ("*-id", "Request-Id", true),
            ("*-id", "id", false), ("*", "X-A", true), ("*", "Via", false), ("*", "Set-Cookie", false),
            ("*", "Content-Encoding", false), ("set-cookie", "Set-Cookie", true), ("x-*-y*", "X-a-b-yz", true),
            ("x-*-y", "x-a-yz", false), ("*a*b", "aab", true), ("*a*b", "ba", false), ("x**y", "xy", true),
            ("x", "xy", false), ("xy", "x", false), ("X-A", "x-a", true), ("sec-*", "Sec-WebSocket-Key", false),
            ("sec-*", "Sec-WebSocket-", true), ("proxy-*", "Proxy-Features", false),
            ("content-*", "Content-MD5", false),
        ]
    )
    func patterns(pattern: String, name: String, isRemoved: Bool) throws {
        var all = fields((name, "1"))
        try FieldEdits(remove: [pattern], of: .response).apply(to: &all)
        #expect(all.isEmpty == isRemoved)
    }

    @Test("a field that frames, routes or reports cannot be changed, and the message says why")
    func protectedFields() {
        let reasons: [(FieldEdits.Target, String, String)] = [
            (.request, "Content-Length", "it frames the content"), (.response, "trailer", "it frames the content"),
            (.request, "Connection", "it belongs to one connection"),
            (.response, "sec-websocket-accept", "it belongs to one connection"),
            (.request, "Proxy-Instruction", "it belongs to one connection"),
            (.response, "Content-Encoding", "it describes the content, and changes with it"),
            (.response, "Content-MD5", "it describes the content, and changes with it"),
            (.response, "Age", "it reports how the response was handled"),
            (.request, "Via", "it reports how the request was handled"),
            (.request, "Host", "it says where or how the request goes"),
        ]
        for (target, name, reason) in reasons {
            let expected = "cannot change `\(name)`: \(reason)"
            #expect(Self.message { _ = try FieldEdits(remove: [name], of: target) } == expected)
            let line = Line(name: name, value: "1")
            #expect(Self.message { _ = try FieldEdits(set: [line], of: target) } == expected)
            #expect(Self.message { _ = try FieldEdits(add: [line], of: target) } == expected)
        }
        for name in ["Host", "Expect", "Max-Forwards", "Cookie", "Content-Type"] {
            #expect(Self.message { _ = try FieldEdits(remove: [name], of: .response) } == nil)
        }
    }

    @Test("these fields and no others are protected, Host and two more in requests only")
    func allProtectedFields() {
        let names = [
            "Age", "Cache-Status", "Connection", "Content-Encoding", "Content-Length", "Content-Range",
            "HTTP2-Settings", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
            "Proxy-Connection", "Proxy-Status", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "Via",
        ]
        let expected: [(FieldEdits.Target, [String])] = [
            (.response, names), (.request, names + ["Host", "Expect", "Max-Forwards"]),
        ]
        for (target, names) in expected {
            let found = KnownField.allCases.map { text($0.bytes) }.filter { name in
                Self.message { _ = try FieldEdits(remove: [name], of: target) } != nil
            }
            #expect(Set(found) == Set(names))
            for name in ["Proxy-Features", "proxy-instruction", "Sec-WebSocket-X", "content-md5"] {
                #expect(Self.message { _ = try FieldEdits(remove: [name], of: target) } != nil, "\(name)")
            }
            for name in ["Sec-WebSocket-", "Proxy-Feature", "Content-MD", "X"] {
                #expect(Self.message { _ = try FieldEdits(remove: [name], of: target) } == nil, "\(name)")
            }
        }
    }

    @Test("a line has a token as name and no control byte in its value, and a name is set once")
    func faults() {
        for name in ["", "a b", "x-*", "é"] {
            let message = Self.message { _ = try FieldEdits(add: [Line(name: name, value: "1")], of: .request) }
            #expect(message?.hasSuffix("which is not a field name") == true, "\(name)")
        }
        #expect(
            Self.message { _ = try FieldEdits(remove: ["a b"], of: .request) } == "has `a?b`, which is not a field name"
        )
        for value in ["a\u{1F}b", "\u{7F}", "a\nb", " a", "a ", "\ta", "a\t", " "] {
            let message = Self.message { _ = try FieldEdits(set: [Line(name: "X", value: value)], of: .request) }
            #expect(message == "has a value for `X` with control characters, or blanks at an end")
        }
        for value in ["", "a b", "a\tb", "~", "é"] {
            #expect(Self.message { _ = try FieldEdits(set: [Line(name: "X", value: value)], of: .request) } == nil)
        }
        let twice = [Line(name: "X-A", value: "1"), Line(name: "x-a", value: "2")]
        #expect(
            Self.message { _ = try FieldEdits(set: twice, of: .request) }
                == "sets `x-a` twice; use `add` for another line"
        )
        #expect(Self.message { _ = try FieldEdits(add: twice, of: .request) } == nil)
    }
}
