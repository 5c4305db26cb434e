/// One decision in words: what `explain` tells of it.
public struct DecisionNote: Sendable, Equatable {
    /// The decision's own word, the one Cache-Status shows as `detail` where it shows one.
    public var word: String
    /// What was decided, with the field and the numbers it rests on.
    public var sentence: String
    /// The specification's section, such as `RFC 9111 §4.2`.
    public var section: String
    /// What would make the outcome another one; nil if nothing here would.
    public var remedy: String?

    public init(_ word: String, _ sentence: String, _ section: String, remedy: String? = nil) {
        self.word = word
        self.sentence = sentence
        self.section = section
        self.remedy = remedy
    }
}
