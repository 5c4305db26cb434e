// The C library: Glibc, or where the program is built for it, Musl. Nothing else names either of them.
#if canImport(Musl)
@_exported public import Musl
#elseif canImport(Glibc)
@_exported public import Glibc
#else
#error("no known C library")
#endif
