import Foundation
import Testing

@testable import RespiteFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a session brings.
@Suite struct SessionTransfersTests {
    @Test("content for a task that nobody waits for cancels nothing")
    func unknownTask() throws {
        let session = URLSession(configuration: .ephemeral)
        let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1/")))
        let transfers = SessionTransfers(follows: false, contentLimit: 10)
        transfers.urlSession(session, dataTask: task, didReceive: Data([1]))
        #expect(task.state == .suspended)
    }
}
