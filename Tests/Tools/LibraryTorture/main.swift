// Uses the library as programs do, for the soak tests.
//
//     LibraryTorture check DIRECTORY        prints which of the names on standard input the cache has lost
//     LibraryTorture flush DIRECTORY FIRST  loads and flushes until it is killed, and prints what must survive
//     LibraryTorture stress DIRECTORY SECONDS TASKS
import Glibc

let words = CommandLine.arguments
switch words.count > 2 ? words[1] : "" {
case "check": try Flushing(directory: words[2]).check()
case "flush": await Flushing(directory: words[2]).run(from: Int(words[3]) ?? 0)
case "stress":
    let stress = Stress(directory: words[2])
    let isRight = await stress.run(tasks: Int(words[4]) ?? 16, for: .seconds(Int(words[3]) ?? 60))
    exit(isRight ? 0 : 1)
default:
    print("usage: LibraryTorture check|flush|stress DIRECTORY …")
    exit(2)
}
