/// Matches a pattern as a nondeterministic automaton: all states that a text can have reached advance together.
///
/// State `n` means that the first `n` pieces have matched; each state is one bit. A text of `t` bytes takes `t` steps
/// for each 64 pieces, of any kind. So no pattern can stall an event loop.
struct PatternAutomaton: Sendable {
    /// The transitions from 64 states.
    fileprivate struct Word: Sendable {
        /// States before pieces that may match nothing: they also reach the next state.
        var skippable: UInt64 = 0
        /// States before `anything`: any byte leads back to them.
        var anything: UInt64 = 0
        /// States before `withinPart`: any byte but a delimiter leads back to them.
        var withinPart: UInt64 = 0
        /// States before `parts`: any byte leads back to them, and only the delimiter to the next state.
        var parts: UInt64 = 0
    }

    private let words: [Word]
    /// The class of each byte; bytes that no piece distinguishes have the same class.
    private let classes: [UInt8]
    /// For each class, and each word of it: the states from which a byte of the class leads to the next state.
    private let steps: [UInt64]
    /// Whether the bytes of a class are delimiters.
    private let isDelimiter: [Bool]
    /// The last state: all pieces have matched.
    private let end: Int

    /// The automaton of a pattern without pieces.
    static let empty = PatternAutomaton([], delimiters: [])

    /// - Parameter ignoresCase: whether letters of a text match in either case. The pieces must be in lower case.
    init(_ pieces: ArraySlice<BytePattern.Piece>, delimiters: [UInt8], ignoresCase: Bool = false) {
        let count = pieces.count / 64 + 1
        var words = [Word](repeating: Word(), count: count)
        // Each of these bytes has a class; the class after them is that of all other bytes.
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
        if ignoresCase {
            for capital in UInt8(ascii: "A")...UInt8(ascii: "Z") {
                classes[Int(capital)] = classes[Int(capital.asciiLowercased)]
            }
        }
        var isDelimiter = [Bool](repeating: false, count: bytes.count + 1)
        for delimiter in delimiters { isDelimiter[Int(classes[Int(delimiter)])] = true }
        var steps = [UInt64](repeating: 0, count: isDelimiter.count * count)
        for (state, piece) in pieces.enumerated() {
            let (word, bit) = (state / 64, UInt64(1) << UInt64(state % 64))
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

    /// Whether all of `text` matches all pieces.
    func matches(_ text: Span<UInt8>) -> Bool {
        guard words.count > 1 else { return matchesInOneWord(text) }
        var reached = [UInt64](repeating: 0, count: words.count)
        var carry = Carry(entered: 1)
        for index in words.indices { reached[index] = words[index].reach(0, &carry) }
        for position in text.indices {
            let kind = Int(classes[Int(text[position])])
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

    /// Whether some text that begins with `start` matches all pieces.
    func mayContinue(after start: ArraySlice<UInt8>) -> Bool {
        var reached = [UInt64](repeating: 0, count: words.count)
        var carry = Carry(entered: 1)
        for index in words.indices { reached[index] = words[index].reach(0, &carry) }
        for byte in start {
            let kind = Int(classes[Int(byte)])
            var carry = Carry()
            for index in words.indices {
                reached[index] = words[index].next(
                    reached[index],
                    steps: steps[kind * words.count + index],
                    staysWithin: isDelimiter[kind] ? 0 : .max,
                    &carry
                )
            }
        }
        // The end has no pieces after it: a text that goes on does not match there.
        reached[end / 64] &= ~(1 << UInt64(end % 64))
        return reached.contains { $0 != 0 }
    }

    /// Matches up to 63 pieces, without an array.
    private func matchesInOneWord(_ text: Span<UInt8>) -> Bool {
        let word = words[0]
        var carry = Carry(entered: 1)
        var reached = word.reach(0, &carry)
        for position in text.indices {
            let kind = Int(classes[Int(text[position])])
            var carry = Carry()
            reached = word.next(reached, steps: steps[kind], staysWithin: isDelimiter[kind] ? 0 : .max, &carry)
            guard reached != 0 else { return false }
        }
        return reached >> UInt64(end) & 1 == 1
    }
}

/// What one word of states passes to the next; each is 0 or 1.
private struct Carry {
    /// Whether a byte leads from the last state of the previous word to the first of this one.
    var entered: UInt64 = 0
    /// Whether a piece that matches nothing leads there.
    var skipped: UInt64 = 0
}

extension PatternAutomaton.Word {
    /// The states reached from `reached` by one byte.
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

    /// The states of this word that are reached without a byte.
    fileprivate func reach(_ states: UInt64, _ carry: inout Carry) -> UInt64 {
        let entered = states | carry.entered
        carry.entered = 0
        return closed(entered, &carry)
    }

    /// Adds the states that are reached by pieces which match nothing.
    ///
    /// Adding a bit to a run of ones flips the run and the bit after it. So all states of a run of skippable pieces are
    /// found at once, and the one after it.
    private func closed(_ states: UInt64, _ carry: inout Carry) -> UInt64 {
        let (first, overflowed) = skippable.addingReportingOverflow(states & skippable)
        let (sum, overflowedAgain) = first.addingReportingOverflow(carry.skipped)
        carry.skipped = overflowed || overflowedAgain ? 1 : 0
        return states | (sum ^ skippable)
    }
}
