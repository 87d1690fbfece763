import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { layerTestServer, sendRequest } from "./testServer.ts"
import { signInNewUser } from "./testSession.ts"

layer(layerTestServer())("a page of another site or of a sibling host", (it) => {
  it.effect("gets 403 for reads with the session cookie, unless its user follows a link", () =>
    Effect.gen(function*() {
      const { jar: { cookie }, key } = yield* signInNewUser()
      for (const site of ["same-site", "cross-site"]) {
        const embedded = { "sec-fetch-site": site, "sec-fetch-dest": "image" }
        const embeddedHeaders = { "sec-fetch-site": site, "sec-fetch-dest": "empty" }
        const framed = { "sec-fetch-site": site, "sec-fetch-dest": "iframe" }
        const followedLinkHeaders = { "sec-fetch-site": site, "sec-fetch-dest": "document" }
        for (const method of ["GET", "HEAD"]) {
          for (const path of ["/v1/usage", "/v1/tools", "/v1/account", "/v1/account/keys"]) {
            for (const headers of [embedded, embeddedHeaders, framed]) {
              const rejection = yield* sendRequest(method, path, { headers: { cookie, ...headers } })
              assert.strictEqual(rejection.status, 403, `${method} ${path} ${JSON.stringify(headers)}`)
              if (method === "GET") assert.strictEqual(rejection.body.code, "cross_site")
            }
            assert.strictEqual(
              (yield* sendRequest(method, path, { headers: { cookie, ...followedLinkHeaders } })).status,
              200
            )
          }
        }
        // A request with an API key is accepted from the pages of any site.
        assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { key, headers: embeddedHeaders })).status, 200)
      }
      for (const headers of [{ "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }, {}]) {
        assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { headers: { cookie, ...headers } })).status, 200)
      }
    }))

  it.effect("gets 403 for reads with the session cookie in a browser without Sec-Fetch-Site", () =>
    Effect.gen(function*() {
      const { jar: { cookie }, key } = yield* signInNewUser()
      const own = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
      const listed = "https://app.example.com"
      const { hostname, port } = new URL(own)
      for (const origin of ["https://evil.example", "null", `http://${hostname}:${Number(port) + 1}`, listed]) {
        for (const path of ["/v1/usage", "/v1/account", "/v1/account/keys"]) {
          const rejected = yield* sendRequest("GET", path, { headers: { cookie, origin } })
          assert.deepStrictEqual([rejected.status, rejected.body.code], [403, "cross_site"], `${path} ${origin}`)
        }
        assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { key, headers: { origin } })).status, 200)
      }
      assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { headers: { cookie, origin: own } })).status, 200)
    }))
})
