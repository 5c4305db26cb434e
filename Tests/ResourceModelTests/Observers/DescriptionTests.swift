import Exchanges
import ResourceCore
import ResourceModel
import Testing

@Suite("What programs print")
struct DescriptionTests {
    @Test(
        "an event prints as its name, with the source of new data (S-208)",
        arguments: [
            (.observerAdded, "observerAdded"), (.requested, "requested"), (.requestCancelled, "requestCancelled"),
            (.newData(.network), "newData(network)"), (.newData(.localOverride), "newData(localOverride)"),
            (.notModified, "notModified"), (.error, "error"),
        ] as [(ResourceEvent, String)]
    )
    func events(event: ResourceEvent, text: String) {
        #expect("\(event)" == text)
        if case .newData(let source) = event { #expect(text == "newData(\(source))") }
    }

    @Test("a response prints as type and novelty, never as content; a failure as its reason (S-125)")
    func responses() {
        let entity = Entity<any Sendable>(content: "secret", contentType: "application/json")
        let confirmed = ResponseInfo(response: .success(entity), isNew: false)
        #expect("\(ResponseInfo(response: .success(entity)))" == "success: application/json, new")
        #expect("\(confirmed)" == "success: application/json, not modified")
        let failure = Response.failure(RequestError(userMessage: "closed"))
        #expect("\(ResponseInfo(response: failure))" == "\(failure)")
    }
}
