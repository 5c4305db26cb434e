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
        "export": CommandGuide(
            "writes what is stored as HAR",
            [
                "Other tools open the file, `respite import` reads it, and `respite replay` responds from it. Left out are parts, what "
                    + "is marked as invalid or redacted, questions, and URLs with a parameter of `log.secret-parameters`; the counts "
                    + "stand on standard error.",
                "Content is as it is stored: look at the file before you share it.",
            ],
            ["respite export --har site.har 'https://example.org/**'", "respite export --har - > all.har"]
        ),
        "import": CommandGuide(
            "stores the responses of a HAR file",
            [
                "FILE may be one of `respite export`, or of a browser's developer tools. A response is stored if one of its origin would "
                    + "be: to GET, with a lifetime or a validator, not private, not older than what is stored. It has the age that it "
                    + "would have if it had been stored all the time.",
                "What is not imported is listed with the reason. Exit code 1: nothing was stored.",
            ],
            ["respite import site.har"]
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
