import Platform

/// Text for a terminal: a pager shows it if it is longer than the screen.
package struct PagedOutput {
    /// How much is kept in case the pager does not start; one that has read this much has started.
    private static let bufferLimit = 1 << 20

    /// The pager, as a command of a shell.
    private let command: String
    private let state = ProcessState()
    private let screen: (rows: Int, columns: Int)
    private var pager: PagerProcess?
    /// What has been written so far, up to `bufferLimit` once there is a pager.
    private var buffer: [UInt8] = []
    private var lines = 0
    /// Messages to write when the pager has ended.
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
        // Only the shell knows what a name with other characters means.
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
        // less ends at once if the text fits, passes colours on, and leaves the text on the screen.
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

    /// Waits until the pager has ended; returns the text that no pager has shown.
    package mutating func finish() -> [UInt8] {
        if let pager, pager.finish() { buffer = [] }
        pager = nil
        return buffer
    }
}
