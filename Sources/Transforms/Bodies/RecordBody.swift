/// The complete content of a stored response.
public enum RecordBody: Sendable {
    /// In memory, in an array of its own.
    case bytes([UInt8])
    /// In a file of the store. Indirect, since each stored response has room for one of these.
    indirect case file(any BodyFile)

    public var count: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let file): file.count
        }
    }
}
