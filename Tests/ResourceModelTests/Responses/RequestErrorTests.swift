import Formats
import Foundation
import HTTPCore
import Outcomes
import ResourceDoubles
import Testing

@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel

@Suite("Requests: errors")
struct RequestErrorTests {
    private struct Odd: Error, CustomStringConvertible { var description: String }

    @Test("the message is the given text, else the cause's, else the status's phrase, else that it failed (S-158)")
    func message() {
        let head = ResponseHead(status: 404)
        let odd = Odd(description: "odd")
        #expect(RequestError(response: head, cause: odd, userMessage: "given").userMessage == "given")
        #expect(RequestError(response: head, cause: odd, userMessage: "").userMessage == "odd")
        #expect(RequestError(response: head, cause: Odd(description: "")).userMessage == "Not found")
        #expect(RequestError(response: head).userMessage == "Not found")
        #expect(RequestError(response: nil).userMessage == "Request failed")
        #expect(RequestError(userMessage: "made up", cause: odd).userMessage == "made up")
        #expect(RequestError(cause: odd).userMessage == "odd")
        #expect(RequestError().userMessage == "Request failed")
        let wrapped = RequestError(cause: RequestError(userMessage: "inner"))
        #expect(wrapped.userMessage == "inner")
        #expect(RequestError(cause: ExchangeFailure(.dnsError, "no such host")).userMessage == "no such host")
    }

    @Test(
        "phrases have only their first letter in upper case, whatever the status (S-158)",
        arguments: [
            (404, "Not found"), (500, "Internal server error"), (507, "Insufficient storage"), (418, "Client error"),
            (599, "Server error"), (200, "Ok"), (299, "Request failed"),
            (399, "Request failed"), (499, "Client error"), (400, "Bad request"), (600, "Request failed"),
        ] as [(UInt16, String)]
    )
    func phrases(status: UInt16, expected: String) {
        #expect(RequestError(response: ResponseHead(status: status)).userMessage == expected)
        #expect(RequestError(response: ResponseHead(status: status)).httpStatusCode == Int(status))
    }

    @Test("content of an error response is its entity, with its fields, and what accessors read (S-152, S-159)")
    func entity() {
        var fields = Fields()
        fields.append(.contentType, "text/plain; charset=utf-8")
        fields.append(name: "X-Reason", value: "because")
        let error = RequestError(response: ResponseHead(status: 500, fields: fields), content: "why")
        #expect(error.text == "why" && error.entity?.header(forKey: "x-reason") == "because")
        #expect(error.entity?.charset == "utf-8" && error.entity?.timestamp == error.timestamp)
        #expect(Response.failure(error).text == "why" && Response.failure(error).entity?.charset == "utf-8")
        #expect(RequestError(response: ResponseHead(status: 500)).entity == nil)
    }

    @Test("the timestamp is that of the making (S-164)")
    func timestamp() {
        let before = Timestamp.now
        let error = RequestError(userMessage: "x")
        #expect(error.timestamp >= before && error.timestamp <= .now && error.time == nil)
    }

    @Test("only the cause makes a cancellation (S-163)")
    func cancellation() {
        #expect(ResponseInfo.cancellation().response.isCancellation)
        #expect(!Response.failure(RequestError(userMessage: "Request cancelled")).isCancellation)
        #expect(!Response.success(Entity(content: "", contentType: "a/b")).isCancellation)
    }

    @Test("what a provider reports stays as it is; failures of exchanges keep their kind (T-014, S-161)")
    func knownCauses() {
        let refused = RequestError.known(ExchangeFailure(.connectionRefused, "refused"))
        #expect((refused as? RequestError.Cause.Network)?.kind == .connectionRefused)
        #expect((refused as? RequestError.Cause.Network)?.message == "refused")
        let cancelled =
            RequestError.known(ExchangeFailure(.cancelled, "given up")) as? RequestError.Cause.RequestCancelled
        #expect((cancelled?.networkError as? ExchangeFailure)?.kind == .cancelled)
        #expect(RequestError.known(CancellationError()) is RequestError.Cause.RequestCancelled)
        #expect(RequestError.known(Odd(description: "a")) is Odd)
        let error = ResourceError(ExchangeFailure(.dnsError, "no such host"), time: MonotonicTime(nanoseconds: 7))
        let request = RequestError(error)
        #expect((request.cause as? RequestError.Cause.Network)?.kind == .dnsError)
        #expect(request.httpStatusCode == nil && request.userMessage == "no such host")
        #expect(request.time == MonotonicTime(nanoseconds: 7))
        let status = RequestError(ResourceError(status: 503, kind: nil, userMessage: "busy", time: error.time))
        #expect(status.httpStatusCode == 503 && status.cause == nil)
    }

    @Test("for a log, an error has its message, its status and the type of its cause, as far as there are any")
    func described() {
        let head = ResponseHead(status: 404, fields: Fields())
        let odd = Odd(description: "odd")
        for (error, text) in [
            (RequestError(response: head, cause: odd, userMessage: "no"), "no; status 404; cause Odd"),
            (RequestError(response: head, userMessage: "no"), "no; status 404"),
            (RequestError(userMessage: "no", cause: odd), "no; cause Odd"),
        ] {
            #expect(String(describing: error) == text)
        }
    }

    @Test("every known cause says something of itself, and none of it content (S-158)")
    func descriptions() {
        let causes: [any Error] = [
            RequestError.Cause.InvalidURL(urlSource: "http://user:SECRET@h.example:99999/"),
            RequestError.Cause.UnencodableText(encoding: .ascii, text: "SECRET"),
            RequestError.Cause.InvalidJSONObject(), RequestError.Cause.NotURLEncodable(offendingString: "SECRET"),
            RequestError.Cause.InvalidRequestMethod(method: "SECRET"), RequestError.Cause.RequestCancelled(),
            RequestError.Cause.Network(.dnsError, message: "no such host"),
            RequestError.Cause.ContentTooLarge(limit: 1),
            RequestError.Cause.NoLocalDataFor304(), RequestError.Cause.InvalidTextEncoding(encodingName: "SECRET"),
            RequestError.Cause.UndecodableText(encoding: .utf8),
            RequestError.Cause.JSONResponseIsNotDictionaryOrArray(actualType: Int.self),
            RequestError.Cause.UnparsableImage(),
            RequestError.Cause.WrongInputTypeInTranformerPipeline(
                expectedType: Int.self,
                actualType: String.self,
                transformer: "SECRET"
            ),
            RequestError.Cause.TransformerReturnedNil(transformer: "SECRET"),
        ]
        for cause in causes {
            let message = RequestError(cause: cause).userMessage
            #expect(message.contains(" ") && !message.contains("SECRET") && !message.contains("("))
        }
    }

    private struct Page: Decodable {
        struct User: Decodable { var name: String }
        var users: [User]
    }

    @Test(
        "what cannot be decoded is named by its place, without the value (S-157, S-158)",
        arguments: [
            (#"{"users": [{"name": "a"}, {"name": 7}]}"#, "Users[1].name is not of type String"),
            (#"{"users": [{"nom": "SECRET"}]}"#, #"Users[0] has no member "name""#),
            (#"{}"#, #"The content has no member "users""#), (#"{"users": [null]}"#, "Users[0] is null"),
            ("SECRET", "The content cannot be read as a whole"),
        ]
    )
    func decoding(text: String, sentence: String) throws {
        let error = try #require(throws: DecodingError.self) {
            _ = try JSONDecoder().decode(Page.self, from: Data(text.utf8))
        }
        let message = RequestError(cause: error).userMessage
        #expect(message.hasPrefix(sentence) && !message.contains("SECRET"))
        let unreadable = RequestError(unreadable: error).userMessage
        #expect(unreadable.hasPrefix("Cannot parse server response: \(sentence.prefix(1).lowercased())"))
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int?

        init(stringValue: String) { self.stringValue = stringValue }

        init(intValue: Int) {
            stringValue = "\(intValue)"
            self.intValue = intValue
        }
    }

    @Test("what cannot be encoded, and a value that is not allowed, are named by their place (S-157, S-158)")
    func encoding() {
        func encoding(_ path: [Key]) -> String {
            let context = EncodingError.Context(codingPath: path, debugDescription: "SECRET")
            return RequestError(cause: EncodingError.invalidValue("SECRET", context)).userMessage
        }
        let path = [Key(stringValue: "users"), Key(intValue: 3), Key(stringValue: "name")]
        #expect(encoding(path) == "Users[3].name cannot be encoded")
        #expect(encoding([]) == "A value of type String cannot be encoded")
        let corrupted = DecodingError.dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: "SECRET"))
        #expect(RequestError(cause: corrupted).userMessage == "Users[3].name has a value that is not allowed")
    }

    @Test("each cause says what is wrong, in words of its own (S-158)")
    func texts() {
        let texts: [(any Error, String)] = [
            (
                RequestError.Cause.UnencodableText(encoding: .isoLatin1, text: ""),
                "The text cannot be encoded as iso-8859-1"
            ),
            (RequestError.Cause.InvalidJSONObject(), "The value cannot be expressed as JSON"),
            (RequestError.Cause.NotURLEncodable(offendingString: ""), "The text cannot be sent as a form field"),
            (RequestError.Cause.InvalidRequestMethod(method: ""), "The request method is not known"),
            (RequestError.Cause.Network(.dnsError, message: "no such host"), "no such host"),
            (RequestError.Cause.ContentTooLarge(limit: 7), "The content is larger than 7 bytes, which is the limit"),
            (RequestError.Cause.ContentTooLarge(), "The content is too large"),
            (
                RequestError.Cause.NoLocalDataFor304(),
                "The server says that the data has not changed, but there is none"
            ),
            (
                RequestError.Cause.UndecodableContent(coding: "gzip", message: "it is cut"),
                "The content cannot be decoded: it is cut"
            ),
            (RequestError.Cause.InvalidTextEncoding(encodingName: ""), "The text has an unknown encoding"),
            (RequestError.Cause.UndecodableText(encoding: .isoLatin1), "The text is not valid iso-8859-1"),
            (
                RequestError.Cause.JSONResponseIsNotDictionaryOrArray(actualType: Int.self),
                "The JSON is neither object nor array"
            ),
            (RequestError.Cause.UnparsableImage(), "The content is no image"),
            (RequestError.Cause.TransformerReturnedNil(transformer: 1), "The content could not be read"),
            (
                RequestError.Cause.FileTransfer(.sending, path: "/a", reason: "it is gone"),
                "Cannot send the file /a: it is gone"
            ),
            (
                RequestError.Cause.FileTransfer(.receiving, path: "/a", reason: "it is full"),
                "Cannot download to /a: it is full"
            ),
        ]
        for (cause, text) in texts { #expect(String(describing: cause) == text) }
    }

    @Test("an invalid URL is named, without a password and not without end (S-160)")
    func invalidURLs() {
        func message(_ text: String?) -> String { RequestError.Cause.InvalidURL(urlSource: text).description }
        #expect(message("ex ample") == #"The URL "ex ample" is not valid"#)
        #expect(message("http://a:b@h.example:99999/") == #"The URL "h.example:99999/" is not valid"#)
        #expect(message(nil) == "There is no URL" && message("") == "There is no URL")
        #expect(message(String(repeating: "x", count: 1000)).utf8.count < 240)
    }

    @Test(
        "of a URL that is not valid 200 characters are shown at most, and that there may be more",
        arguments: [199, 200, 201]
    )
    func longURLs(count: Int) {
        let shown = String(repeating: "x", count: min(count, 200)) + (count < 200 ? "" : "…")
        let cause = RequestError.Cause.InvalidURL(urlSource: "u:p@" + String(repeating: "x", count: count))
        #expect(cause.description == "The URL \"\(shown)\" is not valid")
    }

    @Test("failures of the network are equal by kind and message, whatever reported them")
    func equality() {
        func network(_ kind: ExchangeFailure.Kind, _ message: String, _ cause: (any Error)? = nil) -> AnyHashable {
            AnyHashable(RequestError.Cause.Network(kind, message: message, underlying: cause))
        }
        let all = [network(.dnsError, "a"), network(.dnsError, "b"), network(.connectionRefused, "a")]
        #expect(all[0] == network(.dnsError, "a", Odd(description: "odd")))
        #expect(Set(all).count == 3 && Set(all.map { $0.hashValue }).count == 3)
    }

    @Test("a cancellation says why if it was the service that went (S-161)")
    func cancellations() {
        #expect(RequestError.Cause.RequestCancelled(Odd(description: "odd")).description == "Request cancelled")
        let dropped = RequestError.Cause.RequestCancelled(RequestError.Cause.ServiceDropped())
        #expect(dropped.description.hasPrefix("Request cancelled: its service was dropped"))
    }

    @Test("the types that do not fit are both named (S-162)")
    func wrongTypes() {
        let cause = RequestError.Cause.WrongInputTypeInTranformerPipeline(
            expectedType: Int.self,
            actualType: String.self,
            transformer: "x"
        )
        #expect(cause.description == "The content is of type String, but Int is needed")
    }

    @Test("texts for programs name no setting of the daemon, but the option of the client (S-158)")
    func options() {
        let failure = ExchangeFailure(.responseTimeout, "no answer in time; see upstream.first-byte-timeout")
        #expect(RequestError(cause: failure).userMessage == "no answer in time; see limits.firstByteTimeout")
        let known = RequestError.known(failure) as? RequestError.Cause.Network
        #expect(known?.message == "no answer in time; see limits.firstByteTimeout")
        #expect((known?.underlying as? ExchangeFailure)?.kind == .responseTimeout)
        let head = "The field section is larger than 7 bytes (setting limits.header-section)."
        #expect(ProgramTexts.text(head).contains("option limits.parser.headerSection"))
    }

    @Test("a failed load is shown to clients with its status, or as an error of ours")
    func latestFailure() {
        let world = ProgramWorld()
        let resource = world.resource()
        for status in [400, 503] as [UInt16] {
            resource.load()
            world.answer(status)
            #expect(resource.latestFailure?.status == status && resource.latestFailure?.kind == nil)
        }
        resource.load()
        world.networking.last.complete(NetworkingResult(error: Odd(description: "odd")))
        world.runUntilIdle()
        #expect(resource.latestFailure?.status == 502 && resource.latestFailure?.kind == .internalError)
        resource.load()
        world.networking.last.complete(NetworkingResult(error: ExchangeFailure(.connectionTimeout, "late")))
        world.runUntilIdle()
        #expect(resource.latestFailure?.kind == .connectionTimeout)
        #expect(resource.latestFailure?.status == ExchangeFailure(.connectionTimeout, "").status)
    }

    @Test(
        "a response that breaks off is shown with what broke it, and with no status of success",
        arguments: [200, 399, 400, 503] as [UInt16]
    )
    func brokenOff(status: UInt16) {
        let world = ProgramWorld()
        let resource = world.resource()
        resource.load()
        let cut = ExchangeFailure(.responseIncomplete, "cut")
        world.networking.last.complete(NetworkingResult(head: ResponseHead(status: status), content: [1], error: cut))
        world.runUntilIdle()
        #expect(resource.latestError?.httpStatusCode == Int(status))
        #expect(resource.latestFailure?.kind == .responseIncomplete)
        #expect(resource.latestFailure?.status == (status < 400 ? 502 : status))
    }

    @Test("every request of what is no URL has failed before anything is sent (S-117, S-012)")
    func invalidURL() {
        let world = ProgramWorld { _ in .answer() }
        let resource = world.service.resource(absoluteURL: "http://origin.example:99999/")
        let request = resource.request(.post, text: "x")
        let cause = request.result?.response.error?.cause as? RequestError.Cause.InvalidURL
        #expect(cause?.urlSource == "http://origin.example:99999/" && request.state == .completed)
        #expect(world.networking.exchanges.isEmpty)
    }

    @Test("an absent link is no resource (T-240, S-011, S-030)")
    func absentLink() {
        #expect(ProgramWorld().resource().optionalRelative(nil) == nil)
    }
}
