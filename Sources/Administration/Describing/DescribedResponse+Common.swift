/// Problems that many operations have.
extension DescribedResponse {
    static let badRequest = problem(400, "The request is malformed, or has a wrong or unknown parameter or member.")
    static let unauthorized = problem(401, "There is neither the token nor a session that this needs.")
    static let forbidden = problem(
        403,
        "A page of another site asks, the address may not connect, or the token or session may only read."
    )
    static let slow = problem(408, "The content did not come in time.")
    static let largeContent = problem(413, "The content is larger than the limit.")
    static let longTarget = problem(414, "The target is longer than the limit.")
    static let notJSON = problem(415, "The content is not `application/json`.")
    static let misdirected = problem(421, "`Host` is none of the listener's names; `admin-hosts` adds names.")
    static let longHead = problem(431, "The fields are larger than the limit.")
    static let busy = problem(503, "The daemon is stopping, or has too much to do.")

    /// `unauthorized`, or the login page if a browser opens the address in a tab.
    static let loginNeeded: DescribedResponse = {
        var response = unauthorized
        response.contents.append(("text/html", nil))
        return response
    }()
}

extension NamedSchema {
    static let problem = NamedSchema(
        "Problem",
        "Why a request failed (RFC 9457).",
        [
            .required("type", .text),
            .required("title", .text, "The reason phrase of the status."),
            .required("status", .integer(400, 599)),
            .required("detail", .text, "What is wrong, and how to mend it."),
            .optional("path", .text, "Where in the request's JSON the fault is, such as `$.filter`."),
            .optional("source", .text, "After a reload: the file with the fault."),
            .optional("line", .text, "After a reload: the line of the fault."),
            .optional("column", .text, "After a reload: the column of the fault."),
            .optional("text", .text, "After a reload: the text of the line."),
            .optional("suggestion", .text, "After a reload: what may be meant."),
            .optional("description", .text, "After a reload: the fault as the program would print it."),
        ]
    )
}
