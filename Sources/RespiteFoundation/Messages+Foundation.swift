import Foundation
import HTTPCore
import ResourceCore
import ResourceModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Throws `RequestError.Cause.InvalidURL` for a target that `URL` does not keep as it is.
    init(_ request: HTTPRequest) throws {
        guard let url = URL(request.url) else { throw RequestError.Cause.InvalidURL(urlSource: request.url.text) }
        self.init(url: url)
        cachePolicy = .reloadIgnoringLocalCacheData
        httpShouldHandleCookies = false
        httpMethod = request.method.text
        for line in request.fields.lines {
            addValue(
                String(decoding: request.fields.value(of: line), as: UTF8.self),
                forHTTPHeaderField: String(decoding: request.fields.name(of: line), as: UTF8.self)
            )
        }
        httpBody = request.body.map { Data($0) }
    }
}

extension ResponseHead {
    /// Nil for a status that is none.
    ///
    /// - Parameter keepsCoding: false: without fields about a coding that the session has decoded, and its length.
    init?(_ response: HTTPURLResponse, keepsCoding: Bool = false) {
        guard let status = UInt16(exactly: response.statusCode), 100...999 ~= status else { return nil }
        var fields = Fields()
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            let bytes = Array(name.utf8)
            if Token.isToken(bytes.span) { fields.append(name: bytes, value: Array(value.utf8)) }
        }
        if !keepsCoding, fields.contains(.contentEncoding) {
            fields.remove(.contentEncoding)
            fields.remove(.contentLength)
        }
        self.init(status: status, fields: fields)
    }
}
