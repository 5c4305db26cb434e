extension JSONQuery {
    /// Reads a JSONPath query (RFC 9535), or a pointer (RFC 6901) if `text` is empty or begins with `/`.
    ///
    /// Beyond the RFC, a literal pattern in a filter that is no I-Regexp is refused rather than never matched.
    init(parsing text: String) throws(JSONPathError) {
        let isPointer = text.isEmpty || text.utf8.first == 0x2F
        self = try isPointer ? JSONPointerParser.parse(text) : JSONPathParser.parse(text)
    }
}
