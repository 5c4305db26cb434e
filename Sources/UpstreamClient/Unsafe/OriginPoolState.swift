/// What each request changes about a pool, apart from its logic; exempt from the exclusivity checks, as is the state of
/// the server's connections: nothing is lent while it is counted.
class OriginPoolState {
    @safe @exclusivity(unchecked) final var statistics = UpstreamStatistics()
}
