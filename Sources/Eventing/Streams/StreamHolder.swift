/// An object that carries a stream through code that does not know streams.
public protocol StreamHolder: AnyObject {
    var stream: Stream { get }
}
