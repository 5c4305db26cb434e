/// What a command that looks for faults found out about one thing.
public struct Finding: Equatable, Sendable {
    public enum Verdict: String, Sendable {
        case ok
        /// Not wrong, but perhaps not what the user wants.
        case note
        /// Wrong: the exit code is 1.
        case fault
    }

    /// The subject in a word, such as `store`.
    var subject: String
    var verdict: Verdict
    /// What was seen.
    var seen: String
    /// What to do; nil: nothing.
    var remedy: String?

    public init(subject: String, verdict: Verdict, seen: String, remedy: String? = nil) {
        (self.subject, self.verdict) = (subject, verdict)
        (self.seen, self.remedy) = (seen, remedy)
    }

    static func ok(_ subject: String, _ seen: String) -> Finding {
        Finding(subject: subject, verdict: .ok, seen: seen)
    }

    static func note(_ subject: String, _ seen: String, _ remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .note, seen: seen, remedy: remedy)
    }

    static func fault(_ subject: String, _ seen: String, _ remedy: String) -> Finding {
        Finding(subject: subject, verdict: .fault, seen: seen, remedy: remedy)
    }
}
