import EntityStorage
import Glibc
import HTTPCore
import ResourceCore
import Testing
import Transforms
import TestSupport

@Suite("A killed process")
struct KillTests {
    let directory = TemporaryDirectory()

    /// The program `StoreTorture`, which stands beside the tests' own.
    private static var tool: String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        guard readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 else { return nil }
        let own = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/StoreTorture"
        return access(path, X_OK) == 0 ? path : nil
    }

    /// Starts the program; kills it after `lines` lines, or lets it end by itself; the numbers it said are durable.
    private func torture(_ arguments: [String], killAfter lines: Int) throws -> [Int] {
        let tool = try #require(Self.tool)
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        var argv: [UnsafeMutablePointer<CChar>?] = ([tool] + arguments).map { strdup($0) }
        argv.append(nil)
        var pid = pid_t()
        // A process that is killed must not die with what a sanitizer found.
        // It closes nothing at its end, so what it holds is no leak.
        let variables = [strdup("TSAN_OPTIONS=halt_on_error=1"), strdup("ASAN_OPTIONS=detect_leaks=0"), nil]
        #expect(posix_spawn(&pid, tool, &actions, nil, argv, variables) == 0)
        for text in argv + variables { free(text) }
        posix_spawn_file_actions_destroy(&actions)
        close(ends[1])
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(ends[0], &buffer, buffer.count), count > 0 {
            output += buffer[..<count]
            if output.count(where: { $0 == 10 }) >= lines { kill(pid, SIGKILL) }
        }
        close(ends[0])
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        #expect(status == 0 || lines != .max && status & 0x7F == SIGKILL)
        return output.split(separator: 10).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    /// What record `number` of the program holds: every seventh the same large body.
    private func content(_ number: Int) -> [UInt8] {
        let counts = [10, 3_000, 66_000, 900, 40_000, 1_500_000, 64_000]
        let count = counts[number % counts.count]
        let seed = count == 66_000 ? 2 : number
        return Array("\(seed)".utf8) + [UInt8](repeating: UInt8(truncatingIfNeeded: seed &* 37), count: count)
    }

    @Test("after SIGKILL at any moment every answer is whole and right, and all that was durable is there (H-152)")
    func kill9() async throws {
        var durable: [Int] = []
        var space = SpaceSavings()
        for round in 0..<10 {
            let first = round * 10_000
            durable += try torture([directory.path, "\(first)"], killAfter: 5 + round * 11)
            let store = try OpenStore(directory, limit: 256 << 20)
            #expect(await store.openError == nil)
            #expect(filesBelow(directory.path + "/spill").isEmpty)
            for number in durable {
                let found = await store.lookUp(uri("/\(number)"))
                #expect(found.map(\.content) == [content(number)])
                if case .file(let file) = found.first?.body { #expect(await file.isWhole()) }
            }
            // Those in flight are whole or absent.
            for number in first..<first + 200 {
                for found in await store.lookUp(uri("/\(number)")) { #expect(found.content == content(number)) }
            }
            let files = filesBelow(directory.path + "/bodies").count
            await store.collectGarbage()
            #expect(filesBelow(directory.path + "/bodies").count == files)
            #expect(store.log.all.isEmpty && store.store.statistics().damaged == 0)
            // Too much may be counted after a kill, never too little.
            await store.flush()
            #expect(directory.usage - store.store.statistics().usedBytes <= 48 << 10)
            space = store.store.statistics().space
            await store.close()
        }
        #expect(durable.count > 200 && space.compressedEntries > 0 && space.sharedBodies > 0)
    }

    @Test("a limit on the size of files is a full disk, not the end of the process (H-154)")
    func fileSizeLimit() async throws {
        let durable = try torture([directory.path, "0", "\(3 << 20)"], killAfter: .max)
        let store = try OpenStore(directory, limit: 256 << 20)
        #expect(await store.openError == nil)
        for number in 0..<200 {
            for found in await store.lookUp(uri("/\(number)")) { #expect(found.content == content(number)) }
        }
        #expect(durable.count < 200)
        #expect(store.store.statistics().damaged == 0)
    }
}
