/// Compiles a pattern to instructions.
struct IRegexpCompiler {
    private(set) var instructions: [IRegexp.Instruction] = []
    private(set) var sets: [ScalarSet] = []
    /// The number of tree nodes visited; repetitions of nothing count too.
    private var visits = 0

    mutating func compile(_ tree: IRegexpTree) throws(IRegexpError) {
        visits += 1
        guard visits <= IRegexp.sizeLimit, instructions.count <= IRegexp.sizeLimit else { throw .tooLarge }
        switch tree {
        case .character(let point): instructions.append(.character(point.value))
        case .any: instructions.append(.any)
        case .set(let set):
            instructions.append(.set(sets.count))
            sets.append(set)
        case .start: instructions.append(.start)
        case .end: instructions.append(.end)
        case .sequence(let parts): for part in parts { try compile(part) }
        case .alternatives(let branches): try compile(branches[...])
        case .repetition(let part, let least, let most): try compile(part, least, most)
        }
    }

    private mutating func compile(_ branches: ArraySlice<IRegexpTree>) throws(IRegexpError) {
        var jumps: [Int] = []
        for (index, branch) in zip(branches.indices, branches) {
            guard index < branches.endIndex - 1 else {
                try compile(branch)
                break
            }
            let split = reserve()
            try compile(branch)
            jumps.append(reserve())
            instructions[split] = .split(split + 1, instructions.count)
        }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    private mutating func compile(_ part: IRegexpTree, _ least: Int, _ most: Int?) throws(IRegexpError) {
        for _ in 0..<least { try compile(part) }
        guard let most else {
            let split = reserve()
            try compile(part)
            instructions.append(.jump(split))
            instructions[split] = .split(split + 1, instructions.count)
            return
        }
        var splits: [Int] = []
        for _ in least..<most {
            splits.append(reserve())
            try compile(part)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }

    private mutating func reserve() -> Int {
        instructions.append(.accept)
        return instructions.count - 1
    }
}
