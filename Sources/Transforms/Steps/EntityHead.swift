public import HTTPCore

/// What a transformer sees of a response before its content, and may change.
public struct EntityHead: Sendable, Equatable {
    public var status: UInt16
    /// End-to-end fields; what frames the content (Content-Length) is the driver's to write.
    public var fields: Fields

    public init(status: UInt16, fields: Fields) {
        self.status = status
        self.fields = fields
    }
}

extension EntityHead {
    /// `text/event-stream`.
    var isEventStream: Bool {
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        return type?.essence == Array("text/event-stream".utf8)
    }
}
