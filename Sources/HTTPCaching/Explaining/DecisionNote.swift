/// The explanation of one decision, for `explain`.
public struct DecisionNote: Sendable, Equatable {
    /// The word for the decision, the same that Cache-Status shows as `detail`.
    public var word: String
    /// What was decided, with the field and the numbers that decided it.
    public var sentence: String
    /// The section of the specification, such as `RFC 9111 §4.2`.
    public var section: String
    /// What would change the outcome; nil if a user can change nothing.
    public var remedy: String?

    public init(_ word: String, _ sentence: String, _ section: String, remedy: String? = nil) {
        self.word = word
        self.sentence = sentence
        self.section = section
        self.remedy = remedy
    }
}
