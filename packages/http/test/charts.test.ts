import { assert, layer } from "@effect/vitest"
import { ArtifactStore, type StoredArtifact } from "@tapeline/core/analysis"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect } from "effect"
import { preferredType } from "../src/cachedResponse.ts"
import { layerTestServer, sendRequest } from "./testServer.ts"

const svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>삼성전자</text></svg>"

const saveImage = (account: number): Effect.Effect<StoredArtifact, unknown> =>
  Effect.flatMap(ArtifactStore, (store) =>
    store.save({
      account,
      callId: "1",
      about: "{}",
      images: { png: Uint8Array.of(0x89, 0x50, 0x4e, 0x47), svg: new TextEncoder().encode(svg) }
    }))

layer(layerTestServer(), { excludeTestServices: true })("a chart", (it) => {
  it.effect("is returned to any key of its account as PNG or SVG, at no cost", () =>
    Effect.gen(function*() {
      const { key, principal } = yield* createKeyedAccount({ scopes: ["read:korea"] })
      const path = `/v1/charts/${(yield* saveImage(principal.account)).id}`
      const png = yield* sendRequest("GET", path, { key })
      assert.strictEqual(png.status, 200)
      assert.strictEqual(png.headers.get("content-type"), "image/png")
      assert.strictEqual(png.headers.get("cache-control"), "private, max-age=604800, immutable")
      assert.strictEqual(png.headers.get("x-content-type-options"), "nosniff")
      assert.include(png.headers.get("vary")!.toLowerCase(), "accept")
      const drawing = yield* sendRequest("GET", path, { key, headers: { accept: "image/svg+xml" } })
      assert.strictEqual(drawing.headers.get("content-type"), "image/svg+xml")
      assert.strictEqual(drawing.text, svg)
      assert.match(drawing.headers.get("content-security-policy")!, /default-src 'none'.*sandbox/)
      assert.notStrictEqual(drawing.headers.get("etag"), png.headers.get("etag"))
      const cachedResponse = yield* sendRequest("GET", path, {
        key,
        headers: { "if-none-match": png.headers.get("etag")! }
      })
      assert.deepStrictEqual([cachedResponse.status, cachedResponse.text], [304, ""])
      const other = yield* sendRequest("GET", path, { key, headers: { "if-none-match": drawing.headers.get("etag")! } })
      assert.strictEqual(other.status, 200)
      const headResponse = yield* sendRequest("HEAD", path, { key })
      assert.deepStrictEqual([headResponse.status, headResponse.headers.get("etag")], [200, png.headers.get("etag")])
      const usage = yield* sendRequest("GET", "/v1/usage", { key })
      assert.strictEqual(usage.body.credits.used, 0)
    }))

  it.effect("is a 404 for other accounts, and so is an invalid name", () =>
    Effect.gen(function*() {
      const [{ principal }, { key }] = [yield* createKeyedAccount(), yield* createKeyedAccount()]
      const { id } = yield* saveImage(principal.account)
      for (const name of [id, id.toUpperCase(), "x", "..", "%00", `${id}%20`, "a".repeat(32), "a".repeat(4_000)]) {
        const answer = yield* sendRequest("GET", `/v1/charts/${name}`, { key })
        assert.deepStrictEqual([answer.status, answer.body.code], [404, "not_found"], name)
      }
      assert.strictEqual((yield* sendRequest("GET", `/v1/charts/${id}`)).status, 401)
      assert.strictEqual((yield* sendRequest("POST", `/v1/charts/${id}`, { key })).status, 405)
      assert.strictEqual((yield* sendRequest("GET", `/v1/charts/${id}?size=2`, { key })).status, 400)
    }))

  it("has the format that the Accept header prefers", () => {
    const forms = ["image/png", "image/svg+xml"] as const
    const preferForm = (accept: string | undefined) => preferredType(accept, forms)
    for (
      const accept of [
        undefined,
        "",
        "*/*",
        "image/*",
        "text/html,application/xhtml+xml,image/avif,image/webp,image/apng,*/*;q=0.8",
        "image/svg+xml;q=0.5, image/png",
        "image/svg+xml;q=0, */*",
        "image/svg+xml;q=0.3, image/*;q=0.4",
        "text/html",
        "image/svg+xml;q=2",
        ";;;,,,q=1"
      ]
    ) assert.strictEqual(preferForm(accept), accept === "image/svg+xml;q=2" ? "image/svg+xml" : "image/png", accept)
    for (const accept of ["image/svg+xml", "IMAGE/SVG+XML ; q=0.9, image/png;q=0.8", "image/png;q=0, image/*"]) {
      assert.strictEqual(preferForm(accept), "image/svg+xml", accept)
    }
  })
})
