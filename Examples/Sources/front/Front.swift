import Glibc
import Respite

/// A small server in front of an API.
///
///     front API DIRECTORY PORT
///
/// `GET /items/N` returns what the API has at `items/N` below its base URL. The directory keeps what was loaded. Port 0
/// is any free one; the program prints where it listens. At SIGTERM it serves the requests in progress and ends.
@main
enum Front {
    static func main() async {
        let words = CommandLine.arguments
        guard words.count == 4, words[1].targetURI != nil, let port = UInt16(words[3]) else {
            print("usage: front API DIRECTORY PORT")
            exit(2)
        }
        do {
            try await serve(Items(api: words[1], directory: words[2]), on: Listener(port: port))
        } catch {
            print("front: \(error)")
            exit(1)
        }
    }

    /// Serves until a signal comes, and the last connection has ended.
    private static func serve(_ items: Items, on listener: Listener) async {
        let termination = Termination { listener.stop() }
        print("front: http://127.0.0.1:\(listener.port)/items/1")
        fflush(nil)
        await withDiscardingTaskGroup { group in
            while let connection = await listener.next() {
                group.addTask { await serve(connection, items) }
            }
        }
        withExtendedLifetime(termination) {}
        await items.flush()
        print("front: ended")
    }

    private static func serve(_ connection: Connection, _ items: Items) async {
        guard let line = await connection.requestLine() else { return }
        await connection.send(response(to: line, items))
    }

    /// - Parameter line: such as `GET /items/1 HTTP/1.1`.
    private static func response(to line: Substring, _ items: Items) async -> OutgoingResponse {
        let words = line.split(separator: " ")
        guard words.count == 3 else { return .text(400, "This is no request") }
        guard words[0] == "GET" else { return .text(405, "Only GET is served") }
        guard words[1].hasPrefix("/items/"), let number = UInt32(words[1].dropFirst("/items/".count)) else {
            return .text(404, "There is nothing but /items/N")
        }
        return await items.response(for: number)
    }
}
