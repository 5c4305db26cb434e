public import Exchanges
public import Formats
import ResourceCore

extension RequestError {
    /// Well-known causes; `cause` may also be any other error (S-160 to S-162).
    public enum Cause {
        // MARK: Before sending

        /// The URL, or the text it should have come from, is none.
        public struct InvalidURL: Error, Sendable, Hashable {
            /// What was given, if anything was.
            public var urlSource: String?
            public init(urlSource: String?) { self.urlSource = urlSource }
        }

        /// The text cannot be expressed in the encoding.
        public struct UnencodableText: Error, Sendable, Hashable {
            public var encoding: TextEncoding
            public var text: String
            public init(encoding: TextEncoding, text: String) {
                self.encoding = encoding
                self.text = text
            }
        }

        /// The value has parts that JSON does not know.
        public struct InvalidJSONObject: Error, Sendable, Hashable {
            public init() {}
        }

        /// Text that cannot be form content.
        public struct NotURLEncodable: Error, Sendable, Hashable {
            public var offendingString: String
            public init(offendingString: String) { self.offendingString = offendingString }
        }

        /// The text is no request method this model knows.
        public struct InvalidRequestMethod: Error, Sendable, Hashable {
            public var method: String
            public init(method: String) { self.method = method }
        }

        // MARK: On the way

        /// The request was given up.
        public struct RequestCancelled: Error, Sendable {
            /// What the provider said, if it was the one.
            public var networkError: (any Error)?
            public init(_ networkError: (any Error)? = nil) { self.networkError = networkError }
        }

        /// The origin could not be reached, broke off, or spoke no HTTP.
        public struct Network: Error, Sendable, Hashable {
            /// Its raw value names it in logs and metrics (RFC 9209 §2.3).
            public var kind: ExchangeFailure.Kind
            /// A sentence for a person.
            public var message: String
            public init(_ kind: ExchangeFailure.Kind, message: String) {
                self.kind = kind
                self.message = message
            }
        }

        /// The content is larger than what is taken into memory.
        public struct ContentTooLarge: Error, Sendable, Hashable {
            /// In bytes; nil where it is not this error's to know.
            public var limit: Int?
            public init(limit: Int? = nil) { self.limit = limit }
        }

        // MARK: After the response

        /// The content's coding (gzip and its like) is unknown, broken, or makes more of it than is allowed.
        ///
        /// The error's entity has the content as it came.
        public struct UndecodableContent: Error, Sendable, Hashable {
            /// The value of `Content-Encoding`.
            public var coding: String
            /// A sentence for a person.
            public var message: String
            public init(coding: String, message: String) {
                self.coding = coding
                self.message = message
            }
        }

        /// The origin says "not modified" of data that is not there (S-098).
        public struct NoLocalDataFor304: Error, Sendable, Hashable {
            public init() {}
        }

        /// The content type names a charset that nobody knows.
        public struct InvalidTextEncoding: Error, Sendable, Hashable {
            public var encodingName: String
            public init(encodingName: String) { self.encodingName = encodingName }
        }

        /// The bytes are no text in the encoding.
        public struct UndecodableText: Error, Sendable, Hashable {
            public var encoding: TextEncoding
            public init(encoding: TextEncoding) { self.encoding = encoding }
        }

        /// Correct JSON, but neither object nor array.
        public struct JSONResponseIsNotDictionaryOrArray: Error, Sendable {
            public var actualType: any Any.Type
            public init(actualType: any Any.Type) { self.actualType = actualType }
        }

        /// The bytes are no image of a known kind.
        public struct UnparsableImage: Error, Sendable, Hashable {
            public init() {}
        }

        /// A transformer got another type than it takes; spelt as in the model.
        public struct WrongInputTypeInTranformerPipeline: Error, Sendable {
            public var expectedType: any Any.Type
            public var actualType: any Any.Type
            /// The `ResponseTransformer`.
            public var transformer: any Sendable
            public init(expectedType: any Any.Type, actualType: any Any.Type, transformer: any Sendable) {
                self.expectedType = expectedType
                self.actualType = actualType
                self.transformer = transformer
            }
        }

        /// A transformer gave nothing.
        public struct TransformerReturnedNil: Error, Sendable {
            /// The `ResponseTransformer`.
            public var transformer: any Sendable
            public init(transformer: any Sendable) { self.transformer = transformer }
        }

        /// A persistent cache has nothing; never seen outside.
        struct CacheMiss: Error, Sendable {}
    }
}
