import Eventing
import HTTPCore
import Proxying
import Testing
import TestSupport

/// Whose name the origin of a reverse proxy is asked under.
@Suite struct GatewayHostTests {
    private static func proxy(_ origin: RecordingOrigin, passesClientHost: Bool) throws -> TestProxy {
        let base = GatewayBase(try TargetURI(parsing: origin.url("/")))
        return try TestProxy {
            $0.options.gateway = base
            $0.options.routes = []
            $0.options.answersToEveryName = true
            $0.options.passesClientHost = passesClientHost
        }
    }

    private static func origin() -> RecordingOrigin {
        TestOrigin.answering { exchange in
            response("200 OK", "Cache-Control: max-age=600", content: "for \(exchange["Host"].first ?? "-")")
        }
    }

    @Test("by default the origin is asked under its own name, and all clients share its answers")
    func originsName() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(origin, passesClientHost: false)
        for host in ["a.example", "b.example:8080"] {
            #expect(proxy.ask("/x", "Host: \(host)")?.content == "for 127.0.0.1:\(origin.port)")
        }
        #expect(origin.requests.count == 1)
    }

    @Test("with the client's name the origin is asked under it, and no name or port gets another one's answer (H-064)")
    func clientsName() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(origin, passesClientHost: true)
        let hosts = ["a.example", "a.example:81", "b.example", "127.0.0.1:\(origin.port)"]
        for host in hosts { #expect(proxy.ask("/x", "Host: \(host)")?.content == "for \(host)") }
        for host in hosts {
            let again = proxy.ask("/x", "Host: \(host.uppercased())")
            #expect(again?.isHit == true && again?.content == "for \(host)")
        }
        #expect(origin.requests.map { $0["Host"].first ?? "" } == hosts)
    }

    @Test("what is passed on bears the client's name, too, and a purge is of all names")
    func passedOn() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(origin, passesClientHost: true)
        #expect(proxy.ask("/x", "Host: a.example")?.content == "for a.example")
        let posted = proxy.reader().ask("POST /x HTTP/1.1\r\nHost: b.example:8\r\nContent-Length: 0\r\n\r\n")
        #expect(posted?.content == "for b.example:8")
        #expect(proxy.ask("/x", "Host: a.example")?.isHit == false)
        #expect(origin.requests.map { $0["Host"].first ?? "" } == ["a.example", "b.example:8", "a.example"])
    }
}
