import Exchanges
import HTTPCore
import ResourceCore

/// A POST whose response is stored if it is a representation of the target (RFC 9110 §9.3.3).
struct PostedRequest {
    let resource: Resource
    /// The request's fields for the origin.
    let fields: Fields
    /// The resource's count of changes when the request was sent.
    private let changeCount: UInt64
    /// Stores the response.
    private var content: PostedContent?

    init(_ resource: Resource, _ fields: Fields) {
        self.resource = resource
        self.fields = fields
        changeCount = resource.changeCount
    }

    var isStoring: Bool { content != nil }

    /// Passes the response to the resource, which stores it if it may be stored.
    mutating func begin(_ head: ResponseHead, for request: ClientRequest, _ marks: PendingMarks) {
        let marked = marks.begin()
        content = resource.acceptPost(head, for: request, sentAt: changeCount, marked: marked)
        if content == nil { marked(true) }
    }

    func append(_ chunk: ByteChunk) { content?.append(chunk) }

    mutating func finish(trailers: Fields?) {
        content?.finish(trailers: trailers)
        content = nil
    }

    /// Drops the content: the response will not be complete.
    mutating func cancel() { content = nil }
}
