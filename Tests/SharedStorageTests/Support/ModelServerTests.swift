import RedisSupport
import TestSupport
import Testing

@testable import SharedStorage

@Suite("The model of a Redis server beside a real one")
struct ModelServerTests {
    @Test("random commands and scripts of the tier get the same replies", arguments: [1, 2, 3] as [UInt64])
    func same(seed: UInt64) throws {
        let redis = try RedisProcess()
        let run = try LoopRun(single: .socket(redis.socketPath))
        var random = FixedRandom(seed: seed)
        var game = Game()
        for step in 0..<1_000 {
            let command = game.command(&random)
            let real = try run.result([command]).get()
            let model = game.model.replies(to: [command])
            #expect(real == model, "step \(step)")
            if real != model { return }
            game.note(real[0])
        }
        #expect(game.outcomes == [0, 1, 2, 3])
    }

    /// Commands about one resource, by nodes that remember what they were told.
    private struct Game {
        var model = ModelServer()
        /// The states that claims were told.
        var outcomes: Set<Int64> = []
        private let index = Array("respite:{1}".utf8)
        private let lease = Array("respite:{1}:lease".utf8)
        private let record = Array("respite:{1}:record".utf8)
        private var holder: String?
        private var claims = [Claim(token: ResourceIndex.newToken(), number: ResourceIndex.none)]
        private var contents = [""]

        mutating func command(_ random: inout FixedRandom) -> RedisCommand {
            let claim = claims[random.next(claims.count)]
            let held = claim.lease ?? Lease(key: lease, value: [])
            switch random.next(8) {
            case 0...2:
                holder = random.next(4) == 0 ? nil : ResourceIndex.randomDigits()
                return Claiming.claim(index, lease, content: contents[random.next(contents.count)], holder: holder)
            case 3: return Claiming.renew(held)
            case 4: return Claiming.release(held, random.next(4) == 0 ? .failed : .cancelled)
            case 5 where random.next(4) == 0: return RedisCommand("SET", key: lease, [Array("foreign".utf8)])
            case 6: return RedisCommand("GET", key: [index, lease, record][random.next(3)])
            default:
                let words = [Array(claim.token.utf8), Array(claim.number.utf8), Array("accept".utf8)]
                let value = Array("RSR2\(claim.token)\(claim.number) and more".utf8)
                let rest = [value, Array("60000".utf8), held.value]
                return RedisCommand(script: Filling.storing, keys: [index, record, lease], words + rest)
            }
        }

        mutating func note(_ reply: RedisReply) {
            if let state = reply.list?.first?.number { outcomes.insert(state) }
            if case .load(let claim)? = Claiming.reply(reply, lease, holder: holder) {
                claims = claims.suffix(3) + [claim]
            }
            let content = model.value(index).flatMap { try? ResourceIndex($0) }?.content
            contents = ["", content ?? "", claims[0].token + ResourceIndex.none]
        }
    }
}
