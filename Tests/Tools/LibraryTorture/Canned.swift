import HTTPCore
import ResourceCore
import ResourceModel
import Respite

/// Answers each request a little later, without a network.
struct Canned: NetworkingProvider {
    private static let statuses: [UInt16] = [200, 200, 200, 200, 200, 304, 404, 500]

    /// Whether requests may fail, and answers may take some time.
    let isMoody: Bool

    func startRequest(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        let isMoody = isMoody
        Task.detached {
            if isMoody { try? await Task.sleep(for: .microseconds(Int.random(in: 0...2000))) }
            completion(Self.answer(to: request, isMoody ? Self.statuses.randomElement() ?? 200 : 200))
        }
        return Sent()
    }

    private static func answer(to request: HTTPRequest, _ status: UInt16) -> NetworkingResult {
        var fields = Fields()
        fields.append(.contentType, "application/json")
        fields.append(.etag, "\"1\"")
        fields.append(.cacheControl, "max-age=86400")
        let text = #"{"path": "\#(String(decoding: request.url.path, as: UTF8.self))"}"#
        return NetworkingResult(head: ResponseHead(status: status, fields: fields), content: Array(text.utf8))
    }

    /// A request under way.
    private struct Sent: RequestNetworking {
        func cancel() {}
        var transferMetrics: RequestTransferMetrics { RequestTransferMetrics() }
    }
}
