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
  "0001_access.ts": "821b228e3491cd88d193c2f557d6740f3583000183e77bf63a166d6b466d76fe",
  "0002_ledger.ts": "d342348ff1dbd33bf933630680cd9f005bd86214c68d73696e8f94bbe07af2c0",
  "0003_request_windows.ts": "48cb76c7953f42e1700fdfd265a8ec1f22c11c7def0c0f04700e6dd842fa563f",
  "0004_credit_reservations.ts": "74f54909449df97776188d9fab57c51ddf3f6c2e0f2d8abfd87a199435b03538",
  "0005_months_by_account.ts": "f63c3a392c731fa424389a67fa0abe1e9cf44bcd43abf937c834481865644c0a",
  "0006_months_opened.ts": "8faa8f642c5ae8320933cd9fbf4c88ae28059e1563663c4dab1461622c4dcec5",
  "0007_what_somebody_holds.ts": "a4d83aa33b857fb86a0b3e0ca869bf3d2f667b1ee93ef504f91bbe1e3faef32b",
  "0008_derived_days.ts": "8c5408cc9d6162dd515eb2640ea12c19946c855e1e358cf91919e3d387db170a",
  "0009_news_index.ts": "f13c0c8d450b017d8a651a36825653501032699bb14e77b5c7b568a696344576",
  "0010_artifacts.ts": "764932482da659487aae007d8b1185446c49741d20d43ace5ff216d4ea043879",
  "0011_packed_vectors.ts": "9cd0a41165d820628e29c2414cfa8d1cc0cfeb42b745fd4133cee9e73fd37eb8",
  "0012_agent.ts": "26979d27f34d43b5f7bdcb47121b4a40e505d78cf21d63d0ef3d987bae6e40d8",
  "0013_journal.ts": "d38c41ac0df5f7d1d984f183e51da9cee5379a461d2ad8617dd73d0dd649a338",
  "0014_tasks.ts": "aeeb86519709fc659c14411bb0e9fac5c3d18b982b9f75b635929d5e6689347f",
  "0015_market.ts": "4da2950fef8aa22b670bdbd290ccd1e7ada17f8d8d9c793fa189ee40c0deaede",
  "0016_sessions.ts": "b947a78d063944f43d0b67008c4afc8b9bf16c0c5a8e46e89142684a8703b89d",
  "0017_usage_by_day.ts": "9bb7b10b1c0a7dc0da56875a7634d861e0bb3e344ffa224812d74912697cba5e",
  "0018_identities.ts": "5dc2f40858fecf8f4e0c82eb245c3cea282886e2ef2ea425b3e18d1f85782491",
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
