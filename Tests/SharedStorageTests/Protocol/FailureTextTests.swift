import Testing

@testable import SharedStorage

/// What people are told when a server does not do what it is asked.
@Suite struct FailureTextTests {
    private static let password = "check `shared.user` and the file that `shared.password-file` names"
    private static let cluster = "this server belongs to a cluster: name its nodes by `shared.cluster`"
    private static let rights = "grant the rights that docs/scaling.md lists for `shared.user`"

    @Test(
        "each kind of error has a sentence of its own, with what to do",
        arguments: [
            ("WRONGPASS x", "wrong user or password: \(password)"),
            ("ERR invalid password", "wrong user or password: \(password)"),
            ("NOAUTH x", "the server wants a password: name a file with it by `shared.password-file`"),
            ("NOPERM x", "the user may not do this (NOPERM x): \(rights)"),
            ("OOM x", "the server is full: raise its `maxmemory`, or set `maxmemory-policy volatile-lfu`"),
            ("READONLY x", "this server is a replica, and takes no writes: name its primary"),
            ("LOADING x", "the server is still reading its data"),
            ("CLUSTERDOWN x", "the cluster is down: some slots have no node (`redis-cli cluster info`)"),
            ("MASTERDOWN x", "the primary of this replica is down"),
            ("BUSY x", "the server is busy with a script (`redis-cli script kill`)"),
            ("MISCONF x", "the server cannot write its data to disk, and refuses writes: look at its log"),
            (
                "ERR unknown command 'x'",
                "the server does not know a command (ERR unknown command 'x'): it must be Redis 6.2 or later"
            ),
            ("CROSSSLOT x", cluster), ("MOVED 1 a:1", cluster), ("ASK 1 a:1", cluster),
            ("TRYAGAIN x", "a slot of the cluster is being moved"), ("ERR x", "the server refused a command: ERR x"),
        ]
    )
    func errors(text: String, sentence: String) {
        let error = RedisError(Array(text.utf8))
        #expect(error.userMessage == sentence && SharedFailure.refused(error).userMessage == sentence)
    }

    @Test(
        "each failure has a sentence of its own",
        arguments: [
            (.unreachable("cannot connect to x"), "cannot connect to x"),
            (.timeout, "no reply within the time allowed by `shared.timeout`"),
            (.lost("x"), "the connection was lost: x"),
            (.noRedis("x"), "this is not a Redis server, or it broke its protocol: x"),
            (.tooOld("6.0.9"), "the server is Redis 6.0.9; 6.2 or later is needed"),
            (.busy, "too many commands wait for the server"),
            (.noNode, "no node of the cluster has this slot (`redis-cli cluster info`)"),
            (.unexpected, "the server sent a reply that the command cannot have"),
        ] as [(SharedFailure, String)]
    )
    func failures(failure: SharedFailure, sentence: String) { #expect(failure.userMessage == sentence) }
}
