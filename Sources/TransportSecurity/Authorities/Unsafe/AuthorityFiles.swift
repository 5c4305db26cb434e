import LibC
public import HTTPCore

/// The two files of our own authority.
public struct AuthorityFiles: Sendable, Hashable {
    public let directory: String

    public init(directory: String) { self.directory = directory }

    /// The certificate, in PEM form.
    public var certificateFile: String { "\(directory)/ca.pem" }
    /// The key, which only its owner may read.
    public var keyFile: String { "\(directory)/ca.key" }

    private static let limit = 1 << 20

    /// Reads and checks both files; blocks.
    public func load(at now: HTTPDate) throws(AuthorityError) -> CertificateAuthority {
        guard exists(certificateFile) || exists(keyFile) else { throw .absent(directory: directory) }
        let authority = try CertificateAuthority(
            certificate: try read(certificateFile, isSecret: false),
            key: try read(keyFile, isSecret: true),
            of: self
        )
        let certificate = authority.certificate
        guard now <= certificate.ends else {
            throw .expired(certificateFile: certificateFile, date: certificate.ends.day)
        }
        guard now >= certificate.begins else {
            throw .notYetValid(certificateFile: certificateFile, date: certificate.begins.day)
        }
        return authority
    }

    /// Reads the certificate alone, without its key and without checking its dates; blocks.
    public func loadCertificate() throws(AuthorityError) -> AuthorityCertificate {
        guard exists(certificateFile) || exists(keyFile) else { throw .absent(directory: directory) }
        guard let first = Certificate.all(inPEM: try read(certificateFile, isSecret: false)).first else {
            throw .noCertificate(certificateFile)
        }
        return AuthorityCertificate(first)
    }

    /// Writes both atomically, so that a full disk leaves the existing files; blocks.
    ///
    /// Only the owner may read the key and a directory made here. If root calls it, the owner of the parent directory
    /// gets all of it, so that a service of another user can read it.
    ///
    /// - Parameter replaces: whether existing files may be replaced.
    public func write(_ authority: CertificateAuthority, replaces: Bool) throws(AuthorityError) {
        let owner = try makeDirectory()
        if !replaces {
            for file in [keyFile, certificateFile] where exists(file) { throw .exists(file: file) }
        }
        let key = AtomicFile(path: keyFile, mode: 0o600, owner: owner)
        let certificate = AtomicFile(path: certificateFile, mode: 0o644, owner: owner)
        defer { for file in [key, certificate] { file.discard() } }
        // Both drafts are on the disk before an existing file is replaced.
        try key.write(authority.keyPEM)
        try certificate.write(authority.certificate.pem)
        // The key first: that keeps two processes from making a CA at the same time.
        try key.publish(replaces: replaces)
        try certificate.publish(replaces: replaces)
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    // MARK: Reading

    private func exists(_ file: String) -> Bool {
        var status = stat()
        return unsafe lstat(file, &status) == 0 || errno != ENOENT
    }

    private func read(_ file: String, isSecret: Bool) throws(AuthorityError) -> [UInt8] {
        // A pipe without a writer would block.
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(file: file, reason: AtomicFile.reason()) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(file: file, reason: AtomicFile.reason()) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular(file: file) }
        // A group may have access on purpose, but not everybody.
        guard !isSecret || status.st_mode & 0o027 == 0 else { throw .tooOpen(keyFile: file) }
        guard !isSecret || belongsToUs(status) else { throw .foreignKey(keyFile: file, owner: status.st_uid) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe LibC.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw .unreadable(file: file, reason: AtomicFile.reason())
            }
            bytes += buffer.prefix(count)
            guard bytes.count <= Self.limit else { throw .tooLarge(file: file) }
        }
    }

    /// Whether the file belongs to this user or root, or, if we are root, to the owner of the directory, as `write`
    /// leaves it.
    private func belongsToUs(_ file: stat) -> Bool {
        if file.st_uid == geteuid() || file.st_uid == 0 { return true }
        var status = stat()
        return unsafe geteuid() == 0 && stat(directory, &status) == 0 && status.st_uid == file.st_uid
    }

    // MARK: Writing

    /// Makes the directory; returns the owner for new files, or nil for this process's user.
    private func makeDirectory() throws(AuthorityError) -> AtomicFile.Owner? {
        var position = directory.startIndex
        var parent = stat()
        var isOthers = false
        while position < directory.endIndex {
            let end = directory[position...].dropFirst().firstIndex(of: "/") ?? directory.endIndex
            let path = String(directory[..<end])
            var status = stat()
            if unsafe stat(path, &status) == 0 {
                parent = status
                isOthers = geteuid() == 0 && parent.st_uid != 0
            } else {
                let isMade = unsafe mkdir(path, 0o700) == 0
                guard isMade || errno == EEXIST else {
                    throw .unwritable(file: path, reason: AtomicFile.reason())
                }
                // The owner of the parent directory may have put another file there meanwhile.
                let owner = AtomicFile.Owner(user: parent.st_uid, group: parent.st_gid)
                guard !isMade || !isOthers || owner.own(directory: path) else {
                    throw .unwritable(file: path, reason: AtomicFile.reason())
                }
            }
            position = end
        }
        return isOthers ? AtomicFile.Owner(user: parent.st_uid, group: parent.st_gid) : nil
    }
}
