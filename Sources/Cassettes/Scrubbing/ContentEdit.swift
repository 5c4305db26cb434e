/// A change of a part of content.
struct ContentEdit: Equatable {
    var range: Range<Int>
    var replacement: [UInt8]

    /// Makes changes, which are in ascending order and do not overlap.
    ///
    /// It adapts the pieces of a stream: one that ends inside a changed part then ends behind that part.
    static func apply(_ edits: [ContentEdit], to content: inout [UInt8], _ pieces: inout [CassettePiece]) {
        guard !edits.isEmpty else { return }
        adapt(&pieces, to: edits)
        var output: [UInt8] = []
        var done = 0
        for edit in edits {
            output += content[done..<edit.range.lowerBound]
            output += edit.replacement
            done = edit.range.upperBound
        }
        content = output + content[done...]
    }

    private static func adapt(_ pieces: inout [CassettePiece], to edits: [ContentEdit]) {
        // `sum` is where a piece ended, `last` where the one before it ends now.
        var (sum, last, growth) = (0, 0, 0)
        var rest = edits[...]
        for index in pieces.indices {
            sum += pieces[index].count
            var end = max(sum, last - growth)
            while let edit = rest.first, edit.range.lowerBound < end {
                growth += edit.replacement.count - edit.range.count
                // What is behind the piece's end belongs to the part that has changed.
                end = max(end, edit.range.upperBound)
                rest.removeFirst()
            }
            pieces[index].count = max(0, end + growth - last)
            last = max(last, end + growth)
        }
    }
}
