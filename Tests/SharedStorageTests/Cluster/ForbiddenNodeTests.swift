import TestSupport
import Testing

@testable import SharedStorage

private let greeting =
    "*6\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$4\r\nmode\r\n$7\r\ncluster\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"

@Suite("A cluster that leads elsewhere")
struct ForbiddenNodeTests {
    /// A node that replies to its greeting, then with a map of one node, then to each command with `reply`.
    private final class LyingNode: Sendable {
        let origin: TestOrigin
        var port: UInt16 { origin.port }

        init(map: String, reply: String = "$-1\r\n") {
            origin = TestOrigin { peer, _ in
                while let command = LyingNode.command(peer) {
                    let text = command.contains("HELLO") ? greeting : command.contains("SLOTS") ? map : reply
                    _ = peer.send(Array(text.utf8))
                }
            }
        }

        /// One command: an array of strings; nil at the end.
        private static func command(_ peer: OriginPeer) -> [String]? {
            guard let count = line(peer).flatMap({ Int($0.dropFirst()) }) else { return nil }
            return (0..<count).map { _ in
                _ = line(peer)
                return line(peer) ?? ""
            }
        }

        private static func line(_ peer: OriginPeer) -> String? {
            peer.read(through: "\r\n").map { String($0.dropLast()) }
        }
    }

    private static func map(_ host: String, _ port: UInt16) -> String {
        "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$\(host.utf8.count)\r\n\(host)\r\n:\(port)\r\n$2\r\nid\r\n"
    }

    private static let forbidden = [
        ("169.254.169.254", "metadata"), ("169.254.7.7", "link-local"), ("fe80::1", "link-local"),
        ("::ffff:169.254.169.254", "metadata"), ("fd00:ec2::254", "metadata"), ("0.0.0.0", "unspecified"),
        ("224.0.0.1", "multicast"),
    ]

    /// Why a command to a cluster that this node knows got no reply.
    private func failure(_ node: LyingNode) throws -> String? {
        defer { node.origin.close() }
        return try LoopRun(cluster: [.host("127.0.0.1", port: node.port)]).failure(.get("a"))?.userMessage
    }

    @Test("metadata and link-local addresses in its map of slots are never connected to", arguments: forbidden)
    func map(host: String, kind: String) throws {
        let message = try failure(LyingNode(map: Self.map(host, 80)))
        #expect(message?.contains("its address is \(kind), which is not allowed here") == true, "\(message ?? "")")
    }

    @Test(
        "metadata and link-local addresses in its redirections are never connected to",
        arguments: forbidden.flatMap { host, kind in ["MOVED", "ASK"].map { ($0, host, kind) } }
    )
    func redirection(word: String, host: String, kind: String) throws {
        // The map leads to a node of this machine, which is another one to be sure that it is asked.
        let next = LyingNode(map: "*0\r\n", reply: "-\(word) 15495 \(host):80\r\n")
        defer { next.origin.close() }
        let message = try failure(LyingNode(map: Self.map("127.0.0.1", next.port)))
        #expect(message?.contains("its address is \(kind), which is not allowed here") == true, "\(message ?? "")")
        #expect(next.origin.connections == 1)
    }

    @Test("the check of a cluster names the node that announces such an address, and does not connect to it")
    func check() throws {
        let node = LyingNode(map: Self.map("169.254.169.254", 80))
        defer { node.origin.close() }
        let findings = try CheckRun.findings([.host("127.0.0.1", port: node.port)], isCluster: true)
        let fault = findings.first { $0.verdict == .fault }
        #expect(fault?.seen.contains("169.254.169.254:80: its address is metadata") == true, "\(findings)")
        #expect(fault?.remedy?.contains("cluster-announce-ip") == true)
    }
}
