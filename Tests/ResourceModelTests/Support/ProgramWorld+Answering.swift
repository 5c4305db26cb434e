import TestDoubles
import ResourceCore
import ResourceModel

extension ProgramWorld {
    /// Answers the last request; what follows is done.
    func answer(_ status: UInt16 = 200, _ lines: [(String, String)] = [], _ text: String? = "") {
        networking.last.answer(status, lines, text)
        runUntilIdle()
    }
}

extension Entity<any Sendable> {
    /// Bytes and text as text.
    var plainText: String? {
        content as? String ?? (content as? [UInt8]).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Whether these are the same requests in the same order.
func isSame(_ left: [Request], _ right: [Request]) -> Bool { left.elementsEqual(right) { $0 === $1 } }
