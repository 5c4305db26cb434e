import HTTPCore
import Testing

@Suite("Problems")
struct ProblemTests {
    @Test("a problem document is ASCII JSON on one line, whatever is in it (H-108, H-159)")
    func problem() {
        let problem = ProblemDocument(
            status: 502,
            detail: "a\"b\\\r\n\u{1b}é😀",
            members: [.init("url", "http://a.example/")]
        )
        #expect(
            text(problem.json)
                == #"{"type":"about:blank","title":"Bad Gateway","status":502,"#
                + #""detail":"a\"b\\\u000d\u000a\u001b\u00e9\ud83d\ude00","url":"http://a.example/"}"# + "\n"
        )
    }

    @Test("every error has a sentence and a status for clients")
    func messages() {
        let codes: [ParseError.Code] = [
            .tooManyEmptyLines(limit: 8), .badMethod, .methodTooLong(limit: 32), .badRequestLine, .badTarget,
            .targetTooLong(limit: 1), .fragmentInTarget, .targetForm, .unsupportedScheme, .badAuthority, .missingPort,
            .badPrefix, .badVersion, .unsupportedVersion, .badStatusLine, .badReason, .bareLineFeed,
            .bareCarriageReturn,
            .leadingWhitespace, .foldedLine, .whitespaceInFieldName, .emptyFieldName, .badFieldName, .missingColon,
            .badFieldValue, .sectionTooLarge(limit: 1), .tooManyFields(limit: 1), .missingHost, .emptyHost, .badHost,
            .hostMismatch, .repeatedField(.range), .badConnection, .unknownExpectation, .badContentLength,
            .contentTooLarge(limit: 1), .badTransferEncoding, .unsupportedTransferCoding, .transferEncodingInHTTP10,
            .conflictingFraming, .contentInConnect, .badChunkSize, .chunkTooLarge, .badChunkExtension,
            .chunkExtensionTooLarge(limit: 1), .badChunkEnd, .trailersTooLarge(limit: 1), .tooManyTrailers(limit: 1),
            .incomplete,
        ]
        let sentences = codes.map { ParseError($0).userMessage }
        #expect(sentences.allSatisfy { $0.hasSuffix(".") && $0.count > 20 })
        #expect(Set(sentences).count == codes.count)
        #expect(codes.allSatisfy { (400...505).contains(ParseError($0).status) })
    }
}
