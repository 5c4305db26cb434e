import CLinux
import LibC

/// The file descriptors of this process.
public enum Descriptors {
    /// Raises the limit on open descriptors to its hard value.
    ///
    /// - Returns: the new limit.
    @discardableResult
    public static func raiseLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(respite_descriptor_limit, &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if unsafe setrlimit(respite_descriptor_limit, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The current limit on open descriptors.
    public static var limit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(respite_descriptor_limit, &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Sets the limit on open descriptors, at most to its hard value.
    package static func setLimit(_ count: Int) {
        var limit = rlimit()
        guard unsafe getrlimit(respite_descriptor_limit, &limit) == 0 else { return }
        limit.rlim_cur = rlim_t(count)
        _ = unsafe setrlimit(respite_descriptor_limit, &limit)
    }

    /// The number that the system would give the next descriptor; nil if the limit is reached.
    package static func nextNumber() -> Int? {
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        _ = close(descriptor)
        return Int(descriptor)
    }
}
