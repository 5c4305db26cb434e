public import Exchanges
public import Formats
import ResourceCore

extension RequestError {
    /// Well-known causes; `cause` may also be any other error (S-160 to S-162).
    public enum Cause {
        // MARK: Before sending

        /// The text is no URL, or there is none.
        public struct InvalidURL: Error, Sendable, Hashable {
            /// The text that was given, if any.
            public var urlSource: String?
            public init(urlSource: String?) { self.urlSource = urlSource }
        }

        /// The encoding lacks a character of the text.
        public struct UnencodableText: Error, Sendable, Hashable {
            public var encoding: TextEncoding
            public var text: String
            public init(encoding: TextEncoding, text: String) {
                self.encoding = encoding
                self.text = text
            }
        }

        /// The value has parts that JSON cannot express.
        public struct InvalidJSONObject: Error, Sendable, Hashable {
            public init() {}
        }

        /// Text that cannot be form content.
        public struct NotURLEncodable: Error, Sendable, Hashable {
            public var offendingString: String
            public init(offendingString: String) { self.offendingString = offendingString }
        }

        /// The text is no request method of this model.
        public struct InvalidRequestMethod: Error, Sendable, Hashable {
            public var method: String
            public init(method: String) { self.method = method }
        }

        // MARK: On the way

        /// The service was dropped while it loaded: why a request was cancelled that nobody cancelled.
        ///
        /// A program keeps its service while it awaits a load.
        public struct ServiceDropped: Error, Sendable, Hashable {
            public init() {}
        }

        /// The request was cancelled.
        public struct RequestCancelled: Error, Sendable {
            /// The provider's error, if the provider cancelled it; `ServiceDropped` if the service went.
            public var networkError: (any Error)?
            public init(_ networkError: (any Error)? = nil) { self.networkError = networkError }
        }

        /// The origin could not be reached, broke off, or did not speak HTTP.
        public struct Network: Error, Sendable, Hashable {
            /// Its raw value names it in logs and metrics (RFC 9209 §2.3).
            public var kind: ExchangeFailure.Kind
            /// A sentence for a person.
            public var message: String
            /// The error that the networking provider reported, such as a `URLError`; `==` ignores it.
            public var underlying: (any Error)?

            public init(_ kind: ExchangeFailure.Kind, message: String, underlying: (any Error)? = nil) {
                self.kind = kind
                self.message = message
                self.underlying = underlying
            }

            public static func == (left: Network, right: Network) -> Bool {
                left.kind == right.kind && left.message == right.message
            }

            public func hash(into hasher: inout Hasher) {
                hasher.combine(kind)
                hasher.combine(message)
            }
        }

        /// The content is larger than may be kept in memory.
        public struct ContentTooLarge: Error, Sendable, Hashable {
            /// In bytes; nil if not known here.
            public var limit: Int?
            public init(limit: Int? = nil) { self.limit = limit }
        }

        // MARK: After the response

        /// The coding of the content, such as gzip, is unknown or broken, or decodes to more than is allowed.
        ///
        /// The error's entity has the content as received.
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

        /// The origin sent "not modified", but there is no data (S-098).
        public struct NoLocalDataFor304: Error, Sendable, Hashable {
            public init() {}
        }

        /// The content type names an unknown charset.
        public struct InvalidTextEncoding: Error, Sendable, Hashable {
            public var encodingName: String
            public init(encodingName: String) { self.encodingName = encodingName }
        }

        /// The bytes are invalid in the encoding.
        public struct UndecodableText: Error, Sendable, Hashable {
            public var encoding: TextEncoding
            public init(encoding: TextEncoding) { self.encoding = encoding }
        }

        /// The content is valid JSON, but neither object nor array.
        public struct JSONResponseIsNotDictionaryOrArray: Error, Sendable {
            public var actualType: any Any.Type
            public init(actualType: any Any.Type) { self.actualType = actualType }
        }

        /// The content is no image of a known kind.
        public struct UnparsableImage: Error, Sendable, Hashable {
            public init() {}
        }

        /// A transformer got content that is not of its input type; the spelling is that of the model.
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

        /// A transformer returned nil.
        public struct TransformerReturnedNil: Error, Sendable {
            /// The `ResponseTransformer`.
            public var transformer: any Sendable
            public init(transformer: any Sendable) { self.transformer = transformer }
        }

        /// A persistent cache has nothing; never visible to programs.
        struct CacheMiss: Error, Sendable {}
    }
}
