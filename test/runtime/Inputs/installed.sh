#!/bin/bash
# installed.sh BUILD INPUTS SCRATCH: installs the runtime and uses it as others would.
set -e
build=$1 inputs=$2 prefix=$3
rm -rf "$prefix"
cmake --install "$build" --component heddle-runtime --prefix "$prefix" --strip > /dev/null
library=$(echo "$prefix"/lib*/libheddle-runtime.so)
[ -e "$library" ] || library=$(echo "$prefix"/lib*/*/libheddle-runtime.so)
libraries=$(dirname "$library")
[ "$(stat -Lc %s "$library")" -le $((2 << 20)) ] && echo "at most 2 MiB"
# Only libc and its parts.
readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v '^\(libc\.\|libm\.\|ld-linux\|libpthread\.\)' || echo "needs only libc"
nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^heddle_\|^__jit_debug_' || echo "exports only its interface"

export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries
gcc -std=c11 -Wall -Wextra -Werror -pedantic "$inputs/user.c" $(pkg-config --cflags --libs heddle-runtime) -o "$prefix/shared"
echo "shared: $("$prefix/shared" "$build/test/runtime/models/addition.heddle")"
gcc -std=c11 -static "$inputs/user.c" $(pkg-config --cflags --libs --static heddle-runtime) -o "$prefix/static"
echo "static: $(LD_LIBRARY_PATH= "$prefix/static" "$build/test/runtime/models/addition.heddle")"

cmake -S "$inputs/user-cmake" -B "$prefix/user" -DCMAKE_PREFIX_PATH="$prefix" > /dev/null
cmake --build "$prefix/user" > /dev/null
for kind in shared static; do
  echo "cmake $kind: $("$prefix/user/$kind" "$build/test/runtime/models/addition.heddle")"
done
