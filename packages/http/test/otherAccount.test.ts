import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerTestServer } from "./testServer.ts"
import { createSignInLink, signInNewUser, signInWithLink } from "./testSession.ts"

layer(layerTestServer())("a session", (it) => {
  it.effect("gets 403 from a page that was opened for another account, and changes nothing", () =>
    Effect.gen(function*() {
      const { account, ask, jar, record } = yield* signInNewUser()
      const other = { "x-tapeline-account": String(account.id + 1) }
      const requestCases = [
        ["GET", "/v1/account"],
        ["GET", "/v1/usage"],
        ["POST", "/v1/account/keys", { name: "a", scopes: ["read:market"] }],
        ["DELETE", `/v1/account/keys/${record.id}`],
        ["POST", "/v1/account/sign-out"],
        ["POST", "/v1/tools/test_price", { coin: "BTC" }]
      ] as const
      for (const [method, path, body] of requestCases) {
        for (const headers of [other, { "x-tapeline-account": "" }]) {
          const rejection = yield* ask(method, path, { headers, ...(body === undefined ? {} : { body }) })
          assert.deepStrictEqual([rejection.status, rejection.body.code], [403, "other_account"], `${method} ${path}`)
        }
      }
      const ownAccount = { "x-tapeline-account": String(account.id) }
      const keys = yield* ask("GET", "/v1/account/keys", { headers: ownAccount })
      assert.deepStrictEqual([keys.status, keys.body.keys.length], [200, 1])
      assert.strictEqual((yield* ask("GET", "/v1/usage", { headers: ownAccount })).body.credits.used, 0)
      // A sign-in opens the account of the link, even if the browser was signed in to another account.
      const link = yield* createSignInLink(account.id)
      assert.strictEqual((yield* signInWithLink(link, { ...other, cookie: jar.cookie })).status, 200)
    }))
})
