import HTTPCore

/// Which content a store compresses; whatever it is, it must become at least a fifth smaller.
///
/// Only content in the table is compressed, which has at most 64 KiB. A body file goes to clients by `sendfile` as it
/// is.
public enum StoreCompression: Sendable, Equatable {
    /// Text from 4 to 64 KiB without a content coding: one page of the database is the least that can be saved.
    case auto
    /// All content in the table, whatever its type.
    case all
    case off

    /// The least text that `auto` compresses: below, rows share pages, and most of the time goes into each frame's
    /// start.
    static let leastText: Int64 = 4096

    /// Whether content with these fields is worth a try.
    func mayGain(_ fields: Fields, count: Int64) -> Bool {
        switch self {
        case .off: false
        case .all: count > 0
        case .auto: count >= Self.leastText && !Self.isCoded(fields) && TextualTypes.type(of: fields) != nil
        }
    }

    private static func isCoded(_ fields: Fields) -> Bool {
        fields.contains(.contentEncoding)
            && ListMembers.members(of: .contentEncoding, in: fields).contains { !Token.matches($0.span, "identity") }
    }
}
