import CHiredis

/// Reads replies from bytes that come in any pieces, by hiredis.
///
/// hiredis bounds the nesting. Its own builder would make room for as many elements as a server announces; ours counts.
@safe
final class ReplyReader {
    private let reader: UnsafeMutablePointer<redisReader>?
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let builder: ReplyBuilder
    private let limits: ReplyLimits
    /// Bytes fed since the last complete reply.
    private var pending = 0

    init(_ limits: ReplyLimits = ReplyLimits()) {
        self.limits = limits
        builder = ReplyBuilder(limits.elements)
        unsafe functions = .allocate(capacity: 1)
        unsafe functions.initialize(
            to: redisReplyObjectFunctions(
                createString: makeText,
                createArray: makeList,
                createInteger: makeNumber,
                createNil: makeNothing,
                freeObject: release
            )
        )
        unsafe reader = redisReaderCreateWithFunctions(functions)
        if let reader = unsafe reader { unsafe reader.pointee.privdata = Unmanaged.passUnretained(builder).toOpaque() }
    }

    deinit {
        if let reader = unsafe reader { unsafe redisReaderFree(reader) }
        unsafe functions.deallocate()
    }

    /// Adds bytes; `next()` then returns the replies that are complete.
    func feed(_ bytes: Span<UInt8>) {
        guard let reader = unsafe reader, bytes.count > 0 else { return }
        pending += bytes.count
        unsafe bytes.withUnsafeBytes {
            unsafe _ = redisReaderFeed(reader, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
    }

    /// The next complete reply; nil if more bytes are needed.
    ///
    /// After an error no reply follows: the connection must be closed.
    func next() throws(ReplyFault) -> RedisReply? {
        guard let reader = unsafe reader else { throw .tooLarge }
        var raw: UnsafeMutableRawPointer?
        let status = unsafe redisReaderGetReply(reader, &raw)
        guard status == REDIS_OK else { throw unsafe fault(of: reader) }
        guard let raw = unsafe raw else {
            // A reply that is not complete; those before it have been returned.
            if pending > limits.bytes { throw .tooLarge }
            return nil
        }
        let node = unsafe Unmanaged<ReplyNode>.fromOpaque(raw).takeRetainedValue()
        builder.made = 0
        pending = unsafe reader.pointee.len - reader.pointee.pos
        return node.reply
    }

    private func fault(of reader: UnsafeMutablePointer<redisReader>) -> ReplyFault {
        let code = unsafe reader.pointee.err
        if builder.isOverLimit || code == REDIS_ERR_OOM { return .tooLarge }
        let text = unsafe withUnsafeBytes(of: reader.pointee.errstr) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return .malformed(text)
    }
}

/// Counts the elements of the reply that is being read.
private final class ReplyBuilder {
    private let limit: Int
    var made = 0
    var isOverLimit = false

    init(_ limit: Int) { self.limit = limit }

    /// Counts one more element; false if that is too many.
    func admit() -> Bool {
        made += 1
        isOverLimit = made > limit
        return !isOverLimit
    }
}

/// A value of a reply that is being read; lists get their elements later.
private final class ReplyNode {
    private let value: RedisReply?
    private var elements: [ReplyNode] = []

    /// - Parameter value: nil for a list.
    init(_ value: RedisReply?) { self.value = value }

    func append(_ node: ReplyNode) { elements.append(node) }

    var reply: RedisReply { value ?? .list(elements.map(\.reply)) }
}

// What hiredis calls for each value. The list that contains a value retains it; the outermost one retains itself, until
// `next` or `release` consumes it.

private func add(_ task: UnsafePointer<redisReadTask>?, _ value: RedisReply?) -> UnsafeMutableRawPointer? {
    guard let task = unsafe task, let data = unsafe task.pointee.privdata else { return nil }
    let builder = unsafe Unmanaged<ReplyBuilder>.fromOpaque(data).takeUnretainedValue()
    guard builder.admit() else { return nil }
    let node = ReplyNode(value)
    guard let parent = unsafe task.pointee.parent, let list = unsafe parent.pointee.obj else {
        return unsafe Unmanaged.passRetained(node).toOpaque()
    }
    unsafe Unmanaged<ReplyNode>.fromOpaque(list).takeUnretainedValue().append(node)
    return unsafe Unmanaged.passUnretained(node).toOpaque()
}

private func makeText(
    _ task: UnsafePointer<redisReadTask>?,
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ count: Int
) -> UnsafeMutableRawPointer? {
    let text = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    let isFailure = unsafe task?.pointee.type == REDIS_REPLY_ERROR
    return unsafe add(task, isFailure ? .failure(RedisError(text)) : .text(text))
}

private func makeList(_ task: UnsafePointer<redisReadTask>?, _ count: Int32) -> UnsafeMutableRawPointer? {
    unsafe add(task, nil)
}

private func makeNumber(_ task: UnsafePointer<redisReadTask>?, _ number: Int64) -> UnsafeMutableRawPointer? {
    unsafe add(task, .number(number))
}

private func makeNothing(_ task: UnsafePointer<redisReadTask>?) -> UnsafeMutableRawPointer? {
    unsafe add(task, .nothing)
}

private func release(_ object: UnsafeMutableRawPointer?) {
    if let object = unsafe object { unsafe Unmanaged<ReplyNode>.fromOpaque(object).release() }
}
