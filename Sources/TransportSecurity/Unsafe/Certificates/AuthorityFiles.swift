import Glibc
public import HTTPCore

/// The two files of an authority of our own.
public struct AuthorityFiles: Sendable, Hashable {
    public let directory: String

    public init(directory: String) { self.directory = directory }

    /// The certificate, in PEM form.
    public var certificateFile: String { "\(directory)/ca.pem" }
    /// Its key, for its owner alone.
    public var keyFile: String { "\(directory)/ca.key" }

    private static let limit = 1 << 20

    /// Reads both and judges them; blocks.
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

    /// Reads the certificate alone, of which no key is needed and no date asked; blocks.
    public func loadCertificate() throws(AuthorityError) -> AuthorityCertificate {
        guard exists(certificateFile) || exists(keyFile) else { throw .absent(directory: directory) }
        guard let first = Certificate.all(inPEM: try read(certificateFile, isSecret: false)).first else {
            throw .noCertificate(certificateFile)
        }
        return AuthorityCertificate(first)
    }

    /// Writes both, the key for its owner alone, each whole or not at all: a full disk leaves those that are there; blocks.
    ///
    /// A missing directory is made for its owner alone. As root, all belongs to whoever owns the directory above, so that
    /// a service that runs as another user can read it.
    /// - Parameter replaces: whether files that are there may be replaced.
    public func write(_ authority: CertificateAuthority, replaces: Bool) throws(AuthorityError) {
        let owner = try makeDirectory()
        if !replaces {
            for file in [keyFile, certificateFile] where exists(file) { throw .exists(file: file) }
        }
        let key = PlacedFile(path: keyFile, mode: 0o600, owner: owner)
        let certificate = PlacedFile(path: certificateFile, mode: 0o644, owner: owner)
        defer { for file in [key, certificate] { file.discard() } }
        // Both are on the disk before anything that is there is replaced.
        try key.write(authority.keyPEM)
        try certificate.write(authority.certificate.pem)
        // The key first: it keeps two from making a CA at once.
        try key.place(replaces: replaces)
        try certificate.place(replaces: replaces)
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
        guard descriptor >= 0 else { throw .unreadable(file: file, reason: PlacedFile.reason()) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(file: file, reason: PlacedFile.reason()) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular(file: file) }
        // A group may be let in on purpose; everybody never.
        guard !isSecret || status.st_mode & 0o027 == 0 else { throw .tooOpen(keyFile: file) }
        guard !isSecret || belongsToUs(status) else { throw .foreignKey(keyFile: file, owner: status.st_uid) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw .unreadable(file: file, reason: PlacedFile.reason())
            }
            bytes += buffer.prefix(count)
            guard bytes.count <= Self.limit else { throw .tooLarge(file: file) }
        }
    }

    /// It is this user's or root's; for root also that of whoever the directory belongs to, as `write` leaves it.
    private func belongsToUs(_ file: stat) -> Bool {
        if file.st_uid == geteuid() || file.st_uid == 0 { return true }
        var status = stat()
        return unsafe geteuid() == 0 && stat(directory, &status) == 0 && status.st_uid == file.st_uid
    }

    // MARK: Writing

    /// Whom new files are to belong to; nil: this process's user.
    private func makeDirectory() throws(AuthorityError) -> PlacedFile.Owner? {
        var place = directory.startIndex
        var parent = stat()
        var isOthers = false
        while place < directory.endIndex {
            let end = directory[place...].dropFirst().firstIndex(of: "/") ?? directory.endIndex
            let path = String(directory[..<end])
            var status = stat()
            if unsafe stat(path, &status) == 0 {
                parent = status
                isOthers = geteuid() == 0 && parent.st_uid != 0
            } else {
                let isMade = unsafe mkdir(path, 0o700) == 0
                guard isMade || errno == EEXIST else {
                    throw .unwritable(file: path, reason: PlacedFile.reason())
                }
                // Whoever owns the directory above may have put something else there by now.
                let owner = PlacedFile.Owner(user: parent.st_uid, group: parent.st_gid)
                guard !isMade || !isOthers || owner.take(directory: path) else {
                    throw .unwritable(file: path, reason: PlacedFile.reason())
                }
            }
            place = end
        }
        return isOthers ? PlacedFile.Owner(user: parent.st_uid, group: parent.st_gid) : nil
    }
}

extension HTTPDate {
    /// `2026-11-22`.
    public var day: String {
        let (year, month, day) = calendarDay
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))"
    }
}
