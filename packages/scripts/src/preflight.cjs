// Explains the problem before an old version of Node fails on the syntax of the sources. The file uses only old syntax,
// because it must run on any version of Node.
"use strict"
var found = process.versions.node.split(".").map(Number)
if (found[0] < 22 || (found[0] === 22 && found[1] < 19)) {
  console.error(
    "Tapeline needs Node 22.19 or later, and this is Node " + process.versions.node + ".\n" +
      "The repository brings its own, the package `node`, whose install script fetches it. Either nothing is installed " +
      "yet\n(run `npm ci`), or install scripts were blocked: `npm config get ignore-scripts` must say false, and the " +
      "root\npackage.json allows the scripts that are needed (`allowScripts`). Then run `npm ci` again."
  )
  process.exit(1)
}
