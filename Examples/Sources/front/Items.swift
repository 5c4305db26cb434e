import Respite

/// The items of an API: in memory, on disk, and loaded when they are needed.
///
/// All connections share it. An item is one resource, so requests for the same one share a load.
struct Items: Sendable {
    private let service: Service

    init(api: String, directory: String) {
        var options = HTTPClient.Options()
        options.limits.connectTimeout = .seconds(2)
        // No transformers: content passes as the bytes that the API sent.
        service = Service(
            baseURL: api,
            standardTransformers: [],
            client: HTTPClient(options: options),
            cache: .sqlite(directory: directory)
        )
        // Where the API states no lifetime.
        service.configure("items/*") { $0.expirationTime = .seconds(10) }
    }

    /// The item if it is fresh, else a load of it; while the API fails, what was known before.
    func response(for number: UInt32) async -> OutgoingResponse {
        let item = service.resource("items").child("\(number)")
        do {
            return OutgoingResponse(try await item.loadedIfNeeded())
        } catch {
            if let status = error.statusOfMissingItem { return .text(status, error.userMessage) }
            guard let known = item.latestData else { return .text(502, error.userMessage) }
            return OutgoingResponse(known, note: "\(known.age) seconds old: \(error.userMessage)")
        }
    }

    /// Returns once all that was loaded is on disk.
    func flush() async { await service.flush() }
}

extension RequestError {
    /// 404 or 410, if the API said that there is no such item; nil if it failed.
    fileprivate var statusOfMissingItem: UInt16? { httpStatusCode == 404 ? 404 : httpStatusCode == 410 ? 410 : nil }
}

extension Entity {
    /// Seconds since the API last said that it is valid.
    fileprivate var age: Int64 { (Timestamp.now - timestamp).components.seconds }
}
