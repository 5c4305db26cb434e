/// What a check of the shared server found out about one thing.
public struct CheckFinding: Sendable, Hashable {
    public enum Verdict: String, Sendable {
        case ok
        /// Not wrong, but perhaps not what the user wants.
        case note
        /// Wrong: the nodes do not share as they should.
        case fault
    }

    /// The subject in a word, such as `login`.
    public var subject: String
    public var verdict: Verdict
    /// What was seen.
    public var seen: String
    /// What to do; nil: nothing.
    public var remedy: String?

    static func ok(_ subject: String, _ seen: String) -> CheckFinding {
        CheckFinding(subject: subject, verdict: .ok, seen: seen)
    }

    static func note(_ subject: String, _ seen: String, _ remedy: String) -> CheckFinding {
        CheckFinding(subject: subject, verdict: .note, seen: seen, remedy: remedy)
    }

    static func fault(_ subject: String, _ seen: String, _ remedy: String) -> CheckFinding {
        CheckFinding(subject: subject, verdict: .fault, seen: seen, remedy: remedy)
    }
}
