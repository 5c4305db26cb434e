/// An optional number of seconds up to `DeltaSeconds.limit`, in four bytes: each stored response has several of these.
struct CompactSeconds: Sendable, Equatable {
    private var number = UInt32.max

    init() {}

    init(_ seconds: Int64?) { if let seconds { number = UInt32(DeltaSeconds.clamped(seconds)) } }

    var value: Int64? { number == .max ? nil : Int64(number) }
}
