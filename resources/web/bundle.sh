#!/bin/sh
# Make three.min.js anew from the npm packages of three.js and esbuild; three-entry.js lists what the page uses.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --no-audit --no-fund --silent three@0.170.0 esbuild@0.28.2
cp "$here/three-entry.js" entry.js
node_modules/.bin/esbuild entry.js --bundle --minify --format=iife --global-name=THREE --charset=ascii \
  --outfile="$here/three.min.js"
cp node_modules/three/LICENSE "$here/three.LICENSE.txt"
