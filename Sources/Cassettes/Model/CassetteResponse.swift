/// A recorded response.
public struct CassetteResponse: Sendable, Equatable {
    public var status: UInt16
    public var reason: String
    /// The end-to-end fields.
    public var fields: [CassetteField]
    /// The content, in its content coding.
    public var content: [UInt8]
    /// The fields behind chunked content.
    public var trailers: [CassetteField]
    /// How the content of a stream came; empty for other content.
    public var pieces: [CassettePiece]

    public init(
        status: UInt16,
        reason: String = "",
        fields: [CassetteField] = [],
        content: [UInt8] = [],
        trailers: [CassetteField] = [],
        pieces: [CassettePiece] = []
    ) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.content = content
        self.trailers = trailers
        self.pieces = pieces
    }
}

/// A piece of a stream's content, as it came.
public struct CassettePiece: Sendable, Equatable {
    /// How many bytes of the content it has.
    public var count: Int
    /// When it came, in milliseconds behind the head.
    public var time: Double

    public init(count: Int, time: Double) {
        self.count = count
        self.time = time
    }
}
