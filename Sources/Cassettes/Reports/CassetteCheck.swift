extension Cassette {
    /// Credentials in the cassette, each with its place: an edit by hand or another tool may have left them there.
    ///
    /// - Throws: if a path of the cassette is wrong.
    public func credentials() throws(CassetteError) -> [CassetteError] {
        var scrubber = try Scrubber(scrubbing.union(.standard))
        var found: [CassetteError] = []
        for entry in entries {
            var clean = entry
            scrubber.scrub(&clean.request)
            scrubber.scrub(&clean.response)
            let parts = Self.differences(entry, clean)
            guard !parts.isEmpty else { continue }
            // The place is the clean URL, since the URL itself may have the secret.
            found.append(
                CassetteError(place: clean.request.title, "a credential stands in \(parts.joined(separator: ", "))")
            )
        }
        return found
    }

    private static func differences(_ entry: CassetteEntry, _ clean: CassetteEntry) -> [String] {
        var parts: [String] = []
        if entry.request.url != clean.request.url { parts.append("the URL") }
        parts += fields(entry.request.fields, clean.request.fields, of: "the request")
        if entry.request.content != clean.request.content { parts.append("the content of the request") }
        parts += fields(entry.response.fields, clean.response.fields, of: "the response")
        parts += fields(entry.response.trailers, clean.response.trailers, of: "the trailers")
        if entry.response.content != clean.response.content { parts.append("the content of the response") }
        return parts
    }

    private static func fields(_ old: [CassetteField], _ new: [CassetteField], of message: String) -> [String] {
        zip(old, new).filter { $0 != $1 }.map { "\($0.0.name) of \(message)" }
    }
}
