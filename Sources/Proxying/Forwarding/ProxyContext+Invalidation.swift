import HTTPCaching
import HTTPCore
import ResourceCore

extension ProxyContext {
    /// Invalidates the stored responses for `uri`: each is validated before its next use.
    ///
    /// Questions whose responses named it as equivalent are dropped.
    func invalidate(_ uri: TargetURI, _ completion: @escaping @Sendable (Bool) -> Void = { _ in }) {
        for question in options.questions.equivalents.take(uri) { service.resource(for: question).purge() }
        service.announce(.invalidate(uri))
        service.resource(for: uri).invalidate(completion)
    }

    /// Invalidates what an unsafe request changed (RFC 9111 §4.4), and drops the groups that the response names
    /// (RFC 9875).
    ///
    /// - Parameters:
    ///   - done: a URI that is already invalidated.
    ///   - marks: counts the invalidations that the store has to commit.
    func invalidate(
        afterRequest method: Method,
        uri: TargetURI,
        response: ResponseHead,
        except done: TargetURI? = nil,
        waiting marks: PendingMarks
    ) {
        for target in Invalidation.targets(
            method: method,
            target: uri,
            status: response.status,
            fields: response.fields
        ) where target != done {
            invalidate(target, marks.begin())
        }
        let groups = Invalidation.groups(
            method: method,
            target: uri,
            status: response.status,
            fields: response.fields
        )
        guard !groups.isEmpty else { return }
        let end = marks.begin()
        service.announce(.purgeTags(groups))
        service.table.purge(groups) { _ in end(true) }
    }
}
