import CLinux
import LibC
import HTTPCore
import Platform

extension OutputBuffer {
    enum SendResult: Equatable {
        /// Everything is sent.
        case drained
        /// The socket accepts no more at present.
        case blocked
        case failed(StreamError)
    }

    /// Vectors per system call.
    private static let vectorLimit = 64
    /// Bytes of a file per system call, and of anything per call of `send`.
    ///
    /// The limit lets other streams have their turn.
    private static let fileLimit = 1 << 20
    private static let sendLimit = 4 << 20
    /// Bytes of a file per system call if the file is copied through memory.
    private static let copyLimitOfFile = 64 << 10

    /// Sends as much as the socket accepts.
    func send(to descriptor: Int32) -> SendResult {
        var budget = Self.sendLimit
        while count > 0 {
            guard budget > 0 else { return .blocked }
            let attempt = sendOnce(to: descriptor)
            guard attempt.sent >= 0 else {
                switch errno {
                case EINTR: continue
                case EAGAIN: return .blocked
                case EPIPE, ECONNRESET: return .failed(.reset)
                case EIO:
                    reportUnreadable()
                    return .failed(.system(SystemError(EIO)))
                default: return .failed(.system(SystemError(errno)))
                }
            }
            // Only a file that has become shorter yields nothing.
            if attempt.sent == 0 {
                reportUnreadable()
                return .failed(.fileTruncated)
            }
            consume(attempt.sent)
            budget -= attempt.sent
            if attempt.sent < attempt.offered { return .blocked }
        }
        return .drained
    }

    private func sendOnce(to descriptor: Int32) -> (sent: Int, offered: Int) {
        guard hasItems else { return sendTail(to: descriptor) }
        if case .file(let region) = items[firstItem] { return sendFile(region, to: descriptor) }
        return sendVectors(to: descriptor)
    }

    private func sendTail(to descriptor: Int32) -> (sent: Int, offered: Int) {
        let offered = tail.count - tailSent
        let sent = unsafe tail.withUnsafeBufferPointer { bytes -> Int in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe LibC.send(descriptor, start + tailSent, offered, Int32(MSG_NOSIGNAL))
        }
        return (sent, offered)
    }

    private func sendFile(_ region: FileRegion, to descriptor: Int32) -> (sent: Int, offered: Int) {
        var offset = off_t(region.offset)
        let offered = min(region.count, Self.fileLimit)
        let sent = unsafe sendfile(descriptor, region.descriptor, &offset, offered)
        if sent < 0, errno == EIO || errno == EINVAL || errno == ENOSYS { return copyFile(region, to: descriptor) }
        return (sent, offered)
    }

    /// Sends the beginning of a part of a file through memory: some file systems support nothing else.
    private func copyFile(_ region: FileRegion, to descriptor: Int32) -> (sent: Int, offered: Int) {
        let size = min(region.count, Self.copyLimitOfFile)
        return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
            let count = unsafe pread(region.descriptor, buffer.baseAddress, size, off_t(region.offset))
            guard count > 0 else { return (count, size) }
            return (unsafe LibC.send(descriptor, buffer.baseAddress, count, Int32(MSG_NOSIGNAL)), count)
        }
    }

    /// Notifies the owner of the first item, a file, that it could not be read or has become shorter.
    private func reportUnreadable() {
        guard hasItems, case .file(let region) = items[firstItem] else { return }
        (region.owner as? any FileReadObserver)?.fileCouldNotBeRead()
    }

    private func sendVectors(to descriptor: Int32) -> (sent: Int, offered: Int) {
        unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.vectorLimit) { vectors in
            unsafe gather(items[firstItem...], into: vectors, used: 0, descriptor: descriptor)
        }
    }

    /// Fills one vector per call, while its bytes are lent, and sends when there are no more.
    private func gather(
        _ rest: ArraySlice<Item>,
        into vectors: UnsafeMutableBufferPointer<iovec>,
        used: Int,
        descriptor: Int32
    ) -> (sent: Int, offered: Int) {
        guard used < vectors.count else { return unsafe transmit(vectors, used, more: true, descriptor) }
        guard let item = rest.first else {
            guard !tail.isEmpty else { return unsafe transmit(vectors, used, more: false, descriptor) }
            return unsafe tail.withUnsafeBufferPointer { bytes in
                unsafe vectors[used] = iovec(lending: bytes, 0..<bytes.count)
                return unsafe transmit(vectors, used + 1, more: false, descriptor)
            }
        }
        guard case .chunk(let chunk) = item else { return unsafe transmit(vectors, used, more: true, descriptor) }
        return unsafe chunk.storage.withUnsafeBufferPointer { bytes in
            unsafe vectors[used] = iovec(lending: bytes, chunk.range)
            return unsafe gather(rest.dropFirst(), into: vectors, used: used + 1, descriptor: descriptor)
        }
    }

    private func transmit(
        _ vectors: UnsafeMutableBufferPointer<iovec>,
        _ used: Int,
        more: Bool,
        _ descriptor: Int32
    ) -> (sent: Int, offered: Int) {
        var offered = 0
        for index in 0..<used { offered += unsafe vectors[index].iov_len }
        var message = unsafe msghdr()
        unsafe message.msg_iov = vectors.baseAddress
        unsafe message.msg_iovlen = used
        let flags = more ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL
        let sent = unsafe sendmsg(descriptor, &message, Int32(flags))
        return (sent, offered)
    }
}

extension OutputBuffer {
    /// Parts smaller than this are joined, so that each does not become a TLS record of its own.
    private static let smallPart = 4096
    private static let gatherLimit = 16384

    /// Lends bytes from the front to be encrypted, at most `limit`.
    ///
    /// - Returns: the number; not above 0 if a file has become shorter or cannot be read.
    func lendFront(upTo limit: Int, through passage: ReadBuffer, _ body: (Span<UInt8>) -> Void) -> Int {
        guard hasItems else {
            let bytes = tail
            let end = min(bytes.count, tailSent + limit)
            body(bytes.span.extracting(tailSent..<end))
            return end - tailSent
        }
        switch items[firstItem] {
        case .file(let region):
            let count = passage.read(region, limit: limit)
            if count > 0 { passage.withBytes(0..<count, body) } else { reportUnreadable() }
            return count
        case .chunk(let chunk) where chunk.count >= Self.smallPart:
            let part = chunk.prefix(limit)
            part.withBytes(body)
            return part.count
        case .chunk:
            let count = gather(min(limit, Self.gatherLimit), into: passage)
            passage.withBytes(0..<count, body)
            return count
        }
    }

    /// Copies bytes from the front, at most `limit`, up to the next file.
    private func gather(_ limit: Int, into passage: ReadBuffer) -> Int {
        var count = 0
        for item in items[firstItem...] {
            guard case .chunk(let chunk) = item, count < limit else { return count }
            count += chunk.prefix(limit - count).withBytes { passage.write($0, at: count) }
        }
        let rest = tail
        return count + passage.write(rest.span.extracting(0..<min(rest.count, limit - count)), at: count)
    }
}

extension iovec {
    /// A vector over `bytes[range]`; valid only while they are lent.
    fileprivate init(lending bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        let start = unsafe bytes.baseAddress.map { unsafe UnsafeMutableRawPointer(mutating: $0 + range.lowerBound) }
        unsafe self.init(iov_base: start, iov_len: range.count)
    }
}
