public import Formats
public import HTTPCore
import Locking
public import ResourceCore

/// Requests with content (S-112 to S-117).
///
/// They act like `request(_:_:)`, but set content and its type before the caller's own mutation runs. Content that
/// cannot be encoded gives a request that has failed without network; no resource lists it.
extension Resource {
    /// A request with these bytes.
    ///
    /// - Parameters:
    ///   - method: any.
    ///   - data: the content.
    ///   - contentType: sets `Content-Type`, replacing a configured one (S-111).
    ///   - requestMutation: runs after that, before configured mutations.
    @discardableResult
    public func request(
        _ method: Method,
        data: [UInt8],
        contentType: String,
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> Request {
        request(method) { request in
            request[field: "Content-Type"] = contentType
            request.body = data
            requestMutation(&request)
        }
    }

    /// A request with text; the encoding is added to the content type.
    ///
    /// Fails at once with `RequestError.Cause.UnencodableText` if the encoding lacks a character.
    @discardableResult
    public func request(
        _ method: Method,
        text: String,
        contentType: String = "text/plain",
        encoding: TextEncoding = .utf8,
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> Request {
        guard let bytes = encoding.encode(text) else {
            return .failed(RequestError(cause: RequestError.Cause.UnencodableText(encoding: encoding, text: text)))
        }
        return request(
            method,
            data: bytes,
            contentType: "\(contentType); charset=\(encoding.ianaName)",
            requestMutation: requestMutation
        )
    }

    /// A request with a JSON object.
    ///
    /// - Parameters:
    ///   - method: any.
    ///   - json: text, integers, finite numbers, booleans, `JSONNull`, arrays of these, and dictionaries with text as
    ///     keys. Anything else fails at once with `RequestError.Cause.InvalidJSONObject`.
    ///   - contentType: sets `Content-Type`.
    ///   - requestMutation: runs after that, before configured mutations.
    @discardableResult
    public func request(
        _ method: Method,
        json: [String: any Sendable],
        contentType: String = "application/json",
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> Request {
        request(method, jsonContent: JSONText.bytes(of: json), contentType, requestMutation)
    }

    /// A request with a JSON array; see the one with an object.
    @discardableResult
    public func request(
        _ method: Method,
        json: [any Sendable],
        contentType: String = "application/json",
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> Request {
        request(method, jsonContent: JSONText.bytes(of: json), contentType, requestMutation)
    }

    private func request(
        _ method: Method,
        jsonContent: [UInt8]?,
        _ contentType: String,
        _ mutation: @escaping RequestMutation
    ) -> Request {
        guard let jsonContent else {
            return .failed(RequestError(cause: RequestError.Cause.InvalidJSONObject()))
        }
        return request(method, data: jsonContent, contentType: contentType, requestMutation: mutation)
    }

    /// A request with form fields, sorted by name, as `application/x-www-form-urlencoded`.
    ///
    /// Any text can be a field, since a `String` is always valid Unicode. `RequestError.Cause.NotURLEncodable` is for
    /// encoders of the program's own.
    @discardableResult
    public func request(
        _ method: Method,
        urlEncoded fields: [String: String],
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> Request {
        request(
            method,
            data: FormContent.bytes(of: fields),
            contentType: "application/x-www-form-urlencoded",
            requestMutation: requestMutation
        )
    }

    /// A request with its method as text, for programs that get that from outside.
    ///
    /// - Parameters:
    ///   - method: one of the seven (S-109), in capitals. Another one fails at once with
    ///     `RequestError.Cause.InvalidRequestMethod`.
    ///   - requestMutation: runs before configured mutations.
    @discardableResult
    public func request(
        methodNamed method: String,
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> Request {
        guard let known = Method.configurable.first(where: { $0.text == method }) else {
            return .failed(RequestError(cause: RequestError.Cause.InvalidRequestMethod(method: method)))
        }
        return request(known, requestMutation)
    }

    // MARK: Requests without network

    /// A request that has failed with `error` (S-144).
    public static func failedRequest(returning error: RequestError) -> Request { .failed(error) }

    /// A request that has completed with `response`, without a pipeline (S-144, S-146).
    public static func hardWiredRequest(returning response: Response, isNew: Bool = true) -> Request {
        .hardWired(ResponseInfo(response: response, isNew: isNew))
    }

    /// A request, not started, with this delegate (S-145).
    public static func prepareRequest(using delegate: any RequestDelegate) -> Request {
        Request(delegate: delegate, delivery: nil)
    }

    // MARK: Making requests

    /// Starts a request that changes nothing of this resource (S-104).
    @discardableResult
    public func request(_ method: Method, _ mutation: @escaping RequestMutation = { _ in }) -> Request {
        let request = makeRequest(method, mutation)
        if hasURL { track(request) }
        return request.start()
    }

    /// The order for a request of this resource; does not keep the resource.
    func order(_ method: Method, _ mutation: @escaping RequestMutation) -> NetworkRequestDelegate.Order {
        NetworkRequestDelegate.Order(
            core: core,
            uri: uri,
            resourceID: id,
            method: method,
            mutation: mutation,
            knownData: { [weak self] in self?.dataToConfirm }
        )
    }

    /// A request of this resource, decorated, not started, listed nowhere (S-110).
    func makeRequest(_ method: Method, _ mutation: @escaping RequestMutation) -> Request {
        guard hasURL else {
            let text = state.withLock { $0.model.givenText }
            return .failed(RequestError(cause: RequestError.Cause.InvalidURL(urlSource: text)))
        }
        let delegate = NetworkRequestDelegate(order(method, mutation))
        let request = Request(
            delegate: delegate,
            delivery: core.delivery,
            timekeeper: core.table.environment.timekeeper
        )
        return delegate.decorators.reduce(request) { request, decorate in decorate(self, request) }
    }
}

extension Method {
    /// The methods that can be configured by name (S-109).
    static let configurable: [Method] = [.options, .get, .head, .post, .put, .patch, .delete]
}
