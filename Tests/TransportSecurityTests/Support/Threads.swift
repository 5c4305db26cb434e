import Glibc

/// Reads a file of a test.
func bytes(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw CannotRead() }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return bytes }
        bytes += buffer.prefix(count)
    }
}

private struct CannotRead: Error {}

/// Threads that run one body, all at once.
final class ThreadGroup {
    private final class Job {
        let index: Int
        let body: @Sendable (Int) -> Void

        init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.index = index
            self.body = body
        }
    }

    private var threads: [pthread_t] = []

    init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        for index in 0..<count {
            var thread = pthread_t()
            let job = Unmanaged.passRetained(Job(index, body)).toOpaque()
            let code = pthread_create(
                &thread,
                nil,
                { pointer in
                    guard let pointer else { return nil }
                    let job = Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue()
                    job.body(job.index)
                    return nil
                },
                job
            )
            precondition(code == 0, "no thread")
            threads.append(thread)
        }
    }

    func join() { for thread in threads { pthread_join(thread, nil) } }
}
