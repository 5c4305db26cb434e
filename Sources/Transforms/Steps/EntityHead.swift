public import HTTPCore

/// The part of a response that a transformer sees before the content, and may change.
public struct EntityHead: Sendable, Equatable {
    public var status: UInt16
    /// The end-to-end fields.
    ///
    /// Fields that frame the content (Content-Length) belong to the driver.
    public var fields: Fields

    public init(status: UInt16, fields: Fields) {
        self.status = status
        self.fields = fields
    }
}

extension EntityHead {
    /// Whether the content type is `text/event-stream`.
    var isEventStream: Bool {
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        return type?.essence == Array("text/event-stream".utf8)
    }
}
