"""What the programs of several folders of Tests share: Clients, Faults, Package, Soak and Tools.

checks       findings that are printed, and the exit code they lead to
client       one HTTP/1.1 connection, used byte by byte
daemon       where the daemon's program is, and a process of it
disk         sizes, a scratch directory, and what a directory takes
network      free ports, and waiting until somebody listens
origin       an HTTP/1.1 server whose responses a function makes
processes    processor time and memory of a process
programs     running other programs, and whether they are installed
ranged       an origin of ranges, and a judge of what comes of it

A program puts the folder Tests on its path, relative to its own file: in Clients and Faults the modules `clients` and
`world` do so for the others.
"""
