import Transforms

extension IRegexp {
    /// Whether the pattern matches all of `text`, or some part of it.
    ///
    /// Follows all ways through the pattern at once, so that each character is looked at once for each instruction at
    /// most, and nothing is tried again.
    ///
    /// - Parameter text: UTF-8.
    func matches(_ text: [UInt8], isWhole: Bool, meter: inout WorkMeter) throws(TransformFailure) -> Bool {
        var threads = IRegexpThreads(self)
        var at = 0
        while true {
            let isEnd = at == text.count
            if at == 0 || !isWhole { threads.add(0, isStart: at == 0, isEnd: isEnd) }
            if threads.isAccepting, isEnd || !isWhole { return true }
            if isWhole, threads.current.isEmpty { return false }
            try meter.tick(threads.visited + 1)
            guard let point = CodePoints.next(text, &at) else { return false }
            threads.advance(point, isEnd: at == text.count)
        }
    }
}

/// The places in a pattern that are reached at one place of a text.
private struct IRegexpThreads {
    private let pattern: IRegexp
    /// Instructions that wait for a character.
    private(set) var current: [Int] = []
    /// The end of the pattern is reached.
    private(set) var isAccepting = false
    /// Instructions reached at this place of the text.
    private(set) var visited = 0

    private var previous: [Int] = []
    /// In which round an instruction was reached last.
    private var marks: [Int]
    private var round = 1
    private var open: [Int] = []

    init(_ pattern: IRegexp) {
        self.pattern = pattern
        marks = Array(repeating: 0, count: pattern.instructions.count)
    }

    /// Takes a character; `isEnd`: it is the last one.
    mutating func advance(_ point: UInt32, isEnd: Bool) {
        swap(&previous, &current)
        current.removeAll(keepingCapacity: true)
        isAccepting = false
        visited = 0
        round += 1
        for place in previous where takes(place, point) { add(place + 1, isStart: false, isEnd: isEnd) }
    }

    private func takes(_ place: Int, _ point: UInt32) -> Bool {
        switch pattern.instructions[place] {
        case .character(let wanted): wanted == point
        case .any: point != 0x0A && point != 0x0D
        case .set(let index): pattern.sets[index].contains(point)
        case .start, .end, .split, .jump, .accept: false
        }
    }

    /// Goes from `place` on as far as no character is needed.
    mutating func add(_ place: Int, isStart: Bool, isEnd: Bool) {
        open.append(place)
        while let place = open.popLast() {
            if marks[place] == round { continue }
            marks[place] = round
            visited += 1
            switch pattern.instructions[place] {
            case .character, .any, .set: current.append(place)
            case .start: if isStart { open.append(place + 1) }
            case .end: if isEnd { open.append(place + 1) }
            case .split(let one, let other):
                open.append(other)
                open.append(one)
            case .jump(let target): open.append(target)
            case .accept: isAccepting = true
            }
        }
    }
}
