import { assert, describe, layer } from "@effect/vitest"
import type { StaticFile } from "@tapeline/http"
import { Effect } from "effect"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { layerTestServer, sendRequest } from "./testServer.ts"

const file = (path: string, type: string, text: string, immutable = false): StaticFile => ({
  path,
  type,
  etag: `tag-of-${path}`,
  immutable,
  bytes: Buffer.from(text),
  gzip: gzipSync(text),
  brotli: brotliCompressSync(text)
})

const html = "<!doctype html><title>Tapeline</title>"
const files = [
  file("index.html", "text/html; charset=utf-8", html),
  file("assets/main-1a2b.js", "text/javascript; charset=utf-8", "export {}", true)
]

const served = layerTestServer([], {}, { corsOrigins: ["https://app.example.com"], console: files })

layer(served)("the console", (it) => {
  it.effect("is reached from the root, and from its path without a slash", () =>
    Effect.gen(function*() {
      for (const path of ["/", "/app"]) {
        const answer = yield* sendRequest("GET", path)
        assert.strictEqual(answer.text, html, path)
      }
    }))

  it.effect("is one page at every path below /app, and its files have their own types", () =>
    Effect.gen(function*() {
      for (
        const path of [
          "/app/",
          "/app/tools",
          "/app/tools/get_price",
          "/app/%zz",
          "/app/a;b",
          "/app/tools?search=x",
          "/app/tools/a.b",
          "/app/market/BRK.B"
        ]
      ) {
        const answer = yield* sendRequest("GET", path)
        assert.deepStrictEqual([answer.status, answer.text], [200, html], path)
        assert.strictEqual(answer.headers.get("content-type"), "text/html; charset=utf-8")
        assert.strictEqual(answer.headers.get("cache-control"), "no-cache")
      }
      const script = yield* sendRequest("GET", "/app/assets/main-1a2b.js")
      assert.strictEqual(script.headers.get("content-type"), "text/javascript; charset=utf-8")
      assert.include(script.headers.get("cache-control"), "immutable")
    }))

  it.effect("returns 404 for a missing file instead of the page", () =>
    Effect.gen(function*() {
      for (
        const path of ["/app/assets/main-0000.js", "/app/assets/x", "/app/none.css", "/app/../package.json", "/apple"]
      ) {
        const answer = yield* sendRequest("GET", path)
        assert.deepStrictEqual([answer.status, answer.body?.code], [404, "not_found"], path)
      }
      const post = yield* sendRequest("POST", "/app/tools", { body: {} })
      assert.deepStrictEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"])
    }))

  it.effect("sends a strict content security policy with every file", () =>
    Effect.gen(function*() {
      for (const path of ["/app/", "/app/tools", "/app/assets/main-1a2b.js"]) {
        const { headers } = yield* sendRequest("GET", path)
        const policy = new Map(
          headers.get("content-security-policy")!.split("; ").map((part) => {
            const [name, ...values] = part.split(" ")
            return [name!, values.join(" ")]
          })
        )
        assert.strictEqual(policy.get("default-src"), "'none'")
        for (const name of ["script-src", "style-src", "connect-src", "font-src"]) {
          assert.strictEqual(policy.get(name), "'self'")
        }
        for (const name of ["base-uri", "form-action", "frame-ancestors"]) {
          assert.strictEqual(policy.get(name), "'none'")
        }
        assert.strictEqual(policy.get("img-src"), "'self' data: blob:")
        assert.notMatch(headers.get("content-security-policy")!, /unsafe|\*|https?:/)
        assert.strictEqual(headers.get("x-frame-options"), "DENY")
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
      }
    }))

  it.effect("is compressed as the browser accepts, and returns 304 for a known ETag", () =>
    Effect.gen(function*() {
      const encodingFor = (accepted: string) =>
        Effect.map(
          sendRequest("GET", "/app/", { headers: { "accept-encoding": accepted } }),
          ({ headers, text }) => [headers.get("content-encoding"), text]
        )
      assert.deepStrictEqual(yield* encodingFor("gzip, deflate, br"), ["br", html])
      assert.deepStrictEqual(yield* encodingFor("gzip, br;q=0"), ["gzip", html])
      assert.deepStrictEqual(yield* encodingFor("identity"), [null, html])
      const etag = (yield* sendRequest("GET", "/app/")).headers.get("etag")!
      const cachedResponse = yield* sendRequest("GET", "/app/", { headers: { "if-none-match": etag } })
      assert.deepStrictEqual([cachedResponse.status, cachedResponse.text], [304, ""])
      assert.isNotNull(cachedResponse.headers.get("content-security-policy"))
    }))
})

describe("a service without a console", () => {
  layer(layerTestServer())((it) => {
    it.effect("returns 404 at the console's path and at the root", () =>
      Effect.gen(function*() {
        for (const path of ["/", "/app", "/app/", "/app/tools"]) {
          assert.strictEqual((yield* sendRequest("GET", path)).status, 404, path)
        }
      }))
  })
})
