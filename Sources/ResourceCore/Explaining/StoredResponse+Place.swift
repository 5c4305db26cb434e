import HTTPCaching

extension StoredResponse {
    /// Why it is for requests with its credential alone; nil if it is for everybody, or not for this request.
    func placeNote(of request: ClientRequest) -> DecisionNote? {
        guard partition != request.partitions.common, let rank = request.partitions.rank(of: partition) else {
            return nil
        }
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
        return DecisionNote(
            "authorization",
            "it answered a request with credentials, and nothing lets it serve others",
            "RFC 9111 §3.5",
            remedy: "public, must-revalidate or s-maxage of the origin"
        )
    }
}
