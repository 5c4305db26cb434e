import Testing

@testable import SharedStorage

/// What a trial of the scripts takes for success.
@Suite struct TrialTests {
    private static let row = RedisReply.list([.nothing])

    /// The words of a trial that gets these replies at first.
    private static func beginning(_ replies: (RedisReply) -> [RedisReply]) -> String? {
        var (trial, server) = (ScriptTrial(CheckKeys("1")), ModelServer())
        let claim = server.replies(to: Array(trial.beginning.prefix(1)))[0]
        guard case .done(let fault) = trial.receive(replies(claim)) else { return "asks" }
        return fault
    }

    @Test("a purge was announced if there is one of it in each of two replies")
    func announced() {
        let (one, none, two) = (Self.row, RedisReply.list([]), RedisReply.list([.nothing, .nothing]))
        #expect(Self.beginning { [$0, .text("1-0"), .number(1), one, one] } == "asks")
        for rest in [[none, one], [one, none], [two, one], [one, two], [one], [one, one, one], [.nothing, one]] {
            #expect(Self.beginning { [$0, .text("1-0"), .number(1)] + rest } == "a purge was not announced")
        }
    }

    @Test("each step that fails is named, by the first of them")
    func steps() {
        func fault(_ change: ([RedisReply]) -> [RedisReply]) -> String? {
            var (trial, server) = (ScriptTrial(CheckKeys("1")), ModelServer())
            let claim = server.replies(to: Array(trial.beginning.prefix(1)))[0]
            guard case .ask(let next) = trial.receive([claim, .text("1-0"), .number(1), Self.row, Self.row]),
                case .done(let fault) = trial.receive(change(server.replies(to: next)))
            else { return "no end" }
            return fault
        }
        #expect(fault { $0 } == nil)
        let names = ["a lease was not renewed", "a record was not stored", "a record was lost", "a lease did not end"]
        let error = RedisReply.failure(RedisError(Array("ERR x".utf8)))
        for (index, name) in names.enumerated() {
            #expect(fault { $0[..<index] + [.number(0)] + $0[(index + 1)...] } == name)
            #expect(fault { $0[..<index] + [error] + $0[(index + 1)...] } == "\(name) (ERR x)")
            #expect(fault { Array($0[..<index]) } == name)
        }
        #expect(fault { [.number(0), error] + $0[2...] } == names[0])
    }
}
