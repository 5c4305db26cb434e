/// What a Redis server replies to one command.
public indirect enum RedisReply: Sendable, Equatable {
    /// A string or a status.
    case text([UInt8])
    case number(Int64)
    case nothing
    case list([RedisReply])
    case failure(RedisError)

    public static func text(_ text: String) -> RedisReply { .text(Array(text.utf8)) }

    /// The bytes of a string or status; nil for all else.
    public var bytes: [UInt8]? { if case .text(let bytes) = self { bytes } else { nil } }
    /// A string or status that people can read.
    public var string: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
    public var number: Int64? { if case .number(let number) = self { number } else { nil } }
    public var list: [RedisReply]? { if case .list(let list) = self { list } else { nil } }
    public var failure: RedisError? { if case .failure(let failure) = self { failure } else { nil } }
    public var isNothing: Bool { self == .nothing }
}
