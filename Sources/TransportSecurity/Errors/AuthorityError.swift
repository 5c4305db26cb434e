/// Why our own authority cannot be used or made.
public enum AuthorityError: Error, Sendable, Hashable {
    /// Neither the certificate nor the key exists.
    case absent(directory: String)
    case unreadable(file: String, reason: String)
    case tooLarge(file: String)
    case notRegular(file: String)
    /// Everybody may read the key, or users other than its owner may change it.
    case tooOpen(keyFile: String)
    /// The key belongs to another user, who could change it.
    case foreignKey(keyFile: String, owner: UInt32)
    case noCertificate(String)
    /// The certificate may not sign others.
    case noAuthority(String)
    case noKey(String)
    case otherKey(certificateFile: String, keyFile: String)
    /// The certificate has expired; the date is in the form `2026-11-22`.
    case expired(certificateFile: String, date: String)
    case notYetValid(certificateFile: String, date: String)
    /// The file exists already.
    case exists(file: String)
    case unwritable(file: String, reason: String)
    /// OpenSSL has no memory or no randomness.
    case notMade

    /// A sentence that names the file, and what to do.
    public var userMessage: String {
        switch self {
        case .absent(let directory): "there is no CA in \(directory); `respite ca create` makes one"
        case .unreadable(let file, let reason):
            "\(file) cannot be read: \(reason); the CA's files belong to whoever made it, see `intercept.ca-directory`"
        case .tooLarge(let file): "\(file) is too large for what it should be"
        case .notRegular(let file): "\(file) is no regular file"
        case .tooOpen(let file):
            "\(file) can be read by everybody, or written by others than its owner; `chmod 600` it, and if others have "
                + "seen it, make another CA by `respite ca create --force`"
        case .foreignKey(let file, let owner):
            "\(file) belongs to user \(owner): who owns the key decides who is believed; `chown` it to the user Respite runs "
                + "as, or to root"
        case .noCertificate(let file):
            "\(file) holds no certificate in PEM form; `respite ca create --force` makes another CA"
        case .noAuthority(let file):
            "the certificate in \(file) is none of an authority (basicConstraints CA:TRUE, keyUsage keyCertSign); "
                + "put a CA's there, or `respite ca create --force` makes one"
        case .noKey(let file):
            "\(file) holds no private key in PEM form without a password; `respite ca create --force` makes another CA"
        case .otherKey(let certificateFile, let keyFile):
            "\(keyFile) is not the key of the certificate in \(certificateFile); put the two together that belong together, "
                + "or `respite ca create --force` makes another CA"
        case .expired(let file, let date):
            "the CA's certificate in \(file) expired on \(date); `respite ca create --force` makes another, which clients "
                + "have to be told to trust"
        case .notYetValid(let file, let date):
            "the CA's certificate in \(file) is not valid before \(date); is our clock right?"
        case .exists(let file):
            "\(file) is there already; `--force` puts another CA in its place, which those who trust this one do not trust"
        case .unwritable(let file, let reason): "\(file) cannot be written: \(reason)"
        case .notMade: "OpenSSL cannot make a key or a certificate"
        }
    }
}
