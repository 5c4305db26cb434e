import Platform

/// Text for a terminal: by a pager if it is longer than the screen, else as it is.
package struct PagedOutput {
    /// A pager that has read more has started.
    private static let bufferLimit = 1 << 20

    /// A shell's command.
    private let command: String
    private let state = ProcessState()
    private let screen: (rows: Int, columns: Int)
    private var pager: PagerProcess?
    /// What has been written: until there is a pager, and later for the case that it does not start.
    private var buffer: [UInt8] = []
    private var lines = 0
    /// What is to be said when the pager has ended.
    package private(set) var complaints: [String] = []
    private var hasFailed = false

    /// Nil if the user wants no pager, or it is not installed.
    package init?(environment: [String: String], rows: Int, columns: Int) {
        guard let command = Self.command(environment) else { return nil }
        self.command = command
        screen = (rows, max(1, columns))
    }

    /// The pager that the user wants; nil: none.
    ///
    /// - Parameter isInstalled: whether there is a program with this name or path.
    package static func command(
        _ environment: [String: String],
        isInstalled: ((String) -> Bool)? = nil
    ) -> String? {
        let wanted = environment["RESPITE_PAGER"] ?? environment["PAGER"] ?? "less"
        let words = wanted.split(separator: " ")
        guard let program = words.first.map(String.init), words != ["cat"], environment["TERM"] != "dumb" else {
            return nil
        }
        let isFound = isInstalled ?? { Self.isInstalled($0, path: environment["PATH"] ?? "/usr/bin:/bin") }
        // What has other characters is for the shell, which alone knows what it means.
        let isPlain = program.allSatisfy { $0.isLetter || $0.isNumber || "_-./+".contains($0) }
        return isPlain && !isFound(program) ? nil : wanted
    }

    private static func isInstalled(_ program: String, path: String) -> Bool {
        if program.contains("/") { return SmallFile.isExecutable(program) }
        return path.split(separator: ":").contains { SmallFile.isExecutable("\($0)/\(program)") }
    }

    // MARK: Writing

    /// Returns false once the pager reads no more.
    package mutating func write(_ bytes: [UInt8]) -> Bool {
        if buffer.count < Self.bufferLimit || pager == nil { buffer += bytes }
        if let pager { return pager.write(bytes) }
        lines += Self.lines(bytes, columns: screen.columns)
        guard lines >= screen.rows, !hasFailed else { return true }
        return start()
    }

    private mutating func start() -> Bool {
        var environment = ProcessEnvironment.current
        // A page that fits ends less at once, colours pass, and the text stays on the screen.
        if environment["LESS"] == nil { environment["LESS"] = "FRX" }
        guard let pager = try? PagerProcess(command, environment: environment, state: state) else {
            hasFailed = true
            return true
        }
        self.pager = pager
        return pager.write(buffer)
    }

    /// How many lines of a screen the bytes need; escape sequences count as characters.
    package static func lines(_ bytes: [UInt8], columns: Int) -> Int {
        bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
            .reduce(0) { $0 + max(1, ($1.count + columns - 1) / columns) }
    }

    package mutating func complain(_ text: String) { complaints.append(text) }

    /// Waits until the pager has ended; returns what no pager has shown.
    package mutating func finish() -> [UInt8] {
        if let pager, pager.finish() { buffer = [] }
        pager = nil
        return buffer
    }
}
