import Glibc
import ResourceCore
import ResourceModel
import Respite

/// Loads, flushes and tells what is kept, until the process is killed.
struct Flushing {
    let directory: String

    private func service() -> Service {
        let service = Service(baseURL: "http://origin.example/", networking: Canned(isMoody: false))
        let cache = SQLiteEntityCache(directory: directory)
        service.configure { $0.pipeline[.rawData].cacheUsing(cache) }
        return service
    }

    /// Prints `lost NAME` for each of the names that standard input has and the cache has not.
    func check() throws {
        let service = service()
        let cache = SQLiteEntityCache(directory: directory)
        while let name = readLine() {
            let key = cache.key(for: service.resource(name))
            if try key.flatMap({ try cache.readEntity(forKey: $0) }) == nil { say("lost \(name)") }
        }
        say("checked")
    }

    /// Several loads at once, then a flush; each name is printed once it must survive.
    func run(from first: Int) async {
        let service = service()
        for round in first... {
            let names = (0..<8).map { "\(round)-\($0)" }
            await withTaskGroup { group in
                for name in names {
                    group.addTask { _ = await service.resource(name).loadIfNeeded()?.outcome }
                }
            }
            await service.flush()
            for name in names { say(name) }
        }
    }

    /// A line in one piece, at once.
    private func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe write(1, bytes, bytes.count)
    }
}
