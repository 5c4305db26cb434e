/// The position of a listing, which goes through memory first, then through the store.
enum ListingCursor: Sendable, Equatable {
    /// After the resource with this number.
    case memory(UInt64)
    /// After this entry of the store; `listed` is the last resource in memory that was visited.
    case store(Int64, listed: UInt64)

    /// Reads the text of a cursor; nil is the start.
    init(_ text: String?) throws(AdminRefusal) {
        guard let text else {
            self = .memory(0)
            return
        }
        let parts = text.dropFirst().split(separator: "-", omittingEmptySubsequences: false)
        switch (text.first, parts.count) {
        case ("m", 1):
            guard let id = UInt64(parts[0], radix: 36) else { throw Self.invalid }
            self = .memory(id)
        case ("s", 2):
            guard let entry = Int64(parts[0], radix: 36), let id = UInt64(parts[1], radix: 36), entry >= 0 else {
                throw Self.invalid
            }
            self = .store(entry, listed: id)
        default: throw Self.invalid
        }
    }

    static var invalid: AdminRefusal {
        AdminRefusal(400, "`cursor` must be the `next` of an earlier page")
    }

    var text: String {
        switch self {
        case .memory(let id): "m" + String(id, radix: 36)
        case .store(let entry, let listed): "s" + String(entry, radix: 36) + "-" + String(listed, radix: 36)
        }
    }
}
