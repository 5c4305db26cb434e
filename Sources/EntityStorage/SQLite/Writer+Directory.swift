/// The directory of a store may be deleted or replaced while it is open: what SQLite has open lives on without a name, and all
/// that is written then is lost.
extension Writer {
    func keepWatchingDirectory() {
        schedule(configuration.directoryCheckInterval) { writer in
            writer.checkDirectory()
            writer.keepWatchingDirectory()
        }
    }

    /// Goes on in the directory that stands in the place of the one that was opened, or in a new one.
    func checkDirectory() {
        guard counters.state != .closed, !isInPlace else { return }
        let isDirectoryOurs = !isAbandoned && directory.isInPlace
        abandon(unlocks: !isDirectoryOurs)
        do throws(StoreError) {
            if isDirectoryOurs {
                // The database alone is gone: its log fits no other.
                for name in [StoreDirectory.log, StoreDirectory.sharedMemory] { directory.root.remove(name) }
            } else {
                let found = try StoreDirectory(configuration.directory, isHandedOver: configuration.isHandedOver)
                try hasher.adopt(found)
                current.replace(found)
            }
        } catch {
            return disable(error)
        }
        isAbandoned = false
        // First, so that whoever reads the notice finds the store open.
        _ = reopen()
        let place = (name: "directory", value: directory.path)
        counters.tell(
            StoreNotice(
                .warning,
                isDirectoryOurs
                    ? "the store's database was removed or replaced; the one in its place was opened"
                    : "the store's directory was removed or replaced; the one in its place was opened",
                [place]
            )
        )
        for notice in directory.notices where !isDirectoryOurs { counters.tell(notice) }
    }

    /// What is open is what a path leads to.
    private var isInPlace: Bool {
        guard !isAbandoned, directory.isInPlace else { return false }
        guard connection != nil, let databaseIdentity else { return true }
        return directory.root.status(of: StoreDirectory.database)?.identity == databaseIdentity
    }

    /// Lets go of what is open.
    ///
    /// SQLite notices that its file has moved, and removes no log of another one.
    private func abandon(unlocks: Bool) {
        guard !isAbandoned else { return }
        isAbandoned = true
        counters.enter(.opening, nil)
        setReader(nil)
        connection = nil
        databaseIdentity = nil
        if unlocks { directory.unlock() }
        forgetRows()
        space.change { $0.directories -= shelves.values.reduce(0, +) }
        shelves = [:]
        hasBallast = false
        report()
    }
}
