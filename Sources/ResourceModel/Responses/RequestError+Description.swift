import Formats
import HTTPCore
import ResourceCore

// Messages of errors that have none of their own, by cause (S-158).

extension RequestError.Cause.InvalidURL: CustomStringConvertible {
    /// Names the text without a password, and not all of a long one.
    public var description: String {
        guard let urlSource, !urlSource.isEmpty else { return "There is no URL" }
        return "The URL \(Self.shown(urlSource).debugDescription) is not valid"
    }

    private static func shown(_ text: String) -> String {
        let shown = String(withoutUserInformation(text).prefix(200))
        return shown.count == 200 ? shown + "…" : shown
    }

    /// Text that is no URL has no certain end of its authority: all that may be a password is left out.
    private static func withoutUserInformation(_ text: String) -> Substring {
        guard let at = text.lastIndex(of: "@") else { return text[...] }
        return text[text.index(after: at)...]
    }
}

extension RequestError.Cause.UnencodableText: CustomStringConvertible {
    public var description: String { "The text cannot be encoded as \(encoding.ianaName)" }
}

extension RequestError.Cause.InvalidJSONObject: CustomStringConvertible {
    public var description: String { "The value cannot be expressed as JSON" }
}

extension RequestError.Cause.NotURLEncodable: CustomStringConvertible {
    public var description: String { "The text cannot be sent as a form field" }
}

extension RequestError.Cause.InvalidRequestMethod: CustomStringConvertible {
    public var description: String { "The request method is not known" }
}

extension RequestError.Cause.RequestCancelled: CustomStringConvertible {
    public var description: String {
        (networkError as? RequestError.Cause.ServiceDropped).map { "Request cancelled: \($0)" } ?? "Request cancelled"
    }
}

extension RequestError.Cause.ServiceDropped: CustomStringConvertible {
    public var description: String { "its service was dropped; keep the service while it loads" }
}

extension RequestError.Cause.Network: CustomStringConvertible {
    public var description: String { message }
}

extension RequestError.Cause.ContentTooLarge: CustomStringConvertible {
    public var description: String {
        limit.map { "The content is larger than \($0) bytes, which is the limit" } ?? "The content is too large"
    }
}

extension RequestError.Cause.NoLocalDataFor304: CustomStringConvertible {
    public var description: String { "The server says that the data has not changed, but there is none" }
}

extension RequestError.Cause.UndecodableContent: CustomStringConvertible {
    public var description: String { "The content cannot be decoded: \(message)" }
}

extension RequestError.Cause.InvalidTextEncoding: CustomStringConvertible {
    public var description: String { "The text has an unknown encoding" }
}

extension RequestError.Cause.UndecodableText: CustomStringConvertible {
    public var description: String { "The text is not valid \(encoding.ianaName)" }
}

extension RequestError.Cause.JSONResponseIsNotDictionaryOrArray: CustomStringConvertible {
    public var description: String { "The JSON is neither object nor array" }
}

extension RequestError.Cause.UnparsableImage: CustomStringConvertible {
    public var description: String { "The content is no image" }
}

extension RequestError.Cause.WrongInputTypeInTranformerPipeline: CustomStringConvertible {
    public var description: String { "The content is of type \(actualType), but \(expectedType) is needed" }
}

extension RequestError.Cause.TransformerReturnedNil: CustomStringConvertible {
    public var description: String { "The content could not be read" }
}
