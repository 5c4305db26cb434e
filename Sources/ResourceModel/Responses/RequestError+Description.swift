import Formats
import HTTPCore
import ResourceCore

// Messages of errors that have none of their own, by cause (S-158).

extension RequestError.Cause.InvalidURL: CustomStringConvertible {
    public var description: String { "The URL is not valid" }
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
    public var description: String { "Request cancelled" }
}

extension RequestError.Cause.Network: CustomStringConvertible {
    public var description: String { message }
}

extension RequestError.Cause.ContentTooLarge: CustomStringConvertible {
    public var description: String { "The content is too large" }
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
    public var description: String { "The content has an unexpected type" }
}

extension RequestError.Cause.TransformerReturnedNil: CustomStringConvertible {
    public var description: String { "The content could not be read" }
}
