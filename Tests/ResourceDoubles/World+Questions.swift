import HTTPCaching
package import HTTPCore
import ResourceCore

extension World {
    /// The identity of a question; its first bytes stand for the digest.
    package static func question(_ content: String, _ path: String = "/a", method: Method = .post) -> TargetURI {
        let bytes = Array(content.utf8.prefix(32))
        return uri(path).question(method, bytes + [UInt8](repeating: 0, count: 32 - bytes.count))
    }

    /// Asks a question; what can be done at once is done.
    @discardableResult
    package func ask(
        _ content: String,
        _ lines: [(String, String)] = [],
        _ path: String = "/a",
        method: Method = .post
    ) -> Client {
        let client = Client(context: context)
        let uri = Self.question(content, path, method: method)
        let plain = request(path, lines)
        var request = ClientRequest(
            uri: uri,
            fields: plain.fields,
            profile: plain.profile,
            partitions: plain.partitions,
            arrival: plain.arrival,
            provider: plain.provider
        )
        request.question = Question(method, ByteChunk(content))
        switch service.resourceToServe(uri).serve(request, to: client) {
        case .answered(let answer, let waiter):
            client.note(waiter)
            client.take(answer)
        case .waiting(let waiter):
            client.note(waiter)
        }
        runUntilIdle()
        return client
    }
}
