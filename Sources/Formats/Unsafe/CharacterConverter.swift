import LibC

/// Owns one iconv converter, from one encoding to UTF-8.
@safe
package final class CharacterConverter {
    /// Why a step ended.
    enum Outcome: Equatable {
        /// All input is converted.
        case done
        /// The next character does not fit into the room.
        case needsRoom
        /// The rest of the input is an incomplete character.
        case incomplete
        /// The bytes at the position are not a character of the encoding.
        case invalid
    }

    /// The most bytes that one step outputs.
    private static let stepRoom = 65_536

    private let descriptor: iconv_t

    /// Opens a converter; nil if the system has none for this encoding.
    ///
    /// - Parameter encoding: a name of our own table, never a name from a peer, since iconv reads options out of names.
    package init?(_ encoding: String) {
        guard let descriptor = unsafe iconv_open("UTF-8", encoding), unsafe descriptor != iconv_t(bitPattern: -1) else {
            return nil
        }
        unsafe self.descriptor = descriptor
    }

    deinit { unsafe _ = iconv_close(descriptor) }

    /// Converts `input` from `position` on and moves `position` past it.
    ///
    /// Appends at most `room` bytes, or 16 if that is more.
    func convert(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int
    ) -> Outcome {
        let space = max(16, min(room, Self.stepRoom))
        var outcome = Outcome.done
        var left = input.count - position
        let start = position
        output.append(addingCapacity: space) { span in
            unsafe span.withUnsafeMutableBufferPointer { bytes, count in
                unsafe input.withUnsafeBytes { raw in
                    // iconv does not write to its input; its interface predates `const`.
                    var next = unsafe raw.baseAddress.map {
                        unsafe UnsafeMutablePointer(mutating: ($0 + start).assumingMemoryBound(to: CChar.self))
                    }
                    var free = unsafe bytes.baseAddress.map {
                        unsafe UnsafeMutableRawPointer($0 + count).assumingMemoryBound(to: CChar.self)
                    }
                    var freeCount = space
                    if unsafe iconv(descriptor, &next, &left, &free, &freeCount) == Int(bitPattern: UInt.max) {
                        outcome = Self.outcome(errno)
                    }
                    count += space - freeCount
                }
            }
        }
        position = input.count - left
        return outcome
    }

    /// Appends the bytes that the converter holds back until the end.
    func finish(into output: inout [UInt8]) {
        output.append(addingCapacity: 64) { span in
            unsafe span.withUnsafeMutableBufferPointer { bytes, count in
                var free = unsafe bytes.baseAddress.map {
                    unsafe UnsafeMutableRawPointer($0 + count).assumingMemoryBound(to: CChar.self)
                }
                var freeCount = 64
                unsafe _ = iconv(descriptor, nil, nil, &free, &freeCount)
                count += 64 - freeCount
            }
        }
    }

    private static func outcome(_ code: Int32) -> Outcome {
        switch code {
        case E2BIG: .needsRoom
        case EINVAL: .incomplete
        default: .invalid
        }
    }
}
