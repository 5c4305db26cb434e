extension ParseError {
    /// A sentence for people: the element, what is wrong with it, and the limit or setting.
    public var userMessage: String {
        switch code {
        case .tooManyEmptyLines, .badMethod, .methodTooLong, .badRequestLine, .badTarget, .targetTooLong,
            .fragmentInTarget, .targetForm, .unsupportedScheme, .badAuthority, .missingPort, .badPrefix, .badVersion,
            .unsupportedVersion, .badStatusLine, .badReason:
            startLineMessage
        case .bareLineFeed, .bareCarriageReturn, .leadingWhitespace, .foldedLine, .whitespaceInFieldName,
            .emptyFieldName, .badFieldName, .missingColon, .badFieldValue, .sectionTooLarge, .tooManyFields:
            lineMessage
        case .missingHost, .emptyHost, .badHost, .hostMismatch, .repeatedField, .badConnection, .unknownExpectation:
            fieldMessage
        case .badContentLength, .contentTooLarge, .badTransferEncoding, .unsupportedTransferCoding,
            .transferEncodingInHTTP10, .conflictingFraming, .contentInConnect, .badChunkSize, .chunkTooLarge,
            .badChunkExtension, .chunkExtensionTooLarge, .badChunkEnd, .trailersTooLarge, .tooManyTrailers,
            .incomplete:
            framingMessage
        }
    }

    private var startLineMessage: String {
        switch code {
        case .tooManyEmptyLines(let limit): "More than \(limit) empty lines stand before the request line."
        case .badMethod: "The method is not a token; this does not look like HTTP/1.1."
        case .methodTooLong(let limit): "The method is longer than \(limit) bytes."
        case .badRequestLine: "The request line is not a method, one space, a target, one space and a version."
        case .badTarget: "The request target holds bytes other than visible ASCII."
        case .targetTooLong(let limit):
            "The request target is longer than \(limit) bytes (setting limits.request-target)."
        case .fragmentInTarget: "The request target holds a fragment."
        case .targetForm: "The form of the request target does not fit the method."
        case .unsupportedScheme: "The scheme of the request target is neither http nor https."
        case .badAuthority: "The authority of the request target is not a host with an optional port from 1 to 65535."
        case .missingPort: "The target of CONNECT has no port."
        case .badPrefix: "The path begins like a gateway prefix, which is /http://host/path or /https://host/path."
        case .badVersion: "The version in the request line is missing or not HTTP/1.1 or HTTP/1.0."
        case .unsupportedVersion: "The major version of HTTP is not 1."
        case .badStatusLine: "The status line is not a version, a space, three digits from 100 to 599, and a reason."
        default: "The reason phrase holds control bytes or is too long."
        }
    }

    private var lineMessage: String {
        switch code {
        case .bareLineFeed: "A line ends in LF without CR."
        case .bareCarriageReturn: "A CR is not followed by LF."
        case .leadingWhitespace: "The first field line begins with whitespace."
        case .foldedLine: "A field line is folded."
        case .whitespaceInFieldName: "Whitespace stands in a field name or before its colon."
        case .emptyFieldName: "A field name is empty."
        case .badFieldName: "A field name is not a token."
        case .missingColon: "A field line has no colon."
        case .badFieldValue: "A field value holds control bytes."
        case .sectionTooLarge(let limit):
            "The field section is larger than \(limit) bytes (setting limits.header-section)."
        case .tooManyFields(let limit): "There are more than \(limit) field lines (setting limits.header-fields)."
        default: ""
        }
    }

    private var fieldMessage: String {
        switch code {
        case .missingHost: "The Host field is missing."
        case .emptyHost: "The Host field is empty."
        case .badHost: "The value of Host is not a host with an optional port from 1 to 65535."
        case .hostMismatch: "The Host field and the authority of the target differ."
        case .repeatedField(let field): "The field \(field.text) occurs more than once."
        case .badConnection: "The Connection field is not a list of tokens."
        default: "The Expect field asks for something other than 100-continue."
        }
    }

    private var framingMessage: String {
        switch code {
        case .badContentLength: "The value of Content-Length is not one decimal number."
        case .contentTooLarge(let limit):
            limit == .max
                ? "The value of Content-Length is above 2^63-1."
                : "The content is larger than \(limit) bytes (setting limits.request-body)."
        case .badTransferEncoding: "The value of Transfer-Encoding is not exactly chunked."
        case .unsupportedTransferCoding: "Transfer-Encoding names a coding other than chunked."
        case .transferEncodingInHTTP10: "Transfer-Encoding stands in an HTTP/1.0 message."
        case .conflictingFraming: "Content-Length and Transfer-Encoding stand in one message."
        case .contentInConnect: "A CONNECT request has content."
        case .badChunkSize: "A chunk size is not one to sixteen hexadecimal digits before CRLF or an extension."
        case .chunkTooLarge: "A chunk size is above 2^63-1."
        case .badChunkExtension: "A chunk extension is malformed."
        case .chunkExtensionTooLarge(let limit):
            "Chunk extensions take more than \(limit) bytes (settings limits.chunk-extension-line, limits.chunk-extensions)."
        case .badChunkEnd: "The data of a chunk are not followed by CRLF."
        case .trailersTooLarge(let limit):
            "The trailer section is larger than \(limit) bytes (setting limits.trailer-section)."
        case .tooManyTrailers(let limit):
            "There are more than \(limit) trailer fields (setting limits.trailer-fields)."
        default: "The connection ended inside the message."
        }
    }
}
