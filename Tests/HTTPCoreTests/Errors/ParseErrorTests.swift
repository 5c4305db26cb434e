import Testing

@testable import HTTPCore

@Suite("What an error of syntax means for others")
struct ParseErrorTests {
    @Test("the status is 400 unless there is a better one")
    func statuses() {
        let statuses: [(ParseError.Code, UInt16)] = [
            (.targetTooLong(limit: 1), 414), (.sectionTooLarge(limit: 1), 431), (.tooManyFields(limit: 1), 431),
            (.trailersTooLarge(limit: 1), 431), (.tooManyTrailers(limit: 1), 431), (.contentTooLarge(limit: 1), 413),
            (.chunkExtensionTooLarge(limit: 1), 413), (.unsupportedVersion, 505), (.unsupportedTransferCoding, 501),
            (.unknownExpectation, 417), (.badMethod, 400), (.missingHost, 400), (.badChunkSize, 400),
            (.methodTooLong(limit: 1), 400), (.chunkTooLarge, 400),
        ]
        for (code, status) in statuses { #expect(ParseError(code).status == status, "\(code)") }
    }

    @Test("a response's error has its type of RFC 9209")
    func types() {
        let types: [(ParseError.Code, ProxyErrorType)] = [
            (.sectionTooLarge(limit: 1), .httpResponseHeaderSectionSize),
            (.tooManyFields(limit: 1), .httpResponseHeaderSectionSize),
            (.trailersTooLarge(limit: 1), .httpResponseTrailerSectionSize),
            (.tooManyTrailers(limit: 1), .httpResponseTrailerSectionSize),
            (.badTransferEncoding, .httpResponseTransferCoding), (.badChunkEnd, .httpResponseTransferCoding),
            (.chunkExtensionTooLarge(limit: 1), .httpResponseTransferCoding),
            (.contentTooLarge(limit: 1), .httpResponseBodySize), (.incomplete, .httpResponseIncomplete),
            (.badStatusLine, .httpProtocolError), (.badContentLength, .httpProtocolError),
        ]
        for (code, type) in types { #expect(ParseError(code).proxyErrorType == type, "\(code)") }
    }

    @Test("a limit is told with the setting that has it; a length that no limit allows without")
    func limits() {
        let messages: [(ParseError.Code, String)] = [
            (.contentTooLarge(limit: .max), "The value of Content-Length is above 2^63-1."),
            (.contentTooLarge(limit: 5), "The content is larger than 5 bytes (setting limits.request-body)."),
            (.sectionTooLarge(limit: 7), "The field section is larger than 7 bytes (setting limits.header-section)."),
            (.repeatedField(.range), "The field Range occurs more than once."),
        ]
        for (code, message) in messages { #expect(ParseError(code).userMessage == message) }
        let problem = ProblemDocument(ParseError(.missingHost))
        #expect(problem == ProblemDocument(status: 400, title: "Bad Request", detail: "The Host field is missing."))
        #expect(problem.type == "about:blank" && problem.members.isEmpty)
    }

    @Test("each error that has a limit says it, and the settings that set it")
    func allLimits() {
        let settings: [(ParseError.Code, [String])] = [
            (.tooManyEmptyLines(limit: 77), []), (.methodTooLong(limit: 77), []),
            (.targetTooLong(limit: 77), ["request-target"]), (.sectionTooLarge(limit: 77), ["header-section"]),
            (.tooManyFields(limit: 77), ["header-fields"]), (.contentTooLarge(limit: 77), ["request-body"]),
            (.chunkExtensionTooLarge(limit: 77), ["chunk-extension-line", "chunk-extensions"]),
            (.trailersTooLarge(limit: 77), ["trailer-section"]), (.tooManyTrailers(limit: 77), ["trailer-fields"]),
        ]
        for (code, names) in settings {
            let message = ParseError(code).userMessage
            #expect(message.contains(" 77 "), "\(message)")
            let named = names.map { "limits.\($0)" }.joined(separator: ", ")
            #expect(names.isEmpty != message.hasSuffix("\(named)).") && message.contains("limits.") != names.isEmpty)
        }
    }

    @Test("each error of the coding of a response has the type for that (RFC 9209 §2.3)")
    func codingTypes() {
        let coding: [ParseError.Code] = [
            .badTransferEncoding, .unsupportedTransferCoding, .transferEncodingInHTTP10, .badChunkSize, .chunkTooLarge,
            .badChunkExtension, .chunkExtensionTooLarge(limit: 1), .badChunkEnd,
        ]
        for code in coding { #expect(ParseError(code).proxyErrorType == .httpResponseTransferCoding, "\(code)") }
        let others: [ParseError.Code] = [
            .badStatusLine, .badReason, .bareLineFeed, .foldedLine, .badFieldName, .badFieldValue, .badContentLength,
            .conflictingFraming, .repeatedField(.contentLength), .badConnection,
        ]
        for code in others { #expect(ParseError(code).proxyErrorType == .httpProtocolError, "\(code)") }
    }

    @Test("a control character is escaped with four digits in a problem")
    func escapes() {
        let problem = ProblemDocument(status: 299, title: "\u{7F}~\u{1F}\u{9}\u{A0B}", detail: " ", type: "urn:x")
        #expect(
            text(problem.json)
                == #"{"type":"urn:x","title":"\u007f~\u001f\u0009\u0a0b","status":299,"detail":" "}"# + "\n"
        )
    }

    @Test("methods differ by their names, and some define what their content means")
    func methods() {
        let all: [Method] = [
            .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch, .query, .other(latin("X")),
            .other(latin("Y")),
        ]
        for (row, one) in all.enumerated() {
            #expect(all.indices.filter { all[$0] == one } == [row], "\(one)")
            #expect(Method(one.text) == one)
        }
        #expect(all.filter(\.definesContent) == [.post, .put, .patch, .query])
        #expect(all.filter(\.isSafe) == [.get, .head, .options, .trace, .query])
        #expect(all.filter(\.isIdempotent) == [.get, .head, .put, .delete, .options, .trace, .query])
    }

    @Test("a WebSocket begins with a GET of HTTP/1.1 without content (RFC 6455 §4.1)")
    func webSocket() {
        let lines = ["Host: a", "Connection: upgrade", "Upgrade: websocket"]
        func requests(_ start: String, _ more: String = "X: y") -> Bool? {
            requestHead(start, lines[0], lines[1], lines[2], more)?.requestsWebSocket
        }
        #expect(requests("GET / HTTP/1.1") == true && requests("GET / HTTP/1.1", "Content-Length: 0") == true)
        #expect(requests("GET / HTTP/1.0") == false && requests("HEAD / HTTP/1.1") == false)
        #expect(requests("GET / HTTP/1.1", "Content-Length: 1") == false)
        #expect(requests("GET / HTTP/1.1", "Transfer-Encoding: chunked") == false)
        #expect(requests("GET / HTTP/1.1", "Upgrade: websocket") == false)
    }

    @Test("the line of Via has the received version; comments may be nested, and left open")
    func via() {
        let via = Via(instance: latin("4f"))
        #expect(text(via.line(received: .http11)) == "Via: 1.1 respite-4f\r\n")
        #expect(text(via.line(received: .http10)) == "Via: 1.0 respite-4f\r\n")
        #expect(text(Via(instance: latin("-@[`{é")).pseudonym) == "respite")
        #expect(text(Via(instance: latin("aZ09z")).pseudonym) == "respite-aZ09z")
        #expect(via == Via(instance: latin("4-f")) && via != Via(instance: latin("4e")))
        for (value, isLoop) in [
            ("), 1.1 respite-4f", true), ("1.1 a ((b) c, 1.1 respite-4f)", false),
            ("1.1 a ((b) c), 1.1 respite-4f", true),
            ("1.1 a (\\(), 1.1 respite-4f", true), ("1.1 b respite-4f", false), ("1.1 respite-4f(x)", true),
            ("1.1 a;respite-4f", false), ("\\, 1.1 respite-4f", true),
        ] {
            #expect(via.isMember(of: fields(("X", "y"), ("Via", value))) == isLoop, "\(value)")
        }
    }
}
