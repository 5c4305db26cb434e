import HTTPCore
import Testing
import TransportSecurity

@testable import Eventing

/// What is said to proxies, without a socket.
@Suite struct ParentDialogueTests {
    /// How a dialogue went.
    private struct Course: Equatable {
        var sent: [[UInt8]] = []
        /// What is left of the input at the end.
        var rest: [UInt8]?
        var fault: ParentFault?
    }

    /// Shows `input` up to each border in turn, what is not used up again each time, as a stream does.
    private func run(_ start: any ParentDialogue, _ input: [UInt8], borders: [Int]) -> Course {
        var dialogue = start
        var course = Course(sent: [dialogue.begin()])
        var used = 0
        for border in borders + [input.count] {
            reading: while true {
                switch dialogue.receive(input.span.extracting(used..<border)) {
                case .needMore: break reading
                case .goOn(let consumed, let send):
                    used += consumed
                    if !send.isEmpty { course.sent.append(send) }
                case .done(let consumed):
                    course.rest = Array(input[(used + consumed)...])
                    return course
                case .failed(let fault):
                    course.fault = fault
                    return course
                }
            }
        }
        return course
    }

    /// The course, which is the same however the input is cut.
    private func run(_ dialogue: any ParentDialogue, _ input: [UInt8]) -> Course {
        let whole = run(dialogue, input, borders: [])
        for border in 0...input.count {
            var course = run(dialogue, input, borders: [border])
            // The rest is what had come by then.
            if course.rest != nil { course.rest = whole.rest }
            #expect(course == whole, "cut at \(border)")
        }
        #expect(run(dialogue, input, borders: Array(0..<input.count)).sent == whole.sent)
        return whole
    }

    private static let login = ParentProxy.Login(user: Array("me".utf8), password: Array("pass:word".utf8))

    private func tunnel(_ answer: String, login: ParentProxy.Login? = nil, via: Fields = Fields()) -> Course {
        let parent = ParentProxy(.http, host: Array("proxy.example".utf8), port: 3128, login: login)
        let dialogue = TunnelDialogue(host: Array("a.example".utf8), port: 443, parent: parent, via: via)
        return run(dialogue, Array(answer.utf8))
    }

    private func socks(
        _ target: SOCKSDialogue.Target,
        _ answer: [UInt8],
        login: ParentProxy.Login? = nil
    ) -> Course {
        run(SOCKSDialogue(target, port: 0x01BB, login: login), answer)
    }

    @Test("CONNECT names host and port, and bears the login and Via alone")
    func connect() {
        var fields = Fields()
        fields.append(.via, "1.1 first")
        fields.append(.cookie, "not=yours")
        fields.append(.via, "1.1 second")
        let course = tunnel("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nrest!", login: Self.login, via: fields)
        #expect(
            String(decoding: course.sent[0], as: UTF8.self)
                == "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\nVia: 1.1 first\r\nVia: 1.1 second\r\n"
                + "Proxy-Authorization: Basic bWU6cGFzczp3b3Jk\r\n\r\n"
        )
        // Fields of a 2xx that speak of content mean nothing (RFC 9110 §9.3.6).
        #expect(course.rest == Array("rest!".utf8) && course.fault == nil)
        #expect(tunnel("HTTP/1.0 200 Connection established\r\n\r\n").rest == [])
        #expect(tunnel("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 \r\n\r\n").rest == [])
    }

    @Test(
        "an answer other than 2xx is a refusal with its status",
        arguments: [(407, 502), (403, 502), (502, 502), (503, 503), (504, 504), (101, 502), (301, 502)]
            as [(UInt16, UInt16)]
    )
    func refusal(status: UInt16, told: UInt16) {
        let fault = tunnel("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n").fault
        #expect(fault == .refused(status: status) && fault?.status == told && fault?.receivedStatus == status)
        #expect(fault?.proxyErrorType == "destination_unavailable")
        #expect(fault?.sentence.contains("\(status)") == true)
    }

    @Test(
        "an answer that is no HTTP, or has no end, is told as such",
        arguments: [
            ("SSH-2.0-Open\r\n", "http_protocol_error"), ("HTTP/1.1 200 OK\nX: y\n\n", "http_protocol_error"),
            ("HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 70_000), "http_response_header_section_size"),
            (String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 17), "http_protocol_error"),
        ]
    )
    func badAnswers(answer: String, type: String) {
        let parent = ParentProxy(.http, host: Array("proxy.example".utf8), port: 3128)
        let dialogue = TunnelDialogue(host: Array("a.example".utf8), port: 443, parent: parent, via: Fields())
        let fault = run(dialogue, Array(answer.utf8), borders: [5, answer.utf8.count / 2]).fault
        #expect(fault?.proxyErrorType == type && fault?.status == 502)
    }

    @Test("SOCKS5 is asked for names, IPv4 and IPv6 addresses (RFC 1928 §4)")
    func requests() {
        let granted: [UInt8] = [5, 0, 5, 0, 0, 1, 1, 2, 3, 4, 0, 80]
        let name = socks(.name(Array("a.example".utf8)), granted + [9, 9])
        #expect(name.sent == [[5, 1, 0], [5, 1, 0, 3, 9] + Array("a.example".utf8) + [1, 0xBB]])
        #expect(name.rest == [9, 9])
        #expect(socks(.address(.v4(0x7F00_0001)), granted).sent[1] == [5, 1, 0, 1, 127, 0, 0, 1, 1, 0xBB])
        let v6 = socks(.address(.v6(0, 1)), [5, 0, 5, 0, 0, 3, 2, 0x61, 0x62, 0, 80])
        #expect(v6.sent[1] == [5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 1, 0xBB] && v6.rest == [])
        let longReply: [UInt8] = [5, 0, 5, 0, 0, 4] + [UInt8](repeating: 7, count: 18)
        #expect(socks(.address(.v4(1)), longReply).rest == [])
    }

    @Test("SOCKS5 gets user name and password if it wants them, and only then (RFC 1929)")
    func logins() {
        let granted: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        let asked = socks(.address(.v4(1)), [5, 2, 1, 0] + granted, login: Self.login)
        #expect(asked.sent[0] == [5, 2, 0, 2])
        #expect(asked.sent[1] == [1, 2] + Array("me".utf8) + [9] + Array("pass:word".utf8))
        #expect(asked.sent.count == 3 && asked.rest == [])
        let notAsked = socks(.address(.v4(1)), [5, 0] + granted, login: Self.login)
        #expect(notAsked.sent.count == 2 && notAsked.rest == [])
        #expect(socks(.address(.v4(1)), [5, 2, 1, 1], login: Self.login).fault == .loginRefused)
        #expect(socks(.address(.v4(1)), [5, 0xFF]).fault == .wantsLogin)
        // A login nobody has is not asked for by a server in its senses.
        #expect(socks(.address(.v4(1)), [5, 2]).fault == .notSOCKS(isHTTP: false))
    }

    @Test("SOCKS5's replies are told by their kind; what is no SOCKS5 is told so")
    func replies() {
        let expected: [(UInt8, String, UInt16)] = [
            (1, "destination_unavailable", 502), (2, "destination_unavailable", 502),
            (3, "destination_ip_unroutable", 502), (4, "destination_ip_unroutable", 502),
            (5, "connection_refused", 502), (6, "connection_timeout", 504), (99, "destination_unavailable", 502),
        ]
        for (code, type, status) in expected {
            let fault = socks(.address(.v4(1)), [5, 0, 5, code, 0, 1, 0, 0, 0, 0, 0, 0]).fault
            #expect(fault?.proxyErrorType == type && fault?.status == status, "\(code)")
        }
        #expect(socks(.address(.v4(1)), Array("HTTP/1.1 400 ".utf8)).fault == .notSOCKS(isHTTP: true))
        #expect(socks(.address(.v4(1)), [4, 0]).fault == .notSOCKS(isHTTP: false))
        #expect(socks(.address(.v4(1)), [5, 0, 5, 0, 0, 9, 0]).fault == .notSOCKS(isHTTP: false))
    }

    @Test("a first byte that is not of SOCKS5 fails the dialogue at once: more may never come")
    func firstByte() {
        var dialogue = SOCKSDialogue(.name(Array("a.example".utf8)), port: 80, login: nil)
        _ = dialogue.begin()
        let bytes: [UInt8] = [0x48]
        let step = dialogue.receive(bytes.span)
        #expect(step == .failed(.notSOCKS(isHTTP: true)))
    }

    @Test("whatever a proxy says, a dialogue ends, asks for more, or goes on; it never uses more than there is")
    func anyBytes() {
        var generator = SplitMix(state: 20_261_122)
        let seeds: [[UInt8]] = [
            Array("HTTP/1.1 200 OK\r\nX: y\r\n\r\n".utf8), [5, 0, 5, 0, 0, 3, 4, 1, 2, 3, 4, 0, 80],
            [5, 2, 1, 0, 5, 0, 0, 4], Array("HTTP/1.1 100 C\r\n\r\nHTTP/1.1 407 No\r\n\r\n".utf8),
        ]
        let parent = ParentProxy(.http, host: Array("p.example".utf8), port: 1, login: Self.login)
        for round in 0..<20_000 {
            var input = seeds[round % seeds.count]
            for _ in 0..<Int(generator.next() % 4) {
                let place = Int(generator.next() % UInt64(input.count))
                switch generator.next() % 3 {
                case 0: input[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: input.insert(UInt8(truncatingIfNeeded: generator.next()), at: place)
                default: if input.count > 1 { input.remove(at: place) }
                }
            }
            var dialogue: any ParentDialogue =
                round % 8 < 4
                ? TunnelDialogue(host: Array("a".utf8), port: 1, parent: parent, via: Fields())
                : SOCKSDialogue(.address(.v4(1)), port: 1, login: Self.login)
            _ = dialogue.begin()
            var used = 0
            reading: while true {
                switch dialogue.receive(input.span.extracting(used..<input.count)) {
                case .goOn(let consumed, _):
                    used += consumed
                    guard consumed > 0, used <= input.count else {
                        Issue.record("\(consumed) bytes of \(input)")
                        return
                    }
                case .done(let consumed):
                    #expect(consumed > 0 && used + consumed <= input.count)
                    break reading
                case .needMore, .failed: break reading
                }
            }
        }
    }

    @Test("which way leads to a target: named ones first, exempt hosts directly, plain HTTP by relay")
    func ways() {
        let usual = ParentProxy(.http, host: Array("p.example".utf8), port: 1)
        let other = ParentProxy(.socks5(looksUpNames: true), host: Array("s.example".utf8), port: 2)
        var selection = ParentSelection()
        #expect(selection.route(to: Array("a".utf8), mayRelay: true) == .direct)
        selection.usual = usual
        selection.named["own"] = .some(other)
        selection.named["none"] = .some(nil)
        selection.exempts = { $0 == Array("near".utf8) }
        #expect(selection.route(to: Array("a".utf8), mayRelay: true) == .relay(usual))
        #expect(selection.route(to: Array("a".utf8), mayRelay: false) == .tunnel(usual))
        #expect(selection.route(to: Array("near".utf8), mayRelay: true) == .direct)
        #expect(selection.route(to: Array("near".utf8), name: "own", mayRelay: true) == .tunnel(other))
        #expect(selection.route(to: Array("a".utf8), name: "none", mayRelay: true) == .direct)
        #expect(selection.route(to: Array("a".utf8), name: "unknown", mayRelay: true) == .relay(usual))
    }

    @Test("a target whose name the proxy looks up is judged by its port and by what is plain of its address")
    func judging() {
        let policy = AddressPolicy(allowsLoopback: false, allowsPrivate: false, blockedPorts: [25])
        #expect(policy.judge(name: "169.254.169.254", port: 80) == .forbidden(.addressClass(.metadata)))
        #expect(policy.judge(name: "10.0.0.1", port: 80) == .forbidden(.addressClass(.private)))
        #expect(policy.judge(name: "::1", port: 80) == .forbidden(.addressClass(.loopback)))
        #expect(policy.judge(name: "localhost", port: 80) == .forbidden(.addressClass(.loopback)))
        #expect(policy.judge(name: "x.localhost", port: 80) == .forbidden(.addressClass(.loopback)))
        #expect(policy.judge(name: "a.example", port: 80) == .allowed)
        #expect(policy.judge(name: "a.example", port: 25) == .forbidden(.port))
        #expect(policy.forParents.judge(.ip(.v4(0x7F00_0001), port: 25)) == .allowed)
        #expect(policy.forParents.judge(.ip(.v4(0xA9FE_A9FE), port: 80)) == .forbidden(.addressClass(.metadata)))
    }

    @Test(
        "what tells of the proxy is told apart from what may tell of the target",
        arguments: [
            (.parent("p:1"), .refused, true),
            (.parent("p:1"), .name(.timeout), true),
            (.behind("p:1"), .parent(.refused(status: 407)), true),
            (.behind("p:1"), .parent(.refused(status: 403)), true),
            (.behind("p:1"), .parent(.loginRefused), true),
            (.behind("p:1"), .parent(.notSOCKS(isHTTP: true)), true),
            (.behind("p:1"), .parent(.refused(status: 502)), false),
            (.behind("p:1"), .parent(.reply(5)), false),
            (.behind("p:1"), .parent(.timeout), false),
            (.behind("p:1"), .security(TLSError(.handshakeCut)), false),
            (.target, .name(.timeout), false),
        ] as [(ConnectError.Stage, ConnectError.Reason, Bool)]
    )
    func blame(place: ConnectError.Stage, reason: ConnectError.Reason, isOfParent: Bool) {
        var error = ConnectError(reason: reason, target: "t:1")
        error.stage = place
        #expect(error.isOfParent == isOfParent)
    }
}

/// Numbers that are the same in each run.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
