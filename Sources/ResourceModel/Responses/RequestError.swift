public import Exchanges
import Formats
public import HTTPCore
import ResourceCore

/// Why a request failed: before it was sent, on the way, by its status, or because of its content (S-156).
public struct RequestError: Error, Sendable {
    /// A text for people; never empty (S-158).
    public var userMessage: String
    /// The status of the response, if there was one, even if something else failed later.
    public var httpStatusCode: Int?
    /// The content of the response, with its fields.
    public var entity: Entity<any Sendable>?
    /// What a lower layer or a transformer reported, or one of `RequestError.Cause`.
    public var cause: (any Error)?
    /// When this value was made (S-164).
    public var timestamp: Timestamp
    /// The same time on the monotonic clock, from which the retry time counts; nil: not known.
    var time: MonotonicTime?

    /// An error with a response, or without one.
    ///
    /// - Parameters:
    ///   - response: the head, if one came; it has the status, and the fields of the entity.
    ///   - content: becomes the entity; nil: there is none.
    ///   - cause: what went wrong, if the status does not say it all.
    ///   - userMessage: nil: the description of the cause, else the phrase of the status (S-158).
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

    /// An error that the program makes.
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

    /// Whether the request was cancelled (S-163).
    public var isCancellation: Bool { cause is Cause.RequestCancelled }
}

extension RequestError: TypedContentAccessors {
    /// The content of the failed response (S-159).
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
    /// The given text, else the description of the cause, else the phrase of the status, else a general text (S-158).
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
        case let failure as ExchangeFailure: ProgramTexts.text(failure.userMessage)
        case let error as RequestError: error.userMessage
        default: sentence(cause).map { $0.prefix(1).uppercased() + $0.dropFirst() } ?? String(describing: cause)
        }
    }

    /// An error's message for people; nil for an error that may not have one.
    private static func sentence(_ cause: any Error) -> String? {
        switch cause {
        case let error as DecodingError: error.sentence
        case let error as EncodingError: error.sentence
        case let error as JSONSyntaxError: error.description
        default: ForeignErrors.sentence(cause)
        }
    }

    /// The error for content that a transformer cannot read; it gives the reason if the cause does.
    package init(unreadable cause: any Error, entity: Entity<any Sendable>? = nil) {
        let why = Self.sentence(cause).map { ": \($0)" } ?? ""
        self.init(userMessage: "Cannot parse server response\(why)", cause: cause, entity: entity)
    }
}
