#!/bin/sh
# Install the pinned Joplin terminal client into a folder.
#
#   sh tests/system/client/install.sh DIR
#
# Afterwards DIR/node_modules/.bin/joplin is the client.  Needs Node.js >= 18
# and npm.  Safe to run again: a finished installation is left alone.
set -eu

VERSION=3.5.1

if [ $# -ne 1 ]; then
    echo "usage: $0 DIR" >&2
    exit 2
fi
DIR=$1
BIN=$DIR/node_modules/.bin/joplin

if [ -f "$DIR/node_modules/joplin/package.json" ] &&
   grep -q "\"version\": \"$VERSION\"" "$DIR/node_modules/joplin/package.json" &&
   [ -x "$BIN" ] && [ -f "$DIR/.joplin-$VERSION.ok" ]; then
    echo "joplin $VERSION is already installed: $BIN"
    exit 0
fi

for tool in node npm; do
    command -v "$tool" >/dev/null 2>&1 || { echo "error: $tool not found" >&2; exit 1; }
done
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 18 ] || { echo "error: Node.js >= 18 needed, found $(node --version)" >&2; exit 1; }

# keytar and sqlite3 may be compiled: libsecret's headers, a compiler, pkg-config
missing=""
if command -v dpkg-query >/dev/null 2>&1; then
    for pkg in libsecret-1-dev pkg-config make g++ python3; do
        case $pkg in
            pkg-config) command -v pkg-config >/dev/null 2>&1 && continue ;;
            make|g++|python3) command -v "$pkg" >/dev/null 2>&1 && continue ;;
        esac
        dpkg-query -W -f '${Status}' "$pkg" 2>/dev/null | grep -q 'ok installed' || missing="$missing $pkg"
    done
fi
if [ -n "$missing" ]; then
    if [ "$(id -u)" -eq 0 ]; then SUDO=""; else SUDO="sudo"; fi
    echo "installing system packages:$missing"
    $SUDO apt-get update -qq || true
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $SUDO apt-get install -y -qq --no-install-recommends $missing
else
    echo "system packages: present"
fi

mkdir -p "$DIR"
# joplin asks for "~3.5" of its own libraries, so those are pinned as well.
[ -f "$DIR/package.json" ] || cat > "$DIR/package.json" <<JSON
{
  "name": "joplin-lab", "version": "1.0.0", "private": true,
  "overrides": {
    "@joplin/lib": "$VERSION", "@joplin/renderer": "$VERSION", "@joplin/utils": "$VERSION"
  }
}
JSON
echo "installing joplin $VERSION into $DIR (about 2 minutes)"
(cd "$DIR" && npm install --no-audit --no-fund --loglevel=error "joplin@$VERSION")

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
if "$BIN" --profile "$probe" version | grep -q "joplin $VERSION"; then
    : > "$DIR/.joplin-$VERSION.ok"
    echo "ok: $BIN is joplin $VERSION"
else
    echo "error: $BIN does not answer as joplin $VERSION" >&2
    exit 1
fi
