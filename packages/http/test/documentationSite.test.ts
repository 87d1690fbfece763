import { assert, describe, layer } from "@effect/vitest"
import type { StaticFile } from "@tapeline/http"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { layerTestServer, sendRequest } from "./testServer.ts"

const pages = {
  "404.html": "No such page",
  "index.html": "All pages",
  "start.html": "Start",
  "decisions/index.html": "Decisions",
  "assets/start.1a2b.js": "export {}"
}
const documentationSite = Object.entries(pages).map(([path, text]): StaticFile => ({
  path,
  type: path.endsWith(".js") ? "text/javascript; charset=utf-8" : "text/html; charset=utf-8",
  etag: `tag-of-${path}`,
  immutable: path.startsWith("assets/"),
  bytes: Buffer.from(text)
}))

layer(layerTestServer([], {}, { corsOrigins: [], documentationSite }))("the documentation site", (it) => {
  it.effect("serves the page of a folder, a page and a file, next to the documentation of the API", () =>
    Effect.gen(function*() {
      const answers = { "": "All pages", "decisions/": "Decisions", "start.html": "Start", "start.html?x=1": "Start" }
      for (const [path, text] of Object.entries(answers)) {
        const answer = yield* sendRequest("GET", `/docs/guide/${path}`)
        assert.deepStrictEqual([answer.status, answer.text], [200, text], path)
        assert.strictEqual(answer.headers.get("cache-control"), "no-cache")
      }
      const script = yield* sendRequest("GET", "/docs/guide/assets/start.1a2b.js")
      assert.include(script.headers.get("cache-control"), "immutable")
      assert.include((yield* sendRequest("GET", "/docs")).text, "createApiReference")
      assert.strictEqual((yield* sendRequest("GET", "/docs/scalar.js")).status, 200)
    }))

  it.effect("redirects the path without a slash", () =>
    Effect.gen(function*() {
      const { address } = yield* HttpServer.HttpServer
      const url = `${HttpServer.formatAddress(address)}/docs/guide`
      const redirect = yield* Effect.promise(() => fetch(url, { redirect: "manual" }))
      assert.deepStrictEqual([redirect.status, redirect.headers.get("location")], [302, "/docs/guide/"])
    }))

  it.effect("returns 404 with the site's page for a missing page, also with a known entity tag", () =>
    Effect.gen(function*() {
      for (const path of ["none", "start", "decisions", "%zz", "..%2findex.html", "index.html%00", "assets/"]) {
        const answer = yield* sendRequest("GET", `/docs/guide/${path}`, {
          headers: { "if-none-match": "\"tag-of-404.html\"" }
        })
        assert.deepStrictEqual([answer.status, answer.text], [404, "No such page"], path)
      }
      const post = yield* sendRequest("POST", "/docs/guide/start.html", { body: {} })
      assert.deepStrictEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"])
    }))

  it.effect("permits only scripts and style sheets of the service, on every page", () =>
    Effect.gen(function*() {
      for (const path of ["", "start.html", "none", "assets/start.1a2b.js"]) {
        const { headers } = yield* sendRequest("GET", `/docs/guide/${path}`)
        const policy = headers.get("content-security-policy")!.split("; ")
        assert.includeMembers(policy, ["default-src 'none'", "script-src 'self'", "style-src 'self'"])
        assert.includeMembers(policy, ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
        assert.notMatch(policy.join("; "), /unsafe-eval|\*|https?:/)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      }
    }))
})

describe("a service without a documentation site", () => {
  layer(layerTestServer())((it) => {
    it.effect("returns 404 at the site's path", () =>
      Effect.gen(function*() {
        for (const path of ["/docs/guide", "/docs/guide/", "/docs/guide/start.html"]) {
          const answer = yield* sendRequest("GET", path)
          assert.deepStrictEqual([answer.status, answer.body?.code], [404, "not_found"], path)
        }
      }))
  })
})
