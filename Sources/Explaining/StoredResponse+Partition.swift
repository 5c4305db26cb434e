import HTTPCaching
import ResourceCore

extension StoredResponse {
    /// Why only requests with its credential get the response, or why everybody does although the request has a Cookie.
    ///
    /// Nil if neither needs an explanation, or the response is not for this request.
    func partitionNote(of request: ClientRequest, _ options: CachingOptions) -> DecisionNote? {
        guard let rank = request.partitions.rank(of: partition) else { return nil }
        let cookieNote = metadata.cookieNote(for: request.profile, options: options)
        let isCommon = partition == request.partitions.common
        guard !isCommon else { return cookieNote.flatMap { $0.word == "cookie-shared" ? $0 : nil } }
        if metadata.control.flags.contains(.isPrivate) {
            return DecisionNote(
                "private",
                "the response says private: only requests with the same credentials get it",
                "RFC 9111 §5.2.2.7",
                remedy: "the origin's Cache-Control"
            )
        }
        if rank == 0, metadata.hasSetCookie {
            return DecisionNote(
                "set-cookie",
                "the response sets a cookie: only requests with the same credentials get it",
                "RFC 9111 §7.3",
                remedy: "set-cookie in a rule"
            )
        }
        if rank == 0, let cookieNote, cookieNote.word == StoringReason.cookie.rawValue { return cookieNote }
        return DecisionNote(
            "authorization",
            "it answered a request with credentials, and nothing lets it serve others",
            "RFC 9111 §3.5",
            remedy: "public, must-revalidate or s-maxage of the origin"
        )
    }
}
