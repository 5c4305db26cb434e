/// Keys of a check's own, in one slot: no node uses them.
struct CheckKeys: Sendable {
    private let base: [UInt8]

    /// How long what a check stores is there if it cannot be deleted, in milliseconds.
    static let time = "10000"
    /// So many names are tried to find one in a slot.
    private static let attempts = 200_000

    init(_ name: String = "check-\(ResourceIndex.randomDigits())") { base = Array("respite:{\(name)}".utf8) }

    /// Keys in a slot of which `isFitting` says that it fits; nil: there is none, or it is hard to find.
    init?(where isFitting: (UInt16) -> Bool) {
        let digits = ResourceIndex.randomDigits()
        for number in 0..<Self.attempts {
            let keys = CheckKeys("check-\(digits)-\(number)")
            if isFitting(KeySlot.slot(of: keys.base)) {
                self = keys
                return
            }
        }
        return nil
    }

    var index: [UInt8] { base }
    var value: [UInt8] { base + Array(":value".utf8) }
    var record: [UInt8] { base + Array(":record".utf8) }
    var lease: [UInt8] { base + Array(":lease".utf8) }
    var stream: [UInt8] { base + Array(":purges".utf8) }
    var channel: [UInt8] { base + Array(":channel".utf8) }
}
