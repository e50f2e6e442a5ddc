// SPDX-License-Identifier: MIT

/// What the program says about itself.
enum Help {
    static let version = "0.1.0"

    static let text = """
        Usage: cachestore COMMAND [OPTION]... FILE

        Looks at the store of a program that uses CacheStore, or at any SQLite database.

        Commands:
          info           say what the file is and what is in it
          check          check header, structure, tables and the checksums of all pages
            --deep       also indexes, the log, and the relationships between objects
          heal           make a damaged store usable again; other files are refused
          salvage        take what is left of a damaged file over into a new one
            -o, --output NEW  the name of the new file

        Options:
          --json         write the result as JSON
          -h, --help     show this text
          -V, --version  show the version
          --             end the options

        info, check and salvage change nothing, neither FILE nor what lies beside it.

        Exit status:
          0  healthy, or done
          1  damaged, or not found
          2  the command line is wrong, or the file is not for this command
          3  cannot tell: the file is in use, or may not be read

        """
}
