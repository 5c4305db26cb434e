package import Exchanges

/// What is to be logged once a lock is let go: the handler is the program's, and may ask the very resource.
///
/// Used by one thread, within one change of a resource.
package final class DeferredNotes {
    private var notes: [(category: RespiteLog.Category, message: String)] = []

    /// Keeps `message` if `category` is enabled; otherwise does not even evaluate it.
    package func add(_ category: RespiteLog.Category, _ message: @autoclosure () -> String) {
        if category.isEnabled { notes.append((category, message())) }
    }

    /// Hands everything on, in order; under no lock.
    func deliver() {
        let due = notes
        notes = []
        for note in due { RespiteLog.log(note.category, note.message) }
    }
}
