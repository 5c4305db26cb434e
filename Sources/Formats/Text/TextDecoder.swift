/// Turns the bytes of one encoding into UTF-8, piece by piece.
package protocol TextDecoder: AnyObject {
    /// Takes bytes of `input` from `position` on, which moves, until they or the room are used up.
    func decode(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int
    ) throws(UndecodableByte)

    /// Nothing follows.
    func finish(into output: inout [UInt8]) throws(UndecodableByte)
}

/// Where bytes are no character of their encoding.
package struct UndecodableByte: Error, Equatable {
    /// Counted from the first byte the decoder got, which is 0.
    package var position: Int
}
