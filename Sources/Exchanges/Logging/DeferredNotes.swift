/// Log messages that wait until a lock is released: the handler is the program's, and may use the same resource.
///
/// Used by one thread, within one change of a resource.
package final class DeferredNotes {
    private var notes: [(category: RespiteLog.Category, message: String)] = []

    package init() {}

    /// Keeps `message` if `category` is enabled; otherwise does not evaluate it.
    package func add(_ category: RespiteLog.Category, _ message: @autoclosure () -> String) {
        if category.isEnabled { notes.append((category, message())) }
    }

    /// Passes all messages on, in order; under no lock.
    package func deliver() {
        let due = notes
        notes = []
        for note in due { RespiteLog.log(note.category, note.message) }
    }
}
