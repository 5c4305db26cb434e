import Formats
import Foundation
public import ResourceCore
public import ResourceModel

/// A resource whose content is a `Value`.
///
/// Content that a transformer has made a `Value` is given as it is. Bytes and values of JSON are decoded here, each time they
/// are asked for: `Service.configureTransformer(_:decoding:)` does it once for each response.
public struct TypedResource<Value: Decodable & Sendable>: Sendable {
    /// What this is a view of.
    public let resource: Resource

    /// What is known now; nil if there is nothing, or it is no `Value`.
    public var latestData: Value? { latestEntity?.content }

    /// What is known now, with its header fields; nil if there is nothing, or it is no `Value`.
    public var latestEntity: Entity<Value>? { resource.latestData.flatMap { try? Self.typed($0) } }

    /// Loads and waits (S-086); throws why there is no `Value`.
    public func load() async throws(RequestError) -> Value { try await Self.value(of: resource.load()) }

    /// Loads if what is known is not up to date, and waits for that; gives what is known else (S-085).
    public func loadIfNeeded() async throws(RequestError) -> Value {
        if let request = resource.loadIfNeeded() { return try await Self.value(of: request) }
        guard let entity = resource.latestData else {
            throw resource.latestError ?? RequestError(userMessage: "Nothing to load")
        }
        return try Self.typed(entity).content
    }

    private static func value(of request: Request) async throws(RequestError) -> Value {
        try typed(await request.entity).content
    }

    private static func typed(_ entity: Entity<any Sendable>) throws(RequestError) -> Entity<Value> {
        if let typed: Entity<Value> = entity.withContentRetyped() { return typed }
        do {
            return entity.withContent(try JSONDecoder().decode(Value.self, from: try bytes(of: entity.content)))
        } catch let error as RequestError {
            throw error
        } catch {
            throw RequestError(unreadable: error, entity: entity)
        }
    }

    private static func bytes(of content: any Sendable) throws -> Data {
        if let bytes = content as? [UInt8] { return Data(bytes) }
        guard content is [String: any Sendable] || content is [any Sendable] else {
            let cause = RequestError.Cause.WrongInputTypeInTranformerPipeline(
                expectedType: Value.self,
                actualType: type(of: content),
                transformer: "TypedResource<\(Value.self)>"
            )
            throw RequestError(cause: cause)
        }
        return try JSONSerialization.data(withJSONObject: JSONObjects.foundation(content))
    }
}

/// JSON values of the core as those of the platform.
private enum JSONObjects {
    static func foundation(_ value: any Sendable) -> Any {
        switch value {
        case let object as [String: any Sendable]: object.mapValues { foundation($0) }
        case let array as [any Sendable]: array.map { foundation($0) }
        case is JSONNull: NSNull()
        default: value
        }
    }
}

extension Resource {
    /// A view of this resource that gives its content as a `Value`.
    public func typed<Value: Decodable & Sendable>(_ type: Value.Type = Value.self) -> TypedResource<Value> {
        TypedResource(resource: self)
    }
}
