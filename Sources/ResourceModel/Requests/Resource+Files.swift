public import HTTPCore
public import ResourceCore

/// Requests whose content is in files, in either direction.
///
/// Files are sent and received piece by piece, so that their size does not matter.
extension Resource {
    /// A request with the bytes of a file.
    ///
    /// The file is opened when the request starts, and once more if it is repeated. It fails with
    /// `RequestError.Cause.FileTransfer` if there is no such regular file, or if it may not be read. It also fails if
    /// the size of the file changes before everything is sent.
    ///
    /// - Parameters:
    ///   - method: any.
    ///   - file: the path.
    ///   - contentType: sets `Content-Type`, replacing a configured one (S-111).
    ///   - requestMutation: runs after that, before configured mutations.
    @discardableResult
    public func request(
        _ method: Method,
        file: String,
        contentType: String,
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> Request {
        request(method) { request in
            request[field: "Content-Type"] = contentType
            request.bodyFile = file
            requestMutation(&request)
        }
    }

    /// A GET whose content goes to a file; the entity's content is a `DownloadedFile`, which no pipeline changes.
    ///
    /// It changes nothing of this resource. Content is written to a part beside the file, whose name ends with
    /// `.respite-part`. What was at the path stays until the new file is complete and on the disk.
    ///
    /// A part stays after a failure and after `cancel()` if the response had a strong validator. That is a strong
    /// `ETag`, or a `Last-Modified` that is a second older than the response's `Date`. The next download of the same
    /// URL to the same path continues it, by `Range` and `If-Range`. If the server does not agree, it starts anew.
    ///
    /// It asks for no content coding, since a range is one of coded bytes. A coded response all the same fails with
    /// `RequestError.Cause.UndecodableContent`. A request that sets `Accept-Encoding` itself gets the bytes as they
    /// came; over URL sessions it fails.
    ///
    /// Downloads to the same path come one after another. Faults of files are `RequestError.Cause.FileTransfer`; so is
    /// a response that has no such content, such as a redirection.
    ///
    /// - Parameters:
    ///   - path: of the file; its directory must exist.
    ///   - requestMutation: runs before configured mutations. A `Range` of its own makes a file of that part, and is
    ///     not continued.
    @discardableResult
    public func download(to path: String, requestMutation: @escaping RequestMutation = { _ in }) -> Request {
        request(.get) { request in
            request.destination = path
            requestMutation(&request)
        }
    }
}
