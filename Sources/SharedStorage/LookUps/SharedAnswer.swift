import HTTPCore
import ResourceCore
import Stores

/// A response of the shared server that answers a load.
struct SharedAnswer: Sendable {
    var response: StoredRecord
    /// Its age in seconds.
    var age: Int64
    var content: [UInt8]
    /// The latest purge that the node which stored it knew when its load began.
    var seen: PurgeID

    init(_ record: SharedRecord, age: Int64, content: [UInt8]) {
        (response, seen) = (record.response, record.storing.seen)
        (self.age, self.content) = (age, content)
    }

    /// The head as a cache sends it: with its age (RFC 9111 §5.1).
    var head: ResponseHead {
        var fields = response.fields
        fields.set(.age, "\(age)")
        // A 204 must not have one, and a 304 needs none (RFC 9110 §8.6).
        if hasNoContent { fields.remove(.contentLength) } else { fields.set(.contentLength, "\(content.count)") }
        var head = ResponseHead(
            status: response.status,
            fields: fields,
            framing: hasNoContent ? .none : .length(Int64(content.count))
        )
        head.reason = response.reason
        head.contentLength = hasNoContent ? nil : Int64(content.count)
        return head
    }

    private var hasNoContent: Bool { response.status == 204 || response.status == 304 }
}
