import HTTPCore
import Testing

@testable import Eventing

/// What went wrong at a parent proxy, for the one who set it up.
@Suite struct ParentFaultTests {
    /// All that a fault says.
    private struct Facts: Equatable {
        var type: String
        var status: UInt16
        var mayConcernTarget: Bool
        var sentence: String

        init(_ type: String, _ status: UInt16, _ mayConcernTarget: Bool, _ sentence: String) {
            (self.type, self.status, self.mayConcernTarget) = (type, status, mayConcernTarget)
            self.sentence = sentence
        }

        init(_ fault: ParentFault) {
            self.init(fault.proxyErrorType, fault.status, fault.mayConcernTarget, fault.sentence)
        }
    }

    @Test("each fault has a word of RFC 9209, a status, and a sentence; some may be the target's")
    func faults() {
        let away = "destination_unavailable"
        let expected: [(ParentFault, Facts)] = [
            (
                .refused(status: 407),
                Facts(away, 502, false, "it wants another login, or one at all (407); see `upstream.proxy`")
            ),
            (.refused(status: 403), Facts(away, 502, false, "it answered CONNECT with 403")),
            (.refused(status: 501), Facts(away, 502, false, "it answered CONNECT with 501")),
            (.refused(status: 502), Facts(away, 502, true, "it answered CONNECT with 502")),
            (.refused(status: 503), Facts(away, 503, true, "it answered CONNECT with 503")),
            (.refused(status: 504), Facts(away, 504, true, "it answered CONNECT with 504")),
            (.refused(status: 505), Facts(away, 502, false, "it answered CONNECT with 505")),
            (
                .badResponse(.httpProtocolError, "odd"),
                Facts("http_protocol_error", 502, false, "its answer to CONNECT cannot be used: odd")
            ),
            (.closed, Facts("connection_terminated", 502, false, "it closed the connection before it answered")),
            (
                .timeout,
                Facts(
                    "connection_timeout",
                    504,
                    true,
                    "it did not answer within the time allowed by `connect-timeout`"
                )
            ),
            (
                .earlyBytes,
                Facts("http_protocol_error", 502, false, "bytes came behind its answer that nobody can have sent yet")
            ),
            (
                .notSOCKS(isHTTP: true),
                Facts(
                    "proxy_configuration_error",
                    502,
                    false,
                    "it speaks HTTP on this port, not SOCKS5; use http:// in `upstream.proxy`"
                )
            ),
            (
                .notSOCKS(isHTTP: false),
                Facts("proxy_configuration_error", 502, false, "it does not speak SOCKS5 on this port")
            ),
            (
                .wantsLogin,
                Facts(away, 502, false, "it wants a login, or another kind of one; see `upstream.proxy`")
            ),
            (.loginRefused, Facts(away, 502, false, "it does not accept the login; see `upstream.proxy`")),
        ]
        for (fault, facts) in expected {
            #expect(Facts(fault) == facts)
            if case .refused(let status) = fault {
                #expect(fault.receivedStatus == status)
            } else {
                #expect(fault.receivedStatus == nil)
            }
        }
    }

    @Test("each reply of SOCKS5 has its meaning")
    func replies() {
        let away = "destination_unavailable"
        let expected: [(UInt8, String, UInt16, Bool, String)] = [
            (1, away, 502, true, "general failure"), (2, away, 502, false, "not allowed by its rules"),
            (3, "destination_ip_unroutable", 502, true, "network unreachable"),
            (4, "destination_ip_unroutable", 502, true, "host unreachable"),
            (5, "connection_refused", 502, true, "connection refused"),
            (6, "connection_timeout", 504, true, "time-out"),
            (7, away, 502, false, "command not supported"), (8, away, 502, false, "kind of address not supported"),
            (9, away, 502, false, "error 9"), (255, away, 502, false, "error 255"),
        ]
        for (code, type, status, mayConcernTarget, meaning) in expected {
            let fault = ParentFault.reply(code)
            #expect(Facts(fault) == Facts(type, status, mayConcernTarget, "it answered “\(meaning)”"))
            #expect(fault.receivedStatus == nil)
        }
    }

    @Test("a proxy is written with its port, and its login as Basic; a way names the proxy it leads through")
    func proxies() {
        let login = ParentProxy.Login(user: Array("me".utf8), password: Array("pass:word".utf8))
        let parent = ParentProxy(.http, host: Array("p.example".utf8), port: 3128, login: login)
        #expect(parent.text == "p.example:3128" && parent.authorization == Array("Basic bWU6cGFzczp3b3Jk".utf8))
        #expect(ParentProxy(.http, host: [], port: 1).authorization == nil)
        #expect(ConnectRoute.direct.parent == nil)
        #expect(ConnectRoute.tunnel(parent).parent == parent && ConnectRoute.relay(parent).parent == parent)
    }

    @Test("a choice of proxies is empty without any; two are the same by their proxies alone")
    func selections() {
        let parent = ParentProxy(.http, host: Array("p.example".utf8), port: 3128)
        var (one, other) = (ParentSelection(), ParentSelection())
        #expect(one.isEmpty && one.hasSameProxies(as: other))
        one.exempts = { _ in true }
        #expect(one.isEmpty && one.hasSameProxies(as: other))
        one.usual = parent
        #expect(!one.isEmpty && !one.hasSameProxies(as: other))
        other.usual = parent
        other.named["a"] = .some(nil)
        #expect(!one.hasSameProxies(as: other))
        one.usual = nil
        one.named["a"] = .some(nil)
        #expect(!one.isEmpty && !one.hasSameProxies(as: other))
    }

    @Test("until hosts are exempted, all go through the usual proxy")
    func noExemptions() {
        let parent = ParentProxy(.http, host: Array("p.example".utf8), port: 3128)
        var selection = ParentSelection()
        selection.usual = parent
        for host in ["localhost", "127.0.0.1", "a.example", ""] {
            #expect(selection.route(to: Array(host.utf8), mayRelay: true) == .relay(parent), "\(host)")
            #expect(selection.route(to: Array(host.utf8), mayRelay: false) == .tunnel(parent), "\(host)")
        }
    }

    @Test("sixteen interim answers to CONNECT are passed over")
    func interim() {
        let parent = ParentProxy(.http, host: Array("p.example".utf8), port: 1)
        var dialogue = TunnelDialogue(host: Array("a.example".utf8), port: 443, parent: parent, via: Fields())
        _ = dialogue.begin()
        let (hint, answer) = (Array("HTTP/1.1 103 Early\r\n\r\n".utf8), Array("HTTP/1.1 299 OK\r\n\r\nx".utf8))
        for _ in 0..<16 {
            let step = dialogue.receive(hint.span)
            #expect(step == .goOn(consumed: hint.count, send: []))
        }
        let step = dialogue.receive(answer.span)
        #expect(step == .done(consumed: answer.count - 1))
    }

    @Test("long names and logins are cut to what SOCKS5 has room for (RFC 1928 §4, RFC 1929)")
    func lengths() {
        let long = [UInt8](repeating: 0x61, count: 300)
        let cut = Array(long.prefix(255))
        let own = ParentProxy.Login(user: long, password: [0x61, 0x61])
        var dialogue = SOCKSDialogue(.name(long), port: 0x1234, login: own)
        let greeting = dialogue.begin()
        #expect(greeting == [5, 2, 0, 2])
        let (wantsLogin, accepted): ([UInt8], [UInt8]) = ([5, 2], [1, 0])
        let login = dialogue.receive(wantsLogin.span)
        #expect(login == .goOn(consumed: 2, send: [1, 255] + cut + [2, 0x61, 0x61]))
        let request = dialogue.receive(accepted.span)
        #expect(request == .goOn(consumed: 2, send: [5, 1, 0, 3, 255] + cut + [0x12, 0x34]))
    }
}
