import HTTPCore

/// Writes the parts of a line into room that is reserved for all of them at once.
///
/// A line has some thirty parts. To check the array's capacity and uniqueness for each took most of the time of a line.
@safe
struct LineWriter: ~Copyable {
    private let start: UnsafeMutableRawPointer
    private let room: Int
    /// The bytes written.
    fileprivate var count = 0

    fileprivate init(_ start: UnsafeMutableRawPointer, room: Int) {
        unsafe self.start = unsafe start
        self.room = room
    }

    @inline(__always)
    private mutating func append(_ bytes: UnsafeRawPointer, _ length: Int) {
        precondition(length <= room - count)
        unsafe (start + count).copyMemory(from: bytes, byteCount: length)
        count += length
    }

    /// Appends the text of a literal.
    @inline(__always)
    mutating func append(_ text: StaticString) { unsafe append(text.utf8Start, text.utf8CodeUnitCount) }

    @inline(__always)
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe append(base, bytes.count)
        }
    }

    /// Appends a number with at least so many digits, at most 20.
    @inline(__always)
    mutating func append(_ number: UInt64, digits least: Int = 1) {
        var digits = 1
        var limit: UInt64 = 10
        while digits < 20, number >= limit {
            digits += 1
            let (next, isTooLarge) = limit.multipliedReportingOverflow(by: 10)
            if isTooLarge { break }
            limit = next
        }
        digits = max(digits, least)
        precondition(digits <= room - count)
        var rest = number
        var index = digits
        while index > 0 {
            index -= 1
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
            unsafe start.storeBytes(
                of: 0x30 + UInt8(truncatingIfNeeded: remainder),
                toByteOffset: count + index,
                as: UInt8.self
            )
            rest = quotient
        }
        count += digits
    }
}

extension [UInt8] {
    /// Appends what `body` writes, at most `room` bytes.
    @inline(__always)
    mutating func append(room: Int, _ body: (inout LineWriter) -> Void) {
        append(addingCapacity: room) { span in
            unsafe span.withUnsafeMutableBufferPointer { bytes, count in
                guard let base = bytes.baseAddress else { return }
                var writer = unsafe LineWriter(base + count, room: room)
                body(&writer)
                count += writer.count
            }
        }
    }
}
