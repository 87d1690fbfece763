// No version of `@effect/sql-pg` supports effect 4.1: the latest version imports modules by their former names. The
// script rewrites the import specifiers in the installed package. It rejects all versions except the expected ones, and
// can run any number of times. The first version of `@effect/sql-pg` for effect 4.1 makes the script unnecessary.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const expected = { "@effect/sql-pg": "4.0.0-rc.117", effect: "4.1.0" }
const require = createRequire(join(dirname(fileURLToPath(import.meta.url)), "../../postgres/package.json"))
const home = dirname(require.resolve("@effect/sql-pg/package.json"))

for (const [name, version] of Object.entries(expected)) {
  const found = JSON.parse(readFileSync(require.resolve(`${name}/package.json`), "utf8")).version
  if (found !== version) {
    console.error(
      `align-sql-pg: expected ${name} ${version}, found ${found}. Check whether @effect/sql-pg now imports the modules of ` +
        `effect ${found} by their own names; if so remove this script, otherwise adapt it.`
    )
    process.exit(1)
  }
}

const rewrite = (source) =>
  source
    .replaceAll("effect/unstable/", "effect/")
    .replaceAll(
      /import \* as Encoding from "effect\/Encoding"/g,
      "import * as Encoding from \"effect/encoding/Base64\""
    )
    .replaceAll("Encoding.encodeBase64(", "Encoding.encode(")
    .replaceAll("Encoding.decodeBase64(", "Encoding.decode(")

for (const entry of readdirSync(join(home, "dist"), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(js|d\.ts)$/.test(entry.name)) continue
  const file = join(entry.parentPath, entry.name)
  const before = readFileSync(file, "utf8")
  const after = rewrite(before)
  if (after !== before) writeFileSync(file, after)
}
