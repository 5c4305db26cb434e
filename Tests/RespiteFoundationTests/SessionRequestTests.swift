import Exchanges
import Foundation
import HTTPCore
import ResourceCore
import TestSupport
import Testing

@testable import ResourceModel
@testable import RespiteFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Requests and errors of URL sessions")
struct SessionRequestTests {
    // MARK: Requests

    @Test("a session gets all fields of a request, and neither cache nor cookies (S-007)")
    func native() throws {
        var request = HTTPRequest(method: .put, url: try TargetURI(parsing: "http://h.example/a?b"), body: [1, 2])
        for value in ["1", "2"] { request.fields.append(name: "X-A", value: value) }
        let native = try URLRequest(request)
        #expect(native.url?.absoluteString == "http://h.example/a?b" && native.httpMethod == "PUT")
        #expect(native.cachePolicy == .reloadIgnoringLocalCacheData && !native.httpShouldHandleCookies)
        let values = native.value(forHTTPHeaderField: "X-A")?.split(separator: ",")
        #expect(values?.map { $0.filter { $0 != " " } } == ["1", "2"])
        #expect(native.httpBody == Data([1, 2]))
        #expect(try URLRequest(HTTPRequest(method: .get, url: request.url)).httpBody == nil)
    }

    @Test("a URL that the session would change is an error that names it, and nothing is sent (S-012)")
    func unfitting() async {
        let origin = AnsweringOrigin { _ in .init(200) }
        let url = origin.url + "/%zz"
        let service = Service(baseURL: origin.url, networking: URLSessionNetworking())
        let error = await service.resource(absoluteURL: url).load().outcome.response.error
        #expect((error?.cause as? RequestError.Cause.InvalidURL)?.urlSource == url)
        #expect(origin.requests.isEmpty)
    }

    @Test("a session of the program's gives its configuration to the requests of a service (S-149)")
    func ownSession() async throws {
        let origin = AnsweringOrigin { _ in .init(200, [("Content-Type", "text/plain")], "x") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Own": "1"]
        let service = Service(baseURL: origin.url, networking: URLSession(configuration: configuration))
        #expect(try await service.resource("a").load().entity.text == "x")
        #expect(origin.requests.map { $0.fields["x-own"] } == ["1"])
    }

    @Test("a moment and a URL of Foundation's are those of the model, without a fragment")
    func values() throws {
        let date = Date(timeIntervalSince1970: 1.5)
        #expect(Timestamp(date) == Timestamp(seconds: 1.5) && Timestamp(date).asDate == date)
        let url = try #require(URL(string: "http://h.example/a#f"))
        #expect(TargetURI(url)?.text == "http://h.example/a" && url.urlText == "http://h.example/a#f")
        let other = try #require(URL(string: "ftp://h.example/"))
        #expect(TargetURI(other) == nil)
        let resource = Service(networking: URLSessionNetworking()).resource(absoluteURL: url)
        #expect(resource.foundationURL?.absoluteString == "http://h.example/a")
    }

    // MARK: Errors

    @Test("each failure of a session has its kind, with the session's own error beneath (S-161)")
    func kinds() throws {
        FoundationErrors.register()
        let kinds: [(URLError.Code, ExchangeFailure.Kind)] = [
            (.cannotFindHost, .dnsError), (.dnsLookupFailed, .dnsError), (.cannotConnectToHost, .connectionRefused),
            (.notConnectedToInternet, .destinationUnroutable), (.timedOut, .connectionTimeout),
            (.networkConnectionLost, .connectionTerminated), (.secureConnectionFailed, .tlsProtocolError),
            (.serverCertificateHasBadDate, .tlsCertificateError),
            (.serverCertificateUntrusted, .tlsCertificateError),
            (.serverCertificateHasUnknownRoot, .tlsCertificateError),
            (.serverCertificateNotYetValid, .tlsCertificateError),
            (.clientCertificateRejected, .tlsCertificateError), (.clientCertificateRequired, .tlsCertificateError),
            (.unsupportedURL, .notSupported), (.badURL, .notSupported), (.badServerResponse, .protocolError),
            (.cannotParseResponse, .protocolError), (.cannotDecodeRawData, .protocolError),
            (.cannotDecodeContentData, .protocolError), (.unknown, .internalError),
        ]
        for (code, kind) in kinds {
            let error = URLError(code)
            let cause = try #require(RequestError.known(error) as? RequestError.Cause.Network)
            #expect(cause.kind == kind, "\(code)")
            #expect((cause.underlying as? URLError)?.code == code)
            // What the platform says, without the blanks and stops around it.
            var said = Substring(error.localizedDescription)
            while let last = said.last, ". ".contains(last) { said.removeLast() }
            while let first = said.first, ". ".contains(first) { said.removeFirst() }
            #expect(cause.message == String(said))
        }
    }

    @Test("a task that was cancelled is a cancelled request; other errors of the platform stay as they are (S-163)")
    func others() {
        FoundationErrors.register()
        let cancelled = RequestError.known(URLError(.cancelled)) as? RequestError.Cause.RequestCancelled
        #expect(cancelled?.networkError is URLError)
        #expect(RequestError.known(CocoaError(.fileNoSuchFile)) is CocoaError)
    }
}
