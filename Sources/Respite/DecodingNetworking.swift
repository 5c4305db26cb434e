import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import Transformers
import Transforms

/// Decodes the responses of another provider, so that programs see content without content codings.
///
/// It asks for gzip, deflate, br and zstd, unless the request has Accept-Encoding or Range. A decoded response has no
/// `Content-Encoding`, `Content-Length` or digests any more. Its other fields are the server's, validators among them.
///
/// Content that is broken, or larger than `limits` allow, fails with `RequestError.Cause.UndecodableContent`. So does a
/// coding that is unknown, unless the request has Accept-Encoding: then it stays. Parts (206) stay as they are.
final class DecodingNetworking: NetworkingProvider {
    private static let accepted = ContentCoding.allCases.map(\.rawValue).joined(separator: ", ")

    private let provider: any NetworkingProvider
    private let limits: TransformLimits

    init(_ provider: any NetworkingProvider, limits: TransformLimits) {
        self.provider = provider
        self.limits = limits
    }

    /// Content that goes to a sink is not decoded.
    var transfersFiles: Bool { provider.transfersFiles }

    func startRequest(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        var request = request
        let asksItself = request[field: "Accept-Encoding"] != nil
        if !asksItself, request[field: "Range"] == nil { request[field: "Accept-Encoding"] = Self.accepted }
        let decoding = ContentDecoding(request, limits: limits, leavesUnknown: asksItself)
        return provider.startRequest(request) { result in
            guard decoding.concerns(result) else { return completion(result) }
            // Decoding may take long, and must not hold up the network's thread.
            Task.detached { completion(decoding.decoded(result)) }
        }
    }
}

/// How the response to one request is decoded.
private struct ContentDecoding: Sendable {
    private let context: TransformContext
    private let leavesUnknown: Bool

    init(_ request: HTTPRequest, limits: TransformLimits, leavesUnknown: Bool) {
        context = TransformContext(
            uri: request.url,
            request: request.fields,
            limits: limits,
            budget: TransformBudget()
        )
        self.leavesUnknown = leavesUnknown
    }

    func concerns(_ result: NetworkingResult) -> Bool {
        guard let head = result.head, head.status != 206, result.error == nil else { return false }
        return head.fields.contains(.contentEncoding) && !(result.content ?? []).isEmpty
    }

    func decoded(_ result: NetworkingResult) -> NetworkingResult {
        guard let head = result.head, let content = result.content else { return result }
        var result = result
        do throws(TransformFailure) {
            var changed = EntityHead(status: head.status, fields: head.fields)
            guard let filter = try DecodeTransformer().begin(&changed, context) else { return result }
            result.content = try run(filter, content)
            result.head?.fields = changed.fields
            for name in Self.aboutCoded { result.head?.fields.remove(named: name) }
            result.head?.contentLength = nil
        } catch {
            if error.reason == .unsupported, leavesUnknown { return result }
            let coding = head.fields.text(of: .contentEncoding) ?? ""
            result.error = RequestError.Cause.UndecodableContent(
                coding: coding,
                message: ProgramTexts.text(error.userMessage)
            )
        }
        return result
    }

    /// Fields that describe the encoded bytes.
    private static let aboutCoded = ["Content-Length", "Content-Digest", "Repr-Digest", "Digest", "Content-MD5"]
        .map { Array($0.utf8) }

    private func run(_ filter: any ContentFilter, _ content: [UInt8]) throws(TransformFailure) -> [UInt8] {
        let end = SystemTimekeeper.shared.now + context.limits.time
        let room = 256 * 1024
        var output: [UInt8] = []
        var position = 0
        var hasMore = false
        while position < content.count || hasMore {
            let progress = try filter.transform(content.span.extracting(position...), into: &output, room: room)
            position += progress.consumed
            hasMore = progress.hasMore
            try check(end)
        }
        while try filter.finish(into: &output, room: room) { try check(end) }
        return output
    }

    private func check(_ end: MonotonicTime) throws(TransformFailure) {
        guard SystemTimekeeper.shared.now > end else { return }
        throw TransformFailure(.limit, "it takes longer than \(context.limits.time)")
    }
}
