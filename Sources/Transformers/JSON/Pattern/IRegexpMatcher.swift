import Transforms

extension IRegexp {
    /// Whether the pattern matches all of `text`, or some part of it.
    ///
    /// It follows all paths through the pattern at once. So each instruction looks at each character at most once.
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

/// The instructions that are reached at one position of a text.
private struct IRegexpThreads {
    private let pattern: IRegexp
    /// The instructions that wait for a character.
    private(set) var current: [Int] = []
    /// Whether the end of the pattern is reached.
    private(set) var isAccepting = false
    /// The number of instructions reached at this position.
    private(set) var visited = 0

    private var previous: [Int] = []
    /// The round in which each instruction was reached last.
    private var marks: [Int]
    private var round = 1
    private var open: [Int] = []

    init(_ pattern: IRegexp) {
        self.pattern = pattern
        marks = Array(repeating: 0, count: pattern.instructions.count)
    }

    /// Consumes a character; `isEnd`: whether it is the last.
    mutating func advance(_ point: UInt32, isEnd: Bool) {
        swap(&previous, &current)
        current.removeAll(keepingCapacity: true)
        isAccepting = false
        visited = 0
        round += 1
        for instruction in previous where matches(instruction, point) {
            add(instruction + 1, isStart: false, isEnd: isEnd)
        }
    }

    private func matches(_ instruction: Int, _ point: UInt32) -> Bool {
        switch pattern.instructions[instruction] {
        case .character(let wanted): wanted == point
        case .any: point != 0x0A && point != 0x0D
        case .set(let index): pattern.sets[index].contains(point)
        case .start, .end, .split, .jump, .accept: false
        }
    }

    /// Follows the pattern from an instruction until all paths need a character.
    mutating func add(_ instruction: Int, isStart: Bool, isEnd: Bool) {
        open.append(instruction)
        while let instruction = open.popLast() {
            if marks[instruction] == round { continue }
            marks[instruction] = round
            visited += 1
            switch pattern.instructions[instruction] {
            case .character, .any, .set: current.append(instruction)
            case .start: if isStart { open.append(instruction + 1) }
            case .end: if isEnd { open.append(instruction + 1) }
            case .split(let one, let other):
                open.append(other)
                open.append(one)
            case .jump(let target): open.append(target)
            case .accept: isAccepting = true
            }
        }
    }
}
