// SPDX-License-Identifier: MIT

/// What the program says about itself.
enum HelpText {
    static let version = "PackageCatalog 0.1.0"

    static let usage = """
        PackageCatalog keeps the catalogue of Debian packages in a cache that heals itself.

        USAGE: PackageCatalog COMMAND [--cache-directory DIR]

        COMMANDS
          refresh [--all] [--index FILE]… [--pause MILLISECONDS]
              read the package lists into the cache: what is installed here, with --all
              everything in apt's lists too, with --index the files named and nothing else;
              --pause waits after each batch, to be gentle on a busy machine
          search TEXT
              list the packages whose name or summary holds TEXT
          show NAME
              show a package: versions, maintainer, dependencies
          depends NAME [--reverse] [--recursive]
              list what a package depends on; with --reverse what depends on it,
              with --recursive all the way down (or up)
          stats
              count what is in the cache
          status
              tell how the cache was opened, and what was done if it was damaged

        OPTIONS
          --cache-directory DIR   keep the cache in DIR instead of the user's cache folder
          --help, -h              print this text
          --version               print the version

        EXIT STATUS
          0 if all went well, 1 if the work failed or nothing was found,
          2 if the command line makes no sense, 128 and the number of the signal that ended it
          (what was read by then is kept).
        """
}
