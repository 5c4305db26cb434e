import HTTPCore
import Locking

/// The questions whose responses name another resource as equivalent, by that resource (RFC 10008 §2.3 and §2.4).
///
/// Location and Content-Location count, at the origin of the question. Such a response never answers a GET of the
/// resource: two resources of one origin may belong to different owners (RFC 9110 §8.7).
final class EquivalentResources: Sendable {
    /// The most resources, and the most questions of one; beyond them the former ones are forgotten.
    private static let limit = 10_000
    private static let questionLimit = 64

    private let questions = Lock<[TargetURI: [TargetURI]]>([:])

    /// Notes what a successful response to a question names.
    func note(_ fields: borrowing Fields, of question: TargetURI) {
        let target = question.withoutQuestion
        for field in [KnownField.location, .contentLocation] where fields.contains(field) {
            for reference in fields.values(of: field) {
                guard let other = target.resolving(reference), other.hasSameOrigin(as: target), other != target
                else { continue }
                note(question, equivalentTo: other)
            }
        }
    }

    private func note(_ question: TargetURI, equivalentTo other: TargetURI) {
        questions.withLock { questions in
            if questions[other]?.contains(question) == true { return }
            if questions[other] == nil, questions.count >= Self.limit { questions.removeAll() }
            questions[other, default: []].append(question)
            let excess = (questions[other]?.count ?? 0) - Self.questionLimit
            if excess > 0 { questions[other]?.removeFirst(excess) }
        }
    }

    /// Removes the questions of a resource, and returns them.
    func take(_ uri: TargetURI) -> [TargetURI] {
        questions.withLock { $0.isEmpty ? [] : $0.removeValue(forKey: uri) ?? [] }
    }
}
