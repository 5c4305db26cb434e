import Eventing
import HTTPCore
import Testing

@testable import Proxying

/// The head of a request; fields are whole lines.
func head(_ line: String, _ fields: String...) throws -> RequestHead { try head(line, fields) }

func head(_ line: String, _ fields: [String]) throws -> RequestHead {
    let bytes = Array((([line] + fields).joined(separator: "\r\n") + "\r\n\r\n").utf8)
    var parser = RequestParser()
    var head = RequestHead()
    let result = parser.parse(bytes.span, into: &head)
    try #require(result == .complete(consumed: bytes.count), "\(line)")
    return head
}

/// A router as of a listener on loopback; of a reverse proxy it answers to every name and offers its origin alone.
func router(gateway: String? = nil, _ change: (inout ProxyOptions) -> Void = { _ in }) throws -> Router {
    var options = ProxyOptions(
        via: Via(instance: Array("test".utf8)),
        addressPolicy: AddressPolicy(allowsLoopback: true, allowsPrivate: true)
    )
    if let gateway {
        options.gateway = GatewayBase(try TargetURI(parsing: gateway))
        options.routes = []
        options.answersToEveryName = true
    }
    change(&options)
    return Router(options: options)
}

extension Router {
    /// As for clients that speak TLS.
    var overTLS: Router { Router(options: options.overTLS) }

    /// As of a client on this machine.
    func route(_ head: RequestHead) -> Route { route(head, from: .unix(path: "")) }
}

extension Route {
    var refusal: Refusal? {
        if case .refused(let refusal) = self { return refusal }
        return nil
    }

    /// The URI of a forwarded request.
    var uri: String? {
        if case .origin(let uri, _) = self { return uri.text }
        return nil
    }

    var kind: RouteKind? {
        if case .origin(_, let kind) = self { return kind }
        return nil
    }

    /// A word for each case, with what it carries.
    var summary: String {
        switch self {
        case .origin(let uri, let kind): "\(kind) \(uri.text)"
        case .originServer(let uri): "server \(uri.text)"
        case .tunnel(let host, let port): "tunnel \(String(decoding: host, as: UTF8.self)):\(port)"
        case .moved(let path): "moved \(String(decoding: path, as: UTF8.self))"
        case .landingPage: "landing page"
        case .script(let script): "script \(script.proxy)"
        case .icon: "icon"
        case .proxyItself: "proxy itself"
        case .refused(let refusal): "refused \(refusal.status)"
        }
    }
}
