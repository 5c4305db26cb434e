/// What one server said when it was tried.
struct NodeFacts: Sendable {
    /// The result of `ScriptTrial`.
    enum Trial: Sendable, Equatable {
        /// A replica does not take them, nor a server at which the user lacks a right.
        case untried
        case worked
        case failed(String)
    }

    let address: ServerAddress
    var greeting: Result<Greeting, SharedFailure>
    /// The errors that commands of `ProbedRight` got.
    var errors: [ProbedRight: RedisError] = [:]
    var messages = MessageOutcome.untried
    var trial = Trial.untried
    /// Nil: this user may not ask for it.
    var memory: ServerMemory?
    /// The primary of a replica; nil: it is none, or does not say.
    var primary: String?
    var roundTrips: [Duration] = []

    /// The rights that the user lacks.
    var missing: MissingRights {
        var missing = MissingRights()
        for right in ProbedRight.allCases {
            if let error = errors[right] { missing.note(error, of: right.rawValue) }
        }
        if case .refused(let error, let command) = messages { missing.note(error, of: command) }
        return missing
    }

    /// Why the server refuses to store, although this user may.
    var refusal: RedisError? {
        let error = errors[.set]
        switch error?.kind {
        case .noPermission, .moved, .ask, .readOnly, nil: return nil
        default: return error
        }
    }

    var medianRoundTrip: Duration? {
        roundTrips.isEmpty ? nil : roundTrips.sorted()[roundTrips.count / 2]
    }
}

/// Whether a message came that a check sent to itself.
enum MessageOutcome: Sendable, Equatable {
    case untried
    case came
    /// It was not delivered, although nothing was refused.
    case lost
    case refused(RedisError, command: String)
    case failed(SharedFailure)
}
