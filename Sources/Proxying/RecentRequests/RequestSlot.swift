import HTTPCore
import HTTPServer
import ResourceCore

/// One place in a ring, bound to the ring's loop.
struct RequestSlot {
    var request = RecordedRequest()
    /// What a usual hit has not; its details are made when somebody reads.
    var notes: RequestNotes?

    /// The request as others may read it.
    var recorded: RecordedRequest {
        guard let notes else { return request }
        var request = request
        request.details = notes.details
        return request
    }

    /// Puts a hit in this place.
    @inline(__always)
    mutating func fill(_ hit: RecordedRequest.Hit, _ stored: StoredResponse, _ notes: RequestNotes?) {
        if notes != nil || self.notes != nil { self.notes = notes }
        request.fill(hit, stored)
    }

    /// Puts an exchange that has ended in this place.
    mutating func fill(_ exchange: ServerExchange, _ ended: RequestNotes, id: UInt64, at now: MonotonicTime) {
        notes = ended
        request.fill(exchange, ended, id: id, at: now)
    }
}
