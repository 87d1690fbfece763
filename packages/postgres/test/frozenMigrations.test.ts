import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"

const folder = join(import.meta.dirname, "../src/migrations")

/**
 * The SHA-256 digests of the migrations' files. A database that has run a migration is not affected by changes to it.
 * Each line is therefore written once, with its migration, and later changes need a new migration.
 */
const checksums: Readonly<Record<string, string>> = {
  "0018_baseline.ts": "02c746611fa06cacbf0ee3688a7e083ab94bec5b82f2a88b69d382ab230099d3",
  "0019_conversation_scopes.ts": "93e269db55ad4838af341bfd12e55c6e454d354653e9e9d593400b083a2513d8"
}

it("migrations are as they were when they were first run, and stand by themselves", () => {
  const files = readdirSync(folder).filter((file) => /^\d/.test(file)).sort()
  for (const file of files) {
    const text = readFileSync(join(folder, file), "utf8")
    const checksum = createHash("sha256").update(text).digest("hex")
    assert.isDefined(checksums[file], `once it is done, add the line  "${file}": "${checksum}"`)
    assert.strictEqual(checksum, checksums[file], `${file} has changed; make the change in a migration of its own`)
    const imports = [...text.matchAll(/^import .* from "(.*)"$/gm)].map((found) => found[1])
    assert.deepStrictEqual(imports, ["./statements.ts"], `${file}: what else it imports could change beneath it`)
  }
  assert.deepStrictEqual(files, Object.keys(checksums))
})
