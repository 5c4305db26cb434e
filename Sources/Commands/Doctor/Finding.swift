/// What `respite doctor` found out about one thing.
struct Finding: Equatable {
    enum Verdict: String {
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
