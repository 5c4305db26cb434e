import Foundation
import Locking
import ResourceCore
import ResourceModel

/// Gives content as a `Value`, and keeps what it decoded last: each content is decoded once.
///
/// If several threads are the first to ask, each may decode.
final class DecodedContent<Value: Decodable & Sendable>: Sendable {
    private struct Entry {
        let content: any Sendable
        let result: Result<Value, RequestError>
    }

    private let decoding: ContentDecoding<Value>
    private let latest = Lock<Entry?>(nil)

    init(_ decoding: ContentDecoding<Value>) { self.decoding = decoding }

    /// The entity with its content as a `Value`; throws why it is none.
    func typed(_ entity: Entity<any Sendable>) throws(RequestError) -> Entity<Value> {
        if let typed: Entity<Value> = entity.withContentRetyped() { return typed }
        let content = entity.content
        if let known = latest.withLock({ $0 }), DecodableContent.isSame(known.content, content) {
            return entity.withContent(try known.result.get())
        }
        let result = decode(entity)
        let former = latest.withLock { latest in
            defer { latest = Entry(content: content, result: result) }
            return latest
        }
        withExtendedLifetime(former) {}
        return entity.withContent(try result.get())
    }

    private func decode(_ entity: Entity<any Sendable>) -> Result<Value, RequestError> {
        do {
            return .success(try decoding.value(of: entity.content))
        } catch let cause as RequestError.Cause.WrongInputTypeInTranformerPipeline {
            return .failure(RequestError(cause: cause))
        } catch {
            return .failure(RequestError(unreadable: error, entity: entity))
        }
    }
}
