import Locking
import Platform

/// Loops on threads of their own.
///
/// Any thread may use it. Call `stop()` and `join()` before releasing it.
public final class LoopGroup: Sendable {
    /// The loops, by index.
    public let handles: [LoopHandle]
    private let threads: [Thread]

    /// Starts `count` threads, each with a loop that runs until `stop()`.
    ///
    /// - Parameter name: of the threads, which are numbered.
    public init(count: Int, name: String = "loop") throws(EventError) {
        var handles: [LoopHandle] = []
        var threads: [Thread] = []
        for index in 0..<max(1, count) {
            do throws(EventError) {
                let (handle, thread) = try Self.startLoop(index: index, name)
                handles.append(handle)
                threads.append(thread)
            } catch {
                Self.stop(handles)
                for thread in threads { thread.join() }
                throw error
            }
        }
        self.handles = handles
        self.threads = threads
    }

    private static func startLoop(index: Int, _ name: String) throws(EventError) -> (LoopHandle, Thread) {
        let started = BlockingQueue<Result<LoopHandle, EventError>>()
        let thread: Thread
        do throws(SystemError) {
            thread = try Thread(name: "\(name)-\(index)") {
                do throws(EventError) {
                    let loop = try EventLoop(index: index)
                    started.push(.success(loop.handle))
                    loop.run()
                } catch {
                    started.push(.failure(error))
                }
            }
        } catch {
            throw EventError(.noThread, error)
        }
        guard let result = started.pop() else { throw EventError(.noThread) }
        return (try result.get(), thread)
    }

    private static func stop(_ handles: [LoopHandle]) {
        for handle in handles { handle.submit { $0.stop() } }
    }

    /// Makes every loop end after its current turn and close its sources.
    public func stop() { Self.stop(handles) }

    /// Waits until all loops have ended.
    ///
    /// Do not call it on one of them.
    public func join() { for thread in threads { thread.join() } }
}
