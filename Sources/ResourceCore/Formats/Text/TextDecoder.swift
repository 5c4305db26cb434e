/// Turns the octets of one encoding into UTF-8, piece by piece.
package protocol TextDecoder: AnyObject {
    /// Takes octets of `input` from `position` on, which moves, until they or the room are used up.
    func decode(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int
    ) throws(UndecodableOctet)

    /// Nothing follows.
    func finish(into output: inout [UInt8]) throws(UndecodableOctet)
}

/// Where octets are no character of their encoding.
package struct UndecodableOctet: Error, Equatable {
    /// Counted from the first octet the decoder got, which is 0.
    package var position: Int
}
