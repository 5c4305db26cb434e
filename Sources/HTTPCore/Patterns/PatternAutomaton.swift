/// The places between the pieces of a pattern, one bit each, so that all that a text can have reached moves on at once.
///
/// Place `n` is reached when `n` pieces are done with. A text of `t` bytes costs `t` steps for each 64 pieces, whatever the
/// pieces and the text are: no pattern holds up a loop.
struct PatternPlaces: Sendable {
    /// 64 places.
    fileprivate struct Word: Sendable {
        /// Places before pieces that may stand for nothing: who reaches one has reached the next.
        var skippable: UInt64 = 0
        /// Before `anything`: any byte leads back to the place.
        var anything: UInt64 = 0
        /// Before `withinPart`: any byte but a delimiter does.
        var withinPart: UInt64 = 0
        /// Before `parts`: any byte leads to the place alone, not to the one behind.
        var parts: UInt64 = 0
    }

    private let words: [Word]
    /// For each byte the number of its class; bytes that no piece tells apart are of one class.
    private let classes: [UInt8]
    /// For each class and, in it, each word: the places from which a byte of the class leads to the next.
    private let steps: [UInt64]
    /// By class.
    private let isDelimiter: [Bool]
    /// The place behind the last piece.
    private let end: Int

    /// Of a pattern without pieces.
    static let none = PatternPlaces([], delimiters: [])

    init(_ pieces: ArraySlice<BytePattern.Piece>, delimiters: [UInt8]) {
        let count = pieces.count / 64 + 1
        var words = [Word](repeating: Word(), count: count)
        // Bytes that are named; the class behind theirs is that of all others.
        var named = Set(delimiters)
        for piece in pieces {
            switch piece {
            case .byte(let byte), .parts(let byte): named.insert(byte)
            case .one, .withinPart, .anything: break
            }
        }
        let bytes = named.sorted()
        var classes = [UInt8](repeating: UInt8(clamping: bytes.count), count: 256)
        for (index, byte) in bytes.enumerated() { classes[Int(byte)] = UInt8(clamping: index) }
        var isDelimiter = [Bool](repeating: false, count: bytes.count + 1)
        for delimiter in delimiters { isDelimiter[Int(classes[Int(delimiter)])] = true }
        var steps = [UInt64](repeating: 0, count: isDelimiter.count * count)
        for (place, piece) in pieces.enumerated() {
            let (word, bit) = (place / 64, UInt64(1) << UInt64(place % 64))
            switch piece {
            case .byte(let byte): steps[Int(classes[Int(byte)]) * count + word] |= bit
            case .one:
                for (index, isDelimiter) in isDelimiter.enumerated() where !isDelimiter {
                    steps[index * count + word] |= bit
                }
            case .withinPart: words[word].withinPart |= bit
            case .anything: words[word].anything |= bit
            case .parts(let delimiter):
                words[word].parts |= bit
                steps[Int(classes[Int(delimiter)]) * count + word] |= bit
            }
            switch piece {
            case .byte, .one: break
            case .withinPart, .anything, .parts: words[word].skippable |= bit
            }
        }
        self.words = words
        self.classes = classes
        self.steps = steps
        self.isDelimiter = isDelimiter
        end = pieces.count
    }

    /// Whether the text leads from the first place to the last.
    func match(_ text: ArraySlice<UInt8>) -> Bool {
        guard words.count > 1 else { return matchWord(text) }
        var reached = [UInt64](repeating: 0, count: words.count)
        var carry = Carry(entered: 1)
        for index in words.indices { reached[index] = words[index].reach(0, &carry) }
        for byte in text {
            let kind = Int(classes[Int(byte)])
            let staysWithin: UInt64 = isDelimiter[kind] ? 0 : .max
            var carry = Carry()
            var isAlive: UInt64 = 0
            for index in words.indices {
                let next = words[index].next(
                    reached[index],
                    steps: steps[kind * words.count + index],
                    staysWithin: staysWithin,
                    &carry
                )
                reached[index] = next
                isAlive |= next
            }
            guard isAlive != 0 else { return false }
        }
        return reached[end / 64] >> UInt64(end % 64) & 1 == 1
    }

    /// The same for up to 63 pieces, without an array.
    private func matchWord(_ text: ArraySlice<UInt8>) -> Bool {
        let word = words[0]
        var carry = Carry(entered: 1)
        var reached = word.reach(0, &carry)
        for byte in text {
            let kind = Int(classes[Int(byte)])
            var carry = Carry()
            reached = word.next(reached, steps: steps[kind], staysWithin: isDelimiter[kind] ? 0 : .max, &carry)
            guard reached != 0 else { return false }
        }
        return reached >> UInt64(end) & 1 == 1
    }
}

/// What goes from one word of places to the next, each 0 or 1.
private struct Carry {
    /// The first place of the word is reached from the last of the word before.
    var entered: UInt64 = 0
    /// The same, by pieces that stand for nothing.
    var skipped: UInt64 = 0
}

extension PatternPlaces.Word {
    /// The places reached from `reached` by one byte.
    fileprivate func next(
        _ reached: UInt64,
        steps: UInt64,
        staysWithin: UInt64,
        _ carry: inout Carry
    ) -> UInt64 {
        let moving = reached & steps
        let kept = reached & (anything | withinPart & staysWithin)
        let entered = moving << 1 | carry.entered | kept
        carry.entered = moving >> 63
        return closed(entered, &carry) | reached & parts
    }

    /// The places of this word that are reached without a byte.
    fileprivate func reach(_ places: UInt64, _ carry: inout Carry) -> UInt64 {
        let entered = places | carry.entered
        carry.entered = 0
        return closed(entered, &carry)
    }

    /// With all places behind runs of skippable pieces that begin at one of `places`: adding a bit to a run of ones turns
    /// them, and the one behind the run.
    private func closed(_ places: UInt64, _ carry: inout Carry) -> UInt64 {
        let (first, overflowed) = skippable.addingReportingOverflow(places & skippable)
        let (sum, overflowedAgain) = first.addingReportingOverflow(carry.skipped)
        carry.skipped = overflowed || overflowedAgain ? 1 : 0
        return places | (sum ^ skippable)
    }
}
