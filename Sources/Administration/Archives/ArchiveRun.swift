import Locking
import Observability
import ResourceCore
import Transforms

/// Reads the content of a resource's responses, one after the other, on worker threads.
final class ArchiveRun: Sendable {
    private let archive: Lock<ResourceArchive>
    private let source: AdminSource
    /// Receives nil if too much other work is in progress.
    private let completion: @Sendable (ResourceArchive?) -> Void

    init(
        _ archive: ResourceArchive,
        _ source: AdminSource,
        _ completion: @escaping @Sendable (ResourceArchive?) -> Void
    ) {
        self.archive = Lock(archive)
        self.source = source
        self.completion = completion
    }

    /// Continues; `completion` runs inside the call or on any thread.
    func advance() {
        while let variant = archive.withLock({ $0.next() }) {
            switch variant.body {
            case .bytes(let bytes): add(variant, bytes)
            case .file(let file):
                return file.verify(0..<file.count) { [self] isRight in
                    guard isRight else {
                        add(variant, nil)
                        return advance()
                    }
                    let isTaken = source.workers.submit { [self] in
                        let content = file.read(Int(file.count), at: 0)
                        add(variant, content.flatMap { $0.count == Int(file.count) ? $0 : nil })
                        advance()
                    }
                    if !isTaken { completion(nil) }
                }
            }
        }
        completion(archive.withLock { $0 })
    }

    private func add(_ variant: GatheredVariant, _ content: [UInt8]?) {
        archive.withLock { $0.add(variant, content) }
    }
}
