/// Keys that only a check uses, all in one slot.
struct CheckKeys: Sendable {
    private let base: [UInt8]

    /// After so many milliseconds the server drops what a check has stored and could not delete.
    static let time = "10000"
    /// The most names to try until one is in a fitting slot.
    private static let attempts = 200_000

    init(_ name: String = "check-\(ResourceIndex.randomDigits())") { base = Array("respite:{\(name)}".utf8) }

    /// Keys in a slot that `isFitting` accepts; nil if none of `attempts` names is in such a slot.
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
