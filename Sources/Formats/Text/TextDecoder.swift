/// Converts text from one encoding to UTF-8, piece by piece.
package protocol TextDecoder: AnyObject {
    /// Converts bytes of `input` from `position` on, until `input` or `room` is used up. Moves `position` past them.
    func decode(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int
    ) throws(UndecodableByte)

    /// Ends the text.
    func finish(into output: inout [UInt8]) throws(UndecodableByte)
}

/// The position at which bytes are not a character of their encoding.
package struct UndecodableByte: Error, Equatable {
    /// Counted from the first byte given to the decoder, which is 0.
    package var position: Int
}
