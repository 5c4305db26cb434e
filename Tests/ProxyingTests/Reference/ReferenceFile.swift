// Nothing is imported here.

/// A file as the origin had it at one time, with what the origin says about it.
struct ReferenceFile {
    /// Counts the states of one URL, from 0.
    let number: Int
    let bytes: [UInt8]
    let tag: String?
    let modified: String?
    let digest: String?

    var isStrong: Bool { tag.map { !$0.hasPrefix("W/") } ?? false }

    /// Whether a client that has this tag in If-Range means this file.
    func matchesStrongly(_ other: String) -> Bool { isStrong && tag == other }

    /// The same by the comparison of If-None-Match, in which W/ does not count (RFC 9110 §13.1.2).
    func matchesWeakly(_ other: String) -> Bool { tag.map { $0.opaque == other.opaque } ?? false }

    /// Whether a 304 about `other` is also about this file: nobody can tell them apart by their validators.
    func isValidated(by other: ReferenceFile) -> Bool {
        if let tag { return tag == other.tag }
        return other.tag == nil && modified != nil && modified == other.modified
    }

    /// Whether the origin contradicts itself: the same strong tag for other bytes.
    func contradicts(_ other: ReferenceFile) -> Bool { isStrong && tag == other.tag && number != other.number }

    /// Bytes that are unlike those of every other file at the same place, and of this one at other places.
    static func content(_ seed: Int, count: Int) -> [UInt8] {
        var state = UInt32(truncatingIfNeeded: seed &* 2_654_435_769 &+ 1)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            for index in 0..<count {
                state = state &* 1_664_525 &+ 1_013_904_223
                buffer[index] = UInt8(truncatingIfNeeded: state >> 24)
            }
            filled = count
        }
    }
}

/// A response as its client has read it.
struct ReferenceReply {
    /// A section of the content: bytes of the file, from `start` on.
    struct Section {
        let start: Int
        /// The end by its Content-Range.
        let end: Int
        let bytes: [UInt8]
    }

    var status = 0
    /// The file that the response says it is of.
    var number: Int?
    var tag: String?
    var modified: String?
    var digest: String?
    /// The exchange whose response it is, if the origin lied there.
    var lie: Int?
    /// The length of the file as the response has it.
    var total: Int?
    var sections: [Section] = []
    /// Whether the content ended before its end.
    var isCut = false
}

/// A request of a client.
struct ReferenceRequest {
    let number: Int
    /// The place in the order of events, and the time in milliseconds.
    let order: Int
    let time: Int
    var isHead = false
    var range: String?
    var ifRange: String?
    var ifNoneMatch: String?
    var isReload = false

    /// Whether nothing but a Range is special about it.
    var isPlain: Bool { !isHead && !isReload && ifRange == nil && ifNoneMatch == nil }
}

extension String {
    /// A tag without W/.
    fileprivate var opaque: Substring { drop { $0 != "\"" } }
}
