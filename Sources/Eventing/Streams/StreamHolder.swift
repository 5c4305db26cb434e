/// An object that hands on a stream through parts of a program that know nothing of streams.
public protocol StreamHolder: AnyObject {
    var stream: Stream { get }
}
