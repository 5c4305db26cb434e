public import Exchanges
public import HTTPCore
import ResourceCore

/// Why a request failed: before anything was sent, on the way, by its status, or because of its content (S-156).
public struct RequestError: Error, Sendable {
    /// A text for people; never empty (S-158).
    public var userMessage: String
    /// The status of the response, if there was one; also where something else failed after it.
    public var httpStatusCode: Int?
    /// The content of the response, with its fields.
    public var entity: Entity<any Sendable>?
    /// What a lower layer or a transformer reported, or one of `RequestError.Cause`.
    public var cause: (any Error)?
    /// When this value was made (S-164).
    public var timestamp: Timestamp
    /// The same on the clock that never jumps: the retry time counts from here; nil: not known.
    var time: MonotonicTime?

    /// An error of a response, or of the attempt to get one.
    ///
    /// - Parameters:
    ///   - response: the head, if one came: gives the status, and the entity's fields.
    ///   - content: makes the entity; nil: there is none.
    ///   - cause: what went wrong, if more than the status tells.
    ///   - userMessage: nil: the cause's description, else the status's usual phrase (S-158).
    ///   - timestamp: when it happened.
    public init(
        response: ResponseHead?,
        content: (any Sendable)? = nil,
        cause: (any Error)? = nil,
        userMessage: String? = nil,
        timestamp: Timestamp = .now
    ) {
        httpStatusCode = response.map { Int($0.status) }
        entity = content.map { Entity(response: response?.fields ?? Fields(), content: $0, timestamp: timestamp) }
        self.cause = cause
        self.timestamp = timestamp
        self.userMessage = Self.message(userMessage, cause, httpStatusCode)
    }

    /// An error of the program's own making.
    public init(
        userMessage: String? = nil,
        cause: (any Error)? = nil,
        entity: Entity<any Sendable>? = nil,
        timestamp: Timestamp = .now
    ) {
        self.cause = cause
        self.entity = entity
        self.timestamp = timestamp
        self.userMessage = Self.message(userMessage, cause, nil)
    }

    /// Whether the request was given up rather than answered (S-163).
    public var isCancellation: Bool { cause is Cause.RequestCancelled }
}

extension RequestError: TypedContentAccessors {
    /// What came with the failed response (S-159).
    public var entityForTypedContentAccessors: Entity<any Sendable>? { entity }
}

extension RequestError: CustomStringConvertible {
    /// Message, status and kind of cause; never content.
    public var description: String {
        var parts = [userMessage]
        if let httpStatusCode { parts.append("status \(httpStatusCode)") }
        if let cause { parts.append("cause \(type(of: cause))") }
        return parts.joined(separator: "; ")
    }
}

extension RequestError {
    /// The given text; else what the cause says; else the status's phrase; else that it failed (S-158).
    private static func message(_ text: String?, _ cause: (any Error)?, _ status: Int?) -> String {
        if let text, !text.isEmpty { return text }
        if let cause {
            let said = describe(cause)
            if !said.isEmpty { return said }
        }
        return status.flatMap(ReasonText.sentence) ?? "Request failed"
    }

    private static func describe(_ cause: any Error) -> String {
        switch cause {
        case let failure as ExchangeFailure: failure.userMessage
        case let error as RequestError: error.userMessage
        default: String(describing: cause)
        }
    }
}
