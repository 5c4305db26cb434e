/// The guides to the commands of cassettes.
extension CommandGuide {
    static let cassettes: [String: CommandGuide] = [
        "record": CommandGuide(
            "records a command's HTTP traffic",
            [
                "All requests of the command go through a daemon of its own, which stores nothing: https by a CA for this command "
                    + "alone, and hosts of this machine too. What origins respond is in FILE afterwards, readable for its owner only.",
                "Credentials never get into FILE: Authorization, cookies, the fields of `cache.credential-fields`, the parameters of "
                    + "`log.secret-parameters`, what --scrub finds. Before FILE gets its name it is searched for all these values, "
                    + "and removed if one is there.",
                "The exit code is the command's; 125 if FILE cannot be written.",
            ],
            ["respite record tests/api.har -- pytest", "respite record --scrub '$..user.email' api.har -- ./test.sh"]
        ),
        "replay": CommandGuide(
            "runs a command with recorded responses",
            [
                "A request gets the response that FILE has for its method, URL and content; of JSON, order and white space do not "
                    + "count. A request asked several times gets its responses in the order of the recording, then the last one.",
                "A request that FILE does not have gets a 504, whose content names the nearest request and what differs. The exit "
                    + "code is the command's; where that is 0 in spite of such a request, 125.",
            ],
            ["respite replay tests/api.har -- pytest", "respite replay --on-miss record tests/api.har -- pytest"]
        ),
        "cassette show": CommandGuide(
            "lists what a cassette has",
            ["Number, method, URL, status, size and media type of each exchange."],
            ["respite cassette show tests/api.har"]
        ),
        "cassette check": CommandGuide(
            "checks a cassette",
            [
                "Exit code 1: the file is damaged, of another version, or a credential stands in it; the message tells where."
            ],
            ["respite cassette check tests/api.har"]
        ),
        "cassette prune": CommandGuide(
            "removes repeated responses",
            [
                "The last response to a request answers all further ones. So equal responses at the end are needed once; the others "
                    + "are removed. Responses are equal if only their dates differ."
            ],
            ["respite cassette prune tests/api.har"]
        ),
    ]
}
