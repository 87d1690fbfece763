import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"

const folder = join(import.meta.dirname, "../src/migrations")

/**
 * The SHA-256 digests of the migration files. A changed file has no effect on databases that already ran the migration,
 * so every change needs a new migration.
 */
const checksums: Readonly<Record<string, string>> = {
  "0018_baseline.ts": "02c746611fa06cacbf0ee3688a7e083ab94bec5b82f2a88b69d382ab230099d3",
  "0019_conversation_scopes.ts": "93e269db55ad4838af341bfd12e55c6e454d354653e9e9d593400b083a2513d8",
  "0020_message_scopes.ts": "33202afd89c7d1b585ea00f9c4b58d7ac1411f000d5b6f4bb25b9ffbdb069b40",
  "0021_administration.ts": "108d64f5e7523785e32f95669927f17080c98a3cb91ed97d4260c1e01ff925b1",
  "0022_ledger_adjustments.ts": "43dfab711ac7c708d035a119d826c347b61ff5dd1346754bcd813ad5c3918a60",
  "0024_admin_tokens.ts": "bd1dd39aed8cdaada50313584a7bb22cba25c6f07495802a353af1ff45a81743",
  "0025_webhooks.ts": "5e7742021e8606ba2b60c21f6856ee6fe4575ea2ce3002702f2782352d9f2e4a",
  "0026_webhooks.ts": "f0691c302599d529179bc3de5565fd67e508493fd5c500f82e6a3a8b5a2d7323",
  "0027_key_limits.ts": "33b47b3daebbe9e34ac17c331c4bba31794dd8a47aa3ddf9e3c7eada893737c0",
  "0028_erasure.ts": "a052df3484a9374072f14b7f69d47e7a88003e370ef4fa0146c34fe809b16774",
  "0029_proposals.ts": "75288e17298619529aa2e42e97aef6a7b2d0328ef08d4b40b343948c6d6179f8",
  "0030_charges.ts": "0246f520fb3834be5cb18ae40982d49898c9678f3788f3047b5e225afed5238e"
}

it("finds every migration unchanged since its first run, and without other imports", () => {
  const files = readdirSync(folder).filter((file) => /^\d/.test(file)).sort()
  for (const file of files) {
    const text = readFileSync(join(folder, file), "utf8")
    const checksum = createHash("sha256").update(text).digest("hex")
    assert.isDefined(checksums[file], `when the migration is final, add the line  "${file}": "${checksum}"`)
    assert.strictEqual(checksum, checksums[file], `${file} has changed; add a new migration for the change`)
    const imports = [...text.matchAll(/^import .* from "(.*)"$/gm)].map((match) => match[1])
    assert.deepStrictEqual(imports, ["./statements.ts"], `${file}: imports of other modules could change later`)
  }
  assert.deepStrictEqual(files, Object.keys(checksums))
})
