/// Why bytes are not an HTTP message, or not one that we accept.
///
/// It never contains bytes of the message, so its sentence is safe to send and to log.
public struct ParseError: Error, Sendable, Equatable {
    public enum Code: Sendable, Equatable {
        // The start line.
        case tooManyEmptyLines(limit: Int)
        case badMethod
        case methodTooLong(limit: Int)
        case badRequestLine
        case badTarget
        case targetTooLong(limit: Int)
        case fragmentInTarget
        case targetForm
        case unsupportedScheme
        case badAuthority
        case missingPort
        case badPrefix
        case badVersion
        case unsupportedVersion
        case badStatusLine
        case badReason
        // Lines.
        case bareLineFeed
        case bareCarriageReturn
        case leadingWhitespace
        case foldedLine
        case whitespaceInFieldName
        case emptyFieldName
        case badFieldName
        case missingColon
        case badFieldValue
        case sectionTooLarge(limit: Int)
        case tooManyFields(limit: Int)
        // Single fields.
        case missingHost
        case emptyHost
        case badHost
        case hostMismatch
        case repeatedField(KnownField)
        case badConnection
        case unknownExpectation
        // Framing.
        case badContentLength
        case contentTooLarge(limit: Int64)
        case badTransferEncoding
        case unsupportedTransferCoding
        case transferEncodingInHTTP10
        case conflictingFraming
        case contentInConnect
        // Chunks.
        case badChunkSize
        case chunkTooLarge
        case badChunkExtension
        case chunkExtensionTooLarge(limit: Int)
        case badChunkEnd
        case trailersTooLarge(limit: Int)
        case tooManyTrailers(limit: Int)
        /// The connection ended inside the message.
        case incomplete
    }

    public var code: Code

    public init(_ code: Code) { self.code = code }

    /// The status of the response to a request with this error.
    public var status: UInt16 {
        switch code {
        case .targetTooLong: 414
        case .sectionTooLarge, .tooManyFields, .trailersTooLarge, .tooManyTrailers: 431
        case .contentTooLarge, .chunkExtensionTooLarge: 413
        case .unsupportedVersion: 505
        case .unsupportedTransferCoding: 501
        case .unknownExpectation: 417
        default: 400
        }
    }

    /// The error type to report if a response from upstream has this error; the status is then 502.
    package var proxyErrorType: ProxyErrorType {
        switch code {
        case .sectionTooLarge, .tooManyFields: .httpResponseHeaderSectionSize
        case .trailersTooLarge, .tooManyTrailers: .httpResponseTrailerSectionSize
        case .badTransferEncoding, .unsupportedTransferCoding, .transferEncodingInHTTP10, .badChunkSize,
            .chunkTooLarge, .badChunkExtension, .chunkExtensionTooLarge, .badChunkEnd:
            .httpResponseTransferCoding
        case .contentTooLarge: .httpResponseBodySize
        case .incomplete: .httpResponseIncomplete
        default: .httpProtocolError
        }
    }
}
