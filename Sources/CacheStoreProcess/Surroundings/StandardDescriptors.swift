// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file descriptors 0, 1 and 2, which every program takes for its input, output and errors.
///
/// Where a program was started without them, or has closed them, the next file that is opened gets one
/// of these numbers, and what anybody prints goes into that file
/// (https://sqlite.org/howtocorrupt.html#_continuing_to_use_a_file_descriptor_after_it_has_been_closed).
package enum StandardDescriptors {
    /// Opens the null device at each of the three that is closed, as privileged programs do at their
    /// start. Three system calls where there is nothing to do.
    ///
    /// They stay open: a library cannot know what the program means to do with them.
    package static func occupy() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The system gives the lowest free number: this one, unless another thread was faster.
            let opened = open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY)
            if opened > 2 { close(opened) }
        }
    }
}
