public import Foundation
public import HTTPCore
public import ResourceCore
public import ResourceModel

/// Requests with content of Foundation's types (S-112, S-114).
extension Resource {
    /// A request with these bytes; see the one with `[UInt8]`.
    @discardableResult
    public func request(
        _ method: Method,
        data: Data,
        contentType: String,
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> Request {
        request(method, data: [UInt8](data), contentType: contentType, requestMutation: requestMutation)
    }

    /// A request with a value as JSON.
    ///
    /// What the encoder cannot encode fails at once with its `EncodingError` as cause, without network. No resource
    /// lists that request.
    ///
    /// - Parameters:
    ///   - method: any.
    ///   - value: any value, of which the encoder makes JSON.
    ///   - encoder: called at once, on this thread.
    ///   - contentType: sets `Content-Type`.
    ///   - requestMutation: runs after that, before configured mutations.
    @discardableResult
    public func request(
        _ method: Method,
        json value: some Encodable,
        encoder: JSONEncoder = JSONEncoder(),
        contentType: String = "application/json",
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> Request {
        do {
            let bytes = [UInt8](try encoder.encode(value))
            return request(method, data: bytes, contentType: contentType, requestMutation: requestMutation)
        } catch {
            return Resource.failedRequest(returning: RequestError(cause: error))
        }
    }

    /// A request with the bytes of a file; see the one with a path.
    @discardableResult
    public func request(
        _ method: Method,
        file: URL,
        contentType: String,
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> Request {
        request(method, file: file.path, contentType: contentType, requestMutation: requestMutation)
    }

    /// A GET whose content goes to a file; see the one with a path.
    @discardableResult
    public func download(to file: URL, requestMutation: @escaping RequestMutation = { _ in }) -> Request {
        download(to: file.path, requestMutation: requestMutation)
    }
}
