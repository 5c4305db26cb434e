import Glibc
import ResourceCore
import ResourceModel
import Respite
import TestSupport
import Testing

@Suite("Memory of requests with files")
struct FileMemoryTests {
    /// The most bytes of memory that this process has had.
    private static var peak: Int {
        let lines = String(decoding: contents("/proc/self/status"), as: UTF8.self).split(separator: "\n")
        let words = lines.first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: { $0 == " " || $0 == "\t" }) ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * 1024 : 0
    }

    private static let size = 50 << 20
    private static let block = sampleBytes(65_536)

    /// Sends and receives the file block by block.
    private static func serve(_ peer: OriginPeer) {
        let count = size / block.count
        while let head = peer.readHead() {
            guard head.hasPrefix("PUT") else {
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                for _ in 0..<count { peer.send(block) }
                continue
            }
            for _ in 0..<count {
                guard peer.read(block.count) == block else { return }
            }
            peer.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        }
    }

    @Test(
        "50 MiB go to a file and from it with less than half of them in memory",
        .disabled(if: dlsym(nil, "__asan_init") != nil, "the address sanitizer keeps what is freed")
    )
    func bounded() async {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let origin = TestOrigin { peer, _ in Self.serve(peer) }
            let resource = Service(baseURL: "http://127.0.0.1:\(origin.port)").resource("a")
            let path = directory.path("file")
            let before = Self.peak
            _ = try await resource.download(to: path).entity
            _ = try await resource.request(.put, file: path, contentType: "x/y").entity
            #expect(before > 0 && Self.peak - before < Self.size / 2 * Sanitizer.patience)
        }
    }
}
