import EntityStorage
import Glibc
import Stores
import Synchronization

/// Replays a trace of object numbers through the memory tier's policy.
///
/// Standard input: one big-endian 32-bit number per request. Arguments: shares of the footprint, such as `0.01`. For
/// each share a line with it, the hits and the requests.
@main
enum Main {
    static func main() {
        let shares = CommandLine.arguments.dropFirst().compactMap(Double.init)
        let trace = Trace(readAll())
        for share in shares {
            print(share, trace.hits(capacity: max(1, Int(share * Double(trace.objects)))), trace.requests.count)
        }
    }

    private static func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(0, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}

/// Requests for objects of equal size, numbered from 0 in the order of their first request.
struct Trace {
    /// What each object costs: a small stored response with its head, in bytes.
    private static let cost = 1536

    private(set) var requests: [Int] = []
    private(set) var objects = 0

    init(_ bytes: [UInt8]) {
        var numbers: [UInt32: Int] = [:]
        requests.reserveCapacity(bytes.count / 4)
        for at in stride(from: 0, through: bytes.count - 4, by: 4) {
            let name = bytes[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let number = numbers[name] ?? objects
            if number == objects {
                numbers[name] = number
                objects += 1
            }
            requests.append(number)
        }
    }

    /// How many requests find their object in memory that has room for `capacity` objects.
    func hits(capacity: Int) -> Int {
        let policy = S3FIFO(limit: capacity * Self.cost)
        var held = [Entry?](repeating: nil, count: objects)
        var hits = 0
        for number in requests {
            if let entry = held[number] {
                entry.use()
                hits += 1
                continue
            }
            let entry = Entry(number, cost: Self.cost)
            held[number] = entry
            for case let victim as Entry in policy.didStore(entry) { held[victim.number] = nil }
        }
        return hits
    }
}

/// What stands for a stored response: counts its uses as one does.
final class Entry: MemoryEntry {
    let number: Int
    let identity: UInt64
    let cost: Int
    private let uses = Atomic<Int>(0)

    init(_ number: Int, cost: Int) {
        self.number = number
        self.cost = cost
        identity = UInt64(truncatingIfNeeded: number &+ 1) &* 0x9E37_79B9_7F4A_7C15
    }

    func use() {
        let count = uses.load(ordering: .relaxed)
        if count < 3 { uses.store(count + 1, ordering: .relaxed) }
    }

    func takeUses() -> Int { uses.exchange(0, ordering: .relaxed) }
}
