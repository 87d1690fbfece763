// Prints the test files that a full run changes, so that CI need not repeat the others after `npm test`.
import { globSync } from "node:fs"
import { join, relative } from "node:path"
import { root } from "./manifest.ts"
import { testDistances } from "./near/distances.ts"
import { readImports } from "./near/imports.ts"

/** The modules that read `TAPELINE_TEST_FULL`. */
const switches = ["packages/testing/src/fullRun.ts", "packages/quant/test/propertyTesting.ts"]

const switched = testDistances(readImports(root), switches.map((file) => join(root, file))).keys()
const files = [
  ...globSync("packages/*/test/**/*.full.test.{ts,tsx}", { cwd: root }),
  ...[...switched].map((file) => relative(root, file))
]
console.log(files.sort().join("\n"))
