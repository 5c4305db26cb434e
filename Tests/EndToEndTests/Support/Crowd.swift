import TestSupport

/// Clients whose connections the daemon has already accepted, and the means to know that it has read their requests.
///
/// A loop handles connections in the order in which they became readable. So once connections on every loop were
/// answered that became readable later, what was sent before has been read.
final class Crowd {
    let clients: [WireClient]
    private let fences: [WireClient]
    private let warm: String
    private let origin: ScriptedOrigin

    init(_ count: Int, of daemon: DaemonProcess) throws {
        origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "warm") }
        warm = origin.url("/warm")
        clients = try (0..<count).map { _ in try daemon.client() }
        fences = try (0..<24).map { _ in try daemon.client() }
        for client in clients + fences { try ask(client) }
    }

    /// Returns when the daemon has read whatever was sent before this call.
    func awaitRead() throws {
        for _ in 0..<2 {
            for fence in fences { try ask(fence) }
        }
    }

    private func ask(_ client: WireClient) throws {
        guard try client.exchange("GET", warm, ["Host: \(origin.authority)"]).text == "warm" else {
            throw HarnessError("the warm resource is not served")
        }
    }
}
