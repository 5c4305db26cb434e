extension JSONQuery {
    /// Parses a JSONPath query (RFC 9535), or a pointer (RFC 6901) if `text` is empty or begins with `/`.
    ///
    /// It is stricter than the RFC in one point: it rejects a literal pattern in a filter that is not an I-Regexp.
    init(parsing text: String) throws(JSONPathError) {
        let isPointer = text.isEmpty || text.utf8.first == 0x2F
        self = try isPointer ? JSONPointerParser.parse(text) : JSONPathParser.parse(text)
    }
}
