// Nothing is imported here.

/// The bytes of one file that a cache must have.
///
/// Where it is not known what a cache keeps, it need not have the byte.
struct ReferenceHeld {
    private(set) var file: ReferenceFile?
    private var bytes: [Bool] = []
    /// The same in the store, where a later part replaces those that it overlaps.
    private var rows: [(range: Range<Int>, begin: Int)] = []
    /// What loads have begun to bring.
    private var coming: [(range: Range<Int>, begin: Int)] = []
    /// All of it is fresh up to this time.
    private var freshUntil = 0

    var isEmpty: Bool { !bytes.contains(true) }
    func isFresh(at time: Int) -> Bool { time < freshUntil }

    /// The first byte of these ranges that it must have.
    func first(in ranges: [Range<Int>]) -> Int? {
        for range in ranges { if let byte = range.first(where: { $0 < bytes.count && bytes[$0] }) { return byte } }
        return nil
    }

    // MARK: What happens

    /// - Parameters:
    ///   - begin: when its exchange began.
    ///   - until: how long it is fresh.
    mutating func hold(whole file: ReferenceFile, _ begin: Int, until: Int) {
        self.file = file
        bytes = [Bool](repeating: true, count: file.bytes.count)
        rows = [(0..<file.bytes.count, begin)]
        freshUntil = until
    }

    mutating func hold(_ range: Range<Int>, of file: ReferenceFile, _ begin: Int, until: Int) {
        guard file.isStrong, self.file.map({ $0.number == file.number }) ?? true else { return }
        // A part that was asked for earlier replaces no byte; what is left of it need not be kept.
        let isLast = !coming.contains { $0.begin > begin }
        let all = coming.filter { $0.begin == begin }.map(\.range) + [range]
        let others = coming.filter { $0.begin != begin }
        if !isLast, others.contains(where: { other in all.contains { $0.overlaps(other.range) } }) { return }
        // Nor does a part replace the whole, which may be there if loads that were cut brought the rest.
        if bytes.contains(true), !bytes.contains(false) { return }
        if self.file == nil {
            self.file = file
            bytes = [Bool](repeating: false, count: file.bytes.count)
        }
        let isMaybeWhole = bytes.indices.allSatisfy { bytes[$0] || others.contains(byte: $0) }
        for index in range { bytes[index] = true }
        rows.removeAll { $0.range.overlaps(range) }
        if !isMaybeWhole { rows.append((range, begin)) }
        freshUntil = max(freshUntil, until)
    }

    /// A load has begun to bring these bytes: if it is cut, the first of them may replace rows.
    mutating func brings(_ range: Range<Int>, _ begin: Int) {
        coming.append((range, begin))
        rows.removeAll { $0.range.overlaps(range) }
    }

    mutating func expire() { freshUntil = 0 }

    /// Memory has lost all; the store still has its rows.
    mutating func readAgain() {
        guard file != nil else { return }
        bytes = [Bool](repeating: false, count: bytes.count)
        for row in rows { for index in row.range { bytes[index] = true } }
    }

    /// Nothing is known any more.
    mutating func forget() {
        let coming = coming
        self = ReferenceHeld()
        self.coming = coming
    }
}

extension [(range: Range<Int>, begin: Int)] {
    fileprivate func contains(byte: Int) -> Bool { contains { $0.range.contains(byte) } }
}
